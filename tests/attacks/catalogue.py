"""All attacks of this folder by name, such as reading/home; as a program it writes the page that lists them.

`PYTHONPATH=. python tests/attacks/catalogue.py` puts their sentences into the tables of docs/attacks.md.
"""

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


PAGE = HERE.parents[1] / "docs" / "attacks.md"


def page(text: str) -> str:
    """The page with the tables that the files make: one between each pair of marks, by folder."""
    for section in sorted({name.partition("/")[0] for name in ATTACKS}):
        begins, ends = f"<!-- {section} -->\n", f"<!-- end of {section} -->\n"
        before, _, rest = text.partition(begins)
        _, found, after = rest.partition(ends)
        if not found:
            raise SystemExit(f"{PAGE} has no place for {section}: {begins}{ends}")
        rows = [_row(name) for name in TEXTS if name.partition("/")[0] == section]
        table = "\n".join(["| attack | tries | must |", "| --- | --- | --- |", *rows])
        text = f"{before}{begins}{table}\n{ends}{after}"
    return text


def _row(name: str) -> str:
    tries, must = (" ".join(part.split()) for part in TEXTS[name].strip().split("\n\n"))
    link = f"[{name.partition('/')[2].replace('_', ' ')}](../tests/attacks/{name}.py)"
    tries, must = tries.removeprefix("Tries ").removeprefix("to "), must.removeprefix("Must ")
    return f"| {link} | {tries} | {must} |".replace("<", "&lt;")


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
