//! The tokens of a line of ARFF: values (bare or quoted), commas and braces.
//!
//! A bare value may contain blanks. It ends at a comma, at `%` (a comment), at a brace where a
//! brace has a meaning, and at blanks before a quote or an opening brace. A quoted value has
//! backslash escapes and ends on its line. O(bytes).

use super::{Fault, ReadLimits, Result, append, is_blank, push, trim};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token {
    /// A value, whose text is `from..to` of [`Tokens::text`].
    Value {
        from: usize,
        to: usize,
        quoted: bool,
    },
    Comma,
    /// An opening brace.
    Open,
    /// A closing brace.
    Close,
}

/// The tokens of a line (or of a list of labels over several lines).
#[derive(Debug, Clone, Default)]
pub(crate) struct Tokens {
    /// The texts of all values, without quotes and escapes.
    pub(crate) text: Vec<u8>,
    pub(crate) list: Vec<Token>,
}

impl Tokens {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.list.clear();
    }

    pub(crate) fn text(&self, from: usize, to: usize) -> &[u8] {
        &self.text[from..to]
    }

    /// Append a value.
    fn value(&mut self, text: &[u8], quoted: bool, limits: &ReadLimits, line: u64) -> Result<()> {
        let from = self.text.len();
        append(&mut self.text, text)?;
        self.close(from, quoted, limits, line)
    }

    /// Append the value whose text has been appended from `from` on.
    fn close(&mut self, from: usize, quoted: bool, limits: &ReadLimits, line: u64) -> Result<()> {
        if self.text.len() - from > limits.field {
            let shown = &self.text[from..from + limits.field.min(40)];
            return too_long(shown, limits, line);
        }
        push(&mut self.list, Token::Value { from, to: self.text.len(), quoted })
    }
}

/// The error of a value that is longer than the limit and begins with `shown`.
fn too_long<T>(shown: &[u8], limits: &ReadLimits, line: u64) -> Result<T> {
    let problem = format!(
        "starts a value of more than {} bytes; raise limits=Limits(field=...), or correct \
         the file",
        limits.field
    );
    Fault::new(problem).at(line).value(shown).error()
}

/// Append the tokens of `line` to `tokens`, and return the number of bytes read. `list` says that
/// the line is inside a list of labels: then reading ends behind the first closing brace.
pub(crate) fn lex(
    line: &[u8],
    number: u64,
    list: bool,
    limits: &ReadLimits,
    tokens: &mut Tokens,
) -> Result<usize> {
    let mut at = 0;
    let mut depth = usize::from(list);
    while at < line.len() {
        let byte = line[at];
        match byte {
            b'%' => return Ok(line.len()),
            b',' => push(&mut tokens.list, Token::Comma)?,
            b'{' if !list => {
                depth += 1;
                push(&mut tokens.list, Token::Open)?;
            }
            b'}' if depth > 0 => {
                depth -= 1;
                push(&mut tokens.list, Token::Close)?;
                if list {
                    return Ok(at + 1);
                }
            }
            b'\'' | b'"' => {
                at = quoted(line, at, number, limits, tokens)?;
                continue;
            }
            _ if is_blank(byte) => {}
            _ => {
                let end = bare(line, at, depth > 0);
                tokens.value(trim(&line[at..end]), false, limits, number)?;
                at = end;
                continue;
            }
        }
        at += 1;
    }
    Ok(at)
}

/// The end of the bare value that starts at `from`; `inside` braces, a closing brace ends it.
fn bare(line: &[u8], from: usize, inside: bool) -> usize {
    let mut at = from + 1;
    while at < line.len() {
        match line[at] {
            b',' | b'%' => return at,
            b'}' if inside => return at,
            byte if is_blank(byte) => {
                let start = at;
                while at < line.len() && is_blank(line[at]) {
                    at += 1;
                }
                if at == line.len() || matches!(line[at], b'\'' | b'"' | b'{') {
                    return start;
                }
            }
            _ => at += 1,
        }
    }
    line.len()
}

/// Append the quoted value whose quote is at `from`, and return the position behind its closing
/// quote.
pub(crate) fn quoted(
    line: &[u8],
    from: usize,
    number: u64,
    limits: &ReadLimits,
    tokens: &mut Tokens,
) -> Result<usize> {
    let quote = line[from];
    let start = tokens.text.len();
    let mut at = from + 1;
    loop {
        let Some(length) = memchr::memchr2(quote, b'\\', &line[at..]) else {
            let problem = format!(
                "a quote ({}) is opened and not closed (at byte {} of the line); close it",
                char::from(quote),
                from + 1
            );
            return Fault::new(problem).at(number).value(line).error();
        };
        append(&mut tokens.text, &line[at..at + length])?;
        at += length;
        if line[at] == quote {
            tokens.close(start, true, limits, number)?;
            return Ok(at + 1);
        }
        at = escape(line, at + 1, &mut tokens.text)?;
    }
}

/// Append the character of an escape, and return the position behind it. `at` is the position
/// behind the backslash.
fn escape(line: &[u8], at: usize, to: &mut Vec<u8>) -> Result<usize> {
    let Some(&byte) = line.get(at) else { return Ok(at) };
    // \uXXXX is a unit of UTF-16; a character beyond 0xffff has two.
    if byte == b'u'
        && let Some(unit) = unit(line, at)
    {
        let low = (0xd800..0xdc00)
            .contains(&unit)
            .then(|| line.get(at + 5) == Some(&b'\\') && line.get(at + 6) == Some(&b'u'))
            .filter(|pair| *pair)
            .and_then(|_| self::unit(line, at + 6))
            .filter(|low| (0xdc00..0xe000).contains(low));
        let code = low.map_or(unit, |low| 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
        let letter = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        append(to, letter.encode_utf8(&mut [0; 4]).as_bytes())?;
        return Ok(at + if low.is_some() { 11 } else { 5 });
    }
    push(
        to,
        match byte {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            other => other,
        },
    )?;
    Ok(at + 1)
}

/// The number of the four hexadecimal digits behind the `u` at `at`.
fn unit(line: &[u8], at: usize) -> Option<u32> {
    let digits = line.get(at + 1..at + 5)?;
    digits.iter().try_fold(0, |sum, &d| Some(sum * 16 + char::from(d).to_digit(16)?))
}
