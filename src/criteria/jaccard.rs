//! Extended Jaccard distance between branches A_i and classes B_i: `k - sum_i |A_i n B_i| / |A_i u
//! B_i|` (Spaeh & Kosub, section 1.1), and its family D_f: `sum_i g(|A_i symdiff B_i|) / g(|A_i u
//! B_i|)` for concave non-decreasing g with g(0) = 0.
//!
//! k = classes that occur in the *training set*, whatever this node or the branches hold.
//! Similarity of a pair: `1 - g(|symdiff|)/g(|union|)`, for g = cardinality `n_mc / (n_m + n_c -
//! n_mc)`. Score = sum of similarities, distance = k - score.
//!
//! `assignment="matching"`: the one-to-one matching of branches and classes with the largest sum; a
//! pair with empty union has similarity 0. `"identity"`: branch i with class i; a pair with empty
//! union is left out of the sum and of k. `None` (default): matching for the branches of a split,
//! identity for a whole tree, whose branch i collects the rows labelled i (global evaluation).
//! Identity gives a metric on labelled partitions, matching does not (an unoccupied class costs 1
//! even against itself).
//!
//! This is not a fold: a matching compares all branches with all classes, and a pair reads the
//! number of its branch.
//!
//! O(branches x classes), and O(s^2 l) more for a matching. The measure compares partitions into k
//! parts: a multiway split with more branches than classes leaves some unmatched, so it is meant
//! for thresholds and for whole trees.

use super::assignment::Assignment;
use super::rows::RowOf;
use super::{Block, Criterion, Formula, Info, OptionDomain, OptionInfo, Properties};
use crate::error::{Error, Result};
use crate::numeric::Count;
use serde::Deserialize;

/// Which branch is compared with which class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pairing {
    /// The best one-to-one matching.
    #[default]
    Matching,
    /// Branch i with class i.
    Identity,
}

/// The concave size function g.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// g(x) = x.
    #[default]
    Cardinality,
    /// g(x) = sqrt x.
    Sqrt,
    /// g(x) = ln(1 + x).
    Log1p,
    /// g given at 0, 1, 2, ... by `size_values`.
    Values,
}

/// Extended Jaccard similarity.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Jaccard {
    /// Which branch is compared with which class; nothing: matching for a split, identity for a
    /// whole tree.
    pub assignment: Option<Pairing>,
    /// Size function.
    pub size: Size,
    /// g(0), g(1), ..., g(rows of the training set); linear in between. Only with `size = Values`.
    pub size_values: Option<Vec<f64>>,
}

pub(super) static INFO: Info = Info {
    name: "jaccard",
    class_name: "Jaccard",
    summary: "Sum of Jaccard similarities between branches and classes.",
    formula: r"\sum_i \frac{|A_i \cap B_i|}{|A_i \cup B_i|}",
    distance: r"k - s",
    source: "spaeh2022",
    highest: None,
    symmetric: true,
    options: &[
        OptionInfo {
            name: "assignment",
            domain: OptionDomain::Words { words: &["matching", "identity"] },
            default: "null",
            others: "[\"matching\", \"identity\"]",
            doc: "'matching': best one-to-one matching of branches and classes; 'identity': branch \
                i with class i; \
                  None: matching locally, identity globally.",
            ..OptionInfo::PLAIN
        },
        OptionInfo {
            name: "size",
            domain: OptionDomain::SizeFunction { words: &["cardinality", "sqrt", "log1p"] },
            default: "\"cardinality\"",
            others: "[\"sqrt\", \"log1p\"]",
            doc: "Concave non-decreasing g with g(0) = 0: 'cardinality', 'sqrt', 'log1p', or \
                'values' with \
                  size_values (in Python: a callable).",
            ..OptionInfo::PLAIN
        },
        OptionInfo {
            name: "size_values",
            domain: OptionDomain::SizeValues,
            default: "null",
            others: "[]",
            doc: "g(0), g(1), ..., g(n) for size 'values', n = rows (total weight) of the training \
                set.",
            ..OptionInfo::PLAIN
        },
    ],
    example_score: 0.873015873015873,
    ..Info::TABLE_DEFAULTS
};

impl Jaccard {
    /// g at a size; sizes between integers (real weights) are interpolated.
    #[inline]
    fn g(&self, x: f64) -> f64 {
        match (self.size, &self.size_values) {
            (Size::Cardinality, _) => x,
            (Size::Sqrt, _) => x.sqrt(),
            (Size::Log1p, _) => x.ln_1p(),
            (Size::Values, None) => f64::NAN,
            (Size::Values, Some(g)) => {
                let (i, part) = (x.floor() as usize, x.fract());
                if part == 0.0 { g[i] } else { g[i] + part * (g[i + 1] - g[i]) }
            }
        }
    }

    /// `1 - g(|symdiff|) / g(|union|)`, 0 for an empty union.
    #[inline]
    fn similarity(&self, both: f64, branch: f64, class: f64) -> f64 {
        let union = branch + class - both;
        if both <= 0.0 {
            0.0
        } else if self.size == Size::Cardinality {
            both / union
        } else {
            // Rounding of real weights must not make a size negative.
            1.0 - self.g((union - both).max(0.0)) / self.g(union)
        }
    }

    /// Score of one candidate, and k as it counts there.
    fn one<C: Count>(
        &self,
        block: &Block<'_, C>,
        j: usize,
        sizes: &mut Vec<f64>,
        work: &mut Assignment,
    ) -> (f64, f64) {
        sizes.clear();
        sizes.extend((0..block.branches).map(|m| block.branch_total(m, j).value()));
        let occurring = &block.context.occurring;
        match self.assignment.unwrap_or_default() {
            Pairing::Matching => {
                let weight = |m: usize, c: usize| {
                    self.similarity(block.at(m, c, j).value(), sizes[m], block.totals[c].value())
                };
                (
                    work.best(block.branches, block.classes, weight),
                    block.context.n_occurring() as f64,
                )
            }
            Pairing::Identity => {
                let (mut sum, mut k) = (0.0, 0.0);
                for c in (0..block.classes).filter(|&c| occurring[c]) {
                    let inside = c < block.branches;
                    let (both, branch) =
                        if inside { (block.at(c, c, j).value(), sizes[c]) } else { (0.0, 0.0) };
                    if branch > 0.0 || !block.totals[c].is_empty() {
                        k += 1.0;
                        sum += self.similarity(both, branch, block.totals[c].value());
                    }
                }
                (sum, k)
            }
        }
    }
}

impl Properties for Jaccard {
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn for_label_table(&self) -> Option<Box<dyn Criterion>> {
        match self.assignment {
            None => Some(Box::new(Self { assignment: Some(Pairing::Identity), ..self.clone() })),
            Some(_) => None,
        }
    }

    fn check(&self) -> Result<()> {
        let bad = |value: String, reason: &str| Err(Error::parameter("size_values", value, reason));
        match (self.size, &self.size_values) {
            (Size::Values, None) => bad("null".into(), "size='values' needs g(0), g(1), ..., g(n)"),
            (Size::Values, Some(g)) => {
                if g.len() < 2 || g[0] != 0.0 || !g.iter().all(|v| v.is_finite()) {
                    return bad(
                        format!("{} values", g.len()),
                        "must hold finite numbers, the first 0, and at least two",
                    );
                }
                if g[1] <= 0.0 {
                    return bad(format!("g(1) = {}", g[1]), "must be positive");
                }
                for (i, w) in g.windows(3).enumerate() {
                    let (rise, next) = (w[1] - w[0], w[2] - w[1]);
                    let tolerance = 1e-12 * w[1].abs().max(w[2].abs());
                    if next < -tolerance || next > rise + 2.0 * tolerance {
                        let what = format!("g({}) = {}", i + 2, w[2]);
                        return bad(what, "g must be non-decreasing and concave");
                    }
                }
                Ok(())
            }
            (_, Some(g)) => bad(format!("{} values", g.len()), "only with size='values'"),
            (_, None) => Ok(()),
        }
    }

    fn admit(&self, _classes: usize, n: f64) -> Result<()> {
        match (self.size, &self.size_values) {
            (Size::Values, Some(g)) if n.ceil() as usize >= g.len() => Err(Error::parameter(
                "size_values",
                format!("{} values", g.len()),
                format!("g is needed at 0..={}, the rows (or weight) of the table", n.ceil()),
            )),
            _ => Ok(()),
        }
    }
}

impl Formula for Jaccard {
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let (mut sizes, mut work) = (Vec::new(), Assignment::default());
        for (j, s) in out.iter_mut().enumerate() {
            *s = self.one(block, j, &mut sizes, &mut work).0;
        }
    }

    fn distance<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        let (mut sizes, mut work) = (Vec::new(), Assignment::default());
        for (j, d) in out.iter_mut().enumerate() {
            let (score, k) = self.one(block, j, &mut sizes, &mut work);
            *d = k - score;
        }
    }

    /// Minus the similarity of a label and its class.
    fn row_terms<C: Count>(&self, row: &RowOf<'_, C>, out: &mut [f64]) -> bool {
        if self.assignment != Some(Pairing::Identity) {
            return false;
        }
        let class = row.totals[row.label].value();
        let ((inside, cells), (before, sizes)) = (row.class(row.label), row.size());
        if self.size == Size::Cardinality {
            let (inside, class) = (inside.value(), class + before.value() - inside.value());
            for ((t, x), z) in out.iter_mut().zip(cells).zip(sizes) {
                let union = class + z.value() - x.value();
                *t = -(inside + x.value()) / if union > 0.0 { union } else { 1.0 };
            }
        } else {
            for ((t, &x), &z) in out.iter_mut().zip(cells).zip(sizes) {
                *t = -self.similarity(inside.plus(x).value(), before.plus(z).value(), class);
            }
        }
        true
    }
}
