//! Sets of rows: [`RowSet`], a list of ascending internal numbers, for passes over the rows, and
//! [`Bits`], a bit set, for membership.

use super::source::RowChoice;
use std::sync::{Arc, OnceLock};

/// Ascending internal row numbers without repetition; clones share them.
#[derive(Debug, Clone)]
pub struct RowSet {
    len: usize,
    /// The numbers; where these are all rows of the data set, listed on first use.
    rows: Arc<OnceLock<Vec<u32>>>,
    /// Whether these are all rows of the data set.
    everything: bool,
}

impl RowSet {
    /// All rows of a data set with `n` rows. The row numbers are listed only if a reader asks for
    /// the list.
    pub fn all(n: usize) -> Self {
        Self { len: n, rows: Arc::default(), everything: true }
    }

    /// Rows of a data set with `n` rows, given in any order; repetitions are dropped.
    pub fn new(rows: Vec<u32>, n: usize) -> Self {
        let mut bits = Bits::new(n);
        rows.iter().for_each(|&r| bits.set(r));
        let rows: Vec<u32> = bits.ones().collect();
        let (len, everything) = (rows.len(), rows.len() == n);
        Self { len, rows: Arc::new(rows.into()), everything }
    }

    /// The rows as a list. For all rows of a data set it is made on first use; [`Self::iter`] needs
    /// no list.
    #[inline]
    pub fn rows(&self) -> &[u32] {
        self.rows.get_or_init(|| (0..self.len as u32).collect())
    }

    /// The rows, one after the other, ascending. No list is made of a set of all rows.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let choice = self.choice();
        (0..self.len).map(move |position| choice.row(position) as u32)
    }

    /// The rows as they are read from a data set or another [`RowSource`](super::RowSource). A set
    /// of all rows is [`RowChoice::All`], for which readers look up no row numbers.
    #[inline]
    pub fn choice(&self) -> RowChoice<'_> {
        if self.everything { RowChoice::All(self.len) } else { RowChoice::Some(self.rows()) }
    }

    /// Number of rows. Repetitions were dropped when the set was made.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether no row of the data set is left out. Readers of sorted orders then need no test of
    /// membership.
    pub fn is_everything(&self) -> bool {
        self.everything
    }

    /// Membership as bits over `n` rows, for readers that meet rows in another order. `n` is the
    /// number of rows of the data set.
    pub fn bits(&self, n: usize) -> Bits {
        let mut bits = Bits::new(n);
        for r in self.iter() {
            bits.set(r);
        }
        bits
    }
}

/// A set of rows as one bit per row, which answers in O(1) whether a row is in it.
#[derive(Debug, Clone, Default)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// `n` zero bits, padded to whole words. The padding stays 0, because no row has a bit there.
    pub fn new(n: usize) -> Self {
        Self { words: vec![0; n.div_ceil(64)] }
    }

    /// Set the bit of a row. The row must be below the number of bits that the set was made with.
    #[inline]
    pub fn set(&mut self, row: u32) {
        self.words[(row >> 6) as usize] |= 1 << (row & 63);
    }

    /// Clear the bit of a row. A bit that is 0 already stays 0.
    #[inline]
    pub fn clear(&mut self, row: u32) {
        self.words[(row >> 6) as usize] &= !(1 << (row & 63));
    }

    /// The bit of a row as the number 0 or 1. It can be added or used as a mask without a branch.
    #[inline]
    pub fn get(&self, row: u32) -> u32 {
        (self.words[(row >> 6) as usize] >> (row & 63)) as u32 & 1
    }

    /// Rows whose bit is set, ascending. A word without a set bit is skipped at once.
    pub fn ones(&self) -> impl Iterator<Item = u32> + '_ {
        ones(&self.words)
    }

    /// The words, least significant bit first: the bit of row r is bit `r % 64` of word `r / 64`.
    /// Kernels read 64 rows at once from them.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

/// Numbers of the set bits, ascending; a word has 64 bits, the least significant first.
pub fn ones(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    words.iter().enumerate().flat_map(|(i, &word)| {
        let mut word = word;
        std::iter::from_fn(move || {
            (word != 0).then(|| {
                let bit = word.trailing_zeros();
                word &= word - 1;
                i as u32 * 64 + bit
            })
        })
    })
}
