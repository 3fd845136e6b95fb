"""The command as a module: ``python -m fasttree.cli``."""

from __future__ import annotations

import sys

from . import main

if __name__ == "__main__":
    sys.exit(main())
