"""Each command that writes a file, and each thing that the author of a repository can put in the place of that file.

    links.py TRAINC [SUBSTRING...]

A file that a command writes may be a link only to something below the directory that contains the link. Whatever it
is, no file outside of that directory appears, changes or disappears, and no command waits for a pipe or a device. A
command that refuses exits with 3 (output) or 1, and says why."""
import concurrent.futures
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

TRAINC = os.path.abspath(sys.argv[1])
WANTED = sys.argv[2:]
SLOPPY = 'job   "a"{image="a/b:1",command=["run"]\nrole w{cpu=1,memory=64Mi}}\n'
GOOD = 'job "a" {\n  image = "a/b:1"\n  command = ["run"]\n  role w { cpu = 1, memory = 64Mi }\n}\n'
FIXABLE = 'job "a" {\n  imgae = "a/b:1"\n  command = ["run"]\n  role w { cpu = 1, memory = 64Mi }\n}\n'
MANIFEST = '''apiVersion: batch/v1
kind: Job
metadata: { name: j }
spec: { template: { spec: { restartPolicy: Never, containers: [{ name: c, image: "i:1", command: [x] }] } } }
'''
CRD = '''apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.acme.io }
spec:
  group: acme.io
  scope: Namespaced
  names: { kind: Widget, plural: widgets }
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}}]
'''
OBJECTS = 'apiVersion: v1\nkind: Old\n'
MARKER = 'written by trainc\n001-job-old.yaml\n'

# name of the writer: (the file that it writes, the text of that file before, the command,
#                      'follows' or 'refuses': a link to a file below its directory)
WRITERS = {
    'fmt': ('job.tj', SLOPPY, 'fmt job.tj', 'follows'),
    'fmt DIRECTORY': ('job.tj', SLOPPY, 'fmt .', 'follows'),
    'check --fix': ('job.tj', FIXABLE, 'check --fix job.tj', 'follows'),
    'compile -o': ('out.yaml', OBJECTS, 'compile good.tj -o out.yaml', 'follows'),
    'compile --depfile': ('good.d', 'good.yaml: \\\n  other.tj\nother.tj:\n', 'compile --depfile good.d good.tj', 'follows'),
    'compile --output-dir, a file': ('out/001-service-a.yaml', OBJECTS, 'compile --output-dir out good.tj', 'refuses'),
    'compile --output-dir, the marker': ('out/.trainc-objects', MARKER, 'compile --output-dir out good.tj', 'refuses'),
    'compile --output-dir, a stale file': ('out/001-job-old.yaml', OBJECTS, 'compile --output-dir out good.tj', 'removes'),
    'import --output-dir': ('made/j.tj', GOOD, 'import --output-dir made --force manifest.yaml', 'refuses'),
    'init': ('job.tj', None, 'init', 'refuses'),
    'vendor': ('trainc.lock', '# nothing\n', 'vendor', 'follows'),
    'vendor crd': ('crds.tbl', '', 'vendor crd manifest.crd', 'follows'),
}
passed, failures = 0, []


def check(what, holds, more=''):
    global passed
    if holds:
        passed += 1
    else:
        failures.append(what)
        print(f'FAIL {what} {more}')


def tree(directory):
    """All that is below a directory: the type of each entry, its mode, and its text or the target of a link."""
    found = {}
    for path in sorted(directory.rglob('*')):
        st = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_text() if stat.S_ISREG(st.st_mode) else ''
        found[str(path.relative_to(directory))] = (st.st_mode, content)
    return found


def prepare(top, path, marked):
    """A checkout with a good program, a manifest, a project with a package if PATH is its lock; nothing at PATH."""
    checkout = top / 'checkout'
    checkout.mkdir(parents=True)
    (top / 'outside').mkdir()
    if path == 'trainc.lock':
        (checkout / 'pk').mkdir()
        (checkout / 'pk/names.tj').write_text('let image = "a/b:1"\n')
        (checkout / 'project.tj').write_text('project { packages { acme = "pk" } }\n')
    if path == 'crds.tbl':
        (checkout / 'project.tj').write_text('project { }\n')
    (checkout / 'good.tj').write_text(GOOD)
    (checkout / 'manifest.yaml').write_text(MANIFEST)
    (checkout / 'manifest.crd').write_text(CRD)
    (checkout / path).parent.mkdir(exist_ok=True)
    if marked:
        (checkout / 'out/.trainc-objects').write_text(MARKER + '001-service-a.yaml\n')
    return checkout


def run(checkout, command):
    try:
        done = subprocess.run([TRAINC, *command.split()], cwd=checkout, stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
        return done.returncode, done.stderr.decode()
    except subprocess.TimeoutExpired:
        return 'hangs', ''


def out(place, text, outside):
    (outside / 'victim').write_text(text)
    place.symlink_to('../' * (len(place.relative_to(outside.parent).parts) - 1) + 'outside/victim')


def absolute(place, text, outside):
    (outside / 'victim').write_text(text)
    place.symlink_to(outside / 'victim')


def chain(place, text, outside):
    (outside / 'victim').write_text(text)
    (place.parent / 'middle').symlink_to(outside / 'victim')
    place.symlink_to('middle')


def through_directory(place, text, outside):
    """A link to a name below a directory of its own, which is a link that leads out."""
    (outside / 'victim').write_text(text)
    (place.parent / 'sub').symlink_to(outside)
    place.symlink_to('sub/victim')


def dangling(place, text, outside):
    place.symlink_to(outside / 'victim')


def loop(place, text, outside):
    place.symlink_to(place.name)


def fifo(place, text, outside):
    os.mkfifo(place)


def to_device(place, text, outside):
    place.symlink_to('/dev/full')


def device(place, text, outside):
    os.mknod(place, 0o644 | stat.S_IFCHR, os.makedev(1, 7))


def to_directory(place, text, outside):
    (outside / 'victim').mkdir()
    place.symlink_to(outside / 'victim')


REFUSED = [out, absolute, chain, through_directory, dangling, loop, fifo, to_device, to_directory]
if os.geteuid() == 0:
    REFUSED.append(device)


def attempts():
    for writer, (path, text, command, inner) in WRITERS.items():
        for kind in REFUSED:
            yield writer, path, text or '', command, inner, kind


def attempt(top, number, writer, path, text, command, inner, kind):
    what = f'{writer}: {kind.__name__}'
    if WANTED and not any(w in what for w in WANTED):
        return
    where = top / str(number)
    checkout = prepare(where, path, path.startswith('out/') and not path.endswith('objects'))
    try:
        kind(checkout / path, text, where / 'outside')
    except PermissionError:             # no devices in this container
        return
    if path == 'job.tj' and writer != 'init':
        (checkout / 'good.tj').unlink()
    before, link = tree(where / 'outside'), (checkout / path).lstat().st_ino
    status, said = run(checkout, command)
    check(what + ', outside', tree(where / 'outside') == before, said)
    if inner == 'removes':
        check(what + ', removed', status == 0 and not os.path.lexists(checkout / path), f'{status} {said}')
        return
    check(what + ', refused', status in (1, 3) and said.strip(), f'{status} {said}')
    check(what + ', stays', os.path.lexists(checkout / path) and (checkout / path).lstat().st_ino == link)


def refused(top):
    """Many at once, because a pipe without a reader is waited for."""
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(attempt, top, number, *row) for number, row in enumerate(attempts())]:
            done.result()


def inside(top):
    """A link to a file below its own directory: the file is written, or the link is refused."""
    for number, (writer, (path, text, command, inner)) in enumerate(WRITERS.items()):
        if inner not in ('follows', 'refuses') or text is None:
            continue
        where = top / f'in{number}'
        checkout = prepare(where, path, path.startswith('out/') and not path.endswith('objects'))
        target = (checkout / path).parent / 'deep' / 'er' / 'target'
        target.parent.mkdir(parents=True)
        target.write_text(text)
        (checkout / path).parent.joinpath('hop').symlink_to('deep/er/target')
        (checkout / path).symlink_to('hop')
        if path == 'job.tj':
            (checkout / 'good.tj').unlink()
        status, said = run(checkout, command)
        check(f'{writer}: inside, still a link', (checkout / path).is_symlink(), said)
        if inner == 'follows':
            check(f'{writer}: inside, written', status == 0 and target.read_text() != text, f'{status} {said}')
        else:
            check(f'{writer}: inside, refused', status == 3 and 'symbolic link' in said and target.read_text() == text, f'{status} {said}')
        shutil.rmtree(where)


def directories(top):
    """The directory of --output-dir itself; a directory in the middle of a path, which the user named; hard links."""
    for command in ('compile --output-dir place good.tj', 'import --output-dir place manifest.yaml'):
        where = top / command.split()[0]
        checkout = prepare(where, 'x', False)
        (checkout / 'place').symlink_to(where / 'outside')
        status, said = run(checkout, command)
        check(f'{command}: a link', status == 3 and 'symbolic link out of its directory' in said, f'{status} {said}')
        check(f'{command}: a link, outside', not tree(where / 'outside'))
        (checkout / 'place').unlink()
        (checkout / 'place').symlink_to('real')
        (checkout / 'real').mkdir()
        status, said = run(checkout, command)
        check(f'{command}: a link inside', status == 0 and any((checkout / 'real').iterdir()), f'{status} {said}')
        shutil.rmtree(where)
    where = top / 'named'
    checkout = prepare(where, 'x', False)
    (checkout / 'middle').symlink_to(where / 'outside')
    status, said = run(checkout, 'compile good.tj -o middle/out.yaml')
    check('a directory that the user named', status == 0 and (where / 'outside/out.yaml').exists(), said)
    status, said = run(checkout, 'compile --output-dir out good.tj')
    first = checkout / 'out/001-service-a.yaml'
    first.unlink()
    (where / 'outside/victim').write_text(OBJECTS)
    os.link(where / 'outside/victim', first)
    status, said = run(checkout, 'compile --output-dir out good.tj')
    check('a hard link', status == 0 and (where / 'outside/victim').read_text() == OBJECTS and 'kind: Service' in first.read_text(), said)


def main():
    top = pathlib.Path(tempfile.mkdtemp(prefix='links-')).resolve()
    try:
        refused(top)
        inside(top)
        directories(top)
    finally:
        shutil.rmtree(top)
    print(f'{passed} passed, {len(failures)} failed')
    return 1 if failures else 0


sys.exit(main())
