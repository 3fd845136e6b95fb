//! How pairs are weighed and added up, as Python writes it.

use super::job::exception;
use crate::criteria::pairs::Precision;
use crate::error::{Error, Result};
use crate::stats::pairs::{Decay, PairSetting};
use pyo3::prelude::*;

/// A setting from its parts.
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

/// The setting in the options of a user's criterion on pairs, and how pairs are added up.
pub(super) fn pair_setting(
    options: &serde_json::Map<String, serde_json::Value>,
) -> PyResult<(PairSetting, Precision)> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct PairOptions {
        theta: [f64; 4],
        alpha: f64,
        decay: String,
        at_zero: f64,
        precision: Precision,
    }
    let words: PairOptions = serde_json::from_value(serde_json::Value::Object(options.clone()))
        .map_err(|e| exception(Error::parameter("PairFunction", "options", e)))?;
    let setting = setting(words.theta, words.alpha, &words.decay, words.at_zero);
    Ok((setting.map_err(|e| exception(e.of("PairFunction")))?, words.precision))
}
