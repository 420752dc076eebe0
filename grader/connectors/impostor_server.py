"""A server that is not the one it is taken for. It notes whether a client speaks to it."""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from types import TracebackType

TLS_BEGINS_WITH = b"\x16"  # a handshake record, RFC 8446 section 5.1


class Impostor:
    """A TLS server with the private key and certificate in a PEM file; it answers nothing.

    The event `contacted` is set as soon as a client has sent something. The client sent it in plain text
    if `in_plain_text` is true; otherwise encrypted, after a handshake in which it accepted the certificate.
    """

    def __init__(self, certificate: Path) -> None:
        self.contacted = Event()
        self.in_plain_text = False
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> Impostor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # wakes `accept` up on Linux, which a mere close does not; macOS refuses it, and there a close does
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # the block has ended
                return
            with client:
                client.settimeout(30)
                try:
                    self._listen_to(client)
                except OSError:  # it did not take the certificate, or hung up
                    continue

    def _listen_to(self, client: socket.socket) -> None:
        first = client.recv(1, socket.MSG_PEEK)
        if first and first != TLS_BEGINS_WITH:
            self.in_plain_text = True
            self.contacted.set()
        elif first:
            with self._context.wrap_socket(client, server_side=True) as secured:
                if secured.recv(1):
                    self.contacted.set()
