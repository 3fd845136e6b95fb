//! Which rows are neighbours, and with what weight: the methods differ in nothing else.
//!
//! A [`Choice`] lists groups of places that share a weight for each difference, and a constant for all features (the
//! far rows of MultiSURF* count agreements, which are one minus differences). Nothing is sorted but the k neighbours themselves:
//! the k-th distance is found by counting.

use super::distances::Order;
use crate::error::{Error, Result};
use crate::stats::pairs::Setting;
use std::ops::Range;

/// How misses of several classes are weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Multiclass {
    /// Class c weighs `P(c) / (1 - P(own class))` (Kononenko 1994).
    #[default]
    Prior,
    /// By the frequency of the class among the misses picked, as scikit-rebate does; mean distances then include self-pairs.
    Rebate,
}

/// What happens to rows tied at the k-th distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NeighbourTies {
    /// They share the weight that is left.
    #[default]
    Share,
    /// Those with lower row numbers are taken.
    First,
}

/// Weight of the neighbours by rank.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Ranks {
    /// All alike.
    #[default]
    Equal,
    /// `exp(-(rank / sigma)^2)`, rank from 1 (Robnik-Sikonja & Kononenko 2003).
    Exponential {
        /// Rank at which the weight has fallen to 1/e.
        sigma: f64,
    },
}

/// Metrics of the framework that a single setting can have by streaming.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairMetric {
    /// `sum_m n_m/n sum_c (R[c,1] + R[c,4] - R[c,2] - R[c,3])`.
    Pi,
    /// `sum R[.,4]`.
    ContextualMerit,
    /// `sum R[.,4] - R[.,3]`.
    Relief,
}

/// How neighbours are picked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// The k nearest hits, and the k nearest misses of each class.
    ReliefF {
        /// Number of neighbours.
        k: usize,
        /// Ties at the k-th distance.
        ties: NeighbourTies,
        /// Weights by rank.
        ranks: Ranks,
    },
    /// All rows nearer than the mean distance of all pairs.
    Surf {
        /// Rows farther than the mean count the other way round.
        star: bool,
    },
    /// All rows nearer than the mean distance of the row less half a standard deviation.
    MultiSurf {
        /// Rows farther than the mean and half a deviation count the other way round (by agreements).
        star: bool,
    },
    /// All pairs, self-pairs included, under one setting of the framework: what [`crate::stats::pairs`] gives for all settings at
    /// once, for so many features that counts by distance make no sense. Sums of doubles in row order. Nominal features only.
    Pairs {
        /// Theta, alpha and decay.
        setting: Setting,
        /// What is made of R.
        metric: PairMetric,
    },
    /// Contextual merit over the K nearest rows of other classes: `sum diff / D^2` (Hong 1997); a sum, not a mean.
    Merit {
        /// Number of neighbours.
        k: usize,
        /// Ties at the K-th distance.
        ties: NeighbourTies,
    },
}

impl Method {
    /// Refuse numbers that mean nothing.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        match *self {
            Self::ReliefF { k: 0, .. } | Self::Merit { k: 0, .. } => {
                Err(Error::parameter("k", 0, "at least one neighbour is needed"))
            }
            Self::ReliefF { ranks: Ranks::Exponential { sigma }, .. }
                if !(sigma.is_finite() && sigma > 0.0) =>
            {
                Err(Error::parameter("sigma", sigma, "sigma must be positive and finite"))
            }
            _ => Ok(()),
        }
    }

    /// True if what a row adds to a feature is weighed by the share of its value.
    pub(super) fn by_share(&self) -> bool {
        matches!(self, Self::Pairs { metric: PairMetric::Pi, .. })
    }

    /// True if the mean distance of all pairs is needed before any row.
    pub(super) fn needs_mean(&self) -> bool {
        matches!(self, Self::Surf { .. })
    }
}

/// A distance that can be counted and averaged.
pub(super) trait Distance: Copy + PartialOrd + Send + Sync {
    /// Farther than any row.
    const FAR: Self;
    fn value(self) -> f64;
    /// The k-th smallest (from 1) of a slice that has at least k.
    fn kth(of: &[Self], k: usize) -> Self;
    /// Mean distance to the others less, and plus, half a standard deviation. `own` stands for the row itself.
    fn band(of: &[Self], own: usize) -> (f64, f64);
}

impl Distance for i32 {
    const FAR: Self = i32::MAX;
    fn value(self) -> f64 {
        f64::from(self)
    }
    fn kth(of: &[Self], k: usize) -> Self {
        let (mut low, mut high) = of.iter().fold((i32::MAX, 0), |(a, b), &d| (a.min(d), b.max(d)));
        while low < high {
            let middle = low + (high - low) / 2;
            let within: i32 = of.iter().map(|&d| i32::from(d <= middle)).sum();
            if within as usize >= k {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
    /// Exact: the bounds lie between whole numbers, so that no rounding decides about a row.
    fn band(of: &[Self], own: usize) -> (f64, f64) {
        let (mut sum, mut squares) = (0i128, 0i128);
        for part in of.chunks(1 << 16) {
            // at most 2^16 numbers below 2^24: the squares fit 64 bits
            let (s, q) = part
                .iter()
                .fold((0i64, 0i64), |(s, q), &d| (s + i64::from(d), q + i64::from(d) * i64::from(d)));
            sum += i128::from(s);
            squares += i128::from(q);
        }
        let d = i128::from(of[own]);
        let others = of.len() as i128 - 1;
        (sum, squares) = (sum - d, squares - d * d);
        // d is nearer than the mean less half a deviation: others * d < sum and 4 (sum - others d)^2 > others * squares - sum^2
        let spread = others * squares - sum * sum;
        let beyond = |gap: i128| gap > 0 && 4 * gap * gap > spread;
        let mean = sum as f64 / others.max(1) as f64;
        let half = (spread.max(0) as f64).sqrt() / others.max(1) as f64 / 2.0;
        let mut near = (mean - half).ceil() as i128 + 1;
        while near >= 0 && !beyond(sum - others * near) {
            near -= 1;
        }
        let mut far = (mean + half).floor() as i128 - 1;
        while others > 0 && !beyond(others * far - sum) {
            far += 1;
        }
        (near as f64 + 0.5, far as f64 - 0.5)
    }
}

impl Distance for f64 {
    const FAR: Self = f64::INFINITY;
    fn value(self) -> f64 {
        self
    }
    fn kth(of: &[Self], k: usize) -> Self {
        let mut copy = of.to_vec();
        *copy.select_nth_unstable_by(k - 1, f64::total_cmp).1
    }
    fn band(of: &[Self], own: usize) -> (f64, f64) {
        let others = (of.len() as f64 - 1.0).max(1.0);
        let but_own = || of.iter().enumerate().filter(|(at, _)| *at != own).map(|(_, d)| *d);
        let mean = but_own().sum::<f64>() / others;
        let half = (but_own().map(|d| (d - mean) * (d - mean)).sum::<f64>() / others).sqrt() / 2.0;
        (mean - half, mean + half)
    }
}

/// What one row adds to the scores: `constant + sum over groups of weight * differences`.
#[derive(Debug, Default, Clone)]
pub(super) struct Choice {
    pub constant: f64,
    /// Weight and members (places) of each group.
    pub groups: Vec<Group>,
}

/// Places that share a weight.
pub(super) type Group = (f64, Vec<u32>);

/// What picking needs to know besides the distances.
pub(super) struct Picker<'a> {
    pub method: Method,
    pub multiclass: Multiclass,
    pub order: &'a Order,
    /// Mean distance of all pairs, for SURF.
    pub mean: f64,
}

impl Picker<'_> {
    /// Neighbours of `row` (of class `own`) from its distances by place; the distance to itself is overwritten.
    pub fn pick<D: Distance>(&self, row: usize, own: usize, distances: &mut [D]) -> Choice {
        let place = self.order.places[row] as usize;
        let each = 1.0 / distances.len() as f64;
        let mut choice = Choice::default();
        let band = matches!(self.method, Method::MultiSurf { .. }).then(|| D::band(distances, place));
        distances[place] = D::FAR;
        let distances = &*distances;
        match self.method {
            Method::ReliefF { k, ties, ranks } => {
                let nearest = |(c, class): (usize, Range<usize>)| {
                    let others = class.len() - usize::from(c == own);
                    nearest(&distances[class.clone()], class.start, k.min(others), ties, ranks)
                };
                let picked: Vec<Vec<Group>> = self.classes().enumerate().map(nearest).collect();
                self.near(&picked, own, each, false, &mut choice);
            }
            Method::Pairs { setting, metric } => self.pairs(distances, own, &setting, metric, &mut choice),
            Method::Merit { k, ties } => self.merit(distances, own, k, ties, &mut choice),
            Method::Surf { star } => {
                let mean = self.mean;
                self.near(&self.within(distances, |d| d < mean), own, each, false, &mut choice);
                if star {
                    let far = self.within(distances, |d| d > mean && d < D::FAR.value());
                    self.near(&far, own, -each, false, &mut choice);
                }
            }
            Method::MultiSurf { star } => {
                let (low, high) = band.unwrap_or_default();
                self.near(&self.within(distances, |d| d < low), own, each, false, &mut choice);
                if star {
                    let far = self.within(distances, |d| d > high && d < D::FAR.value());
                    self.near(&far, own, each, true, &mut choice);
                }
            }
        }
        choice
    }

    fn classes(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.order.starts.windows(2).map(|w| w[0]..w[1])
    }

    /// Places of each class whose distance passes.
    fn within<D: Distance>(&self, distances: &[D], test: impl Fn(f64) -> bool) -> Vec<Vec<Group>> {
        let pass = |class: Range<usize>| {
            let mut members = vec![0u32; class.len()];
            let mut used = 0;
            for at in class {
                members[used] = at as u32;
                used += usize::from(test(distances[at].value()));
            }
            members.truncate(used);
            if members.is_empty() { Vec::new() } else { vec![(1.0, members)] }
        };
        self.classes().map(pass).collect()
    }

    /// Hits count against, misses for a feature, both as means; `agreements` instead of differences for the far rows of MultiSURF*.
    fn near(&self, picked: &[Vec<Group>], own: usize, scale: f64, agreements: bool, choice: &mut Choice) {
        let total = |groups: &Vec<Group>| groups.iter().map(|(w, m)| w * m.len() as f64).sum::<f64>();
        let totals: Vec<f64> = picked.iter().map(total).collect();
        let misses: f64 = totals.iter().enumerate().filter(|(c, _)| *c != own).map(|(_, t)| t).sum();
        let sizes: Vec<f64> = self.classes().map(|c| c.len() as f64).collect();
        let all: f64 = sizes.iter().sum();
        let other_classes = sizes.iter().enumerate().filter(|(c, s)| *c != own && **s > 0.0).count() as f64;
        for (c, groups) in picked.iter().enumerate() {
            if totals[c] <= 0.0 {
                continue;
            }
            // weight of the mean difference to this class
            let of_class = if c == own {
                -1.0
            } else {
                match self.multiclass {
                    Multiclass::Prior => sizes[c] / (all - sizes[own]),
                    Multiclass::Rebate => (totals[c] / misses).powi(2) * other_classes,
                }
            };
            let each = scale * of_class / totals[c];
            if agreements {
                choice.constant += scale * of_class;
            }
            let each = if agreements { -each } else { each };
            choice.groups.extend(groups.iter().map(|(w, m)| (each * w, m.clone())));
        }
    }

    /// Rows of each class in groups of one distance; agreements are a constant less differences.
    fn pairs<D: Distance>(
        &self,
        distances: &[D],
        own: usize,
        s: &Setting,
        metric: PairMetric,
        choice: &mut Choice,
    ) {
        let theta = s.theta();
        let (pi, merit) = (metric == PairMetric::Pi, metric == PairMetric::ContextualMerit);
        if pi {
            choice.constant += theta[0] * s.weight(0); // the self-pair
        }
        for (c, class) in self.classes().enumerate() {
            let mut places: Vec<u32> =
                class.map(|at| at as u32).filter(|&at| distances[at as usize] < D::FAR).collect();
            let of = |at: &u32| distances[*at as usize];
            places.sort_by(|a, b| of(a).partial_cmp(&of(b)).unwrap_or(std::cmp::Ordering::Equal));
            let (agree, differ) = match (c == own, pi) {
                (true, true) => (theta[0], -(theta[0] + theta[2])),
                (false, true) => (-theta[1], theta[1] + theta[3]),
                (true, false) => (0.0, if merit { 0.0 } else { -theta[2] }),
                (false, false) => (0.0, theta[3]),
            };
            for group in places.chunk_by(|a, b| of(a) == of(b)) {
                let weight = s.weight(of(&group[0]).value() as usize);
                choice.constant += agree * weight * group.len() as f64;
                if weight * differ != 0.0 {
                    choice.groups.push((weight * differ, group.to_vec()));
                }
            }
        }
    }

    fn merit<D: Distance>(
        &self,
        distances: &[D],
        own: usize,
        k: usize,
        ties: NeighbourTies,
        choice: &mut Choice,
    ) {
        let class = self.order.starts[own]..self.order.starts[own + 1];
        let mut others = distances.to_vec();
        others[class.clone()].fill(D::FAR);
        let take = k.min(distances.len() - class.len());
        for (weight, members) in nearest(&others, 0, take, ties, Ranks::Equal) {
            // groups are by distance only where weights differ: take them apart
            for place in members {
                let d = distances[place as usize].value();
                if d > 0.0 {
                    choice.groups.push((weight / (d * d), vec![place]));
                }
            }
        }
    }
}

/// The k nearest of some places (k of them at least are there) in groups of equal weight, nearest first; ties are told apart by
/// place, which is row order within a class.
fn nearest<D: Distance>(of: &[D], first: usize, k: usize, ties: NeighbourTies, ranks: Ranks) -> Vec<Group> {
    if k == 0 {
        return Vec::new();
    }
    let limit = D::kth(of, k);
    let mut kept: Vec<(D, u32)> = Vec::with_capacity(2 * k);
    kept.extend(of.iter().enumerate().filter(|(_, d)| **d <= limit).map(|(at, &d)| (d, (first + at) as u32)));
    kept.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal));
    let rank = |r: usize| match ranks {
        Ranks::Equal => 1.0,
        Ranks::Exponential { sigma } => (-((r + 1) as f64 / sigma).powi(2)).exp(),
    };
    let mut out: Vec<Group> = Vec::new();
    let mut add = |weight: f64, place: u32| match out.last_mut() {
        Some((w, group)) if *w == weight => group.push(place),
        _ => out.push((weight, vec![place])),
    };
    let mut begin = 0;
    while begin < k {
        let tied = kept[begin..].iter().take_while(|m| m.0 == kept[begin].0).count();
        let end = begin + tied;
        match ties {
            NeighbourTies::First => (begin..end.min(k)).for_each(|r| add(rank(r), kept[r].1)),
            NeighbourTies::Share => {
                let share = (begin..end.min(k)).map(rank).sum::<f64>() / tied as f64;
                kept[begin..end].iter().for_each(|m| add(share, m.1));
            }
        }
        begin = end;
    }
    out
}
