//! All integration tests of the core, one binary.
