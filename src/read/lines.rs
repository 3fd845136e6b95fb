//! Blocks of bytes become lines, which end in LF, CR or CR LF and are numbered from 1.
//!
//! A line inside one block is passed on without a copy; a line that spans several blocks is
//! collected first. O(bytes).

use super::{Fault, ReadLimits, Result, append};

/// The incomplete last line, and the number of complete ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    carry: Vec<u8>,
    done: u64,
    /// Whether the last byte was a CR: a LF that follows belongs to it.
    after_return: bool,
}

impl Lines {
    /// Number of the line that is being read.
    pub(crate) fn number(&self) -> u64 {
        self.done + 1
    }

    /// The bytes so far of the line that is being read.
    pub(crate) fn open(&self) -> &[u8] {
        &self.carry
    }

    /// Take a block. `take` gets every complete line with its number; if it returns false, the
    /// bytes behind that line are returned.
    pub(crate) fn feed<'a>(
        &mut self,
        mut block: &'a [u8],
        limits: &ReadLimits,
        take: &mut impl FnMut(&[u8], u64) -> Result<bool>,
    ) -> Result<&'a [u8]> {
        while !block.is_empty() {
            if self.after_return {
                self.after_return = false;
                if block[0] == b'\n' {
                    block = &block[1..];
                    continue;
                }
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', block) else {
                append(&mut self.carry, block)?;
                self.check(self.carry.len(), limits)?;
                return Ok(&[]);
            };
            self.after_return = block[end] == b'\r';
            let number = self.number();
            let more = if self.carry.is_empty() {
                self.check(end, limits)?;
                take(&block[..end], number)?
            } else {
                append(&mut self.carry, &block[..end])?;
                self.check(self.carry.len(), limits)?;
                let line = std::mem::take(&mut self.carry);
                let more = take(&line, number)?;
                self.carry = line;
                self.carry.clear();
                more
            };
            self.done += 1;
            block = &block[end + 1..];
            if !more {
                return Ok(block);
            }
        }
        Ok(block)
    }

    /// Take the last line of a file that does not end in a line end.
    pub(crate) fn finish(
        &mut self,
        take: &mut impl FnMut(&[u8], u64) -> Result<bool>,
    ) -> Result<()> {
        let line = std::mem::take(&mut self.carry);
        if !line.is_empty() {
            take(&line, self.number())?;
            self.done += 1;
        }
        Ok(())
    }

    /// An error if a line is longer than the limit.
    fn check(&self, length: usize, limits: &ReadLimits) -> Result<()> {
        if length <= limits.line {
            return Ok(());
        }
        let problem = format!(
            "the line is longer than {} bytes; is this a text file with line ends?",
            limits.line
        );
        Fault::new(problem).at(self.number()).error()
    }
}
