/*
 * scope.c - finds the declarations of names. Scopes are small maps in a chain that ends at the file; built-in names are
 * outside that. A let of a body may be used before the line that declares it, so the lets of a body are declared when
 * its scope begins.
 */
#include "check/context.h"

#include <string.h>

#include "base/quantity.h"
#include "check/library_device.h"
#include "diag/suggest.h"

bool in_own_file(const struct check *c)
{
	const struct module *m = c->at.module;
	return m && !m->library && !m->package;
}

struct scope *scope_enter(struct check *c, enum scope_kind kind, struct node *body)
{
	struct scope *s = ARENA_NEW(c->arena, struct scope);
	s->parent = c->at.scope;
	s->kind = kind;
	s->module = c->at.module;
	s->facts = c->at.facts;
	s->body = body;
	c->at.scope = s;
	return s;
}

struct scope *scope_around(const struct check *c, enum scope_kind kind)
{
	struct scope *s = c->at.scope;
	while (s && s->kind != kind)
		s = s->parent;
	return s;
}

static const char *kind_word(const struct decl *d)
{
	switch (d->kind) {
	case DECL_IMPORT: return "import";
	case DECL_PARAM: return "parameter";
	case DECL_LET: return "let";
	case DECL_FN: return "function";
	case DECL_FRAMEWORK: return "framework";
	case DECL_ACCELERATOR: return "accelerator";
	case DECL_FORMAL: return "argument";
	case DECL_LOOP: return "loop variable";
	case DECL_ROLE: return "role";
	case DECL_CELL: return "cell";
	case DECL_BUILTIN: return "built-in value";
	default: return "name";
	}
}

static struct decl *find_in(struct map *names, struct str name)
{
	return names->n ? map_get(names, name) : NULL;
}

/* Looks up a name from a scope outwards, except among the built-ins. */
static struct decl *find_from(struct check *c, struct scope *s, struct str name, struct scope **ret_scope)
{
	struct decl *d = NULL;
	for (; s && !(d = find_in(&s->names, name)); s = s->parent)
		;
	if (ret_scope)
		*ret_scope = s;
	return d ? d : c->at.module ? find_in(&c->at.module->values, name) : NULL;
}

static bool only_in_tests(const struct str name)
{
	return str_is(name, "env") || str_is(name, "object") || str_is(name, "fails");
}

static struct decl *builtin(struct check *c, struct str name)
{
	enum function f;
	struct decl *d = map_get(&c->builtins, name);
	bool test = scope_around(c, SCOPE_TEST);
	if (d && d->kind == DECL_BUILTIN && name_eq(name, c->words.roles))
		return test ? d : NULL;
	if (!d && schema_function_find(name, &f)) {
		d = decl_new(c, DECL_BUILTIN_FN, name, (struct span){ 0 }, NULL);
		d->function = f;
		d->module = NULL;
		d->type = &type_bad;
		map_put(&c->builtins, c->arena, name, d);
	}
	return d && only_in_tests(name) && !test ? NULL : d;
}

struct decl *scope_peek(struct check *c, struct str name)
{
	struct decl *d = find_from(c, c->at.scope, name, NULL);
	return d ? d : builtin(c, name);
}

/* ---- declaring ---- */

static void report_declared_twice(struct check *c, struct decl *d, struct decl *first)
{
	const char *where = c->at.scope ? "here" : "in this file";
	struct diag *g = diag_report(c->diags, TJ0204, d->span, "'%.*s' is already declared %s", STR_ARG(d->name),
		where);
	diag_note(c->diags, g, first->span, "first declared here");
	bool same = d->kind == DECL_IMPORT && first->kind == DECL_IMPORT &&
		d->node->u.import.module == first->node->u.import.module;
	diag_help(c->diags, g, same ? "remove one of the two: it is the same module" : "rename one of the two");
}

static void report_hides(struct check *c, struct decl *d, struct decl *outer)
{
	struct diag *g = diag_report(c->diags, TJ0205, d->span, "'%.*s' hides the %s '%.*s'", STR_ARG(d->name),
		kind_word(outer), STR_ARG(d->name));
	if (span_known(outer->span))
		diag_note(c->diags, g, outer->span, "declared here");
	diag_help(c->diags, g, "rename the inner one");
}

/*
 * Is it a framework or accelerator? They are not values, so they hide nothing: `framework task` may have a `role task`,
 * and a framework may have the name `cluster`.
 */
static bool is_blueprint(const struct decl *d)
{
	return d->kind == DECL_FRAMEWORK || d->kind == DECL_ACCELERATOR;
}

static void test_hiding(struct check *c, struct decl *d)
{
	struct scope *outer_scope = c->at.scope ? c->at.scope->parent : NULL;
	struct decl *outer = c->at.scope ? find_from(c, outer_scope, d->name, NULL) : NULL;
	if (outer && outer->kind != DECL_BAD) {
		if (!is_blueprint(outer))
			report_hides(c, d, outer);
		return;
	}
	outer = builtin(c, d->name);
	if (!outer || is_blueprint(d))
		return;
	if (outer->kind == DECL_BUILTIN) {
		report_hides(c, d, outer);
	} else if (in_own_file(c)) {
		struct diag *g = diag_report(c->diags, TJ1003, d->span, "'%.*s' hides a built-in function",
			STR_ARG(d->name));
		diag_help(c->diags, g, "rename it, if the function may be wanted here");
	}
}

static void declare(struct check *c, struct decl *d, bool may_hide)
{
	struct map *names = c->at.scope ? &c->at.scope->names : &c->at.module->values;
	struct decl *first = find_in(names, d->name);
	if (!d->name.n)
		return;
	if (first) {
		if (first->kind != DECL_BAD && d->kind != DECL_BAD)
			report_declared_twice(c, d, first);
		first->twice = true;
		return;
	}
	if (!may_hide && d->kind != DECL_BAD)
		test_hiding(c, d);
	map_put(names, c->arena, d->name, d);
	if (in_own_file(c) && !d->silent)
		ARENA_PUSH(c->arena, c->program->unused, c->program->nunused, d);
}

void scope_declare(struct check *c, struct decl *d)
{
	declare(c, d, false);
}

void scope_declare_role(struct check *c, struct decl *d)
{
	d->silent = true;
	declare(c, d, true);
}

void scope_lets(struct check *c, struct node *body)
{
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		struct node *n = body->u.body.items.at[i];
		if (n->kind == NODE_BAD && n->u.bad.name.n) {
			struct decl *d = decl_new(c, DECL_BAD, n->u.bad.name, n->u.bad.name_span, n);
			d->silent = true;
			if (!find_in(&c->at.scope->names, d->name))
				map_put(&c->at.scope->names, c->arena, d->name, d);
			continue;
		}
		if (n->kind != NODE_LET)
			continue;
		struct decl *d = decl_new(c, DECL_LET, n->u.binding.name, n->u.binding.name_span, n);
		d->scope = c->at.scope;
		d->doc = n->u.binding.doc;
		n->u.binding.decl = d;
		scope_declare(c, d);
	}
}

/* ---- finding ---- */

/* Are all further lines of an item indented deeper than its first line, or do they close its brackets? */
static bool keeps_to_itself(struct check *c, const struct node *item)
{
	const struct source *source = source_at(c->program->sources, item->span.start);
	struct str text = source_text(c->program->sources, item->span);
	size_t start = source ? item->span.start - source->base : 0, line = start, own;

	while (line && source->text.p[line - 1] != '\n')
		line--;
	own = strspn(source ? source->text.p + line : "", " \t");
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] != '\n')
			continue;
		size_t indent = 0;
		while (i + 1 + indent < text.n && (text.p[i + 1 + indent] == ' ' || text.p[i + 1 + indent] == '\t'))
			indent++;
		char first = i + 1 + indent < text.n ? text.p[i + 1 + indent] : ']';
		if (indent <= own && first != ']' && first != ')' && first != '\n')
			return false;
	}
	return true;
}

/* Is a broken item a field with a wrong value?  Then it declares no name, and it ends where its value ends. */
static bool sets_field(struct check *c, const struct node *item)
{
	struct str text = source_text(c->program->sources, item->span), name = item->u.bad.name;
	size_t i = name.n;

	if (!name.n || item->u.bad.name_span.start != item->span.start || !keeps_to_itself(c, item))
		return false;
	while (i < text.n && text.p[i] == ' ')
		i++;
	i += i < text.n && text.p[i] == '+';
	return i + 1 < text.n && text.p[i] == '=' && text.p[i + 1] != '=';
}

/* Walks the items of SCOPE's body once: notes their keys, and whether one did not parse and its key is unknown. */
static void look_at_items(struct check *c, struct scope *s)
{
	if (s->looked || !s->body)
		return;
	s->looked = true;
	for (size_t i = 0; i < s->body->u.body.items.n; i++) {
		const struct node *item = s->body->u.body.items.at[i];
		if (item->kind == NODE_BAD)
			s->lost = s->lost || !sets_field(c, item);
		else if ((item->kind == NODE_SET || item->kind == NODE_EXTEND) && item->u.item.key.kind == KEY_NAME)
			map_put(&s->keys, c->arena, item->u.item.key.text, s->body);
	}
}

/* Is the name a key in an enclosing body? Then the program uses a field as if it were a name (TJ0215). */
static bool is_sibling(struct check *c, struct str name)
{
	for (struct scope *s = c->at.scope; s; s = s->parent) {
		look_at_items(c, s);
		if ((s->block && schema_find(s->block, name)) || map_get(&s->keys, name))
			return true;
	}
	return false;
}

/* Adds the names in the scopes to S. CALLS: also adds functions. */
static void suggest_scope(struct check *c, struct suggest *s, bool calls)
{
	for (struct scope *scope = c->at.scope; scope; scope = scope->parent)
		for (size_t i = 0; i < scope->names.n; i++)
			suggest_add(s, scope->names.entries[i].key);
	for (size_t i = 0; i < c->at.module->values.n; i++)
		suggest_add(s, c->at.module->values.entries[i].key);
	for (size_t i = 0; i < FUNCTIONS && calls; i++)
		if (!only_in_tests(str_of(schema_function((enum function)i)->name)))
			suggest_add(s, str_of(schema_function((enum function)i)->name));
	if (!c->member_of_name.n)               /* self, cluster and pod are only used with a member */
		return;
	suggest_add(s, c->words.self);
	suggest_add(s, c->words.cluster);
	suggest_add(s, c->words.pod);
}

void help_suggest(struct check *c, struct diag *d, const struct suggest *s, const char *verb, struct span at)
{
	struct str help = verb ? suggest_or_list(s, verb) : suggest_sentence(s), only = suggest_only(s);
	if (help.n)
		diag_help(c->diags, d, "%.*s", STR_ARG(help));
	if (only.n)
		diag_fix(c->diags, d, at, only, "change it to '%.*s'", STR_ARG(only));
}

/* Is there an imported module with a member of this name? */
static struct decl *importer_of(struct check *c, struct str name)
{
	const struct map *values = &c->at.module->values;
	for (size_t i = 0; i < values->n; i++) {
		struct decl *d = values->entries[i].value;
		const struct decl *member = d->kind == DECL_IMPORT && d->node->u.import.module ?
			map_get(&d->node->u.import.module->values, name) : NULL;
		if (member && member->kind != DECL_IMPORT)
			return d;
	}
	return NULL;
}

/* The import whose module declares the accelerator NAME, in lower case; NULL if no import does. */
static struct decl *importer_of_device(struct check *c, struct str name)
{
	struct decl *import = importer_of(c, name);
	const struct decl *member = import ? map_get(&import->node->u.import.module->values, name) : NULL;

	return member && member->kind == DECL_ACCELERATOR ? import : NULL;
}

/* Adds help for a name that the module IMPORT has. `H100:8`, as other tools write it, is a device and a number. */
static void help_imported(struct check *c, struct diag *d, struct decl *import, struct str name, struct span at)
{
	const struct source *source = source_at(c->program->sources, at.end);
	const char *after = source->text.p + (at.end - source->base);
	size_t digits = *after == ':' ? strspn(after + 1, "0123456789") : 0;
	struct str whole = str_cat(c->arena, import->name, STR("."), name);

	if (digits && importer_of_device(c, name)) {
		whole = str_printf(c->arena, "%.*s(%.*s)", STR_ARG(whole), (int)digits, after + 1);
		at.end += 1 + (uint32_t)digits;
	}
	diag_help(c->diags, d, "write '%.*s'", STR_ARG(whole));
	diag_fix(c->diags, d, at, whole, "write '%.*s'", STR_ARG(whole));
	decl_use(c, import);
}

bool may_report_unknown(struct check *c, struct module *m, struct str name, const struct suggest *s)
{
	if (map_put(&m->unknown, c->arena, name, m))
		return false;
	return !m->lost || (suggest_only(s).n && !stdlib_text(name).p);
}

/* Limits of suggestions: nobody reads them after so many errors, and so many comparisons take a tenth of a second. */
enum { MOST_SUGGESTIONS = 100, MOST_COMPARISONS = 1000000 };

/* May the next error compare its name with every name of the module? */
static bool may_suggest(const struct check *c)
{
	size_t errors = c->diags->errors;

	return errors < MOST_SUGGESTIONS && (errors < 5 || errors * c->at.module->values.n < MOST_COMPARISONS);
}

/* A name of the program that may have been meant instead of a field; empty if no name is similar. */
static struct str near_value(struct check *c, struct str name)
{
	struct suggest s;
	suggest_init(&s, c->arena, name);
	for (struct scope *scope = c->at.scope; scope; scope = scope->parent)
		for (size_t i = 0; i < scope->names.n; i++)
			suggest_add(&s, scope->names.entries[i].key);
	for (size_t i = 0; i < c->at.module->values.n; i++)
		suggest_add(&s, c->at.module->values.entries[i].key);
	return suggest_only(&s);
}

bool scope_resembles(struct check *c, struct str name) { return near_value(c, name).n != 0; }

/* Did an item in an enclosing body fail to parse? Then any name may be one that it would have declared. */
static bool item_lost(struct check *c)
{
	for (struct scope *s = c->at.scope; s; s = s->parent) {
		look_at_items(c, s);
		if (s->lost)
			return true;
	}
	return false;
}

bool scope_unheard(struct check *c, struct str name)
{
	struct suggest s;
	suggest_init(&s, c->arena, name);
	suggest_scope(c, &s, true);
	return !suggest_sentence(&s).n && !stdlib_text(name).p && !is_sibling(c, name) && !foreign_name(name) &&
	       !name_eq(name, c->words.roles) && !only_in_tests(name) && !c->at.module->lost && !item_lost(c);
}

/* The source after SPAN on its line. */
static struct str rest_of_line(struct check *c, struct span at)
{
	const struct source *s = source_at(c->program->sources, at.start);
	size_t from = s ? at.end - s->base : 0, n = 0;

	while (s && from + n < s->text.n && s->text.p[from + n] != '\n')
		n++;
	return s ? (struct str){ s->text.p + from, n } : STR("");
}

/* Adds help if a block is written as a call, as in `layout(tp = 8)`. */
static bool help_block_form(struct check *c, struct diag *d, const struct field *f, struct span at)
{
	struct str rest = rest_of_line(c, at);
	const char *end = rest.n ? memchr(rest.p, ')', rest.n) : NULL;
	bool block = f && strcmp(f->fallback, "{}") == 0;

	if (!block || !end || rest.p[0] != '(' || memchr(rest.p + 1, '(', (size_t)(end - rest.p - 1)))
		return false;
	diag_help(c->diags, d, "a block has braces: write %s { %.*s }", f->name, (int)(end - rest.p - 1), rest.p + 1);
	return true;
}

/* Adds help for `env.NAME` outside of variables, by which other languages read the environment of their own process. */
static bool help_environment(struct check *c, struct diag *d, struct str name, struct span at)
{
	struct str rest = rest_of_line(c, at);
	size_t n = 1;

	while (n < rest.n && str_is_word((struct str){ rest.p + n, 1 }))
		n++;
	if (!str_is(name, "env") || c->at.env || n < 2 || rest.p[0] != '.')
		return false;
	diag_help(c->diags, d, "a program does not read the environment of trainc: declare 'param %.*s: string' at the "
		"top, write %.*s here, and set it: --set %.*s=...", (int)n - 1, rest.p + 1, (int)n - 1, rest.p + 1,
		(int)n - 1, rest.p + 1);
	return true;
}

const struct decl *cell_around(struct check *c)
{
	const struct scope *cell = scope_around(c, SCOPE_JOB), *job = cell ? cell->parent : NULL;

	if (!cell || cell->block != BLOCK_CELL)
		return NULL;
	for (; job; job = job->parent)
		for (size_t i = 0; i < job->names.n; i++) {
			const struct decl *d = job->names.entries[i].value;
			if (d->kind == DECL_CELL && d->cell == cell->job)
				return d;
		}
	return NULL;
}

/* Does an opening parenthesis follow the name? */
static bool is_called(struct check *c, struct span at)
{
	const struct source *source = source_at(c->program->sources, at.end);
	return source && source->text.p[at.end - source->base] == '(';
}

static void report_field_name(struct check *c, struct str name, struct span at)
{
	bool role = scope_around(c, SCOPE_JOB) || scope_around(c, SCOPE_FRAMEWORK);
	const struct field *f = schema_find(BLOCK_ROLE, name);
	bool optional = f && str_ends(str_of(f->type), STR("?"));
	struct str near = may_suggest(c) ? near_value(c, name) : STR("");
	struct diag *d = diag_report(c->diags, TJ0215, at, "'%.*s' is a field, not a name", STR_ARG(name));
	if (c->text_wanted && c->text_wanted->kind != TYPE_ENV_VALUE && !near.n) {
		diag_help(c->diags, d, "if the text is meant, write \"%.*s\"", STR_ARG(name));
		return;
	}
	if (near.n)
		diag_help(c->diags, d, "did you mean '%.*s'?", STR_ARG(near));
	if (!f && str_is(name, "apart") && is_called(c, at)) {
		diag_help(c->diags, d, "it is a field of a cell: write 'apart = \"host\"' there");
		return;
	}
	const struct decl *cell = str_is(name, "copies") ? cell_around(c) : NULL;
	if (cell)
		diag_help(c->diags, d, "write '%.*s.copies'", STR_ARG(cell->name));
	if (cell || help_block_form(c, d, f, at) || help_environment(c, d, name, at))
		return;
	if (c->at.env && str_is(name, "env"))
		diag_help(c->diags, d, "for a variable that is set above write 'pod.env(\"NAME\")'");
	else if (role && f)
		diag_help(c->diags, d, "%s'self.%.*s%s', or use a 'let'", near.n ? "for the field write " : "write ",
			STR_ARG(name), optional ? " ?? ..." : "");
	else if (c->at.env)
		diag_help(c->diags, d, "use a 'let' for a value that is needed twice; for a variable that is set above "
			"write 'pod.env(\"%.*s\")'",
			STR_ARG(name));
	else
		diag_help(c->diags, d, "use a 'let' for a value that is needed twice");
}

const char *word_elsewhere(struct str name)
{
	static const char *const words[][2] = {
		{ "True", "true" }, { "TRUE", "true" }, { "yes", "true" }, { "on", "true" },
		{ "False", "false" }, { "FALSE", "false" }, { "no", "false" }, { "off", "false" },
		{ "None", "none" }, { "null", "none" }, { "nil", "none" }, { "NULL", "none" }, { "undefined", "none" },
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(name, words[i][0]))
			return words[i][1];
	return NULL;
}

/* Does the character CH follow the name? */
static bool stands_before(struct check *c, struct span at, char ch)
{
	const struct source *source = source_at(c->program->sources, at.end);
	return source && at.end - source->base < source->text.n && source->text.p[at.end - source->base] == ch;
}

/* Is it the name of a provider of nodes, as in nodes = "gke"? */
static bool is_site_name(struct str name)
{
	for (const struct stdlib_site *s = stdlib_sites(); s->name; s++)
		if (str_is(name, s->name))
			return true;
	return false;
}

/* Adds help for habits of other languages: words, comments, text without quotes. */
static bool help_habit(struct check *c, struct diag *d, struct str name, struct span at, const struct suggest *s)
{
	const char *word = word_elsewhere(name);
	bool variable = c->text_wanted && c->text_wanted->kind == TYPE_ENV_VALUE;
	bool shouted = name.n > 1 && strspn(name.p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") >= name.n;
	if (is_site_name(name)) {
		diag_help(c->diags, d, "it is a text: write \"%.*s\"", STR_ARG(name));
	} else if (shouted && stands_after(c, at, "${") && foreign_name(name)) {
		diag_help(c->diags, d, "%s; in the script of a shell write $%.*s", foreign_name(name)->help,
			STR_ARG(name));
	} else if (shouted && stands_after(c, at, "${") && !suggest_sentence(s).n) {
		diag_help(c->diags, d, "'${...}' inserts a value of the program, such as 'param %.*s: string'; for a "
			"variable of the pod write ${pod.env(\"%.*s\")}, for a shell $%.*s",
			STR_ARG(name), STR_ARG(name), STR_ARG(name));
	} else if (word && variable && str_is(str_of(word), "none")) {
		diag_help(c->diags, d, "a variable that is not set has no line: remove it");
	} else if (word && !str_is(str_of(word), "none") && c->text_wanted && !variable) {
		diag_help(c->diags, d, "if the text is meant, write \"%.*s\"", STR_ARG(name));
	} else if (word && variable) {          /* offers both, because NO may also be the code of a country */
		diag_help(c->diags, d, "write %s for the value, \"%.*s\" for the text", word, STR_ARG(name));
	} else if (word) {
		diag_help(c->diags, d, "write '%s'", word);
		diag_fix(c->diags, d, at, str_of(word), "change it to '%s'", word);
	} else if (variable && !suggest_sentence(s).n && !foreign_name(name)) {
		diag_help(c->diags, d, "if the text is meant, write \"%.*s\"", STR_ARG(name));
	} else if (foreign_name(name) && (!suggest_only(s).n || stands_before(c, at, '(')) &&
		(!c->text_wanted || variable)) {
		diag_help(c->diags, d, "%s", foreign_name(name)->help);
		if (variable)
			diag_help(c->diags, d, "if the text is meant, write \"%.*s\"", STR_ARG(name));
	} else if (c->framework_wanted && !suggest_sentence(s).n) {
		diag_help(c->diags, d, "a framework of an imported module is expected here: 'job \"name\": "
			"MODULE.FRAMEWORK { ... }'; 'trainc explain' lists the modules");
		if (str_ends(name, STR("Job")))
			diag_help(c->diags, d, "'trainc import FILE' makes a program of a manifest");
	} else if (stands_after(c, at, "//")) {
		diag_help(c->diags, d, "a comment begins with '#'; '//' divides");
	} else if (stands_after(c, at, "--")) {
		diag_help(c->diags, d, "options are text and must be quoted; a comment begins with '#'");
	} else if (c->text_wanted && !suggest_sentence(s).n) {
		diag_help(c->diags, d, "if the text is meant, write \"%.*s\"", STR_ARG(name));
	} else {
		return false;
	}
	return true;
}

/* Is the name in a job or a framework that has roles? */
static bool has_roles(struct check *c)
{
	const struct scope *s = scope_around(c, SCOPE_JOB);
	s = s ? s : scope_around(c, SCOPE_FRAMEWORK);
	for (size_t i = 0; s && i < s->names.n; i++)
		if (((const struct decl *)s->names.entries[i].value)->kind == DECL_ROLE)
			return true;
	return false;
}

/* Reports ready(db) when no role has that name. */
static void report_scope_role(struct check *c, struct str name, struct span at)
{
	const struct scope *s = scope_around(c, SCOPE_JOB);
	struct suggest near;
	struct diag *d = diag_report(c->diags, TJ0201, at, "no role named '%.*s'", STR_ARG(name));

	s = s ? s : scope_around(c, SCOPE_FRAMEWORK);
	suggest_init(&near, c->arena, name);
	bool cells = false;
	for (; s; s = s->block == BLOCK_CELL ? s->parent : NULL)
		for (size_t i = 0; i < s->names.n; i++) {
			const struct decl *it = s->names.entries[i].value;
			cells = cells || it->kind == DECL_CELL;
			if (it->kind == DECL_ROLE || it->kind == DECL_CELL)
				suggest_add(&near, s->names.entries[i].key);
		}
	help_suggest(c, d, &near, cells ? "the roles and cells are" : "the roles are", at);
}

/* Adds help for a name that resembles no other: the names of the file, and how to declare a new one. */
static void help_far_name(struct check *c, struct diag *d, struct str name)
{
	const struct map *values = &c->at.module->values;
	struct suggest s;

	suggest_init(&s, c->arena, name);
	for (size_t i = 0; i < values->n; i++) {
		const struct decl *value = values->entries[i].value;
		if (value->kind == DECL_PARAM || value->kind == DECL_LET || value->kind == DECL_FN)
			suggest_add(&s, values->entries[i].key);
	}
	struct str all = suggest_all(&s, s.count == 1 ? "the only name in this file is" : "the names in this file are");
	if (all.n)
		diag_help(c->diags, d, "%.*s", STR_ARG(all));
	if (c->at.module == c->program->root && str_is_word(name) && c->declared_as)
		diag_help(c->diags, d, "to set it from outside declare 'param %.*s: %s'", STR_ARG(name),
			c->declared_as);
}

/*
 * Adds help for a product that the library has: the name of the accelerator, and its module if it is not imported.
 * CALLED: the name is followed by the number of devices.
 */
static bool help_device(struct check *c, struct diag *d, struct str name, bool called)
{
	struct str module, device = library_device(str_lower(c->arena, name), &module);
	const char *number = called ? "" : "(1)";

	if (!device.n)
		return false;
	const struct decl *have = importer_of(c, device);
	if (have)
		diag_help(c->diags, d, "write '%.*s.%.*s%s'", STR_ARG(have->name), STR_ARG(device), number);
	else
		help_import_device(c, d, module, str_cat(c->arena, device, str_of(number), STR("")));
	return true;
}

/* Adds help for a duration of ISO 8601. P4D may be a name where no duration is expected. */
static bool help_iso(struct check *c, struct diag *d, struct str name, struct span at)
{
	struct quantity q;

	if (!str_starts(name, STR("PT")) && !(c->declared_as && strcmp(c->declared_as, "duration") == 0))
		return false;
	if (!duration_iso(name, &q))
		return false;
	struct str right = duration_text(c->arena, q);
	diag_help(c->diags, d, "write %.*s", STR_ARG(right));
	diag_fix(c->diags, d, at, right, "write %.*s", STR_ARG(right));
	return true;
}

/*
 * Help for a name in a policy: facts about the job are members of 'cluster', and a policy cannot know the names of
 * roles.
 */
static bool help_policy(struct check *c, struct diag *d, struct str name, struct span at)
{
	struct check_member m;

	for (size_t i = 0; check_member(TYPE_CLUSTER, i, &m); i++)
		if (str_is(name, m.name)) {
			diag_help(c->diags, d, "write 'cluster.%s'", m.name);
			diag_fix(c->diags, d, at, str_cat(c->arena, STR("cluster."), name, STR("")),
				"write 'cluster.%s'", m.name);
			return true;
		}
	if (!stands_before(c, at, '.'))
		return false;
	diag_help(c->diags, d, "a policy is about the roles of any job: 'for role in cluster.roles { ... }'");
	return true;
}

static void report_unknown(struct check *c, struct str name, struct span at)
{
	struct suggest s;
	if (map_get(&c->at.module->unknown, name) && !(c->text_wanted && c->text_wanted->kind == TYPE_ENV_VALUE))
		return;                         /* reported before; skipping it here avoids quadratic time for many uses
						 */
	bool few = may_suggest(c);
	struct str lower = str_lower(c->arena, name);   /* names of accelerators are in lower case */
	struct decl *device = few ? importer_of_device(c, lower) : NULL;
	struct decl *import = few && !device ? importer_of(c, name) : device;
	suggest_init(&s, c->arena, name);
	if (few)
		suggest_scope(c, &s, is_called(c, at));
	if (item_lost(c) && !suggest_only(&s).n)
		return;
	/* quotes are missing at each use, so each use is reported */
	bool text = c->text_wanted && c->text_wanted->kind == TYPE_ENV_VALUE && !suggest_sentence(&s).n &&
		!c->at.module->lost;
	if (!may_report_unknown(c, c->at.module, name, &s) && !text)
		return;
	if (c->role_wanted && !import && !c->at.module->lost) {
		report_scope_role(c, name, at);
		return;
	}
	if (is_sibling(c, name)) {
		report_field_name(c, name, at);
		return;
	}
	struct diag *d = diag_report(c->diags, TJ0201, at, "no value named '%.*s'", STR_ARG(name));
	struct decl *owner = c->member_of_name.n && few ? importer_of(c, c->member_of_name) : NULL;
	if (owner) {
		diag_help(c->diags, d, "the module is imported as '%.*s': write '%.*s.%.*s'", STR_ARG(owner->name),
			STR_ARG(owner->name), STR_ARG(c->member_of_name));
		diag_fix(c->diags, d, at, owner->name, "write '%.*s'", STR_ARG(owner->name));
		decl_use(c, owner);
	} else if (c->at.module->policy && help_policy(c, d, name, at))
		;
	else if (name_eq(name, c->words.roles) || only_in_tests(name))
		diag_help(c->diags, d, "'%.*s' is known in tests only", STR_ARG(name));
	else if (import)
		help_imported(c, d, import, device ? lower : name, at);
	else if (few && !c->text_wanted && help_iso(c, d, name, at))
		;
	else if (few && !c->text_wanted && !suggest_sentence(&s).n && help_device(c, d, name, is_called(c, at)))
		;
	else if (stdlib_text(name).p && (!c->text_wanted || stands_before(c, at, '.')))
		diag_help(c->diags, d, "to use the module write 'import std.%.*s' at the top of the file",
			STR_ARG(name));
	else if (few && !suggest_sentence(&s).n && !foreign_name(name) && stands_before(c, at, '.') && has_roles(c))
		help_roles(c, d);
	else if (!help_habit(c, d, name, at, &s)) {
		struct str near = suggest_sentence(&s);
		/* an unquoted text may resemble a name by chance */
		if (c->text_wanted && c->text_wanted->kind == TYPE_ENV_VALUE)
			diag_help(c->diags, d, "%.*s if the text is meant, write \"%.*s\"", STR_ARG(near),
				STR_ARG(name));
		else
			help_suggest(c, d, &s, NULL, at);
		if (few && !near.n && !is_called(c, at) && !(c->text_wanted && c->text_wanted->kind == TYPE_ENV_VALUE))
			help_far_name(c, d, name);
	}
}

/* Does D hide an outer name? A job's role does so only when the job mentions it. */
static bool hides(struct check *c, struct decl *d, struct scope *s)
{
	struct decl *outer = find_from(c, s->parent, d->name, NULL);
	if (!outer || outer->kind == DECL_BAD || is_blueprint(outer))
		return false;
	if (!d->hides)
		report_hides(c, d, outer);
	d->hides = true;
	outer->used = true;
	return true;
}


static bool is_known_here(struct check *c, struct decl *d, struct span at)
{
	bool self = scope_around(c, SCOPE_JOB) || scope_around(c, SCOPE_FRAMEWORK) || scope_around(c, SCOPE_DEFAULTS);
	bool cluster = self || scope_around(c, SCOPE_POLICY);
	bool here = name_eq(d->name, c->words.self) ? self : name_eq(d->name, c->words.cluster) ? cluster : true;
	if (here)
		return true;
	struct diag *g = diag_report(c->diags, TJ0201, at, "'%.*s' has no meaning here", STR_ARG(d->name));
	diag_help(c->diags, g, name_eq(d->name, c->words.self)
		? "'self' is the role that is being built: use it in a job or a framework" :
		"'cluster' is the job that is being built: use it in a job, a framework or a policy");
	return false;
}

struct decl *scope_find(struct check *c, struct str name, struct span at)
{
	struct scope *s;
	struct decl *d = find_from(c, c->at.scope, name, &s), *value = !d || is_blueprint(d) ? builtin(c, name) : NULL;
	if (value)
		d = value;
	if (!d) {
		report_unknown(c, name, at);
		return NULL;
	}
	if (d->kind == DECL_BUILTIN && !is_known_here(c, d, at))
		return NULL;
	if (d->kind == DECL_ROLE && s && s->kind == SCOPE_JOB && hides(c, d, s))
		return c->bad;                  /* it is unclear whether the role or the outer name is meant */
	decl_use(c, d);
	if (d->twice)
		return c->bad;
	mention_decl(c, d, at);
	return d;
}

void mention_decl(struct check *c, struct decl *d, struct span at)
{
	struct decl *owner = c->at.owner;

	if (owner && (d->kind == DECL_PARAM || d->kind == DECL_FN || (d->kind == DECL_LET && d->global)))
		ARENA_PUSH(c->arena, owner->mentions, owner->nmentions, ((struct mention){ d, at }));
}

void report_deprecated(struct check *c, const struct node *n, const struct decl *d)
{
	const char *mark = d->doc.n ? memmem(d->doc.p, d->doc.n, "Deprecated:", 11) : NULL;
	if (!mark || !in_own_file(c) || (mark != d->doc.p && mark[-1] != '\n' && mark[-1] != ' '))
		return;
	const char *text = mark + 11, *end = memchr(text, '\n', (size_t)(d->doc.p + d->doc.n - text));
	struct str why = { text, (size_t)((end ? end : d->doc.p + d->doc.n) - text) };
	while (why.n && why.p[0] == ' ')
		why = (struct str){ why.p + 1, why.n - 1 };
	struct str words = node_words(c, n);
	struct diag *g = diag_report(c->diags, TJ1008, n->span, "'%.*s' is deprecated", STR_ARG(words));
	if (why.n)
		diag_help(c->diags, g, "%.*s", STR_ARG(why));
}
