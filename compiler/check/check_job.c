/*
 * check_job.c - checks jobs: the framework, its arguments, the roles and the fields.
 */
#include "check/context.h"
#include "diag/suggest.h"

/* ---- the framework ---- */

static struct decl *framework_by_name(struct check *c, struct node *n)
{
	struct decl *d = map_get(&c->at.module->values, n->u.name.text);
	if (d && d->kind == DECL_FRAMEWORK)     /* a framework is found even when it has the name of a built-in value */
		decl_use(c, d);
	else {
		c->framework_wanted = true;
		d = scope_find(c, n->u.name.text, n->span);
		c->framework_wanted = false;
	}
	n->u.name.decl = d;
	return d;
}

static struct decl *framework_by_member(struct check *c, struct node *n)
{
	struct node *base = n->u.member.base;
	if (base->kind != NODE_NAME) {
		struct diag *g = diag_report(c->diags, TJ0211, n->span,
			"a framework is named by its module and its name");
		const struct decl *module = base->kind == NODE_MEMBER ? scope_peek(c, base->u.member.name) : NULL;
		if (module && module->kind == DECL_IMPORT) {
			struct str right = str_cat(c->arena, base->u.member.name, STR("."), n->u.member.name);
			diag_help(c->diags, g, "write '%.*s'", STR_ARG(right));
			diag_fix(c->diags, g, n->span, right, "write '%.*s'", STR_ARG(right));
		}
		return NULL;
	}
	c->member_of_name = n->u.member.name;
	struct decl *import = scope_find(c, base->u.name.text, base->span);
	c->member_of_name = (struct str){ 0 };
	base->u.name.decl = import;
	base->type = &type_module;
	if (!import || import->kind == DECL_BAD || (import->kind == DECL_IMPORT && !import->node->u.import.module))
		return NULL;
	if (import->kind != DECL_IMPORT) {
		diag_report(c->diags, TJ0211, base->span, "'%.*s' is not an imported module", STR_ARG(import->name));
		return NULL;
	}
	c->framework_wanted = true;
	struct decl *d = module_member(c, import->node->u.import.module, n->u.member.name, n->u.member.name_span,
		false);
	c->framework_wanted = false;
	n->u.member.decl = d;
	return d;
}

static void report_not_framework(struct check *c, const struct node *n, const struct decl *d)
{
	struct str words = node_words(c, n);
	struct diag *g = diag_report(c->diags, TJ0302, n->span, "'%.*s' is not a framework", STR_ARG(words));
	if (span_known(d->span))
		diag_note(c->diags, g, d->span, "declared here");
	if (d->kind == DECL_IMPORT) {
		struct suggest s;
		const struct map *values = &d->node->u.import.module->values;
		suggest_init(&s, c->arena, STR(""));
		for (size_t i = 0; i < values->n; i++) {
			const struct decl *other = values->entries[i].value;
			if (other->kind == DECL_FRAMEWORK && other->name.p[0] != '_')
				suggest_add(&s,
					str_printf(c->arena, "%.*s.%.*s", STR_ARG(words), STR_ARG(other->name)));
		}
		help_suggest(c, g, &s, "its frameworks are", n->span);
	}
}

struct decl *find_framework(struct check *c, struct node *n)
{
	n->type = &type_module;
	struct decl *d = n->kind == NODE_NAME ? framework_by_name(c, n) : n->kind == NODE_MEMBER
		? framework_by_member(c, n) : NULL;
	if (!d || d->kind == DECL_BAD || (d->kind == DECL_IMPORT && !d->node->u.import.module))
		return NULL;
	if (d->kind != DECL_FRAMEWORK) {
		report_not_framework(c, n, d);
		return NULL;
	}
	if (decl_type(c, d)->kind == TYPE_BAD)
		return NULL;
	report_deprecated(c, n, d);
	return d->node->u.blueprint_decl.base && !d->base ? NULL : d;
}

static void check_arguments(struct check *c, struct node *n, struct decl *framework)
{
	bool lift;
	n->u.job.bound = ARENA_ARRAY(c->arena, struct node *, framework->nformals);
	struct span at = n->u.job.has_args ? n->u.job.args_span : n->u.job.blueprint->span;
	bind_arguments(c, framework, n->u.job.args, at, n->u.job.blueprint->span, n->u.job.bound, &lift);
}

static void check_loose_arguments(struct check *c, struct node *n)
{
	for (size_t i = 0; i < n->u.job.args.n; i++)
		if (n->u.job.args.at[i]->kind == NODE_ARG)
			type_loose(c, n->u.job.args.at[i]->u.arg.value);
}

/* ---- roles ---- */

struct decl *framework_role(const struct decl *framework, struct str name)
{
	for (size_t i = 0; framework && i < framework->nroles; i++)
		if (name_eq(framework->roles[i]->name, name))
			return framework->roles[i];
	return NULL;
}

struct role_search {
	struct check *check;
	struct node *job;               /* the job, or a cell as a job of its own */
	enum block block;               /* BLOCK_JOB or BLOCK_CELL */
	bool inner;                     /* the items are inside an `if` or `for` */
	struct decl *framework;
	bool known;                     /* false if the job names a framework that could not be found */
};

static bool mentions_role(const struct node *body, struct str name)
{
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind == NODE_BLOCK && str_eq(item->u.block.name, name))
			return true;
	}
	return false;
}

/* The only role of the framework that the job does not mention; empty when there are more. */
static struct str only_left(const struct role_search *r)
{
	struct str left = STR("");
	size_t n = 0;
	for (size_t i = 0; i < r->framework->nroles; i++)
		if (!mentions_role(r->job->u.job.body, r->framework->roles[i]->name)) {
			left = r->framework->roles[i]->name;
			n++;
		}
	return n == 1 ? left : STR("");
}

/* Is it a word of other tools for the replica with rank 0? */
static bool is_first_replica(struct str name)
{
	static const char *const words[] = { "master", "chief", "leader", "coordinator", "head", "launcher", "rank0" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(name, words[i]))
			return true;
	return false;
}

static void report_job_role(struct role_search *r, struct node *block)
{
	struct check *c = r->check;
	struct str words = node_words(c, r->job->u.job.blueprint), name = block->u.block.name;
	if (r->framework->lost)
		return;
	struct diag *d = diag_report(c->diags, TJ0501, block->u.block.name_span, "'%.*s' has no role '%.*s'",
		STR_ARG(words), STR_ARG(name));
	struct suggest s;
	suggest_init(&s, c->arena, name);
	for (size_t i = 0; i < r->framework->nroles; i++)
		suggest_add(&s, r->framework->roles[i]->name);
	help_suggest(c, d, &s, "its roles are", block->u.block.name_span);
	struct str only = suggest_only(&s), left = only_left(r);
	if (only.n && !mentions_role(r->job->u.job.body, only))
		block->u.block.name = names_intern(c->names, only);   /* continue with the role that was meant */
	if (r->framework->nroles == 1 && is_first_replica(name)) {
		diag_help(c->diags, d, "the first replica of '%.*s' is the %.*s: remove this role, and count it in "
			"'replicas'", STR_ARG(r->framework->roles[0]->name), STR_ARG(name));
		diag_note(c->diags, d, r->framework->span, "declared here");
		return;
	}
	if (r->block == BLOCK_CELL)
		diag_help(c->diags, d, "to add one to the framework's roles, set 'other_roles = true' in the cell");
	else if (left.n && !suggest_sentence(&s).n)
		diag_help(c->diags, d, "for '%.*s' write '%.*s', or 'aux %.*s' for a role outside the cluster",
			STR_ARG(name), STR_ARG(left), STR_ARG(name));
	else
		diag_help(c->diags, d, "for a role outside the cluster write 'aux %.*s'", STR_ARG(name));
	if (r->block != BLOCK_CELL && !left.n && !suggest_sentence(&s).n)
		diag_help(c->diags, d, "to add one to the framework's roles, set 'other_roles = true' in the job");
	diag_note(c->diags, d, r->framework->span, "declared here");
}

static void add_job_role(struct role_search *r, struct node *block)
{
	struct check *c = r->check;
	bool aux = str_is(block->u.block.word, "aux");
	struct decl *origin = aux ? NULL : framework_role(r->framework, block->u.block.name);
	if (block->u.block.decl)
		return;
	const struct decl *theirs = aux ? framework_role(r->framework, block->u.block.name) : NULL;
	if (theirs) {                           /* an error, because objects of the two would have the same name */
		struct diag *g = diag_report(c->diags, TJ0204, block->u.block.name_span,
			"'%.*s' is a role of the framework", STR_ARG(theirs->name));
		diag_note(c->diags, g, theirs->span, "declared here");
		diag_help(c->diags, g, "write 'role %.*s' for the framework's, or rename the 'aux' role",
			STR_ARG(theirs->name));
		return;
	}
	if (!aux && r->framework && !origin && !r->framework->other_roles && !takes_other_roles(r->job->u.job.body)) {
		report_job_role(r, block);
		origin = framework_role(r->framework, block->u.block.name);
	}
	struct decl *d = decl_new(c, DECL_ROLE, block->u.block.name, block->u.block.name_span, block);
	d->type = &type_role;
	d->aux = aux;
	d->origin = origin;
	d->replicas = origin ? origin->replicas : aux || r->known ? NULL : &type_bad;
	block->u.block.decl = d;
	struct decl *first = map_get(&c->at.scope->names, d->name);
	if (!first) {
		scope_declare_role(c, d);
	} else if (first->kind == DECL_CELL || (first->kind == DECL_ROLE && first->aux != aux)) {
		struct diag *g = diag_report(c->diags, TJ0204, d->span, first->kind == DECL_CELL ?
			"'%.*s' is already declared in this job" : "role '%.*s' is already declared in this job",
			STR_ARG(d->name));
		diag_note(c->diags, g, first->span, "first declared here");
	}
	struct node *job = r->job;
	if (!origin)
		ARENA_PUSH(c->arena, job->u.job.roles, job->u.job.nroles, d);
}

static void find_cell(struct role_search *outer, struct node *block);

static void find_roles_inside(struct role_search *r, struct node *body);

static void find_roles(struct role_search *r, struct node *body)
{
	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		struct node *item = check_block_shape(r->check, body->u.body.items.at[i], r->block, r->framework,
			r->job->u.job.body);
		body->u.body.items.at[i] = item;
		if (item->kind == NODE_BLOCK)
			check_block_word(r->check, item, r->block);
		if (item->kind == NODE_BLOCK && (str_is(item->u.block.word, "role") ||
		    (str_is(item->u.block.word, "aux") && r->block == BLOCK_JOB)))
			add_job_role(r, item);
		else if (item->kind == NODE_BLOCK && str_is(item->u.block.word, "cell") && r->block == BLOCK_JOB)
			find_cell(r, item);
		else if (item->kind == NODE_FOR_ITEM)
			find_roles_inside(r, item->u.for_item.body);
		for (; item && item->kind == NODE_IF_ITEM; item = item->u.if_item.otherwise)
			find_roles_inside(r, item->u.if_item.then);
		if (item && item->kind == NODE_BODY && item != body->u.body.items.at[i])
			find_roles_inside(r, item);
	}
}

static void find_roles_inside(struct role_search *r, struct node *body)
{
	bool inner = r->inner;

	r->inner = true;
	find_roles(r, body);
	r->inner = inner;
}

/* Adds to the scope those roles that the framework declares and the job does not mention. */
static void other_roles(struct check *c, struct node *n, struct decl *framework)
{
	struct decl **mine = n->u.job.roles;
	size_t nmine = n->u.job.nroles;
	n->u.job.roles = NULL;
	n->u.job.nroles = 0;
	for (size_t i = 0; framework && i < framework->nroles; i++) {
		struct decl *d = map_get(&c->at.scope->names, framework->roles[i]->name);
		if (d && d->kind == DECL_CELL) {
			struct diag *g = diag_report(c->diags, TJ0204, d->span, "'%.*s' is a role of the framework",
				STR_ARG(d->name));
			diag_note(c->diags, g, framework->roles[i]->span, "declared here");
			diag_help(c->diags, g, "rename the cell");
			d = framework->roles[i];
		}
		if (!d) {
			d = framework->roles[i];
			map_put(&c->at.scope->names, c->arena, d->name, d);
		}
		ARENA_PUSH(c->arena, n->u.job.roles, n->u.job.nroles, d);
	}
	for (size_t i = 0; i < nmine; i++)
		ARENA_PUSH(c->arena, n->u.job.roles, n->u.job.nroles, mine[i]);
}

/* ---- cells ---- */

/* The type of a cell: a list of its copies, which knows the cell. */
static const struct type *cell_type(struct check *c, struct decl *cell)
{
	struct type *copy = ARENA_NEW(c->arena, struct type), *list = ARENA_NEW(c->arena, struct type);

	*copy = (struct type){ .kind = TYPE_COPY, .record = cell };
	*list = (struct type){ .kind = TYPE_LIST, .elem = copy, .record = cell };
	return list;
}

/* The cell as a job of its own. */
static struct node *cell_job(struct check *c, const struct node *block)
{
	struct node *n = node_new(c->arena, NODE_JOB, block->span);

	n->u.job.blueprint = block->u.block.framework;
	n->u.job.args = block->u.block.args;
	n->u.job.args_span = block->u.block.args_span;
	n->u.job.has_args = span_known(block->u.block.args_span);
	n->u.job.body = block->u.block.body;
	n->u.job.framework = n->u.job.blueprint ? find_framework(c, n->u.job.blueprint) : NULL;
	return n;
}

/* Declares a name in the scope of the job; false if a role or another cell has it. */
static bool declare_cell(struct check *c, struct decl *d)
{
	const struct decl *first = map_get(&c->at.scope->names, d->name);

	if (!first) {
		scope_declare(c, d);
		return true;
	}
	if (first->kind == DECL_ROLE) {         /* two cells of one name are reported as blocks of their body */
		struct diag *g = diag_report(c->diags, TJ0204, d->span, "'%.*s' is already declared in this job",
			STR_ARG(d->name));
		diag_note(c->diags, g, first->span, "first declared here");
		diag_help(c->diags, g, "a cell and the roles of the job need different names");
	}
	return false;
}

/* Declares a cell, and finds its roles. Where a cell has no place, its name is known but stands for nothing. */
static void find_cell(struct role_search *outer, struct node *block)
{
	struct check *c = outer->check;
	struct where saved = c->at;
	struct decl *d = decl_new(c, outer->inner ? DECL_BAD : DECL_CELL, block->u.block.name, block->u.block.name_span,
		block);

	block->u.block.decl = d;
	d->state = 2;
	d->type = outer->inner ? &type_bad : cell_type(c, d);
	if (!declare_cell(c, d) || outer->inner)
		return;
	d->cell = cell_job(c, block);
	struct decl *framework = d->cell->u.job.framework;
	struct role_search search = { c, d->cell, BLOCK_CELL, false, framework,
		framework || !d->cell->u.job.blueprint };
	d->scope = scope_enter(c, SCOPE_JOB, block->u.block.body);
	d->scope->block = BLOCK_CELL;
	d->scope->job = d->cell;
	find_roles(&search, block->u.block.body);
	other_roles(c, d->cell, framework);
	d->roles = d->cell->u.job.roles;
	d->nroles = d->cell->u.job.nroles;
	c->at = saved;
	ARENA_PUSH(c->arena, outer->job->u.job.cells, outer->job->u.job.ncells, d);
}

/* Reports roles of a cell that the job has, too: it would be unclear which one is meant (TJ0205). */
static void test_cell_roles(struct check *c, const struct node *job, struct decl *cell)
{
	for (size_t i = 0; i < cell->nroles; i++) {
		struct decl *mine = cell->roles[i];
		const struct decl *other = NULL;
		for (size_t k = 0; k < job->u.job.nroles && !other; k++)
			other = name_eq(job->u.job.roles[k]->name, mine->name) ? job->u.job.roles[k] : NULL;
		if (!other)
			continue;
		bool written = mine->node && mine->module == cell->module && mine->cell == NULL &&
			mine->span.start >= cell->node->span.start && mine->span.end <= cell->node->span.end;
		struct diag *d = diag_report(c->diags, TJ0205, written ? mine->span : cell->span,
			"role '%.*s' of cell '%.*s' is also a role of the job", STR_ARG(mine->name),
			STR_ARG(cell->name));
		diag_note(c->diags, d, other->span, "the job's role");
		if (job->u.job.blueprint)
			diag_help(c->diags, d, "make the job's own part a cell, too: 'cell NAME: %.*s { ... }'",
				STR_ARG(node_words(c, job->u.job.blueprint)));
		else
			diag_help(c->diags, d, "rename one of them, or make the job's own part a cell, too");
		mine->hides = true;
	}
}

static void check_cell(struct check *c, struct decl *d)
{
	struct where saved = c->at;

	if (d->cell->u.job.framework)
		check_arguments(c, d->cell, d->cell->u.job.framework);
	else
		check_loose_arguments(c, d->cell);
	c->at.scope = d->scope;
	scope_lets(c, d->cell->u.job.body);
	check_open_block(c, d->cell->u.job.body, BLOCK_CELL);
	c->at = saved;
}

/* ---- the whole ---- */

static void check_clause(struct check *c, struct binder *binders, unsigned n, struct node *list)
{
	check_binders(c, binders, n, list);
	scope_enter(c, SCOPE_LOCAL, NULL);
	for (unsigned i = 0; i < n; i++) {
		binders[i].decl->silent = true;
		scope_declare(c, binders[i].decl);
	}
}

static void check_fleet(struct check *c, struct node *n)
{
	check_clause(c, n->u.job.binders, n->u.job.nbinders, n->u.job.list);
	for (size_t i = 0; i < n->u.job.nmore; i++)
		check_clause(c, n->u.job.more[i].binders, n->u.job.more[i].nbinders, n->u.job.more[i].list);
	if (n->u.job.filter)
		check_condition(c, n->u.job.filter, "the filter of a sweep", false);
}

void check_job(struct check *c, struct node *n)
{
	struct where saved = c->at;
	struct decl *framework = NULL;
	struct site title = { .what = STR("the name of a job") };
	c->at.scope = NULL;
	if (n->u.job.list)
		check_fleet(c, n);
	check_expr(c, n->u.job.title, &type_string, &title);
	if (n->u.job.blueprint)
		framework = find_framework(c, n->u.job.blueprint);
	n->u.job.framework = framework;
	if (framework)
		check_arguments(c, n, framework);
	else
		check_loose_arguments(c, n);
	struct role_search search = { c, n, BLOCK_JOB, false, framework, framework || !n->u.job.blueprint };
	struct scope *s = scope_enter(c, SCOPE_JOB, n->u.job.body);
	s->block = BLOCK_JOB;
	s->job = n;
	n->u.job.roles = NULL;
	n->u.job.nroles = 0;
	n->u.job.cells = NULL;
	n->u.job.ncells = 0;
	find_roles(&search, n->u.job.body);
	other_roles(c, n, framework);
	for (size_t i = 0; i < n->u.job.ncells; i++)
		test_cell_roles(c, n, n->u.job.cells[i]);
	scope_lets(c, n->u.job.body);
	check_open_block(c, n->u.job.body, BLOCK_JOB);
	for (size_t i = 0; i < n->u.job.ncells; i++)
		check_cell(c, n->u.job.cells[i]);
	c->at = saved;
}
