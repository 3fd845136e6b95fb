//! The rows of one partition of a distributed fit, which a worker counts and divides while the tree
//! grows in another process.
//!
//! Rows are sorted by *group*: the rows of one open node of the tree. [`GroupedRecords::count`]
//! makes the histograms of groups, which [`add_counts`] adds up over partitions;
//! [`GroupedRecords::divide`] moves rows to the groups of the children; and
//! [`GroupedRecords::rows_of`] copies the rows of small nodes, which are grown at the centre. A
//! histogram has a plane of counters per class, `[code * features + feature]`, which add up the
//! weights of rows. The rows of a numeric target have one class, whose counters are exact moments.
//! Histograms are sent as words ([`SentSum`]).
//!
//! Time: one pass over the rows of the groups. Memory: a copy of the rows while they are divided.

use super::records::RowLayout;
use crate::error::{Error, Result};
use crate::simd::histogram::{self, RowFormat};
use crate::stats::{ExactMoments, SentSum};

/// The new group of rows that are dropped.
const DROPPED: i32 = -1;

/// Groups of fewer rows are counted row by row, because clearing the planes of the kernel takes
/// longer than it saves.
const FEW_ROWS: usize = 64;

/// The format of the rows and histograms of all partitions.
#[derive(Debug, Clone, Copy)]
pub struct PartFormat {
    /// The places of the parts of a row.
    pub layout: RowLayout,
    /// Number of classes.
    pub classes: usize,
    /// Number of codes of the feature with the most codes.
    pub codes: usize,
}

impl PartFormat {
    /// Number of counters of a plane, which belongs to one class. Every feature has as many
    /// counters as the feature with the most codes, so that a position follows from code and
    /// feature alone.
    pub fn plane(&self) -> usize {
        self.codes * self.layout.features
    }

    /// Number of counters of a group: one plane per class. A numeric target has one class.
    pub fn cells(&self) -> usize {
        self.classes * self.plane()
    }

    /// Number of 32-bit words in which the counters of a group are sent. A count takes one word,
    /// the exact moments of a numeric target take ten.
    pub fn words(&self) -> usize {
        let per_counter = if self.layout.number { ExactMoments::WORDS } else { u32::WORDS };
        self.cells() * per_counter
    }
}

/// The splits of all groups.
#[derive(Debug, Clone, Copy)]
pub struct GroupSplits<'a> {
    /// The feature that each group is divided by.
    pub features: &'a [u32],
    /// The new group of the rows with each code, `codes` elements per group; -1 drops the rows.
    pub targets: &'a [i32],
    /// Number of new groups.
    pub groups: usize,
}

/// Rows sorted by group.
#[derive(Debug, Clone, Copy)]
pub struct GroupedRecords<'a> {
    /// The format of the rows.
    pub format: PartFormat,
    /// The rows, group by group.
    pub bytes: &'a [u8],
    /// First row of each group, and the number of all rows.
    pub starts: &'a [i64],
}

impl<'a> GroupedRecords<'a> {
    /// Rows with their groups.
    ///
    /// # Errors
    /// If the groups do not cover the rows exactly.
    pub fn new(format: PartFormat, bytes: &'a [u8], starts: &'a [i64]) -> Result<Self> {
        let rows = bytes.len() / format.layout.width;
        let ascending = starts.windows(2).all(|w| w[0] <= w[1]);
        let ends = (starts.first(), starts.last()) == (Some(&0), Some(&(rows as i64)));
        if !ascending || !ends || !bytes.len().is_multiple_of(format.layout.width) {
            return Err(Error::Internal("groups that do not fill their rows".into()));
        }
        Ok(Self { format, bytes, starts })
    }

    /// The rows of a group.
    fn group(&self, group: usize) -> &'a [u8] {
        let width = self.format.layout.width;
        &self.bytes[self.starts[group] as usize * width..self.starts[group + 1] as usize * width]
    }

    /// An error unless all groups exist.
    fn check_groups(&self, groups: &[u32]) -> Result<()> {
        if groups.iter().any(|&g| g as usize + 1 >= self.starts.len()) {
            return Err(Error::Internal("a group that there is not".into()));
        }
        Ok(())
    }

    /// The histograms of some groups, one after the other, as words.
    ///
    /// # Errors
    /// If a group does not exist.
    pub fn count(&self, groups: &[u32]) -> Result<Vec<u32>> {
        self.check_groups(groups)?;
        Ok(match self.format.layout.number {
            true => SentSum::to_words(&self.histograms::<ExactMoments>(groups)),
            false => self.histograms::<u32>(groups),
        })
    }

    /// The histograms of some groups, one after the other.
    fn histograms<S: SentSum>(&self, groups: &[u32]) -> Vec<S> {
        let (format, layout) = (self.format, self.format.layout);
        let mut histograms = vec![S::default(); groups.len() * format.cells()];
        // The kernel wants a power of two of codes, so it counts into planes of its own. It reads
        // codes of one byte only.
        let row_format = RowFormat {
            width: layout.width,
            features: layout.features,
            class_at: layout.class_at(),
            planes: format.classes,
            codes: format.codes.next_power_of_two(),
        };
        let kernel_plane = row_format.plane(layout.features);
        let n_counters = if layout.wide { 0 } else { format.classes * kernel_plane };
        let mut kernel_planes = vec![S::default(); n_counters];
        for (&group, histogram) in groups.iter().zip(histograms.chunks_mut(format.cells())) {
            let rows = self.group(group as usize);
            if layout.wide || rows.len() < FEW_ROWS * layout.width {
                self.count_each(rows, histogram);
                continue;
            }
            kernel_planes.fill(S::default());
            let sum = |row: &[u8]| S::from_row(layout.weight(row), layout.number(row));
            histogram::count(rows, row_format, None, sum, S::plus, &mut kernel_planes);
            let planes = histogram.chunks_mut(format.plane());
            for (plane, kernel_plane) in planes.zip(kernel_planes.chunks(kernel_plane)) {
                plane.copy_from_slice(&kernel_plane[..plane.len()]);
            }
        }
        histograms
    }

    /// Add some rows to a histogram, code by code.
    fn count_each<S: SentSum>(&self, rows: &[u8], histogram: &mut [S]) {
        let (plane, layout) = (self.format.plane(), self.format.layout);
        for row in rows.chunks_exact(layout.width) {
            let (class, sum) =
                (layout.class(row), S::from_row(layout.weight(row), layout.number(row)));
            for feature in 0..layout.features {
                let code = layout.code(row, feature) as usize;
                let counter = &mut histogram[class * plane + code * layout.features + feature];
                *counter = counter.plus(sum);
            }
        }
    }

    /// The rows sorted by new group, and the first row of each group (and the number of all rows).
    ///
    /// # Errors
    /// If the splits do not fit the groups.
    pub fn divide(&self, splits: &GroupSplits<'_>) -> Result<(Vec<u8>, Vec<i64>)> {
        let (n_codes, layout) = (self.format.codes, self.format.layout);
        let n_groups = self.starts.len() - 1;
        let is_known =
            |&new: &i32| new == DROPPED || (0..splits.groups as i64).contains(&i64::from(new));
        if splits.features.len() != n_groups
            || splits.targets.len() != n_groups * n_codes
            || splits.features.iter().any(|&f| f as usize >= layout.features)
            || !splits.targets.iter().all(is_known)
        {
            return Err(Error::Internal("splits of other groups".into()));
        }
        // The new group of a row; None drops it.
        let new_group = |group: usize, row: &[u8]| {
            let code = layout.code(row, splits.features[group] as usize) as usize;
            usize::try_from(splits.targets[group * n_codes + code]).ok()
        };
        // A counting sort: sizes, starts, then the rows.
        let mut starts = vec![0_i64; splits.groups + 1];
        for group in 0..n_groups {
            for row in self.group(group).chunks_exact(layout.width) {
                if let Some(new) = new_group(group, row) {
                    starts[new + 1] += 1;
                }
            }
        }
        for group in 0..splits.groups {
            starts[group + 1] += starts[group];
        }
        let mut next: Vec<usize> = starts.iter().map(|&s| s as usize * layout.width).collect();
        let mut bytes = vec![0; next[splits.groups]];
        for group in 0..n_groups {
            for row in self.group(group).chunks_exact(layout.width) {
                if let Some(new) = new_group(group, row) {
                    bytes[next[new]..next[new] + layout.width].copy_from_slice(row);
                    next[new] += layout.width;
                }
            }
        }
        Ok((bytes, starts))
    }

    /// A copy of the rows of some groups, and the first row of each (and the number of all rows).
    ///
    /// # Errors
    /// If a group does not exist.
    pub fn rows_of(&self, groups: &[u32]) -> Result<(Vec<u8>, Vec<i64>)> {
        self.check_groups(groups)?;
        let mut starts = vec![0];
        let mut bytes = Vec::new();
        for &group in groups {
            bytes.extend_from_slice(self.group(group as usize));
            starts.push((bytes.len() / self.format.layout.width) as i64);
        }
        Ok((bytes, starts))
    }
}

/// The sums of the histograms `a` and `b` of two partitions, as words. `is_number` says that their
/// counters are the exact moments of a numeric target, not counts of classes.
///
/// # Errors
/// If they differ in length, or a counter overflows.
pub fn add_counts(a: &[u32], b: &[u32], is_number: bool) -> Result<Vec<u32>> {
    if is_number { add_sums::<ExactMoments>(a, b) } else { add_sums::<u32>(a, b) }
}

fn add_sums<S: SentSum>(a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
    if a.len() != b.len() || !a.len().is_multiple_of(S::WORDS) {
        return Err(Error::Internal("histograms of other groups".into()));
    }
    let mut words = Vec::with_capacity(a.len());
    for (a, b) in a.chunks_exact(S::WORDS).zip(b.chunks_exact(S::WORDS)) {
        let sum = S::read(a).checked_plus(S::read(b));
        let too_many = || Error::Data("more than 2^32 - 1 rows or copies of rows".into());
        sum.ok_or_else(too_many)?.write(&mut words);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::super::records::WeightWidth;
    use super::*;
    use crate::numeric::mix;

    #[test]
    fn groups_are_counted_and_divided_by_their_codes() {
        check::<u32>(false);
        check::<ExactMoments>(true);
    }

    fn check<S: SentSum>(number: bool) {
        for (wide, weight) in [
            (false, WeightWidth::None),
            (true, WeightWidth::None),
            (false, WeightWidth::Word),
            (true, WeightWidth::Word),
        ] {
            let layout = RowLayout::new(3, wide, weight).with_number(number);
            let weighted = weight != WeightWidth::None;
            let format = PartFormat { layout, classes: 2, codes: 5 };
            let n = 400_usize;
            let mut bytes = vec![0; n * layout.width];
            for (r, row) in bytes.chunks_exact_mut(layout.width).enumerate() {
                for f in 0..3 {
                    let code = (mix(f, r as u64) % 5) as u8;
                    row[f as usize * (1 + usize::from(wide))] = code;
                }
                row[layout.class_at()] = (mix(9, r as u64) % 2) as u8;
                if weighted {
                    layout.set_weight(row, 1 + (r % 4) as i64);
                }
                if number {
                    layout.set_number(row, mix(11, r as u64) as i64 >> 24);
                }
            }
            let starts = [0, 150, 150, n as i64];
            let part = GroupedRecords::new(format, &bytes, &starts).unwrap();
            let words = part.count(&[2, 0]).unwrap();
            assert_eq!(words.len(), 2 * format.words());
            let counted = S::from_words(&words);
            let twice = S::from_words(&add_counts(&words, &words, number).unwrap());
            assert!(counted.iter().zip(&twice).all(|(&one, &two)| one.plus(one) == two));
            let mut naive = vec![S::default(); counted.len()];
            for (i, (from, to)) in [(150, n), (0, 150)].into_iter().enumerate() {
                for row in bytes[from * layout.width..to * layout.width].chunks(layout.width) {
                    for f in 0..3 {
                        let at = i * format.cells() + layout.code(row, f) as usize * 3 + f;
                        let sum = &mut naive[at + layout.class(row) * 15];
                        *sum = sum.plus(S::from_row(layout.weight(row), layout.number(row)));
                    }
                }
            }
            assert_eq!(counted, naive);
            // The first group is divided by feature 1; half of the last goes to group 2 by feature
            // 2.
            let targets = [1, 1, 0, 0, 0, -1, -1, -1, -1, -1, 2, -1, 2, -1, 2];
            let splits = GroupSplits { features: &[1, 0, 2], targets: &targets, groups: 3 };
            let (rows, starts) = part.divide(&splits).unwrap();
            let all = bytes.chunks(layout.width).enumerate();
            let mut expected = vec![Vec::new(); 3];
            for (r, row) in all {
                let to = if r < 150 {
                    targets[layout.code(row, 1) as usize]
                } else {
                    targets[10 + layout.code(row, 2) as usize]
                };
                if to >= 0 {
                    expected[to as usize].extend_from_slice(row);
                }
            }
            assert_eq!(rows, expected.concat());
            assert_eq!(starts.len(), 4);
            let part = GroupedRecords::new(format, &rows, &starts).unwrap();
            let (some, own) = part.rows_of(&[2, 0]).unwrap();
            assert_eq!(some, [&expected[2][..], &expected[0]].concat());
            assert_eq!(own[1] as usize * layout.width, expected[2].len());
            assert!(part.count(&[3]).is_err());
        }
    }
}
