//! The price of a leaf in cost-complexity pruning, chosen by cross-validation (Breiman, Friedman,
//! Olshen & Stone, CART, 1984, section 3.4).
//!
//! The tree of all rows gives its sequence of prices `a_0 = 0 < a_1 < ...`; its k-th pruned tree is
//! best for prices from `a_k` up to `a_(k+1)`, and stands for `sqrt(a_k a_(k+1))`, the last one for
//! `a_K`. A tree is grown on all folds but one, for every fold, and pruned at each of these prices;
//! its costs are those of the rows left out. `R_k` = mean cost of all rows (1 an error, or as the
//! cost matrix says), with standard error `sqrt((mean c^2 - R_k^2) / n)`. The rule "min" takes the
//! smallest `R_k` (the largest price on ties), "1se" the largest price whose `R` is at most the
//! smallest one plus its standard error.
//!
//! Folds are made once, stratified by class, from the seed and the places of the rows. A fold's
//! tree is walked once a row for all prices; trees that send parts of rows down several branches
//! are walked again at each price.
//!
//! When not to use it: with few rows in a class; and where the last percent of accuracy matters,
//! which "1se" gives away for a smaller tree.

use crate::data::{Dataset, RowSet, Weights};
use crate::error::Result;
use crate::fit::{FitPlan, FitRows, Fitted};
use crate::model::Model;
use crate::numeric::mix;
use crate::parallel::{self, Control};
use crate::predict::{CompiledTree, Predictor};
use crate::prune::{AlphaRule, cost_complexity};
use crate::tree::{CostMatrix, NONE, Tree};

/// How a price was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct AlphaChoice {
    /// Prices at which the pruned trees of the sequence become best.
    pub alphas: Vec<f64>,
    /// Leaves (with rows) of each pruned tree.
    pub leaves: Vec<u32>,
    /// Cross-validated mean cost of each.
    pub errors: Vec<f64>,
    /// Its standard error.
    pub deviations: Vec<f64>,
    /// The one that was chosen.
    pub chosen: usize,
}

/// Fit a tree; where the plan leaves the complexity penalty open, choose it first.
pub fn fit(
    plan: &FitPlan,
    rows: FitRows<'_>,
    control: &Control,
) -> Result<(Fitted, Option<AlphaChoice>)> {
    match rows {
        FitRows::Codes(coded) => Ok((plan.fit_records(*coded, control)?, None)),
        FitRows::Encoded(data, rows, weights) => {
            plan.on_counted_rows(data, &rows, &weights, |data, rows, weights| {
                fit_counted(plan, data, rows, weights, control)
            })
        }
    }
}

/// [`fit`] on rows that count as growth counts them.
pub(super) fn fit_counted(
    plan: &FitPlan,
    data: &Dataset,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<(Fitted, Option<AlphaChoice>)> {
    let Some(rule) = plan.alpha_rule() else {
        return Ok((plan.fit(data, rows, weights, control)?, None));
    };
    let rows = plan.training_rows(data, rows, weights)?;
    let Fitted { model: grown, reason, .. } = plan.grow(data, &rows, weights, control)?;
    let costs = plan.costs(data.n_classes())?;
    let path =
        cost_complexity::path_by_cost(&grown.tree, plan.impurity(), costs.as_ref(), control)?;
    let (alphas, leaves) = distinct(&path);
    let mut choice =
        AlphaChoice { errors: Vec::new(), deviations: Vec::new(), chosen: 0, alphas, leaves };
    add_costs(plan, rule, data, &rows, weights, control, &mut choice)?;
    let (model, account) = plan.prune_at(grown, choice.price(choice.chosen), control)?;
    Ok((Fitted { model, account, reason }, Some(choice)))
}

/// The ascending prices of a path, those that differ by rounding only taken as one, and the leaves
/// of the tree that each leads to. Links that are worth nothing are cut only above a price of 0.
fn distinct(path: &cost_complexity::Path) -> (Vec<f64>, Vec<u32>) {
    let (mut alphas, mut leaves): (Vec<f64>, Vec<u32>) = (Vec::new(), Vec::new());
    let slack = 1e-12 * path.impurities.iter().copied().fold(0.0, f64::max);
    for (&alpha, &n) in path.alphas.iter().zip(&path.leaves) {
        match (alphas.last_mut(), leaves.last_mut()) {
            (Some(last), Some(left)) if alpha <= *last + slack => {
                if *last > 0.0 {
                    (*last, *left) = (alpha.max(*last), n);
                }
            }
            _ => {
                alphas.push(alpha);
                leaves.push(n);
            }
        }
    }
    (alphas, leaves)
}

impl AlphaChoice {
    /// The price that the k-th tree stands for.
    pub fn price(&self, k: usize) -> f64 {
        match self.alphas.get(k + 1) {
            Some(next) => (self.alphas[k] * next).sqrt(),
            None => self.alphas[k],
        }
    }
}

fn add_costs(
    plan: &FitPlan,
    rule: &AlphaRule,
    data: &Dataset,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
    choice: &mut AlphaChoice,
) -> Result<()> {
    let n = choice.alphas.len();
    let prices: Vec<f64> = (0..n).map(|k| choice.price(k)).collect();
    let folds = divide(data, rows.rows(), rule.folds.min(rows.len()), rule.seed);
    let serial = control.serial().quiet();
    // Sums of cost, of its square, and of weight, by price.
    let found = parallel::map(control, if folds.len() < 2 { 0 } else { folds.len() }, |f| {
        let train: Vec<u32> = folds
            .iter()
            .enumerate()
            .filter(|(g, _)| *g != f)
            .flat_map(|(_, rows)| rows.iter().copied())
            .collect();
        let grown = plan.grow(data, &RowSet::of(train, data.len()), weights, &serial)?.model;
        costs_of_rows(plan, &grown, &prices, data, &folds[f], weights, &serial)
    })?;
    let (mut sums, mut squares, mut total) = (vec![0.0; n], vec![0.0; n], 0.0);
    for (costs, squared, weight) in found {
        sums.iter_mut().zip(costs).for_each(|(a, b)| *a += b);
        squares.iter_mut().zip(squared).for_each(|(a, b)| *a += b);
        total += weight;
    }
    let total: f64 = if total > 0.0 { total } else { 1.0 };
    choice.errors = sums.iter().map(|s| s / total).collect();
    choice.deviations = (0..n)
        .map(|k| ((squares[k] / total - choice.errors[k].powi(2)).max(0.0) / total).sqrt())
        .collect();
    let smallest =
        (0..n).rev().min_by(|&a, &b| choice.errors[a].total_cmp(&choice.errors[b])).unwrap_or(0);
    let allowed = match rule.one_se {
        true => choice.errors[smallest] + choice.deviations[smallest],
        false => choice.errors[smallest],
    };
    choice.chosen = (0..n).rev().find(|&k| choice.errors[k] <= allowed).unwrap_or(smallest);
    Ok(())
}

/// Price at which each node becomes a leaf, infinite where it never does.
fn cut_prices(
    plan: &FitPlan,
    tree: &Tree,
    costs: Option<&CostMatrix>,
    control: &Control,
) -> Result<Vec<f64>> {
    let links = cost_complexity::path_by_cost(tree, plan.impurity(), costs, control)?;
    let mut gone = vec![f64::INFINITY; tree.nodes.len()];
    let mut price: f64 = 0.0;
    for (&alpha, &node) in links.alphas.iter().zip(&links.nodes).skip(1) {
        price = price.max(alpha);
        gone[node as usize] = price;
    }
    Ok(gone)
}

/// Sums of cost and squared cost of some rows under a tree pruned at each price, and their weight.
fn costs_of_rows(
    plan: &FitPlan,
    grown: &Model,
    prices: &[f64],
    data: &Dataset,
    rows: &[u32],
    weights: &Weights,
    control: &Control,
) -> Result<(Vec<f64>, Vec<f64>, f64)> {
    let k = data.n_classes();
    let costs = plan.costs(k)?;
    let charge = |row: u32, label: i32| {
        let class = data.classes()[row as usize] as usize;
        match &costs {
            Some(costs) => costs.one(class, label),
            None => f64::from(u8::from(label != class as i32)),
        }
    };
    let weight = rows.iter().map(|&r| weights.value(r)).sum();
    if grown.tree.is_shared() {
        let (mut sums, mut squares) = (vec![0.0; prices.len()], vec![0.0; prices.len()]);
        for (i, &alpha) in prices.iter().enumerate() {
            control.check()?;
            let (model, _) = plan.prune_at(grown.clone(), alpha, control)?;
            let predictor = Predictor::new(&model)?;
            let mut p = vec![0.0; k];
            for &row in rows {
                let end = predictor.tree.end(data, row as usize);
                let cost = charge(row, predictor.answer(data, row as usize, end, &mut p));
                sums[i] += weights.value(row) * cost;
                squares[i] += weights.value(row) * cost * cost;
            }
        }
        return Ok((sums, squares, weight));
    }
    let gone = cut_prices(plan, &grown.tree, costs.as_ref(), control)?;
    let walker = CompiledTree::new(&grown.tree, &grown.schema)?;
    let mut path = Vec::new();
    // Differences from price to price: a row is told the same over long ranges of them.
    let (mut sums, mut squares) = (vec![0.0; prices.len() + 1], vec![0.0; prices.len() + 1]);
    for (i, &row) in rows.iter().enumerate() {
        if i % 1024 == 0 {
            control.check()?;
        }
        path.clear();
        walker.path(data, row as usize, &mut path);
        told(&grown.tree, &gone, prices, &path, |from, to, label| {
            let (w, cost) = (weights.value(row), charge(row, label));
            (sums[from], sums[to]) = (sums[from] + w * cost, sums[to] - w * cost);
            (squares[from], squares[to]) =
                (squares[from] + w * cost * cost, squares[to] - w * cost * cost);
        });
    }
    for all in [&mut sums, &mut squares] {
        (1..all.len()).for_each(|i| all[i] += all[i - 1]);
        all.pop();
    }
    Ok((sums, squares, weight))
}

/// What a row that passes the nodes of a path is told over ranges of prices (ascending):
/// `take(from, to, label)`.
fn told(
    tree: &Tree,
    gone: &[f64],
    prices: &[f64],
    path: &[u32],
    mut take: impl FnMut(usize, usize, i32),
) {
    debug_assert!(path.first().is_some_and(|&root| tree.nodes[root as usize].parent == NONE));
    let unpriced = prices.partition_point(|&p| p <= 0.0);
    let (mut end, mut from) = (path.len() - 1, 0);
    while from < prices.len() {
        let next = path[..end].iter().map(|&i| gone[i as usize]).fold(f64::INFINITY, f64::min);
        let to = prices.partition_point(|&p| p < next).max(unpriced);
        take(from, to.max(from), tree.nodes[path[end] as usize].label);
        if to >= prices.len() {
            return;
        }
        // The topmost node that is a leaf at that price.
        end = path[..end].iter().position(|&i| gone[i as usize] <= prices[to]).unwrap_or(end);
        from = to;
    }
}

/// Rows of each fold: stratified by class, by the seed and the places of the rows among those
/// given.
fn divide(data: &Dataset, rows: &[u32], folds: usize, seed: u64) -> Vec<Vec<u32>> {
    let mut in_order = rows.to_vec();
    in_order.sort_unstable_by_key(|&r| data.original()[r as usize]);
    let mut sorted: Vec<(u16, u64, u32)> = in_order
        .into_iter()
        .enumerate()
        .map(|(rank, r)| (data.classes()[r as usize], mix(seed, rank as u64), r))
        .collect();
    sorted.sort_unstable();
    let mut parts = vec![Vec::new(); folds];
    for (i, (_, _, row)) in sorted.into_iter().enumerate() {
        parts[i % folds].push(row);
    }
    parts
}
