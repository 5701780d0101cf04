"""ask.py DIRECTORY REQUEST: send one line to the keeper of a run, print its answer."""
import os
import socket
import sys

os.chdir(sys.argv[1])                   # a socket's path has little room
s = socket.socket(socket.AF_UNIX)
s.settimeout(10)
s.connect("control")
s.sendall((sys.argv[2] + "\n").encode())
print(s.makefile().readline().rstrip("\n"))
