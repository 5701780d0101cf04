#!/bin/sh
# look.sh - how a run is displayed: ports, processes, files and output.
. "$(dirname "$0")/local.inc"
clean_up_runs

cat >reply.py <<'END'
import os, sys, http.server
class Reply(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(os.environ["WORD"].encode())
    def log_message(self, *a):
        pass
print("listens", flush=True)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Reply).serve_forever()
END
program board <<END
  role board {
    command = ["$python", "-IS", "reply.py", "\${self.port(pod.index, "http")}"]
    ports { http = 6006, metrics = 6007 }
    env { WORD = "from the program" }
    grace = 1s
  }
  role plain { replicas = 2, command = ["sh", "-c", "echo one; echo two; echo 'error: three'; exec sleep 600"], grace = 1s }
END
run 0 apply --local --env WORD=given -e EMPTY= board.tj
before 5 sh -c "'$TRAINC' logs --local board 2>/dev/null | grep -q listens"
# a person at a terminal learns how many replicas are not shown; a program does not
pty='import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))'
holds sh -c "'$python' -c '$pty' '$TRAINC' logs --local board </dev/null | grep -q '2 more replicas: --all shows all'"
run 0 logs --local --role plain board; holds test ! -s "$work/.err"
run 0 logs --local board; holds test ! -s "$work/.err"
run 0 status --local -o json board
json 'len(d["runs"][0]["replicas"])' 3
json 'sorted(d["runs"][0]["replicas"][0]["ports"])' "['http', 'metrics']"
json 'd["runs"][0]["replicas"][1]["ports"], d["runs"][0]["replicas"][2]["exit_code"], d["runs"][0]["replicas"][2]["state"]' "({}, None, 'ready')"
json 'open(d["runs"][0]["replicas"][0]["log"]).read().strip()' listens
json '__import__("urllib.request").request.urlopen("http://127.0.0.1:%d" % d["runs"][0]["replicas"][0]["ports"]["http"]).read()' "b'given'"
json 'open("/proc/%d/environ" % d["runs"][0]["replicas"][0]["pid"]).read().count("EMPTY=\0")' 1
run 0 status --local -o wide board
holds grep -qE '^RUN +REPLICA +STATE +PID +ATTEMPTS +EXIT +SINCE +CPU +MEMORY +HOST +PORTS +CAUSE$' .out
holds grep -qE 'board-0 .* 127.0.0.1 +http=[2-6][0-9]{4},metrics=[2-6][0-9]{4}$' .out
run 2 apply --local --env WORD board.tj; says err "--env needs NAME=VALUE"

# ---- env --local: the environment of the processes, with the ports of this machine ----
run 0 status --local -o json board
port=$("$python" -IS -c 'import json; print(json.load(open(".out"))["runs"][0]["replicas"][0]["ports"]["http"])')
run 0 env --local board
holds grep -qE "^board 0  127.0.0.1  http=$port  metrics=[0-9]+$" .out
holds grep -qE '^plain 1  127.0.0.1$' .out
holds grep -qE '^  WORD +given$' .out
run 0 env --local --role board -o shell board.tj
holds test "$(. ./.out; echo "$WORD $HOSTNAME")" = "given board-board-0"
tr '\0' '\n' <"/proc/$(value board 'r("board")[0]["process"][0]')/environ" | sed 's/=.*//' | sort >there
sed 's/^export //; s/=.*//' .out | sort >said
same said there
run 0 env --local --role plain --index 1 -o json board
json '[(r["role"], r["index"], {v["name"]: v.get("value") for v in r["env"]}["HOSTNAME"]) for r in d["runs"][0]["replicas"]]' "[('plain', 1, 'board-plain-1')]"
json 'open("/proc/%d/environ" % d["runs"][0]["replicas"][0]["pid"]).read().count("HOSTNAME=board-plain-1\0")' 1
run 2 env --local -o shell board; says err "choose one of 3 replicas with --role and --index"; silent out
run 2 env --local --role nobody board; says err "no replica of that role"
run 2 env --local --index x board; says err "--index is the number of a replica"
run 2 env --local nothing; says err "nothing"

# other variables are other options
run 5 apply --local --env WORD=other board.tj; says err "with other options"

run 0 logs --local --all --grep '^error: t' board; holds test "$(sort .out | tr '\n' '.')" = "plain/0 │ error: three.plain/1 │ error: three."
run 0 logs --local --all --grep 'nothing like it' board; silent out
run 2 logs --local --grep '(' board; says err "--grep needs an extended regular expression"
run 0 delete --local --yes board

# ---- a run that has ended does not wait for anything ----
program over <<'END'
  role boss { command = ["sh", "-c", "sleep 0.3; exit 3"] }
  role ps   { replicas = 2, command = ["sleep", "600"], grace = 1s }
  role late { command = ["true"], start_after = done(ps) }
END
local_run 8 over
run 0 status --local over; holds grep -qE '^ +ps +2 +0 +0 +0 +0 +0 +2 stopped$' .out
run 0 status --local -o wide over; holds grep -qE ' ps-1 +stopped ' .out; holds grep -qE ' late-0 +unstarted ' .out
run 0 status --local -o json over; json '[(r["role"], r["stopped"]) for r in d["runs"][0]["roles"]]' "[('boss', 0), ('ps', 2), ('late', 0)]"
json '[r["state"] for r in d["runs"][0]["replicas"]]' "['failed', 'stopped', 'stopped', 'unstarted']"

run 6 env --local over; says err "ended"; says err "run --local --dry-run"

# ---- if something cannot be started, the message says why ----
printf '#!/no/such/interpreter\n' >script
chmod +x script
program odd <<'END'
  role a { command = ["./script"] }
END
local_run 8 odd; says err "the interpreter that './script' names in its first line does not exist"
program odd <<'END'
  role a { command = ["/tmp"] }
END
run 8 run --local odd.tj; says err "'/tmp' is a directory, not a program"
sh -c 'ulimit -n 12; exec "$1" run --local odd.tj' - "$TRAINC" >.out 2>.err </dev/null
echo $? >.status
holds test "$(cat .status)" -eq 3; says err "open files, and at most 12 are permitted"
end
