/*
 * quotes.c - recognizes text without quotes, as YAML and shells accept it: `image = registry.example.com/train:1.0`,
 * `command = [python, train.py]`. The parser reads it as an operation on names that do not exist, and one message about
 * the quotes replaces those about each name and operator.
 */
#include "check/context.h"

static bool is_operation(const struct node *n)
{
	return n->kind == NODE_ELASTIC || n->kind == NODE_MEMBER || (n->kind == NODE_BINARY && n->u.op.op <= OP_MOD);
}

/* The name that an operation or a member begins with; NULL when it begins otherwise. */
static const struct node *first_name(const struct node *n)
{
	while (n->kind == NODE_ELASTIC || n->kind == NODE_BINARY || n->kind == NODE_MEMBER)
		n = n->kind == NODE_MEMBER ? n->u.member.base : n->u.op.left;
	return n->kind == NODE_NAME ? n : NULL;
}

/* Is it "chief.hosts" where no role is called 'chief'? Its member is one of a role's. */
static bool names_a_role(struct check *c, const struct node *n)
{
	static const char *const of_roles[] = { "replicas", "hosts", "host", "name", "ports", "port", "address",
		"addresses", "devices", NULL };

	for (size_t i = 0; n->kind == NODE_MEMBER && of_roles[i] && (scope_around(c, SCOPE_JOB) || scope_around(c,
		SCOPE_FRAMEWORK)); i++)
		if (str_is(n->u.member.name, of_roles[i]))
			return true;
	return false;
}

/* Is a text wanted, or a list of texts that one text can be given for? */
static bool wants_text(struct check *c, const struct node *n, const struct type *want)
{
	const struct type *core = type_strip_pod(type_strip_optional(want));
	struct str text;

	if (core->kind != TYPE_LIST || !type_is_text(core->elem))
		return type_is_text(core);
	text = source_text(c->program->sources, n->span);
	return !memchr(text.p, '[', text.n) && !memchr(text.p, '"', text.n) && !memchr(text.p, '(', text.n) &&
		!memchr(text.p, '+', text.n) && !memchr(text.p, ' ', text.n);
}

/*
 * Is the operation text without quotes? No operator gives a text, so where a text is wanted it must be. A variable may
 * be a number.
 */
bool text_without_quotes(struct check *c, const struct node *n, const struct type *want)
{
	const struct node *first = wants_text(c, n, want) && (is_operation(n) || n->kind == NODE_NAME) ?
		first_name(n) : NULL;
	const struct decl *known = first ? scope_peek(c, first->u.name.text) : NULL;
	/* a module is not a value */
	bool module = known && known->kind == DECL_IMPORT && n->kind != NODE_MEMBER;
	if (n->kind == NODE_NAME)
		return module;          /* an unknown name is reported as such, with the names that resemble it */
	return first && (!known || module) && !names_a_role(c, n) && (n->kind != NODE_MEMBER ||
		scope_unheard(c, first->u.name.text));
}

const struct type *report_quotes(struct check *c, struct node *n, const struct site *site)
{
	struct str text = source_text(c->program->sources, n->span);
	struct str what = site_words(c, site);
	diags_drop(c->diags, TJ0102, n->span);          /* such as a version that is not a number */
	struct diag *d = diag_report(c->diags, TJ0302, n->span, "%.*s is text, and text is written in quotes",
		STR_ARG(what.n ? what : STR("this")));
	diag_help(c->diags, d, "write \"%.*s\"", STR_ARG(text));
	diag_fix(c->diags, d, n->span, str_printf(c->arena, "\"%.*s\"", STR_ARG(text)), "put it in quotes");
	return mark_bad(n);
}

/* Reports an operation on an unknown name as the value of a variable: the name is missing, or quotes are. */
bool report_unknown_variable(struct check *c, struct node *n, const struct type *want)
{
	const struct node *first = type_strip_pod(type_strip_optional(want))->kind == TYPE_ENV_VALUE &&
		is_operation(n) ? first_name(n) : NULL;
	if (!first || scope_peek(c, first->u.name.text) ||
		(n->kind != NODE_ELASTIC && !scope_unheard(c, first->u.name.text)))
		return false;
	struct str words = source_text(c->program->sources, n->span);
	struct diag *d = diag_report(c->diags, TJ0201, first->span, "no value named '%.*s'",
		STR_ARG(first->u.name.text));
	if (n->kind == NODE_MEMBER)
		help_roles(c, d);
	if (!memchr(words.p, '"', words.n) && !memchr(words.p, '\n', words.n))
		diag_help(c->diags, d, "if the text is meant, write \"%.*s\"", STR_ARG(words));
	mark_bad(n);
	return true;
}

/* ---- lists ---- */

enum element { ELEMENT_FINE, ELEMENT_PLAIN, ELEMENT_BARE, ELEMENT_OTHER };

/* The name that an element begins with, behind the signs of an option such as --lr; NULL when it begins otherwise. */
static const struct node *option_name(const struct node *n)
{
	while (n->kind == NODE_UNARY || n->kind == NODE_BINARY || n->kind == NODE_MEMBER || n->kind == NODE_ELASTIC)
		n = n->kind == NODE_MEMBER ? n->u.member.base : n->u.op.left;
	return n->kind == NODE_NAME ? n : NULL;
}

static bool is_sign(const struct node *n)
{
	while (n->kind == NODE_BINARY || n->kind == NODE_MEMBER)
		n = n->kind == NODE_MEMBER ? n->u.member.base : n->u.op.left;
	return n->kind == NODE_UNARY && n->u.op.op == OP_NEGATE;
}

static enum element element_kind(struct check *c, const struct node *n, const struct type *want)
{
	const struct node *first;

	switch (n->kind) {
	case NODE_STRING:
		return ELEMENT_FINE;
	case NODE_INT: case NODE_FLOAT: case NODE_BOOL: case NODE_QUANTITY:
		return ELEMENT_PLAIN;
	case NODE_NAME:
		if (scope_peek(c, n->u.name.text) || scope_resembles(c, n->u.name.text))
			return ELEMENT_OTHER;
		return ELEMENT_BARE;
	case NODE_UNARY: case NODE_BINARY: case NODE_MEMBER: case NODE_ELASTIC:
		first = option_name(n);
		if (first && !scope_peek(c, first->u.name.text) && (is_sign(n) || text_without_quotes(c, n, want)))
			return ELEMENT_BARE;
		return ELEMENT_OTHER;
	default:
		return ELEMENT_OTHER;
	}
}

/* Reports [python, train.py] and ["--lr", 0.1, "--amp", true] once; true if it did. One element is left to others. */
bool report_bare_elements(struct check *c, struct node *n, const struct type *want)
{
	const struct nodes list = n->u.list;
	struct str right = STR("");
	size_t wrong = 0;

	enum { MOST = 64 };             /* elements: a longer list is not shown */
	if (list.n > MOST || !type_is_text(type_strip_pod(type_strip_optional(want))))
		return false;
	for (size_t i = 0; i < list.n; i++) {
		enum element kind = element_kind(c, list.at[i], want);
		struct str text = source_text(c->program->sources, list.at[i]->span);
		bool quote = kind == ELEMENT_PLAIN || kind == ELEMENT_BARE;
		if (kind == ELEMENT_OTHER || memchr(text.p, '\n', text.n) ||
		    (quote && (memchr(text.p, '"', text.n) || memchr(text.p, '\\', text.n))))
			return false;
		wrong += quote;
		right = str_printf(c->arena, quote ? "%.*s%s\"%.*s\"" : "%.*s%s%.*s", STR_ARG(right), i ? ", " : "",
			STR_ARG(text));
	}
	if (wrong < 2 || right.n > 200)
		return false;
	diags_drop(c->diags, TJ0102, n->span);
	struct diag *d = diag_report(c->diags, TJ0302, n->span, "%zu elements of this list are text, and text is "
		"written in quotes", wrong);
	diag_help(c->diags, d, "write [%.*s]", STR_ARG(right));
	diag_fix(c->diags, d, n->span, str_printf(c->arena, "[%.*s]", STR_ARG(right)), "put them in quotes");
	for (size_t i = 0; i < list.n; i++)
		if (element_kind(c, list.at[i], want) != ELEMENT_FINE)
			mark_bad(list.at[i]);
		else
			check_expr(c, list.at[i], want, NO_SITE);
	return true;
}
