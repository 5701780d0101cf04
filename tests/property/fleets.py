"""A fleet, the same jobs written out, and each job alone become the same objects, byte for byte.

What one job has worked out may be used by the next only where it is the same:
here every program with one job of a fixed name is all three.

    fleets.py TRAINC PROGRAM.tj...
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

JOB = re.compile(r'^job "([a-z0-9-]+)"(.*?^}\n|.*?}\n)', re.M | re.S)
COUNT = 3
trainc = sys.argv[1]
scratch = tempfile.TemporaryDirectory()
folders = {}
passed = failed = 0


def folder_of(program):
    """A copy of the program's directory, for what it imports."""
    source = os.path.dirname(program)
    if source not in folders:
        folders[source] = os.path.join(scratch.name, str(len(folders)))
        shutil.copytree(source, folders[source])
    return folders[source]


def compile_text(folder, text, *options):
    """What the text compiles to, or None."""
    path = os.path.join(folder, "fleet-or-not.tj")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([trainc, "compile", *options, path], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


for program in sys.argv[2:]:
    with open(program, encoding="utf-8") as file:
        text = file.read()
    jobs = JOB.findall(text)
    if len(jobs) != 1 or text.count("\njob ") + text.startswith("job ") != 1 or "\nfor " in text or "\ntest " in text:
        continue
    name, rest = jobs[0]
    head, tail = text.split(f'job "{name}"{rest}')

    def job(number):
        return f'job "{name}-{number}"{rest}\n'

    folder = folder_of(program)
    for options in ([], ["--unroll"]):
        written = compile_text(folder, head + "".join(job(i) for i in range(COUNT)) + tail, *options)
        if written is None:
            continue
        fleet = compile_text(folder, f"{head}for number in range({COUNT}) {job('${number}')}{tail}", *options)
        alone = [compile_text(folder, head + job(i) + tail, *options) for i in range(COUNT)]
        same = fleet == written and None not in alone and "---\n".join(alone) == written
        passed += same
        failed += not same
        if not same:
            print(f"FAIL {program} {' '.join(options)}: a fleet, jobs written out and jobs alone differ")

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or passed < 40 else 0)
