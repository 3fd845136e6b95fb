//! Relief's radius where none is given: the smallest whole number r for which rows have on average
//! at least ten others at D < r.
//!
//! "On average" is over all rows of the root. Whole weights are copies: the copies of a row are
//! others to it, at distance 0. Other weights say how much a row matters and have no scale of their
//! own, so ten rows of mean weight are asked for and a row is no other to itself: weights that are
//! all alike give the radius of no weights. What is needed are the ordered pairs by distance, from
//! the counts of a [`Profile`](super::Profile) or, where columns are many, from distances alone
//! (O(t^2 n) bit operations).

use super::counts::PairCounts;

/// Others that rows have on average within the radius.
const OTHERS: f64 = 10.0;

/// How much weight of pairs is enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RadiusRule {
    /// Weight of the pairs of a row with itself that are no others.
    own: f64,
    /// Weight asked for beyond it.
    needed: f64,
}

impl RadiusRule {
    /// For rows that count once, or as often as whole weights say; `total` is the number of rows
    /// with their copies.
    pub fn of_copies(total: f64) -> Self {
        Self { own: total, needed: OTHERS * total }
    }

    /// For weights that are no copies, in any unit.
    pub fn of_importances(weights: impl Iterator<Item = f64>) -> Self {
        let (mut sum, mut squares, mut rows) = (0.0, 0.0, 0.0);
        for w in weights.filter(|&w| w > 0.0) {
            (sum, squares, rows) = (sum + w, squares + w * w, rows + 1.0);
        }
        Self { own: squares, needed: OTHERS * sum * sum / f64::max(rows, 1.0) }
    }

    /// The radius, from the weight of all ordered pairs (self-pairs included) at distance 0, 1,
    /// ...; if none is large enough, the one that holds all pairs.
    pub fn radius(self, by_distance: impl ExactSizeIterator<Item = f64>) -> usize {
        let distances = by_distance.len();
        let mut others = -self.own;
        for (d, pairs) in by_distance.enumerate() {
            others += pairs;
            if others >= self.needed {
                return d + 1;
            }
        }
        distances
    }
}

/// The radius of rows that count once, or as often as whole weights say.
pub fn default_radius(counts: &PairCounts) -> usize {
    let d = counts.distances();
    let root = counts.root();
    let at = |r: usize| root.chunks_exact(d).map(|row| row[r]).sum::<i64>() as f64;
    RadiusRule::of_copies((counts.pairs() as f64).sqrt().round()).radius((0..d).map(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_no_scale_unless_they_are_copies() {
        let pairs = [40.0, 300.0, 500.0, 760.0];
        let once = RadiusRule::of_copies(40.0).radius(pairs.iter().copied());
        assert_eq!(once, 3);
        for unit in [1.0, 0.25, 4096.0] {
            let weighed = pairs.map(|p| p * unit * unit);
            let enough = RadiusRule::of_importances([unit; 40].into_iter().chain([0.0; 5]));
            assert_eq!(enough.radius(weighed.iter().copied()), once);
        }
        // twenty copies of two rows are others to each other
        assert_eq!(RadiusRule::of_copies(40.0).radius([800.0, 0.0, 800.0].into_iter()), 1);
        assert_eq!(RadiusRule::of_copies(2.0).radius([2.0, 2.0].into_iter()), 2);
    }
}
