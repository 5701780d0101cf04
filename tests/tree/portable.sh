#!/bin/sh
# portable.sh - C files call nothing that only glibc has, because the programs of a release are linked with musl: what
# both need is in compiler/base/system.c, by the number of the system call.
cd "$(dirname "$0")/../.." || exit 1
only='renameat2|pidfd_open|pidfd_send_signal|pidfd_getfd|open_tree|move_mount|close_range|closefrom|sigabbrev_np|sigdescr_np|mallopt|malloc_trim|mallinfo2?|strerrorname_np|strerrordesc_np|qsort_r|fcloseall|canonicalize_file_name|getdents64|gettid|tgkill|execveat|fopencookie'
found=$(git ls-files 'compiler/*.c' 'runtime/*.c' | grep -v '^compiler/base/system\.c$' | xargs grep -nE "(^|[^_a-zA-Z0-9>.\"])($only)\(" | grep -vE '^[^:]*:[0-9]*:[[:space:]]*(/?\*|//)')
found=$found$(git ls-files 'compiler/*.c' 'runtime/*.c' | xargs grep -nE 'RENAME_(EXCHANGE|NOREPLACE)|<sys/pidfd\.h>|<error\.h>|<execinfo\.h>')
if test -n "$found"; then
	printf '%s\nFAIL only glibc has these: see compiler/base/system.h\n0 passed, 1 failed\n' "$found"
	exit 1
fi
echo "1 passed, 0 failed"
