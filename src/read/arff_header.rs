//! The header of an ARFF file: @relation, @attribute with types or lists of labels (which may take
//! several lines), and @data. [`Header::take`] takes it line by line.

use super::lexer::{Token, Tokens, lex, quoted};
use super::{Fault, ReadLimits, Result, SHOWN, is_blank, trim, with_commas};
use std::collections::{HashMap, HashSet};

/// The type of an attribute.
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
    /// Sets of rows.
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
    /// Whether @data has been reached.
    pub(crate) complete: bool,
    /// Line of the declaration of each attribute, by name.
    lines: HashMap<Vec<u8>, u64>,
    /// The attribute whose list of labels is being read.
    open: Option<OpenList>,
    tokens: Tokens,
}

/// An attribute whose list of labels is not closed yet.
#[derive(Debug, Clone)]
struct OpenList {
    name: Vec<u8>,
    /// Line of the declaration.
    line: u64,
    /// The beginning of that line, for an error.
    text: Vec<u8>,
}

impl Header {
    /// Take a line, and return whether the header goes on.
    pub(crate) fn take(&mut self, raw: &[u8], number: u64, limits: &ReadLimits) -> Result<bool> {
        let line = trim(raw);
        if line.is_empty() || line[0] == b'%' {
            return Ok(true);
        }
        if self.open.is_some() {
            if keyword(line).is_some_and(|(word, _)| is_keyword(&word)) {
                return self.unclosed_list();
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

    /// The error of a file that ends before @data.
    pub(crate) fn missing_data_line(&self, number: u64) -> Result<()> {
        if self.open.is_some() {
            return self.unclosed_list().map(|_| ());
        }
        let fault = Fault::new("there is no @data line; is the file complete?");
        if number > 1 { fault.at(number - 1).error() } else { fault.error() }
    }

    /// The error of a list of labels that is not closed.
    fn unclosed_list(&self) -> Result<bool> {
        let Some(OpenList { name, line, text }) = &self.open else { return Ok(true) };
        Fault::new("the list of labels is opened here and not closed by }; close it")
            .at(*line)
            .column(name)
            .value(text)
            .error()
    }

    /// Divide text into a name (quoted, or up to a blank, brace or comment) and the rest.
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

    /// Take the text behind @attribute.
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
            let start = &text[..text.len().min(SHOWN)];
            let text = [&b"@attribute "[..], start].concat();
            self.open = Some(OpenList { name, line: number, text });
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

    /// Take a line of the open list of labels, and finish the attribute if the list is closed.
    fn labels(&mut self, line: &[u8], number: u64, limits: &ReadLimits) -> Result<()> {
        lex(line, number, true, limits, &mut self.tokens)?;
        let Some(OpenList { name, line: start, .. }) = self.open.clone() else { return Ok(()) };
        let closed = self.tokens.list.last() == Some(&Token::Close);
        if closed {
            self.tokens.list.pop();
        }
        // A list of n labels has 2 n - 1 tokens. Without commas a bare value may be several labels,
        // so this is only a first bound, which keeps an open list from growing.
        if self.tokens.list.len() > 2 * limits.levels + 1 {
            return too_many(&name, start, 0, limits);
        }
        if !closed {
            return Ok(());
        }
        self.open = None;
        let labels = parse_labels(&self.tokens, &name, start)?;
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

/// The error of an attribute with too many labels; `count` is 0 if they have not been counted.
fn too_many(name: &[u8], line: u64, count: usize, limits: &ReadLimits) -> Result<()> {
    let problem = format!(
        "declares {}{} labels, more than {}; leave it out",
        if count == 0 { "far too many" } else { "" },
        if count == 0 { String::new() } else { with_commas(count) },
        with_commas(limits.levels)
    );
    Fault::new(problem).leave_out().at(line).column(name).error()
}

/// The labels of a closed list: separated by commas, or by blanks if there is no comma.
fn parse_labels(tokens: &Tokens, name: &[u8], line: u64) -> Result<Vec<Vec<u8>>> {
    let commas = tokens.list.contains(&Token::Comma);
    let mut labels: Vec<Vec<u8>> = Vec::new();
    // Whether there is a label since the last comma.
    let mut ready = false;
    for token in &tokens.list {
        match *token {
            Token::Value { from, to, .. } if commas && ready => {
                let problem = "text beside another label; put a comma between";
                let text = tokens.text(from, to);
                return Fault::new(problem).at(line).column(name).value(text).error();
            }
            Token::Value { from, to, quoted } => {
                let text = tokens.text(from, to);
                if commas || quoted {
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

/// The error of a list with nothing between two commas.
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
    let of_keel: &[&[u8]] = &[b"inputs", b"input", b"outputs", b"output"]; // their names follow
    matches!(word, b"relation" | b"attribute" | b"data" | b"end") || of_keel.contains(&word)
}
