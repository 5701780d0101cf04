/*
 * object_table.c - rows in two chained hash tables: by uid and by name.
 */
#include "runtime/cluster/object_table.h"

#include <stdlib.h>

static size_t slot_uid(const struct object_table *t, struct str uid) { return str_hash_stable(uid) & (t->slots - 1); }
static size_t slot_name(const struct object_table *t, struct str ns, struct str name)
{
	return (str_hash_stable(ns) * 31 + str_hash_stable(name)) & (t->slots - 1);
}

struct object_row *object_table_uid(const struct object_table *t, struct str uid)
{
	struct object_row *r = t->slots ? t->by_uid[slot_uid(t, uid)] : NULL;

	while (r && !str_eq(object_row_uid(r), uid))
		r = r->next_uid;
	return r;
}

struct object_row *object_table_name(const struct object_table *t, struct str ns, struct str name)
{
	struct object_row *r = t->slots ? t->by_name[slot_name(t, ns, name)] : NULL;

	while (r && !(str_eq(object_row_name(r), name) && str_eq(object_row_namespace(r), ns)))
		r = r->next_name;
	return r;
}

static void link_row(struct object_table *t, struct object_row *r)
{
	struct object_row **uid = &t->by_uid[slot_uid(t, object_row_uid(r))];
	struct object_row **name = &t->by_name[slot_name(t, object_row_namespace(r), object_row_name(r))];

	r->next_uid = *uid;
	*uid = r;
	r->next_name = *name;
	*name = r;
}

static void grow_table(struct object_table *t)
{
	struct object_table old = *t;

	t->slots = old.slots ? 2 * old.slots : 64;
	t->by_uid = memory_resize(NULL, t->slots * sizeof *t->by_uid);
	t->by_name = memory_resize(NULL, t->slots * sizeof *t->by_name);
	memset(t->by_uid, 0, t->slots * sizeof *t->by_uid);
	memset(t->by_name, 0, t->slots * sizeof *t->by_name);
	for (size_t i = 0; i < old.slots; i++)
		for (struct object_row *r = old.by_uid[i], *next; r; r = next) {
			next = r->next_uid;
			link_row(t, r);
		}
	free(old.by_uid);
	free(old.by_name);
}

struct object_row *object_table_add(struct object_table *t, struct str uid, struct str ns, struct str name,
	struct str version)
{
	if (t->n == t->slots)
		grow_table(t);
	struct object_row *r = memory_resize(NULL, sizeof *r + uid.n + ns.n + name.n + 3);
	char *p = r->text;

	*r = (struct object_row){ .nuid = (uint32_t)uid.n, .nnamespace = (uint32_t)ns.n, .nname = (uint32_t)name.n };
	for (int i = 0; i < 3; i++) {
		struct str s = i == 0 ? uid : i == 1 ? ns : name;
		if (s.n)
			memcpy(p, s.p, s.n);
		p[s.n] = 0;
		p += s.n + 1;
	}
	object_row_version(r, version);
	link_row(t, r);
	t->n++;
	return r;
}

void object_row_version(struct object_row *r, struct str version)
{
	r->version = memory_resize(r->version, version.n + 1);
	if (version.n)
		memcpy(r->version, version.p, version.n);
	r->version[version.n] = 0;
}

void object_table_remove(struct object_table *t, struct object_row *r)
{
	struct object_row **at = &t->by_uid[slot_uid(t, object_row_uid(r))];

	while (*at != r)
		at = &(*at)->next_uid;
	*at = r->next_uid;
	at = &t->by_name[slot_name(t, object_row_namespace(r), object_row_name(r))];
	while (*at != r)
		at = &(*at)->next_name;
	*at = r->next_name;
	t->n--;
	free(r->version);
	free(r);
}

struct object_row *object_table_unseen(const struct object_table *t, uint32_t snapshot, size_t *slot)
{
	for (; *slot < t->slots; ++*slot)
		for (struct object_row *r = t->by_uid[*slot]; r; r = r->next_uid)
			if (r->snapshot != (snapshot & OBJECT_SNAPSHOTS))
				return r;
	return NULL;
}

void object_table_release(struct object_table *t)
{
	for (size_t i = 0; i < t->slots; i++)
		for (struct object_row *r = t->by_uid[i], *next; r; r = next) {
			next = r->next_uid;
			free(r->version);
			free(r);
		}
	free(t->by_uid);
	free(t->by_name);
	*t = (struct object_table){ 0 };
}

static bool is_decimal(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 0;
}

bool object_version_later(struct str a, struct str b)
{
	if (!is_decimal(a) || !is_decimal(b))
		return !str_eq(a, b);
	while (a.n > 1 && a.p[0] == '0')
		a = (struct str){ a.p + 1, a.n - 1 };
	while (b.n > 1 && b.p[0] == '0')
		b = (struct str){ b.p + 1, b.n - 1 };
	return a.n != b.n ? a.n > b.n : memcmp(a.p, b.p, a.n) > 0;
}
