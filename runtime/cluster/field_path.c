/*
 * field_path.c - walks a tree along a field path.
 */
#include "runtime/cluster/field_path.h"

/* Does PATH start with the step KEY? */
static bool step_is(struct str path, struct str key)
{
	return key.n && str_starts(path, key) && (path.n == key.n || path.p[key.n] == '.' || path.p[key.n] == '[');
}

static struct str path_skip(struct str path, size_t n) { return (struct str){ path.p + n, path.n - n }; }

/* Takes the longest key of MAP that PATH begins with. */
static const struct data *take_key(const struct data *map, struct str *path)
{
	const struct data_member *best = NULL;

	for (size_t i = 0; map->kind == DATA_MAP && i < map->u.map.n; i++) {
		const struct data_member *m = &map->u.map.at[i];
		if (step_is(*path, m->key) && (!best || m->key.n > best->key.n))
			best = m;
	}
	if (!best)
		return NULL;
	*path = path_skip(*path, best->key.n);
	return best->value;
}

/* Takes the text between a bracket and its closing bracket. Brackets within quotes do not count. */
static bool take_bracket(struct str *path, struct str *ret)
{
	bool quoted = false;

	for (size_t i = 1; i < path->n; i++) {
		if (path->p[i] == '"')
			quoted = !quoted;
		if (path->p[i] != ']' || quoted)
			continue;
		*ret = (struct str){ path->p + 1, i - 1 };
		*path = path_skip(*path, i + 1);
		return true;
	}
	return false;
}

static bool is_number(struct str s, size_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || i > 8)
			return false;
		*ret = *ret * 10 + (size_t)(s.p[i] - '0');
	}
	return s.n > 0;
}

/* Does the element match one "key=value" of the selector? */
static bool element_has(const struct data *element, struct str pair)
{
	const char *equals = pair.n ? memchr(pair.p, '=', pair.n) : NULL;
	char digits[STR_DIGITS];

	if (!equals)
		return false;
	const struct data *v = data_get(element, (struct str){ pair.p, (size_t)(equals - pair.p) });
	struct str text = path_skip(pair, (size_t)(equals - pair.p) + 1);
	if (text.n > 1 && text.p[0] == '"')
		text = (struct str){ text.p + 1, text.n - 2 };
	if (!v)                         /* the server fills in this default, for example the protocol of a port */
		return true;
	return v->kind == DATA_STRING ? str_eq(v->u.string, text)
		: v->kind == DATA_INT && str_eq(str_digits(digits, v->u.integer), text);
}

static bool element_matches(const struct data *element, struct str selector)
{
	bool any = false;

	if (element->kind != DATA_MAP)
		return false;
	while (selector.n) {
		const char *comma = memchr(selector.p, ',', selector.n);
		size_t n = comma ? (size_t)(comma - selector.p) : selector.n;
		if (!element_has(element, (struct str){ selector.p, n }))
			return false;
		any = true;
		selector = path_skip(selector, n + (comma != NULL));
	}
	return any;
}

/* Follows the content of a pair of brackets: an index, a selector, or a key of a map. */
static const struct data *take_element(const struct data *d, struct str text)
{
	size_t index;

	if (d->kind == DATA_MAP)
		return data_get(d, text.n > 1 && text.p[0] == '"' ? (struct str){ text.p + 1, text.n - 2 } : text);
	if (d->kind != DATA_LIST)
		return NULL;
	if (is_number(text, &index))
		return index < d->u.list.n ? d->u.list.at[index] : NULL;
	for (size_t i = 0; i < d->u.list.n; i++)
		if (element_matches(d->u.list.at[i], text))
			return d->u.list.at[i];
	return NULL;
}

struct field_place field_find(const struct data *tree, struct str path, struct span from)
{
	struct field_place p = { tree, span_known(tree->from) ? tree->from : from };
	struct str text;

	while (path.n && p.value) {
		if (path.p[0] == '.')
			path = path_skip(path, 1);
		else if (path.p[0] == '[')
			p.value = take_bracket(&path, &text) ? take_element(p.value, text) : NULL;
		else
			p.value = take_key(p.value, &path);
		if (p.value && span_known(p.value->from))
			p.from = p.value->from;
	}
	return p;
}
