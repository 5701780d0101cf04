"""Both ends of a forwarded connection: `serve ADDRESS PORT` in a replica, the checks of publish.sh outside."""
import hashlib
import os
import select
import socket
import struct
import sys
import threading

MANY = 40


def serve(address, port):
    """Reads its input to the end, then responds with its length and hash, and sends the requested number of bytes
    back."""
    def answer(s):
        head = b""
        while len(head) < 8:
            head += s.recv(8 - len(head))
        kind, size = struct.unpack("!II", head)
        if kind == 1:                   # never reads on
            wait.wait()
        seen, n = hashlib.sha256(), 0
        while piece := s.recv(1 << 16):
            seen.update(piece)
            n += len(piece)
        s.sendall(b"%d %s %s\n" % (n, seen.hexdigest().encode(), os.environ["HOSTNAME"].encode()) + b"x" * size)
        s.close()
    wait = threading.Event()
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    if address == "own":
        address = socket.gethostbyname(socket.gethostname())
    with socket.socket(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, int(port)))
        listener.listen(64)
        print("listens", flush=True)
        while True:
            threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()


def connect(port, kind=0, size=0):
    s = socket.create_connection(("127.0.0.1", int(port)), 60)
    s.sendall(struct.pack("!II", kind, size))
    return s


def whole(s):
    pieces = []
    while piece := s.recv(1 << 16):
        pieces.append(piece)
    return b"".join(pieces)


def exchange(port, sent=b"hello", size=0):
    """Sends, shuts down its own direction, and reads the other one to its end."""
    s = connect(port, 0, size)
    s.sendall(sent)
    s.shutdown(socket.SHUT_WR)
    line, _, rest = whole(s).partition(b"\n")
    s.close()
    n, digest, host = line.split()
    assert int(n) == len(sent) and digest.decode() == hashlib.sha256(sent).hexdigest(), line
    assert rest == b"x" * size, len(rest)
    return host.decode()


def half(port):
    """Large amounts in both directions, one after the other; the first direction is closed separately."""
    print(exchange(port, os.urandom(3_000_001), 2_000_003))


def many(port):
    """Connections that are open at the same time."""
    all_of_them = [connect(port) for _ in range(MANY)]
    for i, s in reversed(list(enumerate(all_of_them))):
        s.sendall(b"%d" % i)
        s.shutdown(socket.SHUT_WR)
        n, digest, _ = whole(s).split()
        assert int(n) == len(str(i)) and digest.decode() == hashlib.sha256(b"%d" % i).hexdigest(), (i, n)
    print(len(all_of_them))


def memory(pid):
    with open("/proc/%s/status" % pid, encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def blocked(port, keeper):
    """A client that sends to a program that does not read has to wait, and uses no memory; others continue
    meanwhile."""
    before, sockets, sent = memory(keeper), [connect(port, 1) for _ in range(8)], 0
    for s in sockets:
        s.setblocking(False)
    while ready := select.select([], sockets, [], 3)[1]:
        for s in ready:
            sent += s.send(b"y" * 65536)
            assert sent < 1 << 30, "nothing holds up a sender"
    exchange(port)
    grown = memory(keeper) - before
    assert grown < 24 << 10, "%d KiB for %d bytes" % (grown, sent)
    for s in sockets:
        s.close()
    print("held up")


def refused(port):
    """No program listens: the connection is reset at once."""
    try:
        s = connect(port)
        s.settimeout(60)
        print("an answer: %r" % s.recv(1))
    except (ConnectionResetError, BrokenPipeError, ConnectionRefusedError) as e:
        print("refused" if isinstance(e, ConnectionRefusedError) else "reset")


def host(port):
    print(exchange(port))


def free(which):
    """One of several ports for the parent of this process, below those of the kernel and of local runs."""
    for n in range(100):
        port = 11000 + (os.getppid() * 30 + int(which) * 10 + n * 7919) % 8000
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                print(port)
                return
            except OSError:
                pass


if __name__ == "__main__":
    {f.__name__: f for f in (serve, host, half, many, blocked, refused, free)}[sys.argv[1]](*sys.argv[2:])
