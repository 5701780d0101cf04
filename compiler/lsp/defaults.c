/*
 * defaults.c - lists the values that a program gets without setting them. The plan has the source position that
 * decided each value. A position in another file means that a framework or the project decided the value. An unknown
 * position, or that of the role's own name, means that the value is the language's default.
 */
#include "lsp/defaults.h"

struct listing {
	struct arena *arena;
	const struct analysis *an;
	struct span own;                /* the position that values decided by the language have in the plan */
	struct buf decided, all;
};

enum { LONGEST = 40 };                  /* maximum bytes of a value that is shown next to the source */

static void list_default(struct listing *l, const char *field, struct str value, struct span from, bool quoted)
{
	const struct source *s = span_known(from) && from.start != l->own.start ?
		source_at(&l->an->compile->sources, from.start) : NULL;
	const char *quote = quoted ? "\"" : "";

	if (!value.n || (s && s == l->an->compile->program.root->source))
		return;
	buf_printf(&l->all, "%s = %s%.*s%s", field, quote, STR_ARG(value), quote);
	if (s) {
		buf_printf(&l->all, "   # %.*s", STR_ARG(s->name));
		if (value.n <= LONGEST)
			buf_printf(&l->decided, "%s%s %.*s", l->decided.n ? ", " : "", field, STR_ARG(value));
	}
	buf_char(&l->all, '\n');
}

static void list_text(struct listing *l, const char *field, const struct plan_str *v)
{
	if (v->set)
		list_default(l, field, v->value, v->from, true);
}

static void list_count(struct listing *l, const char *field, const struct plan_int *v)
{
	if (v->set)
		list_default(l, field, str_int(l->arena, v->value), v->from, false);
}

static void list_quantity(struct listing *l, const char *field, const struct plan_quantity *v)
{
	if (v->set)
		list_default(l, field, quantity_text(l->arena, v->value), v->from, false);
}

static void list_duration(struct listing *l, const char *field, const struct plan_quantity *v)
{
	if (v->set)
		list_default(l, field, duration_text(l->arena, v->value), v->from, false);
}

static struct lsp_defaults listed(struct listing *l)
{
	struct lsp_defaults d = { .decided = buf_take(&l->decided, l->arena), .all = buf_take(&l->all, l->arena) };

	buf_release(&l->decided);
	buf_release(&l->all);
	return d;
}

struct str defaults_text(struct arena *a, struct str lines)
{
	return lines.n ? str_printf(a, "By default:\n\n```tj\n%.*s```\n", STR_ARG(lines)) : STR("");
}

struct lsp_defaults defaults_of_job(struct arena *a, const struct analysis *an, const struct plan_job *j)
{
	struct listing l = { .arena = a, .an = an, .own = j->name_at };

	list_text(&l, "namespace", &j->ns);
	list_text(&l, "queue", &j->queue);
	list_text(&l, "gang", &j->gang);
	list_text(&l, "scheduler", &j->scheduler);
	list_text(&l, "priority", &j->priority);
	if (j->success)
		list_default(&l, "success", plan_condition_text(a, j, j->success), j->success->from, false);
	list_default(&l, "clean", j->clean.value, j->clean.from, true);
	list_default(&l, "restarts", str_int(a, j->restarts.value), j->restarts.from, false);
	list_duration(&l, "timeout", &j->timeout);
	list_duration(&l, "ttl", &j->ttl);
	return listed(&l);
}

struct lsp_defaults defaults_of_role(struct arena *a, const struct analysis *an, const struct plan_role *r)
{
	struct listing l = { .arena = a, .an = an, .own = r->at };

	if (!r->elastic)
		list_default(&l, "replicas", str_int(a, r->max), r->replicas_at, false);
	list_text(&l, "image", &r->main.image);
	list_text(&l, "workdir", &r->main.workdir);
	list_quantity(&l, "cpu", &r->main.asks.cpu);
	list_quantity(&l, "memory", &r->main.asks.memory);
	list_quantity(&l, "disk", &r->main.asks.disk);
	list_text(&l, "restart", &r->restart);
	list_count(&l, "retries", &r->retries);
	list_text(&l, "spread", &r->spread);
	list_duration(&l, "grace", &r->grace);
	list_text(&l, "service", &r->service);
	list_text(&l, "service_account", &r->service_account);
	return listed(&l);
}
