//! Training values that single precision moves to the other side of a threshold of a tree.
//!
//! Exporters to float32 formats warn about them. Rounding to float32 keeps the order of numbers, so
//! a value moves over a threshold only where no number of single precision lies between them. A
//! column that float32 represents exactly is safe as a whole. Cost: one pass over the values in the
//! order of the rows, and a binary search for the few that may lie beside a threshold.

use crate::data::{Bits, Column, Dataset, Kind, NumericColumn, Schema, entry_row};
use crate::error::Result;
use crate::model::Model;
use crate::parallel::Control;
use crate::tree::Test;

/// Bits that mark thresholds, per threshold: few other values have a marked bit, and the bits of
/// a thousand thresholds stay in the first cache.
const MARKS: usize = 128;
/// Most such bits: 2 MiB.
const MOST_MARKS: usize = 1 << 24;

/// A threshold over which rounding to float32 moves a training value: feature, threshold, the
/// largest value of the whole column that is not above it (-infinity for none) and the smallest one
/// above it (infinity for none), and the caller's numbers of the rows that hold them.
pub type Float32Conflict = (usize, f64, [f64; 2], [u32; 2]);

/// The thresholds of `models`, which have one schema, over which rounding to float32 moves a
/// training value. Each threshold is listed once, whichever models have it; bins are compared by
/// their cut points. Columns that float32 represents exactly are skipped as a whole.
pub fn float32_conflicts(
    models: &[Model],
    data: &Dataset,
    control: &Control,
) -> Result<Vec<Float32Conflict>> {
    let mut thresholds = vec![Vec::new(); data.columns().len()];
    for model in models {
        control.check()?;
        collect_thresholds(model, &mut thresholds);
    }
    let mut found = Vec::new();
    for (feature, (column, thresholds)) in data.columns().iter().zip(&mut thresholds).enumerate() {
        control.check()?;
        if let Column::Numeric(column) = column
            && !thresholds.is_empty()
            && !is_float32(column)
        {
            thresholds.sort_unstable_by(f64::total_cmp);
            thresholds.dedup();
            report_moved(column, thresholds, |_, at| {
                let (neighbours, rows) = nearest_values(column, at, data.original());
                found.push((feature, at, neighbours, rows));
            });
        }
    }
    Ok(found)
}

/// The values of a column on both sides of a threshold, and the caller's numbers of their rows.
fn nearest_values(column: &NumericColumn, at: f64, original: &[u32]) -> ([f64; 2], [u32; 2]) {
    let known = &column.order()[..column.values().len() - column.n_missing()];
    let first = known.partition_point(|&entry| column.value(entry_row(entry)) <= at);
    let (mut values, mut rows) = ([f64::NEG_INFINITY, f64::INFINITY], [0, 0]);
    for (side, place) in [(0, first.checked_sub(1)), (1, Some(first))] {
        if let Some(&entry) = place.and_then(|place| known.get(place)) {
            values[side] = column.value(entry_row(entry));
            rows[side] = original[entry_row(entry) as usize];
        }
    }
    (values, rows)
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
            Test::Multiway | Test::Groups { .. } => binned[node.feature as usize] = true,
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
/// over, with the nearest such value.
fn report_moved(column: &NumericColumn, thresholds: &[f64], mut report: impl FnMut(f64, f64)) {
    // A value moves over a threshold only where both have the same single below them: then the
    // nearest single of the value is this one or the next. Most singles differ in their last
    // digits.
    let mask = (MARKS * thresholds.len()).min(MOST_MARKS).next_power_of_two() - 1;
    let mark_of = |single: f32| single.to_bits() & mask as u32;
    let mut marked = Bits::new(mask + 1);
    for &at in thresholds {
        marked.set(mark_of(single_below(at)));
        marked.set(mark_of(single_below(at).next_up()));
    }
    let mut nearest: Vec<Option<f64>> = vec![None; thresholds.len()];
    for &value in column.values() {
        if marked.get(mark_of(value as f32)) == 0 || value.is_nan() {
            continue;
        }
        let single = f64::from(single_below(value));
        let (from, rounded) = (thresholds.partition_point(|&at| at < single), value as f32);
        let same_single = |&(_, &at): &(usize, &f64)| f64::from(single_below(at)) == single;
        for (place, &at) in thresholds.iter().enumerate().skip(from).take_while(same_single) {
            let moves = (value <= at) != (f64::from(rounded) <= at);
            let is_nearer = |known: f64| (value - at).abs() < (known - at).abs();
            if moves && nearest[place].is_none_or(is_nearer) {
                nearest[place] = Some(value);
            }
        }
    }
    for (&at, value) in thresholds.iter().zip(nearest) {
        value.into_iter().for_each(|value| report(value, at));
    }
}

/// The largest number of single precision that is not above a number.
fn single_below(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x { nearest.next_down() } else { nearest }
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
            report_moved(&NumericColumn::new(values.clone()), &thresholds, |_, t| found.push(t));
            let differs = |t: f64| {
                values.iter().any(|&v| (v <= t) != (f64::from(v as f32) <= t) && !v.is_nan())
            };
            let all: Vec<f64> = thresholds.iter().copied().filter(|&t| differs(t)).collect();
            assert_eq!(found, all, "{seed}");
        }
    }
}
