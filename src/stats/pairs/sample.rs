//! Scores of a metric by pair of row blocks: what a sample of rows needs for an estimate of the
//! whole and for its error.
//!
//! The metrics of the framework are linear in the pairs once the share of each value is known, and
//! shares cost one pass over the rows. So the score of all t rows is a sum over pairs of two
//! different rows, which a sample of s rows estimates without bias by `t (t - 1) / (s (s - 1))`
//! times its own, plus the self-pairs, which are known: they would otherwise bias the estimate by
//! `1/s - 1/t`. Each unordered pair of blocks of the sample is one number per feature; sums over
//! pairs of blocks leave out any block, which is all that a jackknife asks for. O(s^2 n) as the
//! exact pass, whose counts are contracted as they come: no table of counts a pair of blocks is
//! kept.

use super::blocks::each_pair_of_blocks;
use super::counts::{Classes, PairCounts};
use super::input::CodeTable;
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::Kernels;
use std::ops::Range;

/// What is added up over pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CaseSigns {
    /// Factor of each case, the metric's sign times theta.
    pub factors: [f64; 4],
    /// Each value of a feature with its share of the rows.
    pub shares: bool,
}

/// Sums over pairs of different rows by pair of blocks, and over all self-pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockScores {
    /// One number per feature for each unordered pair of blocks (a <= b, lexicographic), both
    /// orders of its pairs of rows.
    pub pairs: Vec<Vec<f64>>,
    /// One number per feature: the self-pairs of all rows of the table, sampled or not.
    pub own: Vec<f64>,
}

/// Sums of `sign f(D) share` over the pairs within and between blocks of rows (no row twice);
/// `decay[d]` is the weight of distance d. Of the pairs of blocks those with numbers in `asked`.
///
/// # Errors
/// [`crate::error::Error::Data`] for a row that does not exist or counts that would not fit the
/// memory; [`crate::error::Error::Cancelled`].
pub fn block_scores(
    control: &Control,
    codes: &CodeTable<'_>,
    (members, asked): (&[Vec<u32>], Range<usize>),
    decay: &[f64],
    signs: CaseSigns,
) -> Result<BlockScores> {
    let n = codes.columns().len();
    let offsets = codes.offsets();
    let control = &PairCounts::affordable(control, &offsets, codes.n_classes())?;
    let of_slot = slot_weights(control, codes)?;
    let all: f64 = (0..codes.n_rows()).map(|i| f64::from(codes.weight(i))).sum();
    let share = |slot: usize| if signs.shares { of_slot[slot].0 / all.max(1.0) } else { 1.0 };
    let contract = |(a, b): (usize, usize), counts: PairCounts| {
        control.check()?;
        let own = if a == b { Some(own_pairs(codes, &members[a])) } else { None };
        let classes = codes.n_classes();
        let mut scores = vec![0.0; n];
        for (k, score) in scores.iter_mut().enumerate() {
            for slot in offsets[k] as usize..offsets[k + 1] as usize {
                let mut sum = 0.0;
                for class in 0..classes {
                    for (case, factor) in signs.factors.iter().enumerate() {
                        let by_distance =
                            counts.by_distance(k, slot - offsets[k] as usize, class, case);
                        let mut weighed = super::contract::dot(by_distance, decay);
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
    let pairs = each_pair_of_blocks(
        control,
        Kernels::active(),
        codes,
        (members, asked),
        Classes::Apart,
        contract,
    )?;
    let unit = signs.factors[0] * decay[0];
    let own = (0..n)
        .map(|k| {
            (offsets[k] as usize..offsets[k + 1] as usize)
                .map(|s| unit * share(s) * of_slot[s].1)
                .sum()
        })
        .collect();
    Ok(BlockScores { pairs, own })
}

/// Sum of weights and of their squares by (feature, value), over all rows.
fn slot_weights(control: &Control, codes: &CodeTable<'_>) -> Result<Vec<(f64, f64)>> {
    let by_feature = parallel::map(control, codes.columns().len(), |k| {
        control.check()?;
        let column = &codes.columns()[k];
        let mut sums = vec![(0u64, 0u128); column.levels];
        for i in 0..codes.n_rows() {
            let w = u64::from(codes.weight(i));
            let (sum, squares) = &mut sums[column.values.code(i)];
            *sum += w;
            *squares += u128::from(w * w);
        }
        Ok(sums.into_iter().map(|(sum, squares)| (sum as f64, squares as f64)).collect::<Vec<_>>())
    })?;
    Ok(by_feature.concat())
}

/// Self-pairs of some rows by (slot, class).
fn own_pairs(codes: &CodeTable<'_>, rows: &[u32]) -> Vec<u64> {
    let offsets = codes.offsets();
    let classes = codes.n_classes();
    let mut own = vec![0u64; offsets[codes.columns().len()] as usize * classes];
    for &i in rows {
        let i = i as usize;
        let (w, class) = (u64::from(codes.weight(i)), usize::from(codes.classes()[i]));
        for (column, &first) in codes.columns().iter().zip(&offsets) {
            own[(first as usize + column.values.code(i)) * classes + class] += w * w;
        }
    }
    own
}

#[cfg(test)]
mod tests {
    use super::super::tests::Random;
    use super::super::{Decay, PairSetting, Profile, pair_counts};
    use super::*;

    #[test]
    fn all_blocks_and_the_self_pairs_are_the_exact_score() {
        for seed in 0..30 {
            let random = Random::new(seed, 150, 7);
            let codes = random.codes();
            let control = Control::new(1);
            let profile = Profile::new(&pair_counts(&control, &codes).unwrap());
            let theta = [1.0, 0.5, 0.25, 0.75];
            let signed = [1.0, -0.5, -0.25, 0.75];
            let setting = PairSetting::new(theta, 0.3, Decay::Exponential).unwrap();
            let decay = setting.weights(codes.columns().len() + 1);
            let mut members = vec![Vec::new(); 4];
            (0..codes.n_rows()).for_each(|i| members[i * 7 % 4].push(i as u32));
            for (shares, exact) in
                [(true, profile.pi(&setting)), (false, profile.pi_unweighted(&setting))]
            {
                let signs = CaseSigns { factors: signed, shares };
                let asked = |control: &Control, some: Range<usize>| {
                    block_scores(control, &codes, (&members, some), &decay, signs).unwrap()
                };
                let found = asked(&control, 0..10);
                assert_eq!(found, asked(&Control::new(3), 0..usize::MAX));
                let parts = [asked(&control, 0..3).pairs, asked(&control, 3..10).pairs];
                assert_eq!(found.pairs, parts.concat());
                for (k, exact) in exact.iter().enumerate() {
                    let sum = found.own[k] + found.pairs.iter().map(|p| p[k]).sum::<f64>();
                    let scale = profile.whole(&PairSetting::pi()).abs() + exact.abs() + 1.0;
                    assert!((sum - exact).abs() <= 1e-9 * scale, "seed {seed}: {sum} {exact}");
                }
            }
        }
    }
}
