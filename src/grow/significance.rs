//! Selection of a node's feature by significance: the tests of all features, and the best split of
//! the most significant feature that has any.
//!
//! [`NodeEvaluator::choose`] comes here where the setting has a rule of significance
//! ([`crate::split::significance`]). The rows with one value of a feature are summed exactly, value
//! by value, so that no result depends on the order of the rows. O(rows x features) per node. With
//! CHAID's rule levels are merged first ([`crate::stats::inference::merging`]), and the split has a
//! branch for each group.

use super::context::{FeaturePlace, WIDE_NODE};
use super::evaluate::{ByOrder, NodeEvaluator, Workspace};
use super::features::WantedFeatures;
use super::listing::Candidate;
use super::search::{BestSplit, WholeRows, choose_candidate};
use crate::data::{Column, entry_row, entry_tied, pack_entry};
use crate::error::Result;
use crate::numeric::{Moments, mix};
use crate::parallel::{self, Control};
use crate::reached::{self, Way};
use crate::simd::prefetch;
use crate::split::ScoredCandidate;
use crate::split::significance::Significance;
use crate::stats::Sum;
use crate::stats::contingency::ContingencyTables;
use crate::stats::inference::{
    LevelMerging, LevelOrder, LevelTable, LinearStatistic, LinearSums, MergedLevels,
    permutation_log_p_value,
};
use crate::tree::{FeatureTest, Test, majority};
use std::borrow::Cow;
use std::iter::repeat_n;

/// Entries of an order by which the values of rows are fetched ahead: far enough for a value to
/// arrive from memory, near enough for it to stay in the cache.
const AHEAD: usize = 16;

impl<'n, W: ByOrder> NodeEvaluator<'n, '_, W> {
    /// The tests of all features that vary and that the path allows, with adjusted p-values, most
    /// significant first.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::error::Error::Cancelled).
    pub fn feature_tests(
        &self,
        rule: &Significance,
        control: &Control,
    ) -> Result<Vec<(u32, FeatureTest)>> {
        let n_features = self.context.data.columns().len();
        let is_wide = self.range.len * n_features > WIDE_NODE;
        let control = if is_wide { control.clone() } else { control.serial() };
        let tests = parallel::map(&control, n_features, &|feature| {
            control.check()?;
            let feature = feature as u32;
            let is_allowed = self.path.is_none_or(|path| path.allows(feature));
            Ok(is_allowed.then(|| self.feature_test(rule, feature)).flatten())
        })?;
        let of_features = (0..).zip(tests).filter_map(|(feature, test)| Some((feature, test?)));
        Ok(rule.rank(of_features.collect()))
    }

    /// The rows whose value of a feature is known, as entries of an order; levels come in
    /// the order of their codes.
    fn known_entries(&self, feature: u32) -> Cow<'_, [u32]> {
        let place = match self.context.place(feature) {
            FeaturePlace::Numeric(numeric) => return self.known_order(numeric).order,
            FeaturePlace::Nominal(nominal) => nominal,
        };
        let nominal = &self.context.nominal;
        let mut levels = self.coded().by_code(&nominal.layout, place);
        levels.truncate(levels.len() - usize::from(nominal.missing[place]));
        let entries =
            |rows: Vec<u32>| rows.into_iter().enumerate().map(|(i, row)| pack_entry(row, i > 0));
        levels.into_iter().flat_map(entries).collect()
    }

    /// The score of a group of entries with one value: the number, or the code of the level; `None`
    /// where all entries have one value.
    ///
    /// `order` are the entries with a value, ascending, and `middle` is the row in their middle.
    /// Scores are differences from the value of the middle row, scaled by a power of two, which is
    /// exact: nothing cancels, and no square leaves the range of a double.
    fn value_score<'s>(
        &'s self,
        feature: u32,
        order: &[u32],
        middle: u32,
    ) -> Option<impl Fn(&[u32]) -> f64 + use<'s, W>> {
        let (numbers, codes) = match &self.context.data.columns()[feature as usize] {
            Column::Numeric(column) => (column.values(), None),
            Column::Nominal(column) => (&[][..], Some(column)),
        };
        let scores = match self.context.place(feature) {
            FeaturePlace::Numeric(_) => &[][..],
            FeaturePlace::Nominal(nominal) => &self.context.nominal.scores[nominal],
        };
        let value = move |row: u32| match codes {
            None => numbers[row as usize],
            Some(column) => {
                let code = column.code(row);
                scores.get(code as usize).copied().unwrap_or(f64::from(code))
            }
        };
        let [first, last] = [order[0], order[order.len() - 1]].map(|e| value(entry_row(e)));
        let centre = value(middle);
        let reach = (centre - first).max(last - centre);
        // The inverse of the power of two below the reach. The inverse for a subnormal reach would
        // not be a double, so the exponent is bounded.
        let scale = (-reach.log2().floor().max(-1000.0)).exp2();
        let score = move |group: &[u32]| (value(entry_row(group[0])) - centre) * scale;
        (reach > 0.0).then_some(score)
    }

    /// The number of rows that the weights of some rows stand for, and the row at which half of the
    /// weight is passed; `None` for at most one row.
    ///
    /// Copies stand for as many rows as they are. Other weights stand for `(sum of w)^2 / (sum of
    /// w^2)` rows (Kish's effective sample size).
    fn effective_rows(&self, rows: impl Iterator<Item = u32> + Clone) -> Option<(f64, u32)> {
        let weights = self.context.weights;
        let units = |row: u32| i128::from(weights.row_sum(row).units());
        let total: i128 = rows.clone().map(units).sum();
        let mut until_half = total / 2;
        let middle = rows.clone().find(|&row| {
            until_half -= units(row);
            until_half < 0
        })?;
        let effective = if weights.are_copies() {
            total as f64 * weights.unit()
        } else {
            let squares = rows.map(|row| units(row).pow(2)).sum::<i128>();
            total as f64 * total as f64 / squares as f64
        };
        (effective > 1.0).then_some((effective, middle))
    }

    /// The test of a feature, its p-value not adjusted; `None` where it does not vary.
    fn feature_test(&self, rule: &Significance, feature: u32) -> Option<FeatureTest> {
        if let Some(merging) = &rule.merging {
            let MergedLevels { statistic, log_p, .. } = self.merge_levels(merging, feature)?;
            return Some(FeatureTest { statistic, log_p });
        }
        let (context, weights) = (self.context, self.context.weights);
        let order = self.known_entries(feature);
        let (effective, middle) = self.effective_rows(order.iter().map(|&e| entry_row(e)))?;
        let score = self.value_score(feature, &order, middle)?;
        let (values, is_scored) = match context.place(feature) {
            FeaturePlace::Numeric(numeric) => (context.numeric[numeric].column.values(), true),
            FeaturePlace::Nominal(nominal) => (&[][..], context.nominal.ordered[nominal]),
        };
        let groups = || order.chunk_by(|_, &next| entry_tied(next) == 1);
        let mut place_ahead = AHEAD;
        let score_and_prefetch = |group: &[u32]| {
            place_ahead += group.len();
            let later = order.get(place_ahead).and_then(|&e| values.get(entry_row(e) as usize));
            later.into_iter().for_each(prefetch);
            score(group)
        };
        let mut sums = LinearSums::new(context.data.n_classes(), is_scored);
        let row_sum = |row| weights.row_sum(row);
        let linear = self.linear_statistic(&mut sums, groups(), score_and_prefetch, row_sum)?;
        let log_p_by_permutation = |form| {
            let seed = mix(context.setting.seed, u64::from(feature));
            let scored = groups().map(|group| (score(group), group));
            self.permutation_log_p(is_scored, scored, form, seed)
        };
        let (statistic, log_p) = rule.test.test(&linear, effective, log_p_by_permutation);
        Some(FeatureTest { statistic, log_p })
    }

    /// The linear statistic of groups of entries with one value of a feature, in the memory of
    /// `sums`. `score` is called once per group, in order; `sum_of` is what a row adds to the sums.
    /// Generic, as calls per group by pointers take twice the time.
    fn linear_statistic<'e, 's>(
        &self,
        sums: &'s mut LinearSums,
        groups: impl Iterator<Item = &'e [u32]>,
        mut score: impl FnMut(&[u32]) -> f64,
        sum_of: impl Fn(u32) -> W::Sum,
    ) -> Option<LinearStatistic<'s>> {
        let (context, unit) = (self.context, self.context.weights.unit());
        let classes = context.data.n_classes();
        let moments = |sum: W::Sum| sum.moments().map(|sum| sum.rounded(unit));
        let mean = moments(Sum::total(self.totals)).map(|all| all.mean);
        let class = |row: u32| if classes == 1 { 0 } else { context.class_of.codes[row as usize] };
        sums.clear();
        let is_scored = sums.is_scored();
        let (mut by_class, mut all) = (vec![W::Sum::default(); classes], W::Sum::default());
        let mut influences = vec![0.0; classes];
        for group in groups {
            let score = score(group);
            if let (&[entry], None, true) = (group, mean, is_scored) {
                let row = entry_row(entry);
                sums.add_class(score, sum_of(row).value(unit), class(row).into());
                continue;
            }
            by_class.fill(W::Sum::default());
            for row in group.iter().map(|&e| entry_row(e)) {
                let sum = &mut by_class[usize::from(class(row))];
                *sum = sum.plus(sum_of(row));
            }
            let weight = Sum::total(&by_class);
            all = all.plus(weight);
            for (influence, &sum) in influences.iter_mut().zip(&by_class) {
                let of_number =
                    |moments: Moments| moments.weight * (moments.mean - mean.unwrap_or_default());
                *influence = moments(sum).map_or(sum.value(unit), of_number);
            }
            sums.add(score, weight.value(unit), &influences);
        }
        LinearStatistic::new(sums, moments(all).map(|all| all.deviation))
    }

    /// The logarithm of the p-value of the quadratic form of some groups, by permutations of their
    /// rows. A row keeps its weight, which may be the weight of its class, and copies are rows of
    /// their own.
    fn permutation_log_p<'e>(
        &self,
        is_scored: bool,
        groups: impl Iterator<Item = (f64, &'e [u32])>,
        form: f64,
        seed: u64,
    ) -> f64 {
        let (weights, target) = (self.context.weights, self.context.data.target());
        let number = |row: u32| target.map_or(0, |target| target.units()[row as usize]);
        let sum_of = |row| match weights.are_copies() {
            true => W::Sum::from_row(1, number(row)),
            false => weights.row_sum(row),
        };
        let copies =
            |row| if weights.are_copies() { weights.row_sum(row).units() as usize } else { 1 };
        let (mut entries, mut scores, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (score, group) in groups {
            let start = entries.len();
            entries.extend(group.iter().flat_map(|&e| repeat_n(e, copies(entry_row(e)))));
            scores.push(score);
            places.push(start..entries.len());
        }
        // Neither the values of the feature nor the order of the rows decide what is drawn.
        entries.sort_by_cached_key(|&entry| {
            let row = entry_row(entry);
            (self.context.class_of.codes.get(row as usize), number(row), sum_of(row).units())
        });
        let mut sums = LinearSums::new(self.context.data.n_classes(), is_scored);
        permutation_log_p_value(form, seed, &mut entries, &mut |entries| {
            let groups = places.iter().map(|place| &entries[place.clone()]);
            let mut scores = scores.iter();
            let score = |_: &[u32]| scores.next().copied().unwrap_or(0.0);
            let linear = self.linear_statistic(&mut sums, groups, score, sum_of);
            linear.map_or(0.0, |linear| linear.quadratic().0)
        })
    }

    /// Merge the levels of a feature that do not differ significantly. Missing values are the last
    /// level. `None` where the feature does not vary.
    fn merge_levels(&self, merging: &LevelMerging, feature: u32) -> Option<MergedLevels> {
        let FeaturePlace::Nominal(place) = self.context.place(feature) else { return None };
        let (nominal, unit) = (&self.context.nominal, self.context.weights.unit());
        let levels = self.coded().by_code(&nominal.layout, place);
        let has_missing =
            nominal.missing[place] && levels.last().is_some_and(|rows| !rows.is_empty());
        let order = if !nominal.ordered[place] {
            LevelOrder::Nominal
        } else if has_missing {
            LevelOrder::Floating
        } else {
            LevelOrder::Ordered
        };
        let (effective, _) = self.effective_rows(self.coded().rows.iter().copied())?;
        let sums = levels.into_iter().flat_map(|rows| self.context.sums(rows.into_iter()));
        let cells: Vec<f64> = sums.map(|sum| sum.value(unit)).collect();
        let scale = effective / cells.iter().sum::<f64>();
        merging.merge(LevelTable { cells: &cells, classes: self.totals.len(), order, scale })
    }

    /// The split with a branch for each group of merged levels; missing values may be in any of the
    /// groups. `None` where there is one group, or where a limit excludes a branch.
    fn merged_split(
        &self,
        merging: &LevelMerging,
        feature: u32,
        contingency: &ContingencyTables<W::Sum>,
    ) -> Result<Option<BestSplit<W::Sum>>> {
        let FeaturePlace::Nominal(place) = self.context.place(feature) else { return Ok(None) };
        let Some(MergedLevels { groups, .. }) = self.merge_levels(merging, feature) else {
            return Ok(None);
        };
        reached::count(Way::MergedLevels);
        let (nominal, n_classes) = (&self.context.nominal, self.totals.len());
        let by_level = self.coded().by_code(&nominal.layout, place);
        let group_sums = |group: &Vec<u32>| {
            self.context.sums(group.iter().flat_map(|&level| by_level[level as usize].clone()))
        };
        let sums: Vec<W::Sum> = groups.iter().flat_map(group_sums).collect();
        let weights = branch_weights(&sums, n_classes, self.context.weights.unit());
        let least = self.minimum().weight;
        if groups.len() < 2 || weights.iter().any(|&weight| weight < least) {
            return Ok(None);
        }
        let n_levels = nominal.layout.arity(place) - usize::from(nominal.missing[place]);
        let group_of = self.groups_of_codes(place, &groups);
        let branch_of = self.branches_of_codes(place, &group_of, majority(&weights));
        let node = self.node();
        let score = node.score(node.setting.criterion, &sums)?;
        let levels: Vec<u32> = branch_of[..n_levels].iter().map(|&b| u32::from(b)).collect();
        let test = Test::Groups { first: 0, len: levels.len() as u32 };
        let mut sizes = self.tables(contingency).branch_sizes(place, &sums, &branch_of);
        sizes.truncate(groups.len());
        Ok(Some(BestSplit {
            distance: node.distance(&sums)?,
            sizes,
            missing: group_of[n_levels..].iter().any(Option::is_some),
            levels,
            branch_of,
            sums,
            ..BestSplit::new(feature, 0, test, score, groups.len())
        }))
    }

    /// The group of each code of a nominal feature; `None` for a code without rows in the node.
    fn groups_of_codes(&self, place: usize, groups: &[Vec<u32>]) -> Vec<Option<usize>> {
        let mut group_of = vec![None; self.context.nominal.layout.arity(place)];
        for (number, group) in groups.iter().enumerate() {
            group.iter().for_each(|&level| group_of[level as usize] = Some(number));
        }
        group_of
    }

    /// The branch of each code of a nominal feature, where each group of levels has one.
    ///
    /// An ordered level without rows joins the next level above it that has rows, or the next level
    /// below it if there is none above. Any other code without rows joins the `heaviest` branch.
    fn branches_of_codes(
        &self,
        place: usize,
        group_of: &[Option<usize>],
        heaviest: usize,
    ) -> Vec<u16> {
        let nominal = &self.context.nominal;
        let n_levels = group_of.len() - usize::from(nominal.missing[place]);
        let branch = |code: usize| {
            let group = if nominal.ordered[place] && code < n_levels {
                let (below, from_here) = group_of[..n_levels].split_at(code);
                from_here.iter().chain(below.iter().rev()).find_map(|&group| group)
            } else {
                group_of[code]
            };
            group.unwrap_or(heaviest) as u16
        };
        (0..group_of.len()).map(branch).collect()
    }

    /// The splits of all features by groups of merged levels.
    pub(super) fn merged_candidates(
        &self,
        merging: &LevelMerging,
        contingency: &ContingencyTables<W::Sum>,
    ) -> Result<Vec<Candidate>> {
        let features = 0..self.context.data.columns().len() as u32;
        let splits = features.map(|feature| self.merged_split(merging, feature, contingency));
        let candidate = |split: BestSplit<W::Sum>| Candidate::multiway(split.feature, split.score);
        splits.filter_map(|split| split.map(|split| split.map(candidate)).transpose()).collect()
    }

    /// The best split of the most significant feature that has an allowed split, if the feature is
    /// significant. Its test is left in the workspace; where no feature is split, the test of the
    /// most significant feature is left there.
    ///
    /// # Errors
    /// A score that is not a number, an error of a user's criterion, or cancellation.
    pub(super) fn choose_significant(
        &self,
        rule: &Significance,
        contingency: &ContingencyTables<W::Sum>,
        workspace: &mut Workspace<W::Sum>,
        control: &Control,
    ) -> Result<Option<BestSplit<W::Sum>>> {
        let tests = self.feature_tests(rule, control)?;
        workspace.significance = tests.first().map(|&(_, test)| test);
        let significant = tests.iter().take_while(|(_, test)| rule.is_significant(*test));
        let evidence = self.pair_or_neighbour_scores(workspace, control)?;
        for &(feature, test) in significant.take(rule.split_tries) {
            if let Some(merging) = &rule.merging {
                if let Some(split) = self.merged_split(merging, feature, contingency)? {
                    workspace.significance = Some(test);
                    return self.node().accept_by_table(split, self.context.total_weight);
                }
                continue;
            }
            let known = match rule.leaves_out {
                true => self.context.sums_of(&self.known_entries(feature)),
                false => self.totals.to_vec(),
            };
            // The node without the rows that are left out.
            let left_out = Sum::total(self.totals).minus(Sum::total(&known));
            let left_out = left_out.value(self.context.weights.unit());
            let node = NodeEvaluator { totals: &known, left_out, ..*self };
            let mut wanted = vec![false; self.context.data.columns().len()];
            wanted[feature as usize] = true;
            let wanted = WantedFeatures::only(&wanted);
            let best =
                node.best_of_features(contingency, evidence.as_ref(), wanted, workspace, control)?;
            // A statistic of 0 chooses no split.
            let divides = |winner: &ScoredCandidate| rule.cut.is_none() || winner.score > 0.0;
            if let Some(winner) = choose_candidate(&node.tables(contingency), best)?.filter(divides)
            {
                workspace.significance = Some(test);
                let split = node.accept(winner, contingency, evidence.as_ref(), control)?;
                return Ok(split.map(|split| self.add_left_out(split, &known)));
            }
        }
        Ok(None)
    }

    /// Add the rows that were left out to the heaviest branch of a split, the last of equal ones;
    /// `known` are the class sums of the other rows.
    fn add_left_out(&self, mut split: BestSplit<W::Sum>, known: &[W::Sum]) -> BestSplit<W::Sum> {
        let left_out = self.range.len as u32 - split.sizes.iter().sum::<u32>();
        if left_out == 0 {
            return split;
        }
        let weights = branch_weights(&split.sums, known.len(), self.context.weights.unit());
        let by_weight = |&one: &usize, &other: &usize| weights[one].total_cmp(&weights[other]);
        let heaviest = (0..weights.len()).max_by(by_weight).unwrap_or(0);
        split.sizes[heaviest] += left_out;
        let sums = split.sums[heaviest * known.len()..].iter_mut();
        for (sum, (all, &known)) in sums.zip(self.totals.iter().zip(known)) {
            *sum = sum.plus(all.minus(known));
        }
        if let FeaturePlace::Nominal(_) = self.context.place(split.feature) {
            // A level is its branch where no division lists the branches of the levels.
            if split.branch_of.is_empty() {
                split.branch_of = (0..split.branches as u16).collect();
            }
            split.branch_of.push(heaviest as u16);
        }
        split
    }
}

/// The weight of each branch, from class sums branch by branch.
fn branch_weights<S: Sum>(sums: &[S], classes: usize, unit: f64) -> Vec<f64> {
    sums.chunks_exact(classes).map(|sums| Sum::total(sums).value(unit)).collect()
}
