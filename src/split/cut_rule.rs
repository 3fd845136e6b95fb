//! What a splitter reads of a numeric feature in a node ([`NumericRows`]), and what it answers
//! ([`CutRule`]).

/// A numeric feature in a node: the rows whose value is known.
#[derive(Debug, Clone, Copy)]
pub struct NumericRows<'a, W, V> {
    /// Feature.
    pub feature: u32,
    /// Entries of the rows, by ascending value.
    pub order: &'a [u32],
    /// Value of an entry.
    pub value: V,
    /// Weights of the rows: that of an entry is `weights.of(entry_row(entry))`.
    pub weights: W,
}

/// Which thresholds of a numeric feature are tried in a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CutRule {
    /// All of them.
    Every,
    /// None.
    Nowhere,
    /// The one with `left` known rows on its left.
    At {
        /// Known rows on its left, at least one and not all.
        left: usize,
        /// The threshold itself; nothing where the parameter `thresholds` says where it lies
        /// between the two values.
        threshold: Option<f64>,
    },
}

impl CutRule {
    /// The threshold, where the splitter itself says it.
    pub fn threshold(self) -> Option<f64> {
        match self {
            Self::At { threshold, .. } => threshold,
            _ => None,
        }
    }
}
