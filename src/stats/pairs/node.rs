//! Pairs of the rows of one node of a tree, at a cost that depends on the node alone.
//!
//! A node has few of the values, classes and features of the training set. [`PairNodeRows`] keeps
//! only the features that vary in it and renumbers values and classes in their order, so that
//! tables are as small as the rows allow. A constant feature adds nothing to any distance, so the
//! distances are those at the root (Vilalta et al. 2001, section 4.2), and it allows no split.
//!
//! Growth asks for a profile, matrices or sums, depending on the criterion. Up to 64 rows are
//! counted by a double loop directly into a [`Profile`], all features of a pair at once; more rows
//! go through the passes of this module. The results are bit-identical. O(t^2 n) bit operations for
//! t rows of n varying features.

use super::contract::{PairSetting, count_matrices, root_matrix};
use super::counts::{Classes, PairCounts};
use super::exact::count;
use super::input::{REMEDY, SlotRows, WHAT, hash_class, hash_slot};
use super::naive::{pairs_by_double_loop, small_profile};
use super::plan::{self, PairShape, PassShape};
use super::profile::Profile;
use super::radius::RadiusRule;
use super::weigh::{SumsBytes, weigh};
use super::weighed::WeighedPairs;
use crate::error::Result;
use crate::memory::{self, Budget};
use crate::parallel::Control;
use crate::simd::Kernels;
use crate::stats::contingency::{CodedRows, TableLayout};
use crate::stats::neighbours::{self, RowWeights, pairs_by_distance};

/// Renumbers the codes that occur in a node; its memory is reused between nodes.
#[derive(Debug, Default)]
pub struct Numbering {
    /// Round in which a code last occurred: nothing has to be cleared between rounds.
    seen: Vec<u32>,
    /// New number of each code that occurs in the current round.
    number: Vec<u32>,
    round: u32,
    /// The codes that occur, in ascending order.
    codes: Vec<u32>,
}

impl Numbering {
    /// Number the codes that occur (all below `largest`) in ascending order, from `first` on.
    fn renumber(&mut self, codes: impl Iterator<Item = usize>, largest: usize, first: u32) {
        if self.round == u32::MAX {
            self.seen.clear();
            self.round = 0;
        }
        self.round += 1;
        if self.seen.len() < largest {
            self.seen.resize(largest, 0);
            self.number.resize(largest, 0);
        }
        self.codes.clear();
        for code in codes {
            if self.seen[code] != self.round {
                self.seen[code] = self.round;
                self.codes.push(code as u32);
            }
        }
        self.codes.sort_unstable();
        for (i, &code) in self.codes.iter().enumerate() {
            self.number[code as usize] = first + i as u32;
        }
    }
}

/// What a criterion needs of the pairs of a node; the memory of the pass depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodePass {
    /// A profile, for any setting.
    Profile,
    /// Counts per class, for matrices.
    Counts,
    /// Sums under one setting.
    Sums {
        /// Whether the default radius has to be computed first.
        radius: bool,
    },
}

/// Sizes of a node.
#[derive(Debug, Clone, Copy)]
pub struct NodeShape {
    /// Number of rows.
    pub rows: usize,
    /// Number of features that vary.
    pub features: usize,
    /// Number of values of these features together.
    pub slots: usize,
    /// Number of classes.
    pub classes: usize,
    /// Largest weight of a row.
    pub largest_weight: u32,
}

impl NodePass {
    /// Bytes of gathering the rows, and the most that gathering or the pass takes if no rows are
    /// identical.
    fn need(self, shape: NodeShape) -> [usize; 2] {
        let NodeShape { rows, features, slots, classes, largest_weight } = shape;
        let kernels = Kernels::active();
        let weight_bits = (u32::BITS - largest_weight.leading_zeros()) as usize;
        let pairs = PairShape { weight_bits, ..PairShape::of_rows(rows, features, slots, classes) };
        let counts = |kept: Classes| {
            let pairs = PairShape { classes: kept.count(classes), ..pairs };
            PassShape::unknown_rows(kernels, pairs).least()
        };
        let pass = match self {
            // the double loop makes the profile and sums of as many numbers
            Self::Profile if rows <= plan::SMALL_NODE => 2 * profile_bytes(features),
            Self::Profile => counts(Classes::cheapest(classes)) + profile_bytes(features),
            Self::Counts => counts(Classes::Apart),
            Self::Sums { radius } => {
                let sums = SumsBytes::new(kernels, &pairs).total(1);
                let values = slots.div_ceil(features.max(1));
                let by_distance = neighbours::radius_need(rows, features, values);
                let search = rows * radius_row_bytes(features) + by_distance;
                sums.max(if radius { search } else { 0 })
            }
        };
        let first = SlotRows::gathered_bytes(rows, features);
        [first, SlotRows::bytes(rows, features).saturating_add(pass).max(first)]
    }

    /// Refuse a pass over a node for which memory does not suffice; `coded` bytes are taken by the
    /// coded rows.
    ///
    /// # Errors
    /// [`crate::error::Error::Need`].
    pub fn admit(self, budget: Budget, shape: NodeShape, coded: usize) -> Result<()> {
        let need = self.need(shape).map(|bytes| coded.saturating_add(bytes));
        budget.admit_first(WHAT, need, REMEDY)
    }
}

/// Bytes of a profile of `features` features: two numbers per feature, case and distance.
fn profile_bytes(features: usize) -> usize {
    64 * features * (features + 1)
}

/// Bytes of a row in the search for neighbours: codes of a byte, class, weight, content and places.
fn radius_row_bytes(features: usize) -> usize {
    features + 2 + 8 + 18
}

/// The rows of a node, ready to be counted.
#[derive(Debug)]
pub struct PairNodeRows {
    rows: SlotRows,
    /// Positions, in the layout, of the features that vary.
    features: Vec<u32>,
    /// Declared code of each slot.
    codes: Vec<u32>,
    /// Declared number of each class of the node.
    classes: Vec<u32>,
}

impl PairNodeRows {
    /// Copy the rows of a node; `weight` gives the multiplicity of an internal row.
    ///
    /// # Errors
    /// [`crate::error::Error::Data`] if the weights exceed what can be counted;
    /// [`crate::error::Error::Need`] where memory does not suffice for the rows.
    pub fn gather(
        budget: Budget,
        coded: CodedRows<'_>,
        layout: &TableLayout,
        n_classes: usize,
        weight: &dyn Fn(u32) -> u32,
        numbering: &mut Numbering,
        pass: NodePass,
    ) -> Result<Self> {
        let (t, width) = (coded.rows.len(), layout.features());
        let largest = (0..width).map(|j| layout.arity(j)).max().unwrap_or(0).max(n_classes);
        // Renumber the classes.
        numbering.renumber(coded.classes.iter().map(|&c| usize::from(c)), largest, 0);
        let classes = numbering.codes.clone();
        let mut class_of = vec![0u16; t];
        let mut hash = vec![0u64; t];
        for ((class_of, hash), &class) in class_of.iter_mut().zip(&mut hash).zip(coded.classes) {
            *class_of = numbering.number[usize::from(class)] as u16;
            *hash = hash_class(*class_of);
        }
        // Find the features that vary; mostly the first few rows decide.
        let mut features = Vec::new();
        for j in 0..width {
            let mut column = coded.column(layout, j);
            if let Some(first) = column.next()
                && column.any(|code| code != first)
            {
                features.push(j as u32);
            }
        }
        let kept = features.len();
        let shape = NodeShape {
            rows: t,
            features: kept,
            slots: features.iter().map(|&j| layout.arity(j as usize)).sum(),
            classes: classes.len(),
            largest_weight: coded.rows.iter().map(|&row| weight(row)).max().unwrap_or(1),
        };
        pass.admit(budget, shape, 0)?;
        // Renumber their values, and hash the rows on the way.
        let (mut codes, mut offsets) = (Vec::new(), vec![0u32]);
        let mut slots: Vec<u32> = memory::zeroed(t * kept)?;
        for (k, &j) in features.iter().enumerate() {
            let column = || coded.column(layout, j as usize);
            numbering.renumber(column(), largest, codes.len() as u32);
            codes.extend_from_slice(&numbering.codes);
            offsets.push(codes.len() as u32);
            for ((slot, hash), code) in
                slots[k..].iter_mut().step_by(kept).zip(&mut hash).zip(column())
            {
                *slot = numbering.number[code];
                *hash = hash_slot(*hash, *slot);
            }
        }
        let rows =
            SlotRows::assemble(offsets, classes.len(), &slots, &hash, &|i| class_of[i], &|i| {
                weight(coded.rows[i])
            })?;
        Ok(Self { rows, features, codes, classes })
    }

    /// Positions, in the layout, of the features that vary. Scores and profiles of a node have
    /// these features alone, in this order.
    pub fn features(&self) -> &[u32] {
        &self.features
    }

    /// Bytes that the rows take. Callers take them off the memory of the passes that follow.
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
            PairCounts::affordable(control, &self.rows.offsets, classes.count(self.classes.len()))?;
            return Ok(small_profile(&self.rows));
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

    /// Default radius of Relief by a rule, from distances alone, without counts or sums of
    /// features.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`].
    pub fn radius(&self, control: &Control, rule: RadiusRule) -> Result<usize> {
        let (rows, n) = (&self.rows, self.rows.features);
        let control = &control.quiet().holding(rows.len() * radius_row_bytes(n));
        // The search for neighbours reads codes of a byte.
        if rows.offsets.windows(2).any(|w| w[1] - w[0] > 256) {
            return Ok(rule.radius(pairs_by_double_loop(control, rows)?.into_iter()));
        }
        let byte = |(at, &slot): (usize, &u32)| (slot - rows.offsets[at % n]) as u8;
        let bytes: Vec<u8> = rows.slots.iter().enumerate().map(byte).collect();
        let mut classes = vec![0u16; rows.len()];
        for class in 0..rows.n_classes() {
            classes[rows.class_rows(class)].fill(class as u16);
        }
        let codes = neighbours::NominalRows { values: &bytes, columns: n, stride: n };
        let weights = RowWeights::Copies(rows.weights.iter().map(|&w| f64::from(w)).collect());
        let rows = neighbours::NeighbourRows::new(
            codes,
            Vec::new(),
            &classes,
            self.classes.len(),
            weights,
        )?;
        Ok(rule.radius(pairs_by_distance(control, &rows)?.into_iter()))
    }

    fn counts(&self, control: &Control, classes: Classes) -> Result<PairCounts> {
        let counts = count(control, Kernels::active(), &self.rows, &self.rows, classes)?;
        counts.check_sums()?;
        Ok(counts)
    }

    /// Count matrices of the node under one setting, from counts by distance.
    ///
    /// # Errors
    /// As [`PairNodeRows::profile`].
    pub fn matrices(&self, control: &Control, setting: &PairSetting) -> Result<NodeMatrices> {
        let counts = self.counts(control, Classes::Apart)?;
        let of_slots = count_matrices(&counts, setting);
        Ok(NodeMatrices { root: root_matrix(&counts, setting), of_slots })
    }

    /// Count matrices of the node under one setting, from sums in fixed point.
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

    /// Matrices over all declared values and classes, where a pair of weight 1 counts `scale`, and
    /// the contingency tables of the features. Values and classes without rows in the node get
    /// zeros. Formulas of users read this form, which is the same in every node.
    pub fn declared(
        &self,
        found: &NodeMatrices,
        layout: &TableLayout,
        n_classes: usize,
        scale: f64,
    ) -> Matrices {
        let own_classes = self.classes.len();
        let mut root = vec![0.0; n_classes * 4];
        for (cases, &class) in found.root.chunks_exact(4).zip(&self.classes) {
            for (to, x) in root[class as usize * 4..].iter_mut().zip(cases) {
                *to = x * scale;
            }
        }
        let (mut of_features, mut tables) = (Vec::new(), Vec::new());
        for (k, &j) in self.features.iter().enumerate() {
            let mut matrix = vec![0.0; layout.arity(j as usize) * n_classes * 4];
            let mut table = vec![0.0; layout.arity(j as usize) * n_classes];
            // From the node's values and classes to the declared ones.
            for slot in self.rows.offsets[k] as usize..self.rows.offsets[k + 1] as usize {
                for (c, &class) in self.classes.iter().enumerate() {
                    let cell = self.codes[slot] as usize * n_classes + class as usize;
                    let from = &found.of_slots[(slot * own_classes + c) * 4..][..4];
                    let to = matrix[cell * 4..][..4].iter_mut();
                    to.zip(from).for_each(|(to, x)| *to = x * scale);
                }
            }
            // A pair weighs the product of two weights, so a row weighs the root of the scale.
            for (c, &class) in self.classes.iter().enumerate() {
                for i in self.rows.class_rows(c) {
                    let code = self.codes[self.rows.row(i)[k] as usize] as usize;
                    table[code * n_classes + class as usize] +=
                        f64::from(self.rows.weights[i]) * scale.sqrt();
                }
            }
            of_features.push(matrix);
            tables.push(table);
        }
        Matrices { classes: n_classes, root, of_features, tables }
    }
}

/// Count matrices over the values and classes that occur in a node.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeMatrices {
    /// `[class][case]`.
    root: Vec<f64>,
    /// `[slot][class][case]`.
    of_slots: Vec<f64>,
}

/// Count matrices of a node under one setting, over all declared values and classes.
#[derive(Debug, Clone)]
pub struct Matrices {
    /// Number of declared classes.
    pub classes: usize,
    /// R over the whole node, `[class][case]`; cases 3 and 4 are zero.
    pub root: Vec<f64>,
    /// R of each feature that varies, `[value][class][case]`.
    pub of_features: Vec<Vec<f64>>,
    /// Contingency table of each feature that varies, in rows or weight, `[value][class]`.
    pub tables: Vec<Vec<f64>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::pairs::PairMetric;
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
            let layout = TableLayout::new(&arities, random.n_classes);
            let codes = layout.pack(codes.into_iter());
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
                &weight,
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
                assert_eq!(small_profile(&node.rows), truth, "seed {seed}");
            }
            let setting = PairSetting::pi();
            let whole = super::super::pair_counts(
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
            let all = Profile::new(&whole).scores(PairMetric::Pi, &setting);
            let own = truth.scores(PairMetric::Pi, &setting);
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
