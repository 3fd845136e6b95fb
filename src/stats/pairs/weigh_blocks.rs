//! Cuts the active rows of the fixed-weight pass ([`super::weigh`]) into blocks, and groups the
//! features that share additions.
//!
//! Within a block the weights of rows with equal *joint values* of a group of features are added
//! once; the sums of each single feature are then sums over joint values. This saves additions for
//! features of few values: three binary features take one addition per row and 3 x 8 sums per
//! block, instead of three additions per row. O(t n) to build, in parallel.

use super::input::SlotRows;
use super::scan::{CHUNK, Chunk, Tile};
use crate::error::Result;
use crate::numeric::sort_few;
use crate::parallel::Control;
use crate::simd::{FeatureSlots, Joint, MOST_JOINT};

/// The active rows in chunks, by binary digit of their multiplicity, then by tile and class; the
/// rows of a chunk by joint value, for each group of features.
pub(super) fn blocks(
    control: &Control,
    rows: &SlotRows,
    tiles: &[Tile],
) -> Result<Vec<Vec<Chunk<Joint>>>> {
    let groups = groups(&rows.offsets);
    Chunk::all(control, rows, tiles, &|slots| {
        let joint = |group: &Vec<usize>| {
            let feature = |&k: &usize| FeatureSlots {
                feature: k as u32,
                first: rows.offsets[k],
                levels: rows.offsets[k + 1] - rows.offsets[k],
            };
            let mut values = Vec::with_capacity(slots.len() / rows.features * group.len());
            for row in slots.chunks_exact(rows.features) {
                values.extend(group.iter().map(|&k| row[k] - rows.offsets[k]));
            }
            Joint::new(group.iter().map(feature).collect(), &values)
        };
        groups.iter().map(joint).collect()
    })
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
