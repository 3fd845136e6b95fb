//! Neighbours through the public door: an exact little case, trees, weights, threads, cancelling,
//! and what is refused.

use super::growth::{draw, fit, nominal, numeric};
use super::pairs::plan;
use fasttree_core::criteria::{CRITERIA, EvidenceKind};
use fasttree_core::data::{RowSet, Weights};
use fasttree_core::error::Error;
use fasttree_core::inspect::score_features;
use fasttree_core::parallel::Control;
use fasttree_core::stats::neighbours::{
    Multiclass, NeighbourMethod, NeighbourRows, NeighbourTies, NominalRows, Ranks, RowWeights,
    neighbour_scores,
};

fn names() -> impl Iterator<Item = &'static str> {
    CRITERIA
        .iter()
        .filter(|e| e.info.evidence == EvidenceKind::Neighbours && !e.info.is_on_number())
        .map(|e| e.info.name)
}

/// The three-bit cube, class = x0 xor x1: every row has one hit at distance 1 (x2 differs) and two
/// misses there.
#[test]
fn exclusive_or_by_hand() {
    let codes: Vec<u8> = (0..8u8).flat_map(|i| [i & 1, i >> 1 & 1, i >> 2 & 1]).collect();
    let classes: Vec<u16> = (0..8u16).map(|i| (i & 1) ^ (i >> 1 & 1)).collect();
    let codes = NominalRows { values: &codes, columns: 3, stride: 3 };
    let rows = NeighbourRows::new(codes, Vec::new(), &classes, 2, RowWeights::One).unwrap();
    let scores =
        |method| neighbour_scores(&Control::new(1), &rows, method, Multiclass::Prior).unwrap();
    let nearest =
        |k| NeighbourMethod::ReliefF { k, ties: NeighbourTies::Share, ranks: Ranks::Equal };
    // the nearest hit differs in x2 only; the nearest misses differ in x0 or in x1 only and share
    // the weight of one
    assert_eq!(scores(nearest(1)), [0.5, 0.5, -1.0]);
    // three hits: distances 1, 2, 3 in (x2), (x0 x1), (x0 x1 x2); four misses: (x0), (x1), (x0 x2),
    // (x1 x2), of which the last two share one
    let expected = [0.5 - 2.0 / 3.0, 0.5 - 2.0 / 3.0, 1.0 / 3.0 - 2.0 / 3.0];
    scores(nearest(3))
        .iter()
        .zip(expected)
        .for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{a} {b}"));
    // the mean distance of different rows is 12/7: only distance 1 is nearer
    assert_eq!(scores(NeighbourMethod::Surf { star: false }), [0.5, 0.5, -1.0]);
}

#[test]
fn trees_by_neighbours_find_the_exclusive_or() {
    let mut seed = 3;
    let columns: Vec<Vec<i64>> =
        (0..6).map(|_| (0..200).map(|_| (draw(&mut seed) % 2) as i64).collect()).collect();
    let classes: Vec<u16> = (0..200).map(|i| (columns[2][i] ^ columns[4][i]) as u16).collect();
    let data = nominal(&columns, 2, &classes, 2);
    for name in names() {
        let words = format!(r#"{{"criterion": "{name}"}}"#);
        let model = fit(&data, &words, &Control::new(1)).unwrap();
        let again = fit(&data, &words, &Control::new(3)).unwrap();
        assert_eq!(model.tree, again.tree, "{name}");
        if name != "k_nearest_merit" {
            assert!([2, 4].contains(&model.tree.nodes[0].feature), "{name}");
        }
    }
}

#[test]
fn weights_are_copies() {
    let mut seed = 5;
    let (n, m) = (40, 4);
    let columns: Vec<Vec<i64>> =
        (0..m).map(|_| (0..n).map(|_| (draw(&mut seed) % 3) as i64).collect()).collect();
    let classes: Vec<u16> = (0..n).map(|_| (draw(&mut seed) % 2) as u16).collect();
    let weights: Vec<f64> = (0..n).map(|_| (draw(&mut seed) % 3) as f64).collect();
    let which: Vec<usize> =
        (0..n).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let copied: Vec<Vec<i64>> =
        columns.iter().map(|c| which.iter().map(|&i| c[i]).collect()).collect();
    let (one, many) = (
        nominal(&columns, 3, &classes, 2),
        nominal(&copied, 3, &which.iter().map(|&i| classes[i]).collect::<Vec<u16>>(), 2),
    );
    // internal rows are sorted by class
    let internal: Vec<f64> = one.original().iter().map(|&r| weights[r as usize]).collect();
    let weights = Weights::from_reals(&internal, &|i| i).unwrap();
    for name in names() {
        let plan = plan(&format!(r#"{{"criterion": "{name}"}}"#));
        let control = Control::new(1);
        let a = score_features(&plan, &one, &RowSet::all(n), &weights, false, &control).unwrap();
        let all = RowSet::all(which.len());
        let b = score_features(&plan, &many, &all, &Weights::Unit, false, &control).unwrap();
        assert!(
            a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + a.abs())),
            "{name}: {a:?} {b:?}"
        );
    }
}

#[test]
fn numbers_are_scored_as_numbers_but_not_split_without_bins() {
    let data = numeric(&[vec![0.0, 1.0, 9.0, 10.0], vec![0.0, 5.0, 1.0, 4.0]], &[0, 0, 1, 1], 2);
    let words = r#"{"criterion": "relieff", "criterion_options": {"k": 1}}"#;
    let plan = plan(words);
    let all = RowSet::all(4);
    let control = Control::new(1);
    let scores = score_features(&plan, &data, &all, &Weights::Unit, false, &control).unwrap();
    // x0: near 1 to the other class, 0.1 within; x1: gaps over 5
    assert!(scores[0] > 0.7 && scores[1] < 0.0, "{scores:?}");
    let error = fit(&data, words, &control).unwrap_err().to_string();
    assert!(error.contains("x0") && error.contains("discretize"), "{error}");
    let binned =
        r#"{"criterion": "relieff", "discretize": {"method": "equal_width", "n_bins": 2}}"#;
    assert_eq!(fit(&data, binned, &Control::new(1)).unwrap().tree.nodes[0].feature, 0);
}

#[test]
fn a_cancelled_search_stops() {
    let codes = vec![0u8; 3000 * 50];
    let classes: Vec<u16> = (0..3000).map(|i| (i % 2) as u16).collect();
    let codes = NominalRows { values: &codes, columns: 50, stride: 50 };
    let rows = NeighbourRows::new(codes, Vec::new(), &classes, 2, RowWeights::One).unwrap();
    let control = Control::new(2);
    control.cancel();
    let result = neighbour_scores(
        &control,
        &rows,
        NeighbourMethod::MultiSurf { star: true },
        Multiclass::Prior,
    );
    assert_eq!(result, Err(Error::Cancelled));
}
