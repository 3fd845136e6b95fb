//! Training values that single precision moves to the other side of a threshold of a tree.
//!
//! Exporters to float32 formats warn about them. Rounding to float32 keeps the order of numbers, so
//! a threshold is safe if the largest value at or below it stays there and the smallest value above
//! it stays above. A column that float32 represents exactly is safe as a whole. Cost: one binary
//! search per distinct threshold, or one pass over the sorted column if it has many thresholds.

use crate::data::{Column, Dataset, Kind, NumericColumn, Schema, entry_row};
use crate::error::Result;
use crate::model::Model;
use crate::parallel::Control;
use crate::tree::Test;

/// About the steps of a binary search over millions of rows: with more thresholds than rows divided
/// by this, a pass over the column is cheaper.
const SEARCH_STEPS: usize = 24;

/// The training values of `models`, which have one schema, that rounding to float32 moves over a
/// threshold, as (feature, value, threshold); at most one value per threshold.
pub fn float32_conflicts(
    models: &[Model],
    data: &Dataset,
    control: &Control,
) -> Result<Vec<(usize, f64, f64)>> {
    let mut thresholds = vec![Vec::new(); data.columns().len()];
    for model in models {
        control.check()?;
        collect_thresholds(model, &mut thresholds);
    }
    let mut found = Vec::new();
    for (feature, (column, thresholds)) in data.columns().iter().zip(&mut thresholds).enumerate() {
        control.check()?;
        thresholds.sort_unstable_by(f64::total_cmp);
        thresholds.dedup();
        if let Column::Numeric(column) = column
            && !thresholds.is_empty()
            && !is_float32(column)
        {
            moved(column, thresholds, |value, at| found.push((feature, value, at)));
        }
    }
    Ok(found)
}

/// Whether all values are exact in float32.
fn is_float32(column: &NumericColumn) -> bool {
    let changed = |&x: &f64| f64::from(x as f32) != x && !x.is_nan();
    column.values().chunks(1024).all(|chunk| !chunk.iter().fold(false, |any, x| any | changed(x)))
}

/// Append the numbers that a tree compares each feature with: thresholds, and cuts of bins.
fn collect_thresholds(model: &Model, out: &mut [Vec<f64>]) {
    let mut binned = vec![false; out.len()];
    for node in &model.tree.nodes {
        match node.test {
            Test::Threshold(threshold) => out[node.feature as usize].push(threshold.reach),
            Test::Multiway => binned[node.feature as usize] = true,
            _ => {}
        }
    }
    for (feature, _) in binned.into_iter().enumerate().filter(|&(_, binned)| binned) {
        out[feature].extend_from_slice(cuts(&model.schema, feature));
    }
}

/// The cut points of a binned feature.
fn cuts(schema: &Schema, feature: usize) -> &[f64] {
    match &schema.features[feature].kind {
        Kind::Numeric { cuts: Some(cuts), .. } => cuts,
        _ => &[],
    }
}

/// Call `report(value, threshold)` for each of the ascending thresholds that rounding moves a value
/// over.
fn moved(column: &NumericColumn, thresholds: &[f64], mut report: impl FnMut(f64, f64)) {
    let order = column.order();
    let known = &order[..order.len() - column.n_missing()];
    let value = |e: u32| column.value(entry_row(e));
    let sweep = thresholds.len() > known.len() / SEARCH_STEPS;
    let mut at = 0;
    for &threshold in thresholds {
        // the number of values at or below the threshold
        if sweep {
            at += known[at..].iter().take_while(|&&e| value(e) <= threshold).count();
        } else {
            at += known[at..].partition_point(|&e| value(e) <= threshold);
        }
        // only the nearest value on either side can move first
        let below = at.checked_sub(1).map(|i| value(known[i]));
        let above = known.get(at).map(|&e| value(e));
        if let Some(value) = below.filter(|&v| f64::from(v as f32) > threshold) {
            report(value, threshold);
        } else if let Some(value) = above.filter(|&v| f64::from(v as f32) <= threshold) {
            report(value, threshold);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;

    #[test]
    fn the_nearest_values_decide_about_all() {
        for seed in 0..200 {
            let n = 1 + mix(seed, 0) % 40;
            let cell = |i| match mix(seed, 500 + i) % 8 {
                0 => f64::NAN,
                _ => 1.0 + (mix(seed, i) % 32) as f64 * 2_f64.powi(-25),
            };
            let values: Vec<f64> = (0..n).map(cell).collect();
            let mut thresholds: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
            thresholds.push(1.0 + 2_f64.powi(-26));
            thresholds.sort_by(f64::total_cmp);
            thresholds.truncate(1 + mix(seed, 9) as usize % 40);
            thresholds.dedup();
            let mut found = Vec::new();
            moved(&NumericColumn::new(values.clone()), &thresholds, |_, t| found.push(t));
            let differs = |t: f64| {
                values.iter().any(|&v| (v <= t) != (f64::from(v as f32) <= t) && !v.is_nan())
            };
            let all: Vec<f64> = thresholds.iter().copied().filter(|&t| differs(t)).collect();
            assert_eq!(found, all, "{seed}");
        }
    }
}
