//! Encoding of a training set as records, and bootstrap samples of the records.
//!
//! Tiles of rows are read column by column, their bins are looked up (`lookup`), and the codes are
//! written to the records; the lowest and the highest value of each bin are kept. Several threads
//! encode blocks of rows; minima and maxima of blocks are merged, so nothing depends on the number
//! of threads. About 2 ns per cell.

use super::lookup::Lookup;
use super::records::{Records, RowLayout, WeightWidth};
use super::{FeatureBins, TILE};
use crate::data::{MISSING, RowChoice, RowSource, Weights};
use crate::error::{Error, Result};
use crate::memory;
use crate::parallel::{self, Control};
use std::sync::{Mutex, PoisonError};

/// Rows encoded by one task.
const TASK: usize = 512 * TILE;
/// Features encoded in one pass over the rows: the tables of more do not stay in the cache.
const TOGETHER: usize = 256;
/// The range of a bin without values.
const EMPTY: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

/// A training set on which histograms are counted.
#[derive(Debug)]
pub struct BinnedTable {
    /// The codes of each feature.
    pub features: Vec<FeatureBins>,
    /// The rows.
    pub records: Records,
    /// Number of declared classes.
    pub classes: usize,
    /// The weight that one unit of a record's weight stands for.
    pub unit: f64,
}

/// The meaning of a table's records.
#[derive(Debug, Clone, Copy)]
pub struct TableFacts<'a> {
    /// The codes of each feature.
    pub features: &'a [FeatureBins],
    /// Number of declared classes.
    pub classes: usize,
    /// The weight that one unit of a record's weight stands for.
    pub unit: f64,
}

/// How the values of one column become codes.
enum Encoder {
    /// The bin of a number.
    Number(Lookup),
    /// The code of a level as it is; with the number of levels.
    Level(u32),
}

impl Encoder {
    /// Number of codes, without that of missing values.
    fn codes(&self) -> u32 {
        match self {
            Self::Number(lookup) => lookup.len() as u32 + 1,
            Self::Level(levels) => *levels,
        }
    }
}

/// The values of a column in one block of rows.
struct BlockValues {
    /// Lowest and highest value of each bin; none for levels.
    ranges: Vec<[f64; 2]>,
    missing: bool,
}

impl BlockValues {
    fn new(encoder: &Encoder) -> Self {
        let ranges = match encoder {
            Encoder::Number(_) => vec![EMPTY; encoder.codes() as usize],
            Encoder::Level(_) => Vec::new(),
        };
        Self { ranges, missing: false }
    }

    /// Add what another block found.
    fn join(&mut self, other: &Self) {
        self.missing |= other.missing;
        for (range, other) in self.ranges.iter_mut().zip(&other.ranges) {
            *range = [range[0].min(other[0]), range[1].max(other[1])];
        }
    }

    /// Widen the ranges by some values with their codes; the code of NaN is beyond the bins.
    fn widen(&mut self, codes: &[u16], numbers: &[f64]) {
        for (&code, &x) in codes.iter().zip(numbers) {
            let Some(range) = self.ranges.get_mut(usize::from(code)) else { continue };
            if x < range[0] {
                range[0] = x;
            }
            if x > range[1] {
                range[1] = x;
            }
        }
    }
}

/// The codes, classes and weights that records are made of.
#[derive(Debug, Clone, Copy)]
pub struct BinEncoding<'a> {
    /// Cut points of each numeric feature; None for a nominal one.
    pub cuts: &'a [Option<&'a [f64]>],
    /// The only value of each bin of each feature, if every bin has one value; else None, and the
    /// range of each bin is found while rows are encoded.
    pub values: Option<&'a [Vec<f64>]>,
    /// Number of levels of nominal features.
    pub levels: &'a [u32],
    /// Class codes by row, below `classes`.
    pub class_of: &'a [u16],
    /// Numbers of a numeric target by row, in units.
    pub units: Option<&'a [i64]>,
    /// Number of declared classes, at most 256.
    pub classes: usize,
    /// Weights by row; rows of weight 0 are not among those to encode.
    pub weights: &'a Weights,
}

impl BinnedTable {
    /// Encode rows.
    ///
    /// # Errors
    /// Where memory runs out, or [`Error::Cancelled`].
    pub fn new(
        cells: &dyn RowSource,
        rows: RowChoice<'_>,
        encoding: &BinEncoding<'_>,
        control: &Control,
    ) -> Result<Self> {
        if encoding.classes > 256 {
            return Err(Error::Internal(format!("{} classes in a byte", encoding.classes)));
        }
        // Missing values may need one code more, so 255 codes are the most for one byte.
        let all = encoding.cuts.iter().zip(encoding.levels);
        let wide = all
            .clone()
            .any(|(cuts, &levels)| cuts.map_or(levels as usize, |cuts| cuts.len() + 1) > 255);
        let (weight, unit) = match encoding.weights {
            Weights::Unit => (WeightWidth::None, 1.0),
            Weights::Integer(_) => (WeightWidth::Word, 1.0),
            Weights::Fixed { shift, .. } => (WeightWidth::Long, f64::powi(2.0, -shift)),
        };
        // Blocks of rows are encoded in parallel, each into its part of the records.
        let layout = RowLayout::new(all.len(), wide, weight).with_number(encoding.units.is_some());
        memory::expect(rows.len() * layout.width)?;
        let mut records = Records { layout, bytes: vec![0; rows.len() * layout.width] };
        let blocks: Vec<Mutex<&mut [u8]>> =
            records.bytes.chunks_mut(TASK * layout.width).map(Mutex::new).collect();
        let mut features = Vec::with_capacity(all.len());
        let mut rest = all.map(|(cuts, &levels)| match cuts {
            Some(cuts) => Encoder::Number(Lookup::new(cuts)),
            None => Encoder::Level(levels),
        });
        loop {
            let from = features.len();
            let encoders: Vec<Encoder> = rest.by_ref().take(TOGETHER).collect();
            let found = parallel::map(control, blocks.len(), &|i| {
                let mut block = blocks[i].lock().unwrap_or_else(PoisonError::into_inner);
                let pass = Pass { cells, rows, encoding, from, encoders: &encoders, layout };
                pass.encode(i * TASK, &mut block, control)
            })?;
            // What all blocks found of each feature.
            let found = found.into_iter().reduce(|mut all, block| {
                all.iter_mut().zip(&block).for_each(|(all, own)| all.join(own));
                all
            });
            let found = found.unwrap_or_else(|| encoders.iter().map(BlockValues::new).collect());
            for (BlockValues { ranges, missing }, encoder) in found.into_iter().zip(&encoders) {
                let ranges = match encoding.values {
                    Some(values) => values[features.len()].iter().map(|&x| [x, x]).collect(),
                    None => ranges,
                };
                let ranges = matches!(encoder, Encoder::Number(_)).then_some(ranges);
                features.push(FeatureBins { codes: encoder.codes(), missing, ranges });
            }
            if features.len() == encoding.cuts.len() {
                break;
            }
        }
        drop(blocks);
        Ok(Self { features, records, classes: encoding.classes, unit })
    }

    /// The meaning of the records.
    pub fn facts(&self) -> TableFacts<'_> {
        TableFacts { features: &self.features, classes: self.classes, unit: self.unit }
    }

    /// The codes of each feature, and the records.
    pub fn into_records(self) -> (Vec<FeatureBins>, Records) {
        (self.features, self.records)
    }

    /// A bootstrap sample: each row with its number of copies as weight, without rows of 0 copies.
    pub fn drawn(&self, copies: &[u32]) -> Records {
        let most = copies.iter().max().copied().unwrap_or(0);
        self.drawn_as(if most <= 255 { WeightWidth::Byte } else { WeightWidth::Word }, copies)
    }

    /// A bootstrap sample as [`Self::drawn`], with four bytes for the copies whatever their number.
    pub fn drawn_words(&self, copies: &[u32]) -> Records {
        self.drawn_as(WeightWidth::Word, copies)
    }

    /// A bootstrap sample with a row for each copy. `copies` has the number of copies of each row,
    /// and `weights` the weight of each row of the sample.
    pub fn drawn_weighing(&self, copies: &[u32], weights: &[i64]) -> Records {
        let from = self.records.layout;
        let layout = from.with_weight(WeightWidth::Long);
        let mut bytes = vec![0; weights.len() * layout.width];
        let shared = from.class_at() + 1;
        // The bytes up to the class are the same in both layouts.
        let repeated = self.records.rows().zip(copies);
        let repeated = repeated.flat_map(|(row, &n)| std::iter::repeat_n(row, n as usize));
        for ((row, to), &weight) in repeated.zip(bytes.chunks_exact_mut(layout.width)).zip(weights)
        {
            to[..shared].copy_from_slice(&row[..shared]);
            layout.set_weight(to, weight);
        }
        Records { layout, bytes }
    }

    /// A bootstrap sample whose copies have a number of bytes.
    fn drawn_as(&self, weight: WeightWidth, copies: &[u32]) -> Records {
        let from = self.records.layout;
        let layout = from.with_weight(weight);
        let mut bytes = vec![0; (copies.len() + 1) * layout.width];
        let shared = from.class_at() + 1;
        let mut at = 0;
        // Every row is written, and one without copies is overwritten by the next: a branch would
        // often be mispredicted. Records of 24 bytes, a common size, are copied as such.
        for (row, &copies) in self.records.rows().zip(copies) {
            let to = &mut bytes[at..at + layout.width];
            match (<&mut [u8; 24]>::try_from(&mut *to), row.first_chunk::<24>()) {
                (Ok(to), Some(row)) => *to = *row,
                _ => to[..shared].copy_from_slice(&row[..shared]),
            }
            layout.set_weight(to, i64::from(copies));
            at += if copies > 0 { layout.width } else { 0 };
        }
        bytes.truncate(at);
        Records { layout, bytes }
    }
}

impl BinEncoding<'_> {
    /// Write the class and the weight of a row to its record.
    fn write_target(&self, from: usize, layout: RowLayout, row: &mut [u8]) {
        row[layout.class_at()] = self.class_of[from] as u8;
        if let Some(units) = self.units {
            layout.set_number(row, units[from]);
        }
        match self.weights {
            Weights::Unit => {}
            Weights::Integer(w) => layout.set_weight(row, i64::from(w[from])),
            Weights::Fixed { values, .. } => layout.set_weight(row, values[from]),
        }
    }
}

/// A pass over the rows, which encodes some features; the first one also writes the target.
struct Pass<'a> {
    cells: &'a dyn RowSource,
    rows: RowChoice<'a>,
    encoding: &'a BinEncoding<'a>,
    /// The first feature.
    from: usize,
    /// One for each feature of the pass.
    encoders: &'a [Encoder],
    layout: RowLayout,
}

impl Pass<'_> {
    /// Encode the rows at the places from `start` on into `block`.
    fn encode(
        &self,
        start: usize,
        block: &mut [u8],
        control: &Control,
    ) -> Result<Vec<BlockValues>> {
        let Self { cells, rows, encoding, from, encoders, layout } = *self;
        let mut found: Vec<BlockValues> = encoders.iter().map(BlockValues::new).collect();
        let (mut numbers, mut levels, mut codes) = ([0.0; TILE], [0_u32; TILE], [0_u16; TILE]);
        for (t, tile) in block.chunks_mut(TILE * layout.width).enumerate() {
            control.check()?;
            let (first, len) = (start + t * TILE, tile.len() / layout.width);
            // The codes of each feature in this tile.
            for (feature, (encoder, found)) in (from..).zip(encoders.iter().zip(&mut found)) {
                let codes = &mut codes[..len];
                match encoder {
                    Encoder::Number(lookup) => {
                        let numbers = &mut numbers[..len];
                        cells.numbers(feature, rows, first, numbers);
                        lookup.codes(numbers, codes);
                        if numbers.iter().fold(false, |any, x| any | x.is_nan()) {
                            found.missing = true;
                            for (code, x) in codes.iter_mut().zip(&*numbers) {
                                *code = if x.is_nan() { encoder.codes() as u16 } else { *code };
                            }
                        }
                        if encoding.values.is_none() {
                            found.widen(codes, numbers);
                        }
                    }
                    Encoder::Level(n_levels) => {
                        let levels = &mut levels[..len];
                        cells.codes(feature, rows, first, levels);
                        for (code, &level) in codes.iter_mut().zip(&*levels) {
                            let missing = level == MISSING;
                            found.missing |= missing;
                            *code = if missing { *n_levels } else { level } as u16;
                        }
                    }
                }
                write_codes(tile, layout, feature, codes);
            }
            // The class and the weight of each row, once.
            if from == 0 {
                for (i, row) in tile.chunks_exact_mut(layout.width).enumerate() {
                    encoding.write_target(rows.row(first + i), layout, row);
                }
            }
        }
        Ok(found)
    }
}

/// Write the codes of a feature to the rows of a tile.
fn write_codes(tile: &mut [u8], layout: RowLayout, feature: usize, codes: &[u16]) {
    if layout.wide {
        for (row, &code) in tile.chunks_exact_mut(layout.width).zip(codes) {
            row[2 * feature..2 * feature + 2].copy_from_slice(&code.to_le_bytes());
        }
    } else {
        for (row, &code) in tile.chunks_exact_mut(layout.width).zip(codes) {
            row[feature] = code as u8;
        }
    }
}
