//! Scores against plain loops written from the definitions, for every level and number of threads.

use super::definition::{Draw, Random, methods, near};
use super::*;
use crate::parallel::Control;
use crate::simd::{Kernels, Level};

#[test]
fn scores_are_those_of_the_definitions() {
    for seed in 0..40 {
        let random = Random::new(seed);
        let copied = random.copied();
        let diffs = copied.diffs();
        let holes = copied.complete < copied.nominal.len() || !copied.numbers.is_empty();
        let clear = !holes || !copied.has_close_distances(&diffs);
        let methods = methods();
        for (m, &method) in methods.iter().enumerate().skip(seed as usize % 3).step_by(3) {
            for multiclass in [Multiclass::Prior, Multiclass::Rebate] {
                let levels = Level::available();
                let level = levels[(seed as usize + m) % levels.len()];
                let control = Control::new(1 + (seed as usize + m) % 4);
                let scores = |rows: &NeighbourRows<'_>| {
                    neighbour_scores_with(&control, Kernels::at(level), rows, method, multiclass)
                        .unwrap()
                };
                let got = scores(&random.rows());
                let ties = match method {
                    NeighbourMethod::ReliefF { ties, .. } | NeighbourMethod::Merit { ties, .. } => {
                        ties
                    }
                    _ => NeighbourTies::Share,
                };
                if ties == NeighbourTies::Share || !holes {
                    // sums of real distances may be a tie in one order and not in another, so the
                    // definitions only decide where they are whole or ties are shared
                    let truth = copied.scores(&diffs, method, multiclass);
                    assert!(
                        !clear || near(&truth, &got),
                        "seed {seed} {method:?} {multiclass:?} {}: {truth:?} {got:?}",
                        level.name()
                    );
                }
            }
        }
    }
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
        let mut draw = Draw(seed, 1);
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
            let plain = random.weighted(Counts::of(real.clone()));
            let other = moved.weighted(Counts::of(order.iter().map(with).collect()));
            assert_eq!(scores(plain), scores(other), "seed {seed} {method:?}");
        }
    }
}

/// Rows enough for several tiles of a class at every level.
#[test]
fn planes_and_numbers_give_the_same_scores() {
    let mut draw = Draw(3, 0);
    let (t, n) = (1500, 40);
    let classes: Vec<u16> = (0..t).map(|_| draw.below(3) as u16).collect();
    let values: Vec<u8> = (0..t * n).map(|at| draw.below(2 + at % 3) as u8).collect();
    let codes = NominalRows { values: &values, columns: n, stride: n };
    let narrow = NeighbourRows::new(codes, Vec::new(), &classes, 3, Counts::One).unwrap();
    // a constant column with a hole sends the same rows the other way
    let constant = Other::Numbers { values: vec![1.0; t], range: None };
    let wide = NeighbourRows::new(codes, vec![constant], &classes, 3, Counts::One).unwrap();
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
                let rows = random.weighted(Counts::of(weights));
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
    let one = |other: Other| NeighbourRows::new(codes, vec![other], &classes, 2, Counts::One);
    assert!(one(numbers(vec![1.0, f64::INFINITY])).is_err());
    assert!(one(numbers(vec![1.0])).is_err());
    assert!(one(Other::Nominal { codes: vec![0, 3], levels: 3 }).is_err());
    assert!(NeighbourRows::new(codes, Vec::new(), &classes, 1, Counts::One).is_err());
    for weights in [vec![1.0], vec![1.0, 0.0], vec![1.0, f64::NAN]] {
        assert!(NeighbourRows::new(codes, Vec::new(), &classes, 2, Counts::of(weights)).is_err());
    }
    let none = NominalRows { values: &[], columns: 0, stride: 0 };
    assert!(NeighbourRows::new(none, Vec::new(), &classes, 2, Counts::One).is_err());
    assert!(
        NeighbourRows::new(
            NominalRows { values: &[0], columns: 1, stride: 1 },
            Vec::new(),
            &classes,
            2,
            Counts::One
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
    use crate::stats::pairs::{self, CodeColumn, CodeValues, Decay, PairSetting, Profile};
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
        let profile = Profile::new(&pairs::pair_counts(&Control::new(1), &codes).unwrap());
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
                let truth = match metric {
                    PairMetric::Pi => profile.pi(&setting),
                    PairMetric::PlainPi => profile.pi_unweighted(&setting),
                    PairMetric::ContextualMerit => profile.contextual_merit(&setting),
                    PairMetric::Relief => profile.relief(&setting),
                };
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

/// Random rows of one class, with their differences and numbers from 0 to 1 as their target.
fn rows_of_numbers(seed: u64) -> (Random, Vec<f64>, Vec<f64>) {
    let mut random = Random::new(seed);
    random.classes.fill(0);
    random.n_classes = 1;
    let mut draw = Draw(seed, 2);
    let t = random.classes.len();
    let few = [3, 1 << 30][seed as usize % 2];
    let mut numbers: Vec<f64> = (0..t).map(|_| draw.below(few + 1) as f64 / few as f64).collect();
    (numbers[0], numbers[t - 1]) = (0.0, 1.0);
    let weights: Vec<f64> = random.weights.iter().map(|&w| w as f64).collect();
    (random, numbers, weights)
}

#[test]
fn scores_of_numbers_are_those_of_the_paper() {
    for seed in 0..60 {
        let (random, numbers, weights) = rows_of_numbers(seed);
        let copied = random.copied();
        let copies = |(&number, &w): (&f64, &usize)| std::iter::repeat_n(number, w);
        let of_copies: Vec<f64> = numbers.iter().zip(&random.weights).flat_map(copies).collect();
        let diffs = copied.diffs();
        let whole = copied.complete == copied.nominal.len() && copied.numbers.is_empty();
        if !whole && copied.has_close_distances(&diffs) {
            continue;
        }
        for (k, ranks) in [(1, Ranks::Equal), (10, Ranks::Exponential { sigma: 3.0 })] {
            for ties in [NeighbourTies::Share, NeighbourTies::First] {
                if ties == NeighbourTies::First && !whole {
                    continue;
                }
                let method =
                    NeighbourMethod::RReliefF { k, ties, ranks, gap: MissingGap::Expected };
                let rows = random.with_numbers(&numbers, Counts::of(weights.clone()));
                let scores = |level, threads| {
                    let (control, kernels) = (Control::new(threads), Kernels::at(level));
                    neighbour_scores_with(&control, kernels, &rows, method, Multiclass::Prior)
                        .unwrap()
                };
                let got = scores(Level::Plain, 1);
                let truth = copied.scores_of_numbers(&diffs, &of_copies, k, ties, ranks);
                assert!(near(&truth, &got), "seed {seed} {method:?}: {truth:?} {got:?}");
                for level in Level::available() {
                    assert_eq!(scores(level, 3), got, "seed {seed} {method:?} {}", level.name());
                }
            }
        }
    }
}

#[test]
fn shares_of_rows_with_numbers_add_to_the_scores() {
    for seed in 0..20 {
        let (random, numbers, weights) = rows_of_numbers(seed);
        let order: Vec<usize> = (0..numbers.len()).rev().collect();
        let moved: Vec<f64> = order.iter().map(|&i| numbers[i]).collect();
        let real: Vec<f64> = weights.iter().enumerate().map(|(i, w)| w + 0.1 * i as f64).collect();
        let method = NeighbourMethod::RReliefF {
            k: 5,
            ties: NeighbourTies::Share,
            ranks: Ranks::Equal,
            gap: MissingGap::Expected,
        };
        for weights in [weights.clone(), real] {
            let control = Control::new(2);
            let rows = random.with_numbers(&numbers, Counts::of(weights.clone()));
            let whole = neighbour_scores(&control, &rows, method, Multiclass::Prior).unwrap();
            // the order in which rows are given changes no bit
            let taken = random.taken(&order);
            let weights = order.iter().map(|&i| weights[i]).collect();
            let other = taken.with_numbers(&moved, Counts::of(weights));
            let reversed = neighbour_scores(&control, &other, method, Multiclass::Prior).unwrap();
            assert_eq!(reversed, whole, "seed {seed}");
            // neither does a division of the work
            let shares: Vec<Share> = (0..3).map(|index| Share { index, of: 3 }).collect();
            assert!(needs_total(&rows, method));
            let total = shares
                .iter()
                .flat_map(|&share| distance_parts(&control, &rows, method, share).unwrap())
                .fold(DistanceSum::default(), |a, b| a + b);
            let mut sums = vec![0.0; rows.features()];
            for &share in &shares {
                let search = (method, Multiclass::Prior);
                for part in neighbour_parts(&control, &rows, search, share, Some(total)).unwrap() {
                    sums.iter_mut().zip(&part.each).for_each(|(to, s)| *to = *to + part.all + s);
                }
            }
            round(&mut sums);
            assert_eq!(sums, whole, "seed {seed}");
        }
    }
}

#[test]
fn targets_of_the_other_kind_are_refused() {
    let (random, numbers, _) = rows_of_numbers(2);
    let weights = vec![2.0; numbers.len()];
    let method = |ties| NeighbourMethod::RReliefF {
        k: 3,
        ties,
        ranks: Ranks::Equal,
        gap: MissingGap::Largest,
    };
    let scores = |rows: &NeighbourRows<'_>, method| {
        neighbour_scores(&Control::new(1), rows, method, Multiclass::Prior)
    };
    let of_numbers = random.with_numbers(&numbers, Counts::One);
    assert!(scores(&of_numbers, method(NeighbourTies::Share)).is_ok());
    assert!(scores(&of_numbers, NeighbourMethod::Surf { star: false }).is_err());
    assert!(scores(&random.weighted(Counts::One), method(NeighbourTies::Share)).is_err());
    // Weka reads no weights
    let copies = random.with_numbers(&numbers, Counts::of(weights));
    assert!(scores(&copies, method(NeighbourTies::Listed)).is_err());
}
