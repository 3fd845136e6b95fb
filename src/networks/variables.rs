//! The training set of a network: columns and class as coded variables, equal rows merged.
//!
//! The class is the last variable. Numbers are binned and missing cells filled by
//! [`crate::bayes::Input`]; a numeric column without cut points is refused, and so is a missing
//! cell unless rows are divided into fractions ([`super::missing`]). Equal rows become one row with
//! their summed weight, sorted by their codes, so that results do not depend on the order of the
//! rows. A table over columns with few levels is then counted in as many steps as there are
//! distinct rows.

use super::log_factorial::LogFactorials;
use super::missing::CodeRows;
use crate::bayes::{FeatureReading, Input};
use crate::data::{Dataset, Weights};
use crate::error::{Error, Result};
use crate::parallel::Control;
use serde::{Deserialize, Serialize};

/// Largest number of variables of a network: their sets are bit masks.
pub const MOST_VARIABLES: usize = 128;

/// A set of variables, one bit each.
pub type VarSet = u128;

/// The variables in a set, ascending. Each step clears the lowest bit, so it costs O(members), not
/// a look at all 128 bits.
pub fn set_members(set: VarSet) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let next = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            next
        })
    })
}

/// The treatment of missing cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingCells {
    /// Refused with an error.
    Error,
    /// Replaced by the most frequent value.
    Mode,
    /// The row is divided into fractions, by the shares of the known values.
    Parts,
}

/// The distinct rows of a training set.
#[derive(Debug)]
pub struct Variables {
    /// Names of the columns, then of the class.
    pub names: Vec<String>,
    /// How the cells of the columns were read.
    pub readings: Vec<FeatureReading>,
    /// Number of values of each variable.
    pub arities: Vec<usize>,
    /// Codes of each variable by distinct row.
    pub codes: Vec<Vec<u32>>,
    /// Weight of each distinct row.
    pub weights: Vec<f64>,
    /// Weight of all rows together.
    pub total: f64,
    /// `ln x!` for counts of these rows.
    pub logs: LogFactorials,
}

impl Variables {
    /// Read a training set; `cuts` has the cut points of each numeric column.
    ///
    /// # Errors
    /// [`Error::Data`] for more than [`MOST_VARIABLES`] variables, a number without cut points, or
    /// a missing cell if `missing` is [`MissingCells::Error`].
    pub fn new(
        data: &Dataset,
        weights: &Weights,
        cuts: &[Option<Vec<f64>>],
        missing: MissingCells,
        control: &Control,
    ) -> Result<Self> {
        let input = Input::new(data, weights, cuts, missing == MissingCells::Mode)?;
        let mut names: Vec<String> =
            data.schema().features.iter().map(|f| f.name.clone()).collect();
        names.push(data.schema().target.clone());
        let variables = names.len();
        if variables > MOST_VARIABLES {
            return Err(Error::Data(format!(
                "a network of {variables} variables (the class is one of them): at most \
                 {MOST_VARIABLES} are supported; select columns first"
            )));
        }
        // numbers of values, with the checks of each column
        let mut arities = Vec::with_capacity(variables);
        for (j, reading) in input.readings.iter().enumerate() {
            if *reading == FeatureReading::Number {
                return Err(Error::Data(format!(
                    "column '{}' is numeric: a network needs bins; choose a discretiser",
                    names[j]
                )));
            }
            let arity = input.arity(j);
            if missing != MissingCells::Parts
                && let Some(row) = input.codes[j].iter().position(|&c| c as usize >= arity)
            {
                return Err(Error::Data(format!(
                    "column '{}', row {}: the value is missing; a network counts complete rows: \
                     impute it, or choose missing='mode' or 'parts'",
                    names[j],
                    data.original()[row]
                )));
            }
            arities.push(arity.max(1));
        }
        arities.push(input.n_classes());
        // codes with the class as the last column, without missing cells, equal rows merged
        let mut columns = input.codes;
        columns.push(input.classes.iter().map(|&c| u32::from(c)).collect());
        let mut rows = CodeRows { columns, weights: input.weights, unit: input.unit };
        let has_missing =
            |(codes, arity): (&Vec<u32>, &usize)| codes.iter().any(|&code| code as usize >= *arity);
        if rows.columns.iter().zip(&arities).any(has_missing) {
            rows =
                rows.divide_incomplete(&arities, |row| data.original()[row] as usize, control)?;
        }
        let (codes, weights) = merge_equal_rows(&rows, &arities, control)?;
        let total: f64 = weights.iter().sum();
        // factorials of whole counts come from a table
        let whole = weights.iter().all(|w| w.fract() == 0.0);
        let most = arities.iter().copied().max().unwrap_or(1);
        let logs = LogFactorials::with_table(if whole { total + most as f64 } else { most as f64 });
        Ok(Self { names, readings: input.readings, arities, codes, weights, total, logs })
    }

    /// Number of variables: the columns, and the class, which is the last one. At least 1, at most
    /// [`MOST_VARIABLES`].
    pub fn len(&self) -> usize {
        self.arities.len()
    }

    /// Always false: there is at least the class.
    pub fn is_empty(&self) -> bool {
        self.arities.is_empty()
    }

    /// Number of distinct rows of positive weight, after missing cells were replaced or divided.
    /// The cost of counting a table grows with it, however often a row occurs.
    pub fn n_distinct_rows(&self) -> usize {
        self.weights.len()
    }

    /// Number of configurations of a set of variables; it may exceed any integer type.
    pub fn configurations(&self, set: VarSet) -> f64 {
        set_members(set).map(|i| self.arities[i] as f64).product()
    }
}

/// Merge equal rows: the codes of the distinct rows by column, ascending, and their summed weights.
fn merge_equal_rows(
    rows: &CodeRows,
    arities: &[usize],
    control: &Control,
) -> Result<(Vec<Vec<u32>>, Vec<f64>)> {
    let CodeRows { columns, weights, unit } = rows;
    let order = sort_rows(columns, arities, weights.len(), control)?;
    // the first of each run of equal rows, with the sum of the run
    let mut firsts: Vec<u32> = Vec::new();
    let mut sums: Vec<i64> = Vec::new();
    for &row in &order {
        let weight = weights[row as usize];
        let same = |last: &u32| columns.iter().all(|c| c[*last as usize] == c[row as usize]);
        match (firsts.last(), sums.last_mut()) {
            (Some(last), Some(sum)) if same(last) => *sum += weight,
            _ => {
                firsts.push(row);
                sums.push(weight);
            }
        }
    }
    control.check()?;
    // rows of weight 0 go
    let kept: Vec<usize> = (0..sums.len()).filter(|&i| sums[i] > 0).collect();
    let codes =
        columns.iter().map(|c| kept.iter().map(|&i| c[firsts[i] as usize]).collect()).collect();
    Ok((codes, kept.iter().map(|&i| sums[i] as f64 * unit).collect()))
}

/// Row numbers in ascending order of their codes, the first column being the most significant: a
/// radix sort, that is a stable counting sort by each column from the last to the first.
fn sort_rows(
    columns: &[Vec<u32>],
    arities: &[usize],
    rows: usize,
    control: &Control,
) -> Result<Vec<u32>> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    let mut next = vec![0; rows];
    for (column, &arity) in columns.iter().zip(arities).rev() {
        control.check()?;
        let mut starts = vec![0_u32; arity.max(1) + 1];
        column.iter().for_each(|&code| starts[code as usize + 1] += 1);
        for code in 0..starts.len() - 1 {
            starts[code + 1] += starts[code];
        }
        for &row in &order {
            let start = &mut starts[column[row as usize] as usize];
            next[*start as usize] = row;
            *start += 1;
        }
        std::mem::swap(&mut order, &mut next);
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_become_one_and_rows_of_weight_0_none() {
        let columns = vec![vec![1, 0, 1, 2], vec![0, 0, 0, 1]];
        let rows = CodeRows { columns, weights: vec![1, 5, 2, 0], unit: 0.5 };
        let (codes, weights) = merge_equal_rows(&rows, &[3, 2], &Control::new(1)).unwrap();
        assert_eq!(codes, [[0, 1], [0, 0]]);
        assert_eq!(weights, [2.5, 1.5]);
    }

    #[test]
    fn members_ascend() {
        assert_eq!(set_members(0b1011 | 1 << 127).collect::<Vec<_>>(), [0, 1, 3, 127]);
        assert_eq!(set_members(0).count(), 0);
    }
}
