#!/usr/bin/env python3
"""unpack.py - compiler/web/unpack.c reads what docs/playground/build.py packs, and stays within its buffer when the
data is damaged.

The source is compiled for this machine, so neither a browser nor clang is needed.
"""
import ctypes
import importlib.util
import os
import random
import subprocess
import sys
import tempfile

GUARD = 64                              # bytes after the buffer that must not change


def library(directory):
    out = directory + "/unpack.so"
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", out,
                    "compiler/web/unpack.c"], check=True)
    module = ctypes.CDLL(out)
    module.web_start.argtypes, module.web_start.restype = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t], None
    module.web_more.argtypes, module.web_more.restype = [ctypes.c_size_t, ctypes.c_size_t], ctypes.c_ssize_t

    def unpack(packed, npacked, room, size, step, piece):
        """PACKED arrives in pieces: bytes that have not arrived yet have no meaning."""
        arriving = ctypes.create_string_buffer(b"\xa5" * (npacked + GUARD), npacked + GUARD)
        done, there = 0, min(npacked, max(piece, 5))
        arriving[:there] = packed[:there]
        module.web_start(arriving, npacked, room, size)
        while True:
            known = -2
            while known != done:
                known, done = done, module.web_more(there, step)
            if there == npacked or done < 0:
                return done
            more = min(npacked, there + piece)
            arriving[there:more] = packed[there:more]
            there = more
    return unpack


def packer():
    spec = importlib.util.spec_from_file_location("build", "docs/playground/build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.pack


def texts():
    """Data of many shapes; each packet of the format is in some of them."""
    chance = random.Random(1)
    yield "nothing", b""
    yield "one byte", b"a"
    yield "one byte, often", b"a" * 70000
    yield "no pattern", chance.randbytes(5000)
    yield "short periods", b"".join(bytes([k]) * chance.randrange(1, 9) for k in range(256) for _ in range(4))
    words = [chance.randbytes(chance.randrange(1, 40)) for _ in range(60)]
    yield "words", b"".join(chance.choice(words) for _ in range(9000))
    far = chance.randbytes(3000)
    yield "far apart", far + chance.randbytes(300000) + far
    with open("compiler/trainc.c", "rb") as f:
        yield "a source", f.read()


def main():
    passed = failed = 0
    chance = random.Random(2)
    with tempfile.TemporaryDirectory() as directory:
        unpack, pack = library(directory), packer()
        for name, want in texts():
            packed = pack(want)
            good = True
            for step in (1, 4096, 1 << 30):             # bytes at a time
                for piece in (1 << 30, 3000, 7):        # packed bytes at a time
                    room = ctypes.create_string_buffer(len(want) + GUARD)
                    status = unpack(packed, len(packed), room, len(want), step, piece)
                    good = good and status == len(want) and room.raw == want + bytes(GUARD)
            for _ in range(60):                         # a few changed bytes; the last ones may have no meaning
                damaged = bytearray(packed[:chance.randrange(len(packed) + 1)] if chance.random() < .3 else packed)
                for _ in range(chance.randrange(1, 4)):
                    if damaged:
                        damaged[chance.randrange(len(damaged))] = chance.randrange(256)
                room = ctypes.create_string_buffer(len(want) + GUARD)
                status = unpack(bytes(damaged), len(damaged), room, len(want), 4096, chance.choice((1 << 30, 500)))
                good = good and -1 <= status <= len(want) and room.raw[len(want):] == bytes(GUARD)
            passed, failed = passed + good, failed + (not good)
            if not good:
                print("FAIL", name)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


sys.exit(main())
