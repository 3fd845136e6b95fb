//! `_core.SpreadGrowth` and its companions: growth of a tree whose rows are distributed.
//!
//! The client holds the tree ([`PySpreadGrowth`]); workers hold partitions of the rows, as records
//! in groups, one group per open node. In each round the client names groups to be counted, workers
//! count ([`count_groups`]) and their histograms are added ([`add_counts`]), the client splits
//! nodes, and workers divide their groups ([`divide_groups`]). Nodes with few rows are grown whole
//! by one worker ([`grow_groups`]) and grafted. The tree is the same as if all rows were on one
//! machine.

use super::aligned::{Aligned1, Aligned2};
use super::code_facts::{PyCodeFacts, code_facts, sums_of};
use super::forest::PyForest;
use super::job::{exception, reserve, run};
use super::model::PyModel;
use super::plan::{FromPython, plan};
use crate::bins::{
    BinnedTable, GroupSplits, GroupedRecords, Records, WeightWidth, add_counts as add,
};
use crate::error::{Error, Result};
use crate::fit::{CodeFacts, Config, FitPlan};
use crate::grow::binned::{self, SpreadTree};
use crate::grow::{GrowthSetting, PackedTree, forest};
use crate::parallel::Control;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

/// Records of shape (rows, bytes), and the first row of each group, then the number of rows.
type PyGroups<'py> = (Bound<'py, PyArray2<u8>>, Bound<'py, PyArray1<i64>>);
/// A subtree as arrays of numbers ([`PackedTree`]).
type PyPackedTree<'py> =
    (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>);
/// Open nodes to be grown by one worker: group, node, rows, random key of the node, depth.
type SmallNodes = Vec<(u32, u32, u64, u64, u32)>;

/// The setting of growth. A tree of a forest has a `seed`; a single tree takes the seed of the
/// plan.
fn setting<'p>(plan: &'p FitPlan, facts: &CodeFacts, seed: Option<u64>) -> GrowthSetting<'p> {
    let setting = plan.setting_on_codes(facts);
    GrowthSetting { seed: seed.unwrap_or(setting.seed), ..setting }
}

/// A tree under construction, held by the client of distributed growth.
#[pyclass(name = "SpreadGrowth", module = "fasttree._core")]
pub struct PySpreadGrowth {
    facts: CodeFacts,
    plan: FitPlan,
    seed: Option<u64>,
    growth: Box<dyn SpreadTree>,
}

#[pymethods]
impl PySpreadGrowth {
    /// A tree of one open node, the root. `seed` is the seed of a tree of a forest, None for a
    /// single tree.
    #[new]
    #[pyo3(signature = (facts, config, seed = None))]
    fn new(
        facts: PyCodeFacts<'_>,
        config: FromPython<Config>,
        seed: Option<u64>,
    ) -> PyResult<Self> {
        let (facts, plan) = (code_facts(facts)?, plan(config, None)?.plan);
        plan.check_codes(&facts, seed.is_some()).map_err(exception)?;
        let growth = binned::spread_tree(&facts.spread_facts(), &setting(&plan, &facts, seed));
        Ok(Self { growth: growth.map_err(exception)?, facts, plan, seed })
    }

    /// Whether no node is open.
    fn is_done(&self) -> bool {
        self.growth.is_done()
    }

    /// Take out the open nodes of at most `most` rows; each is to be grown by one worker and
    /// grafted.
    fn small(&mut self, most: u64) -> SmallNodes {
        let setting = setting(&self.plan, &self.facts, self.seed);
        let small = self.growth.take_small(&setting, most).into_iter();
        small.map(|g| (g.group, g.node, g.rows, g.key, g.depth)).collect()
    }

    /// The groups that workers are to count next, of at most about `most` families of siblings.
    fn wanted<'py>(&mut self, py: Python<'py>, most: usize) -> Bound<'py, PyArray1<u32>> {
        let setting = setting(&self.plan, &self.facts, self.seed);
        self.growth.groups_to_count(&setting, most).into_pyarray(py)
    }

    /// Split nodes by the sums of the histograms of the wanted groups. Returns how workers divide
    /// the rows: the feature of each old group, the new group of each of its codes, and the number
    /// of new groups.
    #[allow(clippy::type_complexity, reason = "arrays of one call")]
    fn choose<'py>(
        &mut self,
        py: Python<'py>,
        counts: Aligned1<'_, u32>,
    ) -> PyResult<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i32>>, usize)> {
        let counts = counts.as_slice()?;
        let Self { facts, plan, seed, growth } = self;
        let setting = setting(plan, facts, *seed);
        let routes = growth
            .choose(&facts.spread_facts(), &setting, counts, &Control::new(1))
            .map_err(exception)?;
        let (features, targets) = (routes.features, routes.targets);
        Ok((features.into_pyarray(py), targets.into_pyarray(py), routes.groups))
    }

    /// Replace a node that `small` took out by the subtree that a worker has grown for it.
    fn graft(
        &mut self,
        node: u32,
        words: Vec<u64>,
        sums: Vec<u32>,
        levels: Vec<u32>,
    ) -> PyResult<()> {
        self.growth.graft(node, PackedTree { words, sums, levels }).map_err(exception)
    }

    /// The model; with a seed, a tree of a forest.
    fn finish(&self, py: Python<'_>) -> PyResult<Py<PyModel>> {
        let setting = setting(&self.plan, &self.facts, self.seed);
        let tree = self.growth.finish(&setting).map_err(exception)?;
        let schema = self.facts.schema.clone();
        let model = run(py, None, tree.nodes.len(), None, |control| match self.seed {
            Some(_) => self.plan.tree_of_forest(tree, schema.into(), None, control),
            None => Ok(self.plan.finish_on_codes(tree, schema, control)?.model),
        })?;
        PyModel::new(py, model)
    }
}

/// A forest of trees that were grown on distributed rows, in the order of their seeds
/// ([`forest_seeds`]). `facts` describes all rows, from which the forest takes its class totals.
#[pyfunction]
pub fn forest_of_trees(
    py: Python<'_>,
    facts: PyCodeFacts<'_>,
    config: FromPython<Config>,
    trees: Vec<PyRef<'_, PyModel>>,
) -> PyResult<Py<PyForest>> {
    let (facts, plan) = (code_facts(facts)?, plan(config, None)?.plan);
    let trees = trees.iter().map(|t| t.model().clone()).collect();
    PyForest::new(py, plan.forest_of(trees, &facts))
}

/// Seeds of the first `trees` trees of a forest with this seed, the same as those that a fit on one
/// machine uses. A seed has 53 bits, so that JSON numbers hold it exactly.
#[pyfunction]
pub fn forest_seeds(seed: u64, trees: usize) -> Vec<u64> {
    (0..trees).map(|tree| forest::seed_of_tree(seed, tree)).collect()
}

/// Run a job on the groups of a partition.
fn on_groups<R: Send>(
    py: Python<'_>,
    facts: PyCodeFacts<'_>,
    records: &Aligned2<'_, u8>,
    starts: &Aligned1<'_, i64>,
    job: impl FnOnce(&GroupedRecords<'_>) -> Result<R> + Send,
) -> PyResult<R> {
    let (facts, bytes, starts) = (code_facts(facts)?, records.as_slice()?, starts.as_slice()?);
    let _memory = reserve(bytes.len(), bytes.len())?;
    run(py, None, bytes.len(), None, |_| job(&GroupedRecords::new(facts.format(), bytes, starts)?))
}

/// Records of `width` bytes and the starts of their groups, as arrays.
fn groups_to_arrays<'py>(
    py: Python<'py>,
    width: usize,
    (bytes, starts): (Vec<u8>, Vec<i64>),
) -> PyResult<PyGroups<'py>> {
    let rows = bytes.len() / width.max(1);
    Ok((bytes.into_pyarray(py).reshape([rows, width])?, starts.into_pyarray(py)))
}

/// The histograms of some groups of a partition, one after the other, as words of 32 bits
/// ([`record_sizes`] gives their number). A group that the partition has no row of gets zeros; the
/// client adds the histograms of all partitions ([`add_counts`]).
#[pyfunction]
pub fn count_groups<'py>(
    py: Python<'py>,
    facts: PyCodeFacts<'_>,
    records: Aligned2<'_, u8>,
    starts: Aligned1<'_, i64>,
    groups: Vec<u32>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let found = on_groups(py, facts, &records, &starts, |part| part.count(&groups))?;
    Ok(found.into_pyarray(py))
}

/// The rows of a partition, sorted by the new groups that `SpreadGrowth.choose` returned. Rows
/// whose code is sent to group -1 are dropped.
#[pyfunction]
pub fn divide_groups<'py>(
    py: Python<'py>,
    facts: PyCodeFacts<'_>,
    records: Aligned2<'_, u8>,
    starts: Aligned1<'_, i64>,
    routes: (Aligned1<'_, u32>, Aligned1<'_, i32>, usize),
) -> PyResult<PyGroups<'py>> {
    let (features, targets, groups) = (routes.0.as_slice()?, routes.1.as_slice()?, routes.2);
    let splits = GroupSplits { features, targets, groups };
    let found = on_groups(py, facts, &records, &starts, |part| part.divide(&splits))?;
    groups_to_arrays(py, records.as_array().ncols(), found)
}

/// A copy of the rows of some groups of a partition, in the order of `groups`, and the first row of
/// each group. They are sent to the worker that grows the subtrees of small nodes
/// ([`grow_groups`]).
#[pyfunction]
pub fn rows_of_groups<'py>(
    py: Python<'py>,
    facts: PyCodeFacts<'_>,
    records: Aligned2<'_, u8>,
    starts: Aligned1<'_, i64>,
    groups: Vec<u32>,
) -> PyResult<PyGroups<'py>> {
    let found = on_groups(py, facts, &records, &starts, |part| part.rows_of(&groups))?;
    groups_to_arrays(py, records.as_array().ncols(), found)
}

/// The sum of the histograms of two partitions; `number`: their target is numeric.
#[pyfunction]
pub fn add_counts<'py>(
    py: Python<'py>,
    number: bool,
    a: Aligned1<'_, u32>,
    b: Aligned1<'_, u32>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let sum = add(a.as_slice()?, b.as_slice()?, number).map_err(exception)?;
    Ok(sum.into_pyarray(py))
}

/// Bytes of a record, words of the histogram of a group, and the position of the copies within a
/// record, or None if rows have no weights. The client sizes its tasks and messages by them.
#[pyfunction]
pub fn record_sizes(facts: PyCodeFacts<'_>) -> PyResult<(usize, usize, Option<usize>)> {
    let format = code_facts(facts)?.format();
    let copies_at =
        (format.layout.weight != WeightWidth::None).then_some(format.layout.class_at() + 1);
    Ok((format.layout.width, format.words(), copies_at))
}

/// Grow the subtrees of some nodes, given as (random key, depth). The subtree of node i is grown on
/// all rows of group i, and returned as arrays that `SpreadGrowth.graft` puts into the tree.
#[pyfunction]
#[pyo3(signature = (facts, config, seed, records, starts, nodes))]
pub fn grow_groups<'py>(
    py: Python<'py>,
    facts: PyCodeFacts<'_>,
    config: FromPython<Config>,
    seed: Option<u64>,
    records: Aligned2<'_, u8>,
    starts: Aligned1<'_, i64>,
    nodes: Vec<(u64, u32)>,
) -> PyResult<Vec<PyPackedTree<'py>>> {
    let (facts, plan) = (code_facts(facts)?, plan(config, None)?.plan);
    let (bytes, starts) = (records.as_slice()?, starts.as_slice()?);
    let _memory = reserve(3 * bytes.len(), bytes.len())?;
    let packed = run(py, None, bytes.len(), None, |control| {
        let setting = setting(&plan, &facts, seed);
        let part = GroupedRecords::new(facts.format(), bytes, starts)?;
        if starts.len() != nodes.len() + 1 {
            return Err(Error::Internal("groups of other nodes".into()));
        }
        let grown = nodes.iter().enumerate().map(|(group, &(key, depth))| {
            let (bytes, _) = part.rows_of(&[group as u32])?;
            let records = Records { layout: part.format.layout, bytes };
            binned::grow_below(&facts.spread_facts(), &setting, records, key, depth, control)
        });
        grown.collect::<Result<Vec<_>>>()
    })?;
    let arrays = packed
        .into_iter()
        .map(|p| (p.words.into_pyarray(py), p.sums.into_pyarray(py), p.levels.into_pyarray(py)));
    Ok(arrays.collect())
}

/// The rows of a partition that a bootstrap sample holds, with their copies multiplied by the
/// number of `times` that each row was drawn, and the sums of the sample. Rows that were drawn 0
/// times are left out.
#[pyfunction]
pub fn drawn_rows<'py>(
    py: Python<'py>,
    facts: PyCodeFacts<'_>,
    records: Aligned2<'_, u8>,
    times: Aligned1<'_, u32>,
) -> PyResult<(Bound<'py, PyArray2<u8>>, Vec<i128>)> {
    let facts = code_facts(facts)?;
    let (bytes, times) = (records.as_slice()?, times.as_slice()?);
    let (sums, drawn) = py.detach(|| {
        let layout = facts.format().layout;
        let records = Records { layout, bytes: bytes.to_vec() };
        let copies: Vec<u32> = records
            .rows()
            .zip(times)
            .map(|(row, &t)| t.saturating_mul(layout.weight(row) as u32))
            .collect();
        let (features, classes) = (facts.features.clone(), facts.totals.len());
        let table = BinnedTable { features, records, classes, unit: 1.0 };
        let drawn = table.bootstrap_sample_with_word_weights(&copies);
        (sums_of(&drawn, classes), drawn)
    });
    let rows = drawn.len();
    let shape = [rows, drawn.layout.width];
    Ok((drawn.bytes.into_pyarray(py).reshape(shape)?, sums))
}
