"""cells.py - cells, small jobs in a job of which there are several copies.  A copy of a framework has the environment of
the same job alone, but for its names; what no target keeps is refused."""
import json
import os
import re
import subprocess
import tempfile

from table import TRAINC, Table

t = Table()
C = {"command": "compile", "status": 0}


def J(body, head='job "a" {'):
    return head + ' image = "r.example.com/a:1", memory = 1Gi\n%s\n}\n' % body


def S(cell, more="", copies="copies = 3"):
    return J('cell server {\n  %s\n  role worker { %s }\n}\n%s' % (copies, cell, more))


RUN = 'command = ["x"], ports { http = 80 }'

# ---- what a cell is ----
t.case("names and labels", S(RUN), ["name: a-server-worker-0\n", "name: a-server-worker-2\n", "trainc.dev/cell: server\n",
                                   'trainc.dev/copy: "2"\n', "subdomain: a\n"], lacks="a-server-worker-3", **C)
t.case("as pods", S(RUN + ", replicas = 2"), ["name: a-server-worker-0-0\n", "name: a-server-worker-2-1\n"],
       args=("--target", "pods"), **C)
t.case("one copy without a number", S(RUN, copies=""), "a-server-worker-0", lacks="a-server-worker-1", **C)
t.case("computed", "let n = 2\n" + S(RUN, copies="copies = n * 2"), "a-server-worker-3", **C)
t.case("success is that of roles and cells", S(RUN, "role r { command = [\"r\"] }"),
       "success done(r) and done(server),", command="plan", status=0)
t.case("the plan shows one copy", S(RUN), ["server-worker-0 ", "cell 'server' has 3 copies; copy 0 is shown", "in all 3 pods"],
       lacks="\n  server-worker-1", command="plan", status=0)
t.case("host, loop, copies", S(RUN, 'role r { command = ["r", "${server.copies}/${server.least}"] + [s.worker.address(0, "http") for s in server]'
                                    ' + ["${i}=${s.copy}" for i, s in server] + [server[2].worker.host(0)] }'),
       ["- 3/3\n", "- a-server-worker-1-0.a:80\n", "- 1=1\n", "- a-server-worker-2-0.a\n"], **C)
t.case("members that all copies have in common", S(RUN + ", replicas = 2", 'role r { command = ["${server.worker.replicas} of ${server[1].worker.replicas}"] }'),
       "2 of 2", **C)
t.case("the copy of the same number", J('cell a1 { copies = 2, role w { %s } }\ncell b1 { copies = 2, role v { command = [a1[pod.copy].w.host(0)] } }' % RUN),
       "- a-a1-w-1-0.a\n", **C)
t.case("text of the copy unrolls nothing", 'let rates = [10, 20, 30]\n' + S(RUN + ', replicas = 2, env { LR = rates[pod.copy] }'),
       ['value: "30"', "completions: 2"], lacks="a-server-worker-0-0\n", **C)
t.case("an own lets and checks", J('cell c { copies = 2\n let n = pod.copy + 1\n check c.copies == 2 else "no"\n role w { %s, env { N = n } } }' % RUN), 'value: "2"', **C)
t.case("levels", J('env { A = 1, B = 1, C = 1 }\ncell c { env { B = 2, C = 2 }\n role w { %s, env { C = 3 } } }' % RUN),
       'name: A\n          value: "1"\n        - name: B\n          value: "2"\n        - name: C\n          value: "3"', **C)
t.case("replicas of the job are its own", J('replicas = 4\ncell c { role w { %s } }' % RUN), "completions: 1", **C)
t.case("replicas of the cell", J('cell c { replicas = 4, role w { %s } }' % RUN), "completions: 4", **C)
t.case("the number in a framework", 'framework f { role w { command = ["x"], env { N = pod.copy } }, success = done(w) }\n'
       + J("cell c: f { copies = 2 }\ncell d: f { copies = 2 }"), 'value: "1"', **C)
t.case("outside of cells it is 0", 'framework f { role w { command = ["x"], env { N = pod.copy } }, success = done(w) }\n'
       + J("", 'job "a": f {'), 'value: "0"', **C)
t.case("the rank", J('cell c { copies = 2, role l { %s, env { R = pod.rank } }\n role w { command = ["x"], replicas = 2, env { R = pod.rank } } }' % RUN),
       "R  2", command="env", args=("--role", "c/1/w", "--index", "1"), status=0)
t.case("the rank in a second role of one", J('role l { %s }\nrole w { command = ["x"], env { R = pod.rank } }' % RUN), 'value: "1"', **C)
t.case("a policy sees the roles of cells", S(RUN), ["TJ0901", "too many"], status=1, files={
    "project.tj": 'project { policies = ["p.tj"] }\n', "p.tj": 'policy "p" { check len(cluster.roles) < 3 else "too many" }\n'})
t.case("a policy knows the cell of a role", S(RUN, 'role r { command = ["r"] }'), ["TJ0901", "3 of server, 1 of none"], status=1, files={
    "project.tj": 'project { policies = ["p.tj"] }\n', "p.tj": 'policy "p" { let own = len([r for r in cluster.roles if r.cell == none])\n'
    '  check own == 0 else "${len([r for r in cluster.roles if (r.cell ?? "") == "server"])} of server, ${own} of none" }\n'})
t.case("in a cell cluster.roles are its own", 'framework f { role w { command = ["x"], env { N = len(cluster.roles) } }, success = done(w) }\n'
       + J('cell c: f { copies = 2 }\nrole r { command = ["r"] }'), 'value: "1"', **C)
PLACED = {"project.tj": 'project { topology = ["example.com/rack"] }\n'}
t.case("a place of each copy", J('cell c { copies = 2, place = near("rack"), role l { %s }\n role w { command = ["x"] } }' % RUN),
       ["- c-l-0\n                - c-w-0\n", "- c-l-1\n                - c-w-1\n"], lacks="- c-l-1\n                - c-w-0", files=PLACED, **C)
t.case("conditions", S(RUN, 'role r { command = ["r"], start_after = ready(server, least = 2) }\nrole q { command = ["q"], start_after = done(server[1]) }\n'
                            'role p { command = ["p"], start_after = started(server, any = true) }\nrole o { command = ["o"], start_after = done(server[0].worker, 0) }'),
       ["start-after: ready(server, least = 2)\n", "start-after: done(server[1])\n", "start-after: started(server, any = true)\n",
        "start-after: done(server[0].worker, 0)\n", "trainc.dev/success: done(r) and done(q) and done(p) and done(o) and done(server)\n"], **C)

t.case("a condition of a role of the own copy", J('cell c { copies = 2, role l { %s }\n role w { command = ["x"], start_after = ready(l) } }' % RUN),
       "start-after: ready(c[1].l)\n", **C)
t.case("least of many", S(RUN, 'role r { command = ["r"], start_after = ready(server, least = 500) }', copies="copies = 1000"),
       "start-after: ready(server, least = 500)\n", lacks="jobset", args=("--kubernetes", "1.34"), **C)

ARGS = 'import std.pytorch\njob "a" { image = "r.example.com/a:1", memory = 1Gi\n%s cell c: pytorch.torchrun { copies = 3, command = ["torchrun", "x.py"]\n env { N = pod.copy }\n role worker { %s } }\n}\n'
t.case("a raw block and what the framework of the cell reserves", ARGS % ("", 'raw container { env = [{ name = "MASTER_ADDR", value = "1" }] }'),
       ["TJ0702", "'MASTER_ADDR' is reserved by 'pytorch.torchrun'"], status=1)
t.case("a raw block and what no framework of the cell reserves", J('cell c { copies = 2, role w { %s\n raw container { env = [{ name = "MASTER_ADDR", value = "1" }] } } }\nrole worker { }' % RUN
                                                                   , 'import std.pytorch\njob "a": pytorch.torchrun { command = ["torchrun", "x.py"],'), "MASTER_ADDR", lacks="TJ0702", command="compile", status=0)
TEST = ARGS % ("", "replicas = 2") + 'test "t" { check env("%s", 1)%s == "%s" else "wrong" }\n'
t.case("a test asks for a replica of a copy", TEST % ("c/1/worker", ".N", "1"), "1 passed", command="test", status=0)
t.case("by the name of the role", TEST % ("c-worker-2", ".PET_NODE_RANK", "1"), "1 passed", command="test", status=0)
t.case("a test that names no copy", TEST % ("worker", ".N", "1"), ["TJ0515", "c/0/worker"], command="test", status=1)

t.case("the form of the head", 'import std.pytorch\njob "a" {\n  cell c:pytorch.torchrun( rdzv_port=1 ) { copies = 2 }\n}\n',
       "+  cell c: pytorch.torchrun(rdzv_port = 1) { copies = 2 }", command="fmt", args=("--diff",))

# ---- what is refused ----
E = {"status": 1}
t.case("a role has no framework", 'import std.single\n' + J("role w: single.task { }"), ["TJ0540", "a role has no framework", "cell w: single.task { }"], **E)
FRAMEWORK = "framework f { role w { command = [\"x\"] }, %s }\n"
t.case("a cell in a framework", 'framework f { role w { command = ["x"] }\n cell c { role v { } } }\n' + J("", 'job "a": f {'), ["TJ0203", "'cell' belongs directly to a job"], **E)
t.case("a cell in a cell", J("cell c { cell d { role w { } }\n role v { } }"), ["TJ0203", "'cell' belongs directly to a job"], **E)
t.case("a cell in if", J("if true { cell c { role w { } } }\nrole v { }"), ["TJ0203", "'cell' belongs directly to a job"], **E)
t.case("a cell in for", J("for i in range(0, 2) { cell c { role w { } } }\nrole v { }"), ["TJ0203", "'cell' belongs directly to a job"], **E)
t.case("copies of a role", J("role w { copies = 2 }"), ["TJ0203", "'copies' belongs to a cell"], **E)
t.case("copies of a job", J("copies = 2\nrole w { }"), ["TJ0203", "'copies' belongs to a cell"], **E)
t.case("queue of a cell", J('cell c { queue = "q"\n role w { } }'), ["TJ0203", "'queue' belongs to the job"], **E)
t.case("aux in a cell", J("cell c { aux x { }\n role w { } }"), ["TJ0203"], **E)
t.case("a field of the job in the framework", FRAMEWORK % "timeout = 2h" + J("cell c: f { }"), ["TJ0544", "'f' sets 'timeout', which is the job's"], **E)
t.case("which the job sets", FRAMEWORK % "timeout = 2h" + J("timeout = 1h\ncell c: f { }"), "activeDeadlineSeconds: 3600", **C)
t.case("which copy: host", S(RUN, 'role r { command = [server.worker.host(0)] }'), ["TJ0541", "'server' has 3 copies: which one?", "server[0].worker.host(0)"], **E)
t.case("which copy: hosts", S(RUN, 'role r { command = server.worker.hosts }'), ["TJ0541"], **E)
t.case("which copy: a condition", S(RUN, 'role r { start_after = done(server.worker) }'), ["TJ0541"], **E)
t.case("which copy: a value", S(RUN, 'let w = server.worker\nrole r { command = [w.host(0)] }'), ["TJ0541"], **E)
t.case("no cell", J('role w { command = ["x"], env { N = pod.copy } }'), ["TJ0543", "'pod.copy' is known only in a cell"], **E)
t.case("no cell beside one", S(RUN, 'env { N = pod.copy }\nrole r { command = ["r"] }'), ["TJ0543"], **E)
t.case("no role", J("cell c { copies = 2 }"), ["TJ0503", "cell 'c' has no role"], **E)
t.case("done of what never ends", J('cell c { success = none, restarts = 0, role w { %s } }\nrole r { start_after = done(c) }' % RUN), ["TJ0518", "'c' never ends"], **E)
t.case("beyond the copies", S(RUN, 'role r { command = [server[3].worker.host(0)] }'), **E)
t.case("more than the copies", S(RUN, 'role r { start_after = ready(server, least = 4) }'), ["TJ0515", "fewer copies"], **E)
t.case("least of a role", J("role w { }\nrole r { start_after = ready(w, least = 1) }"), ["TJ0318", "'least' counts the copies"], **E)
t.case("an index of a cell", S(RUN, "role r { start_after = done(server, 1) }"), ["TJ0318", "done(server[1])"], **E)
t.case("any and least of a cell", S(RUN, "role r { start_after = done(server, least = 3, any = true) }"), ["TJ0318", "a.tj:6:54", "keep one of the two"], **E)
t.case("any false and least", S(RUN, 'role r { command = ["r"], start_after = ready(server, least = 2, any = false) }'), "ready(server, least = 2)", **C)
for word, arg in (("any", "any = true"), ("least", "least = 1")):
    t.case(word + " of a copy", S(RUN, "role r { start_after = done(server[0], %s) }" % arg), ["TJ0318", "'%s' has no meaning for one copy" % word, "remove it"], **E)
t.case("any of a replica of a copy", S(RUN, "role r { start_after = done(server[0].worker, 0, any = true) }"), ["TJ0318", "'any' has no meaning for one replica"], **E)
t.case("any of a replica", J("role w { replicas = 4 }\nrole r { start_after = done(w, 2, any = true) }"), ["TJ0318", "'any' has no meaning for one replica"], **E)
CLAIM = RUN + ', replicas = %d, mounts { "/ckpt" = pvc("ckpt"%s) }'
for replicas, writers in ((1, 3), (2, 6)):
    t.case("copies of %d replicas write to a claim" % replicas, S(CLAIM % (replicas, "")), ["TJ0621", "%d replicas write" % writers], lacks="pod.copy", status=0)
t.case("directories of replicas that copies share", S(CLAIM % (2, ', path = "${pod.index}", shared = true')),
       ["TJ0621", "3 copies write to the same directories", 'path = "${pod.copy}/${pod.index}"'], status=0)
t.case("in a claim that is not said to be shared", S(CLAIM % (2, ', path = "${pod.index}"')), ["TJ0621", "6 replicas write", "${pod.copy}/${pod.index}"], status=0)
t.case("directories of copies and replicas", S(CLAIM % (2, ', path = "${pod.copy}/${pod.index}", shared = true')), lacks="TJ0621", status=0)
t.case("one directory that all share", S(CLAIM % (2, ', path = "all", shared = true')), lacks="TJ0621", status=0)
t.case("a claim for each copy", S('mounts { "/ckpt" = pvc("ckpt-${pod.copy}") }'), ["TJ0708", "differs between copies", 'path = "${pod.copy}"'], lacks="when the pod starts", **E)
t.case("amounts of the copy", S(RUN + ", cpu = 1000m * (pod.copy + 1)"), ["TJ0708"], **E)
t.case("amounts of the copy by a let", J('cell c { copies = 2\n let n = pod.copy + 1\n role w { %s, env { N = n }, replicas = n } }' % RUN), ["TJ0708"], **E)
t.case("the name of a role", J("cell c { role w { } }\nrole c { }"), ["TJ0204"], **E)
t.case("two of a name", J("cell c { role w { } }\ncell c { role v { } }"), ["TJ0204"], **E)
t.case("a role of the job", J("cell c { role w { } }\nrole w { }"), ["TJ0205", "also a role of the job"], **E)
t.case("a role of the job's framework", 'import std.pytorch\n' + J("cell c: pytorch.torchrun { }", 'job "a": pytorch.torchrun {'), ["TJ0205", "make the job's own part a cell"], **E)
t.case("no such role", S(RUN, 'role r { command = [server[0].wroker.host(0)] }'), ["TJ0202", "worker"], **E)
t.case("no such framework", J("cell c: nothing { role w { } }"), "nothing", **E)
t.case("a wrong argument", 'import std.pytorch\n' + J("cell c: pytorch.torchrun(nothing = 1) { }"), "TJ0511", **E)
t.case("a label that ends with a dash", J('cell c_ { copies = 2, role w { %s } }' % RUN), ["TJ0802", "may not end with"], command="compile", **E)
t.case("... that begins with one", J('cell _c { copies = 2, role w { %s } }' % RUN), ["TJ0802", "may not begin with"], command="compile", **E)
t.case("two cells of one label", J('cell A_b { role x { %s } }\ncell a_B { role y { %s } }' % (RUN, RUN)), ["TJ0811", "'A_b' and 'a_B'"], command="compile", **E)
t.case("equal names", J('cell c { copies = 1, role w { %s } }\nrole c_w_0 { command = ["x"] }' % RUN), ["TJ0811"], command="compile", **E)
MANY = "\n".join("cell c%d { role w { %s } }" % (n, RUN) for n in range(65))
both = t.case("65 cells", J(MANY), ["TJ0407", "has more than 64 cells", "copies"], **E)
t.note("65 cells are reported once", "" if both.count("TJ") == 1 else "%d reports" % both.count("TJ"), both)
t.case("64 cells", J(MANY.rsplit("\n", 1)[0]), lacks="TJ0407", status=0)
THRESHOLDS = "\n".join("role r%d { start_after = ready(c, least = %d) or done(c, least = %d), command = [\"r\"] }" % (n, 2 + n % 2, 4) for n in range(900))
t.case("two thresholds, again and again", J('cell c { copies = 1000, role w { command = ["x"] } }\n' + THRESHOLDS), lacks="error", status=0)
t.case("too many", S(RUN, copies="copies = 5000"), ["TJ0407"], **E)
t.case("none", S(RUN, copies="copies = 0"), **E)
t.case("elastic copies", S(RUN, "role r { command = [\"${server.copies} of ${server.least}\"] + [s.worker.host(0) for s in server] }", copies="copies = 2:4"),
       ["a-server-worker-3\n", "trainc.dev/copies: \"2:4\"\n", "- 4 of 2\n", "- a-server-worker-3-0.a\n", "trainc.dev/success: done(r) and done(server)\n"], **C)
t.case("elastic copies as pods", S(RUN, copies="copies = 2:4"), ["a-server-worker-3-0\n", "trainc.dev/copies: \"2:4\"\n"], args=("--target", "pods"), **C)
t.case("the plan of elastic copies", S(RUN, copies="copies = 2:4"), "cell 'server' has 2 to 4 copies; copy 0 is shown", command="plan", status=0)
t.case("elastic copies that end in time", S(RUN, "role r { start_after = done(server), command = [\"x\"] }", copies="copies = 2:4"), "start role 'r' after done(server)", command="plan", status=0)
t.case("elastic copies, their roles end", S(RUN, copies="copies = 2:4"), lacks="stop role", command="plan", status=0)
t.case("elastic copies of two roles", J('cell c { copies = 1:2, role w { %s }\n role v { command = ["x"] } }' % RUN), "stop role 'w' of cell 'c', role 'v' of cell 'c' when the job has succeeded", command="plan", status=0)
for condition in ("ready(server)", "started(server)", "done(server)", "ready(server, least = 3)", "done(server, any = true)"):
    t.case("elastic copies: " + condition, S(RUN, "role r { start_after = %s, command = [\"x\"] }" % condition, copies="copies = 2:4"), "trainc.dev/start-after: " + condition, **C)
t.case("least of elastic copies", S(RUN, "role r { start_after = ready(server, least = 5) }", copies="copies = 2:4"), ["TJ0515", "copies = 4"], **E)
t.case("a range that is reversed", S(RUN, copies="copies = 4:2"), "TJ0504", **E)
t.case("a range from 0", S(RUN, copies="copies = 0:2"), **E)
t.case("restarts", S(RUN, copies="copies = 2, restarts = 3"), "restart a copy of 'server' after a failure in it, up to 3 times", command="plan", status=0)
t.case("restarts of pods", S(RUN, copies="copies = 2, restarts = 3"), ["TJ0818", "does not restart a single copy of 'server'", "--target jobs"], args=("--target", "pods"), **E)
t.case("running", S(RUN, copies="copies = 2, running = ready(worker)"), ["TJ0818", "running = ready(server)"], **E)
t.case("no end, restarts", S(RUN, copies="copies = 2, success = none"), "restart a copy of 'server' after a failure in it\n", command="plan", status=0)
t.case("no end, no restarts", S(RUN, copies="copies = 2, success = none"), ["TJ0810", "not restarted"], args=("--target", "pods"), status=0)
t.case("slices", 'import std.tpu\n' + S(RUN + ", accelerator = tpu.v5e(2x4), slices = 2"), "TJ0818", **E)
t.case("names of replicas", 'import std.kubeflow\n' + J("cell c: kubeflow.pytorchjob { }"), ["TJ0818", "replica { }"], **E)
SET = dict(C, args=("--target", "jobset"))
t.case("jobset", S(RUN + ", replicas = 2", "role r { command = [server[1].worker.host(0)], start_after = ready(server) }"),
       ["- name: server-worker-0\n", "- name: server-worker-2\n", 'trainc.dev/copy: "2"\n', "- a-server-worker-1-0-0.a\n", "- name: server-worker-1\n", "status: Ready\n"], **SET)
t.case("jobset: a copy knows its hosts", J('cell c { copies = 2\n role w { command = ["x", w.host(0)], env { N = pod.copy } } }'),
       ["- a-c-w-0-0-0.a\n", "- a-c-w-1-0-0.a\n", 'value: "1"'], **SET)
t.case("jobset: success of a part", J('cell c { copies = 2, role w { %s } }\nrole r { command = ["report"] }\nsuccess = done(c)' % RUN),
       ["operator: All", "- c-w-0\n", "- c-w-1\n"], lacks="- r\n", **SET)
t.case("jobset: after one copy", S(RUN, "role r { command = [\"r\"], start_after = ready(server[1]) }"), "- name: server-worker-1\n", **SET)
JOBSET = dict(E, args=("--target", "jobset"), command="compile")
for what, cell, more, says in (("elastic", "copies = 2:3", "", ["cell 'server' cannot have 2:3 copies", "write copies = 3"]),
                               ("least", "copies = 3", "role r { start_after = ready(server, least = 2) }", ["cannot wait for 'ready(server, least = 2)'", "whole roles or cells"]),
                               ("any", "copies = 3", "role r { start_after = ready(server, any = true) }", "cannot wait for 'ready(server, any = true)'"),
                               ("success of some", "copies = 3", "success = done(server, least = 2)", "cannot express 'success = done(server, least = 2)'"),
                               ("restarts", "copies = 3, restarts = 1", "", "does not restart a single copy")):
    t.case("jobset: " + what, S(RUN, more, copies=cell), ["TJ0818"] + ([says] if isinstance(says, str) else says), **JOBSET)
for target in ("kubeflow", "trainer"):
    t.case("target " + target, S(RUN), ["TJ0818", "the target '%s' has no place for cell 'server'" % target], args=("--target", target), command="compile", **E)
t.case("what is wrong is reported once", S("command = [\"x\"], shm = 8Gi, nothing = 2"), "TJ0202", status=1)

# ---- what a beginner writes ----
CELL = 'cell server { %s\n role worker { }\n}\n%s'
for word, right in (("count", "write 'copies = 12', for replicas of its roles 'replicas = 12'"), ("instances", "'copies = 12'"), ("num_copies", "write 'copies': copies = 12"),
                    ("copy", "write 'copies': copies = 12")):
    t.case(word + " of a cell", J(CELL % (word + " = 12", "")), ["TJ0202", "a cell has no field '%s'" % word, right], **E)
t.case("count of a job", J("count = 12\nrole w { }"), "write 'replicas': replicas = ", lacks="copies", **E)
t.case("replicas that no role of a cell uses", J("cell c { replicas = 12, role w { %s, replicas = 2 } }" % RUN), ["TJ1002", "no role of the cell uses this 'replicas'", "'copies'"], status=0)
t.case("replicas of a job of cells", J("replicas = 12\ncell c { role w { %s } }" % RUN), ["TJ1002", "from the cell"], status=0)
t.case("a default that no role uses", J('cpu = 1\nrole w { cpu = 2 }'), ["TJ1002", "no role of the job uses this 'cpu'"], status=0)
for name, body in (("one role", "cpu = 1\nrole w { cpu = 2 }\nrole v { }"), ("a role of a cell", "cpu = 1\nrole w { cpu = 2 }\ncell c { role v { %s } }" % RUN),
                   ("a role at times", "cpu = 1\nrole w { if len([1]) > 1 { cpu = 2 } }"), ("merged", "env { A = 1 }\nrole w { env { B = 1 } }")):
    t.case("a default that is used: " + name, J(body), lacks="TJ1002", status=0)
t.case("a default for a role of the framework", 'import std.pytorch\n' + J('cell c: pytorch.torchrun { replicas = 2, command = ["torchrun", "x.py"] }'), lacks="TJ1002", status=0)
t.case("a role that the framework lacks", 'import std.pytorch\n' + J("cell c: pytorch.torchrun { role prefill { } }"), ["TJ0501", "set 'other_roles = true' in the cell"], lacks="aux", **E)
t.case("and with the help", 'import std.pytorch\n' + J('cell c: pytorch.torchrun { other_roles = true, command = ["torchrun", "x.py"], role prefill { %s } }' % RUN), "c-prefill-0", **C)
t.case("the help for aux in a cell", J("cell c { aux x { }\n role w { } }"), ["write 'role x' for one in each copy", "other_roles = true"], **E)
t.case("raw job in a cell", J("cell c { raw job { x = 1 }\n role w { } }"), ["TJ0203", "move it into a role"], lacks="to the job", **E)
t.case("raw service in a cell", J("cell c { raw service { x = 1 }\n role w { } }"), ["TJ0203", "move it to the job"], **E)
t.case("a condition of all copies of a role", S(RUN, "role r { start_after = ready(server.worker) }"), ["TJ0541", "'ready(server)' for all copies", "'ready(server[0].worker)'"], lacks="for x in", **E)
t.case("copies of another cell", S(RUN, "cell t { copies = server.copies, role v { } }"), ["TJ0529", "'let n = ...'", "'copies = n' in 'server'"], **E)
for value in ("copies", "pod.copies"):
    t.case(value + " in a cell", S("env { N = %s }" % value), "write 'server.copies'", lacks="pod.env", **E)
for head, right in (("server[3]", "cell server { copies = 3 }"), ("server(3)", "cell server { copies = 3 }"), ("server x 3", "cell server { copies = 3 }"),
                    ("server(3): fw", "cell server: fw { copies = 3 }"), ("server[3]: m.fw(a = 1)", "cell server: m.fw(a = 1) { copies = 3 }")):
    t.case("the head " + head, J("cell %s { role w { } }" % head), ["TJ0112", "the number is a field: write '%s'" % right], **E)
t.case("a misspelt cell", S(RUN, "role r { start_after = ready(servers) }"), ["TJ0201", "did you mean 'server'"], **E)
t.case("no such cell", S(RUN, "role r { start_after = ready(database) }"), ["TJ0201", "the roles and cells are"], **E)
ASKS = S(RUN) + 'test "t" { check roles.%s.replicas == 1 else "no" }\n'
t.case("a test of a cell", ASKS % "server.worker", ["TJ0202", "it is a cell: ask", 'env("server/0/worker", 0)'], command="test", **E)
t.case("a test of a role of a cell", ASKS % "worker", ["TJ0202", "it is a role of cell 'server'", 'env("server/0/worker", 0)'], command="test", **E)
t.case("doc", '# Serves.\n' + S("replicas = 2", "role r { }"), "- `cell server`, `copies = 3`\n  - `role worker`, `replicas = 2`\n- `role r`\n", command="doc", status=0)
t.case("doc of a framework", 'import std.pytorch\n' + J("cell c: pytorch.torchrun(port = 1234) { copies = 2 }"), "- `cell c: pytorch.torchrun(port = 1234)`, `copies = 2`\n", command="doc", status=0)
for command, words, program in (("check", "TJ0521", S('replicas = 1:3, command = ["x"]')), ("check", "TJ0521", S('command = ["x"]', copies="copies = 3, replicas = 1:3")),
                                ("plan", "left to you", S(RUN)), ("check", "TJ0513", S('ports { x = 80, y = 80 }'))):
    both = t.case("%s says %s" % (command, words), program, words, command=command)
    t.note("once for all copies", "" if both.count(words) == 1 else "%d times" % both.count(words), both)

# ---- every framework of the library in a cell ----
def env_of(text):
    with tempfile.TemporaryDirectory() as place:
        with open(os.path.join(place, "a.tj"), "w") as f:
            f.write(text)
        done = subprocess.run([TRAINC, "env", "a.tj", "-o", "json"], cwd=place, capture_output=True, text=True, timeout=60)
        return (json.loads(done.stdout)["jobs"][0]["replicas"], "") if done.returncode == 0 else (None, done.stderr)


def frameworks():
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "stdlib", "std")
    for name in sorted(os.listdir(here)):
        if name.endswith(".tj"):
            with open(os.path.join(here, name)) as f:
                for found in re.findall(r"^framework ([a-z]\w*)", f.read(), re.M):
                    yield name[:-3], found


compared = refused = 0
REPLICAS = re.compile(r"requires 'replicas' of role '(\w+)'")
for module, framework in frameworks():
    head = "import std.%s\n" % module
    roles = {}
    for _ in range(4):
        block = "\n".join("  role %s { replicas = 2 }" % r for r in roles)
        fields = '  image = "r.example.com/a:1"\n  cpu = 2\n  memory = 4Gi\n'
        alone, why = env_of(head + 'job "a": %s.%s {\n%s%s\n}\n' % (module, framework, fields, block))
        wanted = REPLICAS.search(why)
        if alone is not None or not wanted:
            break
        roles[wanted.group(1)] = 2
    if alone is None:
        continue                        # it needs arguments or a command: not what this is about
    inside, why = env_of(head + 'job "a" {\n%s cell c: %s.%s {\n copies = 2\n%s\n } }\n' % (fields, module, framework, block))
    if inside is None:
        refused += 1
        t.note("%s.%s in a cell" % (module, framework), "" if "TJ0818" in why or "TJ0544" in why else "is not refused with its reason", why)
        continue
    for copy in (0, 1):
        mine = [r for r in inside if r.get("copy") == copy]

        def plain(text):
            return re.sub(r"\ba-c-(\w+)-%d\b" % copy, r"a-\1", text)
        mine = json.loads(plain(json.dumps(mine)))
        for r in mine:
            r.pop("cell", None)
            r.pop("copy", None)
            r["role"] = re.sub(r"^c-(\w+)-%d$" % copy, r"\1", r["role"])
        compared += 1
        t.note("%s.%s as copy %d" % (module, framework, copy), "" if mine == [r for r in alone] else "differs from the job alone",
               json.dumps(mine, indent=1)[:1500] + "\n" + json.dumps(alone, indent=1)[:1500])
t.note("frameworks were compared", "" if compared >= 20 else "only %d" % compared)
t.end()
