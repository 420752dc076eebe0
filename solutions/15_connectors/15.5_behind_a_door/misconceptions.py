"""Settings that keep a client out, or let it speak to any server."""


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


def any_name_will_do(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Host name not checked

    The client spoke to a server whose certificate is for a different host. An authority signs many
    certificates. Only the name in it says whose this one is. Which value of
    `ssl.endpoint.identification.algorithm` switches that check off?
    """
    return _right(servers, authority, own) | {"kafka.ssl.endpoint.identification.algorithm": ""}


def in_plain_text(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Plain text instead of TLS

    The client spoke plain text, to any server that was there. The default of `security.protocol` is
    `PLAINTEXT`, even if a trust store is set. Do all of your options begin with `kafka.`?
    """
    options = _right(servers, authority, own)
    del options["kafka.security.protocol"]
    return options


def trusts_the_world(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """No trust store

    The client trusts no server at all, not even the right one. Without a trust store of its own, it knows only
    the authorities that come with Java. If you did set one: does the name of that option begin with `kafka.`?
    """
    return {"kafka.bootstrap.servers": servers, "kafka.security.protocol": "SSL"}


def another_server(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Fixed server address

    The client called localhost:9092. Each call of your function has a different broker. Which argument holds
    its address?
    """
    return _right("localhost:9092", authority, own)


def javas_own_format(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Store type not set

    The client could not be created: `Invalid keystore format`. Kafka reads a store as JKS, the old format of
    Java, unless you set a type. Which type do your files have?
    """
    options = _right(servers, authority, own)
    return {name: value for name, value in options.items() if not name.endswith(".type")}


def stores_swapped(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Trust store and key store swapped

    The client with its own certificate could not be created, because there is no private key in its key store.
    The trust store holds the certificate of the authority. Which file holds what the client shows?
    """
    return _right(servers, own or authority, authority if own else None)


def nothing_to_show(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Client certificate not used

    The broker requires a certificate and did not let the client in, although `own` was given. Which store holds
    the certificate that a client shows?
    """
    return _right(servers, authority, None)


def none_as_a_path(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Key store without a file

    The client without its own certificate could not be created, because its key store is a file that does not
    exist. Which options should be left out if `own` is None?
    """
    return _right(servers, authority, str(own))


def tls_by_its_name(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Protocol name that Kafka does not know

    The client could not be created: Kafka has no protocol `TLS`. TLS was called SSL until 1999. Which name do
    Kafka's settings use?
    """
    return _right(servers, authority, own) | {"kafka.security.protocol": "TLS"}


def a_path_for_a_certificate(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Path in place of a certificate

    The client could not be created, because one of its certificates is not a certificate. The option
    `ssl.truststore.location` takes a path, and `ssl.truststore.certificates` takes the content of the file.
    Which of them did you give?
    """
    options = _right(servers, authority, own)
    options["kafka.ssl.truststore.certificates"] = options.pop("kafka.ssl.truststore.location")
    return options


def a_password_for_pem(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Password for a PEM trust store

    The client could not be created, because a trust store of type PEM has no password. It holds certificates,
    which are public. Which option is one too many?
    """
    return _right(servers, authority, own) | {"kafka.ssl.truststore.password": "changeit"}
