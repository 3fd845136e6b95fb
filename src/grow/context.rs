//! The facts that all nodes of a tree share ([`GrowContext`]): columns by kind, class codes,
//! weights, and the facts about the rows of the root that the criterion's evidence needs.
//!
//! One is built per tree on sorted orders or with global growth, in O(missing cells + rows); tasks
//! on other threads share it. Growth on bit planes, bins and fractional instances has contexts of
//! its own.

use super::evidence::PairContext;
use super::options::GrowthSetting;
use crate::criteria::{Evidence, EvidenceKind};
use crate::data::{
    Bits, Column, Dataset, Kind, NumericColumn, RowSet, entry_row, entry_tied, sorted_entries,
};
use crate::error::Result;
use crate::exact::TrainingSizes;
use crate::parallel::Control;
use crate::reached::{self, Way};
use crate::split::NominalSplits;
use crate::split::threshold::{ClassOf, Scanning};
use crate::stats::Sum;
use crate::stats::contingency::TableLayout;
use crate::stats::neighbours::NodeSearch;
use std::sync::Mutex;

/// Rows (or instances) times features above which several threads share the features of one node.
pub(super) const WIDE_NODE: usize = 1 << 16;

/// Up to this many classes, minus one, a pass per class that compares rows is quicker than one pass
/// that looks the class of each row up.
const FEW_CLASSES: usize = 8;

/// A numeric feature.
#[derive(Debug)]
pub(super) struct Numeric<'a> {
    pub feature: u32,
    pub column: &'a NumericColumn<'a>,
    /// Rows whose value is missing, where the column has any.
    pub missing: Option<Bits>,
}

/// The nominal features, in matrix order.
#[derive(Debug)]
pub(super) struct Nominal<'a> {
    pub features: Vec<u32>,
    pub layout: TableLayout,
    /// The last code of the feature means "missing".
    pub missing: Vec<bool>,
    /// The edges between codes that are bins of a number.
    pub cuts: Vec<Option<&'a [f64]>>,
    /// Whether codes ascend: bins, and where features are tested ordered levels.
    pub ordered: Vec<bool>,
    /// Where features are tested: the scores of ordered levels, by code; otherwise empty.
    pub scores: Vec<Vec<f64>>,
}

/// The facts that all nodes of a tree share.
#[derive(Debug)]
pub(super) struct GrowContext<'a, W> {
    pub data: &'a Dataset<'a>,
    pub setting: &'a GrowthSetting<'a>,
    pub weights: W,
    pub numeric: Vec<Numeric<'a>>,
    pub nominal: Nominal<'a>,
    /// The place of each feature.
    places: Vec<FeaturePlace>,
    /// The class of each row of the data set.
    pub class_of: ClassOf<'a>,
    /// Weight of the rows of the tree.
    pub total_weight: f64,
    /// The rows of the data set packed, as [`Weighing::packed`]; otherwise empty.
    pub packed: Vec<i64>,
    /// The weights of rows and the radius of the root, for criteria on pairs of rows.
    pub pairs: Option<PairContext>,
    /// The training rows prepared for searches of smallest trees, for criteria on the rows
    /// themselves.
    pub sizes: Option<Result<TrainingSizes>>,
    /// Search nodes that the search for smallest trees may still spend.
    pub size_budget: Mutex<u64>,
    /// The rows of the root, for criteria on neighbours of rows.
    pub neighbours: Option<NodeSearch<'a>>,
}

/// The place of a feature among the numeric or among the nominal features.
#[derive(Debug, Clone, Copy)]
pub(super) enum FeaturePlace {
    Numeric(usize),
    Nominal(usize),
}

impl<'a> Numeric<'a> {
    /// A numeric feature of a data set with `n_rows` rows. Missing values come last in its order.
    fn new(feature: u32, column: &'a NumericColumn<'a>, n_rows: usize) -> Self {
        let missing = (column.n_missing() > 0).then(|| {
            let mut bits = Bits::new(n_rows);
            let entries = &column.order()[n_rows - column.n_missing()..];
            entries.iter().for_each(|&entry| bits.set(entry_row(entry)));
            bits
        });
        Self { feature, column, missing }
    }
}

impl<'a> Nominal<'a> {
    /// The nominal features of a data set. Missing values have the code after the last level.
    fn new(data: &'a Dataset<'a>, setting: &GrowthSetting<'_>) -> Self {
        let (mut features, mut arities, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        let (mut cuts, mut ordered) = (Vec::new(), Vec::new());
        for (feature, column) in (0_u32..).zip(data.columns()) {
            let Column::Nominal(column) = column else { continue };
            features.push(feature);
            missing.push(column.n_missing() > 0);
            let (edges, ascends) = match &data.schema().features[feature as usize].kind {
                Kind::Numeric { cuts, .. } => (cuts.as_deref(), cuts.is_some()),
                Kind::Nominal { ordered, .. } => (None, *ordered && setting.significance.is_some()),
            };
            cuts.push(edges);
            ordered.push(ascends);
            let arity = column.levels() + usize::from(column.n_missing() > 0);
            arities.push(arity.max(1) as u32);
        }
        let layout = TableLayout::new(&arities, data.n_classes());
        let scores = vec![Vec::new(); features.len()];
        Self { features, layout, missing, cuts, ordered, scores }
    }
}

impl<'a, W: Scanning> GrowContext<'a, W> {
    /// The context of a tree on some rows of a data set; `weights` has the weights of all rows of
    /// the data set, whether or not they are in the tree. O(missing cells + rows), and more where
    /// the criterion needs its rows prepared; an error of the search for smallest trees is kept
    /// until a node asks for it.
    pub fn new(
        data: &'a Dataset<'a>,
        setting: &'a GrowthSetting<'a>,
        rows: &RowSet,
        weights: W,
    ) -> Self {
        let (mut numeric, mut places, mut n_nominal) = (Vec::new(), Vec::new(), 0);
        for (feature, column) in (0..).zip(data.columns()) {
            match column {
                Column::Numeric(column) => {
                    places.push(FeaturePlace::Numeric(numeric.len()));
                    numeric.push(Numeric::new(feature, column, data.len()));
                }
                Column::Nominal(_) => {
                    places.push(FeaturePlace::Nominal(n_nominal));
                    n_nominal += 1;
                }
            }
        }
        // The weight of the root, and what the criterion's evidence needs of its rows.
        let sum = rows.iter().fold(W::Sum::default(), |sum, row| sum.plus(weights.row_sum(row)));
        let weight = |row: u32| weights.row_sum(row).value(weights.unit());
        let (sizes, size_budget) = match setting.criterion.evidence() {
            Evidence::Rows(budget) => {
                let sizes = TrainingSizes::new(data, rows.rows(), &weight, &Control::new(1));
                let usual = sizes.as_ref().map_or(0, TrainingSizes::usual_budget);
                (Some(sizes), budget.total.unwrap_or(usual))
            }
            _ => (None, 0),
        };
        Self {
            data,
            setting,
            weights,
            numeric,
            places,
            nominal: Nominal::new(data, setting),
            class_of: ClassOf {
                codes: data.classes(),
                starts: &data.class_starts()[1..data.n_classes().max(1)],
            },
            total_weight: sum.value(weights.unit()),
            packed: weights.packed().unwrap_or_default(),
            neighbours: neighbours_root(data, setting, rows, weights),
            pairs: (setting.criterion.info().evidence == EvidenceKind::Pairs)
                .then(|| PairContext::new(weights, rows, data.len())),
            size_budget: Mutex::new(size_budget),
            sizes,
        }
    }

    /// Where features are tested, score each ordered level by its place among the levels that occur
    /// in the training rows, as R does, which drops levels that do not occur. Call it before
    /// features are tested.
    pub fn score_levels(&mut self, training: &RowSet) {
        if self.setting.significance.is_none_or(|rule| rule.merging.is_some()) {
            return;
        }
        let nominal = &mut self.nominal;
        for (place, &feature) in nominal.features.iter().enumerate() {
            let Column::Nominal(column) = &self.data.columns()[feature as usize] else { continue };
            if !nominal.ordered[place] || nominal.cuts[place].is_some() {
                continue;
            }
            let mut scores = vec![0.0; column.levels()];
            for row in training.iter() {
                if let Some(score) = scores.get_mut(column.code(row) as usize) {
                    *score = 1.0;
                }
            }
            // The score of a level is the number of occurring levels up to it.
            for code in 1..scores.len() {
                scores[code] += scores[code - 1];
            }
            nominal.scores[place] = scores;
        }
    }

    /// The order of a numeric feature within a node, made by a sort: `rows` are the rows of the
    /// node as ascending entries, and `numeric` is the place of the feature among the numeric
    /// features. O(rows log rows): where nodes draw few features, this costs less than keeping the
    /// orders of all features.
    pub fn sort_in_node(&self, numeric: usize, rows: &[u32]) -> Vec<u32> {
        reached::count(Way::SortedInNode);
        let column = self.numeric[numeric].column;
        let values: Vec<f64> = rows.iter().map(|&entry| column.value(entry_row(entry))).collect();
        let mut order = sorted_entries(&values);
        order
            .iter_mut()
            .for_each(|entry| *entry = rows[entry_row(*entry) as usize] | entry_tied(*entry));
        order
    }

    /// How a nominal column is split, by its number of levels; `nominal` is its place among the
    /// nominal columns. A code for missing values is not a level and does not count.
    pub fn splits(&self, nominal: usize) -> NominalSplits {
        let columns = &self.nominal;
        let levels = columns.layout.arity(nominal) - usize::from(columns.missing[nominal]);
        self.setting.nominal_splits.resolve(levels)
    }

    /// The place of a feature among the numeric or among the nominal features. The context and the
    /// buffers index columns by these places; candidates and splits have the numbers of the
    /// features.
    pub fn place(&self, feature: u32) -> FeaturePlace {
        self.places[feature as usize]
    }

    /// Class sums of entries of an order. Rows are numbered by class, so rows that weigh 1 are
    /// counted by comparison with the first row of each class.
    pub fn sums_of(&self, entries: &[u32]) -> Vec<W::Sum> {
        let starts = self.class_of.starts;
        if !self.weights.is_unit() || starts.len() >= FEW_CLASSES || self.data.n_classes() == 0 {
            return self.sums(entries.iter().map(|&entry| entry_row(entry)));
        }
        let mut sums = Vec::with_capacity(3 * (starts.len() + 1));
        // The rows of a class are the rows from its first row on, without the rows from the first
        // row of the next class on.
        let mut from_here = entries.len() as u32;
        for &start in starts {
            let later = entries.iter().map(|&entry| u32::from(entry_row(entry) >= start)).sum();
            sums.push(W::Sum::from_rows(from_here - later));
            from_here = later;
        }
        sums.push(W::Sum::from_rows(from_here));
        sums
    }

    /// Class sums of rows, in memory that has room for three branches, so that the sums of other
    /// branches can be appended. Sums are exact, and thus the same for any order of the rows.
    pub fn sums(&self, rows: impl Iterator<Item = u32>) -> Vec<W::Sum> {
        let classes = self.data.n_classes();
        let mut sums = Vec::with_capacity(3 * classes);
        if classes == 1 {
            sums.push(rows.fold(W::Sum::default(), |sum, row| sum.plus(self.weights.row_sum(row))));
            return sums;
        }
        sums.resize(classes, W::Sum::default());
        for row in rows {
            let sum = &mut sums[self.class_of.codes[row as usize] as usize];
            *sum = sum.plus(self.weights.row_sum(row));
        }
        sums
    }
}

/// The rows of the root, prepared for the search of neighbours; `None` for other criteria.
pub(super) fn neighbours_root<'a, W: Scanning>(
    data: &'a Dataset<'a>,
    setting: &GrowthSetting<'a>,
    rows: &RowSet,
    weights: W,
) -> Option<NodeSearch<'a>> {
    if setting.criterion.info().evidence != EvidenceKind::Neighbours {
        return None;
    }
    let value = |row: u32| weights.row_sum(row).value(weights.unit());
    let weight: Option<&dyn Fn(u32) -> f64> = if weights.is_unit() { None } else { Some(&value) };
    Some(NodeSearch::new(data, setting.unbinned_data.unwrap_or(data), rows.rows(), weight))
}
