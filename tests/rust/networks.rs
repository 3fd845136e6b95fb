//! Bayesian networks: the sampler beside the exact sums, sums beside single tables, threads, bad
//! priors.

use fasttree_core::data::{
    Dataset, DatasetBuilder, Feature, Kind as FeatureKind, Label, Schema, Weights,
};
use fasttree_core::networks::{
    CostCache, Groups, LARGEST_CACHE, MissingCells, Prior, PriorConfig, SearchConfig, SubsetSums,
    Variables, exact_posterior, search, set_members, table_cost,
};
use fasttree_core::numeric::mix;
use fasttree_core::parallel::Control;

const ARITIES: [usize; 5] = [2, 3, 1, 4, 2];

/// A column copies the one before, or the class, in three of four rows; some cells are missing.
fn code(row: usize, column: usize, gaps: bool) -> i64 {
    let random = mix(column as u64 + 7, row as u64);
    if gaps && random.is_multiple_of(19) {
        return -1;
    }
    let copied = if column == 0 { row as u64 % 3 } else { mix(column as u64 + 6, row as u64) >> 9 };
    let own = if random & 3 == 0 { random >> 5 } else { copied };
    (own % arity(column) as u64) as i64
}

fn arity(column: usize) -> usize {
    ARITIES[column % ARITIES.len()]
}

fn data(rows: usize, columns: usize, gaps: bool) -> Dataset<'static> {
    let feature = |j: usize| {
        Feature::new(
            format!("f{j}"),
            FeatureKind::Nominal {
                levels: (0..arity(j) as i64).map(Label::Int).collect(),
                ordered: false,
                fill: None,
            },
        )
    };
    let features = (0..columns).map(feature).collect();
    let classes = (0..3).map(Label::Int).collect();
    let schema = Schema { features, classes, target: "class".into() };
    let labels: Vec<u16> = (0..rows).map(|row| (row % 3) as u16).collect();
    let mut builder = DatasetBuilder::new(schema, &labels).unwrap();
    for j in 0..columns {
        builder.nominal(arity(j), |row| code(row, j, gaps)).unwrap();
    }
    builder.finish().unwrap()
}

fn variables(rows: usize, missing: MissingCells) -> fasttree_core::error::Result<Variables> {
    wide(rows, ARITIES.len(), missing)
}

fn wide(
    rows: usize,
    columns: usize,
    missing: MissingCells,
) -> fasttree_core::error::Result<Variables> {
    let (cuts, gaps) = (vec![None; columns], rows % 2 == 1);
    Variables::new(&data(rows, columns, gaps), &Weights::Unit, &cuts, missing, &Control::new(1))
}

fn settings(steps: u64) -> SearchConfig {
    SearchConfig { seed: 3, chains: 4, steps, temperature: 1.8, keep: 50 }
}

#[test]
fn sums_over_all_sets_are_those_of_single_tables() {
    let control = Control::new(1);
    for missing in [MissingCells::Mode, MissingCells::Parts] {
        let variables = variables(61, missing).unwrap();
        let n = variables.len();
        let sums = SubsetSums::new(&variables, n, 1, &control).unwrap();
        let mut groups = Groups::default();
        for set in 0..1_usize << n {
            for child in (0..n).filter(|j| set >> j & 1 == 0) {
                let own = table_cost(&variables, child, set as u128, &mut groups);
                let summed = sums.table_cost(child, variables.arities[child], set);
                assert!((own - summed).abs() < 1e-9, "{child} given {set:b}: {own} {summed}");
            }
        }
    }
}

#[test]
fn a_cache_holds_no_more_than_its_bound_and_forgets_no_cost() {
    let variables = wide(60, 19, MissingCells::Error).unwrap();
    let (small, large) =
        (CostCache::bounded(&variables, None, 640), CostCache::new(&variables, None));
    let (mut groups, mut fullest) = (Groups::default(), 0);
    for round in 0..4000_u64 {
        let drawn = mix(round % 2000, 5);
        let child = (drawn % 19) as usize;
        let parents = (drawn >> 8) as u128 & 0x7ffff & !(1 << child) & (drawn >> 32) as u128;
        let cost = small.table_cost(child, parents, &mut groups);
        assert_eq!(cost, large.table_cost(child, parents, &mut groups));
        fullest = fullest.max(small.n_cached());
    }
    assert!((320..=640).contains(&fullest), "{fullest}");
    assert!(large.n_cached() > 640 && large.n_cached() <= LARGEST_CACHE);
    assert_eq!(large.n_counted(), large.n_cached() as u64); // nothing twice while it is not full
    assert!(small.n_counted() > large.n_counted());
}

#[test]
fn the_sampler_finds_what_the_exact_sums_say() {
    let variables = variables(120, MissingCells::Error).unwrap();
    let n = variables.len();
    let config = PriorConfig {
        arc_probability: Some(0.3),
        arcs: vec![(0, 1, 0.8), (3, 4, 0.0)],
        ordered: vec![(1, 3)],
        tied: vec![(1, 5)],
    };
    let control = Control::new(1);
    let prior = Prior::new(&config, &variables.names, 3).unwrap();
    let truth = exact_posterior(&variables, &prior, &control).unwrap();
    let found = search(&variables, &config, 3, &settings(1_000_000), &control).unwrap();
    for (i, (own, exact)) in found.arcs.iter().zip(&truth.arcs).enumerate() {
        assert!((own - exact).abs() < 0.03, "{} to {}: {own} {exact}", i / n, i % n);
    }
    assert!((found.arcs[n + 5] + found.arcs[5 * n + 1] - 1.0).abs() < 1e-12);
    assert_eq!(found.arcs[3 * n + 4], 0.0);
    assert!(found.models.iter().all(|m| m.parents.iter().all(|p| set_members(*p).count() <= 3)));
    let threads = search(&variables, &config, 3, &settings(1_000_000), &Control::new(3)).unwrap();
    assert_eq!(found.arcs, threads.arcs);
    assert_eq!(found.models, threads.models);
}

#[test]
fn parts_weigh_as_much_as_the_rows() {
    let whole = variables(61, MissingCells::Mode).unwrap();
    let parts = variables(61, MissingCells::Parts).unwrap();
    assert_eq!(whole.total, 61.0);
    assert!((parts.total - 61.0).abs() < 1e-12);
    assert!(parts.n_distinct_rows() > whole.n_distinct_rows());
    let error = variables(61, MissingCells::Error).unwrap_err().to_string();
    assert!(error.contains("the value is missing"), "{error}");
}

#[test]
fn a_cancelled_search_stops() {
    let variables = variables(60, MissingCells::Error).unwrap();
    let control = Control::new(1);
    control.cancel();
    let config = PriorConfig::default();
    assert!(search(&variables, &config, 3, &settings(u64::MAX / 8), &control).is_err());
    let prior = Prior::new(&config, &variables.names, 3).unwrap();
    assert!(exact_posterior(&variables, &prior, &control).is_err());
}
