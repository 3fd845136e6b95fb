//! The fixed-weight pass against integer contractions of the exact counts, and its error bound.

use super::contract::count_matrices;
use super::input::SlotRows;
use super::plan::counting_pays;
use super::tests::{CounterRng, Random};
use super::weigh::{by_counts, by_sums, few_rows};
use super::{
    CodeTable, Decay, PairCounts, PairMetric, PairSetting, Profile, WeighedPairs, naive,
    weigh_pairs,
};
use crate::memory::Budget;
use crate::parallel::Control;
use crate::simd::{Kernels, Level};

/// A random setting, extremes of alpha and all kinds of decay included.
fn setting(draw: &mut CounterRng) -> PairSetting {
    let alpha = [0.0, 0.1, 0.5, 1.0, 2.0, 7.3, 1e308][draw.below(7)];
    let decay = match draw.below(6) {
        0 | 1 => Decay::Exponential,
        2 => Decay::Power { at_zero: [0.0, 1.0, 5.5][draw.below(3)] },
        3 => Decay::Threshold,
        4 => Decay::Identical,
        _ => Decay::Uniform,
    };
    PairSetting::new([1.0, 0.5, 0.25, 1.0], alpha, decay).unwrap()
}

/// Sums must equal the counts times the integer weights, exactly; R and the scores may differ from
/// the exact ones by half a unit per pair.
fn check(counts: &PairCounts, weighed: &WeighedPairs, setting: &PairSetting, what: &str) {
    let d = counts.distances();
    let weights = setting.weights(d);
    let live = |x: usize| {
        (0..counts.features()).any(|k| counts.feature(k).iter().skip(x).step_by(d).any(|&c| c > 0))
    };
    let flat = weights[1] <= 16.0 * weights[d - 1];
    let nearest = if flat { Some(1) } else { (1..d).find(|&x| live(x)) };
    let largest = nearest.map_or(0.0, |x| weights[x]);
    let whole = |x: usize| match largest > 0.0 {
        true => (weights[x] / largest * (1u64 << 24) as f64).round() as u128,
        false => 0,
    };
    assert!(nearest.is_none() || weighed.unit == largest / (1u64 << 24) as f64, "{what}");
    for k in 0..counts.features() {
        for (c, &sum) in weighed.feature(k).iter().enumerate() {
            let row = &counts.feature(k)[c * d..][..d];
            let expected: u128 =
                (1..d).filter(|&x| row[x] > 0).map(|x| row[x] as u128 * whole(x)).sum();
            assert_eq!(sum, expected, "{what}, feature {k}, cell {c}");
            if c % 4 < 2 {
                let zero = weighed.at_distance_zero(k)[c / 4 * 2 + c % 4];
                assert_eq!(zero, i128::from(row[0]), "{what}, feature {k}, cell {c}");
            }
        }
    }
    let exact = count_matrices(counts, setting);
    let cells = (0..counts.features()).flat_map(|k| counts.feature(k).chunks_exact(d));
    for (i, ((fixed, exact), row)) in weighed.matrices().iter().zip(&exact).zip(cells).enumerate() {
        let pairs: i64 = row[1..].iter().sum();
        let bound = pairs as f64 * largest / (1u64 << 25) as f64 + exact.abs() * 1e-14;
        assert!(
            (fixed - exact).abs() <= bound,
            "{what}: {fixed} for {exact} in cell {i}, bound {bound}"
        );
    }
    let profile = Profile::new(counts);
    let bound = counts.pairs() as f64 * largest / (1u64 << 25) as f64;
    let near = |fixed: Vec<f64>, exact: Vec<f64>, width: f64| {
        for (f, e) in fixed.iter().zip(&exact) {
            let scale = 1e-13 * weights[0].max(largest) * counts.pairs() as f64;
            assert!((f - e).abs() <= width * bound + scale, "{what}: {f} for {e}");
        }
    };
    near(weighed.scores(PairMetric::Pi), profile.scores(PairMetric::Pi, setting), 1.0);
    near(weighed.scores(PairMetric::PlainPi), profile.scores(PairMetric::PlainPi, setting), 1.0);
    near(
        weighed.scores(PairMetric::ContextualMerit),
        profile.scores(PairMetric::ContextualMerit, setting),
        1.0,
    );
    near(vec![weighed.undivided()], vec![profile.undivided(setting)], 1.0);
}

/// The sums by the method that is chosen, which must equal the sums by either method.
fn every_way(
    control: &Control,
    level: Level,
    codes: &CodeTable<'_>,
    setting: &PairSetting,
    from: Option<&[u32]>,
) -> WeighedPairs {
    let kernels = Kernels::at(level);
    let found = weigh_pairs(control, kernels, codes, setting, from).unwrap();
    let active = SlotRows::gather(Budget::default(), codes, None, &|_| 0).unwrap();
    let columns =
        from.map(|from| SlotRows::gather(Budget::default(), codes, Some(from), &|_| 0).unwrap());
    let columns = columns.as_ref().unwrap_or(&active);
    assert!(
        by_sums(control, kernels, columns, &active, setting).unwrap() == found,
        "{}",
        level.name()
    );
    assert!(
        by_counts(control, kernels, columns, &active, setting).unwrap() == found,
        "{}",
        level.name()
    );
    found
}

#[test]
fn sums_are_those_of_the_exact_counts_on_every_level() {
    for seed in 0..260 {
        let mut draw = CounterRng::new(seed, 1 << 35);
        let (rows, features) = match seed % 20 {
            18 => (900, 7),
            19 => (300, 90),
            _ => (90, 12),
        };
        let random = Random::new(seed, rows, features);
        let codes = random.codes();
        let setting = setting(&mut draw);
        let counts = naive::pair_counts(&codes, None, None).unwrap();
        let mut first: Option<WeighedPairs> = None;
        for level in Level::available() {
            let control = Control::new(1 + draw.below(8));
            let found = every_way(&control, level, &codes, &setting, None);
            let what = format!("seed {seed}, {}, {setting:?}", level.name());
            match &first {
                None => check(&counts, &found, &setting, &what),
                Some(first) => assert!(*first == found, "{what}"),
            }
            first.get_or_insert(found);
        }
    }
}

#[test]
fn rows_of_a_partition_have_their_own_sums() {
    for seed in 0..60 {
        let random = Random::new(seed, 400, 9);
        let codes = random.codes();
        let mut draw = CounterRng::new(seed, 1 << 36);
        let setting = setting(&mut draw);
        let from: Vec<u32> = (0..codes.n_rows() as u32).filter(|_| draw.below(3) == 0).collect();
        let counts = naive::pair_counts(&codes, Some(&from), None).unwrap();
        let level = Level::available()[draw.below(Level::available().len())];
        let found = every_way(&Control::new(2), level, &codes, &setting, Some(&from));
        check(&counts, &found, &setting, &format!("seed {seed}"));
    }
}

#[test]
fn many_features_have_many_distances() {
    for (seed, features) in [(1, 70), (2, 140), (3, 300), (4, 2100)] {
        let mut random = Random::new(seed, 2, 1);
        let mut draw = CounterRng::new(seed, 1 << 37);
        let rows = 120;
        random.levels = (0..features).map(|_| 1 + draw.below(5)).collect();
        random.columns = random
            .levels
            .iter()
            .map(|&v| (0..rows).map(|_| draw.below(v) as u16).collect())
            .collect();
        random.classes = (0..rows).map(|_| draw.below(2) as u16).collect();
        (random.n_classes, random.weights) = (2, None);
        let codes = random.codes();
        let setting = PairSetting::new([1.0; 4], 0.4, Decay::Exponential).unwrap();
        let all = SlotRows::gather(Budget::default(), &codes, None, &|_| 0).unwrap();
        let truth = few_rows(&all, &all, &setting).unwrap();
        assert!(truth.matrices().iter().all(|r| r.is_finite()) && truth.unit > 0.0);
        for level in Level::available() {
            let kernels = Kernels::at(level);
            let found = weigh_pairs(&Control::new(2), kernels, &codes, &setting, None).unwrap();
            assert!(found == truth, "{features} features, {}", level.name());
        }
    }
}

#[test]
fn counting_is_chosen_where_few_distances_meet_many_values() {
    let control = Control::new(2);
    for (rows, features, levels, expected) in [
        (1500, 16, 12, true),
        (1500, 40, 2, false),
        (500, 16, 12, false),
        (1500, 900, 3, false),
        (1500, 5, 3, true),
    ] {
        let mut draw = CounterRng::new(rows as u64, features as u64);
        let random = Random {
            columns: (0..features)
                .map(|_| (0..rows).map(|_| draw.below(levels) as u16).collect())
                .collect(),
            levels: vec![levels; features],
            classes: (0..rows).map(|_| draw.below(3) as u16).collect(),
            n_classes: 3,
            weights: None,
        };
        let codes = random.codes();
        let all = SlotRows::gather(Budget::default(), &codes, None, &|_| 0).unwrap();
        for level in Level::available() {
            let additions = features as f64;
            let found = counting_pays(&all, &all, Kernels::at(level).words(), || additions);
            assert_eq!(found, expected, "{rows} x {features}, {levels} values, {}", level.name());
        }
        if features < 100 {
            every_way(&control, Level::active(), &codes, &PairSetting::pi(), None);
        }
    }
}
