#include "check/project.h"

#include "base/path.h"
#include "check/package.h"
#include "syntax/parse.h"

enum { LEVELS_UP = 16 };

/* The next value of `field = ...` or `field { ... }` in the project's body, from item *at on; NULL behind the last. */
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
		if (path.n && path.p[0] == '/' ? true : !path_inside(p->project.root, directory)) {
			struct diag *d = diag_report(p->diags, TJ0210, item->u.item.value->span, "'%.*s' is outside the project", STR_ARG(path));
			diag_help(p->diags, d, "packages are directories inside the project");
			path = (struct str){ 0 };       /* imports of it are silent */
		}
		struct str *kept = ARENA_NEW(p->arena, struct str);
		*kept = path;
		map_put(&p->project.packages, p->arena, item->u.item.key.text, kept);
		if (path.p && !p->locking)
			package_verify(p, item->u.item.key.text, directory, item->u.item.key.span);
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
	size_t at = 0;
	for (struct node *body = next_value(p, "packages", &at); body; body = next_value(p, "packages", &at))
		read_packages(p, body);
}

static struct str up(struct program *p, struct str directory)
{
	return path_join(p->arena, directory, STR(".."));
}

/* The text of the nearest project.tj. */
static bool find_text(struct program *p, struct str directory, struct str *ret_path, struct str *ret_text)
{
	struct str why;
	for (int i = 0; i < LEVELS_UP; i++) {
		struct str path = path_join(p->arena, directory, STR("project.tj"));
		bool look = !p->reader->exists || p->reader->exists(p->reader->context, path);
		if (look && p->reader->read(p->reader->context, p->arena, path, ret_text, &why)) {
			p->project.root = directory;
			*ret_path = path;
			return true;
		}
		if (str_is(directory, "/"))
			return false;
		directory = up(p, directory);
	}
	return false;
}

void project_find(struct program *p, struct str directory, struct str root)
{
	struct str text, path;
	p->project = (struct project){ .root = directory, .kubernetes = STR("1.34"), .target = STR("jobs"), .hosts = STR("subdomain") };
	if (!find_text(p, directory, &path, &text) || str_eq(path, root))
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
		if (m)
			ARENA_PUSH(p->arena, project->policies, project->npolicies, m);
	}
}
