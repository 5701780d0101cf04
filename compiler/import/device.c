/*
 * device.c - finds devices by name, and keeps the node labels and tolerations that the chosen device does not imply.
 */
#include "import/device.h"

#include <ctype.h>

#include "check/check_schema.h"
#include "check/module.h"
#include "import/import_role.h"
#include "syntax/reserved.h"

/* ---- declarations of accelerators in the program ---- */

bool device_word_is_taken(const struct import *im, struct str word)
{
	static const char *const words[] = { "self", "cluster", "pod", "roles", "std" };
	enum function function;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(word, words[i]))
			return true;
	for (size_t i = 0; i < im->ndevices; i++)
		if (str_eq(im->devices[i]->word, word))
			return true;
	return word_is_reserved(word) || schema_function_find(word, &function) || stdlib_text(word).p;
}

/* Names that roles of later jobs may have, which are not known here, are taken, too. */
static bool is_taken(struct import *im, struct str word)
{
	static const char *const roles[] = { "count", "main", "task", "worker", "master", "chief", "launcher",
		"scheduler", "server", "ps", "evaluator" };

	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (str_is(word, roles[i]))
			return true;
	return map_get(&im->words, word) || device_word_is_taken(im, word) ||
		!str_eq(key_text(im->arena, word), word);
}

/* Turns the last part of the resource's name into an identifier of the language. */
static struct str device_word(struct import *im, struct str resource)
{
	struct arena *a = im->arena;
	const char *slash = memrchr(resource.p, '/', resource.n);
	struct str tail = slash ? (struct str){ slash + 1, (size_t)(resource.p + resource.n - slash) - 1 } : resource;
	struct str base = str_lower(a, word_text(a, tail)), word;

	while (base.n && *base.p == '_')
		base = (struct str){ base.p + 1, base.n - 1 };
	if (!base.n || isdigit((unsigned char)*base.p))
		base = str_cat(a, STR("device"), base.n ? STR("_") : STR(""), base);
	word = base;
	for (unsigned i = 1; is_taken(im, word); i++)
		word = i == 1 ? str_cat(a, base, STR("_device"), STR(""))
			: str_printf(a, "%.*s_device_%u", STR_ARG(base), i);
	return word;
}

struct device *device_declare(struct import *im, struct str resource)
{
	struct arena *a = im->arena;
	struct device *d = ARENA_NEW(a, struct device);
	struct lines top = { 0 };

	d->resource = resource;
	d->word = device_word(im, resource);
	struct lines *body = lines_extend(a, &top, str_cat(a, STR("accelerator "), d->word, STR("(count: int(1..))")),
		(struct span){ 0, 0 });
	lines_set(a, body, STR("resource"), expr_string(a, resource), (struct span){ 0, 0 });
	lines_set(a, body, STR("per_pod"), expr_text(a, STR("count")), (struct span){ 0, 0 });
	d->declaration = top.at[0];
	/* a documentation comment above the declaration */
	struct str doc = str_printf(a, "## Devices that nodes offer as %.*s.", STR_ARG(resource));
	line_comment(a, d->declaration, (struct remark){ .text = doc, .at = UINT32_MAX });
	ARENA_PUSH(a, im->devices, im->ndevices, d);
	return d;
}

struct device *device_find(const struct import *im, struct str resource)
{
	for (size_t i = 0; i < im->ndevices; i++)
		if (str_eq(im->devices[i]->resource, resource))
			return im->devices[i];
	return NULL;
}

static bool is_configured(const struct import *im, struct str resource)
{
	const struct device *d = device_find(im, resource);

	return d && d->configured;
}

bool device_is(const struct import *im, struct str resource)
{
	return memchr(resource.p, '/', resource.n) || is_configured(im, resource);
}

static struct device *declared(struct import *im, struct str resource)
{
	struct device *d = device_find(im, resource);

	return d ? d : device_declare(im, resource);
}

/* ---- choosing the accelerator of a role ---- */

static bool is_topology(struct str s)
{
	size_t parts = 1, digits = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (isdigit((unsigned char)s.p[i]) && ++digits < 6)
			continue;
		if (s.p[i] != 'x' || !digits)
			return false;
		parts++;
		digits = 0;
	}
	return digits && parts >= 2 && parts <= 3;
}

static bool labels_agree(const struct device *d, const struct data *node)
{
	for (size_t i = 0; i < d->node.n; i++) {
		const struct data *there = data_get(node, d->node.at[i].key);
		if (!there || there->kind != DATA_STRING || !str_eq(there->u.string, d->node.at[i].value))
			return false;
	}
	return d->node.n > 0;
}

/*
 * Returns the accelerator of the library all of whose labels are required; if there are several, the one with the
 * most labels.
 */
static const struct device *choose(struct role_reading *r, struct str resource, int64_t count, const struct data *node)
{
	struct str topologies[4];
	size_t n = 0;
	const struct device *best = NULL;

	if (!data_count(node))
		return NULL;
	for (size_t i = 0; i < node->u.map.n && n < 4; i++)
		if (node->u.map.at[i].value->kind == DATA_STRING && is_topology(node->u.map.at[i].value->u.string))
			topologies[n++] = node->u.map.at[i].value->u.string;
	const struct import_devices *found = devices_probe(r->im, resource, count, topologies, n);
	for (size_t i = 0; i < found->n; i++) {
		const struct device *d = &found->at[i];
		bool fits = !d->more && labels_agree(d, node) && (d->pods == 1 || d->pods == r->replicas);
		if (fits && (!best || d->node.n > best->node.n))
			best = d;
	}
	return best;
}

static const struct data *resource_amount(const struct role_reading *r, const char *which, struct str resource)
{
	return data_get(member(r->devices, which), resource);
}

/*
 * Reads the number of devices: a whole number; limit and request must be equal if both are given. The API server
 * refuses a request without a limit, but controllers with configurations accepted it.
 */
static bool device_count(const struct role_reading *r, struct str resource, int64_t *ret)
{
	struct arena scratch = { 0 };
	struct str amounts[2];
	const struct data *limit = resource_amount(r, "limits", resource),
		*request = resource_amount(r, "requests", resource);

	if (!limit && is_configured(r->im, resource))
		limit = request;
	amounts[0] = amount_literal(&scratch, limit, false);
	amounts[1] = request ? amount_literal(&scratch, request, false) : amounts[0];
	bool ok = limit && amounts[0].n && amounts[0].n < 10 && str_eq(amounts[0], amounts[1]);
	*ret = 0;
	for (size_t i = 0; ok && i < amounts[0].n; i++) {
		ok = isdigit((unsigned char)amounts[0].p[i]);
		*ret = *ret * 10 + (amounts[0].p[i] - '0');
	}
	arena_release(&scratch);
	return ok && *ret > 0;
}

static void keep_raw(struct role_reading *r, struct str resource)
{
	static const char *const which[] = { "requests", "limits" };
	struct arena *a = r->im->arena;
	struct lines *container = lines_block(a, r->role, STR("raw container"), r->devices->from);

	for (size_t i = 0; i < 2; i++) {
		const struct data *d = resource_amount(r, which[i], resource);
		if (!d)
			continue;
		struct lines *resources = lines_block(a, container, STR("resources"), r->devices->from);
		raw_member(r->im, lines_block(a, resources, str_of(which[i]), d->from), resource, d, d->from);
	}
}

/* Adds the settings that a configuration has for a device that is not the role's accelerator. */
static void bring(struct role_reading *r, const struct device *d)
{
	static const char *const blocks[] = { "mounts", "env" };

	for (size_t b = 0; b < 2; b++) {
		const struct line *from = lines_find(&d->declaration->value->items, str_of(blocks[b]));
		for (size_t i = 0; from && i < from->value->items.n; i++) {
			struct lines *to = lines_block(r->im->arena, r->role, str_of(blocks[b]), from->from);
			if (!lines_find(to, from->value->items.at[i]->key))     /* the manifest's own lines win */
				lines_push(r->im->arena, to, from->value->items.at[i]);
		}
	}
}

static void use(struct role_reading *r, const struct device *d, int64_t count, struct span from)
{
	struct arena *a = r->im->arena;
	struct str spelling = d->module.n ? d->spelling
		: str_printf(a, "%.*s(%lld)", STR_ARG(d->word), (long long)count);

	import_comments(r->im, lines_set(a, r->role, STR("accelerator"), expr_text(a, spelling), from), from);
	if (d->module.n)
		job_use(r->im, r->job, d->module);
	else if (!lines_find(&r->job->declarations, d->declaration->key))
		lines_push(a, &r->job->declarations, d->declaration);
}

/* Adds a further device, in `resources`. */
static void further(struct role_reading *r, const struct data_member *m, int64_t count)
{
	struct arena *a = r->im->arena;
	struct lines *to = lines_block(a, r->role, STR("resources"), r->devices->from);

	import_comments(r->im, lines_set(a, to, key_text(a, m->key), expr_int(a, count), m->key_at), m->key_at);
}

/* Makes the first device of a container the role's accelerator; a second one is added in `resources`. */
static const struct device *take_accelerator(struct role_reading *r, const struct data *node)
{
	const struct device *ret = NULL;
	bool have = false;

	for (int pass = 0; pass < 2; pass++) {
		const struct data *of = member(r->devices, pass ? "requests" : "limits");
		for (size_t i = 0; i < data_count(of); i++) {
			const struct data_member *m = &of->u.map.at[i];
			int64_t count;
			if (!device_is(r->im, m->key) || (pass && resource_amount(r, "limits", m->key)))
				continue;
			if (have || !device_count(r, m->key, &count)) {
				if (device_count(r, m->key, &count) && memchr(m->key.p, '/', m->key.n))
					further(r, m, count);
				else
					keep_raw(r, m->key);
				if (is_configured(r->im, m->key))
					bring(r, device_find(r->im, m->key));
				continue;
			}
			have = true;
			ret = choose(r, m->key, count, node);
			use(r, ret ? ret : declared(r->im, m->key), count, member_span(m));
		}
	}
	return ret;
}

/* ---- on which nodes a role may run ---- */

static bool has_label(const struct device *d, struct str key)
{
	for (size_t i = 0; d && i < d->node.n; i++)
		if (str_eq(d->node.at[i].key, key))
			return true;
	return false;
}

static void node_labels(struct role_reading *r, const struct device *d, const struct data *node)
{
	struct arena *a = r->im->arena;
	struct lines *to = NULL;

	for (size_t i = 0; i < data_count(node); i++) {
		const struct data_member *m = &node->u.map.at[i];
		if (has_label(d, m->key))
			continue;
		if (!to)
			to = lines_block(a, r->role, STR("node"), m->key_at);
		import_comments(r->im, lines_set(a, to, key_text(a, m->key), expr_string(a, m->value->u.string),
			m->key_at), member_span(m));
	}
}

/*
 * Formats a taint as key, key=value, key:Effect or key=value:Effect; returns an empty text for a toleration that none
 * of these forms can express.
 */
static struct str taint_text(struct arena *a, const struct data *t)
{
	struct str key = member_text(t, "key"), value = member_text(t, "value"), effect = member_text(t, "effect"),
		op = member_text(t, "operator");
	bool exists = str_is(op, "Exists"), equal = !op.n || str_is(op, "Equal");

	if (!key.n || member(t, "tolerationSeconds") || !(exists || equal) || (exists && value.n) ||
	    (equal && !value.n))
		return (struct str){ 0 };
	return str_printf(a, "%.*s%s%.*s%s%.*s", STR_ARG(key), equal ? "=" : "", STR_ARG(value), effect.n ? ":" : "",
		STR_ARG(effect));
}

static bool tolerates(const struct device *d, struct str taint)
{
	for (size_t i = 0; d && i < d->ntolerate; i++)
		if (str_eq(d->tolerate[i].value, taint))
			return true;
	return false;
}

static void taints(struct role_reading *r, const struct device *d, const struct data *tolerations)
{
	struct import *im = r->im;
	struct expr *list = expr_new(im->arena, EXPR_LIST);
	struct line *line = NULL;

	for (size_t i = 0; i < data_count(tolerations); i++) {
		const struct data *t = tolerations->u.list.at[i];
		struct str taint = taint_text(im->arena, t);
		if (!taint.n) {
			struct lines *to = raw_list(im, role_raw(r, t->from), "tolerations", t->from);
			import_comments(im, lines_add(im->arena, to, raw_expr(im, t), t->from), t->from);
			continue;
		}
		if (tolerates(d, taint))
			continue;
		if (!line)
			line = lines_set(im->arena, r->role, STR("tolerate"), list, tolerations->from);
		lines_add(im->arena, &list->items, expr_string(im->arena, taint), t->from);
		import_comments(im, line, t->from);
	}
}

void device_read(struct role_reading *r, const struct data *node, const struct data *tolerations)
{
	const struct device *d = take_accelerator(r, node);

	node_labels(r, d, node);
	taints(r, d, tolerations);
}
