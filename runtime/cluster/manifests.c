/*
 * manifests.c - fetches the jobs of a cluster, whichever controller runs them, as manifests for `import`. With --all:
 * every object of a kind that can become a program, except objects that `apply` made, since a program for them exists.
 * Otherwise: the objects that the operands name, by KIND/NAME, or by NAME in all kinds. Objects that the fetched
 * objects refer to are fetched, too.
 */
#include "runtime/cluster/cluster.h"

#include <stdlib.h>

#include "diag/suggest.h"
#include "import/import_kinds.h"
#include "objects/object.h"
#include "objects/objects_render.h"
#include "runtime/status/look.h"

struct kind {
	struct import_row row;
	const struct resource *resource;        /* NULL: the server does not serve the kind */
};

struct fetching {
	struct cluster *cluster;
	struct arena *arena;
	struct kind *kinds;
	size_t nkinds;
	struct member *at;              /* the objects found */
	size_t n;
	struct map seen;                /* uids of the objects found */
	int *ret_status;
};

static bool find_kinds(struct fetching *f)
{
	struct import_row row;

	for (size_t i = 0; import_row(i, &row); i++) {
		struct kind k = { row, discovery_find(&f->cluster->discovery, str_of(row.api_version),
			str_of(row.kind)) };
		if (f->cluster->discovery.failed) {
			*f->ret_status = cluster_say(f->cluster, f->cluster->discovery.failed);
			return false;
		}
		ARENA_PUSH(f->arena, f->kinds, f->nkinds, k);
	}
	return true;
}

static void add_found(struct fetching *f, const struct member *m)
{
	if (map_put(&f->seen, f->arena, m->uid, f))
		return;
	ARENA_PUSH(f->arena, f->at, f->n, *m);
}

/* ---- by their kinds ---- */

/* Was the object made by `apply`? Then a program for the object exists. */
static bool is_applied(const struct member *m)
{
	return str_is(status_label(m->object, "app.kubernetes.io/managed-by"), "trainc");
}

static int by_place(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = str_cmp(x->ns, y->ns);

	order = order ? order : str_cmp(x->name, y->name);
	return order ? order : str_cmp(x->resource.kind, y->resource.kind);
}

static struct members list_jobs(struct fetching *f, struct str ns, const char *const *what)
{
	struct member_query *queries = ARENA_ARRAY(f->arena, struct member_query, f->nkinds);
	size_t n = 0;

	for (size_t i = 0; i < f->nkinds; i++)
		if (f->kinds[i].resource && f->kinds[i].row.use == IMPORT_JOB)
			queries[n++] = (struct member_query){ .resource = *f->kinds[i].resource, .ns = ns,
				.keep = what };
	struct members all = members_list(&f->cluster->client, f->arena, queries, n);
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_place);
	return all;
}

static bool fetch_all(struct fetching *f)
{
	struct session *s = f->cluster->session;
	bool everywhere = option_given(s->options, OPTION_ALL_NAMESPACES);
	struct str ns = everywhere ? STR("") : cluster_namespace(f->cluster, STR(""));
	struct members all = list_jobs(f, ns, manifest_keep);
	size_t applied = 0;

	if (all.failed) {
		*f->ret_status = cluster_say(f->cluster, all.failed);
		return false;
	}
	for (size_t i = 0; i < all.n; i++) {
		if (status_controller(all.at[i].object))
			continue;
		if (is_applied(&all.at[i]))
			applied++;
		else
			add_found(f, &all.at[i]);
	}
	if (applied)
		session_say(s, "%zu object%s left out: trainc apply made %s from programs", applied,
			applied > 1 ? "s are" : " is", applied > 1 ? "them" : "it");
	if (f->n)
		return true;
	if (everywhere)
		session_say(s, "found no job to import in any namespace");
	else
		session_say(s, "found no job to import in namespace '%.*s'", STR_ARG(ns));
	*f->ret_status = STATUS_PROGRAM;
	return false;
}

/* ---- by their names ---- */

/* Does WORD name the kind? "jobset", "JobSets" and "jobsets.jobset.x-k8s.io" are the same kind. */
static bool names_kind(struct arena *a, const struct kind *k, struct str word)
{
	struct str lower = str_lower(a, word), kind = str_lower(a, str_of(k->row.kind));
	struct str version = str_of(k->row.api_version), plural = str_cat(a, kind, STR("s"), STR("")), group, ignored;

	resource_split(version, &group, &ignored);
	return str_eq(lower, kind) || str_eq(lower, plural) ||
		(group.n && (str_eq(lower, str_printf(a, "%.*s.%.*s", STR_ARG(kind), STR_ARG(group))) ||
		str_eq(lower, str_printf(a, "%.*s.%.*s", STR_ARG(plural), STR_ARG(group)))));
}

/* Reports an unknown kind with similar names, or else with the kinds that the server has. */
static void unknown_kind(struct fetching *f, struct str word)
{
	struct suggest near;

	suggest_init(&near, f->arena, str_lower(f->arena, word));
	for (size_t i = 0; i < f->nkinds; i++)
		if (f->kinds[i].row.use != IMPORT_BESIDE && f->kinds[i].resource)
			suggest_add(&near, str_lower(f->arena, str_of(f->kinds[i].row.kind)));
	struct str sentence = suggest_or_list(&near, "the cluster has");
	session_say(f->cluster->session, "'%.*s' is not a kind that can be imported%s%.*s", STR_ARG(word),
		sentence.n ? "; " : "", STR_ARG(sentence));
}

/* The kinds that an operand can mean: the kind that it names, or else all kinds that the server serves. */
static bool choose_kinds(struct fetching *f, struct str word, struct kind *ret, size_t *ret_n)
{
	const struct kind *absent = NULL;

	*ret_n = 0;
	for (size_t i = 0; i < f->nkinds; i++) {
		const struct kind *k = &f->kinds[i];
		bool wanted = word.n ? names_kind(f->arena, k, word) : k->row.use == IMPORT_JOB;
		if (wanted && k->resource)
			ret[(*ret_n)++] = *k;
		else if (wanted)
			absent = k;
	}
	if (*ret_n || !word.n)
		return true;
	if (absent)
		session_say(f->cluster->session, "the cluster does not have the kind %s (%s)", absent->row.kind,
			absent->row.api_version);
	else
		unknown_kind(f, word);
	return false;
}

static void not_found(struct fetching *f, struct str kind, struct str name, struct str ns)
{
	struct members all = list_jobs(f, ns, keep_of(STR(""), STR("ConfigMap")));
	struct suggest near;

	suggest_init(&near, f->arena, name);
	for (size_t i = 0; i < all.n; i++)
		if (!status_controller(all.at[i].object))
			suggest_add(&near, all.at[i].name);
	struct str sentence = suggest_sentence(&near);
	session_say(f->cluster->session, "there is no %.*s '%.*s' in namespace '%.*s'%s%.*s",
		STR_ARG(kind.n ? kind : STR("job")),
		STR_ARG(name), STR_ARG(ns), sentence.n ? "; " : "", STR_ARG(sentence));
	*f->ret_status = STATUS_PROGRAM;
}

static struct member member_from(const struct resource *r, const struct data *object)
{
	return (struct member){ .resource = *r, .object = object, .ns = status_text(object, "metadata.namespace"),
		.name = status_text(object, "metadata.name"), .uid = status_text(object, "metadata.uid") };
}

/* Reports that objects of several kinds have this name, so the operand must include the kind. */
static bool say_several(struct fetching *f, struct str name, const struct member *found, size_t n)
{
	struct buf list = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct str kind = str_lower(f->arena, found[i].resource.kind);
		buf_printf(&list, "%s%.*s/%.*s", !i ? "" : i + 1 == n ? " or " : ", ", STR_ARG(kind), STR_ARG(name));
	}
	session_say(f->cluster->session, "'%.*s' may be %.*s: name one of them", STR_ARG(name),
		STR_ARG(buf_text(&list)));
	buf_release(&list);
	*f->ret_status = STATUS_USAGE;
	return false;
}

static bool fetch_one(struct fetching *f, struct str operand)
{
	const char *slash = memchr(operand.p, '/', operand.n);
	struct str kind = { operand.p, slash ? (size_t)(slash - operand.p) : 0 };
	struct str name = slash ? (struct str){ slash + 1, operand.n - kind.n - 1 } : operand;
	struct str ns = cluster_namespace(f->cluster, STR(""));
	struct kind *kinds = ARENA_ARRAY(f->arena, struct kind, f->nkinds);
	struct batch b = batch_new(&f->cluster->client, f->arena);
	struct member *found = ARENA_ARRAY(f->arena, struct member, f->nkinds);
	size_t n, nfound = 0;

	*f->ret_status = STATUS_USAGE;
	if (!name.n || (slash && !kind.n)) {
		session_say(f->cluster->session, "'%.*s' is not KIND/NAME or NAME", STR_ARG(operand));
		return false;
	}
	if (!choose_kinds(f, kind, kinds, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		batch_add(&b, &(struct transport_request){ .method = TRANSPORT_GET, .kind = TRANSPORT_READ,
			.path = resource_path(f->arena, kinds[i].resource, ns, name) }, CALL_BY_METHOD);
	batch_wait(&b);
	for (size_t i = 0; i < n; i++) {
		if (b.answers[i]->class == CALL_DONE && b.answers[i]->data)
			found[nfound++] = member_from(kinds[i].resource, b.answers[i]->data);
		else if (b.answers[i]->class != CALL_NOT_FOUND) {
			*f->ret_status = cluster_say(f->cluster, b.answers[i]);
			return false;
		}
	}
	if (!nfound)
		not_found(f, kind, name, ns);
	else if (nfound == 1)
		add_found(f, &found[0]);
	return nfound < 2 ? nfound : say_several(f, name, found, nfound);
}

/* ---- objects that the fetched objects refer to ---- */

static bool fetch_needs(struct fetching *f)
{
	size_t jobs = f->n;

	for (size_t i = 0; i < jobs; i++) {
		struct import_need need;
		const struct resource *r;
		struct str path;
		if (!import_need(f->at[i].object, &need))
			continue;
		r = discovery_find(&f->cluster->discovery, need.api_version, need.kind);
		path = r ? resource_path(f->arena, r, f->at[i].ns, need.name) : STR("");
		if (!r || map_put(&f->seen, f->arena, path, f))
			continue;
		struct answer *x = request_get(&f->cluster->client, f->arena, path);
		if (x->class == CALL_DONE && x->data) {
			struct member m = member_from(r, x->data);
			add_found(f, &m);
		} else if (x->class != CALL_NOT_FOUND) {        /* the import itself reports missing objects */
			*f->ret_status = cluster_say(f->cluster, x);
			return false;
		}
	}
	return true;
}

/* ---- as texts ---- */

struct str cluster_yaml(struct arena *a, const struct object *tree)
{
	struct rendered r = { 0 };

	render_object(&r, tree);
	struct str text = str_copy(a, buf_text(&r.bytes));
	render_release(&r);
	return text;
}

/* An object without its status and managed fields, as YAML. */
static struct str object_yaml(struct arena *a, const struct data *object)
{
	struct object *all = object_map(a, (struct span){ 0 });

	for (size_t i = 0; i < object->u.map.n; i++) {
		const struct data_member *m = &object->u.map.at[i];
		struct object *value = str_is(m->key, "metadata") ? object_map(a, (struct span){ 0 }) : NULL;
		for (size_t k = 0; value && m->value->kind == DATA_MAP && k < m->value->u.map.n; k++)
			if (!str_is(m->value->u.map.at[k].key, "managedFields"))
				object_append(a, value, m->value->u.map.at[k].key,
					object_from_data(a, m->value->u.map.at[k].value));
		if (!str_is(m->key, "status"))
			object_append(a, all, m->key, value ? value : object_from_data(a, m->value));
	}
	return cluster_yaml(a, all);
}

bool cluster_manifests(struct session *s, struct manifest_text **ret, size_t *ret_n, int *ret_status)
{
	struct fetching f = { .cluster = cluster_of(s), .arena = s->arena, .ret_status = ret_status };
	bool all = option_given(s->options, OPTION_ALL);

	*ret_n = 0;
	if (!find_kinds(&f) || (all && !fetch_all(&f)))
		return false;
	for (size_t i = 0; !all && i < s->options->noperands; i++)
		if (!fetch_one(&f, s->options->operands[i]))
			return false;
	if (!fetch_needs(&f))
		return false;
	*ret = ARENA_ARRAY(s->arena, struct manifest_text, f.n);
	for (size_t i = 0; i < f.n; i++)
		(*ret)[(*ret_n)++] = (struct manifest_text){
			.name = str_printf(s->arena, "%.*s/%.*s", STR_ARG(str_lower(s->arena, f.at[i].resource.kind)),
				STR_ARG(f.at[i].name)),
			.text = object_yaml(s->arena, f.at[i].object) };
	return true;
}
