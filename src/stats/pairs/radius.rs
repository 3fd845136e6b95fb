//! Default radius of Relief: the smallest integer r for which a row has on average at least ten
//! neighbours at distance D < r.
//!
//! The average is over all rows of the root. Integer weights are numbers of copies, and the copies
//! of a row are its neighbours at distance 0. Other weights are importances without a scale: ten
//! neighbours of mean weight are required, and a row is not its own neighbour. So equal weights
//! give the radius of unweighted rows. The rule needs the ordered pairs by distance, from the
//! counts of a [`Profile`](super::Profile) or, with many columns, from distances alone (O(t^2 n)
//! bit operations for t rows of n features).

use super::counts::PairCounts;

/// Neighbours that a row has on average within the radius.
const NEIGHBOURS: f64 = 10.0;

/// Weight of pairs that the radius has to reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RadiusRule {
    /// Weight of the pairs of a row with itself, which do not count.
    own: f64,
    /// Weight of other pairs that is required.
    needed: f64,
}

impl RadiusRule {
    /// Rule for rows that count once or have integer weights; `total` is the number of rows with
    /// their copies.
    pub fn for_copies(total: f64) -> Self {
        Self { own: total, needed: NEIGHBOURS * total }
    }

    /// Rule for weights that are not numbers of copies, in any unit. Rows of weight 0 are ignored,
    /// and a row is no neighbour of itself.
    pub fn for_importances(weights: impl Iterator<Item = f64>) -> Self {
        let (mut sum, mut squares, mut rows) = (0.0, 0.0, 0.0);
        for w in weights.filter(|&w| w > 0.0) {
            (sum, squares, rows) = (sum + w, squares + w * w, rows + 1.0);
        }
        Self { own: squares, needed: NEIGHBOURS * sum * sum / f64::max(rows, 1.0) }
    }

    /// The radius, from the weights of all ordered pairs (self-pairs included) at distances 0, 1,
    /// ...; the number of distances where all pairs are too few.
    pub fn radius(self, by_distance: impl ExactSizeIterator<Item = f64>) -> usize {
        let distances = by_distance.len();
        let mut reached = -self.own;
        for (distance, pairs) in by_distance.enumerate() {
            reached += pairs;
            if reached >= self.needed {
                return distance + 1;
            }
        }
        distances
    }
}

/// Default radius from counts of pairs over rows that count once or have integer weights. The
/// counts must be over all pairs of some rows, because the number of rows is taken as the root of
/// the number of pairs.
pub fn default_radius(counts: &PairCounts) -> usize {
    let root = counts.root();
    let at = |distance: usize| root.iter().skip(distance).step_by(counts.distances()).sum::<i64>();
    // the pairs of t rows, copies included, are t^2
    let rows = (counts.pairs() as f64).sqrt().round();
    RadiusRule::for_copies(rows).radius((0..counts.distances()).map(|d| at(d) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_no_scale_unless_they_are_copies() {
        // ordered pairs of 40 rows by distance: 40 self-pairs, 300 others at distance 1, ...
        let pairs = [40.0, 300.0, 500.0, 760.0];
        let once = RadiusRule::for_copies(40.0).radius(pairs.iter().copied());
        assert_eq!(once, 3);
        for unit in [1.0, 0.25, 4096.0] {
            let weighed = pairs.map(|p| p * unit * unit);
            let rule = RadiusRule::for_importances([unit; 40].into_iter().chain([0.0; 5]));
            assert_eq!(rule.radius(weighed.iter().copied()), once);
        }
        // copies of a row are its neighbours: twenty copies of each of two rows
        assert_eq!(RadiusRule::for_copies(40.0).radius([800.0, 0.0, 800.0].into_iter()), 1);
        assert_eq!(RadiusRule::for_copies(2.0).radius([2.0, 2.0].into_iter()), 2);
    }
}
