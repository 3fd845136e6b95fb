//! The encoding of a file, found while it is read: UTF-8 if all bytes are valid, else Latin-1.
//!
//! Blocks may end inside a character, so the test keeps the bytes of an incomplete one.

use std::borrow::Cow;

/// The byte-order mark, which some programs write before UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A running test of all bytes fed so far.
#[derive(Debug, Clone, Default)]
pub struct Encoding {
    /// Bytes of the incomplete character at the end of the last block.
    tail: Vec<u8>,
    /// Number of line feeds so far.
    lines: u64,
    /// Line of the first byte that is not UTF-8.
    latin1: Option<u64>,
    /// Whether the mark has been looked for.
    started: bool,
    /// The first bytes of the file, as long as they may be the beginning of the mark.
    held: Vec<u8>,
}

impl Encoding {
    /// Take the next block, and return it without the mark, which may be spread over several
    /// blocks. The result borrows the block, except for the first bytes of a file that came in tiny
    /// blocks. Bytes are not changed: the caller decodes texts when the whole file has been read.
    pub fn feed<'a>(&mut self, block: &'a [u8]) -> Cow<'a, [u8]> {
        let mut block = Cow::Borrowed(block);
        if !self.started {
            if !self.held.is_empty() {
                block = Cow::Owned([std::mem::take(&mut self.held), block.into_owned()].concat());
            }
            if block.len() < MARK.len() && MARK.starts_with(&block) {
                self.held = block.into_owned();
                return Cow::Borrowed(&[]);
            }
            self.started = true;
            if block.starts_with(MARK) {
                block = match block {
                    Cow::Borrowed(text) => Cow::Borrowed(&text[MARK.len()..]),
                    Cow::Owned(text) => Cow::Owned(text[MARK.len()..].to_vec()),
                };
            }
        }
        if self.latin1.is_none() {
            self.check(&block);
        }
        block
    }

    /// The bytes that were held back at the start of the file because they might have been a mark.
    /// The caller feeds them again at the end of a file that is shorter than a mark.
    pub fn take_held(&mut self) -> Vec<u8> {
        self.started = true;
        std::mem::take(&mut self.held)
    }

    /// Test whether a block continues valid UTF-8.
    fn check(&mut self, block: &[u8]) {
        // First the rest of the character that the last block began.
        let mut rest = block;
        while !self.tail.is_empty() && !rest.is_empty() {
            self.tail.push(rest[0]);
            rest = &rest[1..];
            match std::str::from_utf8(&self.tail) {
                Ok(_) => self.tail.clear(),
                Err(e) if e.error_len().is_none() => {}
                Err(_) => {
                    self.latin1 = Some(self.lines + 1);
                    return;
                }
            }
        }
        match std::str::from_utf8(rest) {
            Ok(_) => self.lines += newlines(rest),
            Err(e) if e.error_len().is_none() => {
                self.lines += newlines(rest);
                self.tail = rest[e.valid_up_to()..].to_vec();
            }
            Err(e) => self.latin1 = Some(self.lines + newlines(&rest[..e.valid_up_to()]) + 1),
        }
    }

    /// At the end of the file, the first line that is not UTF-8. If there is one, the file is
    /// Latin-1.
    pub fn latin1(&self) -> Option<u64> {
        self.latin1.or((!self.tail.is_empty()).then_some(self.lines + 1))
    }
}

/// Number of line feeds.
pub(crate) fn newlines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

#[cfg(test)]
mod tests {
    use super::Encoding;

    #[test]
    fn blocks_of_any_size_give_the_same_result() {
        let cases: [(&[u8], Option<u64>); 8] = [
            ("grün\nÄpfel\n".as_bytes(), None),
            (b"gr\xfcn\n", Some(1)),
            (b"a\nb\n\xe4pfel\n", Some(3)),
            (b"a\nb\xc3", Some(2)),
            (b"", None),
            (b"\xef\xbb\xbfa", None),
            (b"\xef\xbb\xbf", None),
            (b"\xef\xbb", Some(1)),
        ];
        for (text, latin1) in cases {
            for size in 1..=text.len().max(1) {
                let mut encoding = Encoding::default();
                let mut found: Vec<u8> = Vec::new();
                text.chunks(size).for_each(|block| found.extend(encoding.feed(block).iter()));
                let rest = encoding.take_held();
                found.extend(encoding.feed(&rest).iter());
                assert_eq!(found, text.strip_prefix(super::MARK).unwrap_or(text));
                assert_eq!(encoding.latin1(), latin1, "{text:?} in blocks of {size}");
            }
        }
    }
}
