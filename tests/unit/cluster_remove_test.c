/*
 * cluster_remove_test.c - a slow deletion reports what is left and which finalizer holds it, and ends when that is
 * gone.
 */
#include "cluster_world.h"
#include "runtime/cluster/cluster.h"

#define JSON "header Content-Type application/json\n"
#define UID "\"metadata\":{\"name\":\"%c-worker\",\"namespace\":\"x\",\"uid\":\"u%d\"," \
	"\"resourceVersion\":\"%d\""
#define JOB "\"kind\":\"Job\",\"apiVersion\":\"batch/v1\"," UID ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"," \
	"\"finalizers\":[\"example.com/hold\",\"foregroundDeletion\"]}"

/* The responses about N Jobs whose deletion takes a second. */
static struct str script_of(int n)
{
	struct buf b = { 0 };

	for (int i = 0; i < n; i++)
		buf_printf(&b, "on DELETE /apis/batch/v1/namespaces/x/jobs/%c-worker\n" JSON "body {" JOB "}\n",
			'a' + i, 'a' + i, i, i + 1);
	buf_z(&b, "on GET /apis/batch/v1/namespaces/x/jobs?watch=true 1\n" JSON);
	for (int i = 0; i < n; i++)
		buf_printf(&b, "body {\"type\":\"ADDED\",\"object\":{" JOB "}}\\n\n", 'a' + i, i, i + 1);
	buf_printf(&b, "body {\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Job\",\"metadata\":"
		"{\"resourceVersion\":\"%d\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\\n\n"
		"wait 1000\n", n + 1);
	for (int i = 0; i < n; i++)
		buf_printf(&b, "body {\"type\":\"DELETED\",\"object\":{\"kind\":\"Job\"," UID "}}}\\n\n", 'a' + i, i,
			n + 2 + i);
	buf_z(&b, "hang\n");
	struct str script = buf_take(&b, &world);
	buf_release(&b);
	return script;
}

/*
 * Deletes N Jobs with cluster_delete(), which reports after SLOW what is left. Returns what it prints to standard
 * error.
 */
static struct str deleted(int n, int64_t slow, int *ret_status)
{
	struct standin s;
	struct peer p = { 0 };
	struct options options = { .command = COMMAND_DELETE };
	struct session session = { .arena = &world, .options = &options };
	struct members members = { 0 };
	struct removal r = { .members = &members, .slow = slow };
	int before = dup(STDERR_FILENO);

	for (int i = 0; i < n; i++) {
		struct member job = { .resource = *resource_known(STR("batch"), STR("Job")), .ns = STR("x"),
			.name = str_printf(&world, "%c-worker", 'a' + i), .uid = str_printf(&world, "u%d", i) };
		ARENA_PUSH(&world, members.at, members.n, job);
	}
	standin_start(&s, script_of(n).p);
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
	CHECK_TEXT(deleted(1, NS_PER_SECOND / 4, &status), "trainc: still waiting for Job/a-worker\n"
		"trainc: Job/a-worker is held by finalizer 'example.com/hold': the controller that has set it must "
		"remove it\n"
		"trainc: Job/a-worker is held by finalizer 'foregroundDeletion': its pods are still there\n");
	CHECK(status == 0);
	CHECK_TEXT(deleted(1, 0, &status), "");    /* nothing is reported: half a minute has not passed */
	CHECK(status == 0);
	struct str said = deleted(12, NS_PER_SECOND / 4, &status);
	CHECK(status == 0 && world_count(said, "still waiting for Job/") == 8 && world_count(said, "is held by") == 16);
	CHECK(world_count(said, "trainc: still waiting for 4 more objects\n") == 1);
	return world_end();
}
