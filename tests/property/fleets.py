"""A fleet, the same jobs written separately, and each job alone give the same objects, byte for byte.

A job may reuse results of the previous job only if these are the same for both.  Each program with one job of a fixed
name is compiled in all three forms: unchanged, and with a text or a number that differs in each pass.  With source
positions as comments (--annotate), every job that is written separately is evaluated by itself, so the objects are
compared with those, too.

    fleets.py TRAINC PROGRAM.tj...
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

JOB = re.compile(r'^job "([a-z0-9-]+)"(.*?^}\n|.*?}\n)', re.M | re.S)
TEXT = re.compile(r'(?<=[=(\[,] )"([^"\\$\n]*)"|"([^"\\$\n]*)"(?=[\])])')
NUMBER = re.compile(r"(?<== )([0-9]+)$", re.M)
COUNT = 3
PLACES = 3                              # positions in a program that are changed, spread over it
trainc = sys.argv[1]
scratch = tempfile.TemporaryDirectory()
folders = {}
passed = failed = differ = 0


def folder_of(program):
    """A copy of the program's directory, for its imports."""
    source = os.path.dirname(program)
    if source not in folders:
        folders[source] = os.path.join(scratch.name, str(len(folders)))
        shutil.copytree(source, folders[source])
    return folders[source]


def compile_text(folder, text, *options):
    """The compiled form of the text, or None."""
    path = os.path.join(folder, "fleet-or-not.tj")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([trainc, "compile", *options, path], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


PLACE = re.compile(r" # \S+:[0-9]+$", re.M)


def agrees_with_places(folder, text):
    """Are the objects the same as with places, but for these?"""
    plain, placed = compile_text(folder, text), compile_text(folder, text, "--annotate")
    return (plain is None) == (placed is None) and (plain is None or PLACE.sub("", placed) == PLACE.sub("", plain))


def differing(rest):
    """Functions from "${number}" or a number to the rest of a job in which one text or number depends on it."""
    def at(match, before, after):
        return lambda number: rest[:match.start()] + before + number + after + rest[match.end():]

    def of(match):
        if match.re is TEXT:
            return at(match, '"' + (match[1] or match[2] or ""), '"')
        return lambda number: at(match, match[1] + " + ", "")(number.strip("${}"))

    places = [of(match) for pattern in (TEXT, NUMBER) for match in pattern.finditer(rest)]
    step = max(1, -(-len(places) // PLACES))
    return [lambda number: rest] + places[::step] + [
        lambda number: re.sub(r"{\n", '{\n  annotations { place = "${cluster.name}" }\n', rest, count=1)]


for program in sys.argv[2:]:
    with open(program, encoding="utf-8") as file:
        text = file.read()
    jobs = JOB.findall(text)
    if len(jobs) != 1 or text.count("\njob ") + text.startswith("job ") != 1 or "\nfor " in text or "\ntest " in text:
        continue
    name, rest = jobs[0]
    head, tail = text.split(f'job "{name}"{rest}')
    folder = folder_of(program)
    for place, body in enumerate(differing(rest)):
        def job(number):
            return f'job "{name}-{number}"{body(number)}\n'

        for options in ([], ["--unroll"]) if place == 0 else ([],):
            written = compile_text(folder, head + "".join(job(str(i)) for i in range(COUNT)) + tail, *options)
            fleet = compile_text(folder, f"{head}for number in range({COUNT}) {job('${number}')}{tail}", *options)
            same = fleet == written
            if place == 0 and written is not None:
                alone = [compile_text(folder, head + job(str(i)) + tail, *options) for i in range(COUNT)]
                same = same and None not in alone and "---\n".join(alone) == written
            if place > 0:       # jobs of which the first two have the same text
                same = same and agrees_with_places(folder, head + "".join(
                    f'job "{name}-{i}"{body(str(max(i, 1)))}\n' for i in range(COUNT)) + tail)
            passed += same and written is not None
            differ += place > 0 and written is not None
            failed += not same
            if not same:
                print(f"FAIL {program} {' '.join(options)}: a fleet, jobs written out and jobs alone differ, with:{body('N')}")

if passed < 200 or differ < 120:
    print(f"FAIL only {passed} programs, of which {differ} have passes that differ")
    failed += 1
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
