//! Training rows as records of bytes: codes, number, class, weight.
//!
//! A record is `width` bytes, a multiple of eight: the codes in feature order (one byte each, or
//! two in little-endian order), the number of a numeric target in units (8 bytes), the class (one
//! byte), and the weight if rows have weights (1, 4 or 8 bytes). Growth sorts records by node as it
//! goes. Their order within a node has no meaning: everything that is counted is a sum of integers.

use crate::stats::{ExactMoments, Sum};

/// The number of bytes that the weight of a row takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeightWidth {
    /// Every row counts once.
    None,
    /// Copies, at most 255 of a row.
    Byte,
    /// Copies.
    Word,
    /// Units of a fixed-point weight.
    Long,
}

impl WeightWidth {
    fn bytes(self) -> usize {
        match self {
            Self::None => 0,
            Self::Byte => 1,
            Self::Word => 4,
            Self::Long => 8,
        }
    }
}

/// Where the parts of a record lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowLayout {
    /// Number of features.
    pub features: usize,
    /// Whether codes have two bytes.
    pub wide: bool,
    /// Whether rows have the number of a numeric target.
    pub number: bool,
    /// Bytes of the weight.
    pub weight: WeightWidth,
    /// Bytes of a row.
    pub width: usize,
}

impl RowLayout {
    /// The layout of rows with `features` codes and a class. If `wide`, codes have two bytes;
    /// [`Self::with_number`] adds the number of a numeric target.
    pub fn new(features: usize, wide: bool, weight: WeightWidth) -> Self {
        Self { features, wide, number: false, weight, width: 0 }.with_needed_width()
    }

    /// The layout with the number of a numeric target in each row, or without. The number takes
    /// eight bytes between the codes and the class.
    pub fn with_number(self, number: bool) -> Self {
        Self { number, ..self }.with_needed_width()
    }

    /// The layout with weights of another width. The weight is the last part of a row, so that the
    /// bytes up to the class stay as they are and can be copied.
    pub fn with_weight(self, weight: WeightWidth) -> Self {
        Self { weight, ..self }.with_needed_width()
    }

    /// The layout with `width` set to what its parts need.
    fn with_needed_width(self) -> Self {
        let used = self.class_at() + 1 + self.weight.bytes();
        Self { width: used.next_multiple_of(8), ..self }
    }

    /// First byte of the number in a row.
    fn number_at(&self) -> usize {
        self.features * (1 + usize::from(self.wide))
    }

    /// Byte of the class in a row. The codes and the number lie before it, the weight after it.
    pub fn class_at(&self) -> usize {
        self.number_at() + 8 * usize::from(self.number)
    }

    /// The number of a row in units; 0 where there is none.
    #[inline]
    pub fn number(&self, row: &[u8]) -> i64 {
        if !self.number {
            return 0;
        }
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&row[self.number_at()..][..8]);
        i64::from_le_bytes(bytes)
    }

    /// Write the number of a row.
    pub(super) fn set_number(&self, row: &mut [u8], units: i64) {
        row[self.number_at()..][..8].copy_from_slice(&units.to_le_bytes());
    }

    /// The code of a feature in a row. `row` is one record; a code of two bytes is in little-endian
    /// order.
    #[inline]
    pub fn code(&self, row: &[u8], feature: usize) -> u32 {
        if self.wide {
            u32::from(u16::from_le_bytes([row[2 * feature], row[2 * feature + 1]]))
        } else {
            u32::from(row[feature])
        }
    }

    /// The class of a row; 0 if the target is numeric. It is one byte, so there are at most 256
    /// classes.
    #[inline]
    pub fn class(&self, row: &[u8]) -> usize {
        usize::from(row[self.class_at()])
    }

    /// The weight of a row, in units; 1 if rows have no weights. A unit is a copy, or
    /// [`BinnedTable::unit`](super::BinnedTable::unit) for real weights.
    #[inline]
    pub fn weight(&self, row: &[u8]) -> i64 {
        let first = self.class_at() + 1;
        let read = |n_bytes: usize| {
            let mut bytes = [0; 8];
            bytes[..n_bytes].copy_from_slice(&row[first..first + n_bytes]);
            i64::from_le_bytes(bytes)
        };
        match self.weight {
            WeightWidth::None => 1,
            WeightWidth::Byte => i64::from(row[first]),
            WeightWidth::Word => read(4),
            WeightWidth::Long => read(8),
        }
    }

    /// Write the weight of a row, which must fit its bytes.
    pub(super) fn set_weight(&self, row: &mut [u8], weight: i64) {
        let (first, bytes) = (self.class_at() + 1, weight.to_le_bytes());
        match self.weight {
            WeightWidth::None => {}
            WeightWidth::Byte => row[first] = bytes[0],
            WeightWidth::Word => row[first..first + 4].copy_from_slice(&bytes[..4]),
            WeightWidth::Long => row[first..first + 8].copy_from_slice(&bytes),
        }
    }
}

/// Training rows as records, one after the other in one block of bytes.
#[derive(Debug, Clone)]
pub struct Records {
    /// Where the parts of a row lie.
    pub layout: RowLayout,
    /// `len * layout.width` bytes.
    pub bytes: Vec<u8>,
}

impl Records {
    /// Number of records. Copies that are kept as a weight are not counted.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.layout.width
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The weight of the rows of each of `classes` classes, in units; 0 for a class without rows.
    /// One pass over the records.
    pub fn weights_of_classes(&self, classes: usize) -> Vec<u64> {
        let mut totals = vec![0; classes];
        for row in self.rows() {
            totals[self.layout.class(row)] += self.layout.weight(row) as u64;
        }
        totals
    }

    /// The sums of the numbers of all rows, in units of weight and grid. Without numbers, only the
    /// sum of the weights is not 0. One pass over the records.
    pub fn moments(&self) -> ExactMoments {
        let from_row =
            |row| ExactMoments::from_row(self.layout.weight(row), self.layout.number(row));
        self.rows().map(from_row).fold(ExactMoments::default(), Sum::plus)
    }

    /// The rows one by one, each as the bytes of its record. The methods of [`RowLayout`] read
    /// their parts.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, u8> {
        self.bytes.chunks_exact(self.layout.width)
    }
}
