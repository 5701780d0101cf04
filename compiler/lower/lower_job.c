/*
 * lower_job.c - lowers one job, from its declaration to its plan.  The framework's body and the job's body are
 * evaluated first (if, for, spreads).  From then on every field is a slot that is evaluated when it is needed, and
 * lowering requests all of them in a fixed order.
 */
#include "eval/internal.h"
#include "lower/lower.h"

#include "eval/blueprint.h"
#include "eval/job.h"
#include "eval/plan_value.h"
#include "lower/lower_rules.h"
#include "lower/model.h"

/* ---- name, namespace and hosts of the job ---- */

/* Tells whether a framework sets the field ID. */
static bool framework_says(const struct job *j, enum field_id id)
{
	for (unsigned i = 0; i < j->nlayers; i++)
		if (said_first(j->layers[i].body, id))
			return true;
	return false;
}

static bool job_name(struct job *j)
{
	struct eval *ev = j->ev;
	const struct value *v = eval_expr(ev, j->frame, j->node->u.job.title);
	struct text pieces;
	if (!value_ok(v) || !value_text(ev->arena, v, &pieces) || !text_flatten(ev, &pieces, &j->name))
		return false;
	if (j->options->name.p && (!j->options->only.p || str_eq(j->name, j->options->only)))
		j->name = j->options->name;
	j->plan->name = j->name;
	j->plan->name_at = j->node->u.job.title->span;
	return convert_job_name(ev, j->name, j->plan->name_at);
}

static void job_namespace(struct job *j)
{
	struct plan_job *p = j->plan;
	if (j->options->ns.p) {
		p->ns = (struct plan_str){ j->options->ns, { 0 }, true };
		return;
	}
	const struct value *v = job_field(j, FIELD_NAMESPACE);
	if (v->kind == VALUE_STRING)
		p->ns = (struct plan_str){ v->u.string, job_field_at(j, FIELD_NAMESPACE), true };
}

static void job_hosts(struct job *j)
{
	const struct project *project = &j->ev->program->project;
	const struct value *v = framework_says(j, FIELD_HOSTS) ? job_field(j, FIELD_HOSTS) : &value_none;
	struct str hosts = v->kind == VALUE_STRING ? v->u.string : project->hosts;
	j->plan->hosts = str_is(hosts, "service") ? HOSTS_SERVICE : str_is(hosts, "name") ? HOSTS_NAME :
		HOSTS_SUBDOMAIN;
	j->plan->domain = j->options->domain.p ? j->options->domain : project->domain;
}

/*
 * Collects the names that a framework reserves. Their number is limited, because every variable is compared with each
 * of them.
 */
static void layer_reserved(struct job *j, unsigned layer)
{
	enum { MOST = 256 };
	struct eval *ev = j->ev;
	struct said said = { 0 };
	size_t n;
	said_by(ev, j->layers[layer].body, FIELD_RESERVE, level_own(layer), &said);
	const struct value *v = said_value(ev, &said);
	struct plan_str *names = v ? value_strs(ev, v, &n) : (n = 0, NULL);
	if (n > MOST) {
		struct diag *d = diag_report(ev->diags, TJ0407, v->from, "'reserve' lists %zu names; at most %d", n,
			MOST);
		diag_help(ev->diags, d, "reserve names with the same beginning as one pattern, such as \"RING_*\"");
		return;
	}
	for (size_t i = 0; i < n; i++)
		ARENA_PUSH(eval_work(ev), j->reserved, j->nreserved, ((struct reserved){ names[i].value, layer }));
}

/* ---- roles ---- */

static const struct entry *block_entry(const struct entries *entries, const char *word, struct str name)
{
	for (size_t i = 0; entries && i < entries->n; i++) {
		const struct node *item = entries->at[i].item;
		if (item && item->kind == NODE_BLOCK && str_is(item->u.block.word, word) &&
			str_eq(item->u.block.name, name))
			return &entries->at[i];
	}
	return NULL;
}

static struct role *role_new(struct job *j, struct str name, struct span at, bool aux)
{
	struct role *r = ARENA_NEW(eval_work(j->ev), struct role);
	r->number = (unsigned)j->nroles;
	r->name = name;
	r->at = at;
	r->aux = aux;
	r->job = j;
	r->seen = -1;
	ARENA_PUSH(eval_work(j->ev), j->roles, j->nroles, r);
	return r;
}

static void job_block(struct role *r, const struct entry *e)
{
	if (!e)
		return;
	r->own = e;
	r->block = e->item;
	r->job_decl = e->item->u.block.decl;
	r->at = e->item->u.block.name_span;
}

static struct decl *layer_role(const struct job *j, unsigned layer, struct str name)
{
	const struct decl *framework = j->layers[layer].framework;
	for (size_t i = 0; i < framework->nroles; i++)
		if (str_eq(framework->roles[i]->name, name))
			return framework->roles[i];
	return NULL;
}

/*
 * Limits the number of roles: a plan with many roles is large, and each role that another one waits for is searched for
 * among all of them.
 */
static bool few_roles(struct job *j, size_t n)
{
	enum { MOST = 2000 };
	if (n <= MOST)
		return true;
	struct diag *d = diag_report(j->ev->diags, TJ0407, j->plan->name_at, "job '%.*s' has %zu roles; at most %d",
		STR_ARG(j->name), n, MOST);
	diag_help(j->ev->diags, d, "give roles that run the same program one name, and 'replicas'");
	return false;
}

/* Adds the roles of the framework that the job names, which include those of all that it wraps. */
static void framework_roles(struct job *j)
{
	for (size_t i = 0; j->framework && i < j->framework->nroles; i++) {
		struct role *r = role_new(j, j->framework->roles[i]->name, j->plan->name_at, false);
		for (unsigned l = 0; l < j->nlayers; l++)
			r->decls[l] = layer_role(j, l, r->name);
		job_block(r, block_entry(j->body, "role", r->name));
	}
}

/* Does the job say `other_roles = true`, so that it may have roles which its framework does not declare? */
static bool says_other_roles(const struct job *j)
{
	const struct entry *e = said_first(j->body, FIELD_OTHER_ROLES);
	const struct node *value = e ? entry_expr(e) : NULL;
	return value && value->kind == NODE_BOOL && value->u.boolean;
}

static bool is_block(const struct entry *e, const char *word)
{
	return e->item && e->item->kind == NODE_BLOCK && str_is(e->item->u.block.word, word);
}

static void own_roles(struct job *j, bool aux)
{
	const char *word = aux ? "aux" : "role";
	for (size_t i = 0; i < j->body->n; i++) {
		const struct entry *e = &j->body->at[i];
		if (!e->item || e->item->kind != NODE_BLOCK || !str_is(e->item->u.block.word, word))
			continue;
		bool declared = j->framework && !aux && layer_role(j, 0, e->item->u.block.name);
		if (j->framework && !aux && !declared && !j->framework->other_roles && !says_other_roles(j))
			j->role_lost = true;
		if (declared || (j->role_lost && !aux))
			continue;
		struct role *r = role_new(j, e->item->u.block.name, e->item->u.block.name_span, aux);
		job_block(r, e);
	}
}

static void role_levels(struct job *j, struct role *r)
{
	struct eval *ev = j->ev;
	const struct entry *mine = r->own;
	r->nlevels = LEVEL_FRAMEWORK + (r->aux ? 0 : 2 * j->nlayers);
	if (mine)
		r->levels[LEVEL_ROLE] = eval_block(ev, mine->frame, mine->item->u.block.body,
			r->aux ? BLOCK_AUX : BLOCK_ROLE);
	r->levels[LEVEL_CELL] = j->outer ? j->body : NULL;
	r->levels[LEVEL_JOB] = job_root(j)->body;
	r->levels[LEVEL_PROJECT] = j->defaults;
	for (unsigned i = 0; i < j->nlayers && !r->aux; i++) {
		const struct entry *theirs = r->decls[i] ? block_entry(j->layers[i].body, "role", r->name) : NULL;
		if (theirs)
			r->levels[level_block(i)] = eval_block(ev, theirs->frame, theirs->item->u.block.body,
				BLOCK_ROLE | BLOCK_FRAMEWORK_ROLE);
		r->levels[level_own(i)] = j->layers[i].body;
	}
	role_find_torn(r);
	r->torn = r->torn || (j->role_lost && !mine && !r->aux);
}

/* ---- frameworks ---- */

/* Finds the framework that the job names, and those that it wraps, up to MOST_FRAMEWORKS of them. */
static void job_layers(struct job *j)
{
	struct decl *d = j->framework;
	for (j->nlayers = 0; d && j->nlayers < MOST_FRAMEWORKS; d = d->base)
		j->layers[j->nlayers++].framework = d;
	if (j->nlayers)
		j->plan->base = j->layers[j->nlayers - 1].framework->name;
}

/* Evaluates the bodies of frameworks; each passes arguments to the next one. */
static void layer_bodies(struct job *j)
{
	struct frame *outer = j->frame;
	struct node **bound = j->node->u.job.bound;
	for (unsigned i = 0; i < j->nlayers; i++) {
		struct job_layer *l = &j->layers[i];
		struct node *n = l->framework->node;
		l->formals = blueprint_bind(j->ev, l->framework, bound, outer);
		l->body = eval_block(j->ev, l->formals, n->u.blueprint_decl.body, BLOCK_FRAMEWORK);
		outer = l->formals;
		bound = n->u.blueprint_decl.bound;
	}
}

/* ---- cells ---- */

/* A copy of a cell: a job whose framework and body are those of the cell. */
static struct job *copy_new(struct job *j, struct cell *cell, int64_t number)
{
	struct eval *ev = j->ev;
	struct job *copy = ARENA_NEW(eval_work(ev), struct job);
	struct node *node = cell->decl->cell;

	*copy = (struct job){ .ev = ev, .options = j->options, .node = node, .frame = cell->entry->frame,
		.defaults = j->defaults, .name = j->name, .outer = j, .cell = cell, .copy = number };
	copy->plan = ARENA_NEW(ev->arena, struct plan_job);
	copy->plan->name = j->plan->name;
	copy->plan->name_at = cell->decl->span;
	copy->framework = node->u.job.framework;
	if (node->u.job.blueprint)
		copy->plan->framework = source_text(ev->program->sources, node->u.job.blueprint->span);
	ev->job = copy;
	copy->body = eval_block(ev, copy->frame, node->u.job.body, BLOCK_CELL);
	ev->job = j;
	job_layers(copy);
	framework_roles(copy);
	own_roles(copy, false);
	return copy;
}

/* Sets the numbers of copies; false if they could not be evaluated. */
static bool copy_numbers(struct cell *cell, struct job *first)
{
	struct eval *ev = first->ev;
	struct job *j = ev->job;

	ev->job = first;
	const struct value *v = job_field(first, FIELD_COPIES);
	ev->job = j;
	cell->min = cell->max = 1;
	if (v->kind == VALUE_INT)
		cell->min = cell->max = v->u.integer;
	else if (v->kind == VALUE_ELASTIC)
		cell->min = v->u.range.lo, cell->max = v->u.range.hi;
	return v->kind != VALUE_BAD && cell->min >= 1;
}

/* Limits the number of roles that the copies have together. */
static bool few_copies(struct job *j, const struct cell *cell, size_t roles, size_t before)
{
	enum { MOST = 2000 };

	if (cell->max <= MOST && (size_t)cell->max * roles + before <= MOST)
		return true;
	struct diag *d = diag_report(j->ev->diags, TJ0407, job_field_at(cell->copies[0], FIELD_COPIES),
		"%lld copies of cell '%.*s' with %zu role%s are too many for a job; all its copies may have %d roles",
		(long long)cell->max, STR_ARG(cell->decl->name), roles, roles == 1 ? "" : "s", MOST);
	diag_help(j->ev->diags, d, "write fewer copies, or several jobs");
	return false;
}

/* Limits the number of cells: each object has the rules of the job, which name every cell. */
static bool few_cells(struct job *j, struct decl *next)
{
	enum { MOST = 64 };

	if (j->ncells < MOST)
		return true;
	struct diag *d = diag_report(j->ev->diags, TJ0407, next->span, "job '%.*s' has more than %d cells",
		STR_ARG(j->name), MOST);
	diag_help(j->ev->diags, d, "make one cell with 'copies' of those that are alike, or write several jobs");
	return false;
}

/* Evaluates the cells of the job; false if one of them cannot be, or has no role. */
static bool job_cells(struct job *j)
{
	size_t roles = j->nroles;
	bool ok = true;

	for (size_t i = 0; i < j->body->n; i++) {
		const struct entry *e = &j->body->at[i];
		if (!is_block(e, "cell") || !e->item->u.block.decl || e->item->u.block.decl->kind != DECL_CELL ||
		    !e->item->u.block.decl->cell)
			continue;
		if (!few_cells(j, e->item->u.block.decl))
			return false;
		struct cell *cell = ARENA_NEW(eval_work(j->ev), struct cell);
		*cell = (struct cell){ .decl = e->item->u.block.decl, .entry = e };
		struct job *first = copy_new(j, cell, 0);
		cell->copies = &first;
		bool known = !first->body->failed && !(first->node->u.job.blueprint && !first->framework) &&
			copy_numbers(cell, first) && few_copies(j, cell, first->nroles, roles);
		cell->copies = ARENA_ARRAY(eval_work(j->ev), struct job *, known ? (size_t)cell->max : 1);
		cell->copies[0] = first;
		for (int64_t c = 1; known && c < cell->max; c++)
			cell->copies[c] = copy_new(j, cell, c);
		/* after errors, the role may be the part that failed */
		if (known && !first->nroles && !j->ev->diags->errors) {
			struct diag *d = diag_report(j->ev->diags, TJ0503, cell->decl->span, "cell '%.*s' has no role",
				STR_ARG(cell->decl->name));
			diag_help(j->ev->diags, d, "write 'role NAME { ... }' in it, or name a framework: "
				"'cell %.*s: FRAMEWORK { ... }'", STR_ARG(cell->decl->name));
		}
		ok = ok && known && first->nroles;
		roles += (size_t)cell->max * first->nroles;
		ARENA_PUSH(eval_work(j->ev), j->cells, j->ncells, cell);
	}
	return ok;
}

/* Adds the roles of copy NUMBER of all cells to those of the job. */
static void add_copies(struct job *j, int64_t number, bool *ret_more)
{
	for (size_t i = 0; i < j->ncells; i++) {
		const struct cell *cell = j->cells[i];
		if (number >= cell->max)
			continue;
		*ret_more = *ret_more || number + 1 < cell->max;
		const struct job *copy = cell->copies[number];
		for (size_t k = 0; k < copy->nroles; k++) {
			copy->roles[k]->number = (unsigned)j->nroles;
			ARENA_PUSH(eval_work(j->ev), j->roles, j->nroles, copy->roles[k]);
		}
	}
}

/* The name of a role in the plan: that of the role of a cell has those of the cell and the copy, too. */
static struct str plan_name(const struct role *r)
{
	const struct job *j = r->job;

	return !j->outer ? r->name : str_printf(j->ev->arena, "%.*s-%.*s-%lld", STR_ARG(j->cell->decl->name),
		STR_ARG(r->name), (long long)j->copy);
}

/* Finds all roles. Those of the first copies come before those of others, so that a rule can leave out the others. */
static bool job_roles(struct job *j)
{
	framework_roles(j);
	own_roles(j, false);
	own_roles(j, true);
	bool ok = few_roles(j, j->nroles) && job_cells(j), more = j->ncells > 0;
	for (int64_t c = 0; ok && more; c++) {
		more = false;
		add_copies(j, c, &more);
	}
	struct plan_job *p = j->plan;
	p->roles = ARENA_ARRAY(j->ev->arena, struct plan_role, j->nroles);
	p->nroles = j->nroles;
	for (size_t i = 0; i < j->nroles; i++) {
		struct role *r = j->roles[i];
		r->plan = &p->roles[i];
		r->plan->name = plan_name(r);
		r->plan->at = r->at;
		r->plan->aux = r->aux;
		r->plan->label = plan_label(j->ev->arena, r->plan->name);
		r->plan->in_set = j->options->in_set;
		r->plan->in_tasks = j->options->in_tasks;
		r->plan->object = str_cat(j->ev->arena, p->name, STR("-"), r->plan->label);
		if (r->job->outer) {
			r->plan->cell = r->job->cell->decl->name;
			r->plan->copy = r->job->copy;
			r->plan->in_group = j->options->in_group;
		}
	}
	return ok;
}

/* The copy after AFTER, of all cells; the first one if AFTER is NULL, NULL after the last. */
static struct job *next_copy(const struct job *j, const struct job *after)
{
	size_t i = 0;

	while (after && i < j->ncells && j->cells[i] != after->cell)
		i++;
	int64_t number = after ? after->copy + 1 : 0;
	if (i < j->ncells && number >= j->cells[i]->max) {
		i++;
		number = 0;
	}
	return i < j->ncells ? j->cells[i]->copies[number] : NULL;
}

static void copy_bodies(struct job *copy)
{
	struct eval *ev = copy->ev;
	struct job *j = ev->job;

	ev->job = copy;
	layer_bodies(copy);
	ev->job = j;
}

/* ---- checks ---- */

/* Runs the checks of a body; true if no check failed as an error. */
static bool run_checks(struct eval *ev, const struct entries *entries, struct span fallback, bool stop_at_first)
{
	bool ok = true;
	for (size_t i = 0; entries && i < entries->n; i++) {
		struct node *item = entries->at[i].item;
		if (!item || item->kind != NODE_CHECK ||
			eval_check(ev, entries->at[i].frame, item, fallback, (struct str){ 0 }))
			continue;
		ok = ok && item->u.check.warn;
		if (!ok && stop_at_first)
			return false;
	}
	return ok;
}

/*
 * Runs the checks of frameworks, from the one nearest to the job inwards, because a wrapper's checks guard the values
 * that it passes on.
 */
static void run_framework_checks(struct job *j)
{
	struct eval *ev = j->ev;
	struct span at = j->node->u.job.blueprint ? j->node->u.job.blueprint->span : j->plan->name_at;
	for (unsigned l = 0; l < j->nlayers && !j->checks_failed; l++) {
		j->checks_failed = !run_checks(ev, j->layers[l].body, at, true);
		for (size_t i = 0; i < j->nroles && !j->checks_failed; i++) {
			struct role *r = j->roles[i];
			if (r->job != j)
				continue;
			ev->self = r;
			j->checks_failed = !run_checks(ev, r->levels[level_block(l)], r->at, true);
		}
		ev->self = NULL;
	}
}

static void run_job_checks(struct job *j)
{
	run_checks(j->ev, j->body, j->plan->name_at, false);
	for (struct job *copy = next_copy(j, NULL); copy; copy = next_copy(j, copy)) {
		j->ev->job = copy;
		run_checks(j->ev, copy->body, copy->plan->name_at, false);
	}
	for (size_t i = 0; i < j->nroles; i++) {
		self_begin(j->ev, j->roles[i]);
		run_checks(j->ev, j->roles[i]->levels[LEVEL_ROLE], j->roles[i]->at, false);
	}
	j->ev->self = NULL;
	j->ev->job = j;
}

/* The kinds of replicas that a role has, each represented by its first replica. */
struct kinds {
	int64_t *at;
	size_t n;
};

static struct kinds kinds_of(struct eval *ev, const struct plan_role *p)
{
	struct kinds k = { 0 };

	for (int64_t i = plan_next_kind(p, -1); i < p->max; i = plan_next_kind(p, i))
		ARENA_PUSH(eval_work(ev), k.at, k.n, i);
	return k;
}

static void run_policy(struct job *j, const struct node *policy)
{
	struct eval *ev = j->ev;
	struct str title = { 0 };

	if (policy->kind != NODE_POLICY || !node_static_text(policy->u.titled.title, &title))
		return;
	struct entries *body = eval_entries(ev, NULL, policy->u.titled.body);
	for (size_t k = 0; k < body->n; k++)
		if (body->at[k].item && body->at[k].item->kind == NODE_CHECK)
			eval_check(ev, body->at[k].frame, body->at[k].item, j->plan->name_at, title);
}

/* Runs a policy once for each kind of replica, until it fails for one: a policy must hold for all of them. */
static void run_policy_for_kinds(struct job *j, const struct node *policy, const struct kinds *kinds, size_t most)
{
	size_t before = j->ev->diags->errors;

	for (size_t k = 0; k < most && j->ev->diags->errors == before; k++) {
		for (size_t i = 0; i < j->nroles; i++)
			j->roles[i]->seen = kinds[i].n ? kinds[i].at[k % kinds[i].n] : -1;
		run_policy(j, policy);
	}
}

static void run_policies(struct job *j)
{
	struct eval *ev = j->ev;
	const struct project *project = &ev->program->project;
	struct kinds *kinds = ARENA_ARRAY(eval_work(ev), struct kinds, j->nroles);
	size_t most = 1;

	for (size_t i = 0; project->npolicies && i < j->nroles; i++) {
		kinds[i] = kinds_of(ev, j->roles[i]->plan);
		most = kinds[i].n > most ? kinds[i].n : most;
	}
	ev->in_policy = true;
	for (size_t m = 0; m < project->npolicies; m++) {
		struct nodes decls = project->policies[m]->file->u.file.decls;
		for (size_t i = 0; i < decls.n; i++)
			run_policy_for_kinds(j, decls.at[i], kinds, most);
	}
	ev->in_policy = false;
	ev->policy_role = NULL;
	for (size_t i = 0; i < j->nroles; i++)
		j->roles[i]->seen = -1;
}

/* ---- the whole ---- */

/* Counts the pods before each role of a set of groups: they are in the names of its pods. */
static void count_before(struct job *j)
{
	int64_t lo, hi;

	for (size_t i = 0; i < j->nroles; i++) {
		const struct job *copy = j->roles[i]->job;
		struct plan_role *p = j->roles[i]->plan;
		for (size_t k = 0; p->in_group && k < copy->nroles && copy->roles[k] != j->roles[i]; k++)
			p->before += role_replicas(j->ev, copy->roles[k], &lo, &hi) ? hi : 0;
	}
}

static bool job_begin(struct job *j)
{
	struct eval *ev = j->ev;
	struct node *blueprint = j->node->u.job.blueprint;
	if (blueprint && !j->node->u.job.framework)
		return false;
	j->framework = j->node->u.job.framework;
	if (blueprint)
		j->plan->framework = source_text(ev->program->sources, blueprint->span);
	j->body = eval_block(ev, j->frame, j->node->u.job.body, BLOCK_JOB);
	if (ev->program->project.defaults)
		j->defaults = eval_block(ev, NULL, ev->program->project.defaults, BLOCK_JOB);
	job_layers(j);
	if ((j->framework && !few_roles(j, j->framework->nroles)) || !job_roles(j))
		return false;
	layer_bodies(j);
	for (struct job *copy = next_copy(j, NULL); copy; copy = next_copy(j, copy))
		copy_bodies(copy);
	for (size_t i = 0; i < j->nroles; i++)
		role_levels(j->roles[i]->job, j->roles[i]);
	j->ready = true;
	for (struct job *copy = next_copy(j, NULL); copy; copy = next_copy(j, copy))
		copy->ready = true;
	count_before(j);
	if (!j->options->in_set)                /* for a set, its controller chooses the names */
		replica_names(j);
	/* after errors, the role may be the part that failed */
	if (!j->nroles && !j->ncells && !ev->diags->errors) {
		struct diag *d = diag_report(ev->diags, TJ0503, j->plan->name_at,
			"job '%.*s' has no role, so nothing of it would run",
			STR_ARG(j->name));
		diag_help(ev->diags, d, "write 'role NAME { ... }' in it, or name a framework: 'import std.single' and "
			"'job \"%.*s\": single.task'", STR_ARG(j->name));
	}
	return !j->body->failed;
}

/* Checks what the frameworks of a job or copy say: reserved names first, as later checks rely on them. */
static void check_frameworks(struct job *j)
{
	for (unsigned i = 0; i < j->nlayers; i++)
		layer_reserved(j, i);
	if (words_free(j))
		run_framework_checks(j);
	else
		j->checks_failed = true;
}

/* Runs the checks of the framework of a copy, as far as they belong to the copy alone. */
static void copy_whole(struct job *copy)
{
	struct eval *ev = copy->ev;
	struct job *j = ev->job;
	const struct plan_job *p = j->plan;

	ev->job = copy;
	copy->plan->ns = p->ns;
	copy->plan->hosts = p->hosts;
	copy->plan->domain = p->domain;
	check_frameworks(copy);
	lower_copy(copy);
	ev->job = j;
}

/* Evaluates all of a job, whose name was already evaluated. */
static void job_whole(struct job *j)
{
	if (!job_begin(j))
		return;
	job_namespace(j);
	job_hosts(j);
	check_frameworks(j);
	for (struct job *copy = next_copy(j, NULL); copy; copy = next_copy(j, copy))
		copy_whole(copy);
	lower_job(j);
	run_job_checks(j);
	for (struct job *copy = next_copy(j, NULL); copy; copy = next_copy(j, copy)) {
		j->checks_failed = j->checks_failed || copy->checks_failed;
		j->plan->namespace_in_address = j->plan->namespace_in_address || copy->plan->namespace_in_address;
	}
	if (!j->checks_failed) {
		rules_job(j);
		run_policies(j);
	}
}

void job_build(struct eval *ev, struct node *node, struct frame *frame, const struct job_options *options,
	struct model *model, struct plan_job *ret)
{
	struct job *j = ARENA_NEW(ev->keep_jobs ? ev->arena : &ev->work, struct job);
	*j = (struct job){ .ev = ev, .options = options, .node = node, .frame = frame, .plan = ret,
		.before = ev->built };
	if (ev->keep_jobs)
		ev->built = j;
	ev->job = j;
	ev->self = NULL;
	ev->pod_index = -1;
	/* an error inside the framework is reported where the job names the framework */
	ev->call_site = node->u.job.blueprint ? node->u.job.blueprint->span : node->u.job.title->span;
	if (job_name(j) && !model_copy(model, j)) {
		model_begin(model, j);
		job_whole(j);
		model_end(model, j);
	}
	ev->call_site = (struct span){ 0 };
	ev->job = NULL;
	arena_reset(&ev->work);
}
