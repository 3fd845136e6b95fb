//! All integration tests of the core, one binary.

mod architecture;
mod bayes;
mod discretize;
mod exact;
mod forest;
mod fuzzing;
mod global;
mod growth;
mod neighbours;
mod networks;
mod optimal;
mod optimal_near;
mod pairs;
mod prune;
mod store;
mod subsets;

/// What writes and reads models, by a job that nobody cancels.
mod written {
    use fasttree_core::error::Result;
    use fasttree_core::model::{Forest, Model};
    use fasttree_core::parallel::Control;
    use fasttree_core::{bayes, store};

    pub fn to_bytes(model: &Model) -> Result<Vec<u8>> {
        store::to_bytes(model, &model.parameters, &Control::new(1))
    }
    pub fn from_bytes(bytes: &[u8]) -> Result<Model> {
        store::from_bytes(bytes, &Control::new(1))
    }
    pub fn forest_to_bytes(forest: &Forest) -> Result<Vec<u8>> {
        store::forest_to_bytes(forest, &forest.parameters, &Control::new(1))
    }
    pub fn forest_from_bytes(bytes: &[u8]) -> Result<Forest> {
        store::forest_from_bytes(bytes, &Control::new(1))
    }
    pub fn bayes_from_json(text: &[u8]) -> Result<bayes::BayesModel> {
        bayes::BayesModel::from_json(text, &Control::new(1))
    }
}

mod criteria_facts;
mod criteria_laws;
mod criteria_tables;
