//! `ln x!` for counts: a table for whole numbers up to a maximum, Stirling's series for others.

use crate::numeric::ln_factorial;

/// Largest number in a table: 32 MB.
const LARGEST_TABLE: f64 = 4_194_304.0;

/// `ln x!` for x >= 0.
#[derive(Debug)]
pub struct LogFactorials {
    table: Vec<f64>,
}

impl LogFactorials {
    /// Logarithms with a table of 0 to `most`, or to 4,194,304 if that is less. Fractions and
    /// larger numbers are computed when they are asked for, to the same bits as the table would
    /// have.
    pub fn with_table(most: f64) -> Self {
        let size = most.min(LARGEST_TABLE) as usize + 1;
        Self { table: (0..size).map(|x| ln_factorial(x as f64)).collect() }
    }

    /// `ln x!` for real x >= 0; for a fraction this is `ln Gamma(x + 1)`. A whole number within the
    /// table costs a look-up.
    #[inline]
    pub fn ln_factorial(&self, x: f64) -> f64 {
        let whole = x as usize;
        match self.table.get(whole) {
            Some(&found) if whole as f64 == x => found,
            _ => ln_factorial(x),
        }
    }

    /// `ln ((n + v - 1)! / (v - 1)!)`: the term of the total of n cases over v values.
    #[inline]
    pub fn rising(&self, n: f64, v: usize) -> f64 {
        let below = (v - 1) as f64;
        self.ln_factorial(n + below) - self.ln_factorial(below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_and_series_agree() {
        let (long, short) = (LogFactorials::with_table(500.0), LogFactorials::with_table(0.0));
        let mut sum = 0.0;
        for n in 1..=500 {
            sum += f64::from(n).ln();
            let n = f64::from(n);
            assert!((long.ln_factorial(n) - sum).abs() <= 1e-13 * sum.max(1.0));
            assert_eq!(long.ln_factorial(n), short.ln_factorial(n));
        }
        assert!((long.ln_factorial(0.5) - (std::f64::consts::PI.sqrt() / 2.0).ln()).abs() < 1e-14);
        assert_eq!(long.rising(0.0, 7), 0.0);
    }
}
