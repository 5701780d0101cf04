/*
 * unused.c - reports declarations that nothing mentions (TJ1001, TJ1002). A part of the file that did not parse may
 * mention them, and a misspelt name may have been meant for one. So nothing is reported about a program with such
 * errors.
 */
#include "check/check.h"

/* Does a module import itself? Then the failed import may have been meant to use a declaration that looks unused. */
static bool imports_itself(const struct program *p)
{
	for (size_t i = 0; i < p->diags->n; i++)
		if (p->diags->at[i]->code == TJ0209)
			return true;
	return false;
}

static bool any_broken(const struct program *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->modules[i]->broken)
			return true;
	return false;
}

/*
 * Widens SPAN to its whole line if nothing else is on it. Includes the empty line after it if the declaration is first
 * in the file or follows another empty line.
 */
static struct span whole_line(const struct sources *sources, struct span span)
{
	const struct source *source = source_at(sources, span.start);
	struct str text = source->text;
	size_t from = span.start - source->base, to = span.end - source->base;

	while (from && (text.p[from - 1] == ' ' || text.p[from - 1] == '\t'))
		from--;
	while (to < text.n && (text.p[to] == ' ' || text.p[to] == '\t' || text.p[to] == '\r'))
		to++;
	if ((from && text.p[from - 1] != '\n') || (to < text.n && text.p[to] != '\n'))
		return span;
	to += to < text.n;
	bool apart = from == 0 || (from >= 2 && text.p[from - 2] == '\n');
	size_t next = to;
	while (apart && next < text.n && text.p[next] == '\r')
		next++;
	if (apart && next < text.n && text.p[next] == '\n')
		to = next + 1;
	return (struct span){ (uint32_t)from + source->base, (uint32_t)to + source->base };
}

static void report_import(struct program *p, const struct decl *d)
{
	const struct node *n = d->node;
	struct str what = n->u.import.path ? n->u.import.module->dotted : n->u.import.file;
	struct diag *g = diag_report(p->diags, TJ1002, n->span, "import '%.*s' is never used", STR_ARG(what));
	diag_help(p->diags, g, "remove it");
	diag_fix(p->diags, g, whole_line(p->sources, n->span), STR(""), "remove import '%.*s'", STR_ARG(what));
}

/* The words after a `$` in the source of the program, as in "--n=$n": a value may have been meant. */
static struct map dollared_words(struct program *p)
{
	const struct source *s = p->root && p->root->file ? source_at(p->sources, p->root->file->span.start) : NULL;
	struct map words = { 0 };

	for (size_t i = 0; s && i + 1 < s->text.n; i++) {
		size_t n = 0;
		if (s->text.p[i] != '$')
			continue;
		for (const char *c = s->text.p + i + 1; i + 1 + n < s->text.n; n++)
			if (!str_is_word((struct str){ c + n, 1 }) && !(n && c[n] >= '0' && c[n] <= '9'))
				break;
		if (n)
			map_put_const(&words, p->arena, (struct str){ s->text.p + i + 1, n }, s);
	}
	return words;
}

static void report_unused(struct program *p, const struct decl *d, const struct map *dollared)
{
	struct diag *g;
	switch (d->kind) {
	case DECL_PARAM:
		g = diag_report(p->diags, TJ1001, d->span, "parameter '%.*s' is never used", STR_ARG(d->name));
		if (map_get(dollared, d->name))
			diag_help(p->diags, g, "a shell would replace $%.*s; a value of the program is inserted by "
				"${%.*s}", STR_ARG(d->name), STR_ARG(d->name));
		else
			diag_help(p->diags, g, "remove it, or use it");
		return;
	case DECL_IMPORT: report_import(p, d); return;
	case DECL_LET: g = diag_report(p->diags, TJ1002, d->span, "'%.*s' is never used", STR_ARG(d->name)); break;
	case DECL_FN:
		g = diag_report(p->diags, TJ1002, d->span, "function '%.*s' is never used", STR_ARG(d->name));
		break;
	case DECL_FORMAL:
		g = diag_report(p->diags, TJ1002, d->span, "argument '%.*s' is never used", STR_ARG(d->name));
		break;
	default: return;
	}
	diag_help(p->diags, g, "remove it");
}

static bool has_job(const struct module *m)
{
	for (size_t i = 0; i < m->file->u.file.decls.n; i++)
		if (m->file->u.file.decls.at[i]->kind == NODE_JOB)
			return true;
	return false;
}

/* Can another program import the declaration? LONE: the root file has no jobs and may be a module itself. */
static bool exported(const struct decl *d, bool lone)
{
	bool module = d->module && (!d->module->root || lone);

	return (d->kind == DECL_LET || d->kind == DECL_FN || d->kind == DECL_PARAM) && module && !d->scope &&
		d->name.p[0] != '_';
}

void check_unused(struct program *p)
{
	if (p->check_failed || p->in_part || imports_itself(p) || any_broken(p))
		return;
	struct map dollared = dollared_words(p);
	bool lone = p->lone_modules && p->root && !has_job(p->root);
	for (size_t i = 0; i < p->nunused; i++) {
		const struct decl *d = p->unused[i];
		if (!d->used && !d->silent && !exported(d, lone))
			report_unused(p, d, &dollared);
	}
	check_unused_defaults(p);
}
