/* events.c - reads both forms of Events, and sorts them by time. */
#include "runtime/status/events.h"

#include <stdlib.h>

int64_t event_time(const struct data *o)
{
	static const char *const times[] = { "series.lastObservedTime", "lastTimestamp", "deprecatedLastTimestamp",
		"eventTime",
		"firstTimestamp", "metadata.creationTimestamp" };

	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		int64_t t = status_time(o, times[i]);
		if (t)
			return t;
	}
	return 0;
}

int64_t event_count(const struct data *o)
{
	int64_t n = status_number(o, "series.count", 0);

	n = n ? n : status_number(o, "count", 0);
	n = n ? n : status_number(o, "deprecatedCount", 0);
	return n > 0 ? n : 1;
}

const char *const events_of_pulls[] = { "Pulling", "Pulled", NULL };

bool event_explains(const struct data *o)
{
	return !str_is(status_text(o, "involvedObject.kind"), "Pod") || !str_is(status_text(o, "type"), "Normal") ||
		text_among(status_text(o, "reason"), events_of_pulls);
}

void events_add(struct events *e, const struct data *o)
{
	const struct data *about = status_path(o, "involvedObject") ? status_path(o, "involvedObject") :
		status_path(o, "regarding");
	struct event *new = ARENA_NEW(e->arena, struct event);
	struct str message = status_text(o, "message");

	*new = (struct event){ .kind = str_copy(e->arena, status_text(about, "kind")),
		.name = str_copy(e->arena, status_text(about, "name")),
		.reason = str_copy(e->arena, status_text(o, "reason")),
		.message = str_copy(e->arena, message.n ? message : status_text(o, "note")),
			.warning = str_is(status_text(o, "type"), "Warning"),
		.time = event_time(o), .count = event_count(o) };
	new->added = e->n;
	ARENA_PUSH(e->arena, e->all, e->n, new);
}

/* Compares two events: the newest first, then by their texts, then in the order of arrival. */
static int newer(const void *a, const void *b)
{
	const struct event *x = *(struct event *const *)a, *y = *(struct event *const *)b;
	int c;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	c = str_cmp(y->message, x->message);
	return c ? c : x->added < y->added ? 1 : -1;
}

void events_sort(struct events *e)
{
	if (e->n)
		qsort(e->all, e->n, sizeof *e->all, newer);
	for (size_t i = 0; i < e->n; i++) {
		struct str key = str_cat(e->arena, e->all[i]->kind, STR("/"), e->all[i]->name);
		e->all[i]->next = map_get(&e->of, key);
		map_put(&e->of, e->arena, key, e->all[i]);
	}
}

/*
 * Does the message only repeat the reason for which a container waits? The kubelet writes "Error: ErrImagePull" after
 * the event that says why the pull failed, and both events have the same reason.
 */
static bool says_nothing(const struct event *e)
{
	return str_is(e->message, "Error: ErrImagePull") || str_is(e->message, "Error: ImagePullBackOff");
}

const struct event *events_newest(const struct events *e, struct str kind, struct str name, const char *const *reasons)
{
	const struct event *newest = NULL;
	char key[320];                          /* room for a kind (at most 63 bytes) and a name (at most 253) */

	if (kind.n + 1 + name.n > sizeof key)
		return NULL;
	memcpy(key, kind.p, kind.n);
	key[kind.n] = '/';
	if (name.n)
		memcpy(key + kind.n + 1, name.p, name.n);
	for (const struct event *i = map_get(&e->of, (struct str){ key, kind.n + 1 + name.n }); i; i = i->next)
		if ((reasons ? text_among(i->reason, reasons) : i->warning) && !says_nothing(i))
			newest = i;
	return newest;
}
