//! Counts of the full table of a variable: every configuration of its parents by every value. They
//! become tables of conditional probabilities after a search. Costs of tables need no such counts
//! ([`super::cost`]).

use super::variables::{VarSet, Variables, set_members};
use crate::error::{Error, Result};

/// Largest number of cells of a table (1 GiB).
const MOST_CELLS: f64 = 134_217_728.0;

/// Weight of each (configuration of `parents`, value of `child`), flat, in that order; the value of
/// the first parent varies slowest.
///
/// # Errors
/// [`Error::Data`] for more than 2^27 cells.
pub fn table_counts(variables: &Variables, child: usize, parents: VarSet) -> Result<Vec<f64>> {
    let v = variables.arities[child];
    let configurations = variables.configurations(parents);
    let cells = configurations * v as f64;
    if cells > MOST_CELLS {
        return Err(Error::Data(format!(
            "the table of '{}' given {} parents would have {cells:.0} cells, at most \
             {MOST_CELLS} are supported: use fewer parents, or fewer bins or levels",
            variables.names[child],
            parents.count_ones()
        )));
    }
    let mut found = vec![0.0; cells as usize];
    let columns: Vec<(&[u32], usize)> =
        set_members(parents).map(|i| (&variables.codes[i][..], variables.arities[i])).collect();
    for (row, &weight) in variables.weights.iter().enumerate() {
        let place = columns.iter().fold(0, |at, (codes, arity)| at * arity + codes[row] as usize);
        found[place * v + variables.codes[child][row] as usize] += weight;
    }
    Ok(found)
}
