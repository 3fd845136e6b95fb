//! What errors cost: the class that a node predicts is then the cheapest one, not the most
//! frequent.
//!
//! `C[i, j]` = cost of predicting j where the class is i, `C[i, i] = 0`. A node with class counts
//! `n_i` predicts `argmin_j sum_i n_i C[i, j]`, the lower class on ties (Breiman, Friedman, Olshen
//! & Stone 1984, section 1.4; Elkan 2001). CostMatrix do not change which splits are made: that is
//! what altered class weights are for.

use super::Tree;
use crate::error::{Error, Result};

/// A cost matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct CostMatrix {
    /// `[true * classes + predicted]`.
    cells: Vec<f64>,
    classes: usize,
}

impl CostMatrix {
    /// Rows are true classes, columns predictions.
    pub fn new(rows: &[Vec<f64>], classes: usize) -> Result<Self> {
        if rows.len() != classes || rows.iter().any(|r| r.len() != classes) {
            let shape = (rows.len(), rows.first().map_or(0, Vec::len));
            return Err(Error::parameter(
                "cost_matrix",
                format!("of shape {shape:?}"),
                format!("must have one row and one column a class, {classes} of them"),
            ));
        }
        for (i, row) in rows.iter().enumerate() {
            for (j, &cost) in row.iter().enumerate() {
                if !(cost >= 0.0 && cost.is_finite()) || (i == j && cost != 0.0) {
                    let rule = if i == j {
                        "must be 0: the class is right"
                    } else {
                        "must be a number >= 0"
                    };
                    return Err(Error::parameter(
                        "cost_matrix",
                        format!("[{i}, {j}] = {cost}"),
                        rule,
                    ));
                }
            }
        }
        Ok(Self { cells: rows.concat(), classes })
    }

    /// Cost of predicting `label` (-1: nothing, the class's dearest error) for a row of a class.
    pub fn one(&self, class: usize, label: i32) -> f64 {
        let row = &self.cells[class * self.classes..(class + 1) * self.classes];
        match usize::try_from(label) {
            Ok(j) => row[j],
            Err(_) => row.iter().fold(0.0, |a: f64, &cost| a.max(cost)),
        }
    }

    /// Cost of predicting `label` for rows with these class counts.
    pub fn of(&self, counts: &[f64], label: i32) -> f64 {
        counts.iter().enumerate().map(|(class, n)| n * self.one(class, label)).sum()
    }

    /// The cheapest class; the lower one on ties.
    pub fn label(&self, counts: &[f64]) -> usize {
        let mut best = (0, f64::INFINITY);
        for j in 0..self.classes {
            let cost = self.of(counts, j as i32);
            if cost < best.1 {
                best = (j, cost);
            }
        }
        best.0
    }
}

impl Tree {
    /// Every node that predicts something predicts the cheapest class of its evidence.
    pub fn relabel(&mut self, costs: &CostMatrix) {
        for node in 0..self.nodes.len() {
            if self.nodes[node].label >= 0 {
                self.nodes[node].label = costs.label(self.evidence(node)) as i32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_class_is_predicted() {
        let costs = CostMatrix::new(&[vec![0.0, 1.0], vec![5.0, 0.0]], 2).unwrap();
        assert_eq!(costs.of(&[9.0, 2.0], 0), 10.0);
        assert_eq!(costs.of(&[9.0, 2.0], 1), 9.0);
        assert_eq!((costs.label(&[9.0, 2.0]), costs.label(&[11.0, 2.0])), (1, 0));
        assert_eq!(costs.label(&[10.0, 2.0]), 0, "ties go to the lower class");
        assert_eq!(costs.of(&[1.0, 1.0], -1), 6.0);
        for wrong in [
            vec![vec![0.0, 1.0]],
            vec![vec![0.0, 1.0], vec![-1.0, 0.0]],
            vec![vec![1.0, 1.0], vec![1.0, 0.0]],
        ] {
            assert!(CostMatrix::new(&wrong, 2).is_err());
        }
    }
}
