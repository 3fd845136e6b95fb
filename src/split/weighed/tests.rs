//! Tests that bounds on boxes change no result, and that they save most candidates.

use super::*;
use crate::criteria::{Tables, make};
use crate::data::pack_entry;
use crate::numeric::{Ties, mix};
use crate::simd::columns::weighed_steps;
use crate::split::multiway::Minimum;
use crate::split::sink::{BestOfEach, Scored};
use crate::split::threshold::{self, ClassOf};
use crate::stats::FixedWeights;

const UNIT: f64 = 1.0 / (1u64 << 40) as f64;

/// Keeps the best of each feature, and counts the candidates that it is given.
struct Counting<'a> {
    best: BestOfEach<'a>,
    given: usize,
}

impl Sink for Counting<'_> {
    fn take(&mut self, block: &super::super::CandidateBlock<'_>) -> Result<()> {
        self.given += block.tables.len;
        self.best.take(block)
    }
    fn wants_best(&self) -> bool {
        self.best.wants_best()
    }
    fn quick(&self, tables: &Tables<'_>, out: &mut [f64]) -> Option<f64> {
        self.best.quick(tables, out)
    }
    fn floor(&self) -> f64 {
        self.best.floor()
    }
}

/// Random weighted rows of two classes, three quarters of them with a known value.
struct Case {
    /// The sorted rows with a known value.
    order: Vec<u32>,
    /// Class of each row.
    codes: Vec<u16>,
    /// Weight of each row, in units.
    weights: Vec<i64>,
    /// First row of class 1.
    start: u32,
    min: Minimum,
}

impl Case {
    fn new(seed: u64) -> Self {
        let n = 2 + mix(seed, 1) as usize % 700;
        let start = mix(seed, 2) % (n as u64 + 1);
        let values = [3, 40, u64::MAX][seed as usize % 3];
        // How far the values of class 1 are moved.
        let signal = [0, 1 << 20, 1 << 62][mix(seed, 3) as usize % 3];
        let value = |r: u64| {
            (mix(seed + 77, r) >> 2).wrapping_add(if r < start { 0 } else { signal }) % values
        };
        let mut rows: Vec<u64> =
            (0..n as u64).filter(|&r| !mix(seed + 5, r).is_multiple_of(4)).collect();
        rows.sort_by_key(|&r| (value(r), r));
        let tied = |i: usize| i > 0 && value(rows[i]) == value(rows[i - 1]);
        let order = (0..rows.len()).map(|i| pack_entry(rows[i] as u32, tied(i))).collect();
        let weights =
            (0..n as u64).map(|r| 1 + (mix(seed + 9, r) >> (24 + mix(seed, r) % 20)) as i64);
        let weight = [0.0, 1.0 - 1e-9, 20.0][mix(seed, 4) as usize % 3];
        Self {
            order,
            codes: (0..n as u64).map(|r| u16::from(r >= start)).collect(),
            weights: weights.collect(),
            start: start as u32,
            min: Minimum { rows: 1 + mix(seed, 6) as u32 % 3, weight, copies: false },
        }
    }

    /// Class sums of some entries.
    fn sums(&self, entries: &[u32]) -> [i64; 2] {
        let mut sums = [0; 2];
        for &e in entries {
            let row = entry_row(e) as usize;
            sums[usize::from(self.codes[row])] += self.weights[row];
        }
        sums
    }

    /// The best candidates, and how many were scored.
    fn run(&self, name: &str, bounded: bool, ties: Ties, floor: f64) -> (Vec<Scored>, usize) {
        let criterion = make(name, Default::default()).unwrap();
        let context = Context::new(2, 10_000);
        let (starts, mut steps) = ([self.start], Vec::new());
        if bounded {
            weighed_steps(Level::active(), &self.order, &self.weights, &starts, &mut steps);
        }
        let known = self.sums(&self.order);
        let scan = Scan {
            feature: 3,
            order: &self.order,
            known: &known,
            totals: &known,
            class_of: ClassOf { codes: &self.codes, starts: &starts },
            weights: FixedWeights { values: &self.weights, unit: UNIT, copies: false },
            min: self.min,
            convex: criterion.info().convex,
            steps: &steps,
            packed: &[],
        };
        let mut best = BestOfEach::new(criterion.as_ref(), ties, false);
        best.above(floor);
        let mut sink = Counting { best, given: 0 };
        threshold::score_candidates(&scan, &context, &mut BlockScratch::default(), &mut sink)
            .unwrap();
        (sink.best.features, sink.given)
    }

    /// The first place with the largest score, and that score, from the tables of all places.
    fn truth(&self, name: &str) -> Option<(u32, f64)> {
        let criterion = make(name, Default::default()).unwrap();
        let (context, known) = (Context::new(2, 10_000), self.sums(&self.order));
        let value = |units: i64| units as f64 * UNIT;
        let mut best: Option<(u32, f64)> = None;
        for i in 1..self.order.len() {
            let left = self.sums(&self.order[..i]);
            let right = [0, 1].map(|c| known[c] - left[c]);
            let least = |side: [i64; 2], rows: usize| {
                value(side[0] + side[1]) >= self.min.weight && rows >= self.min.rows as usize
            };
            if self.order[i] & 1 == 1 || !least(left, i) || !least(right, self.order.len() - i) {
                continue;
            }
            let (cells, totals) = ([left, right].concat(), known);
            let (cells, totals): (Vec<f64>, Vec<f64>) =
                (cells.into_iter().map(value).collect(), totals.into_iter().map(value).collect());
            let score = criterion.score_of(&Tables::one(&cells, &totals, &[2], &context)).unwrap();
            if best.is_none_or(|b| score > b.1) {
                best = Some((i as u32, score));
            }
        }
        best
    }
}

#[test]
fn bounds_change_nothing() {
    let (mut given, mut all) = (0, 0);
    for seed in 0..400 {
        let case = Case::new(seed);
        for name in ["info_gain", "gini", "gain_ratio"] {
            for ties in [Ties::First, Ties::Row, Ties::Random] {
                let (expected, without_bounds) = case.run(name, false, ties, f64::NEG_INFINITY);
                let (got, with_bounds) = case.run(name, true, ties, f64::NEG_INFINITY);
                assert_eq!(got, expected, "{name} {seed}");
                (given, all) = (given + with_bounds, all + without_bounds);
            }
            let (best, _) = case.run(name, true, Ties::First, f64::NEG_INFINITY);
            let best = best.first().map(|b| (b.at, b.score));
            // Where all scores are rounding, one inside a run may seem larger.
            let truth = case.truth(name);
            if truth.is_none_or(|t| t.1 > 1e-12) {
                assert_eq!(best, truth, "{name} {seed}");
            }
            // A floor below the best score changes nothing; above it nothing needs to be found.
            for share in [0.5, 1.0 - 1e-9, 1.0, 1.0 + 1e-9, 2.0] {
                let Some((at, score)) = best.filter(|b| b.1 > 1e-9) else { continue };
                let (found, _) = case.run(name, true, Ties::First, score * share);
                let found = found.first().map(|b| (b.at, b.score));
                match share > 1.0 {
                    false => assert_eq!(found, Some((at, score)), "{name} {seed}"),
                    true => assert!(found.is_none_or(|f| f.1 <= score), "{name} {seed}"),
                }
            }
        }
    }
    assert!(3 * given < all, "{given} of {all} candidates");
}

#[test]
fn a_feature_that_cannot_win_is_not_looked_at() {
    let case = (0..).map(Case::new).find(|c| c.order.len() > 300 && c.start > 100).unwrap();
    for name in ["info_gain", "gini"] {
        assert_eq!(case.run(name, true, Ties::First, 0.999).1, 0, "{name}");
    }
}
