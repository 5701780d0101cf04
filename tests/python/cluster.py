"""cluster.py TRAINC - see cluster.sh."""
import glob
import json
import subprocess
import sys

from trainc._cluster import Cluster, cluster
from trainc._results import Error

trainc = sys.argv[1]
passed = failed = 0


def check(what, ok, more=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("FAIL", what, more)


# ---- every example ----
KNOWN = {}              # framework -> what is known of the replicas, at least
for path in sorted(glob.glob("examples/*/*.tj") + glob.glob("tests/frameworks/*/*.tj")):
    done = subprocess.run([trainc, "env", "-o", "json", path], capture_output=True, text=True)
    if done.returncode != 0:
        continue
    wrong = []
    for job in json.loads(done.stdout)["jobs"]:
        sizes = {}
        for r in job["replicas"]:
            sizes[r["role"]] = max(sizes.get(r["role"], 0), r["index"] + 1)
        for r in job["replicas"]:
            if r["container"] != "main":
                continue
            me = cluster({e["name"]: e["value"] for e in r["env"] if "value" in e})
            for name, said, is_so in (("role", me.role, r["role"]), ("index", me.index, r["index"])):
                if said is not None and said != is_so:
                    wrong.append(f"{r['name']}: {name} {said}, not {is_so}")
            if me.size is not None and me.size != sizes[r["role"]]:
                wrong.append(f"{r['name']}: size {me.size}, not {sizes[r['role']]}")
            if me.framework:
                KNOWN.setdefault(me.framework, set()).update(k for k, v in vars(me).items() if v is not None)
    check(path, not wrong, wrong[:3])
for framework, fields in {"pytorch": "index size world_size coordinator local_world_size", "tensorflow": "role index size hosts coordinator",
                          "jax": "index size rank world_size coordinator", "mxnet": "role index size coordinator"}.items():
    check(f"{framework}: known", set(fields.split()) <= KNOWN.get(framework, set()), KNOWN.get(framework))

# ---- what launchers add ----
TF = json.dumps({"cluster": {"chief": ["c:1"], "worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 1}})
PET = {"PET_NNODES": "2", "PET_NPROC_PER_NODE": "8", "PET_NODE_RANK": "1", "PET_MASTER_ADDR": "w-0.j", "PET_MASTER_PORT": "29500"}
for what, environ, expected in (
        ("outside of a job", {"PATH": "/bin"}, Cluster(rank=0, world_size=1)),
        ("a variable without a value", {"RANK": "", "WORLD_SIZE": ""}, Cluster(rank=0, world_size=1)),
        ("a replica that only knows its number", {"TRAINC_INDEX": "3"}, Cluster(index=3)),
        ("torchrun", {**PET, "RANK": "11", "WORLD_SIZE": "16", "LOCAL_RANK": "3", "LOCAL_WORLD_SIZE": "8", "GROUP_RANK": "1",
                      "GROUP_WORLD_SIZE": "2", "MASTER_ADDR": "w-0.j", "MASTER_PORT": "29500", "TORCHELASTIC_RUN_ID": "none",
                      "TORCHELASTIC_RESTART_COUNT": "2"},
         Cluster("pytorch", None, 1, 2, 11, 16, 3, 8, "w-0.j:29500", None, 2)),
        ("before torchrun", PET, Cluster("pytorch", None, 1, 2, None, 16, None, 8, "w-0.j:29500")),
        ("elastic", {"PET_NNODES": "1:8", "PET_NPROC_PER_NODE": "auto", "PET_RDZV_ENDPOINT": "h:29400"},
         Cluster("pytorch", coordinator="h:29400")),
        ("torchrun below srun", {**PET, "SLURM_PROCID": "1", "SLURM_JOB_ID": "7", "RANK": "9", "WORLD_SIZE": "16", "LOCAL_RANK": "1",
                                 "LOCAL_WORLD_SIZE": "8"},
         Cluster("pytorch", None, 1, 2, 9, 16, 1, 8, "w-0.j:29500")),
        ("TensorFlow", {"TF_CONFIG": TF}, Cluster("tensorflow", "worker", 1, 2, coordinator="c:1", hosts=("a", "b"))),
        ("Open MPI", {"OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": "8", "OMPI_COMM_WORLD_LOCAL_RANK": "1",
                      "OMPI_COMM_WORLD_LOCAL_SIZE": "4"}, Cluster("mpi", None, None, None, 5, 8, 1, 4)),
        ("Intel MPI", {"PMI_RANK": "5", "PMI_SIZE": "8", "MPI_LOCALRANKID": "1", "MPI_LOCALNRANKS": "4"},
         Cluster("mpi", None, None, None, 5, 8, 1, 4)),
        ("Horovod", {"HOROVOD_RANK": "2", "HOROVOD_SIZE": "4", "HOROVOD_LOCAL_RANK": "0", "HOROVOD_LOCAL_SIZE": "2",
                     "OMPI_COMM_WORLD_RANK": "2"}, Cluster("horovod", None, None, None, 2, 4, 0, 2)),
        ("srun", {"SLURM_JOB_ID": "9", "SLURM_PROCID": "3", "SLURM_NTASKS": "8", "SLURM_LOCALID": "1", "SLURM_NODEID": "1",
                  "SLURM_NNODES": "2", "SLURM_NTASKS_PER_NODE": "4", "SLURM_JOB_NODELIST": "a,b"},
         Cluster("slurm", None, 1, 2, 3, 8, 1, 4, None, ("a", "b"))),
        ("srun, short names", {"SLURM_PROCID": "0", "SLURM_JOB_NODELIST": "n[1-4]"}, Cluster("slurm", rank=0)),
        ("a task of an array", {"SLURM_JOB_ID": "9", "SLURM_ARRAY_TASK_ID": "4", "SLURM_NODEID": "0", "SLURM_NNODES": "1"},
         Cluster("slurm")),
        ("a server of MXNet", {"DMLC_ROLE": "server", "DMLC_PS_ROOT_URI": "s", "DMLC_PS_ROOT_PORT": "9091", "DMLC_NUM_SERVER": "2",
                               "DMLC_NUM_WORKER": "4"}, Cluster("mxnet", "server", None, 2, coordinator="s:9091")),
        ("XGBoost", {"DMLC_ROLE": "worker", "DMLC_TRACKER_URI": "t", "DMLC_TRACKER_PORT": "9", "DMLC_TASK_ID": "1", "DMLC_NUM_WORKER": "3"},
         Cluster("xgboost", "worker", 1, 3, coordinator="t:9")),
        ("Paddle", {"PADDLE_RANK": "1", "PADDLE_NNODES": "2", "PADDLE_MASTER": "m:1", "PADDLE_TRAINERS_NUM": "2"},
         Cluster("paddle", None, 1, 2, coordinator="m:1")),
        ("a server of Paddle", {"TRAINING_ROLE": "PSERVER", "PADDLE_PSERVERS_IP_PORT_LIST": "a:1,b:1", "POD_IP": "b", "PADDLE_PORT": "1",
                                "PADDLE_TRAINERS_NUM": "3"}, Cluster("paddle", "server", 1, 2, hosts=("a", "b"))),
        ("LightGBM", {"LIGHTGBM_MACHINES": "a:1,b:1", "LIGHTGBM_RANK": "1", "LIGHTGBM_NUM_MACHINES": "2"},
         Cluster("lightgbm", None, 1, 2, 1, 2, hosts=("a", "b"))),
        ("JAX, slices", {"JAX_COORDINATOR_ADDRESS": "c:1", "JAX_NUM_PROCESSES": "16", "MEGASCALE_NUM_SLICES": "4"},
         Cluster("jax", world_size=16, coordinator="c:1")),
        ("Ray", {"RAY_ADDRESS": "h:6379"}, Cluster("ray", coordinator="h:6379")),
        ("Dask", {"DASK_SCHEDULER_ADDRESS": "tcp://h:8786"}, Cluster("dask", coordinator="h:8786")),
        ("Spark", {"SPARK_MASTER_URL": "spark://h:7077"}, Cluster("spark", coordinator="h:7077"))):
    found = cluster(environ)
    check(what, found == expected, found)

# ---- what contradicts itself: the error names both variables ----
for environ, names in (
        ({"RANK": "4", "WORLD_SIZE": "4"}, "RANK WORLD_SIZE"),
        ({**PET, "RANK": "1", "WORLD_SIZE": "4"}, "WORLD_SIZE PET_NNODES"),
        ({**PET, "PET_NODE_RANK": "2"}, "PET_NODE_RANK PET_NNODES"),
        ({**PET, "GROUP_RANK": "0"}, "PET_NODE_RANK GROUP_RANK"),
        ({"RANK": "1", "WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "2"}, "RANK OMPI_COMM_WORLD_RANK"),
        ({"MASTER_ADDR": "h", "RANK": "1", "WORLD_SIZE": "4", "SLURM_PROCID": "2"}, "RANK SLURM_PROCID"),
        ({"OMPI_COMM_WORLD_RANK": "8", "OMPI_COMM_WORLD_SIZE": "8"}, "OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE"),
        ({"OMPI_COMM_WORLD_RANK": "1", "PMI_RANK": "2"}, "OMPI_COMM_WORLD_RANK PMI_RANK"),
        ({"JAX_PROCESS_ID": "4", "JAX_NUM_PROCESSES": "4"}, "JAX_PROCESS_ID JAX_NUM_PROCESSES"),
        ({"SLURM_PROCID": "8", "SLURM_NTASKS": "8"}, "SLURM_PROCID SLURM_NTASKS"),
        ({"LIGHTGBM_RANK": "3", "LIGHTGBM_NUM_MACHINES": "2"}, "LIGHTGBM_RANK LIGHTGBM_NUM_MACHINES"),
        ({"PADDLE_RANK": "2", "PADDLE_NNODES": "2", "PADDLE_MASTER": "m:1"}, "PADDLE_RANK PADDLE_NNODES"),
        ({"DMLC_ROLE": "worker", "DMLC_TASK_ID": "3", "DMLC_NUM_WORKER": "3", "DMLC_TRACKER_URI": "t"}, "worker DMLC_NUM_WORKER"),
        ({"TF_CONFIG": TF.replace('"index": 1', '"index": 2')}, "TF_CONFIG task.index cluster.worker"),
        ({"TF_CONFIG": "{"}, "TF_CONFIG"), ({"TF_CONFIG": "[]"}, "TF_CONFIG"), ({"TF_CONFIG": "{}"}, "TF_CONFIG"),
        ({"RANK": "x", "WORLD_SIZE": "4"}, "RANK 'x'"), ({"RANK": "-1", "WORLD_SIZE": "4"}, "RANK '-1'")):
    try:
        check(f"{environ} is an error", False, cluster(environ))
    except Error as e:
        check(f"{environ}: {e}", all(name in str(e) for name in names.split()))

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
