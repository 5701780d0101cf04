/* cmd_scale.c - another number of replicas for elastic roles of a run. */
#include "diag/suggest.h"
#include "command/runs.h"

struct scaling {
	struct session *session;
	const struct watch *run;
	bool any;
	int status;
};

/* "ROLE=N"; "N" alone where one role is elastic. */
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
	session_say(c->session, "run '%.*s' has no role '%.*s'%s%.*s", STR_ARG(s->name), STR_ARG(name), help.n ? "; " : "", STR_ARG(help));
	c->status = STATUS_USAGE;
	return NULL;
}

static void scale(struct scaling *c, struct str text)
{
	struct session *s = c->session;
	struct str role = { 0 }, number;
	int status;

	c->any = true;
	if (!split(c, text, &role, &number))
		return;
	const struct run_role *r = find(c, role);
	if (!r)
		return;
	if (!runs_ask(s, c->run, str_printf(s->arena, "scale %.*s %.*s", STR_ARG(role), STR_ARG(number)), &status)) {
		c->status = status;
		return;
	}
	session_write(s, str_printf(s->arena, "run/%.*s scaled: %.*s from %lld to %.*s\n", STR_ARG(c->run->name), STR_ARG(role),
	                            (long long)r->desired, STR_ARG(number)));
}

int cmd_scale(struct session *s)
{
	const struct options *o = s->options;
	struct chosen chosen;
	struct attend a;
	int status;

	if (!runs_choose(s, 1, &chosen, &status))
		return status;
	if (!runs_attend_init(s, &a))
		return STATUS_USAGE;
	if (chosen.n != 1) {
		session_say(s, "the program has %zu jobs; choose one with --job", chosen.n);
		return STATUS_USAGE;
	}
	if (runs_watch(s, &chosen, &a, &status)) {
		struct scaling c = { .session = s, .run = &a.runs[0] };
		for (size_t i = 1; i < o->noperands; i++)
			scale(&c, o->operands[i]);
		for (size_t i = 0; i < o->ngiven; i++)
			if (o->given[i].option == OPTION_REPLICAS)
				scale(&c, o->given[i].value);
		status = c.status;
		if (!c.any) {
			session_say(s, "scale needs a role and a number: trainc scale --local %.*s ROLE=N", STR_ARG(chosen.names[0]));
			status = STATUS_USAGE;
		}
	}
	attend_release(&a);
	return status;
}
