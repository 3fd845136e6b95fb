//! Blocks of rows that are sent together through trees that test numbers only.
//!
//! The loop itself is [`crate::simd::walk`]. It needs the numbers of a block row by row: they are
//! read in the caller's array if it has this layout and no missing number is to be filled in, else
//! from a copy of the block, which all trees of a forest share. Rows for other trees, and very wide
//! rows, are sent one by one. O(rows x depth).

use super::compiled::{CompiledTree, Source};
use super::dense::Dense;
use crate::data::Bits;
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::simd::walk::{BLOCK, End, EndPlace, Number, ROWS_PER_GROUP, walk_in_groups};
use std::ops::Range;

/// Largest number of cells in the copy of a block (1 MiB); wider rows are sent one by one.
const LARGEST_COPY: usize = 1 << 17;

/// A buffer for the numbers of a block, where they must be copied.
#[derive(Debug, Default)]
pub(super) struct BlockCopy(Vec<f64>);

/// At most [`BLOCK`] rows of a source.
pub(super) struct SourceBlock<'a, S> {
    source: &'a S,
    /// The first row of the block, and their number.
    pub(super) first: usize,
    pub(super) len: usize,
    /// The numbers, if they lie row by row in memory. Without them rows are sent one by one.
    values: Option<FloatBlock<'a>>,
}

/// The numbers of a block, row by row.
#[derive(Clone, Copy)]
struct FloatBlock<'a> {
    numbers: Dense<'a>,
    /// Whether some number is NaN.
    has_missing: bool,
}

impl<'a, S: Source> SourceBlock<'a, S> {
    /// The rows of a range, read as `tree` reads them. `any_numeric` says whether any of the trees
    /// for which the block is made tests numbers only; if none does, nothing is copied into `copy`.
    pub(super) fn new(
        source: &'a S,
        rows: Range<usize>,
        tree: &CompiledTree,
        any_numeric: bool,
        copy: &'a mut BlockCopy,
    ) -> Self {
        let (first, len, width) = (rows.start, rows.len(), tree.features());
        if !any_numeric {
            return Self { source, first, len, values: None };
        }
        if let Some(all_numbers) = source.dense() {
            let numbers = all_numbers.rows(first, len, width);
            let has_missing = numbers.has_missing();
            if !(has_missing && tree.fills) {
                let values = Some(FloatBlock { numbers, has_missing });
                return Self { source, first, len, values };
            }
        }
        if len * width > LARGEST_COPY {
            return Self { source, first, len, values: None };
        }
        copy.0.clear();
        source.append_numbers(rows, width, &mut copy.0);
        tree.fill(&mut copy.0);
        let numbers = Dense::F64(&copy.0);
        let values = Some(FloatBlock { numbers, has_missing: numbers.has_missing() });
        Self { source, first, len, values }
    }

    /// Write the end of each row of the block in a tree, which must read features as the tree for
    /// which the block was made. With `NODES`, ends are nodes; otherwise they are numbers of leaves
    /// where a row ends in a leaf.
    pub(super) fn find_ends<const NODES: bool>(&self, tree: &CompiledTree, out: &mut [End]) {
        match self.values {
            Some(FloatBlock { numbers, has_missing }) if tree.numeric => match numbers {
                Dense::F64(values) => walk::<_, NODES>(tree, values, has_missing, out),
                Dense::F32(values) => walk::<_, NODES>(tree, values, has_missing, out),
            },
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
    /// Call `take(row, end)` with the end of each row of a range, rows ascending. Rows are sent in
    /// blocks, several at a time through trees that test numbers only. An end is the number of a
    /// leaf, or the node at which a row takes all branches; [`CompiledTree::spread`] goes on from
    /// there.
    pub fn for_each_end<S: Source>(
        &self,
        source: &S,
        rows: Range<usize>,
        mut take: impl FnMut(usize, End),
    ) {
        self.blocks(source, rows, |block| self.for_each_end_in_block::<false, S>(block, &mut take));
    }

    /// Call `visit` with the blocks of a range of rows.
    fn blocks<S: Source>(
        &self,
        source: &S,
        rows: Range<usize>,
        mut visit: impl FnMut(&SourceBlock<'_, S>),
    ) {
        let mut copy = BlockCopy::default();
        for block in block_ranges(rows) {
            visit(&SourceBlock::new(source, block, self, self.numeric, &mut copy));
        }
    }

    /// Call `take(row, end)` with the end of each row of a block; see [`SourceBlock::find_ends`].
    pub(super) fn for_each_end_in_block<const NODES: bool, S: Source>(
        &self,
        block: &SourceBlock<'_, S>,
        mut take: impl FnMut(usize, End),
    ) {
        let mut ends = [End::default(); BLOCK];
        let ends = &mut ends[..block.len];
        block.find_ends::<NODES>(self, ends);
        ends.iter().enumerate().for_each(|(i, &end)| take(block.first + i, end));
    }

    /// Call `take(row, leaf)` for each row of a block; a row in fractions counts for the leaf with
    /// the largest one.
    pub(super) fn for_each_leaf_in_block<S: Source>(
        &self,
        block: &SourceBlock<'_, S>,
        mut take: impl FnMut(usize, u32),
    ) {
        self.for_each_end_in_block::<true, S>(block, |row, end| {
            if let EndPlace::Node(node) = end.place() {
                take(row, self.main_leaf(block.source, row, node));
            }
        });
    }

    /// The leaf of each of the first `n` rows; a row in fractions counts for the leaf with the
    /// largest one.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn leaves<S: Source>(&self, source: &S, n: usize, control: &Control) -> Result<Vec<u32>> {
        let mut out = vec![0; n];
        fill_chunks(&mut out, 1, control, |first, chunk| {
            self.blocks(source, first..first + chunk.len(), |block| {
                self.for_each_leaf_in_block(block, |row, leaf| chunk[row - first] = leaf);
            });
        })?;
        Ok(out)
    }
}

/// A range of rows in blocks of at most [`BLOCK`]. Only the last block may be shorter.
pub(super) fn block_ranges(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(BLOCK).map(move |start| start..(start + BLOCK).min(end))
}

/// Fill an array of `width` numbers per row on several threads. `fill` gets the first row of a
/// chunk of rows, and the chunk.
///
/// # Errors
/// [`Error::Cancelled`], and [`Error::Internal`] for a width of 0.
pub(super) fn fill_chunks<T: Send>(
    out: &mut [T],
    width: usize,
    control: &Control,
    fill: impl Fn(usize, &mut [T]) + Sync,
) -> Result<()> {
    if width == 0 {
        return Err(Error::Internal("a model without classes".into()));
    }
    // Four chunks per thread balance the load.
    let n_rows = out.len() / width;
    let chunk_rows = n_rows.div_ceil(4 * control.threads()).clamp(1024, 1 << 16);
    let mut chunks: Vec<&mut [T]> = out.chunks_mut(chunk_rows * width).collect();
    parallel::for_each_mut(control, &mut chunks, &|i, chunk| {
        control.check()?;
        fill(i * chunk_rows, chunk);
        Ok(())
    })
}

/// The node after `number` on the way of a row that may hold NaN; the same node at the end of the
/// way.
#[inline(always)]
fn next_node<T: Number>(tree: &CompiledTree, row: &[T], number: u32) -> u32 {
    let node = &tree.table.nodes()[number as usize];
    let x: f64 = row[node.feature()].into();
    if x.is_nan() {
        return tree.missing_child(number);
    }
    std::hint::select_unpredictable(x <= node.value, number + 1, node.second)
}

/// Send the rows of an array through a tree that tests numbers only, and write where each ends.
/// Without `has_missing` the array must not hold NaN, as the kernel does not check for it.
fn walk<T: Number, const NODES: bool>(
    tree: &CompiledTree,
    values: &[T],
    has_missing: bool,
    ends: &mut [End],
) {
    if !has_missing {
        let kernel = if NODES { T::walk_to_nodes } else { T::walk };
        return kernel(&tree.table, values, tree.depth, ends);
    }
    let width = tree.table.width();
    let next = |row: u32, node| next_node(tree, &values[row as usize * width..][..width], node);
    let advance = |rows: &[u32; ROWS_PER_GROUP], nodes: &mut [u32; ROWS_PER_GROUP], steps| {
        for _ in 0..steps {
            nodes.iter_mut().zip(rows).for_each(|(node, &row)| *node = next(row, *node));
        }
    };
    let end = |node| if NODES { End::at_node(node) } else { tree.end_at(node) };
    walk_in_groups(tree.depth, ends, advance, |row, node| (end(node), next(row, node) == node));
}

/// Some rows of a source, numbered from 0.
pub(super) struct SelectedRows<'s, S> {
    pub(super) source: &'s S,
    pub(super) rows: &'s [u32],
}

impl<S: Source> Source for SelectedRows<'_, S> {
    #[inline]
    fn number(&self, row: usize, feature: usize) -> f64 {
        self.source.number(self.rows[row] as usize, feature)
    }
    fn code(&self, row: usize, feature: usize) -> u32 {
        self.source.code(self.rows[row] as usize, feature)
    }
}

/// List in `out` the rows of a range whose bits are set. `out` is cleared first, and the rows are
/// ascending.
pub(super) fn list_selected(rows: Range<usize>, bits: &Bits, out: &mut Vec<u32>) {
    out.clear();
    out.extend((rows.start as u32..rows.end as u32).filter(|&row| bits.get(row) == 1));
}
