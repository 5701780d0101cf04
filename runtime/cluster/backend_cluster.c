/*
 * backend_cluster.c - runs in a cluster as a backend of the commands.
 */
#include "runtime/cluster/cluster.h"

#include "base/words.h"
#include "data/data_write.h"
#include "runtime/cluster/cluster_watch.h"
#include "runtime/command/runs.h"
#include "runtime/run/outcome.h"
#include "runtime/status/look.h"

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

static int64_t cluster_now(struct session *s, bool *known)
{
	const struct transport *t = cluster_of(s)->client.transport;

	*known = transport_clock_known(t);
	return clock_real() + transport_clock_offset(t);
}

enum { VERDICT_AGAIN = 5 };             /* maximum number of attempts when others write the record in between */

/* Does the record of the run lack a verdict that this command has seen? */
static bool has_news(const struct cluster_watch *c)
{
	enum run_phase phase = c->watch->state.phase;

	return (phase == RUN_SUCCEEDED || phase == RUN_FAILED) && c->parent.there && !c->watch->replaced &&
		!c->removed && !str_is(c->parent.verdict, run_phase_word(phase));
}

/*
 * Adds the request that records the verdict and how the run ended. It demands the version of the record that was read,
 * so that it overwrites neither the verdict of a controller nor the record of a run that was applied again meanwhile.
 */
static void add_verdict(struct cluster *k, const struct cluster_watch *c, struct batch *b)
{
	static const struct transport_pair query = { { "fieldManager", 12 }, { APPLYSET_PARENT_MANAGER,
		sizeof APPLYSET_PARENT_MANAGER - 1 } };
	const struct run_state *s = &c->watch->state;
	int64_t now = clock_real() + transport_clock_offset(k->client.transport);
	struct buf body = { 0 }, outcome = { 0 };

	outcome_write(s, c->parent.generation, s->since ? s->since : now, &outcome);
	buf_printf(&body, "{\"metadata\":{\"uid\":\"%.*s\",\"resourceVersion\":\"%.*s\"},\"data\":{\"verdict\":\"%s\","
		"\"outcome\":", STR_ARG(c->parent.uid), STR_ARG(c->parent.version), run_phase_word(s->phase));
	data_write_text(&body, buf_text(&outcome));
	buf_z(&body, "}}");
	batch_add(b, &(struct transport_request){ .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE, .query = &query,
		.nquery = 1, .path = applyset_parent_path(k->arena, c->ns, c->watch->name),
		.content_type = STR("application/merge-patch+json"), .body = buf_take(&body, k->arena) }, CALL_REPEAT);
	buf_release(&body);
	buf_release(&outcome);
}

/*
 * Reads the record again after somebody else has written it. Returns false if it is that of another run now: the run
 * was deleted, or applied again.
 */
static bool is_same_record(struct cluster *k, struct cluster_watch *c)
{
	struct answer *x = request_get(&k->client, k->arena, applyset_parent_path(k->arena, c->ns, c->watch->name));
	struct parent now;
	struct str why;

	if (x->class != CALL_DONE || !x->data || !parent_read(k->arena, x->data, &now, &why) ||
		!str_eq(now.uid, c->parent.uid) || now.generation != c->parent.generation)
		return false;
	c->parent.version = now.version;
	c->parent.verdict = now.verdict;
	return true;
}

/*
 * Records verdicts in parents. The Jobs of an ended run may be removed, by their ttl or by hand, and the next `apply`
 * must know that the run took place, and how it ended. A user who may not write the parent only reads.
 */
static void record_verdicts(struct cluster *k)
{
	enum command command = k->session->options->command;
	bool *due = ARENA_ARRAY(k->arena, bool, k->nwatches), any = true;

	if (k->interrupted || (command != COMMAND_APPLY && command != COMMAND_WAIT && command != COMMAND_RUN))
		return;
	for (size_t i = 0; i < k->nwatches; i++)
		due[i] = has_news(k->watches[i]);
	for (unsigned try = 0; any && try < VERDICT_AGAIN; try++) {
		struct batch b = batch_new(&k->client, k->arena);
		size_t sent = 0;
		for (size_t i = 0; i < k->nwatches; i++)
			if (due[i])
				add_verdict(k, k->watches[i], &b);
		batch_wait(&b);
		any = false;
		for (size_t i = 0; i < k->nwatches; i++) {
			if (!due[i])
				continue;
			due[i] = b.answers[sent++]->class == CALL_CONFLICT && is_same_record(k, k->watches[i]) &&
				has_news(k->watches[i]);
			any = any || due[i];
		}
	}
}

static void cluster_end(struct session *s)
{
	struct cluster *k = cluster_of(s);

	record_verdicts(k);
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
	.begin = cluster_begin, .end = cluster_end, .now = cluster_now, .names = cluster_names,
		.exists = cluster_exists, .open = cluster_open, .opened = cluster_opened,
	.apply = cluster_apply, .attach = cluster_attach, .attach_signal = cluster_attach_signal,
		.attach_end = cluster_attach_end,
	.logs = cluster_logs, .scale = cluster_scale, .exec = cluster_exec, .join = cluster_join,
		.forward = cluster_forward, .restart = cluster_restart, .events = cluster_events,
		.copy = cluster_copy, .sync = cluster_sync, .suspend = cluster_suspend,
		.remove = cluster_remove,
	.nodes = cluster_nodes, .manifests = cluster_manifests, .definitions = cluster_definitions,
		.addons = cluster_addons,
		.diff = cluster_diff, .contexts = cluster_contexts, .namespaces = cluster_namespaces,
};
