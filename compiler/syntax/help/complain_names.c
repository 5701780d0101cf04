/*
 * complain_names.c - help for wrong declarations, titles, modules and names.
 */
#include "syntax/help/complain.h"

#include "diag/suggest.h"
#include "syntax/help/foreign.h"
#include "trainc.tab.h"

/* Is PATH a file of parameter values or a manifest, and so not a program? */
static bool is_values_file(struct str path)
{
	return str_ends(path, STR(".yaml")) || str_ends(path, STR(".yml")) || str_ends(path, STR(".json"));
}

/* Reports that the file is written in another language, which its first words show. */
static bool help_other_language(struct fault *f, struct diag *d)
{
	struct str text = fault_text(f, f->i);
	bool first = f->i == 0 && !f->line_end;
	bool yaml = first && (f->found.kind == TOKEN_MINUS ||
		(f->at[1].kind == TOKEN_COLON && (str_is(text, "apiVersion") || str_is(text, "kind"))));
	bool json = first && (f->found.kind == TOKEN_LBRACE || f->found.kind == TOKEN_LBRACKET);

	if (first && is_values_file(f->p->source->name)) {
		diag_help(f->p->diags, d, "only programs are imported: pass values with '--params %.*s'",
			STR_ARG(f->p->source->name));
		f->p->resume = f->p->tokens.n - 1;
		return true;
	}
	if (!yaml && !json)
		return false;
	diag_help(f->p->diags, d,
		"this is not %s: a job is written 'job \"name\": module.framework { ... }', see 'trainc explain job'",
	          yaml ? "YAML" : "JSON");
	f->p->resume = f->p->tokens.n - 1;
	return true;
}

static void help_import_file(struct fault *f, struct diag *d, struct str path, struct span at);

/* Adds help for include "lib.tj". */
static void help_include(struct fault *f, struct diag *d)
{
	struct str text = fault_text(f, f->i + 1), path = { text.p + 1, text.n - 2 };

	help_import_file(f, d, path, (struct span){ f->at[f->i + 1].start, f->at[f->i + 1].end });
	diag_fix(f->p->diags, d, fault_span(f), STR("import"), "write 'import'");
}

/* Adds help for `from common import image`. */
static bool help_from(struct fault *f, struct diag *d)
{
	const struct token *module = &f->at[f->i + 1], *last = module;

	while (last[1].kind == TOKEN_DOT && last[2].kind == TOKEN_IDENT)
		last += 2;
	if (!str_is(fault_text(f, f->i), "from") || module->kind != TOKEN_IDENT || last[1].kind != TOKEN_IMPORT ||
		last[2].kind != TOKEN_IDENT || last[1].flags & FLAG_LINE)
		return false;
	struct str path = tokens_text(&f->p->tokens, module->start, last->end);
	struct str name = tokens_text(&f->p->tokens, last->start, last->end),
		member = tokens_text(&f->p->tokens, last[2].start, last[2].end);
	if (str_is(path, "std"))
		diag_help(f->p->diags, d, "write 'import std.%.*s'", STR_ARG(member));
	else if (str_starts(path, STR("std.")))
		diag_help(f->p->diags, d, "write 'import %.*s' and, where it is used, '%.*s.%.*s'", STR_ARG(path),
			STR_ARG(name), STR_ARG(member));
	else
		diag_help(f->p->diags, d, "a file is imported whole: write 'import \"%.*s.tj\" as %.*s' and, where it "
			"is used, '%.*s.%.*s'", STR_ARG(name), STR_ARG(name), STR_ARG(name), STR_ARG(member));
	return true;
}

/* A word that begins a declaration in other languages, and the help for it. */
struct borrowed {
	const char *word;
	enum { PLAIN, IMPORT, PARAM } kind;     /* for an IMPORT or a PARAM, the help also uses the string that follows
						 */
	const char *help;
};

#define IMPORT_HELP "a module is imported with 'import std.name'"
#define FN_HELP "write 'fn': fn half(n: int) -> int = n / 2"
#define YAML_HELP "this is not YAML: a job is written 'job \"name\": module.framework { ... }'"
#define LOOP_HELP "write a loop: for i in range(4) job \"name-${i}\": module.framework { ... }"

static const struct borrowed borrowed[] = {
	{ "from", IMPORT, "a module is imported whole: 'import std.name'" },
	{ "use", IMPORT, IMPORT_HELP }, { "using", IMPORT, IMPORT_HELP }, { "include", IMPORT, IMPORT_HELP },
	{ "require", IMPORT, IMPORT_HELP }, { "load", IMPORT, IMPORT_HELP },
	{ "var", PARAM, "write 'let' for a value, 'param' for one that can be set from outside" },
	{ "const", PLAIN, "write 'let'" }, { "local", PLAIN, "write 'let'" }, { "locals", PLAIN, "write 'let'" },
	{ "set", PLAIN, "write 'let'" },
	{ "parameter", PARAM, "write 'param'" }, { "variable", PARAM, "write 'param'" },
	{ "arg", PARAM, "write 'param'" }, { "input", PARAM, "write 'param'" },
	{ "def", PLAIN, FN_HELP }, { "function", PLAIN, FN_HELP }, { "func", PLAIN, FN_HELP },
	{ "struct", PLAIN, "write 'type'" }, { "record", PLAIN, "write 'type'" }, { "class", PLAIN, "write 'type'" },
	{ "apiVersion", PLAIN, YAML_HELP }, { "kind", PLAIN, YAML_HELP },
	{ "sweep", PLAIN, LOOP_HELP }, { "matrix", PLAIN, LOOP_HELP }, { "foreach", PLAIN, LOOP_HELP },
	{ "cluster", PLAIN, "write 'job'" }, { "task", PLAIN, "write 'job'" }, { "resource", PLAIN, "write 'job'" },
};

static const struct borrowed *borrowed_word(struct str word)
{
	for (size_t i = 0; i < sizeof(borrowed) / sizeof(borrowed[0]); i++)
		if (str_is(word, borrowed[i].word))
			return &borrowed[i];
	return NULL;
}

static void help_borrowed(struct fault *f, struct diag *d, const struct borrowed *w)
{
	bool string = f->at[f->i + 1].kind == TOKEN_STRING;

	if (help_from(f, d))
		return;
	if (string && w->kind == IMPORT) {
		help_include(f, d);
	} else if (string && w->kind == PARAM) {
		struct str name = fault_text(f, f->i + 1);

		diag_help(f->p->diags, d, "write 'param %.*s: int = 4', or another type and default; "
			"its name is not quoted", (int)name.n - 2, name.p + 1);
	} else {
		diag_help(f->p->diags, d, "%s", w->help);
	}
}

/* Says whether WORD opens a block that belongs in a body. */
static bool is_inner_block(struct str word)
{
#define BLOCK(word, parents, doc) word,
#define FIELD(id, name, blocks, type, fallback, doc)
#define FUNCTION(id, name, signature, doc)
#define UNIT(suffix, doc)
	static const char *const blocks[] = {
#include "vocabulary.def"
	};
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (str_is(word, blocks[i]))
			return true;
	return false;
}

/* Returns the declaration that WORD is close to, or an empty text; *S then holds the sentence for the help. */
static struct str near_declaration(struct suggest *s, struct arena *a, struct str word)
{
	static const char *const declarations[] = {
		"import", "param", "let", "fn", "type", "framework", "accelerator", "job", "profile", "test", "policy",
		"project", "check", "warn", "for",
	};

	suggest_init(s, a, word);
	for (size_t i = 0; i < sizeof(declarations) / sizeof(declarations[0]); i++)
		suggest_add(s, str_of(declarations[i]));
	return suggest_only(s);
}

/* Adds help for something at the top level that is not a declaration. */
void help_declaration(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	struct str text = fault_text(f, f->i), rest = fault_rest(f, f->i), only;
	struct suggest s;

	if (help_other_language(f, d))
		return;
	if (f->found.kind == TOKEN_IF)
		diag_help(ds, d,
			"'if' is written in the body of a job; for a whole job, loop over a list that may be empty: "
			"for name in if C then [\"train\"] else [] job \"${name}\" { ... }");
	if (f->found.kind != TOKEN_IDENT)
		return;
	if (f->at[f->i + 1].kind == TOKEN_ASSIGN && rest.n && field_is_of_project(text) &&
		!field_is_of_role(text))
		diag_help(ds, d, "in project.tj, write 'project { %.*s }'", STR_ARG(rest));
	else if (f->at[f->i + 1].kind == TOKEN_ASSIGN && rest.n)
		diag_help(ds, d, "write 'let %.*s'; fields belong in the body of a job", STR_ARG(rest));
	else if (is_inner_block(text))
		diag_help(ds, d, "'%.*s' belongs in the body of a job or a framework", STR_ARG(text));
	else if (borrowed_word(text))
		help_borrowed(f, d, borrowed_word(text));
	else if ((only = near_declaration(&s, f->p->arena, text)).n) {
		diag_help(ds, d, "%.*s", STR_ARG(suggest_sentence(&s)));
		diag_fix(ds, d, fault_span(f), only, "write '%.*s'", STR_ARG(only));
	} else
		diag_help(ds, d,
			"a file holds 'import', 'param', 'let', 'job' and the like; 'trainc explain job' shows one");
}

bool is_block(struct str word)
{
	return str_is(word, "role") || str_is(word, "aux") || str_is(word, "sidecar") || str_is(word, "init") ||
	       str_is(word, "profile") || str_is(word, "framework") || str_is(word, "accelerator") ||
	str_is(word, "type");
}

bool letters_only(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!((s.p[i] | 32) >= 'a' && (s.p[i] | 32) <= 'z') && s.p[i] != '_')
			return false;
	return s.n != 0;
}

struct span fault_joined(const struct fault *f, size_t i)
{
	struct span at = { f->at[i].start, f->at[i].end };

	for (size_t k = i + 1; f->at[k].start == at.end && k - i < 64; k++) {
		int kind = f->at[k].kind;
		if (kind != TOKEN_MINUS && kind != TOKEN_DOT && kind != TOKEN_IDENT && kind != TOKEN_INT &&
			kind != TOKEN_FLOAT &&
		    kind != TOKEN_QUANTITY && kind != TOKEN_TOPOLOGY && !token_is_word(kind))
			break;
		at.end = f->at[k].end;
	}
	return at;
}

/* Adds help for job module.framework "m" {. */
static bool help_exchanged_title(struct fault *f, struct diag *d, struct span framework)
{
	size_t next = f->i;

	while (f->at[next].kind != TOKEN_END && f->at[next].start < framework.end)
		next++;
	if (f->at[f->item].kind != TOKEN_JOB || f->at[next].kind != TOKEN_STRING || f->at[next].flags & FLAG_LINE)
		return false;
	struct str right = str_printf(f->p->arena, "%.*s: %.*s", STR_ARG(fault_text(f, next)),
		STR_ARG(tokens_text(&f->p->tokens, framework.start, framework.end)));
	diag_help(f->p->diags, d, "the name comes first: 'job %.*s'", STR_ARG(right));
	diag_fix(f->p->diags, d, (struct span){ framework.start, f->at[next].end }, right, "exchange the two");
	return true;
}

/* Adds help for a name instead of a title, or text instead of a name: job x, role "x". */
bool help_title(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	const struct token *item = &f->at[f->item];

	if (f->line_end || f->i != f->item + 1)
		return false;
	struct str word = fault_text(f, f->item), title = fault_text(f, f->i);
	bool text = item->kind == TOKEN_JOB || item->kind == TOKEN_TEST || item->kind == TOKEN_POLICY;
	if (text && (f->found.kind == TOKEN_IDENT || token_is_word(f->found.kind))) {
		struct span all = fault_joined(f, f->i);
		title = tokens_text(&f->p->tokens, all.start, all.end);
		if (help_exchanged_title(f, d, all))
			return true;
		diag_help(ds, d, "write '%.*s \"%.*s\"'", STR_ARG(word), STR_ARG(title));
		diag_fix(ds, d, all, str_printf(f->p->arena, "\"%.*s\"", STR_ARG(title)), "put it in quotes");
		return true;
	}
	if (text) {
		diag_help(ds, d, "it has a name in quotes: '%.*s \"name\"'", STR_ARG(word));
		return true;
	}
	if (f->found.kind == TOKEN_STR_OPEN && is_block(word)) {
		diag_help(ds, d, "its name is written out, without quotes: '%.*s worker'", STR_ARG(word));
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

/* 'my_lib' for "dir/my-lib.tj": the file's name made into an identifier, under which to import it. */
static struct str stem_of(struct arena *a, struct str path)
{
	struct str stem = str_ends(path, STR(".tj")) ? (struct str){ path.p, path.n - 3 } : path;
	const char *slash = stem.n ? memrchr(stem.p, '/', stem.n) : NULL;

	if (slash)
		stem = (struct str){ slash + 1, stem.n - (size_t)(slash + 1 - stem.p) };
	char *name = arena_alloc(a, stem.n + 1);
	for (size_t i = 0; i < stem.n; i++) {
		char c = stem.p[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
			(i && c >= '0' && c <= '9');
		name[i] = letter ? c : '_';
	}
	return stem.n ? (struct str){ name, stem.n } : STR("name");
}

/* Adds help for `import "lib.tj"` and `import ./lib`: an import of a file needs its path in quotes and a name. */
static void help_import_file(struct fault *f, struct diag *d, struct str path, struct span at)
{
	struct diags *ds = f->p->diags;

	if (is_values_file(path)) {
		diag_help(ds, d, "only programs are imported: pass values with '--params %.*s'", STR_ARG(path));
		return;
	}
	struct str name = stem_of(f->p->arena, path), suffix = str_ends(path, STR(".tj")) ? STR("") : STR(".tj");
	struct str whole = str_printf(f->p->arena, "\"%.*s%.*s\" as %.*s", STR_ARG(path), STR_ARG(suffix),
		STR_ARG(name));

	diag_help(ds, d, "a file is imported by its path, under a name: 'import %.*s'", STR_ARG(whole));
	diag_fix(ds, d, at, whole, "write 'import %.*s'", STR_ARG(whole));
}

/* The rest of the line of an import, when it is a path without quotes; empty for anything else. */
static struct str bare_path(const struct fault *f)
{
	size_t i = f->item + 1, end = i;

	while (f->at[end].kind != TOKEN_END && !(f->at[end].flags & FLAG_LINE) && f->at[end].kind != TOKEN_AS &&
		end - i < 32)
		end++;
	if (end == i || f->at[i].flags & FLAG_LINE)
		return STR("");
	struct str text = tokens_text(&f->p->tokens, f->at[i].start, f->at[end - 1].end);
	static const char path[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
	return strspn(text.p, path) >= text.n && memchr(text.p, '/', text.n) ? text : STR("");
}

/* The module std.x of "std.x", "std/x" or "std/x.tj" with its quotes; empty for another path. */
static struct str library_module(struct arena *a, struct str quoted)
{
	struct str path = { quoted.p + 1, quoted.n - 2 };

	if (path.n < 5 || !(str_starts(path, STR("std.")) || str_starts(path, STR("std/"))))
		return STR("");
	path.n -= str_ends(path, STR(".tj")) ? 3 : 0;
	struct str name = { path.p + 4, path.n - 4 };
	return letters_only(name) ? str_printf(a, "std.%.*s", STR_ARG(name)) : STR("");
}

/* Adds help for import "x", import a/b, or import a, b. */
bool help_import(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	const struct token *path = &f->at[f->item + 1];

	if (f->at[f->item].kind != TOKEN_IMPORT)
		return false;
	struct str text = fault_text(f, f->item + 1);
	struct str bare = path->kind == TOKEN_STRING ? STR("") : bare_path(f);
	struct span at = { path->start, path->start + (uint32_t)(bare.n ? bare.n : text.n) };
	struct str module = path->kind == TOKEN_STRING ? library_module(f->p->arena, text) : STR("");
	if (module.n) {
		diag_help(ds, d, "write 'import %.*s'; quotes are for files", STR_ARG(module));
		diag_fix(ds, d, at, module, "remove the quotes");
	} else if (path->kind == TOKEN_STRING && text.n > 2) {
		help_import_file(f, d, (struct str){ text.p + 1, text.n - 2 }, at);
	} else if (bare.n && !str_starts(bare, STR("std/"))) {
		help_import_file(f, d, bare, at);
	} else if (bare.n > 4) {
		diag_help(ds, d, "the parts of a module's name are joined by '.': 'import std.%.*s'", (int)bare.n - 4,
			bare.p + 4);
		diag_fix(ds, d, at, str_printf(f->p->arena, "std.%.*s", (int)bare.n - 4, bare.p + 4), "write '.'");
	} else if (f->previous == TOKEN_DOT || (f->i == f->item + 1 && f->found.kind == TOKEN_DOT))
		diag_help(ds, d, "write 'import std.NAME'; 'trainc explain' lists the modules");
	else if (!f->line_end && f->found.kind == TOKEN_COMMA)
		diag_help(ds, d, "write a line for each module");
	else if (!f->line_end && (f->found.kind == TOKEN_SLASH || f->found.kind == TOKEN_COLON))
		diag_help(ds, d, "the parts of a module's name are joined by '.'");
	else
		return false;
	return true;
}

bool help_pair(struct fault *f, struct diag *d)
{
	const struct token *key = &f->at[f->item], *value = key + 2, *lo = value + (value->kind == TOKEN_LPAREN),
		*sign = lo + 1, *hi = lo + 2;

	if (key->kind != TOKEN_IDENT || !str_is(fault_text(f, f->item), "replicas") || key[1].kind != TOKEN_ASSIGN ||
		lo->kind != TOKEN_INT ||
	    hi->kind != TOKEN_INT || f->i <= f->item + 2 || f->i > f->item + 5)
		return false;
	if (sign->kind != TOKEN_COMMA && !(sign->kind == TOKEN_IDENT &&
		str_is(fault_text(f, (size_t)(sign - f->at)), "to")))
		return false;
	const struct token *last = value == lo ? hi : hi + 1;
	if (value != lo && last->kind != TOKEN_RPAREN)
		return false;
	struct str range = str_cat(f->p->arena, fault_text(f, (size_t)(lo - f->at)), STR(":"),
		fault_text(f, (size_t)(hi - f->at)));
	diag_help(f->p->diags, d, "a range is written %.*s", STR_ARG(range));
	diag_fix(f->p->diags, d, (struct span){ value->start, last->end }, range, "write %.*s", STR_ARG(range));
	return true;
}

/* The name before '=', '{' or ':' if it contains a '/', as in example.com/gpu = 8; otherwise empty. */
static struct str slashed_name(const struct fault *f)
{
	const struct token *t = &f->at[f->item], *next;
	bool slash = false;

	for (next = t + 1; !(next->flags & FLAG_LINE) && next->start == next[-1].end && next->kind != TOKEN_END; next++)
		slash = slash || next->kind == TOKEN_SLASH;
	int behind = next->kind;
	if (!slash || (behind != TOKEN_ASSIGN && behind != TOKEN_LBRACE && behind != TOKEN_COLON))
		return STR("");
	return (struct str){ f->p->source->text.p + (t->start - f->p->source->base), next[-1].end - t->start };
}

/* Adds help for `limits.memory = 2Gi` or `resources.limits = { }`. */
static void help_dotted(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	struct str outer = fault_text(f, f->item), rest = fault_rest(f, f->i + 1);
	const struct foreign *other = is_field(outer) ? foreign_block(outer, fault_text(f, f->i + 1)) :
		foreign_field(outer);
	const struct token *dot = &f->at[f->i], *inner = dot + 1, *equals = inner + 1, *value = equals + 1;
	bool one = inner->kind == TOKEN_IDENT && equals->kind == TOKEN_ASSIGN &&
		(value[1].flags & FLAG_LINE || value[1].kind == TOKEN_RBRACE);

	if (other) {
		diag_help(ds, d, "%s", other->help);
	} else if (one && rest.n) {
		diag_help(ds, d, "write its fields in braces: '%.*s { %.*s }'", STR_ARG(outer), STR_ARG(rest));
		diag_fix(ds, d, (struct span){ dot->start, value->end },
			str_cat(f->p->arena, STR(" { "), rest, STR(" }")), "put it in braces");
	} else {
		diag_help(ds, d, "write its fields in braces: '%.*s { ... }'", STR_ARG(outer));
	}
}

/* Adds help for names and keys that contain signs, and for text without quotes. */
bool help_name(struct fault *f, struct diag *d)
{
	struct diags *ds = f->p->diags;
	int kind = f->line_end ? TOKEN_EOL : f->found.kind, declares = f->at[f->item].kind;

	struct str key = f->i == f->item + 1 && f->p->feed.depth && kind == TOKEN_DOT ? slashed_name(f) : STR("");

	if (key.n) {
		struct span at = { f->at[f->item].start, f->at[f->item].start + (uint32_t)key.n };
		struct str quoted = str_printf(f->p->arena, "\"%.*s\"", STR_ARG(key));
		diag_help(ds, d, "a key with a character such as - or / in it must be quoted: %.*s", STR_ARG(quoted));
		diag_fix(ds, d, at, quoted, "put it in quotes");
	} else if (f->i == f->item + 1 && f->p->feed.depth && (kind == TOKEN_MINUS || kind == TOKEN_SLASH)) {
		struct span whole = fault_joined(f, f->item);
		struct str slashed = slashed_name(f);
		struct str name = slashed.n ? slashed : tokens_text(&f->p->tokens, whole.start, whole.end);
		bool cut = name.n == fault_text(f, f->item).n;
		diag_help(ds, d, "a key with a character such as - or / in it must be quoted: \"%.*s%s\"",
			STR_ARG(name), !cut ? "" : kind == TOKEN_MINUS ? "-..." : "/...");
	} else if (f->i == f->item + 1 && f->p->feed.depth && kind == TOKEN_DOT) {
		help_dotted(f, d);
	} else if (kind == TOKEN_MINUS && f->i == f->item + 2 && (token_is_word(declares) || declares == TOKEN_IDENT) &&
	           f->previous == TOKEN_IDENT) {
		diag_help(ds, d, "a name has letters, digits and '_': '%.*s_...'", STR_ARG(fault_text(f, f->i - 1)));
	} else if ((kind == TOKEN_SLASH || kind == TOKEN_DOT || kind == TOKEN_PERCENT) && f->p->feed.depth &&
	           (f->previous == TOKEN_ASSIGN || f->i == f->item || f->expected[TOKEN_SPREAD])) {
		diag_help(ds, d, "text, including paths, must be quoted");
	} else if ((declares == TOKEN_PARAM || declares == TOKEN_LET) &&
		(f->previous == TOKEN_IDENT || f->previous == TOKEN_LBRACKET) &&
	           f->i > f->item + 3 && (kind == TOKEN_INT || kind == TOKEN_FLOAT || kind == TOKEN_QUANTITY)) {
		diag_help(ds, d, "limits are written in parentheses: 'int(1..8)'");
	} else {
		return help_prefix(f, d);
	}
	return true;
}
