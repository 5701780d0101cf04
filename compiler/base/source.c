/* source.c - the set of texts, and line and column of a position. */
#include "base/source.h"

struct source *source_add_kept(struct sources *ss, struct str name, struct str text)
{
	if (!ss->next)
		ss->next = 1;                   /* offset 0 means an unknown position */
	if (text.n >= UINT32_MAX - ss->next - 1)
		return NULL;
	struct source *s = ARENA_NEW(ss->arena, struct source);
	s->name = str_copy(ss->arena, name);
	s->text = text;
	s->base = ss->next;
	ss->next += (uint32_t)text.n + 1;       /* the end of a text has an offset of its own */
	ARENA_PUSH(ss->arena, ss->at, ss->n, s);
	return s;
}

struct source *source_add(struct sources *ss, struct str name, struct str text)
{
	struct source *s = source_add_kept(ss, name, text);

	if (s)
		s->text = str_copy(ss->arena, text);
	return s;
}

size_t offset_search(const uint32_t *first, size_t n, size_t stride, uint32_t offset)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (*(const uint32_t *)((const char *)first + mid * stride) < offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct source *source_holding(const struct sources *ss, uint32_t offset)
{
	size_t lo = 0, hi = ss->n;
	if (!offset)
		return NULL;
	if (hi && offset - ss->at[0]->base <= ss->at[0]->text.n)        /* most offsets are in the program, which is the
									 * first source */
		return ss->at[0];
	while (lo < hi) {                       /* the last source that starts at or before the offset */
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

const struct source *source_at(const struct sources *ss, uint32_t offset) { return source_holding(ss, offset); }

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

/*
 * The distance in bytes between recorded positions.  A dump needs the position of every expression, and counting lines
 * from the start of the file each time would take quadratic time.  So the text is read once, and the line and column at
 * every STEP bytes are recorded.
 */
enum { STEP = 256 };

struct place_mark {
	unsigned line, column;
};

/* Advances AT to the byte OFFSET of its text, counting lines and columns. */
static struct place advance(struct place at, uint32_t offset)
{
	for (; at.offset < offset; at.offset++) {
		unsigned char c = (unsigned char)at.source->text.p[at.offset];

		if (c == '\n') {
			at.line++;
			at.column = 1;
		} else if ((c & 0xC0) != 0x80) {
			at.column++;
		}
	}
	return at;
}

static struct place_mark *marks_of(struct arena *a, const struct source *s)
{
	struct place_mark *marks = ARENA_ARRAY(a, struct place_mark, s->text.n / STEP + 1);
	struct place at = { s, 0, 1, 1 };

	for (size_t i = 0; i <= s->text.n / STEP; i++) {
		at = advance(at, (uint32_t)(i * STEP));
		marks[i] = (struct place_mark){ at.line, at.column };
	}
	return marks;
}

struct place source_place(const struct sources *ss, uint32_t offset)
{
	struct source *s = source_holding(ss, offset);
	if (!s)
		return (struct place){ 0 };
	if (!s->marks)
		s->marks = marks_of(ss->arena, s);
	offset -= s->base;
	const struct place_mark *mark = &s->marks[offset / STEP];
	return advance((struct place){ s, offset / STEP * STEP, mark->line, mark->column }, offset);
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

bool reader_text(const struct reader *r, struct arena *a, struct str path, size_t most, struct str *ret,
	struct str *why)
{
	if (!r->read(r->context, a, path, ret, why))
		return false;
	if (ret->n <= most)
		return true;
	*why = str_printf(a, "is larger than %zu MiB", most >> 20);
	return false;
}
