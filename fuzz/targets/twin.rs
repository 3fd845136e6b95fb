//! A naive grower: lists of rows, every candidate written down as a table, one score at a time.
//!
//! It shares the formulas of the criteria with the core, because ties are decided by their last
//! bit, and nothing else: no encoding, no sorting, no counting, no blocks. Multiway nominal splits,
//! thresholds halfway between two values, a branch for missing cells, whole weights as copies.

use fasttree_core::criteria::{Context, Criterion, Tables, make};

/// A column by row.
#[derive(Debug)]
pub enum Column {
    /// NaN is missing.
    Numeric(Vec<f64>),
    /// Declared levels; None is missing.
    Nominal(usize, Vec<Option<usize>>),
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub max_depth: usize,
    pub min_samples_split: u32,
    pub min_samples_leaf: u32,
}

/// A node in pre-order.
pub struct Node {
    pub rows: Vec<usize>,
    pub counts: Vec<f64>,
    pub depth: usize,
    pub parent: Option<usize>,
    pub label: i32,
    pub feature: Option<usize>,
    pub threshold: Option<f64>,
    pub missing_branch: Option<usize>,
}

struct Split {
    feature: usize,
    threshold: Option<f64>,
    branches: Vec<Vec<usize>>,
    has_missing: bool,
}

/// What growth is told.
pub struct Twin<'a> {
    columns: &'a [Column],
    classes: &'a [u16],
    weights: &'a [u32],
    criterion: Box<dyn Criterion>,
    context: Context,
    limits: Limits,
}

impl<'a> Twin<'a> {
    /// A grower by a criterion without options.
    pub fn new(
        columns: &'a [Column],
        classes: &'a [u16],
        weights: &'a [u32],
        k: usize,
        criterion: &str,
        limits: Limits,
    ) -> Self {
        let mut context = Context::new(k, 10_000);
        let occurs = |c| classes.iter().zip(weights).any(|(&y, &w)| usize::from(y) == c && w > 0);
        context.occurring = (0..k).map(occurs).collect();
        let criterion = make(criterion, serde_json::Map::new()).unwrap();
        Self { columns, classes, weights, criterion, context, limits }
    }

    fn counts(&self, rows: &[usize]) -> Vec<u32> {
        let mut out = vec![0; self.context.classes];
        rows.iter().for_each(|&r| out[usize::from(self.classes[r])] += self.weights[r]);
        out
    }

    fn size(&self, rows: &[usize]) -> u32 {
        rows.iter().map(|&r| self.weights[r]).sum()
    }

    /// All splits of a feature, lower thresholds first.
    fn splits(&self, feature: usize, rows: &[usize]) -> Vec<Split> {
        let part = |keep: &dyn Fn(usize) -> bool| -> Vec<usize> {
            rows.iter().copied().filter(|&r| keep(r)).collect()
        };
        let split = |threshold, mut branches: Vec<Vec<usize>>, gone: Vec<usize>| {
            let has_missing = !gone.is_empty();
            if has_missing {
                branches.push(gone);
            }
            Split { feature, threshold, branches, has_missing }
        };
        match &self.columns[feature] {
            Column::Nominal(levels, codes) => {
                let branches = (0..*levels).map(|v| part(&|r| codes[r] == Some(v))).collect();
                vec![split(None, branches, part(&|r| codes[r].is_none()))]
            }
            Column::Numeric(values) => {
                let mut distinct: Vec<f64> =
                    rows.iter().map(|&r| values[r]).filter(|x| !x.is_nan()).collect();
                distinct.sort_by(f64::total_cmp);
                distinct.dedup();
                let one = |pair: &[f64]| {
                    let (lo, hi) = (pair[0], pair[1]);
                    let middle = lo / 2.0 + hi / 2.0;
                    let at = if middle < lo || middle >= hi { lo } else { middle };
                    let branches = vec![part(&|r| values[r] <= lo), part(&|r| values[r] >= hi)];
                    split(Some(at), branches, part(&|r| values[r].is_nan()))
                };
                let known = part(&|r| !values[r].is_nan());
                let gone = part(&|r| values[r].is_nan());
                match distinct[..] {
                    // One value against none.
                    [only] => vec![split(Some(only), vec![known, Vec::new()], gone)],
                    _ => distinct.windows(2).map(one).collect(),
                }
            }
        }
    }

    fn score(&self, split: &Split) -> f64 {
        let cells: Vec<u32> = split.branches.iter().flat_map(|b| self.counts(b)).collect();
        let totals = self.counts(&split.branches.concat());
        let declared = [split.branches.len() as u32];
        let mut out = [0.0];
        let table = Tables::one(&cells, &totals, &declared, &self.context);
        self.criterion.score(&table, &mut out).unwrap();
        out[0]
    }

    /// The first split with the largest score.
    fn best(&self, node: &Node) -> Option<Split> {
        let size = self.size(&node.rows);
        let limits = self.limits;
        if size < limits.min_samples_split
            || size < 2 * limits.min_samples_leaf
            || node.depth >= limits.max_depth
            || node.counts.iter().filter(|&&c| c > 0.0).count() < 2
        {
            return None;
        }
        let valid = |split: &Split| {
            let filled: Vec<_> = split.branches.iter().filter(|b| !b.is_empty()).collect();
            filled.len() > 1 && filled.iter().all(|b| self.size(b) >= limits.min_samples_leaf)
        };
        let mut best: Option<(f64, Split)> = None;
        for split in (0..self.columns.len()).flat_map(|f| self.splits(f, &node.rows)) {
            if valid(&split) {
                let score = self.score(&split);
                if best.as_ref().is_none_or(|(top, _)| score > *top) {
                    best = Some((score, split));
                }
            }
        }
        // Some criteria say where nothing is gained.
        let branches = vec![node.rows.clone()];
        let undivided = Split { feature: 0, threshold: None, branches, has_missing: false };
        let gains = |score: f64| {
            !self.criterion.info().stops_without_gain || score > self.score(&undivided)
        };
        best.filter(|(score, _)| gains(*score)).map(|(_, split)| split)
    }

    fn node(&self, rows: Vec<usize>, parent: Option<usize>, depth: usize, inherited: i32) -> Node {
        let counts = self.counts(&rows);
        let top = counts.iter().copied().max().unwrap_or(0);
        let first = counts.iter().position(|&c| c == top).map_or(inherited, |c| c as i32);
        Node {
            label: if rows.is_empty() { inherited } else { first },
            counts: counts.into_iter().map(f64::from).collect(),
            rows,
            depth,
            parent,
            feature: None,
            threshold: None,
            missing_branch: None,
        }
    }

    /// The finished tree.
    pub fn grow(&self) -> Vec<Node> {
        let rows: Vec<usize> = (0..self.classes.len()).filter(|&r| self.weights[r] > 0).collect();
        let mut out: Vec<Node> = Vec::new();
        let mut open = vec![self.node(rows, None, 0, 0)];
        while let Some(mut node) = open.pop() {
            let at = out.len();
            if let Some(split) = self.best(&node) {
                node.feature = Some(split.feature);
                node.threshold = split.threshold;
                let sizes: Vec<u32> = split.branches.iter().map(|b| self.size(b)).collect();
                let top = sizes.iter().copied().max().unwrap_or(0);
                let heaviest = sizes.iter().position(|&s| s == top);
                node.missing_branch =
                    if split.has_missing { Some(sizes.len() - 1) } else { heaviest };
                let child = |rows| self.node(rows, Some(at), node.depth + 1, node.label);
                open.extend(split.branches.into_iter().rev().map(child));
            }
            out.push(node);
        }
        out
    }
}
