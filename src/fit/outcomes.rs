//! The outcomes of nodes from the numbers of their rows as given: means, quantiles, impurities.
//!
//! Growth sums numbers that are rounded to a grid. After it, the rows are sent down the tree, with
//! their fractions where a missing value takes several branches, and each leaf sums its numbers as
//! they were given, in twice the digits of a double, by ascending number. The rows of a leaf of
//! equal numbers are not needed: its mean on the grid determines the number. Inner nodes add up the
//! sums of their children: the divergences of the rows of a node from its mean sum to the
//! divergences within the children, plus the divergence of each child's mean times its weight (the
//! decomposition of Bregman divergences; for squares it is the formula of Chan, Golub & LeVeque).
//! Where all numbers are on the grid, growth has summed them already.
//!
//! Rows come by ascending target, so a node's quantile is where its cumulated weight reaches the
//! share. Losses around it are sums of whole numbers, on a grid of the node's own range. No result
//! depends on the order of the rows. O(rows x depth) and O(rows + nodes) of memory.

use super::plan::FitPlan;
use crate::criteria::{Criterion, Evidence, QuantileLoss};
use crate::data::{Schema, Target, TargetGrid};
use crate::error::Result;
use crate::memory;
use crate::numeric::Moments;
use crate::parallel::Control;
use crate::predict::{CompiledTree, ReachingRows};
use crate::prune::PruneRows;
use crate::split::order::QuantileSums;
use crate::tree::{NONE, Outcome, Tree};

impl FitPlan {
    /// Complete the outcomes of a tree from rows as they were given. They may be the rows that it
    /// has grown on or others. A tree of classes has no outcomes.
    pub(super) fn complete_outcomes(
        &self,
        tree: &mut Tree,
        schema: &Schema,
        rows: &PruneRows<'_>,
        has_grown_on: bool,
        control: &Control,
    ) -> Result<()> {
        let Some(target) = rows.data.target().filter(|_| tree.is_regression()) else {
            return Ok(());
        };
        let loss = match self.criterion.evidence() {
            Evidence::Order(loss) => Some(loss),
            _ => None,
        };
        // If all numbers lie on the grid, the sums of growth are exact already.
        let by_classes = self.config.target_bins.is_some();
        let needs_rows = by_classes || loss.is_some() || self.criterion.averages_divergences();
        if has_grown_on && target.is_exact() && !needs_rows {
            return Ok(());
        }
        if self.divides_cells(rows.data) {
            tree.divide_missing();
        }
        let sent = SentRows { schema, target, rows: *rows };
        if loss.is_none() || by_classes || !target.is_exact() || !has_grown_on {
            let are_whole =
                has_grown_on && loss.is_none() && !by_classes && !tree.divides_missing();
            sent.means(tree, self.criterion.as_ref(), are_whole, control)?;
        }
        if let Some(constraints) = &self.limits().constraints {
            restore_monotonic_order(tree, &constraints.signs);
        }
        match loss.filter(|_| !by_classes) {
            Some(loss) => sent.quantiles(tree, loss, control),
            None => Ok(()),
        }
    }
}

/// The numbers of a target, looked up by their units.
struct NumbersByUnits {
    grid: TargetGrid,
    /// Units and number of each row, side by side: a look at one finds the other in the cache.
    rows: Vec<(i64, f64)>,
    /// The first row of each bucket of units, which are the units from the least on, shifted.
    starts: Vec<u32>,
    shift: u32,
}

/// Bits of the number of buckets: their starts stay in the second cache.
const BUCKET_BITS: u32 = 16;

impl NumbersByUnits {
    fn new(target: &Target) -> Result<Self> {
        let units = target.units();
        let range = units.last().map_or(0, |last| last.abs_diff(units[0]));
        let shift = (u64::BITS - range.leading_zeros()).saturating_sub(BUCKET_BITS);
        let mut starts = vec![0; (range >> shift) as usize + 2];
        units.iter().for_each(|u| starts[(u.abs_diff(units[0]) >> shift) as usize + 1] += 1);
        for bucket in 1..starts.len() {
            starts[bucket] += starts[bucket - 1];
        }
        let rows = units.iter().enumerate().map(|(row, &u)| (u, target.value(row as u32)));
        Ok(Self { grid: target.grid(), rows: memory::collect(rows)?, starts, shift })
    }

    /// The number that all rows of a leaf have, if its variance and mean on the grid determine it.
    #[inline]
    fn number_of(&self, leaf: &Outcome) -> Option<f64> {
        if leaf.variance != 0.0 {
            return None;
        }
        let units = self.grid.to_units(leaf.value);
        let bucket = usize::try_from(units - self.rows[0].0).ok()? >> self.shift;
        let [start, end] =
            [bucket, bucket + 1].map(|i| self.starts.get(i).map(|&row| row as usize));
        let first = start? + self.rows[start?..end?].partition_point(|row| row.0 < units);
        let equal = self.rows[first..].iter().take_while(|row| row.0 == units);
        let is_known = self.grid.to_number(units as f64) == leaf.value;
        let mut numbers = equal.map(|row| row.1).filter(|_| is_known);
        numbers.next().filter(|&first| numbers.all(|other| other == first))
    }
}

/// Training rows that are sent down a tree.
struct SentRows<'a> {
    schema: &'a Schema,
    target: &'a Target,
    rows: PruneRows<'a>,
}

/// Sums over the rows of a node; weights are in units.
#[derive(Debug, Clone, Copy, Default)]
struct OutcomeSums {
    weight: i64,
    /// The sum of weights times numbers, and its rounding error, which together have twice the
    /// digits of a double.
    sum: [f64; 2],
    mean: f64,
    /// The mean of twice the digits minus `mean`.
    rest: f64,
    /// Weights times divergences from the mean, and times squared differences from it.
    spread: [f64; 2],
}

impl OutcomeSums {
    /// The sums of rows of one number.
    fn new(number: f64, weight: i64) -> Self {
        Self { weight, sum: product(number, weight), mean: number, ..Self::default() }
    }

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
        let rest_of = |mean: f64| {
            let [high, low] = product(mean, self.weight);
            ((self.sum[0] - high) + (self.sum[1] - low)) / weight
        };
        let mean = self.sum[0] / weight;
        let mut rest = rest_of(mean);
        let nearest = mean + rest;
        if nearest != mean {
            rest = rest_of(nearest);
        }
        (self.mean, self.rest) = (nearest, rest);
    }

    /// Add rows to the spread, given the difference of their number from `mean`.
    fn spread_out(&mut self, criterion: Option<&dyn Criterion>, difference: f64, weight: i64) {
        if let Some(criterion) = criterion {
            self.spread[0] += weight as f64 * criterion.divergence(difference, self.mean);
        }
        self.spread[1] += weight as f64 * (difference * difference);
    }
}

/// A product and its rounding error, which together have twice the digits.
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

/// Visit `nodes` of a tree, which ascend, with the training rows that reach each of them.
///
/// Rows are sent down only as far as these nodes ([`CompiledTree::send_down`]).
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
pub(super) fn visit_nodes(
    tree: &Tree,
    nodes: &[u32],
    schema: &Schema,
    rows: &PruneRows<'_>,
    control: &Control,
    visit: &mut dyn FnMut(usize, &ReachingRows<'_>),
) -> Result<()> {
    // The part of the tree above the nodes has different node numbers.
    let (top, original) = tree.paths_to(nodes);
    let wanted: Vec<bool> = original.iter().map(|node| nodes.binary_search(node).is_ok()).collect();
    let PruneRows { data, rows, weights } = *rows;
    let mut visit_original = |node: usize, reaching: &ReachingRows<'_>| {
        visit(original[node] as usize, reaching);
    };
    let compiled = CompiledTree::new(&top, schema)?;
    compiled.send_down(data, rows, weights, &wanted, control, &mut visit_original)
}

impl SentRows<'_> {
    /// Means and variances, and the impurities that follow from these or average divergences.
    /// Where the rows `are_whole` and growth has summed their numbers, leaves of equal numbers read
    /// no rows.
    fn means(
        &self,
        tree: &mut Tree,
        criterion: &dyn Criterion,
        are_whole: bool,
        control: &Control,
    ) -> Result<()> {
        let divergent = criterion.averages_divergences().then_some(criterion);
        let scale = self.rows.weights.units_of_fractions(self.rows.rows);
        let known = are_whole.then(|| NumbersByUnits::new(self.target)).transpose()?;
        let n_nodes = tree.nodes.len();
        // Leaves whose rows are read.
        let mut unknown: Vec<u32> = Vec::new();
        for i in 0..n_nodes {
            if !tree.is_leaf(i) || tree.nodes[i].rows == 0 {
                continue;
            }
            match known.as_ref().and_then(|known| known.number_of(&tree.outcomes[i])) {
                Some(number) => tree.outcomes[i].value = number,
                None => unknown.push(i as u32),
            }
        }
        let mut read = vec![OutcomeSums::default(); unknown.len()];
        let mut numbers: Vec<(f64, i64)> = Vec::new();
        let mut add_rows = |node: usize, reaching: &ReachingRows<'_>| {
            // Rows of one number are added up first, so that their order does not matter.
            numbers.clear();
            for (row, weight) in reaching.weighed() {
                let number = self.target.value(row);
                match numbers.last_mut().filter(|last| last.0 == number) {
                    Some(last) => last.1 += weight,
                    None => numbers.push((number, weight)),
                }
            }
            let sums = &mut read[unknown.partition_point(|&other| (other as usize) < node)];
            if let &[(number, weight)] = &numbers[..] {
                *sums = OutcomeSums::new(number, weight);
                return;
            }
            for &(number, weight) in &numbers {
                sums.weight += weight;
                sums.add(product(number, weight));
            }
            sums.settle();
            for &(number, weight) in &numbers {
                sums.spread_out(divergent, number - sums.mean, weight);
            }
            sums.spread_out(divergent, sums.rest, -sums.weight);
        };
        if !unknown.is_empty() {
            visit_nodes(tree, &unknown, self.schema, &self.rows, control, &mut add_rows)?;
        }
        // Nodes in reverse: the children of a node are the last that are open, the first child at
        // the end.
        let mut open: Vec<OutcomeSums> = Vec::new();
        let mut is_empty = vec![false; n_nodes];
        for i in (0..n_nodes).rev() {
            let mut sums = OutcomeSums::default();
            if unknown.pop_if(|node| *node as usize == i).is_some() {
                sums = read.pop().unwrap_or_default();
            } else if tree.is_leaf(i) && tree.nodes[i].rows > 0 {
                sums = OutcomeSums::new(tree.outcomes[i].value, (tree.counts[i] * scale) as i64);
            }
            if !tree.is_leaf(i) {
                let first = open.len() - tree.nodes[i].n_children as usize;
                for child in &open[first..] {
                    sums.weight += child.weight;
                    sums.add(child.sum);
                }
                sums.settle();
                for child in &open[first..] {
                    let difference = (child.mean - sums.mean) + (child.rest - sums.rest);
                    sums.spread_out(divergent, difference, child.weight);
                    sums.spread.iter_mut().zip(child.spread).for_each(|(sum, part)| *sum += part);
                }
                open.truncate(first);
            }
            open.push(sums);
            is_empty[i] = sums.weight == 0;
            let [divergence, variance] = sums.spread.map(|sum| sum.max(0.0) / sums.weight as f64);
            let (weight, grid) = (sums.weight as f64 / scale, TargetGrid::ONE);
            let moments = Moments { weight, mean: 0.0, deviation: variance * weight };
            let impurity = match divergent {
                Some(_) => divergence,
                None => criterion.outcome(&moments, grid).impurity,
            };
            tree.outcomes[i] = Outcome { value: sums.mean, impurity, variance };
        }
        fill_empty(tree, |node| is_empty[node]);
        Ok(())
    }

    /// Values that are quantiles, and impurities that are mean losses around them.
    fn quantiles(&self, tree: &mut Tree, loss: QuantileLoss, control: &Control) -> Result<()> {
        let mut is_empty = vec![true; tree.nodes.len()];
        let all: Vec<u32> = (0..is_empty.len() as u32).collect();
        let mut outcomes = tree.outcomes.clone();
        visit_nodes(tree, &all, self.schema, &self.rows, control, &mut |node, reaching| {
            let numbers =
                || reaching.weighed().map(|(row, weight)| (self.target.value(row), weight));
            let [low, high] =
                [numbers().next(), numbers().next_back()].map(|end| end.map_or(0.0, |end| end.0));
            let grid = TargetGrid::for_range(low, high);
            let mut all = ReachedSums::default();
            numbers().for_each(|(number, weight)| all.add(weight, grid.to_units(number)));
            // The quantile is the first number up to which the weight reaches its share; where
            // it meets the share exactly, the midpoint of that number and the next.
            let wanted = loss.quantile * all.weight as f64;
            let (mut below, mut positive) = (ReachedSums::default(), numbers().filter(|n| n.1 > 0));
            while let Some((lower, weight)) = positive.next() {
                let until = (below.weight + weight) as f64;
                if until < wanted {
                    below.add(weight, grid.to_units(lower));
                    continue;
                }
                let next = if until == wanted { positive.next() } else { None };
                let sums = QuantileSums {
                    weight: i128::from(all.weight),
                    sum: all.sum,
                    below: i128::from(below.weight),
                    sum_below: below.sum,
                };
                let losses = sums.loss(grid.to_units(lower), loss);
                let outcome = &mut outcomes[node];
                outcome.value = (lower + next.map_or(lower, |next| next.0)) / 2.0;
                outcome.impurity = losses / all.weight as f64 * grid.unit;
                is_empty[node] = false;
                break;
            }
        })?;
        tree.outcomes = outcomes;
        fill_empty(tree, |node| is_empty[node]);
        Ok(())
    }
}

/// Give nodes that no row reaches the value of their parents.
fn fill_empty(tree: &mut Tree, is_empty: impl Fn(usize) -> bool) {
    for node in 0..tree.nodes.len() {
        let parent = tree.nodes[node].parent;
        if is_empty(node) && parent != NONE {
            tree.outcomes[node] = Outcome::for_empty_child(tree.outcomes[parent as usize]);
        }
    }
}

/// Bring the values of a tree that grew under monotonic constraints into order. They are in order
/// on the grid of growth, but its rounding may have hidden that the numbers as given are not.
///
/// `signs` has 1 for a feature with which values may not fall, -1 for one with which they may not
/// rise, and 0 for others.
fn restore_monotonic_order(tree: &mut Tree, signs: &[i8]) {
    let mut bounds = vec![[f64::NEG_INFINITY, f64::INFINITY]; tree.nodes.len()];
    for (i, node) in tree.nodes.iter().enumerate() {
        let [least, most] = bounds[i];
        tree.outcomes[i].value = tree.outcomes[i].value.clamp(least, most);
        let children = tree.children(i);
        children.iter().for_each(|&child| bounds[child as usize] = [least, most]);
        let sides = match (signs.get(node.feature as usize), children) {
            (Some(1), &[left, right, ..]) => [left, right],
            (Some(-1), &[left, right, ..]) => [right, left],
            _ => continue,
        };
        let sides = sides.map(|side| side as usize);
        if sides.iter().all(|&side| tree.nodes[side].rows > 0) {
            let [low, high] = sides.map(|side| tree.outcomes[side].value.clamp(least, most));
            let between = (low + high) / 2.0;
            bounds[sides[0]][1] = between;
            bounds[sides[1]][0] = between;
        }
    }
}
