//! Rows with missing cells divided into fractions: one complete row per combination of values.
//!
//! A missing cell takes each value with its share among the known cells of the column, cells of one
//! row independently of each other. Weights are whole numbers of a smaller unit, and the fractions
//! of a row sum to its weight exactly, so that the order of the rows does not matter. A table over
//! columns that are known in a row counts that row unchanged. The number of rows grows with the
//! product of the numbers of values, hence the limit.

use crate::error::{Error, Result};
use crate::parallel::Control;

/// Most rows after the division.
const MOST_DIVIDED_ROWS: usize = 1 << 21;

/// Most halvings of the unit of weights.
const MOST_HALVINGS: u32 = 20;

/// Columns of codes with the weights of their rows.
pub struct CodeRows {
    /// Codes by column.
    pub columns: Vec<Vec<u32>>,
    /// Weight of each row, in units.
    pub weights: Vec<i64>,
    /// Weight of one unit.
    pub unit: f64,
}

/// A complete row that stands for a share of a row with missing cells.
struct Fraction {
    codes: Vec<u32>,
    share: f64,
}

impl CodeRows {
    /// Divide the rows with missing cells; a code not below the arity of its column is missing.
    /// `row_name` gives the number of a row for the message.
    ///
    /// # Errors
    /// [`Error::Data`] if more than 2^21 rows would result.
    pub fn divide_incomplete(
        self,
        arities: &[usize],
        row_name: impl Fn(usize) -> usize,
        control: &Control,
    ) -> Result<Self> {
        let missing_columns = |row: usize| {
            let cells = self.columns.iter().zip(arities).enumerate();
            cells.filter(move |(_, (codes, arity))| codes[row] as usize >= **arity).map(|(j, _)| j)
        };
        let shares: Vec<Vec<f64>> = self
            .columns
            .iter()
            .zip(arities)
            .map(|(codes, &arity)| self.shares(codes, arity))
            .collect();
        // a unit as fine as fits the sum of all weights
        let total: i64 = self.weights.iter().sum();
        let finer = MOST_HALVINGS.min(total.leading_zeros().saturating_sub(2));
        let mut found = Self {
            columns: vec![Vec::new(); self.columns.len()],
            weights: Vec::new(),
            unit: self.unit / f64::from(1_u32 << finer),
        };
        for row in 0..self.weights.len() {
            if row % 1024 == 0 {
                control.check()?;
            }
            let codes = self.columns.iter().map(|c| c[row]).collect();
            let mut fractions = vec![Fraction { codes, share: 1.0 }];
            for j in missing_columns(row) {
                let values = shares[j].iter().filter(|s| **s > 0.0).count();
                let product = fractions.len().saturating_mul(values);
                if found.weights.len() + product > MOST_DIVIDED_ROWS {
                    return Err(Error::Data(format!(
                        "row {}: with its missing cells by parts more than \
                         {MOST_DIVIDED_ROWS} rows would come of all; use missing='mode', or impute",
                        row_name(row)
                    )));
                }
                // each fraction once per value that occurs in the column
                fractions = fractions
                    .iter()
                    .flat_map(|fraction| {
                        let occurring = shares[j].iter().enumerate().filter(|(_, s)| **s > 0.0);
                        occurring.map(move |(value, share)| {
                            let mut codes = fraction.codes.clone();
                            codes[j] = value as u32;
                            Fraction { codes, share: fraction.share * share }
                        })
                    })
                    .collect();
            }
            found.push(fractions, self.weights[row] << finer);
        }
        Ok(found)
    }

    /// Share of each value among the known cells of a column; equal shares if none is known.
    fn shares(&self, codes: &[u32], arity: usize) -> Vec<f64> {
        let mut sums = vec![0_i64; arity];
        for (&x, w) in codes.iter().zip(&self.weights) {
            if let Some(sum) = sums.get_mut(x as usize) {
                *sum += w;
            }
        }
        let total: i64 = sums.iter().sum();
        if total == 0 {
            let values = arity.max(1);
            return vec![1.0 / values as f64; values];
        }
        sums.iter().map(|&s| s as f64 / total as f64).collect()
    }

    /// Append the fractions of a row of this weight; the remainder of rounding down goes to the
    /// first.
    fn push(&mut self, fractions: Vec<Fraction>, weight: i64) {
        let first = self.weights.len();
        let mut left = weight;
        for Fraction { codes, share } in fractions {
            let own = ((weight as f64 * share).floor() as i64).min(left);
            left -= own;
            self.weights.push(own);
            self.columns.iter_mut().zip(codes).for_each(|(c, x)| c.push(x));
        }
        self.weights[first] += left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_sum_to_the_row_and_follow_the_known_shares() {
        let rows = CodeRows {
            columns: vec![vec![0, 0, 1, 2], vec![1, 2, 0, 2]],
            weights: vec![1, 1, 2, 4],
            unit: 1.0,
        };
        let found = rows.divide_incomplete(&[2, 2], |row| row, &Control::new(1)).unwrap();
        let total: f64 = found.weights.iter().map(|&w| w as f64 * found.unit).sum();
        assert_eq!(total, 8.0);
        // the last row has two missing cells: the first is 0 or 1 with equal shares, the second is
        // 1 with the share 1/3
        let weights: Vec<f64> = found.weights.iter().map(|&w| w as f64 * found.unit).collect();
        assert_eq!(weights.len(), 1 + 2 + 1 + 4);
        assert_eq!(found.columns[0][4..], [0, 0, 1, 1]);
        assert_eq!(found.columns[1][4..], [0, 1, 0, 1]);
        for (own, share) in weights[4..].iter().zip([1.0 / 3.0, 1.0 / 6.0, 1.0 / 3.0, 1.0 / 6.0]) {
            assert!((own - 4.0 * share).abs() < 1e-5);
        }
    }

    #[test]
    fn too_many_fractions_are_refused() {
        let rows = CodeRows { columns: vec![vec![0, 1, 9]; 30], weights: vec![1; 3], unit: 1.0 };
        let error =
            rows.divide_incomplete(&[4; 30], |row| row + 7, &Control::new(1)).err().unwrap();
        assert!(error.to_string().contains("row 9"), "{error}");
    }
}
