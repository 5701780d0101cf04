/* fuzz_data.c - reads JSON and YAML: nothing crashes, and every tree can be walked. */
#include <stdlib.h>

#include "base/buf.h"
#include "data/data_read.h"

static size_t walk(const struct data *d, const struct source *source, unsigned depth)
{
	size_t n = 1;

	if (depth > DATA_DEEPEST || d->from.start < source->base || d->from.end < d->from.start ||
	    d->from.end > source->base + source->text.n)
		abort();
	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++)
		n += walk(d->u.list.at[i], source, depth + 1);
	for (size_t i = 0; d->kind == DATA_MAP && i < d->u.map.n; i++)
		n += walk(d->u.map.at[i].value, source, depth + 1);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena arena = { 0 };
	struct source source = { .text = str_copy(&arena, (struct str){ (const char *)bytes, n }), .base = 1 };
	struct data_reader *r = data_reader_new(&arena, &source);
	struct data_error error = { 0 };
	struct data *d;
	enum data_step step;

	while ((step = data_next(r, &d, &error)) == DATA_DOCUMENT)
		if (walk(d, &source, 0) > n + 2 * (size_t)DATA_ALIASED)
			abort();
	if (step == DATA_ERROR && (!error.what.n || error.at.start < 1 || error.at.end > 1 + n))
		abort();
	data_reader_release(r);
	arena_release(&arena);
	return 0;
}
