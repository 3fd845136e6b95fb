//! The best split of a node whose rows are codes.

use super::BinnedContext;
use super::block::CutBlock;
use super::counts::NodeCounts;
use super::pairs::PairCuts;
use super::small::LaneBuffers;
use super::sums::ClassSums;
use crate::criteria::{Criterion, GainFilter, InfoGain, Tables};
use crate::error::Result;
use crate::grow::builder::NodeSplit;
use crate::grow::features::shuffle;
use crate::numeric::{Count, midpoint, mix};
use crate::parallel::Control;
use crate::reached::{self, Way};
use crate::split::binned::{self, BinGroups, BinScan};
use crate::split::multiway::{self, NominalTable};
use crate::split::subset::{self, FeatureLevels, LevelPartitions, SubsetSearch};
use crate::split::{
    BestOfEach, BlockScratch, Choice, FeatureBest, NominalSplits, Scored, Selector,
};
use crate::stats::Sum;
use crate::tree::{NONE, Test};

/// Cells of a table that lie on the stack.
const FEW_CELLS: usize = 12;

/// The split that was chosen for a node.
#[derive(Debug, Clone)]
pub(super) struct BinnedSplit<S> {
    pub feature: u32,
    pub test: Test,
    pub score: f64,
    pub distance: f64,
    /// How much it improves the tree; 0 where growth does not ask.
    pub improvement: f64,
    pub branches: usize,
    /// Highest code on the left of a threshold.
    pub at: u32,
    /// Class sums of the branches, `classes` a branch.
    pub sums: Vec<S>,
    /// The last branch holds missing values.
    pub missing: bool,
    /// Levels that a subset test lists.
    pub levels: Vec<u32>,
    /// Branch of each code of a nominal feature.
    pub branch_of: Vec<u16>,
}

impl<S> BinnedSplit<S> {
    /// As the tree keeps it.
    pub fn as_split(&self, step: u32) -> NodeSplit {
        NodeSplit {
            feature: self.feature,
            test: self.test,
            first_child: NONE,
            n_children: 0,
            missing: self.missing,
            score: self.score,
            distance: self.distance,
            step,
        }
    }
}

/// Reusable memory of one worker.
#[derive(Debug)]
pub(super) struct BinnedWorkspace<S: Sum> {
    pub block: CutBlock<S>,
    pub pairs: PairCuts,
    pub sums: ClassSums,
    pub lanes: LaneBuffers,
    pub counts: Vec<u32>,
    /// Features in the order in which a node looks at them.
    pub order: Vec<u32>,
    scratch: BlockScratch<S::Cell>,
    partitions: LevelPartitions<S>,
    groups: BinGroups<S>,
    keys: Vec<u64>,
}

impl<S: Sum> Default for BinnedWorkspace<S> {
    fn default() -> Self {
        Self {
            block: CutBlock::default(),
            pairs: PairCuts::default(),
            sums: ClassSums::default(),
            lanes: LaneBuffers::default(),
            counts: Vec::new(),
            order: Vec::new(),
            scratch: BlockScratch::default(),
            partitions: LevelPartitions::default(),
            groups: BinGroups::default(),
            keys: Vec::new(),
        }
    }
}

/// The table of a nominal feature in a node.
struct LevelTable<S> {
    feature: u32,
    cells: Vec<S>,
    /// Rows by code, where sums do not count rows.
    rows: Vec<u32>,
}

/// A node under evaluation.
pub(super) struct BinnedNode<'n, S: Sum> {
    pub context: &'n BinnedContext<'n>,
    pub counts: NodeCounts<'n, S>,
    pub totals: &'n [S],
    pub key: u64,
}

impl<S: Sum> BinnedNode<'_, S> {
    /// The occupied bins of a numeric feature, and the class sums of its known values where some
    /// are missing.
    fn known(
        &self,
        feature: usize,
        keys: &mut Vec<u64>,
        groups: &mut BinGroups<S>,
    ) -> Option<(Vec<S>, u32)> {
        self.counts.groups(self.context, feature, keys, groups);
        let (k, bins) = (self.context.classes, &self.context.features[feature]);
        if groups.codes.last() != Some(&bins.codes) || !bins.missing {
            return None;
        }
        groups.codes.pop();
        let missing = groups.sums.split_off(groups.sums.len() - k);
        let rows = groups.rows.pop().unwrap_or_default();
        Some((self.totals.iter().zip(missing).map(|(t, m)| t.minus(m)).collect(), rows))
    }

    fn score_numeric(
        &self,
        feature: usize,
        work: &mut BinnedWorkspace<S>,
        sink: &mut BestOfEach<'_>,
    ) -> Result<()> {
        let (min, unit) = (self.context.minimum(), self.context.unit);
        let known = self.known(feature, &mut work.keys, &mut work.groups);
        if let Some((known, rows)) = &known {
            reached::count(Way::GroupsMissing);
            // Missing values are a branch like any other.
            let weight: f64 =
                self.totals.iter().zip(known).map(|(t, &k)| t.minus(k).value(unit)).sum();
            let size = if self.context.copies() { weight } else { f64::from(*rows) };
            if weight < min.weight || size < f64::from(min.rows) {
                return Ok(());
            }
        }
        let criterion = self.context.setting.criterion;
        let convex = if known.is_some() {
            criterion.convex_with_missing_branch()
        } else {
            criterion.info().convex
        };
        let scan = BinScan {
            feature: feature as u32,
            groups: &work.groups,
            known: known.as_ref().map_or(self.totals, |(known, _)| known),
            totals: self.totals,
            unit,
            min,
            convex,
        };
        binned::score_candidates(&scan, &self.context.setting.context, &mut work.scratch, sink)
    }

    fn level_table(&self, feature: usize, work: &mut BinnedWorkspace<S>) -> LevelTable<S> {
        let (k, width) = (self.context.classes, self.context.features[feature].width().max(1));
        let groups = &mut work.groups;
        self.counts.groups(self.context, feature, &mut work.keys, groups);
        let mut cells = vec![S::default(); width * k];
        let mut rows = vec![0; if self.context.copies() { 0 } else { width }];
        for (group, &code) in groups.codes.iter().enumerate() {
            let at = code as usize;
            cells[at * k..(at + 1) * k].copy_from_slice(&groups.sums[group * k..(group + 1) * k]);
            if let (Some(to), Some(&from)) = (rows.get_mut(at), groups.rows.get(group)) {
                *to = from;
            }
        }
        LevelTable { feature: feature as u32, cells, rows }
    }

    fn nominal_table<'t>(&self, table: &'t LevelTable<S>) -> NominalTable<'t, S> {
        let missing = self.context.features[table.feature as usize].missing;
        NominalTable { feature: table.feature, cells: &table.cells, missing }
    }

    fn levels<'t>(&self, table: &'t LevelTable<S>) -> FeatureLevels<'t, S> {
        let counted = !self.context.copies() && self.context.setting.limits.min_samples_leaf > 1;
        FeatureLevels {
            table: self.nominal_table(table),
            ordered: false,
            rows: counted.then(|| table.rows.clone()),
        }
    }

    fn search(&self) -> SubsetSearch {
        let setting = self.context.setting;
        SubsetSearch {
            how: setting.nominal_splits.in_two(),
            shortcut: setting.criterion.breiman_order(),
            min: self.context.minimum(),
            unit: self.context.unit,
            drawn: None,
        }
    }

    fn partitions(&self, table: &LevelTable<S>) -> LevelPartitions<S> {
        let mut partitions = LevelPartitions::default();
        partitions.fill(&self.levels(table), self.totals.len(), &self.search());
        partitions
    }

    fn score_nominal(
        &self,
        wanted: impl Fn(usize) -> bool,
        work: &mut BinnedWorkspace<S>,
        sink: &mut BestOfEach<'_>,
    ) -> Result<()> {
        let context = self.context;
        let nominal = |multiway: bool| {
            let all = 0..context.features.len();
            all.filter(move |&f| {
                let splits = context.splits(f);
                context.features[f].is_nominal() && (splits == NominalSplits::Multiway) == multiway
            })
        };
        let divided: Vec<LevelTable<S>> =
            nominal(false).filter(|&f| wanted(f)).map(|f| self.level_table(f, work)).collect();
        let tables: Vec<LevelTable<S>> =
            nominal(true).filter(|&f| wanted(f)).map(|f| self.level_table(f, work)).collect();
        let facts = &context.setting.context;
        if !divided.is_empty() {
            let levels = divided.iter().map(|t| self.levels(t));
            let (search, BinnedWorkspace { partitions, scratch, .. }) = (self.search(), &mut *work);
            subset::score_candidates(
                levels,
                self.totals,
                &search,
                facts,
                partitions,
                scratch,
                sink,
            )?;
        }
        if tables.is_empty() {
            return Ok(());
        }
        let least = context.setting.limits.min_samples_leaf as u32;
        let large = |t: &&LevelTable<S>| t.rows.iter().all(|&s| s == 0 || s >= least);
        let tables = tables.iter().filter(large).map(|t| self.nominal_table(t));
        let (min, scratch) = (context.minimum(), &mut work.scratch);
        multiway::score_candidates(tables, self.totals, context.unit, min, facts, scratch, sink)
    }

    /// Best candidate of each wanted feature, in feature order.
    fn best(
        &self,
        wanted: impl Fn(usize) -> bool,
        work: &mut BinnedWorkspace<S>,
        control: &Control,
    ) -> Result<Vec<Scored>> {
        let (context, setting) = (self.context, self.context.setting);
        let nominal = context.features.iter().filter(|f| f.is_nominal()).count();
        // Only where blocks come in feature order may one feature shut out another.
        let mixed = setting.nominal_splits == NominalSplits::Auto;
        let winner_only = setting.gain_filter == GainFilter::None
            && (nominal == 0 || (nominal == context.features.len() && !mixed));
        let mut best =
            BestOfEach::new(setting.criterion, setting.ties, winner_only).watched(control);
        if nominal > 0 {
            self.score_nominal(&wanted, work, &mut best)?;
        }
        for feature in 0..context.features.len() {
            if !context.features[feature].is_nominal() && wanted(feature) {
                self.score_numeric(feature, work, &mut best)?;
            }
        }
        best.finish(&setting.context)?;
        best.features.sort_by_key(|b| b.feature);
        Ok(best.features)
    }

    /// The split that the selection rule takes among the wanted features, if any has one.
    pub fn choose(
        &self,
        wanted: impl Fn(usize) -> bool,
        work: &mut BinnedWorkspace<S>,
        control: &Control,
    ) -> Result<Option<BinnedSplit<S>>> {
        let setting = self.context.setting;
        let best = self.best(wanted, work, control)?;
        let features = self.context.features.len();
        let selector = Selector { gain_filter: setting.gain_filter, ties: setting.ties, features };
        let choice =
            selector.choose(best, &mut BinnedFacts { node: self }, mix(setting.seed, !self.key))?;
        choice.map(|choice| self.chosen(choice)).transpose()
    }

    /// A split, if the limits let it be made.
    pub fn accepted(&self, mut split: BinnedSplit<S>) -> Result<Option<BinnedSplit<S>>> {
        let (setting, limits) = (self.context.setting, &self.context.setting.limits);
        let before = || self.distance(self.totals, 1);
        if !limits.accept(split.score, split.distance, before)? {
            return Ok(None);
        }
        if limits.need_improvement() {
            let undivided = self.undivided_score(split.branches)?;
            let weight: f64 = self.totals.iter().map(|s| s.value(self.context.unit)).sum();
            split.improvement = setting.improvement(weight, split.score, undivided);
            if !limits.accept_improvement(split.improvement, self.context.total_weight) {
                return Ok(None);
            }
        }
        Ok(Some(split))
    }

    /// Class sums by branch of a candidate, and whether the last branch holds missing values.
    fn branches(&self, feature: u32, at: u32) -> (Vec<S>, bool) {
        let (feature, k) = (feature as usize, self.totals.len());
        let mut work = BinnedWorkspace::default();
        if !self.context.features[feature].is_nominal() {
            let known = self.known(feature, &mut work.keys, &mut work.groups);
            let all = known.as_ref().map_or(self.totals, |(known, _)| known);
            let mut sums = work.groups.left_of(at, k);
            sums.extend_from_within(..k);
            for c in 0..k {
                sums[k + c] = all[c].minus(sums[c]);
            }
            if known.is_some() {
                sums.extend((0..k).map(|c| self.totals[c].minus(all[c])));
            }
            return (sums, known.is_some());
        }
        let table = self.level_table(feature, &mut work);
        if self.context.splits(feature) != NominalSplits::Multiway {
            return self.partitions(&table).sums(at);
        }
        let mut missing = self.context.features[feature].missing;
        let mut sums = table.cells;
        if missing && sums[sums.len() - k..].iter().all(|s| s.is_empty()) {
            sums.truncate(sums.len() - k);
            missing = false;
        }
        (sums, missing)
    }

    fn chosen(&self, choice: Choice) -> Result<BinnedSplit<S>> {
        let (feature, k) = (choice.feature as usize, self.totals.len());
        let (sums, missing) = self.branches(choice.feature, choice.at);
        let branches = sums.len() / k;
        let bins = &self.context.features[feature];
        let (mut levels, mut branch_of) = (Vec::new(), Vec::new());
        let mut test = Test::Multiway;
        if let Some(ranges) = &bins.ranges {
            let mut work = BinnedWorkspace::default();
            self.known(feature, &mut work.keys, &mut work.groups);
            let next = work.groups.next_after(choice.at).unwrap_or(choice.at) as usize;
            let (lo, hi) = (ranges[choice.at as usize][1], ranges[next][0]);
            test = Test::Threshold((midpoint(lo, hi) + 0.0).into());
        } else if self.context.splits(feature) == NominalSplits::Multiway {
            branch_of = (0..bins.width() as u16).collect();
        } else {
            (levels, branch_of) = self.division(feature, choice.at, &sums);
            test = Test::Subset { first: 0, len: levels.len() as u32 };
        }
        let criterion = self.context.setting.criterion;
        let distance = if criterion.needs_all_candidates() {
            -choice.score
        } else {
            self.distance(&sums, branches)?
        };
        Ok(BinnedSplit {
            feature: choice.feature,
            test,
            score: choice.score,
            distance,
            improvement: 0.0,
            branches,
            at: choice.at,
            sums,
            missing,
            levels,
            branch_of,
        })
    }

    /// The levels that a division lists, and the branch of each code; levels that do not occur go
    /// to the heavier branch (the first on ties), in one-vs-rest to the rest.
    fn division(&self, feature: usize, at: u32, sums: &[S]) -> (Vec<u32>, Vec<u16>) {
        let (bins, k, unit) =
            (&self.context.features[feature], self.totals.len(), self.context.unit);
        let partitions =
            self.partitions(&self.level_table(feature, &mut BinnedWorkspace::default()));
        let mut listed = partitions.listed(at);
        let mut branch_of = vec![1; bins.width()];
        if bins.missing {
            branch_of[bins.codes as usize] = 2;
        }
        let weight = |b: usize| sums[b * k..(b + 1) * k].iter().map(|s| s.value(unit)).sum::<f64>();
        let subset = self.context.splits(feature) == NominalSplits::Subset;
        if subset && weight(0) >= weight(1) {
            let occurring = partitions.occurring();
            listed.extend((0..bins.codes).filter(|code| occurring.binary_search(code).is_err()));
            listed.sort_unstable();
        }
        listed.iter().for_each(|&code| branch_of[code as usize] = 0);
        (listed, branch_of)
    }

    fn one_table(
        &self,
        sums: &[S],
        branches: usize,
        use_table: impl FnOnce(&Tables<'_>) -> Result<()>,
    ) -> Result<()> {
        let unit = self.context.unit;
        let (mut few, mut many) = ([<S::Cell>::default(); FEW_CELLS], Vec::new());
        let len = sums.len() + self.totals.len();
        let cells = match few.get_mut(..len) {
            Some(few) => few,
            None => {
                many.resize(len, <S::Cell>::default());
                &mut many[..]
            }
        };
        let both = sums.iter().chain(self.totals);
        cells.iter_mut().zip(both).for_each(|(cell, sum)| *cell = sum.cell(unit));
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

    /// The distance of a table of branches.
    pub fn distance(&self, sums: &[S], branches: usize) -> Result<f64> {
        let mut out = [0.0];
        self.one_table(sums, branches, |t| self.context.setting.criterion.distance(t, &mut out))?;
        Ok(out[0])
    }

    /// Score of the node's rows in one branch. A user's function gets a table of as many branches
    /// as it has seen, all but one of them empty.
    fn undivided_score(&self, branches: usize) -> Result<f64> {
        let criterion = self.context.setting.criterion;
        let branches = if criterion.needs_all_candidates() { branches } else { 1 };
        let mut sums = self.totals.to_vec();
        sums.resize(branches * self.totals.len(), S::default());
        let mut out = [0.0];
        self.one_table(&sums, branches, |t| criterion.score(t, &mut out))?;
        Ok(out[0])
    }
}

/// Features in the order in which a node looks at them, and how many of them at first, where it
/// looks at some.
pub(super) fn drawn_features(
    context: &BinnedContext<'_>,
    key: u64,
    order: &mut Vec<u32>,
) -> Option<usize> {
    let p = context.features.len();
    let some = context.setting.max_features.filter(|&m| m < p)?;
    shuffle(p, mix(context.setting.seed, key), order);
    Some(some.max(1))
}

struct BinnedFacts<'l, 'n, S: Sum> {
    node: &'l BinnedNode<'n, S>,
}

impl<S: Sum> FeatureBest for BinnedFacts<'_, '_, S> {
    fn gain(&mut self, feature: u32, at: u32) -> Result<f64> {
        let (sums, _) = self.node.branches(feature, at);
        let branches = sums.len() / self.node.totals.len();
        let mut out = [0.0];
        self.node
            .one_table(&sums, branches, |t| Criterion::score(&InfoGain::default(), t, &mut out))?;
        Ok(out[0])
    }

    fn first_row(&mut self, _feature: u32, _at: u32) -> u32 {
        // Rows have no numbers here: growth with this rule of ties is not served.
        0
    }
}
