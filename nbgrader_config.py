"""nbgrader's settings for this course; docs/teach.md says how to use them."""

from pathlib import Path

from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    ClearOutput,
    ComputeChecksums,
    DeduplicateIds,
    IgnorePattern,
    LimitOutput,
    LockCells,
    OverwriteCells,
    OverwriteKernelspec,
    SaveCells,
)

from grader.classroom.gradebook import FillGradebook
from grader.classroom.preprocessors import Grade, Record, Restore

c = get_config()  # noqa: F821 (nbgrader puts it here)

# What `grader build` made of solutions/ is what nbgrader starts from. It already has no solutions,
# so generate_assignment only copies it and writes the grade book.
DIRECTORY = {
    "root": str(Path(__file__).resolve().parent),
    "course_id": "stateful-streams",
    "source_directory": "course",
    "release_directory": "released",
}
c.CourseDirectory.update(DIRECTORY)
c.GenerateAssignment.preprocessors = [
    LockCells,
    ClearOutput,
    CheckCellMetadata,
    ComputeChecksums,
    SaveCells,
    CheckCellMetadata,
]

# A submission runs in a process of its own, and the judge's score counts.
c.Autograde.pre_convert_hook = FillGradebook(**DIRECTORY)
c.Autograde.sanitize_preprocessors = [
    Restore,
    ClearOutput,
    DeduplicateIds,
    OverwriteKernelspec,
    OverwriteCells,
    CheckCellMetadata,
]
c.Autograde.autograde_preprocessors = [
    Record,
    IgnorePattern,
    ClearMetadataPreprocessor,
    LimitOutput,
    Grade,
    AssignLatePenalties,
    CheckCellMetadata,
]

# `nbgrader validate` and JupyterLab's Validate run the notebook as it is: the first check waits for Spark.
c.Execute.timeout = 300
