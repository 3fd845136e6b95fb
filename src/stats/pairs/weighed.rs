//! What the fixed-weight pass found: sums of pair weights under one setting, and the metrics of the
//! framework from them.
//!
//! `R_m[c, case] = theta_case (unit S_m[c, case] + f(0) Z_m[c, case])` with whole numbers S
//! (weights of pairs of different rows in units of 2^-24 of the largest) and Z (pairs at distance
//! 0, cases 1 and 2 only). Values and classes are added up as integers and rounded once, so a score
//! of P pairs is off by at most `P f 2^-25` (and as much again in shares of the rows), f the
//! largest weight of a pair of different rows.

use super::contract::PairSetting;
use super::counts::PairCounts;
use super::input::SlotRows;
use crate::error::{Error, Result};
use crate::simd::WEIGHT_BITS;
use std::collections::HashMap;

/// Largest weight of a pair of different rows.
pub(super) const ONE: f64 = (1u64 << WEIGHT_BITS) as f64;

/// Sums of pair weights by (feature, value, class, case) under one setting.
#[derive(Debug, Clone, PartialEq)]
pub struct WeighedPairs {
    pub(super) offsets: Vec<u32>,
    pub(super) n_classes: usize,
    /// `[slot][class][case]`, in units; while the pass goes on, cases 3 and 4 hold totals.
    pub(super) sums: Vec<u128>,
    /// Ordered pairs at distance 0, `[slot][class][same class, other class]`.
    zero: Vec<i128>,
    /// Rows i of each slot.
    of_slot: Vec<u64>,
    /// All rows i.
    rows: u64,
    theta: [f64; 4],
    /// Weight at distance 0.
    at_zero: f64,
    /// Weight of a sum of one.
    unit: f64,
    scale: f64,
}

impl WeighedPairs {
    /// No pairs.
    pub(super) fn new(columns: &SlotRows, active: &SlotRows, setting: &PairSetting) -> Self {
        let classes = active.starts.len() - 1;
        let slots = columns.offsets[columns.features] as usize;
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

    /// Pairs at distance 0 counted, from a table of distinct rows.
    pub(super) fn with_identical(mut self, columns: &SlotRows, active: &SlotRows) -> Self {
        let classes = self.n_classes;
        let mut same_codes: HashMap<&[u32], Vec<(u32, i128)>> = HashMap::new();
        for class in 0..classes {
            for j in active.starts[class]..active.starts[class + 1] {
                let found = same_codes.entry(active.row(j)).or_default();
                let weight = i128::from(active.weights[j]);
                match found.last_mut().filter(|last| last.0 == class as u32) {
                    Some(last) => last.1 += weight,
                    None => found.push((class as u32, weight)),
                }
            }
        }
        for class in 0..classes {
            for i in columns.starts[class]..columns.starts[class + 1] {
                let weight = i128::from(columns.weights[i]);
                let mut cases = [0; 2];
                for (other, w) in same_codes.get(columns.row(i)).into_iter().flatten() {
                    cases[usize::from(*other != class as u32)] += weight * w;
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

    /// Whole weights by distance, 0 below the nearest pair.
    pub(super) fn weights(&mut self, shape: &PairSetting, nearest: usize) -> Vec<u32> {
        let largest = shape.weight(nearest);
        self.unit = largest / ONE;
        let whole = |d: usize| match d {
            d if d < nearest || largest == 0.0 => 0,
            d => (shape.weight(d) / largest * ONE).round() as u32,
        };
        (0..self.offsets.len()).map(|d| if d == 0 { 0 } else { whole(d) }).collect()
    }

    /// Sums from counts of the same pairs; the nearest pair is at distance 1 if `flat`, else looked
    /// for.
    pub(super) fn of_counts(
        mut self,
        counts: &PairCounts,
        shape: &PairSetting,
        flat: bool,
    ) -> Self {
        let d = counts.distances();
        let live = |x: &usize| counts.feature(0).iter().skip(*x).step_by(d).any(|&c| c > 0);
        let nearest = if flat { 1 } else { (1..d).find(live).unwrap_or(d - 1) };
        let table = self.weights(shape, nearest);
        for (sum, by_distance) in self.sums.iter_mut().zip(counts.cells.chunks_exact(d)) {
            let weighed =
                by_distance.iter().zip(&table).map(|(&count, &w)| count as u128 * u128::from(w));
            *sum = weighed.sum();
        }
        for (zero, cases) in self.zero.chunks_exact_mut(2).zip(counts.cells.chunks_exact(4 * d)) {
            (zero[0], zero[1]) = (i128::from(cases[0]), i128::from(cases[d]));
        }
        self
    }

    /// Cases 3 and 4 are the totals less cases 1 and 2; the totals of each class must be the same
    /// for every feature.
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

    /// Number of features.
    pub fn features(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.n_classes
    }

    /// Number of values of a feature.
    pub fn values(&self, feature: usize) -> usize {
        (self.offsets[feature + 1] - self.offsets[feature]) as usize
    }

    /// Weight of a sum of one: 2^-24 of the largest weight of a pair of different rows.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Whole sums of a feature, `[value][class][case]`.
    pub fn feature(&self, feature: usize) -> &[u128] {
        let size = self.n_classes * 4;
        &self.sums[self.offsets[feature] as usize * size..self.offsets[feature + 1] as usize * size]
    }

    /// Ordered pairs at distance 0 of a feature, `[value][class][same class, other class]`.
    pub fn at_distance_zero(&self, feature: usize) -> &[i128] {
        let size = self.n_classes * 2;
        &self.zero[self.offsets[feature] as usize * size..self.offsets[feature + 1] as usize * size]
    }

    /// The sums of pairs that weigh `scale` each.
    pub fn scaled(self, scale: f64) -> Self {
        Self { scale, ..self }
    }

    /// `R[slot][class][case]`, slots being all values of all features in order.
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

    /// R over all rows, `[class][case]`; cases 3 and 4 are zero, as in the paper's eq. 12.
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

    /// By case before theta, each value times `share` of it.
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

    /// `sum of signs[case] theta[case] R[case]`, each value times `share` of it.
    fn score(&self, feature: usize, signs: [f64; 4], share: impl Fn(usize) -> u64) -> f64 {
        let cases = self.cases(feature, share);
        (0..4).map(|case| signs[case] * self.theta[case] * cases[case]).sum()
    }

    fn scores(&self, signs: [f64; 4]) -> Vec<f64> {
        (0..self.features()).map(|k| self.score(k, signs, |_| 1)).collect()
    }

    /// As [`Profile::pi`](super::Profile::pi).
    pub fn pi(&self) -> Vec<f64> {
        let rows = self.rows.max(1) as f64;
        let score = |k| self.score(k, FOR_AND_AGAINST, |slot| self.of_slot[slot]) / rows;
        (0..self.features()).map(score).collect()
    }

    /// As [`Profile::pi_unweighted`](super::Profile::pi_unweighted).
    pub fn pi_unweighted(&self) -> Vec<f64> {
        self.scores(FOR_AND_AGAINST)
    }

    /// As [`Profile::contextual_merit`](super::Profile::contextual_merit).
    pub fn contextual_merit(&self) -> Vec<f64> {
        self.scores([0.0, 0.0, 0.0, 1.0])
    }

    /// As [`Profile::relief`](super::Profile::relief), with a threshold the same to the last bit:
    /// all weights are 0 or 1.
    pub fn relief(&self) -> Vec<f64> {
        self.scores([0.0, 0.0, -1.0, 1.0])
    }

    /// As [`Profile::whole`](super::Profile::whole).
    pub fn whole(&self) -> f64 {
        let r = self.cases(0, |_| 1);
        self.theta[0] * (r[0] + r[2]) - self.theta[1] * (r[1] + r[3])
    }
}

/// Cases 1 and 4 speak for a feature, 2 and 3 against it.
const FOR_AND_AGAINST: [f64; 4] = [1.0, -1.0, -1.0, 1.0];
