//! Names, kinds and declared levels of the columns. A model keeps them to encode new rows and to
//! print itself; they are part of a model file, so field names are its format.

use serde::{Deserialize, Serialize};

/// A class label or a level of a nominal feature, as the user gave it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Label {
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number that is not an integer.
    Float(f64),
    /// A string.
    Text(String),
}

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool(b) => write!(f, "{}", if *b { "True" } else { "False" }),
            Self::Int(i) => write!(f, "{i}"),
            Self::Float(x) => write!(f, "{x}"),
            Self::Text(s) => write!(f, "{s}"),
        }
    }
}

/// How the values of a feature are read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum Kind {
    /// Real numbers. With cut points the feature is binned: bin `b` is `(cuts[b-1], cuts[b]]`.
    Numeric {
        /// Ascending cut points; None for a feature that is split by thresholds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cuts: Option<Vec<f64>>,
        /// The value that replaces a missing one (the mean of the training rows), if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<f64>,
    },
    /// One of the declared levels.
    Nominal {
        /// Declared levels; codes index into them.
        levels: Vec<Label>,
        /// The levels ascend (an ordered pandas Categorical).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ordered: bool,
        /// The code that replaces a missing one (the mode of the training rows), if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fill: Option<u32>,
    },
}

/// The name of a feature, and how its values are read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Name of the column.
    pub name: String,
    /// Kind and levels.
    #[serde(flatten)]
    pub kind: Kind,
    /// Why models keep a place for the column but never read it; None for a column in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unused: Option<String>,
}

impl Feature {
    /// A feature that models read. If a model only keeps a place for a column, the caller sets
    /// [`Self::unused`] to the reason.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind, unused: None }
    }

    /// Number of branches of a multiway split: levels or bins, and 0 for thresholds.
    pub fn arity(&self) -> usize {
        match &self.kind {
            Kind::Numeric { cuts: Some(c), .. } => c.len() + 1,
            Kind::Numeric { .. } => 0,
            Kind::Nominal { levels, .. } => levels.len(),
        }
    }
}

/// The description of a training set: features and classes. Its fields are a part of the format of
/// model files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// Features in column order.
    pub features: Vec<Feature>,
    /// Declared classes; none where the target is a number.
    pub classes: Vec<Label>,
    /// Name of the target.
    pub target: String,
}

impl Schema {
    /// Counts per node of a tree: one per class, or the weight alone.
    #[inline]
    pub fn counts_per_node(&self) -> usize {
        self.classes.len().max(1)
    }
}
