//! The bin of a number, which is the number of cuts below it.
//!
//! A table of buckets says how many cuts lie below the bucket of a value, and a few comparisons
//! count those inside the bucket. Buckets divide the range of the cuts evenly, either in the values
//! or in their bit patterns (for columns of many scales), whichever leaves fewer cuts in the
//! fullest bucket. If that bucket has more than [`MOST_STEPS`], cuts are found by bisection
//! instead. About 2 ns per value.

use crate::numeric::order_key;

/// Buckets of a table: four per bin with the usual 256 bins, and 2 kB, which stay in the cache.
const BUCKETS: usize = 1024;
/// Number of the last bucket.
const LAST_BUCKET: f64 = (BUCKETS - 1) as f64;
/// 2^52: a whole number that is added to it is in the lowest bits of the sum.
const ROUNDER: f64 = 4_503_599_627_370_496.0;
/// Comparisons after the table beyond which bisection is quicker.
const MOST_STEPS: usize = 6;

/// How the bucket of a value follows from the value.
#[derive(Debug, Clone, Copy)]
enum Scale {
    /// `(x - low) * factor`.
    Linear { low: f64, factor: f64 },
    /// `(key - low) >> shift`, with `key` the [`order_key`] of `x`.
    Bits { low: u64, shift: u32 },
}

impl Scale {
    /// The bucket of a value; values outside the range of the cuts are in the first or the last.
    #[inline(always)]
    fn bucket(self, x: f64) -> usize {
        match self {
            Self::Linear { low, factor } => {
                let position = (x - low) * factor;
                // Comparisons in this order send NaN to bucket 0.
                let position = if position > 0.0 { position } else { 0.0 };
                let position = if position < LAST_BUCKET { position } else { LAST_BUCKET };
                // Adding 2^52 rounds to a whole number, which is then in the lowest bits: quicker
                // than a conversion. The remainder drops the other bits.
                (position + ROUNDER).to_bits() as usize % BUCKETS
            }
            Self::Bits { low, shift } => {
                ((order_key(x).saturating_sub(low) >> shift) as usize).min(BUCKETS - 1)
            }
        }
    }
}

/// The cuts of one column with their table of buckets.
#[derive(Debug)]
pub(super) struct Lookup {
    /// Ascending, followed by infinities, so that a bucket's comparisons end inside.
    cuts: Vec<f64>,
    n_cuts: usize,
    /// None if cuts are found by bisection.
    scale: Option<Scale>,
    /// For each bucket, the number of cuts in earlier ones.
    cuts_before: Vec<u16>,
    /// Cuts of the fullest bucket, which are compared with each value.
    steps: usize,
}

impl Lookup {
    /// A table for at most 65,535 ascending cuts, so that their numbers fit 16 bits.
    pub(super) fn new(cuts: &[f64]) -> Self {
        let mut padded = cuts.to_vec();
        padded.resize(cuts.len() + MOST_STEPS + 1, f64::INFINITY);
        let n_cuts = cuts.len();
        let mut lookup =
            Self { cuts: padded, n_cuts, scale: None, cuts_before: Vec::new(), steps: 0 };
        let (Some(&low), Some(&high)) = (cuts.first(), cuts.last()) else { return lookup };
        // Both scales, if the linear one has a finite factor.
        let mut scales = Vec::new();
        let factor = LAST_BUCKET / (high - low);
        if factor.is_finite() && factor > 0.0 {
            scales.push(Scale::Linear { low, factor });
        }
        let range = order_key(high) - order_key(low);
        let shift = (64 - range.leading_zeros()).saturating_sub(BUCKETS.trailing_zeros());
        scales.push(Scale::Bits { low: order_key(low), shift });
        // The scale whose fullest bucket has fewer cuts.
        for scale in scales {
            let mut counts = [0_usize; BUCKETS];
            cuts.iter().for_each(|&c| counts[scale.bucket(c)] += 1);
            let steps = counts.iter().copied().max().unwrap_or(0);
            if steps <= MOST_STEPS && (lookup.scale.is_none() || steps < lookup.steps) {
                let mut before = 0;
                lookup.cuts_before.clear();
                for count in counts {
                    lookup.cuts_before.push(before as u16);
                    before += count;
                }
                (lookup.scale, lookup.steps) = (Some(scale), steps);
            }
        }
        lookup
    }

    /// Number of cuts.
    pub(super) fn len(&self) -> usize {
        self.n_cuts
    }

    /// Write the bin of each value to `out`, which is as long as `values`. The bin of NaN is not
    /// specified: the caller replaces it.
    pub(super) fn codes(&self, values: &[f64], out: &mut [u16]) {
        match (self.scale, self.steps) {
            (None, _) => {
                let cuts = &self.cuts[..self.n_cuts];
                for (code, &x) in out.iter_mut().zip(values) {
                    *code = cuts.partition_point(|&c| c < x) as u16;
                }
            }
            (Some(Scale::Linear { low, factor }), steps) => {
                let scale = Scale::Linear { low, factor };
                match steps {
                    1 => self.look_up::<1>(scale, values, out),
                    2 => self.look_up::<2>(scale, values, out),
                    3 => self.look_up::<3>(scale, values, out),
                    _ => self.look_up::<MOST_STEPS>(scale, values, out),
                }
            }
            (Some(scale), steps) => match steps {
                1 => self.look_up::<1>(scale, values, out),
                2 => self.look_up::<2>(scale, values, out),
                _ => self.look_up::<MOST_STEPS>(scale, values, out),
            },
        }
    }

    /// [`Self::codes`] by the table, with `STEPS` comparisons per value.
    #[inline(always)]
    fn look_up<const STEPS: usize>(&self, scale: Scale, values: &[f64], out: &mut [u16]) {
        let cuts_before: &[u16] = &self.cuts_before[..BUCKETS];
        for (code, &x) in out.iter_mut().zip(values) {
            let first = cuts_before[scale.bucket(x)];
            let cuts = &self.cuts[first as usize..][..STEPS];
            // A bucket with fewer cuts is followed by cuts of later ones, which are not below the
            // value: comparing them adds nothing.
            *code = first + cuts.iter().map(|&c| u16::from(c < x)).sum::<u16>();
        }
    }
}
