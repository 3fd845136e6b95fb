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
use crate::parallel::{self, Control, lock};
use std::sync::Mutex;

/// Rows encoded by one task.
const TASK_ROWS: usize = 512 * TILE;
/// Features encoded in one pass over the rows: the look-up tables of more features do not stay in
/// the cache.
const PASS_FEATURES: usize = 256;
/// The range of a bin without values: lowest and highest value.
const EMPTY_RANGE: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

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

/// What a table's records mean, for growth that has no table in memory.
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
    /// The code of a level as it is; the field is the number of levels.
    Level(u32),
}

impl Encoder {
    /// Number of codes without the code of missing values, which is this number.
    fn n_codes(&self) -> u32 {
        match self {
            Self::Number(lookup) => lookup.len() as u32 + 1,
            Self::Level(levels) => *levels,
        }
    }
}

/// What one block of rows tells about the values of a column.
struct BlockSummary {
    /// Lowest and highest value of each bin; empty for levels.
    ranges: Vec<[f64; 2]>,
    has_missing: bool,
}

impl BlockSummary {
    fn new(encoder: &Encoder) -> Self {
        let ranges = match encoder {
            Encoder::Number(_) => vec![EMPTY_RANGE; encoder.n_codes() as usize],
            Encoder::Level(_) => Vec::new(),
        };
        Self { ranges, has_missing: false }
    }

    /// Add the summary of another block.
    fn merge(&mut self, other: &Self) {
        self.has_missing |= other.has_missing;
        for (range, other) in self.ranges.iter_mut().zip(&other.ranges) {
            *range = [range[0].min(other[0]), range[1].max(other[1])];
        }
    }

    /// Widen the ranges of the bins by some values, whose codes are given. The code of a missing
    /// value is beyond the bins, so that it widens none.
    fn widen_ranges(&mut self, codes: &[u16], numbers: &[f64]) {
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
    /// Encode `rows` of the columns that `cells` reads.
    ///
    /// # Errors
    /// [`Error::Internal`] with more than 256 classes; where memory runs out; or
    /// [`Error::Cancelled`].
    pub fn new(
        cells: &dyn RowSource,
        rows: RowChoice<'_>,
        encoding: &BinEncoding<'_>,
        control: &Control,
    ) -> Result<Self> {
        if encoding.classes > 256 {
            return Err(Error::Internal(format!("{} classes in a byte", encoding.classes)));
        }
        let (layout, unit) = encoding.layout();
        memory::cover(rows.len() * layout.width)?;
        let mut records = Records { layout, bytes: vec![0; rows.len() * layout.width] };
        // Blocks of rows are encoded in parallel, each into its part of the records.
        let blocks: Vec<Mutex<&mut [u8]>> =
            records.bytes.chunks_mut(TASK_ROWS * layout.width).map(Mutex::new).collect();
        let mut features = Vec::with_capacity(encoding.cuts.len());
        // The first pass also writes classes and weights, so it is made without features, too.
        loop {
            let first_feature = features.len();
            let columns = encoding.cuts.iter().zip(encoding.levels).skip(first_feature);
            let encoders: Vec<Encoder> = columns
                .take(PASS_FEATURES)
                .map(|(cuts, &levels)| match cuts {
                    Some(cuts) => Encoder::Number(Lookup::new(cuts)),
                    None => Encoder::Level(levels),
                })
                .collect();
            let pass = Pass { cells, rows, encoding, first_feature, encoders: &encoders, layout };
            let summaries = pass.encode_blocks(&blocks, control)?;
            for (summary, encoder) in summaries.into_iter().zip(&encoders) {
                let ranges = match encoding.values {
                    Some(values) => values[features.len()].iter().map(|&x| [x, x]).collect(),
                    None => summary.ranges,
                };
                features.push(FeatureBins {
                    n_codes: encoder.n_codes(),
                    has_missing: summary.has_missing,
                    ranges: matches!(encoder, Encoder::Number(_)).then_some(ranges),
                });
            }
            if features.len() == encoding.cuts.len() {
                break;
            }
        }
        drop(blocks);
        Ok(Self { features, records, classes: encoding.classes, unit })
    }

    /// What the records mean, borrowed from the table. Growth takes the meaning and the records
    /// apart, because a bootstrap sample or a partition of a cluster brings other records.
    pub fn facts(&self) -> TableFacts<'_> {
        TableFacts { features: &self.features, classes: self.classes, unit: self.unit }
    }

    /// The codes of each feature, and the records, without a copy. The last fit of a table takes
    /// the records with it, because growth reorders them.
    pub fn into_records(self) -> (Vec<FeatureBins>, Records) {
        (self.features, self.records)
    }

    /// A bootstrap sample: each row with its number of copies as weight, without rows of 0 copies.
    /// The weight takes one byte if all numbers fit.
    pub fn bootstrap_sample(&self, copies: &[u32]) -> Records {
        let most = copies.iter().max().copied().unwrap_or(0);
        let weight = if most <= 255 { WeightWidth::Byte } else { WeightWidth::Word };
        self.sample_with_weights(weight, copies)
    }

    /// [`Self::bootstrap_sample`] with four bytes for the weight, whatever the numbers of copies.
    /// The partitions of a distributed fit are drawn separately, and their samples must have the
    /// same layout.
    pub fn bootstrap_sample_with_word_weights(&self, copies: &[u32]) -> Records {
        self.sample_with_weights(WeightWidth::Word, copies)
    }

    /// A bootstrap sample with a row for each copy. `copies` has the number of copies of each row,
    /// and `weights` the weight of each row of the sample.
    pub fn weighted_bootstrap_sample(&self, copies: &[u32], weights: &[i64]) -> Records {
        let source = self.records.layout;
        let layout = source.with_weight(WeightWidth::Long);
        let mut bytes = vec![0; weights.len() * layout.width];
        // The bytes up to the class are the same in both layouts.
        let n_shared = source.class_at() + 1;
        let repeated = self.records.rows().zip(copies);
        let repeated = repeated.flat_map(|(row, &n)| std::iter::repeat_n(row, n as usize));
        let records = bytes.chunks_exact_mut(layout.width);
        for ((row, record), &weight) in repeated.zip(records).zip(weights) {
            record[..n_shared].copy_from_slice(&row[..n_shared]);
            layout.set_weight(record, weight);
        }
        Records { layout, bytes }
    }

    /// A bootstrap sample whose numbers of copies are kept in weights of a given width.
    fn sample_with_weights(&self, weight: WeightWidth, copies: &[u32]) -> Records {
        let source = self.records.layout;
        let layout = source.with_weight(weight);
        // One record more, because a row without copies is written before it is dropped.
        let mut bytes = vec![0; (copies.len() + 1) * layout.width];
        let n_shared = source.class_at() + 1;
        let mut end = 0;
        // Every row is written, and one without copies is overwritten by the next: a branch would
        // often be mispredicted. Records of 24 bytes, a common size, are copied as such.
        for (row, &copies) in self.records.rows().zip(copies) {
            let record = &mut bytes[end..end + layout.width];
            match (<&mut [u8; 24]>::try_from(&mut *record), row.first_chunk::<24>()) {
                (Ok(record), Some(row)) => *record = *row,
                _ => record[..n_shared].copy_from_slice(&row[..n_shared]),
            }
            layout.set_weight(record, i64::from(copies));
            end += if copies > 0 { layout.width } else { 0 };
        }
        bytes.truncate(end);
        Records { layout, bytes }
    }
}

impl BinEncoding<'_> {
    /// The layout of the records, and the weight that one unit of their weights stands for.
    fn layout(&self) -> (RowLayout, f64) {
        // Missing values may need one code more, so 255 codes are the most for one byte.
        let wide = self
            .cuts
            .iter()
            .zip(self.levels)
            .any(|(cuts, &levels)| cuts.map_or(levels as usize, |cuts| cuts.len() + 1) > 255);
        let (weight, unit) = match self.weights {
            Weights::Unit => (WeightWidth::None, 1.0),
            Weights::Integer(_) => (WeightWidth::Word, 1.0),
            Weights::Fixed { shift, .. } => (WeightWidth::Long, f64::powi(2.0, -shift)),
        };
        let layout = RowLayout::new(self.cuts.len(), wide, weight);
        (layout.with_number(self.units.is_some()), unit)
    }

    /// Write the class, the number and the weight of a row of the source to its record.
    fn write_target(&self, row: usize, layout: RowLayout, record: &mut [u8]) {
        record[layout.class_at()] = self.class_of[row] as u8;
        if let Some(units) = self.units {
            layout.set_number(record, units[row]);
        }
        match self.weights {
            Weights::Unit => {}
            Weights::Integer(copies) => layout.set_weight(record, i64::from(copies[row])),
            Weights::Fixed { values, .. } => layout.set_weight(record, values[row]),
        }
    }
}

/// A pass over the rows, which encodes some features; the first one also writes the target.
struct Pass<'a> {
    cells: &'a dyn RowSource,
    rows: RowChoice<'a>,
    encoding: &'a BinEncoding<'a>,
    first_feature: usize,
    /// One for each feature of the pass.
    encoders: &'a [Encoder],
    layout: RowLayout,
}

impl Pass<'_> {
    /// Encode all rows, one block of them per task, and return the summary of each feature over
    /// all blocks.
    fn encode_blocks(
        &self,
        blocks: &[Mutex<&mut [u8]>],
        control: &Control,
    ) -> Result<Vec<BlockSummary>> {
        let by_block = parallel::map(control, blocks.len(), &|i| {
            let mut block = lock(&blocks[i]);
            self.encode_block(i * TASK_ROWS, &mut block, control)
        })?;
        let mut summaries: Vec<BlockSummary> =
            self.encoders.iter().map(BlockSummary::new).collect();
        for block in &by_block {
            summaries.iter_mut().zip(block).for_each(|(summary, other)| summary.merge(other));
        }
        Ok(summaries)
    }

    /// Encode the rows at the positions from `start` on into `block`.
    fn encode_block(
        &self,
        start: usize,
        block: &mut [u8],
        control: &Control,
    ) -> Result<Vec<BlockSummary>> {
        let Self { cells, rows, encoding, first_feature, encoders, layout } = *self;
        let mut summaries: Vec<BlockSummary> = encoders.iter().map(BlockSummary::new).collect();
        let (mut numbers, mut levels, mut codes) = ([0.0; TILE], [0_u32; TILE], [0_u16; TILE]);
        for (t, tile) in block.chunks_mut(TILE * layout.width).enumerate() {
            control.check()?;
            let (first, len) = (start + t * TILE, tile.len() / layout.width);
            // The codes of each feature in this tile.
            for (feature, (encoder, summary)) in
                (first_feature..).zip(encoders.iter().zip(&mut summaries))
            {
                let codes = &mut codes[..len];
                match encoder {
                    Encoder::Number(lookup) => {
                        let numbers = &mut numbers[..len];
                        cells.numbers(feature, rows, first, numbers);
                        lookup.codes(numbers, codes);
                        if numbers.iter().fold(false, |any, x| any | x.is_nan()) {
                            summary.has_missing = true;
                            for (code, x) in codes.iter_mut().zip(&*numbers) {
                                *code = if x.is_nan() { encoder.n_codes() as u16 } else { *code };
                            }
                        }
                        if encoding.values.is_none() {
                            summary.widen_ranges(codes, numbers);
                        }
                    }
                    Encoder::Level(n_levels) => {
                        let levels = &mut levels[..len];
                        cells.codes(feature, rows, first, levels);
                        for (code, &level) in codes.iter_mut().zip(&*levels) {
                            let is_missing = level == MISSING;
                            summary.has_missing |= is_missing;
                            *code = if is_missing { *n_levels } else { level } as u16;
                        }
                    }
                }
                write_codes(tile, layout, feature, codes);
            }
            // The class and the weight of each row, once.
            if first_feature == 0 {
                for (i, record) in tile.chunks_exact_mut(layout.width).enumerate() {
                    encoding.write_target(rows.row(first + i), layout, record);
                }
            }
        }
        Ok(summaries)
    }
}

/// Write the codes of a feature to the records of a tile.
fn write_codes(tile: &mut [u8], layout: RowLayout, feature: usize, codes: &[u16]) {
    if layout.wide {
        for (record, &code) in tile.chunks_exact_mut(layout.width).zip(codes) {
            record[2 * feature..2 * feature + 2].copy_from_slice(&code.to_le_bytes());
        }
    } else {
        for (record, &code) in tile.chunks_exact_mut(layout.width).zip(codes) {
            record[feature] = code as u8;
        }
    }
}
