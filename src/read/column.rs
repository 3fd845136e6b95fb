//! One column while it is read: numbers, codes of declared labels, or codes of the labels that
//! occur.
//!
//! Most cells are short, and each takes a few nanoseconds: a number of up to 15 digits is read
//! without the standard parser, and a label of up to seven bytes is one word, whose code is found
//! without comparing text. Others take the general way.

use super::{Result, push, trim};
use crate::memory::try_reserve;
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// The type of the cells of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellKind {
    /// Finite numbers.
    Numbers,
    /// Declared labels; any other text is refused.
    Declared(Vec<Vec<u8>>),
    /// Any text; the labels are those that occur.
    Found,
}

/// A column that has been read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadColumn {
    /// Position of the column in the file.
    pub place: usize,
    /// The cells.
    pub values: CellValues,
}

/// The cells of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum CellValues {
    /// Numbers; NaN is missing.
    Numbers(Vec<f64>),
    /// Codes, and the labels that they number, which are sorted unless they were declared; -1 is
    /// missing.
    Codes(Vec<i32>, Vec<Vec<u8>>),
}

/// Why a cell was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    NotANumber,
    Infinite,
    /// A whole number that no float64 is equal to.
    Inexact,
    /// A label that is not declared.
    Undeclared,
    /// A label more than the limit.
    TooMany,
    /// There is no memory for the cell.
    Memory,
}

impl From<super::ReadError> for Refusal {
    fn from(_: super::ReadError) -> Self {
        Self::Memory
    }
}

/// A hash function by folded multiplication: quick for the few bytes of a label. Its keys are
/// random per process, so that no file can choose collisions.
#[derive(Debug, Clone)]
pub(crate) struct Seeded {
    start: u64,
    factor: u64,
}

impl Default for Seeded {
    fn default() -> Self {
        let draw = RandomState::new();
        Self { start: draw.hash_one(1_u8), factor: draw.hash_one(2_u8) | 1 }
    }
}

/// The hash of the bytes so far, and the key.
pub(crate) struct Folding {
    hash: u64,
    factor: u64,
}

impl BuildHasher for Seeded {
    type Hasher = Folding;
    fn build_hasher(&self) -> Folding {
        Folding { hash: self.start, factor: self.factor }
    }
}

impl Folding {
    #[inline]
    fn fold(&mut self, word: u64) {
        let wide = u128::from(self.hash ^ word) * u128::from(self.factor ^ 0x9e37_79b9_7f4a_7c15);
        self.hash = (wide as u64) ^ ((wide >> 64) as u64);
    }
}

impl Hasher for Folding {
    fn finish(&self) -> u64 {
        self.hash
    }
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.fold(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        }
        let mut last = 0_u64;
        for &byte in words.remainder() {
            last = last << 8 | u64::from(byte);
        }
        self.fold(last ^ (bytes.len() as u64) << 56);
    }
    // `write` hashes the length of a slice itself.
    #[inline]
    fn write_usize(&mut self, _length: usize) {}
}

/// A column under construction.
#[derive(Debug, Clone)]
pub(crate) enum ColumnBuilder {
    Numbers(Vec<f64>),
    Labels {
        codes: Vec<i32>,
        /// Labels of up to seven bytes.
        short: ShortLabels,
        /// The other labels.
        known: HashMap<Box<[u8]>, i32, Seeded>,
        declared: bool,
        /// Most labels.
        most: usize,
    },
}

/// The largest whole number, 2^53 - 1, up to which float64 has all of them.
const SAFE: f64 = 9_007_199_254_740_991.0;

/// A hash table from short labels to codes. A label is a word ([`packed`]), so no text is compared
/// or stored apart. Open addressing; at most half of the slots are taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShortLabels {
    /// (word, code); the word of an empty slot is 0.
    slots: Vec<(u64, i32)>,
    count: usize,
    seed: Seeded,
}

impl ShortLabels {
    /// The code of a label, if it is known.
    #[inline]
    fn find(&self, word: u64) -> Option<i32> {
        let mut at = self.home(word);
        loop {
            let &(known, code) = self.slots.get(at)?;
            if known == word {
                return Some(code);
            }
            if known == 0 {
                return None;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// The slot at which the search for a word begins.
    #[inline]
    fn home(&self, word: u64) -> usize {
        let mut hash = self.seed.build_hasher();
        hash.fold(word);
        hash.finish() as usize & self.slots.len().wrapping_sub(1)
    }

    /// Add a label that is not there yet.
    fn add(&mut self, word: u64, code: i32) -> Result<()> {
        if 2 * self.count >= self.slots.len() {
            let mut wider = Vec::new();
            try_reserve(&mut wider, (2 * self.slots.len()).max(64))?;
            wider.resize((2 * self.slots.len()).max(64), (0, 0));
            let old = std::mem::replace(&mut self.slots, wider);
            old.into_iter().filter(|slot| slot.0 != 0).for_each(|slot| self.place(slot));
        }
        self.count += 1;
        self.place((word, code));
        Ok(())
    }

    /// Put a label into the first empty slot from its home on.
    fn place(&mut self, slot: (u64, i32)) {
        let mut at = self.home(slot.0);
        while self.slots[at].0 != 0 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = slot;
    }

    /// All labels with their codes.
    fn labels(&self) -> impl Iterator<Item = (Vec<u8>, i32)> + '_ {
        self.slots.iter().filter(|slot| slot.0 != 0).map(|&(word, code)| {
            let bytes = word.to_le_bytes();
            (bytes[..usize::from(bytes[7])].to_vec(), code)
        })
    }
}

/// One to seven bytes and their number (in the highest byte) as one word; None for other lengths.
///
/// Loads that overlap spare a loop over the bytes.
#[inline]
fn packed(text: &[u8]) -> Option<u64> {
    let n = text.len();
    if n == 0 || n > 7 {
        return None;
    }
    let word = if n >= 4 {
        let first = u32::from_le_bytes([text[0], text[1], text[2], text[3]]);
        let last = u32::from_le_bytes([text[n - 4], text[n - 3], text[n - 2], text[n - 1]]);
        u64::from(first) | u64::from(last) << (8 * (n - 4))
    } else {
        u64::from(text[0]) | u64::from(text[n / 2]) << 8 | u64::from(text[n - 1]) << 16
    };
    Some(word | (n as u64) << 56)
}

/// The number that Python's `float` reads, but without blanks and underscores.
#[inline]
pub(crate) fn number(text: &[u8]) -> Option<f64> {
    if let Some(value) = short_number(text) {
        return Some(value);
    }
    if text.is_ascii() { std::str::from_utf8(text).ok()?.parse().ok() } else { None }
}

/// Whether the text is a whole number in digits that differs from `value`, which was read from it.
/// Float64 has all whole numbers of up to 15 digits.
#[cold]
fn is_another(text: &[u8], value: f64) -> bool {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    let zeros = digits.iter().take_while(|&&b| b == b'0').count();
    let digits = &digits[zeros..];
    digits.len() > 15
        && digits.iter().all(u8::is_ascii_digit)
        && format!("{:.0}", value.abs()).as_bytes() != digits
}

/// A number of up to 15 digits without an exponent: one division of two exact numbers rounds it
/// correctly (Clinger 1990).
#[inline]
fn short_number(text: &[u8]) -> Option<f64> {
    const TENS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    if text.len() > 17 {
        return None;
    }
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (mut whole, mut count, mut point) = (0_u64, 0_usize, None);
    for &byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            whole = whole * 10 + u64::from(digit);
            count += 1;
        } else if byte == b'.' && point.is_none() {
            point = Some(count);
        } else {
            return None;
        }
    }
    if count == 0 || count > 15 {
        return None;
    }
    let value = whole as f64 / TENS[point.map_or(0, |at| count - at)];
    Some(if negative { -value } else { value })
}

/// Add a label that is not known yet.
fn add_label(
    short: &mut ShortLabels,
    known: &mut HashMap<Box<[u8]>, i32, Seeded>,
    label: &[u8],
    code: i32,
) -> Result<()> {
    if let Some(word) = packed(label) {
        return short.add(word, code);
    }
    known.try_reserve(1)?;
    known.insert(label.into(), code);
    Ok(())
}

impl ColumnBuilder {
    /// Whether the cells are numbers.
    pub(crate) fn is_numeric(&self) -> bool {
        matches!(self, Self::Numbers(_))
    }

    /// A column without cells, with at most `most` labels.
    pub(crate) fn new(kind: &CellKind, most: usize) -> Result<Self> {
        Ok(match kind {
            CellKind::Numbers => Self::Numbers(Vec::new()),
            CellKind::Found => Self::Labels {
                codes: Vec::new(),
                short: ShortLabels::default(),
                known: HashMap::default(),
                declared: false,
                most,
            },
            CellKind::Declared(labels) => {
                let (mut short, mut known) = (ShortLabels::default(), HashMap::default());
                for (label, code) in labels.iter().zip(0..) {
                    add_label(&mut short, &mut known, label, code)?;
                }
                Self::Labels { codes: Vec::new(), short, known, declared: true, most }
            }
        })
    }

    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Labels { codes, .. } => codes.len(),
        }
    }

    /// Append a missing cell.
    pub(crate) fn skip(&mut self) -> Result<()> {
        match self {
            Self::Numbers(values) => push(values, f64::NAN),
            Self::Labels { codes, .. } => push(codes, -1),
        }
    }

    /// Append a cell if it is a short number or a known short label; false, and nothing has
    /// happened, if it is not.
    #[inline]
    pub(crate) fn take_quickly(&mut self, cell: &[u8]) -> Result<bool> {
        match self {
            Self::Numbers(values) => {
                let Some(value) = short_number(cell) else { return Ok(false) };
                push(values, value)?;
            }
            Self::Labels { codes, short, .. } => {
                let Some(word) = packed(cell) else { return Ok(false) };
                let Some(code) = short.find(word) else { return Ok(false) };
                push(codes, code)?;
            }
        }
        Ok(true)
    }

    /// Append a cell that is not missing. Blanks around numbers and undeclared labels are left out.
    #[inline]
    pub(crate) fn take(&mut self, cell: &[u8]) -> std::result::Result<(), Refusal> {
        match self {
            Self::Numbers(values) => {
                let value = number(trim(cell)).ok_or(Refusal::NotANumber)?;
                push(values, value)?;
                if value.is_infinite() {
                    Err(Refusal::Infinite)
                } else if value.abs() > SAFE && is_another(trim(cell), value) {
                    Err(Refusal::Inexact)
                } else {
                    Ok(())
                }
            }
            Self::Labels { codes, short, known, declared, most } => {
                let cell = if *declared { cell } else { trim(cell) };
                let found = match packed(cell) {
                    Some(word) => short.find(word),
                    None => known.get(cell).copied(),
                };
                let labels = short.count + known.len();
                let code = match found {
                    Some(code) => code,
                    None if *declared => return Err(Refusal::Undeclared),
                    None if labels >= *most => return Err(Refusal::TooMany),
                    None => {
                        add_label(short, known, cell, labels as i32)?;
                        labels as i32
                    }
                };
                push(codes, code)?;
                Ok(())
            }
        }
    }

    /// Append a code (or number) that a sparse row implies.
    pub(crate) fn take_code(&mut self, code: i32) -> Result<()> {
        match self {
            Self::Numbers(values) => push(values, f64::from(code)),
            Self::Labels { codes, .. } => push(codes, code),
        }
    }

    /// The finished column.
    pub(crate) fn finish(self, place: usize) -> ReadColumn {
        let values = match self {
            Self::Numbers(mut values) => {
                values.shrink_to_fit();
                CellValues::Numbers(values)
            }
            Self::Labels { mut codes, short, known, declared, .. } => {
                codes.shrink_to_fit();
                // Labels by code if declared, else in sorted order with new codes.
                let long = known.into_iter().map(|(text, code)| (text.into_vec(), code));
                let mut labels: Vec<(Vec<u8>, i32)> = short.labels().chain(long).collect();
                if declared {
                    labels.sort_unstable_by_key(|(_, code)| *code);
                } else {
                    labels.sort_unstable();
                    let mut rank = vec![0; labels.len()];
                    for (new, (_, old)) in labels.iter().enumerate() {
                        rank[*old as usize] = new as i32;
                    }
                    for code in codes.iter_mut().filter(|code| **code >= 0) {
                        *code = rank[*code as usize];
                    }
                }
                CellValues::Codes(codes, labels.into_iter().map(|(text, _)| text).collect())
            }
        };
        ReadColumn { place, values }
    }
}
