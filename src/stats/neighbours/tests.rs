//! Scores against plain loops written from the definitions, for every level and number of threads.

use super::*;
use crate::numeric::{mix, uniform};
use crate::parallel::Control;
use crate::simd::{Kernels, Level};

struct Draw(u64, u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.1 += 1;
        uniform(mix(self.0, self.1), bound as u64) as usize
    }
}

/// Sign, agreements instead of differences, members with their weights.
type Picked = (f64, bool, Vec<(usize, f64)>);

struct Random {
    codes: Vec<u8>,
    columns: usize,
    numbers: Vec<Vec<f64>>,
    classes: Vec<u16>,
    n_classes: usize,
}

impl Random {
    fn new(seed: u64) -> Self {
        let mut draw = Draw(seed, 0);
        let rows = 2 + draw.below(90);
        let columns = draw.below([9, 40, 150][seed as usize % 3]);
        let numeric = if columns == 0 { 3 } else { draw.below(2) * draw.below(4) };
        let n_classes = 1 + draw.below(4);
        let levels: Vec<usize> = (0..columns).map(|_| 1 + draw.below(4)).collect();
        let codes =
            (0..rows).flat_map(|_| levels.iter().map(|&l| draw.below(l) as u8).collect::<Vec<_>>()).collect();
        let numbers =
            (0..numeric).map(|_| (0..rows).map(|_| draw.below(1 << 40) as f64 / 7.0).collect()).collect();
        let classes = (0..rows).map(|_| draw.below(n_classes) as u16).collect();
        Self { codes, columns, numbers, classes, n_classes }
    }

    fn rows(&self) -> Rows<'_> {
        let codes = Codes { values: &self.codes, columns: self.columns, stride: self.columns };
        let numbers: Vec<Numbers<'_>> = self.numbers.iter().map(|c| Numbers::F64(c)).collect();
        Rows::new(codes, &numbers, &self.classes, self.n_classes).unwrap()
    }

    fn diff(&self, k: usize, i: usize, j: usize) -> f64 {
        if k < self.columns {
            return f64::from(u8::from(self.codes[i * self.columns + k] != self.codes[j * self.columns + k]));
        }
        let c = &self.numbers[k - self.columns];
        let range = c.iter().copied().fold(f64::MIN, f64::max) - c.iter().copied().fold(f64::MAX, f64::min);
        if range > 0.0 { (c[i] - c[j]).abs() / range } else { 0.0 }
    }

    fn features(&self) -> usize {
        self.columns + self.numbers.len()
    }

    /// Weighted neighbours of each class by the definitions, then the mean differences.
    fn scores(&self, method: Method, multiclass: Multiclass) -> Vec<f64> {
        let t = self.classes.len();
        let distance = |i: usize, j: usize| (0..self.features()).map(|k| self.diff(k, i, j)).sum::<f64>();
        let all: f64 = (0..t).flat_map(|i| (0..t).map(move |j| (i, j))).map(|(i, j)| distance(i, j)).sum();
        let mean = all / (if multiclass == Multiclass::Rebate { t * t } else { t * (t - 1) }) as f64;
        let mut scores = vec![0.0; self.features()];
        for i in 0..t {
            let others: Vec<usize> = (0..t).filter(|&j| j != i).collect();
            let d: Vec<f64> = (0..t).map(|j| distance(i, j)).collect();
            let own = self.classes[i];
            let m = others.iter().map(|&j| d[j]).sum::<f64>() / others.len() as f64;
            let sd = (others.iter().map(|&j| (d[j] - m).powi(2)).sum::<f64>() / others.len() as f64).sqrt();
            let sets: Vec<Picked> = match method {
                Method::ReliefF { k, ties, ranks } => {
                    let mut chosen = Vec::new();
                    for c in 0..self.n_classes as u16 {
                        let of: Vec<usize> =
                            others.iter().copied().filter(|&j| self.classes[j] == c).collect();
                        chosen.extend(k_nearest(&of, &d, k, ties, ranks));
                    }
                    vec![(1.0, false, chosen)]
                }
                Method::Merit { k, ties } => {
                    let of: Vec<usize> = others.iter().copied().filter(|&j| self.classes[j] != own).collect();
                    let mut of = of;
                    of.sort_by_key(|&j| (self.classes[j], j));
                    for (j, w) in k_nearest(&of, &d, k, ties, Ranks::Equal) {
                        for (f, s) in scores.iter_mut().enumerate() {
                            *s += if d[j] > 0.0 { w * self.diff(f, i, j) / (d[j] * d[j]) } else { 0.0 };
                        }
                    }
                    vec![]
                }
                Method::Pairs { .. } => unreachable!("compared with the contractions"),
                Method::Surf { star } => {
                    let pick = |f: &dyn Fn(f64) -> bool| {
                        others.iter().filter(|&&j| f(d[j])).map(|&j| (j, 1.0)).collect()
                    };
                    let mut sets = vec![(1.0, false, pick(&|x| x < mean))];
                    if star {
                        sets.push((-1.0, false, pick(&|x| x > mean)));
                    }
                    sets
                }
                Method::MultiSurf { star } => {
                    let pick = |f: &dyn Fn(f64) -> bool| {
                        others.iter().filter(|&&j| f(d[j])).map(|&j| (j, 1.0)).collect()
                    };
                    let mut sets = vec![(1.0, false, pick(&|x| x < m - sd / 2.0))];
                    if star {
                        sets.push((1.0, true, pick(&|x| x > m + sd / 2.0)));
                    }
                    sets
                }
            };
            let size = |c: u16| self.classes.iter().filter(|&&x| x == c).count() as f64;
            for (sign, agree, set) in sets {
                let weight =
                    |c: u16| set.iter().filter(|(j, _)| self.classes[*j] == c).map(|m| m.1).sum::<f64>();
                let misses: f64 = set.iter().filter(|(j, _)| self.classes[*j] != own).map(|m| m.1).sum();
                let others = (0..self.n_classes as u16).filter(|&c| c != own && size(c) > 0.0).count() as f64;
                for (f, s) in scores.iter_mut().enumerate() {
                    for c in (0..self.n_classes as u16).filter(|&c| weight(c) > 0.0) {
                        let of = set.iter().filter(|(j, _)| self.classes[*j] == c);
                        let diff =
                            |j: usize| if agree { 1.0 - self.diff(f, i, j) } else { self.diff(f, i, j) };
                        let mean = of.map(|&(j, w)| w * diff(j)).sum::<f64>() / weight(c);
                        *s += sign / t as f64
                            * match multiclass {
                                _ if c == own => -mean,
                                Multiclass::Prior => mean * size(c) / (t as f64 - size(own)),
                                Multiclass::Rebate => mean * weight(c).powi(2) / misses.powi(2) * others,
                            };
                    }
                }
            }
        }
        scores
    }
}

fn k_nearest(of: &[usize], d: &[f64], k: usize, ties: NeighbourTies, ranks: Ranks) -> Vec<(usize, f64)> {
    let mut sorted = of.to_vec();
    sorted.sort_by(|&a, &b| d[a].total_cmp(&d[b]));
    let rank = |r: usize| match ranks {
        Ranks::Equal => 1.0,
        Ranks::Exponential { sigma } => (-((r + 1) as f64 / sigma).powi(2)).exp(),
    };
    let own: Vec<f64> = (0..sorted.len()).map(|r| if r < k { rank(r) } else { 0.0 }).collect();
    let share = |r: usize| {
        let tied: Vec<usize> = (0..sorted.len()).filter(|&q| d[sorted[q]] == d[sorted[r]]).collect();
        tied.iter().map(|&q| own[q]).sum::<f64>() / tied.len() as f64
    };
    let weight = |r: usize| if ties == NeighbourTies::First { own[r] } else { share(r) };
    (0..sorted.len()).map(|r| (sorted[r], weight(r))).filter(|m| m.1 > 0.0).collect()
}

fn methods() -> Vec<Method> {
    let mut methods = vec![
        Method::Surf { star: false },
        Method::Surf { star: true },
        Method::MultiSurf { star: false },
        Method::MultiSurf { star: true },
    ];
    for ties in [NeighbourTies::Share, NeighbourTies::First] {
        for k in [1, 3, 10] {
            methods.push(Method::Merit { k, ties });
            for ranks in [Ranks::Equal, Ranks::Exponential { sigma: 4.0 }] {
                methods.push(Method::ReliefF { k, ties, ranks });
            }
        }
    }
    methods
}

#[test]
fn scores_are_those_of_the_definitions() {
    for seed in 0..60 {
        let random = Random::new(seed);
        let methods = methods();
        for (m, &method) in methods.iter().enumerate() {
            for multiclass in [Multiclass::Prior, Multiclass::Rebate] {
                let truth = random.scores(method, multiclass);
                let levels = Level::available();
                let level = levels[(seed as usize + m) % levels.len()];
                let control = Control::new(1 + (seed as usize + m) % 4);
                let rows = random.rows();
                let got =
                    neighbour_scores_with(&control, Kernels::at(level), &rows, method, multiclass).unwrap();
                let gap = |(a, b): (&f64, &f64)| (a - b).abs() / (1.0 + a.abs());
                let far = truth.iter().zip(&got).map(gap).fold(0.0, f64::max);
                assert!(far < 1e-10, "seed {seed} {method:?} {multiclass:?} {}: {far}", level.name());
            }
        }
    }
}

#[test]
fn levels_and_threads_agree_to_the_bit() {
    for seed in 0..12 {
        let random = Random::new(seed);
        for method in methods() {
            let one = |level, threads| {
                neighbour_scores_with(
                    &Control::new(threads),
                    Kernels::at(level),
                    &random.rows(),
                    method,
                    Multiclass::Prior,
                )
                .unwrap()
            };
            let first = one(Level::Plain, 1);
            for level in Level::available() {
                for threads in [1, 3, 8] {
                    assert_eq!(one(level, threads), first, "seed {seed} {method:?} {}", level.name());
                }
            }
        }
    }
}

#[test]
fn numbers_that_mean_nothing_are_refused() {
    let classes = [0u16, 1];
    let codes = Codes { values: &[0, 1], columns: 1, stride: 1 };
    assert!(Rows::new(codes, &[Numbers::F64(&[1.0, f64::NAN])], &classes, 2).is_err());
    assert!(Rows::new(codes, &[Numbers::F32(&[1.0])], &classes, 2).is_err());
    assert!(Rows::new(codes, &[], &classes, 1).is_err());
    assert!(Rows::new(Codes { values: &[], columns: 0, stride: 0 }, &[], &classes, 2).is_err());
    assert!(Rows::new(Codes { values: &[0], columns: 1, stride: 1 }, &[], &classes, 2).is_err());
    let rows = Rows::new(codes, &[Numbers::F64(&[-1e308, 1e308])], &classes, 2).unwrap();
    assert_eq!(rows.numbers[0], [0.0, 1.0]);
    let none = Method::Merit { k: 0, ties: NeighbourTies::Share };
    assert!(neighbour_scores(&Control::new(1), &rows, none, Multiclass::Prior).is_err());
}

#[test]
fn one_setting_by_streaming_is_the_contraction_of_all() {
    use crate::stats::pairs::{self, Column, Decay, Profile, Setting, Values};
    for seed in 0..40 {
        let mut random = Random::new(seed);
        random.numbers.clear();
        if random.columns == 0 {
            continue;
        }
        let by_column: Vec<Vec<u8>> = (0..random.columns)
            .map(|k| random.codes.iter().skip(k).step_by(random.columns).copied().collect())
            .collect();
        let columns = by_column.iter().map(|c| Column { values: Values::U8(c), levels: 5 }).collect();
        let codes = pairs::Codes::new(columns, &random.classes, random.n_classes, None).unwrap();
        let profile = Profile::new(&pairs::pair_counts(&Control::new(1), &codes).unwrap());
        let theta = [1.0, 0.5, 0.25, 0.75];
        for decay in [Decay::Exponential, Decay::Power { at_zero: 0.5 }, Decay::Threshold, Decay::Identical] {
            let setting = Setting::new(theta, 2.5, decay).unwrap();
            for metric in [PairMetric::Pi, PairMetric::ContextualMerit, PairMetric::Relief] {
                let truth = match metric {
                    PairMetric::Pi => profile.pi(&setting),
                    PairMetric::ContextualMerit => profile.contextual_merit(&setting),
                    PairMetric::Relief => profile.relief(&setting),
                };
                let method = Method::Pairs { setting, metric };
                let got =
                    neighbour_scores(&Control::new(2), &random.rows(), method, Multiclass::Prior).unwrap();
                let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
                assert!(
                    truth.iter().zip(&got).all(near),
                    "seed {seed} {setting:?} {metric:?}: {truth:?} {got:?}"
                );
            }
        }
    }
}
