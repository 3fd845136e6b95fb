//! The linear statistic of a feature and the target ([`LinearStatistic`]), from the sums over the
//! groups of rows with one value of the feature ([`LinearSums`]).
//!
//! The covariance of the statistic is `W / (W - 1) V (x) A` with the covariance V of the influences
//! and A of the scores. Indicators have a covariance `diag(w) - w w' / W`, whose pseudo-inverse is
//! `diag(1 / w)` for deviations from independence, which sum to 0. So the quadratic form is a sum
//! of squares, and no matrix is inverted. Its rank is the rank of the pseudo-inverse, in which
//! eigenvalues count as 0 below the largest one times the square root of the machine's precision.
//! The eigenvalues of such a matrix lie between its weights, so they are computed only where the
//! weights span that much. O(values x classes).

use super::normal::dot;
use super::{chi_squared, normal};

/// Eigenvalues below this part of the largest one count as 0: the square root of the precision.
const TOLERANCE: f64 = 1.490_116_119_384_765_6e-8;
/// Most levels or classes whose eigenvalues are computed.
const MOST_EIGENVALUES: usize = 200;

/// Sums over the rows of a node, group by group: a group has one value of the feature.
///
/// The influences are 1 for the class of the row and 0 for the others, or the number of the row
/// less a constant.
#[derive(Debug, Clone, Default)]
pub struct LinearSums {
    /// Number of classes, or 1 for a number.
    width: usize,
    /// Sum of the weights.
    total: f64,
    /// Weights times influences.
    influences: Vec<f64>,
    /// Weights of the groups that have rows; of a feature with scores weights times scores, alone.
    margins: Vec<f64>,
    /// Weights times squared scores; `None` for a feature without scores.
    squares: Option<f64>,
    /// Weights times influences of the groups that have rows, `[group * influences + influence]`;
    /// of a feature with scores weights times scores times influences.
    products: Vec<f64>,
}

impl LinearSums {
    /// Sums to be cleared before rows are added. `width` is the number of classes, or 1 for a
    /// number.
    pub fn new(width: usize, is_scored: bool) -> Self {
        Self { width, squares: is_scored.then_some(0.0), ..Self::default() }
    }

    /// Whether the feature has scores, as a number has. Without scores, every group is a level of
    /// its own with an indicator.
    pub fn is_scored(&self) -> bool {
        self.squares.is_some()
    }

    /// Remove all rows, and keep the memory and the kind of the feature. It must also be called
    /// once before the first row is added, because a new object has no room for sums.
    pub fn clear(&mut self) {
        let scores = usize::from(self.is_scored());
        (self.total, self.squares) = (0.0, self.squares.map(|_| 0.0));
        let lengths = [self.width, scores, scores * self.width];
        let sums = [&mut self.influences, &mut self.margins, &mut self.products];
        for (sums, length) in sums.into_iter().zip(lengths) {
            sums.clear();
            sums.resize(length, 0.0);
        }
    }

    /// Add a group: its score, which a feature without scores does not read, its weight, and its
    /// sums of weights times influences. Scores should lie around 0, where nothing cancels.
    pub fn add(&mut self, score: f64, weight: f64, influences: &[f64]) {
        if weight <= 0.0 {
            return;
        }
        self.total += weight;
        self.influences.iter_mut().zip(influences).for_each(|(sum, own)| *sum += own);
        if let Some(squares) = &mut self.squares {
            self.margins[0] += weight * score;
            *squares += weight * score * score;
            self.products.iter_mut().zip(influences).for_each(|(sum, own)| *sum += score * own);
        } else {
            self.margins.push(weight);
            self.products.extend_from_slice(influences);
        }
    }

    /// [`Self::add`] of a group with a score whose rows have one class. It saves the loop over the
    /// classes for each row of a sorted column; the feature must have scores.
    #[inline]
    pub fn add_class(&mut self, score: f64, weight: f64, class: usize) {
        self.total += weight;
        self.influences[class] += weight;
        self.margins[0] += weight * score;
        self.squares = self.squares.map(|sum| sum + weight * score * score);
        self.products[class] += score * weight;
    }
}

/// A factor of the covariance: `diag(w) - w w' / total` of indicators, or the variance of one
/// number, which has no second term.
#[derive(Debug, Clone, Copy)]
struct CovarianceFactor<'s> {
    /// The weight of each indicator, or the variance alone.
    weights: &'s [f64],
    /// Sum of the weights; infinite for a number.
    total: f64,
}

impl CovarianceFactor<'_> {
    /// Rank of the factor; 0 where nothing varies.
    fn rank(&self) -> usize {
        if self.total.is_finite() {
            return self.weights.len() - 1;
        }
        usize::from(self.weights[0] > 0.0)
    }

    /// Ratio of the least weight to the largest one.
    fn span(&self) -> f64 {
        let least = self.weights.iter().copied().fold(f64::INFINITY, f64::min);
        least / self.weights.iter().copied().fold(0.0, f64::max)
    }

    /// The factor with all its elements, row by row.
    fn matrix(&self) -> Vec<Vec<f64>> {
        let (weights, n) = (self.weights, self.weights.len());
        let entry = |i: usize, j: usize| {
            f64::from(u8::from(i == j)) * weights[i] - weights[i] * weights[j] / self.total
        };
        (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
    }
}

/// The deviation of the linear statistic from its expectation, and the factors of its covariance.
/// They are computed in the memory of the sums, which are lost.
#[derive(Debug, Clone, Copy)]
pub struct LinearStatistic<'s> {
    /// Sum of the weights.
    pub total: f64,
    /// Deviations, `[level * classes + class]`; one row for a score, one column for a number.
    deviations: &'s [f64],
    /// First the factor of the feature: the weights of the levels that occur, or the variance of
    /// the score. Then the factor of the target: the shares of the classes that occur, or the
    /// variance of the number.
    factors: [CovarianceFactor<'s>; 2],
}

impl<'s> LinearStatistic<'s> {
    /// The statistic of some sums; `deviation` is the sum of weights times squared deviations of a
    /// number from its mean, `None` for classes. `None` where the feature or the target does not
    /// vary.
    pub fn new(sums: &'s mut LinearSums, deviation: Option<f64>) -> Option<Self> {
        let LinearSums { width, total, influences, margins, squares, products } = sums;
        let total = *total;
        // Products of whole weights are exact, and levels with equal shares have deviations of 0.
        for (margin, row) in margins.iter().zip(products.chunks_exact_mut(*width)) {
            for (product, influence) in row.iter_mut().zip(&*influences) {
                *product = (*product * total - margin * influence) / total;
            }
        }
        if let Some(squares) = squares {
            margins[0] = *squares - margins[0] * margins[0] / total;
        }
        if let Some(deviation) = deviation {
            influences[0] = deviation / total;
        } else {
            let mut columns = influences.iter().cycle();
            products.retain(|_| columns.next().is_some_and(|&sum| sum > 0.0));
            influences.retain(|&sum| sum > 0.0);
            influences.iter_mut().for_each(|sum| *sum /= total);
        }
        let factor = |weights, is_number, total| {
            let total = if is_number { f64::INFINITY } else { total };
            CovarianceFactor { weights, total }
        };
        let factors = [
            factor(margins, squares.is_some(), total),
            factor(influences, deviation.is_some(), 1.0),
        ];
        let varies = factors.iter().all(|factor| factor.rank() > 0);
        varies.then_some(Self { total, deviations: products, factors })
    }

    /// The quadratic form times a factor, and the logarithm of its p-value by the chi-squared
    /// distribution. The factor scales the weights to the number of rows that they stand for; the
    /// degrees of freedom are the rank of the covariance.
    pub fn chi_squared(&self, scale: f64) -> (f64, f64) {
        let (form, rank) = self.quadratic();
        (form * scale, chi_squared::log_upper_tail(form * scale, rank as f64))
    }

    /// The quadratic form by the pseudo-inverse of `V (x) A`, and its rank. It is a sum of squares,
    /// unless weights span so much that eigenvalues count as 0; these are computed if there are few
    /// levels and classes.
    pub fn quadratic(&self) -> (f64, usize) {
        let [levels, classes] = &self.factors;
        let width = classes.weights.len();
        let few = levels.weights.len().max(width) <= MOST_EIGENVALUES;
        if levels.span() * classes.span() < TOLERANCE && few {
            return self.truncated();
        }
        let square =
            |(i, d): (usize, &f64)| d * d / levels.weights[i / width] / classes.weights[i % width];
        let form = self.deviations.iter().enumerate().map(square).sum();
        (form, levels.rank() * classes.rank())
    }

    /// [`Self::quadratic`] without the eigenvalues that count as 0.
    fn truncated(&self) -> (f64, usize) {
        let [levels, classes] = self.factors.each_ref().map(|of| eigenvectors(of.matrix()));
        let largest = |found: &[(f64, Vec<f64>)]| found.iter().map(|one| one.0).fold(0.0, f64::max);
        let least = TOLERANCE * largest(&levels) * largest(&classes);
        let (mut form, mut rank) = (0.0, 0);
        for (a, left) in &levels {
            for (v, right) in classes.iter().filter(|(v, _)| a * v > least) {
                let rows = self.deviations.chunks_exact(right.len());
                let along: f64 = rows.zip(left).map(|(row, l)| l * dot(row, right)).sum();
                form += along * along / (a * v);
                rank += 1;
            }
        }
        (form, rank)
    }

    /// The largest standardised component, either way, whose square is multiplied by a factor, and
    /// the logarithm of its p-value by the multivariate normal distribution. This p-value lies
    /// between the p-value of one component and its product with the number of components, so the
    /// error of the integration cannot spoil far tails.
    pub fn maximum(&self, scale: f64) -> (f64, f64) {
        let [levels, classes] = self.factors.each_ref().map(CovarianceFactor::matrix);
        let width = classes.len();
        let square = |(i, d): (usize, &f64)| {
            let (level, class) = (i / width, i % width);
            d * d / levels[level][level] / classes[class][class]
        };
        let square = self.deviations.iter().enumerate().map(square).fold(0.0, f64::max) * scale;
        let limit = square.sqrt();
        let single = chi_squared::log_upper_tail(square, 1.0);
        let factor = normal::kronecker(&normal::cholesky(&levels), &normal::cholesky(&classes));
        if normal::rank(&factor) == 1 {
            return (limit, single);
        }
        // Integration has an absolute error, which must not carry far tails out of their bounds.
        let most = (single + (factor.len() as f64).ln()).min(0.0);
        (limit, normal::outside(&factor, limit).ln().clamp(single, most))
    }
}

/// Eigenvalues of a positive semidefinite matrix, each with its eigenvector, by one-sided Jacobi
/// rotations (Hestenes 1958): when all pairs of rows are orthogonal, a row is an eigenvector times
/// its eigenvalue.
fn eigenvectors(mut rows: Vec<Vec<f64>>) -> Vec<(f64, Vec<f64>)> {
    for _ in 0..60 {
        let mut rotated = false;
        for q in 1..rows.len() {
            let (before, rest) = rows.split_at_mut(q);
            for x in before {
                let y = &mut rest[0];
                let [xx, xy, yy] = [dot(x, x), dot(x, y), dot(y, y)];
                if xy.abs() <= f64::EPSILON * (xx * yy).sqrt() {
                    continue;
                }
                rotated = true;
                let theta = (yy - xx) / (2.0 * xy);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let cos = 1.0 / t.hypot(1.0);
                let sin = t * cos;
                for (x, y) in x.iter_mut().zip(y) {
                    (*x, *y) = (cos * *x - sin * *y, sin * *x + cos * *y);
                }
            }
        }
        if !rotated {
            break;
        }
    }
    let scaled = |row: Vec<f64>| {
        let value = dot(&row, &row).sqrt();
        (value, row.into_iter().map(|x| x / value).collect())
    };
    rows.into_iter().map(scaled).collect()
}
