/* event_list.c - see event_list.h. */
#include "runtime/status/event_list.h"

#include <stdlib.h>

#include "runtime/status/events.h"

/* What one Event adds to its row. */
struct event_part {
	struct event_row *row;
	int64_t count;
	uint64_t order;
};

void event_list_init(struct event_list *l, struct arena *a, const struct plan_job *j)
{
	*l = (struct event_list){ .arena = a, .job = j, .replicas = { .arena = a, .job = j } };
}

static void set_add(struct event_list *l, struct map *set, struct str name)
{
	if (name.n && !map_get(set, name))
		map_put(set, l->arena, str_copy(l->arena, name), l);
}

void event_list_object(struct event_list *l, struct str uid) { set_add(l, &l->objects, uid); }
void event_list_node(struct event_list *l, struct str name) { set_add(l, &l->nodes, name); }

/* ---- which object belongs to the run ---- */

/* NAME up to its last dash, if what follows has digits only. */
static struct str without_number(struct str name)
{
	size_t n = name.n;

	while (n && name.p[n - 1] >= '0' && name.p[n - 1] <= '9')
		n--;
	return n > 1 && n < name.n && name.p[n - 1] == '-' ? (struct str){ name.p, n - 1 } : STR("");
}

/* Is NAME the run, or the workload of a role, of a slice or of a replica? */
static bool is_workload(struct event_list *l, struct str name)
{
	struct str slice = without_number(name);

	if (str_eq(name, l->job->name))
		return true;
	for (size_t i = 0; i < l->job->nroles; i++) {
		const struct plan_role *r = &l->job->roles[i];
		if (str_eq(name, r->object) || (r->in_set && str_eq(slice, r->object)))
			return true;
	}
	return replica_names_find(&l->replicas, name) != NULL;
}

/*
 * Is NAME a claim of a replica: VOLUME-REPLICA, which is kept, or POD-VOLUME, which goes with its pod? Names of volumes
 * and of runs have dashes, so each one is tried.
 */
static bool is_claim(struct event_list *l, struct str name)
{
	for (size_t i = 1; i < name.n; i++) {
		if (name.p[i] == '-' && replica_names_of_pod(&l->replicas, (struct str){ name.p, i }))
			return true;
		if (name.p[i - 1] == '-' &&
			replica_names_find(&l->replicas, (struct str){ name.p + i, name.n - i }))
			return true;
	}
	return false;
}

/* Is NAME a Workload of Kueue for one of the run's workloads? It is called KIND-NAME-HASH. */
static bool is_admission(struct event_list *l, struct str name)
{
	const char *first = name.n ? memchr(name.p, '-', name.n) : NULL;
	const char *last = name.n ? memrchr(name.p, '-', name.n) : NULL;

	return first && last > first + 1 && is_workload(l, (struct str){ first + 1, (size_t)(last - first) - 1 });
}

static bool is_of_list(struct event_list *l, struct str kind, struct str name, struct str uid)
{
	if (uid.n && map_get(&l->objects, uid))
		return true;
	if (str_is(kind, "Pod"))
		return replica_names_of_pod(&l->replicas, name) != NULL;
	if (str_is(kind, "PersistentVolumeClaim"))
		return is_claim(l, name);
	if (str_is(kind, "Workload"))
		return is_admission(l, name);
	return str_is(kind, "Node") || is_workload(l, name);
}

/* ---- adding ---- */

/* The row for an Event; a new one for a new report. NULL: the list is full. */
static struct event_row *row_of(struct event_list *l, const struct event_row *like, struct arena *scratch)
{
	struct arena *a = l->arena;
	struct str key = str_printf(scratch, "%.*s/%.*s/%d/%.*s/%.*s", STR_ARG(like->kind), STR_ARG(like->name),
		like->warning, STR_ARG(like->reason), STR_ARG(like->message));
	struct event_row *row = map_get(&l->rows, key);

	if (row)
		return row;
	/* other nodes may have any number of reports, and must not take the rows of the run */
	bool node = str_is(like->kind, "Node");
	bool full = node ? l->node_rows >= EVENT_NODE_ROWS : l->rows.n - l->node_rows >= EVENT_ROWS;
	if (full || l->parts.n >= EVENT_PARTS) {
		l->full = true;
		return NULL;
	}
	l->node_rows += node;
	row = ARENA_NEW(a, struct event_row);
	*row = (struct event_row){ .kind = str_copy(a, like->kind), .name = str_copy(a, like->name),
		.reason = str_copy(a, like->reason), .message = str_copy(a, like->message),
		.node = str_copy(a, like->node), .warning = like->warning };
	if (str_is(row->kind, "Pod"))
		row->replica = replica_names_of_pod(&l->replicas, row->name);
	map_put(&l->rows, a, str_copy(a, key), row);
	return row;
}

/* A text of an Event on one line, at most EVENT_TEXT bytes of it. */
static struct str event_text(struct arena *a, struct str text)
{
	bool cut = text.n > EVENT_TEXT;

	if (cut)
		for (text.n = EVENT_TEXT; text.n && (text.p[text.n] & 0xc0) == 0x80; text.n--)
			continue;
	text = text_line(a, text);
	return cut ? str_cat(a, text, STR("\xE2\x80\xA6"), STR("")) : text;
}

/* Reads an Event of the core group; its object is ABOUT. */
static struct event_row read_event(struct arena *a, const struct data *o, const struct data *about)
{
	struct str source = status_text(o, "source.component");
	struct str by = source.n ? source : status_text(o, "reportingComponent");
	struct str host = status_text(o, "source.host");
	struct event_row r = { .kind = status_text(about, "kind"), .name = status_text(about, "name"),
		.reason = event_text(a, status_text(o, "reason")),
		.message = event_text(a, status_text(o, "message")),
		.warning = str_is(status_text(o, "type"), "Warning"), .last = event_time(o), .count = event_count(o),
		.first = status_time(o, "firstTimestamp") };

	if (str_is(by, "kubelet"))
		r.node = host.n ? host : status_text(o, "reportingInstance");
	if (!r.first)
		r.first = status_time(o, "eventTime");
	r.first = r.first ? r.first : r.last;
	return r;
}

/* The version of an object as a number, which orders events of one second. */
static uint64_t version_number(const struct data *o)
{
	char digits[24];
	struct str v = status_text(o, "metadata.resourceVersion");
	size_t n = v.n < sizeof digits ? v.n : sizeof digits - 1;

	if (n)
		memcpy(digits, v.p, n);
	digits[n] = '\0';
	return strtoull(digits, NULL, 10);
}

const struct event_row *event_list_add(struct event_list *l, const struct data *event)
{
	const struct data *about = status_path(event, "involvedObject");
	struct str uid = status_text(event, "metadata.uid");
	struct arena scratch = { 0 };
	struct event_row *row = NULL;

	struct event_row new = read_event(&scratch, event, about);
	if (uid.n && is_of_list(l, new.kind, new.name, status_text(about, "uid")))
		row = row_of(l, &new, &scratch);
	struct event_part *part = row ? map_get(&l->parts, uid) : NULL;
	uint64_t order = version_number(event);
	if (row && part && part->order == order)
		row = NULL;                     /* this form is known */
	if (row && !part) {
		part = ARENA_NEW(l->arena, struct event_part);
		*part = (struct event_part){ .row = row };
		map_put(&l->parts, l->arena, str_copy(l->arena, uid), part);
	}
	if (row) {
		part->row->count -= part->count;        /* its text may have changed, and with it its row */
		*part = (struct event_part){ row, new.count, order };
		row->count += new.count;
		row->first = !row->first || (new.first && new.first < row->first) ? new.first : row->first;
		if (new.last >= row->last) {
			row->last = new.last;
			row->order = order;
		}
		event_list_node(l, row->replica ? row->node : STR(""));
	}
	arena_release(&scratch);
	return row;
}

/* ---- showing ---- */

bool event_list_shows(const struct event_list *l, const struct event_row *r)
{
	if (r->count <= 0)
		return false;
	return !str_is(r->kind, "Node") || (map_get(&l->nodes, r->name) && r->last >= l->since);
}

/* Compares two rows: the oldest first; times have seconds only, so the order of a second is that of the versions. */
static int older(const void *a, const void *b)
{
	const struct event_row *x = *(const struct event_row *const *)a, *y = *(const struct event_row *const *)b;
	int64_t from = x->last / 1000000000, to = y->last / 1000000000;
	int c;

	if (from != to)
		return from < to ? -1 : 1;
	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	c = str_cmp(x->name, y->name);
	return c ? c : str_cmp(x->message, y->message);
}

const struct event_row **event_list_rows(const struct event_list *l, struct arena *a, size_t *ret_n)
{
	const struct event_row **rows = ARENA_ARRAY(a, const struct event_row *, l->rows.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < l->rows.n; i++) {
		const struct event_row *r = l->rows.entries[i].value;
		if (event_list_shows(l, r))
			rows[n++] = r;
	}
	if (n)
		qsort(rows, n, sizeof *rows, older);
	*ret_n = n;
	return rows;
}

struct str event_list_object_text(const struct event_list *l, const struct event_row *r, struct arena *a)
{
	if (r->replica)
		return str_printf(a, "%.*s/%lld", STR_ARG(l->job->roles[r->replica->role].name),
			(long long)r->replica->index);
	return str_cat(a, r->kind, STR("/"), r->name);
}
