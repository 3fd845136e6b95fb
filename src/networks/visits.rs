//! What a chain has seen: models with their weights, and how often each arc was there.
//!
//! A visit of a model at temperature T weighs exp((best - cost)(1 - 1/T)), which undoes the
//! temperature; weights are relative to the least cost seen so far. Memory is bounded: when the
//! table of models is full, the lighter half goes, its weight still counted in the total and in the
//! arcs.

use super::state::Ordered;
use super::variables::{Set, members};
use std::collections::HashMap;

/// Bytes that the models of a chain may hold.
const LARGEST: usize = 1 << 25;

/// One model that was visited.
#[derive(Debug, Clone)]
pub struct Visited {
    /// Parents of each variable.
    pub parents: Vec<Set>,
    /// Weight of its visits.
    pub weight: f64,
    /// Number of its visits.
    pub visits: u64,
}

/// All models of a chain.
#[derive(Debug)]
pub struct Visits {
    models: HashMap<Vec<Set>, (f64, u64)>,
    /// Least cost, which weights are relative to.
    pub least: f64,
    /// Weight of all visits.
    pub total: f64,
    /// Weight of the visits with an arc from i to j, at `[i * n + j]`.
    pub arcs: Vec<f64>,
    most: usize,
    undone: f64,
}

impl Visits {
    /// Nothing yet; weights at a temperature, relative to a first guess of the least cost.
    pub fn new(variables: usize, least: f64, temperature: f64) -> Self {
        Self {
            models: HashMap::new(),
            least,
            total: 0.0,
            arcs: vec![0.0; variables * variables],
            most: (LARGEST / (16 * variables + 96)).clamp(1024, 1 << 16),
            undone: 1.0 - 1.0 / temperature,
        }
    }

    /// A model was seen so many times in a row.
    pub fn add(&mut self, model: &Ordered, times: u64) {
        if times == 0 {
            return;
        }
        if model.cost < self.least {
            self.lower(model.cost);
        }
        let n = model.parents.len();
        let weight = times as f64 * ((self.least - model.cost) * self.undone).exp();
        self.total += weight;
        for (j, &own) in model.parents.iter().enumerate() {
            members(own).for_each(|i| self.arcs[i * n + j] += weight);
        }
        if let Some(entry) = self.models.get_mut(&model.parents) {
            entry.0 += weight;
            entry.1 += times;
        } else {
            if self.models.len() >= self.most {
                self.forget();
            }
            self.models.insert(model.parents.clone(), (weight, times));
        }
    }

    /// Make all weights relative to a lower cost.
    pub fn lower(&mut self, least: f64) {
        let factor = ((least - self.least) * self.undone).exp();
        self.least = least;
        self.total *= factor;
        self.arcs.iter_mut().for_each(|w| *w *= factor);
        self.models.values_mut().for_each(|e| e.0 *= factor);
    }

    fn forget(&mut self) {
        let mut weights: Vec<f64> = self.models.values().map(|e| e.0).collect();
        weights.sort_unstable_by(|a, b| b.total_cmp(a));
        let middle = weights[weights.len() / 2];
        self.models.retain(|_, e| e.0 > middle);
        if self.models.len() >= self.most {
            self.models.clear();
        }
    }

    /// The models, heaviest first, equal ones by their parents.
    pub fn into_models(self) -> Vec<Visited> {
        let mut found: Vec<Visited> = self
            .models
            .into_iter()
            .map(|(parents, (weight, visits))| Visited { parents, weight, visits })
            .collect();
        found.sort_unstable_by(|a, b| {
            b.weight.total_cmp(&a.weight).then_with(|| a.parents.cmp(&b.parents))
        });
        found
    }
}
