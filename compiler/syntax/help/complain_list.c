/*
 * complain_list.c - lists in the form of Kubernetes. Variables, `env = [{name: "A", value: "b"}]`, are reported once
 * for the whole list; with '=' in place of ':' the list is parsed, and the checker reports it. A block of lines that
 * begin with '-' becomes a list in brackets for a help.
 */
#include "syntax/help/complain.h"

#include "trainc.tab.h"

enum { ENTRY = 9, MOST = 32 };          /* tokens of { name: "A", value: "b" }; entries that are looked at */

static bool is_key(const struct fault *f, size_t i, const char *name)
{
	struct str text = fault_text(f, i);

	if (f->at[i].kind == TOKEN_STRING && text.n > 2)
		text = (struct str){ text.p + 1, text.n - 2 };
	return str_is(text, name) && f->at[i + 1].kind == TOKEN_COLON;
}

static bool is_scalar(int kind)
{
	return kind == TOKEN_STRING || kind == TOKEN_INT || kind == TOKEN_FLOAT || kind == TOKEN_TRUE ||
		kind == TOKEN_FALSE || kind == TOKEN_IDENT;
}

/* Does `{ name: A, value: b }` begin with token I? */
static bool is_entry(const struct fault *f, size_t i)
{
	const struct token *t = &f->at[i];

	return t[0].kind == TOKEN_LBRACE && is_key(f, i + 1, "name") &&
		(t[3].kind == TOKEN_STRING || t[3].kind == TOKEN_IDENT) && t[4].kind == TOKEN_COMMA &&
		is_key(f, i + 5, "value") && is_scalar(t[7].kind) && t[8].kind == TOKEN_RBRACE;
}

/* Skips the entry that begins with token I, and foretells the failure in the one after it. */
static void skip_entry(struct fault *f, size_t i)
{
	size_t next = i;

	f->p->resume = i + ENTRY - 1;
	do                                      /* words for a name and a value parse as the type of a field */
		next += ENTRY + (f->at[next + ENTRY].kind == TOKEN_COMMA);
	while (is_entry(f, next) && f->at[next + 3].kind == TOKEN_IDENT && f->at[next + 7].kind == TOKEN_IDENT);
	f->p->foretold = !is_entry(f, next) ? 0 : next + (f->at[next + 3].kind == TOKEN_IDENT ? 7 : 3);
}

/* The entry in which the parse failed, at its name or at its value; 0 when it failed elsewhere. */
static size_t failed_entry(const struct fault *f)
{
	if (f->item >= 1 && is_entry(f, f->item - 1))
		return f->item - 1;
	return f->item >= 5 && is_entry(f, f->item - 5) ? f->item - 5 : 0;
}

bool complain_again(struct fault *f)
{
	size_t entry = failed_entry(f);

	if (entry)
		skip_entry(f, entry);
	return entry != 0;
}

/* Reports the list whose first entry begins with token FIRST. */
static void report_entries(struct fault *f, size_t first)
{
	struct arena *a = f->p->arena;
	size_t i = first, n = 0;
	struct str all = STR("");

	for (; n < MOST && is_entry(f, i); n++) {
		struct str name = fault_text(f, i + 3), value = fault_text(f, i + 7);
		bool quoted = f->at[i + 7].kind != TOKEN_IDENT;
		if (f->at[i + 3].kind == TOKEN_STRING)
			name = (struct str){ name.p + 1, name.n - 2 };
		all = str_printf(a, quoted ? "%.*s%s%.*s = %.*s" : "%.*s%s%.*s = \"%.*s\"", STR_ARG(all), n ? ", " : "",
			STR_ARG(name), STR_ARG(value));
		i += ENTRY + (f->at[i + ENTRY].kind == TOKEN_COMMA);
	}
	f->p->told = (struct span){ f->at[first].start, f->at[i - 1].end };
	struct diag *d = diag_report(f->p->diags, TJ0111,
		(struct span){ f->at[first - 1].start, f->at[first].end },
		"'env' is a map from names to values, and this is a list");
	struct str right = str_printf(a, " { %.*s }", STR_ARG(all));
	diag_help(f->p->diags, d, "write 'env%.*s'", STR_ARG(right));
	if (f->at[i].kind == TOKEN_RBRACKET)
		diag_fix(f->p->diags, d, (struct span){ f->at[first - 3].end, f->at[i].end }, right, "write a map");
}

bool complain_variables(struct fault *f)
{
	size_t entry = failed_entry(f), first = entry;

	if (f->found.kind == TOKEN_LBRACKET && f->i == f->item + 2 && str_is(fault_text(f, f->item), "env") &&
	    is_entry(f, f->i + 1)) {
		report_entries(f, f->i + 1);
		return true;
	}
	while (first > ENTRY + 3 && f->at[first - 1].kind == TOKEN_COMMA && is_entry(f, first - 1 - ENTRY))
		first -= ENTRY + 1;
	if (first < 3 || f->at[first - 1].kind != TOKEN_LBRACKET ||
	    !str_is(fault_text(f, first - 3), "env"))
		return false;
	report_entries(f, first);
	skip_entry(f, entry);
	return true;
}

/* The end of the line that contains I. */
static size_t line_end(struct str text, size_t i)
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
		size_t end = line_end(text, i), last = end;
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
