//! What is fuzzed, as plain functions of bytes; each panics on a finding. No target may be fooled
//! by a particular driver: libFuzzer and the driver of the tests call the same functions.

pub mod files;
pub mod growth;
pub mod model_files;
mod twin;

/// Bytes that answer questions, zeros when they are used up.
pub struct Source<'a>(&'a [u8]);

impl<'a> Source<'a> {
    /// Ask these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((&first, rest)) => {
                self.0 = rest;
                first
            }
            None => 0,
        }
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    /// One of some values.
    pub fn one<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}
