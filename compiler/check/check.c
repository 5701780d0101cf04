/*
 * check.c - checks the files of a program in order. All files are declared before any is checked. Only those
 * declarations of the standard library are checked that the program mentions, because others cannot affect it; each
 * mention adds to a queue. A function of the library is checked when it is first called.
 */
#include "check/context.h"

enum { UNSEEN, RUNNING, DONE };

/* ---- built-in values ---- */

static struct str add_builtin(struct check *c, const char *word, const struct type *t)
{
	struct str name = names_intern(c->names, str_of(word));
	struct decl *d = decl_new(c, DECL_BUILTIN, name, (struct span){ 0 }, NULL);
	d->type = t;
	d->state = DONE;
	map_put(&c->builtins, c->arena, name, d);
	return name;
}

static void check_init(struct check *c, struct program *p)
{
	*c = (struct check){ .program = p, .arena = p->arena, .names = p->names, .diags = p->diags };
	c->types = (struct schema_types){ .arena = p->arena, .names = p->names };
	c->site = NO_SITE;
	c->bad = decl_new(c, DECL_BAD, STR(""), (struct span){ 0 }, NULL);
	c->words.self = add_builtin(c, "self", &type_role);
	c->words.cluster = add_builtin(c, "cluster", &type_cluster);
	c->words.pod = add_builtin(c, "pod", &type_pod_facts);
	c->words.roles = add_builtin(c, "roles", &type_roles);
}

/* ---- one file ---- */

static void check_node(struct check *c, struct module *m, struct node *n)
{
	bool root = m->root;
	c->at = (struct where){ .module = m };
	switch (n->kind) {
	case NODE_IMPORT: check_import(c, n); break;
	case NODE_PARAM: case NODE_LET: check_decl(c, n->u.binding.decl); break;
	case NODE_FN: check_decl(c, n->u.fn.decl); break;
	case NODE_TYPE: check_decl(c, n->u.type_decl.decl); break;
	case NODE_FRAMEWORK: case NODE_ACCELERATOR: check_decl(c, n->u.blueprint_decl.decl); break;
	case NODE_CHECK: check_check(c, n); break;
	case NODE_JOB:
		if (root)
			check_job(c, n);
		break;
	case NODE_PROFILE:
		if (root)
			check_profile(c, n);
		break;
	case NODE_POLICY:
		if (m->policy)
			check_policy(c, n);
		break;
	case NODE_PROJECT:
		if (m == c->program->project.module)
			check_project(c, n);
		break;
	default: break;
	}
}

static void check_module(struct check *c, struct module *m)
{
	struct nodes decls = m->file->u.file.decls;
	for (size_t i = 0; i < decls.n; i++)
		check_node(c, m, decls.at[i]);
	for (size_t i = 0; m->root && i < decls.n; i++)         /* tests come after all jobs, because they refer to
								 * roles of jobs */
		if (decls.at[i]->kind == NODE_TEST) {
			c->at = (struct where){ .module = m };
			check_test(c, decls.at[i]);
		}
}

/* ---- functions that call themselves (TJ0406) ---- */

struct module_path {
	struct decl **at;
	struct span *sites;
	size_t n, m;
};

enum { LONGEST_CHAIN = 12 };            /* maximum number of names in a message */

static void report_recursion(struct check *c, const struct module_path *path, size_t start, struct span site)
{
	struct decl *first = path->at[start];
	struct str chain = first->name;
	for (size_t i = start + 1; i < path->n && i < start + LONGEST_CHAIN; i++)
		chain = str_printf(c->arena, "%.*s → %.*s", STR_ARG(chain), STR_ARG(path->at[i]->name));
	if (path->n > start + LONGEST_CHAIN)
		chain = str_printf(c->arena, "%.*s → ...", STR_ARG(chain));
	chain = str_printf(c->arena, "%.*s → %.*s", STR_ARG(chain), STR_ARG(first->name));
	struct span at = start + 1 < path->n ? path->sites[start + 1] : site;
	struct diag *d = diag_report(c->diags, TJ0406, at, "'%.*s' calls itself: %.*s", STR_ARG(first->name),
		STR_ARG(chain));
	diag_note(c->diags, d, first->span, "declared here");
	for (size_t i = start + 2; i < path->n && i < start + LONGEST_CHAIN; i++)
		diag_note(c->diags, d, path->sites[i], "'%.*s' calls '%.*s'", STR_ARG(path->at[i - 1]->name),
			STR_ARG(path->at[i]->name));
	if (start + 1 < path->n)
		diag_note(c->diags, d, site, "'%.*s' calls '%.*s'", STR_ARG(path->at[path->n - 1]->name),
			STR_ARG(first->name));
	diag_help(c->diags, d, "use a list and a loop");
	for (size_t i = start; i < path->n; i++)        /* marks them bad, because evaluating them would never end */
		mark_bad(path->at[i]->node->u.fn.value);
}

enum { CALLS_UNSEEN, CALLS_RUNNING, CALLS_DONE };

struct visit {
	struct decl *fn;
	size_t next;
};

/* Follows the calls of a function, depth first with an explicit stack: a chain of calls may be as long as the file. */
static void follow_calls(struct check *c, struct decl *first)
{
	struct module_path path = { 0 };
	struct visit *stack = NULL;
	size_t n = 0;
	ARENA_PUSH(c->arena, stack, n, ((struct visit){ first, 0 }));
	ARENA_PUSH(c->arena, path.at, path.n, first);
	ARENA_PUSH(c->arena, path.sites, path.m, first->span);
	first->visit = CALLS_RUNNING;
	while (n) {
		struct visit *v = &stack[n - 1];
		if (v->next == v->fn->ncalls) {
			v->fn->visit = CALLS_DONE;
			n--;
			path.n--;
			path.m--;
			continue;
		}
		struct decl *target = v->fn->calls[v->next];
		struct span site = v->fn->call_sites[v->next++];
		if (target->visit == CALLS_UNSEEN) {
			target->visit = CALLS_RUNNING;
			ARENA_PUSH(c->arena, stack, n, ((struct visit){ target, 0 }));
			ARENA_PUSH(c->arena, path.at, path.n, target);
			ARENA_PUSH(c->arena, path.sites, path.m, site);
		} else if (target->visit == CALLS_RUNNING) {
			size_t start = 0;
			while (path.at[start] != target)
				start++;
			report_recursion(c, &path, start, site);
		}
	}
}

static void check_recursion(struct check *c)
{
	for (size_t i = 0; i < c->nfunctions; i++)
		if (c->functions[i]->visit == CALLS_UNSEEN)
			follow_calls(c, c->functions[i]);
}

/* ---- entry point ---- */

static void declare_all(struct check *c)
{
	struct program *p = c->program;
	struct module *project = p->project.module;
	for (size_t i = 0; i < p->n; i++) {
		names_declare(c, p->modules[i], 0);
		if (p->modules[i] == project)
			project = NULL;
	}
	if (project)
		names_declare(c, project, 0);
}

/* Checks the declarations that were postponed: those of the library that are used, then record types without a name. */
static void check_queued(struct check *c)
{
	for (size_t done = 0; c->queue_done < c->nqueue || done < c->nunnamed;)
		check_decl(c, c->queue_done < c->nqueue ? c->queue[c->queue_done++] : c->unnamed[done++]);
}

void check_program(struct program *p)
{
	struct check *c = p->check = ARENA_NEW(p->arena, struct check);
	struct module *project = p->project.module;
	size_t errors = p->diags->errors;
	check_init(c, p);
	declare_all(c);
	for (size_t i = 0; i < p->n; i++)
		if (!p->modules[i]->library)
			check_module(c, p->modules[i]);
	if (project && project != p->root)
		check_module(c, project);
	check_queued(c);
	check_module_params(c);
	check_recursion(c);
	check_early(c);
	p->check_failed = p->diags->errors != errors;
}

struct node *check_function_value(struct program *p, struct decl *fn)
{
	struct node *n = fn->node;
	if (!n->u.fn.later)
		return n->u.fn.value;
	size_t known = fn->module->file->u.file.decls.n;
	library_part_value(fn->module->part, n);
	library_part_read(fn->module->part, &fn->module->file->u.file.decls);
	names_declare(p->check, fn->module, known);
	check_decl(p->check, fn);
	check_queued(p->check);
	return n->u.fn.value;
}

bool check_value(struct program *p, struct node *expr, const struct type *want)
{
	struct check c;
	size_t errors = p->diags->errors + p->diags->muted_errors;
	check_init(&c, p);
	c.at.module = p->root;
	check_expr(&c, expr, want, NO_SITE);
	check_queued(&c);
	return p->diags->errors + p->diags->muted_errors == errors;
}

bool check_question(struct program *p, struct node *expr)
{
	struct check c;
	size_t errors = p->diags->errors;
	check_init(&c, p);
	c.at.module = p->root;
	scope_enter(&c, SCOPE_TEST, NULL);
	const struct type *t = type_expr(&c, expr, NULL), *unit = t->kind == TYPE_UNIT ? obvious_unit(&c, expr) : NULL;
	if (unit)
		check_expr(&c, expr, unit, NO_SITE);
	else if (t->kind == TYPE_UNIT)
		report_unit(&c, expr);
	check_queued(&c);
	return p->diags->errors == errors;
}
