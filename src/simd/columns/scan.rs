//! Types and constants that the functions of all levels share, and the plain functions, which are
//! the definitions (the twins of the vector code).

/// Elements that a vector function may write beyond the end of its result: a vector of AVX-512 has
/// 16 lanes, and it is stored whole.
pub const SLACK: usize = 16;

/// The state of a partition after some entries. Vector code hands it over to the plain function.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PartitionState {
    /// Number of entries that went left.
    pub left: usize,
    /// Number of entries that went right.
    pub right: usize,
    /// Whether an entry of the current value went left, and whether one went right, as 0 or 1.
    pub seen: [u32; 2],
}

/// [`super::partition`] from entry `first` on. This is the definition of a partition, and vector
/// code calls it for the last entries, which do not fill a vector.
///
/// `state` is the state after the entries before `first`; the state after all entries is returned.
pub(super) fn plain_partition(
    order: &mut [u32],
    bits: &[u64],
    spare: &mut [u32],
    first: usize,
    mut state: PartitionState,
) -> PartitionState {
    for i in first..order.len() {
        let entry = order[i];
        let row = entry >> 1;
        let side = (bits[(row >> 6) as usize] >> (row & 63)) as u32 & 1;
        // An entry that is not tied begins a new value.
        state.seen[0] &= entry;
        state.seen[1] &= entry;
        // The entry is written to both sides; one of them is overwritten by the next entry.
        order[state.left] = (entry & !1) | state.seen[0];
        spare[state.right] = (entry & !1) | state.seen[1];
        state.seen[0] |= side ^ 1;
        state.seen[1] |= side;
        state.left += (side ^ 1) as usize;
        state.right += side as usize;
    }
    state
}

/// The lanes before which an entry of the same value is a member, as bits, and the carry for the
/// next block. These are the lanes whose entry is tied if the members alone form an order.
///
/// `member` and `tied` have one bit for each of the `n_lanes` lanes (at most 16), the lowest for
/// the first. `carry` says, as 0 or 1, whether an entry of the value that is current at the first
/// lane was a member in an earlier block.
///
/// The carries of one addition do the work of a loop over the lanes:
/// - `starts` are the tied lanes directly behind a member, or behind the carry. A member of their
///   value comes before them, and so before all tied lanes of their run that follow.
/// - In `tied + starts`, bits of a run of ones in `tied` stay set below its first start. From there
///   on each bit is a one plus a carry, which gives 0 and a carry (or, at a further start, 1 and a
///   carry), until the carry lands in the 0 behind the run.
/// - So `tied & !(tied + starts)` has the tied lanes from the first start of a run on, without the
///   further starts, which `starts |` adds again.
///
/// For example, lanes 1 to 3 tied and lane 1 a member: starts = `0100`, tied = `1110`, their sum is
/// `10010`, and lanes 2 and 3 remain.
#[inline]
pub(super) fn seen_before(member: u32, tied: u32, carry: u32, n_lanes: u32) -> (u32, u32) {
    let starts = ((member << 1) | carry) & tied;
    let seen = starts | (tied & !(tied + starts));
    (seen, ((seen | member) >> (n_lanes - 1)) & 1)
}

/// Which boundaries [`super::boundaries`] lists, and which classes it counts.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// First row of each class from the second on, as rows are sorted by class; at most
    /// [`MOST_CLASSES`] - 1.
    pub starts: &'a [u32],
    /// Leave out a boundary between two rows of the same class, each the only row with its value.
    /// It is never the best one under a convex criterion. Fayyad & Irani, "On the handling of
    /// continuous-valued attributes in decision tree generation" (Machine Learning 8, 1992), prove
    /// it for the class entropy; `criteria::Info::convex` says for which criteria it holds.
    pub convex: bool,
}

/// Most classes that [`super::boundaries`] counts.
pub const MOST_CLASSES: usize = 32;

/// Where [`super::boundaries`] writes counts: one plane per start, from element `from` on. A plane
/// counts the rows of a class and all later ones, a tail of the list of classes.
#[derive(Debug)]
pub struct Tails<'a> {
    /// The planes.
    pub planes: &'a mut [u32],
    /// Elements of a plane.
    pub stride: usize,
    /// First element to write.
    pub from: usize,
}

/// The state of a scan that has come to a place. Vector code hands it over to the plain function.
#[derive(Debug)]
pub(super) struct ColumnScan<'a> {
    /// The next place to look at.
    pub place: usize,
    /// Number of boundaries listed so far.
    pub n_listed: usize,
    /// For each start, the rows of its class or a later one to the left.
    pub before: &'a mut [u32],
}

/// [`super::boundaries`] from the scan's place up to `end`. This is the definition of boundaries,
/// and AVX2 calls it for the last places, which do not fill a vector.
pub(super) fn plain_boundaries(
    order: &[u32],
    end: usize,
    wanted: Wanted<'_>,
    listed: &mut [u32],
    tails: Tails<'_>,
    scan: &mut ColumnScan<'_>,
) {
    let every = u32::from(!wanted.convex);
    for place in scan.place..end {
        let (last, here) = (order[place - 1], order[place]);
        let next = order.get(place + 1).copied().unwrap_or(0);
        let mut class_changes = 0;
        let counts = wanted.starts.iter().zip(scan.before.iter_mut());
        for (plane, (&start, count)) in counts.enumerate() {
            let last_is_in_tail = u32::from(last >> 1 >= start);
            let here_is_in_tail = u32::from(here >> 1 >= start);
            *count += last_is_in_tail;
            class_changes |= last_is_in_tail ^ here_is_in_tail;
            tails.planes[plane * tails.stride + tails.from + scan.n_listed] = *count;
        }
        // A new value begins here if this entry is not tied. The boundary is of use if the class
        // changes, or if either value has several rows: then the last entry or the next is tied.
        let is_listed = !here & (class_changes | last | next | every) & 1;
        // Counts and place are overwritten by the next place unless this one is listed.
        listed[scan.n_listed] = place as u32;
        scan.n_listed += is_listed as usize;
    }
    scan.place = end;
}
