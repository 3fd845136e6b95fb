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

/// The chunks of the active rows, by binary digit of the multiplicity of their rows, then by tile
/// and class; within a chunk, rows are grouped by joint value, once for each group of features.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
pub(super) fn blocks(
    control: &Control,
    rows: &SlotRows,
    tiles: &[Tile],
) -> Result<Vec<Vec<Chunk<Joint>>>> {
    let offsets = &rows.offsets;
    let groups = group_features(offsets);
    Chunk::all(control, rows, tiles, &|slots| {
        let joint = |group: &Vec<usize>| {
            let feature_slots = |&feature: &usize| FeatureSlots {
                feature: feature as u32,
                first: offsets[feature],
                levels: offsets[feature + 1] - offsets[feature],
            };
            let mut values = Vec::with_capacity(slots.len() / rows.features * group.len());
            for row in slots.chunks_exact(rows.features) {
                values.extend(group.iter().map(|&feature| row[feature] - offsets[feature]));
            }
            Joint::new(group.iter().map(feature_slots).collect(), &values)
        };
        groups.iter().map(joint).collect()
    })
}

/// Groups of features that share additions.
///
/// They are found greedily: features come in the order of their numbers of values, and each is
/// added to the last group if that lowers the cost per feature there, else it begins a new group.
/// `offsets` has the first slot of each feature, and the number of slots at the end.
pub(super) fn group_features(offsets: &[u32]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..offsets.len() - 1).collect();
    sort_few(&mut order, &|&a, &b| n_joint(offsets, &[a]).cmp(&n_joint(offsets, &[b])));
    let cost = |group: &[usize]| additions(offsets, group);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for feature in order {
        if let Some(last) = groups.last_mut() {
            let longer = [&last[..], &[feature]].concat();
            // Costs per feature are compared without a division.
            if n_joint(offsets, &longer) <= MOST_JOINT
                && cost(&longer) * last.len() < cost(last) * longer.len()
            {
                *last = longer;
                continue;
            }
        }
        groups.push(vec![feature]);
    }
    groups
}

/// Additions that a full block takes for a group of features: one per row, and for several features
/// also the sums over joint values, once per feature.
pub(super) fn additions(offsets: &[u32], group: &[usize]) -> usize {
    if group.len() == 1 { CHUNK } else { CHUNK + group.len() * n_joint(offsets, group) }
}

/// Number of joint values of a group of features.
fn n_joint(offsets: &[u32], group: &[usize]) -> usize {
    group.iter().map(|&feature| (offsets[feature + 1] - offsets[feature]) as usize).product()
}
