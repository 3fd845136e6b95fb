//! The tree of two classes that is best by F or Matthews ([`super::measures`]).
//!
//! Each tree is a point (FP, FN). Both measures fall as either grows, and are quasi-convex where a
//! tree is better than chance: F is a ratio of linear functions, Matthews a linear function divided
//! by the root of a concave one. So the best tree is a corner of the convex hull of all points, and
//! corners are what trees of least cost `a FP + b FN` are. Between two known corners, the next
//! search takes the direction of their chord: either it finds a corner beyond, or there is none.
//! What lies between two corners is no better than the intersection of the lines that their
//! searches have proven, so the most promising chord comes next, and chords that cannot be better
//! than the best tree are left out. A few searches suffice. When time is up, the intersections
//! give the bound.

use super::found::FoundNode;
use super::measures::{Measure, Wrong};
use super::objective::Cheapest;
use super::ranked::RankedRows;
use super::search::{BestTree, Prepared};
use crate::error::{Error, Result};
use crate::parallel::Control;
use crate::tree::{CostMatrix, Test};

/// Values of a measure that differ by less are equal.
const TIE: f64 = 1e-12;

/// All points have `a fp + b fn >= least`.
#[derive(Debug, Clone, Copy)]
struct Line {
    a: f64,
    b: f64,
    least: f64,
}

impl Line {
    /// Where it crosses another one, which is steeper.
    fn corner(self, other: Self) -> Wrong {
        let determinant = self.a * other.b - other.a * self.b;
        let fp = (self.least * other.b - other.least * self.b) / determinant;
        let fn_ = (self.a * other.least - other.a * self.least) / determinant;
        Wrong { fp: fp.max(0.0), fn_: fn_.max(0.0) }
    }
}

/// Two points, the first with fewer false positives, each with a line through it.
#[derive(Debug, Clone, Copy)]
struct Chord {
    ends: [Wrong; 2],
    lines: [Line; 2],
    /// The measure of no point between them is greater.
    most: f64,
}

/// The best tree by a measure.
pub(super) fn best_by(
    measure: Measure,
    prepared: &Prepared<'_>,
    mut ranked: RankedRows,
    controls: (&Control, &Control),
) -> Result<Cheapest> {
    let own = std::mem::take(&mut ranked.weights);
    let weight = |row: usize| own.get(row).copied().unwrap_or(1.0);
    let mut sides = [0.0; 2];
    for (row, &class) in ranked.class.iter().enumerate() {
        sides[usize::from(class)] += weight(row);
    }
    let [negative, positive] = sides;
    if negative == 0.0 || positive == 0.0 {
        let told = "F and Matthews need rows of both classes: take criterion='error'";
        return Err(Error::Data(told.into()));
    }
    // Two leaves: all rows are negative, or positive.
    let none = |label: f64| Wrong { fp: label * negative, fn_: (1.0 - label) * positive };
    let leaf = || vec![FoundNode { test: None, right: 0 }];
    let mut best = (none(1.0), leaf(), [0.0, 1.0]);
    let value = |wrong: Wrong| measure.of(wrong, sides);
    let lines = [Line { a: 1.0, b: 0.0, least: 0.0 }, Line { a: 0.0, b: 1.0, least: 0.0 }];
    let chord = |ends: [Wrong; 2], lines: [Line; 2]| {
        let most = value(lines[0].corner(lines[1]));
        Chord { ends, lines, most }
    };
    let mut open = vec![chord([none(0.0), none(1.0)], lines)];
    let (mut opened, mut halted, mut most) = (0, false, 0.0_f64);
    while let Some(i) = (0..open.len()).max_by(|&i, &j| open[i].most.total_cmp(&open[j].most)) {
        let Chord { ends: [from, to], lines, most: here } = open.swap_remove(i);
        let (a, b) = (from.fn_ - to.fn_, to.fp - from.fp);
        if here <= value(best.0) + TIE || a <= 0.0 || b <= 0.0 {
            continue;
        }
        if halted {
            most = most.max(here);
            continue;
        }
        let scales = [a, b];
        ranked.weights = (ranked.class.iter().enumerate())
            .map(|(row, &class)| weight(row) * scales[usize::from(class)])
            .collect();
        let search = prepared.search(&ranked);
        let (found, nodes) = match search.ask(&BestTree, controls) {
            Err(Error::OutOfTime) => {
                halted = true;
                most = most.max(here);
                continue;
            }
            found => found?,
        };
        opened += found.opened;
        let wrong = wrong_of(&found, scales);
        if value(wrong) > value(best.0) + TIE {
            best = (wrong, nodes, scales);
        }
        let line = Line { a, b, least: found.lower * search.total };
        let reached = a * wrong.fp + b * wrong.fn_;
        if found.lower < found.objective {
            halted = true;
            most = most.max(value(lines[0].corner(line))).max(value(line.corner(lines[1])));
        } else if reached < (a * from.fp + b * from.fn_) * (1.0 - TIE) {
            open.push(chord([from, wrong], [lines[0], line]));
            open.push(chord([wrong, to], [line, lines[1]]));
        }
    }
    ranked.weights = own;
    let (wrong, nodes, [a, b]) = best;
    let mut search = prepared.search(&ranked);
    search.costs = Some(CostMatrix::new(&[vec![0.0, a], vec![b, 0.0]], 2)?);
    let loss = search.additive::<f64>(prepared.objective.criterion()?);
    let tree = search.written(&loss, &nodes, None, opened);
    let objective = 1.0 - value(wrong);
    let lower = if most > value(wrong) { 1.0 - most } else { objective };
    Ok(Cheapest { objective, lower, ..tree })
}

/// A leaf of all rows, of whose objective nothing is known but that it is no less than 0.
pub(super) fn leaf_by(measure: Measure, leaf: Cheapest) -> Cheapest {
    let sides = [leaf.tree.counts[0], leaf.tree.counts[1]];
    let objective = 1.0 - measure.of(wrong_of(&leaf, [1.0, 1.0]), sides);
    Cheapest { objective, lower: 0.0, ..leaf }
}

/// The misclassified weight of a tree whose rows of each class weigh `scales` times as much.
fn wrong_of(found: &Cheapest, scales: [f64; 2]) -> Wrong {
    let mut wrong = [0.0; 2];
    for (node, counts) in found.tree.nodes.iter().zip(found.tree.counts.chunks_exact(2)) {
        if node.test == Test::Leaf {
            let other = 1 - node.label as usize;
            wrong[other] += counts[other] / scales[other];
        }
    }
    Wrong { fp: wrong[0], fn_: wrong[1] }
}
