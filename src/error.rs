//! Every way in which the core can say no, as facts.
//!
//! One enum; each variant carries what the message needs (name, value, what to do), so that the
//! Python border can choose the exception class without reading text.

use thiserror::Error;

/// A refusal of the core.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Error {
    /// A parameter is outside its domain.
    #[error("{name}={value}: {reason}")]
    Parameter {
        /// Name of the parameter as the user typed it.
        name: String,
        /// The offending value.
        value: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The data cannot be used as they are.
    #[error("{0}")]
    Data(String),
    /// A combination of choices that is not served.
    #[error("{what} is not supported here; supported: {supported}")]
    Unsupported {
        /// What was asked for.
        what: String,
        /// What could be asked for instead.
        supported: String,
    },
    /// A model file or byte string that is not what it claims to be.
    #[error("not a valid fasttree model: {0}")]
    Model(String),
    /// The system has no more memory.
    #[error("out of memory: the system refused {bytes} bytes")]
    Memory {
        /// The request that was refused, or what was needed before the work could begin.
        bytes: u64,
    },
    /// What is asked for takes more memory than may be had; nothing of it has been done.
    #[error(
        "{what} needs {need} bytes, and {}: {remedy}",
        limit.map_or("the system refused them".into(), |limit| format!("memory_limit={limit}"))
    )]
    Need {
        /// The work.
        what: &'static str,
        /// Bytes that the call takes at most, with those that it holds already.
        need: u64,
        /// The limit of the call; nothing where the system refused.
        limit: Option<u64>,
        /// What to do.
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
    /// A defect of fasttree itself.
    #[error("internal error of fasttree: {0}")]
    Internal(String),
}

/// Result with the core's error.
pub type Result<T> = std::result::Result<T, Error>;

/// Refuse a combination of choices, and say what is served.
pub fn unsupported<T>(what: impl Into<String>, supported: impl Into<String>) -> Result<T> {
    Err(Error::Unsupported { what: what.into(), supported: supported.into() })
}

impl Error {
    /// The same of an option of something that has a name.
    #[must_use]
    pub fn of(self, owner: &str) -> Self {
        match self {
            Self::Parameter { name, value, reason } => {
                Self::Parameter { name: format!("{owner}: {name}"), value, reason }
            }
            other => other,
        }
    }

    /// A parameter error in one line.
    pub fn parameter(name: &str, value: impl ToString, reason: impl ToString) -> Self {
        let value = value.to_string();
        // 1e308 in all its digits helps nobody
        let value = match value.parse::<f64>() {
            Ok(number) if value.len() > 20 && number.is_finite() => format!("{number:?}"),
            _ => value,
        };
        Self::Parameter { name: name.into(), value, reason: reason.to_string() }
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
