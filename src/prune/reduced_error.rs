//! Reduced-error pruning (Quinlan, "Simplifying decision trees", 1987), on rows that were held out
//! from growth.
//!
//! Bottom-up, a node becomes a leaf if it makes no more errors on the held-out rows than its
//! subtree (of a numeric target: squared errors); so does a node that none of them reaches. If no
//! row was held out, nothing is pruned. The tree keeps the counts of the rows it was grown on.
//! O(rows x depth + nodes x classes). [`divide`] chooses the held-out rows for `fit`.
//!
//! When not to use it: with few rows, which growth needs.

use super::editable_tree::{Costs, EditableTree};
use super::method::{PruneInfo, PruneInput, PruneRows, Pruning};
use crate::criteria::TargetKind;
use crate::data::{Column, Dataset, Target, Weights};
use crate::error::Result;
use crate::memory;
use crate::numeric::{ExactSum, mix, order_key};
use crate::options::{self, OptionDomain, OptionInfo};
use crate::parallel::Control;
use crate::predict::CompiledTree;
use serde::Deserialize;

/// Description of the method for Python and the documentation.
pub const INFO: PruneInfo = PruneInfo {
    name: "reduced_error",
    class_name: "ReducedError",
    text: "Pruning by the errors on rows held out: bottom-up, a leaf where it makes no more of \
        them than the subtree.\n\n\
        `fit` holds out one part in `folds` (or the share `fraction`), stratified by class; the \
        tree is grown on, and keeps the counts of, the other rows. \
        ``model.prune(ReducedError(), X, y)`` takes all rows of X as held out.",
    source: "Quinlan (1987), Simplifying decision trees",
    costs: "errors on the rows held out",
    options: &[
        OptionInfo {
            name: "folds",
            default: "3",
            domain: OptionDomain::integer_at_least(2),
            doc: "The share held out is 1/folds; at least 2.",
            ..OptionInfo::PLAIN
        },
        OptionInfo {
            name: "fraction",
            default: "null",
            domain: OptionDomain::Number {
                low: Some(0.0),
                high: Some(1.0),
                closed: (false, false),
            },
            doc: "The share itself, between 0 and 1, instead of `folds`.",
            ..OptionInfo::PLAIN
        },
        OptionInfo {
            name: "random_state",
            default: "0",
            domain: OptionDomain::integer_at_least(0),
            besides: "None",
            doc: "Seed of the division, a whole number >= 0; None divides as J48 does, without \
        shuffling: the rows of each class are brought together (by J48's swaps), every `folds`-th \
        row goes to one fold, the last fold is held out.",
            ..OptionInfo::PLAIN
        },
    ],
    rows: Some(("X and y, rows that growth did not see", None)),
    unweighed: None,
    targets: &[TargetKind::Classes, TargetKind::Number],
    samples: &[r#"{"share": 0.3, "seed": 1}"#],
};

/// The method and its options.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReducedError {
    /// Share of the rows held out by `fit`, in (0, 1).
    pub share: f64,
    /// Seed of the division; without it the rows are divided as in J48, into `1 / share` folds.
    pub seed: Option<u64>,
}

impl Pruning for ReducedError {
    fn check(&self) -> Result<()> {
        options::check(INFO.options, "fraction", self.share)
    }

    fn prune(&self, edited: &mut EditableTree, input: &PruneInput<'_>) -> Result<()> {
        let supported = "rows that were held out";
        let rows = input.needed_rows("reduced-error pruning without rows", supported)?;
        let compiled = CompiledTree::new(input.tree, input.schema)?;
        prune(edited, &compiled, rows, input.control)
    }
}

/// Divide rows into rows to grow on (first) and held-out rows (second), which are about a share
/// `share` of all rows, stratified by class.
///
/// With a seed, rows are ordered by class and by a number drawn from their content (ranks of
/// numbers, codes), then by weight. So neither the order of the rows nor a change of units matters;
/// equal rows are ordered by their number. Without a seed the rows are divided as in J48, which
/// depends on their order. O(rows log rows x features).
pub fn divide(
    data: &Dataset,
    rows: &[u32],
    weights: &Weights,
    share: f64,
    seed: Option<u64>,
    control: &Control,
) -> Result<(Vec<u32>, Vec<u32>)> {
    let in_order = data.in_original_order(rows);
    let Some(seed) = seed else {
        return Ok(divide_as_j48(data, in_order, (1.0 / share).round() as usize));
    };
    let drawn = draw_by_content(data, &in_order, seed, control)?;
    let mut keys =
        memory::collect(in_order.into_iter().zip(drawn).map(|(row, drawn)| DivisionKey {
            class: data.classes()[row as usize],
            drawn,
            weight: order_key(weights.value(row)),
            original: data.original()[row as usize],
            row,
        }))?;
    control.check()?;
    keys.sort_unstable();
    // Held-out rows are spread evenly over the order, hence over the classes.
    let is_held_out = |i: usize| ((i + 1) as f64 * share).floor() > (i as f64 * share).floor();
    let (mut grown_on, mut held_out) = (Vec::new(), Vec::new());
    for (i, key) in keys.into_iter().enumerate() {
        if is_held_out(i) { held_out.push(key.row) } else { grown_on.push(key.row) }
    }
    if grown_on.is_empty() {
        // A share near 1 of very few rows: a tree needs one of them.
        grown_on.extend(held_out.pop());
    }
    Ok((grown_on, held_out))
}

/// The key by which rows are sorted before they are divided, with the most important field first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct DivisionKey {
    class: u16,
    /// A number drawn from the seed and the row's content.
    drawn: u64,
    /// The row's weight as sortable bits.
    weight: u64,
    /// The row's number in the caller's order.
    original: u32,
    row: u32,
}

/// A number for each row, drawn from the seed and the row's content; equal rows get equal numbers.
fn draw_by_content(data: &Dataset, rows: &[u32], seed: u64, control: &Control) -> Result<Vec<u64>> {
    let mut drawn = vec![seed; rows.len()];
    for column in data.columns() {
        control.check()?;
        match column {
            Column::Nominal(column) => {
                for (&row, number) in rows.iter().zip(&mut drawn) {
                    *number = mix(*number, u64::from(column.code(row)));
                }
            }
            Column::Numeric(column) => {
                // Adding 0.0 turns -0.0 into 0.0, its equal; missing values are one more value.
                let key = |row: u32| match column.value(row) {
                    x if x.is_nan() => u64::MAX,
                    x => order_key(x + 0.0),
                };
                // Ranks, not values, so that a change of units changes nothing.
                let mut distinct = memory::collect(rows.iter().map(|&row| key(row)))?;
                distinct.sort_unstable();
                distinct.dedup();
                control.check()?;
                for (&row, number) in rows.iter().zip(&mut drawn) {
                    let rank = distinct.partition_point(|&other| other < key(row));
                    *number = mix(*number, rank as u64);
                }
            }
        }
    }
    Ok(drawn)
}

/// Divide as J48 does, rows in the caller's order: bring the classes together, deal the rows to
/// `folds` folds, and hold out the last fold.
fn divide_as_j48(data: &Dataset, mut rows: Vec<u32>, folds: usize) -> (Vec<u32>, Vec<u32>) {
    let class = |row: u32| data.classes()[row as usize];
    let n_rows = rows.len();
    // Weka's `Instances.stratify`: behind the first row of each class, all others of that class are
    // swapped to the places after it. `next` is the first place behind them.
    let mut next = 1;
    while next < n_rows {
        let current = class(rows[next - 1]);
        let start = next;
        for i in start..n_rows {
            if class(rows[i]) == current {
                rows.swap(next, i);
                next += 1;
            }
        }
        next += 1;
    }
    // Fold f holds rows f, f + folds, f + 2 folds, ...
    let mut by_fold = Vec::with_capacity(rows.len());
    for fold in 0..folds {
        by_fold.extend(rows.iter().copied().skip(fold).step_by(folds));
    }
    let (grown_on, held_out) = by_fold.split_at(n_rows - n_rows / folds);
    (grown_on.to_vec(), held_out.to_vec())
}

/// Prune bottom-up by the errors on held-out rows. `compiled` is the tree before pruning.
///
/// # Errors
/// [`Error::Cancelled`](crate::error::Error::Cancelled).
fn prune(
    edited: &mut EditableTree,
    compiled: &CompiledTree,
    rows: &PruneRows<'_>,
    control: &Control,
) -> Result<()> {
    if let Some(target) = rows.data.target() {
        return prune_numbers(edited, compiled, rows, target, control);
    }
    let classes = edited.classes;
    // Class counts of the held-out rows in each leaf, ...
    let mut counts = vec![0.0; edited.nodes.len() * classes];
    for chunk in rows.rows.chunks(1024) {
        control.check()?;
        for &row in chunk {
            let class = usize::from(rows.data.classes()[row as usize]);
            let weight = rows.weights.value(row);
            compiled.spread(rows.data, row as usize, 0, &mut |node, fraction, is_leaf| {
                if is_leaf {
                    counts[node as usize * classes + class] += fraction * weight;
                }
            });
        }
    }
    // ... and in each inner node.
    for i in edited.bottom_up().filter(|&i| i > 0) {
        let parent = edited.nodes[i].parent as usize;
        for class in 0..classes {
            counts[parent * classes + class] += counts[i * classes + class];
        }
    }
    let total: f64 = counts[..classes].iter().sum();
    if total > 0.0 {
        cut_where_no_worse(edited, total, |edited, i| {
            edited.errors_among(i, &counts[i * classes..(i + 1) * classes])
        });
    }
    Ok(())
}

/// [`prune`] by the squared errors of a numeric target.
fn prune_numbers(
    edited: &mut EditableTree,
    compiled: &CompiledTree,
    rows: &PruneRows<'_>,
    target: &Target,
    control: &Control,
) -> Result<()> {
    // The squared errors of the held-out rows around the number that each node predicts.
    let mut sums = vec![ExactSum::default(); edited.nodes.len()];
    let PruneRows { data, rows, weights } = *rows;
    let all = vec![true; sums.len()];
    compiled.send_down(data, rows, weights, &all, control, &mut |node, reaching| {
        for (row, weight) in reaching.weighed() {
            let error = target.value(row) - edited.outcomes[node].value;
            sums[node].add_product(weight as f64, error * error);
        }
    })?;
    let scale = weights.units_of_fractions(rows);
    if !rows.is_empty() {
        cut_where_no_worse(edited, 0.0, |_, i| sums[i].value() / scale);
    }
    Ok(())
}

/// The share of their size by which errors may differ from rounding alone.
const ROUNDING: f64 = 1e-9;

/// Make a leaf of each node whose error as a leaf, on the held-out rows, is not above the error of
/// its subtree, bottom-up. `error_as_leaf` gives the error of a node as a leaf. Errors are equal if
/// they differ by [`ROUNDING`] of `total` or of the error of the subtree, whichever is larger.
fn cut_where_no_worse(
    edited: &mut EditableTree,
    total: f64,
    error_as_leaf: impl Fn(&EditableTree, usize) -> f64,
) {
    let mut errors = vec![0.0; edited.nodes.len()];
    for i in edited.bottom_up() {
        let leaf = error_as_leaf(edited, i);
        errors[i] = leaf;
        if edited.is_leaf(i) {
            continue;
        }
        let tree: f64 = edited.sum_over_children(i, &errors);
        // On ties, up to the rounding of fractions, the leaf wins.
        if leaf <= tree + ROUNDING * total.max(tree) {
            edited.make_leaf(i, Costs::leaf_or_tree(leaf, tree));
        } else {
            errors[i] = tree;
        }
    }
}
