"""A proxy that is set for this machine is not asked for the machine's own servers."""

import http.server
import os
import threading
import urllib.request

import pytest

from grader.runtime.proxies import keep_own_servers_off_the_proxy, open_own

NOBODY = "http://127.0.0.1:9"


@pytest.fixture
def page():
    """The address of a server of this machine."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"here")

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def proxy(monkeypatch):
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "")  # so that it is put back
        monkeypatch.delenv(name)
    monkeypatch.setenv("http_proxy", NOBODY)


def _read(url):
    """Read as a process that has opened nothing before: `urlopen` keeps the proxies of its first call."""
    return urllib.request.build_opener().open(url, timeout=5).read()


def test_the_labs_own_server_is_asked_directly(page, proxy):
    with pytest.raises(OSError):
        _read(page)
    assert open_own(page, 5).read() == b"here"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, "127.0.0.1,localhost"),
        ({"NO_PROXY": ".school"}, ".school,127.0.0.1,localhost"),
        ({"no_proxy": "*"}, "*"),
        ({"no_proxy": "127.0.0.1"}, "127.0.0.1"),
    ],
)
def test_libraries_of_lessons_are_told_so(page, proxy, monkeypatch, given, wanted):
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    keep_own_servers_off_the_proxy()
    assert os.environ["no_proxy"] == os.environ["NO_PROXY"] == wanted
    assert _read(page) == b"here"


def test_where_there_is_no_proxy_nothing_is_said(proxy, monkeypatch):
    monkeypatch.delenv("http_proxy")
    for name in list(os.environ):
        if name.lower() in ("https_proxy", "all_proxy", "grpc_proxy"):
            monkeypatch.delenv(name)
    keep_own_servers_off_the_proxy()
    assert "no_proxy" not in os.environ
