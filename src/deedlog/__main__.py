"""`python -m deedlog` is the command `deedlog`."""

import sys

from deedlog.faces.cli.main import main

sys.exit(main())
