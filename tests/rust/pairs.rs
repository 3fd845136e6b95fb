//! Trees on pairs of rows through the public door: what plans share changes nothing, nor do
//! threads; growth can be stopped.

use super::growth::{fit, nominal};
use fasttree_core::data::{Dataset, RowSet, Weights};
use fasttree_core::error::Error;
use fasttree_core::fit::{Common, FitPlan};
use fasttree_core::numeric::mix;
use fasttree_core::parallel::Control;
use fasttree_core::resample::{Fold, cross_validate};

/// Codes below `levels` (some missing), and a class that is the parity of two of them but for one
/// row in eight.
fn random(seed: u64, rows: usize, features: usize, levels: u64) -> Dataset<'static> {
    let cell = |i: usize, k: usize| mix(seed, (i * 64 + k) as u64);
    let columns: Vec<Vec<i64>> = (0..features)
        .map(|k| {
            let of = |i: usize| {
                if k == 2 && cell(i, 40).is_multiple_of(9) {
                    -1
                } else {
                    (cell(i, k) % levels) as i64
                }
            };
            (0..rows).map(of).collect()
        })
        .collect();
    let classes: Vec<u16> = (0..rows)
        .map(|i| {
            let parity = (columns[0][i] + columns[1][i]) % 2;
            if cell(i, 50).is_multiple_of(8) { (cell(i, 51) % 3) as u16 } else { parity as u16 }
        })
        .collect();
    nominal(&columns, levels as usize, &classes, 3)
}

/// The plan of a configuration in JSON.
pub fn plan(words: &str) -> FitPlan {
    FitPlan::new(serde_json::from_str(words).unwrap(), None).unwrap()
}

const WORDS: [&str; 6] = [
    r#"{"criterion": "pi"}"#,
    r#"{"criterion": "pi", "criterion_options": {"alpha": 0.11}}"#,
    r#"{"criterion": "pi", "criterion_options": {"alpha": 3.0, "theta": [1.0, 0.5, 0.0, 1.0]},
        "max_leaf_nodes": 20}"#,
    r#"{"criterion": "contextual_merit", "missing": "mode"}"#,
    r#"{"criterion": "relief", "no_distance_decay": true}"#,
    r#"{"criterion": "gini"}"#,
];

#[test]
fn what_plans_share_changes_no_tree() {
    for seed in 0..6 {
        let data = random(seed, 220, 5, 3);
        let rows = RowSet::new((0..data.len() as u32).filter(|r| r % 5 != 0).collect(), data.len());
        let whole = |i: usize| f64::from((mix(9, i as u64) % 4) as u32);
        let weights = match seed % 2 {
            0 => Weights::Unit,
            _ => Weights::from_reals(&(0..data.len()).map(whole).collect::<Vec<_>>(), &|i| i)
                .unwrap(),
        };
        let mut common = Common::default();
        let control = Control::new(1);
        for words in WORDS.iter().chain(&WORDS) {
            let plan = plan(words);
            let alone = plan.fit(&data, &rows, &weights, &control).unwrap().model;
            let shared = plan.fit_sharing(&data, &rows, &weights, &mut common, &control).unwrap();
            assert_eq!(alone.tree, shared.tree, "{seed} {words}");
            assert!(alone.tree.nodes.len() > 1, "{seed} {words}");
        }
    }
}

#[test]
fn folds_grow_what_fits_grow() {
    // With so many rows the roots of all folds are counted together.
    let n = 700;
    let data = random(4, n as usize, 4, 3);
    let parted = |k: u32| {
        (0..k).map(move |f| Fold {
            train: (0..n).filter(|r| r % k != f).collect(),
            test: (0..n).filter(|r| r % k == f).collect(),
        })
    };
    // Two repetitions, and a fold that belongs to none.
    let mut folds: Vec<Fold> = parted(4).chain(parted(3)).collect();
    folds.insert(4, Fold { train: (0..400).collect(), test: (300..500).collect() });
    let copies: Vec<f64> =
        (0..n as usize).map(|i| f64::from((mix(9, i as u64) % 3) as u32)).collect();
    let reals: Vec<f64> = copies.iter().map(|c| c + 0.25).collect();
    let weights =
        [&vec![1.0; n as usize], &copies, &reals].map(|w| Weights::from_reals(w, &|i| i).unwrap());
    let plans: Vec<FitPlan> = WORDS.iter().map(|w| plan(w)).collect();
    for weights in &weights {
        let mut before = None;
        for threads in [1, 3] {
            let found =
                cross_validate(&data, weights, &plans, &folds, false, &Control::new(threads))
                    .unwrap();
            let answers: Vec<_> =
                found.iter().map(|o| (o.shape.leaves, o.predictions.clone())).collect();
            assert!(before.get_or_insert_with(|| answers.clone()) == &answers);
        }
        for (p, plan) in plans.iter().enumerate() {
            let alone = std::slice::from_ref(plan);
            for (f, fold) in folds.iter().enumerate().step_by(3) {
                let rows = fold.train.iter().map(|&r| data.internal()[r as usize]).collect();
                let rows = RowSet::new(rows, data.len());
                let one = plan.fit(&data, &rows, weights, &Control::new(1)).unwrap().model;
                let shape = one.tree.shape().leaves;
                assert_eq!(before.as_ref().unwrap()[p * folds.len() + f].0, shape, "{p} {f}");
            }
            if p == 0 {
                let found =
                    cross_validate(&data, weights, alone, &folds, false, &Control::new(1)).unwrap();
                let answers: Vec<_> =
                    found.into_iter().map(|o| (o.shape.leaves, o.predictions)).collect();
                assert_eq!(answers, before.as_ref().unwrap()[..folds.len()]);
            }
        }
    }
}

#[test]
fn threads_change_no_tree() {
    let data = random(1, 1500, 7, 3);
    for words in &WORDS[..5] {
        let one = fit(&data, words, &Control::new(1)).unwrap();
        for threads in [2, 3, 8] {
            assert_eq!(
                one.tree,
                fit(&data, words, &Control::new(threads)).unwrap().tree,
                "{words}"
            );
        }
    }
}

#[test]
fn growth_on_pairs_can_be_stopped() {
    let data = random(2, 3000, 9, 4);
    let control = Control::new(2);
    control.cancel();
    assert_eq!(fit(&data, WORDS[0], &control).unwrap_err(), Error::Cancelled);
}

#[test]
fn seventy_thousand_rows_have_more_pairs_than_32_bits() {
    let columns: Vec<i64> = (0..70_000).map(|i| i % 7).collect();
    let classes: Vec<u16> = (0..70_000).map(|i| (i % 7 % 2) as u16).collect();
    let data = nominal(&[columns], 7, &classes, 2);
    let model = fit(&data, WORDS[0], &Control::new(1)).unwrap();
    assert_eq!(model.tree.nodes.len(), 8);
    // Pairs of one value are at distance 0 and of one class; all others at distance 1.
    let (n, side): (f64, f64) = (70_000.0, 10_000.0);
    let near = 7.0 * side * side * (side / n);
    let same = (4.0 * 3.0 + 3.0 * 2.0) * side * side * (side / n);
    let other = 2.0 * 4.0 * 3.0 * side * side * (side / n);
    let expected = near + (other - same) * (-0.1f64).exp2();
    assert!((model.tree.nodes[0].score / expected - 1.0).abs() < 1e-12);
}
