//! Splits in two of a nominal feature: its levels on two sides, and one branch more for missing values where the node
//! has any.
//!
//! [`NominalSplits::OneVsRest`] offers each level against all others. [`NominalSplits::Subset`] looks for the best
//! division of the `v` levels that occur in the node:
//!
//! - two classes and a criterion that [orders levels](crate::criteria::Criterion::orders_levels): sorted by the share of
//!   a class, the best division cuts that order in two (Breiman, Friedman, Olshen & Stone 1984, section 4.2.2), so there are
//!   `v - 1` candidates, O(v log v);
//! - otherwise all `2^(v-1) - 1` divisions, up to [`EXACT`] levels: sums of the low eight levels are tabulated once and added
//!   to those of the high ones, O(classes) a candidate;
//! - more levels are first joined, as C4.5 does with `-s`: the two groups whose union loses least information
//!   (`f(a + b) - f(a) - f(b)`, `f(n) = n log n - sum n_c log n_c`; the first pair on ties), until [`EXACT`] groups are left, all
//!   divisions of which are tried. O(v^2 classes) a node; more than [`MOST`] levels are first joined with their
//!   neighbours in the order of their class shares.
//!
//! Bins of a number keep their order: only cuts between two bins are offered. A limit on the size of branches forbids
//! some divisions; then the shortcut is left out up to [`EXACT`] levels, and beyond them sees only what is allowed.
//!
//! When not to use it: a feature with many levels and few rows in each has so many divisions that one fits by accident.

mod join;

use super::block::{BLOCK, Scratch};
use super::multiway::{Minimum, NominalTable};
use super::sink::{Features, Offer, Sink};
use crate::criteria::{Context, Tables};
use crate::error::Result;
use crate::numeric::Count;
use crate::stats::Sum;

/// Levels of which all divisions are tried.
pub const EXACT: usize = 12;
/// Groups that are compared pair by pair.
pub const MOST: usize = 256;
/// Levels whose sums are tabulated.
const LOW: usize = 8;

/// How nominal features are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NominalSplits {
    /// One branch for each declared level.
    #[default]
    Multiway,
    /// Levels on two sides.
    Subset,
    /// One level against the others.
    OneVsRest,
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// How features are split.
    pub how: NominalSplits,
    /// The criterion orders levels.
    pub shortcut: bool,
    /// Smallest branch.
    pub min: Minimum,
    /// Value of one unit of the sums.
    pub unit: f64,
}

impl Search {
    fn limited(&self) -> bool {
        self.min.rows > 1 || self.min.weight > 0.0
    }
}

/// The levels of one feature in a node.
#[derive(Debug, Clone)]
pub struct Levels<'a, S> {
    /// Counts by code.
    pub table: NominalTable<'a, S>,
    /// Codes are bins of a number.
    pub ordered: bool,
    /// Rows by code, where sums do not tell and a limit asks.
    pub rows: Option<Vec<u32>>,
}

/// How a number names a division of the groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Naming {
    /// The group on the first branch.
    #[default]
    Level,
    /// The groups before it, against the others.
    Cut,
    /// Bit i: group i + 1 is on the first branch, where group 0 always is.
    Mask,
}

/// The divisions of one feature's levels in a node.
#[derive(Debug)]
pub struct Menu<S> {
    classes: usize,
    /// Codes of the groups, group by group, and where each begins (and the last ends).
    codes: Vec<u32>,
    starts: Vec<usize>,
    /// `[group * classes + class]`.
    sums: Vec<S>,
    /// Class sums of missing values; empty without any.
    missing: Vec<S>,
    naming: Naming,
    /// The group with the lowest code.
    lowest: usize,
}

impl<S> Default for Menu<S> {
    fn default() -> Self {
        Self {
            classes: 0,
            codes: Vec::new(),
            starts: Vec::new(),
            sums: Vec::new(),
            missing: Vec::new(),
            naming: Naming::Level,
            lowest: 0,
        }
    }
}

impl<S: Sum> Menu<S> {
    /// Find out which divisions there are.
    pub fn fill(&mut self, levels: &Levels<'_, S>, classes: usize, search: &Search) {
        let cells = levels.table.cells;
        self.classes = classes;
        let declared = cells.len() / classes - usize::from(levels.table.missing);
        (self.codes.clear(), self.starts.clear(), self.sums.clear(), self.missing.clear());
        for (code, row) in cells[..declared * classes].chunks_exact(classes).enumerate() {
            if row.iter().any(|s| !s.is_empty()) {
                self.starts.push(self.codes.len());
                self.codes.push(code as u32);
                self.sums.extend_from_slice(row);
            }
        }
        self.starts.push(self.codes.len());
        let rest = &cells[declared * classes..];
        if rest.iter().any(|s| !s.is_empty()) {
            self.missing.extend_from_slice(rest);
        }
        self.lowest = 0;
        let n = self.groups();
        self.naming = match search.how {
            _ if levels.ordered => Naming::Cut,
            NominalSplits::OneVsRest => Naming::Level,
            _ if search.shortcut && self.missing.is_empty() && !(search.limited() && n <= EXACT) => {
                if self.sort_by_share(search.unit) { Naming::Cut } else { Naming::Mask }
            }
            _ => Naming::Mask,
        };
        if self.naming == Naming::Mask && n > EXACT {
            self.join(search.unit);
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

    /// Nothing can be divided.
    pub fn is_empty(&self) -> bool {
        self.groups() < 2
    }

    /// Number of branches of every division.
    fn branches(&self) -> usize {
        2 + usize::from(!self.missing.is_empty())
    }

    /// Whether a group is on the first branch of a division. Cuts are numbered from 1.
    fn is_first(&self, at: u32, group: usize) -> bool {
        match self.naming {
            Naming::Level => group == at as usize,
            Naming::Cut => (group < at as usize) == (self.lowest < at as usize),
            Naming::Mask => group == 0 || at >> (group - 1) & 1 == 1,
        }
    }

    /// The first division's number.
    fn first(&self) -> u32 {
        u32::from(self.naming == Naming::Cut)
    }

    /// The divisions in the order in which ties are decided: cuts of shares as all divisions would come.
    fn sequence(&self, ordered: bool) -> Vec<usize> {
        let mut sequence: Vec<usize> = (0..self.len()).collect();
        if self.naming == Naming::Cut && !ordered && self.groups() <= 128 {
            let mut keys = Vec::with_capacity(sequence.len());
            let (mut before, all) = (0_u128, u128::MAX >> (128 - self.groups()));
            for (i, code) in self.codes[..sequence.len()].iter().enumerate() {
                before |= 1 << self.codes.iter().filter(|c| *c < code).count();
                keys.push(if self.lowest <= i { before } else { all & !before });
            }
            sequence.sort_by_key(|&i| keys[i]);
        }
        sequence
    }

    /// Codes that occur, on the first branch, ascending.
    pub fn listed(&self, at: u32) -> Vec<u32> {
        let first = (0..self.groups()).filter(|&g| self.is_first(at, g));
        let mut codes: Vec<u32> =
            first.flat_map(|g| &self.codes[self.starts[g]..self.starts[g + 1]]).copied().collect();
        codes.sort_unstable();
        codes
    }

    /// Codes that occur, ascending.
    pub fn occurring(&self) -> Vec<u32> {
        let mut codes = self.codes.clone();
        codes.sort_unstable();
        codes
    }

    /// Class sums of the branches of a division, and whether the last one holds missing values.
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

    /// Sort the groups by the share of a class; false where more than two classes have rows.
    fn sort_by_share(&mut self, unit: f64) -> bool {
        let k = self.classes;
        let mut present = (0..k).filter(|&c| self.sums.iter().skip(c).step_by(k).any(|s| !s.is_empty()));
        let (Some(a), b, None) = (present.next(), present.next(), present.next()) else { return false };
        let share = |g: usize| {
            let of = |c: usize| self.sums[g * k + c].value(unit);
            // Rounded quotients of exact sums: equal shares are equal numbers.
            of(a) / (of(a) + b.map_or(0.0, of))
        };
        let mut order: Vec<(f64, usize)> = (0..self.groups()).map(|g| (share(g), g)).collect();
        order.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        let sums = order.iter().flat_map(|&(_, g)| self.sums[g * k..(g + 1) * k].iter().copied()).collect();
        let codes: Vec<u32> = order.iter().map(|&(_, g)| self.codes[g]).collect();
        self.lowest = order.iter().position(|&(_, g)| g == 0).unwrap_or(0);
        (self.sums, self.codes) = (sums, codes);
        true
    }
}

/// Offer the divisions of a node's nominal features, in feature order.
pub fn offer<'a, S: Sum>(
    features: impl Iterator<Item = Levels<'a, S>>,
    totals: &[S],
    search: &Search,
    context: &Context,
    menu: &mut Menu<S>,
    scratch: &mut Scratch<S::Cell>,
    sink: &mut dyn Sink,
) -> Result<()> {
    scratch.totals.clear();
    scratch.totals.extend(totals.iter().map(|t| t.cell(search.unit)));
    scratch.features.clear();
    let mut block = Block { search, context, branches: 0, scratch, sink };
    for levels in features {
        menu.fill(&levels, context.classes, search);
        if menu.is_empty() || !block.admits_missing(menu, &levels) {
            continue;
        }
        block.open(menu.branches())?;
        match menu.naming {
            Naming::Mask => block.masks(menu, &levels)?,
            _ => block.one_by_one(menu, &levels)?,
        }
    }
    block.flush()
}

/// The block under construction.
struct Block<'b, C> {
    search: &'b Search,
    context: &'b Context,
    branches: usize,
    scratch: &'b mut Scratch<C>,
    sink: &'b mut dyn Sink,
}

impl<C: Count> Block<'_, C> {
    /// Make room for candidates with so many branches.
    fn open(&mut self, branches: usize) -> Result<()> {
        if self.branches != branches {
            self.flush()?;
            self.branches = branches;
            self.scratch.prepare(branches, self.context.classes, 2 * BLOCK);
            self.scratch.declare(branches as u32);
        }
        Ok(())
    }

    fn admits_missing<S: Sum<Cell = C>>(&self, menu: &Menu<S>, levels: &Levels<'_, S>) -> bool {
        let rows = levels.rows.as_ref().and_then(|r| r.last()).copied();
        menu.missing.is_empty() || self.is_large_enough(menu.missing.iter().copied(), || rows.unwrap_or(0))
    }

    /// Whether a branch reaches the limits; `rows` counts its rows where sums do not.
    fn is_large_enough<S: Sum>(&self, sums: impl Iterator<Item = S>, rows: impl FnOnce() -> u32) -> bool {
        let min = self.search.min;
        if !self.search.limited() {
            return true;
        }
        let weight = sums.fold(S::default(), S::plus).value(self.search.unit);
        weight >= min.weight
            && match min.copies {
                true => weight >= f64::from(min.rows),
                false => min.rows <= 1 || rows() >= min.rows,
            }
    }

    /// Whether both sides of a division reach the limits.
    fn admits<S: Sum>(
        &self,
        menu: &Menu<S>,
        levels: &Levels<'_, S>,
        at: u32,
        left: impl Iterator<Item = S>,
        right: impl Iterator<Item = S>,
    ) -> bool {
        let rows = |first: bool| {
            let counted = levels.rows.as_deref().unwrap_or_default();
            let side = (0..menu.groups()).filter(|&g| menu.is_first(at, g) == first);
            side.flat_map(|g| &menu.codes[menu.starts[g]..menu.starts[g + 1]])
                .map(|&c| counted[c as usize])
                .sum()
        };
        self.is_large_enough(left, || rows(true)) && self.is_large_enough(right, || rows(false))
    }

    /// Append a candidate.
    fn push<S: Sum<Cell = C>>(
        &mut self,
        menu: &Menu<S>,
        levels: &Levels<'_, S>,
        at: u32,
        left: &[S],
        right: &[S],
    ) -> Result<()> {
        let (k, unit, held, stride) =
            (self.context.classes, self.search.unit, self.scratch.features.len(), self.scratch.stride);
        for (i, &sum) in left.iter().chain(right).chain(&menu.missing).enumerate() {
            self.scratch.cells[i * stride + held] = sum.cell(unit);
        }
        debug_assert_eq!(left.len(), k);
        self.scratch.at[held] = at;
        self.scratch.features.push(levels.table.feature);
        if held + 1 == stride { self.flush() } else { Ok(()) }
    }

    /// One level against the others, and cuts of an order.
    fn one_by_one<S: Sum<Cell = C>>(&mut self, menu: &Menu<S>, levels: &Levels<'_, S>) -> Result<()> {
        let k = self.context.classes;
        let mut known = vec![S::default(); k];
        for row in menu.sums.chunks_exact(k) {
            known.iter_mut().zip(row).for_each(|(sum, &s)| *sum = sum.plus(s));
        }
        // Sums of the groups before each cut.
        let mut sums = menu.sums.clone();
        if menu.naming == Naming::Cut {
            (k..sums.len()).for_each(|i| sums[i] = sums[i].plus(sums[i - k]));
        }
        let mut after = known.clone();
        for i in menu.sequence(levels.ordered) {
            let at = menu.first() + i as u32;
            let before = &sums[i * k..(i + 1) * k];
            for c in 0..k {
                after[c] = known[c].minus(before[c]);
            }
            let (left, right) = match menu.naming == Naming::Level || menu.lowest <= i {
                true => (before, &after[..]),
                false => (&after[..], before),
            };
            if self.admits(menu, levels, at, left.iter().copied(), right.iter().copied()) {
                self.push(menu, levels, at, left, right)?;
            }
        }
        Ok(())
    }

    /// All divisions, in the order of their numbers.
    fn masks<S: Sum<Cell = C>>(&mut self, menu: &Menu<S>, levels: &Levels<'_, S>) -> Result<()> {
        let (k, groups, unit) = (self.context.classes, menu.groups(), self.search.unit);
        let low = (groups - 1).min(LOW);
        let width = 1 << low;
        let group = |g: usize, c: usize| menu.sums[g * k + c];
        // Sums of group 0 and of every set of the low groups.
        let mut tabulated = vec![S::default(); k * width];
        let mut known = vec![S::default(); k];
        for c in 0..k {
            let row = &mut tabulated[c * width..(c + 1) * width];
            row[0] = group(0, c);
            for bit in 0..low {
                let (done, next) = row.split_at_mut(1 << bit);
                let added = group(bit + 1, c);
                next.iter_mut().zip(done).for_each(|(to, from)| *to = from.plus(added));
            }
            known[c] = (0..groups).fold(S::default(), |sum, g| sum.plus(group(g, c)));
        }
        let count = menu.len();
        let limited = self.search.limited();
        let (mut left, mut right) = (vec![S::default(); k], vec![S::default(); k]);
        let mut high = vec![S::default(); k];
        for from in (0..count).step_by(width) {
            for (c, sum) in high.iter_mut().enumerate() {
                let listed = (low + 1..groups).filter(|g| from >> (g - 1) & 1 == 1);
                *sum = listed.fold(S::default(), |sum, g| sum.plus(group(g, c)));
            }
            let mut j = 0;
            let end = width.min(count - from);
            while j < end {
                if limited {
                    let at = (from + j) as u32;
                    for c in 0..k {
                        left[c] = tabulated[c * width + j].plus(high[c]);
                        right[c] = known[c].minus(left[c]);
                    }
                    if self.admits(menu, levels, at, left.iter().copied(), right.iter().copied()) {
                        self.push(menu, levels, at, &left, &right)?;
                    }
                    j += 1;
                    continue;
                }
                let (held, stride) = (self.scratch.features.len(), self.scratch.stride);
                let len = (end - j).min(stride - held);
                for c in 0..k {
                    let (firsts, seconds) = self.scratch.cells.split_at_mut(k * stride);
                    let cells = firsts[c * stride + held..][..len]
                        .iter_mut()
                        .zip(&mut seconds[c * stride + held..][..len]);
                    for ((l, r), &sum) in cells.zip(&tabulated[c * width + j..][..len]) {
                        let sum = sum.plus(high[c]);
                        *l = sum.cell(unit);
                        *r = known[c].minus(sum).cell(unit);
                    }
                }
                for (c, &sum) in menu.missing.iter().enumerate() {
                    self.scratch.cells[(2 * k + c) * stride + held..][..len].fill(sum.cell(unit));
                }
                for (at, i) in self.scratch.at[held..held + len].iter_mut().zip(from + j..) {
                    *at = i as u32;
                }
                self.scratch.features.resize(held + len, levels.table.feature);
                j += len;
                if held + len == stride {
                    self.flush()?;
                }
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let len = self.scratch.features.len();
        if len > 0 {
            let tables = Tables {
                cells: C::cells(&self.scratch.cells),
                totals: C::cells(&self.scratch.totals),
                branches: self.branches,
                classes: self.context.classes,
                stride: self.scratch.stride,
                len,
                declared: &self.scratch.declared,
                context: self.context,
            };
            let features = Features::Each(&self.scratch.features);
            self.sink.take(&Offer { tables, at: &self.scratch.at[..len], features })?;
            self.scratch.features.clear();
        }
        Ok(())
    }
}
