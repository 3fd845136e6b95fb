//! The parameters of pair scores from Python: the weights of the four cases (theta), and how the
//! weight of a pair decays with its distance (alpha, decay, at_zero). See [`crate::stats::pairs`].

use super::job::exception;
use crate::criteria::pairs::Precision;
use crate::error::{Error, Result};
use crate::json::ValueReader;
use crate::stats::pairs::{Decay, PairSetting};
use pyo3::prelude::*;
use serde::Deserialize;

/// A setting from Python's arguments; `at_zero` is used by the decay "power" only.
pub(super) fn setting(
    theta: [f64; 4],
    alpha: f64,
    decay: &str,
    at_zero: f64,
) -> Result<PairSetting> {
    let decay = match decay {
        "exponential" => Decay::Exponential,
        "power" => Decay::Power { at_zero },
        "threshold" => Decay::Threshold,
        "identical" => Decay::Identical,
        "uniform" => Decay::Uniform,
        other => {
            let known = "use 'exponential', 'power', 'threshold', 'identical' or 'uniform'";
            return Err(Error::parameter("decay", format!("'{other}'"), known));
        }
    };
    PairSetting::new(theta, alpha, decay)
}

/// The setting in the options of a user's criterion on pairs, and the arithmetic of its sums.
pub(super) fn pair_setting(
    options: &serde_json::Map<String, serde_json::Value>,
) -> PyResult<(PairSetting, Precision)> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct PairOptions {
        theta: [f64; 4],
        alpha: f64,
        decay: String,
        at_zero: f64,
        precision: Precision,
    }
    let options: PairOptions =
        PairOptions::deserialize(ValueReader(serde_json::Value::Object(options.clone())))
            .map_err(|e| exception(Error::parameter("PairFunction", "options", e)))?;
    let setting = setting(options.theta, options.alpha, &options.decay, options.at_zero);
    Ok((setting.map_err(|e| exception(e.with_owner("PairFunction")))?, options.precision))
}
