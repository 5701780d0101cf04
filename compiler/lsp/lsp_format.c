/*
 * lsp_format.c - applies the canonical style as small edits. The formatter produces a whole text, which usually differs
 * only in blanks. So the two texts are compared piece by piece. Each sequence of blanks that differs becomes an edit;
 * everything from the first to the last other difference (for example sorted imports, or a new comma) becomes one
 * edit.
 */
#include "syntax/format.h"

#include "lsp/server.h"

static bool is_gap(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

struct gap {                            /* an edit: the bytes [start, end) are replaced with `text` */
	size_t start, end;
	struct str text;
};

struct gaps {
	struct arena *arena;
	struct gap *at;
	size_t n;
};

static size_t blanks(struct str s, size_t i)
{
	while (i < s.n && is_gap(s.p[i]))
		i++;
	return i;
}

/*
 * Makes an edit for each difference in blanks, as long as everything else is the same. After the first other
 * difference, makes one edit for the rest.
 */
static void compare_gaps(struct gaps *g, struct str before, struct str after)
{
	size_t i = 0, k = 0, tail = 0;

	while (i < before.n || k < after.n) {
		size_t next = blanks(before, i), other = blanks(after, k);
		struct str old = { before.p + i, next - i }, new = { after.p + k, other - k };
		if (!str_eq(old, new))
			ARENA_PUSH(g->arena, g->at, g->n, ((struct gap){ i, next, new }));
		i = next;
		k = other;
		if (i < before.n && k < after.n && before.p[i] == after.p[k]) {
			i++;
			k++;
			continue;
		}
		while (tail < before.n - i && tail < after.n - k &&
		    before.p[before.n - 1 - tail] == after.p[after.n - 1 - tail])
			tail++;
		if (i < before.n || k < after.n)
			ARENA_PUSH(g->arena, g->at, g->n,
				((struct gap){ i, before.n - tail, { after.p + k, after.n - tail - k } }));
		return;
	}
}

/* Computes the edits that format the document; false if it has syntax errors. */
static bool edits_of(struct request *r, struct gaps *g)
{
	struct str text = document_text(r->document);
	struct sources sources = { .arena = r->arena };
	struct names names = { .arena = r->arena };
	struct diags diags = { .arena = r->arena, .sources = &sources };
	struct source *source = source_add(&sources, STR("document"), text);
	struct buf out = { 0 };

	if (!source)
		return false;
	source->library = true;         /* the client's formatting options are ignored, because the style has no
					 * options */
	bool ok = format_source(r->arena, &names, &diags, source, &out);
	if (ok)
		compare_gaps(g, text, buf_take(&out, r->arena));
	buf_release(&out);
	return ok;
}

static bool answer_edits(struct request *r, size_t from, size_t to)
{
	struct gaps g = { .arena = r->arena };
	struct lsp_lines lines = lines_of(r->arena, document_text(r->document), r->lsp->client.encoding);

	msg_open(r->out, '[');
	if (edits_of(r, &g))
		for (size_t i = 0; i < g.n; i++)
			if (g.at[i].end >= from && g.at[i].start <= to)
				msg_put_edit(r->out, &lines, g.at[i].start, g.at[i].end, g.at[i].text);
	msg_close(r->out, ']');
	return true;
}

bool format_answer(struct request *r) { return answer_edits(r, 0, SIZE_MAX); }

bool format_range_answer(struct request *r)
{
	struct lsp_lines lines = lines_of(r->arena, document_text(r->document), r->lsp->client.encoding);

	return answer_edits(r, lines_offset(&lines, msg_position(r->params, "range.start")),
		lines_offset(&lines, msg_position(r->params, "range.end")));
}

/* Formats the block whose closing brace was just typed before the cursor. */
bool format_type_answer(struct request *r)
{
	struct str text = document_text(r->document);
	struct lsp_lines lines = lines_of(r->arena, text, r->lsp->client.encoding);
	size_t end = lines_offset(&lines, msg_position(r->params, "position")), depth = 0, start = end;

	while (start > 0) {
		char c = text.p[--start];
		depth += c == '}';
		if (c == '{' && --depth == 0)
			break;
	}
	return answer_edits(r, lines.start[lines_number(&lines, start)], end);
}
