/*
 * unused_default.c - reports a field of a job or cell that is to be a default of its roles, and which every role sets
 * itself (TJ1002): the number or text has no effect, and something else was probably meant.
 */
#include "check/check.h"
#include "check/context.h"

static bool sets(const struct node *body, struct str name)
{
	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind == NODE_SET && str_eq(item->u.item.key.text, name))
			return true;
	}
	return false;
}

/* Would the role take the default? A role of the framework without a block in the job does. */
static bool takes_default(const struct node *job, const struct decl *role, struct str name)
{
	if (role->aux && !schema_find(BLOCK_AUX, name))
		return false;
	return (job->u.job.framework && framework_role(job->u.job.framework, role->name) == role) || !role->node ||
		role->node->kind != NODE_BLOCK || !sets(role->node->u.block.body, name);
}

static bool any_takes_default(const struct node *job, struct str name)
{
	for (size_t i = 0; i < job->u.job.nroles; i++)
		if (takes_default(job, job->u.job.roles[i], name))
			return true;
	for (size_t i = 0; !str_is(name, "replicas") && i < job->u.job.ncells; i++) {
		const struct node *cell = job->u.job.cells[i]->cell;
		if (!sets(cell->u.job.body, name) && any_takes_default(cell, name))
			return true;
	}
	return false;
}

/* Reports the defaults of one body; CELL is the declaration of the cell, NULL for the job itself. */
static void test_defaults(struct program *p, const struct node *job, const struct decl *cell)
{
	const struct node *body = job->u.job.body;

	for (size_t i = 0; body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		const struct field *f = item->kind == NODE_SET ? schema_find(BLOCK_ROLE, item->u.item.key.text) : NULL;
		if (!f || strcmp(f->fallback, "{}") == 0 || !(job->u.job.nroles || job->u.job.ncells) ||
			any_takes_default(job, item->u.item.key.text))
			continue;
		struct diag *d = diag_report(p->diags, TJ1002, item->u.item.key.span, cell ?
			"no role of the cell uses this '%s'" : "no role of the job uses this '%s'", f->name);
		bool number = str_is(item->u.item.key.text, "replicas");
		if (number && cell)
			diag_help(p->diags, d, "remove it, or write 'copies' for the number of copies of '%.*s'",
				STR_ARG(cell->name));
		else if (number && job->u.job.ncells)
			diag_help(p->diags, d, "remove it: roles of a cell take 'replicas' from the cell");
		else
			diag_help(p->diags, d, "remove it: each role has its own");
	}
}

void check_unused_defaults(struct program *p)
{
	const struct nodes *decls = p->root ? &p->root->file->u.file.decls : NULL;

	for (size_t i = 0; decls && i < decls->n; i++) {
		const struct node *job = decls->at[i];
		if (job->kind != NODE_JOB || (job->u.job.blueprint && !job->u.job.framework))
			continue;
		test_defaults(p, job, NULL);
		for (size_t k = 0; k < job->u.job.ncells; k++)
			test_defaults(p, job->u.job.cells[k]->cell, job->u.job.cells[k]);
	}
}
