//! The reader of ARFF: the header first, then rows, dense or sparse and with or without a weight,
//! which are appended to the columns that the caller wants.
//!
//! A row with commas, but without quotes, comments and braces, is divided at its commas; all other
//! rows go through the lexer. O(bytes), and O(columns) per sparse row.

use super::arff_header::{Attribute, AttributeKind, Header};
use super::column::{CellKind, ColumnBuilder, ReadColumn, Refusal};
use super::delimited::fault_of_refusal;
use super::encoding::Encoding;
use super::lexer::{Token, Tokens, lex};
use super::lines::Lines;
use super::{Fault, ReadLimits, Result, append, is_blank, push, shown, trim};

/// A reader of ARFF. Feed it blocks until [`Arff::header_is_complete`], call [`Arff::start`] with
/// the attributes that are wanted, feed the rest, and [`Arff::finish`].
#[derive(Debug)]
pub struct Arff {
    lines: Lines,
    encoding: Encoding,
    limits: ReadLimits,
    header: Header,
    /// Bytes behind @data that came before [`Self::start`].
    pending: Vec<u8>,
    rows: Option<ArffRows>,
}

/// The rows behind @data, as columns.
#[derive(Debug)]
struct ArffRows {
    /// Names of all attributes.
    names: Vec<Vec<u8>>,
    /// For each attribute the number of its builder; None if it is left out.
    wanted: Vec<Option<usize>>,
    /// For each builder the number of its attribute.
    places: Vec<usize>,
    builders: Vec<ColumnBuilder>,
    /// For each builder, whether its cells are text. A value that a sparse row leaves out is a
    /// missing value in a column of text, and the number or code 0 in others.
    is_text: Vec<bool>,
    /// Number of rows.
    count: u64,
    /// (row, weight) of the rows that have a weight.
    weights: Vec<(u64, f64)>,
    /// The tokens of a row, kept for their memory.
    tokens: Tokens,
    /// For each attribute, one more than the last sparse row that gives it.
    given: Vec<u64>,
}

/// A value of a row.
#[derive(Debug, Clone, Copy)]
struct QuotedCell<'a> {
    text: &'a [u8],
    quoted: bool,
}

impl<'a> QuotedCell<'a> {
    /// A value without quotes.
    fn bare(text: &'a [u8]) -> Self {
        Self { text, quoted: false }
    }
}

impl Arff {
    /// A reader at the start of a file. The limits hold for the whole file; an error names the
    /// limit that the file exceeds.
    pub fn new(limits: ReadLimits) -> Self {
        Self {
            lines: Lines::default(),
            encoding: Encoding::default(),
            limits,
            header: Header::default(),
            pending: Vec::new(),
            rows: None,
        }
    }

    /// Take the next block of the file, of any size: a line or a character may go on in the next
    /// block. Rows that come before [`Self::start`] is called are kept as bytes.
    ///
    /// # Errors
    /// A [`Fault`] with the line of a malformed header or row, or of a NUL byte. The reader is of
    /// no use afterwards.
    pub fn feed(&mut self, block: &[u8]) -> Result<()> {
        let block = self.encoding.feed(block);
        let block = &block[..];
        let nul = memchr::memchr(0, block);
        let result = self.text(&block[..nul.unwrap_or(block.len())]);
        if nul.is_none() {
            return result;
        }
        // The error names the line and the cell of the NUL byte: text behind the last comma.
        let number = self.lines.number() + super::encoding::newlines(&self.pending);
        let problem = "holds NUL bytes: this is no text file; convert it to CSV or ARFF";
        let open = [self.lines.open(), &self.pending[..]].concat();
        let start = memchr::memrchr2(b'\n', b'\r', &open).map_or(0, |at| at + 1);
        let open = trim(&open[start..]);
        let last = open.iter().rposition(|&b| b == b',').map_or(0, |at| at + 1);
        let value = [trim(&open[last..]), b"\0"].concat();
        let mut fault = Fault::new(problem).at(number).value(&value);
        if let Some(rows) = &self.rows {
            let commas = memchr::memchr_iter(b',', open).count();
            fault.column = rows.names.get(commas).cloned();
        }
        fault.error()
    }

    /// Take text: lines of the header, then rows, which are kept until [`Self::start`] is called.
    fn text(&mut self, block: &[u8]) -> Result<()> {
        let Self { lines, limits, header, pending, rows, .. } = self;
        let mut block = block;
        if !header.complete {
            block = lines.feed(block, limits, &mut |line, n| header.take(line, n, limits))?;
        }
        match rows {
            Some(rows) => {
                lines.feed(block, limits, &mut |line, n| rows.take(line, n, limits))?;
            }
            None => append(pending, block)?,
        }
        Ok(())
    }

    /// Whether @data has been reached, so that [`Self::attributes`] are complete and
    /// [`Self::start`] may be called. The caller stops feeding there, as rows without columns to go
    /// to are kept in memory.
    pub fn header_is_complete(&self) -> bool {
        self.header.complete
    }

    /// The name behind @relation, without quotes, as bytes of the file; empty if there is none.
    /// [`Self::encoding`] says how to decode it, but only after the whole file has been fed.
    pub fn relation(&self) -> &[u8] {
        &self.header.relation
    }

    /// The declared attributes in the order of the file, as far as the header has been read.
    /// [`Self::start`] takes their positions in this list.
    pub fn attributes(&self) -> &[Attribute] {
        &self.header.attributes
    }

    /// The encoding of the bytes so far: UTF-8 until a byte contradicts it. Names and labels are
    /// therefore decoded at the end of the file.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// Decide which attributes become columns, by their positions. Dates and relational attributes
    /// become text. Rows that were kept until now are read.
    ///
    /// # Errors
    /// A [`Fault`] in one of the kept rows.
    pub fn start(&mut self, wanted: &[usize]) -> Result<()> {
        let attributes = &self.header.attributes;
        let mut rows = ArffRows {
            names: attributes.iter().map(|a| a.name.clone()).collect(),
            wanted: vec![None; attributes.len()],
            places: wanted.to_vec(),
            builders: Vec::new(),
            is_text: Vec::new(),
            count: 0,
            weights: Vec::new(),
            tokens: Tokens::default(),
            given: vec![0; attributes.len()],
        };
        for (i, &place) in wanted.iter().enumerate() {
            let Some(attribute) = attributes.get(place) else { continue };
            let kind = match attribute.kind {
                AttributeKind::Numeric => CellKind::Numbers,
                AttributeKind::Nominal => CellKind::Declared(attribute.labels.clone()),
                _ => CellKind::Found,
            };
            rows.is_text.push(kind == CellKind::Found);
            rows.builders.push(ColumnBuilder::new(&kind, self.limits.levels)?);
            rows.wanted[place] = Some(i);
        }
        self.rows = Some(rows);
        let pending = std::mem::take(&mut self.pending);
        self.text(&pending)
    }

    /// Take the last line at the end of the file, which may lack its line end. It must be called
    /// once before [`Self::finish`].
    ///
    /// # Errors
    /// A [`Fault`] in that line, or if the file has no @data.
    pub fn end_of_input(&mut self) -> Result<()> {
        let rest = self.encoding.take_held();
        self.feed(&rest)?;
        let Self { lines, limits, header, rows, .. } = self;
        match rows {
            Some(rows) => lines.finish(&mut |line, n| rows.take(line, n, limits)),
            None if header.complete => Ok(()),
            None => {
                lines.finish(&mut |line, n| header.take(line, n, limits))?;
                if header.complete { Ok(()) } else { header.missing_data_line(lines.number()) }
            }
        }
    }

    /// The columns in the order of [`Self::start`], and (row, weight) of the rows that have a
    /// weight, with rows counted from 0; other rows weigh 1.
    ///
    /// # Errors
    /// A [`Fault`] if no row follows @data.
    pub fn finish(self) -> Result<(Vec<ReadColumn>, Vec<(u64, f64)>)> {
        let Some(rows) = self.rows else { return Ok((Vec::new(), Vec::new())) };
        if rows.count == 0 {
            return Fault::new("there are no rows after @data").error();
        }
        let columns = rows.builders.into_iter().zip(rows.places).map(|(b, place)| b.finish(place));
        Ok((columns.collect(), rows.weights))
    }
}

impl ArffRows {
    /// Take a line; it never ends the rows, so the result is true.
    fn take(&mut self, raw: &[u8], number: u64, limits: &ReadLimits) -> Result<bool> {
        let line = trim(raw);
        if line.is_empty() {
            return Ok(true);
        }
        let special = |b: &u8| matches!(b, b'\'' | b'"' | b'%' | b'{' | b'}');
        let mut commas = false;
        let plain = line.iter().all(|b| {
            commas |= *b == b',';
            !special(b)
        });
        if plain && commas {
            self.take_plain(line, number, limits)?;
        } else {
            let mut tokens = std::mem::take(&mut self.tokens);
            tokens.clear();
            lex(line, number, false, limits, &mut tokens)?;
            if tokens.list.is_empty() {
                self.tokens = tokens;
                return Ok(true);
            }
            self.tokens_of_row(line, &tokens, number, limits)?;
            self.tokens = tokens;
        }
        self.count += 1;
        Ok(true)
    }

    /// Take a row without quotes, comments and braces.
    fn take_plain(&mut self, line: &[u8], number: u64, limits: &ReadLimits) -> Result<()> {
        let width = self.wanted.len();
        let (mut from, mut j) = (0, 0);
        for to in memchr::memchr_iter(b',', line).chain([line.len()]) {
            if j < width {
                if to - from > limits.field {
                    let shown = &line[from..from + limits.field.min(40)];
                    let problem = format!("starts a value of more than {} bytes", limits.field);
                    return Fault::new(problem).at(number).value(shown).error();
                }
                self.cell(j, QuotedCell::bare(trim(&line[from..to])), number, limits)?;
            }
            // A comma at the end of the line, as MOA writes it, is no further value.
            j += usize::from(j != width || !trim(&line[from..to]).is_empty() || to < line.len());
            from = to + 1;
        }
        self.check_width(j, number)
    }

    /// An error unless a row has a value for each attribute.
    fn check_width(&self, n: usize, number: u64) -> Result<()> {
        let width = self.names.len();
        if n == width {
            return Ok(());
        }
        let mut problem = format!("the row has {n} values but there are {width} attributes");
        if n > width {
            problem.push_str("; quote values that hold commas");
            return Fault::new(problem).at(number).error();
        }
        problem.push_str(&format!("; the value of {} is missing", shown(&self.names[n])));
        Fault::new(problem).at(number).error()
    }

    /// Append a value to the column of attribute `j`. A bare question mark and `<null>` are
    /// missing; an empty bare value is an error.
    fn cell(
        &mut self,
        j: usize,
        cell: QuotedCell<'_>,
        number: u64,
        limits: &ReadLimits,
    ) -> Result<()> {
        let Some(builder) = self.wanted[j].map(|i| &mut self.builders[i]) else { return Ok(()) };
        let QuotedCell { text, quoted } = cell;
        if !quoted && (text == b"?" || text == b"<null>") {
            return builder.skip();
        }
        if !quoted && builder.take_quickly(text)? {
            return Ok(());
        }
        if !quoted && text.is_empty() {
            let problem = "the value is empty; write ? for missing";
            return Fault::new(problem).at(number).column(&self.names[j]).value(b"").error();
        }
        match builder.take(text) {
            Ok(()) => Ok(()),
            Err(Refusal::Memory) => Err(super::ReadError::Memory),
            Err(refusal) => fault_of_refusal(refusal, builder, limits, text)
                .column(&self.names[j])
                .at(number)
                .error(),
        }
    }

    /// Take a row with quotes, braces, blanks or a comment.
    fn tokens_of_row(
        &mut self,
        line: &[u8],
        tokens: &Tokens,
        number: u64,
        limits: &ReadLimits,
    ) -> Result<()> {
        // A weight in braces at the end.
        let mut list = &tokens.list[..];
        if let [before @ .., Token::Open, Token::Value { from, to, quoted: false }, Token::Close] =
            list
            && !before.is_empty()
        {
            self.weight(tokens.text(*from, *to), number)?;
            list = if let [rest @ .., Token::Comma] = before { rest } else { before };
        }
        // Braces around the row: it is sparse.
        if let [Token::Open, inside @ .., Token::Close] = list
            && !inside.contains(&Token::Open)
            && !inside.contains(&Token::Close)
        {
            return self.sparse(inside, tokens, number, limits);
        }
        if list.first() == Some(&Token::Open) {
            let problem = "the sparse row is not closed by }; close it";
            return Fault::new(problem).at(number).value(line).error();
        }
        if list.iter().any(|t| matches!(t, Token::Open | Token::Close)) {
            let problem = "holds a brace outside quotes that is no weight at the end of the row; \
                           quote the value, or close the brace";
            return Fault::new(problem).at(number).value(line).error();
        }
        self.dense(line, list, tokens, number, limits)
    }

    /// Take the weight of a row.
    fn weight(&mut self, text: &[u8], number: u64) -> Result<()> {
        match super::column::number(text).filter(|w| *w >= 0.0 && w.is_finite()) {
            Some(weight) => push(&mut self.weights, (self.count, weight)),
            None => Fault::new("is not a weight; a weight is a number >= 0")
                .at(number)
                .value(text)
                .error(),
        }
    }

    /// Take a dense row, whose values are separated by commas, or by blanks if it has no comma.
    fn dense(
        &mut self,
        line: &[u8],
        list: &[Token],
        tokens: &Tokens,
        number: u64,
        limits: &ReadLimits,
    ) -> Result<()> {
        let commas = list.contains(&Token::Comma);
        let width = self.names.len();
        // Attribute of the next value, and whether there is a value since the last comma.
        let (mut j, mut ready) = (0, false);
        for token in list {
            let Token::Value { from, to, quoted } = *token else {
                if !ready && j < width {
                    self.cell(j, QuotedCell::bare(b""), number, limits)?;
                }
                j += usize::from(!ready);
                ready = false;
                continue;
            };
            let text = tokens.text(from, to);
            if commas && ready {
                let problem = "text beside a quoted value; put a comma between";
                return Fault::new(problem).at(number).value(line).error();
            }
            ready = true;
            let whole = commas || quoted;
            let split = |b: &u8| !whole && is_blank(*b);
            for piece in text.split(split).filter(|piece| whole || !piece.is_empty()) {
                if j < width {
                    self.cell(j, QuotedCell { text: piece, quoted }, number, limits)?;
                }
                j += 1;
            }
        }
        if commas && !ready && j < width {
            self.cell(j, QuotedCell::bare(b""), number, limits)?;
            j += 1;
        }
        self.check_width(j, number)
    }

    /// Take a sparse row: pairs of index and value, separated by commas.
    fn sparse(
        &mut self,
        inside: &[Token],
        tokens: &Tokens,
        number: u64,
        limits: &ReadLimits,
    ) -> Result<()> {
        let row = self.count + 1;
        let before: Vec<usize> = self.builders.iter().map(ColumnBuilder::len).collect();
        for pair in inside.split(|t| *t == Token::Comma) {
            let is_last = std::ptr::eq(pair.as_ptr_range().end, inside.as_ptr_range().end);
            if pair.is_empty() && is_last {
                continue; // a comma at the end, or an empty row
            }
            let (index, cell) = match *pair {
                [Token::Value { from, to, quoted: false }] => {
                    let text = tokens.text(from, to);
                    let end = text.iter().position(|b| is_blank(*b)).unwrap_or(text.len());
                    (&text[..end], QuotedCell::bare(trim(&text[end..])))
                }
                [
                    Token::Value { from, to, quoted: false },
                    Token::Value { from: start, to: end, quoted: true },
                ] => (
                    tokens.text(from, to),
                    QuotedCell { text: tokens.text(start, end), quoted: true },
                ),
                _ => (&b""[..], QuotedCell::bare(b"")),
            };
            if index.is_empty()
                || !index.iter().all(u8::is_ascii_digit)
                || (!cell.quoted && cell.text.is_empty())
            {
                let problem = "is not 'index value'; a sparse row looks like {1 x, 3 'y z'}";
                let shown = [index, b" ", cell.text].concat();
                return Fault::new(problem).at(number).value(trim(&shown)).error();
            }
            let j = std::str::from_utf8(index).ok().and_then(|t| t.parse().ok());
            let Some(j) = j.filter(|j: &usize| *j < self.names.len()) else {
                let last = self.names.len() - 1;
                let problem = format!("is no attribute index; indices run from 0 to {last}");
                return Fault::new(problem).at(number).value(index).error();
            };
            if self.given[j] == row {
                let problem = "the sparse row gives this attribute twice";
                return Fault::new(problem).at(number).column(&self.names[j]).error();
            }
            self.given[j] = row;
            self.cell(j, cell, number, limits)?;
        }
        // Attributes that are not given.
        for (i, builder) in self.builders.iter_mut().enumerate() {
            if builder.len() > before[i] {
                continue;
            }
            if self.is_text[i] { builder.skip()? } else { builder.take_code(0)? }
        }
        Ok(())
    }
}
