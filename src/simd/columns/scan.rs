//! What the bodies of all levels share, and the plain bodies, which are the definitions.

/// Entries that a vector body may write beyond the end of what it reports.
pub const SLACK: usize = 16;

/// Where a partition stands.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PartitionState {
    pub left: usize,
    pub right: usize,
    /// An entry of the current value went left, right.
    pub seen: [u32; 2],
}

pub(super) fn plain_partition(
    order: &mut [u32],
    bits: &[u64],
    spare: &mut [u32],
    from: usize,
    mut s: PartitionState,
) -> PartitionState {
    for i in from..order.len() {
        let entry = order[i];
        let row = entry >> 1;
        let side = (bits[(row >> 6) as usize] >> (row & 63)) as u32 & 1;
        s.seen[0] &= entry;
        s.seen[1] &= entry;
        order[s.left] = (entry & !1) | s.seen[0];
        spare[s.right] = (entry & !1) | s.seen[1];
        s.seen[0] |= side ^ 1;
        s.seen[1] |= side;
        s.left += (side ^ 1) as usize;
        s.right += side as usize;
    }
    s
}

/// Bits of lanes before which an entry of the same value has `member` set; `carry` says so for the
/// value that is current when the block begins. Returns them and the carry for the next block.
#[inline]
pub(super) fn seen_before(member: u32, tied: u32, carry: u32, lanes: u32) -> (u32, u32) {
    // A start inside a run of tied lanes fills the rest of the run: adding it makes a carry ripple
    // through.
    let starts = ((member << 1) | carry) & tied;
    let seen = starts | (tied & !(tied + starts));
    (seen, ((seen | member) >> (lanes - 1)) & 1)
}

/// What to look for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// First row of the classes 1, 2, ... (rows are sorted by class); at most [`MOST_CLASSES`] - 1.
    pub starts: &'a [u32],
    /// Only boundaries at which the class changes or a value is shared.
    pub convex: bool,
}

/// Most classes that [`super::boundaries`] counts.
pub const MOST_CLASSES: usize = 32;

/// Where counts go: one plane a start, written from `from`.
#[derive(Debug)]
pub struct Tails<'a> {
    /// The planes.
    pub planes: &'a mut [u32],
    /// Distance between two planes.
    pub stride: usize,
    /// First place to write.
    pub from: usize,
}

/// Where a scan stands.
#[derive(Debug)]
pub(super) struct ColumnScan<'a> {
    pub place: usize,
    pub held: usize,
    pub before: &'a mut [u32],
}

pub(super) fn plain_boundaries(
    order: &[u32],
    stop: usize,
    wanted: Wanted<'_>,
    at: &mut [u32],
    tails: Tails<'_>,
    s: &mut ColumnScan<'_>,
) {
    let every = u32::from(!wanted.convex);
    for i in s.place..stop {
        let (before, here) = (order[i - 1], order[i]);
        let after = order.get(i + 1).copied().unwrap_or(0);
        let mut change = 0;
        for (c, (&start, count)) in wanted.starts.iter().zip(s.before.iter_mut()).enumerate() {
            let (a, b) = (u32::from(before >> 1 >= start), u32::from(here >> 1 >= start));
            *count += a;
            change |= a ^ b;
            tails.planes[c * tails.stride + tails.from + s.held] = *count;
        }
        at[s.held] = i as u32;
        s.held += (!here & (change | before | after | every) & 1) as usize;
    }
    s.place = stop;
}
