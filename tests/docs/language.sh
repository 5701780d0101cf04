#!/bin/sh
# The language reference tells the truth: its programs are compiled.
exec python3 tests/docs/blocks.py docs/language.md
