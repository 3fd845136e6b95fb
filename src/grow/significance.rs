//! Selection of a node's feature by significance: the tests of all features, and the best split of
//! the most significant one that has any.
//!
//! [`NodeEvaluator::choose`] comes here where the setting has a rule of significance
//! ([`crate::split::significance`]). The rows with one value of a feature are summed exactly, value
//! by value, so that no result depends on the order of the rows. O(rows x features) per node. With
//! CHAID's rule levels are merged first ([`crate::stats::inference::merging`]), and the split has a
//! branch for each group.

use super::context::FeaturePlace;
use super::evaluate::{ByOrder, NodeEvaluator, Workspace};
use super::features::WantedFeatures;
use super::listing::Candidate;
use super::search::{BestSplit, NodeTables, WholeRows, choose};
use crate::data::{entry_row, entry_tied};
use crate::error::Result;
use crate::numeric::mix;
use crate::parallel::{self, Control};
use crate::reached::{self, Way};
use crate::split::significance::Significance;
use crate::stats::Sum;
use crate::stats::contingency::ContingencyTables;
use crate::stats::inference::{
    GroupSums, LevelMerging, LevelOrder, LevelTable, MergedLevels, PermutedRows,
};
use crate::tree::{FeatureTest, Test};

/// Rows times features from which several threads share the tests of a node.
const WIDE_NODE: usize = 1 << 16;

impl<'n, W: ByOrder> NodeEvaluator<'n, '_, W> {
    /// The tests of all features that vary and that the path allows, with adjusted p-values, most
    /// significant first.
    pub fn feature_tests(
        &self,
        rule: &Significance,
        control: &Control,
    ) -> Result<Vec<(u32, FeatureTest)>> {
        let features = self.context.data.columns().len();
        let wide = self.range.len * features > WIDE_NODE;
        let control = if wide { control.clone() } else { control.serial() };
        let found = parallel::map(&control, features, &|feature| {
            control.check()?;
            let feature = feature as u32;
            let is_allowed = self.path.is_none_or(|path| path.allows(feature));
            Ok(is_allowed.then(|| self.feature_test(rule, feature)).flatten())
        })?;
        let tests = (0..).zip(found).filter_map(|(feature, test)| Some((feature, test?)));
        Ok(rule.ranked(tests.collect()))
    }

    /// Exact sums of some rows by group and class, where a number is one class, and the effective
    /// sum of their weights; `None` without rows.
    fn sums_of_groups(&self, members: &[(u32, u32)]) -> Option<(Vec<W::Sum>, f64)> {
        let (context, weights) = (self.context, self.context.weights);
        let (unit, classes) = (weights.unit(), context.data.n_classes());
        let n = members.iter().map(|m| m.0 as usize + 1).max()?;
        let mut sums = vec![W::Sum::default(); n * classes];
        let (mut units, mut squares) = (0_i128, 0_i128);
        for &(group, row) in members {
            let class =
                if classes == 1 { 0 } else { context.class_of.codes[row as usize] as usize };
            let (sum, weight) = (&mut sums[group as usize * classes + class], weights.of(row));
            *sum = sum.plus(weight);
            units += i128::from(weight.units());
            squares += i128::from(weight.units()).pow(2);
        }
        let effective = match weights.are_copies() {
            true => units as f64 * unit,
            false => (units as f64) * (units as f64) / squares as f64,
        };
        Some((sums, effective))
    }

    /// The test of a feature, its p-value not adjusted; `None` where it does not vary.
    fn feature_test(&self, rule: &Significance, feature: u32) -> Option<FeatureTest> {
        if let Some(merging) = &rule.merging {
            let MergedLevels { statistic, log_p, .. } = self.merged(merging, feature)?;
            return Some(FeatureTest { statistic, log_p });
        }
        let (unit, classes) = (self.context.weights.unit(), self.context.data.n_classes());
        let (members, scores) = self.members(feature, false);
        let (sums, effective) = self.sums_of_groups(&members)?;
        let all = Sum::total(&sums).moments().map(|sum| sum.rounded(unit));
        let groups = match all {
            None => GroupSums {
                scores,
                sums: sums.iter().map(|sum| sum.value(unit)).collect(),
                width: classes,
                deviation: None,
            },
            Some(all) => {
                let of_group = |sum: &W::Sum| {
                    let own = sum.moments().unwrap_or_default().rounded(unit);
                    [own.weight, own.weight * (own.mean - all.mean)]
                };
                let sums = sums.iter().flat_map(of_group).collect();
                GroupSums { scores, sums, width: 2, deviation: Some(all.deviation) }
            }
        };
        let pairing = || self.pairing(&members, &groups, feature);
        let (statistic, log_p) = rule.test.test(&groups, effective, pairing)?;
        Some(FeatureTest { statistic, log_p })
    }

    /// The merged levels of a feature; `None` where it does not vary.
    fn merged(&self, merging: &LevelMerging, feature: u32) -> Option<MergedLevels> {
        let (members, scores) = self.members(feature, true);
        let (sums, effective) = self.sums_of_groups(&members)?;
        let unit = self.context.weights.unit();
        let cells: Vec<f64> = sums.iter().map(|sum| sum.value(unit)).collect();
        let classes = self.context.data.n_classes();
        let order = match scores {
            None => LevelOrder::Nominal,
            Some(scores) if scores.len() < cells.len() / classes => LevelOrder::Floating,
            Some(_) => LevelOrder::Ordered,
        };
        let scale = effective / cells.iter().sum::<f64>();
        let table = LevelTable { cells: &cells, classes, order, scale };
        (effective > 1.0).then(|| merging.merge(table)).flatten()
    }

    /// The split with a branch for each group of merged levels, of which missing values may be one;
    /// `None` where there is one group, or where a limit excludes a branch.
    fn merged_split(
        &self,
        merging: &LevelMerging,
        feature: u32,
        contingency: &ContingencyTables<W::Sum>,
    ) -> Result<Option<BestSplit<W::Sum>>> {
        let FeaturePlace::Nominal(j) = self.context.place(feature) else { return Ok(None) };
        let Some(MergedLevels { groups, .. }) = self.merged(merging, feature) else {
            return Ok(None);
        };
        reached::count(Way::MergedLevels);
        let (nominal, k) = (&self.context.nominal, self.totals.len());
        let (unit, tables) = (self.context.weights.unit(), self.tables(contingency));
        let levels = nominal.layout.arity(j) - usize::from(nominal.missing[j]);
        let table = contingency.table(&nominal.layout, j);
        let mut sums = vec![W::Sum::default(); groups.len() * k];
        for (group, of_group) in groups.iter().zip(sums.chunks_exact_mut(k)) {
            for &level in group {
                let of_level = &table[level as usize * k..];
                of_group.iter_mut().zip(of_level).for_each(|(sum, &own)| *sum = sum.plus(own));
            }
        }
        let weights: Vec<f64> =
            sums.chunks_exact(k).map(|sums| Sum::total(sums).value(unit)).collect();
        let least = tables.minimum().weight;
        if groups.len() < 2 || weights.iter().any(|&weight| weight < least) {
            return Ok(None);
        }
        // A level without rows joins the next ordered one that has some, or the heaviest branch.
        let heaviest =
            (1..weights.len()).fold(0, |b, c| if weights[c] > weights[b] { c } else { b });
        let branch = |code: u32| groups.iter().position(|group| group.contains(&code));
        let ordered = nominal.ordered[j];
        let mut next = (0..levels as u32).rev().find_map(branch).unwrap_or(heaviest);
        let mut branch_of = vec![heaviest as u16; nominal.layout.arity(j)];
        for (code, of_code) in branch_of.iter_mut().enumerate().rev() {
            let own = branch(code as u32).unwrap_or(if ordered { next } else { heaviest });
            if code < levels {
                next = own;
            }
            *of_code = own as u16;
        }
        let node = self.node();
        let score = node.score(node.setting.criterion, &sums)?;
        let listed: Vec<u32> = branch_of[..levels].iter().map(|&b| u32::from(b)).collect();
        let test = Test::Groups { first: 0, len: listed.len() as u32 };
        let mut sizes = tables.branch_sizes(j, &sums, &branch_of);
        sizes.truncate(groups.len());
        Ok(Some(BestSplit {
            distance: node.distance(&sums)?,
            sizes,
            missing: branch(levels as u32).is_some(),
            levels: listed,
            branch_of,
            sums,
            ..BestSplit::new(feature, 0, test, score, groups.len())
        }))
    }

    /// The splits of all features by groups of merged levels.
    pub(super) fn merged_candidates(
        &self,
        merging: &LevelMerging,
        contingency: &ContingencyTables<W::Sum>,
    ) -> Result<Vec<Candidate>> {
        let features = 0..self.context.data.columns().len() as u32;
        let splits = features.map(|feature| self.merged_split(merging, feature, contingency));
        let candidate = |split: BestSplit<W::Sum>| Candidate {
            feature: split.feature,
            threshold: None,
            levels: None,
            score: split.score,
        };
        splits.filter_map(|split| split.map(|split| split.map(candidate)).transpose()).collect()
    }

    /// Group and row of the rows whose value is known, and the score of each group; levels without
    /// an order have no scores. `missing` levels are one more group.
    fn members(&self, feature: u32, missing: bool) -> (Vec<(u32, u32)>, Option<Vec<f64>>) {
        match self.context.place(feature) {
            FeaturePlace::Numeric(i) => {
                let column = self.context.numeric[i].column;
                let mut scores = Vec::new();
                let known = self.known(i);
                let member = |&entry: &u32| {
                    if scores.is_empty() || entry_tied(entry) == 0 {
                        scores.push(column.value(entry_row(entry)));
                    }
                    (scores.len() as u32 - 1, entry_row(entry))
                };
                let members = known.order.iter().map(member).collect();
                (members, Some(scores))
            }
            FeaturePlace::Nominal(j) => {
                let nominal = &self.context.nominal;
                let levels = nominal.layout.arity(j) - usize::from(nominal.missing[j]);
                let coded = self.coded();
                let members = coded.column(&nominal.layout, j).zip(coded.rows);
                let known = members.filter(|&(code, _)| code < levels || missing);
                let scores = || (1..=levels).map(|level| level as f64).collect();
                let is_ordered = nominal.ordered[j];
                (known.map(|(code, &row)| (code as u32, row)).collect(), is_ordered.then(scores))
            }
        }
    }

    /// The rows of a test, one for each copy, for permutations.
    fn pairing(&self, members: &[(u32, u32)], groups: &GroupSums, feature: u32) -> PermutedRows {
        let (context, weights) = (self.context, self.context.weights);
        let outcome = |row: u32| match context.data.target() {
            Some(target) => target.units()[row as usize] as f64,
            None => f64::from(context.class_of.codes[row as usize]),
        };
        let mut pairing = PermutedRows {
            rows: Vec::with_capacity(members.len()),
            outcomes: Vec::with_capacity(members.len()),
            classes: groups.deviation.is_none().then_some(groups.width),
            scores: groups.scores.clone(),
            seed: mix(context.setting.seed, u64::from(feature)),
        };
        for &(group, row) in members {
            let value = weights.of(row).value(weights.unit());
            let (copies, weight) =
                if weights.are_copies() { (value as usize, 1.0) } else { (1, value) };
            pairing.rows.extend(std::iter::repeat_n((group, weight), copies));
            pairing.outcomes.extend(std::iter::repeat_n(outcome(row), copies));
        }
        pairing
    }

    /// The best split of the most significant feature that has an allowed one, if it is
    /// significant. Its test, or that of the most significant feature, is left in the workspace.
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
        let evidence = self.other_evidence(workspace, control)?;
        for &(feature, test) in significant.take(rule.tries) {
            if let Some(merging) = &rule.merging {
                if let Some(split) = self.merged_split(merging, feature, contingency)? {
                    workspace.significance = Some(test);
                    return self.node().accepted_by_table(split, self.context.total_weight);
                }
                continue;
            }
            let known = self.known_totals(rule, contingency, feature);
            // The node without the rows that are left out.
            let node = NodeEvaluator {
                context: self.context,
                slices: self.slices,
                range: self.range,
                totals: &known,
                key: self.key,
                scores_all: self.scores_all,
                path: self.path,
                short: self.short,
            };
            let mut wanted = vec![false; self.context.data.columns().len()];
            wanted[feature as usize] = true;
            let wanted = WantedFeatures(Some(&wanted));
            let best = node.best(contingency, evidence.as_ref(), wanted, workspace, control)?;
            if let Some(choice) = choose(&node.tables(contingency), best)? {
                workspace.significance = Some(test);
                let split = node.accepted(choice, contingency, evidence.as_ref(), control)?;
                return Ok(split.map(|split| self.with_left_out(split, &known)));
            }
        }
        Ok(None)
    }

    /// Class sums of the rows among which a split of a feature is searched.
    fn known_totals(
        &self,
        rule: &Significance,
        contingency: &ContingencyTables<W::Sum>,
        feature: u32,
    ) -> Vec<W::Sum> {
        let nominal = &self.context.nominal;
        match self.context.place(feature) {
            FeaturePlace::Numeric(i) if rule.leaves_out => {
                self.context.sums_of(&self.known(i).order)
            }
            FeaturePlace::Nominal(j) if rule.leaves_out && nominal.missing[j] => {
                let table = contingency.table(&nominal.layout, j);
                let missing = &table[table.len() - self.totals.len()..];
                self.totals.iter().zip(missing).map(|(all, &sum)| all.minus(sum)).collect()
            }
            _ => self.totals.to_vec(),
        }
    }

    /// A split with the rows that were left out in its heaviest branch; `known` are the class sums
    /// of the others.
    fn with_left_out(&self, mut split: BestSplit<W::Sum>, known: &[W::Sum]) -> BestSplit<W::Sum> {
        let left_out = self.range.len as u32 - split.sizes.iter().sum::<u32>();
        if left_out == 0 {
            return split;
        }
        let unit = self.context.weights.unit();
        let (mut heaviest, mut most) = (0, f64::NEG_INFINITY);
        for (branch, sums) in split.sums.chunks_exact(known.len()).enumerate() {
            let weight: f64 = sums.iter().map(|sum| sum.value(unit)).sum();
            if weight > most {
                (heaviest, most) = (branch, weight);
            }
        }
        split.sizes[heaviest] += left_out;
        let sums = split.sums[heaviest * known.len()..].iter_mut();
        for (sum, (all, &known)) in sums.zip(self.totals.iter().zip(known)) {
            *sum = sum.plus(all.minus(known));
        }
        if let FeaturePlace::Nominal(_) = self.context.place(split.feature) {
            // A level is its branch where no division lists them.
            if split.branch_of.is_empty() {
                split.branch_of = (0..split.branches as u16).collect();
            }
            split.branch_of.push(heaviest as u16);
        }
        split
    }
}
