//! The fractional instances of a node ([`FractionalRows`]), and their division by a split
//! ([`Division`], [`divide`]).
//!
//! A node lists its rows, each at most once, with the weight of the fraction that arrived there.
//! Its instances are numbered 0, 1, 2, ..., so that classes, weights and codes lie side by side and
//! small nodes stay in the cache; a numeric feature has the ascending order of the instances whose
//! value is known. A split copies: each child gets lists of its own, and an instance without a
//! value is copied into every child that takes a fraction. O(instances x features) per node.

use super::context::{FractionSums, FractionalContext};
use crate::criteria::SplitRule;
use crate::data::{Column, Dataset, MISSING, RowSet, entry_row, entry_tied, pack_entry};
use crate::simd::Level;
use crate::simd::columns::{LEFT_OUT, SLACK, renumber};
use crate::split::c45::CLOSE;
use crate::stats::Sum;
use crate::stats::contingency::CodedRows;
use crate::tree::NONE;

/// The instances of one node.
#[derive(Debug, Clone, Default)]
pub(super) struct FractionalRows {
    /// Their internal rows, ascending.
    pub rows: Vec<u32>,
    /// Their classes.
    pub classes: Vec<u16>,
    /// Their weights, in units.
    pub weights: Vec<i64>,
    /// Every instance is a whole row of weight 1.
    pub whole: bool,
    /// The orders of the numeric features, one after the other, followed by unused room.
    orders: Vec<u32>,
    /// The end of each order.
    ends: Vec<usize>,
    /// Codes of the nominal features, as in [`CodedRows`]; the number of levels means "missing".
    codes: Vec<u8>,
}

impl FractionalRows {
    /// The instances of the root: the training rows, each with its whole weight. A pass over the
    /// order of each numeric column picks the entries of these rows.
    pub fn new(context: &FractionalContext<'_>, rows: &RowSet) -> Self {
        let data = context.data;
        let mut instances = Self { whole: context.unit_weights, ..Self::default() };
        // Rows, classes and weights; and the number of each row among the instances.
        let mut number = vec![NONE; data.len()];
        for (i, &row) in rows.rows().iter().enumerate() {
            number[row as usize] = i as u32;
            instances.rows.push(row);
            instances.classes.push(data.classes()[row as usize]);
            instances.weights.push(context.weight(row));
        }
        // The orders. C4.5 takes values as tied that are too close to cut between.
        for numeric in &context.numeric {
            let mut before = f64::NAN;
            for &entry in numeric.column.order() {
                let row = entry_row(entry);
                let value = numeric.column.value(row);
                if value.is_nan() {
                    break;
                }
                if number[row as usize] != NONE {
                    let tied = if context.rule == SplitRule::C45 {
                        before + CLOSE >= value
                    } else {
                        before == value
                    };
                    instances.orders.push(pack_entry(number[row as usize], tied));
                    before = value;
                }
            }
            instances.ends.push(instances.orders.len());
        }
        // The codes of the nominal features.
        let of_row = |&row: &u32| {
            let nominal = context.nominal.iter();
            nominal.map(move |column| code_of(data, column.feature, row, column.levels))
        };
        instances.codes = context.layout.pack(rows.rows().iter().flat_map(of_row));
        instances
    }

    /// The instances as coded rows, for counting the tables of nominal features. Instances are
    /// numbered from 0, which is also their row number there.
    pub fn coded<'a>(&'a self, context: &'a FractionalContext<'_>) -> CodedRows<'a> {
        let rows = &context.numbers[..self.len()];
        CodedRows { codes: &self.codes, classes: &self.classes, rows }
    }

    /// Number of instances. A row has at most one instance in a node, whatever its weight.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The order of a numeric feature: entries of the instances with a known value. Entries have
    /// the numbers of instances, not of rows; for C4.5's rule, values too close to cut between are
    /// tied.
    pub fn order(&self, numeric: usize) -> &[u32] {
        let start = if numeric == 0 { 0 } else { self.ends[numeric - 1] };
        &self.orders[start..self.ends[numeric]]
    }
}

/// The code of a row's level; `levels` for a missing value.
fn code_of(data: &Dataset, feature: u32, row: u32, levels: u32) -> u32 {
    match &data.columns()[feature as usize] {
        Column::Nominal(column) => match column.code(row) {
            MISSING => levels,
            code => code,
        },
        Column::Numeric(_) => levels,
    }
}

/// The branches of a node's instances.
#[derive(Debug, Clone)]
pub(super) struct Division {
    /// Branch of each instance; [`NONE`] without a value.
    pub branch: Vec<u32>,
    /// Instances of each branch.
    pub sizes: Vec<u32>,
    /// Rows of each branch, each with its copies.
    pub rows: Vec<u32>,
    /// The weight that each branch takes of each instance without a value, branch by branch; 0 for
    /// none.
    taken: Vec<i64>,
    /// Number of instances without a value.
    unknown: usize,
}

/// A branch takes fractions when its share of the known weight is larger than this, as in J48.
const LEAST_SHARE: f64 = 1e-6;

impl Division {
    /// Divide instances by their branches; also returns the class sums of the branches, fractions
    /// included.
    ///
    /// `branch` has the branch of each instance, [`NONE`] for one without a value, and there are
    /// `branches` branches.
    pub fn new<F: FractionSums>(
        context: &FractionalContext<'_>,
        fractions: &F,
        instances: &FractionalRows,
        branch: Vec<u32>,
        branches: usize,
        classes: usize,
    ) -> (Self, Vec<F::Sum>) {
        // Count the known instances by branch. Those without a value are counted as one more
        // branch, which is quicker than a condition.
        let (mut sums, mut sizes) =
            (vec![F::Sum::default(); (branches + 1) * classes], vec![0_u32; branches + 1]);
        let mut rows = sizes.clone();
        let mut without_value = vec![0_u32; instances.len() + 1];
        let mut unknown = 0;
        let weighed = instances.classes.iter().zip(&instances.weights);
        for (i, (&b, (&class, &weight))) in branch.iter().zip(weighed).enumerate() {
            without_value[unknown] = i as u32;
            unknown += usize::from(b == NONE);
            let b = (b as usize).min(branches);
            let sum = &mut sums[b * classes + class as usize];
            *sum = sum.plus(fractions.row_sum(instances.rows[i], weight));
            sizes[b] += 1;
            rows[b] += context.copies_of(instances.rows[i]) as u32;
        }
        sums.truncate(branches * classes);
        sizes.truncate(branches);
        rows.truncate(branches);
        let units = |sums: &[F::Sum]| sums.iter().map(|sum| sum.units()).sum::<i64>() as f64;
        let known: Vec<f64> = sums.chunks_exact(classes.max(1)).map(units).collect();
        let whole: f64 = known.iter().sum();
        // Share of each branch in the instances without a value; 0 for branches that take none.
        let shares: Vec<f64> = known
            .iter()
            .map(|weight| weight / whole)
            .map(|share| if share > LEAST_SHARE { share } else { 0.0 })
            .collect();
        // Divide each instance without a value among the branches.
        let mut taken = vec![0; branches * unknown];
        for (u, &i) in without_value[..unknown].iter().enumerate() {
            let i = i as usize;
            let (class, copies) =
                (instances.classes[i] as usize, context.copies_of(instances.rows[i]));
            split_weight(&shares, instances.weights[i], copies, |b, fraction| {
                taken[b * unknown + u] = fraction;
                let sum = &mut sums[b * classes + class];
                *sum = sum.plus(fractions.row_sum(instances.rows[i], fraction));
                sizes[b] += u32::from(fraction > 0);
                rows[b] += if fraction > 0 { copies as u32 } else { 0 };
            });
        }
        (Self { branch, sizes, rows, taken, unknown }, sums)
    }

    /// The instances that may go to each branch, ascending: the instances of the branch, and all
    /// instances without a value.
    fn instances_of_branches(&self) -> Vec<Vec<u32>> {
        let mut lists = vec![Vec::new(); self.sizes.len()];
        for (i, &b) in self.branch.iter().enumerate() {
            match lists.get_mut(b as usize) {
                Some(list) => list.push(i as u32),
                None => lists.iter_mut().for_each(|list| list.push(i as u32)),
            }
        }
        lists
    }
}

/// Up to this many branches, a pass over all instances per branch is quicker than lists of
/// instances.
const FEW_BRANCHES: usize = 4;

/// Divide the weight of `copies` copies of a row by shares: `take(branch, fraction)`. The last
/// branch takes what is left, so none is lost. Each copy is divided as it would be alone.
fn split_weight(shares: &[f64], weight: i64, copies: i64, mut take: impl FnMut(usize, i64)) {
    let one = if copies == 1 { weight } else { weight / copies };
    let mut unshared = one;
    let last = shares.iter().rposition(|&share| share > 0.0).unwrap_or(0);
    for (branch, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        let by_share = ((one as f64 * share) as i64).min(unshared);
        let fraction = if branch == last { unshared } else { by_share };
        unshared -= fraction;
        take(branch, fraction * copies);
    }
}

/// The instances of the branches that are wanted; `None` for branches that are not wanted.
pub(super) fn divide(
    context: &FractionalContext<'_>,
    instances: &FractionalRows,
    division: &Division,
    wanted: &[bool],
) -> Vec<Option<FractionalRows>> {
    let whole = instances.whole && division.unknown == 0;
    let few = wanted.len() <= FEW_BRANCHES;
    let lists = if few { Vec::new() } else { division.instances_of_branches() };
    let mut number = vec![LEFT_OUT; instances.len()];
    let mut child = |b: usize| {
        // Its rows with their numbers in the child, then its orders by these numbers.
        number.fill(LEFT_OUT);
        let mut child = match lists.get(b) {
            None => branch_of(instances, division, b, 0..instances.len(), &mut number),
            Some(rows) => {
                branch_of(instances, division, b, rows.iter().map(|&i| i as usize), &mut number)
            }
        };
        child.whole = whole;
        let most: usize =
            (0..context.numeric.len()).map(|f| instances.order(f).len().min(child.len())).sum();
        child.orders.resize(most + SLACK, 0);
        child.ends.reserve_exact(context.numeric.len());
        for f in 0..context.numeric.len() {
            append_order(context, f, instances.order(f), &number, &mut child);
        }
        child
    };
    wanted.iter().enumerate().map(|(b, &is_wanted)| is_wanted.then(|| child(b))).collect()
}

/// The instances of branch `b` without their orders, all of them `among` these. `number` gets their
/// numbers in the branch.
fn branch_of(
    instances: &FractionalRows,
    division: &Division,
    b: usize,
    among: impl Iterator<Item = usize>,
    number: &mut [u32],
) -> FractionalRows {
    let size = division.sizes[b] as usize;
    // Every candidate is written, and one that does not belong there is overwritten: so there is
    // one place more.
    let mut rows = vec![0; size + 1];
    let (mut classes, mut weights) = (vec![0; size + 1], vec![0; size + 1]);
    // And one fraction more, which is read after the last instance without a value.
    let mut taken = Vec::with_capacity(division.unknown + 1);
    taken.extend_from_slice(&division.taken[b * division.unknown..(b + 1) * division.unknown]);
    taken.push(0);
    let (mut at, mut u) = (0, 0);
    for i in among {
        let branch = division.branch[i];
        let is_unknown = branch == NONE;
        let fraction = taken[u];
        let goes = (branch as usize == b) | (is_unknown & (fraction > 0));
        rows[at] = instances.rows[i];
        classes[at] = instances.classes[i];
        weights[at] = if is_unknown { fraction } else { instances.weights[i] };
        number[i] = if goes { at as u32 } else { LEFT_OUT };
        at += usize::from(goes);
        u += usize::from(is_unknown);
    }
    rows.truncate(size);
    classes.truncate(size);
    weights.truncate(size);
    // The codes of the instances that go there.
    let mut codes = Vec::new();
    if !instances.codes.is_empty() {
        let width = instances.codes.len() / instances.len();
        codes.reserve_exact(size * width);
        let coded = number.iter().zip(instances.codes.chunks_exact(width));
        let of_branch = coded.filter(|(number, _)| **number != LEFT_OUT);
        of_branch.for_each(|(_, row_codes)| codes.extend_from_slice(row_codes));
    }
    FractionalRows { rows, classes, weights, codes, ..FractionalRows::default() }
}

/// Append the order of one feature to the orders of a child: the entries of the child's instances,
/// whose numbers are given. `child.orders` has room for it.
fn append_order(
    context: &FractionalContext<'_>,
    feature: usize,
    order: &[u32],
    number: &[u32],
    child: &mut FractionalRows,
) {
    let start = child.ends.last().copied().unwrap_or(0);
    let out = &mut child.orders[start..];
    let len = renumber(Level::active(), order, number, out);
    // Values that C4.5 takes as tied may lose their tie when the values between them leave.
    if context.rule == SplitRule::C45 && context.numeric[feature].close {
        let value = |entry: u32| {
            context.numeric[feature].column.value(child.rows[entry_row(entry) as usize])
        };
        for i in 1..len {
            if entry_tied(out[i]) == 1 && value(out[i - 1]) + CLOSE < value(out[i]) {
                out[i] &= !1;
            }
        }
    }
    child.ends.push(start + len);
}
