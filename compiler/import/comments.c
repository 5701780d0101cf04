/*
 * comments.c - finds the comments of a document, and the lines of the program that they belong to.
 */
#include "import/comments.h"

#include <stdlib.h>

/* source positions at which keys and elements start; for scalars, also where they end */
struct starts {
	struct span *at;
	size_t n;
};

static void push_start(struct arena *a, struct starts *s, struct span at)
{
	if (span_known(at))
		ARENA_PUSH(a, s->at, s->n, at);
}

/* The target of an alias is visited at each alias; the reader limits their number. */
static void visit(struct arena *a, struct starts *keys, struct starts *scalars, const struct data *d)
{
	if (d->kind == DATA_MAP) {
		for (size_t i = 0; i < d->u.map.n; i++) {
			push_start(a, keys, span_join(d->u.map.at[i].key_at, d->u.map.at[i].value->from));
			push_start(a, scalars, d->u.map.at[i].key_at);
			visit(a, keys, scalars, d->u.map.at[i].value);
		}
	} else if (d->kind == DATA_LIST) {
		for (size_t i = 0; i < d->u.list.n; i++) {
			push_start(a, keys, d->u.list.at[i]->from);
			visit(a, keys, scalars, d->u.list.at[i]);
		}
	} else {
		push_start(a, scalars, d->from);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void sort_starts(struct starts *s)
{
	if (s->n)
		qsort(s->at, s->n, sizeof *s->at, by_start);
}

static bool inside_scalar(const struct starts *scalars, uint32_t offset)
{
	size_t i = OFFSET_SEARCH(scalars->at, scalars->n, start, offset + 1);

	return i > 0 && scalars->at[i - 1].end > offset;
}

static struct str trimmed_comment(const char *from, const char *to)
{
	while (from < to && *from == '#')
		from++;
	while (from < to && *from == '\t')
		from++;
	if (from < to && *from == ' ')
		from++;                 /* further '#' characters belong to an example that is commented out */
	while (to > from && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r'))
		to--;
	return (struct str){ from, (size_t)(to - from) };
}

static bool printable(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 && s.p[i] != '\t')
			return false;
	return true;
}

static bool begins_comment(struct str text, size_t i)
{
	return text.p[i] == '#' && (i == 0 || text.p[i - 1] == ' ' || text.p[i - 1] == '\t' || text.p[i - 1] == '\n');
}

/* Are there only blanks between the start of the line and the comment? */
static bool has_own_line(struct str text, size_t line, size_t i)
{
	while (line < i && (text.p[line] == ' ' || text.p[line] == '\t'))
		line++;
	return line == i;
}

/*
 * Would the compiler act on the comment? A comment of the manifest must not turn into a `# allow` comment of the
 * program.
 */
static bool is_allow(struct str text)
{
	while (text.n && *text.p == ' ')
		text = (struct str){ text.p + 1, text.n - 1 };
	return str_starts(text, STR("allow "));
}

static int by_anchor(const void *a, const void *b)
{
	const struct import_comment *x = a, *y = b;
	bool same = x->anchor.start == y->anchor.start;
	uint32_t p = same ? x->at : x->anchor.start, q = same ? y->at : y->anchor.start;

	return (p > q) - (p < q);
}

struct comments comments_read(struct arena *a, const struct source *source, const struct data *document, uint32_t from,
	uint32_t to, size_t most)
{
	struct starts keys = { 0 }, scalars = { 0 };
	struct comments ret = { 0 };
	struct str text = source->text;
	size_t line = from - source->base, end = to - source->base < text.n ? to - source->base : text.n;

	if (line >= end || !memchr(text.p + line, '#', end - line))
		return ret;
	visit(a, &keys, &scalars, document);
	sort_starts(&keys);
	sort_starts(&scalars);
	for (size_t i = line; i < end; i++) {
		if (text.p[i] == '\n')
			line = i + 1;
		if (!begins_comment(text, i) || inside_scalar(&scalars, source->base + (uint32_t)i))
			continue;
		if (ret.n == most) {
			ret.more = (struct span){ source->base + (uint32_t)i, source->base + (uint32_t)i + 1 };
			break;
		}
		const char *newline = memchr(text.p + i, '\n', end - i);
		size_t stop = newline ? (size_t)(newline - text.p) : end;
		size_t next = OFFSET_SEARCH(keys.at, keys.n, start, source->base + (uint32_t)line);
		struct import_comment c = { .text = trimmed_comment(text.p + i, text.p + stop),
			.at = source->base + (uint32_t)i,
			.anchor = next < keys.n ? keys.at[next] : (struct span){ to, to + 1 },
			.line = source->base + (uint32_t)(has_own_line(text, line, i) ? i : line) };
		if (printable(c.text) && !is_allow(c.text))
			ARENA_PUSH(a, ret.at, ret.n, c);
		i = stop - 1;
	}
	if (ret.n)
		qsort(ret.at, ret.n, sizeof *ret.at, by_anchor);
	return ret;
}

/* The length of the leading lines of a text that are comments (COMMENTS), or that are blank or '---' (otherwise). */
static size_t leading(struct str text, bool comments)
{
	size_t i = 0;

	while (i < text.n) {
		const char *newline = memchr(text.p + i, '\n', text.n - i);
		size_t end = newline ? (size_t)(newline - text.p) : text.n;
		struct str line = trimmed_comment(text.p + i, text.p + end);
		if (comments ? text.p[i] != '#' : text.p[i] == '#' || (line.n && !str_is(line, "---")))
			break;
		i = newline ? end + 1 : end;
	}
	return i;
}

static int by_comment_place(const void *a, const void *b)
{
	const struct import_comment *const *x = a, *const *y = b;

	return ((*x)->at > (*y)->at) - ((*x)->at < (*y)->at);
}

struct str comments_header(struct arena *a, const struct source *source, struct comments *all)
{
	static const char *const words[] = { "Copyright", "copyright", "License", "SPDX" };
	size_t before = leading(source->text, false);
	struct str rest = { source->text.p + before, source->text.n - before }, block = { rest.p, leading(rest, true) };
	struct import_comment **mine = ARENA_ARRAY(a, struct import_comment *, all->n);
	struct buf out = { 0 };
	bool licence = false;
	size_t n = 0;

	for (size_t i = 0; i < 4 && block.n; i++)
		licence = licence || memmem(block.p, block.n, words[i], strlen(words[i]));
	for (size_t i = 0; licence && i < all->n; i++)
		if (all->at[i].at < source->base + before + block.n)
			mine[n++] = &all->at[i];
	if (n)
		qsort(mine, n, sizeof *mine, by_comment_place);
	for (size_t i = 0; i < n; i++) {
		mine[i]->taken = true;
		buf_printf(&out, "#%s%.*s\n", mine[i]->text.n ? " " : "", STR_ARG(mine[i]->text));
	}
	struct str ret = out.n ? str_copy(a, buf_text(&out)) : (struct str){ 0 };
	buf_release(&out);
	return ret;
}

static void take_comment(struct arena *a, struct import_comment *c, struct line *line)
{
	/* the line was made from the manifest's line at whose end the comment is */
	bool behind = line->form == LINE_SET && line->from.start >= c->line && line->from.start < c->at;

	c->taken = true;
	line_comment(a, line, (struct remark){ c->text, c->at, behind });
}

void comments_take(struct arena *a, struct comments *all, struct span place, struct line *line)
{
	for (size_t i = OFFSET_SEARCH(all->at, all->n, anchor.start, place.start);
	    i < all->n && all->at[i].anchor.start < place.end; i++)
		if (!all->at[i].taken)
			take_comment(a, &all->at[i], line);
}

void comments_drop(struct comments *all, struct span place)
{
	for (size_t i = OFFSET_SEARCH(all->at, all->n, anchor.start, place.start);
	    i < all->n && all->at[i].anchor.start < place.end; i++)
		all->at[i].taken = true;
}

/*
 * The line of a block that comes from the earliest part of the source range PLACE; NULL when no line comes from
 * there.
 */
static struct line *first_line(const struct lines *lines, struct span place, struct line *best)
{
	for (size_t i = 0; i < lines->n; i++) {
		struct line *l = lines->at[i];
		if (l->key.p && l->from.start >= place.start && l->from.start < place.end &&
		    (!best || l->from.start < best->from.start))
			best = l;
		if (l->form == LINE_EXTEND)
			best = first_line(&l->value->items, place, best);
	}
	return best;
}

void comments_settle(struct arena *a, struct comments *all, struct span place, struct line *block)
{
	for (size_t i = OFFSET_SEARCH(all->at, all->n, anchor.start, place.start);
	    i < all->n && all->at[i].anchor.start < place.end; i++) {
		if (all->at[i].taken)
			continue;
		bool own = all->at[i].anchor.start == block->from.start;
		struct line *line = own ? block : first_line(&block->value->items, all->at[i].anchor, NULL);
		take_comment(a, &all->at[i], line ? line : block);
	}
}
