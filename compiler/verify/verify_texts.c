/*
 * verify_texts.c - checks the environment and arguments against the limits of Linux, from the lengths of the pieces
 * of texts.
 */
#include "verify/verify.h"

#include "kube/limits.h"

static struct str container_phrase(struct checking *c, const struct plan_role *r, const struct plan_container *pc)
{
	if (pc == &r->main)
		return str_printf(c->arena, "%s '%.*s'", r->aux ? "aux" : "role", STR_ARG(r->name));
	return str_printf(c->arena, "%s '%.*s'", pc->init ? "init" : "sidecar", STR_ARG(pc->name));
}

/* Returns the role whose hosts the text names most often; RET_HOSTS gets their number. */
static const struct plan_role *crowd(struct arena *a, const struct plan_job *j, const struct text *t, size_t *ret_hosts)
{
	size_t most = 0, best = 0, *count = ARENA_ARRAY(a, size_t, j->nroles);

	for (size_t i = 0; i < t->n; i++)
		if (t->at[i].kind == PIECE_HOST && ++count[t->at[i].u.peer.role] > most) {
			most = count[t->at[i].u.peer.role];
			best = t->at[i].u.peer.role;
		}
	*ret_hosts = most;
	return most > 1 ? &j->roles[best] : NULL;
}

/* Explains why a text is long, if it contains a list of many addresses. */
static void explain_length(struct checking *c, struct diag *d, const struct plan_job *j, const struct text *t,
	size_t length, const char *otherwise)
{
	size_t hosts;
	const struct plan_role *peer = crowd(c->arena, j, t, &hosts);

	if (!peer) {
		diag_help(c->diags, d, "%s", otherwise);
		return;
	}
	struct str replicas = check_count(c->arena, hosts);
	if (span_known(peer->replicas_at))
		diag_note(c->diags, d, peer->replicas_at, "%.*s replicas of '%.*s' are named in it", STR_ARG(replicas),
			STR_ARG(peer->name));
	diag_help(c->diags, d, "%.*s addresses x %zu bytes; use shorter names or a file", STR_ARG(replicas),
		length / hosts);
}

static void verify_variable(struct checking *c, const struct plan_job *j, const struct plan_role *r,
	const struct plan_env *e, size_t value)
{
	size_t length = e->name.n + 1 + value + 1;

	if (length <= LIMIT_ENV_STRING)
		return;
	struct str count = check_count(c->arena, length);
	struct span at = check_place(c, e->name_at, r->at, j->name_at);
	if (at.start != e->name_at.start && c->long_variable == e->name_at.start)
		return;                 /* a variable that a framework sets in several roles is reported once */
	c->long_variable = e->name_at.start;
	struct diag *d = diag_report(c->diags, TJ0706, at,
		"'%.*s' is %.*s bytes; Linux allows 131,072 for one variable", STR_ARG(e->name), STR_ARG(count));
	if (at.start != e->name_at.start && span_known(e->name_at))
		diag_note(c->diags, d, e->name_at, "set by the framework here");
	explain_length(c, d, j, e->per_replica ? &e->per_replica[0] : &e->text, length,
		"put it in 'files', or in a volume");
}

/* Adds up arguments; each single argument has the same limit as a variable. */
static size_t arguments(struct checking *c, const struct plan_job *j, const struct plan_role *r,
	const struct emit_measure *m, const struct plan_texts *texts, const char *what, int64_t index)
{
	size_t total = 0;

	for (size_t i = 0; i < texts->n; i++) {
		size_t length = emit_text_length(m, &texts->at[i], index) + 1;
		total += length;
		if (length <= LIMIT_ENV_STRING)
			continue;
		struct str count = check_count(c->arena, length);
		struct diag *d = diag_report(c->diags, TJ0706, check_place(c, texts->at[i].from, texts->from, r->at),
			"element %zu of '%s' is %.*s bytes; Linux allows 131,072 for one argument", i + 1, what,
			STR_ARG(count));
		explain_length(c, d, j, &texts->at[i], length, "put it in 'files', or in a volume");
	}
	return total;
}

/* Finds the longest list of arguments of any replica; one message covers all replicas. */
static size_t longest_arguments(struct checking *c, const struct plan_job *j, const struct plan_role *r,
	const struct emit_measure *m, const struct plan_texts *texts, const char *what)
{
	size_t longest = 0;

	if (!texts->per_replica)
		return arguments(c, j, r, m, texts, what, -1);
	for (int64_t i = 0; i < r->max; i++) {
		size_t errors = c->diags->errors, n = arguments(c, j, r, m, &texts->per_replica[i], what, i);
		longest = n > longest ? n : longest;
		if (c->diags->errors != errors)
			break;
	}
	return longest;
}

/*
 * Sets the severity. TJ0707 is a warning near the limit and an error above it; the table of codes has only one
 * severity per code, so the other must be set here.
 */
static void set_severity(struct diags *ds, struct diag *d, enum severity severity, size_t counted_before)
{
	bool counted = ds->errors + ds->warnings > counted_before;

	if (!counted || d->severity == severity)
		return;
	d->severity = severity;
	ds->errors += severity == SEVERITY_ERROR ? 1 : (size_t)-1;
	ds->warnings += severity == SEVERITY_ERROR ? (size_t)-1 : 1;
}

static void total_length(struct checking *c, const struct plan_job *j, const struct plan_role *r,
	const struct plan_container *pc, size_t total)
{
	size_t counted = c->diags->errors + c->diags->warnings;

	if (total <= LIMIT_EXEC_WARN)
		return;
	struct str size = check_size(c->arena, total), whose = container_phrase(c, r, pc);
	struct diag *d = diag_report(c->diags, TJ0707, check_place(c, pc->name_at, r->at, j->name_at),
		total > LIMIT_EXEC ? "arguments and environment of %.*s are %.*s together; Linux allows 2 MiB" :
		"arguments and environment of %.*s are %.*s together; Linux allows 2 MiB, and the program adds its own",
		STR_ARG(whose), STR_ARG(size));
	diag_help(c->diags, d, "move long texts into 'files'");
	set_severity(c->diags, d, total > LIMIT_EXEC ? SEVERITY_ERROR : SEVERITY_WARNING, counted);
}

static void verify_container_texts(struct checking *c, const struct plan_job *j, const struct plan_role *r,
	const struct plan_container *pc)
{
	struct emit_measure m = emit_measure_of(c->arena, j, r, pc);
	size_t total = longest_arguments(c, j, r, &m, &pc->command, "command") +
		longest_arguments(c, j, r, &m, &pc->args, "args");

	for (size_t i = 0; i < pc->nenv; i++) {
		total += pc->env[i].name.n + m.lengths[i] + 2;
		verify_variable(c, j, r, &pc->env[i], m.lengths[i]);
	}
	total_length(c, j, r, pc, total);
}

/* Checks the sizes of files. TJ0806 is about a single key: several keys can be distributed over ConfigMaps. */
static void files(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	for (size_t i = 0; i < r->nfiles; i++) {
		struct emit_file f = { .file = &r->files[i] };
		size_t n = emit_file_size(j, r, &f, r->files[i].per_replica ? 0 : r->max - 1);
		if (n <= LIMIT_DATA)
			continue;
		struct str size = check_size(c->arena, n);
		struct diag *d = diag_report(c->diags, TJ0806, check_place(c, r->files[i].path_at, r->at, j->name_at),
			"'%.*s' is %.*s; a ConfigMap holds at most 1 MiB", STR_ARG(r->files[i].path), STR_ARG(size));
		diag_help(c->diags, d, "use a volume, or several smaller files");
	}
}

void check_texts(struct checking *c, const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max)
			continue;
		verify_container_texts(c, j, r, &r->main);
		for (size_t k = 0; k < r->nsidecars; k++)
			verify_container_texts(c, j, r, &r->sidecars[k]);
		for (size_t k = 0; k < r->ninits; k++)
			verify_container_texts(c, j, r, &r->inits[k]);
		files(c, j, r);
	}
}
