/* cmd_scale.c - changes the number of replicas of a run's elastic roles. */
#include <stdlib.h>

#include "diag/suggest.h"
#include "runtime/command/runs.h"

struct size {                           /* the requested number of replicas of a role */
	const struct run_role *role;
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

/* Splits "ROLE=N". If exactly one role is elastic, "N" is enough. */
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

static const struct run_role *find_scaled(struct scaling *c, struct str name)
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

/*
 * Reads one ROLE=N. Returns false after reporting an error; naming a role again with another number is also an error.
 */
static bool add_scale(struct scaling *c, struct str text)
{
	struct str role = { 0 }, number;
	const struct run_role *r = split_scale(c, text, &role, &number) ? find_scaled(c, role) : NULL;

	if (!r)
		return false;
	for (size_t i = 0; i < c->nsizes; i++) {
		if (c->sizes[i].role != r)
			continue;
		session_say(c->session, "role '%.*s' cannot have both %.*s and %.*s replicas; name it once",
			STR_ARG(role), STR_ARG(c->sizes[i].number), STR_ARG(number));
		c->status = STATUS_USAGE;
		return false;
	}
	ARENA_PUSH(c->session->arena, c->sizes, c->nsizes, ((struct size){ r, number }));
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
		int64_t before = z->role->desired;
		if (c->backend->scale(c->session, c->run, z->role->name, z->number, &status))
			changes_role(&c->changes, c->run->name, z->role->name, before,
				strtoll(z->number.p, NULL, 10));
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
