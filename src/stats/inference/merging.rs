//! CHAID (Kass 1980): the levels of a feature that do not differ in the target are merged, and the
//! table of what is left is tested.
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
//! comparisons per merger; ordered ones O(levels) of both. Of at most [`MOST_DIVIDED`] nominal
//! levels all divisions are tried. More are sorted by the share of the largest class of the group
//! and cut at every place, which finds the best division for two classes.

use super::chi_squared::log_upper_tail;
use crate::numeric::{ln_factorial, log_add, sort_few};

/// Largest number of nominal levels of which all divisions in two are tried.
const MOST_DIVIDED: usize = 12;

/// The limits by which levels are merged, and merged levels are divided again.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    /// Neighbours; the last level, that of missing values, with any other.
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
        loop {
            table.merge_while(&mut groups, self.alpha_merge.ln());
            let Some(alpha) = self.alpha_split else { break };
            if !table.divide_one(&mut groups, alpha.ln(), &mut divided) {
                break;
            }
        }
        let weights: Vec<&[f64]> = groups.iter().map(|group| &group.weights[..]).collect();
        let (statistic, log_p) = table.test(&weights);
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

    /// Whether a group is missing values alone, which may join any other.
    fn is_floating(&self, group: &Group) -> bool {
        self.order == LevelOrder::Floating && group.levels == [self.levels() - 1]
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

    /// Pearson's statistic of a table with these rows, and the logarithm of its p-value.
    fn test(&self, rows: &[&[f64]]) -> (f64, f64) {
        let of_class = |c: usize| rows.iter().map(|row| row[c]).sum::<f64>();
        let columns: Vec<(usize, f64)> =
            (0..self.classes).map(|c| (c, of_class(c))).filter(|&(_, sum)| sum > 0.0).collect();
        let total: f64 = columns.iter().map(|&(_, sum)| sum).sum();
        let mut statistic = 0.0;
        for row in rows {
            let of_row: f64 = row.iter().sum();
            for &(c, of_class) in &columns {
                // Products of whole weights are exact, and rows with equal shares give 0.
                let deviation = row[c] * total - of_row * of_class;
                statistic += deviation * deviation / (total * of_row * of_class);
            }
        }
        let degrees = (rows.len() - 1) * columns.len().saturating_sub(1);
        let statistic = statistic * self.scale;
        (statistic, if degrees == 0 { 0.0 } else { log_upper_tail(statistic, degrees as f64) })
    }

    /// Merge the pair with the largest p-value, the first on ties, while its logarithm is above a
    /// limit.
    fn merge_while(&self, groups: &mut Vec<Group>, limit: f64) {
        // Groups are named by their lowest level.
        let pair = |groups: &[Group], i: usize, j: usize| {
            let is_allowed = self.order == LevelOrder::Nominal
                || j == i + 1
                || (j + 1 == groups.len() && self.is_floating(&groups[j]));
            let [a, b] = [&groups[i], &groups[j]];
            is_allowed.then(|| (self.test(&[&a.weights, &b.weights]).1, a.levels[0], b.levels[0]))
        };
        let all = (0..groups.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        let mut pairs: Vec<_> = all.filter_map(|(i, j)| pair(groups, i, j)).collect();
        loop {
            let is_before = |x: &(f64, u32, u32), y: &(f64, u32, u32)| {
                x.0 > y.0 || (x.0 == y.0 && (x.1, x.2) < (y.1, y.2))
            };
            let least = pairs.iter().copied().reduce(|x, y| if is_before(&y, &x) { y } else { x });
            let Some((_, a, b)) = least.filter(|pair| pair.0 > limit) else { return };
            let is_one = |name: u32| name == a || name == b;
            let mut levels = Vec::new();
            groups.retain(|group| {
                let is_merged = is_one(group.levels[0]);
                if is_merged {
                    levels.extend_from_slice(&group.levels);
                }
                !is_merged
            });
            let i = groups.partition_point(|group| group.levels[0] < a);
            groups.insert(i, self.group(levels));
            pairs.retain(|pair| !is_one(pair.1) && !is_one(pair.2));
            let others = (0..groups.len()).filter(|&j| j != i);
            pairs.extend(others.filter_map(|j| pair(groups, i.min(j), i.max(j))));
        }
    }

    /// Divide the first group of three or more levels whose most significant division has a p-value
    /// with a logarithm below a limit, if there is one; `divided` are the groups that were divided
    /// before.
    fn divide_one(&self, groups: &mut Vec<Group>, limit: f64, divided: &mut Vec<Vec<u32>>) -> bool {
        for i in 0..groups.len() {
            let levels = groups[i].levels.clone();
            if levels.len() < 3 || divided.contains(&levels) {
                continue;
            }
            let tested = |second: Vec<u32>| {
                let first = levels.iter().copied().filter(|level| !second.contains(level));
                let sides = [self.group(first.collect()), self.group(second)];
                (self.test(&[&sides[0].weights, &sides[1].weights]), sides)
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
        let cuts = |order: &[u32]| {
            (1..order.len()).map(|at| order[at..].to_vec()).collect::<Vec<Vec<u32>>>()
        };
        let levels = &group.levels[..];
        if self.order != LevelOrder::Nominal {
            let floats =
                self.order == LevelOrder::Floating && levels.contains(&(self.levels() - 1));
            let (known, floating) = levels.split_at(levels.len() - usize::from(floats));
            let mut found = cuts(known);
            if floats {
                // Missing values on the side of the lower levels, of the higher ones, or alone.
                let joined: Vec<_> = found.iter().map(|cut| [cut, floating].concat()).collect();
                found.extend(joined);
                found.push(floating.to_vec());
            }
            return found;
        }
        if levels.len() <= MOST_DIVIDED {
            let side = |mask: u32| {
                let bits = levels[1..].iter().zip(0..).filter(|&(_, bit)| mask >> bit & 1 == 1);
                bits.map(|(&level, _)| level).collect()
            };
            return (1..1 << (levels.len() - 1)).map(side).collect();
        }
        let largest = (0..self.classes)
            .reduce(|best, c| if group.weights[c] > group.weights[best] { c } else { best });
        let share = |level: u32| {
            let cells = &self.cells[level as usize * self.classes..][..self.classes];
            cells[largest.unwrap_or_default()] / cells.iter().sum::<f64>()
        };
        let mut order = levels.to_vec();
        sort_few(&mut order, &|&a, &b| share(a).total_cmp(&share(b)));
        cuts(&order)
    }
}

/// The natural logarithm of the number of ways to merge levels into groups: the Stirling number of
/// the second kind for nominal levels; C(levels - 1, groups - 1) for ordered ones; C(levels - 2,
/// groups - 2) + groups C(levels - 2, groups - 1) with missing values as one level.
pub fn log_ways(levels: usize, groups: usize, order: LevelOrder) -> f64 {
    let log_factorial = |n: usize| ln_factorial(n as f64);
    let choose = |n: usize, k: Option<usize>| match k {
        Some(k) if k <= n => log_factorial(n) - log_factorial(k) - log_factorial(n - k),
        _ => f64::NEG_INFINITY,
    };
    let log = |n: usize| (n as f64).ln();
    match order {
        LevelOrder::Ordered => choose(levels - 1, Some(groups - 1)),
        LevelOrder::Floating => log_add(
            choose(levels - 2, groups.checked_sub(2)),
            log(groups) + choose(levels - 2, Some(groups - 1)),
        ),
        LevelOrder::Nominal => {
            // S(n, k) = k S(n - 1, k) + S(n - 1, k - 1), from S(0, 0) = 1.
            let mut ways = vec![f64::NEG_INFINITY; groups + 1];
            ways[0] = 0.0;
            for _ in 0..levels {
                for k in (1..=groups).rev() {
                    ways[k] = log_add(log(k) + ways[k], ways[k - 1]);
                }
                ways[0] = f64::NEG_INFINITY;
            }
            ways[groups]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of ways to divide levels into groups, by trying all: each level joins a group
    /// that is there or begins one.
    fn counted(levels: usize, groups: usize, order: LevelOrder) -> usize {
        let mut ways = vec![vec![]];
        for level in 0..levels {
            let mut longer = Vec::new();
            for way in ways {
                let way: Vec<usize> = way;
                let begun = way.iter().max().map_or(0, |&group| group + 1);
                let floats = order == LevelOrder::Floating && level + 1 == levels;
                let joined = if order == LevelOrder::Nominal || floats {
                    0..begun
                } else {
                    begun.saturating_sub(1)..begun
                };
                longer.extend(joined.chain([begun]).map(|group| [&way[..], &[group]].concat()));
            }
            ways = longer;
        }
        ways.iter().filter(|way| way.iter().max() == Some(&(groups - 1))).count()
    }

    #[test]
    fn ways_to_merge_are_those_that_can_be_counted() {
        for order in [LevelOrder::Nominal, LevelOrder::Ordered, LevelOrder::Floating] {
            for levels in 2..8 {
                for groups in 1..=levels {
                    let (found, all) =
                        (log_ways(levels, groups, order), counted(levels, groups, order));
                    assert!(
                        (found.exp() - all as f64).abs() < 1e-9 * all as f64,
                        "{levels} {groups} {order:?}: {found} {all}"
                    );
                }
            }
        }
    }

    #[test]
    fn ways_that_no_double_holds_have_logarithms() {
        // 2^999 - 1, and C(1999, 1000).
        let found = log_ways(1000, 2, LevelOrder::Nominal);
        assert!((found - 999.0 * std::f64::consts::LN_2).abs() < 1e-9);
        let found = log_ways(2000, 1001, LevelOrder::Ordered);
        assert!((found - 1_381.574_846_357).abs() < 1e-8, "{found}");
    }
}
