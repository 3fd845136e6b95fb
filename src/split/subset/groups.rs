//! The groups of levels that divisions in two put on one side or the other ([`LevelGroups`]), and
//! how divisions are numbered.
//!
//! A group is a level that occurs in the node, or several joined levels that stay on one side.
//! [`LevelPartitions`](super::LevelPartitions) has the class sums of the groups; nothing here
//! depends on their type. Sorting costs O(groups log groups), everything else O(levels).

use crate::tree::Test;

/// How a division of the groups is numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Naming {
    /// A division has the number of the group that is alone on the first branch.
    #[default]
    Level,
    /// A division has the number of groups before a cut of their order. The side with the lowest
    /// code is the first branch.
    Cut,
    /// The number of a division is a set of bits: bit i says that group i + 1 is on the first
    /// branch. Group 0 always is.
    Mask,
}

/// A division of the levels of a feature as a test.
#[derive(Debug, Clone)]
pub struct LevelPartition {
    /// Subset test, or the threshold where codes are bins of a number.
    pub test: Test,
    /// Levels that a subset test lists, ascending.
    pub listed: Vec<u32>,
    /// Whether a code is on the first branch, for every declared level.
    pub is_first: Vec<bool>,
}

/// Groups of levels.
#[derive(Debug, Default)]
pub struct LevelGroups {
    /// Codes of the groups, group by group; the lowest of each group comes first.
    codes: Vec<u32>,
    /// Where the codes of each group end.
    ends: Vec<usize>,
    pub(super) naming: Naming,
    /// Codes ascend, so that only cuts between them are tried.
    ordered: bool,
    /// The spread that both sides of a division must stay below to be a candidate (see `bits`);
    /// `None` where all divisions are candidates.
    pub(super) spread_bound: Option<f64>,
    /// The group with the lowest code.
    pub(super) lowest: usize,
    /// Buffer for codes.
    spare: Vec<u32>,
    /// Buffer for a number of each group, with the group.
    keyed: Vec<(f64, usize)>,
    /// The divisions in the order in which they are scored: a key to sort by, and the division
    /// counted from 0.
    pub(super) sequence: Vec<(u128, u32)>,
}

impl LevelGroups {
    /// Forget all groups; in the groups to come, `ordered` codes ascend.
    pub(super) fn clear(&mut self, ordered: bool) {
        self.codes.clear();
        self.ends.clear();
        (self.naming, self.ordered, self.spread_bound, self.lowest) =
            (Naming::Level, ordered, None, 0);
    }

    /// Add a group of one level; codes ascend.
    pub(super) fn push(&mut self, code: u32) {
        self.codes.push(code);
        self.ends.push(self.codes.len());
    }

    /// Number of groups.
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// Codes of a group, the lowest first.
    pub(super) fn codes(&self, group: usize) -> &[u32] {
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        &self.codes[start..self.ends[group]]
    }

    /// The number of divisions in two that are tried. It grows with the groups as their naming
    /// says: one per level, one per cut of the order, or all of them.
    pub(super) fn len(&self) -> usize {
        match (self.count(), self.naming) {
            (0 | 1, _) => 0,
            (2, _) => 1,
            (n, Naming::Level) => n,
            (n, Naming::Cut) => n - 1,
            (n, Naming::Mask) => (1 << (n - 1)) - 1,
        }
    }

    /// The numbers of all divisions, as candidates carry them, ascending. They are consecutive;
    /// there are none where fewer than two groups occur.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + use<> {
        let first = self.first_number();
        (0..self.len() as u32).map(move |division| first + division)
    }

    /// Whether a group is on the first branch of division `at`.
    pub(super) fn is_first(&self, at: u32, group: usize) -> bool {
        match self.naming {
            Naming::Level => group == at as usize,
            Naming::Cut => (group < at as usize) == (self.lowest < at as usize),
            Naming::Mask => group == 0 || at >> (group - 1) & 1 == 1,
        }
    }

    /// The number of the first division: cuts are numbered from 1, others from 0.
    pub(super) fn first_number(&self) -> u32 {
        u32::from(self.naming == Naming::Cut)
    }

    /// Put the divisions in the order in which ties are decided. Cuts of an order by shares come as
    /// the same divisions would come among all, where their masks fit into 128 bits.
    pub(super) fn order_divisions(&mut self) {
        let (divisions, n) = (self.len() as u32, self.count());
        self.sequence.clear();
        if self.naming == Naming::Cut && !self.ordered && n <= 128 {
            let (mut before, all) = (0_u128, u128::MAX >> (128 - n));
            for i in 0..divisions {
                let code = self.codes(i as usize)[0];
                before |= 1 << (0..n).filter(|&g| self.codes(g)[0] < code).count();
                let mask = if self.lowest <= i as usize { before } else { all & !before };
                self.sequence.push((mask, i));
            }
            self.sequence.sort_unstable();
        } else {
            self.sequence.extend((0..divisions).map(|i| (0, i)));
        }
    }

    /// The number of rows on one side of division `at`; `counted` has the number of rows of each
    /// code.
    pub(super) fn rows_on(&self, at: u32, first: bool, counted: &[u32]) -> u32 {
        let side = (0..self.count()).filter(|&g| self.is_first(at, g) == first);
        let rows = |g: usize| self.codes(g).iter().map(|&c| counted[c as usize]).sum::<u32>();
        side.map(rows).sum()
    }

    /// The codes that occur and are on the first branch of division `at`, ascending. Codes without
    /// rows in the node are missing; [`LevelPartition`] assigns them, too.
    pub fn codes_on_first(&self, at: u32) -> Vec<u32> {
        let mut codes = Vec::new();
        for g in (0..self.count()).filter(|&g| self.is_first(at, g)) {
            codes.extend_from_slice(self.codes(g));
        }
        codes.sort_unstable();
        codes
    }

    /// The codes that occur in the node, ascending, whichever group they belong to. The code of
    /// missing values is not among them.
    pub fn occurring(&self) -> Vec<u32> {
        let mut codes = self.codes.clone();
        codes.sort_unstable();
        codes
    }

    /// The test of division `at` of `declared` levels; see
    /// [`LevelPartitions::partition`](super::LevelPartitions::partition). Levels that do not occur
    /// are on the first branch if it `takes_rest`.
    pub(super) fn partition(
        &self,
        at: u32,
        declared: u32,
        cuts: Option<&[f64]>,
        takes_rest: bool,
    ) -> LevelPartition {
        let mut listed = self.codes_on_first(at);
        let mut is_first = vec![false; declared as usize];
        if self.ordered {
            let last = listed.last().copied().unwrap_or_default();
            is_first[..=last as usize].fill(true);
            let (test, listed) = match cuts {
                Some(cuts) => (Test::Threshold(cuts[last as usize].into()), Vec::new()),
                None => (Test::Subset { first: 0, len: last + 1 }, (0..=last).collect()),
            };
            return LevelPartition { test, listed, is_first };
        }
        if takes_rest {
            let occurring = self.occurring();
            listed.extend((0..declared).filter(|code| occurring.binary_search(code).is_err()));
            listed.sort_unstable();
        }
        listed.iter().for_each(|&code| is_first[code as usize] = true);
        let test = Test::Subset { first: 0, len: listed.len() as u32 };
        LevelPartition { test, listed, is_first }
    }

    /// Move groups: group `g` becomes part of group `to[g]`.
    pub(super) fn join_into(&mut self, to: &[usize]) {
        let joined = to.iter().max().map_or(0, |&last| last + 1);
        // Where the codes of each group begin, which move on as they are written.
        let mut ends = vec![0; joined];
        for (g, &group) in to.iter().enumerate() {
            if let Some(next) = ends.get_mut(group + 1) {
                *next += self.codes(g).len();
            }
        }
        for group in 1..joined {
            ends[group] += ends[group - 1];
        }
        let mut moved = std::mem::take(&mut self.spare);
        moved.resize(self.codes.len(), 0);
        for (g, &group) in to.iter().enumerate() {
            let codes = self.codes(g);
            moved[ends[group]..][..codes.len()].copy_from_slice(codes);
            ends[group] += codes.len();
        }
        self.ends = ends;
        self.spare = std::mem::replace(&mut self.codes, moved);
    }

    /// Sort the groups by a number, then by their places; returns the number and the earlier place
    /// of each.
    pub(super) fn sort_by(&mut self, number: &dyn Fn(usize) -> f64) -> &[(f64, usize)] {
        let mut keyed = std::mem::take(&mut self.keyed);
        keyed.clear();
        keyed.extend((0..self.count()).map(|g| (number(g), g)));
        keyed.sort_unstable_by(|(number, group), (other_number, other_group)| {
            number.total_cmp(other_number).then(group.cmp(other_group))
        });
        let mut to = vec![0; keyed.len()];
        for (place, &(_, g)) in keyed.iter().enumerate() {
            to[g] = place;
        }
        self.join_into(&to);
        self.lowest = keyed.iter().position(|&(_, g)| g == 0).unwrap_or(0);
        self.keyed = keyed;
        &self.keyed
    }
}
