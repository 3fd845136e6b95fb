//! Weights of the k nearest neighbours by rank, and what ties at one distance get.
//!
//! Rank r (from 1) weighs 1, or `exp(-(r / sigma)^2)` relative to the sum over all ranks. Rows tied
//! at one distance share the weights of their ranks, or the lower row numbers take the lower ranks.
//! A row of weight w takes w ranks. If weights are not whole, ranks are intervals of a line, on
//! which the weight is constant between whole numbers.

use serde::Deserialize;

/// What happens to rows tied at the k-th distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NeighbourTies {
    /// They share the remaining weight.
    #[default]
    Share,
    /// Those with lower row numbers are taken.
    First,
    /// Ties are broken as in Weka: a list of k rows is filled by row number, and a nearer row then
    /// takes the place of the first of the farthest. A variant of a criterion chooses this rule; it
    /// is no option of its own.
    #[serde(skip)]
    Listed,
}

/// Weight of the neighbours by rank.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Ranks {
    /// All ranks weigh the same.
    #[default]
    Equal,
    /// `exp(-(rank / sigma)^2)`, rank from 1 (Robnik-Sikonja & Kononenko 2003).
    Exponential {
        /// Rank at which the weight has fallen to 1/e.
        sigma: f64,
    },
    /// `exp(-(rank / sigma)^2)`, rank from 0, as in Weka.
    FromZero {
        /// Rank at which the weight has fallen to 1/e.
        sigma: f64,
    },
}

/// Places of neighbours that have one weight each.
#[derive(Debug, Clone)]
pub(super) struct PlaceGroup {
    /// Weight of each place.
    pub weight: f64,
    pub places: Vec<u32>,
}

/// Append a place to the last group if that has the same weight, else to a new group.
pub(super) fn push_place(groups: &mut Vec<PlaceGroup>, weight: f64, place: u32) {
    match groups.last_mut() {
        Some(last) if last.weight == weight => last.places.push(place),
        _ => groups.push(PlaceGroup { weight, places: vec![place] }),
    }
}

/// A place with its distance and the weight of its row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbour<D> {
    pub distance: D,
    pub place: u32,
    pub weight: f64,
}

impl Ranks {
    /// Weight of the rank with number `rank`, from 0.
    fn weight(self, rank: usize) -> f64 {
        match self {
            Self::Equal => 1.0,
            // relative to the first rank, which weighs 1: weights are divided by their sum in the
            // end, so only the weights of later ranks may underflow
            Self::Exponential { sigma } => {
                let rank = (rank + 1) as f64;
                (-(rank - 1.0) / sigma * ((rank + 1.0) / sigma)).exp()
            }
            Self::FromZero { sigma } => (-(rank as f64 / sigma).powi(2)).exp(),
        }
    }

    /// Weight of the ranks from `begin` to `end`, which need not be whole numbers.
    fn weight_between(self, begin: f64, end: f64) -> f64 {
        if self == Self::Equal {
            return end - begin;
        }
        let (mut at, mut sum) = (begin, 0.0);
        while at < end {
            let next = (at.floor() + 1.0).min(end);
            let weight = self.weight(at as usize);
            if weight == 0.0 {
                break; // weights decrease, so later ranks weigh 0, too
            }
            sum += weight * (next - at);
            at = next;
        }
        sum
    }
}

/// Weights of the first `k` ranks of `sorted`: nearest first, ties by row number.
pub(super) fn ranked<D: Copy + PartialEq>(
    sorted: &[Neighbour<D>],
    k: f64,
    ties: NeighbourTies,
    ranks: Ranks,
) -> Vec<PlaceGroup> {
    let mut groups = Vec::new();
    let mut begin = 0.0; // rank of the first of the tied neighbours
    for tied in sorted.chunk_by(|a, b| a.distance == b.distance) {
        if begin >= k {
            break;
        }
        let total: f64 = tied.iter().map(|n| n.weight).sum();
        match ties {
            NeighbourTies::Share => {
                let share = ranks.weight_between(begin, (begin + total).min(k)) / total;
                tied.iter().for_each(|n| push_place(&mut groups, share * n.weight, n.place));
            }
            NeighbourTies::First | NeighbourTies::Listed => {
                let mut at = begin;
                for n in tied {
                    let next = (at + n.weight).min(k);
                    if next > at {
                        push_place(&mut groups, ranks.weight_between(at, next), n.place);
                    }
                    at = next;
                }
            }
        }
        begin += total;
    }
    groups
}

/// The `k` rows, of some in the order of their numbers, that stay in a list in which a nearer row
/// takes the place of the first of the farthest ([`NeighbourTies::Listed`]); as indices, in the
/// order of the list. Distances within `tolerance` are equal. O(rows + replacements x k).
pub(super) fn listed(distances: impl Iterator<Item = f64>, k: usize, tolerance: f64) -> Vec<usize> {
    let mut list: Vec<(f64, usize)> = Vec::new();
    let mut farthest = 0; // place in the list
    for (row, distance) in distances.enumerate() {
        if list.len() < k {
            list.push((distance, row));
        } else if distance < list[farthest].0 - tolerance {
            list[farthest] = (distance, row);
        } else {
            continue;
        }
        farthest = 0;
        for (place, (distance, _)) in list.iter().enumerate() {
            if *distance > list[farthest].0 + tolerance {
                farthest = place;
            }
        }
    }
    list.into_iter().map(|(_, row)| row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nearer_row_takes_the_place_of_the_first_of_the_farthest() {
        let kept = |distances: &[f64], k| listed(distances.iter().copied(), k, 1e-9);
        assert_eq!(kept(&[3.0, 3.0, 3.0, 1.0], 2), [3, 1]);
        assert_eq!(kept(&[3.0, 1.0, 2.0, 2.0, 0.5], 3), [4, 1, 2]);
        // equal within the tolerance
        assert_eq!(kept(&[2.0, 2.0 + 1e-12, 2.0 - 1e-12], 1), [0]);
        assert_eq!(kept(&[2.0, 1.0], 5), [0, 1]);
        assert!(kept(&[], 3).is_empty());
    }
}
