//! Running the core under Python: signals, progress, memory, exceptions.
//!
//! Every function of the module that does work calls [`run`], or [`run_attached`] if the work calls
//! Python. Short jobs run on the calling thread, so that a call costs microseconds.

use super::InternalError;
use crate::error::{Error, Result};
use crate::memory::{self, Budget, Need};
use crate::parallel::{self, Control, Watcher, lock, threads_for};
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The Python exception for an error of the core: MemoryError, KeyboardInterrupt after Ctrl-C,
/// InternalError for a defect of fasttree, and ValueError for everything that the caller can mend.
/// The message is the text of the error.
pub fn exception(error: Error) -> PyErr {
    match error {
        Error::Internal(_) => InternalError::new_err(error.to_string()),
        Error::Memory { .. } | Error::Need { .. } => PyMemoryError::new_err(error.to_string()),
        Error::Cancelled => PyKeyboardInterrupt::new_err("interrupted"),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// Work (rows times features, or the like) below which a job runs on the calling thread.
pub const SHORT: usize = 400_000;

/// The amount of work of a job, and the memory that it takes as far as that is known.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    amount: usize,
    need: Need,
    limit: Option<usize>,
    returns: bool,
}

impl From<usize> for Work {
    fn from(amount: usize) -> Self {
        let need = Need { long: amount >= SHORT, ..Need::default() };
        Self { amount, need, limit: None, returns: false }
    }
}

impl Work {
    /// Set the memory: at most `peak` bytes, `largest` in one allocation.
    pub fn with_memory(mut self, peak: usize, largest: usize) -> Self {
        self.need = Need { peak, largest, ..self.need };
        self
    }

    /// Set the limit on the bytes that the job may allocate; None means that only the memory of the
    /// system limits it. Bytes are counted against it as the core plans them, so a refusal depends
    /// on the input alone ([`Budget`]).
    pub fn limited(self, limit: Option<usize>) -> Self {
        Self { limit, ..self }
    }

    /// Set whether Ctrl-C makes a search return its best result so far ([`Control::end`]) instead
    /// of raising KeyboardInterrupt. A second Ctrl-C raises it in any case.
    pub fn returning(self, returns: bool) -> Self {
        Self { returns, ..self }
    }

    /// Set that the job states its need before it allocates ([`memory::Need::states`]). If the
    /// memory is missing, the error then comes from the core and tells the need and a remedy, which
    /// the general error of [`reserve`] cannot.
    pub fn stating(mut self) -> Self {
        self.need.states = true;
        self
    }
}

/// Reserve memory until the result is dropped; a MemoryError if it is not available. For calls that
/// copy their input before they [`run`], or their output after it.
pub fn reserve(peak: usize, largest: usize) -> PyResult<memory::Reservation> {
    let need = Need { peak, largest, long: peak >= memory::BASE, ..Need::default() };
    memory::reserve(need).map_err(exception)
}

/// Run a job without the interpreter. Every 50 ms signals are handled and progress is reported,
/// whatever thread the job runs on.
pub fn run<R: Send>(
    py: Python<'_>,
    n_jobs: Option<i64>,
    work: impl Into<Work>,
    progress: Option<&Py<PyAny>>,
    job: impl FnOnce(&Control) -> Result<R> + Send,
) -> PyResult<R> {
    let (mut job, mut result) = (Some(job), None);
    run_detached(py, n_jobs, work.into(), progress, &mut |control| {
        if let Some(job) = job.take() {
            result = Some(job(control)?);
        }
        Ok(())
    })?;
    result.ok_or_else(without_result)
}

/// [`run`] of a job that keeps its result.
fn run_detached(
    py: Python<'_>,
    n_jobs: Option<i64>,
    work: Work,
    progress: Option<&Py<PyAny>>,
    job: parallel::WatchedJob<'_>,
) -> PyResult<()> {
    memory::keep_pages();
    let memory = memory::reserve(work.need).map_err(exception)?;
    let budget = Budget::new(work.limit).after(&memory);
    let control = Control::new(threads_for(n_jobs).map_err(exception)?).within(budget);
    let (watcher, raised) = watcher_for(py, progress, work.returns);
    let done = py.detach(|| parallel::run(&control, work.amount >= SHORT, &watcher, job));
    finish(py, done, &raised, progress, &control)
}

fn without_result() -> PyErr {
    exception(Error::Internal("a job without a result".into()))
}

/// The exception that a watcher raised in Python.
type RaisedByWatcher = Arc<Mutex<Option<PyErr>>>;

/// A watcher that handles signals and reports progress, and the slot in which it leaves an
/// exception of either; `returns`: as [`Work::returning`] says.
fn watcher_for(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    returns: bool,
) -> (Watcher, RaisedByWatcher) {
    let raised = RaisedByWatcher::default();
    let (report, kept) = (progress.map(|f| f.clone_ref(py)), raised.clone());
    let watcher = move |control: &Control| {
        Python::attach(|py| {
            let answer = py.check_signals().and_then(|()| match &report {
                Some(f) if control.progress().1 > 0 => f.call1(py, control.progress()).map(|_| ()),
                _ => Ok(()),
            });
            let answer = answer.or_else(|e| {
                let is_kept = returns && e.is_instance_of::<PyKeyboardInterrupt>(py);
                if is_kept && control.end() { Ok(()) } else { Err(e) }
            });
            answer.map_err(|e| {
                *lock(&kept) = Some(e);
                Error::Cancelled
            })
        })
    };
    (Arc::new(watcher), raised)
}

/// End a watched job. An exception of the watcher takes precedence over an error of the job;
/// otherwise a last report of progress says that everything is done. A job that announced no units
/// of work counts as one.
fn finish(
    py: Python<'_>,
    done: Result<()>,
    raised: &RaisedByWatcher,
    progress: Option<&Py<PyAny>>,
    control: &Control,
) -> PyResult<()> {
    match lock(raised).take() {
        Some(e) => return Err(e),
        None => done.map_err(exception)?,
    }
    if let Some(f) = progress {
        let (done, total) = control.progress();
        let total = total.max(1);
        f.call1(py, (done.max(total), total))?;
    }
    Ok(())
}

/// Run a job that calls Python. It runs on the calling thread with the interpreter held; signals
/// are handled and progress is reported as in [`run`].
pub fn run_attached<R>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    job: impl FnOnce(&Control) -> Result<R>,
) -> PyResult<R> {
    let _memory = reserve(memory::BASE, 0)?;
    let control = Control::new(1);
    let (watcher, raised) = watcher_for(py, progress, false);
    let (mut job, mut result) = (Some(job), None);
    let done = parallel::run_here(&control, &watcher, &mut |control| {
        if let Some(job) = job.take() {
            result = Some(job(control)?);
        }
        Ok(())
    });
    finish(py, done, &raised, progress, &control)?;
    result.ok_or_else(without_result)
}

/// Set the size of the memory reserve (normally 1 MiB, 16 times as much in long calls). Returns the
/// largest allocation since the last call of this function that it did not cover. For tests.
#[pyfunction]
pub fn scale_reserve(bytes: usize) -> usize {
    memory::scale(bytes)
}

/// Bytes that the extension has allocated now, and the maximum since the last call of this
/// function; None in release builds, which do not count. For tests.
#[pyfunction]
pub fn allocated() -> Option<(usize, usize)> {
    memory::allocated()
}

/// Exercise the machinery of long calls: "spin" works for some seconds on all threads, "panic"
/// panics on one of them. For tests and `ftree doctor`.
#[pyfunction]
#[pyo3(signature = (what, seconds = 0.0, n_jobs = None, progress = None))]
pub fn exercise(
    py: Python<'_>,
    what: &str,
    seconds: f64,
    n_jobs: Option<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<u64> {
    let fail = match what {
        "spin" => false,
        "panic" => true,
        other => return Err(PyValueError::new_err(format!("what='{other}': 'spin' or 'panic'"))),
    };
    let end = Instant::now() + Duration::from_secs_f64(seconds.clamp(0.0, 3600.0));
    run(py, n_jobs, usize::MAX, progress.as_ref(), move |control| {
        control.expect(100);
        let counts = parallel::map(control, 100, &|i| {
            assert!(!(fail && i == 57), "exercise: this panic was asked for");
            let mut rounds = 0_u64;
            while Instant::now() < end {
                control.check()?;
                rounds += 1;
            }
            control.advance(1);
            Ok(rounds)
        })?;
        Ok(counts.iter().sum())
    })
}
