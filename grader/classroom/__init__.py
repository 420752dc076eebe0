"""A class: its submissions graded into nbgrader's grade book, reports on it, exports, bundles."""
