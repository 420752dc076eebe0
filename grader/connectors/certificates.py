"""Certificates made on the spot: an authority of one's own, and what it signs."""

import datetime
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

VALID = datetime.timedelta(days=30)
ALREADY = datetime.timedelta(days=1)  # a clock that is behind still finds it valid
LOOPBACK = ("localhost", "127.0.0.1")


@dataclass(frozen=True)
class Authority:
    """Who signs. `certificate` is the PEM file that a client has to trust; the key stays in memory."""

    certificate: Path
    _signed: x509.Certificate
    _key: ec.EllipticCurvePrivateKey

    def sign(self, path: Path, name: str, hosts: tuple[str, ...] = ()) -> Path:
        """Write a new private key and its certificate to one PEM file, for its owner's eyes only.

        `hosts` are the names and addresses it is good for: those of a server; a client needs none.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        made = _about(name, self._signed.subject, key).add_extension(
            x509.ExtendedKeyUsage(usages), critical=False
        )
        if hosts:
            names = x509.SubjectAlternativeName([_general_name(host) for host in hosts])
            made = made.add_extension(names, critical=False)
        certificate = made.sign(self._key, hashes.SHA256())
        path.touch(mode=0o600)
        path.write_bytes(_key_pem(key) + _pem(certificate))
        return path


def make_authority(path: Path, name: str = "Stateful Streams lab") -> Authority:
    """A new authority; its own certificate is written to `path`, as PEM."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    certificate = (
        _about(name, subject, key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    path.write_bytes(_pem(certificate))
    return Authority(path, certificate, key)


def _about(
    name: str, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.timezone.utc)
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - ALREADY)
        .not_valid_after(now + VALID)
    )


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
