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

use super::found_nodes::FoundNode;
use super::measures::{Measure, Wrong};
use super::objective::Cheapest;
use super::ranked::{RankedRows, exactly_summed};
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
    /// Where it crosses another one, which is steeper; if it is not, the best point of all.
    fn corner(self, other: Self) -> Wrong {
        let determinant = self.a * other.b - other.a * self.b;
        if determinant <= 0.0 {
            return Wrong { fp: 0.0, fn_: 0.0 };
        }
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

/// What is known of the corners.
struct Corners {
    measure: Measure,
    /// Weight of the negative and of the positive rows.
    sides: [f64; 2],
    open: Vec<Chord>,
    /// The best tree: its point, its nodes, and the weights of both classes that led to it.
    best: (Wrong, Vec<FoundNode>, [f64; 2]),
    /// Once time is up, the measure of no tree is greater than this or that of the best one.
    most: f64,
    is_halted: bool,
}

impl Corners {
    /// Two leaves: all rows are negative, or all positive.
    fn new(measure: Measure, sides: [f64; 2]) -> Self {
        let ends = [Wrong { fp: 0.0, fn_: sides[1] }, Wrong { fp: sides[0], fn_: 0.0 }];
        let lines = [Line { a: 1.0, b: 0.0, least: 0.0 }, Line { a: 0.0, b: 1.0, least: 0.0 }];
        let best = (ends[1], vec![FoundNode { test: None, right: 0 }], [0.0, 1.0]);
        let (open, most, is_halted) = (Vec::new(), 0.0, false);
        let mut corners = Self { measure, sides, open, best, most, is_halted };
        corners.push(ends, lines);
        corners
    }

    fn value(&self, wrong: Wrong) -> f64 {
        self.measure.of(wrong, self.sides)
    }

    fn push(&mut self, ends: [Wrong; 2], lines: [Line; 2]) {
        let most = self.value(lines[0].corner(lines[1]));
        self.open.push(Chord { ends, lines, most });
    }

    /// Time is up within a chord.
    fn halt(&mut self, most: f64) {
        self.is_halted = true;
        self.most = self.most.max(most);
    }

    /// The most promising chord, with the weights of both classes to search with.
    fn next(&mut self) -> Option<(Chord, [f64; 2])> {
        loop {
            let open = &self.open;
            let i = (0..open.len()).max_by(|&i, &j| open[i].most.total_cmp(&open[j].most))?;
            let chord = self.open.swap_remove(i);
            let [from, to] = chord.ends;
            let (a, b) = (from.fn_ - to.fn_, to.fp - from.fp);
            if chord.most <= self.value(self.best.0) + TIE || a <= 0.0 || b <= 0.0 {
                continue;
            }
            if !self.is_halted {
                return Some((chord, [a, b]));
            }
            self.halt(chord.most);
        }
    }

    /// Take in the tree of least cost for a chord; no tree of the weighted rows costs less than
    /// `least`.
    fn take(&mut self, chord: Chord, [a, b]: [f64; 2], found: (&Cheapest, Vec<FoundNode>, f64)) {
        let (tree, nodes, least) = found;
        let Chord { ends: [from, to], lines, .. } = chord;
        let (wrong, line) = (wrong_of(tree, [a, b]), Line { a, b, least });
        if self.value(wrong) > self.value(self.best.0) + TIE {
            self.best = (wrong, nodes, [a, b]);
        }
        if tree.lower < tree.objective {
            // The corner is possible unless the line cuts it off.
            let corner = lines[0].corner(lines[1]);
            let around = match a * corner.fp + b * corner.fn_ < least {
                true => [lines[0].corner(line), line.corner(lines[1])],
                false => [corner; 2],
            };
            self.halt(around.map(|corner| self.value(corner)).into_iter().fold(0.0, f64::max));
        } else if a * wrong.fp + b * wrong.fn_ < (a * from.fp + b * from.fn_) * (1.0 - TIE) {
            self.push([from, wrong], [lines[0], line]);
            self.push([wrong, to], [line, lines[1]]);
        }
    }
}

/// The best tree by a measure; `less`: a tree of one level less.
pub(super) fn best_by(
    measure: Measure,
    prepared: &Prepared<'_>,
    mut ranked: RankedRows,
    less: Option<Cheapest>,
    controls: (&Control, &Control),
) -> Result<Cheapest> {
    let own = std::mem::take(&mut ranked.weights);
    let weighted = |classes: &[u8], scales: [f64; 2]| -> Vec<f64> {
        let weight = |row: usize| own.get(row).copied().unwrap_or(1.0);
        let rows = classes.iter().enumerate();
        rows.map(|(row, &class)| weight(row) * scales[usize::from(class)]).collect()
    };
    let side = |scales: [f64; 2]| weighted(&ranked.class, scales).iter().sum::<f64>();
    let sides = [side([1.0, 0.0]), side([0.0, 1.0])];
    if sides.contains(&0.0) {
        let told = "F and Matthews need rows of both classes: take criterion='error'";
        return Err(Error::Data(told.into()));
    }
    let mut opened = less.as_ref().map_or(0, |less| less.opened);
    let mut corners = Corners::new(measure, sides);
    while let Some((chord, scales)) = corners.next() {
        ranked.weights = exactly_summed(weighted(&ranked.class, scales));
        let mut search = prepared.search(&ranked);
        search.opened = opened;
        match search.ask(&BestTree, controls) {
            Err(Error::OutOfTime) => corners.halt(chord.most),
            found => {
                let (tree, nodes) = found?;
                opened = tree.opened;
                corners.take(chord, scales, (&tree, nodes, tree.lower * search.total));
            }
        }
    }
    ranked.weights = own;
    let Corners { best: (wrong, nodes, scales), most, .. } = corners;
    let tree = written_by(prepared, &ranked, &nodes, scales)?;
    let reached = measure.of(wrong, sides);
    let objective = 1.0 - reached;
    let lower = if most > reached { 1.0 - most } else { objective };
    Ok(match less.filter(|less| less.objective < objective) {
        Some(less) => Cheapest { lower: lower.min(less.objective), opened, ..less },
        None => Cheapest { objective, lower, opened, ..tree },
    })
}

/// The tree by the rows' own weights, with the labels that cost least by these costs of a negative
/// and of a positive row.
fn written_by(
    prepared: &Prepared<'_>,
    ranked: &RankedRows,
    nodes: &[FoundNode],
    [negative, positive]: [f64; 2],
) -> Result<Cheapest> {
    let mut search = prepared.search(ranked);
    search.costs = Some(CostMatrix::new(&[vec![0.0, negative], vec![positive, 0.0]], 2)?);
    let loss = search.additive::<f64>(prepared.objective.criterion()?);
    Ok(search.written(&loss, nodes, None, 0))
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
