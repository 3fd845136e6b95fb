//! Tables for the tests of criteria: made at random from a seed, scored one at a time.

use fasttree_core::criteria::{Cells, Context, Criterion, Tables, make};
use fasttree_core::numeric::{mix, uniform};
use serde_json::{Map, Value};

/// Rows are branches, columns classes.
pub type Table = Vec<Vec<u32>>;

/// A stream of numbers that depends on the seed alone.
pub struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { seed, drawn: 0 }
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// An integer in `0..bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.drawn += 1;
        uniform(mix(self.seed, self.drawn), bound as u64) as usize
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// A table of the given shape with at least one row; about a third of the cells is empty.
    pub fn table(&mut self, branches: usize, classes: usize) -> Table {
        loop {
            let most = [3, 10, 1000][self.below(3)];
            let cell = |r: &mut Self| {
                if r.below(3) == 0 { 0 } else { r.below(most) as u32 }
            };
            let table: Table =
                (0..branches).map(|_| (0..classes).map(|_| cell(self)).collect()).collect();
            if table.iter().flatten().any(|&c| c > 0) {
                return table;
            }
        }
    }

    /// A table of up to five branches and four classes.
    pub fn any_table(&mut self) -> Table {
        let (m, k) = (1 + self.below(5), 1 + self.below(4));
        self.table(m, k)
    }

    /// Labels `0..` for some rows; at times all the same.
    pub fn partition(&mut self, rows: usize) -> Vec<usize> {
        let parts = 1 + self.below(4);
        (0..rows).map(|_| self.below(parts)).collect()
    }
}

pub fn column_sums(table: &[Vec<u32>]) -> Vec<u32> {
    (0..table[0].len()).map(|c| table.iter().map(|b| b[c]).sum()).collect()
}

pub fn transpose(table: &[Vec<u32>]) -> Table {
    (0..table[0].len()).map(|c| table.iter().map(|b| b[c]).collect()).collect()
}

/// The contingency table of two labellings of the same rows, without empty rows or columns.
pub fn cross(a: &[usize], b: &[usize]) -> Table {
    let mut table = vec![vec![0; 4]; 4];
    for (&i, &j) in a.iter().zip(b) {
        table[i][j] += 1;
    }
    table.retain(|branch| branch.iter().any(|&x| x > 0));
    let kept: Vec<usize> = (0..4).filter(|&c| table.iter().any(|b| b[c] > 0)).collect();
    table.iter().map(|b| kept.iter().map(|&c| b[c]).collect()).collect()
}

pub fn criterion(name: &str, options: Value) -> Box<dyn Criterion> {
    let options = match options {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    make(name, options).unwrap()
}

/// Score and distance of one table; every class occurs in the training set, all branches are
/// declared.
pub fn evaluate(criterion: &dyn Criterion, table: &[Vec<u32>]) -> (f64, f64) {
    evaluate_in(criterion, table, &vec![true; table[0].len()])
}

/// The same, with the classes that occur in the training set.
pub fn evaluate_in(
    criterion: &dyn Criterion,
    table: &[Vec<u32>],
    occurring: &[bool],
) -> (f64, f64) {
    let cells = table.concat();
    let mut context = Context::new(table[0].len(), u64::from(cells.iter().sum::<u32>()));
    context.occurring = occurring.to_vec();
    let totals = column_sums(table);
    let declared = [table.len() as u32];
    let tables = Tables::one(&cells, &totals, &declared, &context);
    let (mut score, mut distance) = ([0.0], [0.0]);
    criterion.score(&tables, &mut score).unwrap();
    criterion.distance(&tables, &mut distance).unwrap();
    (score[0], distance[0])
}

/// Candidates of one node in the layout of a block: the same class totals, `stride` beyond the
/// length.
pub struct Candidates {
    pub rows: Vec<u32>,
    pub weights: Vec<f64>,
    pub totals: Vec<u32>,
    pub weight_totals: Vec<f64>,
    pub declared: Vec<u32>,
    pub context: Context,
    pub branches: usize,
    pub stride: usize,
    pub len: usize,
}

impl Candidates {
    /// `len` ways to send the rows of a node with the given class totals into `branches` branches.
    pub fn random(random: &mut Random, totals: &[u32], branches: usize, len: usize) -> Self {
        let (classes, stride) = (totals.len(), len + 5);
        let mut rows = vec![77; branches * classes * stride];
        for j in 0..len {
            for c in 0..classes {
                let mut left = totals[c] as usize;
                for m in 0..branches {
                    let x = if m + 1 == branches { left } else { random.below(left + 1) };
                    rows[(m * classes + c) * stride + j] = x as u32;
                    left -= x;
                }
            }
        }
        let n: u32 = totals.iter().sum();
        Self {
            weights: rows.iter().map(|&x| f64::from(x)).collect(),
            weight_totals: totals.iter().map(|&x| f64::from(x)).collect(),
            rows,
            totals: totals.to_vec(),
            declared: (0..stride).map(|j| (branches + j % 3) as u32).collect(),
            context: Context::new(classes, u64::from(n)),
            branches,
            stride,
            len,
        }
    }

    pub fn block(&self, weights: bool) -> Tables<'_> {
        let (cells, totals) = if weights {
            (Cells::Weights(&self.weights), Cells::Weights(&self.weight_totals))
        } else {
            (Cells::Rows(&self.rows), Cells::Rows(&self.totals))
        };
        Tables {
            cells,
            totals,
            branches: self.branches,
            classes: self.totals.len(),
            stride: self.stride,
            len: self.len,
            declared: &self.declared[..self.len],
            context: &self.context,
        }
    }
}
