//! Where a cut between two neighbouring values of a node lies ([`Thresholds`]).
//!
//! At the midpoint, on the lower value, or where J48 of Weka 3.6 puts it. J48 takes numbers that
//! differ by less than 1e-6 as equal. It goes through the training rows in their order and keeps a
//! value when it is above the last one kept and not above the midpoint; the last one kept is the
//! threshold. So of training values within 1e-6 of each other the order of the rows picks one. A
//! row goes left when its value exceeds the threshold by less than 1e-6 ([`reach`]).
//!
//! O(log rows); where values lie within 1e-6 of each other, O(r log r) for the r rows of that chain
//! of values.
//!
//! Forms of rows with numbers call it for the split that is made. Trees on bins do not, as the
//! edges of bins are thresholds already.

use super::options::{GrowthSetting, Thresholds};
use crate::criteria::c45::EQUAL;
use crate::data::{Dataset, NumericColumn, entry_row};
use crate::numeric::{midpoint, reach, sort_few};
use crate::tree::Threshold;

impl GrowthSetting<'_> {
    /// The threshold between two neighbouring values of a node (never `-0.0`, which depends on the
    /// order of the rows). It lies below the upper one and not below `left`, the largest value that
    /// has to go left.
    pub(crate) fn threshold(
        &self,
        data: &Dataset,
        column: &NumericColumn,
        [lower, upper]: [f64; 2],
        left: f64,
    ) -> Threshold {
        let at = match self.thresholds {
            // The one value of a test of known against missing.
            _ if lower == upper => return (lower + 0.0).into(),
            Thresholds::Midpoint => return (midpoint(lower, upper) + 0.0).into(),
            Thresholds::Value => return (lower + 0.0).into(),
            Thresholds::TrainingValue => self.training_value(data, column, lower, upper) + 0.0,
        };
        let within = |at: f64| Threshold { at, reach: reach(at, EQUAL).min(upper.next_down()) };
        let threshold = within(at);
        if threshold.reach < left { within(lower + 0.0) } else { threshold }
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
        let value = |e: u32| column.value(entry_row(e));
        // The largest training value that J48 finds not above the midpoint.
        let below = order.partition_point(|&e| {
            let v = value(e);
            v < upper && (v <= middle || v - middle < EQUAL)
        });
        let is_training =
            |e: &u32| self.training.as_ref().is_none_or(|t| t.get(entry_row(*e)) == 1);
        let training = || order[..below].iter().rev().copied().filter(is_training);
        let Some(last) = training().next().map(value) else { return lower };
        // As a rule the values just below it are equal or far away: it is the threshold.
        let equal = order.partition_point(|&e| value(e) < last);
        if equal == 0 || last - value(order[equal - 1]) > EQUAL {
            return last;
        }
        // Else gather the chain of close values from above, deeper and deeper, until J48 must have
        // kept the first of their rows: all values left out are more than 1e-6 below it.
        let (mut chain, mut lowest, mut depth) = (Vec::new(), last, 4.0 * EQUAL);
        let mut rows = training().peekable();
        loop {
            while let Some(e) =
                rows.next_if(|&e| lowest - value(e) <= EQUAL && last - value(e) <= depth)
            {
                lowest = value(e);
                chain.push((data.original()[entry_row(e) as usize], lowest));
            }
            let ends = rows.peek().is_none_or(|&e| lowest - value(e) > EQUAL);
            let first = chain.iter().min_by_key(|c| c.0).map_or(last, |c| c.1);
            if ends || depth - (last - first) > 2.0 * EQUAL {
                break;
            }
            depth *= 4.0;
        }
        // Go through the chain as J48 does, in the order of the rows.
        sort_few(&mut chain, &|a, b| a.0.cmp(&b.0));
        chain
            .iter()
            .fold(f64::NEG_INFINITY, |kept, &(_, v)| if v - kept > EQUAL { v } else { kept })
    }
}
