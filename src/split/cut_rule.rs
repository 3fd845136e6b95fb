//! The interface of splitters for numeric features: [`Splitter::cut`](super::Splitter::cut) gets
//! the sorted rows of a node ([`NumericRows`]) and returns which thresholds growth tries
//! ([`CutRule`]).

/// A numeric feature in a node: the rows whose value is known.
#[derive(Debug, Clone, Copy)]
pub struct NumericRows<'a, V> {
    /// Feature.
    pub feature: u32,
    /// Entries of the rows, by ascending value.
    pub order: &'a [u32],
    /// The function that gives the value of an entry.
    pub value: V,
}

/// Which thresholds of a numeric feature are tried in a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CutRule {
    /// All thresholds are tried.
    Every,
    /// No threshold is tried.
    Nowhere,
    /// Only the threshold with `left` known rows on its left is tried.
    At {
        /// The number of known rows on the left of the threshold: at least one, and not all.
        left: usize,
        /// The threshold; `None` leaves its place between the two values to the parameter
        /// `thresholds`.
        threshold: Option<f64>,
    },
}

impl CutRule {
    /// The threshold that the splitter has drawn; `None` if the split leaves its place between two
    /// values to the parameter `thresholds`. [`Self::Every`] and [`Self::Nowhere`] have no
    /// threshold either.
    pub fn threshold(self) -> Option<f64> {
        match self {
            Self::At { threshold, .. } => threshold,
            _ => None,
        }
    }
}
