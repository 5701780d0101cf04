"""web_socket.py - the server's side of a WebSocket, frame by frame, so that a test can send wrong ones."""
import base64
import hashlib
import json
import struct

from api_memory import must

REST, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
LAST, MASKED = 0x80, 0x80
FAILURE = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}


def head(kind, length, last=True, bits=0, mask=0, size=None):
    """The head of a frame; SIZE: the number of bytes of its length (0, 2 or 8) in place of the right one."""
    size = (0 if length < 126 else 2 if length < 65536 else 8) if size is None else size
    first = bytes([(LAST if last else 0) | bits | kind, mask | (length if not size else 126 if size == 2 else 127)])
    return first + (b"" if not size else struct.pack(">H" if size == 2 else ">Q", length))


def frame(kind, payload=b"", **more):
    return head(kind, len(payload), **more) + payload


def message(channel, payload=b""):
    return frame(BINARY, bytes([channel]) + payload)


def ended(code=0):
    """The last messages of a process that ended with that exit status."""
    status = {"metadata": {}, "status": "Success"} if not code else {
        **FAILURE, "reason": "NonZeroExitCode", "message": "command terminated with non-zero exit code",
        "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]}}
    return message(3, json.dumps(status).encode()) + frame(CLOSE, b"\x03\xe8")


class Socket:
    def __init__(self, h):
        self.h, self.headers, self.path = h, h.headers, h.path
        self.h.close_connection = True

    def send(self, *parts):
        for part in parts:
            self.h.wfile.write(part)
            self.h.wfile.flush()

    def accept(self, protocol="v5.channel.k8s.io", **changes):
        """Accepts the upgrade; CHANGES replace headers, or remove them (None)."""
        must(self.headers["Upgrade"] == "websocket" and self.headers["Sec-WebSocket-Version"] == "13", self.headers)
        key = self.headers["Sec-WebSocket-Key"].encode()
        must(len(base64.b64decode(key)) == 16, key)
        digest = hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
        lines = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": base64.b64encode(digest).decode(),
                 "Sec-WebSocket-Protocol": protocol, **{k.replace("_", "-"): v for k, v in changes.items()}}
        self.send(("HTTP/1.1 101 Switching Protocols\r\n%s\r\n" % "".join("%s: %s\r\n" % x for x in lines.items() if x[1] is not None)).encode())

    def read(self):
        """(kind, payload) of the next frame, whose mask is removed; None at the end of the connection."""
        first = self.h.rfile.read(2)
        if len(first) < 2:
            return None
        must(first[0] & LAST and first[1] & MASKED, "a frame of the client is split, or has no mask")
        n = first[1] & 127
        if n >= 126:
            n = int.from_bytes(self.h.rfile.read(2 if n == 126 else 8), "big")
        mask, payload = self.h.rfile.read(4), self.h.rfile.read(n)
        if len(payload) < n:
            return None
        return first[0] & 15, (int.from_bytes(payload, "big") ^ int.from_bytes((mask * (n // 4 + 1))[:n], "big")).to_bytes(n, "big")

    def read_until(self, enough):
        """The messages that arrive, as (channel, bytes), until ENOUGH accepts the last of them, or the end."""
        got = []
        while True:
            x = self.read()
            if x is None or x[0] == CLOSE:
                return got
            if x[0] == BINARY:
                got.append((x[1][0], x[1][1:]))
                if enough(*got[-1]):
                    return got
