/*
 * members.c - lists members: the lists are requested in parallel, and objects are reduced to the members that are
 * needed.
 */
#include "runtime/cluster/members.h"

#include "runtime/cluster/object_list.h"
#include "runtime/cluster/skipped.h"
#include "runtime/status/look.h"

/* Copies a tree into an arena that outlives it. */
static struct data *tree_copy(struct arena *a, const struct data *d)
{
	struct data *x = ARENA_NEW(a, struct data);

	*x = *d;
	x->from = (struct span){ 0 };
	if (d->kind == DATA_STRING) {
		x->u.string = str_copy(a, d->u.string);
	} else if (d->kind == DATA_LIST) {
		x->u.list.at = ARENA_ARRAY(a, const struct data *, d->u.list.n);
		for (size_t i = 0; i < d->u.list.n; i++)
			x->u.list.at[i] = tree_copy(a, d->u.list.at[i]);
	} else if (d->kind == DATA_MAP) {
		x->u.map.at = ARENA_ARRAY(a, struct data_member, d->u.map.n);
		for (size_t i = 0; i < d->u.map.n; i++)
			x->u.map.at[i] = (struct data_member){ .key = str_copy(a, d->u.map.at[i].key),
				.value = tree_copy(a, d->u.map.at[i].value) };
	}
	return x;
}

/*
 * Copies an object without the large parts that only `compare` reads. PATH is the name of the map that holds D; empty:
 * D is the object.
 */
static struct data *object_copy_small(struct arena *a, const struct data *d, struct str path)
{
	static const char *const outside[] = { "data", "binaryData", "stringData", NULL },
		*const inside[] = { "template", "replicatedJobs", "podSets", NULL };
	struct data *x = ARENA_NEW(a, struct data);

	*x = *d;
	x->from = (struct span){ 0 };
	x->u.map.at = ARENA_ARRAY(a, struct data_member, d->u.map.n);
	x->u.map.n = 0;
	for (size_t i = 0; i < d->u.map.n; i++) {
		const struct data_member *m = &d->u.map.at[i];
		bool spec = !path.n && str_is(m->key, "spec") && m->value->kind == DATA_MAP;
		if (text_among(m->key, path.n ? inside : outside))
			continue;
		x->u.map.at[x->u.map.n++] = (struct data_member){ .key = str_copy(a, m->key),
			.value = spec ? object_copy_small(a, m->value, m->key) : tree_copy(a, m->value) };
	}
	return x;
}

const char *const manifest_keep[] = { "-metadata.managedFields", "-status", NULL };
const char *const record_keep[] = { "-data.jobs", "-data.history", "-metadata.managedFields", NULL };
const char *const record_list_keep[] = { "-data.jobs", "-metadata.managedFields", NULL };

const char *const *keep_of(struct str group, struct str kind)
{
	static const char *const pods[] = { "apiVersion", "kind", "metadata.name", "metadata.namespace",
		"metadata.uid", "metadata.resourceVersion",
		"metadata.creationTimestamp", "metadata.deletionTimestamp", "metadata.labels", "metadata.finalizers",
		"metadata.annotations.[batch.kubernetes.io/job-completion-index]", "spec.nodeName",
			"spec.nodeSelector", "spec.affinity.nodeAffinity", "spec.schedulingGates",
			"spec.schedulerName",
		"spec.initContainers.name", "spec.initContainers.restartPolicy", "status.phase", "status.reason",
			"status.message", "status.podIP",
		"status.conditions", "status.startTime", "status.containerStatuses.name",
			"status.containerStatuses.ready",
		"status.containerStatuses.restartCount", "status.containerStatuses.state",
			"status.containerStatuses.lastState",
		"status.containerStatuses.started", "status.containerStatuses.image",
			"status.initContainerStatuses.name",
		"status.initContainerStatuses.ready", "status.initContainerStatuses.restartCount",
			"status.initContainerStatuses.state",
		"status.initContainerStatuses.lastState", "status.initContainerStatuses.started", NULL };
	static const char *const events[] = { "apiVersion", "kind", "metadata.name", "metadata.namespace",
		"metadata.uid", "metadata.resourceVersion",
		"metadata.creationTimestamp", "involvedObject.kind", "involvedObject.name",
			"involvedObject.namespace", "involvedObject.uid",
		"type", "reason", "message", "count", "firstTimestamp", "lastTimestamp", "eventTime", "series",
		"source", "reportingComponent", "reportingInstance", NULL };
	static const char *const metadata[] = { "apiVersion", "kind", "metadata.name", "metadata.namespace",
		"metadata.uid",
		"metadata.resourceVersion", "metadata.creationTimestamp", "metadata.deletionTimestamp",
			"metadata.generation",
		"metadata.labels", "metadata.annotations.[trainc.dev/salt]", "metadata.finalizers", NULL };
	static const char *const others[] = { "-metadata.managedFields", "-spec.template", "-spec.replicatedJobs",
		"-spec.podSets", NULL };

	if (str_is(kind, "Pod") && !group.n)
		return pods;
	if (str_is(kind, "Event"))
		return events;
	if (!group.n && (str_is(kind, "ConfigMap") || str_is(kind, "Secret") || str_is(kind, "ServiceAccount")))
		return metadata;
	return others;
}

/* Adds kind and apiVersion to an object of a list: only the list itself contains them. */
static void name_kind(struct arena *a, struct data *object, const struct resource *r)
{
	struct data *kind = ARENA_NEW(a, struct data), *version = ARENA_NEW(a, struct data);
	struct data_member *at;

	if (object->kind != DATA_MAP || data_get(object, STR("kind")))
		return;
	at = ARENA_ARRAY(a, struct data_member, object->u.map.n + 2);
	*version = (struct data){ .kind = DATA_STRING, .u.string = r->group.n
		? str_printf(a, "%.*s/%.*s", STR_ARG(r->group), STR_ARG(r->version)) : r->version };
	*kind = (struct data){ .kind = DATA_STRING, .u.string = r->kind };
	at[0] = (struct data_member){ .key = STR("apiVersion"), .value = version };
	at[1] = (struct data_member){ .key = STR("kind"), .value = kind };
	memcpy(at + 2, object->u.map.at, object->u.map.n * sizeof *at);
	object->u.map.at = at;
	object->u.map.n += 2;
}

/* Lists of one command whose objects take more memory than this are refused; the trees of 10,000 runs take a third. */
enum { MEMBERS_LARGEST = 256 << 20 };

/* The size of a tree in bytes, roughly. */
static size_t tree_bytes(const struct data *d)
{
	size_t n = sizeof *d;

	if (d->kind == DATA_STRING)
		n += d->u.string.n;
	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++)
		n += sizeof *d->u.list.at + tree_bytes(d->u.list.at[i]);
	for (size_t i = 0; d->kind == DATA_MAP && i < d->u.map.n; i++)
		n += sizeof *d->u.map.at + d->u.map.at[i].key.n + tree_bytes(d->u.map.at[i].value);
	return n;
}

struct listing {
	struct members *all;
	size_t *bytes;                  /* size of the objects of all lists */
	struct arena *arena;
	struct client *client;
	const struct member_query *query;
	size_t *pending;
	size_t begin;                   /* number of objects in `all` when the list began */
};

static bool list_object(void *to, const struct data *object)
{
	struct listing *l = to;

	*l->bytes += l->query->compare ? 0 : tree_bytes(object);
	if (*l->bytes > MEMBERS_LARGEST)
		return false;
	bool small = l->query->compare && object->kind == DATA_MAP;
	struct data *copy = small ? object_copy_small(l->arena, object, STR("")) : tree_copy(l->arena, object);
	struct member m = { .resource = l->query->resource, .object = copy };

	name_kind(l->arena, copy, &l->query->resource);
	m.name = status_text(m.object, "metadata.name");
	m.ns = status_text(m.object, "metadata.namespace");
	m.uid = status_text(m.object, "metadata.uid");
	m.deleting = status_text(m.object, "metadata.deletionTimestamp").n > 0;
	if (small) {
		m.object = object;
		m.drift = l->query->compare(l->query->to, &m);
		m.object = copy;
	}
	ARENA_PUSH(l->arena, l->all->at, l->all->n, m);
	return true;
}

static struct data *new_text(struct arena *a, struct str text)
{
	struct data *d = ARENA_NEW(a, struct data);

	*d = (struct data){ .kind = DATA_STRING, .u.string = str_copy(a, text) };
	return d;
}

/* A tree of the parts of an object that its text says. */
static struct data *tree_of_skipped(struct arena *a, const struct json_skipped *s)
{
	struct data *object = ARENA_NEW(a, struct data), *metadata = ARENA_NEW(a, struct data);
	const struct { const char *key; struct str text; } members[] = { { "name", s->name }, { "namespace", s->ns },
		{ "uid", s->uid } };
	struct data_member whole = { .key = STR("metadata"), .value = metadata };

	object->kind = metadata->kind = DATA_MAP;
	ARENA_PUSH(a, object->u.map.at, object->u.map.n, whole);
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		struct data_member m = { .key = str_of(members[i].key), .value = new_text(a, members[i].text) };
		if (members[i].text.n)
			ARENA_PUSH(a, metadata->u.map.at, metadata->u.map.n, m);
	}
	return object;
}

static void list_skipped(void *to, const struct json_skipped *s)
{
	struct listing *l = to;

	l->all->skipped++;
	skipped_say(l->client, l->query->resource.kind, s);
	if (l->query->named && s->name.n)
		list_object(l, tree_of_skipped(l->arena, s));
}

/* Restarts a list: drops the objects of this list and keeps the objects of other lists. */
static void list_restart(void *to)
{
	struct listing *l = to;
	size_t kept = 0;

	for (size_t i = 0; i < l->all->n; i++) {
		const struct member *m = &l->all->at[i];
		bool mine = str_eq(m->resource.kind, l->query->resource.kind) && str_eq(m->resource.group,
			l->query->resource.group) &&
			(!l->query->ns.n || str_eq(m->ns, l->query->ns));
		if (!mine)
			l->all->at[kept++] = *m;
	}
	l->all->n = kept;
}

static void list_done(void *to, const struct transport_result *r, struct str version, bool inconsistent)
{
	struct listing *l = to;

	(void)version;
	(void)inconsistent;
	if (call_class(r) != CALL_DONE && call_class(r) != CALL_NOT_FOUND && !l->all->failed) {
		struct answer *x = ARENA_NEW(l->arena, struct answer);
		bool large = *l->bytes > MEMBERS_LARGEST;
		*x = (struct answer){ .class = call_class(r), .status = call_exit_status(r), .code = r->code,
			.error = str_copy(l->arena, r->error), .stopped = r->outcome == TRANSPORT_STOPPED && !large };
		if (large)
			x->error = str_printf(l->arena,
				"the lists of %.*s take more than 256 MiB: name a run or a namespace",
				STR_ARG(l->query->resource.plural));
		l->all->failed = x;
	}
	if (!--*l->pending)
		loop_stop(l->client->loop);
}

struct members members_list(struct client *c, struct arena *a, const struct member_query *queries, size_t n)
{
	struct members all = { 0 };
	struct listing *lists = ARENA_ARRAY(a, struct listing, n);
	size_t pending = n, bytes = 0;

	for (size_t i = 0; i < n; i++) {
		const struct resource *r = &queries[i].resource;
		lists[i] = (struct listing){ .all = &all, .arena = a, .client = c, .query = &queries[i],
			.bytes = &bytes, .pending = &pending };
		struct object_list_options o = { .path = resource_path(a, r, queries[i].ns, STR("")),
			.label_selector = queries[i].selector, .metadata = queries[i].metadata,
			.keep = queries[i].whole || queries[i].compare ? NULL : queries[i].keep ? queries[i].keep
			: keep_of(r->group, r->kind), .object = list_object, .restart = list_restart,
				.skipped = list_skipped, .kind = r->kind, .done = list_done, .to = &lists[i] };
		object_list_start(c->calls, &o);
	}
	while (pending)
		loop_run(c->loop);
	return all;
}

struct members members_of(struct client *c, struct arena *a, const struct parent *p)
{
	return members_compared(c, a, p, NULL, NULL);
}

struct members members_compared(struct client *c, struct arena *a, const struct parent *p,
	struct str (*compare)(void *to, const struct member *m), void *to)
{
	struct str id = applyset_id(a, applyset_parent_name(a, p->run), p->ns, STR("ConfigMap"), STR(""));
	struct member_query *queries = NULL, q = { .named = true, .compare = compare, .to = to,
		.selector = str_cat(a, STR(APPLYSET_PART_OF "="), id, STR("")) };
	size_t n = 0;

	for (size_t k = 0; k < p->nkinds; k++) {
		q.resource = p->kinds[k];
		q.ns = p->ns;
		ARENA_PUSH(a, queries, n, q);
		for (size_t i = 0; p->kinds[k].namespaced && i < p->napplied; i++) {
			const struct applied *x = &p->applied[i];
			bool known = str_eq(x->ns, p->ns) || !str_eq(x->resource.kind, p->kinds[k].kind) ||
				!str_eq(x->resource.group, p->kinds[k].group);
			for (size_t m = 0; m < n && !known; m++)
				known = str_eq(queries[m].ns, x->ns) && str_eq(queries[m].resource.kind,
					x->resource.kind);
			q.ns = x->ns;
			if (!known)
				ARENA_PUSH(a, queries, n, q);
		}
	}
	return members_list(c, a, queries, n);
}

const struct member *members_find(const struct members *m, const struct resource *r, struct str ns, struct str name)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct member *x = &m->at[i];
		if (str_eq(x->name, name) && str_eq(x->ns, ns) && str_eq(x->resource.kind, r->kind) &&
			str_eq(x->resource.group, r->group))
			return x;
	}
	return NULL;
}
