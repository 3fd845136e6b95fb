//! Places that share a weight, as a list or as bits, whichever takes less.
//!
//! A third or half of all rows are neighbours under a radius: as bits they take an eighth of a byte
//! for each row, as a list four bytes for each neighbour.

use super::select::Contribution;

/// A [`Contribution`] that is kept until its tile is summed.
#[derive(Debug)]
pub(super) struct PackedContribution {
    pub constant: f64,
    pub groups: Vec<(f64, PlaceSet)>,
}

impl PackedContribution {
    pub fn of(choice: Contribution) -> Self {
        let packed = |(weight, members)| (weight, PlaceSet::of(members));
        Self { constant: choice.constant, groups: choice.groups.into_iter().map(packed).collect() }
    }
}

/// Some places.
#[derive(Debug, Clone)]
pub(super) enum PlaceSet {
    /// One after the other, in any order.
    List(Vec<u32>),
    /// In ascending order: bit b of word w stands for place `first + 64 w + b`.
    Bits { first: u32, words: Vec<u64> },
}

impl PlaceSet {
    /// As bits where that is smaller and the places ascend.
    pub fn of(list: Vec<u32>) -> Self {
        let (Some(&first), Some(&last)) = (list.first(), list.last()) else {
            return Self::List(list);
        };
        let words = last.saturating_sub(first) as usize / 64 + 1;
        if 2 * words >= list.len() || !list.is_sorted() {
            return Self::List(list);
        }
        let mut bits = vec![0u64; words];
        for place in &list {
            let at = (place - first) as usize;
            bits[at / 64] |= 1 << (at % 64);
        }
        Self::Bits { first, words: bits }
    }

    /// The places as a list, which may be made in `scratch`.
    pub fn list<'a>(&'a self, scratch: &'a mut Vec<u32>) -> &'a [u32] {
        match self {
            Self::List(list) => list,
            Self::Bits { first, words } => {
                scratch.clear();
                for (w, &word) in words.iter().enumerate() {
                    places(word, first + 64 * w as u32, scratch);
                }
                scratch
            }
        }
    }
}

/// Add the places of the bits of a word, of which the lowest is place `first`.
pub(super) fn places(mut bits: u64, first: u32, to: &mut Vec<u32>) {
    while bits != 0 {
        to.push(first + bits.trailing_zeros());
        bits &= bits - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_the_list_and_smaller() {
        for (step, base) in [(1, 0), (2, 7), (3, 63), (31, 64), (33, 1000)] {
            let list: Vec<u32> = (0..500).map(|i| base + step * i + u32::from(i > 9)).collect();
            let members = PlaceSet::of(list.clone());
            assert_eq!(matches!(members, PlaceSet::Bits { .. }), step < 32);
            assert_eq!(members.list(&mut vec![1, 2]), list);
        }
        let other: Vec<u32> = (0..500).rev().collect();
        assert_eq!(PlaceSet::of(other.clone()).list(&mut Vec::new()), other);
        assert!(PlaceSet::of(Vec::new()).list(&mut vec![3]).is_empty());
    }
}
