//! The counters of a node by class, code and feature ([`BinCounters`]), and the cuts and groups
//! that are read from them.
//!
//! Counters have the layout of [`crate::simd::histogram`]: a plane per class, in it a row of
//! counters per code, in it one counter per feature (or per feature that the node searches, where
//! it searches some). Where weights do not count rows, one more plane does. Nodes with few rows for
//! the number of codes have no counters: the codes of a feature are sorted when they are needed.
//! O(rows x features) to count; O(codes x features x classes) to read all cuts.

use super::context::BinnedContext;
use super::cuts::{CutFacts, NodeCuts};
use crate::bins::WeightWidth;
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::reached::{self, Way};
use crate::simd::histogram::{self, RowFormat};
use crate::simd::two_class_cuts::running_sums;
use crate::split::binned::BinGroups;
use crate::stats::Sum;

/// Nodes of at most this many rows are sorted, however few the codes.
const FEW_ROWS: usize = 64;
/// Nodes of at most this many rows are sorted where cuts are scored as one block.
const LEAST_COUNTED: usize = 16;
/// Rows that one thread counts at a time, and after which the cancel flag is checked.
const BLOCK: usize = 1 << 16;

/// The counters of one node.
#[derive(Debug)]
pub(super) struct BinCounters<S> {
    cells: Vec<S>,
    /// Counters between two planes.
    plane: usize,
    /// Features counted.
    features: usize,
    /// There is one plane, of words that hold the rows of two classes
    /// ([`crate::simd::two_class_cuts::pack`]).
    pub packed: bool,
}

/// Whether a node of this many rows has counters, which can be handed down; otherwise its codes are
/// sorted.
pub(super) fn is_counted(context: &BinnedContext<'_>, rows: usize) -> bool {
    rows > FEW_ROWS.max(context.widest / 8)
}

/// Whether a node of this many rows, which is not a small node, is counted for its own search.
pub(super) fn is_counted_in_blocks(context: &BinnedContext<'_>, rows: usize) -> bool {
    is_counted(context, rows) || (context.in_blocks && rows > LEAST_COUNTED)
}

/// Makes counters, and reuses the memory of old ones.
#[derive(Debug, Default)]
pub(super) struct CounterPool<S> {
    unused: Vec<Vec<S>>,
}

impl<S: Sum> CounterPool<S> {
    /// Counters of 0 for all features, or for the chosen features. Where `packed`, there is a
    /// single plane of words.
    fn empty(
        &mut self,
        context: &BinnedContext<'_>,
        chosen: Option<&[u32]>,
        packed: bool,
    ) -> BinCounters<S> {
        let features = chosen.map_or(context.layout.features, <[u32]>::len);
        let plane = context.counted_codes() * features;
        let planes = if packed { 1 } else { context.classes + usize::from(!context.copies()) };
        // In a reused plane only the codes that occur need to be cleared.
        let used = context.widest * features;
        let mut cells = self.unused.pop().unwrap_or_default();
        if cells.len() < planes * plane {
            cells.clear();
            cells.resize(planes * plane, S::default());
        } else {
            (0..planes).for_each(|i| cells[i * plane..i * plane + used].fill(S::default()));
        }
        cells.truncate(planes * plane);
        BinCounters { cells, plane, features, packed }
    }

    /// Count records on this thread: all features, or the chosen features; as words where `packed`.
    /// The smaller children of a split are counted by this, and so are nodes of few rows.
    pub fn count_alone(
        &mut self,
        context: &BinnedContext<'_>,
        rows: &[u8],
        chosen: Option<&[u32]>,
        packed: bool,
    ) -> BinCounters<S> {
        let mut counters = self.empty(context, chosen, packed);
        counters.add(context, rows, chosen);
        counters
    }

    /// Count records as [`Self::count_alone`] does, on several threads where that pays. Integers
    /// are added up, so the counters do not depend on the number of threads.
    pub fn count(
        &mut self,
        context: &BinnedContext<'_>,
        rows: &[u8],
        chosen: Option<&[u32]>,
        packed: bool,
        control: &Control,
    ) -> Result<BinCounters<S>> {
        let block = BLOCK * context.layout.width;
        if packed || rows.len() <= 2 * block {
            return Ok(self.count_alone(context, rows, chosen, packed));
        }
        let mut counters = self.empty(context, chosen, packed);
        // One thread adds all blocks to the same counters. Several threads count blocks apart, and
        // the counters are added up.
        if control.threads() == 1 {
            for block in rows.chunks(block) {
                control.check()?;
                counters.add(context, block, chosen);
            }
            return Ok(counters);
        }
        let blocks: Vec<&[u8]> = rows.chunks(block).collect();
        let counted = parallel::map(control, blocks.len(), &|i| {
            control.check()?;
            Ok(Self::default().count_alone(context, blocks[i], chosen, packed))
        })?;
        for block_counters in &counted {
            for (sum, &count) in counters.cells.iter_mut().zip(&block_counters.cells) {
                *sum = sum.plus(count);
            }
        }
        Ok(counters)
    }

    /// Take counters back, so that the next node that is counted reuses their memory. They are
    /// cleared when they are used again, not here.
    pub fn recycle(&mut self, counters: BinCounters<S>) {
        self.unused.push(counters.cells);
    }
}

impl<S: Sum> BinCounters<S> {
    /// Counters that other processes counted, of `plane` counters per class and of all features.
    /// They are never packed as words of two classes.
    pub fn from_cells(cells: Vec<S>, plane: usize, features: usize) -> Self {
        Self { cells, plane, features, packed: false }
    }

    /// The counters as numbers, plane by plane. Growth on rows in other processes keeps them as the
    /// histogram of the node, from which the histograms of its children are subtracted.
    pub fn into_cells(self) -> Vec<S> {
        self.cells
    }

    /// Count records, by the kernel for their weights and for all or some features.
    fn add(&mut self, context: &BinnedContext<'_>, rows: &[u8], chosen: Option<&[u32]>) {
        let layout = context.layout;
        // One more plane counts rows.
        if !context.copies() {
            let first = context.classes * self.plane;
            for row in rows.chunks_exact(layout.width) {
                self.add_row(context, row, chosen, first, S::from_rows(1));
            }
        }
        if layout.wide {
            for row in rows.chunks_exact(layout.width) {
                let first = layout.class(row) * self.plane;
                self.add_row(context, row, chosen, first, context.weight(row));
            }
            return;
        }
        let class_at = layout.class_at();
        let format = RowFormat {
            width: layout.width,
            features: layout.features,
            class_at,
            planes: if self.packed { 1 } else { context.classes },
            codes: context.counted_codes(),
        };
        // Words hold class 1 in the upper 16 bits, class 0 in the lower.
        let packed = self.packed;
        let shift = |row: &[u8]| if packed { 16 * (row[class_at] & 1) } else { 0 };
        let (add, cells) = (|a: S, b: S| a.plus(b), &mut self.cells);
        // With a numeric target the sum of a row includes its number.
        match if layout.number { WeightWidth::Long } else { layout.weight } {
            WeightWidth::None => {
                let one_row = |row: &[u8]| S::from_rows(1 << shift(row));
                histogram::count(rows, format, chosen, one_row, add, cells);
            }
            WeightWidth::Byte => {
                let copies = |row: &[u8]| S::from_rows(u32::from(row[class_at + 1]) << shift(row));
                histogram::count(rows, format, chosen, copies, add, cells);
            }
            _ => {
                let weight =
                    |row: &[u8]| S::from_row(layout.weight(row) << shift(row), layout.number(row));
                histogram::count(rows, format, chosen, weight, add, cells);
            }
        }
    }

    /// The counters of a class, by code and feature, for all codes but the last: no cut lies above
    /// the last code. There must be a plane per class, so the counters may not be packed.
    pub fn plane(&self, context: &BinnedContext<'_>, class: usize) -> &[S] {
        &self.cells[class * self.plane..][..(context.widest - 1) * self.features]
    }

    /// The first `len` words of packed counters, by code and feature. With `len` the number of
    /// features times all codes but the last, there is one word for each cut.
    pub fn words(&self, len: usize) -> &[S] {
        &self.cells[..len]
    }

    /// Add a weight to the counters of all codes of a record, in the plane that starts at `first`.
    fn add_row(
        &mut self,
        context: &BinnedContext<'_>,
        row: &[u8],
        chosen: Option<&[u32]>,
        first: usize,
        weight: S,
    ) {
        for place in 0..self.features {
            let feature = chosen.map_or(place, |chosen| chosen[place] as usize);
            let code = context.layout.code(row, feature) as usize;
            let cell = &mut self.cells[first + code * self.features + place];
            *cell = cell.plus(weight);
        }
    }

    /// Subtract the counters of some of the rows, so that the counters of the other rows remain.
    /// Both must count the same features, both as words or both by class.
    pub fn subtract(&mut self, context: &BinnedContext<'_>, some: &Self) {
        let used = context.widest * self.features;
        let planes = self.cells.chunks_mut(self.plane).zip(some.cells.chunks(self.plane));
        for (rest, some) in planes {
            for (count, &other) in rest[..used].iter_mut().zip(&some[..used]) {
                *count = count.minus(other);
            }
        }
    }

    /// The occupied codes, of the first `width`, of the feature at a place, with their class sums.
    fn groups(
        &self,
        context: &BinnedContext<'_>,
        place: usize,
        width: usize,
        out: &mut BinGroups<S>,
    ) {
        out.clear();
        let n_classes = context.classes;
        for code in 0..width {
            let at = code * self.features + place;
            let start = out.sums.len();
            let mut all = S::default();
            for class in 0..n_classes {
                let sum = self.cells[class * self.plane + at];
                out.sums.push(sum);
                all = all.plus(sum);
            }
            if all.is_empty() {
                out.sums.truncate(start);
                continue;
            }
            out.codes.push(code as u32);
            if !context.copies() {
                out.rows.push(self.cells[n_classes * self.plane + at].units() as u32);
            }
        }
    }
}

impl BinCounters<u32> {
    /// Class sums of the rows whose code of the feature at a place is at most `at`. O(codes x
    /// classes): for single cuts, as blocks of cuts use running sums.
    pub fn left_sums(&self, context: &BinnedContext<'_>, place: usize, at: u32) -> Vec<u32> {
        let mut sums = vec![0; context.classes];
        for (class, sum) in sums.iter_mut().enumerate() {
            let cells = self.cells[class * self.plane + place..].iter().step_by(self.features);
            *sum = cells.take(at as usize + 1).sum();
        }
        sums
    }
}

/// The cuts between all codes of counted features, code by code.
#[derive(Debug, Clone, Copy)]
pub(super) struct CountedCuts<'a> {
    pub counters: &'a BinCounters<u32>,
    pub context: &'a BinnedContext<'a>,
    /// Class sums of the node.
    pub totals: &'a [u32],
    /// The features counted; `None`: all.
    pub chosen: Option<&'a [u32]>,
}

impl NodeCuts for CountedCuts<'_> {
    fn len(&self) -> usize {
        (self.context.widest - 1) * self.counters.features
    }

    fn count(&self, class: usize, out: &mut [u32]) {
        running_sums(self.counters.plane(self.context, class), self.counters.features, out);
    }

    fn left_sums(&self, cut: usize) -> Vec<u32> {
        let features = self.counters.features;
        self.counters.left_sums(self.context, cut % features, (cut / features) as u32)
    }

    fn place(&self, cut: usize) -> (u32, u32) {
        let (at, place) = (cut / self.counters.features, cut % self.counters.features);
        (self.chosen.map_or(place as u32, |chosen| chosen[place]), at as u32)
    }

    fn facts(&self, lefts: &[u32], cut: usize) -> Option<CutFacts> {
        let Self { counters, context, totals, .. } = *self;
        let (features, last) = (counters.features, context.widest - 1);
        let (at, place) = (cut / features, cut % features);
        let n_rows: u32 = totals.iter().sum();
        let left = |code: usize| if code < last { lefts[code * features + place] } else { n_rows };
        let before = if at == 0 { 0 } else { left(at - 1) };
        if left(at) == before {
            return None;
        }
        // The next occupied code, the weights of both bins, and whether both hold one class.
        let next = (at + 1..=last).find(|&code| left(code) > left(at))?;
        let beside = [left(at) - before, left(next) - left(at)];
        let class = |code: usize| {
            let cell =
                |class: usize| counters.cells[class * counters.plane + code * features + place];
            (0..context.classes).find(|&class| cell(class) > 0)
        };
        let one_class = beside == [1; 2] && class(at) == class(next);
        let (feature, at) = self.place(cut);
        Some(CutFacts { feature, at, next: next as u32, beside, one_class })
    }
}

/// The rows of a node: counters or records.
#[derive(Debug, Clone, Copy)]
pub(super) enum NodeCounts<'n, S> {
    /// Counters of all features.
    All(&'n BinCounters<S>),
    /// Counters of some features, and those features.
    Some(&'n BinCounters<S>, &'n [u32]),
    /// The records themselves.
    Rows(&'n [u8]),
}

impl<S: Sum> NodeCounts<'_, S> {
    /// The sums of a numeric target by code of a feature; `None` where they are not counted: in
    /// nodes of few rows, and for features that the node does not search. Codes without rows have
    /// an empty sum.
    pub fn moments(
        &self,
        context: &BinnedContext<'_>,
        feature: usize,
    ) -> Option<impl ExactSizeIterator<Item = S>> {
        let (counters, place) = match *self {
            Self::All(counters) => (counters, feature),
            Self::Some(counters, chosen) => {
                (counters, chosen.iter().position(|&other| other as usize == feature)?)
            }
            Self::Rows(_) => return None,
        };
        let sums = counters.cells[place..].iter().step_by(counters.features);
        Some(sums.take(context.features[feature].n_codes_with_missing()).copied())
    }

    /// Write the occupied codes of a feature into `out`, ascending, with the code of missing values
    /// if it is occupied. `keys` is memory for sorting.
    pub fn groups(
        &self,
        context: &BinnedContext<'_>,
        feature: usize,
        keys: &mut Vec<u64>,
        out: &mut BinGroups<S>,
    ) {
        let width = context.features[feature].n_codes_with_missing();
        match *self {
            Self::All(counters) => {
                reached::count(Way::GroupsCounted);
                counters.groups(context, feature, width, out);
            }
            Self::Some(counters, chosen) => {
                reached::count(Way::GroupsCounted);
                let place = chosen.iter().position(|&other| other as usize == feature);
                if let Some(place) = place {
                    counters.groups(context, place, width, out);
                }
            }
            Self::Rows(rows) => {
                reached::count(Way::GroupsSorted);
                sorted_groups(context, rows, feature, keys, out);
            }
        }
    }
}

/// Write the occupied codes of a feature into `out` by sorting the codes of the records.
fn sorted_groups<S: Sum>(
    context: &BinnedContext<'_>,
    rows: &[u8],
    feature: usize,
    keys: &mut Vec<u64>,
    out: &mut BinGroups<S>,
) {
    out.clear();
    let (layout, n_classes) = (context.layout, context.classes);
    keys.clear();
    // A key is the code of a record and its place.
    let coded = rows.chunks_exact(layout.width).enumerate();
    keys.extend(coded.map(|(i, row)| u64::from(layout.code(row, feature)) << 32 | i as u64));
    keys.sort_unstable();
    for &key in keys.iter() {
        let (code, at) = ((key >> 32) as u32, key as u32 as usize * layout.width);
        let row = &rows[at..at + layout.width];
        if out.codes.last() != Some(&code) {
            out.codes.push(code);
            out.sums.resize(out.sums.len() + n_classes, S::default());
            if !context.copies() {
                out.rows.push(0);
            }
        }
        let last = out.sums.len() - n_classes + layout.class(row);
        out.sums[last] = out.sums[last].plus(context.weight(row));
        if let Some(rows) = out.rows.last_mut() {
            *rows += 1;
        }
    }
}
