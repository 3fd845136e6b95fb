//! The vote of a forest: the mean of its trees' probabilities.
//!
//! Rows go through the trees in chunks: a tree stays in the second-level cache while the chunk
//! passes it, block by block ([`super::block`]), and the sums of each row are taken in the order of
//! the trees whatever the number of threads. A tree whose leaf predicts nothing abstains.
//! O(rows x trees x depth).

use super::block::{Copied, Picked, SourceBlock, picked};
use super::compiled::{CompiledTree, Source};
use super::predictor::Predictor;
use crate::data::Bits;
use crate::error::Result;
use crate::model::Forest;
use crate::parallel::{self, Control};
use crate::simd::walk::BLOCK;
use crate::tree::{join_largest, majority};

/// Rows that go through the trees together, at least and at most.
const SMALLEST_CHUNK: usize = BLOCK;
const LARGEST_CHUNK: usize = 32 * BLOCK;

/// What the trees of a forest say of some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Votes {
    /// Mean probabilities, `classes` a row; zeros where every tree abstained.
    pub probabilities: Vec<f64>,
    /// Trees that answered for each row.
    pub voters: Vec<u32>,
    classes: usize,
}

impl Votes {
    /// The class with the largest mean probability (the lower one on ties), -1 where every tree
    /// abstained.
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
    pub fn new(forest: &Forest, control: &Control) -> Result<Self> {
        let trees = parallel::map(control, forest.trees.len(), |tree| {
            control.check()?;
            Predictor::new(&forest.trees[tree])
        })?;
        Ok(Self { trees, classes: forest.classes() })
    }

    /// The compiled trees.
    pub fn trees(&self) -> impl Iterator<Item = &CompiledTree> {
        self.trees.iter().map(|t| &t.tree)
    }

    fn chunk(n: usize, control: &Control) -> usize {
        let even = n.div_ceil(4 * control.threads()).next_multiple_of(BLOCK);
        even.clamp(SMALLEST_CHUNK, LARGEST_CHUNK)
    }

    /// The vote on `n` rows; with `only`, tree t votes on the rows whose bit in `only[t]` is set.
    pub fn vote<S: Source>(
        &self,
        source: &S,
        n: usize,
        only: Option<&[Bits]>,
        control: &Control,
    ) -> Result<Votes> {
        let chunk = Self::chunk(n, control);
        let k = self.classes;
        let mut votes = Votes { probabilities: vec![0.0; n * k], voters: vec![0; n], classes: k };
        let sums = votes.probabilities.chunks_mut((chunk * k).max(1));
        let mut parts: Vec<_> = sums.zip(votes.voters.chunks_mut(chunk)).collect();
        parallel::for_each_mut(control, &mut parts, |i, (sums, voters)| {
            self.vote_chunk(source, i * chunk, only, (sums, voters), control)
        })?;
        Ok(votes)
    }

    /// The blocks of a range of rows.
    fn blocks<'a, S: Source>(
        &self,
        source: &'a S,
        (first, len): (usize, usize),
        copies: &'a mut Vec<Copied>,
    ) -> Vec<SourceBlock<'a, S>> {
        let Some(any) = self.trees.first() else { return Vec::new() };
        let numeric = self.trees.iter().any(|t| t.tree.numeric);
        copies.resize_with(len.div_ceil(BLOCK), Copied::default);
        let starts = (first..first + len).step_by(BLOCK);
        starts
            .zip(copies)
            .map(|(start, copy)| {
                let range = (start, BLOCK.min(first + len - start));
                SourceBlock::new(source, range, (&any.tree, numeric), copy)
            })
            .collect()
    }

    fn vote_chunk<S: Source>(
        &self,
        source: &S,
        first: usize,
        only: Option<&[Bits]>,
        (sums, voters): (&mut [f64], &mut [u32]),
        control: &Control,
    ) -> Result<()> {
        let k = self.classes;
        let len = voters.len();
        let mut own = vec![0.0; k];
        let mut rows = Vec::new();
        let mut copies = Vec::new();
        let blocks = match only {
            None => self.blocks(source, (first, len), &mut copies),
            Some(_) => Vec::new(),
        };
        for (t, tree) in self.trees.iter().enumerate() {
            control.check()?;
            let mut add = |row: usize, p: &[f64]| {
                if let (Ok(s), Ok(p)) =
                    (<&mut [f64; 2]>::try_from(&mut sums[row * k..][..k]), <&[f64; 2]>::try_from(p))
                {
                    s[0] += p[0];
                    s[1] += p[1];
                } else {
                    sums[row * k..][..k].iter_mut().zip(p).for_each(|(s, p)| *s += p);
                }
                voters[row] += 1;
            };
            if let Some(only) = only {
                picked(first, len, &only[t], &mut rows);
                let source = &Picked { source, rows: &rows };
                tree.tree.ends(source, (0, rows.len()), |i, end| {
                    if tree.answer(source, i, end, &mut own) >= 0 {
                        add(rows[i] as usize - first, &own);
                    }
                });
                continue;
            }
            for block in &blocks {
                tree.tree.block_ends::<false, S>(block, |row, end| {
                    if let Some(p) = tree.at_leaf(end) {
                        add(row - first, p);
                    } else if tree.answer(source, row, end, &mut own) >= 0 {
                        add(row - first, &own);
                    }
                });
            }
        }
        for (p, &voters) in sums.chunks_exact_mut(k).zip(voters.iter()) {
            p.iter_mut().for_each(|p| *p /= f64::from(voters.max(1)));
            join_largest(p);
        }
        Ok(())
    }

    /// Leaf of each row in each tree: `leaves[row * trees + tree]`; of a row in fractions, the one
    /// with the largest.
    pub fn leaves<S: Source>(&self, source: &S, n: usize, control: &Control) -> Result<Vec<u32>> {
        let chunk = Self::chunk(n, control);
        let trees = self.trees.len();
        let mut out = vec![0; n * trees];
        let mut parts: Vec<_> = out.chunks_mut((chunk * trees).max(1)).collect();
        parallel::for_each_mut(control, &mut parts, |i, part| {
            let first = i * chunk;
            let mut copies = Vec::new();
            let blocks = self.blocks(source, (first, part.len() / trees), &mut copies);
            for (t, tree) in self.trees.iter().enumerate() {
                control.check()?;
                for block in &blocks {
                    tree.tree.block_leaves(block, |row, leaf| {
                        part[(row - first) * trees + t] = leaf;
                    });
                }
            }
            Ok(())
        })?;
        Ok(out)
    }
}
