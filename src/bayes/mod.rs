//! Bayesian classifiers on exact counts: naive Bayes, tree-augmented naive Bayes, averaged
//! one-dependence estimators.
//!
//! All three factor the joint distribution of class and features. They differ in what a feature
//! depends on: the class alone ([`Naive`]); the class and one other feature, so that the features
//! form a tree ([`Tan`]: Friedman, Geiger & Goldszmidt 1997; Keogh & Pazzani 1999); the class and
//! one feature that is the parent of all others, averaged over these parents ([`Aode`]: Webb,
//! Boughton & Wang 2005).
//!
//! Numbers are binned by given cut points, or (naive Bayes only) described by a normal distribution
//! per class. Counts are exact (weights in fixed point), so neither the order of the rows nor
//! threads change a model. A model stores its counts; tables of logarithms are derived from them
//! after fitting or loading.
//!
//! Cost: one pass over the rows for naive Bayes, one per pair of features for the others (about 1
//! ns per row and pair). Pair tables have levels * levels * classes cells: columns with thousands
//! of levels do not fit.

mod aode;
mod counts;
mod input;
mod model;
mod naive;
mod smoothing;
mod tan;
mod validate;
mod wrapper;

pub use aode::Aode;
pub use counts::{PairTable, pair_tables};
pub use input::{FeatureReading, Input};
pub use model::{BayesModel, Structure};
pub use naive::{FeatureModel, Naive};
pub use smoothing::Smoothing;
pub use tan::{Tan, conditional_mutual_information, spanning_tree};

use crate::data::{Dataset, Weights};
use crate::error::{Error, Result};
use crate::json;
use crate::parallel::Control;
use naive::NaiveOptions;
use serde::{Deserialize, Serialize};

/// The classifier to fit, with its options.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "learner", rename_all = "snake_case", deny_unknown_fields)]
pub enum Learner {
    /// Naive Bayes; `var_smoothing` times the largest variance is added to every variance.
    Naive {
        /// Share of the largest variance.
        var_smoothing: f64,
    },
    /// Tree-augmented naive Bayes.
    Tan {
        /// Wrapper search (by leave-one-out accuracy) instead of Chow and Liu's tree.
        wrapper: bool,
        /// Feature that becomes the root of Chow and Liu's tree.
        #[serde(default)]
        root: Option<usize>,
        /// Whether missing values are replaced by the most frequent value.
        fill: bool,
    },
    /// Averaged one-dependence estimators.
    Aode {
        /// Least weight of a value that may be a parent.
        limit: f64,
    },
}

/// The settings of [`fit`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BayesConfig {
    /// The classifier.
    pub learner: Learner,
    /// How counts become probabilities of values.
    pub smoothing: Smoothing,
    /// Cut points of each feature; `None` for a nominal feature, and for numbers that are not
    /// binned.
    pub cuts: Vec<Option<Vec<f64>>>,
    /// Prior probabilities of the classes; `None` to estimate them (naive Bayes only).
    #[serde(default)]
    pub priors: Option<Vec<f64>>,
    /// Numeric columns that are modelled by Weka's rule (naive Bayes only).
    #[serde(default)]
    pub weka: Vec<usize>,
}

/// Fit a classifier to all rows of a data set.
///
/// # Errors
/// [`Error::Parameter`] for an option out of range, [`Error::Data`] for a number where bins are
/// needed, or for too large tables, [`Error::Cancelled`].
pub fn fit(
    data: &Dataset,
    weights: &Weights,
    config: &BayesConfig,
    control: &Control,
) -> Result<BayesModel> {
    config.smoothing.check()?;
    let fill = matches!(config.learner, Learner::Tan { fill: true, .. });
    let input = Input::new(data, weights, &config.cuts, fill)?;
    if !matches!(config.learner, Learner::Naive { .. })
        && let Some(j) = input.readings.iter().position(|r| *r == FeatureReading::Number)
    {
        return Err(Error::Data(format!(
            "column '{}' is numeric: this classifier needs cut points; choose a discretiser",
            data.schema().features[j].name
        )));
    }
    let kind = match config.learner {
        Learner::Naive { var_smoothing } => {
            let priors = config.priors.as_deref();
            let options = NaiveOptions {
                smoothing: config.smoothing,
                var_smoothing,
                priors,
                weka: &config.weka,
            };
            Structure::Naive(Naive::fit(data, weights, &input, options, control)?)
        }
        Learner::Tan { wrapper: false, root, .. } => {
            Structure::Tan(Tan::chow_liu(&input, config.smoothing, root, control)?)
        }
        Learner::Tan { wrapper: true, .. } => {
            let parents = wrapper::super_parent(&input, config.smoothing, control)?;
            Structure::Tan(Tan::with_parents(&input, config.smoothing, parents, control)?)
        }
        Learner::Aode { limit } => {
            Structure::Aode(Aode::fit(&input, config.smoothing, limit, control)?)
        }
    };
    Ok(BayesModel { readings: input.readings, class_counts: input.class_counts, kind })
}

impl BayesModel {
    /// The model as JSON: readings, class counts and the parameters of the classifier. Tables of
    /// logarithms are left out, because [`Self::from_json`] makes them again from the counts.
    pub fn to_json(&self, control: &Control) -> Result<Vec<u8>> {
        json::to_vec(self, control)
    }

    /// A model from JSON: sizes, values and sums are checked, then the derived tables are made.
    pub fn from_json(text: &[u8], control: &Control) -> Result<Self> {
        let mut model: Self = json::from_slice(text, control)?;
        validate::readings(&model)?;
        let arities: Vec<usize> = model.readings.iter().map(FeatureReading::arity).collect();
        match &mut model.kind {
            Structure::Naive(m) => m.restore(&arities, &model.class_counts)?,
            Structure::Tan(m) => m.restore(&arities, &model.class_counts)?,
            Structure::Aode(m) => m.restore(&arities, &model.class_counts, control)?,
        }
        validate::values(&model)?;
        Ok(model)
    }
}

/// Convert logarithms of joint probabilities to class probabilities, in place; rows of `k` classes.
/// A row on which every class has probability 0 gets zeros.
pub fn normalise(log_joint: &mut [f64], k: usize) {
    for row in log_joint.chunks_exact_mut(k) {
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if top == f64::NEG_INFINITY {
            row.fill(0.0);
            continue;
        }
        row.iter_mut().for_each(|x| *x = (*x - top).exp());
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|x| *x /= sum);
    }
}
