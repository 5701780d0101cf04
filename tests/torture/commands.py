"""Thirty typical commands, and the files that they use.  A command has a name, arguments and, in some cases,
standard input.  `prepare()` creates the directory in which all of them run."""
import json
import os

PROGRAM = '''import std.pytorch
import std.nvidia
import "lib.tj" as lib

param tag: string = "1.0"
param sizes: list[int] = [1, 2]

job "bert": pytorch.torchrun {
  image = "ghcr.io/acme/bert:${tag}"
  command = ["torchrun", "train.py", "--lr=0.1"]
  env { SIZES = json(sizes), KIND = lib.kind(tag) }
  role worker { replicas = 4, accelerator = nvidia.h100(8), cpu = 64, memory = 256Gi, shm = 16Gi
    files { "/etc/a.conf" = "x = 1" } }
}

test "four" { check len(sizes) == 2 else "two" }
'''
LIB = '''## What a tag is.
fn kind(t: string) -> string = if matches(t, "[0-9.]+") then "release" else "other"
'''
SMALL = '''job "a" { image = "r.example.com/a:1", command = ["run"]
  role w { replicas = 2, retries = 3, env { A = "${pod.index}", B = pod.env("A") } } }
'''
WRONG = '''import std.pytorch
job "m": pytorch.torchrun {
  imgae = "ghcr.io/acme/t:1.0"
  command = ["torchrun", "t.py"]
  role worker { replicas = -2, cpu = four, memory = 16GB }
}
'''
FIXABLE = '''import std.nvidia
job "a" { image = "r.example.com/a:1", command = ['run']
  role w { cpus = 2, memory = 1Gi } }
'''
UNFORMATTED = '''job   "a"{ image="r.example.com/a:1"
command=["run"]
  role w{cpu=1
  memory=1Gi}}
'''
MANIFEST = '''apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: m, namespace: team}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "i:1", command: [python, t.py], env: [{name: A, value: b}]}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch, image: "i:1", command: [python, t.py]}]}}}
'''
CRD = '''apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.acme.io}
spec:
  group: acme.io
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}}]
'''
PROJECT = '''project { policies = ["policy.tj"], packages { acme = "pk" } }
'''
POLICY = '''policy "images are pinned" { for r in cluster.roles { check matches(r.image, ".*:[^/]+") else "image of ${r.name} has no tag" } }
'''
PACKAGED = '''import acme.names as n
job "a" { image = n.image, command = ["run"], role w { cpu = 1, memory = 1Gi } }
'''
OBJECTS = {'kind': 'List', 'apiVersion': 'v1', 'items': [
    {'kind': 'Job', 'apiVersion': 'batch/v1', 'metadata': {'name': 'a-w', 'labels': {'trainc.dev/job': 'a', 'trainc.dev/role': 'w'}},
     'spec': {'completions': 2}, 'status': {'failed': 2, 'conditions': [
         {'type': 'Failed', 'status': 'True', 'reason': 'BackoffLimitExceeded'}]}}]}


def message(value):
    text = json.dumps(value)
    return f'Content-Length: {len(text)}\r\n\r\n{text}'


LSP = ''.join(map(message, [
    {'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {'capabilities': {}}},
    {'jsonrpc': '2.0', 'method': 'initialized', 'params': {}},
    {'jsonrpc': '2.0', 'method': 'textDocument/didOpen', 'params': {'textDocument': {
        'uri': 'file:///a.tj', 'languageId': 'trainc', 'version': 1, 'text': WRONG}}},
    {'jsonrpc': '2.0', 'id': 2, 'method': 'shutdown'},
    {'jsonrpc': '2.0', 'method': 'exit'}]))

FILES = {
    'a.tj': PROGRAM, 'lib.tj': LIB, 's.tj': SMALL, 'wrong.tj': WRONG, 'fixable.tj': FIXABLE, 'ugly.tj': UNFORMATTED,
    'm.yaml': MANIFEST, 'm.json': json.dumps({'apiVersion': 'batch/v1', 'kind': 'Job', 'metadata': {'name': 'j'}, 'spec': {
        'template': {'spec': {'restartPolicy': 'Never', 'containers': [{'name': 'c', 'image': 'i:1', 'command': ['x']}]}}}}),
    'crd.yaml': CRD, 'objects.json': json.dumps(OBJECTS),
    'v.yaml': 'tag: "2.0"\nsizes: [3, 4]\n', 'v.json': '{"tag": "3.0", "sizes": [5, 6]}', 'v.tj': 'tag = "4.0"\nsizes = [7, 8]\n',
    'project/project.tj': PROJECT, 'project/policy.tj': POLICY, 'project/pk/names.tj': 'let image = "r.example.com/a:1"\n',
    'project/p.tj': PACKAGED, 'beside/notes.txt': '',
    'strict/project.tj': 'project { policies = ["policy.tj"] }\n', 'strict/policy.tj': 'policy "nothing runs" { check false else "no" }\n',
    'strict/deep/er/s.tj': SMALL,
    'older/s.tj': SMALL, 'older/out/.trainc-objects': 'written by trainc\n007-job-old.yaml\n008-job-old.yaml\n',
    'older/out/007-job-old.yaml': 'kind: Job\n', 'older/out/008-job-old.yaml': 'kind: Job\n',
}

# (name, arguments, standard input)
COMMANDS = [
    ('check', ['check', 'a.tj'], ''),
    ('check, wrong', ['check', 'wrong.tj'], ''),
    ('check, json', ['check', '--format', 'json', 'wrong.tj'], ''),
    ('check, sarif', ['check', '--format', 'sarif', 'wrong.tj', 's.tj'], ''),
    ('check --fix', ['check', '--fix', 'fixable.tj'], ''),
    ('check -', ['check', '-'], SMALL),
    ('compile', ['compile', 'a.tj'], ''),
    ('compile, two', ['compile', '-o', 'json', 'a.tj', 's.tj'], ''),
    ('compile --annotate', ['compile', '--annotate', '--target', 'pods', 's.tj'], ''),
    ('compile --output-dir', ['compile', '--output-dir', 'out', 'a.tj'], ''),
    ('compile, outdated files', ['compile', '--output-dir', 'out', 's.tj'], ''),
    ('compile --depfile', ['compile', '--depfile', 'a.d', 'a.tj'], ''),
    ('compile, YAML', ['compile', '--params', 'v.yaml', 'a.tj'], ''),
    ('compile, JSON', ['compile', '--params', 'v.json', 'a.tj'], ''),
    ('compile, values', ['compile', '--params', 'v.tj', '--set', 'tag=9', 'a.tj'], ''),
    ('compile, project', ['compile', 'project/p.tj'], ''),
    ('check, refused', ['check', 'strict/deep/er/s.tj'], ''),
    ('env', ['env', 'a.tj'], ''),
    ('env -o shell', ['env', '-o', 'shell', '--role', 'worker', '--index', '1', 'a.tj'], ''),
    ('plan', ['plan', 'a.tj'], ''),
    ('plan -o json', ['plan', '-o', 'json', 'a.tj'], ''),
    ('fmt', ['fmt', 'ugly.tj'], ''),
    ('fmt --diff', ['fmt', '--diff', 'ugly.tj'], ''),
    ('test', ['test', 'a.tj'], ''),
    ('explain a code', ['explain', 'TJ0302'], ''),
    ('explain a field', ['explain', 'memory'], ''),
    ('doc', ['doc', 'lib.tj'], ''),
    ('init', ['init', '--framework', 'pytorch.torchrun'], ''),
    ('import', ['import', 'm.yaml'], ''),
    ('import --output-dir', ['import', '--output-dir', 'imported', 'm.yaml', 'm.json'], ''),
    ('vendor', ['vendor'], ''),
    ('vendor crd', ['vendor', 'crd', '../crd.yaml'], ''),
    ('dump --plan', ['dump', '--plan', 'a.tj'], ''),
    ('dump --ast', ['dump', '--ast', 'a.tj'], ''),
    ('dump --types', ['dump', '--types', 'a.tj'], ''),
    ('status --from', ['status', '--from', 'objects.json', 's.tj'], ''),
    ('lsp', ['lsp'], LSP),
    ('completion', ['completion', 'bash'], ''),
    ('help', ['help', 'compile'], ''),
]
DIRECTORY = {'compile, outdated files': 'older', 'vendor': 'project', 'vendor crd': 'project', 'init': 'beside'}


def prepare(directory, trainc):
    """Writes FILES to `directory`; the project is vendored only once."""
    import subprocess
    for name, text in FILES.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as f:
            f.write(text)
    subprocess.run([trainc, 'vendor'], cwd=os.path.join(directory, 'project'), check=True, stdout=subprocess.DEVNULL)
