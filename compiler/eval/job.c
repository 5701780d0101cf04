/*
 * job.c - one job, from its declaration to its plan: a table of contents.
 *
 * The framework's body and the job's body are worked out first (if, for,
 * spreads); from then on every field is a slot that is evaluated when something
 * asks for it, and lowering asks for all of them in a fixed order.
 */
#include "eval/internal.h"
#include "eval/job.h"

#include "eval/blueprint.h"
#include "eval/lower.h"
#include "eval/rules.h"

/* ---- fields of the job itself ---- */

/* The job's body, then the framework's. */
static struct entry *job_entry(const struct job *j, enum field_id id)
{
	struct entry *e = said_first(j->body, id);
	return e ? e : said_first(j->framework_body, id);
}

bool job_says(const struct job *j, enum field_id id) { return job_entry(j, id) != NULL; }

/* The framework's typed declaration of a field that only jobs have: clean: enum("all", "none").  Those of roles are theirs. */
static const struct node *typed_field(const struct job *j, enum field_id id)
{
	const struct node *typed = schema_field(id)->blocks & BLOCK_ROLE ? NULL : declared_by(j->framework_body, id);
	return typed && typed->u.field.declared ? typed : NULL;
}

static const struct value *report_required(struct job *j, enum field_id id, const struct node *typed)
{
	const char *name = schema_field(id)->name;
	struct diag *d = diag_report(j->ev->diags, TJ0512, j->plan->name_at, "'%.*s' requires '%s'", STR_ARG(j->plan->framework), name);
	diag_note(j->ev->diags, d, typed->span, "declared here, without a value");
	diag_help(j->ev->diags, d, "set '%s' in the job", name);
	return &value_bad;
}

const struct value *job_field(struct job *j, enum field_id id)
{
	struct eval *ev = j->ev;
	const struct entry *e = job_entry(j, id);
	const struct node *typed = typed_field(j, id);
	if (!e)
		return typed ? report_required(j, id, typed) : &value_none;
	if (!j->slots[id]) {
		j->slots[id] = ARENA_NEW(eval_work(ev), struct slot);
		j->slots[id]->what = str_of(schema_field(id)->name);
		j->slots[id]->at = entry_at(e);
	}
	if (!slot_enter(ev, j->slots[id]))
		return j->slots[id]->value;
	struct said said = { 0 };
	if (!said_by(ev, j->body, id, LEVEL_JOB, &said))
		said_by(ev, j->framework_body, id, LEVEL_FRAMEWORK, &said);
	const struct value *v = said_value(ev, &said);
	if (typed && said.at[0].level == LEVEL_JOB && value_ok(v))
		v = value_convert(ev, v, typed->u.field.declared, entry_at(e), typed->span);
	return slot_leave(ev, j->slots[id], v);
}

struct span job_field_at(struct job *j, enum field_id id)
{
	const struct entry *e = job_entry(j, id);
	return e ? entry_at(e) : j->plan->name_at;
}

bool job_reserves(const struct job *j, struct str name)
{
	for (size_t i = 0; i < j->nreserved; i++)
		if (str_covered(name, j->reserved[i]))
			return true;
	return false;
}

/* ---- the job's head ---- */

static bool job_name(struct job *j)
{
	struct eval *ev = j->ev;
	const struct value *v = eval_expr(ev, j->frame, j->node->u.job.title);
	struct text pieces;
	if (!value_ok(v) || !value_text(ev->arena, v, &pieces) || !text_flatten(ev, &pieces, &j->name))
		return false;
	j->plan->name = j->name;
	j->plan->name_at = j->node->u.job.title->span;
	return convert_job_name(ev, j->name, j->plan->name_at);
}

static void job_namespace(struct job *j)
{
	struct plan_job *p = j->plan;
	if (j->options->ns.p) {
		p->ns = (struct plan_str){ j->options->ns, { 0 }, true };
		return;
	}
	const struct value *v = job_field(j, FIELD_NAMESPACE);
	if (v->kind == VALUE_STRING)
		p->ns = (struct plan_str){ v->u.string, job_field_at(j, FIELD_NAMESPACE), true };
}

static void job_hosts(struct job *j)
{
	const struct project *project = &j->ev->program->project;
	const struct entry *e = said_first(j->framework_body, FIELD_HOSTS);
	const struct value *v = e ? job_field(j, FIELD_HOSTS) : &value_none;
	struct str hosts = v->kind == VALUE_STRING ? v->u.string : project->hosts;
	j->plan->hosts = str_is(hosts, "service") ? HOSTS_SERVICE : str_is(hosts, "name") ? HOSTS_NAME : HOSTS_SUBDOMAIN;
	j->plan->domain = j->options->domain.p ? j->options->domain : project->domain;
}

static void job_reserved(struct job *j)
{
	const struct entry *e = said_first(j->framework_body, FIELD_RESERVE);
	const struct value *v = e ? job_field(j, FIELD_RESERVE) : &value_none;
	struct plan_str *names = value_strs(j->ev, v, &j->nreserved);
	j->reserved = ARENA_ARRAY(j->ev->arena, struct str, j->nreserved);
	for (size_t i = 0; i < j->nreserved; i++)
		j->reserved[i] = names[i].value;
}

/* ---- roles ---- */

static const struct entry *block_entry(const struct entries *entries, const char *word, struct str name)
{
	for (size_t i = 0; entries && i < entries->n; i++) {
		const struct node *item = entries->at[i].item;
		if (item && item->kind == NODE_BLOCK && str_is(item->u.block.word, word) && str_eq(item->u.block.name, name))
			return &entries->at[i];
	}
	return NULL;
}

static struct role *role_new(struct job *j, struct str name, struct span at, bool aux)
{
	struct role *r = ARENA_NEW(eval_work(j->ev), struct role);
	r->number = (unsigned)j->nroles;
	r->name = name;
	r->at = at;
	r->aux = aux;
	r->job = j;
	ARENA_PUSH(eval_work(j->ev), j->roles, j->nroles, r);
	return r;
}

static void job_block(struct role *r, const struct entry *e)
{
	if (!e)
		return;
	r->own = e;
	r->block = e->item;
	r->job_decl = e->item->u.block.decl;
	r->at = e->item->u.block.name_span;
}

static void framework_roles(struct job *j)
{
	for (size_t i = 0; j->framework && i < j->framework->nroles; i++) {
		struct decl *d = j->framework->roles[i];
		struct role *r = role_new(j, d->name, j->plan->name_at, false);
		r->decl = d;
		r->framework_block = d->node;
		job_block(r, block_entry(j->body, "role", d->name));
	}
}

static bool framework_declares(const struct job *j, struct str name)
{
	for (size_t i = 0; i < j->framework->nroles; i++)
		if (str_eq(j->framework->roles[i]->name, name))
			return true;
	return false;
}

static void own_roles(struct job *j, bool aux)
{
	const char *word = aux ? "aux" : "role";
	for (size_t i = 0; i < j->body->n; i++) {
		const struct entry *e = &j->body->at[i];
		if (!e->item || e->item->kind != NODE_BLOCK || !str_is(e->item->u.block.word, word))
			continue;
		bool declared = j->framework && !aux && framework_declares(j, e->item->u.block.name);
		if (j->framework && !aux && !declared && !j->framework->other_roles)
			j->role_lost = true;
		if (declared || (j->role_lost && !aux))
			continue;
		struct role *r = role_new(j, e->item->u.block.name, e->item->u.block.name_span, aux);
		job_block(r, e);
		r->decl = r->job_decl;
	}
}

static void role_levels(struct job *j, struct role *r)
{
	struct eval *ev = j->ev;
	const struct entry *mine = r->own;
	const struct entry *theirs = r->framework_block ? block_entry(j->framework_body, "role", r->name) : NULL;
	if (mine)
		r->levels[LEVEL_ROLE] = eval_block(ev, mine->frame, mine->item->u.block.body, r->aux ? BLOCK_AUX : BLOCK_ROLE);
	r->levels[LEVEL_JOB] = j->body;
	if (theirs)
		r->levels[LEVEL_FRAMEWORK_ROLE] = eval_block(ev, theirs->frame, theirs->item->u.block.body, BLOCK_ROLE | BLOCK_FRAMEWORK_ROLE);
	if (!r->aux)
		r->levels[LEVEL_FRAMEWORK] = j->framework_body;
	role_find_torn(r);
	r->torn = r->torn || (j->role_lost && !mine && !r->aux);
}

static void job_roles(struct job *j)
{
	framework_roles(j);
	own_roles(j, false);
	own_roles(j, true);
	struct plan_job *p = j->plan;
	p->roles = ARENA_ARRAY(j->ev->arena, struct plan_role, j->nroles);
	p->nroles = j->nroles;
	for (size_t i = 0; i < j->nroles; i++) {
		struct role *r = j->roles[i];
		r->plan = &p->roles[i];
		r->plan->name = r->name;
		r->plan->at = r->at;
		r->plan->aux = r->aux;
		r->plan->label = plan_label(j->ev->arena, r->name);
		r->plan->in_set = j->options->in_set;
		r->plan->object = str_cat(j->ev->arena, p->name, STR("-"), r->plan->label);
	}
}

/* ---- checks ---- */

/* Runs the checks of a body; true when none of them failed as an error. */
static bool run_checks(struct eval *ev, const struct entries *entries, struct span fallback, bool stop_at_first)
{
	bool ok = true;
	for (size_t i = 0; entries && i < entries->n; i++) {
		struct node *item = entries->at[i].item;
		if (!item || item->kind != NODE_CHECK || eval_check(ev, entries->at[i].frame, item, fallback, (struct str){ 0 }))
			continue;
		ok = ok && item->u.check.warn;
		if (!ok && stop_at_first)
			return false;
	}
	return ok;
}

static void run_framework_checks(struct job *j)
{
	struct eval *ev = j->ev;
	struct span at = j->node->u.job.blueprint ? j->node->u.job.blueprint->span : j->plan->name_at;
	j->checks_failed = !run_checks(ev, j->framework_body, at, true);
	for (size_t i = 0; i < j->nroles && !j->checks_failed; i++) {
		struct role *r = j->roles[i];
		ev->self = r;
		j->checks_failed = !run_checks(ev, r->levels[LEVEL_FRAMEWORK_ROLE], r->at, true);
	}
	ev->self = NULL;
}

static void run_job_checks(struct job *j)
{
	run_checks(j->ev, j->body, j->plan->name_at, false);
	for (size_t i = 0; i < j->nroles; i++) {
		j->ev->self = j->roles[i];
		run_checks(j->ev, j->roles[i]->levels[LEVEL_ROLE], j->roles[i]->at, false);
	}
	j->ev->self = NULL;
}

static void run_policies(struct job *j)
{
	struct eval *ev = j->ev;
	const struct project *project = &ev->program->project;
	for (size_t m = 0; m < project->npolicies; m++) {
		struct nodes decls = project->policies[m]->file->u.file.decls;
		for (size_t i = 0; i < decls.n; i++) {
			struct str title = { 0 };
			if (decls.at[i]->kind != NODE_POLICY || !node_static_text(decls.at[i]->u.titled.title, &title))
				continue;
			struct entries *body = eval_entries(ev, NULL, decls.at[i]->u.titled.body);
			for (size_t k = 0; k < body->n; k++)
				if (body->at[k].item && body->at[k].item->kind == NODE_CHECK)
					eval_check(ev, body->at[k].frame, body->at[k].item, j->plan->name_at, title);
		}
	}
}

/* ---- the whole ---- */

static bool job_begin(struct job *j)
{
	struct eval *ev = j->ev;
	struct node *blueprint = j->node->u.job.blueprint;
	if (!job_name(j) || (blueprint && !j->node->u.job.framework))
		return false;
	j->framework = j->node->u.job.framework;
	if (blueprint)
		j->plan->framework = source_text(ev->program->sources, blueprint->span);
	j->body = eval_block(ev, j->frame, j->node->u.job.body, BLOCK_JOB);
	if (j->framework)
		j->framework_node = j->framework->node;
	job_roles(j);
	if (j->framework) {
		j->formals = blueprint_bind(ev, j->framework, j->node->u.job.bound, j->frame);
		j->framework_body = eval_block(ev, j->formals, j->framework_node->u.blueprint_decl.body, BLOCK_FRAMEWORK);
	}
	for (size_t i = 0; i < j->nroles; i++)
		role_levels(j, j->roles[i]);
	j->ready = true;
	if (!j->options->in_set)                /* there the controller makes the names */
		replica_names(j);
	if (!j->nroles && !ev->diags->errors) {        /* else its role may be what failed */
		struct diag *d = diag_report(ev->diags, TJ0503, j->plan->name_at, "job '%.*s' has no role, so nothing of it would run",
			STR_ARG(j->name));
		diag_help(ev->diags, d, "write 'role NAME { ... }' in it, or name a framework: 'import std.single' and 'job \"%.*s\": single.task'", STR_ARG(j->name));
	}
	return !j->body->failed;
}

void job_build(struct eval *ev, struct node *node, struct frame *frame, const struct job_options *options, struct plan_job *ret)
{
	struct job *j = ARENA_NEW(ev->keep_jobs ? ev->arena : &ev->work, struct job);
	*j = (struct job){ .ev = ev, .options = options, .node = node, .frame = frame, .plan = ret, .before = ev->built };
	if (ev->keep_jobs)
		ev->built = j;
	ev->job = j;
	ev->self = NULL;
	ev->pod_index = -1;
	/* What goes wrong inside the framework is reported where the job asks for it. */
	ev->call_site = node->u.job.blueprint ? node->u.job.blueprint->span : node->u.job.title->span;
	if (job_begin(j)) {
		job_namespace(j);
		job_hosts(j);
		job_reserved(j);
		run_framework_checks(j);
		lower_job(j);
		run_job_checks(j);
		if (!j->checks_failed) {
			rules_job(j);
			run_policies(j);
		}
	}
	ev->call_site = (struct span){ 0 };
	ev->job = NULL;
	arena_reset(&ev->work);
}
