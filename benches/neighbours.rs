//! Neighbours on every level this machine has; answers are compared before anything is timed.
//!
//! Criterion measures wall time of one thread. Rates are in pair-features a second, t (t - 1) / 2 *
//! n. Few features (bit planes to the end) and many (numbers and bytes) are different code, hence
//! two shapes, each small enough that all of it ends within a minute.
//! `benches/relief_side_by_side.py` has the large ones.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fasttree_core::numeric::{mix, uniform};
use fasttree_core::parallel::Control;
use fasttree_core::simd::{Kernels, Level};
use fasttree_core::stats::neighbours::{
    Multiclass, NeighbourMethod, NeighbourRows, NeighbourTies, NominalRows, Ranks, RowWeights,
    neighbour_scores_with,
};
use std::time::Duration;

fn near(c: &mut Criterion) {
    let methods = [
        (
            "relieff",
            NeighbourMethod::ReliefF { k: 10, ties: NeighbourTies::Share, ranks: Ranks::Equal },
        ),
        ("multisurf", NeighbourMethod::MultiSurf { star: false }),
        ("surf_star", NeighbourMethod::Surf { star: true }),
    ];
    for (rows, features, values) in [(1600_usize, 36_usize, 2), (400, 4000, 3)] {
        let cell = |i: usize, k: usize| uniform(mix(k as u64, i as u64), values) as u8;
        let codes: Vec<u8> =
            (0..rows).flat_map(|i| (0..features).map(move |k| cell(i, k))).collect();
        let classes: Vec<u16> =
            (0..rows).map(|i| uniform(mix(1 << 40, i as u64), 2) as u16).collect();
        let codes = NominalRows { values: &codes, columns: features, stride: features };
        let input = NeighbourRows::new(codes, Vec::new(), &classes, 2, RowWeights::One)
            .expect("codes in range");
        let mut group = c.benchmark_group(format!("neighbours {rows}x{features}"));
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(200))
            .measurement_time(Duration::from_secs(1));
        group.throughput(Throughput::Elements((rows * (rows - 1) / 2 * features) as u64));
        for (name, method) in methods {
            let scores = |level| {
                let kernels = Kernels::at(level);
                neighbour_scores_with(&Control::new(1), kernels, &input, method, Multiclass::Prior)
                    .expect("not cancelled")
            };
            let truth = scores(Level::Plain);
            for level in Level::available() {
                assert!(scores(level) == truth, "{} differs", level.name());
                group.bench_function(BenchmarkId::new(name, level.name()), |b| {
                    b.iter(|| scores(level))
                });
            }
        }
        group.finish();
    }
}

criterion_group!(benches, near);
criterion_main!(benches);
