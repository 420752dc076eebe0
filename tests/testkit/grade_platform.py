"""A learning platform of a test: it registers a tool, gives tokens, and keeps line items, scores and results.

It is held to LTI Advantage's security framework (tokens) and to Assignment and Grade Services 2.0 (the rest), and
refuses what these forbid. Its addresses look like Moodle's. Signatures are verified by a different library than the
one that makes them.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jsonschema
from google.auth import exceptions, jwt

SCOPE = "https://purl.imsglobal.org/spec/lti-ags/scope/"
GIVEN = {f"{SCOPE}{name}" for name in ("lineitem", "result.readonly", "score")}
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
TYPES = {name: f"application/vnd.ims.lis.{name}+json" for name in (
    "v2.lineitem", "v2.lineitemcontainer", "v2.resultcontainer", "v1.score")}  # fmt: skip
COURSE = "/mod/lti/services.php/2/lineitems"
TOOL = "?type_id=1"

LINE_ITEM = {
    "type": "object",
    "required": ["label", "scoreMaximum"],
    "properties": {
        "id": False,
        "label": {"type": "string", "minLength": 1},
        "scoreMaximum": {"type": "number", "exclusiveMinimum": 0},
        "resourceId": {"type": "string"},
    },
}
SCORE = {
    "type": "object",
    "required": ["userId", "activityProgress", "gradingProgress", "timestamp"],
    "properties": {
        "userId": {"type": "string", "minLength": 1},
        "scoreGiven": {"type": "number", "minimum": 0},
        "scoreMaximum": {"type": "number", "exclusiveMinimum": 0},
        "activityProgress": {
            "enum": ["Initialized", "Started", "InProgress", "Submitted", "Completed"]
        },
        "gradingProgress": {
            "enum": ["FullyGraded", "Pending", "PendingManual", "Failed", "NotReady"]
        },
        # with parts of a second, and with a time zone
        "timestamp": {"pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$"},
    },
    "dependentRequired": {"scoreGiven": ["scoreMaximum"]},
}


class Refusal(Exception):
    """An answer that is an error: its status and its words."""


class GradePlatform:
    """A course with these users, to which one tool is registered. A page holds one entry."""

    client_id = "a-tool"

    def __init__(self, users: set[str]):
        self.users, self.public_key = users, ""
        self.items: list[dict[str, Any]] = []
        self.scores: dict[tuple[str, str], dict[str, Any]] = {}  # line item, user → the last score
        self.log: list[str] = []  # method and path of each request
        self.fails_after: int | None = None  # scores after which it answers 503
        self.audience = ""  # what a JWT must name, if it is not the address of tokens
        self.expires_in = 3600
        self._tokens: set[str] = set()
        self._seen: set[str] = set()

    def start(self) -> ThreadingHTTPServer:
        server = ThreadingHTTPServer(
            ("127.0.0.1", 0), type("Handler", (_Handler,), {"platform": self})
        )
        self.address = f"http://127.0.0.1:{server.server_port}"
        self.token_url = f"{self.address}/mod/lti/token.php"
        self.line_items_url = f"{self.address}{COURSE}{TOOL}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server

    def settings(self) -> str:
        names = ("client_id", "token_url", "line_items_url")
        return "".join(f"{name} = {json.dumps(getattr(self, name))}\n" for name in names)

    def share(self, user: str) -> float | None:
        """What the platform shows for a user in its only line item."""
        (item,) = self.items
        score = self.scores.get((item["id"], user))
        return None if score is None else score["scoreGiven"] / score["scoreMaximum"]

    def token(self, form: dict[str, list[str]]) -> dict[str, Any]:
        """RFC 7523, as LTI's security framework narrows it down."""
        _demand(form.get("grant_type") == ["client_credentials"], 400, "unsupported_grant_type")
        _demand(form.get("client_assertion_type") == [ASSERTION], 400, "invalid_request")
        try:
            claims = jwt.decode(
                form["client_assertion"][0],
                self.public_key,
                audience=self.audience or self.token_url,
            )
        except (ValueError, exceptions.GoogleAuthError) as error:
            raise Refusal(401, json.dumps({"error": "invalid_client"})) from error
        _demand(claims["iss"] == claims["sub"] == self.client_id, 401, "invalid_client")
        _demand(claims["jti"] not in self._seen, 401, "invalid_client: used before")
        self._seen.add(claims["jti"])
        scopes = set(form["scope"][0].split())
        _demand(scopes <= GIVEN, 400, "invalid_scope")
        token = secrets.token_hex(16)
        self._tokens.add(token)
        about = {
            "token_type": "Bearer",
            "expires_in": self.expires_in,
            "scope": " ".join(sorted(scopes)),
        }
        return {"access_token": token, **about}

    def authorize(self, header: str) -> None:
        kind, _, token = header.partition(" ")
        _demand(kind == "Bearer" and token in self._tokens, 401, "invalid_token")

    def create(self, new: dict[str, Any]) -> dict[str, Any]:
        _validate(new, LINE_ITEM)
        number = len(self.items) + 1
        self.items.append({"id": f"{self.address}{COURSE}/{number}/lineitem{TOOL}", **new})
        return self.items[-1]

    def score(self, item: str, new: dict[str, Any]) -> None:
        _demand(self.fails_after != 0, 503, "Service Unavailable")
        if self.fails_after:
            self.fails_after -= 1
        _validate(new, SCORE)
        _demand(new["userId"] in self.users, 400, "Incorrect score received")
        before = self.scores.get((item, new["userId"]))
        _demand(
            before is None or _time(before) < _time(new), 409,
            "Refusing score with an earlier timestamp",
        )  # fmt: skip
        if new["gradingProgress"] != "FullyGraded":
            new.pop("scoreGiven", None)
        self.scores[item, new["userId"]] = new

    def results(self, item: str) -> list[dict[str, Any]]:
        """Users without a score have a result, too, as in Moodle."""
        return [self._result(item, user) for user in sorted(self.users)]

    def _result(self, item: str, user: str) -> dict[str, Any]:
        score = self.scores.get((item, user), {})
        about = {"id": f"{item}/results/{user}", "userId": user, "scoreOf": item}
        if "scoreGiven" in score:
            about |= {
                "resultScore": round(score["scoreGiven"], 5),
                "resultMaximum": score["scoreMaximum"],
            }
        return about


@contextmanager
def running_platform(users: set[str]) -> Iterator[GradePlatform]:
    platform = GradePlatform(users)
    server = platform.start()
    try:
        yield platform
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    """Answers for one platform."""

    platform: GradePlatform

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, make: Any) -> None:
        self.parts = urlsplit(self.path)
        self.platform.log.append(f"{self.command} {self.parts.path}")
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length).decode()
        headers: dict[str, str] = {}
        try:
            if self.parts.path != "/mod/lti/token.php":
                self.platform.authorize(self.headers.get("Authorization", ""))
                _demand("type_id=1" in self.parts.query, 403, "no tool")
            status, answer, headers = make()
            said = "" if answer is None else json.dumps(answer)
        except Refusal as refusal:
            status, said = refusal.args
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(said.encode()))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(said.encode())

    def _get(self) -> tuple[int, Any, dict[str, str]]:
        if self.parts.path == COURSE:
            return self._page(self.platform.items, "v2.lineitemcontainer")
        item = self._item("results")
        return self._page(self.platform.results(item), "v2.resultcontainer")

    def _post(self) -> tuple[int, Any, dict[str, str]]:
        if self.parts.path == "/mod/lti/token.php":
            return 200, self.platform.token(parse_qs(self.body)), {}
        if self.parts.path == COURSE:
            self._demand_type("v2.lineitem")
            return 201, self.platform.create(json.loads(self.body)), {}
        self._demand_type("v1.score")
        self.platform.score(self._item("scores"), json.loads(self.body))
        return 200, None, {}

    def _item(self, service: str) -> str:
        """The line item whose service is asked."""
        path = self.parts.path.removesuffix(f"/{service}")
        item = f"{self.platform.address}{path}{TOOL}"
        known = path != self.parts.path and item in [one["id"] for one in self.platform.items]
        _demand(known, 404, "Not Found")
        return item

    def _page(self, entries: list[Any], kind: str) -> tuple[int, Any, dict[str, str]]:
        _demand(self.headers["Accept"] == TYPES[kind], 406, "Not Acceptable")
        number = int(parse_qs(self.parts.query).get("from", ["0"])[0])
        headers = {"Content-Type": TYPES[kind]}
        if number + 1 < len(entries):
            following = f"{self.platform.address}{self.parts.path}{TOOL}&from={number + 1}"
            headers["Link"] = f'<{following}>; rel="next"'
        return 200, entries[number : number + 1], headers

    def _demand_type(self, kind: str) -> None:
        _demand(self.headers["Content-Type"] == TYPES[kind], 415, "Unsupported Media Type")


def _demand(holds: bool, status: int, why: str) -> None:
    if not holds:
        raise Refusal(status, why)


def _validate(value: Any, schema: dict[str, Any]) -> None:
    try:
        jsonschema.validate(value, schema)
    except jsonschema.ValidationError as error:
        raise Refusal(422, error.message) from error


def _time(score: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(score["timestamp"].replace("Z", "+00:00"))
