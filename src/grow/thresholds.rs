//! Where a cut between two neighbouring values of a node lies ([`Thresholds`]).
//!
//! It lies at the midpoint, on the lower value, or where J48 of Weka 3.6 puts it. J48 takes numbers
//! that differ by less than 1e-6 as equal. It goes through the training rows in their order and
//! keeps a value when it is above the value that it kept last and not above the midpoint; the value
//! that is kept last is the threshold. So of training values within 1e-6 of each other the order of
//! the rows picks one. A row goes left when its value exceeds the threshold by less than 1e-6
//! ([`reach`]).
//!
//! O(log rows); where values lie within 1e-6 of each other, O(r log r) for the r rows of that chain
//! of values.
//!
//! Forms of rows with numbers call this for the split that is made. Trees on bins do not, as the
//! edges of bins are thresholds already.

use super::options::{GrowthSetting, Thresholds};
use crate::criteria::c45::EQUAL;
use crate::data::{Dataset, NumericColumn, entry_row};
use crate::numeric::{midpoint, reach, sort_few};
use crate::tree::Threshold;

impl GrowthSetting<'_> {
    /// The threshold between two neighbouring values of a node.
    ///
    /// It lies below the upper value, and not below `left`, the largest value that has to go left:
    /// as a rule the lower value. It is never `-0.0`, as whether 0 or -0 comes first depends on the
    /// order of the rows. `column` is the column of the values in `data`.
    pub(crate) fn threshold(
        &self,
        data: &Dataset,
        column: &NumericColumn,
        [lower, upper]: [f64; 2],
        left: f64,
    ) -> Threshold {
        let at = match self.thresholds {
            // The test of known against missing values has only one value.
            _ if lower == upper => return (lower + 0.0).into(),
            Thresholds::Midpoint => return (midpoint(lower, upper) + 0.0).into(),
            Thresholds::Value => return (lower + 0.0).into(),
            Thresholds::TrainingValue => self.training_value(data, column, lower, upper) + 0.0,
        };
        let below_upper =
            |at: f64| Threshold { at, reach: reach(at, EQUAL).min(upper.next_down()) };
        let threshold = below_upper(at);
        if threshold.reach < left { below_upper(lower + 0.0) } else { threshold }
    }

    /// The training value that J48 would take.
    fn training_value(
        &self,
        data: &Dataset,
        column: &NumericColumn,
        lower: f64,
        upper: f64,
    ) -> f64 {
        let (order, middle) = (column.order(), midpoint(lower, upper));
        let value = |entry: u32| column.value(entry_row(entry));
        // The largest training value that J48 finds not above the midpoint.
        let n_below = order.partition_point(|&entry| {
            let value = value(entry);
            value < upper && (value <= middle || value - middle < EQUAL)
        });
        let is_training = |&entry: &u32| {
            self.training_bits.as_ref().is_none_or(|bits| bits.get(entry_row(entry)) == 1)
        };
        let training = || order[..n_below].iter().rev().copied().filter(is_training);
        let Some(last) = training().next().map(value) else { return lower };
        // As a rule the values just below it are equal or far away: it is the threshold.
        let n_less = order.partition_point(|&entry| value(entry) < last);
        if n_less == 0 || last - value(order[n_less - 1]) > EQUAL {
            return last;
        }
        // Else gather the chain of close values from above, deeper and deeper, until J48 must have
        // kept the first of their rows: all values left out are more than 1e-6 below it.
        let (mut chain, mut lowest, mut depth) = (Vec::new(), last, 4.0 * EQUAL);
        let mut rows = training().peekable();
        loop {
            while let Some(entry) =
                rows.next_if(|&e| lowest - value(e) <= EQUAL && last - value(e) <= depth)
            {
                lowest = value(entry);
                chain.push((data.original()[entry_row(entry) as usize], lowest));
            }
            let ends = rows.peek().is_none_or(|&entry| lowest - value(entry) > EQUAL);
            let first = chain.iter().min_by_key(|(row, _)| *row).map_or(last, |&(_, value)| value);
            if ends || depth - (last - first) > 2.0 * EQUAL {
                break;
            }
            depth *= 4.0;
        }
        // Go through the chain as J48 does, in the order of the rows.
        sort_few(&mut chain, &|(row, _), (other, _)| row.cmp(other));
        let mut kept = f64::NEG_INFINITY;
        for (_, value) in chain {
            if value - kept > EQUAL {
                kept = value;
            }
        }
        kept
    }
}
