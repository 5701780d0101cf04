/*
 * complain_words.c - help for text without quotes, as a shell or YAML would accept it: `command = python train.py`,
 * `image = my image`, `image: team/train:1.0`. The rest of the line is read as words. Words in quotes stay unchanged. A
 * line with anything else in it (brackets, a quote inside a word) is left to other functions.
 */
#include "syntax/help/complain.h"

#include "base/buf.h"
#include "trainc.tab.h"

enum { LONGEST = 160 };

/* The text after `=`, to the end of the line or its comment; empty when it cannot be text. */
static struct str rest_of_line(const struct fault *f, size_t value)
{
	const struct source *source = f->p->source;
	size_t from = f->at[value].start - source->base, to = from;
	bool quoted = false, list = f->at[value].kind == TOKEN_LBRACKET;

	for (; to < source->text.n && source->text.p[to] != '\n'; to++) {
		char c = source->text.p[to];
		if (c == '"')
			quoted = !quoted;
		else if (!quoted && c == '#')
			break;
		else if (!quoted && !list && c == '}')
			break;
		else if (!quoted && list && c == ']') {
			to++;
			break;
		}
		else if (!quoted && strchr(list ? "{}()\\$'`" : "[]{}()\\$'`", c))
			return STR("");
	}
	while (to > from && (source->text.p[to - 1] == ' ' || source->text.p[to - 1] == '\t' ||
		source->text.p[to - 1] == '\r'))
		to--;
	return quoted || to - from > LONGEST ? STR("") : (struct str){ source->text.p + from, to - from };
}

static bool is_blank_char(char c)
{
	return c == ' ' || c == '\t' || c == ',';
}

/* Words as the elements of a list; empty when a word is only partly in quotes. */
static struct str as_list(struct arena *a, struct str text)
{
	struct buf out = { 0 };
	bool fine = true;

	for (size_t i = 0; i < text.n && fine;) {
		size_t end = i;
		if (is_blank_char(text.p[i])) {
			i++;
			continue;
		}
		bool quoted = text.p[i] == '"';
		for (end = i + 1; end < text.n && (quoted ? text.p[end] != '"' : !is_blank_char(text.p[end])); end++)
			fine = fine && (quoted || text.p[end] != '"');
		end += quoted;
		fine = fine && end <= text.n && (end == text.n || is_blank_char(text.p[end]));
		buf_printf(&out, "%s%s%.*s%s", out.n ? ", " : "", quoted ? "" : "\"", (int)(end - i), text.p + i,
			quoted ? "" : "\"");
		i = end;
	}
	struct str list = fine ? buf_take(&out, a) : STR("");
	buf_release(&out);
	return list;
}

/* The item in which the list or text began: the parser sees `command = "a", "b"` as two items. */
static size_t first_item(const struct fault *f)
{
	size_t i = f->item;

	if (f->at[i + 1].kind == TOKEN_ASSIGN)
		return i;
	while (i > 2 && !(f->at[i].flags & FLAG_LINE) && f->at[i - 1].kind == TOKEN_COMMA && f->item - i < 64)
		i -= 2;
	while (i > 0 && !(f->at[i].flags & FLAG_LINE) &&
		!(f->at[i].kind == TOKEN_IDENT && f->at[i + 1].kind == TOKEN_ASSIGN) && f->item - i < 64)
		i--;
	return i;
}

/* The form in which a field's value is written, by the field's type. */
enum form { FORM_OTHER, FORM_TEXT, FORM_LIST, FORM_VARIABLE };

static enum form form_of(const char *type)
{
	if (!type)
		return FORM_OTHER;
	bool list = strncmp(type, "list[", 5) == 0;
	if (list)
		type += 5;
	bool text = strncmp(type, "string", 6) == 0 || strncmp(type, "pod[string]", 11) == 0 ||
		strncmp(type, "image", 5) == 0 ||
	            strncmp(type, "name", 4) == 0 || strncmp(type, "path", 4) == 0 || strncmp(type, "enum", 4) == 0;
	return !text ? FORM_OTHER : list ? FORM_LIST : FORM_TEXT;
}

/* Does a value that begins with this token look like text that a shell would take? */
static bool is_bare(const struct token *t)
{
	bool option = t->kind == TOKEN_MINUS && t[1].kind == TOKEN_MINUS && t->end == t[1].start;
	bool value = t->kind == TOKEN_TRUE || t->kind == TOKEN_FALSE || t->kind == TOKEN_NONE || t->kind == TOKEN_NOT ||
		t->kind == TOKEN_IF;

	if (token_is_word(t->kind))             /* `MODE = test` is text, `NAME = job.name` is not */
		return !value && t[1].kind != TOKEN_DOT;
	return option || t->kind == TOKEN_IDENT || t->kind == TOKEN_DOT || t->kind == TOKEN_SLASH ||
		t->kind == TOKEN_FLOOR;
}

/* The elements of [--epochs=10, train.py] in quotes. */
static struct str quoted_elements(struct arena *a, struct str text)
{
	if (text.n < 3 || text.p[text.n - 1] != ']' || memchr(text.p + 1, '[', text.n - 1) ||
		memchr(text.p, ']', text.n - 1))
		return STR("");
	struct str inside = { text.p + 1, text.n - 2 }, list = as_list(a, inside);
	return list.n && !str_eq(list, inside) ? str_printf(a, "[%.*s]", STR_ARG(list)) : STR("");
}

/* The value as it should be written; empty when the line has a form that is not handled here. */
static struct str rewritten(struct fault *f, enum form form, size_t value, struct str text)
{
	struct arena *a = f->p->arena;
	bool string = f->at[value].kind == TOKEN_STRING;

	if (form == FORM_LIST && f->at[value].kind == TOKEN_LBRACKET)
		return quoted_elements(a, text);
	if (!text.n || memmem(text.p, text.n, " = ", 3) || !(is_bare(&f->at[value]) || (string && form == FORM_LIST)))
		return STR("");
	if (form == FORM_VARIABLE)
		return memchr(text.p, '"', text.n) || memchr(text.p, '=', text.n) ? STR("") :
			str_printf(a, "\"%.*s\"", STR_ARG(text));
	if (form == FORM_TEXT)
		return memchr(text.p, '"', text.n) || memchr(text.p, ',', text.n) ? STR("") :
			str_printf(a, "\"%.*s\"", STR_ARG(text));
	struct str list = as_list(a, text);
	return list.n ? str_printf(a, "[%.*s]", STR_ARG(list)) : list;
}

struct str fault_quoted(struct fault *f)
{
	size_t value = f->item + 2;

	if (f->i < value || f->at[f->item + 1].kind != TOKEN_ASSIGN || f->at[value].kind != TOKEN_IDENT ||
		is_field(fault_text(f, f->item)))
		return STR("");
	return rewritten(f, FORM_TEXT, value, fault_rest(f, value));
}

/* Reports `image = common::image`, the members of a module in C++ or Rust. */
static bool complain_scope(struct fault *f, size_t value)
{
	const struct token *t = &f->at[value];

	if (t[0].kind != TOKEN_IDENT || t[1].kind != TOKEN_COLON || t[2].kind != TOKEN_COLON ||
		t[1].end != t[2].start ||
		t[3].kind != TOKEN_IDENT || !(t[4].flags & FLAG_LINE))
		return false;
	struct str right = str_printf(f->p->arena, "%.*s.%.*s", STR_ARG(fault_text(f, value)),
		STR_ARG(fault_text(f, value + 3)));
	struct diag *d = diag_report(f->p->diags, TJ0102, (struct span){ t[1].start, t[2].end },
		"a member of a module follows '.'");
	diag_help(f->p->diags, d, "write '%.*s'", STR_ARG(right));
	diag_fix(f->p->diags, d, (struct span){ t[0].start, t[3].end }, right, "write '%.*s'", STR_ARG(right));
	fault_skip_block(f);
	return true;
}

bool complain_words(struct fault *f)
{
	struct parse *p = f->p;
	size_t item = first_item(f), value = item + 2;

	bool colon = f->at[item + 1].kind == TOKEN_COLON;
	if (!p->feed.depth || f->i < value || f->at[item].kind != TOKEN_IDENT ||
	    (f->at[item + 1].kind != TOKEN_ASSIGN && !colon) ||
	    f->at[value].flags & FLAG_LINE || (!f->line_end && f->i > value && tokens_item(&p->tokens, f->i)))
		return false;
	struct str key = fault_text(f, item), text = rest_of_line(f, value);
	if (fault_is_splat(f))
		return false;
	if (complain_scope(f, value))
		return true;
	enum form form = is_variable(key) ? FORM_VARIABLE : form_of(field_type(key));
	struct str right = form == FORM_OTHER ? STR("") : rewritten(f, form, value, text);
	if (!right.n || (f->at[value].kind == TOKEN_LBRACKET && f->found.start >= f->at[value].start + text.n))
		return false;
	uint32_t start = f->at[value].start;
	struct span at = { start, start + (uint32_t)text.n };
	diags_drop(p->diags, TJ0102, at);       /* drop earlier errors in it, such as a version that is not a number */
	struct diag *d = diag_report(p->diags, TJ0102, at, form == FORM_LIST ? "'%.*s' is a list of texts in quotes" :
	                             "'%.*s' is text, and text is written in quotes", STR_ARG(key));
	diag_help(p->diags, d, "write '%.*s = %.*s'", STR_ARG(key), STR_ARG(right));
	if (colon)
		diag_fix(p->diags, d, (struct span){ f->at[item].end, at.end },
			str_printf(p->arena, " = %.*s", STR_ARG(right)), "write '=' and quotes");
	else
		diag_fix(p->diags, d, at, right, "write '%.*s'", STR_ARG(right));
	forget_item(p, f->at[item].start);      /* the item parsed, but its value was only the first word */
	fault_skip_block(f);
	return true;
}
