//! Entries of a sorted order: `row << 1 | tied`, where `tied` is 1 if the row has the same value as
//! the entry before it. Kernels (`simd::columns`) read entries as plain `u32`.

/// The entry of a row. The row must be below 2^31; `tied` says that it has the same value as the
/// row of the entry before.
#[inline]
pub fn pack_entry(row: u32, tied: bool) -> u32 {
    row << 1 | u32::from(tied)
}

/// The row of an entry: its upper 31 bits. It is an internal row number.
#[inline]
pub fn entry_row(entry: u32) -> u32 {
    entry >> 1
}

/// 1 if the entry has the same value as the one before it, else 0. As a number it can be a mask, so
/// that loops over an order need no branch.
#[inline]
pub fn entry_tied(entry: u32) -> u32 {
    entry & 1
}
