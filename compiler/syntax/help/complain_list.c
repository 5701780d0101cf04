/*
 * complain_list.c - lists. Values in braces, `{"a", "b"}`, are reported once. Lines that begin with '-' are shown as a
 * list in brackets in the help.
 */
#include "syntax/help/complain.h"

#include "trainc.tab.h"

enum { MOST = 32 };                     /* maximum number of entries to look at */

static bool is_scalar_token(int kind)
{
	return kind == TOKEN_STRING || kind == TOKEN_INT || kind == TOKEN_FLOAT || kind == TOKEN_TRUE ||
		kind == TOKEN_FALSE || kind == TOKEN_IDENT;
}

/* The brace that closes a group of values without keys, as in `{ "a", 1, b }`; 0 if there is anything else in it. */
static size_t values_end(const struct fault *f, size_t open)
{
	for (size_t i = open + 1; i - open < 4 * MOST; i++) {
		int kind = f->at[i].kind;
		if (kind == TOKEN_RBRACE)
			return i > open + 1 && !(f->at[i].flags & FLAG_VIRTUAL) ? i : 0;
		bool comma = kind == TOKEN_COMMA, after_value = i > open + 1 && f->at[i - 1].kind != TOKEN_COMMA;
		if (comma != after_value || (!comma && !is_scalar_token(kind) && kind != TOKEN_QUANTITY))
			return 0;
	}
	return 0;
}

/* Reports `env { A, B }` or `project { name }`. */
static void report_valueless(struct fault *f, size_t open)
{
	struct diag *d = diag_report(f->p->diags, TJ0104, fault_span(f), "'%.*s' has no value",
		STR_ARG(fault_text(f, open + 1)));

	struct str text = fault_text(f, open + 1);
	const char *equals = text.n > 2 && text.p[0] == '"' ? memchr(text.p, '=', text.n) : NULL;
	if (equals && letters_only((struct str){ text.p + 1, (size_t)(equals - text.p) - 1 }))
		diag_help(f->p->diags, d, "write '%.*s = \"%.*s'", (int)(equals - text.p) - 1, text.p + 1,
			(int)(text.p + text.n - equals) - 1, equals + 1);
	else
		diag_help(f->p->diags, d, "write a value after the name, as in '%.*s = ...'", STR_ARG(text));
}

/* Adds the help for `for x in {"a", "b"} {`, whose job is in braces as well. */
static void help_loop(struct fault *f, struct diag *d, size_t open, size_t end, struct str list)
{
	struct str name = fault_text(f, open - 2);

	f->p->foretold = end + 1;
	diag_help(f->p->diags, d,
		"write 'for %.*s in %.*s job \"name-${%.*s}\" { ... }', without braces around the job",
		STR_ARG(name), STR_ARG(list), STR_ARG(name));
}

/* Reports values in braces; SINGLE: the field takes one value. */
static void report_list(struct fault *f, size_t open, size_t end, bool single)
{
	struct diags *ds = f->p->diags;
	struct str inside = tokens_text(&f->p->tokens, f->at[open + 1].start, f->at[end - 1].end);
	struct str list = str_printf(f->p->arena, single ? "%.*s" : "[%.*s]", STR_ARG(inside));
	struct diag *d = diag_report(ds, TJ0102, (struct span){ f->at[open].start, f->at[open].end },
		"braces hold 'key = value', and these values have no keys");
	if (open > 2 && f->p->feed.depth == 1 && f->at[open - 3].kind == TOKEN_FOR &&
		f->at[end + 1].kind == TOKEN_LBRACE)
		help_loop(f, d, open, end, list.n > 100 ? STR("[a, b]") : list);
	else if (single)
		diag_help(ds, d, "write '%.*s = %.*s'", STR_ARG(fault_text(f, open - 2)), STR_ARG(inside));
	else if (list.n > 100 || memchr(list.p, '\n', list.n))
		diag_help(ds, d, "a list is written in brackets: '[a, b]'");
	else
		diag_help(ds, d, "a list is written in brackets: '%.*s'", STR_ARG(list));
	diag_fix(ds, d, (struct span){ f->at[open].start, f->at[end].end }, list,
		single ? "remove the braces" : "write brackets");
}

bool complain_set(struct fault *f)
{
	size_t open = f->i == f->item + 1 ? f->item - 1 : f->i - 1, field = open - 2, end;

	if (f->line_end || !f->p->feed.depth || !f->i || !f->item || f->at[open].kind != TOKEN_LBRACE || !open)
		return false;
	end = values_end(f, open);
	if (!end)
		return false;
	bool set = f->at[open - 1].kind == TOKEN_ASSIGN, name = f->at[open + 1].kind == TOKEN_IDENT ||
		f->at[open + 1].kind == TOKEN_STRING;
	const char *type = set && field < f->i ? field_type(fault_text(f, field)) : NULL;
	bool map = type && (strncmp(type, "map", 3) == 0 || strcmp(type, "env") == 0);
	bool value = (set || f->at[open - 1].kind == TOKEN_IN || f->at[open - 1].kind == TOKEN_LPAREN ||
		f->at[open - 1].kind == TOKEN_COMMA || f->at[open - 1].kind == TOKEN_LBRACKET) && !map;
	if (!value && !name)
		return false;
	f->p->resume = end;
	if (!value) {
		report_valueless(f, open);
		return true;
	}
	report_list(f, open, end, type && strncmp(type, "list", 4) != 0 && end == open + 2);
	return true;
}

/* The end of the line that contains I. */
static size_t text_line_end(struct str text, size_t i)
{
	const char *end = memchr(text.p + i, '\n', text.n - i);
	return end ? (size_t)(end - text.p) : text.n;
}

struct str fault_dashes(const struct fault *f, size_t first)
{
	struct arena *a = f->p->arena;
	const struct source *source = f->p->source;
	struct str text = source->text, all = STR("");
	size_t i = f->at[first].start - source->base;
	unsigned indent = tokens_indent(&f->p->tokens, f->at[first].start);

	for (size_t n = 0; n < MOST && i + 1 < text.n && text.p[i] == '-' && text.p[i + 1] == ' '; n++) {
		size_t end = text_line_end(text, i), last = end;
		for (i += 2; i < end && text.p[i] == ' '; i++)
			;
		while (last > i && (text.p[last - 1] == ' ' || text.p[last - 1] == '\r'))
			last--;
		struct str item = { text.p + i, last - i };
		bool quoted = item.n > 1 && item.p[0] == '"' && item.p[item.n - 1] == '"';
		if (!item.n || memmem(item.p, item.n, ": ", 2) || item.p[item.n - 1] == ':' ||
		    memmem(item.p, item.n, " #", 2) || (!quoted && strcspn(item.p, "\"'\\") < item.n))
			return STR("");
		all = str_printf(a, quoted ? "%.*s%s%.*s" : "%.*s%s\"%.*s\"", STR_ARG(all), n ? ", " : "",
			STR_ARG(item));
		i = end + (end < text.n);
		size_t next = i;
		while (i < text.n && text.p[i] == ' ')
			i++;
		if (i - next != indent)
			break;
	}
	return all.n > 160 ? STR("") : all;
}
