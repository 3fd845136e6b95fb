//! Random numbers of the search: seeded by unit, so that threads change nothing.

use crate::numeric::mix;
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

/// Random numbers of one unit of the search.
#[derive(Debug)]
pub struct Dice(Pcg64Mcg);

impl Dice {
    /// The numbers of a unit.
    pub fn new(seed: u64, unit: u64) -> Self {
        let (high, low) = (mix(seed, 2 * unit), mix(seed, 2 * unit + 1));
        Self(Pcg64Mcg::new(u128::from(high) << 64 | u128::from(low)))
    }

    /// A whole number below `n`.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        (((self.0.next_u64() >> 32) * n as u64) >> 32) as usize
    }

    /// A real number in [0, 1).
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Two different places below `n`, ascending.
    #[inline]
    pub fn two(&mut self, n: usize) -> (usize, usize) {
        let (a, b) = (self.below(n), self.below(n - 1));
        if b >= a { (a, b + 1) } else { (b, a) }
    }

    /// Three different places below `n`, ascending.
    #[inline]
    pub fn three(&mut self, n: usize) -> (usize, usize, usize) {
        let (a, b) = self.two(n);
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

    /// A random order.
    pub fn shuffle(&mut self, order: &mut [usize]) {
        for i in (1..order.len()).rev() {
            order.swap(i, self.below(i + 1));
        }
    }
}
