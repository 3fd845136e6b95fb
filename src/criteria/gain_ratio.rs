//! Gain ratio: `gain / H(m)`, information gain over the entropy of the branch sizes (Quinlan 1986,
//! 1993).
//!
//! `H(m) = 0` (one occupied branch) gives 0. The ratio is very large where nearly all rows go one
//! way, so C4.5 considers only features with at least average gain: option `guard`. A guard
//! compares features, so it is not part of the formula; the selection rule gets it from
//! `gain_filter()`. O(branches x classes).
//!
//! The ratio is not symmetric in branches and classes (with `H(c)` as the divisor, the order of
//! splits changes); `symmetric_uncertainty` and `mantaras` are symmetric normalisations.

use super::formula::by_count;
use super::information::{EntropyNode, GainAndSplit, OnEntropies, ratio, screen_gain_ratios};
use super::{
    GainFilter, Info, OptionDomain, OptionInfo, Properties, RunningScores, SplitRule, Tables, Term,
    gains,
};
use serde::Deserialize;

/// Gain ratio.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GainRatio {
    /// Which features may win; `None` compares all.
    pub guard: Option<GainFilter>,
    /// Candidates as in C4.5 release 8.
    pub mdl_penalty: bool,
}

pub(super) static INFO: Info = Info {
    name: "gain_ratio",
    class_name: "GainRatio",
    summary: "Information gain over the entropy of the branch sizes.",
    formula: r"\frac{H(c) - H(c \mid m)}{H(m)}",
    distance: r"1 - s",
    source: "quinlan1993",
    convex: true,
    fractional: true,
    options: &[
        OptionInfo {
            name: "guard",
            domain: OptionDomain::Words { words: &["average", "j48", "chen2013"] },
            default: "null",
            others: "[\"average\", \"j48\", \"chen2013\"]",
            doc: "Features whose gain is too low score 0: null compares all, 'average' asks for \
                the mean gain over \
              features with a valid split, 'j48' as C4.5 release 8, 'chen2013' for (sum of \
              gains)/(features + 1).",
            ..OptionInfo::PLAIN
        },
        OptionInfo {
            name: "mdl_penalty",
            domain: OptionDomain::Flag,
            default: "false",
            others: "[true]",
            doc: "true: growth takes candidates as C4.5 release 8 and J48 do. The threshold of a \
                numeric feature is the one \
                  with the largest gain, log2(thresholds)/n is taken off that gain, both sides \
                  hold at least \
                  min(25, max(min_samples_leaf, 0.1 n/classes)) rows; of a nominal feature two \
                  branches hold at least \
                  min_samples_leaf; numbers differ only if by more than 1e-6. Needs \
                  missing='fractional', 'mode', or no missing values.",
            ..OptionInfo::PLAIN
        },
    ],
    example_score: 0.15642756242117517,
    ..Info::TABLE_DEFAULTS
};

impl Properties for GainRatio {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn running_scores(&self) -> Option<RunningScores> {
        Some(RunningScores { term: Term::XLog2X, scores: gains::write_gain_ratios, bound: None })
    }

    fn gain_filter(&self) -> GainFilter {
        self.guard.unwrap_or_default()
    }

    fn split_rule(&self) -> SplitRule {
        if self.mdl_penalty { SplitRule::C45 } else { SplitRule::Best }
    }

    fn screen(&self, tables: &Tables<'_>, out: &mut [f64]) -> Option<f64> {
        by_count!(tables, block => screen_gain_ratios(block, out), None)
    }
}

impl OnEntropies for GainRatio {
    type Measure = GainAndSplit;

    #[inline(always)]
    fn score(&self, gain: f64, split: f64, _node: &EntropyNode, _declared: u32) -> f64 {
        ratio(gain, split)
    }
}
