//! The wrapper search for a TAN: SuperParent of Keogh & Pazzani (AI & Statistics 1999).
//!
//! Start from naive Bayes. (1) Make each feature in turn the parent of all orphans (features whose
//! only parent is the class) and keep the one with the highest leave-one-out accuracy, the *super
//! parent*. (2) Of the single arcs from it to an orphan keep the one with the highest accuracy. (3)
//! If that beats the current classifier, the arc stays and the search goes on; else it ends. Arcs
//! that would close a circle are left out; ties go to the lower feature, and of classes with one
//! score the first is predicted.
//!
//! A row is left out by subtracting it from the counts of its own class (one copy of it, for a
//! weight above 1). Where a parent is missing, its child is taken to depend on the class alone; a
//! missing value says nothing.
//!
//! Complexity: O(p) searches of O(p^2 n k) each, in parallel over the candidates. Not for hundreds
//! of features: Chow and Liu's tree costs one pass for each pair.

use super::counts::{PairTable, affordable_pairs, single_table};
use super::{Input, Smoothing};
use crate::error::Result;
use crate::parallel::{self, Control};

/// Counts and logarithms of one feature given the class and, perhaps, a parent.
#[derive(Debug)]
struct FeatureTerm {
    /// `[(a * (values + 1) + x) * classes + class]`; without a parent a = 0.
    counts: Vec<f64>,
    /// Logarithms in the same places, zeros for a missing value.
    logs: Vec<f64>,
    /// Known weight by `[a * classes + class]`.
    totals: Vec<f64>,
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

    /// Add the logarithms for one row, which is taken out of the counts with weight `out`.
    #[inline]
    fn add(
        &self,
        a: usize,
        x: usize,
        own: usize,
        out: f64,
        smoothing: Smoothing,
        scores: &mut [f64],
    ) {
        if x == self.values {
            return;
        }
        let k = scores.len();
        let at = (a * (self.values + 1) + x) * k;
        let before = scores[own];
        scores.iter_mut().zip(&self.logs[at..at + k]).for_each(|(s, l)| *s += l);
        let count = (self.counts[at + own] - out).max(0.0);
        let total = (self.totals[a * k + own] - out).max(0.0);
        scores[own] = before + smoothing.log(count, total, self.values);
    }
}

/// What the search works on.
struct WrapperSearch<'a> {
    input: &'a Input,
    smoothing: Smoothing,
    singles: Vec<FeatureTerm>,
    /// At `child * p + parent`.
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
            let out = (weight as f64 * input.unit).min(1.0);
            scores.copy_from_slice(&log_prior);
            scores[own] = s.log((input.class_counts[own] - out).max(0.0), total, k);
            for j in 0..p {
                let x = input.codes[j][row] as usize;
                let from = parents[j]
                    .map(|i| (i, input.codes[i][row] as usize))
                    .filter(|&(i, a)| a < input.arity(i));
                match from.and_then(|(i, a)| self.pairs[j * p + i].as_ref().map(|t| (t, a))) {
                    Some((term, a)) => term.add(a, x, own, out, s, &mut scores),
                    None => self.singles[j].add(0, x, own, out, s, &mut scores),
                }
            }
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

    /// The first of the best candidates.
    fn best(
        &self,
        candidates: &[Vec<Option<usize>>],
        control: &Control,
    ) -> Result<Option<(usize, i64)>> {
        let found =
            parallel::map(control, candidates.len(), |i| self.accuracy(&candidates[i], control))?;
        let mut best: Option<(usize, i64)> = None;
        for (i, &accuracy) in found.iter().enumerate() {
            if best.is_none_or(|(_, b)| accuracy > b) {
                best = Some((i, accuracy));
            }
        }
        Ok(best)
    }
}

/// True when `node` is `feature` or one of its ancestors.
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

/// Parents found by the search.
pub fn super_parent(
    input: &Input,
    smoothing: Smoothing,
    control: &Control,
) -> Result<Vec<Option<usize>>> {
    let (p, k) = (input.features(), input.n_classes());
    let arities: Vec<usize> = (0..p).map(|j| input.arity(j)).collect();
    // Counts and logarithms, in both directions.
    affordable_pairs(&arities, k.saturating_mul(4))?;
    let singles = (0..p)
        .map(|j| FeatureTerm::new(single_table(input, j), arities[j], k, smoothing))
        .collect();
    let pairs = parallel::map(control, p * p, |at| {
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
    let mut parents = vec![None; p];
    let mut current = search.accuracy(&parents, control)?;
    loop {
        let children = |sp: usize| -> Vec<usize> {
            (0..p).filter(|&j| parents[j].is_none() && !is_above(&parents, j, sp)).collect()
        };
        let supers: Vec<usize> = (0..p).filter(|&sp| !children(sp).is_empty()).collect();
        let with = |sp: usize, chosen: &[usize]| {
            let mut changed = parents.clone();
            chosen.iter().for_each(|&j| changed[j] = Some(sp));
            changed
        };
        let candidates: Vec<_> = supers.iter().map(|&sp| with(sp, &children(sp))).collect();
        let Some((at, _)) = search.best(&candidates, control)? else { break };
        let sp = supers[at];
        let arcs: Vec<_> = children(sp).into_iter().map(|j| with(sp, &[j])).collect();
        match search.best(&arcs, control)? {
            Some((at, accuracy)) if accuracy > current => {
                current = accuracy;
                parents = arcs[at].clone();
            }
            _ => break,
        }
    }
    Ok(parents)
}
