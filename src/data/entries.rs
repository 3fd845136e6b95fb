//! Entries of a sorted order: `row << 1 | tied`, `tied` meaning "same value as the entry before".

/// An entry of a sorted order.
#[inline]
pub fn pack_entry(row: u32, tied: bool) -> u32 {
    row << 1 | u32::from(tied)
}

/// The row of an entry.
#[inline]
pub fn entry_row(entry: u32) -> u32 {
    entry >> 1
}

/// 1 when the entry has the same value as the one before it.
#[inline]
pub fn entry_tied(entry: u32) -> u32 {
    entry & 1
}
