"""A page of metrics as a scrape gets it."""

from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest

from grader.query_metrics.metrics_endpoint import metrics_endpoint


def test_each_scrape_gets_the_text_of_its_moment_until_the_block_ends() -> None:
    texts = iter(["a 1\n", "ä 2\n"])
    with metrics_endpoint(lambda: next(texts)) as address:
        assert address.startswith("http://127.0.0.1:")
        with urlopen(address) as reply:
            assert reply.read() == b"a 1\n"
            assert reply.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        with urlopen(address) as reply:
            assert reply.read().decode() == "ä 2\n"
    with pytest.raises(URLError):
        urlopen(address)


def test_a_function_that_raises_is_a_failed_scrape() -> None:
    with metrics_endpoint(lambda: 1 / 0) as address, pytest.raises(HTTPError, match="500: Zero"):  # type: ignore[arg-type, return-value]
        urlopen(address)
