/*
 * reading.c - helpers for every reader of manifests: parts that are left out, comments that move, the raw parts of a
 * role, amounts, modules in use.
 */
#include "import/import_role.h"

#include <ctype.h>

#include "base/quantity.h"
#include "import/comments.h"
#include "syntax/reserved.h"

void import_left_out(struct import *im, struct span at, struct str what, const char *why)
{
	struct diag *d = diag_report(im->diags, TJ1110, at, "'%.*s' is left out", STR_ARG(what));

	if (why)
		diag_help(im->diags, d, "%s", why);
	if (im->comments.n)
		comments_drop(&im->comments, at);
}

void import_comments(struct import *im, struct line *line, struct span place)
{
	if (im->comments.n)
		comments_take(im->arena, &im->comments, place, line);
}

struct lines *raw_list(struct import *im, struct lines *raw, const char *key, struct span from)
{
	struct line *line = lines_find(raw, str_of(key));

	if (!line)
		line = lines_set(im->arena, raw, str_of(key), expr_new(im->arena, EXPR_LIST), from);
	return &line->value->items;
}

bool is_block_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!islower((unsigned char)name.p[i]) && name.p[i] != '-' &&
		    (i == 0 || !isdigit((unsigned char)name.p[i])))
			return false;
	return name.n && name.p[0] != '-' && name.p[name.n - 1] != '-' && !word_is_reserved(name);
}

struct lines *container_raw(struct container_reading *c, struct span from)
{
	if (!c->raw)
		c->raw = lines_extend(c->role->im->arena, c->to, STR("raw container"), from);
	return c->raw;
}

struct str amount_literal(struct arena *a, const struct data *d, bool whole)
{
	struct quantity q;
	struct str s = { 0 };

	if (!d)
		return s;
	if (d->kind == DATA_STRING)
		s = d->u.string;
	else if (d->kind == DATA_INT)
		s = str_int(a, d->u.integer);
	int128 least = whole ? QUANTITY_UNIT : QUANTITY_UNIT / 1000;
	if (quantity_parse_full(s, &q) != QUANTITY_OK || q.nano <= 0 || q.nano % least)
		return (struct str){ 0 };
	s = quantity_text(a, q);
	if (whole && quantity_unit(s) == UNIT_NONE) {
		q.form = QUANTITY_BINARY;       /* an amount that is a multiple of 1024 * 1024 bytes is written in Mi */
		s = quantity_text(a, q);
	}
	return whole && quantity_unit(s) == UNIT_NONE ? (struct str){ 0 } : s;
}

struct lines *role_raw(struct role_reading *r, struct span from)
{
	if (!r->raw)
		r->raw = lines_extend(r->im->arena, r->role, STR("raw pod"), from);
	return r->raw;
}

void job_use(struct import *im, struct imported *job, struct str module)
{
	for (size_t i = 0; i < job->nmodules; i++)
		if (str_eq(job->modules[i], module))
			return;
	ARENA_PUSH(im->arena, job->modules, job->nmodules, module);
}

bool is_servers(struct str key)
{
	static const char *const keys[] = {
		"creationTimestamp", "uid", "resourceVersion", "generation", "selfLink", "managedFields",
		"deletionTimestamp", "deletionGracePeriodSeconds",
	};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (str_is(key, keys[i]))
			return true;
	return false;
}

struct str usual_level(struct str label)
{
	return str_is(label, "kubernetes.io/hostname") ? STR("host") :
		str_is(label, "topology.kubernetes.io/zone") ? STR("zone") : STR("");
}
