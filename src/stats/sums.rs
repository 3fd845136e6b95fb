//! What is summed when rows are counted: ones, integer weights, or fixed-point weights.

use crate::numeric::Count;

/// An exact sum of weights.
pub trait Sum:
    Copy + Default + PartialEq + PartialOrd + Send + Sync + std::fmt::Debug + 'static
{
    /// The kind of count that criteria see.
    type Cell: Count + std::fmt::Debug;
    /// Sum.
    fn plus(self, other: Self) -> Self;
    /// Difference.
    fn minus(self, other: Self) -> Self;
    /// As a cell of a table; `unit` is the value of 1.
    fn cell(self, unit: f64) -> Self::Cell;
    /// As a number.
    fn value(self, unit: f64) -> f64;
    /// A number of rows as a sum.
    fn from_rows(rows: u32) -> Self;
    /// A sum from units of weight.
    fn from_units(units: i64) -> Self;
    /// The sum in units.
    fn units(self) -> i64;
    /// The smallest sum that is worth `value`.
    fn at_least(value: f64, unit: f64) -> Self;
    /// Sums that are numbers of rows as such.
    fn as_rows(sums: &[Self]) -> Option<&[u32]>;
    /// True for nothing.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl Sum for u32 {
    type Cell = u32;
    #[inline]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline]
    fn minus(self, other: Self) -> Self {
        self - other
    }
    #[inline]
    fn cell(self, _unit: f64) -> u32 {
        self
    }
    #[inline]
    fn value(self, _unit: f64) -> f64 {
        f64::from(self)
    }
    #[inline]
    fn from_rows(rows: u32) -> Self {
        rows
    }
    #[inline]
    fn from_units(units: i64) -> Self {
        units as Self
    }
    #[inline]
    fn units(self) -> i64 {
        i64::from(self)
    }
    fn at_least(value: f64, _unit: f64) -> Self {
        value.ceil().max(0.0) as Self
    }
    fn as_rows(sums: &[Self]) -> Option<&[u32]> {
        Some(sums)
    }
}

impl Sum for i64 {
    type Cell = f64;
    #[inline]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline]
    fn minus(self, other: Self) -> Self {
        self - other
    }
    #[inline]
    fn cell(self, unit: f64) -> f64 {
        self as f64 * unit
    }
    #[inline]
    fn value(self, unit: f64) -> f64 {
        self as f64 * unit
    }
    #[inline]
    fn from_rows(rows: u32) -> Self {
        Self::from(rows)
    }
    #[inline]
    fn from_units(units: i64) -> Self {
        units
    }
    #[inline]
    fn units(self) -> i64 {
        self
    }
    fn at_least(value: f64, unit: f64) -> Self {
        (value / unit).ceil().max(0.0) as Self
    }
    fn as_rows(_sums: &[Self]) -> Option<&[u32]> {
        None
    }
}

/// The type of a count in a table of such sums.
pub type CellOf<W> = <<W as Weighing>::Sum as Sum>::Cell;

/// The weight of a row.
pub trait Weighing: Copy + Send + Sync {
    /// Its exact sum.
    type Sum: Sum;
    /// Every row weighs one, so positions in a range are sums.
    const UNIT: bool;
    /// Weights are copies of rows, so sums count rows.
    const COPIES: bool;
    /// The weight of an internal row.
    fn of(&self, row: u32) -> Self::Sum;
    /// The value of a sum of 1.
    fn unit(&self) -> f64;
    /// Weights by internal row where they are fixed-point numbers.
    fn fixed(&self) -> Option<&[i64]> {
        None
    }
}

/// Every row counts once.
#[derive(Debug, Clone, Copy)]
pub struct UnitWeights;

/// Copies of rows.
#[derive(Debug, Clone, Copy)]
pub struct IntegerWeights<'a>(pub &'a [u32]);

/// Fixed-point weights.
#[derive(Debug, Clone, Copy)]
pub struct FixedWeights<'a> {
    /// Scaled weights by internal row.
    pub values: &'a [i64],
    /// Value of one unit.
    pub unit: f64,
}

impl Weighing for UnitWeights {
    type Sum = u32;
    const UNIT: bool = true;
    const COPIES: bool = true;
    #[inline]
    fn of(&self, _row: u32) -> u32 {
        1
    }
    fn unit(&self) -> f64 {
        1.0
    }
}

impl Weighing for IntegerWeights<'_> {
    type Sum = u32;
    const UNIT: bool = false;
    const COPIES: bool = true;
    #[inline]
    fn of(&self, row: u32) -> u32 {
        self.0[row as usize]
    }
    fn unit(&self) -> f64 {
        1.0
    }
}

impl Weighing for FixedWeights<'_> {
    type Sum = i64;
    const UNIT: bool = false;
    const COPIES: bool = false;
    #[inline]
    fn of(&self, row: u32) -> i64 {
        self.values[row as usize]
    }
    fn unit(&self) -> f64 {
        self.unit
    }
    fn fixed(&self) -> Option<&[i64]> {
        Some(self.values)
    }
}
