//! Pair counts at the roots of all training sets of a cross-validation, from one count.
//!
//! If the test sets of some folds partition the rows and each fold trains on the rest, the pairs of
//! rows are counted once by pair of test sets. The counts of a training set are the sum over the
//! pairs of test sets that do not contain its fold's (exact, because counts are whole numbers).
//! This costs as much as two to three counts of all pairs (fewer with more rows) instead of one
//! count per fold, and memory for one table per pair of folds.
//!
//! They are not used for numeric columns, whose bins depend on the fold, nor for fractional
//! weights.

use crate::data::{Column, Dataset, RowSet, Weights};
use crate::error::Result;
use crate::grow::KnownPairs;
use crate::parallel::Control;
use crate::simd::Kernels;
use crate::stats::pairs::{Classes, NominalColumns, pair_counts_by_block, plan};
use std::sync::Arc;

/// A fold of a cross-validation, by row numbers of the caller.
#[derive(Debug, Clone)]
pub struct Fold {
    /// Training rows.
    pub train: Vec<u32>,
    /// Test rows.
    pub test: Vec<u32>,
}

/// The pair counts at each fold's root; none where growth has to count them itself.
pub(super) fn roots(
    data: &Dataset,
    weights: &Weights,
    folds: &[Fold],
    control: &Control,
) -> Result<Vec<Option<Arc<KnownPairs>>>> {
    let mut known = vec![None; folds.len()];
    // Whole weights and nominal columns only, and enough rows that sharing pays.
    let copies = match weights {
        Weights::Unit => None,
        Weights::Integer(w) => Some(w.as_slice()),
        Weights::Fixed { .. } => return Ok(known),
    };
    if !plan::folds_share(data.len()) || data.columns().is_empty() {
        return Ok(known);
    }
    let mut n_values = 0;
    for column in data.columns() {
        let Column::Nominal(c) = column else { return Ok(known) };
        n_values += c.levels() + 1; // and the missing value
    }
    let classes = Classes::cheapest(data.n_classes());
    let cells = n_values * classes.count(data.n_classes()) * 4 * (data.columns().len() + 1);
    let mut columns = None;
    let mut first = 0;
    while first < folds.len() {
        let Some(Partition { folds: group, fold_of_row }) = partition(&folds[first..], data) else {
            first += 1;
            continue;
        };
        // Memory: counts of each pair of folds, of all pairs and of each thread; rows and
        // schedules.
        let tables = 8 * cells * (group * (group + 1) / 2 + 2 + control.threads());
        let rows = data.len() * (11 * data.columns().len() + 40);
        let bytes = 2 * (tables + rows);
        if group > 2 && plan::folds_fit(group, cells) && bytes <= control.budget().left() {
            if columns.is_none() {
                columns = Some(NominalColumns::new(control.budget(), data, None)?);
            }
            if let Some(columns) = &columns {
                let codes = columns.codes(data, copies)?;
                let control = &control.holding(columns.held());
                let counts = pair_counts_by_block(
                    control,
                    Kernels::active(),
                    &codes,
                    &fold_of_row,
                    group,
                    classes,
                )?;
                for f in 0..group {
                    known[first + f] = Some(Arc::new(KnownPairs::from_counts(&counts.without(f)?)));
                }
            }
        }
        first += group;
    }
    Ok(known)
}

/// Folds whose test sets partition the rows.
struct Partition {
    /// Number of folds.
    folds: usize,
    /// The fold that tests each internal row.
    fold_of_row: Vec<u16>,
}

/// The first folds of a list whose test sets partition the rows, if each trains on the rest.
fn partition(folds: &[Fold], data: &Dataset) -> Option<Partition> {
    const NONE: u16 = u16::MAX;
    let (n_rows, internal) = (data.len(), data.internal());
    let mut fold_of_row = vec![NONE; n_rows];
    // Test sets, fold by fold, until every row is in one; a row in two of them ends it.
    let (mut n_placed, mut group) = (0, 0);
    while n_placed < n_rows {
        let fold = folds.get(group).filter(|_| group < usize::from(NONE))?;
        if fold.test.is_empty() || fold.train.len() + fold.test.len() != n_rows {
            return None;
        }
        for &row in &fold.test {
            let place = fold_of_row.get_mut(*internal.get(row as usize)? as usize)?;
            if *place != NONE {
                return None;
            }
            *place = group as u16;
        }
        n_placed += fold.test.len();
        group += 1;
    }
    // A training set has distinct rows, and no row that its fold tests.
    for (f, fold) in folds[..group].iter().enumerate() {
        let train: Option<Vec<u32>> =
            fold.train.iter().map(|&r| internal.get(r as usize).copied()).collect();
        let mut seen = RowSet::new(train?, n_rows).bits(n_rows);
        if seen.ones().count() != fold.train.len() {
            return None;
        }
        for (row, &tested_by) in fold_of_row.iter().enumerate() {
            if usize::from(tested_by) == f {
                if seen.get(row as u32) == 1 {
                    return None;
                }
                seen.set(row as u32);
            }
        }
    }
    Some(Partition { folds: group, fold_of_row })
}
