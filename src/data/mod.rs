//! What a training set is: columns encoded once, classes, weights, schema, sets of rows.
//!
//! Rows get *internal* numbers in which they are sorted by class (stable in the original order):
//! with two classes the class of a row is one comparison, and every pass over pairs of classes is a
//! range. Nothing above this room sees original numbers; nothing below it sees values, except to
//! name a threshold. A numeric column keeps its values and, on first use, its sorted order; a
//! nominal column is codes.

mod bins;
mod column;
mod dataset;
mod draw;
mod entries;
pub mod genotypes;
mod planes;
mod rows;
mod schema;
mod weights;

pub use bins::Bins;
pub use column::{Codes, Column, MISSING, NominalColumn, NumericColumn};
pub use dataset::{Dataset, DatasetBuilder};
pub use draw::Draw;
pub use entries::{entry_row, entry_tied, pack_entry};
pub use planes::{PlaneGroup, Planes};
pub use rows::{Bits, RowSet, ones};
pub use schema::{Feature, Kind, Label, Schema};
pub use weights::Weights;
