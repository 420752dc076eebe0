"""The program that lesson 16 makes of its own solutions, for the live run."""

from __future__ import annotations

import ast
from pathlib import Path

from grader.validity.syntax_tree import parse

LESSON = Path(__file__).resolve().parents[2] / "solutions" / "16_capstone" / "lesson.py"
IMPORTS = """\
import math, uuid
from typing import Any
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter
ALARMS = uuid.uuid5(uuid.NAMESPACE_URL, "https://shop.example/alarms")
"""
WIRING = """\
def counts(records):
    return hot_pages(records.sparkSession, records)

def pipeline(spark, kafka):
    return to_alarms(tuned(spark, kafka), kafka)
"""
PARTS = ("hot_pages", "alarm_key", "to_alarms", "tuned")


def lesson_program() -> str:
    """The text of a program that `grader.capstone.load_run` takes; it needs a clone of the project."""
    text = LESSON.read_text(encoding="utf-8")
    functions = {
        node.name: ast.get_source_segment(text, node)
        for node in parse(text).body
        if isinstance(node, ast.FunctionDef)
    }
    return "\n\n".join([IMPORTS, *(functions[name] or "" for name in PARTS), WIRING])


def figures(cores: int, limit: int = 5000, rate: int = 20_000) -> dict[str, str]:
    """The settings that the program reads: the limit of a page, cores, and clicks a core takes a second."""
    return {
        "shop.limit": str(limit),
        "shop.cores": str(cores),
        "shop.stateMegabytes": "1",
        "shop.clicksPerCore": str(rate),
    }
