//! The largest standardised deviation of a cell from independence, squared: for splits in two the
//! maximum statistic of conditional inference trees, up to a factor of the node.
//!
//! `max_mc (n_mc - n_m p_c)^2 / (n_m (1 - n_m / n) p_c (1 - p_c))`. With two classes it orders
//! splits as Pearson's statistic does. It is no criterion of the registry: a fit that chooses
//! features by significance takes it for `cut_test="maximum"`. O(branches x classes). Hothorn,
//! Hornik & Zeileis 2006.

use super::{Block, Formula, Info, Properties};
use crate::numeric::Count;

/// The largest standardised deviation; no options.
#[derive(Debug)]
pub struct LargestDeviation;

static INFO: Info = Info {
    name: "largest_deviation",
    summary: "Largest squared standardised deviation of a cell from independence.",
    source: "hothorn2006",
    highest: None,
    extensive: true,
    ..Info::TABLE_DEFAULTS
};

impl Properties for LargestDeviation {
    fn info(&self) -> &'static Info {
        &INFO
    }
}

impl Formula for LargestDeviation {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        out.fill(0.0);
        let n = block.total().value();
        block.each_cell(out, |s, x, z, of_class| {
            let share = of_class / n;
            let off = x - z * share;
            let variance = z * (1.0 - z / n) * share * (1.0 - share);
            *s = if variance > 0.0 { s.max(off * off / variance) } else { *s };
        });
    }
}
