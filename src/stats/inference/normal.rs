//! The probability that a component of a multivariate normal vector is beyond a limit.
//!
//! Genz (1992): by the Cholesky factor of the covariance the probability of the box is a product of
//! conditional probabilities of one variable each, which is integrated over a unit cube. The points
//! are those of a lattice of square roots of primes (Richtmyer), shifted at random and folded;
//! the seed is fixed, so that a p-value depends on nothing but the table. Components that depend on
//! earlier ones narrow the interval of the last variable that they contain, so singular matrices
//! need no care. The absolute error is about 2e-4 (three standard errors) in few dimensions, and
//! grows where [`MOST_STEPS`] ends the integration first.

use crate::numeric::mix;
use crate::numeric::normal::{distribution, quantile};

/// Random shifts of the lattice, whose means give the error.
const SHIFTS: usize = 12;
/// Points per shift at first; they are doubled until the error is small.
const FIRST_POINTS: usize = 512;
/// Most multiplications for one probability, some 50 ms.
const MOST_STEPS: usize = 1 << 25;
/// Multiplications in whose time a variable is drawn.
const STEPS_PER_VARIABLE: usize = 64;
/// Three standard errors that end the integration.
const ERROR: f64 = 2e-4;
/// A pivot below this part of its variance is 0: the component depends on earlier ones.
const NO_PIVOT: f64 = 1e-10;

/// The Cholesky factor of a correlation matrix, row by row; a dependent component adds no column.
#[derive(Debug, Clone)]
pub(super) struct CholeskyFactor {
    /// A row per component.
    pub rows: Vec<Vec<f64>>,
    /// Number of independent variables.
    pub rank: usize,
}

impl CholeskyFactor {
    /// The factor of the correlations of a covariance matrix, of whose two indicators one tells
    /// both.
    pub fn of(covariance: &[Vec<f64>]) -> Self {
        let n = if covariance.len() == 2 { 1 } else { covariance.len() };
        let (mut rows, mut pivots): (Vec<Vec<f64>>, Vec<usize>) = (Vec::new(), Vec::new());
        for i in 0..n {
            let mut row: Vec<f64> = Vec::with_capacity(n);
            let mut rest = 1.0;
            for (column, &j) in pivots.iter().enumerate() {
                let scale = (covariance[i][i] * covariance[j][j]).sqrt();
                let known: f64 = row.iter().zip(&rows[j]).map(|(a, b)| a * b).sum();
                row.push((covariance[i][j] / scale - known) / rows[j][column]);
                rest -= row[column] * row[column];
            }
            if rest > NO_PIVOT {
                row.push(rest.sqrt());
                pivots.push(i);
            }
            rows.push(row);
        }
        Self { rows, rank: pivots.len() }
    }

    /// The factor of the Kronecker product of two matrices.
    pub fn kronecker(&self, other: &Self) -> Self {
        let rank = self.rank * other.rank;
        let mut rows = Vec::with_capacity(self.rows.len() * other.rows.len());
        for a in &self.rows {
            for b in &other.rows {
                let mut row = Vec::with_capacity(a.len() * other.rank);
                for (i, x) in a.iter().enumerate() {
                    row.resize(i * other.rank, 0.0);
                    row.extend(b.iter().map(|y| x * y));
                }
                rows.push(row);
            }
        }
        Self { rows, rank }
    }
}

/// The probability that some component of a normal vector with this factor is beyond the limit,
/// either way.
pub(super) fn outside(factor: &CholeskyFactor, limit: f64) -> f64 {
    // The components whose last variable is each one.
    let mut ending: Vec<Vec<&[f64]>> = vec![Vec::new(); factor.rank];
    for row in &factor.rows {
        ending[row.len() - 1].push(row);
    }
    let products: usize = factor.rows.iter().map(Vec::len).sum();
    let steps = (products + STEPS_PER_VARIABLE * factor.rank) * SHIFTS;
    let generators: Vec<f64> = primes(factor.rank).map(|p| (p as f64).sqrt().fract()).collect();
    let shift = |s: usize, j: usize| mix(s as u64, j as u64) as f64 / 2_f64.powi(64);
    let mut sums = [0.0; SHIFTS];
    let (mut done, mut wanted) = (0_usize, FIRST_POINTS);
    let mut variables = vec![0.0; factor.rank];
    loop {
        for (s, sum) in sums.iter_mut().enumerate() {
            for point in done..wanted {
                *sum += within(&ending, limit, &mut variables, |j| {
                    let at = ((point + 1) as f64 * generators[j] + shift(s, j)).fract();
                    (2.0 * at - 1.0).abs()
                });
            }
        }
        done = wanted;
        let mean = sums.iter().sum::<f64>() / (SHIFTS * done) as f64;
        let squares: f64 = sums.iter().map(|s| (s / done as f64 - mean).powi(2)).sum();
        let error = 3.0 * (squares / (SHIFTS * (SHIFTS - 1)) as f64).sqrt();
        if error < ERROR || steps.saturating_mul(2 * done) > MOST_STEPS {
            return (1.0 - mean).max(0.0);
        }
        wanted = 2 * done;
    }
}

/// The product of conditional probabilities at a point of the cube.
fn within(
    ending: &[Vec<&[f64]>],
    limit: f64,
    variables: &mut [f64],
    coordinate: impl Fn(usize) -> f64,
) -> f64 {
    let mut product = 1.0;
    for (j, rows) in ending.iter().enumerate() {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for row in rows {
            let (last, before) = (row[j], &row[..j]);
            let known: f64 = before.iter().zip(&*variables).map(|(a, y)| a * y).sum();
            let ends = [(-limit - known) / last, (limit - known) / last];
            low = low.max(ends[0].min(ends[1]));
            high = high.min(ends[0].max(ends[1]));
        }
        let (below, above) = (distribution(low), distribution(high));
        if above <= below {
            return 0.0;
        }
        product *= above - below;
        if j + 1 < ending.len() {
            let p = below + coordinate(j) * (above - below);
            variables[j] = quantile(p.clamp(f64::MIN_POSITIVE, 1.0_f64.next_down()));
        }
    }
    product
}

/// The first primes.
fn primes(n: usize) -> impl Iterator<Item = u32> {
    (2_u32..).filter(|p| (2..).take_while(|d| d * d <= *p).all(|d| p % d > 0)).take(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_components_multiply() {
        for n in [3, 5] {
            let identity: Vec<Vec<f64>> =
                (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
            let factor = CholeskyFactor::of(&identity);
            for limit in [0.5, 1.0, 2.0, 3.0] {
                let one = distribution(limit) - distribution(-limit);
                let expected = 1.0 - one.powi(n);
                let found = outside(&factor, limit);
                assert!((found - expected).abs() < 2e-4, "{n} {limit}: {found} {expected}");
            }
        }
    }

    #[test]
    fn three_classes_of_equal_share_have_two_variables() {
        // Correlations of -1/2: the largest of three contrasts; by integration over the hexagon.
        let covariance =
            [[2.0, -1.0, -1.0], [-1.0, 2.0, -1.0], [-1.0, -1.0, 2.0]].map(|row| row.to_vec());
        let factor = CholeskyFactor::of(&covariance);
        assert_eq!((factor.rows.len(), factor.rank), (3, 2));
        let found = outside(&factor, 1.96);
        let steps = 4000;
        let mut expected = 0.0;
        for i in 0..steps {
            // The apothem of the hexagon is the limit; its distance in each direction.
            let angle = (f64::from(i) + 0.5) / f64::from(steps) * std::f64::consts::FRAC_PI_3;
            let distance = 1.96 / (angle - std::f64::consts::FRAC_PI_6).cos();
            expected += (-0.5 * distance * distance).exp() / f64::from(steps);
        }
        assert!((found - expected).abs() < 2e-4, "{found} {expected}");
    }
}
