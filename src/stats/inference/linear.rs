//! The linear statistic of a feature and the target ([`LinearStatistic`]), from the sums of the
//! rows with one value of the feature ([`GroupSums`]).
//!
//! The covariance of the statistic is `W / (W - 1) V (x) A` with the covariance V of the influences
//! and A of the scores. Indicators have a covariance `diag(w) - w w' / W`, whose pseudo-inverse is
//! `diag(1 / w)` for deviations from independence, which sum to 0. So the quadratic form is a sum
//! of squares, and no matrix is inverted. Its rank is that of the pseudo-inverse as far as
//! eigenvalues are not below the square root of the machine's precision of the largest one: the
//! eigenvalues of such a matrix lie between its weights, and only where the weights span that much
//! are eigenvalues computed. O(values x classes).

use super::{chi_squared, normal};

/// Eigenvalues below this part of the largest one count as 0: the square root of the precision.
const TOLERANCE: f64 = 1.490_116_119_384_765_6e-8;
/// Most levels or classes whose eigenvalues are computed.
const MOST_EIGENVALUES: usize = 200;

/// The sums of the rows of a node by the values of a feature.
#[derive(Debug, Clone, Default)]
pub struct GroupSums {
    /// The number of each group; `None` for levels without an order.
    pub scores: Option<Vec<f64>>,
    /// Sums of each group, group by group: of classes the weight of each; of a number the weight,
    /// and the sum of weights times deviations from the mean of all rows.
    pub sums: Vec<f64>,
    /// Number of sums of a group.
    pub width: usize,
    /// Of a number: the sum of weights times squared deviations from the mean of all rows.
    pub deviation: Option<f64>,
}

impl GroupSums {
    /// The weight of a group.
    fn weight(&self, sums: &[f64]) -> f64 {
        if self.deviation.is_some() { sums[0] } else { sums.iter().sum() }
    }
}

/// The deviation of the linear statistic from its expectation, and the factors of its covariance.
#[derive(Debug, Clone)]
pub struct LinearStatistic {
    /// Sum of the weights.
    pub total: f64,
    /// Deviations, `[level * classes + class]`; one row for a score, one column for a number.
    deviations: Vec<f64>,
    /// Weights of the levels that occur, or the variation of the score alone.
    levels: Vec<f64>,
    /// Shares of the classes that occur, or the variance of the number alone.
    classes: Vec<f64>,
    is_scored: bool,
    is_number: bool,
}

impl LinearStatistic {
    /// `None` where the feature or the target does not vary.
    pub fn new(groups: &GroupSums) -> Option<Self> {
        let filled: Vec<(usize, &[f64], f64)> = groups
            .sums
            .chunks_exact(groups.width)
            .enumerate()
            .map(|(at, sums)| (at, sums, groups.weight(sums)))
            .filter(|&(.., weight)| weight > 0.0)
            .collect();
        if filled.len() < 2 {
            return None;
        }
        let total: f64 = filled.iter().map(|g| g.2).sum();
        // The columns: the number's deviation, or each class that occurs, with its share.
        let is_number = groups.deviation.is_some();
        let (columns, classes): (Vec<usize>, Vec<f64>) = match groups.deviation {
            Some(deviation) => (vec![1], vec![deviation / total]),
            None => (0..groups.width)
                .map(|c| (c, filled.iter().map(|g| g.1[c]).sum::<f64>() / total))
                .filter(|&(_, share)| share > 0.0)
                .unzip(),
        };
        if if is_number { classes[0] <= 0.0 } else { classes.len() < 2 } {
            return None;
        }
        let deviation = |sums: &[f64], weight: f64, column: usize| match is_number {
            true => sums[1],
            false => sums[columns[column]] - weight * classes[column],
        };
        let width = columns.len();
        let (mut deviations, mut levels) = (Vec::new(), Vec::new());
        match &groups.scores {
            None => {
                for &(_, sums, weight) in &filled {
                    deviations.extend((0..width).map(|c| deviation(sums, weight, c)));
                    levels.push(weight);
                }
            }
            Some(scores) => {
                // Scores are taken from the first one, and then from their mean.
                let first = scores[filled[0].0];
                let shift = filled.iter().map(|g| g.2 * (scores[g.0] - first)).sum::<f64>() / total;
                deviations.resize(width, 0.0);
                let mut variation = 0.0;
                for &(at, sums, weight) in &filled {
                    let score = scores[at] - first - shift;
                    variation += weight * score * score;
                    for (c, sum) in deviations.iter_mut().enumerate() {
                        *sum += score * deviation(sums, weight, c);
                    }
                }
                levels.push(variation);
            }
        }
        let is_scored = groups.scores.is_some();
        Some(Self { total, deviations, levels, classes, is_scored, is_number })
    }

    /// The quadratic form by the pseudo-inverse of `V (x) A`, and its rank.
    pub fn quadratic(&self) -> (f64, usize) {
        let extremes = |values: &[f64]| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            least / values.iter().copied().fold(0.0, f64::max)
        };
        let few = self.levels.len().max(self.classes.len()) <= MOST_EIGENVALUES;
        if extremes(&self.levels) * extremes(&self.classes) < TOLERANCE && few {
            return self.truncated();
        }
        let width = self.classes.len();
        let square =
            |(i, d): (usize, &f64)| d * d / self.levels[i / width] / self.classes[i % width];
        let form = self.deviations.iter().enumerate().map(square).sum();
        let free = |n: usize, alone: bool| if alone { 1 } else { n - 1 };
        (form, free(self.levels.len(), self.is_scored) * free(width, self.is_number))
    }

    /// [`Self::quadratic`] without the eigenvalues that count as 0.
    fn truncated(&self) -> (f64, usize) {
        let of_levels = Eigen::of(&self.covariance_of_levels());
        let of_classes = Eigen::of(&self.covariance_of_classes());
        let largest = |eigen: &Eigen| eigen.values.iter().copied().fold(0.0, f64::max);
        let least = TOLERANCE * largest(&of_levels) * largest(&of_classes);
        let (mut form, mut rank) = (0.0, 0);
        for (a, left) in of_levels.values.iter().zip(&of_levels.vectors) {
            for (v, right) in of_classes.values.iter().zip(&of_classes.vectors) {
                if a * v > least {
                    let rows = self.deviations.chunks_exact(right.len()).zip(left);
                    let along: f64 = rows
                        .map(|(row, l)| l * row.iter().zip(right).map(|(d, r)| d * r).sum::<f64>())
                        .sum();
                    form += along * along / (a * v);
                    rank += 1;
                }
            }
        }
        (form, rank)
    }

    /// The largest squared component over its variance in `V (x) A`.
    pub fn largest(&self) -> f64 {
        let (levels, classes) = (self.covariance_of_levels(), self.covariance_of_classes());
        let width = classes.len();
        let square = |(i, d): (usize, &f64)| {
            let (level, class) = (i / width, i % width);
            d * d / levels[level][level] / classes[class][class]
        };
        self.deviations.iter().enumerate().map(square).fold(0.0, f64::max)
    }

    /// The logarithm of the probability that some standardised component is beyond a limit, either
    /// way.
    pub fn log_p_of_largest(&self, limit: f64) -> f64 {
        let single = chi_squared::log_upper_tail(limit * limit, 1.0);
        let levels = normal::Factor::of(&self.covariance_of_levels());
        let classes = normal::Factor::of(&self.covariance_of_classes());
        let factor = levels.kronecker(&classes);
        let many = factor.rows() as f64;
        if factor.rank() == 1 {
            return single;
        }
        // Integration has an absolute error, which must not carry far tails out of their bounds.
        let bounds = (single, (single + many.ln()).min(0.0));
        normal::outside(&factor, limit).ln().clamp(bounds.0, bounds.1)
    }

    fn covariance_of_levels(&self) -> Vec<Vec<f64>> {
        covariance(&self.levels, self.total, self.is_scored)
    }

    fn covariance_of_classes(&self) -> Vec<Vec<f64>> {
        covariance(&self.classes, 1.0, self.is_number)
    }
}

/// The matrix `diag(w) - w w' / total`, or that of one number.
fn covariance(weights: &[f64], total: f64, alone: bool) -> Vec<Vec<f64>> {
    let entry = |i: usize, j: usize| {
        let product = if alone { 0.0 } else { weights[i] * weights[j] / total };
        if i == j { weights[i] - product } else { -product }
    };
    (0..weights.len()).map(|i| (0..weights.len()).map(|j| entry(i, j)).collect()).collect()
}

/// Eigenvalues and eigenvectors of a symmetric matrix, by Jacobi's rotations.
struct Eigen {
    values: Vec<f64>,
    /// One per eigenvalue, of length 1.
    vectors: Vec<Vec<f64>>,
}

impl Eigen {
    fn of(matrix: &[Vec<f64>]) -> Self {
        let (n, mut a) = (matrix.len(), matrix.to_vec());
        let mut vectors: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        for _ in 0..60 {
            let mut rotated = false;
            for p in 0..n {
                for q in p + 1..n {
                    if a[p][q].abs() <= f64::EPSILON / 8.0 * (a[p][p] * a[q][q]).abs().sqrt() {
                        continue;
                    }
                    rotated = true;
                    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                    let cos = 1.0 / t.hypot(1.0);
                    let sin = t * cos;
                    for row in &mut a {
                        (row[p], row[q]) =
                            (cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]);
                    }
                    let (first, second) = (a[p].clone(), a[q].clone());
                    for k in 0..n {
                        a[p][k] = cos * first[k] - sin * second[k];
                        a[q][k] = sin * first[k] + cos * second[k];
                        let (x, y) = (vectors[p][k], vectors[q][k]);
                        (vectors[p][k], vectors[q][k]) = (cos * x - sin * y, sin * x + cos * y);
                    }
                }
            }
            if !rotated {
                break;
            }
        }
        Self { values: (0..n).map(|i| a[i][i]).collect(), vectors }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;

    /// A table of some levels and classes.
    fn table(seed: u64, levels: usize, classes: usize) -> GroupSums {
        let count = |i| (1 + mix(seed, i) % 9) as f64;
        let sums = (0..(levels * classes) as u64).map(count).collect();
        GroupSums { scores: None, sums, width: classes, deviation: None }
    }

    #[test]
    fn truncation_keeps_the_form_where_all_eigenvalues_are_large() {
        for seed in 0..50 {
            let groups = table(seed, 2 + seed as usize % 5, 2 + seed as usize % 3);
            let linear = LinearStatistic::new(&groups).unwrap();
            let ((form, rank), (same, kept)) = (linear.quadratic(), linear.truncated());
            assert_eq!(rank, kept);
            assert!((form - same).abs() < 1e-10 * form.max(1e-3), "{seed}: {form} {same}");
        }
    }

    #[test]
    fn scores_and_influences_may_be_shifted() {
        let mut groups = table(3, 6, 2);
        groups.scores = Some((0..6).map(f64::from).collect());
        let near = LinearStatistic::new(&groups).unwrap().quadratic().0;
        groups.scores = Some((0..6).map(|i| 1e9 + f64::from(i)).collect());
        let far = LinearStatistic::new(&groups).unwrap().quadratic().0;
        assert!((near - far).abs() < 1e-12 * near);
    }
}
