//! Counts of ordered pairs by (feature, value, class, case, distance): the evidence of the Pi
//! family.
//!
//! `N[k][v][r][case][d]` is the number of ordered pairs (i, j), self-pairs included, in which i has
//! value v of feature k and class r, the pair is at distance d, and the case is 1: same value, same
//! class; 2: same value, other class; 3: other value, same class; 4: other value, other class
//! (Vilalta et al. 2001, figure 3). Counts are integers, so counts of disjoint sets of pairs add
//! and subtract exactly. Memory: 32 bytes x (sum of values) x classes x (n + 1) for n features.

use crate::error::{Error, Result};
use crate::memory;
use crate::parallel::Control;

/// Most bytes of one table of counts.
const LARGEST: usize = 2 << 30;

/// Whether counts are kept per class of i or summed over the classes.
///
/// The cases distinguish same and other class either way. Metrics that are linear in R need no
/// classes ([`Profile`](super::Profile)), and with many classes the sums are smaller and faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Classes {
    /// Counts per class.
    Apart,
    /// Counts summed over all classes, stored as if there were one class.
    Together,
}

impl Classes {
    /// Number of classes in a table of counts over `n` classes. Counts that are summed have one
    /// class, unless there is none.
    pub fn count(self, n: usize) -> usize {
        match self {
            Self::Apart => n,
            Self::Together => n.min(1),
        }
    }

    /// The faster form where the caller needs no classes; up to two classes are cheaper apart.
    pub fn cheapest(n: usize) -> Self {
        if n > 2 { Self::Together } else { Self::Apart }
    }
}

/// Finds the position of a count in `[slot][class][case][distance]`.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellLayout {
    classes: usize,
    distances: usize,
}

impl CellLayout {
    /// Position of distance 0; cases count from 0.
    #[inline]
    pub fn start(self, slot: usize, class: usize, case: usize) -> usize {
        ((slot * self.classes + class) * 4 + case) * self.distances
    }
}

/// Integer counts of ordered pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairCounts {
    pub(super) offsets: Vec<u32>,
    pub(super) n_classes: usize,
    /// `[slot][class][case][distance]`.
    pub(super) cells: Vec<i64>,
    /// Number of ordered pairs counted for each feature.
    pub(super) pairs: u64,
}

impl PairCounts {
    /// No pairs; `offsets` has the first slot of each feature, then the number of slots.
    pub fn zero(offsets: Vec<u32>, n_classes: usize) -> Self {
        let slots = offsets.last().copied().unwrap_or(0) as usize;
        let distances = offsets.len();
        Self { cells: vec![0; slots * n_classes * 4 * distances], offsets, n_classes, pairs: 0 }
    }

    /// [`Self::zero`] with an error where the system refuses the memory.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(super) fn try_zero(offsets: Vec<u32>, n_classes: usize) -> Result<Self> {
        let slots = offsets.last().copied().unwrap_or(0) as usize;
        let cells = memory::zeroed(slots * n_classes * 4 * offsets.len())?;
        Ok(Self { cells, offsets, n_classes, pairs: 0 })
    }

    /// Bytes of a table, 8 per count. Callers ask for them before a table is allocated; the number
    /// saturates instead of overflowing.
    pub fn bytes(offsets: &[u32], n_classes: usize) -> usize {
        let slots = offsets.last().copied().unwrap_or(0) as usize;
        slots.saturating_mul(n_classes).saturating_mul(32 * offsets.len())
    }

    /// Refuse a table of more than two gigabytes; the message names alternatives that need no
    /// counts. The returned control has one thread where the tables of all threads together would
    /// take more than twice that.
    ///
    /// # Errors
    /// [`Error::Data`].
    pub(super) fn affordable(
        control: &Control,
        offsets: &[u32],
        n_classes: usize,
    ) -> Result<Control> {
        let (slots, features) = (offsets.last().copied().unwrap_or(0), offsets.len().max(1) - 1);
        let bytes = Self::bytes(offsets, n_classes);
        if bytes > LARGEST {
            let classes =
                if n_classes > 1 { format!(" and {n_classes} classes") } else { String::new() };
            return Err(Error::Data(format!(
                "counts of pairs by distance take {:.1} GB for {features} columns with {slots} \
                 values{classes}, and at most {} GB \
                 are spent on them; sums under one setting need none: ask for precision='fixed', \
                 as in criterion=Pi(precision='fixed') or \
                 count_matrices(..., precision='fixed'), or choose columns first",
                bytes as f64 / f64::from(1 << 30),
                LARGEST >> 30
            )));
        }
        // a thread works on three shares of the columns, each with a table
        let all = bytes.saturating_mul(3 * control.threads() + 1);
        Ok(if all > 2 * LARGEST { control.serial() } else { control.clone() })
    }

    /// Counts from stored fields: `offsets` as in [`Self::zero`], `cells` as `[slot][class][case]
    /// [distance]`, and the number of ordered pairs.
    ///
    /// # Errors
    /// [`Error::Data`] for fields of inconsistent lengths.
    pub fn from_parts(
        offsets: Vec<u32>,
        n_classes: usize,
        cells: Vec<i64>,
        pairs: u64,
    ) -> Result<Self> {
        let rising = offsets.first() == Some(&0) && offsets.windows(2).all(|w| w[0] <= w[1]);
        if !rising || Self::bytes(&offsets, n_classes) != cells.len().saturating_mul(8) {
            return Err(Error::Data("parts of pair counts that do not belong together".into()));
        }
        Ok(Self { offsets, n_classes, cells, pairs })
    }

    /// The first slot of each feature, followed by the number of slots. A slot is a value of a
    /// feature; the slots of all features are numbered consecutively.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// All counts: `[slot][class][case][distance]`.
    pub fn cells(&self) -> &[i64] {
        &self.cells
    }

    /// Number of features n. Two rows are at a distance from 0 to n.
    pub fn features(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of classes that are counted apart. It is 1 where the counts are summed over classes.
    pub fn classes(&self) -> usize {
        self.n_classes
    }

    /// Number of values of a feature, including the value that stands for missing cells if there is
    /// one. Values that do not occur have counts of 0.
    pub fn values(&self, feature: usize) -> usize {
        (self.offsets[feature + 1] - self.offsets[feature]) as usize
    }

    /// Number of distances, n + 1. Distance 0 is the first one.
    pub fn distances(&self) -> usize {
        self.offsets.len()
    }

    /// Number of ordered pairs, self-pairs included. Every feature counts each pair once.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Counts by distance of one (feature, value, class, case), case 0 to 3 for the paper's 1 to 4.
    /// The first row of a pair has the value and the class.
    #[inline]
    pub fn by_distance(&self, feature: usize, value: usize, class: usize, case: usize) -> &[i64] {
        let slot = self.offsets[feature] as usize + value;
        &self.cells[self.layout().start(slot, class, case)..][..self.distances()]
    }

    /// How the cells are ordered.
    pub(super) fn layout(&self) -> CellLayout {
        CellLayout { classes: self.n_classes, distances: self.distances() }
    }

    /// All counts of a feature: `[value][class][case][distance]`.
    pub fn feature(&self, feature: usize) -> &[i64] {
        let size = self.n_classes * 4 * self.distances();
        &self.cells
            [self.offsets[feature] as usize * size..self.offsets[feature + 1] as usize * size]
    }

    /// Ordered pairs over the whole set, `[class of i][same class, other class][distance]`: columns
    /// 1 and 2 of the paper's R over the training set (columns 3 and 4 are zero).
    pub fn root(&self) -> Vec<i64> {
        let d = self.distances();
        let mut root = vec![0; self.n_classes * 2 * d];
        // Any feature has every pair once; take the first. Cases 1 and 3 are of the same class.
        for value in self.feature(0).chunks_exact(self.n_classes * 4 * d) {
            for (to, class) in root.chunks_exact_mut(2 * d).zip(value.chunks_exact(4 * d)) {
                let (equal, different) = class.split_at(2 * d);
                for (to, (a, b)) in to.iter_mut().zip(equal.iter().zip(different)) {
                    *to += a + b;
                }
            }
        }
        root
    }

    /// Add the counts of other pairs over the same schema.
    ///
    /// # Errors
    /// [`Error::Data`] if the schemas differ.
    pub fn add(&mut self, other: &Self) -> Result<()> {
        self.combine(other, 1)?;
        self.pairs += other.pairs;
        Ok(())
    }

    /// Subtract the counts of pairs that are among those counted.
    ///
    /// # Errors
    /// [`Error::Data`] if the schemas differ or a count would become negative.
    pub fn subtract(&mut self, other: &Self) -> Result<()> {
        if self.pairs < other.pairs || self.cells.iter().zip(&other.cells).any(|(a, b)| a < b) {
            return Err(Error::Data(
                "the pairs to take away are not among the pairs counted".into(),
            ));
        }
        self.combine(other, -1)?;
        self.pairs -= other.pairs;
        Ok(())
    }

    fn combine(&mut self, other: &Self, sign: i64) -> Result<()> {
        if self.offsets != other.offsets || self.n_classes != other.n_classes {
            return Err(Error::Data(
                "pair counts over different features, values or classes do not add".into(),
            ));
        }
        for (a, b) in self.cells.iter_mut().zip(&other.cells) {
            *a += sign * b;
        }
        Ok(())
    }

    /// The counts summed over classes.
    pub(super) fn together(&self) -> Self {
        let mut sum = Self::zero(self.offsets.clone(), Classes::Together.count(self.n_classes));
        let size = 4 * self.distances();
        for (to, slot) in
            sum.cells.chunks_exact_mut(size).zip(self.cells.chunks_exact(self.n_classes * size))
        {
            for class in slot.chunks_exact(size) {
                to.iter_mut().zip(class).for_each(|(to, c)| *to += c);
            }
        }
        sum.pairs = self.pairs;
        sum
    }

    /// Check that every feature has every ordered pair once; anything else is a defect of the pass.
    ///
    /// # Errors
    /// [`Error::Internal`] naming the feature.
    pub fn check_sums(&self) -> Result<()> {
        for k in 0..self.features() {
            let sum: i64 = self.feature(k).iter().sum();
            if sum != self.pairs as i64 || self.feature(k).iter().any(|&c| c < 0) {
                return Err(Error::Internal(format!(
                    "feature {k}: {sum} pairs counted, {} expected",
                    self.pairs
                )));
            }
        }
        Ok(())
    }
}
