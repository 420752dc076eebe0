"""A Spark session that is quiet, in UTC, fast to start, and gone with its process."""

import os
import shutil
import subprocess
import sys

import pytest
from testkit.lab_processes import ROOT, named, processes_of, start_python, wait_until

from grader.lab.doctor import SETUP, examine
from grader.lab.setup import start_ups
from grader.runtime import spark_jvm
from grader.runtime.jars import jar_paths
from grader.runtime.java import find_java

pytestmark = pytest.mark.slow

HOLDER = """
import sys
from grader.runtime.spark_session import spark_session
spark = spark_session()
print(spark.range(10).count(), flush=True)
sys.stdin.readline()
"""

BEGUN = """
import sys
from grader.runtime import spark_session
spark_session.begin()
spark_session.begin()
if use == "session":
    print(spark_session.spark_session().range(10).count(), flush=True)
    spark_session.begin()
print("ready", flush=True)
sys.stdin.readline()
"""

TALKATIVE = """
import pandas as pd
from pyspark.sql import functions as F
from grader.runtime.spark_session import spark_session
spark = spark_session()

@F.pandas_udf("string")
def python_of(x: pd.Series) -> pd.Series:
    import sys, time
    return x.map(lambda _: f"{sys.executable} {time.tzname[0]}")

spark.range(1).select(F.timestamp_seconds("id").alias("t"), python_of("id")).show(1, False)
print(spark.sql("SELECT TIMESTAMP '1970-01-01 00:00:00'").first()[0])
print(sorted(name for name in spark.conf.getAll if "warehouse" in name))
settings = spark._jsparkSession.sessionState().newHadoopConf()
print(settings.get("fs.file.impl"), settings.get("mapreduce.framework.name"))
spark.stop()
spark = spark_session()
print("again", spark.range(10).count())
print(spark._jvm.org.apache.spark.launcher.JavaModuleOptions.defaultModuleOptions())
"""


def run_python(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def talk(tmp_path_factory):
    """What a process far from UTC says that starts Spark and runs Python in it."""
    state = tmp_path_factory.mktemp("state")
    return run_python(TALKATIVE, GRADER_STATE=str(state), TZ="America/New_York")


def test_nothing_reaches_standard_error(talk):
    assert talk.stderr == ""


def test_everything_is_in_utc_and_python_workers_run_this_python(talk):
    assert f"|1970-01-01 00:00:00|{sys.executable} UTC" in talk.stdout
    assert "\n1970-01-01 00:00:00\n" in talk.stdout


def test_hadoop_keeps_its_own_settings_and_none_of_mapreduce(talk):
    """What is set for files stays; each setting costs time in every batch with state."""
    assert "com.globalmentor.apache.hadoop.fs.BareLocalFileSystem None" in talk.stdout


def test_a_session_that_was_stopped_is_followed_by_another(talk):
    assert "\nagain 10\n" in talk.stdout


def test_java_gets_the_module_flags_that_the_installed_spark_asks_for(talk):
    wanted = talk.stdout.splitlines()[-1].split()
    assert set(wanted) <= {
        *spark_jvm.MODULE_FLAGS,
        "-Dderby.connection.requireAuthentication=false",
    }
    assert len(wanted) > 20


def test_a_killed_process_leaves_no_java_and_two_can_run_side_by_side(state):
    first, second = start_python(HOLDER), start_python(HOLDER)
    assert first.stdout.readline() == second.stdout.readline() == "10\n"
    assert len(named(state, "PythonGatewayServer")) == 2
    first.kill()
    first.communicate()
    wait_until(lambda: len(named(state, "PythonGatewayServer")) == 1, "Java ends with its process")
    second.communicate("done\n")
    wait_until(lambda: not processes_of(state), "the other ends, too")


@pytest.mark.parametrize("use", ["session", "nothing"])
def test_a_java_that_has_begun_is_the_one_that_the_session_uses(state, use):
    """And it ends with its process, whether one came to use it or not."""
    holder = start_python(f"use = {use!r}\n{BEGUN}")
    while holder.stdout.readline() != "ready\n":
        pass
    assert len(named(state, "PythonGatewayServer")) == 1
    holder.communicate("done\n")
    assert holder.returncode == 0
    wait_until(lambda: not processes_of(state), "Java ends with its process")


@pytest.mark.parametrize("left", [None, b"not a cache", 0.5], ids=str)
def test_without_a_cache_that_fits_spark_still_starts_and_the_doctor_notices(
    state, tmp_path, monkeypatch, left
):
    """`left`: no cache at all, one with these bytes, or this share of the good one."""
    good = start_ups(find_java())[1].cache  # before the environment names another place
    cache = tmp_path / "cache"
    shutil.copytree(jar_paths("connector")[0].parents[1], cache / "jars")
    monkeypatch.setenv("GRADER_CACHE", str(cache))
    (cache / "archives").mkdir()
    if left is not None:
        whole = good.read_bytes()
        spoilt = left if isinstance(left, bytes) else whole[: int(len(whole) * left)]
        (cache / "archives" / good.name).write_bytes(spoilt)
    holder = start_python(HOLDER, env=dict(os.environ))
    assert holder.communicate("done\n")[0] == "10\n"
    found = next(f for f in examine() if f.name == "caches")
    assert not found.ok and "spark" in found.found and found.fix == SETUP


def test_a_java_that_does_not_start_is_told_with_its_log(state, monkeypatch):
    from grader.errors import SetupError

    monkeypatch.setattr(spark_jvm, "HEAP_FLAG", "-Xmx1banana")
    with pytest.raises(SetupError, match="Invalid maximum heap size: -Xmx1banana"):
        spark_jvm.start_java().connection()
