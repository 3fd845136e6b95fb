//! Greedy trees. A search for optimal trees starts from them, so that its result is never worse.
//!
//! A tree is grown in full by the test of each node that a criterion scores best, as
//! [`crate::grow`] grows it, and then cut back to the subtree that costs least within the limits.
//! The nodes also keep the test that is best by the loss alone, which ends a path better. From one
//! growth come the trees of every depth and number of leaves. O(rows x columns x depth).

use super::incumbent::{CompletePlan, Plan};
use super::losses::Weight;
use super::part::SetPart;
use super::ranked::RankedTest;
use super::setting::Setting;
use super::sorted::{ALLOWED, SortedSet};
use crate::criteria::{Context, Criterion, Tables};
use crate::error::Result;
use crate::parallel::Control;

/// Candidate tests that are scored at once.
const BLOCK: usize = 256;

/// The input of the growth of greedy trees.
pub(super) struct GreedyGrowth<'s, 'a> {
    pub(super) setting: &'s Setting<'a>,
    /// The criterion whose loss is minimised; `None` if the loss comes from a cost matrix or from a
    /// list of losses.
    pub(super) criterion: Option<Box<dyn Criterion>>,
    /// Gini, which also rewards a test that prepares the next ones, where the error rewards only
    /// what the test gains itself. `None` if gini is the criterion.
    pub(super) gini: Option<Box<dyn Criterion>>,
    pub(super) context: Context,
    /// Whether all weights are whole numbers.
    pub(super) is_whole: bool,
}

/// A node of a tree that is grown in full.
struct GrownNode {
    depth: u32,
    /// Its cost as a leaf.
    leaf_cost: f64,
    /// The best test by the loss, and the cost of the tree of this test.
    stump: Option<(f64, RankedTest)>,
    /// The test of the node, and the number of its left child; the right one follows.
    split: Option<(RankedTest, usize)>,
}

/// A tree that is grown in full; children come after their parents.
pub(super) struct GrownTree(Vec<GrownNode>);

/// The best test by a score so far.
struct BestTest<C> {
    score: f64,
    test: Option<RankedTest>,
    /// Weight of each class on its left.
    left: Vec<C>,
}

impl GreedyGrowth<'_, '_> {
    /// Grow trees of at most `levels` tests on a path: by the loss, and by gini.
    pub(super) fn trees(
        &self,
        part: SetPart<'_>,
        levels: u32,
        control: &Control,
    ) -> Result<Vec<GrownTree>> {
        let by_loss = self.tree(part, levels, None, control)?;
        let by_gini = self.gini.as_deref().filter(|_| levels > 1);
        let by_gini = by_gini.map(|gini| self.tree(part, levels, Some(gini), control));
        Ok([by_loss].into_iter().chain(by_gini.transpose()?).collect())
    }

    /// Grow one tree of at most `levels` tests on a path, by a criterion, or by the loss without
    /// one. Sums are whole numbers where all weights are, so that ties are exact.
    pub(super) fn tree(
        &self,
        part: SetPart<'_>,
        levels: u32,
        by: Option<&dyn Criterion>,
        control: &Control,
    ) -> Result<GrownTree> {
        if self.is_whole {
            self.tree_of_weights::<u32>(part, levels, by, control)
        } else {
            self.tree_of_weights::<f64>(part, levels, by, control)
        }
    }

    /// [`Self::tree`] with weights of one type.
    fn tree_of_weights<C: Weight>(
        &self,
        part: SetPart<'_>,
        levels: u32,
        by: Option<&dyn Criterion>,
        control: &Control,
    ) -> Result<GrownTree> {
        let (root, test) = self.node::<C>(part, 0, by, control)?;
        let (mut nodes, mut open) = (vec![root], Vec::new());
        if let Some(test) = test.filter(|_| levels > 1) {
            part.with_set(self.setting.rows, self.setting.mark_rule(), control, |set| {
                self.divide::<C>(set, (0, test), (levels, by), (&mut nodes, &mut open), control)
            })?;
        }
        while let Some((set, node, test)) = open.pop() {
            self.divide::<C>(&set, (node, test), (levels, by), (&mut nodes, &mut open), control)?;
        }
        Ok(GrownTree(nodes))
    }

    /// Divide a node of a set of rows by a test, and add its children to `nodes`. Children that
    /// have a test join `open`, the nodes yet to be divided, with their sets. The sets have no row
    /// in common, so all of them together take no more memory than the root.
    fn divide<C: Weight>(
        &self,
        set: &SortedSet,
        (node, test): (usize, RankedTest),
        (levels, by): (u32, Option<&dyn Criterion>),
        (nodes, open): (&mut Vec<GrownNode>, &mut Vec<(SortedSet, usize, RankedTest)>),
        control: &Control,
    ) -> Result<()> {
        let depth = nodes[node].depth + 1;
        nodes[node].split = Some((test, nodes.len()));
        for is_right in [false, true] {
            let part = SetPart::side(set, test, is_right);
            if depth + 1 < levels && !self.is_leaf(&part.counts(self.setting.rows)) {
                let (rows, marks) = (self.setting.rows, self.setting.mark_rule());
                let side = set.side(rows, set.test_side(rows, test, is_right), marks, control)?;
                let (child, next) = self.node::<C>(SetPart::whole(&side), depth, by, control)?;
                open.extend(next.map(|next| (side, nodes.len(), next)));
                nodes.push(child);
            } else if depth < levels {
                nodes.push(self.node::<C>(part, depth, by, control)?.0);
            }
        }
        Ok(())
    }

    /// Whether no tree of some rows costs less than a leaf, because two leaves cost that much.
    fn is_leaf(&self, counts: &[f64]) -> bool {
        self.setting.leaf_cost(counts) <= 2.0 * self.setting.penalty
    }

    /// A node without children, and the test that divides it: the best one by a criterion, or by
    /// the loss without one. Among several best tests, the first one is taken.
    fn node<C: Weight>(
        &self,
        part: SetPart<'_>,
        depth: u32,
        by: Option<&dyn Criterion>,
        control: &Control,
    ) -> Result<(GrownNode, Option<RankedTest>)> {
        let rows = self.setting.rows;
        let counts = part.counts(rows);
        let leaf_cost = self.setting.leaf_cost(&counts);
        let mut node = GrownNode { depth, leaf_cost, stump: None, split: None };
        if self.is_leaf(&counts) {
            return Ok((node, None));
        }
        let mut candidates = Candidates::<C>::new(&counts);
        let mut scored = Ok(());
        part.each_column(rows, self.setting.mark_rule(), control, |column, sorted| {
            let mut left = vec![C::default(); counts.len()];
            let [fewest, most] =
                [sorted.first, sorted.last].map(|threshold| sorted.rows_below(threshold));
            for (k, &row) in sorted.order.iter().enumerate() {
                let class = usize::from(rows.class[row as usize]);
                left[class] = left[class].plus(C::from_weight(rows.weight(row)));
                if sorted.marks[k] & ALLOWED != 0 && (fewest..=most).contains(&(k + 1)) {
                    let below = rows.columns[column].ranks[sorted.order[k + 1] as usize];
                    candidates.push(&left, RankedTest { column: column as u32, below });
                    if candidates.tests.len() == BLOCK && scored.is_ok() {
                        scored = candidates.score_block(self, by);
                    }
                }
            }
        })?;
        scored.and(candidates.score_block(self, by))?;
        let [by_loss, by_other] = candidates.best;
        node.stump = by_loss.test.map(|test| {
            let left: Vec<f64> = by_loss.left.iter().map(|count| count.value()).collect();
            let right: Vec<f64> = counts.iter().zip(&left).map(|(all, left)| all - left).collect();
            (self.setting.leaf_cost(&left) + self.setting.leaf_cost(&right), test)
        });
        Ok((node, if by.is_some() { by_other.test } else { by_loss.test }))
    }
}

/// Tests of a node that are scored in blocks.
struct Candidates<C> {
    /// Weight of each class in the node.
    totals: Vec<C>,
    /// For each side and class, the weights of a block of tests.
    cells: Vec<C>,
    /// The tests of the block.
    tests: Vec<RankedTest>,
    /// The best test by the loss, and by another criterion.
    best: [BestTest<C>; 2],
}

impl<C: Weight> Candidates<C> {
    fn new(counts: &[f64]) -> Self {
        let totals = counts.iter().map(|&count| C::from_weight(count)).collect();
        let cells = vec![C::default(); 2 * counts.len() * BLOCK];
        let best = || BestTest { score: f64::NEG_INFINITY, test: None, left: Vec::new() };
        Self { totals, cells, tests: Vec::with_capacity(BLOCK), best: [best(), best()] }
    }

    /// Add a test with the weights of the classes on its left.
    fn push(&mut self, left: &[C], test: RankedTest) {
        let (slot, classes) = (self.tests.len(), left.len());
        for (class, &count) in left.iter().enumerate() {
            self.cells[class * BLOCK + slot] = count;
            self.cells[(classes + class) * BLOCK + slot] = self.totals[class].minus(count);
        }
        self.tests.push(test);
    }

    /// Score the block, by the loss and by `by`, and start the next one.
    fn score_block(
        &mut self,
        growth: &GreedyGrowth<'_, '_>,
        by: Option<&dyn Criterion>,
    ) -> Result<()> {
        let (len, classes) = (self.tests.len(), self.totals.len());
        let mut scores = [0.0; BLOCK];
        let tables = Tables {
            cells: C::cells(&self.cells),
            totals: C::cells(&self.totals),
            branches: 2,
            classes,
            stride: BLOCK,
            len,
            declared: &[2; BLOCK],
            context: &growth.context,
        };
        let side_loss = |slot: usize, side: usize| -> f64 {
            let count = |class: usize| self.cells[(side * classes + class) * BLOCK + slot].value();
            growth.setting.loss.leaf(&(0..classes).map(count).collect::<Vec<_>>())
        };
        for (i, best) in self.best.iter_mut().enumerate() {
            match [growth.criterion.as_deref(), by][i] {
                Some(criterion) => criterion.score(&tables, &mut scores[..len])?,
                None if i == 0 => {
                    let loss = (0..len).map(|slot| side_loss(slot, 0) + side_loss(slot, 1));
                    scores.iter_mut().zip(loss).for_each(|(score, loss)| *score = -loss);
                }
                None => continue,
            }
            for (slot, &score) in scores[..len].iter().enumerate() {
                if score > best.score {
                    let left = |class: usize| self.cells[class * BLOCK + slot];
                    (best.score, best.test) = (score, Some(self.tests[slot]));
                    best.left = (0..classes).map(left).collect();
                }
            }
        }
        self.tests.clear();
        Ok(())
    }
}

impl GrownTree {
    /// The subtree of the same root that costs least, of at most `levels` tests on a path and
    /// `leaves` leaves. Nodes are visited from the last to the root, and the least cost of a node
    /// for every number of leaves follows from the least costs of its children: O(nodes x
    /// leaves^2).
    pub(super) fn best(&self, levels: u32, leaves: u32) -> CompletePlan {
        // If the number of leaves is not limited, all numbers of leaves share the first entry.
        let is_unlimited = leaves as usize > self.0.len();
        // For each node, the least cost with one leaf, two leaves, ...
        let mut least: Vec<Vec<f64>> = vec![Vec::new(); self.0.len()];
        for (i, node) in self.0.iter().enumerate().rev() {
            let mut costs = vec![node.leaf_cost];
            let mut offer = |more_leaves: usize, cost: f64| {
                let entry = if is_unlimited { 0 } else { more_leaves };
                if entry < leaves as usize {
                    costs.resize(costs.len().max(entry + 1), f64::INFINITY);
                    costs[entry] = costs[entry].min(cost);
                }
            };
            if let Some((cost, _)) = node.stump.filter(|_| node.depth < levels) {
                offer(1, cost);
            }
            if let Some((_, left)) = node.split.filter(|_| node.depth + 1 < levels) {
                for (a, on_left) in least[left].iter().enumerate() {
                    for (b, on_right) in least[left + 1].iter().enumerate() {
                        offer(a + b + 1, on_left + on_right);
                    }
                }
            }
            // More leaves than the cheapest tree has are of no use.
            let cheapest = costs.iter().copied().fold(f64::INFINITY, f64::min);
            costs.truncate(1 + costs.iter().position(|&cost| cost == cheapest).unwrap_or(0));
            least[i] = costs;
        }
        let entry = least[0].len() - 1;
        CompletePlan { cost: least[0][entry], plan: self.plan(&least, (0, entry), levels) }
    }

    /// The subtree whose cost is an entry of the table of node `i`: the choice that gave this cost
    /// is recovered by computing the candidates again.
    fn plan(&self, least: &[Vec<f64>], (i, entry): (usize, usize), levels: u32) -> Plan {
        let (node, cost) = (&self.0[i], least[i][entry]);
        if cost == node.leaf_cost && entry == 0 {
            return Plan::Stump(1);
        }
        if let Some((stump_cost, test)) = node.stump
            && stump_cost == cost
            && node.depth < levels
            && entry <= 1
        {
            return Plan::split(test, Plan::Stump(1), Plan::Stump(1));
        }
        let Some((test, left)) = node.split else { return Plan::Stump(1) };
        let right = left + 1;
        // Tables of one entry hold all numbers of leaves.
        let entry_right = |entry_left: usize| entry.saturating_sub(entry_left + 1);
        let entry_left = (0..least[left].len()).find(|&entry_left| {
            let on_right = least[right].get(entry_right(entry_left));
            on_right.is_some_and(|on_right| least[left][entry_left] + on_right == cost)
        });
        let entry_left = entry_left.unwrap_or(0);
        let sides = [(left, entry_left), (right, entry_right(entry_left))];
        let [on_left, on_right] = sides.map(|side| self.plan(least, side, levels));
        Plan::split(test, on_left, on_right)
    }
}
