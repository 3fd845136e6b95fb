//! Cut points of numeric columns for histograms.
//!
//! A column with at most `bins` distinct values is cut midway between any two neighbouring values.
//! Any other is cut by Weka's rule of equal frequency (`discretize::equal_frequency`): with weight
//! W after the last cut and b bins still to make, the next cut is the boundary between two values
//! at which the running weight is nearest to W / b. Comparisons are made in integers. For example,
//! if the values 1 to 5 occur 5, 1, 2, 3 and 1 times, three bins should have a weight near 4: the
//! first cut is at 1.5 (weight 5). Then 7 is left for two bins, and the second cut is at 3.5: the
//! weight 3 up to there is nearer to 7 / 2 than the weight 6 with the value 4.
//!
//! **Which rows decide.** Up to [`SAMPLE`] rows (or copies, if weights are copies), all of them.
//! Beyond that, about [`SAMPLE`] rows that `sample` chooses by their content, so that permuted
//! rows, and copies instead of weights, give the same cuts. Whether a column has at most `bins`
//! distinct values is found on all rows. A column with too few distinct values in the sample (fewer
//! than [`LEAST_DISTINCT`] per bin) is cut on all rows.
//!
//! O(n) for the distinct values, and per column one sort of at most [`SAMPLE`] values (of all
//! values if the sample is too coarse) and O(bins log n).

use super::TILE;
use super::sample::{sampled_rows, total_of};
use crate::data::{MISSING, RowChoice, RowSource, Weights};
use crate::error::Result;
use crate::numeric::{from_order_key, midpoint, order_key, radix, radix_sort};
use crate::parallel::{self, Control};

/// About the number of rows of a sample; more rows than these are sampled. With 256 bins a bin has
/// 256 rows of it, so that its weight is off by about 6 %.
pub const SAMPLE: u64 = 1 << 16;
/// Distinct values per bin that a sample must have. With fewer, single values fill whole bins of
/// the sample, and rare values that it misses would decide the cuts.
pub(super) const LEAST_DISTINCT: usize = 16;

/// Ascending cut points of each numeric feature for at most `bins` bins.
///
/// `cells` reads the columns, and `is_numeric` says which of them are numbers. `rows` are the
/// training rows, whose `weights` bins share evenly.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
pub fn edges(
    cells: &dyn RowSource,
    is_numeric: &[bool],
    rows: RowChoice<'_>,
    weights: &Weights,
    bins: u32,
    control: &Control,
) -> Result<Vec<Vec<f64>>> {
    let bins = bins as usize;
    let numeric: Vec<usize> = (0..is_numeric.len()).filter(|&f| is_numeric[f]).collect();
    let total = total_of(rows, weights);
    let sample = sampled_rows(cells, is_numeric, rows, total, SAMPLE, control)?;
    let sampled = sample.as_deref().map_or(rows, RowChoice::Some);
    let mut cuts = Vec::with_capacity(numeric.len());
    for group in numeric.chunks(COPIED_COLUMNS) {
        let copied = CopiedColumns::new(cells, group, sampled, control)?;
        cuts.extend(parallel::map(control, group.len(), &|i| {
            control.check()?;
            if let Some(values) = few_values(cells, group[i], rows, bins, control)? {
                return Ok(midpoints(&values));
            }
            let ranked = Ranked::new(&copied, i, sampled, weights, control)?;
            if sample.is_none() || ranked.values.len() >= LEAST_DISTINCT * bins {
                return Ok(ranked.cuts(bins));
            }
            // The sample is too coarse.
            Ok(Ranked::new(cells, group[i], rows, weights, control)?.cuts(bins))
        })?);
    }
    Ok(cuts)
}

/// The distinct values of each column, ascending; None if some column has more than `most`. Rows of
/// weight 0 must not be among `rows`.
pub fn values_of_all(
    cells: &dyn RowSource,
    features: usize,
    rows: RowChoice<'_>,
    most: usize,
    control: &Control,
) -> Result<Option<Vec<Vec<f64>>>> {
    // A column with more values mostly has them in its first rows.
    for feature in 0..features {
        if few_values(cells, feature, rows.first(4 * most), most, control)?.is_none() {
            return Ok(None);
        }
    }
    let values = parallel::map(control, features, &|f| few_values(cells, f, rows, most, control))?;
    Ok(values.into_iter().collect())
}

/// Columns that are copied in one pass: several, because the cells of a row may lie side by side,
/// but not all, as memory for the copies is limited.
const COPIED_COLUMNS: usize = 32;

/// Copies of some columns with some of their rows.
#[derive(Debug)]
struct CopiedColumns(Vec<Vec<f64>>);

impl CopiedColumns {
    fn new(
        cells: &dyn RowSource,
        features: &[usize],
        rows: RowChoice<'_>,
        control: &Control,
    ) -> Result<Self> {
        let mut columns = vec![vec![0.0; rows.len()]; features.len()];
        for first in (0..rows.len()).step_by(TILE) {
            control.check()?;
            let end = rows.len().min(first + TILE);
            for (column, &feature) in columns.iter_mut().zip(features) {
                cells.numbers(feature, rows, first, &mut column[first..end]);
            }
        }
        Ok(Self(columns))
    }
}

impl RowSource for CopiedColumns {
    fn numbers(&self, feature: usize, _: RowChoice<'_>, first: usize, out: &mut [f64]) {
        out.copy_from_slice(&self.0[feature][first..first + out.len()]);
    }

    fn codes(&self, _: usize, _: RowChoice<'_>, _: usize, out: &mut [u32]) {
        out.fill(MISSING);
    }
}

/// Cut points midway between neighbouring values, which ascend and are distinct. There is one fewer
/// than there are values; fewer than two values have none.
pub fn midpoints(values: &[f64]) -> Vec<f64> {
    values.windows(2).map(|v| midpoint(v[0], v[1])).collect()
}

/// The distinct values of a column, ascending; None if there are more than `most`.
///
/// They are gathered in a hash table with open addressing. At most a quarter of it is used, so that
/// searches are short.
pub(super) fn few_values(
    cells: &dyn RowSource,
    feature: usize,
    rows: RowChoice<'_>,
    most: usize,
    control: &Control,
) -> Result<Option<Vec<f64>>> {
    let size = (4 * most).next_power_of_two();
    let shift = 64 - size.trailing_zeros();
    // An empty slot has all bits set, which is a NaN and so no value.
    let mut seen = vec![u64::MAX; size];
    let mut n_found = 0;
    let is_few = visit_known(cells, feature, rows, control, |_, x| {
        // -0.0 becomes 0.0.
        let bits = (x + 0.0).to_bits();
        let mut slot = (bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> shift) as usize;
        while seen[slot] != bits {
            if seen[slot] == u64::MAX {
                seen[slot] = bits;
                n_found += 1;
                break;
            }
            slot = (slot + 1) & (size - 1);
        }
        n_found <= most
    })?;
    if !is_few {
        return Ok(None);
    }
    let bits = seen.into_iter().filter(|&bits| bits != u64::MAX);
    let mut values: Vec<f64> = bits.map(f64::from_bits).collect();
    values.sort_unstable_by(f64::total_cmp);
    Ok(Some(values))
}

/// Visit the values of a column that are not missing, each with its position in `rows`, as long as
/// `visit` returns true. The result says whether all were visited.
fn visit_known(
    cells: &dyn RowSource,
    feature: usize,
    rows: RowChoice<'_>,
    control: &Control,
    mut visit: impl FnMut(usize, f64) -> bool,
) -> Result<bool> {
    let mut tile = [0.0; TILE];
    for first in (0..rows.len()).step_by(TILE) {
        if first % (256 * TILE) == 0 {
            control.check()?;
        }
        let tile = &mut tile[..TILE.min(rows.len() - first)];
        cells.numbers(feature, rows, first, tile);
        for (position, &x) in (first..).zip(&*tile) {
            if !x.is_nan() && !visit(position, x) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The distinct values of a column with their running weight.
pub(super) struct Ranked {
    /// Ascending.
    pub values: Vec<f64>,
    /// The weight of the rows up to each value.
    pub ends: Vec<u64>,
}

impl Ranked {
    /// Read and sort the values of a column, without missing values and rows of weight 0. Without
    /// weights it is a radix sort, on keys of 32 bits if all values are float32.
    pub fn new(
        cells: &dyn RowSource,
        feature: usize,
        rows: RowChoice<'_>,
        weights: &Weights,
        control: &Control,
    ) -> Result<Self> {
        // Values with weights are sorted as pairs.
        if !matches!(weights, Weights::Unit) {
            let mut pairs = Vec::with_capacity(rows.len());
            visit_known(cells, feature, rows, control, |position, x| {
                let mass = weights.units(rows.row(position) as u32) as u64;
                if mass != 0 {
                    pairs.push((order_key(x), mass));
                }
                true
            })?;
            pairs.sort_unstable();
            let sorted = pairs.into_iter().map(|(key, mass)| (from_order_key(key), mass));
            return Ok(Self::merge(sorted));
        }
        let mut values = Vec::with_capacity(rows.len());
        visit_known(cells, feature, rows, control, |_, x| {
            values.push(x);
            true
        })?;
        // Values that are float32 have keys of half the size.
        if values.iter().fold(true, |narrow, &x| narrow & (f64::from(x as f32) == x)) {
            let keys = values.iter().map(|&x| order_key_narrow(x as f32)).collect();
            let value = |key: u32| f64::from(from_order_key_narrow(key));
            let sorted = radix_sort(keys, |key| key).into_iter();
            return Ok(Self::merge(sorted.map(|key| (value(key), 1))));
        }
        let keys = sorted_keys(values.into_iter().map(order_key).collect());
        Ok(Self::merge(keys.into_iter().map(|key| (from_order_key(key), 1))))
    }

    /// The distinct values of (value, weight) pairs in ascending order. The weights of pairs with
    /// equal values are added, and NaN must not occur.
    pub fn merge(sorted: impl Iterator<Item = (f64, u64)>) -> Self {
        let most = sorted.size_hint().1.unwrap_or(0);
        let (mut values, mut ends) = (Vec::with_capacity(most), Vec::with_capacity(most));
        // NaN, which differs from every value, stands for none.
        let (mut current, mut sum) = (f64::NAN, 0);
        for (value, mass) in sorted {
            if value != current {
                if !current.is_nan() {
                    ends.push(sum);
                }
                values.push(value);
                current = value;
            }
            sum += mass;
        }
        if !current.is_nan() {
            ends.push(sum);
        }
        Self { values, ends }
    }

    /// The cut points for `bins` bins by the rule of equal frequency at the head of this file;
    /// between all values if there are at most `bins`. They may be fewer than `bins - 1`, because
    /// frequent values fill bins alone.
    pub fn cuts(&self, bins: usize) -> Vec<f64> {
        if self.values.len() <= bins {
            return midpoints(&self.values);
        }
        let mut cuts = Vec::with_capacity(bins - 1);
        // The first value and the weight below it of the bin to make next.
        let (mut first, mut weight_below) = (0, 0);
        for n_open in (2..=bins as u64).rev() {
            let Some(last) = self.last_of_bin(first, weight_below, n_open) else { break };
            cuts.push(midpoint(self.values[last], self.values[last + 1]));
            first = last + 1;
            weight_below = self.ends[last];
        }
        cuts
    }

    /// The last value of the bin that starts with value number `first`; None if only one value is
    /// left. `weight_below` is the weight of the values below `first`, and `n_open` the number of
    /// bins to make of the rest.
    fn last_of_bin(&self, first: usize, weight_below: u64, n_open: u64) -> Option<usize> {
        let n_values = self.values.len();
        let weight_left = self.ends[n_values - 1] - weight_below;
        let aim = weight_below + weight_left.div_ceil(n_open);
        // The first value with which the bin reaches its share. Each bin leaves a value for the
        // next one.
        let reaching = first + self.ends[first..].partition_point(|&end| end < aim);
        if reaching + 1 >= n_values {
            return n_values.checked_sub(2).filter(|&last| last >= first);
        }
        if reaching > first {
            let without = self.ends[reaching - 1] - weight_below;
            let with = self.ends[reaching] - weight_below;
            // The share s = weight_left / n_open is nearer to the weight without this value:
            // s - without < with - s.
            if 2 * u128::from(weight_left) < u128::from(without + with) * u128::from(n_open) {
                return Some(reaching - 1);
            }
        }
        Some(reaching)
    }
}

/// [`order_key`] for float32.
#[inline]
fn order_key_narrow(x: f32) -> u32 {
    let bits = (x + 0.0).to_bits();
    if bits >> 31 == 1 { !bits } else { bits | (1 << 31) }
}

/// The float32 of a key: the inverse of [`order_key_narrow`].
fn from_order_key_narrow(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key ^ (1 << 31) } else { !key })
}

/// Sort keys: a radix sort by the upper 33 bits, which decide most comparisons, and then a sort of
/// each run with equal upper bits.
fn sorted_keys(keys: Vec<u64>) -> Vec<u64> {
    let shift = u64::BITS - radix::BITS;
    let mut keys = radix_sort(keys, |key| key >> shift);
    for run in keys.chunk_by_mut(|a, b| a >> shift == b >> shift) {
        run.sort_unstable();
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;

    #[test]
    fn the_sort_is_a_sort() {
        for n in [0_u64, 5, 1023, 1024, 40_000] {
            for bits in [3, 30, 64] {
                let keys: Vec<u64> = (0..n).map(|i| mix(n, i) >> (64 - bits)).collect();
                let mut expected = keys.clone();
                expected.sort_unstable();
                assert_eq!(sorted_keys(keys), expected, "{n} {bits}");
                let keys: Vec<u32> = expected.iter().rev().map(|&key| (key >> 32) as u32).collect();
                let mut narrow = keys.clone();
                narrow.sort_unstable();
                assert_eq!(radix_sort(keys, |key| key), narrow, "{n} {bits}");
            }
        }
    }

    /// Weka's rule, value by value.
    fn slow(masses: &[u64], bins: u64) -> Vec<usize> {
        let (mut left, mut first, mut cuts) = (masses.iter().sum::<u64>(), 0, Vec::new());
        for open in (2..=bins).rev() {
            let (mut inside, mut before, mut found) = (0, None, None);
            for (at, &mass) in masses.iter().enumerate().take(masses.len() - 1).skip(first) {
                inside += mass;
                if inside * open >= left {
                    found = match before {
                        Some((a, e)) if 2 * left < (e + inside) * open => Some((a, e)),
                        _ => Some((at, inside)),
                    };
                    break;
                }
                before = Some((at, inside));
            }
            let Some((at, inside)) = found.or(before) else { break };
            cuts.push(at);
            left -= inside;
            first = at + 1;
        }
        cuts
    }

    #[test]
    fn cuts_are_those_of_the_rule_applied_value_by_value() {
        for seed in 0..400 {
            let groups = 2 + mix(seed, 0) % 60;
            let top = [2, 30, 3000][seed as usize % 3];
            let masses: Vec<u64> = (0..groups).map(|g| 1 + mix(seed, 9 + g) % top).collect();
            let keys = masses.iter().enumerate().map(|(g, &m)| (g as f64, m));
            let ranked = Ranked::merge(keys);
            for bins in [2, 3, 7, 20] {
                let cuts = ranked.cuts(bins);
                let expected: Vec<f64> = if groups as usize <= bins {
                    (1..groups).map(|g| g as f64 - 0.5).collect()
                } else {
                    slow(&masses, bins as u64).into_iter().map(|g| g as f64 + 0.5).collect()
                };
                assert_eq!(cuts, expected, "{seed} {bins}");
            }
        }
    }
}
