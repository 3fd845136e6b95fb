//! Two bounds that approach each other: budgets proven too small from below, better trees from
//! above.
//!
//! From below: is there a tree of b splits for a small core of the rows? If not, there is none for
//! all rows: the lower bound rises. If there is, and it happens to be right on all rows, it is a
//! smallest tree. Otherwise rows that it gets wrong join the core. At worst the core ends as the
//! whole set. From above: greedy trees, then subtrees of the best one replaced by smallest ones
//! where that takes few search nodes.

use super::consistent::{ConsistentSearch, Halt, MOST_SPLITS};
use super::lists::SortedLists;
use super::plan::{TreePlan, divide};
use super::problem::{Problem, members, size};
use crate::error::{Error, Result};
use std::collections::HashMap;

/// Search nodes after which the upper bound is worked on.
const SOON: u64 = 20_000;
/// Search nodes a subtree may take, and all of them together.
const A_SUBTREE: u64 = 2_000;
const ALL_SUBTREES: u64 = 40_000;

/// The state of a proof.
pub(super) struct Proof<'s, 'a> {
    search: &'s mut ConsistentSearch<'a>,
    core: Vec<u64>,
    /// Splits that every consistent tree has at least.
    pub(super) low: u16,
    /// The best tree so far.
    pub(super) best: TreePlan,
}

/// Cancelled searches are errors; others end without an answer.
fn answer<T>(found: std::result::Result<T, Halt>) -> Result<Option<T>> {
    match found {
        Ok(t) => Ok(Some(t)),
        Err(Halt::Spent) => Ok(None),
        Err(Halt::Cancelled) => Err(Error::Cancelled),
    }
}

impl<'s, 'a> Proof<'s, 'a> {
    /// Nothing is known but a tree.
    pub(super) fn new(search: &'s mut ConsistentSearch<'a>, best: TreePlan) -> Self {
        let problem = search.problem;
        let low = search.at_once(&problem.everything());
        Self { search, core: first_core(problem), low, best }
    }

    fn open(&self, most: usize) -> bool {
        let low = usize::from(self.low);
        low < self.best.splits() && low <= most && self.low < MOST_SPLITS
    }

    /// Raise the lower bound until it meets the tree, exceeds `most`, or the budget is spent.
    pub(super) fn run(&mut self, most: usize) -> Result<()> {
        let budget = self.search.meter.left;
        self.within(budget.min(SOON), budget, |p| p.raise(most))?;
        let goes_on = answer(self.search.meter.look())?.is_some();
        if goes_on && self.open(most) && self.search.meter.left > 0 {
            let budget = self.search.meter.left;
            self.within(budget.min(ALL_SUBTREES), budget, Self::polish)?;
            self.raise(most)?;
        }
        Ok(())
    }

    /// Work with a part of the budget.
    fn within(
        &mut self,
        part: u64,
        budget: u64,
        work: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.search.meter.left = part;
        work(self)?;
        self.search.meter.left = budget - (part - self.search.meter.left);
        Ok(())
    }

    fn raise(&mut self, most: usize) -> Result<()> {
        let problem = self.search.problem;
        let everything = problem.everything();
        let lists = SortedLists::all(problem);
        self.search.meter.control.expect(self.best.splits() as u64);
        while self.open(most) {
            let Some(enough) = answer(self.search.decide(&self.core, &lists, self.low))? else {
                break;
            };
            if !enough {
                self.low += 1;
                self.search.meter.control.advance(1);
                continue;
            }
            let Some(plan) = answer(TreePlan::of_search(self.search, &self.core, self.low))? else {
                break;
            };
            let wrong = plan.wrong(problem, &everything);
            if wrong.is_empty() {
                self.best = plan;
                break;
            }
            let before = self.core.clone();
            extend(&mut self.core, &wrong);
            self.search.set_core(Some(before));
        }
        Ok(())
    }

    /// Replace subtrees, the deepest first, by smallest ones.
    fn polish(&mut self) -> Result<()> {
        let problem = self.search.problem;
        let core = self.search.set_core(None);
        let everything = SortedLists::all(problem);
        let mut sets = Vec::new();
        TreePlan::follow(&self.best, problem.everything(), problem, |bits, split| {
            sets.push((bits.to_vec(), split));
        });
        let mut chosen: HashMap<Vec<u64>, (usize, (u16, u32))> = HashMap::new();
        let mut allowance = self.search.meter.left;
        for (bits, split) in sets.iter().rev() {
            if answer(self.search.meter.look())?.is_none() {
                return Ok(()); // out of time: the core is not needed any more
            }
            let Some(split) = *split else { continue };
            let (left, right) = divide(problem, bits, split);
            let need = |side: &Vec<u64>| chosen.get(side).map_or(0, |c| c.0);
            let splits = 1 + need(&left) + need(&right);
            chosen.insert(bits.clone(), (splits, split));
            let part = allowance.min(A_SUBTREE);
            self.search.meter.left = part;
            let mut b = self.search.low(bits).max(2);
            while usize::from(b) < splits && b < MOST_SPLITS {
                match answer(self.search.decide(bits, &everything, b))? {
                    Some(true) => {
                        if let Some(plan) = answer(TreePlan::of_search(self.search, bits, b))? {
                            plan.follow(bits.clone(), problem, |bits, split| {
                                if let Some(split) = split {
                                    chosen.insert(bits.to_vec(), (0, split));
                                }
                            });
                            chosen.insert(bits.clone(), (plan.splits(), chosen[bits].1));
                        }
                        break;
                    }
                    Some(false) => b += 1,
                    None => break,
                }
            }
            allowance -= part - self.search.meter.left;
        }
        let better =
            TreePlan::grow(problem.everything(), problem, |bits| -> Result<Option<(u16, u32)>> {
                Ok(chosen.get(bits).map(|c| c.1).filter(|_| problem.common(bits) == 0))
            })?;
        if better.splits() < self.best.splits() {
            self.best = better;
        }
        self.search.meter.left = allowance;
        self.search.set_core(core);
        Ok(())
    }
}

/// Some rows of each class to begin with.
fn first_core(problem: &Problem) -> Vec<u64> {
    let mut core = vec![0; problem.words];
    for (_, rows) in &problem.kinds {
        let step = (size(rows) / 8).max(1);
        for row in members(rows).step_by(step) {
            core[row >> 6] |= 1 << (row & 63);
        }
    }
    core
}

/// Rows that a tree of the core gets wrong join the core: a quarter of its size, from all leaves
/// alike.
fn extend(core: &mut [u64], wrong: &[Vec<usize>]) {
    let each = (size(core) / 4 / wrong.len()).max(1);
    for rows in wrong {
        let step = (rows.len() / each).max(1);
        for &row in rows.iter().step_by(step).take(each) {
            core[row >> 6] |= 1 << (row & 63);
        }
    }
}
