"""Who am I, and who are the others: reads the environment of a training process.

Each function below knows one launcher or framework. What the environment does not say is None. A process that several
of them describe (torchrun below srun) is described by the innermost one.
"""
import json
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Dict, Mapping, Optional, Tuple

if TYPE_CHECKING:
    from ._results import Error


@dataclass(frozen=True)
class Cluster:
    """A training process among the others. `index` and `size` count the replicas of the role, `rank` and `world_size`
    the processes of the job; `coordinator` is HOST:PORT."""
    framework: Optional[str] = None
    role: Optional[str] = None
    index: Optional[int] = None
    size: Optional[int] = None
    rank: Optional[int] = None
    world_size: Optional[int] = None
    local_rank: Optional[int] = None
    local_world_size: Optional[int] = None
    coordinator: Optional[str] = None
    hosts: Optional[Tuple[str, ...]] = None
    attempt: Optional[int] = None


def _error(text: str) -> "Error":
    from ._results import Error     # most processes never need it
    return Error(text)


class _Variables:
    """The environment, with errors that name its variables."""

    def __init__(self, environ: "Mapping[str, str]") -> None:
        self.environ = environ

    def has(self, *names: str) -> bool:
        return any(self.environ.get(name) for name in names)

    def text(self, name: str) -> "Optional[str]":
        return self.environ.get(name) or None

    def number(self, *names: str) -> "Optional[int]":
        """Returns the number that all of the variables which exist say."""
        found: "Optional[Tuple[str, int]]" = None
        for name in names:
            value = self.text(name)
            if value is None:
                continue
            if not value.isdigit():
                raise _error(f"{name} is '{value}', which is not a number")
            if found is not None and found[1] != int(value):
                raise _error(f"{found[0]} is {found[1]}, but {name} is {value}")
            found = found or (name, int(value))
        return None if found is None else found[1]

    def perhaps(self, name: str) -> "Optional[int]":
        """Returns a number, or None for another word that launchers allow there ("1:8", "auto")."""
        value = self.text(name)
        return int(value) if value is not None and value.isdigit() else None

    def below(self, name: str, most: str) -> None:
        """The number NAME counts from 0 to below the number MOST."""
        a, b = self.perhaps(name), self.perhaps(most)
        if a is not None and b is not None and a >= b:
            raise _error(f"{name} is {a}, but {most} is {b}")

    def address(self, host: str, port: str) -> "Optional[str]":
        h, p = self.text(host), self.text(port)
        return f"{h}:{p}" if h and p else None

    def names(self, name: str) -> "Optional[Tuple[str, ...]]":
        value = self.text(name)
        if value is None or "[" in value:       # Slurm's short form of many names
            return None
        return tuple(part.split("://")[-1].rsplit(":", 1)[0] for part in value.split(","))


def _torch(v: _Variables) -> "Optional[Cluster]":
    launched = v.has("TORCHELASTIC_RUN_ID", "LOCAL_WORLD_SIZE", "GROUP_RANK")
    if not launched and not v.has("PET_NNODES", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_RDZV_ENDPOINT", "MASTER_ADDR"):
        return None
    for a, b in (("RANK", "WORLD_SIZE"), ("LOCAL_RANK", "LOCAL_WORLD_SIZE"), ("PET_NODE_RANK", "PET_NNODES")):
        v.below(a, b)
    nodes, each, world = v.perhaps("PET_NNODES"), v.perhaps("PET_NPROC_PER_NODE"), v.number("WORLD_SIZE")
    if nodes is not None and each is not None:
        if world is not None and world != nodes * each:
            raise _error(f"WORLD_SIZE is {world}, but PET_NNODES x PET_NPROC_PER_NODE is {nodes * each}")
        world = nodes * each
    size = v.number("GROUP_WORLD_SIZE")
    if size is not None and nodes is not None and size != nodes:
        raise _error(f"GROUP_WORLD_SIZE is {size}, but PET_NNODES is {nodes}")
    index = v.number("PET_NODE_RANK", "GROUP_RANK")
    return Cluster(framework="pytorch", index=index, size=size if size is not None else nodes, rank=_rank(v), world_size=world,
                   local_rank=v.number("LOCAL_RANK"), local_world_size=v.number("LOCAL_WORLD_SIZE") if launched else each,
                   coordinator=v.address("MASTER_ADDR", "MASTER_PORT") or v.address("PET_MASTER_ADDR", "PET_MASTER_PORT") or
                   v.text("PET_RDZV_ENDPOINT"), attempt=v.number("TORCHELASTIC_RESTART_COUNT"))


def _rank(v: _Variables) -> "Optional[int]":
    """Returns RANK. Below torchrun, ranks of another launcher count machines; elsewhere they count the same processes."""
    if v.has("TORCHELASTIC_RUN_ID", "PET_NNODES"):
        return v.number("RANK")
    return v.number("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")


def _tensorflow(v: _Variables) -> "Optional[Cluster]":
    text = v.text("TF_CONFIG")
    if text is None:
        return None
    try:
        config = json.loads(text)
        task, cluster = config["task"], config.get("cluster", {})
        role, index = str(task["type"]), int(task["index"])
        sparse = any(isinstance(addresses, dict) for addresses in cluster.values())     # a task knows only some of the others
        roles: "Dict[str, Tuple[str, ...]]" = {} if sparse else {str(name): tuple(str(a) for a in addresses)
                                                                 for name, addresses in cluster.items()}
    except (ValueError, TypeError, KeyError, AttributeError) as e:
        raise _error(f"TF_CONFIG is not a cluster with a task: {e!r}") from None
    mine = roles.get(role)
    if mine is not None and index >= len(mine):
        raise _error(f"TF_CONFIG: task.index is {index}, but cluster.{role} has {len(mine)} addresses")
    first = roles.get("chief") or roles.get("master") or roles.get("worker")
    return Cluster(framework="tensorflow", role=role, index=index, size=len(mine) if mine else None,
                   coordinator=first[0] if first else None, hosts=tuple(a.rsplit(":", 1)[0] for a in mine) if mine else None)


def _horovod(v: _Variables) -> "Optional[Cluster]":
    if not v.has("HOROVOD_RANK"):
        return None
    v.below("HOROVOD_RANK", "HOROVOD_SIZE")
    return Cluster(framework="horovod", rank=v.number("HOROVOD_RANK"), world_size=v.number("HOROVOD_SIZE"),
                   local_rank=v.number("HOROVOD_LOCAL_RANK"), local_world_size=v.number("HOROVOD_LOCAL_SIZE"))


def _mpi(v: _Variables) -> "Optional[Cluster]":
    if not v.has("OMPI_COMM_WORLD_RANK", "PMI_RANK"):
        return None
    v.below("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
    v.below("PMI_RANK", "PMI_SIZE")
    return Cluster(framework="mpi", rank=v.number("OMPI_COMM_WORLD_RANK", "PMI_RANK", "RANK"),
                   world_size=v.number("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"),
                   local_rank=v.number("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"),
                   local_world_size=v.number("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"))


def _jax(v: _Variables) -> "Optional[Cluster]":
    if not v.has("JAX_COORDINATOR_ADDRESS", "JAX_PROCESS_ID"):
        return None
    v.below("JAX_PROCESS_ID", "JAX_NUM_PROCESSES")
    sliced = v.has("MEGASCALE_NUM_SLICES")      # then replicas are counted within a slice
    rank, world = v.number("JAX_PROCESS_ID"), v.number("JAX_NUM_PROCESSES")
    return Cluster(framework="jax", index=None if sliced else rank, size=None if sliced else world, rank=rank, world_size=world,
                   coordinator=v.text("JAX_COORDINATOR_ADDRESS"))


def _paddle(v: _Variables) -> "Optional[Cluster]":
    if not v.has("PADDLE_TRAINERS_NUM", "PADDLE_MASTER", "PADDLE_GLOBAL_RANK"):
        return None
    kind = v.text("TRAINING_ROLE")
    if kind == "PSERVER":
        servers = (v.text("PADDLE_PSERVERS_IP_PORT_LIST") or "").split(",")
        me = v.address("POD_IP", "PADDLE_PORT")
        return Cluster(framework="paddle", role="server", index=servers.index(me) if me in servers else None, size=len(servers),
                       hosts=v.names("PADDLE_PSERVERS_IP_PORT_LIST"))
    if kind == "TRAINER":
        v.below("PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM")
        return Cluster(framework="paddle", role="worker", index=v.number("PADDLE_TRAINER_ID"), size=v.number("PADDLE_TRAINERS_NUM"),
                       hosts=v.names("PADDLE_TRAINER_ENDPOINTS"))
    v.below("PADDLE_RANK", "PADDLE_NNODES")
    v.below("PADDLE_GLOBAL_RANK", "PADDLE_GLOBAL_SIZE")
    return Cluster(framework="paddle", index=v.number("PADDLE_RANK"), size=v.number("PADDLE_NNODES"),
                   rank=v.number("PADDLE_GLOBAL_RANK"), world_size=v.number("PADDLE_GLOBAL_SIZE"),
                   local_rank=v.number("PADDLE_LOCAL_RANK"), local_world_size=v.number("PADDLE_LOCAL_SIZE"),
                   coordinator=v.text("PADDLE_MASTER"),
                   hosts=None if v.has("PADDLE_GLOBAL_RANK") else v.names("PADDLE_TRAINER_ENDPOINTS"))


def _dmlc(v: _Variables) -> "Optional[Cluster]":
    role = v.text("DMLC_ROLE")
    if role is None:
        return None
    store = v.has("DMLC_PS_ROOT_URI")
    index = v.number({"worker": "DMLC_WORKER_ID", "server": "DMLC_SERVER_ID"}.get(role, "DMLC_TASK_ID"), "DMLC_TASK_ID")
    size = v.number({"worker": "DMLC_NUM_WORKER", "server": "DMLC_NUM_SERVER"}.get(role, "")) if role in ("worker", "server") else None
    if role in ("scheduler", "tracker"):        # there is one of it
        index, size = 0, 1
    if index is not None and size is not None and index >= size:
        raise _error(f"the number of this {role} is {index}, but DMLC_NUM_{role.upper()} is {size}")
    return Cluster(framework="mxnet" if store else "xgboost", role=role, index=index, size=size,
                   coordinator=v.address("DMLC_PS_ROOT_URI", "DMLC_PS_ROOT_PORT") if store else
                   v.address("DMLC_TRACKER_URI", "DMLC_TRACKER_PORT"))


def _lightgbm(v: _Variables) -> "Optional[Cluster]":
    if not v.has("LIGHTGBM_MACHINES", "LIGHTGBM_RANK"):
        return None
    v.below("LIGHTGBM_RANK", "LIGHTGBM_NUM_MACHINES")
    rank, size = v.number("LIGHTGBM_RANK"), v.number("LIGHTGBM_NUM_MACHINES")
    return Cluster(framework="lightgbm", index=rank, size=size, rank=rank, world_size=size, hosts=v.names("LIGHTGBM_MACHINES"))


def _slurm(v: _Variables) -> "Optional[Cluster]":
    if not v.has("SLURM_JOB_ID", "SLURM_PROCID"):
        return None
    v.below("SLURM_PROCID", "SLURM_NTASKS")
    v.below("SLURM_NODEID", "SLURM_NNODES")
    array = v.has("SLURM_ARRAY_TASK_ID")        # each task of an array is a job with a first node
    return Cluster(framework="slurm", index=None if array else v.number("SLURM_NODEID"),
                   size=None if array else v.number("SLURM_NNODES", "SLURM_JOB_NUM_NODES"), rank=v.number("SLURM_PROCID"),
                   world_size=v.number("SLURM_NTASKS", "SLURM_NPROCS"), local_rank=v.number("SLURM_LOCALID"),
                   local_world_size=v.perhaps("SLURM_NTASKS_PER_NODE"), hosts=v.names("SLURM_JOB_NODELIST"),
                   attempt=v.number("SLURM_RESTART_COUNT"))


def _address_only(v: _Variables) -> "Optional[Cluster]":
    for name, variable in (("ray", "RAY_ADDRESS"), ("dask", "DASK_SCHEDULER_ADDRESS"), ("spark", "SPARK_MASTER_URL")):
        value = v.text(variable)
        if value is not None:
            return Cluster(framework=name, coordinator=value.split("://")[-1])
    return None


_INNERMOST_FIRST = (_horovod, _torch, _tensorflow, _jax, _mpi, _paddle, _dmlc, _lightgbm, _slurm, _address_only)


def cluster(environ: "Optional[Mapping[str, str]]" = None) -> Cluster:
    """Returns what the environment (by default that of this process) says about this process and the others. Raises
    Error for variables that contradict each other. Opens no connection."""
    v = _Variables(os.environ if environ is None else environ)
    found: "Optional[Cluster]" = None
    for read in _INNERMOST_FIRST:
        found = read(v)
        if found is not None:
            break
    if found is None and v.has("RANK", "WORLD_SIZE"):
        v.below("RANK", "WORLD_SIZE")
        found = Cluster(rank=_rank(v), world_size=v.number("WORLD_SIZE"), local_rank=v.number("LOCAL_RANK"))
    if found is None:
        found = Cluster() if v.has("TRAINC_INDEX") else Cluster(rank=0, world_size=1)
    if found.index is None and not v.has("TRAINC_SLICE"):
        found = replace(found, index=v.perhaps("TRAINC_INDEX"))
    return found
