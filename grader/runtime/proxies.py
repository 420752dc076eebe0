"""A proxy is for servers outside: this machine's own servers are reached without it."""

from __future__ import annotations

import os
import ssl
import urllib.request
from typing import Any

OWN = "127.0.0.1,localhost"
# as Python's urllib, libcurl, botocore and gRPC call them, in small or capital letters
VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "grpc_proxy")


def keep_own_servers_off_the_proxy() -> None:
    """Let this process and its children reach servers of this machine directly if a proxy is set.

    Without a proxy, nothing is changed: on macOS a lone `no_proxy` would switch off that of the system.
    """
    if not any(name.lower() in VARIABLES and os.environ[name] for name in os.environ):
        return
    direct = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    if direct != "*" and "127.0.0.1" not in direct:
        direct = ",".join(filter(None, [direct, OWN]))
    os.environ["no_proxy"] = os.environ["NO_PROXY"] = direct


def open_own(url: str, seconds: float) -> Any:
    """Open an address of a server that this process has started; its certificate may be its own."""
    trusting = ssl.create_default_context()
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    opener = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trusting)
    )
    return opener.open(url, timeout=seconds)
