//! A C-contiguous array of numbers of the caller, which prediction reads without a copy.

/// All numbers of the rows, one row after the other.
#[derive(Debug, Clone, Copy)]
pub enum Dense<'a> {
    /// NumPy's float64.
    F64(&'a [f64]),
    /// NumPy's float32.
    F32(&'a [f32]),
}

impl Dense<'_> {
    /// Whether some number is NaN. Blocks without missing numbers take a quicker kernel. One pass
    /// over the numbers, which ends early if a chunk has NaN.
    pub(super) fn has_missing(self) -> bool {
        // The outer loop over chunks can stop early; the inner one, on integers as wide as the
        // numbers, is vectorised.
        match self {
            Self::F64(values) => values
                .chunks(1024)
                .any(|chunk| chunk.iter().fold(0, |any, x| any | u64::from(x.is_nan())) != 0),
            Self::F32(values) => values
                .chunks(1024)
                .any(|chunk| chunk.iter().fold(0, |any, x| any | u32::from(x.is_nan())) != 0),
        }
    }

    /// The rows from `first` on, `len` of them, with `width` numbers each. It is a view; the array
    /// must hold whole rows of this width.
    pub(super) fn rows(self, first: usize, len: usize, width: usize) -> Self {
        let range = first * width..(first + len) * width;
        match self {
            Self::F64(values) => Self::F64(&values[range]),
            Self::F32(values) => Self::F32(&values[range]),
        }
    }
}
