#!/usr/bin/env python3
"""browser.py - the sources of `make wasm` need nothing that a browser lacks.  It reads the objects built for this
machine and the #include lines, so that a change that would break `make wasm` is noticed without clang and
wasi-libc.  Each object's undefined names must be defined by another source of the browser or be in NAMES; each
system header must be in HEADERS."""
import os
import re
import subprocess
import sys

BUILD = os.environ.get("BUILD", "build")
HEADERS = """ctype.h errno.h float.h inttypes.h limits.h math.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h
strings.h unistd.h yaml.h""".split()
# sys/mman.h: wasi-libc emulates it. The others are included in an #if that is false for WebAssembly.
ONLY_IN = {"time.h": ["compiler/base/time_text.c"], "sys/mman.h": ["compiler/base/arena.c", "compiler/base/memory.c"], "libintl.h": ["gen/trainc.tab.c"], "sys/auxv.h": ["compiler/base/str.c"], "setjmp.h": ["compiler/base/memory.c"]}
# Functions of wasi-libc. read, write, _exit: descriptors that docs/playground/engine.js refuses.
NAMES = set("""abort calloc clearerr exit _exit fileno fprintf fputc fputs free fwrite isatty malloc memchr memcmp memcpy memmem memmove
mempcpy memrchr memset mmap munmap printf putchar puts qsort read realloc snprintf sprintf sscanf stderr stdin stdout strcasecmp strchr
strcmp strcpy strcspn strlen strncasecmp strncmp strncpy strnlen strpbrk strrchr strspn strstr strtod strtol strtoll strtoul strtoull
vsnprintf write ceil exp floor gmtime_r timegm fmod log log10 log2 pow round sqrt trunc""".split())
# In an #if that is false for WebAssembly; compiler/web/web.c, which is not built here, has library_tree_find().
GUARDED = {"getauxval": "compiler/base/str.o", "_setjmp": "compiler/base/memory.o", "longjmp": "compiler/base/memory.o",
           "siglongjmp": "compiler/base/memory.o", "madvise": "compiler/base/arena.o", "library_tree_find": "compiler/check/module.o", "__sigsetjmp": "compiler/base/memory.o"}
# Of the command `trainc explain`: the functions that call these are in a file with others, and the linker leaves them out.
LEFT_OUT = {"explain_command": "compiler/explain/explain.o", "options_parse": "compiler/explain/explain_page.o",
            "session_compile": "compiler/explain/explain_page.o", "session_import": "compiler/explain/explain_page.o",
            "session_release": "compiler/explain/explain_page.o"}
# What compilers, sanitizers and coverage add.
OF_THE_COMPILER = re.compile(r"^(__(asan|ubsan|gcov|sanitizer|stack_chk|errno_location|ctype_)|__u?(div|mod|divmod)[td]i\d$|_GLOBAL_OFFSET_TABLE_$)")


def sources():
    """The list WASM_SRC of the Makefile, with the generated files."""
    out = subprocess.run(["make", "-s", "--no-print-directory", "wasm-sources", "BUILD=" + BUILD], check=True, capture_output=True, text=True,
                         env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}).stdout
    return out.split()


def headers(source, seen):
    """Yields (file, system header) of SOURCE and of our headers that it includes."""
    if source in seen:
        return
    seen.add(source)
    with open(source, encoding="utf-8") as f:
        text = f.read()
    for form, name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', text, re.M):
        if form == "<":
            yield source, name
            continue
        for directory in (os.path.dirname(source), "compiler", "grammar", ".", BUILD + "/gen"):
            if os.path.isfile(directory + "/" + name):
                yield from headers(os.path.normpath(directory + "/" + name), seen)
                break


def names(objects):
    """The names that each object defines, and those that it needs."""
    defined, needed = set(), []
    out = subprocess.run(["nm", "-A", "-P", "-g"] + objects, check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        where, name, kind = line.split()[:3]
        if kind in "Uwv":
            needed.append((where.rstrip(":")[len(BUILD + "/obj/"):], re.sub(r"^__(\w+)_chk$", r"\1", name)))
        else:
            defined.add(name)
    return defined, needed


def main():
    bad, seen, count = [], set(), 0
    ours = [s for s in sources() if s != "compiler/web/web.c"]
    for source in ours:
        for where, header in headers(source, seen):
            count += 1
            if header not in HEADERS and where.replace(BUILD + "/gen/", "gen/") not in ONLY_IN.get(header, []):
                bad.append("%s includes <%s>, which a browser lacks: move what needs it to a file that the Makefile keeps out of WASM_SRC, "
                           "or into an #ifndef __wasm__" % (where, header))
    defined, needed = names([BUILD + "/obj/" + s.replace(BUILD + "/gen/", "gen/")[:-2] + ".o" for s in ours])
    for where, name in needed:
        count += 1
        if name in defined or name in NAMES or name.startswith("yaml_") or OF_THE_COMPILER.match(name):
            continue
        if where not in (GUARDED.get(name), LEFT_OUT.get(name)):
            bad.append("%s calls %s(), which no source of the browser has; if wasi-libc has it, add it to NAMES" % (where, name))
    for line in bad:
        print("FAIL", line)
    if len(ours) < 300 or count < 1000:
        print("FAIL only %d sources and %d names were found" % (len(ours), count))
        bad.append("")
    print("%d passed, %d failed" % (not bad, len(bad)))
    return bool(bad)


sys.exit(main())
