//! The vote of a forest: the mean of its trees' probabilities.
//!
//! Rows go through the trees in chunks that stay in the cache, each chunk through all trees in
//! their order, so that sums are taken in the same order whatever the number of threads. A tree
//! whose leaf predicts nothing abstains. O(rows x trees x depth), after laying out the trees
//! (O(nodes)).

use super::answers::Answerer;
use super::walker::{Source, Walker};
use crate::data::Bits;
use crate::error::Result;
use crate::model::Forest;
use crate::parallel::{self, Control};
use crate::tree::{join_largest, majority};

/// Rows that go through the trees together.
const CHUNK: usize = 512;

/// What the trees of a forest say of some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Votes {
    /// Mean probabilities, `classes` a row; zeros where every tree abstained.
    pub probabilities: Vec<f64>,
    /// Trees that spoke of each row.
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

/// Some rows of a source, numbered from 0.
struct Picked<'s, S> {
    source: &'s S,
    rows: &'s [u32],
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

/// The vote on `n` rows; with `only`, tree t speaks of the rows whose bit in `only[t]` is set.
pub fn vote<S: Source>(
    forest: &Forest,
    source: &S,
    n: usize,
    only: Option<&[Bits]>,
    control: &Control,
) -> Result<Votes> {
    let answerers = parallel::map(control, forest.trees.len(), |tree| {
        control.check()?;
        let model = &forest.trees[tree];
        if n < model.tree.nodes.len() { Answerer::for_few(model) } else { Answerer::new(model) }
    })?;
    let k = forest.classes();
    let parts = parallel::map(control, n.div_ceil(CHUNK), |chunk| {
        control.check()?;
        let first = chunk * CHUNK;
        let len = CHUNK.min(n - first);
        let mut sums = vec![0.0; len * k];
        let mut voters = vec![0_u32; len];
        let mut rows: Vec<u32> = (first as u32..(first + len) as u32).collect();
        let mut leaves = vec![0; len];
        let mut own = vec![0.0; k];
        for (t, answerer) in answerers.iter().enumerate() {
            if let Some(only) = only {
                rows.clear();
                rows.extend((first as u32..(first + len) as u32).filter(|&r| only[t].get(r) == 1));
                leaves.resize(rows.len(), 0);
                answerer.walker.fill(&Picked { source, rows: &rows }, 0, &mut leaves);
            } else {
                answerer.walker.fill(source, first, &mut leaves);
            }
            for (&row, &end) in rows.iter().zip(&leaves) {
                if answerer.answer(source, row as usize, end, &mut own) >= 0 {
                    let row = row as usize - first;
                    sums[row * k..(row + 1) * k].iter_mut().zip(&own).for_each(|(s, p)| *s += p);
                    voters[row] += 1;
                }
            }
        }
        for (p, &voters) in sums.chunks_exact_mut(k).zip(&voters) {
            p.iter_mut().for_each(|p| *p /= f64::from(voters.max(1)));
            join_largest(p);
        }
        Ok((sums, voters))
    })?;
    let mut votes = Votes {
        probabilities: Vec::with_capacity(n * k),
        voters: Vec::with_capacity(n),
        classes: k,
    };
    for (sums, voters) in parts {
        votes.probabilities.extend(sums);
        votes.voters.extend(voters);
    }
    Ok(votes)
}

/// Leaf of each row in each tree: `leaves[row * trees + tree]`; of a row in parts, the one with the
/// largest.
pub fn all_leaves<S: Source>(
    forest: &Forest,
    source: &S,
    n: usize,
    control: &Control,
) -> Result<Vec<u32>> {
    let walkers = parallel::map(control, forest.trees.len(), |tree| {
        control.check()?;
        Walker::new(&forest.trees[tree].tree, &forest.trees[tree].schema)
    })?;
    let trees = walkers.len();
    let parts = parallel::map(control, n.div_ceil(CHUNK), |chunk| {
        control.check()?;
        let first = chunk * CHUNK;
        let mut ends = vec![0; CHUNK.min(n - first)];
        let mut all = vec![0; ends.len() * trees];
        for (t, walker) in walkers.iter().enumerate() {
            walker.fill(source, first, &mut ends);
            for (i, (to, &end)) in all[t..].iter_mut().step_by(trees).zip(&ends).enumerate() {
                *to = walker.settled(source, first + i, end);
            }
        }
        Ok(all)
    })?;
    Ok(parts.concat())
}
