"""The grade book of a learning platform, over LTI 1.3: Assignment and Grade Services, version 2.0.

The platform knows this course as a tool. Each token is requested with a JWT that the tool's private key signs.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key

from grader.errors import SetupError
from grader.toml_file import TOMLDecodeError, read_toml

try:
    from pylti1p3.assignments_grades import AssignmentsGradesService
    from pylti1p3.exception import LtiException, LtiServiceException
    from pylti1p3.grade import Grade
    from pylti1p3.lineitem import LineItem
    from pylti1p3.registration import Registration
    from pylti1p3.service_connector import ServiceConnector
except ImportError as error:
    raise SetupError(
        "Grade passback needs a package that the course does not install. "
        'Fix: .venv/bin/pip install "pylti1p3next==2.0.2"'
    ) from error

SCOPES = [
    f"https://purl.imsglobal.org/spec/lti-ags/scope/{scope}"
    for scope in ("lineitem", "result.readonly", "score")
]
SECONDS = 30  # for one answer of the platform
MARGIN_SECONDS = 60  # before a token expires
KEY_BITS = 2048
REQUIRED = ("client_id", "token_url", "line_items_url")
KEY_NAME = "platform.pem"


class ScoreRefusedError(Exception):
    """The platform refuses the score of this student; it may take those of others."""


@dataclass(frozen=True)
class PlatformSettings:
    """What the platform shows when the tool is registered, and the file of the tool's private key."""

    client_id: str
    token_url: str
    line_items_url: str
    key: Path
    audience: str = ""

    @classmethod
    def read(cls, path: Path) -> PlatformSettings:
        """The settings in a TOML file; raises SetupError with the fix."""
        try:
            table = read_toml(path)
        except FileNotFoundError as error:
            raise SetupError(
                f"There is no {path}. docs/hub.md says what to write in it."
            ) from error
        except (OSError, UnicodeDecodeError, TOMLDecodeError) as error:
            raise SetupError(f"{path} cannot be read: {error}") from error
        known = {*REQUIRED, "audience"}
        wrong = [name for name in REQUIRED if not isinstance(table.get(name), str)]
        wrong += [name for name in table if name not in known]
        if wrong:
            raise SetupError(
                f"{path}: check {', '.join(wrong)}. Required are the strings {', '.join(REQUIRED)}; "
                "audience can be added."
            )
        for name in ("token_url", "line_items_url"):
            _demand_safe(table[name], f"{name} in {path}")
        return cls(**table, key=path.with_name(KEY_NAME))


def public_key_of(path: Path) -> tuple[str, dict[str, Any]]:
    """The public half of the private key in a file, as PEM and as JWK; the key is made if there is none."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        made = generate_private_key(public_exponent=65537, key_size=KEY_BITS).private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        path.touch(0o600)
        path.write_bytes(made)
    _, public = _key_pair(path)
    return public, {**Registration.get_jwk(public)}


class PlatformGrades:
    """The line items of one course on the platform, and the scores in them."""

    def __init__(self, settings: PlatformSettings):
        private, public = _key_pair(settings.key)
        tool = Registration()
        tool.set_client_id(settings.client_id).set_auth_token_url(settings.token_url)
        tool.set_tool_private_key(private).set_tool_public_key(public)
        if settings.audience:
            tool.set_auth_audience(settings.audience)
        self._settings = settings
        self._service = AssignmentsGradesService(
            _Connector(tool, _Session()),
            {"scope": SCOPES, "lineitems": settings.line_items_url},  # type: ignore[typeddict-item]
        )

    def line_item(self, lesson: str) -> LineItem | None:
        """The line item of a lesson, such as 03_watermarks, if the platform has one."""
        with self._explained():
            return self._service.find_lineitem_by_resource_id(lesson)

    def create_line_item(self, lesson: str, label: str, maximum: float) -> LineItem:
        new = LineItem().set_resource_id(lesson).set_label(label).set_score_maximum(maximum)
        with self._explained():
            return self._service.create_lineitem(new)

    def shares(self, item: LineItem) -> dict[str, float]:
        """The share of the points, mostly from 0 to 1, of each user who has a score there."""
        with self._explained():
            return {
                str(found["userId"]): found["resultScore"] / (found.get("resultMaximum") or 1)
                for found in self._service.get_grades(item)
                if found.get("resultScore") is not None
            }

    def send(self, item: LineItem, user: str, score: float, maximum: float) -> None:
        """Send a final score; raises ScoreRefusedError if it is refused for this user alone."""
        grade = Grade().set_user_id(user).set_score_given(score).set_score_maximum(maximum)
        grade.set_activity_progress("Completed").set_grading_progress("FullyGraded")
        grade.set_timestamp(datetime.now(timezone.utc).isoformat(timespec="milliseconds"))
        with self._explained():
            try:
                self._service.put_grade(grade, item)
            except LtiServiceException as error:
                if error.response.status_code in (400, 404, 409, 422):
                    raise ScoreRefusedError(_said(error.response)) from error
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what goes wrong with the platform into a SetupError with the fix."""
        try:
            yield
        except LtiServiceException as error:
            raise SetupError(self._explanation(error.response)) from error
        except requests.RequestException as error:
            address = error.request.url if error.request else self._settings.line_items_url
            raise SetupError(
                f"The platform does not answer at {address!s}: {type(error).__name__}. "
                "Fix: check the network and the addresses in the settings."
            ) from error
        except (LtiException, KeyError, TypeError, ValueError) as error:
            raise SetupError(
                f"The platform's answer is not one of Assignment and Grade Services: {error}. "
                "Fix: check line_items_url and token_url."
            ) from error

    def _explanation(self, response: requests.Response) -> str:
        said = _said(response)
        if str(response.url).split("?")[0] == self._settings.token_url.split("?")[0]:
            return (
                f"The platform gave no token: {said}. Fix: check client_id and token_url, and whether the "
                "platform has this public key: grader passback --key"
            )
        if response.status_code in (401, 403):
            return (
                f"The platform does not allow this: {said}. Fix: allow the tool to read and write line items, "
                "results and scores, and check that line_items_url is of the course that has the tool."
            )
        return f"The platform answered {said} at {response.url}. Fix: check line_items_url, or try later."


class _Session(requests.Session):
    """Requests that do not wait forever."""

    def request(self, *words: Any, **options: Any) -> requests.Response:
        return super().request(*words, **{"timeout": SECONDS, **options})


class _Connector(ServiceConnector):
    """The library's connector, with the tokens of one run: each is used until a minute before it expires."""

    def __init__(self, tool: Registration, session: requests.Session):
        super().__init__(tool, session)
        self._tokens: dict[str, tuple[str, float]] = {}

    def _get_cached_access_token(self, scope_key: str) -> str | None:
        token, expires = self._tokens.get(scope_key, (None, 0.0))
        return token if time.monotonic() < expires - MARGIN_SECONDS else None

    def _cache_access_token(self, scope_key: str, access_token: str, expires_in: float) -> None:
        self._tokens[scope_key] = access_token, time.monotonic() + expires_in


def _key_pair(path: Path) -> tuple[str, str]:
    """The private key in a file and its public half, as PEM; raises SetupError with the fix."""
    try:
        private = path.read_bytes()
        key = serialization.load_pem_private_key(private, None)
    except FileNotFoundError as error:
        raise SetupError(f"There is no {path}. Fix: grader passback --key makes it.") from error
    except (OSError, TypeError, ValueError) as error:
        raise SetupError(f"{path} is not a private key in PEM form: {error}") from error
    if not isinstance(key, RSAPrivateKey):
        raise SetupError(f"{path} is not an RSA key, which LTI requires.")
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private.decode(), public.decode()


def _demand_safe(address: str, what: str) -> None:
    """Raise SetupError for an address that would send grades over a network unencrypted."""
    parts = urlsplit(address)
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme == "http" and _is_loopback(parts.hostname or ""):
        return
    raise SetupError(f"{what} is {address}. Fix: name an address that begins with https://")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _said(response: requests.Response) -> str:
    """What an answer says, in one line."""
    text = " ".join(response.text.split())[:200] or str(response.reason)
    return f"{response.status_code} {text}"
