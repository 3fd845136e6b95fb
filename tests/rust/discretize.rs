//! Cut points against naive twins written from the formulas, and the laws that every binning obeys.

use fasttree_core::data::{Bins, NominalColumn, NumericColumn, RowSet, Weights};
use fasttree_core::discretize::{DiscretizeMethod, LARGEST_BINS, fit, fit_values, mean, mode};
use fasttree_core::numeric::mix;
use proptest::prelude::*;

const NO_CUTS: [f64; 0] = [];
const METHODS: [DiscretizeMethod; 3] = [
    DiscretizeMethod::EqualWidth { bins: 4 },
    DiscretizeMethod::EqualFrequency { bins: 4 },
    DiscretizeMethod::Mdlp,
];

fn plain(method: DiscretizeMethod, values: &[f64], classes: &[u16]) -> Vec<f64> {
    fit_values(&method, values, classes, 3, None).unwrap()
}

#[test]
fn equal_width_is_min_plus_i_widths_in_this_order() {
    let values = [4.3, 7.9, 5.1, f64::NAN];
    let expected: Vec<f64> = (1..10).map(|i| 4.3 + f64::from(i) * ((7.9 - 4.3) / 10.0)).collect();
    assert_eq!(plain(DiscretizeMethod::EqualWidth { bins: 10 }, &values, &[]), expected);
    assert_eq!(plain(DiscretizeMethod::EqualWidth { bins: 1 }, &values, &[]), NO_CUTS);
}

#[test]
fn nothing_to_cut_is_one_bin() {
    for method in METHODS {
        for values in
            [vec![], vec![f64::NAN; 3], vec![2.5; 4], vec![f64::NAN, 1.0, 1.0], vec![-0.0, 0.0]]
        {
            let classes: Vec<u16> = (0..values.len() as u16).map(|i| i % 2).collect();
            assert_eq!(plain(method, &values, &classes), NO_CUTS, "{method:?} {values:?}");
        }
    }
}

#[test]
fn the_widest_and_the_narrowest_ranges_have_finite_ascending_cuts() {
    let (lo, hi) = (-f64::MAX, f64::MAX);
    for method in METHODS {
        let narrow = [[1.0, 1.0f64.next_up()], [0.0, 5e-324], [1e16, 1e16 + 2.0]];
        for values in [[lo, hi], [lo, 0.0], [1e300, 1.7e308]].into_iter().chain(narrow) {
            let bins = Bins::new(plain(method, &values, &[0, 1])).unwrap();
            assert!(bins.bin(values[0]) == 0, "{method:?} {values:?} {bins:?}");
            let separated = bins.bin(values[1]) == bins.len() as u32 - 1 && bins.len() > 1;
            assert!(
                separated || (method == METHODS[0] && values[1] <= 1e16 + 2.0),
                "{method:?} {values:?} {bins:?}"
            );
        }
    }
    let cuts = plain(DiscretizeMethod::EqualWidth { bins: 4 }, &[lo, hi], &[]);
    let expected = [lo / 2.0, 0.0, hi / 2.0];
    assert!(cuts.iter().zip(expected).all(|(c, e)| (c - e).abs() <= e.abs() * 1e-15), "{cuts:?}");
    let cuts = plain(DiscretizeMethod::EqualWidth { bins: 65_535 }, &[lo, hi], &[]);
    assert!(cuts.len() == 65_534 && cuts.windows(2).all(|w| w[0] < w[1]));
}

#[test]
fn equal_frequency_breaks_where_the_count_is_nearest() {
    let frequency =
        |values: &[f64], bins| plain(DiscretizeMethod::EqualFrequency { bins }, values, &[]);
    assert_eq!(frequency(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3), [2.5, 4.5]);
    // Aim 3: after the value 1 there are 2 rows (1 off), after the 2 there are 5 (2 off).
    assert_eq!(frequency(&[1.0, 1.0, 2.0, 2.0, 2.0, 3.0], 2), [1.5]);
    // Aim 3: 2 and 4 are equally near; the later one is taken.
    assert_eq!(frequency(&[1.0, 1.0, 2.0, 2.0, 3.0, 4.0], 2), [2.5]);
    // The aim of 4 is not reached before the last value: the last boundary is taken.
    assert_eq!(frequency(&[1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0], 2), [2.5]);
    // One heavy value uses up what its neighbours would have had.
    assert_eq!(frequency(&[1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 3.0], 4), [1.5, 2.5]);
    assert_eq!(frequency(&[1.0, 2.0, 3.0], 10), [1.5, 2.5]);
}

#[test]
fn mdlp_by_hand() {
    // N = 8, gain 1: log2(7) + log2(7) - 2 = 3.61 < 8.
    let classes = [0, 0, 0, 0, 1, 1, 1, 1];
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    assert_eq!(plain(DiscretizeMethod::Mdlp, &values, &classes), [4.5]);
    // N = 2, gain 1: (log2(1) + log2(7) - 2) / 2 = 0.40; N = 3, gain 0.918: (1 + 0.97) / 3 = 0.66.
    assert_eq!(plain(DiscretizeMethod::Mdlp, &[1.0, 2.0], &[0, 1]), [1.5]);
    assert_eq!(plain(DiscretizeMethod::Mdlp, &[1.0, 2.0, 3.0], &[0, 1, 1]), [1.5]);
    // N = 4, alternating: the best gain 0.311 is below (log2(3) + 1.19) / 4.
    assert_eq!(plain(DiscretizeMethod::Mdlp, &[1.0, 2.0, 3.0, 4.0], &[0, 1, 0, 1]), NO_CUTS);
    // Three classes in a row need two cuts.
    let classes: Vec<u16> = (0..30).map(|i| i / 10).collect();
    let values: Vec<f64> = (0..30).map(f64::from).collect();
    assert_eq!(plain(DiscretizeMethod::Mdlp, &values, &classes), [9.5, 19.5]);
}

#[test]
fn parameters_travel_as_json_and_are_checked() {
    let read = |text: &str| serde_json::from_str::<DiscretizeMethod>(text);
    assert_eq!(
        read(r#"{"method":"equal_width"}"#).unwrap(),
        DiscretizeMethod::EqualWidth { bins: 10 }
    );
    assert_eq!(
        read(r#"{"method":"equal_frequency","n_bins":3}"#).unwrap(),
        DiscretizeMethod::EqualFrequency { bins: 3 }
    );
    assert_eq!(read(r#"{"method":"mdlp"}"#).unwrap(), DiscretizeMethod::Mdlp);
    for method in METHODS {
        assert_eq!(read(&serde_json::to_string(&method).unwrap()).unwrap(), method);
    }
    assert!(read(r#"{"method":"equal_size"}"#).is_err());
    assert!(read(r#"{"method":"equal_width","n_bins":-1}"#).is_err());
    assert!(read(r#"{"method":"equal_width","bins":3}"#).is_err());
    for bins in [0, LARGEST_BINS + 1] {
        for method in
            [DiscretizeMethod::EqualWidth { bins }, DiscretizeMethod::EqualFrequency { bins }]
        {
            let message = fit_values(&method, &[1.0], &[], 0, None).unwrap_err().to_string();
            assert!(message.contains("n_bins") && message.contains("65535"), "{message}");
        }
    }
}

#[test]
fn bad_slices_are_refused_by_row() {
    let refused = |method, values: &[f64], classes: &[u16], weights: Option<&[f64]>| {
        fit_values(&method, values, classes, 2, weights).unwrap_err().to_string()
    };
    assert!(refused(METHODS[0], &[1.0, f64::INFINITY], &[], None).contains("row 1"));
    assert!(
        refused(DiscretizeMethod::Mdlp, &[1.0, 2.0], &[0], None)
            .contains("classes has 1 entries for 2")
    );
    assert!(
        refused(DiscretizeMethod::Mdlp, &[1.0, 2.0], &[0, 2], None)
            .contains("row 1: class code 2 of 2")
    );
    assert!(refused(METHODS[1], &[1.0, 2.0], &[], Some(&[1.0])).contains("weights has 1"));
    assert!(refused(METHODS[1], &[1.0, 2.0], &[], Some(&[1.0, -1.0])).contains("row 1"));
}

#[test]
fn real_weights_of_a_small_sum_make_no_message() {
    // Two rows that weigh 1 together are fewer than two copies: MDLP leaves them, equal frequency
    // does not.
    let cuts = |method| fit_values(&method, &[1.0, 2.0], &[0, 1], 2, Some(&[0.5, 0.5])).unwrap();
    assert_eq!(cuts(DiscretizeMethod::Mdlp), NO_CUTS);
    assert_eq!(cuts(DiscretizeMethod::EqualFrequency { bins: 2 }), [1.5]);
    // Scaled by a power of two, real weights move no equal-frequency cut.
    let values = [1.0, 2.0, 3.0, 4.0, 5.0];
    let whole = [3.0, 1.0, 2.0, 2.0, 5.0];
    let halves: Vec<f64> = whole.iter().map(|w| w / 8.0).collect();
    let frequency = |w: &[f64]| fit_values(&METHODS[1], &values, &[], 0, Some(w)).unwrap();
    assert_eq!(frequency(&whole), frequency(&halves));
}

#[test]
fn replacements_are_the_exact_mean_and_the_first_mode() {
    let values = [1e16, 1.0, f64::NAN, 1.0, -1e16];
    let all = RowSet::all(5);
    // A running sum would lose one or both of the ones, depending on the order.
    for order in [[0, 1, 2, 3, 4], [0, 4, 1, 2, 3], [4, 0, 1, 2, 3]] {
        let column = NumericColumn::new(order.iter().map(|&i: &usize| values[i]).collect());
        assert_eq!(mean(&column, &all, &Weights::Unit), Some(0.5), "{order:?}");
    }
    let column = NumericColumn::new(vec![-1e16, 1e16, 1.0, f64::NAN, 1.0]);
    let weights = Weights::Integer(vec![0, 0, 3, 9, 1]);
    assert_eq!(mean(&column, &all, &weights), Some(1.0));
    assert_eq!(mean(&column, &RowSet::new(vec![3], 5), &Weights::Unit), None);
    let huge = NumericColumn::new(vec![f64::MAX, f64::MAX]);
    assert_eq!(mean(&huge, &RowSet::all(2), &Weights::Unit), Some(f64::MAX));

    const NONE: u32 = fasttree_core::data::MISSING;
    for levels in [3, 300] {
        let column = NominalColumn::new(levels, [2, 1, NONE, 1, 2, NONE].into_iter());
        let all = RowSet::all(6);
        assert_eq!(mode(&column, &all, &Weights::Unit), Some(1));
        assert_eq!(mode(&column, &all, &Weights::Integer(vec![2, 1, 9, 1, 1, 9])), Some(2));
        assert_eq!(mode(&column, &RowSet::new(vec![0, 2], 6), &Weights::Unit), Some(2));
        assert_eq!(mode(&column, &RowSet::new(vec![2, 5], 6), &Weights::Unit), None);
    }
}

/// Equal frequency with rows instead of groups and fractions instead of integers.
fn naive_frequency(values: &[f64], bins: usize) -> Vec<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    let mut cuts = Vec::new();
    let mut start = 0;
    for open in (2..=bins).rev() {
        let aim = (sorted.len() - start) as f64 / open as f64;
        let ends: Vec<usize> =
            (start + 1..sorted.len()).filter(|&e| sorted[e - 1] < sorted[e]).collect();
        let Some(&last) = ends.last() else { break };
        let reach = ends.iter().copied().find(|&e| (e - start) as f64 >= aim);
        let end = match reach {
            None => last,
            Some(over) => match ends.iter().copied().rfind(|&e| e < over) {
                Some(under) if aim - ((under - start) as f64) < (over - start) as f64 - aim => {
                    under
                }
                _ => over,
            },
        };
        cuts.push((sorted[end - 1] + sorted[end]) / 2.0);
        start = end;
    }
    cuts
}

/// MDLP by recursion over sorted pairs, every entropy from scratch.
fn naive_mdlp(pairs: &[(f64, u16)], cuts: &mut Vec<f64>) {
    let information = |part: &[(f64, u16)]| {
        let counts: Vec<f64> =
            (0..3).map(|c| part.iter().filter(|p| p.1 == c).count() as f64).collect();
        let n = part.len() as f64;
        let log2 = |x: f64| x.ln() / std::f64::consts::LN_2;
        let sum: f64 = counts.iter().filter(|&&c| c > 0.0).map(|c| c * log2(*c)).sum();
        (-sum / n + log2(n), counts.iter().filter(|&&c| c > 0.0).count() as f64)
    };
    let n = pairs.len() as f64;
    let (h, k) = information(pairs);
    let mut best: Option<(f64, usize)> = None;
    for at in 1..pairs.len() {
        if pairs[at - 1].0 < pairs[at].0 {
            let e = (at as f64 * information(&pairs[..at]).0
                + (n - at as f64) * information(&pairs[at..]).0)
                / n;
            if e < best.map_or(h, |b| b.0) {
                best = Some((e, at));
            }
        }
    }
    let Some((e, at)) = best else { return };
    let ((h1, k1), (h2, k2)) = (information(&pairs[..at]), information(&pairs[at..]));
    let delta = (3_f64.powf(k) - 2.0).log2() - (k * h - k1 * h1 - k2 * h2);
    if h - e > ((n - 1.0).log2() + delta) / n {
        naive_mdlp(&pairs[..at], cuts);
        cuts.push((pairs[at - 1].0 + pairs[at].0) / 2.0);
        naive_mdlp(&pairs[at..], cuts);
    }
}

/// Rows of a column: few distinct values with some missing, a class that often follows the value, a
/// weight.
fn rows() -> impl Strategy<Value = Vec<(f64, u16, u32)>> {
    let row = (0_i32..40, 0_u16..3, 0_u32..4, any::<bool>(), 0_u8..12).prop_map(
        |(v, c, w, follow, gap)| {
            let class = if follow { (v / 14) as u16 } else { c };
            (if gap == 0 { f64::NAN } else { f64::from(v) / 4.0 }, class, w)
        },
    );
    prop::collection::vec(row, 1..120)
}

fn columns(rows: &[(f64, u16, u32)]) -> (Vec<f64>, Vec<u16>, Vec<f64>) {
    (
        rows.iter().map(|r| r.0).collect(),
        rows.iter().map(|r| r.1).collect(),
        rows.iter().map(|r| f64::from(r.2)).collect(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn bins_partition_the_line(rows in rows(), probe in -20.0..20.0) {
        let (values, classes, _) = columns(&rows);
        for method in METHODS {
            let cuts = plain(method, &values, &classes);
            prop_assert!(cuts.windows(2).all(|w| w[0] < w[1]));
            let edges: Vec<f64> =
                [f64::NEG_INFINITY]
                    .into_iter()
                    .chain(cuts.clone())
                    .chain([f64::INFINITY])
                    .collect();
            let inside: Vec<usize> =
                (0..=cuts.len()).filter(|&b| edges[b] < probe && probe <= edges[b + 1]).collect();
            let bins = Bins::new(cuts).unwrap();
            prop_assert_eq!(inside, vec![bins.bin(probe) as usize]);
        }
    }

    #[test]
    fn weights_are_copies_and_zero_is_absence(rows in rows()) {
        let (values, classes, weights) = columns(&rows);
        prop_assume!(weights.iter().any(|&w| w > 0.0));
        let copies: Vec<_> =
            rows.iter().flat_map(|r| std::iter::repeat_n(*r, r.2 as usize)).collect();
        let (copied, copied_classes, _) = columns(&copies);
        for method in METHODS {
            let weighted = fit_values(&method, &values, &classes, 3, Some(&weights)).unwrap();
            prop_assert_eq!(weighted, plain(method, &copied, &copied_classes));
        }
    }

    #[test]
    fn row_order_changes_nothing(rows in rows(), seed in any::<u64>()) {
        let mut shuffled = rows.clone();
        shuffled.sort_by_key(|r| mix(seed, r.0.to_bits() ^ u64::from(r.1) << 40));
        let ((v, c, w), (sv, sc, sw)) = (columns(&rows), columns(&shuffled));
        prop_assume!(w.iter().any(|&w| w > 0.0));
        let halves = |w: &[f64]| w.iter().map(|w| w * 0.3).collect::<Vec<_>>();
        for method in METHODS {
            prop_assert_eq!(plain(method, &v, &c), plain(method, &sv, &sc));
            prop_assert_eq!(
                fit_values(&method, &v, &c, 3, Some(&halves(&w))).unwrap(),
                fit_values(&method, &sv, &sc, 3, Some(&halves(&sw))).unwrap()
            );
        }
    }

    #[test]
    fn fitting_some_rows_is_fitting_their_copy(rows in rows(), keep in any::<u64>()) {
        let (values, classes, weights) = columns(&rows);
        let kept: Vec<u32> =
            (0..rows.len() as u32)
                .filter(|&i| !mix(keep, u64::from(i)).is_multiple_of(3))
                .collect();
        prop_assume!(kept.iter().any(|&i| rows[i as usize].2 > 0));
        let part: Vec<_> = kept.iter().map(|&i| rows[i as usize]).collect();
        let (part_values, part_classes, part_weights) = columns(&part);
        let column = NumericColumn::new(values);
        let set = RowSet::new(kept, rows.len());
        let integers = Weights::Integer(weights.iter().map(|&w| w as u32).collect());
        for method in METHODS {
            let bins = fit(&method, &column, &classes, 3, &set, &integers).unwrap();
            let alone =
                fit_values(&method, &part_values, &part_classes, 3, Some(&part_weights)).unwrap();
            prop_assert_eq!(bins.cuts(), &alone[..]);
        }
    }

    #[test]
    fn equal_frequency_is_the_greedy_rule(rows in rows(), bins in 1_u32..15) {
        let (values, ..) = columns(&rows);
        let expected = naive_frequency(&values, bins as usize);
        prop_assert_eq!(plain(DiscretizeMethod::EqualFrequency { bins }, &values, &[]), expected);
    }

    #[test]
    fn equal_frequency_balances_distinct_values(n in 1_usize..300, bins in 1_u32..20) {
        let values: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let method = DiscretizeMethod::EqualFrequency { bins };
        let cuts = Bins::new(plain(method, &values, &[])).unwrap();
        prop_assert_eq!(cuts.len(), n.min(bins as usize));
        let mut counts = vec![0_usize; cuts.len()];
        values.iter().for_each(|&v| counts[cuts.bin(v) as usize] += 1);
        prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{:?}",
            counts);
    }

    #[test]
    fn mdlp_is_the_recursion(rows in rows()) {
        let (values, classes, _) = columns(&rows);
        let mut pairs: Vec<(f64, u16)> =
            rows.iter().filter(|r| !r.0.is_nan()).map(|r| (r.0, r.1)).collect();
        pairs.sort_by(|a, b| a.partial_cmp(b).unwrap());
        let mut expected = Vec::new();
        naive_mdlp(&pairs, &mut expected);
        prop_assert_eq!(plain(DiscretizeMethod::Mdlp, &values, &classes), expected);
    }
}
