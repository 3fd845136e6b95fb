//! Options of criteria, prunings and discretisers, declared as data.
//!
//! An [`OptionInfo`] beside each method declares an option once: name, domain, default and
//! description. Python's constructors, checks and documentation, and the choices of the command
//! line, are made from it; the core checks numbers against the same domain ([`check`]).

use crate::error::{Error, Result};
use serde::{Serialize, Serializer, ser::SerializeStruct};
use std::fmt;

/// The values that an option may have. An option with the default `null` may also be None.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OptionDomain {
    /// True or false.
    Flag,
    /// A finite number.
    Number {
        /// Lower limit, if there is one.
        low: Option<f64>,
        /// Upper limit, if there is one.
        high: Option<f64>,
        /// Whether (lower, upper) limit belong to the domain.
        closed: (bool, bool),
    },
    /// A whole number.
    Whole {
        /// Smallest value.
        least: u64,
        /// Largest value.
        most: u64,
    },
    /// A list of numbers from 0 to 1.
    Shares {
        /// Length of the list.
        count: usize,
    },
    /// One of a list of words.
    Words {
        /// The words, in the order in which messages list them.
        words: &'static [&'static str],
    },
    /// A class, which is a label in Python and a code in the core.
    Class,
    /// One of some words, or in Python a function of the size of a set.
    SizeFunction {
        /// The words.
        words: &'static [&'static str],
    },
    /// The values of a function of the size of a set. Python makes them; users do not give them.
    SizeValues,
}

impl OptionDomain {
    /// Finite numbers from `low` on. `low` itself belongs to the domain, and there is no upper
    /// limit: use [`Self::Number`] for one.
    pub const fn at_least(low: f64) -> Self {
        Self::Number { low: Some(low), high: None, closed: (true, false) }
    }

    /// Finite numbers above `low`. `low` itself does not belong to the domain, which suits weights
    /// and widths that may not be 0.
    pub const fn greater_than(low: f64) -> Self {
        Self::Number { low: Some(low), high: None, closed: (false, false) }
    }

    /// Whole numbers from `least` on. The upper limit is `u64::MAX`, which messages leave out; for
    /// another one use [`Self::Whole`].
    pub const fn integer_at_least(least: u64) -> Self {
        Self::Whole { least, most: u64::MAX }
    }

    /// Whether a number lies in the domain.
    fn holds(self, value: f64) -> bool {
        let inside = |low: f64, high: f64, closed: (bool, bool)| {
            let above = value > low || (closed.0 && value == low);
            let below = value < high || (closed.1 && value == high);
            value.is_finite() && above && below
        };
        match self {
            Self::Number { low, high, closed } => {
                inside(low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY), closed)
            }
            Self::Whole { least, most } => inside(least as f64, most as f64, (true, true)),
            _ => true,
        }
    }
}

/// Words in quotes and `more`, as a list with "or" before the last.
fn quoted(words: &[&str], more: Option<&str>) -> String {
    let quoted = words.iter().map(|word| format!("'{word}'"));
    let mut all: Vec<String> = quoted.chain(more.map(str::to_string)).collect();
    match all.pop() {
        Some(last) if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        last => last.unwrap_or_default(),
    }
}

/// The text of a limit, with an exponent from 1e16 on.
fn limit(number: f64) -> String {
    if number.is_finite() && number.abs() >= 1e16 {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}

/// The domain in words that follow "must be".
impl fmt::Display for OptionDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("True or False"),
            Self::Number { low: None, high: None, .. } => f.write_str("a finite number"),
            Self::Number { low: Some(low), high: None, closed } => {
                write!(f, "a finite number {} {low}", if closed.0 { ">=" } else { ">" })
            }
            Self::Number { low, high, closed } => {
                let open = if closed.0 { '[' } else { '(' };
                write!(f, "a number in {open}{}, ", limit(low.unwrap_or(f64::NEG_INFINITY)))?;
                let close = if closed.1 { ']' } else { ')' };
                write!(f, "{}{close}", limit(high.unwrap_or(f64::INFINITY)))
            }
            Self::Whole { least, most: u64::MAX } => write!(f, "a whole number >= {least}"),
            Self::Whole { least, most } => write!(f, "a whole number from {least} to {most}"),
            Self::Shares { count } => write!(f, "{count} numbers from 0 to 1"),
            Self::Words { words } => f.write_str(&quoted(words, None)),
            Self::Class => f.write_str("a class"),
            Self::SizeFunction { words } => f.write_str(&quoted(words, Some("a function"))),
            Self::SizeValues => f.write_str("values of a function"),
        }
    }
}

/// The declaration of an option.
#[derive(Debug, Clone, Copy)]
pub struct OptionInfo {
    /// Name in Python and in the command line.
    pub name: &'static str,
    /// The values that it may have.
    pub domain: OptionDomain,
    /// Default, as JSON text.
    pub default: &'static str,
    /// Some other values of a criterion's option, as a JSON list. Tests fit with each of them, with
    /// defaults for the other options, and check the criterion's `convex` and `fractional`; its
    /// other facts, such as the range, hold for the defaults alone. Empty if no value is valid with
    /// those.
    pub others: &'static str,
    /// Other values that Python accepts, in words; empty if there are none.
    pub besides: &'static str,
    /// The effect, in one sentence.
    pub doc: &'static str,
}

impl OptionInfo {
    /// Values of the fields that most options leave out.
    pub const PLAIN: Self = Self {
        name: "",
        domain: OptionDomain::Flag,
        default: "",
        others: "[]",
        besides: "",
        doc: "",
    };

    /// All values that the option may have, in words that follow "must be" in an error message.
    /// None is among them if the default is `null`. Python's checks and the documentation take the
    /// words from here, so they agree with the domain.
    pub fn describe(&self) -> String {
        let none = if self.default == "null" { ", or None" } else { "" };
        let besides = if self.besides.is_empty() { "" } else { ", or " };
        format!("{}{none}{besides}{}", self.domain, self.besides)
    }
}

impl Serialize for OptionInfo {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("OptionInfo", 6)?;
        out.serialize_field("name", self.name)?;
        out.serialize_field("domain", &self.domain)?;
        out.serialize_field("default", self.default)?;
        out.serialize_field("others", self.others)?;
        out.serialize_field("words", &self.describe())?;
        out.serialize_field("doc", self.doc)?;
        out.end()
    }
}

/// Check that a number lies in the domain of the option `name`. A name that is not among `options`,
/// or an option whose values are no numbers, is not checked.
pub fn check(options: &[OptionInfo], name: &str, value: f64) -> Result<()> {
    match options.iter().find(|option| option.name == name) {
        Some(option) if !option.domain.holds(value) => {
            Err(Error::parameter(name, value, format!("must be {}", option.describe())))
        }
        _ => Ok(()),
    }
}
