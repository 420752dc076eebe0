"""Certificates made on the spot: a private authority, and what it signs."""

from dataclasses import dataclass
from pathlib import Path

import trustme
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

LOOPBACK = ("localhost", "127.0.0.1")


@dataclass(frozen=True)
class Authority:
    """Who signs. `certificate` is the PEM file that a client has to trust; the key stays in memory."""

    certificate: Path
    _signer: trustme.CA

    def sign(self, path: Path, name: str, hosts: tuple[str, ...] = ()) -> Path:
        """Write a new private key and its certificate to one PEM file, readable only by its owner.

        `hosts` are the names and addresses it is good for: those of a server; a client needs none.
        """
        # Java refuses a certificate that is good for no name at all
        signed = self._signer.issue_cert(*(hosts or (name,)), common_name=name)
        key = load_pem_private_key(signed.private_key_pem.bytes(), password=None)
        # Kafka reads no other format of a key
        written = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        path.touch(mode=0o600)
        path.write_bytes(written + signed.cert_chain_pems[0].bytes())
        return path


def make_authority(path: Path, name: str = "Stateful Streams lab") -> Authority:
    """A new authority; its own certificate is written to `path`, as PEM."""
    signer = trustme.CA(organization_name=name)
    signer.cert_pem.write_to_path(path)
    return Authority(path, signer)
