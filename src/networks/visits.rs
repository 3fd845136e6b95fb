//! What a chain has seen: models with their weights, and how often each arc was there.
//!
//! Visits are counted at temperature 1, where each weighs one. Memory is bounded: when the table of
//! models is full, the rarer half goes, its visits still counted in the total and in the arcs.

use super::state::OrderedModel;
use super::variables::{Set, members};
use super::words::WordMap;

/// Bytes that the models of a chain may hold.
const LARGEST: usize = 1 << 25;

/// All models of a chain.
#[derive(Debug)]
pub struct Visits {
    models: WordMap<Vec<Set>, u64>,
    /// All visits.
    pub total: u64,
    /// Visits with an arc from i to j, at `[i * n + j]`.
    pub arcs: Vec<u64>,
    most: usize,
}

impl Visits {
    /// Nothing yet.
    pub fn new(variables: usize) -> Self {
        Self {
            models: WordMap::default(),
            total: 0,
            arcs: vec![0; variables * variables],
            most: (LARGEST / (16 * variables + 96)).clamp(1024, 1 << 16),
        }
    }

    /// A model was seen `times` times in a row.
    pub fn add(&mut self, model: &OrderedModel, times: u64) {
        if times == 0 {
            return;
        }
        let n = model.parents.len();
        self.total += times;
        for (j, &own) in model.parents.iter().enumerate() {
            members(own).for_each(|i| self.arcs[i * n + j] += times);
        }
        if let Some(visits) = self.models.get_mut(&model.parents) {
            *visits += times;
        } else {
            if self.models.len() >= self.most {
                self.forget();
            }
            self.models.insert(model.parents.clone(), times);
        }
    }

    fn forget(&mut self) {
        let mut visits: Vec<u64> = self.models.values().copied().collect();
        visits.sort_unstable();
        let middle = visits[visits.len() / 2];
        self.models.retain(|_, visits| *visits > middle);
    }

    /// The models with their visits, the most visited first, equal ones by their parents.
    pub fn into_models(self) -> Vec<(Vec<Set>, u64)> {
        let mut found: Vec<(Vec<Set>, u64)> = self.models.into_iter().collect();
        found.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found
    }
}
