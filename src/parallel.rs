//! Threads: pools, jobs that can be cancelled, and parallel loops. No other module starts a thread.
//!
//! **Pools.** Rayon's global pool hangs in a forked child, so each process has its own pools. A
//! process claims a slot by one atomic exchange on its id *before* it takes a lock, and a child
//! never uses the slot of its parent, whose pools are leaked there.
//!
//! **Jobs.** [`run`] gives a job that is expected to be long to a pool while the calling thread
//! waits, and runs a short one on the calling thread. In both cases the calling thread calls the
//! watcher (signals, progress) every 50 ms: while it waits, or from [`Control::check`] inside the
//! job. So the estimate of the length never decides whether a job can be interrupted. Panics are
//! caught and returned as [`Error::Internal`].
//!
//! **Loops.** Inside a job only [`map`] and [`for_each_mut`] start parallel work. With one thread
//! they are plain loops, and results come in the order of the items, so results do not depend on
//! the number of threads.

use crate::error::{Error, Result};
use crate::memory::{self, Budget};
use rayon::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// Time between two calls of a job's watcher.
const WATCH_INTERVAL: Duration = Duration::from_millis(50);

/// Bytes of a worker's stack; nothing recurses.
const STACK: usize = 2 << 20;

/// Lock a mutex, whether or not a thread has panicked while it held it. All values that are shared
/// in this way are valid between any two statements, and the panic itself ends the job ([`run`]).
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pools of one process.
struct Slot {
    /// Id of the process, or 0.
    claimed_by: AtomicU32,
    pools: OnceLock<Mutex<Vec<Arc<rayon::ThreadPool>>>>,
}

/// A slot for each generation of forked processes. A process beyond the last has no pool.
static SLOTS: [Slot; 32] =
    [const { Slot { claimed_by: AtomicU32::new(0), pools: OnceLock::new() } }; 32];

/// The pool with a number of threads, built on first use; `None` if it cannot be built, or if there
/// is no memory for the stacks.
fn pool(threads: usize) -> Option<Arc<rayon::ThreadPool>> {
    let pid = std::process::id();
    for slot in &SLOTS {
        match slot.claimed_by.compare_exchange(0, pid, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                let _ = slot.pools.set(Mutex::new(Vec::new()));
            }
            Err(owner) if owner == pid => {}
            Err(_) => continue,
        }
        // Another thread of this process may have claimed the slot and be about to fill it.
        let pools = loop {
            match slot.pools.get() {
                Some(p) => break p,
                None => std::thread::yield_now(),
            }
        };
        let mut pools = lock(pools);
        if let Some(p) = pools.iter().find(|p| p.current_num_threads() == threads) {
            return Some(p.clone());
        }
        // Without memory for the stacks, the calling thread does the job.
        memory::is_there(threads.saturating_mul(STACK) + memory::BASE).ok()?;
        let built = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size(STACK)
            .thread_name(|i| format!("fasttree-{i}"))
            .build()
            .ok()
            .map(Arc::new)?;
        pools.push(built.clone());
        return Some(built);
    }
    None
}

/// The handle of a job, which it shares with its caller: number of threads, memory, cancellation
/// and progress. Methods that return a `Control` return a handle of the same job with other limits.
#[derive(Debug, Clone)]
pub struct Control {
    threads: usize,
    /// Whether progress is not reported.
    quiet: bool,
    /// How often memory had run out when the job began.
    exhaustions: u64,
    budget: Budget,
    shared: Arc<Shared>,
    /// The watcher of a job on the calling thread, which [`Control::check`] calls; `None` in a
    /// pool.
    inline_watch: Option<Arc<InlineWatch>>,
    deadline: Option<Instant>,
    ends_early: bool,
}

/// The watcher of a job that runs on the calling thread, and the time of its next call.
struct InlineWatch {
    watcher: Watcher,
    start: Instant,
    /// Time of the next call, in nanoseconds after the start.
    due: AtomicU64,
    /// Time of the last reading of the clock, in nanoseconds after the start.
    read: AtomicU64,
    /// Number of checks that still skip reading the clock, as checks follow each other quickly.
    skip: AtomicU32,
    /// The watcher's error, which ends the job.
    stopped: Mutex<Option<Error>>,
}

impl std::fmt::Debug for InlineWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InlineWatch").field("start", &self.start).finish_non_exhaustive()
    }
}

impl InlineWatch {
    fn new(watcher: Watcher) -> Self {
        let due = AtomicU64::new(WATCH_INTERVAL.as_nanos() as u64);
        let (start, read, skip) = (Instant::now(), AtomicU64::new(0), AtomicU32::new(0));
        Self { watcher, start, due, read, skip, stopped: Mutex::new(None) }
    }

    /// Call the watcher if it is due; its error cancels the job.
    fn call_if_due(&self, control: &Control) -> Result<()> {
        let skip = self.skip.load(Ordering::Relaxed);
        if skip > 0 {
            self.skip.store(skip - 1, Ordering::Relaxed);
            return Ok(());
        }
        let (now, due) = (self.start.elapsed().as_nanos() as u64, self.due.load(Ordering::Relaxed));
        let since = now - self.read.swap(now, Ordering::Relaxed).min(now);
        if now < due {
            // A small fit checks 40 times in 20 us, and reading the clock takes 25 ns: after two
            // checks within a millisecond, three do not read it.
            self.skip.store(if since < 1_000_000 { 3 } else { 0 }, Ordering::Relaxed);
            return Ok(());
        }
        // The watcher may check the control itself, which must not call it again.
        self.due.store(u64::MAX, Ordering::Relaxed);
        let answer = caught(&mut || (self.watcher)(control));
        let next = self.start.elapsed() + WATCH_INTERVAL;
        self.due.store(next.as_nanos() as u64, Ordering::Relaxed);
        answer.map_err(|e| {
            control.cancel();
            *lock(&self.stopped) = Some(e);
            Error::Cancelled
        })
    }
}

/// The state of a job that all its handles share.
#[derive(Debug, Default)]
struct Shared {
    cancel: AtomicBool,
    /// Whether the parts of the job that may end early must end.
    end: AtomicBool,
    /// Finished units of work.
    done: AtomicU64,
    /// Units of work in all.
    total: AtomicU64,
}

impl Control {
    /// A control for a job of `threads` threads (0 counts as 1), without a memory limit or a
    /// deadline. Make one per call: exhaustions of memory before this moment do not count against
    /// the job.
    pub fn new(threads: usize) -> Self {
        let exhaustions = memory::exhaustions();
        Self {
            threads: threads.max(1),
            quiet: false,
            exhaustions,
            budget: Budget::default(),
            shared: Arc::default(),
            inline_watch: None,
            deadline: None,
            ends_early: false,
        }
    }

    /// A handle with this memory budget instead of the present one. Bindings set the budget of the
    /// whole job, and loops give each part its share.
    #[must_use]
    pub fn within(&self, budget: Budget) -> Self {
        Self { budget, ..self.clone() }
    }

    /// A handle for work that is done while the job holds `bytes` of its budget. Nothing is
    /// allocated here, and the budget of the other handles is unchanged, so the bytes are free
    /// again when the handle is dropped.
    pub fn holding(&self, bytes: usize) -> Self {
        self.within(self.budget.holding(bytes))
    }

    /// The memory that the job may allocate, as a copy. Call [`Budget::admit`] or [`Budget::has`]
    /// on it before an allocation that grows with the input.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// A handle with one thread, for work inside a parallel loop. Loops under it are plain loops,
    /// and it is also for work whose buffers do not fit the budget once per thread.
    pub fn serial(&self) -> Self {
        Self { threads: 1, ..self.clone() }
    }

    /// A handle that reports no progress, for a part whose units of work differ from the units of
    /// the job. [`Control::expect`] and [`Control::advance`] do nothing on it; it is cancelled with
    /// the job.
    pub fn quiet(&self) -> Self {
        Self { quiet: true, ..self.clone() }
    }

    /// A handle for a part of the job that may end early and keeps its results: after the deadline,
    /// or once [`Control::end`] was called, [`Control::check`] returns `Err(OutOfTime)`.
    pub fn until(&self, deadline: Option<Instant>) -> Self {
        Self { deadline, ends_early: true, ..self.clone() }
    }

    /// A handle whose deadline, if it has one, comes after a share of the time since `start`. The
    /// share is of the time between `start` and the present deadline, from 0 to 1. Each level of a
    /// search, except the last one, leaves a part of the time limit to the next level in this way.
    pub fn within_share(&self, start: Instant, share: f64) -> Self {
        let at = |end: Instant| start + end.saturating_duration_since(start).mul_f64(share);
        Self { deadline: self.deadline.map(at), ..self.clone() }
    }

    /// A handle whose deadline, if it has one, is earlier by a duration. A search keeps this time
    /// back for the work that follows it. A deadline that would lie before the beginning of the
    /// clock stays as it is.
    pub fn earlier(&self, by: Duration) -> Self {
        let earlier = |deadline: Instant| deadline.checked_sub(by).unwrap_or(deadline);
        Self { deadline: self.deadline.map(earlier), ..self.clone() }
    }

    /// Number of threads that the job may use, at least 1. Loops divide their work by it, and plans
    /// count the buffers of each thread.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// An error if the job must end: `Cancelled`, `Memory` if memory has run out, or `OutOfTime`.
    ///
    /// Jobs call it every few milliseconds. It takes as long as reading the clock, at most, except
    /// that on the calling thread it also calls the watcher when that is due.
    #[inline]
    pub fn check(&self) -> Result<()> {
        if memory::exhaustions() != self.exhaustions {
            Err(memory::exhausted())
        } else if self.shared.cancel.load(Ordering::Relaxed) {
            Err(Error::Cancelled)
        } else if self.ends_early
            && (self.shared.end.load(Ordering::Relaxed)
                || self.deadline.is_some_and(|deadline| Instant::now() >= deadline))
        {
            Err(Error::OutOfTime)
        } else if let Some(watch) = &self.inline_watch {
            watch.call_if_due(self)
        } else {
            Ok(())
        }
    }

    /// Ask the job to stop. Every handle of the job then gets `Cancelled` from [`Control::check`],
    /// and nothing takes the request back; the results so far are lost.
    pub fn cancel(&self) {
        self.shared.cancel.store(true, Ordering::Relaxed);
    }

    /// Ask the parts of the job that may end early ([`Control::until`]) to end. Their results so
    /// far are kept, unlike after [`Control::cancel`]. Returns whether this was the first time.
    pub fn end(&self) -> bool {
        !self.shared.end.swap(true, Ordering::Relaxed)
    }

    /// Set the number of units of work of the job, whatever a unit is (a row, a tree, a tile). No
    /// progress is reported while it is 0. A quiet handle ignores the call.
    pub fn expect(&self, total: u64) {
        if !self.quiet {
            self.shared.total.store(total, Ordering::Relaxed);
        }
    }

    /// Report `n` finished units of work, from any thread. The units of all reports should add up
    /// to the number given to [`Control::expect`]. A quiet handle ignores the call.
    pub fn advance(&self, n: u64) {
        if !self.quiet {
            self.shared.done.fetch_add(n, Ordering::Relaxed);
        }
    }

    /// (finished, all) units of work. Both are 0 before [`Control::expect`], and they are read one
    /// after the other, so a report may be one step old.
    pub fn progress(&self) -> (u64, u64) {
        (self.shared.done.load(Ordering::Relaxed), self.shared.total.load(Ordering::Relaxed))
    }
}

/// A function that the calling thread calls every 50 ms while a job runs, for signals and progress.
/// Its error cancels the job and is returned.
pub type Watcher = Arc<dyn Fn(&Control) -> Result<()> + Send + Sync>;

/// A watcher that does nothing, for callers without signals and progress. Such a job ends only by
/// itself, by its deadline or by [`Control::cancel`] on another thread.
pub fn unwatched() -> Watcher {
    Arc::new(|_| Ok(()))
}

/// The message of a panic.
fn describe(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_string())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_string())
}

/// Call `work`, and turn a panic into an error. The function is not generic, so that it is compiled
/// once.
fn caught(work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    let exhaustions = memory::exhaustions();
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        // Some libraries panic if they get no memory.
        Err(_) if memory::exhaustions() != exhaustions => Err(memory::exhausted()),
        Err(panic) => Err(Error::Internal(describe(panic.as_ref()))),
    }
}

/// A job that is called once. The call is dynamic, so that the functions which run jobs are
/// compiled once and not per job.
pub type WatchedJob<'a> = &'a mut (dyn FnMut(&Control) -> Result<()> + Send);

/// Run a job: a `long` one in a pool while the calling thread waits, another on the calling thread.
///
/// # Errors
/// The errors of the job and of the watcher; [`Error::Internal`] after a panic.
pub fn run(control: &Control, long: bool, watcher: &Watcher, job: WatchedJob<'_>) -> Result<()> {
    match if long { pool(control.threads) } else { None } {
        Some(pool) => run_in_pool(&pool, control, watcher, job),
        None => run_here(control, watcher, job),
    }
}

/// Run a job on the calling thread, with one thread. [`Control::check`] inside the job calls the
/// watcher; [`run`] comes here for short jobs, and where no pool can be built.
///
/// # Errors
/// The errors of [`run`].
pub fn run_here(
    control: &Control,
    watcher: &Watcher,
    job: &mut dyn FnMut(&Control) -> Result<()>,
) -> Result<()> {
    let watch = Arc::new(InlineWatch::new(watcher.clone()));
    let control = Control { inline_watch: Some(watch.clone()), ..control.serial() };
    let done = caught(&mut || job(&control));
    let stopped = lock(&watch.stopped).take();
    stopped.map_or(done, Err)
}

/// Run a job in a pool. The calling thread waits for it and calls the watcher.
fn run_in_pool(
    pool: &rayon::ThreadPool,
    control: &Control,
    watcher: &Watcher,
    job: WatchedJob<'_>,
) -> Result<()> {
    let (sender, receiver) = mpsc::sync_channel(1);
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            let result = caught(&mut || job(control));
            let _ = sender.send(result);
        });
        let mut stopped = None;
        loop {
            match receiver.recv_timeout(WATCH_INTERVAL) {
                Ok(result) => return stopped.map_or(result, Err),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if stopped.is_none()
                        && let Err(e) = caught(&mut || watcher(control))
                    {
                        control.cancel();
                        stopped = Some(e);
                    }
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    return Err(Error::Internal("a worker vanished".into()));
                }
            }
        }
    })
}

/// Call `work(0)` to `work(n - 1)`, in parallel if the control allows it. Not generic: instances of
/// rayon's loop for each caller were a quarter of the compiled crate.
///
/// # Errors
/// The first error by index.
fn for_each_index(
    control: &Control,
    n: usize,
    work: &(dyn Fn(usize) -> Result<()> + Sync),
) -> Result<()> {
    if control.threads == 1 || n < 2 {
        return (0..n).try_for_each(work);
    }
    let first: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    (0..n).into_par_iter().with_max_len(1).for_each(|i| {
        // The work of an item before its first check may be long, and there may be many items.
        let cancelled = control.shared.cancel.load(Ordering::Relaxed);
        if let Err(error) = if cancelled { Err(Error::Cancelled) } else { work(i) } {
            let mut first = lock(&first);
            if first.as_ref().is_none_or(|&(at, _)| i < at) {
                *first = Some((i, error));
            }
        }
    });
    let first = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    first.map_or(Ok(()), |(_, error)| Err(error))
}

/// `f(0), f(1), ... f(n - 1)`, computed in parallel if the control allows it. `f` is called
/// dynamically, so there is one instance per type of result.
///
/// # Errors
/// The first error by index.
pub fn map<R: Send>(
    control: &Control,
    n: usize,
    f: &(dyn Fn(usize) -> Result<R> + Sync),
) -> Result<Vec<R>> {
    // Results come as they are finished, each with its index beside it.
    let finished = Mutex::new((Vec::with_capacity(n), Vec::with_capacity(n)));
    for_each_index(control, n, &|i| {
        let result = f(i)?;
        let (results, indices) = &mut *lock(&finished);
        results.push(result);
        indices.push(i);
        Ok(())
    })?;
    let (mut results, mut indices) = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    for at in 0..indices.len() {
        while indices[at] != at {
            let to = indices[at];
            results.swap(at, to);
            indices.swap(at, to);
        }
    }
    Ok(results)
}

/// The lists `f(0), f(1), ... f(n - 1)` one after the other, computed as [`map`] does.
///
/// # Errors
/// The first error by index.
pub fn collect<T: Send>(
    control: &Control,
    n: usize,
    f: &(dyn Fn(usize) -> Result<Vec<T>> + Sync),
) -> Result<Vec<T>> {
    let mut all = Vec::new();
    for mut list in map(control, n, f)? {
        all.append(&mut list);
    }
    Ok(all)
}

/// Call `f` with the index of each element and the element, in parallel if the control allows it.
///
/// # Errors
/// The first error by index.
pub fn for_each_mut<T: Send>(
    control: &Control,
    items: &mut [T],
    f: &(dyn Fn(usize, &mut T) -> Result<()> + Sync),
) -> Result<()> {
    let items: Vec<_> = items.iter_mut().map(Mutex::new).collect();
    for_each_index(control, items.len(), &|i| f(i, &mut **lock(&items[i])))
}

/// The number of threads that scikit-learn's `n_jobs` means: `None` is one thread, -1 is all cores,
/// -2 is all cores except one, and so on; at most 1024.
///
/// # Errors
/// [`Error::Parameter`] for 0.
pub fn threads_for(n_jobs: Option<i64>) -> Result<usize> {
    // Asked only where it matters, as the system reads several files for it.
    let cores = || std::thread::available_parallelism().map_or(1, usize::from) as i64;
    match n_jobs {
        None => Ok(1),
        Some(0) => {
            Err(Error::parameter("n_jobs", 0, "n_jobs is a positive number, or -1 for all cores"))
        }
        Some(n) if n < 0 => Ok((cores() + 1 + n).max(1) as usize),
        Some(n) => Ok(n.min(1024) as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn run<R: Send>(
        control: &Control,
        long: bool,
        watcher: &Watcher,
        job: impl Fn(&Control) -> Result<R> + Sync,
    ) -> Result<R> {
        let mut result = None;
        super::run(control, long, watcher, &mut |control| {
            result = Some(job(control)?);
            Ok(())
        })?;
        Ok(result.unwrap())
    }

    #[test]
    fn panics_become_errors_and_the_next_call_works() {
        for long in [false, true] {
            let control = Control::new(2);
            let e = run::<()>(&control, long, &unwatched(), |_| panic!("boom {}", 7)).unwrap_err();
            assert_eq!(e, Error::Internal("boom 7".into()));
            assert_eq!(run(&control, long, &unwatched(), |_| Ok(3)), Ok(3));
        }
    }

    #[test]
    fn a_panic_in_a_parallel_loop_is_caught() {
        let control = Control::new(3);
        let r = run(&control, true, &unwatched(), |c| {
            map(c, 100, &|i| if i == 57 { panic!("item {i}") } else { Ok(i) })
        });
        assert_eq!(r, Err(Error::Internal("item 57".into())));
    }

    #[test]
    fn cancelling_is_quick() {
        for long in [false, true] {
            let control = Control::new(2);
            let start = Instant::now();
            let stopped = Error::Data("stop".into());
            let answer = stopped.clone();
            let watcher: Watcher = Arc::new(move |_| Err(answer.clone()));
            let r = run::<()>(&control, long, &watcher, |c| {
                loop {
                    c.serial().check()?;
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
            assert_eq!(r, Err(stopped));
            assert!(start.elapsed() < Duration::from_secs(5));
        }
    }

    #[test]
    fn maps_keep_order_for_any_number_of_threads() {
        for threads in 1..=8 {
            let control = Control::new(threads);
            let r = run(&control, true, &unwatched(), |c| map(c, 1000, &|i| Ok(i * i))).unwrap();
            assert!(r.iter().enumerate().all(|(i, &v)| v == i * i));
        }
    }

    #[test]
    fn n_jobs_is_scikit_learns() {
        assert_eq!(threads_for(None), Ok(1));
        assert_eq!(threads_for(Some(3)), Ok(3));
        assert!(threads_for(Some(-1)).unwrap() >= 1);
        assert!(threads_for(Some(0)).is_err());
    }
}
