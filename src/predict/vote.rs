//! Predictions of a forest: the mean of its trees' probabilities.
//!
//! A thread sends a chunk of rows through one tree after the other, block by block
//! ([`super::block`]), so that a tree stays in the second-level cache while the chunk passes it.
//! Probabilities of a row are added in the order of the trees, whatever the number of threads. A
//! tree that predicts nothing for a row abstains. O(rows x trees x depth).

use super::block::{BlockCopy, SelectedRows, SourceBlock, block_ranges, list_selected};
use super::compiled::{CompiledTree, Source};
use super::predictor::Predictor;
use crate::data::Bits;
use crate::error::Result;
use crate::model::Forest;
use crate::parallel::{self, Control};
use crate::simd::walk::BLOCK;
use crate::tree::{equalise_largest, majority};
use std::ops::Range;

/// Smallest and largest number of rows in a chunk: at least one block, and so few blocks that their
/// copies stay in the cache while all trees read them.
const SMALLEST_CHUNK: usize = BLOCK;
const LARGEST_CHUNK: usize = 32 * BLOCK;

/// Predictions of a forest for some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Votes {
    /// Mean probabilities `[row * classes + class]`; zeros where every tree abstained.
    pub probabilities: Vec<f64>,
    /// Trees that did not abstain, per row.
    pub voters: Vec<u32>,
    classes: usize,
}

impl Votes {
    /// Label of each row: the class with the largest mean probability, the lower one on ties; -1
    /// where every tree abstained.
    pub fn labels(&self) -> impl Iterator<Item = i32> + '_ {
        let rows = self.probabilities.chunks_exact(self.classes);
        rows.zip(&self.voters).map(|(p, &voters)| if voters == 0 { -1 } else { majority(p) as i32 })
    }
}

/// A forest compiled for prediction, made once and kept.
#[derive(Debug)]
pub struct ForestPredictor {
    trees: Vec<Predictor>,
    classes: usize,
}

impl ForestPredictor {
    /// Compile all trees.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::error::Error::Cancelled), and errors of compiling a tree.
    pub fn new(forest: &Forest, control: &Control) -> Result<Self> {
        let trees = parallel::map(control, forest.trees.len(), &|tree| {
            control.check()?;
            Predictor::new(&forest.trees[tree])
        })?;
        Ok(Self { trees, classes: forest.classes() })
    }

    /// The compiled trees. They are in the order of the forest. Explanations and decision paths
    /// send rows down them, so that nothing is compiled twice.
    pub fn trees(&self) -> impl Iterator<Item = &CompiledTree> {
        self.trees.iter().map(|t| &t.tree)
    }

    /// Rows per chunk for `n` rows: about four chunks per thread.
    fn chunk_rows(n: usize, control: &Control) -> usize {
        let even = n.div_ceil(4 * control.threads()).next_multiple_of(BLOCK);
        even.clamp(SMALLEST_CHUNK, LARGEST_CHUNK)
    }

    /// The vote on the first `n` rows; with `only`, tree t votes on the rows whose bits are set in
    /// `only[t]` (out-of-bag rows).
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::error::Error::Cancelled).
    pub fn vote<S: Source>(
        &self,
        source: &S,
        n: usize,
        only: Option<&[Bits]>,
        control: &Control,
    ) -> Result<Votes> {
        let chunk_rows = Self::chunk_rows(n, control);
        let k = self.classes;
        let mut votes = Votes { probabilities: vec![0.0; n * k], voters: vec![0; n], classes: k };
        let sums = votes.probabilities.chunks_mut((chunk_rows * k).max(1));
        let mut chunks: Vec<_> = sums.zip(votes.voters.chunks_mut(chunk_rows)).collect();
        parallel::for_each_mut(control, &mut chunks, &|i, (sums, voters)| {
            self.vote_chunk(source, i * chunk_rows, only, sums, voters, control)
        })?;
        Ok(votes)
    }

    /// The blocks of a range of rows, copied into `copies` where needed.
    fn blocks<'a, S: Source>(
        &self,
        source: &'a S,
        rows: Range<usize>,
        copies: &'a mut Vec<BlockCopy>,
    ) -> Vec<SourceBlock<'a, S>> {
        let Some(first) = self.trees.first() else { return Vec::new() };
        let any_numeric = self.trees.iter().any(|t| t.tree.numeric);
        copies.resize_with(rows.len().div_ceil(BLOCK), BlockCopy::default);
        block_ranges(rows)
            .zip(copies)
            .map(|(block, copy)| SourceBlock::new(source, block, &first.tree, any_numeric, copy))
            .collect()
    }

    /// Write the mean probabilities of a chunk of rows, which starts at row `first`, into `sums`,
    /// and the number of trees that voted into `voters`. `only` is as in [`Self::vote`].
    fn vote_chunk<S: Source>(
        &self,
        source: &S,
        first: usize,
        only: Option<&[Bits]>,
        sums: &mut [f64],
        voters: &mut [u32],
        control: &Control,
    ) -> Result<()> {
        let classes = self.classes;
        let chunk = first..first + voters.len();
        let mut of_tree = vec![0.0; classes];
        let mut rows = Vec::new();
        let mut copies = Vec::new();
        let blocks = match only {
            None => self.blocks(source, chunk.clone(), &mut copies),
            Some(_) => Vec::new(),
        };
        for (number, tree) in self.trees.iter().enumerate() {
            control.check()?;
            let mut add = |row: usize, p: &[f64]| {
                // Two classes are frequent enough to unroll.
                match (&mut sums[row * classes..][..classes], p) {
                    ([first, second], [p, q]) => {
                        *first += p;
                        *second += q;
                    }
                    (sums, p) => sums.iter_mut().zip(p).for_each(|(sum, p)| *sum += p),
                }
                voters[row] += 1;
            };
            if let Some(only) = only {
                list_selected(chunk.clone(), &only[number], &mut rows);
                let source = &SelectedRows { source, rows: &rows };
                tree.tree.for_each_end(source, 0..rows.len(), |i, end| {
                    if tree.answer(source, i, end, &mut of_tree) >= 0 {
                        add(rows[i] as usize - first, &of_tree);
                    }
                });
                continue;
            }
            for block in &blocks {
                tree.tree.for_each_end_in_block::<false, S>(block, |row, end| {
                    if let Some(p) = tree.leaf_probabilities(end) {
                        add(row - first, p);
                    } else if tree.answer(source, row, end, &mut of_tree) >= 0 {
                        add(row - first, &of_tree);
                    }
                });
            }
        }
        // From sums to means; equalise_largest makes labels agree with the first largest
        // probability.
        for (p, &voters) in sums.chunks_exact_mut(classes).zip(voters.iter()) {
            p.iter_mut().for_each(|p| *p /= f64::from(voters.max(1)));
            if classes > 1 {
                equalise_largest(p);
            }
        }
        Ok(())
    }

    /// Leaf of each row in each tree: `leaves[row * trees + tree]`; a row in fractions counts for
    /// the leaf with the largest one.
    pub fn leaves<S: Source>(&self, source: &S, n: usize, control: &Control) -> Result<Vec<u32>> {
        let chunk_rows = Self::chunk_rows(n, control);
        let n_trees = self.trees.len();
        let mut out = vec![0; n * n_trees];
        let mut chunks: Vec<_> = out.chunks_mut((chunk_rows * n_trees).max(1)).collect();
        parallel::for_each_mut(control, &mut chunks, &|i, chunk| {
            let first = i * chunk_rows;
            let mut copies = Vec::new();
            let rows = first..first + chunk.len() / n_trees;
            let blocks = self.blocks(source, rows, &mut copies);
            for (t, tree) in self.trees.iter().enumerate() {
                control.check()?;
                for block in &blocks {
                    tree.tree.for_each_leaf_in_block(block, |row, leaf| {
                        chunk[(row - first) * n_trees + t] = leaf;
                    });
                }
            }
            Ok(())
        })?;
        Ok(out)
    }
}
