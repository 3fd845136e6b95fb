//! Measures of two classes that are no sum over the leaves: F and Matthews.
//!
//! With P and N the weights of the positive and the negative rows, and FP and FN those of the
//! misclassified ones, TP = P - FN and TN = N - FP:
//!
//! ```text
//! F_beta   = (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP)
//! Matthews = (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN))
//! ```
//!
//! 0/0 counts as 0. The second declared class is the positive one.

/// A measure, which is maximised.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measure {
    /// F with a weight of recall against precision.
    F {
        /// That weight, > 0.
        beta: f64,
    },
    /// The correlation of prediction and class.
    Matthews,
}

/// Misclassified weight of negative and of positive rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wrong {
    pub(super) fp: f64,
    pub(super) fn_: f64,
}

impl Measure {
    /// Its value, given the weight of the negative and of the positive rows.
    pub(super) fn of(self, wrong: Wrong, [negative, positive]: [f64; 2]) -> f64 {
        let Wrong { fp, fn_ } = wrong;
        let (tp, tn) = (positive - fn_, negative - fp);
        let (above, below) = match self {
            Self::F { beta } => {
                // Divided by 1 + beta^2, whose square may be infinite.
                let square = beta * beta;
                (tp, tp + fn_ / (1.0 + square.recip()) + fp / (1.0 + square))
            }
            Self::Matthews => {
                let margins = [tp + fp, positive, negative, tn + fn_];
                (tp * tn - fp * fn_, margins.iter().map(|margin| margin.sqrt()).product())
            }
        };
        if below > 0.0 { (above / below).min(1.0) } else { 0.0 }
    }
}
