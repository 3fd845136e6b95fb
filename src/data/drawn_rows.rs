//! Rows drawn with repetition, which make a bootstrap sample a data set of its own
//! ([`super::Dataset::bootstrap_sample`]) without a copy of the numbers.
//!
//! A row that is drawn w times becomes w neighbouring rows, so that a sample needs no weights and
//! the code for rows that count once serves it. A sorted order of the sample is derived from the
//! order of the whole set in one pass, where copies are tied with the row they repeat; values are
//! looked up through the draw. O(rows + drawn rows) per numeric column.

use super::entries::{entry_row, entry_tied, pack_entry};
use crate::error::{Error, Result};

/// The drawn rows, and how often each row was drawn.
#[derive(Debug, Clone, Default)]
pub struct DrawnRows {
    /// Original of each drawn row, ascending.
    rows: Vec<u32>,
    /// First drawn row of each original, and the number of drawn rows at the end.
    first: Vec<u32>,
}

impl DrawnRows {
    /// A draw from the number of times that each internal row was drawn.
    ///
    /// # Errors
    /// [`Error::Data`] with 2^31 drawn rows or more.
    pub fn new(times: &[u32]) -> Result<Self> {
        let total: u64 = times.iter().map(|&t| u64::from(t)).sum();
        if total >= 1 << 31 {
            return Err(Error::Data(format!(
                "{total} drawn rows: at most 2,147,483,647 are supported"
            )));
        }
        let mut first = Vec::with_capacity(times.len() + 1);
        let mut rows = Vec::with_capacity(total as usize);
        for (row, &times) in times.iter().enumerate() {
            first.push(rows.len() as u32);
            rows.extend(std::iter::repeat_n(row as u32, times as usize));
        }
        first.push(rows.len() as u32);
        Ok(Self { rows, first })
    }

    /// The original of each drawn row, ascending: an internal row of the data set that the sample
    /// was drawn from. The repetitions of a row are neighbours.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The first drawn row that repeats `row` or a later one; `row` may be the number of rows.
    pub(super) fn first(&self, row: u32) -> u32 {
        self.first[row as usize]
    }

    /// The sorted order of the drawn rows, given the order of all rows (`base_order`).
    pub(super) fn drawn_order(&self, base_order: &[u32]) -> Vec<u32> {
        let n = self.rows.len();
        // Four entries are written per row, whether or not it was drawn that often: most rows are
        // drawn less often, and a loop of varying length would be slower.
        let mut order = vec![0; n + 4];
        // The end of the order so far, and whether it holds an entry of the current value.
        let (mut end, mut seen) = (0, 0);
        for &entry in base_order {
            let row = entry_row(entry) as usize;
            let (first, next) = (self.first[row], self.first[row + 1]);
            let times = (next - first) as usize;
            seen &= entry_tied(entry);
            let copy = |i: u32| (first + i) << 1 | 1;
            order[end..end + 4].copy_from_slice(&[first << 1 | seen, copy(1), copy(2), copy(3)]);
            for i in 4..times {
                order[end + i] = pack_entry(first + i as u32, true);
            }
            seen |= u32::from(times > 0);
            end += times;
        }
        order.truncate(n);
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::NumericColumn;
    use crate::numeric::mix;
    use std::sync::Arc;

    #[test]
    fn a_drawn_order_is_the_order_of_the_drawn_values() {
        for seed in 0..100 {
            let n = 1 + mix(seed, 0) % 80;
            let values: Vec<f64> = (0..n)
                .map(|i| {
                    if mix(seed, 900 + i).is_multiple_of(9) {
                        f64::NAN
                    } else {
                        (mix(seed, i) % 13) as f64
                    }
                })
                .collect();
            let times: Vec<u32> = (0..n).map(|i| (mix(seed, 500 + i) % 7) as u32).collect();
            let draw = Arc::new(DrawnRows::new(&times).unwrap());
            let drawn = NumericColumn::new(values.clone()).draw(&draw);
            let repeated: Vec<f64> = values
                .iter()
                .zip(&times)
                .flat_map(|(&v, &t)| std::iter::repeat_n(v, t as usize))
                .collect();
            let expected = NumericColumn::new(repeated.clone());
            assert_eq!(drawn.order(), expected.order());
            assert_eq!(drawn.owned_order(), expected.order());
            assert_eq!(drawn.n_missing(), expected.n_missing());
            assert!(drawn.values().iter().zip(&repeated).all(|(a, b)| a.to_bits() == b.to_bits()));
            assert!(
                (0..repeated.len() as u32)
                    .all(|r| drawn.value(r).to_bits() == expected.value(r).to_bits())
            );
        }
    }
}
