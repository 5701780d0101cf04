/* cmd_scale.c - changes the number of replicas of a run's elastic roles, and of copies of its elastic cells. */
#include <stdlib.h>

#include "diag/suggest.h"
#include "runtime/command/runs.h"
#include "runtime/run/cells.h"

struct size {                           /* the requested number of replicas of a role, or of copies of a cell */
	struct str name;                /* of the role or cell */
	int64_t before;
	struct str number;
};

struct scaling {
	struct session *session;
	const struct backend *backend;
	struct run_watch *run;
	struct changes changes;
	struct size *sizes;
	size_t nsizes;
	int status;
};

/* Splits "ROLE=N" or "CELL=N". If exactly one role or cell is elastic, "N" is enough. */
static bool split_scale(struct scaling *c, struct str text, struct str *role, struct str *number)
{
	const char *equals = memchr(text.p, '=', text.n);
	const struct run_state *s = &c->run->state;
	size_t elastic = 0;

	for (size_t i = 0; i < s->nroles; i++)
		if (s->roles[i].elastic) {
			*role = s->roles[i].name;
			elastic++;
		}
	for (size_t i = 0; i < s->ncells; i++)
		if (s->cells[i].min < s->cells[i].max) {
			*role = s->cells[i].name;
			elastic++;
		}
	*number = text;
	if (equals) {
		*role = (struct str){ text.p, (size_t)(equals - text.p) };
		*number = (struct str){ equals + 1, text.n - role->n - 1 };
	}
	bool digits = number->n && number->n < 10;
	for (size_t i = 0; i < number->n; i++)
		digits = digits && number->p[i] >= '0' && number->p[i] <= '9';
	if (digits && role->n && (equals || elastic == 1))
		return true;
	session_say(c->session, "scale needs ROLE=N, found '%.*s'", STR_ARG(text));
	c->status = STATUS_USAGE;
	return false;
}

/* Finds the cell or role NAME. If the run has neither, reports that and returns false. */
static bool find_scaled(struct scaling *c, struct str name, struct size *ret)
{
	const struct run_state *s = &c->run->state;
	const struct run_cell *cell = run_find_cell(s, name);
	const struct run_role *r = cell ? NULL : run_find_role(s, name);
	struct suggest near;

	ret->name = cell ? cell->name : r ? r->name : name;
	ret->before = cell ? cell->desired : r ? r->desired : 0;
	if (cell || r)
		return true;
	suggest_init(&near, c->session->arena, name);
	for (size_t i = 0; i < s->ncells; i++)
		suggest_add(&near, s->cells[i].name);
	for (size_t i = 0; i < s->nroles; i++)
		if (!s->roles[i].cell.n)
			suggest_add(&near, s->roles[i].name);
	struct str help = suggest_or_list(&near, s->ncells ? "the roles and cells are" : "the roles are");
	session_say(c->session, "run '%.*s' has no role%s '%.*s'%s%.*s", STR_ARG(s->name),
		s->ncells ? " or cell" : "", STR_ARG(name), help.n ? "; " : "", STR_ARG(help));
	c->status = STATUS_USAGE;
	return false;
}

/*
 * Reads one ROLE=N. Returns false after reporting an error; naming a role again with another number is also an error.
 */
static bool add_scale(struct scaling *c, struct str text)
{
	struct str name = { 0 };
	struct size size;

	if (!split_scale(c, text, &name, &size.number) || !find_scaled(c, name, &size))
		return false;
	for (size_t i = 0; i < c->nsizes; i++) {
		if (!str_eq(c->sizes[i].name, size.name))
			continue;
		bool cell = run_find_cell(&c->run->state, size.name) != NULL;
		session_say(c->session, "%s '%.*s' cannot have both %.*s and %.*s %s; name it once",
			cell ? "cell" : "role", STR_ARG(name), STR_ARG(c->sizes[i].number), STR_ARG(size.number),
			cell ? "copies" : "replicas");
		c->status = STATUS_USAGE;
		return false;
	}
	ARENA_PUSH(c->session->arena, c->sizes, c->nsizes, size);
	return true;
}

/* Reads everything first, so that nothing is changed when a part of the command line is wrong. */
static bool read_sizes(struct scaling *c)
{
	const struct options *o = c->session->options;
	bool ok = true;

	for (size_t i = 1; i < o->noperands; i++)
		ok = add_scale(c, o->operands[i]) && ok;
	for (size_t i = 0; i < o->ngiven; i++)
		if (o->given[i].option == OPTION_REPLICAS)
			ok = add_scale(c, o->given[i].value) && ok;
	if (ok && !c->nsizes) {
		session_say(c->session, "scale needs a role and a number: trainc scale%s %.*s ROLE=N",
			c->backend->option, STR_ARG(c->run->name));
		c->status = STATUS_USAGE;
	}
	return ok && c->nsizes;
}

static int scale_all(struct scaling *c)
{
	int status;

	if (!read_sizes(c))
		return c->status;
	for (size_t i = 0; i < c->nsizes; i++) {
		const struct size *z = &c->sizes[i];
		if (c->backend->scale(c->session, c->run, z->name, z->number, &status))
			changes_role(&c->changes, c->run->name, z->name, z->before, strtoll(z->number.p, NULL, 10));
		else
			c->status = runs_worse(c->status, status);
	}
	return c->status;
}

int cmd_scale(struct session *s)
{
	const struct backend *b;
	struct chosen chosen;
	struct attend a;
	int status = STATUS_USAGE;

	if (!(b = backend_begin(s, &a, &status)))
		return status;
	if (runs_choose(s, b, 1, &chosen, &status)) {
		if (chosen.n != 1) {
			session_say(s, "the program has %zu jobs; choose one with --job", chosen.n);
			status = STATUS_USAGE;
		} else if (runs_watch(s, &chosen, &a, &status)) {
			struct scaling c = { .session = s, .backend = b, .run = &a.runs[0],
				.changes = changes_begin(s) };
			status = scale_all(&c);
			if (c.changes.list)
				changes_run(&c.changes, a.runs[0].name, a.runs[0].state.ns, "scaled");
			changes_end(&c.changes);
		}
	}
	return backend_end(s, &a, status);
}
