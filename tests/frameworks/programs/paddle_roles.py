# What fleet's role maker finds: a server finds its own entry in the list and listens there; a trainer finds its number
# and all servers. (The package has no parameter server for CPUs, so none is started.)
import os
import socket
import sys
import time

from paddle.distributed.fleet.base.role_maker import PaddleCloudRoleMaker

found = PaddleCloudRoleMaker(is_collective=False)
found._generate_role()
servers = [s.split(":") for s in found._get_pserver_endpoints()]
if found._is_server():
    host, port = servers[found._server_index()]
    right = (host, port, found._server_index()) == (os.environ["POD_IP"], os.environ["PADDLE_PORT"], int(os.environ["REPLICA"]))
    door = socket.create_server((host, int(port)))
    while right:
        door.accept()
    sys.exit(1)
for host, port in servers:
    for _ in range(600):
        try:
            socket.create_connection((host, int(port)), 1).close()
            break
        except OSError:
            time.sleep(0.1)
    else:
        sys.exit("no server at %s:%s" % (host, port))
right = (found._worker_num(), len(servers), found._worker_index()) == (2, 2, int(os.environ["REPLICA"]))
if right:
    print("trainer of 2, 2 servers: OK, I am %d" % found._worker_index(), flush=True)
sys.exit(not right)
