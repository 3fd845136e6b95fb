//! Pruning of trees made by hand: chains that are too deep for recursion, and facts from the
//! papers.

use fasttree_core::criteria::TargetKind;
use fasttree_core::data::{Dataset, DatasetBuilder, Feature, Kind, Label, Schema, Weights};
use fasttree_core::error::Result;
use fasttree_core::options::{self, OptionDomain};
use fasttree_core::parallel::Control;
use fasttree_core::predict::CompiledTree;
use fasttree_core::prune::error_based::added_errors;
use fasttree_core::prune::{
    CostComplexity, ErrorBased, Impurity, MEstimate, Merge, PRUNINGS, PruneInfo, PruneMethod,
    PruneRows, PruneSteps, Pruned, ReducedError, cost_complexity, prune_with,
};
use fasttree_core::tree::{NONE, Node, Test, Tree};

/// A method of the registry with options as JSON.
fn method(info: &PruneInfo, options: &str) -> PruneMethod {
    let mut whole: serde_json::Value = serde_json::from_str(options).unwrap();
    whole["method"] = info.name.into();
    serde_json::from_value(whole).unwrap()
}

/// Every method for classes of the registry with the options that its entry wants tested.
fn methods() -> Vec<PruneMethod> {
    let samples = |info: &&'static PruneInfo| {
        assert!(!info.samples.is_empty(), "{}", info.name);
        info.samples.iter().map(|options| method(info, options)).collect::<Vec<_>>()
    };
    let on_classes = PRUNINGS.iter().filter(|info| info.targets.contains(&TargetKind::Classes));
    on_classes.flat_map(samples).collect()
}

#[test]
fn entries_of_the_registry_are_complete_and_their_defaults_lie_in_their_domains() {
    for (i, info) in PRUNINGS.iter().enumerate() {
        assert!(PRUNINGS[..i].iter().all(|o| o.name != info.name), "{}", info.name);
        assert!(!info.text.is_empty() && !info.source.is_empty() && !info.costs.is_empty());
        for option in info.options {
            let default: serde_json::Value = serde_json::from_str(option.default).unwrap();
            let fits = match option.domain {
                _ if default.is_null() => true,
                OptionDomain::Number { .. } | OptionDomain::Whole { .. } => {
                    options::check(info.options, option.name, default.as_f64().unwrap()).is_ok()
                }
                OptionDomain::Flag => default.is_boolean(),
                OptionDomain::Words { words } => words.contains(&default.as_str().unwrap()),
                // Of classes and sets; a pruning has no such options.
                _ => false,
            };
            assert!(fits && option.doc.ends_with('.'), "{} {}", info.name, option.name);
        }
        let flag = info.rows.and_then(|(_, flag)| flag);
        assert!(flag.is_none_or(|flag| info.options.iter().any(|o| o.name == flag)));
    }
    for method in methods() {
        assert!(PRUNINGS.iter().any(|info| info.name == method.info().name), "{method:?}");
        assert_eq!(method.check(), Ok(()));
        let counted = method.info().unweighed.is_some();
        assert!(!counted || method.check_costs().is_err(), "{method:?}");
    }
}

/// Rows 0..n of one feature that is the row number, classes by a pattern of long and short runs.
fn rows(n: usize) -> Dataset<'static> {
    let schema = Schema {
        features: vec![Feature::new("x", Kind::Numeric { cuts: None, fill: None })],
        classes: vec![Label::Int(0), Label::Int(1)],
        target: "y".into(),
    };
    let codes: Vec<u16> = (0..n).map(|i| u16::from(i % 7 == 3 || i > n / 2)).collect();
    let mut builder = DatasetBuilder::new(schema, &codes).unwrap();
    builder.numeric_block(1, |row, _| row as f64, None, &Control::new(1)).unwrap();
    builder.finish().unwrap()
}

/// A tree that cuts off one row a level.
fn chain(data: &Dataset) -> Tree {
    let n = data.len();
    let class = |i: usize| data.classes()[data.internal()[i] as usize] as usize;
    let mut tree = Tree::empty(2);
    let mut left = [0.0; 2];
    (0..n).for_each(|i| left[class(i)] += 1.0);
    let leaf = |parent: u32, branch: u32, depth: u32, label: i32, rows: u32| Node {
        parent,
        branch,
        depth,
        test: Test::Leaf,
        feature: 0,
        first_child: 0,
        n_children: 0,
        missing_branch: NONE,
        label,
        rows,
        step: NONE,
        score: 0.0,
        distance: 0.0,
        significance: None,
    };
    for i in 0..n - 1 {
        let me = tree.nodes.len() as u32;
        let parent = if i == 0 { NONE } else { me - 2 };
        let first_child = tree.children.len() as u32;
        let label = i32::from(left[1] > left[0]);
        tree.nodes.push(Node {
            test: Test::Threshold((i as f64 + 0.5).into()),
            first_child,
            n_children: 2,
            missing_branch: 1,
            step: i as u32,
            ..leaf(parent, 1, i as u32, label, (n - i) as u32)
        });
        if i == 0 {
            tree.nodes[0].branch = 0;
        }
        tree.counts.extend(left);
        tree.children.extend([me + 1, me + 2]);
        tree.nodes.push(leaf(me, 0, i as u32 + 1, class(i) as i32, 1));
        let mut one = [0.0; 2];
        one[class(i)] = 1.0;
        tree.counts.extend(one);
        left[class(i)] -= 1.0;
    }
    let last = tree.nodes.len() as u32;
    tree.nodes.push(leaf(last - 2, 1, n as u32 - 1, class(n - 1) as i32, 1));
    tree.counts.extend(left);
    tree
}

fn reached(tree: &Tree, data: &Dataset) -> Vec<f64> {
    let walker = CompiledTree::new(tree, data.schema()).unwrap();
    let mut counts = vec![0.0; tree.counts.len()];
    for row in 0..data.len() {
        counts[walker.last_node(data, row) as usize * 2 + data.classes()[row] as usize] += 1.0;
    }
    for i in (1..tree.nodes.len()).rev() {
        let parent = tree.nodes[i].parent as usize;
        for c in 0..2 {
            counts[parent * 2 + c] += counts[i * 2 + c];
        }
    }
    counts
}

/// Only this method prunes.
fn by(method: &PruneMethod) -> PruneSteps<'_> {
    PruneSteps { method: Some(method), ..PruneSteps::default() }
}

fn prune(
    tree: &Tree,
    data: &Dataset,
    steps: PruneSteps<'_>,
    rows: Option<&PruneRows<'_>>,
) -> Result<Pruned> {
    prune_with(tree, data.schema(), &steps, rows, &Control::new(1))
}

#[test]
fn a_chain_of_20_000_levels_is_pruned_by_every_method_and_loses_no_row() {
    let data = rows(20_001);
    let tree = chain(&data);
    assert_eq!(tree.shape().depth, 20_000);
    let all: Vec<u32> = (0..data.len() as u32).collect();
    let looked_at = PruneRows { data: &data, rows: &all, weights: &Weights::Unit };
    for method in methods() {
        let raising = matches!(method, PruneMethod::ErrorBased(of) if of.subtree_raising);
        let pruned = prune(&tree, &data, by(&method), Some(&looked_at)).unwrap();
        assert_eq!(reached(&pruned.tree, &data), pruned.tree.counts, "{method:?}");
        let judged = matches!(method, PruneMethod::ReducedError { .. });
        assert!(judged || !pruned.account.is_empty(), "{method:?}");
        if method.info().name != "pessimistic" && !raising {
            let again = prune(&pruned.tree, &data, by(&method), Some(&looked_at)).unwrap();
            assert_eq!(again.tree, pruned.tree, "{method:?}");
            assert!(again.account.is_empty());
        }
    }
    let path = cost_complexity::path(&tree, Impurity::Gini, None, &Control::new(1)).unwrap();
    assert!(path.alphas.windows(2).all(|w| w[0] <= w[1] + 1e-15));
    for merge in [Merge::Class, Merge::Distribution] {
        let merged =
            prune(&tree, &data, PruneSteps { merge: Some(merge), ..PruneSteps::default() }, None)
                .unwrap();
        assert_eq!(reached(&merged.tree, &data), merged.tree.counts);
        assert!(merged.tree.nodes.len() < tree.nodes.len());
        let walkers = [&tree, &merged.tree].map(|t| CompiledTree::new(t, data.schema()).unwrap());
        for row in 0..data.len() {
            let [a, b] = [0, 1].map(|i| walkers[i].last_node(&data, row) as usize);
            assert_eq!(tree.nodes[a].label, merged.tree.nodes[b].label);
        }
    }
}

#[test]
fn limits_of_the_error_are_those_of_the_book() {
    // Quinlan 1993, page 41: U25(0, 6) = 0.206, U25(0, 9) = 0.143, U25(0, 1) = 0.750, U25(1, 16) =
    // 0.157.
    for (e, n, limit) in
        [(0.0, 6.0, 0.206), (0.0, 9.0, 0.143), (0.0, 1.0, 0.750), (1.0, 16.0, 0.157)]
    {
        assert!(((e + added_errors(n, e, 0.25)) / n - limit).abs() < 3e-3, "U25({e}, {n})");
    }
    assert_eq!(added_errors(2.0, 2.0, 0.25), 0.0);
    assert_eq!(added_errors(3.0, 2.75, 0.25), 0.25);
}

#[test]
fn options_outside_their_domain_and_rows_of_another_tree_are_refused() {
    let data = rows(30);
    let tree = chain(&data);
    let error_based = |confidence| ErrorBased { confidence, subtree_raising: false };
    for method in [
        PruneMethod::ErrorBased(error_based(0.0)),
        PruneMethod::ErrorBased(error_based(f64::NAN)),
        PruneMethod::ReducedError(ReducedError { share: 1.0, seed: Some(0) }),
        PruneMethod::CostComplexity(CostComplexity { ccp_alpha: -1.0, impurity: Impurity::Gini }),
        PruneMethod::MEstimate(MEstimate { m: f64::INFINITY }),
    ] {
        assert!(prune(&tree, &data, by(&method), None).is_err(), "{method:?}");
    }
    let raising = PruneMethod::ErrorBased(ErrorBased { confidence: 0.25, subtree_raising: true });
    assert!(prune(&tree, &data, by(&raising), None).is_err());
    let some = PruneRows { data: &data, rows: &[1, 2, 3], weights: &Weights::Unit };
    let error = prune(&tree, &data, by(&raising), Some(&some)).unwrap_err();
    assert!(error.to_string().contains("rows that the tree was grown on"), "{error}");
}
