"""The whole pipeline under a real load: clicks over TLS, a query that is killed, and its analytical twin."""

from grader.capstone.run import run
from grader.capstone.shop import open_shop
from grader.capstone.twin import run_twin

__all__ = ["open_shop", "run", "run_twin"]
