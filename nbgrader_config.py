"""nbgrader's settings for this course; docs/teach.md says how to use them."""

from pathlib import Path

from grader.classroom.discussions import LeaveOutDiscussions
from grader.classroom.feedback_headings import NameFeedbackHeadings
from grader.classroom.gradebook import FillGradebook

c = get_config()  # noqa: F821 (nbgrader puts it here)

# What `grader build` made of solutions/ is what nbgrader starts from. It has no solutions in it,
# so generate_assignment only copies it and writes the grade book.
DIRECTORY = {
    "root": str(Path(__file__).resolve().parent),
    "course_id": "stateful-streams",
    "source_directory": "course",
    "release_directory": "released",
}
c.CourseDirectory.update(DIRECTORY)
c.GenerateAssignment.post_convert_hook = LeaveOutDiscussions(**DIRECTORY)
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.LockCells",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# A submission runs in a process of its own, and the judge's score counts: Restore comes first,
# Record takes the place of Execute, Grade that of SaveAutoGrades. The rest is nbgrader's own.
c.Autograde.exporter_class = "grader.classroom.submission_exporter.SubmissionExporter"
c.Autograde.pre_convert_hook = FillGradebook(**DIRECTORY)
c.Autograde.sanitize_preprocessors = [
    "grader.classroom.preprocessors.Restore",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Autograde.autograde_preprocessors = [
    "grader.classroom.preprocessors.Record",
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "grader.classroom.preprocessors.Grade",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# A language and headings of their own, for screen readers.
c.GenerateFeedback.post_convert_hook = NameFeedbackHeadings(**DIRECTORY)

# From a learning platform's zip: a damaged archive is named and left out, one in another unpacked.
c.ZipCollectApp.extractor_plugin = "grader.classroom.archive_collection.ArchiveExtractor"
c.ZipCollectApp.collector_plugin = "grader.classroom.archive_collection.NotebookCollector"

# Seconds that Validate gives a cell: the first one waits for Kafka and Spark.
c.Execute.timeout = 300
