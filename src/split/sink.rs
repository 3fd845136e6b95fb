//! What happens to a block of candidates: scored at once and compared, or gathered for one call.

use super::doubt::{self, Estimated};
use crate::criteria::{Context, Criterion, RunningScores, Tables};
use crate::error::{Error, Result};
use crate::memory;
use crate::numeric::{Cells, Ties, better};
use crate::parallel::Control;
use crate::reached::{self, Way};

/// A block of candidates of one feature (or of several nominal features, one candidate each).
#[derive(Debug, Clone, Copy)]
pub struct CandidateBlock<'a> {
    /// The tables.
    pub tables: Tables<'a>,
    /// What identifies each candidate within its feature: rows on the left of a threshold, 0 for a
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
    /// Each candidate is its own feature.
    Each(&'a [u32]),
}

impl Features<'_> {
    /// The feature of one candidate.
    #[inline]
    pub fn of(&self, candidate: usize) -> u32 {
        match self {
            Self::One(f) => *f,
            Self::Each(f) => f[candidate],
        }
    }
}

/// Takes blocks.
pub trait Sink {
    /// One block.
    fn take(&mut self, block: &CandidateBlock<'_>) -> Result<()>;
    /// Candidates that cannot be best may be left out.
    fn wants_best(&self) -> bool {
        false
    }
    /// Quick scores of some tables and a bound on their error, where there are such.
    fn quick(&self, _tables: &Tables<'_>, _out: &mut [f64]) -> Option<f64> {
        None
    }
    /// Candidates with smaller scores may be left out.
    fn floor(&self) -> f64 {
        f64::NEG_INFINITY
    }
    /// How cuts are scored from running sums, where this is known and only the best is wanted.
    fn running_scores(&self) -> Option<RunningScores> {
        None
    }
    /// Thresholds of one feature that were scored from such sums.
    fn estimated(&mut self, _feature: u32, _found: Estimates<'_>) -> Result<()> {
        Err(Error::Internal("running sums that nobody asked for".into()))
    }
}

/// Scores of thresholds that are known but for an error.
pub struct Estimates<'a> {
    /// Rows on the left of each threshold.
    pub at: &'a dyn Fn(usize) -> u32,
    /// The scores; negative infinity for what is no candidate.
    pub scores: &'a [f64],
    /// The largest of them.
    pub largest: f64,
    /// A bound on their distance from what the criterion rounds; 0: there is none.
    pub error: f64,
    /// The score of one threshold from its table; thresholds are asked for in their order.
    pub exact: &'a mut dyn FnMut(usize, &dyn Criterion) -> Result<f64>,
}

/// The best candidate of one feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Feature.
    pub feature: u32,
    /// Its best score.
    pub score: f64,
    /// The first candidate with that score, in threshold order.
    pub at: u32,
    /// The others with that score, where the tie rule wants to know them.
    pub tied: Vec<u32>,
}

/// Keeps the best of each feature.
#[derive(Debug)]
pub struct BestOfEach<'a> {
    criterion: &'a dyn Criterion,
    ties: Ties,
    /// The best of all features is wanted: a feature that cannot have it may be left out.
    winner_only: bool,
    /// Asked before each block whether to go on: one column of a large node alone can take a
    /// second.
    watch: Option<&'a Control>,
    top: f64,
    /// Candidates below this are of no interest.
    floor: f64,
    /// Memory of the scores of a block, which nodes may leave for each other.
    pub scores: Vec<f64>,
    gathered: Option<Gathered>,
    /// The best of each feature with a valid candidate, in the order of their blocks.
    pub features: Vec<Scored>,
}

impl<'a> BestOfEach<'a> {
    /// For one node; a user's criterion gathers all blocks first ([`BestOfEach::finish`] then
    /// scores them). With `winner_only` the others may be missing, and blocks must come in feature
    /// order.
    pub fn new(criterion: &'a dyn Criterion, ties: Ties, winner_only: bool) -> Self {
        let gathered = criterion.needs_all_candidates().then(Gathered::default);
        let winner_only = winner_only && ties == Ties::First;
        Self {
            criterion,
            ties,
            winner_only,
            watch: None,
            top: f64::NEG_INFINITY,
            floor: f64::NEG_INFINITY,
            scores: Vec::new(),
            gathered,
            features: Vec::new(),
        }
    }

    /// Candidates below this score may be left out.
    pub fn above(&mut self, floor: f64) {
        self.floor = floor;
    }

    /// The same, but it stops when the job is cancelled.
    pub fn watched(self, control: &'a Control) -> Self {
        Self { watch: Some(control), ..self }
    }

    fn compare(&mut self, features: Features<'_>, at: &[u32], scores: &[f64]) -> Result<()> {
        for (j, (&at, &score)) in at.iter().zip(scores).enumerate() {
            // With `winner_only`, what does not beat the best of all features is left out. NaN is
            // kept, and refused later.
            let beaten = self.winner_only && score <= self.top && !self.features.is_empty();
            if !beaten {
                self.update(features.of(j), at, score)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn update(&mut self, feature: u32, at: u32, score: f64) -> Result<()> {
        match self.features.last_mut() {
            Some(best) if best.feature == feature => {
                if better(score, best.score) {
                    best.score = score;
                    best.at = at;
                    best.tied.clear();
                } else if score == best.score {
                    if self.ties != Ties::First {
                        best.tied.push(at);
                    }
                    return Ok(());
                } else if score.is_nan() {
                    return Err(not_a_number(feature));
                } else {
                    return Ok(());
                }
            }
            _ if score.is_nan() => return Err(not_a_number(feature)),
            _ => self.features.push(Scored { feature, score, at, tied: Vec::new() }),
        }
        if better(score, self.top) {
            self.top = score;
        }
        Ok(())
    }

    /// Keep the best of thresholds of one feature, scored exactly only where estimates leave a
    /// doubt.
    fn keep_best(&mut self, feature: u32, found: Estimates<'_>) -> Result<()> {
        let Estimates { at, scores, largest, error, exact } = found;
        let own = self.features.last().filter(|b| b.feature == feature).map(|b| b.score);
        let known = if self.winner_only { self.top } else { own.unwrap_or(f64::NEG_INFINITY) };
        if largest + error < self.floor {
            return Ok(());
        }
        if largest + error <= known && (self.ties == Ties::First || largest + error < known) {
            return Ok(());
        }
        Estimated { scores, largest, error }.visit_best(known, |j, score| {
            let score = if error == 0.0 { score } else { exact(j, self.criterion)? };
            self.update(feature, at(j), score)?;
            Ok(Some(score))
        })
    }

    /// Score what was gathered, if anything was.
    pub fn finish(&mut self, context: &Context) -> Result<()> {
        if let Some(g) = self.gathered.take()
            && !g.at.is_empty()
        {
            let scores = g.scores(self.criterion, context)?;
            self.compare(Features::Each(&g.features), &g.at, &scores)?;
        }
        Ok(())
    }
}

/// The refusal of a score that is no number.
pub(crate) fn not_a_number(feature: u32) -> Error {
    Error::Callback(format!(
        "the score of a split on column {feature} (counted from 0) is NaN; scores must be numbers"
    ))
}

impl Sink for BestOfEach<'_> {
    fn wants_best(&self) -> bool {
        self.gathered.is_none()
    }

    fn quick(&self, tables: &Tables<'_>, out: &mut [f64]) -> Option<f64> {
        self.criterion.screen(tables, out)
    }

    fn floor(&self) -> f64 {
        if self.winner_only { self.floor.max(self.top) } else { self.floor }
    }

    fn running_scores(&self) -> Option<RunningScores> {
        self.criterion.running_scores().filter(|_| self.wants_best())
    }

    fn estimated(&mut self, feature: u32, found: Estimates<'_>) -> Result<()> {
        if let Some(control) = self.watch {
            control.check()?;
        }
        self.keep_best(feature, found)
    }

    fn take(&mut self, block: &CandidateBlock<'_>) -> Result<()> {
        if let Some(control) = self.watch {
            control.check()?;
        }
        if let Some(g) = &mut self.gathered {
            reached::count(Way::Gathered);
            return g.take(block);
        }
        let mut scores = std::mem::take(&mut self.scores);
        scores.resize(block.tables.len, 0.0);
        let screened = match block.features {
            Features::One(feature) => {
                self.criterion.screen(&block.tables, &mut scores).map(|error| (feature, error))
            }
            Features::Each(_) => None,
        };
        if let Some((feature, error)) = screened {
            reached::count(Way::Screened);
            let mut exact = |j: usize, criterion: &dyn Criterion| {
                criterion.score_of(&block.tables.window(j, 1))
            };
            let at = &|j: usize| block.at[j];
            let largest = doubt::largest(&scores);
            let found = Estimates { at, scores: &scores, largest, error, exact: &mut exact };
            self.keep_best(feature, found)?;
        } else {
            reached::count(Way::Scored);
            self.criterion.score(&block.tables, &mut scores)?;
            match block.features {
                // Thresholds: most blocks do not hold the best, and one look tells.
                Features::One(feature)
                    if self.ties == Ties::First
                        && !scores.iter().any(|s| s.is_nan())
                        && self.features.last().is_some_and(|b| {
                            b.feature == feature && doubt::largest(&scores) <= b.score
                        }) => {}
                features => self.compare(features, block.at, &scores)?,
            }
        }
        self.scores = scores;
        Ok(())
    }
}

/// Keeps every score.
#[derive(Debug)]
pub struct Listing<'a> {
    best: BestOfEach<'a>,
    /// (feature, which candidate, score) in feature and threshold order.
    pub candidates: Vec<(u32, u32, f64)>,
}

impl<'a> Listing<'a> {
    /// For one node.
    pub fn new(criterion: &'a dyn Criterion) -> Self {
        Self { best: BestOfEach::new(criterion, Ties::First, false), candidates: Vec::new() }
    }

    /// Score what was gathered, if anything was.
    pub fn finish(&mut self, context: &Context) -> Result<()> {
        if let Some(g) = self.best.gathered.take()
            && !g.at.is_empty()
        {
            let scores = g.scores(self.best.criterion, context)?;
            if let Some(j) = scores.iter().position(|s| s.is_nan()) {
                return Err(not_a_number(g.features[j]));
            }
            self.candidates.extend((0..g.at.len()).map(|j| (g.features[j], g.at[j], scores[j])));
        }
        Ok(())
    }
}

impl Sink for Listing<'_> {
    fn take(&mut self, block: &CandidateBlock<'_>) -> Result<()> {
        if let Some(g) = &mut self.best.gathered {
            return g.take(block);
        }
        let mut scores = vec![0.0; block.tables.len];
        self.best.criterion.score(&block.tables, &mut scores)?;
        self.candidates.extend(
            block
                .at
                .iter()
                .zip(scores)
                .enumerate()
                .map(|(j, (&at, s))| (block.features.of(j), at, s)),
        );
        Ok(())
    }
}

/// Most cells that are gathered for one call.
const LARGEST_NODE: usize = 1 << 29;

/// All candidates of a node, as tables of real counts padded to the largest number of branches.
#[derive(Debug, Default)]
struct Gathered {
    /// One plane for each (branch, class).
    planes: Vec<Vec<f64>>,
    totals: Vec<f64>,
    classes: usize,
    declared: Vec<u32>,
    at: Vec<u32>,
    features: Vec<u32>,
}

impl Gathered {
    fn take(&mut self, block: &CandidateBlock<'_>) -> Result<()> {
        let t = &block.tables;
        let before = self.at.len();
        let planes = self.planes.len().max(t.branches * t.classes);
        if planes.saturating_mul(before + t.len) > LARGEST_NODE {
            return Err(Error::Data(format!(
                "a user's criterion is given all candidates of a node in one array of shape \
                 (candidates, branches, \
                 classes); here {} candidates of up to {} branches and {} classes would pass 4 \
                 GiB. Use fewer levels, \
                 discretize, or drop the largest column",
                before + t.len,
                planes / t.classes,
                t.classes
            )));
        }
        self.classes = t.classes;
        while self.planes.len() < t.branches * t.classes {
            self.planes.push(vec![0.0; before]);
        }
        for (i, plane) in self.planes.iter_mut().enumerate() {
            if i < t.branches * t.classes {
                let range = i * t.stride..i * t.stride + t.len;
                match t.cells {
                    Cells::Rows(c) => plane.extend(c[range].iter().map(|&c| f64::from(c))),
                    Cells::Weights(c) => plane.extend_from_slice(&c[range]),
                }
            } else {
                plane.resize(before + t.len, 0.0);
            }
        }
        self.totals = match t.totals {
            Cells::Rows(n) => n.iter().map(|&n| f64::from(n)).collect(),
            Cells::Weights(n) => n.to_vec(),
        };
        self.declared.extend_from_slice(&t.declared[..t.len]);
        self.at.extend_from_slice(&block.at[..t.len]);
        self.features.extend((0..t.len).map(|j| block.features.of(j)));
        Ok(())
    }

    fn scores(&self, criterion: &dyn Criterion, context: &Context) -> Result<Vec<f64>> {
        let len = self.at.len();
        memory::expect(len * self.planes.len() * size_of::<f64>())?;
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
