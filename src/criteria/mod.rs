//! Split criteria: pure functions of evidence, one file each.
//!
//! A criterion declares its [`Evidence`], and growth asks `stats` for it. One on tables sees a *block* of candidates at once ([`Tables`]: struct of arrays
//! `[branch][class][candidate]`), because inner loops over candidates vectorise and the virtual call is
//! paid once a block; one on [`pairs`] sees the pairs of a node, for all features together. It returns a *score* (larger is better) and, for growth that compares leaves or
//! whole trees, a *distance* (smaller is better). It knows nothing of growing, features or thresholds.
//!
//! To add one: write a file with a struct for its options, `info()` and one generic `score`
//! ([`Formula`]), and give it one entry in [`CRITERIA`]. Names, defaults, documentation, Python
//! classes, command-line choices, contract tests and bench rows come from that entry.

use crate::error::{Error, Result};
pub use crate::numeric::Cells;
use crate::numeric::{Count, Logs};
pub use info_gain::InfoGain;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

mod accuracy;
mod angle;
mod assignment;
mod auc;
mod chi2;
mod contextual_merit;
mod contrast;
mod dkm;
mod euclid;
mod f_measure;
mod f_measure_max;
mod g_statistic;
mod gain_ratio;
mod gini;
mod hellinger;
mod info_gain;
mod information;
mod jaccard;
mod k_nearest_merit;
mod laplace;
mod mantaras;
mod mdl;
mod minimal_tree_size;
mod multisurf;
pub mod neighbours;
mod nmi;
mod normal_gain;
mod orthogonality;
pub mod pairs;
mod pi;
mod relief;
mod relieff;
pub mod rows;
mod surf;
mod symmetric_uncertainty;
mod twoing;
mod variation_of_information;

/// What a criterion needs to know about the rows of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// The contingency table branch x class.
    Table,
    /// Counts of ordered pairs of rows by case and distance.
    Pairs,
    /// k nearest or all rows in a radius, for each row.
    Neighbours,
    /// The rows themselves.
    Rows,
}

/// One option of a criterion, as data.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct OptionInfo {
    /// Name in Python and in the command line.
    pub name: &'static str,
    /// Default, as JSON text.
    pub default: &'static str,
    /// Domain and meaning in one sentence.
    pub doc: &'static str,
}

/// Facts about a criterion with default options; property tests verify every one of them.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Info {
    /// Canonical name.
    pub name: &'static str,
    /// Other names for the same thing.
    pub aliases: &'static [&'static str],
    /// Name of the Python class in `fasttree.criteria`.
    pub class_name: &'static str,
    /// One sentence for people.
    pub summary: &'static str,
    /// LaTeX formula of the score.
    pub formula: &'static str,
    /// Formula of the distance, in terms of the score or on its own.
    pub distance: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Evidence needed.
    pub evidence: Evidence,
    /// Smallest possible score (`-inf` as `None`).
    pub lowest: Option<f64>,
    /// Largest possible score over all tables (`None`: unbounded).
    pub highest: Option<f64>,
    /// Score of a table equals the score of its transpose.
    pub symmetric: bool,
    /// Reordering branches changes nothing.
    pub branch_invariant: bool,
    /// Reordering classes changes nothing.
    pub class_invariant: bool,
    /// The distance is a metric on partitions of the same rows.
    pub metric: bool,
    /// Score is a strictly quasi-convex function of the left counts of a binary split along a run of rows of one class (convex,
    /// an increasing function of a convex one, or convex over concave): a threshold inside the run scores below the better end
    /// of the run, and at the ends of the data below the other end (Fayyad & Irani 1992). Where a minimum leaf size forbids an
    /// end of a run, the thresholds next to the forbidden zone remain candidates.
    pub convex: bool,
    /// Scores may be scaled by the known fraction when values are missing.
    pub fractional: bool,
    /// Options of the criterion.
    pub options: &'static [OptionInfo],
    /// A worked example: rows are branches, columns are classes.
    pub example: &'static [&'static [u32]],
    /// Its score with default options.
    pub example_score: f64,
}

impl Info {
    /// What most criteria that need more than a table have in common: the distance `-s`, no bounds, no worked example. The rest
    /// is for the criterion to say.
    const fn beyond_tables(evidence: Evidence) -> Self {
        Self {
            name: "",
            aliases: &[],
            class_name: "",
            summary: "",
            formula: "",
            distance: "-s",
            source: "",
            evidence,
            lowest: None,
            highest: None,
            symmetric: false,
            branch_invariant: true,
            class_invariant: true,
            metric: false,
            convex: false,
            fractional: false,
            options: &[],
            example: &[],
            example_score: 0.0,
        }
    }
}

/// Facts about the training set that a formula may need.
#[derive(Debug, Clone)]
pub struct Context {
    /// Tables of logarithms up to the number of rows.
    pub logs: Logs,
    /// Number of declared classes (length of the class axis).
    pub classes: usize,
    /// Which of them occur in the training set.
    pub occurring: Vec<bool>,
}

impl Context {
    /// A context for tables with `classes` classes, all of which occur, and at most `max` rows.
    pub fn new(classes: usize, max: u64) -> Self {
        Self { logs: Logs::up_to(max), classes, occurring: vec![true; classes] }
    }

    /// Number of classes that occur in the training set.
    pub fn n_occurring(&self) -> usize {
        self.occurring.iter().filter(|&&o| o).count()
    }
}

/// A block of candidates of one node. All candidates have the same number of branches and the same
/// class totals (those of the node's rows, or of the rows with a known value).
#[derive(Debug, Clone, Copy)]
pub struct Tables<'a> {
    /// `cells[(branch * classes + class) * stride + candidate]`.
    pub cells: Cells<'a>,
    /// Class totals, length `classes`, of the same kind as `cells`.
    pub totals: Cells<'a>,
    /// Number of branches.
    pub branches: usize,
    /// Number of declared classes.
    pub classes: usize,
    /// Distance between the planes of two neighbouring cells.
    pub stride: usize,
    /// Number of candidates, at most `stride`.
    pub len: usize,
    /// Declared number of values of the split feature of each candidate (2 for a threshold).
    pub declared: &'a [u32],
    /// Facts about the training set.
    pub context: &'a Context,
}

/// [`Tables`] with the type of the counts known; what a formula is written against.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a, C> {
    cells: &'a [C],
    /// Class totals.
    pub totals: &'a [C],
    /// Number of branches.
    pub branches: usize,
    /// Number of declared classes.
    pub classes: usize,
    stride: usize,
    /// Number of candidates.
    pub len: usize,
    /// Declared number of values of each candidate.
    pub declared: &'a [u32],
    /// Facts about the training set.
    pub context: &'a Context,
}

impl<'a, C: Count> Block<'a, C> {
    /// Counts of one cell for all candidates.
    #[inline]
    pub fn cell(&self, branch: usize, class: usize) -> &'a [C] {
        let start = (branch * self.classes + class) * self.stride;
        &self.cells[start..start + self.len]
    }

    /// Count of one cell of one candidate.
    #[inline]
    pub fn at(&self, branch: usize, class: usize, candidate: usize) -> C {
        self.cells[(branch * self.classes + class) * self.stride + candidate]
    }

    /// Counts of the classes in one branch of one candidate.
    #[inline]
    pub fn branch(&self, branch: usize, candidate: usize) -> impl Iterator<Item = C> + Clone + use<'a, C> {
        let (cells, stride) = (self.cells, self.stride);
        let start = branch * self.classes * stride + candidate;
        (0..self.classes).map(move |c| cells[start + c * stride])
    }

    /// Rows (or weight) of one branch of one candidate.
    #[inline]
    pub fn branch_total(&self, branch: usize, candidate: usize) -> C {
        self.branch(branch, candidate).fold(C::default(), C::plus)
    }

    /// The candidates `at..at + len`, without copying.
    #[inline]
    pub fn part(&self, at: usize, len: usize) -> Self {
        debug_assert!(at + len <= self.len);
        Self { cells: &self.cells[at..], len, declared: &self.declared[at..], ..*self }
    }

    /// Rows (or weight) of the node.
    #[inline]
    pub fn total(&self) -> C {
        self.totals.iter().fold(C::default(), |a, &b| a.plus(b))
    }
}

impl<'a> Tables<'a> {
    /// One table given as rows of branches; for tests, documentation and single questions.
    pub fn one(cells: &'a [u32], totals: &'a [u32], declared: &'a [u32; 1], context: &'a Context) -> Self {
        Self {
            cells: Cells::Rows(cells),
            totals: Cells::Rows(totals),
            branches: cells.len() / context.classes,
            classes: context.classes,
            stride: 1,
            len: 1,
            declared,
            context,
        }
    }

    /// Rows (or weight) of the node.
    pub fn n(&self) -> f64 {
        match self.totals {
            Cells::Rows(t) => t.iter().map(|&c| f64::from(c)).sum(),
            Cells::Weights(t) => t.iter().sum(),
        }
    }

    /// The candidates `at..at + len` of this block, as a block of their own; nothing is copied.
    pub fn window(&self, at: usize, len: usize) -> Tables<'a> {
        debug_assert!(at + len <= self.len);
        let cells = match self.cells {
            Cells::Rows(c) => Cells::Rows(&c[at..]),
            Cells::Weights(c) => Cells::Weights(&c[at..]),
        };
        Tables { cells, len, declared: &self.declared[at..], ..*self }
    }

    fn block<C: Count>(&self, cells: &'a [C], totals: &'a [C]) -> Block<'a, C> {
        Block {
            cells,
            totals,
            branches: self.branches,
            classes: self.classes,
            stride: self.stride,
            len: self.len,
            declared: self.declared,
            context: self.context,
        }
    }
}

/// How the best feature is picked once every feature has its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Guard {
    /// The largest score wins.
    #[default]
    None,
    /// Features whose gain is below the mean gain of the features with a valid split score 0.
    Average,
    /// As in C4.5 (release 8) and J48: gain >= mean gain - 1e-3 over usable splits.
    J48,
    /// Features whose gain is below (sum of gains)/(features + 1) score 0 (Chen 2013).
    Chen2013,
}

/// A criterion as growth sees it.
pub trait Criterion: Send + Sync + std::fmt::Debug {
    /// Facts.
    fn info(&self) -> &'static Info;
    /// Options as JSON, in the order of `info().options`.
    fn options(&self) -> Value;
    /// Scores (larger is better) of all candidates of a block; `out.len() == tables.len`.
    fn score(&self, tables: &Tables<'_>, out: &mut [f64]) -> Result<()>;
    /// Distances (smaller is better) of all candidates of a block.
    fn distance(&self, tables: &Tables<'_>, out: &mut [f64]) -> Result<()>;
    /// Cheap approximations of the scores and a bound on their error; see [`Formula::screen`].
    fn screen(&self, _tables: &Tables<'_>, _out: &mut [f64]) -> Option<f64> {
        None
    }
    /// The selection rule that goes with it.
    fn guard(&self) -> Guard {
        Guard::None
    }
    /// Candidates are enumerated as C4.5 release 8 does; see `split::c45`.
    fn mdl_penalty(&self) -> bool {
        false
    }
    /// All candidates of a node must come in one block (a user's function: one call a node).
    fn joined(&self) -> bool {
        false
    }
    /// With two classes a best division of levels cuts their order by the share of a class (tested for all that say so).
    fn orders_levels(&self) -> bool {
        false
    }
    /// [`Info::convex`] also beside a branch that thresholds leave alone, but for the first and the last of all thresholds.
    fn convex_beside(&self) -> bool {
        false
    }
    /// The criterion for tables whose branch i holds the rows labelled i; nothing when it reads them as any other.
    fn labelled(&self) -> Option<Box<dyn Criterion>> {
        None
    }
    /// What one label's row adds to the distance of a whole tree's table; see [`Formula::row_terms`].
    fn row_terms(&self, _row: &rows::Row<'_>, _out: &mut [f64]) -> bool {
        false
    }
    /// Its formula on pairs of rows, where these are its evidence.
    fn on_pairs(&self) -> Option<&dyn pairs::OnPairs> {
        None
    }
    /// Search nodes that the smallest tree of a branch may take, where the evidence are the rows themselves.
    fn on_rows(&self) -> Option<u64> {
        None
    }
    /// How it picks neighbours of rows, where these are its evidence.
    fn on_neighbours(&self) -> Option<neighbours::Search> {
        None
    }
}

/// What a file of this room implements: the formula, once, for any kind of count.
pub trait Formula: Send + Sync + std::fmt::Debug + Serialize + 'static {
    /// Facts.
    fn info(&self) -> &'static Info;
    /// Scores of a block.
    fn score<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]);
    /// Distances of a block; `-score` unless the criterion says otherwise.
    fn distance<C: Count>(&self, block: &Block<'_, C>, out: &mut [f64]) {
        self.score(block, out);
        for d in out {
            *d = -*d;
        }
    }
    /// Write approximations of the scores into `out` and return a bound `e` on their distance from what [`Formula::score`]
    /// rounds: only candidates with `out[j] >= max(out) - 2 e` need the exact formula. `None`: `out` is untouched.
    fn screen<C: Count>(&self, _block: &Block<'_, C>, _out: &mut [f64]) -> Option<f64> {
        None
    }
    /// The selection rule that goes with it.
    fn guard(&self) -> Guard {
        Guard::None
    }
    /// See [`Criterion::orders_levels`].
    fn orders_levels(&self) -> bool {
        Formula::info(self).convex
    }
    /// See [`Criterion::convex_beside`].
    fn convex_beside(&self) -> bool {
        Formula::info(self).convex
    }
    /// Candidates are enumerated as C4.5 release 8 does.
    fn mdl_penalty(&self) -> bool {
        false
    }
    /// Another formula where branch i of a table holds the rows labelled i; see [`Criterion::labelled`].
    fn labelled(&self) -> Option<Box<dyn Criterion>> {
        None
    }
    /// Where the distance of a table is a sum over its branches, up to a number that depends on the class totals alone: the summands
    /// of branch `row.label`, within 1e-12 for totals of any size. `false`: it is no such sum; `out` is untouched.
    fn row_terms<C: Count>(&self, _row: &rows::RowOf<'_, C>, _out: &mut [f64]) -> bool {
        false
    }
    /// Refuse options outside their domain.
    fn check(&self) -> Result<()> {
        Ok(())
    }
    /// Refuse a block that the options cannot serve: `classes` declared classes, `n` rows (or weight).
    fn admit(&self, _classes: usize, _n: f64) -> Result<()> {
        Ok(())
    }
}

impl<F: Formula> Criterion for F {
    fn info(&self) -> &'static Info {
        Formula::info(self)
    }
    fn options(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
    fn score(&self, t: &Tables<'_>, out: &mut [f64]) -> Result<()> {
        self.admit(t.classes, t.n())?;
        match (t.cells, t.totals) {
            (Cells::Rows(c), Cells::Rows(n)) => Formula::score(self, &t.block(c, n), out),
            (Cells::Weights(c), Cells::Weights(n)) => Formula::score(self, &t.block(c, n), out),
            _ => return Err(Error::Internal("cells and totals of different kinds".into())),
        }
        Ok(())
    }
    fn distance(&self, t: &Tables<'_>, out: &mut [f64]) -> Result<()> {
        self.admit(t.classes, t.n())?;
        match (t.cells, t.totals) {
            (Cells::Rows(c), Cells::Rows(n)) => Formula::distance(self, &t.block(c, n), out),
            (Cells::Weights(c), Cells::Weights(n)) => Formula::distance(self, &t.block(c, n), out),
            _ => return Err(Error::Internal("cells and totals of different kinds".into())),
        }
        Ok(())
    }
    fn screen(&self, t: &Tables<'_>, out: &mut [f64]) -> Option<f64> {
        match (t.cells, t.totals) {
            (Cells::Rows(c), Cells::Rows(n)) => Formula::screen(self, &t.block(c, n), out),
            (Cells::Weights(c), Cells::Weights(n)) => Formula::screen(self, &t.block(c, n), out),
            _ => None,
        }
    }
    fn guard(&self) -> Guard {
        Formula::guard(self)
    }
    fn orders_levels(&self) -> bool {
        Formula::orders_levels(self)
    }
    fn convex_beside(&self) -> bool {
        Formula::convex_beside(self)
    }
    fn mdl_penalty(&self) -> bool {
        Formula::mdl_penalty(self)
    }
    fn labelled(&self) -> Option<Box<dyn Criterion>> {
        Formula::labelled(self)
    }
    fn row_terms(&self, row: &rows::Row<'_>, out: &mut [f64]) -> bool {
        match row.totals {
            Cells::Rows(_) => row.of::<u32>().is_some_and(|row| Formula::row_terms(self, &row, out)),
            Cells::Weights(_) => row.of::<f64>().is_some_and(|row| Formula::row_terms(self, &row, out)),
        }
    }
}

/// Makes a criterion from its options.
pub type Make = fn(Map<String, Value>) -> Result<Box<dyn Criterion>>;

/// One line of the registry.
pub struct Entry {
    /// Facts.
    pub info: &'static Info,
    /// Make the criterion from its options.
    pub make: Make,
}

/// Build a criterion from options; unknown names and values outside their domain are refused.
pub(crate) fn from_options<F: Formula + DeserializeOwned>(
    options: Map<String, Value>,
) -> Result<Box<dyn Criterion>> {
    let made: F = serde_json::from_value(Value::Object(options))
        .map_err(|e| Error::parameter("criterion", "options", e))?;
    made.check()?;
    Ok(Box::new(made))
}

macro_rules! entry {
    ($module:ident :: $type:ident) => {
        entry!($module::$type, $module::INFO)
    };
    ($module:ident :: $type:ident, $info:expr) => {
        Entry { info: &$info, make: from_options::<$module::$type> }
    };
    (on pairs $module:ident :: $type:ident) => {
        Entry { info: &$module::INFO, make: pairs::from_options::<$module::$type> }
    };
    (on neighbours $module:ident :: $type:ident, $info:expr) => {
        Entry { info: &$info, make: neighbours::from_options::<$module::$type> }
    };
}

/// All criteria, in the order in which tables list them.
pub static CRITERIA: &[Entry] = &[
    entry!(info_gain::InfoGain),
    entry!(gain_ratio::GainRatio),
    entry!(normal_gain::NormalGain),
    entry!(mantaras::Mantaras),
    entry!(variation_of_information::VariationOfInformation),
    entry!(symmetric_uncertainty::SymmetricUncertainty),
    entry!(nmi::GeometricNmi, nmi::GEOMETRIC),
    entry!(nmi::MinNmi, nmi::MIN),
    entry!(nmi::MaxNmi, nmi::MAX),
    entry!(gini::Gini),
    entry!(chi2::Chi2),
    entry!(g_statistic::GStatistic),
    entry!(laplace::Laplace),
    entry!(accuracy::Accuracy),
    entry!(jaccard::Jaccard),
    entry!(f_measure::FMeasure),
    entry!(f_measure_max::FMeasureMax),
    entry!(mdl::Mdl),
    entry!(dkm::Dkm),
    entry!(hellinger::Hellinger),
    entry!(euclid::Euclid),
    entry!(angle::Angle),
    entry!(orthogonality::Orthogonality),
    entry!(twoing::Twoing),
    entry!(auc::Auc),
    entry!(on pairs pi::Pi),
    entry!(on pairs contextual_merit::ContextualMerit),
    entry!(on pairs relief::Relief),
    Entry { info: &minimal_tree_size::INFO, make: minimal_tree_size::make },
    entry!(on neighbours relieff::ReliefF, relieff::INFO),
    entry!(on neighbours surf::Surf, surf::INFO),
    entry!(on neighbours surf::SurfStar, surf::STAR),
    entry!(on neighbours multisurf::MultiSurf, multisurf::INFO),
    entry!(on neighbours multisurf::MultiSurfStar, multisurf::STAR),
    entry!(on neighbours k_nearest_merit::KNearestMerit, k_nearest_merit::INFO),
];

/// The entry with this name or alias; otherwise an error that lists the names and the nearest one.
pub fn find(name: &str) -> Result<&'static Entry> {
    if let Some(e) = CRITERIA.iter().find(|e| e.info.name == name || e.info.aliases.contains(&name)) {
        return Ok(e);
    }
    let names: Vec<&str> = CRITERIA.iter().map(|e| e.info.name).collect();
    let nearest = names.iter().min_by_key(|n| edit_distance(n, name));
    let hint = match nearest {
        Some(n) if edit_distance(n, name) <= 3 => format!("did you mean '{n}'? "),
        _ => String::new(),
    };
    Err(Error::parameter(
        "criterion",
        format!("'{name}'"),
        format!("no such criterion; {hint}known: {}", names.join(", ")),
    ))
}

/// A criterion from its name and options.
pub fn make(name: &str, options: Map<String, Value>) -> Result<Box<dyn Criterion>> {
    (find(name)?.make)(options)
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
