/*
 * format.c - prints tokens in the canonical style. The formatter works on tokens, not on the tree: what it must keep
 * (comments, strings, the author's line breaks between operators) is not in the tree, and what it must know (which
 * brackets are lists, where items end) follows from the tokens.
 *
 * Formatting again must change nothing. So every decision depends on properties that printing keeps: a list is broken
 * over lines if the author broke it, or if it does not fit at its column; a body is on one line if the author wrote it
 * so and it still fits. A run of aligned settings ends with, and includes, the first setting that takes several lines
 * once the run is aligned.
 */
#include "syntax/format.h"

#include <stdlib.h>

#include "syntax/layout.h"
#include "syntax/parse.h"
#include "trainc.tab.h"

struct printer {
	const struct layout *l;
	struct buf *out;
	size_t column;
	unsigned indent;                /* indentation of the line being written */
	size_t pad_at;                  /* the token before which `pad` additional blanks are written */
	size_t pad;
	size_t break_at, break_end;     /* the `else` of a check, which may begin a line, and the end of the check */
	bool probe;                     /* only find out whether the output would take more than one line: stop at the
					 * first line break */
	bool begun;
};

static void print(struct printer *p, size_t from, size_t to, unsigned indent);
static void print_items(struct printer *p, size_t from, size_t to, unsigned indent, bool file);

static bool is_line_end(int kind)
{
	return kind == TOKEN_NL || kind == TOKEN_EOL;
}

static void put_printed(struct printer *p, struct str text)
{
	buf_str(p->out, text);
	p->column += str_chars(text);
}

static void put_z(struct printer *p, const char *z) { put_printed(p, str_of(z)); }

static void blanks(struct printer *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_z(p, " ");
}

static void new_line(struct printer *p, unsigned indent)
{
	p->begun = true;
	buf_char(p->out, '\n');
	p->column = 0;
	p->indent = indent;
	blanks(p, indent);
}

/* Prints text that may have several lines unchanged, except that CRLF becomes LF. */
static void put_verbatim(struct printer *p, struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\r' && i + 1 < text.n && text.p[i + 1] == '\n')
			continue;
		buf_char(p->out, text.p[i]);
		p->begun = p->begun || text.p[i] == '\n';
		if (text.p[i] == '\n')
			p->column = 0;
		else
			p->column += ((unsigned char)text.p[i] & 0xC0) != 0x80;
	}
}

static void put_own_comment(struct printer *p, const struct comment *c)
{
	struct str text = tokens_text(&p->l->tokens, c->start, c->end);

	if (c->doc && text.n > 2 && text.p[2] != ' ' && text.p[2] != '#') {
		put_z(p, "## ");
		text = (struct str){ text.p + 2, text.n - 2 };
	}
	put_printed(p, text);
}

/* Prints a comment after code. */
static void put_trailing(struct printer *p, const struct comment *c)
{
	const char *text = p->l->tokens.source->text.p;
	size_t at = c->start - p->l->tokens.source->base, gap = 0;

	while (at > 0 && text[at - 1] == ' ') {
		at--;
		gap++;
	}
	blanks(p, gap ? gap : 1);
	put_own_comment(p, c);
}

/*
 * Is token I the `else` of a check that does not fit after the condition? A line break there is better than one inside
 * the arguments of a call. This is decided when the condition has been printed, so the answer does not change when
 * formatted text, whose condition may take several lines, is formatted again.
 */
static bool wraps_at(const struct printer *p, size_t i)
{
	return i && i == p->break_at &&
		p->column + 1 + layout_width(p->l, i, p->break_end, FORMAT_WIDTH) > FORMAT_WIDTH;
}

/* Prints the comments and the author's line breaks before token I, inside an item; true if they began a line. */
static bool print_between(struct printer *p, size_t i, unsigned indent)
{
	size_t from, to;

	layout_comments(p->l, p->l->at[i - 1].end, p->l->at[i].start, &from, &to);
	for (size_t k = from; k < to; k++) {
		const struct comment *c = &p->l->tokens.comments[k];
		if (c->own_line) {
			new_line(p, indent);
			put_own_comment(p, c);
		} else {
			put_trailing(p, c);
		}
	}
	if (from == to && !wraps_at(p, i) && !layout_keeps_newline(p->l, i))
		return false;
	new_line(p, indent);
	return true;
}

/* --- brackets --- */

/* The token that ends the element that begins at I: a comma or the closing bracket. */
static size_t element_end(const struct printer *p, size_t i, size_t close)
{
	for (; i < close && p->l->at[i].kind != TOKEN_COMMA; i++)
		if (p->l->match[i] > i)
			i = p->l->match[i];
	return i;
}

static size_t print_comments(struct printer *p, size_t from, size_t to, unsigned indent)
{
	for (; from < to; from++) {
		const struct comment *c = &p->l->tokens.comments[from];
		if (!c->own_line) {
			put_trailing(p, c);
			continue;
		}
		new_line(p, indent);
		put_own_comment(p, c);
	}
	return from;
}

/* Prints one element on each line. */
static void print_broken(struct printer *p, size_t open)
{
	const struct layout *l = p->l;
	size_t close = l->match[open], from, to;
	unsigned outer = p->indent, inner = outer + FORMAT_STEP;

	if (p->probe) {
		p->begun = true;
		return;
	}
	put_z(p, l->at[open].kind == TOKEN_LPAREN ? "(" : "[");
	layout_comments(l, l->at[open].end, l->at[open + 1].start, &from, &to);
	print_comments(p, from, to, inner);
	for (size_t i = open + 1; i < close;) {
		size_t end = element_end(p, i, close);
		new_line(p, inner);
		print(p, i, end, inner);
		put_z(p, ",");
		/* comments after the element or its comma, up to the next element */
		size_t next = end < close ? end + 1 : close;
		layout_comments(l, l->at[end - 1].end, l->at[next].start, &from, &to);
		print_comments(p, from, to, inner);
		i = next;
	}
	new_line(p, outer);
	put_z(p, l->at[open].kind == TOKEN_LPAREN ? ")" : "]");
}

static bool must_break(const struct printer *p, size_t open)
{
	const struct layout *l = p->l;
	size_t close = l->match[open], from, to;

	if (close == open + 1) {                /* empty, or only comments */
		layout_comments(l, l->at[open].end, l->at[close].start, &from, &to);
		return from < to;
	}
	if (l->role[open] == BRACKET_OTHER)
		return false;
	if (l->broken[open])
		return true;
	if (p->column > FORMAT_WIDTH)
		return true;
	return p->column + layout_width(l, open, close + 1, FORMAT_WIDTH) > FORMAT_WIDTH;
}

/* Prints ( or [ and everything in it; returns the index of the closing bracket. */
static size_t print_bracket(struct printer *p, size_t open, unsigned indent)
{
	const struct layout *l = p->l;
	size_t close = l->match[open];
	bool comma = close > open + 1 && l->at[close - 1].kind == TOKEN_COMMA;

	if (must_break(p, open)) {
		print_broken(p, open);
		return close;
	}
	put_z(p, l->at[open].kind == TOKEN_LPAREN ? "(" : "[");
	if (close > open + 1) {
		if (l->role[open] == BRACKET_OTHER)
			print_between(p, open + 1, indent + FORMAT_STEP);
		print(p, open + 1, close - comma, indent);
		if (l->role[open] == BRACKET_OTHER)
			print_between(p, close, indent);
	}
	put_z(p, l->at[open].kind == TOKEN_LPAREN ? ")" : "]");
	return close;
}

/* Prints { and its items; returns the index of }. */
static size_t print_body(struct printer *p, size_t open)
{
	const struct layout *l = p->l;
	size_t close = l->match[open], from, to;
	unsigned indent = p->indent;

	layout_comments(l, l->at[open].end, l->at[close].start, &from, &to);
	if (close == open + 1 && from == to) {
		put_z(p, "{}");
		return close;
	}
	if (l->one_line[open] && p->column + layout_width(l, open, close + 1, FORMAT_WIDTH) <= FORMAT_WIDTH) {
		put_z(p, "{ ");
		print(p, open + 1, close, indent);
		put_z(p, " }");
		return close;
	}
	if (p->probe) {
		p->begun = true;
		return close;
	}
	put_z(p, "{");
	print_items(p, open + 1, close, indent + FORMAT_STEP, false);
	new_line(p, indent);
	put_z(p, "}");
	return close;
}

/* Prints tokens [from, to) on one line: those of one item, or of all items of a body. */
static void print(struct printer *p, size_t from, size_t to, unsigned indent)
{
	const struct layout *l = p->l;

	for (size_t i = from; i < to && !(p->probe && p->begun); i++) {
		int kind = l->at[i].kind;
		if (layout_separates(l, i) && l->at[i + 1].kind == TOKEN_RBRACE)
			continue;
		if (is_line_end(kind)) {
			put_z(p, ", ");
			continue;
		}
		if (i > from && !is_line_end(l->at[i - 1].kind) && !print_between(p, i, indent + FORMAT_STEP) &&
			layout_space(l, i))
			put_z(p, " ");
		if (i == p->pad_at)
			blanks(p, p->pad);
		if (kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET) {
			i = print_bracket(p, i, indent);
		} else if (kind == TOKEN_LBRACE) {
			i = print_body(p, i);
		} else if (kind == TOKEN_STR_OPEN) {
			put_verbatim(p, tokens_text(&l->tokens, l->at[i].start, l->at[l->match[i]].end));
			i = l->match[i];
		} else {
			put_printed(p, tokens_text(&l->tokens, l->at[i].start, l->at[i].end));
		}
	}
}

/* --- items --- */

struct format_item {
	size_t from, to;                /* range of its tokens, without the separator */
	size_t trailing;                /* 1 + the index of the comment that follows the item on its line; 0: no comment
					 * follows */
	size_t lead, lead_end;          /* range of the comments on lines of their own before it */
	bool blank;                     /* a blank line comes before it */
	/* index of the `=` of a setting or a let, or of the `{` of a block on one line; 0 for others */
	size_t sign;
	/* the item's form, `a = 1`, `a { }` or `a b { }`: only items of the same form are aligned with each other */
	enum { SETTING, EXTENSION, NAMED } sort;
	bool lines;                     /* the item takes several lines, aligned or not */
	size_t width;                   /* number of columns before `sign` */
	size_t pad;
};

/* The end of the key that begins at I; I if no key begins there. */
static size_t key_end(const struct layout *l, size_t i)
{
	switch (l->at[i].kind) {
	case TOKEN_STR_OPEN: case TOKEN_LPAREN:
		return l->match[i] + 1;
	case TOKEN_IDENT: case TOKEN_STRING:
		return i + 1;
	default:
		return token_is_word(l->at[i].kind) ? i + 1 : i;
	}
}

static void classify_item(const struct layout *l, struct format_item *it, bool file)
{
	size_t i = it->from, end = key_end(l, i);

	it->sign = 0;
	it->sort = SETTING;
	if (l->at[i].kind == TOKEN_LET) {
		for (i++; i < it->to && l->at[i].kind != TOKEN_ASSIGN; i++)
			if (l->match[i] > i)
				i = l->match[i];
		it->sign = i < it->to ? i : 0;
		return;
	}
	if (file || end >= it->to)
		return;
	if (end > i && (l->at[end].kind == TOKEN_ASSIGN || l->at[end].kind == TOKEN_ADD_ASSIGN)) {
		it->sign = end;
		return;
	}
	bool named = l->at[i].kind == TOKEN_IDENT && (l->at[end].kind == TOKEN_IDENT || l->at[end].kind == TOKEN_JOB);
	end += named;
	if (end > i && end < it->to && l->at[end].kind == TOKEN_LBRACE && l->match[end] + 1 == it->to &&
		l->one_line[end]) {
		it->sign = end;
		it->sort = named ? NAMED : EXTENSION;
	}
}

static struct format_item *split_items(const struct layout *l, struct arena *a, size_t from, size_t to, bool file,
	size_t *ret_n)
{
	struct format_item *items = NULL;
	size_t n = 0;

	for (size_t i = from; i < to;) {
		struct format_item it = { .from = i };
		for (; i < to && (file ? !is_line_end(l->at[i].kind) : !layout_separates(l, i)); i++)
			if (l->match[i] > i)
				i = l->match[i];
		it.to = i++;
		if (it.to == it.from)
			continue;
		classify_item(l, &it, file);
		ARENA_PUSH(a, items, n, it);
	}
	*ret_n = n;
	return items;
}

/* Assigns comments to items. */
static void attach(const struct layout *l, struct format_item *items, size_t n, uint32_t start)
{
	for (size_t i = 0; i < n; i++) {
		struct format_item *it = &items[i];
		layout_comments(l, start, l->at[it->from].start, &it->lead, &it->lead_end);
		if (it->lead < it->lead_end && !l->tokens.comments[it->lead].own_line)
			it->lead++;             /* this comment belongs to the line of the previous item */
		it->blank = l->at[it->from].flags & FLAG_BLANK;
		start = l->at[it->to - 1].end;
		size_t from, to;
		layout_comments(l, start, l->at[it->to].start + 1, &from, &to);
		/* also looks after the separator */
		if (it->to + 1 < l->n && layout_separates(l, it->to) && from == to)
			layout_comments(l, start, l->at[it->to + 1].start, &from, &to);
		if (from < to && !l->tokens.comments[from].own_line)
			it->trailing = from + 1;
	}
}

/* Is there a blank line between an item and the one before it, or among the comments between them? */
static bool is_apart(const struct layout *l, const struct format_item *it)
{
	for (size_t i = it->lead; i < it->lead_end; i++)
		if (l->tokens.comments[i].blank)
			return true;
	return it->blank;
}

/* Does the item take several lines at this indentation, with PAD blanks added? */
static bool takes_lines(const struct printer *p, const struct format_item *it, unsigned indent, size_t pad)
{
	struct buf scratch = { 0 };
	struct printer q = {
		.l = p->l, .out = &scratch, .column = indent, .indent = indent, .pad_at = it->sign, .pad = pad,
			.probe = true,
	};

	print(&q, it->from, it->to, indent);
	buf_release(&scratch);
	return q.begun;
}

/* Sets the padding of a run of settings, or of one-line blocks; returns how many of the N items the run has. */
static size_t align(struct printer *p, struct format_item *items, size_t n, unsigned indent)
{
	bool block = items[0].sort != SETTING;

	for (;;) {
		size_t widest = 0, i;
		for (i = 0; i < n; i++)
			widest = items[i].width > widest ? items[i].width : widest;
		for (i = 0; i < n; i++)
			items[i].pad = widest - items[i].width;
		/* a setting that takes several lines is the last of its run; a block that does so belongs to no run */
		for (i = 0; i < n && !takes_lines(p, &items[i], indent, items[i].pad); i++)
			;
		size_t length = i == n ? n : i + !block;
		if (length == n || n == 1)
			return n;
		if (length == 0)
			length = 1;
		n = length;
	}
}

static void align_runs(struct printer *p, struct format_item *items, size_t n, unsigned indent)
{
	for (size_t i = 0; i < n; i++) {
		if (!items[i].sign)
			continue;
		items[i].width = layout_width(p->l, items[i].from, items[i].sign, SIZE_MAX);
		items[i].lines = takes_lines(p, &items[i], indent, 0);
	}
	for (size_t i = 0; i < n;) {
		size_t end = i;
		while (end < n && items[end].sign && items[end].sort == items[i].sort &&
			(end == i || !is_apart(p->l, &items[end]))) {
			if (items[end].lines) {
				end += items[i].sort == SETTING;
				break;
			}
			end++;
		}
		i += end > i ? align(p, items + i, end - i, indent) : 1;
	}
}

/* --- imports --- */

struct format_import {
	struct format_item item;
	unsigned group;                 /* the sort key: groups in this order: the standard library, packages, files */
	struct str text;
	size_t order;
};

static int compare_imports(const void *left, const void *right)
{
	const struct format_import *a = left, *b = right;
	int d = a->group != b->group ? (a->group > b->group) - (a->group < b->group) : str_cmp(a->text, b->text);

	return d ? d : (a->order > b->order) - (a->order < b->order);
}

/* Tokens [from, to) as they will be printed: the order must not depend on the author's spacing. */
static struct str printed(const struct layout *l, size_t from, size_t to)
{
	struct buf scratch = { 0 };
	struct printer q = { .l = l, .out = &scratch };

	print(&q, from, to, 0);
	struct str text = str_copy(l->tokens.arena, buf_text(&scratch));
	buf_release(&scratch);
	return text;
}

static struct format_import import_of(const struct layout *l, const struct format_item *it, size_t order)
{
	size_t i = it->from + 1;
	struct format_import m = { *it, 1, printed(l, i, it->to), order };

	if (l->at[i].kind != TOKEN_IDENT)
		m.group = 2;
	else if (str_is(tokens_text(&l->tokens, l->at[i].start, l->at[i].end), "std"))
		m.group = 0;
	return m;
}

/* Sorts items [0, n), which are imports without other items between them. */
static void sort_run(const struct layout *l, struct format_item *items, size_t n)
{
	struct format_import *imports = ARENA_ARRAY(l->tokens.arena, struct format_import, n);

	for (size_t i = 0; i < n; i++)
		imports[i] = import_of(l, &items[i], i);
	qsort(imports, n, sizeof(*imports), compare_imports);
	for (size_t i = 0; i < n; i++) {                /* comments before the imports stay where they are */
		items[i].from = imports[i].item.from;
		items[i].to = imports[i].item.to;
		items[i].trailing = imports[i].item.trailing;
		if (i)
			items[i].blank = imports[i].group != imports[i - 1].group;
	}
}

static void sort_imports(const struct layout *l, struct format_item *items, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t end = i;
		while (end < n && l->at[items[end].from].kind == TOKEN_IMPORT &&
			(end == i || items[end].lead == items[end].lead_end))
			end++;
		if (end > i + 1)
			sort_run(l, items + i, end - i);
		i = end > i ? end : i + 1;
	}
}

/* --- lines --- */

/* Prints comments that have lines of their own; *first is true until something has been printed. */
static void print_leading(struct printer *p, size_t from, size_t to, unsigned indent, bool *first)
{
	for (; from < to; from++) {
		const struct comment *c = &p->l->tokens.comments[from];
		if (c->blank && !*first)
			buf_char(p->out, '\n');
		if (p->out->n)
			new_line(p, indent);
		put_own_comment(p, c);
		*first = false;
	}
}

/* The index of the `else` of a check; 0 for other items and for checks without one. */
static size_t check_else(const struct layout *l, const struct format_item *it)
{
	unsigned choices = 0;

	if (l->at[it->from].kind != TOKEN_CHECK && l->at[it->from].kind != TOKEN_WARN)
		return 0;
	for (size_t i = it->from + 1; i < it->to; i++) {
		bool member = l->at[i - 1].kind == TOKEN_DOT;
		if (l->match[i] > i)
			i = l->match[i];
		else if (l->at[i].kind == TOKEN_IF && !member)
			choices++;
		else if (l->at[i].kind == TOKEN_ELSE && !member && !choices--)
			return i;
	}
	return 0;
}

static void print_item(struct printer *p, const struct format_item *it, unsigned indent)
{
	size_t around = p->break_at, end = p->break_end;        /* saved, since this item may be inside a check */

	p->pad_at = it->sign;
	p->pad = it->pad;
	p->break_at = check_else(p->l, it);
	p->break_end = it->to;
	print(p, it->from, it->to, indent);
	p->pad_at = 0;
	p->pad = 0;
	p->break_at = around;
	p->break_end = end;
	if (it->trailing)
		put_trailing(p, &p->l->tokens.comments[it->trailing - 1]);
}

/* Prints the comments between the last item and the end of the body or file. */
static void print_rest(struct printer *p, uint32_t start, size_t to, unsigned indent, bool *first)
{
	size_t begin, end;

	layout_comments(p->l, start, p->l->at[to].start, &begin, &end);
	if (begin < end && !p->l->tokens.comments[begin].own_line)
		begin++;
	print_leading(p, begin, end, indent, first);
}

static void print_items(struct printer *p, size_t from, size_t to, unsigned indent, bool file)
{
	const struct layout *l = p->l;
	size_t n, begin, end;
	struct format_item *items = split_items(l, l->tokens.arena, from, to, file, &n);
	uint32_t start = from ? l->at[from - 1].end : l->tokens.source->base;
	uint32_t last = n ? l->at[items[n - 1].to - 1].end : start;
	bool first = true;

	attach(l, items, n, start);
	if (file)
		sort_imports(l, items, n);
	align_runs(p, items, n, indent);
	layout_comments(l, start, l->at[from].start, &begin, &end);
	if (!file && begin < end && !l->tokens.comments[begin].own_line)
		put_trailing(p, &l->tokens.comments[begin]);    /* the comment after the opening brace */
	for (size_t i = 0; i < n; i++) {
		print_leading(p, items[i].lead, items[i].lead_end, indent, &first);
		if (items[i].blank && !first)
			buf_char(p->out, '\n');
		if (p->out->n)
			new_line(p, indent);
		print_item(p, &items[i], indent);
		first = false;
	}
	print_rest(p, last, to, indent, &first);
}

bool format_source(struct arena *a, struct names *names, struct diags *ds, const struct source *source, struct buf *out)
{
	size_t errors = ds->errors;
	struct source any = *source;

	any.library = true;             /* the formatter also accepts syntax that only the library may use */
	parse_source(a, names, ds, &any);
	if (ds->errors != errors)
		return false;
	struct layout l = layout_new(a, ds, source);
	struct buf text = { 0 };
	struct printer p = { .l = &l, .out = &text };

	print_items(&p, 0, l.n - 1, 0, true);
	if (text.n)
		buf_char(&text, '\n');
	buf_put(out, text.p, text.n);
	buf_release(&text);
	return true;
}
