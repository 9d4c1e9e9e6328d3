"""A process with only the tiering role."""

from server import Server


class Worker(Server):
    """One that works for a server."""

    def __init__(self, server, log, options=None):
        super().__init__("none", log, {"lakestream.tiering.heartbeat-interval": "50 ms", **(options or {})})
        self.server = server

    def command(self):
        command = super().command()
        begin = command.index("--data")
        return [*command[:begin], "--roles", "tiering", "--server", self.server.address, *command[begin + 4 :]]
