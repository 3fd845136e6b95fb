//! Picks the neighbours of a row from its distances, and weighs them.
//!
//! This is the only place where the methods (ReliefF, SURF, MultiSURF, ...) differ. The result is a
//! [`Contribution`]: groups of places, each with a weight per difference, and a constant for all
//! features (the far rows of MultiSURF* count agreements, which are one minus differences). Cost:
//! O(rows) per row, because the k-th distance is found by counting or selection; only the k
//! neighbours themselves are sorted. [`score`](super::score) and [`genotypes`](super::genotypes)
//! call [`Picker::pick`]; [`narrow`](super::narrow) finds the neighbours by itself and uses the
//! weights.

use super::columns::MissingGap;
use super::distances::Order;
use super::grid::Grid;
use super::nearest::{Neighbour, NeighbourTies, PlaceGroup, Ranks, listed, push_place, ranked};
use super::rows::{CheckedWeights, NeighbourRows};
use super::thresholds::{Distance, RadiusThresholds};
use crate::error::{Error, Result, unsupported};
use crate::numeric::sort_few;
use crate::stats::pairs::{PairMetric, PairSetting};
use serde::Deserialize;
use std::cmp::Ordering;
use std::ops::Range;

/// The weighting of misses of different classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Multiclass {
    /// Class c weighs `P(c) / (1 - P(own class))` (Kononenko 1994).
    #[default]
    Prior,
    /// By the frequency of the class among the misses picked, as scikit-rebate does; mean distances
    /// then include self-pairs.
    Rebate,
}

/// The rule that picks neighbours.
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
    /// The k nearest rows, each weighed by its difference in a numeric target
    /// ([`Picker::add_by_target`]).
    RReliefF {
        /// Number of neighbours.
        k: usize,
        /// Ties at the k-th distance.
        ties: NeighbourTies,
        /// Weights by rank.
        ranks: Ranks,
        /// Differences of missing cells.
        gap: MissingGap,
    },
    /// All rows nearer than the mean distance of all pairs.
    Surf {
        /// SURF*: rows farther than the mean count with the opposite sign.
        star: bool,
    },
    /// All rows nearer than the mean distance of the row minus half a standard deviation.
    MultiSurf {
        /// MultiSURF*: rows farther than the mean plus half a standard deviation count by
        /// agreements, with the opposite sign.
        star: bool,
    },
    /// All pairs of rows, self-pairs included, under one setting. [`crate::stats::pairs`] scores
    /// all settings at once, but its counts by distance do not fit the memory for as many features
    /// as this search takes. Complete nominal features only.
    Pairs {
        /// Theta, alpha and decay.
        setting: PairSetting,
        /// The metric.
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
    /// Check the parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`] for k = 0, or a sigma that is not positive and finite.
    pub fn check(&self) -> Result<()> {
        match *self {
            Self::ReliefF { k: 0, .. } | Self::RReliefF { k: 0, .. } | Self::Merit { k: 0, .. } => {
                Err(Error::parameter(
                    "k",
                    0,
                    "at least one neighbour is needed; a whole number from 1 on",
                ))
            }
            Self::ReliefF { ranks: Ranks::Exponential { sigma }, .. }
            | Self::RReliefF {
                ranks: Ranks::Exponential { sigma } | Ranks::FromZero { sigma },
                ..
            } if !(sigma.is_finite() && sigma > 0.0) => Err(Error::parameter(
                "rank",
                sigma,
                "sigma must be positive and finite; without it all neighbours weigh alike",
            )),
            _ => Ok(()),
        }
    }

    /// The number of places that the method picks per row.
    pub(super) fn picks(&self) -> Picks {
        match *self {
            Self::ReliefF { k, .. } | Self::Merit { k, .. } => Picks::Nearest(k),
            Self::RReliefF { k, .. } => Picks::Weighed(k),
            Self::Surf { star } | Self::MultiSurf { star } => {
                Picks::Within { sides: 1 + usize::from(star) }
            }
            Self::Pairs { .. } => Picks::All,
        }
    }

    /// Whether what a row adds to a feature is weighted by the share of its value.
    pub(super) fn by_share(&self) -> bool {
        matches!(self, Self::Pairs { metric: PairMetric::Pi, .. })
    }

    /// Whether the method reads a numeric target, not classes.
    pub(super) fn reads_numbers(&self) -> bool {
        matches!(self, Self::RReliefF { .. })
    }

    /// The difference of two cells where one of them is missing, or both.
    pub(super) fn gap(&self) -> MissingGap {
        match *self {
            Self::RReliefF { gap, .. } => gap,
            _ => MissingGap::Expected,
        }
    }

    /// Refuse rows that the method does not serve.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for classes where it reads a number or the other way round, and for
    /// columns or weights that it does not take.
    pub(super) fn admit(&self, rows: &NeighbourRows<'_>) -> Result<()> {
        let (what, supported) = match *self {
            _ if self.reads_numbers() == rows.numbers.is_empty() && !rows.is_empty() => {
                ("neighbours by one kind of target in rows with the other", "its own kind")
            }
            Self::RReliefF { ties: NeighbourTies::Listed, .. } if !rows.mass.is_unit() => (
                "RReliefF(variant='weka') with weights of rows, which Weka does not read",
                "no weights, or variant='paper'",
            ),
            Self::Pairs { .. } if !(rows.others.is_empty() && rows.mass.is_unit()) => (
                "one setting of a pair criterion over streamed columns with weights, or with \
                 numeric or missing cells",
                "complete nominal columns that count once; the pass in fixed point \
                 (precision='fixed') takes the others",
            ),
            _ => return Ok(()),
        };
        unsupported(what, supported)
    }

    /// Whether the mean distance of all pairs is needed before neighbours are picked.
    pub(super) fn needs_mean(&self) -> bool {
        matches!(self, Self::Surf { .. })
    }
}

/// What one row adds to the score of each feature:
/// `constant + sum over groups of weight * sum over places of the difference`.
#[derive(Debug, Default, Clone)]
pub(super) struct Contribution {
    pub constant: f64,
    pub groups: Vec<PlaceGroup>,
}

/// The term that is averaged over neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NeighbourTerm {
    /// The difference in each feature.
    Differences,
    /// One minus the difference.
    Agreements,
}

/// The number of places that a method picks per row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Picks {
    /// At most this many of each class.
    Nearest(usize),
    /// At most this many, each with a weight of its own.
    Weighed(usize),
    /// Those nearer than a radius (one side), and those farther than another (two sides).
    Within { sides: usize },
    /// All.
    All,
}

/// Picks and weighs neighbours; shared by all rows.
pub(super) struct Picker<'a> {
    pub method: NeighbourMethod,
    pub multiclass: Multiclass,
    pub order: &'a Order,
    pub mass: &'a CheckedWeights,
    /// Sum of the weights of the rows of each class.
    pub class_weights: Vec<f64>,
    /// Mean distance of all pairs for SURF, mean difference of neighbours in the target for
    /// RReliefF, else 0.
    pub mean: f64,
    /// Numbers of the rows, where the target is one.
    pub numbers: &'a [f64],
    /// Decides when two distances are equal.
    pub grid: Grid,
}

impl<'a> Picker<'a> {
    /// `mean` is the mean distance of all pairs, if [`NeighbourMethod::needs_mean`]. The target
    /// has classes.
    pub fn new(
        method: NeighbourMethod,
        multiclass: Multiclass,
        order: &'a Order,
        mass: &'a CheckedWeights,
        mean: f64,
        grid: Grid,
    ) -> Self {
        let class_weight = |class: &[usize]| {
            order.rows[class[0]..class[1]].iter().map(|&row| mass.weight(row as usize)).sum()
        };
        let class_weights = order.starts.windows(2).map(class_weight).collect();
        Self { method, multiclass, order, mass, class_weights, mean, numbers: &[], grid }
    }

    /// Weight of a row relative to all rows. Most methods multiply what a row adds to the scores by
    /// it, so that scores are means over rows.
    pub fn share(&self, row: usize) -> f64 {
        self.mass.weight(row) / self.mass.total
    }

    /// Weight of a place as a neighbour of `row`. The row itself weighs as much as its other
    /// copies.
    fn weight(&self, row: usize, place: usize) -> f64 {
        let other = self.order.rows[place] as usize;
        if other == row { self.mass.copies(row) } else { self.mass.weight(other) }
    }

    /// Neighbours of `row`, whose class is `own`, from its distances by place. The distance to the
    /// row itself is overwritten.
    pub fn pick<D: Distance>(&self, row: usize, own: usize, distances: &mut [D]) -> Contribution {
        let place = self.order.places[row] as usize;
        let share = self.share(row);
        let mut contribution = Contribution::default();
        // MultiSURF's thresholds come first: they need the distance of the row to itself
        let thresholds = match self.method {
            NeighbourMethod::MultiSurf { .. } if self.mass.is_unit() => {
                D::thresholds(distances, place, self.grid)
            }
            NeighbourMethod::MultiSurf { .. } => {
                D::weighted_thresholds(distances, &|at| self.weight(row, at), self.mass.whole)
            }
            _ => RadiusThresholds::default(),
        };
        // a row is a neighbour of itself only if it has further copies
        if self.mass.copies(row) <= 0.0 {
            distances[place] = D::EXCLUDED;
        }
        let distances = &*distances;
        let (tolerance, excluded) = (self.grid.tolerance, D::EXCLUDED.value());
        match self.method {
            NeighbourMethod::ReliefF { k, ties, ranks } => {
                let nearest = |class: Range<usize>| {
                    self.nearest(row, &distances[class.clone()], class.start, k, ties, ranks)
                };
                let by_class: Vec<Vec<PlaceGroup>> = self.classes().map(nearest).collect();
                self.add_means(by_class, own, share, NeighbourTerm::Differences, &mut contribution);
            }
            NeighbourMethod::RReliefF { k, ties: NeighbourTies::Listed, ranks, .. } => {
                let groups = self.listed(distances, k, ranks);
                self.add_by_target(row, groups, &mut contribution);
            }
            NeighbourMethod::RReliefF { k, ties, ranks, .. } => {
                let groups = self.nearest(row, distances, 0, k, ties, ranks);
                self.add_by_target(row, groups, &mut contribution);
            }
            NeighbourMethod::Pairs { setting, metric } => {
                self.add_pairs(distances, own, &setting, metric, &mut contribution)
            }
            NeighbourMethod::Merit { k, ties } => {
                // the k nearest rows of all other classes together
                let own_class = self.order.starts[own]..self.order.starts[own + 1];
                let mut misses = distances.to_vec();
                misses[own_class].fill(D::EXCLUDED);
                let groups = self.nearest(row, &misses, 0, k, ties, Ranks::Equal);
                let distance = |place| distances[place as usize].value();
                self.add_merit(row, groups, distance, &mut contribution);
            }
            NeighbourMethod::Surf { star } => {
                let mean = self.mean;
                let near = self.within(row, distances, [f64::NEG_INFINITY, mean - tolerance]);
                self.add_means(near, own, share, NeighbourTerm::Differences, &mut contribution);
                if star {
                    let far = self.within(row, distances, [mean + tolerance, excluded]);
                    self.add_means(far, own, -share, NeighbourTerm::Differences, &mut contribution);
                }
            }
            NeighbourMethod::MultiSurf { star } => {
                let (low, high) = (thresholds.near - tolerance, thresholds.far + tolerance);
                let near = self.within(row, distances, [f64::NEG_INFINITY, low]);
                self.add_means(near, own, share, NeighbourTerm::Differences, &mut contribution);
                if star {
                    let far = self.within(row, distances, [high, excluded]);
                    self.add_means(far, own, share, NeighbourTerm::Agreements, &mut contribution);
                }
            }
        }
        contribution
    }

    /// The places of each class.
    fn classes(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.order.starts.windows(2).map(|w| w[0]..w[1])
    }

    /// The k nearest places, of those from `first` on whose distances are given and not
    /// [`Distance::EXCLUDED`].
    fn nearest<D: Distance>(
        &self,
        row: usize,
        distances: &[D],
        first: usize,
        k: usize,
        ties: NeighbourTies,
        ranks: Ranks,
    ) -> Vec<PlaceGroup> {
        let candidates = distances.iter().filter(|d| **d < D::EXCLUDED).count();
        if candidates == 0 {
            return Vec::new();
        }
        // whole weights are at least 1, so the k nearest places hold the k nearest copies; with
        // importances below 1 it may take more places
        let places = if self.mass.whole { k.min(candidates) } else { candidates };
        let limit = D::kth(distances, places);
        let mut kept: Vec<Neighbour<D>> = distances
            .iter()
            .enumerate()
            .filter(|(_, d)| d.within(limit, self.grid.tolerance) && **d < D::EXCLUDED)
            .map(|(at, &distance)| Neighbour {
                distance,
                place: (first + at) as u32,
                weight: self.weight(row, first + at),
            })
            .collect();
        self.sort(&mut kept);
        ranked(&kept, k as f64, ties, ranks)
    }

    /// The k nearest places as a [`listed`] search finds them, for rows that count once.
    fn listed<D: Distance>(&self, distances: &[D], k: usize, ranks: Ranks) -> Vec<PlaceGroup> {
        let candidates = (0..distances.len()).filter(|&at| distances[at] < D::EXCLUDED);
        let places = self.by_number(candidates.collect());
        let in_order = places.iter().map(|&at| distances[at].value());
        let mut kept: Vec<Neighbour<D>> = listed(in_order, k, self.grid.tolerance)
            .into_iter()
            .map(|at| Neighbour {
                distance: distances[places[at]],
                place: places[at] as u32,
                weight: 1.0,
            })
            .collect();
        // stable: rows at one distance stay in the order of the list
        sort_few(&mut kept, &|a, b| a.distance.partial_cmp(&b.distance).unwrap_or(Ordering::Equal));
        ranked(&kept, k as f64, NeighbourTies::Listed, ranks)
    }

    /// Some places in the order of their row numbers.
    fn by_number(&self, mut places: Vec<usize>) -> Vec<usize> {
        places.sort_unstable_by_key(|&at| self.order.given[at]);
        places
    }

    /// Sort by distance, then by row number. Distances within the tolerance of the first of a run
    /// are equal and become the same number.
    pub fn sort<D: Distance>(&self, kept: &mut [Neighbour<D>]) {
        let row = |neighbour: &Neighbour<D>| self.order.given[neighbour.place as usize];
        kept.sort_unstable_by(|a, b| {
            let by_distance = a.distance.partial_cmp(&b.distance);
            by_distance.unwrap_or(Ordering::Equal).then_with(|| row(a).cmp(&row(b)))
        });
        let tolerance = self.grid.tolerance;
        if tolerance > 0.0 {
            let tied =
                |a: &Neighbour<D>, b: &Neighbour<D>| b.distance.within(a.distance, tolerance);
            for run in kept.chunk_by_mut(tied) {
                let first = run[0].distance;
                run.iter_mut().for_each(|neighbour| neighbour.distance = first);
                sort_few(run, &|a, b| row(a).cmp(&row(b)));
            }
        }
    }

    /// The places of each class whose distance lies between two others, grouped by weight.
    fn within<D: Distance>(
        &self,
        row: usize,
        distances: &[D],
        [above, below]: [f64; 2],
    ) -> Vec<Vec<PlaceGroup>> {
        let passing = |class: Range<usize>| {
            // every place is written, and kept by moving on: no branch per place
            let mut places = vec![0u32; class.len()];
            let mut used = 0;
            for at in class {
                places[used] = at as u32;
                let distance = distances[at].value();
                used += usize::from((above < distance) & (distance < below));
            }
            places.truncate(used);
            self.by_weight(row, places)
        };
        self.classes().map(passing).collect()
    }

    /// Neighbours of `row`, grouped by weight.
    fn by_weight(&self, row: usize, mut places: Vec<u32>) -> Vec<PlaceGroup> {
        if places.is_empty() {
            return Vec::new();
        }
        if self.mass.is_unit() {
            return vec![PlaceGroup { weight: 1.0, places }];
        }
        let weight = |place: &u32| self.weight(row, *place as usize);
        places.sort_by(|a, b| weight(a).total_cmp(&weight(b)));
        places
            .chunk_by(|a, b| weight(a) == weight(b))
            .map(|equal| PlaceGroup { weight: weight(&equal[0]), places: equal.to_vec() })
            .collect()
    }

    /// Factor of the mean difference to the neighbours of each class, whose weights sum to
    /// `totals`: -1 for hits (class `own`), positive for misses.
    pub fn class_factors(&self, totals: &[f64], own: usize) -> Vec<f64> {
        let misses: f64 =
            totals.iter().enumerate().filter(|(c, _)| *c != own).map(|(_, t)| t).sum();
        let all: f64 = self.class_weights.iter().sum();
        let occurs = |(c, w): &(usize, &f64)| *c != own && **w > 0.0;
        let other_classes = self.class_weights.iter().enumerate().filter(occurs).count() as f64;
        let factor = |c: usize| match self.multiclass {
            _ if totals[c] <= 0.0 => 0.0,
            _ if c == own => -1.0,
            Multiclass::Prior => self.class_weights[c] / (all - self.class_weights[own]),
            Multiclass::Rebate => (totals[c] / misses).powi(2) * other_classes,
        };
        (0..totals.len()).map(factor).collect()
    }

    /// Add the mean term over the neighbours of each class, times the factor of the class and
    /// `scale`. A class without neighbours adds nothing. Agreements, which are one minus
    /// differences, also add to the constant of all features.
    pub fn add_means(
        &self,
        by_class: Vec<Vec<PlaceGroup>>,
        own: usize,
        scale: f64,
        term: NeighbourTerm,
        contribution: &mut Contribution,
    ) {
        let total = |groups: &Vec<PlaceGroup>| {
            groups.iter().map(|g| g.weight * g.places.len() as f64).sum::<f64>()
        };
        let totals: Vec<f64> = by_class.iter().map(total).collect();
        let factors = self.class_factors(&totals, own);
        for (c, groups) in by_class.into_iter().enumerate() {
            if totals[c] <= 0.0 {
                continue;
            }
            let mut each = scale * factors[c] / totals[c];
            if term == NeighbourTerm::Agreements {
                contribution.constant += scale * factors[c];
                each = -each;
            }
            let scaled =
                |PlaceGroup { weight, places }| PlaceGroup { weight: each * weight, places };
            contribution.groups.extend(groups.into_iter().map(scaled));
        }
    }

    /// Add the differences to neighbours, weighed by the numbers of both rows (Robnik-Sikonja &
    /// Kononenko 2003): with d the share of a neighbour in the weight of all rows, y its
    /// difference in the target and p = [`Self::mean`], the mean of y over all neighbours,
    /// `d (y / p - (1 - y) / (1 - p))`. A term whose denominator is 0 is left out: no neighbour
    /// differs in the target, or none agrees. With p = 1 the weights are `d y`, whose sum over all
    /// rows is p itself.
    fn add_by_target(&self, row: usize, groups: Vec<PlaceGroup>, contribution: &mut Contribution) {
        let over = |share: f64| if share > 0.0 { 1.0 / share } else { 0.0 };
        let (differ, agree) = (over(self.mean), over(1.0 - self.mean));
        let total: f64 = groups.iter().map(|g| g.weight * g.places.len() as f64).sum();
        for PlaceGroup { weight, places } in groups {
            let d = self.share(row) * weight / total;
            for place in places {
                let other = self.order.rows[place as usize] as usize;
                let y = (self.numbers[row] - self.numbers[other]).abs();
                let weight = d * (y * differ - (1.0 - y) * agree);
                push_place(&mut contribution.groups, weight, place);
            }
        }
    }

    /// Add the differences to misses, each divided by the square of its distance (Hong 1997). A
    /// miss at distance 0 adds nothing, because it differs in no feature. The sum is not divided by
    /// the number of misses.
    pub fn add_merit(
        &self,
        row: usize,
        misses: Vec<PlaceGroup>,
        distance: impl Fn(u32) -> f64,
        contribution: &mut Contribution,
    ) {
        for PlaceGroup { weight, places } in misses {
            for place in places {
                let d = distance(place);
                // a row at distance 0 differs in no feature
                if d > self.grid.tolerance {
                    let weight = self.mass.weight(row) * weight / (d * d);
                    push_place(&mut contribution.groups, weight, place);
                }
            }
        }
    }

    /// Add what all pairs of the row give under one setting: per class and distance, a weight for
    /// agreements (a constant minus differences) and one for differences.
    fn add_pairs<D: Distance>(
        &self,
        distances: &[D],
        own: usize,
        setting: &PairSetting,
        metric: PairMetric,
        contribution: &mut Contribution,
    ) {
        // theta by case: 0 same value and class, 1 same value only, 2 same class only, 3 neither
        let theta = setting.theta();
        let is_pi = matches!(metric, PairMetric::Pi | PairMetric::PlainPi);
        let is_merit = metric == PairMetric::ContextualMerit;
        if is_pi {
            contribution.constant += theta[0] * setting.weight(0); // the self-pair
        }
        for (c, class) in self.classes().enumerate() {
            // sorted by distance, so that pairs of one distance are one group
            let mut places: Vec<u32> = class
                .map(|at| at as u32)
                .filter(|&at| distances[at as usize] < D::EXCLUDED)
                .collect();
            let distance = |place: &u32| distances[*place as usize];
            places.sort_by(|a, b| distance(a).partial_cmp(&distance(b)).unwrap_or(Ordering::Equal));
            // with x = 1 where values differ: theta_same (1 - x) + theta_differ x, signed by the
            // metric
            let (agree, differ) = match (c == own, is_pi) {
                (true, true) => (theta[0], -(theta[0] + theta[2])),
                (false, true) => (-theta[1], theta[1] + theta[3]),
                (true, false) => (0.0, if is_merit { 0.0 } else { -theta[2] }),
                (false, false) => (0.0, theta[3]),
            };
            for equal in places.chunk_by(|a, b| distance(a) == distance(b)) {
                let weight = setting.weight(distance(&equal[0]).value() as usize);
                contribution.constant += agree * weight * equal.len() as f64;
                if weight * differ != 0.0 {
                    let group = PlaceGroup { weight: weight * differ, places: equal.to_vec() };
                    contribution.groups.push(group);
                }
            }
        }
    }
}
