//! Finds the best of some candidates whose scores are known only as estimates ([`Estimates`]).
//!
//! An estimate is off by at most a known error (0: it is the score), so a candidate whose estimate
//! is well below the largest cannot be best. Only the others are visited, which is where the caller
//! computes the exact score ([`Estimates::visit_best`]). The caller may refuse a candidate it
//! visits (a branch too small, say); if all near the top are refused, the next ones are visited.
//! The sink and the histogram kernels use this. O(candidates) per pass, usually one pass.

use crate::error::Result;

/// Estimates that are compared with a bound together, before each estimate alone.
const CHUNK: usize = 64;

/// An estimate of a score: in double precision, or in single precision from some kernels.
pub(crate) trait Estimate: Copy + PartialOrd + Into<f64> {
    /// The estimate of a place that is not a candidate.
    const NONE: Self;
    /// A bound, rounded to this precision.
    fn from_bound(bound: f64) -> Self;
}

impl Estimate for f64 {
    const NONE: Self = Self::NEG_INFINITY;
    fn from_bound(bound: f64) -> Self {
        bound
    }
}

impl Estimate for f32 {
    const NONE: Self = Self::NEG_INFINITY;
    fn from_bound(bound: f64) -> Self {
        bound as Self
    }
}

/// Estimates of the scores of some candidates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Estimates<'a, E> {
    /// The estimates; negative infinity for places that are not candidates.
    pub scores: &'a [E],
    /// The largest of the estimates.
    pub largest: E,
    /// A bound on the distance of the estimates from the scores; 0 where they are the scores.
    pub error: f64,
}

impl<E: Estimate> Estimates<'_, E> {
    /// Visit all candidates that may have the best score, or tie with it, where the caller already
    /// has a candidate of score `known`.
    ///
    /// `visit` gets a candidate and its estimate, and returns the exact score, or `None` to refuse
    /// the candidate. Each is visited at most once. A pass visits in the order of the candidates;
    /// there are further passes only if candidates are refused.
    #[inline]
    pub fn visit_best(
        &self,
        known: f64,
        mut visit: impl FnMut(usize, E) -> Result<Option<f64>>,
    ) -> Result<()> {
        let Self { scores, error, .. } = *self;
        if self.largest == E::NONE {
            return Ok(());
        }
        // Two errors would do: the score of the largest estimate is at most one error below it, and
        // no score is more than one error above its estimate. The third allows for what single
        // precision rounds.
        let near = |largest: E, best: f64| {
            E::from_bound((largest.into() - 3.0 * error).max(best - 2.0 * error))
        };
        let (mut best, mut bound) = (known, near(self.largest, known));
        // Estimates of at least `seen` were visited, in the passes after the first.
        let mut seen = None;
        loop {
            let (mut accepted, mut refused) = (false, false);
            for (i, chunk) in scores.chunks(CHUNK).enumerate() {
                // Most chunks have no candidate near the bound; this test vectorises.
                let has_near = chunk.len() == scores.len()
                    || chunk.iter().fold(false, |any, &score| any | (score >= bound));
                if !has_near {
                    continue;
                }
                for (j, &estimate) in chunk.iter().enumerate() {
                    let is_new = seen.is_none_or(|seen| estimate < seen);
                    if estimate >= bound && estimate > E::NONE && is_new {
                        match visit(i * CHUNK + j, estimate)? {
                            Some(score) => {
                                accepted = true;
                                best = if score > best { score } else { best };
                            }
                            None => refused = true,
                        }
                    }
                }
            }
            if !refused {
                return Ok(());
            }
            // A refused candidate may have set the bound. Lower it as far as the best accepted
            // score requires; if none was accepted, lower it to the next estimates below it.
            let next = if accepted {
                E::from_bound(best - 2.0 * error)
            } else {
                let larger = |top: E, &s: &E| if s < bound && s > top { s } else { top };
                let top = scores.iter().fold(E::NONE, larger);
                if top == E::NONE {
                    return Ok(());
                }
                near(top, best)
            };
            if next >= bound {
                return Ok(());
            }
            (seen, bound) = (Some(bound), next);
        }
    }
}

/// The largest of some numbers; negative infinity for none, and NaN is never the largest. Eight
/// maxima side by side let the loop vectorise.
pub(crate) fn largest(numbers: &[f64]) -> f64 {
    let mut maxima = [f64::NEG_INFINITY; 8];
    let (chunks, rest) = numbers.as_chunks::<8>();
    for chunk in chunks {
        for (maximum, &number) in maxima.iter_mut().zip(chunk) {
            *maximum = if number > *maximum { number } else { *maximum };
        }
    }
    rest.iter().chain(&maxima).fold(f64::NEG_INFINITY, |a, &b| if b > a { b } else { a })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;

    /// The best score of the allowed candidates, and the candidates in the order of their visits.
    fn found<E: Estimate>(
        estimated: &Estimates<'_, E>,
        scores: &[f64],
        allowed: &[bool],
    ) -> (f64, Vec<usize>) {
        let (mut best, mut visited) = (f64::NEG_INFINITY, Vec::new());
        estimated
            .visit_best(f64::NEG_INFINITY, |j, _| {
                visited.push(j);
                best = if allowed[j] { f64::max(best, scores[j]) } else { best };
                Ok(allowed[j].then_some(scores[j]))
            })
            .unwrap();
        (best, visited)
    }

    #[test]
    fn the_best_of_those_that_may_be_chosen_is_found() {
        let mut passes = 0;
        for seed in 0..3000 {
            let n = 1 + mix(seed, 1) as usize % 300;
            let draw = |j: usize, what: u64| mix(mix(seed, what), j as u64) % 1024;
            let error = [0.0, 0.01, 0.05, 0.3][seed as usize % 4];
            let steps = [4, 64, 1024][mix(seed, 2) as usize % 3];
            let scores: Vec<f64> = (0..n).map(|j| (draw(j, 3) % steps) as f64 / 1024.0).collect();
            let off = |j: usize| error * (draw(j, 4) as f64 / 512.0 - 1.0);
            let allowed: Vec<bool> = (0..n).map(|j| draw(j, 5) % 8 < seed % 9).collect();
            let estimates: Vec<f64> = scores
                .iter()
                .enumerate()
                .map(|(j, s)| if draw(j, 6) < 100 { f64::NEG_INFINITY } else { s + off(j) })
                .collect();
            let places = 0..n;
            let chosen = places.filter(|&j| allowed[j] && estimates[j] > f64::NEG_INFINITY);
            let truth = chosen.map(|j| scores[j]).fold(f64::NEG_INFINITY, f64::max);
            let double = Estimates { scores: &estimates, largest: largest(&estimates), error };
            let (best, visited) = found(&double, &scores, &allowed);
            assert_eq!(best, truth, "seed {seed}");
            let mut once = visited.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), visited.len(), "seed {seed}: looked at twice");
            passes += usize::from(!visited.is_sorted());
            if error > 0.0 {
                let single: Vec<f32> = estimates.iter().map(|&s| s as f32).collect();
                let top = single.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let single = Estimates { scores: &single, largest: top, error: error + 1e-6 };
                assert_eq!(found(&single, &scores, &allowed).0, truth, "seed {seed}");
            }
        }
        assert!(passes > 100, "{passes} of 3000 took more than one pass");
    }

    #[test]
    fn where_all_may_be_chosen_one_pass_is_enough() {
        let estimates = [0.5, 0.9, f64::NEG_INFINITY, 0.85, 0.2];
        let estimated = Estimates { scores: &estimates, largest: 0.9, error: 0.1 };
        let (best, visited) = found(&estimated, &[0.5, 0.8, 9.0, 0.95, 0.2], &[true; 5]);
        assert_eq!((best, visited), (0.95, vec![1, 3]));
    }
}
