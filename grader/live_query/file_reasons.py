"""Reasons in a file source: files that it leaves out, and files that were changed after it read them."""

from __future__ import annotations

from grader.live_query.observation import Observation, Reason

_EVIDENCE = "the folder and the source's log in the checkpoint"


def file_too_old(seen: Observation) -> Reason | None:
    """Files whose age keeps the source from reading them."""
    for source in seen.files:
        if source.too_old:
            return Reason(
                "file_too_old",
                f"The query has not read {_names(source.too_old)} in {source.folder}.",
                "A file source leaves out files that are older than the newest file it has read by more than "
                "maxFileAge, which is 7 days here. The age is that of the last change.",
                'Set .option("maxFileAge", "365d") on the source, or give the file a new modification time.',
                evidence=_EVIDENCE,
            )
    return None


def file_changed(seen: Observation) -> Reason | None:
    """Files that have other contents than those that were read."""
    for source in seen.files:
        if source.changed:
            return Reason(
                "file_changed",
                f"After the query had read it, a file in {source.folder} was changed: {_names(source.changed)}.",
                "A file source reads each path once. What is written into a file later is not read.",
                "Write new rows to a new file. Write it elsewhere first and then move it into the folder, so that "
                "Spark never sees half of it.",
                evidence=_EVIDENCE,
            )
    return None


def _names(files: tuple[str, ...]) -> str:
    more = f" and {len(files) - 3} more" if len(files) > 3 else ""
    return ", ".join(files[:3]) + more
