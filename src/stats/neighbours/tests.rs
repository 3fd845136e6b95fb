//! Every level, number of threads and search gives the same scores; the tests of the Python package
//! hold them against the definitions.

use super::*;
use crate::parallel::Control;
use crate::simd::{Kernels, Level};
use crate::stats::pairs::tests::CounterRng;

/// Random rows: nominal and numeric columns, missing cells, copies.
struct Random {
    nominal: Vec<Vec<Option<u32>>>,
    numbers: Vec<Vec<f64>>,
    classes: Vec<u16>,
    n_classes: usize,
    weights: Vec<usize>,
    /// Bytes of the complete nominal columns, row after row.
    codes: Vec<u8>,
    complete: usize,
}

impl Random {
    /// Seeds 0 mod 4 have complete nominal columns only, 1 mod 4 also numbers, 2 mod 4 missing
    /// cells, 3 mod 4 both; seeds 4 mod 5 have copies.
    fn new(seed: u64) -> Self {
        let mut draw = CounterRng::new(seed, 0);
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

    fn weighted(&self, weights: RowWeights) -> NeighbourRows<'_> {
        let (codes, others) = self.columns();
        NeighbourRows::new(codes, others, &self.classes, self.n_classes, weights).unwrap()
    }

    /// The rows `which`, in this order.
    fn taken(&self, which: &[usize]) -> Self {
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

    fn rows(&self) -> NeighbourRows<'_> {
        self.weighted(RowWeights::new(self.weights.iter().map(|&w| w as f64).collect()))
    }
}

/// One of each method and of its options.
fn methods() -> Vec<NeighbourMethod> {
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
fn near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + a.abs()))
}

#[test]
fn levels_and_threads_agree_to_the_bit() {
    for seed in 0..20 {
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
                for threads in [1, 3] {
                    assert_eq!(
                        one(level, threads),
                        first,
                        "seed {seed} {method:?} {}",
                        level.name()
                    );
                }
            }
        }
    }
}

#[test]
fn the_order_of_the_rows_changes_no_bit() {
    for seed in 0..40 {
        let random = Random::new(seed);
        let t = random.classes.len();
        let mut draw = CounterRng::new(seed, 1);
        let mut order: Vec<usize> = (0..t).collect();
        (1..t).for_each(|i| order.swap(i, draw.below(i + 1)));
        let moved = random.taken(&order);
        let real: Vec<f64> = (0..t).map(|_| [0.1, 0.3, 1.0, 7.7][draw.below(4)]).collect();
        let by_number = |method: &NeighbourMethod| {
            let first = NeighbourTies::First;
            matches!(
                method,
                NeighbourMethod::Merit { ties, .. } | NeighbourMethod::ReliefF { ties, .. }
                    if *ties == first
            )
        };
        for method in methods().into_iter().filter(|method| !by_number(method)) {
            let scores = |rows: NeighbourRows<'_>| {
                neighbour_scores(&Control::new(1), &rows, method, Multiclass::Prior).unwrap()
            };
            assert_eq!(scores(random.rows()), scores(moved.rows()), "seed {seed} {method:?}");
            let with = |i: &usize| real[*i];
            let plain = random.weighted(RowWeights::new(real.clone()));
            let other = moved.weighted(RowWeights::new(order.iter().map(with).collect()));
            assert_eq!(scores(plain), scores(other), "seed {seed} {method:?}");
        }
    }
}

/// Rows enough for several tiles of a class at every level.
#[test]
fn planes_and_numbers_give_the_same_scores() {
    let mut draw = CounterRng::new(3, 0);
    let (t, n) = (1500, 40);
    let classes: Vec<u16> = (0..t).map(|_| draw.below(3) as u16).collect();
    let values: Vec<u8> = (0..t * n).map(|at| draw.below(2 + at % 3) as u8).collect();
    let codes = NominalRows { values: &values, columns: n, stride: n };
    let narrow = NeighbourRows::new(codes, Vec::new(), &classes, 3, RowWeights::One).unwrap();
    // a constant column with a hole sends the same rows the other way
    let constant = Other::Numbers { values: vec![1.0; t], range: None };
    let wide = NeighbourRows::new(codes, vec![constant], &classes, 3, RowWeights::One).unwrap();
    for method in methods() {
        for multiclass in [Multiclass::Prior, Multiclass::Rebate] {
            let control = Control::new(2);
            let fast = neighbour_scores(&control, &narrow, method, multiclass).unwrap();
            let slow = neighbour_scores(&control, &wide, method, multiclass).unwrap();
            assert!(near(&slow[..n], &fast), "{method:?} {multiclass:?}: {slow:?} {fast:?}");
        }
    }
}

#[test]
fn importances_are_read_relative_to_their_mean() {
    for seed in [1, 2, 5, 7] {
        let random = Random::new(seed);
        for method in methods() {
            let scores = |weights: Vec<f64>| {
                let rows = random.weighted(RowWeights::new(weights));
                neighbour_scores(&Control::new(1), &rows, method, Multiclass::Prior).unwrap()
            };
            let t = random.classes.len();
            assert!(near(&scores(vec![0.5; t]), &scores(vec![1.0; t])), "{method:?}");
            let ramp = |unit: f64| {
                (0..t).map(|i| unit * (1.0 + i as f64 / t as f64)).collect::<Vec<f64>>()
            };
            assert!(near(&scores(ramp(0.25)), &scores(ramp(0.5))), "{method:?}");
        }
    }
}

#[test]
fn numbers_that_mean_nothing_are_refused() {
    let classes = [0u16, 1];
    let codes = NominalRows { values: &[0, 1], columns: 1, stride: 1 };
    let numbers = |values: Vec<f64>| Other::Numbers { values, range: None };
    let one = |other: Other| NeighbourRows::new(codes, vec![other], &classes, 2, RowWeights::One);
    assert!(one(numbers(vec![1.0, f64::INFINITY])).is_err());
    assert!(one(numbers(vec![1.0])).is_err());
    assert!(one(Other::Nominal { codes: vec![0, 3], levels: 3 }).is_err());
    assert!(NeighbourRows::new(codes, Vec::new(), &classes, 1, RowWeights::One).is_err());
    for weights in [vec![1.0], vec![1.0, 0.0], vec![1.0, f64::NAN]] {
        assert!(
            NeighbourRows::new(codes, Vec::new(), &classes, 2, RowWeights::new(weights)).is_err()
        );
    }
    let none = NominalRows { values: &[], columns: 0, stride: 0 };
    assert!(NeighbourRows::new(none, Vec::new(), &classes, 2, RowWeights::One).is_err());
    assert!(
        NeighbourRows::new(
            NominalRows { values: &[0], columns: 1, stride: 1 },
            Vec::new(),
            &classes,
            2,
            RowWeights::One
        )
        .is_err()
    );
    let rows = one(numbers(vec![-1e308, 1e308])).unwrap();
    assert_eq!(rows.others[0].diff(0, 1), 1.0);
    let merit = NeighbourMethod::Merit { k: 0, ties: NeighbourTies::Share };
    assert!(neighbour_scores(&Control::new(1), &rows, merit, Multiclass::Prior).is_err());
}

#[test]
fn one_setting_by_streaming_is_the_contraction_of_all() {
    use crate::stats::pairs::{
        self, CodeColumn, CodeValues, Decay, PairMetric, PairSetting, Profile,
    };
    for seed in 0..40 {
        let mut random = Random::new(4 * seed);
        random.numbers.clear();
        random.weights.fill(1);
        if random.complete == 0 {
            continue;
        }
        let by_column: Vec<Vec<u8>> = (0..random.complete)
            .map(|k| random.codes.iter().skip(k).step_by(random.complete).copied().collect())
            .collect();
        let columns =
            by_column.iter().map(|c| CodeColumn { values: CodeValues::U8(c), levels: 5 }).collect();
        let codes =
            pairs::CodeTable::new(columns, &random.classes, random.n_classes, None).unwrap();
        let profile = Profile::new(
            &pairs::pair_counts(&Control::new(1), Kernels::active(), &codes, None, None).unwrap(),
        );
        let theta = [1.0, 0.5, 0.25, 0.75];
        for decay in
            [Decay::Exponential, Decay::Power { at_zero: 0.5 }, Decay::Threshold, Decay::Identical]
        {
            let setting = PairSetting::new(theta, 2.5, decay).unwrap();
            for metric in [
                PairMetric::Pi,
                PairMetric::PlainPi,
                PairMetric::ContextualMerit,
                PairMetric::Relief,
            ] {
                let truth = profile.scores(metric, &setting);
                let method = NeighbourMethod::Pairs { setting, metric };
                let got =
                    neighbour_scores(&Control::new(2), &random.rows(), method, Multiclass::Prior)
                        .unwrap();
                assert!(
                    near(&truth, &got),
                    "seed {seed} {setting:?} {metric:?}: {truth:?} {got:?}"
                );
            }
        }
    }
}

#[test]
fn targets_of_the_other_kind_are_refused() {
    let codes = NominalRows { values: &[0, 1, 1], columns: 1, stride: 1 };
    let (gap, numbers) = (MissingGap::Largest, [0.0, 0.5, 1.0]);
    let of_numbers =
        |weights| NeighbourRows::of_numbers(codes, Vec::new(), &numbers, weights, gap).unwrap();
    let of_classes = NeighbourRows::new(codes, Vec::new(), &[0, 1, 1], 2, RowWeights::One).unwrap();
    let (ranks, surf) = (Ranks::Equal, NeighbourMethod::Surf { star: false });
    let method = |ties| NeighbourMethod::RReliefF { k: 3, ties, ranks, gap };
    let scores = |rows: &NeighbourRows<'_>, method| {
        neighbour_scores(&Control::new(1), rows, method, Multiclass::Prior)
    };
    assert!(scores(&of_numbers(RowWeights::One), method(NeighbourTies::Share)).is_ok());
    assert!(scores(&of_numbers(RowWeights::One), surf).is_err());
    assert!(scores(&of_classes, method(NeighbourTies::Share)).is_err());
    // Weka reads no weights
    let copies = of_numbers(RowWeights::new(vec![2.0; 3]));
    assert!(scores(&copies, method(NeighbourTies::Listed)).is_err());
}
