//! Bayesian classifiers: counts, laws, models that are read back, and hostile ones.

use super::written::bayes_from_json;
use fasttree_core::bayes::{
    BayesConfig, BayesModel, Input, Learner, PairTable, Smoothing, Structure,
    conditional_mutual_information, fit, normalise, pair_tables,
};
use fasttree_core::data::{
    Dataset, DatasetBuilder, Feature, Kind as FeatureKind, Label, Schema, Weights,
};
use fasttree_core::numeric::mix;
use fasttree_core::parallel::Control;

const ARITIES: [usize; 4] = [2, 3, 5, 4];

/// Codes that copy the class or the column before with some noise; every 17th cell is missing.
fn code(row: usize, column: usize) -> i64 {
    let random = mix(column as u64 + 1, row as u64);
    if random.is_multiple_of(17) {
        return -1;
    }
    let own = random >> 8;
    let kept = if column == 0 { class(row) as u64 } else { mix(column as u64, row as u64) >> 8 };
    (if random & 0x30 == 0 { own } else { kept } % ARITIES[column] as u64) as i64
}

fn class(row: usize) -> u16 {
    (mix(99, row as u64) % 3) as u16
}

fn data(n: usize) -> Dataset<'static> {
    let features = ARITIES
        .iter()
        .enumerate()
        .map(|(j, &v)| {
            Feature::new(
                format!("f{j}"),
                FeatureKind::Nominal {
                    levels: (0..v as i64).map(Label::Int).collect(),
                    ordered: false,
                    fill: None,
                },
            )
        })
        .collect();
    let schema =
        Schema { features, classes: (0..3).map(Label::Int).collect(), target: "class".into() };
    let mut builder = DatasetBuilder::new(schema, &(0..n).map(class).collect::<Vec<_>>()).unwrap();
    for (j, &v) in ARITIES.iter().enumerate() {
        builder.nominal(v, |row| code(row, j)).unwrap();
    }
    builder.finish().unwrap()
}

fn learners() -> Vec<Learner> {
    vec![
        Learner::Naive { var_smoothing: 1e-9 },
        Learner::Tan { wrapper: false, root: None, fill: false },
        Learner::Tan { wrapper: false, root: Some(2), fill: true },
        Learner::Tan { wrapper: true, root: None, fill: false },
        Learner::Aode { limit: 1.0 },
    ]
}

fn config(learner: Learner) -> BayesConfig {
    BayesConfig {
        learner,
        smoothing: Smoothing::Laplace { alpha: 0.5 },
        cuts: vec![None; 4],
        priors: None,
        weka: Vec::new(),
    }
}

fn joint(model: &BayesModel, rows: usize, threads: usize) -> Vec<f64> {
    let code = |row, column| u32::try_from(code(row, column)).unwrap_or(u32::MAX);
    model.log_joint(rows, |_, _| f64::NAN, code, &Control::new(threads)).unwrap()
}

#[test]
fn pair_tables_hold_every_row_once_and_agree_with_counting_by_hand() {
    let data = data(500);
    let input = Input::new(&data, &Weights::Unit, &[None, None, None, None], false).unwrap();
    let tables = pair_tables(&input, &Control::new(3), |i, j, t| Ok((i, j, t))).unwrap();
    assert_eq!(tables.len(), 6);
    for (i, j, t) in &tables {
        assert_eq!(t.cells.iter().sum::<f64>(), 500.0);
        let by_hand =
            (0..500).filter(|&r| code(r, *i) == 1 && code(r, *j) == -1 && class(r) == 2).count();
        assert_eq!(t.at(1, ARITIES[*j], 2), by_hand as f64);
        assert!(conditional_mutual_information(t) > 0.0);
    }
}

#[test]
fn independent_features_share_no_information() {
    let cells = vec![
        1.0, 2.0, 3.0, 6.0, 0.0, 0.0, 2.0, 4.0, 6.0, 12.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    ];
    let table = PairTable { first: 2, second: 2, classes: 2, cells };
    assert!(conditional_mutual_information(&table).abs() < 1e-15);
}

#[test]
fn threads_change_nothing_and_probabilities_sum_to_one() {
    let data = data(700);
    for learner in learners() {
        let fitted =
            |threads| fit(&data, &Weights::Unit, &config(learner), &Control::new(threads)).unwrap();
        let one = fitted(1);
        assert_eq!(one, fitted(4));
        let mut p = joint(&one, 700, 1);
        assert_eq!(p, joint(&one, 700, 4));
        normalise(&mut p, 3);
        for row in p.chunks_exact(3) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{learner:?}");
        }
    }
}

#[test]
fn weights_in_fixed_point_scale_out() {
    let data = data(300);
    let twos = Weights::Integer(vec![2; 300]);
    let halves = Weights::from_reals(&[0.5; 300], &|i| i).unwrap();
    for learner in [learners()[0], learners()[1], learners()[4]] {
        // A quarter of the weight with a quarter of the smoothing is the same model.
        let of = |weights: &Weights, alpha| {
            let config = BayesConfig { smoothing: Smoothing::Laplace { alpha }, ..config(learner) };
            joint(&fit(&data, weights, &config, &Control::new(1)).unwrap(), 300, 1)
        };
        let learner_limit_free = of(&twos, 2.0).into_iter().zip(of(&halves, 0.5));
        assert!(learner_limit_free.into_iter().all(|(a, b)| (a - b).abs() < 1e-12));
    }
}

#[test]
fn models_come_back_from_text_and_damaged_ones_do_not() {
    let data = data(200);
    for learner in learners() {
        let model = fit(&data, &Weights::Unit, &config(learner), &Control::new(1)).unwrap();
        let text = model.to_json(&Control::new(1)).unwrap();
        let back = bayes_from_json(&text).unwrap();
        assert_eq!(back, model);
        assert_eq!(joint(&back, 200, 1), joint(&model, 200, 1));
        let mut short = model.clone();
        short.class_counts.pop();
        assert!(bayes_from_json(&short.to_json(&Control::new(1)).unwrap()).is_err());
        let mut fewer = model.clone();
        fewer.readings.pop();
        assert!(bayes_from_json(&fewer.to_json(&Control::new(1)).unwrap()).is_err());
        if let Structure::Tan(tan) = &model.kind {
            let mut circle = model.clone();
            let mut tan = tan.clone();
            tan.parents = vec![Some(1), Some(0), Some(0), Some(0)];
            circle.kind = Structure::Tan(tan);
            assert!(bayes_from_json(&circle.to_json(&Control::new(1)).unwrap()).is_err());
        }
    }
    assert!(bayes_from_json(b"{}").is_err());
}
