//! The search behind [`super::minimal_tree`]: does a set of rows have a consistent tree of at most
//! `budget` splits?
//!
//! Let `s(S)` be the fewest splits of a consistent tree of S. `S ⊆ T` implies `s(S) <= s(T)`,
//! because a tree of T is one of S. Along the ascending cuts of a feature, therefore, `s(left)`
//! never falls and `s(right)` never rises. If the left side gets `share` splits, only the *last*
//! cut with `s(left) <= share` matters: it has the smallest right side, which gets `budget - 1 -
//! share`. That cut is found by bisection on the side with the smaller share, so a node takes
//! O(features x budget x log rows) queries of small budgets and O(features x budget) of large ones,
//! instead of one per cut. A feature with few cuts is tried cut by cut.
//!
//! Answers are kept by set of rows ([`super::cache`]). A query about S first asks about the rows of
//! S in a small *core*: if these need more than `budget` splits, so does S. The caller
//! ([`super::prove`]) extends the core by rows that trees of it misclassify. Exponential in the
//! budget at worst.

use super::cache::Cache;
use super::lists::{FeatureCuts, SortedLists};
use super::problem::{Problem, RankTest, insert, size};
use crate::error::Error;
use crate::numeric::sort_few;
use crate::parallel::Control;

/// Largest budget, which bounds the depth of the recursion; larger trees are only grown greedily.
pub(super) const MOST_SPLITS: u16 = 400;

/// Why a search ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    /// The search nodes or the time are used up.
    Spent,
    /// The caller asked to stop.
    Cancelled,
}

impl Halt {
    /// The reason for an error of [`Control::check`]. Time that is up stops the search as a spent
    /// budget does, and every other error counts as cancelled.
    pub(super) fn from_error(error: Error) -> Self {
        match error {
            Error::OutOfTime => Self::Spent,
            _ => Self::Cancelled,
        }
    }
}

/// Counts search nodes, and says when to stop.
#[derive(Debug)]
pub(super) struct Meter<'a> {
    /// Has the deadline and the cancel flag of the search.
    pub(super) control: &'a Control,
    /// Search nodes that may still be opened.
    pub(super) left: u64,
    /// Search nodes opened.
    pub(super) opened: u64,
}

impl<'a> Meter<'a> {
    /// A meter that allows `budget` search nodes.
    pub(super) fn new(budget: u64, control: &'a Control) -> Self {
        Self { control, left: budget, opened: 0 }
    }

    /// Count one search node, or stop. It fails without a node to spend, when time is up, or when
    /// the caller cancelled; the bounds that were proven before stay valid.
    pub(super) fn count_node(&mut self) -> Result<(), Halt> {
        if self.left == 0 {
            return Err(Halt::Spent);
        }
        self.left -= 1;
        self.opened += 1;
        self.check()
    }

    /// Stop if time is up or the caller cancelled. It counts no search node, so loops within a node
    /// call it.
    pub(super) fn check(&self) -> Result<(), Halt> {
        self.control.check().map_err(Halt::from_error)
    }
}

/// The bounds that were proven for a set of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KnownSet {
    /// No tree with fewer splits exists.
    pub(super) low: u16,
    /// Number of splits of a known tree ([`u16::MAX`]: none is known yet).
    pub(super) high: u16,
    /// First split of that tree.
    pub(super) split: RankTest,
}

impl KnownSet {
    /// A lower bound, and no tree. `high` and `split` say that none is known yet.
    pub(super) fn at_least(low: u16) -> Self {
        Self { low, high: u16::MAX, split: RankTest { feature: 0, rank: 0 } }
    }
}

/// A search and what it has proven.
pub(super) struct ConsistentSearch<'a> {
    pub(super) problem: &'a Problem,
    pub(super) cache: Cache<KnownSet>,
    pub(super) meter: Meter<'a>,
    /// Rows that a query asks about first, if there are any.
    core: Option<Vec<u64>>,
}

/// A split of a node, and the number of splits of the tree that it begins.
#[derive(Debug, Clone, Copy)]
struct FoundSplit {
    split: RankTest,
    splits: u16,
}

/// A cut of a feature (rows on its left), and the number of splits of the tree that it begins.
#[derive(Debug, Clone, Copy)]
struct FoundCut {
    cut: u16,
    splits: u16,
}

impl<'a> ConsistentSearch<'a> {
    /// A search whose cache takes at most about `bytes`. Nothing is known yet, and there is no
    /// core.
    pub(super) fn new(problem: &'a Problem, bytes: usize, meter: Meter<'a>) -> Self {
        Self { problem, cache: Cache::new(problem.words, bytes), meter, core: None }
    }

    /// Set the core, and return the old one. A query asks about the rows of the core first: a set
    /// needs at least as many splits as each of its subsets, so a core that needs too many answers
    /// it.
    pub(super) fn set_core(&mut self, core: Option<Vec<u64>>) -> Option<Vec<u64>> {
        std::mem::replace(&mut self.core, core)
    }

    /// The lower bound of the splits of a set that is known without a search. It costs one look-up
    /// in the cache, and the classes are counted only if the set is not in it.
    pub(super) fn low(&self, bits: &[u64]) -> u16 {
        self.cache.get(bits).map_or_else(|| self.low_by_classes(bits), |known| known.low)
    }

    /// The lower bound of the splits of a set that follows from its classes. It is 0 if some class
    /// is allowed for all rows. Otherwise it is at least 1, and one less than the leaves that
    /// disjoint sets of allowed classes need.
    pub(super) fn low_by_classes(&self, bits: &[u64]) -> u16 {
        if self.problem.common(bits) != 0 { 0 } else { self.problem.leaves_needed(bits).max(2) - 1 }
    }

    /// Whether a set has a consistent tree of at most `budget` splits. `above` are the lists of a
    /// set that contains it.
    pub(super) fn decide(
        &mut self,
        bits: &[u64],
        above: &SortedLists,
        budget: u16,
    ) -> Result<bool, Halt> {
        // The bounds that are known without a search.
        if let Some(known) = self.cache.get(bits) {
            if known.low > budget {
                return Ok(false);
            }
            if known.high <= budget {
                return Ok(true);
            }
        } else {
            let low = self.low_by_classes(bits);
            if low == 0 {
                return Ok(true);
            }
            if low > budget {
                return Ok(false);
            }
        }
        // The rows of the core alone.
        if let Some(core) = &self.core {
            let in_core: Vec<u64> = bits.iter().zip(core).map(|(a, b)| a & b).collect();
            let is_empty = in_core.iter().all(|&word| word == 0);
            if in_core != bits && !is_empty && !self.decide(&in_core, above, budget)? {
                self.raise_low(bits, budget + 1);
                return Ok(false);
            }
        }
        // A search.
        self.meter.count_node()?;
        let lists = above.restrict(self.problem.n_features, bits);
        match self.find_split(bits, &lists, budget)? {
            Some(FoundSplit { split, splits }) => {
                let low = self.low(bits);
                self.cache.put(bits, KnownSet { low, high: splits, split });
                Ok(true)
            }
            None => {
                self.raise_low(bits, budget + 1);
                Ok(false)
            }
        }
    }

    /// Keep a lower bound of the splits of a set.
    fn raise_low(&mut self, bits: &[u64], low: u16) {
        let known = self.cache.get(bits).unwrap_or(KnownSet::at_least(low));
        self.cache.put(bits, KnownSet { low: known.low.max(low), ..known });
    }

    /// The rows on the left and on the right of a cut.
    fn sides(bits: &[u64], list: &[u16], cut: u16) -> (Vec<u64>, Vec<u64>) {
        let mut left = vec![0_u64; bits.len()];
        for &row in &list[..usize::from(cut)] {
            insert(&mut left, usize::from(row));
        }
        let right = bits.iter().zip(&left).map(|(all, left)| all & !left).collect();
        (left, right)
    }

    /// The number of splits of the known tree of a set for which `budget` suffices; `budget` if the
    /// cache has dropped the tree.
    pub(super) fn high(&self, bits: &[u64], budget: u16) -> u16 {
        if self.problem.common(bits) != 0 {
            0
        } else {
            self.cache.get(bits).map_or(budget, |known| known.high.min(budget))
        }
    }

    /// The first split of a consistent tree of at most `budget` splits; none if there is no such
    /// tree. `lists` are the sorted lists of the set, and `budget` is at least 1. Cheap answers
    /// come first: cuts with two pure sides, then with one, then with none.
    fn find_split(
        &mut self,
        bits: &[u64],
        lists: &SortedLists,
        budget: u16,
    ) -> Result<Option<FoundSplit>, Halt> {
        let n_features = self.problem.n_features;
        // A cut with two pure sides.
        let mut cuts_of: Vec<FeatureCuts> = Vec::with_capacity(n_features);
        for feature in 0..n_features {
            let mut cuts = FeatureCuts::default();
            cuts.find(self.problem, feature, lists.order_of(feature));
            if cuts.pure_left > cuts.pure_right {
                let found = FoundCut { cut: cuts.cuts[cuts.pure_right], splits: 1 };
                return Ok(Some(self.split_at(feature, lists, found)));
            }
            cuts_of.push(cuts);
        }
        // A cut with one pure side.
        if budget == 1 {
            return Ok(None);
        }
        if let Some(found) = self.split_off_leaf(bits, lists, &cuts_of, budget)? {
            return Ok(Some(found));
        }
        // A cut with no pure side, each of which needs a split.
        if budget < 3 {
            return Ok(None);
        }
        for feature in 0..n_features {
            let cuts = &cuts_of[feature];
            let n_inner = cuts.pure_right.saturating_sub(cuts.pure_left);
            if n_inner == 0 {
                continue;
            }
            // Bisection pays for itself only with more cuts than shares.
            let found = if n_inner <= usize::from(budget).max(4) {
                self.try_each_cut(bits, lists, feature, cuts, budget)?
            } else {
                self.bisect(bits, lists, feature, cuts, budget)?
            };
            if let Some(found) = found {
                return Ok(Some(self.split_at(feature, lists, found)));
            }
        }
        Ok(None)
    }

    /// The test of a cut: up to the rank of the last row on its left.
    fn split_at(&self, feature: usize, lists: &SortedLists, found: FoundCut) -> FoundSplit {
        let last_on_left = lists.order_of(feature)[usize::from(found.cut) - 1];
        let rank = self.problem.ranks[feature][usize::from(last_on_left)];
        FoundSplit { split: RankTest { feature: feature as u16, rank }, splits: found.splits }
    }

    /// A split with a leaf on one side. By monotony only the largest pure sides of each feature
    /// matter. A split is left out if its other side contains the other side of another split.
    fn split_off_leaf(
        &mut self,
        bits: &[u64],
        lists: &SortedLists,
        cuts_of: &[FeatureCuts],
        budget: u16,
    ) -> Result<Option<FoundSplit>, Halt> {
        /// A cut with a pure side, and the rows on its other side.
        struct LeafCut {
            feature: usize,
            cut: u16,
            rest: Vec<u64>,
        }
        let mut candidates: Vec<LeafCut> = Vec::new();
        for (feature, cuts) in cuts_of.iter().enumerate() {
            let list = lists.order_of(feature);
            if cuts.pure_left > 0 {
                let cut = cuts.cuts[cuts.pure_left - 1];
                candidates.push(LeafCut { feature, cut, rest: Self::sides(bits, list, cut).1 });
            }
            if cuts.pure_right < cuts.cuts.len() {
                let cut = cuts.cuts[cuts.pure_right];
                candidates.push(LeafCut { feature, cut, rest: Self::sides(bits, list, cut).0 });
            }
        }
        // The smallest rest first.
        sort_few(&mut candidates, &|a, b| size(&a.rest).cmp(&size(&b.rest)));
        for (i, LeafCut { feature, cut, rest }) in candidates.iter().enumerate() {
            let is_within_rest = |other: &[u64]| other.iter().zip(rest).all(|(a, b)| a & !b == 0);
            if candidates[..i].iter().any(|other| is_within_rest(&other.rest)) {
                continue;
            }
            if self.decide(rest, lists, budget - 1)? {
                let splits = 1 + self.high(rest, budget - 1);
                return Ok(Some(self.split_at(*feature, lists, FoundCut { cut: *cut, splits })));
            }
        }
        Ok(None)
    }

    /// Try every cut of a feature that has no pure side. The result is the first one whose sides
    /// need fewer splits together than `budget`; none if there is no such cut.
    fn try_each_cut(
        &mut self,
        bits: &[u64],
        lists: &SortedLists,
        feature: usize,
        cuts: &FeatureCuts,
        budget: u16,
    ) -> Result<Option<FoundCut>, Halt> {
        let list = lists.order_of(feature);
        for i in cuts.pure_left..cuts.pure_right {
            if u16::from(cuts.left[i]) + u16::from(cuts.right[i]) > budget - 1 {
                continue;
            }
            let cut = cuts.cuts[i];
            let (left, right) = Self::sides(bits, list, cut);
            // Raise the lower bounds of both sides until they exceed the budget or a tree is found.
            let (mut low_left, mut low_right) = (self.low(&left), self.low(&right));
            while low_left + low_right < budget {
                // The side with the lower bound, the smaller one on ties, is solved first.
                let left_first = if low_left == low_right {
                    usize::from(cut) * 2 <= list.len()
                } else {
                    low_left < low_right
                };
                let (first, second, share) =
                    if left_first { (&left, &right, low_left) } else { (&right, &left, low_right) };
                if self.decide(first, lists, share)? {
                    // Its share is the fewest splits it needs: the other side gets the rest.
                    let rest = budget - 1 - share;
                    if self.decide(second, lists, rest)? {
                        let splits = 1 + share + self.high(second, rest);
                        return Ok(Some(FoundCut { cut, splits }));
                    }
                    break;
                }
                if left_first {
                    low_left = self.low(&left).max(share + 1);
                } else {
                    low_right = self.low(&right).max(share + 1);
                }
            }
        }
        Ok(None)
    }

    /// [`Self::try_each_cut`] by bisection: for each division of the budget between the sides, find
    /// the last cut for which the smaller share suffices, and ask whether the rest suffices for the
    /// other side.
    fn bisect(
        &mut self,
        bits: &[u64],
        lists: &SortedLists,
        feature: usize,
        cuts: &FeatureCuts,
        budget: u16,
    ) -> Result<Option<FoundCut>, Halt> {
        let list = lists.order_of(feature);
        // Cuts that are not excluded yet.
        let (mut from, mut to) = (cuts.pure_left, cuts.pure_right);
        for share in 1..=(budget - 1) / 2 {
            let rest = budget - 1 - share;
            // `near` is the side with the smaller share: the left one, which grows with the number
            // of the cut, then the right one, which grows as it falls.
            for near_is_left in [true, false] {
                if share == rest && !near_is_left {
                    continue;
                }
                let near = if near_is_left { &cuts.left } else { &cuts.right };
                let far = if near_is_left { &cuts.right } else { &cuts.left };
                // The cuts that the classes allow are a range.
                let fits = |i: usize| u16::from(near[i]) <= share && u16::from(far[i]) <= rest;
                let Some(first) = (from..to).find(|&i| fits(i)) else { continue };
                let last = (first..to).rev().find(|&i| fits(i)).unwrap_or(first);
                let span = last - first + 1;
                // The j-th cut of the range from the end where the near side is smallest.
                let cut_at = |j: usize| if near_is_left { first + j } else { last - j };
                // `n_good` cuts are known to have a near side that the share suffices for; from
                // `bad` on it does not.
                let (mut n_good, mut bad) = (0_usize, span);
                while n_good < bad {
                    // The first cut is tried first: it often decides.
                    let is_first = n_good == 0 && bad == span;
                    let j = if is_first { 0 } else { n_good + (bad - n_good) / 2 };
                    let (left, right) = Self::sides(bits, list, cuts.cuts[cut_at(j)]);
                    if self.decide(if near_is_left { &left } else { &right }, lists, share)? {
                        n_good = j + 1;
                    } else {
                        bad = j;
                    }
                }
                if n_good == 0 {
                    continue;
                }
                let i = cut_at(n_good - 1);
                let cut = cuts.cuts[i];
                let (left, right) = Self::sides(bits, list, cut);
                let (near, far) = if near_is_left { (&left, &right) } else { (&right, &left) };
                if self.decide(far, lists, rest)? {
                    let splits = 1 + self.high(near, share) + self.high(far, rest);
                    return Ok(Some(FoundCut { cut, splits }));
                }
                // With a larger share for this side only cuts beyond this one can succeed.
                if near_is_left {
                    from = from.max(i + 1);
                } else {
                    to = to.min(i);
                }
            }
        }
        Ok(None)
    }
}
