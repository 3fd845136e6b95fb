//! Gini: decrease of the impurity `1 - sum p_c^2` (Breiman, Friedman, Olshen & Stone 1984).
//!
//! Computed as `(sum_m (sum_c n_mc^2) / n_m) r - ((sum_c n_c^2) / n) r` with `r = 1 / n`: the
//! impurity before the split minus the impurity after it, with the ones cancelled; sums in value
//! and class order, empty branches skipped. Squares of counts are exact below 2^53. O(branches x
//! classes) per candidate, with one division per branch. Gini is not symmetric in branches and
//! classes. It prefers splits that isolate one class (unlike `twoing`) and, like the gain, features
//! with many values.

use super::fold::{Additive, OnClasses, total};
use super::formula::by_count;
use super::{
    Block, Context, Cuts, Info, LeftRows, LossRise, PairScreen, Properties, RunningScores, Tables,
    Term,
};
use crate::numeric::Count;
use crate::simd::{Level, running as simd, two_class_cuts};

/// Products of two counts are exact in double precision up to here.
const EXACT_PRODUCTS: f64 = (1u64 << 26) as f64;

/// Gini; no options.
#[derive(Debug)]
pub struct Gini;

pub(super) static INFO: Info = Info {
    name: "gini",
    class_name: "Gini",
    summary: "Decrease of the Gini impurity.",
    formula: r"\sum_m \frac{n_m}{n} \sum_c p_{c|m}^2 - \sum_c p_c^2",
    distance: r"\sum_m \frac{n_m}{n} \left(1 - \sum_c p_{c|m}^2\right)",
    source: "breiman1984",
    convex: true,
    fractional: true,
    example_score: 0.11632653061224485,
    ..Info::TABLE_DEFAULTS
};

/// The share of a row, and the purity `sum_c (n_c / n)^2` before the split. An empty node is pure.
#[derive(Clone, Copy)]
pub struct GiniNode {
    share: f64,
    before: f64,
    empty: bool,
}

impl Properties for Gini {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn reads_logs(&self) -> bool {
        false
    }

    fn loss_rise(&self) -> LossRise {
        LossRise::PerWeight(2.0)
    }

    fn running_scores(&self) -> Option<RunningScores> {
        Some(RunningScores {
            term: Term::Squares,
            scores: running_scores,
            bound: Some(running_bound),
        })
    }

    fn pair_screen(&self) -> Option<PairScreen> {
        Some(PairScreen { scores: two_class_cuts::gini, error: two_class_cuts::GINI_ERROR })
    }

    fn screen(&self, tables: &Tables<'_>, out: &mut [f64]) -> Option<f64> {
        by_count!(tables, block => screen_pairs(block, out), None)
    }
}

/// Two branches, two classes: `2 det^2 / (n^2 n_L n_R)` with `det = n_L0 n_R1 - n_L1 n_R0`: one
/// division where the definition has two. `det` is exact up to 2^26 rows, and off by less than
/// `2^-52 n_L n_R` for real weights.
fn screen_pairs<C: Count>(block: &Block<'_, C>, out: &mut [f64]) -> Option<f64> {
    let n = block.total().value();
    if block.branches != 2 || block.classes != 2 || !(1.0..=EXACT_PRODUCTS).contains(&n) {
        return None;
    }
    let plane = |m, c| &block.cell(m, c)[..out.len()];
    let (left_0, left_1, right_0, right_1) = (plane(0, 0), plane(0, 1), plane(1, 0), plane(1, 1));
    let scale = 2.0 / (n * n);
    for (j, s) in out.iter_mut().enumerate() {
        let (a, b) = (left_0[j].value(), left_1[j].value());
        let (c, d) = (right_0[j].value(), right_1[j].value());
        let det = a * d - b * c;
        *s = det * det / ((a + b) * (c + d)).as_divisor() * scale;
    }
    // Score: at most 12 roundings of numbers not above 1; here 5 more, of a number not above
    // 1/2.
    Some(16.0 * f64::EPSILON)
}

impl Additive for Gini {
    type Node = GiniNode;
    /// `sum_c n_mc^2`.
    type Parts = [f64; 1];
    type Look = [f64; 0];
    /// `sum_m (sum_c n_mc^2) / n_m`.
    type Sums = [f64; 1];
    const LOSS: bool = true;

    fn start(&self, node: &GiniNode) -> [f64; 1] {
        [if node.empty { 1.0 } else { 0.0 }]
    }

    #[inline(always)]
    fn branch<C: Count>(
        &self,
        size: C,
        [squares]: [f64; 1],
        _look: [f64; 0],
        _node: &GiniNode,
        [purity]: &mut [f64; 1],
    ) {
        *purity += squares / size.as_divisor();
    }

    #[inline(always)]
    fn score(&self, [purity]: [f64; 1], node: &GiniNode, _declared: u32) -> f64 {
        purity * node.share - node.before
    }

    /// Weighted impurity after the split.
    #[inline(always)]
    fn distance(&self, [purity]: [f64; 1], node: &GiniNode, _declared: u32) -> f64 {
        1.0 - purity * node.share
    }

    fn loss<C: Count>(&self, size: C, [squares]: [f64; 1], _node: &GiniNode) -> f64 {
        size.value() - squares / size.as_divisor()
    }
}

impl OnClasses for Gini {
    fn node<C: Count>(&self, totals: &[C], _context: &Context) -> GiniNode {
        let n = total(totals);
        let (share, empty) = (1.0 / n.as_divisor(), n.is_empty());
        let squares: f64 = totals.iter().map(|c| c.value() * c.value()).sum();
        let before = if empty { 1.0 } else { squares / n.value() * share };
        GiniNode { share, before, empty }
    }

    #[inline(always)]
    fn class<C: Count>(&self, count: C, _node: &GiniNode, [squares]: &mut [f64; 1]) {
        *squares += count.value() * count.value();
    }
}

/// Scores from running sums, in the order of operations of the fold.
fn running_scores(cuts: &Cuts<'_>, out: &mut [f64]) -> f64 {
    let n = f64::from(cuts.n);
    let share = 1.0 / n;
    let before = cuts.whole / n * share;
    let sums = simd::SideSquares { n: cuts.n, left: cuts.left, right: cuts.right };
    match cuts.rows {
        LeftRows::From(first) => {
            simd::purities(Level::active(), first, sums, share, before, out);
        }
        LeftRows::Each(rows) => {
            simd::purities_of(Level::active(), rows, sums, share, before, out);
        }
    }
    0.0
}

/// An upper bound on the scores of these cuts.
fn running_bound(cuts: &Cuts<'_>) -> f64 {
    let LeftRows::From(first) = cuts.rows else { return f64::INFINITY };
    let share = 1.0 / f64::from(cuts.n);
    let sums = simd::SideSquares { n: cuts.n, left: cuts.left, right: cuts.right };
    let purest = simd::purest(Level::active(), first, sums);
    // Both terms are at most 1, and rounded a few times.
    (purest - cuts.whole * share) * share + 16.0 * f64::EPSILON
}
