#!/bin/sh
# language.sh - the language reference is correct: its programs compile, and its tables of fields match the vocabulary.
python3 docs/fields.py --check && fields='1 passed, 0 failed' || fields='0 passed, 1 failed'
blocks=$(python3 tests/docs/blocks.py docs/language.md)
printf '%s\n' "$blocks" | sed '$d'
printf '%s\n%s\n' "$fields" "$(printf '%s\n' "$blocks" | tail -n 1)" |
	awk '{ p += $1; f += $3 } END { print p " passed, " f " failed"; exit f > 0 }'
