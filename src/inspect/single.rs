//! Which training values float32 puts on the other side of a threshold.
//!
//! Rounding keeps the order of numbers, so a threshold is safe when the largest value at or below
//! it stays there and the smallest value above it stays above. A column of float32 values is safe
//! as a whole; of any other, one binary search for each distinct threshold of a feature, or one
//! pass over the sorted column where thresholds are many.

use crate::data::{Column, Dataset, Kind, NumericColumn, Schema, entry_row};
use crate::error::Result;
use crate::model::Model;
use crate::parallel::Control;
use crate::tree::Test;

/// Steps of a binary search, about: more thresholds than rows / STEPS are met by a pass.
const STEPS: usize = 24;

/// (feature, value, threshold) of each such value of the rows that models of one schema were grown
/// on.
pub fn float32_conflicts(
    models: &[Model],
    data: &Dataset,
    control: &Control,
) -> Result<Vec<(usize, f64, f64)>> {
    let mut thresholds = vec![Vec::new(); data.columns().len()];
    for model in models {
        control.check()?;
        collect(model, &mut thresholds);
    }
    let mut found = Vec::new();
    for (feature, (column, thresholds)) in data.columns().iter().zip(&mut thresholds).enumerate() {
        control.check()?;
        thresholds.sort_unstable_by(f64::total_cmp);
        thresholds.dedup();
        if let Column::Numeric(column) = column
            && !thresholds.is_empty()
            && !is_single(column)
        {
            moved(column, thresholds, |value, at| found.push((feature, value, at)));
        }
    }
    Ok(found)
}

/// Rounding changes no value: there is no need to sort the column.
fn is_single(column: &NumericColumn) -> bool {
    let changed = |&x: &f64| f64::from(x as f32) != x && !x.is_nan();
    column.values().chunks(1024).all(|chunk| !chunk.iter().fold(false, |any, x| any | changed(x)))
}

/// Everything that a tree compares each feature with.
fn collect(model: &Model, out: &mut [Vec<f64>]) {
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

fn cuts(schema: &Schema, feature: usize) -> &[f64] {
    match &schema.features[feature].kind {
        Kind::Numeric { cuts: Some(cuts), .. } => cuts,
        _ => &[],
    }
}

/// Values next to ascending thresholds that rounding moves over them.
fn moved(column: &NumericColumn, thresholds: &[f64], mut tell: impl FnMut(f64, f64)) {
    let order = column.order();
    let known = &order[..order.len() - column.n_missing()];
    let value = |e: u32| column.value(entry_row(e));
    let sweep = thresholds.len() > known.len() / STEPS;
    let mut at = 0;
    for &threshold in thresholds {
        if sweep {
            at += known[at..].iter().take_while(|&&e| value(e) <= threshold).count();
        } else {
            at += known[at..].partition_point(|&e| value(e) <= threshold);
        }
        let below = at.checked_sub(1).map(|i| value(known[i]));
        let above = known.get(at).map(|&e| value(e));
        if let Some(value) = below.filter(|&v| f64::from(v as f32) > threshold) {
            tell(value, threshold);
        } else if let Some(value) = above.filter(|&v| f64::from(v as f32) <= threshold) {
            tell(value, threshold);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;

    #[test]
    fn neighbours_of_thresholds_tell_of_all_values() {
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
