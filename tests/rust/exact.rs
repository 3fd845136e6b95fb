//! Smallest trees against brute force on thousands of tiny tables, against counting by hand, and
//! under limits.

use super::growth::{draw, nominal, numeric};
use fasttree_core::data::{Dataset, RowSet, Weights};
use fasttree_core::error::Error;
use fasttree_core::exact::{
    Cheapest, Errors, FoundTree, Objective, SearchLimits, minimal_tree, optimal_tree,
};
use fasttree_core::parallel::Control;
use fasttree_core::predict::CompiledTree;
use fasttree_core::tree::Tree;
use std::collections::HashMap;

/// Fewest nodes of a tree of some rows, by the definition: every test at every node. `pure` tells
/// what a leaf may hold.
fn brute_force(
    columns: &[Vec<u32>],
    set: u32,
    pure: &dyn Fn(u32) -> bool,
    known: &mut HashMap<u32, usize>,
) -> usize {
    if pure(set) {
        return 1;
    }
    if let Some(&nodes) = known.get(&set) {
        return nodes;
    }
    let mut best = usize::MAX;
    for column in columns {
        for r in 0..8 {
            let left: u32 = (0..column.len()).filter(|&i| column[i] <= r).map(|i| 1 << i).sum();
            let (left, right) = (set & left, set & !left);
            if left != 0 && right != 0 {
                let l = brute_force(columns, left, pure, known);
                if l + 1 < best {
                    best = best.min(1 + l + brute_force(columns, right, pure, known));
                }
            }
        }
    }
    known.insert(set, best);
    best
}

/// A small table: codes column by column, classes.
fn table(seed: &mut u64) -> (Vec<Vec<u32>>, Vec<u16>) {
    let rows = 2 + draw(seed) as usize % 13;
    let (d, values, k) = (1 + draw(seed) % 4, 2 + draw(seed) % 4, 2 + draw(seed) % 3);
    let columns =
        (0..d).map(|_| (0..rows).map(|_| (draw(seed) % values) as u32).collect()).collect();
    (columns, (0..rows).map(|_| (draw(seed) % k) as u16).collect())
}

fn search(data: &Dataset, errors: Errors, limits: &SearchLimits) -> Result<FoundTree, Error> {
    let rows = RowSet::all(data.len());
    minimal_tree(data, rows.rows(), &Weights::Unit, errors, limits, &Control::new(1))
}

fn wrong(data: &Dataset, tree: &Tree) -> usize {
    let at = CompiledTree::new(tree, data.schema()).unwrap();
    let at = at.leaves(data, data.len(), &Control::new(1)).unwrap();
    (0..data.len())
        .filter(|&i| tree.nodes[at[i] as usize].label != i32::from(data.classes()[i]))
        .count()
}

#[test]
fn trees_are_as_small_as_brute_force_finds_them() {
    let mut seed = 1;
    let (mut clashes, mut solved) = (0, 0);
    for _ in 0..3000 {
        let (columns, classes) = table(&mut seed);
        let reals: Vec<Vec<f64>> =
            columns.iter().map(|c| c.iter().map(|&v| f64::from(v) * 0.1 - 0.2).collect()).collect();
        let codes: Vec<Vec<i64>> =
            columns.iter().map(|c| c.iter().map(|&v| i64::from(v)).collect()).collect();
        let n = classes.len();
        // Classes that occur most among equal rows.
        let same = |i: usize, j: usize| columns.iter().all(|c| c[i] == c[j]);
        let count = |i: usize, k: u16| (0..n).filter(|&j| same(i, j) && classes[j] == k).count();
        let most = |i: usize| (0..4).map(|k| count(i, k)).max().unwrap();
        let may = |i: usize, k: u16| count(i, k) == most(i);
        let contradictory = (0..n).any(|i| (0..n).any(|j| same(i, j) && classes[i] != classes[j]));
        let pure = |set: u32| (0..4).any(|k| (0..n).all(|i| set >> i & 1 == 0 || may(i, k)));
        let expected = brute_force(&columns, (1 << n) - 1, &pure, &mut HashMap::new());
        for data in [numeric(&reals, &classes, 4), nominal(&codes, 8, &classes, 4)] {
            let strict = search(&data, Errors::Raise, &SearchLimits::default());
            assert_eq!(strict.is_err(), contradictory);
            let found = match strict {
                Ok(found) => found,
                Err(_) => search(&data, Errors::Minimise, &SearchLimits::default()).unwrap(),
            };
            assert_eq!(found.tree.nodes.len(), expected, "{columns:?} {classes:?}");
            assert_eq!(found.lower, expected);
            let unavoidable = (0..n)
                .map(|i| 1.0 - most(i) as f64 / (0..n).filter(|&j| same(i, j)).count() as f64);
            let unavoidable = unavoidable.sum::<f64>().round() as usize;
            assert_eq!(wrong(&data, &found.tree), unavoidable);
            assert_eq!(found.errors as usize, unavoidable);
        }
        clashes += usize::from(contradictory);
        solved += usize::from(expected > 9);
    }
    assert!(clashes > 300 && solved > 300, "{clashes} {solved}");
}

/// All cells of a grid of codes.
fn grid(sizes: &[i64]) -> Vec<Vec<i64>> {
    let n: i64 = sizes.iter().product();
    let mut step = n;
    sizes
        .iter()
        .map(|&s| {
            step /= s;
            (0..n).map(|i| i / step % s).collect()
        })
        .collect()
}

#[test]
fn a_symmetric_function_needs_the_tree_that_counting_gives() {
    // "Exactly two of six are first": leaves L(n, j) = L(n-1, j) + L(n-1, j-1), L(n, 0) = L(n, n) =
    // n + 1, so 41 for (6, 2).
    let columns = grid(&[3, 3, 2, 3, 4, 2]);
    let classes: Vec<u16> =
        (0..432).map(|i| u16::from(columns.iter().filter(|c| c[i] == 0).count() == 2)).collect();
    let data = nominal(&columns, 4, &classes, 2);
    let found = search(&data, Errors::Raise, &SearchLimits::default()).unwrap();
    assert_eq!((found.tree.nodes.len(), found.lower, wrong(&data, &found.tree)), (81, 81, 0));
    // A table that is emptied all the time gives the same answer.
    let forgetful = SearchLimits { memory: 0, ..SearchLimits::default() };
    let again = search(&data, Errors::Raise, &forgetful).unwrap();
    assert_eq!((again.tree.nodes.len(), again.lower), (81, 81));
    assert!(again.opened > found.opened);
}

#[test]
fn parity_needs_every_cell() {
    for bits in 1..=7 {
        let columns = grid(&vec![2; bits]);
        let classes: Vec<u16> = (0..1 << bits)
            .map(|i: usize| columns.iter().map(|c| c[i] as u16).sum::<u16>() % 2)
            .collect();
        let found =
            search(&nominal(&columns, 2, &classes, 2), Errors::Raise, &SearchLimits::default())
                .unwrap();
        assert_eq!((found.tree.nodes.len(), found.lower), ((2 << bits) - 1, (2 << bits) - 1));
    }
}

#[test]
fn limits_leave_honest_bounds() {
    let mut seed = 7;
    let columns: Vec<Vec<f64>> =
        (0..5).map(|_| (0..120).map(|_| (draw(&mut seed) % 1000) as f64).collect()).collect();
    let classes: Vec<u16> = (0..120).map(|_| (draw(&mut seed) % 2) as u16).collect();
    let data = numeric(&columns, &classes, 2);
    let mut before = (0, usize::MAX);
    for budget in [1, 1_000, 30_000, 90_000] {
        let limits = SearchLimits { node_budget: Some(budget), ..SearchLimits::default() };
        let found = search(&data, Errors::Raise, &limits).unwrap();
        let now = (found.lower, found.tree.nodes.len());
        assert!(
            found.opened <= budget && now.0 >= before.0 && now.1 <= before.1,
            "{before:?} {now:?}"
        );
        assert!(found.lower <= found.tree.nodes.len());
        assert_eq!(wrong(&data, &found.tree), 0);
        assert_eq!(search(&data, Errors::Raise, &limits).unwrap(), found);
        before = now;
    }
    let limits = SearchLimits { max_nodes: Some(5), ..SearchLimits::default() };
    let found = search(&data, Errors::Raise, &limits).unwrap();
    assert_eq!(found.lower, 7);
    let limits = SearchLimits { time_limit: Some(0.05), ..SearchLimits::default() };
    let start = std::time::Instant::now();
    assert!(search(&data, Errors::Raise, &limits).unwrap().lower >= 3);
    assert!(start.elapsed().as_secs_f64() < 5.0);
}

#[test]
fn a_search_can_be_stopped() {
    let mut seed = 9;
    let columns: Vec<Vec<f64>> =
        (0..6).map(|_| (0..300).map(|_| (draw(&mut seed) % 1000) as f64).collect()).collect();
    let classes: Vec<u16> = (0..300).map(|_| (draw(&mut seed) % 3) as u16).collect();
    let data = numeric(&columns, &classes, 3);
    let control = Control::new(1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            control.cancel();
        });
        let all = RowSet::all(300);
        let found = minimal_tree(
            &data,
            all.rows(),
            &Weights::Unit,
            Errors::Raise,
            &SearchLimits::default(),
            &control,
        );
        assert_eq!(found.unwrap_err(), Error::Cancelled);
    });
}

#[test]
fn what_cannot_be_searched_is_refused_by_name() {
    let data = numeric(&[vec![1.0, f64::NAN, 2.0]], &[0, 1, 1], 2);
    let told = search(&data, Errors::Raise, &SearchLimits::default()).unwrap_err().to_string();
    assert!(told.contains("'x0'") && told.contains("row 1"), "{told}");
    let data = numeric(&[vec![1.0, 3.0, 3.0, 3.0]], &[1, 1, 1, 0], 2);
    let told = search(&data, Errors::Raise, &SearchLimits::default()).unwrap_err().to_string();
    assert!(told.contains("rows 1 and 3") && told.contains("minimise"), "{told}");
    let found = search(&data, Errors::Minimise, &SearchLimits::default()).unwrap();
    assert_eq!((found.tree.nodes.len(), found.lower, found.errors), (1, 1, 1.0));
    let classes: Vec<u16> = (0..65).collect();
    let data = numeric(&[(0..65).map(f64::from).collect()], &classes, 65);
    assert!(
        search(&data, Errors::Raise, &SearchLimits::default())
            .unwrap_err()
            .to_string()
            .contains("64")
    );
    let limits = SearchLimits { max_nodes: Some(0), ..SearchLimits::default() };
    assert!(search(&data, Errors::Raise, &limits).unwrap_err().to_string().contains("max_nodes=0"));
}

/// Least errors + penalty x leaves over all trees, by the definition.
fn cheapest(
    columns: &[Vec<u32>],
    classes: &[u16],
    (set, depth, splits): (u32, usize, usize),
    penalty: f64,
    known: &mut HashMap<(u32, usize, usize), f64>,
) -> f64 {
    if let Some(&cost) = known.get(&(set, depth, splits)) {
        return cost;
    }
    let of = |k: u16| (0..classes.len()).filter(|&i| set >> i & 1 == 1 && classes[i] == k).count();
    let mut best = set.count_ones() as f64 - (0..4).map(of).max().unwrap() as f64 + penalty;
    for column in columns.iter().filter(|_| depth > 0 && splits > 0) {
        for r in 0..8 {
            let left: u32 = (0..column.len()).filter(|&i| column[i] <= r).map(|i| 1 << i).sum();
            let (left, right) = (set & left, set & !left);
            if left != 0 && right != 0 {
                for l in 0..splits {
                    let r = (right, depth - 1, splits - 1 - l);
                    let left = cheapest(columns, classes, (left, depth - 1, l), penalty, known);
                    best = best.min(left + cheapest(columns, classes, r, penalty, known));
                }
            }
        }
    }
    known.insert((set, depth, splits), best);
    best
}

fn optimal(
    data: &Dataset,
    objective: &Objective,
    limits: &SearchLimits,
) -> Result<Cheapest, Error> {
    let rows = RowSet::all(data.len());
    optimal_tree(data, rows.rows(), &Weights::Unit, objective, limits, &Control::new(1))
}

#[test]
fn optimal_trees_are_as_cheap_as_brute_force_finds_them() {
    let mut seed = 2;
    let mut deep = 0;
    for _ in 0..1500 {
        let (columns, classes) = table(&mut seed);
        let n = classes.len();
        let reals: Vec<Vec<f64>> =
            columns.iter().map(|c| c.iter().map(|&v| f64::from(v)).collect()).collect();
        let data = numeric(&reals, &classes, 4);
        let max_depth =
            [None, Some(0), Some(1), Some(2), Some(3), Some(4)][draw(&mut seed) as usize % 6];
        let max_nodes = [None, Some(3), Some(5), Some(8), Some(9)][draw(&mut seed) as usize % 5];
        let leaf_penalty = [0.0, 0.01, 0.05, 0.1, 0.2][draw(&mut seed) as usize % 5];
        if max_depth.is_none() && max_nodes.is_none() && leaf_penalty == 0.0 {
            continue;
        }
        let splits = max_nodes.map_or(n, |m| (m - 1) / 2);
        let asked = ((1 << n) - 1, max_depth.unwrap_or(n), splits);
        let penalty = leaf_penalty * n as f64;
        let expected = cheapest(&columns, &classes, asked, penalty, &mut HashMap::new()) / n as f64;
        let limits = SearchLimits { max_nodes, ..SearchLimits::default() };
        let objective = Objective { max_depth, leaf_penalty, ..Objective::default() };
        let found = optimal(&data, &objective, &limits).unwrap();
        let told = format!("{columns:?} {classes:?} {max_depth:?} {max_nodes:?} {leaf_penalty}");
        assert!(
            (found.objective - expected).abs() < 1e-9,
            "{} not {expected}: {told}",
            found.objective
        );
        assert!((found.lower - expected).abs() < 1e-6, "{} below {expected}: {told}", found.lower);
        let shape = found.tree.shape();
        let own = found.errors / n as f64 + leaf_penalty * shape.leaves as f64;
        assert!((own - found.objective).abs() < 1e-9, "{told}");
        assert_eq!(wrong(&data, &found.tree) as f64, found.errors, "{told}");
        assert!(
            shape.depth <= max_depth.unwrap_or(n) && shape.nodes <= max_nodes.unwrap_or(2 * n),
            "{told}"
        );
        deep += usize::from(shape.depth > 2);
    }
    assert!(deep > 50, "{deep}");
}

#[test]
fn an_optimal_tree_within_limits_has_a_gap_that_closes() {
    let mut seed = 5;
    let columns: Vec<Vec<i64>> =
        (0..12).map(|_| (0..200).map(|_| (draw(&mut seed) % 2) as i64).collect()).collect();
    let classes: Vec<u16> = (0..200).map(|_| (draw(&mut seed) % 2) as u16).collect();
    let data = nominal(&columns, 2, &classes, 2);
    let objective = Objective { max_depth: Some(4), leaf_penalty: 0.005, ..Objective::default() };
    let best = optimal(&data, &objective, &SearchLimits::default()).unwrap();
    assert_eq!(best.objective, best.lower);
    let mut before = (0.0, f64::INFINITY);
    for budget in [1, 30, 300, 3000] {
        let found = optimal(
            &data,
            &objective,
            &SearchLimits { node_budget: Some(budget), ..SearchLimits::default() },
        )
        .unwrap();
        assert!(found.lower <= best.objective + 1e-9 && best.objective <= found.objective + 1e-9);
        assert!(found.lower >= before.0 - 1e-9 && found.objective <= before.1 + 1e-9, "{budget}");
        before = (found.lower, found.objective);
    }
    let none = Objective { max_depth: None, leaf_penalty: 0.0, ..Objective::default() };
    assert!(
        optimal(&data, &none, &SearchLimits::default())
            .unwrap_err()
            .to_string()
            .contains("max_depth")
    );
    let wrong = Objective { max_depth: None, leaf_penalty: -1.0, ..Objective::default() };
    assert!(
        optimal(&data, &wrong, &SearchLimits::default())
            .unwrap_err()
            .to_string()
            .contains("leaf_penalty")
    );
}
