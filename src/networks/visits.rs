//! Visited models of a chain: how often each model and each arc occurred at temperature 1.
//!
//! Memory is bounded: if the table of models is full, all models with at most the median number of
//! visits are dropped. Their visits still count in the total and for the arcs.

use super::state::OrderedModel;
use super::variables::{VarSet, set_members};
use super::words::WordMap;
use crate::numeric::sort_few;

/// Most bytes of the models of a chain.
const LARGEST_BYTES: usize = 1 << 25;

/// Counts of visits.
#[derive(Debug)]
pub struct Visits {
    /// Visits by parents of all variables.
    models: WordMap<Vec<VarSet>, u64>,
    /// Number of all visits.
    pub total: u64,
    /// Number of visits with an arc from i to j, at `[i * n + j]`.
    pub arcs: Vec<u64>,
    /// Most models in the table.
    most: usize,
}

impl Visits {
    /// No visits yet, of models of `variables` variables. The table holds as many models as fit
    /// into 32 MiB, but at most 65,536.
    pub fn new(variables: usize) -> Self {
        Self {
            models: WordMap::default(),
            total: 0,
            arcs: vec![0; variables * variables],
            // 16 bytes per set of parents, and the entry of the table
            most: (LARGEST_BYTES / (16 * variables + 96)).clamp(1024, 1 << 16),
        }
    }

    /// Count `times` visits of a model. A chain calls it once per stay at a model, with the number
    /// of steps that the model stayed as it was; 0 changes nothing.
    pub fn add(&mut self, model: &OrderedModel, times: u64) {
        if times == 0 {
            return;
        }
        let n = model.parents.len();
        self.total += times;
        for (j, &own) in model.parents.iter().enumerate() {
            set_members(own).for_each(|i| self.arcs[i * n + j] += times);
        }
        if let Some(visits) = self.models.get_mut(&model.parents) {
            *visits += times;
        } else {
            if self.models.len() >= self.most {
                self.drop_rare();
            }
            self.models.insert(model.parents.clone(), times);
        }
    }

    /// Drop the models with at most the median number of visits.
    fn drop_rare(&mut self) {
        let mut visits: Vec<u64> = self.models.values().copied().collect();
        visits.sort_unstable();
        let middle = visits[visits.len() / 2];
        self.models.retain(|_, visits| *visits > middle);
    }

    /// Parents and visits of each model in the table, most visited first, ties by parents, so that
    /// the order of a hash table decides nothing. Visits of models that were dropped are missing
    /// here; [`Self::total`] has them.
    pub fn into_models(self) -> Vec<(Vec<VarSet>, u64)> {
        let mut found: Vec<(Vec<VarSet>, u64)> = self.models.into_iter().collect();
        sort_few(&mut found, &|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found
    }
}
