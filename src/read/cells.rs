//! Bytes become records of cells: separated values with quoted cells, as in RFC 4180.
//!
//! A quote opens a quoted cell only at the start of a cell, or behind blanks there. Inside it,
//! separators and line ends are text and a doubled quote is a quote; between its closing quote and
//! the next separator there may only be blanks. Lines end in LF, CR or CR LF.
//!
//! [`CellScanner`] is a state machine over bytes. A line without quotes, as most are, is divided at
//! once instead ([`CellScanner::line_at_once`]), eight bytes at a time. O(bytes) in any case.

use super::{Fault, ReadLimits, Result, append, push, trim};
use crate::memory::try_reserve;

/// Longer lines are left to the state machine: dividing a line at once reserves memory for as many
/// cells as it has bytes.
const LONG_LINE: usize = 1 << 16;

/// The lowest and the highest bit of each of eight bytes.
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The format of delimited text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The separator; a blank means any number of blanks and tabs.
    pub separator: u8,
    /// Whether `"` quotes.
    pub quotes: bool,
    /// Number of lines at the start of the file that are no records.
    pub skip: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellState {
    /// Before the first byte of a cell.
    Start,
    /// Inside a cell without quotes.
    Bare,
    /// Inside the quotes of a cell.
    Quoted,
    /// Behind a quote inside a quoted cell: the first of a doubled quote, or the closing one.
    Quote,
    /// Behind blanks that follow the closing quote.
    Behind,
}

/// One record. Cell j is `bytes[ends[j - 1] + gap..ends[j]]`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record {
    pub(crate) bytes: Vec<u8>,
    /// End of each cell.
    pub(crate) ends: Vec<usize>,
    /// Bytes between two cells: 1 in a line that was divided at once, whose separators are kept.
    gap: usize,
    /// Line on which the record starts.
    pub(crate) line: u64,
    /// Whether some cell was quoted.
    pub(crate) quoted: bool,
    /// Whether a quoted cell holds a line end.
    pub(crate) several_lines: bool,
}

impl Record {
    /// The text of a cell.
    #[inline]
    pub(crate) fn cell(&self, j: usize) -> &[u8] {
        let start = if j == 0 { 0 } else { self.ends[j - 1] + self.gap };
        &self.bytes[start..self.ends[j]]
    }

    /// Whether two records have the same cells, apart from blanks around the cells.
    pub(crate) fn has_cells_of(&self, other: &Self) -> bool {
        self.ends.len() == other.ends.len()
            && (0..self.ends.len()).all(|j| trim(self.cell(j)) == trim(other.cell(j)))
    }

    /// Line on which a cell starts.
    pub(crate) fn line_of(&self, j: usize) -> u64 {
        if !self.several_lines || j == 0 {
            return self.line;
        }
        let (mut lines, mut before) = (0, 0);
        for &byte in &self.bytes[..self.ends[j - 1]] {
            lines += u64::from(byte == b'\r' || (byte == b'\n' && before != b'\r'));
            before = byte;
        }
        self.line + lines
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.gap = 0;
        self.several_lines = false;
        self.quoted = false;
    }
}

/// Divides blocks of bytes into records, and keeps its state between two blocks.
#[derive(Debug, Clone)]
pub(crate) struct CellScanner {
    dialect: Dialect,
    /// For each byte, whether it ends a bare cell.
    stops: [bool; 256],
    /// For each byte, whether a bare cell may start with it.
    starts: [bool; 256],
    state: CellState,
    /// The record that is being read.
    record: Record,
    /// Number of the line that is being read.
    line: u64,
    /// Line of the last opening quote.
    opened: u64,
    /// Whether the last byte was a CR: a LF that follows belongs to it.
    after_return: bool,
    /// Lines still to skip.
    skip: u64,
}

impl CellScanner {
    pub(crate) fn new(dialect: Dialect) -> Self {
        let mut stops = [false; 256];
        for byte in [dialect.separator, b'\n', b'\r'] {
            stops[usize::from(byte)] = true;
        }
        if dialect.separator == b' ' {
            stops[usize::from(b'\t')] = true;
        }
        let blank_or_quote = |b: usize| b == usize::from(b' ') || b == usize::from(b'"');
        let starts = std::array::from_fn(|b| !stops[b] && !blank_or_quote(b));
        Self {
            dialect,
            stops,
            starts,
            state: CellState::Start,
            record: Record { line: 1, ..Record::default() },
            line: 1,
            opened: 0,
            after_return: false,
            skip: dialect.skip,
        }
    }

    /// Number of the line that is being read.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Position of the cell that is being read, and its bytes so far.
    pub(crate) fn open(&self) -> (usize, &[u8]) {
        let start = self.record.ends.last().copied().unwrap_or(0);
        (self.record.ends.len(), &self.record.bytes[start..])
    }

    fn separates(&self, byte: u8) -> bool {
        byte == self.dialect.separator || (self.dialect.separator == b' ' && byte == b'\t')
    }

    /// Take a block; `take` gets every complete record.
    pub(crate) fn feed(
        &mut self,
        block: &[u8],
        limits: &ReadLimits,
        take: &mut impl FnMut(&Record) -> Result<()>,
    ) -> Result<()> {
        let mut at = 0;
        // Up to this place lines go through the state machine: dividing them at once has failed, or
        // the dialect does not allow it.
        let mut stepwise = if self.can_divide_lines() { 0 } else { block.len() };
        while at < block.len() {
            if self.skip > 0 {
                at = self.skip_lines(block, at);
                continue;
            }
            if at >= stepwise && self.is_between_records() {
                let end = memchr::memchr(b'\n', &block[at..]).map_or(block.len(), |n| at + n);
                if end < block.len() && self.line_at_once(&block[at..end], limits)? {
                    self.end_record(take)?;
                    at = end + 1;
                    continue;
                }
                stepwise = end;
            }
            match self.state {
                CellState::Start if self.starts[usize::from(block[at])] => {
                    self.after_return = false;
                    self.state = CellState::Bare;
                }
                CellState::Bare => {
                    let rest = &block[at..];
                    let length = rest.iter().position(|&b| self.stops[usize::from(b)]);
                    append(&mut self.record.bytes, &rest[..length.unwrap_or(rest.len())])?;
                    at += length.unwrap_or(rest.len());
                    self.check(limits)?;
                    if length.is_some() {
                        self.end_cell(block[at], limits, take)?;
                        at += 1;
                    }
                }
                CellState::Quoted => {
                    let rest = &block[at..];
                    let length = memchr::memchr(b'"', rest);
                    let text = &rest[..length.unwrap_or(rest.len())];
                    self.append_quoted(text)?;
                    self.check(limits)?;
                    at += text.len();
                    if length.is_some() {
                        self.state = CellState::Quote;
                        at += 1;
                    }
                }
                _ => {
                    self.step(block[at], limits, take)?;
                    at += 1;
                }
            }
        }
        Ok(())
    }

    /// Skip lines at the start of the file, and return the position behind them.
    fn skip_lines(&mut self, block: &[u8], from: usize) -> usize {
        for (at, &byte) in block.iter().enumerate().skip(from) {
            let second = self.after_return && byte == b'\n';
            self.after_return = byte == b'\r';
            if second {
                continue;
            }
            if byte == b'\n' || byte == b'\r' {
                self.line += 1;
                self.record.line = self.line;
                self.skip -= 1;
                if self.skip == 0 {
                    return at + 1;
                }
            }
        }
        block.len()
    }

    /// Append text inside quotes, and count its line ends.
    fn append_quoted(&mut self, text: &[u8]) -> Result<()> {
        for &byte in text {
            if byte == b'\r' || (byte == b'\n' && !self.after_return) {
                self.line += 1;
                self.record.several_lines = true;
            }
            self.after_return = byte == b'\r';
        }
        append(&mut self.record.bytes, text)
    }

    /// Take one byte that is not inside bare or quoted text.
    fn step(
        &mut self,
        byte: u8,
        limits: &ReadLimits,
        take: &mut impl FnMut(&Record) -> Result<()>,
    ) -> Result<()> {
        let after_return = std::mem::take(&mut self.after_return);
        match self.state {
            // The LF of a CR LF, and blanks before a cell.
            CellState::Start if byte == b'\n' && after_return => {}
            CellState::Start if self.separates(byte) && self.dialect.separator == b' ' => {}
            CellState::Start if byte == b' ' && !self.separates(byte) && self.dialect.quotes => {}
            CellState::Start if byte == b'"' && self.dialect.quotes => {
                self.state = CellState::Quoted;
                self.opened = self.line;
                self.record.quoted = true;
            }
            CellState::Quote if byte == b'"' => {
                push(&mut self.record.bytes, byte)?;
                self.state = CellState::Quoted;
            }
            CellState::Start | CellState::Quote | CellState::Behind
                if self.stops[usize::from(byte)] =>
            {
                self.end_cell(byte, limits, take)?;
            }
            CellState::Start => {
                push(&mut self.record.bytes, byte)?;
                self.state = CellState::Bare;
            }
            _ if byte == b' ' || byte == b'\t' => self.state = CellState::Behind,
            _ => {
                let (column, text) = self.open();
                let problem = format!(
                    "a quoted cell is broken: text behind its closing quote (cell {} of the line); \
                     double the quotes inside it, or put a separator behind it",
                    column + 1
                );
                return Fault::new(problem).at(self.opened).value(text).error();
            }
        }
        Ok(())
    }

    /// End a cell at a separator or line end.
    #[inline]
    fn end_cell(
        &mut self,
        byte: u8,
        limits: &ReadLimits,
        take: &mut impl FnMut(&Record) -> Result<()>,
    ) -> Result<()> {
        let is_empty = self.state == CellState::Start;
        self.state = CellState::Start;
        if self.separates(byte) {
            push(&mut self.record.ends, self.record.bytes.len())?;
            return self.check_count(limits);
        }
        self.after_return = byte == b'\r';
        // Blanks at the end of a line are no separator.
        if !(is_empty && self.dialect.separator == b' ' && !self.record.ends.is_empty()) {
            push(&mut self.record.ends, self.record.bytes.len())?;
            self.check_count(limits)?;
        }
        self.end_record(take)
    }

    /// Pass on the record, and begin the next.
    #[inline]
    fn end_record(&mut self, take: &mut impl FnMut(&Record) -> Result<()>) -> Result<()> {
        take(&self.record)?;
        self.record.clear();
        self.line += 1;
        self.record.line = self.line;
        Ok(())
    }

    /// Whether the dialect allows [`Self::line_at_once`].
    fn can_divide_lines(&self) -> bool {
        self.dialect.quotes && self.dialect.separator != b' '
    }

    /// Whether no byte of the next record has been read.
    #[inline]
    fn is_between_records(&self) -> bool {
        self.state == CellState::Start
            && self.record.ends.is_empty()
            && self.record.bytes.is_empty()
            && !self.record.quoted
            && !self.after_return
    }

    /// Divide a line (without its end) at once. False, and nothing has happened, if it has a quote,
    /// a CR or a blank before a cell, is empty, or exceeds a limit.
    #[inline]
    fn line_at_once(&mut self, line: &[u8], limits: &ReadLimits) -> Result<bool> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (separator, first) = (self.dialect.separator, line.first());
        let most = limits.field.min(limits.line).min(LONG_LINE);
        if line.len() > most
            || first.is_none_or(|&byte| byte == b' ')
            || memchr::memchr2(b'"', b'\r', line).is_some()
        {
            return Ok(false);
        }
        let ends = &mut self.record.ends;
        try_reserve(ends, line.len() + 1)?;
        let pattern = u64::from(separator) * LOW;
        let (words, rest) = line.as_chunks::<8>();
        for (place, word) in words.iter().enumerate() {
            let other = u64::from_le_bytes(*word) ^ pattern;
            // The high bit of each byte that is the separator (Warren, Hacker's Delight, 6-1).
            let mut found = !(((other & !HIGH) + !HIGH) | other | !HIGH);
            while found != 0 {
                ends.push(8 * place + found.trailing_zeros() as usize / 8);
                found &= found - 1;
            }
        }
        let before = line.len() - rest.len();
        for (place, &byte) in rest.iter().enumerate() {
            if byte == separator {
                ends.push(before + place);
            }
        }
        // The state machine removes blanks before cells and reports what exceeds a limit.
        let blank = ends.iter().any(|&end| line.get(end + 1) == Some(&b' '));
        ends.push(line.len());
        if blank || ends.len() > limits.columns {
            ends.clear();
            return Ok(false);
        }
        self.record.gap = 1;
        append(&mut self.record.bytes, line)?;
        Ok(true)
    }

    /// An error if the record has more cells than the limit.
    #[inline]
    fn check_count(&self, limits: &ReadLimits) -> Result<()> {
        if self.record.ends.len() <= limits.columns {
            return Ok(());
        }
        let problem =
            format!("the line has more than {} cells; is the separator right?", limits.columns);
        Fault::new(problem).at(self.line).error()
    }

    /// An error if the cell or the record is longer than its limit.
    #[inline]
    fn check(&self, limits: &ReadLimits) -> Result<()> {
        let start = self.record.ends.last().copied().unwrap_or(0);
        let length = self.record.bytes.len();
        if length - start <= limits.field && length <= limits.line {
            Ok(())
        } else {
            self.too_long(limits)
        }
    }

    /// The error of a cell or record that is longer than its limit.
    fn too_long(&self, limits: &ReadLimits) -> Result<()> {
        let start = self.record.ends.last().copied().unwrap_or(0);
        let line = if self.state == CellState::Quoted { self.opened } else { self.line };
        if self.record.bytes.len() - start > limits.field {
            let problem = format!(
                "starts a cell (number {}) of more than {} bytes{}; raise \
                 limits=Limits(field=...), or correct the file",
                self.record.ends.len() + 1,
                limits.field,
                if self.state == CellState::Quoted { " whose quote is opened here" } else { "" }
            );
            let shown = &self.record.bytes[start..start + limits.field.min(40)];
            return Fault::new(problem).at(line).value(shown).error();
        }
        let problem = format!("the record is longer than {} bytes", limits.line);
        Fault::new(problem).at(self.record.line).error()
    }

    /// End the last record at the end of the file.
    pub(crate) fn finish(
        &mut self,
        limits: &ReadLimits,
        take: &mut impl FnMut(&Record) -> Result<()>,
    ) -> Result<()> {
        if self.state == CellState::Quoted {
            let (column, text) = self.open();
            let problem = format!(
                "a quoted cell is broken: its quote (\") is opened here, in cell {} of the line, \
                 and never closed; close or double it",
                column + 1
            );
            return Fault::new(problem).at(self.opened).value(&text[..text.len().min(40)]).error();
        }
        if self.state != CellState::Start || !self.record.ends.is_empty() {
            self.end_cell(b'\n', limits, take)?;
        }
        Ok(())
    }
}
