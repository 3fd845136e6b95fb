//! The best one-to-one assignment of branches to classes (Kuhn 1955; Munkres 1957).
//!
//! Maximises `sum w(i, sigma(i))` over injective `sigma` from the smaller side into the larger one,
//! for non-negative `w`. Shortest augmenting paths with potentials: O(s^2 l) for sides s <= l.
//! Potentials are sums and differences of weights, so integer weights below 2^53 are treated
//! exactly, in floating point. Two rows need no path: the best or second-best column of each
//! decides, O(l).
//!
//! The result is the sum over the assignment itself, taken in row order, not the sum of the
//! potentials.

/// Working memory of [`Assignment::best`], reused from candidate to candidate.
#[derive(Default)]
pub(super) struct Assignment {
    weights: Vec<f64>,
    row_potential: Vec<f64>,
    column_potential: Vec<f64>,
    row_of: Vec<usize>,
    before: Vec<usize>,
    slack: Vec<f64>,
    used: Vec<bool>,
}

impl Assignment {
    /// Largest total weight of a one-to-one assignment of `rows` to `columns`. The smaller side is
    /// matched completely. `weight` must not be negative; 0 without rows or columns.
    pub(super) fn best(
        &mut self,
        rows: usize,
        columns: usize,
        weight: impl Fn(usize, usize) -> f64,
    ) -> f64 {
        if rows > columns {
            self.wide(columns, rows, |i, j| weight(j, i))
        } else {
            self.wide(rows, columns, weight)
        }
    }

    /// [`Assignment::best`] for `rows <= columns`.
    fn wide(&mut self, rows: usize, columns: usize, weight: impl Fn(usize, usize) -> f64) -> f64 {
        match rows {
            0 => 0.0,
            1 => (0..columns).map(|j| weight(0, j)).fold(0.0, f64::max),
            2 => best_of_two(columns, weight),
            _ => self.augment(rows, columns, weight),
        }
    }

    /// Hungarian method for `3 <= rows <= columns`; costs are minus weights, index 0 is a sentinel.
    fn augment(
        &mut self,
        rows: usize,
        columns: usize,
        weight: impl Fn(usize, usize) -> f64,
    ) -> f64 {
        self.weights.clear();
        for i in 0..rows {
            self.weights.extend((0..columns).map(|j| weight(i, j)));
        }
        refill(&mut self.row_potential, rows + 1, 0.0);
        refill(&mut self.column_potential, columns + 1, 0.0);
        refill(&mut self.row_of, columns + 1, 0);
        // Row by row, an augmenting path from the new row to a free column.
        for i in 1..=rows {
            self.row_of[0] = i;
            let mut column = 0;
            refill(&mut self.slack, columns + 1, f64::INFINITY);
            refill(&mut self.before, columns + 1, 0);
            refill(&mut self.used, columns + 1, false);
            while self.row_of[column] != 0 {
                self.used[column] = true;
                let row = self.row_of[column];
                // The nearest column that the path does not use, by reduced cost.
                let (mut delta, mut next) = (f64::INFINITY, 0);
                for j in 1..=columns {
                    if self.used[j] {
                        continue;
                    }
                    let cost = -self.weights[(row - 1) * columns + j - 1];
                    let reduced = cost - self.row_potential[row] - self.column_potential[j];
                    if reduced < self.slack[j] {
                        self.slack[j] = reduced;
                        self.before[j] = column;
                    }
                    if self.slack[j] < delta {
                        delta = self.slack[j];
                        next = j;
                    }
                }
                // Potentials change so that this column becomes tight.
                for j in 0..=columns {
                    if self.used[j] {
                        self.row_potential[self.row_of[j]] += delta;
                        self.column_potential[j] -= delta;
                    } else {
                        self.slack[j] -= delta;
                    }
                }
                column = next;
            }
            // The columns of the path are given to the rows before them.
            while column != 0 {
                let previous = self.before[column];
                self.row_of[column] = self.row_of[previous];
                column = previous;
            }
        }
        self.total(rows, columns)
    }

    /// Total weight of the matched pairs, added in the order of the rows.
    fn total(&self, rows: usize, columns: usize) -> f64 {
        let mut matched = vec![0.0; rows];
        for j in 1..=columns {
            if self.row_of[j] != 0 {
                matched[self.row_of[j] - 1] = self.weights[(self.row_of[j] - 1) * columns + j - 1];
            }
        }
        matched.iter().sum()
    }
}

fn refill<T: Clone>(v: &mut Vec<T>, len: usize, value: T) {
    v.clear();
    v.resize(len, value);
}

/// Two rows: each takes its best column; if that is the same one, one of them takes its second
/// best.
fn best_of_two(columns: usize, weight: impl Fn(usize, usize) -> f64) -> f64 {
    let mut best = [(f64::NEG_INFINITY, usize::MAX); 2];
    let mut second = [f64::NEG_INFINITY; 2];
    for row in 0..2 {
        for j in 0..columns {
            let w = weight(row, j);
            if w > best[row].0 {
                second[row] = best[row].0;
                best[row] = (w, j);
            } else if w > second[row] {
                second[row] = w;
            }
        }
    }
    if best[0].1 == best[1].1 {
        (best[0].0 + second[1]).max(second[0] + best[1].0)
    } else {
        best[0].0 + best[1].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::{mix, uniform};

    /// Every injective map, one by one.
    fn by_trial(
        rows: usize,
        columns: usize,
        w: &dyn Fn(usize, usize) -> f64,
        row: usize,
        taken: &mut Vec<bool>,
    ) -> f64 {
        if row == rows {
            return 0.0;
        }
        let mut best = if rows > columns {
            by_trial(rows, columns, w, row + 1, taken)
        } else {
            f64::NEG_INFINITY
        };
        for j in 0..columns {
            if !taken[j] {
                taken[j] = true;
                best = best.max(w(row, j) + by_trial(rows, columns, w, row + 1, taken));
                taken[j] = false;
            }
        }
        best
    }

    #[test]
    fn equals_trial_of_all_maps() {
        let mut assignment = Assignment::default();
        for seed in 0..3000u64 {
            let (rows, columns) =
                (1 + uniform(mix(seed, 1), 6) as usize, 1 + uniform(mix(seed, 2), 6) as usize);
            let w = |i: usize, j: usize| {
                uniform(mix(seed, (100 + 10 * i + j) as u64), 1 + seed % 12) as f64
            };
            let trial = by_trial(rows, columns, &w, 0, &mut vec![false; columns]);
            assert_eq!(assignment.best(rows, columns, w), trial, "seed {seed}: {rows} x {columns}");
        }
    }
}
