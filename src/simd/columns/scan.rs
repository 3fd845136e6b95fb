//! What the functions of all levels share, and the plain functions, which are the definitions.

/// Elements that a vector function may write beyond the end of its result.
pub const SLACK: usize = 16;

/// What a partition knows after some entries.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PartitionState {
    /// Number of entries that went left.
    pub left: usize,
    /// Number of entries that went right.
    pub right: usize,
    /// Whether an entry of the current value went left, and whether one went right, as 0 or 1.
    pub seen: [u32; 2],
}

/// [`super::partition`] from entry `from` on: the definition, and the last entries of vector code.
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
        // An entry that is not tied begins a new value.
        s.seen[0] &= entry;
        s.seen[1] &= entry;
        // The entry is written to both sides; one of them is overwritten by the next entry.
        order[s.left] = (entry & !1) | s.seen[0];
        spare[s.right] = (entry & !1) | s.seen[1];
        s.seen[0] |= side ^ 1;
        s.seen[1] |= side;
        s.left += (side ^ 1) as usize;
        s.right += side as usize;
    }
    s
}

/// The lanes before which an entry of the same value is a member, as bits, and the carry for the
/// next block.
///
/// `member` and `tied` have one bit per lane. `carry` says whether an entry of the value that is
/// current at the first lane was a member in an earlier block.
#[inline]
pub(super) fn seen_before(member: u32, tied: u32, carry: u32, lanes: u32) -> (u32, u32) {
    // A start inside a run of tied lanes fills the rest of the run: adding it makes a carry ripple
    // through.
    let starts = ((member << 1) | carry) & tied;
    let seen = starts | (tied & !(tied + starts));
    (seen, ((seen | member) >> (lanes - 1)) & 1)
}

/// The boundaries that [`super::boundaries`] lists.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// First row of each class from the second on, as rows are sorted by class; at most
    /// [`MOST_CLASSES`] - 1.
    pub starts: &'a [u32],
    /// Leave out boundaries between two rows of one class each of which is alone with its value.
    pub convex: bool,
}

/// Most classes that [`super::boundaries`] counts.
pub const MOST_CLASSES: usize = 32;

/// Where [`super::boundaries`] writes counts: one plane per start, from element `from` on.
#[derive(Debug)]
pub struct Tails<'a> {
    /// The planes.
    pub planes: &'a mut [u32],
    /// Elements of a plane.
    pub stride: usize,
    /// First element to write.
    pub from: usize,
}

/// What a scan knows at a place.
#[derive(Debug)]
pub(super) struct ColumnScan<'a> {
    /// The next place.
    pub place: usize,
    /// Number of boundaries found.
    pub held: usize,
    /// For each start, the rows of its class or a later one to the left.
    pub before: &'a mut [u32],
}

/// [`super::boundaries`] from the scan's place on: the definition, and the last places of AVX2.
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
        // Counts and place are overwritten by the next place unless this one is a boundary.
        at[s.held] = i as u32;
        s.held += (!here & (change | before | after | every) & 1) as usize;
    }
    s.place = stop;
}
