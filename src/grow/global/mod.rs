//! Global growth: each step takes the leaf, the split and the labels that bring the tree as a whole
//! nearest to the classes.
//!
//! Spaeh & Kosub, *Global Evaluation for Decision Tree Learning* (2022), algorithm 3: every impure
//! leaf with every valid split and every admitted labelling of the new leaves is a candidate tree.
//! The next tree is the one whose clustering of all rows by predicted label has the smallest
//! distance to the classes. The distance is the criterion's own, read from the table "label x
//! class" of all rows. Ties: the smaller distance of the split on the leaf's own table, then the
//! leaf created first, the lower feature, the lower threshold, the lower labels. The root starts
//! with label 0. A pure leaf is never split, so with labels other than majorities a finished tree
//! may contradict its rows. `Glocal` (section 4) takes a global step while it lowers the global
//! distance, otherwise the step that best-first local growth would take.
//!
//! [`growth`] has the steps. The candidates of a leaf are collected once ([`leaf`]). Where the
//! distance is a sum over the rows of the table (info_gain, gini, variation of information,
//! Jaccard, accuracy), a step costs O(classes) per candidate whose rows have changed, and the
//! formula itself only where a sum says that the candidate may be the next ([`rows`], [`nearest`]).
//! Other criteria rescore every candidate, O(classes^2), when the table has changed ([`score`]).
//! The sums were 1.1 (5 classes), 2.0 (10) and 5 (26) times as quick with gini, 60 leaves, and 2.9
//! times with labels that are chosen.
//! Nothing depends on the number of threads: the best of each leaf is found on its own, then
//! compared.

mod growth;
mod leaf;
mod nearest;
mod rows;
mod score;
pub mod trace;

use crate::data::{Column, Dataset, RowSet, Weights};
use crate::error::{Error, Result};
use crate::grow::builder::TreeBuilder;
use crate::grow::context::GrowContext;
use crate::grow::evaluate::ByOrder;
use crate::grow::nodes::sorted_ranges::SortedRanges;
use crate::grow::options::{GrowthSetting, LeafLabels, check};
use crate::grow::row_buffers::{NodeRange, RowBuffers};
use crate::numeric::mix;
use crate::parallel::Control;
use crate::split::NominalSplits;
use crate::stats::{FixedWeights, by_weighing};
use crate::tree::Tree;
use growth::Growth;

/// Grow a tree on some rows; also returns the distance of the whole tree after each step.
///
/// # Errors
/// Limits outside their domain, labels that are chosen for more than two new leaves, scores that
/// are not numbers, and cancellation.
pub fn grow(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<(Tree, Vec<f64>)> {
    check(&setting.limits)?;
    refuse_many_branches(data, setting)?;
    if setting.criterion.needs_all_candidates() && !matches!(weights, Weights::Fixed { .. }) {
        // A user's criterion reads reals.
        let values: Vec<i64> = (0..data.len() as u32).map(|row| weights.units(row)).collect();
        let copies = FixedWeights { values: &values, unit: 1.0, copies: true };
        return grow_weighed(data, setting, rows, copies, control);
    }
    by_weighing!(weights, w => grow_weighed(data, setting, rows, w, control))
}

/// Refuse to choose the labels of more than two new leaves, which would be exponentially many.
fn refuse_many_branches(data: &Dataset, setting: &GrowthSetting<'_>) -> Result<()> {
    if setting.labels == LeafLabels::Majority {
        return Ok(());
    }
    for (column, feature) in data.columns().iter().zip(&data.schema().features) {
        let (branches, missing) = match column {
            Column::Numeric(column) => (2, column.n_missing() > 0),
            Column::Nominal(column)
                if setting.nominal_splits.resolve(column.levels()) == NominalSplits::Multiway =>
            {
                (column.levels(), column.n_missing() > 0)
            }
            Column::Nominal(column) => (2, column.n_missing() > 0),
        };
        // Missing values are a branch of their own.
        let branches = branches + usize::from(missing);
        if branches > 2 {
            let with = if missing { ", one of them for missing values" } else { "" };
            return Err(Error::Data(format!(
                "column '{}' splits into {branches} branches{with}, but labels='all' and \
                 'distinct' choose the labels of \
                 two new leaves; use labels='majority', \
                 nominal_splits='subset', numeric codes (thresholds), or missing='mode'",
                feature.name
            )));
        }
    }
    Ok(())
}

/// [`grow`] with weights of one type.
fn grow_weighed<W: ByOrder>(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    weights: W,
    control: &Control,
) -> Result<(Tree, Vec<f64>)> {
    let context = GrowContext::new(data, setting, rows, weights);
    let mut buffers = RowBuffers::new(&context, rows, control)?;
    let slices = buffers.slices();
    let sums = context.sums(rows.rows().iter().copied());
    let tree = TreeBuilder::new(&sums, rows.len() as u32, mix(context.setting.seed, 0), 0);
    // Some criteria read the table of labels by another formula than the table of a leaf.
    let labelled = context.setting.criterion.for_label_table();
    let criterion = labelled.as_deref().unwrap_or(context.setting.criterion);
    let mut growth = Growth::new(SortedRanges::new(&context, slices), tree, criterion);
    let root = NodeRange { start: 0, len: rows.len(), buffer: 0 };
    let distances = growth.run(root, control)?;
    let (unit, are_copies) = (context.weights.unit(), context.weights.are_copies());
    Ok((growth.tree.finish(unit, are_copies, context.setting)?, distances))
}
