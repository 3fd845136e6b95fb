//! The search behind [`super::optimal_tree`]: the tree of least cost within limits on depth and
//! size.
//!
//! The cost is `errors + penalty x leaves`; tests are `x <= r`. Dynamic programming over sets of
//! rows (Demirovic et al., "MurTree", 2022; Lin et al., "GOSDT", 2020; implemented from the
//! papers): the best tree of a set is a leaf, or the best test with the best trees of both sides,
//! each of which may cost at most what the best tree so far leaves for it. The lower bound of a set
//! counts the rows that every tree misclassifies because an equal row has another class; proven
//! costs and bounds are kept ([`super::cache`]). A set whose best tree has at most two levels is
//! solved by counting pairs of tests ([`super::pairs`]). If the limits end the search, the tests of
//! the root that are left give the lower bound.
//!
//! Exponential in the depth: O(tests^depth) at worst. Made for binary features or few thresholds
//! per feature, and depths up to about five.

use super::cache::Cache;
use super::consistent::{Halt, Meter};
use super::pairs::{RankRows, SetView, two_levels};
use super::problem::{RankTest, divide};
use crate::parallel::Control;

/// No limit on depth or splits.
pub(super) const FREE: u16 = u16::MAX;
/// Costs that differ by less are equal.
const SLACK: f64 = 1e-9;
/// Tolerance when the tests of a found tree are asked for again: sums in another order.
const NEAR: f64 = 1e3 * SLACK;

/// Limits of a tree; [`FREE`] is none.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreeLimits {
    /// Tests on a path.
    pub(super) depth: u16,
    /// Tests in all.
    pub(super) splits: u16,
}

impl TreeLimits {
    /// The depth that is left below a test.
    pub(super) fn depth_below(self) -> u16 {
        if self.depth == FREE { FREE } else { self.depth - 1 }
    }

    /// The limits with no more splits than a tree of this depth can have.
    fn tightened(self) -> Self {
        let complete = if self.depth >= 15 { FREE } else { (1 << self.depth) - 1 };
        Self { splits: self.splits.min(complete), ..self }
    }

    /// Ways to divide the splits below a test between its sides: all that the sides can use.
    fn below(self) -> Vec<SideLimits> {
        let depth = self.depth_below();
        let sides = |left: u16, right: u16| SideLimits {
            left: Self { depth, splits: left },
            right: Self { depth, splits: right },
        };
        if self.splits == FREE {
            return vec![sides(FREE, FREE)];
        }
        let rest = self.splits - 1;
        let most = Self { depth, splits: rest }.tightened().splits;
        if rest >= most.saturating_mul(2) {
            return vec![sides(most, most)];
        }
        (rest.saturating_sub(most)..=most.min(rest)).map(|left| sides(left, rest - left)).collect()
    }
}

/// Limits of the trees on both sides of a test.
#[derive(Debug, Clone, Copy)]
struct SideLimits {
    left: TreeLimits,
    right: TreeLimits,
}

/// What is known about the best tree of a set within limits.
#[derive(Debug, Clone, Copy)]
struct Solved {
    /// A lower bound of its cost.
    low: f64,
    /// Its cost; infinite if it is not known.
    cost: f64,
    /// Its first test; [`NO_TEST`] for a leaf, or if the cost is not known. An `Option` would make
    /// an entry of the table a third larger.
    test: RankTest,
}

/// Stands for no test; there are fewer features.
const NO_TEST: RankTest = RankTest { feature: u16::MAX, rank: 0 };

/// The cost of a tree, and its first test (none: a leaf).
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundTest {
    pub(super) cost: f64,
    pub(super) test: Option<RankTest>,
}

/// Splits that one side of a test may have, and the cost of its best tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideCost {
    pub(super) splits: u16,
    pub(super) cost: f64,
}

/// A test of a found tree, and what its sides cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct SplitCosts {
    pub(super) test: RankTest,
    pub(super) left: SideCost,
    pub(super) right: SideCost,
}

/// The result of a search for all rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct RootAnswer {
    /// The best tree, if it costs less than the known one.
    pub(super) found: Option<FoundTest>,
    /// A lower bound of the cost of all trees.
    pub(super) lower: f64,
}

/// A search and what it has proven.
pub(super) struct SparseSearch<'a> {
    rows: &'a RankRows,
    penalty: f64,
    cache: Cache<Solved>,
    pub(super) meter: Meter<'a>,
}

impl<'a> SparseSearch<'a> {
    pub(super) fn new(rows: &'a RankRows, penalty: f64, bytes: usize, meter: Meter<'a>) -> Self {
        let words = rows.lost.len() + 1;
        Self { rows, penalty, cache: Cache::new(words, bytes), meter }
    }

    /// `ranks[feature][row]` of the rows.
    pub(super) fn ranks(&self) -> &'a [Vec<u32>] {
        &self.rows.ranks
    }

    /// The key of a query: the set, and a word for the limits.
    fn key(bits: &[u64], limits: TreeLimits) -> Vec<u64> {
        let mut key = bits.to_vec();
        key.push(u64::from(limits.depth) << 16 | u64::from(limits.splits));
        key
    }

    /// Rows of a set that every tree misclassifies.
    fn lost(&self, bits: &[u64]) -> f64 {
        bits.iter().zip(&self.rows.lost).map(|(a, b)| f64::from((a & b).count_ones())).sum()
    }

    fn view(&self, bits: &[u64]) -> Result<SetView, Halt> {
        SetView::new(self.rows, bits, self.meter.control).map_err(Halt::of)
    }

    /// A lower bound of the cost that is known without a search.
    fn low(&self, bits: &[u64], limits: TreeLimits) -> f64 {
        let proven =
            self.cache.get(&Self::key(bits, limits.tightened())).map_or(0.0, |solved| solved.low);
        proven.max(self.lost(bits) + self.penalty)
    }

    fn keep(&mut self, bits: &[u64], limits: TreeLimits, solved: Solved) {
        self.cache.put(&Self::key(bits, limits), solved);
    }

    /// The cost of the best tree of a set if it is below `most`; otherwise a number of at least
    /// `most` that is a lower bound of it.
    fn solve(&mut self, bits: &[u64], limits: TreeLimits, most: f64) -> Result<f64, Halt> {
        let limits = limits.tightened();
        if let Some(known) = self.cache.get(&Self::key(bits, limits)) {
            if known.cost.is_finite() {
                return Ok(known.cost);
            }
            if known.low >= most - SLACK {
                return Ok(known.low.max(most));
            }
        }
        self.meter.count()?;
        // A leaf is optimal if no test is allowed, or if two leaves cannot cost less.
        let view = self.view(bits)?;
        let leaf = view.errors_of_leaf() + self.penalty;
        let low_of_split = self.lost(bits) + 2.0 * self.penalty;
        if limits.splits == 0 || leaf <= low_of_split + SLACK {
            self.keep(bits, limits, Solved { low: leaf, cost: leaf, test: NO_TEST });
            return Ok(leaf);
        }
        // No test can undercut both the leaf and `most`.
        let limit = leaf.min(most);
        if low_of_split >= limit - SLACK {
            let cost = if leaf < most { leaf } else { f64::INFINITY };
            self.keep(bits, limits, Solved { low: limit, cost, test: NO_TEST });
            return Ok(limit);
        }
        let solved = match self.cheapest_test(bits, &view, limits, limit)? {
            Some((cost, test)) => Solved { low: cost, cost, test },
            None if leaf < most => Solved { low: leaf, cost: leaf, test: NO_TEST },
            None => Solved { low: most, cost: f64::INFINITY, test: NO_TEST },
        };
        self.keep(bits, limits, solved);
        Ok(solved.low)
    }

    /// The cost and the first test of the best tree with a test, if it costs less than `limit`.
    fn cheapest_test(
        &mut self,
        bits: &[u64],
        view: &SetView,
        limits: TreeLimits,
        limit: f64,
    ) -> Result<Option<(f64, RankTest)>, Halt> {
        // Trees of more leaves cost at least `limit`; four leaves fit into two levels.
        let max_leaves = if self.penalty > 0.0 {
            ((limit - SLACK - self.lost(bits)) / self.penalty).ceil() as usize
        } else {
            usize::MAX
        };
        if limits.depth <= 2 || limits.splits <= 2 || max_leaves <= 4 {
            let depth = limits.depth.min(2);
            let found = two_levels(view, self.penalty, depth, limits.splits, &self.meter)?;
            return Ok(found.filter(|(cost, _)| *cost < limit - SLACK));
        }
        let (mut best, mut test) = (limit, None);
        for candidate in view.tests_by_gini(self.meter.control).map_err(Halt::of)? {
            self.meter.check()?;
            let (left, right) = divide(self.ranks(), bits, candidate);
            if let Some(cost) = self.cheapest_sides(&left, &right, limits, best)? {
                (best, test) = (cost, Some((cost, candidate)));
            }
        }
        Ok(test)
    }

    /// The cost of the best trees of the two sides of a test, if together they cost less than
    /// `most`; `limits` are those of the whole tree.
    fn cheapest_sides(
        &mut self,
        left: &[u64],
        right: &[u64],
        limits: TreeLimits,
        most: f64,
    ) -> Result<Option<f64>, Halt> {
        let mut least = most;
        for side in limits.below() {
            let low_right = self.low(right, side.right);
            if self.low(left, side.left) + low_right >= least - SLACK {
                continue;
            }
            let most_left = least - low_right;
            let cost_left = self.solve(left, side.left, most_left)?;
            if cost_left >= most_left - SLACK {
                continue;
            }
            let most_right = least - cost_left;
            let cost_right = self.solve(right, side.right, most_right)?;
            if cost_right < most_right - SLACK {
                least = cost_left + cost_right;
            }
        }
        Ok((least < most).then_some(least))
    }

    /// Search for the best tree of all rows that costs less than `most`, as far as the limits of
    /// the search allow; the lower bound may take until `ending`.
    pub(super) fn root(
        &mut self,
        bits: &[u64],
        limits: TreeLimits,
        most: f64,
        ending: &Control,
    ) -> Result<RootAnswer, Halt> {
        let limits = limits.tightened();
        // A leaf.
        let leaf = self.rows.errors_of_leaf(bits) + self.penalty;
        let floor = (self.lost(bits) + 2.0 * self.penalty).min(leaf);
        let mut found = (leaf < most - SLACK).then_some(FoundTest { cost: leaf, test: None });
        let mut best = leaf.min(most);
        if limits.splits == 0 || floor >= best - SLACK {
            return Ok(RootAnswer { found, lower: best.min(leaf) });
        }
        let searched = self.view(bits).and_then(|view| {
            let tests = view.tests_by_gini(self.meter.control).map_err(Halt::of)?;
            Ok((view, tests))
        });
        let (view, tests) = match searched {
            Err(Halt::Spent) => return Ok(RootAnswer { found, lower: floor }),
            searched => searched?,
        };
        // Two levels are solved at once.
        if limits.depth <= 2 || limits.splits <= 2 {
            let depth = limits.depth.min(2);
            return match two_levels(&view, self.penalty, depth, limits.splits, &self.meter) {
                Ok(Some((cost, test))) if cost < best - SLACK => {
                    let found = Some(FoundTest { cost, test: Some(test) });
                    Ok(RootAnswer { found, lower: cost })
                }
                Ok(_) => Ok(RootAnswer { found, lower: best }),
                Err(Halt::Spent) => Ok(RootAnswer { found, lower: floor }),
                Err(halt) => Err(halt),
            };
        }
        // One test after the other, with progress.
        self.meter.control.expect(tests.len() as u64);
        for (i, &test) in tests.iter().enumerate() {
            self.meter.control.advance(u64::from(i > 0));
            let answer = self.meter.check().and_then(|()| {
                let (left, right) = divide(self.ranks(), bits, test);
                self.cheapest_sides(&left, &right, limits, best)
            });
            match answer {
                Ok(Some(cost)) => {
                    best = cost;
                    found = Some(FoundTest { cost, test: Some(test) });
                }
                Ok(None) => {}
                Err(Halt::Cancelled) => return Err(Halt::Cancelled),
                Err(Halt::Spent) => {
                    let lower = self.low_of_tests(bits, &tests[i..], limits, best, ending)?;
                    return Ok(RootAnswer {
                        found,
                        lower: lower.map_or(floor, |low| low.max(floor)),
                    });
                }
            }
        }
        Ok(RootAnswer { found, lower: best })
    }

    /// A lower bound of the cost of trees whose first test is one of `tests`, at most `best`; None
    /// if time is up.
    fn low_of_tests(
        &self,
        bits: &[u64],
        tests: &[RankTest],
        limits: TreeLimits,
        best: f64,
        ending: &Control,
    ) -> Result<Option<f64>, Halt> {
        let mut low = best;
        for &test in tests {
            match ending.check().map_err(Halt::of) {
                Err(Halt::Spent) => return Ok(None),
                answer => answer?,
            }
            let (left, right) = divide(self.ranks(), bits, test);
            for side in limits.below() {
                low = low.min(self.low(&left, side.left) + self.low(&right, side.right));
            }
        }
        Ok(Some(low))
    }

    /// The first test of the best tree of a set, which was found before, with the splits and the
    /// costs of both sides; none for a leaf.
    pub(super) fn test(
        &mut self,
        bits: &[u64],
        limits: TreeLimits,
        found: FoundTest,
    ) -> Result<Option<SplitCosts>, Halt> {
        let limits = limits.tightened();
        let test = match found.test {
            Some(test) => test,
            None => {
                self.solve(bits, limits, found.cost + NEAR)?;
                match self.cache.get(&Self::key(bits, limits)) {
                    Some(Solved { test, .. }) if test != NO_TEST => test,
                    _ => return Ok(None),
                }
            }
        };
        // The division of the splits that gives the cost.
        let (left, right) = divide(self.ranks(), bits, test);
        for side in limits.below() {
            let most_left = found.cost + NEAR - self.low(&right, side.right);
            let cost_left = self.solve(&left, side.left, most_left)?;
            if cost_left < most_left {
                let most_right = found.cost + NEAR - cost_left;
                let cost_right = self.solve(&right, side.right, most_right)?;
                if cost_right < most_right {
                    return Ok(Some(SplitCosts {
                        test,
                        left: SideCost { splits: side.left.splits, cost: cost_left },
                        right: SideCost { splits: side.right.splits, cost: cost_right },
                    }));
                }
            }
        }
        Err(Halt::Spent)
    }
}
