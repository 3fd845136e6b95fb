//! Words of the refusal where the memory for a search of neighbours does not suffice.

/// The work that needs the memory.
pub(super) const WHAT: &str = "the search for neighbours of rows";

/// What the caller can do.
pub(super) const REMEDY: &str = "give it that much, use fewer threads, or a sample of the rows";
