//! The fields of a tree's nodes as NumPy arrays, for `Model.arrays`. O(nodes x classes).

use crate::store;
use crate::tree::{FeatureTest, NONE, Node, Outcome, Test, Tree};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// One array for each field of the nodes; see `Model.arrays`.
pub fn arrays<'py>(py: Python<'py>, tree: &Tree) -> PyResult<Bound<'py, PyDict>> {
    let nodes = &tree.nodes;
    let out = PyDict::new(py);
    // An index, -1 for none.
    let signed = |x: u32| if x == NONE { -1 } else { i64::from(x) };
    // One field of all nodes.
    let ints = |field: &dyn Fn(&Node) -> i64| {
        nodes.iter().map(field).collect::<Vec<i64>>().into_pyarray(py)
    };
    let reals = |field: &dyn Fn(&Node) -> f64| {
        nodes.iter().map(field).collect::<Vec<f64>>().into_pyarray(py)
    };
    out.set_item("parent", ints(&|n| signed(n.parent)))?;
    out.set_item("branch", ints(&|n| i64::from(n.branch)))?;
    out.set_item("depth", ints(&|n| i64::from(n.depth)))?;
    // scikit-learn's code for a leaf: -2.
    out.set_item(
        "feature",
        ints(&|n| if n.test == Test::Leaf { -2 } else { i64::from(n.feature) }),
    )?;
    out.set_item(
        "threshold",
        reals(&|n| match n.test {
            Test::Threshold(t) => t.at,
            _ => f64::NAN,
        }),
    )?;
    out.set_item(
        "reach",
        reals(&|n| match n.test {
            Test::Threshold(t) => t.reach,
            _ => f64::NAN,
        }),
    )?;
    set_lists(&out, tree, Tree::subset, ["first_level", "n_levels", "levels"])?;
    set_lists(&out, tree, Tree::groups, ["first_group", "n_groups", "groups"])?;
    out.set_item("first_child", ints(&|n| i64::from(n.first_child)))?;
    out.set_item("n_children", ints(&|n| i64::from(n.n_children)))?;
    out.set_item("missing_branch", ints(&|n| store::branch_code(n.missing_branch)))?;
    out.set_item("label", ints(&|n| i64::from(n.label)))?;
    out.set_item("n_node_samples", ints(&|n| i64::from(n.rows)))?;
    out.set_item("step", ints(&|n| signed(n.step)))?;
    out.set_item("score", reals(&|n| n.score))?;
    out.set_item("distance", reals(&|n| n.distance))?;
    let test = |field: &dyn Fn(&FeatureTest) -> f64| {
        reals(&|n| n.significance.as_ref().map_or(f64::NAN, field))
    };
    out.set_item("statistic", test(&|test| test.statistic))?;
    out.set_item("p_value", test(&|test| test.log_p.exp()))?;
    out.set_item(
        "children",
        tree.children.iter().map(|&c| i64::from(c)).collect::<Vec<_>>().into_pyarray(py),
    )?;
    out.set_item(
        "counts",
        tree.counts.clone().into_pyarray(py).reshape([nodes.len(), tree.classes])?,
    )?;
    if tree.is_regression() {
        let of = |field: &dyn Fn(&Outcome) -> f64| {
            tree.outcomes.iter().map(field).collect::<Vec<f64>>().into_pyarray(py)
        };
        out.set_item("outcome", of(&|o| o.value))?;
        out.set_item("impurity", of(&|o| o.impurity))?;
        out.set_item("variance", of(&|o| o.variance))?;
    }
    Ok(out)
}

/// The lists that some nodes have, in three arrays with these names: the start and the length of
/// each node's list, and the lists one after the other.
fn set_lists<'t>(
    out: &Bound<'_, PyDict>,
    tree: &'t Tree,
    of: impl Fn(&'t Tree, usize) -> Option<&'t [u32]>,
    [first, length, lists]: [&str; 3],
) -> PyResult<()> {
    let py = out.py();
    let listed: Vec<&[u32]> =
        (0..tree.nodes.len()).map(|i| of(tree, i).unwrap_or_default()).collect();
    let lengths: Vec<i64> = listed.iter().map(|l| l.len() as i64).collect();
    let starts: Vec<i64> = lengths
        .iter()
        .scan(0, |end, len| {
            *end += len;
            Some(*end - len)
        })
        .collect();
    out.set_item(first, starts.into_pyarray(py))?;
    out.set_item(length, lengths.into_pyarray(py))?;
    out.set_item(
        lists,
        listed.concat().into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py),
    )?;
    Ok(())
}
