/*
 * workload.c - the table of the kinds of objects that run pods.
 */
#include "kube/workload.h"

#define JOB_INDEX "batch.kubernetes.io/job-completion-index"
#define SET_INDEX "apps.kubernetes.io/pod-index"
#define OPERATOR_INDEX "training.kubeflow.org/replica-index"
#define ANNOTATION(key) key, "metadata.annotations['" key "']"
#define LABEL(key) key, "metadata.labels['" key "']"
#define GROUP_INDEX "leaderworkerset.sigs.k8s.io/worker-index"
#define TASK_INDEX "volcano.sh/task-index"
#define NO_INDEX NULL, NULL

/* The first rows are at their ids. Each row is a single line, so that columns can be compared. */
static const struct workload workloads[] = {
	[WORKLOAD_JOB] = { WORKLOAD_JOB, "batch/v1", "Job", "job", "batch.v1.JobSpec", ANNOTATION(JOB_INDEX), "JOB_COMPLETION_INDEX", "OnFailure", WORKLOAD_NUMBERED | WORKLOAD_ENDS },
	[WORKLOAD_POD] = { WORKLOAD_POD, "v1", "Pod", "pod", NULL, NO_INDEX, NULL, "Always", WORKLOAD_BARE | WORKLOAD_NUMBERED | WORKLOAD_ENDS },
	[WORKLOAD_DEPLOYMENT] = { WORKLOAD_DEPLOYMENT, "apps/v1", "Deployment", "deployment", "apps.v1.DeploymentSpec", NO_INDEX, NULL, NULL, WORKLOAD_SIZED | WORKLOAD_REPLICAS },
	[WORKLOAD_OPERATED] = { WORKLOAD_OPERATED, "v1", "Pod", "pod", NULL, LABEL(OPERATOR_INDEX), NULL, "Always", WORKLOAD_BARE | WORKLOAD_NUMBERED | WORKLOAD_ENDS },
	[WORKLOAD_GROUP] = { WORKLOAD_GROUP, "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "leaderworkerset", NULL, LABEL(GROUP_INDEX), NULL, NULL, WORKLOAD_NUMBERED | WORKLOAD_SIZED },
	[WORKLOAD_TASK] = { WORKLOAD_TASK, "v1", "Pod", "pod", NULL, LABEL(TASK_INDEX), NULL, "Always", WORKLOAD_NUMBERED | WORKLOAD_ENDS },
	{ WORKLOAD_FOREIGN, "apps/v1", "StatefulSet", "statefulset", "apps.v1.StatefulSetSpec", LABEL(SET_INDEX), NULL, NULL, WORKLOAD_NUMBERED | WORKLOAD_SIZED | WORKLOAD_REPLICAS },
	{ WORKLOAD_FOREIGN, "apps/v1", "ReplicaSet", "replicaset", "apps.v1.ReplicaSetSpec", NO_INDEX, NULL, NULL, WORKLOAD_SIZED | WORKLOAD_REPLICAS },
	{ WORKLOAD_FOREIGN, "v1", "ReplicationController", "replicationcontroller", "core.v1.ReplicationControllerSpec", NO_INDEX, NULL, NULL, WORKLOAD_SIZED | WORKLOAD_REPLICAS },
	{ WORKLOAD_FOREIGN, "apps/v1", "DaemonSet", "daemonset", "apps.v1.DaemonSetSpec", NO_INDEX, NULL, NULL, 0 },
	{ WORKLOAD_FOREIGN, "batch/v1", "CronJob", "cronjob", "batch.v1.CronJobSpec", NO_INDEX, NULL, NULL, WORKLOAD_ENDS },
};
enum { ROWS = sizeof workloads / sizeof *workloads };

const struct workload *workload_row(enum workload_id id) { return &workloads[id]; }

const struct workload *workload_at(size_t i) { return i < ROWS ? &workloads[i] : NULL; }

const struct workload *workload_named(struct str kind)
{
	for (size_t i = 0; i < ROWS; i++)
		if (str_is(kind, workloads[i].kind))
			return &workloads[i];
	return NULL;
}
