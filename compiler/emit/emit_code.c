/*
 * emit_code.c - writes the ConfigMaps that hold the code of roles. Their names depend on the content only, so jobs with
 * the same code share them: the first job that has the code writes them.
 */
#include "emit/emit_build.h"
#include "plan/code.h"

/* ---- base64 ---- */

static struct str base64_text(struct arena *a, struct str bytes)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *out = arena_alloc(a, (bytes.n + 2) / 3 * 4 + 1);
	size_t n = 0;

	for (size_t i = 0; i < bytes.n; i += 3) {
		uint32_t word = 0;
		for (size_t k = 0; k < 3; k++)
			word = word << 8 | (i + k < bytes.n ? (unsigned char)bytes.p[i + k] : 0);
		for (int k = 0; k < 4; k++)
			out[n++] = i + (size_t)k > bytes.n ? '=' : digits[word >> (18 - 6 * k) & 63];
	}
	return (struct str){ out, n };
}

/* ---- the objects ---- */

struct str emit_code_name(struct arena *a, const struct plan_code *c, unsigned part)
{
	return str_printf(a, "trainc-code-%.*s-%u", STR_ARG(code_short(c)), part);
}

static struct str code_key(struct arena *a, unsigned part) { return str_printf(a, "part-%03u", part); }

struct object *emit_code_make(struct emit *e, const struct manifest *m)
{
	struct arena *a = e->arena;
	const struct plan_code *c = m->code;
	struct object *o = object_map(a, m->from), *metadata, *map;
	struct str part = { c->packed.p + (size_t)m->part * CODE_PART, c->packed.n - (size_t)m->part * CODE_PART };

	if (part.n > CODE_PART)
		part.n = CODE_PART;
	PUT_STR(a, o, "apiVersion", STR("v1"), m->from);
	PUT_STR(a, o, "kind", STR("ConfigMap"), m->from);
	metadata = PUT_MAP(a, o, "metadata", m->from);
	PUT_STR(a, metadata, "name", m->name, m->from);
	if (e->job->ns.set || e->job->namespace_in_address)
		PUT_STR(a, metadata, "namespace", plan_namespace(e->job), e->job->ns.from);
	map = PUT_MAP(a, metadata, "labels", m->from);
	PUT_STR(a, map, "app.kubernetes.io/managed-by", STR("trainc"), m->from);
	object_append(a, map, CODE_LABEL, object_string(a, code_short(c), m->from));
	PUT_STR(a, PUT_MAP(a, metadata, "annotations", m->from), "trainc.dev/code-id",
		str_cat(a, STR("sha256:"), c->id, STR("")), m->from);
	PUT_BOOL(a, o, "immutable", true, m->from);
	map = PUT_MAP(a, o, "binaryData", m->from);
	object_append(a, map, code_key(a, m->part), object_string(a, base64_text(a, part), m->from));
	return o;
}

/* ---- in the pod ---- */

void emit_code_volume(struct emit *e, const struct plan_role *r, struct str name, struct object *list)
{
	struct arena *a = e->arena;
	const struct plan_code *c = r->code;
	struct object *o = object_add_map(a, list, c->from), *sources;

	PUT_STR(a, o, "name", name, c->from);
	sources = PUT_LIST(a, PUT_MAP(a, o, "projected", c->from), "sources", c->from);
	for (unsigned i = 0; i < c->parts; i++) {
		struct str key = code_key(a, i);
		struct object *map = PUT_MAP(a, object_add_map(a, sources, c->from), "configMap", c->from), *item;
		PUT_STR(a, map, "name", emit_code_name(a, c, i), c->from);
		item = object_add_map(a, PUT_LIST(a, map, "items", c->from), c->from);  /* and no other key */
		PUT_STR(a, item, "key", key, c->from);
		PUT_STR(a, item, "path", key, c->from);
	}
}

void emit_code_label(struct emit *e, const struct plan_role *r, struct object *labels)
{
	if (r && r->code)
		object_append(e->arena, labels, CODE_LABEL,
			object_string(e->arena, code_short(r->code), r->code->from));
}
