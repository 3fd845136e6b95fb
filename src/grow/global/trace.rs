//! The distance of a whole tree to the classes after each step of its growth, computed from the
//! finished tree ([`distances`]).
//!
//! For a tree of [`global`](super) growth these are, to the bit, the distances that growth
//! returned; trees of local growth get theirs by the same formula, so that both can be compared.
//! The rows are not needed: the class counts of the nodes are enough. O(steps x classes^2). The
//! models' bindings call it; growth does not.

use super::score;
use crate::criteria::{Context, Criterion};
use crate::error::Result;
use crate::numeric::Logs;
use crate::parallel::Control;
use crate::tree::{NONE, Tree};

/// Steps whose tables are scored together.
const BLOCK: usize = 256;

/// Largest relative rounding error of a sum of real weights.
const ROUNDING: f64 = 1e-9;

/// Whether the counts of the children of every node add up to the counts of the node. A model file
/// may contradict this, and then the counts of a table may exceed the counts of the root.
fn keeps_every_row(tree: &Tree) -> bool {
    (0..tree.nodes.len()).all(|node| {
        let children = tree.children(node);
        children.is_empty()
            || (0..tree.classes).all(|c| {
                let sum: f64 = children.iter().map(|&child| tree.counts(child as usize)[c]).sum();
                sum == tree.counts(node)[c]
            })
    })
}

/// The table "label x class" of all rows, at `[label * classes + class]`.
struct LabelTable {
    /// Weight of each cell.
    cells: Vec<f64>,
    /// Number of leaves with rows in each cell.
    leaves: Vec<u32>,
}

impl LabelTable {
    /// A table in which no rows are counted.
    fn new(classes: usize) -> Self {
        Self { cells: vec![0.0; classes * classes], leaves: vec![0; classes * classes] }
    }

    /// Add the counts of a leaf to the row of its label.
    fn add(&mut self, label: usize, counts: &[f64]) {
        for (class, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0.0) {
            let at = label * counts.len() + class;
            self.leaves[at] += 1;
            self.cells[at] = (self.cells[at] + count).max(0.0);
        }
    }

    /// Remove the counts of a leaf. A cell without leaves becomes 0: the rounding error that sums
    /// of real weights may leave there would be taken for rows.
    fn remove(&mut self, label: usize, counts: &[f64]) {
        for (class, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0.0) {
            let at = label * counts.len() + class;
            self.leaves[at] = self.leaves[at].saturating_sub(1);
            let remainder = (self.cells[at] - count).max(0.0);
            self.cells[at] = if self.leaves[at] == 0 { 0.0 } else { remainder };
        }
    }

    /// Give a class whose rows all have one label its exact total there, without the rounding
    /// errors of additions and removals.
    fn correct_rounding(&mut self, totals: &[f64]) {
        let k = totals.len();
        for (class, &total) in totals.iter().enumerate() {
            let mut occupied = (class..k * k).step_by(k).filter(|&at| self.leaves[at] > 0);
            if let (Some(at), None) = (occupied.next(), occupied.next())
                && (self.cells[at] - total).abs() <= ROUNDING * total
            {
                self.cells[at] = total;
            }
        }
    }
}

/// Distance of the whole tree to the classes after each of its steps.
///
/// The table "label x class" starts with all rows in the row of label 0; each step replaces a leaf
/// by its children. A criterion that reads labels by another formula does so here
/// ([`Criterion::for_label_table`]).
///
/// # Errors
/// A user's criterion may fail; cancellation.
pub fn distances(tree: &Tree, criterion: &dyn Criterion, control: &Control) -> Result<Vec<f64>> {
    let labelled = criterion.for_label_table();
    let joined = criterion.needs_all_candidates();
    let criterion = labelled.as_deref().unwrap_or(criterion);
    let k = tree.classes;
    let totals = tree.counts(0);
    let sum: f64 = totals.iter().sum();
    // Growth counts rows in 32 bits where it can; a user's function reads reals.
    let counts_rows = !joined
        && sum < f64::from(u32::MAX)
        && tree.counts.iter().all(|c| c.fract() == 0.0)
        && keeps_every_row(tree);
    let context = Context {
        logs: Logs::for_rows(sum as u64, tree.nodes.len()),
        classes: k,
        occurring: totals.iter().map(|&t| t > 0.0).collect(),
        grid: None,
    };
    // All rows have label 0. Nodes without a label are not counted.
    let label_of = |node: u32| match node {
        0 => Some(0),
        _ => usize::try_from(tree.nodes[node as usize].label).ok(),
    };
    let mut table = LabelTable::new(k);
    table.add(0, totals);
    let steps = tree.steps();
    let mut out = Vec::with_capacity(steps.len());
    for block in steps.chunks(BLOCK) {
        control.check()?;
        // The tables after each step of the block, a plane per cell.
        let n = block.len();
        let mut cells = vec![0.0; k * k * n];
        for (step, &node) in block.iter().enumerate() {
            debug_assert_ne!(tree.nodes[node as usize].step, NONE);
            if let Some(label) = label_of(node) {
                table.remove(label, tree.counts(node as usize));
            }
            for &child in tree.children(node as usize) {
                if let Some(label) = label_of(child) {
                    table.add(label, tree.counts(child as usize));
                }
            }
            table.correct_rounding(totals);
            for (plane, &cell) in table.cells.iter().enumerate() {
                cells[plane * n + step] = cell;
            }
        }
        // Their distances, from counts of the type that growth used.
        let mut of_block = vec![0.0; n];
        if counts_rows {
            let rows =
                |counts: &[f64]| counts.iter().map(|&count| count as u32).collect::<Vec<u32>>();
            score::distances(criterion, &context, &rows(totals), &rows(&cells), n, &mut of_block)?;
        } else {
            score::distances::<f64>(criterion, &context, totals, &cells, n, &mut of_block)?;
        }
        // Adding 0 turns -0 into 0.
        out.extend(of_block.iter().map(|distance| distance + 0.0));
    }
    Ok(out)
}
