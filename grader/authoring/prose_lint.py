"""What `make check-style` refuses in prose; patterns and limits are data in docs/style.toml, terms in docs/glossary.md.

    python -m grader.authoring.prose_lint [FILE …]

reads lessons, exercises, discussions, messages, docs and docstrings; without files, all of the project.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from grader.authoring.glossary import naming, read_glossary
from grader.toml_file import read_toml

_CODE = re.compile(
    r"```.*?```|^\[[^\]]+\]: \S+$|`[^`\n]*`|!?\[([^\]]*)\]\([^)]*\)|<[^>\n]+>|\{[\w.]+\}",
    re.DOTALL | re.MULTILINE,
)
_CODE_KEYS = ("pattern", "schema")  # of a table: their values are code
_SENTENCE_END = re.compile(r"(?<=[.?!:;])[\"')*_]*\s+(?=[\"'(*_`]*[A-Z0-9`])")
_HEADING = re.compile(r"^#{2,3} (.+)$", re.MULTILINE)
_SENTENCES = re.compile(r"[A-Z].*[.?!:]", re.DOTALL)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_PARENTHESIZED = re.compile(r"\([A-Z][^()]{15,}[.?!]\)")


@dataclass(frozen=True)
class Prose:
    """A piece of text that readers see: where it begins, and whether it is a notebook's cell."""

    file: Path
    line: int
    text: str
    cell: bool = False


@dataclass(frozen=True)
class Finding:
    """What is wrong: the rule's name, where, and the words."""

    rule: str
    file: Path
    line: int
    words: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}: {self.words}"


def us_spellings() -> dict[str, str]:
    """British spellings, each with the American one, from codespell's word list."""
    path = resources.files("codespell_lib") / "data" / "dictionary_en-GB_to_en-US.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    return {british: american for british, _, american in (line.partition("->") for line in lines)}


class ProseLint:
    """The rules of docs/style.toml; `findings` applies them to prose. `terms` finds a glossary's term."""

    def __init__(self, table: dict[str, Any], terms: re.Pattern[str]):
        self._limits = table["limits"]
        self._us_spellings = us_spellings()
        self._terms, self._exceptions = terms, table["headings"]["exceptions"]
        self._frame = re.compile("|".join(table["headings"]["frame"]))
        self._words = [
            (kind, re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE), instead)
            for kind in ("vocabulary", "spelling")
            for pattern, instead in table[kind].items()
        ]

    def findings(self, prose: Prose) -> Iterator[Finding]:
        text = _without_code(prose.text)
        for kind, pattern, instead in self._words:
            for found in pattern.finditer(text):
                yield self._found(
                    kind, prose, text, found.start(), f"{found[0]!r} (say: {instead})"
                )
        for found in re.finditer(r"[A-Za-z]+", text):
            if instead := self._us_spellings.get(found[0].lower()):
                yield self._found(
                    "spelling", prose, text, found.start(), f"{found[0]!r} (say: {instead})"
                )
        for found in _PARENTHESIZED.finditer(text):
            yield self._found("parenthesized sentence", prose, text, found.start(), found[0][:60])
        yield from self._long_sentences(prose, text)
        if prose.cell:
            yield from self._headings_without_a_term(prose)
        count = len(text.split())
        if prose.cell and count > self._limits["cell_words"]:
            yield Finding("long cell", prose.file, prose.line, f"{count} words")

    def _headings_without_a_term(self, prose: Prose) -> Iterator[Finding]:
        for found in _HEADING.finditer(prose.text):
            heading = found[1]
            if not (
                self._terms.search(heading.replace("`", ""))
                or self._frame.fullmatch(heading)
                or heading in self._exceptions
            ):
                yield self._found(
                    "heading without a glossary term", prose, prose.text, found.start(), heading
                )

    def _long_sentences(self, prose: Prose, text: str) -> Iterator[Finding]:
        start = 0
        for block in re.split(r"(\n\s*\n|\n(?=\s*(?:[-*#|>]|\d+\.)\s?))", text):
            if not block.lstrip().startswith("|"):
                for sentence in _SENTENCE_END.split(block):
                    count = len(re.findall(r"\w[\w'’-]*", sentence))
                    if count > self._limits["sentence_words"]:
                        place = start + block.find(sentence)
                        words = " ".join(sentence.split())[:70]
                        yield self._found("long sentence", prose, text, place, f"{count}: {words}")
            start += len(block)

    @staticmethod
    def _found(rule: str, prose: Prose, text: str, place: int, words: str) -> Finding:
        return Finding(rule, prose.file, prose.line + text.count("\n", 0, place), words)


def _without_code(text: str) -> str:
    """The text with code as one word, links as their words, and every line where it was."""

    def shorter(found: re.Match[str]) -> str:
        return (found[1] or "X") + "\n" * (found[0].count("\n") - (found[1] or "").count("\n"))

    return _CODE.sub(shorter, text)


def prose_of(path: Path) -> Iterator[Prose]:
    """The prose in a file: by its name a lesson, an author's table, mistakes, Markdown or a module."""
    text = path.read_text(encoding="utf-8")
    if path.name == "lesson.py":
        yield from _cells(path, text)
    elif path.suffix == ".md":
        yield Prose(path, 1, text)
    elif path.suffix == ".toml":
        yield from _strings(path, text)
    elif path.suffix == ".py":
        tree = ast.parse(text)
        yield from _docstrings(path, tree)
        yield from _messages(path, tree)


def _cells(path: Path, text: str) -> Iterator[Prose]:
    lines = text.splitlines()
    begins = [number for number, line in enumerate(lines) if line.startswith("# %%")]
    for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        cell = [line.removeprefix("#").removeprefix(" ") for line in lines[begin + 1 : end]]
        if lines[begin].startswith("# %% [markdown]"):
            yield Prose(path, begin + 2, "\n".join(cell), cell=True)


def _strings(path: Path, text: str) -> Iterator[Prose]:
    """The sentences among the values of a table; a line number is where their first words are."""

    def values(table: Any) -> Iterable[str]:
        if isinstance(table, str):
            yield table
        elif isinstance(table, list):
            for value in table:
                yield from values(value)
        elif isinstance(table, dict):
            for key, value in table.items():
                yield from values(value) if key not in _CODE_KEYS else ()

    for value in values(read_toml(path)):
        if value.count(" ") >= 3:
            start = text.find(value.split("\n")[0][:30].replace('"', '\\"'))
            yield Prose(path, text.count("\n", 0, max(start, 0)) + 1, value)


def _docstrings(path: Path, tree: ast.Module) -> Iterator[Prose]:
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED):
            words = ast.get_docstring(node)
            if words:
                yield Prose(path, node.body[0].lineno, words)


def _messages(path: Path, tree: ast.Module) -> Iterator[Prose]:
    """The sentences that a module shows: its string literals that begin and end as sentences do."""
    others = {id(node.body[0].value) for node in ast.walk(tree) if _has_docstring(node)}  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            others.update(id(part) for part in node.values)
            words = "".join(_constant(part) for part in node.values)
        elif isinstance(node, ast.Constant) and id(node) not in others:
            words = _constant(node)
        else:
            continue
        if _SENTENCES.fullmatch(words) and words.count(" ") >= 3:
            yield Prose(path, node.lineno, words)


def _has_docstring(node: ast.AST) -> bool:
    return isinstance(node, _DOCUMENTED) and ast.get_docstring(node) is not None


def _constant(node: ast.AST) -> str:
    """A string; of what is filled in, one word."""
    if not isinstance(node, ast.Constant):
        return "X"
    return node.value if isinstance(node.value, str) else ""


def all_prose(root: Path) -> list[Path]:
    """The files that people read: lessons, exercises, docs, and the modules of the package."""
    patterns = (
        "solutions/*/lesson.py",
        "solutions/*/lesson.toml",
        "solutions/*/*/exercise.toml",
        "solutions/*/*/misconceptions.py",
        "solutions/*/*/discussion.md",
        "docs/*.md",
        "grader/judging/wording/*.toml",
        "grader/model/drill/**/*.toml",
        "*.md",
        "grader/**/*.py",
    )
    found = {path for pattern in patterns for path in root.glob(pattern)}
    return sorted(found - {root / "docs/style.md"})  # it names the words that it refuses


def main(arguments: list[str]) -> int:
    """Lint the files, or the project in the current folder; 1 if something must be reworded."""
    root, table = Path.cwd(), read_toml(Path.cwd() / "docs/style.toml")
    lint = ProseLint(table, naming(read_glossary(root / "docs/glossary.md")))
    files = [Path(name) for name in arguments]
    found = [
        finding
        for path in files or [path.relative_to(root) for path in all_prose(root)]
        for prose in prose_of(path)
        for finding in lint.findings(prose)
    ]
    print("\n".join(map(str, found)), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
