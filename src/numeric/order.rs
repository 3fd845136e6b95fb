//! Numbers in order: thresholds between them, and integer keys that sort as they do.

/// The threshold between two neighbouring data values: their midpoint, or `lo` if the midpoint does
/// not separate them, as for adjacent doubles.
#[inline]
pub fn midpoint(lo: f64, hi: f64) -> f64 {
    let t = lo / 2.0 + hi / 2.0;
    if t < lo || t >= hi { lo } else { t }
}

/// The largest double x with `x <= t || x - t < tolerance`, so that `x <= reach(t, tolerance)` is
/// the same comparison.
///
/// The difference is rounded, so x is found by bisection over the doubles.
pub fn reach(t: f64, tolerance: f64) -> f64 {
    let within = |x: f64| x <= t || x - t < tolerance;
    let (mut low, mut high) = (order_key(t), order_key((t + 2.0 * tolerance).max(t.next_up())));
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if within(from_order_key(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    from_order_key(low)
}

/// A key whose unsigned order is the order of the doubles; `-0.0` and `0.0` have the same key.
#[inline]
pub fn order_key(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | (1 << 63) }
}

/// The double of a key: the inverse of [`order_key`].
pub fn from_order_key(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key ^ (1 << 63) } else { !key })
}
