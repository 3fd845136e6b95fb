//! The input of an exact search: distinct rows, with ranks instead of values, and for each row the
//! classes that a consistent tree may predict for it.
//!
//! Rows that agree on every feature are one row here. Its allowed classes are the classes with the
//! largest weight among its copies, so that a tree that is consistent with the allowed classes
//! makes the fewest training errors that any tree can make. Values become dense ranks (a nominal
//! value: the rank of its code among the codes that occur), and a test is `rank <= r`
//! ([`RankTest`]). Sets of rows are bit sets of 64-bit words. O(rows x features x log rows).

use super::ranked::cell;
use crate::data::{Dataset, ones};
use crate::error::{Error, Result};
use crate::numeric::{order_key, sort_few};
use crate::parallel::Control;

/// Largest number of distinct rows.
pub const MAX_ROWS: usize = 65_535;
/// Largest number of classes that occur.
pub const MAX_CLASSES: usize = 64;

/// How equal rows of different classes are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Errors {
    /// They are refused; the message names two of them.
    #[default]
    Raise,
    /// The tree with the fewest training errors is searched for, among these the smallest.
    Minimise,
}

/// How missing values are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingRule {
    /// They are refused; the message names column and row.
    Refuse,
    /// They are larger than all values: no test `x <= r` holds for them.
    Last,
}

/// The test `rank of a feature's value <= rank`; rows for which it holds go left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RankTest {
    pub(super) feature: u16,
    pub(super) rank: u32,
}

/// Weight of one class in a distinct row.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClassWeight {
    /// Position in [`Problem::classes`].
    pub(super) class: u8,
    pub(super) weight: f64,
}

/// A set of allowed classes, and the rows that have it.
#[derive(Debug)]
pub(super) struct ClassSet {
    /// Bits over [`Problem::classes`].
    pub(super) classes: u64,
    /// Bits over the distinct rows.
    pub(super) rows: Vec<u64>,
}

/// The distinct rows of a training set.
#[derive(Debug)]
pub(super) struct Problem {
    /// Number of distinct rows.
    pub(super) n_rows: usize,
    /// Words of a set of rows.
    pub(super) words: usize,
    /// Number of features.
    pub(super) n_features: usize,
    /// `ranks[feature][row]`.
    pub(super) ranks: Vec<Vec<u32>>,
    /// Distinct values of each feature, ascending (codes of a nominal one).
    pub(super) values: Vec<Vec<f64>>,
    /// Rows in ascending order of each feature's ranks, ties by row.
    pub(super) orders: Vec<Vec<u16>>,
    /// Allowed classes of each row, as bits over `classes`.
    pub(super) allowed: Vec<u64>,
    /// Weights of the classes that occur in each row.
    pub(super) weights: Vec<Vec<ClassWeight>>,
    /// Classes that occur, ascending.
    pub(super) classes: Vec<u16>,
    /// Distinct row of each training row, in the order given.
    pub(super) group: Vec<u32>,
    /// Weight of the rows that every tree misclassifies.
    pub(super) unavoidable: f64,
    /// The sets of allowed classes that occur; the sets of one class come first.
    pub(super) class_sets: Vec<ClassSet>,
}

impl Problem {
    /// Encode some rows (internal numbers, positive weights). `weight` gives the weight of a row;
    /// `errors` and `missing` say which rows are refused.
    ///
    /// # Errors
    /// [`Error::Data`] without rows, for too many features, classes or distinct rows, for missing
    /// values with [`MissingRule::Refuse`], and for contradictions with [`Errors::Raise`].
    pub(super) fn new(
        data: &Dataset,
        rows: &[u32],
        weight: &dyn Fn(u32) -> f64,
        errors: Errors,
        missing: MissingRule,
        control: &Control,
    ) -> Result<Self> {
        if rows.is_empty() {
            return Err(Error::Data("no training rows with a positive weight".into()));
        }
        let n_features = data.columns().len();
        if n_features > usize::from(u16::MAX) {
            return Err(Error::Data(format!(
                "{n_features} features: exact search takes at most 65,535"
            )));
        }
        // Ranks of all rows, then equal rows as one.
        let (ranks_of_rows, values) = dense_ranks(data, rows, missing, control)?;
        let classes = occurring_classes(data, rows)?;
        let EqualRows { firsts, weights, group, clash } =
            EqualRows::new(data, rows, weight, &classes, &ranks_of_rows, control)?;
        if let (Errors::Raise, Some((a, b))) = (errors, clash) {
            return Err(contradiction(data, a, b));
        }
        let n_rows = firsts.len();
        if n_rows > MAX_ROWS {
            return Err(Error::Data(format!(
                "{n_rows} distinct rows: exact search takes at most {MAX_ROWS}"
            )));
        }
        let mut ranks = Vec::with_capacity(n_features);
        let mut orders = Vec::with_capacity(n_features);
        for of_rows in &ranks_of_rows {
            control.check()?;
            let of_distinct: Vec<u32> = firsts.iter().map(|&i| of_rows[i]).collect();
            orders.push(order_by_rank(&of_distinct));
            ranks.push(of_distinct);
        }
        // The classes of the largest weight are allowed; the others are errors of every tree.
        let mut unavoidable = 0.0;
        let allowed: Vec<u64> = weights
            .iter()
            .map(|of_row: &Vec<ClassWeight>| {
                let largest = of_row.iter().map(|w| w.weight).fold(0.0, f64::max);
                unavoidable += of_row.iter().map(|w| w.weight).sum::<f64>() - largest;
                of_row.iter().filter(|w| w.weight == largest).map(|w| 1_u64 << w.class).sum()
            })
            .collect();
        let words = n_rows.div_ceil(64);
        let class_sets = class_sets(&allowed, words);
        Ok(Self {
            n_rows,
            words,
            n_features,
            ranks,
            values,
            orders,
            allowed,
            weights,
            classes,
            group,
            unavoidable,
            class_sets,
        })
    }

    /// The set of all rows. It is the root of a search, with one bit per distinct row.
    pub(super) fn everything(&self) -> Vec<u64> {
        first_rows(self.n_rows)
    }

    /// A lower bound of the leaves that a set of rows needs: a number of its sets of allowed
    /// classes of which no two have a class in common.
    pub(super) fn leaves_needed(&self, bits: &[u64]) -> u16 {
        let (mut taken, mut leaves) = (0_u64, 0);
        for ClassSet { classes, rows } in &self.class_sets {
            if classes & taken == 0 && rows.iter().zip(bits).any(|(a, b)| a & b != 0) {
                taken |= classes;
                leaves += 1;
            }
        }
        leaves
    }

    /// Classes that are allowed for all rows of a set, as bits. 0 says that no leaf is consistent
    /// with the set. An empty set allows all classes.
    pub(super) fn common(&self, bits: &[u64]) -> u64 {
        let mut common = u64::MAX;
        for ClassSet { classes, rows } in &self.class_sets {
            if rows.iter().zip(bits).any(|(a, b)| a & b != 0) {
                common &= classes;
            }
        }
        common
    }

    /// The label of a set of rows as a leaf: the class (position in `classes`) of the largest
    /// weight among the classes that are allowed for all its rows, the lower one on ties. If there
    /// is no such class, all classes compete.
    pub(super) fn label(&self, bits: &[u64]) -> u16 {
        let candidates = match self.common(bits) {
            0 => u64::MAX,
            common => common,
        };
        let mut totals = vec![0.0; self.classes.len()];
        for row in members(bits) {
            for &ClassWeight { class, weight } in &self.weights[row] {
                totals[usize::from(class)] += weight;
            }
        }
        let mut best: Option<usize> = None;
        for class in (0..totals.len()).filter(|&class| candidates >> class & 1 == 1) {
            if best.is_none_or(|best| totals[class] > totals[best]) {
                best = Some(class);
            }
        }
        best.unwrap_or(0) as u16
    }
}

/// Training rows grouped into distinct rows.
struct EqualRows {
    /// Position, among the rows given, of the first copy of each distinct row.
    firsts: Vec<usize>,
    /// Weights of the classes that occur in each distinct row.
    weights: Vec<Vec<ClassWeight>>,
    /// Distinct row of each training row.
    group: Vec<u32>,
    /// The first two equal rows of different classes, by their numbers in the caller's order.
    clash: Option<(u32, u32)>,
}

impl EqualRows {
    fn new(
        data: &Dataset,
        rows: &[u32],
        weight: &dyn Fn(u32) -> f64,
        classes: &[u16],
        ranks_of_rows: &[Vec<u32>],
        control: &Control,
    ) -> Result<Self> {
        let original = |i: usize| data.original()[rows[i] as usize];
        let group = lexicographic_groups(ranks_of_rows, rows.len(), control)?;
        // Equal rows become neighbours.
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_unstable_by_key(|&i| (group[i], original(i)));
        let (mut firsts, mut weights) = (Vec::new(), Vec::<Vec<ClassWeight>>::new());
        let mut clash: Option<(u32, u32)> = None;
        for &i in &order {
            let class = classes.partition_point(|&c| c < data.classes()[rows[i] as usize]) as u8;
            if firsts.len() as u32 == group[i] {
                firsts.push(i);
                weights.push(Vec::new());
            }
            let of_group = weights.last_mut().expect("a group was opened");
            if let Some(same) = of_group.iter_mut().find(|other| other.class == class) {
                same.weight += weight(rows[i]);
            } else {
                // A second class: the pair of rows with the smallest numbers is reported.
                if let Some(&first) = firsts.last().filter(|_| !of_group.is_empty()) {
                    let (a, b) = (original(first), original(i));
                    let pair = (a.min(b), a.max(b));
                    clash = Some(clash.map_or(pair, |other| other.min(pair)));
                }
                of_group.push(ClassWeight { class, weight: weight(rows[i]) });
            }
        }
        Ok(Self { firsts, weights, group, clash })
    }
}

/// The number of each row's group. Rows that agree on every feature are a group; groups are
/// numbered in lexicographic order of their ranks. One feature after the other divides the groups,
/// so that the cancel flag is read after every sort.
fn lexicographic_groups(ranks: &[Vec<u32>], n: usize, control: &Control) -> Result<Vec<u32>> {
    let mut group = vec![0_u32; n];
    let mut groups = n.min(1);
    for ranks in ranks {
        control.check()?;
        if groups == n {
            break;
        }
        let key = |i: usize| u64::from(group[i]) << 32 | u64::from(ranks[i]);
        let mut keys: Vec<(u64, u32)> = (0..n).map(|i| (key(i), i as u32)).collect();
        keys.sort_unstable();
        groups = 0;
        for equal in keys.chunk_by(|a, b| a.0 == b.0) {
            equal.iter().for_each(|&(_, row)| group[row as usize] = groups as u32);
            groups += 1;
        }
    }
    Ok(group)
}

/// Distinct rows in ascending order of a feature's ranks, ties by row.
fn order_by_rank(ranks: &[u32]) -> Vec<u16> {
    let mut order: Vec<u16> = (0..ranks.len()).map(|i| i as u16).collect();
    sort_few(&mut order, &|&a, &b| ranks[usize::from(a)].cmp(&ranks[usize::from(b)]));
    order
}

/// The classes that occur in some rows, ascending.
fn occurring_classes(data: &Dataset, rows: &[u32]) -> Result<Vec<u16>> {
    let mut classes: Vec<u16> = rows.iter().map(|&r| data.classes()[r as usize]).collect();
    classes.sort_unstable();
    classes.dedup();
    if classes.len() > MAX_CLASSES {
        return Err(Error::Data(format!(
            "{} classes occur: exact search takes at most {MAX_CLASSES}",
            classes.len()
        )));
    }
    Ok(classes)
}

/// By feature: the dense ranks of the values of some rows, and the distinct values.
fn dense_ranks(
    data: &Dataset,
    rows: &[u32],
    missing: MissingRule,
    control: &Control,
) -> Result<(Vec<Vec<u32>>, Vec<Vec<f64>>)> {
    let n_features = data.columns().len();
    let name = |f: usize| &data.schema().features[f].name;
    let original = |r: u32| data.original()[r as usize];
    let mut ranks_of_rows = Vec::with_capacity(n_features);
    let mut values = Vec::with_capacity(n_features);
    for (f, column) in data.columns().iter().enumerate() {
        control.check()?;
        let read = |r: u32| match cell(column, r) {
            x if x.is_nan() && missing == MissingRule::Last => f64::INFINITY,
            x => x,
        };
        if let Some(&r) = rows.iter().filter(|&&r| read(r).is_nan()).min_by_key(|&&r| original(r)) {
            return Err(Error::Data(format!(
                "Input X contains NaN: column '{}', row {} is missing, and exact search takes \
                 no missing values; impute \
                 them (fasttree.discretize.ReplaceMissing) or leave the rows out",
                name(f),
                original(r)
            )));
        }
        // A missing value that comes last is +infinity here.
        let mut distinct: Vec<f64> = rows.iter().map(|&r| read(r)).collect();
        distinct.sort_unstable_by_key(|&v| order_key(v));
        distinct.dedup();
        let rank = |r: u32| distinct.partition_point(|&v| v < read(r)) as u32;
        ranks_of_rows.push(rows.iter().map(|&r| rank(r)).collect::<Vec<u32>>());
        values.push(distinct);
    }
    Ok((ranks_of_rows, values))
}

/// The refusal of two equal rows (by their numbers in the caller's order) of different classes.
fn contradiction(data: &Dataset, a: u32, b: u32) -> Error {
    let class = |r: u32| {
        &data.schema().classes[usize::from(data.classes()[data.internal()[r as usize] as usize])]
    };
    Error::Data(format!(
        "rows {a} and {b} agree on every feature but are of classes {} and {}: no tree is \
         consistent with both; \
         drop one of them, or choose errors='minimise'",
        class(a),
        class(b)
    ))
}

/// The sets of allowed classes that occur. Sets of one class come first, because
/// [`Problem::leaves_needed`] counts greedily.
fn class_sets(allowed: &[u64], words: usize) -> Vec<ClassSet> {
    let mut sets: Vec<ClassSet> = Vec::new();
    for (row, &classes) in allowed.iter().enumerate() {
        let index = sets.iter().position(|set| set.classes == classes).unwrap_or_else(|| {
            sets.push(ClassSet { classes, rows: vec![0; words] });
            sets.len() - 1
        });
        insert(&mut sets[index].rows, row);
    }
    let key = |set: &ClassSet| (set.classes.count_ones(), set.classes);
    sort_few(&mut sets, &|a, b| key(a).cmp(&key(b)));
    sets
}

/// The set of the first `n` rows. It has one word per 64 rows, and the bits behind the last row are
/// 0.
pub(super) fn first_rows(n: usize) -> Vec<u64> {
    (0..n.div_ceil(64))
        .map(|word| if n >= (word + 1) * 64 { u64::MAX } else { (1 << (n & 63)) - 1 })
        .collect()
}

/// Add a row to a set. Nothing changes if the set has it already.
#[inline]
pub(super) fn insert(bits: &mut [u64], row: usize) {
    bits[row >> 6] |= 1 << (row & 63);
}

/// Divide a set by a test into the rows on the left and the rows on the right. Rows go left if the
/// rank of their value is at most the rank of the test. O(rows of the set).
pub(super) fn divide(ranks: &[Vec<u32>], bits: &[u64], test: RankTest) -> (Vec<u64>, Vec<u64>) {
    let ranks = &ranks[usize::from(test.feature)];
    let mut left = vec![0_u64; bits.len()];
    for row in members(bits) {
        if ranks[row] <= test.rank {
            insert(&mut left, row);
        }
    }
    let right = bits.iter().zip(&left).map(|(all, left)| all & !left).collect();
    (left, right)
}

/// Rows of a set, ascending. It visits only the bits that are set, not every distinct row.
pub(super) fn members(bits: &[u64]) -> impl Iterator<Item = usize> + '_ {
    ones(bits).map(|row| row as usize)
}

/// Number of rows of a set. O(words).
pub(super) fn size(bits: &[u64]) -> usize {
    bits.iter().map(|w| w.count_ones() as usize).sum()
}
