"""`python -m grader` is the command `grader`."""

import sys

from grader.cli import main

sys.exit(main())
