//! What happens when memory runs out: a reserve, a flag and an error instead of a dead process.
//!
//! A failed allocation ends a Rust process, and a global allocator may not unwind, so a call cannot
//! simply be left from where memory ran out. Three things together keep the process alive:
//!
//! 1. **A reserve.** While a call runs, some address space is mapped and never touched (it costs no
//!    memory). When the system refuses an allocation, the [`Allocator`] gives the reserve back and
//!    tries again, so that the allocation succeeds, and counts an exhaustion.
//! 2. **A flag.** A running job compares that count with the one it began with wherever it looks
//!    for a cancel ([`crate::parallel::Control::check`]) and ends with
//!    [`Error::Memory`](crate::error::Error::Memory), on whatever thread it runs.
//! 3. **A bound on what comes next.** The reserve is at least twice the largest allocation since
//!    the running calls began (a vector that grows asks for twice what it has), and at least what
//!    [`reserve`] was told at the beginning. Where the reserve cannot grow with the allocations,
//!    the flag is raised before anything has been refused.
//!
//! What is larger than all that, and known before, is asked for fallibly: [`Need::peak`] is tried
//! before the work, [`zeroed`] and [`with_capacity`] return an error. Threads that are refused
//! while others still hold what they are about to give back wait for them, at most a second.
//!
//! A call may have a limit of its own ([`Budget`]): each pass asks [`Budget::admit`] for what its
//! plan says that it takes, before it takes it, and plans smaller blocks where that is too much.
//!
//! The cost is a comparison for each allocation. What this cannot see: a system
//! that promises memory it does not have (Linux by default) and kills processes instead.

mod allocator;

pub use allocator::Allocator;

use crate::error::{Error, Result};
use memmap2::MmapMut;
use std::cell::Cell;
use std::collections::TryReserveError;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

const MIB: usize = 1 << 20;

/// Reserve of a short call, which works on the caller's thread; kept between calls. Allocations
/// below it never move the reserve. A variable for the sake of tests ([`scale`]).
static SMALL: AtomicUsize = AtomicUsize::new(MIB);
/// Reserve of a long call, which has threads and many buffers.
pub const BASE: usize = 16 * MIB;
/// The reserve never exceeds this: larger buffers are asked for fallibly.
pub const CAP: usize = 1 << 30;

/// Calls that run now.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);
/// How often memory has run out.
static EXHAUSTIONS: AtomicU64 = AtomicU64::new(0);
/// The last request that was refused.
static REFUSED: AtomicUsize = AtomicUsize::new(0);
/// Bytes of the reserve.
static HELD: AtomicUsize = AtomicUsize::new(0);
/// Somebody changes the reserve: no lock is waited for inside the allocator.
static RESERVE: Mutex<Option<MmapMut>> = Mutex::new(None);
/// The largest allocation that the reserve of its moment did not cover, since it was asked for.
static UNCOVERED: AtomicUsize = AtomicUsize::new(0);
/// The reserve can no longer follow: it is not tried at every allocation.
static STUCK: AtomicBool = AtomicBool::new(false);

/// Bytes that are allocated, but for what the threads have not reported yet.
static LIVE: AtomicIsize = AtomicIsize::new(0);
/// The largest number of allocated bytes since [`allocated`] was called.
static PEAK: AtomicIsize = AtomicIsize::new(0);
/// A thread reports its balance once it reaches this many bytes.
const REPORTED: isize = 1 << 14;

thread_local! {
    /// This thread asks fallibly: a refusal is an error already.
    static FALLIBLE: Cell<bool> = const { Cell::new(false) };
    /// Bytes that this thread has allocated less those that it has given back, not yet reported.
    static BALANCE: Cell<isize> = const { Cell::new(0) };
}

/// Count the bytes of an allocation, or of a release where the number is negative:
/// in debug builds only, for tests.
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
fn grown(size: usize) {
    count(size as isize);
    if size >= small() {
        follow(size);
    }
}

/// Bytes that this library has allocated, to within 16 KiB for each thread, and the most since the
/// last call of this. Nothing in release builds, which do not count; 0 in a program that has not
/// installed the [`Allocator`].
pub fn allocated() -> Option<(usize, usize)> {
    if !cfg!(debug_assertions) {
        return None;
    }
    let live = LIVE.load(Ordering::Relaxed);
    let peak = PEAK.swap(live, Ordering::Relaxed);
    Some((live.max(0) as usize, peak.max(0) as usize))
}

/// What a call may allocate. It is accounted by what the call plans, not by what the process has
/// allocated: calls that run at the same time do not count against each other's limits, and whether
/// a call is refused depends on its input alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget {
    /// The limit that the user gave.
    limit: Option<usize>,
    /// Bytes that the call holds already, or that other parts of it may take.
    held: usize,
    /// The reserve that the call asked for.
    reserve: usize,
}

impl Budget {
    /// The budget of a call that may allocate `limit` bytes, or any number.
    pub fn new(limit: Option<usize>) -> Self {
        Self { limit, held: 0, reserve: 0 }
    }

    /// The same for a call that has begun with a reservation.
    #[must_use]
    pub fn after(self, reservation: &Reservation) -> Self {
        Self { reserve: reservation.0, ..self }
    }

    /// The budget of what comes next while the call holds `bytes` more.
    #[must_use]
    pub fn holding(self, bytes: usize) -> Self {
        Self { held: self.held.saturating_add(bytes), ..self }
    }

    /// Bytes that may be allocated from now on.
    pub fn left(&self) -> usize {
        self.limit.map_or(usize::MAX, |limit| limit.saturating_sub(self.held))
    }

    /// Whether `bytes` more are within the limit, and the system would give them.
    pub fn has(&self, bytes: usize) -> bool {
        let asked = bytes.saturating_add(small());
        bytes <= self.left() && hold(self.reserve) && (bytes <= MIB || is_there(asked).is_ok())
    }

    /// The budget of each of some parts that run at the same time.
    #[must_use]
    pub fn shared(self, parts: usize) -> Self {
        let left = self.left();
        match self.limit {
            None => self,
            Some(_) => self.holding(left - left / parts.max(1)),
        }
    }

    /// Refuse `bytes` that `what` is about to take, with the need and the remedy, where the limit
    /// or the system has not got them.
    ///
    /// # Errors
    /// [`Error::Need`].
    pub fn admit(&self, what: &'static str, bytes: usize, remedy: &'static str) -> Result<()> {
        self.admit_first(what, [bytes, bytes], remedy)
    }

    /// [`Self::admit`] for the first of what the work takes; a refusal states the need of all.
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

/// Let the reserve of a short call be `bytes`, that of a long one 16 times as much, and begin to
/// watch; the largest allocation so far that was neither asked for fallibly nor covered by the
/// reserve. Tests walk all calls with a small reserve and few rows: zero means that no refusal of
/// the system can end the process.
pub fn scale(bytes: usize) -> usize {
    SMALL.store(bytes.max(1 << 12), Ordering::Relaxed);
    if ACTIVE.load(Ordering::Relaxed) == 0 {
        release();
    }
    UNCOVERED.swap(0, Ordering::Relaxed)
}

/// The lock on the reserve, unless somebody else keeps it (or a fork has left it locked).
fn locked() -> Option<MutexGuard<'static, Option<MmapMut>>> {
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
    let Some(mut reserve) = locked() else { return true };
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

/// Give the reserve back to the system; its size.
fn release() -> usize {
    let Some(mut reserve) = locked() else { return 0 };
    HELD.store(0, Ordering::Relaxed);
    reserve.take().map_or(0, |map| map.len())
}

/// What a call is known to need before it begins.
#[derive(Debug, Clone, Copy, Default)]
pub struct Need {
    /// Bytes that it takes at most, as far as that follows from the shape of its input.
    pub peak: usize,
    /// The largest single buffer among them.
    pub largest: usize,
    /// Whether it has threads and many buffers of its own.
    pub long: bool,
    /// Whether the call states what it takes before it takes it ([`Budget::admit`]): where the
    /// reserve is not to be had, it is refused there, with the need and the remedy.
    pub states: bool,
}

impl Need {
    /// A call with a result and buffers of `bytes` in one piece.
    pub fn of(bytes: usize) -> Self {
        Self { peak: bytes, largest: bytes, ..Self::default() }
    }
}

/// A running call, with the bytes of its reserve, which is held as long as this lives.
#[derive(Debug)]
pub struct Reservation(usize);

/// Begin a call: refuse it where the system cannot give what it needs, and hold a reserve.
pub fn reserve(need: Need) -> Result<Reservation> {
    let first = ACTIVE.fetch_add(1, Ordering::AcqRel) == 0;
    // counted before anything can fail: dropping it ends the call
    let mut reservation = Reservation(0);
    if first {
        STUCK.store(false, Ordering::Relaxed);
    }
    let base = if need.long { BASE / MIB * small() } else { small() };
    // A reserve of twice the largest buffer serves as well, and a short call finds it in place.
    let more = if need.largest <= base / 2 { 0 } else { need.largest };
    let reserve = more.saturating_add(base).min(CAP);
    if need.peak > MIB && !need.states {
        is_there(need.peak.saturating_add(base))?;
    }
    if hold(reserve) || need.states && hold(small()) {
        reservation.0 = reserve;
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

/// Whether the system would give `bytes` now.
pub fn is_there(bytes: usize) -> Result<()> {
    match MmapMut::map_anon(bytes.max(1)) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::Memory { bytes: bytes as u64 }),
    }
}

/// Announce a buffer of `bytes` that the call is about to make: from now on the reserve
/// covers it, or the error. For buffers that are much larger than what they are made from.
pub fn expect(bytes: usize) -> Result<()> {
    if bytes <= HELD.load(Ordering::Relaxed) {
        return Ok(());
    }
    if bytes > CAP {
        return is_there(bytes.saturating_add(small()));
    }
    if hold((bytes + small()).min(CAP)) {
        Ok(())
    } else {
        Err(Error::Memory { bytes: bytes as u64 })
    }
}

/// Make room for `n` more, or the error.
pub fn try_reserve<T>(to: &mut Vec<T>, n: usize) -> std::result::Result<(), TryReserveError> {
    fallibly(|| to.try_reserve(n))
}

fn fallibly<R>(ask: impl FnOnce() -> R) -> R {
    let before = FALLIBLE.replace(true);
    let found = ask();
    FALLIBLE.set(before);
    found
}

/// How often memory has run out so far: a job remembers it and ends when it has changed.
#[inline]
pub fn exhaustions() -> u64 {
    EXHAUSTIONS.load(Ordering::Relaxed)
}

/// The error of a job that finds memory exhausted.
pub fn exhausted() -> Error {
    Error::Memory { bytes: REFUSED.load(Ordering::Relaxed) as u64 }
}

/// `n` zeros (or whatever the default is), or the error.
pub fn zeroed<T: Clone + Default>(n: usize) -> Result<Vec<T>> {
    let mut out = with_capacity(n)?;
    out.resize(n, T::default());
    Ok(out)
}

/// An empty vector with room for `n`, or the error.
pub fn with_capacity<T>(n: usize) -> Result<Vec<T>> {
    let mut out = Vec::new();
    let bytes = n.saturating_mul(size_of::<T>()) as u64;
    fallibly(|| out.try_reserve_exact(n)).map_err(|_| Error::Memory { bytes })?;
    Ok(out)
}

/// What an iterator of known length yields, or the error.
pub fn collect<T>(items: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>> {
    let mut out = with_capacity(items.len())?;
    out.extend(items);
    Ok(out)
}

/// A large allocation has succeeded: the reserve has to cover the next one, of twice the size.
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

/// The system has refused `size` bytes: raise the flag and give the reserve back. The number of
/// further attempts that are worth it, a millisecond apart.
#[cold]
fn refused(size: usize) -> usize {
    REFUSED.store(size, Ordering::Relaxed);
    EXHAUSTIONS.fetch_add(1, Ordering::Relaxed);
    let held = release();
    let alone = ACTIVE.load(Ordering::Relaxed) == 0;
    if alone || size > CAP || (held > 0 && size > held) { 1 } else { 1000 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_an_error_and_no_abort() {
        let huge = usize::MAX / 4;
        assert!(matches!(zeroed::<u8>(huge), Err(Error::Memory { .. })));
        assert!(matches!(with_capacity::<u64>(huge), Err(Error::Memory { .. })));
        assert!(matches!(is_there(huge), Err(Error::Memory { .. })));
        assert!(reserve(Need::of(huge)).is_err());
        assert_eq!(collect([1, 2, 3].into_iter()).unwrap(), [1, 2, 3]);
        assert_eq!(zeroed::<u32>(3).unwrap(), [0; 3]);
    }

    /// In a process of its own: the flag ends the jobs of all other tests.
    #[test]
    fn a_refusal_raises_a_flag() {
        let name = "memory::tests::a_refusal_raises_the_flag_of_running_jobs_only";
        let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
        let run = alone.args(["--ignored", "--exact", name]).output().unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && said.contains("1 passed"), "{said}");
    }

    #[test]
    #[ignore = "run by the test above"]
    fn a_refusal_raises_the_flag_of_running_jobs_only() {
        let before = exhaustions();
        let call = reserve(Need { long: true, ..Need::default() }).unwrap();
        assert!(HELD.load(Ordering::Relaxed) >= BASE);
        assert!(refused(10) > 0);
        assert_ne!(exhaustions(), before);
        assert_eq!(exhausted(), Error::Memory { bytes: 10 });
        drop(call);
        let _next = reserve(Need::default()).unwrap();
        assert!(HELD.load(Ordering::Relaxed) >= small());
    }
}
