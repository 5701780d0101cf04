/*
 * locked.c - reports a job's variable whose name the framework reserves (TJ0702), and what to change instead. The
 * framework's source shows what to change: it has an entry with that name, or a loop over an argument that makes such
 * names. Entries count even if their condition does not hold.
 */
#include "eval/internal.h"
#include "lower/lower.h"

/* The field of a role that a job can set to change this member of the role; empty if no field changes it. */
static struct str changeable(const struct node *member)
{
	const struct node *base = member->u.member.base;
	if (base->kind != NODE_NAME || !base->u.name.decl || base->u.name.decl->kind != DECL_ROLE)
		return STR("");
	if (str_is(member->u.member.name, "devices"))
		return STR("accelerator");
	return schema_find(BLOCK_ROLE, member->u.member.name) ? member->u.member.name : STR("");
}

static bool is_argument(const struct node *n)
{
	return n->kind == NODE_NAME && n->u.name.decl && n->u.name.decl->kind == DECL_FORMAL;
}

/* The argument or field to change instead of a variable: the first one that the framework's own value mentions. */
static struct str instead(const struct node *n)
{
	struct str found = STR("");
	if (!n)
		return found;
	switch (n->kind) {
	case NODE_NAME:
		return is_argument(n) ? n->u.name.text : found;
	case NODE_MEMBER:
		return changeable(n);
	case NODE_BINARY:
	case NODE_COALESCE:
		found = instead(n->u.op.left);
		return found.n ? found : instead(n->u.op.right);
	case NODE_CALL:
		for (size_t i = 0; i < n->u.call.args.n && !found.n; i++)
			found = instead(n->u.call.args.at[i]->u.arg.value);
		return found;
	default:
		return found;
	}
}

/* ---- finding the framework's entry for a name ---- */

struct found {
	struct str name;                /* the name of the variable */
	struct span mine;               /* span of the program's own entry, which may be in a framework (a wrapper) and
					 * must be skipped */
	const struct node *entry;       /* the entry with that name, or NULL */
	const struct node *condition;   /* the condition under which it applies, or NULL */
	struct str argument, key;       /* `argument`: a map that the framework takes; `key`: the key in it that makes
					 * the variable */
};

static bool is_variable_of(const struct node *n, const struct binder *b)
{
	return n->kind == NODE_NAME && n->u.name.decl && n->u.name.decl == b->decl;
}

/*
 * The key with which a loop such as `for k, v in settings { ("RING_${k}") = v }`, also with upper(k), makes the
 * variable NAME.
 */
static struct str map_key(struct arena *a, const struct node *loop, const struct node *entry, struct str name)
{
	const struct node *text = entry->u.item.key.expr;
	const struct binder *b = loop->u.for_item.binders;

	if (loop->u.for_item.nbinders != 2 || !text || text->kind != NODE_STRING || text->u.string.n != 2 ||
		text->u.string.parts[0].expr ||
	    !is_variable_of(entry->u.item.value, &b[1]))
		return STR("");
	struct str head = text->u.string.parts[0].text;
	const struct node *rest = text->u.string.parts[1].expr;
	bool upper = rest && rest->kind == NODE_CALL && rest->u.call.callee->kind == NODE_NAME &&
		str_is(rest->u.call.callee->u.name.text, "upper") &&
		rest->u.call.args.n == 1;
	if (upper)
		rest = rest->u.call.args.at[0]->u.arg.value;
	if (!rest || !is_variable_of(rest, &b[0]) || !str_starts(name, head) || name.n == head.n)
		return STR("");
	struct str key = { name.p + head.n, name.n - head.n };
	return upper ? str_lower(a, key) : key;
}

static void look_into(struct arena *a, const struct node *body, const struct node *condition, const struct node *loop,
	struct found *f);

static void look_at(struct arena *a, const struct node *item, const struct node *condition, const struct node *loop,
	struct found *f)
{
	switch (item->kind) {
	case NODE_IF_ITEM:
		for (; item && item->kind == NODE_IF_ITEM; item = item->u.if_item.otherwise)
			look_into(a, item->u.if_item.then, item->u.if_item.condition, loop, f);
		if (item)
			look_into(a, item, condition, loop, f);
		break;
	case NODE_FOR_ITEM:
		look_into(a, item->u.for_item.body, condition, is_argument(item->u.for_item.list) ? item : NULL, f);
		break;
	case NODE_SET:
		if (item->u.item.key.text.p && str_eq(item->u.item.key.text, f->name) && !f->entry &&
			item->u.item.key.span.start != f->mine.start) {
			f->entry = item;
			f->condition = condition;
		}
		if (loop && !f->argument.n) {
			f->key = map_key(a, loop, item, f->name);
			f->argument = f->key.n ? loop->u.for_item.list->u.name.text : f->argument;
		}
		break;
	default:
		break;
	}
}

static void look_into(struct arena *a, const struct node *body, const struct node *condition, const struct node *loop,
	struct found *f)
{
	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++)
		look_at(a, body->u.body.items.at[i], condition, loop, f);
}

/* Searches every `env` of a framework: its own, and those of its roles. */
static void look_for(struct arena *a, const struct node *body, struct found *f)
{
	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind == NODE_BLOCK && str_is(item->u.block.word, "role"))
			look_for(a, item->u.block.body, f);
		else if (item->kind == NODE_EXTEND && str_is(item->u.item.key.text, "env"))
			look_into(a, item->u.item.value, NULL, NULL, f);
	}
}

/* ---- the report ---- */

/* The value that the job itself passes to its framework for ARGUMENT; NULL when the job does not pass it. */
static const struct node *passed(const struct job *j, struct str argument)
{
	const struct nodes *args = &j->node->u.job.args;

	for (size_t i = 0; i < args->n; i++)
		if (args->at[i]->kind == NODE_ARG && str_eq(args->at[i]->u.arg.name, argument))
			return args->at[i]->u.arg.value;
	return NULL;
}

/*
 * The argument to write instead, such as `settings = { size = "4" }`, with the job's own value, in quotes if the map
 * contains texts.
 */
static struct str map_line(struct eval *ev, const struct found *f, const struct value *v)
{
	struct str key = str_is_word(f->key) ? f->key : str_cat(ev->arena, STR("\""), f->key, STR("\"")),
		text = STR("...");

	if (v && v->kind == VALUE_STRING)
		text = value_spell(ev->arena, v);
	else if (v && v->kind == VALUE_INT)
		text = str_cat(ev->arena, STR("\""), value_spell(ev->arena, v), STR("\""));
	return str_printf(ev->arena, "%.*s = { %.*s = %.*s }", STR_ARG(f->argument), STR_ARG(key), STR_ARG(text));
}

void lower_reserved(const struct job *j, const struct str **ret, size_t *ret_n)
{
	struct str *names = ARENA_ARRAY(j->ev->arena, struct str, j->nreserved);

	for (size_t i = 0; i < j->nreserved; i++)
		names[i] = j->reserved[i].name;
	*ret = names;
	*ret_n = j->nreserved;
}

/* The entry of `reserve` that covers a name. */
static struct str pattern_of(const struct job *j, struct str name)
{
	for (size_t i = 0; i < j->nreserved; i++) {
		struct str r = j->reserved[i].name;
		if (str_ends(r, STR("*")) && str_covered(name, r))
			return r;
	}
	return STR("");
}

static void help_locked(struct lowering *l, struct diag *d, const struct source_entry *mine, const struct found *f)
{
	struct eval *ev = l->ev;
	const struct source_entry *theirs = mine->beneath;
	struct str framework = l->job->plan->framework,
		other = instead(theirs ? theirs->expr : f->entry ? f->entry->u.item.value : NULL);
	struct str pattern = pattern_of(l->job, mine->key);

	if (!other.n && !theirs && f->condition)
		other = instead(f->condition);
	if (other.n)
		diag_help(ev->diags, d, "%s '%.*s' instead", theirs ? "change" : "set", STR_ARG(other));
	else if (f->argument.n && !f->entry && passed(l->job, f->argument))
		diag_help(ev->diags, d, theirs ? "change '%.*s' in the argument '%.*s' of the job, and remove it here" :
			"add '%.*s' to the argument '%.*s' of the job, and remove it here", STR_ARG(f->key),
			STR_ARG(f->argument));
	else if (f->argument.n && !f->entry)
		diag_help(ev->diags, d, "pass '%.*s' to '%.*s' instead", STR_ARG(map_line(ev, f, mine->value)),
			STR_ARG(framework));
	else if (theirs)
		diag_help(ev->diags, d, "remove it: processes find each other by the framework's value");
	else if (pattern.n)
		diag_help(ev->diags, d, "remove it: the program that the framework starts sets variables like '%.*s', "
			"by which processes find each other", STR_ARG(pattern));
	else
		diag_help(ev->diags, d,
			"remove it: the program that the framework starts sets it, and processes find each other by "
			"it");
}

/* The name of the framework that locks the variable: the one that the job names, or one that it wraps. */
static struct str locker(const struct job *j, const struct source_entry *mine)
{
	for (size_t i = 0; i < j->nreserved; i++)
		if (j->reserved[i].layer && mine->level < level_block(j->reserved[i].layer) &&
			str_covered(mine->key, j->reserved[i].name))
			return j->layers[j->reserved[i].layer].framework->name;
	return j->plan->framework;
}

void report_locked(struct lowering *l, const struct source_entry *mine)
{
	struct eval *ev = l->ev;
	const struct source_entry *theirs = mine->beneath;
	struct found f = { .name = mine->key, .mine = mine->key_at };
	struct diag *d = diag_report(ev->diags, TJ0702, mine->key_at,
		theirs ? "'%.*s' is set by '%.*s'" : "'%.*s' is reserved by '%.*s'",
		STR_ARG(mine->key), STR_ARG(locker(l->job, mine)));

	for (unsigned i = 0; i < l->job->nlayers; i++)
		look_for(ev->arena, l->job->layers[i].framework->node->u.blueprint_decl.body, &f);
	diag_label(ev->diags, d, theirs ? "set here too" : "set here");
	if (theirs)
		diag_note(ev->diags, d, theirs->key_at, "set by the framework here");
	else if (f.entry)
		diag_note(ev->diags, d, f.entry->u.item.key.span, "the framework would set it here");
	const struct node *argument = f.argument.n && !f.entry ? passed(l->job, f.argument) : NULL;
	if (argument)
		diag_note(ev->diags, d, argument->span, "the argument '%.*s' is passed here", STR_ARG(f.argument));
	help_locked(l, d, mine, &f);
}
