/*
 * cel_expr.c - translates an expression of the language into one of CEL with the same value. An expression that is not
 * handled here would mean something else in CEL, or cannot be computed from an object; it is refused with a reason.
 */
#include "cel/cel_expr.h"

#include "base/buf.h"
#include "check/check.h"
#include "check/check_schema.h"

enum { LONGEST = 1 << 14 };             /* maximum length of an expression in bytes */

/* ---- refusals ---- */

static struct str cannot(struct cel *c, const struct node *n, struct str why)
{
	if (!c->why.n) {
		c->why = why;
		c->at = n->span;
	}
	return STR("");
}

static struct str within(struct cel *c, const struct node *n, struct str text)
{
	return text.n > LONGEST ? cannot(c, n, STR("its expression would be too long")) : text;
}

#define SAID(c, n, ...) within(c, n, str_printf((c)->arena, __VA_ARGS__))

/* ---- words ---- */

/* A text as a literal of CEL. */
static struct str cel_quote(struct arena *a, struct str text)
{
	struct buf b = { 0 };

	buf_json(&b, text);
	text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

static bool is_reserved(struct str s)
{
	static const char *const words[] = { "as", "authorizer", "bool", "break", "bytes", "const", "continue",
		"double", "dyn", "else", "false", "for", "function", "if", "import", "in", "int", "let", "list", "loop",
		"map", "namespace", "namespaceObject", "null", "object", "oldObject", "package", "params", "request",
		"return", "string", "true", "type", "uint", "var", "variables", "void", "while", NULL };

	for (size_t i = 0; words[i]; i++)
		if (str_is(s, words[i]))
			return true;
	return false;
}

static bool is_bound(const struct cel *c, struct str name)
{
	for (const struct cel_bound *b = c->bound; b; b = b->outer)
		if (str_eq(b->text, name))
			return true;
	return false;
}

struct str cel_name(const struct cel *c, struct str name)
{
	struct str at = name;

	for (int i = 2; is_reserved(at) || is_bound(c, at); i++)
		at = str_printf(c->arena, "%.*s%d", STR_ARG(name), i);
	return at;
}

static struct str said_not(struct cel *c, const struct node *n, struct str text)
{
	return SAID(c, n, "!(%.*s)", STR_ARG(text));
}

/* ---- what names mean ---- */

static const struct cel_bound *bound_of(const struct cel *c, const struct node *n)
{
	const struct cel_bound *b = n->kind == NODE_NAME ? c->bound : NULL;

	while (b && b->decl != n->u.name.decl)
		b = b->outer;
	return b;
}

/* The `let` that N names, here or in another file; NULL when N is not the name of a `let`. */
static const struct decl *let_of(const struct cel *c, const struct node *n)
{
	const struct decl *d = n->kind == NODE_MEMBER ? n->u.member.decl
		: n->kind == NODE_NAME && !bound_of(c, n) ? n->u.name.decl : NULL;

	return d && d->kind == DECL_LET && d->node && d->node->u.binding.value ? d : NULL;
}

/* The value of the `let` that N names, through any number of lets; N itself when it is not the name of a `let`. */
static const struct node *behind(const struct cel *c, const struct node *n)
{
	for (const struct decl *d = let_of(c, n); d; d = let_of(c, n))
		n = d->node->u.binding.value;
	return n;
}

static bool is_builtin(const struct node *n, const char *name)
{
	return n->kind == NODE_NAME && n->u.name.decl && n->u.name.decl->kind == DECL_BUILTIN &&
		str_is(n->u.name.text, name);
}

static enum function function_of(const struct node *n)
{
	const struct decl *d = n->kind == NODE_CALL ? n->u.call.target : NULL;

	return d && d->kind == DECL_BUILTIN_FN ? (enum function)d->function : FUNCTIONS;
}

/* The expression of argument I; NULL if the default applies. */
static const struct node *given(const struct node *call, size_t i)
{
	const struct node *n = i < call->u.call.nbound ? call->u.call.bound[i] : NULL;

	return n && n->kind == NODE_ARG ? n->u.arg.value : n;
}

static enum type_kind kind_of(const struct node *n)
{
	const struct type *t = n->type;

	while (t && t->kind == TYPE_OPTIONAL)
		t = t->elem;
	return t ? t->kind : TYPE_BAD;
}

static bool is_text(const struct node *n)
{
	enum type_kind k = kind_of(n);

	return k == TYPE_STRING || k == TYPE_IMAGE || k == TYPE_NAME || k == TYPE_PATH || k == TYPE_ENUM;
}

static bool is_amount(const struct node *n)
{
	enum type_kind k = kind_of(n);

	return k == TYPE_CPU || k == TYPE_MEMORY || k == TYPE_UNIT;
}

/* ---- members ---- */

/* The CEL expression for the container that BASE means; empty when it is not a container or a role. */
static struct str container_of(const struct cel *c, const struct node *base)
{
	const struct cel_bound *b = bound_of(c, behind(c, base));

	if (!b || b->subject == CEL_VALUE)
		return STR("");
	return b->subject == CEL_CONTAINER ? b->text : str_cat(c->arena, b->text, STR(".main[0]"), STR(""));
}

/* The CEL expression, an `optional`, for the amount of KEY: the request or, without a request, the limit. */
static struct str resource(const struct cel *c, struct str container, struct str key)
{
	struct str quoted = cel_quote(c->arena, key);

	return str_printf(c->arena, "%.*s.?resources.?requests[?%.*s].or(%.*s.?resources.?limits[?%.*s])",
		STR_ARG(container), STR_ARG(quoted), STR_ARG(container), STR_ARG(quoted));
}

static const char *why_no_member(struct str name)
{
	static const struct {
		const char *name, *why;
	} reasons[] = {
		{ "kind", "an object does not say what a container is for" },
		{ "words", "a finished object has words in its commands that the policy does not see" },
		{ "env", "a finished object has variables that the policy does not see" },
		{ "mounts", "a finished object has mounts that the policy does not see" },
		{ "raw", "an object does not say which fields were raw" },
		{ "name", "an object has names of its own for roles and containers" },
		{ "role", "an object has names of its own for roles" },
		{ "layout", "an object does not say how its ranks are divided" },
		{ "replicas", "the size of an elastic role changes while the job runs" },
		{ "devices", "an object does not say which of its resources are devices" },
		{ "objects", "the API server checks the other objects of the job separately" },
		{ "timeout", "each kind of object has a field of its own for it" },
		{ "ttl", "each kind of object has a field of its own for it" },
		{ "queue", "each kind of object has a place of its own for it" },
		{ "priority", "each kind of object has a place of its own for it" },
		{ "labels", "an object also has labels that the policy does not see" },
		{ "annotations", "an object also has annotations that the policy does not see" },
		{ "domain", "no object has the domain of the cluster" },
		{ "run_id", "the operator's objects do not contain it" },
		{ NULL, NULL }
	};

	for (size_t i = 0; reasons[i].name; i++)
		if (str_is(name, reasons[i].name))
			return reasons[i].why;
	return "nothing in the object has the same value";
}

static struct str said_member(struct cel *c, const struct node *n)
{
	struct str name = n->u.member.name, container = container_of(c, n->u.member.base);
	const struct node *base = behind(c, n->u.member.base);
	const struct cel_bound *b = bound_of(c, base);

	if (behind(c, n) != n)
		return cel_expr(c, behind(c, n));
	if (is_builtin(base, "cluster") && str_is(name, "namespace"))
		return STR("request.namespace");
	if (is_builtin(base, "cluster") && str_is(name, "name"))
		return c->objects == CEL_OPERATOR_JOBS ? STR("object.metadata.name") : STR("variables.job");
	if (container.n && str_is(name, "image"))
		return SAID(c, n, "%.*s.?image.orValue(\"\")", STR_ARG(container));
	if (container.n && str_is(name, "name") && c->message)
		return str_cat(c->arena, b->text, STR(".name"), STR(""));
	return cannot(c, n, str_printf(c->arena, "'%.*s': %s", STR_ARG(name), why_no_member(name)));
}

/* Stores N as an expression with an `optional` value in *RET; false when N cannot be none. */
static bool optional(const struct cel *c, const struct node *n, struct str *ret)
{
	n = behind(c, n);
	if (n->kind != NODE_MEMBER)
		return false;
	struct str name = n->u.member.name, container = container_of(c, n->u.member.base);
	if (!container.n || !(str_is(name, "cpu") || str_is(name, "memory")))
		return false;
	*ret = resource(c, container, name);
	return true;
}

/* ---- amounts ---- */

static struct str literal_amount(struct cel *c, const struct node *n, struct str word)
{
	struct quantity q;

	if (quantity_parse(word, &q) != QUANTITY_OK)
		return cannot(c, n, STR("this amount cannot be written for Kubernetes"));
	return str_printf(c->arena, "quantity(\"%.*s\")", STR_ARG(quantity_text(c->arena, q)));
}

static struct str said_amount(struct cel *c, const struct node *n)
{
	const struct node *v = behind(c, n);
	const struct cel_bound *b = bound_of(c, v);
	struct str at;

	if (b && b->subject == CEL_VALUE)
		return b->text;
	if (optional(c, v, &at))
		return SAID(c, n, "quantity(string((%.*s).value()))", STR_ARG(at));
	switch (v->kind) {
	case NODE_INT:
		return literal_amount(c, v, str_printf(c->arena, "%llu", (unsigned long long)v->u.integer.value));
	case NODE_FLOAT: return literal_amount(c, v, v->u.floating.word);
	case NODE_QUANTITY: return literal_amount(c, v, v->u.quantity.word);
	case NODE_COALESCE: break;
	default: return cannot(c, n, STR("it compares a computed amount"));
	}
	if (!optional(c, v->u.op.left, &at))
		return said_amount(c, v->u.op.left);
	struct str otherwise = said_amount(c, v->u.op.right);
	return SAID(c, n, "((%.*s).hasValue() ? quantity(string((%.*s).value())) : %.*s)", STR_ARG(at),
		STR_ARG(at), STR_ARG(otherwise));
}

/* ---- images ---- */

/* A regular expression that matches exactly TEXT; empty when it has characters that a tag cannot contain. */
static struct str plain_pattern(struct arena *a, struct str text)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < text.n; i++) {
		char x = text.p[i];
		bool letter = (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z');
		if (!letter && !(x >= '0' && x <= '9') && x != '_' && x != '-' && x != '.') {
			buf_release(&b);
			return STR("");
		}
		buf_printf(&b, x == '.' ? "\\%c" : "%c", x);
	}
	text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

/* The call if N is tag(image) or tag(image) ?? "text", with that text in *RET_OTHERWISE; NULL for anything else. */
static const struct node *tag_call(const struct cel *c, const struct node *n, struct str *ret_otherwise)
{
	n = behind(c, n);
	*ret_otherwise = (struct str){ 0 };
	if (n->kind == NODE_COALESCE) {
		const struct node *right = behind(c, n->u.op.right);
		if (right->kind != NODE_STRING || !node_static_text(right, ret_otherwise))
			return NULL;
		n = behind(c, n->u.op.left);
	}
	return function_of(n) == FUNCTION_TAG ? n : NULL;
}

/* The expression for "the image has no tag". */
static struct str untagged(struct cel *c, const struct node *call)
{
	struct str image = cel_expr(c, given(call, 0)), pattern = cel_quote(c->arena, STR("(?s)^[^@]*:[^/@:]*(@.*)?$"));

	return SAID(c, call, "!(%.*s).matches(%.*s)", STR_ARG(image), STR_ARG(pattern));
}

/* The expression for tag(image) == TAG, where OTHERWISE replaces the tag of an image without one. */
static struct str tag_is(struct cel *c, const struct node *call, struct str otherwise, const struct node *tag)
{
	struct str image = cel_expr(c, given(call, 0)), text = { 0 }, pattern;

	tag = behind(c, tag);
	if (tag->kind != NODE_STRING || !node_static_text(tag, &text) || !(pattern = plain_pattern(c->arena, text)).n)
		return cannot(c, tag, STR("a tag can be compared only with a text that is a valid tag, or with none"));
	pattern = cel_quote(c->arena, str_cat(c->arena, STR("(?s)^[^@]*:"), pattern, STR("(@.*)?$")));
	if (!otherwise.p || !str_eq(otherwise, text))
		return SAID(c, call, "(%.*s).matches(%.*s)", STR_ARG(image), STR_ARG(pattern));
	struct str none = untagged(c, call);
	return SAID(c, call, "((%.*s).matches(%.*s) || %.*s)", STR_ARG(image), STR_ARG(pattern), STR_ARG(none));
}

/* ---- comparisons ---- */

/* The expression for V == none if NONE, otherwise for V != none. */
static struct str is_none(struct cel *c, const struct node *v, bool none)
{
	const struct node *n = behind(c, v);
	struct str at;

	if (optional(c, n, &at))
		return SAID(c, v, "%s(%.*s).hasValue()", none ? "!" : "", STR_ARG(at));
	if (function_of(n) == FUNCTION_TAG)
		return none ? untagged(c, n) : said_not(c, n, untagged(c, n));
	if (function_of(n) == FUNCTION_FIND && is_text(given(n, 0))) {
		struct str text = cel_expr(c, given(n, 0)), part = cel_expr(c, given(n, 1));
		return SAID(c, v, "%s(%.*s).contains(%.*s)", none ? "!" : "", STR_ARG(text), STR_ARG(part));
	}
	cel_expr(c, n);                 /* records a more precise reason first, if there is one */
	return cannot(c, v, STR("an object does not show whether this is none"));
}

/* The other operand if N compares something with none, otherwise NULL. */
static const struct node *beside_none(const struct cel *c, const struct node *n)
{
	if (behind(c, n->u.op.right)->kind == NODE_NONE)
		return n->u.op.left;
	return behind(c, n->u.op.left)->kind == NODE_NONE ? n->u.op.right : NULL;
}

static struct str said_equal(struct cel *c, const struct node *n)
{
	const struct node *left = n->u.op.left, *right = n->u.op.right, *call;
	struct str otherwise;

	if ((call = tag_call(c, left, &otherwise)))
		return tag_is(c, call, otherwise, right);
	if ((call = tag_call(c, right, &otherwise)))
		return tag_is(c, call, otherwise, left);
	if (is_amount(left) || is_amount(right)) {
		struct str a = said_amount(c, left), b = said_amount(c, right);
		return SAID(c, n, "%.*s.compareTo(%.*s) == 0", STR_ARG(a), STR_ARG(b));
	}
	struct str a = cel_expr(c, left), b = cel_expr(c, right);
	return SAID(c, n, kind_of(left) == TYPE_BOOL ? "(%.*s) == (%.*s)" : "%.*s == %.*s", STR_ARG(a), STR_ARG(b));
}

static struct str said_order(struct cel *c, const struct node *n)
{
	const struct node *left = n->u.op.left, *right = n->u.op.right;

	if (is_amount(left) || is_amount(right)) {
		struct str a = said_amount(c, left), b = said_amount(c, right);
		return SAID(c, n, "%.*s.compareTo(%.*s) %s 0", STR_ARG(a), STR_ARG(b), op_name(n->u.op.op));
	}
	if (!is_text(left) && kind_of(left) != TYPE_INT)
		return cannot(c, n, STR("values of this type are not compared in CEL"));
	struct str a = cel_expr(c, left), b = cel_expr(c, right);
	return SAID(c, n, "%.*s %s %.*s", STR_ARG(a), op_name(n->u.op.op), STR_ARG(b));
}

/* The expression for tag(image) in ["1", "2"]. */
static struct str tag_in(struct cel *c, const struct node *call, struct str otherwise, const struct node *list)
{
	struct str all = STR("");

	for (size_t i = 0; i < list->u.list.n; i++) {
		struct str one = tag_is(c, call, otherwise, list->u.list.at[i]);
		all = SAID(c, call, "%.*s%s%.*s", STR_ARG(all), i ? " || " : "", STR_ARG(one));
	}
	return all.n ? SAID(c, call, "(%.*s)", STR_ARG(all)) : STR("false");
}

static struct str said_in(struct cel *c, const struct node *n)
{
	const struct node *left = behind(c, n->u.op.left), *right = behind(c, n->u.op.right);
	const struct node *call;
	struct str key, container, otherwise;

	if (right->kind == NODE_LIST && (call = tag_call(c, left, &otherwise)))
		return tag_in(c, call, otherwise, right);
	if (right->kind == NODE_LIST && (is_text(left) || kind_of(left) == TYPE_INT)) {
		struct str a = cel_expr(c, left), b = cel_expr(c, right);
		return SAID(c, n, "%.*s in %.*s", STR_ARG(a), STR_ARG(b));
	}
	if (right->kind == NODE_MEMBER && str_is(right->u.member.name, "resources") && left->kind == NODE_STRING &&
	    (container = container_of(c, right->u.member.base)).n && node_static_text(left, &key)) {
		if (!memchr(key.p, '/', key.n) && !str_starts(key, STR("hugepages-")))
			return STR("false");    /* the map contains only devices and huge pages */
		return SAID(c, n, "(%.*s).hasValue()", STR_ARG(resource(c, container, key)));
	}
	cel_expr(c, right);
	return cannot(c, n, STR("'in' works only on a list that is written out and on the resources of a container"));
}

static struct str said_binary(struct cel *c, const struct node *n)
{
	const struct node *some = beside_none(c, n);
	struct str a, b;

	if (some && (n->u.op.op == OP_EQ || n->u.op.op == OP_NE))
		return is_none(c, some, n->u.op.op == OP_EQ);
	switch (n->u.op.op) {
	case OP_AND: case OP_OR:
		a = cel_expr(c, n->u.op.left);
		b = cel_expr(c, n->u.op.right);
		return SAID(c, n, "(%.*s) %s (%.*s)", STR_ARG(a), n->u.op.op == OP_AND ? "&&" : "||", STR_ARG(b));
	case OP_EQ: return said_equal(c, n);
	case OP_NE: return said_not(c, n, said_equal(c, n));
	case OP_LT: case OP_LE: case OP_GT: case OP_GE: return said_order(c, n);
	case OP_IN: return said_in(c, n);
	case OP_NOT_IN: return said_not(c, n, said_in(c, n));
	default:
		cel_expr(c, n->u.op.left);      /* records a more precise reason first, if there is one */
		cel_expr(c, n->u.op.right);
		return cannot(c, n, STR("CEL rounds and overflows differently"));
	}
}

/* ---- calls ---- */

static bool means_itself(char x)
{
	return (x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || (x >= '0' && x <= '9') ||
		(x != '\0' && strchr("_/:@ ,=-", x));
}

/*
 * Does the pattern P mean the same in POSIX and in RE2? Words, dots, groups, alternatives, anchors, plain brackets and
 * single repetitions do.
 */
static bool same_pattern(struct str p)
{
	bool repeated = true;           /* no repetition may follow: at the beginning, and after another repetition */

	for (size_t i = 0; i < p.n; i++) {
		char x = p.p[i];
		if (x == '*' || x == '+' || x == '?') {
			if (repeated)
				return false;
			repeated = true;
			continue;
		}
		repeated = x == '(' || x == '|' || x == '^' || x == '$';
		if (x == '\\') {
			if (++i == p.n || !strchr(".*+?|()[]^$", p.p[i]) || !p.p[i])
				return false;
		} else if (x == '[') {
			size_t first = i + 1 + (i + 1 < p.n && p.p[i + 1] == '^');
			for (i = first; i < p.n && p.p[i] != ']'; i++)
				if (!means_itself(p.p[i]) && p.p[i] != '.')
					return false;
			if (i == p.n || i == first)
				return false;
		} else if (!means_itself(x) && !strchr(".()|^$", x)) {
			return false;
		}
	}
	return true;
}

static struct str said_match(struct cel *c, const struct node *n)
{
	const struct node *pattern = behind(c, given(n, 1));
	struct str p, text = cel_expr(c, given(n, 0));

	if (pattern->kind != NODE_STRING || !node_static_text(pattern, &p) || !same_pattern(p))
		return cannot(c, given(n, 1), STR("this pattern may match other texts in CEL"));
	p = cel_quote(c->arena, str_cat(c->arena, STR("(?s)^(?:"), p, STR(")$")));
	return SAID(c, n, "(%.*s).matches(%.*s)", STR_ARG(text), STR_ARG(p));
}

/* The expression for a call of a function of the program: its body, in which the arguments replace the parameters. */
static struct str inlined(struct cel *c, const struct node *n)
{
	struct decl *fn = n->u.call.target;
	const struct node *value = check_function_value(c->program, fn);
	const struct cel_bound *outer = c->bound, *bound = outer;

	for (size_t i = 0; i < fn->nformals; i++) {
		struct cel_bound *b = ARENA_NEW(c->arena, struct cel_bound);
		const struct node *arg = given(n, i);
		arg = arg ? arg : fn->formals[i]->node->u.binding.value;
		const struct cel_bound *subject = arg ? bound_of(c, behind(c, arg)) : NULL;
		*b = (struct cel_bound){ .decl = fn->formals[i], .outer = bound,
			.subject = subject ? subject->subject : CEL_VALUE };
		if (!arg)
			return cannot(c, n, STR("one of its arguments has no value"));
		b->text = subject ? subject->text : is_amount(arg) ? said_amount(c, arg) : cel_expr(c, arg);
		bound = b;
	}
	c->bound = bound;
	struct str text = cel_expr(c, value);
	c->bound = outer;
	return SAID(c, n, "(%.*s)", STR_ARG(text));
}

static struct str said_call(struct cel *c, const struct node *n)
{
	const struct decl *d = n->u.call.target;
	struct str text, part;

	if (d && d->kind == DECL_FN)
		return inlined(c, n);
	switch (function_of(n)) {
	case FUNCTION_HAS_DIGEST:
		text = cel_expr(c, given(n, 0));
		return SAID(c, n, "(%.*s).contains(\"@\")", STR_ARG(text));
	case FUNCTION_STARTS_WITH: case FUNCTION_ENDS_WITH:
		text = cel_expr(c, given(n, 0));
		part = cel_expr(c, given(n, 1));
		return SAID(c, n, "(%.*s).%s(%.*s)", STR_ARG(text),
			function_of(n) == FUNCTION_ENDS_WITH ? "endsWith" : "startsWith", STR_ARG(part));
	case FUNCTION_MATCHES: return said_match(c, n);
	default: return cannot(c, n, STR("this function has no counterpart in CEL"));
	}
}

/* ---- the rest ---- */

/*
 * The expression for one part of a string. An amount is only possible in a message, as the object writes it; elsewhere
 * its text would differ from that in the program.
 */
static struct str said_part(struct cel *c, const struct node *n)
{
	const struct node *v = behind(c, n);
	struct str at, otherwise;
	struct quantity q;

	if (is_text(n))
		return cel_expr(c, n);
	if (c->message && optional(c, v, &at))
		return SAID(c, n, "string((%.*s).value())", STR_ARG(at));
	if (c->message && v->kind == NODE_COALESCE && optional(c, v->u.op.left, &at)) {
		const struct node *right = behind(c, v->u.op.right);
		if (right->kind == NODE_QUANTITY && quantity_parse(right->u.quantity.word, &q) == QUANTITY_OK) {
			otherwise = quantity_text(c->arena, q);
			return SAID(c, n, "string((%.*s).orValue(\"%.*s\"))", STR_ARG(at), STR_ARG(otherwise));
		}
	}
	return cannot(c, n, STR("CEL formats this value differently"));
}

static struct str said_string(struct cel *c, const struct node *n)
{
	struct buf b = { 0 };

	if (!n->u.string.n)
		return STR("\"\"");
	for (size_t i = 0; i < n->u.string.n; i++) {
		const struct string_part *p = &n->u.string.parts[i];
		struct str text = p->expr ? said_part(c, p->expr) : cel_quote(c->arena, p->text);
		buf_printf(&b, "%s%.*s", i ? " + " : "", STR_ARG(text));
	}
	struct str all = buf_take(&b, c->arena);
	buf_release(&b);
	return n->u.string.n > 1 ? SAID(c, n, "(%.*s)", STR_ARG(all)) : all;
}

static struct str said_list(struct cel *c, const struct node *n)
{
	struct str all = STR("[");

	for (size_t i = 0; i < n->u.list.n; i++) {
		struct str one = cel_expr(c, n->u.list.at[i]);
		all = SAID(c, n, "%.*s%s%.*s", STR_ARG(all), i ? ", " : "", STR_ARG(one));
	}
	return SAID(c, n, "%.*s]", STR_ARG(all));
}

static struct str said_if(struct cel *c, const struct node *n)
{
	struct str condition = cel_expr(c, n->u.if_expr.condition), then = cel_expr(c, n->u.if_expr.then),
		otherwise = cel_expr(c, n->u.if_expr.otherwise);

	return SAID(c, n, "(%.*s ? %.*s : %.*s)", STR_ARG(condition), STR_ARG(then), STR_ARG(otherwise));
}

static struct str said_name(struct cel *c, const struct node *n)
{
	const struct node *v = behind(c, n);
	const struct cel_bound *b = bound_of(c, v);

	if (v != n)
		return cel_expr(c, v);
	if (b && b->subject == CEL_VALUE)
		return b->text;
	if (!b && n->u.name.decl && n->u.name.decl->kind == DECL_PARAM)
		return cannot(c, n, STR("the value of a parameter comes from the program"));
	return cannot(c, n, STR("this has no counterpart in an object"));
}

struct str cel_expr(struct cel *c, const struct node *n)
{
	if (c->why.n)
		return STR("");
	switch (n->kind) {
	case NODE_BOOL: return n->u.boolean ? STR("true") : STR("false");
	case NODE_INT: return str_printf(c->arena, "%llu", (unsigned long long)n->u.integer.value);
	case NODE_STRING: return said_string(c, n);
	case NODE_LIST: return said_list(c, n);
	case NODE_NAME: return said_name(c, n);
	case NODE_MEMBER: return said_member(c, n);
	case NODE_CALL: return said_call(c, n);
	case NODE_IF: return said_if(c, n);
	case NODE_BINARY: return said_binary(c, n);
	case NODE_UNARY:
		if (n->u.op.op == OP_NOT)
			return said_not(c, n, cel_expr(c, n->u.op.left));
		break;
	default: break;
	}
	return cannot(c, n, STR("CEL has no expression of this kind"));
}

struct cel_list cel_list(struct cel *c, const struct node *n)
{
	const struct node *v = behind(c, n);
	bool is_member = v->kind == NODE_MEMBER;
	const struct cel_bound *b = is_member ? bound_of(c, behind(c, v->u.member.base)) : NULL;
	bool of_cluster = is_member && is_builtin(behind(c, v->u.member.base), "cluster");
	bool containers = is_member && str_is(v->u.member.name, "containers");
	bool alike = c->objects == CEL_OPERATOR_JOBS;   /* such jobs have no auxiliary roles and no added objects */

	if (of_cluster && str_is(v->u.member.name, "roles"))
		return (struct cel_list){ .outer = CEL_ROLES, .subject = CEL_ROLE, .of_cluster = true };
	if (of_cluster && str_is(v->u.member.name, "all_roles"))
		return (struct cel_list){ .outer = alike ? CEL_ROLES : STR("variables.all_roles"), .subject = CEL_ROLE,
			.of_cluster = true };
	if (of_cluster && containers)
		return (struct cel_list){ alike ? CEL_ROLES : STR("variables.pods"), STR("containers"), CEL_CONTAINER,
			.of_cluster = true };
	if (b && b->subject == CEL_ROLE && containers)
		return (struct cel_list){ .outer = str_cat(c->arena, b->text, STR(".containers"), STR("")),
			.subject = CEL_CONTAINER };
	if (v->kind == NODE_LIST)
		return (struct cel_list){ .outer = cel_expr(c, v) };
	struct str name = is_member ? v->u.member.name : STR("");
	cannot(c, n, is_member ? str_printf(c->arena, "'%.*s': %s", STR_ARG(name), why_no_member(name))
		: STR("a loop can run only over roles, containers and a list that is written out"));
	return (struct cel_list){ 0 };
}
