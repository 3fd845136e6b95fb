//! Prediction: walks of several rows at once from the root of a tree of binary nodes.
//!
//! Each step of a row depends on the one before: it loads a node, then a number of the row. Sixteen
//! rows walk at once, so that their loads overlap; eight at once hid less of them. The choice of a
//! branch is a conditional move, because a jump would be mispredicted every second time. After some
//! steps the rows that have reached a leaf are left out, and the others are moved together. Indices
//! are checked once, when the table is made and when the walk begins, instead of twice per step.
//! Rows of float32 use nodes of half the size. O(depth) per row. The code is the same at every
//! level, and its twin is a walk of one row (the tests' `naive`).

use std::array::from_fn;
use std::sync::OnceLock;

/// Rows that walk at once.
pub const ROWS_PER_GROUP: usize = 16;
/// Most rows of a block. With 20 numbers per row they fit the first-level cache.
pub const BLOCK: usize = 256;
/// Steps before rows in leaves are left out for the first time: few leaves are less deep.
const FIRST_STEPS: usize = 14;
/// Steps between later moments at which such rows are left out.
const MORE_STEPS: usize = 6;

/// The end of the walk of a row, packed: a leaf, given by its number, or a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct End(u32);

/// The two kinds of [`End`], unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndPlace {
    /// The number of a leaf.
    Leaf(usize),
    /// The index of a node in the table.
    Node(u32),
}

impl End {
    const LEAF: u32 = 1 << 31;

    /// The end of a walk in a leaf, given by its number. The number is below 2^31; it is chosen by
    /// the owner of the table and is not the index of the leaf among the nodes.
    #[inline]
    pub fn in_leaf(number: u32) -> Self {
        Self(number | Self::LEAF)
    }

    /// The end of a walk at a node, given by its index in the table, which is below 2^31. The node
    /// is a leaf in [`Number::walk_to_nodes`], or else an inner node from which the caller goes on:
    /// the steps were over, or the row takes several branches there.
    #[inline]
    pub fn at_node(node: u32) -> Self {
        Self(node)
    }

    /// The leaf or node where the walk has ended, unpacked. Callers look up the prediction of a
    /// leaf by its number and go on from a node by themselves.
    #[inline]
    pub fn place(self) -> EndPlace {
        match self.0 & Self::LEAF {
            0 => EndPlace::Node(self.0),
            _ => EndPlace::Leaf((self.0 & !Self::LEAF) as usize),
        }
    }
}

/// A node of 16 bytes.
///
/// A row goes to the node behind this one if its number is at most `value`, else to `second`. A
/// leaf has itself as `second`, and a NaN as `value`, to which no number compares; the lower half
/// of the NaN is the number of the leaf. The owner of the table chooses these numbers, and several
/// leaves may have the same.
#[derive(Debug, Clone, Copy)]
pub struct WalkNode {
    /// The threshold, or in a leaf a NaN with its number.
    pub value: f64,
    /// The feature, from bit [`WalkNode::SHIFT`] on; the bits below are free for the owner.
    pub packed: u32,
    /// Index of the second child in the table.
    pub second: u32,
}

impl WalkNode {
    /// Bits of `packed` below the feature.
    pub const SHIFT: u32 = 4;

    /// Upper half of a quiet NaN.
    const QUIET_NAN: u64 = 0x7FF8_0000 << 32;

    /// The value of a leaf with this number: a quiet NaN with the number in its lower half.
    /// Comparisons with it are false, so a row in a leaf goes to `second`, which is the leaf
    /// itself.
    pub fn leaf_value(number: u32) -> f64 {
        f64::from_bits(Self::QUIET_NAN | u64::from(number))
    }

    /// The feature whose number decides, from 0; below the width of the table's rows. In a leaf it
    /// is any valid feature, because a walk loads the number before it knows the node.
    #[inline]
    pub fn feature(&self) -> usize {
        (self.packed >> Self::SHIFT) as usize
    }

    /// The number of the leaf, which [`WalkNode::leaf_value`] has packed; `None` for an inner node.
    /// A node is a leaf if its value is NaN.
    #[inline]
    pub fn leaf(&self) -> Option<u32> {
        self.value.is_nan().then_some(self.value.to_bits() as u32)
    }
}

/// A node of 8 bytes for rows of float32.
///
/// Its `value` is the largest float32 that is not above the threshold, which divides float32 as the
/// threshold does. In a leaf it is a NaN with the number of the leaf.
#[derive(Debug, Clone, Copy)]
struct NarrowNode {
    value: f32,
    /// The distance to the second child, from bit [`NarrowNode::SHIFT`] on, and below it the
    /// feature.
    packed: u32,
}

impl NarrowNode {
    const SHIFT: u32 = 8;
    const QUIET_NAN: u32 = 0x7FC0_0000;

    /// The narrow form of the node at index `at`; `None` if feature, distance or number are too
    /// large.
    fn of(node: &WalkNode, at: usize) -> Option<Self> {
        let distance = node.second.checked_sub(at as u32)?;
        let leaf = node.leaf().unwrap_or(0);
        let fits = node.feature() < 1 << Self::SHIFT
            && distance < 1 << (32 - Self::SHIFT)
            && leaf & Self::QUIET_NAN == 0;
        let packed = distance << Self::SHIFT | node.feature() as u32;
        let value = match node.leaf() {
            Some(number) => f32::from_bits(Self::QUIET_NAN | number),
            None => floor(node.value),
        };
        fits.then_some(Self { value, packed })
    }
}

/// The largest float32 that is not above a number.
fn floor(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

/// A node of either size, for rows of `T`.
trait WalkStep<T>: Copy {
    /// The feature whose number decides.
    fn split_feature(self) -> usize;
    /// Index of the node to which a row with the number `x` goes from this node, which is at index
    /// `at`.
    fn next(self, x: T, at: u32) -> u32;
    /// The number of the leaf; `None` for an inner node.
    fn number(self) -> Option<u32>;
}

impl<T: Into<f64>> WalkStep<T> for WalkNode {
    #[inline]
    fn split_feature(self) -> usize {
        self.feature()
    }
    #[inline]
    fn next(self, x: T, at: u32) -> u32 {
        std::hint::select_unpredictable(x.into() <= self.value, at + 1, self.second)
    }
    #[inline]
    fn number(self) -> Option<u32> {
        self.leaf()
    }
}

impl WalkStep<f32> for NarrowNode {
    #[inline]
    fn split_feature(self) -> usize {
        (self.packed & ((1 << Self::SHIFT) - 1)) as usize
    }
    #[inline]
    fn next(self, x: f32, at: u32) -> u32 {
        let second = at + (self.packed >> Self::SHIFT);
        std::hint::select_unpredictable(x <= self.value, at + 1, second)
    }
    #[inline]
    fn number(self) -> Option<u32> {
        self.value.is_nan().then_some(self.value.to_bits() & !Self::QUIET_NAN)
    }
}

/// The type of a row's numbers: f64 or f32.
pub trait Number: Copy + Into<f64> {
    /// Walk one row per end, at most [`BLOCK`], for at most `depth` steps, and write the ends.
    /// Fewer than [`ROWS_PER_GROUP`] rows are walked to their leaves whatever `depth` is. `values`
    /// holds the rows one after the other, without NaN.
    ///
    /// # Panics
    /// If there are fewer values than the rows need.
    fn walk(table: &WalkTable, values: &[Self], depth: usize, ends: &mut [End]);

    /// Walk as [`Number::walk`] does, and write all ends as nodes.
    fn walk_to_nodes(table: &WalkTable, values: &[Self], depth: usize, ends: &mut [End]);
}

impl Number for f64 {
    fn walk(table: &WalkTable, values: &[Self], depth: usize, ends: &mut [End]) {
        table.walk::<_, _, false>(&table.nodes, values, depth, ends);
    }
    fn walk_to_nodes(table: &WalkTable, values: &[Self], depth: usize, ends: &mut [End]) {
        table.walk::<_, _, true>(&table.nodes, values, depth, ends);
    }
}

impl Number for f32 {
    fn walk(table: &WalkTable, values: &[Self], depth: usize, ends: &mut [End]) {
        table.walk_narrow::<false>(values, depth, ends);
    }
    fn walk_to_nodes(table: &WalkTable, values: &[Self], depth: usize, ends: &mut [End]) {
        table.walk_narrow::<true>(values, depth, ends);
    }
}

/// Walk rows in groups of [`ROWS_PER_GROUP`] from the root, for at most `depth` steps, and write
/// their ends.
///
/// `advance(rows, nodes, steps)` moves the rows of a group from their nodes by a number of steps,
/// and `end(row, node)` returns the end of a row at a node, and whether the row stays there.
#[inline(always)]
pub fn walk_in_groups(
    depth: usize,
    ends: &mut [End],
    mut advance: impl FnMut(&[u32; ROWS_PER_GROUP], &mut [u32; ROWS_PER_GROUP], usize),
    end: impl Fn(u32, u32) -> (End, bool),
) {
    let Some(last) = ends.len().checked_sub(1) else { return };
    // Rows that are still walking, and behind them copies of the last row, which fill its group.
    let mut rows: [u32; BLOCK] = from_fn(|i| i.min(last) as u32);
    let mut nodes = [0_u32; BLOCK];
    let (mut count, mut done, mut steps) = (ends.len(), 0, FIRST_STEPS.min(depth));
    loop {
        let mut kept = 0;
        for start in (0..count).step_by(ROWS_PER_GROUP) {
            let (mut own, mut at) = ([0; ROWS_PER_GROUP], [0; ROWS_PER_GROUP]);
            own.copy_from_slice(&rows[start..start + ROWS_PER_GROUP]);
            at.copy_from_slice(&nodes[start..start + ROWS_PER_GROUP]);
            advance(&own, &mut at, steps);
            for (&row, &node) in own.iter().zip(&at).take(count - start) {
                let (found, stays) = end(row, node);
                ends[row as usize] = found;
                (rows[kept], nodes[kept]) = (row, node);
                kept += usize::from(!stays);
            }
        }
        done += steps;
        if kept == 0 || done >= depth {
            return;
        }
        (count, steps) = (kept, MORE_STEPS.min(depth - done));
    }
}

/// The nodes of a tree, with checked children and features.
#[derive(Debug)]
pub struct WalkTable {
    nodes: Vec<WalkNode>,
    /// The nodes for rows of float32, made on first use; empty if some node does not fit.
    narrow: OnceLock<Vec<NarrowNode>>,
    /// Number of values of a row.
    width: usize,
}

impl WalkTable {
    /// A table for rows of `width` numbers; `None` if a child or a feature does not exist, if a
    /// child is not behind its parent, or if there are no nodes. The walk's unchecked loads rely on
    /// the first check, and its end in a leaf on the second. O(nodes).
    pub fn new(nodes: Vec<WalkNode>, width: usize) -> Option<Self> {
        let sound = nodes.iter().enumerate().all(|(i, node)| {
            let next = if node.value.is_nan() { i } else { i + 1 };
            let second = node.second as usize;
            (next..nodes.len()).contains(&second) && node.feature() < width
        });
        if !sound || nodes.is_empty() || nodes.len() >= End::LEAF as usize {
            return None;
        }
        Some(Self { narrow: OnceLock::new(), nodes, width })
    }

    /// The nodes for rows of float32, made on the first call; an empty slice if some node does not
    /// fit.
    fn narrow(&self) -> &[NarrowNode] {
        self.narrow.get_or_init(|| {
            let narrow = self.nodes.iter().enumerate().map(|(i, node)| NarrowNode::of(node, i));
            Option::unwrap_or_default(narrow.collect())
        })
    }

    /// Walk rows of float32, through the narrow nodes if there are any.
    fn walk_narrow<const NODES: bool>(&self, values: &[f32], depth: usize, ends: &mut [End]) {
        match self.narrow() {
            [] => self.walk::<_, _, NODES>(&self.nodes, values, depth, ends),
            narrow => self.walk::<_, _, NODES>(narrow, values, depth, ends),
        }
    }

    /// Walk through `nodes`, the nodes of this table in either size. `NODES` says that all ends are
    /// nodes.
    fn walk<T: Copy, N: WalkStep<T>, const NODES: bool>(
        &self,
        nodes: &[N],
        values: &[T],
        depth: usize,
        ends: &mut [End],
    ) {
        assert!(ends.len() <= BLOCK && ends.len() * self.width <= values.len());
        let step = |start: usize, at: u32| {
            // SAFETY: `at` is the root or a branch, and `new` checked that all branches exist; a
            // narrow node has the same branches as the node it was made from. The feature is below
            // the width (checked by `new`), and `start` is the first number of a row of the block,
            // whose numbers exist by the assertion.
            #[allow(unsafe_code, reason = "checked once instead of twice a step")]
            let (node, x) = unsafe {
                let node = *nodes.get_unchecked(at as usize);
                (node, *values.get_unchecked(start + node.split_feature()))
            };
            node.next(x, at)
        };
        let end_at = |at: u32| match nodes[at as usize].number() {
            Some(number) if !NODES => (End::in_leaf(number), true),
            found => (End::at_node(at), found.is_some()),
        };
        if ends.len() < ROWS_PER_GROUP {
            // A few rows are walked one by one, each until it reaches its leaf.
            for (row, end) in ends.iter_mut().enumerate() {
                let mut at = 0;
                while nodes[at as usize].number().is_none() {
                    at = step(row * self.width, at);
                }
                *end = end_at(at).0;
            }
            return;
        }
        let advance =
            |rows: &[u32; ROWS_PER_GROUP], at: &mut [u32; ROWS_PER_GROUP], steps: usize| {
                let mut starts = [0; ROWS_PER_GROUP];
                starts
                    .iter_mut()
                    .zip(rows)
                    .for_each(|(start, &row)| *start = row as usize * self.width);
                for _ in 0..steps {
                    at.iter_mut().zip(&starts).for_each(|(at, &start)| *at = step(start, *at));
                }
            };
        walk_in_groups(depth, ends, advance, |_, at| end_at(at));
    }

    /// The nodes, in pre-order: the first branch of a node lies behind it. Callers read features
    /// and free bits from them; they cannot be changed, as the walk relies on the checks of
    /// [`WalkTable::new`].
    pub fn nodes(&self) -> &[WalkNode] {
        &self.nodes
    }

    /// Number of values in each row, as `values` of a walk lays them out. It may be larger than the
    /// number of features that the nodes test.
    pub fn width(&self) -> usize {
        self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(value: f64, feature: u32, second: u32) -> WalkNode {
        WalkNode { value, packed: feature << WalkNode::SHIFT, second }
    }

    fn leaf(me: u32, number: u32) -> WalkNode {
        node(WalkNode::leaf_value(number), 0, me)
    }

    /// x0 <= 0: leaf 7; else x1 <= 5: leaf 8, else a chain of x0 <= 1, 2, ... with leaves 9, 10 ...
    fn table() -> WalkTable {
        let mut nodes = vec![node(0.0, 0, 2), leaf(1, 7), node(5.0, 1, 4), leaf(3, 8)];
        for i in 0..40 {
            let me = nodes.len() as u32;
            nodes.extend([node(f64::from(i) + 1.0, 0, me + 2), leaf(me + 1, 9 + i)]);
        }
        nodes.push(leaf(nodes.len() as u32, 99));
        WalkTable::new(nodes, 2).unwrap()
    }

    const DEPTH: usize = 42;

    fn naive(table: &WalkTable, row: &[f64], steps: usize) -> End {
        let mut at = 0;
        for _ in 0..steps {
            let node = table.nodes()[at as usize];
            at = if row[node.feature()] <= node.value { at + 1 } else { node.second };
        }
        table.nodes()[at as usize].leaf().map_or(End::at_node(at), End::in_leaf)
    }

    #[test]
    fn rows_that_walk_at_once_end_as_single_rows_do() {
        let table = table();
        let group = ROWS_PER_GROUP;
        for n in [0, 1, group - 1, group, group + 1, 3 * group + 5, BLOCK] {
            let values: Vec<f64> =
                (0..2 * n as i32).map(|i| f64::from((i * 7) % 53) - 4.0).collect();
            let narrow: Vec<f32> = values.iter().map(|&x| x as f32).collect();
            for steps in [DEPTH, DEPTH + 3] {
                let alone: Vec<End> =
                    values.chunks(2).map(|row| naive(&table, row, steps)).collect();
                let mut ends = vec![End::default(); n];
                f64::walk(&table, &values, steps, &mut ends);
                assert_eq!(ends, alone, "{n}, {steps}");
                ends.fill(End::default());
                f32::walk(&table, &narrow, steps, &mut ends);
                assert_eq!(ends, alone, "{n}, {steps}, float32");
                let number = |end: &End| match end.place() {
                    EndPlace::Node(node) => table.nodes()[node as usize].leaf(),
                    EndPlace::Leaf(_) => None,
                };
                let numbers: Vec<_> = alone
                    .iter()
                    .map(|end| match end.place() {
                        EndPlace::Leaf(number) => Some(number),
                        EndPlace::Node(_) => None,
                    })
                    .collect();
                f64::walk_to_nodes(&table, &values, steps, &mut ends);
                let found: Vec<_> = ends.iter().map(|e| number(e).map(|i| i as usize)).collect();
                assert_eq!(found, numbers, "{n}, {steps}, nodes");
                ends.fill(End::default());
                f32::walk_to_nodes(&table, &narrow, steps, &mut ends);
                let found: Vec<_> = ends.iter().map(|e| number(e).map(|i| i as usize)).collect();
                assert_eq!(found, numbers, "{n}, {steps}, nodes, float32");
            }
        }
    }

    #[test]
    fn a_depth_that_is_too_small_stops_the_walk() {
        let table = table();
        let values = [100.0; 2 * ROWS_PER_GROUP];
        for steps in [0, 1, 14, 20, 41] {
            let mut ends = [End::default(); ROWS_PER_GROUP];
            f64::walk(&table, &values, steps, &mut ends);
            assert_eq!(ends, [naive(&table, &values[..2], steps); ROWS_PER_GROUP], "{steps}");
        }
    }

    #[test]
    fn rounded_thresholds_divide_float32_as_the_exact_ones_do() {
        let near = |x: f32| [x, x.next_up(), x.next_down()];
        let numbers = [0.0, -0.0, 0.1, -0.1, 1e-45, -1e-45, 3.4e38, -3.4e38, f32::MAX, f32::MIN];
        let infinite = [f32::INFINITY, f32::NEG_INFINITY];
        let numbers: Vec<f32> = numbers.into_iter().flat_map(near).chain(infinite).collect();
        let thresholds = numbers.iter().map(|&x| f64::from(x));
        let thresholds = thresholds.flat_map(|t| [t, t.next_up(), t.next_down()]);
        for t in thresholds.chain([0.1, -0.1, 1e-50, -1e-50, 1e39, -1e39, f64::MAX, f64::MIN]) {
            for &x in &numbers {
                assert_eq!(f64::from(x) <= t, x <= floor(t), "{x:e} <= {t:e}");
            }
        }
        assert!(floor(f64::NAN).is_nan());
    }

    #[test]
    fn what_does_not_fit_walks_through_the_wide_nodes() {
        let nodes = |feature, number| vec![node(0.5, feature, 2), leaf(1, number), leaf(2, 1)];
        for (feature, number, narrow) in [(255, 0, 3), (256, 0, 0), (0, 1 << 22, 0)] {
            let table = WalkTable::new(nodes(feature, number), 300).unwrap();
            assert_eq!(table.narrow().len(), narrow);
            let values: Vec<f32> =
                (0..300 * ROWS_PER_GROUP).map(|i| (i / 300 % 2) as f32).collect();
            let mut ends = [End::default(); ROWS_PER_GROUP];
            f32::walk(&table, &values, 1, &mut ends);
            assert_eq!(ends, from_fn(|r| End::in_leaf(if r % 2 == 0 { number } else { 1 })));
        }
    }

    #[test]
    fn tables_that_lead_nowhere_are_refused() {
        assert!(WalkTable::new(Vec::new(), 1).is_none());
        assert!(WalkTable::new(vec![node(0.0, 0, 0)], 1).is_none());
        assert!(WalkTable::new(vec![leaf(1, 0)], 1).is_none());
        assert!(WalkTable::new(vec![node(0.0, 0, 0), leaf(1, 0)], 1).is_none());
        let back = |second| vec![node(0.0, 0, 2), leaf(1, 0), node(0.0, 0, second), leaf(3, 0)];
        assert!([0, 1, 2].into_iter().all(|second| WalkTable::new(back(second), 1).is_none()));
        assert!(WalkTable::new(back(3), 1).is_some());
        assert!(WalkTable::new(vec![node(f64::NAN, 1, 0)], 1).is_none());
        assert!(WalkTable::new(vec![leaf(0, 0)], 1).is_some());
    }

    #[test]
    #[should_panic(expected = "ends.len()")]
    fn a_row_beyond_the_values_is_a_panic() {
        f64::walk(&table(), &[0.0; 6], 1, &mut [End::default(); 4]);
    }
}
