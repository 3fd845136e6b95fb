//! `cargo +nightly fuzz run csv`: see `README.md`.
#![no_main]

#[path = "../targets/mod.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::files::csv(bytes));
