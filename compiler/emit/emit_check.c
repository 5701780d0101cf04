/*
 * emit_check.c - formats positions, counts and sizes for checks of objects.
 */
#include "emit/emit_check.h"

#include "kube/limits.h"

struct span check_place(const struct checking *c, struct span at, struct span otherwise, struct span last)
{
	struct span places[] = { at, otherwise, last };

	for (size_t i = 0; i < 3; i++) {
		const struct source *s = span_known(places[i]) ? source_at(c->diags->sources, places[i].start) : NULL;
		if (s && !s->library)
			return places[i];
	}
	return at;
}

struct str check_count(struct arena *a, size_t n)
{
	struct str plain = str_printf(a, "%zu", n);
	char *text = arena_alloc(a, plain.n + plain.n / 3 + 1), *p = text;

	for (size_t i = 0; i < plain.n; i++) {
		if (i && (plain.n - i) % 3 == 0)
			*p++ = ',';
		*p++ = plain.p[i];
	}
	return (struct str){ text, (size_t)(p - text) };
}

/* Sizes are rounded up, so that a size over a limit never reads as the limit. */
struct str check_size(struct arena *a, size_t bytes)
{
	if (bytes < 1024)
		return str_printf(a, "%zu bytes", bytes);
	if (bytes < 1024 * 1024)
		return str_printf(a, "%zu KiB", (bytes + 1023) / 1024);
	size_t tenths = (bytes * 10 + 1024 * 1024 - 1) / (1024 * 1024);
	return str_printf(a, "%zu.%zu MiB", tenths / 10, tenths % 10);
}

struct str check_short(struct arena *a, struct str name)
{
	return name.n <= LIMIT_LABEL ? name : str_printf(a, "%.30s...%.20s", name.p, name.p + name.n - 20);
}
