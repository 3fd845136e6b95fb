//! The distance of a whole tree to the classes after each step of its growth, read from the nodes
//! alone.
//!
//! What growth by the whole tree kept ([`global`](super::global)) is recomputed here to the bit;
//! trees grown locally get the same numbers, so that both can be compared. O(steps x classes^2).

use super::score;
use crate::criteria::{Context, Criterion};
use crate::error::Result;
use crate::numeric::Logs;
use crate::parallel::Control;
use crate::tree::{NONE, Tree};

/// Whether the children of every node add up to it: then no table of labels exceeds the root. (Not
/// so in a model file that somebody wrote by hand; its tables are added up as real numbers.)
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

/// `[label * classes + class]` of all rows, and how many leaves hold any of a cell.
struct LabelTable {
    cells: Vec<f64>,
    holders: Vec<u32>,
}

impl LabelTable {
    /// Count a leaf in the row of its label, or (`sign` -1) no longer. A row that no leaf
    /// has is empty, though sums of real weights may leave a rounding error behind, which a formula
    /// would take for rows.
    fn add(&mut self, label: usize, counts: &[f64], sign: f64) {
        for (class, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0.0) {
            let at = label * counts.len() + class;
            let holders = &mut self.holders[at];
            *holders = if sign > 0.0 { *holders + 1 } else { holders.saturating_sub(1) };
            let sum = self.cells[at] + sign * count;
            self.cells[at] = if *holders == 0 { 0.0 } else { sum.max(0.0) };
        }
    }

    /// A class that is all under one label has the class's total there, without the rounding errors
    /// of what came and went.
    fn settle(&mut self, totals: &[f64]) {
        let k = totals.len();
        for (class, &total) in totals.iter().enumerate() {
            let mut held = (class..k * k).step_by(k).filter(|&at| self.holders[at] > 0);
            if let (Some(at), None) = (held.next(), held.next())
                && (self.cells[at] - total).abs() <= ROUNDING * total
            {
                self.cells[at] = total;
            }
        }
    }
}

/// Share of a sum of weights that rounding may have moved.
const ROUNDING: f64 = 1e-9;

/// Distance of the whole tree to the classes after each of its steps.
///
/// The table "label x class" starts with all rows in the row of label 0. Any tree will do, grown
/// locally or globally; a criterion that reads labels otherwise does so here
/// ([`Criterion::for_label_table`]). O(steps x classes^2).
pub fn distances(tree: &Tree, criterion: &dyn Criterion, control: &Control) -> Result<Vec<f64>> {
    const BLOCK: usize = 256;
    let labelled = criterion.for_label_table();
    let joined = criterion.needs_all_candidates();
    let criterion = labelled.as_deref().unwrap_or(criterion);
    let k = tree.classes;
    let totals = tree.counts(0).to_vec();
    let sum: f64 = totals.iter().sum();
    let counts_rows = !joined
        && sum < f64::from(u32::MAX)
        && tree.counts.iter().all(|c| c.fract() == 0.0)
        && keeps_every_row(tree);
    let context = Context {
        logs: Logs::for_rows(sum as u64, tree.nodes.len()),
        classes: k,
        occurring: totals.iter().map(|&t| t > 0.0).collect(),
    };
    let mut table = LabelTable { cells: vec![0.0; k * k], holders: vec![0_u32; k * k] };
    let row = |node: u32| if node == 0 { 0 } else { tree.nodes[node as usize].label };
    let add = |table: &mut LabelTable, node: u32, sign: f64| {
        if let Ok(label) = usize::try_from(row(node)) {
            table.add(label, tree.counts(node as usize), sign);
        }
    };
    add(&mut table, 0, 1.0);
    let steps = tree.steps();
    let mut out = Vec::with_capacity(steps.len());
    for block in steps.chunks(BLOCK) {
        control.check()?;
        let n = block.len();
        let mut cells = vec![0.0; k * k * n];
        for (j, &node) in block.iter().enumerate() {
            debug_assert_ne!(tree.nodes[node as usize].step, NONE);
            add(&mut table, node, -1.0);
            tree.children(node as usize).iter().for_each(|&child| add(&mut table, child, 1.0));
            table.settle(&totals);
            for (i, &cell) in table.cells.iter().enumerate() {
                cells[i * n + j] = cell;
            }
        }
        let mut found = vec![0.0; n];
        if counts_rows {
            let rows = |x: &[f64]| x.iter().map(|&c| c as u32).collect::<Vec<u32>>();
            score::distances(criterion, &context, &rows(&totals), &rows(&cells), n, &mut found)?;
        } else {
            score::distances::<f64>(criterion, &context, &totals, &cells, n, &mut found)?;
        }
        // turns -0.0 into 0.0
        out.extend(found.iter().map(|d| d + 0.0));
    }
    Ok(out)
}
