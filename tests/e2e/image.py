"""image.py OUT.tar NAME ROOT [ENTRYPOINT...]: makes a container image from a directory.

Writes a docker-archive (what "docker save" writes and "ctr images import" reads)
with one layer.  The same directory gives the same bytes.
"""

import hashlib
import io
import json
import os
import sys
import tarfile


def plain(entry):
    entry.mtime = entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def layer(root):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for here, directories, files in os.walk(root):
            directories.sort()
            for name in sorted(directories + files):
                path = os.path.join(here, name)
                # os.walk lists a link to a directory among the directories, but does not follow it.
                tar.add(path, os.path.relpath(path, root), recursive=False, filter=plain)
    return out.getvalue()


def main(out, name, root, *entrypoint):
    data = layer(root)
    config = {
        "architecture": "amd64" if os.uname().machine == "x86_64" else "arm64",
        "os": "linux",
        "config": {
            "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
            "Entrypoint": list(entrypoint) or None,
        },
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(data).hexdigest()]},
    }
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
    with tarfile.open(out, "w") as tar:
        for member, content in (
            ("config.json", json.dumps(config).encode()),
            ("layer.tar", data),
            ("manifest.json", json.dumps(manifest).encode()),
        ):
            entry = tarfile.TarInfo(member)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))


main(*sys.argv[1:])
