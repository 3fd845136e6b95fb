//! The errors of the core.
//!
//! Each variant has the parts of its message (name, value, remedy), so that the Python bindings
//! choose the class of an exception by the variant and never by text.

use thiserror::Error;

/// An error of the core.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Error {
    /// A parameter is outside its domain.
    #[error("{name}={value}: {reason}")]
    Parameter {
        /// Name of the parameter as the user typed it.
        name: String,
        /// The value that was given.
        value: String,
        /// Why the value is rejected, and which values are valid.
        reason: String,
    },
    /// The data cannot be used as they are.
    #[error("{0}")]
    Data(String),
    /// A combination of choices that is not supported.
    #[error("{what} is not supported here; supported: {supported}")]
    Unsupported {
        /// The combination of choices, as the subject of the message.
        what: String,
        /// The choices that are supported instead.
        supported: String,
    },
    /// A model file or byte string that is damaged or of another format.
    #[error("not a valid fasttree model: {0}")]
    Model(String),
    /// The system has no more memory.
    #[error("out of memory: the system refused {bytes} bytes")]
    Memory {
        /// Bytes of the allocation that was refused, or that the work needs before it begins.
        bytes: u64,
    },
    /// Some work needs more memory than the call may allocate or the system has. It was not begun.
    #[error(
        "{what} needs {need} bytes, and {}: {remedy}",
        limit.map_or("the system refused them".into(), |limit| format!("memory_limit={limit}"))
    )]
    Need {
        /// Name of the work, as the subject of the message.
        what: &'static str,
        /// Most bytes that the call needs, with those that it holds already.
        need: u64,
        /// The limit of the call; None if the system refused.
        limit: Option<u64>,
        /// Advice to the user: a smaller input, or another parameter.
        remedy: &'static str,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Cancelled,
    /// The deadline of a job has passed.
    #[error(
        "time_limit ended before there was a first tree; allow more seconds, or take fewer rows or \
         columns"
    )]
    OutOfTime,
    /// A callback (a user's criterion) failed; the binding keeps the original exception.
    #[error("the user's criterion failed: {0}")]
    Callback(String),
    /// A user's criterion returned NaN or infinity.
    #[error(
        "the user's criterion failed: the score of a split on column {} is NaN or inf; scores must \
         be finite, or -inf for a split that is never chosen",
        name.as_ref().map_or_else(|| format!("{feature} (counted from 0)"), |n| format!("'{n}'"))
    )]
    NotANumber {
        /// Position of the feature that is split.
        feature: u32,
        /// Name of the feature, where the caller knows it.
        name: Option<String>,
    },
    /// A defect of fasttree itself.
    #[error("internal error of fasttree: {0}")]
    Internal(String),
}

/// A result with the core's error.
pub type Result<T> = std::result::Result<T, Error>;

/// Return [`Error::Unsupported`] for a combination of choices. `what` completes "... is not
/// supported here", and `supported` names the choices that the user can take instead. Generic in
/// the value that is not there, so that a function of any result ends with this call.
pub fn unsupported<T>(what: impl Into<String>, supported: impl Into<String>) -> Result<T> {
    Err(Error::Unsupported { what: what.into(), supported: supported.into() })
}

impl Error {
    /// Put the name of the owner (a criterion, a setting) before the name of the parameter, as in
    /// `f_measure: beta`, so that the message says whose parameter is meant. Other errors than
    /// [`Error::Parameter`] stay as they are.
    #[must_use]
    pub fn with_owner(self, owner: &str) -> Self {
        match self {
            Self::Parameter { name, value, reason } => {
                Self::Parameter { name: format!("{owner}: {name}"), value, reason }
            }
            other => other,
        }
    }

    /// Make an [`Error::Parameter`] for a value outside the domain of a parameter. `reason` says
    /// which values are right, as in "must be a whole number >= 1". Numbers of more than 20
    /// characters are shown with an exponent.
    pub fn parameter(name: &str, value: impl ToString, reason: impl ToString) -> Self {
        Self::Parameter {
            name: name.into(),
            value: shortened(value.to_string()),
            reason: reason.to_string(),
        }
    }
}

/// A value as messages show it: long numbers with an exponent instead of all digits.
fn shortened(value: String) -> String {
    match value.parse::<f64>() {
        Ok(number) if value.len() > 20 && number.is_finite() => format!("{number:?}"),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn values_are_shown_in_few_digits() {
        let shown = |value: f64| Error::parameter("x", value, "no").to_string();
        assert!(shown(1e308).contains("x=1e308:") && shown(-1e-300).contains("x=-1e-300:"));
        assert!(shown(0.1).contains("x=0.1:") && shown(f64::NAN).contains("x=NaN:"));
    }
}
