/*
 * defaults.c - lists the values that a program gets without setting them. The plan has the source position that
 * decided each value. A position in another file means that a framework or the project decided the value. An unknown
 * position, or that of the role's own name, means that the value is the language's default.
 */
#include "lsp/defaults.h"

#include "plan/plan_shape.h"

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

/*
 * Lists the members of OBJECT that are fields of the language with one value. A field that is added to plan.def is
 * listed without a change here.
 */
static void list_members(struct listing *l, const struct shape *s, const void *object)
{
	struct plan_field f;

	for (size_t i = 0; i < s->n; i++) {
		const struct shape_row *r = &s->rows[i];
		if (r->type == &shape_part && r->member)
			list_members(l, r->of, shape_at(r, object));
		else if (plan_field_of(l->arena, r, object, &f))
			list_default(l, f.name, f.value, f.from, f.quoted);
	}
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

	list_members(&l, &shape_plan_job, j);
	if (!j->clean.set)
		list_default(&l, "clean", j->clean.value, j->clean.from, true);
	if (!j->restarts.set)
		list_default(&l, "restarts", STR("0"), j->restarts.from, false);
	if (j->success)
		list_default(&l, "success", plan_condition_text(a, j, j->success), j->success->from, false);
	return listed(&l);
}

struct lsp_defaults defaults_of_role(struct arena *a, const struct analysis *an, const struct plan_role *r)
{
	struct listing l = { .arena = a, .an = an, .own = r->at };

	if (!r->elastic)
		list_default(&l, "replicas", str_int(a, r->max), r->replicas_at, false);
	list_members(&l, &shape_plan_role, r);
	return listed(&l);
}
