//! Which features a node looks at.

use crate::error::Result;
use crate::numeric::{mix, uniform};

/// Search for a split among `most` of `p` features, drawn by `key`, and, as scikit-learn, one more
/// at a time until the search finds something; among all features where nothing limits them.
pub(super) fn search_among<T>(
    p: usize,
    most: Option<usize>,
    key: u64,
    mut search: impl FnMut(&[bool]) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let Some(most) = most.filter(|&m| m < p) else { return search(&vec![true; p]) };
    let drawn = shuffled(p, key);
    let (mut from, mut to) = (0, most.max(1));
    loop {
        let mut wanted = vec![false; p];
        drawn[from..to].iter().for_each(|&f| wanted[f as usize] = true);
        let found = search(&wanted)?;
        if found.is_some() || to == p {
            return Ok(found);
        }
        (from, to) = (to, to + 1);
    }
}

/// Feature numbers in an order that depends on the key alone.
pub(super) fn shuffled(p: usize, key: u64) -> Vec<u32> {
    let mut features = Vec::new();
    shuffle(p, key, &mut features);
    features
}

/// The same in memory that is there.
pub(super) fn shuffle(p: usize, key: u64, features: &mut Vec<u32>) {
    features.clear();
    features.extend(0..p as u32);
    for i in (1..p).rev() {
        features.swap(i, uniform(mix(key, i as u64), i as u64 + 1) as usize);
    }
}
