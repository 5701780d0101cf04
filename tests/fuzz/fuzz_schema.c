/*
 * fuzz_schema.c - reads definitions of kinds, tables of kinds and objects of any shape.
 *
 * The documents are read in order: a CustomResourceDefinition becomes a table, as `vendor crd` writes it; any other map
 * is an object, which is checked like `raw` and `object`, against its kind, or as a pod if it has none.  A text that is
 * not YAML is a table.
 *
 * What must hold: a table made from a definition can be read again, and every diagnostic has a message and a position
 * inside the text.
 */
#include <stdlib.h>

#include "data/data_read.h"
#include "kube/crd.h"
#include "kube/schema_check.h"
#include "kube/schema_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct run {
	struct arena arena;
	struct sources sources;
	struct source *source;
	struct diags diags;
	struct schema kinds;            /* kinds of the latest definition */
	bool has_kinds;
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static bool table(struct run *r, struct str text, struct str *why)
{
	struct schema_builder *b = schema_builder_new(&r->arena, &schema_builtin);
	struct schema kinds;
	bool ok = schema_read(b, text, why) && schema_build(b, &kinds, why);

	require(ok || why->n);
	if (ok)
		r->kinds = kinds;
	r->has_kinds = r->has_kinds || ok;
	return ok;
}

static void definition(struct run *r, const struct data *d)
{
	struct buf out = { 0 };
	struct crd_error error;
	struct str why;

	if (!crd_schema(&r->arena, d, &out, &error))
		require(error.what.n && error.at.start >= r->source->base);
	else if (!table(r, str_copy(&r->arena, buf_text(&out)), &why))
		/* there are too many types, which is a limit of the whole file */
		require(memmem(why.p, why.n, "types", 5));
	buf_release(&out);
}

static struct str member(const struct data *d, const char *name)
{
	const struct data *m = data_get(d, str_of(name));

	return m && m->kind == DATA_STRING ? m->u.string : STR("");
}

static void object(struct run *r, const struct data *d, unsigned minor)
{
	const struct schema *s = &schema_builtin;
	const struct schema_kind *k = schema_find_kind(s, member(d, "apiVersion"), member(d, "kind"));

	if (!k && r->has_kinds) {
		s = &r->kinds;
		k = schema_find_kind(s, member(d, "apiVersion"), member(d, "kind"));
	}
	s = k ? s : &schema_builtin;
	struct schema_checking checking = { .schema = s, .minor = minor, .diags = &r->diags, .arena = &r->arena };
	schema_check(&checking, k ? &s->types[k->type] : schema_find_type(s, STR("core.v1.PodSpec")), d, k);
}

static void report(struct run *r)
{
	diags_finish(&r->diags);
	for (size_t i = 0; i < r->diags.n; i++) {
		const struct diag *d = r->diags.at[i];
		require(d->message.n && d->at.start >= r->source->base &&
			d->at.end <= r->source->base + r->source->text.n + 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct run r = { 0 };
	struct data_error error;
	struct data *d;
	struct str why;
	size_t found = 0;

	r.sources.arena = r.diags.arena = &r.arena;
	r.diags.sources = &r.sources;
	r.source = source_add(&r.sources, STR("a.yaml"), str_copy(&r.arena, (struct str){ (const char *)bytes, n }));
	struct data_reader *reader = r.source ? data_reader_new(&r.arena, r.source) : NULL;
	for (; reader && data_next(reader, &d, &error) == DATA_DOCUMENT; found++)
		if (d->kind == DATA_MAP && crd_is(d))
			definition(&r, d);
		else if (d->kind == DATA_MAP)
			object(&r, d, SCHEMA_OLDEST + n % 10);
	if (reader)
		data_reader_release(reader);
	if (r.source && !found)
		table(&r, r.source->text, &why);
	report(&r);
	arena_release(&r.arena);
	return 0;
}
