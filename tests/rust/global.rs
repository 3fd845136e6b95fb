//! Global growth: the distance that is kept is the distance of the tree, threads change nothing,
//! and it can be stopped.

use fasttree_core::criteria::{CRITERIA, EvidenceKind};
use fasttree_core::data::{Dataset, DatasetBuilder, Feature, Kind, Label, RowSet, Schema, Weights};
use fasttree_core::error::Error;
use fasttree_core::fit::{Config, FitPlan};
use fasttree_core::grow::{Evaluation, LeafLabels, distances, grow_globally};
use fasttree_core::numeric::{Ties, mix};
use fasttree_core::parallel::Control;
use fasttree_core::tree::Tree;

/// Three numbers (with ties up to a thousand rows), one of them with holes unless `whole`, one
/// label of two or three values; noisy classes.
fn random(seed: u64, n: usize, classes: usize, whole: bool) -> Dataset<'static> {
    let levels = if whole { 2 } else { 3 };
    let number = |name: &str| Feature::new(name, Kind::Numeric { cuts: None, fill: None });
    let kind =
        Kind::Nominal { levels: (0..levels).map(Label::Int).collect(), ordered: false, fill: None };
    let mut features = vec![number("a"), number("b"), number("c")];
    features.push(Feature::new("d", kind));
    let schema = Schema {
        features,
        classes: (0..classes as i64).map(Label::Int).collect(),
        target: "class".into(),
    };
    let cell = |row: usize, column: usize| mix(seed, (row * 10 + column) as u64);
    let codes: Vec<u16> = (0..n)
        .map(|i| {
            let noisy = cell(i, 8).is_multiple_of(4);
            let signal = cell(i, 0) % 7 + cell(i, 1) % 5;
            ((if noisy { cell(i, 9) } else { signal }) % classes as u64) as u16
        })
        .collect();
    let mut builder = DatasetBuilder::new(schema, &codes).unwrap();
    let value = |row: usize, column: usize| {
        if !whole && column == 2 && cell(row, 7).is_multiple_of(6) {
            f64::NAN
        } else {
            let values = if n > 1000 { 1 << 20 } else { [7, 5, 9][column] };
            (cell(row, column) % values) as f64
        }
    };
    builder.numeric_block(3, value, None, &Control::new(1)).unwrap();
    builder.nominal(levels as usize, |row| (cell(row, 3) % levels as u64) as i64).unwrap();
    builder.finish().unwrap()
}

fn grown(
    data: &Dataset,
    config: Config,
    weights: &Weights,
    threads: usize,
) -> (FitPlan, Tree, Vec<f64>) {
    let rows = RowSet::all(data.len());
    let plan = FitPlan::new(config, None).unwrap();
    let setting = plan.setting(data, &rows, weights);
    let (tree, kept) =
        grow_globally(data, &setting, &rows, weights, &Control::new(threads)).unwrap();
    (plan, tree, kept)
}

fn weights(kind: usize, n: usize) -> Weights {
    let of = |i: usize| {
        [1.0, 2.0, 3.0, 0.5][(mix(5, i as u64) % if kind == 2 { 4 } else { 3 }) as usize]
    };
    if kind == 0 {
        return Weights::Unit;
    }
    Weights::from_reals(&(0..n).map(of).collect::<Vec<_>>(), &|i| i).unwrap()
}

#[test]
fn the_kept_distance_is_the_distance_of_the_tree_after_every_step() {
    let mut steps = 0;
    for entry in CRITERIA.iter().filter(|e| e.info.evidence == EvidenceKind::Table) {
        for seed in 0..6 {
            let evaluation = [Evaluation::Global, Evaluation::Glocal][seed as usize % 2];
            for labels in [LeafLabels::Majority, LeafLabels::All, LeafLabels::Distinct] {
                let data = random(seed, 50, 2 + seed as usize % 3, labels != LeafLabels::Majority);
                let w = weights(seed as usize % 3, data.len());
                let config = Config {
                    criterion: entry.info.name.into(),
                    evaluation,
                    labels,
                    ..Config::default()
                };
                let (plan, tree, kept) = grown(&data, config, &w, 1);
                assert_eq!(
                    kept,
                    distances(&tree, plan.criterion(), &Control::new(1)).unwrap(),
                    "{} {seed} {labels:?}",
                    entry.info.name
                );
                assert!(kept.len() > 3, "{}", entry.info.name);
                steps += kept.len();
            }
        }
    }
    assert!(steps > 2000);
}

#[test]
fn threads_change_nothing() {
    for (criterion, ties) in
        [("gini", Ties::First), ("jaccard", Ties::Random), ("mantaras", Ties::Row)]
    {
        let data = random(3, 8000, 4, false);
        let config = |labels| Config {
            criterion: criterion.into(),
            evaluation: Evaluation::Global,
            labels,
            ties,
            max_leaf_nodes: Some(12),
            ..Config::default()
        };
        let one = grown(&data, config(LeafLabels::Majority), &Weights::Unit, 1);
        for threads in [2, 3] {
            let many = grown(&data, config(LeafLabels::Majority), &Weights::Unit, threads);
            assert_eq!((&one.1, &one.2), (&many.1, &many.2), "{criterion}");
        }
    }
}

#[test]
fn glocal_falls_while_it_can() {
    for seed in 0..20 {
        let data = random(seed, 60, 3, false);
        let glocal = Config {
            criterion: "jaccard".into(),
            evaluation: Evaluation::Glocal,
            ..Config::default()
        };
        let global = Config { evaluation: Evaluation::Global, ..glocal.clone() };
        let (_, one, both) = grown(&data, glocal, &Weights::Unit, 1);
        let (_, other, kept) = grown(&data, global, &Weights::Unit, 1);
        // Both start with the same steps as long as these lower the distance.
        let falling = kept.windows(2).take_while(|w| w[1] < w[0]).count() + 1;
        assert_eq!(both[..falling], kept[..falling]);
        assert_eq!(one.steps().len(), both.len());
        assert_eq!(other.steps().len(), kept.len());
    }
}

#[test]
fn growth_can_be_stopped() {
    let data = random(1, 500, 3, false);
    let rows = RowSet::all(data.len());
    let plan =
        FitPlan::new(Config { evaluation: Evaluation::Global, ..Config::default() }, None).unwrap();
    let setting = plan.setting(&data, &rows, &Weights::Unit);
    let control = Control::new(1);
    control.cancel();
    let stopped = grow_globally(&data, &setting, &rows, &Weights::Unit, &control);
    assert_eq!(stopped.unwrap_err(), Error::Cancelled);
}
