/*
 * schema_merge.c - which elements of a list are the same one, and how two raw blocks become one.
 */
#include "kube/schema_merge.h"

#include "base/map.h"

#include <string.h>

const struct schema_type *raw_type(struct str word)
{
	static const char *const blocks[][2] = { { "pod", "core.v1.PodSpec" }, { "container", "core.v1.Container" },
		{ "job", "batch.v1.JobSpec" }, { "service", "core.v1.ServiceSpec" } };

	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		if (str_is(word, blocks[i][0]))
			return schema_find_type(&schema_builtin, str_of(blocks[i][1]));
	return NULL;
}

const struct schema_field *merge_field(const struct schema_type *t, struct str name)
{
	return t ? schema_newest_field(&schema_builtin, t, name) : NULL;
}

const struct schema_type *merge_below(const struct schema_field *f)
{
	const struct schema_ref *r = f ? &schema_builtin.refs[f->ref] : NULL;

	if (r && r->word == SCHEMA_LIST)
		r = &schema_builtin.refs[r->of];
	return r && r->word == SCHEMA_OBJECT ? &schema_builtin.types[r->of] : NULL;
}

/*
 * The schema gives no keys for tolerations, but the tolerations of an accelerator must be kept next to the user's own.
 */
const char *merge_keys(const struct schema_field *list)
{
	if (list && str_is(schema_text(&schema_builtin, list->name), "tolerations"))
		return "key,effect,value";
	if (!list || !list->merge)
		return NULL;
	return schema_builtin.text + (list->keys ? list->keys : list->merge);
}

struct str merge_next_key(const char *keys, const char **rest)
{
	size_t n = strcspn(keys, ",");

	*rest = keys + n + (keys[n] == ',');
	return (struct str){ keys, n };
}

struct str merge_key_text(struct arena *a, struct str key, const struct data *element)
{
	const struct data *d = data_get(element, key);

	if (d && d->kind == DATA_STRING)
		return d->u.string;
	if (d && d->kind == DATA_INT)
		return str_int(a, d->u.integer);
	return str_is(key, "protocol") ? STR("TCP") : STR("");
}

struct str merge_identity(struct arena *a, const char *keys, const struct data *element)
{
	struct buf out = { 0 };

	for (const char *rest; *keys; keys = rest) {
		struct str text = merge_key_text(a, merge_next_key(keys, &rest), element);
		if (!text.n && !out.n)
			break;
		buf_str(&out, text);
		buf_char(&out, '\n');
	}
	struct str ret = buf_take(&out, a);
	buf_release(&out);
	return ret;
}

/* Puts the elements of UPPER behind those of LOWER, or in the place of those that are the same by KEYS. */
static void merge_elements(struct arena *a, const char *keys, const struct data *lower, const struct data *upper,
	struct data *both)
{
	struct map places = { 0 };              /* identity -> its place in the list, until an element takes it */
	const struct data **at = ARENA_ARRAY(a, const struct data *, lower->u.list.n + upper->u.list.n);
	size_t n = 0;

	for (; n < lower->u.list.n; n++) {
		struct str id = merge_identity(a, keys, lower->u.list.at[n]);
		at[n] = lower->u.list.at[n];
		if (id.n && !map_get(&places, id))
			map_put(&places, a, id, &at[n]);
	}
	for (size_t i = 0; i < upper->u.list.n; i++) {
		struct str id = merge_identity(a, keys, upper->u.list.at[i]);
		const struct data **place = id.n ? map_get(&places, id) : NULL;
		*(place ? place : &at[n++]) = upper->u.list.at[i];
		if (place)
			map_put(&places, a, id, NULL);
	}
	both->u.list.at = at;
	both->u.list.n = n;
}

static const struct data *merge_value(struct arena *a, const struct schema_field *f, const struct data *lower,
	const struct data *upper)
{
	struct data *both;

	if (lower->kind == DATA_MAP && upper->kind == DATA_MAP)
		return merge_data(a, merge_below(f), lower, upper);
	if (lower->kind != DATA_LIST || upper->kind != DATA_LIST || !merge_keys(f))
		return upper;
	both = ARENA_NEW(a, struct data);
	*both = (struct data){ .kind = DATA_LIST, .from = upper->from };
	merge_elements(a, merge_keys(f), lower, upper, both);
	return both;
}

const struct data *merge_data(struct arena *a, const struct schema_type *t, const struct data *lower,
	const struct data *upper)
{
	struct data *both = ARENA_NEW(a, struct data);

	*both = (struct data){ .kind = DATA_MAP, .from = upper->from };
	for (size_t i = 0; i < lower->u.map.n; i++)
		ARENA_PUSH(a, both->u.map.at, both->u.map.n, lower->u.map.at[i]);
	for (size_t i = 0; i < upper->u.map.n; i++) {
		struct data_member m = upper->u.map.at[i];
		size_t k = 0;
		while (k < lower->u.map.n && !str_eq(lower->u.map.at[k].key, m.key))
			k++;
		if (k == lower->u.map.n) {
			ARENA_PUSH(a, both->u.map.at, both->u.map.n, m);
			continue;
		}
		m.value = merge_value(a, merge_field(t, m.key), lower->u.map.at[k].value, m.value);
		both->u.map.at[k] = m;
	}
	return both;
}
