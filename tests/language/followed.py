"""followed.py - each row is a mistake, a part of the help, the program after the help was followed, and what its objects
contain: the program that results is the intended one, and not merely another."""
from table import Table, PT, W

t = Table()
WEB = 'ports { web = 8000 }\n'
HTTP = "path: /h"
ROWS = [
    # (the mistake, the help, what the help makes of it, what the objects contain)
    (WEB + 'ready = http("/h")', 'write http("web", "/h")', WEB + 'ready = http("web", "/h")', [HTTP, "port: web"]),
    ('ready = http("/h")', ['write http("http", "/h")', "ports { http = 8000 }"], 'ports { http = 8000 }\nready = http("http", "/h")', [HTTP, "port: http"]),
    (WEB + 'ready = http(8000, "/h")', 'write "web"', WEB + 'ready = http("web", "/h")', [HTTP, "port: web"]),
    (WEB + 'ready = http(port = 8000, path = "/h")', 'write "web"', WEB + 'ready = http(port = "web", path = "/h")', [HTTP, "port: web"]),
    ('ready = http(9000, "/h")', ["declare 'ports { http = 9000 }'", 'write "http" here'], 'ports { http = 9000 }\nready = http("http", "/h")', [HTTP, "containerPort: 9000"]),
    (WEB + 'ready = http(web, "/h")', 'write "web"', WEB + 'ready = http("web", "/h")', [HTTP, "port: web"]),
    (WEB + 'ready = tcp(8000)', 'write "web"', WEB + 'ready = tcp("web")', "tcpSocket"),
    (WEB + 'ready { httpGet { path = "/h", port = 8000 } }', "write 'ready = http(\"web\", \"/h\")'", WEB + 'ready = http("web", "/h")', [HTTP, "port: web"]),
    (WEB + 'ready = { httpGet = { path = "/h", port = 8000 } }', "write 'ready = http(\"web\", \"/h\")'", WEB + 'ready = http("web", "/h")', HTTP),
    (WEB + 'ready { httpGet { path = "/h", port = "web" } }', "write 'ready = http(\"web\", \"/h\")'", WEB + 'ready = http("web", "/h")', HTTP),
    ('ready { httpGet { path = "/h", port = 9000 } }', ["write 'ready = http(\"http\", \"/h\")'", "ports { http = 9000 }"],
     'ports { http = 9000 }\nready = http("http", "/h")', [HTTP, "containerPort: 9000"]),
    (WEB + 'ready { http { path = "/h", port = 8000 } }', "write 'ready = http(\"web\", \"/h\")'", WEB + 'ready = http("web", "/h")', HTTP),
    (WEB + 'ready { tcpSocket { port = 8000 } }', "write 'ready = tcp(\"web\")'", WEB + 'ready = tcp("web")', "tcpSocket"),
    ('ready { exec { command = ["cat", "/x"] } }', "write 'ready = exec([\"cat\", \"/x\"])'", 'ready = exec(["cat", "/x"])', "- cat"),
    # words of a command
    ('command = "python t.py --a \'b c\'"', 'write \'["python", "t.py", "--a", "b c"]\'', 'command = ["python", "t.py", "--a", "b c"]', "- b c"),
    ('command = "python -c \\"print(1)\\""', 'write \'["python", "-c", "print(1)"]\'', 'command = ["python", "-c", "print(1)"]', "- print(1)"),
    ('command = "python t.py  --e 3"', 'write \'["python", "t.py", "--e", "3"]\'', 'command = ["python", "t.py", "--e", "3"]', '- "3"'),
    ('command = "cd /app && python t.py"', 'write \'["sh", "-c", "cd /app && python t.py"]\'', 'command = ["sh", "-c", "cd /app && python t.py"]', "- cd /app && python t.py"),
    ('command = "python t.py --r $HOSTNAME"', 'write \'["sh", "-c", "python t.py --r $HOSTNAME"]\'', 'command = ["sh", "-c", "exec python t.py --r $HOSTNAME"]',
     "exec python t.py --r $HOSTNAME"),
    ('command = "grep \\"a|b\\" f > g"', '"sh", "-c"', 'command = ["sh", "-c", "grep \\"a|b\\" f > g"]', 'a|b'),
    ('ready = exec("cat /x")', 'write \'["cat", "/x"]\'', 'ready = exec(["cat", "/x"])', "- cat"),
    # amounts
    ("cpu = 1\ncpu_limit = 2", "write limits { cpu = ", "cpu = 1\nlimits { cpu = 2 }", ['cpu: "1"', 'cpu: "2"']),
    ("cpu_limits = 2", "write limits { cpu = ", "limits { cpu = 2 }", 'cpu: "2"'),
    ("cpu_request = 2", "cpu = 2", "cpu = 2", 'cpu: "2"'),
    ("memory_limit = 2Gi", "memory = 2Gi", "memory = 2Gi", "memory: 2Gi"),
    ("memory_request = 2Gi", "memory = 2Gi", "memory = 2Gi", "memory: 2Gi"),
    ("mem_limit = 2Gi", "memory = 2Gi", "memory = 2Gi", "memory: 2Gi"),
    ("gpu_limit = 2", "accelerator = MODULE.DEVICE(8)", None, None),
]
for wrong, says, right, made in ROWS:
    t.case(wrong, W(wrong), ["help: "] + ([says] if isinstance(says, str) else says), status=1)
    if right:
        t.case(right, W(right), made, lacks=["error", "warning: 'A"], status=0, command="compile")

# variables in arguments: reported, and the help does not lead to another report
for name, meant, made in (("RANK", "pod.index", "job-completion-index"), ("NODE_RANK", "pod.index", "job-completion-index"), ("HOSTNAME", "pod.name", "metadata.name"),
                          ("POD_IP", "pod.ip", "status.podIP"), ("WORLD_SIZE", "self.replicas", "- --n=2"), ("MASTER_ADDR", "self.host(0)", "--n=a-w-0.a")):
    for form in ("$%s", "$(%s)"):
        written = form % name
        t.case(written, W('replicas = 2, command = ["x"], args = ["--n=%s"]' % written), ["TJ0714", "write ${%s}" % meant], lacks="pod.env", status=0)
    t.case("${%s}" % name, W('replicas = 2, command = ["x"], args = ["--n=${%s}"]' % name), "help: ", status=1)
    t.case("${%s}" % meant, W('replicas = 2, command = ["x"], args = ["--n=${%s}"]' % meant), made, lacks="TJ0714", status=0, command="compile")
t.case("$RANK with a launcher", PT('args = ["--n=$RANK"]'), ["reads it from its own environment", "write ${pod.index}"], lacks="pod.env", status=0)
t.case("$LOCAL_RANK", W('replicas = 2, command = ["x"], args = ["--n=$LOCAL_RANK"]'), "reads it from its own environment", lacks="pod.env", status=0)
t.case("$MY_DIR", W('command = ["x"], args = ["--n=$MY_DIR"]'), "set it in 'env' and write ${pod.env(\"MY_DIR\")}", status=0)
t.case("$MY_DIR, followed", W('command = ["x"], env { MY_DIR = "/d" }, args = ["--n=${pod.env("MY_DIR")}"]'), "$(MY_DIR)", lacks="TJ0714", status=0, command="compile")

# names of roles
for word in ("role", "aux"):
    other = "role main {}\n" if word == "aux" else ""
    body = 'job "a" { image = "a/b:1"\n%s%s my-worker-b { cpu = 1 }\n}\n'
    t.case("%s my-worker-b" % word, body % (other, word), "write '%s my_worker_b { ... }'" % word, lacks="write '%s my {" % word, status=1,
           becomes=(body % (other, word)).replace("my-worker-b", "my_worker_b"))
    t.case("%s my_worker_b" % word, body.replace("-", "_") % (other, word), "a-my-worker-b", lacks="error", status=0, command="compile")

# nodes of the project
PROGRAM = 'import std.nvidia\njob "a" { image = "a/b:1"\n role w { accelerator = nvidia.h100(8), cpu = 1, memory = 8Gi, shm = 1Gi }\n}\n'
for wrong in ('project { node = "gke" }', "project { nodes = gke }"):
    t.case(wrong, PROGRAM, ['"gke"', "help: "], status=1, files={"project.tj": wrong + "\n"})
t.case('project { node = "gke" }', PROGRAM, "write 'nodes = \"gke\"'", status=1, files={"project.tj": 'project { node = "gke" }\n'})
t.case('project { nodes = "gke" }', PROGRAM, "cloud.google.com/gke-accelerator", status=0, command="compile", files={"project.tj": 'project { nodes = "gke" }\n'})
t.end()
