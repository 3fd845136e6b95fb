//! Blocks of rows that walk together through trees of thresholds.
//!
//! The walk itself is [`crate::simd::walk`]. The numbers of a block lie row by row, in the caller's
//! array or in a copy that all trees of a forest read. O(rows x depth).

use super::compiled::{CompiledTree, Source};
use super::dense::Dense;
use crate::data::Bits;
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::simd::walk::{BLOCK, End, LANES, Number, in_groups};

/// Numbers of a copied block: beyond them rows walk one by one in the caller's arrays.
const LARGEST_COPY: usize = 1 << 17;

/// Room for a copy of a block.
#[derive(Debug, Default)]
pub(super) struct Copied(Vec<f64>);

/// At most [`BLOCK`] rows of a source.
pub(super) struct SourceBlock<'a, S> {
    source: &'a S,
    pub(super) first: usize,
    pub(super) len: usize,
    /// The numbers, where they could be had row by row.
    values: Option<(Dense<'a>, bool)>,
}

impl<'a, S: Source> SourceBlock<'a, S> {
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

    /// Ends of the walks of the block's rows through a tree that reads rows as the one that the
    /// block was made for; with `NODES` the nodes, also of leaves.
    pub(super) fn ends<const NODES: bool>(&self, tree: &CompiledTree, out: &mut [End]) {
        match self.values {
            Some((Dense::F64(a), missing)) if tree.numeric => {
                walk::<_, NODES>(tree, a, missing, out);
            }
            Some((Dense::F32(a), missing)) if tree.numeric => {
                walk::<_, NODES>(tree, a, missing, out);
            }
            _ => {
                for (i, end) in out.iter_mut().enumerate() {
                    let node = tree.last_node(self.source, self.first + i);
                    *end = if NODES { End::at_node(node) } else { tree.end_at(node) };
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
        rows: (usize, usize),
        mut take: impl FnMut(usize, End),
    ) {
        self.blocks(source, rows, |block| self.block_ends::<false, S>(block, &mut take));
    }

    /// Read a range of rows block by block.
    fn blocks<S: Source>(
        &self,
        source: &S,
        (first, len): (usize, usize),
        mut walk: impl FnMut(&SourceBlock<'_, S>),
    ) {
        let mut copy = Copied::default();
        for start in (first..first + len).step_by(BLOCK) {
            let range = (start, BLOCK.min(first + len - start));
            walk(&SourceBlock::new(source, range, (self, self.numeric), &mut copy));
        }
    }

    /// Ends of the walks of the rows of a block; `NODES`: they name nodes.
    pub(super) fn block_ends<const NODES: bool, S: Source>(
        &self,
        block: &SourceBlock<'_, S>,
        mut take: impl FnMut(usize, End),
    ) {
        let mut ends = [End::default(); BLOCK];
        let ends = &mut ends[..block.len];
        block.ends::<NODES>(self, ends);
        ends.iter().enumerate().for_each(|(i, &end)| take(block.first + i, end));
    }

    /// The leaf of each row of a block: the one with the largest fraction of it.
    pub(super) fn block_leaves<S: Source>(
        &self,
        block: &SourceBlock<'_, S>,
        mut take: impl FnMut(usize, u32),
    ) {
        self.block_ends::<true, S>(block, |row, end| {
            if let Err(node) = end.place() {
                take(row, self.settled(block.source, row, node));
            }
        });
    }

    /// The leaf of each of `n` rows: the one with the largest fraction of it.
    pub fn leaves<S: Source>(&self, source: &S, n: usize, control: &Control) -> Result<Vec<u32>> {
        let mut out = vec![0; n];
        in_parts(&mut out, 1, control, |first, part| {
            self.blocks(source, (first, part.len()), |block| {
                self.block_leaves(block, |row, leaf| part[row - first] = leaf);
            });
        })?;
        Ok(out)
    }
}

/// Fill an array of `width` numbers per row on several threads, a part each; `fill` gets the first
/// row of its part.
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

/// Ends of the walks of rows that lie row by row, which may hold NaN if some are `missing`.
fn walk<T: Number, const NODES: bool>(
    tree: &CompiledTree,
    values: &[T],
    missing: bool,
    ends: &mut [End],
) {
    if !missing {
        let walk = if NODES { T::walk_to_nodes } else { T::walk };
        return walk(&tree.table, values, tree.depth, ends);
    }
    let width = tree.table.width();
    let next = |row: u32, at| step(tree, &values[row as usize * width..][..width], at);
    let advance = |rows: &[u32; LANES], at: &mut [u32; LANES], steps| {
        for _ in 0..steps {
            at.iter_mut().zip(rows).for_each(|(at, &row)| *at = next(row, *at));
        }
    };
    let end = |at| if NODES { End::at_node(at) } else { tree.end_at(at) };
    in_groups(tree.depth, ends, advance, |row, at| (end(at), next(row, at) == at));
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
