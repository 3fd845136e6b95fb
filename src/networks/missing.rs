//! Missing cells by parts: a row stands for all values that its missing cells could have.
//!
//! Each missing cell takes every value with the share of that value among the known cells of its
//! column, cells of one row independently; a row with several becomes their product. Weights are
//! whole numbers of a smaller unit, and the parts of a row sum to its weight exactly, so that the
//! order of rows changes nothing. A table over columns that are known in a row counts that row as
//! it is.

use crate::error::{Error, Result};
use crate::parallel::Control;

/// Rows that may come of all.
const LARGEST: usize = 1 << 21;

/// Halvings of the unit of weights, at most.
const FINEST: u32 = 20;

/// Columns of codes with the weights of their rows.
pub struct CodeRows {
    /// Codes by column.
    pub columns: Vec<Vec<u32>>,
    /// Weight of each row, in units.
    pub weights: Vec<i64>,
    /// The unit.
    pub unit: f64,
}

impl CodeRows {
    /// The rows without missing cells; a code that is not below its column's arity is missing.
    /// `name_of` a row is used in the message.
    pub fn by_parts(
        self,
        arities: &[usize],
        name_of: impl Fn(usize) -> usize,
        control: &Control,
    ) -> Result<Self> {
        let gone = |row: usize| {
            let cells = self.columns.iter().zip(arities).enumerate();
            cells.filter(move |(_, (c, v))| c[row] as usize >= **v).map(|(j, _)| j)
        };
        let shares: Vec<Vec<f64>> =
            self.columns.iter().zip(arities).map(|p| self.share(p)).collect();
        let total: i64 = self.weights.iter().sum();
        let finer = FINEST.min(total.leading_zeros().saturating_sub(2));
        let mut found = Self {
            columns: vec![Vec::new(); self.columns.len()],
            weights: Vec::new(),
            unit: self.unit / f64::from(1_u32 << finer),
        };
        for row in 0..self.weights.len() {
            if row % 1024 == 0 {
                control.check()?;
            }
            let mut parts: Vec<(Vec<u32>, f64)> =
                vec![(self.columns.iter().map(|c| c[row]).collect(), 1.0)];
            for j in gone(row) {
                let values = shares[j].iter().filter(|s| **s > 0.0).count();
                let many = parts.len().saturating_mul(values);
                if found.weights.len() + many > LARGEST {
                    return Err(Error::Data(format!(
                        "row {}: with its missing cells by parts more than {LARGEST} rows would \
                         come of all; use missing='mode', or impute",
                        name_of(row)
                    )));
                }
                parts = parts
                    .iter()
                    .flat_map(|(cells, share)| {
                        let known = shares[j].iter().enumerate().filter(|(_, s)| **s > 0.0);
                        known.map(move |(x, s)| {
                            let mut own = cells.clone();
                            own[j] = x as u32;
                            (own, share * s)
                        })
                    })
                    .collect();
            }
            found.push(parts, self.weights[row] << finer);
        }
        Ok(found)
    }

    /// Shares of the values of a column among its known cells; equal ones where none is known.
    fn share(&self, (column, &arity): (&Vec<u32>, &usize)) -> Vec<f64> {
        let mut sums = vec![0_i64; arity];
        for (&x, w) in column.iter().zip(&self.weights) {
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

    /// The parts of a row; what rounding leaves goes to the first.
    fn push(&mut self, parts: Vec<(Vec<u32>, f64)>, weight: i64) {
        let first = self.weights.len();
        let mut left = weight;
        for (cells, share) in parts {
            let own = ((weight as f64 * share).floor() as i64).min(left);
            left -= own;
            self.weights.push(own);
            self.columns.iter_mut().zip(cells).for_each(|(c, x)| c.push(x));
        }
        self.weights[first] += left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_sum_to_the_row_and_follow_the_known_shares() {
        let rows = CodeRows {
            columns: vec![vec![0, 0, 1, 2], vec![1, 2, 0, 2]],
            weights: vec![1, 1, 2, 4],
            unit: 1.0,
        };
        let found = rows.by_parts(&[2, 2], |row| row, &Control::new(1)).unwrap();
        let total: f64 = found.weights.iter().map(|&w| w as f64 * found.unit).sum();
        assert_eq!(total, 8.0);
        // the last row: two cells, of which the first is 0 and 1 half and half, the second 1 in 1/3
        let weights: Vec<f64> = found.weights.iter().map(|&w| w as f64 * found.unit).collect();
        assert_eq!(weights.len(), 1 + 2 + 1 + 4);
        assert_eq!(found.columns[0][4..], [0, 0, 1, 1]);
        assert_eq!(found.columns[1][4..], [0, 1, 0, 1]);
        for (own, share) in weights[4..].iter().zip([1.0 / 3.0, 1.0 / 6.0, 1.0 / 3.0, 1.0 / 6.0]) {
            assert!((own - 4.0 * share).abs() < 1e-5);
        }
    }

    #[test]
    fn too_many_parts_are_refused() {
        let rows = CodeRows { columns: vec![vec![0, 1, 9]; 30], weights: vec![1; 3], unit: 1.0 };
        let error = rows.by_parts(&[4; 30], |row| row + 7, &Control::new(1)).err().unwrap();
        assert!(error.to_string().contains("row 9"), "{error}");
    }
}
