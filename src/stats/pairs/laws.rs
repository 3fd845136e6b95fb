//! Properties of the framework as tests: the XOR cube of Vilalta et al. (2001) with its printed
//! constants, both propositions, conservation of pairs, closed forms.

use super::tests::Random;
use super::*;
use crate::parallel::Control;

fn counts(codes: &CodeTable<'_>) -> PairCounts {
    pair_counts(&Control::new(1), codes).unwrap()
}

/// Three bits, class = first xor second.
fn cube() -> PairCounts {
    let bits: Vec<Vec<u8>> = (0..3).map(|b| (0..8u8).map(|i| i >> b & 1).collect()).collect();
    let classes: Vec<u16> = (0..8).map(|i| (i & 1) ^ (i >> 1 & 1)).collect();
    let columns =
        bits.iter().map(|b| CodeColumn { values: CodeValues::U8(b), levels: 2 }).collect();
    counts(&CodeTable::new(columns, &classes, 2, None).unwrap())
}

fn near(a: &[f64], b: &[f64], tolerance: f64) {
    assert!(
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance),
        "{a:?} {b:?}"
    );
}

#[test]
fn the_cube_has_the_constants_of_the_paper() {
    let cube = cube();
    // pairs with other value and other class at distance 1
    let at_one = |k: usize| -> i64 {
        (0..2)
            .flat_map(|v| (0..2).map(move |c| (v, c)))
            .map(|(v, c)| cube.by_distance(k, v, c, 3)[1])
            .sum()
    };
    assert_eq!([at_one(0) / 2, at_one(1) / 2, at_one(2) / 2], [4, 4, 0]);
    let profile = Profile::new(&cube);
    near(&profile.contextual_merit(&PairSetting::contextual_merit()), &[10.0, 10.0, 4.0], 1e-12);
    near(&profile.relief(&PairSetting::relief(2.0).unwrap()), &[8.0, 8.0, -8.0], 1e-12);
    near(&profile.pi(&PairSetting::pi()), &[1.000920, 1.000920, 0.001201], 5e-7);
    let flat = PairSetting::new([1.0; 4], 0.0, Decay::Exponential).unwrap();
    near(&profile.pi(&flat), &[0.0; 3], 1e-12);
}

#[test]
fn row_totals_are_conserved() {
    for seed in 0..50 {
        let random = Random::new(seed, 150, 8);
        let counts = counts(&random.codes());
        for class in 0..counts.classes() {
            for half in 0..2 {
                let total = |k: usize, d: usize| -> i64 {
                    (0..counts.values(k))
                        .map(|v| {
                            counts.by_distance(k, v, class, half)[d]
                                + counts.by_distance(k, v, class, half + 2)[d]
                        })
                        .sum()
                };
                for d in 0..counts.distances() {
                    assert!((0..counts.features()).all(|k| total(k, d) == total(0, d)));
                    assert_eq!(
                        counts.root()[(class * 2 + half) * counts.distances() + d],
                        total(0, d)
                    );
                }
            }
        }
    }
}

#[test]
fn uniform_weights_have_a_closed_form_and_class_counts_come_back() {
    for seed in 0..50 {
        let random = Random::new(seed, 120, 6);
        let codes = random.codes();
        let counts = counts(&codes);
        let uniform =
            count_matrices(&counts, &PairSetting::new([1.0; 4], 7.0, Decay::Uniform).unwrap());
        let zero =
            count_matrices(&counts, &PairSetting::new([1.0; 4], 0.0, Decay::Exponential).unwrap());
        near(&uniform, &zero, 0.0);
        let mut closed = Vec::new();
        for k in 0..counts.features() {
            let mut table = vec![0.0; counts.values(k) * counts.classes()];
            for i in 0..codes.n_rows() {
                let at = codes.columns()[k].values.code(i) * counts.classes()
                    + usize::from(codes.classes()[i]);
                table[at] += f64::from(codes.weight(i));
            }
            let matrix = uniform_matrices(&table, counts.classes());
            // proposition 1: n_mc is the root of R_m[c, 1]
            near(&matrix.iter().step_by(4).map(|r| r.sqrt()).collect::<Vec<_>>(), &table, 1e-9);
            closed.extend(matrix);
        }
        near(&uniform, &closed, 1e-6);
    }
}

#[test]
fn identical_rows_count_squared() {
    let column = [1u8; 4];
    let classes = [0u16; 4];
    let codes = CodeTable::new(
        vec![CodeColumn { values: CodeValues::U8(&column), levels: 2 }],
        &classes,
        1,
        None,
    )
    .unwrap();
    let r = count_matrices(
        &counts(&codes),
        &PairSetting::new([1.0, 0.0, 0.0, 0.0], 1.0, Decay::Identical).unwrap(),
    );
    assert_eq!(r, [0.0, 0.0, 0.0, 0.0, 16.0, 0.0, 0.0, 0.0]);
}

#[test]
fn relief_and_contextual_merit_are_instances() {
    for seed in 0..50 {
        let mut random = Random::new(seed, 80, 7);
        random.weights = None;
        let codes = random.codes();
        let counts = counts(&codes);
        let profile = Profile::new(&counts);
        let (mut merit, mut relief) = (vec![0.0; counts.features()], vec![0.0; counts.features()]);
        let radius = default_radius(&counts);
        for i in 0..codes.n_rows() {
            for j in 0..codes.n_rows() {
                let differ: Vec<bool> =
                    codes.columns().iter().map(|c| c.values.code(i) != c.values.code(j)).collect();
                let d = differ.iter().filter(|d| **d).count();
                let miss = codes.classes()[i] != codes.classes()[j];
                for k in 0..counts.features() {
                    if differ[k] && miss {
                        merit[k] += 1.0 / (d * d) as f64;
                    }
                    if differ[k] && d < radius {
                        relief[k] += if miss { 1.0 } else { -1.0 };
                    }
                }
            }
        }
        let setting = PairSetting::relief(radius as f64).unwrap();
        near(&profile.contextual_merit(&PairSetting::contextual_merit()), &merit, 1e-6);
        near(&profile.relief(&setting), &relief, 1e-9);
        // unweighted, the paper's F is twice Relief and a constant
        let all = PairSetting::new([1.0; 4], radius as f64, Decay::Threshold).unwrap();
        let f = profile.pi_unweighted(&all);
        let constant = f[0] - 2.0 * relief[0];
        assert!(f.iter().zip(&relief).all(|(f, r)| (f - 2.0 * r - constant).abs() < 1e-6));
    }
}

#[test]
fn settings_are_checked() {
    let setting = |t, a, d| PairSetting::new([t, 1.0, 1.0, 1.0], a, d);
    for bad in [f64::NAN, -1.0, 1.5, f64::INFINITY] {
        assert!(setting(bad, 0.1, Decay::Exponential).is_err());
    }
    for bad in [f64::NAN, -0.1, f64::INFINITY] {
        assert!(
            setting(1.0, bad, Decay::Exponential).is_err() && PairSetting::relief(bad).is_err()
        );
    }
    let far = setting(1.0, 1e308, Decay::Exponential).unwrap();
    assert_eq!(far.weights(3), [1.0, 0.0, 0.0]);
    let power = setting(1.0, 1e308, Decay::Power { at_zero: 0.5 }).unwrap();
    assert_eq!(power.weights(3), [0.5, 1.0, 0.0]);
}
