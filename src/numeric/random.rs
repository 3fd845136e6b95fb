//! Random choices as hashes, which depend on what they choose for and on nothing else.

/// A 64-bit hash of a seed and a value (the finaliser of SplitMix64).
///
/// Every random choice inside a tree comes from it, with values that name the node, so that a
/// choice never depends on the thread or the order of growth.
#[inline]
pub fn mix(seed: u64, value: u64) -> u64 {
    let mut z =
        seed ^ value.wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A uniform integer in `0..bound` from a hash ([`mix`]), by multiplication and shift; the bias is
/// below 2^-32 for bounds below 2^32.
#[inline]
pub fn uniform(key: u64, bound: u64) -> u64 {
    ((u128::from(key) * u128::from(bound)) >> 64) as u64
}
