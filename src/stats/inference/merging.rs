//! CHAID (Kass 1980): the levels of a feature that do not differ in the target are merged, and the
//! table of the merged groups is tested.
//!
//! 1. Each level that occurs is a group. The pair of groups with the largest p-value, by Pearson's
//!    statistic of their table of 2 x classes, is merged as long as that p-value is above
//!    `alpha_merge`. Groups of an ordered feature are merged with neighbours, its missing values
//!    with any group.
//! 2. With `alpha_split`, a group of three or more levels is divided in two if the most significant
//!    division has a p-value below it, and step 1 is repeated. Each set of levels is divided at
//!    most once, so that this ends.
//! 3. The p-value of the table of groups x classes is multiplied by the number of ways to merge the
//!    levels into as many groups ([`log_ways`]), and is at most 1.
//!
//! Nominal levels take O(levels^2 classes) for the p-values of the first pairs, and O(levels^2)
//! comparisons per merger; ordered levels take O(levels) of both. The ways to merge take O(levels
//! groups). All divisions of at most [`MOST_DIVIDED`] nominal levels are tried. More levels are
//! sorted by their shares of the largest class of the group, and this order is divided at every
//! position, which finds the best division for two classes.

use super::{LinearStatistic, LinearSums};
use crate::numeric::{log_add, sort_few};
use serde::Deserialize;

/// Largest number of nominal levels of which all divisions in two are tried.
const MOST_DIVIDED: usize = 12;

/// The limits by which levels are merged, and merged levels are divided again.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LevelMerging {
    /// Groups are merged while their p-value is above this.
    pub alpha_merge: f64,
    /// A merged group is divided if the p-value is below this; `None`: never.
    pub alpha_split: Option<f64>,
}

/// Which levels of a feature may be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelOrder {
    /// All.
    Nominal,
    /// Neighbours.
    Ordered,
    /// Neighbours. The last level, which stands for missing values, may be merged with any other.
    Floating,
}

/// A table of levels x classes.
#[derive(Debug, Clone, Copy)]
pub struct LevelTable<'a> {
    /// Weights, `[level * classes + class]`.
    pub cells: &'a [f64],
    /// Number of classes.
    pub classes: usize,
    /// Which levels may be merged.
    pub order: LevelOrder,
    /// Factor of the statistics, which makes weights numbers of rows.
    pub scale: f64,
}

/// Groups of levels, with the test of their table.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedLevels {
    /// Levels of each group in ascending order, groups in the order of their lowest levels.
    pub groups: Vec<Vec<u32>>,
    /// Pearson's statistic of groups x classes.
    pub statistic: f64,
    /// The natural logarithm of its p-value times the number of ways to merge.
    pub log_p: f64,
}

/// Levels that were merged, and their weights by class.
#[derive(Debug)]
struct Group {
    levels: Vec<u32>,
    weights: Vec<f64>,
}

impl LevelMerging {
    /// Merge the levels of a table that have rows; `None` if fewer than two have any.
    pub fn merge(&self, table: LevelTable<'_>) -> Option<MergedLevels> {
        let mut groups: Vec<Group> = (0..table.levels())
            .map(|level| table.group(vec![level]))
            .filter(|group| group.weights.iter().any(|&w| w > 0.0))
            .collect();
        let levels = groups.len();
        if levels < 2 {
            return None;
        }
        let mut divided = Vec::new();
        table.merge_while(&mut groups, self.alpha_merge.ln());
        while let Some(alpha) = self.alpha_split
            && table.divide_one(&mut groups, alpha.ln(), &mut divided)
        {
            table.merge_while(&mut groups, self.alpha_merge.ln());
        }
        let (statistic, log_p) = table.test(&groups, &mut table.sums());
        let log_p = (log_p + log_ways(levels, groups.len(), table.order)).min(0.0);
        let groups = groups.into_iter().map(|group| group.levels).collect();
        Some(MergedLevels { groups, statistic, log_p })
    }
}

impl LevelTable<'_> {
    /// Number of levels.
    fn levels(&self) -> u32 {
        (self.cells.len() / self.classes) as u32
    }

    /// A group of some levels.
    fn group(&self, mut levels: Vec<u32>) -> Group {
        levels.sort_unstable();
        let mut weights = vec![0.0; self.classes];
        for &level in &levels {
            let cells = &self.cells[level as usize * self.classes..];
            weights.iter_mut().zip(cells).for_each(|(sum, cell)| *sum += cell);
        }
        Group { levels, weights }
    }

    /// Memory for the sums of the groups of a test.
    fn sums(&self) -> LinearSums {
        LinearSums::new(self.classes, false)
    }

    /// Pearson's statistic of a table of groups, and the logarithm of its p-value.
    fn test<'g>(
        &self,
        groups: impl IntoIterator<Item = &'g Group>,
        sums: &mut LinearSums,
    ) -> (f64, f64) {
        sums.clear();
        for Group { weights, .. } in groups {
            sums.add(0.0, weights.iter().sum(), weights);
        }
        LinearStatistic::new(sums, None).map_or((0.0, 0.0), |linear| linear.chi_squared(self.scale))
    }

    /// Merge the pair with the largest p-value, the first on ties, while its logarithm is above a
    /// limit.
    fn merge_while(&self, groups: &mut Vec<Group>, limit: f64) {
        // Groups are in the order of their lowest levels, which name them. Missing values that are
        // a group of their own are the last one.
        let (missing, mut sums) = ([self.levels() - 1], self.sums());
        let mut pair = |groups: &[Group], i: usize, j: usize| {
            let [a, b] = [&groups[i], &groups[j]];
            let is_allowed = match self.order {
                LevelOrder::Nominal => true,
                LevelOrder::Ordered => j == i + 1,
                LevelOrder::Floating => j == i + 1 || b.levels == missing,
            };
            is_allowed.then(|| (self.test([a, b], &mut sums).1, a.levels[0], b.levels[0]))
        };
        let all = (0..groups.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        let mut pairs: Vec<_> = all.filter_map(|(i, j)| pair(groups, i, j)).collect();
        let order = |x: &(f64, u32, u32), y: &(f64, u32, u32)| {
            x.0.total_cmp(&y.0).then((y.1, y.2).cmp(&(x.1, x.2)))
        };
        while let Some((log_p, a, b)) = pairs.iter().copied().max_by(order)
            && log_p > limit
        {
            let [i, j] = [a, b].map(|name| groups.partition_point(|g| g.levels[0] < name));
            let second = groups.remove(j);
            groups[i] = self.group([&groups[i].levels[..], &second.levels].concat());
            pairs.retain(|&(_, x, y)| ![a, b].contains(&x) && ![a, b].contains(&y));
            let others = (0..groups.len()).filter(|&j| j != i);
            pairs.extend(others.filter_map(|j| pair(groups, i.min(j), i.max(j))));
        }
    }

    /// Divide the first group of three or more levels whose most significant division has a p-value
    /// with a logarithm below a limit, if there is one; `divided` are the groups that were divided
    /// before.
    fn divide_one(&self, groups: &mut Vec<Group>, limit: f64, divided: &mut Vec<Vec<u32>>) -> bool {
        let mut sums = self.sums();
        for i in 0..groups.len() {
            let levels = groups[i].levels.clone();
            if levels.len() < 3 || divided.contains(&levels) {
                continue;
            }
            let tested = |second: Vec<u32>| {
                let first = levels.iter().copied().filter(|level| !second.contains(level));
                let sides = [self.group(first.collect()), self.group(second)];
                (self.test(&sides, &mut sums), sides)
            };
            let divisions = self.divisions(&groups[i]).into_iter().map(tested);
            let best = divisions.reduce(|best, one| if one.0.0 > best.0.0 { one } else { best });
            if let Some((_, sides)) = best.filter(|((_, log_p), _)| *log_p < limit) {
                divided.push(levels);
                groups.splice(i..=i, sides);
                sort_few(groups, &|a, b| a.levels[0].cmp(&b.levels[0]));
                return true;
            }
        }
        false
    }

    /// The levels on the second side, for each division of a group in two.
    fn divisions(&self, group: &Group) -> Vec<Vec<u32>> {
        let mut order = group.levels.clone();
        if self.order == LevelOrder::Nominal {
            if order.len() <= MOST_DIVIDED {
                let side = |mask: u32| {
                    let bits = order[1..].iter().zip(0..).filter(|&(_, bit)| mask >> bit & 1 == 1);
                    bits.map(|(&level, _)| level).collect()
                };
                return (1..1 << (order.len() - 1)).map(side).collect();
            }
            let weight = |&c: &usize| group.weights[c];
            let classes = (0..self.classes).rev();
            let largest = classes.max_by(|a, b| weight(a).total_cmp(&weight(b))).unwrap_or(0);
            let share = |level: u32| {
                let weights = self.group(vec![level]).weights;
                weights[largest] / weights.iter().sum::<f64>()
            };
            sort_few(&mut order, &|&a, &b| share(a).total_cmp(&share(b)));
        }
        let floats = self.order == LevelOrder::Floating && order.ends_with(&[self.levels() - 1]);
        let missing = order.split_off(order.len() - usize::from(floats));
        let mut sides: Vec<Vec<u32>> = (1..order.len()).map(|at| order[at..].to_vec()).collect();
        if floats {
            // Missing values on the side of the lower levels, of the higher ones, or alone.
            let joined: Vec<_> = sides.iter().map(|side| [&side[..], &missing].concat()).collect();
            sides.extend(joined);
            sides.push(missing);
        }
        sides
    }
}

/// The natural logarithm of the number of ways to merge levels into groups. Each level begins a
/// group or joins one: any for nominal levels (the Stirling numbers of the second kind), the last
/// one for ordered levels (C(levels - 1, groups - 1)); floating missing values, the last level,
/// any.
pub fn log_ways(levels: usize, groups: usize, order: LevelOrder) -> f64 {
    let mut ways = vec![f64::NEG_INFINITY; groups + 1];
    ways[0] = 0.0;
    for level in 1..=levels {
        let joins_any = match order {
            LevelOrder::Nominal => true,
            LevelOrder::Ordered => false,
            LevelOrder::Floating => level == levels,
        };
        for k in (1..=groups).rev() {
            let joined = if joins_any { (k as f64).ln() } else { 0.0 };
            ways[k] = log_add(joined + ways[k], ways[k - 1]);
        }
        ways[0] = f64::NEG_INFINITY;
    }
    ways[groups]
}
