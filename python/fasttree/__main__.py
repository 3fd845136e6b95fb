"""``python -m fasttree``: the same as the command ``ftree``."""

import sys

from .cli import main

sys.exit(main())
