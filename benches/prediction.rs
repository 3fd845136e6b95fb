//! Rows to leaves: thresholds and multiway splits, whole data sets.

mod made;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fasttree_core::data::{Column, Dataset};
use fasttree_core::model::Model;
use fasttree_core::parallel::Control;
use fasttree_core::predict::CompiledTree;
use fasttree_core::tree::Test;
use std::hint::black_box;
use std::time::Duration;

/// One row at a time, question by question.
fn naive(model: &Model, data: &Dataset, row: u32) -> u32 {
    let tree = &model.tree;
    let mut node = 0;
    loop {
        let n = &tree.nodes[node];
        let branch = match (n.test, &data.columns()[n.feature as usize]) {
            (Test::Leaf, _) => return node as u32,
            (Test::Threshold(t), Column::Numeric(c)) => usize::from(c.value(row) > t.reach),
            (Test::Multiway, Column::Nominal(c)) => c.code(row) as usize,
            other => panic!("{other:?}"),
        };
        node = tree.children(node)[branch] as usize;
    }
}

fn prediction(c: &mut Criterion) {
    let (numbers, classes) = made::numbers(20_000, 20, 2);
    let numeric = made::numeric(&numbers, &classes, 2);
    let (labels, codes) = made::labels(20_000, 30, 5);
    let nominal = made::nominal(&labels, &codes, 5);
    let control = Control::new(1);
    let mut group = c.benchmark_group("prediction");
    group
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20);
    for (name, data) in [("20k rows, thresholds", &numeric), ("20k rows, multiway", &nominal)] {
        let model = made::fit(&made::plan("gini"), data);
        let tree = CompiledTree::new(&model.tree, &model.schema).expect("a tree that walks");
        let walk = || tree.leaves(data, data.len(), &control).expect("leaves");
        for (row, leaf) in walk().into_iter().enumerate() {
            assert_eq!(leaf, naive(&model, data, row as u32), "{name}: leaf of row {row}");
        }
        group.throughput(Throughput::Elements(data.len() as u64));
        group.bench_function(name, |b| b.iter(|| black_box(walk())));
    }
    group.finish();
}

criterion_group!(benches, prediction);
criterion_main!(benches);
