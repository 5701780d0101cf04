/* supervised.c - ends passes, and frees the data of a job or a run. */
#include "runtime/supervise/supervised.h"

#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "base/words.h"
#include "data/data_write.h"
#include "runtime/run/rules.h"
#include "runtime/supervise/budget.h"
#include "runtime/supervise/plan_cache.h"
#include "runtime/supervise/tenant.h"
#include "runtime/supervise/useless.h"

#define TRIM_AFTER NS_PER_SECOND
enum { OUTLINE_MOST = 16 << 10 };       /* a status that is larger is left out of an outline */

bool supervised_may_act(const struct supervised *j)
{
	return !j->gone && j->control->queue.open && !useless_holds(j);
}

/* ---- what is kept of a job ---- */

static void put_kept_member(struct buf *b, struct str key, const struct data *value, bool *first)
{
	buf_z(b, *first ? "" : ",");
	*first = false;
	data_write_text(b, key);
	buf_char(b, ':');
	data_write(b, value);
}

static void print_annotations(struct buf *b, const struct data *annotations)
{
	bool first = true;

	buf_char(b, '{');
	for (size_t i = 0; i < annotations->u.map.n; i++)
		if (!str_is(annotations->u.map.at[i].key, "kubectl.kubernetes.io/last-applied-configuration"))
			put_kept_member(b, annotations->u.map.at[i].key, annotations->u.map.at[i].value, &first);
	buf_char(b, '}');
}

static void print_metadata(struct buf *b, const struct data *metadata)
{
	bool first = true;

	buf_char(b, '{');
	for (size_t i = 0; i < metadata->u.map.n; i++) {
		const struct data_member *m = &metadata->u.map.at[i];
		if (str_is(m->key, "managedFields"))
			continue;
		if (!str_is(m->key, "annotations") || m->value->kind != DATA_MAP) {
			put_kept_member(b, m->key, m->value, &first);
			continue;
		}
		buf_z(b, first ? "\"annotations\":" : ",\"annotations\":");
		first = false;
		print_annotations(b, m->value);
	}
	buf_char(b, '}');
}

void supervised_print(struct buf *b, const struct data *object)
{
	bool first = true;

	buf_char(b, '{');
	for (size_t i = 0; i < object->u.map.n; i++) {
		const struct data_member *m = &object->u.map.at[i];
		if (!str_is(m->key, "metadata") || m->value->kind != DATA_MAP) {
			put_kept_member(b, m->key, m->value, &first);
			continue;
		}
		buf_z(b, first ? "\"metadata\":" : ",\"metadata\":");
		first = false;
		print_metadata(b, m->value);
	}
	buf_char(b, '}');
}

void supervised_print_outline(struct buf *b, const struct data *object)
{
	static const char *const names[] = { "name", "namespace", "uid", "resourceVersion", "deletionTimestamp" };
	const struct data *metadata = data_get(object, STR("metadata")), *value;
	bool first = true;

	buf_z(b, "{\"metadata\":{");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if ((value = data_get(metadata, str_of(names[i]))))
			put_kept_member(b, str_of(names[i]), value, &first);
	buf_char(b, '}');
	size_t before = b->n;
	if ((value = data_get(object, STR("status")))) {
		first = false;
		put_kept_member(b, STR("status"), value, &first);
	}
	if (b->n - before > OUTLINE_MOST)
		b->n = before;
	buf_char(b, '}');
}

static void free_text(char **text)
{
	free(*text);
	*text = NULL;
}

void supervised_rest(struct supervised *j)
{
	plan_forget(j);
	free_text(&j->text);
	j->ntext = 0;
	free_text(&j->record);
	free_text(&j->durable);
	free_text(&j->wanted);
	free_text(&j->objects_made);
	free_text(&j->warnings);
	free_text(&j->configs);
	free_text(&j->scaler);
	free_text(&j->rights);
	free_text(&j->refused_copy);
	free_text(&j->rights_uid);
	j->rests = false;
	budget_weigh(j);
}

void supervised_free(struct supervised *j)
{
	j->gone = true;
	budget_unhold(j);
	supervised_rest(j);
	j->tenant->jobs--;
	free(j);
}

/*
 * A job of a thousand replicas makes thousands of requests, whose memory is scattered among data that is kept. When
 * they have ended, most of the heap is free, and malloc() on its own returns only the end of the heap to the system.
 */
static void return_heap(struct loop_timer *t)
{
	struct controller *c = t->to;

	for (size_t i = 0; i < c->slots; i++)
		for (struct supervised *j = c->by_name[i]; j; j = j->next)
			if (j->rests && !j->item.busy && !j->item.queued)
				supervised_rest(j);
	system_trim_heap();
}

static void trim_later(struct controller *c)
{
	c->trim.fire = return_heap;
	c->trim.to = c;
	if (!loop_timer_armed(&c->trim))
		loop_timer_set(c->client.loop, &c->trim, TRIM_AFTER);
}

char *supervised_keep(char *old, struct str s)
{
	char *p = memory_resize(NULL, s.n + 1);

	memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	free(old);
	return p;
}

char *supervised_keep_filled(char *old, struct str s)
{
	if (s.n)
		return supervised_keep(old, s);
	free(old);
	return NULL;
}

void supervised_want(struct supervised *j, struct str status)
{
	if (j->wanted && str_eq(status, str_of(j->wanted)))
		return;
	j->wanted = supervised_keep_filled(j->wanted, status);
	j->written = false;
}

void supervised_done(struct supervised *j, const struct pass_end *e)
{
	int64_t took = clock_steady() - e->begun;

	metrics_pass(&j->control->metrics, took, e->ok);
	j->rests = e->rests && e->ok && !e->changed && j->kind != &run_record_kind;
	if (j->rests && (j->refused || j->held_at) && !j->gone)
		supervised_rest(j);
	budget_weigh(j);
	trim_later(j->control);
	/*
	 * a job of a thousand replicas changes all the time, so a pause of four times the length of the pass, at most 1
	 * s, follows each pass
	 */
	queue_done(&j->item, e->ok, 4 * took < NS_PER_SECOND ? 4 * took : NS_PER_SECOND);
	if (e->changed)
		queue_add(&j->item);
	if (j->gone) {
		queue_drop(&j->item);
		supervised_free(j);
	} else if (e->again != RULES_NEVER && (!j->refused || e->waits)) {
		int64_t wait = e->again - controller_now(j->control);
		queue_after(&j->item, wait > 0 ? wait : 0);
	}
}
