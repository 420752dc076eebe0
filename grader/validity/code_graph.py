"""The package's modules and what each of them imports and reads: the code behind a result."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from grader.runtime.paths import PACKAGE
from grader.validity.digest import digest_of, file_digest, folder_digest
from grader.validity.python_code import code_digest, names_imported, strings_in


class PatternError(ValueError):
    """A pattern that fits no file of the package: a module was renamed, and this place was not."""


class CodeGraph:
    """The modules of one package folder; each file is read once.

    A module's data files are in the same folder, and its code names them. A string names a data file if it
    is the name of a file or folder there, such as "log4j2.properties".
    """

    def __init__(self, package: Path = PACKAGE):
        self.package = package
        self._texts: dict[Path, str] = {}
        self._beside: dict[Path, list[Path]] = {}  # by folder, what is not Python
        self._by_name: dict[str, list[Path]] = {}

    def digest(self, roots: Iterable[str], without: Iterable[str] = ()) -> str:
        """A digest of the code and the data files that `roots` are or import, however indirectly.

        Both are patterns such as "replay/*.py"; what `without` names is neither counted nor followed.
        Raises PatternError for one that fits no file.
        """
        return self._digest(self.files(roots), without)

    def upstream_digest(self, texts: Iterable[str], without: Iterable[str] = ()) -> str:
        """A digest of the package's code that Python code outside of it imports; empty if it imports none."""
        found = sorted({path for text in texts for path in self._imported_by(text)})
        return self._digest(found, without) if found else ""

    def files(self, patterns: Iterable[str]) -> list[Path]:
        """The package's files that fit any of the patterns; raises PatternError for one without a file."""
        found: list[Path] = []
        for pattern in patterns:
            fitting = [p for p in self.package.glob(pattern) if "__pycache__" not in p.parts]
            if not fitting:
                raise PatternError(f"{pattern} fits no file in {self.package.name}/.")
            found += fitting
        return found

    def modules(self, roots: Iterable[Path], without: Collection[Path] = ()) -> list[Path]:
        """The modules that `roots` are or import, sorted."""
        found: set[Path] = set()
        ahead = [path for path in roots if path.suffix == ".py"]
        while ahead:
            path = ahead.pop()
            if path not in found and path not in without:
                found.add(path)
                ahead += self._imported_by(self._text(path))
        return sorted(found)

    def data_of(self, module: Path) -> list[Path]:
        """The files and folders next to a module that its code names; Python is followed by imports."""
        folder = module.parent
        if folder not in self._beside:
            self._beside[folder] = [p for p in sorted(folder.iterdir()) if not _is_python(p)]
        named = strings_in(self._text(module)) if self._beside[folder] else frozenset()
        return [path for path in self._beside[folder] if path.name in named]

    def _digest(self, roots: Iterable[Path], without: Iterable[str]) -> str:
        parts = []
        left_out = set(self.files(without))
        for module in self.modules(roots, left_out):
            parts += [self._name(module), code_digest(self._text(module))]
            for data in [path for path in self.data_of(module) if path not in left_out]:
                held = folder_digest(data) if data.is_dir() else file_digest(data)
                parts += [self._name(data), held]
        return digest_of(parts)

    def _imported_by(self, text: str) -> list[Path]:
        """The modules that source text names; the package's own __init__ is the front door, not a part."""
        return [path for name in names_imported(text) for path in self._called(name)]

    def _called(self, name: str) -> list[Path]:
        """The module of a dotted name, or nothing."""
        if name not in self._by_name:
            parts = name.split(".")[1:]
            module = self.package.joinpath(*parts)
            places = (module.with_suffix(".py"), module / "__init__.py") if parts else ()
            self._by_name[name] = [path for path in places if path.is_file()]
        return self._by_name[name]

    def _name(self, path: Path) -> str:
        return path.relative_to(self.package).as_posix()

    def _text(self, path: Path) -> str:
        if path not in self._texts:
            self._texts[path] = path.read_text(encoding="utf-8")
        return self._texts[path]


def _is_python(path: Path) -> bool:
    """Whether a path is a module or a package: imports lead there."""
    if path.is_dir():
        return path.name == "__pycache__" or (path / "__init__.py").exists()
    return path.suffix in (".py", ".pyc")
