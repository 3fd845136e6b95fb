//! Forests: the same for any number of threads, and a loader that believes nothing.

use super::written::{forest_from_bytes, forest_to_bytes, from_bytes};
use fasttree_core::data::{Dataset, DatasetBuilder, Feature, Kind, Label, RowSet, Schema, Weights};
use fasttree_core::error::Error;
use fasttree_core::fit::{Config, FitPlan, FitRows, GrownForest, Request};
use fasttree_core::grow::forest::Bagging;
use fasttree_core::model::{Forest, Model};
use fasttree_core::numeric::mix;
use fasttree_core::parallel::Control;
use fasttree_core::predict::Votes;
use std::sync::Arc;

fn data(n: u64) -> Arc<Dataset<'static>> {
    let schema = Schema {
        features: vec![
            Feature::new("a", Kind::Numeric { cuts: None, fill: None }),
            Feature::new("b", Kind::Numeric { cuts: None, fill: None }),
            Feature::new(
                "c",
                Kind::Nominal {
                    levels: vec![Label::Int(0), Label::Int(1)],
                    ordered: false,
                    fill: None,
                },
            ),
        ],
        classes: vec![Label::Text("no".into()), Label::Text("yes".into())],
        target: "class".into(),
    };
    let classes: Vec<u16> = (0..n).map(|i| (mix(3, i) % 2) as u16).collect();
    let mut builder = DatasetBuilder::new(schema, &classes).unwrap();
    let value = |row: usize, column: usize| match mix(column as u64, row as u64) % 20 {
        0 => f64::NAN,
        v => v as f64,
    };
    builder.numeric_block(2, value, None, &Control::new(1)).unwrap();
    builder.nominal(2, |row| (mix(9, row as u64) % 2) as i64).unwrap();
    builder.finish().unwrap().into()
}

fn grown(
    data: &Arc<Dataset<'static>>,
    weights: &Weights,
    draws: Option<usize>,
    threads: usize,
) -> (Forest, Option<Votes>) {
    let config = Config { max_features: Some(1), seed: 5, ..Config::default() };
    let plan = FitPlan::new(config, None).unwrap();
    let bagging = Bagging { trees: 7, draws, first: 0 };
    let request = Request { out_of_bag: draws.is_some(), before: None };
    let rows = FitRows::Encoded(data.clone(), RowSet::all(data.len()), weights.clone());
    let control = Control::new(threads);
    let GrownForest { forest, votes, .. } =
        plan.fit_forest(rows, &bagging, request, &control).unwrap();
    (forest, votes)
}

#[test]
fn threads_change_no_forest_and_no_vote() {
    let data = data(500);
    let integers = Weights::Integer((0..500).map(|i| i % 3).collect());
    let reals =
        Weights::from_reals(&(0..500).map(|i| 0.3 + f64::from(i % 7)).collect::<Vec<_>>(), &|i| i)
            .unwrap();
    for weights in [&Weights::Unit, &integers, &reals] {
        for draws in [None, Some(500), Some(60)] {
            let one = grown(&data, weights, draws, 1);
            for threads in [2, 5, 16] {
                assert_eq!(grown(&data, weights, draws, threads), one);
            }
            // Each draw weighs what its row weighs.
            if let Some(draws) = draws.filter(|_| *weights == Weights::Unit) {
                let weight = |model: &Model| model.tree.counts(0).iter().sum::<f64>();
                assert!(one.0.trees.iter().all(|model| weight(model) == draws as f64));
            }
        }
    }
}

#[test]
fn forests_come_back_from_their_bytes() {
    let (forest, _) = grown(&data(200), &Weights::Unit, Some(200), 1);
    let bytes = forest_to_bytes(&forest).unwrap();
    let other = forest_from_bytes(&bytes).unwrap();
    assert_eq!(forest_to_bytes(&other).unwrap(), bytes);
    assert_eq!(other.trees[3].tree.nodes, forest.trees[3].tree.nodes);
    assert!(matches!(from_bytes(&bytes), Err(Error::Model(m)) if m.contains("fasttree forest")));
}

/// The document with a part of its content replaced and the checksum made right again.
fn changed(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let start = text.find("\"model\":").unwrap() + 8;
    let content = &text[start..text.len() - 1];
    assert!(content.contains(from), "{from}");
    let content = content.replacen(from, to, 1);
    let sum = content
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    format!(
        "{{\"format\":\"fasttree \
         forest\",\"version\":1,\"checksum\":\"{sum:016x}\",\"model\":{content}}}"
    )
    .into_bytes()
}

#[test]
fn every_tree_of_a_file_is_checked() {
    let (forest, _) = grown(&data(60), &Weights::Unit, Some(60), 1);
    let bytes = forest_to_bytes(&forest).unwrap();
    assert!(
        forest_from_bytes(&changed(&bytes, "\"parameters\":{}", "\"parameters\":{\"a\":1}"))
            .is_ok()
    );
    let empty = "{\"schema\":{\"features\":[],\"classes\":[],\"target\":\"\"}";
    for (from, to, message) in [
        ("\"seeds\":[", "\"seeds\":[1,", "one seed per tree"),
        ("\"totals\":[", "\"totals\":[-1,", "class totals"),
        (
            empty,
            "{\"schema\":{\"features\":[],\"classes\":[1],\"target\":\"\"}",
            "only the first tree",
        ),
        ("\"parent\":[-1,0", "\"parent\":[-1,9", "tree 0"),
        ("\"trees\":", "\"threes\":", "threes"),
    ] {
        let refused = forest_from_bytes(&changed(&bytes, from, to));
        assert!(
            matches!(&refused, Err(Error::Model(m)) if m.contains(message)),
            "{from}: {refused:?}"
        );
    }
}

#[test]
fn empty_forests_are_refused() {
    let data = data(30);
    let plan = FitPlan::new(Config::default(), None).unwrap();
    for bagging in [
        Bagging { trees: 0, draws: None, first: 0 },
        Bagging { trees: 3, draws: Some(0), first: 0 },
    ] {
        let rows = FitRows::Encoded(data.clone(), RowSet::all(30), Weights::Unit);
        let refused = plan.fit_forest(rows, &bagging, Request::default(), &Control::new(1));
        assert!(matches!(refused, Err(Error::Parameter { .. })));
    }
    let all = Bagging { trees: 3, draws: None, first: 0 };
    let rows = FitRows::Encoded(data.clone(), RowSet::all(30), Weights::Unit);
    let request = Request { out_of_bag: true, before: None };
    let refused = plan.fit_forest(rows, &all, request, &Control::new(1));
    assert!(matches!(refused, Err(Error::Parameter { .. })));
}

#[test]
fn a_forest_that_goes_on_is_the_one_grown_at_once() {
    let data = data(300);
    let config = Config { max_features: Some(1), seed: 5, ..Config::default() };
    let plan = FitPlan::new(config, None).unwrap();
    let weights = Weights::Integer((0..300).map(|i| 1 + i % 3).collect());
    fn grow(
        (plan, data, weights): (&FitPlan, &Arc<Dataset<'static>>, &Weights),
        (trees, threads): (usize, usize),
        before: Option<(&Forest, u64)>,
    ) -> Result<GrownForest, Error> {
        let bagging = Bagging { trees, draws: Some(300), first: 0 };
        let rows = FitRows::Encoded(data.clone(), RowSet::all(300), weights.clone());
        let request = Request { out_of_bag: true, before };
        plan.fit_forest(rows, &bagging, request, &Control::new(threads))
    }
    let of = (&plan, &data, &weights);
    let whole = grow(of, (9, 1), None).unwrap();
    for (first, threads) in [(1, 1), (4, 3), (8, 5), (9, 2)] {
        let start = grow(of, (first, threads), None).unwrap();
        let before = Some((&start.forest, start.content.unwrap()));
        // Where no tree is grown, there is no route.
        let reason = whole.reason.clone();
        let grown = GrownForest { reason, ..grow(of, (9, threads), before).unwrap() };
        assert_eq!(grown, whole);
        let others = Some((&start.forest, start.content.unwrap() + 1));
        assert!(grow(of, (9, threads), others).is_err(), "other rows");
    }
}
