//! Sums of doubles that do not depend on the order of the terms ([`ExactSum`]).

/// An exact sum, which is rounded only when it is read, so that the order of the terms does not
/// matter.
///
/// It is a list of doubles whose bits do not overlap (Shewchuk 1997, Adaptive precision
/// floating-point arithmetic), as in Python's `math.fsum`. O(parts) per term, usually a few.
#[derive(Debug, Clone, Default)]
pub struct ExactSum {
    /// Ascending in magnitude.
    parts: Vec<f64>,
}

impl ExactSum {
    /// The doubles whose exact sum this is, ascending in magnitude; none before the first term. The
    /// sum is added to another one, or sent to another process, part by part.
    pub fn parts(&self) -> &[f64] {
        &self.parts
    }

    /// Add `a * b`, exactly unless the rounding error of the product is below the smallest double.
    /// A fused multiply-add finds this error, which becomes a second term; a product that overflows
    /// is added as an infinity.
    #[inline]
    pub fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.add(product);
        if product.is_finite() {
            self.add(a.mul_add(b, -product));
        }
    }

    /// Add many finite numbers, exactly.
    ///
    /// Significands are summed as integers, exponent by exponent, in about 1.5 ns per number.
    pub fn add_all(&mut self, terms: impl Iterator<Item = f64>) {
        const LOW: u64 = (1 << 52) - 1;
        // For each exponent, the sums of the lower and of the upper 32 bits of the significands.
        // They do not overflow with up to 2^31 terms.
        let mut sums = vec![[0_i64; 2]; 1 << 11];
        for term in terms {
            let bits = term.to_bits();
            let exponent = (bits >> 52) as usize & 0x7FF;
            let size = (bits & LOW | u64::from(exponent > 0) << 52) as i64;
            let signed = if bits >> 63 == 1 { -size } else { size };
            sums[exponent][0] += signed & 0xFFFF_FFFF;
            sums[exponent][1] += signed >> 32;
        }
        for (exponent, halves) in sums.iter().enumerate() {
            // The value of a significand's lowest bit, 2^(exponent - 1075), as the bits of a
            // double, which is subnormal for small exponents.
            let power = exponent.max(1);
            let unit = if power > 52 { (power as u64 - 52) << 52 } else { 1 << (power - 1) };
            for (half, scale) in halves.iter().zip([1.0, f64::powi(2.0, 32)]) {
                // Parts of at most 32 bits are exact as doubles.
                for (part, scale) in
                    [(half & 0x7FFF_FFFF, scale), (half >> 31, scale * f64::powi(2.0, 31))]
                {
                    if part != 0 {
                        self.add(part as f64 * scale * f64::from_bits(unit));
                    }
                }
            }
        }
    }

    /// Add a number to the parts, from the smallest on; each sum leaves an error term.
    #[inline]
    pub fn add(&mut self, term: f64) {
        let mut x = term;
        let mut kept = 0;
        for i in 0..self.parts.len() {
            let mut y = self.parts[i];
            if x.abs() < y.abs() {
                std::mem::swap(&mut x, &mut y);
            }
            let high = x + y;
            let low = y - (high - x);
            if low != 0.0 {
                self.parts[kept] = low;
                kept += 1;
            }
            x = high;
        }
        self.parts.truncate(kept);
        self.parts.push(x);
    }

    /// The sum, rounded to the nearest double; 0 if nothing was added. Parts are added from the
    /// largest down to the first that leaves a rounding error.
    #[inline]
    pub fn value(&self) -> f64 {
        let mut parts = self.parts.iter().rev();
        let Some(&(mut high)) = parts.next() else { return 0.0 };
        let mut low = 0.0;
        for &part in parts.by_ref() {
            let sum = high + part;
            low = part - (sum - high);
            high = sum;
            if low != 0.0 {
                break;
            }
        }
        // If `low` is half a unit of `high`, the sign of the next part decides.
        if let Some(&next) = parts.next()
            && low != 0.0
            && (low < 0.0) == (next < 0.0)
        {
            let twice = low * 2.0;
            let up = high + twice;
            if up - high == twice {
                high = up;
            }
        }
        high
    }
}
