//! Scores of a metric per pair of row blocks, from which Python estimates the score of all rows,
//! and its error, from a sample.
//!
//! The metrics of the framework are linear in the pairs once the share of each value is known, and
//! shares cost one pass over the rows. So the score of all t rows is a sum over pairs of different
//! rows plus the self-pairs. The latter are known exactly; a sample would estimate them with a bias
//! of `1/s - 1/t`. The sum over a sample of s rows, times `t (t - 1) / (s (s - 1))`, estimates the
//! former without bias. With one number per feature and unordered pair of blocks, the sum without
//! any given block is available, as the jackknife requires. O(s^2 n) for n features, as the exact
//! pass; counts are contracted pair by pair of blocks and not kept.

use super::blocks::{BlockPair, RowBlocks, map_pairs_of_blocks};
use super::contract::dot;
use super::counts::{Classes, PairCounts};
use super::input::CodeTable;
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::Kernels;

/// A metric that is linear in the counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CaseSigns {
    /// Factor of each case: the sign of the metric times theta.
    pub factors: [f64; 4],
    /// Whether each value of a feature counts with its share of the rows.
    pub shares: bool,
}

/// Scores summed over pairs of different rows, per pair of blocks, and over self-pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockScores {
    /// `[pair of blocks][feature]` for the chosen pairs of blocks, over both orders of their pairs
    /// of rows.
    pub pairs: Vec<Vec<f64>>,
    /// `[feature]`, over the self-pairs of all rows of the table, sampled or not.
    pub own: Vec<f64>,
}

/// Sums of `factor * decay[D] * share` over the pairs of rows within and between blocks.
///
/// # Errors
/// [`crate::error::Error::Data`] for a row that does not exist or counts that would not fit the
/// memory; [`crate::error::Error::Cancelled`].
pub fn block_scores(
    control: &Control,
    codes: &CodeTable<'_>,
    blocks: RowBlocks<'_>,
    decay: &[f64],
    signs: CaseSigns,
) -> Result<BlockScores> {
    let n = codes.columns().len();
    let offsets = codes.offsets();
    let control = &PairCounts::affordable(control, &offsets, codes.n_classes())?;
    let of_slot = slot_weights(control, codes)?;
    let all: f64 = (0..codes.n_rows()).map(|i| f64::from(codes.weight(i))).sum();
    let share = |slot: usize| if signs.shares { of_slot[slot].sum / all.max(1.0) } else { 1.0 };
    // The counts of a pair of blocks become one score per feature, without self-pairs (case 1 at
    // distance 0, in blocks paired with themselves).
    let members = blocks.members;
    let contract = |pair: BlockPair, counts: PairCounts| {
        control.check()?;
        let own = (pair.a == pair.b).then(|| self_pairs(codes, &members[pair.a]));
        let classes = codes.n_classes();
        let mut scores = vec![0.0; n];
        for (k, score) in scores.iter_mut().enumerate() {
            for slot in offsets[k] as usize..offsets[k + 1] as usize {
                let mut sum = 0.0;
                for class in 0..classes {
                    for (case, factor) in signs.factors.iter().enumerate() {
                        let by_distance =
                            counts.by_distance(k, slot - offsets[k] as usize, class, case);
                        let mut weighed = dot(by_distance, decay);
                        if let (Some(own), 0) = (&own, case) {
                            weighed -= decay[0] * own[slot * classes + class] as f64;
                        }
                        sum += factor * weighed;
                    }
                }
                *score += share(slot) * sum;
            }
        }
        Ok(scores)
    };
    let kernels = Kernels::active();
    let pairs = map_pairs_of_blocks(control, kernels, codes, blocks, Classes::Apart, contract)?;
    // The self-pairs of all rows.
    let unit = signs.factors[0] * decay[0];
    let own_score = |slot: usize| unit * share(slot) * of_slot[slot].squares;
    let own = offsets.windows(2).map(|o| (o[0] as usize..o[1] as usize).map(own_score).sum());
    Ok(BlockScores { pairs, own: own.collect() })
}

/// Sums over the rows of a slot.
#[derive(Debug, Clone, Copy)]
struct SlotWeight {
    /// Sum of the weights.
    sum: f64,
    /// Sum of the squared weights, which is the weight of the self-pairs.
    squares: f64,
}

/// Weights by slot, over all rows.
fn slot_weights(control: &Control, codes: &CodeTable<'_>) -> Result<Vec<SlotWeight>> {
    let by_feature = parallel::map(control, codes.columns().len(), &|k| {
        control.check()?;
        let column = &codes.columns()[k];
        let (mut sums, mut squares) = (vec![0u64; column.levels], vec![0u128; column.levels]);
        for i in 0..codes.n_rows() {
            let weight = u64::from(codes.weight(i));
            let value = column.values.code(i);
            sums[value] += weight;
            squares[value] += u128::from(weight * weight);
        }
        let rounded = sums.into_iter().zip(squares);
        let rounded = rounded.map(|(s, q)| SlotWeight { sum: s as f64, squares: q as f64 });
        Ok(rounded.collect::<Vec<_>>())
    })?;
    Ok(by_feature.concat())
}

/// Self-pairs of the given rows, `[slot][class]`.
fn self_pairs(codes: &CodeTable<'_>, rows: &[u32]) -> Vec<u64> {
    let offsets = codes.offsets();
    let classes = codes.n_classes();
    let mut pairs = vec![0u64; offsets[codes.columns().len()] as usize * classes];
    for &i in rows {
        let i = i as usize;
        let (weight, class) = (u64::from(codes.weight(i)), usize::from(codes.classes()[i]));
        for (column, &first) in codes.columns().iter().zip(&offsets) {
            let slot = first as usize + column.values.code(i);
            pairs[slot * classes + class] += weight * weight;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::tests::Random;
    use super::super::{Decay, PairMetric, PairSetting, Profile, pair_counts};
    use super::*;
    use std::ops::Range;

    #[test]
    fn all_blocks_and_the_self_pairs_are_the_exact_score() {
        for seed in 0..30 {
            let random = Random::new(seed, 150, 7);
            let codes = random.codes();
            let control = Control::new(1);
            let profile = Profile::new(
                &pair_counts(&control, Kernels::active(), &codes, None, None).unwrap(),
            );
            let theta = [1.0, 0.5, 0.25, 0.75];
            let signed = [1.0, -0.5, -0.25, 0.75];
            let setting = PairSetting::new(theta, 0.3, Decay::Exponential).unwrap();
            let decay = setting.weights(codes.columns().len() + 1);
            let mut members = vec![Vec::new(); 4];
            (0..codes.n_rows()).for_each(|i| members[i * 7 % 4].push(i as u32));
            for (shares, exact) in [
                (true, profile.scores(PairMetric::Pi, &setting)),
                (false, profile.scores(PairMetric::PlainPi, &setting)),
            ] {
                let signs = CaseSigns { factors: signed, shares };
                let scores = |control: &Control, asked: Range<usize>| {
                    let blocks = RowBlocks { members: &members, asked };
                    block_scores(control, &codes, blocks, &decay, signs).unwrap()
                };
                let found = scores(&control, 0..10);
                assert_eq!(found, scores(&Control::new(3), 0..usize::MAX));
                let parts = [scores(&control, 0..3).pairs, scores(&control, 3..10).pairs];
                assert_eq!(found.pairs, parts.concat());
                for (k, exact) in exact.iter().enumerate() {
                    let sum = found.own[k] + found.pairs.iter().map(|p| p[k]).sum::<f64>();
                    let scale = profile.undivided(&PairSetting::pi()).abs() + exact.abs() + 1.0;
                    assert!((sum - exact).abs() <= 1e-9 * scale, "seed {seed}: {sum} {exact}");
                }
            }
        }
    }
}
