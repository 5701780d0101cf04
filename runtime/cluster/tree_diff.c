/*
 * tree_diff.c - compares two trees.
 */
#include "runtime/cluster/tree_diff.h"

#include "base/quantity.h"
#include "data/data_write.h"
#include "runtime/status/look.h"

struct tree_walk {
	struct arena *arena;
	struct buf path;
	struct tree_differences all;
};

static void walk(struct tree_walk *w, const struct data *ours, const struct data *theirs);

static bool is_empty(const struct data *d)
{
	switch (d->kind) {
	case DATA_NULL: return true;
	case DATA_BOOL: return !d->u.boolean;
	case DATA_INT: return d->u.integer == 0;
	case DATA_FLOAT: return d->u.number == 0;
	case DATA_STRING: return !d->u.string.n;
	case DATA_LIST: return !d->u.list.n;
	case DATA_MAP: return !d->u.map.n;
	}
	return false;
}

static bool as_quantity(const struct data *d, struct quantity *ret)
{
	char digits[STR_DIGITS];
	struct str text = d->kind == DATA_INT ? str_digits(digits, d->u.integer) : d->kind == DATA_STRING ? d->u.string
		: STR("");

	return text.n && text.n < 40 && quantity_parse_full(text, ret) == QUANTITY_OK;
}

static bool same_scalar(const struct data *a, const struct data *b)
{
	struct quantity x, y;

	if (a->kind == DATA_STRING && b->kind == DATA_STRING && str_eq(a->u.string, b->u.string))
		return true;
	if (a->kind == b->kind && a->kind == DATA_BOOL)
		return a->u.boolean == b->u.boolean;
	if (a->kind == b->kind && a->kind == DATA_INT)
		return a->u.integer == b->u.integer;
	if (a->kind == b->kind && a->kind == DATA_FLOAT)
		return a->u.number == b->u.number;
	return a->kind != DATA_LIST && a->kind != DATA_MAP && as_quantity(a, &x) && as_quantity(b, &y) &&
		x.nano == y.nano;
}

static void differ(struct tree_walk *w, const struct data *ours, const struct data *theirs)
{
	struct tree_difference d = { str_copy(w->arena, buf_text(&w->path)), ours, theirs };

	ARENA_PUSH(w->arena, w->all.at, w->all.n, d);
}

static void walk_map(struct tree_walk *w, const struct data *ours, const struct data *theirs)
{
	size_t n = w->path.n;

	for (size_t i = 0; i < ours->u.map.n; i++) {
		const struct data_member *m = &ours->u.map.at[i];
		bool dotted = memchr(m->key.p, '.', m->key.n) || memchr(m->key.p, '/', m->key.n);
		if (dotted)
			buf_printf(&w->path, "[%.*s]", STR_ARG(m->key));
		else
			buf_printf(&w->path, "%s%.*s", n ? "." : "", STR_ARG(m->key));
		walk(w, m->value, data_get(theirs, m->key));
		w->path.n = n;
	}
}

static bool same_value(const struct data *a, const struct data *b)
{
	if (a->kind == DATA_STRING && b->kind == DATA_STRING)
		return str_eq(a->u.string, b->u.string);
	return same_scalar(a, b);
}

/*
 * Does every element of the list have the member KEY, each with a different value? Several mounts may have the same
 * volume name, for example, so the name does not identify a mount.
 */
static bool identifies(const struct data *list, struct str key)
{
	for (size_t i = 0; i < list->u.list.n; i++) {
		const struct data *e = list->u.list.at[i], *v = e->kind == DATA_MAP ? data_get(e, key) : NULL;
		if (!v)
			return false;
		for (size_t k = 0; k < i; k++)
			if (same_value(v, data_get(list->u.list.at[k], key)))
				return false;
	}
	return list->u.list.n > 0;
}

/* The member that identifies the elements of a list of maps; NULL if their positions identify them. */
static const char *identity_of(const struct data *list)
{
	static const char *const keys[] = { "name", "mountPath", "containerPort", "key", "ip", "topologyKey" };

	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
		if (identifies(list, str_of(keys[k])))
			return keys[k];
	return NULL;
}

static const struct data *counterpart(const struct data *theirs, const struct data *element, const char *identity,
	size_t i)
{
	if (!identity)
		return i < theirs->u.list.n ? theirs->u.list.at[i] : NULL;
	const struct data *wanted = data_get(element, str_of(identity));
	for (size_t k = 0; k < theirs->u.list.n; k++) {
		const struct data *o = theirs->u.list.at[k],
			*v = o->kind == DATA_MAP ? data_get(o, str_of(identity)) : NULL;
		if (v && same_scalar(wanted, v))
			return o;
	}
	return NULL;
}

static void walk_list(struct tree_walk *w, const struct data *ours, const struct data *theirs)
{
	const char *identity = identity_of(ours);
	size_t n = w->path.n;

	if (!identity && ours->u.list.n != theirs->u.list.n) {
		differ(w, ours, theirs);
		return;
	}
	for (size_t i = 0; i < ours->u.list.n; i++) {
		buf_printf(&w->path, "[%zu]", i);
		walk(w, ours->u.list.at[i], counterpart(theirs, ours->u.list.at[i], identity, i));
		w->path.n = n;
	}
}

static void walk(struct tree_walk *w, const struct data *ours, const struct data *theirs)
{
	if (!theirs || theirs->kind == DATA_NULL) {
		if (!is_empty(ours))            /* servers leave out empty values */
			differ(w, ours, NULL);
	} else if (ours->kind == DATA_MAP && theirs->kind == DATA_MAP) {
		walk_map(w, ours, theirs);
	} else if (ours->kind == DATA_LIST && theirs->kind == DATA_LIST) {
		walk_list(w, ours, theirs);
	} else if (!same_scalar(ours, theirs)) {
		differ(w, ours, theirs);
	}
}

struct tree_differences tree_diff(struct arena *a, const struct data *ours, const struct data *theirs)
{
	struct tree_walk w = { .arena = a };

	walk(&w, ours, theirs);
	buf_release(&w.path);
	return w.all;
}

bool tree_is_secret(struct str kind, struct str path)
{
	/*
	 * the salt makes it possible to guess the content, and kubectl keeps the content itself in another annotation
	 */
	bool telling = str_is(path, "metadata.annotations") || text_holds(path, "trainc.dev/salt") ||
		text_holds(path, "last-applied-configuration");

	return str_is(kind, "Secret") && (telling || str_starts(path, STR("data")) || str_starts(path,
		STR("stringData")));
}

void tree_value_of(struct buf *b, struct str kind, struct str path, const struct data *d, size_t most)
{
	if (d && tree_is_secret(kind, path))
		buf_z(b, "(masked)");
	else
		tree_value(b, d, most);
}

void tree_value(struct buf *b, const struct data *d, size_t most)
{
	struct buf text = { 0 };

	if (!d) {
		buf_z(b, "(none)");
		return;
	}
	data_write(&text, d);
	size_t n = text.n < most ? text.n : most;
	while (n && n < text.n && ((unsigned char)text.p[n] & 0xC0) == 0x80)
		n--;
	buf_put(b, text.p, n);
	buf_z(b, n < text.n ? "\xE2\x80\xA6" : "");
	buf_release(&text);
}
