//! A plan from the configuration that Python writes.

use super::custom::{Custom, Raised};
use super::custom_pairs::PairFunction;
use super::job::exception;
use super::pair_setting::pair_setting;
use crate::fit::{Config, FitPlan};
use pyo3::prelude::*;

/// A plan and, for a user's criterion, the place where its exception waits.
pub(super) fn plan(config: &str, custom: Option<Py<PyAny>>) -> PyResult<(FitPlan, Option<Raised>)> {
    let config = Config::from_json(config).map_err(exception)?;
    let (custom, raised) = match custom {
        None => (None, None),
        Some(function) if config.criterion == "pair_function" => {
            let (made, raised) =
                PairFunction::wrap(function, pair_setting(&config.criterion_options)?);
            (Some(made), Some(raised))
        }
        Some(function) => {
            let (made, raised) = Custom::wrap(function);
            (Some(made), Some(raised))
        }
    };
    Ok((FitPlan::new(config, custom).map_err(exception)?, raised))
}
