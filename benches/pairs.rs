//! The exact and the fixed-weight pass on every level this machine has; answers are checked before
//! anything is timed.
//!
//! Criterion measures wall time; the summary at the end takes the least of several runs of the
//! calling thread alone and says so loudly when a higher level is slower than a lower one. Rates
//! are in pair-features a second, t (t - 1) / 2 * n.

mod made;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fasttree_core::numeric::{mix, uniform};
use fasttree_core::parallel::Control;
use fasttree_core::simd::{Kernels, Level};
use fasttree_core::stats::pairs::{
    CodeColumn, CodeTable, CodeValues, PairCounts, PairMetric, PairSetting, Profile, WeighedPairs,
    count_matrices, pair_counts, weigh_pairs,
};
use std::hint::black_box;
use std::time::Instant;

/// Rows, features, values, classes: tic-tac-toe, kr-vs-kp, mushroom and letter in size, and one
/// with many features.
const SHAPES: [(usize, usize, usize, usize); 5] =
    [(958, 9, 3, 2), (3196, 36, 2, 2), (8124, 22, 5, 2), (20_000, 16, 10, 26), (2000, 300, 3, 2)];

struct Data {
    columns: Vec<Vec<u8>>,
    classes: Vec<u16>,
    values: usize,
    n_classes: usize,
}

impl Data {
    fn new(rows: usize, features: usize, values: usize, n_classes: usize) -> Self {
        let cell = |i: usize, k: usize| uniform(mix(k as u64, i as u64), values as u64) as u8;
        Self {
            columns: (0..features).map(|k| (0..rows).map(|i| cell(i, k)).collect()).collect(),
            classes: (0..rows)
                .map(|i| uniform(mix(1 << 40, i as u64), n_classes as u64) as u16)
                .collect(),
            values,
            n_classes,
        }
    }

    fn codes(&self) -> CodeTable<'_> {
        let levels = self.values;
        let columns =
            self.columns.iter().map(|c| CodeColumn { values: CodeValues::U8(c), levels }).collect();
        CodeTable::new(columns, &self.classes, self.n_classes, None).expect("codes in range")
    }
}

fn count(level: Level, codes: &CodeTable<'_>) -> PairCounts {
    pair_counts(&Control::new(1), Kernels::at(level), codes, None, None).expect("not cancelled")
}

fn weigh(level: Level, codes: &CodeTable<'_>) -> WeighedPairs {
    weigh_pairs(&Control::new(1), Kernels::at(level), codes, &PairSetting::pi(), None)
        .expect("not cancelled")
}

/// The levels of this machine; the plain body, some hundred times slower, only where it ends in a
/// second or two.
fn levels(data: &Data) -> Vec<Level> {
    let (t, n) = (data.classes.len(), data.columns.len());
    let small = t * t * n < 1 << 29;
    Level::available().into_iter().filter(|&level| small || level != Level::Plain).collect()
}

/// All levels agree, and 40 random rows have the sums that a double loop over them and all others
/// gives.
fn check(data: &Data, codes: &CodeTable<'_>) {
    let levels = levels(data);
    let truth = count(levels[0], codes);
    truth.check_sums().expect("every pair once");
    assert!(levels[1..].iter().all(|&level| count(level, codes) == truth), "levels differ");
    let weighed = weigh(levels[0], codes);
    assert!(
        levels[1..].iter().all(|&level| weigh(level, codes) == weighed),
        "levels differ in fixed point"
    );
    let bound = truth.pairs() as f64 * weighed.unit / 2.0;
    let exact = count_matrices(&truth, &PairSetting::pi());
    assert!(
        exact.iter().zip(weighed.matrices()).all(|(e, w)| (e - w).abs() <= bound),
        "fixed point is off"
    );
    let some: Vec<u32> =
        (0..40).map(|s| uniform(mix(7, s), data.classes.len() as u64) as u32).collect();
    let control = Control::new(1);
    let part =
        pair_counts(&control, Kernels::active(), codes, Some(&some), None).expect("not cancelled");
    let mut near = vec![0i64; part.distances()];
    for &i in &some {
        for j in 0..data.classes.len() {
            near[data.columns.iter().filter(|c| c[i as usize] != c[j]).count()] += 1;
        }
    }
    let root = part.root();
    let by_distance = |d: usize| root.chunks_exact(part.distances()).map(|r| r[d]).sum::<i64>();
    assert!(
        near.iter().enumerate().all(|(d, &n)| n == by_distance(d)),
        "distances differ from the double loop"
    );
}

fn least<R>(times: usize, mut f: impl FnMut() -> R) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..times {
        let start = Instant::now();
        black_box(f());
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

fn exact(c: &mut Criterion) {
    for (rows, features, values, classes) in SHAPES {
        let data = Data::new(rows, features, values, classes);
        let codes = data.codes();
        check(&data, &codes);
        let pairs = (rows * (rows - 1) / 2 * features) as u64;
        let mut group = c.benchmark_group(format!("pairs {rows}x{features}"));
        group.sample_size(10).throughput(Throughput::Elements(pairs));
        let mut before: Option<(Level, f64)> = None;
        for level in levels(&data) {
            if level == Level::active() {
                group.bench_function(BenchmarkId::from_parameter(level.name()), |b| {
                    b.iter(|| count(level, &codes))
                });
            }
            let time = least(if level == Level::Plain { 1 } else { 3 }, || count(level, &codes));
            let fixed = least(if level == Level::Plain { 1 } else { 3 }, || weigh(level, &codes));
            println!(
                "{rows}x{features} {:9} {:9.3} ms {:7.2} Gpf/s, fixed {:9.3} ms {:7.2} Gpf/s",
                level.name(),
                time * 1e3,
                pairs as f64 / time * 1e-9,
                fixed * 1e3,
                pairs as f64 / fixed * 1e-9
            );
            if let Some((lower, faster)) = before.filter(|(_, t)| *t < time) {
                println!(
                    "!!! {} IS SLOWER THAN {}: {:.3} ms against {:.3} ms",
                    level.name(),
                    lower.name(),
                    time * 1e3,
                    faster * 1e3
                );
            }
            before = Some((level, time));
        }
        let counts = count(Level::active(), &codes);
        group.bench_function("a thousand settings", |b| {
            b.iter(|| {
                let profile = Profile::new(&counts);
                let setting = |i: u32| {
                    PairSetting::new(
                        [1.0; 4],
                        f64::from(i) / 100.0,
                        fasttree_core::stats::pairs::Decay::Exponential,
                    )
                };
                (0..1000)
                    .map(|i| profile.scores(PairMetric::Pi, &setting(i).expect("in range"))[0])
                    .sum::<f64>()
            });
        });
        group.finish();
    }
}

/// Whole trees on one thread; the score of the root is that of the counts.
fn trees(c: &mut Criterion) {
    let mut group = c.benchmark_group("pi trees");
    group.sample_size(10);
    for (rows, features, values) in [(958, 9, 3), (3196, 36, 2), (8124, 22, 5), (20_000, 16, 10)] {
        let (columns, classes) = made::labels(rows, features, values);
        let data = made::nominal(&columns, &classes, values);
        let plan = made::plan("pi");
        let columns = columns
            .iter()
            .map(|c| CodeColumn { values: CodeValues::U8(c), levels: values })
            .collect();
        let codes = CodeTable::new(columns, &classes, 2, None).expect("codes in range");
        let scores = Profile::new(&count(Level::active(), &codes))
            .scores(PairMetric::Pi, &PairSetting::pi());
        let best = scores.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let model = made::fit(&plan, &data);
        assert_eq!(model.tree.nodes[0].score, best, "score of the root");
        let name = format!("{rows}x{features} of {values} values");
        println!(
            "{name}: {} nodes, {:.1} ms",
            model.tree.nodes.len(),
            1e3 * least(3, || made::fit(&plan, &data))
        );
        group.bench_function(name, |b| b.iter(|| black_box(made::fit(&plan, black_box(&data)))));
    }
    group.finish();
}

criterion_group!(benches, exact, trees);
criterion_main!(benches);
