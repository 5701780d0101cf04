/*
 * doc.c - decides what `##` comments document. Consecutive `##` lines belong to the declaration or field after them;
 * those at the head of a file that are followed by a blank line belong to the file.
 */
#include "syntax/parse_state.h"

#include "trainc.tab.h"

static bool is_doc(const struct comment *c)
{
	return c->doc && c->own_line;
}

/* The text of comments [from, to), without ## and one space, with its lines joined. */
static struct str doc_text(struct parse *p, size_t from, size_t to)
{
	size_t n = 0;
	for (size_t i = from; i < to; i++)
		n += p->tokens.comments[i].end - p->tokens.comments[i].start;
	char *text = arena_alloc(p->arena, n + 1);
	n = 0;
	for (size_t i = from; i < to; i++) {
		const struct comment *c = &p->tokens.comments[i];
		struct str line = tokens_text(&p->tokens, c->start + 2, c->end);
		size_t skip = line.n && line.p[0] == ' ';
		if (i > from)
			text[n++] = '\n';
		memcpy(text + n, line.p + skip, line.n - skip);
		n += line.n - skip;
	}
	return (struct str){ text, n };
}

/* The number of `##` comments at the head of the file that a blank line follows, so that they document the file. */
size_t doc_head(const struct parse *p)
{
	const struct tokens *ts = &p->tokens;
	size_t n = 0;

	while (n < ts->ncomments && is_doc(&ts->comments[n]) && ts->comments[n].next == ts->comments[0].next &&
	       (n == 0 || !ts->comments[n].blank))
		n++;
	if (!n || ts->comments[0].next != (ts->n ? ts->at[0].start : 0))
		return 0;
	bool blank = n < ts->ncomments && ts->comments[n].next == ts->comments[0].next ? ts->comments[n].blank :
	             (ts->at[0].flags & FLAG_BLANK) != 0 || ts->at[0].kind == TOKEN_END;
	return blank ? n : 0;
}

struct str doc_of_file(struct parse *p)
{
	return p->head ? doc_text(p, 0, p->head) : (struct str){ 0 };
}

struct str doc_of(struct parse *p, uint32_t start)
{
	const struct tokens *ts = &p->tokens;
	size_t to = OFFSET_SEARCH(ts->comments, ts->ncomments, start, start);

	while (to > 0 && ts->comments[to - 1].next == start && !is_doc(&ts->comments[to - 1]))
		to--;
	size_t from = to;
	while (from > 0 && ts->comments[from - 1].next == start && is_doc(&ts->comments[from - 1])) {
		from--;
		if (ts->comments[from].blank)
			break;
	}
	if (from == to || from < p->head)
		return (struct str){ 0 };
	return doc_text(p, from, to);
}
