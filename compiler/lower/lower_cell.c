/*
 * lower_cell.c - lowers cells. Their roles are roles of the plan; here is what belongs to the cell as a whole, and what
 * a cell asks for and no target keeps: that is refused, so that nothing of a program is lost in silence.
 */
#include "eval/internal.h"
#include "lower/lower.h"

/* ---- what is refused ---- */

/* Reports a field of the job that the framework of a cell sets and the job does not (TJ0544). */
static void refuse_job_field(struct job *copy, enum field_id id)
{
	const struct job *j = copy->outer;
	const struct entry *e = NULL;

	for (unsigned i = 0; i < copy->nlayers && !e; i++)
		e = said_first(copy->layers[i].body, id);
	if (!e || said_first(j->body, id) || said_first(j->defaults, id))
		return;
	struct diag *d = diag_report(copy->ev->diags, TJ0544, copy->node->u.job.blueprint->span,
		"'%.*s' sets '%s', which is the job's", STR_ARG(copy->plan->framework), schema_field(id)->name);
	diag_note(copy->ev->diags, d, entry_at(e), "set here");
	if (id == FIELD_HOSTS)
		diag_help(copy->ev->diags, d, "give the job this framework, or use another one in the cell");
	else
		diag_help(copy->ev->diags, d, "set it in the job, whose value holds: %s = ...", schema_field(id)->name);
}

static struct diag *refuse_in_copy(struct job *copy, struct span at, const char *what)
{
	struct diag *d = diag_report(copy->ev->diags, TJ0818, at, "no target has a place for %s of cell '%.*s'", what,
		STR_ARG(copy->cell->decl->name));

	return d;
}

/* Reports names and objects that a framework makes for a whole job: each copy would need its own. */
static void refuse_objects(struct job *copy)
{
	struct span at = copy->node->u.job.blueprint ? copy->node->u.job.blueprint->span : copy->plan->name_at;

	for (size_t i = 0; i < copy->nroles; i++) {
		struct contribution first;
		if (!role_first(copy->roles[i], FIELD_REPLICA, &first))
			continue;
		struct diag *d = refuse_in_copy(copy, at, "'replica { }' of the framework");
		diag_note(copy->ev->diags, d, entry_at(first.entry), "names and labels of replicas by their index");
		diag_help(copy->ev->diags, d, "use a framework that leaves the names to trainc");
		break;
	}
	for (unsigned l = 0; l < copy->nlayers; l++)
		for (size_t i = 0; i < copy->layers[l].body->n; i++) {
			const struct node *item = copy->layers[l].body->at[i].item;
			if (!item || item->kind != NODE_BLOCK || !str_is(item->u.block.word, "object"))
				continue;
			struct diag *d = refuse_in_copy(copy, at, "an object that the framework makes");
			diag_note(copy->ev->diags, d, item->u.block.name_span, "this object");
			diag_help(copy->ev->diags, d, "use a framework that makes none");
			return;
		}
}

/* Reports fields of the cell itself that no target keeps. */
static void refuse_fields(struct job *copy)
{
	struct eval *ev = copy->ev;
	const struct cell *cell = copy->cell;

	if (said_first(copy->body, FIELD_RUNNING)) {
		struct diag *d = diag_report(ev->diags, TJ0818, job_field_at(copy, FIELD_RUNNING),
			"no target tells when a single copy of '%.*s' is running", STR_ARG(cell->decl->name));
		diag_help(ev->diags, d, "remove it; in the job, 'running = ready(%.*s)' waits for its copies",
			STR_ARG(cell->decl->name));
	}
}

void refuse_in_cell(struct job *copy)
{
	static const enum field_id of_job[] = { FIELD_QUEUE, FIELD_GANG, FIELD_SCHEDULER, FIELD_PRIORITY, FIELD_TIMEOUT,
		FIELD_TTL, FIELD_CLEAN, FIELD_SUSPEND, FIELD_HOSTS };

	for (size_t i = 0; i < sizeof of_job / sizeof *of_job; i++)
		refuse_job_field(copy, of_job[i]);
	refuse_objects(copy);
	refuse_fields(copy);
}

/* Reports slices of a role of a cell. */
static void refuse_slices(struct job *copy)
{
	for (size_t i = 0; i < copy->nroles; i++) {
		const struct plan_role *r = copy->roles[i]->plan;
		if (r->slices <= 1)
			continue;
		struct diag *d = refuse_in_copy(copy, r->slices_at, "'slices'");
		diag_help(copy->ev->diags, d, "a copy is what a slice was: write 'copies = %lld'",
			(long long)r->slices);
	}
}

/* ---- the plan ---- */

/* How often each copy may restart: a cell that never ends has no limit of its own. */
static void lower_restarts(struct job *first, bool bad, struct plan_cell *c)
{
	const struct value *v = job_field(first, FIELD_RESTARTS);

	c->restarts_at = job_field_at(first, FIELD_RESTARTS);
	c->restarts = v->kind == VALUE_INT ? v->u.integer : 0;
	if (!c->success && !bad && !job_says(first, FIELD_RESTARTS))
		c->restarts = -1;
}

static void lower_starts(struct job *first, struct plan_cell *c)
{
	const struct value *v = job_field(first, FIELD_STARTS);

	if (v->kind == VALUE_STRING)
		c->starts = (struct plan_str){ v->u.string, job_field_at(first, FIELD_STARTS), true };
}

void lower_cells(struct job *j)
{
	struct plan_job *p = j->plan;

	if (!j->ncells)
		return;
	p->cells = ARENA_ARRAY(j->ev->arena, struct plan_cell, j->ncells);
	for (size_t i = 0; i < j->ncells; i++) {
		const struct cell *cell = j->cells[i];
		struct job *first = cell->copies[0];
		struct plan_cell *c = &p->cells[p->ncells++];
		bool bad;
		refuse_slices(first);
		*c = (struct plan_cell){ .name = cell->decl->name, .at = cell->decl->span, .min = cell->min,
			.max = cell->max, .framework = first->plan->framework,
			.copies_at = job_field_at(first, FIELD_COPIES), .success = copy_success(first, &bad) };
		lower_restarts(first, bad, c);
		lower_starts(first, c);
		lower_apart(first, c);
		lower_reserved(first, &c->reserved, &c->nreserved);
		const struct value *running = first->checks_failed ? &value_none : job_field(first, FIELD_RUNNING);
		c->running = running->kind == VALUE_CONDITION ? running->u.condition : NULL;
	}
}
