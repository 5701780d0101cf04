/*
 * locked_words.c - reports a command or arguments of the job in a role that the framework starts itself (TJ0537), and
 * the role in which the program belongs: the one whose end is the job's success.
 */
#include "eval/internal.h"
#include "eval/plan_value.h"
#include "lower/lower.h"

/* ---- what is locked ---- */

/* Does framework LAYER lock field ID of role R? Its block for the role decides, otherwise its own fields. */
static bool locks_field(struct role *r, unsigned layer, enum field_id id)
{
	struct eval *ev = r->job->ev;
	struct said said = { 0 };
	size_t n = 0;

	if (!said_by(ev, r->levels[level_block(layer)], FIELD_LOCK, level_block(layer), &said))
		said_by(ev, r->levels[level_own(layer)], FIELD_LOCK, level_own(layer), &said);
	if (!said.n)
		return false;
	struct self_of before = self_begin(ev, r);
	const struct value *v = said_value(ev, &said);
	struct plan_str *names = v && value_ok(v) ? value_strs(ev, v, &n) : NULL;
	self_end(ev, before);
	for (size_t i = 0; i < n; i++)
		if (str_is(names[i].value, schema_field(id)->name))
			return true;
	return false;
}

/* Does a framework lock field ID of role R against the entries of LEVEL? */
static bool locked_from(struct role *r, unsigned level, enum field_id id)
{
	for (unsigned i = 0; i < r->job->nlayers && !r->aux; i++)
		if (level < level_block(i) && locks_field(r, i, id))
			return true;
	return false;
}

/* ---- where the program belongs ---- */

static const struct plan_condition *first_condition(const struct plan_condition *c)
{
	while (c && condition_joins(c))
		c = c->left;
	return c;
}

/*
 * The role whose end is the job's success, if a program can be given to it in a field that is neither locked nor set in
 * its own block; *RET_FIELD is that field.
 */
static struct role *role_of_program(struct job *j, enum field_id *ret_field)
{
	const struct value *v = job_field(j, FIELD_SUCCESS);
	const struct plan_condition *c = v->kind == VALUE_CONDITION ? first_condition(v->u.condition) : NULL;
	struct role *r = c && c->role < j->nroles ? j->roles[c->role] : NULL;

	if (!r)
		return NULL;
	*ret_field = !locked_from(r, LEVEL_ROLE, FIELD_COMMAND) ? FIELD_COMMAND : FIELD_ARGS;
	return *ret_field == FIELD_COMMAND || !locked_from(r, LEVEL_ROLE, FIELD_ARGS) ? r : NULL;
}

/* ---- the report ---- */

/* The text of the words, if it fits in one line of a message. */
static struct str words_text(struct eval *ev, const struct entry *e)
{
	const struct node *n = entry_expr(e);
	struct str text = n ? node_text(ev, n) : STR("");

	return text.n && !str_ends(text, STR("...")) ? text : STR("");
}

static void help_moved(struct role *r, enum field_id id, const struct contribution *mine, struct diag *d)
{
	struct job *j = r->job;
	struct eval *ev = j->ev;
	enum field_id to = FIELD_COMMAND;
	struct role *other = role_of_program(j, &to);
	struct str text = words_text(ev, mine->entry);
	const char *field = schema_field(id)->name, *there = schema_field(to)->name;

	if (!other)
		diag_help(ev->diags, d, "remove it: the framework needs its own '%s' in role '%.*s'", field,
			STR_ARG(r->name));
	else if (other == r && to == FIELD_ARGS && id == FIELD_COMMAND && mine->level == LEVEL_ROLE &&
		said_first(other->levels[LEVEL_ROLE], to))
		diag_help(ev->diags, d, "the framework's command starts the program that 'args' names: put these words "
			"before those of 'args'");
	else if (said_first(other->levels[LEVEL_ROLE], to) && !(other == r && to == id))
		diag_help(ev->diags, d, "remove it: the program is '%s' of role '%.*s', which is set", there,
			STR_ARG(other->name));
	else if (other != r && mine->level == LEVEL_ROLE)
		diag_help(ev->diags, d, "remove it; the job's program is '%s' of role '%.*s'", there,
			STR_ARG(other->name));
	else if (other == r && mine->level == LEVEL_ROLE)
		diag_help(ev->diags, d, "the framework's command starts the program that 'args' names: write '%s' in "
			"place of '%s'", there, field);
	else if (text.n)
		diag_help(ev->diags, d, "give it to one role: role %.*s { %s = %.*s }", STR_ARG(other->name),
			there, STR_ARG(text));
	else
		diag_help(ev->diags, d, "move it into role '%.*s', as '%s'", STR_ARG(other->name), there);
}

/* Reports the entry MINE for field ID, which would also apply to role R. */
static void report_words(struct role *r, enum field_id id, const struct contribution *mine)
{
	struct eval *ev = r->job->ev;
	const char *field = schema_field(id)->name;
	struct span at = mine->entry->key_at;
	struct diag *d = mine->level == LEVEL_ROLE ?
		eval_report(ev, TJ0537, at, "'%.*s' starts role '%.*s' itself, so its '%s' cannot be set",
			STR_ARG(r->job->plan->framework), STR_ARG(r->name), field) :
		eval_report(ev, TJ0537, at, "this '%s' applies to every role, also to '%.*s', "
			"which '%.*s' starts itself", field, STR_ARG(r->name), STR_ARG(r->job->plan->framework));

	for (size_t l = LEVEL_FRAMEWORK; l < r->nlevels; l++) {
		const struct entry *theirs = said_first(r->levels[l], id);
		if (!theirs)
			continue;
		diag_note(ev->diags, d, theirs->key_at, "the framework sets it here");
		break;
	}
	help_moved(r, id, mine, d);
}

/* Reports field ID of role R if it is locked. *SEEN is set by an entry outside of roles, which is reported once. */
static bool field_free(struct role *r, enum field_id id, bool *seen)
{
	struct said said = role_said(r->job->ev, r, id);
	bool free = true;

	for (size_t i = 0; i < said.n; i++) {
		const struct contribution *mine = &said.at[i];
		if (mine->level >= LEVEL_FRAMEWORK + 2 * r->job->nlayers || !locked_from(r, mine->level, id))
			continue;
		free = false;
		if (mine->level != LEVEL_ROLE && *seen)
			continue;
		*seen = *seen || mine->level != LEVEL_ROLE;
		report_words(r, id, mine);
	}
	return free;
}

bool words_free(struct job *j)
{
	static const enum field_id fields[] = { FIELD_COMMAND, FIELD_ARGS };
	bool free = true;

	for (size_t f = 0; f < sizeof fields / sizeof *fields && j->nlayers; f++) {
		bool seen = false;
		for (size_t i = 0; i < j->nroles; i++)
			free = (j->roles[i]->aux || j->roles[i]->job != j ||
				field_free(j->roles[i], fields[f], &seen)) && free;
	}
	return free;
}
