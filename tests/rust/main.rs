//! All integration tests of the core, one binary.

mod discretize;
mod global;
mod prune;

mod criteria_facts;
mod criteria_laws;
mod criteria_tables;
