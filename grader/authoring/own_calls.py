"""A notebook's own calls of a pure function once more, in other figures: for hidden events with the same edges."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any


def longer(hidden: str, factor: int, names: Collection[str]) -> list[dict[str, Any]]:
    """The values of the public events beside a hidden.py, every number under one of these names times `factor`.

    Where all times are compared with times alone, each call stays on its edge; with a power of two
    as factor also where they are divided. Who knows the notebook's results by heart needs other
    calls beside these.
    """
    lines = Path(hidden).with_name("public.jsonl").read_text(encoding="utf-8").splitlines()
    values = [json.loads(line)["value"] for line in lines if line.strip()]
    return [_times(value, 1, factor, names) for value in values]


def _times(value: Any, by: int, factor: int, names: Collection[str]) -> Any:
    if isinstance(value, dict):
        return {
            name: _times(inner, factor if name in names else by, factor, names)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_times(inner, by, factor, names) for inner in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value * by if is_number else value
