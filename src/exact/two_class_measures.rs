//! The tree of two classes that is best by F or Matthews ([`super::measures`]).
//!
//! Each tree is a point (FP, FN). Both measures fall as either grows, and are quasi-convex where a
//! tree is better than chance: F is a ratio of linear functions, Matthews a linear function divided
//! by the root of a concave one. So the best tree is a corner of the convex hull of all points, and
//! the corners are the trees of least cost `a FP + b FN`. Between two known corners, the next
//! search takes the direction of their chord: either it finds a corner beyond, or there is none. A
//! tree between two corners is no better than the intersection of the lines that their searches
//! have proven, so the most promising chord comes next, and chords that cannot be better than the
//! best tree are left out. A few searches suffice. When time is up, the intersections give the
//! bound.

use super::incumbent::Plan;
use super::measures::{Measure, Wrong};
use super::objective::Cheapest;
use super::passes::Controls;
use super::ranked::{RankedRows, exactly_summed};
use super::search::{BestTree, Prepared};
use crate::error::{Error, Result};
use crate::tree::{CostMatrix, Test};

/// Values of a measure that differ by less are equal.
const TIE: f64 = 1e-12;

/// A bound that a search has proven: all trees have `a fp + b fn >= least`.
#[derive(Debug, Clone, Copy)]
struct Line {
    a: f64,
    b: f64,
    least: f64,
}

impl Line {
    /// The point where it crosses another line, which must be steeper. If it is not, the point of
    /// no errors, which bounds every tree.
    fn crossing(self, other: Self) -> Wrong {
        let determinant = self.a * other.b - other.a * self.b;
        if determinant <= 0.0 {
            return Wrong { fp: 0.0, fn_: 0.0 };
        }
        let fp = (self.least * other.b - other.least * self.b) / determinant;
        let fn_ = (self.a * other.least - other.a * self.least) / determinant;
        Wrong { fp: fp.max(0.0), fn_: fn_.max(0.0) }
    }
}

/// Two neighbouring corners, the first with fewer false positives, each with a line through it
/// below which there is no tree.
#[derive(Debug, Clone, Copy)]
struct Chord {
    ends: [Wrong; 2],
    lines: [Line; 2],
    /// No tree between them has a greater measure.
    most: f64,
}

/// The best tree of the search for a measure.
struct BestCorner {
    point: Wrong,
    plan: Plan,
    /// The weights of both classes that led to it.
    scales: [f64; 2],
}

/// The known corners of the convex hull of all trees.
struct Corners {
    measure: Measure,
    /// Weight of the negative and of the positive rows.
    class_weights: [f64; 2],
    /// Chords with a search yet to be run.
    open: Vec<Chord>,
    best: BestCorner,
    /// Once time is up, no tree has a greater measure than this or than the best one.
    most: f64,
    /// Whether a search was ended by a limit.
    is_halted: bool,
}

impl Corners {
    /// The two corners that every set has: a leaf that calls all rows negative, and one that calls
    /// all positive.
    fn new(measure: Measure, class_weights: [f64; 2]) -> Self {
        let [negative, positive] = class_weights;
        let ends = [Wrong { fp: 0.0, fn_: positive }, Wrong { fp: negative, fn_: 0.0 }];
        let lines = [Line { a: 1.0, b: 0.0, least: 0.0 }, Line { a: 0.0, b: 1.0, least: 0.0 }];
        let best = BestCorner { point: ends[1], plan: Plan::Stump(1), scales: [0.0, 1.0] };
        let (open, most, is_halted) = (Vec::new(), 0.0, false);
        let mut corners = Self { measure, class_weights, open, best, most, is_halted };
        corners.push(ends, lines);
        corners
    }

    /// The measure at a point.
    fn value(&self, wrong: Wrong) -> f64 {
        self.measure.value(wrong, self.class_weights)
    }

    /// Add the chord between two corners.
    fn push(&mut self, ends: [Wrong; 2], lines: [Line; 2]) {
        let most = self.value(lines[0].crossing(lines[1]));
        self.open.push(Chord { ends, lines, most });
    }

    /// Note that time is up before a chord is solved; no tree on it has a greater measure.
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
            if chord.most <= self.value(self.best.point) + TIE || a <= 0.0 || b <= 0.0 {
                continue;
            }
            if !self.is_halted {
                return Some((chord, [a, b]));
            }
            self.halt(chord.most);
        }
    }

    /// Take in the tree of least cost from the search of a chord, with the weights `a` and `b` of
    /// both classes. No tree of the weighted rows costs less than `least`.
    fn record(
        &mut self,
        chord: Chord,
        [a, b]: [f64; 2],
        (tree, plan, least): (&Cheapest, Plan, f64),
    ) {
        let Chord { ends: [from, to], lines, .. } = chord;
        let (wrong, line) = (wrong_of(tree, [a, b]), Line { a, b, least });
        if self.value(wrong) > self.value(self.best.point) + TIE {
            self.best = BestCorner { point: wrong, plan, scales: [a, b] };
        }
        if tree.lower < tree.objective {
            // The search ended early. The crossing of both lines bounds the trees of the chord,
            // unless the new line cuts it off.
            let crossing = lines[0].crossing(lines[1]);
            let is_cut_off = a * crossing.fp + b * crossing.fn_ < least;
            let bounds = if is_cut_off {
                [lines[0].crossing(line), line.crossing(lines[1])]
            } else {
                [crossing; 2]
            };
            self.halt(bounds.map(|point| self.value(point)).into_iter().fold(0.0, f64::max));
        } else if a * wrong.fp + b * wrong.fn_ < (a * from.fp + b * from.fn_) * (1.0 - TIE) {
            self.push([from, wrong], [lines[0], line]);
            self.push([wrong, to], [line, lines[1]]);
        }
    }
}

/// The best tree by a measure, or the best known one if a limit ends the search, with a bound of
/// the measure of all trees. `one_level_less` is the result for one level less, which is returned
/// if it is better; that can happen if time was up.
///
/// # Errors
/// [`Error::Data`] if one of the classes has no rows, and errors of the searches.
pub(super) fn best_by(
    measure: Measure,
    prepared: &Prepared<'_>,
    mut ranked: RankedRows,
    one_level_less: Option<Cheapest>,
    controls: Controls<'_>,
) -> Result<Cheapest> {
    let own_weights = std::mem::take(&mut ranked.weights);
    let weighted = |classes: &[u8], scales: [f64; 2]| -> Vec<f64> {
        let weight = |row: usize| own_weights.get(row).copied().unwrap_or(1.0);
        let rows = classes.iter().enumerate();
        rows.map(|(row, &class)| weight(row) * scales[usize::from(class)]).collect()
    };
    let class_weight = |scales: [f64; 2]| weighted(&ranked.class, scales).iter().sum::<f64>();
    let class_weights = [class_weight([1.0, 0.0]), class_weight([0.0, 1.0])];
    if class_weights.contains(&0.0) {
        let reason = "F and Matthews need rows of both classes: take criterion='error'";
        return Err(Error::Data(reason.into()));
    }
    let mut opened = one_level_less.as_ref().map_or(0, |tree| tree.opened);
    let mut corners = Corners::new(measure, class_weights);
    while let Some((chord, scales)) = corners.next() {
        ranked.weights = exactly_summed(weighted(&ranked.class, scales));
        let mut search = prepared.search(&ranked);
        search.opened = opened;
        match search.ask(&BestTree, controls) {
            Err(Error::OutOfTime) => corners.halt(chord.most),
            found => {
                let (tree, plan) = found?;
                opened = tree.opened;
                corners.record(chord, scales, (&tree, plan, tree.lower * search.total));
            }
        }
    }
    ranked.weights = own_weights;
    let reached = corners.value(corners.best.point);
    let Corners { best: BestCorner { plan, scales, .. }, most, .. } = corners;
    let tree = write_labelled_tree(prepared, &ranked, &plan, scales)?;
    let objective = 1.0 - reached;
    let lower = if most > reached { 1.0 - most } else { objective };
    Ok(match one_level_less.filter(|tree| tree.objective < objective) {
        Some(tree) => Cheapest { lower: lower.min(tree.objective), opened, ..tree },
        None => Cheapest { objective, lower, opened, ..tree },
    })
}

/// The tree of a plan with the rows' own weights, whose leaves have the labels that cost least
/// if an error costs `negative` for a row of the first class and `positive` for one of the second.
fn write_labelled_tree(
    prepared: &Prepared<'_>,
    ranked: &RankedRows,
    plan: &Plan,
    [negative, positive]: [f64; 2],
) -> Result<Cheapest> {
    let mut search = prepared.search(ranked);
    search.costs = Some(CostMatrix::new(&[vec![0.0, negative], vec![positive, 0.0]], 2)?);
    let loss = search.additive_loss::<f64>(prepared.objective.criterion()?);
    Ok(search.write_tree(&loss, plan, None, 0))
}

/// The misclassified weight of both classes in a tree that was grown from rows whose weights were
/// multiplied by the scale of their class. The result is in the original weights.
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
