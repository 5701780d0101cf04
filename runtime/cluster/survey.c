/*
 * survey.c - reads what `fit --all` counts. Each kind is listed by itself and page by page, and each object is counted
 * as it arrives: nothing but sums is kept. A kind that the user may not list is noted with the right that is missing;
 * of kinds that are in namespaces, those of one namespace are counted then.
 */
#include "runtime/cluster/cluster.h"
#include "runtime/cluster/object_list.h"
#include "runtime/cluster/skipped.h"
#include "runtime/fit/capacity.h"

#define TEXT(literal) { literal, sizeof(literal) - 1 }

struct survey {
	struct cluster *cluster;
	struct capacity *capacity;
	struct str ns;
	size_t pending;
	const struct answer *failed;    /* the first failure that is neither a missing right nor a missing kind */
};

struct survey_list {
	struct survey *survey;
	enum capacity_kind kind;
	struct resource resource;
	struct str ns;                  /* empty: all namespaces */
	bool denied;
};

static bool survey_object(void *to, const struct data *object)
{
	struct survey_list *l = to;

	capacity_add(l->survey->capacity, l->kind, object);
	return true;
}

static void survey_skipped(void *to, const struct json_skipped *skipped)
{
	struct survey_list *l = to;

	skipped_say(&l->survey->cluster->client, l->resource.kind, skipped);
}

static void survey_restart(void *to)
{
	struct survey_list *l = to;

	capacity_forget(l->survey->capacity, l->kind);
}

static void survey_done(void *to, const struct transport_result *r, struct str version, bool inconsistent)
{
	struct survey_list *l = to;
	struct survey *v = l->survey;
	enum call_class class = call_class(r);

	(void)version;
	(void)inconsistent;
	l->denied = class == CALL_DENIED && r->code == 403;
	v->capacity->read[l->kind] = class == CALL_DONE;
	if (class != CALL_DONE && class != CALL_NOT_FOUND && !l->denied && !v->failed) {
		struct answer *x = ARENA_NEW(v->cluster->arena, struct answer);
		*x = (struct answer){ .class = class, .status = call_exit_status(r), .code = r->code,
			.error = str_copy(v->cluster->arena, r->error), .stopped = r->outcome == TRANSPORT_STOPPED };
		v->failed = x;
	}
	if (!--v->pending)
		loop_stop(v->cluster->client.loop);
}

static void survey_start(struct survey_list *l)
{
	struct cluster *k = l->survey->cluster;
	struct object_list_options o = { .path = resource_path(k->arena, &l->resource, l->ns, STR("")),
		.keep = capacity_keep(l->kind), .object = survey_object, .restart = survey_restart,
		.skipped = survey_skipped, .kind = l->resource.kind, .done = survey_done, .to = l };

	l->survey->pending++;
	object_list_start(k->client.calls, &o);
}

static void await_lists(struct survey *v)
{
	while (v->pending)
		loop_run(v->cluster->client.loop);
}

/* Notes that a kind cannot be listed, and what that means. */
static void note_unseen(struct survey *v, const struct survey_list *l)
{
	static const char *const lost[] = { [CAPACITY_NODES] = "what the nodes have is not known",
		[CAPACITY_PODS] = "pods of other namespaces are not counted",
		[CAPACITY_QUOTAS] = "quotas are not shown",
		[CAPACITY_LOCAL_QUEUES] = "which queue leads where is not known",
		[CAPACITY_QUEUES] = "quotas of queues are not shown",
		[CAPACITY_WORKLOADS] = "the place of what waits is not known" };
	const struct resource *r = &l->resource;
	struct str text = str_printf(v->cluster->arena, "%s: you may not list %.*s%s%.*s %s%.*s", lost[l->kind],
		STR_ARG(r->plural), r->group.n ? "." : "", STR_ARG(r->group), l->ns.n ? "in namespace " :
		"of the whole cluster", STR_ARG(l->ns));

	ARENA_PUSH(v->cluster->arena, v->capacity->unseen, v->capacity->nunseen, text);
}

/* Lists what could not be listed for all namespaces, for one. */
static void list_one_namespace(struct survey *v, struct survey_list *lists, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct survey_list *l = &lists[i];
		if (!l->denied)
			continue;
		note_unseen(v, l);
		if (!l->resource.namespaced || l->ns.n)
			continue;
		l->ns = v->ns;
		v->capacity->part[l->kind] = true;
		survey_start(l);
	}
	await_lists(v);
	for (size_t i = 0; i < n; i++)
		if (lists[i].denied && v->capacity->part[lists[i].kind])
			note_unseen(v, &lists[i]);
}

static void add_list(struct survey *v, struct survey_list *lists, size_t *n, enum capacity_kind kind,
	const struct resource *r, bool one_namespace)
{
	if (!r)
		return;
	lists[(*n)++] = (struct survey_list){ .survey = v, .kind = kind, .resource = *r,
		.ns = one_namespace ? v->ns : STR("") };
}

bool cluster_survey(struct session *s, struct capacity *c, struct str *ns, int *ret_status)
{
	static const struct resource quota = { TEXT(""), TEXT("v1"), TEXT("ResourceQuota"), TEXT("resourcequotas"),
		true };
	const struct str kueue = STR("kueue.x-k8s.io");
	struct cluster *k = cluster_of(s);
	struct survey v = { .cluster = k, .capacity = c, .ns = cluster_namespace(k, STR("")) };
	struct survey_list lists[CAPACITY_KINDS];
	size_t n = 0;

	*ns = v.ns;
	add_list(&v, lists, &n, CAPACITY_NODES, resource_known(STR(""), STR("Node")), false);
	add_list(&v, lists, &n, CAPACITY_PODS, resource_known(STR(""), STR("Pod")), false);
	add_list(&v, lists, &n, CAPACITY_QUOTAS, &quota, true);
	add_list(&v, lists, &n, CAPACITY_QUEUES, discovery_any(&k->discovery, kueue, STR("ClusterQueue")), false);
	/* without the queues of other namespaces, those of what waits there would be unknown */
	add_list(&v, lists, &n, CAPACITY_LOCAL_QUEUES, discovery_any(&k->discovery, kueue, STR("LocalQueue")), false);
	add_list(&v, lists, &n, CAPACITY_WORKLOADS, discovery_any(&k->discovery, kueue, STR("Workload")), false);
	for (size_t i = 0; i < n; i++)
		survey_start(&lists[i]);
	await_lists(&v);
	if (!v.failed)
		list_one_namespace(&v, lists, n);
	if (v.failed) {
		*ret_status = cluster_say(k, v.failed);
		return false;
	}
	capacity_finish(c);
	return true;
}
