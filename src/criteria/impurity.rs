//! Impurities of a set of rows, for methods that compare nodes instead of splits: prunings and the
//! search for smallest trees.
//!
//! Each is the loss of a leaf under a criterion ([`fold`]), so no formula is written twice.
//! O(classes).

use super::Context;
use super::accuracy::Majority;
use super::fold::{self, OnClasses};
use super::gini::Gini;
use super::info_gain::InfoGain;
use crate::numeric::Count;
use serde::Deserialize;

/// The mean cost of the rows of a leaf, which pruning adds up over the leaves of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Impurity {
    /// `1 - sum p_c^2`, which `gini` decreases.
    #[default]
    Gini,
    /// `-sum p_c log2 p_c`, which `info_gain` decreases.
    Entropy,
    /// `1 - max p_c`, as in CART; `accuracy` decreases it.
    Error,
    /// For a numeric target, the impurity that the criterion of growth decreases.
    Criterion,
    /// For a numeric target, the variance.
    Variance,
}

impl Impurity {
    /// Whether it is an impurity of a numeric target. Cost-complexity pruning of a numeric target
    /// refuses all others.
    pub fn is_of_number(self) -> bool {
        matches!(self, Self::Criterion | Self::Variance)
    }

    /// Impurity of class counts, 0 without rows. The result is a mean per row, from 0 for rows of
    /// one class; [`Self::Entropy`] is in bits. The impurities of a numeric target give 0, as class
    /// counts do not hold them.
    pub fn of_counts<C: Count>(self, counts: &[C]) -> f64 {
        let n: f64 = counts.iter().map(|c| c.value()).sum();
        let shares = counts.iter().map(|c| c.value() / n);
        match self {
            _ if n == 0.0 => 0.0,
            Self::Gini => loss(&Gini, shares),
            Self::Entropy => loss(&InfoGain, shares),
            Self::Error => loss(&Majority, shares),
            // Classes have neither.
            Self::Criterion | Self::Variance => 0.0,
        }
    }
}

/// The loss of a leaf that holds everything, by a criterion whose losses do not depend on the node
/// above.
fn loss<V: OnClasses>(criterion: &V, shares: impl Iterator<Item = f64>) -> f64 {
    const { assert!(V::LOSS) };
    // Logarithms of shares are in no table.
    let node = criterion.node::<f64>(&[], &Context::new(0, 0));
    fold::loss_in(criterion, &node, 1.0, shares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;

    const ALL: [Impurity; 3] = [Impurity::Gini, Impurity::Entropy, Impurity::Error];

    /// From the definitions, by shares.
    fn naive(impurity: Impurity, counts: &[u32]) -> f64 {
        let n = f64::from(counts.iter().sum::<u32>());
        let shares = counts.iter().map(|&c| f64::from(c) / n).filter(|&p| p > 0.0);
        match impurity {
            Impurity::Gini => 1.0 - shares.map(|p| p * p).sum::<f64>(),
            Impurity::Entropy => -shares.map(|p| p * p.log2()).sum::<f64>(),
            _ => 1.0 - shares.fold(0.0, f64::max),
        }
    }

    #[test]
    fn impurities_are_what_their_formulas_say() {
        for seed in 0..200 {
            let classes = 1 + seed as usize % 7;
            let count = |c: usize| (mix(seed, c as u64) % 40) as u32;
            let counts: Vec<u32> = (0..classes).map(count).chain([1]).collect();
            let weights: Vec<f64> = counts.iter().map(|&c| f64::from(c) * 1e-200).collect();
            for impurity in ALL {
                let expected = naive(impurity, &counts);
                assert!((impurity.of_counts(&counts) - expected).abs() < 1e-12);
                assert!((impurity.of_counts(&weights) - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn pure_rows_cost_nothing_whatever_they_weigh() {
        for impurity in ALL {
            for weight in [0.0, 0.1, 1.0 / 3.0, 1e-300, 1e200] {
                assert_eq!(impurity.of_counts(&[0.0, weight, 0.0]), 0.0, "{impurity:?} {weight}");
            }
        }
    }
}
