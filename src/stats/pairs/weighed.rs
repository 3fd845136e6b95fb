//! Result of the fixed-weight pass ([`super::weigh`]): sums of pair weights under one setting, and
//! the metrics of the framework computed from them.
//!
//! `R_m[c, case] = theta_case (unit S_m[c, case] + f(0) Z_m[c, case])` with integers S (weights of
//! pairs of different rows, in units of 2^-24 of the largest) and Z (pairs at distance 0, cases 1
//! and 2 only). Values and classes are summed as integers and rounded once. So the error of a score
//! over P pairs is at most `P f 2^-25`, f being the largest weight of a pair of different rows; for
//! `pi`, which weights values by their share of the rows, at most twice that.

use super::contract::{PairMetric, PairSetting};
use super::counts::PairCounts;
use super::input::SlotRows;
use crate::error::{Error, Result};
use crate::simd::WEIGHT_BITS;
use std::collections::HashMap;

/// Largest integer weight of a pair of different rows, 2^24.
const LARGEST_WEIGHT: f64 = (1u64 << WEIGHT_BITS) as f64;

/// Where the weights of distances 1 to n differ by at most this factor, the unit derives from the
/// weight at distance 1, and the nearest pair need not be found; at most 4 of 24 bits are lost.
const FLAT: f64 = 16.0;

/// Sums of pair weights by (feature, value, class, case) under one setting.
#[derive(Debug, Clone, PartialEq)]
pub struct WeighedPairs {
    pub(super) offsets: Vec<u32>,
    pub(super) n_classes: usize,
    /// `[slot][class][case]`, in units; cases 3 and 4 hold totals until [`Self::finished`].
    pub(super) sums: Vec<u128>,
    /// Ordered pairs at distance 0, `[slot][class][same class, other class]`.
    zero: Vec<i128>,
    /// Number of rows i of each slot, with copies.
    of_slot: Vec<u64>,
    /// Number of rows i, with copies.
    rows: u64,
    theta: [f64; 4],
    /// Weight of a pair at distance 0.
    at_zero: f64,
    /// Weight that a sum of 1 stands for: 2^-24 of the largest weight of a pair of different rows.
    pub unit: f64,
    /// Weight of a pair of rows relative to the product of their multiplicities.
    scale: f64,
}

/// Weight of the rows of one class among rows with identical codes.
struct IdenticalRows {
    class: usize,
    weight: i128,
}

impl WeighedPairs {
    /// Sums of no pairs yet.
    pub(super) fn new(columns: &SlotRows, active: &SlotRows, setting: &PairSetting) -> Self {
        let classes = active.n_classes();
        let slots = columns.n_slots();
        let mut of_slot = vec![0; slots];
        for (i, &weight) in columns.weights.iter().enumerate() {
            columns.row(i).iter().for_each(|&slot| of_slot[slot as usize] += u64::from(weight));
        }
        Self {
            offsets: columns.offsets.clone(),
            n_classes: classes,
            sums: vec![0; slots * classes * 4],
            zero: vec![0; slots * classes * 2],
            of_slot,
            rows: columns.total(),
            theta: setting.theta(),
            at_zero: setting.weight(0),
            unit: 0.0,
            scale: 1.0,
        }
    }

    /// Count the pairs at distance 0, by a hash table of the distinct active rows.
    pub(super) fn with_identical(mut self, columns: &SlotRows, active: &SlotRows) -> Self {
        let classes = self.n_classes;
        let mut identical: HashMap<&[u32], Vec<IdenticalRows>> = HashMap::new();
        for class in 0..classes {
            for j in active.class_rows(class) {
                let found = identical.entry(active.row(j)).or_default();
                let weight = i128::from(active.weights[j]);
                match found.last_mut().filter(|last| last.class == class) {
                    Some(last) => last.weight += weight,
                    None => found.push(IdenticalRows { class, weight }),
                }
            }
        }
        for class in 0..classes {
            for i in columns.class_rows(class) {
                let weight = i128::from(columns.weights[i]);
                let mut cases = [0; 2];
                for other in identical.get(columns.row(i)).into_iter().flatten() {
                    cases[usize::from(other.class != class)] += weight * other.weight;
                }
                for &slot in columns.row(i) {
                    let cell = (slot as usize * classes + class) * 2;
                    self.zero[cell] += cases[0];
                    self.zero[cell + 1] += cases[1];
                }
            }
        }
        self
    }

    /// Distance 1 where the weights differ so little that it serves as the nearest.
    pub(super) fn nearest_if_flat(&self, setting: &PairSetting) -> Option<usize> {
        (setting.weight(1) <= FLAT * setting.weight(self.features())).then_some(1)
    }

    /// Set the unit, given the nearest distance of different rows; integer weights by distance, 0
    /// for distance 0 and below the nearest.
    pub(super) fn weights(&mut self, setting: &PairSetting, nearest: usize) -> Vec<u32> {
        let largest = setting.weight(nearest);
        self.unit = largest / LARGEST_WEIGHT;
        let weight = |distance: usize| {
            if distance == 0 || distance < nearest || largest == 0.0 {
                return 0;
            }
            (setting.weight(distance) / largest * LARGEST_WEIGHT).round() as u32
        };
        (0..self.offsets.len()).map(weight).collect()
    }

    /// Sums from counts of the same pairs.
    pub(super) fn of_counts(mut self, counts: &PairCounts, setting: &PairSetting) -> Self {
        let d = counts.distances();
        let occurs =
            |distance: &usize| counts.feature(0).iter().skip(*distance).step_by(d).any(|&c| c > 0);
        let nearest = self.nearest_if_flat(setting).or_else(|| (1..d).find(occurs));
        let weights = self.weights(setting, nearest.unwrap_or(d - 1));
        for (sum, by_distance) in self.sums.iter_mut().zip(counts.cells.chunks_exact(d)) {
            let weighed =
                by_distance.iter().zip(&weights).map(|(&count, &w)| count as u128 * u128::from(w));
            *sum = weighed.sum();
        }
        for (zero, cases) in self.zero.chunks_exact_mut(2).zip(counts.cells.chunks_exact(4 * d)) {
            (zero[0], zero[1]) = (i128::from(cases[0]), i128::from(cases[d]));
        }
        self
    }

    /// Replace the totals in cases 3 and 4 by totals less cases 1 and 2, and check them.
    ///
    /// # Errors
    /// [`Error::Internal`] if the totals of a class differ between features, or are less than their
    /// parts: a defect of the pass.
    pub(super) fn finished(mut self) -> Result<Self> {
        let totals = |k: usize| {
            let mut totals = vec![[0u128; 2]; self.n_classes];
            for value in self.feature(k).chunks_exact(4 * self.n_classes) {
                for (total, cell) in totals.iter_mut().zip(value.chunks_exact(4)) {
                    total[0] += cell[2];
                    total[1] += cell[3];
                }
            }
            totals
        };
        let first = totals(0);
        for k in 1..self.features() {
            if totals(k) != first {
                return Err(Error::Internal(format!(
                    "feature {k}: its pairs weigh other than those of the first"
                )));
            }
        }
        for cell in self.sums.chunks_exact_mut(4) {
            for case in 0..2 {
                cell[2 + case] = cell[2 + case].checked_sub(cell[case]).ok_or_else(|| {
                    Error::Internal(
                        "pairs that agree weigh more than all pairs of their rows".into(),
                    )
                })?;
            }
        }
        Ok(self)
    }

    /// Number of features. Two rows are at a distance from 0 to this number.
    pub fn features(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of classes. Sums are always kept by class.
    pub fn classes(&self) -> usize {
        self.n_classes
    }

    /// Number of values of a feature, including the value that stands for missing cells if there is
    /// one. Values that do not occur have sums of 0.
    pub fn values(&self, feature: usize) -> usize {
        (self.offsets[feature + 1] - self.offsets[feature]) as usize
    }

    /// Integer sums of a feature, `[value][class][case]`, without the pairs at distance 0. Each is
    /// a multiple of [`Self::unit`], before theta.
    pub fn feature(&self, feature: usize) -> &[u128] {
        let size = self.n_classes * 4;
        &self.sums[self.offsets[feature] as usize * size..self.offsets[feature + 1] as usize * size]
    }

    /// Ordered pairs at distance 0 of a feature, `[value][class][same class, other class]`. Their
    /// weight would dwarf all others, so they are counted exactly; such pairs agree on every
    /// feature, so cases 3 and 4 have none.
    pub fn at_distance_zero(&self, feature: usize) -> &[i128] {
        let size = self.n_classes * 2;
        &self.zero[self.offsets[feature] as usize * size..self.offsets[feature + 1] as usize * size]
    }

    /// The sums for pairs that each weigh `scale` times as much. Nodes with real weights add
    /// multiples of a unit, and the scale turns them back into the weights of the user; the sums
    /// stay integers.
    pub fn scaled(self, scale: f64) -> Self {
        Self { scale, ..self }
    }

    /// Count matrices `R[slot][class][case]`, with the values of all features as slots. Integers
    /// are rounded here, once.
    pub fn matrices(&self) -> Vec<f64> {
        let cells = self.sums.chunks_exact(4).zip(self.zero.chunks_exact(2));
        cells
            .flat_map(|(sums, zero)| {
                [0, 1, 2, 3].map(|case| {
                    let zero = zero.get(case).map_or(0.0, |&z| z as f64 * self.at_zero);
                    self.scale * self.theta[case] * (sums[case] as f64 * self.unit + zero)
                })
            })
            .collect()
    }

    /// Count matrix of all rows, `[class][case]`; cases 3 and 4 are zero (Vilalta et al. 2001, eq.
    /// 12).
    pub fn root_matrix(&self) -> Vec<f64> {
        let mut root = vec![0.0; self.n_classes * 4];
        for (class, to) in root.chunks_exact_mut(4).enumerate() {
            let sums = || self.feature(0).chunks_exact(4).skip(class).step_by(self.n_classes);
            let zeros =
                || self.at_distance_zero(0).chunks_exact(2).skip(class).step_by(self.n_classes);
            for case in 0..2 {
                let sum: u128 = sums().map(|cell| cell[case] + cell[2 + case]).sum();
                let zero: i128 = zeros().map(|cell| cell[case]).sum();
                let weight = sum as f64 * self.unit + zero as f64 * self.at_zero;
                to[case] = self.scale * self.theta[case] * weight;
            }
        }
        root
    }

    /// Weights by case before theta, summed over classes and, times `share(slot)`, over values.
    fn cases(&self, feature: usize, share: impl Fn(usize) -> u64) -> [f64; 4] {
        let (mut sums, mut zeros) = ([0u128; 4], [0i128; 2]);
        let first = self.offsets[feature] as usize;
        let values = self.feature(feature).chunks_exact(4 * self.n_classes);
        for (value, (cells, zero)) in
            values.zip(self.at_distance_zero(feature).chunks_exact(2 * self.n_classes)).enumerate()
        {
            let share = share(first + value);
            for (case, sum) in sums.iter_mut().enumerate() {
                *sum += cells.iter().skip(case).step_by(4).sum::<u128>() * u128::from(share);
            }
            for (case, to) in zeros.iter_mut().enumerate() {
                *to += zero.iter().skip(case).step_by(2).sum::<i128>() * i128::from(share);
            }
        }
        [0, 1, 2, 3].map(|case| {
            let zero = zeros.get(case).map_or(0.0, |&z| z as f64 * self.at_zero);
            self.scale * (sums[case] as f64 * self.unit + zero)
        })
    }

    /// Score of each feature by a metric ([`Profile::scores`](super::Profile::scores));
    /// bit-identical to that for a threshold, where all weights are 0 or 1.
    pub fn scores(&self, metric: PairMetric) -> Vec<f64> {
        let (signs, rows) = (metric.signs(), self.rows.max(1) as f64);
        let by_share = metric == PairMetric::Pi;
        let score = |k: usize| {
            let cases = self.cases(k, |slot| if by_share { self.of_slot[slot] } else { 1 });
            let sum: f64 = (0..4).map(|case| signs[case] * self.theta[case] * cases[case]).sum();
            if by_share { sum / rows } else { sum }
        };
        (0..self.features()).map(score).collect()
    }

    /// Pi of the undivided set ([`Profile::undivided`](super::Profile::undivided)). It is the score
    /// of a split with one branch, under the setting of the sums.
    pub fn undivided(&self) -> f64 {
        let r = self.cases(0, |_| 1);
        self.theta[0] * (r[0] + r[2]) - self.theta[1] * (r[1] + r[3])
    }
}
