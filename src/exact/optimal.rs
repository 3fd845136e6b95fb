//! Optimal trees of limited depth and size: [`optimal_tree`] ranks the rows, grows greedy trees as
//! the first bound, runs the search ([`super::passes`]) and writes its result down as a tree.
//! [`near_optimal`] lists the first tests of trees that are nearly as good.

use super::SearchLimits;
use super::near_optimal::{NearRoots, NearTrees};
use super::objective::{Cheapest, ERROR, Objective};
use super::passes::Controls;
use super::search::{BestTree, Prepared};
use super::two_class_measures::best_by;
use crate::data::{Dataset, Weights};
use crate::error::{Error, Result};
use crate::parallel::Control;
use serde_json::Map;

/// Find the tree of least cost for some rows (internal numbers, positive weights), or the best
/// within the limits.
///
/// # Errors
/// [`Error::Parameter`] and [`Error::Unsupported`] for an objective without a limit or without a
/// loss, [`Error::Data`] for too many classes or levels, [`Error::Need`] beyond the memory limit.
pub fn optimal_tree(
    data: &Dataset,
    rows: &[u32],
    weights: &Weights,
    objective: &Objective,
    limits: &SearchLimits,
    control: &Control,
) -> Result<Cheapest> {
    let measure = objective.measure()?;
    if measure.is_some() && data.n_classes() != 2 {
        return Err(Error::Data(format!(
            "criterion='{}' for an optimal tree is a measure of two classes; the target has {}",
            objective.criterion,
            data.n_classes()
        )));
    }
    let error = measure.is_some().then(|| Objective {
        criterion: ERROR.into(),
        criterion_options: Map::new(),
        ..objective.clone()
    });
    let prepared = Prepared::new(data, rows, weights, error.as_ref().unwrap_or(objective), limits)?;
    let control = prepared.control(control);
    // A sum is searched level by level; of a measure, one level less has half of the limits.
    let is_limited = limits.time_limit.is_some() || limits.node_budget.is_some();
    let mut less = None;
    if let Some(depth) = objective.max_depth
        && measure.is_some()
        && is_limited
        && depth > 1
    {
        prepared.admit(true, &control)?;
        let objective = Objective { max_depth: Some(depth - 1), ..objective.clone() };
        less = Some(optimal_tree(data, rows, weights, &objective, &limits.half(), &control)?);
    }
    let (ranked, bytes) = prepared.rank_rows(measure.is_some(), &control)?;
    let ending = control.holding(bytes);
    let searching = ending.with_deadline(limits.deadlines(prepared.start)[0]);
    let controls = Controls { searching: &searching, ending: &ending };
    match measure {
        Some(measure) => best_by(measure, &prepared, ranked, less, controls),
        None => prepared.search(&ranked).ask(&BestTree, controls).map(|(tree, _)| tree),
    }
}

/// By feature, the first tests of trees whose objective is at most `within` above the least, and
/// the best trees of at most `most_trees` of these tests.
///
/// # Errors
/// Returns the errors of [`optimal_tree`], and [`Error::OutOfTime`] when a limit on time or search
/// nodes is reached.
pub fn near_optimal(
    data: &Dataset,
    rows: &[u32],
    weights: &Weights,
    objective: &Objective,
    limits: &SearchLimits,
    (within, most_trees): (f64, usize),
    control: &Control,
) -> Result<NearTrees> {
    if objective.lookahead.is_some() || objective.measure()?.is_some() {
        return Err(Error::Unsupported {
            what: "near-optimal trees with lookahead, or by a measure that is no sum".into(),
            supported: "trees that are optimal under a sum over the leaves".into(),
        });
    }
    let prepared = Prepared::new(data, rows, weights, objective, limits)?;
    let control = prepared.control(control);
    let [searching, _] = limits.deadlines(prepared.start).map(|end| control.with_deadline(end));
    let (ranked, bytes) = prepared.rank_rows(false, &searching)?;
    let searching = searching.holding(bytes);
    let controls = Controls { searching: &searching, ending: &searching };
    prepared.search(&ranked).ask(&NearRoots { within, most_trees }, controls)
}
