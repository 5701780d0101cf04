#include "base/source.h"

struct source *source_add(struct sources *ss, struct str name, struct str text)
{
	if (!ss->next)
		ss->next = 1;                   /* offset 0 is "no place" */
	if (text.n >= UINT32_MAX - ss->next - 1)
		return NULL;
	struct source *s = ARENA_NEW(ss->arena, struct source);
	s->name = str_copy(ss->arena, name);
	s->text = str_copy(ss->arena, text);
	s->base = ss->next;
	ss->next += (uint32_t)text.n + 1;       /* the end of a file is a place of its own */
	ARENA_PUSH(ss->arena, ss->at, ss->n, s);
	return s;
}

const struct source *source_at(const struct sources *ss, uint32_t offset)
{
	size_t lo = 0, hi = ss->n;
	if (!offset)
		return NULL;
	while (lo < hi) {                       /* the last source that starts at or before */
		size_t mid = lo + (hi - lo) / 2;
		if (ss->at[mid]->base <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || offset - ss->at[lo - 1]->base > ss->at[lo - 1]->text.n)
		return NULL;
	return ss->at[lo - 1];
}

static struct str line_around(struct str text, uint32_t offset)
{
	size_t start = offset, end = offset;
	while (start > 0 && text.p[start - 1] != '\n')
		start--;
	while (end < text.n && text.p[end] != '\n')
		end++;
	if (end > start && text.p[end - 1] == '\r')
		end--;
	return (struct str){ text.p + start, end - start };
}

struct place source_place(const struct sources *ss, uint32_t offset)
{
	const struct source *s = source_at(ss, offset);
	if (!s)
		return (struct place){ 0 };
	struct place at = { s, offset - s->base, 1, 1 };
	size_t start = 0;
	for (size_t i = 0; i < at.offset; i++) {
		if (s->text.p[i] == '\n') {
			at.line++;
			start = i + 1;
		}
	}
	at.column = 1 + (unsigned)str_chars((struct str){ s->text.p + start, at.offset - start });
	return at;
}

struct str source_line(const struct sources *ss, uint32_t offset)
{
	const struct source *s = source_at(ss, offset);
	return s ? line_around(s->text, offset - s->base) : STR("");
}

struct str source_text(const struct sources *ss, struct span at)
{
	const struct source *s = source_at(ss, at.start);
	if (!s || at.end < at.start || at.end - s->base > s->text.n)
		return STR("");
	return (struct str){ s->text.p + (at.start - s->base), at.end - at.start };
}
