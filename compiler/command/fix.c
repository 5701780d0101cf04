/*
 * fix.c - keeps edits sorted by position, and applies them in one pass.
 */
#include "command/fix.h"

struct edits {
	struct arena *arena;
	const struct diag_edit **at;    /* the edits, sorted by position, without overlap */
	size_t n;
};

/* Returns the index of the first edit that starts at OFFSET or later. */
static size_t edit_index(const struct edits *edits, uint32_t offset)
{
	size_t from = 0, to = edits->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (edits->at[middle]->at.start < offset)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static bool overlaps(const struct edits *edits, const struct diag_edit *e)
{
	size_t i = edit_index(edits, e->at.start);

	if (i < edits->n && (edits->at[i]->at.start == e->at.start || edits->at[i]->at.start < e->at.end))
		return true;
	return i > 0 && edits->at[i - 1]->at.end > e->at.start;
}

static void insert(struct edits *edits, const struct diag_edit *e)
{
	size_t place = edit_index(edits, e->at.start);

	ARENA_PUSH(edits->arena, edits->at, edits->n, e);
	for (size_t i = edits->n - 1; i > place; i--)
		edits->at[i] = edits->at[i - 1];
	edits->at[place] = e;
}

/* Returns the one source that all edits of a fix change; NULL if the edits are not all in one source. */
static const struct source *source_of(const struct diags *ds, const struct diag_fix *fix)
{
	const struct source *source = NULL;

	for (const struct diag_edit *e = fix ? fix->edits : NULL; e; e = e->next) {
		const struct source *start = source_at(ds->sources, e->at.start),
			*end = source_at(ds->sources, e->at.end);
		if (!start || start != end || e->at.end < e->at.start || (source && source != start))
			return NULL;
		source = start;
	}
	return source;
}

/*
 * Does the edit lose a comment of the text that it replaces? An edit that only deletes text may delete its comment
 * too.
 */
static bool loses_comment(const struct source *source, const struct diag_edit *e)
{
	struct str old = { source->text.p + (e->at.start - source->base), e->at.end - e->at.start };

	return e->text.n && memchr(old.p, '\n', old.n) && memchr(old.p, '#', old.n) &&
		!memchr(e->text.p, '#', e->text.n);
}

struct fixes fix_choose(const struct diags *ds, bool (*wanted)(void *context, const struct diag *d,
	const struct source *source), void *context)
{
	struct edits edits = { .arena = ds->arena };
	struct fixes chosen = { 0 };

	for (size_t i = 0; i < ds->n; i++) {
		const struct diag *d = ds->at[i];
		const struct source *source = source_of(ds, d->fixes);
		bool free = source && (!wanted || wanted(context, d, source));

		for (const struct diag_edit *e = free ? d->fixes->edits : NULL; e && free; e = e->next)
			free = !overlaps(&edits, e) && !loses_comment(source, e);
		if (!free)
			continue;
		for (const struct diag_edit *e = d->fixes->edits; e; e = e->next)
			insert(&edits, e);
		ARENA_PUSH(ds->arena, chosen.at, chosen.n, d);
	}
	return chosen;
}

/* Returns, for each edit, the offset of its new text after all edits have been applied. */
static uint32_t *places_now(const struct edits *edits, const struct source *source)
{
	uint32_t *ret = ARENA_ARRAY(edits->arena, uint32_t, edits->n);
	int64_t shift = 0;

	for (size_t i = 0; i < edits->n; i++) {
		const struct diag_edit *e = edits->at[i];
		ret[i] = (uint32_t)(e->at.start - source->base + shift);
		shift += (int64_t)e->text.n - (e->at.end - e->at.start);
	}
	return ret;
}

struct fix_edits fix_edits(const struct diags *ds, struct fixes fixes, const struct source *source)
{
	struct edits edits = { .arena = ds->arena };
	size_t n = 0;

	for (size_t i = 0; i < fixes.n; i++) {
		if (source_of(ds, fixes.at[i]->fixes) != source)
			continue;
		for (const struct diag_edit *e = fixes.at[i]->fixes->edits; e; e = e->next)
			insert(&edits, e);
		n++;
	}
	return (struct fix_edits){ source, edits.at, places_now(&edits, source), edits.n, n };
}

void fix_write(const struct fix_edits *edits, struct buf *out)
{
	const struct source *source = edits->source;
	uint32_t done = 0;

	for (size_t i = 0; i < edits->n; i++) {
		struct span at = edits->at[i]->at;
		buf_put(out, source->text.p + done, at.start - source->base - done);
		buf_str(out, edits->at[i]->text);
		done = at.end - source->base;
	}
	buf_put(out, source->text.p + done, source->text.n - done);
}

size_t fix_around(const struct fix_edits *edits, uint32_t offset)
{
	size_t from = 0, to = edits->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (edits->now[middle] + edits->at[middle]->text.n <= offset)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

uint32_t fix_moved(const struct fix_edits *edits, uint32_t offset)
{
	uint32_t place = edits->source->base + offset;
	/* binary search for the number of edits that start at this byte or before it */
	size_t from = 0, to = edits->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (edits->at[middle]->at.start <= place)
			from = middle + 1;
		else
			to = middle;
	}
	if (!from)
		return offset;
	const struct diag_edit *last = edits->at[from - 1];
	if (place < last->at.end)
		return edits->now[from - 1];
	return edits->now[from - 1] + (uint32_t)last->text.n + (place - last->at.end);
}
