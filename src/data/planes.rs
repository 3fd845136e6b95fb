//! Nominal data as bit planes: one bit for each (row, feature, value).
//!
//! Rows are laid out class by class, each class beginning a new 64-bit word, so that the class of a
//! word is known and a count under a node's mask is a count within a class. Planes are word-major
//! (see `simd::columns`); features with the same number of values are neighbours, ordered by value
//! and then by feature, so that counts come out as the blocks in which criteria want them. The last
//! value of a feature has no plane: its counts are what remains. Memory: rows x sum of (values - 1)
//! / 8 bytes.

use super::{Codes, Column};
use crate::simd::Level;
use crate::simd::codes::one_hot;
use crate::simd::columns::{PLANE_GROUP, SparseWord};

/// Features with the same number of values.
#[derive(Debug, Clone)]
pub struct PlaneGroup {
    /// Number of values.
    pub arity: usize,
    /// The features, ascending.
    pub features: Vec<u32>,
    /// Plane of value 0 of the first feature; value `v` of feature `f` has plane `first + v *
    /// features.len() + f`.
    pub first: usize,
}

/// Bit planes of all features.
#[derive(Debug, Clone)]
pub struct Planes {
    /// Groups by number of values.
    pub groups: Vec<PlaneGroup>,
    /// Planes a word, padded.
    pub width: usize,
    /// `bits[word * width + plane]`.
    pub bits: Vec<u64>,
    /// First word of each class, and the end.
    pub class_words: Vec<u32>,
    class_starts: Vec<u32>,
}

impl Planes {
    /// Planes of columns that are all nominal, without missing values and with at most 255 levels,
    /// nothing of any other; rows of class `c` are `class_starts[c]..class_starts[c + 1]`.
    pub fn new(columns: &[Column], class_starts: &[u32]) -> Option<Self> {
        let mut groups: Vec<PlaneGroup> = Vec::new();
        for (f, column) in columns.iter().enumerate() {
            let Column::Nominal(c) = column else { return None };
            if c.n_missing() > 0 {
                return None;
            }
            let arity = c.levels().max(1);
            match groups.iter_mut().find(|g| g.arity == arity) {
                Some(g) => g.features.push(f as u32),
                None => groups.push(PlaneGroup { arity, features: vec![f as u32], first: 0 }),
            }
        }
        let mut planes = 0;
        for g in &mut groups {
            g.first = planes;
            planes += (g.arity - 1) * g.features.len();
        }
        let width = planes.next_multiple_of(PLANE_GROUP).max(PLANE_GROUP);
        let class_starts = class_starts.to_vec();
        let mut class_words = vec![0];
        for c in class_starts.windows(2) {
            class_words.push(class_words[class_words.len() - 1] + (c[1] - c[0]).div_ceil(64));
        }
        let words = class_words[class_words.len() - 1] as usize;
        let mut out =
            Self { groups, width, bits: vec![0; words * width], class_words, class_starts };
        let mut bits = std::mem::take(&mut out.bits);
        for g in &out.groups {
            for (j, &f) in g.features.iter().enumerate() {
                let Column::Nominal(column) = &columns[f as usize] else { return None };
                let Codes::Narrow(codes) = column.codes() else { return None };
                let steps = (width, g.features.len());
                for (rows, &word) in out.class_starts.windows(2).zip(&out.class_words) {
                    let codes = &codes[rows[0] as usize..rows[1] as usize];
                    let first = word as usize * width + g.first + j;
                    let planes = &mut bits[first.min(words * width)..];
                    one_hot(Level::active(), codes, g.arity - 1, planes, steps);
                }
            }
        }
        out.bits = bits;
        Some(out)
    }

    fn place(&self, row: u32, class: u16) -> (usize, u32) {
        let within = row - self.class_starts[class as usize];
        ((self.class_words[class as usize] + within / 64) as usize, within % 64)
    }

    /// A set of ascending internal rows as a sparse mask.
    pub fn mask(&self, rows: &[u32], classes: &[u16]) -> Vec<SparseWord> {
        let mut mask: Vec<SparseWord> = Vec::new();
        for &row in rows {
            let (word, bit) = self.place(row, classes[row as usize]);
            match mask.last_mut() {
                Some(last) if last.0 as usize == word => last.1 |= 1 << bit,
                _ => mask.push((word as u32, 1 << bit)),
            }
        }
        mask
    }
}
