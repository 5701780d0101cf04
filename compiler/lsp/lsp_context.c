/*
 * lsp_context.c - finds the kind of place that the cursor is in, from the tokens. One pass over the tokens keeps a
 * stack of open brackets. As in the grammar, what may be inside a bracket depends only on the item before it and on the
 * place around it.
 */
#include "lsp/lsp_context.h"

#include "kube/schema_merge.h"
#include "trainc.tab.h"

/* ---- where scanning starts ---- */

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool begins_declaration(struct str line)
{
	static const char *const words[] = { "import", "param", "let", "fn", "type", "project", "policy", "framework",
		"accelerator", "job",
		"profile", "test", "for", "check", "warn" };
	size_t n = 0;

	while (n < line.n && is_word_byte(line.p[n]))
		n++;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is((struct str){ line.p, n }, words[i]))
			return true;
	return false;
}

/* Returns the offset of the line on which the declaration around OFFSET starts. */
static size_t declaration_start(struct str text, size_t offset)
{
	size_t line = offset;

	for (;;) {
		while (line > 0 && text.p[line - 1] != '\n')
			line--;
		if (line == 0 || begins_declaration((struct str){ text.p + line, offset - line }))
			return line;
		line--;
	}
}

/* ---- tokens ---- */

/* Returns the kind of token I; `+=` is treated as `=`. */
static int kind_at(const struct context *c, size_t i)
{
	int kind = i < c->tokens.n ? c->tokens.at[i].kind : TOKEN_END;

	return kind == TOKEN_ADD_ASSIGN ? TOKEN_ASSIGN : kind;
}

static bool is_name_token(int kind)
{
	return kind == TOKEN_IDENT || (token_is_word(kind) && kind != TOKEN_TRUE && kind != TOKEN_FALSE &&
		kind != TOKEN_NONE);
}

static bool ends_operand(int kind)
{
	switch (kind) {
	case TOKEN_IDENT: case TOKEN_INT: case TOKEN_FLOAT: case TOKEN_QUANTITY: case TOKEN_TOPOLOGY: case TOKEN_STRING:
	case TOKEN_STR_CLOSE:
	case TOKEN_RPAREN: case TOKEN_RBRACKET: case TOKEN_RBRACE: case TOKEN_TRUE: case TOKEN_FALSE: case TOKEN_NONE:
	case TOKEN_BAD:
		return true;
	default:
		return false;
	}
}

/* Does a line that starts with this token continue the previous line? */
static bool continues(int kind)
{
	switch (kind) {
	case TOKEN_ELSE: case TOKEN_THEN: case TOKEN_AND: case TOKEN_OR: case TOKEN_DOT: case TOKEN_RPAREN:
	case TOKEN_RBRACKET:
	case TOKEN_COALESCE: case TOKEN_RANGE: case TOKEN_EQ: case TOKEN_NE: case TOKEN_LE: case TOKEN_GE:
	case TOKEN_LT: case TOKEN_GT:
	case TOKEN_PLUS: case TOKEN_STAR: case TOKEN_SLASH: case TOKEN_FLOOR: case TOKEN_PERCENT: case TOKEN_AS:
		return true;
	default:
		return false;
	}
}

static struct place_at *top(struct context *c) { return &c->places[c->depth - 1]; }

const struct place_at *context_around(const struct context *c, enum place_kind kind)
{
	for (size_t i = c->depth; i-- > 0;)
		if (c->places[i].kind == kind)
			return &c->places[i];
	return NULL;
}

/* ---- names ---- */

static const struct type *local_type(const struct context *c, struct str name, bool *ret_found)
{
	for (size_t i = c->nlocals; i-- > 0;)
		if (str_eq(c->locals[i].name, name)) {
			*ret_found = true;
			return c->locals[i].type;
		}
	*ret_found = false;
	return NULL;
}

/* Returns the declaration that a name refers to in the file; NULL if the file does not declare the name. */
static const struct decl *context_name(struct context *c, struct str name)
{
	const struct decl *d = c->module ? map_get(&c->module->values, name) : NULL;

	return d && d->kind != DECL_BAD ? d : NULL;
}

static const struct module *imported_module(const struct decl *d)
{
	return d && d->kind == DECL_IMPORT ? d->node->u.import.module : NULL;
}

struct role_search {
	struct str name;
	const struct decl *found;
	bool any;
};

static void match_role(void *to, struct str name, const struct decl *d)
{
	struct role_search *s = to;

	if (str_eq(s->name, name)) {
		s->any = true;
		s->found = d ? d : s->found;
	}
}

/* ---- the type of an expression that ends before token END ---- */

static const struct type *member_type(struct context *c, const struct type *base, struct str name)
{
	struct check_member m;

	base = base ? type_strip_pod(type_strip_optional(base)) : NULL;
	if (!base)
		return NULL;
	for (size_t i = 0; (base->kind != TYPE_LIST || base->record) && check_member(base->kind, i, &m); i++)
		if (str_is(name, m.name))
			return m.type;
	for (size_t i = 0; base->kind == TYPE_RECORD && i < base->record->nfields; i++)
		if (str_eq(base->record->fields[i].name, name))
			return base->record->fields[i].type;
	for (size_t i = 0; base->kind == TYPE_ANON && i < base->n; i++)
		if (str_eq(base->members[i].name, name))
			return base->members[i].type;
	if (check_cell_role(base, name))
		return &type_role;
	if (base->kind == TYPE_ROLE) {
		const struct field *f = schema_find(BLOCK_ROLE, name);
		return f ? f->id == FIELD_REPLICAS ? &type_int : schema_member_type(&c->types, f->id) : NULL;
	}
	return base->kind == TYPE_MAP ? base->elem : base->kind == TYPE_PORTS ? &type_int : NULL;
}

/* The index of the opening bracket that matches the closing one at token I. */
static size_t opening(const struct context *c, size_t i)
{
	size_t depth = 0;

	for (size_t k = i + 1; k-- > 0;) {
		int kind = kind_at(c, k);
		if (kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET || kind == TOKEN_RBRACE)
			depth++;
		else if (kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET || kind == TOKEN_LBRACE)
			if (--depth == 0)
				return k;
	}
	return 0;
}

struct operand {                        /* an operand, read backward from its last token */
	const struct decl *decl;
	const struct module *module;
	const struct type *type;
	const struct decl *role;
	struct str method;              /* name of a role's method, when it has been named but not called yet */
};

static struct operand operand_before(struct context *c, size_t end);

static struct operand named_operand(struct context *c, struct str name)
{
	struct role_search search = { .name = name };
	struct operand o = { 0 };
	bool local;

	o.type = local_type(c, name, &local);
	if (local)
		return o;
	context_roles(c, match_role, &search);
	if (search.any) {
		o.type = &type_role;
		o.role = search.found;
		return o;
	}
	context_cells(c, match_role, &search);
	if (search.any) {
		o.type = search.found ? search.found->type : NULL;
		return o;
	}
	if (str_is(name, "self") || str_is(name, "cluster") || str_is(name, "pod") || str_is(name, "roles"))
		o.type = str_is(name, "self") ? &type_role : str_is(name, "cluster") ? &type_cluster :
			str_is(name, "pod") ? &type_pod_facts : &type_roles;
	o.decl = context_name(c, name);
	if (o.decl) {
		o.module = imported_module(o.decl);
		o.type = context_type_of(c, o.decl);
	}
	return o;
}

static struct operand member_operand(struct context *c, struct operand base, struct str name)
{
	struct operand o = { 0 };
	struct check_member m;

	if (base.module) {
		o.decl = map_get(&base.module->values, name);
		o.type = o.decl ? context_type_of(c, o.decl) : NULL;
		return o;
	}
	o.type = member_type(c, base.type, name);
	o.role = check_cell_role(base.type, name);
	for (size_t i = 0; base.type && base.type->kind == TYPE_ROLE && check_member(TYPE_ROLE, i, &m); i++)
		if (m.method && str_is(name, m.name)) {
			o.method = name;
			o.role = base.role;
		}
	return o;
}

static struct operand operand_before(struct context *c, size_t end)
{
	struct operand o = { 0 };

	if (!end)
		return o;
	int kind = kind_at(c, end - 1);
	if (is_name_token(kind)) {
		struct str name = context_token(c, end - 1);
		return end >= 2 && kind_at(c, end - 2) == TOKEN_DOT
			? member_operand(c, operand_before(c, end - 2), name) : named_operand(c, name);
	}
	if (kind == TOKEN_RPAREN) {
		size_t open = opening(c, end - 1);
		if (!open || !is_name_token(kind_at(c, open - 1)))
			return o;
		struct operand callee = operand_before(c, open);
		enum function f;
		if (callee.decl)
			o.type = context_result(c, callee.decl);
		else if (callee.method.p)
			o.type = callee.type;
		else if (schema_function_find(context_token(c, open - 1), &f))
			o.type = context_builtin(f);
		return o;
	}
	if (kind == TOKEN_RBRACKET) {
		size_t open = opening(c, end - 1);
		struct operand list = open ? operand_before(c, open) : o;
		o.type = list.type && (list.type->kind == TYPE_LIST || list.type->kind == TYPE_MAP) ? list.type->elem :
			NULL;
		return o;
	}
	o.type = kind == TOKEN_TOPOLOGY ? &type_topology : NULL;
	return o;
}

/* ---- the kind of place inside a bracket ---- */

static const struct type *stripped(const struct type *t) { return t ? type_strip_pod(type_strip_optional(t)) : NULL; }

/* Returns the type that the framework declares for `replicas` in the block of a role; NULL if it declares no type. */
static const struct type *replicas_type(struct context *c, const struct place_at *p)
{
	struct role_search search = { .name = context_token(c, p->open - 1) };

	context_roles(c, match_role, &search);
	for (const struct decl *d = search.found; d; d = d->origin) {
		const struct node *body = d->node && d->node->kind == NODE_BLOCK ? d->node->u.block.body : NULL;
		for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
			const struct node *field = body->u.body.items.at[i];
			if (field->kind == NODE_FIELD && str_is(field->u.field.key.text, "replicas"))
				return field->u.field.declared ? field->u.field.declared :
					context_type(c, d->module, field->u.field.type);
		}
	}
	return NULL;
}

static const struct type *field_type_at(struct context *c, const struct place_at *p, struct str key)
{
	const struct field *f = schema_find(p->block, key);
	const struct type *given = f && f->id == FIELD_REPLICAS && p->framework ? replicas_type(c, p) : NULL;

	if (given)
		return given;

	if (!f && p->block == BLOCK_ROLE && context_around(c, PLACE_BLOCK) && c->places[1].block == BLOCK_FRAMEWORK)
		f = schema_find(BLOCK_FRAMEWORK_ROLE, key);
	return f ? schema_type(&c->types, f->id) : NULL;
}

/* Returns the type of the value of `key` in the place P. */
static const struct type *key_type(struct context *c, const struct place_at *p, struct str key)
{
	const struct type *t = stripped(p->type);
	const struct decl *d;

	switch (p->kind) {
	case PLACE_BLOCK: return field_type_at(c, p, key);
	case PLACE_PARAMETERS:
		d = p->module ? map_get(&p->module->values, key) : context_name(c, key);
		return d && d->kind == DECL_PARAM ? context_type_of(c, d) : NULL;
	case PLACE_TYPED:
		if (t && t->kind == TYPE_MAP)
			return t->elem;
		return member_type(c, t, key);
	default: return NULL;
	}
}

static struct str context_key(const struct context *c, size_t i)
{
	struct str key = context_token(c, i);

	if (kind_at(c, i) == TOKEN_STRING && key.n >= 2)
		key = (struct str){ key.p + 1, key.n - 2 };
	return key;
}

/* The framework that is named after the colon at token COLON, before token TO; NULL if there is none. */
static const struct decl *framework_after(struct context *c, size_t colon, size_t to)
{
	size_t end = colon + 1;

	while (end < to && (is_name_token(kind_at(c, end)) || kind_at(c, end) == TOKEN_DOT))
		end++;
	const struct decl *d = operand_before(c, end).decl;
	return d && d->kind == DECL_FRAMEWORK ? d : NULL;
}

/* Reads the head of a job: its title, and the framework that the tokens [from, to) name. */
static void read_job_head(struct context *c, struct place_at *p, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (kind_at(c, i) == TOKEN_STRING && !p->job.p)
			p->job = context_key(c, i);
		if (kind_at(c, i) != TOKEN_COLON || !p->job.p)
			continue;
		p->framework = framework_after(c, i, to);
		return;
	}
}

/* Does the item at token HEAD begin a cell with a framework: `cell NAME: FRAMEWORK`? */
static bool is_cell_head(struct context *c, size_t head)
{
	return str_is(context_token(c, head), "cell") && is_name_token(kind_at(c, head + 1)) &&
		kind_at(c, head + 2) == TOKEN_COLON;
}

/* The type of the map in a field; NULL for other fields. */
static const struct schema_type *raw_below(const struct schema_type *t, struct str key)
{
	const struct schema_field *f = t ? schema_newest_field(&schema_builtin, t, key) : NULL;
	const struct schema_ref *r = f ? &schema_builtin.refs[f->ref] : NULL;

	return r && r->word == SCHEMA_OBJECT ? &schema_builtin.types[r->of] : NULL;
}

static struct place_at block_place(struct context *c, const struct place_at *outer, size_t head, size_t open)
{
	static const struct {
		const char *word;
		enum block block;
	} blocks[] = { { "role", BLOCK_ROLE }, { "aux", BLOCK_AUX }, { "sidecar", BLOCK_SIDECAR },
		{ "init", BLOCK_INIT }, { "cell", BLOCK_CELL } };
	struct place_at p = { .kind = PLACE_UNKNOWN, .job = outer->job, .framework = outer->framework };
	struct str word = context_token(c, head);

	if (str_is(word, "raw") || str_is(word, "object"))
		p.kind = PLACE_RAW;
	if (str_is(word, "raw"))
		p.raw = raw_type(context_token(c, head + 1));
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		if (str_is(word, blocks[i].word)) {
			p.kind = PLACE_BLOCK;
			p.block = blocks[i].block;
		}
	if (p.block == BLOCK_CELL) {
		p.cell = context_token(c, head + 1);
		p.framework = is_cell_head(c, head) ? framework_after(c, head + 2, open) : NULL;
	}
	return p;
}

/* Returns the built-in type that token I names, including the lower bound in `int(3..)`. */
static const struct type *spelled_type(struct context *c, size_t i)
{
	const struct type *t = context_plain_type(context_token(c, i));
	struct str bound = context_token(c, i + 2);

	if (!t || t->kind != TYPE_INT || kind_at(c, i + 1) != TOKEN_LPAREN || kind_at(c, i + 2) != TOKEN_INT ||
	    bound.n > 9)
		return t;
	struct refinement *r = ARENA_NEW(c->arena, struct refinement);
	struct type *refined = ARENA_NEW(c->arena, struct type);
	r->has_lo = true;
	for (size_t k = 0; k < bound.n; k++)
		if (bound.p[k] != '_')
			r->lo = r->lo * 10 + (bound.p[k] - '0');
	*refined = *t;
	refined->refine = r;
	return refined;
}

/* Returns the type of the variable that `let x: T` or `param x: T` declares; the declaration starts with token HEAD. */
static const struct type *binding_type(struct context *c, size_t head)
{
	const struct decl *d = context_name(c, context_token(c, head + 1));
	const struct decl *type = c->module && kind_at(c, head + 2) == TOKEN_COLON ?
		map_get(&c->module->types, context_token(c, head + 3)) : NULL;

	if (type && type->kind == DECL_TYPE)
		return type->type;
	const struct type *known = d ? context_type_of(c, d) : NULL;
	return known || kind_at(c, head + 2) != TOKEN_COLON ? known : spelled_type(c, head + 3);
}

/*
 * Returns the kind of place inside the brace at token OPEN. The brace belongs to an item of OUTER that starts with
 * token HEAD.
 */
static struct place_at brace_place(struct context *c, const struct place_at *outer, size_t head, size_t open)
{
	struct place_at p = { .kind = PLACE_UNKNOWN, .job = outer->job, .framework = outer->framework };
	size_t n = open - head;
	int first = kind_at(c, head);

	if (n == 0 || first == TOKEN_IF || first == TOKEN_ELSE || (first == TOKEN_FOR && outer->kind != PLACE_FILE)) {
		/* in the body of a condition or loop the same items are allowed as around it */
		p = *outer;
		return p;
	}
	if (outer->kind == PLACE_RAW) {
		p.kind = PLACE_RAW;
		p.raw = raw_below(outer->raw, context_key(c, head));
		return p;
	}
	if (n == 1 && (is_name_token(first) || first == TOKEN_STRING)) {      /* field { */
		p.kind = PLACE_TYPED;
		p.type = key_type(c, outer, context_key(c, head));
		if (outer->kind == PLACE_BLOCK && outer->block == BLOCK_TEST)
			p.kind = PLACE_PARAMETERS;
		return p;
	}
	bool block = (n == 2 && is_name_token(first) && is_name_token(kind_at(c, head + 1))) || is_cell_head(c, head);
	if (block && outer->kind == PLACE_BLOCK)
		return block_place(c, outer, head, open);
	for (size_t i = head; i < open; i++)
		if (kind_at(c, i) == TOKEN_ASSIGN && i + 1 == open) {   /* such as `field = {` and `let x: T = {` */
			p.kind = PLACE_TYPED;
			p.type = first == TOKEN_LET || first == TOKEN_PARAM ? binding_type(c, head) :
				key_type(c, outer, context_key(c, head));
		}
	return p;
}

/* Returns the kind of place inside the brace of a declaration at the top of the file. */
static struct place_at declaration_place(struct context *c, const struct place_at *outer, size_t head, size_t open)
{
	struct place_at p = { .kind = PLACE_UNKNOWN };
	const struct decl *d;
	size_t job = head;

	switch (kind_at(c, head)) {
	case TOKEN_FOR:
		while (job < open && kind_at(c, job) != TOKEN_JOB)
			job++;
		if (job == open)
			return p;
		/* fall through */
	case TOKEN_JOB: p.kind = PLACE_BLOCK; p.block = BLOCK_JOB; read_job_head(c, &p, job, open); break;
	case TOKEN_FRAMEWORK: p.kind = PLACE_BLOCK; p.block = BLOCK_FRAMEWORK;
	p.framework = context_name(c, context_token(c, head + 1)); break;
	case TOKEN_ACCELERATOR: p.kind = PLACE_BLOCK; p.block = BLOCK_ACCELERATOR; break;
	case TOKEN_PROJECT: p.kind = PLACE_BLOCK; p.block = BLOCK_PROJECT; break;
	case TOKEN_TEST: p.kind = PLACE_BLOCK; p.block = BLOCK_TEST; break;
	case TOKEN_POLICY: p.kind = PLACE_POLICY; break;
	case TOKEN_PROFILE: p.kind = PLACE_PARAMETERS; break;
	case TOKEN_IMPORT:
		d = open ? context_name(c, context_token(c, open - 1)) : NULL;
		p.module = d && d->kind == DECL_IMPORT ? d->node->u.import.module : NULL;
		p.kind = p.module ? PLACE_PARAMETERS : PLACE_UNKNOWN;
		break;
	case TOKEN_TYPE: p.kind = PLACE_DECLARED; break;
	default: return brace_place(c, outer, head, open);
	}
	return p;
}

/* Returns the type of the argument at the cursor, inside a call. */
static const struct type *argument_type(struct context *c, const struct place_at *p, size_t end)
{
	struct context_formal f;
	bool by_name = p->item + 1 < end && is_name_token(kind_at(c, p->item)) &&
		kind_at(c, p->item + 1) == TOKEN_ASSIGN;

	if (p->method.p) {
		bool port = str_is(p->method, "addresses") ? p->index == 0 : p->index == 1;
		return port ? &type_ports : &type_int;
	}
	for (size_t i = 0; p->callee && context_formal(c, p->callee, i, &f); i++)
		if (by_name ? str_eq(f.name, context_token(c, p->item)) : i == p->index)
			return f.type;
	return NULL;
}

/* ---- which value is expected at the end of an item ---- */

static bool follows_whole(int kind)
{
	return kind == TOKEN_ASSIGN || kind == TOKEN_THEN || kind == TOKEN_ELSE || kind == TOKEN_COALESCE ||
		kind == TOKEN_LPAREN ||
		kind == TOKEN_LBRACKET || kind == TOKEN_COMMA;
}

static const struct type *wanted_type(struct context *c, size_t end)
{
	struct place_at *p = top(c);
	int before = end ? kind_at(c, end - 1) : TOKEN_END;
	bool begins = end == p->item || follows_whole(before);

	if (before == TOKEN_IF || before == TOKEN_CHECK || before == TOKEN_WARN || before == TOKEN_AND ||
		before == TOKEN_OR || before == TOKEN_NOT)
		return p->kind == PLACE_BLOCK || p->kind == PLACE_FILE || before == TOKEN_IF ? &type_bool : NULL;
	if (before == TOKEN_IN)
		return NULL;
	switch (p->kind) {
	case PLACE_CALL: return begins ? argument_type(c, p, end) : NULL;
	case PLACE_LIST: case PLACE_GROUP: return begins ? p->type : NULL;
	case PLACE_INSERT: return NULL;
	case PLACE_FILE: case PLACE_FORMALS: {
		for (size_t i = p->item; begins && i < end; i++)        /* such as `param x: T =` */
			if (kind_at(c, i) == TOKEN_COLON && kind_at(c, p->item) != TOKEN_JOB)
				return p->type;
		return NULL;
	}
	default: return begins && end > p->item ? key_type(c, p, context_key(c, p->item)) : NULL;
	}
}

static struct place_at paren_place(struct context *c, const struct place_at *outer, size_t open)
{
	struct place_at p = { .kind = PLACE_GROUP, .job = outer->job, .framework = outer->framework };
	int first = kind_at(c, outer->item);
	bool head = outer->kind == PLACE_FILE && open == outer->item + 2;

	if (head && (first == TOKEN_FN || first == TOKEN_FRAMEWORK || first == TOKEN_ACCELERATOR)) {
		p.kind = PLACE_FORMALS;
		return p;
	}
	if (!open || !is_name_token(kind_at(c, open - 1)) || kind_at(c, open - 1) == TOKEN_IN ||
		kind_at(c, open - 1) == TOKEN_NOT ||
	    kind_at(c, open - 1) == TOKEN_AND || kind_at(c, open - 1) == TOKEN_OR || kind_at(c, open - 1) == TOKEN_IF ||
	    kind_at(c, open - 1) == TOKEN_THEN || kind_at(c, open - 1) == TOKEN_ELSE) {
		p.type = wanted_type(c, open);
		return p;
	}
	struct operand callee = operand_before(c, open);
	enum function f;
	p.kind = PLACE_CALL;
	p.callee = callee.decl;
	p.method = callee.method;
	p.role = callee.role;
	if (!callee.decl && !callee.method.p && schema_function_find(context_token(c, open - 1), &f)) {
		struct decl *d = ARENA_NEW(c->arena, struct decl);
		*d = (struct decl){ .kind = DECL_BUILTIN_FN, .name = str_of(schema_function(f)->name),
			.function = (unsigned)f };
		p.callee = d;
	}
	bool type = outer->kind == PLACE_FORMALS || outer->kind == PLACE_DECLARED ||
		(outer->kind == PLACE_FILE && (first == TOKEN_PARAM || first == TOKEN_FN));
	if (type && !callee.decl)
		p.kind = PLACE_REFINE;
	return p;
}

/* ---- the pass ---- */

static void add_local(struct context *c, struct str name, const struct type *type, enum decl_kind kind)
{
	if (c->nlocals < CONTEXT_LOCALS)
		c->locals[c->nlocals++] = (struct local_name){ name, type, c->depth, kind };
}

static void push_context(struct context *c, size_t i)
{
	struct place_at p = { .kind = PLACE_UNKNOWN }, *outer = top(c);
	const struct type *want;

	if (c->depth == CONTEXT_DEPTH)
		return;
	switch (kind_at(c, i)) {
	case TOKEN_LBRACE:
		p = outer->kind == PLACE_FILE ? declaration_place(c, outer, outer->item, i) :
			brace_place(c, outer, outer->item, i);
		if (outer->kind == PLACE_LIST || outer->kind == PLACE_CALL || outer->kind == PLACE_GROUP) {
			p.kind = PLACE_TYPED;
			p.type = wanted_type(c, i);
		}
		break;
	case TOKEN_LPAREN: p = paren_place(c, outer, i); break;
	case TOKEN_LBRACKET:
		want = stripped(wanted_type(c, i));
		p.kind = PLACE_LIST;
		p.type = want && want->kind == TYPE_LIST ? want->elem : NULL;
		break;
	case TOKEN_INTERP_OPEN: p.kind = PLACE_INSERT; break;
	default:
		p.kind = PLACE_TEXT;
		p.type = wanted_type(c, i);
		break;
	}
	p.open = i;
	p.item = i + 1;
	p.index = 0;
	if (!p.framework && p.block != BLOCK_CELL) {
		p.framework = outer->framework;
		p.job = p.job.p ? p.job : outer->job;
	}
	c->places[c->depth++] = p;
}

static void pop(struct context *c, bool brace)
{
	if (c->depth > 1)
		c->depth--;
	/* the loop's variables go out of scope with its body */
	bool loop = brace && kind_at(c, top(c)->item) == TOKEN_FOR;
	while (c->nlocals && (c->locals[c->nlocals - 1].depth > c->depth ||
		(loop && c->locals[c->nlocals - 1].kind == DECL_LOOP &&
	       c->locals[c->nlocals - 1].depth == c->depth)))
		c->nlocals--;
}

static bool begins_item(const struct context *c, size_t i)
{
	const struct place_at *p = &c->places[c->depth - 1];
	bool brace = p->open != SIZE_MAX && kind_at(c, p->open) == TOKEN_LBRACE;

	if (!brace && p->kind != PLACE_FILE)
		return false;
	if (!(c->tokens.at[i].flags & FLAG_LINE) || i == p->item || continues(kind_at(c, i)))
		return false;
	return ends_operand(kind_at(c, i - 1)) || kind_at(c, i - 1) == TOKEN_ASSIGN ||
		kind_at(c, i - 1) == TOKEN_COLON ||
		is_name_token(kind_at(c, i - 1)) || kind_at(c, i - 1) == TOKEN_QUESTION;
}

/* Notes the names that the text declares before the cursor; token I may be such a name. */
static void note_names(struct context *c, size_t i)
{
	const struct place_at *p = top(c);
	bool name = kind_at(c, i) == TOKEN_IDENT;

	if (name && i && kind_at(c, i - 1) == TOKEN_LET && (p->kind != PLACE_FILE || i - 1 != p->item))
		add_local(c, context_token(c, i), NULL, DECL_LET);
	if (name && i && kind_at(c, i - 1) == TOKEN_FOR)
		add_local(c, context_token(c, i), NULL, DECL_LOOP);
	if (name && i > 2 && kind_at(c, i - 1) == TOKEN_COMMA && kind_at(c, i - 3) == TOKEN_FOR &&
		kind_at(c, i + 1) == TOKEN_IN)
		add_local(c, context_token(c, i), NULL, DECL_LOOP);
	/* a parameter is in scope in the whole declaration */
	if (p->kind == PLACE_FORMALS && name && i == p->item && c->nlocals < CONTEXT_LOCALS)
		c->locals[c->nlocals++] = (struct local_name){ context_token(c, i), NULL, 1, DECL_FORMAL };
}

static void pass_tokens(struct context *c)
{
	for (size_t i = 0; i < c->tokens.n; i++) {
		if (begins_item(c, i))
			top(c)->item = i;
		switch (kind_at(c, i)) {
		case TOKEN_LBRACE: case TOKEN_LPAREN: case TOKEN_LBRACKET: case TOKEN_INTERP_OPEN:
		case TOKEN_STR_OPEN: push_context(c, i); break;
		case TOKEN_RBRACE: case TOKEN_RPAREN: case TOKEN_RBRACKET: case TOKEN_INTERP_CLOSE:
		case TOKEN_STR_CLOSE:
			pop(c, kind_at(c, i) == TOKEN_RBRACE);
			break;
		case TOKEN_COMMA:
			if (kind_at(c, top(c)->item) == TOKEN_FOR && kind_at(c, top(c)->open) == TOKEN_LBRACE)
				break;                  /* the comma in `for k, v in` */
			top(c)->item = i + 1;
			top(c)->index++;
			break;
		default: note_names(c, i); break;
		}
	}
}

/* ---- the cursor ---- */

/* Is there a line end between the last token and the cursor that ends the item? */
static bool item_ended(const struct context *c, size_t cursor)
{
	const struct place_at *p = &c->places[c->depth - 1];
	size_t n = c->tokens.n;
	bool lines = p->kind == PLACE_FILE || (p->open != SIZE_MAX && kind_at(c, p->open) == TOKEN_LBRACE);

	if (!n || !lines || p->item >= n)
		return false;
	uint32_t end = c->tokens.at[n - 1].end;
	struct str gap = tokens_text(&c->tokens, end, c->tokens.source->base + (uint32_t)cursor);
	return memchr(gap.p, '\n', gap.n) && (ends_operand(kind_at(c, n - 1)) || kind_at(c, n - 1) == TOKEN_ASSIGN ||
		is_name_token(kind_at(c, n - 1)));
}

static void at_import(struct context *c, size_t item)
{
	c->cursor = CURSOR_IMPORT;
	for (size_t i = item + 1; i < c->tokens.n; i++) {
		if (kind_at(c, i) == TOKEN_AS)
			c->cursor = CURSOR_NOWHERE;
		if (is_name_token(kind_at(c, i)))
			ARENA_PUSH(c->arena, c->path, c->npath, context_token(c, i));
	}
	if (c->npath && kind_at(c, c->tokens.n - 1) != TOKEN_DOT)
		c->cursor = CURSOR_NOWHERE;
}

/* Determines which part of an item or declaration the cursor is in: key, colon, type or value. */
static void at_item(struct context *c, size_t item)
{
	size_t n = c->tokens.n, equals = SIZE_MAX, colon = SIZE_MAX, arrow = SIZE_MAX;
	int first = kind_at(c, item), last = kind_at(c, n - 1);

	for (size_t i = item; i < n; i++) {
		if (kind_at(c, i) == TOKEN_ASSIGN && equals == SIZE_MAX)
			equals = i;
		if (kind_at(c, i) == TOKEN_COLON && colon == SIZE_MAX)
			colon = i;
		if (kind_at(c, i) == TOKEN_ARROW)
			arrow = i;
	}
	bool condition = first == TOKEN_IF || first == TOKEN_CHECK || first == TOKEN_WARN || first == TOKEN_FOR ||
		first == TOKEN_SPREAD;
	if (equals != SIZE_MAX || condition || first == TOKEN_ELSE) {
		c->cursor = ends_operand(last) ? CURSOR_OPERATOR : CURSOR_VALUE;
		if (first == TOKEN_FOR && !ends_operand(last) && last != TOKEN_IN)
			c->cursor = CURSOR_NOWHERE;
		return;
	}
	if ((first == TOKEN_JOB || first == TOKEN_FRAMEWORK || is_cell_head(c, item)) && colon != SIZE_MAX) {
		c->cursor = last == TOKEN_COLON ? CURSOR_FRAMEWORK : CURSOR_NOWHERE;
		return;
	}
	if (colon != SIZE_MAX || arrow != SIZE_MAX) {
		c->cursor = last == TOKEN_COLON || last == TOKEN_ARROW || last == TOKEN_LBRACKET ? CURSOR_TYPE :
			CURSOR_NOWHERE;
		return;
	}
	if (n == item + 1 && is_name_token(first) && top(c)->kind == PLACE_BLOCK) {
		c->cursor = CURSOR_BLOCK_NAME;
		c->word = context_token(c, item);
		return;
	}
	c->cursor = CURSOR_NOWHERE;
}

/* Sets the type that the value must have in `param x: T = `. */
static void at_type_of_binding(struct context *c, size_t item)
{
	struct place_at *p = top(c);

	if (p->kind == PLACE_FILE && item + 2 < c->tokens.n)
		p->type = binding_type(c, item);
}

static void classify_cursor(struct context *c, size_t cursor)
{
	struct place_at *p = top(c);
	size_t n = c->tokens.n;

	if (item_ended(c, cursor))
		p->item = n;
	if (n > p->item && kind_at(c, n - 1) == TOKEN_DOT && kind_at(c, p->item) != TOKEN_IMPORT) {
		struct operand base = operand_before(c, n - 1);
		c->cursor = CURSOR_MEMBER;
		c->base = base.type;
		c->base_decl = base.role ? base.role : base.decl;
		c->base_module = base.module;
		c->want = NULL;
		if (is_cell_head(c, p->item) || (p->kind == PLACE_FILE && (kind_at(c, p->item) == TOKEN_JOB ||
			kind_at(c, p->item) == TOKEN_FRAMEWORK))) {
			c->word = STR("framework");
			return;
		}
		size_t start = n - 1;
		while (start > p->item && (is_name_token(kind_at(c, start - 1)) || kind_at(c, start - 1) == TOKEN_DOT))
			start--;
		at_type_of_binding(c, p->item);
		c->want = wanted_type(c, start);
		return;
	}
	if (p->kind == PLACE_REFINE || p->kind == PLACE_UNKNOWN) {
		c->cursor = CURSOR_NOWHERE;
		return;
	}
	if (n == p->item) {
		bool expression = p->kind == PLACE_CALL || p->kind == PLACE_LIST || p->kind == PLACE_GROUP ||
			p->kind == PLACE_INSERT;
		c->cursor = p->kind == PLACE_FILE ? CURSOR_DECLARATION : p->kind == PLACE_FORMALS ? CURSOR_NOWHERE :
			expression ? CURSOR_VALUE : CURSOR_KEY;
		if (expression)
			c->want = wanted_type(c, n);
		return;
	}
	if (p->kind == PLACE_FILE && kind_at(c, p->item) == TOKEN_IMPORT) {
		at_import(c, p->item);
		return;
	}
	if (p->kind == PLACE_CALL || p->kind == PLACE_LIST || p->kind == PLACE_GROUP || p->kind == PLACE_INSERT)
		c->cursor = ends_operand(kind_at(c, n - 1)) ? CURSOR_OPERATOR : CURSOR_VALUE;
	else
		at_item(c, p->item);
	at_type_of_binding(c, p->item);
	if (c->cursor == CURSOR_VALUE)
		c->want = wanted_type(c, n);
}

/* ---- what is written at the end of the text ---- */

/* Leaves out tokens that the scanner supplied for brackets and strings that are not closed. */
static void drop_supplied(struct tokens *ts)
{
	while (ts->n && (ts->at[ts->n - 1].kind == TOKEN_END || ts->at[ts->n - 1].flags & FLAG_VIRTUAL))
		ts->n--;
}

static void in_text(struct context *c, size_t offset)
{
	struct place_at *p = top(c);
	size_t open = c->tokens.at[p->open].end - c->tokens.source->base;

	c->cursor = CURSOR_TEXT;
	c->quoted = true;
	c->want = p->type;
	c->prefix = (struct str){ c->tokens.source->text.p + open, offset - open };
	c->prefix_start = c->start + open;
	if (c->depth == 2 && kind_at(c, c->places[0].item) == TOKEN_IMPORT)
		c->word = STR("import");
}

/* Does the text end in a comment? */
static bool in_comment(const struct context *c, struct str text)
{
	if (!c->tokens.ncomments)
		return false;
	size_t start = c->tokens.comments[c->tokens.ncomments - 1].start - c->tokens.source->base;

	return !memchr(text.p + start, '\n', text.n - start);
}

void context_at(struct context *c, struct lsp *l, struct arena *a, struct analysis *an, struct str text, size_t offset)
{
	struct sources sources = { .arena = a };
	struct diags diags = { .arena = a, .sources = &sources, .muted = 1 };

	*c = (struct context){ .arena = a, .lsp = l, .analysis = an, .depth = 1 };
	c->names.arena = a;
	c->types = (struct schema_types){ .arena = a, .names = &c->names };
	c->program = an ? &an->compile->program : NULL;
	c->module = an ? an->compile->program.root : NULL;
	c->places[0] = (struct place_at){ .kind = PLACE_FILE, .open = SIZE_MAX };
	c->start = declaration_start(text, offset);
	size_t end = offset;
	while (end > c->start && is_word_byte(text.p[end - 1]))
		end--;
	c->prefix = (struct str){ text.p + end, offset - end };
	c->prefix_start = end;
	/*
	 * Whether the word at the cursor is inside a string is only known after the text up to the cursor has been
	 * scanned.
	 */
	struct str piece = { text.p + c->start, offset - c->start };
	c->tokens = (struct tokens){ .arena = a, .diags = &diags, .source = source_add(&sources, STR(""), piece) };
	tokens_scan(&c->tokens);
	drop_supplied(&c->tokens);
	uint32_t word = c->tokens.source->base + (uint32_t)(end - c->start);
	if (in_comment(c, piece)) {
		c->cursor = CURSOR_NOWHERE;
		return;
	}
	while (c->tokens.n && c->tokens.at[c->tokens.n - 1].start >= word && c->prefix.n &&
		c->tokens.at[c->tokens.n - 1].kind != TOKEN_STR_TEXT)
		c->tokens.n--;
	pass_tokens(c);
	if (top(c)->kind == PLACE_TEXT)
		in_text(c, offset - c->start);
	else
		classify_cursor(c, offset - c->start);
	if (c->prefix.n && c->prefix.p[0] >= '0' && c->prefix.p[0] <= '9' && c->cursor != CURSOR_VALUE &&
		c->cursor != CURSOR_TEXT)
		c->cursor = CURSOR_NOWHERE;
}

bool context_has_item(const struct context *c, const struct place_at *p, struct str key)
{
	size_t depth = 0;

	for (size_t i = p->open + 1; i < c->tokens.n; i++) {
		int kind = kind_at(c, i);
		bool first = i == p->open + 1 || (c->tokens.at[i].flags & FLAG_LINE) ||
			kind_at(c, i - 1) == TOKEN_COMMA;
		if (depth == 0 && first && is_name_token(kind) && str_eq(context_token(c, i), key) &&
		    (kind_at(c, i + 1) == TOKEN_ASSIGN || kind_at(c, i + 1) == TOKEN_LBRACE))
			return true;
		if (kind == TOKEN_LBRACE || kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET || kind == TOKEN_STR_OPEN)
			depth++;
		if (depth && (kind == TOKEN_RBRACE || kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET ||
			kind == TOKEN_STR_CLOSE))
			depth--;
	}
	return false;
}
