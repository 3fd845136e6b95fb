//! Tests only: random nodes, and the best thresholds of their features found from tables, the truth
//! that quicker scans are compared with.

use super::multiway::Minimum;
use super::sink::{BestOfEach, CandidateBlock, Scored, Sink};
use super::threshold::{self, ClassOf, Scan};
use super::{BlockScratch, short};
use crate::criteria::{Context, Criterion, GainRatio, Gini, InfoGain};
use crate::data::pack_entry;
use crate::error::Result;
use crate::numeric::{Ties, mix};
use crate::stats::UnitWeights;

/// Offers no running scores, so that every candidate is scored from its table.
struct Tabled<'a>(BestOfEach<'a>);

impl Sink for Tabled<'_> {
    fn take(&mut self, block: &CandidateBlock<'_>) -> Result<()> {
        self.0.take(block)
    }
    fn wants_best(&self) -> bool {
        true
    }
}

/// Rows of several classes, sorted by class, and how their best threshold is asked for.
pub struct Node {
    seed: u64,
    pub codes: Vec<u16>,
    starts: Vec<u32>,
    pub known: Vec<u32>,
    values: u64,
    ties: Ties,
    winner_only: bool,
    pub min_rows: usize,
    pub convex: bool,
}

impl Node {
    pub fn new(seed: u64, (n, k): (u64, u64)) -> Self {
        let draw = |i: u64, most: u64| mix(seed, i) % most;
        let mut codes: Vec<u16> = (0..n).map(|r| draw(10_000 + r, k) as u16).collect();
        codes.sort_unstable();
        let starts = (1..k).map(|c| codes.partition_point(|&x| u64::from(x) < c) as u32).collect();
        let mut known = vec![0; k as usize];
        codes.iter().for_each(|&c| known[usize::from(c)] += 1);
        Self {
            seed,
            codes,
            starts,
            known,
            values: [3, 50, u64::MAX][draw(3, 3) as usize],
            ties: [Ties::First, Ties::Row][draw(4, 2) as usize],
            winner_only: draw(5, 2) == 0,
            min_rows: [1, 1, 2 + n as usize / 50, n as usize / 3][draw(6, 4) as usize],
            convex: draw(7, 4) > 0,
        }
    }

    /// The order of a feature: values of odd features depend on the class, others are noise.
    fn order(&self, feature: u64) -> Vec<u32> {
        let value = |r: u64| {
            let noise = mix(self.seed + feature, r) >> 3;
            let signal = (u64::from(self.codes[r as usize]) << 58) * (feature % 2);
            noise.wrapping_add(signal) % self.values
        };
        let mut rows: Vec<u64> = (0..self.codes.len() as u64).collect();
        rows.sort_by_key(|&r| (value(r), r));
        let tied = |i: usize| i > 0 && value(rows[i]) == value(rows[i - 1]);
        (0..rows.len()).map(|i| pack_entry(rows[i] as u32, tied(i))).collect()
    }

    fn scan<'a>(&'a self, feature: u64, order: &'a [u32]) -> Scan<'a, UnitWeights> {
        Scan {
            feature: feature as u32,
            order,
            known: &self.known,
            totals: &self.known,
            class_of: ClassOf { codes: &self.codes, starts: &self.starts },
            weights: UnitWeights,
            min: Minimum { rows: self.min_rows as u32, weight: 0.0, copies: true },
            convex: self.convex,
            steps: &[],
        }
    }

    /// Compare the best of each feature as `score` finds them with what tables say, to the bit;
    /// returns how many features have one.
    pub fn compare(
        &self,
        criterion: &dyn Criterion,
        mut score: impl FnMut(&Scan<'_, UnitWeights>, &Context, &mut BestOfEach<'_>),
    ) -> usize {
        let context = Context::new(self.known.len(), self.codes.len() as u64);
        let best = || BestOfEach::new(criterion, self.ties, self.winner_only);
        let (mut found, mut tables, mut scratch) =
            (best(), Tabled(best()), BlockScratch::default());
        for feature in 0..5 {
            let order = self.order(feature);
            let scan = self.scan(feature, &order);
            score(&scan, &context, &mut found);
            threshold::score_candidates(&scan, &context, &mut scratch, &mut tables).unwrap();
        }
        let bits = |found: &[Scored]| -> Vec<(u32, u32, u64, Vec<u32>)> {
            found.iter().map(|s| (s.feature, s.at, s.score.to_bits(), s.tied.clone())).collect()
        };
        // Where the winner alone is asked for, others may be left out.
        let winner = |found: &[Scored]| {
            let best = found.iter().fold(f64::NEG_INFINITY, |a, s| a.max(s.score));
            bits(&found.iter().filter(|s| s.score == best).take(1).cloned().collect::<Vec<_>>())
        };
        let (found, tables) = (found.features, tables.0.features);
        assert_eq!(winner(&found), winner(&tables), "seed {}", self.seed);
        if !self.winner_only {
            assert_eq!(bits(&found), bits(&tables), "seed {}", self.seed);
        }
        found.len()
    }
}

/// A criterion that is scored from running sums.
pub fn criterion(seed: u64) -> Box<dyn Criterion> {
    match seed % 3 {
        0 => Box::new(Gini::default()),
        1 => Box::new(InfoGain::default()),
        _ => Box::new(GainRatio::default()),
    }
}

#[test]
fn running_sums_find_what_tables_find_to_the_bit() {
    let compare = |seed: u64| {
        let (n, k) = (2 + mix(seed, 1) % 900, 4 + mix(seed, 2) % [3, 40, 200][seed as usize % 3]);
        let mut scratch = BlockScratch::default();
        Node::new(seed, (n, k)).compare(&*criterion(seed / 3), |scan, context, best| {
            threshold::score_candidates(scan, context, &mut scratch, best).unwrap();
        })
    };
    let found: usize = (0..900).map(compare).sum();
    assert!(found > 1500, "{found} features had a threshold");
}

#[test]
fn bytes_find_what_tables_find_to_the_bit() {
    let compare = |seed: u64| {
        let (n, k) = (2 + mix(seed, 1) % 63, 2 + mix(seed, 2) % [1, 5, 80][seed as usize % 3]);
        let (node, criterion) = (Node::new(seed, (n, k)), criterion(seed / 3));
        let facts = short::tests::facts(&node.codes);
        let (how, mut scratch) = (criterion.running_scores().unwrap(), Default::default());
        node.compare(&*criterion, |scan, context, best| {
            let (order, tied) = short::tests::bytes(scan.order);
            let scan = short::ShortScan {
                feature: scan.feature,
                order: &order,
                tied,
                facts: &facts,
                min_rows: node.min_rows.max(1),
                convex: node.convex,
            };
            short::score_candidates(&scan, context, how, &mut scratch, best).unwrap();
        })
    };
    let found: usize = (0..2400).map(compare).sum();
    assert!(found > 4000, "{found} features had a threshold");
}
