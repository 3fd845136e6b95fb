//! Model files: exact round trips, damage that is seen, forgeries that are refused, a chain without
//! recursion.

use super::growth::{draw, fit, nominal, numeric};
use super::written::{from_bytes, to_bytes};
use fasttree_core::error::Error;
use fasttree_core::model::Model;
use fasttree_core::parallel::Control;
use fasttree_core::predict::CompiledTree;
use fasttree_core::tree::Test;
use proptest::prelude::*;

fn small() -> Model {
    let data = nominal(
        &[vec![0, 0, 1, 1, 2, 2, -1, 0], vec![1, 0, 1, 0, 1, 0, 1, 1]],
        3,
        &[0, 1, 1, 0, 0, 0, 1, 0],
        2,
    );
    fit(
        &data,
        r#"{"smoothing": {"method": "m_estimate", "m": 2.0}, "parameters": "{\"a\": 1}"}"#,
        &Control::new(1),
    )
    .unwrap()
}

fn refused(bytes: &[u8]) -> bool {
    matches!(from_bytes(bytes), Err(Error::Model(_)))
}

/// The file around any model text, with the checksum that belongs to it (FNV-1a, 64 bit).
fn forged(model: &str) -> Vec<u8> {
    let mut h = 0xcbf2_9ce4_8422_2325_u64;
    for b in model.bytes() {
        h = (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
    }
    format!(r#"{{"format":"fasttree model","version":1,"checksum":"{h:016x}","model":{model}}}"#)
        .into_bytes()
}

fn body(model: &Model) -> serde_json::Map<String, serde_json::Value> {
    let document: serde_json::Value = serde_json::from_slice(&to_bytes(model).unwrap()).unwrap();
    document["model"].as_object().unwrap().clone()
}

#[test]
fn a_root_without_training_rows_is_refused() {
    let mut empty = body(&small());
    let counts = empty["counts"].as_array().unwrap().len();
    empty["counts"] = vec![0.0; counts].into();
    assert!(refused(&forged(&serde_json::to_string(&empty).unwrap())));
}

#[test]
fn what_is_read_is_what_was_written() {
    let model = small();
    let bytes = to_bytes(&model).unwrap();
    let back = from_bytes(&bytes).unwrap();
    assert_eq!(back, model);
    assert_eq!(to_bytes(&back).unwrap(), bytes);
}

/// One threshold, 0.6, that reaches to 0.600001.
fn tolerant() -> Model {
    let data = numeric(&[vec![0.2, 0.6, 1.4, 1.8]], &[0, 0, 1, 1], 2);
    fit(&data, r#"{"thresholds": "training_value"}"#, &Control::new(1)).unwrap()
}

#[test]
fn a_reach_is_stored_and_must_lie_above_its_threshold() {
    let model = tolerant();
    let Test::Threshold(t) = model.tree.nodes[0].test else { panic!("a threshold") };
    assert!(t.at == 0.6 && t.reach - 0.6 < 1e-6 && t.reach.next_up() - 0.6 >= 1e-6);
    assert_eq!(from_bytes(&to_bytes(&model).unwrap()).unwrap(), model);
    let original = body(&model);
    assert_eq!(original["reaches"].as_array().unwrap().len(), 1);
    let number = |x: f64| serde_json::json!([[0, x]]);
    let wrong = [
        number(0.6),
        number(0.5),
        serde_json::json!([[1, 0.7]]),
        serde_json::json!([[0, 0.7], [0, 0.8]]),
    ];
    for value in wrong {
        let mut forgery = original.clone();
        forgery["reaches"] = value.clone();
        assert!(refused(&forged(&serde_json::to_string(&forgery).unwrap())), "{value}");
    }
    assert!(body(&small()).get("reaches").is_none());
}

#[test]
fn every_flipped_bit_and_every_truncation_is_seen() {
    let bytes = to_bytes(&small()).unwrap();
    for place in 0..bytes.len() {
        assert!(refused(&bytes[..place]), "cut at {place}");
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << bit;
            assert!(refused(&damaged), "bit {bit} of byte {place}");
        }
    }
}

#[test]
fn wrong_numbers_under_a_right_checksum_are_refused() {
    let model = small();
    let original = body(&model);
    assert!(
        from_bytes(&forged(&serde_json::to_string(&original).unwrap())).is_ok(),
        "the forger works"
    );
    let cases: [(&str, usize, serde_json::Value); 14] = [
        ("parent", 1, 1.into()),
        ("parent", 1, 2.into()),
        ("parent", 1, (-1).into()),
        ("parent", 0, 0.into()),
        ("branch", 1, 1.into()),
        ("feature", 0, 2.into()),
        ("feature", 0, (-1).into()),
        ("label", 0, 2.into()),
        ("label", 0, (-2).into()),
        ("label", 0, (-1).into()),
        ("label", 1, (-1).into()),
        ("missing_branch", 0, 9.into()),
        ("n_children", 0, 2.into()),
        ("counts", 0, (-1.0).into()),
    ];
    for (field, place, value) in cases {
        let mut wrong = original.clone();
        assert_ne!(wrong[field][place], value, "{field}");
        wrong[field][place] = value.clone();
        assert!(
            refused(&forged(&serde_json::to_string(&wrong).unwrap())),
            "{field}[{place}] = {value}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_number_anywhere_is_refused_or_harmless(field in 0..12_usize, place in 0..40_usize,
        value in prop_oneof![
        (-3_i64..8), Just(i64::from(u32::MAX)), Just(1_i64 << 33), Just(i64::MIN), Just(i64::MAX)
    ]) {
        let model = small();
        let mut wrong = body(&model);
        let names = ["parent", "branch", "feature", "missing_branch", "label", "rows", "step",
            "score", "distance",
            "n_children", "counts", "threshold"];
        let list = wrong[names[field]].as_array_mut().unwrap();
        let place = place % list.len();
        list[place] = value.into();
        if let Ok(other) = from_bytes(&forged(&serde_json::to_string(&wrong).unwrap())) {
            // It loads: then everything that reads a tree must come to an end without a panic.
            let data = nominal(&[vec![0, 1, 2, -1], vec![2, 1, 0, -1]], 3, &[0, 1, 0, 1], 2);
            let compiled = CompiledTree::new(&other.tree, &other.schema).unwrap();
            let reached = compiled.leaves(&data, 4, &Control::new(1)).unwrap();
            let mut p = [0.0; 2];
            reached.iter().for_each(|&l| other.probabilities(l as usize, &mut p));
            (0..4).for_each(|s| { other.tree.cut(s).shape(); });
            prop_assert!(to_bytes(&other).is_ok());
        }
    }

    #[test]
    fn bytes_that_are_no_model_are_refused(
        bytes in proptest::collection::vec(any::<u8>(), 0..200)
    ) {
        prop_assert!(refused(&bytes));
    }

    #[test]
    fn thresholds_keep_every_bit(values in proptest::collection::hash_set(any::<i64>(), 2..20)) {
        let values: Vec<f64> = values
            .into_iter()
            .map(|v| f64::from_bits(v as u64))
            .filter(|v| v.is_finite())
            .collect();
        prop_assume!(values.len() > 1);
        let classes: Vec<u16> = (0..values.len()).map(|i| (i % 2) as u16).collect();
        let model = fit(&numeric(&[values], &classes, 2), "{}", &Control::new(1)).unwrap();
        prop_assert_eq!(from_bytes(&to_bytes(&model).unwrap()).unwrap(), model);
    }
}

#[test]
fn a_chain_of_20000_levels_is_a_tree_like_any_other() {
    let n = 20_001;
    let classes: Vec<u16> = (0..n).map(|i| (i % 2) as u16).collect();
    let data = numeric(&[(0..n).map(|i| i as f64).collect()], &classes, 2);
    // A small stack: a walk by recursion would end here.
    std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(move || {
            let model = fit(&data, r#"{"criterion": "accuracy"}"#, &Control::new(1)).unwrap();
            assert_eq!(model.tree.shape().depth, 20_000);
            let back = from_bytes(&to_bytes(&model).unwrap()).unwrap();
            assert_eq!(back, model);
            assert_eq!(back.tree.cut(10_000).shape().depth, 10_000);
            let reached = CompiledTree::new(&back.tree, &back.schema)
                .unwrap()
                .leaves(&data, data.len(), &Control::new(1))
                .unwrap();
            assert!(
                reached
                    .iter()
                    .zip(data.classes())
                    .all(|(&l, &c)| back.tree.nodes[l as usize].label == i32::from(c))
            );
        })
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn random_trees_survive() {
    let mut seed = 3;
    for size in [2, 10, 200] {
        let columns: Vec<Vec<f64>> =
            (0..3).map(|_| (0..size).map(|_| draw(&mut seed) as f64 / 1e7).collect()).collect();
        let classes: Vec<u16> = (0..size).map(|_| (draw(&mut seed) % 4) as u16).collect();
        let model = fit(&numeric(&columns, &classes, 4), "{}", &Control::new(1)).unwrap();
        assert_eq!(from_bytes(&to_bytes(&model).unwrap()).unwrap(), model);
    }
}
