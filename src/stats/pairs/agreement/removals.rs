//! Sums over the groups that appear when one feature is taken out of the set that made them.
//!
//! Rows that agree on a set S fall into groups; for each k in S the groups of S without k are
//! unions of them. All are found by halving: the groups by everything outside a range of S are
//! refined by one half of the range for the other half, so a set of s features costs `s log2(s)`
//! refinements of the groups (not of the rows).

use super::super::input::CodeValues;
use super::refine::{RefineScratch, refine};
use super::rows::RowTable;
use super::sums::{GroupNumbers, PairSums};
use crate::error::Result;
use crate::parallel::Control;
use std::ops::Range;

/// Groups of S as rows of their own: one code a feature of S, and the weight of each (group,
/// class).
pub(super) struct Removals<'a> {
    features: &'a [u32],
    levels: Vec<usize>,
    codes: Vec<Vec<u16>>,
    totals: Vec<u32>,
    /// Group, class and weight.
    cells: Vec<(u32, u16, u32)>,
    n_classes: usize,
    scratch: RefineScratch,
}

impl<'a> Removals<'a> {
    /// `features` are the ones that made the groups.
    pub fn new(table: &RowTable<'_>, features: &'a [u32], groups: &GroupNumbers) -> Self {
        const NONE: u32 = u32::MAX;
        let mut scratch = RefineScratch::default();
        // groups that occur, each by its first row
        let mut number = vec![NONE; groups.size];
        let mut first = Vec::new();
        for (i, &g) in groups.of.iter().enumerate() {
            if number[g as usize] == NONE {
                number[g as usize] = first.len() as u32;
                first.push(i);
            }
        }
        let mut cell_of = groups.of.clone();
        let size = refine(
            &mut cell_of,
            groups.size,
            CodeValues::U16(&table.classes),
            table.n_classes,
            0,
            &mut scratch,
        );
        let mut cells: Vec<(u32, u16, u32)> = Vec::with_capacity(size);
        for (i, &cell) in cell_of.iter().enumerate() {
            if cell as usize == cells.len() {
                cells.push((number[groups.of[i] as usize], table.classes[i], 0));
            }
            cells[cell as usize].2 += table.weight(i);
        }
        let mut totals = vec![0u32; first.len()];
        cells.iter().for_each(|&(g, _, n)| totals[g as usize] += n);
        let codes = features
            .iter()
            .map(|&k| {
                let values = table.columns[k as usize].values();
                first.iter().map(|&i| values.code(i) as u16).collect()
            })
            .collect();
        let levels = features.iter().map(|&k| table.levels[k as usize]).collect();
        Self { features, levels, codes, totals, cells, n_classes: table.n_classes, scratch }
    }

    /// Give `put` the sums by value of each feature k of S, over the groups of S without k.
    pub fn each(
        &mut self,
        control: &Control,
        mut put: impl FnMut(u32, Vec<PairSums>),
    ) -> Result<()> {
        if self.features.is_empty() {
            return Ok(());
        }
        let mut open: Vec<(Range<usize>, Vec<u32>, usize)> =
            vec![(0..self.features.len(), vec![0; self.totals.len()], 1)];
        while let Some((range, of, size)) = open.pop() {
            control.check()?;
            if range.len() == 1 {
                let sums = self.without(range.start, &of, size);
                put(self.features[range.start], sums);
                continue;
            }
            let middle = range.start + range.len() / 2;
            for (kept, by) in
                [(range.start..middle, middle..range.end), (middle..range.end, range.start..middle)]
            {
                let (mut finer, mut n) = (of.clone(), size);
                for j in by {
                    let column = CodeValues::U16(&self.codes[j]);
                    n = refine(
                        &mut finer,
                        n,
                        column,
                        self.levels[j],
                        self.limit(),
                        &mut self.scratch,
                    );
                }
                open.push((kept, finer, n));
            }
        }
        Ok(())
    }

    fn limit(&self) -> usize {
        self.totals.len() * 2 + 64
    }

    fn without(&mut self, j: usize, of: &[u32], size: usize) -> Vec<PairSums> {
        let mut totals = vec![0u64; size];
        of.iter().zip(&self.totals).for_each(|(&g, &n)| totals[g as usize] += u64::from(n));
        let mut cell_of: Vec<u32> = self.cells.iter().map(|&(g, _, _)| of[g as usize]).collect();
        let classes: Vec<u16> = self.cells.iter().map(|c| c.1).collect();
        let limit = 4 * self.cells.len() + 64;
        let n = refine(
            &mut cell_of,
            size,
            CodeValues::U16(&classes),
            self.n_classes,
            limit,
            &mut self.scratch,
        );
        let mut by_class = vec![0u64; n];
        cell_of
            .iter()
            .zip(&self.cells)
            .for_each(|(&c, cell)| by_class[c as usize] += u64::from(cell.2));
        let mut out = vec![[0u64; 4]; self.levels[j]];
        for (&(g, _, n), &c) in self.cells.iter().zip(&cell_of) {
            let sums = &mut out[usize::from(self.codes[j][g as usize])];
            sums[0] += u64::from(n) * u64::from(n);
            sums[2] += u64::from(n) * by_class[c as usize];
        }
        for (g, (&n, &o)) in self.totals.iter().zip(of).enumerate() {
            let sums = &mut out[usize::from(self.codes[j][g])];
            sums[1] += u64::from(n) * u64::from(n);
            sums[3] += u64::from(n) * totals[o as usize];
        }
        out
    }
}
