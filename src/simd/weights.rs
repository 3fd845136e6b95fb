//! The arguments of the kernels of [`super::weigh`]: the weight by number of agreements, and rows
//! grouped by their values of a few features at once.

/// Bits of a weight, which is at most `1 << WEIGHT_BITS`.
pub const WEIGHT_BITS: usize = 24;

/// Most rows whose weights are added in a lane of 32 bits: `2^7` weights of 24 bits do not fill it.
pub const MOST_WEIGHED_ROWS: usize = 128;

/// The row behind the last one, whose weights are 0: it fills lists of rows.
const NO_ROW: u16 = MOST_WEIGHED_ROWS as u16;

/// Most joint values of more than one feature, so that their sums stay in the first-level cache.
pub const MOST_JOINT: usize = 32;

/// The weight of a pair by its number of agreements.
#[derive(Debug, Clone)]
pub struct WeightTable {
    /// The weight of each number of agreements.
    pub(super) one: Vec<u32>,
    /// The weights of two numbers below [`FEW`] as one entry: entry `a + FEW * b` has the weight of
    /// a in its lower half and the weight of b in its upper half. Empty for larger numbers.
    pub(super) two: Vec<u64>,
}

/// Bits of a number of agreements that is looked up together with another.
pub(super) const FEW_BITS: usize = 5;

const FEW: usize = 1 << FEW_BITS;

impl WeightTable {
    /// A table from the weight of each number of agreements, 0 to the number of features. Weights
    /// are whole numbers up to `1 << WEIGHT_BITS`. With at most 32 entries a table of pairs is made
    /// beside it (8 KiB), by which SSE2 and AVX2 look up two columns at once.
    ///
    /// # Panics
    /// If a weight is too large.
    pub fn new(by_agreements: Vec<u32>) -> Self {
        assert!(by_agreements.iter().all(|&w| w <= 1 << WEIGHT_BITS));
        let weight =
            |agreements: usize| u64::from(by_agreements.get(agreements).copied().unwrap_or(0));
        let two = if by_agreements.len() <= FEW {
            (0..FEW * FEW).map(|i| weight(i % FEW) | weight(i / FEW) << 32).collect()
        } else {
            Vec::new()
        };
        Self { one: by_agreements, two }
    }
}

/// Rows of a chunk, grouped by their joint value of some features.
///
/// The joint value of a row is a number in mixed radix: the value of the first feature, plus the
/// value of the second times the levels of the first, and so on.
#[derive(Debug, Clone)]
pub struct Joint {
    pub(super) features: Vec<FeatureSlots>,
    /// Number of joint values.
    pub(super) values: usize,
    /// Rows by joint value; each group is filled up to an even number of rows with [`NO_ROW`].
    pub(super) order: Vec<u16>,
    /// The groups in the order of their size, largest first, because the processor predicts the end
    /// of a loop that is as long as the one before. The values of a single feature that have no
    /// rows are left out.
    pub(super) groups: Vec<JointGroup>,
    /// One more than the largest slot.
    pub(super) slots: usize,
    /// One more than the largest feature.
    pub(super) width: usize,
}

/// The rows with one joint value. They begin where the rows of the previous group end.
#[derive(Debug, Clone, Copy)]
pub(super) struct JointGroup {
    pub value: u32,
    /// Where the rows end in [`Joint::order`].
    pub end: u16,
}

/// The slots of a feature: one per value, side by side.
#[derive(Debug, Clone, Copy)]
pub struct FeatureSlots {
    /// Number of the feature.
    pub feature: u32,
    /// First slot.
    pub first: u32,
    /// Number of values.
    pub levels: u32,
}

impl Joint {
    /// Group the rows of a chunk by their joint value. `rows` has the values of the features, row
    /// by row. A counting sort, so the cost is O(rows x features + joint values).
    ///
    /// # Panics
    /// With more than [`MOST_WEIGHED_ROWS`] rows, or several features and more than [`MOST_JOINT`]
    /// joint values.
    pub fn new(features: Vec<FeatureSlots>, rows: &[u32]) -> Self {
        let joint: usize = features.iter().map(|f| f.levels as usize).product();
        let count = rows.len() / features.len();
        assert!(count <= MOST_WEIGHED_ROWS && (features.len() == 1 || joint <= MOST_JOINT));
        let of_row: Vec<usize> = rows
            .chunks_exact(features.len())
            .map(|row| {
                row.iter().zip(&features).rev().fold(0, |joint, (&value, of)| {
                    assert!(value < of.levels);
                    joint * of.levels as usize + value as usize
                })
            })
            .collect();
        let mut counts = vec![0u16; joint];
        of_row.iter().for_each(|&j| counts[j] += 1);
        // The joint values with rows, or all of them, by the number of pairs of rows.
        let mut by_size: Vec<u32> = (0..joint as u32).collect();
        by_size.retain(|&j| features.len() > 1 || counts[j as usize] > 0);
        by_size.sort_by_key(|&j| u16::MAX - counts[j as usize].div_ceil(2));
        // Room for each group; a count becomes the index of the group's next row.
        let (mut groups, mut end) = (Vec::with_capacity(by_size.len()), 0);
        for value in by_size {
            let next = &mut counts[value as usize];
            let begin = end;
            end += next.next_multiple_of(2);
            groups.push(JointGroup { value, end });
            *next = begin;
        }
        let mut order = vec![NO_ROW; usize::from(end)];
        for (row, &j) in of_row.iter().enumerate() {
            order[usize::from(counts[j])] = row as u16;
            counts[j] += 1;
        }
        let slots = features.iter().map(|f| (f.first + f.levels) as usize).max().unwrap_or(0);
        let width = features.iter().map(|f| f.feature as usize + 1).max().unwrap_or(0);
        Self { features, values: joint, order, groups, slots, width }
    }
}

/// The part of a tile that [`super::Kernels::add_weights`] reads.
#[derive(Debug, Clone, Copy)]
pub struct WeighedTile<'a> {
    /// Weights of the pairs of a chunk's rows and the columns, from [`super::Kernels::weights`].
    pub weights: &'a [u64],
    /// Number of rows of the chunk.
    pub rows: usize,
    /// Planes of all slots.
    pub planes: &'a [u64],
    /// The masks that [`super::Kernels::lane_masks`] makes from the planes.
    pub masks: &'a [u64],
    /// The columns in use.
    pub valid: &'a [u64],
}
