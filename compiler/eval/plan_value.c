/*
 * plan_value.c - converts values to the types of the plan: texts with their spans, pairs, paths and names of variables.
 * Checks that each is well-formed.
 */
#include "eval/internal.h"
#include "eval/plan_value.h"

#include "kube/kube_version.h"

#include <ctype.h>

bool value_str(struct eval *ev, const struct value *v, struct str *ret)
{
	struct text pieces;

	if (v->kind != VALUE_TEXT)
		return v->kind == VALUE_STRING && (*ret = v->u.string, true);
	return value_text(ev->arena, v, &pieces) && text_flatten(ev, &pieces, ret);
}

struct plan_str value_text_at(struct eval *ev, const struct value *v, struct span at)
{
	struct str text;

	return value_str(ev, v, &text) ? (struct plan_str){ text, at, true } : (struct plan_str){ 0 };
}

struct plan_pairs value_pairs(struct eval *ev, const struct value *map)
{
	struct plan_pairs pairs = { 0 };
	if (map->kind != VALUE_MAP)
		return pairs;
	const struct map *index = &map->u.map.index;
	pairs.at = ARENA_ARRAY(ev->arena, struct plan_pair, index->n);
	for (size_t i = 0; i < index->n; i++) {
		const struct value_entry *e = index->entries[i].value;
		struct str text;
		if (!value_str(ev, e->value, &text))
			continue;
		pairs.at[pairs.n++] = (struct plan_pair){ e->key, text, e->value->from, e->key_at };
	}
	return pairs;
}

struct plan_str *value_strs(struct eval *ev, const struct value *list, size_t *ret_n)
{
	*ret_n = 0;
	if (list->kind != VALUE_LIST)
		return NULL;
	struct plan_str *at = ARENA_ARRAY(ev->arena, struct plan_str, list->u.list.n);
	for (size_t i = 0; i < list->u.list.n; i++) {
		const struct value *v = list->u.list.at[i];
		struct plan_str s = value_text_at(ev, v, v->from);
		if (s.set)
			at[(*ret_n)++] = s;
	}
	return at;
}

bool mount_path(struct eval *ev, struct str path, struct span at, struct str *ret)
{
	if (!path.n || path.p[0] != '/') {
		struct diag *d = diag_report(ev->diags, TJ0613, at, "mount path '%.*s' does not start with /",
			STR_ARG(path));
		if (path.n && path.p[0] == '~')
			diag_help(ev->diags, d, "a container has no '~': write an absolute path, such as \"/data\"");
		else if (memmem(path.p, path.n, "://", 3))
			diag_help(ev->diags, d, "an object store cannot be mounted: write an absolute path and a "
				"claim, '\"/data\" = pvc(\"NAME\")', or pass the address in 'env'");
		else
			diag_help(ev->diags, d, "write an absolute path: \"/%.*s\"", STR_ARG(path));
		return false;
	}
	char *out = arena_alloc(ev->arena, path.n + 1);
	size_t n = 0;
	for (size_t i = 0; i < path.n;) {
		size_t end = ++i;               /* skips the slash at path.p[i] */
		while (end < path.n && path.p[end] != '/')
			end++;
		struct str part = { path.p + i, end - i };
		if (str_is(part, "..")) {
			struct diag *d = diag_report(ev->diags, TJ0613, at, "mount path '%.*s' contains '..'",
				STR_ARG(path));
			diag_help(ev->diags, d, "write the intended path");
			return false;
		}
		if (part.n && !str_is(part, ".")) {
			out[n++] = '/';
			memcpy(out + n, part.p, part.n);
			n += part.n;
		}
		i = end;
	}
	const char *colon = n ? memchr(out, ':', n) : NULL;
	if (!n || colon) {
		struct diag *d = diag_report(ev->diags, TJ0613, at,
			colon ? "'%.*s' contains ':', which no runtime mounts at" : "nothing can be mounted at '%.*s'",
			STR_ARG(path));
		diag_help(ev->diags, d, colon ? "choose a path without ':'"
			: "it is the whole file system of the image: choose a directory in it");
		return false;
	}
	*ret = (struct str){ out, n };
	return true;
}

static bool env_name_start(char c) { return isalpha((unsigned char)c) || c == '_' || c == '-' || c == '.'; }

/* Does the name have the usual form, which every shell and every version of Kubernetes accepts? */
static bool env_name_usual(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!(name.p[i] >= 'A' && name.p[i] <= 'Z') && name.p[i] != '_' &&
		    (!i || !(name.p[i] >= '0' && name.p[i] <= '9')))
			return false;
	return name.n > 0;
}

bool env_name_ok(struct eval *ev, struct str name, struct span at)
{
	if (env_name_usual(name))
		return true;
	unsigned minor = 0;
	bool any = kube_version_parse(ev->program->project.kubernetes, &minor) && kube_has(minor, KUBE_ANY_ENV_NAME);
	bool fits = name.n > 0 && (any || (env_name_start(name.p[0]) && !str_is(name, ".") &&
		!str_starts(name, STR(".."))));
	for (size_t i = 0; fits && i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];
		fits = any ? c >= 0x20 && c < 0x7F && c != '=' : isalnum(c) || c == '_' || c == '-' || c == '.';
	}
	if (fits)
		return true;
	struct diag *d = diag_report(ev->diags, TJ0701, at, "'%.*s' is not an environment name in Kubernetes %.*s",
		STR_ARG(name), STR_ARG(ev->program->project.kubernetes));
	if (any)
		diag_help(ev->diags, d, "names are printable ASCII characters without '='");
	else
		diag_help(ev->diags, d,
			"names start with a letter, '_', '-' or '.', and go on with those and digits; 1.%u lifts this",
			kube_usable_from(KUBE_ANY_ENV_NAME));
	return false;
}
