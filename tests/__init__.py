"""Tests, oracles and campaigns; a package, so that worker processes import these tests."""
