//! A stable sort of few items, which is compiled once.

use std::cmp::Ordering;

/// Sort a few items by a comparison, stably.
///
/// The comparison is a dynamic call: a sort of the standard library is compiled again for each type
/// and each comparison, from 1,800 lines before optimisation, which pays only where many items are
/// sorted.
pub fn sort_few<T>(items: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    // The position that each item of the sorted list has now.
    let mut sources: Vec<usize> = (0..items.len()).collect();
    sort_positions(&mut sources, &|a, b| compare(&items[a], &items[b]));
    for target in 0..items.len() {
        // An item from an earlier position was swapped to where the item of that position came
        // from.
        let mut source = sources[target];
        while source < target {
            source = sources[source];
        }
        items.swap(target, source);
    }
}

/// Sort positions by a comparison of the items there. Apart from [`sort_few`], so that it is
/// compiled once for all types.
fn sort_positions(positions: &mut [usize], compare: &dyn Fn(usize, usize) -> Ordering) {
    positions.sort_by(|&a, &b| compare(a, b));
}
