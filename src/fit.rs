//! Validates the user's parameters and builds a fit plan; the plan fits models.
//!
//! [`Config`] holds the parameters as parsed (names, strings, `None`), [`FitPlan`] what they mean
//! (objects whose options are inside their domains). The steps of a fit are files: parameters are
//! checked (`validate`), the form in which growth reads the rows is chosen ([`route`]), the data
//! set is prepared (`prepare`) or the caller's cells become records of codes (`records`), a tree
//! grows (`grow`) and is pruned (`prune`); a forest does that on samples (`forest`), rows in
//! batches come as records (`batches`).
mod batches;
mod config;
mod counted;
mod forest;
mod grow;
mod plan;
mod prepare;
mod prune;
mod records;
pub mod route;
mod shared;
mod validate;

pub use batches::CodeFacts;
pub use config::{Config, Missing, ThresholdSearch};
pub use forest::{GrownForest, Request};
pub use grow::Fitted;
pub use plan::FitPlan;
pub use records::{CallerRows, FitRows, RecordRows};
pub use shared::Common;
