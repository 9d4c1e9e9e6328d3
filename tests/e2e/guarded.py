"""A server with a listener that asks for a login beside one for servers."""

import contextlib

import fluss_raw

USERS = {"root": "root-secret", "alice": "alice-secret", "bob": "bob, with a comma"}
JAAS = "org.apache.fluss.security.auth.sasl.plain.PlainLoginModule required {};"


def options(**more):
    """Of a server to start with bind=None; keys of `more` have "__" for "." and "_" for "-"."""
    users = " ".join(f'user_{name}="{password}"' for name, password in USERS.items())
    made = {
        "bind.listeners": "INTERNAL://127.0.0.1:0,CLIENT://127.0.0.1:0",
        "internal.listener.name": "INTERNAL",
        "security.protocol.map": "CLIENT:SASL,INTERNAL:PLAINTEXT",
        "security.sasl.enabled.mechanisms": "PLAIN",
        "security.sasl.plain.jaas.config": JAAS.format(users),
        "super.users": "User:root",
    }
    made.update({key.replace("__", ".").replace("_", "-"): value for key, value in more.items()})
    return made


@contextlib.contextmanager
def connect(server, user=None, listener="CLIENT", password=None):
    with fluss_raw.connect(server.listener(listener)) as connection:
        if user:
            connection.log_in(user, password or USERS[user])
        yield connection
