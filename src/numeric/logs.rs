//! Logarithms and factorials, and their tables for counts ([`Logs`]).
//!
//! Entropies are computed from `log2 x = ln x / ln 2`, never from a library's `log2`: ties between
//! splits are decided by the last bit, and only this form gives the tables of the papers to the
//! last digit. For integer counts `log2 c` and `c log2 c` are read from tables of the formula's
//! values, so table and formula agree to the bit.
//!
//! The process has one pair of tables per power of two, filled on first use: O(n) once, then one
//! load per logarithm. The formula is evaluated above [`LARGEST_TABLE`], and where there is no
//! memory for a table.

use crate::memory::try_reserve;
use std::sync::OnceLock;

/// Base-2 logarithm as the criteria define it: `ln x / ln 2`.
#[inline]
pub fn log2(x: f64) -> f64 {
    x.ln() / std::f64::consts::LN_2
}

/// `x log2 x`, with `0 log 0 = 0`; 0 for a negative number as well. For integer counts,
/// [`super::Count::x_log2_x`] reads the same bits from a table.
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

/// Powers of two that a table may have as its length: 1 to [`LARGEST_TABLE`].
const N_LEVELS: usize = LARGEST_TABLE.ilog2() as usize + 1;

/// The tables of `2^i` entries at index i.
static LEVELS: [OnceLock<LogTables>; N_LEVELS] = [const { OnceLock::new() }; N_LEVELS];

/// A handle to the tables of counts up to a maximum.
#[derive(Clone, Copy)]
pub struct Logs {
    pub(super) log2: &'static [f64],
    pub(super) x_log2_x: &'static [f64],
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
