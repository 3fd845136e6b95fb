//! The choice of a route: the form in which growth reads the rows of a fit.
//!
//! [`ROUTES`] lists the routes with their conditions, in order; [`Route::choose`] takes the first
//! whose condition holds. The choice depends on the plan and on the [`FitShape`] of the rows alone.
//! `prepare`, `records` and `grow` ask for it and follow it.
//!
//! Two facts of a shape cost a pass over the cells: whether a cell is missing, and how many values
//! the columns have. A shape whose cells were not read assumes the facts that the quicker route
//! needs. The code that then reads the cells corrects the shape and asks again.
//!
//! All routes that serve a plan and its rows grow the same tree, bit for bit, so a wrong choice
//! costs only time. The exception is a histogram whose rows cannot be codes: its numbers are
//! rounded to their bins instead.
//!
//! | route | taken where | measured gain | bench |
//! |---|---|---|---|
//! | whole tree | evaluation is not local | no other serves | `global_side_by_side` |
//! | codes of bins | a histogram, and codes serve | 3.2 and 5.6 times [1] | `at_scale` |
//! | codes of values | few values per column, and codes serve | 2.7 times [2] | `side_by_side` |
//! | fractional rows | divided rows, or C4.5's rule | no other serves | `missing_side_by_side` |
//! | bit planes | nominal, multiway, unit weights | 3 times [3] | `growth` |
//! | sorted orders | all else [4] | | `side_by_side` |
//!
//! [1] Against an exact search, 100,000 and 1,000,000 rows of 20 float32 columns. [2] `letter`, 22
//! ms on sorted orders, 8 ms on codes. [3] 3,000 rows of 36 nominal columns, against counting rows
//! in tables. [4] Nodes that draw few of many features sort only these, and no orders are kept
//! ([`FitPlan::sorts_in_nodes`]): 4.7 times for ten trees on 2,000 rows of 20,000 float32 columns
//! (`at_scale --only wide`).

use super::config::{Config, ThresholdSearch};
use super::plan::FitPlan;
use crate::criteria::{EvidenceKind, SplitRule};
use crate::data::{Column, Dataset, Kind, MISSING, RowSet, Schema, Weights};
use crate::grow::{Evaluation, Thresholds};
use crate::numeric::Ties;
use crate::simd::columns::PLANE_GROUP;
use crate::split::NominalSplits;
use std::fmt;

/// Fewest rows for which an exact search counts the values of its columns: with fewer, counting
/// costs more than codes gain.
const LEAST_COUNTED: usize = 2000;
/// Rows of positive weight from which on forests search histograms.
pub(super) const MANY_ROWS: usize = 10_000;
/// Most values of a column that an exact search reads as codes, which are then single bytes.
pub(super) const MOST_VALUES: usize = 255;
/// Most classes of rows as codes; a class is a single byte of a record.
const MOST_CLASSES: usize = 255;
/// Most codes of a column, including the code of missing values; a code has at most 16 bits.
const MOST_CODES: usize = 1 << 16;
/// Most counters of a node on codes, which bounds the memory of its histograms where they are not
/// counted block by block.
const MOST_COUNTERS: usize = 1 << 24;
/// Most levels of a column on bit planes; the time of a node grows with their number.
const MOST_LEVELS: usize = 32;
/// Most words of 64 bits for all bit planes: 128 MiB.
const MOST_WORDS: usize = 1 << 24;

/// The form in which growth reads its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Rows with the label of their leaf, for the table of the whole tree.
    WholeTree,
    /// Records of codes of bins.
    Bins,
    /// Records of codes, one code for each value.
    Values,
    /// Lists of rows with weights.
    FractionalRows,
    /// Masks over bit planes of nominal features.
    BitPlanes,
    /// Ranges of sorted orders and of coded rows.
    SortedOrders,
}

/// A row of the table of routes.
struct RouteEntry {
    route: Route,
    name: &'static str,
    /// The condition in words, for users.
    condition: &'static str,
    /// The condition.
    serves: fn(&FitPlan, &FitShape) -> bool,
}

/// A reason why growth cannot read rows as codes.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodesObstacle {
    /// The parameter or property of the rows that excludes codes.
    pub what: &'static str,
    /// The parameters that may be chosen instead.
    pub instead: &'static str,
}

/// The routes in the order in which they are asked; the last one serves everything.
const ROUTES: [RouteEntry; 6] = [
    RouteEntry {
        route: Route::WholeTree,
        name: "whole tree",
        condition: "evaluation is global or glocal",
        serves: |plan, _| plan.config.evaluation != Evaluation::Local,
    },
    RouteEntry {
        route: Route::Bins,
        name: "codes of bins",
        condition: "threshold_search is 'histogram', or 'auto' in a forest of 10,000 rows",
        serves: serves_bins,
    },
    RouteEntry {
        route: Route::Values,
        name: "codes of values",
        condition: "at least 2,000 rows of numbers, none missing, at most 255 values per column",
        serves: serves_values,
    },
    RouteEntry {
        route: Route::FractionalRows,
        name: "fractional rows",
        condition: "rows without a value are divided among branches, or C4.5's rule chooses",
        serves: |plan, shape| {
            let divided = plan.is_fractional() && shape.has_gaps;
            divided || plan.criterion.split_rule() == SplitRule::C45
        },
    },
    RouteEntry {
        route: Route::BitPlanes,
        name: "bit planes",
        condition: "nominal columns of few levels, a branch for each level, unit weights",
        serves: serves_planes,
    },
    RouteEntry {
        route: Route::SortedOrders,
        name: "sorted orders",
        condition: "no other route serves",
        serves: |_, _| true,
    },
];

/// The facts about a column on which the choice of a route depends.
#[derive(Debug, Clone, Copy)]
pub struct ColumnShape {
    /// Number of levels (or codes) of a nominal column; `None` for a numeric one.
    pub levels: Option<usize>,
    /// A cell of some row is missing; false if the cells were not read.
    pub missing: bool,
}

/// The facts about the rows of a fit on which the choice of a route depends.
#[derive(Debug, Clone)]
pub struct FitShape {
    /// Number of rows with a positive weight.
    pub rows: usize,
    /// Number of rows of the data set.
    pub stored: usize,
    /// The rows are all rows of the data set with a positive weight: it is no fold, and none are
    /// held out.
    pub is_whole: bool,
    /// The rows are a sample of rows that cannot be codes.
    pub is_sample: bool,
    /// Number of declared classes.
    pub classes: usize,
    /// The target is a number.
    pub is_regression: bool,
    /// The columns, in feature order.
    pub columns: Vec<ColumnShape>,
    /// A cell of these rows is missing; false if the cells were not read.
    pub has_gaps: bool,
    /// Every row weighs 1.
    pub unit_weights: bool,
    /// Weights are numbers of copies.
    pub has_copies: bool,
    /// Most distinct values of a numeric column, where they were counted.
    pub values: Option<usize>,
}

impl FitShape {
    /// The shape of rows whose cells were not read. It assumes that no cell is missing and that all
    /// rows take part; a reader of the cells corrects it.
    pub(super) fn unread(schema: &Schema, rows: usize, weights: &Weights) -> Self {
        let column = |kind: &Kind| ColumnShape {
            levels: match kind {
                Kind::Numeric { .. } => None,
                Kind::Nominal { levels, .. } => Some(levels.len()),
            },
            missing: false,
        };
        Self {
            rows,
            stored: rows,
            is_whole: true,
            is_sample: false,
            classes: schema.classes.len(),
            is_regression: schema.classes.is_empty(),
            columns: schema.features.iter().map(|feature| column(&feature.kind)).collect(),
            has_gaps: false,
            unit_weights: matches!(weights, Weights::Unit),
            has_copies: weights.copies().is_some(),
            values: None,
        }
    }

    /// The shape of some rows of a data set; `rows` must not hold rows of weight 0.
    pub(super) fn new(data: &Dataset, rows: &RowSet, weights: &Weights) -> Self {
        let column = |column: &Column| match column {
            Column::Numeric(c) => ColumnShape { levels: None, missing: c.n_missing() > 0 },
            Column::Nominal(c) => {
                ColumnShape { levels: Some(c.levels()), missing: c.n_missing() > 0 }
            }
        };
        let weighing = match weights {
            Weights::Unit => data.len(),
            _ => (0..data.len() as u32).filter(|&r| !weights.is_zero(r)).count(),
        };
        Self {
            rows: rows.len(),
            stored: data.len(),
            is_sample: false,
            is_whole: rows.len() == weighing,
            classes: data.n_classes(),
            is_regression: data.target().is_some(),
            columns: data.columns().iter().map(column).collect(),
            has_gaps: some_cell_is_missing(data, rows),
            unit_weights: matches!(weights, Weights::Unit),
            has_copies: weights.copies().is_some(),
            values: None,
        }
    }

    /// The shape of rows of which only codes are left. Weights are not known to be 1, so routes
    /// that need unit weights are not taken.
    pub(super) fn from_codes(columns: Vec<ColumnShape>, rows: usize, classes: usize) -> Self {
        Self {
            rows,
            stored: rows,
            is_whole: true,
            is_sample: false,
            classes,
            is_regression: false,
            has_gaps: columns.iter().any(|c| c.missing),
            columns,
            unit_weights: false,
            has_copies: false,
            values: None,
        }
    }

    /// The shape of a sample of rows that cannot be codes. It differs from [`Self::new`] only in
    /// that no route on codes is chosen.
    pub(super) fn from_sample(data: &Dataset, rows: &RowSet, weights: &Weights) -> Self {
        Self { is_sample: true, ..Self::new(data, rows, weights) }
    }

    /// Whether all columns are numeric.
    fn is_numeric(&self) -> bool {
        self.columns.iter().all(|c| c.levels.is_none())
    }

    /// The number of codes of the widest column, without the code of missing values, if numeric
    /// columns have `numeric` codes.
    fn widest(&self, numeric: usize) -> usize {
        self.columns.iter().map(|c| c.levels.unwrap_or(numeric)).max().unwrap_or(0)
    }
}

/// A route, and why it was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    name: &'static str,
    condition: &'static str,
    /// Why the numbers of a histogram are rounded instead of being codes.
    rounded: Option<&'static str>,
}

impl Reason {
    /// The reason of a fit on records of codes, which have no other route.
    pub(super) const RECORDS: Self = Self {
        name: "codes of bins",
        condition: "rows came in batches or partitions",
        rounded: None,
    };
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.condition)?;
        match self.rounded {
            Some(why) => write!(f, "; numbers are rounded to their bins ({why})"),
            None => Ok(()),
        }
    }
}

impl Route {
    /// The route of a fit, and why it is taken. It is the first of `ROUTES` whose condition holds;
    /// the last one serves every fit. It reads only the plan and the shape, never a cell.
    pub fn choose(plan: &FitPlan, shape: &FitShape) -> (Self, Reason) {
        let entry = ROUTES
            .iter()
            .find(|entry| (entry.serves)(plan, shape))
            .unwrap_or(&ROUTES[ROUTES.len() - 1]);
        let rounds = plan.searches_bins() && entry.route != Self::Bins;
        let rounded = match rounds && shape.columns.iter().any(|c| c.levels.is_none()) {
            true => codes_obstacle(plan, shape, plan.config.max_bins as usize).map(|o| o.what),
            false => None,
        };
        (entry.route, Reason { name: entry.name, condition: entry.condition, rounded })
    }

    /// Whether growth reads records of codes. The data set is then encoded into such records before
    /// growth; other routes read its columns.
    pub fn is_on_codes(self) -> bool {
        matches!(self, Self::Bins | Self::Values)
    }

    /// Whether the fit reads nothing but codes of the caller's cells, so that no data set need be
    /// encoded. Missing cells, nominal columns and steps that read rows after growth all need a
    /// data set.
    pub(super) fn reads_cells(self, plan: &FitPlan, shape: &FitShape) -> bool {
        self.is_on_codes()
            && shape.is_numeric()
            && !shape.has_gaps
            && !reads_rows_again(&plan.config)
            && !plan.criterion.needs_all_candidates()
            && shape.classes <= MOST_CLASSES
            && !(plan.config.class_weight.is_some() && shape.has_copies)
    }
}

impl FitPlan {
    /// Whether the nodes of a tree on sorted orders draw so few of the features that sorting only
    /// these is quicker than dividing the orders of all. A node then sorts its rows only in the
    /// columns that it draws.
    pub(super) fn sorts_in_nodes(&self, features: usize) -> bool {
        /// Orders that are divided in the time of a sort: a row takes 1 ns, and 20 to 40 where its
        /// value is looked up and sorted.
        const PER_SORT: usize = 32;
        let drawn = self.config.drawn_features(features);
        drawn.is_some_and(|drawn| drawn.saturating_mul(PER_SORT) < features)
            && self.config.evaluation == Evaluation::Local
            && self.criterion.info().evidence.is_table()
    }

    /// Whether growth by a route that reads no codes reads the orders of the columns. If not, its
    /// nodes sort the columns that they draw.
    pub(super) fn needs_orders(&self, route: Route, data: &Dataset) -> bool {
        route != Route::SortedOrders || !self.sorts_in_nodes(data.columns().len())
    }

    /// Whether a fit on all rows, if no value is missing, reads the orders of the columns, and
    /// single numbers only to compute thresholds. The data set can then read these numbers in the
    /// caller's array instead of copying all of them.
    pub fn reads_orders(&self) -> bool {
        let config = &self.config;
        config.evaluation == Evaluation::Local
            && self.criterion.info().evidence == EvidenceKind::Table
            && self.criterion.split_rule() != SplitRule::C45
            && !self.criterion.needs_all_candidates()
            && !self.searches_bins()
            && config.significance.is_none()
            && !reads_rows_again(config)
            && config.discretize.is_none()
            && config.thresholds != Thresholds::TrainingValue
            && config.splitter.is_exhaustive()
    }

    /// Whether a forest, if no value is missing, reads the bins of the rows and never the rows
    /// again. The caller's array is then binned without a copy. `rows` is the number of rows, which
    /// decides for an automatic search of thresholds.
    pub fn reads_bins(&self, schema: &Schema, rows: usize) -> bool {
        let by_bins = match self.config.threshold_search {
            ThresholdSearch::Auto => rows >= MANY_ROWS,
            search => search == ThresholdSearch::Histogram,
        };
        let shape = FitShape::unread(schema, rows, &Weights::Unit);
        let bins = self.config.max_bins as usize;
        by_bins
            && self.config.discretize.is_none()
            && !reads_rows_again(&self.config)
            && codes_obstacle(self, &shape, bins).is_none()
    }
}

/// Whether something after growth reads the rows.
fn reads_rows_again(config: &Config) -> bool {
    config.pruning.is_some() || config.merge_redundant.is_some() || config.alpha_rule.is_some()
}

/// The condition of [`Route::Bins`].
fn serves_bins(plan: &FitPlan, shape: &FitShape) -> bool {
    plan.searches_bins() && codes_obstacle(plan, shape, plan.config.max_bins as usize).is_none()
}

/// The condition of [`Route::Values`].
fn serves_values(plan: &FitPlan, shape: &FitShape) -> bool {
    let config = &plan.config;
    let values = shape.values.unwrap_or(2).max(2);
    // Only with midpoints do the thresholds equal the thresholds of sorted orders.
    !plan.searches_bins()
        && config.thresholds == Thresholds::Midpoint
        && config.discretize.is_none()
        && !shape.is_regression
        // The gain was measured on numbers alone.
        && shape.is_numeric()
        && !shape.has_gaps
        // Counting the values of folds, or of few rows, costs more than codes gain.
        && shape.is_whole
        && shape.rows >= LEAST_COUNTED
        && values <= MOST_VALUES
        && !reads_rows_again(config)
        && !plan.criterion.needs_all_candidates()
        && codes_obstacle(plan, shape, values).is_none()
}

/// The first reason why growth cannot read records of codes, if there is one; numeric columns have
/// at most `numeric` codes.
pub(super) fn codes_obstacle(
    plan: &FitPlan,
    shape: &FitShape,
    numeric: usize,
) -> Option<CodesObstacle> {
    let config = &plan.config;
    let because = |what, instead| Some(CodesObstacle { what, instead });
    let widest = shape.widest(numeric) + 1;
    let counters = widest.saturating_mul(shape.columns.len()).saturating_mul(shape.classes + 1);
    let missing = shape.columns.iter().any(|c| c.missing);
    if config.significance.is_some() {
        because("selection='significance'", "selection='score'")
    } else if shape.is_sample {
        because("a sample of rows that are no codes", "")
    } else if config.evaluation != Evaluation::Local {
        because("evaluation='global' or 'glocal'", "evaluation='local'")
    } else if shape.is_regression && plan.criterion.info().evidence != EvidenceKind::Moments {
        because("a criterion on the order of a number, or a function", "squared_error")
    } else if !plan.criterion.info().evidence.is_table() {
        because("a criterion on pairs, neighbours or rows", "criteria on tables")
    } else if plan.criterion.split_rule() == SplitRule::C45 {
        because("mdl_penalty=True", "mdl_penalty=False")
    } else if config.ties == Ties::Row {
        because("ties='row'", "ties='first' or 'random'")
    } else if !config.splitter.is_exhaustive() {
        because("splitter='random'", "splitter='best'")
    } else if missing && plan.is_fractional() {
        because("missing values that divide rows among branches", "missing='branch' or 'mode'")
    } else if shape.classes > MOST_CLASSES || widest > MOST_CODES || counters > MOST_COUNTERS {
        because(
            "more classes, levels or bins than codes serve",
            "at most 255 classes, and fewer levels or max_bins",
        )
    } else {
        None
    }
}

/// The condition of [`Route::BitPlanes`].
fn serves_planes(plan: &FitPlan, shape: &FitShape) -> bool {
    let multiway = |levels| plan.config.nominal_splits.resolve(levels) == NominalSplits::Multiway;
    // The last level of a column has no plane; each class begins a new word.
    let planes: usize = shape.columns.iter().map(|c| c.levels.unwrap_or(0).max(1) - 1).sum();
    let width = planes.next_multiple_of(PLANE_GROUP);
    let words = shape.stored.div_ceil(64) + shape.classes;
    let serves =
        |c: &ColumnShape| c.levels.is_some_and(|n| n <= MOST_LEVELS && multiway(n)) && !c.missing;
    shape.unit_weights
        && plan.config.significance.is_none()
        && plan.config.drawn_features(shape.columns.len()).is_none()
        && plan.limits().constraints.is_none()
        && !plan.criterion.needs_all_candidates()
        && plan.criterion.info().evidence == EvidenceKind::Table
        && planes > 0
        && words.saturating_mul(width) <= MOST_WORDS
        && shape.columns.iter().all(serves)
}

/// Whether a cell of these rows is missing.
fn some_cell_is_missing(data: &Dataset, rows: &RowSet) -> bool {
    data.columns().iter().any(|column| match column {
        Column::Numeric(c) => c.n_missing() > 0 && rows.rows().iter().any(|&r| c.value(r).is_nan()),
        Column::Nominal(c) => {
            c.n_missing() > 0 && rows.rows().iter().any(|&r| c.code(r) == MISSING)
        }
    })
}
