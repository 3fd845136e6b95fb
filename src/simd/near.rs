//! Kernels that search a row's neighbours: moments of its distances, the k-th of them, the columns
//! up to a distance, and how many of those share a value.
//!
//! A row has one number per column, which grows with nearness; 0 means that the column has no
//! number. The numbers are bit-sliced: `depth` planes per tile, plane p holding bit p of each
//! column's number. Every result is made from popcounts of one to three planes, so a tile costs
//! O(depth) vector operations (O(depth^2) for the moments), and all levels give the same integers.

use super::buffer::check_aligned;
use super::word::Word;

/// The bit-sliced numbers of the columns of some tiles: plane p of tile i is at
/// `planes[i * stride + p * words ..]`.
#[derive(Debug, Clone, Copy)]
pub struct TileNumbers<'a> {
    /// The planes, from the first tile on.
    pub planes: &'a [u64],
    /// Words from the first plane of a tile to the first plane of the next tile.
    pub stride: usize,
    /// Number of tiles.
    pub tiles: usize,
    /// Bits of a number.
    pub depth: usize,
}

/// Sums over the numbers of some tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowSums {
    /// Sum of the numbers.
    pub sum: u64,
    /// Sum of their squares.
    pub squares: u64,
}

impl TileNumbers<'_> {
    /// Panics unless all planes lie inside their slice, which is aligned, and numbers have 1 to 32
    /// bits. Every kernel of this file relies on it.
    pub(super) fn check(&self, words: usize) {
        assert!((1..=32).contains(&self.depth) && self.depth * words <= self.stride);
        check_aligned([self.planes]);
        assert!(self.stride.is_multiple_of(words));
        assert!(
            self.tiles == 0
                || (self.tiles - 1) * self.stride + self.depth * words <= self.planes.len()
        );
    }
}

/// [`super::Kernels::moments`]: a square is the sum of `2^(p + q)` over all pairs of its bits.
///
/// # Safety
/// The calling function enables the target features of `W`, and the lengths are those that the safe
/// method checks.
#[inline(always)]
pub(super) unsafe fn moments<W: Word>(numbers: TileNumbers<'_>) -> RowSums {
    // SAFETY: the safe method checked that all planes lie inside the slice.
    unsafe {
        let (mut sum, mut squares) = (0, 0);
        for p in 0..numbers.depth {
            for q in 0..=p {
                let mut both = W::zero();
                for tile in 0..numbers.tiles {
                    let at = numbers.planes.as_ptr().add(tile * numbers.stride);
                    let x = W::load(at.add(p * W::WORDS)).and(W::load(at.add(q * W::WORDS)));
                    both = both.add64(x.count());
                }
                let count = both.total();
                if p == q {
                    sum += count << p;
                    squares += count << (2 * p);
                } else {
                    // The pair counts twice: as (p, q) and as (q, p).
                    squares += count << (p + q + 1);
                }
            }
        }
        RowSums { sum, squares }
    }
}

/// [`super::Kernels::at_least`]: a comparison bit by bit, from the lowest on.
///
/// # Safety
/// The calling function enables the target features of `W`, and the lengths are those that the safe
/// method checks.
#[inline(always)]
pub(super) unsafe fn at_least<W: Word>(numbers: TileNumbers<'_>, low: u32, out: &mut [u64]) {
    // SAFETY: as in `moments`; `out` has one vector per tile.
    unsafe {
        for tile in 0..numbers.tiles {
            let at = numbers.planes.as_ptr().add(tile * numbers.stride);
            let mut mask = W::ones();
            for p in 0..numbers.depth {
                let plane = W::load(at.add(p * W::WORDS));
                mask = if low >> p & 1 == 1 { mask.and(plane) } else { mask.or(plane) };
            }
            mask.store(out.as_mut_ptr().add(tile * W::WORDS));
        }
    }
}

/// [`super::Kernels::kth_largest`]: the bits of the result from the highest on. `scratch` has one
/// vector per tile, with the columns whose bits agree with the bits of the result so far.
///
/// # Safety
/// The calling function enables the target features of `W`, and the lengths are those that the safe
/// method checks.
#[inline(always)]
pub(super) unsafe fn kth_largest<W: Word>(
    numbers: TileNumbers<'_>,
    k: u32,
    scratch: &mut [u64],
) -> u32 {
    // SAFETY: as in `moments`; `scratch` has one vector per tile.
    unsafe {
        let agreeing = scratch.as_mut_ptr();
        for tile in 0..numbers.tiles {
            W::ones().store(agreeing.add(tile * W::WORDS));
        }
        let (mut rank, mut found) = (u64::from(k), 0);
        for p in (0..numbers.depth).rev() {
            let plane = |tile: usize| {
                W::load(numbers.planes.as_ptr().add(tile * numbers.stride + p * W::WORDS))
            };
            let mut with_bit = W::zero();
            for tile in 0..numbers.tiles {
                let columns = W::load(agreeing.add(tile * W::WORDS)).and(plane(tile));
                with_bit = with_bit.add64(columns.count());
            }
            // The bit is set where enough of the agreeing columns have it.
            let with_bit = with_bit.total();
            let is_set = with_bit >= rank;
            if is_set {
                found |= 1 << p;
            } else {
                rank -= with_bit;
            }
            for tile in 0..numbers.tiles {
                let (at, plane) = (agreeing.add(tile * W::WORDS), plane(tile));
                let before = W::load(at);
                if is_set { before.and(plane) } else { plane.andnot(before) }.store(at);
            }
        }
        found
    }
}

/// [`super::Kernels::shared`], four slots at a time: each vector of the mask is loaded once for
/// them.
///
/// # Safety
/// The calling function enables the target features of `W`, and the lengths are those that the safe
/// method checks.
#[inline(always)]
pub(super) unsafe fn shared<W: Word>(
    mask: &[u64],
    planes: &[u64],
    stride: usize,
    slots: &[u32],
    out: &mut [u32],
) {
    // SAFETY: the safe method checked slots, tiles and results.
    unsafe {
        let tiles = mask.len() / W::WORDS;
        let mut fours = slots.chunks_exact(4);
        let mut k = 0;
        for four in &mut fours {
            let mut sums = [W::zero(); 4];
            for tile in 0..tiles {
                let mask = W::load(mask.as_ptr().add(tile * W::WORDS));
                let at = planes.as_ptr().add(tile * stride);
                for (sum, &slot) in sums.iter_mut().zip(four) {
                    *sum = sum.add64(mask.and(W::load(at.add(slot as usize * W::WORDS))).count());
                }
            }
            for sum in sums {
                *out.get_unchecked_mut(k) = sum.total() as u32;
                k += 1;
            }
        }
        for &slot in fours.remainder() {
            let mut sum = W::zero();
            for tile in 0..tiles {
                let mask = W::load(mask.as_ptr().add(tile * W::WORDS));
                let at = planes.as_ptr().add(tile * stride);
                sum = sum.add64(mask.and(W::load(at.add(slot as usize * W::WORDS))).count());
            }
            *out.get_unchecked_mut(k) = sum.total() as u32;
            k += 1;
        }
    }
}

/// [`super::Kernels::size`], the number of set bits of a mask. Counts stay apart by word until the
/// end, so each vector costs one popcount and one addition.
///
/// # Safety
/// The calling function enables the target features of `W`, and `mask` is aligned.
#[inline(always)]
pub(super) unsafe fn size<W: Word>(mask: &[u64]) -> u64 {
    // SAFETY: whole vectors of the slice.
    unsafe {
        let mut sum = W::zero();
        for tile in 0..mask.len() / W::WORDS {
            sum = sum.add64(W::load(mask.as_ptr().add(tile * W::WORDS)).count());
        }
        sum.total()
    }
}
