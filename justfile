# Commands for daily work; `just --list` shows them.

# Debug build of the core; the package is used in place.
build:
    maturin develop

# What `build` and `test` need, and a first debug build of the core.
setup:
    pip install -e '.[test]' maturin

# All tests.
test *args:
    pytest {{args}}

# Rust tests whose name contains the argument.
test-rust name="":
    cargo test {{name}}

# Format both languages.
format:
    cargo fmt && ruff format python tests benches docs

# Lints and types.
lint:
    cargo clippy --all-targets --features python -- -D warnings
    ruff check python tests benches docs && mypy

# The documentation, warnings are errors.
docs:
    sphinx-build -W --keep-going -q -b html docs docs/_build/html

# Everything that a change must pass.
ci:
    bash .ci/run

# Benchmarks of the core.
bench *args:
    cargo bench {{args}}

# A wheel for this machine.
wheel:
    maturin build --profile dist
