//! The reader of delimited text: CSV, tab-separated files and the like.
//!
//! The types of the columns are not known before some records have been read. So the first records
//! are kept as a sample, the caller decides from it ([`Delimited::start`]), and then each record is
//! appended to the columns and forgotten. A column of numbers may turn out to have text behind the
//! sample; [`Delimited::finish`] names it, and the caller reads the file again.

use super::cells::{CellScanner, Record};
use super::column::{CellKind, CellValues, ColumnBuilder, ReadColumn, Refusal};
use super::encoding::Encoding;
use super::{Dialect, Fault, ReadLimits, Result, push, trim, with_commas};

/// Most records of the sample.
const SAMPLE_RECORDS: usize = 8192;
/// Bytes of the sample beyond which it takes no further record.
const SAMPLE_BYTES: usize = 1 << 24;

/// A reader of delimited text. Feed it blocks until [`Delimited::is_ready`], look at
/// [`Delimited::sample`], call [`Delimited::start`], feed the rest, and [`Delimited::finish`].
#[derive(Debug)]
pub struct Delimited {
    cells: CellScanner,
    encoding: Encoding,
    limits: ReadLimits,
    rows: KeptRecords,
}

/// The sample, and the columns that records are appended to.
#[derive(Debug, Default)]
struct KeptRecords {
    /// Number of cells of every row; of the first record until [`Delimited::start`] is called.
    width: usize,
    sample: Vec<Record>,
    sample_bytes: usize,
    /// Whether records without text are no rows, as in formats without quotes.
    skip_empty: bool,
    /// Whether [`Delimited::start`] has been called.
    started: bool,
    columns: Vec<PendingColumn>,
    missing: Vec<MissingText>,
    /// Length of the longest text in `missing`.
    longest_missing: usize,
    names: Vec<Vec<u8>>,
    /// Positions of the columns that have text behind the sample.
    failed: Vec<usize>,
    /// The record with the names of the columns, which is no row where it stands again.
    header: Option<Record>,
    /// Lines on which the header stands again.
    repeated: Vec<u64>,
}

/// A text that means a missing value.
#[derive(Debug)]
struct MissingText {
    text: Vec<u8>,
    /// Whether a cell was equal to it.
    is_found: bool,
}

/// The content of a file, as columns.
#[derive(Debug)]
pub struct DelimitedColumns {
    /// The columns.
    pub columns: Vec<ReadColumn>,
    /// Positions of the columns that must be read again as labels.
    pub failed: Vec<usize>,
    /// The texts for missing values that some cell was equal to.
    pub matched: Vec<Vec<u8>>,
    /// Lines that repeat the names of the columns, which are no rows.
    pub repeated: Vec<u64>,
}

/// A column while it is read.
#[derive(Debug)]
struct PendingColumn {
    /// Position in the file.
    place: usize,
    builder: ColumnBuilder,
    /// Whether text makes it a column of labels instead of an error.
    may_fail: bool,
    /// The first cell whose number is refused. It is an error only if the column stays one of
    /// numbers.
    refused: Option<RefusedNumber>,
}

/// A cell with a number that float64 cannot represent.
#[derive(Debug)]
struct RefusedNumber {
    line: u64,
    cell: Vec<u8>,
    refusal: Refusal,
}

/// A column that the caller wants.
#[derive(Debug, Clone)]
pub struct WantedColumn {
    /// Position in the file.
    pub place: usize,
    /// The type of its cells.
    pub kind: CellKind,
    /// Whether a column of numbers becomes one of labels if some cell is text.
    pub may_be_labels: bool,
}

impl Delimited {
    /// A reader at the start of a file. Nothing is guessed about the dialect here: Python looks at
    /// the first bytes of the file and names the separator.
    pub fn new(dialect: Dialect, limits: ReadLimits) -> Self {
        Self {
            cells: CellScanner::new(dialect),
            encoding: Encoding::default(),
            limits,
            rows: KeptRecords { skip_empty: !dialect.quotes, ..KeptRecords::default() },
        }
    }

    /// Take the next block of the file, of any size: a record or a character may go on in the next
    /// block. Records go into the sample until [`Self::start`] is called, and then into the
    /// columns.
    ///
    /// # Errors
    /// A [`Fault`] with the line of a malformed record or a NUL byte. The reader is of no use
    /// afterwards.
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        let block = self.encoding.feed(block);
        let block = &block[..];
        let Self { cells, limits, rows, .. } = self;
        // Text before a NUL byte is read first, so that the error names its cell.
        let nul = memchr::memchr(0, block);
        let text = &block[..nul.unwrap_or(block.len())];
        let result = cells.feed(text, limits, &mut |record| rows.take(record, limits));
        if nul.is_some() {
            let (j, value) = self.cells.open();
            let value = [value, b"\0"].concat();
            let mut fault = Fault::new(format!(
                "holds NUL bytes (cell {} of the line): this is no text file; convert it to CSV or \
                 ARFF",
                j + 1
            ));
            fault.column = self.rows.names.get(j).cloned();
            return fault.at(self.cells.line()).value(&value).error();
        }
        result
    }

    /// Take the last record at the end of the file, which may lack its line end. It must be called
    /// once, before [`Self::start`] if the file is shorter than the sample.
    ///
    /// # Errors
    /// A [`Fault`] in that record, such as a quote that is not closed.
    pub fn end_of_input(&mut self) -> Result<()> {
        let rest = self.encoding.take_held();
        self.feed(&rest)?;
        let Self { cells, limits, rows, .. } = self;
        cells.finish(limits, &mut |record| rows.take(record, limits))
    }

    /// Whether the sample is large enough to call [`Self::start`]: 8,192 records or 16 MiB. A
    /// shorter file never gets there, and is started after [`Self::end_of_input`]. False again once
    /// the reader has started.
    pub fn is_ready(&self) -> bool {
        !self.rows.started
            && (self.rows.sample.len() >= SAMPLE_RECORDS || self.rows.sample_bytes >= SAMPLE_BYTES)
    }

    /// The first records of the sample, at most `n`, each as (line, cells). Lines are counted from
    /// 1. The list is empty after [`Self::start`], which moves the sample into the columns.
    pub fn sample(&self, n: usize) -> Vec<(u64, Vec<&[u8]>)> {
        let records = self.rows.sample.iter().take(n);
        records.map(|r| (r.line, (0..r.ends.len()).map(|j| r.cell(j)).collect())).collect()
    }

    /// The encoding of the bytes so far: UTF-8 until a byte contradicts it. Names and labels are
    /// therefore decoded at the end of the file.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// Decide about the columns, and append the sample to them.
    ///
    /// The first `above` records are no rows, and neither are records equal to record `header`.
    /// `names` has the name of every column of the file, and `missing` the texts that mean a
    /// missing value.
    pub fn start(
        &mut self,
        above: usize,
        header: Option<usize>,
        names: Vec<Vec<u8>>,
        wanted: Vec<WantedColumn>,
        missing: Vec<Vec<u8>>,
    ) -> Result<()> {
        let limits = self.limits;
        let rows = &mut self.rows;
        (rows.started, rows.width, rows.names) = (true, names.len(), names);
        rows.longest_missing = missing.iter().map(Vec::len).max().unwrap_or_default();
        let unseen = |text| MissingText { text, is_found: false };
        rows.missing = missing.into_iter().map(unseen).collect();
        let sample = std::mem::take(&mut rows.sample);
        rows.header = header.and_then(|place| sample.get(place).cloned());
        let mut first = Vec::new();
        for record in sample.into_iter().skip(above) {
            if rows.is_row(&record)? {
                push(&mut first, record)?;
            }
        }
        for WantedColumn { place, kind, may_be_labels } in wanted {
            let has_text = may_be_labels
                && kind == CellKind::Numbers
                && first.iter().any(|r| rows.is_text(r.cell(place)));
            let kind = if has_text { CellKind::Found } else { kind };
            let builder = ColumnBuilder::new(&kind, limits.levels)?;
            let may_fail = may_be_labels;
            rows.columns.push(PendingColumn { place, builder, may_fail, refused: None });
        }
        first.iter().try_for_each(|record| rows.add(record, &limits))
    }

    /// The columns in the order of [`Self::start`], without the columns that must be read again as
    /// labels; these are named in [`DelimitedColumns::failed`].
    ///
    /// # Errors
    /// A [`Fault`] for a number that float64 cannot represent, in a column that turned out to be
    /// numeric to its end.
    pub fn finish(self) -> Result<DelimitedColumns> {
        let KeptRecords { names, columns: pending, missing, failed, repeated, .. } = self.rows;
        let mut columns = Vec::new();
        for column in pending {
            if let Some(RefusedNumber { line, cell, refusal }) = column.refused {
                let fault = fault_of_refusal(refusal, &column.builder, &self.limits, &cell);
                return fault.at(line).column(&names[column.place]).error();
            }
            columns.push(column.builder.finish(column.place));
        }
        let found = missing.into_iter().filter(|missing| missing.is_found);
        let matched = found.map(|missing| missing.text).collect();
        Ok(DelimitedColumns { columns, failed, matched, repeated })
    }
}

impl KeptRecords {
    /// Whether a text means a missing value.
    fn is_missing(&mut self, cell: &[u8]) -> bool {
        if cell.len() > self.longest_missing {
            return false;
        }
        let found = self.missing.iter_mut().find(|missing| missing.text == cell);
        found.map(|missing| missing.is_found = true).is_some()
    }

    /// Whether a cell is neither a number nor missing; see [`has_leading_zero`].
    fn is_text(&mut self, cell: &[u8]) -> bool {
        let cell = trim(cell);
        (has_leading_zero(cell) || super::column::number(cell).is_none()) && !self.is_missing(cell)
    }

    /// Take a record: into the sample, or into the columns.
    fn take(&mut self, record: &Record, limits: &ReadLimits) -> Result<()> {
        if self.started {
            return if self.is_row(record)? { self.add(record, limits) } else { Ok(()) };
        }
        let n = record.ends.len();
        if self.is_empty_line(record) {
            return Ok(());
        }
        if self.width == 0 {
            self.width = n;
        }
        self.sample_bytes += record.bytes.len() + 8 * n;
        push(&mut self.sample, record.clone())
    }

    /// Whether a record is an empty line, which is no row, except as an empty cell of a file with
    /// one column.
    fn is_empty_line(&self, record: &Record) -> bool {
        (record.ends.len() == 1 || self.skip_empty)
            && record.bytes.iter().all(|&b| super::is_blank(b))
            && (self.skip_empty || self.width != 1 || (record.bytes.is_empty() && !record.quoted))
    }

    /// Whether a record is a row; an error if it has another number of cells. A separator at the
    /// end of the line is no further cell.
    fn is_row(&mut self, record: &Record) -> Result<bool> {
        let (n, width) = (record.ends.len(), self.width);
        if self.is_empty_line(record) {
            return Ok(false);
        }
        if self.header.as_ref().is_some_and(|header| header.has_cells_of(record)) {
            push(&mut self.repeated, record.line)?;
            return Ok(false);
        }
        if n == width || (n == width + 1 && trim(record.cell(width)).is_empty()) {
            return Ok(true);
        }
        let problem = if self.skip_empty {
            format!("the row has {n} cells but there are {width} columns")
        } else {
            let remedy = if n > width {
                "quote cells that hold the separator, or name another one"
            } else {
                "write ? for missing cells, delete the line if it is a note, or name the separator"
            };
            format!("the line has {n} cells but there are {width} columns; {remedy}")
        };
        Fault::new(problem).at(record.line).error()
    }

    /// Append a record to the columns.
    fn add(&mut self, record: &Record, limits: &ReadLimits) -> Result<()> {
        let mut has_failed = false;
        let mut columns = std::mem::take(&mut self.columns);
        for column in &mut columns {
            let cell = trim(record.cell(column.place));
            let is_code = column.may_fail && has_leading_zero(cell);
            if !is_code && column.builder.take_quickly(cell)? {
                continue;
            }
            if self.is_missing(cell) {
                column.builder.skip()?;
                continue;
            }
            match column.builder.take(cell) {
                Ok(()) if is_code && column.builder.is_numeric() => {
                    self.failed.push(column.place);
                    has_failed = true;
                }
                Ok(()) => {}
                Err(Refusal::Memory) => return Err(super::ReadError::Memory),
                Err(Refusal::NotANumber) if column.may_fail => {
                    self.failed.push(column.place);
                    has_failed = true;
                }
                Err(refusal @ (Refusal::Infinite | Refusal::Inexact)) if column.may_fail => {
                    if column.refused.is_none() {
                        let line = record.line_of(column.place);
                        column.refused = Some(RefusedNumber { line, cell: cell.to_vec(), refusal });
                    }
                }
                Err(refusal) => return self.refuse(column, refusal, record, limits),
            }
        }
        if has_failed {
            columns.retain(|c| !self.failed.contains(&c.place));
        }
        self.columns = columns;
        Ok(())
    }

    /// The error of a refused cell.
    fn refuse(
        &mut self,
        column: &PendingColumn,
        refusal: Refusal,
        record: &Record,
        limits: &ReadLimits,
    ) -> Result<()> {
        let cell = trim(record.cell(column.place));
        let name = self.names.get(column.place).map_or(&b""[..], |n| n);
        fault_of_refusal(refusal, &column.builder, limits, cell)
            .column(name)
            .at(record.line_of(column.place))
            .error()
    }
}

/// Whether a cell is digits behind a leading zero, such as `01067`: a code, which as a number would
/// lose the zero.
fn has_leading_zero(cell: &[u8]) -> bool {
    matches!(cell, [b'0', b'0'..=b'9', ..]) && cell.iter().all(u8::is_ascii_digit)
}

/// The fault of a refused cell, to which the caller adds line and column. It shows the cell, unless
/// a column has too many labels: then no single cell is wrong.
pub(super) fn fault_of_refusal(
    refusal: Refusal,
    builder: &ColumnBuilder,
    limits: &ReadLimits,
    cell: &[u8],
) -> Fault {
    let fault = match refusal {
        Refusal::Infinite => Fault::new(
            "is infinity or too large for float64; write ? for missing or a finite number",
        ),
        Refusal::Inexact => Fault::new(
            "is a whole number that float64 does not have, so rows that differ would become equal; \
             subtract an offset, or leave the column out",
        )
        .leave_out(),
        Refusal::Undeclared => {
            let CellValues::Codes(_, labels) = builder.clone().finish(0).values else {
                return Fault::new("is not a label");
            };
            Fault { declared: Some(labels), ..Fault::new("is not among the declared labels") }
        }
        Refusal::TooMany => Fault::new(format!(
            "has more than {} distinct labels; an identifier carries nothing that generalises: \
             leave it out",
            with_commas(limits.levels)
        ))
        .leave_out(),
        _ => Fault::new(
            "is not a number; correct it, write ? for missing, or make the column nominal",
        ),
    };
    if refusal == Refusal::TooMany { fault } else { fault.value(cell) }
}
