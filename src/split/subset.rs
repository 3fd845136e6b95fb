//! Binary splits of a nominal feature: its levels are divided between two branches, with a third
//! branch for missing values where the node has any.
//!
//! [`NominalSplits::OneVsRest`] offers each level against all others. [`NominalSplits::Subset`]
//! looks for the best division of the `v` levels that occur in the node:
//!
//! - two classes or a number, and a criterion that [orders
//!   levels](crate::criteria::Properties::breiman_order): sorted by the share of a class, or by the
//!   mean of the number, the best division cuts that order in two (Breiman, Friedman, Olshen &
//!   Stone 1984, section 4.2.2; Fisher 1958), so there are `v - 1` candidates, O(v log v);
//! - otherwise all `2^(v-1) - 1` divisions, up to [`EXACT`] levels: sums of the low eight levels
//!   are tabulated once and added to those of the high ones, O(classes) a candidate;
//! - more levels of a number are cut in the order of their means;
//! - more levels of classes are first joined, as C4.5 does with `-s`: the two groups whose union
//!   loses least information (`f(a + b) - f(a) - f(b)`, `f(n) = n log n - sum n_c log n_c`; the
//!   first pair on ties), until [`EXACT`] groups are left, all divisions of which are tried.
//!   O(v^2 classes) a node; more than [`MOST`] levels are first joined with their neighbours in the
//!   order of their class shares.
//!
//! Bins of a number and ordered levels keep their order: only cuts between two are offered. Where a
//! limit on the size of branches forbids some divisions, Breiman's order is not used for two
//! classes up to [`EXACT`] levels; above that, and for a number (as rpart), only its admissible
//! cuts are tried.
//!
//! One of the many divisions of a feature with many levels and few rows in each fits by accident,
//! so [`NominalSplits::Auto`] offers only divisions that save more bits of the target than they
//! take to name (see `bits`); [`NominalSplits::Subset`] offers all.

mod bits;
mod join;
mod score;

use super::multiway::{Minimum, NominalTable};
use super::random::Draws;
use crate::stats::Sum;
use crate::tree::Test;

pub use score::score_candidates;

/// Most levels (or groups of levels) of which all divisions are tried.
pub const EXACT: usize = 12;
/// Most groups of levels that are compared pair by pair.
pub const MOST: usize = 256;

/// How nominal features are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NominalSplits {
    /// One branch for each declared level.
    #[default]
    Multiway,
    /// Levels divided between two branches.
    Subset,
    /// One level against the others.
    OneVsRest,
    /// `Multiway` for columns of at most [`MULTIWAY_UP_TO`] declared levels, else those of the
    /// divisions in two that save more bits than they take to name.
    Auto,
}

/// Most declared levels that [`NominalSplits::Auto`] gives a branch each.
pub const MULTIWAY_UP_TO: usize = 32;

impl NominalSplits {
    /// How a column with `levels` declared levels (or bins) is split.
    pub fn of(self, levels: usize) -> Self {
        match self {
            Self::Auto if levels <= MULTIWAY_UP_TO => Self::Multiway,
            Self::Auto => Self::Subset,
            fixed => fixed,
        }
    }

    /// How a column is split that gets two branches.
    pub fn in_two(self) -> Self {
        match self {
            Self::Auto => Self::Subset,
            fixed => fixed,
        }
    }

    /// Whether some column may have a branch for each level.
    pub fn has_multiway(self) -> bool {
        matches!(self, Self::Multiway | Self::Auto)
    }
}

/// The setting of a search for divisions.
#[derive(Debug, Clone, Copy)]
pub struct SubsetSearch {
    /// How features are split.
    pub how: NominalSplits,
    /// The criterion orders levels
    /// ([`breiman_order`](crate::criteria::Properties::breiman_order)).
    pub shortcut: bool,
    /// Only divisions that save more bits of the target than they take to name are candidates.
    pub judged: bool,
    /// All divisions of few levels are tried for a number, too, where a limit excludes some.
    pub all_of_number: bool,
    /// Limits on the size of a branch.
    pub min: Minimum,
    /// Value of one unit of the sums.
    pub unit: f64,
    /// Where only one division of each feature is tried: the draws that pick it.
    pub drawn: Option<Draws>,
}

impl SubsetSearch {
    /// Whether the size of a branch is limited.
    fn limited(&self) -> bool {
        self.min.rows > 1 || self.min.weight > 0.0
    }
}

/// The levels of one feature in a node.
#[derive(Debug, Clone)]
pub struct FeatureLevels<'a, S: Sum> {
    /// Class sums by code.
    pub table: NominalTable<'a, S>,
    /// Codes are bins of a number, or ordered levels.
    pub ordered: bool,
    /// Number of rows by code, where a limit or the cost of a division needs it and the sums do not
    /// count rows.
    pub rows: Option<Vec<u32>>,
}

/// How a division of the groups is numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Naming {
    /// By the group that is alone on the first branch.
    #[default]
    Level,
    /// By the number of groups before a cut of their order; those with the lowest code are on the
    /// first branch.
    Cut,
    /// By bits: bit i says that group i + 1 is on the first branch, where group 0 always is.
    Mask,
}

/// The divisions of one feature's levels in a node. A group is a level, or several joined levels
/// that stay on one side.
#[derive(Debug)]
pub struct LevelPartitions<S> {
    classes: usize,
    /// Codes of the groups, group by group.
    codes: Vec<u32>,
    /// Where the codes of each group begin, and where the last ends.
    starts: Vec<usize>,
    /// Class sums, `[group * classes + class]`.
    sums: Vec<S>,
    /// Class sums of missing values; empty without any.
    missing: Vec<S>,
    naming: Naming,
    /// Codes ascend, so that only cuts between them are tried.
    ordered: bool,
    /// What both sides of a division must stay below to be a candidate (see `bits`); `None` where
    /// all divisions are candidates.
    most_left: Option<f64>,
    /// The group with the lowest code.
    lowest: usize,
    /// Buffer for sums.
    work: Vec<S>,
    /// Buffer for codes.
    spare: Vec<u32>,
    /// Buffer for the share of a class in each group, with the group.
    shares: Vec<(f64, usize)>,
    /// The divisions in the order in which they are scored: a key to sort by, and the division
    /// counted from 0.
    sequence: Vec<(u128, u32)>,
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

impl<S> Default for LevelPartitions<S> {
    fn default() -> Self {
        Self {
            classes: 0,
            codes: Vec::new(),
            starts: Vec::new(),
            sums: Vec::new(),
            missing: Vec::new(),
            naming: Naming::Level,
            ordered: false,
            most_left: None,
            lowest: 0,
            work: Vec::new(),
            spare: Vec::new(),
            shares: Vec::new(),
            sequence: Vec::new(),
        }
    }
}

impl<S: Sum> LevelPartitions<S> {
    /// Take the levels of a feature, and choose which of their divisions are tried.
    pub fn fill(&mut self, levels: &FeatureLevels<'_, S>, classes: usize, search: &SubsetSearch) {
        let cells = &levels.table.cells[..];
        self.classes = classes;
        let declared = cells.len() / classes - usize::from(levels.table.missing);
        self.codes.clear();
        self.starts.clear();
        self.sums.clear();
        self.missing.clear();
        // Each level that occurs is a group.
        for (code, row) in cells[..declared * classes].chunks_exact(classes).enumerate() {
            if row.iter().any(|s| !s.is_empty()) {
                self.starts.push(self.codes.len());
                self.codes.push(code as u32);
                // One by one: most rows are too short for a block copy to pay.
                row.iter().for_each(|&s| self.sums.push(s));
            }
        }
        self.starts.push(self.codes.len());
        let rest = &cells[declared * classes..];
        if rest.iter().any(|s| !s.is_empty()) {
            self.missing.extend_from_slice(rest);
        }
        self.lowest = 0;
        self.ordered = levels.ordered;
        self.most_left = None;
        if search.judged && !levels.ordered {
            self.join_single_rows(levels.rows.as_deref(), search.unit);
            self.most_left = Some(self.affordable(search.unit));
        }
        let n = self.groups();
        let number = self.sums.first().is_some_and(|sums| sums.moments().is_some());
        // With classes not every division that a limit or a third branch leaves is judged well by
        // the order; with a number the cuts of the order are the candidates, unless a test asks for
        // all.
        let all = (!number || search.all_of_number)
            && (!self.missing.is_empty() || (search.limited() && n <= EXACT));
        // Cuts of an order where one serves, else all divisions, of joined levels if need be.
        self.naming = match search.how {
            _ if levels.ordered => Naming::Cut,
            NominalSplits::OneVsRest => Naming::Level,
            _ if search.shortcut && search.drawn.is_none() && !all => {
                if self.sort_by_share(search.unit) { Naming::Cut } else { Naming::Mask }
            }
            _ => Naming::Mask,
        };
        if self.naming == Naming::Mask && n > EXACT {
            // The means of a number order its levels; classes are joined.
            if number && self.sort_by_share(search.unit) {
                self.naming = Naming::Cut;
            } else {
                self.join(search.unit);
            }
        }
    }

    /// Number of groups.
    fn groups(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of divisions.
    pub fn len(&self) -> usize {
        match (self.groups(), self.naming) {
            (0 | 1, _) => 0,
            (2, _) => 1,
            (n, Naming::Level) => n,
            (n, Naming::Cut) => n - 1,
            (n, Naming::Mask) => (1 << (n - 1)) - 1,
        }
    }

    /// The numbers of all divisions.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + use<S> {
        let first = self.first();
        (0..self.len() as u32).map(move |i| first + i)
    }

    /// Whether there is no division.
    pub fn is_empty(&self) -> bool {
        self.groups() < 2
    }

    /// Number of branches of every division.
    fn branches(&self) -> usize {
        2 + usize::from(!self.missing.is_empty())
    }

    /// Whether a group is on the first branch of division `at`.
    fn is_first(&self, at: u32, group: usize) -> bool {
        match self.naming {
            Naming::Level => group == at as usize,
            Naming::Cut => (group < at as usize) == (self.lowest < at as usize),
            Naming::Mask => group == 0 || at >> (group - 1) & 1 == 1,
        }
    }

    /// The number of the first division: cuts are numbered from 1, others from 0.
    fn first(&self) -> u32 {
        u32::from(self.naming == Naming::Cut)
    }

    /// Put the divisions in the order in which ties are decided. Cuts of an order by shares come as
    /// the same divisions would come among all, where their masks fit into 128 bits.
    fn arrange(&mut self, ordered: bool) {
        let n = self.len() as u32;
        self.sequence.clear();
        if self.naming == Naming::Cut && !ordered && self.groups() <= 128 {
            let (mut before, all) = (0_u128, u128::MAX >> (128 - self.groups()));
            let lowest_code = |group: usize| self.codes[self.starts[group]];
            for i in 0..n {
                let code = lowest_code(i as usize);
                before |= 1 << (0..self.groups()).filter(|&g| lowest_code(g) < code).count();
                let mask = if self.lowest <= i as usize { before } else { all & !before };
                self.sequence.push((mask, i));
            }
            self.sequence.sort_unstable();
        } else {
            self.sequence.extend((0..n).map(|i| (0, i)));
        }
    }

    /// The codes that occur and are on the first branch of division `at`, ascending.
    pub fn listed(&self, at: u32) -> Vec<u32> {
        let first = (0..self.groups()).filter(|&g| self.is_first(at, g));
        let mut codes: Vec<u32> =
            first.flat_map(|g| &self.codes[self.starts[g]..self.starts[g + 1]]).copied().collect();
        codes.sort_unstable();
        codes
    }

    /// The codes that occur, ascending.
    pub fn occurring(&self) -> Vec<u32> {
        let mut codes = self.codes.clone();
        codes.sort_unstable();
        codes
    }

    /// The test of division `at` of `declared` levels. Where levels are bins of a number, `cuts`
    /// are their edges and the test is a threshold. Levels that do not occur go to the heavier
    /// branch (the first on ties); in one-vs-rest they belong to the rest.
    pub fn partition(
        &self,
        at: u32,
        declared: u32,
        cuts: Option<&[f64]>,
        search: &SubsetSearch,
    ) -> LevelPartition {
        let mut listed = self.listed(at);
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
        let (sums, _) = self.sums(at);
        let weight = |b: usize| {
            Sum::total(&sums[b * self.classes..(b + 1) * self.classes]).value(search.unit)
        };
        if search.how == NominalSplits::Subset && weight(0) >= weight(1) {
            let occurring = self.occurring();
            listed.extend((0..declared).filter(|code| occurring.binary_search(code).is_err()));
            listed.sort_unstable();
        }
        listed.iter().for_each(|&code| is_first[code as usize] = true);
        let test = Test::Subset { first: 0, len: listed.len() as u32 };
        LevelPartition { test, listed, is_first }
    }

    /// Class sums of the branches of division `at`, and whether there is a third one, for missing
    /// values.
    pub fn sums(&self, at: u32) -> (Vec<S>, bool) {
        let k = self.classes;
        let mut sums = vec![S::default(); 2 * k];
        for g in 0..self.groups() {
            let side = if self.is_first(at, g) { 0 } else { k };
            for c in 0..k {
                sums[side + c] = sums[side + c].plus(self.sums[g * k + c]);
            }
        }
        sums.extend_from_slice(&self.missing);
        (sums, !self.missing.is_empty())
    }

    /// Sort the groups by the share of the first class that occurs, or by the mean of a numeric
    /// target; does nothing and returns false where more than two classes occur.
    fn sort_by_share(&mut self, unit: f64) -> bool {
        let k = self.classes;
        let mut occurring =
            (0..k).filter(|&c| (0..self.groups()).any(|g| !self.sums[g * k + c].is_empty()));
        let (Some(first), second, None) = (occurring.next(), occurring.next(), occurring.next())
        else {
            return false;
        };
        let share = |g: usize| {
            if let Some(sums) = self.sums[g * k].moments() {
                return sums.rounded(unit).mean;
            }
            let weight = |c: usize| self.sums[g * k + c].value(unit);
            // Rounded quotients of exact sums: equal shares are equal numbers.
            weight(first) / (weight(first) + second.map_or(0.0, weight))
        };
        let mut order = std::mem::take(&mut self.shares);
        order.clear();
        order.extend((0..self.groups()).map(|g| (share(g), g)));
        sort_shares(&mut order);
        self.work.clear();
        self.spare.clear();
        let mut starts = Vec::with_capacity(self.starts.len());
        for &(_, g) in &order {
            self.sums[g * k..(g + 1) * k].iter().for_each(|&s| self.work.push(s));
            starts.push(self.spare.len());
            self.spare.extend_from_slice(&self.codes[self.starts[g]..self.starts[g + 1]]);
        }
        starts.push(self.spare.len());
        self.starts = starts;
        self.lowest = order.iter().position(|&(_, g)| g == 0).unwrap_or(0);
        std::mem::swap(&mut self.sums, &mut self.work);
        std::mem::swap(&mut self.codes, &mut self.spare);
        self.shares = order;
        true
    }
}

/// Sort groups by their shares, then by number.
fn sort_shares(groups: &mut [(f64, usize)]) {
    groups.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
}
