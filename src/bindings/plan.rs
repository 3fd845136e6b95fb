//! What Python writes as JSON, as types of the core: configurations, criteria, options.

use super::custom::{CallableCriterion, Raised};
use super::custom_pairs::PairFunction;
use super::job::exception;
use super::pair_setting::pair_setting;
use crate::criteria::{self, Criterion};
use crate::error::Result;
use crate::fit::{Config, FitPlan};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;

/// A value from its JSON text.
pub(super) fn from_json<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_slice(text.as_bytes()).map_err(|e| PyValueError::new_err(e.to_string()))
}

/// A built-in criterion from its name and its options as JSON.
pub(super) fn builtin_criterion(name: &str, options_json: &str) -> PyResult<Box<dyn Criterion>> {
    criteria::make(name, from_json(options_json)?).map_err(exception)
}

/// A plan from a configuration of Python.
pub(super) struct ConfiguredPlan {
    pub plan: FitPlan,
    /// The exception of the user's criterion, if the plan has one.
    pub raised: Option<Raised>,
}

/// The plan of a configuration; `custom` is the user's criterion that it names.
pub(super) fn plan(config: &str, custom: Option<Py<PyAny>>) -> PyResult<ConfiguredPlan> {
    let (plan, raised) = planned(config, custom, FitPlan::new)?;
    Ok(ConfiguredPlan { plan, raised })
}

/// The plan that `make` makes of a configuration and of the user's criterion that it names, and the
/// exception of that criterion.
pub(super) fn planned<P>(
    config: &str,
    custom: Option<Py<PyAny>>,
    make: impl FnOnce(Config, Option<Box<dyn Criterion>>) -> Result<P>,
) -> PyResult<(P, Option<Raised>)> {
    let config = Config::from_json(config).map_err(exception)?;
    let wrapped = match custom {
        None => None,
        Some(function) if config.criterion == "pair_function" => {
            let (setting, precision) = pair_setting(&config.criterion_options)?;
            Some(PairFunction::wrap(function, setting, precision))
        }
        Some(function) => Some(CallableCriterion::wrap(function)),
    };
    let (criterion, raised) = wrapped.unzip();
    Ok((make(config, criterion).map_err(exception)?, raised))
}
