//! Every fact that a criterion declares about itself is tried on random tables: a declared property
//! must hold on all of them, a denied one must fail on some.

use super::criteria_tables::{
    Candidates, Random, Table, column_sums, criterion, cross, evaluate, transpose,
};
use fasttree_core::criteria::{
    CRITERIA, Criterion, Cuts, EvidenceKind, GainFilter, Info, LeftRows, OptionDomain, Term, find,
    make,
};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

const TRIALS: u64 = 4000;
/// A G statistic is a gain, known to a few units in the last place of its entropies, times 2 n.
const TOLERANCE: f64 = 1e-10;
/// Differences between tables of some tens of rows are larger than this, or none.
const STRICTLY: f64 = 1e-9;

fn on_tables() -> impl Iterator<Item = (&'static Info, Box<dyn Criterion>)> {
    CRITERIA
        .iter()
        .filter(|e| e.info.evidence == EvidenceKind::Table)
        .map(|e| (e.info, criterion(e.info.name, Value::Null)))
}

/// Criteria on tables with one option at another value than its default: what it is, its facts, and
/// itself.
fn with_options() -> impl Iterator<Item = (String, &'static Info, Box<dyn Criterion>)> {
    on_tables().flat_map(|(info, _)| {
        info.options.iter().flat_map(move |option| {
            let others: Vec<Value> = serde_json::from_str(option.others).unwrap();
            others.into_iter().map(move |value| {
                let said = format!("{}({}={value})", info.name, option.name);
                (said, info, criterion(info.name, json!({ option.name: value })))
            })
        })
    })
}

/// Holds on every trial if declared, fails on one at least if denied.
fn verify(
    info: &Info,
    fact: &str,
    declared: bool,
    mut holds: impl FnMut(&mut Random) -> Result<(), String>,
) {
    let mut broken = None;
    for seed in 0..TRIALS {
        if let Err(why) = holds(&mut Random::new(seed)) {
            broken = Some(why);
            break;
        }
    }
    match (declared, broken) {
        (true, Some(why)) => panic!("{} is declared {fact}: {why}", info.name),
        (false, None) => panic!("{} is declared not {fact}, but no table shows it", info.name),
        _ => {}
    }
}

fn same(a: f64, b: f64, what: impl std::fmt::Debug) -> Result<(), String> {
    let close = (a - b).abs() <= TOLERANCE * a.abs().max(1.0);
    if close { Ok(()) } else { Err(format!("{a} against {b} on {what:?}")) }
}

fn both_same(c: &dyn Criterion, table: &Table, other: &Table) -> Result<(), String> {
    let (a, b) = (evaluate(c, table), evaluate(c, other));
    same(a.0, b.0, table)?;
    same(a.1, b.1, table)
}

#[test]
fn examples_are_worked() {
    for (info, c) in on_tables() {
        let table: Table = info.example.iter().map(|b| b.to_vec()).collect();
        same(evaluate(c.as_ref(), &table).0, info.example_score, &table)
            .unwrap_or_else(|e| panic!("{}: {e}", info.name));
    }
}

#[test]
fn scores_stay_in_their_range() {
    for (info, c) in on_tables() {
        for seed in 0..TRIALS {
            let table = Random::new(seed).any_table();
            let (score, distance) = evaluate(c.as_ref(), &table);
            assert!(score.is_finite() && distance.is_finite(), "{} on {table:?}", info.name);
            let (low, high) =
                (info.lowest.unwrap_or(f64::NEG_INFINITY), info.highest.unwrap_or(f64::INFINITY));
            assert!(
                score >= low - TOLERANCE && score <= high + TOLERANCE,
                "{} = {score} on {table:?}",
                info.name
            );
        }
    }
}

#[test]
fn an_empty_node_has_a_finite_score() {
    for (info, c) in on_tables() {
        for (m, k) in [(1, 1), (2, 2), (3, 4)] {
            let (score, distance) = evaluate(c.as_ref(), &vec![vec![0; k]; m]);
            assert!(
                score.is_finite() && distance.is_finite(),
                "{} on {m} x {k}: {score}, {distance}",
                info.name
            );
        }
    }
}

#[test]
fn symmetry() {
    for (info, c) in on_tables() {
        verify(info, "symmetric", info.symmetric, |r| {
            let table = r.any_table();
            same(evaluate(c.as_ref(), &table).0, evaluate(c.as_ref(), &transpose(&table)).0, &table)
        });
    }
}

#[test]
fn invariance_under_reordering() {
    for (info, c) in on_tables() {
        verify(info, "branch-invariant", info.branch_invariant, |r| {
            let table = r.any_table();
            let mut other = table.clone();
            r.shuffle(&mut other);
            both_same(c.as_ref(), &table, &other)
        });
        verify(info, "class-invariant", info.class_invariant, |r| {
            let table = r.any_table();
            let mut other = transpose(&table);
            r.shuffle(&mut other);
            both_same(c.as_ref(), &table, &transpose(&other))
        });
    }
}

/// The three laws of a metric for `d`, on partitions of twelve rows.
fn metric_laws(r: &mut Random, d: &dyn Fn(&[usize], &[usize]) -> f64) -> Result<(), String> {
    let (a, b, c) = (r.partition(12), r.partition(12), r.partition(12));
    same(d(&a, &a), 0.0, &a)?;
    same(d(&a, &b), d(&b, &a), (&a, &b))?;
    let (direct, around) = (d(&a, &c), d(&a, &b) + d(&b, &c));
    if direct > around + TOLERANCE {
        return Err(format!("{direct} > {around} on {a:?} {b:?} {c:?}"));
    }
    let apart = cross(&a, &b);
    let equal =
        apart.iter().chain(&transpose(&apart)).all(|b| b.iter().filter(|&&x| x > 0).count() == 1);
    if !equal && d(&a, &b) <= TOLERANCE {
        return Err(format!("distance {} of the different {a:?} {b:?}", d(&a, &b)));
    }
    Ok(())
}

#[test]
fn metrics_obey_the_triangle_inequality() {
    for (info, c) in on_tables() {
        let d = |a: &[usize], b: &[usize]| evaluate(c.as_ref(), &cross(a, b)).1;
        verify(info, "a metric", info.metric, |r| metric_laws(r, &d));
    }
}

#[test]
fn matched_accuracy_is_a_metric_and_identities_are_one_on_labels() {
    let matched = criterion("accuracy", json!({"assignment": "matching"}));
    let d = |a: &[usize], b: &[usize]| evaluate(matched.as_ref(), &cross(a, b)).1;
    verify(CRITERIA[0].info, "a metric (matched accuracy)", true, |r| metric_laws(r, &d));
    for name in ["accuracy", "jaccard"] {
        for size in ["cardinality", "sqrt", "log1p"] {
            let options = if name == "jaccard" {
                json!({"assignment": "identity", "size": size})
            } else {
                json!({"assignment": "identity"})
            };
            let c = criterion(name, options);
            let d = |a: &[usize], b: &[usize]| {
                let mut table = vec![vec![0; 4]; 4];
                a.iter().zip(b).for_each(|(&i, &j)| table[i][j] += 1);
                evaluate(c.as_ref(), &table).1
            };
            for seed in 0..TRIALS {
                let mut r = Random::new(seed);
                let (a, b, e) = (r.partition(12), r.partition(12), r.partition(12));
                assert!(d(&a, &a).abs() < TOLERANCE && (d(&a, &b) - d(&b, &a)).abs() < TOLERANCE);
                assert!(
                    d(&a, &e) <= d(&a, &b) + d(&b, &e) + TOLERANCE,
                    "{name} {size}: {a:?} {b:?} {e:?}"
                );
                assert!(a == b || d(&a, &b) > TOLERANCE, "{name} {size}: {a:?} {b:?}");
            }
        }
    }
}

/// Classes of rows in the order of a numeric column, in runs, and the number of classes.
fn sorted_rows(r: &mut Random) -> (usize, Vec<usize>) {
    if r.seed() == 0 {
        // A rare shape: nearly pure on the left, tiny on the right.
        return (
            3,
            [(0, 89), (1, 15), (0, 18), (2, 1), (0, 3)]
                .iter()
                .flat_map(|&(c, n)| vec![c; n])
                .collect(),
        );
    }
    let (k, runs) = (2 + r.below(3), 2 + r.below(4));
    (k, (0..runs).flat_map(|_| vec![r.below(k); 1 + r.below(6)]).collect())
}

/// Whether a threshold inside a run of one class can beat both ends of the run, on random rows;
/// `aside` asks for a third branch of rows without a value, which every threshold leaves as it is.
fn best_inside(r: &mut Random, c: &dyn Criterion, aside: bool) -> Result<(), String> {
    let (k, sequence) = sorted_rows(r);
    // Beside a third branch rows of one class score alike wherever they are cut.
    let beside = aside && sequence.iter().any(|&c| c != sequence[0]);
    let aside: Vec<u32> = (0..k).map(|_| 1 + r.below(8) as u32).collect();
    let score = |t: usize| {
        let mut table = vec![vec![0; k]; 2];
        sequence.iter().enumerate().for_each(|(i, &class)| table[usize::from(i >= t)][class] += 1);
        if beside {
            table.push(aside.clone());
        }
        evaluate(c, &table).0
    };
    let n = sequence.len();
    // The first and the last threshold are candidates beside a third branch, whatever their run.
    let extreme = |t: usize| beside && (t == 1 || t + 1 == n);
    let boundary = |t: usize| t == 0 || t == n || sequence[t - 1] != sequence[t] || extreme(t);
    for t in (1..n).filter(|&t| !boundary(t)) {
        let left = (0..t).rev().find(|&b| boundary(b)).unwrap();
        let right = (t..=n).find(|&b| boundary(b)).unwrap();
        // The ends of the data are no thresholds.
        let ends = [left, right]
            .into_iter()
            .filter(|&b| b > 0 && b < n)
            .map(score)
            .fold(f64::NEG_INFINITY, f64::max);
        if ends > f64::NEG_INFINITY && score(t) > ends - STRICTLY {
            return Err(format!(
                "threshold {t} of {sequence:?} scores {}, the ends {ends}",
                score(t)
            ));
        }
    }
    Ok(())
}

#[test]
fn convex_criteria_choose_boundaries() {
    for (info, c) in on_tables() {
        verify(info, "strictly quasi-convex", info.convex, |r| best_inside(r, c.as_ref(), false));
        if c.convex_with_missing_branch() {
            verify(info, "convex beside a third branch", true, |r| {
                best_inside(r, c.as_ref(), true)
            });
        }
    }
}

#[test]
fn convex_criteria_choose_boundaries_whatever_their_options() {
    for (said, _, c) in with_options().filter(|(_, info, _)| info.convex) {
        for seed in 0..TRIALS {
            best_inside(&mut Random::new(seed), c.as_ref(), false)
                .unwrap_or_else(|why| panic!("{said} is declared convex: {why}"));
        }
    }
}

#[test]
fn extensive_scores_grow_with_the_rows() {
    for (info, c) in on_tables() {
        verify(info, "extensive", info.extensive, |r| {
            let table = r.any_table();
            let many: Table = table.iter().map(|b| b.iter().map(|&x| 500 * x).collect()).collect();
            let (once, many) = (evaluate(c.as_ref(), &table).0, evaluate(c.as_ref(), &many).0);
            let grows = once.abs() < 1e-9 || many.abs() > 100.0 * once.abs();
            if grows { Ok(()) } else { Err(format!("{once}, then {many} on {table:?}")) }
        });
    }
}

#[test]
fn fractional_scores_are_shares_of_a_decrease() {
    let mut names = HashSet::new();
    let usual = on_tables().map(|(info, c)| (info.name.to_owned(), info, c));
    for (said, info, c) in usual.chain(with_options()).filter(|(_, info, _)| info.fractional) {
        names.insert(info.name);
        assert_eq!(info.lowest, Some(0.0), "{}", info.name);
        for seed in 0..TRIALS {
            let table = Random::new(seed).any_table();
            let thrice: Table = table.iter().map(|b| b.iter().map(|&x| 3 * x).collect()).collect();
            let (once, thrice) = (evaluate(c.as_ref(), &table).0, evaluate(c.as_ref(), &thrice).0);
            same(once, thrice, &table).unwrap_or_else(|e| panic!("{said}: {e}"));
            assert!(once >= -TOLERANCE, "{said} scores {once} on {table:?}");
        }
    }
    assert!(HashSet::from(["info_gain", "gain_ratio", "gini"]).is_subset(&names));
}

#[test]
fn blocks_windows_and_whole_weights_agree_to_the_bit() {
    for (info, c) in on_tables() {
        for seed in 0..60 {
            let mut r = Random::new(seed);
            let (branches, classes, len) = (2 + r.below(3), 2 + r.below(3), 1 + r.below(150));
            let mut totals: Vec<u32> = (0..classes).map(|_| r.below(40) as u32).collect();
            totals[0] += 1;
            let candidates = Candidates::random(&mut r, &totals, branches, len);
            let block = candidates.block(false);
            let mut whole = [vec![0.0; len], vec![0.0; len]];
            c.score(&block, &mut whole[0]).unwrap();
            c.distance(&block, &mut whole[1]).unwrap();
            let mut weighted = [vec![0.0; len], vec![0.0; len]];
            c.score(&candidates.block(true), &mut weighted[0]).unwrap();
            c.distance(&candidates.block(true), &mut weighted[1]).unwrap();
            assert_eq!(bits(&whole), bits(&weighted), "{}: rows against whole weights", info.name);
            let mut single = [vec![0.0; len], vec![0.0; len]];
            for j in 0..len {
                c.score(&block.window(j, 1), &mut single[0][j..=j]).unwrap();
                c.distance(&block.window(j, 1), &mut single[1][j..=j]).unwrap();
            }
            assert_eq!(bits(&whole), bits(&single), "{}: block against windows", info.name);
        }
    }
}

fn bits(pair: &[Vec<f64>; 2]) -> Vec<u64> {
    pair.iter().flatten().map(|x| x.to_bits()).collect()
}

#[test]
fn screens_keep_their_bound() {
    let mut screened = HashSet::new();
    for (info, c) in on_tables() {
        for seed in 0..400 {
            let mut r = Random::new(seed);
            let most = [5, 100, 20_000, 3_000_000][r.below(4)];
            let (branches, len) = (2 + r.below(3), 1 + r.below(150));
            let totals = [1 + r.below(most) as u32, r.below(most) as u32];
            let candidates = Candidates::random(&mut r, &totals, branches, len);
            let weights = seed % 2 == 1;
            let block = candidates.block(weights);
            let (mut cheap, mut exact) = (vec![0.0; len], vec![0.0; len]);
            let Some(bound) = c.screen(&block, &mut cheap) else {
                continue;
            };
            screened.insert((info.name, weights));
            c.score(&block, &mut exact).unwrap();
            for j in 0..len {
                let off = (cheap[j] - exact[j]).abs();
                assert!(
                    off <= bound,
                    "{}: {} and {} are {off} apart, bound {bound}",
                    info.name,
                    cheap[j],
                    exact[j]
                );
            }
            let top = |v: &[f64]| v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let kept = (0..len).filter(|&j| cheap[j] >= top(&cheap) - 2.0 * bound);
            let first =
                kept.fold(
                    (f64::NEG_INFINITY, 0),
                    |b, j| if exact[j] > b.0 { (exact[j], j) } else { b },
                );
            let direct = (0..len).fold((f64::NEG_INFINITY, 0), |b, j| {
                if exact[j] > b.0 { (exact[j], j) } else { b }
            });
            assert_eq!(first, direct, "{}", info.name);
        }
    }
    for name in ["info_gain", "gini", "gain_ratio"] {
        assert!(screened.contains(&(name, false)) && screened.contains(&(name, true)), "{name}");
    }
}

#[test]
fn declared_classes_without_rows_count_where_a_criterion_says_so() {
    for (info, c) in on_tables() {
        verify(info, "blind to classes without rows", !c.reads_declared_classes(), |r| {
            let table = r.any_table();
            let at = r.below(table[0].len() + 1);
            let mut wider = table.clone();
            wider.iter_mut().for_each(|branch| branch.insert(at, 0));
            same(evaluate(c.as_ref(), &table).0, evaluate(c.as_ref(), &wider).0, &table)
        });
    }
}

/// Sums over the classes of both sides of cuts, in the order of the classes.
#[test]
fn scores_from_sums_over_classes_keep_their_bound() {
    let mut scored = HashSet::new();
    for (info, c) in on_tables() {
        let Some(how) = c.running_scores() else { continue };
        assert!(!c.reads_declared_classes(), "{}", info.name);
        for seed in 0..300 {
            let mut r = Random::new(seed);
            let k = [1, 2, 4, 40][r.below(4)];
            let most = [3, 50, 2000][r.below(3)];
            let mut totals: Vec<u32> = (0..k).map(|_| r.below(most) as u32).collect();
            totals[0] += 2;
            let len = 1 + r.below(100);
            let candidates = Candidates::random(&mut r, &totals, 2, len);
            let logs = candidates.context.logs;
            let term = |x: u32| match how.term {
                Term::Squares => f64::from(x) * f64::from(x),
                Term::XLog2X => logs.x_log2_x_table()[x as usize],
            };
            let branch = |m: usize, j: usize| -> Vec<u32> {
                (0..k)
                    .map(|class| candidates.rows[(m * k + class) * candidates.stride + j])
                    .collect()
            };
            let side = |m: usize| -> Vec<f64> {
                (0..len).map(|j| branch(m, j).into_iter().map(term).sum()).collect()
            };
            let rows: Vec<u32> = (0..len).map(|j| branch(0, j).iter().sum()).collect();
            let n: u32 = totals.iter().sum();
            assert!(how.holds(n as usize, logs));
            let (left, right) = (side(0), side(1));
            let cuts = Cuts {
                n,
                whole: totals.iter().map(|&x| term(x)).sum(),
                classes: k,
                logs,
                rows: LeftRows::Each(&rows),
                left: &left,
                right: &right,
            };
            let (mut quick, mut exact) = (vec![0.0; len], vec![0.0; len]);
            let error = (how.scores)(&cuts, &mut quick);
            c.score(&candidates.block(false), &mut exact).unwrap();
            for j in (0..len).filter(|&j| rows[j] > 0 && rows[j] < n) {
                let off = (quick[j] - exact[j]).abs();
                let (a, b) = (quick[j], exact[j]);
                assert!(off <= error, "{}: {a} and {b}, bound {error}", info.name);
                // One cut at a time, its bound is known as well.
                let single = Cuts {
                    rows: LeftRows::From(rows[j]),
                    left: &left[j..=j],
                    right: &right[j..=j],
                    ..cuts
                };
                let top = how.bound.map_or(f64::INFINITY, |bound| bound(&single));
                assert!(exact[j] <= top, "{}: {b} above {top}", info.name);
                scored.insert(info.name);
            }
        }
    }
    assert_eq!(scored, HashSet::from(["info_gain", "gain_ratio", "gini"]));
}

#[test]
fn the_registry_describes_what_it_makes() {
    let mut names = HashSet::new();
    let mut classes = HashSet::new();
    for e in CRITERIA {
        let info = e.info;
        for name in std::iter::once(&info.name).chain(info.aliases) {
            assert!(names.insert(*name), "{name} twice");
            assert_eq!(find(name).unwrap().info.name, info.name);
        }
        assert!(classes.insert(info.class_name));
        for text in [info.summary, info.formula, info.distance, info.source] {
            assert!(!text.is_empty(), "{}", info.name);
        }
        // The declared defaults are those of the criterion.
        let made = make(info.name, Map::new()).unwrap();
        let mut declared = Map::new();
        for o in info.options {
            let default: Value = serde_json::from_str(o.default).unwrap();
            declared.insert(o.name.to_owned(), default.clone());
            for other in serde_json::from_str::<Vec<Value>>(o.others).unwrap() {
                assert_ne!(other, default, "{}.{}: others repeat the default", info.name, o.name);
                let given = Map::from_iter([(o.name.to_owned(), other.clone())]);
                assert!(make(info.name, given).is_ok(), "{}({}={other})", info.name, o.name);
            }
        }
        let again = make(info.name, declared).unwrap();
        assert_eq!(format!("{again:?}"), format!("{made:?}"));
        let unknown = Map::from_iter([("alhpa".to_owned(), json!(1))]);
        // The refusal of an unknown option names it and all others.
        let said = make(info.name, unknown).unwrap_err().to_string();
        assert!(said.contains("`alhpa`"), "{said}");
        assert_eq!(said.matches('`').count(), 2 + 2 * info.options.len(), "{said}");
    }
}

#[test]
fn a_misspelt_name_meets_its_neighbour() {
    let said = |name: &str| find(name).err().unwrap().to_string();
    assert!(said("info_gian").contains("did you mean 'info_gain'?"));
    assert!(said("hellinge").contains("did you mean 'hellinger'?"));
    assert!(said("zzzzzzzzzzzzzzz").contains("known: info_gain, gain_ratio"));
}

#[test]
fn guards_travel_with_gain_ratio() {
    let guard = |v: Value| criterion("gain_ratio", json!({"guard": v})).gain_filter();
    assert_eq!(guard(Value::Null), GainFilter::None);
    assert_eq!(guard(json!("average")), GainFilter::Average);
    assert_eq!(guard(json!("j48")), GainFilter::J48);
    assert_eq!(guard(json!("chen2013")), GainFilter::Chen2013);
    assert!(make("gain_ratio", Map::from_iter([("guard".to_owned(), json!("quinlan"))])).is_err());
}

#[test]
fn totals_of_test_blocks_are_totals() {
    let mut r = Random::new(7);
    let candidates = Candidates::random(&mut r, &[9, 4], 3, 2);
    for j in 0..2 {
        let table: Table = (0..3)
            .map(|m| (0..2).map(|c| candidates.rows[(m * 2 + c) * candidates.stride + j]).collect())
            .collect();
        assert_eq!(column_sums(&table), [9, 4]);
    }
}

/// The core reads every word that an option is declared with, and no other; other kinds read their
/// default and the other values that are listed.
#[test]
fn kinds_of_options_are_those_that_are_read() {
    for entry in CRITERIA {
        for option in entry.info.options {
            let reads = |value: Value| {
                let given = json!({ option.name: value });
                make(entry.info.name, given.as_object().unwrap().clone()).is_ok()
            };
            let what = format!("{}: {}", entry.info.name, option.name);
            let others: Vec<Value> = serde_json::from_str(option.others).unwrap();
            let values = || others.iter().cloned().chain([option.default.parse().unwrap()]);
            assert!(values().all(reads), "{what}");
            let fits: fn(&Value) -> bool = match option.domain {
                OptionDomain::Words { words } | OptionDomain::SizeFunction { words } => {
                    assert!(words.iter().all(|word| reads(json!(word))), "{what}");
                    assert!(!reads(json!("no such word")), "{what}");
                    assert!(values().all(|v| v.as_str().is_none_or(|v| words.contains(&v))));
                    Value::is_string
                }
                OptionDomain::Flag => Value::is_boolean,
                OptionDomain::Number { .. } => Value::is_number,
                OptionDomain::Whole { .. } | OptionDomain::Class => Value::is_u64,
                OptionDomain::Shares { .. } | OptionDomain::SizeValues => Value::is_array,
            };
            assert!(values().all(|v| v.is_null() || fits(&v)), "{what}");
        }
    }
}
