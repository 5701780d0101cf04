"""No process of a run survives, whichever process is killed, even below a replica's first process, like the workers
of torchrun."""
import random
import sys

from support import *

trials = int(os.environ.get("TRIALS", "12"))
random.seed(int(os.environ.get("SEED", "1")))
# an agent that starts workers in their own sessions; one of them leaves its parent, one clears its environment
tree = program("st", """  role a {
    replicas = 2
    command = ["sh", "-c", "setsid sleep 7771 & (setsid sleep 7772 &) & setsid env -i sh -c 'sleep 7773 & wait' & sleep 7774 & wait"]
  }""")


def state(run="st"):
    with open("state/runs/%s/state" % run) as f:
        return json.load(f)


def of_test():
    """Processes of this test's programs, found by their argument and their working directory."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open("/proc/%s/cmdline" % pid, "rb").read().split(b"\0")
            if os.readlink("/proc/%s/cwd" % pid) == work and any(w.startswith(b"777") and len(w) == 4 for w in words):
                found.append(int(pid))
        except OSError:
            pass
    return found


def until(what, seconds=10):
    end = time.time() + seconds
    while time.time() < end and not what():
        time.sleep(0.02)
    return what()


def parent(pid):
    return int(open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[1])


def alive(pid):
    try:
        return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def begin():
    done = trainc("apply", "--local", tree)
    return check(done.returncode == 0, "apply: %s" % done.stderr) and check(until(lambda: len(of_test()) >= 8), "the tree stands")


def alone(what):
    left = of_test()
    if not check(not left, "%s: processes are left: %s" % (what, left)):
        for pid in left:
            os.kill(pid, signal.SIGKILL)


# the keeper alone, without waiting for another command
if begin():
    os.kill(state()["keeper"][0], signal.SIGKILL)
    until(lambda: not of_test())
    alone("the keeper was killed")
    done = trainc("delete", "--local", "--yes", "--force", "st")
    check(done.returncode == 0 and "deleted" in done.stdout, "delete: " + done.stderr)

# the keeper and its guard at once: the next command for the run ends what is left
for command in (("delete", "--local", "--yes", "st"), ("run", "--local", "next/st.tj"), ("apply", "--local", "--rerun", "next/st.tj")):
    os.makedirs("next", exist_ok=True)
    with open("next/st.tj", "w") as f:
        f.write(open(tree).read().split("role")[0] + 'role a { command = ["true"] }\n}\n')
    if begin():
        keeper = state()["keeper"][0]
        guard = parent(keeper)
        for pid in [guard] * (guard > 1) + [keeper]:
            os.kill(pid, signal.SIGKILL)
        until(lambda: not alive(keeper))
        done = trainc(*command)
        check(done.returncode == 0, "%s: status %d, %s" % (command[0], done.returncode, done.stderr))
        alone("%s after both were killed" % command[0])
        trainc("delete", "--local", "--yes", "--force", "st")

# suspended: none of its processes runs meanwhile
if begin():
    done = trainc("suspend", "--local", "st")
    check(done.returncode == 0 and until(lambda: not of_test()), "suspend: " + done.stderr)
    alone("the run was suspended")
    trainc("delete", "--local", "--yes", "--force", "st")

# another run of that name, in another state directory, is not touched
if begin():
    elsewhere = dict(os.environ, TRAINC_STATE_DIR=work + "/other")
    other = trainc("apply", "--local", tree, env=elsewhere)
    check(other.returncode == 0 and until(lambda: len(of_test()) >= 16), "two runs of one name: " + other.stderr)
    keeper = state()["keeper"][0]
    os.kill(keeper, signal.SIGKILL)
    trainc("delete", "--local", "--yes", "--force", "st")
    check(len(of_test()) >= 8, "the other run's processes live")
    trainc("delete", "--local", "--yes", "--force", "st", env=elsewhere)
    alone("both were deleted")

# any process is killed at any time
for trial in range(trials):
    process = start(*random.choice((("apply", "--local", tree), ("run", "--local", tree))), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(random.choice((0.02, 0.1, 0.4)) * random.random())
    victims = [process.pid]
    try:
        victims.append(state()["keeper"][0])
        guard = parent(victims[1])
        victims += [guard] * (guard not in (1, os.getpid()))
    except (OSError, ValueError):
        pass
    random.shuffle(victims)
    for pid in victims[:random.randint(1, len(victims))]:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    time.sleep(random.random() * 0.1)
    process.kill()
    process.wait()
    trainc("delete", "--local", "--all", "--yes", "--force")
    alone("trial %d" % trial)
end()
