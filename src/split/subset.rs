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
//! - otherwise all `2^(v-1) - 1` divisions, up to [`EXACT`] levels: the sums of the low eight
//!   levels are tabulated once and added to the sums of the high levels, O(classes) per candidate;
//! - more levels of a number are cut in the order of their means;
//! - more levels of classes are first joined, as C4.5 does with `-s`: the two groups whose union
//!   loses least information (`f(a + b) - f(a) - f(b)`, `f(n) = n log n - sum n_c log n_c`; the
//!   first pair on ties), until [`EXACT`] groups are left. Then all divisions of the groups are
//!   tried. O(v^2 classes) per node; more than [`MOST`] levels are first joined with their
//!   neighbours in the order of their class shares.
//!
//! Bins of a number and ordered levels keep their order: only cuts between two are offered. Where a
//! limit on the size of branches forbids some divisions, Breiman's order is not used for two
//! classes up to [`EXACT`] levels; above that, and for a number (as rpart), only its admissible
//! cuts are tried. For two classes it is not used beside a third branch of missing values, either.
//!
//! One of the many divisions of a feature with many levels and few rows in each fits by accident,
//! so [`NominalSplits::Auto`] offers only divisions that save more bits of the target than they
//! take to name (see `bits`); [`NominalSplits::Subset`] offers all.

mod bits;
mod groups;
mod join;
mod score;

use super::multiway::{Minimum, NominalTable};
use super::random::Draws;
use crate::stats::Sum;
use groups::Naming;

pub use groups::{LevelGroups, LevelPartition};
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
    /// One level against all others.
    OneVsRest,
    /// `Multiway` for columns of at most [`MULTIWAY_UP_TO`] declared levels. Columns of more levels
    /// are divided in two, and only divisions that save more bits than they take to name are
    /// candidates.
    Auto,
}

/// Most declared levels that [`NominalSplits::Auto`] gives a branch each.
pub const MULTIWAY_UP_TO: usize = 32;

impl NominalSplits {
    /// How a column with `levels` declared levels (or bins) is split: `Auto` is resolved by this
    /// number, and any other setting stays as it is. The result is never [`Self::Auto`].
    pub fn resolve(self, levels: usize) -> Self {
        match self {
            Self::Auto if levels <= MULTIWAY_UP_TO => Self::Multiway,
            Self::Auto => Self::Subset,
            fixed => fixed,
        }
    }

    /// How a column is split that gets two branches. Growth asks this about columns for which
    /// [`Self::resolve`] is not `Multiway`, so `Auto` means [`Self::Subset`] here.
    pub fn in_two(self) -> Self {
        match self {
            Self::Auto => Self::Subset,
            fixed => fixed,
        }
    }

    /// Whether some column may have a branch for each level. Growth then looks at the columns one
    /// by one for multiway splits; otherwise there are none.
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
    pub uses_order: bool,
    /// Only divisions that save more bits of the target than they take to name are candidates.
    pub must_pay: bool,
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
    /// Whether the size of a branch is limited beyond the row that any branch has.
    fn has_limits(&self) -> bool {
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

/// The divisions of one feature's levels in a node.
#[derive(Debug, Default)]
pub struct LevelPartitions<S> {
    /// The groups that a division puts on one side or the other.
    pub groups: LevelGroups,
    classes: usize,
    /// Class sums, `[group * classes + class]`.
    sums: Vec<S>,
    /// Class sums of missing values; empty without any.
    missing: Vec<S>,
    /// Buffer for the class sums of joined or sorted groups.
    work: Vec<S>,
}

impl<S: Sum> LevelPartitions<S> {
    /// Take the levels of a feature, and choose which of their divisions are tried: cuts of an
    /// order, one level against the others, or all. Levels without rows in the node are not part of
    /// any division. O(levels x classes), and the sort or the joins that the module describes; what
    /// was taken before is dropped.
    pub fn fill(&mut self, levels: &FeatureLevels<'_, S>, classes: usize, search: &SubsetSearch) {
        let cells = &levels.table.cells[..];
        self.classes = classes;
        let declared = cells.len() / classes - usize::from(levels.table.missing);
        self.groups.clear(levels.ordered);
        self.sums.clear();
        self.missing.clear();
        // Each level that occurs is a group.
        for (code, row) in cells[..declared * classes].chunks_exact(classes).enumerate() {
            if row.iter().any(|sum| !sum.is_empty()) {
                self.groups.push(code as u32);
                // One by one: most rows are too short for a block copy to pay.
                row.iter().for_each(|&sum| self.sums.push(sum));
            }
        }
        let rest = &cells[declared * classes..];
        if rest.iter().any(|sum| !sum.is_empty()) {
            self.missing.extend_from_slice(rest);
        }
        if search.must_pay && !levels.ordered {
            self.join_single_rows(levels.rows.as_deref(), search.unit);
            self.groups.spread_bound = Some(self.largest_candidate_spread(search.unit));
        }
        let n_groups = self.groups.count();
        let is_number = self.sums.first().is_some_and(|sums| sums.moments().is_some());
        // With classes the best cut of the order need not be the best division that a limit or a
        // third branch leaves. With a number the cuts of the order are the candidates, unless a
        // test requires all divisions.
        let tries_all = (!is_number || search.all_of_number)
            && (!self.missing.is_empty() || (search.has_limits() && n_groups <= EXACT));
        // Cuts of an order, where an order is enough; otherwise all divisions, of joined levels
        // where there are too many.
        self.groups.naming = match search.how {
            _ if levels.ordered => Naming::Cut,
            NominalSplits::OneVsRest => Naming::Level,
            _ if search.uses_order && search.drawn.is_none() && !tries_all => {
                if self.sort_by_share(search.unit) { Naming::Cut } else { Naming::Mask }
            }
            _ => Naming::Mask,
        };
        if self.groups.naming == Naming::Mask && n_groups > EXACT {
            // The means of a number order its levels; classes are joined.
            if is_number && self.sort_by_share(search.unit) {
                self.groups.naming = Naming::Cut;
            } else {
                self.join(search.unit);
            }
        }
    }

    /// Number of branches of every division.
    fn branches(&self) -> usize {
        2 + usize::from(!self.missing.is_empty())
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
        let (sums, _) = self.sums(at);
        let weight = |branch: usize| {
            Sum::total(&sums[branch * self.classes..(branch + 1) * self.classes]).value(search.unit)
        };
        let takes_rest = search.how == NominalSplits::Subset && weight(0) >= weight(1);
        self.groups.partition(at, declared, cuts, takes_rest)
    }

    /// Class sums of the branches of division `at`, and whether there is a third branch, for
    /// missing values. The sums come branch by branch; O(groups x classes), for single divisions,
    /// as scoring adds up running sums.
    pub fn sums(&self, at: u32) -> (Vec<S>, bool) {
        let k = self.classes;
        let mut sums = vec![S::default(); 2 * k];
        for g in 0..self.groups.count() {
            let side = if self.groups.is_first(at, g) { 0 } else { k };
            for c in 0..k {
                sums[side + c] = sums[side + c].plus(self.sums[g * k + c]);
            }
        }
        sums.extend_from_slice(&self.missing);
        (sums, !self.missing.is_empty())
    }

    /// Join groups: group `g` becomes part of group `to[g]`.
    fn join_groups(&mut self, to: &[usize]) {
        let k = self.classes;
        self.groups.join_into(to);
        self.work.clear();
        self.work.resize(self.groups.count() * k, S::default());
        for (g, &to) in to.iter().enumerate() {
            for c in 0..k {
                self.work[to * k + c] = self.work[to * k + c].plus(self.sums[g * k + c]);
            }
        }
        std::mem::swap(&mut self.sums, &mut self.work);
    }

    /// Sort the groups by the share of the first class that occurs, or by the mean of a numeric
    /// target; does nothing and returns false where more than two classes occur.
    fn sort_by_share(&mut self, unit: f64) -> bool {
        let (k, n) = (self.classes, self.groups.count());
        let mut occurring = (0..k).filter(|&c| (0..n).any(|g| !self.sums[g * k + c].is_empty()));
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
        self.work.clear();
        for &(_, g) in self.groups.sort_by(&share) {
            self.sums[g * k..(g + 1) * k].iter().for_each(|&s| self.work.push(s));
        }
        std::mem::swap(&mut self.sums, &mut self.work);
        true
    }
}
