"""How nbgrader's converters read a submission: by the one reader of notebooks, whatever wrote the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter

from grader.learner.notebook_reader import read_notebook


class SubmissionExporter(NotebookExporter):  # type: ignore[misc]
    """nbconvert's exporter of notebooks for files that nbformat refuses or reads with a warning for each cell."""

    def from_file(
        self, file_stream: Any, resources: dict[str, Any] | None = None, **more: Any
    ) -> tuple[Any, dict[str, Any]]:
        notebook = read_notebook(Path(file_stream.name))
        return self.from_notebook_node(notebook, resources, **more)
