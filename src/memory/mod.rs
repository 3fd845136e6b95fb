//! Memory limits, and an error instead of the end of the process where memory runs out.
//!
//! A failed allocation ends a Rust process, and a global allocator may not unwind, so a call cannot
//! be left from the place where memory ran out. Three things together keep the process alive:
//!
//! 1. **A reserve.** While a call runs, some address space is mapped and never written to (so it
//!    takes no memory). When the system refuses an allocation, the [`Allocator`] gives the reserve
//!    back and tries again, so that the allocation succeeds, and counts an exhaustion.
//! 2. **A count.** [`crate::parallel::Control::check`] compares the number of exhaustions with
//!    their number at the beginning of the job, and ends the job with [`Error::Memory`], on
//!    whatever thread.
//! 3. **A bound on the next allocation.** The reserve is at least twice the largest allocation
//!    since the running calls began, because a vector that grows doubles, and at least the need
//!    given to [`reserve`]. Where the reserve cannot grow with the allocations, the job ends before
//!    anything has been refused.
//!
//! Larger buffers whose size is known are allocated fallibly: [`reserve`] tries [`Need::peak`]
//! before the work, and [`zeroed`] and [`with_capacity`] return an error. A thread whose allocation
//! is refused waits up to a second for other threads that are ending their jobs.
//!
//! A call may have a limit ([`Budget`]): before a pass allocates, it asks [`Budget::admit`] for the
//! bytes of its plan, and plans smaller blocks where these are too many.
//!
//! The cost is a comparison per allocation. It does not help where the system promises memory that
//! it does not have (Linux by default) and kills processes later.

mod allocator;

pub use allocator::Allocator;

use crate::error::{Error, Result};
use memmap2::MmapMut;
use std::cell::Cell;
use std::collections::TryReserveError;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, Once};

const MIB: usize = 1 << 20;

/// Bytes of the reserve of a short call, which runs on the calling thread. It is kept between
/// calls, and allocations below it never change the reserve. A variable because tests change it
/// ([`set_reserve`]).
static SMALL: AtomicUsize = AtomicUsize::new(MIB);
/// Bytes of the reserve of a long call, which has threads and many buffers.
pub const BASE: usize = 16 * MIB;
/// Most bytes of the reserve; larger buffers are allocated fallibly.
pub const CAP: usize = 1 << 30;

/// Number of running calls.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);
/// How often memory has run out.
static EXHAUSTIONS: AtomicU64 = AtomicU64::new(0);
/// Bytes of the last allocation that was refused.
static REFUSED: AtomicUsize = AtomicUsize::new(0);
/// Bytes of the reserve that is mapped now; 0 without one.
static HELD: AtomicUsize = AtomicUsize::new(0);
/// The reserve. The allocator never waits for this lock ([`try_lock_reserve`]).
static RESERVE: Mutex<Option<MmapMut>> = Mutex::new(None);
/// Bytes of the largest allocation that was larger than the reserve when it was made, since the
/// last call of [`set_reserve`].
static UNCOVERED: AtomicUsize = AtomicUsize::new(0);
/// Whether the reserve could not grow. It is then not tried again at every allocation.
static STUCK: AtomicBool = AtomicBool::new(false);

/// Allocated bytes, without those that threads have not reported yet.
static LIVE: AtomicIsize = AtomicIsize::new(0);
/// The largest number of allocated bytes since [`allocated`] was called.
static PEAK: AtomicIsize = AtomicIsize::new(0);
/// A thread reports its balance once it reaches this many bytes.
const REPORTED: isize = 1 << 14;

thread_local! {
    /// Whether this thread allocates fallibly now, so that a refusal becomes an error.
    static FALLIBLE: Cell<bool> = const { Cell::new(false) };
    /// Bytes that this thread has allocated, less those that it has freed, since its last report.
    static BALANCE: Cell<isize> = const { Cell::new(0) };
}

/// Count the bytes of an allocation, or of a release if the number is negative. In debug builds
/// only, for tests.
#[inline]
fn count(bytes: isize) {
    if !cfg!(debug_assertions) {
        return;
    }
    let _ = BALANCE.try_with(|balance| {
        let now = balance.get() + bytes;
        if now.abs() < REPORTED {
            balance.set(now);
        } else {
            balance.set(0);
            let live = LIVE.fetch_add(now, Ordering::Relaxed) + now;
            PEAK.fetch_max(live, Ordering::Relaxed);
        }
    });
}

/// Count a block of `size` bytes that was allocated.
#[inline]
fn count_allocation(size: usize) {
    count(size as isize);
    if size >= small() {
        follow(size);
    }
}

/// (allocated bytes, most allocated bytes since the last call), to within 16 KiB per thread. `None`
/// in release builds, which do not count; zeros in a program that has not installed the
/// [`Allocator`].
pub fn allocated() -> Option<(usize, usize)> {
    if !cfg!(debug_assertions) {
        return None;
    }
    let live = LIVE.load(Ordering::Relaxed);
    let peak = PEAK.swap(live, Ordering::Relaxed);
    Some((live.max(0) as usize, peak.max(0) as usize))
}

/// The memory that a call may allocate.
///
/// Bytes are counted as the call plans them, not as the process allocates them. So calls that run
/// at the same time do not count against each other's limits, and whether a call is refused depends
/// on its input alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    /// The user's limit.
    limit: Option<usize>,
    /// Bytes that the call holds already, or that are for other parts of it.
    held: usize,
    /// Bytes of the reserve that the call began with.
    reserve: usize,
}

impl Budget {
    /// The budget of a call with a limit in bytes, or without one. Nothing is held yet: callers
    /// lower what is left with [`Budget::holding`].
    pub fn new(limit: Option<usize>) -> Self {
        Self { limit, held: 0, reserve: 0 }
    }

    /// The budget of a call that has made a reservation. [`Budget::has`] then sees to it that the
    /// reserve of this call is whole before the call goes on, as other calls may have used it up.
    #[must_use]
    pub fn with_reservation(self, reservation: &Reservation) -> Self {
        Self { reserve: reservation.bytes, ..self }
    }

    /// The budget while the call holds `bytes` more. The bytes are those that the caller plans or
    /// counts, and nothing is allocated here; a budget is copied, so the old one is unchanged.
    #[must_use]
    pub fn holding(self, bytes: usize) -> Self {
        Self { held: self.held.saturating_add(bytes), ..self }
    }

    /// Bytes that may still be allocated under the limit; `usize::MAX` without a limit. Whether the
    /// system has them is another question, which [`Budget::has`] asks.
    pub fn left(&self) -> usize {
        self.limit.map_or(usize::MAX, |limit| limit.saturating_sub(self.held))
    }

    /// Whether `bytes` more are within the limit and the system has them. The system is asked by
    /// mapping the bytes and releasing them at once, which costs two system calls; up to 1 MiB it
    /// is not asked. Passes call this to choose the largest block that fits, and [`Budget::admit`]
    /// where there is no choice.
    pub fn has(&self, bytes: usize) -> bool {
        let asked = bytes.saturating_add(small());
        bytes <= self.left() && hold(self.reserve) && (bytes <= MIB || probe(asked).is_ok())
    }

    /// The budget of each of `parts` parts that run at the same time: an equal share of what is
    /// left. Without a limit the budget stays as it is.
    #[must_use]
    pub fn shared(self, parts: usize) -> Self {
        let left = self.left();
        match self.limit {
            None => self,
            Some(_) => self.holding(left - left / parts.max(1)),
        }
    }

    /// Check that `bytes` for the work `what` may be allocated.
    ///
    /// # Errors
    /// [`Error::Need`], with the need and the remedy, if they exceed the limit or the
    /// system does not have them.
    pub fn admit(&self, what: &'static str, bytes: usize, remedy: &'static str) -> Result<()> {
        self.admit_first(what, [bytes, bytes], remedy)
    }

    /// [`Self::admit`] for the first step of some work: `[bytes of the first step, bytes of all]`.
    /// The error states the need of all.
    ///
    /// # Errors
    /// [`Error::Need`].
    pub fn admit_first(
        &self,
        what: &'static str,
        [bytes, all]: [usize; 2],
        remedy: &'static str,
    ) -> Result<()> {
        let need = self.held.saturating_add(all.max(bytes));
        let refusal = |limit: Option<usize>| Error::Need {
            what,
            need: need as u64,
            limit: limit.map(|limit| limit as u64),
            remedy,
        };
        if bytes > self.left() {
            return Err(refusal(self.limit));
        }
        if self.has(bytes) { Ok(()) } else { Err(refusal(None)) }
    }
}

#[inline]
fn small() -> usize {
    SMALL.load(Ordering::Relaxed)
}

/// Set the reserve of a short call to `bytes`, and the reserve of a long one to 16 times as much,
/// for tests.
///
/// Returns the bytes of the largest allocation since the last call that was neither fallible nor
/// covered by the reserve. Tests make all calls with a small reserve and few rows: 0 means that no
/// refusal of the system can end the process.
pub fn set_reserve(bytes: usize) -> usize {
    SMALL.store(bytes.max(1 << 12), Ordering::Relaxed);
    if ACTIVE.load(Ordering::Relaxed) == 0 {
        release();
    }
    UNCOVERED.swap(0, Ordering::Relaxed)
}

/// The lock on the reserve; `None` if another thread keeps it, or a fork has left it locked. It is
/// tried 200 times without waiting, as the allocator calls this.
fn try_lock_reserve() -> Option<MutexGuard<'static, Option<MmapMut>>> {
    for _ in 0..200 {
        match RESERVE.try_lock() {
            Ok(guard) => return Some(guard),
            Err(std::sync::TryLockError::Poisoned(guard)) => return Some(guard.into_inner()),
            Err(std::sync::TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
    None
}

/// Make the reserve at least `bytes` large; false where the system refuses.
fn hold(bytes: usize) -> bool {
    let Some(mut reserve) = try_lock_reserve() else { return true };
    if reserve.as_ref().is_some_and(|map| map.len() >= bytes) {
        return true;
    }
    match MmapMut::map_anon(bytes) {
        Ok(map) => {
            *reserve = Some(map);
            HELD.store(bytes, Ordering::Relaxed);
            true
        }
        Err(_) => false,
    }
}

/// Give the reserve back to the system, and return its size.
fn release() -> usize {
    let Some(mut reserve) = try_lock_reserve() else { return 0 };
    HELD.store(0, Ordering::Relaxed);
    reserve.take().map_or(0, |map| map.len())
}

/// The memory that a call needs, as known before it begins.
#[derive(Debug, Clone, Copy, Default)]
pub struct Need {
    /// Most bytes at a time, as far as they follow from the shape of the input.
    pub peak: usize,
    /// Bytes of the largest single buffer.
    pub largest: usize,
    /// Whether the call has threads and many buffers of its own.
    pub long: bool,
    /// Whether the call uses [`Budget::admit`] before it allocates. If the system does not have the
    /// memory, the call is refused there, with the need and the remedy, and not in [`reserve`].
    pub reports_refusal: bool,
}

/// A running call, whose reserve is held until this is dropped.
#[derive(Debug)]
pub struct Reservation {
    /// Bytes of the reserve.
    bytes: usize,
}

/// Begin a call: hold a reserve for it.
///
/// # Errors
/// [`Error::Memory`] if the system does not have the memory that the call needs.
pub fn reserve(need: Need) -> Result<Reservation> {
    let first = ACTIVE.fetch_add(1, Ordering::AcqRel) == 0;
    // Made before anything can fail: dropping it ends the call.
    let mut reservation = Reservation { bytes: 0 };
    if first {
        STUCK.store(false, Ordering::Relaxed);
    }
    let base = if need.long { BASE / MIB * small() } else { small() };
    // A base of twice the largest buffer covers it, and needs no new reserve for a short call.
    let more = if need.largest <= base / 2 { 0 } else { need.largest };
    let reserve = more.saturating_add(base).min(CAP);
    if need.peak > MIB && !need.reports_refusal {
        probe(need.peak.saturating_add(base))?;
    }
    if hold(reserve) || need.reports_refusal && hold(small()) {
        reservation.bytes = reserve;
        Ok(reservation)
    } else {
        Err(Error::Memory { bytes: reserve as u64 })
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let last = ACTIVE.fetch_sub(1, Ordering::AcqRel) == 1;
        if last && HELD.load(Ordering::Relaxed) > small() {
            release();
            hold(small());
        }
    }
}

/// Check that the system would give `bytes` now, by mapping and releasing them. Nothing is held
/// afterwards, so another process may still take the memory; a system that promises more than it
/// has nearly always agrees.
///
/// # Errors
/// [`Error::Memory`].
pub fn probe(bytes: usize) -> Result<()> {
    match MmapMut::map_anon(bytes.max(1)) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::Memory { bytes: bytes as u64 }),
    }
}

/// Make the reserve cover a buffer of `bytes` that the call is about to allocate. It is for buffers
/// that are much larger than the data they are made from.
///
/// # Errors
/// [`Error::Memory`] if the system does not have the memory.
pub fn cover(bytes: usize) -> Result<()> {
    if bytes <= HELD.load(Ordering::Relaxed) {
        return Ok(());
    }
    if bytes > CAP {
        return probe(bytes.saturating_add(small()));
    }
    if hold((bytes + small()).min(CAP)) {
        Ok(())
    } else {
        Err(Error::Memory { bytes: bytes as u64 })
    }
}

/// Make room for `n` more elements, like `Vec::try_reserve`. The allocator knows that the refusal
/// becomes an error, so the bytes do not count as uncovered in the tests of [`set_reserve`]. It is
/// for vectors that grow; [`zeroed`], [`with_capacity`] and [`collect`] are for lengths that are
/// known.
///
/// # Errors
/// If the system refuses the memory.
pub fn try_reserve<T>(to: &mut Vec<T>, n: usize) -> std::result::Result<(), TryReserveError> {
    fallibly(|| to.try_reserve(n))
}

/// Call `ask`, whose allocations fail with an error.
fn fallibly<R>(ask: impl FnOnce() -> R) -> R {
    let before = FALLIBLE.replace(true);
    let found = ask();
    FALLIBLE.set(before);
    found
}

/// How often memory has run out so far, on any thread. A job remembers the number at its beginning
/// and ends when it changes ([`crate::parallel::Control::check`]).
#[inline]
pub fn exhaustions() -> u64 {
    EXHAUSTIONS.load(Ordering::Relaxed)
}

/// The error of a job during which memory has run out. It names the bytes of the last allocation
/// that was refused, on whatever thread, which may be another one's.
pub fn exhaustion_error() -> Error {
    Error::Memory { bytes: REFUSED.load(Ordering::Relaxed) as u64 }
}

/// A vector of `n` default values, with an error in place of the end of the process if there is no
/// memory. All values are written, so the pages are in use afterwards.
///
/// # Errors
/// [`Error::Memory`].
pub fn zeroed<T: Clone + Default>(n: usize) -> Result<Vec<T>> {
    let mut out = with_capacity(n)?;
    out.resize(n, T::default());
    Ok(out)
}

/// An empty vector with room for exactly `n` elements, with an error in place of the end of the
/// process if there is no memory. A longer vector would grow by the infallible allocator.
///
/// # Errors
/// [`Error::Memory`].
pub fn with_capacity<T>(n: usize) -> Result<Vec<T>> {
    let mut out = Vec::new();
    let bytes = n.saturating_mul(size_of::<T>()) as u64;
    fallibly(|| out.try_reserve_exact(n)).map_err(|_| Error::Memory { bytes })?;
    Ok(out)
}

/// Let the system's allocator keep the pages that a call has freed, for the next call.
///
/// glibc maps a block of 128 KiB or more by itself and gives it back when it is freed, until a
/// program frees a larger mapped block: then blocks up to that size, 32 MiB at most, come from the
/// heap, which keeps up to twice as many free bytes. So a block of nearly 32 MiB is mapped and
/// freed here, without being touched. A fit of 100,000 rows of 20 numbers otherwise faults 9,000
/// pages in again, which takes a tenth of the time of a tree that is grown out and a third of one
/// of depth 4. A threshold that is set in the environment (`MALLOC_MMAP_THRESHOLD_`) stays, and
/// other allocators than glibc's are not affected.
pub fn keep_pages() {
    const MOST: usize = 32 * MIB - (1 << 16);
    static ONCE: Once = Once::new();
    ONCE.call_once(|| drop(std::hint::black_box(with_capacity::<u8>(MOST))));
}

/// The items of an iterator of known length in a vector that is allocated once and fallibly.
///
/// # Errors
/// [`Error::Memory`].
pub fn collect<T>(items: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>> {
    let mut out = with_capacity(items.len())?;
    out.extend(items);
    Ok(out)
}

/// Make the reserve cover the allocation that may follow one of `size` bytes: of twice the size.
#[cold]
fn follow(size: usize) {
    if ACTIVE.load(Ordering::Relaxed) == 0 || STUCK.load(Ordering::Relaxed) {
        return;
    }
    if size > HELD.load(Ordering::Relaxed) && !FALLIBLE.try_with(Cell::get).unwrap_or(true) {
        UNCOVERED.fetch_max(size, Ordering::Relaxed);
    }
    let wanted = size.saturating_mul(2).saturating_add(small()).min(CAP);
    if HELD.load(Ordering::Relaxed) < wanted && !hold(wanted) {
        STUCK.store(true, Ordering::Relaxed);
        REFUSED.store(wanted, Ordering::Relaxed);
        EXHAUSTIONS.fetch_add(1, Ordering::Relaxed);
    }
}

/// The system has refused `size` bytes: count an exhaustion and give the reserve back. Returns the
/// number of further attempts, a millisecond apart, that may succeed.
#[cold]
fn handle_refusal(size: usize) -> usize {
    REFUSED.store(size, Ordering::Relaxed);
    EXHAUSTIONS.fetch_add(1, Ordering::Relaxed);
    let held = release();
    let alone = ACTIVE.load(Ordering::Relaxed) == 0;
    if alone || size > CAP || (held > 0 && size > held) { 1 } else { 1000 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a process of its own, because an exhaustion ends the jobs of all other tests.
    #[test]
    fn a_refusal_is_counted_and_an_error() {
        let name = "memory::tests::a_refusal_is_counted_and_the_next_call_has_a_reserve";
        let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
        let run = alone.args(["--ignored", "--exact", name]).output().unwrap();
        let output = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && output.contains("1 passed"), "{output}");
    }

    #[test]
    #[ignore = "run by the test above"]
    fn a_refusal_is_counted_and_the_next_call_has_a_reserve() {
        let before = exhaustions();
        let call = reserve(Need { long: true, ..Need::default() }).unwrap();
        assert!(HELD.load(Ordering::Relaxed) >= BASE);
        assert!(handle_refusal(10) > 0);
        assert_ne!(exhaustions(), before);
        assert_eq!(exhaustion_error(), Error::Memory { bytes: 10 });
        drop(call);
        let _next = reserve(Need::default()).unwrap();
        assert!(HELD.load(Ordering::Relaxed) >= small());
        let huge = usize::MAX / 4;
        assert!(matches!(zeroed::<u8>(huge), Err(Error::Memory { .. })));
        assert!(matches!(with_capacity::<u64>(huge), Err(Error::Memory { .. })));
        assert!(matches!(probe(huge), Err(Error::Memory { .. })));
        assert!(reserve(Need { peak: huge, ..Need::default() }).is_err());
        assert_eq!(collect([1, 2, 3].into_iter()).unwrap(), [1, 2, 3]);
        assert_eq!(zeroed::<u32>(3).unwrap(), [0; 3]);
    }
}
