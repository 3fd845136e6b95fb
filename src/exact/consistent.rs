//! Is there a consistent tree of a set of rows with at most b splits?
//!
//! With `s(S)` = the fewest splits of a consistent tree of S, `S ⊆ T` implies `s(S) <= s(T)` (a
//! tree of T serves S). Along the cuts of one feature, therefore, `s(left)` only grows and
//! `s(right)` only falls. For a budget b and a share a of it for the left side, only the *last* cut
//! with `s(left) <= a` has to be looked at: it has the smallest right side, which must do with b -
//! 1 - a. It is found by bisection, on the side with the smaller share, so a node asks O(features x
//! b x log rows) cheap questions and O(features x b) dear ones, not one a threshold. A feature with
//! few cuts is tried cut by cut instead.
//!
//! Answers are kept by row set. A question about S is first asked of the rows of S that belong to a
//! small *core*: when these alone need more than b splits, so does S. The caller grows the core
//! from rows that trees of it get wrong.

use super::cache::{Cache, KnownSet};
use super::lists::{FeatureCuts, SortedLists};
use super::problem::Problem;
use crate::error::Error;
use crate::parallel::Control;

/// Deepest search: budgets above are answered by greedy trees only.
pub(super) const MOST_SPLITS: u16 = 400;

/// Why a search ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    /// All search nodes are spent, or the time.
    Spent,
    /// The caller asked to stop.
    Cancelled,
}

impl Halt {
    /// Of what [`Control::check`] says.
    pub(super) fn of(error: Error) -> Self {
        match error {
            Error::OutOfTime => Self::Spent,
            _ => Self::Cancelled,
        }
    }
}

/// Search nodes counted, and the reasons to stop.
#[derive(Debug)]
pub(super) struct Meter<'a> {
    /// Its deadline is that of the search.
    pub(super) control: &'a Control,
    /// Search nodes that may still be opened.
    pub(super) left: u64,
    /// Search nodes opened.
    pub(super) opened: u64,
}

impl<'a> Meter<'a> {
    pub(super) fn new(budget: u64, control: &'a Control) -> Self {
        Self { control, left: budget, opened: 0 }
    }

    /// Open one search node.
    pub(super) fn count(&mut self) -> Result<(), Halt> {
        if self.left == 0 {
            return Err(Halt::Spent);
        }
        self.left -= 1;
        self.opened += 1;
        self.look()
    }

    /// Look at the clock and at the caller.
    pub(super) fn look(&self) -> Result<(), Halt> {
        self.control.check().map_err(Halt::of)
    }
}

/// A search and what it has learned.
pub(super) struct ConsistentSearch<'a> {
    pub(super) problem: &'a Problem,
    pub(super) cache: Cache<KnownSet>,
    pub(super) meter: Meter<'a>,
    core: Option<Vec<u64>>,
}

fn is_empty(bits: &[u64]) -> bool {
    bits.iter().all(|&w| w == 0)
}

impl<'a> ConsistentSearch<'a> {
    pub(super) fn new(problem: &'a Problem, bytes: usize, meter: Meter<'a>) -> Self {
        Self { problem, cache: Cache::new(problem.words, bytes), meter, core: None }
    }

    /// Ask the rows of a core first; the core until now is given back.
    pub(super) fn set_core(&mut self, core: Option<Vec<u64>>) -> Option<Vec<u64>> {
        std::mem::replace(&mut self.core, core)
    }

    /// The lower bound known without a search.
    pub(super) fn low(&self, bits: &[u64]) -> u16 {
        self.cache.get(bits).map_or_else(|| self.at_once(bits), |k| k.low)
    }

    /// The lower bound that the classes give.
    pub(super) fn at_once(&self, bits: &[u64]) -> u16 {
        if self.problem.common(bits) != 0 { 0 } else { self.problem.leaves_needed(bits).max(2) - 1 }
    }

    /// True when a consistent tree of at most `b` splits exists.
    pub(super) fn decide(
        &mut self,
        bits: &[u64],
        above: &SortedLists,
        b: u16,
    ) -> Result<bool, Halt> {
        let known = self.cache.get(bits);
        if let Some(known) = known {
            if known.low > b {
                return Ok(false);
            }
            if known.high <= b {
                return Ok(true);
            }
        } else {
            let low = self.at_once(bits);
            if low == 0 {
                return Ok(true);
            }
            if low > b {
                return Ok(false);
            }
        }
        if let Some(core) = &self.core {
            let inside: Vec<u64> = bits.iter().zip(core).map(|(a, b)| a & b).collect();
            if inside != bits && !is_empty(&inside) && !self.decide(&inside, above, b)? {
                self.raise(bits, b + 1);
                return Ok(false);
            }
        }
        self.meter.count()?;
        let lists = above.restrict(self.problem.d, bits);
        match self.expand(bits, &lists, b)? {
            Some((feature, rank, splits)) => {
                let low = self.low(bits);
                self.cache.put(bits, KnownSet { low, high: splits, feature, rank });
                Ok(true)
            }
            None => {
                self.raise(bits, b + 1);
                Ok(false)
            }
        }
    }

    fn raise(&mut self, bits: &[u64], low: u16) {
        let known = self.cache.get(bits).unwrap_or(KnownSet::at_least(low));
        self.cache.put(bits, KnownSet { low: known.low.max(low), ..known });
    }

    /// Rows left of a cut, and the others.
    fn sides(bits: &[u64], list: &[u16], cut: u16) -> (Vec<u64>, Vec<u64>) {
        let mut left = vec![0_u64; bits.len()];
        for &r in &list[..usize::from(cut)] {
            left[usize::from(r >> 6)] |= 1 << (r & 63);
        }
        let right = bits.iter().zip(&left).map(|(a, b)| a & !b).collect();
        (left, right)
    }

    /// Splits of the tree that is known of a set which `b` splits suffice for.
    fn high(&self, bits: &[u64], b: u16) -> u16 {
        if self.problem.common(bits) != 0 {
            0
        } else {
            self.cache.get(bits).map_or(b, |k| k.high.min(b))
        }
    }

    /// A first split (feature, rank, splits of the tree) of a tree of at most b splits.
    fn expand(
        &mut self,
        bits: &[u64],
        lists: &SortedLists,
        b: u16,
    ) -> Result<Option<(u16, u32, u16)>, Halt> {
        let d = self.problem.d;
        let mut of: Vec<FeatureCuts> = Vec::with_capacity(d);
        for f in 0..d {
            let mut cuts = FeatureCuts::default();
            cuts.find(self.problem, f, lists.of(f));
            if cuts.pure_left > cuts.pure_right {
                let cut = cuts.cuts[cuts.pure_right];
                return Ok(Some(self.split(f, lists, cut, 1)));
            }
            of.push(cuts);
        }
        if b == 1 {
            return Ok(None);
        }
        if let Some(found) = self.peel(bits, lists, &of, b)? {
            return Ok(Some(found));
        }
        if b < 3 {
            return Ok(None);
        }
        for f in 0..d {
            let inner = of[f].pure_left..of[f].pure_right;
            if inner.is_empty() {
                continue;
            }
            let few = inner.len() <= usize::from(b).max(4);
            let found = if few {
                self.one_by_one(bits, lists.of(f), &of[f], b, lists)?
            } else {
                self.bisect(bits, lists.of(f), &of[f], b, lists)?
            };
            if let Some((cut, splits)) = found {
                return Ok(Some(self.split(f, lists, cut, splits)));
            }
        }
        Ok(None)
    }

    fn split(&self, f: usize, lists: &SortedLists, cut: u16, splits: u16) -> (u16, u32, u16) {
        let row = lists.of(f)[usize::from(cut) - 1];
        (f as u16, self.problem.ranks[f][usize::from(row)], splits)
    }

    /// A leaf on one side: the largest pure side of each feature, but for those that another one
    /// contains.
    fn peel(
        &mut self,
        bits: &[u64],
        lists: &SortedLists,
        of: &[FeatureCuts],
        b: u16,
    ) -> Result<Option<(u16, u32, u16)>, Halt> {
        let mut rests: Vec<(usize, u16, Vec<u64>)> = Vec::new();
        for (f, cuts) in of.iter().enumerate() {
            if cuts.pure_left > 0 {
                let cut = cuts.cuts[cuts.pure_left - 1];
                rests.push((f, cut, Self::sides(bits, lists.of(f), cut).1));
            }
            if cuts.pure_right < cuts.cuts.len() {
                let cut = cuts.cuts[cuts.pure_right];
                rests.push((f, cut, Self::sides(bits, lists.of(f), cut).0));
            }
        }
        let size = |bits: &[u64]| bits.iter().map(|w| w.count_ones()).sum::<u32>();
        rests.sort_by_key(|r| size(&r.2));
        for i in 0..rests.len() {
            let (f, cut, rest) = &rests[i];
            let larger = |other: &[u64]| other.iter().zip(rest).all(|(a, b)| a & !b == 0);
            if rests[..i].iter().any(|r| larger(&r.2)) {
                continue;
            }
            if self.decide(rest, lists, b - 1)? {
                let splits = 1 + self.high(rest, b - 1);
                return Ok(Some(self.split(*f, lists, *cut, splits)));
            }
        }
        Ok(None)
    }

    /// Every cut in turn.
    fn one_by_one(
        &mut self,
        bits: &[u64],
        list: &[u16],
        cuts: &FeatureCuts,
        b: u16,
        lists: &SortedLists,
    ) -> Result<Option<(u16, u16)>, Halt> {
        for i in cuts.pure_left..cuts.pure_right {
            if u16::from(cuts.left[i]) + u16::from(cuts.right[i]) > b - 1 {
                continue;
            }
            let (left, right) = Self::sides(bits, list, cuts.cuts[i]);
            let (mut low, mut high) = (self.low(&left), self.low(&right));
            while low + high < b {
                let on_left =
                    if low == high { cuts.cuts[i] as usize * 2 <= list.len() } else { low < high };
                // The side that looks easier is solved first; what it needs is not there for the
                // other one.
                let (near, far, need) =
                    if on_left { (&left, &right, low) } else { (&right, &left, high) };
                if self.decide(near, lists, need)? {
                    let rest = b - 1 - need;
                    if self.decide(far, lists, rest)? {
                        return Ok(Some((cuts.cuts[i], 1 + need + self.high(far, rest))));
                    }
                    break;
                }
                if on_left {
                    low = self.low(&left).max(need + 1);
                } else {
                    high = self.low(&right).max(need + 1);
                }
            }
        }
        Ok(None)
    }

    /// For each division of the budget, the last cut that the smaller share can pay for.
    fn bisect(
        &mut self,
        bits: &[u64],
        list: &[u16],
        cuts: &FeatureCuts,
        b: u16,
        lists: &SortedLists,
    ) -> Result<Option<(u16, u16)>, Halt> {
        // Sides: the share pays for the left rows (growing with i), or for the right ones (growing
        // as i falls).
        let (mut from, mut to) = (cuts.pure_left, cuts.pure_right);
        for share in 1..=(b - 1) / 2 {
            let rest = b - 1 - share;
            for on_left in [true, false] {
                if share == rest && !on_left {
                    continue;
                }
                let near = if on_left { &cuts.left } else { &cuts.right };
                let far = if on_left { &cuts.right } else { &cuts.left };
                let fits = |i: usize| u16::from(near[i]) <= share && u16::from(far[i]) <= rest;
                // Cuts that the classes allow are a range.
                let Some(first) = (from..to).find(|&i| fits(i)) else { continue };
                let last = (first..to).rev().find(|&i| fits(i)).unwrap_or(first);
                // `reach(j)`: the j-th cut from the near end.
                let span = last - first + 1;
                let reach = |j: usize| if on_left { first + j } else { last - j };
                let (mut good, mut bad) = (0_usize, span);
                while good < bad {
                    // Largest j with a payable near side, plus one.
                    let j = if good == 0 && bad == span { 0 } else { good + (bad - good) / 2 };
                    let (left, right) = Self::sides(bits, list, cuts.cuts[reach(j)]);
                    if self.decide(if on_left { &left } else { &right }, lists, share)? {
                        good = j + 1;
                    } else {
                        bad = j;
                    }
                }
                if good == 0 {
                    continue;
                }
                let i = reach(good - 1);
                let (left, right) = Self::sides(bits, list, cuts.cuts[i]);
                let (near, far) = if on_left { (&left, &right) } else { (&right, &left) };
                if self.decide(far, lists, rest)? {
                    return Ok(Some((
                        cuts.cuts[i],
                        1 + self.high(near, share) + self.high(far, rest),
                    )));
                }
                // A larger share for this side begins beyond this cut.
                if on_left {
                    from = from.max(i + 1);
                } else {
                    to = to.min(i);
                }
            }
        }
        Ok(None)
    }
}
