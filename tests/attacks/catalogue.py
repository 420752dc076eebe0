"""All attacks of this folder by name, such as reading/home."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from forms import Attack

HERE = Path(__file__).parent


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"attack_{path.parent.name}_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_MODULES = {f"{path.parent.name}/{path.stem}": _load(path) for path in sorted(HERE.glob("*/*.py"))}
ATTACKS: dict[str, Attack] = {name: module.ATTACK for name, module in _MODULES.items()}
TEXTS = {name: str(module.__doc__) for name, module in _MODULES.items()}


def of(form: type) -> list[str]:
    """The names of all attacks of a form."""
    return [name for name, attack in ATTACKS.items() if isinstance(attack, form)]
