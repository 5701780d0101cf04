"""edits.py - `check --fix` makes only edits that cannot change the intended meaning.  Each program below has several
readings.  The edit is not made, and the message offers the choices."""
from table import JOB, PT, Table, W

t = Table()
lr = "param lr: float = 0.1\n"

t.case("an unknown name in env is not text", lr + W("env { LEARNING_RATE = rate }"), ["TJ0201", "no value named 'rate'", '"rate"'], kept=True)
t.case("a member of an unknown name in env", W("env { ACTORS = worker.replicas }"), ["TJ0201", "no value named 'worker'", "the roles are: w"],
       lacks="TJ0302", kept=True)
t.case("an expression of unknown names in env", W("env { A = total-used }"), ["TJ0201", "no value named 'total'", '"total-used"'], kept=True)
t.case("a near name in env is not certain", "param node: string = \"a\"\n" + W('env { A = node, B = mode }'), ["TJ0201", "did you mean 'node'?"],
       kept=True)
for word in ("node", "nodes", "hostname"):
    t.case("spread = " + word, PT('spread = "%s"' % word), ["TJ0312", 'did you mean "host"?'], lacks='did you mean "none"?', kept=True)
t.case("import in a job", PT("import std.nvidia"), ["move", "top of the file"], lacks="pytorch.torchrun(port", kept=True)
t.case("param in a job", PT("param n: int = 3"), ["top of the file"], lacks="param = n", kept=True)
t.case("assert in a job", PT('assert 1 == 1'), ["check 1 == 1 else \"message\""], lacks="assert =", kept=True)
t.case("assert in a test", W("") + 'test "a" { assert 1 == 1 }\n', ["check 1 == 1 else \"message\""], lacks="assert =", kept=True)
t.case("assert with a message", W("") + 'test "a" { assert 1 == 1, "one" }\n', ["check 1 == 1 else \"one\""], lacks="assert =", kept=True)
t.case("a number as a priority", PT("priority = 100"), ["TJ0302", "PriorityClass"], lacks='write "100"', kept=True)
t.case("a number as the name of a queue", PT("queue = 7"), ["TJ0302"], lacks='write "7"', kept=True)
t.case("a built-in value that is near", W("env { A = prod }"), ["TJ0201", "no value named 'prod'"], lacks="did you mean 'pod'", kept=True)
t.case("no as a value in env", W("env { COUNTRY = no }"), ["TJ0201", '"no"', "false"], kept=True)
t.case("yes as a value in env", W("env { ANSWER = yes }"), ["TJ0201", '"yes"', "true"], kept=True)
t.case("no as a label", W("labels { country = no }"), ["TJ0201", '"no"'], lacks="write 'false'", kept=True)
for role, name in (("replicas = worker.replicas", "worker"), ("args = [chief.host(0)]", "chief"), ('args = ["${chief.host(0)}"]', "chief"),
                   ('files { "/a" = chief.name }', "chief"), ("labels { a = chief.name }", "chief")):
    t.case("a member of an unknown role: " + role, W(role), ["TJ0201", "no value named '%s'" % name, "the roles are: w"], lacks=["param " + name, "TJ0302"], kept=True)
t.case("64GB as a limit", W("limits { memory = 64GB }"), ["64Gi", "64G "], kept=True)
t.case("64GB as memory", W("memory = 64GB"), ["64Gi", "64G "], kept=True)
t.case("64GB in quotes", W('memory = "64GB"'), ["64Gi", "64G "], kept=True)
t.case("64gb as memory", W("memory = 64gb"), ["64Gi", "64G "], kept=True)
t.case("64G, which is valid", W("memory = 64G"), ["TJ0620", "64Gi"], kept=True)
t.case("braces of a template", "let n = 1\n" + W('env { A = "{{ n }}" }'), ["TJ1010", "${n}"], kept=True)
t.case("one brace", "let n = 1\n" + W('env { A = "{n}" }'), ["TJ1010", "${n}"], kept=True)
t.case("a relative workdir", PT('workdir = "app"'), ["absolute"], kept=True)
t.case("a relative mount", PT('mounts { "data" = pvc("d", shared = true) }'), kept=True)

# A removed import takes its line along, and the empty line that set it apart.
t.case("the line of an unused import", "import std.nvidia\n" + PT(""), "TJ1002", becomes=PT(""))
t.case("the line of an import and the empty line behind", 'import std.nvidia\n\njob "a" { image = "a/b:1", role w { } }\n', "TJ1002",
       becomes='job "a" { image = "a/b:1", role w { } }\n')
t.case("an import between others", "import std.mpi\n" + PT("").replace("torchrun {", "torchrun {", 1), "TJ1002", becomes=PT(""))

# Without =warnings a program that has only warnings is left alone.
import os, subprocess, tempfile
with tempfile.TemporaryDirectory() as place:
    program = "import std.nvidia\n" + PT("")
    t.write(place, program, None)
    done = subprocess.run([os.environ["TRAINC"], "check", "--fix", "a.tj"], cwd=place, capture_output=True, text=True)
    t.note("a program with only warnings is not edited", "" if open(os.path.join(place, "a.tj")).read() == program else "edited", done.stderr)
t.case("what --fix takes", W(""), "--fix", args=("--fix=all",), status=2)
t.end()
