//! The global allocator of the Python extension: the system's, which after a refusal gives the
//! reserve back ([`super`] explains it) and asks again.
//!
//! This is the only `unsafe` outside `simd`, as [`GlobalAlloc`] is an unsafe trait. Every method
//! passes its arguments to [`System`] unchanged, once and, after a refusal, again. Nothing here
//! reads or writes the memory, keeps a pointer, allocates or unwinds. `bindings` installs it; a
//! Rust program must install it itself.
#![allow(unsafe_code)]

use super::{count, count_allocation, handle_refusal};
use std::alloc::{GlobalAlloc, Layout, System};
use std::time::Duration;

/// The system's allocator, with a reserve.
#[derive(Debug)]
pub struct Allocator;

/// Call `ask` for `size` bytes, and again after a refusal. The fast path is one comparison with
/// null and one with the size of the reserve.
#[inline]
fn insist(size: usize, ask: impl Fn() -> *mut u8) -> *mut u8 {
    let found = ask();
    if found.is_null() {
        return again(size, ask);
    }
    count_allocation(size);
    found
}

/// Give the reserve back and call `ask` until it succeeds or the attempts are over.
#[cold]
fn again(size: usize, ask: impl Fn() -> *mut u8) -> *mut u8 {
    let attempts = handle_refusal(size);
    for attempt in 0..attempts {
        let found = ask();
        if !found.is_null() {
            count(size as isize);
            return found;
        }
        if attempt + 1 == attempts {
            return found;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    std::ptr::null_mut()
}

// SAFETY: each method is the system allocator's, called with the same arguments until it gives a
// block or the attempts are over; a failed call of it changes nothing, so it may be repeated.
unsafe impl GlobalAlloc for Allocator {
    /// [`System`]'s `alloc`, which is asked again after a refusal. A null pointer means that all
    /// attempts were refused.
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise about the layout is passed on.
        insist(layout.size(), || unsafe { System.alloc(layout) })
    }

    /// [`System`]'s `alloc_zeroed`, asked like `alloc`. A method of its own keeps the system's way
    /// to give zeroed pages without writing to them.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise about the layout is passed on.
        insist(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    /// [`System`]'s `dealloc`. The size is subtracted from the count of debug builds first.
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: every block of this allocator comes from the system's, with this layout.
        unsafe { System.dealloc(block, layout) }
    }

    /// [`System`]'s `realloc`, asked like `alloc`. The count of debug builds gets the new size from
    /// `insist` and loses the old one here; after a refusal the old block stays counted.
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as for `dealloc`; after a refusal the block is still what it was.
        let found = insist(size, || unsafe { System.realloc(block, layout, size) });
        if !found.is_null() {
            count(-(layout.size() as isize));
        }
        found
    }
}
