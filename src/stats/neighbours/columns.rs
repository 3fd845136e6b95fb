//! Columns that are not complete bytes: numbers, nominal columns with missing cells, and nominal
//! columns with more than 256 values.
//!
//! Two numbers differ by `|x - y| / range`, two nominal values by 0 or 1. Where a cell is missing,
//! the difference is its expectation, the value being drawn from the known cells of the same class
//! (Kononenko 1994, RELIEF-D and RELIEF-F): `1 - P(v | class)` with one nominal value known,
//! `1 - sum_v P(v | class_1) P(v | class_2)` with none, and for numbers in the same way the mean of
//! `|x - Y| / range` over the known Y of the class. A class without a known cell draws from all
//! classes; a column without a known cell never differs. All expectations are prepared once, in
//! O(t log t) per column and class with missing cells; after that a difference is a look-up.

use crate::error::{Error, Result};

/// Code of a missing cell in [`Other::Nominal`].
pub const MISSING: u32 = u32::MAX;

/// The difference of two cells where one of them is missing, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingGap {
    /// The expected difference.
    #[default]
    Expected,
    /// The largest difference, as in Weka. A number differs from a missing one as much as it can
    /// differ from any number of the range, two missing numbers differ by the whole range, and
    /// nominal values differ by `1 - 1 / values`.
    Largest,
}

/// Complete nominal columns: one byte per cell, row after row.
#[derive(Debug, Clone, Copy)]
pub struct NominalRows<'a> {
    /// Row i begins at `i * stride`.
    pub values: &'a [u8],
    /// Number of columns.
    pub columns: usize,
    /// Distance between rows, at least `columns`.
    pub stride: usize,
}

impl<'a> NominalRows<'a> {
    /// Codes of a row in a range of columns. The columns of a row lie side by side, so nothing is
    /// copied.
    pub fn part(&self, row: usize, columns: std::ops::Range<usize>) -> &'a [u8] {
        &self.values[row * self.stride..][columns]
    }
}

/// A column that is not complete bytes.
#[derive(Debug, Clone)]
pub enum Other {
    /// A numeric column; NaN is missing.
    Numbers {
        /// By row.
        values: Vec<f64>,
        /// Smallest and largest number, whose difference counts as 1. In a tree they are taken from
        /// the rows of the root; with `None`, from the column.
        range: Option<(f64, f64)>,
    },
    /// A nominal column; codes are below `levels`, or [`MISSING`].
    Nominal {
        /// By row.
        codes: Vec<u32>,
        /// Number of values.
        levels: usize,
    },
}

impl Other {
    /// Check the number of rows and the cells; `name` is the number of the column, for messages.
    pub(super) fn check(&self, rows: usize, name: usize) -> Result<()> {
        let len = match self {
            Self::Numbers { values, .. } => {
                if let Some((i, x)) = values.iter().enumerate().find(|(_, x)| x.is_infinite()) {
                    let what = "Relief's distances need finite numbers, NaN is missing";
                    return Err(Error::Data(format!(
                        "numeric column {name}, row {i}: {x}; {what}"
                    )));
                }
                values.len()
            }
            Self::Nominal { codes, levels } => {
                let beyond = |c: u32| c != MISSING && c as usize >= *levels;
                if let Some((i, c)) = codes.iter().enumerate().find(|(_, c)| beyond(**c)) {
                    return Err(Error::Data(format!(
                        "column {name}, row {i}: code {c} of {levels} values"
                    )));
                }
                codes.len()
            }
        };
        if len != rows {
            return Err(Error::Data(format!("column {name} has {len} rows, the classes {rows}")));
        }
        Ok(())
    }

    /// The column with its rows in another order.
    pub(super) fn take_rows(self, order: &[u32]) -> Self {
        match self {
            Self::Numbers { values, range } => {
                Self::Numbers { values: take(&values, order), range }
            }
            Self::Nominal { codes, levels } => Self::Nominal { codes: take(&codes, order), levels },
        }
    }
}

/// An [`Other`] with the expected differences of its missing cells.
#[derive(Debug, Clone)]
pub(super) struct ExpectedColumn {
    cells: OtherCells,
    /// Classes with missing cells are numbered by *slots*: slot of the class of each row; empty if
    /// no cell is missing.
    slots: Vec<u16>,
    /// Number of slots.
    n_slots: usize,
    /// For one missing cell. Numbers: expected difference `[slot][row]`; codes: share of each value
    /// `[slot][value]`.
    one_missing: Vec<f64>,
    /// Expected difference of two missing cells, `[slot][slot]`.
    two_missing: Vec<f64>,
}

/// The cells of an [`ExpectedColumn`].
#[derive(Debug, Clone)]
enum OtherCells {
    /// Numbers, scaled so that the range is 1.
    Numbers(Vec<f64>),
    Codes {
        codes: Vec<u32>,
        levels: usize,
    },
}

impl ExpectedColumn {
    /// Prepare a checked column; `weight` gives the weight of a row.
    pub fn new(
        other: Other,
        classes: &[u16],
        weight: &dyn Fn(usize) -> f64,
        gap: MissingGap,
    ) -> Self {
        let cells = match other {
            Other::Numbers { mut values, range } => {
                let (low, high) = range.unwrap_or_else(|| span(&values));
                // halves, because the range of two finite numbers may not be finite
                let range = high / 2.0 - low / 2.0;
                let scale = |x: f64| if range > 0.0 { (x / 2.0 - low / 2.0) / range } else { 0.0 };
                values.iter_mut().filter(|x| !x.is_nan()).for_each(|x| *x = scale(*x));
                OtherCells::Numbers(values)
            }
            Other::Nominal { codes, levels } => OtherCells::Codes { codes, levels },
        };
        let mut column = Self {
            cells,
            slots: Vec::new(),
            n_slots: 0,
            one_missing: Vec::new(),
            two_missing: Vec::new(),
        };
        column.prepare(classes, weight, gap);
        column
    }

    /// The scaled numbers of a numeric column without missing cells, by row; `None` for any other
    /// column. Vector kernels compare them, whereas other columns are compared by [`Self::diff`],
    /// pair by pair.
    pub fn complete_numbers(&self) -> Option<&[f64]> {
        match &self.cells {
            OtherCells::Numbers(values) if self.n_slots == 0 => Some(values),
            _ => None,
        }
    }

    fn is_missing(&self, row: usize) -> bool {
        match &self.cells {
            OtherCells::Numbers(values) => values[row].is_nan(),
            OtherCells::Codes { codes, .. } => codes[row] == MISSING,
        }
    }

    /// Difference of rows `i` and `j`. If both are one row, it is the difference of the row from a
    /// copy of it, which is not 0 where the cell is missing.
    pub fn diff(&self, i: usize, j: usize) -> f64 {
        if self.n_slots > 0 {
            let slot = |row: usize| usize::from(self.slots[row]);
            match (self.is_missing(i), self.is_missing(j)) {
                (false, false) => {}
                (false, true) => return self.one_missing(slot(j), i),
                (true, false) => return self.one_missing(slot(i), j),
                (true, true) => return self.two_missing[slot(i) * self.n_slots + slot(j)],
            }
        }
        match &self.cells {
            OtherCells::Numbers(values) => (values[i] - values[j]).abs(),
            OtherCells::Codes { codes, .. } => f64::from(u8::from(codes[i] != codes[j])),
        }
    }

    /// Expected difference of a missing cell of a class to the known cell of `row`.
    fn one_missing(&self, slot: usize, row: usize) -> f64 {
        match &self.cells {
            OtherCells::Numbers(values) => self.one_missing[slot * values.len() + row],
            OtherCells::Codes { codes, levels } => {
                1.0 - self.one_missing[slot * levels + codes[row] as usize]
            }
        }
    }

    /// Fill the tables of expected differences.
    fn prepare(&mut self, classes: &[u16], weight: &dyn Fn(usize) -> f64, gap: MissingGap) {
        // number the classes with missing cells
        let t = classes.len();
        let mut of_class: Vec<Option<u16>> =
            vec![None; classes.iter().max().map_or(0, |&c| usize::from(c) + 1)];
        let missing: Vec<usize> = (0..t).filter(|&row| self.is_missing(row)).collect();
        for row in missing {
            let slot = &mut of_class[usize::from(classes[row])];
            if slot.is_none() {
                *slot = Some(self.n_slots as u16);
                self.n_slots += 1;
            }
        }
        if self.n_slots == 0 {
            return;
        }
        self.slots =
            classes.iter().map(|&c| of_class[usize::from(c)].unwrap_or(u16::MAX)).collect();
        if gap == MissingGap::Largest {
            self.assume_largest();
            return;
        }
        let known: Vec<usize> = (0..t).filter(|&row| !self.is_missing(row)).collect();
        self.two_missing = vec![0.0; self.n_slots * self.n_slots];
        // known rows that the missing cells of each slot are drawn from
        let drawn: Vec<Vec<usize>> = (0..self.n_slots)
            .map(|s| {
                let own: Vec<usize> = known
                    .iter()
                    .copied()
                    .filter(|&row| usize::from(self.slots[row]) == s)
                    .collect();
                if own.is_empty() { known.clone() } else { own }
            })
            .collect();
        match &self.cells {
            OtherCells::Numbers(values) => {
                self.one_missing =
                    drawn.iter().flat_map(|rows| expected_gaps(values, rows, weight)).collect();
                for (a, one) in self.one_missing.chunks_exact(t).enumerate() {
                    for (b, rows) in drawn.iter().enumerate() {
                        let total: f64 = rows.iter().map(|&row| weight(row)).sum();
                        let sum: f64 = rows.iter().map(|&row| weight(row) * one[row]).sum();
                        self.two_missing[a * self.n_slots + b] =
                            if total > 0.0 { sum / total } else { 0.0 };
                    }
                }
                // make the table symmetric to the bit
                for a in 0..self.n_slots {
                    for b in 0..a {
                        self.two_missing[a * self.n_slots + b] =
                            self.two_missing[b * self.n_slots + a];
                    }
                }
            }
            OtherCells::Codes { codes, levels } => {
                self.one_missing = vec![0.0; self.n_slots * levels];
                for (rows, shares) in drawn.iter().zip(self.one_missing.chunks_exact_mut(*levels)) {
                    rows.iter().for_each(|&row| shares[codes[row] as usize] += weight(row));
                    let total: f64 = shares.iter().sum();
                    shares.iter_mut().for_each(|s| *s /= total);
                }
                if !known.is_empty() {
                    for (at, two) in self.two_missing.iter_mut().enumerate() {
                        let shares = |slot: usize| &self.one_missing[slot * levels..][..*levels];
                        let (a, b) = (shares(at / self.n_slots), shares(at % self.n_slots));
                        *two = 1.0 - a.iter().zip(b).map(|(p, q)| p * q).sum::<f64>();
                    }
                }
            }
        }
    }
}

impl ExpectedColumn {
    /// Fill the tables by [`MissingGap::Largest`], the same for all classes.
    fn assume_largest(&mut self) {
        let (one, two) = match &self.cells {
            OtherCells::Numbers(values) => {
                let farthest = |&x: &f64| if x.is_nan() { 0.0 } else { x.max(1.0 - x) };
                (values.iter().map(farthest).collect(), 1.0)
            }
            OtherCells::Codes { levels, .. } => {
                let share = 1.0 / (*levels).max(1) as f64;
                (vec![share; *levels], 1.0 - share)
            }
        };
        self.one_missing = one.repeat(self.n_slots);
        self.two_missing = vec![two; self.n_slots * self.n_slots];
    }
}

/// Smallest and largest known number.
fn span(values: &[f64]) -> (f64, f64) {
    let known = || values.iter().copied().filter(|x| !x.is_nan());
    (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max))
}

/// For the value x of every row the weighted mean of `|x - y|` over the values y of `rows`; 0 where
/// x is missing. The y are sorted once, and each x reads running sums.
fn expected_gaps(values: &[f64], rows: &[usize], weight: &dyn Fn(usize) -> f64) -> Vec<f64> {
    let mut sorted: Vec<(f64, f64)> = rows.iter().map(|&row| (values[row], weight(row))).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut running = Vec::with_capacity(sorted.len() + 1);
    let (mut mass, mut sum) = (0.0, 0.0);
    running.push((mass, sum));
    for (y, w) in &sorted {
        (mass, sum) = (mass + w, sum + w * y);
        running.push((mass, sum));
    }
    let gap = |&x: &f64| {
        if x.is_nan() || mass <= 0.0 {
            return 0.0;
        }
        let (below, sum_below) = running[sorted.partition_point(|(y, _)| *y <= x)];
        ((x * below - sum_below + (sum - sum_below) - x * (mass - below)) / mass).max(0.0)
    };
    values.iter().map(gap).collect()
}

/// `values[order[0]], values[order[1]], ...`; empty if there are no values.
pub(super) fn take<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
    if values.is_empty() {
        return Vec::new();
    }
    order.iter().map(|&row| values[row as usize]).collect()
}
