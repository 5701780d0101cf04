#!/bin/bash
# image.sh - the image in DIST: its layout and digests, its contents and no more, and, as root, that its programs run in
# it as the user nonroot, with a root file system that cannot be written.
. "$(dirname "$0")/dist.inc"
image=$(ls "$DIST"/trainc-*-oci.tar)
cat >"$scratch/unpack.py" <<-'END'
	"""unpack.py IMAGE DIRECTORY - checks an OCI layout, and unpacks its root file system."""
	import gzip, hashlib, io, json, os, sys, tarfile
	tar = tarfile.open(sys.argv[1])
	files = {m.name: tar.extractfile(m).read() for m in tar.getmembers() if m.isfile()}
	assert json.loads(files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
	used, machines = set(), {}
	def blob(descriptor):
	    name = "blobs/" + descriptor["digest"].replace(":", "/")
	    content = files[name]
	    used.add(name)
	    assert len(content) == descriptor["size"] and "sha256:" + hashlib.sha256(content).hexdigest() == descriptor["digest"]
	    return content
	index = json.loads(blob(json.loads(files["index.json"])["manifests"][0]))
	for one in index["manifests"]:
	    assert one["platform"]["os"] == "linux"
	    manifest = json.loads(blob(one))
	    config = json.loads(blob(manifest["config"]))
	    assert config["architecture"] == one["platform"]["architecture"]
	    layers = [gzip.decompress(blob(layer)) for layer in manifest["layers"]]
	    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest() for layer in layers]
	    assert sum(layer["size"] for layer in manifest["layers"]) <= 8000000
	    run = config["config"]
	    assert (run["Entrypoint"], run["Cmd"], run["User"], run["WorkingDir"]) == (["/usr/bin/trainc"], ["help"], "65532:65532", "/" + "home/nonroot")
	    machines[config["architecture"]] = layers[0]
	    for name in ("title", "description", "version", "created", "licenses"):
	        assert run["Labels"]["org.opencontainers.image." + name], name
	assert used | {"index.json", "oci-layout"} == set(files), "a blob that nothing names"
	assert set(machines) == {"amd64", "arm64"}, set(machines)
	for machine, content in machines.items():
	    layer = tarfile.open(fileobj=io.BytesIO(content))
	    members = {m.name: m for m in layer.getmembers()}
	    assert {n for n, m in members.items() if m.isfile()} == {
	        "usr/bin/trainc", "usr/libexec/trainc/trainc-cluster", "etc/ssl/certs/ca-certificates.crt", "etc/passwd", "etc/group",
	        "etc/nsswitch.conf", "usr/share/doc/trainc/LICENSE", "usr/share/doc/trainc/NOTICE", "usr/share/doc/trainc/THIRD-PARTY.txt"}
	    assert members["tmp"].mode == 0o1777 and members["home/nonroot"].uid == 65532 and len({m.mtime for m in members.values()}) == 1
	    assert b"certifi" in layer.extractfile("usr/share/doc/trainc/THIRD-PARTY.txt").read()
	    # the machine of an ELF program is at byte 18
	    assert layer.extractfile("usr/bin/trainc").read(20)[18] == {"amd64": 62, "arm64": 183}[machine]
	    if machine == {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]:
	        layer.extractall(sys.argv[2])
END
check "layout, digests, configuration, contents" python3 "$scratch/unpack.py" "$image" "$scratch/root"
root=$scratch/root
if test "$(id -u)" = 0; then
	# chroot() needs a capability, so it comes first; then python gives up everything
	cat >"$scratch/enter.py" <<-'END'
		import ctypes, os, sys
		root, program = sys.argv[1], sys.argv[2:]
		os.chroot(root)
		os.chdir("/" + "home/nonroot")
		libc = ctypes.CDLL(None)
		for capability in range(41):
		    libc.prctl(24, capability, 0, 0, 0)
		os.setgroups([])
		os.setgid(65532)
		os.setuid(65532)
		libc.prctl(38, 1, 0, 0, 0)
		os.execve(program[0], program, {"PATH": "/usr/bin", "HOME": os.getcwd()})
	END
	# inside COMMAND...: as nonroot, without capabilities, with /proc, and a root file system that is read-only
	inside() {
		mkdir -p "$root/proc" && unshare -m sh -c 'enter=$0 root=$1; shift; mount --bind "$root" "$root" && mount --bind /proc "$root/proc" &&
			mount -o remount,bind,ro "$root" && exec python3 "$enter" "$root" "$@"' "$scratch/enter.py" "$root" "$@"
	}
	check "the entry point runs" inside /usr/bin/trainc help
	compiles() { inside /usr/bin/trainc compile - <examples/01-torch-data-parallel/mnist.tj >"$scratch/objects" && grep -q 'kind: Job' "$scratch/objects"; }
	check "it compiles a program" compiles
	finds() { inside /usr/bin/trainc supervise --listen 127.0.0.1:0 2>&1 | tee "$scratch/says"; grep -iE "kubeconfig|cluster" "$scratch/says" && ! grep libexec "$scratch/says"; }
	check "supervise starts the second program, and misses a cluster" finds
else
	skip "running the image: not root"
fi
end
