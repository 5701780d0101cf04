"""commands.py - variables that nothing expands, several words in one text, launchers without a framework, shells that do not pass signals on."""
from table import JOB, PT, Table, W

t = Table()
for where in ('env { PATH = "/opt/bin:$PATH" }', 'env { PYTHONPATH = "$PYTHONPATH:/app" }', 'env { PATH = "/opt/bin:$(PATH)" }',
              'args = ["--out=$OUT_DIR"]', 'args = ["--out=$(OUT_DIR)"]'):
    t.case("not expanded: " + where, PT(where), ["TJ0714", "plain text here"], status=0)
for where in ('env { PRICE = "$5", R = "$abc", P = "a$" }', 'env { A = "1", B = "x${pod.env("A")}" }'):
    t.case("nothing to expand: " + where, PT(where), lacks="TJ0714", status=0)
t.case("a shell expands", W('command = ["sh", "-c", "echo $OUT_DIR $HOME"]'), lacks="TJ0714", status=0)

for words in ('["torchrun t.py --lr 3"]', '["torchrun", "t.py --lr 0.1"]', '["cd", "/app", "&&", "torchrun", "t.py"]', '["python", "t.py", "&&", "sync"]'):
    t.case("words that are several: " + words, W("command = " + words), ["TJ0535"], status=0)
for words in ('["sh", "-c", "cd /app && python t.py"]', '["python", "-c", "import x; x.run(1) --y"]', '["python", "t.py", "--text", "a -b c"]',
              '["run", "--extra=--a --b"]', '["/opt/x/run", "hello world"]'):
    t.case("words that are meant so: " + words, W("command = " + words), lacks=["TJ0535"] if "-b c" not in words else [], status=0)

for words, says in (('["bash", "-c", "python", "train.py"]', 'write the script as one text: "python train.py"'), ('["bash", "t.sh", ">", "log"]', "reads only the script"),
                    ('["FOO=1", "python", "t.py"]', "no program is called 'FOO=1'"), ('["python", "t.py", "2>&1"]', "for a shell")):
    t.case("words that a shell does not read: " + words, W("command = " + words), ["TJ0535", says], status=0)
for words, says in (('["cd /app && torchrun train.py"]', '["sh", "-c", "cd /app && torchrun train.py"]'), ('["python t.py > log"]', '["sh", "-c", "python t.py > log"]'),
                    ('["FOO=1 python t.py; sync", "x"]', 'the script of a shell: ["sh", "-c", "..."]'),
                    ('["torchrun", "\u2013nproc_per_node=4", "t.py"]', 'write "--nproc_per_node=4"'), ('["torchrun", "\u2014nnodes", "2", "t.py"]', 'write "--nnodes"'),
                    ('["python", "\u2013m", "x"]', 'write "-m"'), ('["python", "t.py", "\u2212\u2212lr=1"]', 'write "--lr=1"')):
    t.case("a line of a shell, or a dash: " + words, W("command = " + words), ["TJ0535", says], status=0)
for words in ('["env", "FOO=1", "python", "t.py"]', r'["bash", "-c", "exec \"$@\"", "--", "python", "t.py"]', '["bash", "-c", "/start.sh"]', '["python", "t.py", "--x=1"]'):
    t.case("words that are read: " + words, W("command = " + words), lacks="TJ0535", status=0)

for words in ('["python", "-u", "-m", "torch.distributed.run", "t.py"]', '["python3", "-m", "accelerate.commands.launch", "t.py"]',
              '["env", "A=1", "deepspeed", "t.py"]', '["bash", "-c", "python -m torch.distributed.launch t.py"]'):
    t.case("a launcher behind another word: " + words, W("replicas = 4, command = " + words), ["TJ0534", "import std."], status=0)
for words in ('["env"]', '["env", "A=1"]', '["python"]', '["python", "-m"]', '["bash", "-c"]', '["sh"]'):
    t.case("a command that ends early: " + words, W("replicas = 4, command = " + words), lacks="TJ0534", status=0)
for word in ("torchrun", "mpirun", "horovodrun", "deepspeed", "accelerate", "/usr/bin/mpirun"):
    t.case("a launcher without a framework: " + word, W('replicas = 4, command = ["%s", "t.py"]' % word), ["TJ0534", "import std."], status=0)
    t.case("one replica: " + word, W('replicas = 1, command = ["%s", "t.py"]' % word), lacks="TJ0534", status=0)
t.case("a launcher in a script", W('replicas = 2, command = ["bash", "-c", "cd /app && torchrun t.py"]'), "TJ0534", status=0)
t.case("a launcher and its framework", PT(""), lacks="TJ0534", status=0)
t.case("a launcher on a machine with devices", 'import std.nvidia\njob "m" { image = "a/b:1", command = ["torchrun", "t.py"]\n'
       '  role worker { replicas = 4, accelerator = nvidia.h100(8), cpu = 64, memory = 256Gi, shm = 16Gi } }\n', ["TJ0534", "pytorch.torchrun"], status=0)

GRACE = 'grace = 5min, command = %s'
for words, program in (('["sh", "-c", "torchrun train.py"]', "torchrun"), ('["bash", "-lc", "cd /app && python t.py"]', "python"),
                       ('["sh", "-c", "ulimit -n 9; python t.py"]', "python")):
    t.case("a shell in front: " + words, W(GRACE % words), ["TJ0536", "exec " + program], status=0)
for words in ('["sh", "-c", "exec torchrun train.py"]', '["sh", "-c", "trap x TERM; python t.py"]',
              '["python", "t.py"]', '["sh", "-c", "python t.py & wait"]'):
    t.case("signals arrive, or it is not known: " + words, W(GRACE % words), lacks="TJ0536", status=0)
t.case("a checkpoint volume", W('mounts { "/c" = pvc("c") }, command = ["sh", "-c", "python t.py"]'), "TJ0536", status=0)
t.case("a checkpoint volume of a sidecar", W('sidecar s { image = "a/b:1", mounts { "/c" = pvc("c") }, command = ["sh", "-c", "python t.py"] }'), "TJ0536", status=0)
for spot in ('node { "cloud.google.com/gke-spot" = "true" }',
             'node { "eks.amazonaws.com/capacityType" = "SPOT" }', 'tolerate = ["gke-preemptible"]'):
    t.case("nodes that are taken away: " + spot, W(spot + ', command = ["sh", "-c", "python t.py"]'),
           ["TJ0536", "may be taken away"], status=0)
t.case("nodes that are taken away, by the library", "import std.spot\n" + W('...spot.eks, command = ["sh", "-c", "python t.py"]'),
       ["TJ0536", "a.tj:3", "may be taken away"], status=0)
t.case("a label without such a word", W('node { "example.com/pool" = "depot" }, command = ["sh", "-c", "python t.py"]'),
       lacks="TJ0536", status=0)
t.case("nobody counts on it", W('command = ["sh", "-c", "python t.py"]'), lacks="TJ0536", status=0)
# a shell that stays between the signal and the program
for script, says in (("python t.py | tee log", "> >(tee log)"), ("set -o pipefail; python t.py 2>&1 | tee log", "> >(tee log)"), ("python t.py", "write 'exec python'")):
    for start in ('"bash", "-c"', '"tini", "--", "bash", "-c"', '"dumb-init", "bash", "-c"'):
        t.case("%s %s" % (start, script), W('grace = 2min, command = [%s, "%s"]' % (start, script)), ["TJ0536", says], status=0)
for script in ("exec python t.py > >(tee log)", "python t.py || exit 3", "a | b | c", "python t.py |& tee log"):
    t.case(script, W('grace = 2min, command = ["bash", "-c", "%s"]' % script), lacks="TJ0536", status=0)
t.end()
