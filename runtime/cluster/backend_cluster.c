/*
 * backend_cluster.c - runs in a cluster as a backend of the commands.
 */
#include "runtime/cluster/cluster.h"

#include "base/words.h"
#include "runtime/cluster/cluster_watch.h"
#include "runtime/command/runs.h"
#include "runtime/status/look.h"

static bool cluster_begin(struct session *s, int *ret_status)
{
	struct cluster *k = ARENA_NEW(s->arena, struct cluster);
	struct client_options o = { .quiet_plugin = s->quiet };
	int64_t timeout;

	*k = (struct cluster){ .session = s, .arena = s->arena };
	s->backend_own = k;
	if (!client_open(&k->client, s, &o, ret_status)) {
		client_close(&k->client);
		if (*ret_status == STATUS_OUTPUT)
			session_say_without_cluster(s);
		return false;
	}
	if (runs_duration(s, OPTION_TIMEOUT, &timeout) && timeout)
		k->deadline = clock_steady() + timeout;
	k->discovery = (struct discovery){ .client = &k->client, .arena = s->arena };
	cluster_listen(k, true);
	return true;
}

/*
 * Identifies the record in a request. If the run is left to a controller, the request also demands the version that was
 * read, so that it cannot overwrite a verdict that the controller has written meanwhile.
 */
static struct str record_metadata(struct arena *a, const struct parent *p)
{
	return parent_is_left(p) ? str_printf(a, "{\"uid\":\"%.*s\",\"resourceVersion\":\"%.*s\"}", STR_ARG(p->uid),
		STR_ARG(p->version)) : str_printf(a, "{\"uid\":\"%.*s\"}", STR_ARG(p->uid));
}

/*
 * Records verdicts in parents. The Jobs of an ended run may be removed, by their ttl or by hand, and the next `apply`
 * must know that the run took place. A user who may not write the parent only reads.
 */
static void record_verdicts(struct cluster *k)
{
	struct batch b = batch_new(&k->client, k->arena);
	enum command command = k->session->options->command;

	if (k->interrupted || (command != COMMAND_APPLY && command != COMMAND_WAIT && command != COMMAND_RUN))
		return;
	for (size_t i = 0; i < k->nwatches; i++) {
		const struct cluster_watch *c = k->watches[i];
		enum run_phase phase = c->watch->state.phase;
		const char *word = run_phase_word(phase);
		if ((phase != RUN_SUCCEEDED && phase != RUN_FAILED) || !c->parent.there || str_is(c->parent.verdict,
			word) || c->watch->replaced || c->removed)
			continue;
		struct transport_pair *query = ARENA_ARRAY(k->arena, struct transport_pair, 1);
		query[0] = (struct transport_pair){ STR("fieldManager"), STR(APPLYSET_PARENT_MANAGER) };
		batch_add(&b, &(struct transport_request){ .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE,
			.query = query, .nquery = 1,
			.path = resource_path(k->arena, resource_known(STR(""), STR("ConfigMap")), c->ns,
				applyset_parent_name(k->arena, c->watch->name)),
			.content_type = STR("application/merge-patch+json"),
			.body = str_printf(k->arena,
				"{\"metadata\":%.*s,\"data\":{\"verdict\":\"%s\"}}",
				STR_ARG(record_metadata(k->arena, &c->parent)), word) }, CALL_REPEAT);
	}
	batch_wait(&b);
}

static void cluster_end(struct session *s)
{
	struct cluster *k = cluster_of(s);

	record_verdicts(k);
	for (size_t i = 0; i < k->nviews; i++)
		view_stop(k->views[i]);
	cluster_listen(k, false);
	client_close(&k->client);
	for (size_t i = 0; i < k->nwatches; i++)        /* no request of a restart is in progress anymore */
		arena_release(&k->watches[i]->restart_memory);
	s->backend_own = NULL;
}

static bool cluster_names(struct session *s, struct chosen *ret, int *ret_status)
{
	struct cluster *k = cluster_of(s);
	bool everywhere = option_given(s->options, OPTION_ALL_NAMESPACES);
	struct str ns = everywhere ? STR("") : cluster_namespace(k, STR(""));
	const struct answer *failed = cluster_parents(k, ns, ret);

	ret->ns = ns;
	*ret_status = failed ? cluster_say(k, failed) : STATUS_DONE;
	return !failed;
}

static bool cluster_exists(struct session *s, struct str name)
{
	struct cluster *k = cluster_of(s);
	struct parent p;
	int status;

	return cluster_parent(k, name, cluster_namespace(k, STR("")), &p, &status) && p.there;
}

static bool cluster_open(struct session *s, const struct chosen_run *r, struct run_watch *ret, int *ret_status)
{
	return cluster_watch_open(cluster_of(s), r, NULL, ret, ret_status);
}

/* Starts the watches. From here on, commands that wait handle signals themselves. */
static bool cluster_opened(struct session *s, int *ret_status)
{
	struct cluster *k = cluster_of(s);
	bool ok = cluster_watch_start(k, ret_status);

	cluster_listen(k, false);
	return ok;
}

const struct backend backend_cluster = {
	.option = "", .place = "in the cluster", .streams = true,
	.begin = cluster_begin, .end = cluster_end, .names = cluster_names, .exists = cluster_exists,
		.open = cluster_open, .opened = cluster_opened,
	.apply = cluster_apply, .attach = cluster_attach, .attach_signal = cluster_attach_signal,
		.attach_end = cluster_attach_end,
	.logs = cluster_logs, .scale = cluster_scale, .exec = cluster_exec, .suspend = cluster_suspend,
		.remove = cluster_remove,
	.nodes = cluster_nodes, .manifests = cluster_manifests, .definitions = cluster_definitions,
		.addons = cluster_addons,
		.diff = cluster_diff, .contexts = cluster_contexts, .namespaces = cluster_namespaces,
};
