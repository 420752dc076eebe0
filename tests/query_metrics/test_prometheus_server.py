"""A real Prometheus, where the program is installed."""

import pytest

from grader.query_metrics.metrics_endpoint import metrics_endpoint
from grader.query_metrics.prometheus_server import (
    PrometheusError,
    is_installed,
    prometheus_server,
)

PAGE = '# TYPE shop_lag gauge\nshop_lag{query="say \\"hi\\""} 7\n'


def test_without_the_program_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert not is_installed()
    with pytest.raises(PrometheusError, match="apt-get install"), prometheus_server([]):
        pass


@pytest.mark.slow
@pytest.mark.skipif(not is_installed(), reason="there is no program prometheus here")
def test_it_scrapes_a_page_and_answers_a_query() -> None:
    with metrics_endpoint(lambda: PAGE) as address, prometheus_server([address]) as server:
        (sample,) = server.query("shop_lag * 2")
        (up,) = server.query("up")
    assert sample["metric"]["query"] == 'say "hi"'
    assert sample["value"][1] == "14"
    assert up["value"][1] == "1"
    assert server.process.returncode is not None, "it ends with the block"


@pytest.mark.slow
@pytest.mark.skipif(not is_installed(), reason="there is no program prometheus here")
def test_no_result_names_the_scrape_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        metrics_endpoint(lambda: "no metric\n") as address,
        prometheus_server([address]) as server,
    ):
        server.query("up == 0")  # the first scrape is done, and has failed
        monkeypatch.setattr("grader.query_metrics.prometheus_server.SECONDS", 0.5)
        with pytest.raises(PrometheusError, match=rf"Fix these scrapes: {address} \("):
            server.query("shop_lag")


@pytest.mark.slow
@pytest.mark.skipif(not is_installed(), reason="there is no program prometheus here")
def test_a_server_that_ends_is_an_error_at_once() -> None:
    with prometheus_server([]) as server:
        server.process.terminate()
        with pytest.raises(PrometheusError, match="has stopped"):
            server.query("up")
