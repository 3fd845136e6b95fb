//! The declarations of an ARFF file: @relation, @attribute, @data, labels over several lines.

use super::lexer::{Token, Tokens, lex, quoted};
use super::{Fault, ReadLimits, Result, grouped, is_blank, shown, trim};
use std::collections::{HashMap, HashSet};

/// What an attribute may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeKind {
    /// Numbers: numeric, real, integer.
    Numeric,
    /// Declared labels.
    Nominal,
    /// Any text.
    Text,
    /// Dates.
    Date,
    /// Bags of rows.
    Relational,
}

/// One declared attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name, as bytes of the file.
    pub name: Vec<u8>,
    /// Its type.
    pub kind: AttributeKind,
    /// The declared labels.
    pub labels: Vec<Vec<u8>>,
    /// The line of its declaration.
    pub line: u64,
}

/// The header as far as it has been read.
#[derive(Debug, Default)]
pub(crate) struct Header {
    pub(crate) relation: Vec<u8>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) complete: bool,
    lines: HashMap<Vec<u8>, u64>,
    /// An attribute whose list of labels is open.
    open: Option<(Vec<u8>, u64)>,
    /// The line that opened it.
    opening: Vec<u8>,
    tokens: Tokens,
}

impl Header {
    /// Take a line; returns whether the header goes on.
    pub(crate) fn take(&mut self, raw: &[u8], number: u64, limits: &ReadLimits) -> Result<bool> {
        let line = trim(raw);
        if line.is_empty() || line[0] == b'%' {
            return Ok(true);
        }
        if self.open.is_some() {
            if keyword(line).is_some_and(|(word, _)| is_keyword(&word)) {
                return self.unclosed();
            }
            self.labels(line, number, limits)?;
            return Ok(true);
        }
        let Some((word, rest)) = keyword(line).filter(|(word, _)| is_keyword(word)) else {
            let problem = "was expected to be @relation, @attribute, @data or a % comment; is this \
                           an ARFF file?";
            return Fault::new(problem).at(number).value(line).error();
        };
        match &word[..] {
            b"data" if self.attributes.is_empty() => {
                let problem = "@data before any @attribute; declare the attributes first";
                return Fault::new(problem).at(number).error();
            }
            b"data" => self.complete = true,
            b"relation" => {
                let (name, _) = self.name(rest, number, limits)?;
                self.relation = name;
            }
            b"attribute" => self.attribute(rest, number, limits)?,
            _ => {}
        }
        Ok(!self.complete)
    }

    /// The end of the file before @data.
    pub(crate) fn unfinished(&self, number: u64) -> Result<()> {
        if self.open.is_some() {
            return self.unclosed().map(|_| ());
        }
        let fault = Fault::new("there is no @data line; is the file complete?");
        if number > 1 { fault.at(number - 1).error() } else { fault.error() }
    }

    fn unclosed(&self) -> Result<bool> {
        let Some((name, line)) = &self.open else { return Ok(true) };
        Fault::new("the list of labels is opened here and not closed by }; close it")
            .at(*line)
            .column(name)
            .value(&self.opening)
            .error()
    }

    /// A name (quoted, or up to a blank, brace or comment) and the rest of the line.
    fn name<'a>(
        &mut self,
        rest: &'a [u8],
        number: u64,
        limits: &ReadLimits,
    ) -> Result<(Vec<u8>, &'a [u8])> {
        if rest.first().is_some_and(|b| matches!(b, b'\'' | b'"')) {
            self.tokens.clear();
            let end = quoted(rest, 0, number, limits, &mut self.tokens)?;
            return Ok((self.tokens.text.clone(), &rest[end..]));
        }
        let ends = |b: &u8| is_blank(*b) || matches!(b, b'{' | b'%');
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        if end > limits.field {
            let problem = format!("is a name of more than {} bytes", limits.field);
            return Fault::new(problem).at(number).value(&rest[..40.min(end)]).error();
        }
        Ok((rest[..end].to_vec(), &rest[end..]))
    }

    fn attribute(&mut self, text: &[u8], number: u64, limits: &ReadLimits) -> Result<()> {
        let (name, rest) = self.name(text, number, limits)?;
        let rest = trim(rest);
        if name.is_empty() || rest.is_empty() || rest[0] == b'%' {
            let problem = "needs a name and a type: @attribute age numeric, or @attribute wind \
                           {weak, strong}";
            let said = [&b"@attribute "[..], text].concat();
            return Fault::new(problem).at(number).value(trim(&said)).error();
        }
        if let Some(first) = self.lines.insert(name.clone(), number) {
            let problem =
                format!("the attribute is declared twice (first in line {first}); rename one");
            return Fault::new(problem).at(number).column(&name).error();
        }
        if self.attributes.len() >= limits.columns {
            let problem = format!("the file declares more than {} attributes", limits.columns);
            return Fault::new(problem).at(number).error();
        }
        if rest[0] == b'{' {
            self.tokens.clear();
            self.open = Some((name, number));
            let text = &text[..text.len().min(400)];
            self.opening = [&b"@attribute "[..], text].concat();
            return self.labels(&rest[1..], number, limits);
        }
        let end = rest.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_');
        let kind = match &rest[..end.unwrap_or(rest.len())].to_ascii_lowercase()[..] {
            b"numeric" | b"real" | b"integer" => AttributeKind::Numeric,
            b"string" => AttributeKind::Text,
            b"date" => AttributeKind::Date,
            b"relational" => AttributeKind::Relational,
            _ => {
                let problem =
                    "is not a type; use numeric, real, integer, string or {label, label, ...}";
                return Fault::new(problem).at(number).column(&name).value(rest).error();
            }
        };
        self.attributes.push(Attribute { name, kind, labels: Vec::new(), line: number });
        Ok(())
    }

    /// A line of the open list of labels.
    fn labels(&mut self, line: &[u8], number: u64, limits: &ReadLimits) -> Result<()> {
        lex(line, number, true, limits, &mut self.tokens)?;
        let Some((name, start)) = self.open.clone() else { return Ok(()) };
        let closed = self.tokens.list.last() == Some(&Token::Close);
        if closed {
            self.tokens.list.pop();
        }
        // Without commas a bare piece may be several labels, so this bound is only a first one.
        if self.tokens.list.len() > 2 * limits.levels + 1 {
            return too_many(&name, start, 0, limits);
        }
        if !closed {
            return Ok(());
        }
        self.open = None;
        let labels = listed(&self.tokens, &name, start)?;
        if labels.len() > limits.levels {
            return too_many(&name, start, labels.len(), limits);
        }
        let mut seen = HashSet::new();
        if let Some(double) = labels.iter().find(|label| !seen.insert(*label)) {
            let problem = "is declared twice; a label is declared once";
            return Fault::new(problem).at(start).column(&name).value(double).error();
        }
        self.attributes.push(Attribute { name, kind: AttributeKind::Nominal, labels, line: start });
        Ok(())
    }
}

fn too_many(name: &[u8], line: u64, count: usize, limits: &ReadLimits) -> Result<()> {
    let problem = format!(
        "declares {}{} labels, more than {}; leave it out with drop=[{}]",
        if count == 0 { "far too many" } else { "" },
        if count == 0 { String::new() } else { grouped(count) },
        grouped(limits.levels),
        shown(name)
    );
    Fault::new(problem).at(line).column(name).error()
}

/// The labels of a closed list: between commas, or between blanks where there is no comma.
fn listed(tokens: &Tokens, name: &[u8], line: u64) -> Result<Vec<Vec<u8>>> {
    let commas = tokens.list.contains(&Token::Comma);
    let mut labels: Vec<Vec<u8>> = Vec::new();
    let mut ready = false;
    for token in &tokens.list {
        match *token {
            Token::Value(from, to, _) if commas && ready => {
                let problem = "text beside another label; put a comma between";
                let text = tokens.text(from, to);
                return Fault::new(problem).at(line).column(name).value(text).error();
            }
            Token::Value(from, to, is_quoted) => {
                let text = tokens.text(from, to);
                if commas || is_quoted {
                    labels.push(text.to_vec());
                } else {
                    let words = text.split(|b| is_blank(*b)).filter(|word| !word.is_empty());
                    labels.extend(words.map(<[u8]>::to_vec));
                }
                ready = true;
            }
            _ if ready => ready = false,
            _ => return nothing(name, line),
        }
    }
    if commas && !ready {
        return nothing(name, line);
    }
    if labels.is_empty() {
        let problem = "the list of labels is empty; declare at least one";
        return Fault::new(problem).at(line).column(name).error();
    }
    Ok(labels)
}

fn nothing<T>(name: &[u8], line: u64) -> Result<T> {
    let problem =
        "the list has nothing between two commas; write the label, or '' for an empty one";
    Fault::new(problem).at(line).column(name).error()
}

/// The word behind an @, in lower case, and the rest of the line.
fn keyword(line: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let rest = line.strip_prefix(b"@")?;
    let end =
        rest.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_').unwrap_or(rest.len());
    Some((rest[..end].to_ascii_lowercase(), trim(&rest[end..])))
}

fn is_keyword(word: &[u8]) -> bool {
    matches!(word, b"relation" | b"attribute" | b"data" | b"end")
}
