//! Profiles: what the built-in metrics of the framework need of the counts, a value by case and
//! distance for each feature.
//!
//! Values and classes are added up once, plain and with each value's share of the rows (`n_m / n`,
//! the weight of eq. 14 in Vilalta et al. 2001 taken inside the sum); a setting of theta, alpha and
//! decay is then `8 n (n + 1)` multiplications. Sums are exact integers, rounded once, so they
//! depend neither on the order of rows and values nor on how the pairs were counted. For a metric
//! that needs R by value and class see [`count_matrices`](super::count_matrices).

use super::contract::{PairSetting, dot};
use super::counts::PairCounts;
use super::radius::RadiusRule;

/// Counts of each feature by case and distance, summed over values and classes: plain, and with the
/// share `n_m / n` of each value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    distances: usize,
    /// `[feature][case][distance]`.
    plain: Vec<i64>,
    /// `[feature][case][distance]`: each value's counts times the ordered pairs that begin in it.
    shared: Vec<f64>,
    /// Ordered pairs of the same and of another class, `[2][distance]`.
    root: Vec<i64>,
    pairs: u64,
    scale: f64,
}

impl Profile {
    /// Add up. O(cells).
    pub fn new(counts: &PairCounts) -> Self {
        let d = counts.distances();
        let mut plain = Vec::with_capacity(counts.features() * 4 * d);
        let mut shared = Vec::with_capacity(counts.features() * 4 * d);
        let (mut of_value, mut product) = (vec![0i64; 4 * d], vec![0i128; 4 * d]);
        for k in 0..counts.features() {
            let at = plain.len();
            plain.resize(at + 4 * d, 0);
            product.fill(0);
            for value in counts.feature(k).chunks_exact(counts.n_classes * 4 * d) {
                of_value.fill(0);
                for class in value.chunks_exact(4 * d) {
                    of_value.iter_mut().zip(class).for_each(|(to, c)| *to += c);
                }
                let begin = i128::from(of_value.iter().sum::<i64>());
                for ((to, product), &c) in plain[at..].iter_mut().zip(&mut product).zip(&of_value) {
                    *to += c;
                    *product += begin * i128::from(c);
                }
            }
            shared.extend(product.iter().map(|&x| x as f64));
        }
        Self::of_sums(d, plain, shared, counts.pairs)
    }

    /// From the sums themselves; `shared` are products with the ordered pairs that begin in each
    /// value.
    pub(super) fn of_sums(distances: usize, plain: Vec<i64>, shared: Vec<f64>, pairs: u64) -> Self {
        let d = distances;
        let root = plain.get(..4 * d).map_or_else(
            || vec![0; 2 * d],
            |f| f[..2 * d].iter().zip(&f[2 * d..]).map(|(equal, other)| equal + other).collect(),
        );
        Self { distances, plain, shared, root, pairs, scale: 1.0 }
    }

    /// The counts of pairs that weigh `scale` each.
    pub fn scaled(self, scale: f64) -> Self {
        Self { scale, ..self }
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        self.plain.len() / (4 * self.distances)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        8 * (self.plain.len() + self.shared.len() + self.root.len())
    }

    fn plain(&self, setting: &PairSetting, signs: [f64; 4]) -> Vec<f64> {
        let weights = setting.weights(self.distances);
        let score = |feature: &[i64]| {
            let cases = feature.chunks_exact(self.distances).enumerate();
            let sum: f64 = cases
                .map(|(case, row)| signs[case] * setting.theta()[case] * dot(row, &weights))
                .sum();
            self.scale * sum
        };
        self.plain.chunks_exact(4 * self.distances).map(score).collect()
    }

    /// `sum_m n_m/n sum_c (R[c,1] + R[c,4] - R[c,2] - R[c,3])` (eq. 14 with the weight inside the
    /// sum, eq. 15): one score per feature.
    pub fn pi(&self, setting: &PairSetting) -> Vec<f64> {
        let weights = setting.weights(self.distances);
        let unit = self.scale / self.pairs.max(1) as f64;
        let score = |feature: &[f64]| {
            let case = |c: usize| {
                let row = &feature[c * self.distances..][..self.distances];
                setting.theta()[c] * row.iter().zip(&weights).fold(0.0, |s, (n, w)| s + n * w)
            };
            unit * (case(0) + case(3) - case(1) - case(2))
        };
        self.shared.chunks_exact(4 * self.distances).map(score).collect()
    }

    /// [`Profile::pi`] without the share of each value: ranks as [`Profile::relief`] with its decay
    /// does.
    pub fn pi_unweighted(&self, setting: &PairSetting) -> Vec<f64> {
        self.plain(setting, [1.0, -1.0, -1.0, 1.0])
    }

    /// `sum_m sum_c R[c,4]` (Hong 1997 with all pairs, under any decay).
    pub fn contextual_merit(&self, setting: &PairSetting) -> Vec<f64> {
        self.plain(setting, [0.0, 0.0, 0.0, 1.0])
    }

    /// `sum_m sum_c R[c,4] - R[c,3]` (Relief with a radius, or under any decay).
    pub fn relief(&self, setting: &PairSetting) -> Vec<f64> {
        self.plain(setting, [0.0, 0.0, -1.0, 1.0])
    }

    /// `sum_c (R[c,1] - R[c,2])` over the whole set: what `pi` gives a split that divides nothing.
    pub fn whole(&self, setting: &PairSetting) -> f64 {
        let weights = setting.weights(self.distances);
        let (same, other) = self.root.split_at(self.distances);
        let theta = setting.theta();
        self.scale * (theta[0] * dot(same, &weights) - theta[1] * dot(other, &weights))
    }

    /// Relief's radius.
    pub fn radius(&self, enough: RadiusRule) -> usize {
        let (same, other) = self.root.split_at(self.distances);
        enough.radius(same.iter().zip(other).map(|(a, b)| (a + b) as f64))
    }
}
