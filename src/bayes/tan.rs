//! Tree-augmented naive Bayes: each feature depends on the class and at most one other feature.
//!
//! [`Tan::chow_liu`] (Friedman, Geiger & Goldszmidt 1997) takes the spanning tree with the largest
//! total conditional mutual information
//! `I(X_i; X_j | C) = sum n_abc/n log(n_abc n_c / (n_ac n_bc))`, from the rows in which both
//! features are known. Ties go to the lower pair of features; the tree is directed away from its
//! root. [`Tan::with_parents`] takes any forest, such as the one that the search of
//! [`wrapper`](super::wrapper) finds.
//!
//! Missing values are summed out: messages pass from the leaves of the tree to the roots, which
//! costs O(levels^2 x classes) per edge and is done for rows with missing values only. Other rows
//! cost O(features x classes).

use super::counts::{PairTable, check_pairs_size, feature_pairs, pair_tables, single_table};
use super::input::RowCells;
use super::naive::value_logs;
use super::{Input, Smoothing};
use crate::error::{Error, Result};
use crate::numeric::sort_few;
use crate::parallel::{self, Control};
use serde::{Deserialize, Serialize};

/// The classifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tan {
    #[serde(deserialize_with = "crate::json::via_value")]
    smoothing: Smoothing,
    /// Parent of each feature, `None` for a root.
    pub parents: Vec<Option<usize>>,
    /// Weight of each (value of the parent, value, class) by feature, missing values last; for a
    /// root of each (value, class).
    pub(super) counts: Vec<Vec<f64>>,
    /// Edges of the tree as (feature, feature, conditional mutual information in nats), strongest
    /// first; empty for a given forest.
    pub edges: Vec<(usize, usize, f64)>,
    #[serde(skip)]
    derived: TanTables,
}

/// Tables of logarithms, derived from the counts.
#[derive(Debug, Clone, PartialEq, Default)]
struct TanTables {
    /// Number of values of each feature.
    arities: Vec<usize>,
    /// `log P(class)`.
    log_prior: Vec<f64>,
    /// `log P(value | class, value of the parent)` by feature, at
    /// `[(value of the parent * (values + 1) + value) * classes + class]`; zeros for missing
    /// values.
    logs: Vec<Vec<f64>>,
    /// Features, parents before children.
    order: Vec<usize>,
}

/// `I(first; second | class)` in nats, from the rows in which both features are known.
pub fn conditional_mutual_information(table: &PairTable) -> f64 {
    let mut sum = 0.0;
    let mut total = 0.0;
    for c in 0..table.classes {
        let rows: Vec<f64> =
            (0..table.first).map(|a| (0..table.second).map(|b| table.at(a, b, c)).sum()).collect();
        let columns: Vec<f64> =
            (0..table.second).map(|b| (0..table.first).map(|a| table.at(a, b, c)).sum()).collect();
        let n: f64 = rows.iter().sum();
        total += n;
        for (a, row) in rows.iter().enumerate() {
            for (b, column) in columns.iter().enumerate() {
                let cell = table.at(a, b, c);
                if cell > 0.0 {
                    sum += cell * (cell * n / (row * column)).ln();
                }
            }
        }
    }
    if total > 0.0 { sum / total } else { 0.0 }
}

/// The maximum spanning tree of `p` features, by Kruskal's algorithm: edges (i, j, weight),
/// strongest first. `weights` has the weight of each pair i < j in lexicographic order; ties go to
/// the earlier pair.
pub fn spanning_tree(p: usize, weights: &[f64]) -> Vec<(usize, usize, f64)> {
    let pairs = feature_pairs(p);
    let mut pairs: Vec<(usize, usize, f64)> =
        pairs.iter().zip(weights).map(|(&(i, j), &w)| (i, j, w)).collect();
    sort_few(&mut pairs, &|a, b| b.2.total_cmp(&a.2));
    // an edge joins two groups of connected features
    let mut group: Vec<usize> = (0..p).collect();
    let mut tree = Vec::with_capacity(p.saturating_sub(1));
    for (i, j, w) in pairs {
        let (a, b) = (group[i], group[j]);
        if a != b {
            group.iter_mut().filter(|g| **g == b).for_each(|g| *g = a);
            tree.push((i, j, w));
        }
    }
    tree
}

/// The parent of each of `p` features if the tree with these edges is directed away from `root`.
fn parents_from_root(p: usize, edges: &[(usize, usize, f64)], root: usize) -> Vec<Option<usize>> {
    let mut parents = vec![None; p];
    let mut seen = vec![false; p];
    let mut open = vec![root];
    seen[root] = true;
    while let Some(at) = open.pop() {
        for &(i, j, _) in edges {
            let other = if i == at {
                j
            } else if j == at {
                i
            } else {
                continue;
            };
            if !seen[other] {
                seen[other] = true;
                parents[other] = Some(at);
                open.push(other);
            }
        }
    }
    parents
}

/// The features, parents before children; `None` if the parents form a cycle.
fn topological(parents: &[Option<usize>]) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = (0..parents.len()).filter(|&i| parents[i].is_none()).collect();
    let mut at = 0;
    while at < order.len() {
        let here = order[at];
        order.extend((0..parents.len()).filter(|&i| parents[i] == Some(here)));
        at += 1;
    }
    (order.len() == parents.len()).then_some(order)
}

impl Tan {
    /// The tree of Chow and Liu, directed away from `root` (by default the lower feature of the
    /// strongest edge). All pairs of features are counted, O(rows x features^2). Features that tell
    /// nothing about each other are joined, too: a tree spans all features.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a root that does not exist, [`Error::Data`] for too large tables,
    /// [`Error::Cancelled`].
    pub fn chow_liu(
        input: &Input,
        smoothing: Smoothing,
        root: Option<usize>,
        control: &Control,
    ) -> Result<Self> {
        let p = input.features();
        let weights =
            pair_tables(input, control, |_, _, table| Ok(conditional_mutual_information(&table)))?;
        let edges = spanning_tree(p, &weights);
        let root = root.unwrap_or_else(|| edges.first().map_or(0, |e| e.0));
        if root >= p {
            return Err(Error::parameter(
                "root",
                root,
                format!("there are {p} features, counted from 0"),
            ));
        }
        let mut model =
            Self::with_parents(input, smoothing, parents_from_root(p, &edges, root), control)?;
        model.edges = edges;
        Ok(model)
    }

    /// The classifier with the given parents, which must form a forest; its `edges` stay empty.
    /// Only the pairs of the forest are counted, in O(rows) each.
    ///
    /// # Errors
    /// [`Error::Model`] for parents that form a cycle, [`Error::Data`] for too large tables,
    /// [`Error::Cancelled`].
    pub fn with_parents(
        input: &Input,
        smoothing: Smoothing,
        parents: Vec<Option<usize>>,
        control: &Control,
    ) -> Result<Self> {
        let arities: Vec<usize> = (0..input.features()).map(|j| input.arity(j)).collect();
        for (j, parent) in parents.iter().enumerate() {
            if let Some(i) = *parent {
                check_pairs_size(&[arities[i], arities[j]], input.n_classes())?;
            }
        }
        let counts = parallel::map(control, parents.len(), &|j| {
            control.check()?;
            Ok(match parents[j] {
                Some(i) => PairTable::count(input, i, j).cells,
                None => single_table(input, j),
            })
        })?;
        let mut model =
            Self { smoothing, parents, counts, edges: Vec::new(), derived: TanTables::default() };
        model.restore(&arities, &input.class_counts)?;
        Ok(model)
    }

    /// Check all sizes, and make the tables of logarithms.
    pub(super) fn restore(&mut self, arities: &[usize], class_counts: &[f64]) -> Result<()> {
        let k = class_counts.len();
        let p = arities.len();
        let wrong = || Error::Model("sizes of a TAN model differ".into());
        if self.parents.len() != p
            || self.counts.len() != p
            || self.parents.iter().flatten().any(|&i| i >= p)
        {
            return Err(wrong());
        }
        self.smoothing.check()?;
        let order = topological(&self.parents)
            .ok_or_else(|| Error::Model("the parents of a TAN model form a cycle".into()))?;
        let mut logs = Vec::with_capacity(p);
        for (j, cells) in self.counts.iter().enumerate() {
            let values = arities[j];
            let blocks = self.parents[j].map_or(1, |i| arities[i] + 1);
            let size = (values + 1) * k;
            if cells.len() != blocks.saturating_mul(size) {
                return Err(wrong());
            }
            // a block per value of the parent; zeros where the parent is missing
            let mut all = Vec::with_capacity(cells.len());
            for (a, block) in cells.chunks_exact(size).enumerate() {
                if self.parents[j].is_some() && a + 1 == blocks {
                    all.resize(all.len() + size, 0.0);
                } else {
                    all.extend(value_logs(block, values, k, self.smoothing));
                }
            }
            logs.push(all);
        }
        let total: f64 = class_counts.iter().sum();
        let log_prior = class_counts.iter().map(|&c| self.smoothing.log(c, total, k)).collect();
        self.derived = TanTables { arities: arities.to_vec(), log_prior, logs, order };
        Ok(())
    }

    /// Logarithm of the joint probability of each class and the row.
    pub(crate) fn log_joint(&self, cells: &RowCells, out: &mut [f64], scratch: &mut Vec<f64>) {
        let k = out.len();
        let d = &self.derived;
        out.copy_from_slice(&d.log_prior);
        if cells.codes.iter().zip(&d.arities).any(|(&x, &v)| x == v) {
            self.sum_out(cells, out, scratch);
            return;
        }
        for (j, parent) in self.parents.iter().enumerate() {
            let a = parent.map_or(0, |i| cells.codes[i]);
            let row = &d.logs[j][(a * (d.arities[j] + 1) + cells.codes[j]) * k..][..k];
            out.iter_mut().zip(row).for_each(|(o, l)| *o += l);
        }
    }

    /// [`Self::log_joint`] of a row with missing values. Each feature sends a message to its
    /// parent: for each of its values the log probability of the known cells in the subtree of the
    /// feature.
    fn sum_out(&self, cells: &RowCells, out: &mut [f64], scratch: &mut Vec<f64>) {
        let k = out.len();
        let d = &self.derived;
        // scratch[starts[j] + value * k + class]: log P(known cells below j | j = value, class)
        let mut cells_before = 0;
        let mut starts = Vec::with_capacity(d.arities.len());
        for &arity in &d.arities {
            starts.push(cells_before);
            cells_before += arity * k;
        }
        scratch.clear();
        scratch.resize(cells_before, 0.0);
        for &j in d.order.iter().rev() {
            let values = d.arities[j];
            let known = (cells.codes[j] < values).then_some(cells.codes[j]);
            // values of the parent that get a message: only the parent's value if it is known
            let targets = match self.parents[j] {
                None => 0..1,
                Some(i) if cells.codes[i] < d.arities[i] => cells.codes[i]..cells.codes[i] + 1,
                Some(i) => 0..d.arities[i],
            };
            for a in targets {
                for c in 0..k {
                    let term = |x: usize| {
                        d.logs[j][(a * (values + 1) + x) * k + c] + scratch[starts[j] + x * k + c]
                    };
                    let message = match known {
                        Some(x) => term(x),
                        None if values == 0 => 0.0,
                        None => log_sum(values, term),
                    };
                    match self.parents[j] {
                        None => out[c] += message,
                        Some(i) => scratch[starts[i] + a * k + c] += message,
                    }
                }
            }
        }
    }
}

/// `log sum exp` of n terms.
fn log_sum(n: usize, term: impl Fn(usize) -> f64) -> f64 {
    let top = (0..n).map(&term).fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        return top; // all terms underflow
    }
    top + (0..n).map(|x| (term(x) - top).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_has_the_strongest_edges_that_close_no_circle() {
        // Pairs 01 02 03 12 13 23.
        let edges = spanning_tree(4, &[0.1, 0.5, 0.3, 0.5, 0.0, 0.3]);
        assert_eq!(edges.iter().map(|e| (e.0, e.1)).collect::<Vec<_>>(), [(0, 2), (1, 2), (0, 3)]);
        assert_eq!(parents_from_root(4, &edges, 1), [Some(2), None, Some(1), Some(0)]);
        assert_eq!(topological(&[Some(1), Some(0)]), None);
        assert!(spanning_tree(1, &[]).is_empty());
    }
}
