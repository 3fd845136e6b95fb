//! All integration tests of the core, one binary.

mod discretize;

mod criteria_facts;
mod criteria_laws;
mod criteria_tables;
