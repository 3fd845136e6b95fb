//! Plain objects of Python, such as dicts and lists, as types of the core: configurations,
//! criteria, options.

use super::custom::{CallableCriterion, Raised};
use super::custom_pairs::PairFunction;
use super::hints;
use super::job::exception;
use super::pair_setting::pair_setting;
use crate::criteria::{self, Criterion};
use crate::error::Result;
use crate::fit::{Config, FitPlan};
use crate::json::ValueReader;
use pyo3::exceptions::PyValueError;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pythonize::depythonize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// An argument that Python gives as dicts, lists, texts, numbers and None. It is read by way of
/// [`Value`], so that each type is compiled for one format.
pub(super) struct FromPython<T>(pub T);

/// Options by name.
pub(super) type Options = FromPython<Map<String, Value>>;

impl<T: DeserializeOwned> FromPyObject<'_, '_> for FromPython<T> {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = hints::ANY;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let value: Value = depythonize(&object)?;
        T::deserialize(ValueReader(value))
            .map(Self)
            .map_err(|e| PyValueError::new_err(e.to_string()))
    }
}

/// A built-in criterion from its name and its options.
pub(super) fn builtin_criterion(name: &str, options: Options) -> PyResult<Box<dyn Criterion>> {
    criteria::make(name, options.0).map_err(exception)
}

/// A plan from a configuration of Python.
pub(super) struct ConfiguredPlan {
    pub plan: FitPlan,
    /// The exception of the user's criterion, if the plan has one.
    pub raised: Option<Raised>,
}

/// The plan of a configuration; `custom` is the user's criterion that it names.
pub(super) fn plan(
    config: FromPython<Config>,
    custom: Option<Py<PyAny>>,
) -> PyResult<ConfiguredPlan> {
    let (plan, raised) = plan_with(config, custom, FitPlan::new)?;
    Ok(ConfiguredPlan { plan, raised })
}

/// The plan that `make` makes of a configuration and of the user's criterion that it names, and the
/// exception of that criterion.
pub(super) fn plan_with<P>(
    FromPython(config): FromPython<Config>,
    custom: Option<Py<PyAny>>,
    make: impl FnOnce(Config, Option<Box<dyn Criterion>>) -> Result<P>,
) -> PyResult<(P, Option<Raised>)> {
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
