//! The first tests of trees that are nearly optimal.
//!
//! Each feature is searched separately for all tests below a limit or, if there is none, for its
//! best test. So the list shows how good a tree each feature allows as the first one. The best
//! trees of some of these tests are written down.

use super::any_depth::{first_tests, solve_any};
use super::losses::Loss;
use super::objective::Cheapest;
use super::part::SetPart;
use super::passes::{Controls, complete_stumps};
use super::progress::FirstTest;
use super::query::{Answer, Query};
use super::ranked::{RankedTest, TestColumn};
use super::search::{OptimalSearch, Question, Started};
use super::sorted::SortedSet;
use super::write_tree::LeftValues;
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

/// A first test with its position in the list of the features.
struct ListedTest {
    root: FirstTest,
    feature: usize,
    /// Its number among the tests of the feature.
    position: usize,
    is_best_of_feature: bool,
}

impl Question for NearRoots {
    type Found = NearTrees;

    fn ask(
        &self,
        search: &OptimalSearch<'_>,
        loss: &dyn Loss,
        Controls { searching: control, .. }: Controls<'_>,
    ) -> Result<NearTrees> {
        let started = search.start(loss, false, control)?;
        let Started { setting, set, depth, leaves, .. } = &started;
        let unknown = vec![0.0; set.columns.len()];
        let best_of_depth = |depth| {
            let query = Query::new(set, depth, *leaves, &unknown);
            solve_any(setting, &query, None, control).complete()
        };
        let best = best_of_depth(*depth)?.best.cost;
        let optimal = setting.cost_with_rounding(set, best);
        let limit = optimal + self.within * search.total;
        let mut near = NearTrees { features: Vec::new(), trees: Vec::new() };
        if *depth == 0 || *leaves < 2 {
            return Ok(near);
        }
        let one_level_less = best_of_depth(depth - 1)?;
        let mut listed = Vec::new();
        for feature in 0..search.n_features() {
            let (tests, is_near) =
                tests_of_feature(search, &started, feature, limit, &one_level_less, control)?;
            let describe = |root: &FirstTest| {
                let objective = root.cost / search.total;
                RootTest { objective, ..describe_test(search, set, root.test) }
            };
            let described = tests.iter().map(describe).collect();
            near.features.push(FeatureRoots { feature, tests: described, is_near });
            let costs = tests.iter().map(|root| root.cost).enumerate();
            let best = costs.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(position, _)| position);
            listed.extend(tests.into_iter().enumerate().map(|(position, root)| ListedTest {
                root,
                feature,
                position,
                is_best_of_feature: Some(position) == best,
            }));
        }
        sort_few(&mut listed, &|a: &ListedTest, b: &ListedTest| {
            let best_first = b.is_best_of_feature.cmp(&a.is_best_of_feature);
            best_first.then(a.root.cost.total_cmp(&b.root.cost))
        });
        for ListedTest { root, feature, position, .. } in listed.into_iter().take(self.most_trees) {
            let whole = SetPart::whole(set);
            let completed = complete_stumps(setting, whole, &root.plan, control)?;
            let lower = (root.cost > optimal).then_some(best);
            let opened = setting.nodes.opened.load(Ordering::Relaxed);
            near.features[feature].tests[position].tree = Some(near.trees.len());
            near.trees.push(search.write_tree(loss, &completed.plan, lower, opened));
        }
        Ok(near)
    }
}

/// The first tests of one feature whose trees cost less than `limit`, in the order that decides
/// ties, and whether there are any; if not, the best one alone.
fn tests_of_feature(
    search: &OptimalSearch<'_>,
    Started { setting, set, depth, leaves, .. }: &Started<'_>,
    feature: usize,
    limit: f64,
    one_level_less: &Answer,
    control: &Control,
) -> Result<(Vec<FirstTest>, bool)> {
    // An infinite bound leaves out the columns of all other features.
    let bound = |column: &TestColumn| if column.feature == feature { 0.0 } else { f64::INFINITY };
    let column_bounds: Vec<f64> = search.ranked.columns.iter().map(bound).collect();
    let find = |limit: f64, is_all: bool| {
        let query = Query { limit, ..Query::new(set, *depth, *leaves, &column_bounds) };
        first_tests(setting, &query, one_level_less, is_all, control)
    };
    let mut tests = find(limit, true)?;
    let is_near = !tests.is_empty();
    if !is_near {
        tests = find(f64::INFINITY, false)?;
    }
    // A test may stand there several times, with other numbers of leaves on its sides: the
    // cheapest one is kept.
    sort_few(&mut tests, &|a: &FirstTest, b: &FirstTest| {
        let by_test = search.ranked.tie_key(a.test).cmp(&search.ranked.tie_key(b.test));
        by_test.then(a.cost.total_cmp(&b.cost))
    });
    tests.dedup_by_key(|root| root.test);
    Ok((tests, is_near))
}

/// A test of all rows in terms of the data, without its tree.
fn describe_test(search: &OptimalSearch<'_>, set: &SortedSet, test: RankedTest) -> RootTest {
    let column = &search.ranked.columns[test.column as usize];
    let n_left = set.rows_left(search.ranked, test);
    let order = &set.columns[test.column as usize].order;
    let around = (test.below < column.end).then(|| (order[n_left - 1], order[n_left]));
    let (threshold, levels) = match search.left_values(column, around) {
        LeftValues::UpTo(threshold) => (Some(threshold), None),
        LeftValues::Levels(levels) => (None, Some(levels)),
    };
    let is_twin = |other: &TestColumn| other.feature == column.feature && other.missing_right;
    let has_missing = search.ranked.columns.iter().any(is_twin);
    let missing_right = has_missing.then_some(column.missing_right);
    RootTest { threshold, levels, missing_right, objective: 0.0, tree: None }
}
