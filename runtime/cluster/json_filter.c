/*
 * json_filter.c - builds the tree of a filter from paths.
 */
#include "runtime/cluster/json_filter.h"

const struct json_filter json_filter_all = { .kind = JSON_FILTER_KEEP };

/* Takes the first name from the front of PATH: the text up to a '.', or within brackets. */
static struct str take_name(struct str *path)
{
	const char *end;
	struct str name;

	if (path->n && path->p[0] == '[' && (end = memchr(path->p, ']', path->n))) {
		name = (struct str){ path->p + 1, (size_t)(end - path->p) - 1 };
		end++;
	} else {
		end = memchr(path->p, '.', path->n);
		if (!end)
			end = path->p + path->n;
		name = (struct str){ path->p, (size_t)(end - path->p) };
	}
	size_t used = (size_t)(end - path->p) + (end < path->p + path->n);
	*path = (struct str){ path->p + used, path->n - used };
	return name;
}

static struct json_filter *below(struct arena *a, struct json_filter *f, struct str name)
{
	struct json_filter **at = &f->below;

	while (*at && !str_eq((*at)->name, name))
		at = &(*at)->next;
	if (!*at) {
		*at = ARENA_NEW(a, struct json_filter);
		(*at)->name = name;
		(*at)->kind = f->kind == JSON_FILTER_KEEP ? JSON_FILTER_KEEP : JSON_FILTER_PATH;
	}
	return *at;
}

struct json_filter *json_filter_new(struct arena *a, const char *const *paths)
{
	struct json_filter *root = ARENA_NEW(a, struct json_filter);

	root->kind = JSON_FILTER_KEEP;
	for (const char *const *p = paths; *p; p++)
		if (**p != '-')
			root->kind = JSON_FILTER_PATH;
	for (const char *const *p = paths; *p; p++) {
		bool drop = **p == '-';
		struct str path = str_copy(a, str_of(*p + drop));
		struct json_filter *f = root;
		while (path.n)
			f = below(a, f, take_name(&path));
		f->kind = drop ? JSON_FILTER_DROP : JSON_FILTER_KEEP;
	}
	return root;
}

const struct json_filter *json_filter_member(const struct json_filter *f, struct str name)
{
	const struct json_filter *any = NULL;

	for (const struct json_filter *b = f->below; b; b = b->next) {
		if (str_eq(b->name, name))
			return b->kind == JSON_FILTER_DROP ? NULL : b;
		if (str_is(b->name, "*"))
			any = b;
	}
	if (any)
		return any->kind == JSON_FILTER_DROP ? NULL : any;
	return f->kind == JSON_FILTER_KEEP ? &json_filter_all : NULL;
}
