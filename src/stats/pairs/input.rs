//! Input of the passes over pairs: coded columns with classes and integer weights, and the compact
//! rows that a pass reads.
//!
//! [`CodeTable`] borrows the columns of its caller and checks them. [`SlotRows::gather`] copies the
//! rows asked for: it drops rows of weight 0, merges identical rows of one class into one row with
//! a multiplicity where fewer than 0.8 of the rows remain, and groups the rows by class. A *slot*
//! is a (feature, value) pair; the slots of all features are numbered consecutively. O(t n) for t
//! rows of n features: identical rows are found by a hash table, without a sort.

use crate::error::{Error, Result};
use crate::memory::{self, Budget};
use std::borrow::Cow;
use std::ops::Range;

/// Codes of one column, in the width they are stored in.
#[derive(Debug, Clone, Copy)]
pub enum CodeValues<'a> {
    /// Up to 256 values.
    U8(&'a [u8]),
    /// Up to 65,535 values.
    U16(&'a [u16]),
}

impl CodeValues<'_> {
    /// Number of rows. A table refuses columns that differ in it.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(c) => c.len(),
            Self::U16(c) => c.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code of a row. A loop over rows is faster over the slice of the column's width.
    #[inline]
    pub fn code(&self, row: usize) -> usize {
        match self {
            Self::U8(c) => usize::from(c[row]),
            Self::U16(c) => usize::from(c[row]),
        }
    }

    /// Call `put(position, code)` for the given rows (all if `None`).
    #[inline]
    fn for_each(&self, rows: Option<&[u32]>, mut put: impl FnMut(usize, usize)) {
        match (self, rows) {
            (Self::U8(c), None) => c.iter().enumerate().for_each(|(i, &v)| put(i, usize::from(v))),
            (Self::U16(c), None) => c.iter().enumerate().for_each(|(i, &v)| put(i, usize::from(v))),
            (Self::U8(c), Some(r)) => {
                r.iter().enumerate().for_each(|(i, &r)| put(i, usize::from(c[r as usize])))
            }
            (Self::U16(c), Some(r)) => {
                r.iter().enumerate().for_each(|(i, &r)| put(i, usize::from(c[r as usize])))
            }
        }
    }
}

/// Codes of one column, borrowed or owned.
pub(super) enum CodeCells<'a> {
    U8(Cow<'a, [u8]>),
    U16(Cow<'a, [u16]>),
}

impl CodeCells<'_> {
    /// The codes, in the width in which they are stored. Borrowed and owned codes are read in the
    /// same way.
    pub fn values(&self) -> CodeValues<'_> {
        match self {
            Self::U8(c) => CodeValues::U8(c),
            Self::U16(c) => CodeValues::U16(c),
        }
    }

    /// A copy of the codes of the given rows, in the order in which they are given. The width stays
    /// the same.
    pub fn select(&self, rows: &[u32]) -> CodeCells<'static> {
        match self {
            Self::U8(c) => CodeCells::U8(rows.iter().map(|&r| c[r as usize]).collect()),
            Self::U16(c) => CodeCells::U16(rows.iter().map(|&r| c[r as usize]).collect()),
        }
    }
}

/// One nominal column; missing cells are a value of their own.
#[derive(Debug, Clone, Copy)]
pub struct CodeColumn<'a> {
    /// Codes below `levels`.
    pub values: CodeValues<'a>,
    /// Number of values, including the one that stands for missing cells.
    pub levels: usize,
}

/// Coded columns with the class and the integer weight of each row.
#[derive(Debug, Clone)]
pub struct CodeTable<'a> {
    pub(super) columns: Vec<CodeColumn<'a>>,
    classes: &'a [u16],
    pub(super) n_classes: usize,
    weights: Option<&'a [u32]>,
}

impl<'a> CodeTable<'a> {
    /// A checked table. `classes` are below `n_classes`; `weights` (one per row) are numbers of
    /// copies, `None` means 1 each.
    ///
    /// # Errors
    /// [`Error::Data`] for columns of another length, codes or classes out of range, too many
    /// features or values, or a total weight of 3.03e9 and more (its square would not fit the
    /// counters).
    pub fn new(
        columns: Vec<CodeColumn<'a>>,
        classes: &'a [u16],
        n_classes: usize,
        weights: Option<&'a [u32]>,
    ) -> Result<Self> {
        let n_rows = classes.len();
        let data = |text: String| Err(Error::Data(text));
        if columns.is_empty() || columns.len() > 1 << 20 {
            return data(format!(
                "pairs are counted over 1 to {} features, not {}",
                1 << 20,
                columns.len()
            ));
        }
        for (k, column) in columns.iter().enumerate() {
            if column.values.len() != n_rows {
                return data(format!(
                    "column {k} has {} rows where the classes have {n_rows}",
                    column.values.len()
                ));
            }
            if column.levels == 0 || column.levels > 65_535 {
                return data(format!(
                    "column {k} has {} values; pairs are counted over 1 to 65535",
                    column.levels
                ));
            }
            let mut out_of_range = None;
            column.values.for_each(None, |i, v| {
                if v >= column.levels {
                    out_of_range = Some((i, v));
                }
            });
            if let Some((i, v)) = out_of_range {
                return data(format!(
                    "column {k}, row {i}: code {v} where the column has {} values",
                    column.levels
                ));
            }
        }
        if let Some((i, c)) =
            classes.iter().enumerate().find(|(_, c)| usize::from(**c) >= n_classes)
        {
            return data(format!("row {i}: class {c} of {n_classes}"));
        }
        if let Some(weights) = weights.filter(|w| w.len() != n_rows) {
            return data(format!("{} weights for {n_rows} rows", weights.len()));
        }
        let total = weights.map_or(n_rows as u64, |w| w.iter().map(|&w| u64::from(w)).sum());
        if total > MAX_WEIGHT {
            return data(format!(
                "a total weight of {total}; pairs are counted up to {MAX_WEIGHT} rows"
            ));
        }
        Ok(Self { columns, classes, n_classes, weights })
    }

    /// The columns, with one code per row each. The distance of two rows is the number of columns
    /// on which they differ.
    pub fn columns(&self) -> &[CodeColumn<'a>] {
        &self.columns
    }

    /// Class of each row, in the caller's order of the rows. It is below [`Self::n_classes`].
    pub fn classes(&self) -> &'a [u16] {
        self.classes
    }

    /// Number of classes, with or without rows. Counts have as many, unless they are summed over
    /// classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// Number of rows, including rows of weight 0. Copies of a row are not counted.
    pub fn n_rows(&self) -> usize {
        self.classes.len()
    }

    /// Weight of a row: its number of copies, or 1 if the table has no weights. A row of weight 0
    /// is in no pair.
    pub fn weight(&self, row: usize) -> u32 {
        self.weights.map_or(1, |w| w[row])
    }

    /// All weights; `None` where every row counts once.
    pub fn weights(&self) -> Option<&'a [u32]> {
        self.weights
    }

    /// The rows among `rows` (all if `None`) whose weight is not 0, since rows of weight 0 are in
    /// no pair. `None` if the table has no weights, so that there is nothing to drop.
    pub(super) fn positive_rows(&self, rows: Option<&[u32]>) -> Option<Vec<u32>> {
        self.weights?;
        let mut kept = Vec::with_capacity(rows.map_or(self.n_rows(), <[u32]>::len));
        let positive = |r: &u32| self.weight(*r as usize) > 0;
        match rows {
            None => kept.extend((0..self.n_rows() as u32).filter(positive)),
            Some(r) => kept.extend(r.iter().copied().filter(positive)),
        }
        Some(kept)
    }

    /// First slot of each feature, followed by the number of slots. It is computed anew by every
    /// call, from the numbers of values.
    pub fn offsets(&self) -> Vec<u32> {
        let mut end = 0;
        let mut offsets = vec![0];
        for column in &self.columns {
            end += column.levels as u32;
            offsets.push(end);
        }
        offsets
    }
}

/// Largest total weight whose square fits a signed 64-bit counter.
pub const MAX_WEIGHT: u64 = 3_037_000_499;

/// Rows grouped by class, each with its slots and its multiplicity: the input of every pass.
#[derive(Debug, Clone)]
pub(super) struct SlotRows {
    /// Number of features.
    pub features: usize,
    /// First slot of each feature, followed by the number of slots.
    pub offsets: Vec<u32>,
    /// `slots[row * features + k] = offsets[k] + code`.
    pub slots: Vec<u32>,
    /// Multiplicity of each row.
    pub weights: Vec<u32>,
    /// First row of each class, followed by the number of rows.
    pub starts: Vec<usize>,
}

/// Name of the work in messages about memory.
pub(super) const WHAT: &str = "the pass over pairs of rows";
/// What to do where memory does not suffice, for the same messages.
pub(super) const REMEDY: &str = "give it that much, count a sample of the rows or fewer columns";

impl SlotRows {
    /// Number of rows, where identical rows that were merged count once. Passes are quadratic in
    /// it.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Number of classes, including classes without rows. The rows of a class are contiguous.
    pub fn n_classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of slots: the numbers of values of all features together. Counts have a block of
    /// cells for each slot.
    pub fn n_slots(&self) -> usize {
        self.offsets[self.features] as usize
    }

    /// The slots of a row, one per feature in feature order. Two rows agree on a feature if they
    /// have the same slot.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.slots[i * self.features..][..self.features]
    }

    /// The rows of a class, which are contiguous. The range is empty for a class without rows.
    pub fn class_rows(&self, class: usize) -> Range<usize> {
        self.starts[class]..self.starts[class + 1]
    }

    /// Binary digits of the largest multiplicity. The passes handle the rows with each digit
    /// separately, so a large multiplicity costs time.
    pub fn weight_bits(&self) -> u32 {
        32 - self.weights.iter().fold(0, |any, &w| any | w).leading_zeros()
    }

    /// Sum of all multiplicities, at most [`MAX_WEIGHT`]. Its square is the number of ordered pairs
    /// of these rows, self-pairs included.
    pub fn total(&self) -> u64 {
        self.weights.iter().map(|&w| u64::from(w)).sum()
    }

    /// Compact copies of `rows` (all if `None`; a row may be named twice), except rows of weight 0.
    /// `pass_bytes(rows)` is the least memory that the pass over that many distinct rows takes:
    /// with it a need that cannot be met is refused here, before any work.
    ///
    /// # Errors
    /// [`Error::Data`] if a row does not exist or the weights exceed [`MAX_WEIGHT`];
    /// [`Error::Need`] where memory does not suffice for the rows and the pass.
    pub fn gather(
        budget: Budget,
        codes: &CodeTable<'_>,
        rows: Option<&[u32]>,
        pass_bytes: &dyn Fn(usize) -> usize,
    ) -> Result<Self> {
        let n_rows = codes.n_rows();
        if let Some(r) = rows.and_then(|r| r.iter().find(|r| **r as usize >= n_rows)) {
            return Err(Error::Data(format!("row {r} of {n_rows} rows")));
        }
        // Refuse early what would not fit if all rows were distinct.
        let features = codes.columns.len();
        let asked = rows.map_or(n_rows, <[u32]>::len);
        let row_numbers = if codes.weights.is_some() { 4 * asked } else { 0 };
        let first = row_numbers + Self::distinct_bytes(asked);
        let all = row_numbers + Self::need(asked, features, pass_bytes(asked));
        budget.admit_first(WHAT, [first, all], REMEDY)?;
        let positive_rows = codes.positive_rows(rows);
        let rows = positive_rows.as_deref().or(rows);
        let offsets = codes.offsets();
        // From here on `i` is a position among the rows asked for.
        let row_at = |i: usize| rows.map_or(i, |r| r[i] as usize);
        let class = |i: usize| codes.classes[row_at(i)];
        let distinct = DistinctRows::among(codes, rows)?;
        // Check the memory again, now with the number of distinct rows.
        let kept = distinct.rows.len();
        let later = pass_bytes(kept).max(Self::places_bytes(kept));
        let all = Self::bytes(kept, features).saturating_add(later);
        budget.admit(WHAT, row_numbers.saturating_add(all), REMEDY)?;
        // Write the slots, a column at a time.
        let (mut out, places) = Self::place(offsets, codes.n_classes, &distinct, &class)?;
        for (k, column) in codes.columns.iter().enumerate() {
            let first = out.offsets[k];
            for (&i, &place) in distinct.rows.iter().zip(&places) {
                let slot = first + column.values.code(row_at(i as usize)) as u32;
                out.slots[place as usize * features + k] = slot;
            }
        }
        Ok(out)
    }

    /// Bytes that [`DistinctRows::new`] takes: per row a hash (8), its number and weight (4 each),
    /// and the hash table.
    fn distinct_bytes(rows: usize) -> usize {
        rows.saturating_mul(16) + 4 * table_size(rows)
    }

    /// Bytes that [`Self::gather`] of `rows` distinct rows needs, with the pass that follows and
    /// takes `pass_bytes`. Gathering frees its tables before the pass, so the larger of the two
    /// counts beside the rows.
    pub fn need(rows: usize, features: usize, pass_bytes: usize) -> usize {
        let later = pass_bytes.max(Self::places_bytes(rows));
        Self::bytes(rows, features).saturating_add(later).max(Self::distinct_bytes(rows))
    }

    /// Bytes of the numbers, weights and places of the distinct rows (4 each), which are freed
    /// before the pass.
    fn places_bytes(rows: usize) -> usize {
        rows.saturating_mul(12)
    }

    /// Bytes that these rows take. They stay in memory during the pass, and callers take them off
    /// its memory.
    pub fn held(&self) -> usize {
        Self::bytes(self.len(), self.features)
    }

    /// Bytes of `rows` rows: slots and weight.
    pub fn bytes(rows: usize, features: usize) -> usize {
        rows.saturating_mul(4 * (features + 1))
    }

    /// Most bytes that [`Self::assemble`] of `rows` distinct rows takes, its arguments included. A
    /// node asks for them before it makes these arguments.
    pub fn gathered_bytes(rows: usize, features: usize) -> usize {
        let slots = 4 * rows.saturating_mul(features);
        // class (2), hash (8), number and weight of a distinct row (4 each); beside these first the
        // hash table, then the slots in order with the weights and places
        let per_row = (2 + 8 + 4 + 4) * rows;
        slots.saturating_add(per_row).saturating_add((4 * table_size(rows)).max(slots + 8 * rows))
    }

    /// Rows with weights but zeros for slots, grouped by class, and the place of each distinct row
    /// among them.
    fn place(
        offsets: Vec<u32>,
        n_classes: usize,
        distinct: &DistinctRows,
        class: &dyn Fn(usize) -> u16,
    ) -> Result<(Self, Vec<u32>)> {
        let (features, kept) = (offsets.len() - 1, distinct.rows.len());
        let mut starts = vec![0usize; n_classes + 1];
        for &i in &distinct.rows {
            starts[usize::from(class(i as usize)) + 1] += 1;
        }
        for c in 0..n_classes {
            starts[c + 1] += starts[c];
        }
        let slots = memory::zeroed(kept * features)?;
        let mut out = Self { features, offsets, slots, weights: memory::zeroed(kept)?, starts };
        let mut next = out.starts.clone();
        let mut places = memory::with_capacity(kept)?;
        for (&i, &w) in distinct.rows.iter().zip(&distinct.weights) {
            let to = &mut next[usize::from(class(i as usize))];
            out.weights[*to] = w;
            places.push(*to as u32);
            *to += 1;
        }
        if out.total() > MAX_WEIGHT {
            return Err(Error::Data(format!(
                "a total weight of {}; pairs are counted up to {MAX_WEIGHT}",
                out.total()
            )));
        }
        Ok((out, places))
    }

    /// Compact rows from `slots`, row by row; `hash` is one per row, made with [`hash_class`] and
    /// [`hash_slot`].
    ///
    /// # Errors
    /// [`Error::Data`] if the weights exceed [`MAX_WEIGHT`].
    pub(super) fn assemble(
        offsets: Vec<u32>,
        n_classes: usize,
        slots: &[u32],
        hash: &[u64],
        class: &dyn Fn(usize) -> u16,
        weight: &dyn Fn(usize) -> u32,
    ) -> Result<Self> {
        let features = offsets.len() - 1;
        let row = |i: usize| (&slots[i * features..][..features], class(i));
        let distinct = DistinctRows::new(hash, &|i, j| row(i) == row(j), weight)?;
        let (mut out, places) = Self::place(offsets, n_classes, &distinct, class)?;
        for (&i, place) in distinct.rows.iter().zip(places) {
            out.slots[place as usize * features..][..features]
                .copy_from_slice(&slots[i as usize * features..][..features]);
        }
        Ok(out)
    }
}

/// Distance of two rows: the number of features on which they differ.
#[inline]
pub(super) fn distance(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a != b).count()
}

/// Hash of a row's class, to be continued with [`hash_slot`] for each feature.
pub(super) fn hash_class(class: u16) -> u64 {
    u64::from(class).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The hash of a row continued with the slot of its next feature.
pub(super) fn hash_slot(hash: u64, slot: u32) -> u64 {
    (hash ^ u64::from(slot)).wrapping_mul(0x9FB2_1C65_1E98_DF25).rotate_left(29)
}

/// The first of each set of identical rows, with the sum of their weights; all rows where merging
/// would save less than a fifth.
pub(super) struct DistinctRows {
    /// Positions among the rows searched.
    pub rows: Vec<u32>,
    pub weights: Vec<u32>,
}

impl DistinctRows {
    /// Find identical rows among `rows` of a table (all if `None`): the same class, and the same
    /// code in every column. O(rows x columns) by a hash of each row, which is compared in full
    /// where hashes are equal.
    pub fn among(codes: &CodeTable<'_>, rows: Option<&[u32]>) -> Result<Self> {
        let row_at = |i: usize| rows.map_or(i, |r| r[i] as usize);
        let count = rows.map_or(codes.n_rows(), <[u32]>::len);
        let mut hash: Vec<u64> = (0..count).map(|i| hash_class(codes.classes[row_at(i)])).collect();
        for (column, first) in codes.columns.iter().zip(codes.offsets()) {
            let slot = |v: usize| first + v as u32;
            column.values.for_each(rows, |i, v| hash[i] = hash_slot(hash[i], slot(v)));
        }
        let equal = |i: usize, j: usize| {
            let (i, j) = (row_at(i), row_at(j));
            codes.classes[i] == codes.classes[j]
                && codes.columns.iter().all(|c| c.values.code(i) == c.values.code(j))
        };
        Self::new(&hash, &equal, &|i| codes.weight(row_at(i)))
    }

    /// Find identical rows by `hash`, one per row, and `equal`.
    fn new(
        hash: &[u64],
        equal: &dyn Fn(usize, usize) -> bool,
        weight: &dyn Fn(usize) -> u32,
    ) -> Result<Self> {
        const FREE: u32 = u32::MAX;
        // Open addressing with linear probing; entries are positions in `rows`.
        let size = table_size(hash.len());
        let mut table = memory::with_capacity(size)?;
        table.resize(size, FREE);
        let mut rows: Vec<u32> = memory::with_capacity(hash.len())?;
        let mut weights: Vec<u32> = memory::with_capacity(hash.len())?;
        for (i, &h) in hash.iter().enumerate() {
            let mut at = (h ^ h >> 32) as usize & (size - 1);
            loop {
                if table[at] == FREE {
                    table[at] = rows.len() as u32;
                    rows.push(i as u32);
                    weights.push(weight(i));
                    break;
                }
                let entry = table[at] as usize;
                let other = rows[entry] as usize;
                if hash[other] == h && equal(other, i) {
                    weights[entry] = weights[entry]
                        .checked_add(weight(i))
                        .ok_or_else(|| Error::Data("weights above 2^32".into()))?;
                    break;
                }
                at = (at + 1) & (size - 1);
            }
        }
        // Weights above 1 cost a run of chunks per binary digit, so a small saving is not taken.
        if rows.len() * 5 >= hash.len() * 4 {
            rows.clear();
            rows.extend(0..hash.len() as u32);
            weights.clear();
            weights.extend((0..hash.len()).map(weight));
        }
        rows.shrink_to_fit();
        weights.shrink_to_fit();
        Ok(Self { rows, weights })
    }
}

/// Entries of the hash table for `rows` rows: a power of two, at most half full.
fn table_size(rows: usize) -> usize {
    (rows * 2).next_power_of_two().max(16)
}
