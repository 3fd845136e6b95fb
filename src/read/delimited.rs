//! CSV and its kin: the first records are kept until the caller has said what the columns are.

use super::cells::{CellScanner, Record};
use super::column::{CellKind, CellValues, ColumnBuilder, ReadColumn, Refusal};
use super::encoding::Encoding;
use super::{Dialect, Fault, ReadLimits, Result, grouped, push, trim};

/// Records that are kept for finding out about the columns, and the bytes they may have.
const SAMPLE: (usize, usize) = (8192, 1 << 24);

/// A reader of delimited text. Feed it blocks until [`Delimited::is_ready`], look at
/// [`Delimited::sample`], call [`Delimited::start`], feed the rest, and [`Delimited::finish`].
#[derive(Debug)]
pub struct Delimited {
    cells: CellScanner,
    encoding: Encoding,
    limits: ReadLimits,
    rows: KeptRecords,
}

/// What becomes of the records.
#[derive(Debug, Default)]
struct KeptRecords {
    /// Cells of every record.
    width: usize,
    /// The records that are kept, one behind the other.
    sample: Vec<Record>,
    sample_bytes: usize,
    /// Records without any text are no rows (where cells are not quoted).
    skip_empty: bool,
    started: bool,
    columns: Vec<PendingColumn>,
    missing: Vec<Vec<u8>>,
    names: Vec<Vec<u8>>,
    /// Columns that turned out to hold text behind the sample.
    failed: Vec<usize>,
}

#[derive(Debug)]
struct PendingColumn {
    place: usize,
    builder: ColumnBuilder,
    /// Whether text makes it a column of labels instead of an error.
    may_fail: bool,
    /// The first number that float64 does not hold.
    beyond: Option<(u64, Vec<u8>, Refusal)>,
}

impl Delimited {
    /// A reader that has seen nothing.
    pub fn new(dialect: Dialect, limits: ReadLimits) -> Self {
        Self {
            cells: CellScanner::new(dialect),
            encoding: Encoding::default(),
            limits,
            rows: KeptRecords { skip_empty: !dialect.quotes, ..KeptRecords::default() },
        }
    }

    /// Take the next block of the file.
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        let block = self.encoding.feed(block);
        let block = &block[..];
        let Self { cells, limits, rows, .. } = self;
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

    /// The end of the file: the last record.
    pub fn end(&mut self) -> Result<()> {
        let rest = self.encoding.rest();
        self.feed(&rest)?;
        let Self { cells, limits, rows, .. } = self;
        cells.finish(limits, &mut |record| rows.take(record, limits))
    }

    /// Whether enough records have been seen to call [`Self::start`].
    pub fn is_ready(&self) -> bool {
        !self.rows.started
            && (self.rows.sample.len() >= SAMPLE.0 || self.rows.sample_bytes >= SAMPLE.1)
    }

    /// Cells of a record.
    pub fn width(&self) -> usize {
        self.rows.width
    }

    /// The first records that were kept, at most `n`: (line, cells).
    pub fn sample(&self, n: usize) -> Vec<(u64, Vec<&[u8]>)> {
        let cells = |r| (0..self.rows.width).map(|j| Record::cell(r, j)).collect();
        self.rows.sample.iter().take(n).map(|r| (r.line, cells(r))).collect()
    }

    /// The encoding of what was seen.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// Say what the columns are, and whether the first record names them.
    ///
    /// `kinds` has (position, kind, whether a column of numbers becomes one of labels where the
    /// records kept so far hold text) of every column that is wanted; `missing` are the texts that
    /// mean no value.
    pub fn start(
        &mut self,
        header: bool,
        names: Vec<Vec<u8>>,
        kinds: Vec<(usize, CellKind, bool)>,
        missing: Vec<Vec<u8>>,
    ) -> Result<()> {
        let limits = self.limits;
        let rows = &mut self.rows;
        (rows.started, rows.names, rows.missing) = (true, names, missing);
        let sample = std::mem::take(&mut rows.sample);
        let first = usize::from(header).min(sample.len());
        for (place, kind, may_fail) in kinds {
            let text = may_fail
                && kind == CellKind::Numbers
                && sample[first..].iter().any(|r| rows.is_text(r.cell(place)));
            let kind = if text { CellKind::Found } else { kind };
            let builder = ColumnBuilder::new(&kind, limits.levels)?;
            rows.columns.push(PendingColumn { place, builder, may_fail, beyond: None });
        }
        sample[first..].iter().try_for_each(|record| rows.add(record, &limits))
    }

    /// The columns, and the positions of those that must be read again as labels.
    pub fn finish(self) -> Result<(Vec<ReadColumn>, Vec<usize>)> {
        let names = self.rows.names;
        let mut found = Vec::new();
        for column in self.rows.columns {
            if let Some((line, value, refusal)) = column.beyond {
                let fault = refused(refusal, &column.builder, &self.limits);
                return fault.at(line).column(&names[column.place]).value(&value).error();
            }
            let read = column.builder.finish(column.place);
            found.push(read);
        }
        Ok((found, self.rows.failed))
    }
}

impl KeptRecords {
    fn is_missing(&self, cell: &[u8]) -> bool {
        cell.len() <= 3 && self.missing.iter().any(|m| m == cell)
    }

    fn is_text(&self, cell: &[u8]) -> bool {
        let cell = trim(cell);
        super::column::number(cell).is_none() && !self.is_missing(cell)
    }

    fn take(&mut self, record: &Record, limits: &ReadLimits) -> Result<()> {
        let n = record.ends.len();
        let blank = (n == 1 || self.skip_empty) && record.bytes.iter().all(|&b| super::is_blank(b));
        if blank
            && (self.skip_empty || self.width != 1 || (record.bytes.is_empty() && !record.quoted))
        {
            return Ok(());
        }
        if self.width == 0 {
            self.width = n;
        }
        if n != self.width {
            if self.skip_empty {
                let problem = format!("the row has {n} cells but there are {} columns", self.width);
                return Fault::new(problem).at(record.line).error();
            }
            let more = n > self.width;
            let problem = format!(
                "the line has {n} cells but the first has {}; {}",
                self.width,
                if more {
                    "quote cells that hold the separator"
                } else {
                    "write ? for missing cells"
                }
            );
            return Fault::new(problem).at(record.line).error();
        }
        if self.started {
            return self.add(record, limits);
        }
        self.sample_bytes += record.bytes.len() + 8 * n;
        push(&mut self.sample, record.clone())
    }

    /// Append a record to the columns.
    fn add(&mut self, record: &Record, limits: &ReadLimits) -> Result<()> {
        let mut text = false;
        let mut columns = std::mem::take(&mut self.columns);
        for column in &mut columns {
            let cell = trim(record.cell(column.place));
            if column.builder.take_quickly(cell)? {
                continue;
            }
            if self.is_missing(cell) {
                column.builder.skip()?;
                continue;
            }
            match column.builder.take(cell) {
                Ok(()) => {}
                Err(Refusal::Memory) => return Err(super::ReadError::Memory),
                Err(Refusal::NotANumber) if column.may_fail => {
                    self.failed.push(column.place);
                    text = true;
                }
                Err(refusal @ (Refusal::Infinite | Refusal::Inexact)) if column.may_fail => {
                    if column.beyond.is_none() {
                        let line = record.line_of(column.place);
                        column.beyond = Some((line, cell.to_vec(), refusal));
                    }
                }
                Err(refusal) => return self.refuse(column, refusal, record, limits),
            }
        }
        if text {
            columns.retain(|c| !self.failed.contains(&c.place));
        }
        self.columns = columns;
        Ok(())
    }

    fn refuse(
        &mut self,
        column: &PendingColumn,
        refusal: Refusal,
        record: &Record,
        limits: &ReadLimits,
    ) -> Result<()> {
        let cell = trim(record.cell(column.place));
        let name = self.names.get(column.place).map_or(&b""[..], |n| n);
        refused(refusal, &column.builder, limits)
            .of(name, cell)
            .at(record.line_of(column.place))
            .error()
    }
}

/// The words of a refusal, without its place.
pub(super) fn refused(refusal: Refusal, builder: &ColumnBuilder, limits: &ReadLimits) -> Fault {
    match refusal {
        Refusal::Infinite => Fault::new(
            "is infinity or too large for float64; write ? for missing or a finite number",
        ),
        Refusal::Inexact => Fault::new(
            "is a whole number that float64 does not have, so rows that differ would become equal; \
             leave the column out with drop=[...], subtract an offset, or make it nominal",
        ),
        Refusal::Undeclared => {
            let CellValues::Codes(_, labels) = builder.clone().finish(0).values else {
                return Fault::new("is not a label");
            };
            Fault { declared: Some(labels), ..Fault::new("is not among the declared labels") }
        }
        Refusal::TooMany => Fault::new(format!(
            "has more than {} distinct labels; an identifier carries nothing that generalises: \
             leave it out with drop=[",
            grouped(limits.levels)
        )),
        _ => Fault::new(
            "is not a number; correct it, write ? for missing, or make the column nominal",
        ),
    }
}
