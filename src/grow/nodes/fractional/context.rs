//! The facts that all nodes of a tree on fractional instances share ([`FractionalContext`]):
//! columns by kind, row weights in fixed point, C4.5's rule, and the smallest branches.
//!
//! One is built per tree, in O(rows + features) and, for C4.5's rule, a pass over each sorted
//! order.

use crate::criteria::SplitRule;
use crate::data::{Column, Dataset, Kind, NumericColumn, RowSet, Weights, entry_row};
use crate::error::Result;
use crate::grow::options::GrowthSetting;
use crate::numeric::Moments;
use crate::simd::logs::QuickLog;
use crate::split::c45::{CLOSE, MANY};
use crate::split::multiway::Minimum;
use crate::split::threshold::{Scan, ScanPlaces, Scanning, by_means};
use crate::split::{BlockScratch, NominalSplits, Sink};
use crate::stats::contingency::TableLayout;
use crate::stats::{ExactMoments, FixedWeights, Sum, Weighing};

/// Largest relative error of a sum of fractions.
pub(super) const ROUNDING: f64 = 1e-9;
/// Slack of J48's comparisons (`Utils.SMALL` of Weka).
pub(super) const SLACK: f64 = 1e-6;
/// Binary digits of the sum of all weights of rows with classes.
const DIGITS: u32 = 62;
/// Binary digits of a fraction of a row: within the 53 of a double, with room for sums.
const MOST_DIGITS: i32 = 50;

/// A numeric feature.
#[derive(Debug)]
pub(super) struct FractionalNumeric<'a> {
    pub feature: u32,
    pub column: &'a NumericColumn<'a>,
    /// Some of its values are too close to each other for C4.5 to cut between them.
    pub close: bool,
}

/// A nominal feature.
#[derive(Debug)]
pub(super) struct FractionalNominal<'a> {
    pub feature: u32,
    pub levels: u32,
    /// The edges between codes that are bins of a number.
    pub cuts: Option<&'a [f64]>,
}

/// The sums of a node of fractional instances. A fraction of a row adds its weight, or the moments
/// of its number.
pub(super) trait FractionSums: Copy + Send + Sync {
    /// The sum of a class, or of a numeric target.
    type Sum: Sum;
    /// The instances of a node, with their weights.
    type Instances<'a>: Scanning<Sum = Self::Sum>
    where
        Self: 'a;
    /// The sum that a fraction of a row adds; `weight` is the weight of the fraction, in units.
    fn row_sum(&self, row: u32, weight: i64) -> Self::Sum;
    /// The instances of a node; `rows` are their rows, and `unit` is the unit of the weights.
    fn instances<'a>(
        &'a self,
        rows: &'a [u32],
        weights: &'a [i64],
        unit: f64,
    ) -> Self::Instances<'a>;
    /// Whether sums are weights alone, so that whole rows of weight 1 can be counted.
    const ARE_WEIGHTS: bool;
}

/// Sums of weights, by class.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClassFractions;

/// Sums of a numeric target.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberFractions<'t> {
    /// Numbers by internal row.
    pub units: &'t [i64],
}

/// The instances of a node with a numeric target.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberInstances<'a> {
    rows: &'a [u32],
    weights: &'a [i64],
    units: &'a [i64],
    unit: f64,
}

impl FractionSums for ClassFractions {
    type Sum = i64;
    type Instances<'a> = FixedWeights<'a>;
    const ARE_WEIGHTS: bool = true;
    fn row_sum(&self, _row: u32, weight: i64) -> i64 {
        weight
    }
    fn instances<'a>(
        &'a self,
        _rows: &'a [u32],
        weights: &'a [i64],
        unit: f64,
    ) -> FixedWeights<'a> {
        FixedWeights { values: weights, unit, copies: false }
    }
}

impl<'t> FractionSums for NumberFractions<'t> {
    type Sum = ExactMoments;
    type Instances<'a>
        = NumberInstances<'a>
    where
        't: 'a;
    const ARE_WEIGHTS: bool = false;
    fn row_sum(&self, row: u32, weight: i64) -> ExactMoments {
        ExactMoments::from_row(weight, self.units[row as usize])
    }
    fn instances<'a>(
        &'a self,
        rows: &'a [u32],
        weights: &'a [i64],
        unit: f64,
    ) -> NumberInstances<'a> {
        NumberInstances { rows, weights, units: self.units, unit }
    }
}

impl Weighing for NumberInstances<'_> {
    type Sum = ExactMoments;
    fn is_unit(&self) -> bool {
        false
    }
    fn are_copies(&self) -> bool {
        false
    }
    fn row_sum(&self, instance: u32) -> ExactMoments {
        let row = self.rows[instance as usize];
        ExactMoments::from_row(self.weights[instance as usize], self.units[row as usize])
    }
    fn unit(&self) -> f64 {
        self.unit
    }
}

impl Scanning for NumberInstances<'_> {
    fn by_sums(
        scan: &Scan<'_, Self>,
        at: ScanPlaces<'_>,
        scratch: &mut BlockScratch<Moments>,
        sink: &mut dyn Sink,
    ) -> Result<bool> {
        by_means(scan, at, scratch, sink)
    }
}

/// The facts that all nodes of a tree share.
#[derive(Debug)]
pub(super) struct FractionalContext<'a> {
    pub data: &'a Dataset<'a>,
    pub setting: &'a GrowthSetting<'a>,
    pub numeric: Vec<FractionalNumeric<'a>>,
    pub nominal: Vec<FractionalNominal<'a>>,
    /// Tables of the nominal features, with a last code for missing values.
    pub layout: TableLayout,
    /// The rule by which the split of a node is chosen.
    pub rule: SplitRule,
    /// Nominal features with too many levels to count in C4.5's mean of gains.
    pub many: Vec<bool>,
    /// The weights of whole rows.
    weights: &'a Weights,
    /// A weight of 1 is `2^shift` units.
    shift: i32,
    /// Value of one unit.
    pub unit: f64,
    /// Every row weighs 1.
    pub unit_weights: bool,
    /// Limits in rows count the weight of instances; with real weights they count instances.
    pub copies: bool,
    pub total_weight: f64,
    /// 0, 1, 2, ...: the numbers of a node's instances, as row numbers of its coded rows.
    pub numbers: Vec<u32>,
    /// Table for quick logarithms.
    pub quick: QuickLog,
}

/// The nominal features with too many levels to count in C4.5's mean of gains: at least
/// [`MANY`] of all rows. None where all features have.
fn many_levels(data: &Dataset, training_copies: f64) -> Vec<bool> {
    let has_many = |column: &Column| match column {
        Column::Nominal(column) => MANY * training_copies - column.levels() as f64 <= SLACK,
        Column::Numeric(_) => false,
    };
    let many: Vec<bool> = data.columns().iter().map(has_many).collect();
    if many.contains(&false) { many } else { vec![false; many.len()] }
}

impl<'a> FractionalContext<'a> {
    /// The context of a tree on some rows; `weights` are the weights of all rows of the data set.
    /// Where weights are copies, the unit is such that the sum of all weights fits the digits of
    /// exact sums; real weights have their unit already. O(rows + features), and a pass over each
    /// order for C4.5's rule.
    pub fn new(
        data: &'a Dataset<'a>,
        setting: &'a GrowthSetting<'a>,
        rows: &RowSet,
        weights: &'a Weights,
    ) -> Self {
        let total = weights.total(rows.rows());
        // Fixed point with as many fractional digits as sums allow.
        let digits = data.target().map_or(DIGITS, |_| Weights::DIGITS_WITH_NUMBERS);
        let free = digits as i32 - 1 - total.log2().ceil() as i32;
        let shift = match weights {
            Weights::Unit | Weights::Integer(_) => free.min(MOST_DIGITS),
            Weights::Fixed { shift, .. } => *shift,
        };
        // The columns by kind; missing values are the code after the last level.
        let (mut numeric, mut nominal, mut arities) = (Vec::new(), Vec::new(), Vec::new());
        let rule = setting.criterion.split_rule();
        for (feature, column) in data.columns().iter().enumerate() {
            let feature = feature as u32;
            match column {
                Column::Numeric(column) => {
                    numeric.push(FractionalNumeric {
                        feature,
                        column,
                        close: rule == SplitRule::C45 && has_close_values(column),
                    });
                }
                Column::Nominal(column) => {
                    let cuts = match &data.schema().features[feature as usize].kind {
                        Kind::Numeric { cuts, .. } => cuts.as_deref(),
                        Kind::Nominal { .. } => None,
                    };
                    nominal.push(FractionalNominal {
                        feature,
                        levels: column.levels() as u32,
                        cuts,
                    });
                    arities.push(column.levels() as u32 + 1);
                }
            }
        }
        Self {
            data,
            setting,
            numeric,
            nominal,
            layout: TableLayout::new(&arities, data.n_classes()),
            rule,
            many: many_levels(data, setting.training_copies),
            weights,
            shift,
            unit: f64::powi(2.0, -shift),
            unit_weights: matches!(weights, Weights::Unit),
            copies: !matches!(weights, Weights::Fixed { .. }),
            total_weight: total,
            numbers: (0..rows.len() as u32).collect(),
            quick: QuickLog::new(),
        }
    }

    /// The weight of a whole row, in units; copies of a row weigh as much as that many rows. Real
    /// weights are in units already.
    pub fn weight(&self, row: u32) -> i64 {
        self.weights.units(row) << if self.copies { self.shift } else { 0 }
    }

    /// Copies that a row stands for; 1 where weights are not copies. Limits in rows and the sizes
    /// of branches count rows by this number.
    pub fn copies_of(&self, row: u32) -> i64 {
        if self.copies { self.weights.units(row) } else { 1 }
    }

    /// Rows in a weight, in units, where every instance is a whole row of weight 1. For other
    /// weights the result is rounded down and has no meaning.
    pub fn rows_in(&self, weight: i64) -> u32 {
        (weight >> self.shift) as u32
    }

    /// How a nominal column is split, by its number of levels; `nominal` is its place among the
    /// nominal columns. The code for missing values is not a level and does not count.
    pub fn splits(&self, nominal: usize) -> NominalSplits {
        self.setting.nominal_splits.resolve(self.nominal[nominal].levels as usize)
    }

    /// Smallest size of a branch with rows; `whole`: every instance is a whole row of weight 1.
    /// Fractions add up to rows within rounding, so the limit leaves room for that.
    pub fn minimum(&self, whole: bool) -> Minimum {
        let limits = &self.setting.limits;
        let weight = limits.min_weight_fraction_leaf * self.total_weight;
        let rows = limits.min_samples_leaf as u32;
        if whole || !self.copies {
            return Minimum { rows, weight, copies: whole };
        }
        Minimum { rows: 1, weight: weight.max(f64::from(rows)) * (1.0 - ROUNDING), copies: false }
    }

    /// The place of a numeric feature among the numeric features; `None` for a nominal feature. It
    /// is a bisection, as numeric features are in ascending order.
    pub fn numeric_place(&self, feature: u32) -> Option<usize> {
        self.numeric.binary_search_by_key(&feature, |f| f.feature).ok()
    }
}

/// Whether two neighbouring values of a column are too close to each other for C4.5 to cut between.
fn has_close_values(column: &NumericColumn<'_>) -> bool {
    let mut before = f64::NAN;
    for &entry in column.order() {
        let value = column.value(entry_row(entry));
        if value.is_nan() {
            break;
        }
        if before < value && before + CLOSE >= value {
            return true;
        }
        before = value;
    }
    false
}
