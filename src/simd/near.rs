//! Kernels for neighbours on bit planes: moments, thresholds and the k-th of numbers spelled by
//! planes, and how many members of a mask share a plane.
//!
//! Numbers of one row are `depth` planes in each of some tiles; 0 stands for no number. Everything
//! is a popcount of one to three planes, so a row against 512 columns costs a few operations a
//! plane, and the sums are whole numbers that no level changes.

use super::buffer::check_aligned;
use super::word::Word;

/// Numbers of some tiles, bit p of tile i in `planes[i * stride + p * words ..]`.
#[derive(Debug, Clone, Copy)]
pub struct TileNumbers<'a> {
    /// The planes, from the first tile on.
    pub planes: &'a [u64],
    /// From one tile to the next.
    pub stride: usize,
    /// Number of tiles.
    pub tiles: usize,
    /// Bits of a number.
    pub depth: usize,
}

impl TileNumbers<'_> {
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

#[inline(always)]
unsafe fn total<W: Word>(x: W) -> u64 {
    // SAFETY: register work under the features of the caller.
    unsafe { x.words() }.0.iter().sum()
}

/// Sum of the numbers and of their squares.
#[inline(always)]
pub(super) unsafe fn moments<W: Word>(n: TileNumbers<'_>) -> (u64, u64) {
    // SAFETY: the safe method checked that all planes lie inside the slice.
    unsafe {
        let (mut sum, mut squares) = (0, 0);
        for p in 0..n.depth {
            for q in 0..=p {
                let mut both = W::zero();
                for tile in 0..n.tiles {
                    let at = n.planes.as_ptr().add(tile * n.stride);
                    let x = W::load(at.add(p * W::WORDS)).and(W::load(at.add(q * W::WORDS)));
                    both = both.add64(x.count());
                }
                let count = total(both);
                if p == q {
                    sum += count << p;
                    squares += count << (2 * p);
                } else {
                    squares += count << (p + q + 1);
                }
            }
        }
        (sum, squares)
    }
}

/// The columns whose number is at least `low`, tile after tile.
#[inline(always)]
pub(super) unsafe fn at_least<W: Word>(n: TileNumbers<'_>, low: u32, out: &mut [u64]) {
    // SAFETY: as above; `out` has a vector a tile.
    unsafe {
        for tile in 0..n.tiles {
            let at = n.planes.as_ptr().add(tile * n.stride);
            let mut mask = W::ones();
            for p in 0..n.depth {
                let plane = W::load(at.add(p * W::WORDS));
                mask = if low >> p & 1 == 1 { mask.and(plane) } else { mask.or(plane) };
            }
            mask.store(out.as_mut_ptr().add(tile * W::WORDS));
        }
    }
}

/// The k-th largest number; `open` has a vector a tile for the columns that are still in question.
#[inline(always)]
pub(super) unsafe fn kth_largest<W: Word>(n: TileNumbers<'_>, k: u32, open: &mut [u64]) -> u32 {
    // SAFETY: as above.
    unsafe {
        let open = open.as_mut_ptr();
        for tile in 0..n.tiles {
            W::ones().store(open.add(tile * W::WORDS));
        }
        let (mut left, mut found) = (u64::from(k), 0);
        for p in (0..n.depth).rev() {
            let plane =
                |tile: usize| W::load(n.planes.as_ptr().add(tile * n.stride + p * W::WORDS));
            let mut set = W::zero();
            for tile in 0..n.tiles {
                set = set.add64(W::load(open.add(tile * W::WORDS)).and(plane(tile)).count());
            }
            let set = total(set);
            let up = set >= left;
            if up {
                found |= 1 << p;
            } else {
                left -= set;
            }
            for tile in 0..n.tiles {
                let (at, plane) = (open.add(tile * W::WORDS), plane(tile));
                let was = W::load(at);
                if up { was.and(plane) } else { plane.not_and(was) }.store(at);
            }
        }
        found
    }
}

/// `out[k] = ` number of columns in `mask` and in the plane of slot k; planes of tile i from `i *
/// stride` on.
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
        let mut of_four = slots.chunks_exact(4);
        let mut k = 0;
        for four in &mut of_four {
            let mut sums = [W::zero(); 4];
            for tile in 0..tiles {
                let mask = W::load(mask.as_ptr().add(tile * W::WORDS));
                let at = planes.as_ptr().add(tile * stride);
                for (sum, &slot) in sums.iter_mut().zip(four) {
                    *sum = sum.add64(mask.and(W::load(at.add(slot as usize * W::WORDS))).count());
                }
            }
            for sum in sums {
                *out.get_unchecked_mut(k) = total(sum) as u32;
                k += 1;
            }
        }
        for &slot in of_four.remainder() {
            let mut sum = W::zero();
            for tile in 0..tiles {
                let mask = W::load(mask.as_ptr().add(tile * W::WORDS));
                let at = planes.as_ptr().add(tile * stride);
                sum = sum.add64(mask.and(W::load(at.add(slot as usize * W::WORDS))).count());
            }
            *out.get_unchecked_mut(k) = total(sum) as u32;
            k += 1;
        }
    }
}

/// Number of bits set.
#[inline(always)]
pub(super) unsafe fn size<W: Word>(mask: &[u64]) -> u64 {
    // SAFETY: whole vectors of the slice.
    unsafe {
        let mut sum = W::zero();
        for tile in 0..mask.len() / W::WORDS {
            sum = sum.add64(W::load(mask.as_ptr().add(tile * W::WORDS)).count());
        }
        total(sum)
    }
}
