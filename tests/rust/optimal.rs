//! Optimal trees against enumeration: all losses, weights, missing values, levels, limits and
//! penalties on hundreds of tiny tables.

use super::growth::draw;
use fasttree_core::criteria::{self, CRITERIA, Cells, Context};
use fasttree_core::data::{Dataset, DatasetBuilder, RowSet, Schema, Weights};
use fasttree_core::error::Error;
use fasttree_core::exact::{
    Cheapest, NominalTests, Objective, SearchLimits, TieRule, optimal_tree,
};
use fasttree_core::parallel::Control;
use fasttree_core::predict::CompiledTree;
use fasttree_core::tree::{Test, Tree};
use std::collections::HashMap;

/// A tiny table; columns of numbers first, then of levels. None is a missing value.
pub(super) struct Table {
    pub(super) numbers: Vec<Vec<Option<u32>>>,
    pub(super) levels: Vec<Vec<Option<u32>>>,
    pub(super) classes: Vec<u16>,
    pub(super) weights: Vec<f64>,
    pub(super) k: usize,
}

/// Declared levels of a nominal column.
const LEVELS: u32 = 4;

impl Table {
    pub(super) fn random(seed: &mut u64, most_rows: u64) -> Self {
        let n = 2 + (draw(seed) % most_rows) as usize;
        let k = 2 + draw(seed) % 3;
        let values = 2 + draw(seed) % 5;
        let missing = if draw(seed).is_multiple_of(3) { 4 } else { u64::MAX };
        let mut columns = |count: u64, values: u64| -> Vec<Vec<Option<u32>>> {
            let cell = |seed: &mut u64| {
                let value = (draw(seed) % values) as u32;
                (!draw(seed).is_multiple_of(missing)).then_some(value)
            };
            (0..count).map(|_| (0..n).map(|_| cell(seed)).collect()).collect()
        };
        let (numbers, levels) = (columns(2, values), columns(1, LEVELS.into()));
        let classes = (0..n).map(|_| (draw(seed) % k) as u16).collect();
        let (kind, mut weigh) = (draw(seed) % 3, draw(seed));
        let weights = (0..n)
            .map(|_| match kind {
                0 => 1.0,
                1 => (1 + draw(&mut weigh) % 3) as f64,
                _ => (1 + draw(&mut weigh) % 7) as f64 / 4.0 + 0.1,
            })
            .collect();
        Self { numbers, levels, classes, weights, k: k as usize }
    }

    pub(super) fn data(&self) -> Dataset<'static> {
        let levels: Vec<_> = (0..LEVELS).map(|v| format!(r#""v{v}""#)).collect();
        let numeric =
            (0..self.numbers.len()).map(|j| format!(r#"{{"name": "x{j}", "kind": "numeric"}}"#));
        let nominal = (0..self.levels.len()).map(|j| {
            format!(r#"{{"name": "c{j}", "kind": "nominal", "levels": [{}]}}"#, levels.join(","))
        });
        let features: Vec<_> = numeric.chain(nominal).collect();
        let classes: Vec<_> = (0..self.k).map(|c| c.to_string()).collect();
        let schema: Schema = serde_json::from_str(&format!(
            r#"{{"features": [{}], "classes": [{}], "target": "class"}}"#,
            features.join(","),
            classes.join(",")
        ))
        .unwrap();
        let mut builder = DatasetBuilder::new(schema, &self.classes).unwrap();
        let number = |r: usize, c: usize| self.numbers[c][r].map_or(f64::NAN, f64::from);
        builder.numeric_block(self.numbers.len(), number, None, &Control::new(1)).unwrap();
        for column in &self.levels {
            builder.nominal(LEVELS as usize, |r| column[r].map_or(-1, i64::from)).unwrap();
        }
        builder.finish().unwrap()
    }
}

/// The loss of a leaf, from the definitions.
fn loss(name: &str, costs: &[Vec<f64>], counts: &[f64]) -> f64 {
    let (n, k) = (counts.iter().sum::<f64>(), counts.len() as f64);
    if n == 0.0 {
        return 0.0;
    }
    let most = counts.iter().copied().fold(0.0, f64::max);
    let entropy = || counts.iter().filter(|&&c| c > 0.0).map(|c| -c * (c / n).log2()).sum::<f64>();
    let factorial = fasttree_core::numeric::log2_factorial;
    match name {
        "error" => n - most,
        "cost" => (0..counts.len())
            .map(|j| counts.iter().zip(costs).map(|(c, row)| c * row[j]).sum::<f64>())
            .fold(f64::INFINITY, f64::min),
        "gini" => n - counts.iter().map(|c| c * c).sum::<f64>() / n,
        "info_gain" => entropy(),
        "g_statistic" => 2.0 * std::f64::consts::LN_2 * entropy(),
        "laplace" => n * (1.0 - (most + 1.0) / (n + k)),
        "dkm" => {
            let q = (most / n).max(0.5);
            n * 2.0 * (q * (1.0 - q)).sqrt()
        }
        "mdl" => {
            let arranged: f64 = counts.iter().map(|&c| factorial(c)).sum();
            factorial(n + k - 1.0) - factorial(k - 1.0) - arranged
        }
        _ => unreachable!(),
    }
}

/// The best tree of a set of rows: its cost and its leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub(super) cost: f64,
    pub(super) leaves: usize,
}

impl Best {
    fn beats(self, other: Self) -> bool {
        self.cost < other.cost - 1e-9 || self.cost < other.cost + 1e-9 && self.leaves < other.leaves
    }
}

/// All that the enumeration of a table needs.
pub(super) struct Enumeration<'a> {
    pub(super) table: &'a Table,
    pub(super) name: &'a str,
    pub(super) costs: Vec<Vec<f64>>,
    pub(super) objective: &'a Objective,
    pub(super) penalty: f64,
    pub(super) known: HashMap<(u32, usize, usize), Best>,
}

impl Enumeration<'_> {
    fn rows(&self, set: u32) -> impl Iterator<Item = usize> {
        (0..32).filter(move |i| set >> i & 1 == 1)
    }

    /// Rows of a set; whole weights are copies.
    pub(super) fn size(&self, set: u32) -> u32 {
        let weights = &self.table.weights;
        match weights.iter().all(|w| w.fract() == 0.0) {
            true => self.rows(set).map(|i| weights[i] as u32).sum(),
            false => set.count_ones(),
        }
    }

    pub(super) fn is_few(&self, set: u32) -> bool {
        (self.size(set) as usize) < self.objective.min_samples_leaf
    }

    fn leaf(&self, set: u32) -> Best {
        let mut counts = vec![0.0; self.table.k];
        self.rows(set)
            .for_each(|i| counts[usize::from(self.table.classes[i])] += self.table.weights[i]);
        Best { cost: loss(self.name, &self.costs, &counts) + self.penalty, leaves: 1 }
    }

    /// The left sides of all tests of a set, with feature and number of the test, in the order that
    /// decides ties.
    pub(super) fn tests(&self, set: u32) -> Vec<(usize, u32, u32)> {
        let mut tests = Vec::new();
        let nominal = self.objective.nominal_splits;
        let columns = self.table.numbers.iter().chain(&self.table.levels);
        for (feature, column) in columns.enumerate() {
            let known = |i: &usize| column[*i].is_some();
            let missing: u32 = self.rows(set).filter(|i| !known(i)).map(|i| 1 << i).sum();
            let is_level = feature >= self.table.numbers.len();
            let count = match nominal {
                NominalTests::Subset if is_level => 1 << LEVELS,
                _ => 8,
            };
            for number in 0..count {
                let goes = |value: u32| match nominal {
                    // All levels, for the test of a known value against none.
                    NominalTests::OneVsRest if is_level => value == number || number == LEVELS,
                    NominalTests::Subset if is_level => number >> value & 1 == 1,
                    _ => value <= number,
                };
                let left: u32 =
                    self.rows(set).filter(|&i| column[i].is_some_and(goes)).map(|i| 1 << i).sum();
                if left != 0 && left | missing != set {
                    tests.push((feature, number, left | missing));
                }
                if left != 0 && missing != 0 {
                    tests.push((feature, number, left));
                }
            }
        }
        tests
    }

    pub(super) fn split(
        &mut self,
        set: u32,
        left: u32,
        depth: usize,
        leaves: usize,
    ) -> Option<Best> {
        if self.is_few(left) || self.is_few(set & !left) {
            return None;
        }
        let mut best = None::<Best>;
        for on_left in 1..leaves {
            let a = self.best(left, depth - 1, on_left);
            let b = self.best(set & !left, depth - 1, leaves - on_left);
            let both = Best { cost: a.cost + b.cost, leaves: a.leaves + b.leaves };
            if best.is_none_or(|best| both.beats(best)) {
                best = Some(both);
            }
        }
        best
    }

    pub(super) fn best(&mut self, set: u32, depth: usize, leaves: usize) -> Best {
        if let Some(&known) = self.known.get(&(set, depth, leaves)) {
            return known;
        }
        let mut best = self.leaf(set);
        if depth > 0 && leaves > 1 {
            for (_, _, left) in self.tests(set) {
                if let Some(split) = self.split(set, left, depth, leaves)
                    && split.beats(best)
                {
                    best = split;
                }
            }
        }
        self.known.insert((set, depth, leaves), best);
        best
    }

    /// The cost of a tree, whose leaves the rows reach as in prediction.
    pub(super) fn cost(&self, tree: &Tree) -> f64 {
        let (table, data) = (self.table, self.table.data());
        let at = CompiledTree::new(tree, data.schema()).unwrap();
        let at = at.leaves(&data, data.len(), &Control::new(1)).unwrap();
        let mut counts: HashMap<u32, Vec<f64>> = HashMap::new();
        for (i, &leaf) in at.iter().enumerate() {
            let own = counts.entry(leaf).or_insert_with(|| vec![0.0; table.k]);
            own[usize::from(data.classes()[i])] += table.weights[data.original()[i] as usize];
        }
        let losses = counts.values().map(|counts| loss(self.name, &self.costs, counts));
        losses.sum::<f64>() + self.penalty * tree.shape().leaves as f64
    }

    /// The feature of the first of all best tests of all rows; none for a leaf.
    fn first(&mut self, set: u32, depth: usize, leaves: usize) -> Option<(usize, u32)> {
        let best = self.best(set, depth, leaves);
        if best.leaves == 1 {
            return None;
        }
        self.tests(set).into_iter().find_map(|(feature, number, left)| {
            let split = self.split(set, left, depth, leaves)?;
            (!best.beats(split)).then_some((feature, number))
        })
    }
}

/// Ask about all rows of a table.
pub(super) fn asked<R>(
    table: &Table,
    ask: impl FnOnce(&Dataset, &[u32], &Weights) -> Result<R, Error>,
) -> R {
    let data = table.data();
    let internal: Vec<f64> =
        (0..data.len()).map(|i| table.weights[data.original()[i] as usize]).collect();
    let weights = Weights::from_reals(&internal, &|i| i).unwrap();
    let all = RowSet::all(data.len());
    ask(&data, all.rows(), &weights).unwrap()
}

/// Search all rows of a table.
pub(super) fn optimal(
    table: &Table,
    objective: &Objective,
    limits: &SearchLimits,
    threads: usize,
) -> Cheapest {
    let control = Control::new(threads);
    asked(table, |data, rows, weights| {
        optimal_tree(data, rows, weights, objective, limits, &control)
    })
}

const LOSSES: [&str; 8] =
    ["error", "cost", "gini", "info_gain", "g_statistic", "laplace", "dkm", "mdl"];

/// Compare the search with the enumeration of random tables.
fn compare(mut seed: u64, tables: usize, most_rows: u64) {
    let mut deep = 0;
    for _ in 0..tables {
        let table = Table::random(&mut seed, most_rows);
        let n = table.classes.len();
        let name = LOSSES[draw(&mut seed) as usize % LOSSES.len()];
        let costs: Vec<Vec<f64>> = (0..table.k)
            .map(|i| {
                (0..table.k)
                    .map(|j| if i == j { 0.0 } else { (1 + draw(&mut seed) % 4) as f64 })
                    .collect()
            })
            .collect();
        let nominal = [NominalTests::Ordered, NominalTests::OneVsRest, NominalTests::Subset];
        let objective = Objective {
            criterion: if name == "cost" { "error".into() } else { name.into() },
            cost_matrix: (name == "cost").then(|| costs.clone()),
            max_depth: [None, Some(1), Some(2), Some(3), Some(3), Some(4)]
                [draw(&mut seed) as usize % 6],
            max_leaf_nodes: [None, None, Some(2), Some(3), Some(4), Some(5), Some(6)]
                [draw(&mut seed) as usize % 7],
            min_samples_leaf: 1 + (draw(&mut seed) % 7).saturating_sub(2) as usize,
            leaf_penalty: [0.0, 0.0, 0.01, 0.05, 0.1][draw(&mut seed) as usize % 5],
            nominal_splits: nominal[draw(&mut seed) as usize % 3],
            ties: if draw(&mut seed).is_multiple_of(3) { TieRule::Any } else { TieRule::First },
            ..Objective::default()
        };
        if objective.max_depth.is_none()
            && objective.max_leaf_nodes.is_none()
            && objective.leaf_penalty == 0.0
        {
            continue;
        }
        let total: f64 = table.weights.iter().sum();
        let penalty = objective.leaf_penalty * total;
        let (depth, leaves) =
            (objective.max_depth.unwrap_or(n), objective.max_leaf_nodes.unwrap_or(n));
        let set = ((1_u64 << n) - 1) as u32;
        let mut enumeration = Enumeration {
            table: &table,
            name,
            costs,
            objective: &objective,
            penalty,
            known: HashMap::new(),
        };
        let expected = enumeration.best(set, depth, leaves);
        let told = format!(
            "{name} {objective:?}\n{:?}\n{:?}\n{:?} {:?}",
            table.numbers, table.levels, table.classes, table.weights
        );
        let found = optimal(&table, &objective, &SearchLimits::default(), 1);
        let cost = found.objective * total;
        assert!((cost - expected.cost).abs() < 1e-7, "{cost} is not {expected:?}: {told}");
        assert_eq!(found.lower, found.objective, "{told}");
        // The tree is what it says.
        let own = enumeration.cost(&found.tree);
        let shape = found.tree.shape();
        assert!((own - cost).abs() < 1e-7, "{own} is not {cost}: {told}");
        assert!(shape.depth <= depth && shape.leaves <= leaves, "{told}");
        if objective.ties == TieRule::First {
            assert_eq!(
                shape.leaves, expected.leaves,
                "{cost} {expected:?} {:?} {told}",
                found.tree
            );
            let root = found.tree.nodes[0];
            let first = (root.test != Test::Leaf).then_some(root.feature as usize);
            let expected = enumeration.first(set, depth, leaves);
            assert_eq!(first, expected.map(|(feature, _)| feature), "{told}");
            if let (Test::Threshold(t), Some((_, number))) = (root.test, expected) {
                assert!(t.at >= f64::from(number), "{} {number}: {told}", t.at);
                assert!(t.at < f64::from(number) + 8.0);
            }
            // Threads change nothing.
            let again = optimal(&table, &objective, &SearchLimits::default(), 3);
            assert_eq!(again.tree, found.tree, "{told}");
        }
        // Passes that look for bounds first change nothing but the time, and their bounds hold.
        let mut limits = SearchLimits { time_limit: Some(1e6), ..SearchLimits::default() };
        let again = optimal(&table, &objective, &limits, 1);
        assert_eq!((again.objective, again.lower), (found.objective, found.lower), "{told}");
        limits.node_budget = Some(1 + draw(&mut seed) % 60);
        let early = optimal(&table, &objective, &limits, 1);
        let (lower, upper) = (early.lower * total, early.objective * total);
        assert!(lower <= expected.cost + 1e-7, "{lower} is above {expected:?}: {told}");
        assert!(upper >= expected.cost - 1e-7, "{upper} is below {expected:?}: {told}");
        deep += usize::from(shape.depth > 2);
    }
    assert!(deep > tables / 50, "{deep}");
}

#[test]
fn optimal_trees_are_those_of_enumeration() {
    compare(1, 1500, 9);
}

/// The facts on which the bounds rest, for all criteria whose leaves have a loss.
#[test]
fn losses_rise_by_no_more_than_their_criterion_says() {
    let mut seed = 5;
    let mut with_loss = Vec::new();
    for entry in CRITERIA.iter() {
        let criterion = criteria::make(entry.info.name, Default::default()).unwrap();
        if criterion.loss(Cells::Weights(&[1.0, 1.0]), &Context::new(2, 2)).is_none() {
            continue;
        }
        with_loss.push(entry.info.name);
        for _ in 0..2000 {
            let k = 2 + draw(&mut seed) as usize % 4;
            let context = Context::new(k, 1000);
            let scale = [1.0, 0.25][draw(&mut seed) as usize % 2];
            let mut counts = |most: u64| -> Vec<f64> {
                (0..k).map(|_| (draw(&mut seed) % most) as f64 * scale).collect()
            };
            // Three leaves, and rows that join them.
            let (mut rise, mut moved, mut all) = (0.0, 0.0, 0.0);
            for _ in 0..3 {
                let (before, joining) = (counts(30), counts(6));
                let after: Vec<f64> = before.iter().zip(&joining).map(|(a, b)| a + b).collect();
                let loss =
                    |counts: &[f64]| criterion.loss(Cells::Weights(counts), &context).unwrap();
                let own = loss(&after) - loss(&before);
                assert!(own >= -1e-9, "{}: {before:?} {joining:?}: {own}", entry.info.name);
                rise += own;
                moved += joining.iter().sum::<f64>();
                all += after.iter().sum::<f64>();
            }
            for all in [all, 2.0 * all + 1.0] {
                let most = criterion.loss_rise().bound(moved, all, k);
                assert!(rise <= most + 1e-9, "{}: {rise} above {most}", entry.info.name);
                let half = criterion.loss_rise().bound(moved / 2.0, all, k);
                assert!(half <= most && most <= 2.0 * half + 1e-9, "{}", entry.info.name);
            }
        }
    }
    assert!(with_loss.contains(&"gini") && with_loss.contains(&"mdl"), "{with_loss:?}");
}

#[test]
fn a_criterion_without_a_loss_is_refused() {
    let table = Table::random(&mut 3, 9);
    let (data, all) = (table.data(), RowSet::all(table.classes.len()));
    let search = |criterion: &str| {
        let objective =
            Objective { criterion: criterion.into(), max_depth: Some(1), ..Objective::default() };
        let control = Control::new(1);
        optimal_tree(
            &data,
            all.rows(),
            &Weights::Unit,
            &objective,
            &SearchLimits::default(),
            &control,
        )
    };
    let told = search("gain_ratio").unwrap_err().to_string();
    assert!(told.contains("gain_ratio") && told.contains("gini") && told.contains("mdl"), "{told}");
    assert!(matches!(
        search("nothing"),
        Err(Error::Parameter { .. } | Error::Unsupported { .. } | Error::Data(_))
    ));
}
