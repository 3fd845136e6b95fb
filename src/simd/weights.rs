//! Weights of pairs, and rows dealt out by their joint values: what the kernels of `weigh` read.

/// Bits of the largest weight: a weight is at most `1 << WEIGHT_BITS`.
pub const WEIGHT_BITS: usize = 24;

/// Most rows whose weights are added up in a lane.
pub const MOST_ROWS: usize = 128;

/// A row without weight.
const NO_ROW: u16 = MOST_ROWS as u16;

/// Most joint values of more than one feature.
pub const MOST_JOINT: usize = 32;

/// The weight by number of agreements.
#[derive(Debug, Clone)]
pub struct WeightTable {
    /// By number of agreements.
    pub(super) one: Vec<u32>,
    /// Of two numbers below [`FEW`] at once, the second [`FEW_BITS`] higher; empty where there are
    /// more.
    pub(super) two: Vec<u64>,
}

/// Bits of a number of agreements that is looked up together with another.
pub(super) const FEW_BITS: usize = 5;

const FEW: usize = 1 << FEW_BITS;

impl WeightTable {
    /// A weight for every number of agreements from 0 to the number of features.
    pub fn new(by_agreements: Vec<u32>) -> Self {
        assert!(by_agreements.iter().all(|&w| w <= 1 << WEIGHT_BITS));
        let weight =
            |agreements: usize| u64::from(by_agreements.get(agreements).copied().unwrap_or(0));
        let two = if by_agreements.len() <= FEW {
            (0..FEW * FEW).map(|i| weight(i % FEW) | weight(i / FEW) << 32).collect()
        } else {
            Vec::new()
        };
        Self { one: by_agreements, two }
    }
}

/// Rows of a chunk in the order of their joint value of some features.
#[derive(Debug, Clone)]
pub struct Joint {
    pub(super) features: Vec<LevelWords>,
    /// Number of joint values.
    pub(super) values: usize,
    /// Rows by joint value, filled up to an even number with [`NO_ROW`].
    pub(super) order: Vec<u16>,
    /// Joint values (of one feature those that occur), those with the most rows first (loops of the
    /// same length one after the other are foreseen by the processor), and where each ends in the
    /// order.
    pub(super) ends: Vec<(u32, u16)>,
    /// More than the largest slot and feature.
    pub(super) slots: usize,
    pub(super) width: usize,
}

/// Where a feature's values are.
#[derive(Debug, Clone, Copy)]
pub struct LevelWords {
    /// Position among all features.
    pub feature: u32,
    /// First slot.
    pub first: u32,
    /// Number of values.
    pub levels: u32,
}

impl Joint {
    /// `rows` has the values of the features row after row. At most [`MOST_ROWS`] rows, and at most
    /// [`MOST_JOINT`] joint values of more than one feature.
    pub fn new(features: Vec<LevelWords>, rows: &[u32]) -> Self {
        let joint: usize = features.iter().map(|f| f.levels as usize).product();
        let count = rows.len() / features.len();
        assert!(count <= MOST_ROWS && (features.len() == 1 || joint <= MOST_JOINT));
        let of_row: Vec<usize> = rows
            .chunks_exact(features.len())
            .map(|row| {
                row.iter().zip(&features).rev().fold(0, |joint, (&value, of)| {
                    assert!(value < of.levels);
                    joint * of.levels as usize + value as usize
                })
            })
            .collect();
        let mut counts = vec![0u16; joint];
        of_row.iter().for_each(|&j| counts[j] += 1);
        // of one feature only the values that rows have; of several all joint values
        let mut by_size: Vec<u32> = (0..joint as u32).collect();
        by_size.retain(|&j| features.len() > 1 || counts[j as usize] > 0);
        by_size.sort_by_key(|&j| u16::MAX - counts[j as usize].div_ceil(2));
        let (mut ends, mut end) = (Vec::with_capacity(by_size.len()), 0);
        for j in by_size {
            let next = &mut counts[j as usize];
            let begin = end;
            end += next.next_multiple_of(2);
            ends.push((j, end));
            *next = begin;
        }
        let mut order = vec![NO_ROW; usize::from(end)];
        for (row, &j) in of_row.iter().enumerate() {
            order[usize::from(counts[j])] = row as u16;
            counts[j] += 1;
        }
        let slots = features.iter().map(|f| (f.first + f.levels) as usize).max().unwrap_or(0);
        let width = features.iter().map(|f| f.feature as usize + 1).max().unwrap_or(0);
        Self { features, values: joint, order, ends, slots, width }
    }
}

/// What one call of [`super::Kernels::add_weights`] reads: everything of a tile.
#[derive(Debug, Clone, Copy)]
pub struct WeighedTile<'a> {
    /// Weights of a chunk, as [`super::Kernels::weights`] made them.
    pub weights: &'a [u64],
    /// Rows of the chunk.
    pub rows: usize,
    /// Planes of all slots.
    pub planes: &'a [u64],
    /// What [`super::Kernels::lane_masks`] makes of the planes.
    pub masks: &'a [u64],
    /// The columns in use.
    pub valid: &'a [u64],
}
