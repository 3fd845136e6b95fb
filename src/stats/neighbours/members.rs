//! Sets of places of neighbours in the smaller of two forms: a list, or a bit mask.
//!
//! SURF and MultiSURF pick a third to a half of all rows for each row, and a tile keeps the picks
//! of its rows until they are summed. A bit mask takes an eighth of a byte per row, a list four
//! bytes per neighbour.

use super::nearest::PlaceGroup;
use super::select::Contribution;

/// A [`Contribution`] that is kept until its tile is summed.
#[derive(Debug)]
pub(super) struct PackedContribution {
    pub constant: f64,
    pub groups: Vec<PackedGroup>,
}

/// A [`PlaceGroup`] in the smaller form.
#[derive(Debug)]
pub(super) struct PackedGroup {
    pub weight: f64,
    pub places: PlaceSet,
}

impl PackedContribution {
    /// The contribution with each group of places in the smaller form. A tile keeps it from the
    /// search for neighbours to the sums.
    pub fn pack(contribution: Contribution) -> Self {
        let packed =
            |PlaceGroup { weight, places }| PackedGroup { weight, places: PlaceSet::new(places) };
        let groups = contribution.groups.into_iter().map(packed).collect();
        Self { constant: contribution.constant, groups }
    }
}

/// A set of places.
#[derive(Debug, Clone)]
pub(super) enum PlaceSet {
    /// The places, in any order.
    List(Vec<u32>),
    /// A mask over ascending places: bit b of word w is place `first + 64 w + b`.
    Bits { first: u32, words: Vec<u64> },
}

impl PlaceSet {
    /// A mask if the places ascend and the mask is smaller than the list, else the list. Nearest
    /// neighbours come in the order of their distance and stay a list; neighbours within a radius
    /// ascend.
    pub fn new(list: Vec<u32>) -> Self {
        let (Some(&first), Some(&last)) = (list.first(), list.last()) else {
            return Self::List(list);
        };
        let words = last.saturating_sub(first) as usize / 64 + 1;
        if 2 * words >= list.len() || !list.is_sorted() {
            return Self::List(list);
        }
        let mut bits = vec![0u64; words];
        for place in &list {
            let bit = (place - first) as usize;
            bits[bit / 64] |= 1 << (bit % 64);
        }
        Self::Bits { first, words: bits }
    }

    /// The number of places. The set bits of a mask are counted, 64 places at a time.
    pub fn len(&self) -> usize {
        match self {
            Self::List(list) => list.len(),
            Self::Bits { words, .. } => words.iter().map(|w| w.count_ones() as usize).sum(),
        }
    }

    /// The places as a list; a mask is unpacked into `scratch`.
    pub fn list<'a>(&'a self, scratch: &'a mut Vec<u32>) -> &'a [u32] {
        match self {
            Self::List(list) => list,
            Self::Bits { first, words } => {
                scratch.clear();
                for (w, &word) in words.iter().enumerate() {
                    push_places(word, first + 64 * w as u32, scratch);
                }
                scratch
            }
        }
    }
}

/// Append the place of each set bit of `word`, whose lowest bit is place `first`.
pub(super) fn push_places(mut word: u64, first: u32, list: &mut Vec<u32>) {
    while word != 0 {
        list.push(first + word.trailing_zeros());
        word &= word - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_hold_the_places_of_the_list() {
        for (step, base) in [(1, 0), (2, 7), (3, 63), (31, 64), (33, 1000)] {
            let list: Vec<u32> = (0..500).map(|i| base + step * i + u32::from(i > 9)).collect();
            let members = PlaceSet::new(list.clone());
            assert_eq!(matches!(members, PlaceSet::Bits { .. }), step < 32);
            assert_eq!(members.list(&mut vec![1, 2]), list);
        }
        let other: Vec<u32> = (0..500).rev().collect();
        assert_eq!(PlaceSet::new(other.clone()).list(&mut Vec::new()), other);
        assert!(PlaceSet::new(Vec::new()).list(&mut vec![3]).is_empty());
    }
}
