//! Growth through the public door: words become a plan, a plan becomes a model; threads,
//! cancelling, limits.
//!
//! Whole trees are compared with a slow oracle from Python; here is what needs no Python at all.

use fasttree_core::data::{Dataset, DatasetBuilder, RowSet, Schema, Weights};
use fasttree_core::error::Error;
use fasttree_core::fit::{Config, FitPlan};
use fasttree_core::model::Model;
use fasttree_core::parallel::{self, Control};
use fasttree_core::predict::CompiledTree;
use fasttree_core::tree::Test;

/// A data set of numeric columns; classes below `k`.
pub fn numeric(columns: &[Vec<f64>], classes: &[u16], k: usize) -> Dataset<'static> {
    let features: Vec<_> =
        (0..columns.len()).map(|j| format!(r#"{{"name": "x{j}", "kind": "numeric"}}"#)).collect();
    let classes_json: Vec<_> = (0..k).map(|c| c.to_string()).collect();
    let schema: Schema = serde_json::from_str(&format!(
        r#"{{"features": [{}], "classes": [{}], "target": "class"}}"#,
        features.join(","),
        classes_json.join(",")
    ))
    .unwrap();
    let mut builder = DatasetBuilder::new(schema, classes).unwrap();
    builder.numeric_block(columns.len(), |r, c| columns[c][r], None, &Control::new(1)).unwrap();
    builder.finish().unwrap()
}

/// A data set of nominal columns with `levels` declared levels each.
pub fn nominal(columns: &[Vec<i64>], levels: usize, classes: &[u16], k: usize) -> Dataset<'static> {
    let names: Vec<_> = (0..levels).map(|v| format!(r#""v{v}""#)).collect();
    let features: Vec<_> = (0..columns.len())
        .map(|j| {
            format!(r#"{{"name": "c{j}", "kind": "nominal", "levels": [{}]}}"#, names.join(","))
        })
        .collect();
    let classes_json: Vec<_> = (0..k).map(|c| format!(r#""k{c}""#)).collect();
    let schema: Schema = serde_json::from_str(&format!(
        r#"{{"features": [{}], "classes": [{}], "target": "class"}}"#,
        features.join(","),
        classes_json.join(",")
    ))
    .unwrap();
    let mut builder = DatasetBuilder::new(schema, classes).unwrap();
    for column in columns {
        builder.nominal(levels, |r| column[r]).unwrap();
    }
    builder.finish().unwrap()
}

/// A model of all rows, by the words of a configuration.
pub fn fit(data: &Dataset, words: &str, control: &Control) -> Result<Model, Error> {
    let config =
        serde_json::from_str(words).map_err(|e| Error::parameter("parameters", words, e))?;
    let plan = FitPlan::new(config, None)?;
    let fitted = plan.fit(data, &RowSet::all(data.len()), &Weights::Unit, control)?;
    Ok(fitted.model)
}

/// Pseudo-random numbers without a crate: splitmix64.
pub fn draw(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn noise(n: usize, p: usize, distinct: u64, k: u64) -> (Vec<Vec<f64>>, Vec<u16>) {
    let mut seed = 7;
    let columns =
        (0..p).map(|_| (0..n).map(|_| (draw(&mut seed) % distinct) as f64).collect()).collect();
    let classes = (0..n).map(|_| (draw(&mut seed) % k) as u16).collect();
    (columns, classes)
}

#[test]
fn one_threshold_separates_two_classes() {
    let data = numeric(&[vec![1.0, 2.0, 5.0, 8.0]], &[0, 0, 1, 1], 2);
    let model = fit(&data, "{}", &Control::new(1)).unwrap();
    assert_eq!(model.tree.nodes.len(), 3);
    assert_eq!(model.tree.nodes[0].test, Test::Threshold(3.5.into()));
    assert_eq!(model.tree.counts(0), &[2.0, 2.0]);
    assert_eq!((model.tree.nodes[1].label, model.tree.nodes[2].label), (0, 1));
    let lower = fit(&data, r#"{"thresholds": "value"}"#, &Control::new(1)).unwrap();
    assert_eq!(lower.tree.nodes[0].test, Test::Threshold(2.0.into()));
}

#[test]
fn every_row_reaches_a_leaf_of_its_class_in_a_tree_without_limits() {
    let (columns, classes) = noise(3000, 6, 1 << 40, 3);
    let data = numeric(&columns, &classes, 3);
    for criterion in ["info_gain", "gini", "accuracy", "mdl", "twoing"] {
        // Beyond the point where mdl says that nothing is gained.
        let words = format!(r#"{{"criterion": "{criterion}", "min_score": -1e300}}"#);
        let model = fit(&data, &words, &Control::new(1)).unwrap();
        let reached = CompiledTree::new(&model.tree, &model.schema)
            .unwrap()
            .leaves(&data, data.len(), &Control::new(1))
            .unwrap();
        for (row, &leaf) in reached.iter().enumerate() {
            assert_eq!(
                model.tree.nodes[leaf as usize].label,
                i32::from(data.classes()[row]),
                "{criterion}"
            );
        }
        let shape = model.tree.shape();
        assert_eq!(shape.leaves, shape.nodes / 2 + 1);
        let rows: u32 = (0..shape.nodes)
            .filter(|&i| model.tree.is_leaf(i))
            .map(|i| model.tree.nodes[i].rows)
            .sum();
        assert_eq!(rows, 3000);
    }
}

#[test]
fn threads_change_nothing() {
    let (columns, classes) = noise(40_000, 8, 300, 4);
    let data = numeric(&columns, &classes, 4);
    let words = r#"{"criterion": "gini", "max_depth": 9}"#;
    let alone = fit(&data, words, &Control::new(1)).unwrap();
    assert!(alone.tree.nodes.len() > 300);
    for threads in 2..=5 {
        let control = Control::new(threads);
        let mut same = None;
        parallel::run(&control, true, &parallel::unwatched(), &mut |control| {
            same = Some(fit(&data, words, control)?);
            Ok(())
        })
        .unwrap();
        assert_eq!(same.as_ref(), Some(&alone));
    }
}

/// Depth-first growth keeps the orders of at most 64 rows as bytes; with a limit on the leaves it
/// does not.
#[test]
fn small_nodes_are_split_alike_however_their_orders_are_kept() {
    let criteria = ["gini", "info_gain", "gain_ratio"];
    let limits = ["", r#", "min_samples_leaf": 3"#, r#", "min_weight_fraction_leaf": 0.02"#];
    let others = ["", r#", "ties": "row""#, r#", "ties": "random""#, r#", "max_features": 2"#];
    for case in 0..72 {
        let (n, k) = ([40, 64, 65, 300][case % 4], [2, 3, 5, 90][case / 4 % 4]);
        let distinct = [4, 30, 1 << 40][case % 3];
        let (columns, classes) = noise(n, 6, distinct, k);
        let data = numeric(&columns, &classes, k as usize);
        let (criterion, limit) = (criteria[case / 3 % 3], limits[case / 9 % 3]);
        let words = format!(r#""criterion": "{criterion}"{limit}{}"#, others[case % 4]);
        let grow = |more: &str| {
            let words = format!("{{{words}{more}}}");
            let mut tree = fit(&data, &words, &Control::new(1)).unwrap().tree;
            tree.nodes.iter_mut().for_each(|node| node.step = 0);
            tree
        };
        let (bytes, ranges) = (grow(""), grow(r#", "max_leaf_nodes": 100000"#));
        assert!(bytes.nodes.len() > 3, "{words}");
        assert_eq!(format!("{bytes:?}"), format!("{ranges:?}"), "{words}");
    }
}

#[test]
fn multiway_branches_follow_declared_levels() {
    let data = nominal(&[vec![0, 0, 2, 2, -1]], 4, &[0, 0, 1, 1, 0], 2);
    let model =
        fit(&data, r#"{"empty_branch": "unclassified", "missing": "branch"}"#, &Control::new(1))
            .unwrap();
    let labels: Vec<i32> =
        model.tree.children(0).iter().map(|&c| model.tree.nodes[c as usize].label).collect();
    assert_eq!(labels, [0, -1, 1, -1, 0]);
    assert_eq!(model.tree.nodes[0].missing_branch, 4);
    assert_eq!(model.tree.shape().empty_leaves, 2);
    let parent = fit(&data, r#"{"missing": "branch"}"#, &Control::new(1)).unwrap();
    let labels: Vec<i32> =
        parent.tree.children(0).iter().map(|&c| parent.tree.nodes[c as usize].label).collect();
    assert_eq!(labels, [0, 0, 1, 0, 0]);
}

#[test]
fn best_first_stops_at_the_limit_and_tells_its_steps() {
    let (columns, classes) = noise(2000, 5, 1 << 30, 3);
    let data = numeric(&columns, &classes, 3);
    for limit in [2, 3, 17, 100] {
        let words = format!(r#"{{"max_leaf_nodes": {limit}}}"#);
        let model = fit(&data, &words, &Control::new(1)).unwrap();
        assert_eq!(model.tree.shape().leaves, limit);
        let steps = model.tree.steps();
        assert_eq!(steps.len(), limit - 1);
        assert!(
            steps.iter().enumerate().all(|(i, &n)| model.tree.nodes[n as usize].step == i as u32)
        );
        // A smaller limit is a prefix of a larger one.
        let cut = model.tree.cut(1);
        assert_eq!(cut, fit(&data, r#"{"max_leaf_nodes": 2}"#, &Control::new(1)).unwrap().tree);
    }
}

#[test]
fn a_cancelled_job_ends() {
    let (columns, classes) = noise(60_000, 10, 1 << 30, 5);
    let data = numeric(&columns, &classes, 5);
    for threads in [1, 2] {
        let control = Control::new(threads);
        control.cancel();
        let start = std::time::Instant::now();
        assert_eq!(
            fit(&data, r#"{"criterion": "jaccard"}"#, &control).unwrap_err(),
            Error::Cancelled
        );
        assert!(start.elapsed().as_secs() < 5);
    }
}

#[test]
fn words_that_mean_nothing_are_refused_by_name() {
    let data = numeric(&[vec![0.0, 1.0]], &[0, 1], 2);
    for (words, named) in [
        (r#"{"criterion": "infogain"}"#, "infogain"),
        (r#"{"criterio": "gini"}"#, "criterio"),
        (r#"{"evaluation": "global"}"#, "evaluation"),
        (r#"{"nominal_splits": "subset"}"#, "nominal_splits"),
        (r#"{"min_samples_leaf": 0}"#, "min_samples_leaf"),
        (r#"{"min_samples_split": 1}"#, "min_samples_split"),
        (r#"{"max_leaf_nodes": 1}"#, "max_leaf_nodes"),
        (r#"{"min_weight_fraction_leaf": 0.7}"#, "min_weight_fraction_leaf"),
        (r#"{"no_distance_decay": "maybe"}"#, "no_distance_decay"),
        (r#"{"criterion": "f_measure", "criterion_options": {"bta": 2}}"#, "bta"),
    ] {
        match fit(&data, words, &Control::new(1)) {
            // What other rooms may serve one day is no error then.
            Ok(_) => {
                assert!(words.contains("evaluation") || words.contains("nominal_splits"), "{words}")
            }
            Err(e) => assert!(e.to_string().contains(named), "{words}: {e}"),
        }
    }
}

#[test]
fn rows_without_weight_are_dropped_and_nothing_left_is_an_error() {
    let data = numeric(&[vec![1.0, 2.0, 3.0, 4.0]], &[0, 1, 0, 1], 2);
    let plan = FitPlan::new(Config::default(), None).unwrap();
    let control = Control::new(1);
    let rows = RowSet::all(4);
    // Weights are given by internal row, which are sorted by class: rows 1.0, 3.0, 2.0, 4.0.
    let weights = Weights::Integer(vec![1, 0, 1, 1]);
    let model = plan.fit(&data, &rows, &weights, &control).unwrap().model;
    assert_eq!((model.tree.nodes[0].rows, model.tree.nodes.len()), (3, 3));
    let none = plan.fit(&data, &rows, &Weights::Integer(vec![0; 4]), &control);
    assert!(none.unwrap_err().to_string().contains("no training rows"));
}
