//! From the user's parameters and rows to a fitted [model](crate::model).
//!
//! [`Config`] holds the parameters as parsed, [`FitPlan`] after validation. Each step of a fit is a
//! file that adds methods to the plan:
//!
//! 1. `validate`: combinations of parameters that are not supported are refused.
//! 2. `counted`: sample weights and class weights become rows and weights.
//! 3. `prepare`: missing values are imputed, numeric columns binned.
//! 4. [`route`]: the form in which growth reads the rows is chosen.
//! 5. `records`: for routes on codes, rows become records of codes.
//! 6. `grow`: the tree grows. For a numeric target `renew` grows nodes of a much smaller range
//!    again, and `outcomes` computes what nodes predict. `prune` prunes the tree. `honest` counts
//!    other rows in its leaves, if some were held out for them.
//!
//! Before a data set is encoded, `records` ([`FitPlan::read`]) asks for the route, too: rows that a
//! route on codes serves need no encoding, and steps 2 and 3 are skipped. Estimators enter by
//! [`crate::resample::alpha::fit`], which fits once, or several times where it chooses the
//! complexity penalty.
//!
//! `forest` does this for many samples, `batches` for rows that are kept as codes only, `shared`
//! for several plans on the same rows. `node` makes the plan that scores nodes of a fitted tree.

mod batches;
mod config;
mod counted;
mod forest;
mod grow;
mod honest;
mod node;
mod outcomes;
mod plan;
mod prepare;
mod prune;
mod records;
mod renew;
pub mod route;
mod shared;
mod validate;

pub use batches::{CodeFacts, NumberFacts};
pub use config::{Config, Missing, ThresholdSearch};
pub use forest::{GrownForest, Request};
pub use grow::Fitted;
pub use node::NodePlan;
pub use plan::FitPlan;
pub use prepare::as_grown;
pub use records::{CallerRows, FitRows, RecordRows};
pub use shared::Common;
