//! Rows as the group-by counts read them: columns of codes, equal rows collapsed where that pays,
//! and packed columns.
//!
//! A *pack* is one byte that stands for several neighbouring features of few values each (mixed
//! radix): one increment of a table then counts for all of them, and the tables of the single
//! features are its margins. O(t n) to make, t (n / 3 + n / 2) bytes for five values.

use super::super::input::{CodeTable, CodeValues};
use super::refine::{RefineScratch, refine};
use crate::error::Result;
use crate::parallel::{self, Control};
use std::borrow::Cow;
use std::ops::Range;

/// Codes of one column, borrowed or collapsed.
pub(super) enum CodeCells<'a> {
    U8(Cow<'a, [u8]>),
    U16(Cow<'a, [u16]>),
}

impl CodeCells<'_> {
    pub fn values(&self) -> CodeValues<'_> {
        match self {
            Self::U8(c) => CodeValues::U8(c),
            Self::U16(c) => CodeValues::U16(c),
        }
    }

    fn take(&self, rows: &[u32]) -> CodeCells<'static> {
        match self {
            Self::U8(c) => CodeCells::U8(rows.iter().map(|&r| c[r as usize]).collect()),
            Self::U16(c) => CodeCells::U16(rows.iter().map(|&r| c[r as usize]).collect()),
        }
    }
}

/// Neighbouring features in one code.
pub(super) struct Pack {
    pub features: Range<usize>,
    pub codes: Vec<u8>,
    /// Product of the numbers of values.
    pub arity: usize,
}

/// All rows.
pub(super) struct RowTable<'a> {
    pub columns: Vec<CodeCells<'a>>,
    /// Number of values of each column.
    pub levels: Vec<usize>,
    /// First slot (feature, value) of each feature, and the number of all.
    pub offsets: Vec<usize>,
    pub classes: Cow<'a, [u16]>,
    pub n_classes: usize,
    /// Copies of each row; nothing where every row stands once.
    pub weights: Option<Vec<u32>>,
    /// Weight of the rows of each slot.
    pub of_slot: Vec<u64>,
    /// Packs of up to 256 codes, and of up to 32.
    pub packs: [Vec<Pack>; 2],
}

impl<'a> RowTable<'a> {
    /// Rows of weight 0 go; equal rows become one with a weight where at most four fifths are left.
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
        let n = codes.n_rows();
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
            packs: [Vec::new(), Vec::new()],
        };
        if table.weights.as_ref().is_some_and(|w| w.contains(&0)) {
            let kept: Vec<u32> = (0..n as u32).filter(|&r| table.weight(r as usize) > 0).collect();
            let weights = kept.iter().map(|&r| table.weight(r as usize)).collect();
            table.keep(&kept, weights);
        }
        table.collapse(control)?;
        table.of_slot = vec![0; table.offsets[table.columns.len()]];
        for k in 0..table.columns.len() {
            let values = table.columns[k].values();
            let first = table.offsets[k];
            for i in 0..table.len() {
                table.of_slot[first + values.code(i)] += u64::from(table.weight(i));
            }
            control.check()?;
        }
        table.packs = [table.packed(control, 256)?, table.packed(control, 32)?];
        Ok(table)
    }

    /// Number of (distinct) rows.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Copies of a row.
    #[inline]
    pub fn weight(&self, row: usize) -> u32 {
        self.weights.as_ref().map_or(1, |w| w[row])
    }

    fn keep(&mut self, rows: &[u32], weights: Vec<u32>) {
        for column in &mut self.columns {
            *column = column.take(rows);
        }
        self.classes = rows.iter().map(|&r| self.classes[r as usize]).collect();
        self.weights = Some(weights);
    }

    fn collapse(&mut self, control: &Control) -> Result<()> {
        let n = self.len();
        let mut scratch = RefineScratch::default();
        let mut of = vec![0u32; n];
        // a limit of 0: numbers without gaps, so that their count is the number of distinct rows
        let mut size =
            refine(&mut of, 1, CodeValues::U16(&self.classes), self.n_classes, 0, &mut scratch);
        for (column, &levels) in self.columns.iter().zip(&self.levels) {
            control.check()?;
            size = refine(&mut of, size, column.values(), levels, 0, &mut scratch);
            if size * 5 > n * 4 {
                return Ok(());
            }
        }
        let (mut kept, mut weights) = (Vec::with_capacity(size), vec![0u32; size]);
        for (i, &g) in of.iter().enumerate() {
            if g as usize == kept.len() {
                kept.push(i as u32);
            }
            weights[g as usize] += self.weight(i);
        }
        self.keep(&kept, weights);
        Ok(())
    }

    fn packed(&self, control: &Control, cap: usize) -> Result<Vec<Pack>> {
        let mut ranges: Vec<(Range<usize>, usize)> = Vec::new();
        for (k, &levels) in self.levels.iter().enumerate() {
            match ranges.last_mut() {
                Some((range, arity)) if *arity * levels <= cap => {
                    range.end = k + 1;
                    *arity *= levels;
                }
                _ => ranges.push((k..k + 1, levels)),
            }
        }
        ranges.retain(|(range, _)| range.len() > 1);
        parallel::map(control, ranges.len(), |p| {
            control.check()?;
            let (features, arity) = ranges[p].clone();
            let mut codes = vec![0u8; self.len()];
            for k in features.clone().rev() {
                let levels = self.levels[k];
                match self.columns[k].values() {
                    CodeValues::U8(v) => {
                        codes
                            .iter_mut()
                            .zip(v)
                            .for_each(|(c, &v)| *c = (usize::from(*c) * levels) as u8 + v);
                    }
                    CodeValues::U16(v) => {
                        let add = |(c, &v): (&mut u8, &u16)| {
                            *c = (usize::from(*c) * levels + usize::from(v)) as u8;
                        };
                        codes.iter_mut().zip(v).for_each(add);
                    }
                }
            }
            Ok(Pack { features, codes, arity })
        })
    }
}
