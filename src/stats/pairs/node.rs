//! The pairs of the rows of one node, at a cost that follows the node.
//!
//! A node of a tree holds few of the values, classes and features of the training set. Only
//! features that vary are kept (a constant one adds nothing to any distance and allows no split),
//! and values and classes are numbered anew, in their order, so that tables are no larger than the
//! rows demand. A constant feature is at distance 0 for all pairs: the distances of a node are
//! those of the root (Vilalta et al. 2001, section 4.2).
//!
//! Some dozens of rows are counted by a double loop straight into a [`Profile`], all features of a
//! pair at once; more go through the pass. Both give the same numbers to the last bit. O(t^2 n) bit
//! operations.

use super::contract::{PairSetting, count_matrices, root_matrix};
use super::counts::{Classes, PairCounts};
use super::exact::count;
use super::input::{REMEDY, SlotRows, WHAT, hash_class, hash_slot};
use super::plan::{self, PassShape};
use super::profile::Profile;
use super::radius::RadiusRule;
use super::weigh::{SumsNeed, weigh};
use super::weighed::WeighedPairs;
use crate::error::Result;
use crate::memory::{self, Budget};
use crate::parallel::{self, Control};
use crate::simd::Kernels;
use crate::stats::contingency::{Code, CodedRows, Layout};
use crate::stats::neighbours::{self, Counts, pairs_by_distance};

/// Reusable memory: which codes a node has, and their new numbers.
#[derive(Debug, Default)]
pub struct Numbering {
    seen: Vec<u32>,
    number: Vec<u32>,
    now: u32,
    codes: Vec<u32>,
}

impl Numbering {
    fn begin(&mut self, codes: usize) {
        if self.now == u32::MAX {
            self.seen.clear();
            self.now = 0;
        }
        self.now += 1;
        if self.seen.len() < codes {
            self.seen.resize(codes, 0);
            self.number.resize(codes, 0);
        }
    }

    /// Number the codes that occur, from `first` on in ascending order.
    fn renumber(&mut self, all: impl Iterator<Item = usize>, first: u32) -> usize {
        self.codes.clear();
        for code in all {
            if self.seen[code] != self.now {
                self.seen[code] = self.now;
                self.codes.push(code as u32);
            }
        }
        self.codes.sort_unstable();
        for (i, &code) in self.codes.iter().enumerate() {
            self.number[code as usize] = first + i as u32;
        }
        self.codes.len()
    }
}

/// What is made of the pairs of a node: it decides what the pass takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodePass {
    /// A profile for all settings.
    Profile,
    /// Counts of all classes apart.
    Counts,
    /// Sums under one setting.
    Sums {
        /// Whether the radius has to be found.
        radius: bool,
    },
}

impl NodePass {
    /// Bytes of gathering `rows` rows of `features` features that vary, with `slots` values
    /// together; and the most of that and of the pass over rows that all differ.
    fn need(self, [rows, features, slots, classes]: [usize; 4], bits: usize) -> [usize; 2] {
        let kernels = Kernels::active();
        let counted = |known: Classes| {
            let shape = PassShape::of_rows(kernels, rows, features, slots, known.kept(classes));
            PassShape { bits, ..shape }.least()
        };
        let later = match self {
            // a double loop makes the profile and sums of as many numbers
            Self::Profile if rows <= plan::SMALL_NODE => 2 * profile_bytes(features),
            Self::Profile => counted(Classes::cheapest(classes)) + profile_bytes(features),
            Self::Counts => counted(Classes::Apart),
            Self::Sums { radius } => {
                let sums =
                    SumsNeed::of_rows(kernels, rows, [features, slots, classes], bits).bytes(1);
                let most = slots.div_ceil(features.max(1));
                let by_distance = neighbours::radius_need(rows, features, most);
                sums.max(if radius { rows * radius_row(features) + by_distance } else { 0 })
            }
        };
        let first = SlotRows::gathered_bytes(rows, features);
        [first, SlotRows::bytes(rows, features).saturating_add(later).max(first)]
    }

    /// Refuse the pass over `[rows, features, slots, classes]` of a node with `top` as its largest
    /// weight, and whose rows, once coded, take `coded` bytes.
    ///
    /// # Errors
    /// [`crate::error::Error::Need`].
    pub fn admit(
        self,
        budget: Budget,
        shape: [usize; 4],
        (top, coded): (u32, usize),
    ) -> Result<()> {
        let bits = (u32::BITS - top.leading_zeros()) as usize;
        let [first, all] = self.need(shape, bits);
        let [first, all] = [coded.saturating_add(first), coded.saturating_add(all)];
        budget.admit_first(WHAT, [first, all], REMEDY)
    }
}

/// Bytes of a profile of `features` features.
fn profile_bytes(features: usize) -> usize {
    64 * features * (features + 1)
}

/// Bytes of a row as neighbours see it: codes of a byte, class and weight; content and places.
fn radius_row(features: usize) -> usize {
    features + 2 + 8 + 18
}

/// The rows of a node, ready to be counted.
#[derive(Debug)]
pub struct PairNodeRows {
    rows: SlotRows,
    features: Vec<u32>,
    /// Declared code of each slot.
    codes: Vec<u32>,
    /// Declared class of each class.
    classes: Vec<u32>,
}

impl PairNodeRows {
    /// Take the rows; `weight` gives the multiplicity of an internal row.
    ///
    /// # Errors
    /// [`crate::error::Error::Data`] if the weights exceed what can be counted;
    /// [`crate::error::Error::Need`] where memory does not suffice for the rows.
    pub fn gather<C: Code>(
        budget: Budget,
        coded: CodedRows<'_, C>,
        layout: &Layout,
        n_classes: usize,
        weight: impl Fn(u32) -> u32,
        numbering: &mut Numbering,
        pass: NodePass,
    ) -> Result<Self> {
        let (t, width) = (coded.rows.len(), layout.features());
        let largest = (0..width).map(|j| layout.arity(j)).max().unwrap_or(0).max(n_classes);
        numbering.begin(largest);
        numbering.renumber(coded.classes.iter().map(|&c| usize::from(c)), 0);
        let classes = numbering.codes.clone();
        let mut own = vec![0u16; t];
        let mut hash = vec![0u64; t];
        for ((own, hash), &class) in own.iter_mut().zip(&mut hash).zip(coded.classes) {
            *own = numbering.number[usize::from(class)] as u16;
            *hash = hash_class(*own);
        }
        let (mut features, mut codes, mut offsets) = (Vec::new(), Vec::new(), vec![0u32]);
        // a constant feature is known after a few rows, if it is not constant
        for j in 0..width {
            let mut column = coded.codes.iter().skip(j).step_by(width);
            if let Some(first) = column.next()
                && column.any(|c| c.index() != first.index())
            {
                features.push(j as u32);
            }
        }
        let kept = features.len();
        let slots = features.iter().map(|&j| layout.arity(j as usize)).sum();
        let top = coded.rows.iter().map(|&row| weight(row)).max().unwrap_or(1);
        pass.admit(budget, [t, kept, slots, classes.len()], (top, 0))?;
        let mut slots: Vec<u32> = memory::zeroed(t * kept)?;
        for (k, &j) in features.iter().enumerate() {
            let column = || coded.codes.iter().skip(j as usize).step_by(width).map(|c| c.index());
            numbering.begin(largest);
            let first = codes.len() as u32;
            numbering.renumber(column(), first);
            codes.extend_from_slice(&numbering.codes);
            offsets.push(codes.len() as u32);
            for ((slot, hash), code) in
                slots[k..].iter_mut().step_by(kept).zip(&mut hash).zip(column())
            {
                *slot = numbering.number[code];
                *hash = hash_slot(*hash, *slot);
            }
        }
        let rows = SlotRows::assemble(
            offsets,
            classes.len(),
            &slots,
            &hash,
            |i| own[i],
            |i| weight(coded.rows[i]),
        )?;
        Ok(Self { rows, features, codes, classes })
    }

    /// Places, in the layout, of the features that vary.
    pub fn features(&self) -> &[u32] {
        &self.features
    }

    /// Bytes that the rows take.
    pub fn held(&self) -> usize {
        self.rows.held()
    }

    /// Profile of the features that vary.
    ///
    /// # Errors
    /// [`crate::error::Error::Data`] if counts by distance would not fit the memory;
    /// [`crate::error::Error::Cancelled`].
    pub fn profile(&self, control: &Control) -> Result<Profile> {
        let classes = Classes::cheapest(self.classes.len());
        if plan::is_small(&self.rows) {
            PairCounts::affordable(control, &self.rows.offsets, classes.kept(self.classes.len()))?;
            return Ok(double_loop(&self.rows));
        }
        // the profile is made while the counts are held
        let control = &control.holding(profile_bytes(self.rows.features));
        Ok(Profile::new(&self.counts(control, classes)?))
    }

    /// Sums of the features that vary under one setting, in fixed point.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    pub fn weighed(&self, control: &Control, setting: &PairSetting) -> Result<WeighedPairs> {
        weigh(control, Kernels::active(), &self.rows, &self.rows, setting)
    }

    /// Relief's radius from the distances alone: neither counts nor sums of any feature.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    pub fn radius(&self, control: &Control, enough: RadiusRule) -> Result<usize> {
        let (rows, n) = (&self.rows, self.rows.features);
        let control = &control.quiet().holding(rows.len() * radius_row(n));
        if rows.offsets.windows(2).any(|w| w[1] - w[0] > 256) {
            return Ok(enough.radius(slow_pairs_by_distance(control, rows)?.into_iter()));
        }
        let byte = |(at, &slot): (usize, &u32)| (slot - rows.offsets[at % n]) as u8;
        let bytes: Vec<u8> = rows.slots.iter().enumerate().map(byte).collect();
        let mut classes = vec![0u16; rows.len()];
        for (class, range) in rows.starts.windows(2).enumerate() {
            classes[range[0]..range[1]].fill(class as u16);
        }
        let codes = neighbours::NominalRows { values: &bytes, columns: n, stride: n };
        let weights = Counts::Copies(rows.weights.iter().map(|&w| f64::from(w)).collect());
        let rows = neighbours::NeighbourRows::new(
            codes,
            Vec::new(),
            &classes,
            self.classes.len(),
            weights,
        )?;
        Ok(enough.radius(pairs_by_distance(control, &rows)?.into_iter()))
    }

    fn counts(&self, control: &Control, classes: Classes) -> Result<PairCounts> {
        let counts = count(control, Kernels::active(), &self.rows, &self.rows, classes)?;
        counts.check_sums()?;
        Ok(counts)
    }

    /// Count matrices of the features that vary, from counts by distance.
    ///
    /// # Errors
    /// As [`PairNodeRows::profile`].
    pub fn matrices(&self, control: &Control, setting: &PairSetting) -> Result<NodeMatrices> {
        let counts = self.counts(control, Classes::Apart)?;
        let of_slots = count_matrices(&counts, setting);
        Ok(NodeMatrices { root: root_matrix(&counts, setting), of_slots })
    }

    /// Matrices of the node from pairs weighed in fixed point.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    pub fn weighed_matrices(
        &self,
        control: &Control,
        setting: &PairSetting,
    ) -> Result<NodeMatrices> {
        let sums = self.weighed(control, setting)?;
        Ok(NodeMatrices { root: sums.root_matrix(), of_slots: sums.matrices() })
    }

    /// Matrices with all declared values and classes, a pair of weight one counting `scale`.
    pub fn declared(
        &self,
        found: &NodeMatrices,
        layout: &Layout,
        n_classes: usize,
        scale: f64,
    ) -> Matrices {
        let own = self.classes.len();
        let compact = &found.of_slots;
        let mut root = vec![0.0; n_classes * 4];
        for (row, &class) in found.root.chunks_exact(4).zip(&self.classes) {
            for (to, x) in root[class as usize * 4..].iter_mut().zip(row) {
                *to = x * scale;
            }
        }
        let (mut of_features, mut tables) = (Vec::new(), Vec::new());
        for (k, &j) in self.features.iter().enumerate() {
            let mut r = vec![0.0; layout.arity(j as usize) * n_classes * 4];
            let mut table = vec![0.0; layout.arity(j as usize) * n_classes];
            for slot in self.rows.offsets[k] as usize..self.rows.offsets[k + 1] as usize {
                for (c, &class) in self.classes.iter().enumerate() {
                    let cell = self.codes[slot] as usize * n_classes + class as usize;
                    let from = &compact[(slot * own + c) * 4..][..4];
                    r[cell * 4..][..4].iter_mut().zip(from).for_each(|(to, x)| *to = x * scale);
                }
            }
            for (c, &class) in self.classes.iter().enumerate() {
                for i in self.rows.class_rows(c) {
                    let code = self.codes[self.rows.row(i)[k] as usize] as usize;
                    table[code * n_classes + class as usize] +=
                        f64::from(self.rows.weights[i]) * scale.sqrt();
                }
            }
            of_features.push(r);
            tables.push(table);
        }
        Matrices { classes: n_classes, root, of_features, tables }
    }
}

/// Columns of more values than a byte holds: a double loop over rows, dealt out to threads.
fn slow_pairs_by_distance(control: &Control, rows: &SlotRows) -> Result<Vec<f64>> {
    let shares = control.threads() * 8;
    let parts = parallel::map(control, shares, |share| {
        let mut pairs = vec![0u128; rows.features + 1];
        for i in (share..rows.len()).step_by(shares) {
            control.check()?;
            let weight = |j: usize| u128::from(rows.weights[i]) * u128::from(rows.weights[j]);
            pairs[0] += weight(i);
            for j in 0..i {
                let distance = rows.row(i).iter().zip(rows.row(j)).filter(|(a, b)| a != b).count();
                pairs[distance] += 2 * weight(j);
            }
        }
        Ok(pairs)
    })?;
    let all = |d| parts.iter().map(|pairs| pairs[d]).sum::<u128>() as f64;
    Ok((0..=rows.features).map(all).collect())
}

/// Count matrices of the values and classes that a node has.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeMatrices {
    /// `[class][case]`.
    root: Vec<f64>,
    /// `[slot][class][case]`.
    of_slots: Vec<f64>,
}

/// Count matrices of a node under one setting.
#[derive(Debug, Clone)]
pub struct Matrices {
    /// Number of declared classes.
    pub classes: usize,
    /// R over the whole node, `[class][case]`; cases 3 and 4 are zero.
    pub root: Vec<f64>,
    /// R of each feature, `[value][class][case]`.
    pub of_features: Vec<Vec<f64>>,
    /// Rows (or weight) of each feature, `[value][class]`.
    pub tables: Vec<Vec<f64>>,
}

/// All features of a pair at once; the numbers stay below 2^32.
fn double_loop(rows: &SlotRows) -> Profile {
    let (t, n) = (rows.len(), rows.features);
    let d = n + 1;
    let mut of_slot = vec![0u32; rows.offsets[n] as usize];
    for i in 0..t {
        rows.row(i).iter().for_each(|&s| of_slot[s as usize] += rows.weights[i]);
    }
    let size: Vec<u32> = rows.slots.iter().map(|&s| of_slot[s as usize]).collect();
    // [same class, other class][distance][feature]: pairs, pairs that agree, and the same times the
    // rows with the value of i
    let mut total = vec![0u32; 2 * d];
    let [mut agree, mut sized, mut sized_agree] = [(); 3].map(|()| vec![0u32; 2 * d * n]);
    for class in 0..rows.n_classes() {
        for i in rows.class_rows(class) {
            let (a, size_a) = (rows.row(i), &size[i * n..][..n]);
            for j in i..t {
                let (b, size_b) = (rows.row(j), &size[j * n..][..n]);
                let pair = rows.weights[i] * rows.weights[j];
                let equal: u32 = a.iter().zip(b).map(|(a, b)| u32::from(a == b)).sum();
                let other = usize::from(j >= rows.starts[class + 1]);
                let cell = other * d + n - equal as usize;
                // both orders of the pair; a row with itself has but one
                let (pairs, once) = if i == j { (pair, 0) } else { (2 * pair, pair) };
                total[cell] += pairs;
                let at = cell * n..(cell + 1) * n;
                let into = agree[at.clone()]
                    .iter_mut()
                    .zip(&mut sized[at.clone()])
                    .zip(&mut sized_agree[at]);
                for (((into, a), b), (size_a, size_b)) in
                    into.zip(a).zip(b).zip(size_a.iter().zip(size_b))
                {
                    let ((agree, sized), sized_agree) = into;
                    let mask = u32::from(a == b).wrapping_neg();
                    let weight = pair * size_a + once * size_b;
                    *agree += pairs & mask;
                    *sized += weight;
                    *sized_agree += weight & mask;
                }
            }
        }
    }
    let rows_total = rows.total();
    let (mut plain, mut shared) = (vec![0i64; n * 4 * d], vec![0.0; n * 4 * d]);
    for k in 0..n {
        for other in 0..2 {
            for distance in 0..d {
                let cell = other * d + distance;
                let (equal, all) = (agree[cell * n + k], total[cell]);
                let at = |case: usize| (k * 4 + case) * d + distance;
                plain[at(other)] = i64::from(equal);
                plain[at(2 + other)] = i64::from(all - equal);
                let (equal, all) = (sized_agree[cell * n + k], sized[cell * n + k]);
                let product = |x: u32| (u64::from(x) * rows_total) as f64;
                shared[at(other)] = product(equal);
                shared[at(2 + other)] = product(all - equal);
            }
        }
    }
    Profile::of_sums(d, plain, shared, rows_total * rows_total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::pairs::tests::Random;

    #[test]
    fn a_node_has_the_profile_of_its_counts() {
        for seed in 0..300 {
            let random = Random::new(seed, if seed % 3 == 0 { 200 } else { 40 }, 9);
            let t = random.classes.len();
            let codes: Vec<u32> =
                (0..t).flat_map(|i| random.columns.iter().map(move |c| u32::from(c[i]))).collect();
            let ids: Vec<u32> = (0..t as u32).collect();
            let arities: Vec<u32> = random.levels.iter().map(|&l| l as u32).collect();
            let layout = Layout::new(&arities, random.n_classes);
            let coded = CodedRows { codes: &codes, classes: &random.classes, rows: &ids };
            let light =
                random.weights.as_ref().map(|w| w.iter().map(|w| w % 7).collect::<Vec<u32>>());
            let weights = if seed % 2 == 0 { light } else { random.weights.clone() };
            let weight = |r: u32| weights.as_ref().map_or(1, |w| w[r as usize]);
            let node = PairNodeRows::gather(
                Budget::default(),
                coded,
                &layout,
                random.n_classes,
                weight,
                &mut Numbering::default(),
                NodePass::Profile,
            )
            .unwrap();
            if node.features().is_empty() {
                continue;
            }
            let control = Control::new(1);
            let counts = node.counts(&control, Classes::Apart).unwrap();
            let truth = Profile::new(&counts);
            assert_eq!(node.profile(&control).unwrap(), truth, "seed {seed}");
            if node.rows.len() <= 200 && node.rows.total() <= 1600 {
                assert_eq!(double_loop(&node.rows), truth, "seed {seed}");
            }
            let setting = PairSetting::pi();
            let whole = super::super::pair_counts_with(
                &control,
                Kernels::active(),
                &crate::stats::pairs::CodeTable::new(
                    random
                        .columns
                        .iter()
                        .zip(&random.levels)
                        .map(|(c, &levels)| crate::stats::pairs::CodeColumn {
                            values: crate::stats::pairs::CodeValues::U16(c),
                            levels,
                        })
                        .collect(),
                    &random.classes,
                    random.n_classes,
                    weights.as_deref(),
                )
                .unwrap(),
                None,
                None,
            )
            .unwrap();
            let all = Profile::new(&whole).pi(&setting);
            let own = truth.pi(&setting);
            for (&k, score) in node.features().iter().zip(&own) {
                assert_eq!(all[k as usize], *score, "seed {seed}");
            }
            let m = node.matrices(&control, &setting).unwrap();
            let m = node.declared(&m, &layout, random.n_classes, 1.0);
            assert_eq!(m.root, root_matrix(&whole, &setting));
            let r = count_matrices(&whole, &setting);
            for (&k, own) in node.features().iter().zip(&m.of_features) {
                let first: usize = random.levels[..k as usize].iter().sum();
                assert_eq!(own[..], r[first * random.n_classes * 4..][..own.len()], "seed {seed}");
            }
            let total: f64 = m.tables[0].iter().sum();
            assert_eq!(total * total, whole.pairs() as f64);
        }
    }
}
