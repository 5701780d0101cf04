/*
 * fix.c - edits are collected in the order of the diagnostics, kept sorted by
 * place, and written out in one pass.
 */
#include "command/fix.h"

struct edits {
	struct arena *arena;
	const struct diag_edit **at;    /* sorted, without overlap */
	size_t n;
};

static bool overlaps(const struct edits *edits, const struct diag_edit *e)
{
	for (size_t i = 0; i < edits->n; i++) {
		struct span a = edits->at[i]->at, b = e->at;
		bool same_point = a.start == b.start;
		if (same_point || (a.start < b.end && b.start < a.end))
			return true;
	}
	return false;
}

static bool applies(const struct edits *edits, const struct diags *ds, const struct source *source, const struct diag_fix *fix)
{
	for (const struct diag_edit *e = fix->edits; e; e = e->next)
		if (source_at(ds->sources, e->at.start) != source || source_at(ds->sources, e->at.end) != source ||
		    e->at.end < e->at.start || overlaps(edits, e))
			return false;
	return fix->edits != NULL;
}

static void insert(struct edits *edits, const struct diag_edit *e)
{
	size_t i;

	ARENA_PUSH(edits->arena, edits->at, edits->n, e);
	for (i = edits->n - 1; i > 0 && edits->at[i - 1]->at.start > e->at.start; i--)
		edits->at[i] = edits->at[i - 1];
	edits->at[i] = e;
}

size_t fix_apply(const struct diags *ds, const struct source *source, struct buf *out)
{
	struct edits edits = { .arena = ds->arena };
	size_t applied = 0;
	uint32_t done = 0;

	for (size_t i = 0; i < ds->n; i++) {
		const struct diag_fix *fix = ds->at[i]->fixes;
		if (!fix || !applies(&edits, ds, source, fix))
			continue;
		for (const struct diag_edit *e = fix->edits; e; e = e->next)
			insert(&edits, e);
		applied++;
	}
	for (size_t i = 0; i < edits.n; i++) {
		struct span at = edits.at[i]->at;
		buf_put(out, source->text.p + done, at.start - source->base - done);
		buf_str(out, edits.at[i]->text);
		done = at.end - source->base;
	}
	buf_put(out, source->text.p + done, source->text.n - done);
	return applied;
}
