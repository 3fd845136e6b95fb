//! Instruction sets: the ones that the processor has, and the one in use.
//!
//! [`for_each_level`] compiles a function for each of them where no intrinsics are needed.

use std::sync::OnceLock;

/// Instruction sets that kernels are compiled for, slowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Two 64-bit words as a vector, on every architecture.
    Plain,
    /// Baseline x86-64 (SSE2).
    Baseline,
    /// AVX2, and FMA, which comes with it.
    Avx2,
    /// AVX-512 F, BW, DQ, VPOPCNTDQ, VBMI, VBMI2 and BITALG, and BMI2 (Ice Lake, Zen 4 and later).
    Avx512,
}

impl Level {
    /// All levels this processor has, slowest first. A level is there only with all lower ones, so
    /// the list is a range of [`Level`]; tests run over it. The processor is asked on each call.
    pub fn available() -> Vec<Self> {
        let mut levels = vec![Self::Plain];
        #[cfg(target_arch = "x86_64")]
        {
            levels.push(Self::Baseline);
            if is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("popcnt")
            {
                levels.push(Self::Avx2);
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vpopcntdq")
                    && is_x86_feature_detected!("avx512vbmi")
                    && is_x86_feature_detected!("avx512vbmi2")
                    && is_x86_feature_detected!("avx512bitalg")
                    && is_x86_feature_detected!("bmi2")
                {
                    levels.push(Self::Avx512);
                }
            }
        }
        levels
    }

    /// The highest level that this processor has. It is looked up once per process, and kernels of
    /// higher levels are never handed out.
    pub fn best() -> Self {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| Self::available().last().copied().unwrap_or(Self::Plain))
    }

    /// The level in use: the highest that the processor has, or a lower one that the environment
    /// variable `FASTTREE_SIMD` names. The variable is read once, and an unknown name, or a level
    /// that the processor does not have, counts as the highest.
    #[inline]
    pub fn active() -> Self {
        static ACTIVE: OnceLock<Level> = OnceLock::new();
        *ACTIVE.get_or_init(|| {
            let best = Self::best();
            let asked = match std::env::var("FASTTREE_SIMD").as_deref() {
                Ok("plain") => Self::Plain,
                Ok("baseline") => Self::Baseline,
                Ok("avx2") => Self::Avx2,
                _ => best,
            };
            asked.min(best)
        })
    }

    /// The name of the level in `FASTTREE_SIMD`, in lower case. Python shows it, and benches label
    /// their results with it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Baseline => "baseline",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

/// A function that takes a level before its arguments, compiled with the features of each level.
/// The compiler makes vectors of its loops; all levels give the same bits, because it fuses no
/// multiplication with an addition. It is the cheapest way to a kernel: intrinsics are written
/// where whole fits gain by them, as a rule at least 1.15 times.
macro_rules! for_each_level {
    ($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $kind:ty),* $(,)?) $(-> $out:ty)?
        $body:block) => {
        $(#[$doc])*
        $vis fn $name(level: $crate::simd::Level, $($arg: $kind),*) $(-> $out)? {
            #[inline(always)]
            fn body($($arg: $kind),*) $(-> $out)? $body
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vpopcntdq,popcnt")]
            fn avx512($($arg: $kind),*) $(-> $out)? {
                body($($arg),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,popcnt")]
            fn avx2($($arg: $kind),*) $(-> $out)? {
                body($($arg),*)
            }
            match level {
                // SAFETY: the level says that the processor has these instructions.
                #[cfg(target_arch = "x86_64")]
                $crate::simd::Level::Avx512 => unsafe { avx512($($arg),*) },
                // SAFETY: the level says that the processor has these instructions.
                #[cfg(target_arch = "x86_64")]
                $crate::simd::Level::Avx2 => unsafe { avx2($($arg),*) },
                _ => body($($arg),*),
            }
        }
    };
}
pub(crate) use for_each_level;
