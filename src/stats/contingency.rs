//! Contingency tables (value x class) of many nominal features at once.
//!
//! [`count`] reads a row-major matrix of codes with one class per row, and adds the weight of each
//! row to one cell per feature. O(rows x features), and O(cells) to clear the tables.
//!
//! Tried and removed (AVX2): planes of 256 counters per class and feature, which are copied into
//! the tables, took 0.97 to 1.12 of the time of whole fits. Subtracting the tables of the other
//! children from the tables of the parent gained a factor of 1.02 to 1.1.

use super::{Sum, Weighing};

/// Positions of the tables of all features: `cells[offsets[feature] + code * classes + class]`.
#[derive(Debug, Clone)]
pub struct TableLayout {
    offsets: Vec<usize>,
    classes: usize,
    /// Bytes of a code in [`CodedRows`]: 1 where all codes fit, else 4.
    code_bytes: usize,
}

impl TableLayout {
    /// Layout for features with the given numbers of codes, each including the code of missing
    /// values if there is one. Codes take one byte where all numbers of codes are at most 256, else
    /// four.
    pub fn new(arities: &[u32], classes: usize) -> Self {
        let mut offsets = Vec::with_capacity(arities.len() + 1);
        let mut total = 0;
        offsets.push(0);
        for &arity in arities {
            total += arity as usize * classes;
            offsets.push(total);
        }
        let code_bytes = if arities.iter().all(|&arity| arity <= 256) { 1 } else { 4 };
        Self { offsets, classes, code_bytes }
    }

    /// Number of features that have a table. They are numbered without the numeric features of the
    /// data set.
    pub fn features(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of cells of all tables. A feature has one cell for each pair of a code and a class.
    pub fn cells(&self) -> usize {
        self.offsets[self.features()]
    }

    /// Number of codes of a feature, including the code of missing values if the layout has one. It
    /// counts all codes that may occur, not those that some row has.
    pub fn arity(&self, feature: usize) -> usize {
        (self.offsets[feature + 1] - self.offsets[feature]) / self.classes
    }

    /// Bytes of the codes of a row, by which packed codes are split into rows. It is 0 without
    /// features.
    pub fn row_bytes(&self) -> usize {
        self.features() * self.code_bytes
    }

    /// Write the code of a feature among the codes of a row. `row` has [`Self::row_bytes`] bytes;
    /// the code must be below the number of codes of the feature, because higher bytes are cut off.
    #[inline]
    pub fn write(&self, row: &mut [u8], feature: usize, code: u32) {
        let bytes = &code.to_le_bytes()[..self.code_bytes];
        row[feature * self.code_bytes..][..self.code_bytes].copy_from_slice(bytes);
    }

    /// The codes of rows, given row by row, as [`CodedRows`] has them. Each row gives one code per
    /// feature, in feature order.
    pub fn pack(&self, codes: impl Iterator<Item = u32>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for code in codes {
            bytes.extend_from_slice(&code.to_le_bytes()[..self.code_bytes]);
        }
        bytes
    }

    /// The code of a feature among the codes of a row, as [`Self::write`] wrote it. Loops over all
    /// features of rows with codes of one byte read the bytes themselves.
    #[inline]
    pub fn code(&self, row: &[u8], feature: usize) -> usize {
        if self.code_bytes == 1 {
            return row[feature] as usize;
        }
        let bytes = &row[4 * feature..][..4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize
    }
}

/// The tables of all features for one set of rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContingencyTables<S> {
    cells: Vec<S>,
}

impl<S: Sum> ContingencyTables<S> {
    /// The table of a feature: `[code * classes + class]`.
    pub fn table(&self, layout: &TableLayout, feature: usize) -> &[S] {
        &self.cells[layout.offsets[feature]..layout.offsets[feature + 1]]
    }
}

/// Rows to count.
#[derive(Debug, Clone, Copy)]
pub struct CodedRows<'a> {
    /// Codes, [`TableLayout::row_bytes`] per row, as [`TableLayout::write`] writes them.
    pub codes: &'a [u8],
    /// Class of each row.
    pub classes: &'a [u16],
    /// Internal number of each row, by which its weight is found.
    pub rows: &'a [u32],
}

impl<'a> CodedRows<'a> {
    /// The code of a feature in each row, in the order of the rows. Codes lie row by row, so this
    /// reads one code in every [`TableLayout::row_bytes`] bytes.
    pub fn column(
        &self,
        layout: &'a TableLayout,
        feature: usize,
    ) -> impl Iterator<Item = usize> + Clone + use<'a> {
        self.codes.chunks_exact(layout.row_bytes()).map(move |row| layout.code(row, feature))
    }

    /// The rows of each code of a feature, in their order; an empty list for a code without rows.
    /// O(rows).
    pub fn by_code(&self, layout: &TableLayout, feature: usize) -> Vec<Vec<u32>> {
        let mut rows = vec![Vec::new(); layout.arity(feature)];
        self.column(layout, feature).zip(self.rows).for_each(|(code, &row)| rows[code].push(row));
        rows
    }
}

/// Count the tables of all features over the given rows: the cell of a code and a class is the sum
/// of the weights of the rows that have both.
pub fn count<W: Weighing>(
    rows: CodedRows<'_>,
    layout: &TableLayout,
    weights: W,
) -> ContingencyTables<W::Sum> {
    let mut cells = vec![W::Sum::default(); layout.cells()];
    let (classes, offsets) = (layout.classes, &layout.offsets[..layout.features()]);
    let coded = rows.codes.chunks_exact(layout.row_bytes().max(1));
    for ((codes, &class), &row) in coded.zip(rows.classes).zip(rows.rows) {
        let weight = weights.row_sum(row);
        let mut add = |offset: usize, code: usize| {
            let cell = &mut cells[offset + code * classes + usize::from(class)];
            *cell = cell.plus(weight);
        };
        if layout.code_bytes == 1 {
            offsets.iter().zip(codes).for_each(|(&offset, &code)| add(offset, code.into()));
        } else {
            let offsets = offsets.iter().enumerate();
            offsets.for_each(|(feature, &offset)| add(offset, layout.code(codes, feature)));
        }
    }
    ContingencyTables { cells }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;
    use crate::stats::RowCopies;

    #[test]
    fn tables_hold_the_rows_of_each_code_and_class() {
        struct Case {
            rows: usize,
            features: usize,
            n_classes: usize,
            arity: u32,
        }
        let case = |rows, features, n_classes, arity| Case { rows, features, n_classes, arity };
        for Case { rows, features, n_classes, arity } in
            [case(10, 3, 2, 4), case(48, 70, 3, 5), case(500, 130, 26, 255), case(300, 1, 1, 1)]
        {
            let draw =
                |seed: u64, i: usize, below: u32| (mix(seed, i as u64) % u64::from(below)) as u32;
            let codes: Vec<u32> = (0..rows * features).map(|i| draw(7, i, arity)).collect();
            let bytes: Vec<u8> = codes.iter().map(|&c| c as u8).collect();
            let classes: Vec<u16> =
                (0..rows).map(|i| draw(9, i, n_classes as u32) as u16).collect();
            let ids: Vec<u32> = (0..rows as u32).collect();
            let layout = TableLayout::new(&vec![arity; features], n_classes);
            let mut naive = vec![0_u32; layout.cells()];
            for i in 0..rows {
                for f in 0..features {
                    let slot = f * arity as usize + codes[i * features + f] as usize;
                    naive[slot * n_classes + classes[i] as usize] += 1;
                }
            }
            let narrow = CodedRows { codes: &bytes[..], classes: &classes, rows: &ids };
            assert_eq!(count(narrow, &layout, RowCopies(None)).cells, naive);
            // The same rows with codes of four bytes, as a feature of many levels needs them.
            let many = TableLayout::new(&[vec![arity; features], vec![300]].concat(), n_classes);
            let row = |i: usize| codes[i * features..][..features].iter().copied();
            let wide = many.pack((0..rows).flat_map(|i| row(i).chain([draw(11, i, 300)])));
            let wide = CodedRows { codes: &wide, classes: &classes, rows: &ids };
            let counted = count(wide, &many, RowCopies(None));
            assert_eq!(counted.cells[..layout.cells()], naive);
            let of_code = wide.by_code(&many, features);
            for (cells, rows) in
                counted.table(&many, features).chunks_exact(n_classes).zip(&of_code)
            {
                assert_eq!(cells.iter().sum::<u32>() as usize, rows.len());
            }
            let twice = vec![2; rows];
            let doubled = count(narrow, &layout, RowCopies(Some(&twice)));
            assert!(doubled.cells.iter().zip(&naive).all(|(&a, &b)| a == 2 * b));
        }
    }
}
