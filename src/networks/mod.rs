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
//!
//! The modules by group:
//!
//! * the data: `variables`, `missing` (rows in fractions), `tables` (counts for probabilities);
//! * message lengths: `prior` and `cost`, with `cache`, `subsets` (costs from the counts of sets)
//!   and `log_factorial`;
//! * the search: `search` runs `chains` of moves of a `state`, or walks over `orders`; `visits` and
//!   `groups` sum up the models that were met;
//! * the exact posterior: `exact`; `weights` has the sums that it shares with `orders`;
//! * tools: `rng`, and `words` (hash maps).

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
pub use exact::{
    ExactPosterior, MOST_VARIABLES as MOST_EXACT_VARIABLES, exact_posterior, posterior_memory,
};
pub use groups::GroupedModel;
pub use log_factorial::LogFactorials;
pub use prior::{Prior, PriorConfig};
pub use search::{FoundModel, SearchConfig, SearchResult, search};
pub use subsets::SubsetSums;
pub use tables::table_counts;
pub use variables::{MOST_VARIABLES, MissingCells, VarSet, Variables, set_members};
