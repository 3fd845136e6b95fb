//! Scores of candidates by the order of a numeric target: the mean loss of a node around its
//! quantile, less that of the branches ([`crate::split::order`]).
//!
//! Internal rows are numbered by their target, so the sorted row numbers of a node are the order in
//! which [`PrefixLosses`] wants them. A numeric feature takes two passes over its sorted rows, one
//! from each end; a nominal one sorts its levels, multiway or by their means for a division in two.
//! O(rows) per numeric feature, O(rows log rows) per nominal one and per node.

use crate::criteria::QuantileLoss;
use crate::data::{Dataset, Target, entry_row, entry_tied};
use crate::error::{Error, Result};
use crate::grow::context::FeaturePlace;
use crate::grow::evaluate::NodeEvaluator;
use crate::grow::search::divisions;
use crate::numeric::Ties;
use crate::parallel::Control;
use crate::split::order::{MOST_NARROW, PrefixLosses, QuantileOf, WeighedNumber, Whole};
use crate::split::{NominalSplits, Scored};
use crate::stats::contingency::{Code, ContingencyTables};
use crate::stats::{Sum, Weighing};

/// The rows of a node by ascending target.
struct NodeOrder<T> {
    losses: PrefixLosses<T>,
    /// The place of each internal row among those of the node.
    place: Vec<u32>,
    /// Loss of all rows.
    whole: f64,
    /// Weight of all rows, in units.
    weight: f64,
}

/// A candidate: rows on the left of a threshold (the number of a division of levels, 0 for a
/// multiway split), and its score.
type Visit<'v> = dyn FnMut(u32, f64) + 'v;

impl<C: Code, W: Weighing> NodeEvaluator<'_, '_, C, W> {
    /// The best candidate of each wanted feature.
    pub(in crate::grow) fn best_by_order(
        &self,
        loss: QuantileLoss,
        contingency: &ContingencyTables<W::Sum>,
        wanted: impl Fn(u32) -> bool,
        control: &Control,
    ) -> Result<Vec<Scored>> {
        let ties = self.context.setting.ties != Ties::First;
        let mut found = Vec::new();
        self.each_by_order(
            loss,
            contingency,
            wanted,
            control,
            &mut |feature, at, score| match found.last_mut() {
                Some(Scored { feature: own, score: best, at: best_at, tied })
                    if *own == feature =>
                {
                    if score > *best {
                        (*best, *best_at) = (score, at);
                        tied.clear();
                    } else if score == *best && ties {
                        tied.push(at);
                    }
                }
                _ => found.push(Scored { feature, score, at, tied: Vec::new() }),
            },
        )?;
        Ok(found)
    }

    /// All candidates: feature, number within it and score.
    pub(in crate::grow) fn all_by_order(
        &self,
        loss: QuantileLoss,
        contingency: &ContingencyTables<W::Sum>,
        control: &Control,
    ) -> Result<Vec<(u32, u32, f64)>> {
        let mut found = Vec::new();
        self.each_by_order(loss, contingency, |_| true, control, &mut |feature, at, score| {
            found.push((feature, at, score));
        })?;
        Ok(found)
    }

    /// Visit the candidates of the wanted features, in feature order.
    fn each_by_order(
        &self,
        loss: QuantileLoss,
        contingency: &ContingencyTables<W::Sum>,
        wanted: impl Fn(u32) -> bool,
        control: &Control,
        visit: &mut dyn FnMut(u32, u32, f64),
    ) -> Result<()> {
        let narrow = self.context.weights.unit_target().is_some() && self.range.len <= MOST_NARROW;
        match narrow {
            true => self.each_in::<i64>(loss, contingency, wanted, control, visit),
            false => self.each_in::<i128>(loss, contingency, wanted, control, visit),
        }
    }

    fn each_in<T: Whole>(
        &self,
        loss: QuantileLoss,
        contingency: &ContingencyTables<W::Sum>,
        wanted: impl Fn(u32) -> bool,
        control: &Control,
        visit: &mut dyn FnMut(u32, u32, f64),
    ) -> Result<()> {
        let target = target(self.context.data)?;
        let rows = self.sorted_rows();
        let mut node = NodeOrder::<T>::new(&rows, loss, self.context.data.len(), |row| {
            self.number_of(target, row)
        });
        for feature in (0..self.context.data.columns().len() as u32).filter(|&f| wanted(f)) {
            control.check()?;
            let visit = &mut |at, score| visit(feature, at, score * target.grid().unit);
            match self.context.place(feature) {
                FeaturePlace::Numeric(numeric) => {
                    self.thresholds_by_order(numeric, target, loss, &mut node, visit);
                }
                FeaturePlace::Nominal(nominal)
                    if self.context.splits(nominal) == NominalSplits::Multiway =>
                {
                    self.levels_by_order(nominal, target, loss, &node, visit);
                }
                FeaturePlace::Nominal(nominal) => {
                    self.divisions_by_order(nominal, contingency, target, loss, &node, visit);
                }
            }
        }
        Ok(())
    }

    /// The node's rows, ascending.
    fn sorted_rows(&self) -> Vec<u32> {
        let mut rows: Vec<u32> = match self.context.numeric.is_empty() {
            true => {
                self.slices.coded(self.context.nominal.features.len(), self.range).rows.to_vec()
            }
            false => self.slices.order(0, self.range).iter().map(|&e| entry_row(e)).collect(),
        };
        rows.sort_unstable();
        rows
    }

    fn number_of(&self, target: &Target, row: u32) -> WeighedNumber {
        let weight = self.context.weights.of(row).units();
        WeighedNumber { weight, units: target.units()[row as usize] }
    }

    /// Whether a branch reaches the limits.
    fn is_enough(&self, rows: usize, weight: f64) -> bool {
        let min = self.minimum();
        let weight = weight * self.context.weights.unit();
        let size = if min.copies { weight } else { rows as f64 };
        size >= f64::from(min.rows) && weight >= min.weight
    }

    /// The thresholds of a numeric feature.
    fn thresholds_by_order<T: Whole>(
        &self,
        numeric: usize,
        target: &Target,
        loss: QuantileLoss,
        node: &mut NodeOrder<T>,
        visit: &mut Visit<'_>,
    ) {
        let known = self.known(numeric);
        let (order, n) = (&known.order[..], known.order.len());
        if n < 2 {
            return;
        }
        // Rows without a value are a third branch, and the list has the others alone.
        let mut known_rows = None;
        let mut missing = 0.0;
        if known.sums.is_some() {
            let whole = self.slices.order(numeric, self.range);
            let without = sorted(whole[n..].iter().map(|&e| entry_row(e)));
            let rows = without.iter().map(|&row| self.number_of(target, row));
            let weight: i64 = rows.clone().map(|row| row.weight).sum();
            if !self.is_enough(without.len(), weight as f64) {
                return;
            }
            missing = QuantileOf::sorted(rows, loss).loss;
            let with = sorted(order.iter().map(|&e| entry_row(e)));
            known_rows = Some(NodeOrder::<T>::new(&with, loss, self.context.data.len(), |row| {
                self.number_of(target, row)
            }));
        }
        let (whole, weight) = (node.whole, node.weight);
        let known = known_rows.as_mut().unwrap_or(node);
        let (mut left, mut right) = (vec![0.0; n + 1], vec![0.0; n + 1]);
        let place = |&e: &u32| known.place[entry_row(e) as usize];
        known.losses.prefixes(order.iter().map(place), &mut left);
        known.losses.prefixes(order.iter().rev().map(place), &mut right);
        let mut passed = 0;
        for at in 1..n {
            passed += self.context.weights.of(entry_row(order[at - 1])).units();
            let (on_left, rest) = (passed as f64, known.weight - passed as f64);
            if entry_tied(order[at]) == 0
                && self.is_enough(at, on_left)
                && self.is_enough(n - at, rest)
            {
                visit(at as u32, (whole - (left[at] + right[n - at] + missing)) / weight);
            }
        }
    }

    /// The rows of each code of a nominal feature, ascending; the last code may mean "missing".
    fn rows_by_code(&self, nominal: usize) -> Vec<Vec<u32>> {
        let width = self.context.nominal.features.len();
        let coded = self.slices.coded(width, self.range);
        let mut by_code = vec![Vec::new(); self.context.nominal.layout.arity(nominal)];
        for (codes, &row) in coded.codes.chunks_exact(width).zip(coded.rows) {
            by_code[codes[nominal].index()].push(row);
        }
        by_code.iter_mut().for_each(|rows| rows.sort_unstable());
        by_code
    }

    /// The loss of some rows, ascending; `None` where they are too few for a branch.
    fn loss_of(&self, rows: &[u32], target: &Target, loss: QuantileLoss) -> Option<f64> {
        let numbers = rows.iter().map(|&row| self.number_of(target, row));
        let weight: i64 = numbers.clone().map(|row| row.weight).sum();
        let enough = self.is_enough(rows.len(), weight as f64);
        enough.then(|| QuantileOf::sorted(numbers, loss).loss)
    }

    /// The multiway split of a nominal feature.
    fn levels_by_order<T: Whole>(
        &self,
        nominal: usize,
        target: &Target,
        loss: QuantileLoss,
        node: &NodeOrder<T>,
        visit: &mut Visit<'_>,
    ) {
        let by_code = self.rows_by_code(nominal);
        let filled: Vec<&Vec<u32>> = by_code.iter().filter(|rows| !rows.is_empty()).collect();
        let losses: Option<Vec<f64>> =
            filled.iter().map(|rows| self.loss_of(rows, target, loss)).collect();
        if let Some(losses) = losses.filter(|losses| losses.len() > 1) {
            visit(0, (node.whole - losses.iter().sum::<f64>()) / node.weight);
        }
    }

    /// The divisions in two of a nominal feature's levels.
    fn divisions_by_order<T: Whole>(
        &self,
        nominal: usize,
        contingency: &ContingencyTables<W::Sum>,
        target: &Target,
        loss: QuantileLoss,
        node: &NodeOrder<T>,
        visit: &mut Visit<'_>,
    ) {
        let divisions = divisions(&self.tables(contingency), nominal);
        let by_code = self.rows_by_code(nominal);
        let mut missing = 0.0;
        if self.context.nominal.missing[nominal]
            && let Some(rows) = by_code.last().filter(|rows| !rows.is_empty())
        {
            let Some(found) = self.loss_of(rows, target, loss) else { return };
            missing = found;
        }
        for at in divisions.numbers() {
            let first = divisions.listed(at);
            let second: Vec<u32> = divisions
                .occurring()
                .into_iter()
                .filter(|code| first.binary_search(code).is_err())
                .collect();
            let side = |codes: &[u32]| {
                let rows = sorted(codes.iter().flat_map(|&c| by_code[c as usize].iter().copied()));
                self.loss_of(&rows, target, loss)
            };
            if let (Some(first), Some(second)) = (side(&first), side(&second)) {
                visit(at, (node.whole - (first + second + missing)) / node.weight);
            }
        }
    }
}

impl<T: Whole> NodeOrder<T> {
    /// The order of some rows, ascending, of a data set of `n` rows.
    fn new(
        rows: &[u32],
        loss: QuantileLoss,
        n: usize,
        weighed: impl Fn(u32) -> WeighedNumber,
    ) -> Self {
        let mut place = vec![0; n];
        rows.iter().zip(0..).for_each(|(&row, i)| place[row as usize] = i);
        let numbers: Vec<WeighedNumber> = rows.iter().map(|&row| weighed(row)).collect();
        let weight = numbers.iter().map(|row| row.weight).sum::<i64>() as f64;
        let losses = PrefixLosses::new(numbers, loss);
        Self { whole: losses.of_all(), losses, place, weight }
    }
}

fn sorted(rows: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut rows: Vec<u32> = rows.collect();
    rows.sort_unstable();
    rows
}

fn target(data: &Dataset) -> Result<&Target> {
    data.target().ok_or_else(|| Error::Unsupported {
        what: "a criterion on the order of a numeric target, with a target of classes".into(),
        supported: "criteria on classes; or FastTreeRegressor, task='regression'".into(),
    })
}
