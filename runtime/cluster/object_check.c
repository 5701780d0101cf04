/* object_check.c - checks the members of objects that all readers rely on. */
#include "runtime/cluster/object_check.h"

#include "base/words.h"

static const struct data *check_member(const struct data *map, const char *name)
{
	return map && map->kind == DATA_MAP ? data_get(map, str_of(name)) : NULL;
}

static struct str check_text(const struct data *map, const char *name)
{
	const struct data *d = check_member(map, name);

	return d && d->kind == DATA_STRING ? d->u.string : STR("");
}

/* Is the member absent, null, or of KIND? */
static bool is_absent_or(const struct data *map, const char *name, enum data_kind kind)
{
	const struct data *d = check_member(map, name);

	return !d || d->kind == DATA_NULL || d->kind == kind;
}

static bool has_only_texts(const struct data *map, const char *name)
{
	const struct data *d = check_member(map, name);

	for (size_t i = 0; d && d->kind == DATA_MAP && i < d->u.map.n; i++)
		if (d->u.map.at[i].value->kind != DATA_STRING)
			return false;
	return is_absent_or(map, name, DATA_MAP);
}

static const char *metadata_fault(const struct data *metadata, bool watched)
{
	static const char *const texts[] = { "namespace", "uid", "resourceVersion", "creationTimestamp",
		"deletionTimestamp" };
	static const char *const faults[] = { "has a namespace that is not a text", "has a uid that is not a text",
		"has a resourceVersion that is not a text", "has a creationTimestamp that is not a text",
		"has a deletionTimestamp that is not a text" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!is_absent_or(metadata, texts[i], DATA_STRING))
			return faults[i];
	if (!has_only_texts(metadata, "labels"))
		return "has labels that are not texts";
	if (!has_only_texts(metadata, "annotations"))
		return "has annotations that are not texts";
	if (!is_absent_or(metadata, "ownerReferences", DATA_LIST))
		return "has ownerReferences that are not a list";
	if (watched && !check_text(metadata, "uid").n)
		return "has no uid";
	return watched && !check_text(metadata, "resourceVersion").n ? "has no resourceVersion" : NULL;
}

const char *object_fault(const struct data *object, struct str kind, bool watched)
{
	const struct data *metadata = check_member(object, "metadata"), *name = check_member(metadata, "name");
	struct str its = check_text(object, "kind");

	if (!object || object->kind != DATA_MAP)
		return "is not a map";
	if (!is_absent_or(object, "kind", DATA_STRING) || (kind.n && its.n && !str_eq(kind, its)))
		return "has another kind";
	if (!metadata || metadata->kind != DATA_MAP)
		return "has no metadata";
	if (!name || name->kind != DATA_STRING)
		return name ? "has a name that is not a text" : "has no name";
	return name->u.string.n ? metadata_fault(metadata, watched) : "has an empty name";
}

void object_identify(const struct data *object, const char *label, const char *why, struct json_skipped *ret)
{
	const struct data *metadata = check_member(object, "metadata");

	*ret = (struct json_skipped){ .fault = JSON_OBJECT, .why = why, .kind = check_text(object, "kind"),
		.ns = check_text(metadata, "namespace"), .name = check_text(metadata, "name"),
		.uid = check_text(metadata, "uid"), .version = check_text(metadata, "resourceVersion") };
	if (label)
		ret->label = check_text(check_member(metadata, "labels"), label);
}

void put_skipped_name(struct buf *b, struct str kind, const struct json_skipped *s)
{
	struct str its = kind.n ? kind : s->kind.n ? s->kind : STR("object");

	if (!s->name.n)
		buf_z(b, "a ");
	put_escaped(b, its);
	if (!s->name.n) {
		buf_z(b, " without a name");
		return;
	}
	buf_char(b, ' ');
	put_escaped(b, s->ns);
	buf_z(b, s->ns.n ? "/" : "");
	put_escaped(b, s->name);
}

void put_skipped_why(struct buf *b, const struct json_skipped *s)
{
	buf_z(b, s->fault == JSON_OBJECT ? "it " : "");
	buf_z(b, s->why);
	if (s->fault == JSON_LARGE)
		buf_printf(b, " (%llu bytes)", (unsigned long long)s->bytes);
}
