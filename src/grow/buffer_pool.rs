//! Memory that trees which grow one after the other leave for each other.
//!
//! Fresh pages from the system cost more than the orders that are written into them, so a forest
//! keeps the buffers of its finished trees until it is finished itself: at most those of one tree a
//! thread.

use std::sync::{Mutex, PoisonError};

/// Memory of finished trees.
#[derive(Debug, Default)]
pub struct BufferPool(Mutex<Vec<Vec<u32>>>);

impl BufferPool {
    /// A buffer with whatever content it had; a new one when there is none.
    pub(super) fn take(&self) -> Vec<u32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Leave a buffer.
    pub(super) fn give(&self, memory: Vec<u32>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
    }
}
