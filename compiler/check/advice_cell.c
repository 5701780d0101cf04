/*
 * advice_cell.c - help for programs with cells: which copy is meant, and where the number of copies is.
 */
#include "check/context.h"

bool stands_after(struct check *c, struct span at, const char *end)
{
	const struct source *source = source_at(c->program->sources, at.start);
	size_t i = source ? at.start - source->base : 0, n = strlen(end);
	while (i && (source->text.p[i - 1] == ' ' || source->text.p[i - 1] == '\t'))
		i--;
	return i >= n && memcmp(source->text.p + i - n, end, n) == 0;
}

/* The function of a condition whose argument begins at AT, as in ready(server.worker); NULL if there is none. */
static const char *condition_before(struct check *c, struct span at)
{
	static const char *const calls[][2] = { { "done(", "done" }, { "ready(", "ready" }, { "started(", "started" } };

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (stands_after(c, at, calls[i][0]))
			return calls[i][1];
	return NULL;
}

void help_which_copy(struct check *c, struct diag *d, struct span at, struct str cell, struct str rest)
{
	const char *function = condition_before(c, at);

	if (function)
		diag_help(c->diags, d, "write '%s(%.*s)' for all copies, or '%s(%.*s[0]%.*s)'", function, STR_ARG(cell),
			function, STR_ARG(cell), STR_ARG(rest));
	else
		diag_help(c->diags, d, "write '%.*s[0]%.*s', or 'for x in %.*s' for all copies", STR_ARG(cell),
			STR_ARG(rest), STR_ARG(cell));
}

/* Adds help if NAME is the cell, or a role of it: a test asks for a replica of one copy. */
static bool help_cell_in_test(struct check *c, struct diag *d, const struct decl *cell, struct str name)
{
	bool own = str_eq(cell->name, name), role = false;

	for (size_t r = 0; r < cell->nroles; r++)
		role = role || str_eq(cell->roles[r]->name, name);
	if (!own && !role)
		return false;
	struct str words = own ? STR("a cell") : str_printf(c->arena, "a role of cell '%.*s'", STR_ARG(cell->name));
	struct str first = role ? name : cell->nroles ? cell->roles[0]->name : STR("ROLE");
	diag_help(c->diags, d, "it is %.*s: ask for a replica of a copy, 'env(\"%.*s/0/%.*s\", 0)'", STR_ARG(words),
		STR_ARG(cell->name), STR_ARG(first));
	return true;
}

bool help_cells_in_test(struct check *c, struct diag *d, struct nodes decls, struct str name)
{
	for (size_t i = 0; i < decls.n; i++) {
		const struct node *job = decls.at[i];
		for (size_t k = 0; job->kind == NODE_JOB && k < job->u.job.ncells; k++)
			if (help_cell_in_test(c, d, job->u.job.cells[k], name))
				return true;
	}
	return false;
}
