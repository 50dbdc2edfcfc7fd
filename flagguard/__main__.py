"""`python -m flagguard`."""

import sys

from flagguard.cli import main

sys.exit(main())
