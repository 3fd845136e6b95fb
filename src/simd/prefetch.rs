//! A hint to the processor that a number will be read soon.

/// Fetch a number into the cache; no effect where the processor has no such instruction. Small
/// nodes of a numeric target call it for the two values beside a cut that is likely to win, because
/// the threshold is made from them if the cut becomes the split.
#[inline(always)]
pub fn prefetch(number: &f64) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(number).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = number;
}
