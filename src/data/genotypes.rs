//! Genotypes in two bits: as files hold them ([`PackedGenotypes`], variant by variant), and as two
//! bit planes per sample ([`GenotypePlanes`]), which `stats::neighbours::genotypes` compares.
//!
//! A `.bed` file of PLINK has four samples per byte, the first in the lowest bits: 00 two copies of
//! allele 1, 10 one, 11 none, 01 missing. To compare samples, the low bits of all variants of a
//! sample must lie side by side, and so must the high bits: blocks of 64 variants by 64 samples are
//! transposed in registers, in about samples * variants / 10 operations. Words come in groups of
//! 512 variants (eight words of low bits, eight of high bits), and the groups of all samples in
//! chunks, so that a pass over pairs of samples reads a few kB of each sample at a time.

use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::simd::Buffer;

/// Variants of a group.
pub const GROUP: usize = 512;

/// Words of a sample in a group: low bits, then high bits.
pub const GROUP_WORDS: usize = 16;

/// Most groups of a chunk: 4 kB per sample.
const CHUNK: usize = 32;

/// The two-bit code of a missing genotype.
pub const MISSING_CODE: u8 = 1;

/// The contents of a `.bed` file behind its header: variant by variant, four samples per byte.
#[derive(Debug, Clone, Copy)]
pub struct PackedGenotypes<'a> {
    bytes: &'a [u8],
    samples: usize,
    variants: usize,
}

impl<'a> PackedGenotypes<'a> {
    /// Genotypes from the bytes of a file.
    ///
    /// # Errors
    /// [`Error::Data`] if the number of bytes does not fit the samples and variants.
    pub fn new(bytes: &'a [u8], samples: usize, variants: usize) -> Result<Self> {
        let needed = samples.div_ceil(4).checked_mul(variants);
        if samples == 0 || variants == 0 || needed != Some(bytes.len()) {
            return Err(Error::Data(format!(
                "{} bytes for {samples} samples and {variants} variants in two bits",
                bytes.len()
            )));
        }
        Ok(Self { bytes, samples, variants })
    }

    /// Number of samples of the file, at least 1. The last byte of a variant is padded where they
    /// do not fill it.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Number of variants of the file, at least 1. Each of them is a nominal feature with three
    /// values.
    pub fn variants(&self) -> usize {
        self.variants
    }

    /// The bytes of a variant: four samples per byte, the first in the lowest bits. Bits after the
    /// last sample are padding, which readers ignore.
    pub fn variant(&self, v: usize) -> &'a [u8] {
        let each = self.samples.div_ceil(4);
        &self.bytes[v * each..][..each]
    }

    /// The two-bit codes of some samples at a variant, written to `out` in the order of `samples`.
    /// Codes are as in the file, so a missing genotype has [`MISSING_CODE`]; `out` must be as long
    /// as `samples`.
    pub fn codes(&self, v: usize, samples: &[u32], out: &mut [u8]) {
        let bytes = self.variant(v);
        for (&sample, to) in samples.iter().zip(out) {
            *to = bytes[sample as usize / 4] >> (sample % 4 * 2) & 3;
        }
    }
}

/// Low and high bits of the genotypes of some samples. The caller chooses the order of the samples;
/// the *place* of a sample is its position in this order.
#[derive(Debug)]
pub struct GenotypePlanes {
    /// `[chunk][place][group of the chunk][word]`.
    words: Buffer,
    /// Number of samples that have a place.
    places: usize,
    groups: usize,
    /// Groups of a chunk.
    together: usize,
    /// How often each code occurs at each variant.
    pub counts: Vec<[u32; 4]>,
}

impl GenotypePlanes {
    /// Transpose the genotypes of some samples; `order` has the sample at each place, none twice.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn new(control: &Control, packed: PackedGenotypes<'_>, order: &[u32]) -> Result<Self> {
        let places = order.len();
        let groups = packed.variants.div_ceil(GROUP);
        let together = CHUNK.min(groups);
        let mut words = Buffer::zeroed(groups.next_multiple_of(together) * places * GROUP_WORDS);
        let mut counts = vec![[0u32; 4]; packed.variants];
        let placement = Placement::new(order, packed.samples);
        // A task is a chunk of the words with its variants' counts.
        let mut items: Vec<_> = words
            .chunks_mut(together * places * GROUP_WORDS)
            .zip(counts.chunks_mut(together * GROUP))
            .collect();
        parallel::for_each_mut(control, &mut items, &|chunk, (words, counts)| {
            for (at, counts) in counts.chunks_mut(64).enumerate() {
                control.check()?;
                let first = chunk * together * GROUP + at * 64;
                let words = &mut words[at / 8 * GROUP_WORDS + at % 8..];
                transpose(packed, first, &placement, counts, words, together * GROUP_WORDS);
            }
            Ok(())
        })?;
        Ok(Self { words, places, groups, together, counts })
    }

    /// Replace missing genotypes by the most frequent genotype of the variant, and among equally
    /// frequent ones by that with most copies of allele 1.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn impute(&mut self, control: &Control) -> Result<()> {
        // The mode of each variant with missing genotypes, as low and high bits.
        let missing = usize::from(MISSING_CODE);
        let mut modes = vec![[0u64; GROUP_WORDS]; self.groups.next_multiple_of(self.together)];
        for (v, counts) in self.counts.iter_mut().enumerate().filter(|(_, c)| c[missing] > 0) {
            let mode =
                [0, 2, 3].into_iter().fold(0, |a, b| if counts[b] > counts[a] { b } else { a });
            let to = &mut modes[v / GROUP];
            let (word, bit) = (v % GROUP / 64, v % 64);
            to[word] |= (mode as u64 & 1) << bit;
            to[8 + word] |= (mode as u64 >> 1) << bit;
            counts[mode] += counts[missing];
            counts[missing] = 0;
        }
        let (stride, together) = (self.stride(), self.together);
        let mut chunks: Vec<_> = self.words.chunks_mut(stride * self.places).collect();
        parallel::for_each_mut(control, &mut chunks, &|chunk, words| {
            control.check()?;
            let modes = modes[chunk * together..][..together].iter().cycle();
            for (group, mode) in words.chunks_exact_mut(GROUP_WORDS).zip(modes) {
                for w in 0..8 {
                    // Missing is 01: the low bit alone.
                    let gone = group[w] & !group[8 + w];
                    group[w] = group[w] & !gone | mode[w] & gone;
                    group[8 + w] |= mode[8 + w] & gone;
                }
            }
            Ok(())
        })
    }

    /// Bytes of the planes of `places` samples and `variants` variants, padded to whole chunks.
    /// They are compared with the memory limit before the planes are made; the number saturates
    /// instead of overflowing.
    pub fn bytes(places: usize, variants: usize) -> usize {
        let groups = variants.div_ceil(GROUP);
        let chunks = groups.next_multiple_of(CHUNK.min(groups.max(1)));
        chunks.saturating_mul(places).saturating_mul(8 * GROUP_WORDS)
    }

    /// Number of places: of the samples that were chosen when the planes were made. Places are in
    /// the caller's order of the samples.
    pub fn places(&self) -> usize {
        self.places
    }

    /// Number of groups of [`GROUP`] variants. If the last group is not full, its other bits are 0
    /// for all samples, so that no pair of samples differs in them.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The words of each chunk of groups: `stride` words per place, place by place.
    pub fn chunks(&self) -> impl Iterator<Item = &[u64]> {
        self.words.chunks(self.stride() * self.places)
    }

    /// Words of a place in a chunk: [`GROUP_WORDS`] for each group. It is the step from a place to
    /// the next in [`Self::chunks`]; the last chunk has as many words, padded with zeros.
    pub fn stride(&self) -> usize {
        self.together * GROUP_WORDS
    }

    /// Copy the words of a group, place by place. `out` needs [`GROUP_WORDS`] words per place. In a
    /// chunk, the words of a group lie [`Self::stride`] words apart; sums read each of them many
    /// times, so they are brought together first.
    pub fn copy_group(&self, group: usize, out: &mut [u64]) {
        let stride = self.stride();
        let chunk = &self.words[group / self.together * stride * self.places..];
        let from = group % self.together * GROUP_WORDS;
        for (place, to) in out.chunks_exact_mut(GROUP_WORDS).take(self.places).enumerate() {
            to.copy_from_slice(&chunk[place * stride + from..][..GROUP_WORDS]);
        }
    }
}

/// The place of each sample, in blocks of 64 samples.
struct Placement {
    /// By sample; `u32::MAX` for a sample without a place.
    place_of: Vec<u32>,
    /// For each block, the samples that have a place, as bits.
    used: Vec<u64>,
}

impl Placement {
    /// `order` has the sample at each place.
    fn new(order: &[u32], samples: usize) -> Self {
        let mut place_of = vec![u32::MAX; samples.next_multiple_of(64)];
        order.iter().enumerate().for_each(|(place, &s)| place_of[s as usize] = place as u32);
        let mask = |places: &[u32]| {
            places.iter().enumerate().fold(0, |m, (i, &p)| m | u64::from(p != u32::MAX) << i)
        };
        let used = place_of.chunks(64).map(mask).collect();
        Self { place_of, used }
    }
}

/// Transpose up to 64 variants from `first` on, one per element of `counts`, and count their codes.
///
/// The word of a place goes to `words[place * stride]` (low bits) and eight words further (high
/// bits).
fn transpose(
    packed: PackedGenotypes<'_>,
    first: usize,
    placement: &Placement,
    counts: &mut [[u32; 4]],
    words: &mut [u64],
    stride: usize,
) {
    let blocks = placement.used.iter().zip(placement.place_of.chunks_exact(64));
    for (block, (&used, places)) in blocks.enumerate() {
        // Words of 64 samples by variant.
        let (mut low, mut high) = ([0u64; 64], [0u64; 64]);
        for (v, count) in counts.iter_mut().enumerate() {
            let bytes = packed.variant(first + v);
            let bytes = &bytes[block * 16..];
            let mut sixteen = [0u8; 16];
            if bytes.len() >= 16 {
                sixteen.copy_from_slice(&bytes[..16]);
            } else {
                sixteen[..bytes.len()].copy_from_slice(bytes);
            }
            // 64 samples of two bits each: the even bits are the low ones.
            let both = u128::from_le_bytes(sixteen);
            let halves = [both as u64, (both >> 64) as u64];
            let l = even_bits(halves[0]) | even_bits(halves[1]) << 32;
            let h = even_bits(halves[0] >> 1) | even_bits(halves[1] >> 1) << 32;
            (low[v], high[v]) = (l, h);
            let ones = |x: u64| (x & used).count_ones();
            let parts = [ones(!(l | h)), ones(l & !h), ones(h & !l), ones(l & h)];
            count.iter_mut().zip(parts).for_each(|(c, p)| *c += p);
        }
        // Words of 64 variants by sample.
        transpose64(&mut low);
        transpose64(&mut high);
        for ((&place, &l), &h) in places.iter().zip(&low).zip(&high) {
            if place != u32::MAX {
                let at = place as usize * stride;
                (words[at], words[at + 8]) = (l, h);
            }
        }
    }
}

/// The bits 0, 2, 4, ... of a word, moved together.
fn even_bits(x: u64) -> u64 {
    let mut x = x & 0x5555_5555_5555_5555;
    x = (x | x >> 1) & 0x3333_3333_3333_3333;
    x = (x | x >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    x = (x | x >> 4) & 0x00ff_00ff_00ff_00ff;
    x = (x | x >> 8) & 0x0000_ffff_0000_ffff;
    (x | x >> 16) & 0xffff_ffff
}

/// Transpose a matrix of 64 x 64 bits: bit j of word i becomes bit i of word j. Blocks of 32 x 32
/// bits are exchanged, then blocks of 16 x 16 in each quarter, and so on.
fn transpose64(x: &mut [u64; 64]) {
    let (mut width, mut low) = (32, 0xffff_ffff_u64);
    while width > 0 {
        for block in x.chunks_exact_mut(2 * width) {
            let (first, second) = block.split_at_mut(width);
            for (a, b) in first.iter_mut().zip(second) {
                let t = (*a >> width ^ *b) & low;
                (*a, *b) = (*a ^ t << width, *b ^ t);
            }
        }
        width /= 2;
        low ^= low << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_hold_the_codes_of_every_sample_in_its_place() {
        let mut state = 9u64;
        let mut draw = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as usize
        };
        for (samples, variants) in [(1usize, 1usize), (5, 63), (64, 64), (67, 700), (130, 17_000)] {
            let each = samples.div_ceil(4);
            let bytes: Vec<u8> = (0..each * variants).map(|_| draw() as u8).collect();
            let packed = PackedGenotypes::new(&bytes, samples, variants).unwrap();
            let order: Vec<u32> = (0..samples as u32).rev().filter(|s| s % 5 != 3).collect();
            let planes = GenotypePlanes::new(&Control::new(2), packed, &order).unwrap();
            let mut codes = vec![0; order.len()];
            let mut group = vec![0; order.len() * GROUP_WORDS];
            for v in 0..variants {
                packed.codes(v, &order, &mut codes);
                planes.copy_group(v / GROUP, &mut group);
                let mut counts = [0; 4];
                for (place, &code) in codes.iter().enumerate() {
                    let (word, bit) = (v % GROUP / 64, v % 64);
                    let words = &group[place * GROUP_WORDS..];
                    let found = (words[word] >> bit & 1) + 2 * (words[8 + word] >> bit & 1);
                    assert_eq!(found, u64::from(code), "variant {v}, place {place}");
                    counts[usize::from(code)] += 1;
                }
                assert_eq!(planes.counts[v], counts);
            }
        }
    }

    #[test]
    fn bytes_that_do_not_fit_are_refused() {
        for (len, samples, variants) in [(3, 5, 2), (5, 5, 2), (0, 0, 2), (0, 2, 0)] {
            assert!(PackedGenotypes::new(&vec![0; len], samples, variants).is_err());
        }
    }
}
