//! Contingency tables (value x class) of many nominal features at once.
//!
//! [`count`] reads a row-major matrix of codes with one class per row. One pass over the rows of a
//! node counts up to 64 features: a code indexes a plane of 256 counters, one plane per (class,
//! feature), so that no bound is checked and successive increments do not wait for each other.
//! About 0.7 ns per cell. Few rows, and codes that do not fit a byte, are counted directly into the
//! compact tables instead.
//!
//! Tables of siblings add up to those of their parent, so the tables of the largest child need no
//! pass: they are the parent's less those of its siblings ([`ContingencyTables::subtract`]).

use super::{Sum, Weighing};

/// Features counted in one pass over the rows: their byte codes fill a cache line of a row.
const FEATURES_PER_PASS: usize = 64;
/// With fewer rows than this, clearing the planes costs more than they save (measured).
const FEWEST_ROWS_FOR_PLANES: usize = 48;

/// Positions of the tables of all features: `cells[offsets[feature] + code * classes + class]`.
#[derive(Debug, Clone)]
pub struct Layout {
    offsets: Vec<usize>,
    classes: usize,
}

impl Layout {
    /// Layout for features with the given numbers of codes.
    pub fn new(arities: &[u32], classes: usize) -> Self {
        let mut offsets = Vec::with_capacity(arities.len() + 1);
        let mut total = 0;
        offsets.push(0);
        for &arity in arities {
            total += arity as usize * classes;
            offsets.push(total);
        }
        Self { offsets, classes }
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of cells of all tables.
    pub fn cells(&self) -> usize {
        self.offsets[self.features()]
    }

    /// Number of codes of a feature.
    pub fn arity(&self, feature: usize) -> usize {
        (self.offsets[feature + 1] - self.offsets[feature]) / self.classes
    }
}

/// The tables of all features for one set of rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContingencyTables<S> {
    cells: Vec<S>,
}

impl<S: Sum> ContingencyTables<S> {
    /// The table of a feature: `[code * classes + class]`.
    pub fn table(&self, layout: &Layout, feature: usize) -> &[S] {
        &self.cells[layout.offsets[feature]..layout.offsets[feature + 1]]
    }

    /// Subtract the tables of a subset: the tables of the remaining rows.
    pub fn subtract(&mut self, subset: &Self) {
        for (cell, &part) in self.cells.iter_mut().zip(&subset.cells) {
            *cell = cell.minus(part);
        }
    }
}

/// Type in which the codes of nominal features are stored.
pub trait Code: Copy + Default + Send + Sync + 'static {
    /// The code as an index.
    fn index(self) -> usize;
    /// The code with this index, which must fit the type.
    fn of(index: u32) -> Self;
    /// True if all codes are below 256.
    const NARROW: bool;
}

impl Code for u8 {
    #[inline]
    fn index(self) -> usize {
        self as usize
    }
    fn of(index: u32) -> Self {
        index as Self
    }
    const NARROW: bool = true;
}

impl Code for u32 {
    #[inline]
    fn index(self) -> usize {
        self as usize
    }
    fn of(index: u32) -> Self {
        index
    }
    const NARROW: bool = false;
}

/// Memory of [`count`], kept between calls.
#[derive(Debug, Default)]
pub struct CountingPlanes<S> {
    planes: Vec<[S; 256]>,
    /// Memory of tables that are no longer in use.
    recycled: Vec<Vec<S>>,
}

/// Most tables whose memory is kept.
const MOST_RECYCLED: usize = 64;

impl<S: Sum> CountingPlanes<S> {
    /// Keep the memory of tables that are no longer used for later calls.
    pub fn recycle(&mut self, contingency: ContingencyTables<S>) {
        if self.recycled.len() < MOST_RECYCLED {
            self.recycled.push(contingency.cells);
        }
    }
}

/// Rows to count; `codes` is row-major with `layout.features()` columns.
#[derive(Debug, Clone, Copy)]
pub struct CodedRows<'a, C> {
    /// Codes, row by row.
    pub codes: &'a [C],
    /// Class of each row.
    pub classes: &'a [u16],
    /// Internal number of each row, by which its weight is found.
    pub rows: &'a [u32],
}

/// Count the tables of all features over the given rows.
pub fn count<C: Code, W: Weighing>(
    rows: CodedRows<'_, C>,
    layout: &Layout,
    weights: W,
    planes: &mut CountingPlanes<W::Sum>,
) -> ContingencyTables<W::Sum> {
    let mut cells = planes.recycled.pop().unwrap_or_default();
    cells.clear();
    cells.resize(layout.cells(), W::Sum::default());
    let (features, classes) = (layout.features(), layout.classes);
    if features == 0 || rows.rows.is_empty() {
        return ContingencyTables { cells };
    }
    let coded = || rows.codes.chunks_exact(features).zip(rows.classes).zip(rows.rows);
    // Few rows or wide codes: straight into the tables.
    if !C::NARROW || rows.rows.len() < FEWEST_ROWS_FOR_PLANES {
        for ((codes, &class), &row) in coded() {
            let weight = weights.of(row);
            for (&code, &offset) in codes.iter().zip(&layout.offsets) {
                let cell = &mut cells[offset + code.index() * classes + class as usize];
                *cell = cell.plus(weight);
            }
        }
        return ContingencyTables { cells };
    }
    for first in (0..features).step_by(FEATURES_PER_PASS) {
        // Clear the planes `[class][feature]` of these features, as far as codes reach.
        let width = FEATURES_PER_PASS.min(features - first);
        let planes = &mut planes.planes;
        planes.resize(classes * width, [W::Sum::default(); 256]);
        for class_planes in planes.chunks_exact_mut(width) {
            for (f, plane) in class_planes.iter_mut().enumerate() {
                plane[..layout.arity(first + f)].fill(W::Sum::default());
            }
        }
        // Count.
        for ((codes, &class), &row) in coded() {
            let weight = weights.of(row);
            let start = class as usize * width;
            let class_planes = &mut planes[start..start + width];
            for (plane, &code) in class_planes.iter_mut().zip(&codes[first..first + width]) {
                // `& 255` is free for bytes and tells the compiler that no bound can be crossed.
                let cell = &mut plane[code.index() & 255];
                *cell = cell.plus(weight);
            }
        }
        // Copy the planes into the tables, where classes are adjacent.
        for (class, class_planes) in planes.chunks_exact(width).enumerate() {
            for (f, plane) in class_planes.iter().enumerate() {
                let table = &mut cells[layout.offsets[first + f]..layout.offsets[first + f + 1]];
                for (to, &from) in table.iter_mut().skip(class).step_by(classes).zip(plane) {
                    *to = from;
                }
            }
        }
    }
    ContingencyTables { cells }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;
    use crate::stats::{IntegerWeights, UnitWeights};

    #[test]
    fn all_ways_of_counting_agree() {
        struct Case {
            rows: usize,
            features: usize,
            n_classes: usize,
            arity: u32,
        }
        let case = |rows, features, n_classes, arity| Case { rows, features, n_classes, arity };
        // Direct and plane counting on both sides of the limit, one and several passes, full bytes.
        for Case { rows, features, n_classes, arity } in [
            case(10, 3, 2, 4),
            case(FEWEST_ROWS_FOR_PLANES - 1, 70, 3, 5),
            case(FEWEST_ROWS_FOR_PLANES, 70, 3, 5),
            case(500, 130, 26, 255),
            case(300, 1, 1, 1),
        ] {
            let draw =
                |seed: u64, i: usize, below: u32| (mix(seed, i as u64) % u64::from(below)) as u32;
            let codes: Vec<u32> = (0..rows * features).map(|i| draw(7, i, arity)).collect();
            let bytes: Vec<u8> = codes.iter().map(|&c| c as u8).collect();
            let classes: Vec<u16> =
                (0..rows).map(|i| draw(9, i, n_classes as u32) as u16).collect();
            let ids: Vec<u32> = (0..rows as u32).collect();
            let layout = Layout::new(&vec![arity; features], n_classes);
            let mut naive = vec![0_u32; layout.cells()];
            for i in 0..rows {
                for f in 0..features {
                    let slot = f * arity as usize + codes[i * features + f] as usize;
                    naive[slot * n_classes + classes[i] as usize] += 1;
                }
            }
            let narrow = CodedRows { codes: &bytes[..], classes: &classes, rows: &ids };
            let wide = CodedRows { codes: &codes[..], classes: &classes, rows: &ids };
            let mut planes = CountingPlanes::default();
            assert_eq!(count(narrow, &layout, UnitWeights, &mut planes).cells, naive);
            assert_eq!(count(wide, &layout, UnitWeights, &mut planes).cells, naive);
            let twice = vec![2; rows];
            let doubled = count(narrow, &layout, IntegerWeights(&twice), &mut planes);
            assert!(doubled.cells.iter().zip(&naive).all(|(&a, &b)| a == 2 * b));
        }
    }
}
