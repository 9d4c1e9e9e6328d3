"""A process with only the tiering role."""

from server import Server


class Worker(Server):
    """One that works for a server."""

    recorded = False

    def __init__(self, server, log, options=None, through=None):
        super().__init__("none", log, {"lakestream.tiering.heartbeat-interval": "50 ms", **(options or {})})
        self.server = server
        self.through = through  # the name of one of several listeners

    def command(self):
        command = super().command()
        begin = command.index("--data")
        address = self.server.listener(self.through) if self.through else self.server.address
        return [*command[:begin], "--roles", "tiering", "--server", address, *command[begin + 4 :]]
