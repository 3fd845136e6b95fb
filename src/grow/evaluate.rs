//! One node looked at: which split is best, and what it would do.

use super::Thresholds;
use super::evidence::{PairScores, PairTools};
use super::features::search_among;
use super::ground::{Extent, Field, Ground, Numeric, Place};
use crate::criteria::{Criterion, Evidence, Guard, InfoGain, Tables};
use crate::data::{entry_row, entry_tied};
use crate::error::Result;
use crate::numeric::{Count, mix};
use crate::parallel::{self, Control};
use crate::split::multiway::{self, Minimum, NominalTable};
use crate::split::random::{self, Draws, Splitter};
use crate::split::subset::{self, LevelPartition, Levels, Menu, Search};
use crate::split::threshold::{self, Scan};
use crate::split::{
    Best, Choice, FeatureBest, NominalSplits, Scored, Scratch, Selector, Sink, not_a_number,
};
use crate::stats::contingency::{Code, Planes, Tally, count};
use crate::stats::{Sum, Weighing};
use crate::tree::Test;

/// Rows times features above which the features of one node are looked at by several threads.
const WIDE_NODE: usize = 1 << 16;

/// The split that was chosen for a node.
#[derive(Debug, Clone)]
pub(super) struct Chosen<S> {
    pub feature: u32,
    pub place: Place,
    pub test: Test,
    pub score: f64,
    pub distance: f64,
    /// How much the tree improves; 0 where growth does not ask.
    pub improvement: f64,
    /// Class sums of the branches, `classes` a branch.
    pub sums: Vec<S>,
    /// Rows of the branches.
    pub sizes: Vec<u32>,
    /// The last branch holds missing values.
    pub missing: bool,
    /// Levels that a subset test lists.
    pub levels: Vec<u32>,
    /// Branch of each code; empty where it is the code, and for numbers.
    pub branch_of: Vec<u16>,
}

/// Reusable memory of one worker.
#[derive(Debug)]
pub(super) struct Tools<S: Sum> {
    scratch: Scratch<S::Cell>,
    menu: Menu<S>,
    planes: Planes<S>,
    pub pairs: PairTools,
}

impl<S: Sum> Tools<S> {
    /// Take back the memory of tables that nobody needs any more.
    pub fn recycle(&mut self, tally: Tally<S>) {
        self.planes.recycle(tally);
    }
}

impl<S: Sum> Default for Tools<S> {
    fn default() -> Self {
        Self {
            scratch: Scratch::default(),
            menu: Menu::default(),
            planes: Planes::default(),
            pairs: PairTools::default(),
        }
    }
}

/// A node under evaluation.
pub(super) struct Look<'n, 'f, C, W: Weighing> {
    pub ground: &'n Ground<'n, W>,
    pub field: &'n Field<'f, C>,
    pub extent: Extent,
    pub totals: &'n [W::Sum],
    pub key: u64,
    /// Offer also the thresholds that a convex criterion cannot choose.
    pub every: bool,
}

impl<C: Code, W: Weighing> Look<'_, '_, C, W> {
    pub fn minimum(&self) -> Minimum {
        let limits = &self.ground.setting.limits;
        Minimum {
            rows: limits.min_samples_leaf as u32,
            weight: limits.min_weight_fraction_leaf * self.ground.total_weight,
            copies: W::COPIES,
        }
    }

    /// Entries with a known value, and class sums of the others.
    pub(super) fn known(&self, numeric: usize) -> (&[u32], Option<Vec<W::Sum>>) {
        let order = self.field.order(numeric, self.extent);
        let Some(bits) = &self.ground.numeric[numeric].missing else { return (order, None) };
        let known = order.partition_point(|&e| bits.get(entry_row(e)) == 0);
        if known == order.len() {
            return (order, None);
        }
        let mut sums = self.totals.to_vec();
        for (sum, &missing) in sums.iter_mut().zip(&self.ground.sums_of(&order[known..])) {
            *sum = sum.minus(missing);
        }
        (&order[..known], Some(sums))
    }

    fn offer_numeric(
        &self,
        numeric: usize,
        scratch: &mut Scratch<<W::Sum as Sum>::Cell>,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let (order, known) = self.known(numeric);
        let min = self.minimum();
        if let Some(known) = &known {
            // Missing values are a branch like any other.
            let unit = self.ground.weights.unit();
            let weight: f64 =
                self.totals.iter().zip(known).map(|(t, &k)| t.minus(k).value(unit)).sum();
            let size = if W::COPIES { weight } else { (self.extent.len - order.len()) as f64 };
            if weight < min.weight || size < f64::from(min.rows) {
                return Ok(());
            }
        }
        let criterion = self.ground.setting.criterion;
        let context = &self.ground.setting.context;
        let convex =
            if known.is_some() { criterion.convex_beside() } else { criterion.info().convex };
        let scan = Scan {
            feature: self.ground.numeric[numeric].feature,
            order,
            known: known.as_deref().unwrap_or(self.totals),
            totals: self.totals,
            class_of: self.ground.class_of,
            weights: self.ground.weights,
            min,
            convex: convex && !self.every,
            steps: &[],
        };
        let Some(draws) = self.draws() else {
            return threshold::offer(&scan, context, scratch, sink);
        };
        let Some((_, at)) = self.drawn_threshold(draws, numeric, order) else { return Ok(()) };
        random::offer(&scan, at, &self.ground.sums_of(&order[..at]), context, scratch, sink)
    }

    /// What is drawn for the node, where splits are not searched.
    fn draws(&self) -> Option<Draws> {
        let setting = self.ground.setting;
        let random = setting.splitter == Splitter::Random && !self.every;
        random.then(|| Draws::new(setting.seed, self.key))
    }

    /// The threshold that is drawn for a numeric feature, and the known rows on its left.
    fn drawn_threshold(&self, draws: Draws, numeric: usize, order: &[u32]) -> Option<(f64, usize)> {
        let Numeric { feature, column, .. } = &self.ground.numeric[numeric];
        let value = |e: &u32| column.value(entry_row(*e));
        let (lo, hi) = (order.first().map(value)?, order.last().map(value)?);
        (lo < hi).then(|| {
            let t = draws.threshold(*feature, lo, hi);
            (t, order.partition_point(|e| value(e) <= t))
        })
    }

    fn offer_nominal(
        &self,
        tally: &Tally<W::Sum>,
        wanted: impl Fn(u32) -> bool,
        tools: &mut Tools<W::Sum>,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let nominal = &self.ground.nominal;
        if self.ground.setting.nominal_splits != NominalSplits::Multiway {
            let wanted = nominal.features.iter().enumerate().filter(|&(_, &f)| wanted(f));
            let levels = wanted.map(|(j, _)| self.levels(j, tally));
            let (context, search) = (&self.ground.setting.context, self.search());
            let Tools { menu, scratch, .. } = tools;
            return subset::offer(levels, self.totals, &search, context, menu, scratch, sink);
        }
        let tables = nominal.features.iter().enumerate().filter(|&(_, &f)| wanted(f)).map(
            |(j, &feature)| NominalTable {
                feature,
                cells: tally.table(&nominal.layout, j),
                missing: nominal.missing[j],
            },
        );
        let (unit, context) = (self.ground.weights.unit(), &self.ground.setting.context);
        multiway::offer(
            tables,
            self.totals,
            unit,
            self.minimum(),
            context,
            &mut tools.scratch,
            sink,
        )
    }

    fn search(&self) -> Search {
        let setting = self.ground.setting;
        Search {
            how: setting.nominal_splits,
            shortcut: setting.criterion.orders_levels() && !self.every,
            min: self.minimum(),
            unit: self.ground.weights.unit(),
            drawn: self.draws(),
        }
    }

    /// The levels of a nominal feature.
    fn levels<'t>(&self, nominal: usize, tally: &'t Tally<W::Sum>) -> Levels<'t, W::Sum> {
        let ground = &self.ground.nominal;
        let counted = !W::COPIES && self.ground.setting.limits.min_samples_leaf > 1;
        Levels {
            table: NominalTable {
                feature: ground.features[nominal],
                cells: tally.table(&ground.layout, nominal),
                missing: ground.missing[nominal],
            },
            ordered: ground.cuts[nominal].is_some(),
            rows: counted.then(|| self.code_sizes(nominal)),
        }
    }

    /// The divisions of the levels of a nominal feature, where there are only two sides.
    fn menu(&self, nominal: usize, tally: &Tally<W::Sum>) -> Menu<W::Sum> {
        let mut menu = Menu::default();
        menu.fill(&self.levels(nominal, tally), self.totals.len(), &self.search());
        menu
    }

    /// All candidates of the wanted features; nominal features come first.
    pub fn offer_all(
        &self,
        tally: &Tally<W::Sum>,
        wanted: impl Fn(u32) -> bool,
        tools: &mut Tools<W::Sum>,
        sink: &mut dyn Sink,
        control: &Control,
    ) -> Result<()> {
        self.offer_nominal(tally, &wanted, tools, sink)?;
        for (i, feature) in self.ground.numeric.iter().enumerate() {
            if wanted(feature.feature) {
                self.offer_numeric(i, &mut tools.scratch, sink)?;
                control.check()?;
            }
        }
        Ok(())
    }

    /// The first original row whose value is the one just left of a threshold.
    pub fn first_row(&self, feature: u32, at: u32) -> u32 {
        let Place::Numeric(i) = self.ground.place(feature) else { return 0 };
        let (order, _) = self.known(i);
        let original = self.ground.data.original();
        let mut at = at as usize - 1;
        let mut first = original[entry_row(order[at]) as usize];
        while entry_tied(order[at]) == 1 {
            at -= 1;
            first = first.min(original[entry_row(order[at]) as usize]);
        }
        first
    }

    /// Tables of all nominal features.
    pub fn tally(&self, tools: &mut Tools<W::Sum>) -> Tally<W::Sum> {
        let nominal = &self.ground.nominal;
        if nominal.features.is_empty() {
            return Tally::default();
        }
        let rows = self.field.coded(nominal.features.len(), self.extent);
        count(rows, &nominal.layout, self.ground.weights, &mut tools.planes)
    }

    /// What evidence other than tables says of the node's features; nothing where tables are the
    /// evidence.
    fn other_evidence(
        &self,
        tools: &mut Tools<W::Sum>,
        control: &Control,
    ) -> Result<Option<PairScores>> {
        if let Some(search) = self.ground.setting.criterion.on_neighbours() {
            return self.neighbour_scores(search, control).map(Some);
        }
        let metric = self.ground.setting.criterion.on_pairs();
        metric.map(|m| self.pair_scores(m, &mut tools.pairs, control)).transpose()
    }

    /// Candidates among features whose scores are known.
    pub fn scored(
        &self,
        tally: &Tally<W::Sum>,
        known: &PairScores,
        wanted: impl Fn(u32) -> bool,
    ) -> Result<Vec<Scored>> {
        let mut found = Vec::with_capacity(known.scores.len());
        for &(place, score) in &known.scores {
            let feature = self.ground.nominal.features[place as usize];
            if !wanted(feature) || !self.is_candidate(place as usize, tally) {
                continue;
            }
            if score.is_nan() {
                return Err(not_a_number(feature));
            }
            found.push(Scored { feature, score, at: 0, tied: Vec::new() });
        }
        Ok(found)
    }

    /// Best candidate of each wanted feature, in feature order.
    fn best(
        &self,
        tally: &Tally<W::Sum>,
        known: Option<&PairScores>,
        wanted: impl Fn(u32) -> bool + Sync,
        tools: &mut Tools<W::Sum>,
        control: &Control,
    ) -> Result<Vec<Scored>> {
        if let Some(known) = known {
            return self.scored(tally, known, wanted);
        }
        if let Some(budget) = self.ground.setting.criterion.on_rows() {
            return self.best_by_rows(budget, wanted, control);
        }
        let setting = self.ground.setting;
        let numeric = &self.ground.numeric;
        // Only where blocks come in feature order, and none is taken back, may one feature shut out
        // another.
        let nominal = &self.ground.nominal.features;
        let final_word = W::COPIES
            || setting.limits.min_samples_leaf <= 1
            || setting.nominal_splits != NominalSplits::Multiway;
        let race = setting.guard == Guard::None
            && (nominal.is_empty() || (numeric.is_empty() && final_word));
        let mut best = Best::new(setting.criterion, setting.ties, race).watched(control);
        self.offer_nominal(tally, &wanted, tools, &mut best)?;
        let wide = self.extent.len * numeric.len() > WIDE_NODE;
        if control.threads() > 1 && wide && !setting.criterion.joined() {
            best.features.extend(
                parallel::map(control, numeric.len(), |i| {
                    let mut best =
                        Best::new(setting.criterion, setting.ties, false).watched(control);
                    if wanted(numeric[i].feature) {
                        self.offer_numeric(i, &mut Scratch::default(), &mut best)?;
                    }
                    Ok(best.features)
                })?
                .into_iter()
                .flatten(),
            );
        } else {
            for (i, feature) in numeric.iter().enumerate() {
                if wanted(feature.feature) {
                    self.offer_numeric(i, &mut tools.scratch, &mut best)?;
                }
                if wide {
                    control.check()?;
                }
            }
        }
        best.finish(&setting.context)?;
        if !self.ground.nominal.features.is_empty() && !numeric.is_empty() {
            best.features.sort_by_key(|b| b.feature);
        }
        best.features.retain(|b| self.is_large_enough(b.feature));
        Ok(best.features)
    }

    /// Whether no branch of a feature's split has too few rows, where sums do not tell (real
    /// weights).
    pub fn is_large_enough(&self, feature: u32) -> bool {
        let least = self.ground.setting.limits.min_samples_leaf as u32;
        match self.ground.place(feature) {
            Place::Nominal(j)
                if !W::COPIES
                    && least > 1
                    && self.ground.setting.nominal_splits == NominalSplits::Multiway =>
            {
                self.code_sizes(j).iter().all(|&s| s == 0 || s >= least)
            }
            _ => true,
        }
    }

    fn code_sizes(&self, nominal: usize) -> Vec<u32> {
        let width = self.ground.nominal.features.len();
        let mut sizes = vec![0; self.ground.nominal.layout.arity(nominal)];
        for codes in self.field.coded(width, self.extent).codes.chunks_exact(width) {
            sizes[codes[nominal].index()] += 1;
        }
        sizes
    }

    /// The split that the selection rule takes, or nothing when no feature has a valid one.
    pub fn choose(
        &self,
        tally: &Tally<W::Sum>,
        tools: &mut Tools<W::Sum>,
        control: &Control,
    ) -> Result<Option<Chosen<W::Sum>>> {
        let setting = self.ground.setting;
        let p = self.ground.data.columns().len();
        let known = self.other_evidence(tools, control)?;
        let selector = Selector { guard: setting.guard, ties: setting.ties, features: p };
        let best = search_among(p, setting.max_features, mix(setting.seed, self.key), |wanted| {
            let wanted = |f: u32| wanted[f as usize];
            let best = self.best(tally, known.as_ref(), wanted, tools, control)?;
            Ok((!best.is_empty()).then_some(best))
        })?;
        let Some(best) = best else { return Ok(None) };
        let mut facts = Facts { look: self, tally };
        let choice = selector.choose(best, &mut facts, mix(setting.seed, !self.key))?;
        let Some(choice) = choice else { return Ok(None) };
        let mut chosen = self.chosen(choice, tally)?;
        let before = || match &known {
            Some(known) => Ok(-known.whole),
            None => self.table_distance(self.totals, 1),
        };
        if !setting.limits.accept(chosen.score, chosen.distance, before)? {
            return Ok(None);
        }
        if setting.limits.need_improvement() {
            let undivided = match &known {
                Some(known) => known.whole,
                None => self.undivided_score(chosen.sizes.len(), control)?,
            };
            let unit = self.ground.weights.unit();
            let weight: f64 = self.totals.iter().map(|s| s.value(unit)).sum();
            chosen.improvement = setting.improvement(weight, chosen.score, undivided);
            if !setting.limits.accept_improvement(chosen.improvement, self.ground.total_weight) {
                return Ok(None);
            }
        }
        Ok(Some(chosen))
    }

    /// Score of the node's rows in one branch. A user's function gets a table of as many branches
    /// as it has seen, all but one of them empty.
    fn undivided_score(&self, branches: usize, control: &Control) -> Result<f64> {
        let criterion = self.ground.setting.criterion;
        if let Some(budget) = criterion.on_rows() {
            return self.undivided_by_rows(budget, control);
        }
        let branches = if criterion.joined() { branches } else { 1 };
        let mut sums = self.totals.to_vec();
        sums.resize(branches * self.totals.len(), W::Sum::default());
        let mut out = [0.0];
        self.one_table(&sums, branches, |t| criterion.score(t, &mut out))?;
        Ok(out[0])
    }

    /// Class sums by branch of a candidate.
    pub fn branches(&self, feature: u32, at: u32, tally: &Tally<W::Sum>) -> (Vec<W::Sum>, bool) {
        match self.ground.place(feature) {
            Place::Numeric(i) => {
                let (order, known) = self.known(i);
                let k = self.totals.len();
                let mut sums = self.ground.sums_of(&order[..at as usize]);
                let all = known.as_deref().unwrap_or(self.totals);
                sums.extend_from_within(..k);
                for c in 0..k {
                    sums[k + c] = all[c].minus(sums[c]);
                }
                if known.is_some() {
                    sums.extend((0..k).map(|c| self.totals[c].minus(all[c])));
                }
                (sums, known.is_some())
            }
            Place::Nominal(j) if self.ground.setting.nominal_splits != NominalSplits::Multiway => {
                self.menu(j, tally).sums(at)
            }
            Place::Nominal(j) => {
                let k = self.totals.len();
                let mut sums = tally.table(&self.ground.nominal.layout, j).to_vec();
                let mut missing = self.ground.nominal.missing[j];
                if missing && sums[sums.len() - k..].iter().all(|s| s.is_empty()) {
                    sums.truncate(sums.len() - k);
                    missing = false;
                }
                (sums, missing)
            }
        }
    }

    pub fn chosen(&self, choice: Choice, tally: &Tally<W::Sum>) -> Result<Chosen<W::Sum>> {
        let (sums, missing) = self.branches(choice.feature, choice.at, tally);
        let place = self.ground.place(choice.feature);
        let branches = sums.len() / self.totals.len();
        let (mut levels, mut branch_of) = (Vec::new(), Vec::new());
        let (test, sizes) = match place {
            Place::Numeric(i) => {
                let (order, _) = self.known(i);
                let column = self.ground.numeric[i].column;
                let at = choice.at as usize;
                let (lo, hi) =
                    (column.value(entry_row(order[at - 1])), column.value(entry_row(order[at])));
                let drawn = self.draws().and_then(|d| self.drawn_threshold(d, i, order));
                let t = match drawn {
                    Some((t, _)) if self.ground.setting.thresholds == Thresholds::Midpoint => {
                        t.into()
                    }
                    _ => self.ground.setting.threshold(self.ground.data, column, (lo, hi), lo),
                };
                let mut sizes = vec![choice.at, (order.len() - at) as u32];
                if missing {
                    sizes.push((self.extent.len - order.len()) as u32);
                }
                (Test::Threshold(t), sizes)
            }
            Place::Nominal(j) => {
                let mut test = Test::Multiway;
                if self.ground.setting.nominal_splits != NominalSplits::Multiway {
                    let division = self.partition(j, choice.at, tally);
                    (test, levels) = (division.test, division.listed);
                    branch_of = division.is_first.iter().map(|&f| u16::from(!f)).collect();
                    branch_of.extend(self.ground.nominal.missing[j].then_some(2));
                }
                let mut sizes = if W::UNIT {
                    let unit = self.ground.weights.unit();
                    sums.chunks_exact(self.totals.len())
                        .map(|branch| branch.iter().map(|s| s.value(unit)).sum::<f64>() as u32)
                        .collect()
                } else if branch_of.is_empty() {
                    self.code_sizes(j)
                } else {
                    let mut sizes = vec![0; 3];
                    let by_code = self.code_sizes(j);
                    branch_of.iter().zip(by_code).for_each(|(&b, size)| sizes[b as usize] += size);
                    sizes
                };
                sizes.truncate(branches);
                (test, sizes)
            }
        };
        let criterion = self.ground.setting.criterion;
        let distance = if criterion.joined() || criterion.info().evidence != Evidence::Table {
            -choice.score
        } else {
            self.table_distance(&sums, branches)?
        };
        Ok(Chosen {
            feature: choice.feature,
            place,
            test,
            score: choice.score,
            distance,
            improvement: 0.0,
            sums,
            sizes,
            missing,
            levels,
            branch_of,
        })
    }

    /// The test that a division of a nominal feature's levels stands for.
    pub fn partition(&self, nominal: usize, at: u32, tally: &Tally<W::Sum>) -> LevelPartition {
        let ground = &self.ground.nominal;
        let declared = ground.layout.arity(nominal) as u32 - u32::from(ground.missing[nominal]);
        let cuts = ground.cuts[nominal];
        self.menu(nominal, tally).partition(at, declared, cuts, &self.search())
    }

    pub fn one_table(
        &self,
        sums: &[W::Sum],
        branches: usize,
        use_table: impl FnOnce(&Tables<'_>) -> Result<()>,
    ) -> Result<()> {
        let unit = self.ground.weights.unit();
        let cells: Vec<_> = sums.iter().map(|s| s.cell(unit)).collect();
        let totals: Vec<_> = self.totals.iter().map(|s| s.cell(unit)).collect();
        use_table(&Tables {
            cells: Count::cells(&cells),
            totals: Count::cells(&totals),
            branches,
            classes: totals.len(),
            stride: 1,
            len: 1,
            declared: &[branches as u32],
            context: &self.ground.setting.context,
        })
    }

    pub fn table_distance(&self, sums: &[W::Sum], branches: usize) -> Result<f64> {
        let mut out = [0.0];
        self.one_table(sums, branches, |t| self.ground.setting.criterion.distance(t, &mut out))?;
        Ok(out[0])
    }
}

struct Facts<'l, 'n, 'f, C, W: Weighing> {
    look: &'l Look<'n, 'f, C, W>,
    tally: &'l Tally<W::Sum>,
}

impl<C: Code, W: Weighing> FeatureBest for Facts<'_, '_, '_, C, W> {
    fn gain(&mut self, feature: u32, at: u32) -> Result<f64> {
        let (sums, _) = self.look.branches(feature, at, self.tally);
        let mut out = [0.0];
        let branches = sums.len() / self.look.totals.len();
        self.look
            .one_table(&sums, branches, |t| Criterion::score(&InfoGain::default(), t, &mut out))?;
        Ok(out[0])
    }

    fn first_row(&mut self, feature: u32, at: u32) -> u32 {
        self.look.first_row(feature, at)
    }
}
