//! Trees with subset tests: walking, printing, keeping, cutting; made by hand, without a grower.
//! And the criteria for which a best division of levels cuts their order.

use super::growth::{draw, nominal};
use super::written::{from_bytes, to_bytes};
use fasttree_core::criteria::{CRITERIA, Cells, Context, Criterion, EvidenceKind, Tables, make};
use fasttree_core::data::Dataset;
use fasttree_core::error::Error;
use fasttree_core::model::{LeafSmoothing, Model};
use fasttree_core::parallel::Control;
use fasttree_core::predict::CompiledTree;
use fasttree_core::tree::{NONE, Node, Test, Tree};

/// Levels v0..v69 of two features; the last row's values are missing.
fn rows() -> Dataset<'static> {
    let first = vec![0, 1, 2, 3, 69, 69, -1];
    let second = vec![0, 1, 0, 1, 2, 69, -1];
    nominal(&[first, second], 70, &[0, 1, 0, 1, 0, 1, 0], 2)
}

fn node(parent: u32, branch: u32, depth: u32, test: Test, first_child: u32) -> Node {
    let children = match (test, parent) {
        (Test::Leaf, _) => 0,
        (_, NONE) => 3,
        _ => 2,
    };
    Node {
        parent,
        branch,
        depth,
        test,
        feature: if parent == NONE || test == Test::Leaf { 0 } else { 1 },
        first_child,
        n_children: children,
        missing_branch: if children == 0 { NONE } else { children - 1 },
        label: i32::from(branch == 1),
        rows: 1,
        step: if children == 0 { NONE } else { depth },
        score: if children == 0 { 0.0 } else { 0.5 },
        distance: 0.0,
        significance: None,
    }
}

/// `c0 in {v0, v2, v69}` (below: `c1 = v69` or not), the others, missing.
fn model(data: &Dataset) -> Model {
    let mut tree = Tree::empty(2);
    let root = tree.copy_levels(Test::Subset { first: 0, len: 3 }, &[0, 2, 69]);
    let below = tree.copy_levels(Test::Subset { first: 1, len: 1 }, &[7, 69]);
    tree.nodes = vec![
        node(NONE, 0, 0, root, 0),
        node(0, 0, 1, below, 3),
        node(1, 0, 2, Test::Leaf, 5),
        node(1, 1, 2, Test::Leaf, 5),
        node(0, 1, 1, Test::Leaf, 5),
        node(0, 2, 1, Test::Leaf, 5),
    ];
    tree.children = vec![1, 4, 5, 2, 3];
    tree.counts = vec![1.0; 12];
    Model {
        schema: data.shared_schema(),
        tree,
        smoothing: LeafSmoothing::None,
        parameters: String::new(),
    }
}

#[test]
fn listed_levels_go_first_others_second_missing_where_the_node_says() {
    let data = rows();
    let model = model(&data);
    let found = CompiledTree::new(&model.tree, &model.schema)
        .unwrap()
        .leaves(&data, data.len(), &Control::new(1))
        .unwrap();
    let by_row: Vec<u32> = (0..7).map(|r| found[data.internal()[r] as usize]).collect();
    assert_eq!(by_row, [3, 4, 3, 4, 3, 2, 5]);
}

#[test]
fn kept_and_cut_trees_list_the_same_levels() {
    let data = rows();
    let model = model(&data);
    let bytes = to_bytes(&model).unwrap();
    let back = from_bytes(&bytes).unwrap();
    assert_eq!(back, model);
    assert_eq!(to_bytes(&back).unwrap(), bytes);
    let cut = model.tree.cut(1);
    assert_eq!((cut.nodes.len(), cut.subset(0)), (4, Some(&[0, 2, 69][..])));
    assert_eq!(cut.levels.len(), 3, "lists of nodes that are gone are gone");
    assert_eq!(model.tree.cut(2), model.tree);
}

#[test]
fn forged_lists_are_refused() {
    let model = model(&rows());
    let refused = |change: &dyn Fn(&mut Tree)| {
        let mut forged = model.clone();
        change(&mut forged.tree);
        let bytes = to_bytes(&forged).unwrap();
        matches!(from_bytes(&bytes), Err(Error::Model(_)))
    };
    assert!(!refused(&|_| ()));
    assert!(refused(&|t| t.levels[0] = 2), "twice the same");
    assert!(refused(&|t| t.levels.swap(0, 1)), "descending");
    assert!(refused(&|t| t.levels[2] = 70), "no such level");
    assert!(refused(&|t| t.nodes[0].test = Test::Subset { first: 0, len: 0 }), "nothing listed");
    assert!(
        refused(&|t| {
            t.levels = (0..70).collect();
            t.nodes[0].test = Test::Subset { first: 0, len: 70 };
        }),
        "everything listed"
    );
    assert!(
        refused(&|t| t.nodes[0].test = Test::Multiway),
        "three branches are no multiway split of 70 levels"
    );
    assert!(
        refused(&|t| t.nodes[2].test = Test::Subset { first: 0, len: 1 }),
        "a leaf lists nothing"
    );
}

/// Scores of all divisions of the rows of a two-class table in two, by bit mask; rows in the order
/// given.
fn all_divisions(criterion: &dyn Criterion, rows: &[[u32; 2]], context: &Context) -> Vec<f64> {
    let v = rows.len();
    let masks: Vec<usize> = (1..(1 << v) - 1).collect();
    let mut cells = vec![0; 4 * masks.len()];
    for (j, &mask) in masks.iter().enumerate() {
        for (i, row) in rows.iter().enumerate() {
            let branch = usize::from(mask >> i & 1 == 0);
            (0..2).for_each(|c| cells[(branch * 2 + c) * masks.len() + j] += row[c]);
        }
    }
    let totals: Vec<u32> = (0..2).map(|c| rows.iter().map(|r| r[c]).sum()).collect();
    let tables = Tables {
        cells: Cells::Rows(&cells),
        totals: Cells::Rows(&totals),
        branches: 2,
        classes: 2,
        stride: masks.len(),
        len: masks.len(),
        declared: &vec![2; masks.len()],
        context,
    };
    let mut scores = vec![0.0; masks.len()];
    criterion.score(&tables, &mut scores).unwrap();
    scores
}

#[test]
fn criteria_that_order_levels_are_best_at_a_cut_of_the_shares() {
    let mut seed = 5;
    for entry in CRITERIA.iter().filter(|e| e.info.evidence == EvidenceKind::Table) {
        let criterion = make(entry.info.name, Default::default()).unwrap();
        if !criterion.breiman_order() {
            continue;
        }
        for case in 0..400_u64 {
            let v = 3 + (case % 5) as usize;
            let most = [3, 9, 60][(case % 3) as usize];
            let mut rows: Vec<[u32; 2]> = (0..v)
                .map(|_| [(draw(&mut seed) % most) as u32, (draw(&mut seed) % most) as u32])
                .filter(|r| r[0] + r[1] > 0)
                .collect();
            if rows.len() < 2 {
                continue;
            }
            let share = |r: &[u32; 2]| f64::from(r[0]) / f64::from(r[0] + r[1]);
            rows.sort_by(|a, b| share(a).total_cmp(&share(b)));
            let context = Context::new(2, 1000);
            let scores = all_divisions(criterion.as_ref(), &rows, &context);
            let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let cut =
                (1..rows.len()).map(|i| scores[(1 << i) - 2]).fold(f64::NEG_INFINITY, f64::max);
            assert!(
                (best - cut).abs() <= 1e-12 * best.abs().max(1.0),
                "{}: {best} by a subset, {cut} by a cut, {rows:?}",
                entry.info.name
            );
        }
    }
}
