"""Repeats a notebook's own calls of a pure function: for hidden events with the same edges."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any


def own_calls(hidden: str, times: Collection[str] = (), factor: int = 1) -> list[dict[str, Any]]:
    """The values of the public events next to a hidden.py; numbers under `times` are multiplied by `factor`.

    If a function compares times only with other times, each call stays on its edge. If it divides them,
    that needs a power of two as factor. An answer that knows the notebook's results by heart passes
    these calls, so authors add others.
    """
    lines = Path(hidden).with_name("public.jsonl").read_text(encoding="utf-8").splitlines()
    values = [json.loads(line)["value"] for line in lines if line.strip()]
    return [_scaled(value, 1, factor, times) for value in values]


def _scaled(value: Any, by: int, factor: int, times: Collection[str]) -> Any:
    if isinstance(value, dict):
        return {
            name: _scaled(inner, factor if name in times else by, factor, times)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_scaled(inner, by, factor, times) for inner in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value * by if is_number else value
