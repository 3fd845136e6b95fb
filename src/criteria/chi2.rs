//! Pearson's statistic of independence: `sum (n_mc - e_mc)^2 / e_mc` with `e_mc = n_m n_c / n`.
//!
//! Empty rows and columns are dropped. The statistic grows with n, so scores of different nodes do
//! not compare, and with the number of values; it is the statistic, not the p-value: compare
//! features of equal arity, or use a normalised measure. Differences are squared as they stand (the
//! shortcut `n sum n_mc^2/(n_m n_c) - n` cancels near independence). O(branches x classes) with one
//! division per cell. This is not a fold: a cell needs the size of its branch, and cells are added
//! one by one, not branch by branch. Mingers 1987; Hart 1984.

use super::{Block, Formula, Info, Properties};
use crate::numeric::Count;

/// Chi-squared; no options.
#[derive(Debug)]
pub struct Chi2;

pub(super) static INFO: Info = Info {
    name: "chi2",
    class_name: "Chi2",
    summary: "Pearson's chi-squared statistic of the table.",
    formula: r"\sum_{m,c} \frac{(n_{mc} - n_m n_c / n)^2}{n_m n_c / n}",
    source: "mingers1987",
    highest: None,
    symmetric: true,
    convex: true,
    extensive: true,
    example_score: 3.5466666666666664,
    ..Info::TABLE_DEFAULTS
};

impl Properties for Chi2 {
    fn info(&self) -> &'static Info {
        &INFO
    }
}

impl Formula for Chi2 {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        out.fill(0.0);
        let n = block.total().value();
        block.each_cell(out, |s, x, z, of_class| {
            let expected = z * of_class / n;
            let off = x - expected;
            *s += if z > 0.0 { off * off / expected } else { 0.0 };
        });
    }
}
