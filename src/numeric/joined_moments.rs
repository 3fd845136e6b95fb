//! Moments as counts of a table: sets of rows are joined and taken apart by the formulas of Chan,
//! Golub & LeVeque (1983). A moment counts as its weight.

use super::{Cells, Count, Logs, Moments};

impl Count for Moments {
    fn cells(slice: &[Self]) -> Cells<'_> {
        Cells::Moments(slice)
    }
    fn of_cells(cells: Cells<'_>) -> Option<&[Self]> {
        match cells {
            Cells::Moments(slice) => Some(slice),
            Cells::Rows(_) | Cells::Weights(_) => None,
        }
    }
    #[inline]
    fn value(self) -> f64 {
        self.weight
    }
    #[inline]
    fn plus(self, other: Self) -> Self {
        if other.weight == 0.0 {
            return self;
        }
        if self.weight == 0.0 {
            return other;
        }
        let weight = self.weight + other.weight;
        let difference = other.mean - self.mean;
        let share = other.weight / weight;
        Self {
            weight,
            mean: self.mean + difference * share,
            deviation: self.deviation
                + other.deviation
                + difference * difference * (self.weight * share),
        }
    }
    #[inline]
    fn minus(self, other: Self) -> Self {
        let weight = self.weight - other.weight;
        if weight <= 0.0 {
            return Self::default();
        }
        let difference = other.mean - self.mean;
        let share = other.weight / weight;
        let between = difference * difference * (self.weight * share);
        Self {
            weight,
            mean: self.mean - difference * share,
            deviation: (self.deviation - other.deviation - between).max(0.0),
        }
    }
    fn log2(self, logs: Logs) -> f64 {
        Count::log2(self.weight, logs)
    }
    fn x_log2_x(self, logs: Logs) -> f64 {
        Count::x_log2_x(self.weight, logs)
    }
    fn log2_factorial(self, logs: Logs) -> f64 {
        Count::log2_factorial(self.weight, logs)
    }
    fn from_u32(x: u32) -> Self {
        Self { weight: f64::from(x), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: &[f64]) -> Moments {
        let n = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / n;
        let deviation = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
        Moments { weight: n, mean, deviation }
    }

    #[test]
    fn moments_of_parts_are_those_of_the_whole() {
        let numbers = [3.0, -1.0, 4.0, 1.5, -9.0, 2.5, 6.0];
        for at in 1..numbers.len() {
            let (left, right) = numbers.split_at(at);
            let (joined, whole) = (of(left).plus(of(right)), of(&numbers));
            let rest = whole.minus(of(left));
            for (found, expected) in [(joined, whole), (rest, of(right))] {
                assert_eq!(found.weight, expected.weight);
                assert!((found.mean - expected.mean).abs() < 1e-12);
                assert!((found.deviation - expected.deviation).abs() < 1e-11);
            }
        }
    }
}
