"""The whole pipeline under a real load: clicks over TLS, a query that is killed, and its analytical twin."""

from grader.capstone.analytical_twin import run_twin
from grader.capstone.load_run import run
from grader.capstone.shop_broker import open_shop

__all__ = ["open_shop", "run", "run_twin"]
