"""Calls that fail, one after the other, in typical commands, and the results.

    faults.py TRAINC [--kinds memory,read] [--step N] [--commands SUBSTRING]

TRAINC is the program that fault.c is linked into.  For each command, kind of call and way to fail, the first call
fails, then the second, until a run makes fewer. A run is right when its result is that of a run without a fault; or
when it exits with the status for the failure (70 for memory), without a signal, with a line about it on standard error,
and with files that are either as before or as after a complete run. """
import argparse
import collections
import os
import select
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from commands import COMMANDS, DIRECTORY, prepare

WAYS = {
    'memory': [('once', ''), ('from', '')],
    'open': [('once', 'EMFILE'), ('once', 'EIO'), ('once', 'EACCES'), ('from', 'EMFILE')],
    'read': [('once', 'EIO'), ('once', 'EINTR'), ('from', 'short'), ('from', 'EIO')],
    'write': [('once', 'ENOSPC'), ('once', 'EINTR'), ('from', 'short'), ('from', 'EIO'), ('once', 'EPIPE')],
    'close': [('once', 'EIO'), ('once', 'EINTR')],
    'fsync': [('once', 'EIO')],
    'rename': [('once', 'EACCES'), ('once', 'ENOSPC')],
    'stat': [('once', 'EIO'), ('once', 'EACCES')],
    'mkdir': [('once', 'ENOSPC')],
    'unlink': [('once', 'EACCES')],
}
LONGEST = 20                    # time limit of one run in seconds

Result = collections.namedtuple('Result', 'status out err files hit')


def snapshot(directory):
    files = {}
    for where, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(where, name)
            with open(path, 'rb') as f:
                files[os.path.relpath(path, directory)] = f.read()
    return files


def restore(directory, files):
    """Restores the directory to contain only `files`."""
    now = snapshot(directory)
    for name in now.keys() - files.keys():
        os.unlink(os.path.join(directory, name))
    for where, names, _ in os.walk(directory, topdown=False):
        for name in names:
            if not os.listdir(os.path.join(where, name)):
                os.rmdir(os.path.join(where, name))
    for name, text in files.items():
        if now.get(name) != text:
            os.makedirs(os.path.dirname(os.path.join(directory, name)), exist_ok=True)
            with open(os.path.join(directory, name), 'wb') as f:
                f.write(text)


class Torture:
    def __init__(self, trainc, directory):
        self.trainc, self.directory = trainc, directory
        prepare(directory, trainc)
        self.before = snapshot(directory)
        self.bad = []

    def run(self, name, arguments, stdin, fault=''):
        hear, tell = os.pipe()
        environment = dict(os.environ, FAULT=fault, LC_ALL='C.UTF-8', HOME=self.directory, TRAINC_STATE_DIR=self.directory + '/state')
        command = ['sh', '-c', f'exec "$0" "$@" 9>&{tell}', self.trainc, *arguments]
        try:
            done = subprocess.run(command, input=stdin.encode(), capture_output=True, timeout=LONGEST, pass_fds=[tell], env=environment,
                                  cwd=os.path.join(self.directory, DIRECTORY.get(name, '.')))
            status, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            status, out, err = 'hangs', b'', b''
        os.close(tell)
        hit = bool(select.select([hear], [], [], 0)[0]) and bool(os.read(hear, 1))
        os.close(hear)
        files = snapshot(self.directory)
        if files != self.before:
            restore(self.directory, self.before)
        return Result(status, out, err, files, hit)

    def wrong(self, arguments, kind, how, good, got):
        """What is wrong with a run that had a fault; '' if it is right."""
        if got.status == 'hangs' or got.status < 0 or got.status > 128:
            return f'status {got.status}'
        if b'Sanitizer' in got.err or b'runtime error' in got.err:
            return 'a sanitizer: ' + got.err.decode(errors='replace')[:300]
        for name in got.files.keys() | good.files.keys() | self.before.keys():
            if os.path.basename(name) == '.trainc-objects' or (kind == 'unlink' and '.yaml' in name):
                continue
            if got.files.get(name) not in (self.before.get(name), good.files.get(name)):
                return f'partial file {name}'
        if (got.status, got.out, got.files) == (good.status, good.out, good.files):
            return ''
        if how == 'EPIPE' and arguments[0] == 'lsp':
            return ''                   # a client that disconnects has not sent 'exit'
        if how == 'EPIPE':
            return '' if got.status == good.status else f'status {got.status}, not {good.status}: the reader of the output has gone'
        if b'TJ0001' in got.out and got.status:
            return ''                   # diagnostics as JSON are the output
        if how in ('EINTR', 'short'):
            return f'status {got.status} after {how}: {got.err[:200]!r}'
        if kind == 'memory' and (got.status != 70 or got.err.count(b'\n') < 1 or b'out of memory' not in got.err.splitlines()[-1]):
            return f'status {got.status}, said {got.err[-200:]!r}'
        if not got.status:
            return 'status 0, and not what comes without the fault'
        if got.status == good.status and got.err == good.err:
            return f'status {got.status} without a message about it'
        return '' if got.err else f'status {got.status} without a message'

    def sweep(self, command, kind, mode, how, step):
        """Counts the runs and the wrong runs of one command, kind and way to fail."""
        name, arguments, stdin = command
        good = self.run(name, arguments, stdin)
        n, runs = 1, 0
        while True:
            got = self.run(name, arguments, stdin, f'{kind}:{mode}:{n}:{how}')
            if not got.hit:
                return runs
            runs += 1
            wrong = self.wrong(arguments, kind, how, good, got)
            if wrong:
                self.bad.append(f'{name}, {kind} {mode} {n} {how}: {wrong}')
            n += step
            if how == 'short':      # only from the first call on: a run for each call would be a run for each byte
                return runs


def main():
    options = argparse.ArgumentParser()
    options.add_argument('trainc')
    options.add_argument('--kinds', default=','.join(WAYS))
    options.add_argument('--step', type=int, default=1, help='of memory; of files a third of it')
    options.add_argument('--commands', default='')
    given = options.parse_args()
    directory = tempfile.mkdtemp(prefix='torture-')
    os.chmod(directory, 0o755)
    total = 0
    try:
        torture = Torture(os.path.abspath(given.trainc), directory)
        wanted = [c for c in COMMANDS if given.commands in c[0]] if given.commands != 'few' else [
            c for c in COMMANDS if c[0] in ('check, wrong', 'check --fix', 'compile --output-dir', 'compile, YAML', 'compile, project', 'import', 'vendor crd', 'compile, outdated files')]
        print(f'{"call":8} {"mode":5} {"how":8} {"runs":>6} {"bad":>5}')
        for kind in given.kinds.split(','):
            for mode, how in WAYS[kind]:
                bad = len(torture.bad)
                runs = sum(torture.sweep(c, kind, mode, how, given.step) for c in wanted)
                total += runs
                print(f'{kind:8} {mode:5} {how:8} {runs:6} {len(torture.bad) - bad:5}', flush=True)
    finally:
        shutil.rmtree(directory)
    for line in torture.bad:
        print('FAIL', line)
    print(f'{total - len(torture.bad)} passed, {len(torture.bad)} failed')
    return bool(torture.bad)


sys.exit(main())
