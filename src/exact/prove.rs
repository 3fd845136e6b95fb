//! The proof that a tree is minimal: a lower bound of the splits and a best tree, improved until
//! they meet ([`super::minimal_tree`]).
//!
//! Lower bound: the search asks for a tree of `low` splits for a small *core* of the rows. If there
//! is none, there is none for all rows, and `low` rises. If there is one that is consistent with
//! all rows, it is minimal. Otherwise some of the rows that it misclassifies join the core; at
//! worst the core ends as the whole set. Upper bound: subtrees of the best (at first greedy) tree
//! are replaced by minimal ones where that takes few search nodes.

use super::consistent::{ConsistentSearch, Halt, MOST_SPLITS};
use super::lists::SortedLists;
use super::plan::TreePlan;
use super::problem::{Problem, RankTest, divide, insert, members, size};
use crate::error::{Error, Result};
use std::collections::HashMap;

/// Search nodes for the lower bound before the upper bound is improved. Problems that are decided
/// within them do not pay for a smaller tree.
const FIRST_RAISE: u64 = 20_000;
/// Search nodes for one subtree when the upper bound is improved.
const PER_SUBTREE: u64 = 2_000;
/// Search nodes for all subtrees together.
const ALL_SUBTREES: u64 = 40_000;

/// The state of a proof.
pub(super) struct Proof<'s, 'a> {
    search: &'s mut ConsistentSearch<'a>,
    /// The rows that the lower bound is proven for.
    core: Vec<u64>,
    /// A lower bound of the splits of a consistent tree.
    pub(super) low: u16,
    /// The best tree so far.
    pub(super) best: TreePlan,
}

/// The answer of a search; none if its budget is spent.
///
/// # Errors
/// [`Error::Cancelled`] if the caller asked to stop.
fn answer<T>(outcome: std::result::Result<T, Halt>) -> Result<Option<T>> {
    match outcome {
        Ok(answer) => Ok(Some(answer)),
        Err(Halt::Spent) => Ok(None),
        Err(Halt::Cancelled) => Err(Error::Cancelled),
    }
}

impl<'s, 'a> Proof<'s, 'a> {
    /// A proof that begins with a tree and the bound by classes. The tree is an upper bound; the
    /// proof ends when the lower bound meets it.
    pub(super) fn new(search: &'s mut ConsistentSearch<'a>, best: TreePlan) -> Self {
        let problem = search.problem;
        let low = search.low_by_classes(&problem.everything());
        Self { search, core: first_core(problem), low, best }
    }

    /// Whether trees of at most `most` splits are still to be searched for.
    fn is_open(&self, most: usize) -> bool {
        let low = usize::from(self.low);
        low < self.best.n_splits() && low <= most && self.low < MOST_SPLITS
    }

    /// Raise the lower bound until it meets the tree, exceeds `most`, or the budget is spent. It
    /// begins with a small budget for the lower bound, then tries to improve the tree by its
    /// subtrees, and spends the rest on the lower bound again.
    pub(super) fn run(&mut self, most: usize) -> Result<()> {
        let budget = self.search.meter.left;
        self.with_budget(budget.min(FIRST_RAISE), budget, |proof| proof.raise_low(most))?;
        let has_time = answer(self.search.meter.check())?.is_some();
        if has_time && self.is_open(most) && self.search.meter.left > 0 {
            let budget = self.search.meter.left;
            self.with_budget(budget.min(ALL_SUBTREES), budget, Self::improve_tree)?;
            self.raise_low(most)?;
        }
        Ok(())
    }

    /// Do some work with a share of the budget. The rest of the share goes back to the budget.
    fn with_budget(
        &mut self,
        share: u64,
        budget: u64,
        work: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.search.meter.left = share;
        work(self)?;
        self.search.meter.left = budget - (share - self.search.meter.left);
        Ok(())
    }

    /// Raise the lower bound by queries about the core.
    fn raise_low(&mut self, most: usize) -> Result<()> {
        let problem = self.search.problem;
        let everything = problem.everything();
        let lists = SortedLists::all(problem);
        self.search.meter.control.set_total(self.best.n_splits() as u64);
        while self.is_open(most) {
            let decided = self.search.decide(&self.core, &lists, self.low);
            let Some(suffices) = answer(decided)? else { break };
            if !suffices {
                self.low += 1;
                self.search.meter.control.advance(1);
                continue;
            }
            let Some(plan) = answer(TreePlan::extract(self.search, &self.core, self.low))? else {
                break;
            };
            let wrong = plan.misclassified(problem, &everything);
            if wrong.is_empty() {
                self.best = plan;
                break;
            }
            // Queries about the new core ask about the old one first.
            let old_core = self.core.clone();
            extend_core(&mut self.core, &wrong);
            self.search.set_core(Some(old_core));
        }
        Ok(())
    }

    /// Replace subtrees of the best tree by minimal ones, the deepest first, as far as few search
    /// nodes suffice. The core is set aside meanwhile.
    fn improve_tree(&mut self) -> Result<()> {
        let problem = self.search.problem;
        let core = self.search.set_core(None);
        let lists = SortedLists::all(problem);
        let mut sets = Vec::new();
        TreePlan::visit_nodes(&self.best, problem.everything(), problem, |bits, split| {
            sets.push((bits.to_vec(), split));
        });
        // The best known subtree of each set.
        let mut best_splits: HashMap<Vec<u64>, ChosenSplit> = HashMap::new();
        let mut allowance = self.search.meter.left;
        for (bits, split) in sets.iter().rev() {
            if answer(self.search.meter.check())?.is_none() {
                return Ok(()); // Out of time: nothing needs the core any more.
            }
            let Some(split) = *split else { continue };
            // The subtree as it is, with the best splits below.
            let (left, right) = divide(&problem.ranks, bits, split);
            let splits_of = |side: &Vec<u64>| best_splits.get(side).map_or(0, |known| known.splits);
            let splits = 1 + splits_of(&left) + splits_of(&right);
            best_splits.insert(bits.clone(), ChosenSplit { split, splits });
            // A smaller one, if a search of increasing budgets finds it.
            let share = allowance.min(PER_SUBTREE);
            self.search.meter.left = share;
            let mut budget = self.search.low(bits).max(2);
            while usize::from(budget) < splits && budget < MOST_SPLITS {
                match answer(self.search.decide(bits, &lists, budget))? {
                    Some(true) => {
                        if let Some(plan) = answer(TreePlan::extract(self.search, bits, budget))? {
                            plan.visit_nodes(bits.clone(), problem, |bits, split| {
                                if let Some(split) = split {
                                    best_splits
                                        .insert(bits.to_vec(), ChosenSplit { split, splits: 0 });
                                }
                            });
                            let ChosenSplit { split, .. } = best_splits[bits];
                            let splits = plan.n_splits();
                            best_splits.insert(bits.clone(), ChosenSplit { split, splits });
                        }
                        break;
                    }
                    Some(false) => budget += 1,
                    None => break,
                }
            }
            allowance -= share - self.search.meter.left;
        }
        let better = TreePlan::grow(problem.everything(), problem, |bits| {
            let known = best_splits.get(bits).filter(|_| problem.common(bits) == 0);
            Result::Ok(known.map(|known| known.split))
        })?;
        if better.n_splits() < self.best.n_splits() {
            self.best = better;
        }
        self.search.meter.left = allowance;
        self.search.set_core(core);
        Ok(())
    }
}

/// A split of a set of rows, and the splits of the subtree that it begins.
#[derive(Clone, Copy)]
struct ChosenSplit {
    split: RankTest,
    splits: usize,
}

/// The core that a proof begins with: about eight rows of each set of allowed classes.
fn first_core(problem: &Problem) -> Vec<u64> {
    let mut core = vec![0; problem.words];
    for set in &problem.class_sets {
        let step = (size(&set.rows) / 8).max(1);
        for row in members(&set.rows).step_by(step) {
            insert(&mut core, row);
        }
    }
    core
}

/// Add some misclassified rows, given leaf by leaf, to the core: a quarter of its size, evenly from
/// all leaves.
fn extend_core(core: &mut [u64], wrong: &[Vec<usize>]) {
    let per_leaf = (size(core) / 4 / wrong.len()).max(1);
    for rows in wrong {
        let step = (rows.len() / per_leaf).max(1);
        for &row in rows.iter().step_by(step).take(per_leaf) {
            insert(core, row);
        }
    }
}
