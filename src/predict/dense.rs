//! Numbers of rows as the caller's array holds them, one row after the other.

/// Numbers row by row.
#[derive(Debug, Clone, Copy)]
pub enum Dense<'a> {
    /// float64.
    F64(&'a [f64]),
    /// float32.
    F32(&'a [f32]),
}

impl Dense<'_> {
    pub(super) fn has_missing(self) -> bool {
        // Chunks, so that the outer loop may stop; integers as wide as the numbers, so that the
        // inner one vectorises.
        match self {
            Self::F64(a) => {
                a.chunks(1024).any(|c| c.iter().fold(0, |any, x| any | u64::from(x.is_nan())) != 0)
            }
            Self::F32(a) => {
                a.chunks(1024).any(|c| c.iter().fold(0, |any, x| any | u32::from(x.is_nan())) != 0)
            }
        }
    }

    pub(super) fn rows(self, first: usize, len: usize, width: usize) -> Self {
        let range = first * width..(first + len) * width;
        match self {
            Self::F64(a) => Self::F64(&a[range]),
            Self::F32(a) => Self::F32(&a[range]),
        }
    }
}
