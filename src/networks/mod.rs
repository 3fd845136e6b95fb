//! Bayesian networks by minimum message length (CaMML: Wallace & Korb 1999; Korb & Nicholson 2011).
//!
//! A model is a total order of the variables (the columns and, last, the class) with arcs from
//! earlier to later ones; each variable has a full table of its values given its parents. The
//! message length of a model in nits has two parts: one states its arcs ([`Prior`]), the other its
//! tables and the data ([`table_cost`]). Both are sums over the variables, with a term for each
//! variable and its parents. Counts are exact, so neither the order of the rows nor the number of
//! threads changes a result.
//!
//! [`search`] samples models by Metropolis chains; [`exact_posterior`] sums over all models of up
//! to 20 variables, which is how the sampler is tested. Columns of numbers must be binned first,
//! and columns with thousands of levels are of no use: their tables cost more than they save.

mod cache;
mod chains;
mod cost;
mod exact;
mod groups;
mod log_factorial;
mod missing;
mod orders;
mod prior;
mod rng;
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
