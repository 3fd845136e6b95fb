//! Measures of two classes that are no sum over the leaves: F and Matthews.
//!
//! With P and N the weights of the positive and the negative rows, and FP and FN the weights of the
//! misclassified rows, TP = P - FN and TN = N - FP:
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

/// Misclassified weight of negative rows (false positives), and of positive rows (false negatives).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wrong {
    pub(super) fp: f64,
    pub(super) fn_: f64,
}

impl Measure {
    /// The value of the measure for some misclassified weights, given the weight of all negative
    /// and of all positive rows. It lies between 0 and 1 for F, and between -1 and 1 for Matthews;
    /// 0/0 counts as 0.
    pub(super) fn value(self, wrong: Wrong, [negative, positive]: [f64; 2]) -> f64 {
        let Wrong { fp, fn_ } = wrong;
        let (tp, tn) = (positive - fn_, negative - fp);
        let (numerator, denominator) = match self {
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
        if denominator > 0.0 { (numerator / denominator).min(1.0) } else { 0.0 }
    }
}
