//! Blocks of rows that walk together through trees of thresholds.
//!
//! Sixteen rows are in flight, so that their chains of dependent loads overlap; after a few steps
//! the rows that have arrived are left out and the others move together. The numbers of a block lie
//! row by row, in the caller's array or in a copy that all trees of a forest read. O(rows x depth).

use super::compiled::{CompiledTree, Source};
use crate::data::Bits;
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::simd::walk::{LANES, Number};

/// Rows of a block: numbers of 20 features fit the first-level cache.
pub(super) const BLOCK: usize = 256;
/// Numbers of a copied block: beyond them rows walk one by one in the caller's arrays.
const LARGEST_COPY: usize = 1 << 17;
/// Steps before the rows that have arrived are left out for the first time, and for each later one.
const FIRST_STEPS: usize = 14;
const MORE_STEPS: usize = 6;

/// Numbers row by row.
#[derive(Debug, Clone, Copy)]
pub enum Dense<'a> {
    /// float64.
    F64(&'a [f64]),
    /// float32.
    F32(&'a [f32]),
}

impl Dense<'_> {
    fn has_missing(self) -> bool {
        // Chunks, so that the inner loop vectorises and the outer one may stop.
        match self {
            Self::F64(a) => a.chunks(1024).any(|c| c.iter().fold(false, |any, x| any | x.is_nan())),
            Self::F32(a) => a.chunks(1024).any(|c| c.iter().fold(false, |any, x| any | x.is_nan())),
        }
    }

    fn rows(self, first: usize, len: usize, width: usize) -> Self {
        let range = first * width..(first + len) * width;
        match self {
            Self::F64(a) => Self::F64(&a[range]),
            Self::F32(a) => Self::F32(&a[range]),
        }
    }
}

/// Room for a copy of a block.
#[derive(Debug, Default)]
pub(super) struct Copied(Vec<f64>);

/// At most [`BLOCK`] rows of a source.
pub(super) struct Block<'a, S> {
    source: &'a S,
    pub(super) first: usize,
    pub(super) len: usize,
    /// The numbers, where they could be had row by row.
    values: Option<(Dense<'a>, bool)>,
}

impl<'a, S: Source> Block<'a, S> {
    /// Rows `first..first + len`, read as a tree reads them; `numeric` when some tree tests numbers
    /// only.
    pub(super) fn new(
        source: &'a S,
        (first, len): (usize, usize),
        (tree, numeric): (&CompiledTree, bool),
        copy: &'a mut Copied,
    ) -> Self {
        let width = tree.features();
        if !numeric {
            return Self { source, first, len, values: None };
        }
        if let Some(all) = source.dense() {
            let own = all.rows(first, len, width);
            let missing = own.has_missing();
            if !(missing && tree.fills) {
                return Self { source, first, len, values: Some((own, missing)) };
            }
        }
        if len * width > LARGEST_COPY {
            return Self { source, first, len, values: None };
        }
        copy.0.clear();
        for row in first..first + len {
            copy.0.extend((0..width).map(|feature| tree.number(source, row, feature)));
        }
        let own = Dense::F64(&copy.0);
        Self { source, first, len, values: Some((own, own.has_missing())) }
    }

    /// Ends of the walks ([`CompiledTree::end`]) of the block's rows through a tree that reads rows
    /// as the one that the block was made for.
    pub(super) fn ends(&self, tree: &CompiledTree, out: &mut [u32]) {
        match self.values {
            Some((Dense::F64(a), false)) if tree.numeric => walk::<f64, false>(tree, a, out),
            Some((Dense::F64(a), true)) if tree.numeric => walk::<f64, true>(tree, a, out),
            Some((Dense::F32(a), false)) if tree.numeric => walk::<f32, false>(tree, a, out),
            Some((Dense::F32(a), true)) if tree.numeric => walk::<f32, true>(tree, a, out),
            _ => {
                for (i, end) in out.iter_mut().enumerate() {
                    *end = tree.end(self.source, self.first + i);
                }
            }
        }
    }
}

impl CompiledTree {
    /// Ends of the walks of a range of rows, block by block: `take(row, end)`, rows ascending.
    pub fn ends<S: Source>(
        &self,
        source: &S,
        first: usize,
        len: usize,
        mut take: impl FnMut(usize, u32),
    ) {
        let mut copy = Copied::default();
        for start in (first..first + len).step_by(BLOCK) {
            let range = (start, BLOCK.min(first + len - start));
            let block = Block::new(source, range, (self, self.numeric), &mut copy);
            self.block_ends(&block, &mut take);
        }
    }

    /// The same for the rows of a block.
    pub(super) fn block_ends<S: Source>(
        &self,
        block: &Block<'_, S>,
        mut take: impl FnMut(usize, u32),
    ) {
        let mut ends = [0; BLOCK];
        let ends = &mut ends[..block.len];
        block.ends(self, ends);
        ends.iter().enumerate().for_each(|(i, &end)| take(block.first + i, end));
    }

    /// The leaf of each of `n` rows: the one with the largest fraction of it.
    pub fn leaves<S: Source>(&self, source: &S, n: usize, control: &Control) -> Result<Vec<u32>> {
        let mut out = vec![0; n];
        in_parts(&mut out, 1, control, |first, part| {
            self.ends(source, first, part.len(), |row, end| {
                part[row - first] = self.settled(source, row, end);
            });
        })?;
        Ok(out)
    }
}

/// Fill an array of `width` numbers a row, in parts on several threads; `fill` gets the first row
/// of its part.
pub(super) fn in_parts<T: Send>(
    out: &mut [T],
    width: usize,
    control: &Control,
    fill: impl Fn(usize, &mut [T]) + Sync,
) -> Result<()> {
    if width == 0 {
        return Err(Error::Internal("a model without classes".into()));
    }
    let n = out.len() / width;
    let share = n.div_ceil(4 * control.threads()).clamp(1024, 1 << 16);
    let mut parts: Vec<&mut [T]> = out.chunks_mut(share * width).collect();
    parallel::for_each_mut(control, &mut parts, |i, part| {
        control.check()?;
        fill(i * share, part);
        Ok(())
    })
}

/// One step of a row that may hold NaN.
#[inline(always)]
fn step<T: Number>(tree: &CompiledTree, row: &[T], at: u32) -> u32 {
    let node = &tree.table.nodes()[at as usize];
    let x: f64 = row[node.feature()].into();
    if x.is_nan() {
        return tree.missing_child(at);
    }
    std::hint::select_unpredictable(x <= node.value, at + 1, node.second)
}

/// Ends of the walks of rows that lie row by row; `MISSING` when they may hold NaN.
fn walk<T: Number, const MISSING: bool>(tree: &CompiledTree, values: &[T], ends: &mut [u32]) {
    let width = tree.table.width();
    let row = |i: u32| &values[i as usize * width..(i as usize + 1) * width];
    ends.fill(0);
    if ends.len() < LANES {
        // A few rows stop where they arrive, which is long before the depth of a grown-out tree.
        for (i, end) in ends.iter_mut().enumerate() {
            loop {
                let next = step(tree, row(i as u32), *end);
                if next == *end {
                    break;
                }
                *end = next;
            }
        }
        return;
    }
    // Rows in flight, and beyond them rows that do no harm: a group is always read whole.
    let last = ends.len() as u32 - 1;
    let mut live = [0_u32; BLOCK];
    live.iter_mut().zip(0..).for_each(|(row, i)| *row = last.min(i));
    let mut count = ends.len();
    let (mut done, mut steps) = (0, FIRST_STEPS.min(tree.depth));
    while steps > 0 && count > 0 {
        let mut kept = 0;
        for start in (0..count).step_by(LANES) {
            let lanes = LANES.min(count - start);
            let Some(&group) = live[start..].first_chunk::<LANES>() else { break };
            let mut at = group.map(|r| ends[r as usize]);
            let mut before = at;
            if MISSING {
                for _ in 0..steps {
                    before = at;
                    at.iter_mut().zip(&group).for_each(|(at, &r)| *at = step(tree, row(r), *at));
                }
            } else {
                T::steps(&tree.table, values, &group, &mut at, steps - 1);
                before = at;
                T::steps(&tree.table, values, &group, &mut at, 1);
            }
            for lane in 0..lanes {
                ends[group[lane] as usize] = at[lane];
                live[kept] = group[lane];
                kept += usize::from(at[lane] != before[lane]);
            }
        }
        count = kept;
        done += steps;
        steps = MORE_STEPS.min(tree.depth - done);
    }
}

/// Some rows of a source, numbered from 0.
pub(super) struct Picked<'s, S> {
    pub(super) source: &'s S,
    pub(super) rows: &'s [u32],
}

impl<S: Source> Source for Picked<'_, S> {
    #[inline]
    fn number(&self, row: usize, feature: usize) -> f64 {
        self.source.number(self.rows[row] as usize, feature)
    }
    fn code(&self, row: usize, feature: usize) -> u32 {
        self.source.code(self.rows[row] as usize, feature)
    }
}

/// Rows of a range whose bits are set.
pub(super) fn picked(first: usize, len: usize, only: &Bits, out: &mut Vec<u32>) {
    out.clear();
    out.extend((first as u32..(first + len) as u32).filter(|&r| only.get(r) == 1));
}
