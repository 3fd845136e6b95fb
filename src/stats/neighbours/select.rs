//! Which rows are neighbours, and with what weight: the methods differ in nothing else.
//!
//! A [`Contribution`] lists groups of places that share a weight for each difference, and a
//! constant for all features (the far rows of MultiSURF* count agreements, which are one minus
//! differences). Nothing is sorted but the k neighbours themselves: the k-th distance is found by
//! counting.

use super::Mass;
use super::bands::Distance;
use super::distances::Order;
use super::grid::Grid;
use super::nearest::{Neighbour, NeighbourTies, PlaceGroup, Ranks, ranked};
use crate::error::{Error, Result};
use crate::stats::pairs::PairSetting;
use std::cmp::Ordering;
use std::ops::Range;

/// How misses of several classes are weighed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Multiclass {
    /// Class c weighs `P(c) / (1 - P(own class))` (Kononenko 1994).
    #[default]
    Prior,
    /// By the frequency of the class among the misses picked, as scikit-rebate does; mean distances
    /// then include self-pairs.
    Rebate,
}

/// Metrics of the framework that a single setting can have by streaming.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairMetric {
    /// `sum_m n_m/n sum_c (R[c,1] + R[c,4] - R[c,2] - R[c,3])`.
    Pi,
    /// [`Self::Pi`] without the share of each value.
    PlainPi,
    /// `sum R[.,4]`.
    ContextualMerit,
    /// `sum R[.,4] - R[.,3]`.
    Relief,
}

/// How neighbours are picked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NeighbourMethod {
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
        /// Rows farther than the mean and half a deviation count the other way round (by
        /// agreements).
        star: bool,
    },
    /// All pairs, self-pairs included, under one setting of the framework: what
    /// [`crate::stats::pairs`] gives for all settings at once, for so many features that counts by
    /// distance make no sense. Sums of doubles in row order. Nominal features only.
    Pairs {
        /// Theta, alpha and decay.
        setting: PairSetting,
        /// What is made of R.
        metric: PairMetric,
    },
    /// Contextual merit over the K nearest rows of other classes: `sum diff / D^2` (Hong 1997); a
    /// sum, not a mean.
    Merit {
        /// Number of neighbours.
        k: usize,
        /// Ties at the K-th distance.
        ties: NeighbourTies,
    },
}

impl NeighbourMethod {
    /// Refuse numbers that mean nothing.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
        match *self {
            Self::ReliefF { k: 0, .. } | Self::Merit { k: 0, .. } => Err(Error::parameter(
                "k",
                0,
                "at least one neighbour is needed; a whole number from 1 on",
            )),
            Self::ReliefF { ranks: Ranks::Exponential { sigma }, .. }
                if !(sigma.is_finite() && sigma > 0.0) =>
            {
                Err(Error::parameter(
                    "rank",
                    sigma,
                    "sigma must be positive and finite; without it all neighbours weigh alike",
                ))
            }
            _ => Ok(()),
        }
    }

    /// How many places it chooses.
    pub(super) fn chosen(&self) -> Chosen {
        match *self {
            Self::ReliefF { k, .. } | Self::Merit { k, .. } => Chosen::Nearest(k),
            Self::Surf { star } | Self::MultiSurf { star } => {
                Chosen::Within { sides: 1 + usize::from(star) }
            }
            Self::Pairs { .. } => Chosen::All,
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

/// What one row adds to the scores: `constant + sum over groups of weight * differences`.
#[derive(Debug, Default, Clone)]
pub(super) struct Contribution {
    pub constant: f64,
    /// Weight and members (places) of each group.
    pub groups: Vec<PlaceGroup>,
}

/// How many places a method chooses for a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Chosen {
    /// So many of each class.
    Nearest(usize),
    /// Those nearer than a radius, or these and those farther than another.
    Within { sides: usize },
    /// All.
    All,
}

/// What picking needs to know besides the distances.
pub(super) struct Picker<'a> {
    pub method: NeighbourMethod,
    pub multiclass: Multiclass,
    pub order: &'a Order,
    pub mass: &'a Mass,
    /// Weight of each class.
    pub sizes: Vec<f64>,
    /// Mean distance of all pairs, for SURF.
    pub mean: f64,
    /// When two distances are equal.
    pub grid: Grid,
}

impl<'a> Picker<'a> {
    pub fn new(
        method: NeighbourMethod,
        multiclass: Multiclass,
        order: &'a Order,
        mass: &'a Mass,
        (mean, grid): (f64, Grid),
    ) -> Self {
        let class =
            |w: &[usize]| order.rows[w[0]..w[1]].iter().map(|&row| mass.of(row as usize)).sum();
        let sizes = order.starts.windows(2).map(class).collect();
        Self { method, multiclass, order, mass, sizes, mean, grid }
    }

    /// What a row of its own scores: its share of all.
    pub fn share(&self, row: usize) -> f64 {
        self.mass.of(row) / self.mass.total
    }

    /// Weight of a place as a neighbour of `row`: its copies if it is the row itself.
    fn weight(&self, row: usize, place: usize) -> f64 {
        let other = self.order.rows[place] as usize;
        if other == row { self.mass.copies(row) } else { self.mass.of(other) }
    }

    /// Neighbours of `row` (of class `own`) from its distances by place; the distance to itself is
    /// overwritten.
    pub fn pick<D: Distance>(&self, row: usize, own: usize, distances: &mut [D]) -> Contribution {
        let place = self.order.places[row] as usize;
        let each = self.share(row);
        let mut choice = Contribution::default();
        let band = matches!(self.method, NeighbourMethod::MultiSurf { .. }).then(|| {
            if self.mass.is_unit() {
                D::band(distances, place, self.grid)
            } else {
                let weight = |at| self.weight(row, at);
                D::weighted_band(distances, &weight, self.mass.whole, self.grid)
            }
        });
        if self.mass.copies(row) <= 0.0 {
            distances[place] = D::FAR;
        }
        let distances = &*distances;
        let (tolerance, farthest) = (self.grid.tolerance, D::FAR.value());
        match self.method {
            NeighbourMethod::ReliefF { k, ties, ranks } => {
                let nearest = |class: Range<usize>| {
                    self.nearest(row, &distances[class.clone()], class.start, k, ties, ranks)
                };
                let picked: Vec<Vec<PlaceGroup>> = self.classes().map(nearest).collect();
                self.near(picked, own, each, false, &mut choice);
            }
            NeighbourMethod::Pairs { setting, metric } => {
                self.pairs(distances, own, &setting, metric, &mut choice)
            }
            NeighbourMethod::Merit { k, ties } => {
                let class = self.order.starts[own]..self.order.starts[own + 1];
                let mut others = distances.to_vec();
                others[class].fill(D::FAR);
                let groups = self.nearest(row, &others, 0, k, ties, Ranks::Equal);
                self.merit(row, groups, |place| distances[place as usize].value(), &mut choice);
            }
            NeighbourMethod::Surf { star } => {
                let mean = self.mean;
                let near = self.within(row, distances, |d| d < mean - tolerance);
                self.near(near, own, each, false, &mut choice);
                if star {
                    let far = self.within(row, distances, |d| d > mean + tolerance && d < farthest);
                    self.near(far, own, -each, false, &mut choice);
                }
            }
            NeighbourMethod::MultiSurf { star } => {
                let (low, high) = band.unwrap_or_default();
                let (low, high) = (low - tolerance, high + tolerance);
                let near = self.within(row, distances, |d| d < low);
                self.near(near, own, each, false, &mut choice);
                if star {
                    let far = self.within(row, distances, |d| d > high && d < farthest);
                    self.near(far, own, each, true, &mut choice);
                }
            }
        }
        choice
    }

    fn classes(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.order.starts.windows(2).map(|w| w[0]..w[1])
    }

    /// The k nearest of the places from `first` on that are not [`Distance::FAR`].
    fn nearest<D: Distance>(
        &self,
        row: usize,
        of: &[D],
        first: usize,
        k: usize,
        ties: NeighbourTies,
        ranks: Ranks,
    ) -> Vec<PlaceGroup> {
        let there = of.iter().filter(|d| **d < D::FAR).count();
        if there == 0 {
            return Vec::new();
        }
        // with weights of at least one, the k nearest places hold the k nearest copies
        let limit = if self.mass.whole { D::kth(of, k.min(there)) } else { D::kth(of, there) };
        let mut kept: Vec<Neighbour<D>> = of
            .iter()
            .enumerate()
            .filter(|(_, d)| d.within(limit, self.grid.tolerance) && **d < D::FAR)
            .map(|(at, &distance)| Neighbour {
                distance,
                place: (first + at) as u32,
                weight: self.weight(row, first + at),
            })
            .collect();
        self.sort(&mut kept);
        ranked(&kept, k as f64, ties, ranks)
    }

    /// Nearest first, then by row number; equal distances become the same number.
    pub fn sort<D: Distance>(&self, kept: &mut [Neighbour<D>]) {
        let row = |near: &Neighbour<D>| self.order.given[near.place as usize];
        kept.sort_unstable_by(|a, b| {
            let by_distance = a.distance.partial_cmp(&b.distance);
            by_distance.unwrap_or(Ordering::Equal).then_with(|| row(a).cmp(&row(b)))
        });
        let tolerance = self.grid.tolerance;
        if tolerance > 0.0 {
            let tied =
                |a: &Neighbour<D>, b: &Neighbour<D>| b.distance.within(a.distance, tolerance);
            for tied in kept.chunk_by_mut(tied) {
                let first = tied[0].distance;
                tied.iter_mut().for_each(|near| near.distance = first);
                tied.sort_unstable_by_key(row);
            }
        }
    }

    /// Places of each class whose distance passes.
    fn within<D: Distance>(
        &self,
        row: usize,
        distances: &[D],
        test: impl Fn(f64) -> bool,
    ) -> Vec<Vec<PlaceGroup>> {
        let pass = |class: Range<usize>| {
            let mut members = vec![0u32; class.len()];
            let mut used = 0;
            for at in class {
                members[used] = at as u32;
                used += usize::from(test(distances[at].value()));
            }
            members.truncate(used);
            if members.is_empty() {
                return Vec::new();
            }
            if self.mass.is_unit() {
                return vec![(1.0, members)];
            }
            let weight = |place: &u32| self.weight(row, *place as usize);
            members.sort_by(|a, b| weight(a).total_cmp(&weight(b)));
            members
                .chunk_by(|a, b| weight(a) == weight(b))
                .map(|g| (weight(&g[0]), g.to_vec()))
                .collect()
        };
        self.classes().map(pass).collect()
    }

    /// Weight of the mean difference to each class, by the weights of the neighbours picked of it.
    pub fn of_classes(&self, totals: &[f64], own: usize) -> Vec<f64> {
        let misses: f64 =
            totals.iter().enumerate().filter(|(c, _)| *c != own).map(|(_, t)| t).sum();
        let all: f64 = self.sizes.iter().sum();
        let there = |(c, s): &(usize, &f64)| *c != own && **s > 0.0;
        let others = self.sizes.iter().enumerate().filter(there).count() as f64;
        let weight = |c: usize| match self.multiclass {
            _ if totals[c] <= 0.0 => 0.0,
            _ if c == own => -1.0,
            Multiclass::Prior => self.sizes[c] / (all - self.sizes[own]),
            Multiclass::Rebate => (totals[c] / misses).powi(2) * others,
        };
        (0..totals.len()).map(weight).collect()
    }

    /// Hits count against, misses for a feature, both as means; `agreements` instead of differences
    /// for the far rows of MultiSURF*.
    pub fn near(
        &self,
        picked: Vec<Vec<PlaceGroup>>,
        own: usize,
        scale: f64,
        agreements: bool,
        choice: &mut Contribution,
    ) {
        let total =
            |groups: &Vec<PlaceGroup>| groups.iter().map(|(w, m)| w * m.len() as f64).sum::<f64>();
        let totals: Vec<f64> = picked.iter().map(total).collect();
        let of_classes = self.of_classes(&totals, own);
        for (c, groups) in picked.into_iter().enumerate() {
            if totals[c] <= 0.0 {
                continue;
            }
            let each = scale * of_classes[c] / totals[c];
            if agreements {
                choice.constant += scale * of_classes[c];
            }
            let each = if agreements { -each } else { each };
            choice.groups.extend(groups.into_iter().map(|(w, m)| (each * w, m)));
        }
    }

    /// Neighbours of other classes weigh by the inverse square of their distance.
    pub fn merit(
        &self,
        row: usize,
        groups: Vec<PlaceGroup>,
        distance: impl Fn(u32) -> f64,
        choice: &mut Contribution,
    ) {
        for (weight, members) in groups {
            for place in members {
                let d = distance(place);
                if d > self.grid.tolerance {
                    let weight = self.mass.of(row) * weight / (d * d);
                    match choice.groups.last_mut() {
                        Some((w, group)) if *w == weight => group.push(place),
                        _ => choice.groups.push((weight, vec![place])),
                    }
                }
            }
        }
    }

    /// Rows of each class in groups of one distance; agreements are a constant less differences.
    fn pairs<D: Distance>(
        &self,
        distances: &[D],
        own: usize,
        s: &PairSetting,
        metric: PairMetric,
        choice: &mut Contribution,
    ) {
        let theta = s.theta();
        let pi = matches!(metric, PairMetric::Pi | PairMetric::PlainPi);
        let merit = metric == PairMetric::ContextualMerit;
        if pi {
            choice.constant += theta[0] * s.weight(0); // the self-pair
        }
        for (c, class) in self.classes().enumerate() {
            let mut places: Vec<u32> =
                class.map(|at| at as u32).filter(|&at| distances[at as usize] < D::FAR).collect();
            let of = |at: &u32| distances[*at as usize];
            places.sort_by(|a, b| of(a).partial_cmp(&of(b)).unwrap_or(Ordering::Equal));
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
}
