/*
 * unused.c - what nothing mentions (TJ1001, TJ1002).
 *
 * A file that did not parse may mention it in the part that is missing, and a
 * misspelt name may have been meant for it, so nothing is said about a program
 * with such mistakes (decision 26).
 */
#include "check/check.h"

static bool any_broken(const struct program *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->modules[i]->broken)
			return true;
	return false;
}

static void report_import(struct program *p, const struct decl *d)
{
	const struct node *n = d->node;
	struct str what = n->u.import.path ? n->u.import.module->dotted : n->u.import.file;
	struct diag *g = diag_report(p->diags, TJ1002, n->span, "import '%.*s' is never used", STR_ARG(what));
	diag_help(p->diags, g, "remove it");
	diag_fix(p->diags, g, n->span, STR(""), "remove the import");
}

static void report_unused(struct program *p, const struct decl *d)
{
	struct diag *g;
	switch (d->kind) {
	case DECL_PARAM:
		g = diag_report(p->diags, TJ1001, d->span, "parameter '%.*s' is never used", STR_ARG(d->name));
		diag_help(p->diags, g, "remove it, or use it");
		return;
	case DECL_IMPORT: report_import(p, d); return;
	case DECL_LET: g = diag_report(p->diags, TJ1002, d->span, "'%.*s' is never used", STR_ARG(d->name)); break;
	case DECL_FN: g = diag_report(p->diags, TJ1002, d->span, "function '%.*s' is never used", STR_ARG(d->name)); break;
	case DECL_FORMAL: g = diag_report(p->diags, TJ1002, d->span, "argument '%.*s' is never used", STR_ARG(d->name)); break;
	default: return;
	}
	diag_help(p->diags, g, "remove it");
}

/* What another program may import (decision 26). */
static bool exported(const struct decl *d)
{
	return (d->kind == DECL_LET || d->kind == DECL_FN) && d->module && !d->module->root && !d->scope && d->name.p[0] != '_';
}

void check_unused(struct program *p)
{
	if (p->check_failed || any_broken(p))
		return;
	for (size_t i = 0; i < p->nunused; i++) {
		const struct decl *d = p->unused[i];
		if (!d->used && !d->silent && !exported(d))
			report_unused(p, d);
	}
}
