//! First tests of near-optimal trees, and trees that are optimal by F or Matthews, against
//! enumeration on hundreds of tiny tables.

use super::growth::draw;
use super::optimal::{Enumeration, Table, asked, optimal};
use fasttree_core::exact::{
    FeatureRoots, NominalTests, Objective, RootTest, SearchLimits, near_optimal,
};
use fasttree_core::parallel::Control;
use fasttree_core::tree::Test;
use std::collections::{BTreeMap, HashMap};

/// The rows that a test sends left.
fn left_of(table: &Table, feature: usize, test: &RootTest) -> u32 {
    let column = table.numbers.iter().chain(&table.levels).nth(feature).unwrap();
    let goes = |cell: Option<u32>| match (cell, test.threshold, &test.levels) {
        (None, ..) => test.missing_right == Some(false),
        (Some(value), Some(threshold), None) => f64::from(value) <= threshold,
        (Some(value), None, Some(levels)) => levels.contains(&value),
        _ => unreachable!(),
    };
    column.iter().enumerate().filter(|(_, cell)| goes(**cell)).map(|(i, _)| 1 << i).sum()
}

fn objective_of(seed: &mut u64, name: &str) -> Objective {
    let nominal = [NominalTests::Ordered, NominalTests::OneVsRest, NominalTests::Subset];
    Objective {
        criterion: name.into(),
        max_depth: [Some(1), Some(2), Some(2), Some(3)][draw(seed) as usize % 4],
        max_leaf_nodes: [None, None, Some(3), Some(4)][draw(seed) as usize % 4],
        min_samples_leaf: 1 + (draw(seed) % 4).saturating_sub(2) as usize,
        nominal_splits: nominal[draw(seed) as usize % 3],
        ..Objective::default()
    }
}

#[test]
fn near_optimal_first_tests_are_those_of_enumeration() {
    let (mut seed, mut near, mut others, mut trees) = (3, 0, 0, 0);
    for _ in 0..300 {
        let table = Table::random(&mut seed, 9);
        let n = table.classes.len();
        let name = ["error", "gini", "info_gain", "dkm"][draw(&mut seed) as usize % 4];
        let leaf_penalty = [0.0, 0.05][draw(&mut seed) as usize % 2];
        let objective = Objective { leaf_penalty, ..objective_of(&mut seed, name) };
        let within = [0.0, 0.03, 0.2][draw(&mut seed) as usize % 3];
        let most_trees = draw(&mut seed) as usize % 9;
        let total: f64 = table.weights.iter().sum();
        let (depth, leaves) =
            (objective.max_depth.unwrap_or(n), objective.max_leaf_nodes.unwrap_or(n));
        let mut enumeration = Enumeration {
            table: &table,
            name,
            costs: Vec::new(),
            objective: &objective,
            penalty: leaf_penalty * total,
            known: HashMap::new(),
        };
        let set = ((1_u64 << n) - 1) as u32;
        let least = enumeration.best(set, depth, leaves).cost;
        // By feature and division of the rows, the cost of the best tree.
        let mut expected = BTreeMap::new();
        for (feature, _, left) in enumeration.tests(set) {
            if let Some(best) = enumeration.split(set, left, depth, leaves) {
                expected.insert((feature, left.min(set & !left)), best.cost);
            }
        }
        let found = asked(&table, |data, rows, weights| {
            let (limits, control) = (SearchLimits::default(), Control::new(1));
            near_optimal(data, rows, weights, &objective, &limits, (within, most_trees), &control)
        });
        let told = format!("{name} {within} {objective:?}\n{:?} {:?}", table.numbers, table.levels);
        if n < 2 || leaves < 2 {
            continue;
        }
        assert_eq!(found.features.len(), table.numbers.len() + table.levels.len());
        // The trees are those of the tests that say so: first the best of every feature.
        let all: usize = found.features.iter().map(|roots| roots.tests.len()).sum();
        assert_eq!(found.trees.len(), most_trees.min(all), "{told}");
        for (i, own) in found.trees.iter().enumerate() {
            let cost = enumeration.cost(&own.tree);
            assert!((cost - own.objective * total).abs() < 1e-7, "{cost} {own:?} {told}");
            assert!((own.lower * total - least).abs() < 1e-7, "{own:?} {told}");
            assert_eq!(own.lower == own.objective, cost < least + 1e-7, "{own:?} {told}");
            let shape = own.tree.shape();
            assert!(shape.depth <= depth && shape.leaves <= leaves, "{told}");
            let of = |roots: &&FeatureRoots| roots.tests.iter().any(|test| test.tree == Some(i));
            let [roots] = found.features.iter().filter(of).collect::<Vec<_>>()[..] else {
                panic!("{told}")
            };
            let best = roots.tests.iter().map(|test| test.objective).fold(f64::INFINITY, f64::min);
            let test = roots.tests.iter().find(|test| test.tree == Some(i)).unwrap();
            assert!((test.objective - own.objective).abs() < 1e-9, "{told}");
            let having = found.features.iter().filter(|roots| !roots.tests.is_empty()).count();
            assert!(i >= having || test.objective == best, "{told}");
            // The first test of the tree is the one that is told.
            let root = own.tree.nodes[0];
            assert_eq!(root.feature as usize, roots.feature, "{told}");
            let left = left_of(&table, roots.feature, test);
            let mut sides: Vec<u32> = (own.tree.nodes.iter())
                .filter(|node| node.parent == 0)
                .map(|node| node.rows)
                .collect();
            let mut expected = [enumeration.size(left), enumeration.size(set & !left)];
            sides.sort_unstable();
            expected.sort_unstable();
            assert_eq!(sides, expected, "{told}");
            trees += 1;
        }
        for roots in found.features {
            let own: BTreeMap<u32, f64> = (expected.iter())
                .filter(|((feature, _), _)| *feature == roots.feature)
                .map(|((_, left), cost)| (*left, *cost))
                .collect();
            let limit = least + within * total + 1e-7;
            let in_limit: Vec<u32> =
                own.iter().filter(|(_, cost)| **cost < limit).map(|(left, _)| *left).collect();
            let best = own.values().copied().fold(f64::INFINITY, f64::min);
            let mut lefts = Vec::new();
            for test in &roots.tests {
                let left = left_of(&table, roots.feature, test);
                let left = left.min(set & !left);
                assert!((own[&left] - test.objective * total).abs() < 1e-7, "{told}");
                lefts.push(left);
            }
            lefts.sort_unstable();
            lefts.dedup();
            if roots.is_near {
                assert_eq!(lefts, in_limit, "{told}");
                near += lefts.len();
            } else {
                assert!(in_limit.is_empty(), "{told}");
                assert_eq!(lefts.len(), usize::from(!own.is_empty()), "{told}");
                assert!(lefts.iter().all(|left| (own[left] - best).abs() < 1e-7), "{told}");
                others += lefts.len();
            }
        }
    }
    assert!(near > 300 && others > 100 && trees > 500, "{near} {others} {trees}");
}

/// All pairs of misclassified weight, of negative and of positive rows.
fn pairs(
    enumeration: &Enumeration<'_>,
    known: &mut HashMap<(u32, usize, usize), Vec<[f64; 2]>>,
    (set, depth, leaves): (u32, usize, usize),
) -> Vec<[f64; 2]> {
    if let Some(pairs) = known.get(&(set, depth, leaves)) {
        return pairs.clone();
    }
    let table = enumeration.table;
    let mut counts = [0.0; 2];
    for i in (0..32).filter(|i| set >> i & 1 == 1) {
        counts[usize::from(table.classes[i])] += table.weights[i];
    }
    let mut found = vec![[counts[0], 0.0], [0.0, counts[1]]];
    if depth > 0 && leaves > 1 {
        for (_, _, left) in enumeration.tests(set) {
            let right = set & !left;
            if enumeration.is_few(left) || enumeration.is_few(right) {
                continue;
            }
            for on_left in 1..leaves {
                let a = pairs(enumeration, known, (left, depth - 1, on_left));
                let b = pairs(enumeration, known, (right, depth - 1, leaves - on_left));
                found.extend(a.iter().flat_map(|x| b.iter().map(|y| [x[0] + y[0], x[1] + y[1]])));
            }
        }
    }
    found.sort_by(|x, y| x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1])));
    found.dedup();
    known.insert((set, depth, leaves), found.clone());
    found
}

fn measured(name: &str, beta: f64, [fp, missed]: [f64; 2], [negative, positive]: [f64; 2]) -> f64 {
    let (tp, tn) = (positive - missed, negative - fp);
    if name == "matthews" {
        let below = ((tp + fp) * positive * negative * (tn + missed)).sqrt();
        return if below > 0.0 { (tp * tn - fp * missed) / below } else { 0.0 };
    }
    if tp <= 0.0 {
        return 0.0;
    }
    let (precision, recall) = (tp / (tp + fp), tp / positive);
    (1.0 + beta * beta) * precision * recall / (beta * beta * precision + recall)
}

#[test]
fn trees_by_f_and_matthews_are_those_of_enumeration() {
    let (mut seed, mut better) = (8, 0);
    for _ in 0..300 {
        let mut table = Table::random(&mut seed, 9);
        table.k = 2;
        table.classes.iter_mut().for_each(|class| *class %= 2);
        let n = table.classes.len();
        let (name, beta) = [("f_measure", 1.0), ("f_measure", 2.0), ("matthews", 1.0)]
            [draw(&mut seed) as usize % 3];
        let mut objective = objective_of(&mut seed, name);
        objective.max_depth = objective.max_depth.map(|depth| depth.min(2));
        if beta != 1.0 {
            objective.criterion_options.insert("beta".into(), beta.into());
        }
        let mut totals = [0.0; 2];
        for i in 0..n {
            totals[usize::from(table.classes[i])] += table.weights[i];
        }
        if totals.contains(&0.0) {
            continue;
        }
        let enumeration = Enumeration {
            table: &table,
            name,
            costs: Vec::new(),
            objective: &objective,
            penalty: 0.0,
            known: HashMap::new(),
        };
        let limits = (objective.max_depth.unwrap_or(n), objective.max_leaf_nodes.unwrap_or(n));
        let set = ((1_u64 << n) - 1) as u32;
        let all = pairs(&enumeration, &mut HashMap::new(), (set, limits.0, limits.1));
        let value = |pair: &[f64; 2]| measured(name, beta, *pair, totals);
        let expected = all.iter().map(value).fold(0.0, f64::max);
        let told = format!("{name} {beta} {objective:?}\n{:?} {:?}", table.numbers, table.classes);
        let found = optimal(&table, &objective, &SearchLimits::default(), 1);
        assert!((1.0 - found.objective - expected).abs() < 1e-9, "{expected} {found:?} {told}");
        assert_eq!(found.objective, found.lower, "{told}");
        // The tree is what it says.
        let (tree, mut wrong) = (&found.tree, [0.0; 2]);
        for (node, counts) in tree.nodes.iter().zip(tree.counts.chunks_exact(2)) {
            if node.test == Test::Leaf {
                wrong[1 - node.label as usize] += counts[1 - node.label as usize];
            }
        }
        assert!((value(&wrong) - expected).abs() < 1e-9, "{told}");
        assert!(tree.shape().depth <= limits.0 && tree.shape().leaves <= limits.1, "{told}");
        better +=
            usize::from(all.iter().any(|pair| pair[0] + pair[1] < wrong[0] + wrong[1] - 1e-9));
        let limits = SearchLimits { node_budget: Some(1 + draw(&mut seed) % 9), ..limits_of() };
        let early = optimal(&table, &objective, &limits, 1);
        assert!(early.lower <= 1.0 - expected + 1e-9, "{early:?} {told}");
        assert!(early.objective >= 1.0 - expected - 1e-9, "{early:?} {told}");
    }
    assert!(better > 10, "{better}");
}

fn limits_of() -> SearchLimits {
    SearchLimits { time_limit: Some(1e6), ..SearchLimits::default() }
}
