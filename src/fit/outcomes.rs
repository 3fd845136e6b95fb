//! The outcomes of nodes that moments do not tell: quantiles, losses around them, and terms of each
//! row.
//!
//! After growth the rows are sent down the tree, with their fractions where a missing value takes
//! several branches. Rows come by ascending target, so a node's quantile is where its cumulated
//! weight reaches the share. All sums are whole numbers of units, so they do not depend on the
//! order of the rows. Two passes, each O(rows x depth), and O(rows + nodes) of memory. Trees on
//! moments alone do not come here.

use super::FitPlan;
use crate::criteria::{Evidence, QuantileLoss};
use crate::data::{Dataset, Schema, Target, Weights};
use crate::error::Result;
use crate::parallel::Control;
use crate::predict::CompiledTree;
use crate::prune::PruneRows;
use crate::split::order::QuantileSums;
use crate::stats::{ExactMoments, Sum};
use crate::tree::{NONE, Outcome, Tree};

impl FitPlan {
    /// Complete the outcomes of a tree from its training rows, as they were given; a tree of
    /// classes has none.
    pub(super) fn complete_outcomes(
        &self,
        tree: &mut Tree,
        schema: &Schema,
        rows: &PruneRows<'_>,
        control: &Control,
    ) -> Result<()> {
        let Some(target) = rows.data.target().filter(|_| tree.is_regression()) else {
            return Ok(());
        };
        let below = match (self.criterion.evidence(), self.criterion.row_term()) {
            _ if self.config.target_bins.is_some() => Below::Moments,
            (Evidence::Order(loss), _) => Below::Quantile(loss),
            (_, Some(term)) => Below::Term(term),
            _ => return Ok(()),
        };
        if self.is_fractional() {
            tree.share_missing();
        }
        let compiled = CompiledTree::new(tree, schema)?;
        let mut sorted = rows.rows.to_vec();
        sorted.sort_unstable();
        let scale = rows.weights.units_of_fractions(&sorted);
        let sent = SentRows {
            compiled,
            data: rows.data,
            target,
            rows: sorted,
            weights: rows.weights,
            scale,
        };
        match below {
            Below::Quantile(loss) => sent.quantiles(tree, loss, control),
            Below::Term(term) => sent.terms(tree, term, control),
            Below::Moments => sent.moments(tree, control),
        }
    }
}

/// What the rows below a node add to its outcome.
enum Below {
    Quantile(QuantileLoss),
    Term(fn(f64) -> f64),
    /// All of it: the tree grew by classes.
    Moments,
}

/// Training rows, and the tree that they are sent down.
struct SentRows<'a> {
    compiled: CompiledTree,
    data: &'a Dataset,
    target: &'a Target,
    /// Ascending, hence by ascending target.
    rows: Vec<u32>,
    weights: &'a Weights,
    /// Units per weight of 1 ([`Weights::units_of_fractions`]).
    scale: f64,
}

/// Binary digits of a term of a row.
const TERM_DIGITS: f64 = 60.0;

/// Sums over the rows of a node, in units.
#[derive(Debug, Clone, Copy, Default)]
struct ReachedSums {
    weight: i64,
    /// Weight times number, or weight times term.
    sum: i128,
}

impl ReachedSums {
    fn add(&mut self, weight: i64, number: i64) {
        self.weight += weight;
        self.sum += i128::from(weight) * i128::from(number);
    }
}

/// Where the path of a row ends.
#[derive(Debug, Clone, Copy)]
struct PathEnd {
    node: u32,
    /// Weight of the row in its nodes, in units.
    weight: i64,
}

/// A quantile of a node, in units.
#[derive(Debug, Clone, Copy, Default)]
struct NodeQuantile {
    lower: i64,
    /// The next number, where the weight up to `lower` meets the share exactly.
    upper: Option<i64>,
    /// The next number is wanted.
    meets: bool,
    found: bool,
    /// Weight of the rows passed before `lower`, and with it.
    below: ReachedSums,
}

impl SentRows<'_> {
    /// Visit each node that each row reaches, with the weight that arrives there, in units.
    fn each(&self, control: &Control, visit: impl FnMut(usize, u32, i64)) -> Result<()> {
        let rows = PruneRows { data: self.data, rows: &self.rows, weights: self.weights };
        rows.sent_down(&self.compiled, control, visit).map(|_| ())
    }

    fn units(&self, row: u32) -> i64 {
        self.target.units()[row as usize]
    }

    /// Values that are quantiles, and impurities that are mean losses around them.
    fn quantiles(&self, tree: &mut Tree, loss: QuantileLoss, control: &Control) -> Result<()> {
        let n = tree.nodes.len();
        let mut all = vec![ReachedSums::default(); n];
        // The last node of each row, and the weight there: most rows take one path with all of it.
        let mut ends: Vec<PathEnd> = Vec::with_capacity(self.rows.len());
        let mut are_whole = true;
        self.each(control, |node, row, weight| {
            all[node].add(weight, self.units(row));
            let parent = tree.nodes[node].parent;
            match ends.last_mut().filter(|_| parent != NONE) {
                Some(end) => {
                    are_whole &= end.node == parent && end.weight == weight;
                    end.node = node as u32;
                }
                None => ends.push(PathEnd { node: node as u32, weight }),
            }
        })?;
        // The quantile is the first number up to which the weight reaches its share; where it meets
        // the share exactly, the midpoint of that number and the next.
        let mut quantiles = vec![NodeQuantile::default(); n];
        let mut pass = |node: usize, row: u32, weight: i64| {
            let own = &mut quantiles[node];
            if weight == 0 || (own.found && !own.meets) {
                return;
            }
            if own.found {
                (own.upper, own.meets) = (Some(self.units(row)), false);
                return;
            }
            let wanted = loss.quantile * all[node].weight as f64;
            let until = (own.below.weight + weight) as f64;
            if until >= wanted {
                (own.found, own.meets, own.lower) = (true, until == wanted, self.units(row));
            } else {
                own.below.add(weight, self.units(row));
            }
        };
        if are_whole {
            for (&row, &PathEnd { mut node, weight }) in self.rows.iter().zip(&ends) {
                while node != NONE {
                    pass(node as usize, row, weight);
                    node = tree.nodes[node as usize].parent;
                }
            }
        } else {
            self.each(control, pass)?;
        }
        let grid = self.target.grid();
        for (node, (all, own)) in all.iter().zip(&quantiles).enumerate() {
            if !own.found {
                continue;
            }
            let sums = QuantileSums {
                weight: i128::from(all.weight),
                sum: all.sum,
                below: i128::from(own.below.weight),
                sum_below: own.below.sum,
            };
            let units = (own.lower as f64 + own.upper.unwrap_or(own.lower) as f64) / 2.0;
            let outcome = &mut tree.outcomes[node];
            outcome.value = grid.number(units);
            outcome.impurity = sums.loss(own.lower, loss) / all.weight as f64 * grid.unit;
        }
        fill_empty(tree, |node| all[node].weight == 0);
        Ok(())
    }

    /// Means and variances, the variances as impurities too.
    fn moments(&self, tree: &mut Tree, control: &Control) -> Result<()> {
        let mut all = vec![ExactMoments::default(); tree.nodes.len()];
        self.each(control, |node, row, weight| {
            all[node] = all[node].plus(ExactMoments::of(weight, self.units(row)));
        })?;
        let grid = self.target.grid();
        for (sums, outcome) in all.iter().zip(&mut tree.outcomes) {
            let rows = sums.rounded(1.0 / self.scale);
            let variance = grid.variance(&rows);
            *outcome = Outcome { value: grid.number(rows.mean), impurity: variance, variance };
        }
        fill_empty(tree, |node| all[node].is_empty());
        Ok(())
    }

    /// Impurities with the mean of a term of each row.
    fn terms(&self, tree: &mut Tree, term: fn(f64) -> f64, control: &Control) -> Result<()> {
        let of_row = |row: u32| term(self.target.value(row));
        let largest = self.rows.iter().map(|&row| of_row(row).abs()).fold(0.0, f64::max);
        let digits = TERM_DIGITS - largest.max(f64::MIN_POSITIVE).log2().ceil();
        let unit = f64::powi(2.0, -(digits as i32));
        let mut all = vec![ReachedSums::default(); tree.nodes.len()];
        self.each(control, |node, row, weight| {
            all[node].add(weight, (of_row(row) / unit).round() as i64);
        })?;
        for (sums, outcome) in all.iter().zip(&mut tree.outcomes) {
            if sums.weight > 0 {
                let mean = sums.sum as f64 / sums.weight as f64 * unit;
                // Rounding may leave less than nothing.
                outcome.impurity = (outcome.impurity + mean).max(0.0);
            }
        }
        fill_empty(tree, |node| all[node].weight == 0);
        Ok(())
    }
}

/// Give nodes that no row reaches the value of their parents.
fn fill_empty(tree: &mut Tree, is_empty: impl Fn(usize) -> bool) {
    for node in 0..tree.nodes.len() {
        let parent = tree.nodes[node].parent;
        if is_empty(node) && parent != NONE {
            tree.outcomes[node] = Outcome::of_empty(tree.outcomes[parent as usize]);
        }
    }
}
