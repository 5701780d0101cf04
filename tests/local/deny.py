"""deny.py NUMBER... -- COMMAND...: runs the command with these system calls refused (ENOSYS), as an older kernel or
a container's seccomp filter refuses them."""
import ctypes
import os
import struct
import sys

NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2          # prctl(2)
LOAD_NUMBER, IF_EQUAL, ANSWER = 0x20, 0x15, 0x06        # of the filter's machine: ld [0], jeq, ret
REFUSED, ALLOWED = 0x00050000 | 38, 0x7FFF0000          # an error with the number of ENOSYS


def main():
    at = sys.argv.index("--")
    numbers = [int(word) for word in sys.argv[1:at]]
    steps = [struct.pack("HBBI", LOAD_NUMBER, 0, 0, 0)]
    for i, number in enumerate(numbers):
        steps.append(struct.pack("HBBI", IF_EQUAL, len(numbers) - i, 0, number))
    steps += [struct.pack("HBBI", ANSWER, 0, 0, ALLOWED), struct.pack("HBBI", ANSWER, 0, 0, REFUSED)]
    code = ctypes.create_string_buffer(b"".join(steps))
    program = struct.pack("HP", len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or libc.prctl(SECCOMP, FILTER, program, 0, 0):
        sys.exit("deny.py: " + os.strerror(ctypes.get_errno()))
    os.execvp(sys.argv[at + 1], sys.argv[at + 1:])


main()
