"""The PostgreSQL whose changes lesson 17 has: it decodes its log, and ends with its block."""

import shutil
from pathlib import Path

import pytest

from grader.connectors.change_data.postgres_server import postgres_server
from grader.errors import SetupError
from grader.runtime.ports import is_free

PRESENT = shutil.which("pg_ctl") or any(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))


@pytest.mark.skipif(not PRESENT, reason="PostgreSQL is for authors who record messages")
def test_a_server_decodes_its_log_and_ends_with_its_block() -> None:
    with postgres_server() as shop:
        assert shop.sql("SHOW wal_level") == "logical"
        shop.sql("CREATE TABLE orders (order_id INT); INSERT INTO orders VALUES (1)")
        assert shop.sql("SELECT * FROM orders") == "1"
    assert is_free(shop.port)


def test_without_postgresql_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr(Path, "glob", lambda self, pattern: [])
    with pytest.raises(SetupError, match="apt-get install postgresql"), postgres_server():
        pass
