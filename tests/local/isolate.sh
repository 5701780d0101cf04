#!/bin/sh
# isolate.sh - what replicas see of the machine and of each other, as root and as another user.
. "$(dirname "$0")/local.inc"
cp "$TRAINC" trainc
TRAINC=$work/trainc
chmod 755 "$work"
# The user who runs trainc: as root, the words after $as are run as another user, with that user's own home.
as=
mkdir -m 700 home
home=$work/home

links() { ls /sys/class/net; }
links_before=$(links)

# tried STATUS OPTION... JOB.tj: `trainc run --local` as that user; nothing of it may be left.
tried() {
	want=$1
	shift
	$as env HOME="$home" TRAINC_STATE_DIR="$home/state" "$TRAINC" run --local "$@" >"$work/.out" 2>"$work/.err" </dev/null
	got=$?
	for last; do :; done
	last=${last##*/}
	if test "$got" -eq "$want"; then ok; else fail "${as:+as a user: }trainc run --local $*: status $got, not $want"; cat "$work/.out"; fi
	nothing_left "${last%.tj}"
	if test "$(links)" = "$links_before"; then ok; else fail "interfaces are left"; fi
}

# ---- programs ----

# The server sends its name to each of three clients, which pass it on.
cat >server.py <<'END'
import os, socket
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("", int(os.environ["PORT"])))
s.listen()
for _ in range(3):
    s.accept()[0].sendall(socket.gethostname().encode())
END
cat >client.py <<'END'
import os, socket, time
host, port = os.environ["AT"].split(":")
for _ in range(3000):
    try:
        c = socket.create_connection((host, int(port)))
        break
    except OSError:
        time.sleep(0.02)
print(socket.gethostname(), "at", socket.gethostbyname(socket.gethostname()), "asked", os.environ["AT"], "and heard", c.makefile().read())
END
program meet <<'END'
  role server {
    command = ["python3", "server.py"]
    ports { http = 80 }
    env { PORT = self.port(pod.index, "http") }
  }
  role client {
    replicas = 3
    command  = ["python3", "client.py"]
    env { AT = server.address(0, "http") }
  }
END

# ---- by name, on the cluster's port ----
meet() {
	tried 0 --isolate replica meet.tj
	for i in 0 1 2; do
		holds grep -q "meet-client-$i at 10.88.0.$((i + 2)) asked meet-server-0.meet:80 and heard meet-server-0\$" .out
	done
	tried 0 --isolate job meet.tj
	holds test "$(grep -c "$(hostname) at 127[.0-9]* asked 127.0.0.1:[0-9]* and heard $(hostname)\$" .out)" -eq 3
}

# ---- mode job: a network that only the run sees ----
cat >open.py <<'END'
import os, socket, sys, time
s = socket.socket()
s.bind(("", int(os.environ["PORT"])))
s.listen()
s.settimeout(0.02)
with open("/out/port", "w") as out:
    out.write(os.environ["PORT"])
os.rename("/out/port", "/out/open")
for _ in range(3000):
    try:
        s.accept()
        sys.exit(3)
    except TimeoutError:
        pass
    if os.path.exists("/out/go"):
        sys.exit(0)
sys.exit(4)
END
program open <<'END'
  mounts { "/out" = pvc("out", shared = true) }
  role server {
    command = ["python3", "open.py"]
    ports { http = 8080 }
    env { PORT = self.port(pod.index, "http") }
  }
END
closed() {
	rm -rf out
	mkdir out
	chmod 777 out
	tried 0 --isolate "$1" --mount out=out open.tj &
	pid=$!
	before 10 test -e out/open
	python3 - "$(cat out/open)" <<-'END' || fail "mode $1: the machine reaches the replica"
		import socket, sys
		try:
		    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1)
		except ConnectionRefusedError:
		    sys.exit(0)
		sys.exit(1)
	END
	touch out/go
	wait $pid || fail "mode $1"
}

# ---- mode replica: the environment of `trainc env`, byte for byte ----
cat >environment.py <<'END'
# environment.py CASE...: the file of every replica in CASE/out has the variables of CASE/env.json, and few others.
import json, os, re, sys
allowed = re.compile(r"(PATH|HOME|LANG|LC_\w+|TMPDIR|HOSTNAME|CUDA_\w+)$")
for case in sys.argv[1:]:
    with open(case + "/env.json") as f:
        replicas = json.load(f)["jobs"][0]["replicas"]
    for number, r in enumerate(replicas):
        pod = {"status.podIP": "10.88.0.%d" % (number + 1), "metadata.name": r["name"], "metadata.namespace": "default"}
        def piece(p):
            return p if isinstance(p, str) else pod.get(p["field"], str(r["index"]))
        want = {e["name"]: e["value"] if "value" in e else "".join(map(piece, e.get("text", [e]))) for e in r["env"]}
        with open(os.path.join(case, "out", r["name"])) as f:
            seen = dict(e.split("=", 1) for e in f.read().split("\0")[:-1])
        if "JOB_COMPLETION_INDEX" in seen:      # a cluster's Job sets it by itself
            want.setdefault("JOB_COMPLETION_INDEX", str(r["index"]))
        for name in seen.keys() | want.keys():
            if seen.get(name) != want.get(name) and (name in want or not allowed.match(name)):
                print("%s, %s: %s is %r, not %r" % (case, r["name"], name, seen.get(name), want.get(name)))
END
environments() {
	set -- jax lightgbm mxnet paddle paddle_ps tensorflow_dynamic tensorflow_servers torch_env
	for name; do
		mkdir -p "$name/out"
		chmod 777 "$name/out"
		"$TRAINC" env -o json "$root/tests/frameworks/cases/$name.tj" >"$name/env.json"
		# all wait until all have written
		all=$(grep -c '"container": "main"' "$name/env.json")
		sed 's|command *= \["[a-z/]*python3*", "[a-z_]*.py".*\]|command = ["sh", "-c", "cat /proc/$$/environ >/out/.new.$HOSTNAME; mv /out/.new.$HOSTNAME /out/$HOSTNAME; n=0; until set -- /out/*; test $# -eq '"$all"' -o $((n += 1)) -gt 6000; do sleep 0.01; done"]|
		s|^  image .*|&\n  mounts { "/out" = pvc("out", shared = true) }|' "$root/tests/frameworks/cases/$name.tj" >"$name.tj"
		tried 0 --isolate replica --mount out="$name/out" "$name.tj"
	done
	python3 environment.py "$@" >.err 2>&1
	if test -s .err; then fail "environments"; else ok; fi
}

# ---- the keeper or the command dies ----
program linger <<'END'
  role worker {
    replicas = 2
    command  = ["sh", "-c", "(setsid sh -c 'echo here; exec sleep 600' &) ; exec sleep 600"]
  }
END
marked() { grep -lazF "ISOLATE_TEST=$$" /proc/[0-9]*/environ 2>/dev/null; }
unmarked() { test -z "$(marked)" -a -z "$(processes linger)"; }
lingers() { test "$(grep -c here .out)" -eq 2; }
# killed WHO MODE: kill -9 the command or its keeper.
killed() {
	: >.out
	$as env ISOLATE_TEST=$$ HOME="$home" TRAINC_STATE_DIR="$home/state" "$TRAINC" run --local --isolate "$2" linger.tj >.out 2>.err </dev/null &
	pid=$!
	before 10 lingers
	case $1 in
	command) kill -9 $pid ;;
	keeper) kill -9 "$(cat /proc/$pid/task/$pid/children | cut -d' ' -f1)" ;;
	esac
	wait $pid 2>/dev/null
	before 5 unmarked
	if test "$(links)" = "$links_before"; then ok; else fail "interfaces are left"; fi
}

# ---- another root ----
mkdir -p image/bin image/etc
echo tiny >image/etc/os
tool() {
	path=$(readlink -f "$(command -v "$1")")
	cp "$path" "image/bin/$1"
	ldd "$path" | tr ' \t' '\n\n' | grep '^/' | while read -r library; do
		mkdir -p "image${library%/*}"
		cp -L "$library" "image$library"
	done
}
tool sh
tool cat
tool ls
program rooted <<'END'
  mounts {
    "/data/set" = host_path("/etc/skel", readonly = true)
    "/scratch"  = scratch("scratch", size = 1Mi, medium = "memory")
  }
  role main {
    command = ["sh", "-c", "cat /etc/os; echo / has $(ls /); echo >/dev/null && ls -a /data/set; test ! -e /usr/bin && echo x >/scratch/x; cat /etc/hosts"]
  }
END
rooted() {
	tried 0 --isolate "$1" --image-root image rooted.tj
	holds grep -q 'tiny$' .out
	holds grep -qE '/ has bin data dev etc (lib|lib64|proc| )* scratch sys$' .out
	holds grep -q localhost .out
	# including the way torch looks it up
	test "$1" = none || holds grep -qE '::ffff:10\.88\.0\.1 .*rooted-main-0' .out
}

# ---- all of it ----
tried 0 --isolate replica meet.tj >probe
if grep -q 'cannot isolate' .err; then
	passed=0 failed=0
	skip "this machine: $(cat .err)"
	end
fi
cat probe
meet
closed job
closed replica
killed command job
killed keeper replica
rooted none
rooted replica
environments

if test "$(id -u)" -eq 0; then
	as="setpriv --reuid 65534 --regid 65534 --clear-groups"
	mkdir -m 700 others
	chown 65534:65534 others
	home=$work/others
	$as env HOME="$home" TRAINC_STATE_DIR="$home/state" "$TRAINC" run --local --isolate job meet.tj >.out 2>.err
	if grep -q 'cannot isolate' .err; then
		skip "another user: $(cat .err)"
	else
		meet
		closed job
		killed command replica
		rooted replica
	fi
fi

# ---- where namespaces are not available ----
if unshare -Ur true 2>/dev/null; then
	as="unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces; exec setpriv --bounding-set -all --inh-caps -all \"\$@\"' sh"
	eval "$as" env HOME="$home" TRAINC_STATE_DIR="$work/state" "$TRAINC" run --local --isolate job meet.tj >.out 2>.err
	holds test $? -eq 3
	says err "cannot isolate the run: make a user namespace: user.max_user_namespaces is 0"
	says err "--isolate none"
fi
end
