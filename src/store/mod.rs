//! Models as bytes: one flat JSON document with a version and a checksum.
//!
//! `{"format": "fasttree model", "version": 1, "checksum": "...", "model": {...}}`. A tree is
//! stored as one list per field of its nodes. Floats are printed in their shortest exact form, so
//! loading gives back the same bits, and equal models give equal bytes. The loader accepts hostile
//! input: it checks the checksum, then every index, count and label, by loops, before it builds a
//! tree. Content is never executed. A forest is a document of such trees ([`forest_to_bytes`]).
//! Writing and reading cost O(nodes x classes).

use crate::data::{Feature, Kind, Label, Schema};
use crate::error::{Error, Result};
use crate::json;
use crate::memory;
use crate::model::{LeafSmoothing, Model};
use crate::parallel::Control;
use crate::tree::{ALL, FeatureTest, NONE, Node, NodePosition, Outcome, Test, Threshold, Tree};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::iter::Peekable;
use std::slice::Iter;

mod forest;

pub use forest::{forest_from_bytes, forest_to_bytes};

const FORMAT: &str = "fasttree model";
const VERSION: u32 = 1;
/// Nodes between two checks of the cancel flag.
const NODES_PER_CHECK: usize = 4096;

/// A document as read, its content not yet parsed.
#[derive(Deserialize)]
struct ReadDocument {
    format: String,
    version: u32,
    checksum: String,
    model: Box<RawValue>,
}

/// The content of a model's document. `counts` is flat (node, class); the other lists have one
/// entry per node in pre-order. -1 means none, -2 all branches ([`branch_code`]).
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    #[serde(deserialize_with = "json::via_value")]
    schema: Schema,
    #[serde(deserialize_with = "json::via_value")]
    smoothing: LeafSmoothing,
    #[serde(with = "json::text")]
    parameters: String,
    #[serde(deserialize_with = "json::column")]
    parent: Vec<i64>,
    #[serde(deserialize_with = "json::column")]
    branch: Vec<u32>,
    #[serde(deserialize_with = "json::column")]
    feature: Vec<i64>,
    #[serde(deserialize_with = "json::column")]
    threshold: Vec<Option<f64>>,
    #[serde(deserialize_with = "json::column")]
    missing_branch: Vec<i64>,
    #[serde(deserialize_with = "json::column")]
    label: Vec<i32>,
    #[serde(deserialize_with = "json::column")]
    rows: Vec<u32>,
    #[serde(deserialize_with = "json::column")]
    step: Vec<i64>,
    #[serde(deserialize_with = "json::column")]
    score: Vec<f64>,
    #[serde(deserialize_with = "json::column")]
    distance: Vec<f64>,
    #[serde(deserialize_with = "json::column")]
    n_children: Vec<u32>,
    #[serde(deserialize_with = "json::column")]
    counts: Vec<f64>,
    /// (value, impurity, variance) of each node for a numeric target; empty for classes.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "json::column")]
    outcomes: Vec<(f64, f64, f64)>,
    /// (node, levels on its first branch) of every subset test, in node order.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "json::column")]
    subsets: Vec<(u32, Vec<u32>)>,
    /// (node, branch of each level or bin) of every test that sends groups of them down one branch,
    /// in node order.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "json::column")]
    groups: Vec<(u32, Vec<u32>)>,
    /// (node, largest number on its first branch) of every threshold whose `reach` exceeds `at`, in
    /// node order.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "json::column")]
    reaches: Vec<(u32, f64)>,
    /// (node, statistic, logarithm of the p-value) of every node whose features were tested, in
    /// node order.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "json::column")]
    tests: Vec<(u32, f64, f64)>,
}

/// An index as it is stored: -1 for [`NONE`].
fn stored_index(x: u32) -> i64 {
    if x == NONE { -1 } else { i64::from(x) }
}

/// A branch as it is stored and as Python shows it: -1 for none, -2 for all of them.
pub fn branch_code(branch: u32) -> i64 {
    if branch == ALL { -2 } else { stored_index(branch) }
}

/// FNV-1a, 64 bit: it detects accidental damage, not forgery.
fn checksum(bytes: &[u8], control: &Control) -> Result<String> {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for chunk in bytes.chunks(1 << 20) {
        control.check()?;
        for &byte in chunk {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Ok(format!("{hash:016x}"))
}

/// Write a model with these `parameters` in place of its own. Equal models with equal parameters
/// give equal bytes.
pub fn to_bytes(model: &Model, parameters: &str, control: &Control) -> Result<Vec<u8>> {
    write_document(FORMAT, &body(model, parameters, (*model.schema).clone()), control)
}

/// A model as lists by field.
fn body(model: &Model, parameters: &str, schema: Schema) -> Body {
    let tree = &model.tree;
    let mut body = Body {
        schema,
        smoothing: model.smoothing,
        parameters: parameters.into(),
        counts: tree.counts.clone(),
        ..Body::default()
    };
    for (node, i) in tree.nodes.iter().zip(0_u32..) {
        body.parent.push(stored_index(node.parent));
        body.branch.push(node.branch);
        body.feature.push(if node.test == Test::Leaf { -1 } else { i64::from(node.feature) });
        body.missing_branch.push(branch_code(node.missing_branch));
        body.label.push(node.label);
        body.rows.push(node.rows);
        body.step.push(stored_index(node.step));
        body.score.push(finite(node.score));
        body.distance.push(finite(node.distance));
        body.n_children.push(node.n_children);
        let threshold = match node.test {
            Test::Threshold(threshold) => Some(threshold),
            _ => None,
        };
        body.threshold.push(threshold.map(|t| t.at));
        if let Some(t) = threshold.filter(|t| t.reach > t.at) {
            body.reaches.push((i, t.reach));
        }
        if let Some(levels) = tree.subset(i as usize) {
            body.subsets.push((i, levels.to_vec()));
        }
        if let Some(groups) = tree.groups(i as usize) {
            body.groups.push((i, groups.to_vec()));
        }
        if let Some(test) = node.significance {
            body.tests.push((i, finite(test.statistic), finite(test.log_p)));
        }
    }
    for outcome in &tree.outcomes {
        let (impurity, variance) = (finite(outcome.impurity), finite(outcome.variance));
        body.outcomes.push((outcome.value, impurity, variance));
    }
    body
}

/// Wrap content into a document of a format.
fn write_document(format: &str, content: &impl Serialize, control: &Control) -> Result<Vec<u8>> {
    let text = json::to_vec(content, control)?;
    let checksum = checksum(&text, control)?;
    let head =
        format!(r#"{{"format":"{format}","version":{VERSION},"checksum":"{checksum}","model":"#);
    let mut out = memory::with_capacity(head.len() + text.len() + 1)?;
    out.extend_from_slice(head.as_bytes());
    for chunk in text.chunks(1 << 24) {
        control.check()?;
        out.extend_from_slice(chunk);
    }
    out.push(b'}');
    Ok(out)
}

/// A number that JSON can hold: infinities become the largest doubles, NaN becomes 0.
fn finite(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(f64::MIN, f64::MAX) }
}

/// Read a model.
///
/// # Errors
/// [`Error::Model`] for content that was damaged or is not a valid model.
pub fn from_bytes(bytes: &[u8], control: &Control) -> Result<Model> {
    model(read_document(FORMAT, bytes, control)?, control)
}

/// The content of a document; its format, version and checksum must be right.
fn read_document<T: serde::de::DeserializeOwned>(
    format: &str,
    bytes: &[u8],
    control: &Control,
) -> Result<T> {
    let bad = |what: &str| Error::Model(what.to_string());
    let document: ReadDocument = json::from_chunks(bytes, control).map_err(|e| match e {
        Error::Model(what) => {
            Error::Model(format!("{what}; the file is truncated, damaged, or something else"))
        }
        other => other,
    })?;
    if document.format != format {
        return Err(bad(&format!("format is '{}', expected '{format}'", document.format)));
    }
    if document.version != VERSION {
        return Err(bad(&format!(
            "version {} is not the version {VERSION} that this release reads",
            document.version
        )));
    }
    if checksum(document.model.get().as_bytes(), control)? != document.checksum {
        return Err(bad("the checksum does not match: the content was changed after saving"));
    }
    json::from_slice(document.model.get().as_bytes(), control)
}

/// A model from its lists; everything is checked before it is used.
fn model(body: Body, control: &Control) -> Result<Model> {
    body.check_columns()?;
    check_schema(&body.schema)?;
    if let LeafSmoothing::MEstimate { m } = body.smoothing
        && !(m > 0.0 && m.is_finite())
    {
        return Err(Error::Model("smoothing: m must be a positive number".into()));
    }
    let children_of = body.children(control)?;
    check_pre_order(&children_of)?;
    let mut tree = Tree::empty(body.schema.counts_per_node());
    tree.nodes.reserve(children_of.len());
    let mut rare = RareFields {
        subsets: body.subsets.iter().peekable(),
        groups: body.groups.iter().peekable(),
        reaches: body.reaches.iter().peekable(),
        tests: body.tests.iter().peekable(),
    };
    for (i, children) in children_of.iter().enumerate() {
        if i % NODES_PER_CHECK == 0 {
            control.check()?;
        }
        body.check_node(i, children.len())?;
        let depth = if i == 0 { 0 } else { tree.nodes[body.parent[i] as usize].depth + 1 };
        let parent = u32::try_from(body.parent[i]).unwrap_or(NONE);
        let position = NodePosition { parent, branch: body.branch[i], depth };
        let mut node = Node {
            first_child: tree.children.len() as u32,
            n_children: children.len() as u32,
            step: body.step(i),
            score: body.score[i],
            distance: body.distance[i],
            significance: rare.test(i)?,
            ..Node::leaf(position, body.label[i], body.rows[i])
        };
        if !children.is_empty() {
            let feature = body.feature(i)?;
            node.feature = body.feature[i] as u32;
            node.missing_branch = body.missing_branch(i, children.len())?;
            let given = rare.take(i);
            let test = body.test(i, feature, children.len(), given)?;
            let list = given.listed.or(given.groups).unwrap_or_default();
            node.test = tree.copy_levels(test, list);
        }
        tree.nodes.push(node);
        tree.children.extend_from_slice(children);
    }
    rare.check_all_taken()?;
    tree.counts = body.counts;
    let outcomes = body.outcomes.into_iter();
    tree.outcomes =
        outcomes.map(|(value, impurity, variance)| Outcome { value, impurity, variance }).collect();
    Ok(Model {
        schema: body.schema.into(),
        tree,
        smoothing: body.smoothing,
        parameters: body.parameters,
    })
}

/// The fields that only some tests have: the levels on the first branch, the branch of each level,
/// and the reach of a threshold.
#[derive(Clone, Copy)]
struct RareOfTest<'a> {
    listed: Option<&'a [u32]>,
    groups: Option<&'a [u32]>,
    reach: Option<f64>,
}

/// Fields that only some nodes have, read in node order.
struct RareFields<'a> {
    subsets: Peekable<Iter<'a, (u32, Vec<u32>)>>,
    groups: Peekable<Iter<'a, (u32, Vec<u32>)>>,
    reaches: Peekable<Iter<'a, (u32, f64)>>,
    tests: Peekable<Iter<'a, (u32, f64, f64)>>,
}

impl<'a> RareFields<'a> {
    /// The rare fields of the test of a node; nodes must be asked in order.
    fn take(&mut self, node: usize) -> RareOfTest<'a> {
        let list = |from: &mut Peekable<Iter<'a, (u32, Vec<u32>)>>| {
            from.next_if(|l| l.0 as usize == node).map(|l| l.1.as_slice())
        };
        RareOfTest {
            listed: list(&mut self.subsets),
            groups: list(&mut self.groups),
            reach: self.reaches.next_if(|r| r.0 as usize == node).map(|r| r.1),
        }
    }

    /// The test of a node, where it has one.
    fn test(&mut self, node: usize) -> Result<Option<FeatureTest>> {
        let Some(&(_, statistic, log_p)) = self.tests.next_if(|t| t.0 as usize == node) else {
            return Ok(None);
        };
        if !(statistic >= 0.0 && statistic.is_finite() && log_p <= 0.0 && log_p.is_finite()) {
            return Err(bad(node, "has a test whose statistic or p-value is none"));
        }
        Ok(Some(FeatureTest { statistic, log_p }))
    }

    /// Refuse entries that no node has taken.
    fn check_all_taken(mut self) -> Result<()> {
        let left = [
            (self.subsets.next().map(|one| one.0), "lists levels, but is no inner node"),
            (self.groups.next().map(|one| one.0), "groups levels, but is no inner node"),
            (self.reaches.next().map(|one| one.0), "has a reach, but is no inner node"),
            (self.tests.next().map(|one| one.0), "has a test, but is no node"),
        ];
        match left.into_iter().find_map(|(node, what)| Some((node?, what))) {
            Some((node, what)) => Err(bad(node as usize, &format!("{what} in its turn"))),
            None => Ok(()),
        }
    }
}

/// The refusal of a node.
fn bad(node: usize, what: &str) -> Error {
    Error::Model(format!("node {node}: {what}"))
}

impl Body {
    /// Check the lengths of the lists, and the class counts.
    fn check_columns(&self) -> Result<()> {
        let (n, k) = (self.parent.len(), self.schema.counts_per_node());
        let lengths = [
            self.branch.len(),
            self.feature.len(),
            self.threshold.len(),
            self.missing_branch.len(),
            self.label.len(),
            self.rows.len(),
            self.step.len(),
            self.score.len(),
            self.distance.len(),
            self.n_children.len(),
        ];
        if n == 0
            || lengths.iter().any(|&l| l != n)
            || self.counts.len() != n * k
            || n >= NONE as usize
        {
            return Err(Error::Model("arrays of different lengths".into()));
        }
        if self.counts.iter().any(|c| !(*c >= 0.0 && c.is_finite())) {
            return Err(Error::Model("class counts must be finite and not negative".into()));
        }
        // A numeric target has no classes, and each node an outcome.
        if self.outcomes.len() != if self.schema.classes.is_empty() { n } else { 0 } {
            return Err(Error::Model("outcomes of nodes go with a numeric target".into()));
        }
        let is_sound = |&(value, impurity, variance): &(f64, f64, f64)| {
            value.is_finite() && impurity.is_finite() && variance.is_finite() && variance >= 0.0
        };
        if !self.outcomes.iter().all(is_sound) {
            return Err(Error::Model("outcomes must be finite numbers".into()));
        }
        Ok(())
    }

    /// The children of each node in branch order.
    fn children(&self, control: &Control) -> Result<Vec<Vec<u32>>> {
        let mut children_of: Vec<Vec<u32>> = vec![Vec::new(); self.parent.len()];
        for (i, &parent) in self.parent.iter().enumerate() {
            if i % NODES_PER_CHECK == 0 {
                control.check()?;
            }
            if (i == 0) != (parent == -1) {
                return Err(bad(i, "only node 0 is the root"));
            }
            if i > 0 {
                let p = usize::try_from(parent)
                    .ok()
                    .filter(|&p| p < i)
                    .ok_or_else(|| bad(i, "parent out of order"))?;
                if self.branch[i] as usize != children_of[p].len() {
                    return Err(bad(i, "branches out of order"));
                }
                children_of[p].push(i as u32);
            }
        }
        Ok(children_of)
    }

    /// Check the fields of a node that do not depend on its feature; it has `children` children.
    fn check_node(&self, i: usize, children: usize) -> Result<()> {
        let k = self.schema.counts_per_node();
        if children != self.n_children[i] as usize || children == 1 {
            return Err(bad(i, "wrong number of children"));
        }
        if self.label[i] < -1 || self.label[i] >= k as i32 {
            return Err(bad(i, "label is not a class"));
        }
        let is_reached = self.counts[i * k..(i + 1) * k].iter().any(|&c| c > 0.0);
        if self.label[i] == -1 && (is_reached || children > 0) {
            return Err(bad(i, "predicts nothing, but training rows reached it"));
        }
        if i == 0 && !is_reached {
            return Err(bad(i, "the root has no training rows"));
        }
        if (children == 0) != (self.feature[i] == -1) {
            return Err(bad(i, "a leaf asks nothing and an inner node asks something"));
        }
        if (children == 0) != (self.step(i) == NONE) {
            return Err(bad(i, "a leaf has no step and an inner node has one"));
        }
        Ok(())
    }

    /// The position of a node's split in the order of growth.
    fn step(&self, i: usize) -> u32 {
        u32::try_from(self.step[i]).unwrap_or(NONE)
    }

    /// The feature that a node tests.
    fn feature(&self, i: usize) -> Result<&Feature> {
        let feature = usize::try_from(self.feature[i]).ok();
        feature.and_then(|f| self.schema.features.get(f)).ok_or_else(|| bad(i, "no such feature"))
    }

    /// The branch of missing values, which must exist.
    fn missing_branch(&self, i: usize, children: usize) -> Result<u32> {
        match self.missing_branch[i] {
            -2 => Ok(ALL),
            branch => u32::try_from(branch)
                .ok()
                .filter(|&b| (b as usize) < children)
                .ok_or_else(|| bad(i, "no such branch for missing values")),
        }
    }

    /// The test of an inner node. A subset test refers to its own `listed` levels, from 0 on, and
    /// groups of levels likewise.
    fn test(
        &self,
        i: usize,
        feature: &Feature,
        children: usize,
        RareOfTest { listed, groups, reach }: RareOfTest<'_>,
    ) -> Result<Test> {
        let threshold = self.threshold[i];
        if reach.is_some_and(|r| !(r.is_finite() && threshold.is_some_and(|t| r > t))) {
            return Err(bad(i, "a threshold reaches a number above itself or nothing"));
        }
        if let Some(groups) = groups {
            // A row without a value is not divided among groups.
            let fits = threshold.is_none()
                && listed.is_none()
                && groups.len() == feature.arity()
                && branch_code(ALL) != self.missing_branch[i];
            if !fits || groups.iter().any(|&branch| branch as usize >= children) {
                return Err(bad(i, "each level or bin must have one of the branches"));
            }
            return Ok(Test::Groups { first: 0, len: groups.len() as u32 });
        }
        match (threshold, &feature.kind, listed) {
            (Some(at), Kind::Numeric { .. }, None) if at.is_finite() && children <= 3 => {
                Ok(Test::Threshold(Threshold { at, reach: reach.unwrap_or(at) }))
            }
            (None, Kind::Nominal { levels, .. }, Some(listed)) if children <= 3 => {
                let last = listed.last().is_some_and(|&l| (l as usize) < levels.len());
                if !last || listed.len() >= levels.len() || listed.windows(2).any(|w| w[0] >= w[1])
                {
                    let what = "the listed levels must ascend and be some but not all of the \
                                feature's";
                    return Err(bad(i, what));
                }
                Ok(Test::Subset { first: 0, len: listed.len() as u32 })
            }
            (None, _, None) if (feature.arity()..=feature.arity() + 1).contains(&children) => {
                Ok(Test::Multiway)
            }
            _ => Err(bad(i, "the test does not fit the feature")),
        }
    }
}

/// Check cut points, levels and classes.
fn check_schema(schema: &Schema) -> Result<()> {
    check_distinct(&schema.classes, "classes")?;
    for feature in &schema.features {
        match &feature.kind {
            Kind::Numeric { cuts: Some(cuts), .. }
                if cuts.iter().any(|x| !x.is_finite()) || cuts.windows(2).any(|w| w[0] > w[1]) =>
            {
                let what = format!("feature '{}': cut points must ascend", feature.name);
                return Err(Error::Model(what));
            }
            Kind::Nominal { levels, fill: Some(fill), .. } if *fill as usize >= levels.len() => {
                return Err(Error::Model(format!("feature '{}': no such level", feature.name)));
            }
            _ => {}
        }
        if let Kind::Nominal { levels, .. } = &feature.kind {
            check_distinct(levels, &feature.name)?;
        }
    }
    Ok(())
}

/// Check that labels differ; `whose` names them in the refusal.
fn check_distinct(labels: &[Label], whose: &str) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    match labels.iter().find(|l| !seen.insert((std::mem::discriminant(*l), l.to_string()))) {
        Some(label) => Err(Error::Model(format!("{whose}: '{label}' is declared twice"))),
        None => Ok(()),
    }
}

/// Check that nodes are numbered in pre-order and that all of them are reachable.
fn check_pre_order(children: &[Vec<u32>]) -> Result<()> {
    let mut stack = vec![0_u32];
    let mut expected = 0;
    while let Some(i) = stack.pop() {
        if i != expected {
            return Err(Error::Model(format!("node {i} is not in pre-order")));
        }
        expected += 1;
        stack.extend(children[i as usize].iter().rev());
    }
    if expected as usize == children.len() {
        Ok(())
    } else {
        Err(Error::Model("nodes that hang on nothing".into()))
    }
}
