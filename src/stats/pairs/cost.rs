//! What the two passes cost, in units of one decoding and carry-save addition on a vector: is
//! counting cheaper than weighing for one setting?
//!
//! Both passes find the same whole sums, so a wrong guess costs time, never a bit. Counting gains
//! where few distances occur and features have many values (what it does goes with the pairs that
//! agree), weighing where distances are many. The numbers are rough and hold within a fifth on
//! every level of instructions.

use super::counts::PairCounts;
use super::dense;
use super::input::Rows;
use super::scan::{CHUNK, common};
use super::window;
use std::ops::Range;

/// Fewer pairs are not worth a guess.
const FEW: usize = 1 << 20;
/// Larger tables of counts leave the second-level cache for the sake of one setting.
const LARGEST: usize = 16 << 20;
/// Rows of a sample; as many columns.
const SAMPLE: usize = 64;
/// Rows whose values are looked at.
const ROWS: usize = 1024;

/// Whether counting pairs by distance is cheaper than adding their weights, which takes `additions`
/// for a column and row.
pub(super) fn counting_pays(
    columns: &Rows,
    active: &Rows,
    words: usize,
    additions: impl Fn() -> f64,
) -> bool {
    let own = std::ptr::eq(columns, active);
    if own && dense::pays(active) {
        return true;
    }
    let classes = active.starts.len() - 1;
    let counts = PairCounts::bytes(&active.offsets, classes);
    if columns.len().saturating_mul(active.len()) < FEW || counts > LARGEST {
        return false;
    }
    // distances of all pairs are made for each of both orders
    let orders = if own { 2.0 } else { 1.0 };
    let n = active.features as f64;
    let steps = steps(active);
    let pairs = sample(columns, active, own, 64 * words);
    let runs = if own { classes as f64 / 2.0 + 1.0 } else { classes as f64 };
    let flushes = 30.0 * runs * f64::from(active.offsets[active.features]);
    let (_, cost) =
        window::cheapest(&pairs, active.len() as f64, steps + orders - 1.0, flushes, words);
    let counting = cost / active.len() as f64 + 1.2 * steps + n * (0.6 + 1.1 * orders);
    let weighing = 13.5 * (additions() + 1.0);
    counting < weighing
}

/// Some of `rows` rows, evenly spaced.
fn spaced(rows: usize, most: usize) -> impl Iterator<Item = usize> + Clone {
    let some = rows.min(most);
    (0..some).map(move |i| i * rows / some)
}

/// Steps a row, summed over features, and one: in a chunk, the largest share of a value that is not
/// the common one, and its excess by chance.
fn steps(active: &Rows) -> f64 {
    let mut of_slot = vec![0u32; active.offsets[active.features] as usize];
    let rows = spaced(active.len(), ROWS);
    rows.clone().for_each(|i| active.row(i).iter().for_each(|&slot| of_slot[slot as usize] += 1));
    let all = f64::from(rows.count() as u32);
    let common = common(active);
    let of_feature = |(slots, common): (Range<u32>, &Option<u32>)| {
        let count = |slot: u32| f64::from(of_slot[slot as usize]) / all;
        let share = match common {
            Some(common) => 1.0 - count(*common),
            None => slots.map(count).fold(0.0, f64::max),
        };
        share + 1.3 * (share * (1.0 - share) / CHUNK as f64).sqrt()
    };
    let slots = active.offsets.windows(2).map(|o| o[0]..o[1]);
    1.0 + slots.zip(&common).map(of_feature).sum::<f64>()
}

/// Pairs of all active rows with `width` columns by distance, estimated.
fn sample(columns: &Rows, active: &Rows, own: bool, width: usize) -> Vec<f64> {
    let mut pairs = vec![0.0; active.features + 1];
    let mut seen = 0.0;
    for i in spaced(columns.len(), SAMPLE) {
        for j in spaced(active.len(), SAMPLE).filter(|j| !(own && *j == i)) {
            let different =
                columns.row(i).iter().zip(active.row(j)).filter(|(a, b)| a != b).count();
            pairs[different] += 1.0;
            seen += 1.0;
        }
    }
    let scale = (width * active.len()) as f64 / f64::max(seen, 1.0);
    pairs.iter_mut().for_each(|p| *p *= scale);
    pairs
}
