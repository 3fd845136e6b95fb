//! A child's pairs as what remains of its parent's: the pairs that touch a sibling are taken away.
//!
//! Trees on pairs often split a few rows off many. Counting the many again costs their square; the
//! pairs between the few and the many cost only the product. Counts are whole numbers, so what
//! remains is exactly what counting anew would find. For each of the few rows, the features on
//! which each of the others agrees are added in bytes to counters by class and distance, all
//! features at once; the distances of each of the many go to its values in the end, whatever the
//! features say (cases 3 and 4 are what is left of all). For rows that count once; up to 512
//! features of up to 255 values. O(few x (few + many) x features) byte operations.

use super::counts::PairCounts;
use super::profile::Profile;
use crate::error::{Error, Result};
use crate::parallel::Control;
use crate::stats::contingency::{Code, Layout};

/// Bytes of a row are padded to a multiple of this.
const LANES: usize = 16;
/// Most features.
const WIDEST: usize = 512;
/// Fewer rows are counted anew faster.
const FEWEST: usize = 300;

/// Counts of a node by value: agreeing pairs of the same and of another class, and all pairs of the
/// same and of another class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueCounts {
    /// Places of the features in the layout.
    features: Vec<u32>,
    /// First slot of each feature, and the number of all.
    offsets: Vec<u32>,
    /// Declared code of each slot.
    codes: Vec<u32>,
    /// `[slot][4][distance]`.
    cells: Vec<i64>,
    rows: u64,
}

/// Rows of a node by declared codes.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a, C> {
    /// Codes, row by row.
    pub codes: &'a [C],
    /// Class of each row.
    pub classes: &'a [u16],
}

/// Whether taking `gone` rows away from `all` is faster than counting the rest anew.
pub fn is_worth_it(gone: usize, all: usize) -> bool {
    gone > 0 && all - gone >= FEWEST && gone <= (all - gone) / 16 && gone <= usize::from(u16::MAX)
}

/// Rows in bytes.
struct Packed {
    values: Vec<u8>,
    width: usize,
}

impl ValueCounts {
    /// From the counts of rows that count once; nothing where children could not be had from them.
    pub(super) fn new(counts: &PairCounts, features: &[u32], codes: &[u32]) -> Option<Self> {
        let (n, d) = (counts.features(), counts.distances());
        let rows = (counts.pairs as f64).sqrt().round() as u64;
        let few = (0..n).all(|k| counts.values(k) <= 255);
        if n == 0 || n > WIDEST || !few || rows < FEWEST as u64 {
            return None;
        }
        let mut cells = vec![0i64; codes.len() * 4 * d];
        for (to, slot) in
            cells.chunks_exact_mut(4 * d).zip(counts.cells.chunks_exact(counts.n_classes * 4 * d))
        {
            for class in slot.chunks_exact(4 * d) {
                to.iter_mut().zip(class).for_each(|(to, c)| *to += c);
            }
            let (agree, all) = to.split_at_mut(2 * d);
            all.iter_mut().zip(agree).for_each(|(all, agree)| *all += *agree);
        }
        Some(Self {
            features: features.to_vec(),
            offsets: counts.offsets.clone(),
            codes: codes.to_vec(),
            cells,
            rows,
        })
    }

    /// All features of a data set, by declared codes.
    pub fn of_all(counts: &PairCounts) -> Option<Self> {
        let features: Vec<u32> = (0..counts.features() as u32).collect();
        let codes: Vec<u32> =
            (0..counts.features()).flat_map(|k| 0..counts.values(k) as u32).collect();
        Self::new(counts, &features, &codes)
    }

    /// Places of the features in the layout.
    pub fn features(&self) -> &[u32] {
        &self.features
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        8 * self.cells.len() + 4 * (self.codes.len() + 2 * self.features.len())
    }

    fn distances(&self) -> usize {
        self.features.len() + 1
    }

    /// As a profile.
    pub fn profile(&self) -> Profile {
        let d = self.distances();
        let (mut plain, mut shared) = (Vec::new(), Vec::new());
        for k in 0..self.features.len() {
            let slots = self.offsets[k] as usize * 4 * d..self.offsets[k + 1] as usize * 4 * d;
            let (mut sum, mut product) = (vec![0i64; 4 * d], vec![0i128; 4 * d]);
            for slot in self.cells[slots].chunks_exact(4 * d) {
                let begin = i128::from(slot[2 * d..].iter().sum::<i64>());
                for c in 0..4 * d {
                    let count = if c < 2 * d { slot[c] } else { slot[c] - slot[c - 2 * d] };
                    sum[c] += count;
                    product[c] += begin * i128::from(count);
                }
            }
            plain.extend(sum);
            shared.extend(product.iter().map(|&x| x as f64));
        }
        Profile::of_sums(d, plain, shared, self.rows * self.rows)
    }

    /// What remains when the rows `gone` go and the rows `stay` stay; together they are all rows
    /// counted.
    ///
    /// # Errors
    /// [`Error::Internal`] if they are not; [`Error::Cancelled`].
    pub fn without<C: Code>(
        &self,
        layout: &Layout,
        gone: Part<'_, u32>,
        stay: Part<'_, C>,
        control: &Control,
    ) -> Result<Self> {
        if (gone.classes.len() + stay.classes.len()) as u64 != self.rows {
            return Err(Error::Internal("rows that go and rows that stay are not all rows".into()));
        }
        let mut out = self.clone();
        let (few, many) = (self.pack(layout, gone), self.pack(layout, stay));
        let mut of_many = vec![0u16; stay.classes.len() * 2 * self.distances()];
        for (i, &class) in gone.classes.iter().enumerate() {
            if i % 64 == 0 {
                control.check()?;
            }
            let row = &few.values[i * few.width..][..few.width];
            out.take(row, class, &many, stay.classes, 2, Some(&mut of_many));
            out.take(row, class, &few, gone.classes, 1, None);
        }
        out.take_distances(&many, &of_many);
        out.rows = stay.classes.len() as u64;
        Ok(out)
    }

    fn pack<C: Code>(&self, layout: &Layout, part: Part<'_, C>) -> Packed {
        let (n, width) = (layout.features(), self.features.len().next_multiple_of(LANES));
        let mut values = vec![0u8; part.classes.len() * width];
        for (k, &j) in self.features.iter().enumerate() {
            let mut number = vec![0u8; layout.arity(j as usize)];
            let slots = self.offsets[k] as usize..self.offsets[k + 1] as usize;
            for (i, &code) in self.codes[slots].iter().enumerate() {
                number[code as usize] = i as u8;
            }
            let codes = part.codes.iter().skip(j as usize).step_by(n);
            for (value, code) in values[k..].iter_mut().step_by(width).zip(codes) {
                *value = number[code.index()];
            }
        }
        Packed { values, width }
    }

    /// Take away the pairs of one row with others, agreeing ones `times` over; the distances of the
    /// others are added to `of_others`.
    fn take(
        &mut self,
        row: &[u8],
        class: u16,
        others: &Packed,
        classes: &[u16],
        times: i64,
        mut of_others: Option<&mut Vec<u16>>,
    ) {
        let (d, n, width) = (self.distances(), self.features.len(), others.width);
        let mut agree = vec![0u8; 2 * d * width];
        let mut all = vec![0u8; 2 * d];
        let mut mask = [0u8; WIDEST];
        let mask = &mut mask[..width];
        let mut begin = 0;
        while begin < classes.len() {
            let end = (begin + 255).min(classes.len());
            for j in begin..end {
                let equal = equal_bytes(row, &others.values[j * width..][..width], mask);
                let cell = usize::from(classes[j] != class) * d + width - equal;
                agree[cell * width..][..width].iter_mut().zip(&*mask).for_each(|(to, m)| *to += m);
                all[cell] += 1;
                if let Some(of_others) = &mut of_others {
                    of_others[j * 2 * d + cell] += 1;
                }
            }
            for cell in 0..2 * d {
                let pairs = std::mem::take(&mut all[cell]);
                if pairs == 0 {
                    continue;
                }
                let (other, distance) = (cell / d, cell % d);
                for k in 0..n {
                    let slot = self.offsets[k] as usize + usize::from(row[k]);
                    let equal = std::mem::take(&mut agree[cell * width + k]);
                    self.cells[(slot * 4 + other) * d + distance] -= times * i64::from(equal);
                    self.cells[(slot * 4 + 2 + other) * d + distance] -= i64::from(pairs);
                }
                agree[cell * width + n..(cell + 1) * width].fill(0);
            }
            begin = end;
        }
    }

    /// Take away the distances of the many to those that go.
    fn take_distances(&mut self, many: &Packed, of_many: &[u16]) {
        let (d, n) = (self.distances(), self.features.len());
        for (row, gone) in many.values.chunks_exact(many.width).zip(of_many.chunks_exact(2 * d)) {
            for (other, gone) in gone.chunks_exact(d).enumerate() {
                let (Some(first), Some(last)) =
                    (gone.iter().position(|&c| c > 0), gone.iter().rposition(|&c| c > 0))
                else {
                    continue;
                };
                for k in 0..n {
                    let slot = self.offsets[k] as usize + usize::from(row[k]);
                    let at = (slot * 4 + 2 + other) * d;
                    let cells = &mut self.cells[at + first..=at + last];
                    cells
                        .iter_mut()
                        .zip(&gone[first..=last])
                        .for_each(|(to, &c)| *to -= i64::from(c));
                }
            }
        }
    }
}

/// Which bytes are equal (1 or 0), and how many.
#[inline]
fn equal_bytes(a: &[u8], b: &[u8], mask: &mut [u8]) -> usize {
    let mut lanes = [0u8; LANES];
    let rows = a.chunks_exact(LANES).zip(b.chunks_exact(LANES)).zip(mask.chunks_exact_mut(LANES));
    for ((a, b), mask) in rows {
        for lane in 0..LANES {
            let equal = u8::from(a[lane] == b[lane]);
            mask[lane] = equal;
            lanes[lane] += equal;
        }
    }
    lanes.iter().map(|&l| usize::from(l)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::contingency::CodedRows;
    use crate::stats::pairs::tests::Draw;
    use crate::stats::pairs::{NodeRows, Numbering};

    #[test]
    fn what_remains_is_what_counting_anew_finds() {
        let control = Control::new(1);
        for seed in 0..12 {
            let mut draw = Draw(seed, 0);
            let (t, n, k) = (FEWEST + 40 + draw.below(500), 1 + draw.below(20), 1 + draw.below(4));
            let arities: Vec<u32> = (0..n).map(|_| 1 + draw.below(6) as u32).collect();
            let layout = Layout::new(&arities, k);
            let codes: Vec<u32> =
                (0..t * n).map(|c| draw.below(arities[c % n] as usize) as u32).collect();
            let classes: Vec<u16> = (0..t).map(|_| draw.below(k) as u16).collect();
            let gone = if seed % 3 == 0 { 1 } else { 1 + draw.below(t - FEWEST) };
            let rows: Vec<u32> = (0..t as u32).collect();
            let counted = |from: usize| {
                let coded = CodedRows {
                    codes: &codes[from * n..],
                    classes: &classes[from..],
                    rows: &rows[from..],
                };
                let node =
                    NodeRows::gather(coded, &layout, k, |_| 1, &mut Numbering::default()).unwrap();
                (node.features().to_vec(), node.profile_and_counts(&control).unwrap())
            };
            let (_, (whole, table)) = counted(0);
            let Some(table) = table else { continue };
            assert_eq!(table.profile(), whole);
            let part = |from: usize, to: usize| Part {
                codes: &codes[from * n..to * n],
                classes: &classes[from..to],
            };
            let rest = table.without(&layout, part(0, gone), part(gone, t), &control).unwrap();
            let (features, (anew, _)) = counted(gone);
            let setting = crate::stats::pairs::Setting::pi();
            let scores = anew.pi(&setting);
            let merits = anew.contextual_merit(&crate::stats::pairs::Setting::contextual_merit());
            let left = rest.profile();
            for ((j, score), merit) in features.iter().zip(scores).zip(merits) {
                let place = rest.features().binary_search(j).unwrap();
                assert_eq!(left.pi(&setting)[place], score, "seed {seed}");
                let all = left.contextual_merit(&crate::stats::pairs::Setting::contextual_merit());
                assert_eq!(all[place], merit, "seed {seed}");
            }
            assert_eq!(left.whole(&setting), anew.whole(&setting));
            assert!(rest.cells.iter().all(|&c| c >= 0));
            assert!(table.without(&layout, part(0, gone), part(gone, t - 1), &control).is_err());
        }
        assert!(
            is_worth_it(1, 1000)
                && !is_worth_it(0, 1000)
                && !is_worth_it(500, 1000)
                && !is_worth_it(9, 100)
        );
    }
}
