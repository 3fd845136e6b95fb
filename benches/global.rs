//! Global growth to the end: data of the shape of iris, wine and cardiotocography, with gini,
//! info_gain and jaccard.

mod made;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use fasttree_core::fit::{Config, FitPlan};
use fasttree_core::grow::{Evaluation, LeafLabels, distances};
use fasttree_core::parallel::Control;
use std::hint::black_box;
use std::time::Duration;

/// Leaves at which the widest search (all labels, thousands of rows) is stopped: to the end it
/// takes seconds a tree.
const FEW_LEAVES: usize = 40;

fn plan(criterion: &str, labels: LeafLabels, max_leaf_nodes: Option<usize>) -> FitPlan {
    let evaluation = Evaluation::Global;
    let config = Config {
        criterion: criterion.into(),
        evaluation,
        labels,
        max_leaf_nodes,
        ..Config::default()
    };
    FitPlan::new(config, None).expect("plan")
}

fn global(c: &mut Criterion) {
    let mut group = c.benchmark_group("global");
    group
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .sample_size(10);
    group.sampling_mode(SamplingMode::Flat);
    for (rows, features) in [(150, 4), (178, 13), (2126, 13)] {
        let (columns, codes) = made::numbers(rows, features, 3);
        let data = made::numeric(&columns, &codes, 3);
        for (criterion, labels) in [
            ("gini", LeafLabels::Majority),
            ("gini", LeafLabels::All),
            ("info_gain", LeafLabels::Majority),
            ("jaccard", LeafLabels::Majority),
        ] {
            let limit = (labels == LeafLabels::All && rows > 1000).then_some(FEW_LEAVES);
            let plan = plan(criterion, labels, limit);
            let model = made::fit(&plan, &data);
            let leaves = model.tree.shape().leaves;
            let name = format!(
                "{criterion}, labels {labels:?}, {rows} x {features} numbers, {leaves} leaves"
            )
            .to_lowercase();
            assert!(limit.is_none_or(|limit| leaves == limit), "{name}: the limit is reached");
            let kept =
                distances(&model.tree, plan.criterion(), &Control::new(1)).expect("distances");
            if labels == LeafLabels::Majority {
                assert_eq!(
                    made::training_errors(&model),
                    0.0,
                    "{name}: errors of an unlimited tree on its own rows"
                );
                assert!(
                    kept.last().is_some_and(|d| d.abs() < 1e-9),
                    "{name}: distance of a consistent tree"
                );
            }
            group
                .bench_function(name, |b| b.iter(|| black_box(made::fit(&plan, black_box(&data)))));
        }
    }
    group.finish();
}

criterion_group!(benches, global);
criterion_main!(benches);
