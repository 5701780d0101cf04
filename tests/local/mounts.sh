#!/bin/sh
# mounts.sh - what containers see instead of volumes, and what is refused before anything starts.
. "$(dirname "$0")/local.inc"
can_mount || {
	skip "no mount namespaces here"
	end
}

# ---- scratch space, files, init containers, sidecars ----
cat >worker.sh <<'END'
until test -e /srv/scratch/sidecar; do sleep 0.01; done
cat init /etc/example/deep/settings
ls /srv/scratch
echo memory $(stat -f -c '%T %b %S' /srv/fast)
echo shm $(stat -f -c '%T %b %S' /dev/shm)
touch /srv/fast/x first
END
program pod <<END
  memory = 64Mi
  role worker {
    replicas = 2
    workdir  = "/srv/scratch"
    command  = ["sh", "$work/worker.sh"]
    shm      = 8Mi
    mounts { "/srv/scratch" = scratch("work", size = 1Gi), "/srv/fast" = scratch("fast", size = 4Mi, medium = "memory") }
    files { "/etc/example/deep/settings" = "I am \${pod.index} of \${worker.replicas}, \${worker.hosts[0]}\n" }
    init fetch {
      image   = "registry.example.com/test:1"
      command = ["sh", "-c", "test ! -e /data/init && echo fetched >/data/init"]
      mounts { "/data" = scratch("work", size = 1Gi) }
    }
    sidecar beside {
      image   = "registry.example.com/test:1"
      command = ["sh", "-c", "trap 'echo bye; exit' TERM; echo here >/data/sidecar; while :; do sleep 0.02; done"]
      mounts { "/data" = scratch("work", size = 1Gi) }
    }
  }
END
local_run 0 pod
shows pod worker-0 fetched
shows pod worker-1 "I am 1 of 2, 127.0.0.1"
shows pod worker-0 "I am 0 of 2, 127.0.0.1"
shows pod worker-0 sidecar
shows pod worker-0 "memory tmpfs 1024 4096"
shows pod worker-0 "shm tmpfs 2048 4096"
shows pod worker-0.beside bye           # stopped when the program had ended
holds test ! -e /etc/example
holds test ! -e /srv/scratch
holds test -e "$TRAINC_STATE_DIR/runs/pod/scratch/worker-0/work/first"

# a directory for each replica in one claim, created as the kubelet does
mkdir claim
program shards <<'END'
  role a {
    replicas = 2
    command  = ["sh", "-c", "echo $HOSTNAME >/data/name; ls /all/runs/*/name | wc -l"]
    mounts { "/data" = pvc("data", path = "runs/${pod.index}", shared = true), "/all" = pvc("data", shared = true) }
  }
END
local_run 0 shards --mount data=claim
holds test "$(cat claim/runs/0/name claim/runs/1/name)" = "$(printf 'shards-a-0\nshards-a-1')"

# a claim that ends with its pod is empty for each attempt; a claim that is kept is a directory of the replica, in the
# next run too
mkdir kept
program owned <<'END'
  role a {
    replicas = 2
    retries  = 1
    workdir  = "/kept"
    command  = ["sh", "-c", "ls /brief; touch /brief/x; echo $HOSTNAME >>/kept/name; test $(wc -l </kept/name) -ge 2"]
    mounts { "/brief" = own_claim("brief", 1Gi), "/kept" = own_claim("kept", 1Gi, keep = true) }
  }
END
local_run 8 owned
says err "kept claim 'kept' at /kept has no place on this machine; give it one: --mount kept=DIR"
local_run 0 owned --backoff 20ms --mount kept=kept
holds test -z "$(logs owned a-0)"
holds test "$(cat kept/a-0/name kept/a-1/name)" = "$(printf 'owned-a-0\nowned-a-0\nowned-a-1\nowned-a-1')"
holds test -e "$TRAINC_STATE_DIR/runs/owned/scratch/a-0/claim.brief/x"

# a new attempt is a new pod: empty space, init containers again
program again <<'END'
  role a {
    retries = 1
    command = ["sh", "-c", "ls /data; test -e /data/second || exit 1"]
    mounts { "/data" = scratch("work", size = 1Gi) }
    init count {
      image   = "registry.example.com/test:1"
      command = ["sh", "-c", "ls /data; echo run; test -z \"$(ls /data)\" && test -e @/flag && touch /data/second; touch /data/first @/flag"]
      mounts { "/data" = scratch("work", size = 1Gi) }
    }
  }
END
sed -i "s#@#$work#g" again.tj
local_run 0 again --backoff 20ms
holds test "$(logs again a-0.count)" = "$(printf 'run\nrun')"
shows again a-0 second

# a restart in place keeps files, and does not run init containers again
program inplace <<'END'
  role a {
    restart = "on-failure"
    command = ["sh", "-c", "echo again >>/data/n; test $(wc -l </data/n) -ge 3"]
    mounts { "/data" = scratch("work", size = 1Gi, medium = "memory") }
    init count {
      image   = "registry.example.com/test:1"
      command = ["echo", "once"]
    }
  }
END
local_run 0 inplace --backoff 20ms
holds test "$(logs inplace a-0.count)" = once
holds test "$(wc -l <"$TRAINC_STATE_DIR/runs/inplace/scratch/a-0/work/n")" -eq 3

program cleaned <<'END'
  clean = "all"
  role a { command = ["touch", "/data/x"], mounts { "/data" = scratch("work", size = 1Gi) } }
END
local_run 0 cleaned
holds test ! -e "$TRAINC_STATE_DIR/runs/cleaned/scratch/a-0"
holds test -e "$TRAINC_STATE_DIR/runs/cleaned/logs/a-0.log"

# ---- volumes of the cluster ----
mkdir -p corpus/part keys export; echo words >corpus/part/text; echo key >keys/id; echo shared >export/file; mkdir host; echo mine >host/file
program volumes <<END
  role a {
    command = ["sh", "-c", "cat /in/text /etc/keys/id /net/file /host/file; echo new >/in/new; echo no >/etc/keys/no; echo no >/host/no; true"]
    mounts {
      "/in"       = pvc("corpus", path = "part", shared = true)
      "/etc/keys" = secret_files("ssh-keys")
      "/net"      = nfs("files.example.com", "/export", readonly = true)
      "/host"     = host_path("$work/host")
    }
  }
END
run 8 run --local volumes.tj
says err "role 'a': volume claim 'corpus' at /in has no place on this machine; give it one: --mount corpus=DIR"
says err "role 'a': secret 'ssh-keys' at /etc/keys has no place on this machine; give it one: --mount ssh-keys=DIR"
says err "role 'a': NFS directory 'files.example.com:/export' at /net has no place on this machine; give it one: --mount files.example.com:/export=DIR"
local_run 0 volumes --mount corpus=corpus --mount "ssh-keys=$work/keys" --mount files.example.com:/export=./export
says err "trainc: /host is read-only: a host_path is, unless it has 'readonly = false'"
for line in words key shared mine; do shows volumes a-0 $line; done
holds test "$(cat corpus/part/new)" = new
holds test ! -e keys/no
holds test ! -e host/no
holds test ! -e /in

run 8 run --local --mount corpus=nowhere --mount ssh-keys=keys --mount files.example.com:/export=export volumes.tj
says err "volume claim 'corpus' at /in: '$work/nowhere/part': no such file; choose another one: --mount corpus=DIR"
run 8 run --local --mount corpus=corpus --mount korpus=corpus volumes.tj
says err "--mount korpus=...: the program has no such volume; it has 'corpus', 'ssh-keys', 'files.example.com:/export', '$work/host'"
local_run 0 volumes --mount corpus=corpus --mount ssh-keys=keys --mount files.example.com:/export=export --mount "$work/host=export"
holds test "$(logs volumes a-0 | grep -c shared)" -eq 2
run 2 run --local --mount corpus volumes.tj; says err "--mount needs NAME=DIR, found 'corpus'"

# ---- keys that are generated for the run ----
if command -v ssh-keygen >/dev/null; then
	program keys <<-'END'
	  role a { command = ["sh", "-c", "cd ~/.ssh && stat -c '%a %n' * && cat authorized_keys && cat config"], mounts { "/root/.ssh" = generated("ssh-keypair") } }
	  role b { command = ["cat", "/keys/id_ed25519.pub"], mounts { "/keys" = generated("ssh-keypair") } }
	END
	local_run 0 keys
	shows keys a-0 "600 id_ed25519"
	shows keys a-0 "600 authorized_keys"
	shows keys a-0 "ssh-ed25519 .*"
	shows keys a-0 ".*StrictHostKeyChecking no"
	shows keys b-0 "$(logs keys a-0 | grep ^ssh-ed25519)"
	mkdir bin; ln -s "$(command -v cat)" "$(command -v sh)" "$(command -v stat)" bin
	PATH=$work/bin run 8 run --local keys.tj
	says err "ssh-keygen is not installed"
else
	skip "no ssh-keygen"
fi

# ---- a root directory of its own ----
mkdir -p root/bin root/etc root/data; cp "$TRAINC" root/bin/tool
program rooted <<'END'
  role a { command = ["tool", "version"], workdir = "/data" }
END
case $BUILD in
*asan* | *cover*) skip "the binary is not static" ;;
*)
	local_run 0 rooted --image-root root
	shows rooted a-0 "trainc .*"
	;;
esac
run 8 run --local rooted.tj; says err "workdir '/data' is not a directory of this machine"
end
