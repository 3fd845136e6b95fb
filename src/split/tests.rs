//! Tests of the scans that score cuts from running sums: on random nodes they must find the same
//! best thresholds as a scan that scores every candidate from its contingency table.

use super::multiway::Minimum;
use super::sink::{BestOfEach, BestOfFeature, CandidateBlock, Sink};
use super::threshold::{self, ClassOf, Scan};
use super::{BlockScratch, short};
use crate::criteria::{Context, Criterion, GainRatio, Gini, InfoGain};
use crate::data::pack_entry;
use crate::error::Result;
use crate::numeric::{Ties, mix};
use crate::stats::RowCopies;

/// A sink that offers no running scores, so that every candidate is scored from its table.
struct FromTables<'a>(BestOfEach<'a>);

impl Sink for FromTables<'_> {
    fn take(&mut self, block: &CandidateBlock<'_>) -> Result<()> {
        self.0.take(block)
    }
    fn wants_best(&self) -> bool {
        true
    }
}

/// Random rows of several classes, sorted by class, and a random setting of the search.
struct RandomNode {
    seed: u64,
    /// Class of each row.
    codes: Vec<u16>,
    /// First row of the classes 1, 2, ...
    starts: Vec<u32>,
    /// Number of rows of each class.
    known: Vec<u32>,
    /// Values of a feature are below this.
    values: u64,
    ties: Ties,
    winner_only: bool,
    min_rows: usize,
    convex: bool,
}

impl RandomNode {
    /// A node of `rows` rows of at most `classes` classes.
    fn new(seed: u64, rows: u64, classes: u64) -> Self {
        let draw = |i: u64, below: u64| mix(seed, i) % below;
        let mut codes: Vec<u16> = (0..rows).map(|r| draw(10_000 + r, classes) as u16).collect();
        codes.sort_unstable();
        let start = |class: u64| codes.partition_point(|&c| u64::from(c) < class) as u32;
        let starts = (1..classes).map(start).collect();
        let mut known = vec![0; classes as usize];
        codes.iter().for_each(|&c| known[usize::from(c)] += 1);
        let n = rows as usize;
        Self {
            seed,
            codes,
            starts,
            known,
            // Many ties, some ties, or none.
            values: [3, 50, u64::MAX][draw(3, 3) as usize],
            ties: [Ties::First, Ties::Row][draw(4, 2) as usize],
            winner_only: draw(5, 2) == 0,
            min_rows: [1, 1, 2 + n / 50, n / 3][draw(6, 4) as usize],
            convex: draw(7, 4) > 0,
        }
    }

    /// The sorted rows of a feature. The values of odd features depend on the class, the values of
    /// even features are noise.
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

    fn scan<'a>(&'a self, feature: u64, order: &'a [u32]) -> Scan<'a, RowCopies<'a>> {
        Scan {
            feature: feature as u32,
            order,
            known: &self.known,
            totals: &self.known,
            class_of: ClassOf { codes: &self.codes, starts: &self.starts },
            weights: RowCopies(None),
            min: Minimum { rows: self.min_rows as u32, weight: 0.0, copies: true },
            convex: self.convex,
            steps: &[],
            packed: &[],
        }
    }

    /// Assert that `score` finds the same best thresholds of five features as tables do, to the
    /// bit. Returns how many features have a threshold.
    fn compare(
        &self,
        criterion: &dyn Criterion,
        mut score: impl FnMut(&Scan<'_, RowCopies<'_>>, &Context, &mut BestOfEach<'_>),
    ) -> usize {
        // Both ways, feature by feature.
        let context = Context::new(self.known.len(), self.codes.len() as u64);
        let mut found = BestOfEach::new(criterion, self.ties, self.winner_only);
        let expected = BestOfEach::new(criterion, self.ties, self.winner_only);
        let (mut expected, mut scratch) = (FromTables(expected), BlockScratch::default());
        for feature in 0..5 {
            let order = self.order(feature);
            let scan = self.scan(feature, &order);
            score(&scan, &context, &mut found);
            threshold::score_candidates(&scan, &context, &mut scratch, &mut expected).unwrap();
        }
        let (found, expected) = (found.features, expected.0.features);
        // The winner must be the same. With `winner_only` other features may be left out.
        assert_eq!(winner(&found).map(bits), winner(&expected).map(bits), "seed {}", self.seed);
        if !self.winner_only {
            let all = |found: &[BestOfFeature]| found.iter().map(bits).collect::<Vec<_>>();
            assert_eq!(all(&found), all(&expected), "seed {}", self.seed);
        }
        found.len()
    }
}

/// The first feature with the largest score.
fn winner(found: &[BestOfFeature]) -> Option<&BestOfFeature> {
    let best = found.iter().fold(f64::NEG_INFINITY, |best, s| best.max(s.score));
    found.iter().find(|s| s.score == best)
}

/// Feature, candidate, score and tied candidates in a form that compares bit by bit.
fn bits(found: &BestOfFeature) -> (u32, u32, u64, Vec<u32>) {
    (found.feature, found.at, found.score.to_bits(), found.tied.clone())
}

/// One of the criteria that are scored from running sums.
fn criterion(seed: u64) -> Box<dyn Criterion> {
    match seed % 3 {
        0 => Box::new(Gini),
        1 => Box::new(InfoGain),
        _ => Box::new(GainRatio::default()),
    }
}

#[test]
fn running_sums_find_what_tables_find_to_the_bit() {
    let compare = |seed: u64| {
        let rows = 2 + mix(seed, 1) % 900;
        let classes = 4 + mix(seed, 2) % [3, 40, 200][seed as usize % 3];
        let mut scratch = BlockScratch::default();
        let node = RandomNode::new(seed, rows, classes);
        node.compare(&*criterion(seed / 3), |scan, context, best| {
            threshold::score_candidates(scan, context, &mut scratch, best).unwrap();
        })
    };
    let found: usize = (0..900).map(compare).sum();
    assert!(found > 1500, "{found} features had a threshold");
}

#[test]
fn bytes_find_what_tables_find_to_the_bit() {
    let compare = |seed: u64| {
        let rows = 2 + mix(seed, 1) % 63;
        let classes = 2 + mix(seed, 2) % [1, 5, 80][seed as usize % 3];
        let node = RandomNode::new(seed, rows, classes);
        let criterion = criterion(seed / 3);
        let how = criterion.running_scores().unwrap();
        let facts = short::tests::facts(&node.codes);
        let mut scratch = short::ShortScratch::default();
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
