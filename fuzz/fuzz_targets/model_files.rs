//! `cargo +nightly fuzz run model_files`: see `README.md`.
#![no_main]

#[path = "../targets/mod.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::model_files::check(bytes));
