//! The training set of a network: columns and class as variables of codes, equal rows collapsed.
//!
//! The class is the last variable. Binned numbers and filled missing cells come from
//! [`crate::bayes::Input`]; a numeric column without cut points and a cell that is still missing
//! are refused. Equal rows become one row with their summed weight, sorted by their codes, so that
//! nothing below depends on the order of the rows, and a table of a few columns with few levels is
//! counted in as many steps as it has different rows.

use super::log_factorial::LogFactorials;
use crate::bayes::{Input, Reading};
use crate::data::{Dataset, Weights};
use crate::error::{Error, Result};

/// Largest number of variables of a network: their sets are bit masks.
pub const LARGEST: usize = 128;

/// A set of variables, one bit each.
pub type Set = u128;

/// The variables in a set, ascending.
pub fn members(set: Set) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let next = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            next
        })
    })
}

/// Codes of all variables by distinct row.
#[derive(Debug)]
pub struct Variables {
    /// Names of the columns, then of the class.
    pub names: Vec<String>,
    /// How the cells of the columns were read.
    pub readings: Vec<Reading>,
    /// Number of values of each variable.
    pub arities: Vec<usize>,
    /// Codes of each variable by distinct row.
    pub codes: Vec<Vec<u32>>,
    /// Weight of each distinct row.
    pub weights: Vec<f64>,
    /// Weight of all rows.
    pub total: f64,
    /// Logarithms of factorials of counts.
    pub logs: LogFactorials,
}

impl Variables {
    /// Read a training set; `cuts` of each numeric column. Missing cells take the most frequent
    /// value where `fill` says so.
    pub fn new(
        data: &Dataset,
        weights: &Weights,
        cuts: &[Option<Vec<f64>>],
        fill: bool,
    ) -> Result<Self> {
        let input = Input::new(data, weights, cuts, fill)?;
        let mut names: Vec<String> =
            data.schema().features.iter().map(|f| f.name.clone()).collect();
        names.push(data.schema().target.clone());
        let variables = names.len();
        if variables > LARGEST {
            return Err(Error::Data(format!(
                "a network of {variables} variables (the class is one of them): at most {LARGEST} \
                 are supported; select columns first"
            )));
        }
        let mut arities = Vec::with_capacity(variables);
        for (j, reading) in input.readings.iter().enumerate() {
            if *reading == Reading::Number {
                return Err(Error::Data(format!(
                    "column '{}' is numeric: a network needs bins; choose a discretiser",
                    names[j]
                )));
            }
            let arity = input.arity(j);
            if let Some(row) = input.codes[j].iter().position(|&c| c as usize >= arity) {
                return Err(Error::Data(format!(
                    "column '{}', row {}: the value is missing; a network counts complete rows: \
                     impute it, or choose missing='mode'",
                    names[j],
                    data.original()[row]
                )));
            }
            arities.push(arity.max(1));
        }
        arities.push(input.n_classes());
        let mut columns = input.codes;
        columns.push(input.classes.iter().map(|&c| u32::from(c)).collect());
        let (codes, weights) = collapsed(&columns, &input.weights, input.unit);
        let total: f64 = weights.iter().sum();
        let whole = weights.iter().all(|w| w.fract() == 0.0);
        let most = arities.iter().copied().max().unwrap_or(1);
        let logs = LogFactorials::up_to(if whole { total + most as f64 } else { most as f64 });
        Ok(Self { names, readings: input.readings, arities, codes, weights, total, logs })
    }

    /// Number of variables, the class among them.
    pub fn len(&self) -> usize {
        self.arities.len()
    }

    /// True without variables, which cannot be: there is always a class.
    pub fn is_empty(&self) -> bool {
        self.arities.is_empty()
    }

    /// Number of distinct rows.
    pub fn rows(&self) -> usize {
        self.weights.len()
    }

    /// Number of configurations of a set of variables, as a real number (it may be huge).
    pub fn configurations(&self, set: Set) -> f64 {
        members(set).map(|i| self.arities[i] as f64).product()
    }
}

/// Equal rows as one, ascending by their codes, with their summed weights.
fn collapsed(columns: &[Vec<u32>], weights: &[i64], unit: f64) -> (Vec<Vec<u32>>, Vec<f64>) {
    let mut rows: Vec<u32> = (0..weights.len() as u32).collect();
    let compare = |a: &u32, b: &u32| {
        columns
            .iter()
            .map(|c| c[*a as usize].cmp(&c[*b as usize]))
            .find(|o| o.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    };
    rows.sort_unstable_by(compare);
    let mut firsts: Vec<u32> = Vec::new();
    let mut sums: Vec<i64> = Vec::new();
    for &row in &rows {
        let weight = weights[row as usize];
        match (firsts.last(), sums.last_mut()) {
            (Some(last), Some(sum)) if compare(last, &row).is_eq() => *sum += weight,
            _ => {
                firsts.push(row);
                sums.push(weight);
            }
        }
    }
    let kept: Vec<usize> = (0..sums.len()).filter(|&i| sums[i] > 0).collect();
    let codes =
        columns.iter().map(|c| kept.iter().map(|&i| c[firsts[i] as usize]).collect()).collect();
    (codes, kept.iter().map(|&i| sums[i] as f64 * unit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_become_one_and_rows_of_weight_0_none() {
        let columns = vec![vec![1, 0, 1, 2], vec![0, 0, 0, 1]];
        let (codes, weights) = collapsed(&columns, &[1, 5, 2, 0], 0.5);
        assert_eq!(codes, [[0, 1], [0, 0]]);
        assert_eq!(weights, [2.5, 1.5]);
    }

    #[test]
    fn members_ascend() {
        assert_eq!(members(0b1011 | 1 << 127).collect::<Vec<_>>(), [0, 1, 3, 127]);
        assert_eq!(members(0).count(), 0);
    }
}
