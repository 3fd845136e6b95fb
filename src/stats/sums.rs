//! Weights of rows and their exact sums: numbers of copies, or fixed-point weights.
//!
//! Counting code is generic over [`Weighing`], the weight of a row, and [`Sum`], the type in which
//! weights are added: `u32` for numbers of rows and copies, `i64` for fixed-point weights in units
//! of a power of two. Integer sums do not depend on the order of addition. Criteria receive a sum
//! as a [`Sum::Cell`]: `u32` where sums are numbers of rows, else `f64`.

use super::ExactMoments;
use crate::data::Weights;
use crate::numeric::{Count, by_operators};

/// An exact sum of weights.
pub trait Sum:
    Copy + Default + PartialEq + PartialOrd + Send + Sync + std::fmt::Debug + 'static
{
    /// Type of a count in the tables that criteria score.
    type Cell: Count + std::fmt::Debug;
    /// `self + other`.
    fn plus(self, other: Self) -> Self;
    /// `self - other`.
    fn minus(self, other: Self) -> Self;
    /// The sum as a cell of a table; `unit` is the weight that a sum of 1 stands for.
    fn cell(self, unit: f64) -> Self::Cell;
    /// The sum as a weight, given the weight of a sum of 1.
    fn value(self, unit: f64) -> f64;
    /// The sum of `rows` unit weights, for kinds in which a row counts 1.
    fn from_rows(rows: u32) -> Self;
    /// The sum that is `units` times the unit.
    fn from_units(units: i64) -> Self;
    /// The sum of one row of this weight, in units. `_number` is the row's number of a numeric
    /// target, in units; sums of weights alone ignore it.
    #[inline]
    fn from_row(weight: i64, _number: i64) -> Self {
        Self::from_units(weight)
    }
    /// The sum as a multiple of the unit.
    fn units(self) -> i64;
    /// The smallest sum whose weight is at least `value`.
    fn at_least(value: f64, unit: f64) -> Self;
    /// The sums of a numeric target; `None` for sums of weights alone.
    fn moments(self) -> Option<ExactMoments> {
        None
    }
    /// The sum of some sums.
    #[inline]
    fn total(sums: &[Self]) -> Self {
        sums.iter().fold(Self::default(), |total, &sum| total.plus(sum))
    }
    /// Whether rows with these sums, one per class, belong to one class, or have one number.
    fn are_pure(sums: &[Self]) -> bool {
        sums.iter().filter(|sum| !sum.is_empty()).nth(1).is_none()
    }
    /// Whether the weight is 0.
    #[inline]
    fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// A sum that processes send to each other as words of 32 bits.
pub trait SentSum: Sum {
    /// Number of words.
    const WORDS: usize;
    /// Write the words.
    fn write(self, words: &mut Vec<u32>);
    /// The sum of [`Self::WORDS`] words.
    fn read(words: &[u32]) -> Self;
    /// `self + other`, if it fits.
    fn checked_plus(self, other: Self) -> Option<Self>;

    /// The words of several sums.
    fn to_words(sums: &[Self]) -> Vec<u32> {
        let mut words = Vec::with_capacity(sums.len() * Self::WORDS);
        sums.iter().for_each(|sum| sum.write(&mut words));
        words
    }

    /// The sums of some words.
    fn from_words(words: &[u32]) -> Vec<Self> {
        words.chunks_exact(Self::WORDS).map(Self::read).collect()
    }
}

impl SentSum for u32 {
    const WORDS: usize = 1;
    fn write(self, words: &mut Vec<u32>) {
        words.push(self);
    }
    fn read(words: &[u32]) -> Self {
        words[0]
    }
    fn checked_plus(self, other: Self) -> Option<Self> {
        self.checked_add(other)
    }
}

impl Sum for u32 {
    type Cell = u32;
    by_operators!();
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
}

impl Sum for i64 {
    type Cell = f64;
    by_operators!();
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
}

/// Type of a count in a table whose rows are weighted by `W`.
pub type CellOf<W> = <<W as Weighing>::Sum as Sum>::Cell;

/// Weights of the rows of a training set.
pub trait Weighing: Copy + Send + Sync {
    /// Type of a sum of weights.
    type Sum: Sum;
    /// Whether every row weighs 1: the sum over a range of rows is then its length. False with a
    /// numeric target.
    fn is_unit(&self) -> bool;
    /// Whether weights are numbers of copies: sums are then numbers of rows.
    fn are_copies(&self) -> bool;
    /// The sum of one internal row: its weight, and its number where the target is numeric.
    fn row_sum(&self, row: u32) -> Self::Sum;
    /// The weight that a sum of 1 stands for.
    fn unit(&self) -> f64;
    /// Weights by internal row, if they are fixed-point numbers.
    fn fixed(&self) -> Option<&[i64]> {
        None
    }
    /// Numbers of the target by internal row, in units, if every row weighs 1.
    fn unit_target(&self) -> Option<&[i64]> {
        None
    }
    /// All rows with a number, each as [`packed_row`](crate::simd::means::packed_row) makes it;
    /// `None` for classes, and where a weight is not a number of copies or does not fit.
    fn packed(&self) -> Option<Vec<i64>> {
        None
    }
}

/// Number of copies by internal row; `None` where every row counts once.
#[derive(Debug, Clone, Copy)]
pub struct RowCopies<'a>(pub Option<&'a [u32]>);

impl<'a> RowCopies<'a> {
    /// The weights as copies; every row counts once if they are not.
    pub fn from_weights(weights: &'a Weights) -> Self {
        match weights {
            Weights::Integer(copies) => Self(Some(copies)),
            Weights::Unit | Weights::Fixed { .. } => Self(None),
        }
    }
}

/// Fixed-point weights: integer multiples of a unit.
#[derive(Debug, Clone, Copy)]
pub struct FixedWeights<'a> {
    /// Weight by internal row, in units.
    pub values: &'a [i64],
    /// The unit, as a weight.
    pub unit: f64,
    /// Whether they are numbers of copies, whose sums shall be real cells.
    pub copies: bool,
}

impl<'a> FixedWeights<'a> {
    /// The weights, if they are fixed-point numbers. `None` for rows that count once or as copies,
    /// which [`RowCopies`] adds up in 32 bits.
    pub fn from_weights(weights: &'a Weights) -> Option<Self> {
        match weights {
            Weights::Fixed { values, .. } => {
                Some(Self { values, unit: weights.unit(), copies: false })
            }
            Weights::Unit | Weights::Integer(_) => None,
        }
    }
}

impl Weighing for RowCopies<'_> {
    type Sum = u32;
    fn is_unit(&self) -> bool {
        self.0.is_none()
    }
    fn are_copies(&self) -> bool {
        true
    }
    #[inline]
    fn row_sum(&self, row: u32) -> u32 {
        self.0.map_or(1, |copies| copies[row as usize])
    }
    fn unit(&self) -> f64 {
        1.0
    }
}

impl Weighing for FixedWeights<'_> {
    type Sum = i64;
    fn is_unit(&self) -> bool {
        false
    }
    fn are_copies(&self) -> bool {
        self.copies
    }
    #[inline]
    fn row_sum(&self, row: u32) -> i64 {
        self.values[row as usize]
    }
    fn unit(&self) -> f64 {
        self.unit
    }
    fn fixed(&self) -> Option<&[i64]> {
        (!self.copies).then_some(self.values)
    }
}
