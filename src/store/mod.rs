//! Models as bytes: one flat JSON document with a version and a checksum.
//!
//! `{"format": "fasttree model", "version": 1, "checksum": "...", "model": {...}}`. Trees are
//! columns of numbers; floats are printed in their shortest exact form, so that loading gives back
//! the same bits and the same model always gives the same bytes. The loader trusts nothing:
//! checksum first, then every index, count and label is checked, by loops, before a tree exists.
//! Nothing is ever executed. A forest is a document of such trees ([`forest_to_bytes`]).

use crate::data::{Feature, Kind, Label, Schema};
use crate::error::{Error, Result};
use crate::json;
use crate::model::{LeafSmoothing, Model};
use crate::parallel::Control;
use crate::tree::{ALL, NONE, Node, Test, Threshold, Tree};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::iter::Peekable;
use std::slice::Iter;

mod forest;

pub use forest::{forest_from_bytes, forest_to_bytes};

const FORMAT: &str = "fasttree model";
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    format: &'a str,
    version: u32,
    checksum: String,
    model: &'a RawValue,
}

/// The same, read.
#[derive(Deserialize)]
struct Sealed {
    format: String,
    version: u32,
    checksum: String,
    model: Box<RawValue>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    schema: Schema,
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
    /// (node, levels of its first branch) of every subset test, in node order.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "json::column")]
    subsets: Vec<(u32, Vec<u32>)>,
    /// (node, largest number on its first branch) of every threshold that reaches further than
    /// itself, in node order.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "json::column")]
    reaches: Vec<(u32, f64)>,
}

fn signed(x: u32) -> i64 {
    if x == NONE { -1 } else { i64::from(x) }
}

/// A branch as it is stored and shown: -1 for none, -2 for all of them.
pub fn branch_code(branch: u32) -> i64 {
    if branch == ALL { -2 } else { signed(branch) }
}

/// FNV-1a, 64 bit: enough to see a flipped bit, not a signature.
fn checksum(bytes: &[u8], control: &Control) -> Result<String> {
    let mut h = 0xcbf2_9ce4_8422_2325_u64;
    for chunk in bytes.chunks(1 << 20) {
        control.check()?;
        for &b in chunk {
            h = (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Ok(format!("{h:016x}"))
}

/// The bytes of a model.
pub fn to_bytes(model: &Model, control: &Control) -> Result<Vec<u8>> {
    sealed(FORMAT, &body(model, (*model.schema).clone()), control)
}

/// A model as columns.
fn body(model: &Model, schema: Schema) -> Body {
    let nodes = &model.tree.nodes;
    Body {
        schema,
        smoothing: model.smoothing,
        parameters: model.parameters.clone(),
        parent: nodes.iter().map(|n| signed(n.parent)).collect(),
        branch: nodes.iter().map(|n| n.branch).collect(),
        feature: nodes
            .iter()
            .map(|n| if n.test == Test::Leaf { -1 } else { i64::from(n.feature) })
            .collect(),
        threshold: nodes
            .iter()
            .map(|n| match n.test {
                Test::Threshold(t) => Some(t.at),
                _ => None,
            })
            .collect(),
        missing_branch: nodes.iter().map(|n| branch_code(n.missing_branch)).collect(),
        label: nodes.iter().map(|n| n.label).collect(),
        rows: nodes.iter().map(|n| n.rows).collect(),
        step: nodes.iter().map(|n| signed(n.step)).collect(),
        score: nodes.iter().map(|n| finite(n.score)).collect(),
        distance: nodes.iter().map(|n| finite(n.distance)).collect(),
        n_children: nodes.iter().map(|n| n.n_children).collect(),
        counts: model.tree.counts.clone(),
        subsets: (0..nodes.len())
            .filter_map(|i| model.tree.subset(i).map(|levels| (i as u32, levels.to_vec())))
            .collect(),
        reaches: (0..nodes.len())
            .filter_map(|i| match nodes[i].test {
                Test::Threshold(t) if t.reach > t.at => Some((i as u32, t.reach)),
                _ => None,
            })
            .collect(),
    }
}

/// A document of a format around its content.
fn sealed(format: &str, content: &impl Serialize, control: &Control) -> Result<Vec<u8>> {
    let internal = |e: &dyn std::fmt::Display| Error::Internal(e.to_string());
    let text = json::to_vec(content, control)?;
    let checksum = checksum(&text, control)?;
    let text = String::from_utf8(text).map_err(|e| internal(&e))?;
    let model = RawValue::from_string(text).map_err(|e| internal(&e))?;
    json::to_vec(&Document { format, version: VERSION, checksum, model: &model }, control)
}

/// JSON has no infinities; a score beyond the largest double is stored as that.
fn finite(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { x.clamp(f64::MIN, f64::MAX) }
}

/// A model from its bytes.
pub fn from_bytes(bytes: &[u8], control: &Control) -> Result<Model> {
    model(opened(FORMAT, bytes, control)?, control)
}

/// The content of a document, which must be of the given format and as it was written.
fn opened<T: serde::de::DeserializeOwned>(
    format: &str,
    bytes: &[u8],
    control: &Control,
) -> Result<T> {
    let bad = |what: &str| Error::Model(what.to_string());
    let document: Sealed = json::from_chunks(bytes, control).map_err(|e| match e {
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

/// A model from its columns: everything is checked before it is used.
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
    let mut tree = Tree::empty(body.schema.classes.len());
    tree.nodes.reserve(children_of.len());
    let mut lists = NodeLists {
        subsets: body.subsets.iter().peekable(),
        reaches: body.reaches.iter().peekable(),
    };
    for (i, kids) in children_of.iter().enumerate() {
        if i % 4096 == 0 {
            control.check()?;
        }
        body.check_node(i, kids.len())?;
        let depth = if i == 0 { 0 } else { tree.nodes[body.parent[i] as usize].depth + 1 };
        let parent = u32::try_from(body.parent[i]).unwrap_or(NONE);
        let mut node = Node {
            first_child: tree.children.len() as u32,
            n_children: kids.len() as u32,
            step: body.step(i),
            score: body.score[i],
            distance: body.distance[i],
            ..Node::leaf([parent, body.branch[i], depth], body.label[i], body.rows[i])
        };
        if !kids.is_empty() {
            let feature = body.feature(i)?;
            node.feature = body.feature[i] as u32;
            node.missing_branch = body.missing_branch(i, kids.len())?;
            let (listed, reach) = lists.of(i);
            node.test = match body.test(i, feature, kids.len(), listed, reach)? {
                test @ Test::Subset { .. } => tree.adopt(test, listed.unwrap_or_default()),
                test => test,
            };
        }
        tree.nodes.push(node);
        tree.children.extend_from_slice(kids);
    }
    lists.finish()?;
    tree.counts = body.counts;
    Ok(Model {
        schema: body.schema.into(),
        tree,
        smoothing: body.smoothing,
        parameters: body.parameters,
    })
}

/// What only some nodes have, in node order.
struct NodeLists<'a> {
    subsets: Peekable<Iter<'a, (u32, Vec<u32>)>>,
    reaches: Peekable<Iter<'a, (u32, f64)>>,
}

impl<'a> NodeLists<'a> {
    /// The listed levels and the reach of a node.
    fn of(&mut self, node: usize) -> (Option<&'a [u32]>, Option<f64>) {
        let listed = self.subsets.next_if(|s| s.0 as usize == node).map(|s| s.1.as_slice());
        (listed, self.reaches.next_if(|r| r.0 as usize == node).map(|r| r.1))
    }

    /// Refuse what no node has taken.
    fn finish(mut self) -> Result<()> {
        if let Some(&(node, _)) = self.subsets.next() {
            return Err(bad(node as usize, "lists levels, but is no inner node in its turn"));
        }
        if let Some(&(node, _)) = self.reaches.next() {
            return Err(bad(node as usize, "has a reach, but is no inner node in its turn"));
        }
        Ok(())
    }
}

fn bad(node: usize, what: &str) -> Error {
    Error::Model(format!("node {node}: {what}"))
}

impl Body {
    /// Lengths of the columns, and the class counts.
    fn check_columns(&self) -> Result<()> {
        let (n, k) = (self.parent.len(), self.schema.classes.len());
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
            || k == 0
            || lengths.iter().any(|&l| l != n)
            || self.counts.len() != n * k
            || n >= NONE as usize
        {
            return Err(Error::Model("arrays of different lengths".into()));
        }
        if self.counts.iter().any(|c| !(*c >= 0.0 && c.is_finite())) {
            return Err(Error::Model("class counts must be finite and not negative".into()));
        }
        Ok(())
    }

    /// The children of each node in branch order.
    fn children(&self, control: &Control) -> Result<Vec<Vec<u32>>> {
        let mut children_of: Vec<Vec<u32>> = vec![Vec::new(); self.parent.len()];
        for (i, &parent) in self.parent.iter().enumerate() {
            if i % 4096 == 0 {
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

    /// Whether a node with `children` children can be a leaf or an inner node, as it says.
    fn check_node(&self, i: usize, children: usize) -> Result<()> {
        let k = self.schema.classes.len();
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

    fn step(&self, i: usize) -> u32 {
        u32::try_from(self.step[i]).unwrap_or(NONE)
    }

    fn feature(&self, i: usize) -> Result<&Feature> {
        let feature = usize::try_from(self.feature[i]).ok();
        feature.and_then(|f| self.schema.features.get(f)).ok_or_else(|| bad(i, "no such feature"))
    }

    fn missing_branch(&self, i: usize, children: usize) -> Result<u32> {
        match self.missing_branch[i] {
            -2 => Ok(ALL),
            branch => u32::try_from(branch)
                .ok()
                .filter(|&b| (b as usize) < children)
                .ok_or_else(|| bad(i, "no such branch for missing values")),
        }
    }

    /// What an inner node asks of its feature; a subset is what is listed, from its start.
    fn test(
        &self,
        i: usize,
        feature: &Feature,
        children: usize,
        listed: Option<&[u32]>,
        reach: Option<f64>,
    ) -> Result<Test> {
        let threshold = self.threshold[i];
        if reach.is_some_and(|r| !(r.is_finite() && threshold.is_some_and(|t| r > t))) {
            return Err(bad(i, "a threshold reaches a number above itself or nothing"));
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

fn check_schema(schema: &Schema) -> Result<()> {
    distinct(&schema.classes, "classes")?;
    for f in &schema.features {
        match &f.kind {
            Kind::Numeric { cuts: Some(c), .. }
                if c.iter().any(|x| !x.is_finite()) || c.windows(2).any(|w| w[0] > w[1]) =>
            {
                return Err(Error::Model(format!("feature '{}': cut points must ascend", f.name)));
            }
            Kind::Nominal { levels, fill: Some(c) } if *c as usize >= levels.len() => {
                return Err(Error::Model(format!("feature '{}': no such level", f.name)));
            }
            _ => {}
        }
        if let Kind::Nominal { levels, .. } = &f.kind {
            distinct(levels, &f.name)?;
        }
    }
    Ok(())
}

fn distinct(labels: &[Label], whose: &str) -> Result<()> {
    let mut seen = std::collections::HashSet::new();
    match labels.iter().find(|l| !seen.insert((std::mem::discriminant(*l), l.to_string()))) {
        Some(label) => Err(Error::Model(format!("{whose}: '{label}' is declared twice"))),
        None => Ok(()),
    }
}

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
