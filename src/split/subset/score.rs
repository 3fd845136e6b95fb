//! The divisions of a [`LevelPartitions`] become blocks of tables.
//!
//! Divisions of several features share a block as long as they have the same number of branches.

use super::{FeatureLevels, LevelPartitions, Naming, SubsetSearch};
use crate::criteria::{Context, Tables};
use crate::error::Result;
use crate::numeric::{Count, uniform};
use crate::reached::{self, Way};
use crate::split::block::{BLOCK, BlockScratch};
use crate::split::sink::{CandidateBlock, Features, Sink};
use crate::stats::Sum;

/// Levels whose sums are tabulated.
const LOW: usize = 8;

/// Score the divisions of a node's nominal features, in feature order.
pub fn score_candidates<'a, S: Sum>(
    features: impl Iterator<Item = FeatureLevels<'a, S>>,
    totals: &[S],
    search: &SubsetSearch,
    context: &Context,
    partitions: &mut LevelPartitions<S>,
    scratch: &mut BlockScratch<S::Cell>,
    sink: &mut dyn Sink,
) -> Result<()> {
    scratch.totals.clear();
    scratch.totals.extend(totals.iter().map(|t| t.cell(search.unit)));
    scratch.features.clear();
    let mut block = SubsetBlock { search, context, branches: 0, scratch, sink };
    for levels in features {
        partitions.fill(&levels, context.classes, search);
        if partitions.is_empty() || !block.admits_missing(partitions, &levels) {
            continue;
        }
        block.open(partitions.branches())?;
        match partitions.naming {
            _ if search.drawn.is_some() => {
                reached::count(Way::SubsetDrawn);
                block.drawn(partitions, &levels)?;
            }
            Naming::Mask => {
                reached::count(Way::SubsetMasks);
                block.masks(partitions, &levels)?;
            }
            _ => {
                reached::count(Way::SubsetOrder);
                block.one_by_one(partitions, &levels)?;
            }
        }
    }
    block.flush()
}

/// Class sums of sets of groups, numbered by their bits: those of the low groups are tabulated, and
/// those of the high ones added.
struct SetSums<'w, S> {
    /// Sets of low groups.
    width: usize,
    /// Of group 0 and each set of the low groups: `[class * width + set]`.
    tabulated: &'w mut [S],
    /// Of all groups.
    known: &'w mut [S],
    /// Of the high groups of a set.
    high: &'w mut [S],
}

impl<'w, S: Sum> SetSums<'w, S> {
    /// In a place for `(2^low + 2) * classes` sums.
    fn new(partitions: &LevelPartitions<S>, low: usize, k: usize, place: &'w mut [S]) -> Self {
        let width = 1 << low;
        let (tabulated, rest) = place.split_at_mut(k * width);
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
            known[c] = (0..partitions.groups()).fold(S::default(), |sum, g| sum.plus(group(g, c)));
        }
        Self { width, tabulated, known, high }
    }

    /// Add up the high groups of the set `from`.
    fn list_high(&mut self, partitions: &LevelPartitions<S>, from: usize) {
        let (k, first) = (self.high.len(), self.width.ilog2() as usize + 1);
        for (c, sum) in self.high.iter_mut().enumerate() {
            let listed = (first..partitions.groups()).filter(|g| from >> (g - 1) & 1 == 1);
            *sum = listed.fold(S::default(), |sum, g| sum.plus(partitions.sums[g * k + c]));
        }
    }
}

/// The block under construction.
struct SubsetBlock<'b, C> {
    search: &'b SubsetSearch,
    context: &'b Context,
    branches: usize,
    scratch: &'b mut BlockScratch<C>,
    sink: &'b mut dyn Sink,
}

impl<C: Count> SubsetBlock<'_, C> {
    /// Make room for candidates with a number of branches.
    fn open(&mut self, branches: usize) -> Result<()> {
        if self.branches != branches {
            self.flush()?;
            self.branches = branches;
            self.scratch.prepare(branches, self.context.classes, 2 * BLOCK);
            self.scratch.declare(branches as u32);
        }
        Ok(())
    }

    fn admits_missing<S: Sum<Cell = C>>(
        &self,
        partitions: &LevelPartitions<S>,
        levels: &FeatureLevels<'_, S>,
    ) -> bool {
        let rows = levels.rows.as_ref().and_then(|r| r.last()).copied();
        partitions.missing.is_empty()
            || self.is_large_enough(partitions.missing.iter().copied(), || rows.unwrap_or(0))
    }

    /// Whether a branch reaches the limits; `rows` counts its rows where sums do not.
    fn is_large_enough<S: Sum>(
        &self,
        sums: impl Iterator<Item = S>,
        rows: impl FnOnce() -> u32,
    ) -> bool {
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
        partitions: &LevelPartitions<S>,
        levels: &FeatureLevels<'_, S>,
        at: u32,
        left: impl Iterator<Item = S>,
        right: impl Iterator<Item = S>,
    ) -> bool {
        let rows = |first: bool| {
            let counted = levels.rows.as_deref().unwrap_or_default();
            let side = (0..partitions.groups()).filter(|&g| partitions.is_first(at, g) == first);
            side.flat_map(|g| &partitions.codes[partitions.starts[g]..partitions.starts[g + 1]])
                .map(|&c| counted[c as usize])
                .sum()
        };
        self.is_large_enough(left, || rows(true)) && self.is_large_enough(right, || rows(false))
    }

    /// Append a candidate.
    fn push<S: Sum<Cell = C>>(
        &mut self,
        partitions: &LevelPartitions<S>,
        levels: &FeatureLevels<'_, S>,
        at: u32,
        left: &[S],
        right: &[S],
    ) -> Result<()> {
        let (k, unit, held, stride) = (
            self.context.classes,
            self.search.unit,
            self.scratch.features.len(),
            self.scratch.stride,
        );
        for (i, &sum) in left.iter().chain(right).chain(&partitions.missing).enumerate() {
            self.scratch.cells[i * stride + held] = sum.cell(unit);
        }
        debug_assert_eq!(left.len(), k);
        self.scratch.at[held] = at;
        self.scratch.features.push(levels.table.feature);
        if held + 1 == stride { self.flush() } else { Ok(()) }
    }

    /// One division, drawn among all.
    fn drawn<S: Sum<Cell = C>>(
        &mut self,
        partitions: &LevelPartitions<S>,
        levels: &FeatureLevels<'_, S>,
    ) -> Result<()> {
        let Some(draws) = self.search.drawn else { return Ok(()) };
        let at = partitions.first()
            + uniform(draws.of(levels.table.feature), partitions.len() as u64) as u32;
        let (sums, _) = partitions.sums(at);
        let (left, right) = sums[..2 * self.context.classes].split_at(self.context.classes);
        if self.admits(partitions, levels, at, left.iter().copied(), right.iter().copied()) {
            self.push(partitions, levels, at, left, right)?;
        }
        Ok(())
    }

    /// One level against the others, and cuts of an order.
    fn one_by_one<S: Sum<Cell = C>>(
        &mut self,
        partitions: &mut LevelPartitions<S>,
        levels: &FeatureLevels<'_, S>,
    ) -> Result<()> {
        let (k, n) = (self.context.classes, partitions.groups());
        partitions.arrange(levels.ordered);
        // Sums of the groups (before each cut: of all up to it), of all, and of the other side.
        let mut work = std::mem::take(&mut partitions.work);
        work.clear();
        work.extend_from_slice(&partitions.sums);
        work.resize((n + 2) * k, S::default());
        let (sums, rest) = work.split_at_mut(n * k);
        let (known, after) = rest.split_at_mut(k);
        for row in sums.chunks_exact(k) {
            known.iter_mut().zip(row).for_each(|(sum, &s)| *sum = sum.plus(s));
        }
        if partitions.naming == Naming::Cut {
            (k..sums.len()).for_each(|i| sums[i] = sums[i].plus(sums[i - k]));
        }
        for j in 0..partitions.sequence.len() {
            let i = partitions.sequence[j].1 as usize;
            let at = partitions.first() + i as u32;
            let before = &sums[i * k..(i + 1) * k];
            for c in 0..k {
                after[c] = known[c].minus(before[c]);
            }
            let (left, right) = match partitions.naming == Naming::Level || partitions.lowest <= i {
                true => (before, &after[..]),
                false => (&after[..], before),
            };
            if self.admits(partitions, levels, at, left.iter().copied(), right.iter().copied()) {
                self.push(partitions, levels, at, left, right)?;
            }
        }
        partitions.work = work;
        Ok(())
    }

    /// All divisions, in the order of their numbers.
    fn masks<S: Sum<Cell = C>>(
        &mut self,
        partitions: &mut LevelPartitions<S>,
        levels: &FeatureLevels<'_, S>,
    ) -> Result<()> {
        let (k, groups) = (self.context.classes, partitions.groups());
        let low = (groups - 1).min(LOW);
        let mut work = std::mem::take(&mut partitions.work);
        work.clear();
        work.resize(((1 << low) + 4) * k, S::default());
        let (sets, sides) = work.split_at_mut(((1 << low) + 2) * k);
        let (left, right) = sides.split_at_mut(k);
        let mut sets = SetSums::new(partitions, low, k, sets);
        let (count, width) = (partitions.len(), sets.width);
        for from in (0..count).step_by(width) {
            sets.list_high(partitions, from);
            let end = width.min(count - from);
            if !self.search.limited() {
                let mut j = 0;
                while j < end {
                    j += self.push_sets(partitions, levels, &sets, (from, j), end)?;
                }
                continue;
            }
            for j in 0..end {
                for c in 0..k {
                    left[c] = sets.tabulated[c * width + j].plus(sets.high[c]);
                    right[c] = sets.known[c].minus(left[c]);
                }
                let (at, sides) = ((from + j) as u32, [&*left, &*right]);
                let [l, r] = sides.map(|side| side.iter().copied());
                if self.admits(partitions, levels, at, l, r) {
                    self.push(partitions, levels, at, left, right)?;
                }
            }
        }
        partitions.work = work;
        Ok(())
    }

    /// Append the sets `from + j..from + end` as far as there is room; how many there was room for.
    #[inline]
    fn push_sets<S: Sum<Cell = C>>(
        &mut self,
        partitions: &LevelPartitions<S>,
        levels: &FeatureLevels<'_, S>,
        sets: &SetSums<'_, S>,
        (from, j): (usize, usize),
        end: usize,
    ) -> Result<usize> {
        let (k, unit) = (self.context.classes, self.search.unit);
        let (held, stride) = (self.scratch.features.len(), self.scratch.stride);
        let len = (end - j).min(stride - held);
        let (firsts, seconds) = self.scratch.cells.split_at_mut(k * stride);
        for c in 0..k {
            let (high, known) = (sets.high[c], sets.known[c]);
            let place = c * stride + held;
            let cells = firsts[place..place + len].iter_mut().zip(&mut seconds[place..place + len]);
            for ((l, r), &sum) in cells.zip(&sets.tabulated[c * sets.width + j..][..len]) {
                let sum = sum.plus(high);
                *l = sum.cell(unit);
                *r = known.minus(sum).cell(unit);
            }
        }
        for (c, &sum) in partitions.missing.iter().enumerate() {
            self.scratch.cells[(2 * k + c) * stride + held..][..len].fill(sum.cell(unit));
        }
        for (at, i) in self.scratch.at[held..held + len].iter_mut().zip(from + j..) {
            *at = i as u32;
        }
        self.scratch.features.resize(held + len, levels.table.feature);
        if held + len == stride {
            self.flush()?;
        }
        Ok(len)
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
            self.sink.take(&CandidateBlock { tables, at: &self.scratch.at[..len], features })?;
            self.scratch.features.clear();
        }
        Ok(())
    }
}
