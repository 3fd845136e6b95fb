//! The vector that the kernels are written over: bitwise operations, shifts, sums and popcounts.
//!
//! A method without a body is one or a few instructions, and each level implements it. A method
//! with a body here is replaced by levels that have quicker instructions for it.
//!
//! All methods are `#[inline(always)]` and unsafe: they may only be called inside a function that
//! enables the target features of the type, and pointers must be good for [`Word::WORDS`] u64 that
//! begin on a multiple of [`ALIGNMENT`](super::buffer::ALIGNMENT) bytes (SSE2 reads an operand from
//! memory only then).

use super::weights::WeightTable;

/// The words of a vector, followed by zeros.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Words(pub [u64; 8]);

/// A vector of `64 * WORDS` bits.
pub(super) trait Word: Copy {
    /// 64-bit words in the vector.
    const WORDS: usize;
    /// Vectors of 32-bit lanes in a block of columns, 4 or 8, so that the sums of a block stay in
    /// registers; a block has 32 or 64 columns.
    const BLOCK_VECTORS: usize;
    /// Whether [`super::tally::tally`] takes eight steps at once: it does with thirty-two registers
    /// and any function of three vectors in one operation.
    const EIGHT_STEPS: bool;
    /// Whether masks of 32-bit lanes are cheaper read from memory than made from bits.
    const LANE_MASKS: bool;
    /// Whether [`Self::count`] takes several instructions, so that kernels avoid it: they add
    /// planes or bytes first.
    const SLOW_COUNT: bool;
    /// Read from memory.
    unsafe fn load(p: *const u64) -> Self;
    /// Read bytes of any alignment.
    unsafe fn load_bytes(p: *const u8) -> Self;
    /// Write to memory.
    unsafe fn store(self, p: *mut u64);
    /// The words one by one.
    #[inline(always)]
    unsafe fn words(self) -> Words {
        let mut words = Words([0; 8]);
        // SAFETY: eight words, aligned.
        unsafe { self.store(words.0.as_mut_ptr()) };
        words
    }
    /// The sum of the 64-bit words.
    #[inline(always)]
    unsafe fn total(self) -> u64 {
        // SAFETY: as the caller of this method has promised.
        unsafe { self.words() }.0.iter().sum()
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
    /// The bytes of `self`, plus one where `a` and `b` have equal bytes.
    unsafe fn count_equal_bytes(self, a: Self, b: Self) -> Self;
    /// Sums of the 64-bit words of both.
    unsafe fn add64(self, b: Self) -> Self;
    /// Sums of the bytes of both.
    unsafe fn add8(self, b: Self) -> Self;
    /// The sum of the bytes of each 64-bit word.
    unsafe fn sum_bytes(self) -> Self;
    /// The 64-bit words shifted to lower bits.
    unsafe fn down<const BITS: u32>(self) -> Self;
    /// The 64-bit words shifted to higher bits.
    unsafe fn up<const BITS: u32>(self) -> Self;
    /// A vector whose bytes are all `byte`.
    unsafe fn all_bytes(byte: u8) -> Self;
    /// The 32-bit lanes whose bit is set, the others 0. `self` is vector `at` of a block of at most
    /// 64 lanes, and `bits` has one bit per lane of the block, the lowest for the first.
    unsafe fn keep32(self, bits: u64, at: usize) -> Self;
    /// The 32-bit lanes as 64-bit words: the first half of the lanes, then the second half.
    unsafe fn widen32(self) -> (Self, Self);

    /// Sum of those of 64 numbers whose bit is set.
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

    /// Look up the bit-sliced number of each column: `out[c] = table[number of column first + c]`
    /// for `columns` columns, a multiple of 32.
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

    /// For 16 columns, add `all` less the bit-sliced number of the column: bit `16 * quarter + c`
    /// of word `word` of the planes belongs to `out[c]`.
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

    /// For 64 columns, `all` less the bit-sliced number of the column, from word `word` of the
    /// planes.
    #[inline(always)]
    unsafe fn spread64(planes: &[Words], word: usize, all: u32, out: &mut [[u32; 16]; 4]) {
        for (quarter, out) in out.iter_mut().enumerate() {
            *out = [0; 16];
            // SAFETY: as the caller of this method has promised.
            unsafe { Self::spread(planes, word, quarter, all, out) };
        }
    }

    /// `out[i] += weight * counts[i]` for 16 numbers, not fused, so that all levels round alike.
    #[inline(always)]
    unsafe fn add_counts(counts: &[u32; 16], weight: f64, out: &mut [f64]) {
        for (to, &count) in out.iter_mut().zip(counts) {
            *to += weight * f64::from(count as i32);
        }
    }

    /// Write numbers of two bytes, whose lower bytes are those of `low` and whose higher bytes are
    /// those of `high`. The eight numbers of word `part + w` go where AVX-512's interleaving of
    /// bytes has them: among the first 32 numbers for even words, among the last 32 for odd ones.
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

    /// `self | (b & c)`.
    #[inline(always)]
    unsafe fn or_and(self, b: Self, c: Self) -> Self {
        // SAFETY: the level's instructions are there, as the caller of this method has promised.
        unsafe { self.or(b.and(c)) }
    }

    /// Where `third` is set and the number with the bits `a` (lower) and `b` is `N`, below four.
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

/// For each byte, its bits as bytes of 0 or 1.
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
            // Byte c of bytes[i] has the bits of column c in planes 8 i to 8 i + 7.
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
