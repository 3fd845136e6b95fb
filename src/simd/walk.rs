//! Walks of several rows at once through a table of binary nodes.
//!
//! Each step of a row depends on the one before it: it loads a node, then a number of the row.
//! Sixteen rows in flight hide these loads behind each other, and the choice of a branch is a
//! conditional move, for a predicted jump is wrong every second time. Bounds are checked once, when
//! the table is made and when the walk begins, instead of twice a step. Rows of float32 read nodes
//! of half the size. The naive twin is one row after the other with checked indices (`tests`).

/// Rows in flight.
pub const LANES: usize = 16;

/// A node of 16 bytes. A row goes to the next node where its number is at most `value`, else to
/// `second`; a node without branches has the value NaN and leads to itself.
#[derive(Debug, Clone, Copy)]
pub struct WalkNode {
    /// The threshold.
    pub value: f64,
    /// The feature, from bit [`WalkNode::SHIFT`] on; the bits below are the owner's.
    pub packed: u32,
    /// The second branch.
    pub second: u32,
}

impl WalkNode {
    /// Bits of `packed` below the feature.
    pub const SHIFT: u32 = 4;

    /// The feature.
    #[inline]
    pub fn feature(&self) -> usize {
        (self.packed >> Self::SHIFT) as usize
    }
}

/// A node of 8 bytes for rows of float32. Such a row goes to the next node where its number is at
/// most `value`, the largest float32 that is not above the threshold: the same rows.
#[derive(Debug, Clone, Copy)]
struct NarrowNode {
    value: f32,
    /// The distance of the second branch, from bit [`NarrowNode::SHIFT`] on; below it the feature.
    packed: u32,
}

impl NarrowNode {
    const SHIFT: u32 = 8;

    /// The node at a place; nothing where feature or distance are too large.
    fn of(node: &WalkNode, at: usize) -> Option<Self> {
        let distance = node.second.checked_sub(at as u32)?;
        let fits = node.feature() < 1 << Self::SHIFT && distance < 1 << (32 - Self::SHIFT);
        let packed = distance << Self::SHIFT | node.feature() as u32;
        fits.then_some(Self { value: floor(node.value), packed })
    }
}

/// The largest float32 that is not above a number.
fn floor(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) > x { near.next_down() } else { near }
}

/// A node of either size.
trait Step<T>: Copy {
    /// The feature that is asked for.
    fn asks(self) -> usize;
    /// Where a row with the number `x` goes from the node, which lies at `at`.
    fn next(self, x: T, at: u32) -> u32;
}

impl<T: Into<f64>> Step<T> for WalkNode {
    #[inline]
    fn asks(self) -> usize {
        self.feature()
    }
    #[inline]
    fn next(self, x: T, at: u32) -> u32 {
        std::hint::select_unpredictable(x.into() <= self.value, at + 1, self.second)
    }
}

impl Step<f32> for NarrowNode {
    #[inline]
    fn asks(self) -> usize {
        (self.packed & ((1 << Self::SHIFT) - 1)) as usize
    }
    #[inline]
    fn next(self, x: f32, at: u32) -> u32 {
        let second = at + (self.packed >> Self::SHIFT);
        std::hint::select_unpredictable(x <= self.value, at + 1, second)
    }
}

/// Numbers that rows are made of.
pub trait Number: Copy + Into<f64> {
    /// Move rows by `steps` steps from the nodes `at`; their numbers are in `values`, row by row.
    /// Rows and nodes that do not exist are a panic.
    fn steps(
        table: &WalkTable,
        values: &[Self],
        rows: &[u32; LANES],
        at: &mut [u32; LANES],
        steps: usize,
    );
}

impl Number for f64 {
    fn steps(
        table: &WalkTable,
        values: &[Self],
        rows: &[u32; LANES],
        at: &mut [u32; LANES],
        steps: usize,
    ) {
        table.steps(&table.nodes, values, rows, at, steps);
    }
}

impl Number for f32 {
    fn steps(
        table: &WalkTable,
        values: &[Self],
        rows: &[u32; LANES],
        at: &mut [u32; LANES],
        steps: usize,
    ) {
        if table.narrow.is_empty() {
            table.steps(&table.nodes, values, rows, at, steps);
        } else {
            table.steps(&table.narrow, values, rows, at, steps);
        }
    }
}

/// Nodes whose branches and features were checked.
#[derive(Debug)]
pub struct WalkTable {
    nodes: Vec<WalkNode>,
    /// The same nodes for rows of float32; none where they do not fit.
    narrow: Vec<NarrowNode>,
    width: usize,
}

impl WalkTable {
    /// A table for rows of `width` numbers; nothing when a branch or a feature does not exist.
    pub fn new(nodes: Vec<WalkNode>, width: usize) -> Option<Self> {
        let sound = nodes.iter().enumerate().all(|(i, node)| {
            let next = if node.value.is_nan() { i } else { i + 1 };
            next.max(node.second as usize) < nodes.len() && node.feature() < width
        });
        if !sound || nodes.is_empty() {
            return None;
        }
        let narrow = nodes.iter().enumerate().map(|(i, node)| NarrowNode::of(node, i)).collect();
        Some(Self { narrow: Option::unwrap_or_default(narrow), nodes, width })
    }

    /// The walk through `nodes`, which are those of the table in one of their sizes.
    #[inline]
    fn steps<T: Copy, N: Step<T>>(
        &self,
        nodes: &[N],
        values: &[T],
        rows: &[u32; LANES],
        at: &mut [u32; LANES],
        steps: usize,
    ) {
        let starts = rows.map(|row| row as usize * self.width);
        assert!(starts.iter().all(|start| start + self.width <= values.len()));
        assert!(at.iter().all(|&node| (node as usize) < nodes.len()));
        for _ in 0..steps {
            for (at, start) in at.iter_mut().zip(&starts) {
                // SAFETY: `at` is below the number of nodes, first by the assertion, then because
                // `new` checked the branches of every node, and a narrow node has the branches of
                // the one it was made of. The feature is below the width (checked by `new`), and
                // `start + width` is within the values by the assertion.
                #[allow(unsafe_code, reason = "checked once instead of twice a step")]
                let (node, x) = unsafe {
                    let node = *nodes.get_unchecked(*at as usize);
                    (node, *values.get_unchecked(start + node.asks()))
                };
                *at = node.next(x, *at);
            }
        }
    }

    /// The nodes.
    pub fn nodes(&self) -> &[WalkNode] {
        &self.nodes
    }

    /// Numbers of a row.
    pub fn width(&self) -> usize {
        self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> WalkTable {
        // x0 <= 0: leaf 1; else x1 <= 5: leaf 3, else leaf 4.
        let node = |value, feature: u32, second| WalkNode { value, packed: feature << 4, second };
        let leaf = |me| node(f64::NAN, 0, me);
        let nodes = vec![node(0.0, 0, 2), leaf(1), node(5.0, 1, 4), leaf(3), leaf(4)];
        WalkTable::new(nodes, 2).unwrap()
    }

    fn naive(table: &WalkTable, row: &[f64], steps: usize) -> u32 {
        let mut at = 0;
        for _ in 0..steps {
            let node = table.nodes()[at as usize];
            at = if row[node.feature()] <= node.value { at + 1 } else { node.second };
        }
        at
    }

    #[test]
    fn rows_in_flight_walk_as_one_does() {
        let table = table();
        let values: Vec<f64> =
            (0..2 * LANES as i32).map(|i| f64::from((i * 7) % 13) - 4.0).collect();
        let narrow: Vec<f32> = values.iter().map(|&x| x as f32).collect();
        let rows = std::array::from_fn(|i| i as u32);
        for steps in 0..4 {
            let alone = rows.map(|r| naive(&table, &values[2 * r as usize..][..2], steps));
            let mut at = [0; LANES];
            f64::steps(&table, &values, &rows, &mut at, steps);
            assert_eq!(at, alone, "{steps}");
            let mut at = [0; LANES];
            f32::steps(&table, &narrow, &rows, &mut at, steps);
            assert_eq!(at, alone, "{steps} of float32");
        }
    }

    #[test]
    fn rounded_thresholds_part_float32_as_their_own_do() {
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
    fn many_features_walk_through_the_wide_nodes() {
        let node = |value, feature: u32, second| WalkNode { value, packed: feature << 4, second };
        let nodes =
            |feature| vec![node(0.5, feature, 2), node(f64::NAN, 0, 1), node(f64::NAN, 0, 2)];
        for (feature, narrow) in [(255, 3), (256, 0)] {
            let table = WalkTable::new(nodes(feature), 300).unwrap();
            assert_eq!(table.narrow.len(), narrow);
            let values: Vec<f32> = (0..300 * LANES).map(|i| (i / 300 % 2) as f32).collect();
            let rows = std::array::from_fn(|i| i as u32);
            let mut at = [0; LANES];
            f32::steps(&table, &values, &rows, &mut at, 5);
            assert_eq!(at, rows.map(|r| 1 + r % 2));
        }
    }

    #[test]
    fn tables_that_lead_nowhere_are_refused() {
        let node = |value, feature: u32, second| WalkNode { value, packed: feature << 4, second };
        assert!(WalkTable::new(Vec::new(), 1).is_none());
        assert!(WalkTable::new(vec![node(0.0, 0, 0)], 1).is_none());
        assert!(WalkTable::new(vec![node(f64::NAN, 0, 1)], 1).is_none());
        assert!(WalkTable::new(vec![node(f64::NAN, 1, 0)], 1).is_none());
        assert!(WalkTable::new(vec![node(f64::NAN, 0, 0)], 1).is_some());
    }

    #[test]
    #[should_panic(expected = "starts")]
    fn a_row_beyond_the_values_is_a_panic() {
        f64::steps(&table(), &[0.0; 6], &[3; LANES], &mut [0; LANES], 1);
    }
}
