//! The roots of all training sets of a cross-validation, for the price of two to three passes (the
//! fewer, the more rows) instead of one a fold.
//!
//! Where the test sets of some folds divide the rows among them and each trains on the rest, the
//! pairs are counted once by pair of test sets; what a training set holds is the sum of those that
//! do not touch its fold (exact, because counts are whole numbers). Only for data that growth takes
//! as they are: bins of numbers depend on the fold. Memory: a table of counts for each pair of
//! folds.

use crate::data::{Column, Dataset, RowSet, Weights};
use crate::error::Result;
use crate::grow::KnownPairs;
use crate::parallel::Control;
use crate::stats::pairs::{Classes, NominalColumns, pair_counts_by_block, plan};
use std::sync::Arc;

/// Original rows to learn from and to predict.
#[derive(Debug, Clone)]
pub struct Fold {
    /// Training rows.
    pub train: Vec<u32>,
    /// Test rows.
    pub test: Vec<u32>,
}

/// What is known of each fold's root; nothing where it must be counted by itself.
pub(super) fn roots(
    data: &Dataset,
    weights: &Weights,
    folds: &[Fold],
    control: &Control,
) -> Result<Vec<Option<Arc<KnownPairs>>>> {
    let mut known = vec![None; folds.len()];
    let whole = match weights {
        Weights::Unit => None,
        Weights::Integer(w) => Some(w.as_slice()),
        Weights::Fixed { .. } => return Ok(known),
    };
    if !plan::folds_share(data.len()) || data.columns().is_empty() {
        return Ok(known);
    }
    let mut slots = 0;
    for column in data.columns() {
        let Column::Nominal(c) = column else { return Ok(known) };
        slots += c.levels() + 1;
    }
    let classes = Classes::cheapest(data.n_classes());
    let cells = slots * classes.kept(data.n_classes()) * 4 * (data.columns().len() + 1);
    let mut columns = None;
    let mut first = 0;
    while first < folds.len() {
        let Some((group, block)) = divided(&folds[first..], data) else {
            first += 1;
            continue;
        };
        // counts of each pair of folds, of all and of each thread; the rows and their schedules
        let tables = 8 * cells * (group * (group + 1) / 2 + 2 + control.threads());
        let rows = data.len() * (11 * data.columns().len() + 40);
        let bytes = 2 * (tables + rows);
        if group > 2 && plan::folds_fit(group, cells) && bytes <= control.budget().left() {
            if columns.is_none() {
                columns = Some(NominalColumns::new(control.budget(), data, None)?);
            }
            if let Some(columns) = &columns {
                let codes = columns.codes(data, whole)?;
                let control = &control.holding(columns.held());
                let counts = pair_counts_by_block(control, &codes, &block, group, classes)?;
                for f in 0..group {
                    known[first + f] = Some(Arc::new(KnownPairs::of_counts(&counts.without(f)?)));
                }
            }
        }
        first += group;
    }
    Ok(known)
}

/// How many of the folds divide the rows among their test sets, each training on the rest; and the
/// test set of each internal row.
fn divided(folds: &[Fold], data: &Dataset) -> Option<(usize, Vec<u16>)> {
    const NONE: u16 = u16::MAX;
    let (n, internal) = (data.len(), data.internal());
    let mut block = vec![NONE; n];
    let mut placed = 0;
    let mut group = 0;
    while placed < n {
        let fold = folds.get(group).filter(|_| group < usize::from(NONE))?;
        if fold.test.is_empty() || fold.train.len() + fold.test.len() != n {
            return None;
        }
        for &row in &fold.test {
            let place = block.get_mut(*internal.get(row as usize)? as usize)?;
            if *place != NONE {
                return None;
            }
            *place = group as u16;
        }
        placed += fold.test.len();
        group += 1;
    }
    for (f, fold) in folds[..group].iter().enumerate() {
        let train: Option<Vec<u32>> =
            fold.train.iter().map(|&r| internal.get(r as usize).copied()).collect();
        let mut seen = RowSet::of(train?, n).bits(n);
        if seen.ones().count() != fold.train.len() {
            return None;
        }
        for (row, &b) in block.iter().enumerate() {
            if usize::from(b) == f {
                if seen.get(row as u32) == 1 {
                    return None;
                }
                seen.set(row as u32);
            }
        }
    }
    Some((group, block))
}
