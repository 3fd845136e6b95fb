//! Arithmetic that decides results to the last bit: logarithms, entropy, thresholds, ties, exact
//! sums and random numbers. Other modules use these functions and define none of them again.
//!
//! Entropies are computed from `log2 x = ln x / ln 2`, never from a library's `log2`: ties between
//! splits are decided by the last bit, and only this form gives the tables of the papers to the
//! last digit. For integer counts `log2 c` and `c log2 c` are read from tables of the formula's
//! values, so table and formula agree to the bit.
//!
//! The process has one pair of tables per power of two, filled on first use: O(n) once, then one
//! load per logarithm. The formula is evaluated above [`LARGEST_TABLE`], and where there is no
//! memory for a table.

mod exact_sum;
mod joined_moments;
mod moments;
pub mod normal;
pub mod radix;

pub use exact_sum::ExactSum;
pub use moments::Moments;
pub use radix::radix_sort;

use crate::memory::try_reserve;
use std::cmp::Ordering;
use std::sync::OnceLock;

/// Base-2 logarithm as the criteria define it: `ln x / ln 2`.
#[inline]
pub fn log2(x: f64) -> f64 {
    x.ln() / std::f64::consts::LN_2
}

/// `x log2 x`, with `0 log 0 = 0`; 0 for a negative number as well. For integer counts,
/// [`Count::x_log2_x`] reads the same bits from a table.
#[inline]
pub fn x_log2_x(x: f64) -> f64 {
    if x > 0.0 { x * log2(x) } else { 0.0 }
}

/// `log2 x!` for real x >= 0, which is `log2 gamma(x + 1)`.
///
/// The absolute error is below 1e-14 for x < 10, and the relative error a few units in the last
/// place above. Factorials up to 20! are products; others are Stirling's series with five terms at
/// an argument of at least 16, reached by the recurrence `gamma(z + 1) = z gamma(z)`.
pub fn log2_factorial(x: f64) -> f64 {
    if x <= 20.0 && x.fract() == 0.0 {
        return log2((2..=x as u32).map(f64::from).product());
    }
    // gamma(x + 1) is gamma(z) divided by the product of all arguments from x + 1 to z - 1.
    let (mut z, mut product) = (x + 1.0, 1.0);
    while z < 16.0 {
        product *= z;
        z += 1.0;
    }
    let r = 1.0 / (z * z);
    let series =
        1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r / 1188.0)));
    let ln_gamma = (z - 0.5) * z.ln() - z + 0.5 * std::f64::consts::TAU.ln() + series / z;
    (ln_gamma - f64::ln(product)) / std::f64::consts::LN_2
}

/// `ln x!` for real x >= 0; see [`log2_factorial`].
pub fn ln_factorial(x: f64) -> f64 {
    log2_factorial(x) * std::f64::consts::LN_2
}

/// `ln (e^a + e^b)`, without an overflow where `e^a` or `e^b` is no finite double. It adds numbers
/// that are known by their logarithms, such as the weights of networks; minus infinity is the
/// logarithm of 0.
#[inline]
pub fn log_add(a: f64, b: f64) -> f64 {
    let (top, low) = if a > b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { top } else { top + (low - top).exp().ln_1p() }
}

/// Entries of the largest tables (two of 128 MiB).
pub const LARGEST_TABLE: usize = 1 << 24;

/// Entries of the smallest tables, which are allocated infallibly.
const SMALLEST: usize = 64;

/// Tables of functions of a count.
struct LogTables {
    log2: Vec<f64>,
    x_log2_x: Vec<f64>,
    /// Filled on the first use of a factorial.
    log2_factorial: OnceLock<Vec<f64>>,
}

impl LogTables {
    /// Tables of `size` entries; None if there is no memory for them.
    fn new(size: usize) -> Option<Self> {
        let log2 = table_of(size, |i| if i == 0 { 0.0 } else { log2(i as f64) })?;
        let x_log2_x = table_of(size, |i| i as f64 * log2[i])?;
        Some(Self { log2, x_log2_x, log2_factorial: OnceLock::new() })
    }
}

/// A table of `value(i)` for i below `size`; None if there is no memory for it.
fn table_of(size: usize, value: impl Fn(usize) -> f64) -> Option<Vec<f64>> {
    let mut table = Vec::new();
    if size > SMALLEST {
        try_reserve(&mut table, size).ok()?;
    }
    table.extend((0..size).map(value));
    Some(table)
}

/// The tables of `2^i` entries, i = 0 to 24.
static LEVELS: [OnceLock<LogTables>; 25] = [const { OnceLock::new() }; 25];

/// A handle to the tables of counts up to a maximum.
#[derive(Clone, Copy)]
pub struct Logs {
    log2: &'static [f64],
    x_log2_x: &'static [f64],
    level: &'static LogTables,
}

impl std::fmt::Debug for Logs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Logs(0..{})", self.log2.len())
    }
}

impl Logs {
    /// Tables of the counts `0..=max`, but of at most [`LARGEST_TABLE`] counts; larger counts are
    /// computed. The first call for a size fills the tables in O(size). If there is no memory for
    /// them, smaller tables serve.
    pub fn up_to(max: u64) -> Self {
        let size = (max.saturating_add(1)).min(LARGEST_TABLE as u64).next_power_of_two() as usize;
        let mut size = size.max(SMALLEST);
        loop {
            let slot = &LEVELS[size.trailing_zeros() as usize];
            if let Some(level) = slot.get() {
                return Self { log2: &level.log2, x_log2_x: &level.x_log2_x, level };
            }
            match LogTables::new(size) {
                // If another thread has filled the slot meanwhile, its tables are equal.
                Some(level) => drop(slot.set(level)),
                // Counts beyond a smaller table are computed.
                None => size /= 2,
            }
        }
    }

    /// Tables for the counts of `rows` rows whose weights sum up to `max`. Few rows have few
    /// different sums, so the tables have at most 64 entries per row; larger counts are computed,
    /// to the same bit.
    #[inline]
    pub fn for_rows(max: u64, rows: usize) -> Self {
        Self::up_to(max.min(64 * rows as u64))
    }

    /// `log2 c!`. The table of factorials is filled on its first use, because few criteria read it.
    /// A count beyond the table is computed by [`log2_factorial`], to the same bit.
    #[inline]
    pub fn log2_factorial(&self, c: u32) -> f64 {
        let table = self.level.log2_factorial.get_or_init(|| {
            table_of(self.log2.len(), |i| log2_factorial(i as f64)).unwrap_or_default()
        });
        match table.get(c as usize) {
            Some(&v) => v,
            None => log2_factorial(f64::from(c)),
        }
    }

    /// The table of `c log2 c`; its length is a power of two.
    #[inline]
    pub fn x_log2_x_table(&self) -> &'static [f64] {
        self.x_log2_x
    }
}

/// A slice of counts, with the type of the counts.
#[derive(Debug, Clone, Copy)]
pub enum Cells<'a> {
    /// Rows or integer weights.
    Rows(&'a [u32]),
    /// Sums of real weights.
    Weights(&'a [f64]),
    /// Moments of a numeric target.
    Moments(&'a [Moments]),
}

/// A cell of a count table: `u32` (rows, integer weights) or `f64` (sums of real weights), or the
/// [`Moments`] of a numeric target, whose count is their weight.
pub trait Count: Copy + Default + PartialEq + PartialOrd + Send + Sync + 'static {
    /// A slice of counts with its type.
    fn cells(slice: &[Self]) -> Cells<'_>;
    /// The inverse of [`Count::cells`]; None for counts of another type.
    fn of_cells(cells: Cells<'_>) -> Option<&[Self]>;
    /// The count as a number.
    fn value(self) -> f64;
    /// Sum of two counts.
    fn plus(self, other: Self) -> Self;
    /// Difference of two counts; the caller guarantees that it is not negative.
    fn minus(self, other: Self) -> Self;
    /// `log2` of the count, 0 for an empty cell.
    fn log2(self, logs: Logs) -> f64;
    /// `c log2 c`, 0 for an empty cell.
    fn x_log2_x(self, logs: Logs) -> f64;
    /// `log2 c!`, for a real weight `log2 gamma(c + 1)`.
    fn log2_factorial(self, logs: Logs) -> f64;
    /// A whole number as a count.
    fn from_u32(x: u32) -> Self;
    /// Whether the count is 0.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::default()
    }
    /// The count as a divisor: 1 for an empty cell, whose dividend is 0 as well.
    #[inline]
    fn or_one(self) -> f64 {
        let x = self.value();
        if x > 0.0 { x } else { 1.0 }
    }
}

/// The formula for a count beyond the tables. Cold, so that look-ups stay small.
#[cold]
#[inline(never)]
fn beyond(count: u32, formula: fn(f64) -> f64) -> f64 {
    formula(f64::from(count))
}

/// The methods `plus` and `minus` of a type that has the operators `+` and `-`.
#[macro_export]
macro_rules! by_operators {
    () => {
        #[inline]
        fn plus(self, other: Self) -> Self {
            self + other
        }
        #[inline]
        fn minus(self, other: Self) -> Self {
            self - other
        }
    };
}
pub use by_operators;

impl Count for u32 {
    fn cells(slice: &[Self]) -> Cells<'_> {
        Cells::Rows(slice)
    }
    fn of_cells(cells: Cells<'_>) -> Option<&[Self]> {
        match cells {
            Cells::Rows(slice) => Some(slice),
            Cells::Weights(_) | Cells::Moments(_) => None,
        }
    }
    #[inline]
    fn value(self) -> f64 {
        f64::from(self)
    }
    by_operators!();
    #[inline]
    fn log2(self, logs: Logs) -> f64 {
        match logs.log2.get(self as usize) {
            Some(&v) => v,
            None => beyond(self, log2),
        }
    }
    #[inline]
    fn x_log2_x(self, logs: Logs) -> f64 {
        match logs.x_log2_x.get(self as usize) {
            Some(&v) => v,
            None => beyond(self, x_log2_x),
        }
    }
    #[inline]
    fn log2_factorial(self, logs: Logs) -> f64 {
        logs.log2_factorial(self)
    }
    #[inline]
    fn from_u32(x: u32) -> Self {
        x
    }
    #[inline]
    fn or_one(self) -> f64 {
        let x = f64::from(self);
        if x > 1.0 { x } else { 1.0 }
    }
}

impl Count for f64 {
    fn cells(slice: &[Self]) -> Cells<'_> {
        Cells::Weights(slice)
    }
    fn of_cells(cells: Cells<'_>) -> Option<&[Self]> {
        match cells {
            Cells::Weights(slice) => Some(slice),
            Cells::Rows(_) | Cells::Moments(_) => None,
        }
    }
    #[inline]
    fn value(self) -> f64 {
        self
    }
    by_operators!();
    #[inline]
    fn log2(self, _logs: Logs) -> f64 {
        if self > 0.0 { log2(self) } else { 0.0 }
    }
    #[inline]
    fn x_log2_x(self, _logs: Logs) -> f64 {
        x_log2_x(self)
    }
    #[inline]
    fn log2_factorial(self, _logs: Logs) -> f64 {
        log2_factorial(self)
    }
    #[inline]
    fn from_u32(x: u32) -> Self {
        f64::from(x)
    }
}

/// Entropy in bits of a vector of counts with sum `total`: `-(sum c log2 c)/n + log2 n`, summed in
/// class order; 0 for an empty vector.
#[inline]
pub fn entropy<C: Count>(counts: impl Iterator<Item = C>, total: C, logs: Logs) -> f64 {
    if total.is_empty() {
        return 0.0;
    }
    let sum: f64 = counts.map(|c| c.x_log2_x(logs)).fold(0.0, |a, b| a + b);
    -sum / total.value() + total.log2(logs)
}

/// Which of several candidates with equal scores is chosen. Candidates are compared in feature
/// order, then in threshold or value order, and only a strictly larger score replaces the best one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ties {
    /// The lower feature index, then the lower threshold or first value.
    #[default]
    First,
    /// Within a feature, the threshold whose value occurs first in row order.
    Row,
    /// One of the best at random, drawn with a seed that depends on the node alone.
    Random,
    /// Within a feature, the candidate whose smaller branch is largest, then the first.
    Even,
}

/// Whether score `a` is better than `b`: strictly larger. NaN is never better.
#[inline]
pub fn better(a: f64, b: f64) -> bool {
    a > b
}

/// The threshold between two neighbouring data values: their midpoint, or `lo` if the midpoint does
/// not separate them, as for adjacent doubles.
#[inline]
pub fn midpoint(lo: f64, hi: f64) -> f64 {
    let t = lo / 2.0 + hi / 2.0;
    if t < lo || t >= hi { lo } else { t }
}

/// The largest double x with `x <= t || x - t < tolerance`, so that `x <= reach(t, tolerance)` is
/// the same comparison.
///
/// The difference is rounded, so x is found by bisection over the doubles.
pub fn reach(t: f64, tolerance: f64) -> f64 {
    let within = |x: f64| x <= t || x - t < tolerance;
    let (mut low, mut high) = (order_key(t), order_key((t + 2.0 * tolerance).max(t.next_up())));
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if within(from_order_key(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    from_order_key(low)
}

/// A key whose unsigned order is the order of the doubles; `-0.0` and `0.0` have the same key.
#[inline]
pub fn order_key(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | (1 << 63) }
}

/// The double of a key: the inverse of [`order_key`].
pub fn from_order_key(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key ^ (1 << 63) } else { !key })
}

/// A 64-bit hash of a seed and a value (the finaliser of SplitMix64).
///
/// Every random choice inside a tree comes from it, with values that name the node, so that a
/// choice never depends on the thread or the order of growth.
#[inline]
pub fn mix(seed: u64, value: u64) -> u64 {
    let mut z =
        seed ^ value.wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A uniform integer in `0..bound` from a hash ([`mix`]), by multiplication and shift; the bias is
/// below 2^-32 for bounds below 2^32.
#[inline]
pub fn uniform(key: u64, bound: u64) -> u64 {
    ((u128::from(key) * u128::from(bound)) >> 64) as u64
}

/// Sort a few items by a comparison, stably.
///
/// The comparison is a dynamic call: a sort of the standard library is compiled again for each type
/// and each comparison, from 1,800 lines before optimisation, which pays only where many items are
/// sorted.
pub fn sort_few<T>(items: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    // The position that each item of the sorted list has now.
    let mut sources: Vec<usize> = (0..items.len()).collect();
    sort_positions(&mut sources, &|a, b| compare(&items[a], &items[b]));
    for target in 0..items.len() {
        // An item from an earlier position was swapped to where the item of that position came
        // from.
        let mut source = sources[target];
        while source < target {
            source = sources[source];
        }
        items.swap(target, source);
    }
}

/// Sort positions by a comparison of the items there. Apart from [`sort_few`], so that it is
/// compiled once for all types.
fn sort_positions(positions: &mut [usize], compare: &dyn Fn(usize, usize) -> Ordering) {
    positions.sort_by(|&a, &b| compare(a, b));
}

#[cfg(test)]
mod tests;
