//! Codes of one byte as bit planes, with a bit for each row and value (`data::planes`).
//!
//! A plane is made by comparing 64 codes with a value at once: O(rows * values / 64) comparisons.

use super::Level;

/// Write the rows that have each code below `values` as bits: bit `r % 64` of
/// `out[r / 64 * word_step + v * value_step]` says whether row r has code v.
///
/// # Panics
///
/// If `out` ends before the last of these words, or `values` is above 255.
pub fn one_hot(
    level: Level,
    codes: &[u8],
    values: usize,
    out: &mut [u64],
    word_step: usize,
    value_step: usize,
) {
    assert!(values <= usize::from(u8::MAX));
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => {
            // SAFETY: the level says that the processor has these instructions.
            each(codes, values, out, word_step, value_step, |c, v| unsafe { equal_avx512(c, v) })
        }
        _ => each(codes, values, out, word_step, value_step, equal),
    }
}

/// [`one_hot`] by a function that compares 64 codes with a value.
#[inline(always)]
fn each(
    codes: &[u8],
    values: usize,
    out: &mut [u64],
    word_step: usize,
    value_step: usize,
    equal: impl Fn(&[u8; 64], u8) -> u64,
) {
    for (word, codes) in codes.chunks(64).enumerate() {
        // Rows behind the last have code 255, which is no value.
        let mut rows = [u8::MAX; 64];
        rows[..codes.len()].copy_from_slice(codes);
        for value in 0..values {
            out[word * word_step + value * value_step] = equal(&rows, value as u8);
        }
    }
}

/// A bit for each code that equals `value`; eight codes at a time.
fn equal(codes: &[u8; 64], value: u8) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let same = u64::from_ne_bytes([value; 8]);
    codes.as_chunks::<8>().0.iter().enumerate().fold(0, |bits, (i, eight)| {
        let other = u64::from_le_bytes(*eight) ^ same;
        // The highest bit of each byte that is zero; the product gathers them in the top byte.
        let zero = !(((other & LOW) + LOW) | other | LOW) >> 7;
        bits | (zero.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i)
    })
}

/// [`equal`], its twin, by one comparison. Two comparisons of AVX2 were 1.04 times as quick as
/// [`equal`] in whole fits, too little for code of their own.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn equal_avx512(codes: &[u8; 64], value: u8) -> u64 {
    use std::arch::x86_64::*;
    // SAFETY: there are 64 codes.
    let codes = unsafe { _mm512_loadu_si512(codes.as_ptr().cast()) };
    _mm512_cmpeq_epi8_mask(codes, _mm512_set1_epi8(value as i8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;

    #[test]
    fn planes_have_a_bit_for_each_row_and_value_on_every_level() {
        for seed in 0..200 {
            let n = mix(seed, 0) as usize % 300;
            let top = [3, 31, 256][seed as usize % 3];
            let codes: Vec<u8> = (0..n as u64).map(|r| (mix(seed, 1 + r) % top) as u8).collect();
            let values = 1 + mix(seed, 1) as usize % 40;
            let (width, step) = (2 * values + 1, 2);
            for level in Level::available() {
                let mut out = vec![u64::MAX; n.div_ceil(64) * width];
                one_hot(level, &codes, values, &mut out, width, step);
                for (at, &word) in out.iter().enumerate() {
                    let (first, value) = (at / width * 64, at % width / 2);
                    if at % width % 2 == 1 || value >= values {
                        assert_eq!(word, u64::MAX);
                        continue;
                    }
                    for bit in 0..64 {
                        let has = codes.get(first + bit) == Some(&(value as u8));
                        assert_eq!(word >> bit & 1 == 1, has, "{level:?}");
                    }
                }
            }
        }
    }
}
