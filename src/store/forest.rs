//! A forest as one JSON document: `{"format": "fasttree forest", "version": 1, "checksum": "...",
//! "model": {...}}`.
//!
//! Each tree is stored like a single model, but only the first one carries the schema. The loader
//! copies it to the others and then checks each tree as if it were stored alone. O(nodes).

use super::{Body, body, model, read_document, write_document};
use crate::data::Schema;
use crate::error::{Error, Result};
use crate::json;
use crate::model::Forest;
use crate::parallel::Control;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const FORMAT: &str = "fasttree forest";

/// The content of a forest's document.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ForestBody {
    #[serde(with = "json::text")]
    parameters: String,
    /// One seed per tree.
    seeds: Vec<u64>,
    /// Weight of each class in the training set.
    totals: Vec<f64>,
    trees: Vec<Body>,
}

/// Write a forest with these `parameters` in place of its own. Equal forests with equal parameters
/// give equal bytes.
pub fn forest_to_bytes(forest: &Forest, parameters: &str, control: &Control) -> Result<Vec<u8>> {
    let schema = |tree| if tree == 0 { (**forest.schema()).clone() } else { Schema::default() };
    let trees = forest.trees.iter().enumerate().map(|(t, tree)| {
        control.check()?;
        Ok(body(tree, &tree.parameters, schema(t)))
    });
    let trees = trees.collect::<Result<_>>()?;
    let (parameters, seeds) = (parameters.into(), forest.seeds.clone());
    write_document(
        FORMAT,
        &ForestBody { parameters, seeds, totals: forest.totals.clone(), trees },
        control,
    )
}

/// Read a forest.
///
/// # Errors
/// [`Error::Model`] for content that was damaged or is not a valid forest.
pub fn forest_from_bytes(bytes: &[u8], control: &Control) -> Result<Forest> {
    let stored: ForestBody = read_document(FORMAT, bytes, control)?;
    let bad = |what: &str| Error::Model(what.to_string());
    let schema = stored
        .trees
        .first()
        .map(|t| t.schema.clone())
        .ok_or_else(|| bad("a forest without trees"))?;
    if stored.seeds.len() != stored.trees.len() {
        return Err(bad("a forest needs one seed per tree"));
    }
    if stored.totals.len() != schema.counts_per_node()
        || stored.totals.iter().any(|t| !(*t >= 0.0 && t.is_finite()))
    {
        return Err(bad("class totals must be finite, not negative, and one per class"));
    }
    // All trees share one schema in memory.
    let shared = Arc::new(schema.clone());
    let smoothing = stored.trees[0].smoothing;
    let mut trees = Vec::with_capacity(stored.trees.len());
    for (t, mut tree) in stored.trees.into_iter().enumerate() {
        if t > 0 && tree.schema != Schema::default() {
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
