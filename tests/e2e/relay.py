"""relay.py PID ADDRESS PORT FILE: a port of this machine that leads into a sandbox.

Listens on a free port of 127.0.0.1, writes its number to FILE, and connects every
client to ADDRESS:PORT as seen from the network namespace of the process PID.
"""

import asyncio
import ctypes
import os
import socket
import sys

CLONE_NEWNET = 0x40000000


def enter_network(pid):
    """A socket belongs to the namespace in which it was created: the listening one already exists, later ones belong
    to the sandbox.  Python 3.12 has os.setns."""
    libc = ctypes.CDLL(None, use_errno=True)
    namespace = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY)
    if libc.setns(namespace, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")
    os.close(namespace)


async def copy(reader, writer):
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.transport.abort()


async def main(pid, address, port, file):
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    enter_network(pid)

    async def serve(reader, writer):
        try:
            there_reader, there_writer = await asyncio.open_connection(address, port)
        except OSError:
            writer.transport.abort()
            return
        await asyncio.gather(copy(reader, there_writer), copy(there_reader, writer))
        there_writer.close()
        writer.close()

    server = await asyncio.start_server(serve, sock=listener)
    with open(file + ".new", "w") as out:
        print(listener.getsockname()[1], file=out)
    os.rename(file + ".new", file)
    await server.serve_forever()


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]))
