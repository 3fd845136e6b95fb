//! Which of two scores is better, and which of several candidates with equal scores is chosen.

/// Which of several candidates with equal scores is chosen. Candidates are compared in feature
/// order, then in threshold or value order, and only a strictly larger score replaces the best one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ties {
    /// The lower feature index, then the lower threshold or first value.
    #[default]
    First,
    /// Within a feature, the threshold whose value occurs first in row order.
    Row,
    /// One of the best at random, drawn with a seed that depends on the node alone.
    Random,
    /// Within a feature, the candidate whose smaller branch is largest, then the first.
    Even,
}

/// Whether score `a` is better than `b`: strictly larger. It is a function in order to state one
/// rule for NaN, which a formula may give: NaN is never better.
#[inline]
pub fn better(a: f64, b: f64) -> bool {
    a > b
}
