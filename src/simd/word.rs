//! The vector that the kernels are written over: bitwise operations, shifts, sums and popcounts.
//!
//! A method without a body is one or a few instructions, and each level implements it. A method
//! with a body here is replaced by levels that have quicker instructions for it.
//!
//! All methods are `#[inline(always)]` and unsafe, as the section on safety of [`Word`] says. A
//! kernel over this trait is compiled once per level by `instantiate`, inside a function that
//! enables the target features, so a method becomes its instruction and no call remains.

use super::weights::WeightTable;

/// The words of a vector, followed by zeros.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Words(pub [u64; 8]);

/// A vector of `64 * WORDS` bits.
///
/// # Safety
/// The methods may only be called inside a function that enables the target features of the type,
/// on a processor that has them. Pointers to words must be good for [`Word::WORDS`] u64 that begin
/// on a multiple of [`ALIGNMENT`](super::buffer::ALIGNMENT) bytes (SSE2 reads an operand from
/// memory only then); pointers to bytes must be good for eight times as many bytes, at any address.
pub(super) trait Word: Copy {
    /// 64-bit words in the vector.
    const WORDS: usize;
    /// Number of vectors of 32-bit lanes in a block of columns, 4 or 8, chosen so that the sums of
    /// a block stay in registers; a block has 32 or 64 columns.
    const BLOCK_VECTORS: usize;
    /// Whether [`super::tally::tally`] takes eight steps at once: it does with thirty-two registers
    /// and any function of three vectors in one operation.
    const EIGHT_STEPS: bool;
    /// Whether masks of 32-bit lanes are cheaper read from memory than made from bits.
    const LANE_MASKS: bool;
    /// Whether [`Self::count`] takes several instructions, so that kernels avoid it: they add
    /// planes or bytes first.
    const SLOW_COUNT: bool;
    /// Read [`Self::WORDS`] words from memory, which are aligned as the trait says.
    unsafe fn load(p: *const u64) -> Self;
    /// Read `8 * WORDS` bytes of any alignment.
    unsafe fn load_bytes(p: *const u8) -> Self;
    /// Write the vector to memory, which is aligned as the trait says.
    unsafe fn store(self, p: *mut u64);
    /// The words one by one, in the order of memory; a way from planes to numbers, not for inner
    /// loops.
    #[inline(always)]
    unsafe fn words(self) -> Words {
        let mut words = Words([0; 8]);
        // SAFETY: eight words, aligned.
        unsafe { self.store(words.0.as_mut_ptr()) };
        words
    }
    /// The sum of the 64-bit words, for the end of a loop of [`Self::add64`].
    #[inline(always)]
    unsafe fn total(self) -> u64 {
        // SAFETY: as the caller of this method has promised.
        unsafe { self.words() }.0.iter().sum()
    }
    /// A vector with no bit set.
    unsafe fn zero() -> Self;
    /// A vector with all bits set.
    unsafe fn ones() -> Self;
    /// Bits that are set in both.
    unsafe fn and(self, b: Self) -> Self;
    /// Bits that are set in either.
    unsafe fn or(self, b: Self) -> Self;
    /// Bits that are set in one and not in the other.
    unsafe fn xor(self, b: Self) -> Self;
    /// Bits that are set in `b` and not in `self`.
    unsafe fn andnot(self, b: Self) -> Self;
    /// Whether any bit is set.
    unsafe fn any(self) -> bool;
    /// The number of bits set in each 64-bit word.
    unsafe fn count(self) -> Self;
    /// The bytes of `self`, plus one where `a` and `b` have equal bytes; each must be below 255.
    unsafe fn count_equal_bytes(self, a: Self, b: Self) -> Self;
    /// Sums of the 64-bit words of both, modulo 2^64.
    unsafe fn add64(self, b: Self) -> Self;
    /// Sums of the bytes of both, modulo 256.
    unsafe fn add8(self, b: Self) -> Self;
    /// In each 64-bit word, the sum of its eight bytes.
    unsafe fn sum_bytes(self) -> Self;
    /// The 64-bit words shifted by `BITS` to lower bits, with zeros from above.
    unsafe fn shr<const BITS: u32>(self) -> Self;
    /// The 64-bit words shifted by `BITS` to higher bits, with zeros from below.
    unsafe fn shl<const BITS: u32>(self) -> Self;
    /// A vector whose bytes are all `byte`.
    unsafe fn all_bytes(byte: u8) -> Self;
    /// The 32-bit lanes whose bit is set, the others 0. `self` is vector `at` of a block of at most
    /// 64 lanes, and `bits` has one bit per lane of the block, the lowest bit for the first lane.
    unsafe fn keep32(self, bits: u64, at: usize) -> Self;
    /// The 32-bit lanes as 64-bit words: the first half of the lanes, then the second half.
    unsafe fn widen32(self) -> (Self, Self);

    /// The sum of the numbers, among 64, whose bit is set. The default looks at one set bit after
    /// the other; AVX-512 adds all numbers under masks.
    ///
    /// # Safety
    /// As for the trait, and `sums` is good for 64 numbers.
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
    /// for `columns` columns, a multiple of 32. Levels differ in how they make numbers of planes.
    ///
    /// # Safety
    /// As for the trait. Every number is below the length of `table.one`, `first + columns` is at
    /// most 64, and `out` has room for `columns` weights.
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

    /// For 16 columns, add `all` less the bit-sliced number of the column to `out`: bit `16 *
    /// quarter + c` of word `word` of the planes belongs to `out[c]`. Planes hold agreements, so
    /// `all`, the number of features or members, makes differences of them.
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

    /// For 64 columns, write `all` less the bit-sliced number of the column, from word `word` of
    /// the planes. Unlike [`Self::spread`] it overwrites `out`.
    #[inline(always)]
    unsafe fn spread64(planes: &[Words], word: usize, all: u32, out: &mut [[u32; 16]; 4]) {
        for (quarter, out) in out.iter_mut().enumerate() {
            *out = [0; 16];
            // SAFETY: as the caller of this method has promised.
            unsafe { Self::spread(planes, word, quarter, all, out) };
        }
    }

    /// `out[i] += weight * counts[i]` for 16 numbers. Counts are below 2^31. Product and sum are
    /// not fused, so that all levels round alike.
    #[inline(always)]
    unsafe fn add_counts(counts: &[u32; 16], weight: f64, out: &mut [f64]) {
        for (to, &count) in out.iter_mut().zip(counts) {
            *to += weight * f64::from(count as i32);
        }
    }

    /// Write numbers of two bytes, with their lower bytes from `low` and their higher bytes from
    /// `high`. The eight numbers of word `part + w` go where AVX-512's interleaving of bytes has
    /// them: among the first 32 numbers for even words, among the last 32 for odd ones.
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

    /// `self | (b & c)`; one instruction with AVX-512.
    #[inline(always)]
    unsafe fn or_and(self, b: Self, c: Self) -> Self {
        // SAFETY: the level's instructions are there, as the caller of this method has promised.
        unsafe { self.or(b.and(c)) }
    }

    /// The columns where `third` is set and the number with the bits `a` (lower) and `b` is `N`,
    /// below four. One instruction with AVX-512, which makes eight steps at once pay
    /// ([`Self::EIGHT_STEPS`]).
    #[inline(always)]
    unsafe fn equals_digit<const N: usize>(a: Self, b: Self, third: Self) -> Self {
        // SAFETY: the level's instructions are there, as the caller of this method has promised.
        unsafe {
            match N {
                0 => a.or(b).andnot(third),
                1 => b.andnot(a).and(third),
                2 => a.andnot(b).and(third),
                _ => a.and(b).and(third),
            }
        }
    }

    /// The bits where `self` and `b` agree and `c` is not set. Two genotypes agree there, with `c`
    /// their differing high bits.
    #[inline(always)]
    unsafe fn xnor_andnot(self, b: Self, c: Self) -> Self {
        // SAFETY: the level's instructions are there, as the caller of this method has promised.
        unsafe { self.xor(b).or(c).andnot(Self::ones()) }
    }

    /// Full adder: (sum, carry) of three bits. Five operations, or two with AVX-512; the carry has
    /// twice the weight of the sum.
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

/// [`Word::look_up`], eight columns at a time. Each byte of a plane becomes eight bytes by a table,
/// so a column's number grows by one `or` per plane. It serves levels without quicker instructions,
/// and all levels for numbers of more than eight bits.
///
/// # Safety
/// Every number is below the length of `table.one`, `first + columns` is at most 64, there are at
/// most 24 planes, and `out` has room for `columns` weights.
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
