//! The active rows of the fixed-weight pass in blocks, and the features that share additions there.

use super::input::SlotRows;
use super::scan::{CHUNK, Tile};
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::{FeatureSlots, Joint, MOST_JOINT, Slots};

/// Some rows of one class and one tile that count with the same power of two.
pub(super) struct PowerBlock {
    pub class: usize,
    pub tile: usize,
    pub rows: Vec<u32>,
    pub slots: Slots,
    pub joints: Vec<Joint>,
}

/// The active rows: by binary digit of their multiplicity, then by class and tile.
pub(super) struct PowerBlocks {
    pub bits: Vec<Vec<PowerBlock>>,
}

impl PowerBlocks {
    pub fn new(control: &Control, rows: &SlotRows, tiles: &[Tile]) -> Result<Self> {
        let groups = groups(&rows.offsets);
        let top = rows.weights.iter().fold(0, |a, &w| a | w);
        let bits = (0..32 - top.leading_zeros()).map(|bit| {
            let mut pieces: Vec<(usize, usize, Vec<u32>)> = Vec::new();
            for tile in tiles {
                for (class, run) in &tile.runs {
                    let ranges = &tile.words[run.clone()];
                    let all = ranges.iter().flat_map(|w| w.1.start as u32..w.1.end as u32);
                    let members: Vec<u32> =
                        all.filter(|&i| rows.weights[i as usize] >> bit & 1 == 1).collect();
                    pieces.extend(members.chunks(CHUNK).map(|m| (*class, tile.index, m.to_vec())));
                }
            }
            parallel::map(control, pieces.len(), |p| {
                control.check()?;
                let (class, tile, members) = &pieces[p];
                Ok(PowerBlock::new(rows, *class, *tile, members, &groups))
            })
        });
        Ok(Self { bits: bits.collect::<Result<_>>()? })
    }
}

impl PowerBlock {
    fn new(
        rows: &SlotRows,
        class: usize,
        tile: usize,
        members: &[u32],
        groups: &[Vec<usize>],
    ) -> Self {
        let mut slots = Vec::with_capacity(members.len() * rows.features);
        for &i in members {
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
                members.iter().flat_map(|&i| group.iter().map(move |&k| value(i, k))).collect();
            Joint::new(group.iter().map(|&k| levels(k)).collect(), &values)
        };
        let joints = groups.iter().map(joint).collect();
        Self {
            class,
            tile,
            rows: members.to_vec(),
            slots: Slots::new(slots, rows.features),
            joints,
        }
    }
}

/// Features that share additions: those with the fewest values first, as long as a feature costs
/// less in the group than alone.
pub(super) fn groups(offsets: &[u32]) -> Vec<Vec<usize>> {
    let levels = |k: usize| (offsets[k + 1] - offsets[k]) as usize;
    let mut order: Vec<usize> = (0..offsets.len() - 1).collect();
    order.sort_by_key(|&k| levels(k));
    let cost = |group: &[usize]| additions(offsets, group);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for k in order {
        if let Some(last) = groups.last_mut() {
            let mut longer = last.clone();
            longer.push(k);
            let joint: usize = longer.iter().map(|&k| levels(k)).product();
            if joint <= MOST_JOINT && cost(&longer) * last.len() < cost(last) * longer.len() {
                *last = longer;
                continue;
            }
        }
        groups.push(vec![k]);
    }
    groups
}

/// Additions of a chunk: its rows, then sums over joint values for each feature.
pub(super) fn additions(offsets: &[u32], group: &[usize]) -> usize {
    let joint: usize = group.iter().map(|&k| (offsets[k + 1] - offsets[k]) as usize).product();
    if group.len() == 1 { CHUNK } else { CHUNK + group.len() * joint }
}
