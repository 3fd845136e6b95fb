//! The kernels of [`Kernels`] compared with naive loops over pairs and bits, on every level that
//! this machine has.

use super::*;

/// A xorshift generator.
struct XorshiftRng(u64);

impl XorshiftRng {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, bound: usize) -> usize {
        (self.bits() >> 20) as usize % bound
    }
}

/// The columns of a tile and some rows, as codes.
struct Case {
    kernels: Kernels,
    /// Codes of every feature.
    levels: usize,
    features: usize,
    /// Columns in use.
    used: usize,
    columns: Vec<Vec<usize>>,
    rows: Vec<Vec<usize>>,
}

impl Case {
    fn new(level: Level, draw: &mut XorshiftRng) -> Self {
        let kernels = Kernels::at(level);
        let (levels, features) = (1 + draw.below(4), 1 + draw.below(40));
        let used = 1 + draw.below(64 * kernels.words());
        let mut code = |n: usize| -> Vec<Vec<usize>> {
            (0..n).map(|_| (0..features).map(|_| draw.below(levels)).collect()).collect()
        };
        Self { kernels, levels, features, used, columns: code(used), rows: code(61) }
    }

    /// The planes of all slots, and the columns in use.
    fn planes(&self) -> (Buffer, Buffer) {
        let w = self.kernels.words();
        let mut planes = Buffer::zeroed(self.features * self.levels * w);
        let mut valid = Buffer::zeroed(w);
        for (c, column) in self.columns.iter().enumerate() {
            valid[c / 64] |= 1 << (c % 64);
            for (k, code) in column.iter().enumerate() {
                planes[(k * self.levels + code) * w + c / 64] |= 1 << (c % 64);
            }
        }
        (planes, valid)
    }

    fn slots(&self, row: usize) -> Vec<u32> {
        self.rows[row].iter().enumerate().map(|(k, code)| (k * self.levels + code) as u32).collect()
    }

    fn distance(&self, row: usize, column: usize) -> usize {
        self.rows[row].iter().zip(&self.columns[column]).filter(|(a, b)| a != b).count()
    }
}

/// Check random cases on every level.
fn cases(mut check: impl FnMut(&Case, &mut XorshiftRng)) {
    let mut draw = XorshiftRng(0x9E37_79B9_7F4A_7C15);
    for level in Level::available() {
        for _ in 0..60 {
            let case = Case::new(level, &mut draw);
            check(&case, &mut draw);
        }
    }
}

/// The memory of a [`CounterState`].
struct CounterBuffers {
    hot: Buffer,
    cold: Buffer,
    depth: usize,
    blocks: u32,
}

impl CounterBuffers {
    fn state(&mut self) -> CounterState<'_> {
        let Self { hot, cold, depth, blocks } = self;
        CounterState { hot, cold, depth: *depth, blocks }
    }

    fn counter(&self, length: usize, index: usize) -> Counter<'_> {
        let Self { hot, cold, depth, blocks } = self;
        Counter { hot, cold, depth: *depth, blocks: *blocks, length, index }
    }
}

#[test]
fn distances_and_counters() {
    cases(|case, draw| {
        let (k, w, n) = (case.kernels, case.kernels.words(), case.features);
        let (planes, valid) = case.planes();
        let first = draw.below(n + 1);
        let window = Window { features: n, first, length: 1 + draw.below(n + 1 - first) };
        let slots = Slots::new((0..case.rows.len()).flat_map(|r| case.slots(r)).collect(), n);
        let mut numbers = Buffer::zeroed(case.rows.len() * window.planes() * w);
        let mut outside = Buffer::zeroed(case.rows.len() * w);
        let any = k.distances(&planes, &valid, &slots, window, &mut numbers, &mut outside);
        assert_eq!(any, outside.iter().any(|&o| o != 0));
        let inside =
            |r: usize, c: usize| (window.first..=window.largest()).contains(&case.distance(r, c));
        for r in 0..case.rows.len() {
            for c in 0..64 * w {
                let bit = |words: &[u64]| (words[c / 64] >> (c % 64) & 1) as usize;
                let p = window.planes();
                let number =
                    (0..p).map(|q| bit(&numbers[(r * p + q) * w..][..w]) << q).sum::<usize>();
                let is_inside = c < case.used && inside(r, c);
                let expected =
                    if is_inside { window.largest() + 1 - case.distance(r, c) } else { 0 };
                assert_eq!(number, expected, "{} row {r} column {c}", k.level.name());
                assert_eq!(bit(&outside[r * w..][..w]) == 1, c < case.used && !inside(r, c));
            }
        }
        // Count the rows of one feature by value, all rows, and some rows, several times each.
        let feature = draw.below(n);
        let of_value = |v: usize| (0..case.rows.len()).filter(move |&r| case.rows[r][feature] == v);
        let of_value = |v: usize| of_value(v).map(|r| r as u16).collect::<Vec<_>>();
        let lists: Vec<Vec<u16>> = (0..case.levels).map(of_value).collect();
        let mut lists: Vec<_> =
            lists.iter().enumerate().map(|(v, rows)| (v as u16, &rows[..])).collect();
        let schedule = Schedule::deal(&mut lists);
        let (depth, times) = (12, 1 + draw.below(7));
        let [mut same, mut all, mut some] = [(); 3].map(|()| CounterBuffers {
            hot: Buffer::zeroed(window.length * 4 * w),
            cold: Buffer::zeroed(window.length * cold_planes(depth) * w),
            depth,
            blocks: 0,
        });
        let chosen: Vec<u16> = (0..case.rows.len() as u16).filter(|_| draw.below(3) > 0).collect();
        let alone = Schedule::alone(&chosen);
        for _ in 0..times {
            let own = &planes[feature * case.levels * w..];
            k.tally(&numbers, &schedule, own, window, same.state());
            k.tally_all(&numbers, case.rows.len(), window, all.state());
            k.tally(&numbers, &alone, own, window, some.state());
        }
        let mask: Vec<u64> = (0..w).map(|_| draw.bits()).collect();
        let mut bytes = Buffer::default();
        k.byte_masks(&planes, &mut bytes);
        let slots = SlotMasks { planes: &planes, bytes: &bytes };
        let own = slots.slice(feature * case.levels..(feature + 1) * case.levels, w);
        for index in 0..window.length {
            let at = |r: usize, c: usize| case.distance(r, c) == window.distance(index);
            let [of_same, of_all, of_some] = [&same, &all, &some].map(|buffers| {
                let mut out = vec![7u64; own.planes.len()];
                k.flush(buffers.counter(window.length, index), own, &mask, &mut out);
                out
            });
            for v in 0..case.levels {
                for word in 0..w {
                    let taken = |c: &usize| {
                        *c < case.used
                            && mask[word] >> (c % 64) & 1 == 1
                            && case.columns[*c][feature] == v
                    };
                    let columns = (word * 64..(word + 1) * 64).filter(taken);
                    let rows = |c: usize| (0..case.rows.len()).filter(|&r| at(r, c)).count();
                    let few = |c: usize| chosen.iter().filter(|&&r| at(usize::from(r), c)).count();
                    let expected: usize = columns.clone().map(few).sum::<usize>() * times;
                    assert_eq!(of_some[v * w + word] as usize, expected, "{}", k.level.name());
                    let expected: usize = columns.clone().map(rows).sum::<usize>() * times;
                    assert_eq!(of_all[v * w + word] as usize, expected, "{}", k.level.name());
                    let equal = |c: usize| {
                        (0..case.rows.len())
                            .filter(|&r| case.rows[r][feature] == v && at(r, c))
                            .count()
                    };
                    let expected: usize = columns.map(equal).sum::<usize>() * times;
                    assert_eq!(of_same[v * w + word] as usize, expected, "{}", k.level.name());
                }
            }
        }
    });
}

#[test]
fn wide_kernels() {
    cases(|case, draw| {
        let (k, w) = (case.kernels, case.kernels.words());
        let (planes, _) = case.planes();
        let row = draw.below(case.rows.len());
        let codes: Vec<u8> = case.rows[row].iter().map(|&c| c as u8).collect();
        let mut far = vec![3u32; 64 * w];
        k.add_distances(&planes, &codes, case.levels, &mut far);
        for c in 0..case.used {
            assert_eq!(far[c] as usize, 3 + case.distance(row, c));
        }
        let width = 64 * (1 + draw.below(6));
        let bytes: Vec<u8> = (0..width * 20).map(|_| draw.below(3) as u8).collect();
        let members: Vec<u32> = (0..draw.below(600)).map(|_| draw.below(20) as u32).collect();
        let mut out = vec![1.0; width];
        k.add_mismatches(&bytes[..width], &bytes, &members, 0.5, &mut out);
        for (c, &sum) in out.iter().enumerate() {
            let differ =
                members.iter().filter(|&&m| bytes[m as usize * width + c] != bytes[c]).count();
            assert_eq!(sum, 1.0 + 0.5 * differ as f64);
        }
        let numbers: Vec<f64> = (0..50).map(|_| draw.below(1000) as f64 / 1000.0).collect();
        let mut gaps = vec![0.25; 50];
        k.add_gaps(&numbers, 0.7, &mut gaps);
        assert!(numbers.iter().zip(&gaps).all(|(&x, g)| *g == 0.25 + (x - 0.7).abs()));
    });
}

#[test]
fn moments_thresholds_and_shares() {
    let mut draw = XorshiftRng(0x2545_F491_4F6C_DD1D);
    for level in Level::available() {
        for _ in 0..40 {
            let k = Kernels::at(level);
            let (w, tiles, depth) = (k.words(), 1 + draw.below(4), 1 + draw.below(11));
            let stride = depth * w + 8 * draw.below(3);
            let numbers: Vec<u32> =
                (0..tiles * 64 * w).map(|_| draw.below(1 << depth) as u32).collect();
            let mut planes = vec![0u64; tiles * stride];
            for (at, number) in numbers.iter().enumerate() {
                let (tile, bit) = (at / (64 * w), at % (64 * w));
                for p in 0..depth {
                    planes[tile * stride + p * w + bit / 64] |=
                        u64::from(number >> p & 1) << (bit % 64);
                }
            }
            let all = TileNumbers { planes: &planes, stride, tiles, depth };
            let sum: u64 = numbers.iter().map(|&x| u64::from(x)).sum();
            let squares: u64 = numbers.iter().map(|&x| u64::from(x) * u64::from(x)).sum();
            assert_eq!(k.moments(all), RowSums { sum, squares }, "{}", level.name());
            let mut sorted = numbers.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let mut mask = vec![0u64; tiles * w];
            let rank = 1 + draw.below(numbers.len());
            assert_eq!(k.kth_largest(all, rank as u32, &mut mask), sorted[rank - 1]);
            let low = draw.below(1 << depth) as u32;
            k.at_least(all, low, &mut mask);
            for (at, &number) in numbers.iter().enumerate() {
                assert_eq!(mask[at / 64] >> (at % 64) & 1 == 1, number >= low);
            }
            assert_eq!(k.size(&mask) as usize, numbers.iter().filter(|&&x| x >= low).count());
            let n_slots = 1 + draw.below(7);
            let own: Vec<u64> = (0..tiles * n_slots * w).map(|_| draw.bits()).collect();
            let slots: Vec<u32> =
                (0..1 + draw.below(9)).map(|_| draw.below(n_slots) as u32).collect();
            let mut out = vec![0; slots.len()];
            k.shared(&mask, &own, n_slots * w, &slots, &mut out);
            for (&slot, &count) in slots.iter().zip(&out) {
                let both =
                    |at: usize| mask[at] & own[(at / w * n_slots + slot as usize) * w + at % w];
                assert_eq!(count, (0..tiles * w).map(|at| both(at).count_ones()).sum::<u32>());
            }
        }
    }
}

#[test]
#[should_panic]
fn a_row_outside_its_masks_is_a_panic() {
    let kernels = Kernels::active();
    let schedule = Schedule::deal(&mut [(0, &[5])]);
    let window = Window { features: 3, first: 0, length: 4 };
    let (mut hot, mut cold) = (vec![0; 4096], vec![0; 1 << 16]);
    let state = CounterState { hot: &mut hot, cold: &mut cold, depth: 4, blocks: &mut 0 };
    kernels.tally(&[0; 8], &schedule, &[0; 8], window, state);
}

#[test]
#[should_panic]
fn a_code_without_planes_is_a_panic() {
    let kernels = Kernels::active();
    kernels.add_distances(&[0; 64], &[0, 3], 2, &mut [0; 512]);
}

#[test]
#[should_panic(expected = "is_multiple_of")]
fn planes_begin_on_a_multiple_of_sixteen_bytes() {
    let planes = Buffer::zeroed(65);
    Kernels::at(Level::Baseline).size(&planes[1..65]);
}
