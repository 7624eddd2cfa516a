"""The way to the server for WebSockets, which can be interrupted and restored."""

import asyncio


class Way:
    def __init__(self, host, port):
        self.far = (host, port)
        self.is_open = True
        self.writers = set()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.connect, "127.0.0.1", 0)
        port = self.server.sockets[0].getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}/graphql"
        return self

    async def __aexit__(self, *_):
        self.interrupt()
        self.server.close()

    async def connect(self, reader, writer):
        if not self.is_open:
            writer.close()
            return
        far_reader, far_writer = await asyncio.open_connection(*self.far)
        self.writers |= {writer, far_writer}
        await asyncio.gather(self.pipe(reader, far_writer), self.pipe(far_reader, writer))

    async def pipe(self, reader, writer):
        try:
            while data := await reader.read(65536):
                writer.write(data)
        except OSError:
            pass
        finally:
            self.writers.discard(writer)
            writer.close()

    def interrupt(self):
        self.is_open = False
        for writer in list(self.writers):
            writer.transport.abort()

    def restore(self):
        self.is_open = True
