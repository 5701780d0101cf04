/*
 * cel.c - translates the bodies of policies: loops become `all`, conditions become `||`. For the message, the same
 * loops return the text of the first check that failed, or "" if all hold.
 */
#include "cel/cel.h"

#include "base/buf.h"
#include "cel/cel_expr.h"

/*
 * The loops and conditions around a check, as the text before it and after it: in the expression, and in the expression
 * for the message.
 */
struct around {
	struct str check[2], message[2];
	struct str why;                 /* why CEL cannot express them; empty if it can */
	struct span at;
	bool roles;                     /* the expressions read variables.roles */
	const struct cel_bound *bound;
};

struct reading {
	struct arena *arena;
	struct program *program;
	enum cel_objects objects;
	struct str policy;
	struct cel_policies *ret;
};

static struct cel cel_here(const struct reading *r, const struct around *a)
{
	return (struct cel){ .arena = r->arena, .program = r->program, .objects = r->objects, .bound = a->bound,
		.why = a->why, .at = a->at };
}

/* ---- messages ---- */

static void put_joined(struct buf *b, struct str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\n')
			buf_z(b, "; ");
		else
			buf_char(b, (unsigned char)text.p[i] < ' ' ? ' ' : text.p[i]);
}

/* The message without values, in which interpolations are shown as the program writes them. */
static struct str plain_message(const struct reading *r, const struct node *n)
{
	struct buf b = { 0 };

	for (size_t i = 0; n->kind == NODE_STRING && i < n->u.string.n; i++) {
		const struct string_part *p = &n->u.string.parts[i];
		if (p->expr)
			buf_char(&b, '<');
		put_joined(&b, p->expr ? source_text(r->program->sources, p->expr->span) : p->text);
		if (p->expr)
			buf_char(&b, '>');
	}
	if (!b.n)
		buf_printf(&b, "policy \"%.*s\" does not hold", STR_ARG(r->policy));
	struct str text = buf_take(&b, r->arena);
	buf_release(&b);
	return text;
}

/* The message with its lines joined to one; NULL when it has no interpolations. */
static const struct node *message_line(const struct reading *r, const struct node *n)
{
	bool inserts = false;

	for (size_t i = 0; n->kind == NODE_STRING && i < n->u.string.n; i++)
		inserts = inserts || n->u.string.parts[i].expr;
	if (!inserts)
		return NULL;
	struct node *copy = node_new(r->arena, NODE_STRING, n->span);
	copy->type = n->type;
	copy->u.string.n = n->u.string.n;
	copy->u.string.parts = ARENA_ARRAY(r->arena, struct string_part, n->u.string.n);
	for (size_t i = 0; i < n->u.string.n; i++) {
		struct buf b = { 0 };
		copy->u.string.parts[i] = n->u.string.parts[i];
		put_joined(&b, n->u.string.parts[i].text);
		copy->u.string.parts[i].text = buf_take(&b, r->arena);
		buf_release(&b);
	}
	return copy;
}

/* ---- checks ---- */

static struct str joined(const struct reading *r, struct str a, struct str b, struct str c)
{
	return str_cat(r->arena, a, b, c);
}

static void read_check(struct reading *r, const struct node *n, const struct around *a)
{
	struct cel c = cel_here(r, a);
	struct cel_check check = { .policy = r->policy, .warn = n->u.check.warn, .roles = a->roles };
	struct str condition = cel_expr(&c, n->u.check.condition);
	struct cel said = { .arena = r->arena, .program = r->program, .objects = r->objects, .bound = a->bound,
		.message = true };
	const struct node *message = message_line(r, n->u.check.message);

	if (c.why.n) {
		struct cel_refusal refusal = { r->policy, c.at, c.why };
		ARENA_PUSH(r->arena, r->ret->refusals, r->ret->nrefusals, refusal);
		return;
	}
	check.expression = joined(r, a->check[0], condition, a->check[1]);
	check.message = plain_message(r, n->u.check.message);
	struct str text = message ? cel_expr(&said, message) : STR("");
	if (message && !said.why.n) {
		text = str_printf(r->arena, "(%.*s) ? \"\" : %.*s", STR_ARG(condition), STR_ARG(text));
		check.message_expression = joined(r, a->message[0], text, a->message[1]);
	}
	ARENA_PUSH(r->arena, r->ret->checks, r->ret->nchecks, check);
}

static void say_body(struct reading *r, const struct node *body, const struct around *a);

/* Adds a loop inside the loops and conditions of A. */
static void go_over(const struct reading *r, struct around *a, struct str list, struct str name)
{
	struct str open = str_printf(r->arena, "%.*s.all(%.*s, ", STR_ARG(list), STR_ARG(name)),
		map = str_printf(r->arena, "(%.*s.map(%.*s, ", STR_ARG(list), STR_ARG(name));

	a->check[0] = joined(r, a->check[0], open, STR(""));
	a->check[1] = joined(r, STR(")"), a->check[1], STR(""));
	a->message[0] = joined(r, a->message[0], map, STR(""));
	a->message[1] = joined(r, STR(").filter(said, said != \"\") + [\"\"])[0]"), a->message[1], STR(""));
}

static struct cel_bound *bind(const struct reading *r, const struct cel *c, const struct cel_bound *outer,
	const struct decl *d, struct str name, enum cel_subject subject)
{
	struct cel_bound *b = ARENA_NEW(r->arena, struct cel_bound);

	*b = (struct cel_bound){ .decl = d, .subject = subject, .text = cel_name(c, name), .outer = outer };
	return b;
}

/* Does an enclosing loop go over all roles or containers of the job? */
static bool is_in_cluster(const struct cel_bound *b)
{
	while (b && !b->of_cluster)
		b = b->outer;
	return b != NULL;
}

static void read_loop(struct reading *r, const struct node *n, struct around a)
{
	struct cel c = cel_here(r, &a);
	const struct binder *binder = &n->u.for_item.binders[0];
	struct cel_list list = { 0 };

	if (!c.why.n)
		list = cel_list(&c, n->u.for_item.list);
	if (!c.why.n && n->u.for_item.nbinders > 1) {
		c.why = STR("a loop with positions or keys has no counterpart in CEL");
		c.at = n->u.for_item.list->span;
	}
	if (!c.why.n && list.of_cluster && r->objects == CEL_RUN_OBJECTS && is_in_cluster(a.bound)) {
		c.why = STR("it compares roles with each other, and each of them is an object of its own");
		c.at = n->u.for_item.list->span;
	}
	a.why = c.why;
	a.at = c.at;
	a.roles = a.roles || str_eq(list.outer, CEL_ROLES);
	if (!c.why.n && list.inner.n) {
		c.bound = a.bound = bind(r, &c, a.bound, NULL, STR("part"), CEL_VALUE);
		go_over(r, &a, list.outer, a.bound->text);
		list.outer = str_printf(r->arena, "%.*s.%.*s", STR_ARG(a.bound->text), STR_ARG(list.inner));
	}
	if (!c.why.n) {
		struct cel_bound *b = bind(r, &c, a.bound, binder->decl, binder->name, list.subject);
		b->of_cluster = list.of_cluster;
		a.bound = b;
		go_over(r, &a, list.outer, b->text);
	}
	say_body(r, n->u.for_item.body, &a);
}

/* Makes the check apply only if CONDITION has the value HOLDS; otherwise the check holds and its message is empty. */
static void only_if(const struct reading *r, struct around *a, struct str condition, bool holds)
{
	struct str open = str_printf(r->arena, holds ? "!(%.*s) || (" : "(%.*s) || (", STR_ARG(condition)),
		choice = str_printf(r->arena, holds ? "(!(%.*s) ? \"\" : " : "((%.*s) ? \"\" : ", STR_ARG(condition));

	a->check[0] = joined(r, a->check[0], open, STR(""));
	a->check[1] = joined(r, STR(")"), a->check[1], STR(""));
	a->message[0] = joined(r, a->message[0], choice, STR(""));
	a->message[1] = joined(r, STR(")"), a->message[1], STR(""));
}

static void read_if(struct reading *r, const struct node *n, struct around a)
{
	for (;;) {
		struct around then = a;
		struct cel c = cel_here(r, &a);
		struct str condition = cel_expr(&c, n->u.if_item.condition);
		then.why = a.why = c.why;
		then.at = a.at = c.at;
		only_if(r, &then, condition, true);
		only_if(r, &a, condition, false);
		say_body(r, n->u.if_item.then, &then);
		const struct node *otherwise = n->u.if_item.otherwise;
		if (otherwise && otherwise->kind == NODE_IF_ITEM) {
			n = otherwise;
			continue;
		}
		if (otherwise)
			say_body(r, otherwise, &a);
		return;
	}
}

static void say_body(struct reading *r, const struct node *body, const struct around *a)
{
	for (size_t i = 0; body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *n = body->u.body.items.at[i];
		if (n->kind == NODE_CHECK)
			read_check(r, n, a);
		else if (n->kind == NODE_FOR_ITEM)
			read_loop(r, n, *a);
		else if (n->kind == NODE_IF_ITEM)
			read_if(r, n, *a);
	}
}

void cel_policies(struct arena *arena, struct program *p, enum cel_objects objects, struct cel_policies *ret)
{
	struct reading r = { .arena = arena, .program = p, .objects = objects, .ret = ret };

	*ret = (struct cel_policies){ 0 };
	for (size_t m = 0; m < p->project.npolicies; m++) {
		struct nodes decls = p->project.policies[m]->file->u.file.decls;
		for (size_t i = 0; i < decls.n; i++) {
			struct around none = { .bound = NULL };
			if (decls.at[i]->kind != NODE_POLICY ||
			    !node_static_text(decls.at[i]->u.titled.title, &r.policy))
				continue;
			ret->npolicies++;
			say_body(&r, decls.at[i]->u.titled.body, &none);
		}
	}
}
