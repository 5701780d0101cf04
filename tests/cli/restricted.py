"""restricted.py TRAINC BUILD - see restricted.sh."""
import fcntl
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import termios
import time

TRAINC, BUILD = os.path.abspath(sys.argv[1]), sys.argv[2]
GOOD = 'job "a" {\n  image = "a/b:1"\n  command = ["run"]\n  role w { cpu = 1, memory = 64Mi }\n}\n'
MANIFEST = '''apiVersion: batch/v1
kind: Job
metadata: { name: j }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: c, image: "i:1", command: [x] }] } } }
'''
passed = failed = 0


def check(what, holds, more=''):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f'FAIL {what} {more}')


def end(skipped=0):
    print(f'{passed} passed, {failed} failed' + (f', {skipped} skipped' if skipped else ''))
    sys.exit(1 if failed else 0)


def state(pid):
    with open(f'/proc/{pid}/status') as f:
        return dict(line.rstrip('\n').split(':\t', 1) for line in f if ':\t' in line)


def waits_restricted(pid):
    """The state of the process once it is restricted; after ten seconds whatever it is."""
    for _ in range(1000):
        now = state(pid)
        if now.get('Seccomp') == '2' or now['State'][0] == 'Z':
            break
        time.sleep(0.01)
    return now


def through_stdin(words, text, wanted):
    """A command that reads standard input: restricted while it waits, and right afterwards."""
    process = subprocess.Popen([TRAINC, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    now = waits_restricted(process.pid)
    check(f'{words}: restricted', now.get('Seccomp') == '2' and now.get('NoNewPrivs') == '1', now.get('Seccomp'))
    out, err = process.communicate(text, timeout=30)
    check(f'{words}: works', process.returncode == 0 and wanted in out, f'{process.returncode} {out} {err}')


def unread(pipe):
    """The number of bytes that wait in a pipe."""
    return struct.unpack('i', fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


def through_pipe(words, name, text, made):
    """A command that writes files: its operand is a pipe, whose writer waits."""
    os.mkfifo(name)
    writer = os.open(name, os.O_RDWR)
    process = subprocess.Popen([TRAINC, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    now = waits_restricted(process.pid)
    check(f'{words}: restricted', now.get('Seccomp') == '2', now.get('Seccomp'))
    os.write(writer, text.encode())
    end = time.monotonic() + 30
    while process.poll() is None and unread(writer) and time.monotonic() < end:
        time.sleep(0.01)                 # a pipe that nobody has open forgets what was written
    os.close(writer)
    out, err = process.communicate(timeout=30)
    check(f'{words}: works', (process.returncode == 0) == (made is not None), f'{process.returncode} {err}')
    if made:
        check(f'{words}: written', pathlib.Path(made).exists() and pathlib.Path(made).stat().st_size > 0)
    os.unlink(name)


def message(value):
    text = json.dumps(value)
    return f'Content-Length: {len(text)}\r\n\r\n{text}'.encode()


def server():
    """The language server: restricted, and still able to read modules and to keep a module of the library in its cache."""
    cache = os.path.abspath('cache')
    process = subprocess.Popen([TRAINC, 'lsp'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ, XDG_CACHE_HOME=cache))
    process.stdin.write(message({'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {'capabilities': {}}}))
    process.stdin.flush()
    now = waits_restricted(process.pid)
    check('lsp: restricted', now.get('Seccomp') == '2' and now.get('NoNewPrivs') == '1' and now.get('Threads') == '1', now)
    uri = f'file://{os.getcwd()}/main.tj'
    pathlib.Path('other.tj').write_text('let image = "a/b:1"\n')
    text = 'import std.pytorch\nimport "other.tj" as other\njob "a": pytorch.torchrun {\n  image = other.image\n  script = "t.py"\n  accelerator = none\n}\n'
    for value in (
            {'jsonrpc': '2.0', 'method': 'initialized', 'params': {}},
            {'jsonrpc': '2.0', 'method': 'textDocument/didOpen', 'params': {'textDocument': {'uri': uri, 'languageId': 'trainc', 'version': 1, 'text': text}}},
            {'jsonrpc': '2.0', 'id': 2, 'method': 'textDocument/definition', 'params': {
                'textDocument': {'uri': uri}, 'position': {'line': 2, 'character': 20}}},
            {'jsonrpc': '2.0', 'id': 3, 'method': 'textDocument/definition', 'params': {
                'textDocument': {'uri': uri}, 'position': {'line': 3, 'character': 18}}},
            {'jsonrpc': '2.0', 'id': 4, 'method': 'shutdown'}, {'jsonrpc': '2.0', 'method': 'exit'}):
        process.stdin.write(message(value))
    out = process.communicate(timeout=30)[0].decode()
    check('lsp: ends', process.returncode == 0, process.returncode)
    check('lsp: reads another module', 'other.tj' in out, out[-600:])
    kept = list(pathlib.Path(cache).rglob('*.tj'))
    check('lsp: writes its cache', kept and str(kept[0]) in out, out[-600:])


def library():
    """libtrainc.a restricts only from the entry of a program: nothing that a caller of trainc.h reaches does."""
    names = subprocess.run(['nm', '-A', os.path.join(BUILD, 'libtrainc.a')], capture_output=True, text=True).stdout.splitlines()
    users = {line.split(':')[1] for line in names if ' U restriction_' in line and ('read_only' in line or 'write_at' in line)}
    callers = {line.split(':')[1] for line in names if ' U restricted_begin' in line}
    check('the library', users == {'restricted.o'} and callers == {'program.o'}, f'{users} {callers}')


SANITIZED = any(word in BUILD for word in ('asan', 'cover', 'fuzz'))     # these builds restrict nothing
if not SANITIZED:
    library()
about = json.loads(subprocess.run([TRAINC, 'version', '-o', 'json'], capture_output=True, text=True).stdout)['restrictions']
if not about['seccomp'] or SANITIZED:
    print('skip the kernel has no filters, or this build does not use them')
    end(1)
with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    through_stdin(['check', '-'], GOOD, '')
    through_stdin(['compile', '-'], GOOD, 'kind: Job')
    through_stdin(['fmt', '-'], GOOD, 'job "a"')
    through_stdin(['import', '-'], MANIFEST, 'job "j"')
    through_pipe(['compile', 'p.tj', '-o', 'out.yaml'], 'p.tj', GOOD, 'out.yaml')
    through_pipe(['compile', 'p.tj', '--output-dir', 'objects'], 'p.tj', GOOD, 'objects/.trainc-objects')
    through_pipe(['compile', 'p.tj', '--output-dir', 'objects/'], 'p.tj', GOOD, 'objects/.trainc-objects')
    through_pipe(['compile', '-o', '/dev/null', '--depfile', 'p.d', 'p.tj'], 'p.tj', GOOD, 'p.d')
    through_pipe(['import', 'p.yaml', '--output-dir', 'programs'], 'p.yaml', MANIFEST, 'programs/j.tj')
    through_pipe(['check', '--fix', 'p.tj'], 'p.tj', GOOD.replace('image', 'imgae'), None)
    through_pipe(['fmt', 'p.tj'], 'p.tj', GOOD.replace('  ', '     '), None)
    with open('redirected', 'w') as f:
        done = subprocess.run([TRAINC, 'compile', '-o', '/dev/stdout', '-'], input=GOOD, stdout=f, stderr=subprocess.PIPE, text=True)
    check('compile -o /dev/stdout into a file', done.returncode == 0 and 'kind: Job' in pathlib.Path('redirected').read_text(), done.stderr)
    server()
    os.chdir('/')
end()
