"""``python -m fasttree`` is ``ftree``."""

import sys

from .cli import main

sys.exit(main())
