"""The bill of materials of a release: each locked Python package, jar and npm package with its hashes (CycloneDX)."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader.toml_file import read_toml
from grader.validity.versions import LOCK

JAR_LOCKS = "grader/runtime/jars/*/jgo.lock.toml"
NPM_LOCKS = "grader/**/package-lock.json"

Component = dict[str, Any]


def bill_of_materials(root: Path, seconds: int) -> str:
    """The bill as JSON; `seconds` since 1970 is its time."""
    bill = _of_python(root, seconds)
    found = {each["bom-ref"]: each for each in [*_jars(root), *_npm_packages(root)]}
    bill["components"] += [found[name] for name in sorted(found)]
    return json.dumps(bill, indent=1, sort_keys=True) + "\n"


def demand_valid(bill: str) -> None:
    """Raise ValueError if a bill is not valid CycloneDX, by its schema (seconds)."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill)
    if fault:
        raise ValueError(f"The bill of materials is not valid: {fault}")


def _of_python(root: Path, seconds: int) -> dict[str, Any]:
    """The project and the packages of its lock, as CycloneDX's own program reads them."""
    # a lock does not say what depends on what, which it warns about
    python = (sys.executable, "-W", "ignore::UserWarning")
    command = (
        *python,
        "-m",
        "cyclonedx_py",
        "requirements",
        "--output-reproducible",
        "--no-validate",
    )
    done = subprocess.run(
        [*command, "--pyproject", "pyproject.toml", LOCK],
        cwd=root,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(seconds)},
        check=True,
        capture_output=True,
        text=True,
    )
    bill: dict[str, Any] = json.loads(done.stdout)
    for each in bill["components"]:
        del each["description"]  # the line of the lock, which repeats all hashes
    return bill


def _jars(root: Path) -> Iterator[Component]:
    for lock in sorted(root.glob(JAR_LOCKS)):
        for jar in read_toml(lock)["dependencies"]:
            purl = f"pkg:maven/{jar['groupId']}/{jar['artifactId']}@{jar['version']}?type=jar"
            yield _component(purl, jar["artifactId"], jar["version"], "SHA-256", jar["sha256"]) | {
                "group": jar["groupId"]
            }


def _npm_packages(root: Path) -> Iterator[Component]:
    for lock in sorted(root.glob(NPM_LOCKS)):
        for place, package in json.loads(lock.read_text(encoding="utf-8"))["packages"].items():
            if not place:
                continue  # the lock's own project
            name, version = place.rpartition("node_modules/")[2], package["version"]
            _, _, digest = package["integrity"].partition("sha512-")
            purl = f"pkg:npm/{name.replace('@', '%40')}@{version}"
            yield _component(purl, name, version, "SHA-512", base64.b64decode(digest).hex())


def _component(purl: str, name: str, version: str, algorithm: str, digest: str) -> Component:
    return {
        "bom-ref": purl,
        "hashes": [{"alg": algorithm, "content": digest}],
        "name": name,
        "purl": purl,
        "type": "library",
        "version": version,
    }
