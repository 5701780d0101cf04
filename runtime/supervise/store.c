/* store.c - two hash tables over the same objects, whose texts are kept as packed JSON. */
#include "runtime/supervise/store.h"

#include <stdlib.h>

#include "data/data_read.h"
#include "data/data_write.h"
#include "runtime/cluster/object_table.h"
#include "runtime/status/look.h"

struct store_object {
	struct store_object *next_uid, *next_job;       /* the next objects in the same slot of each table */
	uint32_t uid_hash, job_hash;
	char *text;                     /* the object, as packed JSON */
	uint32_t ntext, nuid, nns, njob;
	char version[23];
	char kind;                      /* first letter of the kind; no two kinds of a store have the same */
	char names[];                   /* uid, namespace and name of the job, one after the other */
};

static struct str uid_of(const struct store_object *o) { return (struct str){ o->names, o->nuid }; }
static struct str ns_of(const struct store_object *o) { return (struct str){ o->names + o->nuid, o->nns }; }
static struct str job_of(const struct store_object *o) { return (struct str){ o->names + o->nuid + o->nns, o->njob }; }

static uint32_t job_hash(struct str ns, struct str job) { return str_hash_stable(ns) * 31 + str_hash_stable(job); }

/* ---- the tables ---- */

static void link_in(struct store *s, struct store_object *o)
{
	struct store_object **uid = &s->by_uid[o->uid_hash & (s->slots - 1)],
		**job = &s->by_job[o->job_hash & (s->slots - 1)];

	o->next_uid = *uid;
	*uid = o;
	o->next_job = *job;
	*job = o;
}

static void grow(struct store *s)
{
	struct store_object **old = s->by_uid;
	size_t n = s->slots;

	if (s->n < s->slots)
		return;
	s->slots = n ? 2 * n : 256;
	free(s->by_job);
	s->by_uid = memory_resize(NULL, s->slots * sizeof *s->by_uid);
	s->by_job = memory_resize(NULL, s->slots * sizeof *s->by_job);
	memset(s->by_uid, 0, s->slots * sizeof *s->by_uid);
	memset(s->by_job, 0, s->slots * sizeof *s->by_job);
	for (size_t i = 0; i < n; i++)
		for (struct store_object *o = old[i], *next; o; o = next) {
			next = o->next_uid;
			link_in(s, o);
		}
	free(old);
}

static struct store_object *store_find(const struct store *s, struct str uid)
{
	uint32_t hash = str_hash_stable(uid);

	for (struct store_object *o = s->slots ? s->by_uid[hash & (s->slots - 1)] : NULL; o; o = o->next_uid)
		if (o->uid_hash == hash && str_eq(uid_of(o), uid))
			return o;
	return NULL;
}

static void copy_name(struct store_object *o, size_t *at, struct str s)
{
	memcpy(o->names + *at, s.p, s.n);
	*at += s.n;
}

static struct store_object *store_new(struct store *s, struct str uid, struct str ns, struct str job)
{
	struct store_object *o = memory_resize(NULL, sizeof *o + uid.n + ns.n + job.n);
	size_t at = 0;

	grow(s);
	*o = (struct store_object){ .uid_hash = str_hash_stable(uid), .job_hash = job_hash(ns, job),
		.nuid = (uint32_t)uid.n, .nns = (uint32_t)ns.n, .njob = (uint32_t)job.n };
	copy_name(o, &at, uid);
	copy_name(o, &at, ns);
	copy_name(o, &at, job);
	link_in(s, o);
	s->n++;
	return o;
}

/* ---- the members of an object that are kept ---- */

struct kept {
	const char *key;
	const struct kept *inside;      /* the members to keep of the value, or of each element of a list; NULL: keep
					 * the whole value */
};

/*
 * The members of an object that are kept. Answers to our own requests are whole objects, which consist mostly of
 * managed fields and annotations.
 */
#define METADATA { "name", NULL }, { "namespace", NULL }, { "uid", NULL }, { "deletionTimestamp", NULL }
static const struct kept kept_owner[] = { { "uid", NULL }, { "controller", NULL }, { NULL, NULL } };
static const struct kept kept_owned[] = { METADATA, { "ownerReferences", kept_owner }, { NULL, NULL } };
/* The members that are kept of an object without a controller, whose labels name its job. */
static const struct kept kept_free[] = { METADATA, { "ownerReferences", kept_owner }, { "labels", NULL },
	{ NULL, NULL } };
static const struct kept kept_end[] = { { "exitCode", NULL }, { "finishedAt", NULL }, { "reason", NULL },
	{ NULL, NULL } };
static const struct kept kept_state[] = { { "terminated", kept_end }, { NULL, NULL } };
static const struct kept kept_container[] = { { "name", NULL }, { "restartCount", NULL }, { "state", kept_state },
	{ "lastState", kept_state }, { NULL, NULL } };
static const struct kept kept_condition[] = { { "type", NULL }, { "status", NULL }, { NULL, NULL } };
static const struct kept kept_status[] = { { "phase", NULL }, { "reason", NULL }, { "startTime", NULL },
	{ "active", NULL }, { "failed", NULL }, { "ready", NULL },      /* counts of Jobs */
	{ "conditions", kept_condition }, { "containerStatuses", kept_container },
	{ "initContainerStatuses", kept_container }, { NULL, NULL } };

/*
 * Whoever may create pods, Services or Jobs can give them the label of a job, and then texts of any size. Of a free
 * object with more than LABELS_MOST bytes of labels, and of an object of which more than OBJECT_MOST bytes would be
 * kept, only its identity is kept: it belongs to no job, and occupies its name.
 */
enum { LABELS_MOST = 4 << 10, OBJECT_MOST = 64 << 10, UID_MOST = 64 };

static void write_kept(struct buf *b, const struct data *d, const struct kept *kept)
{
	bool list = d->kind == DATA_LIST, first = true;

	if (!kept || !(list || d->kind == DATA_MAP)) {
		data_write(b, d);
		return;
	}
	buf_char(b, list ? '[' : '{');
	for (size_t i = 0; list && i < d->u.list.n; i++) {
		buf_z(b, i ? "," : "");
		write_kept(b, d->u.list.at[i], kept);
	}
	for (const struct kept *k = kept; !list && k->key; k++) {
		const struct data *value = data_get(d, str_of(k->key));
		if (!value)
			continue;
		buf_printf(b, "%s\"%s\":", first ? "" : ",", k->key);
		write_kept(b, value, k->inside);
		first = false;
	}
	buf_char(b, list ? ']' : '}');
}

/* Appends an object of a run. An element of a list has no kind of its own, so KIND is added. */
static void write_whole(struct buf *b, struct str kind, const struct data *object)
{
	buf_printf(b, "{\"kind\":\"%.*s\"", STR_ARG(kind));
	for (size_t i = 0; i < object->u.map.n; i++) {
		const struct data_member *m = &object->u.map.at[i];
		if (str_is(m->key, "kind"))
			continue;
		buf_char(b, ',');
		data_write_text(b, m->key);
		buf_char(b, ':');
		data_write(b, m->value);
	}
	buf_char(b, '}');
}

/* Appends the identity of an object, and its controller unless the uid of that is as long as no real one. */
static void write_identity(struct buf *b, struct str kind, const struct data *object)
{
	static const struct kept identity[] = { METADATA, { NULL, NULL } };
	const struct data *owners = status_list(object, "metadata.ownerReferences");

	buf_printf(b, "{\"kind\":\"%.*s\",\"metadata\":", STR_ARG(kind));
	write_kept(b, data_get(object, STR("metadata")), identity);
	for (size_t i = 0; i < owners->u.list.n; i++)
		if (status_true(owners->u.list.at[i], "controller") &&
		    status_text(owners->u.list.at[i], "uid").n <= UID_MOST) {
			b->n--;                 /* the brace that ends the metadata */
			buf_z(b, ",\"ownerReferences\":[");
			write_kept(b, owners->u.list.at[i], kept_owner);
			buf_z(b, "]}");
			break;
		}
	buf_char(b, '}');
}

static size_t labels_size(const struct data *object)
{
	const struct data *labels = status_path(object, "metadata.labels");
	size_t n = 0;

	for (size_t i = 0; labels && labels->kind == DATA_MAP && i < labels->u.map.n; i++) {
		const struct data_member *m = &labels->u.map.at[i];
		n += m->key.n + (m->value->kind == DATA_STRING ? m->value->u.string.n : 0);
	}
	return n;
}

static void write_object(struct buf *b, struct str kind, const struct data *object)
{
	const struct data *metadata = data_get(object, STR("metadata")), *status = data_get(object, STR("status"));

	buf_printf(b, "{\"kind\":\"%.*s\",\"metadata\":", STR_ARG(kind));
	write_kept(b, metadata, status_controller(object) ? kept_owned : kept_free);
	if (status && !str_is(kind, "Service")) {       /* the status of a Service is not needed */
		buf_z(b, ",\"status\":");
		write_kept(b, status, kept_status);
	}
	buf_char(b, '}');
}

/* ---- adding, removing, reading ---- */

/* bytes for one object beside its text: its structure and names, and what its watch remembers */
enum { OBJECT_BYTES = 384 };

static void count_object(const struct store *s, const struct store_object *o, ptrdiff_t change)
{
	if (s->count)
		s->count(s->to, ns_of(o), change);
}

bool store_put(struct store *s, struct str kind, const struct data *object)
{
	struct str uid = status_text(object, "metadata.uid"), version = status_text(object, "metadata.resourceVersion");
	struct store_object *o = store_find(s, uid);
	struct buf b = { 0 }, form = { 0 };

	if (o && !object_version_later(version, str_of(o->version)))
		return false;
	if (!o)
		o = store_new(s, uid, status_text(object, "metadata.namespace"), status_label(object, store_label(s)));
	o->kind = kind.n ? kind.p[0] : '\0';
	if (!s->runs && !status_controller(object) && labels_size(object) > LABELS_MOST)
		write_identity(&b, kind, object);
	else if (s->runs)
		write_whole(&b, kind, object);
	else
		write_object(&b, kind, object);
	if (b.n > OBJECT_MOST) {
		b.n = 0;
		write_identity(&b, kind, object);
	}
	packed_add(&s->packed, buf_text(&b), &form);
	buf_release(&b);
	s->bytes += form.n - o->ntext;
	count_object(s, o, (ptrdiff_t)form.n - (ptrdiff_t)o->ntext + (o->text ? 0 : OBJECT_BYTES));
	free(o->text);
	o->text = memory_resize(NULL, form.n);
	memcpy(o->text, form.p, form.n);
	o->ntext = (uint32_t)form.n;
	buf_release(&form);
	size_t n = version.n < sizeof o->version ? version.n : 0;
	memcpy(o->version, version.p, n);
	o->version[n] = '\0';
	return true;
}

static void unlink_from(struct store_object **at, struct store_object *o, bool job)
{
	while (*at != o)
		at = job ? &(*at)->next_job : &(*at)->next_uid;
	*at = job ? o->next_job : o->next_uid;
}

static void object_free(struct store_object *o)
{
	free(o->text);
	free(o);
}

bool store_remove(struct store *s, struct str uid)
{
	struct store_object *o = store_find(s, uid);

	if (!o)
		return false;
	unlink_from(&s->by_uid[o->uid_hash & (s->slots - 1)], o, false);
	unlink_from(&s->by_job[o->job_hash & (s->slots - 1)], o, true);
	s->n--;
	s->bytes -= o->ntext;
	count_object(s, o, -(ptrdiff_t)o->ntext - OBJECT_BYTES);
	object_free(o);
	return true;
}

void store_sweep(struct store *s, struct str kind, bool (*exists)(void *to, struct str uid, struct str version),
	void (*gone)(void *to, struct str ns, struct str job), void *to)
{
	struct arena a = { 0 };

	for (size_t i = 0; i < s->slots; i++)
		for (struct store_object *o = s->by_uid[i], *next; o; o = next) {
			next = o->next_uid;
			if (o->kind != kind.p[0] || exists(to, uid_of(o), str_of(o->version)))
				continue;
			struct str ns = str_copy(&a, ns_of(o)), job = str_copy(&a, job_of(o));
			store_remove(s, uid_of(o));
			gone(to, ns, job);
		}
	arena_release(&a);
}

void store_leave(struct store *s, struct str ns)
{
	for (size_t i = 0; i < s->slots; i++)
		for (struct store_object *o = s->by_uid[i], *next; o; o = next) {
			next = o->next_uid;
			if (str_eq(ns_of(o), ns))
				store_remove(s, uid_of(o));
		}
}

bool store_job(const struct store *s, struct arena *a, struct str uid, struct str *ret_ns, struct str *ret_job)
{
	const struct store_object *o = store_find(s, uid);

	if (!o)
		return false;
	*ret_ns = str_copy(a, ns_of(o));
	*ret_job = str_copy(a, job_of(o));
	return true;
}

/* The next object of a job: O itself, or an object after it in the same slot; NULL: the job has no more objects. */
static const struct store_object *of_job(const struct store_object *o, struct str ns, struct str job)
{
	uint32_t hash = job_hash(ns, job);

	while (o && !(o->job_hash == hash && str_eq(ns_of(o), ns) && str_eq(job_of(o), job)))
		o = o->next_job;
	return o;
}

static const struct store_object *first_of_job(const struct store *s, struct str ns, struct str job)
{
	return of_job(s->slots ? s->by_job[job_hash(ns, job) & (s->slots - 1)] : NULL, ns, job);
}

static struct data *tree_of(struct arena *a, const struct store *s, const struct store_object *o)
{
	struct buf text = { 0 };
	struct source source = { .text = str_copy(a, packed_text(&s->packed, (struct str){ o->text, o->ntext }, &text)),
		.base = 1 };
	struct data_error error;
	struct data *d;

	buf_release(&text);
	return data_read_json(a, &source, &d, &error) ? d : NULL;
}

void store_each(const struct store *s, struct str ns, struct str job,
	void (*see)(void *to, const struct data *object), void *to)
{
	struct arena scratch = { 0 };

	for (const struct store_object *o = first_of_job(s, ns, job); o; o = of_job(o->next_job, ns, job)) {
		const struct data *d = tree_of(&scratch, s, o);
		if (d)
			see(to, d);
		arena_reset(&scratch);
	}
	arena_release(&scratch);
}

void store_objects(const struct store *s, struct arena *a, struct str ns, struct str job, struct status_objects *ret)
{
	for (const struct store_object *o = first_of_job(s, ns, job); o; o = of_job(o->next_job, ns, job)) {
		struct data *d = tree_of(a, s, o);
		if (d)
			ARENA_PUSH(a, ret->at, ret->n, d);
	}
}

bool store_has(const struct store *s, struct str ns, struct str job) { return first_of_job(s, ns, job) != NULL; }

void store_release(struct store *s)
{
	for (size_t i = 0; i < s->slots; i++)
		for (struct store_object *o = s->by_uid[i], *next; o; o = next) {
			next = o->next_uid;
			object_free(o);
		}
	free(s->by_uid);
	free(s->by_job);
	packed_release(&s->packed);
	*s = (struct store){ 0 };
}
