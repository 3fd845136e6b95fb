//! A node under evaluation: its rows, its tables, and its candidate splits.
//!
//! Candidates are handed to a sink feature by feature; which of them is best, and what it would do,
//! is found in [`search`](super::search).

use super::context::{FeaturePlace, GrowContext, Numeric};
use super::evidence::PairWorkspace;
use super::row_buffers::{NodeRange, RowSlices};
use super::short_orders::ShortOrders;
use crate::criteria::{RunningScores, Tables};
use crate::data::{entry_row, entry_tied};
use crate::error::Result;
use crate::numeric::Count;
use crate::parallel::Control;
use crate::split::multiway::{self, Minimum, NominalTable};
use crate::split::random::Draws;
use crate::split::short::{self, ShortScan, ShortScratch};
use crate::split::splitter::{self, CutRule, NumericRows};
use crate::split::subset::{self, FeatureLevels, LevelPartition, LevelPartitions, SubsetSearch};
use crate::split::threshold::{self, Scan};
use crate::split::{BlockScratch, NominalSplits, Sink};
use crate::stats::contingency::{Code, ContingencyTables, CountingPlanes, count};
use crate::stats::{CellOf, Sum, Weighing};
use std::borrow::Cow;

/// Reusable memory of one worker.
#[derive(Debug)]
pub(super) struct Workspace<S: Sum> {
    pub(super) scratch: BlockScratch<S::Cell>,
    short: ShortScratch,
    partitions: LevelPartitions<S>,
    planes: CountingPlanes<S>,
    pub pairs: PairWorkspace,
    /// Scores of a block.
    pub scores: Vec<f64>,
}

impl<S: Sum> Workspace<S> {
    /// Take back the memory of tables that nobody needs any more.
    pub fn recycle(&mut self, contingency: ContingencyTables<S>) {
        self.planes.recycle(contingency);
    }
}

impl<S: Sum> Default for Workspace<S> {
    fn default() -> Self {
        Self {
            scratch: BlockScratch::default(),
            short: ShortScratch::default(),
            partitions: LevelPartitions::default(),
            planes: CountingPlanes::default(),
            pairs: PairWorkspace::default(),
            scores: Vec::new(),
        }
    }
}

/// A node under evaluation.
pub(super) struct NodeEvaluator<'n, 'f, C, W: Weighing> {
    pub context: &'n GrowContext<'n, W>,
    pub field: &'n RowSlices<'f, C>,
    pub range: NodeRange,
    pub totals: &'n [W::Sum],
    pub key: u64,
    /// Score also the thresholds that a convex criterion cannot choose.
    pub every: bool,
    /// The orders of numeric features, where the ranges do not hold them, and how their cuts are
    /// scored.
    pub short: Option<(&'n ShortOrders, RunningScores)>,
}

impl<C: Code, W: Weighing> NodeEvaluator<'_, '_, C, W> {
    pub fn minimum(&self) -> Minimum {
        let limits = &self.context.setting.limits;
        Minimum {
            rows: limits.min_samples_leaf as u32,
            weight: limits.min_weight_fraction_leaf * self.context.total_weight,
            copies: W::COPIES,
        }
    }

    /// Entries with a known value, and class sums of the others.
    pub(super) fn known(&self, numeric: usize) -> (Cow<'_, [u32]>, Option<Vec<W::Sum>>) {
        if let Some((short, _)) = self.short {
            return (short.entries(numeric).collect(), None);
        }
        let order = self.field.order(numeric, self.range);
        let Some(bits) = &self.context.numeric[numeric].missing else {
            return (Cow::Borrowed(order), None);
        };
        let known = order.partition_point(|&e| bits.get(entry_row(e)) == 0);
        if known == order.len() {
            return (Cow::Borrowed(order), None);
        }
        let mut sums = self.totals.to_vec();
        for (sum, &missing) in sums.iter_mut().zip(&self.context.sums_of(&order[known..])) {
            *sum = sum.minus(missing);
        }
        (Cow::Borrowed(&order[..known]), Some(sums))
    }

    /// Score the thresholds of all wanted features of a node of short orders.
    pub(super) fn score_short(
        &self,
        (orders, how): (&ShortOrders, RunningScores),
        wanted: impl Fn(u32) -> bool,
        tools: &mut Workspace<W::Sum>,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let (min, context) = (self.minimum(), &self.context.setting.context);
        let min_rows = (min.rows as usize).max(1).max(min.weight.ceil() as usize);
        let convex = self.context.setting.criterion.info().convex && !self.every;
        let columns = self.context.numeric.iter().map(|column| column.feature);
        let sorted = orders.orders.rows.iter().zip(&orders.orders.tied);
        for (feature, (order, &tied)) in columns.zip(sorted).filter(|(f, _)| wanted(*f)) {
            let facts = &orders.facts;
            let scan = ShortScan { feature, order, tied, facts, min_rows, convex };
            short::score_candidates(&scan, context, how, &mut tools.short, sink)?;
        }
        Ok(())
    }

    pub(super) fn score_numeric(
        &self,
        numeric: usize,
        scratch: &mut BlockScratch<CellOf<W>>,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let (entries, known) = self.known(numeric);
        let (order, min): (&[u32], _) = (&entries, self.minimum());
        if let Some(known) = &known {
            // Missing values are a branch like any other.
            let unit = self.context.weights.unit();
            let weight: f64 =
                self.totals.iter().zip(known).map(|(t, &k)| t.minus(k).value(unit)).sum();
            let size = if W::COPIES { weight } else { (self.range.len - order.len()) as f64 };
            if weight < min.weight || size < f64::from(min.rows) {
                return Ok(());
            }
        }
        let criterion = self.context.setting.criterion;
        let context = &self.context.setting.context;
        let convex = if known.is_some() {
            criterion.convex_with_missing_branch()
        } else {
            criterion.info().convex
        };
        let scan = Scan {
            feature: self.context.numeric[numeric].feature,
            order,
            known: known.as_deref().unwrap_or(self.totals),
            totals: self.totals,
            class_of: self.context.class_of,
            weights: self.context.weights,
            min,
            convex: convex && !self.every,
            steps: &[],
        };
        match self.cut(numeric, order) {
            CutRule::Every => threshold::score_candidates(&scan, context, scratch, sink),
            CutRule::Nowhere => Ok(()),
            CutRule::At { left, .. } => {
                let sums = self.context.sums_of(&order[..left]);
                splitter::score_candidates(&scan, left, &sums, context, scratch, sink)
            }
        }
    }

    fn draws(&self) -> Draws {
        Draws::new(self.context.setting.seed, self.key)
    }

    /// The thresholds of a numeric feature that are tried.
    pub(super) fn cut(&self, numeric: usize, order: &[u32]) -> CutRule {
        if self.every {
            return CutRule::Every;
        }
        let Numeric { feature, column, .. } = &self.context.numeric[numeric];
        let value = |e: u32| column.value(entry_row(e));
        let rows = NumericRows { feature: *feature, order, value, weights: self.context.weights };
        self.context.setting.splitter.cut(&rows, self.draws())
    }

    pub(super) fn score_nominal(
        &self,
        contingency: &ContingencyTables<W::Sum>,
        wanted: impl Fn(u32) -> bool,
        tools: &mut Workspace<W::Sum>,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let nominal = &self.context.nominal;
        let of = |multiway: bool| {
            nominal.features.iter().enumerate().filter(move |&(j, _)| {
                (self.context.splits(j) == NominalSplits::Multiway) == multiway
            })
        };
        if self.context.setting.nominal_splits != NominalSplits::Multiway {
            let wanted = of(false).filter(|&(_, &f)| wanted(f));
            let levels = wanted.map(|(j, _)| self.levels(j, contingency));
            let (context, search) = (&self.context.setting.context, self.search());
            let Workspace { partitions, scratch, .. } = &mut *tools;
            subset::score_candidates(
                levels,
                self.totals,
                &search,
                context,
                partitions,
                scratch,
                sink,
            )?;
        }
        if !self.context.setting.nominal_splits.has_multiway() {
            return Ok(());
        }
        let tables = of(true).filter(|&(_, &f)| wanted(f)).map(|(j, &feature)| NominalTable {
            feature,
            cells: contingency.table(&nominal.layout, j),
            missing: nominal.missing[j],
        });
        let (unit, context) = (self.context.weights.unit(), &self.context.setting.context);
        multiway::score_candidates(
            tables,
            self.totals,
            unit,
            self.minimum(),
            context,
            &mut tools.scratch,
            sink,
        )
    }

    fn search(&self) -> SubsetSearch {
        let setting = self.context.setting;
        SubsetSearch {
            how: setting.nominal_splits.in_two(),
            shortcut: setting.criterion.breiman_order() && !self.every,
            min: self.minimum(),
            unit: self.context.weights.unit(),
            drawn: setting.splitter.division(self.draws()).filter(|_| !self.every),
        }
    }

    /// The levels of a nominal feature.
    fn levels<'t>(
        &self,
        nominal: usize,
        contingency: &'t ContingencyTables<W::Sum>,
    ) -> FeatureLevels<'t, W::Sum> {
        let context = &self.context.nominal;
        let counted = !W::COPIES && self.context.setting.limits.min_samples_leaf > 1;
        FeatureLevels {
            table: NominalTable {
                feature: context.features[nominal],
                cells: contingency.table(&context.layout, nominal),
                missing: context.missing[nominal],
            },
            ordered: context.cuts[nominal].is_some(),
            rows: counted.then(|| self.code_sizes(nominal)),
        }
    }

    /// The divisions of the levels of a nominal feature, where there are only two sides.
    pub(super) fn partitions(
        &self,
        nominal: usize,
        contingency: &ContingencyTables<W::Sum>,
    ) -> LevelPartitions<W::Sum> {
        let mut partitions = LevelPartitions::default();
        partitions.fill(&self.levels(nominal, contingency), self.totals.len(), &self.search());
        partitions
    }

    /// All candidates of the wanted features; nominal features come first.
    pub fn score_all(
        &self,
        contingency: &ContingencyTables<W::Sum>,
        wanted: impl Fn(u32) -> bool,
        tools: &mut Workspace<W::Sum>,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<()> {
        self.score_nominal(contingency, &wanted, tools, sink)?;
        for (i, feature) in self.context.numeric.iter().enumerate() {
            if wanted(feature.feature) {
                self.score_numeric(i, &mut tools.scratch, sink)?;
                control.check()?;
            }
        }
        Ok(())
    }

    /// The first original row whose value is the one just left of a threshold.
    pub fn first_row(&self, feature: u32, at: u32) -> u32 {
        let FeaturePlace::Numeric(i) = self.context.place(feature) else { return 0 };
        let (order, _) = self.known(i);
        let original = self.context.data.original();
        let mut at = at as usize - 1;
        let mut first = original[entry_row(order[at]) as usize];
        while entry_tied(order[at]) == 1 {
            at -= 1;
            first = first.min(original[entry_row(order[at]) as usize]);
        }
        first
    }

    /// Tables of all nominal features.
    pub fn count_tables(&self, tools: &mut Workspace<W::Sum>) -> ContingencyTables<W::Sum> {
        let nominal = &self.context.nominal;
        if nominal.features.is_empty() {
            return ContingencyTables::default();
        }
        let rows = self.field.coded(nominal.features.len(), self.range);
        count(rows, &nominal.layout, self.context.weights, &mut tools.planes)
    }

    /// Whether no branch of a feature's split has too few rows, where sums do not tell (real
    /// weights).
    pub fn is_large_enough(&self, feature: u32) -> bool {
        let least = self.context.setting.limits.min_samples_leaf as u32;
        match self.context.place(feature) {
            FeaturePlace::Nominal(j)
                if !W::COPIES && least > 1 && self.context.splits(j) == NominalSplits::Multiway =>
            {
                self.code_sizes(j).iter().all(|&s| s == 0 || s >= least)
            }
            _ => true,
        }
    }

    pub(super) fn code_sizes(&self, nominal: usize) -> Vec<u32> {
        let width = self.context.nominal.features.len();
        let mut sizes = vec![0; self.context.nominal.layout.arity(nominal)];
        for codes in self.field.coded(width, self.range).codes.chunks_exact(width) {
            sizes[codes[nominal].index()] += 1;
        }
        sizes
    }

    /// The test that a division of a nominal feature's levels stands for.
    pub fn partition(
        &self,
        nominal: usize,
        at: u32,
        contingency: &ContingencyTables<W::Sum>,
    ) -> LevelPartition {
        let context = &self.context.nominal;
        let declared = context.layout.arity(nominal) as u32 - u32::from(context.missing[nominal]);
        let cuts = context.cuts[nominal];
        self.partitions(nominal, contingency).partition(at, declared, cuts, &self.search())
    }

    pub fn one_table(
        &self,
        sums: &[W::Sum],
        branches: usize,
        use_table: impl FnOnce(&Tables<'_>) -> Result<()>,
    ) -> Result<()> {
        let unit = self.context.weights.unit();
        let cells: Vec<_> = sums.iter().chain(self.totals).map(|s| s.cell(unit)).collect();
        let (cells, totals) = cells.split_at(sums.len());
        use_table(&Tables {
            cells: Count::cells(cells),
            totals: Count::cells(totals),
            branches,
            classes: totals.len(),
            stride: 1,
            len: 1,
            declared: &[branches as u32],
            context: &self.context.setting.context,
        })
    }

    pub fn table_distance(&self, sums: &[W::Sum], branches: usize) -> Result<f64> {
        let mut out = [0.0];
        self.one_table(sums, branches, |t| self.context.setting.criterion.distance(t, &mut out))?;
        Ok(out[0])
    }
}
