//! All integration tests of the core, one binary.

mod architecture;
mod bayes;
mod discretize;
mod exact;
mod forest;
mod global;
mod growth;
mod neighbours;
mod pairs;
mod prune;
mod store;
mod subsets;

mod criteria_facts;
mod criteria_laws;
mod criteria_tables;
