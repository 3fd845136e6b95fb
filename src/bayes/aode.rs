//! Averaged one-dependence estimators (Webb, Boughton & Wang, Machine Learning 58, 2005).
//!
//! Each feature i whose value x_i has at least `limit` weight in training is made the parent of all
//! others: `P(c, x) ~ sum_i P(c, x_i) prod_{j != i} P(x_j | c, x_i)`. Without such a feature the
//! classifier is naive Bayes. By Laplace's rule `P(c, x_i) = (n(c, x_i) + 1) / (n_i + k v_i)` and
//! `P(x_j | c, x_i) = (n(c, x_i, x_j) + 1) / (n_j(c, x_i) + v_j)`, with v_i values of feature i,
//! n_i rows in which it is known, and n_j(c, x_i) rows of (c, x_i) in which j is known. A missing
//! feature is neither parent nor child.
//!
//! Cost: features^2 * classes terms per predicted row. That is too much for many features; features
//! with more levels than the rows can fill are estimated badly.

use super::counts::{check_pairs_size, pair_index, pair_tables, single_table};
use super::input::RowCells;
use super::naive::value_logs;
use super::{Input, Smoothing};
use crate::error::{Error, Result};
use crate::parallel::Control;
use serde::{Deserialize, Serialize};

/// The classifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Aode {
    #[serde(deserialize_with = "crate::json::via_value")]
    smoothing: Smoothing,
    /// Least training weight of a value that may be a parent.
    pub limit: f64,
    /// Weight of each (value, class) by feature, the missing value last.
    pub(super) singles: Vec<Vec<f64>>,
    /// Weight of each (value of i, value of j, class) by pair i < j, missing values last.
    #[serde(deserialize_with = "crate::json::column")]
    pub(super) pairs: Vec<Vec<f64>>,
    #[serde(skip)]
    derived: AodeTables,
}

/// Tables of logarithms, derived from the counts.
#[derive(Debug, Clone, PartialEq, Default)]
struct AodeTables {
    /// Number of values of each feature.
    arities: Vec<usize>,
    /// `log P(class)`.
    log_prior: Vec<f64>,
    /// `log P(value | class)` by feature, zeros for a missing value.
    naive: Vec<Vec<f64>>,
    /// `log P(class, value)` by feature, without the missing value.
    joint: Vec<Vec<f64>>,
    /// Whether each value may be a parent, by feature; never the missing one.
    eligible: Vec<Vec<bool>>,
    /// `log P(j = b | class, i = a)` at `[i * p + j][(a * (v_j + 1) + b) * classes + class]`.
    given: Vec<Vec<f64>>,
}

impl Aode {
    /// Count all pairs of features.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a `limit` out of range, [`Error::Data`] for too large tables,
    /// [`Error::Cancelled`].
    pub fn fit(input: &Input, smoothing: Smoothing, limit: f64, control: &Control) -> Result<Self> {
        if !(limit >= 0.0 && limit.is_finite()) {
            return Err(Error::parameter("frequency_limit", limit, "must be a number >= 0"));
        }
        let p = input.features();
        let arities: Vec<usize> = (0..p).map(|j| input.arity(j)).collect();
        check_pairs_size(&arities, input.n_classes())?;
        let pairs = pair_tables(input, control, |_, _, table| Ok(table.cells))?;
        let singles = (0..p).map(|j| single_table(input, j)).collect();
        let mut model = Self { smoothing, limit, singles, pairs, derived: AodeTables::default() };
        model.restore(&arities, &input.class_counts, control)?;
        Ok(model)
    }

    /// Check all sizes, and make the tables of logarithms.
    pub(super) fn restore(
        &mut self,
        arities: &[usize],
        class_counts: &[f64],
        control: &Control,
    ) -> Result<()> {
        let (p, k) = (arities.len(), class_counts.len());
        let right = self.singles.len() == p
            && self.singles.iter().zip(arities).all(|(t, v)| t.len() == (v + 1) * k)
            && self.pairs.len() == p * p.saturating_sub(1) / 2
            && (0..p).all(|i| {
                (i + 1..p).all(|j| {
                    self.pairs[pair_index(p, i, j)].len() == (arities[i] + 1) * (arities[j] + 1) * k
                })
            });
        if !right {
            return Err(Error::Model("sizes of an AODE model differ".into()));
        }
        self.smoothing.check()?;
        let s = self.smoothing;
        let total: f64 = class_counts.iter().sum();
        let mut d = AodeTables {
            arities: arities.to_vec(),
            log_prior: class_counts.iter().map(|&c| s.log(c, total, k)).collect(),
            ..AodeTables::default()
        };
        // of single features
        for (table, &v) in self.singles.iter().zip(arities) {
            let known: f64 = table[..v * k].iter().sum();
            d.naive.push(value_logs(table, v, k, s));
            d.joint.push(table[..v * k].iter().map(|&n| s.log(n, known, v * k)).collect());
            let weight = |a: usize| table[a * k..(a + 1) * k].iter().sum::<f64>();
            d.eligible.push((0..=v).map(|a| a < v && weight(a) >= self.limit).collect());
        }
        // of pairs, both given the first feature and given the second
        d.given = vec![Vec::new(); p * p];
        for i in 0..p {
            control.check()?;
            for j in i + 1..p {
                let cells = &self.pairs[pair_index(p, i, j)];
                let (u, v) = (arities[i], arities[j]);
                let mut forth = Vec::with_capacity(cells.len());
                for block in cells.chunks_exact((v + 1) * k).take(u) {
                    forth.extend(value_logs(block, v, k, s));
                }
                let mut back = Vec::with_capacity(cells.len());
                for b in 0..v {
                    let mut block = Vec::with_capacity((u + 1) * k);
                    for a in 0..=u {
                        block.extend_from_slice(&cells[(a * (v + 1) + b) * k..][..k]);
                    }
                    back.extend(value_logs(&block, u, k, s));
                }
                d.given[i * p + j] = forth;
                d.given[j * p + i] = back;
            }
        }
        self.derived = d;
        Ok(())
    }

    /// Logarithm of the joint probability of each class and the row: the mean over the parents.
    pub(crate) fn log_joint(&self, cells: &RowCells, out: &mut [f64], scratch: &mut Vec<f64>) {
        let k = out.len();
        let d = &self.derived;
        let p = d.arities.len();
        // a block of `scratch` per parent: log P(c, x_i) plus log P(x_j | c, x_i) of all children j
        scratch.clear();
        for i in 0..p {
            let a = cells.codes[i];
            if !d.eligible[i][a] {
                continue;
            }
            let at = scratch.len();
            scratch.extend_from_slice(&d.joint[i][a * k..(a + 1) * k]);
            let own = &mut scratch[at..];
            for j in (0..p).filter(|&j| j != i) {
                let row = &d.given[i * p + j][(a * (d.arities[j] + 1) + cells.codes[j]) * k..][..k];
                own.iter_mut().zip(row).for_each(|(o, l)| *o += l);
            }
        }
        // no parent: naive Bayes
        if scratch.is_empty() {
            out.copy_from_slice(&d.log_prior);
            for (j, logs) in d.naive.iter().enumerate() {
                let row = &logs[cells.codes[j] * k..][..k];
                out.iter_mut().zip(row).for_each(|(o, l)| *o += l);
            }
            return;
        }
        // logarithm of the mean over the blocks, relative to the largest term
        let top = scratch.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if top == f64::NEG_INFINITY {
            out.fill(top); // all probabilities underflow
            return;
        }
        out.fill(0.0);
        for own in scratch.chunks_exact(k) {
            out.iter_mut().zip(own).for_each(|(o, l)| *o += (l - top).exp());
        }
        let parents = (scratch.len() / k) as f64;
        out.iter_mut().for_each(|o| *o = top + (*o / parents).ln());
    }
}
