//! Scores on neighbours by plain loops written from the definitions: the reference of the tests.
//!
//! Everything is O(rows^2 * features) with a vector of all differences; copies are rows of their
//! own.

use super::*;
use crate::numeric::{mix, uniform};

/// Random numbers from a seed and a counter.
pub(super) struct Draw(pub(super) u64, pub(super) u64);

impl Draw {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.1 += 1;
        uniform(mix(self.0, self.1), bound as u64) as usize
    }
}

/// Neighbours of a row on one side of a radius.
struct Picked {
    /// Factor of the contribution.
    sign: f64,
    /// Whether agreements count instead of differences.
    agreements: bool,
    /// Rows with their weights.
    members: Vec<(usize, f64)>,
}

/// Random rows: nominal and numeric columns, missing cells, copies.
pub(super) struct Random {
    pub(super) nominal: Vec<Vec<Option<u32>>>,
    pub(super) numbers: Vec<Vec<f64>>,
    pub(super) classes: Vec<u16>,
    pub(super) n_classes: usize,
    pub(super) weights: Vec<usize>,
    /// Bytes of the complete nominal columns, row after row.
    pub(super) codes: Vec<u8>,
    pub(super) complete: usize,
}

impl Random {
    /// Seeds 0 mod 4 have complete nominal columns only, 1 mod 4 also numbers, 2 mod 4 missing
    /// cells, 3 mod 4 both; seeds 4 mod 5 have copies.
    pub(super) fn new(seed: u64) -> Self {
        let mut draw = Draw(seed, 0);
        let rows = 2 + draw.below(50);
        let n_classes = 1 + draw.below(4);
        let columns = draw.below([9, 40, 150][seed as usize % 3]);
        let kind = seed % 4;
        let numeric = if columns == 0 { 3 } else { usize::from(kind % 2 == 1) * draw.below(4) };
        let gaps = kind >= 2;
        let mut nominal: Vec<Vec<Option<u32>>> = (0..columns)
            .map(|k| {
                let levels = 1 + draw.below(4);
                let holes = gaps && k >= columns / 2;
                (0..rows)
                    .map(|_| (!holes || draw.below(5) > 0).then_some(draw.below(levels) as u32))
                    .collect()
            })
            .collect();
        nominal.sort_by_key(|c| c.iter().any(Option::is_none));
        let mut numbers: Vec<Vec<f64>> = (0..numeric)
            .map(|_| (0..rows).map(|_| draw.below(1 << 40) as f64 / 7.0).collect())
            .collect();
        if gaps && numeric > 1 {
            numbers[1].iter_mut().for_each(|x| *x = if draw.below(4) == 0 { f64::NAN } else { *x });
        }
        let classes: Vec<u16> = (0..rows).map(|_| draw.below(n_classes) as u16).collect();
        let weights =
            (0..rows).map(|_| if seed % 5 == 4 { 1 + draw.below(2) } else { 1 }).collect();
        let complete = nominal.iter().filter(|c| c.iter().all(Option::is_some)).count();
        let codes = (0..rows)
            .flat_map(|i| nominal[..complete].iter().map(move |c| c[i].unwrap_or(0) as u8))
            .collect();
        Self { nominal, numbers, classes, n_classes, weights, codes, complete }
    }

    /// The columns as a search takes them.
    fn columns(&self) -> (NominalRows<'_>, Vec<Other>) {
        let codes =
            NominalRows { values: &self.codes, columns: self.complete, stride: self.complete };
        let holes = self.nominal[self.complete..].iter().map(|c| Other::Nominal {
            codes: c.iter().map(|c| c.unwrap_or(MISSING)).collect(),
            levels: 4,
        });
        let numbers = self
            .numbers
            .iter()
            .map(|c| Other::Numbers { values: c.clone(), range: None })
            .collect::<Vec<_>>();
        (codes, holes.chain(numbers).collect())
    }

    pub(super) fn weighted(&self, weights: Counts) -> NeighbourRows<'_> {
        let (codes, others) = self.columns();
        NeighbourRows::new(codes, others, &self.classes, self.n_classes, weights).unwrap()
    }

    /// These rows, all of one class, with numbers as their target.
    pub(super) fn with_numbers(&self, numbers: &[f64], weights: Counts) -> NeighbourRows<'_> {
        let (codes, others) = self.columns();
        let gap = MissingGap::Expected;
        NeighbourRows::of_numbers(codes, others, numbers, weights, gap).unwrap()
    }

    /// RReliefF from figure 3 of the paper; `numbers` are the target over its range.
    pub(super) fn scores_of_numbers(
        &self,
        diffs: &[f64],
        numbers: &[f64],
        k: usize,
        ties: NeighbourTies,
        ranks: Ranks,
    ) -> Vec<f64> {
        let (t, n) = (self.classes.len(), self.features());
        let diff = |f: usize, i: usize, j: usize| diffs[(i * t + j) * n + f];
        let (mut differ, mut by_feature, mut both) = (0.0, vec![0.0; n], vec![0.0; n]);
        for i in 0..t {
            let d: Vec<f64> = (0..t).map(|j| (0..n).map(|f| diff(f, i, j)).sum()).collect();
            let others: Vec<usize> = (0..t).filter(|&j| j != i).collect();
            let near = k_nearest(&others, &d, k, ties, ranks);
            let total: f64 = near.iter().map(|m| m.1).sum();
            for (j, weight) in near {
                let (weight, y) = (weight / total, (numbers[i] - numbers[j]).abs());
                differ += y * weight;
                for f in 0..n {
                    by_feature[f] += diff(f, i, j) * weight;
                    both[f] += diff(f, i, j) * y * weight;
                }
            }
        }
        let over = |sum: f64, all: f64| if all > 0.0 { sum / all } else { 0.0 };
        let score =
            |f: usize| over(both[f], differ) - over(by_feature[f] - both[f], t as f64 - differ);
        (0..n).map(score).collect()
    }

    pub(super) fn rows(&self) -> NeighbourRows<'_> {
        self.weighted(Counts::of(self.weights.iter().map(|&w| w as f64).collect()))
    }

    /// These rows with every copy as a row of its own.
    pub(super) fn copied(&self) -> Self {
        let copies = |(i, &w)| std::iter::repeat_n(i, w);
        let which: Vec<usize> = self.weights.iter().enumerate().flat_map(copies).collect();
        Self { weights: vec![1; which.len()], ..self.taken(&which) }
    }

    /// The rows `which`, in this order.
    pub(super) fn taken(&self, which: &[usize]) -> Self {
        let codes = |&i: &usize| self.codes[i * self.complete..][..self.complete].to_vec();
        Self {
            nominal: self.nominal.iter().map(|c| which.iter().map(|&i| c[i]).collect()).collect(),
            numbers: self.numbers.iter().map(|c| which.iter().map(|&i| c[i]).collect()).collect(),
            classes: which.iter().map(|&i| self.classes[i]).collect(),
            n_classes: self.n_classes,
            weights: which.iter().map(|&i| self.weights[i]).collect(),
            codes: which.iter().flat_map(codes).collect(),
            complete: self.complete,
        }
    }

    /// Rows that the missing cell of row i is drawn from: the known ones of its class, else all
    /// known ones.
    pub(super) fn drawn(&self, known: &dyn Fn(usize) -> bool, i: usize) -> Vec<usize> {
        let all: Vec<usize> = (0..self.classes.len()).filter(|&j| known(j)).collect();
        let own: Vec<usize> =
            all.iter().copied().filter(|&j| self.classes[j] == self.classes[i]).collect();
        if own.is_empty() { all } else { own }
    }

    pub(super) fn diff(&self, k: usize, i: usize, j: usize) -> f64 {
        let (known, between): (Box<dyn Fn(usize) -> bool>, Box<dyn Fn(usize, usize) -> f64>) =
            if let Some(c) = self.nominal.get(k) {
                (Box::new(|i| c[i].is_some()), Box::new(|i, j| f64::from(u8::from(c[i] != c[j]))))
            } else {
                let c = &self.numbers[k - self.nominal.len()];
                let there = || c.iter().copied().filter(|x| !x.is_nan());
                let range = there().fold(f64::MIN, f64::max) - there().fold(f64::MAX, f64::min);
                let gap = move |i: usize, j: usize| {
                    if range > 0.0 { (c[i] - c[j]).abs() / range } else { 0.0 }
                };
                (Box::new(|i| !c[i].is_nan()), Box::new(gap))
            };
        let of = |i: usize| if known(i) { vec![i] } else { self.drawn(&known, i) };
        let (a, b) = (of(i), of(j));
        let sum: f64 = a
            .iter()
            .flat_map(|&x| b.iter().map(move |&y| (x, y)))
            .map(|(x, y)| between(x, y))
            .sum();
        if a.is_empty() || b.is_empty() { 0.0 } else { sum / (a.len() * b.len()) as f64 }
    }

    pub(super) fn features(&self) -> usize {
        self.nominal.len() + self.numbers.len()
    }

    /// Whether two distances of a row differ by rounding only.
    pub(super) fn has_close_distances(&self, diffs: &[f64]) -> bool {
        let (t, n) = (self.classes.len(), self.features());
        (0..t).any(|i| {
            let all = (0..t).filter(|&j| j != i);
            let mut d: Vec<f64> = all.map(|j| diffs[(i * t + j) * n..][..n].iter().sum()).collect();
            d.sort_by(f64::total_cmp);
            d.windows(2).any(|w| w[0] != w[1] && w[1] - w[0] < 1e-9)
        })
    }

    /// `[i][j][feature]`, all by [`Self::diff`].
    pub(super) fn diffs(&self) -> Vec<f64> {
        let (t, n) = (self.classes.len(), self.features());
        let mut diffs = vec![0.0; t * t * n];
        for k in 0..n {
            for (i, j) in (0..t).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                let d = self.diff(k, i, j);
                diffs[(i * t + j) * n + k] = d;
                diffs[(j * t + i) * n + k] = d;
            }
        }
        diffs
    }

    /// Weighted neighbours of each class by the definitions, then the mean differences.
    pub(super) fn scores(
        &self,
        diffs: &[f64],
        method: NeighbourMethod,
        multiclass: Multiclass,
    ) -> Vec<f64> {
        let (t, n) = (self.classes.len(), self.features());
        let diff = |k: usize, i: usize, j: usize| diffs[(i * t + j) * n + k];
        let distance = |i: usize, j: usize| (0..n).map(|k| diff(k, i, j)).sum::<f64>();
        let pairs = || (0..t).flat_map(|i| (0..t).map(move |j| (i, j)));
        let all: f64 = pairs().filter(|(i, j)| i != j).map(|(i, j)| distance(i, j)).sum();
        let mean =
            all / (if multiclass == Multiclass::Rebate { t * t } else { t * (t - 1) }) as f64;
        let mut scores = vec![0.0; self.features()];
        for i in 0..t {
            let others: Vec<usize> = (0..t).filter(|&j| j != i).collect();
            let d: Vec<f64> = (0..t).map(|j| distance(i, j)).collect();
            let own = self.classes[i];
            let m = others.iter().map(|&j| d[j]).sum::<f64>() / others.len() as f64;
            let sd = (others.iter().map(|&j| (d[j] - m).powi(2)).sum::<f64>()
                / others.len() as f64)
                .sqrt();
            let sets: Vec<Picked> = match method {
                NeighbourMethod::ReliefF { k, ties, ranks } => {
                    let mut chosen = Vec::new();
                    for c in 0..self.n_classes as u16 {
                        let of: Vec<usize> =
                            others.iter().copied().filter(|&j| self.classes[j] == c).collect();
                        chosen.extend(k_nearest(&of, &d, k, ties, ranks));
                    }
                    vec![Picked { sign: 1.0, agreements: false, members: chosen }]
                }
                NeighbourMethod::Merit { k, ties } => {
                    let of: Vec<usize> =
                        others.iter().copied().filter(|&j| self.classes[j] != own).collect();
                    for (j, w) in k_nearest(&of, &d, k, ties, Ranks::Equal) {
                        for (f, s) in scores.iter_mut().enumerate() {
                            *s += if d[j] > 0.0 { w * diff(f, i, j) / (d[j] * d[j]) } else { 0.0 };
                        }
                    }
                    vec![]
                }
                NeighbourMethod::Pairs { .. } => unreachable!("compared with the contractions"),
                NeighbourMethod::RReliefF { .. } => unreachable!("reads numbers"),
                NeighbourMethod::Surf { star } => {
                    let pick = |f: &dyn Fn(f64) -> bool| {
                        others.iter().filter(|&&j| f(d[j])).map(|&j| (j, 1.0)).collect()
                    };
                    let near = pick(&|x| x < mean);
                    let mut sets = vec![Picked { sign: 1.0, agreements: false, members: near }];
                    if star {
                        let far = pick(&|x| x > mean);
                        sets.push(Picked { sign: -1.0, agreements: false, members: far });
                    }
                    sets
                }
                NeighbourMethod::MultiSurf { star } => {
                    let pick = |f: &dyn Fn(f64) -> bool| {
                        others.iter().filter(|&&j| f(d[j])).map(|&j| (j, 1.0)).collect()
                    };
                    let near = pick(&|x| x < m - sd / 2.0);
                    let mut sets = vec![Picked { sign: 1.0, agreements: false, members: near }];
                    if star {
                        let far = pick(&|x| x > m + sd / 2.0);
                        sets.push(Picked { sign: 1.0, agreements: true, members: far });
                    }
                    sets
                }
            };
            let size = |c: u16| self.classes.iter().filter(|&&x| x == c).count() as f64;
            for Picked { sign, agreements, members: set } in sets {
                let weight = |c: u16| {
                    set.iter().filter(|(j, _)| self.classes[*j] == c).map(|m| m.1).sum::<f64>()
                };
                let misses: f64 =
                    set.iter().filter(|(j, _)| self.classes[*j] != own).map(|m| m.1).sum();
                let others = (0..self.n_classes as u16)
                    .filter(|&c| c != own && size(c) > 0.0)
                    .count() as f64;
                for (f, s) in scores.iter_mut().enumerate() {
                    for c in (0..self.n_classes as u16).filter(|&c| weight(c) > 0.0) {
                        let of = set.iter().filter(|(j, _)| self.classes[*j] == c);
                        let term =
                            |j: usize| if agreements { 1.0 - diff(f, i, j) } else { diff(f, i, j) };
                        let mean = of.map(|&(j, w)| w * term(j)).sum::<f64>() / weight(c);
                        *s += sign / t as f64
                            * match multiclass {
                                _ if c == own => -mean,
                                Multiclass::Prior => mean * size(c) / (t as f64 - size(own)),
                                Multiclass::Rebate => {
                                    mean * weight(c).powi(2) / misses.powi(2) * others
                                }
                            };
                    }
                }
            }
        }
        scores
    }
}

/// The k nearest of some rows with their weights, by ranking all of them.
fn k_nearest(
    of: &[usize],
    d: &[f64],
    k: usize,
    ties: NeighbourTies,
    ranks: Ranks,
) -> Vec<(usize, f64)> {
    let mut sorted = of.to_vec();
    sorted.sort_by(|&a, &b| d[a].total_cmp(&d[b]));
    let rank = |r: usize| match ranks {
        Ranks::Equal => 1.0,
        Ranks::Exponential { sigma } => (-((r + 1) as f64 / sigma).powi(2)).exp(),
        Ranks::FromZero { sigma } => (-(r as f64 / sigma).powi(2)).exp(),
    };
    let own: Vec<f64> = (0..sorted.len()).map(|r| if r < k { rank(r) } else { 0.0 }).collect();
    let share = |r: usize| {
        let tied: Vec<usize> =
            (0..sorted.len()).filter(|&q| d[sorted[q]] == d[sorted[r]]).collect();
        tied.iter().map(|&q| own[q]).sum::<f64>() / tied.len() as f64
    };
    let weight = |r: usize| if ties == NeighbourTies::First { own[r] } else { share(r) };
    (0..sorted.len()).map(|r| (sorted[r], weight(r))).filter(|m| m.1 > 0.0).collect()
}

/// One of each method and of its options.
pub(super) fn methods() -> Vec<NeighbourMethod> {
    let mut methods = vec![
        NeighbourMethod::Surf { star: false },
        NeighbourMethod::Surf { star: true },
        NeighbourMethod::MultiSurf { star: false },
        NeighbourMethod::MultiSurf { star: true },
    ];
    for ties in [NeighbourTies::Share, NeighbourTies::First] {
        for k in [1, 3, 10] {
            methods.push(NeighbourMethod::Merit { k, ties });
            for ranks in [Ranks::Equal, Ranks::Exponential { sigma: 4.0 }] {
                methods.push(NeighbourMethod::ReliefF { k, ties, ranks });
            }
        }
    }
    methods
}

/// Whether two lists of scores are equal up to rounding.
pub(super) fn near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + a.abs()))
}
