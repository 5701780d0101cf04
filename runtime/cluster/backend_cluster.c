/*
 * backend_cluster.c - runs in a cluster as a backend of the commands.
 */
#include "runtime/cluster/cluster.h"

#include "base/words.h"
#include "runtime/cluster/unrecorded.h"
#include "runtime/cluster/watch_record.h"
#include "runtime/command/runs.h"

static bool cluster_begin(struct session *s, int *ret_status)
{
	struct cluster *k = ARENA_NEW(s->arena, struct cluster);
	struct client_options o = { .quiet_plugin = s->quiet, .offline = s->options->command == COMMAND_APPLY &&
		str_is(option_value(s->options, OPTION_DRY_RUN), "client") };
	int64_t timeout;

	*k = (struct cluster){ .session = s, .arena = s->arena };
	s->backend_own = k;
	if (!client_open(&k->client, s, &o, ret_status)) {
		client_close(&k->client);
		if (*ret_status == STATUS_OUTPUT && !s->context.n)
			session_say_without_cluster(s);
		return false;
	}
	if (runs_duration(s, OPTION_TIMEOUT, &timeout) && timeout)
		k->deadline = clock_steady() + timeout;
	k->discovery = (struct discovery){ .client = &k->client, .arena = s->arena };
	cluster_listen(k, true);
	return true;
}

static int64_t cluster_now(struct session *s, bool *known)
{
	const struct transport *t = cluster_of(s)->client.transport;

	*known = transport_clock_known(t);
	return clock_real() + transport_clock_offset(t);
}

static void cluster_end(struct session *s)
{
	struct cluster *k = cluster_of(s);

	watch_record_ends(k);
	for (size_t i = 0; i < k->nviews; i++)
		view_stop(k->views[i]);
	cluster_listen(k, false);
	client_close(&k->client);
	for (size_t i = 0; i < k->nwatches; i++) {      /* no request of a restart is in progress anymore */
		arena_release(&k->watches[i]->restart_memory);
		arena_release(&k->watches[i]->memory[0]);
		arena_release(&k->watches[i]->memory[1]);
	}
	s->backend_own = NULL;
}

static bool cluster_names(struct session *s, struct str program, struct chosen *ret, int *ret_status)
{
	struct cluster *k = cluster_of(s);
	bool everywhere = option_given(s->options, OPTION_ALL_NAMESPACES);
	struct str ns = everywhere ? STR("") : cluster_namespace(k, program);
	const struct answer *failed = cluster_parents(k, ns, ret);

	if (!failed && s->options->command != COMMAND_DELETE)
		failed = unrecorded_names(k, ns, ret);
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
	.begin = cluster_begin, .end = cluster_end, .now = cluster_now, .names = cluster_names,
		.exists = cluster_exists, .open = cluster_open, .opened = cluster_opened,
	.apply = cluster_apply, .attach = cluster_attach, .attach_signal = cluster_attach_signal,
		.attach_end = cluster_attach_end,
	.logs = cluster_logs, .scale = cluster_scale, .exec = cluster_exec, .join = cluster_join,
		.forward = cluster_forward, .top = cluster_top, .restart = cluster_restart, .events = cluster_events,
		.copy = cluster_copy, .sync = cluster_sync, .history = cluster_history, .suspend = cluster_suspend,
		.remove = cluster_remove,
	.nodes = cluster_nodes, .survey = cluster_survey, .manifests = cluster_manifests,
	.definitions = cluster_definitions,
		.addons = cluster_addons,
		.diff = cluster_diff, .upload = cluster_upload,
		.contexts = cluster_contexts, .namespaces = cluster_namespaces,
};
