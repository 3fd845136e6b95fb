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

/// The sum of products, as far as both are long.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// The Cholesky factor of the correlations of a covariance matrix, a row per component, of whose
/// two indicators one tells both. A component that depends on earlier ones adds no column.
pub(super) fn cholesky(covariance: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let n = if covariance.len() == 2 { 1 } else { covariance.len() };
    let (mut rows, mut pivots): (Vec<Vec<f64>>, Vec<usize>) = (Vec::new(), Vec::new());
    for i in 0..n {
        let (mut row, mut rest): (Vec<f64>, f64) = (Vec::new(), 1.0);
        for (column, &j) in pivots.iter().enumerate() {
            let scale = (covariance[i][i] * covariance[j][j]).sqrt();
            row.push((covariance[i][j] / scale - dot(&row, &rows[j])) / rows[j][column]);
            rest -= row[column] * row[column];
        }
        if rest > NO_PIVOT {
            row.push(rest.sqrt());
            pivots.push(i);
        }
        rows.push(row);
    }
    rows
}

/// Number of independent variables of a factor.
pub(super) fn rank(factor: &[Vec<f64>]) -> usize {
    factor.iter().map(Vec::len).max().unwrap_or(0)
}

/// The factor of the Kronecker product of two matrices, from theirs.
pub(super) fn kronecker(left: &[Vec<f64>], right: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let width = rank(right);
    let product = |(left, right): (&Vec<f64>, &Vec<f64>)| {
        let mut row = Vec::with_capacity(left.len() * width);
        for (i, x) in left.iter().enumerate() {
            row.resize(i * width, 0.0);
            row.extend(right.iter().map(|y| x * y));
        }
        row
    };
    left.iter().flat_map(|a| right.iter().map(move |b| (a, b))).map(product).collect()
}

/// The probability that some component of a normal vector with this factor is beyond the limit,
/// either way.
pub(super) fn outside(factor: &[Vec<f64>], limit: f64) -> f64 {
    let rank = rank(factor);
    // The components whose last variable is each one.
    let mut ending: Vec<Vec<&[f64]>> = vec![Vec::new(); rank];
    factor.iter().for_each(|row| ending[row.len() - 1].push(row));
    let products: usize = factor.iter().map(Vec::len).sum();
    let steps = (products + STEPS_PER_VARIABLE * rank) * SHIFTS;
    let generators: Vec<f64> = primes(rank).map(|p| (p as f64).sqrt().fract()).collect();
    let shift = |s: usize, j: usize| mix(s as u64, j as u64) as f64 / 2_f64.powi(64);
    let mut sums = [0.0; SHIFTS];
    let (mut done, mut wanted) = (0_usize, FIRST_POINTS);
    let mut variables = vec![0.0; rank];
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
            let known = dot(&row[..j], variables);
            let ends = [(-limit - known) / row[j], (limit - known) / row[j]];
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
