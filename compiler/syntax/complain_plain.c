/*
 * complain_plain.c - two items on a line, and everything else.
 */
#include "syntax/complain.h"

#include "base/quantity.h"
#include "diag/suggest.h"
#include "trainc.tab.h"

static bool starts_value(int kind)
{
	switch (kind) {
	case TOKEN_IDENT: case TOKEN_INT: case TOKEN_FLOAT: case TOKEN_QUANTITY: case TOKEN_TOPOLOGY: case TOKEN_STRING:
	case TOKEN_STR_OPEN: case TOKEN_TRUE: case TOKEN_FALSE: case TOKEN_NONE: case TOKEN_LBRACKET: case TOKEN_LBRACE:
		return true;
	default:
		return false;
	}
}

/* Can this token begin an item (in a body) or a declaration? */
static bool begins(const struct fault *f)
{
	int kind = f->found.kind;
	if (!f->p->feed.depth)
		return token_is_word(kind) && kind != TOKEN_THEN && kind != TOKEN_ELSE && kind != TOKEN_IN && kind != TOKEN_AND &&
		       kind != TOKEN_OR && kind != TOKEN_NOT && kind != TOKEN_TRUE && kind != TOKEN_FALSE && kind != TOKEN_NONE;
	return kind == TOKEN_IDENT || kind == TOKEN_STRING || kind == TOKEN_STR_OPEN || kind == TOKEN_SPREAD ||
	       (token_is_word(kind) && kind != TOKEN_THEN && kind != TOKEN_ELSE && kind != TOKEN_IN && kind != TOKEN_AND &&
	        kind != TOKEN_OR && kind != TOKEN_NOT);
}

/* `memory = 64 Gi`, `cpu = 32 cores`. */
static bool complain_unit(struct fault *f)
{
	struct diags *ds = f->p->diags;
	const struct token *number = &f->at[f->i - 1];

	if (f->line_end || f->found.kind != TOKEN_IDENT || (number->kind != TOKEN_INT && number->kind != TOKEN_FLOAT) ||
	    tokens_item(&f->p->tokens, f->i))
		return false;
	struct str amount = fault_text(f, f->i - 1), word = fault_text(f, f->i);
	struct str whole = str_cat(f->p->arena, amount, word, STR(""));
	enum unit_kind unit = quantity_unit(whole);
	const char *meant = quantity_unit_meant(word);
	if (unit != UNIT_AMOUNT && unit != UNIT_DURATION && !meant)
		return false;
	struct span at = { number->start, f->found.end };
	struct diag *d;
	if (meant && !*meant) {
		d = diag_report(ds, TJ0102, fault_span(f), "expected a new line or ',' after '%.*s', found '%.*s'", STR_ARG(amount), STR_ARG(word));
		diag_help(ds, d, "CPUs are counted without a unit: write '%.*s'", STR_ARG(amount));
		diag_fix(ds, d, at, amount, "write '%.*s'", STR_ARG(amount));
		return true;
	}
	d = diag_report(ds, TJ0102, at, "a quantity is one word");
	if (meant && str_is(str_of(meant), "G"))
		diag_help(ds, d, "write '%.*sG' for %.*s x 10^9 bytes, '%.*sGi' for %.*s x 2^30", STR_ARG(amount), STR_ARG(amount),
		          STR_ARG(amount), STR_ARG(amount));
	if (meant)
		whole = str_cat(f->p->arena, amount, str_of(meant), STR(""));
	if (!d->help.n)
		diag_help(ds, d, "write '%.*s'", STR_ARG(whole));
	diag_fix(ds, d, at, whole, "write '%.*s'", STR_ARG(whole));
	return true;
}

/* `cpu = 32 // how many`: another language's comment on this line. */
static bool help_comment(struct fault *f, struct diag *d)
{
	size_t first = f->i;

	if (f->line_end)
		return false;
	while (first > f->item && f->i - first < 64 && !(f->at[first].flags & FLAG_LINE))
		first--;
	for (size_t i = first; i <= f->i; i++) {
		bool slashes = f->at[i].kind == TOKEN_FLOOR;
		bool star = f->at[i].kind == TOKEN_SLASH && f->at[i + 1].kind == TOKEN_STAR && f->at[i].end == f->at[i + 1].start;
		if (!slashes && !star)
			continue;
		diag_help(f->p->diags, d, "a comment begins with '#'");
		if (slashes)
			diag_fix(f->p->diags, d, (struct span){ f->at[i].start, f->at[i].end }, STR("#"), "write '#'");
		return true;
	}
	return false;
}

/* `} worker {`: something of two lines is mixed up, and what begins here is not what it looks like. */
static bool is_mixed_up(const struct fault *f)
{
	return f->previous == TOKEN_RBRACE && f->found.kind == TOKEN_IDENT && f->at[f->i + 1].kind == TOKEN_LBRACE &&
	       !is_field(fault_text(f, f->i));
}

/* `readonly: bool true`. */
static bool complain_default(struct fault *f)
{
	struct diags *ds = f->p->diags;
	int kind = f->found.kind;
	bool literal = kind == TOKEN_STRING || kind == TOKEN_STR_OPEN || kind == TOKEN_TRUE || kind == TOKEN_FALSE || kind == TOKEN_NONE;

	if (!f->expected[TOKEN_ASSIGN] || !literal || f->i < f->item + 3 || f->at[f->item + 1].kind != TOKEN_COLON)
		return false;
	struct diag *d = diag_report(ds, TJ0102, fault_span(f), "expected '=' before '%.*s'", STR_ARG(fault_text(f, f->i)));
	diag_help(ds, d, "a default follows the type: '%.*s = %.*s'", STR_ARG(fault_text(f, f->i - 1)), STR_ARG(fault_text(f, f->i)));
	diag_fix(ds, d, (struct span){ f->at[f->i - 1].end, f->at[f->i - 1].end }, STR(" ="), "insert '='");
	return true;
}

/* f"..." */
static bool help_prefix(struct fault *f, struct diag *d)
{
	if (f->line_end || (f->found.kind != TOKEN_STRING && f->found.kind != TOKEN_STR_OPEN) || f->previous != TOKEN_IDENT ||
	    f->i <= f->item + 1)
		return false;
	const struct token *prefix = &f->at[f->i - 1];
	if (prefix->end != f->found.start)
		return false;
	diag_help(f->p->diags, d, "'${...}' inserts a value into any string: remove '%.*s'", STR_ARG(fault_text(f, f->i - 1)));
	diag_fix(f->p->diags, d, (struct span){ prefix->start, prefix->end }, STR(""), "remove '%.*s'", STR_ARG(fault_text(f, f->i - 1)));
	return true;
}

/* `a if c else b` */
static bool help_choice(struct fault *f, struct diag *d)
{
	size_t i = f->i + 1;

	if (f->line_end || f->found.kind != TOKEN_IF)
		return false;
	while (f->at[i].kind != TOKEN_ELSE && f->at[i].kind != TOKEN_LBRACE && f->at[i].kind != TOKEN_THEN && f->at[i].kind != TOKEN_END &&
	       !(f->at[i].flags & FLAG_LINE))
		i++;
	if (f->at[i].kind != TOKEN_ELSE || f->at[i + 1].kind == TOKEN_LBRACE)
		return false;
	diag_help(f->p->diags, d, "a choice is written 'if c then a else b'");
	return true;
}

/* TJ0105: a complete item, and another one on its line. */
bool complain_separator(struct fault *f)
{
	struct diags *ds = f->p->diags;
	bool body = f->p->feed.depth != 0;

	if (!(f->expected[TOKEN_NL] || f->expected[TOKEN_EOL]) || f->line_end)
		return false;
	if (complain_unit(f))
		return true;
	if (complain_default(f))
		return true;
	if (!begins(f))
		return false;
	int next = f->at[f->i + 1].kind;
	bool word = token_is_word(f->found.kind) && (next == TOKEN_ASSIGN || next == TOKEN_LBRACE || next == TOKEN_COLON);
	bool statement = f->found.kind == TOKEN_LET || f->found.kind == TOKEN_CHECK || f->found.kind == TOKEN_WARN ||
	                 f->found.kind == TOKEN_IF || f->found.kind == TOKEN_FOR;
	bool sure = !body || tokens_item(&f->p->tokens, f->i) || word || statement || f->found.kind == TOKEN_SPREAD;
	struct diag *d = diag_report(ds, TJ0105, fault_span(f), "expected a new line%s before '%.*s'", body ? " or ','" : "",
	                             STR_ARG(fault_text(f, f->i)));
	struct str rest = fault_rest(f, f->i);
	if (help_comment(f, d) || help_prefix(f, d) || help_choice(f, d))
		return true;
	struct str quoted = body && !sure && f->found.kind == TOKEN_IDENT ? fault_quoted(f) : STR("");
	if (rest.n && sure)
		diag_help(ds, d, "put '%.*s' on its own line", STR_ARG(rest));
	else if (quoted.n)
		diag_help(ds, d, "if text is meant, write '%.*s = %.*s'", STR_ARG(fault_text(f, f->item)), STR_ARG(quoted));
	else
		diag_help(ds, d, "put it on its own line");
	if (body && sure) {
		uint32_t at = f->at[f->i - 1].end;
		diag_fix(ds, d, (struct span){ at, at }, STR(","), "insert ','");
	}
	bool in_type = body && f->at[f->p->feed.open[0].item].kind == TOKEN_TYPE;      /* nothing is set there */
	if (sure && !is_mixed_up(f) && !in_type)
		f->p->resume = f->i;
	return true;
}

/* The first thing in a file shows that it is another language's: nothing behind it can be meant as it stands. */
static bool help_other_language(struct fault *f, struct diag *d)
{
	struct str text = fault_text(f, f->i);
	bool first = f->i == 0 && !f->line_end;
	bool yaml = first && (f->found.kind == TOKEN_MINUS || (f->at[1].kind == TOKEN_COLON && (str_is(text, "apiVersion") || str_is(text, "kind"))));
	bool json = first && (f->found.kind == TOKEN_LBRACE || f->found.kind == TOKEN_LBRACKET);

	if (!yaml && !json)
		return false;
	diag_help(f->p->diags, d, "this is not %s: a job is written 'job \"name\": module.framework { ... }', see 'trainc explain job'",
	          yaml ? "YAML" : "JSON");
	f->p->resume = f->p->tokens.n - 1;
	return true;
}

/* At the top level, something that declares nothing. */
static void help_declaration(struct fault *f, struct diag *d)
{
	static const char *const declarations[] = {
		"import", "param", "let", "fn", "type", "framework", "accelerator", "job", "profile", "test", "policy", "project",
		"check", "warn", "for",
	};
	static const char *const elsewhere[][2] = {
		{ "from", "a module is imported whole: 'import std.name'" }, { "use", "a module is imported with 'import std.name'" },
		{ "using", "a module is imported with 'import std.name'" }, { "include", "a module is imported with 'import std.name'" },
		{ "require", "a module is imported with 'import std.name'" }, { "load", "a module is imported with 'import std.name'" },
		{ "var", "write 'let' for a value, 'param' for one that can be set from outside" },
		{ "const", "write 'let'" }, { "local", "write 'let'" }, { "locals", "write 'let'" }, { "set", "write 'let'" },
		{ "parameter", "write 'param'" }, { "variable", "write 'param'" }, { "arg", "write 'param'" }, { "input", "write 'param'" },
		{ "def", "write 'fn'" }, { "function", "write 'fn'" }, { "func", "write 'fn'" },
		{ "struct", "write 'type'" }, { "record", "write 'type'" }, { "class", "write 'type'" },
		{ "apiVersion", "this is not YAML: a job is written 'job \"name\": module.framework { ... }'" },
		{ "kind", "this is not YAML: a job is written 'job \"name\": module.framework { ... }'" },
		{ "cluster", "write 'job'" }, { "task", "write 'job'" }, { "resource", "write 'job'" },
	};
#define BLOCK(word, parents, doc) word,
#define FIELD(id, name, blocks, type, fallback, doc)
#define FUNCTION(id, name, signature, doc)
#define UNIT(suffix, doc)
	static const char *const blocks[] = {
#include "vocabulary.def"
	};
	struct diags *ds = f->p->diags;
	struct str text = fault_text(f, f->i);
	struct suggest s;

	if (help_other_language(f, d) || f->found.kind != TOKEN_IDENT)
		return;
	int next = f->at[f->i + 1].kind;
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		if (str_is(text, blocks[i]) && next != TOKEN_ASSIGN) {
			diag_help(ds, d, "'%.*s' stands in the body of a job or a framework", STR_ARG(text));
			return;
		}
	}
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
		if (str_is(text, elsewhere[i][0]) && next != TOKEN_ASSIGN) {
			diag_help(ds, d, "%s", elsewhere[i][1]);
			return;
		}
	}
	suggest_init(&s, f->p->arena, text);
	for (size_t i = 0; i < sizeof(declarations) / sizeof(declarations[0]); i++)
		suggest_add(&s, str_of(declarations[i]));
	struct str only = suggest_only(&s);
	struct str rest = fault_rest(f, f->i);
	if (only.n && next != TOKEN_ASSIGN) {
		diag_help(ds, d, "%.*s", STR_ARG(suggest_sentence(&s)));
		diag_fix(ds, d, fault_span(f), only, "write '%.*s'", STR_ARG(only));
	} else if (next == TOKEN_ASSIGN && rest.n) {
		diag_help(ds, d, "write 'let %.*s'; fields stand in the body of a job", STR_ARG(rest));
	} else if (f->found.kind == TOKEN_IDENT) {
		diag_help(ds, d, "a file holds 'import', 'param', 'let', 'job' and the like; 'trainc explain job' shows one");
	}
}

static bool is_block(struct str word)
{
	return str_is(word, "role") || str_is(word, "aux") || str_is(word, "sidecar") || str_is(word, "init") ||
	       str_is(word, "profile") || str_is(word, "framework") || str_is(word, "accelerator") || str_is(word, "type");
}

static bool letters_only(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!((s.p[i] | 32) >= 'a' && (s.p[i] | 32) <= 'z') && s.p[i] != '_')
			return false;
	return s.n != 0;
}

/* A title that is a name and a name that is text: job x, role "x". */
static bool help_title(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	const struct token *item = &f->at[f->item];

	if (f->line_end || f->i != f->item + 1)
		return false;
	struct str word = fault_text(f, f->item), title = fault_text(f, f->i);
	bool text = item->kind == TOKEN_JOB || item->kind == TOKEN_TEST || item->kind == TOKEN_POLICY;
	if (text && (f->found.kind == TOKEN_IDENT || token_is_word(f->found.kind))) {
		diag_help(ds, d, "write '%.*s \"%.*s\"'", STR_ARG(word), STR_ARG(title));
		diag_fix(ds, d, fault_span(f), str_printf(f->p->arena, "\"%.*s\"", STR_ARG(title)), "put it in quotes");
		return true;
	}
	if (text) {
		diag_help(ds, d, "it has a name in quotes: '%.*s \"name\"'", STR_ARG(word));
		return true;
	}
	if (f->found.kind != TOKEN_STRING || !is_block(word))
		return false;
	struct str name = { title.p + 1, title.n - 2 };
	if (letters_only(name)) {
		diag_help(ds, d, "write '%.*s %.*s', without quotes", STR_ARG(word), STR_ARG(name));
		diag_fix(ds, d, fault_span(f), name, "remove the quotes");
	} else {
		diag_help(ds, d, "its name is written without quotes, in letters, digits and '_'");
	}
	return true;
}

/* import "x", import a/b, import a, b */
static bool help_import(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	const struct token *path = &f->at[f->item + 1];

	if (f->at[f->item].kind != TOKEN_IMPORT)
		return false;
	struct str text = fault_text(f, f->item + 1);
	if (path->kind == TOKEN_STRING && str_starts(text, STR("\"std.")))
		diag_help(ds, d, "write 'import %.*s'; quotes are for files", (int)text.n - 2, text.p + 1);
	else if (path->kind == TOKEN_STRING)
		diag_help(ds, d, "a file is imported under a name: 'import %.*s as name'", STR_ARG(text));
	else if (f->previous == TOKEN_DOT || (f->i == f->item + 1 && f->found.kind == TOKEN_DOT))
		diag_help(ds, d, "write 'import std.NAME'; 'trainc explain' lists the modules");
	else if (!f->line_end && f->found.kind == TOKEN_COMMA)
		diag_help(ds, d, "write a line for each module");
	else if (!f->line_end && (f->found.kind == TOKEN_SLASH || f->found.kind == TOKEN_COLON))
		diag_help(ds, d, "the parts of a module's name are joined by '.'");
	else
		return false;
	return true;
}

/* Names and keys with signs in them, and text that has no quotes. */
static bool help_name(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	int kind = f->line_end ? TOKEN_EOL : f->found.kind, declares = f->at[f->item].kind;

	if (f->i == f->item + 1 && f->p->feed.depth && kind == TOKEN_MINUS) {
		diag_help(ds, d, "a key with a sign in it stands in quotes: \"%.*s-...\"", STR_ARG(fault_text(f, f->item)));
	} else if (f->i == f->item + 1 && f->p->feed.depth && kind == TOKEN_DOT) {
		diag_help(ds, d, "what is inside stands in braces: '%.*s { ... }'", STR_ARG(fault_text(f, f->item)));
	} else if (kind == TOKEN_MINUS && f->i == f->item + 2 && (token_is_word(declares) || declares == TOKEN_IDENT) &&
	           f->previous == TOKEN_IDENT) {
		diag_help(ds, d, "a name has letters, digits and '_': '%.*s_...'", STR_ARG(fault_text(f, f->i - 1)));
	} else if ((kind == TOKEN_SLASH || kind == TOKEN_DOT || kind == TOKEN_PERCENT) && f->p->feed.depth &&
	           (f->previous == TOKEN_ASSIGN || f->i == f->item || f->expected[TOKEN_SPREAD])) {
		diag_help(ds, d, "text, also a path, stands in quotes");
	} else if ((declares == TOKEN_PARAM || declares == TOKEN_LET) && (f->previous == TOKEN_IDENT || f->previous == TOKEN_LBRACKET) &&
	           f->i > f->item + 3 && (kind == TOKEN_INT || kind == TOKEN_FLOAT || kind == TOKEN_QUANTITY)) {
		diag_help(ds, d, "limits stand in parentheses: 'int(1..8)'");
	} else {
		return help_prefix(f, d);
	}
	return true;
}

/* Help for what is seen most often; nothing when it is not. */
static void help_plain(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	int kind = f->line_end ? TOKEN_EOL : f->found.kind;
	uint32_t before = f->i ? f->at[f->i - 1].end : 0;
	struct str rest = fault_rest(f, f->i);

	if (help_title(f, d) || help_comment(f, d) || help_import(f, d) || help_name(f, d))
		return;
	if (f->expected[TOKEN_ASSIGN] && f->i == f->item + 1 && starts_value(kind) && kind != TOKEN_LBRACE && f->p->feed.depth) {
		if (rest.n)
			diag_help(ds, d, "write '%.*s = %.*s'", STR_ARG(fault_text(f, f->item)), STR_ARG(rest));
		else
			diag_help(ds, d, "a field is set with '='");
		diag_fix(ds, d, (struct span){ before, before }, STR(" ="), "insert '='");
	} else if (kind == TOKEN_ASSIGN && f->expected[TOKEN_EQ]) {
		diag_help(ds, d, "'==' compares");
	} else if (kind == TOKEN_ASSIGN && f->i >= 2 && f->at[f->i - 2].kind == TOKEN_PARAM) {
		diag_help(ds, d, "a parameter has a type: 'param %.*s: int = 4'", STR_ARG(fault_text(f, f->i - 1)));
	} else if (f->at[f->item].kind == TOKEN_PARAM && f->i == f->item + 2 && kind == TOKEN_IDENT) {
		diag_help(ds, d, "write 'param %.*s: %.*s'", STR_ARG(fault_text(f, f->i - 1)), STR_ARG(rest.n ? rest : STR("...")));
		diag_fix(ds, d, (struct span){ before, before }, STR(":"), "insert ':'");
	} else if (f->expected[TOKEN_COLON] && !f->expected[TOKEN_ASSIGN] && !f->expected[TOKEN_LBRACE] && f->previous == TOKEN_IDENT &&
	           !f->expected[TOKEN_PLUS]) {
		diag_help(ds, d, "an argument has a type: '%.*s: int'", STR_ARG(fault_text(f, f->i - 1)));
	} else if (f->at[f->item].kind == TOKEN_FN && kind == TOKEN_COLON && f->expected[TOKEN_ARROW]) {
		diag_help(ds, d, "the type of the result stands behind '->'");
		diag_fix(ds, d, (struct span){ before, f->found.end }, STR(" ->"), "write '->'");
	} else if (f->at[f->item].kind == TOKEN_FN && kind == TOKEN_ASSIGN && f->expected[TOKEN_ARROW]) {
		diag_help(ds, d, "a function has the type of its result: 'fn f(a: int) -> int = a + 1'");
	} else if (f->at[f->item].kind == TOKEN_FN && kind == TOKEN_LBRACE && f->expected[TOKEN_ASSIGN]) {
		diag_help(ds, d, "a function is one expression: 'fn f(a: int) -> int = a + 1'");
	} else if (kind == TOKEN_QUESTION) {
		diag_help(ds, d, "a choice is written 'if c then a else b'");
	} else if (f->expected[TOKEN_COMMA] && starts_value(kind) && (f->expected[TOKEN_RBRACKET] || f->expected[TOKEN_RPAREN])) {
		diag_help(ds, d, "separate them with ','");
		diag_fix(ds, d, (struct span){ before, before }, STR(","), "insert ','");
	} else if (kind >= TOKEN_EQ && kind <= TOKEN_GE && f->expected[TOKEN_AND]) {
		diag_help(ds, d, "comparisons do not chain: write 'a < b and b < c'");
	} else if (kind == TOKEN_INT && f->expected[TOKEN_SPREAD] && f->at[f->i + 1].kind == TOKEN_ASSIGN) {
		struct str text = fault_text(f, f->i), value = fault_text(f, f->i + 2);
		struct str name = { value.p + 1, value.n - 2 };
		if (f->at[f->i + 2].kind == TOKEN_STRING && letters_only(name))
			diag_help(ds, d, "the name stands first: '%.*s = %.*s'", STR_ARG(name), STR_ARG(text));
		else
			diag_help(ds, d, "a key is a name, or stands in quotes: '\"%.*s\"'", STR_ARG(text));
	} else if (kind == TOKEN_MINUS && f->expected[TOKEN_SPREAD]) {
		diag_help(ds, d, "a list is written in brackets: 'args = [a, b]'");
	} else if (f->expected[TOKEN_JOB] && f->expected[TOKEN_FRAMEWORK] && !f->expected[TOKEN_IDENT]) {
		help_declaration(f, d);
	} else if (f->expected[TOKEN_ELSE]) {
		bool check = f->at[f->item].kind == TOKEN_CHECK || f->at[f->item].kind == TOKEN_WARN;
		diag_help(ds, d, check ? "a check ends with 'else' and the message to show when it fails"
		                       : "a choice has both branches: 'if c then a else b'");
	} else if (f->expected[TOKEN_THEN] && !f->expected[TOKEN_LBRACE]) {
		diag_help(ds, d, "a choice is written 'if c then a else b'");
	} else if (f->at[f->item].kind == TOKEN_JOB && f->i > f->item + 1 && kind == TOKEN_IDENT && f->expected[TOKEN_COLON]) {
		diag_help(ds, d, "the framework stands behind a colon: ': %.*s'", STR_ARG(fault_text(f, f->i)));
		diag_fix(ds, d, (struct span){ before, before }, STR(":"), "insert ':'");
	} else if (f->at[f->item].kind == TOKEN_JOB && kind == TOKEN_ASSIGN) {
		diag_help(ds, d, "the framework stands behind a colon: ': %.*s'", STR_ARG(fault_text(f, f->i + 1)));
		diag_fix(ds, d, fault_span(f), STR(":"), "write ':'");
	} else if (f->i == f->item + 1 && (kind == TOKEN_COMMA || kind == TOKEN_RBRACE) && f->p->feed.depth) {
		diag_help(ds, d, "braces hold 'key = value'; a list stands in brackets: '[a, b]'");
	}
}

static struct str found_text(const struct fault *f)
{
	if (f->found.kind == TOKEN_END || (f->line_end && f->at[f->i].kind == TOKEN_END))
		return STR("the end of the text");
	if (f->line_end)
		return STR("the end of the line");
	return str_printf(f->p->arena, "'%.*s'", STR_ARG(fault_text(f, f->i)));
}

void complain_plain(struct fault *f)
{
	struct parse *p = f->p;
	struct str expected = expected_text(p->arena, f->expected, f->previous);
	struct str found = found_text(f);
	struct diag *d;

	if (f->i > f->item && !(f->at[f->i - 1].flags & FLAG_VIRTUAL))
		d = diag_report(p->diags, TJ0102, fault_span(f), "expected %.*s after '%.*s', found %.*s", STR_ARG(expected),
		                STR_ARG(fault_text(f, f->i - 1)), STR_ARG(found));
	else
		d = diag_report(p->diags, TJ0102, fault_span(f), "expected %.*s, found %.*s", STR_ARG(expected), STR_ARG(found));
	help_plain(f, d);
}
