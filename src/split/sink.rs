//! Sinks, which receive blocks of candidates and keep the best of them, or all scores.
//!
//! The scans of a node give their candidates to a [`Sink`], block by block and in feature order.
//! [`BestOfEach`] scores a block and keeps the best candidate of each feature; [`Listing`] keeps
//! all scores. A user's criterion is called once per node, so both gather all blocks for it and
//! score them at the end ([`BestOfEach::finish`], [`Listing::finish`]).
//!
//! A sink that wants only the best candidates may say so; a scan then skips candidates below
//! [`Sink::floor`], or sends estimates ([`Sink::estimated`]) instead of tables.

use super::estimates::{self, Estimates};
use super::guard::ValueGuard;
use crate::criteria::{Context, Criterion, RunningScores, Tables};
use crate::error::{Error, Result};
use crate::memory;
use crate::numeric::{Cells, Ties, better};
use crate::parallel::Control;
use crate::reached::{self, Way};

/// A block of candidates of one numeric feature, or of several nominal features.
#[derive(Debug, Clone, Copy)]
pub struct CandidateBlock<'a> {
    /// The contingency tables of the candidates.
    pub tables: Tables<'a>,
    /// The number of each candidate within its feature: rows on the left of a threshold, the
    /// highest code on the left of a cut between bins, the number of a division of levels, 0 for a
    /// multiway split.
    pub at: &'a [u32],
    /// The feature of each candidate.
    pub features: Features<'a>,
}

/// The features of a block.
#[derive(Debug, Clone, Copy)]
pub enum Features<'a> {
    /// All candidates are thresholds of one feature.
    One(u32),
    /// The feature of each candidate. Candidates of one feature lie side by side.
    Each(&'a [u32]),
}

impl Features<'_> {
    /// The feature of one candidate, by its number within the block. This is not its number within
    /// the feature, which is [`CandidateBlock::at`].
    #[inline]
    pub fn feature_of(&self, candidate: usize) -> u32 {
        match self {
            Self::One(feature) => *feature,
            Self::Each(features) => features[candidate],
        }
    }
}

/// Receives the candidates of a node, block by block. The scans ask a sink which candidates it
/// needs, and leave out the rest.
pub trait Sink {
    /// Take one block of candidates. Candidates of one feature may come in several blocks, one
    /// after the other.
    fn take(&mut self, block: &CandidateBlock<'_>) -> Result<()>;
    /// Whether only the best candidates are wanted, so that others may be left out.
    fn wants_best(&self) -> bool {
        false
    }
    /// Write approximate scores of some tables to `out`, and return a bound on their error; `None`
    /// where the criterion has none.
    fn quick(&self, _tables: &Tables<'_>, _out: &mut [f64]) -> Option<f64> {
        None
    }
    /// Candidates with a smaller score may be left out.
    fn floor(&self) -> f64 {
        f64::NEG_INFINITY
    }
    /// How cuts are scored from running sums; `None` where the criterion does not say, or more than
    /// the best is wanted.
    fn running_scores(&self) -> Option<RunningScores> {
        None
    }
    /// Whether cuts of a numeric target may be estimated by the means of their sides: the criterion
    /// scores by them, and only the best is wanted.
    fn takes_means(&self) -> bool {
        false
    }
    /// Whether only the best of all thresholds is wanted, the first of equal ones.
    fn wants_winner(&self) -> bool {
        false
    }
    /// Take thresholds of one feature that were scored by [`Sink::running_scores`] or by means.
    fn estimated(&mut self, _feature: u32, _estimates: CutEstimates<'_>) -> Result<()> {
        Err(Error::Internal("running sums that nobody asked for".into()))
    }
}

/// Estimated scores of thresholds of one feature.
pub struct CutEstimates<'a> {
    /// Rows on the left of threshold `j`.
    pub at: &'a dyn Fn(usize) -> u32,
    /// The estimates; negative infinity where a place is no candidate.
    pub scores: &'a [f64],
    /// The largest of the estimates.
    pub largest: f64,
    /// A bound on the distance of the estimates from the criterion's scores; 0 where they equal the
    /// scores to the bit.
    pub error: f64,
    /// The criterion's score of threshold `j`; must be called for thresholds in ascending order.
    pub exact: &'a mut dyn FnMut(usize, &dyn Criterion) -> Result<f64>,
}

/// A candidate and its score: one of a list, or the candidate that a selection rule takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredCandidate {
    /// Number of the feature.
    pub feature: u32,
    /// Number of the candidate within its feature; see [`CandidateBlock::at`].
    pub at: u32,
    /// Score by the criterion, larger is better. Where a rule chose the candidate, a gain filter
    /// may have set it to 0.
    pub score: f64,
}

/// The best candidate of one feature.
#[derive(Debug, Clone, PartialEq)]
pub struct BestOfFeature {
    /// Feature.
    pub feature: u32,
    /// Its best score.
    pub score: f64,
    /// The first candidate with that score, in threshold order.
    pub at: u32,
    /// The other candidates with that score; empty with [`Ties::First`].
    pub tied: Vec<u32>,
}

impl BestOfFeature {
    /// Compare a candidate of a feature with the best one so far; returns whether the candidate is
    /// now the best of its feature.
    ///
    /// The best one so far is the last of `best_of_each`, if that has this feature; so all
    /// candidates of a feature must come together. An equal candidate is kept beside it unless the
    /// first of equals wins.
    #[inline]
    pub fn keep(
        best_of_each: &mut Vec<Self>,
        feature: u32,
        at: u32,
        score: f64,
        ties: Ties,
    ) -> bool {
        match best_of_each.last_mut() {
            Some(best) if best.feature == feature => {
                if better(score, best.score) {
                    (best.score, best.at) = (score, at);
                    best.tied.clear();
                    return true;
                }
                if score == best.score && ties != Ties::First {
                    best.tied.push(at);
                }
                false
            }
            _ => {
                best_of_each.push(Self { feature, score, at, tied: Vec::new() });
                true
            }
        }
    }
}

/// Bring candidates of features into feature order. The selection rule takes the first of equal
/// features, but nominal features are scored before numeric ones, and bit planes group features by
/// arity.
pub fn sort_by_feature(candidates: &mut [BestOfFeature]) {
    candidates.sort_by_key(|best| best.feature);
}

/// Keeps the best candidate of each feature.
#[derive(Debug)]
pub struct BestOfEach<'a> {
    criterion: &'a dyn Criterion,
    ties: Ties,
    /// Only the best of all features is wanted; others may be left out.
    winner_only: bool,
    /// The limits on the values of branches; `None` without monotonic constraints.
    guard: Option<ValueGuard<'a>>,
    /// Checked for cancellation before each block: one column of a large node can take a second.
    control: Option<&'a Control>,
    /// The best score of all features so far.
    best_score: f64,
    /// Candidates below this score may be left out.
    floor: f64,
    /// Scores of a block; a buffer that nodes pass on.
    pub scores: Vec<f64>,
    /// All blocks so far, for a user's criterion.
    gathered: Option<GatheredCandidates>,
    /// The best candidate of each feature that has a valid one, in the order of their blocks.
    pub features: Vec<BestOfFeature>,
}

impl<'a> BestOfEach<'a> {
    /// A sink for one node. With `winner_only` the result may lack features other than the best,
    /// and blocks must come in feature order.
    pub fn new(criterion: &'a dyn Criterion, ties: Ties, winner_only: bool) -> Self {
        let gathered = criterion.needs_all_candidates().then(GatheredCandidates::default);
        let winner_only = winner_only && ties == Ties::First;
        Self {
            criterion,
            ties,
            winner_only,
            guard: None,
            control: None,
            best_score: f64::NEG_INFINITY,
            floor: f64::NEG_INFINITY,
            scores: Vec::new(),
            gathered,
            features: Vec::new(),
        }
    }

    /// Allow the sink to leave out candidates below this score. A caller that scales the scores of
    /// a feature afterwards sets it to the score that could still win.
    pub fn set_floor(&mut self, floor: f64) {
        self.floor = floor;
    }

    /// Refuse candidates whose branches have values that the guard forbids; `None` refuses nothing.
    /// With a guard every candidate is scored from its table, because estimates do not say what the
    /// values are.
    pub fn with_guard(self, guard: Option<ValueGuard<'a>>) -> Self {
        Self { guard, ..self }
    }

    /// Say which rows the branches of the next candidates share: see [`ValueGuard::shared`].
    /// Fractional growth sets them for each feature, before its scan; without a guard this does
    /// nothing.
    pub fn set_shared_rows(&mut self, rows: Option<(f64, f64)>) {
        self.guard.iter_mut().for_each(|guard| guard.shared = rows);
    }

    /// Check the control of the job before each block, and stop with its error once it is
    /// cancelled. Without this a node with millions of rows could be cancelled only between its
    /// features.
    pub fn with_control(self, control: &'a Control) -> Self {
        Self { control: Some(control), ..self }
    }

    /// Compare scored candidates with the best of their features.
    fn compare(&mut self, features: Features<'_>, at: &[u32], scores: &[f64]) -> Result<()> {
        for (j, (&at, &score)) in at.iter().zip(scores).enumerate() {
            // With `winner_only`, candidates that do not beat the best of all features are left
            // out. NaN compares false, so `update` refuses it.
            let beaten = self.winner_only && score <= self.best_score && !self.features.is_empty();
            if !beaten {
                self.update(features.feature_of(j), at, score)?;
            }
        }
        Ok(())
    }

    /// Compare one candidate with the best of its feature.
    #[inline]
    fn update(&mut self, feature: u32, at: u32, score: f64) -> Result<()> {
        if score.is_nan() {
            return Err(not_a_number(feature));
        }
        let kept = BestOfFeature::keep(&mut self.features, feature, at, score, self.ties);
        if kept && better(score, self.best_score) {
            self.best_score = score;
        }
        Ok(())
    }

    /// Keep the best of some thresholds of one feature. Only the thresholds that may be best are
    /// scored exactly.
    fn keep_best(&mut self, feature: u32, estimates: CutEstimates<'_>) -> Result<()> {
        let CutEstimates { at, scores, largest, error, exact } = estimates;
        let of_feature =
            self.features.last().filter(|best| best.feature == feature).map(|best| best.score);
        let known = if self.winner_only {
            self.best_score
        } else {
            of_feature.unwrap_or(f64::NEG_INFINITY)
        };
        // Where no threshold can be best, nothing is scored. A tie matters unless the first of
        // equals wins.
        if largest + error < self.floor {
            return Ok(());
        }
        if largest + error <= known && (self.ties == Ties::First || largest + error < known) {
            return Ok(());
        }
        Estimates { scores, largest, error }.visit_best(known, |j, score| {
            let score = if error == 0.0 { score } else { exact(j, self.criterion)? };
            self.update(feature, at(j), score)?;
            Ok(Some(score))
        })
    }

    /// Score the blocks that were gathered for a user's criterion, in one call; does nothing for
    /// other criteria. Call it after the last block: until then [`Self::features`] is empty for a
    /// user's criterion.
    pub fn finish(&mut self, context: &Context) -> Result<()> {
        if let Some(gathered) = self.gathered.take()
            && !gathered.at.is_empty()
        {
            let scores = gathered.scores(self.criterion, context)?;
            self.compare(Features::Each(&gathered.features), &gathered.at, &scores)?;
        }
        Ok(())
    }
}

/// The error for a score that is NaN.
pub(crate) fn not_a_number(feature: u32) -> Error {
    Error::NotANumber { feature, name: None }
}

impl Sink for BestOfEach<'_> {
    fn wants_best(&self) -> bool {
        self.gathered.is_none() && self.guard.is_none()
    }

    fn quick(&self, tables: &Tables<'_>, out: &mut [f64]) -> Option<f64> {
        if self.wants_best() { self.criterion.screen(tables, out) } else { None }
    }

    fn floor(&self) -> f64 {
        if self.winner_only { self.floor.max(self.best_score) } else { self.floor }
    }

    fn running_scores(&self) -> Option<RunningScores> {
        self.criterion.running_scores().filter(|_| self.wants_best())
    }

    fn takes_means(&self) -> bool {
        self.criterion.is_between_means() && self.wants_best()
    }

    fn wants_winner(&self) -> bool {
        self.winner_only && self.wants_best()
    }

    fn estimated(&mut self, feature: u32, estimates: CutEstimates<'_>) -> Result<()> {
        if let Some(control) = self.control {
            control.check()?;
        }
        self.keep_best(feature, estimates)
    }

    fn take(&mut self, block: &CandidateBlock<'_>) -> Result<()> {
        if let Some(control) = self.control {
            control.check()?;
        }
        if let Some(gathered) = &mut self.gathered {
            reached::count(Way::Gathered);
            return gathered.take(block);
        }
        let mut scores = std::mem::take(&mut self.scores);
        scores.resize(block.tables.len, 0.0);
        // Thresholds are screened by approximate scores where the criterion has them.
        let screened = match block.features {
            Features::One(feature) if self.wants_best() => {
                self.criterion.screen(&block.tables, &mut scores).map(|error| (feature, error))
            }
            _ => None,
        };
        if let Some((feature, error)) = screened {
            reached::count(Way::Screened);
            let mut exact = |j: usize, criterion: &dyn Criterion| {
                criterion.score_of(&block.tables.window(j, 1))
            };
            let at = &|j: usize| block.at[j];
            let largest = estimates::largest(&scores);
            let estimates = CutEstimates { at, scores: &scores, largest, error, exact: &mut exact };
            self.keep_best(feature, estimates)?;
        } else {
            reached::count(Way::Scored);
            self.criterion.score(&block.tables, &mut scores)?;
            if let Some(guard) = &self.guard {
                guard.refuse(&block.tables, |j| block.features.feature_of(j), &mut scores);
            }
            match block.features {
                // Most blocks of thresholds do not hold the best: their largest score tells.
                Features::One(feature)
                    if self.ties == Ties::First
                        && !scores.iter().any(|s| s.is_nan())
                        && self.features.last().is_some_and(|b| {
                            b.feature == feature && estimates::largest(&scores) <= b.score
                        }) => {}
                features => self.compare(features, block.at, &scores)?,
            }
        }
        self.scores = scores;
        Ok(())
    }
}

/// Keeps the scores of all candidates.
#[derive(Debug)]
pub struct Listing<'a> {
    /// Only its criterion and its gathered blocks are used.
    best: BestOfEach<'a>,
    /// All candidates, in the order of their blocks.
    pub candidates: Vec<ScoredCandidate>,
}

impl<'a> Listing<'a> {
    /// A sink for one node that scores all candidates by a criterion and keeps every score. The
    /// listing of the candidates of a node uses it, not growth: it takes memory for every
    /// candidate.
    pub fn new(criterion: &'a dyn Criterion) -> Self {
        Self { best: BestOfEach::new(criterion, Ties::First, false), candidates: Vec::new() }
    }

    /// Score the blocks that were gathered for a user's criterion, in one call; does nothing for
    /// other criteria. Call it after the last block, and before [`Self::candidates`] is read.
    pub fn finish(&mut self, context: &Context) -> Result<()> {
        if let Some(gathered) = self.best.gathered.take()
            && !gathered.at.is_empty()
        {
            let scores = gathered.scores(self.best.criterion, context)?;
            if let Some(j) = scores.iter().position(|s| s.is_nan()) {
                return Err(not_a_number(gathered.features[j]));
            }
            self.append(Features::Each(&gathered.features), &gathered.at, &scores);
        }
        Ok(())
    }

    /// Keep the scores of a block.
    fn append(&mut self, features: Features<'_>, at: &[u32], scores: &[f64]) {
        for (j, (&at, &score)) in at.iter().zip(scores).enumerate() {
            self.candidates.push(ScoredCandidate { feature: features.feature_of(j), at, score });
        }
    }
}

impl Sink for Listing<'_> {
    fn take(&mut self, block: &CandidateBlock<'_>) -> Result<()> {
        if let Some(gathered) = &mut self.best.gathered {
            return gathered.take(block);
        }
        let mut scores = vec![0.0; block.tables.len];
        self.best.criterion.score(&block.tables, &mut scores)?;
        self.append(block.features, block.at, &scores);
        Ok(())
    }
}

/// Most cells that are gathered for one call: 4 GiB.
const MOST_GATHERED_CELLS: usize = 1 << 29;

/// All candidates of a node, as tables of real counts with as many branches as the largest table;
/// the branches that a candidate lacks are empty.
#[derive(Debug, Default)]
struct GatheredCandidates {
    /// Counts by candidate, one plane for each (branch, class); of a numeric target, one for each
    /// branch and each of its three sums.
    planes: Vec<Vec<f64>>,
    /// Class totals of the node.
    totals: Vec<f64>,
    classes: usize,
    /// Declared number of branches, number within the feature, and feature of each candidate.
    declared: Vec<u32>,
    at: Vec<u32>,
    features: Vec<u32>,
}

impl GatheredCandidates {
    /// Append the candidates of a block.
    fn take(&mut self, block: &CandidateBlock<'_>) -> Result<()> {
        let tables = &block.tables;
        let n_before = self.at.len();
        let classes = tables.components();
        let planes = self.planes.len().max(tables.branches * classes);
        if planes.saturating_mul(n_before + tables.len) > MOST_GATHERED_CELLS {
            return Err(Error::Data(format!(
                "a user's criterion is given all candidates of a node in one array of shape \
                 (candidates, branches, \
                 classes); here {} candidates of up to {} branches and {} classes would pass 4 \
                 GiB. Use fewer levels, \
                 discretize, or drop the largest column",
                n_before + tables.len,
                planes / classes,
                classes
            )));
        }
        self.classes = classes;
        // Earlier candidates may lack branches of this block, and this block may lack branches of
        // theirs.
        while self.planes.len() < tables.branches * classes {
            self.planes.push(vec![0.0; n_before]);
        }
        for (i, plane) in self.planes.iter_mut().enumerate() {
            if i < tables.branches * classes {
                tables.append_plane(i, plane);
            } else {
                plane.resize(n_before + tables.len, 0.0);
            }
        }
        self.totals = tables.real_totals();
        self.declared.extend_from_slice(&tables.declared[..tables.len]);
        self.at.extend_from_slice(&block.at[..tables.len]);
        self.features.extend((0..tables.len).map(|j| block.features.feature_of(j)));
        Ok(())
    }

    /// Score all candidates in one call.
    fn scores(&self, criterion: &dyn Criterion, context: &Context) -> Result<Vec<f64>> {
        let len = self.at.len();
        memory::cover(len * self.planes.len() * size_of::<f64>())?;
        let cells = self.planes.concat();
        let tables = Tables {
            cells: Cells::Weights(&cells),
            totals: Cells::Weights(&self.totals),
            branches: self.planes.len() / self.classes,
            classes: self.classes,
            stride: len,
            len,
            declared: &self.declared,
            context,
        };
        let mut scores = vec![0.0; len];
        criterion.score(&tables, &mut scores)?;
        Ok(scores)
    }
}
