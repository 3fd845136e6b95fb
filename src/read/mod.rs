//! Text files become columns, in one pass over the bytes.
//!
//! [`Arff`] reads Weka's ARFF. [`Delimited`] reads CSV and similar formats (any separator, quoted
//! cells), Orange's tab files and C4.5's rows. Both are fed blocks of bytes of any size; they hold
//! the encoded columns (8 bytes per number, 4 bytes per nominal cell, each distinct label once) and
//! an incomplete record, and return the columns at the end. A [`Fault`] names line, column and
//! value.
//!
//! Why not a library: `csv-core` accepts text behind a closing quote, reads `a, "b, c"` as three
//! cells, and does not say where an open quote was opened; pyarrow's reader names no line for a row
//! of wrong length and no column for a bad quote; no published reader of ARFF takes the papers'
//! files. So [`cells`] divides CSV and [`lexer`] divides ARFF, with searches by `memchr`. Cells
//! stay bytes, because UTF-8 and Latin-1 agree on every separator: at the end of the file
//! [`Encoding`] says which of them it has.
//!
//! O(bytes). Each label of a cell is hashed once, with a seed of the process, so that no file can
//! choose collisions. Compressed and UTF-16 files must be decoded first, and hundreds of millions
//! of numbers are better kept in Parquet.

mod arff;
mod arff_header;
mod cells;
mod column;
mod delimited;
mod encoding;
mod lexer;
mod lines;

use crate::memory::try_reserve;

pub use arff::Arff;
pub use arff_header::{Attribute, AttributeKind};
pub use cells::Dialect;
pub use column::{CellKind, CellValues, ReadColumn};
pub use delimited::{Delimited, DelimitedColumns, WantedColumn};
pub use encoding::Encoding;

/// Limits on what a file may contain, so that a hostile one cannot exhaust the machine. An error
/// names the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Bytes of one cell or name.
    pub field: usize,
    /// Columns of a file.
    pub columns: usize,
    /// Distinct labels of one column.
    pub levels: usize,
    /// Bytes of one line (ARFF, C4.5) or record (CSV).
    pub line: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { field: 1 << 20, columns: 1_000_000, levels: 65_536, line: 1 << 28 }
    }
}

/// Bytes of a value that an error keeps. It shows eighty characters, of at most four bytes each.
const SHOWN: usize = 400;

/// A fault of a file: the problem, where it is, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fault {
    /// The problem, as a sentence that follows line, column and value.
    pub problem: String,
    /// Line number from 1.
    pub line: Option<u64>,
    /// Name of the column, as bytes of the file.
    pub column: Option<Vec<u8>>,
    /// The offending text.
    pub value: Option<Vec<u8>>,
    /// The declared labels, if the value is not one of them.
    pub declared: Option<Vec<Vec<u8>>>,
    /// Whether the remedy is to leave the column out. The caller adds the words, as it knows the
    /// option that does so.
    pub leave_out: bool,
}

/// Why reading ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    /// The file is malformed or beyond a limit.
    Fault(Box<Fault>),
    /// The columns do not fit into memory.
    Memory,
}

/// Result of reading.
pub type Result<T> = std::result::Result<T, ReadError>;

impl Fault {
    /// A problem without a place.
    pub(crate) fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), ..Self::default() }
    }

    /// Name the line.
    pub(crate) fn at(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// Name the column.
    pub(crate) fn column(mut self, name: &[u8]) -> Self {
        self.column = Some(name.to_vec());
        self
    }

    /// Show the value.
    pub(crate) fn value(mut self, value: &[u8]) -> Self {
        self.value = Some(value[..value.len().min(SHOWN)].to_vec());
        self
    }

    /// Advise to leave the column out; the problem ends with that advice.
    pub(crate) fn leave_out(mut self) -> Self {
        self.leave_out = true;
        self
    }

    /// The fault as an error.
    pub(crate) fn error<T>(self) -> Result<T> {
        Err(ReadError::Fault(Box::new(self)))
    }
}

impl From<std::collections::TryReserveError> for ReadError {
    fn from(_: std::collections::TryReserveError) -> Self {
        Self::Memory
    }
}

/// Push onto a vector; an error if memory is full, where `Vec::push` would end the process.
#[inline]
pub(crate) fn push<T>(to: &mut Vec<T>, value: T) -> Result<()> {
    if to.len() == to.capacity() {
        try_reserve(to, to.len().max(64))?;
    }
    to.push(value);
    Ok(())
}

/// Append bytes; an error if memory is full.
#[inline]
pub(crate) fn append(to: &mut Vec<u8>, bytes: &[u8]) -> Result<()> {
    if to.capacity() - to.len() < bytes.len() {
        try_reserve(to, bytes.len().max(to.len()))?;
    }
    to.extend_from_slice(bytes);
    Ok(())
}

/// A whole number with commas between its thousands.
pub(crate) fn with_commas(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A name in single quotes, with escapes, for the text of an error.
pub(crate) fn shown(name: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(name))
        .replacen('"', "'", 1)
        .trim_end_matches('"')
        .to_string()
        + "'"
}

/// Blanks as ASCII has them: space, tab, line ends, vertical tab, form feed, and the separators
/// 0x1c to 0x1f.
#[inline]
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | 9..=13 | 28..=31)
}

/// Text without blanks around it.
#[inline]
pub(crate) fn trim(text: &[u8]) -> &[u8] {
    let mut text = text;
    while let [first, rest @ ..] = text
        && is_blank(*first)
    {
        text = rest;
    }
    while let [rest @ .., last] = text
        && is_blank(*last)
    {
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests;
