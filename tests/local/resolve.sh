#!/bin/sh
# resolve.sh - the example with parameter servers survives names that cannot be resolved for a moment.
. "$(dirname "$0")/local.inc"
mkdir hook
cat >hook/sitecustomize.py <<'END'
import socket
real, calls = socket.getaddrinfo, [0]
def sometimes(*arguments, **more):
    calls[0] += 1
    if calls[0] % 60 == 2:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
    return real(*arguments, **more)
socket.getaddrinfo = sometimes
END
cp "$root"/examples/15-parameter-server/* .
local_run 0 async -e PYTHONPATH="$work/hook"
says out "chief/0 │ model ["
end
