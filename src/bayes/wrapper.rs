//! The wrapper search for a TAN: SuperParent (Keogh & Pazzani, AI & Statistics 1999).
//!
//! Starting from naive Bayes: (1) make each feature in turn the parent of all orphans (features
//! whose only parent is the class) and keep the feature with the highest leave-one-out accuracy,
//! the *super parent*; (2) of the single arcs from it to an orphan keep the one with the highest
//! accuracy; (3) if that beats the current classifier, add the arc and repeat, else stop. Arcs that
//! would close a circle are left out. Ties go to the lower feature, and to the first class.
//!
//! A row is left out by subtracting it from the counts of its class (one copy of it, for a weight
//! above 1). If the parent is missing, the child depends on the class alone; a missing value adds
//! nothing.
//!
//! Cost: O(p) rounds of O(p^2 n k) each, in parallel over the candidates. For hundreds of features
//! that is too much; the tree of Chow and Liu costs one pass per pair.

use super::counts::{PairTable, check_pairs_size, single_table};
use super::{Input, Smoothing};
use crate::error::Result;
use crate::parallel::{self, Control};

/// Counts and logarithms of one feature given the class, and its parent if it has one.
#[derive(Debug)]
struct FeatureTerm {
    /// Weight of value x given value a of the parent, `[(a * (values + 1) + x) * classes + class]`;
    /// a = 0 without a parent.
    counts: Vec<f64>,
    /// `log P(x | class, a)` at the same index, zeros for a missing value.
    logs: Vec<f64>,
    /// Weight of known values, `[a * classes + class]`.
    totals: Vec<f64>,
    /// Number of values.
    values: usize,
}

impl FeatureTerm {
    fn new(counts: Vec<f64>, values: usize, k: usize, smoothing: Smoothing) -> Self {
        let mut logs = Vec::with_capacity(counts.len());
        let mut totals = Vec::new();
        for block in counts.chunks_exact((values + 1) * k) {
            logs.extend(super::naive::value_logs(block, values, k, smoothing));
            totals.extend((0..k).map(|c| (0..values).map(|x| block[x * k + c]).sum::<f64>()));
        }
        Self { counts, logs, totals, values }
    }

    /// Add the log probabilities of value `x` given value `a` of the parent to the scores of the
    /// classes, the row being left out.
    #[inline]
    fn add(&self, a: usize, x: usize, left_out: LeftOut, smoothing: Smoothing, scores: &mut [f64]) {
        if x == self.values {
            return;
        }
        let k = scores.len();
        let at = (a * (self.values + 1) + x) * k;
        // the class of the row has other counts than the table of logarithms
        let LeftOut { class, weight } = left_out;
        let before = scores[class];
        scores.iter_mut().zip(&self.logs[at..at + k]).for_each(|(s, l)| *s += l);
        let count = (self.counts[at + class] - weight).max(0.0);
        let total = (self.totals[a * k + class] - weight).max(0.0);
        scores[class] = before + smoothing.log(count, total, self.values);
    }
}

/// A row that is subtracted from the counts.
#[derive(Clone, Copy)]
struct LeftOut {
    class: usize,
    weight: f64,
}

/// The data of the search.
struct WrapperSearch<'a> {
    input: &'a Input,
    smoothing: Smoothing,
    /// Each feature without a parent.
    singles: Vec<FeatureTerm>,
    /// Each feature with each parent, at `child * p + parent`.
    pairs: Vec<Option<FeatureTerm>>,
}

impl WrapperSearch<'_> {
    /// Weight (in units) of the rows that are predicted correctly when left out.
    fn accuracy(&self, parents: &[Option<usize>], control: &Control) -> Result<i64> {
        let input = self.input;
        let (p, k) = (parents.len(), input.n_classes());
        let total: f64 = input.class_counts.iter().sum();
        let s = self.smoothing;
        let log_prior: Vec<f64> = input.class_counts.iter().map(|&c| s.log(c, total, k)).collect();
        let mut scores = vec![0.0; k];
        let mut right = 0;
        for (row, (&class, &weight)) in input.classes.iter().zip(&input.weights).enumerate() {
            if row % 4096 == 0 {
                control.check()?;
            }
            if weight == 0 {
                continue;
            }
            let own = class as usize;
            let left_out = LeftOut { class: own, weight: (weight as f64 * input.unit).min(1.0) };
            scores.copy_from_slice(&log_prior);
            scores[own] = s.log((input.class_counts[own] - left_out.weight).max(0.0), total, k);
            for j in 0..p {
                let x = input.codes[j][row] as usize;
                // the parent with its value, if it has one and the value is known
                let from = parents[j]
                    .map(|i| (i, input.codes[i][row] as usize))
                    .filter(|&(i, a)| a < input.arity(i));
                match from.and_then(|(i, a)| self.pairs[j * p + i].as_ref().map(|t| (t, a))) {
                    Some((term, a)) => term.add(a, x, left_out, s, &mut scores),
                    None => self.singles[j].add(0, x, left_out, s, &mut scores),
                }
            }
            // the first of the classes with the highest score
            let mut best = 0;
            for c in 1..k {
                if scores[c] > scores[best] {
                    best = c;
                }
            }
            right += if best == own { weight } else { 0 };
        }
        Ok(right)
    }

    /// The candidate with the highest accuracy, the first of equal ones; `None` without candidates.
    fn best(
        &self,
        candidates: &[Vec<Option<usize>>],
        control: &Control,
    ) -> Result<Option<ScoredParents>> {
        let accuracies =
            parallel::map(control, candidates.len(), &|i| self.accuracy(&candidates[i], control))?;
        let mut best: Option<ScoredParents> = None;
        for (index, accuracy) in accuracies.into_iter().enumerate() {
            if best.as_ref().is_none_or(|best| accuracy > best.accuracy) {
                best = Some(ScoredParents { index, accuracy });
            }
        }
        Ok(best)
    }
}

/// A candidate of the search with its score.
struct ScoredParents {
    /// Index among the candidates.
    index: usize,
    /// Its leave-one-out accuracy, in units of weight.
    accuracy: i64,
}

/// Whether `node` is `feature` or one of its ancestors.
fn is_above(parents: &[Option<usize>], node: usize, feature: usize) -> bool {
    let mut at = Some(feature);
    while let Some(here) = at {
        if here == node {
            return true;
        }
        at = parents[here];
    }
    false
}

/// Search for the parent of each feature.
///
/// # Errors
/// [`crate::error::Error::Data`] for too large tables, [`crate::error::Error::Cancelled`].
pub fn super_parent(
    input: &Input,
    smoothing: Smoothing,
    control: &Control,
) -> Result<Vec<Option<usize>>> {
    let (p, k) = (input.features(), input.n_classes());
    let arities: Vec<usize> = (0..p).map(|j| input.arity(j)).collect();
    // four times the cells: counts and logarithms, in both directions
    check_pairs_size(&arities, k.saturating_mul(4))?;
    let singles = (0..p)
        .map(|j| FeatureTerm::new(single_table(input, j), arities[j], k, smoothing))
        .collect();
    let pairs = parallel::map(control, p * p, &|at| {
        control.check()?;
        let (child, parent) = (at / p, at % p);
        let count = || {
            FeatureTerm::new(
                PairTable::count(input, parent, child).cells,
                arities[child],
                k,
                smoothing,
            )
        };
        Ok((child != parent).then(count))
    })?;
    let search = WrapperSearch { input, smoothing, singles, pairs };
    // add one arc per round, as long as the accuracy grows
    let mut parents = vec![None; p];
    let mut current = search.accuracy(&parents, control)?;
    loop {
        // orphans that may become children of a super parent `sp`
        let children = |sp: usize| -> Vec<usize> {
            (0..p).filter(|&j| parents[j].is_none() && !is_above(&parents, j, sp)).collect()
        };
        let supers: Vec<usize> = (0..p).filter(|&sp| !children(sp).is_empty()).collect();
        let with = |sp: usize, chosen: &[usize]| {
            let mut changed = parents.clone();
            chosen.iter().for_each(|&j| changed[j] = Some(sp));
            changed
        };
        // (1) the super parent of all its possible children
        let candidates: Vec<_> = supers.iter().map(|&sp| with(sp, &children(sp))).collect();
        let Some(best) = search.best(&candidates, control)? else { break };
        let sp = supers[best.index];
        // (2) and (3) its best single arc, if that beats the current classifier
        let arcs: Vec<_> = children(sp).into_iter().map(|j| with(sp, &[j])).collect();
        match search.best(&arcs, control)? {
            Some(best) if best.accuracy > current => {
                current = best.accuracy;
                parents = arcs[best.index].clone();
            }
            _ => break,
        }
    }
    Ok(parents)
}
