//! Buffers that a forest reuses from tree to tree ([`BufferPool`]).
//!
//! Fresh pages from the system cost more time than the sorted orders that are written into them, so
//! a forest keeps the buffers of its finished trees until it is finished: at most those of one tree
//! per thread. [`row_buffers`](super::row_buffers) takes and returns them.

use std::sync::{Mutex, PoisonError};

/// Buffers of finished trees.
#[derive(Debug, Default)]
pub struct BufferPool(Mutex<Vec<Vec<u32>>>);

impl BufferPool {
    /// A buffer, whose content is unspecified; a new one when the pool is empty.
    pub(super) fn take(&self) -> Vec<u32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Return a buffer.
    pub(super) fn give(&self, buffer: Vec<u32>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}
