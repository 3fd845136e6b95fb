//! Reduced-error pruning (Quinlan 1987): by rows that growth did not see.
//!
//! Bottom-up, a node becomes a leaf when, on the rows held out, it makes no more errors than its
//! subtree; a node that none of them reaches becomes a leaf. Without any row held out nothing is
//! cut. The tree keeps the counts of the rows it was grown on. O(rows x depth + nodes x classes).
//!
//! When not to use it: with few rows, which are needed for growth.

use super::editable_tree::{Costs, EditableTree};
use super::method::{PruneInfo, PruneInput, PruneRows, Pruning};
use crate::data::{Column, Dataset, Weights};
use crate::error::Result;
use crate::numeric::{mix, order_key};
use crate::options::{self, OptionDomain, OptionInfo};
use crate::parallel::Control;
use crate::predict::CompiledTree;
use serde::Deserialize;

/// Facts about the method.
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
            domain: OptionDomain::whole(2),
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
            domain: OptionDomain::whole(0),
            besides: "None",
            doc: "Seed of the division, a whole number >= 0; None divides as J48 does, without \
        shuffling: the rows of each class are brought together (by J48's swaps), every `folds`-th \
        row goes to one fold, the last fold is held out.",
            ..OptionInfo::PLAIN
        },
    ],
    rows: Some(("X and y, rows that growth did not see", None)),
    unweighed: None,
    samples: &[r#"{"share": 0.3, "seed": 1}"#],
};

/// The method.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReducedError {
    /// Share of the rows held out by `fit`, in (0, 1).
    pub share: f64,
    /// Seed of the division; without one the rows are divided as J48 does, into `1 / share` folds.
    pub seed: Option<u64>,
}

impl Pruning for ReducedError {
    fn check(&self) -> Result<()> {
        options::check(INFO.options, "fraction", self.share)
    }

    fn prune(&self, edited: &mut EditableTree, input: &PruneInput<'_>) -> Result<()> {
        let supported = "rows that were held out";
        let rows = input.needed_rows("reduced-error pruning without rows", supported)?;
        let walker = CompiledTree::new(input.tree, input.schema)?;
        prune(edited, &walker, rows, input.control)
    }
}

/// Rows to grow on and rows held out: `share` of them, stratified by class.
///
/// With a seed, rows stand in an order drawn from what they hold (ranks of numbers, codes, class,
/// weight), so that neither their order nor a change of unit matters, and rows that are equal are
/// divided by their number; a fold is divided as its copy would be. Without one the division is
/// J48's, which goes by the user's order. O(rows log rows x features).
pub fn divide(
    data: &Dataset,
    rows: &[u32],
    weights: &Weights,
    share: f64,
    seed: Option<u64>,
    control: &Control,
) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut in_order = rows.to_vec();
    in_order.sort_unstable_by_key(|&r| data.original()[r as usize]);
    let Some(seed) = seed else {
        return Ok(divide_as_j48(data, in_order, (1.0 / share).round() as usize));
    };
    let drawn = draw_by_content(data, &in_order, seed, control)?;
    let mut sorted: Vec<(u16, u64, u64, (u32, u32))> = in_order
        .into_iter()
        .zip(drawn)
        .map(|(r, drawn)| {
            (
                data.classes()[r as usize],
                drawn,
                order_key(weights.value(r)),
                (data.original()[r as usize], r),
            )
        })
        .collect();
    control.check()?;
    sorted.sort_unstable();
    let held = |i: usize| ((i + 1) as f64 * share).floor() > (i as f64 * share).floor();
    let (mut grown_on, mut held_out) = (Vec::new(), Vec::new());
    for (i, (_, _, _, (_, r))) in sorted.into_iter().enumerate() {
        if held(i) { held_out.push(r) } else { grown_on.push(r) }
    }
    if grown_on.is_empty() {
        // A share next to 1 of very few rows.
        grown_on.extend(held_out.pop());
    }
    Ok((grown_on, held_out))
}

/// A number for each row, drawn from the seed and what the row holds; equal rows have equal ones.
fn draw_by_content(data: &Dataset, rows: &[u32], seed: u64, control: &Control) -> Result<Vec<u64>> {
    let mut drawn = vec![seed; rows.len()];
    for column in data.columns() {
        control.check()?;
        match column {
            Column::Nominal(c) => {
                rows.iter().zip(&mut drawn).for_each(|(&r, d)| *d = mix(*d, u64::from(c.code(r))));
            }
            Column::Numeric(c) => {
                // + 0.0: no negative zero; missing is a value of its own
                let key = |r: u32| match c.value(r) {
                    x if x.is_nan() => u64::MAX,
                    x => order_key(x + 0.0),
                };
                let mut distinct: Vec<u64> = rows.iter().map(|&r| key(r)).collect();
                distinct.sort_unstable();
                distinct.dedup();
                control.check()?;
                for (&r, d) in rows.iter().zip(&mut drawn) {
                    *d = mix(*d, distinct.partition_point(|&k| k < key(r)) as u64);
                }
            }
        }
    }
    Ok(drawn)
}

/// Divide as J48 does: rows in the user's order, classes brought together by swaps, every
/// `folds`-th row to one fold; the last fold is held out.
fn divide_as_j48(data: &Dataset, mut rows: Vec<u32>, folds: usize) -> (Vec<u32>, Vec<u32>) {
    let class = |r: u32| data.classes()[r as usize];
    let n = rows.len();
    let mut index = 1;
    while index < n {
        let own = class(rows[index - 1]);
        let start = index;
        for j in start..n {
            if class(rows[j]) == own {
                rows.swap(index, j);
                index += 1;
            }
        }
        index += 1;
    }
    let strided: Vec<u32> =
        (0..folds).flat_map(|start| rows.iter().copied().skip(start).step_by(folds)).collect();
    let first = n - n / folds;
    (strided[..first].to_vec(), strided[first..].to_vec())
}

/// Cut bottom-up. `walker` walks the tree that the edited was made of.
fn prune(
    edited: &mut EditableTree,
    walker: &CompiledTree,
    rows: &PruneRows<'_>,
    control: &Control,
) -> Result<()> {
    let k = edited.classes;
    let mut held = vec![0.0; edited.nodes.len() * k];
    for chunk in rows.rows.chunks(1024) {
        control.check()?;
        for &r in chunk {
            let (class, whole) = (rows.data.classes()[r as usize] as usize, rows.weights.value(r));
            walker.spread(rows.data, r as usize, 0, |node, part, ends| {
                if ends {
                    held[node as usize * k + class] += part * whole;
                }
            });
        }
    }
    let order = edited.order();
    for &i in order.iter().rev() {
        let parent = edited.nodes[i as usize].parent as usize;
        if i > 0 {
            for c in 0..k {
                held[parent * k + c] += held[i as usize * k + c];
            }
        }
    }
    let total: f64 = held[..k].iter().sum();
    if total == 0.0 {
        return Ok(());
    }
    let mut errors = vec![0.0; edited.nodes.len()];
    for &i in order.iter().rev() {
        let i = i as usize;
        let leaf = edited.errors_among(i, &held[i * k..(i + 1) * k]);
        errors[i] = leaf;
        if edited.is_leaf(i) {
            continue;
        }
        let tree = edited.children(i).iter().map(|&c| errors[c as usize]).sum::<f64>();
        if leaf <= tree + 1e-9 * total {
            edited.cut(i, Costs { leaf, tree, branch: f64::NAN });
        } else {
            errors[i] = tree;
        }
    }
    Ok(())
}
