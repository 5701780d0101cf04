/*
 * module.c - reads the import graph, depth first. A module is known by its key: the dotted name for the standard
 * library, the normalized path for everything else, so that two routes to one file give one module. The chain of
 * modules that are being read is on the C stack, linked by `imported_by`; reaching one of them again is a cycle.
 */
#include "check/module.h"

#include <ctype.h>
#include <strings.h>

#include "base/path.h"
#include "check/package.h"
#include "check/project.h"
#include "diag/near_file.h"
#include "diag/suggest.h"
#include "syntax/help/foreign.h"
#include "syntax/parse.h"

enum { NEW, READING, READ };

static struct module *load_file(struct program *p, struct str path, bool package, struct module *by,
	struct node *import);

/* ---- files that cannot be imported ---- */

static void report_cycle(struct program *p, struct module *again, struct module *last, struct node *import)
{
	struct str chain = again->path;
	struct module *first_hop = NULL;
	for (struct module *m = last; m != again; m = m->imported_by)
		first_hop = m;
	struct span at = first_hop ? first_hop->imported_at : import->span;
	struct module *path[MODULE_DEPTH + 2];
	size_t n = 0;
	for (struct module *m = last; m != again && n < MODULE_DEPTH; m = m->imported_by)
		path[n++] = m;
	for (size_t i = n; i-- > 0;)
		chain = str_printf(p->arena, "%.*s → %.*s", STR_ARG(chain), STR_ARG(path[i]->path));
	chain = str_printf(p->arena, "%.*s → %.*s", STR_ARG(chain), STR_ARG(again->path));
	struct diag *d = diag_report(p->diags, TJ0209, at, "'%.*s' imports itself: %.*s", STR_ARG(again->path),
		STR_ARG(chain));
	for (size_t i = n; i-- > 1;)
		diag_note(p->diags, d, path[i - 1]->imported_at, "'%.*s' imports '%.*s'", STR_ARG(path[i]->path),
			STR_ARG(path[i - 1]->path));
	if (first_hop)
		diag_note(p->diags, d, import->span, "'%.*s' imports '%.*s'", STR_ARG(last->path),
			STR_ARG(again->path));
	diag_help(p->diags, d, n ? "move the shared part to a third file" : "remove this line");
}

static struct str library_name(struct program *p, const struct node *import)
{
	struct str *path = import->u.import.path;
	size_t depth = import->u.import.depth;
	struct str name = depth > 1 ? path[1] : STR("");
	for (size_t i = 2; i < depth; i++)
		name = str_printf(p->arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(path[i]));
	return name;
}

/* Words of other tools, such as std.gpu, may resemble module names by chance. */
static void suggest_modules(struct program *p, const struct node *import, struct suggest *s)
{
	size_t n;
	struct str wanted = library_name(p, import);
	const char *const *names = stdlib_names(&n);
	suggest_init(s, p->arena, wanted);
	for (size_t i = 0; i < n && !foreign_name(wanted); i++)
		suggest_add(s, str_of(names[i]));
}

static struct str suggest_module(struct program *p, const struct node *import)
{
	struct suggest s;
	suggest_modules(p, import, &s);
	return suggest_only(&s);
}

/* 'single' for 'sing' and for 'single.task'; empty when no module's name is similar. */
static struct str related_module(struct str name)
{
	size_t n;
	const char *const *names = stdlib_names(&n);
	for (size_t i = 0; i < n && name.n >= 3; i++) {
		struct str module = str_of(names[i]);
		bool member = name.n > module.n && name.p[module.n] == '.' && str_starts(name, module);
		if (member || (module.n > name.n && memmem(module.p, module.n, name.p, name.n)))
			return module;
	}
	return STR("");
}

/*
 * Counts how often TEXT has the word, in any case. A mention in documentation (`## ...`) counts twice and sets
 * *RET_DOCUMENTED.
 */
static size_t count_mentions(struct str text, const char *word, bool *ret_documented)
{
	const char first[] = { (char)tolower((unsigned char)*word), (char)toupper((unsigned char)*word), '\0' };
	size_t n = 0, length = strlen(word);

	for (const char *at = text.p; (at = strpbrk(at, first)) != NULL; at++) {
		if (strncasecmp(at, word, length) != 0 || isalnum((unsigned char)at[length]) ||
			(at > text.p && isalnum((unsigned char)at[-1])))
			continue;
		const char *before = memrchr(text.p, '\n', (size_t)(at - text.p)), *line = before ? before + 1 : text.p;
		bool documented = line[0] == '#' && line[1] == '#';
		*ret_documented = *ret_documented || documented;
		n += documented ? 2 : 1;
	}
	return n;
}

/*
 * The library module that mentions NAME most often, where NAME is the maker of a device or a program that a framework
 * starts. Empty for words that many modules mention, and for those that occur only in code, such as `http`.
 */
static struct str mentioning_module(struct program *p, struct str name)
{
	enum { FEW = 3, MANY_MODULES = 5 };
	const char *word = str_copy(p->arena, name).p;
	size_t n, most = FEW, modules = 0;
	struct str ret = STR("");
	const char *const *names = stdlib_names(&n);

	for (size_t i = 0; i < n && name.n >= 3; i++) {
		bool documented = false;
		size_t found = count_mentions(stdlib_text(str_of(names[i])), word, &documented);
		modules += found > 0;
		if (found > most && documented) {
			most = found;
			ret = str_of(names[i]);
		}
	}
	return modules < MANY_MODULES ? ret : STR("");
}

static void report_no_module(struct program *p, const struct node *import)
{
	struct suggest s;
	struct str name = library_name(p, import);
	struct span at = import->u.import.path_span;
	struct diag *d;
	if (name.n)
		d = diag_report(p->diags, TJ0207, at, "the standard library has no module '%.*s'", STR_ARG(name));
	else
		d = diag_report(p->diags, TJ0207, at, "'std' is the whole standard library, not a module");
	suggest_modules(p, import, &s);
	struct str help = suggest_sentence(&s), only = suggest_only(&s), kin = related_module(name), meant;
	if (help.n)
		diag_help(p->diags, d, "%.*s", STR_ARG(help));
	else if (kin.n && import->u.import.depth > 2)
		diag_help(p->diags, d, "import the module, 'import std.%.*s', and write '%.*s' where it is used",
			STR_ARG(kin), STR_ARG(name));
	else if (kin.n)
		diag_help(p->diags, d, "did you mean '%.*s'?", STR_ARG(kin));
	else if (foreign_name(name))
		diag_help(p->diags, d, "%s", foreign_name(name)->help);
	else if ((meant = mentioning_module(p, name)).n)
		diag_help(p->diags, d, "did you mean 'std.%.*s'? It mentions '%.*s': see 'trainc explain %.*s'",
			STR_ARG(meant), STR_ARG(name), STR_ARG(meant));
	else
		diag_help(p->diags, d, "'trainc explain' lists its modules");
	if (!only.n)
		return;
	at.start = at.end - (uint32_t)name.n;
	diag_fix(p->diags, d, at, only, "import 'std.%.*s'", STR_ARG(only));
}

/* The module `name` that was meant by `import stdname`, if it exists; otherwise empty. */
static struct str behind_std(struct str name)
{
	struct str rest = { name.p + 3, name.n - 3 };
	return str_starts(name, STR("std")) && stdlib_text(rest).p ? rest : STR("");
}

struct wanted_file {
	struct str name;
	bool found;
};

static void compare_file(void *to, struct str name)
{
	struct wanted_file *w = to;
	w->found = w->found || str_eq(name, w->name);
}

/* Adds help for `import lib` or `import lib.tj` when the program's own lib.tj is next to it. */
static bool help_own_file(struct program *p, const struct module *by, const struct node *import, struct diag *d)
{
	bool suffix = import->u.import.depth == 2 && str_is(import->u.import.path[1], "tj");
	struct str name = import->u.import.path[0];
	struct wanted_file w = { .name = str_cat(p->arena, name, STR(".tj"), STR("")) };

	if ((import->u.import.depth != 1 && !suffix) || !p->reader->list)
		return false;
	p->reader->list(p->reader->context, p->arena, path_directory(by->path), compare_file, &w);
	if (!w.found && !suffix)
		return false;
	struct str whole = str_printf(p->arena, "\"%.*s\" as %.*s", STR_ARG(w.name), STR_ARG(name));
	diag_help(p->diags, d, "a file is imported by its path, under a name: 'import %.*s'", STR_ARG(whole));
	diag_fix(p->diags, d, import->u.import.path_span, whole, "write 'import %.*s'", STR_ARG(whole));
	return true;
}

static void report_no_package(struct program *p, const struct module *by, const struct node *import)
{
	struct suggest s;
	struct str name = import->u.import.path[0], joined = behind_std(name),
		module = stdlib_text(name).p ? name : joined;
	struct diag *d = diag_report(p->diags, TJ0207, import->u.import.path_span, "unknown package '%.*s'",
		STR_ARG(name));
	suggest_init(&s, p->arena, name);
	suggest_add(&s, STR("std"));
	for (size_t i = 0; i < p->project.packages.n; i++)
		if (((const struct str *)p->project.packages.entries[i].value)->p)
			suggest_add(&s, p->project.packages.entries[i].key);
	struct str help = suggest_sentence(&s);
	if (module.n && import->u.import.depth == 1) {
		diag_help(p->diags, d, "modules of the standard library begin with 'std': import std.%.*s",
			STR_ARG(module));
		diag_fix(p->diags, d, import->u.import.path_span, str_printf(p->arena, "std.%.*s", STR_ARG(module)),
			"import 'std.%.*s'", STR_ARG(module));
	} else if (help_own_file(p, by, import, d)) {
		return;
	} else if (help.n) {
		diag_help(p->diags, d, "%.*s", STR_ARG(help));
	} else if (import->u.import.depth > 1) {
		diag_help(p->diags, d, "packages are named in 'project.tj': packages { %.*s = \"vendor/%.*s\" }",
			STR_ARG(name), STR_ARG(name));
	} else {
		diag_help(p->diags, d, "packages are named in 'project.tj': packages { %.*s = \"vendor/%.*s\" }; a "
			"file is imported by its path: "
			"'import \"%.*s.tj\" as %.*s'", STR_ARG(name), STR_ARG(name), STR_ARG(name), STR_ARG(name));
	}
}

/* Candidates for the help about a missing file: the files next to the one that imports it, except that one. */
struct others {
	struct suggest *near;
	struct str by;
};

static void add_candidate(void *to, struct str name)
{
	struct others *others = to;

	if (str_ends(name, STR(".tj")) && !str_eq(name, others->by))
		suggest_add(others->near, name);
}

/* Is it a file of parameter values, which cannot be imported? */
static bool is_values(struct str path)
{
	return str_ends(path, STR(".yaml")) || str_ends(path, STR(".yml")) || str_ends(path, STR(".json"));
}

static bool is_address(struct str path)
{
	return path.n && (memmem(path.p, path.n, "://", 3) || str_starts(path, STR("git@")));
}

static void report_no_file(struct program *p, const struct node *import, struct str path, struct str why,
	const struct module *by)
{
	struct suggest s;
	struct str base = path_base(path);
	struct span at = import->u.import.path_span;
	struct diag *d;
	if (import->u.import.path)
		d = diag_report(p->diags, TJ0207, at, "package '%.*s' has no module '%.*s'",
			STR_ARG(import->u.import.path[0]), (int)base.n - 3, base.p);
	else if (str_is(why, "no such file"))
		d = diag_report(p->diags, TJ0208, at, "no file '%.*s' next to '%.*s'", STR_ARG(import->u.import.file),
			STR_ARG(by->path));
	else
		d = diag_report(p->diags, TJ0208, at, "'%.*s' cannot be read: %.*s", STR_ARG(path), STR_ARG(why));
	suggest_init(&s, p->arena, str_copy(p->arena, base));
	struct others others = { &s, path_base(by->path) };
	if (p->reader->list)
		p->reader->list(p->reader->context, p->arena, path_directory(path), add_candidate, &others);
	struct str help = suggest_or_list(&s, "files in this directory:");
	struct str whole = str_cat(p->arena, path, STR(".tj"), STR(""));
	if (!import->u.import.path && p->reader->exists && p->reader->exists(p->reader->context, whole))
		diag_help(p->diags, d, "did you mean '%.*s.tj'?", STR_ARG(import->u.import.file));
	else if (is_address(import->u.import.file))
		diag_help(p->diags, d, "modules are not downloaded: copy it into the project, and import it by "
			"its path");
	else if (str_is(why, "is a directory"))
		diag_help(p->diags, d, "import a file of it, as in 'import \"%.*s/FILE.tj\" as FILE'",
			STR_ARG(import->u.import.file));
	else if (is_values(import->u.import.file))
		diag_help(p->diags, d, "pass values with '--params %.*s'", STR_ARG(import->u.import.file));
	else if (help.n)
		diag_help(p->diags, d, "%.*s", STR_ARG(help));
}

static void report_no_policy(struct program *p, struct str path, struct str why, struct span at)
{
	struct diag *d = diag_report(p->diags, TJ0208, at, "no policy file '%.*s': %.*s", STR_ARG(path), STR_ARG(why));
	struct suggest s;
	struct others others = { &s, STR("project.tj") };

	suggest_init(&s, p->arena, str_copy(p->arena, path_base(path)));
	if (p->reader->list)
		p->reader->list(p->reader->context, p->arena, path_directory(path), add_candidate, &others);
	struct str help = suggest_sentence(&s);
	if (help.n)
		diag_help(p->diags, d, "%.*s", STR_ARG(help));
}

/* Does PATH lead out of the project by a symbolic link? */
static bool linked_away(struct program *p, struct str path)
{
	return p->reader->leaves && p->reader->leaves(p->reader->context, p->arena, p->project.root, path);
}

static void report_linked(struct program *p, struct str path, struct span at)
{
	struct diag *d = diag_report(p->diags, TJ0210, at, "'%.*s' is outside the project", STR_ARG(path));

	diag_label(p->diags, d, "it is a symbolic link, or lies behind one");
	diag_help(p->diags, d, "copy the file into the project");
}

static void report_outside(struct program *p, const struct node *import)
{
	struct diag *d = diag_report(p->diags, TJ0210, import->u.import.path_span, "'%.*s' is outside the project",
		STR_ARG(import->u.import.file));
	if (str_is(p->project.root, "."))
		diag_label(p->diags, d, "the project is the directory of '%.*s'",
			STR_ARG(p->root ? p->root->path : STR("project.tj")));
	else
		diag_label(p->diags, d, "the project is '%.*s'", STR_ARG(p->project.root));
	if (str_starts(import->u.import.file, STR("../")) && str_is(p->project.root, "."))
		diag_help(p->diags, d, "vendor it as a package, or make one project of both: put a file project.tj "
			"with 'project { }' in a directory above them");
	else
		diag_help(p->diags, d, "vendor it as a package");
}

/* ---- reading ---- */

static struct module *module_new(struct program *p, struct str key, struct module *by, const struct node *import)
{
	struct module *m = ARENA_NEW(p->arena, struct module);
	m->path = key;
	m->imported_by = by;
	m->state = READING;
	if (import)
		m->imported_at = import->span;
	map_put(&p->by_key, p->arena, key, m);
	return m;
}

/* Does the path have a component that begins with a dot, other than "." and ".."? */
static bool is_hidden(struct str path)
{
	for (size_t i = 0; i < path.n; i++) {
		bool begins = path.p[i] == '.' && (i == 0 || path.p[i - 1] == '/');
		size_t dots = i;
		while (begins && dots < path.n && path.p[dots] == '.' && dots - i < 2)
			dots++;
		if (begins && dots < path.n && path.p[dots] != '/')
			return true;
	}
	return false;
}

static struct module *imported(struct program *p, struct module *by, struct node *import);

/* In a larger program, looking up its words would cost more than reading all of the library's declarations. */
enum { PART_PROGRAM = 64 * 1024 };

/* Reads those declarations of a library module that the module BY mentions and that were not read yet. */
static void read_part(struct program *p, struct module *m, const struct module *by)
{
	if (!p->parts || !by || by->library || !by->source || by->source->text.n > PART_PROGRAM)
		library_part_want_all(m->part);
	else
		library_part_want(m->part, by->source->text);
	library_part_read(m->part, &m->file->u.file.decls);
}

static void parse_module(struct program *p, struct module *m, const struct library_tree *tree)
{
	if (!tree) {
		m->file = parse_source(p->arena, p->names, p->diags, m->source);
		return;
	}
	uint32_t base = m->source->base;
	m->file = node_new(p->arena, NODE_FILE, (struct span){ base, base + (uint32_t)m->source->text.n });
	m->file->u.file.doc = str_of(tree->doc);
	m->part = ARENA_NEW(p->arena, struct library_part);
	library_part_init(m->part, p->arena, p->names, tree, base);
	m->part->reader.later = p->parts;
	read_part(p, m, m->imported_by);
}

/* Parses the declarations that are added to the root file, M. */
static void parse_added(struct program *p, struct module *m)
{
	struct added *added = &p->added;
	if (!added->text.p)
		return;
	added->source = source_add(p->sources, added->name, added->text);
	if (!added->source || !added->declarations)
		return;
	struct source shown = *added->source;
	shown.text.n = added->declarations;
	struct node *file = parse_source(p->arena, p->names, p->diags, &shown);
	for (size_t i = 0; i < file->u.file.decls.n; i++)
		nodes_add(p->arena, &m->file->u.file.decls, file->u.file.decls.at[i]);
}

/*
 * Reads the module with the text TEXT and the modules that it imports. TREE is its tree if the build made one,
 * otherwise NULL.
 */
static void read_module(struct program *p, struct module *m, struct str shown, struct str text,
	const struct library_tree *tree)
{
	m->source = m->library ? source_add_kept(p->sources, shown, text) : source_add(p->sources, shown, text);
	if (!m->source) {
		diag_report(p->diags, TJ0001, m->imported_at, "'%.*s' is too large", STR_ARG(shown));
		m->file = node_new(p->arena, NODE_FILE, m->imported_at);
		m->state = READ;
		return;
	}
	m->source->library = m->library;
	size_t errors = p->diags->errors;
	parse_module(p, m, tree);
	if (m->root)
		parse_added(p, m);
	m->broken = p->diags->errors != errors;
	m->file->u.file.module = m;
	struct nodes decls = m->file->u.file.decls;
	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_IMPORT)
			decls.at[i]->u.import.module = imported(p, m, decls.at[i]);
	m->state = READ;
	ARENA_PUSH(p->arena, p->modules, p->n, m);
}

static bool too_deep(struct program *p, const struct module *by, const struct node *import)
{
	unsigned depth = 0;
	for (; by; by = by->imported_by)
		depth++;
	if (depth <= MODULE_DEPTH)
		return false;
	struct diag *d = diag_report(p->diags, TJ0407, import->span, "imports are nested more than %d deep",
		MODULE_DEPTH);
	diag_help(p->diags, d, "import them all from one file, instead of each from the one before");
	return true;
}

/* Returns a module that has been read; false if it still must be read. */
static bool known(struct program *p, struct str key, struct module *by, struct node *import, struct module **ret)
{
	struct module *m = map_get(&p->by_key, key);
	if (!m)
		return false;
	*ret = m;
	if (m->state == READING && by) {
		report_cycle(p, m, by, import);
		*ret = NULL;
	}
	return true;
}

static struct module *load_library(struct program *p, struct module *by, struct node *import)
{
	struct module *m;
	struct str name = import->u.import.depth == 2 ? import->u.import.path[1] : STR("");
	struct str text = name.n ? stdlib_text(name) : (struct str){ 0 };
	if (!text.p) {
		report_no_module(p, import);
		name = suggest_module(p, import);       /* continue with the module that was certainly meant */
		text = name.n ? stdlib_text(name) : text;
	}
	if (!text.p) {
		if (by)
			by->lost = true;                /* the name that the import would have bound is unknown */
		return NULL;
	}
	struct str key = str_printf(p->arena, "std.%.*s", STR_ARG(name));
	if (known(p, key, by, import, &m)) {
		if (m && m->part && by)
			read_part(p, m, by);
		return m;
	}
	m = module_new(p, key, by, import);
	m->dotted = key;
	m->library = true;
	read_module(p, m, str_printf(p->arena, "std/%.*s.tj", STR_ARG(name)), text, library_tree_find(name));
	return m;
}

/* The text of a program, of at most MODULE_LARGEST bytes. */
static bool read_program_text(struct program *p, struct str path, struct str *ret, struct str *why)
{
	return reader_text(p->reader, p->arena, path, MODULE_LARGEST, ret, why);
}

static struct module *load_file(struct program *p, struct str path, bool package, struct module *by,
	struct node *import)
{
	struct module *m;
	struct str text, why;
	if (known(p, path, by, import, &m))
		return m;
	if (linked_away(p, path)) {
		report_linked(p, import->u.import.path ? path : import->u.import.file, import->u.import.path_span);
		return NULL;
	}
	if (!read_program_text(p, path, &text, &why)) {
		report_no_file(p, import, path, why, by);
		return NULL;
	}
	m = module_new(p, path, by, import);
	m->package = package;
	read_module(p, m, path, text, NULL);
	return m;
}

static struct module *load_package(struct program *p, struct module *by, struct node *import)
{
	struct str *path = import->u.import.path;
	const struct str *directory = map_get(&p->project.packages, path[0]);
	if (!directory) {
		report_no_package(p, by, import);
		by->lost = by->lost || behind_std(path[0]).n;
		return NULL;
	}
	if (!directory->p)
		return NULL;
	struct str file = path_join(p->arena, p->project.root, *directory), dotted = path[0];
	for (size_t i = 1; i < import->u.import.depth; i++) {
		file = path_join(p->arena, file, path[i]);
		dotted = str_printf(p->arena, "%.*s.%.*s", STR_ARG(dotted), STR_ARG(path[i]));
	}
	if (import->u.import.depth == 1)
		file = path_join(p->arena, file, path[0]);
	struct module *m = load_file(p, str_printf(p->arena, "%.*s.tj", STR_ARG(file)), true, by, import);
	if (m) {
		m->package = true;
		m->dotted = dotted;
	}
	return m;
}

static struct module *imported(struct program *p, struct module *by, struct node *import)
{
	if (too_deep(p, by, import))
		return NULL;
	if (import->u.import.path)
		return str_is(import->u.import.path[0], "std") ? load_library(p, by, import)
			: load_package(p, by, import);
	struct str file = import->u.import.file;
	struct str path = path_join(p->arena, path_directory(by->path), file);
	if (by->library || !file.n || file.p[0] == '/' || !path_inside(p->project.root, path)) {
		report_outside(p, import);
		return NULL;
	}
	if (by->package && is_hidden(file)) {
		struct diag *d = diag_report(p->diags, TJ0210, import->u.import.path_span, "'%.*s' is hidden",
			STR_ARG(file));
		diag_help(p->diags, d, "the lock of a package does not cover names that begin with a dot: rename it");
		return NULL;
	}
	return load_file(p, path, by->package, by, import);
}

struct module *module_policy(struct program *p, struct str path, struct span at)
{
	struct module *m = map_get(&p->by_key, path);
	struct str text, why;
	if (!m && (!path_inside(p->project.root, path) || linked_away(p, path))) {
		report_linked(p, path, at);
		return NULL;
	}
	if (!m && !read_program_text(p, path, &text, &why)) {
		report_no_policy(p, path, why, at);
		return NULL;
	}
	if (!m && p->root && str_eq(path_base(path), path_base(p->root->path)) && str_eq(text, p->root->source->text))
		/* the root file under another path, which leads up from the working directory and down again */
		m = p->root;
	if (!m) {
		m = module_new(p, path, p->project.module, NULL);
		m->imported_at = at;
		read_module(p, m, path, text, NULL);
	}
	m->policy = true;
	return m;
}

/*
 * Reads what the defaults of the project import. The root file is read first, since the defaults
 * may import it too.
 */
static void read_project_imports(struct program *p)
{
	struct module *m = p->project.module;
	for (size_t i = 0; m && i < m->file->u.file.decls.n; i++) {
		struct node *n = m->file->u.file.decls.at[i];
		if (n->kind == NODE_IMPORT && !n->u.import.module)
			n->u.import.module = imported(p, m, n);
	}
}

bool program_is_setting(struct str path)
{
	const char *equals = memchr(path.p, '=', path.n);

	return equals && equals > path.p && !memchr(path.p, '/', (size_t)(equals - path.p)) &&
		!memchr(path.p, '.', (size_t)(equals - path.p));
}

/* Adds help that names the program next to PATH with nearly the same name. */
static void help_near_file(struct program *p, struct diag *d, struct str path)
{
	struct wanted_file w = { .name = str_cat(p->arena, path_base(path), STR(".tj"), STR("")) };

	if (p->reader->list)
		p->reader->list(p->reader->context, p->arena, path_directory(path), compare_file, &w);
	if (w.found) {
		diag_help(p->diags, d, "did you mean '%.*s.tj'?", STR_ARG(path));
		return;
	}
	struct str help = near_file(p->reader, p->arena, path, ".tj");
	if (help.n)
		diag_help(p->diags, d, "%.*s", STR_ARG(help));
}

/* Adds help that lists the programs in the directory PATH. */
static void help_inside(struct program *p, struct diag *d, struct str path)
{
	struct suggest s;
	struct others others = { &s, STR("project.tj") };

	suggest_init(&s, p->arena, STR(""));
	if (p->reader->list)
		p->reader->list(p->reader->context, p->arena, path, add_candidate, &others);
	struct str help = suggest_all(&s, "name a program in it:");
	if (help.n)
		diag_help(p->diags, d, "%.*s", STR_ARG(help));
}

bool module_load(struct program *p, struct str path)
{
	struct str text, why;
	bool standard_input = str_is(path, "-"), none = !path.p;
	if (none)
		text = STR("");
	else if (!read_program_text(p, path, &text, &why)) {
		struct str what = standard_input ? STR("standard input")
			: str_printf(p->arena, "'%.*s'", STR_ARG(path));
		bool missing = !standard_input && str_is(why, "no such file"),
			directory = !standard_input && str_is(why, "is a directory");
		struct diag *d = diag_report(p->diags, TJ0001, (struct span){ 0 },
			directory ? "%.*s %.*s" : "%.*s cannot be read: %.*s", STR_ARG(what), STR_ARG(why));
		if (directory)
			help_inside(p, d, path);
		else if (missing && program_is_setting(path))
			diag_help(p->diags, d, "a parameter of the program is set with --set %.*s", STR_ARG(path));
		else if (missing)
			help_near_file(p, d, path);
		return false;
	}
	struct str name = standard_input ? STR("<stdin>") : none ? STR("<none>") : path_join(p->arena, STR("."), path);
	project_find(p, standard_input || none ? STR(".") : path_directory(name), name);
	p->root = module_new(p, name, NULL, NULL);
	p->root->root = true;
	read_module(p, p->root, name, text, NULL);
	read_project_imports(p);
	if (str_is(path_base(name), "project.tj") && !p->project.module)
		p->project.module = p->root;
	project_policies(p);
	return true;
}
