//! Random numbers of a search.
//!
//! Every annealing unit and every chain has a generator of its own (PCG), seeded by the seed of the
//! search and the number of the unit, so that threads change nothing.

use crate::numeric::mix;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

/// The random numbers of one unit of a search.
#[derive(Debug)]
pub struct SearchRng(Pcg64Mcg);

impl SearchRng {
    /// The generator of unit `unit` of a search with this seed. Both are mixed into the state, so
    /// that units with successive numbers draw unrelated numbers.
    pub fn new(seed: u64, unit: u64) -> Self {
        let (high, low) = (mix(seed, 2 * unit), mix(seed, 2 * unit + 1));
        Self(Pcg64Mcg::new(u128::from(high) << 64 | u128::from(low)))
    }

    /// A whole number below `n`, which is at most 2^32. A multiplication and a shift take one draw
    /// per number, unlike rejection; the probabilities of two numbers differ by at most 2^-32.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        (((self.0.next_u64() >> 32) * n as u64) >> 32) as usize
    }

    /// A real number in [0, 1), a multiple of 2^-53. An event of probability p happens if the
    /// number is less than p.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Two different places below `n`, ascending; `n` is at least 2. Each pair is equally likely.
    #[inline]
    pub fn ordered_pair(&mut self, n: usize) -> (usize, usize) {
        let (a, b) = (self.below(n), self.below(n - 1));
        if b >= a { (a, b + 1) } else { (b, a) }
    }

    /// Three different places below `n`, ascending; `n` is at least 3. Each triple is equally
    /// likely.
    #[inline]
    pub fn ordered_triple(&mut self, n: usize) -> (usize, usize, usize) {
        let (a, b) = self.ordered_pair(n);
        let mut c = self.below(n - 2);
        if c >= a {
            c += 1;
        }
        if c >= b {
            c += 1;
        }
        if c < a {
            (c, a, b)
        } else if c < b {
            (a, c, b)
        } else {
            (a, b, c)
        }
    }

    /// Shuffle in place (Fisher & Yates). Each order is equally likely; lists of fewer than two
    /// variables draw no number.
    pub fn shuffle(&mut self, order: &mut [usize]) {
        for i in (1..order.len()).rev() {
            order.swap(i, self.below(i + 1));
        }
    }
}
