//! Cuts the active rows of the fixed-weight pass ([`super::weigh`]) into blocks, and groups the
//! features that share additions.
//!
//! Within a block the weights of rows with equal *joint values* of a group of features are added
//! once; the sums of each single feature are then sums over joint values. This saves additions for
//! features of few values: three binary features take one addition per row and 3 x 8 sums per
//! block, instead of three additions per row. O(t n) to build, in parallel.

use super::input::SlotRows;
use super::scan::{CHUNK, Tile, rows_with_bit};
use crate::error::Result;
use crate::numeric::sort_few;
use crate::parallel::{self, Control};
use crate::simd::{FeatureSlots, Joint, MOST_JOINT, Slots};

/// Up to [`CHUNK`] active rows of one class and one tile that count with the same power of two.
pub(super) struct PowerBlock {
    pub class: usize,
    pub tile: usize,
    pub rows: Vec<u32>,
    pub slots: Slots,
    /// The rows by joint value, for each group of features.
    pub joints: Vec<Joint>,
}

/// The active rows in blocks, by binary digit of their multiplicity, then by tile and class.
pub(super) struct PowerBlocks {
    pub bits: Vec<Vec<PowerBlock>>,
}

/// The rows of a block before their joint values are known.
struct BlockRows {
    class: usize,
    tile: usize,
    rows: Vec<u32>,
}

impl PowerBlocks {
    pub fn new(control: &Control, rows: &SlotRows, tiles: &[Tile]) -> Result<Self> {
        let groups = groups(&rows.offsets);
        let bits = (0..rows.weight_bits()).map(|bit| {
            let mut blocks: Vec<BlockRows> = Vec::new();
            for tile in tiles {
                for run in &tile.runs {
                    let members = rows_with_bit(rows, &tile.words[run.words.clone()], bit);
                    blocks.extend(members.chunks(CHUNK).map(|members| BlockRows {
                        class: run.class,
                        tile: tile.index,
                        rows: members.to_vec(),
                    }));
                }
            }
            parallel::map(control, blocks.len(), &|b| {
                control.check()?;
                Ok(PowerBlock::new(rows, &blocks[b], &groups))
            })
        });
        Ok(Self { bits: bits.collect::<Result<_>>()? })
    }
}

impl PowerBlock {
    fn new(rows: &SlotRows, block: &BlockRows, groups: &[Vec<usize>]) -> Self {
        let mut slots = Vec::with_capacity(block.rows.len() * rows.features);
        for &i in &block.rows {
            slots.extend_from_slice(rows.row(i as usize));
        }
        let joint = |group: &Vec<usize>| {
            let levels = |k: usize| FeatureSlots {
                feature: k as u32,
                first: rows.offsets[k],
                levels: rows.offsets[k + 1] - rows.offsets[k],
            };
            let value = |i: u32, k: usize| rows.row(i as usize)[k] - rows.offsets[k];
            let values: Vec<u32> =
                block.rows.iter().flat_map(|&i| group.iter().map(move |&k| value(i, k))).collect();
            Joint::new(group.iter().map(|&k| levels(k)).collect(), &values)
        };
        Self {
            class: block.class,
            tile: block.tile,
            rows: block.rows.clone(),
            slots: Slots::new(slots, rows.features),
            joints: groups.iter().map(joint).collect(),
        }
    }
}

/// Groups of features that share additions, found greedily: features in order of their numbers of
/// values, each added to the last group if that lowers the cost per feature there.
pub(super) fn groups(offsets: &[u32]) -> Vec<Vec<usize>> {
    let levels = |k: usize| (offsets[k + 1] - offsets[k]) as usize;
    let mut order: Vec<usize> = (0..offsets.len() - 1).collect();
    sort_few(&mut order, &|&a, &b| levels(a).cmp(&levels(b)));
    let cost = |group: &[usize]| additions(offsets, group);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for k in order {
        if let Some(last) = groups.last_mut() {
            let mut longer = last.clone();
            longer.push(k);
            let joint: usize = longer.iter().map(|&k| levels(k)).product();
            // cost per feature, compared without a division
            if joint <= MOST_JOINT && cost(&longer) * last.len() < cost(last) * longer.len() {
                *last = longer;
                continue;
            }
        }
        groups.push(vec![k]);
    }
    groups
}

/// Additions that a full block takes for a group of features: one per row, then for several
/// features the sums over joint values, per feature.
pub(super) fn additions(offsets: &[u32], group: &[usize]) -> usize {
    let joint: usize = group.iter().map(|&k| (offsets[k + 1] - offsets[k]) as usize).product();
    if group.len() == 1 { CHUNK } else { CHUNK + group.len() * joint }
}
