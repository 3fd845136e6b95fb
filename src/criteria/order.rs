//! Criteria on the order of a numeric target: the loss of rows around one of their quantiles.
//!
//! A criterion of this kind declares a [`QuantileLoss`]; growth finds the quantiles of the branches
//! of every candidate, which no sums give ([`crate::split::order`]). Its score is the mean loss of
//! the node less that of the branches, and the distance is `-s`. A single table does not say what
//! it needs, so [`Criterion::score`] refuses. O(rows) per numeric feature.

use super::evidence::{Evidence, QuantileLoss};
use super::{Criterion, Info, Properties};
use crate::error::Result;
use serde::Serialize;
use serde_json::Value;

/// A criterion on the order of a target.
pub trait OnOrder: Send + Sync + std::fmt::Debug + Serialize {
    /// Facts.
    fn info(&self) -> &'static Info;
    /// The loss.
    fn loss(&self) -> QuantileLoss;
    /// Refuse options outside their domain.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

/// A loss around quantiles as a criterion.
#[derive(Debug)]
pub struct OrderCriterion<M>(pub M);

impl<M: OnOrder> Properties for OrderCriterion<M> {
    fn info(&self) -> &'static Info {
        self.0.info()
    }
    fn evidence(&self) -> Evidence<'_> {
        Evidence::Order(self.0.loss())
    }
}

impl<M: OnOrder> Criterion for OrderCriterion<M> {
    fn options(&self) -> Value {
        serde_json::to_value(&self.0).unwrap_or(Value::Null)
    }
    fn row_loss(&self, y: f64, value: f64) -> f64 {
        let QuantileLoss { quantile, scale } = self.0.loss();
        let share = if y > value { quantile } else { 1.0 - quantile };
        scale * share * (y - value).abs()
    }
}
