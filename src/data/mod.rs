//! A training set: columns, which are encoded once, with classes, weights, schema and sets of rows.
//!
//! Rows get *internal* numbers, by which they are sorted by class (stably in the original order),
//! so that the rows of a class are a range and the class of a row is a few comparisons. Growth
//! works on internal numbers alone; [`Dataset::original`] translates them back for results. A
//! numeric column ([`NumericColumn`]) has its values, or reads them where the caller keeps them
//! ([`RowSource`]), and its sorted order; a nominal column ([`NominalColumn`]) has codes. Genotypes
//! have a form of their own ([`genotypes`]).
//!
//! A numeric [`Target`] has one class, within which the rows are sorted by their numbers.
//!
//! The modules by group:
//!
//! * the whole: `dataset`, which `dataset_builder` makes of what `source` reads, and `schema`;
//! * columns: `column` (codes), `numeric_column`, with its order (`entries`, `sorted_entries`),
//!   `bins`, `planes` (codes as bits) and [`genotypes`];
//! * rows: `rows` (sets), `drawn_rows` (bootstrap samples) and `weights`;
//! * the `target`.

mod bins;
mod column;
mod dataset;
mod dataset_builder;
mod drawn_rows;
mod entries;
pub mod genotypes;
mod numeric_column;
mod planes;
mod rows;
mod schema;
mod sorted_entries;
mod source;
mod target;
mod weights;

pub use bins::Bins;
pub use column::{Codes, Column, MISSING, NominalColumn};
pub use dataset::Dataset;
pub use dataset_builder::DatasetBuilder;
pub use drawn_rows::DrawnRows;
pub use entries::{entry_row, entry_tied, pack_entry};
pub use numeric_column::NumericColumn;
pub use planes::{PlaneGroup, Planes};
pub use rows::{Bits, RowSet, ones};
pub use schema::{Feature, Kind, Label, Schema};
pub use sorted_entries::sorted_entries;
pub use source::{Lender, RowChoice, RowSource};
pub use target::{Target, TargetGrid};
pub use weights::Weights;
