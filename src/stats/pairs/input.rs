//! What the pass reads: codes by column, classes, whole weights; and the rows it makes of them.
//!
//! [`CodeTable`] borrows columns from wherever they live. [`SlotRows::gather`] takes the rows asked
//! for, drops those of weight 0, collapses identical rows of one class into one row with a
//! multiplicity where that pays (fewer than 0.8 of the rows remain), and sorts by class. Cost O(t
//! n) and no sort of the codes: equal rows meet in a hash table.

use crate::error::{Error, Result};
use crate::memory::{self, Budget};

/// Codes of one column, in the width they are stored in.
#[derive(Debug, Clone, Copy)]
pub enum CodeValues<'a> {
    /// Up to 256 values.
    U8(&'a [u8]),
    /// Up to 65,535 values.
    U16(&'a [u16]),
}

impl CodeValues<'_> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::U8(c) => c.len(),
            Self::U16(c) => c.len(),
        }
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code of a row.
    #[inline]
    pub fn code(&self, row: usize) -> usize {
        match self {
            Self::U8(c) => usize::from(c[row]),
            Self::U16(c) => usize::from(c[row]),
        }
    }

    /// The codes of some rows (all if `None`), given to `put` with their position.
    #[inline]
    fn each(&self, rows: Option<&[u32]>, mut put: impl FnMut(usize, usize)) {
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

/// One nominal column; missing cells are a value of their own.
#[derive(Debug, Clone, Copy)]
pub struct CodeColumn<'a> {
    /// Codes below `levels`.
    pub values: CodeValues<'a>,
    /// Number of values, including the one that stands for missing cells.
    pub levels: usize,
}

/// A table of codes with classes and whole weights.
#[derive(Debug, Clone)]
pub struct CodeTable<'a> {
    pub(super) columns: Vec<CodeColumn<'a>>,
    classes: &'a [u16],
    pub(super) n_classes: usize,
    weights: Option<&'a [u32]>,
}

impl<'a> CodeTable<'a> {
    /// Check and hold. `classes` are below `n_classes`; `weights` (one a row) count copies, `None`
    /// is 1 each.
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
        let t = classes.len();
        let data = |text: String| Err(Error::Data(text));
        if columns.is_empty() || columns.len() > 1 << 20 {
            return data(format!(
                "pairs are counted over 1 to {} features, not {}",
                1 << 20,
                columns.len()
            ));
        }
        for (k, column) in columns.iter().enumerate() {
            if column.values.len() != t {
                return data(format!(
                    "column {k} has {} rows where the classes have {t}",
                    column.values.len()
                ));
            }
            if column.levels == 0 || column.levels > 65_535 {
                return data(format!(
                    "column {k} has {} values; pairs are counted over 1 to 65535",
                    column.levels
                ));
            }
            let mut worst = None;
            column.values.each(None, |i, v| {
                if v >= column.levels {
                    worst = Some((i, v));
                }
            });
            if let Some((i, v)) = worst {
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
        if weights.is_some_and(|w| w.len() != t) {
            return data(format!("{} weights for {t} rows", weights.map_or(0, <[u32]>::len)));
        }
        let total = weights.map_or(t as u64, |w| w.iter().map(|&w| u64::from(w)).sum());
        if total > MAX_WEIGHT {
            return data(format!(
                "a total weight of {total}; pairs are counted up to {MAX_WEIGHT} rows"
            ));
        }
        Ok(Self { columns, classes, n_classes, weights })
    }

    /// The columns.
    pub fn columns(&self) -> &[CodeColumn<'a>] {
        &self.columns
    }

    /// Class of each row.
    pub fn classes(&self) -> &'a [u16] {
        self.classes
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.classes.len()
    }

    /// Weight of a row.
    pub fn weight(&self, row: usize) -> u32 {
        self.weights.map_or(1, |w| w[row])
    }

    /// All weights; `None` where every row counts once.
    pub fn weights(&self) -> Option<&'a [u32]> {
        self.weights
    }

    /// First plane (feature, value) of each feature, and the number of all.
    pub fn offsets(&self) -> Vec<u32> {
        let mut at = 0;
        let mut offsets = vec![0];
        for column in &self.columns {
            at += column.levels as u32;
            offsets.push(at);
        }
        offsets
    }
}

/// Largest total weight whose square fits a signed 64-bit counter.
pub const MAX_WEIGHT: u64 = 3_037_000_499;

/// Rows sorted by class, each with its (feature, value) slots and a multiplicity.
#[derive(Debug, Clone)]
pub(super) struct SlotRows {
    /// Number of features.
    pub features: usize,
    /// First slot of each feature, and the number of all.
    pub offsets: Vec<u32>,
    /// `slots[row * features + k] = offsets[k] + code`.
    pub slots: Vec<u32>,
    /// Multiplicity of each row.
    pub weights: Vec<u32>,
    /// Where each class begins, and the number of rows.
    pub starts: Vec<usize>,
}

/// The work, and the remedy where memory does not suffice, for messages.
pub(super) const WHAT: &str = "the pass over pairs of rows";
pub(super) const REMEDY: &str = "give it that much, count a sample of the rows or fewer columns";

impl SlotRows {
    /// Number of (distinct) rows.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// The slots of a row.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.slots[i * self.features..][..self.features]
    }

    /// Sum of all multiplicities.
    pub fn total(&self) -> u64 {
        self.weights.iter().map(|&w| u64::from(w)).sum()
    }

    /// The rows asked for (all if `None`; a row may be named twice), without those of weight 0.
    ///
    /// # Errors
    /// [`Error::Data`] if a row does not exist or the weights exceed [`MAX_WEIGHT`];
    /// [`Error::Need`] where memory does not suffice for the rows and the least of the passes.
    pub fn gather(
        budget: Budget,
        codes: &CodeTable<'_>,
        rows: Option<&[u32]>,
        least: impl Fn(usize) -> usize,
    ) -> Result<Self> {
        let t = codes.n_rows();
        if let Some(r) = rows.and_then(|r| r.iter().find(|r| **r as usize >= t)) {
            return Err(Error::Data(format!("row {r} of {t} rows")));
        }
        let asked = rows.map_or(t, <[u32]>::len);
        let numbers = if codes.weights.is_some() { 4 * asked } else { 0 };
        let first = numbers + Self::distinct_bytes(asked);
        let all = numbers + Self::need(asked, codes.columns.len(), least(asked));
        budget.admit_first(WHAT, [first, all], REMEDY)?;
        let weighted: Vec<u32>;
        let rows = if codes.weights.is_some() {
            let positive = |r: &u32| codes.weight(*r as usize) > 0;
            let mut kept = Vec::with_capacity(asked);
            match rows {
                None => kept.extend((0..t as u32).filter(positive)),
                Some(r) => kept.extend(r.iter().copied().filter(positive)),
            }
            weighted = kept;
            Some(weighted.as_slice())
        } else {
            rows
        };
        let u = rows.map_or(t, <[u32]>::len);
        let features = codes.columns.len();
        let offsets = codes.offsets();
        let at = |i: usize| rows.map_or(i, |r| r[i] as usize);
        let class = |i: usize| codes.classes[at(i)];
        let (kept, weights) = {
            let mut hash: Vec<u64> = (0..u).map(|i| hash_class(class(i))).collect();
            for (column, &first) in codes.columns.iter().zip(&offsets) {
                let slot = |v: usize| first + v as u32;
                column.values.each(rows, |i, v| hash[i] = hash_slot(hash[i], slot(v)));
            }
            let equal = |i: usize, j: usize| {
                let (i, j) = (at(i), at(j));
                codes.classes[i] == codes.classes[j]
                    && codes.columns.iter().all(|c| c.values.code(i) == c.values.code(j))
            };
            collapse(&hash, equal, |i| codes.weight(at(i)))?
        };
        let later = least(kept.len()).max(Self::places_bytes(kept.len()));
        let all = Self::bytes(kept.len(), features).saturating_add(later);
        budget.admit(WHAT, numbers.saturating_add(all), REMEDY)?;
        let mut out = Self::empty(offsets, codes.n_classes, &kept, class)?;
        let places = out.place(&kept, &weights, class)?;
        for (k, column) in codes.columns.iter().enumerate() {
            let first = out.offsets[k];
            for (&i, &place) in kept.iter().zip(&places) {
                let slot = first + column.values.code(at(i as usize)) as u32;
                out.slots[place as usize * features + k] = slot;
            }
        }
        Ok(out)
    }

    /// Bytes of hashes, the table in which rows meet their equals, the rows that stay with their
    /// weights.
    fn distinct_bytes(rows: usize) -> usize {
        rows.saturating_mul(16) + 4 * table_size(rows)
    }

    /// Bytes that [`Self::gather`] of `rows` rows that all differ and a pass that takes `least`
    /// need.
    pub fn need(rows: usize, features: usize, least: usize) -> usize {
        let later = least.max(Self::places_bytes(rows));
        Self::bytes(rows, features).saturating_add(later).max(Self::distinct_bytes(rows))
    }

    /// Bytes of which rows stay, their weights and their places, given back before the pass.
    fn places_bytes(rows: usize) -> usize {
        rows.saturating_mul(12)
    }

    /// Bytes that these rows take.
    pub fn held(&self) -> usize {
        Self::bytes(self.len(), self.features)
    }

    /// Bytes of `rows` rows.
    pub fn bytes(rows: usize, features: usize) -> usize {
        rows.saturating_mul(4 * (features + 1))
    }

    /// Bytes of `rows` rows while [`Self::assemble`] puts them in order, with their slots.
    pub fn gathered_bytes(rows: usize, features: usize) -> usize {
        let slots = 4 * rows.saturating_mul(features);
        // classes and hashes; rows that stay with their weights, beside the table in which rows
        // meet their equals, and after it beside the rows in order and their places
        let of_all = (2 + 8 + 4 + 4) * rows;
        slots.saturating_add(of_all).saturating_add((4 * table_size(rows)).max(slots + 8 * rows))
    }

    /// Room for the rows that are kept, in order of their classes.
    fn empty(
        offsets: Vec<u32>,
        n_classes: usize,
        kept: &[u32],
        class: impl Fn(usize) -> u16,
    ) -> Result<Self> {
        let features = offsets.len() - 1;
        let mut starts = vec![0usize; n_classes + 1];
        for &i in kept {
            starts[usize::from(class(i as usize)) + 1] += 1;
        }
        for c in 0..n_classes {
            starts[c + 1] += starts[c];
        }
        let slots = memory::zeroed(kept.len() * features)?;
        Ok(Self { features, offsets, slots, weights: memory::zeroed(kept.len())?, starts })
    }

    /// Put the weights of the rows that are kept where the rows belong; the place of each.
    fn place(
        &mut self,
        kept: &[u32],
        weights: &[u32],
        class: impl Fn(usize) -> u16,
    ) -> Result<Vec<u32>> {
        let mut next = self.starts.clone();
        let mut places = memory::with_capacity(kept.len())?;
        for (&i, &w) in kept.iter().zip(weights) {
            let to = &mut next[usize::from(class(i as usize))];
            self.weights[*to] = w;
            places.push(*to as u32);
            *to += 1;
        }
        if self.total() > MAX_WEIGHT {
            return Err(Error::Data(format!(
                "a total weight of {}; pairs are counted up to {MAX_WEIGHT}",
                self.total()
            )));
        }
        Ok(places)
    }

    /// Rows from their slots, row by row, with a hash of (slots, class) each: equal rows collapse,
    /// classes come in order.
    ///
    /// # Errors
    /// [`Error::Data`] if the weights exceed [`MAX_WEIGHT`].
    pub(super) fn assemble(
        offsets: Vec<u32>,
        n_classes: usize,
        slots: &[u32],
        hash: &[u64],
        class: impl Fn(usize) -> u16,
        weight: impl Fn(usize) -> u32,
    ) -> Result<Self> {
        let features = offsets.len() - 1;
        let row = |i: usize| (&slots[i * features..][..features], class(i));
        let (kept, weights) = collapse(hash, |i, j| row(i) == row(j), weight)?;
        let mut out = Self::empty(offsets, n_classes, &kept, &class)?;
        for (&i, place) in kept.iter().zip(out.place(&kept, &weights, &class)?) {
            out.slots[place as usize * features..][..features]
                .copy_from_slice(&slots[i as usize * features..][..features]);
        }
        Ok(out)
    }
}

/// Begins the hash of a row.
pub(super) fn hash_class(class: u16) -> u64 {
    u64::from(class).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Goes on with a slot.
pub(super) fn hash_slot(hash: u64, slot: u32) -> u64 {
    (hash ^ u64::from(slot)).wrapping_mul(0x9FB2_1C65_1E98_DF25).rotate_left(29)
}

/// First of each set of equal rows with the sum of the weights, or all rows where fewer than a
/// fifth would go.
fn collapse(
    hash: &[u64],
    equal: impl Fn(usize, usize) -> bool,
    weight: impl Fn(usize) -> u32,
) -> Result<(Vec<u32>, Vec<u32>)> {
    const FREE: u32 = u32::MAX;
    let size = table_size(hash.len());
    let mut table = memory::with_capacity(size)?;
    table.resize(size, FREE);
    let mut kept: Vec<u32> = memory::with_capacity(hash.len())?;
    let mut weights: Vec<u32> = memory::with_capacity(hash.len())?;
    for (i, &h) in hash.iter().enumerate() {
        let mut at = (h ^ h >> 32) as usize & (size - 1);
        loop {
            if table[at] == FREE {
                table[at] = kept.len() as u32;
                kept.push(i as u32);
                weights.push(weight(i));
                break;
            }
            let entry = table[at] as usize;
            let other = kept[entry] as usize;
            if hash[other] == h && equal(other, i) {
                weights[entry] = weights[entry]
                    .checked_add(weight(i))
                    .ok_or_else(|| Error::Data("weights above 2^32".into()))?;
                break;
            }
            at = (at + 1) & (size - 1);
        }
    }
    if kept.len() * 5 >= hash.len() * 4 {
        kept.clear();
        kept.extend(0..hash.len() as u32);
        weights.clear();
        weights.extend((0..hash.len()).map(weight));
    }
    kept.shrink_to_fit();
    weights.shrink_to_fit();
    Ok((kept, weights))
}

/// Entries of the table in which `rows` rows meet their equals.
fn table_size(rows: usize) -> usize {
    (rows * 2).next_power_of_two().max(16)
}
