"""Other right settings."""

from pathlib import Path


def certificates_in_the_options(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Hands over the certificates themselves and no paths: good where workers lack the files."""
    options = {
        "kafka.bootstrap.servers": servers,
        "kafka.security.protocol": "SSL",
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.certificates": Path(authority).read_text(),
    }
    if own:
        key, begins, certificate = Path(own).read_text().partition("-----BEGIN CERTIFICATE-----")
        options["kafka.ssl.keystore.type"] = "PEM"
        options["kafka.ssl.keystore.key"] = key
        options["kafka.ssl.keystore.certificate.chain"] = begins + certificate
    return options


def defaults_said_aloud(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Says the check of the host's name and the versions of TLS, too."""
    stores = {"truststore": authority} | ({"keystore": own} if own is not None else {})
    settings = {
        "bootstrap.servers": servers,
        "security.protocol": "ssl",
        "ssl.endpoint.identification.algorithm": "https",
        "ssl.enabled.protocols": "TLSv1.3,TLSv1.2",
    }
    for store, path in stores.items():
        settings |= {f"ssl.{store}.type": "PEM", f"ssl.{store}.location": path}
    return {f"kafka.{name}": value for name, value in settings.items()}
