//! The best split of a node whose rows are codes.

use super::context::BinnedContext;
use super::counts::NodeCounts;
use super::cuts::CutBlock;
use super::small::LaneBuffers;
use super::sums::ClassSums;
use super::two_class::PairCuts;
use crate::error::Result;
use crate::grow::context::FeaturePlace;
use crate::grow::features::shuffle;
use crate::grow::search::{
    BestSplit, DeclaredLevels, NodeCut, NodeSums, NodeTables, SearchWork, WholeRows, choose,
    chosen, keeps_winner_only, score_nominal,
};
use crate::numeric::mix;
use crate::parallel::Control;
use crate::reached::{self, Way};
use crate::split::binned::{self, BinGroups, BinScan};
use crate::split::multiway::{Minimum, NominalTable};
use crate::split::subset::FeatureLevels;
use crate::split::{BestOfEach, Scored};
use crate::stats::Sum;
use crate::tree::Test;

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
    search: SearchWork<S>,
    memory: GroupMemory<S>,
}

/// The occupied bins of one feature, and what they are counted with.
#[derive(Debug)]
pub(super) struct GroupMemory<S> {
    groups: BinGroups<S>,
    keys: Vec<u64>,
}

impl<S> Default for GroupMemory<S> {
    fn default() -> Self {
        Self { groups: BinGroups::default(), keys: Vec::new() }
    }
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
            search: SearchWork::default(),
            memory: GroupMemory::default(),
        }
    }
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
    fn known(&self, feature: usize, memory: &mut GroupMemory<S>) -> Option<(Vec<S>, u32)> {
        let GroupMemory { groups, keys } = memory;
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
        let known = self.known(feature, &mut work.memory);
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
            groups: &work.memory.groups,
            known: known.as_ref().map_or(self.totals, |(known, _)| known),
            totals: self.totals,
            unit,
            min,
            convex,
        };
        binned::score_candidates(
            &scan,
            &self.context.setting.context,
            &mut work.search.scratch,
            sink,
        )
    }

    /// Best candidate of each wanted feature, in feature order.
    fn best(
        &self,
        wanted: impl Fn(usize) -> bool,
        work: &mut BinnedWorkspace<S>,
        control: &Control,
    ) -> Result<Vec<Scored>> {
        let (context, setting) = (self.context, self.context.setting);
        let (all, is_nominal) =
            (context.features.len(), |f: usize| context.features[f].is_nominal());
        let nominal = (0..all).filter(|&f| is_nominal(f)).count();
        let winner_only = keeps_winner_only(setting, nominal, all - nominal);
        let mut best =
            BestOfEach::new(setting.criterion, setting.ties, winner_only).watched(control);
        if nominal > 0 {
            let places = (0..all).filter(|&f| is_nominal(f) && wanted(f));
            let memory = (&mut work.search, &mut work.memory);
            score_nominal(self, places, self.totals, memory, &mut best)?;
        }
        for feature in 0..all {
            if !is_nominal(feature) && wanted(feature) {
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
    ) -> Result<Option<BestSplit<S>>> {
        let best = self.best(wanted, work, control)?;
        let Some(choice) = choose(self, best)? else { return Ok(None) };
        let mut split = chosen(self, choice)?;
        if matches!(split.test, Test::Multiway) {
            let width = self.context.features[choice.feature as usize].width();
            split.branch_of = (0..width as u16).collect();
        }
        Ok(Some(split))
    }
}

impl<S: Sum> NodeTables for BinnedNode<'_, S> {
    type Sum = S;
    type Memory = GroupMemory<S>;

    fn node(&self) -> NodeSums<'_, S> {
        let BinnedContext { setting, unit, .. } = *self.context;
        NodeSums { setting, totals: self.totals, unit }
    }

    fn key(&self) -> u64 {
        self.key
    }

    fn features(&self) -> usize {
        self.context.features.len()
    }

    fn minimum(&self) -> Minimum {
        self.context.minimum()
    }

    fn place(&self, feature: u32) -> FeaturePlace {
        let place = feature as usize;
        match self.context.features[place].is_nominal() {
            true => FeaturePlace::Nominal(place),
            false => FeaturePlace::Numeric(place),
        }
    }

    fn declared(&self, nominal: usize) -> DeclaredLevels<'_> {
        let bins = &self.context.features[nominal];
        let splits = self.context.splits(nominal);
        DeclaredLevels { levels: bins.codes, missing: bins.missing, edges: None, splits }
    }

    fn levels(
        &self,
        nominal: usize,
        counted: bool,
        memory: &mut GroupMemory<S>,
    ) -> FeatureLevels<'_, S> {
        let (k, bins) = (self.context.classes, &self.context.features[nominal]);
        let (width, GroupMemory { groups, keys }) = (bins.width().max(1), memory);
        self.counts.groups(self.context, nominal, keys, groups);
        let mut cells = vec![S::default(); width * k];
        let mut rows = counted.then(|| vec![0; width]);
        for (group, &code) in groups.codes.iter().enumerate() {
            let at = code as usize;
            cells[at * k..(at + 1) * k].copy_from_slice(&groups.sums[group * k..(group + 1) * k]);
            if let (Some(to), Some(&from)) = (&mut rows, groups.rows.get(group)) {
                to[at] = from;
            }
        }
        let table =
            NominalTable { feature: nominal as u32, cells: cells.into(), missing: bins.missing };
        FeatureLevels { table, ordered: false, rows }
    }

    fn sums_of_cut(&self, numeric: usize, at: u32) -> (Vec<S>, bool) {
        let cut = self.cut(numeric, at);
        (cut.sums, cut.missing)
    }

    fn first_row(&self, _numeric: usize, _at: u32) -> u32 {
        // Rows have no numbers here: growth with this rule of ties is not served.
        0
    }
}

impl<S: Sum> WholeRows for BinnedNode<'_, S> {
    fn cut(&self, numeric: usize, at: u32) -> NodeCut<S> {
        let (k, mut memory) = (self.totals.len(), GroupMemory::default());
        let known = self.known(numeric, &mut memory);
        let all = known.as_ref().map_or(self.totals, |(known, _)| known);
        let mut sums = memory.groups.left_of(at, k);
        sums.extend_from_within(..k);
        for c in 0..k {
            sums[k + c] = all[c].minus(sums[c]);
        }
        if known.is_some() {
            sums.extend((0..k).map(|c| self.totals[c].minus(all[c])));
        }
        let next = memory.groups.next_after(at).unwrap_or(at);
        let test = self.context.threshold(numeric, (at, next));
        NodeCut { test, sums, sizes: Vec::new(), missing: known.is_some() }
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
