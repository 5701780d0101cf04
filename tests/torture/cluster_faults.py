"""Calls that fail, one after the other, in commands about a cluster and in the controller, and the results.

    cluster_faults.py BUILD [--kinds memory,read] [--step N] [--commands SUBSTRING] [--sample] [-v]

Commands run against the API server in memory of tests/cluster.  A run is right when its result is that of a run without
a fault; or when its exit status says that it failed, with a last line about it, without a signal, and no file is left.
Then the same command without a fault must do its work, whatever the first one left in the cluster. The controller goes
on, or ends with a status and a message; then another one brings the same job to its end."""
import argparse
import collections
import importlib.util
import json
import os
import queue
import re
import select
import ssl
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WAYS = {
    'memory': [('once', ''), ('from', '')],
    'open': [('once', 'EMFILE'), ('once', 'EIO'), ('from', 'EMFILE')],
    'read': [('once', 'EIO'), ('once', 'EINTR'), ('from', 'short'), ('from', 'EIO')],
    'write': [('once', 'ENOSPC'), ('once', 'EINTR'), ('from', 'short'), ('from', 'EIO'), ('once', 'EPIPE')],
    'close': [('once', 'EIO'), ('once', 'EINTR')],
    'fsync': [('once', 'EIO')],
    'rename': [('once', 'EACCES')],
    'stat': [('once', 'EIO'), ('once', 'EACCES')],
    'mkdir': [('once', 'ENOSPC')],
    'unlink': [('once', 'EACCES')],
    'socket': [('once', 'EMFILE'), ('from', 'ENOBUFS')],
    'connect': [('once', 'ECONNREFUSED'), ('from', 'ECONNREFUSED')],
    'socketopt': [('once', 'ENOBUFS'), ('from', 'ENOBUFS')],
    'listen': [('once', 'EACCES')],
    'send': [('once', 'ECONNRESET'), ('once', 'EAGAIN'), ('from', 'EPIPE')],
    'recv': [('once', 'ECONNRESET'), ('once', 'EAGAIN'), ('from', 'ECONNRESET')],
    'wait': [('once', 'EINTR'), ('once', 'ENOMEM')],
    'loop': [('once', 'EMFILE'), ('from', 'ENOSPC')],
    'process': [('once', 'EAGAIN'), ('from', 'ENOENT')],
}
LIMIT = 20                      # seconds that a command may take, at most
MORE = 7                        # of the calls of a controller, one in so many times --step

SAMPLE = ('status, TLS', 'again', 'delete', 'logs', 'supervise, job')

Result = collections.namedtuple('Result', 'status out err files hit')


def snapshot(directory):
    files = {}
    for where, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(where, name)
            with open(path, 'rb') as f:
                files[os.path.relpath(path, directory)] = f.read()
    return files


def forked(command, fault, limit, **more):
    """Runs COMMAND with a FAULT: (status, out, err, whether the call that fails was reached)."""
    hear, tell = os.pipe()
    p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[tell],
                         **dict(more, env=dict(more['env'], FAULT=fault, FAULT_HIT=str(tell))))
    os.close(tell)
    try:
        out, err = p.communicate(timeout=limit)
        status = p.returncode
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
        status = 'hangs'
    hit = bool(select.select([hear], [], [], 0)[0]) and bool(os.read(hear, 1))
    os.close(hear)
    return status, out.decode(errors='replace'), err.decode(errors='replace'), hit


def secure(w):
    """Lets the server speak TLS, and the kubeconfig have a token and a user who is impersonated. A request without
    them counts as one of somebody with more rights."""
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=k',
                    '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', 'key', '-out', 'ca'], cwd=w.dir, check=True, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(w.dir + '/ca', w.dir + '/key')
    w.listener.socket = context.wrap_socket(w.listener.socket, server_side=True, do_handshake_on_connect=False)
    with open(w.dir + '/config') as f:
        config = json.load(f)
    config['clusters'][0]['cluster'] = {'server': 'https' + config['clusters'][0]['cluster']['server'][4:], 'certificate-authority': 'ca'}
    config['users'][0]['user'] = {'token': 'secret', 'as': 'eve', 'as-groups': ['team'], 'as-user-extra': {'a': ['b']}}
    w.write('config', json.dumps(config))
    take, w.bare = w.take_request, []

    def take_request(h):
        given = [h.headers[x] for x in ('Authorization', 'Impersonate-User', 'Impersonate-Group', 'Impersonate-Extra-a', 'Accept')]
        if given[:4] != ['Bearer secret', 'eve', 'team', 'b'] or not given[4]:
            w.bare.append((h.path, given))
        return take(h)
    w.take_request = take_request


def secret_status():
    def prepare(w):
        typical.applied(w)
        secure(w)
    return typical.Command('status, TLS', 'status a', lambda w, out: 'Running' in out, prepare, reads=True)


class Commands:
    """Sweeps over one command."""

    def __init__(self, half, version, command):
        self.half, self.version, self.command = half, version, command
        self.w = typical.Restored()
        if command.prepare:
            command.prepare(self.w)
        self.w.save()
        self.before = snapshot(self.w.dir)

    def run(self, fault=''):
        words = [self.half, '--half=' + self.version, *self.command.words]
        words += ['--retry-timeout', '1s'] if self.command.name != 'version' else []
        status, out, err, hit = forked(words, fault, LIMIT if self.command.name != 'version' else 90, env=dict(self.w.environment(), LC_ALL='C.UTF-8'), cwd=self.w.dir)
        return Result(status, '\n'.join(sorted(out.split('\n'))), err, snapshot(self.w.dir), hit)

    def clear(self):
        """Restores the cluster and the directory."""
        self.w.restore()
        self.w.bare = []
        for name in snapshot(self.w.dir).keys() - self.before.keys():
            os.unlink(os.path.join(self.w.dir, name))

    def wrong(self, kind, how, good, got):
        """What is wrong with a run that had a fault; '' if it is right."""
        c = self.command
        if got.status == 'hangs' or got.status < 0 or got.status > 128:
            return f'status {got.status}'
        if 'Sanitizer' in got.err or 'runtime error' in got.err:
            return 'a sanitizer: ' + got.err[:300]
        if getattr(self.w, 'bare', None):
            return f'headers are missing: {self.w.bare}'
        for name in got.files.keys() | self.before.keys():
            if got.files.get(name) not in (self.before.get(name), good.files.get(name)):
                return f'file {name}'
        if how == 'EPIPE' and kind == 'write':
            return '' if got.status == good.status else f'status {got.status}, not {good.status}: the reader of the output has gone'
        if got.status == good.status:
            done = c.done(self.w, got.out) or c.status
            # a change that was sent again, because its answer was lost, finds the object that it has created
            same = got.out.replace('configured', 'created') == good.out.replace('configured', 'created')
            return '' if done and same else f'status {got.status}, but not the output or the work of it: {got.out[:200]!r}'
        if not got.status or not got.err.strip():
            return f'status {got.status}, said {got.err!r}'
        if kind == 'memory' and 'memory' not in got.err and how == '':
            return f'status {got.status}, said {got.err[-200:]!r}'
        if how in ('EINTR', 'short'):
            return f'status {got.status} after {how}: {got.err[-200:]!r}'
        return self.again(good)

    def again(self, good):
        """The command without a fault, in the cluster as the other left it."""
        if self.command.reads:
            return ''
        got = self.run()
        ok = got.status == good.status and (self.command.done(self.w, got.out) or self.command.status)
        return '' if ok else f'repeated: status {got.status}, said {got.err[-300:]!r}'

    def sweep(self, kind, mode, how, step, say):
        self.clear()
        good = self.run()
        if good.status != self.command.status:
            say(f'{self.command.name} without a fault: status {good.status}, said {good.err!r}')
            return 0
        n, runs = 1, 0
        while True:
            self.clear()
            got = self.run(f'{kind}:{mode}:{n}:{how}')
            if not got.hit:
                return runs
            runs += 1
            wrong = self.wrong(kind, how, good, got)
            if wrong:
                say(f'{self.command.name}, {kind} {mode} {n} {how}: {wrong}')
            n += step
            if how == 'short':
                return runs

    def close(self):
        self.w.close()


class Controller:
    """Sweeps over a controller that brings one job to its end. Each run has a world of its own."""

    def __init__(self, half, version, name):
        self.half, self.version, self.name, self.worlds = half, version, name, []

    def start(self, w, fault=''):
        """Starts a controller, and returns the descriptor that tells of the call that failed."""
        words = [self.half, '--half=' + self.version, 'supervise', '--all-namespaces', '--listen', '127.0.0.1:0']
        hear, tell = os.pipe()
        log = open(os.path.join(w.dir, 'log%d' % len(w.controllers)), 'w+')
        words += ['--kubeflow'] if self.name == 'supervise, job' else ['--kubeconfig', 'controller']
        p = subprocess.Popen(words, cwd=w.dir, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=[tell],
                             env=dict(w.environment(), FAULT=fault, FAULT_HIT=str(tell), LC_ALL='C.UTF-8'))
        os.close(tell)
        p.log = log
        w.controllers.append(p)
        return hear

    def until(self, w, predicate, end):
        """False if the controller ends or the time has passed first."""
        while time.monotonic() < end:
            with w.lock:
                if predicate():
                    return True
            if w.controllers[-1].poll() is not None:
                return False
            time.sleep(0.005)
        return False

    def job(self, w, end):
        """Lets the controller bring a PyTorchJob to its end."""
        if not self.until(w, lambda: len(w.names('pods')) == 2, end):
            return False
        w.run_pods()
        w.run_pods('Succeeded')
        return self.until(w, lambda: 'Succeeded' in w.conditions('pytorchjobs', 'train'), end)

    def run_of(self, w, end):
        """Lets the controller bring a run to its end, which its record then shows."""
        if not self.until(w, lambda: w.record('a').get('attended') == '1', end):
            return False
        if w.get('jobs', 'a-worker'):
            w.job('a-worker', 'Succeeded')
        return self.until(w, w.verdict('a', 'Succeeded'), end)

    def world(self):
        if self.name == 'supervise, job':
            w = jobs_world.World()
            w.allowed = jobs_world.rights(('--kubeflow', '--all-namespaces'))
            container = {'name': 'pytorch', 'image': 'registry.example.com/train:1.0'}
            role = {'replicas': 1, 'restartPolicy': 'Never', 'template': {'spec': {'containers': [container]}}}
            w.put('pytorchjobs', {'metadata': {'name': 'train'}, 'spec': {'pytorchReplicaSpecs': {'Master': role, 'Worker': role}}})
            return w
        w = runs_world.World()
        w.jobs_run = False
        w.write('a.tj', typical.PROGRAM % ('a', 2))
        w.run('apply', '--no-wait', '--controller', 'a.tj', '--timeout', '1s')
        return w

    def once(self, fault='', mode='once'):
        """(what is wrong or '', whether the call that fails was reached)"""
        w = self.world()
        act = self.job if self.name == 'supervise, job' else self.run_of
        try:
            hear = self.start(w, fault)
            done = act(w, time.monotonic() + LIMIT)
            status = w.controllers[-1].poll()
            if status is None:
                w.controllers[-1].terminate()
                try:
                    ended = w.controllers[-1].wait(LIMIT)
                except subprocess.TimeoutExpired:
                    ended = 'hangs'
            hit = bool(select.select([hear], [], [], 0)[0]) and bool(os.read(hear, 1))
            os.close(hear)
            with open(w.controllers[-1].log.name) as f:
                said = f.read()
            if 'Sanitizer' in said or 'runtime error' in said:
                return 'a sanitizer: ' + said[:300], hit
            if status is None:
                if not done and not (mode == 'from' and '"level":"warning"' in said):
                    return f'it goes on, but the job does not end: {said[-500:]!r}', hit
                # at its end, it may fail for the same reason
                return '' if ended == 0 or (ended in (1, 3, 70) and said.strip()) else f'ended with {ended}: {said[-300:]!r}', hit
            if status <= 0 or status > 128 or not said.strip():
                return f'status {status}, said {said[-300:]!r}', hit
            with w.lock:
                for key in [k for k in w.objects if k[0] == 'leases']:          # as if its time had passed
                    del w.objects[key]
            os.close(self.start(w))
            if not act(w, time.monotonic() + LIMIT):
                return f'status {status}, and the next controller does not end the job; said {said[-300:]!r}', hit
            return '', hit
        finally:
            w.close()

    def sweep(self, kind, mode, how, step, say):
        wrong, _ = self.once()
        if wrong:
            say(f'{self.name} without a fault: {wrong}')
            return 0
        n, runs = 1, 0
        while True:
            wrong, hit = self.once(f'{kind}:{mode}:{n}:{how}', mode)
            if not hit:
                return runs
            runs += 1
            if wrong:
                say(f'{self.name}, {kind} {mode} {n} {how}: {wrong}')
            n += step
            if how == 'short':
                return runs

    def close(self):
        pass


def sweeps(name, swept, given):
    """Every way to fail in one command or controller."""
    try:
        for kind in given.kinds.split(','):
            for mode, how in WAYS[kind]:
                bad = []
                step = given.step * (MORE if name.startswith('supervise') else 1)
                runs = swept.sweep(kind, mode, how, step if kind == 'memory' else max(1, step // 30), bad.append)
                with LOCK:
                    row = TOTAL.setdefault((kind, mode, how), [0, 0])
                    row[0] += runs
                    row[1] += len(bad)
                    BAD.extend(bad)
                    if given.v:
                        print(f'{name:14} {kind:9} {mode:5} {how:12} {runs:6} {len(bad):5}', *bad, sep='\n    ', flush=True)
    finally:
        swept.close()


LOCK, TOTAL, BAD = threading.Lock(), {}, []


def main():
    options = argparse.ArgumentParser()
    options.add_argument('build')
    options.add_argument('--kinds', default=','.join(WAYS))
    options.add_argument('--step', type=int, default=1, help='of memory; of other calls one in thirty of it')
    options.add_argument('--commands', default='')
    options.add_argument('--sample', action='store_true', help='a few calls of four commands and a controller')
    options.add_argument('-v', action='store_true')
    given = options.parse_args()
    if given.sample:
        given.step, given.kinds = 1100, 'memory,open,socket,send,recv,loop'
    chosen = SAMPLE if given.sample else None
    build = os.path.abspath(given.build)
    os.environ['TRAINC'] = build + '/trainc'
    sys.path[:0] = [os.path.join(HERE, '..', 'cluster'), os.path.join(HERE, '..', 'supervise')]
    global typical, runs_world, jobs_world
    import typical
    import runs_world
    spec = importlib.util.spec_from_file_location('jobs_world', os.path.join(HERE, '..', 'supervise', 'world.py'))
    jobs_world = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(jobs_world)
    version = re.search(r'trainc (\S+)', subprocess.run([build + '/trainc', '--version'], capture_output=True, text=True, check=True).stdout)[1]
    todo = queue.Queue()
    half = build + '/torture/trainc-cluster'
    for name in 'supervise, job', 'supervise, run':
        if given.commands in name and (not chosen or name in chosen):
            todo.put((name, lambda name=name: Controller(half, version, name)))
    for c in [*typical.COMMANDS, secret_status()]:
        if given.commands in c.name and (not chosen or c.name in chosen):
            todo.put((c.name, lambda c=c: Commands(half, version, c)))

    def work():
        while True:
            try:
                name, make = todo.get_nowait()
            except queue.Empty:
                return
            sweeps(name, make(), given)
    workers = [threading.Thread(target=work) for _ in range(2)]
    for t in workers:
        t.start()
    for t in workers:
        t.join()
    print(f'{"call":9} {"mode":5} {"how":12} {"runs":>6} {"bad":>5}')
    for (kind, mode, how), (runs, bad) in TOTAL.items():
        print(f'{kind:9} {mode:5} {how:12} {runs:6} {bad:5}')
    for line in BAD:
        print('FAIL', line)
    total = sum(runs for runs, _ in TOTAL.values())
    print(f'{total - len(BAD)} passed, {len(BAD)} failed')
    return bool(BAD)


sys.exit(main())
