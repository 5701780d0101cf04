/*
 * ranges.c - finds ranges that can be folded, and the ranges to which a selection can grow.
 */
#include "lsp/server.h"

#include "syntax/token.h"
#include "syntax/walk.h"

struct folding {
	struct request *r;
	const struct lsp_lines *lines;
	uint32_t base;
};

static void fold_lines(struct folding *f, size_t first, size_t last, const char *kind)
{
	if (last <= first)
		return;
	msg_open(f->r->out, '{');
	msg_add_int(f->r->out, "startLine", (int64_t)first);
	msg_add_int(f->r->out, "endLine", (int64_t)last);
	if (kind)
		msg_add_z(f->r->out, "kind", kind);
	msg_close(f->r->out, '}');
}

/* Folds the inside of brackets; the line of the closing bracket stays visible. */
static void fold_node(void *to, struct node *n)
{
	struct folding *f = to;
	size_t first = lines_number(f->lines, n->span.start - f->base),
		last = lines_number(f->lines, n->span.end - f->base);

	if (n->kind == NODE_BODY || n->kind == NODE_LIST || n->kind == NODE_LIST_FOR ||
	    (n->kind == NODE_STRING && n->u.string.block))
		fold_lines(f, first, last ? last - 1 : 0, NULL);
	node_children(n, fold_node, to);
}

/* Folds imports at the head, and consecutive comments on lines of their own. */
static void fold_runs(struct folding *f)
{
	static const struct {
		const char *begin, *kind;
	} runs[] = { { "import ", "imports" }, { "#", "comment" } };

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0, first = 0; i <= f->lines->n; i++) {
			struct str line = i < f->lines->n ? lines_line(f->lines, i) : STR("");
			while (line.n && (*line.p == ' ' || *line.p == '\t'))
				line = (struct str){ line.p + 1, line.n - 1 };
			if (str_starts(line, str_of(runs[k].begin)))
				continue;
			if (i > first)
				fold_lines(f, first, i - 1, runs[k].kind);
			first = i + 1;
		}
}

bool ranges_folding(struct request *r)
{
	struct analysis *an = analysis_of(r->lsp, r->document);
	struct module *root = an->compile->program.root;
	struct folding f = { .r = r };

	msg_open(r->out, '[');
	if (root && root->source) {
		f.lines = analysis_lines(an, root->source);
		f.base = root->source->base;
		node_children(root->file, fold_node, &f);
		fold_runs(&f);
	}
	msg_close(r->out, ']');
	return true;
}

/* ---- selection ---- */

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/*
 * Writes the ranges around an offset, innermost first: the word, the nodes around it, the file. Each is larger than the
 * one before.
 */
static void put_selection(struct request *r, const struct lsp_lines *lines, const struct module *root, size_t offset)
{
	struct node_path path;
	struct str text = lines->text;
	size_t start = offset, end = offset, depth = 1;
	uint32_t base = root->source->base;

	while (start > 0 && is_word_char(text.p[start - 1]))
		start--;
	while (end < text.n && is_word_char(text.p[end]))
		end++;
	node_path_at(root->file, base + (uint32_t)offset, &path);
	msg_open(r->out, '{');
	msg_add_range(r->out, "range", lines, start, end);
	for (size_t i = path.n; i-- > 0;) {
		size_t from = i ? path.at[i]->span.start - base : 0, to = i ? path.at[i]->span.end - base : text.n;
		if (from > start || to < end || (from == start && to == end))
			continue;
		start = from;
		end = to;
		depth++;
		msg_add_object(r->out, "parent");
		msg_add_range(r->out, "range", lines, start, end);
	}
	while (depth--)
		msg_close(r->out, '}');
}

bool ranges_selection(struct request *r)
{
	struct analysis *an = analysis_of(r->lsp, r->document);
	struct module *root = an->compile->program.root;
	const struct data *positions = msg_get(r->params, "positions");

	msg_open(r->out, '[');
	for (size_t i = 0; root && root->source && positions && positions->kind == DATA_LIST && i < positions->u.list.n;
	    i++) {
		const struct lsp_lines *lines = analysis_lines(an, root->source);
		put_selection(r, lines, root, lines_offset(lines, msg_position(positions->u.list.at[i], "")));
	}
	msg_close(r->out, ']');
	return true;
}
