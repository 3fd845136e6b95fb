//! Profile: the counts of each feature by case and distance alone, which is all that the built-in
//! metrics of the framework need.
//!
//! The counts are summed over values and classes once: plain, and weighted by the share `n_m / n`
//! of each value m in the rows (eq. 14 of Vilalta et al. 2001 with the weight inside the sum). A
//! setting of theta, alpha and decay then takes `8 n (n + 1)` multiplications for n features. Sums
//! are exact integers, rounded once, so they depend neither on the order of rows and values nor on
//! the method of counting. Metrics that need R by value and class use
//! [`count_matrices`](super::count_matrices).

use super::contract::{PairMetric, PairSetting, dot};
use super::counts::PairCounts;
use super::radius::RadiusRule;

/// Counts of each feature by case and distance, summed over values and classes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    distances: usize,
    /// Plain counts, `[feature][case][distance]`.
    plain: Vec<i64>,
    /// Counts weighted by values, `[feature][case][distance]`: the counts of a value times the
    /// ordered pairs (i, j) in which i has it, which are `pairs` times the share of the value.
    by_share: Vec<f64>,
    /// Ordered pairs over the whole set, `[same class, other class][distance]`.
    root: Vec<i64>,
    /// Number of ordered pairs.
    pairs: u64,
    /// Factor of every weight.
    scale: f64,
}

impl Profile {
    /// Sum the counts over values and classes. O(cells).
    pub fn new(counts: &PairCounts) -> Self {
        let d = counts.distances();
        let mut plain = Vec::with_capacity(counts.features() * 4 * d);
        let mut by_share = Vec::with_capacity(counts.features() * 4 * d);
        let (mut of_value, mut product) = (vec![0i64; 4 * d], vec![0i128; 4 * d]);
        for k in 0..counts.features() {
            let start = plain.len();
            plain.resize(start + 4 * d, 0);
            product.fill(0);
            for value in counts.feature(k).chunks_exact(counts.n_classes * 4 * d) {
                of_value.fill(0);
                for class in value.chunks_exact(4 * d) {
                    of_value.iter_mut().zip(class).for_each(|(sum, count)| *sum += count);
                }
                let pairs_of_value = i128::from(of_value.iter().sum::<i64>());
                let sums = plain[start..].iter_mut().zip(&mut product);
                for ((plain, product), &count) in sums.zip(&of_value) {
                    *plain += count;
                    *product += pairs_of_value * i128::from(count);
                }
            }
            by_share.extend(product.iter().map(|&x| x as f64));
        }
        Self::from_sums(d, plain, by_share, counts.pairs)
    }

    /// Profile from sums that are made already, ordered as its fields.
    pub(super) fn from_sums(
        distances: usize,
        plain: Vec<i64>,
        by_share: Vec<f64>,
        pairs: u64,
    ) -> Self {
        // Any feature has every pair once: cases 1 and 3 are of the same class, 2 and 4 of others.
        let d = distances;
        let root = plain.get(..4 * d).map_or_else(
            || vec![0; 2 * d],
            |first| first[..2 * d].iter().zip(&first[2 * d..]).map(|(a, b)| a + b).collect(),
        );
        Self { distances, plain, by_share, root, pairs, scale: 1.0 }
    }

    /// The profile of pairs that each weigh `scale` times as much. Nodes with real weights count
    /// multiples of a unit, and the scale turns them back into the weights of the user; the counts
    /// stay integers.
    pub fn scaled(self, scale: f64) -> Self {
        Self { scale, ..self }
    }

    /// Bytes held. The profiles that are kept for other trees on the same rows are limited by their
    /// sum.
    pub fn bytes(&self) -> usize {
        8 * (self.plain.len() + self.by_share.len() + self.root.len())
    }

    /// Score of each feature by a metric; larger is better. Integers are rounded only here, so
    /// O(features x distances) per setting serves any number of settings after one pass.
    pub fn scores(&self, metric: PairMetric, setting: &PairSetting) -> Vec<f64> {
        let (d, theta, weights) =
            (self.distances, setting.theta(), setting.weights(self.distances));
        if metric == PairMetric::Pi {
            let unit = self.scale / self.pairs.max(1) as f64;
            let score = |feature: &[f64]| {
                let case = |c: usize| {
                    let counts = feature[c * d..][..d].iter().zip(&weights);
                    theta[c] * counts.fold(0.0, |s, (n, w)| s + n * w)
                };
                unit * (case(0) + case(3) - case(1) - case(2))
            };
            return self.by_share.chunks_exact(4 * d).map(score).collect();
        }
        let signs = metric.signs();
        let score = |feature: &[i64]| {
            let cases = feature.chunks_exact(d).enumerate();
            let sum: f64 =
                cases.map(|(case, counts)| signs[case] * theta[case] * dot(counts, &weights)).sum();
            self.scale * sum
        };
        self.plain.chunks_exact(4 * d).map(score).collect()
    }

    /// Pi of the undivided set, `sum_c (R[c,1] - R[c,2])`: the score of a split with one branch.
    pub fn undivided(&self, setting: &PairSetting) -> f64 {
        let weights = setting.weights(self.distances);
        let (same, other) = self.root.split_at(self.distances);
        let theta = setting.theta();
        self.scale * (theta[0] * dot(same, &weights) - theta[1] * dot(other, &weights))
    }

    /// Default radius of Relief by a rule. It needs the pairs by distance alone, which any feature
    /// of the counts has.
    pub fn radius(&self, rule: RadiusRule) -> usize {
        let (same, other) = self.root.split_at(self.distances);
        rule.radius(same.iter().zip(other).map(|(a, b)| (a + b) as f64))
    }
}
