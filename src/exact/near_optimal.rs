//! The first tests of trees that are nearly optimal.
//!
//! Each feature is searched on its own: all its tests below a limit, or, if there is none, its best
//! one. So the list says what every feature can do as the first one. The best trees of some of
//! these tests are written down.

use super::any_depth::{FirstTest, first_tests, solve_any};
use super::found_nodes::in_pre_order;
use super::losses::Loss;
use super::objective::Cheapest;
use super::part::SetPart;
use super::passes::complete_stumps;
use super::query::{Answer, Query};
use super::ranked::{RankedTest, TestColumn};
use super::search::{OptimalSearch, Question, Started};
use super::sorted::SortedSet;
use crate::error::Result;
use crate::numeric::sort_few;
use crate::parallel::Control;
use std::sync::atomic::Ordering;

/// First tests of near-optimal trees, and the best trees of some of them.
#[derive(Debug, Clone, PartialEq)]
pub struct NearTrees {
    /// One of each feature.
    pub features: Vec<FeatureRoots>,
    /// The trees that [`RootTest::tree`] numbers: of the best test of each feature, then of the
    /// other tests, by their objective.
    pub trees: Vec<Cheapest>,
}

/// The trees whose first test is of one feature.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct FeatureRoots {
    /// The feature.
    pub feature: usize,
    /// Its tests, by their order in the feature: the near-optimal ones, or the best one.
    pub tests: Vec<RootTest>,
    /// Whether they are near-optimal.
    pub is_near: bool,
}

/// A first test.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RootTest {
    /// Numbers up to this one go left.
    pub threshold: Option<f64>,
    /// These levels go left.
    pub levels: Option<Vec<u32>>,
    /// Whether missing values go right; none if no value is missing.
    pub missing_right: Option<bool>,
    /// The objective of the best tree with this test.
    pub objective: f64,
    /// That tree, a position in [`NearTrees::trees`]; none if it is not written down.
    pub tree: Option<usize>,
}

/// Asks for the first tests of trees whose objective is near the least one, and for their trees.
pub(super) struct NearRoots {
    /// The largest difference from the least objective.
    pub(super) within: f64,
    /// The largest number of trees that are written down.
    pub(super) most_trees: usize,
}

impl Question for NearRoots {
    type Found = NearTrees;

    fn ask(
        &self,
        search: &OptimalSearch<'_>,
        loss: &dyn Loss,
        (control, _): (&Control, &Control),
    ) -> Result<NearTrees> {
        let Started { setting, set, pool, depth, leaves, .. } =
            search.start(loss, false, control)?;
        let zeros = vec![0.0; set.columns.len()];
        let whole = |depth| {
            let query = Query {
                depth,
                leaves,
                resolves_ties: false,
                ..Query::of_single_test(&set, &zeros)
            };
            solve_any(&setting, &query, None, &pool, control).complete()
        };
        let best = whole(depth)?.best.cost;
        let optimal = setting.cost_with_rounding(&set, best);
        let limit = optimal + self.within * search.total;
        let mut found = NearTrees { features: Vec::new(), trees: Vec::new() };
        if depth == 0 || leaves < 2 {
            return Ok(found);
        }
        // Every test with its place in the list; the best of each feature comes first.
        let mut all: Vec<(bool, FirstTest, (usize, usize))> = Vec::new();
        let Answer { lower, by_column: less, .. } = whole(depth - 1)?;
        for feature in 0..search.n_features() {
            let of_feature = |column: &TestColumn| match column.feature == feature {
                true => 0.0,
                false => f64::INFINITY,
            };
            let own: Vec<f64> = search.ranked.columns.iter().map(of_feature).collect();
            let roots = |limit: f64, is_all: bool| {
                let stump = Query::of_single_test(&set, &own);
                let query = Query { depth, leaves, limit, resolves_ties: false, ..stump };
                first_tests(&setting, &query, (lower, less.clone()), is_all, &pool, control)
            };
            let mut tests = roots(limit, true)?;
            let is_near = !tests.is_empty();
            if !is_near {
                tests = roots(f64::INFINITY, false)?;
            }
            // A test may stand there several times, with other numbers of leaves on its sides.
            let key = |own: &FirstTest| search.ranked.tie_key(own.test);
            let order = |a: &FirstTest, b: &FirstTest| key(a).cmp(&key(b));
            sort_few(&mut tests, &|a, b| order(a, b).then(a.cost.total_cmp(&b.cost)));
            tests.dedup_by_key(|own| own.test);
            let told = |own: &FirstTest| {
                let objective = own.cost / search.total;
                RootTest { objective, ..describe_test(search, &set, own.test) }
            };
            let told = tests.iter().map(told).collect();
            found.features.push(FeatureRoots { feature, tests: told, is_near });
            let costs = tests.iter().map(|own| own.cost).enumerate();
            let first = costs.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i);
            all.extend(
                (tests.into_iter().enumerate())
                    .map(|(i, own)| (Some(i) != first, own, (feature, i))),
            );
        }
        sort_few(&mut all, &|a, b| a.0.cmp(&b.0).then(a.1.cost.total_cmp(&b.1.cost)));
        for (_, FirstTest { cost, plan, .. }, (feature, i)) in all.into_iter().take(self.most_trees)
        {
            let known = complete_stumps(&setting, SetPart::whole(&set), &plan, control)?;
            let lower = (cost > optimal).then_some(best);
            let opened = setting.nodes.opened.load(Ordering::Relaxed);
            found.features[feature].tests[i].tree = Some(found.trees.len());
            found.trees.push(search.written(loss, &in_pre_order(&known.plan), lower, opened));
        }
        Ok(found)
    }
}

/// A test of all rows in terms of the data.
fn describe_test(search: &OptimalSearch<'_>, set: &SortedSet, test: RankedTest) -> RootTest {
    let column = &search.ranked.columns[test.column as usize];
    let place = set.rows_left(search.ranked, test);
    let order = &set.columns[test.column as usize].order;
    let around = (test.below < column.end).then(|| (order[place - 1], order[place]));
    let asked = search.asked(column, around);
    let (threshold, levels) = (asked.as_ref().ok().copied(), asked.err());
    let is_twin = |other: &TestColumn| other.feature == column.feature && other.missing_right;
    let twins = search.ranked.columns.iter().any(is_twin);
    let missing_right = twins.then_some(column.missing_right);
    RootTest { threshold, levels, missing_right, objective: 0.0, tree: None }
}
