//! The vector that the bodies are written over: a handful of bitwise operations and a popcount.
//!
//! Everything is `#[inline(always)]` and unsafe: a method may only be called inside a function that
//! enables the target features of its type, and pointers must be good for [`Word::WORDS`] u64 that
//! begin on a multiple of [`ALIGNMENT`] bytes (SSE2 reads an operand from memory only then). Names
//! say what each operation means.

use super::weights::WeightTable;

/// The words of a vector, those it does not have 0.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Words(pub [u64; 8]);

/// A vector of `64 * WORDS` bits.
pub(super) trait Word: Copy {
    /// 64-bit words in the vector.
    const WORDS: usize;
    /// Vectors of a block of columns, 4 or 8: as many sums as registers hold, and 64 columns where
    /// vectors are long enough.
    const BLOCK: usize;
    /// Whether registers hold eight steps at once ([`super::tally::tally`]): thirty-two of them,
    /// and any function of three vectors in one operation.
    const EIGHT: bool;
    /// Whether masks of 32-bit lanes are cheaper read from memory than made from bits.
    const LANE_MASKS: bool;
    /// Whether sums over the columns of a value are cheaper from bytes ([`Self::sum_bytes`]) than
    /// from planes ([`Self::count`]).
    const BYTES: bool;
    /// Read from memory.
    unsafe fn load(p: *const u64) -> Self;
    /// Read bytes, any alignment.
    unsafe fn load_bytes(p: *const u8) -> Self;
    /// Write to memory.
    unsafe fn store(self, p: *mut u64);
    /// The words, to be read one by one.
    #[inline(always)]
    unsafe fn words(self) -> Words {
        let mut words = Words([0; 8]);
        // SAFETY: eight words, aligned.
        unsafe { self.store(words.0.as_mut_ptr()) };
        words
    }
    /// No bit set.
    unsafe fn zero() -> Self;
    /// All bits set.
    unsafe fn ones() -> Self;
    /// Intersection.
    unsafe fn and(self, b: Self) -> Self;
    /// Union.
    unsafe fn or(self, b: Self) -> Self;
    /// Symmetric difference.
    unsafe fn xor(self, b: Self) -> Self;
    /// `b` without `self`.
    unsafe fn not_and(self, b: Self) -> Self;
    /// True if any bit is set.
    unsafe fn any(self) -> bool;
    /// The number of bits set in each 64-bit word.
    unsafe fn count(self) -> Self;
    /// Bytes of `self`, one added where `a` and `b` have equal bytes.
    unsafe fn count_equal_bytes(self, a: Self, b: Self) -> Self;
    /// Sum of 64-bit words.
    unsafe fn add64(self, b: Self) -> Self;
    /// Sum of bytes.
    unsafe fn add8(self, b: Self) -> Self;
    /// The sum of the bytes of each 64-bit word.
    unsafe fn sum_bytes(self) -> Self;
    /// 64-bit words shifted to lower bits.
    unsafe fn down<const BITS: u32>(self) -> Self;
    /// 64-bit words shifted to higher bits.
    unsafe fn up<const BITS: u32>(self) -> Self;
    /// The byte in all bytes.
    unsafe fn all_bytes(byte: u8) -> Self;
    /// Vector `at` of a block of at most 64 lanes of 32 bits: lanes whose bit of the block is set
    /// (the lowest for the first), others 0.
    unsafe fn keep32(self, bits: u64, at: usize) -> Self;
    /// 32-bit lanes as 64-bit words: the first half of the lanes, and the second.
    unsafe fn widen32(self) -> (Self, Self);

    /// Sum of the numbers, of 64, whose bit is set.
    #[inline(always)]
    unsafe fn sum_of_bits(mut bits: u64, sums: *const u64) -> u64 {
        let mut sum = 0;
        while bits != 0 {
            let column = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            // SAFETY: the caller vouches for 64 numbers.
            sum += unsafe { *sums.add(column) };
        }
        sum
    }

    /// `out[c] = table[number spelled by bits first + c of the planes]` for `columns` columns, a
    /// multiple of 32.
    #[inline(always)]
    unsafe fn look_up(
        planes: &[u64],
        first: usize,
        columns: usize,
        table: &WeightTable,
        out: *mut u32,
    ) {
        // SAFETY: as the caller of this method has promised.
        unsafe { look_up(planes, first, columns, table, out) }
    }

    /// `out[c] += all - ` number spelled by bits `16 * quarter + c` of word `word` of the planes,
    /// for 16 columns.
    #[inline(always)]
    unsafe fn spread(planes: &[Words], word: usize, quarter: usize, all: u32, out: &mut [u32]) {
        let mut column = [all; 16];
        for (p, plane) in planes.iter().enumerate() {
            let bits = (plane.0[word] >> (16 * quarter)) as u32 & 0xffff;
            for (c, column) in column.iter_mut().enumerate() {
                *column -= (bits >> c & 1) << p;
            }
        }
        out[..16].iter_mut().zip(&column).for_each(|(to, c)| *to += c);
    }
    /// `all - ` number spelled by each bit of word `word` of the planes.
    #[inline(always)]
    unsafe fn spread64(planes: &[Words], word: usize, all: u32, out: &mut [[u32; 16]; 4]) {
        for (quarter, out) in out.iter_mut().enumerate() {
            *out = [0; 16];
            // SAFETY: as the caller of this method has promised.
            unsafe { Self::spread(planes, word, quarter, all, out) };
        }
    }
    /// `out[i] += weight * counts[i]` for 16 numbers. The same bits at every level.
    #[inline(always)]
    unsafe fn add_counts(counts: &[u32; 16], weight: f64, out: &mut [f64]) {
        for (to, &count) in out.iter_mut().zip(counts) {
            *to += weight * f64::from(count as i32);
        }
    }
    /// Numbers of two bytes each, word by word from word `part` of 64 numbers on: the first halves
    /// of 16 numbers, then the second ones.
    #[inline(always)]
    unsafe fn store_numbers(low: Self, high: Self, part: usize, out: &mut [u16]) {
        // SAFETY: as the caller of this method has promised.
        let [low, high] = unsafe { [low.words().0, high.words().0] };
        for word in 0..Self::WORDS {
            let at = (part + word) % 2 * 32 + (part + word) / 2 * 8;
            let each = low[word].to_le_bytes().into_iter().zip(high[word].to_le_bytes());
            out[at..at + 8].iter_mut().zip(each).for_each(|(to, (l, h))| {
                *to = u16::from_le_bytes([l, h]);
            });
        }
    }
    /// `self | (m & e)`.
    #[inline(always)]
    unsafe fn or_and(self, m: Self, e: Self) -> Self {
        // SAFETY: the level's instructions are there, as the caller of this method has promised.
        unsafe { self.or(m.and(e)) }
    }
    /// Where the two planes spell `N` (below four) and `third` is set.
    #[inline(always)]
    unsafe fn spell<const N: usize>(a: Self, b: Self, third: Self) -> Self {
        // SAFETY: the level's instructions are there, as the caller of this method has promised.
        unsafe {
            match N {
                0 => a.or(b).not_and(third),
                1 => b.not_and(a).and(third),
                2 => a.not_and(b).and(third),
                _ => a.and(b).and(third),
            }
        }
    }
    /// Where `self` and `b` agree and `c` is not set.
    #[inline(always)]
    unsafe fn neither(self, b: Self, c: Self) -> Self {
        // SAFETY: the level's instructions are there, as the caller of this method has promised.
        unsafe { self.xor(b).or(c).not_and(Self::ones()) }
    }
    /// Full adder: (sum, carry) of three bits.
    #[inline(always)]
    unsafe fn add3(self, b: Self, c: Self) -> (Self, Self) {
        // SAFETY: the level's instructions are there, as the caller of this method has promised.
        unsafe {
            let x = self.xor(b);
            (x.xor(c), self.and(b).or(x.and(c)))
        }
    }
    /// Half adder: (sum, carry) of two bits.
    #[inline(always)]
    unsafe fn add2(self, b: Self) -> (Self, Self) {
        // SAFETY: the level's instructions are there, as the caller of this method has promised.
        unsafe { (self.xor(b), self.and(b)) }
    }
}

/// Each bit of a byte as a byte.
const SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte >> bit & 1) as u64) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// [`Word::look_up`], eight columns at a time.
#[inline(always)]
pub(super) unsafe fn look_up(
    planes: &[u64],
    first: usize,
    columns: usize,
    table: &WeightTable,
    out: *mut u32,
) {
    // SAFETY: numbers are below the length of the table, and `out` has room for all columns.
    unsafe {
        for at in (0..columns).step_by(8) {
            let mut bytes = [0u64; 3];
            for (p, plane) in planes.iter().enumerate() {
                bytes[p / 8] |= SPREAD[usize::from((plane >> (first + at)) as u8)] << (p % 8);
            }
            for c in 0..8 {
                let mut number = (bytes[0] >> (8 * c)) as u8 as usize;
                if planes.len() > 8 {
                    number |= ((bytes[1] >> (8 * c)) as u8 as usize) << 8;
                    number |= ((bytes[2] >> (8 * c)) as u8 as usize) << 16;
                }
                *out.add(at + c) = *table.one.get_unchecked(number);
            }
        }
    }
}
