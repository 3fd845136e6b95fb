//! The selection rule: which feature's best candidate becomes the split of a node.
//!
//! Growth calls [`Selector::choose`] once per node, with the best candidates that a sink kept. The
//! rule needs one score per feature (and one gain per feature for the guards of gain ratio), and
//! decides ties; it reads no tables. C4.5's own rule is [`super::c45::choose`].

use super::sink::{BestOfFeature, ScoredCandidate};
use crate::criteria::GainFilter;
use crate::error::Result;
use crate::numeric::{Ties, better, uniform};

/// The facts about a candidate that a rule may ask for beside its score; growth computes them on
/// demand.
pub trait CandidateFacts {
    /// Information gain of a candidate, scaled as its score is.
    fn gain(&mut self, feature: u32, at: u32) -> Result<f64>;
    /// The first original row with the largest value on the left of a threshold.
    fn first_row(&mut self, feature: u32, at: u32) -> u32;
    /// The weights of the first two branches of a candidate.
    fn sides(&mut self, feature: u32, at: u32) -> [f64; 2];
    /// Whether the candidates of a feature are thresholds, where each has more weight on its left
    /// than the threshold before it.
    fn are_thresholds(&self, feature: u32) -> bool;
}

/// The candidate whose smaller branch is largest, the first of equal ones; `candidates` are the
/// numbers of the feature's candidates, ascending.
fn most_even(feature: u32, candidates: &[u32], facts: &mut dyn CandidateFacts) -> u32 {
    let contenders = if facts.are_thresholds(feature) {
        // The last candidate with less weight on the left than on the right, and the next one.
        let middle = candidates.partition_point(|&at| {
            let [left, right] = facts.sides(feature, at);
            left < right
        });
        &candidates[middle.saturating_sub(1)..candidates.len().min(middle + 1)]
    } else {
        candidates
    };
    let (mut best, mut largest) = (candidates[0], f64::NEG_INFINITY);
    for &at in contenders {
        let [left, right] = facts.sides(feature, at);
        if left.min(right) > largest {
            (best, largest) = (at, left.min(right));
        }
    }
    best
}

/// A selection rule: the gain filter, and the tie rule.
#[derive(Debug, Clone, Copy)]
pub struct Selector {
    /// Which features have too small a gain to be chosen.
    pub gain_filter: GainFilter,
    /// Which of equal candidates is chosen.
    pub ties: Ties,
    /// Number of features of the data set (not only the features with a valid split).
    pub features: usize,
}

impl Selector {
    /// The best of the features' best candidates; `None` where there is none, or none with a score
    /// above negative infinity. `facts` answers what the rule needs beyond the scores, and `key`
    /// decides random ties.
    ///
    /// # Errors
    /// Any error of [`CandidateFacts::gain`].
    pub fn choose(
        &self,
        mut best: Vec<BestOfFeature>,
        facts: &mut dyn CandidateFacts,
        key: u64,
    ) -> Result<Option<ScoredCandidate>> {
        // Negative infinity is the score of candidates that are no valid split.
        best.retain(|best| best.score > f64::NEG_INFINITY);
        self.apply_filter(&mut best, facts)?;
        let Some(top) = best
            .iter()
            .map(|best| best.score)
            .reduce(|top, next| if better(next, top) { next } else { top })
        else {
            return Ok(None);
        };
        let mut tied = best.iter().filter(|best| best.score == top);
        // All candidates of a feature that have its best score.
        let equals = |best: &BestOfFeature| [&[best.at], &best.tied[..]].concat();
        let candidate = |feature, at| ScoredCandidate { feature, at, score: top };
        Ok(match self.ties {
            Ties::First => tied.next().map(|best| candidate(best.feature, best.at)),
            Ties::Row => tied.next().map(|best| {
                // Without a tie the rows are not asked for.
                let first = if best.tied.is_empty() {
                    None
                } else {
                    equals(best).into_iter().min_by_key(|&at| facts.first_row(best.feature, at))
                };
                candidate(best.feature, first.unwrap_or(best.at))
            }),
            Ties::Even => tied.next().map(|best| {
                let at = if best.tied.is_empty() {
                    best.at
                } else {
                    most_even(best.feature, &equals(best), facts)
                };
                candidate(best.feature, at)
            }),
            Ties::Random => {
                let mut candidates = Vec::new();
                for best in tied {
                    candidates
                        .extend(equals(best).into_iter().map(|at| candidate(best.feature, at)));
                }
                candidates.get(uniform(key, candidates.len() as u64) as usize).copied()
            }
        })
    }

    /// Set the score of features whose gain is too small to 0.
    fn apply_filter(
        &self,
        best: &mut [BestOfFeature],
        facts: &mut dyn CandidateFacts,
    ) -> Result<()> {
        if self.gain_filter == GainFilter::None || best.is_empty() {
            return Ok(());
        }
        let gains: Vec<f64> =
            best.iter().map(|best| facts.gain(best.feature, best.at)).collect::<Result<_>>()?;
        let sum: f64 = gains.iter().sum();
        let bound = self.gain_filter.bound(sum, gains.len(), self.features);
        for (best, &gain) in best.iter_mut().zip(&gains) {
            if gain < bound {
                best.score = 0.0;
            }
        }
        Ok(())
    }
}
