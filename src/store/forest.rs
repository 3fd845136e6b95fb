//! A forest as one document: `{"format": "fasttree forest", "version": 1, "checksum": "...",
//! "model": {...}}`.
//!
//! The trees are stored as trees are, but the schema stands in the first of them only; the loader
//! gives it to the others and then checks each tree as if it had come alone. O(nodes).

use super::{Body, body, model, opened, sealed};
use crate::data::Schema;
use crate::error::{Error, Result};
use crate::json;
use crate::model::Forest;
use crate::parallel::Control;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const FORMAT: &str = "fasttree forest";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredTrees {
    #[serde(with = "json::text")]
    parameters: String,
    seeds: Vec<u64>,
    totals: Vec<f64>,
    trees: Vec<Body>,
}

fn nothing() -> Schema {
    Schema { features: Vec::new(), classes: Vec::new(), target: String::new() }
}

/// The bytes of a forest.
pub fn forest_to_bytes(forest: &Forest, control: &Control) -> Result<Vec<u8>> {
    let schema = |tree| if tree == 0 { (**forest.schema()).clone() } else { nothing() };
    let trees = forest.trees.iter().enumerate().map(|(t, tree)| body(tree, schema(t))).collect();
    let (parameters, seeds) = (forest.parameters.clone(), forest.seeds.clone());
    sealed(
        FORMAT,
        &StoredTrees { parameters, seeds, totals: forest.totals.clone(), trees },
        control,
    )
}

/// A forest from its bytes.
pub fn forest_from_bytes(bytes: &[u8], control: &Control) -> Result<Forest> {
    let stored: StoredTrees = opened(FORMAT, bytes, control)?;
    let bad = |what: &str| Error::Model(what.to_string());
    let schema = stored
        .trees
        .first()
        .map(|t| t.schema.clone())
        .ok_or_else(|| bad("a forest without trees"))?;
    if stored.seeds.len() != stored.trees.len() {
        return Err(bad("a forest needs one seed a tree"));
    }
    if stored.totals.len() != schema.classes.len()
        || stored.totals.iter().any(|t| !(*t >= 0.0 && t.is_finite()))
    {
        return Err(bad("class totals must be finite, not negative, and one a class"));
    }
    let shared = Arc::new(schema.clone());
    let smoothing = stored.trees[0].smoothing;
    let mut trees = Vec::with_capacity(stored.trees.len());
    for (t, mut tree) in stored.trees.into_iter().enumerate() {
        if t > 0 && tree.schema != nothing() {
            return Err(bad(&format!("tree {t}: only the first tree carries the schema")));
        }
        if tree.smoothing != smoothing {
            return Err(bad(&format!("tree {t}: smoothing differs from that of the first tree")));
        }
        tree.schema = schema.clone();
        let mut checked = model(tree, control).map_err(|e| match e {
            Error::Model(what) => Error::Model(format!("tree {t}: {what}")),
            other => other,
        })?;
        checked.schema = shared.clone();
        trees.push(checked);
    }
    Ok(Forest { trees, seeds: stored.seeds, totals: stored.totals, parameters: stored.parameters })
}
