"""``python -m fasttree.cli`` is ``ftree``."""

import sys

from . import main

sys.exit(main())
