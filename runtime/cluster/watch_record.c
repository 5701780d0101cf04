/* watch_record.c - writes the end of a run into its record, again if others write it in between. */
#include "runtime/cluster/watch_record.h"

#include "base/words.h"
#include "runtime/cluster/retry.h"
#include "runtime/run/outcome.h"
#include "runtime/status/look.h"

enum { TRIES_MOST = 5 };                /* maximum number of writes of one record while others write it in between */

static void send_record(struct cluster_watch *c);

static void record_ended(struct cluster_watch *c)
{
	c->recording = false;
	c->acting--;
	c->dirty = true;
	loop_stop(c->cluster->client.loop);
}

/* After a conflict: is the record still that of the run that was judged, and does it lack the end? */
static void record_read_again(void *to, const struct transport_result *r)
{
	struct cluster_watch *c = to;
	struct arena *a = c->cluster->arena;
	struct parent now;
	struct str why;

	bool same = transport_ok(r) && r->tree && parent_read(a, r->tree, &now, &why) &&
		str_eq(now.uid, c->parent.uid) && now.generation == c->parent.generation;
	c->unrecordable = !same;
	if (same) {
		c->parent.version = str_copy(a, now.version);
		c->parent.verdict = str_copy(a, now.verdict);
		c->parent.outcome = str_copy(a, now.outcome);
	}
	if (same && (!now.verdict.n || str_eq(now.verdict, c->verdict)))
		send_record(c);
	else
		record_ended(c);
}

static void record_written(void *to, const struct transport_result *r)
{
	struct cluster_watch *c = to;
	struct arena *a = c->cluster->arena;

	if (call_class(r) == CALL_CONFLICT && ++c->record_tries < TRIES_MOST) {
		struct transport_request again = { .method = TRANSPORT_GET, .kind = TRANSPORT_READ,
			.path = applyset_parent_path(a, c->ns, c->watch->name), .done = record_read_again, .to = c };
		call_start(c->cluster->client.calls, &again, CALL_BY_METHOD, NULL);
		return;
	}
	c->unrecordable = !transport_ok(r);
	if (transport_ok(r)) {
		c->parent.version = str_copy(a, status_text(r->tree, "metadata.resourceVersion"));
		c->parent.verdict = c->verdict;
		c->parent.outcome = c->outcome;
	}
	record_ended(c);
}

static void send_record(struct cluster_watch *c)
{
	const struct transport_pair data[] = { { STR("verdict"), c->verdict }, { STR("outcome"), c->outcome } };
	struct transport_request r = parent_patch(c->cluster->arena, &c->parent, APPLYSET_PARENT_MANAGER, data, 2);

	r.done = record_written;
	r.to = c;
	call_start(c->cluster->client.calls, &r, CALL_REPEAT, NULL);
}

/* A user who may not write the record only reads: a refusal is not reported. */
bool watch_record(struct cluster_watch *c, struct str verdict, struct str outcome)
{
	enum command command = c->cluster->session->options->command;
	struct arena *a = c->cluster->arena;

	if (!c->parent.there || c->removed || c->watch->replaced || c->unrecordable || c->recording ||
	    (command != COMMAND_APPLY && command != COMMAND_WAIT && command != COMMAND_RUN))
		return false;
	c->verdict = str_copy(a, verdict);
	c->outcome = str_copy(a, outcome);
	c->record_tries = 0;
	c->recording = true;
	c->acting++;
	send_record(c);
	return true;
}

/* Starts to record the end of a run that was shown and not recorded: its state was known before it was watched. */
static void record_end(struct cluster_watch *c)
{
	const struct run_state *s = &c->watch->state;
	int64_t now = clock_real() + transport_clock_offset(c->cluster->client.transport);
	struct buf b = { 0 };

	if ((s->phase != RUN_SUCCEEDED && s->phase != RUN_FAILED) || c->parent.verdict.n)
		return;
	outcome_write(s, c->parent.generation, s->since ? s->since : now, &b);
	watch_record(c, str_of(run_phase_word(s->phase)), buf_text(&b));
	buf_release(&b);
}

void watch_record_ends(struct cluster *k)
{
	for (size_t i = 0; i < k->nwatches && !k->interrupted; i++)
		record_end(k->watches[i]);
	for (size_t i = 0; i < k->nwatches && !k->interrupted; i++)
		while (k->watches[i]->recording && !k->interrupted)
			loop_run(k->client.loop);
}
