//! Histograms: counting the codes of rows by class, code and feature.
//!
//! A row is a record of bytes (`bins::records`): codes, then its class. The counter of a class,
//! code and feature is at `class * plane + code * features + feature`. So the increments of one row
//! never wait for each other, and running sums over codes are sums of vectors over features. A
//! plane has a power of two of codes, so that a mask replaces the check of a code. A code takes
//! about 1 ns at every level, because increments are scattered.

/// Layout of the bytes of a row and of the counters.
#[derive(Debug, Clone, Copy)]
pub struct RowFormat {
    /// Bytes of a row.
    pub width: usize,
    /// Number of features, whose codes are the first bytes.
    pub features: usize,
    /// Index of the byte that holds the class.
    pub class_at: usize,
    /// Number of planes: one per class, or one for all classes.
    pub planes: usize,
    /// Codes of a plane, a power of two up to 256; all codes are below it.
    pub codes: usize,
}

impl RowFormat {
    /// Number of counters of a plane for `features` features, which may be fewer than the rows
    /// have: `codes` per feature. A histogram is `planes` of these.
    pub fn plane(&self, features: usize) -> usize {
        self.codes * features
    }

    /// The mask that leaves every code below `codes` as it is.
    #[inline]
    fn mask(&self) -> u8 {
        assert!(self.codes.is_power_of_two() && self.codes <= 256);
        (self.codes - 1) as u8
    }

    /// The plane of a row.
    #[inline(always)]
    fn plane_of(&self, row: &[u8]) -> usize {
        if self.planes == 1 { 0 } else { usize::from(row[self.class_at]) }
    }
}

/// Add the weight of each row to the counters of its codes: of all features, or of the features
/// `chosen`, whose table has these alone. Weights may be of any type that `add` can add up, such as
/// words of two classes.
///
/// # Panics
/// If a row has a class without a plane.
pub fn count<T: Copy>(
    rows: &[u8],
    of: RowFormat,
    chosen: Option<&[u32]>,
    weight: impl Fn(&[u8]) -> T,
    add: impl Fn(T, T) -> T,
    into: &mut [T],
) {
    let features = chosen.map_or(of.features, <[u32]>::len);
    assert!(of.class_at < of.width && of.features <= of.width);
    assert!(into.len() >= of.planes * of.plane(features));
    let Some(chosen) = chosen else {
        return count_places(rows, of, features, |place| place, weight, add, into);
    };
    assert!(chosen.iter().all(|&f| (f as usize) < of.width));
    // Four of sixteen features is a usual draw, and a constant number unrolls the loop.
    if let Ok(four) = <&[u32; 4]>::try_from(chosen) {
        count_places(rows, of, 4, |place| four[place] as usize, weight, add, into);
    } else {
        count_places(rows, of, features, |place| chosen[place] as usize, weight, add, into);
    }
}

/// [`count`] for the features of a table, after its assertions. `code_at` gives the byte of a row
/// that holds the code of the feature at an index of the table. The codes are checked by a mask, so
/// the loop has no branch.
#[inline(always)]
fn count_places<T: Copy>(
    rows: &[u8],
    of: RowFormat,
    features: usize,
    code_at: impl Fn(usize) -> usize,
    weight: impl Fn(&[u8]) -> T,
    add: impl Fn(T, T) -> T,
    into: &mut [T],
) {
    let (plane, mask) = (of.plane(features), of.mask());
    for row in rows.chunks_exact(of.width) {
        let (class, weight) = (of.plane_of(row), weight(row));
        let counters = &mut into[class * plane..(class + 1) * plane];
        for place in 0..features {
            // SAFETY: the codes of all features lie within a row, whose length is `width`.
            let code = unsafe { *row.get_unchecked(code_at(place)) };
            let at = usize::from(code & mask) * features + place;
            debug_assert!(at < counters.len() && code & mask == code);
            // SAFETY: `mask < codes` and `place < features`: `at` is below the length of the plane.
            let counter = unsafe { counters.get_unchecked_mut(at) };
            *counter = add(*counter, weight);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_hold_the_weights_of_the_rows() {
        for codes in [1, 4, 16, 256] {
            let of = RowFormat { width: 8, features: 5, class_at: 5, planes: 3, codes };
            let rows: Vec<u8> = (0..4000_usize)
                .map(|i| match (i % 8, i / 8) {
                    (5, r) => (r % 3) as u8,
                    (6, r) => (r % 7) as u8,
                    (f, r) => ((r * (f + 3)) % codes) as u8,
                })
                .collect();
            let mut naive = vec![0_u32; 3 * codes * 5];
            for row in rows.chunks_exact(8) {
                for f in 0..5 {
                    naive[(usize::from(row[5]) * codes + usize::from(row[f])) * 5 + f] +=
                        u32::from(row[6]);
                }
            }
            let mut found = vec![0_u32; naive.len()];
            count(&rows, of, None, |row| u32::from(row[6]), |a, b| a + b, &mut found);
            assert_eq!(found, naive);
            let chosen = [4, 1];
            let mut found = vec![0_u32; 3 * codes * 2];
            count(&rows, of, Some(&chosen), |row| u32::from(row[6]), |a, b| a + b, &mut found);
            for (i, &count) in found.iter().enumerate() {
                assert_eq!(count, naive[i / 2 * 5 + chosen[i % 2] as usize]);
            }
        }
    }
}
