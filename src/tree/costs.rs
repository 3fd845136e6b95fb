//! Cost matrices: a node predicts the class of least expected cost, not the most frequent one.
//!
//! `C[i, j]` is the cost of predicting class `j` for a row of class `i`, and `C[i, i] = 0`. A node
//! with class counts `n_i` predicts `argmin_j sum_i n_i C[i, j]`, the lower class on ties (Breiman,
//! Friedman, Olshen & Stone, CART, 1984, section 1.4; Elkan 2001). O(classes^2) per node. A cost
//! matrix does not change which splits are made; class weights do.

use super::Tree;
use crate::error::{Error, Result};

/// The largest cost that is allowed: so far below the largest double that costs of rows of any
/// weight have a finite sum.
const MOST_COST: f64 = 1e150;

/// A validated cost matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct CostMatrix {
    /// `cells[true class * classes + predicted class]`.
    cells: Vec<f64>,
    classes: usize,
}

impl CostMatrix {
    /// A matrix from its rows, which are true classes; columns are predicted classes.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the matrix is not square of `classes` rows, a cost is not within 0
    /// and [`MOST_COST`], or the diagonal is not 0.
    pub fn new(rows: &[Vec<f64>], classes: usize) -> Result<Self> {
        if rows.len() != classes || rows.iter().any(|r| r.len() != classes) {
            let shape = (rows.len(), rows.first().map_or(0, Vec::len));
            return Err(Error::parameter(
                "cost_matrix",
                format!("of shape {shape:?}"),
                format!("must have one row and one column per class, {classes} of each"),
            ));
        }
        for (i, row) in rows.iter().enumerate() {
            for (j, &cost) in row.iter().enumerate() {
                if !(0.0..=MOST_COST).contains(&cost) || (i == j && cost != 0.0) {
                    let rule = if i == j {
                        "must be 0: the class is right"
                    } else {
                        "must be a number from 0 to 1e150: divide all costs by a constant"
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

    /// Cost of predicting `label` for a row of a class. No prediction (-1) costs as much as the
    /// most expensive error of that class.
    pub fn row_cost(&self, class: usize, label: i32) -> f64 {
        let row = &self.cells[class * self.classes..(class + 1) * self.classes];
        match usize::try_from(label) {
            Ok(predicted) => row[predicted],
            Err(_) => row.iter().copied().fold(0.0, f64::max),
        }
    }

    /// The largest cost. A row of weight 1 costs no more, whatever is predicted for it; the exact
    /// search bounds by it how much the loss of a tree can rise. 0 if all costs are 0.
    pub fn largest(&self) -> f64 {
        self.cells.iter().copied().fold(0.0, f64::max)
    }

    /// Cost of predicting `label` for rows with these class counts. This is a sum over the rows,
    /// not a mean. A label of -1 costs each class its most expensive error.
    pub fn cost(&self, counts: &[f64], label: i32) -> f64 {
        counts.iter().enumerate().map(|(class, n)| n * self.row_cost(class, label)).sum()
    }

    /// The class of least expected cost for rows with these class counts; the lower one on ties.
    pub fn label(&self, counts: &[f64]) -> usize {
        let (mut cheapest, mut least) = (0, f64::INFINITY);
        for class in 0..self.classes {
            let cost = self.cost(counts, class as i32);
            if cost < least {
                (cheapest, least) = (class, cost);
            }
        }
        cheapest
    }
}

impl Tree {
    /// Give every node that has a label the class of least expected cost. A node without training
    /// rows takes the class of its nearest ancestor that has some. Nodes without a label, which
    /// predict nothing, keep it that way.
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
        assert_eq!(costs.cost(&[9.0, 2.0], 0), 10.0);
        assert_eq!(costs.cost(&[9.0, 2.0], 1), 9.0);
        assert_eq!((costs.label(&[9.0, 2.0]), costs.label(&[11.0, 2.0])), (1, 0));
        assert_eq!(costs.label(&[10.0, 2.0]), 0, "ties go to the lower class");
        assert_eq!(costs.cost(&[1.0, 1.0], -1), 6.0);
        for wrong in [
            vec![vec![0.0, 1.0]],
            vec![vec![0.0, 1.0], vec![-1.0, 0.0]],
            vec![vec![1.0, 1.0], vec![1.0, 0.0]],
        ] {
            assert!(CostMatrix::new(&wrong, 2).is_err());
        }
    }
}
