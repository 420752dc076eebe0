"""Answers to 15.5: other settings for a broker with TLS, right and wrong."""

from pathlib import Path


def right_one_store_after_the_other(
    servers: str, authority: str, own: str | None
) -> dict[str, str]:
    """A loop over the two stores; what has no path is left out."""
    options = {"kafka.security.protocol": "SSL"}
    for store, path in {"truststore": authority, "keystore": own}.items():
        if path:
            options[f"kafka.ssl.{store}.type"] = "PEM"
            options[f"kafka.ssl.{store}.location"] = path
    return dict(options, **{"kafka.bootstrap.servers": servers})


def right_type_said_at_any_rate(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Says the type of the key store always, and its place only where there is one."""
    options = {
        "kafka.bootstrap.servers": servers,
        "kafka.security.protocol": "SSL",
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.keystore.type": "PEM",
        "kafka.ssl.truststore.location": authority,
    }
    if own is not None:
        options.update({"kafka.ssl.keystore.location": own})
    return options


def right_large_and_small_letters(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Names in other letters: Spark's options know no difference of case."""
    options = {
        "Kafka.Bootstrap.Servers": servers,
        "kafka.SECURITY.protocol": "SSL",
        "kafka.ssl.trustStore.type": "PEM",
        "kafka.ssl.trustStore.location": authority,
    }
    own_options = {"kafka.ssl.keyStore.type": "PEM", "kafka.ssl.keyStore.location": own}
    return options if own is None else {**options, **own_options}


def right_the_newest_tls_only(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """TLS 1.3 and nothing older, with a path made absolute."""
    options = {
        "kafka.bootstrap.servers": servers,
        "kafka.security.protocol": "SSL",
        "kafka.ssl.protocol": "TLSv1.3",
        "kafka.ssl.enabled.protocols": "TLSv1.3",
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.location": str(Path(authority).resolve()),
    }
    if own:
        options |= {
            "kafka.ssl.keystore.location": str(Path(own).resolve()),
            "kafka.ssl.keystore.type": "PEM",
        }
    return options


def right_trust_as_text_and_key_as_path(
    servers: str, authority: str, own: str | None
) -> dict[str, str]:
    """The authority's certificate in the options, the client's own key in its file."""
    options = {
        "bootstrap.servers": servers,
        "security.protocol": "SSL",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": Path(authority).read_text(),
        "ssl.keystore.type": "PEM" if own else None,
        "ssl.keystore.location": own,
    }
    return {f"kafka.{name}": value for name, value in options.items() if value is not None}


def _right(servers: str, authority: str, own: str | None) -> dict[str, str]:
    options = {
        "kafka.bootstrap.servers": servers,
        "kafka.security.protocol": "SSL",
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.location": authority,
    }
    if own is not None:
        options |= {"kafka.ssl.keystore.type": "PEM", "kafka.ssl.keystore.location": own}
    return options


def wrong_with_a_login(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """SASL_SSL: TLS and a login, for which there is none."""
    return _right(servers, authority, own) | {"kafka.security.protocol": "SASL_SSL"}


def wrong_type_of_one_store_only(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Says the type of the trust store, and takes it to hold for the key store."""
    options = _right(servers, authority, own)
    options.pop("kafka.ssl.keystore.type", None)
    return options


def wrong_kafka_forgotten_before_ssl(
    servers: str, authority: str, own: str | None
) -> dict[str, str]:
    """The stores without `kafka.` before them: Spark keeps them to itself."""
    options = _right(servers, authority, own)
    return {name.replace("kafka.ssl.", "ssl."): value for name, value in options.items()}


def wrong_own_or_the_authoritys(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Without a certificate of its own it shows the authority's, which has no key beside it."""
    return _right(servers, authority, own or authority)


def wrong_name_check_none(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """`none` for the check of names, which is no algorithm that Java knows."""
    options = _right(servers, authority, own)
    return options | {"kafka.ssl.endpoint.identification.algorithm": "none"}


def wrong_a_password_for_the_key(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """A password for a private key that is not encrypted."""
    options = _right(servers, authority, own)
    return options | ({"kafka.ssl.key.password": "changeit"} if own else {})


def wrong_tls_only_with_a_certificate(
    servers: str, authority: str, own: str | None
) -> dict[str, str]:
    """Takes TLS for mutual TLS: without a certificate of its own it speaks plain text."""
    if own is None:
        return {"kafka.bootstrap.servers": servers}
    return _right(servers, authority, own)


def wrong_names_of_kafka_python(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """The settings as kafka-python calls them, with `kafka.` in front."""
    options = {
        "kafka.bootstrap.servers": servers,
        "kafka.security_protocol": "SSL",
        "kafka.ssl_cafile": authority,
    }
    return options | ({"kafka.ssl_certfile": own, "kafka.ssl_keyfile": own} if own else {})


def wrong_asks_as_a_broker_does(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """ssl.client.auth, a broker's setting, in place of a key store."""
    options = _right(servers, authority, None)
    return options | ({"kafka.ssl.client.auth": "required"} if own else {})


def wrong_another_type(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """PKCS12, which is right for a .p12 file and not for text."""
    options = _right(servers, authority, own)
    return {name: "PKCS12" if name.endswith(".type") else value for name, value in options.items()}


def wrong_no_name_check_with_a_certificate(
    servers: str, authority: str, own: str | None
) -> dict[str, str]:
    """Mutual TLS is proof enough, it thinks: with a certificate of its own it speaks to the server of another name."""
    options = _right(servers, authority, own)
    return options | ({"kafka.ssl.endpoint.identification.algorithm": ""} if own else {})


def wrong_no_name_check_for_an_address(
    servers: str, authority: str, own: str | None
) -> dict[str, str]:
    """An address is no name, it thinks: at 127.0.0.1 it speaks to the server of another name."""
    options = _right(servers, authority, own)
    if servers.replace(".", "").replace(":", "").isdigit():
        options["kafka.ssl.endpoint.identification.algorithm"] = ""
    return options
