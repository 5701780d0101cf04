"""The permitted differences between the training operator and our controller. docs/differences.md has the reason for
each."""

import re

HEADING = "## Beside the operator"


class Rule:
    """Permits differences whose path matches, in rows whose names match; TEST(theirs, ours) may restrict them.

    Several rules may have one name.  A rule that matched nothing is a failure, unless it is about a race.
    """

    def __init__(self, name, path, rows="", test=lambda theirs, ours: True, race=False):
        self.name = name
        self.path = re.compile(path)
        self.test = test
        self.rows = re.compile(rows)
        self.race = race

    def permits(self, row, step, path, theirs, ours):
        return bool(self.path.search(path) and self.rows.search(row.name) and self.test(theirs, ours))


def only_ours(theirs, ours):
    return theirs is None


def only_theirs(theirs, ours):
    return ours is None


def fewer_names(theirs, ours):
    """Theirs has a name more than once; ours has only its last value."""
    return isinstance(theirs, list) and len(set(theirs)) < len(theirs) and set(theirs) == set(ours)


def without_created(theirs, ours):
    """Theirs lacks the condition `Created`, or only that one in a list of conditions."""
    return theirs is None or (isinstance(theirs, list) and theirs == [c for c in ours if c != "Created"])


STATUS = r"^objects/\w+jobs/train/status/"
VERDICT = STATUS + r"(conditions/|completionTime$)"

RULES = [
    # pods and Services
    Rule("our-labels", r"/metadata/(labels|annotations)/(trainc\.dev|app\.kubernetes\.io)/", test=only_ours),
    Rule("service-links", r"^objects/pods/.*/enableServiceLinks$", test=lambda theirs, ours: theirs and not ours),
    Rule("last-lines", r"/terminationMessagePolicy$", test=lambda theirs, ours: (theirs, ours) == ("File", "FallbackToLogsOnError")),
    Rule("names-at-once", r"^objects/services/.*/publishNotReadyAddresses$", test=lambda theirs, ours: ours is True),
    Rule("silent-wait", r"^objects/pods/.*/initContainers/\[init-pytorch\]/command/2$"),
    Rule("main-first", r"^objects/pods/.*/containers/order$", "tf-sidecar"),
    Rule("set-once", r"^objects/pods/.*/env/order$", "pytorch-container", test=fewer_names),
    Rule("declared-order", r"^objects/(services|pods)/.*/ports/order$", race=True),
    Rule("all-hosts", r"^objects/configmaps/train-config/data/discover_hosts.sh$", "^mpi|-mpi"),
    Rule("job-labels", r"^objects/[^/]+/.*/metadata/(labels|annotations)/(team|note|e2e\.trainc\.dev/admitted)$", "^(tf-labels|volcano-.*)$", only_ours),
    # words
    Rule("one-wording", STATUS + r"conditions/\[(Running|Succeeded)\]/message$"),
    Rule("one-wording", r"^events/\w+/train Normal \w+Succeeded/"),
    Rule("which-replica", STATUS + r"conditions/\[(Failed|Restarting)\]/message$"),
    Rule("which-replica", r"^events/\w+/train (Normal|Warning) \w+(Failed|Restarting)/"),
    # Events
    Rule("mpi-events", r"^events/MPIJob/train \w+ (ServiceAccount is exist|LauncherRole is exist|RoleBinding is exist|MPIJobRunning|MPIJobFailed|"
         r"mpijobsSucceeded|MPIJobSucceeded|SuccessfulCreatePod|SuccessfulDeletePod|ExitedWithCode|MPIJobResumed|JobTerminated|"
         r"SettedPodTemplateSchedulerName|Unschedulable|Evicted)(/|$)", "mpi"),  # fmt: skip
    Rule("zero-codes", r"^events/\w+/train Normal ExitedWithCode/.* code 0$", test=only_theirs),
    Rule("zero-codes", r"^events/\w+/train Normal ExitedWithCode$", test=lambda theirs, ours: not ours and all(m.endswith(" code 0") for m in theirs)),
    Rule("stale-cache", r"^events/\w+/train Warning FailedCreate(Service|Pod)", test=only_theirs, race=True),
    Rule("never-dropped", r"^events/\w+/train Normal \w+(Succeeded|Failed|Suspended|Resumed)(/|$)", "suspended", only_ours, race=True),
    Rule("job-removed", r"^events/\w+/train (Normal SuccessfulDelete(Pod|Job)|Warning FailedDelete(Pod|Job))", "-ttl"),
    Rule("group-events", r"^events/\w+/train Normal JobTerminated(/|$)", "volcano|coscheduling", only_theirs),
    Rule("group-events", r"^events/\w+/train Normal SuccessfulDeletePodGroup(/|$)", "volcano|coscheduling", only_ours, race=True),
    # status
    Rule("selector-stays", STATUS + r"replicaStatuses/\w+/selector$", test=only_ours),
    Rule("selector-stays", STATUS + r"replicaStatuses/\w+$", test=lambda theirs, ours: theirs == {} and ours is None),
    Rule("role-follows", r"^objects/roles/train-launcher/rules", "mpi", race=True),
    Rule("mpi-counts", STATUS + r"replicaStatuses/Worker", "mpi"),
    Rule("mpi-reason", STATUS + r"conditions/\[Failed\]/reason$", "^mpi-", lambda theirs, ours: (theirs, ours) == ("MPIJobMPIJobFailed", "MPIJobFailed")),
    Rule("tuning-runs", STATUS + r"conditions/(order|\[Running\])", "mx-tune"),
    # when pods fail
    Rule("random-order", STATUS + r"conditions/(order|\[(Running|Restarting)\])", "^(mx|mpi|xgboost|pytorch|paddle)-(exit-1|exit-137|on-failure|evicted|codes)$",
         race=True),  # fmt: skip
    Rule("permanent-code", VERDICT, "^(pytorch|paddle)-exit-1$"),
    Rule("permanent-code", r"^events/\w+/train \w+ \w+(Failed|Restarting)(/|$)", "^(pytorch|paddle)-exit-1$"),
    Rule("failed-pod-stays", r"^objects/pods/train-worker-0$", "^(mx|xgboost)-on-failure$", only_ours),
    Rule("failed-pod-stays", r"^events/\w+/train (Normal SuccessfulDeletePod|Warning \w+Restarting)(/|$)", "^(mx|xgboost)-on-failure$", only_theirs),
    Rule("mpi-restarts", STATUS + "conditions/(order|\\[(Running|Restarting)\\])", "^mpi-exit-137$"),
    Rule("mpi-restarts", r"^(made/train-worker-0|objects/pods/train-worker-0/status/phase|events/MPIJob/train Warning MPIJobRestarting(/.*)?)$",
         "^mpi-exit-(137|1)$"),  # fmt: skip
    Rule("taken-away", VERDICT, "^(tf-evicted-never|mpi-evicted|paddle-pod-killed)$"),
    Rule("taken-away", STATUS + "replicaStatuses/(Launcher|Worker)", "^(tf-evicted-never|mpi-evicted|paddle-pod-killed)$"),
    Rule("taken-away", r"^(made/|objects/pods/[^/]*(/status/phase)?$|events/)", "^(tf-evicted-never|mpi-evicted|paddle-pod-killed)$"),
    Rule("logs-stay", r"^objects/(pods|services)/[^/]*$", "-(deadline|backoff)", only_ours),
    Rule("logs-stay", r"^events/XGBoostJob/train Normal (SuccessfulDelete(Pod|Service)|ExitedWithCode)(/|$)", "^xgboost-backoff-none$"),
    Rule("logs-stay", STATUS + "replicaStatuses/Worker/(active|failed)$", "^xgboost-backoff-none$"),
    Rule("deadline-on-time", VERDICT, "-deadline$"),
    Rule("deadline-on-time", r"^(objects/(pods|services)/[^/]*$|events/\w+/train Normal (SuccessfulDelete(Pod|Service)|\w+Failed)(/|$))", "-deadline$"),
    # invalid jobs, or objects in the way
    Rule("refused", VERDICT, "^(pytorch-two-masters|tf-no-container|xgboost-no-master)$", only_ours),
    Rule("refused", r"^events/\w+/train Warning \w+FailedValidation/", "^(pytorch-two-masters|tf-no-container|xgboost-no-master)$"),
    Rule("name-taken", r"^events/MPIJob/train Warning ErrResourceExists/", "^mpi-configmap-there$"),
    Rule("name-taken", r"^objects/((roles|rolebindings|configmaps|pods)/[^/]*$|mpijobs/train/status/)", "^mpi-configmap-there$", only_ours),
    Rule("name-taken", r"^made/", "^mpi-configmap-there$", only_ours),
    # gangs
    Rule("gang-waits", STATUS + r"lastReconcileTime$", "^(volcano|coscheduling)-", only_theirs),
    Rule("gang-waits", STATUS + r"startTime$", "^volcano-", only_ours),
    Rule("gang-waits", r"^(objects/(services|serviceaccounts|configmaps|roles|rolebindings)/[^/]*$|events/\w+/train Normal SuccessfulCreateService(/|$))",
         "^volcano-", only_ours),  # fmt: skip
    Rule("gang-waits", STATUS + r"replicaStatuses/\w+$", "^volcano-", lambda theirs, ours: theirs is None and ours == {}),
    Rule("created-kept", STATUS + r"conditions/(\[Created\]/\w+|order)$", "^volcano-", without_created, race=True),
    Rule("no-amounts", r"^objects/volcano/train/spec/minResources$", "^volcano-", lambda theirs, ours: theirs == {} and ours is None),
]
