//! The selection rule: which feature's best candidate is taken.
//!
//! A rule is not a criterion. It sees one score per feature (and, for the guards of gain ratio, one
//! gain a feature) and the tie rule; formulas and tables are out of its sight.

use super::sink::Scored;
use crate::criteria::GainFilter;
use crate::error::Result;
use crate::numeric::{Ties, better, uniform};

/// The candidate that was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Feature.
    pub feature: u32,
    /// Which candidate of the feature (rows on the left of a threshold).
    pub at: u32,
    /// Score, after the guard.
    pub score: f64,
}

/// What a rule needs to know of a feature beyond its score, supplied by growth on demand.
pub trait FeatureBest {
    /// Information gain of a candidate, scaled as its score is.
    fn gain(&mut self, feature: u32, at: u32) -> Result<f64>;
    /// The first original row whose value is the one just left of a threshold.
    fn first_row(&mut self, feature: u32, at: u32) -> u32;
}

/// A selection rule.
#[derive(Debug, Clone, Copy)]
pub struct Selector {
    /// GainFilter against small gains.
    pub gain_filter: GainFilter,
    /// Tie rule.
    pub ties: Ties,
    /// Number of features of the data set (not only those with a valid split).
    pub features: usize,
}

impl Selector {
    /// The best of the features' best candidates, or nothing when there is no candidate. `key`
    /// decides random ties.
    pub fn choose(
        &self,
        mut best: Vec<Scored>,
        facts: &mut dyn FeatureBest,
        key: u64,
    ) -> Result<Option<Choice>> {
        self.apply_guard(&mut best, facts)?;
        let Some(top) =
            best.iter().map(|b| b.score).reduce(|a, b| if better(b, a) { b } else { a })
        else {
            return Ok(None);
        };
        let tied = best.iter().filter(|b| b.score == top);
        let all = |b: &Scored| [&[b.at], &b.tied[..]].concat();
        let (feature, at) = match self.ties {
            Ties::First => tied.map(|b| (b.feature, b.at)).next(),
            Ties::Row => tied
                .map(|b| match b.tied.is_empty() {
                    true => (b.feature, b.at),
                    false => {
                        let first =
                            all(b).into_iter().min_by_key(|&at| facts.first_row(b.feature, at));
                        (b.feature, first.unwrap_or(b.at))
                    }
                })
                .next(),
            Ties::Random => {
                let all: Vec<(u32, u32)> =
                    tied.flat_map(|b| all(b).into_iter().map(|at| (b.feature, at))).collect();
                Some(all[uniform(key, all.len() as u64) as usize])
            }
        }
        .unwrap_or_default();
        Ok(Some(Choice { feature, at, score: top }))
    }

    fn apply_guard(&self, best: &mut [Scored], facts: &mut dyn FeatureBest) -> Result<()> {
        if self.gain_filter == GainFilter::None || best.is_empty() {
            return Ok(());
        }
        let gains: Vec<f64> =
            best.iter().map(|b| facts.gain(b.feature, b.at)).collect::<Result<_>>()?;
        let sum: f64 = gains.iter().sum();
        let bound = match self.gain_filter {
            GainFilter::None => return Ok(()),
            GainFilter::Average => sum / gains.len() as f64,
            GainFilter::J48 => sum / gains.len() as f64 - 1e-3,
            GainFilter::Chen2013 => sum / (self.features as f64 + 1.0),
        };
        for (b, &gain) in best.iter_mut().zip(&gains) {
            if gain < bound {
                b.score = 0.0;
            }
        }
        Ok(())
    }
}
