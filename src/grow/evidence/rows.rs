//! Scores of candidates by the rows of their branches: the negative sum of the sizes of the
//! smallest trees that classify each branch without error ([`crate::exact`]).
//!
//! The searches of a tree share a budget of search nodes; each feature of a node may spend an equal
//! part of half of what is left, so the result does not depend on threads. The searches are
//! exponential in the worst case. Only criteria on rows use them.

use crate::criteria::SizeBudget;
use crate::data::{entry_row, entry_tied};
use crate::error::{Error, Result};
use crate::exact::{Sizer, TrainingSizes};
use crate::grow::context::FeaturePlace;
use crate::grow::evaluate::{ByOrder, NodeEvaluator};
use crate::grow::features::WantedFeatures;
use crate::numeric::Ties;
use crate::parallel::{self, Control, lock};
use crate::split::{BestOfFeature, ScoredCandidate};
use crate::stats::Sum;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// The rows of a node by one of its features.
enum FeatureRows {
    Numeric {
        /// The rows in ascending order of their values; rows without a value come last.
        rows: Vec<u32>,
        /// Number of rows with a value.
        known: usize,
        /// Places in the order at which the value changes.
        cuts: Vec<usize>,
    },
    /// Rows of each level.
    Nominal(Vec<Vec<u32>>),
}

/// A node as searches for smallest trees read it, whatever the weights of its rows are.
trait SizedNode: Sync {
    /// The rows by a feature.
    fn rows_by(&self, feature: u32) -> FeatureRows;
    /// All rows.
    fn rows(&self) -> Vec<u32>;
    /// Whether a branch with these rows is large enough.
    fn is_large_enough(&self, rows: &[u32]) -> bool;
}

impl<W: ByOrder> SizedNode for NodeEvaluator<'_, '_, W> {
    fn rows_by(&self, feature: u32) -> FeatureRows {
        match self.context.place(feature) {
            FeaturePlace::Numeric(i) => {
                let order = self.slices.order(i, self.range);
                let known = self.known_order(i).order.len();
                let is_cut = |&at: &usize| entry_tied(order[at]) == 0;
                FeatureRows::Numeric {
                    rows: rows_of(order),
                    known,
                    cuts: (1..known).filter(is_cut).collect(),
                }
            }
            FeaturePlace::Nominal(j) => {
                FeatureRows::Nominal(self.coded().by_code(&self.context.nominal.layout, j))
            }
        }
    }

    fn rows(&self) -> Vec<u32> {
        match self.context.numeric.is_empty() {
            true => self.coded().rows.to_vec(),
            false => rows_of(self.slices.order(0, self.range)),
        }
    }

    fn is_large_enough(&self, rows: &[u32]) -> bool {
        let (min, weights) = (self.minimum(), self.context.weights);
        let weight: f64 = rows.iter().map(|&row| weights.row_sum(row).value(weights.unit())).sum();
        let count = if weights.are_copies() { weight } else { rows.len() as f64 };
        count >= f64::from(min.rows) && weight >= min.weight
    }
}

/// The rows of some entries of an order.
fn rows_of(order: &[u32]) -> Vec<u32> {
    order.iter().map(|&entry| entry_row(entry)).collect()
}

/// Scores the candidates of a node by the sizes of smallest trees.
pub(in crate::grow) struct SizeSearch<'n> {
    node: &'n dyn SizedNode,
    /// Number of features.
    n_features: u32,
    ties: Ties,
    /// The training rows, prepared for searches of smallest trees, or the error of the preparation:
    /// there may be too many distinct rows.
    sizes: &'n Option<Result<TrainingSizes>>,
    /// Search nodes that are left for the whole tree.
    budget: &'n Mutex<u64>,
    /// Most search nodes per branch.
    branch_budget: u64,
    control: &'n Control,
}

impl<W: ByOrder> NodeEvaluator<'_, '_, W> {
    /// The search of this node.
    pub(in crate::grow) fn by_rows<'n>(
        &'n self,
        budget: SizeBudget,
        control: &'n Control,
    ) -> SizeSearch<'n> {
        SizeSearch {
            node: self,
            n_features: self.context.data.columns().len() as u32,
            ties: self.context.setting.ties,
            sizes: &self.context.sizes,
            budget: &self.context.size_budget,
            branch_budget: budget.branch,
            control,
        }
    }
}

impl SizeSearch<'_> {
    /// Visit the candidates of a feature in the order of their thresholds.
    ///
    /// `visit(at, n_waiting, branches)` gets the number of the candidate within the feature, the
    /// number of candidates that are left, this one included, and the rows of the branches.
    fn visit_candidates(
        &self,
        feature: u32,
        visit: &mut dyn FnMut(u32, usize, &[&[u32]]) -> Result<()>,
    ) -> Result<()> {
        let is_large = |rows: &[u32]| self.node.is_large_enough(rows);
        match self.node.rows_by(feature) {
            FeatureRows::Numeric { rows, known, cuts } => {
                let (known, missing) = rows.split_at(known);
                if !missing.is_empty() && !is_large(missing) {
                    return Ok(());
                }
                for (i, &at) in cuts.iter().enumerate() {
                    let (left, right) = known.split_at(at);
                    if is_large(left) && is_large(right) {
                        visit(at as u32, cuts.len() - i, &[left, right, missing])?;
                    }
                }
            }
            FeatureRows::Nominal(levels) => {
                // One branch per level that has rows.
                let filled: Vec<&[u32]> =
                    levels.iter().filter(|rows| !rows.is_empty()).map(Vec::as_slice).collect();
                if filled.len() > 1 && filled.iter().all(|rows| is_large(rows)) {
                    visit(0, 1, &filled)?;
                }
            }
        }
        Ok(())
    }

    /// The lists that `ask` makes for some features, in feature order; several threads share the
    /// features. Each feature may spend an equal part of `budget` search nodes, whatever the others
    /// leave, so the result does not depend on threads. The search nodes that were spent are taken
    /// from the budget of the tree.
    fn ask_features<T: Send>(
        &self,
        features: &[u32],
        budget: u64,
        ask: &(dyn Fn(u32, &mut Sizer<'_>) -> Result<Vec<T>> + Sync),
    ) -> Result<Vec<T>> {
        let (per_feature, spent) = (budget / features.len().max(1) as u64, AtomicU64::new(0));
        let answers = parallel::collect(self.control, features.len(), &|i| {
            let mut sizer = self.sizer(per_feature)?;
            let answer = ask(features[i], &mut sizer);
            spent.fetch_add(sizer.spent(), Ordering::Relaxed);
            answer
        })?;
        self.spend(spent.into_inner());
        Ok(answers)
    }

    /// Search nodes that are left for the whole tree.
    fn budget_left(&self) -> u64 {
        *lock(self.budget)
    }

    /// Take search nodes from the budget of the tree.
    fn spend(&self, nodes: u64) {
        let mut left = lock(self.budget);
        *left = left.saturating_sub(nodes);
    }

    /// A search for smallest trees that may spend `budget` search nodes.
    fn sizer(&self, budget: u64) -> Result<Sizer<'_>> {
        match self.sizes {
            Some(Ok(sizes)) => Ok(sizes.sizer(self.branch_budget, budget, self.control)),
            Some(Err(error)) => Err(error.clone()),
            None => Err(Error::Internal("rows of a context without their sizes".into())),
        }
    }

    /// The best candidate of each wanted feature.
    pub(in crate::grow) fn best(&self, wanted: WantedFeatures<'_>) -> Result<Vec<BestOfFeature>> {
        let ties = self.ties;
        let features: Vec<u32> =
            (0..self.n_features).filter(|&feature| wanted.is_wanted(feature)).collect();
        // Half of the budget, so that the nodes below have some left.
        self.ask_features(&features, self.budget_left() / 2, &|feature, sizer| {
            let mut best: Vec<BestOfFeature> = Vec::new();
            self.visit_candidates(feature, &mut |at, waiting, branches| {
                // Sums are not needed beyond the best one, nor an equal one unless ties are drawn.
                let equal = usize::from(ties != Ties::First);
                let enough = best.first().map_or(usize::MAX, |s| -s.score as usize + equal);
                let score = -(sizer.sum(branches, enough, waiting)? as f64);
                BestOfFeature::keep(&mut best, feature, at, score, ties);
                Ok(())
            })?;
            Ok(best)
        })
    }

    /// Score of the undivided node, for which half of the tree's budget may be spent.
    pub(in crate::grow) fn undivided(&self) -> Result<f64> {
        let mut sizer = self.sizer(self.budget_left() / 2)?;
        let sum = sizer.sum(&[&self.node.rows()], usize::MAX, 1)?;
        self.spend(sizer.spent());
        Ok(-(sum as f64))
    }

    /// The candidates of all features, in feature and threshold order.
    pub(in crate::grow) fn score_all(&self) -> Result<Vec<ScoredCandidate>> {
        let features: Vec<u32> = (0..self.n_features).collect();
        self.ask_features(&features, self.budget_left(), &|feature, sizer| {
            let mut candidates = Vec::new();
            self.visit_candidates(feature, &mut |at, waiting, branches| {
                let sum = sizer.sum(branches, usize::MAX, waiting)?;
                candidates.push(ScoredCandidate { feature, at, score: -(sum as f64) });
                Ok(())
            })?;
            Ok(candidates)
        })
    }
}
