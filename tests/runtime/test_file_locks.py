"""A lock keeps other processes away; a file system that has none is named with the fix."""

import errno
import fcntl
import os

import pytest

from grader.errors import SetupError
from grader.lab.doctor import examine
from grader.runtime.file_locks import file_lock, try_lock
from grader.runtime.scratch_folders import make_scratch


def test_a_lock_that_is_held_is_not_taken_twice(tmp_path) -> None:
    with file_lock(tmp_path / "lock"):
        assert try_lock(tmp_path / "lock") is None
    held = try_lock(tmp_path / "lock")
    assert held is not None
    os.close(held)


@pytest.fixture(
    params=[errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS], ids=errno.errorcode.get
)
def without_locks(request, monkeypatch):
    """A file system that refuses locks, as NFS, 9p and FUSE may."""

    def refuse(*_):
        raise OSError(request.param, os.strerror(request.param))

    monkeypatch.setattr(fcntl, "flock", refuse)


@pytest.mark.parametrize("owned", [True, False])
def test_a_file_system_without_locks_is_named_with_the_fix(
    without_locks, tmp_path, monkeypatch, owned
) -> None:
    with pytest.raises(SetupError, match=rf"of {tmp_path} has no locks .*Fix: .*GRADER_STATE"):
        try_lock(tmp_path / "lock")
    with pytest.raises(SetupError, match="Fix: "), file_lock(tmp_path / "lock"):
        pass
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(SetupError, match="has no locks"):
        make_scratch("test", owned=owned)
    assert not list(tmp_path.rglob("test-*"))


@pytest.mark.slow
def test_the_doctor_says_so_before_the_lab_starts(without_locks, state) -> None:
    (found,) = [each for each in examine() if each.name == "folders"]
    assert not found.ok and "has no locks" in found.found
    assert found.fix.startswith("name a folder on a local disk")
