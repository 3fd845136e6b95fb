//! Double loops over rows: Algorithm 2 of Vilalta et al. (2001), all features at once.
//!
//! [`pair_counts`] is the reference with which tests compare every other method. [`few_rows`] and
//! [`small_profile`] are the fastest methods for a few dozen rows, where the tiles of the exact
//! pass would be mostly empty ([`super::plan`]). O(t^2 n) for t rows of n features, with a handful
//! of instructions per pair and feature.

use super::counts::PairCounts;
#[cfg(test)]
use super::input::CodeTable;
use super::input::{SlotRows, distance};
use super::profile::Profile;
use crate::error::Result;
use crate::parallel::{self, Control};

/// Counts of the ordered pairs (i, j) with i in `from` and j in `among` (all rows if `None`), from
/// the table itself: independent of [`SlotRows`].
#[cfg(test)]
pub(super) fn pair_counts(
    codes: &CodeTable<'_>,
    from: Option<&[u32]>,
    among: Option<&[u32]>,
) -> Result<PairCounts> {
    let all: Vec<u32> = (0..codes.n_rows() as u32).collect();
    let mut counts = PairCounts::zero(codes.offsets(), codes.n_classes());
    for &i in from.unwrap_or(&all) {
        for &j in among.unwrap_or(&all) {
            let (i, j) = (i as usize, j as usize);
            let pair = i64::from(codes.weight(i)) * i64::from(codes.weight(j));
            counts.pairs += pair as u64;
            let differ = |c: &super::CodeColumn<'_>| c.values.code(i) != c.values.code(j);
            let distance = codes.columns().iter().filter(|c| differ(c)).count();
            let class = usize::from(codes.classes()[i]);
            let other_class = usize::from(codes.classes()[i] != codes.classes()[j]);
            for (k, c) in codes.columns().iter().enumerate() {
                let case = 2 * usize::from(differ(c)) + other_class;
                let slot = counts.offsets[k] as usize + c.values.code(i);
                let cell = counts.layout().start(slot, class, case) + distance;
                counts.cells[cell] += pair;
            }
        }
    }
    Ok(counts)
}

/// Add the counts of the ordered pairs (i, j) of gathered rows, i in `columns` and j in `active`.
pub(super) fn few_rows(columns: &SlotRows, active: &SlotRows, counts: &mut PairCounts) {
    let (classes, layout) = (columns.n_classes(), counts.layout());
    for class in 0..classes {
        for i in columns.class_rows(class) {
            let a = columns.row(i);
            for other in 0..classes {
                let other_class = usize::from(other != class);
                for j in active.class_rows(other) {
                    let b = active.row(j);
                    let pair = i64::from(columns.weights[i]) * i64::from(active.weights[j]);
                    let distance = distance(a, b);
                    for (&slot, &slot_of_b) in a.iter().zip(b) {
                        let case = 2 * usize::from(slot != slot_of_b) + other_class;
                        let cell = layout.start(slot as usize, class, case) + distance;
                        counts.cells[cell] += pair;
                    }
                }
            }
        }
    }
    counts.pairs += columns.total() * active.total();
}

/// Ordered pairs by distance from a double loop over rows, for features of more than 256 values.
/// O(t^2 n).
pub(super) fn pairs_by_double_loop(control: &Control, rows: &SlotRows) -> Result<Vec<f64>> {
    // more shares than threads, since rows with higher numbers have more pairs
    let shares = control.threads() * 8;
    let partial = parallel::map(control, shares, &|share| {
        let mut pairs = vec![0u128; rows.features + 1];
        for i in (share..rows.len()).step_by(shares) {
            control.check()?;
            let weight = |j: usize| u128::from(rows.weights[i]) * u128::from(rows.weights[j]);
            pairs[0] += weight(i);
            for j in 0..i {
                pairs[distance(rows.row(i), rows.row(j))] += 2 * weight(j);
            }
        }
        Ok(pairs)
    })?;
    let total = |d| partial.iter().map(|pairs| pairs[d]).sum::<u128>() as f64;
    Ok((0..=rows.features).map(total).collect())
}

/// Profile of at most [`super::plan::SMALL_NODE`] rows by a double loop, all features of a pair at
/// once. The limit on their weight ([`super::plan::is_small`]) keeps all sums below 2^32.
pub(super) fn small_profile(rows: &SlotRows) -> Profile {
    let (t, n) = (rows.len(), rows.features);
    let d = n + 1;
    // Size of a value: the weight of all rows that have it, here for each row and feature.
    let mut of_slot = vec![0u32; rows.n_slots()];
    for i in 0..t {
        rows.row(i).iter().for_each(|&s| of_slot[s as usize] += rows.weights[i]);
    }
    let size: Vec<u32> = rows.slots.iter().map(|&s| of_slot[s as usize]).collect();
    // `[same class, other class][distance]`: all pairs; and with `[feature]`: pairs that agree, all
    // pairs times the size of i's value, pairs that agree times that size.
    let mut total = vec![0u32; 2 * d];
    let [mut agree, mut sized, mut sized_agree] = [(); 3].map(|()| vec![0u32; 2 * d * n]);
    for class in 0..rows.n_classes() {
        for i in rows.class_rows(class) {
            let (a, size_a) = (rows.row(i), &size[i * n..][..n]);
            for j in i..t {
                let (b, size_b) = (rows.row(j), &size[j * n..][..n]);
                let pair = rows.weights[i] * rows.weights[j];
                let equal: u32 = a.iter().zip(b).map(|(a, b)| u32::from(a == b)).sum();
                let other = usize::from(j >= rows.starts[class + 1]);
                let cell = other * d + n - equal as usize;
                // both orders of the pair; a row with itself has only one
                let (pairs, reverse) = if i == j { (pair, 0) } else { (2 * pair, pair) };
                total[cell] += pairs;
                // masks instead of branches, so that the loop over features is vectorised
                let at = cell * n..(cell + 1) * n;
                let into = agree[at.clone()]
                    .iter_mut()
                    .zip(&mut sized[at.clone()])
                    .zip(&mut sized_agree[at]);
                for (((into, a), b), (size_a, size_b)) in
                    into.zip(a).zip(b).zip(size_a.iter().zip(size_b))
                {
                    let ((agree, sized), sized_agree) = into;
                    let mask = u32::from(a == b).wrapping_neg();
                    let weight = pair * size_a + reverse * size_b;
                    *agree += pairs & mask;
                    *sized += weight;
                    *sized_agree += weight & mask;
                }
            }
        }
    }
    // Cases 3 and 4 are all pairs less those that agree. A value of size m begins m times the total
    // weight of pairs, which is what the profile weights by.
    let total_weight = rows.total();
    let (mut plain, mut by_share) = (vec![0i64; n * 4 * d], vec![0.0; n * 4 * d]);
    for k in 0..n {
        for other in 0..2 {
            for distance in 0..d {
                let cell = other * d + distance;
                let (equal, all) = (agree[cell * n + k], total[cell]);
                let at = |case: usize| (k * 4 + case) * d + distance;
                plain[at(other)] = i64::from(equal);
                plain[at(2 + other)] = i64::from(all - equal);
                let (equal, all) = (sized_agree[cell * n + k], sized[cell * n + k]);
                let product = |x: u32| (u64::from(x) * total_weight) as f64;
                by_share[at(other)] = product(equal);
                by_share[at(2 + other)] = product(all - equal);
            }
        }
    }
    Profile::from_sums(d, plain, by_share, total_weight * total_weight)
}
