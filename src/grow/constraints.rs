//! Monotonic and interaction constraints of local growth.
//!
//! A feature with sign 1 may not lower the predicted value where it rises, one with sign -1 may not
//! raise it. The value is the mean of a number, or the share of the second of two classes. As in
//! scikit-learn a threshold on such a feature is allowed only where the values of both sides are in
//! order, and what is below a side stays on its side of the midpoint of the two values. The branch
//! of missing values has no order; it keeps the bounds of the node.
//!
//! Where features are in groups, a path tests features that one group has together. Both follow
//! from the path of a node ([`PathLimits`]), O(depth x groups) per node, and nothing without
//! constraints.

use crate::numeric::Count;
use crate::split::ValueGuard;
use crate::stats::Sum;
use std::sync::Arc;

/// The constraints of a fit; at least one of the two is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraints {
    /// The sign of each feature: 1, -1, or 0 for none. Empty without monotonic constraints.
    pub signs: Vec<i8>,
    /// Groups of features that may be tested on one path, each ascending. Empty without interaction
    /// constraints.
    pub groups: Vec<Vec<u32>>,
}

impl Constraints {
    /// Whether some feature has a sign, so that the values of nodes are bounded. Without signs only
    /// groups of features constrain growth.
    pub fn are_monotonic(&self) -> bool {
        !self.signs.is_empty()
    }

    /// The sign of a feature; 0 for one that has none.
    fn sign(&self, feature: u32) -> i8 {
        self.signs.get(feature as usize).copied().unwrap_or(0)
    }
}

/// The limits that the path to a node sets for the nodes below it.
#[derive(Debug, Clone)]
pub(super) struct PathLimits {
    constraints: Arc<Constraints>,
    /// The least and the largest value of a node.
    bounds: [f64; 2],
    /// The groups that have all features of the path.
    open: Vec<bool>,
}

impl PathLimits {
    /// The limits of a root: its value is not bounded, and all groups of features are open. Splits
    /// on the path narrow them ([`Self::pass`]).
    pub fn new(constraints: &Arc<Constraints>) -> Self {
        let open = vec![true; constraints.groups.len()];
        Self { constraints: constraints.clone(), bounds: [f64::NEG_INFINITY, f64::INFINITY], open }
    }

    /// Add a split on the path: its feature, the branch that the path takes, and the class sums of
    /// its first two branches. Only features with a sign move the bounds, to the midpoint of the
    /// values of both sides. The order in which splits are added does not matter.
    pub fn pass<S: Sum>(&mut self, feature: u32, branch: u32, sides: [&[S]; 2]) {
        for (open, group) in self.open.iter_mut().zip(&self.constraints.groups) {
            *open &= group.binary_search(&feature).is_ok();
        }
        let sign = self.constraints.sign(feature);
        if sign == 0 || branch > 1 {
            return;
        }
        if let [Some(left), Some(right)] = sides.map(value_of) {
            let middle = (left + right) / 2.0;
            let [least, largest] = &mut self.bounds;
            // The left side of a feature that may not lower the value has the small values, the
            // left side of a feature that may not raise it the large ones.
            let is_lower_side = (branch == 0) == (sign > 0);
            if is_lower_side {
                *largest = largest.min(middle);
            } else {
                *least = least.max(middle);
            }
        }
    }

    /// Whether a node below the path may test a feature: some group has it and all features of the
    /// path. Without groups every feature may be tested.
    pub fn allows(&self, feature: u32) -> bool {
        let mut groups = self.open.iter().zip(&self.constraints.groups);
        self.open.is_empty()
            || groups.any(|(open, group)| *open && group.binary_search(&feature).is_ok())
    }

    /// The limits on the values of branches; `None` without monotonic constraints. The guard shares
    /// no rows yet ([`ValueGuard::shared`]).
    pub fn guard(&self) -> Option<ValueGuard<'_>> {
        let signs = &self.constraints.signs[..];
        let guard = ValueGuard { signs, bounds: self.bounds, shared: None };
        (!signs.is_empty()).then_some(guard)
    }

    /// Whether a split with these class sums, branch by branch, keeps the constraints on values.
    /// Fractional instances need this second check: the sums of their branches are rounded after
    /// the candidate was scored. There must be at least two branches.
    pub fn keeps<S: Sum>(&self, feature: u32, sums: &[S], classes: usize) -> bool {
        let Some(guard) = self.guard() else { return true };
        let values: Vec<Option<f64>> = sums.chunks_exact(classes).map(value_of).collect();
        guard.keeps(feature, values.iter().copied().flatten(), [values[0], values[1]])
    }
}

/// The weight and the value of rows with these class sums; `None` without rows.
pub(super) fn weight_and_value<S: Sum>(sums: &[S], unit: f64) -> Option<(f64, f64)> {
    value_of(sums).map(|value| (sums.iter().map(|sum| sum.value(unit)).sum(), value))
}

/// The value of rows with these class sums; `None` without rows.
fn value_of<S: Sum>(sums: &[S]) -> Option<f64> {
    let cells: Vec<S::Cell> = sums.iter().map(|sum| sum.cell(1.0)).collect();
    ValueGuard::value(<S::Cell as Count>::cells(&cells), 0, 1)
}
