/*
 * job_field.c - fields of the job itself: each is set by the job's body, otherwise by the project's defaults or the
 * job's frameworks, and is evaluated once.
 */
#include "eval/internal.h"
#include "eval/job.h"

/*
 * Collects the entries for a field in the bodies of the job, the project's defaults and the frameworks. Each extends
 * the next, up to the first one that sets the field.
 */
static struct said job_said(struct job *j, enum field_id id)
{
	struct said said = { 0 };
	/* the project's defaults for a job are not those for a cell in it */
	bool set = said_by(j->ev, j->body, id, LEVEL_JOB, &said) ||
		(!j->outer && said_by(j->ev, j->defaults, id, LEVEL_PROJECT, &said));
	for (unsigned i = 0; i < j->nlayers && !set; i++)
		set = said_by(j->ev, j->layers[i].body, id, level_own(i), &said);
	return said;
}

/* The nearest entry for the field. */
static struct entry *job_entry(const struct job *j, enum field_id id)
{
	struct entry *e = said_first(j->body, id);
	e = e || j->outer ? e : said_first(j->defaults, id);
	for (unsigned i = 0; i < j->nlayers && !e; i++)
		e = said_first(j->layers[i].body, id);
	return e;
}

bool job_says(const struct job *j, enum field_id id) { return job_entry(j, id) != NULL; }

/*
 * Finds where framework LAYER declares the type of a job's field, such as `clean: enum("all", "none")`. NULL for fields
 * of roles, which role.c handles.
 */
static const struct node *typed_by(const struct job *j, unsigned layer, enum field_id id)
{
	const struct node *typed = schema_field(id)->blocks & BLOCK_ROLE ? NULL
		: declared_by(j->layers[layer].body, id);
	return typed && typed->u.field.declared ? typed : NULL;
}

static const struct node *typed_field(const struct job *j, enum field_id id)
{
	const struct node *typed = NULL;
	for (unsigned i = 0; i < j->nlayers && !typed; i++)
		typed = typed_by(j, i, id);
	return typed;
}

static const struct value *report_required(struct job *j, enum field_id id, const struct node *typed)
{
	const char *name = schema_field(id)->name;
	struct diag *d = diag_report(j->ev->diags, TJ0512, j->plan->name_at, "'%.*s' requires '%s'",
		STR_ARG(j->plan->framework), name);
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
	struct said said = job_said(j, id);
	const struct value *v = said_value(ev, &said);
	for (unsigned i = 0; i < j->nlayers && value_ok(v); i++) {
		typed = typed_by(j, i, id);
		if (typed && said.at[0].level < level_block(i))
			v = value_convert(ev, v, typed->u.field.declared, entry_at(e), typed->span);
	}
	return slot_leave(ev, j->slots[id], v);
}

struct span job_field_at(struct job *j, enum field_id id)
{
	const struct entry *e = job_entry(j, id);
	return e ? entry_at(e) : j->plan->name_at;
}

bool job_reserves(const struct job *j, struct str name, unsigned level)
{
	for (size_t i = 0; i < j->nreserved; i++)
		if (level < level_block(j->reserved[i].layer) && str_covered(name, j->reserved[i].name))
			return true;
	return false;
}
