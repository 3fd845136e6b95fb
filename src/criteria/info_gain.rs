//! Information gain: `H(c) - sum_m n_m/n H(c|m)`, in bits (Quinlan 1986; Shannon's mutual
//! information).
//!
//! Rounding is part of the definition (see `information`): ties between splits are decided by the
//! last bit. O(branches x classes) per candidate, with two divisions per branch. It favours
//! features with many values; `gain_ratio`, `normal_gain` and `mantaras` correct that.
//!
//! The screen uses the same table of `c log2 c` without a division,
//! `n gain = n H(c) + sum_mc n_mc log2 n_mc - sum_m n_m log2 n_m`, whose error is a few units in
//! the last place of `log2 n`.

use super::formula::by_count;
use super::information::{EntropyNode, Gain, OnEntropies, screen_gains};
use super::{Info, LossRise, Properties, RunningScores, Tables, Term, gains};

/// Information gain; no options.
#[derive(Debug)]
pub struct InfoGain;

pub(super) static INFO: Info = Info {
    name: "info_gain",
    aliases: &["entropy", "mutual_information", "log_loss"],
    class_name: "InfoGain",
    summary: "Expected drop of the class entropy, in bits.",
    formula: r"H(c) - \sum_m \frac{n_m}{n} H(c \mid m)",
    distance: r"H(c \mid m)",
    source: "quinlan1986",
    highest: None,
    symmetric: true,
    convex: true,
    fractional: true,
    example_score: 0.24674981977443916,
    ..Info::TABLE_DEFAULTS
};

impl Properties for InfoGain {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn loss_rise(&self) -> LossRise {
        LossRise::PerBit(1.0)
    }

    fn running_scores(&self) -> Option<RunningScores> {
        Some(RunningScores { term: Term::XLog2X, scores: gains::write_gains, bound: None })
    }

    fn screen(&self, tables: &Tables<'_>, out: &mut [f64]) -> Option<f64> {
        by_count!(tables, block => screen_gains(block, out), None)
    }
}

impl OnEntropies for InfoGain {
    type Measure = Gain;
    const LOSS_PER_BIT: Option<f64> = Some(1.0);

    #[inline(always)]
    fn score(&self, gain: f64, _other: f64, _node: &EntropyNode, _declared: u32) -> f64 {
        gain
    }

    fn start_of_distance(&self, _node: &EntropyNode) -> f64 {
        0.0
    }

    /// `H(c|m)`: the expected entropy that is left.
    #[inline(always)]
    fn distance(&self, gain: f64, _other: f64, _node: &EntropyNode, _declared: u32) -> f64 {
        0.0 - gain
    }
}
