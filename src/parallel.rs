//! The one place that decides about threads.
//!
//! A pool of our own for each process (a global pool hangs in a forked child): slots are claimed
//! with one atomic exchange on the process id *before* any lock is touched, a child never looks at
//! its parent's slot, and the parent's pool is simply leaked there. [`run`] hands a long job to the
//! pool while the calling thread waits in steps of 50 ms, calls the watcher (signals, progress),
//! and sets the cancel flag; short jobs run on the caller. Panics unwind and come back as
//! [`Error::Internal`].
//!
//! Inside a job nothing but [`map`] and [`for_each_mut`] starts parallel work; with one thread they
//! are plain loops, so no result can depend on the number of threads unless a job makes it so.

use crate::error::{Error, Result};
use crate::memory;
use rayon::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::time::Duration;

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
    shared: Arc<Shared>,
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
        Self { threads: threads.max(1), quiet: false, exhaustions, shared: Arc::default() }
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

    /// Number of threads that the job may use.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// `Err(Cancelled)` once the caller asked to stop, `Err(Memory)` once memory has run out;
    /// cheap, to be called every few milliseconds.
    #[inline]
    pub fn check(&self) -> Result<()> {
        if memory::exhaustions() != self.exhaustions {
            Err(memory::exhausted())
        } else if self.shared.cancel.load(Ordering::Relaxed) {
            Err(Error::Cancelled)
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

/// Called on the waiting thread every 50 ms; an error cancels the job and is returned.
pub type Watcher<'a> = &'a mut dyn FnMut(&Control) -> Result<()>;

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

/// Run a job. A short one runs on the calling thread; a long one runs in the pool while the caller
/// waits, so that it stays able to answer signals.
pub fn run<R: Send>(
    control: &Control,
    long: bool,
    watcher: Watcher<'_>,
    job: impl FnOnce(&Control) -> Result<R> + Send,
) -> Result<R> {
    let (mut job, mut result) = (Some(job), None);
    run_watched(control, long, watcher, &mut |control| {
        if let Some(job) = job.take() {
            result = Some(job(control)?);
        }
        Ok(())
    })?;
    result.ok_or_else(|| Error::Internal("a job without a result".into()))
}

fn run_watched(
    control: &Control,
    long: bool,
    watcher: Watcher<'_>,
    work: &mut (dyn FnMut(&Control) -> Result<()> + Send),
) -> Result<()> {
    let pool = if long { pool(control.threads) } else { None };
    let Some(pool) = pool else {
        return caught(&mut || work(&control.serial()));
    };
    let (sender, receiver) = mpsc::sync_channel(1);
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            let result = caught(&mut || work(control));
            let _ = sender.send(result);
        });
        let mut stopped = None;
        loop {
            match receiver.recv_timeout(Duration::from_millis(50)) {
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
            let e =
                run::<()>(&control, long, &mut |_| Ok(()), |_| panic!("boom {}", 7)).unwrap_err();
            assert_eq!(e, Error::Internal("boom 7".into()));
            assert_eq!(run(&control, long, &mut |_| Ok(()), |_| Ok(3)), Ok(3));
        }
    }

    #[test]
    fn a_panic_in_a_parallel_loop_is_caught() {
        let control = Control::new(3);
        let r = run(&control, true, &mut |_| Ok(()), |c| {
            map(c, 100, |i| if i == 57 { panic!("item {i}") } else { Ok(i) })
        });
        assert_eq!(r, Err(Error::Internal("item 57".into())));
    }

    #[test]
    fn cancelling_is_quick() {
        let control = Control::new(2);
        let start = Instant::now();
        let r = run::<()>(&control, true, &mut |_| Err(Error::Cancelled), |c| {
            loop {
                c.check()?;
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        assert_eq!(r, Err(Error::Cancelled));
        assert!(start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn maps_keep_order_for_any_number_of_threads() {
        for threads in 1..=8 {
            let control = Control::new(threads);
            let r = run(&control, true, &mut |_| Ok(()), |c| map(c, 1000, |i| Ok(i * i))).unwrap();
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
