"""What listens at a broker's address, by its answer to the first request of a Kafka client."""

import socket
import struct

SECONDS = 5
# ApiVersions, version 0, correlation id 1, no client id (https://kafka.apache.org/protocol): before any login
_API_VERSIONS = struct.pack(">ihhih", 10, 18, 0, 1, -1)
_CORRELATION = struct.pack(">i", 1)
_TLS = (b"\x15", b"\x16")  # an alert or a handshake, RFC 8446 section 5.1


def stranger_at(servers: str) -> str:
    """What answers at host:port[,host:port …] in Kafka's place, in a few words; empty if it may be Kafka.

    A server that speaks TLS may be Kafka. So may one that closes the connection at once, as Kafka with TLS
    does. If a server cannot be reached, nothing is known about it.
    """
    found = [_answer_of(each.strip()) for each in servers.split(",")]
    return next((said for said in found if said), "") if all(found) else ""


def _answer_of(address: str) -> str:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=SECONDS) as connection:
            connection.sendall(_API_VERSIONS)
            try:
                said = connection.recv(64)
            except TimeoutError:
                return f"a program that says nothing for {SECONDS} s"
    except (OSError, ValueError, OverflowError):
        return ""
    if not said or said[4:8] == _CORRELATION or said.startswith(_TLS):
        return ""
    return f"a program that says {said.splitlines()[0].decode(errors='replace')!r}"
