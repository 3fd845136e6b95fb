//! Walks of several rows at once through a table of binary nodes.
//!
//! Each step of a row depends on the one before it: it loads a node, then a number of the row.
//! Eight rows in flight hide these loads behind each other, and the choice of a branch is a
//! conditional move, for a predicted jump is wrong every second time. Bounds are checked once, when
//! the table is made and when the walk begins, instead of twice a step. The naive twin is one row
//! after the other with checked indices (`tests`).

/// Rows in flight.
pub const LANES: usize = 8;

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

/// Nodes whose branches and features were checked.
#[derive(Debug)]
pub struct WalkTable {
    nodes: Vec<WalkNode>,
    width: usize,
}

impl WalkTable {
    /// A table for rows of `width` numbers; nothing when a branch or a feature does not exist.
    pub fn new(nodes: Vec<WalkNode>, width: usize) -> Option<Self> {
        let sound = nodes.iter().enumerate().all(|(i, node)| {
            let next = if node.value.is_nan() { i } else { i + 1 };
            next.max(node.second as usize) < nodes.len() && node.feature() < width
        });
        (sound && !nodes.is_empty()).then_some(Self { nodes, width })
    }

    /// Move rows by `steps` steps from the nodes `at`; their numbers are in `values`, row by row.
    /// Rows and nodes that do not exist are a panic.
    #[inline]
    pub fn steps<T: Copy + Into<f64>>(
        &self,
        values: &[T],
        rows: &[u32; LANES],
        at: &mut [u32; LANES],
        steps: usize,
    ) {
        let starts = rows.map(|row| row as usize * self.width);
        assert!(starts.iter().all(|start| start + self.width <= values.len()));
        assert!(at.iter().all(|&node| (node as usize) < self.nodes.len()));
        for _ in 0..steps {
            for (at, start) in at.iter_mut().zip(&starts) {
                // SAFETY: `at` is below the number of nodes, first by the assertion, then because
                // `new` checked the branches of every node. The feature is below the width (checked
                // by `new`), and `start + width` is within the values by the assertion.
                #[allow(unsafe_code, reason = "checked once instead of twice a step")]
                let (node, x) = unsafe {
                    let node = self.nodes.get_unchecked(*at as usize);
                    (node, *values.get_unchecked(start + node.feature()))
                };
                let first = x.into() <= node.value;
                *at = std::hint::select_unpredictable(first, *at + 1, node.second);
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
    fn eight_rows_walk_as_one_does() {
        let table = table();
        let values: Vec<f64> = (0..16).map(|i| f64::from((i * 7) % 13) - 4.0).collect();
        let rows = [0, 1, 2, 3, 4, 5, 6, 7];
        for steps in 0..4 {
            let mut at = [0; LANES];
            table.steps(&values, &rows, &mut at, steps);
            let alone = rows.map(|r| naive(&table, &values[2 * r as usize..][..2], steps));
            assert_eq!(at, alone, "{steps}");
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
        table().steps(&[0.0; 6], &[3; LANES], &mut [0; LANES], 1);
    }
}
