//! Nominal data as bit planes: one bit per row, feature and value, from which growth on nominal
//! features makes its tables by popcounts.
//!
//! Rows lie class by class, and each class begins a new 64-bit word, so that a count under a part
//! of a node's mask is a count within a class. Planes are word-major (see `simd::columns`).
//! Features with the same number of values are neighbours, ordered by value and then by feature, so
//! that counts come out as blocks of tables as criteria read them. The last value of a feature has
//! no plane: its counts are what remains. Memory: `rows * sum of (values - 1) / 8` bytes.

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
    /// Number of planes, padded with empty ones.
    pub width: usize,
    /// `bits[word * width + plane]`.
    pub bits: Vec<u64>,
    /// First word of each class, and the end.
    pub class_words: Vec<u32>,
    class_starts: Vec<u32>,
}

impl Planes {
    /// The planes of columns; None unless all are nominal, without missing values and with at most
    /// 255 levels. The rows of class c are `class_starts[c]..class_starts[c + 1]`.
    pub fn new(columns: &[Column], class_starts: &[u32]) -> Option<Self> {
        let mut groups: Vec<PlaneGroup> = Vec::new();
        // Features with the same number of values become a group.
        for (feature, column) in columns.iter().enumerate() {
            let Column::Nominal(column) = column else { return None };
            if column.n_missing() > 0 {
                return None;
            }
            let (feature, arity) = (feature as u32, column.levels().max(1));
            match groups.iter_mut().find(|group| group.arity == arity) {
                Some(group) => group.features.push(feature),
                None => groups.push(PlaneGroup { arity, features: vec![feature], first: 0 }),
            }
        }
        // Planes one group after the other.
        let mut planes = 0;
        for group in &mut groups {
            group.first = planes;
            planes += (group.arity - 1) * group.features.len();
        }
        let width = planes.next_multiple_of(PLANE_GROUP).max(PLANE_GROUP);
        // Each class begins a new word.
        let class_starts = class_starts.to_vec();
        let mut class_words = vec![0];
        for class in class_starts.windows(2) {
            let words = (class[1] - class[0]).div_ceil(64);
            class_words.push(class_words[class_words.len() - 1] + words);
        }
        let words = class_words[class_words.len() - 1] as usize;
        let mut out =
            Self { groups, width, bits: vec![0; words * width], class_words, class_starts };
        let mut bits = std::mem::take(&mut out.bits);
        for group in &out.groups {
            for (place, &feature) in group.features.iter().enumerate() {
                let Column::Nominal(column) = &columns[feature as usize] else { return None };
                let Codes::Narrow(codes) = column.codes() else { return None };
                for (rows, &word) in out.class_starts.windows(2).zip(&out.class_words) {
                    let codes = &codes[rows[0] as usize..rows[1] as usize];
                    let first = word as usize * width + group.first + place;
                    let planes = &mut bits[first.min(words * width)..];
                    let value_step = group.features.len();
                    one_hot(Level::active(), codes, group.arity - 1, planes, width, value_step);
                }
            }
        }
        out.bits = bits;
        Some(out)
    }

    /// The word of a row, and its bit in the word.
    fn place(&self, row: u32, class: u16) -> (usize, u32) {
        let within = row - self.class_starts[class as usize];
        ((self.class_words[class as usize] + within / 64) as usize, within % 64)
    }

    /// Internal rows, ascending, as a sparse mask; `classes` has the class of every row.
    pub fn mask(&self, rows: &[u32], classes: &[u16]) -> Vec<SparseWord> {
        let mut mask: Vec<SparseWord> = Vec::new();
        for &row in rows {
            let (word, bit) = self.place(row, classes[row as usize]);
            match mask.last_mut() {
                Some(last) if last.word as usize == word => last.mask |= 1 << bit,
                _ => mask.push(SparseWord { word: word as u32, mask: 1 << bit }),
            }
        }
        mask
    }
}
