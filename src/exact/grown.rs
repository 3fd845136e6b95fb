//! Greedy trees: what a search for optimal trees starts from, so that it is never worse.
//!
//! A tree is grown in full by the test of each node that a criterion scores best, as
//! [`crate::grow`] grows it, and then cut back to the subtree that costs least within the limits.
//! The nodes also keep the test that is best by the loss alone, which ends a path better. From one
//! growth come the trees of every depth and number of leaves. O(rows x columns x depth).

use super::incumbent::{CompletePlan, Plan, PlanSplit};
use super::losses::Weight;
use super::part::SetPart;
use super::ranked::RankedTest;
use super::setting::Setting;
use super::sorted::{ALLOWED, SortedSet};
use crate::criteria::{Context, Criterion, Tables};
use crate::error::Result;
use crate::parallel::Control;

/// Candidates that are scored at once.
const BLOCK: usize = 256;

/// How greedy trees grow.
pub(super) struct GreedyGrowth<'s, 'a> {
    pub(super) setting: &'s Setting<'a>,
    /// The criterion whose loss is minimised; none if the loss is no criterion's.
    pub(super) criterion: Option<Box<dyn Criterion>>,
    /// Gini, which sees what a test prepares for the next ones; none if it is the criterion.
    pub(super) gini: Option<Box<dyn Criterion>>,
    pub(super) context: Context,
    /// Whether all weights are whole numbers.
    pub(super) is_whole: bool,
}

/// A node of a tree that is grown in full.
struct GrownNode {
    depth: u32,
    /// Its cost as a leaf.
    leaf: f64,
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

    /// Grow one tree of at most `levels` tests on a path, by a criterion or by the loss.
    pub(super) fn tree(
        &self,
        part: SetPart<'_>,
        levels: u32,
        by: Option<&dyn Criterion>,
        control: &Control,
    ) -> Result<GrownTree> {
        match self.is_whole {
            true => self.tree_of::<u32>(part, levels, by, control),
            false => self.tree_of::<f64>(part, levels, by, control),
        }
    }

    fn tree_of<C: Weight>(
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

    /// Add the children of a node, whose rows are a set, by its test. `open` are the sets of the
    /// nodes that are to be divided yet, which have no row in common.
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
                let marks = self.setting.mark_rule();
                let own = set.one_side(self.setting.rows, test, is_right, marks, control)?;
                let (child, next) = self.node::<C>(SetPart::whole(&own), depth, by, control)?;
                open.extend(next.map(|next| (own, nodes.len(), next)));
                nodes.push(child);
            } else if depth < levels {
                nodes.push(self.node::<C>(part, depth, by, control)?.0);
            }
        }
        Ok(())
    }

    /// Whether no tree of a node costs less than a leaf.
    fn is_leaf(&self, counts: &[f64]) -> bool {
        self.setting.leaf_cost(counts) <= 2.0 * self.setting.penalty
    }

    /// A node, and the test that its growth takes: the best one by `by`, or by the loss. Of several
    /// best tests the first one.
    fn node<C: Weight>(
        &self,
        part: SetPart<'_>,
        depth: u32,
        by: Option<&dyn Criterion>,
        control: &Control,
    ) -> Result<(GrownNode, Option<RankedTest>)> {
        let rows = self.setting.rows;
        let counts = part.counts(rows);
        let leaf = self.setting.leaf_cost(&counts);
        let mut node = GrownNode { depth, leaf, stump: None, split: None };
        if self.is_leaf(&counts) {
            return Ok((node, None));
        }
        let mut found = Candidates::<C>::new(&counts);
        let mut scored = Ok(());
        part.each_column(rows, self.setting.mark_rule(), control, |column, own| {
            let mut left = vec![C::default(); counts.len()];
            let places = [own.first, own.last].map(|threshold| own.rows_below(threshold));
            for (k, &row) in own.order.iter().enumerate() {
                let class = usize::from(rows.class[row as usize]);
                left[class] = left[class].plus(C::of(rows.weight(row)));
                if own.marks[k] & ALLOWED != 0 && (places[0]..=places[1]).contains(&(k + 1)) {
                    let below = rows.columns[column].ranks[own.order[k + 1] as usize];
                    found.push(&left, RankedTest { column: column as u32, below });
                    if found.tests.len() == BLOCK && scored.is_ok() {
                        scored = found.score(self, by);
                    }
                }
            }
        })?;
        scored.and(found.score(self, by))?;
        let [by_loss, by_other] = found.best;
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
    /// Weight of each class.
    totals: Vec<C>,
    /// By side and class, the weights of a block.
    cells: Vec<C>,
    tests: Vec<RankedTest>,
    /// The best test by the loss, and by another criterion.
    best: [BestTest<C>; 2],
}

impl<C: Weight> Candidates<C> {
    fn new(counts: &[f64]) -> Self {
        let totals = counts.iter().map(|&count| C::of(count)).collect();
        let cells = vec![C::default(); 2 * counts.len() * BLOCK];
        let best = || BestTest { score: f64::NEG_INFINITY, test: None, left: Vec::new() };
        Self { totals, cells, tests: Vec::with_capacity(BLOCK), best: [best(), best()] }
    }

    /// Add a test with the weights of the classes on its left.
    fn push(&mut self, left: &[C], test: RankedTest) {
        let (at, classes) = (self.tests.len(), left.len());
        for (class, &count) in left.iter().enumerate() {
            self.cells[class * BLOCK + at] = count;
            self.cells[(classes + class) * BLOCK + at] = self.totals[class].minus(count);
        }
        self.tests.push(test);
    }

    /// Score the block, by the loss and by `by`, and start the next one.
    fn score(&mut self, growth: &GreedyGrowth<'_, '_>, by: Option<&dyn Criterion>) -> Result<()> {
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
        let side = |at: usize, side: usize| -> f64 {
            let count = |class: usize| self.cells[(side * classes + class) * BLOCK + at].value();
            growth.setting.loss.leaf(&(0..classes).map(count).collect::<Vec<_>>())
        };
        for (i, best) in self.best.iter_mut().enumerate() {
            match [growth.criterion.as_deref(), by][i] {
                Some(criterion) => criterion.score(&tables, &mut scores[..len])?,
                None if i == 0 => {
                    let loss = (0..len).map(|at| side(at, 0) + side(at, 1));
                    scores.iter_mut().zip(loss).for_each(|(score, loss)| *score = -loss);
                }
                None => continue,
            }
            for (at, &score) in scores[..len].iter().enumerate() {
                if score > best.score {
                    let left = |class: usize| self.cells[class * BLOCK + at];
                    (best.score, best.test) = (score, Some(self.tests[at]));
                    best.left = (0..classes).map(left).collect();
                }
            }
        }
        self.tests.clear();
        Ok(())
    }
}

impl GrownTree {
    /// The subtree that costs least, of at most `levels` tests on a path and `leaves` leaves.
    pub(super) fn best(&self, levels: u32, leaves: u32) -> CompletePlan {
        // Where the number of leaves does not matter, all numbers share one place.
        let is_free = leaves as usize > self.0.len();
        // By node, the least cost of one leaf, two leaves, ...
        let mut least: Vec<Vec<f64>> = vec![Vec::new(); self.0.len()];
        for (i, node) in self.0.iter().enumerate().rev() {
            let mut own = vec![node.leaf];
            let mut offer = |place: usize, cost: f64| {
                let place = if is_free { 0 } else { place };
                if place < leaves as usize {
                    own.resize(own.len().max(place + 1), f64::INFINITY);
                    own[place] = own[place].min(cost);
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
            let cheapest = own.iter().copied().fold(f64::INFINITY, f64::min);
            own.truncate(1 + own.iter().position(|&cost| cost == cheapest).unwrap_or(0));
            least[i] = own;
        }
        let place = least[0].len() - 1;
        CompletePlan { cost: least[0][place], plan: self.plan(&least, (0, place), levels) }
    }

    /// The tree of a place in the table of a node.
    fn plan(&self, least: &[Vec<f64>], (i, place): (usize, usize), levels: u32) -> Plan {
        let (node, cost) = (&self.0[i], least[i][place]);
        let split = |test, left, right| Plan::Split(Box::new(PlanSplit { test, left, right }));
        if cost == node.leaf && place == 0 {
            return Plan::Stump(1);
        }
        if let Some((own, test)) = node.stump
            && own == cost
            && node.depth < levels
            && place <= 1
        {
            return split(test, Plan::Stump(1), Plan::Stump(1));
        }
        let Some((test, left)) = node.split else { return Plan::Stump(1) };
        let sums = |a: usize, b: usize| least[left][a] + least[left + 1][b] == cost;
        // Tables of one place hold all numbers of leaves.
        let a = (0..least[left].len()).find(|&a| {
            let b = place.saturating_sub(a + 1);
            b < least[left + 1].len() && sums(a, b)
        });
        let a = a.unwrap_or(0);
        let sides = [(left, a), (left + 1, place.saturating_sub(a + 1))];
        let [on_left, on_right] = sides.map(|side| self.plan(least, side, levels));
        split(test, on_left, on_right)
    }
}
