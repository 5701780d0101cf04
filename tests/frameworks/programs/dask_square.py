# Runs next to the scheduler: one task on each of two workers.
import os

from distributed import Client

client = Client(timeout=60)
client.wait_for_workers(2, timeout=60)
workers = sorted(client.scheduler_info()["workers"])
got = [client.submit(pow, i + 2, 2, workers=[w]).result() for i, w in enumerate(workers)]
right = got == [4, 9]
if right:
    print("%d workers: OK" % len(workers), flush=True)
os._exit(not right)
