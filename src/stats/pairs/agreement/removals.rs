//! Sums over the groups of a set S of features without one of them, for each feature of S in turn.
//!
//! The groups of S - k are unions of the groups of S, so the rows need not be read again. They are
//! computed for all k by halving. At the start there is one group, and the range of all features of
//! S. The groups are refined by one half of the range for the features in the other half, until the
//! range is a single feature k, and the groups are the groups of S - k. A set of s features takes
//! `s log2(s)` refinements of the groups, not of the rows.

use super::rows::RowTable;
use super::sums::{GroupedRows, PairSums};
use crate::error::Result;
use crate::parallel::Control;
use crate::stats::groups::{GroupNumbers, RefineScratch};
use std::ops::Range;

/// The rows of one class in a group of S.
#[derive(Debug, Clone, Copy)]
struct GroupClass {
    group: u32,
    class: u16,
    weight: u32,
}

/// The groups of S as rows of their own.
pub(super) struct Removals<'a> {
    /// The features of S.
    features: &'a [u32],
    /// Number of values of each feature of S.
    levels: Vec<usize>,
    /// Codes of the groups, `[feature of S][group]`.
    codes: Vec<Vec<u16>>,
    /// Weight of each group.
    totals: Vec<u32>,
    /// The (group, class) pairs that occur.
    cells: Vec<GroupClass>,
    n_classes: usize,
    scratch: RefineScratch,
}

/// A step of the halving.
struct OpenRange {
    /// Features of S that are not yet used.
    range: Range<usize>,
    /// The groups of S, grouped by all features of S outside the range.
    merged: GroupNumbers,
}

impl<'a> Removals<'a> {
    /// The groups of S, where `rows` are grouped by `features`, the features of S. One pass over
    /// the rows takes the codes of each group and its weight by class; later steps read only these.
    pub fn new(table: &RowTable<'_>, features: &'a [u32], rows: &GroupedRows<'_>) -> Self {
        const NONE: u32 = u32::MAX;
        let mut scratch = RefineScratch::default();
        let GroupedRows { groups, class_totals, totals: all, .. } = rows;
        // Number the groups that occur, without gaps, and note a row of each.
        let mut number = vec![NONE; groups.size];
        let n_groups = all.iter().filter(|&&weight| weight > 0).count();
        let mut first = Vec::with_capacity(n_groups);
        for (i, &group) in groups.of_row.iter().enumerate() {
            if first.len() == n_groups {
                break;
            }
            if number[group as usize] == NONE {
                number[group as usize] = first.len() as u32;
                first.push(i);
            }
        }
        // Weights by (group, class), and of groups.
        let mut cells: Vec<GroupClass> = Vec::new();
        if class_totals.is_empty() {
            let mut by_class = groups.clone();
            by_class.refine(&table.classes, table.n_classes, 0, &mut scratch);
            for (i, &cell) in by_class.of_row.iter().enumerate() {
                // `refine` without a limit numbers groups by their first row: a new one comes next.
                if cell as usize == cells.len() {
                    let group = number[groups.of_row[i] as usize];
                    cells.push(GroupClass { group, class: table.classes[i], weight: 0 });
                }
                cells[cell as usize].weight += table.weight(i);
            }
        } else {
            let of_group = class_totals.chunks_exact(table.n_classes);
            for (&group, of_class) in number.iter().zip(of_group) {
                let occur = of_class.iter().enumerate().filter(|(_, weight)| **weight > 0);
                cells.extend(occur.map(|(class, &weight)| GroupClass {
                    group,
                    class: class as u16,
                    weight,
                }));
            }
        }
        let totals = first.iter().map(|&i| all[groups.of_row[i] as usize]).collect();
        // Codes of the groups, taken from the first row of each.
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

    /// Call `put(k, sums)` for each feature k of S with the sums by its values, over the groups of
    /// S without k. Features come in no particular order; `put` is not called if S is empty.
    pub fn for_each(
        &mut self,
        control: &Control,
        mut put: impl FnMut(u32, Vec<PairSums>),
    ) -> Result<()> {
        if self.features.is_empty() {
            return Ok(());
        }
        let merged = GroupNumbers::single_group(self.totals.len());
        let mut open = vec![OpenRange { range: 0..self.features.len(), merged }];
        // numbers may have gaps as long as tables over them are about as small as the groups
        let limit = self.totals.len() * 2 + 64;
        while let Some(OpenRange { range, merged }) = open.pop() {
            control.check()?;
            if range.len() == 1 {
                let sums = self.sums(range.start, &merged);
                put(self.features[range.start], sums);
                continue;
            }
            let middle = range.start + range.len() / 2;
            let (left, right) = (range.start..middle, middle..range.end);
            for (kept, used) in [(left.clone(), right.clone()), (right, left)] {
                let mut finer = merged.clone();
                for j in used {
                    finer.refine(&self.codes[j], self.levels[j], limit, &mut self.scratch);
                }
                open.push(OpenRange { range: kept, merged: finer });
            }
        }
        Ok(())
    }

    /// Sums by value of the feature at `position` of S; `merged` are the groups of S, grouped by
    /// all other features.
    fn sums(&mut self, position: usize, merged: &GroupNumbers) -> Vec<PairSums> {
        // Weights of the merged groups, and of the classes in them.
        let mut totals = vec![0u64; merged.size];
        for (&group, &weight) in merged.of_row.iter().zip(&self.totals) {
            totals[group as usize] += u64::from(weight);
        }
        let mut by_class = GroupNumbers {
            of_row: self.cells.iter().map(|cell| merged.of_row[cell.group as usize]).collect(),
            size: merged.size,
        };
        let classes: Vec<u16> = self.cells.iter().map(|cell| cell.class).collect();
        let limit = 4 * self.cells.len() + 64;
        by_class.refine(&classes, self.n_classes, limit, &mut self.scratch);
        let mut class_totals = vec![0u64; by_class.size];
        for (&class, cell) in by_class.of_row.iter().zip(&self.cells) {
            class_totals[class as usize] += u64::from(cell.weight);
        }
        // A group of S has one value of the feature: its pairs with itself share the value, those
        // with its merged group need not.
        let codes = &self.codes[position];
        let mut out = vec![PairSums::default(); self.levels[position]];
        for (cell, &class) in self.cells.iter().zip(&by_class.of_row) {
            let sums = &mut out[usize::from(codes[cell.group as usize])];
            let weight = u64::from(cell.weight);
            sums.both += weight * weight;
            sums.class += weight * class_totals[class as usize];
        }
        for ((&weight, &group), &code) in self.totals.iter().zip(&merged.of_row).zip(codes) {
            let sums = &mut out[usize::from(code)];
            let weight = u64::from(weight);
            sums.value += weight * weight;
            sums.all += weight * totals[group as usize];
        }
        out
    }
}
