"""Servers that come as Node packages: fetched once, held to their lock, and a word where they cannot be had."""

import json
from pathlib import Path

import pytest

from grader.connectors import node_packages
from grader.connectors.node_packages import LOCK, package_file
from grader.errors import SetupError


def test_the_lock_holds_a_hash_for_each_package_and_no_address() -> None:
    packages = json.loads((LOCK / "package-lock.json").read_text())["packages"]
    named = [entry for path, entry in packages.items() if path]
    assert named and all(entry["integrity"].startswith("sha512-") for entry in named)
    assert all("resolved" not in entry for entry in named)


def test_a_package_is_fetched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = package_file("kinesis-local/main.js")
    assert first.is_file()

    def never(*_: object) -> None:
        raise AssertionError("it was there already")

    monkeypatch.setattr(node_packages, "_fetch", never)
    assert package_file("kinesis-local/main.js") == first


def test_where_the_registry_cannot_be_reached_the_mend_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", "http://127.0.0.1:9/")
    monkeypatch.setenv("NPM_CONFIG_CACHE", str(tmp_path / "npm"))
    monkeypatch.setenv("NPM_CONFIG_FETCH_RETRIES", "0")
    said: list[str] = []
    with pytest.raises(SetupError, match="NPM_CONFIG_REGISTRY"):
        package_file("kinesis-local/main.js", say=said.append)
    assert len(said) == 1
    assert [path.name for path in (tmp_path / "cache" / "npm").iterdir()] == [".lock"]


def test_a_package_that_differs_from_its_lock_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = json.loads((LOCK / "package-lock.json").read_text())
    lock["packages"]["node_modules/kinesis-local"]["integrity"] = "sha512-" + 86 * "A" + "=="
    (tmp_path / "package-lock.json").write_text(json.dumps(lock))
    (tmp_path / "package.json").write_bytes((LOCK / "package.json").read_bytes())
    monkeypatch.setattr(node_packages, "LOCK", tmp_path)
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("NPM_CONFIG_CACHE", str(tmp_path / "npm"))
    with pytest.raises(SetupError, match="EINTEGRITY"):
        package_file("kinesis-local/main.js")
