"""The live table: Debezium's messages of it, its end, and the cells of lesson 17 that use it."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from kafka import KafkaConsumer
from testkit.lesson_places import lessons
from testkit.live_servers import ENDINGS, had_or_skipped, leave_open

from grader.connectors.change_data.captured_orders import captured_orders
from grader.connectors.change_data.connect_worker import fetch_debezium
from grader.connectors.change_data.maven_downloads import maven_files
from grader.connectors.change_data.postgres_programs import fetch_postgres
from grader.connectors.change_data.schema_registry import APICURIO
from grader.runtime.broker import lease_broker

pytestmark = pytest.mark.slow
OPEN = """
from grader.runtime.broker import lease_broker
from grader.connectors.change_data.captured_orders import captured_orders
broker = open.enter_context(lease_broker())
open.enter_context(captured_orders(broker.bootstrap_servers, say=lambda line: None))
"""


@pytest.fixture(autouse=True, scope="module")
def downloads() -> None:
    had_or_skipped(fetch_postgres)
    had_or_skipped(fetch_debezium)


def test_each_change_is_a_record_and_a_delete_is_two() -> None:
    with lease_broker() as broker, captured_orders(broker.bootstrap_servers) as orders:
        orders.sql("UPDATE orders SET status = 'paid', cents = NULL WHERE order_id = 1")
        orders.sql("DELETE FROM orders WHERE order_id = 2")
        orders.wait_for(records=5)
        consumer = KafkaConsumer(
            orders.topic,
            bootstrap_servers=broker.bootstrap_servers,
            auto_offset_reset="earliest",
            consumer_timeout_ms=60_000,
        )
        values = [next(consumer).value for _ in range(5)]
        consumer.close()
        with pytest.raises(ValueError, match='relation "nowhere" does not exist'):
            orders.sql("DELETE FROM nowhere")
    changes = [json.loads(value) for value in values[:4]]
    assert [change["op"] for change in changes] == ["r", "r", "u", "d"] and values[4] is None
    assert changes[2]["before"]["status"] == "placed"
    assert changes[2]["after"] == {
        "order_id": 1,
        "customer": "ana",
        "status": "paid",
        "cents": None,
    }


@pytest.mark.parametrize("end", ENDINGS.values(), ids=ENDINGS)
def test_nothing_is_left_if(end: Callable[..., Any]) -> None:
    leave_open(OPEN, end)


def test_the_live_cells_of_lesson_17_do_what_the_lesson_says() -> None:
    had_or_skipped(lambda: maven_files([APICURIO], "Apicurio Registry", 159))
    lesson = lessons()["17"]
    sources = [cell.source for cell in lesson.notebook.cells]
    (beyond,) = [n for n, source in enumerate(sources) if source.startswith("# Going further")]
    live = [c.source for c in lesson.notebook.cells[beyond:] if c.cell_type == "code"]
    answers = [lesson.cell(name) for name in ("order_table", "read_order", "backward")]
    code = "\n\n".join([*lesson.tagged("given"), *lesson.tagged("start"), *answers, *live])
    done = subprocess.run(
        [sys.executable, "-c", code.replace("LIVE = False", "LIVE = True")],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    for expected in (
        "  batch 0: [(1, 'ana', 'placed', 1200, False), (2, 'ben', 'placed', 450, False)]",
        "  batch 1: [(1, 'ana', 'paid', 1200, False)]",
        "  batch 2: [(2, None, None, None, True)]",
        "  batch 3: [(1, None, None, None, True), (10, 'ana', 'paid', 1200, False)]",
        "ids: [1, 2, 3]",
        "backward: {'compatible': False, 'field': 'gift'}",
        "list of diff types: [gift at /fields/6]",
        "{'schema_id': 4, 'order_id': 'o10', 'buyer': 'ana', 'cents': 5, 'status': 'paid', "
        "'currency': 'EUR', 'problem': None}",
    ):
        assert expected in done.stdout, done.stdout
