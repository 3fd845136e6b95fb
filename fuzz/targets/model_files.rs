//! Model files: any bytes are refused or read, and what is read can be used.
//!
//! The first byte says how the others are taken: as a file, or as the content of one whose checksum
//! is right, so that the checks behind it are reached.

use fasttree_core::bayes;
use fasttree_core::error::Error;
use fasttree_core::model::Model;
use fasttree_core::parallel::Control;
use fasttree_core::predict::{Predictor, Source};
use fasttree_core::store::{forest_from_bytes, forest_to_bytes, from_bytes, to_bytes};

/// Rows with everything in them: large, small, missing and unknown.
struct Rows;

impl Source for Rows {
    fn number(&self, row: usize, feature: usize) -> f64 {
        [0.0, -1e300, f64::NAN, 0.5, f64::INFINITY][(row + feature) % 5]
    }
    fn code(&self, row: usize, feature: usize) -> u32 {
        [0, 1, u32::MAX, 2, 7_000_000][(row + 2 * feature) % 5]
    }
}

/// A file around content, with the checksum that belongs to it (FNV-1a, 64 bit).
pub fn sealed(format: &str, content: &str) -> Vec<u8> {
    let mut h = 0xcbf2_9ce4_8422_2325_u64;
    for b in content.bytes() {
        h = (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
    }
    format!(r#"{{"format":"{format}","version":1,"checksum":"{h:016x}","model":{content}}}"#)
        .into_bytes()
}

fn refused(error: &Error) {
    assert!(matches!(error, Error::Model(_) | Error::Parameter { .. }), "{error:?}");
}

fn used(model: &Model, control: &Control) {
    let predictor = Predictor::new(model).unwrap();
    let found = predictor.classify(&Rows, 5, control).unwrap();
    assert!(found.iter().all(|&l| (-1..model.tree.classes as i64).contains(&l)));
    let found = predictor.probabilities(&Rows, 5, control).unwrap();
    assert_eq!(found.len(), 5 * model.tree.classes);
    assert!(model.tree.shape().depth < model.tree.nodes.len());
}

fn tree(bytes: &[u8], control: &Control) {
    match from_bytes(bytes, control) {
        Err(e) => refused(&e),
        Ok(model) => {
            used(&model, control);
            let written = to_bytes(&model, &model.parameters, control).unwrap();
            assert_eq!(from_bytes(&written, control).unwrap(), model);
        }
    }
}

fn forest(bytes: &[u8], control: &Control) {
    match forest_from_bytes(bytes, control) {
        Err(e) => refused(&e),
        Ok(forest) => {
            forest.trees.iter().for_each(|tree| used(tree, control));
            let written = forest_to_bytes(&forest, &forest.parameters, control).unwrap();
            let again = forest_from_bytes(&written, control).unwrap();
            assert_eq!(forest_to_bytes(&again, &again.parameters, control).unwrap(), written);
        }
    }
}

fn bayes(bytes: &[u8], control: &Control) {
    match bayes::BayesModel::from_json(bytes, control) {
        Err(e) => refused(&e),
        Ok(model) => {
            let number = |row, feature| Rows.number(row, feature);
            let code = |row, feature| Rows.code(row, feature);
            let found = model.log_joint(5, number, code, control).unwrap();
            let k = model.classes();
            assert_eq!(found.len(), 5 * k);
            assert!(found.iter().all(|x| *x < f64::INFINITY), "{found:?}");
            let mut shares = found;
            bayes::normalise(&mut shares, k);
            for row in shares.chunks_exact(k) {
                assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{row:?}");
                let sum: f64 = row.iter().sum();
                assert!(sum == 0.0 || (sum - 1.0).abs() < 1e-9, "{row:?}");
            }
            model.to_json(control).unwrap();
        }
    }
}

/// Read the bytes.
pub fn check(bytes: &[u8]) {
    let control = Control::new(1);
    let Some((&how, content)) = bytes.split_first() else { return };
    let words = String::from_utf8_lossy(content);
    match how % 5 {
        0 => tree(content, &control),
        1 => tree(&sealed("fasttree model", &words), &control),
        2 => forest(content, &control),
        3 => forest(&sealed("fasttree forest", &words), &control),
        _ => bayes(content, &control),
    }
}
