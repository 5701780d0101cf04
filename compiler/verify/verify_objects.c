/*
 * verify_objects.c - checks raw fields, and the size of objects. A tree is made only for objects that may have an
 * error: those with raw fields, the user's own, and those with so much text that their JSON could exceed the limit if
 * each byte needs an escape of six bytes.
 */
#include "verify/verify.h"

#include "kube/limits.h"
#include "verify/api_rules.h"

enum { WORST_ESCAPE = 6, SKELETON = 64 * 1024 };

/* ---- computing the length of a tree as JSON, without blanks ---- */

static size_t json_length(struct str s)
{
	size_t n = 2;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char ch = (unsigned char)s.p[i];
		if (ch == '"' || ch == '\\' || ch == '\n' || ch == '\r' || ch == '\t')
			n += 2;
		else
			n += ch < 0x20 ? WORST_ESCAPE : 1;
	}
	return n;
}

static size_t json_size(const struct object *o, int64_t index, struct arena *a)
{
	struct buf text = { 0 };
	size_t n = 2;

	switch (o->kind) {
	case OBJECT_STRING: return json_length(o->u.string);
	case OBJECT_TEXT:
		object_text(o, index, &text);
		n = json_length(buf_text(&text));
		buf_release(&text);
		return n;
	case OBJECT_MADE: return json_size(o->u.made.make(o->u.made.context, a, index), index, a);
	case OBJECT_LIST:
		for (size_t i = 0; i < o->u.list.n; i++)
			n += json_size(o->u.list.at[i], index, a) + 1;
		return n;
	case OBJECT_MAP:
		for (size_t i = 0; i < o->u.map.n; i++)
			n += json_length(o->u.map.at[i].key) + json_size(o->u.map.at[i].value, index, a) + 2;
		return n;
	default: return 24;             /* maximum length of a number */
	}
}

/* ---- computing the maximum length of the texts in a role's object ---- */

static size_t texts_length(const struct emit_measure *m, const struct plan_texts *texts)
{
	size_t longest = 0, n = 0;

	for (size_t i = 0; i < texts->n; i++)
		n += emit_text_length(m, &texts->at[i], -1) + 4;
	for (int64_t i = 0; texts->per_replica && i < m->role->max; i++) {
		size_t own = 0;
		for (size_t k = 0; k < texts->per_replica[i].n; k++)
			own += emit_text_length(m, &texts->per_replica[i].at[k], i) + 4;
		longest = own > longest ? own : longest;
	}
	return n + longest;
}

static size_t container_length(struct checking *c, const struct plan_job *j, const struct plan_role *r,
	const struct plan_container *pc)
{
	struct emit_measure m = emit_measure_of(c->arena, j, r, pc);
	size_t n = texts_length(&m, &pc->command) + texts_length(&m, &pc->args) + 128 * (pc->nmounts + pc->nports);

	for (size_t i = 0; i < pc->nenv; i++)
		n += m.lengths[i] + pc->env[i].name.n + 16;
	return n;
}

static size_t role_length(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	size_t n = container_length(c, j, r, &r->main) + 256 * r->nfiles;

	for (size_t i = 0; i < r->nsidecars; i++)
		n += container_length(c, j, r, &r->sidecars[i]);
	for (size_t i = 0; i < r->ninits; i++)
		n += container_length(c, j, r, &r->inits[i]);
	return n;
}

/* ---- checking annotations and data ---- */

static size_t map_size(const struct object *map)
{
	size_t n = 0;

	for (size_t i = 0; map && map->kind == OBJECT_MAP && i < map->u.map.n; i++) {
		const struct object *value = map->u.map.at[i].value;
		n += map->u.map.at[i].key.n + (value->kind == OBJECT_STRING ? value->u.string.n : 0);
	}
	return n;
}

static size_t pairs_size(const struct plan_pairs *pairs)
{
	size_t n = 0;

	for (size_t i = 0; i < pairs->n; i++)
		n += pairs->at[i].key.n + pairs->at[i].value.n;
	return n;
}

/* Returns the longest label or annotation that the job or role itself writes, which the user should move elsewhere. */
static struct span longest_pair(struct span none, const struct plan_pairs *job, const struct plan_pairs *role)
{
	const struct plan_pairs *both[] = { job, role };
	struct span at = none;
	size_t longest = 0;

	for (int l = 0; l < 2; l++)
		for (size_t i = 0; i < both[l]->n; i++)
			if (both[l]->at[i].value.n > longest && span_known(both[l]->at[i].key_at)) {
				longest = both[l]->at[i].value.n;
				at = both[l]->at[i].key_at;
			}
	return at;
}

static void annotations(struct checking *c, size_t n, struct span at)
{
	if (n <= LIMIT_ANNOTATIONS)
		return;
	struct str size = check_size(c->arena, n);
	struct diag *d = diag_report(c->diags, TJ0807, at, "annotations are %.*s; at most 256 KiB", STR_ARG(size));
	diag_help(c->diags, d, "put long texts into 'files' or a ConfigMap");
}

/* Is the data too large? Then this is reported, and the size of the object is not. */
static bool data_too_large(struct checking *c, const struct manifest *m, const struct object *o)
{
	size_t n = map_size(object_get(o, STR("data"))) + map_size(object_get(o, STR("stringData")));

	if ((!str_is(str_of(m->kind), "ConfigMap") && !str_is(str_of(m->kind), "Secret")) || n <= LIMIT_DATA)
		return false;
	struct str size = check_size(c->arena, n);
	struct diag *d = diag_report(c->diags, TJ0806, m->from, "%.*s of data; a %s holds at most 1 MiB", STR_ARG(size),
		m->kind);
	diag_help(c->diags, d, "use a volume");
	return true;
}

/* ---- one object ---- */

static bool has_raw(const struct plan_role *r)
{
	bool raw = r->raw_pod || r->raw_job || r->main.raw;

	for (size_t i = 0; i < r->nsidecars; i++)
		raw |= r->sidecars[i].raw != NULL;
	for (size_t i = 0; i < r->ninits; i++)
		raw |= r->inits[i].raw != NULL;
	return raw;
}

/* Does the role ask for the level "restricted" of Pod Security? Then emit checks its pods. */
static bool is_restricted(const struct plan_role *r) { return r->main.security && r->main.security->restricted; }

static bool large(size_t length) { return length * WORST_ESCAPE + SKELETON > LIMIT_OBJECT; }

/*
 * Does an object that holds all roles have to be made as a tree? In its length, an unrolled role counts once for each
 * replica.
 */
static bool whole_worth_making(struct checking *c, const struct plan_job *j, size_t *ret_length)
{
	bool raw = false;

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max)
			continue;
		size_t length = role_length(c, j, r) + pairs_size(&j->annotations) + pairs_size(&r->annotations);
		*ret_length += r->unrolled ? (length + SKELETON / WORST_ESCAPE) * (size_t)r->max : length;
		raw |= has_raw(r) || is_restricted(r);
	}
	return raw || large(*ret_length);
}

static bool worth_making(struct checking *c, struct emit *e, const struct manifest *m, size_t *ret_length)
{
	const struct plan_role *r = m->role;

	*ret_length = 0;
	if (m->object)
		return true;
	if (str_is(str_of(m->kind), "Service"))
		return e->job->raw_service != NULL;
	if (m->whole)
		return whole_worth_making(c, e->job, ret_length);
	if (!r)
		return false;
	if (str_is(str_of(m->kind), "ConfigMap")) {
		*ret_length = LIMIT_DATA;
		return emit_files_of(c->arena, e->job, r).n > 0;
	}
	*ret_length = role_length(c, e->job, r) + pairs_size(&e->job->annotations) + pairs_size(&r->annotations);
	return has_raw(r) || is_restricted(r) || large(*ret_length);
}

static bool is_object_too_large(struct checking *c, struct emit *e, const struct manifest *m, const struct object *o,
	int64_t index)
{
	struct arena made = { 0 };
	size_t n = json_size(o, index, &made);

	arena_release(&made);
	if (n <= LIMIT_OBJECT)
		return false;
	struct str size = check_size(c->arena, n);
	struct diag *d = diag_report(c->diags, TJ0805, check_place(c, m->from, e->job->name_at, e->job->name_at),
		"%s '%.*s' is %.*s; the API server accepts at most 1.5 MiB", m->kind, STR_ARG(m->name), STR_ARG(size));
	diag_help(c->diags, d, "shorten its texts, or put them in 'files' or a volume");
	return true;
}

/* Does the manifest contain raw fields that the user wrote? */
static bool written_raw(const struct emit *e, const struct manifest *m)
{
	bool raw = m->object || (str_is(str_of(m->kind), "Service") && e->job->raw_service) ||
		(m->role && has_raw(m->role));

	for (size_t i = 0; m->whole && !raw && i < e->job->nroles; i++)
		raw = e->job->roles[i].max && has_raw(&e->job->roles[i]);
	return raw;
}

/* Applies the rules of the API server, unless the object already violates the schema. */
static void api_rules(struct checking *c, struct emit *e, const struct manifest *m, const struct object *o)
{
	if (!written_raw(e, m) || c->diags->errors != c->before)
		return;
	const struct data *d = object_to_data(&c->tree, o, m->first);
	const struct schema_kind *kind = schema_find_kind(&schema_builtin, emit_data_text(d, "apiVersion"),
		emit_data_text(d, "kind"));
	if (kind)
		api_check(c, &schema_builtin.types[kind->type], d,
			check_place(c, m->from, e->job->name_at, e->job->name_at));
	arena_reset(&c->tree);
}

static bool check_manifest(struct emit *e, const struct manifest *m, void *context)
{
	struct checking *c = context;
	size_t length;

	if (m->role && !str_is(str_of(m->kind), "ConfigMap"))
		annotations(c, pairs_size(&e->job->annotations) + pairs_size(&m->role->annotations),
			longest_pair(e->job->name_at, &e->job->annotations, &m->role->annotations));
	for (size_t i = 0; m->whole && i < e->job->nroles; i++)
		if (e->job->roles[i].max)
			annotations(c, pairs_size(&e->job->annotations) + pairs_size(&e->job->roles[i].annotations),
				longest_pair(e->job->name_at, &e->job->annotations, &e->job->roles[i].annotations));
	if (!worth_making(c, e, m, &length))
		return true;
	struct object *o = m->make(e, m);
	api_rules(c, e, m, o);
	if (m->object && pairs_size(&e->job->annotations) <= LIMIT_ANNOTATIONS)
		annotations(c, map_size(object_get(emit_metadata(o), STR("annotations"))), m->from);
	if (m->object ? data_too_large(c, m, o) : c->too_long || !large(length))
		return true;
	bool varies = m->count > 1 && m->count <= 1024;
	for (int64_t i = varies ? m->first : m->first + m->count - 1; i < m->first + m->count; i++)
		if (is_object_too_large(c, e, m, o, i))
			break;
	return true;
}

void check_objects(struct checking *c)
{
	struct emit e = { .plan = c->plan, .diags = c->diags };

	emit_each(&e, check_manifest, c);
	arena_release(&c->tree);
}
