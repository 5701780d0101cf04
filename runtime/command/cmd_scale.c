/* cmd_scale.c - changes the number of replicas of a run's elastic roles. */
#include <stdlib.h>

#include "diag/suggest.h"
#include "runtime/command/runs.h"

struct scaling {
	struct session *session;
	const struct backend *backend;
	struct run_watch *run;
	struct changes changes;
	bool any;
	int status;
};

/* Splits "ROLE=N". The role may be left out, "N", when exactly one role is elastic. */
static bool split(struct scaling *c, struct str text, struct str *role, struct str *number)
{
	const char *equals = memchr(text.p, '=', text.n);
	const struct run_state *s = &c->run->state;
	size_t elastic = 0;

	for (size_t i = 0; i < s->nroles; i++)
		if (s->roles[i].elastic) {
			*role = s->roles[i].name;
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

static const struct run_role *find(struct scaling *c, struct str name)
{
	const struct run_state *s = &c->run->state;
	const struct run_role *r = run_find_role(s, name);
	struct suggest near;

	if (r)
		return r;
	suggest_init(&near, c->session->arena, name);
	for (size_t i = 0; i < s->nroles; i++)
		suggest_add(&near, s->roles[i].name);
	struct str help = suggest_or_list(&near, "the roles are");
	session_say(c->session, "run '%.*s' has no role '%.*s'%s%.*s", STR_ARG(s->name), STR_ARG(name),
		help.n ? "; " : "", STR_ARG(help));
	c->status = STATUS_USAGE;
	return NULL;
}

static void scale(struct scaling *c, struct str text)
{
	struct str role = { 0 }, number;
	int status;

	c->any = true;
	if (!split(c, text, &role, &number))
		return;
	const struct run_role *r = find(c, role);
	if (!r)
		return;
	if (!c->backend->scale(c->session, c->run, role, number, &status)) {
		c->status = status;
		return;
	}
	changes_role(&c->changes, c->run->name, role, r->desired, strtoll(number.p, NULL, 10));
}

static int scale_all(struct scaling *c)
{
	const struct options *o = c->session->options;

	for (size_t i = 1; i < o->noperands; i++)
		scale(c, o->operands[i]);
	for (size_t i = 0; i < o->ngiven; i++)
		if (o->given[i].option == OPTION_REPLICAS)
			scale(c, o->given[i].value);
	if (c->any)
		return c->status;
	session_say(c->session, "scale needs a role and a number: trainc scale%s %.*s ROLE=N", c->backend->option,
		STR_ARG(c->run->name));
	return STATUS_USAGE;
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
