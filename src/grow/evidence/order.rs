//! Scores of candidates by the order of a numeric target: the mean loss of a node around its
//! quantile, minus the mean loss of the branches ([`crate::split::order`]).
//!
//! Internal rows are numbered by their target, so the sorted row numbers of a node are the order in
//! which [`PrefixLosses`] wants them. A numeric feature takes two passes over its sorted rows, one
//! from each end; a nominal one takes a pass over the rows for each division of its levels.
//! O(rows) per numeric feature, O(rows log rows + rows x divisions) per nominal one and per node.

use crate::criteria::QuantileLoss;
use crate::data::{Dataset, Target, entry_row, entry_tied};
use crate::error::Result;
use crate::grow::context::FeaturePlace;
use crate::grow::evaluate::{ByOrder, NodeEvaluator};
use crate::grow::evidence::order_memory::{
    CandidateQuery, ListMemory, OrderWorkspace, without_numbers,
};
use crate::grow::features::WantedFeatures;
use crate::grow::search::{divisions, is_one_value};
use crate::numeric::Ties;
use crate::parallel::Control;
use crate::split::order::{PrefixLosses, QuantileOf, WeighedNumber, Whole};
use crate::split::{BestOfFeature, NominalSplits, ScoredCandidate};
use crate::stats::contingency::ContingencyTables;
use crate::stats::{ExactMoments, FixedWeights, RowCopies, Sum, TargetRows, Weighing};

/// A target, and the loss of its numbers around a quantile.
#[derive(Clone, Copy)]
struct TargetLoss<'t> {
    numbers: &'t Target,
    query: CandidateQuery,
}

/// The rows of a node by ascending target.
struct NodeOrder<'m, T> {
    losses: PrefixLosses<'m, T>,
    /// The place of each internal row of the node in this order.
    place: &'m [u32],
    /// Loss of all rows.
    whole: f64,
    /// Whether all thresholds are visited; see [`CandidateQuery::all`].
    all: bool,
}

/// Gets a candidate of one feature, `visit(at, score)`: its number within the feature
/// ([`CandidateBlock::at`](crate::split::CandidateBlock::at)) and its score, or a loss.
type Visit<'v> = dyn FnMut(u32, f64) + 'v;

impl ByOrder for RowCopies<'_> {}

impl ByOrder for FixedWeights<'_> {}

impl ByOrder for TargetRows<'_> {
    fn each_by_order(
        node: &NodeEvaluator<'_, '_, Self>,
        query: CandidateQuery,
        contingency: &ContingencyTables<ExactMoments>,
        wanted: WantedFeatures<'_>,
        workspace: &mut OrderWorkspace,
        control: &Control,
        visit: &mut dyn FnMut(u32, u32, f64),
    ) -> Result<()> {
        let is_narrow = node.context.weights.unit_target().is_some()
            && node.range.len <= ExactMoments::MOST_NARROW;
        if is_narrow {
            node.visit_in::<i64>(query, contingency, wanted, workspace, control, visit)
        } else {
            node.visit_in::<i128>(query, contingency, wanted, workspace, control, visit)
        }
    }
}

impl<W: ByOrder> NodeEvaluator<'_, '_, W> {
    /// The best candidate of each wanted feature.
    pub(in crate::grow) fn best_by_order(
        &self,
        loss: QuantileLoss,
        contingency: &ContingencyTables<W::Sum>,
        wanted: WantedFeatures<'_>,
        workspace: &mut OrderWorkspace,
        control: &Control,
    ) -> Result<Vec<BestOfFeature>> {
        let ties = self.context.setting.ties;
        let mut found = Vec::new();
        W::each_by_order(
            self,
            CandidateQuery { loss, all: ties != Ties::First },
            contingency,
            wanted,
            workspace,
            control,
            &mut |feature, at, score| {
                BestOfFeature::keep(&mut found, feature, at, score, ties);
            },
        )?;
        Ok(found)
    }

    /// The candidates of all features, in feature order.
    pub(in crate::grow) fn score_all_by_order(
        &self,
        loss: QuantileLoss,
        contingency: &ContingencyTables<W::Sum>,
        control: &Control,
    ) -> Result<Vec<ScoredCandidate>> {
        let mut candidates = Vec::new();
        let memory = &mut OrderWorkspace::default();
        W::each_by_order(
            self,
            CandidateQuery { loss, all: true },
            contingency,
            WantedFeatures::ALL,
            memory,
            control,
            &mut |feature, at, score| {
                candidates.push(ScoredCandidate { feature, at, score });
            },
        )?;
        Ok(candidates)
    }
}

impl NodeEvaluator<'_, '_, TargetRows<'_>> {
    /// [`ByOrder::each_by_order`] with sums in integers of type `T`, which must hold the moments of
    /// the node's rows.
    fn visit_in<T: Whole>(
        &self,
        query: CandidateQuery,
        contingency: &ContingencyTables<ExactMoments>,
        wanted: WantedFeatures<'_>,
        workspace: &mut OrderWorkspace,
        control: &Control,
        visit: &mut dyn FnMut(u32, u32, f64),
    ) -> Result<()> {
        let target = TargetLoss { numbers: target_of(self.context.data)?, query };
        let unit = target.numbers.grid().unit;
        let OrderWorkspace { rows, of_node, of_known, left, right } = workspace;
        self.sort_rows(rows);
        let mut node = self.order_of::<T>(rows, target, of_node);
        for feature in (0..self.context.data.columns().len() as u32)
            .filter(|&feature| wanted.is_wanted(feature))
        {
            control.check()?;
            let visit = &mut |at, score| visit(feature, at, score * unit);
            match self.context.place(feature) {
                FeaturePlace::Numeric(numeric) => {
                    let sides = [&mut *left, &mut *right];
                    self.thresholds_by_order(numeric, target, &mut node, of_known, sides, visit);
                }
                FeaturePlace::Nominal(nominal)
                    if self.context.splits(nominal) == NominalSplits::Multiway =>
                {
                    self.levels_by_order(nominal, target, &node, visit);
                }
                FeaturePlace::Nominal(nominal) => {
                    self.divisions_by_order(nominal, contingency, target, &node, visit);
                }
            }
        }
        Ok(())
    }

    /// Write the node's rows, ascending, to `rows`.
    fn sort_rows(&self, rows: &mut Vec<u32>) {
        rows.clear();
        if self.context.numeric.is_empty() {
            rows.extend_from_slice(self.coded().rows);
        } else {
            rows.extend(self.slices.order(0, self.range).iter().map(|&e| entry_row(e)));
        }
        rows.sort_unstable();
    }

    /// The order of some rows, ascending.
    fn order_of<'m, T: Whole>(
        &self,
        rows: &[u32],
        target: TargetLoss<'_>,
        memory: &'m mut ListMemory,
    ) -> NodeOrder<'m, T> {
        let ListMemory { list, place } = memory;
        place.resize(self.context.data.len(), 0);
        rows.iter().zip(0..).for_each(|(&row, i)| place[row as usize] = i);
        let numbers = rows.iter().map(|&row| self.number_of(target.numbers, row));
        let losses = PrefixLosses::new(numbers, target.query.loss, list);
        NodeOrder { whole: losses.whole_loss(), losses, place, all: target.query.all }
    }

    /// The number of a row in the units of the target, with its weight.
    fn number_of(&self, target: &Target, row: u32) -> WeighedNumber {
        let weight = self.context.weights.row_sum(row).units();
        WeighedNumber { weight, units: target.units()[row as usize] }
    }

    /// A test whether a branch is large enough for the limits: `is_large(rows, weight)`, with the
    /// weight in units.
    fn is_large_enough(&self) -> impl Fn(usize, f64) -> bool + use<> {
        let (min, unit) = (self.minimum(), self.context.weights.unit());
        move |rows, weight| {
            let weight = weight * unit;
            let size = if min.copies { weight } else { rows as f64 };
            size >= f64::from(min.rows) && weight >= min.weight
        }
    }

    /// The thresholds of a numeric feature; `known_memory` and `sides` are for its losses.
    fn thresholds_by_order<T: Whole>(
        &self,
        numeric: usize,
        target: TargetLoss<'_>,
        node: &mut NodeOrder<'_, T>,
        known_memory: &mut ListMemory,
        sides: [&mut Vec<f64>; 2],
        visit: &mut Visit<'_>,
    ) {
        let known = self.known_order(numeric);
        let (order, n) = (&known.order[..], known.order.len());
        let (whole, weight) = (node.whole, node.losses.weight());
        let score = |losses: f64| (whole - losses) / weight;
        if known.sums.is_none() || n == 0 {
            return self.cuts_by_order(order, node, sides, &mut |at, losses| {
                visit(at, score(losses));
            });
        }
        // Rows without a value are a third branch, and the list has only the rows with a value.
        let all = self.slices.order(numeric, self.range);
        let rows_without = sort_rows_of(all[n..].iter().map(|&e| entry_row(e)));
        let Some(missing) = self.loss_of(&rows_without, target) else { return };
        let rows_with = sort_rows_of(order.iter().map(|&e| entry_row(e)));
        if is_one_value(order) {
            let known = self.loss_of(&rows_with, target);
            return known.into_iter().for_each(|loss| visit(n as u32, score(loss + missing)));
        }
        let mut known = self.order_of::<T>(&rows_with, target, known_memory);
        self.cuts_by_order(order, &mut known, sides, &mut |at, losses| {
            visit(at, score(losses + missing));
        });
    }

    /// The cuts of an order of rows, with the sum of the losses of both sides.
    fn cuts_by_order<T: Whole>(
        &self,
        order: &[u32],
        rows: &mut NodeOrder<'_, T>,
        [left, right]: [&mut Vec<f64>; 2],
        visit: &mut Visit<'_>,
    ) {
        let n = order.len();
        left.resize(left.len().max(n + 1), 0.0);
        right.resize(right.len().max(n + 1), 0.0);
        let (left, right) = (&mut left[..=n], &mut right[..=n]);
        let place = |&e: &u32| rows.place[entry_row(e) as usize];
        rows.losses.prefixes(order.iter().map(place), left);
        rows.losses.prefixes(order.iter().rev().map(place), right);
        let (whole, is_large_enough) = (rows.losses.weight(), self.is_large_enough());
        let (mut passed, mut least) = (0, f64::INFINITY);
        for at in 1..n {
            passed += self.context.weights.row_sum(entry_row(order[at - 1])).units();
            let (on_left, losses) = (passed as f64, left[at] + right[n - at]);
            if (losses <= least || rows.all)
                && entry_tied(order[at]) == 0
                && is_large_enough(at, on_left)
                && is_large_enough(n - at, whole - on_left)
            {
                least = losses;
                visit(at as u32, losses);
            }
        }
    }

    /// The rows of each code of a nominal feature, ascending; the last code may mean "missing".
    fn rows_by_code(&self, nominal: usize) -> Vec<Vec<u32>> {
        let mut by_code = self.coded().by_code(&self.context.nominal.layout, nominal);
        by_code.iter_mut().for_each(|rows| rows.sort_unstable());
        by_code
    }

    /// The loss of some rows, ascending; `None` where they are too few for a branch.
    fn loss_of(&self, rows: &[u32], target: TargetLoss<'_>) -> Option<f64> {
        let numbers = rows.iter().map(|&row| self.number_of(target.numbers, row));
        let weight: i64 = numbers.clone().map(|row| row.weight).sum();
        let is_large = self.is_large_enough()(rows.len(), weight as f64);
        is_large.then(|| QuantileOf::sorted(numbers, target.query.loss).loss)
    }

    /// The multiway split of a nominal feature.
    fn levels_by_order<T: Whole>(
        &self,
        nominal: usize,
        target: TargetLoss<'_>,
        node: &NodeOrder<'_, T>,
        visit: &mut Visit<'_>,
    ) {
        let by_code = self.rows_by_code(nominal);
        let filled: Vec<&Vec<u32>> = by_code.iter().filter(|rows| !rows.is_empty()).collect();
        let losses: Option<Vec<f64>> =
            filled.iter().map(|rows| self.loss_of(rows, target)).collect();
        if let Some(losses) = losses.filter(|losses| losses.len() > 1) {
            visit(0, (node.whole - losses.iter().sum::<f64>()) / node.losses.weight());
        }
    }

    /// The divisions in two of a nominal feature's levels.
    fn divisions_by_order<T: Whole>(
        &self,
        nominal: usize,
        contingency: &ContingencyTables<ExactMoments>,
        target: TargetLoss<'_>,
        node: &NodeOrder<'_, T>,
        visit: &mut Visit<'_>,
    ) {
        let divisions = divisions(&self.tables(contingency), nominal);
        let by_code = self.rows_by_code(nominal);
        // The rows with a value, ascending, with their codes. Each side of a division is a part of
        // these rows.
        let declared = by_code.len() - usize::from(self.context.nominal.missing[nominal]);
        let mut known: Vec<(u32, usize)> = Vec::new();
        for (code, rows) in by_code[..declared].iter().enumerate() {
            known.extend(rows.iter().map(|&row| (row, code)));
        }
        known.sort_unstable();
        let mut rows = Vec::with_capacity(known.len());
        let mut missing_loss = 0.0;
        if self.context.nominal.missing[nominal]
            && let Some(rows) = by_code.last().filter(|rows| !rows.is_empty())
        {
            let Some(loss) = self.loss_of(rows, target) else { return };
            missing_loss = loss;
        }
        let mut on_first = vec![false; declared];
        let unit = self.context.weights.unit();
        for at in divisions.groups.numbers().filter(|&at| divisions.is_candidate(at, unit)) {
            on_first.fill(false);
            divisions
                .groups
                .codes_on_first(at)
                .iter()
                .for_each(|&code| on_first[code as usize] = true);
            let mut side = |first: bool| {
                rows.clear();
                let on_side = known.iter().filter(|&&(_, code)| on_first[code] == first);
                rows.extend(on_side.map(|&(row, _)| row));
                self.loss_of(&rows, target)
            };
            if let (Some(first), Some(second)) = (side(true), side(false)) {
                visit(at, (node.whole - (first + second + missing_loss)) / node.losses.weight());
            }
        }
    }
}

/// Rows in ascending order, hence by ascending target.
fn sort_rows_of(rows: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut rows: Vec<u32> = rows.collect();
    rows.sort_unstable();
    rows
}

/// The numeric target of a data set, which other targets do not have.
fn target_of<'t>(data: &'t Dataset<'_>) -> Result<&'t Target> {
    data.target().ok_or_else(without_numbers)
}
