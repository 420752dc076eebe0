"""TOML files as tables, on each Python that the project supports."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TOMLDecodeError = tomllib.TOMLDecodeError


def read_toml(path: Path) -> dict[str, Any]:
    """A file's table; raises OSError or TOMLDecodeError."""
    return tomllib.loads(path.read_text(encoding="utf-8"))
