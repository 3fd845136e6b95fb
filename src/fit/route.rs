//! Which route a fit takes: every condition, in one table.
//!
//! **What.** A route is the form in which growth reads its rows: codes of bins or of values,
//! lists with weights, bit planes, sorted orders, or the labels of all leaves. [`ROUTES`] lists
//! them in the order in which they are asked; the first whose condition holds is taken
//! ([`Route::of`]). It depends on the plan and on the [`FitShape`] of the rows, never on what was
//! done with the rows before.
//!
//! **How.** Two facts of a shape cost a pass over the cells: whether one is missing, and how many
//! values the columns have. Until they are known the shape is taken to have the fact that the
//! quicker route needs; who reads the cells and finds otherwise completes the shape and asks again.
//!
//! **Gain.** The routes that serve the same plan and rows grow the same tree, bit for bit, but for
//! rounded numbers, which take the place of codes where codes do not serve. A wrong choice costs
//! time.
//!
//! | route | taken where | measured gain | bench |
//! |---|---|---|---|
//! | whole tree | evaluation is not local | no other serves | `global_side_by_side` |
//! | codes of bins | a histogram, and codes serve | 3.2 and 5.6 times [1] | `at_scale` |
//! | codes of values | few values per column, and codes serve | 2.7 times [2] | `side_by_side` |
//! | fractional rows | divided rows, or C4.5's rule | no other serves | `missing_side_by_side` |
//! | bit planes | nominal, multiway, unit weights | 3 times [3] | `growth` |
//! | sorted orders | all else | | `side_by_side` |
//!
//! [1] Against an exact search, 100,000 and 1,000,000 rows of 20 float32 columns. [2] `letter`,
//! 22 ms on sorted orders, 8 ms on codes. [3] 3,000 rows of 36 nominal columns, against counting
//! rows in tables.

use super::{Config, FitPlan};
use crate::criteria::{EvidenceKind, SplitRule};
use crate::data::{Column, Dataset, Kind, MISSING, RowSet, Schema, Weights};
use crate::grow::{Evaluation, Thresholds};
use crate::numeric::Ties;
use crate::simd::columns::PLANE_GROUP;
use crate::split::NominalSplits;
use std::fmt;

/// Rows from which an exact search counts the values of its columns.
const LEAST_COUNTED: usize = 2000;
/// Most values of a column that an exact search reads as codes, which are then single bytes.
pub(super) const MOST_VALUES: usize = 255;
/// Most classes of rows of codes.
const MOST_CLASSES: usize = 255;
/// Most codes of a column, that of missing values included.
const MOST_CODES: usize = 1 << 16;
/// Most counters of a node of codes.
const MOST_COUNTERS: usize = 1 << 23;
/// Most levels of a column on bit planes.
const MOST_LEVELS: usize = 32;
/// Largest memory of bit planes, in words of 64 bits.
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
    /// Where the route is taken, as a user reads it.
    condition: &'static str,
    serves: fn(&FitPlan, &FitShape) -> bool,
}

/// What keeps rows from being codes, and what may be chosen instead.
pub(super) type Bar = (&'static str, &'static str);

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
        condition: "threshold_search='histogram'",
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

/// What is known of a column.
#[derive(Debug, Clone, Copy)]
pub struct ColumnShape {
    /// Levels of a nominal column; nothing of numbers.
    pub levels: Option<usize>,
    /// A cell of some row is missing, as far as it is known.
    pub missing: bool,
}

/// What the choice of a route needs to know of the rows of a fit.
#[derive(Debug, Clone)]
pub struct FitShape {
    /// Rows that weigh something.
    pub rows: usize,
    /// Rows of the data set.
    pub stored: usize,
    /// They are all such rows of the data set: no fold, no part held out.
    pub is_whole: bool,
    /// They are a sample of rows that were found not to be codes.
    pub is_sample: bool,
    /// Declared classes.
    pub classes: usize,
    /// The columns, in feature order.
    pub columns: Vec<ColumnShape>,
    /// A cell of these rows is missing, as far as it is known.
    pub has_gaps: bool,
    /// Every row counts once.
    pub unit_weights: bool,
    /// A row stands for several copies.
    pub has_copies: bool,
    /// Most distinct values of a numeric column, where they were counted.
    pub values: Option<usize>,
}

impl FitShape {
    /// The shape of rows whose cells were not looked at.
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
            columns: schema.features.iter().map(|feature| column(&feature.kind)).collect(),
            has_gaps: false,
            unit_weights: matches!(weights, Weights::Unit),
            has_copies: weights.copies().is_some(),
            values: None,
        }
    }

    /// The shape of some rows of a data set; `rows` are without those of weight 0.
    pub(super) fn of(data: &Dataset, rows: &RowSet, weights: &Weights) -> Self {
        let column = |column: &Column| match column {
            Column::Numeric(c) => ColumnShape { levels: None, missing: c.n_missing() > 0 },
            Column::Nominal(c) => {
                ColumnShape { levels: Some(c.levels()), missing: c.n_missing() > 0 }
            }
        };
        let weigh = match weights {
            Weights::Unit => data.len(),
            _ => (0..data.len() as u32).filter(|&r| !weights.is_zero(r)).count(),
        };
        Self {
            rows: rows.len(),
            stored: data.len(),
            is_sample: false,
            is_whole: rows.len() == weigh,
            classes: data.n_classes(),
            columns: data.columns().iter().map(column).collect(),
            has_gaps: gaps(data, rows),
            unit_weights: matches!(weights, Weights::Unit),
            has_copies: weights.copies().is_some(),
            values: None,
        }
    }

    /// The shape of rows of which only codes are left: of each column the number of codes, and
    /// whether one of them stands for missing values.
    pub(super) fn of_codes(columns: &[(usize, bool)], rows: usize, classes: usize) -> Self {
        let columns: Vec<ColumnShape> = columns
            .iter()
            .map(|&(codes, missing)| ColumnShape { levels: Some(codes), missing })
            .collect();
        let has_gaps = columns.iter().any(|c| c.missing);
        Self {
            rows,
            stored: rows,
            is_whole: true,
            is_sample: false,
            classes,
            columns,
            has_gaps,
            unit_weights: false,
            has_copies: false,
            values: None,
        }
    }

    /// The shape of a sample of rows that were found not to be codes.
    pub(super) fn of_sample(data: &Dataset, rows: &RowSet, weights: &Weights) -> Self {
        Self { is_sample: true, ..Self::of(data, rows, weights) }
    }

    /// All columns are numbers.
    fn is_numeric(&self) -> bool {
        self.columns.iter().all(|c| c.levels.is_none())
    }

    /// Codes of the widest column without that of missing values, where a number has `numeric`.
    fn widest(&self, numeric: usize) -> usize {
        self.columns.iter().map(|c| c.levels.unwrap_or(numeric)).max().unwrap_or(0)
    }
}

/// A route, and why it was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    name: &'static str,
    condition: &'static str,
    /// What keeps rows of a histogram from being codes.
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
            Some(bar) => write!(f, "; numbers are rounded to their bins ({bar})"),
            None => Ok(()),
        }
    }
}

impl Route {
    /// The route of a fit, and why it is taken.
    pub fn of(plan: &FitPlan, shape: &FitShape) -> (Self, Reason) {
        let entry = ROUTES
            .iter()
            .find(|entry| (entry.serves)(plan, shape))
            .unwrap_or(&ROUTES[ROUTES.len() - 1]);
        let rounds = plan.on_bins() && entry.route != Self::Bins && shape.widest(2) > 0;
        let rounded = match rounds && shape.columns.iter().any(|c| c.levels.is_none()) {
            true => bars_codes(plan, shape, plan.config.max_bins as usize).map(|bar| bar.0),
            false => None,
        };
        (entry.route, Reason { name: entry.name, condition: entry.condition, rounded })
    }

    /// Growth reads records of codes.
    pub fn is_on_codes(self) -> bool {
        matches!(self, Self::Bins | Self::Values)
    }

    /// Codes of the caller's cells are all that the fit reads: no data set is encoded.
    pub(super) fn reads_cells(self, plan: &FitPlan, shape: &FitShape) -> bool {
        self.is_on_codes()
            && shape.is_numeric()
            && !shape.has_gaps
            && !looks_back(&plan.config)
            && !plan.criterion.needs_all_candidates()
            && shape.classes <= MOST_CLASSES
            && !(plan.config.class_weight.is_some() && shape.has_copies)
    }
}

/// Something after growth reads the rows again.
fn looks_back(config: &Config) -> bool {
    config.pruning.is_some() || config.merge_redundant.is_some() || config.alpha_rule.is_some()
}

fn serves_bins(plan: &FitPlan, shape: &FitShape) -> bool {
    plan.on_bins() && bars_codes(plan, shape, plan.config.max_bins as usize).is_none()
}

fn serves_values(plan: &FitPlan, shape: &FitShape) -> bool {
    let config = &plan.config;
    let values = shape.values.unwrap_or(2).max(2);
    // Codes of values give the thresholds of sorted orders midway between values alone.
    !plan.on_bins()
        && config.thresholds == Thresholds::Midpoint
        && config.discretize.is_none()
        // The gain was measured on numbers alone.
        && shape.is_numeric()
        && !shape.has_gaps
        // Counting the values of folds, or of few rows, costs more than codes gain.
        && shape.is_whole
        && shape.rows >= LEAST_COUNTED
        && values <= MOST_VALUES
        && !looks_back(config)
        && !plan.criterion.needs_all_candidates()
        && bars_codes(plan, shape, values).is_none()
}

/// What keeps growth from records of codes, where a numeric column has at most `numeric` codes.
pub(super) fn bars_codes(plan: &FitPlan, shape: &FitShape, numeric: usize) -> Option<Bar> {
    let config = &plan.config;
    let widest = shape.widest(numeric) + 1;
    let counters = widest.saturating_mul(shape.columns.len()).saturating_mul(shape.classes + 1);
    let missing = shape.columns.iter().any(|c| c.missing);
    if shape.is_sample {
        Some(("a sample of rows that are no codes", ""))
    } else if config.evaluation != Evaluation::Local {
        Some(("evaluation='global' or 'glocal'", "evaluation='local'"))
    } else if plan.criterion.info().evidence != EvidenceKind::Table {
        Some(("a criterion on pairs, neighbours or rows", "criteria on tables"))
    } else if plan.criterion.split_rule() == SplitRule::C45 {
        Some(("mdl_penalty=True", "mdl_penalty=False"))
    } else if config.ties == Ties::Row {
        Some(("ties='row'", "ties='first' or 'random'"))
    } else if !config.splitter.is_exhaustive() {
        Some(("splitter='random'", "splitter='best'"))
    } else if missing && plan.is_fractional() {
        Some(("missing values that divide rows among branches", "missing='branch' or 'mode'"))
    } else if shape.classes > MOST_CLASSES || widest > MOST_CODES || counters > MOST_COUNTERS {
        Some((
            "more classes, levels or bins than codes serve",
            "at most 255 classes, and fewer levels or max_bins",
        ))
    } else {
        None
    }
}

/// Whether rows can be masks over bit planes.
fn serves_planes(plan: &FitPlan, shape: &FitShape) -> bool {
    let multiway = |levels| plan.config.nominal_splits.of(levels) == NominalSplits::Multiway;
    // The last level of a column has no plane; each class begins a new word.
    let planes: usize = shape.columns.iter().map(|c| c.levels.unwrap_or(0).max(1) - 1).sum();
    let width = planes.next_multiple_of(PLANE_GROUP);
    let words = shape.stored.div_ceil(64) + shape.classes;
    let serves =
        |c: &ColumnShape| c.levels.is_some_and(|n| n <= MOST_LEVELS && multiway(n)) && !c.missing;
    shape.unit_weights
        && plan.config.max_features.is_none()
        && !plan.criterion.needs_all_candidates()
        && plan.criterion.info().evidence == EvidenceKind::Table
        && planes > 0
        && words.saturating_mul(width) <= MOST_WORDS
        && shape.columns.iter().all(serves)
}

/// Whether a cell of these rows is missing.
fn gaps(data: &Dataset, rows: &RowSet) -> bool {
    data.columns().iter().any(|column| match column {
        Column::Numeric(c) => c.n_missing() > 0 && rows.rows().iter().any(|&r| c.value(r).is_nan()),
        Column::Nominal(c) => {
            c.n_missing() > 0 && rows.rows().iter().any(|&r| c.code(r) == MISSING)
        }
    })
}
