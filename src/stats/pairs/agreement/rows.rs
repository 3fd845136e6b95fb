//! Rows prepared for group-by counts: columns of codes, identical rows merged where that pays, and
//! packed columns.
//!
//! A *pack* is one byte per row that encodes several adjacent features of few values (mixed radix).
//! One increment of a table then counts all of them, and the tables of the single features are its
//! margins. Built once for all sets: O(t n) for t rows of n features; packs of features with five
//! values take `t (n / 3 + n / 2)` bytes.

use super::super::input::{CodeCells, CodeTable, CodeValues, DistinctRows};
use crate::error::Result;
use crate::parallel::{self, Control};
use std::borrow::Cow;
use std::ops::Range;

/// Adjacent features in one code per row.
pub(super) struct Pack {
    pub features: Range<usize>,
    pub codes: Vec<u8>,
    /// Number of codes: the product of the numbers of values.
    pub arity: usize,
}

/// Most codes of a large pack, all that a byte holds, and of a small one, whose tables remain small
/// with many groups.
const PACK_CODES: [usize; 2] = [256, 32];

/// The rows of a [`CodeTable`] without rows of weight 0.
pub(super) struct RowTable<'a> {
    pub columns: Vec<CodeCells<'a>>,
    /// Number of values of each column.
    pub levels: Vec<usize>,
    /// First slot (feature, value) of each feature, followed by the number of slots.
    pub offsets: Vec<usize>,
    pub classes: Cow<'a, [u16]>,
    pub n_classes: usize,
    /// Copies of each row; `None` if every row counts once.
    pub weights: Option<Vec<u32>>,
    /// Weight of the rows of each slot.
    pub of_slot: Vec<u64>,
    /// Ordered pairs of each slot's rows with their own copies: the sum of the squared weights.
    pub squares: Vec<u64>,
    /// Large packs, then small ones ([`PACK_CODES`]).
    pub packs: [Vec<Pack>; 2],
}

impl<'a> RowTable<'a> {
    /// Prepare the rows of a table. Identical rows are merged where fewer than four fifths remain.
    /// The packs and the sums that all sets share are made here, once.
    pub fn new(control: &Control, codes: &CodeTable<'a>) -> Result<Self> {
        let columns: Vec<CodeCells<'a>> = codes
            .columns()
            .iter()
            .map(|c| match c.values {
                CodeValues::U8(v) => CodeCells::U8(Cow::Borrowed(v)),
                CodeValues::U16(v) => CodeCells::U16(Cow::Borrowed(v)),
            })
            .collect();
        let levels: Vec<usize> = codes.columns().iter().map(|c| c.levels).collect();
        let weights = codes.weights().map(<[u32]>::to_vec).filter(|w| w.iter().any(|&w| w != 1));
        let offsets: Vec<usize> = codes.offsets().into_iter().map(|o| o as usize).collect();
        let mut table = Self {
            columns,
            levels,
            offsets,
            classes: Cow::Borrowed(codes.classes()),
            n_classes: codes.n_classes(),
            weights,
            of_slot: Vec::new(),
            squares: Vec::new(),
            packs: [Vec::new(), Vec::new()],
        };
        // Fewer rows: no rows of weight 0, and distinct rows only.
        let positive = codes.positive_rows(None);
        let distinct = DistinctRows::among(codes, positive.as_deref())?;
        if distinct.rows.len() < codes.n_rows() {
            let row = |&i: &u32| positive.as_ref().map_or(i, |rows| rows[i as usize]);
            let rows: Vec<u32> = distinct.rows.iter().map(row).collect();
            table.columns.iter_mut().for_each(|column| *column = column.select(&rows));
            table.classes = rows.iter().map(|&r| table.classes[r as usize]).collect();
            table.weights = Some(distinct.weights);
        }
        // What all sets share.
        table.of_slot = vec![0; table.offsets[table.columns.len()]];
        table.squares = table.of_slot.clone();
        for k in 0..table.columns.len() {
            let values = table.columns[k].values();
            let first = table.offsets[k];
            for i in 0..table.len() {
                let (slot, weight) = (first + values.code(i), u64::from(table.weight(i)));
                table.of_slot[slot] += weight;
                table.squares[slot] += weight * weight;
            }
            control.check()?;
        }
        let [large, small] = PACK_CODES;
        table.packs = [table.packed(control, large)?, table.packed(control, small)?];
        Ok(table)
    }

    /// Number of rows that are left: rows of weight 0 are dropped, and identical rows are merged
    /// where that pays. All columns and packs have as many codes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Copies of a row, at least 1. A merged row stands for the copies of all rows that were merged
    /// into it.
    #[inline]
    pub fn weight(&self, row: usize) -> u32 {
        self.weights.as_ref().map_or(1, |w| w[row])
    }

    /// Packs of up to `most` codes, of two or more features each.
    fn packed(&self, control: &Control, most: usize) -> Result<Vec<Pack>> {
        // Add features to the last pack as long as its codes suffice.
        let mut packs: Vec<Pack> = Vec::new();
        for (k, &levels) in self.levels.iter().enumerate() {
            match packs.last_mut() {
                Some(pack) if pack.arity * levels <= most => {
                    pack.features.end = k + 1;
                    pack.arity *= levels;
                }
                _ => packs.push(Pack { features: k..k + 1, codes: Vec::new(), arity: levels }),
            }
        }
        packs.retain(|pack| pack.features.len() > 1);
        // Encode the rows; the first feature is the lowest digit.
        parallel::map(control, packs.len(), &|p| {
            control.check()?;
            let Pack { features, arity, .. } = &packs[p];
            let mut codes = vec![0u8; self.len()];
            for k in features.clone().rev() {
                let levels = self.levels[k];
                let append = |code: &mut u8, value: usize| {
                    *code = (usize::from(*code) * levels + value) as u8;
                };
                match self.columns[k].values() {
                    CodeValues::U8(v) => {
                        codes.iter_mut().zip(v).for_each(|(c, &v)| append(c, usize::from(v)));
                    }
                    CodeValues::U16(v) => {
                        codes.iter_mut().zip(v).for_each(|(c, &v)| append(c, usize::from(v)));
                    }
                }
            }
            Ok(Pack { features: features.clone(), codes, arity: *arity })
        })
    }
}
