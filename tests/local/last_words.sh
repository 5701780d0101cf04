#!/bin/sh
# last_words.sh - the rank that raised an exception first is blamed, not those that lost the connection to it: real
# Python processes, four ranks.
. "$(dirname "$0")/local.inc"
clean_up_runs
can_mount || {
	skip "no mount namespaces here"
	end
}

# Rank 0 has a connection to each of the others.  Rank 2 raises and takes a while to exit, so it is the last to end.
cat >train.py <<'END'
import atexit, os, socket, sys, time
rank = int(os.environ["RANK"])

def first_to_fail(peer):
    try:
        raise ValueError("bad batch 17")
    finally:
        atexit.register(time.sleep, float(os.environ.get("LINGER", 5)))
        peer.close()

def train(peer):
    if rank == 2:
        first_to_fail(peer)
    if not peer.recv(1):
        raise ConnectionError("Connection closed by peer")

def main():
    where = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
    if rank == 0:
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind(where)
        server.listen()
        peers = [server.accept()[0] for _ in range(3)]
        numbers = {p.recv(1): p for p in peers}
        for p in peers:
            p.send(b"!")
        train(numbers[b"2"])
    while True:
        try:
            peer = socket.create_connection(where)
            break
        except OSError:
            time.sleep(0.05)
    peer.send(b"%d" % rank)
    peer.recv(1)
    train(peer)

main()
END

# ---- a replica for each rank ----
cat >ranks.tj <<END
import std.pytorch
job "ranks": pytorch.env(report = true) {
  image = "registry.example.com/train:1.0"
  role worker { replicas = 4, command = ["$python", "train.py"] }
}
END
run 8 run --local ranks.tj
says err "ValueError: bad batch 17 (train.py:6, rank 2)"
run 0 status --local ranks -o json
json 'd["runs"][0]["first_failure"]["index"], "ValueError: bad batch 17 (train.py:6, rank 2)" in d["runs"][0]["first_failure"]["reason"]' "(2, True)"
run 0 status --local ranks
holds test "$(grep -c '^$' .out)" = 1
holds grep -q "worker 2: .*ValueError: bad batch 17 (train.py:6, rank 2)" .out
run 0 why --local ranks; says out "'trainc logs --local ranks' shows"
says out "first failure: worker 2"

# ---- other frameworks report it the same way; the rank is the one that the framework assigned ----
cat >raise.py <<'END'
import os, time
if os.environ.get("JAX_PROCESS_ID") == "1" or '"index": 1' in os.environ.get("TF_CONFIG", "").replace(":", ": ").replace(":  ", ": "):
    raise ValueError("bad shard 4")
time.sleep(30)
END
for pair in jax.distributed tensorflow.cluster_spec tensorflow.dynamic; do
	name=$(echo $pair | tr . - | tr _ -)
	number=$(test $pair = tensorflow.dynamic && echo 2:2 || echo 2)
	rank=$(test $pair = jax.distributed && echo ", rank 1" || true)
	cat >"$name.tj" <<END
import std.${pair%.*}
job "$name": $pair(report = true) {
  image = "registry.example.com/train:1.0"
  role worker { replicas = $number, command = ["$python", "raise.py"] }
}
END
	run 8 run --local "$name.tj"
	says err "ValueError: bad shard 4 (raise.py:3$rank)"
	run 0 status --local "$name"
	holds grep -q "worker 1: .*ValueError: bad shard 4 (raise.py:3$rank)" .out
	sed "s/(report = true)//; s/\"$name\"/\"$name-plain\"/" "$name.tj" >plain.tj
	run 0 compile plain.tj
	holds test "$(grep -c sitecustomize .out)" = 0
done

# ---- four processes of one launcher, which fails after them ----
cat >torchrun <<'END'
import os, subprocess, sys
ranks = [subprocess.Popen([sys.executable] + sys.argv[1:], env=dict(os.environ, RANK=str(i), MASTER_ADDR="127.0.0.1",
         MASTER_PORT=os.environ["PET_MASTER_PORT"])) for i in range(4)]
if any([p.wait() for p in ranks]):
    raise RuntimeError("ChildFailedError: some ranks failed")
END
mkdir -p site
echo 'open("own", "a").write("x")' >site/sitecustomize.py
cat >one.tj <<END
import std.pytorch
job "one": pytorch.torchrun(nproc = 4, report = true) {
  image = "registry.example.com/train:1.0"
  role worker { command = ["$python", "torchrun", "train.py"], env { PYTHONPATH = "/opt/trainc:site", LINGER = 0 } }
}
END
run 8 run --local one.tj
says err "ValueError: bad batch 17 (train.py:6, rank 2)"
run 0 status --local one -o json
json '"ValueError: bad batch 17 (train.py:6, rank 2)" in d["runs"][0]["first_failure"]["reason"]' True
holds test "$(cat own)" = xxxxx         # the existing sitecustomize ran in each process

# ---- without `report`, nothing of this happens ----
sed 's/report = true/report = false/; s/"ranks"/"plain"/' ranks.tj >plain.tj
run 8 run --local plain.tj
run 0 status --local plain -o json
json '"ValueError" in d["runs"][0]["first_failure"]["reason"]' False
end
