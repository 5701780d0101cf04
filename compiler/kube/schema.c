/* schema.c - finds kinds, types and fields in a table of schemas. */
#include "kube/schema.h"

/*
 * Compares the word at AT with NAME, as str_cmp() does. Most words differ in their first characters, so this does not
 * determine their lengths first.
 */
static int compare_name(const struct schema *s, uint32_t at, struct str name)
{
	const unsigned char *word = (const unsigned char *)s->text + at;
	size_t i = 0;

	while (i < name.n && word[i] && word[i] == (unsigned char)name.p[i])
		i++;
	return i == name.n ? word[i] != 0 : word[i] ? word[i] - (unsigned char)name.p[i] : -1;
}

const struct schema_type *schema_find_type(const struct schema *s, struct str name)
{
	size_t low = 0, high = s->ntypes;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int c = compare_name(s, s->types[middle].name, name);
		if (!c)
			return &s->types[middle];
		if (c < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct schema_kind *schema_find_kind(const struct schema *s, struct str api_version, struct str kind)
{
	size_t low = 0, high = s->nkinds;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct schema_kind *k = &s->kinds[middle];
		int c = compare_name(s, k->kind, kind);
		if (!c)
			c = compare_name(s, k->api_version, api_version);
		if (!c)
			return k;
		if (c < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Returns the first field of a type whose name is not less than NAME. */
static size_t first_not_below(const struct schema *s, const struct schema_type *t, struct str name)
{
	size_t low = t->first, high = t->first + t->n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (compare_name(s, s->fields[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct schema_field *schema_find_field(const struct schema *s, const struct schema_type *t, struct str name,
	unsigned minor)
{
	for (size_t i = first_not_below(s, t, name);
	    i < t->first + t->n && !compare_name(s, s->fields[i].name, name); i++)
		if (schema_in(s->fields[i].versions, minor))
			return &s->fields[i];
	return NULL;
}

const struct schema_field *schema_newest_field(const struct schema *s, const struct schema_type *t, struct str name)
{
	const struct schema_field *newest = NULL;

	for (size_t i = first_not_below(s, t, name);
	    i < t->first + t->n && !compare_name(s, s->fields[i].name, name); i++)
		if (!newest || s->fields[i].versions > newest->versions)
			newest = &s->fields[i];
	return newest;
}

const char *const schema_limit_words[LIMITS] = {
	[LIMIT_RANGE] = "range=", [LIMIT_LENGTH] = "length=", [LIMIT_ITEMS] = "items=", [LIMIT_MEMBERS] = "members=",
	[LIMIT_PATTERN] = "pattern=",
};

bool schema_is_limit(struct str word)
{
	const struct str each = STR("each.");

	if (str_starts(word, each))
		word = (struct str){ word.p + each.n, word.n - each.n };
	for (size_t i = 0; i < LIMITS; i++)
		if (str_starts(word, str_of(schema_limit_words[i])))
			return true;
	return false;
}
