//! Laplace-corrected accuracy: `sum_m n_m/n (max_c n_mc + 1) / (n_m + k)` (Niblett & Bratko 1986;
//! CN2).
//!
//! k = declared classes, whether or not they occur here. The expected accuracy of majority labels
//! under a uniform prior over classes, so small pure branches count for less than large ones. Like
//! every accuracy it is blind to anything but the largest class. O(branches x classes).

use super::{Block, Formula, Info, Properties};
use crate::numeric::Count;
use serde::{Deserialize, Serialize};

/// Laplace accuracy; no options.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Laplace {}

pub(super) static INFO: Info = Info {
    name: "laplace",
    class_name: "Laplace",
    summary: "Expected accuracy of the branches' majority classes under a uniform prior.",
    formula: r"\sum_m \frac{n_m}{n} \frac{\max_c n_{mc} + 1}{n_m + k}",
    source: "Clark & Boswell, Rule induction with CN2: some recent improvements (1991)",
    example_score: 0.6462585034013605,
    ..Info::ON_TABLES
};

impl Properties for Laplace {
    fn info(&self) -> &'static Info {
        &INFO
    }
}

impl Formula for Laplace {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let n = block.total().value();
        let k = block.classes as f64;
        for (j, s) in out.iter_mut().enumerate() {
            *s = 0.0;
            for m in 0..block.branches {
                let size = block.branch_total(m, j).value();
                if size > 0.0 {
                    let most = block.branch(m, j).fold(0.0, |a: f64, c| a.max(c.value()));
                    *s += size / n * (most + 1.0) / (size + k);
                }
            }
        }
    }
}
