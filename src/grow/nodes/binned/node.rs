//! The search of a node of codes for its best split, feature by feature ([`BinnedNode`]).
//!
//! The occupied bins of a numeric feature are groups, whose cuts go into the sink of all growth;
//! the levels of nominal features come from the same counts. This search serves missing values,
//! real weights, nominal features and any tie rule except the rule by rows; nodes without these are
//! scored as one block ([`super::best_cut`]). O(features x (codes x classes)) for counted nodes,
//! O(features x rows log rows) for others, plus the formula per occupied bin.

use super::context::BinnedContext;
use super::counts::NodeCounts;
use super::cuts::CutBlock;
use super::small::LaneBuffers;
use super::sums::ClassSums;
use super::two_class::WordBlock;
use crate::error::Result;
use crate::grow::constraints::PathLimits;
use crate::grow::context::FeaturePlace;
use crate::grow::features::shuffle;
use crate::grow::search::{
    BestSplit, BranchSums, DeclaredLevels, NodeCut, NodeSums, NodeTables, SearchScratch, WholeRows,
    choose_candidate, keeps_winner_only, score_nominal, split_of_candidate,
};
use crate::numeric::mix;
use crate::parallel::Control;
use crate::split::binned::{self, BinGroups, BinScan};
use crate::split::means::MeanNode;
use crate::split::multiway::{Minimum, NominalTable};
use crate::split::subset::FeatureLevels;
use crate::split::{BestOfEach, BestOfFeature, Sink, sort_by_feature};
use crate::stats::Sum;
use crate::tree::Test;

/// Reusable memory of one worker.
#[derive(Debug, Default)]
pub(super) struct BinnedWorkspace<S: Sum> {
    pub blocks: BlockMemory,
    /// Features in the order in which a node searches them, where it does not search all.
    pub order: Vec<u32>,
    search: SearchScratch<S>,
    memory: GroupMemory<S>,
}

/// Memory of the search of nodes whose cuts are one block.
#[derive(Debug, Default)]
pub(super) struct BlockMemory {
    pub block: CutBlock,
    pub words: WordBlock,
    pub sums: ClassSums,
    pub lanes: LaneBuffers,
}

/// The occupied bins of one feature, and keys for sorting rows into them.
#[derive(Debug, Default)]
pub(super) struct GroupMemory<S> {
    groups: BinGroups<S>,
    keys: Vec<u64>,
}

/// The rows of a node that have a value of a feature, where other rows of the node have none.
struct KnownSums<S> {
    /// Class sums of the rows with a value.
    sums: Vec<S>,
    /// Number of rows without a value; 0 where sums count rows.
    missing_rows: u32,
}

/// A node under evaluation.
pub(super) struct BinnedNode<'n, S: Sum> {
    pub context: &'n BinnedContext<'n>,
    pub counts: NodeCounts<'n, S>,
    /// Class sums of the node.
    pub totals: &'n [S],
    /// Key of the node's random choices.
    pub key: u64,
    /// The limits that the path to the node sets; `None` without constraints.
    pub path: Option<&'n PathLimits>,
}

impl<S: Sum> BinnedNode<'_, S> {
    /// Write the occupied bins of a numeric feature into `memory`, without the bin of missing
    /// values. Returns the class sums of the rows with a value and the number of rows without one;
    /// `None` where all rows of the node have a value.
    fn split_off_missing(
        &self,
        feature: usize,
        memory: &mut GroupMemory<S>,
    ) -> Option<KnownSums<S>> {
        let GroupMemory { groups, keys } = memory;
        self.counts.groups(self.context, feature, keys, groups);
        let (n_classes, bins) = (self.context.classes, &self.context.features[feature]);
        if groups.codes.last() != Some(&bins.n_codes) || !bins.has_missing {
            return None;
        }
        // Missing values are the last group.
        groups.codes.pop();
        let missing = groups.sums.split_off(groups.sums.len() - n_classes);
        let missing_rows = groups.rows.pop().unwrap_or_default();
        let sums = self.totals.iter().zip(missing).map(|(total, sum)| total.minus(sum)).collect();
        Some(KnownSums { sums, missing_rows })
    }

    /// Score the cuts of a numeric feature.
    fn score_numeric(
        &self,
        feature: usize,
        workspace: &mut BinnedWorkspace<S>,
        sink: &mut BestOfEach<'_>,
    ) -> Result<()> {
        let (min, unit) = (self.context.minimum(), self.context.unit);
        if sink.takes_means()
            && !self.context.features[feature].has_missing
            && let Some(sums) = self.counts.moments(self.context, feature)
            && let Some(node) = MeanNode::from_sums(self.totals, min)
        {
            let (facts, at) = (&self.context.setting.context, |j: usize| j as u32);
            let means = &mut workspace.search.block.means;
            return binned::score_means(feature as u32, sums, &at, node, facts, means, sink);
        }
        let known = self.split_off_missing(feature, &mut workspace.memory);
        if let Some(known) = &known {
            // Missing values are a branch of every cut, and the limits hold for this branch, too.
            if !self.node().allows_missing_branch(&known.sums, known.missing_rows, min) {
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
            groups: &workspace.memory.groups,
            known: known.as_ref().map_or(self.totals, |known| &known.sums),
            totals: self.totals,
            unit,
            min,
            convex: convex && self.path.is_none(),
        };
        binned::score_candidates(
            &scan,
            &self.context.setting.context,
            &mut workspace.search.block,
            sink,
        )
    }

    /// The best candidate of each feature, or of each of the `chosen` features, in feature order.
    fn best_of_features(
        &self,
        chosen: Option<&[u32]>,
        workspace: &mut BinnedWorkspace<S>,
        control: &Control,
    ) -> Result<Vec<BestOfFeature>> {
        let (context, setting) = (self.context, self.context.setting);
        let n_features = context.features.len();
        let is_nominal = |feature: usize| context.features[feature].is_nominal();
        let mut wanted: Vec<usize> = match chosen {
            Some(chosen) => chosen.iter().map(|&feature| feature as usize).collect(),
            None => (0..n_features).collect(),
        };
        wanted.sort_unstable();
        // The sink takes the candidates of nominal features, then the cuts of numbers.
        let n_nominal = (0..n_features).filter(|&feature| is_nominal(feature)).count();
        let winner_only = keeps_winner_only(setting, n_nominal, n_features - n_nominal);
        let mut best = BestOfEach::new(setting.criterion, setting.ties, winner_only)
            .with_guard(self.path.and_then(PathLimits::guard))
            .with_control(control);
        if n_nominal > 0 {
            let places: Vec<usize> =
                wanted.iter().copied().filter(|&feature| is_nominal(feature)).collect();
            let BinnedWorkspace { search, memory, .. } = workspace;
            score_nominal(self, &places, self.totals, search, memory, &mut best)?;
        }
        for feature in wanted.into_iter().filter(|&feature| !is_nominal(feature)) {
            self.score_numeric(feature, workspace, &mut best)?;
        }
        best.finish(&setting.context)?;
        sort_by_feature(&mut best.features);
        Ok(best.features)
    }

    /// The split that the selection rule takes among all features or the `chosen` ones, with its
    /// test, distance and branches; `None` where no feature has a candidate. The limits that need a
    /// table are checked by the caller.
    pub fn choose(
        &self,
        chosen_features: Option<&[u32]>,
        workspace: &mut BinnedWorkspace<S>,
        control: &Control,
    ) -> Result<Option<BestSplit<S>>> {
        let best = self.best_of_features(chosen_features, workspace, control)?;
        let Some(winner) = choose_candidate(self, best)? else { return Ok(None) };
        let mut split = split_of_candidate(self, winner)?;
        // Records are divided by a table of codes.
        if matches!(split.test, Test::Multiway) {
            let width = self.context.features[winner.feature as usize].n_codes_with_missing();
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
        DeclaredLevels { levels: bins.n_codes, missing: bins.has_missing, edges: None, splits }
    }

    fn levels(
        &self,
        nominal: usize,
        counted: bool,
        memory: &mut GroupMemory<S>,
    ) -> FeatureLevels<'_, S> {
        let (n_classes, bins) = (self.context.classes, &self.context.features[nominal]);
        let (width, GroupMemory { groups, keys }) = (bins.n_codes_with_missing().max(1), memory);
        // The groups of occupied codes as a table of all codes.
        self.counts.groups(self.context, nominal, keys, groups);
        let mut cells = vec![S::default(); width * n_classes];
        let mut rows = counted.then(|| vec![0; width]);
        for (group, &code) in groups.codes.iter().enumerate() {
            let code = code as usize;
            let sums = &groups.sums[group * n_classes..][..n_classes];
            cells[code * n_classes..][..n_classes].copy_from_slice(sums);
            if let (Some(rows), Some(&size)) = (&mut rows, groups.rows.get(group)) {
                rows[code] = size;
            }
        }
        let table = NominalTable {
            feature: nominal as u32,
            cells: cells.into(),
            missing: bins.has_missing,
        };
        FeatureLevels { table, ordered: false, rows }
    }

    fn sums_of_cut(&self, numeric: usize, at: u32) -> BranchSums<S> {
        self.cut(numeric, at).branches
    }

    fn first_row(&self, _numeric: usize, _at: u32) -> u32 {
        // Records have no row numbers: trees with ties by rows grow on sorted orders.
        0
    }
}

impl<S: Sum> WholeRows for BinnedNode<'_, S> {
    fn cut(&self, numeric: usize, at: u32) -> NodeCut<S> {
        let mut memory = GroupMemory::default();
        let known = self.split_off_missing(numeric, &mut memory).map(|known| known.sums);
        let left = memory.groups.left_of(at, self.totals.len());
        let sums = self.node().by_branch(left, known.as_deref());
        let next = memory.groups.next_after(at).unwrap_or(at);
        let test = self.context.threshold(numeric, at, next);
        NodeCut { test, branches: BranchSums { sums, missing: known.is_some() }, sizes: Vec::new() }
    }
}

/// Draw the features that a node searches, where `max_features` or its path limits them; `None`
/// where neither does.
///
/// `order` gets the allowed features in the order of the search, and the number of features that
/// are searched together at first is returned ([`search_in_order`](crate::grow::features)). `key`
/// is the key of the node.
pub(super) fn draw_features(
    context: &BinnedContext<'_>,
    key: u64,
    path: Option<&PathLimits>,
    order: &mut Vec<u32>,
) -> Option<usize> {
    let n_features = context.features.len();
    let n_drawn = context.setting.max_features;
    if n_drawn.is_none() && path.is_none() {
        return None;
    }
    match n_drawn {
        Some(_) => shuffle(n_features, mix(context.setting.seed, key), order),
        None => *order = (0..n_features as u32).collect(),
    }
    order.retain(|&feature| path.is_none_or(|path| path.allows(feature)));
    // A setting of 0 would search no feature at first.
    Some(n_drawn.unwrap_or(n_features).max(1))
}
