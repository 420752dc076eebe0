"""Settings that keep a client out, or let it speak to anybody."""


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
    """Signed, and still another's

    The client spoke to a server whose certificate is for another host. The authority signs many certificates. Only the name
    in it says whose this one is, and `ssl.endpoint.identification.algorithm` decides whether it is looked at.
    """
    return _right(servers, authority, own) | {"kafka.ssl.endpoint.identification.algorithm": ""}


def in_plain_text(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """For everybody to read

    The client spoke plain text, to whoever was there. Kafka's default is `PLAINTEXT`, also where a
    trust store is named. And Spark hands only options on to Kafka that begin with `kafka.`.
    """
    options = _right(servers, authority, own)
    del options["kafka.security.protocol"]
    return options


def trusts_the_world(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Who signed this?

    The client trusts no server at all, not even the right one. Without a trust store of its own it knows the
    authorities that come with Java. Ours is not among them. If you have named a store: Spark hands on only what
    begins with `kafka.`.
    """
    return {"kafka.bootstrap.servers": servers, "kafka.security.protocol": "SSL"}


def another_server(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Another server than the one that is given

    The client asked localhost:9092. Which server it is to ask is the first thing that the function is given, `servers`, and
    another one each time.
    """
    return _right("localhost:9092", authority, own)


def javas_own_format(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """A store has a type

    No client could be made: `Invalid keystore format`. A store is taken for Java's own format, JKS, unless its type is said.
    """
    options = _right(servers, authority, own)
    return {name: value for name, value in options.items() if not name.endswith(".type")}


def stores_swapped(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Whom I trust, and who I am

    With a certificate of its own no client could be made: there was no private key in its key store. The trust store
    holds the authority's certificate, for looking at others. The key store holds what the client shows of itself.
    """
    return _right(servers, own or authority, authority if own else None)


def nothing_to_show(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Asked for a certificate, and none shown

    The broker that wants a certificate did not let the client in, although there was one to show.
    """
    return _right(servers, authority, None)


def none_as_a_path(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """A file of the name None

    Without a certificate of its own no client could be made: a key store was named that is not there.
    """
    return _right(servers, authority, str(own))


def tls_by_its_name(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Kafka calls it SSL

    No client could be made: `TLS` is no protocol that Kafka knows. SSL was the name of TLS until 1999, and in
    Kafka's settings it still is.
    """
    return _right(servers, authority, own) | {"kafka.security.protocol": "TLS"}


def a_path_for_a_certificate(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """The path is not the certificate

    No client could be made: there is no certificate in what was given as one. `ssl.truststore.location` takes
    a path, `ssl.truststore.certificates` the text of the file.
    """
    options = _right(servers, authority, own)
    options["kafka.ssl.truststore.certificates"] = options.pop("kafka.ssl.truststore.location")
    return options


def a_password_for_pem(servers: str, authority: str, own: str | None) -> dict[str, str]:
    """Certificates are no secret

    No client could be made: a trust store of type PEM has no password. It holds certificates, and those everybody may see.
    """
    return _right(servers, authority, own) | {"kafka.ssl.truststore.password": "changeit"}
