//! The objective that an optimal tree minimises, the limits of its search, and the result.

use super::SearchLimits;
use super::measures::Measure;
use super::ranked::NominalTests;
use crate::criteria::{self, CRITERIA, Cells, Context, Criterion};
use crate::error::{Error, Result};
use crate::tree::Tree;
use serde_json::{Map, Value};

/// The measures of two classes, by name.
const F_MEASURE: &str = "f_measure";
const MATTHEWS: &str = "matthews";

/// Which of several optimal trees is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TieRule {
    /// The one with the fewest leaves; then, from the root down, the lowest feature and the lowest
    /// threshold.
    #[default]
    First,
    /// Any, which takes less time.
    Any,
}

/// The objective, which is minimised: the mean loss of the rows + `leaf_penalty` x leaves, over
/// trees of limited depth and size. [`SearchLimits::max_nodes`] limits their size, too.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Objective {
    /// `error`, a criterion whose score is a difference of mean losses, or, of two classes,
    /// `f_measure` or `matthews`.
    pub criterion: String,
    /// Its options.
    pub criterion_options: Map<String, Value>,
    /// Costs of errors, in place of the criterion.
    pub cost_matrix: Option<Vec<Vec<f64>>>,
    /// Losses of leaves in place of the criterion, for two classes: entry `i * (n1 + 1) + j` is the
    /// loss of a leaf with i rows of the first class and j of the second, and n1 is the number of
    /// all rows of the second class. None is negative, and one more row of either class never costs
    /// less.
    pub leaf_losses: Option<Vec<f64>>,
    /// Largest number of tests on a path.
    pub max_depth: Option<usize>,
    /// Depth down to which the tree is optimal, as if it ended there; below it grows greedily.
    pub lookahead: Option<usize>,
    /// Largest number of leaves.
    pub max_leaf_nodes: Option<usize>,
    /// Fewest rows of a leaf.
    pub min_samples_leaf: usize,
    /// Complexity penalty of each leaf, as a share of the rows.
    pub leaf_penalty: f64,
    /// How nominal features are tested.
    pub nominal_splits: NominalTests,
    /// Which of several optimal trees is returned.
    pub ties: TieRule,
}

impl Default for Objective {
    fn default() -> Self {
        Self {
            criterion: ERROR.into(),
            criterion_options: Map::new(),
            cost_matrix: None,
            leaf_losses: None,
            max_depth: None,
            lookahead: None,
            max_leaf_nodes: None,
            min_samples_leaf: 1,
            leaf_penalty: 0.0,
            nominal_splits: NominalTests::Ordered,
            ties: TieRule::First,
        }
    }
}

/// The name of the criterion whose loss is the weight of the misclassified rows.
pub(super) const ERROR: &str = "error";
/// A larger limit on the depth counts as this one, which is no limit in practice: trees that deep
/// are never searched in full.
const MOST_DEPTH: u32 = 60;

/// The tree of least cost, or the best known one if a limit ended the search.
#[derive(Debug, Clone, PartialEq)]
pub struct Cheapest {
    /// The tree.
    pub tree: Tree,
    /// The mean loss of its rows + `leaf_penalty` x leaves.
    pub objective: f64,
    /// A proven lower bound of the objective over all trees of the allowed depth and size.
    pub lower: f64,
    /// Weight of the misclassified rows.
    pub errors: f64,
    /// Number of search nodes opened.
    pub opened: u64,
}

impl Objective {
    /// Refuse options outside their domain, options that do not go together, and a search without
    /// any limit. It reads no rows, so it comes before they are ranked.
    pub(super) fn check(&self, limits: &SearchLimits) -> Result<()> {
        if !(self.leaf_penalty >= 0.0 && self.leaf_penalty.is_finite()) {
            let reason = "must be a finite number >= 0 (a share of the rows)";
            return Err(Error::parameter("leaf_penalty", self.leaf_penalty, reason));
        }
        if self.min_samples_leaf < 1 {
            return Err(Error::parameter("min_samples_leaf", 0, "must be at least 1"));
        }
        if self.lookahead.is_some() {
            if self.lookahead == Some(0) {
                return Err(Error::parameter("lookahead", 0, "must be at least 1"));
            }
            let (by_leaves, by_nodes) = (self.max_leaf_nodes.is_some(), limits.max_nodes.is_some());
            if by_leaves || by_nodes || self.max_depth.is_none() {
                return Err(Error::Unsupported {
                    what: "lookahead with max_leaf_nodes or max_nodes, or without max_depth".into(),
                    supported: "lookahead with max_depth: greedy growth below is limited by depth"
                        .into(),
                });
            }
        }
        if self.max_leaf_nodes == Some(0) {
            return Err(Error::parameter("max_leaf_nodes", 0, "a tree has at least one leaf"));
        }
        let is_limited = self.max_depth.is_some()
            || self.max_leaf_nodes.is_some()
            || limits.max_nodes.is_some()
            || self.leaf_penalty > 0.0;
        if !is_limited {
            return Err(Error::Unsupported {
                what: "a tree without max_depth, max_leaf_nodes, max_nodes and leaf_penalty".into(),
                supported: "one of them at least; minimal_tree(errors='minimise') finds the \
                    smallest tree with the fewest errors"
                    .into(),
            });
        }
        Ok(())
    }

    /// The most leaves of a tree of `rows` rows, its most levels, and the most levels that are
    /// searched in full. The levels never exceed the leaves minus 1. The last two numbers differ
    /// only with `lookahead`.
    pub(super) fn shape(&self, limits: &SearchLimits, rows: usize) -> (u32, [u32; 2]) {
        let by_nodes = limits.max_nodes.map_or(usize::MAX, |nodes| nodes.div_ceil(2));
        let leaves = by_nodes.min(self.max_leaf_nodes.unwrap_or(usize::MAX)).min(rows) as u32;
        let depth = self.max_depth.map_or(MOST_DEPTH, |d| d.min(MOST_DEPTH as usize) as u32);
        let depth = depth.min(leaves - 1);
        (leaves, [depth, self.lookahead.map_or(depth, |d| depth.min(d as u32))])
    }

    /// The measure of two classes that replaces a sum over the leaves, if the criterion is such a
    /// measure.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for options that a measure does not take, [`Error::Parameter`] for
    /// options outside their domain.
    pub(super) fn measure(&self) -> Result<Option<Measure>> {
        let measure = match self.criterion.as_str() {
            MATTHEWS => Measure::Matthews,
            F_MEASURE => {
                criteria::make(F_MEASURE, self.criterion_options.clone())?;
                let option = |name: &str| self.criterion_options.get(name);
                if option("variant").is_some_and(|variant| !variant.is_null()) {
                    return Err(Error::Unsupported {
                        what: "a variant of criterion='f_measure' for an optimal tree".into(),
                        supported: "the measure itself, with any beta".into(),
                    });
                }
                Measure::F { beta: option("beta").and_then(Value::as_f64).unwrap_or(1.0) }
            }
            _ => return Ok(None),
        };
        if self.leaf_penalty > 0.0 || self.lookahead.is_some() || self.cost_matrix.is_some() {
            return Err(Error::Unsupported {
                what: format!(
                    "leaf_penalty, lookahead or cost_matrix with criterion='{}'",
                    self.criterion
                ),
                supported: "limits on depth, leaves, nodes and rows of a leaf".into(),
            });
        }
        Ok(Some(measure))
    }

    /// The criterion by its name and options, whose leaves must have a loss.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if they have none.
    pub(super) fn criterion(&self) -> Result<Box<dyn Criterion>> {
        let criterion = criteria::make(&self.criterion, self.criterion_options.clone())?;
        if has_loss(criterion.as_ref()) {
            return Ok(criterion);
        }
        let with_loss = |entry: &&criteria::Entry| {
            criteria::make(entry.info.name, Map::new()).is_ok_and(|c| has_loss(c.as_ref()))
        };
        let names: Vec<&str> = CRITERIA.iter().filter(with_loss).map(|e| e.info.name).collect();
        Err(Error::Unsupported {
            what: format!(
                "criterion='{}' for an optimal tree (its score is no sum over the leaves)",
                self.criterion
            ),
            supported: format!(
                "a cost_matrix, '{F_MEASURE}' or '{MATTHEWS}' of two classes, or one of {}",
                names.join(", ")
            ),
        })
    }
}

/// Whether a criterion's leaves have a loss.
fn has_loss(criterion: &dyn Criterion) -> bool {
    criterion.loss(Cells::Weights(&[1.0, 1.0]), &Context::new(2, 2)).is_some()
}
