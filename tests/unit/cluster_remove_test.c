/*
 * cluster_remove_test.c - a deletion that takes long names what is left and who holds it, and ends when that is gone.
 */
#include "cluster_world.h"
#include "runtime/cluster/cluster.h"

#define JSON "header Content-Type application/json\n"
#define JOB "\"kind\":\"Job\",\"metadata\":{\"name\":\"a-worker\",\"namespace\":\"x\",\"uid\":\"u1\"," \
	"\"resourceVersion\":\"5\"," \
	"\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",\"finalizers\":[\"example.com/hold\",\"foregroundDeletion\"]}"

static const char script[] = "on DELETE /apis/batch/v1/namespaces/x/jobs/a-worker\n" JSON "body {" JOB "}\n"
	"on GET /apis/batch/v1/namespaces/x/jobs?watch=true 1\n" JSON
	"body {\"type\":\"ADDED\",\"object\":{" JOB "}}\\n\n"
	"body {\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Job\",\"metadata\":{\"resourceVersion\":\"6\","
	"\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\\n\n"
	"wait 1000\n"
	"body {\"type\":\"DELETED\",\"object\":{\"kind\":\"Job\",\"metadata\":{\"name\":\"a-worker\","
	"\"namespace\":\"x\",\"uid\":\"u1\",\"resourceVersion\":\"7\"}}}\\n\n"
	"hang\n";

/* What cluster_delete() of one Job prints on standard error when SLOW is the time after which it names what is left. */
static struct str deleted(int64_t slow, int *ret_status)
{
	struct standin s;
	struct peer p = { 0 };
	struct options options = { .command = COMMAND_DELETE };
	struct session session = { .arena = &world, .options = &options };
	struct member job = { .resource = *resource_known(STR("batch"), STR("Job")), .ns = STR("x"),
		.name = STR("a-worker"), .uid = STR("u1") };
	struct members members = { .at = &job, .n = 1 };
	struct removal r = { .members = &members, .slow = slow };
	int before = dup(STDERR_FILENO);

	standin_start(&s, script);
	peer_access(&p, &s, NULL);
	if (!peer_open(&p, (struct peer_options){ .read = 5 * NS_PER_SECOND }))
		abort();
	struct cluster k = { .session = &session, .arena = &world,
		.client = { .session = &session, .loop = p.loop, .transport = p.transport, .calls = p.calls } };
	struct str path = world_path("stderr");
	int file = open(path.p, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	dup2(file, STDERR_FILENO);
	*ret_status = cluster_delete(&k, &r);
	dup2(before, STDERR_FILENO);
	close(file);
	close(before);
	peer_close(&p);
	standin_stop(&s);
	return world_read(path);
}

int main(void)
{
	int status;

	if (!world_begin())
		return 1;
	signal(SIGPIPE, SIG_IGN);
	CHECK_TEXT(deleted(NS_PER_SECOND / 4, &status), "trainc: still waiting for Job/a-worker\n"
		"trainc: Job/a-worker is held by finalizer 'example.com/hold': the controller that has set it must "
		"remove it\n"
		"trainc: Job/a-worker is held by finalizer 'foregroundDeletion': its pods are still there\n");
	CHECK(status == 0);
	CHECK_TEXT(deleted(0, &status), "");    /* half a minute has not passed */
	CHECK(status == 0);
	return world_end();
}
