/*
 * complain_list.c - lists in the form of Kubernetes. Variables, `env = [{name: "A", value: "b"}]`, are reported once
 * for the whole list; with '=' in place of ':' the list is parsed, and the checker reports it. Values in braces,
 * `{"a", "b"}`, are reported once, too. A block of lines that begin with '-' becomes a list in brackets for a help.
 */
#include "syntax/help/complain.h"

#include "trainc.tab.h"

enum { ENTRY = 9, NAME_ONLY = 5 };      /* tokens of { name: "A", value: "b" } and of { name: "A" } */
enum { MOST = 32 };                     /* maximum number of entries to look at */

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

/*
 * The number of tokens of the `{ name: A, value: b }` or `{ name: A }` that begins with token I; 0 if none does. In
 * Kubernetes a variable without a value is empty.
 */
static size_t entry_size(const struct fault *f, size_t i)
{
	const struct token *t = &f->at[i];

	if (t[0].kind != TOKEN_LBRACE || !is_key(f, i + 1, "name") ||
		(t[3].kind != TOKEN_STRING && t[3].kind != TOKEN_IDENT))
		return 0;
	if (t[4].kind == TOKEN_RBRACE)
		return NAME_ONLY;
	return t[4].kind == TOKEN_COMMA && is_key(f, i + 5, "value") && is_scalar(t[7].kind) &&
		t[8].kind == TOKEN_RBRACE ? ENTRY : 0;
}

/* The token after the entry that begins with token I, and after its comma. */
static size_t entry_behind(const struct fault *f, size_t i)
{
	size_t end = i + entry_size(f, i);

	return end + (f->at[end].kind == TOKEN_COMMA);
}

/* The token of the entry at which the parse fails; 0: its words parse as the types of fields. */
static size_t entry_fault(const struct fault *f, size_t i)
{
	if (f->at[i + 3].kind != TOKEN_IDENT)
		return i + 3;
	return entry_size(f, i) == ENTRY && f->at[i + 7].kind != TOKEN_IDENT ? i + 7 : 0;
}

/* The entry whose comma is the token before FIRST; FIRST itself if there is none. */
static size_t entry_before(const struct fault *f, size_t first)
{
	static const size_t sizes[] = { ENTRY, NAME_ONLY };

	for (size_t k = 0; k < 2; k++)
		if (first > sizes[k] + 3 && f->at[first - 1].kind == TOKEN_COMMA &&
			entry_size(f, first - 1 - sizes[k]) == sizes[k])
			return first - 1 - sizes[k];
	return first;
}

/* Skips the entry that begins with token I, and foretells the failure in one after it. */
static void skip_entry(struct fault *f, size_t i)
{
	size_t next = entry_behind(f, i);

	f->p->resume = i + entry_size(f, i) - 1;
	while (entry_size(f, next) && !entry_fault(f, next))
		next = entry_behind(f, next);
	f->p->foretold = entry_size(f, next) ? entry_fault(f, next) : 0;
}

/* The entry in which the parse failed, at its name or at its value; 0 when it failed elsewhere. */
static size_t failed_entry(const struct fault *f)
{
	if (f->item >= 1 && entry_size(f, f->item - 1))
		return f->item - 1;
	return f->item >= 5 && entry_size(f, f->item - 5) == ENTRY ? f->item - 5 : 0;
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

	for (; n < MOST && entry_size(f, i); n++) {
		bool full = entry_size(f, i) == ENTRY, quoted = full && f->at[i + 7].kind != TOKEN_IDENT;
		struct str name = fault_text(f, i + 3), value = full ? fault_text(f, i + 7) : STR("");
		if (f->at[i + 3].kind == TOKEN_STRING)
			name = (struct str){ name.p + 1, name.n - 2 };
		all = str_printf(a, quoted ? "%.*s%s%.*s = %.*s" : "%.*s%s%.*s = \"%.*s\"", STR_ARG(all), n ? ", " : "",
			STR_ARG(name), STR_ARG(value));
		i = entry_behind(f, i);
	}
	struct span whole = { f->at[first].start, f->at[i - 1].end };
	ARENA_PUSH(a, f->p->told, f->p->ntold, whole);
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
	    entry_size(f, f->i + 1)) {
		report_entries(f, f->i + 1);
		return true;
	}
	while (entry_before(f, first) < first)
		first = entry_before(f, first);
	if (first < 3 || f->at[first - 1].kind != TOKEN_LBRACKET ||
	    !str_is(fault_text(f, first - 3), "env"))
		return false;
	report_entries(f, first);
	skip_entry(f, entry);
	return true;
}

/* The brace that closes a group of values without keys, `{ "a", 1, b }`; 0 if the group contains anything else. */
static size_t values_end(const struct fault *f, size_t open)
{
	for (size_t i = open + 1; i - open < 4 * MOST; i++) {
		int kind = f->at[i].kind;
		if (kind == TOKEN_RBRACE)
			return i > open + 1 && !(f->at[i].flags & FLAG_VIRTUAL) ? i : 0;
		bool comma = kind == TOKEN_COMMA, after_value = i > open + 1 && f->at[i - 1].kind != TOKEN_COMMA;
		if (comma != after_value || (!comma && !is_scalar(kind) && kind != TOKEN_QUANTITY))
			return 0;
	}
	return 0;
}

/* Reports `env { A, B }` or `project { name }`. */
static void report_valueless(struct fault *f, size_t open)
{
	struct diag *d = diag_report(f->p->diags, TJ0104, fault_span(f), "'%.*s' has no value",
		STR_ARG(fault_text(f, open + 1)));

	diag_help(f->p->diags, d, "write a value after the name, as in '%.*s = ...'", STR_ARG(fault_text(f, open + 1)));
}

/* Reports values in braces; SINGLE: the field takes one value. */
static void report_list(struct fault *f, size_t open, size_t end, bool single)
{
	struct diags *ds = f->p->diags;
	struct str inside = tokens_text(&f->p->tokens, f->at[open + 1].start, f->at[end - 1].end);
	struct str list = str_printf(f->p->arena, single ? "%.*s" : "[%.*s]", STR_ARG(inside));
	struct diag *d = diag_report(ds, TJ0102, (struct span){ f->at[open].start, f->at[open].end },
		"braces hold 'key = value', and these values have no keys");
	if (single)
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
