/*
 * explain_words.c - explains codes and the words of the language, from their tables.
 */
#include "base/quantity.h"
#include "check/check_schema.h"
#include "check/module.h"
#include "explain/explain.h"

bool explain_code(struct explain *e)
{
	enum diag_code code;

	for (size_t i = 0; i < DIAG_CODES; i++) {
		suggest_add(&e->near, str_of(diag_code_name((enum diag_code)i)));
		suggest_add(&e->near, str_of(diag_slug((enum diag_code)i)));
	}
	struct str digits = str_starts(e->topic, STR("TJ")) || str_starts(e->topic, STR("tj")) ?
		(struct str){ e->topic.p + 2, e->topic.n - 2 } : e->topic;
	bool number = digits.n > 2 && digits.n <= 4 && strspn(digits.p, "0123456789") >= digits.n;
	struct str whole = number ? str_printf(e->arena, "TJ%.*s%.*s", 4 - (int)digits.n, "000", STR_ARG(digits)) :
		e->topic;               /* 502 and TJ502 are TJ0502 */
	if (!diag_code_find(whole, &code))
		return false;
	explain_next(e);
	explain_page(e, code);
	return true;
}

/* ---- examples ---- */

static const char *const field_examples[FIELDS] = {
#define FIELD_EXAMPLE(id, code) [FIELD_##id] = code,
#define FUNCTION_EXAMPLE(id, code)
#define UNIT_EXAMPLE(suffix, code)
#include "examples.def"
};

static const char *const function_examples[FUNCTIONS] = {
#define FIELD_EXAMPLE(id, code)
#define FUNCTION_EXAMPLE(id, code) [FUNCTION_##id] = code,
#define UNIT_EXAMPLE(suffix, code)
#include "examples.def"
};

static const struct {
	const char *suffix, *code;
} unit_examples[] = {
#define FIELD_EXAMPLE(id, code)
#define FUNCTION_EXAMPLE(id, code)
#define UNIT_EXAMPLE(suffix, code) { suffix, code },
#include "examples.def"
};

static void put_example(struct explain *e, const char *code)
{
	if (!code)
		return;
	buf_z(e->out, "\nExample\n\n  ");
	for (; *code; code++) {
		buf_char(e->out, *code);
		if (*code == '\n')
			buf_z(e->out, "  ");
	}
	buf_char(e->out, '\n');
}

/* ---- fields ---- */

/* The words that can come before the dot in a topic, with their blocks. */
static const struct {
	const char *word;
	enum block block;
} blocks[] = {
	{ "project", BLOCK_PROJECT }, { "job", BLOCK_JOB }, { "cell", BLOCK_CELL }, { "role", BLOCK_ROLE },
	{ "aux", BLOCK_AUX },
	{ "sidecar", BLOCK_SIDECAR }, { "init", BLOCK_INIT }, { "framework", BLOCK_FRAMEWORK },
	{ "accelerator", BLOCK_ACCELERATOR }, { "test", BLOCK_TEST },
};
enum { NBLOCKS = sizeof blocks / sizeof *blocks };

/* Splits "role.memory" into the set of blocks and "memory"; a bare name matches in every block. */
static unsigned split_topic(struct str topic, struct str *ret_name)
{
	const char *dot = memchr(topic.p, '.', topic.n);
	struct str block = { topic.p, dot ? (size_t)(dot - topic.p) : 0 };

	*ret_name = topic;
	if (!dot)
		return ~0u;
	*ret_name = (struct str){ dot + 1, topic.n - block.n - 1 };
	for (size_t i = 0; i < NBLOCKS; i++)
		if (str_is(block, blocks[i].word))
			return blocks[i].block | (blocks[i].block == BLOCK_ROLE ? BLOCK_FRAMEWORK_ROLE : 0);
	/*
	 * as in worker.replicas: the first part is probably the name of a role in a program, unless it names a module
	 */
	return stdlib_text(block).p || !schema_find(BLOCK_ROLE, *ret_name) ? 0 : BLOCK_ROLE | BLOCK_FRAMEWORK_ROLE;
}

static void put_places(unsigned set, struct buf *out)
{
	const char *comma = "";

	if (set & BLOCK_FRAMEWORK_ROLE)
		set |= BLOCK_ROLE;
	for (size_t i = 0; i < NBLOCKS; i++) {
		if (!(set & blocks[i].block))
			continue;
		buf_printf(out, "%s%s", comma, blocks[i].word);
		comma = ", ";
	}
}

static void tell_field(struct explain *e, const struct field *f)
{
	explain_next(e);
	buf_printf(e->out, "%s: field of ", f->name);
	put_places(f->blocks, e->out);
	buf_printf(e->out, "\n\n%s\n\n  type     %s\n", f->doc, f->type);
	if (strcmp(f->fallback, "*") == 0)
		buf_z(e->out, "  default  none: it must be set\n");
	else if (f->fallback[0])
		buf_printf(e->out, "  default  %s\n", f->fallback);
	put_example(e, field_examples[f->id]);
}

static bool explain_fields(struct explain *e)
{
	struct str name;
	unsigned set = split_topic(e->topic, &name), told = e->told;

	for (unsigned i = 0; i < FIELDS; i++) {
		const struct field *f = schema_field((enum field_id)i);

		suggest_add(&e->near, str_of(f->name));
		if ((f->blocks & set) && str_is(name, f->name))
			tell_field(e, f);
	}
	return e->told > told;
}

/* ---- blocks, functions, units ---- */

static void put_fields(struct explain *e, enum block block)
{
	const char *head = "\nFields\n";

	for (const struct field *f = schema_next(block, NULL); f; f = schema_next(block, f)) {
		buf_printf(e->out, "%s  %-16s %s\n", head, f->name, f->doc);
		head = "";
	}
}

static void put_blocks(struct explain *e, enum block block)
{
	const char *head = "\nBlocks\n";

	for (const struct block_row *b = schema_block_next(NULL); b; b = schema_block_next(b)) {
		if (!(b->parents & block))
			continue;
		buf_printf(e->out, "%s  %-16s %s\n", head, b->word, b->doc);
		head = "";
	}
}

static bool explain_block(struct explain *e)
{
	const struct block_row *row = schema_block(e->topic);

	for (const struct block_row *b = schema_block_next(NULL); b; b = schema_block_next(b))
		suggest_add(&e->near, str_of(b->word));
	for (size_t i = 0; i < NBLOCKS; i++) {
		if (!str_is(e->topic, blocks[i].word))
			continue;
		explain_next(e);
		buf_printf(e->out, "%s: block\n", blocks[i].word);
		if (row)
			buf_printf(e->out, "\n%s\n", row->doc);
		put_fields(e, blocks[i].block);
		put_blocks(e, blocks[i].block);
		return true;
	}
	if (!row)
		return false;
	explain_next(e);
	buf_printf(e->out, "%s: block of ", row->word);
	put_places(row->parents, e->out);
	buf_printf(e->out, "\n\n%s\n", row->doc);
	return true;
}

static bool explain_function(struct explain *e)
{
	enum function id;

	for (unsigned i = 0; i < FUNCTIONS; i++)
		suggest_add(&e->near, str_of(schema_function((enum function)i)->name));
	if (!schema_function_find(e->topic, &id))
		return false;
	const struct function_row *row = schema_function(id);
	explain_next(e);
	buf_printf(e->out, "%s: function\n\n%s\n\n  %s%s\n", row->name, row->doc, row->name, row->signature);
	put_example(e, function_examples[id]);
	return true;
}

static const struct {
	const char *suffix, *doc;
} units[] = {
#define FIELD(id, name, blocks, type, fallback, doc)
#define FUNCTION(id, name, signature, doc)
#define BLOCK(word, parents, doc)
#define UNIT(suffix, doc) { suffix, doc },
#include "vocabulary.def"
#undef FIELD
#undef FUNCTION
#undef BLOCK
#undef UNIT
};

static bool explain_unit(struct explain *e)
{
	const char *meant = quantity_unit_meant(e->topic);
	struct str topic = meant && *meant ? str_of(meant) : e->topic;

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		if (!str_is(topic, units[i].suffix))
			continue;
		explain_next(e);
		if (!str_eq(topic, e->topic))
			buf_printf(e->out, "%.*s is written %.*s here.\n\n", STR_ARG(e->topic), STR_ARG(topic));
		buf_printf(e->out, "%s: unit\n\n%s\n", units[i].suffix, units[i].doc);
		for (size_t k = 0; k < sizeof unit_examples / sizeof *unit_examples; k++)
			if (strcmp(unit_examples[k].suffix, units[i].suffix) == 0)
				put_example(e, unit_examples[k].code);
		return true;
	}
	return false;
}

bool explain_words(struct explain *e)
{
	bool field = explain_fields(e), block = explain_block(e), function = explain_function(e),
		unit = explain_unit(e);

	return field || block || function || unit;
}
