//! Laws between criteria, settled corner cases and values computed by hand.

use super::criteria_tables::{
    Candidates, Random, Table, column_sums, criterion, evaluate, evaluate_in,
};
use fasttree_core::criteria::rows::Row;
use fasttree_core::criteria::{CRITERIA, Cells, Context, EvidenceKind, Tables, make};
use fasttree_core::numeric::mix;
use serde_json::{Value, json};
use std::collections::HashSet;

const TRIALS: u64 = 3000;

fn of(name: &str, options: Value, table: &[Vec<u32>]) -> (f64, f64) {
    evaluate(criterion(name, options).as_ref(), table)
}

fn score(name: &str, table: &[Vec<u32>]) -> f64 {
    of(name, Value::Null, table).0
}

fn close(a: f64, b: f64, what: impl std::fmt::Debug) {
    assert!((a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0), "{a} against {b}: {what:?}");
}

fn table(rows: &[&[u32]]) -> Table {
    rows.iter().map(|b| b.to_vec()).collect()
}

/// `-sum p log2 p`, with a library logarithm.
fn entropy(counts: &[u32]) -> f64 {
    let n: f64 = counts.iter().map(|&c| f64::from(c)).sum();
    counts.iter().filter(|&&c| c > 0).map(|&c| f64::from(c) / n).map(|p| -p * p.log2()).sum()
}

fn sizes(t: &[Vec<u32>]) -> Vec<u32> {
    t.iter().map(|b| b.iter().sum()).collect()
}

#[test]
fn the_xor_cube_tells_nothing_one_feature_at_a_time() {
    for feature in 0..3 {
        let mut t = vec![vec![0; 2]; 2];
        for row in 0..8usize {
            let bit = |i: usize| row >> i & 1;
            t[bit(feature)][bit(0) ^ bit(1)] += 1;
        }
        assert_eq!(score("info_gain", &t), 0.0);
        assert_eq!(score("gini", &t), 0.0);
    }
}

#[test]
fn one_minus_mantaras_is_gain_over_joint_entropy() {
    for seed in 0..TRIALS {
        let t = Random::new(seed).any_table();
        let (s, d) = of("mantaras", Value::Null, &t);
        let joint = entropy(&t.concat());
        if joint > 0.0 {
            close(1.0 - d, score("info_gain", &t) / joint, &t);
            close(s, 1.0 - d, &t);
            close(d, of("variation_of_information", Value::Null, &t).1 / joint, &t);
        } else {
            assert_eq!((s, d), (0.0, 0.0));
        }
    }
}

#[test]
fn gain_never_exceeds_either_entropy_and_refinement_never_lowers_it() {
    for seed in 0..TRIALS {
        let mut r = Random::new(seed);
        let t = r.any_table();
        let gain = score("info_gain", &t);
        assert!(gain <= entropy(&column_sums(&t)).min(entropy(&sizes(&t))) + 1e-12, "{t:?}");
        let mut finer = t.clone();
        let m = r.below(t.len());
        let part: Vec<u32> = t[m].iter().map(|&x| r.below(x as usize + 1) as u32).collect();
        finer[m].iter_mut().zip(&part).for_each(|(x, p)| *x -= p);
        finer.push(part);
        for name in ["info_gain", "gini", "dkm", "g_statistic", "chi2", "accuracy", "auc"] {
            assert!(score(name, &finer) >= score(name, &t) - 1e-9, "{name}: {t:?} {finer:?}");
        }
    }
}

#[test]
fn normal_gain_divides_by_the_declared_number_of_values() {
    for seed in 0..TRIALS {
        let t = Random::new(seed).any_table();
        let expected =
            if t.len() > 1 { score("info_gain", &t) / (t.len() as f64).log2() } else { 0.0 };
        close(score("normal_gain", &t), expected, &t);
    }
    // An empty declared value counts.
    let (two, three) = (table(&[&[2, 1], &[0, 3]]), table(&[&[2, 1], &[0, 3], &[0, 0]]));
    close(score("normal_gain", &two), score("normal_gain", &three) * 3f64.log2(), "empty value");
}

#[test]
fn gini_and_gain_ratio_are_not_symmetric() {
    let t = table(&[&[4, 0, 1], &[0, 3, 2]]);
    let turned = table(&[&[4, 0], &[0, 3], &[1, 2]]);
    close(of("gini", Value::Null, &t).1, 0.4, "gini");
    close(of("gini", Value::Null, &turned).1, 2.0 / 15.0, "gini of the transpose");
    assert!(score("gain_ratio", &t) > score("gain_ratio", &turned) + 0.1);
}

#[test]
fn a_consistent_table_has_distance_zero() {
    let t = table(&[&[7, 0, 0], &[0, 5, 0], &[0, 0, 11]]);
    for name in [
        "info_gain",
        "gain_ratio",
        "mantaras",
        "variation_of_information",
        "symmetric_uncertainty",
        "geometric_nmi",
        "min_nmi",
        "max_nmi",
        "gini",
        "accuracy",
        "jaccard",
        "f_measure",
        "f_measure_max",
    ] {
        assert!(of(name, Value::Null, &t).1.abs() < 1e-15, "{name}");
    }
    assert_eq!(of("accuracy", json!({"assignment": "identity"}), &t).1, 0.0);
    assert_eq!(of("jaccard", json!({"assignment": "identity"}), &t).1, 0.0);
}

#[test]
fn one_branch_or_one_class_scores_nothing() {
    for t in [
        table(&[&[3, 4]]),
        table(&[&[3, 4], &[0, 0]]),
        table(&[&[3, 0], &[4, 0]]),
        table(&[&[49, 98], &[0, 0]]),
    ] {
        for name in [
            "gain_ratio",
            "symmetric_uncertainty",
            "geometric_nmi",
            "min_nmi",
            "max_nmi",
            "mantaras",
            "hellinger",
            "euclid",
            "angle",
            "orthogonality",
            "class_euclid",
            "class_angle",
            "twoing",
            "chi2",
        ] {
            let s = score(name, &t);
            let pure = column_sums(&t).contains(&0);
            let blind = matches!(
                name,
                "euclid" | "angle" | "orthogonality" | "twoing" | "hellinger" | "chi2"
            );
            assert!(s.abs() < if pure && !blind { 1e-14 } else { 1e-15 }, "{name} = {s} on {t:?}");
        }
        assert_eq!(score("auc", &t), 0.5);
    }
    // A pure node and a constant feature agree completely, and yet tell nothing.
    assert_eq!(of("mantaras", Value::Null, &table(&[&[5, 0], &[0, 0]])), (0.0, 0.0));
}

#[test]
fn auc_is_mann_whitney_with_ties_one_half() {
    for seed in 0..TRIALS {
        let mut r = Random::new(seed);
        let branches = 1 + r.below(6);
        let t: Table = (0..branches).map(|_| vec![r.below(5) as u32, r.below(5) as u32]).collect();
        let totals = column_sums(&t);
        if totals.contains(&0) {
            continue;
        }
        // Row by row; shares compared as fractions.
        let rows =
            |class: usize| t.iter().flat_map(move |b| vec![(b[1], b[0] + b[1]); b[class] as usize]);
        let mut won = 0.0;
        for (p, n) in rows(1) {
            for (q, m) in rows(0) {
                won += match (p * m).cmp(&(q * n)) {
                    std::cmp::Ordering::Greater => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Less => 0.0,
                };
            }
        }
        close(score("auc", &t), won / f64::from(totals[0] * totals[1]), &t);
    }
}

#[test]
fn g_is_the_likelihood_ratio_statistic() {
    for seed in 0..TRIALS {
        let t = Random::new(seed).any_table();
        let (rows, columns) = (sizes(&t), column_sums(&t));
        let n: f64 = rows.iter().map(|&x| f64::from(x)).sum();
        let mut g = 0.0;
        for (b, &size) in t.iter().zip(&rows) {
            for (&x, &total) in b.iter().zip(&columns).filter(|&(&x, _)| x > 0) {
                g += 2.0
                    * f64::from(x)
                    * (f64::from(x) * n / (f64::from(size) * f64::from(total))).ln();
            }
        }
        let s = score("g_statistic", &t);
        assert!((s - g).abs() <= 1e-10 * n.max(1.0), "{s} {g} {t:?}");
        close(s, 2.0 * n * std::f64::consts::LN_2 * score("info_gain", &t), &t);
    }
}

#[test]
fn f_from_counts_is_the_harmonic_mean() {
    for seed in 0..TRIALS {
        let mut r = Random::new(seed);
        let t = r.table(2, 2);
        let beta = [0.5, 1.0, 2.0][r.below(3)];
        // Label by strict majority, then precision and recall of class 1.
        let labelled: Vec<bool> = t.iter().map(|b| b[1] > b[0]).collect();
        let sum = |class: usize, yes: bool| -> f64 {
            t.iter()
                .zip(&labelled)
                .filter(|(_, l)| **l == yes)
                .map(|(b, _)| f64::from(b[class]))
                .sum()
        };
        let (tp, fp, missed) = (sum(1, true), sum(0, true), sum(1, false));
        let expected = if tp > 0.0 {
            let (precision, recall) = (tp / (tp + fp), tp / (tp + missed));
            (1.0 + beta * beta) * precision * recall / (beta * beta * precision + recall)
        } else {
            0.0
        };
        let (s, d) = of("f_measure_max", json!({"beta": beta}), &t);
        close(s, expected, &t);
        close(d, 1.0 - s, &t);
    }
}

#[test]
fn f_measure_by_hand() {
    // Left: majority 1, TP 6, FP 2, FN 1; right: majority 0, TP 5, FP 1, FN 2.
    let t = table(&[&[2, 6], &[5, 1]]);
    let (left, right) = (12.0 / (12.0 + 1.0 + 2.0), 10.0 / (10.0 + 2.0 + 1.0));
    let after = 8.0 / 14.0 * left + 6.0 / 14.0 * right;
    close(score("f_measure", &t), after, "sum");
    // Before: 7 of 14 whichever class, FN = 0.
    let before = 14.0 / (14.0 + 7.0);
    close(of("f_measure", json!({"variant": "change"}), &t).0, f64::abs(before - after), "change");
    // A tie goes to the lower class: TP 2, FP 2, FN 3 rather than FN 0.
    let tie = table(&[&[2, 2], &[3, 0]]);
    close(score("f_measure", &tie), 4.0 / 7.0 * (4.0 / 9.0) + 3.0 / 7.0 * (6.0 / 8.0), "tie");
    // beta 2 weighs FN by four.
    let weighted =
        8.0 / 14.0 * (30.0 / (30.0 + 4.0 + 2.0)) + 6.0 / 14.0 * (25.0 / (25.0 + 8.0 + 1.0));
    close(of("f_measure", json!({"beta": 2.0}), &t).0, weighted, "beta");
    // Algorithm 1 does not see a pure branch of the negative class.
    assert_eq!(score("f_measure_max", &table(&[&[9, 0], &[9, 8]])), 0.0);
    // Three classes: the mean over all; a class given: that one.
    let three = table(&[&[4, 1, 0], &[0, 3, 3]]);
    let (f0, f1, f2) = (8.0 / (8.0 + 1.0), 0.0, 0.0);
    close(score("f_measure_max", &three), (f0 + f1 + f2) / 3.0, "mean");
    close(of("f_measure_max", json!({"positive": 0}), &three).0, f0, "positive");
}

#[test]
fn accuracy_in_three_readings() {
    let t = table(&[&[6, 1, 0], &[5, 4, 0], &[0, 2, 1]]);
    close(score("accuracy", &t), 13.0 / 19.0, "majority");
    close(
        of("accuracy", json!({"assignment": "matching"}), &t).0,
        11.0 / 19.0,
        "matching: 6 + 4 + 1",
    );
    close(of("accuracy", json!({"assignment": "identity"}), &t).0, 11.0 / 19.0, "identity");
    let two = table(&[&[6, 5], &[5, 0]]);
    close(
        of("accuracy", json!({"assignment": "matching"}), &two).0,
        10.0 / 16.0,
        "both want class 0",
    );
    close(of("accuracy", json!({"assignment": "identity"}), &two).0, 6.0 / 16.0, "identity");
}

#[test]
fn jaccard_counts_occurring_classes_and_empty_unions() {
    let c = criterion("jaccard", Value::Null);
    let identity = criterion("jaccard", json!({"assignment": "identity"}));
    // Branches fit classes 1 and 0 best: 4/5 and 5/6.
    let t = table(&[&[0, 4, 0], &[5, 1, 0]]);
    close(evaluate(c.as_ref(), &t).0, 4.0 / 5.0 + 5.0 / 6.0, "matching");
    close(evaluate(c.as_ref(), &t).1, 3.0 - 4.0 / 5.0 - 5.0 / 6.0, "k = 3");
    let (s, d) = evaluate_in(c.as_ref(), &t, &[true, true, false]);
    close(s + d, 2.0, "class 2 does not occur");
    // Identity: 0/9 and 1/10; the union of branch 2 and class 2 is empty and left out.
    let (s, d) = evaluate(identity.as_ref(), &t);
    close(s, 1.0 / 10.0, "identity");
    close(s + d, 2.0, "k without the empty pair");
    // A class without a branch counts, with similarity 0.
    let (s, d) = evaluate(identity.as_ref(), &table(&[&[3, 0, 2], &[0, 1, 0]]));
    close(s, 3.0 / 5.0 + 1.0, "identity");
    close(s + d, 3.0, "class 2 has rows but no branch");
}

#[test]
fn jaccard_sizes() {
    let t = table(&[&[4, 1], &[2, 3]]);
    let cardinality = of("jaccard", Value::Null, &t);
    let values: Vec<f64> = (0..=10).map(f64::from).collect();
    let own = of("jaccard", json!({"size": "values", "size_values": values}), &t);
    close(cardinality.0, own.0, "g = id");
    let roots: Vec<f64> = (0..=10).map(|i| f64::from(i).sqrt()).collect();
    let own = of("jaccard", json!({"size": "values", "size_values": roots}), &t);
    close(own.0, of("jaccard", json!({"size": "sqrt"}), &t).0, "g = sqrt");
    // Pairs (0,0) and (1,1): symmetric differences 3 of 7 and 3 of 6.
    close(own.1, (3.0f64 / 7.0).sqrt() + (3.0f64 / 6.0).sqrt(), "by hand");
    let log = of("jaccard", json!({"size": "log1p"}), &t).1;
    close(log, 4f64.ln() / 8f64.ln() + 4f64.ln() / 7f64.ln(), "log1p by hand");
}

#[test]
fn bad_options_are_refused_with_their_name() {
    let said = |name: &str, options: Value| {
        let Value::Object(map) = options else { panic!() };
        make(name, map).unwrap_err().to_string()
    };
    for beta in [json!(-1.0), json!(-0.5)] {
        assert!(said("f_measure", json!({"beta": beta})).contains("beta"));
        assert!(
            said("f_measure_max", json!({"beta": beta})).contains("must be a finite number >= 0")
        );
    }
    assert!(said("accuracy", json!({"assignment": "best"})).contains("best"));
    assert!(said("jaccard", json!({"size": "values"})).contains("size_values"));
    assert!(said("jaccard", json!({"size_values": [0.0, 1.0]})).contains("size='values'"));
    let own = |g: Value| said("jaccard", json!({"size": "values", "size_values": g}));
    assert!(own(json!([1.0, 2.0])).contains("the first 0"));
    assert!(own(json!([0.0, 1.0, 0.5])).contains("concave"));
    assert!(own(json!([0.0, 1.0, 3.0])).contains("g(2) = 3"));
    assert!(own(json!([0.0, 0.0, 0.0])).contains("positive"));
}

#[test]
fn options_that_do_not_fit_the_table_are_refused() {
    let t = table(&[&[4, 1], &[2, 3]]);
    let refuse = |name: &str, options: Value| {
        let c = criterion(name, options);
        let cells = t.concat();
        let context = Context::new(2, 10);
        let tables = Tables::one(&cells, &[6, 4], &[2], &context);
        c.score(&tables, &mut [0.0]).unwrap_err().to_string()
    };
    assert!(
        refuse("f_measure_max", json!({"positive": 2})).contains("positive=2: there are 2 classes")
    );
    let short = refuse("jaccard", json!({"size": "values", "size_values": [0.0, 1.0, 2.0]}));
    assert!(short.contains("0..=10"), "{short}");
}

#[test]
fn twoing_is_half_the_best_gini_over_superclasses() {
    for seed in 0..500 {
        let mut r = Random::new(seed);
        let k = 2 + r.below(3);
        let t = r.table(2, k);
        let best = (1..1usize << k)
            .map(|group| {
                let merge = |b: &Vec<u32>| {
                    let inside: u32 = b
                        .iter()
                        .enumerate()
                        .filter(|(c, _)| group >> c & 1 == 1)
                        .map(|(_, x)| x)
                        .sum();
                    vec![inside, b.iter().sum::<u32>() - inside]
                };
                score("gini", &t.iter().map(merge).collect::<Table>())
            })
            .fold(0.0, f64::max);
        close(2.0 * score("twoing", &t), best, &t);
    }
}

#[test]
fn angle_and_orthogonality_are_one_cosine() {
    for seed in 0..TRIALS {
        let t = Random::new(seed).any_table();
        close(score("angle", &t), score("orthogonality", &t), &t);
    }
}

#[test]
fn two_class_measures_do_not_see_a_class_that_never_occurs() {
    for seed in 0..TRIALS {
        let mut r = Random::new(seed);
        let t = r.table(3, 2);
        let wider: Table = t.iter().map(|b| vec![b[0], 0, b[1]]).collect();
        for name in ["hellinger", "auc"] {
            close(score(name, &t), score(name, &wider), (name, &t));
        }
    }
}

#[test]
fn mdl_by_hand() {
    // Prior: C(4,2) = 6 arrangements, 5 distributions; each pure branch: 1 arrangement, 3
    // distributions.
    let t = table(&[&[2, 0], &[0, 2]]);
    close(score("mdl", &t), (30f64.log2() - 2.0 * 3f64.log2()) / 4.0, "mdl");
    assert!(score("mdl", &table(&[&[1, 1], &[1, 1]])) < 0.0);
}

#[test]
fn an_empty_branch_changes_nothing_but_normal_gain() {
    for seed in 0..TRIALS {
        let mut r = Random::new(seed);
        let t = r.any_table();
        let mut wider = t.clone();
        wider.insert(r.below(t.len() + 1), vec![0; t[0].len()]);
        let on_tables = CRITERIA.iter().filter(|e| e.info.evidence == EvidenceKind::Table);
        for e in on_tables.filter(|e| e.info.name != "normal_gain") {
            let (a, b) = (score(e.info.name, &t), score(e.info.name, &wider));
            assert!((a - b).abs() <= 1e-10 * a.abs().max(1.0), "{}: {a} {b} {t:?}", e.info.name);
        }
    }
}

/// Where a criterion says that the distance of a table is a sum over labels, it is: terms of all
/// rows differ from the distance by a number that depends on the class totals alone, for rows and
/// for real weights, and for any division of a row in what was and what a candidate adds.
#[test]
fn row_terms_add_up_to_the_distance() {
    let sums = [
        ("info_gain", Value::Null),
        ("gini", Value::Null),
        ("mdl", Value::Null),
        ("dkm", Value::Null),
        ("laplace", Value::Null),
        ("variation_of_information", Value::Null),
        ("accuracy", json!({"assignment": "majority"})),
        ("accuracy", json!({"assignment": "identity"})),
        ("jaccard", json!({"assignment": "identity"})),
        ("jaccard", json!({"assignment": "identity", "size": "sqrt"})),
        ("jaccard", json!({"assignment": "identity", "size": "log1p"})),
    ];
    for (name, options) in sums {
        let criterion = criterion(name, options);
        for seed in 0..200u64 {
            let k = 2 + seed as usize % 4;
            let cell = |i: u64| u32::try_from(mix(seed, i) % 9).unwrap_or(0);
            // The same rows under two divisions among labels; class 1 may be missing.
            let empty = seed % 5 == 0;
            let columns: Vec<u32> = (0..k as u64)
                .map(|c| if empty && c == 1 { 0 } else { 9 * k as u32 + cell(c) })
                .collect();
            let divided = |salt: u64| -> Vec<u32> {
                let mut cells = vec![0; k * k];
                for (c, &n) in columns.iter().enumerate() {
                    for row in 0..n {
                        let label = mix(seed ^ salt, u64::from(row) * 31 + c as u64) % k as u64;
                        cells[label as usize * k + c] += 1;
                    }
                }
                cells
            };
            let mut context = Context::new(k, 1000);
            context.occurring = columns.iter().map(|&n| n > 0).collect();
            let difference = |cells: &[u32], real: bool| {
                let reals: Vec<f64> = cells.iter().map(|&x| f64::from(x) * 0.37).collect();
                let totals: Vec<f64> = columns.iter().map(|&x| f64::from(x) * 0.37).collect();
                let (cells_of, totals_of) = if real {
                    (Cells::Weights(&reals), Cells::Weights(&totals))
                } else {
                    (Cells::Rows(cells), Cells::Rows(&columns))
                };
                let tables = Tables {
                    cells: cells_of,
                    totals: totals_of,
                    branches: k,
                    classes: k,
                    stride: 1,
                    len: 1,
                    declared: &[2],
                    context: &context,
                };
                let mut whole = [0.0];
                criterion.distance(&tables, &mut whole).unwrap();
                for label in 0..k {
                    let row = &cells[label * k..(label + 1) * k];
                    let part: Vec<u32> = row.iter().map(|&x| x / 2).collect();
                    let rest: Vec<u32> = row.iter().map(|&x| x - x / 2).collect();
                    let size = [rest.iter().sum::<u32>()];
                    let scaled =
                        |x: &[u32]| x.iter().map(|&x| f64::from(x) * 0.37).collect::<Vec<f64>>();
                    let (p, r, s) = (scaled(&part), scaled(&rest), scaled(&size));
                    let (base, cells, sizes) = if real {
                        (Cells::Weights(&p), Cells::Weights(&r), Cells::Weights(&s))
                    } else {
                        (Cells::Rows(&part), Cells::Rows(&rest), Cells::Rows(&size))
                    };
                    let row = Row {
                        label,
                        base,
                        cells,
                        sizes,
                        stride: 1,
                        totals: totals_of,
                        context: &context,
                    };
                    let mut term = [0.0];
                    assert!(criterion.row_terms(&row, &mut term), "{name}");
                    whole[0] -= term[0];
                }
                whole[0]
            };
            for real in [false, true] {
                let (one, other) = (difference(&divided(1), real), difference(&divided(2), real));
                assert!(
                    (one - other).abs() < 1e-11,
                    "{name}, {k} classes, real weights {real}: {one} {other}"
                );
            }
        }
    }
    let matching = criterion("accuracy", json!({"assignment": "matching"}));
    let context = Context::new(1, 10);
    let (base, nothing) = (Cells::Rows(&[1]), Cells::Rows(&[0]));
    let row = Row {
        label: 0,
        base,
        cells: nothing,
        sizes: nothing,
        stride: 1,
        totals: base,
        context: &context,
    };
    assert!(!matching.row_terms(&row, &mut [0.0]), "a matching looks at all rows at once");
}

#[test]
fn jaccard_of_real_weights_takes_no_root_of_a_rounding_error() {
    let criterion = criterion("jaccard", json!({"assignment": "identity", "size": "sqrt"}));
    let context = Context::new(2, 10);
    // 0.1 + 0.2 > 0.3: the label holds all of its class and nothing else, but was added up in
    // another order.
    for (a, b, sum) in [(0.1, 0.2, 0.3), (0.7, 0.1, 0.8), (1.1, 2.2, 3.3)] {
        for (cell, total) in [(a + b, sum), (sum, a + b)] {
            let (cells, totals) = ([cell, 0.0, 0.0, 1.0], [total, 1.0]);
            let tables = Tables {
                cells: Cells::Weights(&cells),
                totals: Cells::Weights(&totals),
                branches: 2,
                classes: 2,
                stride: 1,
                len: 1,
                declared: &[2],
                context: &context,
            };
            let mut out = [0.0];
            criterion.distance(&tables, &mut out).unwrap();
            assert!(out[0].is_finite() && out[0].abs() < 1e-7, "{a} {b}: {}", out[0]);
        }
    }
}

/// Losses of the leaves of two divisions of the same rows differ as `n` times their scores and
/// distances do, for rows and for real weights; an empty leaf loses nothing.
#[test]
fn losses_of_leaves_are_minus_the_score() {
    let mut with_loss = HashSet::new();
    for e in CRITERIA.iter().filter(|e| e.info.evidence == EvidenceKind::Table) {
        let c = criterion(e.info.name, Value::Null);
        for seed in 0..500u64 {
            let mut r = Random::new(seed);
            let k = [1, 2, 3, 7, 40][r.below(5)];
            let mut totals: Vec<u32> = (0..k).map(|_| r.below(40) as u32).collect();
            totals[0] += 1;
            let branches = 1 + r.below(4);
            let two = Candidates::random(&mut r, &totals, branches, 2);
            let context = &two.context;
            let per_row = if e.info.extensive { 1.0 } else { totals.iter().sum::<u32>().into() };
            for real in [false, true] {
                let (mut score, mut distance) = ([0.0; 2], [0.0; 2]);
                c.score(&two.block(real), &mut score).unwrap();
                c.distance(&two.block(real), &mut distance).unwrap();
                let lost = |j: usize| -> Option<f64> {
                    let leaf = |m: usize| {
                        let at = |class: usize| (m * k + class) * two.stride + j;
                        let rows: Vec<u32> = (0..k).map(|class| two.rows[at(class)]).collect();
                        let weights: Vec<f64> = rows.iter().map(|&x| x.into()).collect();
                        let counts =
                            if real { Cells::Weights(&weights) } else { Cells::Rows(&rows) };
                        let loss = c.loss(counts, context)?;
                        assert!(loss >= 0.0, "{}: {loss} for {rows:?}", e.info.name);
                        let empty = rows.iter().all(|&x| x == 0);
                        assert!(!empty || loss == 0.0, "{}: {loss} for no rows", e.info.name);
                        Some(loss)
                    };
                    (0..branches).map(leaf).sum()
                };
                let (Some(first), Some(second)) = (lost(0), lost(1)) else { continue };
                with_loss.insert(e.info.name);
                let off = (first - second).abs().max(1.0) * 1e-11;
                for found in
                    [(score[1] - score[0]) * per_row, (distance[0] - distance[1]) * per_row]
                {
                    assert!((found - (first - second)).abs() < off, "{}: {totals:?}", e.info.name);
                }
            }
        }
    }
    let declared = ["info_gain", "g_statistic", "gini", "laplace", "accuracy", "mdl", "dkm"];
    assert!(HashSet::from(declared).is_subset(&with_loss), "{with_loss:?}");
}
