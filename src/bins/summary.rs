//! Cut points of rows that are not in memory together: batches of a file or partitions of a
//! cluster.
//!
//! Each part of the rows has an [`EdgeSummary`]: its rows of the sample (which content and total
//! number of rows decide), and the distinct values of each column as long as they are few. Two
//! summaries are merged by appending samples and uniting values. A column with too few distinct
//! values in the sample is counted on all rows instead ([`ValueCounts`]), part by part. The cuts
//! are those that [`super::edges`] finds on all rows together, to the last bit.
//!
//! Memory: the sample, about [`super::quantiles::SAMPLE`] rows; 16 bytes per distinct value of a
//! column that is counted.

use super::quantiles::{LEAST_DISTINCT, Ranked, SAMPLE, few_values, midpoints};
use super::sample::sampled_rows;
use crate::data::{RowChoice, RowSource, Weights};
use crate::error::Result;
use crate::numeric::{from_order_key, order_key};
use crate::parallel::Control;

/// A summary of some rows of a fit. Merged with the summaries of all other rows, it determines the
/// cut points.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeSummary {
    /// Distinct values of each column, ascending; None if there are more of them than bins.
    pub few: Vec<Option<Vec<f64>>>,
    /// Values of the sampled rows, column by column.
    pub sample: Vec<Vec<f64>>,
    /// Copies of the sampled rows.
    pub masses: Vec<u64>,
}

impl EdgeSummary {
    /// The summary of `rows`, which are some of the `total` rows of the fit.
    ///
    /// `cells` reads the columns, and `is_numeric` says which of them are numbers. Copies of a row
    /// count in `total` and in the masses (`weights`). `bins` is the largest number of bins.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    pub fn new(
        cells: &dyn RowSource,
        is_numeric: &[bool],
        rows: RowChoice<'_>,
        total: u64,
        weights: &Weights,
        bins: usize,
        control: &Control,
    ) -> Result<Self> {
        let numeric = (0..is_numeric.len()).filter(|&f| is_numeric[f]);
        let sampled = sampled_rows(cells, is_numeric, rows, total, SAMPLE, control)?;
        let sampled = sampled.as_deref().map_or(rows, RowChoice::Some);
        let few = numeric.clone().map(|f| few_values(cells, f, rows, bins, control));
        let few = few.collect::<Result<_>>()?;
        let sample = numeric.map(|f| {
            let mut values = vec![0.0; sampled.len()];
            cells.numbers(f, sampled, 0, &mut values);
            values
        });
        let sample = sample.collect();
        let copies = |i| match weights {
            Weights::Integer(w) => u64::from(w[sampled.row(i)]),
            _ => 1,
        };
        Ok(Self { few, sample, masses: (0..sampled.len()).map(copies).collect() })
    }

    /// The cut points of each column for at most `bins` bins, from a summary of all `total` rows;
    /// None for a column that must be counted on all rows.
    pub fn cuts(&self, total: u64, bins: usize) -> Vec<Option<Vec<f64>>> {
        let columns = self.few.iter().zip(&self.sample);
        let cuts = columns.map(|(few, sample)| match few {
            Some(values) if values.len() <= bins => Some(midpoints(values)),
            _ => {
                let counts = ValueCounts::new(sample, &self.masses);
                let enough = total <= SAMPLE || counts.values.len() >= LEAST_DISTINCT * bins;
                enough.then(|| counts.cuts(bins))
            }
        });
        cuts.collect()
    }
}

/// How often each distinct value of a column occurs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ValueCounts {
    /// Distinct values, ascending.
    pub values: Vec<f64>,
    /// Copies of each value.
    pub counts: Vec<u64>,
}

impl ValueCounts {
    /// Counts of values, where `values[i]` occurs in `masses[i]` rows; NaN is left out.
    pub fn new(values: &[f64], masses: &[u64]) -> Self {
        let known = values.iter().zip(masses).filter(|(x, mass)| !x.is_nan() && **mass > 0);
        let mut pairs: Vec<(u64, u64)> = known.map(|(&x, &mass)| (order_key(x), mass)).collect();
        pairs.sort_unstable();
        let ranked =
            Ranked::merge(pairs.into_iter().map(|(key, mass)| (from_order_key(key), mass)));
        let starts = [0].into_iter().chain(ranked.ends.iter().copied());
        let counts = ranked.ends.iter().zip(starts).map(|(end, start)| end - start).collect();
        Self { counts, values: ranked.values }
    }

    /// Cut points for `bins` bins of about equal weight, or between all values if they are fewer.
    /// They complete [`EdgeSummary::cuts`] for a column whose sample is too coarse, from counts
    /// over all rows.
    pub fn cuts(&self, bins: usize) -> Vec<f64> {
        let mut sum = 0;
        let ends = self.counts.iter().map(|&count| {
            sum += count;
            sum
        });
        let ends = ends.collect();
        Ranked { values: self.values.clone(), ends }.cuts(bins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bins::edges;
    use crate::data::MISSING;
    use crate::numeric::mix;

    /// A table of numbers by column.
    struct NumberTable(Vec<Vec<f64>>);

    impl RowSource for NumberTable {
        fn numbers(&self, feature: usize, rows: RowChoice<'_>, first: usize, out: &mut [f64]) {
            for (i, x) in out.iter_mut().enumerate() {
                *x = self.0[feature][rows.row(first + i)];
            }
        }
        fn codes(&self, _: usize, _: RowChoice<'_>, _: usize, out: &mut [u32]) {
            out.fill(MISSING);
        }
    }

    /// A column of few values, one of many, and one whose sample shows too few.
    fn columns(n: usize) -> Vec<Vec<f64>> {
        let cell = |f: u64, r: u64| match (f, mix(f, r)) {
            (_, h) if h.is_multiple_of(13) => f64::NAN,
            (0, h) => (h % 7) as f64,
            (1, h) => (h >> 30) as f64,
            (_, h) if h.is_multiple_of(50) => (h >> 30) as f64,
            _ => 0.0,
        };
        (0..3).map(|f| (0..n as u64).map(|r| cell(f, r)).collect()).collect()
    }

    #[test]
    fn cuts_of_parts_are_those_of_the_whole() {
        let (control, numeric, bins) = (Control::new(1), [true; 3], 20);
        for (n, parts) in [(3000_usize, 4), (90_000, 3)] {
            let all = columns(n);
            let copies: Vec<u32> = (0..n).map(|r| 1 + (r % 3) as u32).collect();
            for weights in [Weights::Unit, Weights::Integer(copies.clone())] {
                let rows = RowChoice::All(n);
                let table = NumberTable(all.clone());
                let whole = edges(&table, &numeric, rows, &weights, bins as u32, &control).unwrap();
                let total = super::super::sample::total_of(rows, &weights);
                let mut joined: Option<EdgeSummary> = None;
                for part in 0..parts {
                    let own: Vec<u32> = (0..n as u32).filter(|r| r % parts == part).collect();
                    let rows = RowChoice::Some(&own);
                    let next =
                        EdgeSummary::new(&table, &numeric, rows, total, &weights, bins, &control);
                    let next = next.unwrap();
                    let Some(sum) = &mut joined else {
                        joined = Some(next);
                        continue;
                    };
                    sum.masses.extend(next.masses);
                    for f in 0..3 {
                        sum.sample[f].extend(&next.sample[f]);
                        let union = sum.few[f].take().zip(next.few[f].clone()).map(|(a, b)| {
                            let all = [a, b].concat();
                            ValueCounts::new(&all, &vec![1; all.len()]).values
                        });
                        sum.few[f] = union;
                    }
                }
                let found = joined.unwrap().cuts(total, bins);
                for (f, cuts) in found.into_iter().enumerate() {
                    let cuts = cuts.unwrap_or_else(|| {
                        let mass = |r: usize| match &weights {
                            Weights::Integer(w) => u64::from(w[r]),
                            _ => 1,
                        };
                        let masses: Vec<u64> = (0..n).map(mass).collect();
                        assert_eq!(f, 2, "only the third column is counted");
                        ValueCounts::new(&all[f], &masses).cuts(bins)
                    });
                    assert_eq!(cuts, whole[f], "{n} {f}");
                }
            }
        }
    }
}
