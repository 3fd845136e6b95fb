//! The outcomes of nodes from the numbers of their rows as given: means, quantiles, impurities.
//!
//! Growth sums numbers that are rounded to a grid. After it, the rows are sent down the tree, with
//! their fractions where a missing value takes several branches, and each leaf sums its numbers as
//! they were given, in twice the digits of a double, by ascending number. Inner nodes add up what
//! their children have: the sum of the divergences of rows from their mean is that of the children,
//! plus the divergence of each child's mean, by its weight (the decomposition of Bregman
//! divergences; of squares it is Chan, Golub & LeVeque's). Where all numbers are on the grid,
//! growth has summed them already.
//!
//! Rows come by ascending target, so a node's quantile is where its cumulated weight reaches the
//! share. Losses around it are sums of whole numbers, on a grid of the node's own range. No result
//! depends on the order of the rows. O(rows x depth) and O(rows + nodes) of memory.

use super::FitPlan;
use crate::criteria::{Criterion, Evidence, QuantileLoss};
use crate::data::{Dataset, Schema, Target, TargetGrid, Weights};
use crate::error::Result;
use crate::numeric::Moments;
use crate::parallel::Control;
use crate::predict::CompiledTree;
use crate::prune::PruneRows;
use crate::split::order::QuantileSums;
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
        let loss = match self.criterion.evidence() {
            Evidence::Order(loss) => Some(loss),
            _ => None,
        };
        // Sums on the grid are those of numbers that are on it.
        let by_classes = self.config.target_bins.is_some();
        let needs_rows = by_classes || loss.is_some() || self.criterion.averages_divergences();
        if target.is_exact() && !needs_rows {
            return Ok(());
        }
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
        if loss.is_none() || by_classes || !target.is_exact() {
            sent.means(tree, self.criterion.as_ref(), control)?;
        }
        if let Some(constraints) = &self.limits().constraints {
            keep_order(tree, &constraints.signs);
        }
        match loss.filter(|_| !by_classes) {
            Some(loss) => sent.quantiles(tree, loss, control),
            None => Ok(()),
        }
    }
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

/// Sums over the rows of a node; weights are in units.
#[derive(Debug, Clone, Copy, Default)]
struct OutcomeSums {
    weight: i64,
    /// Weights times numbers, and what this sum lacks for twice the digits of a double.
    sum: [f64; 2],
    mean: f64,
    /// The mean of twice the digits less `mean`.
    rest: f64,
    /// Weights times divergences from the mean, and times squared differences from it.
    spread: [f64; 2],
    /// The last number that was passed, and the weight of its rows so far.
    last: (f64, i64),
}

impl OutcomeSums {
    /// Add a number of twice the digits to the sum.
    fn add(&mut self, [high, low]: [f64; 2]) {
        let sum = self.sum[0] + high;
        let part = sum - self.sum[0];
        let low = (self.sum[0] - (sum - part)) + (high - part) + (self.sum[1] + low);
        let high = sum + low;
        self.sum = [high, low - (high - sum)];
    }

    /// Round the mean.
    fn settle(&mut self) {
        let weight = self.weight.max(1) as f64;
        self.mean = self.sum[0] / weight;
        for _ in 0..2 {
            self.mean += self.rest;
            let [high, low] = product(self.mean, self.weight);
            self.rest = ((self.sum[0] - high) + (self.sum[1] - low)) / weight;
        }
    }

    /// Pass a row. Rows of one number are taken together, so that their order does not matter: the
    /// number before and its weight are returned, where this is another.
    fn pass(&mut self, number: f64, weight: i64) -> Option<(f64, i64)> {
        if number == self.last.0 {
            self.last.1 += weight;
            return None;
        }
        Some(std::mem::replace(&mut self.last, (number, weight)))
    }

    /// Add rows to the spread, given the difference of their number from `mean`.
    fn spread_out(&mut self, criterion: Option<&dyn Criterion>, difference: f64, weight: i64) {
        if let Some(criterion) = criterion {
            self.spread[0] += weight as f64 * criterion.divergence(difference, self.mean);
        }
        self.spread[1] += weight as f64 * (difference * difference);
    }
}

/// A product, and what it lacks for twice the digits.
fn product(number: f64, weight: i64) -> [f64; 2] {
    let high = number * weight as f64;
    // Times a power of two, none.
    let is_exact = weight & (weight - 1) == 0;
    [high, if is_exact { 0.0 } else { number.mul_add(weight as f64, -high) }]
}

/// Sums over the rows of a node up to some number, in units of weight and of the node's grid.
#[derive(Debug, Clone, Copy, Default)]
struct ReachedSums {
    weight: i64,
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

/// A quantile of a node.
#[derive(Debug, Clone, Copy, Default)]
struct NodeQuantile {
    lower: f64,
    /// The next number, where the weight up to `lower` meets the share exactly.
    upper: Option<f64>,
    /// The next number is wanted.
    meets: bool,
    found: bool,
    /// The rows passed before `lower`, and all rows.
    below: ReachedSums,
    all: ReachedSums,
}

impl SentRows<'_> {
    /// Visit each node that each row reaches, with the weight that arrives there, in units.
    fn each(&self, control: &Control, visit: impl FnMut(usize, u32, i64, bool)) -> Result<()> {
        let rows = PruneRows { data: self.data, rows: &self.rows, weights: self.weights };
        rows.sent_down(&self.compiled, control, visit).map(|_| ())
    }

    /// Means and variances, and the impurities that follow from these or average divergences.
    fn means(&self, tree: &mut Tree, criterion: &dyn Criterion, control: &Control) -> Result<()> {
        let mut all = vec![OutcomeSums::default(); tree.nodes.len()];
        let mut ends: Vec<(u32, PathEnd)> = Vec::with_capacity(self.rows.len());
        self.each(control, |node, row, weight, is_leaf| {
            if is_leaf {
                let own = &mut all[node];
                own.weight += weight;
                if let Some((number, weight)) = own.pass(self.target.value(row), weight) {
                    own.add(product(number, weight));
                }
                ends.push((row, PathEnd { node: node as u32, weight }));
            }
        })?;
        // Children have larger numbers than their parents.
        for i in (0..all.len()).rev() {
            let (above, below) = all.split_at_mut(i);
            let own = &mut below[0];
            let (number, weight) = std::mem::take(&mut own.last);
            own.add(product(number, weight));
            own.settle();
            if let Some(parent) = above.get_mut(tree.nodes[i].parent as usize) {
                parent.weight += own.weight;
                parent.add(own.sum);
            }
        }
        let divergent = criterion.averages_divergences().then_some(criterion);
        for (row, PathEnd { node, weight }) in ends {
            let own = &mut all[node as usize];
            if let Some((number, weight)) = own.pass(self.target.value(row), weight) {
                own.spread_out(divergent, number - own.mean, weight);
            }
        }
        for i in (0..all.len()).rev() {
            let (above, below) = all.split_at_mut(i);
            let own = &mut below[0];
            if tree.is_leaf(i) {
                let (number, weight) = own.last;
                own.spread_out(divergent, number - own.mean, weight);
                own.spread_out(divergent, own.rest, -own.weight);
            }
            if let Some(parent) = above.get_mut(tree.nodes[i].parent as usize) {
                let difference = (own.mean - parent.mean) + (own.rest - parent.rest);
                parent.spread_out(divergent, difference, own.weight);
                parent.spread.iter_mut().zip(own.spread).for_each(|(sum, own)| *sum += own);
            }
        }
        for (own, outcome) in all.iter().zip(&mut tree.outcomes) {
            let [divergence, variance] = own.spread.map(|sum| sum.max(0.0) / own.weight as f64);
            let (weight, grid) = (own.weight as f64 / self.scale, TargetGrid::ONE);
            let moments = Moments { weight, mean: 0.0, deviation: variance * weight };
            let impurity = match criterion.averages_divergences() {
                true => divergence,
                false => criterion.outcome(&moments, grid).impurity,
            };
            *outcome = Outcome { value: own.mean, impurity, variance };
        }
        fill_empty(tree, |node| all[node].weight == 0);
        Ok(())
    }

    /// Values that are quantiles, and impurities that are mean losses around them.
    fn quantiles(&self, tree: &mut Tree, loss: QuantileLoss, control: &Control) -> Result<()> {
        let n = tree.nodes.len();
        let (mut weights, mut ranges) = (vec![0; n], vec![None; n]);
        // The last node of each row, and the weight there: most rows take one path with all of it.
        let mut ends: Vec<PathEnd> = Vec::with_capacity(self.rows.len());
        let mut are_whole = true;
        self.each(control, |node, row, weight, _| {
            weights[node] += weight;
            let number = self.target.value(row);
            ranges[node].get_or_insert((number, number)).1 = number;
            let parent = tree.nodes[node].parent;
            match ends.last_mut().filter(|_| parent != NONE) {
                Some(end) => {
                    are_whole &= end.node == parent && end.weight == weight;
                    end.node = node as u32;
                }
                None => ends.push(PathEnd { node: node as u32, weight }),
            }
        })?;
        let grids: Vec<TargetGrid> = ranges
            .into_iter()
            .map(|range| {
                range.map_or(TargetGrid::ONE, |(low, high)| TargetGrid::between(low, high))
            })
            .collect();
        // The quantile is the first number up to which the weight reaches its share; where it meets
        // the share exactly, the midpoint of that number and the next.
        let mut quantiles = vec![NodeQuantile::default(); n];
        let mut pass = |node: usize, row: u32, weight: i64, _: bool| {
            let (own, number) = (&mut quantiles[node], self.target.value(row));
            let units = grids[node].units(number);
            own.all.add(weight, units);
            if weight == 0 || (own.found && !own.meets) {
                return;
            }
            if own.found {
                (own.upper, own.meets) = (Some(number), false);
                return;
            }
            let wanted = loss.quantile * weights[node] as f64;
            let until = (own.below.weight + weight) as f64;
            if until >= wanted {
                (own.found, own.meets, own.lower) = (true, until == wanted, number);
            } else {
                own.below.add(weight, units);
            }
        };
        if are_whole {
            for (&row, &PathEnd { mut node, weight }) in self.rows.iter().zip(&ends) {
                while node != NONE {
                    pass(node as usize, row, weight, false);
                    node = tree.nodes[node as usize].parent;
                }
            }
        } else {
            self.each(control, pass)?;
        }
        for ((own, grid), outcome) in quantiles.iter().zip(grids).zip(&mut tree.outcomes) {
            if !own.found {
                continue;
            }
            let sums = QuantileSums {
                weight: i128::from(own.all.weight),
                sum: own.all.sum,
                below: i128::from(own.below.weight),
                sum_below: own.below.sum,
            };
            let losses = sums.loss(grid.units(own.lower), loss);
            outcome.value = (own.lower + own.upper.unwrap_or(own.lower)) / 2.0;
            outcome.impurity = losses / own.all.weight as f64 * grid.unit;
        }
        fill_empty(tree, |node| weights[node] == 0);
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

/// Bring the values of a tree that grew under monotonic constraints into order. They are, on the
/// grid of growth, and may be out of it by its rounding.
fn keep_order(tree: &mut Tree, signs: &[i8]) {
    let mut bounds = vec![[f64::NEG_INFINITY, f64::INFINITY]; tree.nodes.len()];
    for (i, node) in tree.nodes.iter().enumerate() {
        let own = bounds[i];
        tree.outcomes[i].value = tree.outcomes[i].value.clamp(own[0], own[1]);
        let children = tree.children(i);
        children.iter().for_each(|&child| bounds[child as usize] = own);
        let sides = match (signs.get(node.feature as usize), children) {
            (Some(1), &[left, right, ..]) => [left, right],
            (Some(-1), &[left, right, ..]) => [right, left],
            _ => continue,
        };
        let sides = sides.map(|side| side as usize);
        if sides.iter().all(|&side| tree.nodes[side].rows > 0) {
            let [low, high] = sides.map(|side| tree.outcomes[side].value.clamp(own[0], own[1]));
            (bounds[sides[0]][1], bounds[sides[1]][0]) = ((low + high) / 2.0, (low + high) / 2.0);
        }
    }
}
