//! The k nearest of some places, in groups of equal weight.
//!
//! Rank r (from 1) weighs 1 or, as a share of all, `exp(-(r / sigma)^2)`; rows tied at one distance
//! share the weight of their ranks, or the lower row numbers come first. A row of weight w takes w
//! ranks; with weights that are not whole, ranks are pieces of a line on which the weight of a rank
//! is constant from one whole number to the next.

/// What happens to rows tied at the k-th distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NeighbourTies {
    /// They share the weight that is left.
    #[default]
    Share,
    /// Those with lower row numbers are taken.
    First,
}

/// Weight of the neighbours by rank.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Ranks {
    /// All alike.
    #[default]
    Equal,
    /// `exp(-(rank / sigma)^2)`, rank from 1 (Robnik-Sikonja & Kononenko 2003).
    Exponential {
        /// Rank at which the weight has fallen to 1/e.
        sigma: f64,
    },
}

/// Places that share a weight.
pub(super) type PlaceGroup = (f64, Vec<u32>);

/// A place with its distance and its weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neighbour<D> {
    pub distance: D,
    pub place: u32,
    pub weight: f64,
}

impl Ranks {
    /// Weight of rank `r`, from 0.
    fn weight(self, r: usize) -> f64 {
        match self {
            Self::Equal => 1.0,
            // the first rank weighs 1: weights are divided by their sum, and none but that of later
            // ranks may vanish
            Self::Exponential { sigma } => {
                let rank = (r + 1) as f64;
                (-(rank - 1.0) / sigma * ((rank + 1.0) / sigma)).exp()
            }
        }
    }

    /// Weight of the ranks from `begin` to `end`, which need not be whole.
    fn between(self, begin: f64, end: f64) -> f64 {
        if self == Self::Equal {
            return end - begin;
        }
        let (mut at, mut sum) = (begin, 0.0);
        while at < end {
            let next = (at.floor() + 1.0).min(end);
            let weight = self.weight(at as usize);
            if weight == 0.0 {
                break; // later ranks weigh nothing either
            }
            sum += weight * (next - at);
            at = next;
        }
        sum
    }
}

/// The first `k` ranks of `kept`, which is in order (nearest first, then as ties are told apart).
pub(super) fn ranked<D: Copy + PartialEq>(
    kept: &[Neighbour<D>],
    k: f64,
    ties: NeighbourTies,
    ranks: Ranks,
) -> Vec<PlaceGroup> {
    let mut out: Vec<PlaceGroup> = Vec::new();
    let mut add = |weight: f64, place: u32| match out.last_mut() {
        Some((w, group)) if *w == weight => group.push(place),
        _ => out.push((weight, vec![place])),
    };
    let mut begin = 0.0;
    for tied in kept.chunk_by(|a, b| a.distance == b.distance) {
        if begin >= k {
            break;
        }
        let total: f64 = tied.iter().map(|n| n.weight).sum();
        let end = (begin + total).min(k);
        match ties {
            NeighbourTies::Share => {
                let share = ranks.between(begin, end) / total;
                tied.iter().for_each(|n| add(share * n.weight, n.place));
            }
            NeighbourTies::First => {
                let mut at = begin;
                for n in tied {
                    let next = (at + n.weight).min(k);
                    if next > at {
                        add(ranks.between(at, next), n.place);
                    }
                    at = next;
                }
            }
        }
        begin += total;
    }
    out
}
