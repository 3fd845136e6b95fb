//! Counts against the naive double loop, on random small tables, for every level, thread count and
//! division into blocks.

use super::exact::count;
use super::input::SlotRows;
use super::naive;
use super::{
    Classes, CodeColumn, CodeTable, CodeValues, NodePass, Numbering, PairNodeRows, RadiusRule,
    default_radius, pair_counts, pair_counts_by_block,
};
use crate::memory::Budget;
use crate::numeric::{mix, uniform};
use crate::parallel::Control;
use crate::simd::{Kernels, Level};
use crate::stats::contingency::{CodedRows, TableLayout};

/// A random table of nominal columns.
#[derive(Debug)]
pub(super) struct Random {
    /// Codes of each column.
    pub columns: Vec<Vec<u16>>,
    /// Number of values of each column.
    pub levels: Vec<usize>,
    pub classes: Vec<u16>,
    pub n_classes: usize,
    pub weights: Option<Vec<u32>>,
}

/// Random numbers that depend on a seed and a counter alone.
pub(in crate::stats) struct CounterRng {
    seed: u64,
    counter: u64,
}

impl CounterRng {
    /// Numbers after position `counter` of the sequence of a seed. Tests that draw beside a random
    /// table of the same seed begin at a far counter.
    pub fn new(seed: u64, counter: u64) -> Self {
        Self { seed, counter }
    }

    /// The next number, uniform in `0..bound`. Every call advances the counter by one.
    pub fn below(&mut self, bound: usize) -> usize {
        self.counter += 1;
        uniform(mix(self.seed, self.counter), bound as u64) as usize
    }
}

impl Random {
    /// Up to `most_rows` rows and `most_features` features. The kinds of tables vary with the seed:
    /// few or many classes, binary features or up to 300 values, uniform or skewed values, copies
    /// of rows, weights.
    pub fn new(seed: u64, most_rows: usize, most_features: usize) -> Self {
        let mut draw = CounterRng::new(seed, 0);
        let rows = 1 + draw.below(most_rows);
        let features = 1 + draw.below(most_features);
        let most = [2, 3, 26][draw.below(3)];
        let n_classes = 1 + draw.below(most);
        let binary = draw.below(3) == 0;
        let distinct = if draw.below(3) == 0 { 1 + draw.below(rows) } else { rows };
        let mut columns = Vec::new();
        let mut levels = Vec::new();
        for _ in 0..features {
            let values = match draw.below(8) {
                0 => 1,
                1 => 1 + draw.below(300),
                _ if binary => 2,
                _ => 1 + draw.below(6),
            };
            // the least of several draws prefers small codes
            let skew = 1 + draw.below(4);
            let codes: Vec<u16> = (0..distinct)
                .map(|_| (0..skew).map(|_| draw.below(values)).min().unwrap_or(0) as u16)
                .collect();
            columns.push(codes);
            levels.push(values);
        }
        // Rows are copies of the distinct ones.
        let originals: Vec<usize> =
            (0..rows).map(|i| if distinct == rows { i } else { draw.below(distinct) }).collect();
        let columns =
            columns.into_iter().map(|c| originals.iter().map(|&row| c[row]).collect()).collect();
        let classes =
            (0..rows).map(|_| draw.below(n_classes).min(draw.below(n_classes)) as u16).collect();
        let weights = (draw.below(3) == 0)
            .then(|| (0..rows).map(|_| draw.below(6) as u32 * draw.below(100) as u32).collect());
        Self { columns, levels, classes, n_classes, weights }
    }

    /// The table as the passes read it. Its columns are borrowed.
    pub fn codes(&self) -> CodeTable<'_> {
        let columns = self
            .columns
            .iter()
            .zip(&self.levels)
            .map(|(c, &levels)| CodeColumn { values: CodeValues::U16(c), levels })
            .collect();
        CodeTable::new(columns, &self.classes, self.n_classes, self.weights.as_deref()).unwrap()
    }
}

/// Every instruction set, with classes apart and together, must give the counts of the double loop.
fn check(random: &Random, seed: u64) {
    let codes = random.codes();
    let truth = naive::pair_counts(&codes, None, None).unwrap();
    truth.check_sums().unwrap();
    for level in Level::available() {
        let control = Control::new(1 + (seed % 8) as usize);
        let counts = pair_counts(&control, Kernels::at(level), &codes, None, None).unwrap();
        assert!(counts == truth, "seed {seed}, {}", level.name());
        let rows = SlotRows::gather(Budget::default(), &codes, None, &|_| 0).unwrap();
        let together =
            count(&control, Kernels::at(level), &rows, &rows, Classes::Together).unwrap();
        assert!(together == truth.together(), "seed {seed}, {}, classes together", level.name());
    }
}

#[test]
fn counts_are_those_of_the_double_loop() {
    for seed in 0..2000 {
        check(&Random::new(seed, 90, 12), seed);
    }
    // more features than a byte of planes holds, and rows of several words
    for seed in 2000..2012 {
        check(&Random::new(seed, 260, 70), seed);
    }
    // more than one tile on every level
    for seed in 3000..3008 {
        check(&Random::new(seed, 1300, 5), seed);
    }
}

#[test]
fn blocks_add_up_to_every_training_set() {
    for seed in 0..60 {
        let random = Random::new(seed, 600, 9);
        let codes = random.codes();
        let mut draw = CounterRng::new(seed, 1 << 33);
        let blocks = 1 + draw.below(6);
        let block: Vec<u16> = (0..codes.n_rows()).map(|_| draw.below(blocks) as u16).collect();
        let levels = Level::available();
        let kernels = Kernels::at(levels[draw.below(levels.len())]);
        let count = |classes| {
            pair_counts_by_block(&Control::new(2), kernels, &codes, &block, blocks, classes)
                .unwrap()
        };
        let (parts, together) = (count(Classes::Apart), count(Classes::Together));
        // The last number is no block, so nothing is left out.
        for left_out in 0..=blocks {
            let rows: Vec<u32> = (0..codes.n_rows())
                .filter(|&i| usize::from(block[i]) != left_out)
                .map(|i| i as u32)
                .collect();
            let truth = naive::pair_counts(&codes, Some(&rows), Some(&rows)).unwrap();
            assert!(parts.without(left_out).unwrap() == truth, "seed {seed}, without {left_out}");
            assert!(
                together.without(left_out).unwrap() == truth.together(),
                "seed {seed}, without {left_out}"
            );
        }
    }
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let classes = [0u16, 1];
    let column =
        |values: &'static [u8], levels| CodeColumn { values: CodeValues::U8(values), levels };
    assert!(CodeTable::new(vec![], &classes, 2, None).is_err());
    assert!(CodeTable::new(vec![column(&[0, 3], 3)], &classes, 2, None).is_err());
    assert!(CodeTable::new(vec![column(&[0], 3)], &classes, 2, None).is_err());
    assert!(CodeTable::new(vec![column(&[0, 1], 2)], &classes, 1, None).is_err());
    assert!(CodeTable::new(vec![column(&[0, 1], 2)], &classes, 2, Some(&[u32::MAX, 1])).is_err());
    let codes = CodeTable::new(vec![column(&[0, 1], 2)], &classes, 2, None).unwrap();
    let control = Control::new(1);
    assert!(pair_counts(&control, Kernels::active(), &codes, Some(&[2]), None).is_err());
}

#[test]
fn a_cancelled_pass_stops() {
    let random = Random::new(3000, 2500, 10);
    let control = Control::new(1);
    control.cancel();
    let r = pair_counts(&control, Kernels::active(), &random.codes(), None, None);
    assert_eq!(r, Err(crate::error::Error::Cancelled));
}

#[test]
fn seventy_thousand_rows_do_not_overflow() {
    // 4.9e9 ordered pairs: more than 32 bits hold; the sums of every feature are checked inside
    let rows = 70_000;
    let columns: Vec<Vec<u8>> =
        (0..18).map(|k| (0..rows).map(|i| uniform(mix(k, i), 2) as u8).collect()).collect();
    let classes: Vec<u16> = (0..rows).map(|i| uniform(mix(99, i), 2) as u16).collect();
    let columns =
        columns.iter().map(|c| CodeColumn { values: CodeValues::U8(c), levels: 2 }).collect();
    let codes = CodeTable::new(columns, &classes, 2, None).unwrap();
    let counts = pair_counts(&Control::new(2), Kernels::active(), &codes, None, None).unwrap();
    assert_eq!(counts.pairs(), 4_900_000_000);
    let uniform = super::PairSetting::new([1.0; 4], 0.0, super::Decay::Uniform).unwrap();
    let r = super::count_matrices(&counts, &uniform);
    let both: f64 = r[..16].iter().sum();
    assert_eq!(both, 4.9e9);
}

#[test]
fn the_radius_is_that_of_the_counts_with_and_without_columns_beyond_a_byte() {
    for seed in 0..8 {
        let mut draw = CounterRng::new(seed, 1 << 38);
        let (t, n) = (700 + draw.below(200), 2 + draw.below(6));
        let beyond = if seed % 2 == 0 { 400 } else { 5 };
        let arities: Vec<u32> =
            (0..n).map(|k| if k == 1 { beyond } else { 2 + draw.below(4) as u32 }).collect();
        let codes: Vec<u32> =
            (0..t * n).map(|c| draw.below(arities[c % n] as usize) as u32).collect();
        let classes: Vec<u16> = (0..t).map(|_| draw.below(2) as u16).collect();
        let rows: Vec<u32> = (0..t as u32).collect();
        let layout = TableLayout::new(&arities, 2);
        let packed = layout.pack(codes.iter().copied());
        let coded = CodedRows { codes: &packed, classes: &classes, rows: &rows };
        let copies = |row: u32| 1 + row % 3;
        let (budget, numbering) = (Budget::default(), &mut Numbering::default());
        let pass = NodePass::Sums { radius: true };
        let node =
            PairNodeRows::gather(budget, coded, &layout, 2, &copies, numbering, pass).unwrap();
        let columns: Vec<Vec<u16>> =
            (0..n).map(|k| codes.iter().skip(k).step_by(n).map(|&c| c as u16).collect()).collect();
        let weights: Vec<u32> = rows.iter().map(|&row| copies(row)).collect();
        let total = weights.iter().map(|&w| f64::from(w)).sum();
        let levels = arities.iter().map(|&a| a as usize).collect();
        let random = Random {
            columns,
            levels,
            classes: classes.clone(),
            n_classes: 2,
            weights: Some(weights),
        };
        let truth = default_radius(&naive::pair_counts(&random.codes(), None, None).unwrap());
        for threads in [1, 3] {
            let found = node.radius(&Control::new(threads), RadiusRule::for_copies(total)).unwrap();
            assert_eq!(found, truth, "seed {seed}, {threads} threads");
        }
    }
}
