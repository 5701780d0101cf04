/* project.c - reads project.tj before anything else is read. */
#include "check/project.h"

#include "base/path.h"
#include "check/check_schema.h"
#include "check/package.h"
#include "syntax/parse.h"

/* The next value of `field = ...` or `field { ... }` in the project's body, from item *AT on; NULL after the last. */
static struct node *next_value(const struct program *p, const char *name, size_t *at)
{
	const struct node *body = p->project.body;
	while (body && *at < body->u.body.items.n) {
		struct node *item = body->u.body.items.at[(*at)++];
		if ((item->kind == NODE_SET || item->kind == NODE_EXTEND) && str_is(item->u.item.key.text, name))
			return item->u.item.value;
	}
	return NULL;
}

static struct node *field_value(const struct program *p, const char *name)
{
	size_t at = 0;
	return next_value(p, name, &at);
}

static bool text_field(const struct program *p, const char *name, struct str *ret, struct span *ret_at)
{
	const struct node *value = field_value(p, name);
	if (!value || value->kind != NODE_STRING || !node_static_text(value, ret))
		return false;
	if (ret_at)
		*ret_at = value->span;
	return true;
}

static void read_packages(struct program *p, const struct node *body)
{
	for (size_t i = 0; body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		struct node *item = body->u.body.items.at[i];
		struct str path;
		if (item->kind != NODE_SET || !item->u.item.key.text.p || !node_static_text(item->u.item.value, &path))
			continue;
		struct str directory = path_join(p->arena, p->project.root, path);
		bool address = path.n && (memmem(path.p, path.n, "://", 3) || str_starts(path, STR("git@")));
		if (address || (path.n && path.p[0] == '/') || !project_holds(p, directory)) {
			struct diag *d = diag_report(p->diags, TJ0210, item->u.item.value->span,
				"'%.*s' is outside the project", STR_ARG(path));
			diag_help(p->diags, d, "packages are directories inside the project%s", address ?
				": copy it there, or make it a git submodule" : "");
			path = (struct str){ 0 };       /* marks it as refused, so that imports of the package are not
							 * reported as well */
		}
		struct str *kept = ARENA_NEW(p->arena, struct str);
		*kept = path;
		map_put(&p->project.packages, p->arena, item->u.item.key.text, kept);
		if (path.p && !p->locking)
			package_verify(p, item->u.item.key.text, directory, item->u.item.key.span);
	}
}

static void read_topology(struct program *p)
{
	const struct node *list = field_value(p, "topology");

	for (size_t i = 0; list && list->kind == NODE_LIST && i < list->u.list.n; i++) {
		struct project_level level = { .at = list->u.list.at[i]->span };
		if (list->u.list.at[i]->kind == NODE_STRING && node_static_text(list->u.list.at[i], &level.key))
			ARENA_PUSH(p->arena, p->project.levels, p->project.nlevels, level);
	}
}

static void add_site(struct program *p, const struct node *n)
{
	struct project_site s = { .at = n->span };

	if (n->kind == NODE_STRING && node_static_text(n, &s.name))
		ARENA_PUSH(p->arena, p->project.sites, p->project.nsites, s);
}

static void read_sites(struct program *p)
{
	const struct node *value = field_value(p, "nodes");

	p->project.chooses_sites = value != NULL;
	if (value && value->kind != NODE_LIST)
		add_site(p, value);
	for (size_t i = 0; value && value->kind == NODE_LIST && i < value->u.list.n; i++)
		add_site(p, value->u.list.at[i]);
}

static void read_addons(struct program *p, const struct node *body)
{
	for (size_t i = 0; body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		struct project_addon a = { 0 };
		if (item->kind != NODE_SET || !item->u.item.key.text.p || item->u.item.value->kind != NODE_STRING ||
			!node_static_text(item->u.item.value, &a.version))
			continue;
		a.name = item->u.item.key.text;
		a.at = item->u.item.value->span;
		ARENA_PUSH(p->arena, p->project.addons, p->project.naddons, a);
	}
}

static void report_second(struct program *p, const struct node *second, const struct node *first)
{
	struct diag *d = diag_report(p->diags, TJ0204, second->span, "'project' is already declared in this file");
	diag_note(p->diags, d, first->span, "first declared here");
	diag_help(p->diags, d, "put everything into one block");
}

static void read_fields(struct program *p)
{
	struct project *project = &p->project;
	struct nodes decls = project->module->file->u.file.decls;
	for (size_t i = 0; i < decls.n; i++) {
		if (decls.at[i]->kind != NODE_PROJECT)
			continue;
		if (project->body)
			report_second(p, decls.at[i], project->body);
		else
			project->body = decls.at[i]->u.titled.body;
	}
	text_field(p, "kubernetes", &project->kubernetes, &project->kubernetes_at);
	text_field(p, "target", &project->target, &project->target_at);
	text_field(p, "hosts", &project->hosts, NULL);
	text_field(p, "domain", &project->domain, NULL);
	project->nlevels = project->naddons = project->nsites = 0;
	if (project->body) {
		read_topology(p);
		read_sites(p);
	}
	const struct node *raw = project->body ? field_value(p, "raw") : NULL;
	project->no_raw = raw && raw->kind == NODE_BOOL && !raw->u.boolean;
	const struct node *code = project->body ? field_value(p, "code") : NULL;
	project->no_code = code && code->kind == NODE_BOOL && !code->u.boolean;
	size_t at = 0;
	struct node *defaults = next_value(p, "defaults", &at);
	project->defaults = defaults && defaults->kind == NODE_BODY ? defaults : NULL;
	at = 0;
	for (struct node *body = next_value(p, "addons", &at); body; body = next_value(p, "addons", &at))
		read_addons(p, body);
	at = 0;
	for (struct node *body = next_value(p, "packages", &at); body; body = next_value(p, "packages", &at))
		read_packages(p, body);
}

/* The number of directories from DIRECTORY up to the root, if the reader knows it. */
static unsigned levels(struct arena *a, const struct reader *reader, struct str directory)
{
	enum { LEVELS_WITHOUT = 16 };
	struct str real;
	unsigned n = 1;

	if (!reader->real || !reader->real(reader->context, a, directory, &real))
		return LEVELS_WITHOUT;
	for (size_t i = 0; i < real.n; i++)
		n += real.p[i] == '/';
	return n;
}

static bool is_there(struct arena *a, const struct reader *reader, struct str path)
{
	struct str text, why;

	return reader->exists ? reader->exists(reader->context, path)
		: reader->read(reader->context, a, path, &text, &why);
}

bool project_directory(struct arena *a, const struct reader *reader, struct str directory, struct str *ret)
{
	for (unsigned left = levels(a, reader, directory); left;
	    left--, directory = path_join(a, directory, STR(".."))) {
		*ret = directory;
		if (is_there(a, reader, path_join(a, directory, STR("project.tj"))))
			return true;
	}
	return false;
}

bool project_holds(const struct program *p, struct str path)
{
	const struct reader *reader = p->reader;
	struct str root, real;

	if (!path_inside(p->project.root, path))
		return false;
	if (!reader->real || !reader->real(reader->context, p->arena, path, &real) ||
		!reader->real(reader->context, p->arena, p->project.root, &root))
		return true;            /* a file that cannot be found is reported where it is read */
	return path_inside(root, real);
}

/*
 * Reads the nearest project.tj. A file that exists and cannot be read is an error, since its policies may forbid the
 * program.
 */
static bool find_text(struct program *p, struct str directory, struct str root, struct str *ret_path,
	struct str *ret_text)
{
	struct str why;

	if (!project_directory(p->arena, p->reader, directory, &directory))
		return false;
	p->project.root = directory;
	*ret_path = path_join(p->arena, directory, STR("project.tj"));
	if (str_eq(*ret_path, root))
		return false;           /* project.tj itself is being compiled */
	if (reader_text(p->reader, p->arena, *ret_path, PROJECT_LARGEST, ret_text, &why))
		return true;
	struct diag *d = diag_report(p->diags, TJ0001, (struct span){ 0, 0 }, "'%.*s' cannot be read: %.*s",
		STR_ARG(*ret_path), STR_ARG(why));
	diag_help(p->diags, d, "it holds the project's policies and packages: make it readable, or move it away");
	return false;
}

/* The vocabulary's default for a field that the project does not set. */
static struct str fallback(enum field_id id) { return str_of(schema_field(id)->fallback); }

void project_find(struct program *p, struct str directory, struct str root)
{
	struct str text, path;
	p->project = (struct project){ .root = directory, .kubernetes = fallback(FIELD_KUBERNETES),
		.target = fallback(FIELD_TARGET), .hosts = fallback(FIELD_HOSTS) };
	if (!find_text(p, directory, root, &path, &text))
		return;
	struct module *m = ARENA_NEW(p->arena, struct module);
	m->path = path;
	m->source = source_add(p->sources, path, text);
	if (!m->source)
		return;
	m->file = parse_source(p->arena, p->names, p->diags, m->source);
	m->file->u.file.module = m;
	p->project.module = m;
	read_fields(p);
}

/* an item that did not parse may be a policy */
static bool holds_policy(const struct module *m)
{
	struct nodes decls = m->file->u.file.decls;
	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_POLICY || decls.at[i]->kind == NODE_BAD)
			return true;
	return m->broken;
}

void project_policies(struct program *p)
{
	struct project *project = &p->project;
	if (project->module == p->root && project->module)
		read_fields(p);
	const struct node *list = project->body ? field_value(p, "policies") : NULL;
	for (size_t i = 0; list && list->kind == NODE_LIST && i < list->u.list.n; i++) {
		struct str path;
		const struct node *n = list->u.list.at[i];
		if (n->kind != NODE_STRING || !node_static_text(n, &path))
			continue;
		struct module *m = module_policy(p, path_join(p->arena, project->root, path), n->span);
		if (m && !holds_policy(m)) {
			struct diag *d = diag_report(p->diags, TJ0208, n->span, "'%.*s' has no policy", STR_ARG(path));
			diag_help(p->diags, d, "write one in it: policy \"title\" { check CONDITION else \"message\" "
				"}; or remove it from 'policies'");
		} else if (m) {
			ARENA_PUSH(p->arena, project->policies, project->npolicies, m);
		}
	}
}
