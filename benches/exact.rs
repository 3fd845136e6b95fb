//! Smallest trees of complete grids and of samples of random trees; cheapest trees of depth three
//! on binary features.

mod made;

use criterion::{Criterion, criterion_group, criterion_main};
use fasttree_core::data::{Dataset, Weights};
use fasttree_core::exact::{Errors, Objective, SearchLimits, minimal_tree, optimal_tree};
use fasttree_core::parallel::Control;
use std::hint::black_box;
use std::time::Duration;

fn smallest(data: &Dataset) -> (usize, usize) {
    let rows: Vec<u32> = (0..data.len() as u32).collect();
    let limits = SearchLimits::default();
    let found = minimal_tree(data, &rows, &Weights::Unit, Errors::Raise, &limits, &Control::new(1))
        .expect("a tree");
    (found.lower, found.tree.nodes.len())
}

/// The second MONK's problem: exactly two of six features have their first value.
fn monks() -> Dataset<'static> {
    let sizes = [3_usize, 3, 2, 3, 4, 2];
    let columns: Vec<Vec<u8>> = (0..6)
        .map(|j| {
            let step: usize = sizes[j + 1..].iter().product();
            (0..432).map(|i| (i / step % sizes[j]) as u8).collect()
        })
        .collect();
    let codes: Vec<u16> =
        (0..432).map(|i| u16::from(columns.iter().filter(|c| c[i] == 0).count() == 2)).collect();
    made::nominal(&columns, &codes, 4)
}

/// Uniform rows labelled by a complete tree of `depth` levels.
fn sample(depth: usize, seed: u64) -> Dataset<'static> {
    let columns: Vec<Vec<f64>> =
        (0..6).map(|j| (0..500).map(|i| made::unit(seed * 10 + j, i)).collect()).collect();
    let codes: Vec<u16> = (0..500)
        .map(|i| {
            let mut node = 1;
            for _ in 0..depth {
                let feature = (made::unit(seed, 1000 + node) * 6.0) as usize;
                let threshold = 0.3 + 0.4 * made::unit(seed, 2000 + node);
                node = 2 * node + u64::from(columns[feature][i] > threshold);
            }
            (node % 4) as u16
        })
        .collect();
    made::numeric(&columns, &codes, 4)
}

fn exact(c: &mut Criterion) {
    let mut group = c.benchmark_group("exact");
    group
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .sample_size(10);
    let data = monks();
    assert_eq!(smallest(&data), (81, 81), "the symmetric function has 41 leaves");
    group.bench_function("smallest tree, monks 2, 81 nodes", |b| {
        b.iter(|| black_box(smallest(black_box(&data))))
    });
    for depth in [2, 3] {
        let data = sample(depth, 1);
        let (lower, nodes) = smallest(&data);
        assert!(lower == nodes && nodes < 2 << depth, "{lower} {nodes}");
        let name = format!("smallest tree, 500 x 6 numbers, {nodes} nodes");
        group.bench_function(name, |b| b.iter(|| black_box(smallest(black_box(&data)))));
    }
    let (columns, codes) = made::labels(1000, 30, 2);
    let data = made::nominal(&columns, &codes, 2);
    let rows: Vec<u32> = (0..1000).collect();
    let cheapest = |depth| {
        let objective = Objective { max_depth: Some(depth), ..Objective::default() };
        let limits = SearchLimits::default();
        optimal_tree(&data, &rows, &Weights::Unit, &objective, &limits, &Control::new(1))
            .expect("a tree")
    };
    let (two, three) = (cheapest(2), cheapest(3));
    assert!(
        two.lower == two.objective && three.lower == three.objective && three.errors <= two.errors
    );
    group.bench_function("cheapest tree, 1000 x 30 bits, depth 3", |b| {
        b.iter(|| black_box(cheapest(3)))
    });
    group.finish();
}

criterion_group!(benches, exact);
criterion_main!(benches);
