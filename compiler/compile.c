/*
 * compile.c - runs the phases of the compiler in order.
 */
#include "compile.h"

#include <stdlib.h>

#include "base/path.h"
#include "check/check.h"
#include "check/check_schema.h"
#include "emit/emit.h"
#include "kube/kube_version.h"
#include "kube/limits.h"
#include "kube/schema_text.h"
#include "lower/lower.h"

/* memory that a program of a few lines needs, with the declarations of the library that it uses */
enum { USUAL_MEMORY = 128 * 1024 };

void compile_init(struct trainc *c, const struct reader *reader)
{
	*c = (struct trainc){ .arena.first = USUAL_MEMORY };
	c->names.arena = &c->arena;
	c->sources.arena = &c->arena;
	c->diags.arena = &c->arena;
	c->diags.sources = &c->sources;
	c->program = (struct program){ .arena = &c->arena, .names = &c->names, .diags = &c->diags,
		.sources = &c->sources, .reader = reader };
}

void compile_release(struct trainc *c)
{
	eval_release(&c->eval);
	arena_release(&c->arena);
}

/*
 * Returns the '=' after the name in ASSIGNMENT, skipping '=' in quoted keys of the name; NULL if ASSIGNMENT contains no
 * such '='.
 */
static const char *find_equals(struct str assignment)
{
	bool quoted = false;

	for (size_t i = 0; i < assignment.n; i++) {
		quoted ^= assignment.p[i] == '"';
		if (assignment.p[i] == '=' && !quoted)
			return assignment.p + i;
	}
	return memchr(assignment.p, '=', assignment.n);
}

bool compile_set(struct trainc *c, struct str assignment)
{
	const char *equals = find_equals(assignment);
	size_t end = equals ? (size_t)(equals - assignment.p) : 0, name = 0, value = end + 1;
	while (name < end && assignment.p[name] == ' ')
		name++;
	/* spaces around '=' are skipped, as in --set 'nodes = 4' */
	if (name < end && assignment.p[end - 1] == ' ') {
		while (assignment.p[end - 1] == ' ')
			end--;
		while (value < assignment.n && assignment.p[value] == ' ')
			value++;
	}
	if (name == end)
		return false;
	size_t wrong = str_malformed(assignment);
	if (wrong < assignment.n) {
		struct source *text = source_add(&c->sources, STR("command line"), assignment);
		struct span at = { text ? text->base + (uint32_t)wrong : 0,
			text ? text->base + (uint32_t)wrong + 1 : 0 };
		diag_report(&c->diags, TJ0403, at, "this is not UTF-8");
		return true;
	}
	struct source *s = source_add(&c->sources, STR("command line"), assignment);
	struct setting setting = { .source = s, .offset = (uint32_t)value };
	setting.name = names_intern(&c->names, (struct str){ s->text.p + name, end - name });
	setting.text = (struct str){ s->text.p + value, s->text.n - value };
	ARENA_PUSH(&c->arena, c->settings.set, c->settings.nset, setting);
	return true;
}

/* Warns about a file without declarations: it compiles to nothing, and a pipe into kubectl would hide this. */
static void warn_empty(struct trainc *c)
{
	const struct module *root = c->program.root;

	if (root->file->u.file.decls.n || root->broken || c->program.added.text.p || c->program.project.module == root)
		return;
	struct span at = { root->source->base, root->source->base };
	struct diag *d = diag_report(&c->diags, TJ0822, at,
		"this program declares nothing, so it would run nothing");
	diag_help(&c->diags, d, "a program has at least one job: job \"name\" { ... }, see 'trainc explain job'");
}

void compile_front(struct trainc *c, struct str path)
{
	c->diags.deny_warnings = c->options.deny_warnings;
	c->program.parts = c->options.parts;
	if (!module_load(&c->program, path))
		return;
	if (c->options.kubernetes.p)
		c->program.project.kubernetes = c->options.kubernetes;
	if (c->options.target.p)
		c->program.project.target = c->options.target;
	check_program(&c->program);
	warn_empty(c);
}

/* ---- jobs ---- */

struct job_list {                       /* the jobs with their loop variables, in file order */
	struct node **node;
	struct frame **frame;
	size_t n, m;
};

static void add_job(struct trainc *c, struct job_list *jobs, struct node *node, struct frame *frame)
{
	ARENA_PUSH(&c->arena, jobs->node, jobs->n, node);
	ARENA_PUSH(&c->arena, jobs->frame, jobs->m, frame);
}

/* Is the sweep's condition met for this pass? Errors in it are reported. */
static bool is_pass_wanted(struct eval *ev, struct frame *f, struct node *filter)
{
	const struct value *v = filter ? eval_expr(ev, f, filter) : NULL;
	return !v || (v->kind == VALUE_BOOL && v->u.boolean);
}

static void bind_element(struct eval *ev, struct frame *f, const struct clause *clause, const struct value *list,
	size_t i)
{
	const struct map *map = list->kind == VALUE_MAP ? &list->u.map.index : NULL;
	const struct value *key = map ? value_string(ev->arena, map->entries[i].key, list->from)
		: value_int(ev->arena, (int64_t)i, list->from);
	const struct value *element = map ? ((const struct value_entry *)map->entries[i].value)->value
		: list->u.list.at[i];
	if (clause->nbinders == 2)
		frame_bind_pass(ev, f, clause->binders[0].decl, key);
	else if (map)
		element = key;
	frame_bind_pass(ev, f, clause->binders[clause->nbinders - 1].decl, element);
}

/*
 * Adds the jobs of a fleet. Each clause is a loop, and the first clause is the outermost loop. Each pass of the
 * innermost loop adds a job, unless the filter excludes it. K is the current clause.
 */
static void add_clause(struct trainc *c, struct job_list *jobs, struct node *node, struct frame *outer, size_t k)
{
	struct eval *ev = &c->eval;
	struct clause first = { { node->u.job.binders[0], node->u.job.binders[1] }, node->u.job.nbinders,
		node->u.job.list };
	const struct clause *clause = k ? &node->u.job.more[k - 1] : &first;
	const struct value *list = eval_expr(ev, outer, clause->list);
	size_t n = list->kind == VALUE_LIST ? list->u.list.n : list->kind == VALUE_MAP ? list->u.map.index.n : 0;
	for (size_t i = 0; i < n && !ev->exhausted && jobs->n < EVAL_LIST; i++) {
		struct frame *f = frame_new(ev, outer);
		bind_element(ev, f, clause, list, i);
		if (k < node->u.job.nmore)
			add_clause(c, jobs, node, f, k + 1);
		else if (is_pass_wanted(ev, f, node->u.job.filter))
			add_job(c, jobs, node, f);
	}
}

static void add_fleet(struct trainc *c, struct job_list *jobs, struct node *node)
{
	add_clause(c, jobs, node, NULL, 0);
}

static void report_same_name(struct trainc *c, const struct plan_job *a, const struct plan_job *b)
{
	struct diag *d = diag_report(&c->diags, TJ0812, b->name_at,
		"'%.*s' is the name of two jobs with these parameters", STR_ARG(b->name));
	if (a->name_at.start == b->name_at.start) {
		diag_help(&c->diags, d, "use the loop variable in the job's name");
		return;
	}
	diag_note(&c->diags, d, a->name_at, "the other one");
	diag_help(&c->diags, d, "give each job its own name");
}

static void check_job_names(struct trainc *c)
{
	struct map seen = { 0 };
	for (size_t i = 0; i < c->plan.njobs; i++) {
		struct plan_job *j = &c->plan.jobs[i];
		const struct plan_job *other = j->name.n ? map_get(&seen, j->name) : NULL;
		if (other)
			report_same_name(c, other, j);
		else
			map_put(&seen, &c->arena, j->name, j);
	}
}

static void drop_other_jobs(struct trainc *c)
{
	struct str name = c->options.job.name.p ? c->options.job.name : c->options.job.only;
	size_t kept = 0;
	for (size_t i = 0; i < c->plan.njobs; i++)
		if (str_eq(c->plan.jobs[i].name, name))
			c->plan.jobs[kept++] = c->plan.jobs[i];
	c->plan.njobs = kept;
}

/* Refuses a program with too many jobs before its objects are built: each job has at least one object. */
static bool few_enough_jobs(struct trainc *c, const struct job_list *jobs)
{
	if (jobs->n <= LIMIT_OBJECTS || c->options.job.only.p)
		return true;
	struct diag *d = diag_report(&c->diags, TJ0407, jobs->node[LIMIT_OBJECTS]->u.job.title->span,
		"the program has %zu jobs; at most 10,000 objects", jobs->n);
	diag_help(&c->diags, d, "split it into several programs");
	return false;
}

/* Warns at the first sweep when no sweep has a pass: such a program also compiles to nothing. */
static void warn_no_pass(struct trainc *c, const struct nodes *decls)
{
	const struct node *sweep = NULL;

	for (size_t i = 0; i < decls->n && !sweep; i++)
		sweep = decls->at[i]->kind == NODE_JOB && decls->at[i]->u.job.list ? decls->at[i] : NULL;
	if (!sweep || !diags_ok(&c->diags) || c->eval.exhausted)
		return;
	struct diag *d = diag_report(&c->diags, TJ0822, sweep->u.job.list->span,
		"this sweep makes no job, so this program would run nothing");
	diag_help(&c->diags, d, sweep->u.job.filter ? "its list is empty, or no element meets its condition" :
		"its list is empty: a job is made for each element");
}

/*
 * Will the program be compiled again? It will if there is a diagnostic, and if only those declarations of the library
 * were read that the program names: messages may need the others. Then any further work on the first compilation is
 * useless.
 */
static bool begins_again(const struct trainc *c) { return c->options.parts && c->diags.n; }

static void build_jobs(struct trainc *c)
{
	struct nodes decls = c->program.root->file->u.file.decls;
	struct job_list jobs = { 0 };
	struct model model = { .lends = c->options.lends && c->options.parts };
	for (size_t i = 0; i < decls.n; i++) {
		if (decls.at[i]->kind != NODE_JOB)
			continue;
		if (decls.at[i]->u.job.list)
			add_fleet(c, &jobs, decls.at[i]);
		else
			add_job(c, &jobs, decls.at[i], NULL);
	}
	if (!few_enough_jobs(c, &jobs))
		return;
	if (!jobs.n)
		warn_no_pass(c, &decls);
	c->plan.jobs = ARENA_ARRAY(&c->arena, struct plan_job, jobs.n);
	for (size_t i = 0; i < jobs.n && !c->eval.exhausted && !begins_again(c); i++) {
		c->diags.group = jobs.node[i]->u.job.list;      /* NULL, unless the job belongs to a fleet */
		c->diags.pass = i;
		job_build(&c->eval, jobs.node[i], jobs.frame[i], &c->options.job, &model,
			&c->plan.jobs[c->plan.njobs++]);
	}
	c->diags.group = NULL;
	c->lent = model.lent;
	lower_topology(&c->eval);
	lower_sites(&c->eval);
	check_job_names(c);
	if (c->options.job.only.p)
		drop_other_jobs(c);
}

/* Turns "v1.33.2", as `kubectl version` prints it, into "1.33". */
static struct str without_patch(struct str v)
{
	if (str_starts(v, STR("v")))
		v = (struct str){ v.p + 1, v.n - 1 };
	if (v.n > 4 && v.p[4] == '.')
		v.n = 4;
	return v;
}

/* Returns a source position for the text of a command line option. */
static struct span command_line(struct trainc *c, struct str text)
{
	uint32_t base = source_add(&c->sources, STR("command line"), text)->base;

	return (struct span){ base, base + (uint32_t)text.n };
}

static void report_version(struct trainc *c)
{
	struct str version = c->program.project.kubernetes;
	struct span at = c->program.project.kubernetes_at;
	if (c->options.kubernetes.p)
		at = command_line(c, version);
	struct diag *d = diag_report(&c->diags, TJ0814, at, "Kubernetes %.*s is not known to this compiler",
		STR_ARG(version));
	struct str meant = without_patch(version);
	unsigned minor;
	if (meant.n < version.n && kube_version_parse(meant, &minor) && kube_version_known(minor))
		diag_help(&c->diags, d, c->options.kubernetes.p ? "write %.*s, the major and the minor number"
			: "write \"%.*s\", the major and the minor number", STR_ARG(meant));
	else
		diag_help(&c->diags, d, "known: 1.%d to 1.%d", KUBE_OLDEST, KUBE_NEWEST);
}

/* Turns "v0.18.3" into "0.18"; other texts stay unchanged. */
static struct str addon_meant(struct str v)
{
	const char *dot = v.n ? memchr(v.p, '.', v.n) : NULL, *next;

	if (str_starts(v, STR("v")))
		v = (struct str){ v.p + 1, v.n - 1 };
	next = dot ? memchr(dot + 1, '.', (size_t)(v.p + v.n - dot - 1)) : NULL;
	return next ? (struct str){ v.p, (size_t)(next - v.p) } : v;
}

static void report_addon(struct trainc *c, enum addon id, const struct project_addon *a)
{
	const struct addon_row *row = addon_row(id);
	struct str meant = addon_meant(a->version);
	unsigned version;
	struct diag *d = diag_report(&c->diags, TJ0814, a->at, "%s %.*s is not known to this compiler", row->title,
		STR_ARG(a->version));

	if (meant.n < a->version.n && addon_parse(meant, &version) && addon_known(id, version))
		diag_help(&c->diags, d, "write \"%.*s\", the major and the minor number", STR_ARG(meant));
	else
		diag_help(&c->diags, d, "known versions: %.*s to %.*s; for a newer one, write the newest known",
			STR_ARG(addon_text(&c->arena, row->oldest)), STR_ARG(addon_text(&c->arena, row->newest)));
}

/* Reads the versions of add-ons that the project names. */
static void read_addons(struct trainc *c)
{
	const struct project *p = &c->program.project;
	enum addon id;
	unsigned version;

	for (size_t i = 0; i < p->naddons; i++) {
		if (!addon_find(p->addons[i].name, &id))
			continue;       /* the checker reports unknown names */
		if (addon_parse(p->addons[i].version, &version) && addon_known(id, version))
			c->plan.addons[id] = (struct plan_addon){ version, p->addons[i].at };
		else
			report_addon(c, id, &p->addons[i]);
	}
}

struct plan *compile_plan(struct trainc *c, struct str path)
{
	compile_front(c, path);
	if (!c->program.root || begins_again(c))
		return &c->plan;
	if (c->options.profile.p) {
		c->settings.profile = c->options.profile;
		c->settings.profile_at = command_line(c, c->options.profile);
	}
	eval_init(&c->eval, &c->arena, &c->program, &c->settings);
	c->eval.keep_jobs = c->options.keep_jobs;
	eval_params(&c->eval);
	if (!kube_version_parse(c->program.project.kubernetes, &c->plan.kubernetes) ||
	    !kube_version_known(c->plan.kubernetes)) {
		report_version(c);
		c->plan.kubernetes = KUBE_DEFAULT;
		c->program.project.kubernetes = str_of(schema_field(FIELD_KUBERNETES)->fallback);
	}
	read_addons(c);
	c->plan.here = c->options.job.here;
	c->plan.target = c->program.project.target;
	c->plan.target_at = c->program.project.target_at;
	if (c->options.target.p && !emit_target_known(c->plan.target))
		c->plan.target_at = command_line(c, c->options.target);
	unsigned traits = emit_target_traits(c->plan.target);
	c->options.job.workload = emit_target_workload(c->plan.target);
	c->options.job.controller = traits & TARGET_CONTROLLER;
	c->options.job.in_group = (traits & TARGET_GROUPS) && !c->options.job.here;
	c->options.job.in_set = (traits & TARGET_SET) && !c->options.job.here;
	c->options.job.in_tasks = (traits & TARGET_TASKS) && !c->options.job.here;
	c->plan.run_id = c->options.job.run_id.p ? c->options.job.run_id : STR("");
	build_jobs(c);
	check_unused(&c->program);
	check_undocumented(&c->program);
	return &c->plan;
}

const struct schema *compile_kinds(struct trainc *c)
{
	const struct reader *reader = c->program.reader;
	struct str path = path_join(&c->arena, c->program.project.root, STR("crds.tbl")), text, why;
	struct schema *kinds = ARENA_NEW(&c->arena, struct schema);
	size_t objects = 0;

	for (size_t i = 0; i < c->plan.njobs; i++)
		objects += c->plan.jobs[i].nobjects;
	if (!objects || !reader->exists || !reader->exists(reader->context, path))
		return NULL;
	if (!reader->read(reader->context, &c->arena, path, &text, &why)) {
		diag_report(&c->diags, TJ0001, (struct span){ 0, 0 }, "'%.*s' cannot be read: %.*s", STR_ARG(path),
			STR_ARG(why));
		return NULL;
	}
	struct schema_builder *b = schema_builder_new(&c->arena, &schema_builtin);
	if (schema_read(b, text, &why) && schema_build(b, kinds, &why))
		return kinds;
	struct source *s = source_add(&c->sources, path, text);
	struct span at = { s ? s->base : 0, s ? s->base : 0 };
	struct diag *d = diag_report(&c->diags, TJ0001, at, "the project's kinds cannot be read: %.*s", STR_ARG(why));
	diag_help(&c->diags, d, "make the file again with 'trainc vendor crd FILE'");
	return NULL;
}
