/*
 * role.c - computes the value of a role's field from its levels. A level is a list of entries, in which `if`, `for` and
 * spreads were evaluated when the job was started. For a field, the entries of the levels are collected from the role's
 * block outwards, until one of them sets the field; an entry that extends is merged over those after it.
 */
#include "eval/role.h"

#include "eval/internal.h"
#include "eval/job.h"

/* Does `=` in a job keep the framework's entries for this field, and only replace those of the job's own levels? */
static bool keeps_framework(enum field_id id)
{
	return id == FIELD_ENV || id == FIELD_PORTS || id == FIELD_FILES || id == FIELD_MOUNTS;
}

/* Do auxiliary roles inherit this field from the job, too? */
static bool aux_inherits(enum field_id id)
{
	switch (id) {
	case FIELD_CPU: case FIELD_MEMORY: case FIELD_DISK: case FIELD_SHM: case FIELD_LIMITS: case FIELD_RESOURCES:
	case FIELD_DEVICE_CLAIMS: case FIELD_SHARED_DEVICE_CLAIMS: case FIELD_HOST_NETWORK: case FIELD_HOST_IPC:
	case FIELD_RUNTIME_CLASS:
	case FIELD_ACCELERATOR: case FIELD_SLICES: case FIELD_LAYOUT: case FIELD_NODE:
	case FIELD_NODE_IN: case FIELD_AVOID: case FIELD_ZONE:
	case FIELD_TOLERATE: case FIELD_SPREAD: case FIELD_PLACE:
	case FIELD_RETRIES: case FIELD_RETRY_ON: case FIELD_RESTART: case FIELD_START_AFTER:
		return false;
	default:
		return true;
	}
}

/* Is the entry an unknown field or block, which was reported already? */
static bool is_unknown(const struct entry *e)
{
	if (!e->item)
		return false;
	if (e->item->kind == NODE_BLOCK)
		return !e->item->u.block.word.n;
	return (e->item->kind == NODE_SET || e->item->kind == NODE_EXTEND) && !e->item->u.item.field;
}

void role_find_torn(struct role *r)
{
	for (unsigned l = LEVEL_ROLE; l < r->nlevels; l++) {
		struct entries *entries = r->levels[l];
		if (!entries)
			continue;
		for (size_t i = 0; !entries->searched && i < entries->n; i++)
			entries->torn = entries->torn || is_unknown(&entries->at[i]);
		entries->searched = true;       /* searched only once, because several roles share the entries of the
						 * job */
		r->torn = r->torn || entries->torn || entries->failed;
	}
}

/* Does any level mention the field? Most fields of most roles have their built-in default. */
static bool mentions(const struct role *r, enum field_id id)
{
	for (unsigned l = LEVEL_ROLE; l < r->nlevels; l++)
		if (entries_about(r->levels[l], id))
			return true;
	return false;
}

/* Could a broken item in the job have been meant for this field? */
static bool may_be_lost(struct role *r, enum field_id id)
{
	struct contribution first;

	return r->torn && !(role_first(r, id, &first) && first.level < LEVEL_FRAMEWORK);
}

static bool takes_level(const struct role *r, enum field_id id, unsigned level)
{
	if (r->job->outer && level == LEVEL_JOB && id == FIELD_REPLICAS)
		return false;                   /* the number of replicas of the job is not one for its cells */
	return !r->aux || (level != LEVEL_JOB && level != LEVEL_PROJECT) || aux_inherits(id);
}

struct said role_said(struct eval *ev, struct role *r, enum field_id id)
{
	struct said said = { 0 };
	for (unsigned l = LEVEL_ROLE; l < r->nlevels; l++) {
		if (!takes_level(r, id, l) || !said_by(ev, r->levels[l], id, l, &said))
			continue;
		if (l >= LEVEL_FRAMEWORK || !keeps_framework(id))
			break;
		l = LEVEL_FRAMEWORK - 1;        /* skips the other levels of the job */
	}
	return said;
}

bool role_first(struct role *r, enum field_id id, struct contribution *ret)
{
	for (unsigned l = LEVEL_ROLE; l < r->nlevels; l++) {
		struct entry *e = takes_level(r, id, l) ? said_first(r->levels[l], id) : NULL;
		if (!e)
			continue;
		*ret = (struct contribution){ e, l };
		return true;
	}
	return false;
}

/*
 * The typed declaration of a field for this role in framework LAYER, such as `replicas: int(1..)`; NULL if LAYER does
 * not declare the field.
 */
static struct node *typed_by(const struct role *r, unsigned layer, enum field_id id)
{
	struct node *item = declared_by(r->levels[level_block(layer)], id);
	return item ? item : declared_by(r->levels[level_own(layer)], id);
}

/* The typed declaration of the field in the framework nearest to the job that has one. */
struct node *role_typed(const struct role *r, enum field_id id)
{
	struct node *item = NULL;
	for (unsigned i = 0; i < r->job->nlayers && !item; i++)
		item = typed_by(r, i, id);
	return item;
}

/* ---- values ---- */

static const struct value *empty(struct eval *ev, enum value_kind kind)
{
	return value_new(ev->arena, kind, (struct span){ 0 });
}

/* Makes the built-in default from its text in vocabulary.def. */
static const struct value *make_fallback(struct eval *ev, const struct field *f)
{
	struct str type = str_of(f->type), text = str_of(f->fallback);
	if (!text.n || str_is(text, "*") || str_ends(type, STR("?")))
		return &value_none;
	if (str_is(text, "{}"))
		return empty(ev, VALUE_MAP);
	if (str_is(text, "[]"))
		return empty(ev, VALUE_LIST);
	if (str_starts(type, STR("int")) || str_starts(type, STR("elastic")))
		return value_int(ev->arena, text.p[0] - '0', (struct span){ 0 });
	if (str_is(type, "bool"))
		return value_bool(ev->arena, str_is(text, "true"), (struct span){ 0 });
	if (str_is(type, "duration")) {
		struct value *v = value_new(ev->arena, VALUE_QUANTITY, (struct span){ 0 });
		v->unit = TYPE_DURATION;
		duration_parse(text, &v->u.quantity);
		return v;
	}
	return value_string(ev->arena, text, (struct span){ 0 });
}

static const struct value *field_fallback(struct eval *ev, enum field_id id)
{
	if (!ev->fallbacks[id])
		ev->fallbacks[id] = make_fallback(ev, schema_field(id));
	return ev->fallbacks[id];
}

static const struct value *by_levels(struct eval *ev, struct role *r, enum field_id id, struct role_slot *s)
{
	struct said said = role_said(ev, r, id);
	s->level = said.n ? said.at[0].level : LEVELS;
	s->set_at = said.n ? entry_at(said.at[0].entry) : (struct span){ 0 };
	s->deciding = true;
	const struct value *v = said_value(ev, &said);
	return v ? v : field_fallback(ev, id);
}

/* ---- replicas ---- */

/*
 * Does a role block declare `replicas: elastic(...)`? Only its syntax is examined, because the checker skips frameworks
 * of the library that the program does not use.
 */
static bool block_is_elastic(const struct node *block)
{
	struct nodes items = block->u.block.body->u.body.items;
	for (size_t i = 0; i < items.n; i++) {
		const struct node *item = items.at[i];
		if (item->kind == NODE_FIELD && str_is(item->u.field.key.text, "replicas") &&
			item->u.field.type->kind == NODE_TYPE_REF &&
		    item->u.field.type->u.type_ref.depth &&
		    str_is(item->u.field.type->u.type_ref.path[0], "elastic"))
			return true;
	}
	return false;
}

static bool framework_is_elastic(const struct node *framework, struct str role)
{
	struct nodes items = framework->u.blueprint_decl.body->u.body.items;
	for (size_t i = 0; i < items.n; i++)
		if (items.at[i]->kind == NODE_BLOCK && str_eq(items.at[i]->u.block.name, role) &&
			block_is_elastic(items.at[i]))
			return true;
	return false;
}

/* Another framework of the same module whose role of this name is declared elastic; empty if no framework does. */
static struct str elastic_sibling(struct eval *ev, const struct job *j, const struct role *r)
{
	struct nodes decls = j->framework->module->file->u.file.decls;
	struct str f = j->plan->framework;
	size_t dot = f.n;
	while (dot > 0 && f.p[dot - 1] != '.')
		dot--;
	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_FRAMEWORK && framework_is_elastic(decls.at[i], r->name))
			return str_printf(ev->arena, "%.*s%.*s", (int)dot, f.p,
				STR_ARG(decls.at[i]->u.blueprint_decl.name));
	return STR("");
}

static void report_not_fixed(struct eval *ev, struct role *r, struct node *typed, int64_t lo, int64_t hi,
	struct span at)
{
	struct job *j = r->job;
	struct diag *d = diag_report(ev->diags, TJ0505, at,
		"'%.*s' needs a fixed number of replicas for role '%.*s', found %lld:%lld",
		STR_ARG(j->plan->framework), STR_ARG(r->name), (long long)lo, (long long)hi);
	diag_label(ev->diags, d, "an elastic range");
	diag_note(ev->diags, d, typed->span, "declared here");
	struct str other = elastic_sibling(ev, j, r);
	if (other.n)
		diag_help(ev->diags, d, "use '%.*s' for workers that may come and go, or write one number",
			STR_ARG(other));
	else
		diag_help(ev->diags, d, "write one number");
}

static struct str bounds_phrase(struct eval *ev, const struct refinement *f)
{
	if (f->has_lo && f->has_hi && f->lo == f->hi)
		return str_printf(ev->arena, "exactly %lld replica%s", (long long)f->lo, f->lo == 1 ? "" : "s");
	if (f->has_lo && f->has_hi)
		return str_printf(ev->arena, "%lld to %lld replicas", (long long)f->lo, (long long)f->hi);
	if (f->has_lo)
		return str_printf(ev->arena, "%lld or more replicas", (long long)f->lo);
	return str_printf(ev->arena, "at most %lld replica%s", (long long)f->hi, f->hi == 1 ? "" : "s");
}

static struct str bounds_range(struct eval *ev, const struct refinement *f)
{
	struct str lo = f->has_lo ? str_printf(ev->arena, "%lld", (long long)f->lo) : STR("");
	struct str hi = f->has_hi ? str_printf(ev->arena, "%lld", (long long)f->hi) : STR("");
	return str_printf(ev->arena, "%.*s..%.*s", STR_ARG(lo), STR_ARG(hi));
}

/* The first line of the library's documentation of a field, without its full stop, for use within a sentence. */
static struct str first_sentence(struct str doc)
{
	struct str line = doc;
	for (size_t i = 0; i < doc.n && line.n == doc.n; i++)
		if (doc.p[i] == '\n')
			line.n = i;
	while (line.n && (line.p[line.n - 1] == '.' || line.p[line.n - 1] == ' '))
		line.n--;
	return line;
}

static void report_outside(struct eval *ev, struct role *r, struct node *typed, const struct refinement *f, int64_t n,
	struct span at)
{
	struct diag *d;
	struct str range = bounds_range(ev, f), allowed = bounds_phrase(ev, f);
	if (n == 0)
		d = diag_report(ev->diags, TJ0503, at, "'%.*s' needs at least %lld '%.*s', and replicas = 0",
			STR_ARG(r->job->plan->framework), (long long)f->lo, STR_ARG(r->name));
	else
		d = diag_report(ev->diags, TJ0502, at, "role '%.*s' allows %.*s, but %lld %s set", STR_ARG(r->name),
			STR_ARG(allowed), (long long)n, n == 1 ? "is" : "are");
	diag_label(ev->diags, d, "%lld is outside %.*s", (long long)n, STR_ARG(range));
	diag_note(ev->diags, d, typed->span, "declared here");
	struct str why = first_sentence(typed->u.field.doc);
	bool absent = typed->u.field.value && typed->u.field.value->kind == NODE_INT &&
		!typed->u.field.value->u.integer.value;
	/* the declaration gives 0 replicas, so the role exists only if the program sets them */
	if (why.n && n > 0 && absent && f->has_hi)
		diag_help(ev->diags, d, "%.*s; write 'replicas = %lld'", STR_ARG(why), (long long)f->hi);
	else if (why.n && n > 0 && typed->u.field.value)
		diag_help(ev->diags, d, "%.*s; remove 'replicas = %lld'", STR_ARG(why), (long long)n);
	else if (f->has_lo && f->has_hi && f->lo == f->hi && typed->u.field.value)
		diag_help(ev->diags, d, "remove 'replicas': the framework sets it to %lld", (long long)f->lo);
	else if (f->has_lo && f->has_hi)
		diag_help(ev->diags, d, "write a number from %lld to %lld", (long long)f->lo, (long long)f->hi);
	else
		diag_help(ev->diags, d, f->has_lo ? "write %lld or more" : "write at most %lld",
			(long long)(f->has_lo ? f->lo : f->hi));
}

enum { MOST_REPLICAS = 100000 };        /* the limit that the API server sets */

/* Adds help for `replicas = 1-3`, which is a subtraction. */
static void help_negative(struct eval *ev, struct diag *d, struct span at)
{
	struct str words = source_text(ev->diags->sources, at);
	const char *minus = words.n ? memchr(words.p, '-', words.n) : NULL;
	size_t lo = minus ? (size_t)(minus - words.p) : 0;

	if (!lo || strspn(words.p, "0123456789") != lo || strspn(minus + 1, "0123456789") < words.n - lo - 1) {
		diag_help(ev->diags, d, "0 replicas leave the role out");
		return;
	}
	struct str range = str_printf(ev->arena, "%.*s:%.*s", (int)lo, words.p, (int)(words.n - lo - 1), minus + 1);
	diag_help(ev->diags, d, "'-' subtracts; a range is written %.*s", STR_ARG(range));
	diag_fix(ev->diags, d, at, range, "write %.*s", STR_ARG(range));
}

/* Tests the value against the framework's range for replicas, with the codes for roles. */
static const struct value *test_replicas_by(struct eval *ev, struct role *r, struct node *typed, const struct value *v,
	struct span at)
{
	if (v->kind != VALUE_INT && v->kind != VALUE_ELASTIC)
		return v;
	int64_t lo = v->kind == VALUE_INT ? v->u.integer : v->u.range.lo;
	int64_t hi = v->kind == VALUE_INT ? v->u.integer : v->u.range.hi;
	if (lo < 0) {
		struct diag *d = diag_report(ev->diags, TJ0311, at, "replicas = %lld is negative", (long long)lo);
		help_negative(ev, d, at);
		return &value_bad;
	}
	if (hi > MOST_REPLICAS) {       /* reported first, so that no address is computed for that many replicas */
		struct diag *d = diag_report(ev->diags, TJ0311, at, "replicas = %lld is outside 0..%d", (long long)hi,
			MOST_REPLICAS);
		diag_help(ev->diags, d, "an indexed Job has at most %d pods", MOST_REPLICAS);
		return &value_bad;
	}
	const struct type *t = typed ? typed->u.field.declared : NULL;
	if (!t || t->kind == TYPE_BAD)
		return lo == hi && v->kind == VALUE_ELASTIC ? value_int(ev->arena, lo, v->from) : v;
	if (t->kind != TYPE_ELASTIC && lo != hi) {
		report_not_fixed(ev, r, typed, lo, hi, at);
		return &value_bad;
	}
	const struct refinement *f = t->refine;
	int64_t out = f && ((f->has_lo && lo < f->lo) || (f->has_hi && lo > f->hi)) ? lo : hi;
	if (f && ((f->has_lo && out < f->lo) || (f->has_hi && out > f->hi))) {
		report_outside(ev, r, typed, f, out, at);
		return &value_bad;
	}
	if (t->kind == TYPE_ELASTIC && v->kind == VALUE_INT) {
		struct value *range = value_new(ev->arena, VALUE_ELASTIC, v->from);
		range->u.range.lo = range->u.range.hi = lo;
		return range;
	}
	return t->kind == TYPE_ELASTIC ? v : value_int(ev->arena, lo, v->from);
}

/* Tests the number of replicas against every framework; the result has the type that the innermost one declares. */
static const struct value *test_replicas(struct eval *ev, struct role *r, const struct value *v, struct span at)
{
	bool tested = false;
	for (unsigned i = 0; i < r->job->nlayers && value_ok(v); i++) {
		struct node *typed = typed_by(r, i, FIELD_REPLICAS);
		if (!typed)
			continue;
		v = test_replicas_by(ev, r, typed, v, at);
		tested = true;
	}
	return tested ? v : test_replicas_by(ev, r, NULL, v, at);
}

/*
 * The value `replicas = 0` of the framework, for a role that the job does not mention: a default of the job does not
 * create a role that the framework leaves out. Otherwise NULL.
 */
static const struct value *left_out(struct eval *ev, struct role *r, struct role_slot *s)
{
	struct said said = { 0 };
	unsigned l = LEVEL_FRAMEWORK;
	while (!r->own && l < r->nlevels && !said_by(ev, r->levels[l], FIELD_REPLICAS, l, &said))
		l++;
	const struct value *v = said.n ? said_value(ev, &said) : NULL;
	if (!v || v->kind != VALUE_INT || v->u.integer != 0)
		return NULL;
	s->deciding = true;
	s->level = l;
	s->set_at = entry_at(said.at[0].entry);
	return v;
}

/* The number of hosts of all slices. At most MOST_REPLICAS + 1, which test_replicas_by() reports. */
static int64_t hosts_of(struct eval *ev, struct role *r, const struct plan_accelerator *acc)
{
	int64_t slices = role_slices(ev, r);

	return slices > MOST_REPLICAS / acc->pods ? MOST_REPLICAS + 1 : acc->pods * slices;
}

static const struct value *replicas_value(struct eval *ev, struct role *r, struct role_slot *s)
{
	struct contribution first;
	bool written = role_first(r, FIELD_REPLICAS, &first) && first.level < LEVEL_FRAMEWORK;
	const struct value *absent = written && first.level != LEVEL_ROLE ? left_out(ev, r, s) : NULL;
	if (absent)
		return absent;
	if (!written) {
		const struct plan_accelerator *acc = role_accelerator(ev, r);
		if (acc && acc->pods > 1) {     /* the hosts of the topology */
			s->deciding = true;
			s->level = LEVEL_ROLE;
			s->set_at = acc->from;
			return test_replicas(ev, r, value_int(ev->arena, hosts_of(ev, r, acc), acc->from), acc->from);
		}
		struct node *typed = role_typed(r, FIELD_REPLICAS);
		if (typed && !typed->u.field.value) {
			struct diag *d = diag_report(ev->diags, TJ0512,
				r->block ? r->block->span : r->job->plan->name_at,
				"'%.*s' requires 'replicas' of role '%.*s'", STR_ARG(r->job->plan->framework),
				STR_ARG(r->name));
			diag_note(ev->diags, d, typed->span, "declared here, without a value");
			const struct type *t = typed->u.field.declared;
			diag_help(ev->diags, d, "write 'replicas = %s' in 'role %.*s'",
				t && t->kind == TYPE_ELASTIC ? "1:4" : "4",
				STR_ARG(r->name));
			return &value_bad;
		}
	}
	const struct value *v = by_levels(ev, r, FIELD_REPLICAS, s);
	return test_replicas(ev, r, v, span_known(s->set_at) ? s->set_at : r->at);
}

void role_report_required(struct eval *ev, const struct role *r, enum field_id id, const struct node *typed)
{
	if (typed->u.field.declared->kind == TYPE_BAD)  /* an error in the declaration was already reported */
		return;
	struct diag *d = diag_report(ev->diags, TJ0512, r->block ? r->block->span : r->job->plan->name_at,
		"'%.*s' requires '%s' of role '%.*s'", STR_ARG(r->job->plan->framework), schema_field(id)->name,
		STR_ARG(r->name));
	diag_note(ev->diags, d, typed->span, "declared here, without a value");
	diag_help(ev->diags, d, "set '%s' in 'role %.*s', or in the job for all roles", schema_field(id)->name,
		STR_ARG(r->name));
}

/*
 * Tests the value against the types that frameworks declare for the field. A map of lists, in which one element needs
 * no brackets, may have inserted elements that are no lists yet.
 */
static const struct value *narrowed(struct eval *ev, struct role *r, enum field_id id, struct role_slot *s,
	const struct value *v)
{
	struct node *typed = role_typed(r, id);
	const struct type *own = schema_type(&ev->types, id);
	if (own->kind == TYPE_MAP && own->elem->or_one && value_ok(v))
		v = value_convert(ev, v, own, s->set_at, (struct span){ 0 });
	if (!typed || !typed->u.field.declared)
		return v;
	if (s->level == LEVELS) {
		role_report_required(ev, r, id, typed);
		return &value_bad;
	}
	for (unsigned i = 0; i < r->job->nlayers && value_ok(v); i++) {
		typed = typed_by(r, i, id);
		if (typed && typed->u.field.declared && s->level < level_block(i))
			v = value_convert(ev, v, typed->u.field.declared, s->set_at, typed->span);
	}
	return v;
}

/* ---- slots ---- */

static struct role_slot *slot_of(struct eval *ev, struct role *r, enum field_id id)
{
	if (!r->slots[id]) {
		struct role_slot *s = ARENA_NEW(eval_work(ev), struct role_slot);
		s->slot.what = str_cat(eval_work(ev), r->name, STR("."), str_of(schema_field(id)->name));
		s->slot.at = r->at;
		r->slots[id] = s;
	}
	return r->slots[id];
}

/*
 * Does the field need a slot? A built-in default needs no slot unless reads are being recorded; `replicas` always does,
 * because it may follow from the accelerator.
 */
static bool needs_slot(const struct eval *ev, const struct role *r, enum field_id id)
{
	return ev->reads || r->torn || id == FIELD_REPLICAS || mentions(r, id);
}

/* May copies of a cell differ in the field, because it holds texts? */
static bool may_know_copy(enum field_id id)
{
	return id == FIELD_COMMAND || id == FIELD_ARGS || id == FIELD_ENV || id == FIELD_FILES || id == FIELD_MOUNTS ||
		id == FIELD_LABELS || id == FIELD_ANNOTATIONS || id == FIELD_READY;
}

/* Reports a field that reads pod.copy although it has one value for all copies (TJ0708). */
static const struct value *report_copies_differ(struct eval *ev, const struct role *r, enum field_id id,
	const struct role_slot *s)
{
	struct diag *d = eval_report(ev, TJ0708, span_known(s->set_at) ? s->set_at : r->at,
		"'%s' must not depend on 'pod.copy': it is the same in all copies", schema_field(id)->name);

	diag_help(ev->diags, d, "'env', 'command', 'args', 'files' and paths in 'mounts' may differ between copies; "
		"for anything else write a second cell");
	return &value_bad;
}

const struct value *role_field(struct eval *ev, struct role *r, enum field_id id)
{
	if (!needs_slot(ev, r, id))
		return field_fallback(ev, id);
	struct role_slot *s = slot_of(ev, r, id);
	struct self_of before = { ev->self, ev->job };
	int64_t index = ev->pod_index;
	if (s->slot.state == SLOT_EMPTY) {
		struct contribution first;
		if (role_first(r, id, &first))
			s->slot.at = entry_at(first.entry);
	}
	if (!slot_enter(ev, &s->slot))
		return s->slot.value;
	unsigned copy_reads = ev->copy_reads;
	self_begin(ev, r);
	ev->pod_index = -1;
	const struct value *v = may_be_lost(r, id) ? &value_bad : id == FIELD_REPLICAS ? replicas_value(ev, r, s) :
		by_levels(ev, r, id, s);
	if (id != FIELD_REPLICAS && v->kind != VALUE_BAD)
		v = narrowed(ev, r, id, s, v);
	if (ev->copy_reads != copy_reads && !may_know_copy(id))
		v = report_copies_differ(ev, r, id, s);
	self_end(ev, before);
	ev->pod_index = index;
	return slot_leave(ev, &s->slot, v);
}

bool value_differs(const struct value *v, struct span *ret_computed)
{
	bool found = v->kind == VALUE_COMPUTED || v->kind == VALUE_TEXT;

	for (size_t i = 0; v->kind == VALUE_MAP && i < v->u.map.index.n; i++) {
		const struct value_entry *e = v->u.map.index.entries[i].value;
		if (value_differs(e->value, ret_computed))
			return true;
	}
	if (found)
		*ret_computed = v->kind == VALUE_COMPUTED ? v->u.computed : v->from;
	return found;
}

const struct value *role_field_of(struct eval *ev, struct role *r, enum field_id id, int64_t i, struct span *ret_at)
{
	struct role_slot s = { 0 };
	struct self_of before = self_begin(ev, r);
	int64_t index = ev->pod_index;

	ev->pod_index = i;
	const struct value *v = may_be_lost(r, id) ? &value_bad : by_levels(ev, r, id, &s);
	if (v->kind != VALUE_BAD)
		v = narrowed(ev, r, id, &s, v);
	self_end(ev, before);
	ev->pod_index = index;
	*ret_at = span_known(s.set_at) ? s.set_at : r->at;
	return v;
}

struct span role_field_at(struct eval *ev, struct role *r, enum field_id id)
{
	if (!needs_slot(ev, r, id))
		return r->at;
	struct role_slot *s = slot_of(ev, r, id);
	if (!s->deciding)
		role_field(ev, r, id);
	return span_known(s->set_at) ? s->set_at : r->at;
}

int64_t role_slices(struct eval *ev, struct role *r)
{
	const struct value *v = role_field(ev, r, FIELD_SLICES);

	return v->kind == VALUE_INT && v->u.integer > 1 ? v->u.integer : 1;
}

unsigned role_field_level(struct eval *ev, struct role *r, enum field_id id)
{
	if (!needs_slot(ev, r, id))
		return LEVELS;
	struct role_slot *s = slot_of(ev, r, id);
	if (!s->deciding)
		role_field(ev, r, id);
	return s->deciding ? s->level : LEVELS;
}

bool role_replicas(struct eval *ev, struct role *r, int64_t *ret_min, int64_t *ret_max)
{
	const struct value *v = role_field(ev, r, FIELD_REPLICAS);
	if (v->kind != VALUE_INT && v->kind != VALUE_ELASTIC)
		return false;
	*ret_min = v->kind == VALUE_INT ? v->u.integer : v->u.range.lo;
	*ret_max = v->kind == VALUE_INT ? v->u.integer : v->u.range.hi;
	return true;
}

bool role_is_elastic(struct eval *ev, struct role *r)
{
	const struct value *v = role_field(ev, r, FIELD_REPLICAS);
	return v->kind == VALUE_ELASTIC && v->u.range.lo != v->u.range.hi;
}

const struct plan_accelerator *role_accelerator(struct eval *ev, struct role *r)
{
	const struct value *v = role_field(ev, r, FIELD_ACCELERATOR);
	return v->kind == VALUE_ACCELERATOR ? v->u.accelerator : NULL;
}
