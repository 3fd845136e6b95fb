//! The errors of the best test of one column on both sides of many thresholds of another, for the
//! search of optimal trees (`exact`).
//!
//! [`LANES`] thresholds of a first column divide a set of rows in a left and a right side, one
//! division per lane. The *code* of a row is the number of thresholds that are not above its
//! value, so the row is on the left side of the lanes from its code on. One pass over the rows in
//! the order of a second column keeps the class counts of all left sides in vectors. It gives, for
//! each lane, the fewest errors of a test of the second column on the left side, and on the right
//! side. Nothing is sorted, and no branch depends on a lane. O(rows x lanes), in whole numbers.
//!
//! There are two ways. [`LaneInt::scan`] looks at every marked place of the order.
//! [`LaneInt::table`] first counts the rows in buckets of the order, one increment per row. Tests
//! between two buckets give errors that are reached, and tests inside of buckets give a lower
//! bound: at best, all rows of their bucket are predicted correctly.
//!
//! Where a test must leave `least` rows on both sides, sizes are counted beside the classes, and a
//! lane whose test leaves fewer counts as a leaf.
//!
//! Missing values go left or right, which are two columns with the same order of the known values.
//! With two classes, a pass over that order is for both.

use super::Level;
#[cfg(target_arch = "x86_64")]
use super::lanes::x86;
pub use super::lanes::{LANES, LaneNumber, Lanes};
use super::lanes::{LaneVec, Plain};

/// Elements of a table for each class of a bucket: codes go from 0 to [`LANES`].
const STEP: usize = LANES + 1;

/// A type of lanes with its kernels.
pub trait LaneInt: LaneNumber {
    /// The fewest errors of a test at a marked place, or of a leaf, on the left sides and on the
    /// right sides.
    fn scan(
        level: Level,
        rows: &ScannedRows<'_>,
        sides: &SideCounts<'_, Self>,
        memory: &mut Vec<[Lanes<Self>; 2]>,
    ) -> [Lanes<Self>; 2];
    /// The fewest errors of a test between two buckets, or of a leaf, on both sides; then lower
    /// bounds of all tests that leave any number of rows.
    fn table(
        level: Level,
        rows: &BucketRows<'_>,
        sides: &SideCounts<'_, Self>,
        memory: &mut TableMemory<Self>,
    ) -> [[Lanes<Self>; 2]; 2];
}

/// A type of lanes, with the vectors of each level.
macro_rules! lane_int {
    ($type:ty, $avx512:ident, $avx2:ident) => {
        impl LaneInt for $type {
            fn scan(
                level: Level,
                rows: &ScannedRows<'_>,
                sides: &SideCounts<'_, Self>,
                memory: &mut Vec<[Lanes<Self>; 2]>,
            ) -> [Lanes<Self>; 2] {
                by_level!(
                    $type, $avx512, $avx2, level, scan(
                        rows: &ScannedRows<'_>, sides: &SideCounts<'_, $type>,
                        memory: &mut Vec<[Lanes<$type>; 2]>,
                    ) -> [Lanes<$type>; 2]
                )
            }
            fn table(
                level: Level,
                rows: &BucketRows<'_>,
                sides: &SideCounts<'_, Self>,
                memory: &mut TableMemory<Self>,
            ) -> [[Lanes<Self>; 2]; 2] {
                by_level!(
                    $type, $avx512, $avx2, level, table(
                        rows: &BucketRows<'_>, sides: &SideCounts<'_, $type>,
                        memory: &mut TableMemory<$type>,
                    ) -> [[Lanes<$type>; 2]; 2]
                )
            }
        }
    };
}

/// Call a kernel, compiled with the features of the level, for its vectors.
macro_rules! by_level {
    ($type:ty, $avx512:ident, $avx2:ident, $level:ident,
     $kernel:ident($($arg:ident: $kind:ty),* $(,)?) -> $out:ty) => {{
        /// The kernel with registers of AVX-512.
        ///
        /// # Safety
        /// The processor has the features named here.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,popcnt")]
        unsafe fn avx512($($arg: $kind),*) -> $out {
            // SAFETY: this function enables the features of the vectors.
            unsafe { $kernel::<x86::$avx512>($($arg),*) }
        }
        /// The kernel with registers of AVX2.
        ///
        /// # Safety
        /// The processor has the features named here.
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,popcnt")]
        unsafe fn avx2($($arg: $kind),*) -> $out {
            // SAFETY: this function enables the features of the vectors.
            unsafe { $kernel::<x86::$avx2>($($arg),*) }
        }
        match $level {
            // SAFETY: the level says that the processor has the features.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => unsafe { avx512($($arg),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { avx2($($arg),*) },
            // SAFETY: it needs no features.
            _ => unsafe { $kernel::<Plain<$type>>($($arg),*) },
        }
    }};
}

lane_int!(i16, Avx512x16, Avx2x16);
lane_int!(i32, Avx512x32, Avx2x32);

/// Class counts of the left and right sides of all lanes.
#[derive(Debug, Clone, Copy)]
pub struct SideCounts<'a, T> {
    /// By class, the weight on the left side of each lane.
    pub left: &'a [Lanes<T>],
    /// By class, the weight of all rows.
    pub totals: &'a [T],
    /// The least weight that a test must leave on both sides.
    pub least: T,
}

impl<T: LaneNumber> SideCounts<'_, T> {
    /// The weight of each left side and each right side.
    #[inline(always)]
    fn sizes(&self) -> [Lanes<T>; 2] {
        let (mut left, mut right) = ([T::default(); LANES], [T::default(); LANES]);
        for (of_class, &total) in self.left.iter().zip(self.totals) {
            for l in 0..LANES {
                left[l] = left[l].wrapping_add(of_class[l]);
                right[l] = right[l].wrapping_add(total.wrapping_sub(of_class[l]));
            }
        }
        [left, right]
    }

    /// Errors of two classes on each side, from the largest `p` and `-p` (see [`scan_two`]).
    #[inline(always)]
    fn errors_of_two(&self, most: [[Lanes<T>; 2]; 2]) -> [Lanes<T>; 2] {
        let mut errors = [[T::default(); LANES]; 2];
        for (side, errors) in errors.iter_mut().enumerate() {
            for (l, errors) in errors.iter_mut().enumerate() {
                let of = |class: usize| {
                    let left = self.left[class][l];
                    let rows = if side == 0 { left } else { self.totals[class].wrapping_sub(left) };
                    rows.wrapping_sub(most[side][class][l])
                };
                *errors = of(0).min(of(1));
            }
        }
        errors
    }

    /// The errors of each side, from the weight of the rows that are predicted correctly.
    #[inline(always)]
    fn errors(&self, correct: [Lanes<T>; 2]) -> [Lanes<T>; 2] {
        let sizes = self.sizes();
        std::array::from_fn(|side| {
            std::array::from_fn(|l| sizes[side][l].wrapping_sub(correct[side][l]))
        })
    }
}

/// Rows in the order of the second column.
#[derive(Debug, Clone, Copy)]
pub struct ScannedRows<'a> {
    /// Row numbers in the order of the second column.
    pub order: &'a [u32],
    /// How many of the first rows are missing values that may also go right. There are none if
    /// there are more than two classes.
    pub missing: usize,
    /// Mark of the place behind each row.
    pub marks: &'a [u8],
    /// A place counts if its mark has this bit.
    pub mark: u8,
    /// Weight of every row, by the number of the row; empty if all weights are 1.
    pub weights: &'a [u32],
    /// `code | class << 8` of every row, by the number of the row.
    pub codes: &'a [u16],
}

impl ScannedRows<'_> {
    /// The weight of a row.
    #[inline(always)]
    fn weight<T: LaneNumber>(&self, row: u32) -> T {
        T::from_i32(self.weights.get(row as usize).map_or(1, |&weight| weight as i32))
    }
}

/// Rows of a set, in any order, with their buckets.
#[derive(Debug, Clone, Copy)]
pub struct BucketRows<'a> {
    /// Key of each row: bucket x classes + class.
    pub keys: &'a [u16],
    /// Code of each row.
    pub codes: &'a [u8],
    /// Weight of each row; empty if all weights are 1.
    pub weights: &'a [u32],
    /// Weight of all rows with each key.
    pub totals: &'a [u32],
    /// Whether each bucket has a single value.
    pub exact: bool,
}

/// Memory of [`LaneInt::table`], kept between calls.
#[derive(Debug, Default)]
pub struct TableMemory<T> {
    table: Vec<T>,
    most: Vec<[Lanes<T>; 4]>,
}

/// The numbers of two vectors, the left and the right side.
///
/// # Safety
/// The calling function enables the features of `V`.
#[inline(always)]
unsafe fn arrays<V: LaneVec>([a, b]: [V; 2]) -> [Lanes<V::Int>; 2] {
    let mut lanes = [[V::Int::default(); LANES]; 2];
    // SAFETY: the caller has checked the features.
    unsafe {
        a.store(&mut lanes[0]);
        b.store(&mut lanes[1]);
    }
    lanes
}

/// Two vectors of numbers, the left and the right side: the inverse of [`arrays`].
///
/// # Safety
/// The calling function enables the features of `V`.
#[inline(always)]
unsafe fn vectors<V: LaneVec>([a, b]: &[Lanes<V::Int>; 2]) -> [V; 2] {
    // SAFETY: the caller has checked the features.
    unsafe { [V::load(a), V::load(b)] }
}

/// A vector whose lanes are above 0 where a test leaves fewer than `least` rows on one of its
/// sides, `size` and `all - size`. [`LaneVec::zero_where_positive`] then sets such lanes to 0, so
/// no branch depends on a lane.
///
/// # Safety
/// The calling function enables the features of `V`.
#[inline(always)]
unsafe fn too_few_rows<V: LaneVec>(size: V, all: V, least: V) -> V {
    // SAFETY: the caller has checked the features.
    unsafe { least.sub(size).max(size.sub(all).add(least)) }
}

/// The rows of two classes up to a place: the rows on the left side of each lane, and all rows. `p`
/// and `sum` are of `n_0 - n_1`, the others of the weight, which is counted for limits only.
struct RowsBefore<V: LaneVec> {
    p: V,
    sum: V::Int,
    size: V,
    passed: V::Int,
}

impl<V: LaneVec> RowsBefore<V> {
    /// Count a row, which passes to the left of the next place. Weights are counted for limits only
    /// (`LIMITED`).
    ///
    /// # Safety
    /// The calling function enables the features of `V`.
    #[inline(always)]
    unsafe fn count<const LIMITED: bool>(&mut self, rows: &ScannedRows<'_>, row: u32) {
        let x = rows.codes[row as usize];
        let (code, w) = (u32::from(x & 255), rows.weight(row));
        let signed = if x >> 8 == 0 { w } else { V::Int::default().wrapping_sub(w) };
        self.sum = self.sum.wrapping_add(signed);
        // SAFETY: the caller has checked the features.
        unsafe {
            self.p = self.p.add(V::splat_from(code, signed));
            if LIMITED {
                self.passed = self.passed.wrapping_add(w);
                self.size = self.size.add(V::splat_from(code, w));
            }
        }
    }

    /// `n_0 - n_1` of the rows so far, and their weight, each on both sides. The right side is what
    /// remains of all rows so far.
    ///
    /// # Safety
    /// The calling function enables the features of `V`.
    #[inline(always)]
    unsafe fn sides(&self) -> [[V; 2]; 2] {
        // SAFETY: the caller has checked the features.
        unsafe {
            [
                [self.p, V::splat(self.sum).sub(self.p)],
                [self.size, V::splat(self.passed).sub(self.size)],
            ]
        }
    }

    /// Raise the largest `p` and `-p` of both sides to the values of the test at this place, where
    /// it leaves enough rows. The rows `without` go right in this test: the missing values, or
    /// none.
    ///
    /// # Safety
    /// The calling function enables the features of `V`.
    #[inline(always)]
    unsafe fn raise<const LIMITED: bool>(
        &self,
        most: &mut [[V; 2]; 2],
        without: &[[V; 2]; 2],
        (sizes, least): (&[V; 2], V),
    ) {
        // SAFETY: the caller has checked the features.
        unsafe {
            let none = V::splat(V::Int::default());
            let [sums, before] = self.sides();
            for side in 0..2 {
                let (mut p, mut q) = (sums[side], none.sub(sums[side]));
                if LIMITED {
                    p = p.sub(without[0][side]);
                    let over = too_few_rows(before[side].sub(without[1][side]), sizes[side], least);
                    (p, q) = (p.zero_where_positive(over), none.sub(p).zero_where_positive(over));
                }
                most[side] = [most[side][0].max(p), most[side][1].max(q)];
            }
        }
    }
}

/// [`scan`] for two classes, where one signed sum is enough. In each lane, the sum of the left side
/// after some rows is `p = n_0 - n_1`; a test there makes `N_0 - p` errors if it predicts class 0
/// first, else `N_1 + p`. If missing values go right instead of left, all sums are less by the sum
/// of the missing values.
///
/// # Safety
/// The calling function enables the features of `V`.
#[inline(always)]
unsafe fn scan_two<V: LaneVec, const LIMITED: bool>(
    rows: &ScannedRows<'_>,
    sides: &SideCounts<'_, V::Int>,
) -> [Lanes<V::Int>; 2] {
    let zero = V::Int::default();
    // SAFETY: the caller has checked the features.
    let most = unsafe {
        let none = V::splat(zero);
        let mut before = RowsBefore::<V> { p: none, sum: zero, size: none, passed: zero };
        let (missing, known) = rows.order.split_at(rows.missing);
        for &row in missing {
            before.count::<LIMITED>(rows, row);
        }
        let (nothing, missing) = ([[none; 2]; 2], before.sides());
        let limits = (&vectors(&sides.sizes()), V::splat(sides.least));
        let mut most = [[none; 2]; 2];
        if LIMITED {
            before.raise::<LIMITED>(&mut most, &nothing, limits);
        } else {
            for (most, p) in most.iter_mut().zip(missing[0]) {
                *most = [p, none.sub(p)];
            }
        }
        for (&row, &mark) in known.iter().zip(&rows.marks[rows.missing..]) {
            before.count::<LIMITED>(rows, row);
            if mark & rows.mark != 0 {
                before.raise::<LIMITED>(&mut most, &nothing, limits);
                if LIMITED && rows.missing > 0 {
                    before.raise::<LIMITED>(&mut most, &missing, limits);
                }
            }
        }
        // Without limits, the largest sums are less by as much as all sums.
        let mut found = [[[zero; LANES]; 2]; 2];
        for (side, [mut p, mut q]) in most.into_iter().enumerate() {
            if !LIMITED {
                p = p.max(p.sub(missing[0][side])).max(none);
                q = q.max(q.add(missing[0][side])).max(none);
            }
            found[side] = arrays([p, q]);
        }
        found
    };
    sides.errors_of_two(most)
}

/// The rows of a class: the rows on the left side of each lane, and all rows.
type ClassRows<T> = (Lanes<T>, T);

/// Count a row; returns the rows of its class on the left and on the right side of each lane.
///
/// # Safety
/// The calling function enables the features of `V`.
#[inline(always)]
unsafe fn take<V: LaneVec>(
    rows: &ScannedRows<'_>,
    row: u32,
    counts: &mut [ClassRows<V::Int>],
) -> [V; 2] {
    let x = rows.codes[row as usize];
    let w = rows.weight(row);
    let (left, all) = &mut counts[usize::from(x >> 8)];
    *all = all.wrapping_add(w);
    // SAFETY: the caller has checked the features.
    unsafe {
        let on_left = V::load(left).add(V::splat_from(u32::from(x & 255), w));
        on_left.store(left);
        [on_left, V::splat(*all).sub(on_left)]
    }
}

/// [`scan`] for any number of classes: the largest class of the rows up to each place, in a forward
/// pass, and of the rows behind it, in a backward pass. A test is right on the largest class before
/// it and the largest class behind it; `memory` keeps the results of the forward pass for the
/// backward pass.
///
/// # Safety
/// The calling function enables the features of `V`.
#[inline(always)]
unsafe fn scan_many<V: LaneVec, const LIMITED: bool>(
    rows: &ScannedRows<'_>,
    sides: &SideCounts<'_, V::Int>,
    memory: &mut Vec<[Lanes<V::Int>; 2]>,
) -> [Lanes<V::Int>; 2] {
    let zero = V::Int::default();
    let mut counts = vec![([zero; LANES], zero); sides.totals.len()];
    if memory.len() < rows.order.len() {
        memory.resize(rows.order.len(), [[zero; LANES]; 2]);
    }
    // SAFETY: the caller has checked the features.
    let correct = unsafe {
        let none = V::splat(zero);
        let mut most = [none; 2];
        for (&row, first) in rows.order.iter().zip(memory.iter_mut()) {
            let taken = take::<V>(rows, row, &mut counts);
            for side in 0..2 {
                most[side] = most[side].max(taken[side]);
                most[side].store(&mut first[side]);
            }
        }
        // All rows on one side: a leaf.
        let mut best = most;
        counts.fill(([zero; LANES], zero));
        most = [none; 2];
        let (mut size, mut passed) = (none, zero);
        let sizes = vectors(&sides.sizes());
        for ((&row, &mark), first) in
            rows.order.iter().zip(rows.marks).zip(&memory[..rows.order.len()]).rev()
        {
            // There is no branch, which would often be mispredicted: at other places so much is
            // subtracted that the test never counts.
            let added = if mark & rows.mark != 0 { 0 } else { V::Int::MOST as i32 };
            let less = V::splat(V::Int::from_i32(added));
            let behind = [size, V::splat(passed).sub(size)];
            let taken = take::<V>(rows, row, &mut counts);
            for side in 0..2 {
                let mut correct = V::load(&first[side]).add(most[side]).sub(less);
                if LIMITED {
                    let over = too_few_rows(behind[side], sizes[side], V::splat(sides.least));
                    correct = correct.zero_where_positive(over);
                }
                best[side] = best[side].max(correct);
                most[side] = most[side].max(taken[side]);
            }
            if LIMITED {
                let (code, w) = (rows.codes[row as usize] & 255, rows.weight(row));
                passed = passed.wrapping_add(w);
                size = size.add(V::splat_from(code.into(), w));
            }
        }
        arrays(best)
    };
    sides.errors(correct)
}

/// [`LaneInt::scan`]: two classes need one signed sum, and limits are counted only if leaves need
/// more than one row, so each case is compiled by itself.
///
/// # Safety
/// The calling function enables the features of `V`.
#[inline(always)]
unsafe fn scan<V: LaneVec>(
    rows: &ScannedRows<'_>,
    sides: &SideCounts<'_, V::Int>,
    memory: &mut Vec<[Lanes<V::Int>; 2]>,
) -> [Lanes<V::Int>; 2] {
    // SAFETY: the caller has checked the features.
    unsafe {
        match (sides.totals.len(), sides.least > V::Int::from_i32(1)) {
            (2, false) => scan_two::<V, false>(rows, sides),
            (2, true) => scan_two::<V, true>(rows, sides),
            (_, false) => scan_many::<V, false>(rows, sides, memory),
            (_, true) => scan_many::<V, true>(rows, sides, memory),
        }
    }
}

/// Count the rows of a bucket on both sides; returns their number, and raises the largest class.
///
/// # Safety
/// The calling function enables the features of `V`.
#[inline(always)]
unsafe fn take_bucket<V: LaneVec>(
    (totals, cells): (&[u32], &[V::Int]),
    counts: &mut [[Lanes<V::Int>; 2]],
    most: &mut [V; 2],
) -> [V; 2] {
    // SAFETY: the caller has checked the features.
    unsafe {
        let none = V::splat(V::Int::default());
        let (mut size, mut size_r) = (none, none);
        let [mut first, mut first_r] = *most;
        let classes = counts.iter_mut().zip(totals).zip(cells.chunks_exact(STEP));
        for (([left, right], &total), cell) in classes {
            if total == 0 {
                continue;
            }
            let Some(cell) = cell.first_chunk() else { continue };
            let on_left = V::load(cell);
            let on_right = V::splat(V::Int::from_i32(total as i32)).sub(on_left);
            (size, size_r) = (size.add(on_left), size_r.add(on_right));
            let (on_left, on_right) = (V::load(left).add(on_left), V::load(right).add(on_right));
            on_left.store(left);
            on_right.store(right);
            (first, first_r) = (first.max(on_left), first_r.max(on_right));
        }
        *most = [first, first_r];
        [size, size_r]
    }
}

/// [`LaneInt::table`]: one increment per row, then a pass over the buckets forward and one
/// backward, as in [`scan_many`]. O(rows + buckets x classes x lanes), so it pays where rows are
/// many and buckets are few.
///
/// # Safety
/// The calling function enables the features of `V`.
#[inline(always)]
unsafe fn table<V: LaneVec>(
    rows: &BucketRows<'_>,
    sides: &SideCounts<'_, V::Int>,
    TableMemory { table, most }: &mut TableMemory<V::Int>,
) -> [[Lanes<V::Int>; 2]; 2] {
    let classes = sides.totals.len();
    table.clear();
    table.resize(rows.totals.len() * STEP, V::Int::default());
    let mut count = |key: u16, code: u8, w: i32| {
        let cell = &mut table[usize::from(key) * STEP + usize::from(code)];
        *cell = cell.wrapping_add(V::Int::from_i32(w));
    };
    let coded = rows.keys.iter().zip(rows.codes);
    if rows.weights.is_empty() {
        coded.for_each(|(&key, &code)| count(key, code, 1));
    } else {
        coded.zip(rows.weights).for_each(|((&key, &code), &w)| count(key, code, w as i32));
    }
    let zero = [V::Int::default(); LANES];
    let mut counts = vec![[zero; 2]; classes];
    most.clear();
    // SAFETY: the caller has checked the features.
    let (best, bound) = unsafe {
        // From codes to left sides.
        for (cell, &total) in table.chunks_exact_mut(STEP).zip(rows.totals) {
            if total > 0
                && let Some(cell) = cell.first_chunk_mut()
            {
                V::load(cell).prefix_sums().store(cell);
            }
        }
        let none = V::splat(V::Int::default());
        let buckets = || rows.totals.chunks_exact(classes).zip(table.chunks_exact(classes * STEP));
        let mut first = [none; 2];
        for bucket in buckets() {
            let [size, size_r] = take_bucket(bucket, &mut counts, &mut first);
            let [[first, first_r], [size, size_r]] = [arrays(first), arrays([size, size_r])];
            most.push([first, first_r, size, size_r]);
        }
        let (mut best, mut bound, mut last) = (first, first, [none; 2]);
        let sizes = vectors(&sides.sizes());
        let mut behind = [none; 2];
        counts.fill([zero; 2]);
        for (b, bucket) in buckets().enumerate().rev() {
            let before = if b == 0 { [zero; 2] } else { [most[b - 1][0], most[b - 1][1]] };
            for side in 0..2 {
                let correct = V::load(&most[b][side]).add(last[side]);
                let over = too_few_rows(behind[side], sizes[side], V::splat(sides.least));
                best[side] = best[side].max(correct.zero_where_positive(over));
                bound[side] = bound[side].max(correct);
                if !rows.exact {
                    let size = V::load(&most[b][2 + side]);
                    bound[side] = bound[side].max(V::load(&before[side]).add(size).add(last[side]));
                }
            }
            let taken = take_bucket(bucket, &mut counts, &mut last);
            behind = [behind[0].add(taken[0]), behind[1].add(taken[1])];
        }
        (arrays(best), arrays(bound))
    };
    [sides.errors(best), sides.errors(bound)]
}
