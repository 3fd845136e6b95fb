//! Scores the divisions of nominal features: the tables of the divisions of a [`LevelPartitions`]
//! are collected in blocks and given to a sink.
//!
//! Divisions of consecutive features share a block as long as they have the same number of
//! branches. One division costs O(classes): cuts of an order and one-against-rest from running
//! sums, all `2^(groups - 1) - 1` divisions from sums of sets of groups ([`SetSums`]).

use super::{FeatureLevels, LevelPartitions, Naming, SubsetSearch};
use crate::criteria::Context;
use crate::error::Result;
use crate::numeric::{Count, uniform};
use crate::reached::{self, Way};
use crate::split::block::{BLOCK, BlockScratch};
use crate::split::sink::{CandidateBlock, Features, Sink};
use crate::stats::Sum;
use std::ops::Range;

/// Most groups whose sums are tabulated, for all of their 256 sets.
const MOST_LOW: usize = 8;

/// Score the divisions of a node's nominal features into a sink, in feature order.
///
/// `features` are the levels of each feature in the node, `totals` the class sums of the node, and
/// `search` says which divisions are candidates. `partitions` and `scratch` are memory.
///
/// # Errors
/// Any error of the sink.
pub fn score_candidates<'a, S: Sum>(
    features: &mut dyn Iterator<Item = FeatureLevels<'a, S>>,
    totals: &[S],
    search: &SubsetSearch,
    context: &Context,
    partitions: &mut LevelPartitions<S>,
    scratch: &mut BlockScratch<S::Cell>,
    sink: &mut dyn Sink,
) -> Result<()> {
    scratch.totals.clear();
    scratch.totals.extend(totals.iter().map(|total| total.cell(search.unit)));
    scratch.features.clear();
    let mut block = SubsetBlock { search, context, branches: 0, scratch, sink };
    for levels in features {
        partitions.fill(&levels, context.classes, search);
        if partitions.groups.count() < 2 || !block.admits_missing(partitions, &levels) {
            continue;
        }
        block.open(partitions.branches())?;
        match partitions.groups.naming {
            _ if search.drawn.is_some() => {
                reached::count(Way::Drawn);
                block.push_drawn(partitions, &levels)?;
            }
            Naming::Mask => {
                reached::count(Way::SubsetMasks);
                block.push_masks(partitions, &levels)?;
            }
            _ => {
                reached::count(Way::SubsetOrder);
                block.push_one_by_one(partitions, &levels)?;
            }
        }
    }
    block.flush()
}

/// Class sums of sets of groups. A set is a number whose bits are the groups after the first; the
/// low bits are looked up in a table, and the sums of the high groups are added.
struct SetSums<'w, S> {
    /// Number of sets of low groups.
    width: usize,
    /// Sums of group 0 and each set of low groups: `[class * width + set]`.
    tabulated: &'w mut [S],
    /// Sums of all groups.
    known: &'w mut [S],
    /// Sums of the high groups of the current set.
    high: &'w mut [S],
}

impl<'w, S: Sum> SetSums<'w, S> {
    /// The sums of `low` low groups and `k` classes, in a buffer of `(2^low + 2) * k` sums.
    fn new(partitions: &LevelPartitions<S>, low: usize, k: usize, buffer: &'w mut [S]) -> Self {
        let width = 1 << low;
        let (tabulated, rest) = buffer.split_at_mut(k * width);
        let (known, high) = rest.split_at_mut(k);
        let group = |g: usize, c: usize| partitions.sums[g * k + c];
        for c in 0..k {
            let row = &mut tabulated[c * width..(c + 1) * width];
            row[0] = group(0, c);
            for bit in 0..low {
                let (done, next) = row.split_at_mut(1 << bit);
                let added = group(bit + 1, c);
                next.iter_mut().zip(done).for_each(|(to, from)| *to = from.plus(added));
            }
            known[c] =
                (0..partitions.groups.count()).fold(S::default(), |sum, g| sum.plus(group(g, c)));
        }
        Self { width, tabulated, known, high }
    }

    /// Add up the high groups of a set.
    fn add_high(&mut self, partitions: &LevelPartitions<S>, set: usize) {
        let (k, first) = (self.high.len(), self.width.ilog2() as usize + 1);
        for (c, sum) in self.high.iter_mut().enumerate() {
            let members = (first..partitions.groups.count()).filter(|g| set >> (g - 1) & 1 == 1);
            *sum = members.fold(S::default(), |sum, g| sum.plus(partitions.sums[g * k + c]));
        }
    }
}

/// The block under construction; `scratch.features` has one entry per candidate.
struct SubsetBlock<'b, C> {
    search: &'b SubsetSearch,
    context: &'b Context,
    /// Number of branches of its candidates.
    branches: usize,
    scratch: &'b mut BlockScratch<C>,
    sink: &'b mut dyn Sink,
}

impl<C: Count> SubsetBlock<'_, C> {
    /// Start a new block if the current one has another number of branches.
    fn open(&mut self, branches: usize) -> Result<()> {
        if self.branches != branches {
            self.flush()?;
            self.branches = branches;
            self.scratch.prepare(branches, self.context.classes, 2 * BLOCK);
            self.scratch.declare(branches as u32);
        }
        Ok(())
    }

    /// Whether the branch of missing values, if there is one, reaches the limits.
    fn admits_missing<S: Sum<Cell = C>>(
        &self,
        partitions: &LevelPartitions<S>,
        levels: &FeatureLevels<'_, S>,
    ) -> bool {
        let rows = levels.rows.as_ref().and_then(|rows| rows.last()).copied();
        partitions.missing.is_empty()
            || self.is_large_enough(partitions.missing.iter().copied(), || rows.unwrap_or(0))
    }

    /// Whether a branch reaches the limits. `sums` are its class sums, `rows` counts its rows where
    /// sums do not.
    fn is_large_enough<S: Sum>(
        &self,
        sums: impl Iterator<Item = S>,
        rows: impl FnOnce() -> u32,
    ) -> bool {
        let min = self.search.min;
        if !self.search.has_limits() {
            return true;
        }
        let weight = sums.fold(S::default(), S::plus).value(self.search.unit);
        weight >= min.weight
            && if min.copies {
                weight >= f64::from(min.rows)
            } else {
                min.rows <= 1 || rows() >= min.rows
            }
    }

    /// Whether both sides of division `at` reach the limits, and the division saves enough bits
    /// where that is required; `left` and `right` are the class sums of the sides.
    fn admits<S: Sum>(
        &self,
        partitions: &LevelPartitions<S>,
        levels: &FeatureLevels<'_, S>,
        at: u32,
        left: &[S],
        right: &[S],
    ) -> bool {
        let counted = levels.rows.as_deref().unwrap_or_default();
        let rows = |first| partitions.groups.rows_on(at, first, counted);
        self.is_large_enough(left.iter().copied(), || rows(true))
            && self.is_large_enough(right.iter().copied(), || rows(false))
            && partitions.pays([left, right], self.search.unit)
    }

    /// Append division `at` to the block; `left` and `right` are the class sums of its sides.
    fn push<S: Sum<Cell = C>>(
        &mut self,
        partitions: &LevelPartitions<S>,
        levels: &FeatureLevels<'_, S>,
        at: u32,
        left: &[S],
        right: &[S],
    ) -> Result<()> {
        debug_assert_eq!(left.len(), self.context.classes);
        let (held, stride) = (self.scratch.features.len(), self.scratch.stride);
        for (i, &sum) in left.iter().chain(right).chain(&partitions.missing).enumerate() {
            self.scratch.cells[i * stride + held] = sum.cell(self.search.unit);
        }
        self.scratch.at[held] = at;
        self.scratch.features.push(levels.table.feature);
        if held + 1 == stride { self.flush() } else { Ok(()) }
    }

    /// Append one division, drawn among all.
    fn push_drawn<S: Sum<Cell = C>>(
        &mut self,
        partitions: &LevelPartitions<S>,
        levels: &FeatureLevels<'_, S>,
    ) -> Result<()> {
        let Some(draws) = self.search.drawn else { return Ok(()) };
        let at = partitions.groups.first_number()
            + uniform(draws.bits(levels.table.feature), partitions.groups.len() as u64) as u32;
        let (sums, _) = partitions.sums(at);
        let (left, right) = sums[..2 * self.context.classes].split_at(self.context.classes);
        if self.admits(partitions, levels, at, left, right) {
            self.push(partitions, levels, at, left, right)?;
        }
        Ok(())
    }

    /// Append the divisions of one level against the others, or the cuts of an order.
    fn push_one_by_one<S: Sum<Cell = C>>(
        &mut self,
        partitions: &mut LevelPartitions<S>,
        levels: &FeatureLevels<'_, S>,
    ) -> Result<()> {
        let (k, n) = (self.context.classes, partitions.groups.count());
        partitions.groups.order_divisions();
        // One buffer holds the sums of each group (for cuts, of all groups up to it), of all
        // groups, and of the groups that are not on the current side.
        let mut work = std::mem::take(&mut partitions.work);
        work.clear();
        work.extend_from_slice(&partitions.sums);
        work.resize((n + 2) * k, S::default());
        let (sums, rest) = work.split_at_mut(n * k);
        let (known, others) = rest.split_at_mut(k);
        for row in sums.chunks_exact(k) {
            known.iter_mut().zip(row).for_each(|(sum, &s)| *sum = sum.plus(s));
        }
        if partitions.groups.naming == Naming::Cut {
            (k..sums.len()).for_each(|i| sums[i] = sums[i].plus(sums[i - k]));
        }
        for j in 0..partitions.groups.sequence.len() {
            let i = partitions.groups.sequence[j].1 as usize;
            let at = partitions.groups.first_number() + i as u32;
            let side = &sums[i * k..(i + 1) * k];
            for c in 0..k {
                others[c] = known[c].minus(side[c]);
            }
            // The lone level, or the side with the lowest code, is the first branch.
            let (left, right) =
                match partitions.groups.naming == Naming::Level || partitions.groups.lowest <= i {
                    true => (side, &others[..]),
                    false => (&others[..], side),
                };
            if self.admits(partitions, levels, at, left, right) {
                self.push(partitions, levels, at, left, right)?;
            }
        }
        partitions.work = work;
        Ok(())
    }

    /// Append all divisions, in the order of their numbers.
    fn push_masks<S: Sum<Cell = C>>(
        &mut self,
        partitions: &mut LevelPartitions<S>,
        levels: &FeatureLevels<'_, S>,
    ) -> Result<()> {
        let (k, groups) = (self.context.classes, partitions.groups.count());
        let low = (groups - 1).min(MOST_LOW);
        // One buffer for the sums of sets and of the two sides of a division.
        let mut work = std::mem::take(&mut partitions.work);
        work.clear();
        work.resize(((1 << low) + 4) * k, S::default());
        let (sets, sides) = work.split_at_mut(((1 << low) + 2) * k);
        let (left, right) = sides.split_at_mut(k);
        let mut sets = SetSums::new(partitions, low, k, sets);
        let (count, width) = (partitions.groups.len(), sets.width);
        // The sets that share their high groups come one after the other.
        for high_set in (0..count).step_by(width) {
            sets.add_high(partitions, high_set);
            let end = width.min(count - high_set);
            // Without limits the sides of many divisions are written at once.
            if !self.search.has_limits() && partitions.groups.spread_bound.is_none() {
                let mut low = 0;
                while low < end {
                    low += self.push_sets(partitions, levels, &sets, high_set, low..end)?;
                }
                continue;
            }
            for j in 0..end {
                for c in 0..k {
                    left[c] = sets.tabulated[c * width + j].plus(sets.high[c]);
                    right[c] = sets.known[c].minus(left[c]);
                }
                let at = (high_set + j) as u32;
                if self.admits(partitions, levels, at, left, right) {
                    self.push(partitions, levels, at, left, right)?;
                }
            }
        }
        partitions.work = work;
        Ok(())
    }

    /// Append the sets of the high groups `high_set` and each of the `low_sets` of low groups, as
    /// far as there is room; returns how many were appended.
    #[inline]
    fn push_sets<S: Sum<Cell = C>>(
        &mut self,
        partitions: &LevelPartitions<S>,
        levels: &FeatureLevels<'_, S>,
        sets: &SetSums<'_, S>,
        high_set: usize,
        low_sets: Range<usize>,
    ) -> Result<usize> {
        let (k, unit) = (self.context.classes, self.search.unit);
        let (held, stride) = (self.scratch.features.len(), self.scratch.stride);
        let len = low_sets.len().min(stride - held);
        let (firsts, seconds) = self.scratch.cells.split_at_mut(k * stride);
        for c in 0..k {
            let (high, known) = (sets.high[c], sets.known[c]);
            let place = c * stride + held;
            let cells = firsts[place..place + len].iter_mut().zip(&mut seconds[place..place + len]);
            let tabulated = &sets.tabulated[c * sets.width + low_sets.start..][..len];
            for ((left, right), &sum) in cells.zip(tabulated) {
                let sum = sum.plus(high);
                *left = sum.cell(unit);
                *right = known.minus(sum).cell(unit);
            }
        }
        for (c, &sum) in partitions.missing.iter().enumerate() {
            self.scratch.cells[(2 * k + c) * stride + held..][..len].fill(sum.cell(unit));
        }
        let first = high_set + low_sets.start;
        for (at, i) in self.scratch.at[held..held + len].iter_mut().zip(first..) {
            *at = i as u32;
        }
        self.scratch.features.resize(held + len, levels.table.feature);
        if held + len == stride {
            self.flush()?;
        }
        Ok(len)
    }

    /// Give the block to the sink, and empty it.
    fn flush(&mut self) -> Result<()> {
        let len = self.scratch.features.len();
        if len > 0 {
            let tables = self.scratch.tables(self.branches, len, self.context);
            let features = Features::Each(&self.scratch.features);
            self.sink.take(&CandidateBlock { tables, at: &self.scratch.at[..len], features })?;
            self.scratch.features.clear();
        }
        Ok(())
    }
}
