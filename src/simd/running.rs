//! Cuts of a sorted order with several classes, scored from running sums over the classes.
//!
//! A cut has the rows before it on its left. When a row of class c passes to the left, the sum of
//! the squares of the classes' rows changes by `2 l_c + 1`, whatever the number of classes: O(1)
//! per cut. (Tables of all classes for each cut took 14.4 s for 100,000 x 20 of 100 classes,
//! running sums 0.6 s.) [`squares`] brings these sums forward, [`purities`] makes Gini scores of
//! them, [`purest`] bounds the scores, [`thresholds`] says which cuts lie between two values, and
//! [`largest`] finds the best of those. `split` walks orders with them in blocks of at most
//! [`BLOCK`] cuts.
//!
//! Every level gives the same bits; the functions named `plain_` are the twins. Sums of up to 32
//! classes take about 0.5 ns per row with AVX-512, which ranks 64 rows within their classes at
//! once, and 1.5 ns otherwise. The vectors of AVX-512 in [`largest`] make whole fits 1.14 times as
//! quick; without the bound of [`purest`] a tree of ten classes took 1.1 times as long.

use super::Level;
use super::level::for_each_level;

#[cfg(target_arch = "x86_64")]
mod avx512;
mod sums;

use sums::ESTIMATE;
pub use sums::{BLOCK, CLASSES, ClassSizes, SideSquares, Squares};

/// A whole number below 2^52 as a double, by operations that every vector unit has: it becomes the
/// mantissa of a number from 2^52 on.
#[inline(always)]
fn number(x: i64) -> f64 {
    const SHIFT: f64 = (1_u64 << 52) as f64;
    f64::from_bits(SHIFT.to_bits() | x as u64) - SHIFT
}

/// Write the class of each entry of an order.
///
/// Rows are sorted by class: `starts` has the first row of each class from the second on, and
/// `codes` the class of every row. With AVX-512 and at most 32 classes the starts are bisected in
/// registers, without a load of `codes` per row.
pub fn classes(level: Level, order: &[u32], starts: &[u32], codes: &[u16], out: &mut [u16]) {
    assert!(order.len() <= out.len());
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if starts.len() < CLASSES => {
            // SAFETY: the level says that the processor has these instructions.
            unsafe { avx512::classes(order, starts, out) }
        }
        _ => {
            for (class, &entry) in out.iter_mut().zip(order) {
                *class = codes[(entry >> 1) as usize];
            }
        }
    }
}

/// Pass rows from the right to the left, and write the sums of squares of the classes' rows on the
/// left and on the right after each of them.
///
/// `rows` has the class of each row, at most [`BLOCK`]. Elements of `left` and `right` behind the
/// last row are not specified. All sums must be below 2^52.
pub fn squares(
    level: Level,
    rows: &[u16],
    sizes: &mut ClassSizes<'_>,
    state: &mut Squares,
    left: &mut [f64; BLOCK],
    right: &mut [f64; BLOCK],
) {
    assert!(rows.len() <= BLOCK);
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if sizes.all.len() == CLASSES => {
            // SAFETY: the level says that the processor has these instructions.
            unsafe { avx512::squares(rows, sizes, state, left, right) }
        }
        _ => plain_squares(rows, sizes, state, left, right),
    }
}

/// [`squares`], row by row.
fn plain_squares(
    rows: &[u16],
    sizes: &mut ClassSizes<'_>,
    state: &mut Squares,
    left: &mut [f64; BLOCK],
    right: &mut [f64; BLOCK],
) {
    let Squares { whole, left: mut squares, mut cross } = *state;
    for ((&class, left), right) in rows.iter().zip(left).zip(right) {
        let class = usize::from(class);
        let (l, n) = (&mut sizes.left[class], sizes.all[class]);
        squares += 2 * i64::from(*l) + 1;
        cross += i64::from(n);
        *l += 1;
        (*left, *right) = (number(squares), number(whole - 2 * cross + squares));
    }
    (state.left, state.cross) = (squares, cross);
}

for_each_level! {
    /// Score cuts with `l` = first, first + 1, ... rows on the left and `r = n - l` on the right:
    /// `(left / l + right / r) * scale - base`, in the order of operations of `criteria::gini`.
    pub fn purities(
        first: u32, sums: SideSquares<'_>, scale: f64, base: f64, out: &mut [f64],
    ) {
        let (first, n) = (first as i32, sums.n as i32);
        for (j, ((left, right), out)) in sums.left.iter().zip(sums.right).zip(out).enumerate() {
            let l = first + j as i32;
            *out = (left / f64::from(l) + right / f64::from(n - l)) * scale - base;
        }
    }
}

for_each_level! {
    /// Score cuts as [`purities`] does, with `rows[j]` rows on the left of cut j. The score of a
    /// cut with no row on a side is not specified.
    pub fn purities_of(
        rows: &[u32], sums: SideSquares<'_>, scale: f64, base: f64, out: &mut [f64],
    ) {
        let SideSquares { n, left, right } = sums;
        for ((&on_left, (left, right)), out) in rows.iter().zip(left.iter().zip(right)).zip(out) {
            let (l, n) = (on_left as i32, n as i32);
            *out = (left / f64::from(l) + right / f64::from(n - l)) * scale - base;
        }
    }
}

/// An upper bound on `left / l + right / r` of all cuts with `l` = first, first + 1, ... rows on
/// the left and `r = n - l` on the right; at most 1.0002 times the largest.
///
/// One division per cut, with AVX-512 an estimate of a reciprocal.
pub fn purest(level: Level, first: u32, sums: SideSquares<'_>) -> f64 {
    let SideSquares { n, left, right } = sums;
    assert!(left.len() == right.len() && first as usize + left.len() <= n as usize);
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the level says that the processor has these instructions.
        Level::Avx512 => unsafe { avx512::purest(first, sums) },
        _ => {
            let mut largest = 0.0;
            for (j, (left, right)) in left.iter().zip(right).enumerate() {
                let l = f64::from(first) + j as f64;
                let r = f64::from(n) - l;
                let purity = (left * r + right * l) / (l * r);
                largest = if purity > largest { purity } else { largest };
            }
            largest * (1.0 + ESTIMATE)
        }
    }
}

/// The cuts that are thresholds, as bits. Cut j lies between entries j and j + 1 of an order.
///
/// No threshold divides rows of equal value. Unless `every` is set, neither does one lie between
/// two rows of the same class each of which is alone with its value: no convex criterion has its
/// maximum there (Fayyad & Irani 1992). `class` has the classes of the first `cuts + 1` entries.
pub fn thresholds(
    level: Level,
    every: bool,
    order: &[u32],
    class: &[u16],
    cuts: usize,
) -> [u64; BLOCK / 64] {
    assert!(cuts <= BLOCK && cuts < class.len() && cuts < order.len());
    let (mut tied, mut changes) = ([0; BLOCK / 64 + 1], [0; BLOCK / 64]);
    let order = &order[..order.len().min(cuts + 2)];
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => {
            // SAFETY: the level says that the processor has these instructions.
            unsafe { avx512::changes(order, &class[..=cuts], &mut tied, &mut changes) }
        }
        _ => plain_changes(order, &class[..=cuts], &mut tied, &mut changes),
    }
    let every = if every { u64::MAX } else { 0 };
    std::array::from_fn(|word| {
        // Bits of the entries that lie `shift` places behind the entries of this word.
        let [first, second] = [tied[word], tied[word + 1]];
        let tied_behind = |shift: u32| first >> shift | second << (64 - shift);
        let n_cuts = (cuts - (64 * word).min(cuts)).min(64) as u32;
        let inside = u64::MAX.checked_shr(64 - n_cuts).unwrap_or(0);
        inside & !tied_behind(1) & (every | changes[word] | first | tied_behind(2))
    })
}

/// Set the bits of entries with the value of the one before (`tied`), and of entries followed by
/// another class (`changes`).
fn plain_changes(order: &[u32], class: &[u16], tied: &mut [u64], changes: &mut [u64]) {
    for (word, entries) in tied.iter_mut().zip(order.chunks(64)) {
        *word = entries.iter().rev().fold(0, |word, entry| word << 1 | u64::from(entry & 1));
    }
    for (j, pair) in class.windows(2).enumerate() {
        changes[j / 64] |= u64::from(pair[0] != pair[1]) << (j % 64);
    }
}

/// Set the scores of cuts without a bit in `cuts` to negative infinity, and return the largest of
/// the other scores. No score may be NaN. Negative infinity is returned where no bit is set.
pub fn largest(level: Level, cuts: &[u64], scores: &mut [f64]) -> f64 {
    assert!(scores.len() <= 64 * cuts.len());
    match level {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the level says that the processor has these instructions.
        Level::Avx512 => unsafe { avx512::largest(cuts, scores) },
        _ => plain_largest(cuts, scores),
    }
}

/// [`largest`], cut by cut.
fn plain_largest(cuts: &[u64], scores: &mut [f64]) -> f64 {
    let mut largest = f64::NEG_INFINITY;
    for (j, score) in scores.iter_mut().enumerate() {
        *score = if cuts[j / 64] >> (j % 64) & 1 == 1 { *score } else { f64::NEG_INFINITY };
        largest = if *score > largest { *score } else { largest };
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;

    /// A random block of entries, and the class sizes before it.
    struct Case {
        seed: u32,
        order: Vec<u32>,
        starts: Vec<u32>,
        codes: Vec<u16>,
        class: Vec<u16>,
        on_left: Vec<u32>,
        in_all: Vec<u32>,
        every: bool,
    }

    /// All results for a block.
    #[derive(Debug, PartialEq)]
    struct Found {
        left: Vec<f64>,
        right: Vec<f64>,
        on_left: Vec<u32>,
        state: [i64; 2],
        thresholds: [u64; BLOCK / 64],
        scores: Vec<f64>,
        largest: f64,
    }

    impl Case {
        fn new(seed: u64) -> Self {
            let draw = |i: u64, most: u64| mix(seed, i) % most;
            let cuts = draw(0, BLOCK as u64 + 1);
            let k = [1, 3, 16, 17, 32, 33, 200][draw(1, 7) as usize];
            let mut codes: Vec<u16> = (0..1000).map(|r| draw(3000 + r, k) as u16).collect();
            codes.sort_unstable();
            let start = |c: u64| codes.partition_point(|&x| u64::from(x) < c) as u32;
            let order: Vec<u32> =
                (0..cuts + 1 + draw(2, 2)).map(|j| draw(4000 + j, 2000) as u32).collect();
            let entries = order[..=cuts as usize].iter();
            let sizes = |size: &dyn Fn(u64) -> u64| {
                let sizes = (0..k.max(CLASSES as u64)).map(|c| if c < k { size(c) } else { 0 });
                sizes.map(|size| size as u32).collect()
            };
            Self {
                seed: seed as u32,
                starts: (1..k).map(start).collect(),
                class: entries.map(|e| codes[(e >> 1) as usize]).collect(),
                on_left: sizes(&|c| draw(c + 10, 1 << 20)),
                in_all: sizes(&|_| 1 << 21),
                every: draw(3, 2) == 1,
                order,
                codes,
            }
        }

        fn run(&self, level: Level) -> Found {
            let cuts = self.class.len() - 1;
            let mut class = vec![0; cuts + 1];
            classes(level, &self.order[..=cuts], &self.starts, &self.codes, &mut class);
            assert_eq!(class, self.class, "{level:?}");
            let (mut on_left, mut state) = (self.on_left.clone(), Squares::default());
            for (&l, &n) in on_left.iter().zip(&self.in_all) {
                let (l, n) = (i64::from(l), i64::from(n));
                state.whole += n * n;
                state.left += l * l;
                state.cross += l * n;
            }
            let (mut left, mut right) = ([0.0; BLOCK], [0.0; BLOCK]);
            let mut sizes = ClassSizes { left: &mut on_left, all: &self.in_all };
            squares(level, &class[..cuts], &mut sizes, &mut state, &mut left, &mut right);
            let (left, right) = (left[..cuts].to_vec(), right[..cuts].to_vec());
            let mut scores = vec![0.0; cuts];
            let first = 1 + self.seed;
            let n = 100 + cuts as u32 + self.seed;
            let sums = SideSquares { n, left: &left, right: &right };
            purities(level, first, sums, 1.0, 0.0, &mut scores);
            let most = scores.iter().copied().fold(0.0, f64::max);
            let bound = purest(level, first, sums);
            assert!(bound >= most && bound <= most * 1.0002, "{bound} {most}");
            purities(level, first, sums, 0.37, 1.2, &mut scores);
            let mut again = vec![0.0; cuts];
            let rows: Vec<u32> = (0..cuts as u32).map(|j| first + j).collect();
            purities_of(level, &rows, sums, 0.37, 1.2, &mut again);
            assert_eq!(again, scores);
            let thresholds = thresholds(level, self.every, &self.order, &class, cuts);
            let largest = largest(level, &thresholds, &mut scores);
            let state = [state.left, state.cross];
            Found { left, right, on_left, state, thresholds, scores, largest }
        }
    }

    #[test]
    fn every_level_gives_the_same_bits() {
        for seed in 0..400 {
            let case = Case::new(seed);
            let Case { class, order, in_all, .. } = &case;
            let found = case.run(Level::Plain);
            let mut now = case.on_left.clone();
            for (j, &c) in class[..class.len() - 1].iter().enumerate() {
                now[usize::from(c)] += 1;
                let sum = |side: fn(u32, u32) -> u32| {
                    let sizes = now.iter().zip(in_all).map(|(&l, &n)| u64::from(side(l, n)));
                    sizes.map(|size| size * size).sum::<u64>() as f64
                };
                assert_eq!((found.left[j], found.right[j]), (sum(|l, _| l), sum(|l, n| n - l)));
                let tied = |i: usize| order.get(i).is_some_and(|e| e % 2 == 1);
                let may = case.every || tied(j) || tied(j + 2) || class[j] != class[j + 1];
                assert_eq!(found.scores[j] > f64::NEG_INFINITY, !tied(j + 1) && may);
            }
            assert_eq!(now, found.on_left);
            assert_eq!(
                found.largest,
                found.scores.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b))
            );
            for level in Level::available() {
                assert_eq!(case.run(level), found, "{level:?}");
            }
        }
    }
}
