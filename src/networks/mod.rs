//! Bayesian networks by minimum message length: CaMML (Wallace & Korb 1999; Korb & Nicholson), and
//! the exact posterior that judges its sampler.
//!
//! A model is a totally ordered set of variables (the columns and, last, the class) with arcs from
//! earlier to later ones; each variable has a full table of its values given its parents. Its cost
//! in nits is that of the arcs ([`Prior`]) and of the tables with the data ([`table_cost`]), both
//! modular: a sum over variables of a term of the variable and its parents. Everything is a sum of
//! exact counts, so neither the order of the rows nor the number of threads changes a result.
//!
//! [`search`] samples models, [`exact_posterior`] sums over all models of up to 20 variables. Not
//! for numbers: they are binned before; and not for columns with thousands of levels, whose tables
//! cost more than they tell.

mod cache;
mod chains;
mod cost;
mod dice;
mod exact;
mod groups;
mod log_factorial;
mod missing;
mod orders;
mod prior;
mod search;
mod state;
mod subsets;
mod tables;
mod variables;
mod visits;
mod weights;
mod words;

pub use cache::{CostCache, LARGEST_CACHE};
pub use cost::{Groups, PER_PARAMETER, likelihood, table_cost};
pub use exact::{ExactPosterior, LARGEST as LARGEST_EXACT, exact_posterior, memory};
pub use groups::GroupedModel;
pub use log_factorial::LogFactorials;
pub use prior::{Prior, PriorConfig};
pub use search::{FoundModel, SearchConfig, SearchResult, search};
pub use subsets::SubsetSums;
pub use tables::counts;
pub use variables::{LARGEST, MissingCells, Set, Variables, members};
