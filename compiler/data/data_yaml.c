/*
 * data_yaml.c - reads YAML from the events of libyaml. The document trees of libyaml are not used, because they take
 * several times the memory and do not preserve aliases. Here, an alias shares the tree of its anchor. The number of
 * values that the document would have with all aliases written out is limited, because a few lines can expand to
 * billions of values.
 */
#include <math.h>
#include <stdlib.h>
#include <yaml.h>

#include "base/map.h"
#include "data/data_parts.h"

struct anchor {
	struct data *node;              /* NULL while the node is being read */
	uint64_t nodes;                 /* number of values in the node, with aliases written out */
	unsigned height;                /* how deeply lists and maps are nested in the node */
};

struct yaml_reading {
	struct data_text *t;
	yaml_parser_t parser;
	struct map *anchors;
	uint64_t nodes, aliased;        /* number of values in the document so far, with aliases written out, and how
					 * many of these come from aliases */
	unsigned deepest;               /* deepest level of the node that is being read */
	size_t from;                    /* offset in the text at which the parser started */
	size_t character, byte;         /* the last position that byte_of() converted from characters, which libyaml
					 * counts, to bytes */
	yaml_event_t **live;            /* events that have been read and are still in use, outermost first */
	size_t nlive;
	struct memory_end end;          /* releases libyaml's own memory when memory runs out */
	bool begun;
};

/* Converts a position in characters to bytes. Positions come nearly in order, so each is near the last one. */
static size_t byte_of(struct yaml_reading *y, size_t character)
{
	struct str text = y->t->source->text;

	while (y->character < character && y->byte < text.n) {
		y->byte++;
		while (y->byte < text.n && ((unsigned char)text.p[y->byte] & 0xC0) == 0x80)
			y->byte++;
		y->character++;
	}
	while (y->character > character && y->byte > y->from) {
		y->byte--;
		while (y->byte > y->from && ((unsigned char)text.p[y->byte] & 0xC0) == 0x80)
			y->byte--;
		y->character--;
	}
	return y->byte;
}

/* Finds the byte range of an event. libyaml does not guarantee that the start comes before the end. */
static void event_place(struct yaml_reading *y, const yaml_event_t *e, size_t *ret_start, size_t *ret_end)
{
	size_t start = byte_of(y, e->start_mark.index), end = byte_of(y, e->end_mark.index);

	*ret_start = start;
	*ret_end = end > start ? end : start;
}

static struct span span_of(struct yaml_reading *y, const yaml_event_t *e)
{
	size_t start, end;

	event_place(y, e, &start, &end);
	return data_span(y->t, start, end);
}

static struct data *fail_event(struct yaml_reading *y, const yaml_event_t *e, const char *what)
{
	size_t start, end;

	event_place(y, e, &start, &end);
	const char *newline = memchr(y->t->source->text.p + start, '\n', end - start);

	data_fail(y->t, start, newline ? (size_t)(newline - y->t->source->text.p) : end, "%s", what);
	return NULL;
}

/* Sets the error for text that libyaml could not read. */
static bool fail_parser(struct yaml_reading *y)
{
	const yaml_parser_t *p = &y->parser;
	struct str text = y->t->source->text;
	if (p->error == YAML_MEMORY_ERROR)
		memory_out();
	size_t at = p->error == YAML_READER_ERROR ? y->from + p->problem_offset : byte_of(y, p->problem_mark.index);

	if (at > text.n)
		at = text.n;
	if (at < text.n && text.p[at] == '\t') {
		data_fail(y->t, at, at + 1, "YAML cannot be indented with a tab");
		y->t->error->help = STR("indent with spaces");
		return false;
	}
	return yaml_fail_words(y->t, at, at + (at < text.n && text.p[at] != '\n'),
		p->problem ? p->problem : "this cannot be read");
}

static bool next_event(struct yaml_reading *y, yaml_event_t *ret)
{
	y->live = arena_grow(y->t->arena, y->live, y->nlive, sizeof(yaml_event_t *));
	if (!yaml_parser_parse(&y->parser, ret))
		return fail_parser(y);
	if (!data_spend(y->t, byte_of(y, ret->start_mark.index), DATA_YAML_UNITS)) {
		yaml_event_delete(ret);
		return false;
	}
	y->live[y->nlive++] = ret;
	return true;
}

/* Releases an event. Events must be released in the reverse order of their creation. */
static void end_event(struct yaml_reading *y, yaml_event_t *e)
{
	yaml_event_delete(e);
	y->nlive--;
}

/* ---- nodes ---- */

static struct data *node(struct yaml_reading *y, yaml_event_t *e, unsigned depth);

static struct str anchor_of(const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_ALIAS_EVENT: return str_of((const char *)e->data.alias.anchor);
	case YAML_SCALAR_EVENT: return str_of((const char *)e->data.scalar.anchor);
	case YAML_SEQUENCE_START_EVENT: return str_of((const char *)e->data.sequence_start.anchor);
	case YAML_MAPPING_START_EVENT: return str_of((const char *)e->data.mapping_start.anchor);
	default: return (struct str){ 0 };
	}
}

static bool count_aliased(struct yaml_reading *y, uint64_t nodes)
{
	y->nodes += nodes;
	y->aliased += nodes;
	return y->aliased <= DATA_ALIASED;
}

static struct data *alias(struct yaml_reading *y, const yaml_event_t *e, unsigned depth)
{
	const struct anchor *anchor = map_get(y->anchors, anchor_of(e));

	if (!anchor)
		return fail_event(y, e, "no anchor before this alias has its name");
	if (!anchor->node)
		return fail_event(y, e, "this alias refers to a value that contains it");
	if (depth + anchor->height > DATA_DEEPEST)
		return fail_event(y, e, "this is nested too deeply");
	if (y->deepest < depth + anchor->height)
		y->deepest = depth + anchor->height;
	if (!count_aliased(y, anchor->nodes))
		return fail_event(y, e, "written out, the aliases of this document would be too large");
	return anchor->node;
}

static bool is_tag(const yaml_char_t *tag, const char *name)
{
	static const char prefix[] = "tag:yaml.org,2002:";

	return strncmp((const char *)tag, prefix, sizeof prefix - 1) == 0 &&
		strcmp((const char *)tag + sizeof prefix - 1, name) == 0;
}

/* The text of a scalar: a slice of the source if the source contains it unchanged, otherwise a copy. */
static struct str scalar_text(struct yaml_reading *y, const yaml_event_t *e)
{
	struct str text = { (const char *)e->data.scalar.value, e->data.scalar.length }, all = y->t->source->text;
	size_t at = byte_of(y, e->start_mark.index) + (e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE);

	if (at + text.n <= all.n && str_eq(text, (struct str){ all.p + at, text.n }))
		return (struct str){ all.p + at, text.n };
	return str_copy(y->t->arena, text);
}

/*
 * Does the tag agree with the value? It does if it names the kind that the value has without it; "float" also fits an
 * integer.
 */
static bool fits_tag(const yaml_char_t *tag, enum data_kind kind)
{
	static const char *const names[] = { [DATA_NULL] = "null", [DATA_BOOL] = "bool", [DATA_INT] = "int",
		[DATA_FLOAT] = "float" };

	return kind < DATA_STRING && (is_tag(tag, names[kind]) || (kind == DATA_INT && is_tag(tag, "float")));
}

static struct data *read_yaml_scalar(struct yaml_reading *y, const yaml_event_t *e)
{
	const yaml_char_t *tag = e->data.scalar.tag;
	struct data *d = data_new(y->t, DATA_STRING, span_of(y, e));
	bool text = tag ? is_tag(tag, "str") || strcmp((const char *)tag, "!") == 0 : !e->data.scalar.plain_implicit;

	d->u.string = scalar_text(y, e);
	if (text)
		return d;
	if (!data_plain(y->t->arena, d->u.string, d)) {
		if (!y->t->infinite || tag)
			return fail_event(y, e, "this number is not finite");
		d->kind = DATA_FLOAT;
		d->u.number = HUGE_VAL;
	}
	if (tag && !fits_tag(tag, d->kind))
		return fail_event(y, e, "this tag is not known, or does not fit what follows it");
	if (tag && d->kind == DATA_INT && is_tag(tag, "float")) {
		d->kind = DATA_FLOAT;
		d->u.number = (double)d->u.integer;
	}
	return d;
}

static struct data *read_yaml_list(struct yaml_reading *y, struct data *d, unsigned depth)
{
	size_t base = y->t->stack.n;
	yaml_event_t e;

	while (next_event(y, &e)) {
		if (e.type == YAML_SEQUENCE_END_EVENT) {
			d->from = span_join(d->from, span_of(y, &e));
			end_event(y, &e);
			data_close_list(y->t, base, d);
			return d;
		}
		struct data *element = node(y, &e, depth);
		if (!element)
			return NULL;
		data_push(&y->t->stack, (struct data_member){ .value = element });
	}
	return NULL;
}

/* Reads a key. Keys are texts; a scalar of another kind becomes one, spelled as in JSON. */
static bool yaml_key_text(struct yaml_reading *y, const yaml_event_t *e, const struct data *d, struct str *ret)
{
	switch (d->kind) {
	case DATA_STRING: *ret = d->u.string; return true;
	case DATA_BOOL: *ret = d->u.boolean ? STR("true") : STR("false"); return true;
	case DATA_INT: *ret = str_printf(y->t->arena, "%lld", (long long)d->u.integer); return true;
	case DATA_FLOAT: *ret = str_double(y->t->arena, d->u.number); return true;
	default: return fail_event(y, e, "a key cannot be null") != NULL;
	}
}

/*
 * Reads the event of a key. Sets *RET_MERGE if the key is `<<`, otherwise stores the key in *RET. False after an error.
 */
static bool read_yaml_key(struct yaml_reading *y, yaml_event_t *e, struct data_member *ret, bool *ret_merge)
{
	*ret_merge = false;
	if (e->type != YAML_SCALAR_EVENT && e->type != YAML_ALIAS_EVENT)
		return fail_event(y, e, "a key is a word, not a list or a map") != NULL;
	struct data *d = e->type == YAML_ALIAS_EVENT ? alias(y, e, 0) : read_yaml_scalar(y, e);
	if (!d)
		return false;
	if (d->kind == DATA_LIST || d->kind == DATA_MAP)
		return fail_event(y, e, "a key is a word, not a list or a map") != NULL;
	struct str name = anchor_of(e);
	if (e->type == YAML_SCALAR_EVENT && name.n) {
		struct anchor *anchor = ARENA_NEW(y->t->arena, struct anchor);
		*anchor = (struct anchor){ d, 1, 0 };
		map_put(y->anchors, y->t->arena, str_copy(y->t->arena, name), anchor);
	}
	ret->key_at = span_of(y, e);
	*ret_merge = e->type == YAML_SCALAR_EVENT && e->data.scalar.plain_implicit && d->kind == DATA_STRING &&
		str_is(d->u.string, "<<");
	return yaml_key_text(y, e, d, &ret->key);
}

/* ---- `<<`: members of merged maps ---- */

static bool has_key(struct map *keys, const struct data_member *at, size_t n, struct arena *a, struct str key)
{
	for (size_t i = keys->n; i < n; i++)
		map_put_const(keys, a, at[i].key, &at[i]);
	return map_get(keys, key);
}

/*
 * Adds the members of a merged map. Earlier maps take precedence over later ones, and keys written in the map itself
 * over all of them.
 */
static bool merge_one(struct yaml_reading *y, size_t base, struct map *keys, struct arena *scratch,
	const struct data *from)
{
	struct data_stack *s = &y->t->stack;

	if (from->kind != DATA_MAP)
		return data_fail(y->t, from->from.start - y->t->source->base, from->from.end - y->t->source->base,
		                 "'<<' takes a map, or a list of maps");
	if (!count_aliased(y, from->u.map.n))
		return data_fail(y->t, from->from.start - y->t->source->base, from->from.end - y->t->source->base,
		                 "written out, the aliases of this document would be too large");
	for (size_t i = 0; i < from->u.map.n; i++)
		if (!has_key(keys, s->at + base, s->n - base, scratch, from->u.map.at[i].key))
			data_push(s, from->u.map.at[i]);
	return true;
}

static bool merge(struct yaml_reading *y, size_t base, const struct data *from)
{
	struct arena scratch = { 0 };
	struct map keys = { 0 };
	bool ok = true;

	if (from->kind != DATA_LIST)
		ok = merge_one(y, base, &keys, &scratch, from);
	else
		for (size_t i = 0; ok && i < from->u.list.n; i++)
			ok = merge_one(y, base, &keys, &scratch, from->u.list.at[i]);
	arena_release(&scratch);
	return ok;
}

static struct data *close_map(struct yaml_reading *y, struct data *d, size_t base, const struct data *merged)
{
	if (merged) {
		/* checks the map's own keys for duplicates, before merged keys are added */
		struct data written = { .kind = DATA_MAP };
		size_t n = y->t->stack.n;
		if (!data_close_map(y->t, base, &written))
			return NULL;
		y->t->stack.n = n;
		if (!merge(y, base, merged))
			return NULL;
	}
	return data_close_map(y->t, base, d) ? d : NULL;
}

static struct data *read_yaml_map(struct yaml_reading *y, struct data *d, unsigned depth)
{
	size_t base = y->t->stack.n;
	const struct data *merged = NULL;
	yaml_event_t e;

	while (next_event(y, &e)) {
		struct data_member m;
		bool merges = false, ok = true;

		if (e.type == YAML_MAPPING_END_EVENT) {
			d->from = span_join(d->from, span_of(y, &e));
			end_event(y, &e);
			return close_map(y, d, base, merged);
		}
		ok = read_yaml_key(y, &e, &m, &merges);
		if (ok && merges && merged)
			ok = fail_event(y, &e, "'<<' appears twice; it takes a list of maps too") != NULL;
		end_event(y, &e);
		if (!ok || !next_event(y, &e) || !(m.value = node(y, &e, depth)))
			return NULL;
		if (merges)
			merged = m.value;
		else
			data_push(&y->t->stack, m);
	}
	return NULL;
}

/* Shortens the span of a block: for libyaml it ends at the start of the next token, which may be lines below. */
static void trim_end(struct yaml_reading *y, struct data *d)
{
	const char *p = y->t->source->text.p;
	uint32_t base = y->t->source->base;

	while (d->from.end > d->from.start + 1 && strchr(" \t\r\n", p[d->from.end - 1 - base]))
		d->from.end--;
}

static struct data *collection(struct yaml_reading *y, yaml_event_t *e, unsigned depth)
{
	bool is_map = e->type == YAML_MAPPING_START_EVENT;
	const yaml_char_t *tag = is_map ? e->data.mapping_start.tag : e->data.sequence_start.tag;
	struct data *d = data_new(y->t, is_map ? DATA_MAP : DATA_LIST, span_of(y, e));

	if (depth >= DATA_DEEPEST)
		return fail_event(y, e, "this is nested too deeply");
	if (tag && !is_tag(tag, is_map ? "map" : "seq"))
		return fail_event(y, e, "this tag is not known, or does not fit what follows it");
	y->deepest = depth + 1;
	d = is_map ? read_yaml_map(y, d, depth + 1) : read_yaml_list(y, d, depth + 1);
	if (d)
		trim_end(y, d);
	return d;
}

/* Reads the node that begins with event E, and releases E. */
static struct data *node(struct yaml_reading *y, yaml_event_t *e, unsigned depth)
{
	struct str name = anchor_of(e);
	struct anchor *anchor = NULL;
	uint64_t before = y->nodes++;
	unsigned deepest = y->deepest;
	struct data *d;

	y->deepest = depth;
	if (name.n && e->type != YAML_ALIAS_EVENT) {
		anchor = ARENA_NEW(y->t->arena, struct anchor);
		map_put(y->anchors, y->t->arena, str_copy(y->t->arena, name), anchor);
	}
	if (e->type == YAML_ALIAS_EVENT)
		d = alias(y, e, depth);
	else if (e->type == YAML_SCALAR_EVENT)
		d = read_yaml_scalar(y, e);
	else
		d = collection(y, e, depth);
	end_event(y, e);
	if (anchor)
		*anchor = (struct anchor){ d, y->nodes - before, y->deepest - depth };
	if (y->deepest < deepest)
		y->deepest = deepest;
	return d;
}

/* ---- documents ---- */

/*
 * Frees libyaml's memory when memory runs out within a document; all functions that hold an event are still on the
 * stack.
 */
static void end_yaml(void *what)
{
	struct yaml_reading *y = what;

	while (y->nlive)
		yaml_event_delete(y->live[--y->nlive]);
	yaml_parser_delete(&y->parser);
}

struct yaml_reading *yaml_reading_new(struct data_text *t, size_t at)
{
	struct yaml_reading *y = ARENA_NEW(t->arena, struct yaml_reading);

	y->t = t;
	y->from = y->byte = at;
	if (!yaml_parser_initialize(&y->parser))
		memory_out();
	y->end = (struct memory_end){ end_yaml, y, NULL };
	memory_end_add(&y->end);
	yaml_parser_set_input_string(&y->parser, (const unsigned char *)t->source->text.p + at, t->source->text.n - at);
	yaml_parser_set_encoding(&y->parser, YAML_UTF8_ENCODING);
	return y;
}

static bool is_empty(const struct data *d) { return d->kind == DATA_NULL && d->from.start == d->from.end; }

/* Refuses many directives, because libyaml compares each with every other one, and no manifest needs any. */
static bool few_directives(struct yaml_reading *y)
{
	enum { MOST = 64 };
	struct str text = y->t->source->text;

	for (size_t at = y->from, found = 0; at + 4 < text.n; at++) {
		if (memcmp(text.p + at, "%TAG", 4) == 0 && ++found > MOST)
			return data_fail(y->t, at, at + 4, "more than %d %%TAG directives", MOST);
		const char *line_end = memchr(text.p + at, '\n', text.n - at);
		if (!line_end)
			break;
		at = (size_t)(line_end - text.p);
	}
	return true;
}

enum data_step yaml_next(struct yaml_reading *y, struct data **ret)
{
	yaml_event_t e;

	if (!y->begun && !few_directives(y))
		return DATA_ERROR;
	y->begun = true;
	while (next_event(y, &e)) {
		yaml_event_type_t type = e.type;

		if (type == YAML_STREAM_START_EVENT || type == YAML_DOCUMENT_START_EVENT ||
		    type == YAML_DOCUMENT_END_EVENT || type == YAML_STREAM_END_EVENT) {
			end_event(y, &e);
			if (type == YAML_STREAM_END_EVENT)
				return DATA_END;
			continue;
		}
		y->anchors = ARENA_NEW(y->t->arena, struct map);
		y->nodes = y->aliased = 0;
		y->t->stack.n = 0;
		struct data *d = node(y, &e, 0);
		if (!d) {
			y->nlive = 0;
			return DATA_ERROR;
		}
		if (!is_empty(d)) {
			*ret = d;
			return DATA_DOCUMENT;
		}
	}
	return DATA_ERROR;
}

void yaml_reading_release(struct yaml_reading *y)
{
	memory_end_drop(&y->end);
	yaml_parser_delete(&y->parser);
}
