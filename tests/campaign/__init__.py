"""Long searches for faults that no example shows; run by hand, never by pytest."""
