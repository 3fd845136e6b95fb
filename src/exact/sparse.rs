//! The tree of least cost: errors and a penalty for each leaf, within limits on depth and size.
//!
//! Minimised is `errors + penalty x leaves` over trees of at most `depth` tests on a path and
//! `splits` tests in all, tests being `x <= r`. Dynamic programming over row sets (Demirovic et
//! al., "MurTree", 2022; Lin et al., "GOSDT", 2020; both from their descriptions): the best tree of
//! a set is a leaf, or the best test with the best trees of both sides, each asked with what it may
//! cost at most. Rows that agree on every feature but not on the class are errors of every tree:
//! that is the lower bound of a set, besides what was learned of it. A set whose best tree can have
//! depth two at most is solved by counting pairs of tests ([`pairs`]). When limits end the search,
//! unfinished tests of the root give the lower bound.
//!
//! Exponential in the depth: O((tests)^(depth - 2) x tests^2) at worst. Made for binary features or
//! a few thresholds per feature, depth up to about five.

use super::cache::Cache;
use super::consistent::{Halt, Meter};
use super::pairs::{RankRows, SetView, two_levels};
use crate::data::ones;
use crate::parallel::Control;

/// No limit on depth or splits.
pub(super) const FREE: u16 = u16::MAX;
/// Costs that differ by less are equal.
const SLACK: f64 = 1e-9;
const LEAF: u16 = u16::MAX;

/// A question that was answered.
#[derive(Debug, Clone, Copy)]
struct Solved {
    /// No tree is cheaper.
    low: f64,
    /// Cost of the best tree, infinite when it is not known.
    cost: f64,
    feature: u16,
    rank: u32,
}

/// A search.
pub(super) struct SparseSearch<'a> {
    rows: &'a RankRows,
    penalty: f64,
    cache: Cache<Solved>,
    pub(super) meter: Meter<'a>,
}

/// Feature, and largest rank on the left.
pub(super) type RankTest = (u16, u32);
/// Splits that a side may have, and the cost of its best tree.
pub(super) type SideCost = (u16, f64);

impl<'a> SparseSearch<'a> {
    pub(super) fn new(rows: &'a RankRows, penalty: f64, bytes: usize, meter: Meter<'a>) -> Self {
        let words = rows.lost.len() + 1;
        Self { rows, penalty, cache: Cache::new(words, bytes), meter }
    }

    fn key(bits: &[u64], depth: u16, splits: u16) -> Vec<u64> {
        let mut key = bits.to_vec();
        key.push(u64::from(depth) << 16 | u64::from(splits));
        key
    }

    fn lost(&self, bits: &[u64]) -> f64 {
        bits.iter().zip(&self.rows.lost).map(|(a, b)| f64::from((a & b).count_ones())).sum()
    }

    /// Splits that a tree of some depth can have.
    fn usable(depth: u16, splits: u16) -> u16 {
        if depth >= 15 { splits } else { splits.min((1 << depth) - 1) }
    }

    fn view(&self, bits: &[u64]) -> Result<SetView, Halt> {
        SetView::new(self.rows, bits, self.meter.control).map_err(Halt::of)
    }

    /// A lower bound without a search.
    fn low(&self, bits: &[u64], depth: u16, splits: u16) -> f64 {
        let learned = self.cache.get(&Self::key(bits, depth, splits)).map_or(0.0, |k| k.low);
        learned.max(self.lost(bits) + self.penalty)
    }

    fn keep(&mut self, bits: &[u64], depth: u16, splits: u16, solved: Solved) {
        self.cache.put(&Self::key(bits, depth, splits), solved);
    }

    /// Rows of a set on both sides of a test.
    pub(super) fn divide(&self, bits: &[u64], (f, r): RankTest) -> (Vec<u64>, Vec<u64>) {
        let ranks = &self.rows.ranks[usize::from(f)];
        let mut left = vec![0_u64; bits.len()];
        for row in ones(bits) {
            if ranks[row as usize] <= r {
                left[row as usize >> 6] |= 1 << (row & 63);
            }
        }
        let right = bits.iter().zip(&left).map(|(a, b)| a & !b).collect();
        (left, right)
    }

    /// The cost of the best tree when it is below `most`; otherwise a number >= `most`, which no
    /// tree undercuts.
    pub(super) fn solve(
        &mut self,
        bits: &[u64],
        depth: u16,
        splits: u16,
        most: f64,
    ) -> Result<f64, Halt> {
        let splits = Self::usable(depth, splits);
        let known = self.cache.get(&Self::key(bits, depth, splits));
        if let Some(known) = known {
            if known.cost.is_finite() {
                return Ok(known.cost);
            }
            if known.low >= most - SLACK {
                return Ok(known.low.max(most));
            }
        }
        self.meter.count()?;
        let view = self.view(bits)?;
        let leaf = view.errors_of_leaf() + self.penalty;
        let floor = self.lost(bits) + 2.0 * self.penalty;
        if splits == 0 || leaf <= floor + SLACK {
            self.keep(
                bits,
                depth,
                splits,
                Solved { low: leaf, cost: leaf, feature: LEAF, rank: 0 },
            );
            return Ok(leaf);
        }
        let limit = leaf.min(most);
        if floor >= limit - SLACK {
            let cost = if leaf < most { leaf } else { f64::INFINITY };
            let low = if leaf < most { leaf } else { most };
            self.keep(bits, depth, splits, Solved { low, cost, feature: LEAF, rank: 0 });
            return Ok(low);
        }
        let solved = match self.cheapest_test(bits, &view, depth, splits, limit)? {
            Some((cost, (feature, rank))) => Solved { low: cost, cost, feature, rank },
            None if leaf < most => Solved { low: leaf, cost: leaf, feature: LEAF, rank: 0 },
            None => Solved { low: most, cost: f64::INFINITY, feature: LEAF, rank: 0 },
        };
        self.keep(bits, depth, splits, solved);
        Ok(solved.low)
    }

    /// The first test of the best tree that costs less than `limit`, and what that tree costs.
    fn cheapest_test(
        &mut self,
        bits: &[u64],
        view: &SetView,
        depth: u16,
        splits: u16,
        limit: f64,
    ) -> Result<Option<(f64, RankTest)>, Halt> {
        // Leaves of a tree that is worth it.
        let leaves = if self.penalty > 0.0 {
            ((limit - SLACK - self.lost(bits)) / self.penalty).ceil() as usize
        } else {
            usize::MAX
        };
        if depth <= 2 || splits <= 2 || leaves <= 4 {
            let found = two_levels(view, self.penalty, depth.min(2), splits, &self.meter)?;
            return Ok(found.filter(|f| f.0 < limit - SLACK));
        }
        let (mut best, mut test) = (limit, None);
        for candidate in view.tests_by_gini(self.meter.control).map_err(Halt::of)? {
            self.meter.look()?;
            let (left, right) = self.divide(bits, candidate);
            if let Some(cost) = self.sides(&left, &right, depth, splits, best)? {
                (best, test) = (cost, Some((cost, candidate)));
            }
        }
        Ok(test)
    }

    /// The cheapest pair of trees of two sides, where it is cheaper than `best`.
    fn sides(
        &mut self,
        left: &[u64],
        right: &[u64],
        depth: u16,
        splits: u16,
        best: f64,
    ) -> Result<Option<f64>, Halt> {
        let below = if depth == FREE { FREE } else { depth - 1 };
        let mut least = best;
        for (l, r) in shares(below, splits) {
            let right_low = self.low(right, below, Self::usable(below, r));
            if self.low(left, below, Self::usable(below, l)) + right_low >= least - SLACK {
                continue;
            }
            let most = least - right_low;
            let cost = self.solve(left, below, l, most)?;
            if cost >= most - SLACK {
                continue;
            }
            let rest = least - cost;
            let of_right = self.solve(right, below, r, rest)?;
            if of_right < rest - SLACK {
                least = cost + of_right;
            }
        }
        Ok((least < best).then_some(least))
    }

    /// The best tree of the whole set as far as the limits allow: its cost if it is below `most`,
    /// its first test (none: a leaf), and a lower bound, which may take until `ending`.
    pub(super) fn root(
        &mut self,
        bits: &[u64],
        (depth, splits): (u16, u16),
        most: f64,
        ending: &Control,
    ) -> Result<(Option<(f64, Option<RankTest>)>, f64), Halt> {
        let splits = Self::usable(depth, splits);
        let leaf = self.rows.errors_of_leaf(bits) + self.penalty;
        let floor = (self.lost(bits) + 2.0 * self.penalty).min(leaf);
        let mut found = (leaf < most - SLACK).then_some((leaf, None));
        let mut best = leaf.min(most);
        if splits == 0 || floor >= best - SLACK {
            return Ok((found, best.min(leaf)));
        }
        let searched = self.view(bits).and_then(|view| {
            let tests = view.tests_by_gini(self.meter.control).map_err(Halt::of)?;
            Ok((view, tests))
        });
        let (view, tests) = match searched {
            Err(Halt::Spent) => return Ok((found, floor)),
            searched => searched?,
        };
        if depth <= 2 || splits <= 2 {
            return match two_levels(&view, self.penalty, depth.min(2), splits, &self.meter) {
                Ok(Some((cost, test))) if cost < best - SLACK => {
                    Ok((Some((cost, Some(test))), cost))
                }
                Ok(_) => Ok((found, best)),
                Err(Halt::Spent) => Ok((found, floor)),
                Err(halt) => Err(halt),
            };
        }
        let below = if depth == FREE { FREE } else { depth - 1 };
        self.meter.control.expect(tests.len() as u64);
        for (i, &test) in tests.iter().enumerate() {
            self.meter.control.advance(u64::from(i > 0));
            let answer = self.meter.look().and_then(|()| {
                let (left, right) = self.divide(bits, test);
                self.sides(&left, &right, depth, splits, best)
            });
            match answer {
                Ok(Some(cost)) => {
                    best = cost;
                    found = Some((cost, Some(test)));
                }
                Ok(None) => {}
                Err(Halt::Cancelled) => return Err(Halt::Cancelled),
                Err(Halt::Spent) => {
                    let mut low = best;
                    for &test in &tests[i..] {
                        match ending.check().map_err(Halt::of) {
                            Err(Halt::Spent) => return Ok((found, floor)),
                            answer => answer?,
                        }
                        let (left, right) = self.divide(bits, test);
                        for (l, r) in shares(below, splits) {
                            let (l, r) = (Self::usable(below, l), Self::usable(below, r));
                            low = low.min(self.low(&left, below, l) + self.low(&right, below, r));
                        }
                    }
                    return Ok((found, low.max(floor)));
                }
            }
        }
        Ok((found, best))
    }

    /// The first test of a tree of cost `cost`, the best one of a set, with splits and cost of both
    /// sides; nothing for a leaf.
    pub(super) fn test(
        &mut self,
        bits: &[u64],
        depth: u16,
        splits: u16,
        (cost, first): (f64, Option<RankTest>),
    ) -> Result<Option<(RankTest, SideCost, SideCost)>, Halt> {
        const NEAR: f64 = 1e3 * SLACK;
        let splits = Self::usable(depth, splits);
        let test = match first {
            Some(test) => test,
            None => {
                self.solve(bits, depth, splits, cost + NEAR)?;
                match self.cache.get(&Self::key(bits, depth, splits)) {
                    Some(k) if k.feature != LEAF => (k.feature, k.rank),
                    _ => return Ok(None),
                }
            }
        };
        let below = if depth == FREE { FREE } else { depth - 1 };
        let (left, right) = self.divide(bits, test);
        for (l, r) in shares(below, splits) {
            let most = cost + NEAR - self.low(&right, below, Self::usable(below, r));
            let of_left = self.solve(&left, below, l, most)?;
            if of_left < most {
                let most = cost + NEAR - of_left;
                let of_right = self.solve(&right, below, r, most)?;
                if of_right < most {
                    return Ok(Some((test, (l, of_left), (r, of_right))));
                }
            }
        }
        Err(Halt::Spent)
    }
}

/// Ways to share the splits that remain after one: all that the sides can use.
fn shares(below: u16, splits: u16) -> Vec<(u16, u16)> {
    if splits == FREE {
        return vec![(FREE, FREE)];
    }
    let each = SparseSearch::usable(below, splits - 1);
    let rest = splits - 1;
    if rest >= each.saturating_mul(2) {
        return vec![(each, each)];
    }
    (rest.saturating_sub(each)..=each.min(rest)).map(|l| (l, rest - l)).collect()
}
