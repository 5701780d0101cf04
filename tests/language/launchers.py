"""launchers.py - launchers in the commands of the library's frameworks (TJ0538): launcher x framework x {right, wrong, contradicting, standalone,
absent}, and each launcher behind every program that starts others.  The wrong ones are corrected as their help says, and are silent then."""
import json
import re

from table import Table

t = Table()
# Each launcher: how it is written, an option that contradicts any job of two workers, and one that forms a cluster of one.
LAUNCHERS = {
    "torchrun": (["torchrun"], "--nnodes=3", "--standalone"),
    "torch.distributed.run": (["python", "-m", "torch.distributed.run"], "--nnodes=1", "--standalone"),
    "torch.distributed.launch": (["python3", "-u", "-m", "torch.distributed.launch"], "--master_addr=localhost", "--standalone"),
    "accelerate": (["accelerate", "launch"], "--num_machines=1", "--machine_rank=0"),
    "accelerate.commands.launch": (["python", "-m", "accelerate.commands.launch"], "--main_process_ip=10.0.0.1", "--num_machines=1"),
    "deepspeed": (["deepspeed"], "--num_nodes=1", "--num_nodes=1"),
    "mpirun": (["mpirun", "-np", "2"], "--hostfile=/job/hostfile", "--host=localhost"),
    "mpiexec": (["mpiexec", "-n", "2"], "-H=h1:8,h2:8", "--host=localhost"),
    "horovodrun": (["horovodrun", "-np", "2", "--hostfile", "/etc/mpi/hostfile"], "-H=h1:8", ""),
    "ray": (["ray", "job", "submit", "--"], "", ""),
    "spark-submit": (["spark-submit"], "--master=yarn", "--master=local[*]"),
    "paddle.distributed.launch": (["python", "-m", "paddle.distributed.launch"], "", ""),
}
TORCH = {"torchrun", "torch.distributed.run", "torch.distributed.launch", "accelerate", "accelerate.commands.launch"}
MPI = {"mpirun", "mpiexec"}
# Each framework: the role with the program, its field, other roles, the launchers that are right, and whether the program alone is reported.
FRAMEWORKS = {
    "pytorch.torchrun": ("worker", "command", "", TORCH, True),
    "pytorch.elastic": ("worker", "command", "", TORCH, True),
    "deepspeed.torchrun": ("worker", "command", "", TORCH, True),
    "pytorch.env": ("worker", "command", "", set(), False),
    "jax.distributed": ("worker", "command", "", set(), False),
    "tensorflow.cluster_spec": ("worker", "command", "", set(), False),
    "tensorflow.dynamic": ("worker", "command", 'role ps { command = ["x"], replicas = 1, cpu = 1, memory = 1Gi }', set(), False),
    "mxnet.kvstore": ("worker", "command", "", set(), False),
    "xgboost.tracker": ("worker", "command", "", set(), False),
    "lightgbm.sockets": ("worker", "command", "", set(), False),
    "paddle.collective": ("worker", "command", "", {"paddle.distributed.launch"}, False),
    "paddle.ps": ("worker", "command", "", set(), False),
    "horovod.gloo": ("worker", "command", "", set(), False),
    "mpi.openmpi": ("launcher", "command", "role worker { replicas = 2, cpu = 1, memory = 1Gi }", MPI | {"horovodrun"}, True),
    "mpi.mpich": ("launcher", "command", "role worker { replicas = 2, cpu = 1, memory = 1Gi }", MPI, True),
    "mpi.intel": ("launcher", "command", "role worker { replicas = 2, cpu = 1, memory = 1Gi }", MPI, True),
    "horovod.mpi": ("launcher", "command", "role worker { replicas = 2, cpu = 1, memory = 1Gi }", MPI | {"horovodrun"}, True),
    "ray.cluster": ("head", "args", "role worker { replicas = 2, cpu = 1, memory = 1Gi }", {"ray"}, False),
    "ray.groups": ("head", "args", "role small { replicas = 2, cpu = 1, memory = 1Gi }", {"ray"}, False),
    "dask.cluster": ("scheduler", "args", "role worker { replicas = 2, cpu = 1, memory = 1Gi }", set(), False),
    "spark.standalone": ("driver", "command", "role worker { replicas = 2, cpu = 1, memory = 1Gi }", {"spark-submit"}, False),
}
ENDS = {"pytorch.elastic": "2:4, retries = 3"}
NAMES = {"torch.distributed.run": "torchrun", "torch.distributed.launch": "torchrun", "accelerate.commands.launch": "accelerate", "mpiexec": "mpirun",
         "paddle.distributed.launch": "paddle"}


def job(framework, words, replicas=None):
    role, field, others, _, _ = FRAMEWORKS[framework]
    number = "" if role != "worker" else ", replicas = %s" % (replicas or ENDS.get(framework, "2"))
    return ('import std.%s\njob "j": %s {\n  image = "r.example.com/a:1"\n  role %s { %s = %s, cpu = 4, memory = 16Gi%s }\n  %s\n}\n'
            % (framework.split(".")[0], framework, role, field, json.dumps(words), number, others))


for framework, (role, _, _, right, alone) in FRAMEWORKS.items():
    for name, (words, contradiction, standalone) in LAUNCHERS.items():
        subject = "%s, %s" % (framework, name)
        if name in right:
            t.case(subject + ": right", job(framework, words + ["t.py"]), lacks=["TJ0538", "TJ0409"], status=0)
            for option in (contradiction, standalone):
                if option:
                    both = t.case("%s: %s" % (subject, option), job(framework, words + [option, "t.py"]), ["TJ0538", "leave "], status=0)
                    t.note(subject + ": names " + option, "" if re.search(re.escape(option.split("=")[0].replace("_", "-")), both) else "the option is not named")
        else:
            both = t.case(subject + ": wrong", job(framework, words + ["t.py"]), ["TJ0538", "'%s'" % NAMES.get(name, name)], status=0)
            # The help, followed.
            instead = re.search(r"write '([\w.-]+)' in place", both)
            if instead and "." not in instead.group(1):
                t.case(subject + ": as the help says", job(framework, [instead.group(1), "t.py"]), lacks="TJ0538", status=0)
            elif "start the program itself" in both:
                t.case(subject + ": as the help says", job(framework, ["python", "t.py"]), lacks="TJ0538", status=0)
            elif not instead:
                t.note(subject, "no remedy")
        if role == "worker" and framework not in ("pytorch.elastic", "tensorflow.dynamic", "xgboost.tracker", "mxnet.kvstore") and name not in right:
            t.case(subject + ": in one replica it finds all", job(framework, words + ["t.py"], 1), lacks="TJ0538", status=0)
    t.case("%s: absent" % framework, job(framework, ["python", "t.py"]), ["TJ0409", "write '"] if alone else [], lacks=["TJ0538"] if alone else ["TJ0538", "TJ0409"],
           status=0)
    t.case("%s: a script that may start anything" % framework, job(framework, ["bash", "run.sh"]), lacks=["TJ0538", "TJ0409"], status=0)

THROUGH = [["env", "A=1"], ["env", "-u", "X"], ["nohup"], ["numactl", "-N", "0"], ["numactl", "--localalloc"], ["nsys", "profile", "-o", "/tmp/x"],
           ["uv", "run"], ["uv", "run", "--with", "torch"], ["poetry", "run"], ["conda", "run", "-n", "base", "--no-capture-output"],
           ["micromamba", "run", "-p", "/opt/e"], ["/usr/bin/env", "nohup"]]
for front in THROUGH:
    for name in ("torchrun", "torch.distributed.run", "accelerate"):
        words, contradiction, standalone = LAUNCHERS[name]
        t.case("%s behind %s" % (name, " ".join(front)), job("pytorch.torchrun", front + words + [contradiction, "t.py"]), "TJ0538", status=0)
        t.case("%s behind %s, right" % (name, " ".join(front)), job("pytorch.torchrun", front + words + ["t.py"]), lacks=["TJ0538", "TJ0409"], status=0)
    for shell in ("%s", "cd /app && exec %s", "set -e; source env; %s 2>&1 | tee log", "if true; then %s; fi", "A=1 %s &\nwait"):
        line = shell % " ".join(front + ["torchrun", "--standalone", "t.py"])
        t.case("in a script: " + line, job("pytorch.torchrun", ["bash", "-lc", line]), ["TJ0538", "--standalone"], status=0)
        t.case("in a script, wrong: " + line, job("deepspeed.torchrun", ["sh", "-c", line.replace("torchrun --standalone", "deepspeed")]),
               ["TJ0538", "'deepspeed'"], status=0)

t.case("python in a script", job("pytorch.torchrun", ["sh", "-c", "cd /app && python t.py"]), "TJ0409", status=0)
t.case("a value that the shell knows", job("pytorch.torchrun", ["sh", "-c", "torchrun --nnodes=$N --node_rank $R t.py"]), lacks="TJ0538", status=0)
t.case("options of the program", job("pytorch.torchrun", ["torchrun", "t.py", "--standalone", "--nnodes=7"]), lacks="TJ0538", status=0)
t.case("horovodrun without hosts", job("horovod.mpi", ["horovodrun", "-np", "2", "python", "t.py"]), ["TJ0538", "--hostfile /etc/mpi/hostfile"], status=0)
t.case("ray start in the program", job("ray.cluster", ["ray", "start", "--head"]), ["TJ0538", "starts Ray itself"], status=0)
t.case("too many ranks behind numactl", job("mpi.openmpi", ["numactl", "-N", "0", "mpirun", "-np", "9", "x"]), ["TJ0409", "9 ranks"], status=0)
t.case("one worker, other nnodes", job("pytorch.torchrun", ["torchrun", "--nnodes=4", "t.py"], 1), "TJ0538", status=0)
t.case("one worker, --standalone", job("pytorch.torchrun", ["torchrun", "--standalone", "t.py"], 1), lacks="TJ0538", status=0)
t.end()
