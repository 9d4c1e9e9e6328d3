"""Passes bytes on between clients and one server, and lets tests see them."""

import contextlib
import socket
import threading

PIECE = 1 << 18


class Relay:
    """Listens for the clients; `target` is where the server is, once it is known."""

    def __init__(self, address="127.0.0.1:0"):
        host, _, port = address.rpartition(":")
        self.listener = socket.create_server((host, int(port)), backlog=128)
        self.address = f"{host}:{self.listener.getsockname()[1]}"
        self.target = None
        threading.Thread(target=self.accept, daemon=True).start()

    def watchers(self):
        """Of a new connection: what gets each piece of the client, and each of the server, before it goes on.

        The connection is cut, and the piece lost, when it gives True.
        """
        raise NotImplementedError

    def close(self):
        # Without the shutdown the thread that accepts would keep the port.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                host, _, port = self.target.rpartition(":")
                server = socket.create_connection((host, int(port)))
            except (OSError, AttributeError):
                client.close()
                continue
            for source, drain, watch in zip((client, server), (server, client), self.watchers()):
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=pump, args=(source, drain, watch), daemon=True).start()


def pump(source, drain, watch):
    with contextlib.suppress(OSError):
        while piece := source.recv(PIECE):
            if watch(piece):
                break
            drain.sendall(piece)
        else:
            drain.shutdown(socket.SHUT_WR)
            return
    for each in (source, drain):
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
