//! Losses of rows around a quantile of a numeric target, for prefixes of an order of the rows.
//!
//! [`PrefixLosses`] finds the loss of the first `i` rows of an order for every `i`, by removing one
//! row after the other, from the last on. The remaining rows are a list linked by ascending
//! numbers, with a pointer to the quantile. A row that is removed moves the pointer by about its
//! own weight, and by at most one row where all weigh 1, so that no branch is needed. Sums below
//! the pointer are kept; the loss follows from them and the sums of all rows. All sums are whole
//! numbers, so equal sets of rows have equal losses, to the bit. O(rows) per order, and one pass to
//! link the list.

use crate::criteria::QuantileLoss;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// A row: its weight in units, and the number of its target in units.
#[derive(Debug, Clone, Copy, Default)]
pub struct WeighedNumber {
    /// Weight.
    pub weight: i64,
    /// Number.
    pub units: i64,
}

/// The integers in which weights times numbers are summed.
pub trait Whole:
    Copy
    + Default
    + PartialOrd
    + From<i64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + AddAssign
    + SubAssign
{
    /// The nearest double-precision number.
    fn real(self) -> f64;
}

impl Whole for i64 {
    fn real(self) -> f64 {
        self as f64
    }
}

impl Whole for i128 {
    fn real(self) -> f64 {
        self as f64
    }
}

/// The quantile of some rows, and the loss of the rows around it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct QuantileOf {
    /// The quantile, in units; the midpoint of two numbers where the weight below meets its share
    /// of all exactly.
    pub units: f64,
    /// The sum of the losses of all rows, in units of weight and number.
    pub loss: f64,
}

impl QuantileOf {
    /// The quantile of rows in ascending order of their numbers, and their loss around it. Rows of
    /// weight 0 are passed over; without any weight both numbers are 0. O(rows): growth uses this
    /// for single branches, and [`PrefixLosses`] where every prefix of an order needs a loss.
    pub fn sorted(rows: impl Iterator<Item = WeighedNumber> + Clone, loss: QuantileLoss) -> Self {
        let (mut weight, mut sum) = (0_i64, 0_i128);
        for row in rows.clone() {
            weight += row.weight;
            sum += i128::from(row.weight) * i128::from(row.units);
        }
        let wanted = loss.quantile * weight as f64;
        let (mut below, mut sum_below) = (0_i64, 0_i128);
        let mut rows = rows.filter(|row| row.weight > 0);
        while let Some(row) = rows.next() {
            let up_to_row = (below + row.weight) as f64;
            if up_to_row >= wanted {
                let upper = if up_to_row == wanted { rows.next() } else { None };
                let upper = upper.map_or(row.units, |next| next.units);
                let around = QuantileSums {
                    weight: i128::from(weight),
                    sum,
                    below: i128::from(below),
                    sum_below,
                };
                let units = (row.units as f64 + upper as f64) / 2.0;
                return Self { units, loss: around.loss(row.units, loss) };
            }
            below += row.weight;
            sum_below += i128::from(row.weight) * i128::from(row.units);
        }
        Self::default()
    }
}

/// Sums over some rows, and over the rows below a pointer.
#[derive(Debug, Clone, Copy, Default)]
pub struct QuantileSums<T> {
    /// Weight of all rows, in units.
    pub weight: T,
    /// Sum of the weights times the numbers of all rows.
    pub sum: T,
    /// Weight of the rows below the pointer.
    pub below: T,
    /// Sum of the weights times the numbers of the rows below the pointer.
    pub sum_below: T,
}

impl<T: Whole> QuantileSums<T> {
    /// The sum of the losses around `at`, the number at the pointer. Whole numbers are multiplied
    /// and subtracted before they are rounded, so that the result depends on the set of rows alone.
    #[inline]
    pub fn loss(&self, at: i64, loss: QuantileLoss) -> f64 {
        let at = T::from(at);
        let above = (self.sum - self.sum_below) - at * (self.weight - self.below);
        let below = at * self.below - self.sum_below;
        loss.scale * (loss.quantile * above.real() + (1.0 - loss.quantile) * below.real())
    }
}

/// A row of the list.
#[derive(Debug, Clone, Copy, Default)]
struct Linked {
    /// Its number and its weight.
    number: WeighedNumber,
    /// The remaining rows before and behind this row, or the end of the list.
    before: u32,
    behind: u32,
}

/// Memory of [`PrefixLosses`], used for one node after the other.
#[derive(Debug, Default)]
pub struct ListBuffers {
    /// The rows by ascending number, and the end of the list, which links the last to the first.
    rows: Vec<Linked>,
}

/// Finds the losses of the prefixes of orders of the same rows, one order after the other.
#[derive(Debug)]
pub struct PrefixLosses<'b, T> {
    list: &'b mut ListBuffers,
    /// All rows, with the pointer at their quantile.
    whole: QuantileSums<T>,
    /// The row at the quantile of all.
    pointer: u32,
    /// Whether all rows weigh 1.
    are_unit_weights: bool,
    loss: QuantileLoss,
}

impl<'b, T: Whole> PrefixLosses<'b, T> {
    /// Take rows that come in ascending order of their numbers, all of positive weight, and find
    /// their quantile. This is done once per set of rows; every order of the set starts from the
    /// full list.
    pub fn new(
        rows: impl Iterator<Item = WeighedNumber>,
        loss: QuantileLoss,
        list: &'b mut ListBuffers,
    ) -> Self {
        list.rows.clear();
        let (mut whole, mut are_unit_weights) = (QuantileSums::default(), true);
        list.rows.extend(rows.map(|number| {
            whole.weight += T::from(number.weight);
            whole.sum += T::from(number.weight) * T::from(number.units);
            are_unit_weights &= number.weight == 1;
            Linked { number, before: 0, behind: 0 }
        }));
        list.rows.push(Linked::default());
        let mut losses = Self { list, whole, pointer: 0, are_unit_weights, loss };
        losses.link();
        losses.move_to_quantile();
        losses
    }

    /// The weight of all rows, in units. A sum of losses divided by it is a mean loss.
    pub fn weight(&self) -> f64 {
        self.whole.weight.real()
    }

    /// The end of the list.
    fn end(&self) -> u32 {
        self.list.rows.len() as u32 - 1
    }

    /// Put all rows into the list.
    fn link(&mut self) {
        let end = self.end();
        for (row, i) in self.list.rows.iter_mut().zip(0_u32..) {
            (row.before, row.behind) = (i.wrapping_sub(1).min(end), i + 1);
        }
        self.list.rows[end as usize].behind = 0;
    }

    /// Move the pointer to the quantile of all rows.
    fn move_to_quantile(&mut self) {
        let (mut sums, mut pointer) = (self.whole, 0);
        self.seek(&mut sums, &mut pointer);
        (self.whole, self.pointer) = (sums, pointer);
    }

    /// Move a pointer until the weight below it is less than the share that belongs there, and the
    /// weight up to and including its row is not.
    #[inline]
    fn seek(&self, sums: &mut QuantileSums<T>, pointer: &mut u32) {
        let end = self.end();
        let wanted = self.loss.quantile * sums.weight.real();
        let mut row = self.list.rows[*pointer as usize];
        while sums.below.real() >= wanted && row.before < end {
            *pointer = row.before;
            row = self.list.rows[*pointer as usize];
            Self::pass(sums, row.number, |sum, part| *sum -= part);
        }
        while (sums.below + T::from(row.number.weight)).real() < wanted && row.behind < end {
            Self::pass(sums, row.number, |sum, part| *sum += part);
            *pointer = row.behind;
            row = self.list.rows[*pointer as usize];
        }
    }

    /// Add the sums of a row to the sums below the pointer, or subtract them.
    #[inline]
    fn pass(sums: &mut QuantileSums<T>, row: WeighedNumber, change: impl Fn(&mut T, T)) {
        let WeighedNumber { weight, units } = row;
        change(&mut sums.below, T::from(weight));
        change(&mut sums.sum_below, T::from(weight) * T::from(units));
    }

    /// The loss of all rows around their quantile, which a split reduces. It is a sum in units of
    /// weight times number, not a mean.
    pub fn whole_loss(&self) -> f64 {
        self.whole.loss(self.units(self.pointer), self.loss)
    }

    /// The number of a row.
    fn units(&self, row: u32) -> i64 {
        self.list.rows[row as usize].number.units
    }

    /// Write the loss of the first `i` rows of an order to `out[i]`, for `i` from 1 to their
    /// number; `out[0]` is 0. `order` has the place of each row among all.
    pub fn prefixes(&mut self, order: impl DoubleEndedIterator<Item = u32>, out: &mut [f64]) {
        self.link();
        let (mut sums, mut pointer) = (self.whole, self.pointer);
        let places = out[1..].iter_mut().rev().zip(order.rev());
        if self.are_unit_weights {
            let mut share = sums.below;
            for (out, row) in places {
                *out = sums.loss(self.units(pointer), self.loss);
                self.leave_out_one(row, &mut sums, &mut pointer, &mut share);
            }
        } else {
            for (out, row) in places {
                *out = sums.loss(self.units(pointer), self.loss);
                self.leave_out(row, &mut sums, &mut pointer);
            }
        }
        out[0] = 0.0;
    }

    /// Take a row out of the list; returns it, with the rows before and behind it.
    #[inline]
    fn unlink(&mut self, row: u32) -> Linked {
        let unlinked = self.list.rows[row as usize];
        self.list.rows[unlinked.before as usize].behind = unlinked.behind;
        self.list.rows[unlinked.behind as usize].before = unlinked.before;
        unlinked
    }

    /// [`Self::leave_out`] where all rows weigh 1; `share` is the number of rows that belong below
    /// the pointer. Which way the pointer moves is as good as random, so all steps are arithmetic.
    /// As a part of the loop of its caller, the function keeps the sums in registers.
    #[inline(always)]
    fn leave_out_one(
        &mut self,
        row: u32,
        sums: &mut QuantileSums<T>,
        pointer: &mut u32,
        share: &mut T,
    ) {
        let Linked { number: WeighedNumber { units, .. }, behind, .. } = self.unlink(row);
        let if_so = |condition: bool, part: T| if condition { part } else { T::default() };
        let one = T::from(1);
        sums.weight -= one;
        sums.sum -= T::from(units);
        let is_below = row < *pointer;
        sums.below -= if_so(is_below, one);
        sums.sum_below -= if_so(is_below, T::from(units));
        let at = if row == *pointer { behind } else { *pointer };
        // One row less lowers the share by at most one row.
        let is_full = share.real() >= self.loss.quantile * sums.weight.real();
        *share -= if_so(is_full, one);
        let Linked { number, before, behind } = self.list.rows[at as usize];
        let (back, on) = (sums.below > *share, sums.below < *share);
        let next = if on { behind } else { at };
        *pointer = if back { before } else { next };
        sums.below = *share;
        sums.sum_below += if_so(on, T::from(number.units));
        sums.sum_below -= if_so(back, T::from(self.units(*pointer)));
    }

    /// Take a row out of the list, and move the pointer to the quantile of the remaining rows.
    #[inline]
    fn leave_out(&mut self, row: u32, sums: &mut QuantileSums<T>, pointer: &mut u32) {
        let end = self.end();
        let Linked { number, before, behind } = self.unlink(row);
        let WeighedNumber { weight, units } = number;
        sums.weight -= T::from(weight);
        sums.sum -= T::from(weight) * T::from(units);
        if row < *pointer {
            Self::pass(sums, number, |sum, part| *sum -= part);
        } else if row == *pointer {
            if behind < end {
                *pointer = behind;
            } else if before < end {
                *pointer = before;
                let number = self.list.rows[before as usize].number;
                Self::pass(sums, number, |sum, part| *sum -= part);
            } else {
                return;
            }
        }
        self.seek(sums, pointer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_between_two_numbers_is_their_midpoint() {
        let row = |weight, units| WeighedNumber { weight, units };
        let loss = QuantileLoss { quantile: 0.5, scale: 2.0 };
        let of = |rows: &[WeighedNumber]| QuantileOf::sorted(rows.iter().copied(), loss);
        assert_eq!(of(&[row(1, 2), row(1, 5)]), QuantileOf { units: 3.5, loss: 3.0 });
        assert_eq!(of(&[row(2, 2), row(1, 5)]).units, 2.0);
        assert_eq!(of(&[row(2, 2), row(1, 5), row(1, 9)]).units, 3.5);
    }
}
