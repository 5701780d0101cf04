/*
 * blueprint.c - evaluates an accelerator declaration with its arguments to a device. The declaration's checks run
 * before its fields are evaluated. When a check fails, neither the other checks nor the fields are evaluated: for
 * `v5e(2x3)` the user reads that the topology is not offered, not that a division inside the library failed.
 */
#include "eval/blueprint.h"
#include "eval/internal.h"
#include "eval/job.h"
#include "eval/plan_value.h"
#include "eval/site.h"

static struct node *arg_value(struct node *arg)
{
	return arg && arg->kind == NODE_ARG ? arg->u.arg.value : arg;
}

struct frame *blueprint_bind(struct eval *ev, const struct decl *d, struct node **bound, struct frame *outer)
{
	struct frame *f = frame_new(ev, NULL);
	for (size_t i = 0; i < d->nformals; i++) {
		struct decl *formal = d->formals[i];
		struct node *arg = bound ? arg_value(bound[i]) : NULL;
		if (arg)
			frame_bind_lazy(ev, f, formal, arg, outer);
		else if (formal->node && formal->node->u.binding.value)
			frame_bind_lazy(ev, f, formal, formal->node->u.binding.value, f);
		else
			frame_bind(ev, f, formal, &value_bad);
	}
	return f;
}

/* Turns a map of volumes into mounts with normalized paths (TJ0613). */
static struct plan_mount *value_mounts(struct eval *ev, const struct value *map, size_t *ret_n)
{
	*ret_n = 0;
	if (map->kind != VALUE_MAP)
		return NULL;
	const struct map *index = &map->u.map.index;
	struct plan_mount *at = ARENA_ARRAY(ev->arena, struct plan_mount, index->n);
	for (size_t i = 0; i < index->n; i++) {
		const struct value_entry *e = index->entries[i].value;
		struct plan_mount m = { .path_at = e->key_at };
		if (e->value->kind != VALUE_VOLUME || !mount_path(ev, e->key, e->key_at, &m.path))
			continue;
		m.volume = e->value->u.volume;
		at[(*ret_n)++] = m;
	}
	return at;
}

/* ---- accelerators ---- */

/*
 * Checks an int argument against its refinement: a count outside the refinement means that no node offers it (TJ0602).
 */
static bool count_offered(struct eval *ev, struct frame *outer, const struct decl *acc, const struct decl *formal,
	struct node *arg)
{
	const struct type *t = formal->type;
	if (!t || t->kind != TYPE_INT || !t->refine || t->port)
		return true;
	const struct value *v = eval_unconverted(ev, outer, arg);      /* not converted, since TJ0602 below is more
								        * precise than TJ0311 */
	const struct refinement *f = t->refine;
	if (v->kind != VALUE_INT || ((!f->has_lo || v->u.integer >= f->lo) && (!f->has_hi || v->u.integer <= f->hi)))
		return true;
	long long n = v->u.integer;
	struct diag *d = diag_report(ev->diags, TJ0602, arg->span, "%lld '%.*s' on one node; nodes have %lld to %lld",
		n, STR_ARG(acc->name), (long long)f->lo, (long long)f->hi);
	diag_note(ev->diags, d, formal->span, "declared here");
	if (n > f->hi && f->hi > 0 && n % f->hi == 0)
		diag_help(ev->diags, d, "use %lld replicas of %.*s(%lld)", n / f->hi, STR_ARG(acc->name),
			(long long)f->hi);
	else
		diag_help(ev->diags, d, "write a number from %lld to %lld, and use 'replicas' for more nodes",
			(long long)f->lo, (long long)f->hi);
	return false;
}

static bool accelerator_checks(struct eval *ev, struct entries *body, struct span call)
{
	for (size_t i = 0; i < body->n; i++) {
		struct node *item = body->at[i].item;
		if (item && item->kind == NODE_CHECK &&
		    !eval_check(ev, body->at[i].frame, item, call, (struct str){ 0 }) && !item->u.check.warn)
			return false;
	}
	return !body->failed;
}

static const struct value *accelerator_field(struct eval *ev, struct entries *body, enum field_id id)
{
	struct said said = { 0 };
	said_by(ev, body, id, 0, &said);
	const struct value *v = said_value(ev, &said);
	return v ? v : &value_none;
}

static struct plan_str accelerator_text(struct eval *ev, struct entries *body, enum field_id id)
{
	const struct value *v = accelerator_field(ev, body, id);

	return value_text_at(ev, v, v->from);
}

/*
 * The value of a field that has no default. The checker cannot report that it is missing: the item that sets it may be
 * inside an `if`, or the field may be declared without a value.
 */
static const struct value *required_field(struct eval *ev, struct entries *body, enum field_id id, const struct decl *d,
	struct span call)
{
	const struct value *v = accelerator_field(ev, body, id);

	if (v->kind != VALUE_NONE)
		return v;
	struct diag *g = eval_report(ev, TJ0323, call, "accelerator '%.*s' needs '%s', which is missing here",
		STR_ARG(d->name), schema_field(id)->name);
	diag_note(ev->diags, g, d->span, "declared here");
	diag_help(ev->diags, g, "set '%s' in its declaration, whatever its conditions are", schema_field(id)->name);
	return &value_bad;
}

static struct plan_accelerator *device(struct eval *ev, struct entries *body, const struct decl *d, struct span from)
{
	struct plan_accelerator *acc = ARENA_NEW(ev->arena, struct plan_accelerator);
	const struct value *resource = required_field(ev, body, FIELD_RESOURCE, d, from);
	const struct value *per_pod = required_field(ev, body, FIELD_PER_POD, d, from);
	const struct value *pods = accelerator_field(ev, body, FIELD_PODS);
	const struct value *memory = accelerator_field(ev, body, FIELD_DEVICE_MEMORY);
	if (!value_str(ev, resource, &acc->resource) || per_pod->kind != VALUE_INT || pods->kind == VALUE_BAD)
		return NULL;
	acc->resource_at = resource->from;
	acc->per_pod = per_pod->u.integer;
	acc->pods = pods->kind == VALUE_INT ? pods->u.integer : 1;
	if (memory->kind == VALUE_QUANTITY)
		acc->memory = (struct plan_quantity){ memory->u.quantity, memory->from, true };
	acc->node = value_pairs(ev, accelerator_field(ev, body, FIELD_DEVICE_NODE));
	acc->slice = accelerator_text(ev, body, FIELD_SLICE);
	site_labels(ev, accelerator_field(ev, body, FIELD_DEVICE_NODES), acc);
	acc->tolerate = value_strs(ev, accelerator_field(ev, body, FIELD_DEVICE_TOLERATE), &acc->ntolerate);
	acc->env = value_pairs(ev, accelerator_field(ev, body, FIELD_DEVICE_ENV));
	acc->mounts = value_mounts(ev, accelerator_field(ev, body, FIELD_DEVICE_MOUNTS), &acc->nmounts);
	acc->devices = accelerator_text(ev, body, FIELD_DEVICES);
	acc->visible = accelerator_text(ev, body, FIELD_VISIBLE);
	if (acc->visible.set && !env_name_ok(ev, acc->visible.value, acc->visible.from))
		return NULL;
	acc->from = from;
	return acc;
}

const struct value *accelerator_make(struct eval *ev, struct frame *f, struct node *call)
{
	struct decl *d = call->u.call.target;
	for (size_t i = 0; i < d->nformals; i++) {
		struct node *arg = arg_value(call->u.call.bound[i]);
		if (arg && !count_offered(ev, f, d, d->formals[i], arg))
			return &value_bad;
	}
	struct frame *formals = blueprint_bind(ev, d, call->u.call.bound, f);
	struct entries *body = eval_block(ev, formals, d->node->u.blueprint_decl.body, BLOCK_ACCELERATOR);
	if (!accelerator_checks(ev, body, call->span))
		return &value_bad;
	struct plan_accelerator *acc = device(ev, body, d, call->span);
	if (!acc)
		return &value_bad;
	acc->name = source_text(ev->program->sources, call->u.call.callee->span);
	acc->spelling = source_text(ev->program->sources, call->span);
	struct value *v = value_new(ev->arena, VALUE_ACCELERATOR, call->span);
	v->u.accelerator = acc;
	return v;
}
