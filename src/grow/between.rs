//! Where a cut between two neighbouring values of a node lies ([`Thresholds`]).
//!
//! Midway, on the lower value, or where J48 of Weka 3.6 puts it: J48 holds two numbers equal that
//! differ by less than 1e-6, and its threshold is the value that is left when the training rows, in
//! their order, are gone through for values above the last one kept that are not above the
//! midpoint. So of training values within 1e-6 of each other the order of the rows picks one. A row
//! then goes left when its value exceeds the threshold by less than 1e-6 ([`reach`]).
//!
//! O(log rows); where values lie within 1e-6 of each other, O(r log r) for the r rows that are some
//! 1e-6 below the midpoint (all rows of the chain of values where these are sorted).
//!
//! When not to use it: below the root of a tree on bins, whose edges are thresholds already.

use super::options::{GrowthSetting, Thresholds};
use crate::criteria::c45::EQUAL;
use crate::data::{Dataset, NumericColumn, entry_row};
use crate::numeric::{midpoint, reach};
use crate::tree::Threshold;

impl GrowthSetting<'_> {
    /// The threshold between two neighbouring values of a node (never `-0.0`, which depends on the
    /// order of the rows). It lies below the upper one, and not below `left`, the largest value of
    /// the node that has to be on the first branch.
    pub(crate) fn threshold(
        &self,
        data: &Dataset,
        column: &NumericColumn,
        (lo, hi): (f64, f64),
        left: f64,
    ) -> Threshold {
        let at = match self.thresholds {
            Thresholds::Midpoint => return (midpoint(lo, hi) + 0.0).into(),
            Thresholds::Value => return (lo + 0.0).into(),
            Thresholds::TrainingValue => self.training_value(data, column, lo, hi) + 0.0,
        };
        let within = |at: f64| Threshold { at, reach: reach(at, EQUAL).min(hi.next_down()) };
        let t = within(at);
        if t.reach < left { within(lo + 0.0) } else { t }
    }

    /// The training value that J48 would take.
    fn training_value(&self, data: &Dataset, column: &NumericColumn, lo: f64, hi: f64) -> f64 {
        let (order, middle) = (column.order(), midpoint(lo, hi));
        let value = |e: u32| column.value(entry_row(e));
        let below = order.partition_point(|&e| {
            let v = value(e);
            v < hi && (v <= middle || v - middle < EQUAL)
        });
        let is_training =
            |e: &u32| self.training.as_ref().is_none_or(|t| t.get(entry_row(*e)) == 1);
        let training = || order[..below].iter().rev().copied().filter(is_training);
        let Some(last) = training().next().map(value) else { return lo };
        // Equal values only, as a rule.
        let equal = order.partition_point(|&e| value(e) < last);
        if equal == 0 || last - value(order[equal - 1]) > EQUAL {
            return last;
        }
        // From above until it is certain that the first of these rows was kept: all values left out
        // are more than 1e-6 below it.
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
        chain.sort_unstable_by_key(|&(row, _)| row);
        chain
            .iter()
            .fold(f64::NEG_INFINITY, |kept, &(_, v)| if v - kept > EQUAL { v } else { kept })
    }
}
