//! Tables against formulas, thresholds that separate, exact sums in any order, keys in order.

use super::*;

#[test]
fn tables_hold_the_formula() {
    let logs = Logs::up_to(1000);
    for c in 0..=1500u32 {
        assert_eq!(c.x_log2_x(logs), x_log2_x(f64::from(c)));
        if c > 0 {
            assert_eq!(Count::log2(c, logs), log2(f64::from(c)));
        }
    }
}

#[test]
fn midpoints_separate() {
    for (lo, hi) in
        [(1.0, 1.0f64.next_up()), (0.0, 5e-324), (-1e308, 1e308), (1e300, 1.7e308), (-3.0, 4.0)]
    {
        let t = midpoint(lo, hi);
        assert!(lo <= t && t < hi, "{lo} {hi} {t}");
    }
}

#[test]
fn a_reach_is_the_last_number_within_the_tolerance() {
    let small =
        [0.0, 5e-324, 1e-310, 1e-22, 1e-7, 1e-6, 0.1, 1.0, 3.7, 1e3, 1e9, 1e10, 1e17, f64::MAX];
    for t in small.iter().flat_map(|&t| [t, -t, t.next_up(), -t.next_up()]) {
        for tolerance in [0.0, 1e-6, 0.5] {
            if !t.is_finite() {
                continue;
            }
            let last = reach(t, tolerance);
            let within = |x: f64| x <= t || x - t < tolerance;
            assert!(within(last) && !within(last.next_up()), "{t:e} {tolerance} {last:e}");
            assert!(tolerance > 0.0 || last == t, "{t:e}");
        }
    }
}

#[test]
fn exact_sums_do_not_depend_on_order() {
    let terms: Vec<f64> = (0..200)
        .map(|i| (mix(1, i) as f64 - 9e18) * f64::powi(2.0, (mix(2, i) % 90) as i32))
        .collect();
    let sum = |order: &[usize]| {
        let mut s = ExactSum::default();
        order.iter().for_each(|&i| s.add_product(terms[i], 1.0));
        s.value()
    };
    let forward: Vec<usize> = (0..200).collect();
    let mut other = forward.clone();
    other.sort_by_key(|&i| mix(3, i as u64));
    assert_eq!(sum(&forward), sum(&other));
    let mut cancel = ExactSum::default();
    for x in [1e100, 1.0, -1e100] {
        cancel.add_product(x, 1.0);
    }
    assert_eq!(cancel.value(), 1.0);
}

#[test]
fn sums_by_exponent_are_the_same_sums() {
    for (seed, spread) in [(1, 1), (2, 90), (3, 600), (4, 2000)] {
        let number = |i| {
            let wide = mix(seed, 1000 + i) % spread;
            let size = (mix(seed, i) >> 12) as f64 * f64::powi(2.0, wide as i32 / 2);
            let small = size * f64::powi(2.0, -(wide as i32 / 2) - 52);
            if mix(seed, 5000 + i).is_multiple_of(2) {
                small
            } else {
                -small * f64::powi(2.0, -(wide as i32 / 4))
            }
        };
        let terms: Vec<f64> =
            (0..400).map(number).chain([0.0, -0.0, 5e-324, -1e-310, 1e300, 1e-300]).collect();
        let (mut one, mut all) = (ExactSum::default(), ExactSum::default());
        terms.iter().for_each(|&x| one.add_product(x, 1.0));
        all.add_all(terms.iter().copied());
        assert_eq!(one.value().to_bits(), all.value().to_bits(), "{seed}");
        let mut nothing = ExactSum::default();
        nothing.add_all(terms.iter().flat_map(|&x| [x, -x]));
        assert_eq!(nothing.value(), 0.0);
    }
}

#[test]
fn keys_keep_order() {
    let v = [f64::MIN, -1.0, -5e-324, 0.0, 5e-324, 1.0, f64::MAX];
    assert!(v.windows(2).all(|w| order_key(w[0]) < order_key(w[1])));
    assert_eq!(order_key(-0.0), order_key(0.0));
}

#[test]
fn sorting_few_items_is_stable_sorting() {
    for seed in 0..200 {
        let item = |i: u64| (uniform(mix(seed, i), 6), i);
        let mut items: Vec<(u64, u64)> = (0..uniform(mix(seed, 99), 30)).map(item).collect();
        let mut sorted = items.clone();
        sorted.sort_by_key(|own| own.0);
        sort_few(&mut items, &|a, b| a.0.cmp(&b.0));
        assert_eq!(items, sorted);
    }
}
