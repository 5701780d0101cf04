#!/bin/sh
# tables.sh - lists that several tables have are the same in all of them.
exec python3 tests/tree/tables.py
