#!/bin/sh
# refusals.sh - what cannot run is reported before anything starts, or with the name of the replica (faults F-47, F-48).
. "$(dirname "$0")/local.inc"

program nothing <<'END'
  role a {}
  role b { args = ["x"] }
  role c { command = ["no-such-program-anywhere"] }
  role d { command = ["./nowhere/train.sh"] }
  role e { command = ["sh"], workdir = "/no/such/directory" }
  role f { command = ["sh"], env { PATH = "/nonexistent" } }
  role g { command = ["sh"], sidecar s { image = "registry.example.com/test:1", command = ["no-such-sidecar"] } }
END
printf 'echo never\n' >script; chmod 644 script
run 8 run --local nothing.tj
says err "role 'a': no command, and no image that would provide one; write 'command = [...]'"
says err "role 'b': no command"
says err "role 'c': command not found: 'no-such-program-anywhere' is in no directory of PATH"
says err "role 'd': command not found: './nowhere/train.sh'"
says err "role 'e': workdir '/no/such/directory' is not a directory of this machine"
says err "role 'f': command not found: 'sh' is in no directory of PATH: /nonexistent"
says err "role 'g', container 's': command not found: 'no-such-sidecar'"
silent out
holds test ! -e "$TRAINC_STATE_DIR/runs/nothing"
PATH=$PATH:/nonexistent/$(printf 'a%.0s' 1 2 3 4 5 6 7 8 9)/a/directory/with/a/long/name run 8 run --local nothing.tj
holds grep -qx "trainc: role 'c': command not found: 'no-such-program-anywhere' is in no directory of PATH" .err

program file <<'END'
  role a { command = ["./script"] }
END
run 8 run --local file.tj; says err "role 'a': './script' is not executable"
chmod 755 script; run 8 run --local file.tj; says err "a-0 cannot be started: './script' is not a program that this machine can run: a script begins with '#!'"
printf '#!/bin/sh\nexit 0\n' >script; local_run 0 file

# failures that only exec detects: the others are stopped
program late <<'END'
  role good { command = ["sleep", "60"] }
  role late { command = ["./vanishing"], start_after = done(first) }
  role first { command = ["rm", "vanishing"] }
END
printf '#!/bin/sh\n' >vanishing; chmod 755 vanishing
local_run 8 late
says err "late-0 cannot be started: command not found: './vanishing'"
is late 's["failure"]["role"], s["failure"]["reason"]' "('late', \"command not found: './vanishing'\")"

# longer than exec accepts, but only once a secret is inserted
program huge <<'END'
  role a { replicas = 2, command = ["true"], env { HALF = secret("s", "k"), BIG = "${pod.env("HALF")}${pod.env("HALF")}" } }
END
xs() { head -c "$1" /dev/zero | tr '\0' x; }
half=$(xs 65534)
HALF=$half run 8 run --local huge.tj
says err "a-0: variable BIG has 131072 bytes with its name; this machine takes 131071"
holds test "$(grep -c BIG .err)" -eq 1
HALF=${half#x} run 0 run --local huge.tj
half=$(xs 60000)
(
	ulimit -s 512           # a quarter of it is available for arguments and environment, but at least 128 KiB
	HALF=$half run 8 run --local huge.tj
	says err "a-0: command and environment have"
	says err "the largest variable is BIG with 120004 bytes"
	echo "$passed $failed" >counts
)
read -r passed failed <counts

# descriptors run out: the message has the replica and the cause
program many <<'END'
  role a { replicas = 40, command = ["sleep", "60"] }
END
(
	ulimit -n 60
	run 3 run --local many.tj
	says err "'many' needs about 200 open files, and at most 60 are permitted: raise the hard limit with 'ulimit -Hn 200'"
	nothing_left many
	echo "$passed $failed" >counts
)
read -r passed failed <counts

# the command line
program elastic <<'END'
  role a { replicas = 1:3, command = ["true"] }
  role b { command = ["true"] }
END
run 8 run --local --replicas c=1 elastic.tj; says err "--replicas c=1: unknown role 'c'"
run 8 run --local --replicas b=1 elastic.tj; says err "--replicas b=1: the role is not elastic; it has 1 replicas"
run 8 run --local --replicas a=4 elastic.tj; says err "--replicas a=4: the role has 1 to 3 replicas"
run 2 run --local --replicas a=x elastic.tj; says err "--replicas needs ROLE=N, found 'a=x'"
run 2 run --local --backoff soon elastic.tj; says err "--backoff needs a time such as 500ms, 30s or 2min, found 'soon'"
run 2 run --local --isolate all elastic.tj
run 3 run elastic.tj; says err "no cluster is configured: "; says err "--local"; says err "trainc compile FILE | kubectl apply -f -"
run 8 run --local --image-root nowhere elastic.tj; says err "--image-root '$work/nowhere': no such file"
: >image.tar
run 8 run --local --image-root image.tar elastic.tj; says err "--image-root '$work/image.tar': is not a directory; unpack the image first"
run 1 run --local nowhere.tj
end
