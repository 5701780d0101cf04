/*
 * definitions.c - reads CustomResourceDefinitions of a cluster, for `vendor crd`. An operand is a kind, its plural, the
 * name of a definition (PLURAL.GROUP), or a group, which means all of its kinds. Discovery finds the names; then
 * each definition is read by its name, without the parts that differ between clusters.
 */
#include "runtime/cluster/cluster.h"

#include "diag/suggest.h"
#include "objects/object.h"
#include "runtime/status/look.h"

struct wanted_definitions {
	struct cluster *cluster;
	struct str *names;              /* names of the definitions: "jobsets.jobset.x-k8s.io" */
	size_t n;
	struct map seen;
};

static void want_definition(struct wanted_definitions *w, const struct resource *r)
{
	struct str name = str_printf(w->cluster->arena, "%.*s.%.*s", STR_ARG(r->plural), STR_ARG(r->group));

	if (!map_put(&w->seen, w->cluster->arena, name, w))
		ARENA_PUSH(w->cluster->arena, w->names, w->n, name);
}

static bool find_names(struct wanted_definitions *w, struct str operand)
{
	struct discovery *d = &w->cluster->discovery;
	struct str lower = str_lower(w->cluster->arena, operand);
	struct suggest near;
	size_t before = w->n;

	suggest_init(&near, w->cluster->arena, operand);
	for (size_t i = 0; i < d->n; i++) {
		const struct resource *r = &d->at[i];
		struct str name = str_printf(w->cluster->arena, "%.*s.%.*s", STR_ARG(r->plural), STR_ARG(r->group));
		if (!r->group.n)
			continue;
		if (str_eq(lower, str_lower(w->cluster->arena, r->kind)) || str_eq(lower, r->plural) ||
			str_eq(lower, name) ||
			str_eq(lower, r->group))
			want_definition(w, r);
		suggest_add(&near, r->kind);
	}
	if (w->n == before && !d->aggregated && memchr(operand.p, '.', operand.n))
		ARENA_PUSH(w->cluster->arena, w->names, w->n, operand);         /* the server is old, so its groups are
										 * requested one by one */
	if (w->n > before)
		return true;
	struct str sentence = suggest_sentence(&near);
	session_say(w->cluster->session, "the cluster has no kind, definition or group '%.*s'%s%.*s", STR_ARG(operand),
		sentence.n ? "; " : "", STR_ARG(sentence));
	return false;
}

/* The part of a definition that describes its objects, without values that are specific to one cluster. */
static struct str definition_text(struct arena *a, struct str name, const struct data *definition)
{
	struct object *all = object_map(a, (struct span){ 0 }), *metadata = object_map(a, (struct span){ 0 }),
		*spec = object_map(a, (struct span){ 0 });
	const struct data *from = data_get(definition, STR("spec"));

	for (size_t i = 0; from && from->kind == DATA_MAP && i < from->u.map.n; i++)
		if (!str_is(from->u.map.at[i].key, "conversion"))
			object_append(a, spec, from->u.map.at[i].key, object_from_data(a, from->u.map.at[i].value));
	object_append_word(a, metadata, STR("name"), object_string(a, name, (struct span){ 0 }));
	object_append_word(a, all, STR("apiVersion"),
		object_string(a, STR("apiextensions.k8s.io/v1"), (struct span){ 0 }));
	object_append_word(a, all, STR("kind"), object_string(a, STR("CustomResourceDefinition"), (struct span){ 0 }));
	object_append_word(a, all, STR("metadata"), metadata);
	object_append_word(a, all, STR("spec"), spec);
	return cluster_yaml(a, all);
}

static bool fetch(struct wanted_definitions *w, const struct resource *definitions, struct manifest_text **ret,
	size_t *ret_n,
	int *ret_status)
{
	struct cluster *k = w->cluster;
	struct batch b = batch_new(&k->client, k->arena);

	for (size_t i = 0; i < w->n; i++)
		batch_add(&b, &(struct transport_request){ .method = TRANSPORT_GET, .kind = TRANSPORT_READ,
			.path = resource_path(k->arena, definitions, STR(""), w->names[i]) }, CALL_BY_METHOD);
	batch_wait(&b);
	*ret = ARENA_ARRAY(k->arena, struct manifest_text, w->n);
	for (size_t i = 0; i < w->n; i++) {
		const struct answer *x = b.answers[i];
		if (x->class == CALL_NOT_FOUND) {
			session_say(k->session, "%.*s has no definition: it is a kind of Kubernetes itself, or of an "
				"API server beside it",
				STR_ARG(w->names[i]));
			*ret_status = STATUS_PROGRAM;
			return false;
		}
		if (x->class != CALL_DONE || !x->data) {
			*ret_status = cluster_say(k, x);
			return false;
		}
		(*ret)[(*ret_n)++] = (struct manifest_text){ str_cat(k->arena, STR("crd/"), w->names[i], STR("")),
			definition_text(k->arena, w->names[i], x->data) };
	}
	return true;
}

bool cluster_definitions(struct session *s, struct manifest_text **ret, size_t *ret_n, int *ret_status)
{
	struct wanted_definitions w = { .cluster = cluster_of(s) };
	const struct resource *definitions = discovery_find(&w.cluster->discovery, STR("apiextensions.k8s.io/v1"),
		STR("CustomResourceDefinition"));

	*ret_n = 0;
	*ret_status = STATUS_PROGRAM;
	if (!definitions) {
		if (w.cluster->discovery.failed)
			*ret_status = cluster_say(w.cluster, w.cluster->discovery.failed);
		else
			session_say(s,
				"the cluster does not serve CustomResourceDefinition of apiextensions.k8s.io/v1");
		return false;
	}
	for (size_t i = 1; i < s->options->noperands; i++)
		if (!find_names(&w, s->options->operands[i]))
			return false;
	return fetch(&w, definitions, ret, ret_n, ret_status);
}
