//! One encoded column: numbers with their sorted order, or codes.
//!
//! The sorted order of a numeric column is a list of 32-bit entries `row << 1 | tied`, `tied` meaning
//! "same value as the entry before": a scan finds boundaries between values without touching the values,
//! and a stable partition keeps the bits true. Rows with a missing value come last. Sorting is a stable
//! radix sort (11 bits a pass, passes over constant digits skipped): O(n) and about 10 ns a value.

use crate::numeric::order_key;
use std::sync::OnceLock;

/// Code of a missing nominal value in a [`NominalColumn`].
pub const MISSING: u32 = u32::MAX;

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

/// A column of numbers, by internal row.
#[derive(Debug, Clone, Default)]
pub struct NumericColumn {
    values: Vec<f64>,
    missing: usize,
    sorted: OnceLock<Sorted>,
}

#[derive(Debug, Clone)]
struct Sorted {
    entries: Vec<u32>,
    distinct: bool,
}

impl NumericColumn {
    /// A column from values; NaN is missing.
    pub fn new(values: Vec<f64>) -> Self {
        let missing = values.iter().filter(|v| v.is_nan()).count();
        Self { values, missing, sorted: OnceLock::new() }
    }

    /// The values.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The value of a row.
    #[inline]
    pub fn value(&self, row: u32) -> f64 {
        self.values[row as usize]
    }

    /// Number of missing values.
    pub fn n_missing(&self) -> usize {
        self.missing
    }

    fn sorted(&self) -> &Sorted {
        self.sorted.get_or_init(|| sort(&self.values))
    }

    /// Rows in ascending order of value (see the module's text), missing ones last.
    pub fn order(&self) -> &[u32] {
        &self.sorted().entries
    }

    /// True when no two known values are equal.
    pub fn is_distinct(&self) -> bool {
        self.sorted().distinct
    }
}

fn sort(values: &[f64]) -> Sorted {
    let mut keyed: Vec<(u64, u32)> = Vec::with_capacity(values.len());
    let mut missing = Vec::new();
    for (i, &v) in values.iter().enumerate() {
        if v.is_nan() {
            missing.push(i as u32);
        } else {
            keyed.push((order_key(v), i as u32));
        }
    }
    if keyed.len() < 512 {
        keyed.sort_unstable();
    } else {
        keyed = radix_sort(keyed);
    }
    let mut entries = Vec::with_capacity(values.len());
    let mut distinct = true;
    let mut before = None;
    for &(key, row) in &keyed {
        let tied = before == Some(key);
        distinct &= !tied;
        entries.push(pack_entry(row, tied));
        before = Some(key);
    }
    entries.extend(missing.iter().enumerate().map(|(i, &row)| pack_entry(row, i > 0)));
    Sorted { entries, distinct }
}

fn radix_sort(mut from: Vec<(u64, u32)>) -> Vec<(u64, u32)> {
    const BITS: usize = 11;
    const SIZE: usize = 1 << BITS;
    const PASSES: usize = 64_usize.div_ceil(BITS);
    let mut counts = vec![[0_u32; SIZE]; PASSES];
    for &(key, _) in &from {
        for (pass, count) in counts.iter_mut().enumerate() {
            count[(key >> (pass * BITS)) as usize & (SIZE - 1)] += 1;
        }
    }
    let n = from.len() as u32;
    let mut to = vec![(0, 0); from.len()];
    for (pass, count) in counts.iter_mut().enumerate() {
        if count.contains(&n) {
            continue;
        }
        let mut start = 0;
        for c in count.iter_mut() {
            let here = *c;
            *c = start;
            start += here;
        }
        for &pair in &from {
            let place = &mut count[(pair.0 >> (pass * BITS)) as usize & (SIZE - 1)];
            to[*place as usize] = pair;
            *place += 1;
        }
        std::mem::swap(&mut from, &mut to);
    }
    from
}

/// Codes of a nominal column: one byte each where the levels allow it.
#[derive(Debug, Clone, PartialEq)]
pub enum Codes {
    /// At most 255 levels; 255 is missing.
    Narrow(Vec<u8>),
    /// Any number of levels; [`MISSING`] is missing.
    Wide(Vec<u32>),
}

/// A column of codes, by internal row.
#[derive(Debug, Clone, PartialEq)]
pub struct NominalColumn {
    codes: Codes,
    levels: usize,
    missing: usize,
}

impl NominalColumn {
    /// A column from codes below `levels`, or [`MISSING`].
    pub fn new(levels: usize, codes: impl ExactSizeIterator<Item = u32>) -> Self {
        let mut missing = 0;
        let counted = codes.inspect(|&c| missing += usize::from(c == MISSING));
        let codes = if levels <= 255 {
            Codes::Narrow(counted.map(|c| if c == MISSING { u8::MAX } else { c as u8 }).collect())
        } else {
            Codes::Wide(counted.collect())
        };
        Self { codes, levels, missing }
    }

    /// The code of a row, or [`MISSING`].
    #[inline]
    pub fn code(&self, row: u32) -> u32 {
        match &self.codes {
            Codes::Narrow(c) => match c[row as usize] {
                u8::MAX => MISSING,
                code => u32::from(code),
            },
            Codes::Wide(c) => c[row as usize],
        }
    }

    /// The codes.
    pub fn codes(&self) -> &Codes {
        &self.codes
    }

    /// Number of declared levels.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// Number of missing values.
    pub fn n_missing(&self) -> usize {
        self.missing
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match &self.codes {
            Codes::Narrow(c) => c.len(),
            Codes::Wide(c) => c.len(),
        }
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;

    #[test]
    fn both_sorts_agree_with_the_standard_library() {
        for n in [0_usize, 1, 2, 511, 512, 5000] {
            for distinct in [2_u64, 100, u64::MAX] {
                let values: Vec<f64> = (0..n as u64)
                    .map(|i| {
                        let v = (mix(n as u64, i) % distinct) as f64 - 1e3;
                        if mix(1, i).is_multiple_of(17) { f64::NAN } else { v }
                    })
                    .collect();
                let sorted = sort(&values);
                let mut expected: Vec<u32> = (0..n as u32).filter(|&i| !values[i as usize].is_nan()).collect();
                expected.sort_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
                expected.extend((0..n as u32).filter(|&i| values[i as usize].is_nan()));
                assert_eq!(sorted.entries.iter().map(|&e| entry_row(e)).collect::<Vec<_>>(), expected);
                for pair in sorted.entries.windows(2) {
                    let (a, b) = (values[entry_row(pair[0]) as usize], values[entry_row(pair[1]) as usize]);
                    assert_eq!(entry_tied(pair[1]) == 1, a == b || (a.is_nan() && b.is_nan()));
                }
            }
        }
    }
}
