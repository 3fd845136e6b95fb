//! A hint to the processor that an element will be read soon.

/// Fetch an element into the cache; no effect where the processor has no such instruction.
#[inline(always)]
pub fn prefetch<T>(list: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = list.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) }
    }
}
