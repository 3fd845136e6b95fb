//! What a model says about rows: classes and probabilities.
//!
//! A row that ends in one leaf is answered by it. A row in parts is answered by the mixture of its
//! leaves: probabilities weighted by the parts, the class with the largest of them (the lower class
//! of equals; shares that differ from the largest by rounding only are made equal to it, so that
//! class and probabilities agree). Leaves without an answer take no part.
//!
//! O(depth) a row; a row in parts costs the nodes that its parts visit.

use super::walker::{Source, Walker, in_parts};
use crate::error::Result;
use crate::model::Model;
use crate::parallel::Control;
use crate::tree::majority;

/// Probabilities this close are equal.
const EQUAL: f64 = 1e-9;

/// A model laid out for answering.
#[derive(Debug)]
pub struct Answerer<'m> {
    model: &'m Model,
    /// The walk.
    pub walker: Walker<'m>,
    /// Probabilities of each leaf; nothing where they are computed when asked for.
    leaves: Vec<f64>,
    classes: usize,
}

impl<'m> Answerer<'m> {
    /// Lay out a model.
    pub fn new(model: &'m Model) -> Result<Self> {
        let k = model.tree.classes;
        let mut leaves = vec![0.0; model.tree.nodes.len() * k];
        for (i, p) in leaves.chunks_exact_mut(k.max(1)).enumerate() {
            if model.tree.is_leaf(i) {
                model.probabilities(i, p);
            }
        }
        Ok(Self { leaves, ..Self::for_few(model)? })
    }

    /// Lay out a model for fewer rows than it has nodes.
    pub fn for_few(model: &'m Model) -> Result<Self> {
        let walker = Walker::new(&model.tree, &model.schema)?;
        Ok(Self { model, walker, leaves: Vec::new(), classes: model.tree.classes })
    }

    fn of_leaf(&self, leaf: u32, out: &mut [f64]) {
        match self.leaves.chunks_exact(self.classes.max(1)).nth(leaf as usize) {
            Some(p) => out.copy_from_slice(p),
            None => self.model.probabilities(leaf as usize, out),
        }
    }

    /// Probabilities of a row whose walk ended somewhere, and its class, -1 for none.
    pub fn answer<S: Source>(&self, source: &S, row: usize, end: u32, out: &mut [f64]) -> i32 {
        if self.model.tree.is_leaf(end as usize) {
            self.of_leaf(end, out);
            return self.model.tree.nodes[end as usize].label;
        }
        out.fill(0.0);
        let mut own = vec![0.0; self.classes];
        self.walker.spread(source, row, end, |node, weight, ends| {
            if ends {
                self.of_leaf(node, &mut own);
                out.iter_mut().zip(&own).for_each(|(p, q)| *p += weight * q);
            }
        });
        let largest = out.iter().fold(0.0, |a, &b| if b > a { b } else { a });
        if largest <= 0.0 {
            return -1;
        }
        out.iter_mut().filter(|p| largest - **p < EQUAL).for_each(|p| *p = largest);
        majority(out) as i32
    }
}

/// The class of each of `n` rows, -1 = unclassified.
pub fn labels<S: Source>(
    model: &Model,
    source: &S,
    n: usize,
    control: &Control,
) -> Result<Vec<i32>> {
    let nodes = &model.tree.nodes;
    if !model.tree.is_shared() {
        let ends = super::leaves(&model.tree, &model.schema, source, n, control)?;
        return Ok(ends.into_iter().map(|l| nodes[l as usize].label).collect());
    }
    let answerer = Answerer::new(model)?;
    let mut out = vec![0; n];
    in_parts(&mut out, 1, control, |first, part| {
        let mut ends = vec![0; part.len()];
        answerer.walker.fill(source, first, &mut ends);
        let mut p = vec![0.0; answerer.classes];
        for (i, (label, &end)) in part.iter_mut().zip(&ends).enumerate() {
            *label = match nodes[end as usize].n_children {
                0 => nodes[end as usize].label,
                _ => answerer.answer(source, first + i, end, &mut p),
            };
        }
    })?;
    Ok(out)
}

/// Probabilities of `n` rows, class by class; zeros where nothing is predicted.
pub fn probabilities<S: Source>(
    model: &Model,
    source: &S,
    n: usize,
    control: &Control,
) -> Result<Vec<f64>> {
    let answerer = Answerer::new(model)?;
    let k = answerer.classes;
    let mut out = vec![0.0; n * k];
    in_parts(&mut out, k, control, |first, part| {
        let mut ends = vec![0; part.len() / k];
        answerer.walker.fill(source, first, &mut ends);
        for (i, (p, &end)) in part.chunks_exact_mut(k).zip(&ends).enumerate() {
            answerer.answer(source, first + i, end, p);
        }
    })?;
    Ok(out)
}
