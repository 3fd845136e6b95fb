//! The one place that decides about threads.
//!
//! A pool of our own for each process (a global pool hangs in a forked child): slots are claimed
//! with one atomic exchange on the process id *before* any lock is touched, a child never looks at
//! its parent's slot, and the parent's pool is simply leaked there.
//!
//! [`run`] hands a job that is expected to be long to the pool while the calling thread waits; a
//! job that is expected to be short runs on the calling thread. Either way the calling thread calls
//! the watcher (signals, progress) every 50 ms: while it waits, or from [`Control::check`] inside
//! the job. The estimate decides about threads alone, never about whether a job can be interrupted.
//! Panics unwind and come back as [`Error::Internal`].
//!
//! Inside a job nothing but [`map`] and [`for_each_mut`] starts parallel work; with one thread they
//! are plain loops, so no result can depend on the number of threads unless a job makes it so.

use crate::error::{Error, Result};
use crate::memory::{self, Budget};
use rayon::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// Time between two calls of a job's watcher.
const LISTEN: Duration = Duration::from_millis(50);

/// Stack of a worker; nothing recurses.
const STACK: usize = 2 << 20;

struct Slot {
    claimed_by: AtomicU32,
    pools: OnceLock<Mutex<Vec<Arc<rayon::ThreadPool>>>>,
}

/// One slot for each generation of forks that a process has behind it.
static SLOTS: [Slot; 32] =
    [const { Slot { claimed_by: AtomicU32::new(0), pools: OnceLock::new() } }; 32];

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
        let pools = loop {
            match slot.pools.get() {
                Some(p) => break p,
                None => std::thread::yield_now(),
            }
        };
        let mut pools = pools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(p) = pools.iter().find(|p| p.current_num_threads() == threads) {
            return Some(p.clone());
        }
        // A thread needs its stack and what the system keeps about it; short of that the job is
        // done by the calling thread.
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

/// What a running job and its caller share: the number of threads, the cancel flag and a progress
/// counter.
#[derive(Debug, Clone)]
pub struct Control {
    threads: usize,
    /// Announces and reports nothing.
    quiet: bool,
    /// How often memory had run out when the job began.
    exhaustions: u64,
    budget: Budget,
    shared: Arc<Shared>,
    /// Of a job on the calling thread, which has to listen itself.
    listener: Option<Arc<Listener>>,
    deadline: Option<Instant>,
}

/// The watcher of a job that runs on the calling thread, and when to call it.
struct Listener {
    watcher: Watcher,
    start: Instant,
    /// Nanoseconds after the start when the watcher is called next.
    due: AtomicU64,
    /// When the clock was read last, in nanoseconds after the start.
    read: AtomicU64,
    /// Calls of `listen` that do not read the clock, since they follow each other quickly.
    skip: AtomicU32,
    /// The watcher's error, which ends the job.
    stopped: Mutex<Option<Error>>,
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listener").field("start", &self.start).finish_non_exhaustive()
    }
}

impl Listener {
    fn new(watcher: Watcher) -> Self {
        let due = AtomicU64::new(LISTEN.as_nanos() as u64);
        let (start, read, skip) = (Instant::now(), AtomicU64::new(0), AtomicU32::new(0));
        Self { watcher, start, due, read, skip, stopped: Mutex::new(None) }
    }

    /// Call the watcher where it is time to; its error cancels the job.
    fn listen(&self, control: &Control) -> Result<()> {
        let skip = self.skip.load(Ordering::Relaxed);
        if skip > 0 {
            self.skip.store(skip - 1, Ordering::Relaxed);
            return Ok(());
        }
        let (now, due) = (self.start.elapsed().as_nanos() as u64, self.due.load(Ordering::Relaxed));
        let since = now - self.read.swap(now, Ordering::Relaxed).min(now);
        if now < due {
            // A small fit calls 40 times in 20 us, and the clock takes 25 ns.
            self.skip.store(if since < 1_000_000 { 3 } else { 0 }, Ordering::Relaxed);
            return Ok(());
        }
        self.due.store(u64::MAX, Ordering::Relaxed); // the watcher's own calls do not come back
        let answer = caught(&mut || (self.watcher)(control));
        let next = self.start.elapsed() + LISTEN;
        self.due.store(next.as_nanos() as u64, Ordering::Relaxed);
        answer.map_err(|e| {
            control.cancel();
            *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
            Error::Cancelled
        })
    }
}

#[derive(Debug, Default)]
struct Shared {
    cancel: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Control {
    /// A control for `threads` threads (0 counts as 1).
    pub fn new(threads: usize) -> Self {
        let exhaustions = memory::exhaustions();
        Self {
            threads: threads.max(1),
            quiet: false,
            exhaustions,
            budget: Budget::default(),
            shared: Arc::default(),
            listener: None,
            deadline: None,
        }
    }

    /// The job with this much memory.
    #[must_use]
    pub fn within(&self, budget: Budget) -> Self {
        Self { budget, ..self.clone() }
    }

    /// The job while it holds `bytes` that count against its limit.
    pub fn holding(&self, bytes: usize) -> Self {
        self.within(self.budget.holding(bytes))
    }

    /// What the job may allocate.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// The same job, told to use one thread only (for work below a parallel loop).
    pub fn serial(&self) -> Self {
        Self { threads: 1, ..self.clone() }
    }

    /// The same job for a part whose progress is not the job's: what it announces and reports is
    /// not heard.
    pub fn quiet(&self) -> Self {
        Self { quiet: true, ..self.clone() }
    }

    /// The job with a deadline: from then on [`Control::check`] is `Err(OutOfTime)`.
    pub fn until(&self, deadline: Option<Instant>) -> Self {
        Self { deadline, ..self.clone() }
    }

    /// Number of threads that the job may use.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// `Err(Cancelled)` once the caller asked to stop, `Err(Memory)` once memory has run out; costs
    /// a look at the clock at most, to be called every few milliseconds.
    #[inline]
    pub fn check(&self) -> Result<()> {
        if memory::exhaustions() != self.exhaustions {
            Err(memory::exhausted())
        } else if self.shared.cancel.load(Ordering::Relaxed) {
            Err(Error::Cancelled)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Err(Error::OutOfTime)
        } else if let Some(listener) = &self.listener {
            listener.listen(self)
        } else {
            Ok(())
        }
    }

    /// Ask the job to stop.
    pub fn cancel(&self) {
        self.shared.cancel.store(true, Ordering::Relaxed);
    }

    /// Announce how many units of work there are.
    pub fn expect(&self, total: u64) {
        if !self.quiet {
            self.shared.total.store(total, Ordering::Relaxed);
        }
    }

    /// Report `n` finished units of work.
    pub fn advance(&self, n: u64) {
        if !self.quiet {
            self.shared.done.fetch_add(n, Ordering::Relaxed);
        }
    }

    /// (finished, announced) units of work.
    pub fn progress(&self) -> (u64, u64) {
        (self.shared.done.load(Ordering::Relaxed), self.shared.total.load(Ordering::Relaxed))
    }
}

/// Called on the calling thread every 50 ms; an error cancels the job and is returned.
pub type Watcher = Arc<dyn Fn(&Control) -> Result<()> + Send + Sync>;

/// A watcher for callers that neither have signals to answer nor show progress.
pub fn unwatched() -> Watcher {
    Arc::new(|_| Ok(()))
}

fn describe(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_string())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_string())
}

/// Do `work`; a panic becomes an error. One instance serves all results, as with what follows.
fn caught(work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    let exhaustions = memory::exhaustions();
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        // a library's way to say that it was given no memory
        Err(_) if memory::exhaustions() != exhaustions => Err(memory::exhausted()),
        Err(panic) => Err(Error::Internal(describe(panic.as_ref()))),
    }
}

/// Run a job: a `long` one in the pool while the caller waits, another on the calling thread.
pub fn run<R: Send>(
    control: &Control,
    long: bool,
    watcher: &Watcher,
    job: impl FnOnce(&Control) -> Result<R> + Send,
) -> Result<R> {
    let Some(pool) = (if long { pool(control.threads) } else { None }) else {
        return run_here(control, watcher, job);
    };
    let (mut job, mut result) = (Some(job), None);
    run_in_pool(&pool, control, watcher, &mut |control| {
        if let Some(job) = job.take() {
            result = Some(job(control)?);
        }
        Ok(())
    })?;
    result.ok_or_else(|| Error::Internal("a job without a result".into()))
}

/// Run a job on the calling thread, with one thread.
pub fn run_here<R>(
    control: &Control,
    watcher: &Watcher,
    job: impl FnOnce(&Control) -> Result<R>,
) -> Result<R> {
    let listener = Arc::new(Listener::new(watcher.clone()));
    let control = Control { listener: Some(listener.clone()), ..control.serial() };
    let (mut job, mut result) = (Some(job), None);
    let done = caught(&mut || {
        if let Some(job) = job.take() {
            result = Some(job(&control)?);
        }
        Ok(())
    });
    let stopped = listener.stopped.lock().unwrap_or_else(PoisonError::into_inner).take();
    stopped.map_or(done, Err)?;
    result.ok_or_else(|| Error::Internal("a job without a result".into()))
}

fn run_in_pool(
    pool: &rayon::ThreadPool,
    control: &Control,
    watcher: &Watcher,
    work: &mut (dyn FnMut(&Control) -> Result<()> + Send),
) -> Result<()> {
    let (sender, receiver) = mpsc::sync_channel(1);
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            let result = caught(&mut || work(control));
            let _ = sender.send(result);
        });
        let mut stopped = None;
        loop {
            match receiver.recv_timeout(LISTEN) {
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

/// Rayon's loop over indices, compiled once: generic code around it made a quarter of the crate.
fn for_each_index(n: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..n).into_par_iter().with_max_len(1).for_each(work);
}

/// `f(0), f(1), ... f(n - 1)` in this order, computed in parallel where the control allows it; the
/// first error (by index) is returned.
pub fn map<R: Send>(
    control: &Control,
    n: usize,
    f: impl Fn(usize) -> Result<R> + Sync + Send,
) -> Result<Vec<R>> {
    if control.threads == 1 || n < 2 {
        return (0..n).map(f).collect();
    }
    let results: Vec<Mutex<Option<Result<R>>>> = (0..n).map(|_| Mutex::new(None)).collect();
    for_each_index(n, &|i| {
        let result = f(i);
        *results[i].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    });
    let results =
        results.into_iter().filter_map(|r| r.into_inner().unwrap_or_else(PoisonError::into_inner));
    results.collect()
}

/// Work on each element of a slice, in parallel where the control allows it.
pub fn for_each_mut<T: Send>(
    control: &Control,
    items: &mut [T],
    f: impl Fn(usize, &mut T) -> Result<()> + Sync + Send,
) -> Result<()> {
    if control.threads == 1 || items.len() < 2 {
        return items.iter_mut().enumerate().try_for_each(|(i, item)| f(i, item));
    }
    let items: Vec<_> = items.iter_mut().map(Mutex::new).collect();
    map(control, items.len(), |i| {
        f(i, &mut **items[i].lock().unwrap_or_else(PoisonError::into_inner))
    })
    .map(drop)
}

/// Threads meant by scikit-learn's `n_jobs`: `None` is one, a negative number counts back from all
/// cores.
pub fn threads_for(n_jobs: Option<i64>) -> Result<usize> {
    // The system is asked only where it matters: it reads several files.
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
            map(c, 100, |i| if i == 57 { panic!("item {i}") } else { Ok(i) })
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
            let r = run(&control, true, &unwatched(), |c| map(c, 1000, |i| Ok(i * i))).unwrap();
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
