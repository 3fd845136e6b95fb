//! Variation of information: the distance `H(c|m) + H(m|c)`, in bits (Meila 2003; Spaeh & Kosub).
//!
//! The distance is a metric on partitions, and 0 if and only if branches and classes are the same
//! partition. Unlike the gain it punishes branches that divide a class, and unlike `mantaras` it is
//! not normalised: a split of a small pure node is cheap. Both expected entropies are summed as
//! they are written, in value order and in class order, so that nothing cancels; the second is
//! rounded class by class, which no fold over branches does, so only `H(c|m)` is one. O(branches x
//! classes), one logarithm table for both.

use super::info_gain::InfoGain;
use super::rows::RowOf;
use super::{Block, Formula, Info, Properties, fold};
use crate::numeric::{Count, entropy};

/// Variation of information; no options.
#[derive(Debug)]
pub struct VariationOfInformation;

pub(super) static INFO: Info = Info {
    name: "variation_of_information",
    class_name: "VariationOfInformation",
    summary: "Minus the bits still needed to tell the class from the branch and the branch from \
        the class.",
    formula: r"-H(c \mid m) - H(m \mid c)",
    distance: r"H(c \mid m) + H(m \mid c)",
    source: "meila2003",
    lowest: None,
    highest: Some(0.0),
    symmetric: true,
    metric: true,
    stops_without_gain: true,
    example_score: -2.024192601974098,
    ..Info::TABLE_DEFAULTS
};

/// Subtract `sum_c n_c/n H(m|c)` from the numbers in `out`.
fn subtract_branch_entropy<C: Count>(block: &Block<'_, C>, out: &mut [f64]) {
    let n = block.total().value();
    for (c, &size) in block.totals.iter().enumerate().filter(|(_, size)| !size.is_empty()) {
        let weight = size.value() / n;
        for (j, s) in out.iter_mut().enumerate() {
            let column = (0..block.branches).map(|m| block.at(m, c, j));
            *s -= weight * entropy(column, size, block.context.logs);
        }
    }
}

impl Properties for VariationOfInformation {
    fn info(&self) -> &'static Info {
        &INFO
    }
}

impl Formula for VariationOfInformation {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        // Minus H(c|m), as the fold of the gain rounds it.
        fold::evaluate(&InfoGain, block, true, out);
        out.iter_mut().for_each(|s| *s = 0.0 - *s);
        subtract_branch_entropy(block, out);
    }

    fn distance<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        self.score(block, out);
        for d in out {
            *d = 0.0 - *d;
        }
    }

    /// `(n_m log n_m - 2 sum_c n_mc log n_mc) / n`.
    fn row_terms<C: Count>(&self, row: &RowOf<'_, C>, out: &mut [f64]) -> bool {
        let (share, logs) = (1.0 / row.total().as_divisor(), row.context.logs);
        out.fill(0.0);
        for class in 0..row.classes() {
            let (before, cells) = row.class(class);
            for (t, &x) in out.iter_mut().zip(cells) {
                *t += before.plus(x).x_log2_x(logs);
            }
        }
        let (before, sizes) = row.size();
        for (t, &z) in out.iter_mut().zip(sizes) {
            *t = (before.plus(z).x_log2_x(logs) - 2.0 * *t) * share;
        }
        true
    }
}
