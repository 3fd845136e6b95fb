//! The rows of an exact search: distinct, with ranks instead of values and the classes each may be
//! given.
//!
//! Rows that agree on every feature are one row here. It may be given the class its copies have;
//! where copies disagree, the classes of the largest weight among them, so that a tree consistent
//! with these sets makes the fewest training errors that any tree can make. Values become dense
//! ranks (a nominal value: its code's rank among the codes that occur), and a test is `rank <= r`.
//! O(rows x features x log rows).

use crate::data::{Column, Dataset, MISSING, ones};
use crate::error::{Error, Result};
use crate::numeric::order_key;
use crate::parallel::Control;

/// Largest number of distinct rows.
pub const MAX_ROWS: usize = 65_535;
/// Largest number of classes that occur.
pub const MAX_CLASSES: usize = 64;

/// What is done with equal rows of different classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Errors {
    /// They are refused, by name.
    #[default]
    Raise,
    /// The fewest training errors come first, then the size.
    Minimise,
}

/// What is done with missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingRule {
    /// They are refused, by column and row.
    Refuse,
    /// They come after all values: no test `x <= r` holds for them.
    Last,
}

/// Distinct rows.
#[derive(Debug)]
pub(super) struct Problem {
    /// Distinct rows.
    pub(super) n: usize,
    /// Words of a bit set.
    pub(super) words: usize,
    /// Features.
    pub(super) d: usize,
    /// `ranks[f][row]`.
    pub(super) ranks: Vec<Vec<u32>>,
    /// Distinct values of each feature, ascending (codes of a nominal one).
    pub(super) values: Vec<Vec<f64>>,
    /// Rows in ascending order of rank, ties by row.
    pub(super) orders: Vec<Vec<u16>>,
    /// Classes a row may be given, bits over `classes`.
    pub(super) allowed: Vec<u64>,
    /// Weight of each class (position in `classes`) in each distinct row.
    pub(super) weights: Vec<Vec<(u8, f64)>>,
    /// Classes that occur.
    pub(super) classes: Vec<u16>,
    /// Distinct row of each training row, in the order given.
    pub(super) group: Vec<u32>,
    /// Weight of the rows that no tree gets right.
    pub(super) unavoidable: f64,
    /// A bit set of each class set that occurs: rows that have it.
    pub(super) kinds: Vec<(u64, Vec<u64>)>,
}

impl Problem {
    /// Encode some rows (internal numbers, positive weights).
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
        let d = data.columns().len();
        if d > usize::from(u16::MAX) {
            return Err(Error::Data(format!("{d} features: exact search takes at most 65,535")));
        }
        let (ranks_of_rows, values) = dense_ranks(data, rows, missing, control)?;
        let classes = occurring_classes(data, rows)?;
        let EqualRows { firsts, weights, group, clash } =
            EqualRows::new(data, rows, weight, &classes, (&ranks_of_rows, control))?;
        if let (Errors::Raise, Some((a, b))) = (errors, clash) {
            return Err(contradiction(data, a, b));
        }
        let n = firsts.len();
        if n > MAX_ROWS {
            return Err(Error::Data(format!(
                "{n} distinct rows: exact search takes at most {MAX_ROWS}"
            )));
        }
        let (mut ranks, mut orders) = (Vec::with_capacity(d), Vec::with_capacity(d));
        for own in &ranks_of_rows {
            control.check()?;
            let own: Vec<u32> = firsts.iter().map(|&i| own[i]).collect();
            orders.push(order_by_rank(&own));
            ranks.push(own);
        }
        let mut unavoidable = 0.0;
        let allowed: Vec<u64> = weights
            .iter()
            .map(|own: &Vec<(u8, f64)>| {
                let most = own.iter().map(|c| c.1).fold(0.0, f64::max);
                unavoidable += own.iter().map(|c| c.1).sum::<f64>() - most;
                own.iter().filter(|c| c.1 == most).map(|c| 1_u64 << c.0).sum()
            })
            .collect();
        let words = n.div_ceil(64).max(1);
        let kinds = rows_of_class_sets(&allowed, words);
        Ok(Self {
            n,
            words,
            d,
            ranks,
            values,
            orders,
            allowed,
            weights,
            classes,
            group,
            unavoidable,
            kinds,
        })
    }

    /// All rows.
    pub(super) fn everything(&self) -> Vec<u64> {
        let mut bits = vec![u64::MAX; self.words];
        let rest = self.n - (self.words - 1) * 64;
        bits[self.words - 1] = if rest == 64 { u64::MAX } else { (1 << rest) - 1 };
        bits
    }

    /// A lower bound of the leaves that a set of rows needs: class sets that have no class in
    /// common.
    pub(super) fn leaves_needed(&self, bits: &[u64]) -> u16 {
        let (mut taken, mut leaves) = (0_u64, 0);
        for (kind, rows) in &self.kinds {
            if kind & taken == 0 && rows.iter().zip(bits).any(|(a, b)| a & b != 0) {
                taken |= kind;
                leaves += 1;
            }
        }
        leaves
    }

    /// Classes that all rows of a set may be given, as bits.
    pub(super) fn common(&self, bits: &[u64]) -> u64 {
        let mut common = u64::MAX;
        for (kind, rows) in &self.kinds {
            if rows.iter().zip(bits).any(|(a, b)| a & b != 0) {
                common &= kind;
            }
        }
        common
    }

    /// The class (a position in `classes`) of largest weight that all rows of a set may be given,
    /// the lower one on ties; of all classes when none is common.
    pub(super) fn label(&self, bits: &[u64]) -> u16 {
        let may = match self.common(bits) {
            0 => u64::MAX,
            common => common,
        };
        let mut totals = vec![0.0; self.classes.len()];
        for row in members(bits) {
            for &(c, w) in &self.weights[row] {
                totals[usize::from(c)] += w;
            }
        }
        let mut best: Option<usize> = None;
        for (c, &w) in totals.iter().enumerate().filter(|&(c, _)| may >> c & 1 == 1) {
            if best.is_none_or(|b| w > totals[b]) {
                best = Some(c);
            }
        }
        best.unwrap_or(0) as u16
    }
}

/// Rows that agree on every feature, brought together.
struct EqualRows {
    /// A training row (its place among those given) of each distinct row.
    firsts: Vec<usize>,
    /// Weight of each class (position in the classes that occur) in each distinct row.
    weights: Vec<Vec<(u8, f64)>>,
    /// Distinct row of each training row.
    group: Vec<u32>,
    /// The first two equal rows of different classes, by their numbers in the order given.
    clash: Option<(u32, u32)>,
}

impl EqualRows {
    fn new(
        data: &Dataset,
        rows: &[u32],
        weight: &dyn Fn(u32) -> f64,
        classes: &[u16],
        (ranks_of_rows, control): (&[Vec<u32>], &Control),
    ) -> Result<Self> {
        let original = |i: usize| data.original()[rows[i] as usize];
        let group = lexicographic_groups(ranks_of_rows, rows.len(), control)?;
        // Equal rows become neighbours.
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_unstable_by_key(|&i| (group[i], original(i)));
        let (mut firsts, mut weights): (Vec<usize>, Vec<Vec<(u8, f64)>>) = (Vec::new(), Vec::new());
        let mut clash: Option<(u32, u32)> = None;
        for &i in &order {
            let class = classes.partition_point(|&c| c < data.classes()[rows[i] as usize]) as u8;
            if firsts.len() as u32 == group[i] {
                firsts.push(i);
                weights.push(Vec::new());
            }
            let own = weights.last_mut().expect("a group was opened");
            if let Some((_, w)) = own.iter_mut().find(|(c, _)| *c == class) {
                *w += weight(rows[i]);
            } else {
                if let Some(&first) = firsts.last().filter(|_| !own.is_empty()) {
                    let pair = (original(first), original(i));
                    let pair = (pair.0.min(pair.1), pair.0.max(pair.1));
                    clash = Some(clash.map_or(pair, |c| c.min(pair)));
                }
                own.push((class, weight(rows[i])));
            }
        }
        Ok(Self { firsts, weights, group, clash })
    }
}

/// The number of each row's group: rows that agree on every feature are a group, and groups are in
/// the order of their ranks, the first feature first. One feature after the other divides the
/// groups, so that a caller who wants to stop waits for one sort at most.
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
        for same in keys.chunk_by(|a, b| a.0 == b.0) {
            same.iter().for_each(|k| group[k.1 as usize] = groups as u32);
            groups += 1;
        }
    }
    Ok(group)
}

/// Distinct rows in ascending order of a feature's ranks, ties by row.
fn order_by_rank(ranks: &[u32]) -> Vec<u16> {
    let mut order: Vec<u16> = (0..ranks.len()).map(|i| i as u16).collect();
    order.sort_by_key(|&i| ranks[usize::from(i)]);
    order
}

/// Classes of some rows, ascending.
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

/// Dense ranks of the values of some rows, and the distinct values, by feature.
fn dense_ranks(
    data: &Dataset,
    rows: &[u32],
    missing: MissingRule,
    control: &Control,
) -> Result<(Vec<Vec<u32>>, Vec<Vec<f64>>)> {
    let d = data.columns().len();
    let name = |f: usize| &data.schema().features[f].name;
    let original = |r: u32| data.original()[r as usize];
    let mut ranks_of_rows = Vec::with_capacity(d);
    let mut values = Vec::with_capacity(d);
    for (f, column) in data.columns().iter().enumerate() {
        control.check()?;
        let cell = |r: u32| match column {
            Column::Numeric(c) => c.value(r),
            Column::Nominal(c) if c.code(r) == MISSING => f64::NAN,
            Column::Nominal(c) => f64::from(c.code(r)),
        };
        let read = |r: u32| match cell(r) {
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
        let mut distinct: Vec<f64> = rows.iter().map(|&r| read(r)).collect();
        distinct.sort_unstable_by_key(|&v| order_key(v));
        distinct.dedup();
        let rank = |r: u32| distinct.partition_point(|&v| v < read(r)) as u32;
        ranks_of_rows.push(rows.iter().map(|&r| rank(r)).collect::<Vec<u32>>());
        values.push(distinct);
    }
    Ok((ranks_of_rows, values))
}

/// The refusal of two equal rows (numbers in the order given) of different classes.
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

/// A bit set of the rows of each class set, sets of one class first.
fn rows_of_class_sets(allowed: &[u64], words: usize) -> Vec<(u64, Vec<u64>)> {
    let mut kinds: Vec<(u64, Vec<u64>)> = Vec::new();
    for (i, &a) in allowed.iter().enumerate() {
        let at = kinds.iter().position(|k| k.0 == a).unwrap_or_else(|| {
            kinds.push((a, vec![0; words]));
            kinds.len() - 1
        });
        kinds[at].1[i >> 6] |= 1 << (i & 63);
    }
    // Sets of one class first: the count of classes needed starts from them.
    kinds.sort_by_key(|k| (k.0.count_ones(), k.0));
    kinds
}

/// Rows of a set, ascending.
pub(super) fn members(bits: &[u64]) -> impl Iterator<Item = usize> + '_ {
    ones(bits).map(|row| row as usize)
}

/// Number of rows of a set.
pub(super) fn size(bits: &[u64]) -> usize {
    bits.iter().map(|w| w.count_ones() as usize).sum()
}
