"""A page with metrics for Prometheus to scrape, served from this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@contextmanager
def metrics_endpoint(exposition: Callable[[], str]) -> Iterator[str]:
    """The address of a page that shows what `exposition` returns at that moment, until the block ends.

    It listens on this machine only, at a free port. If `exposition` raises, the scrape fails with status 500.
    """

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            try:
                body = exposition().encode()
            except Exception as error:
                self.send_error(500, type(error).__name__)
                return
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing: a line per scrape would fill the notebook."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        serving = Thread(target=server.serve_forever, daemon=True)
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/metrics"
        finally:
            server.shutdown()
            serving.join()
