"""Spark deletes its folders without a process for each."""

import pytest

from grader.authoring.proof import Bench
from grader.runtime.hadoop_processes import start_fewer_processes
from grader.runtime.scratch_folders import make_scratch


@pytest.mark.slow
def test_java_deletes_folders_itself_and_goes_behind_no_link(bench: Bench) -> None:
    folder, outside = make_scratch("checkpoint"), make_scratch("checkpoint")
    (outside / "kept").write_text("tea")
    (folder / "gone" / "deep").mkdir(parents=True)
    (folder / "gone" / "deep" / "file").write_text("tea")
    (folder / "gone" / "link").symlink_to(outside)
    context = bench.spark.sparkContext
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(context, "pythonExec", context.pythonExec)
        start_fewer_processes(context)
    utils = context._jvm.org.apache.spark.network.util.JavaUtils
    assert utils.isUnix is False, "it would run rm"
    utils.deleteRecursively(context._jvm.java.io.File(str(folder / "gone")))
    assert not (folder / "gone").exists()
    assert (outside / "kept").read_text() == "tea"
