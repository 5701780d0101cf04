"""`python -m trainc ...` is the program `trainc ...`."""
import os
import sys

from ._runs import program

path = program()
os.execv(path, [path, *sys.argv[1:]])
