/* strayed.c - finds the objects of a run that somebody has deleted or changed since the run was applied. */
#include "runtime/cluster/strayed.h"

#include "base/words.h"
#include "runtime/status/look.h"

struct strayed {
	struct cluster *cluster;
	struct run_object *at;
	size_t n;
};

/* Is the state of such objects watched anyway? Namespaces are shared, and nobody else's changes there matter. */
static bool is_watched_kind(const struct resource *r)
{
	return cluster_watches_kind(r) || str_is(r->kind, "Job") || str_is(r->kind, "Pod") ||
		str_is(r->kind, "Namespace");
}

/* Do only people write the specifications of such objects? Controllers write those of other kinds, too. */
static bool is_passive_kind(const struct resource *r)
{
	return !r->group.n && (str_is(r->kind, "Service") || str_is(r->kind, "ConfigMap") ||
		str_is(r->kind, "Secret"));
}

/* Appends the names of the members that the managed fields FIELDS contain, as "data.a.txt". */
static void put_fields(struct buf *out, const char *holder, const struct data *fields)
{
	static const struct str mark = { "f:", 2 };

	for (size_t i = 0; i < fields->u.map.n; i++) {
		struct str key = fields->u.map.at[i].key;
		if (!str_starts(key, mark))
			continue;
		buf_printf(out, "%s%s%.*s", out->n ? ", " : "", holder, (int)(key.n - mark.n), key.p + mark.n);
	}
}

/*
 * The fields in one entry of the managed fields that a program writes: all but the metadata, where controllers and
 * people leave notes, and the status.
 */
static struct str fields_of(struct arena *a, const struct data *entry)
{
	const struct data *all = status_path(entry, "fieldsV1");
	struct buf b = { 0 };

	for (size_t i = 0; all && all->kind == DATA_MAP && i < all->u.map.n; i++) {
		const struct data_member *m = &all->u.map.at[i];
		if (m->value->kind != DATA_MAP || m->key.n < 3 || str_is(m->key, "f:metadata") ||
			str_is(m->key, "f:status"))
			continue;
		struct str holder = str_printf(a, "%.*s.", (int)(m->key.n - 2), m->key.p + 2);
		put_fields(&b, holder.p, m->value);
	}
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

static void add_strayed(struct strayed *all, const struct applied *x, enum run_phase phase, struct str cause)
{
	struct run_object o = { .kind = x->resource.kind, .name = x->name, .phase = phase, .cause = cause };

	ARENA_PUSH(all->cluster->arena, all->at, all->n, o);
}

/* Adds the object M if somebody other than trainc has written fields of it. */
static void look_for_change(struct strayed *all, const struct applied *x, const struct member *m)
{
	struct arena *a = all->cluster->arena;
	const struct data *managers = status_list(m->object, "metadata.managedFields");

	for (size_t i = 0; i < managers->u.list.n; i++) {
		const struct data *entry = managers->u.list.at[i];
		struct str who = status_text(entry, "manager");
		if (str_starts(who, STR(APPLYSET_MANAGER)) || status_text(entry, "subresource").n ||
			!(is_passive_kind(&x->resource) || str_starts(who, STR("kubectl"))))
			continue;
		struct str fields = fields_of(a, entry);
		if (fields.n) {
			add_strayed(all, x, RUN_DEGRADED, str_printf(a, "%.*s was changed by '%.*s'" RUN_STRAYED,
				STR_ARG(text_line(a, fields)), STR_ARG(text_line(a, who))));
			return;
		}
	}
}

/* Adds an object that no list contains, unless it exists and has only lost its label. */
static void look_for_loss(struct strayed *all, const struct applied *x)
{
	struct cluster *k = all->cluster;
	struct answer *found = request_get(&k->client, k->arena, resource_path(k->arena, &x->resource, x->ns, x->name));

	if (found->class == CALL_NOT_FOUND)
		add_strayed(all, x, RUN_ABSENT, STR("was deleted" RUN_STRAYED));
	else if (found->class == CALL_DONE)
		add_strayed(all, x, RUN_DEGRADED, STR("has lost the label " APPLYSET_PART_OF RUN_STRAYED));
}

struct run_object *strayed_objects(struct cluster *k, const struct parent *p, size_t *ret_n)
{
	static const char *const keep[] = { "apiVersion", "kind", "metadata", NULL };
	struct str id = applyset_id(k->arena, applyset_parent_name(k->arena, p->run), p->ns, STR("ConfigMap"), STR(""));
	struct strayed all = { .cluster = k };

	for (size_t i = 0; i < p->nkinds; i++) {
		struct member_query q = { .resource = p->kinds[i], .ns = p->kinds[i].namespaced ? p->ns : STR(""),
			.selector = str_cat(k->arena, STR(APPLYSET_PART_OF "="), id, STR("")), .keep = keep,
			.metadata = true };
		if (is_watched_kind(&q.resource))
			continue;
		struct members found = members_list(&k->client, k->arena, &q, 1);
		for (size_t n = 0; n < p->napplied && !found.failed && !found.skipped; n++) {
			const struct applied *x = &p->applied[n];
			bool here = str_eq(x->ns, q.ns) && str_eq(x->resource.kind, q.resource.kind) &&
				str_eq(x->resource.group, q.resource.group);
			const struct member *m = here ? members_find(&found, &q.resource, x->ns, x->name) : NULL;
			if (m)
				look_for_change(&all, x, m);
			else if (here)
				look_for_loss(&all, x);
		}
	}
	*ret_n = all.n;
	return all.at;
}

void strayed_show(struct arena *a, const struct run_object *at, size_t n, struct run_state *s)
{
	if (!n || run_phase_final(s->phase) || s->phase == RUN_ABSENT || s->phase == RUN_COMPLETING ||
		s->phase == RUN_FAILING || s->phase == RUN_TERMINATING)
		return;
	struct run_object *objects = ARENA_ARRAY(a, struct run_object, s->nobjects + n);
	for (size_t i = 0; i < s->nobjects + n; i++)
		objects[i] = i < s->nobjects ? s->objects[i] : at[i - s->nobjects];
	s->objects = objects;
	s->nobjects += n;
	if (!s->cause.n)
		s->cause = str_printf(a, "%.*s %.*s %.*s", STR_ARG(at->kind), STR_ARG(at->name), STR_ARG(at->cause));
}
