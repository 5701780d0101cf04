/*
 * check_block.c - checks bodies with known fields: jobs, roles, sidecars, frameworks, accelerators.
 */
#include "check/context.h"
#include "base/buf.h"
#include "diag/suggest.h"

struct block_items {
	struct items base;
	enum block block;
	struct decl *role;              /* the role to which the body belongs, if known */
	bool framework;                 /* the body is in a framework or accelerator, where fields may be declared with
					 * types */
	const struct node *value;       /* the value of the field that is being checked; NULL for a block */
	struct map names;               /* named blocks, as "word name" -> item */
};

/* ---- unknown fields ---- */

static unsigned blocks_of(struct str name)
{
	unsigned blocks = 0;
	for (size_t i = 0; i < FIELDS; i++)
		if (str_is(name, schema_field((enum field_id)i)->name))
			blocks |= schema_field((enum field_id)i)->blocks;
	return blocks;
}

static const char *home(unsigned blocks)
{
	if (blocks & BLOCK_ROLE)
		return "to a role";
	if (blocks & BLOCK_JOB)
		return "to the job";
	if (blocks & BLOCK_CELL)
		return "to a cell";
	if (blocks & BLOCK_FRAMEWORK_ROLE)
		return "to a role of a framework";
	if (blocks & BLOCK_FRAMEWORK)
		return "to a framework";
	if (blocks & BLOCK_PROJECT)
		return "to project.tj";
	return blocks & BLOCK_ACCELERATOR ? "to an accelerator" : "to a test";
}

static void suggest_fields(struct suggest *s, enum block block)
{
	for (const struct field *f = schema_next(block, NULL); f; f = schema_next(block, f))
		suggest_add(s, str_of(f->name));
	for (const struct block_row *b = schema_block_next(NULL); b; b = schema_block_next(b))
		if (b->parents & (unsigned)block)
			suggest_add(s, str_of(b->word));
}

static bool all_texts(const struct node *list)
{
	for (size_t i = 0; i < list->u.list.n; i++)
		if (list->u.list.at[i]->kind != NODE_STRING)
			return false;
	return true;
}

/* Can VALUE be kept as it is in a field of TYPE? Only its syntax counts, because its type has not been computed yet. */
static bool may_stay(const char *type, const struct node *value)
{
	bool amount = strncmp(type, "memory", 6) == 0,
		number = strncmp(type, "cpu", 3) == 0 || strncmp(type, "int", 3) == 0;

	switch (value->kind) {
	case NODE_NAME: case NODE_MEMBER: return true;
	case NODE_QUANTITY: return amount || strncmp(type, "cpu", 3) == 0;
	case NODE_LIST: return (strncmp(type, "list", 4) == 0 || strcmp(type, "zones") == 0) && all_texts(value);
	case NODE_INT: return number;
	case NODE_FLOAT: return strncmp(type, "cpu", 3) == 0;
	case NODE_STRING: return !amount && !number && strncmp(type, "list", 4) != 0 && strncmp(type, "enum", 4) != 0 &&
		strncmp(type, "duration", 8) != 0 && strncmp(type, "condition", 9) != 0;
	default: return false;
	}
}

/* The number 3600 of ttlSecondsAfterFinished as a duration, 1h. */
static struct str seconds_of(struct check *c, struct str word, const struct node *value)
{
	struct quantity q = { .nano = 0 };

	if (value->kind != NODE_INT || !memmem(word.p, word.n, "Seconds", 7) || !value->u.integer.value ||
		value->u.integer.value > 1000000000)
		return STR("");
	q.nano = (int128)value->u.integer.value * QUANTITY_UNIT;
	return duration_text(c->arena, q);
}

/*
 * The member of the enum that a text in camel case means, with quotes: "on-failure" for OnFailure; empty when the enum
 * has no such member.
 */
static struct str enum_member(struct check *c, const char *type, const struct node *value)
{
	struct str text;
	struct buf out = { 0 };

	if (strncmp(type, "enum", 4) != 0 || value->kind != NODE_STRING || !node_static_text(value, &text))
		return STR("");
	buf_char(&out, '"');
	for (size_t i = 0; i < text.n; i++) {
		bool upper = text.p[i] >= 'A' && text.p[i] <= 'Z';
		if (upper && i)
			buf_char(&out, '-');
		buf_char(&out, upper ? (char)(text.p[i] | 32) : text.p[i]);
	}
	buf_char(&out, '"');
	struct str quoted = buf_take(&out, c->arena);
	buf_release(&out);
	return memmem(type, strlen(type), quoted.p, quoted.n) ? quoted : STR("");
}

/* The role that a value such as ["ps"] or "ps" names; empty if it is another value. */
static struct str waits_for(const struct block_items *b)
{
	const struct node *v = b->value;
	struct str name;

	if (v && v->kind == NODE_LIST && v->u.list.n == 1)
		v = v->u.list.at[0];
	if (v && v->kind == NODE_NAME)
		return v->u.name.text;
	return v && v->kind == NODE_STRING && node_static_text(v, &name) && str_is_word(name) ? name : STR("");
}

/*
 * Adds help such as "write 'cpu': cpu = 8", with the user's value instead of the one in the example. Stores the whole
 * new line in *RET_LINE if it is certain, otherwise an empty text.
 */
static struct str help_with_value(struct block_items *b, const struct foreign *other, struct str *ret_line)
{
	struct check *c = b->base.check;
	struct str help = str_of(other->help);
	const char *equals = strstr(other->help, " = "),
		*quote = str_starts(help, STR("write '")) ? strchr(other->help + 7, '\'') : NULL;

	*ret_line = STR("");
	struct str role = waits_for(b);
	if (role.n && str_ends(help, STR("ready(worker)")))
		return str_printf(c->arena, "%.*sready(%.*s)", (int)help.n - 13, help.p, STR_ARG(role));
	if (!b->value || !equals || !quote || strstr(equals + 3, " = ") || strchr(other->help, ';'))
		return help;
	struct str field = { other->help + 7, (size_t)(quote - other->help) - 7 };
	const struct field *f = schema_find_anywhere(field);
	struct str word = source_text(c->program->sources, b->value->span);
	if (!f || str_ends(node_words(c, b->value), STR("...")))
		return help;
	struct str seconds = strncmp(f->type, "duration", 8) == 0 ? seconds_of(c, str_of(other->word), b->value) :
		STR("");
	if (seconds.n && schema_find(b->block, field))
		*ret_line = str_cat(c->arena, field, STR(" = "), seconds);
	struct str ours = seconds.n ? seconds : enum_member(c, f->type, b->value);
	if (!ours.n && !may_stay(f->type, b->value))
		return help;
	if (ours.n)
		word = ours;
	return str_printf(c->arena, "%.*s = %.*s%s", (int)(equals - other->help), other->help, STR_ARG(word),
		str_ends(help, STR(" }")) ? " }" : "");
}

/*
 * Adds the help for a word of another tool. Returns the field of this language if only its name differs, otherwise an
 * empty text.
 */
static struct str help_foreign(struct block_items *b, struct diag *d, const struct foreign *other, struct span at)
{
	bool here = other->field && schema_find(b->block, str_of(other->field));
	struct str line, help = help_with_value(b, other, &line);
	bool in_role = strstr(other->help, "init fetch");
	bool project = other->field && !here && !schema_find(BLOCK_JOB, str_of(other->field)) &&
		schema_find(BLOCK_PROJECT, str_of(other->field));
	diag_help(b->base.check->diags, d, project ? "%.*s, in project.tj" :
		other->field && !here && b->role ? "%.*s, in the job" : "%.*s", STR_ARG(help));
	if (in_role && b->block == BLOCK_JOB)
		diag_help(b->base.check->diags, d, "this belongs in a role");
	if (line.n)
		diag_fix(b->base.check->diags, d, span_join(at, b->value->span), line, "write '%.*s'", STR_ARG(line));
	if (!here)
		return STR("");
	diag_fix(b->base.check->diags, d, at, str_of(other->field), "change it to '%s'", other->field);
	return str_of(other->field);
}

/* The body whose items are being checked. */
static const struct node *body_of(const struct check *c)
{
	const struct scope *s = c->at.scope;
	while (s && !s->body)
		s = s->parent;
	return s ? s->body : NULL;
}

/* Adds help when the field is an argument of the job's framework, or nearly has the name of one. */
static bool help_argument(struct check *c, struct diag *d, struct str name, bool exact)
{
	const struct scope *s = scope_around(c, SCOPE_JOB);
	const struct decl *framework = s ? s->job->u.job.framework : NULL;
	struct suggest near;

	if (!framework)
		return false;
	suggest_init(&near, c->arena, name);
	for (size_t i = 0; i < framework->nformals; i++) {
		if (name_eq(framework->formals[i]->name, name))
			near.best[0] = name;
		suggest_add(&near, framework->formals[i]->name);
	}
	struct str meant = exact ? near.best[0].n && name_eq(near.best[0], name) ? name : STR("") :
		near.n == 1 ? near.best[0] : STR("");
	if (!meant.n)
		return false;
	const struct node *value = body_member(body_of(c), str_printf(c->arena, "%.*s", STR_ARG(name)).p);
	struct str words = value ? node_words(c, value) : STR("...");
	struct str callee = node_words(c, s->job->u.job.blueprint);
	const char *others = s->job->u.job.args.n ? "..., " : "";
	diag_help(c->diags, d, "write it as an argument of the framework: '%.*s(%s%.*s = %.*s)'", STR_ARG(callee),
		others, STR_ARG(meant), STR_ARG(words));
	return true;
}

/*
 * Adds help when an unknown field contains a '/' or is a hugepages name, and so belongs as a key in a map: "rdma/hca" =
 * 8 of 'resources', "/data" = pvc(...) of 'mounts', "example.com/team" = "llm" of labels. True if it did.
 */
static bool help_map_key(struct block_items *b, struct diag *d, struct str name)
{
	struct check *c = b->base.check;
	const struct node *value = b->value;
	bool pages = str_starts(name, STR("hugepages-")), path = str_starts(name, STR("/"));
	const char *field = !value || (!pages && !memchr(name.p, '/', name.n)) ? NULL :
		path ? "mounts" : value->kind == NODE_STRING ? "labels" : "resources";
	struct str words = field ? node_words(c, value) : STR("");

	if (!field || value->kind == NODE_BODY || !schema_find(b->block, str_of(field)))
		return false;
	if (path)
		diag_help(c->diags, d, "volumes are written in 'mounts': mounts { \"%.*s\" = %.*s }", STR_ARG(name),
			STR_ARG(words));
	else if (value->kind == NODE_STRING)
		diag_help(c->diags, d,
			"a key of this form belongs in labels { \"%.*s\" = %.*s }, 'annotations' or 'node'",
			STR_ARG(name), STR_ARG(words));
	else
		diag_help(c->diags, d, "write resources { \"%.*s\" = %.*s }", STR_ARG(name), STR_ARG(words));
	return true;
}

/*
 * Is the field, which only exists in frameworks or accelerators, one letter away from a field of this block, such as
 * `replica = 4` or `slice = 2`? Then it is a slip and not a misplaced field.
 */
static bool is_slip(const struct block_items *b, struct str name, unsigned elsewhere)
{
	/* `slice` of an accelerator is text, so a number was meant for another field */
	const unsigned number = b->value && b->value->kind == NODE_INT ? BLOCK_ACCELERATOR : 0;
	const unsigned frameworks = BLOCK_FRAMEWORK | BLOCK_FRAMEWORK_ROLE | number;
	bool near = false;
	if (!b->value || b->value->kind == NODE_BODY)
		return false;
	for (const struct field *f = schema_next(b->block, NULL); f; f = schema_next(b->block, f))
		near = near || edit_distance(name, str_of(f->name)) == 1;
	return near && !(elsewhere & ~frameworks);
}

/*
 * Is the field of the project or an accelerator also a word of other tools, and its value no text? Then `nodes = 4` of
 * a job is meant as other tools mean it.
 */
static bool is_other_word(const struct block_items *b, struct str name, unsigned elsewhere)
{
	bool text = !b->value || b->value->kind == NODE_STRING || b->value->kind == NODE_LIST;

	return !text && b->block != BLOCK_PROJECT && !(elsewhere & ~(unsigned)(BLOCK_PROJECT | BLOCK_ACCELERATOR)) &&
		foreign_field(name);
}

/* Adds help if the field is a degree of parallelism, which belongs in `layout`. */
static bool help_layout(struct block_items *b, struct diag *d, struct str name)
{
	const char *dimension = b->value && b->value->kind != NODE_STRING && schema_find(b->block, STR("layout")) ?
		foreign_dimension(name) : NULL;

	if (!dimension)
		return false;
	struct str words = node_words(b->base.check, b->value);
	diag_help(b->base.check->diags, d, "degrees of parallelism are in 'layout': write layout { %s = %.*s }",
		dimension, STR_ARG(words));
	return true;
}

/* Is the word one for a field of the project? */
static bool is_project_word(const struct foreign *other)
{
	return other && other->field && schema_find(BLOCK_PROJECT, str_of(other->field));
}

/* Is the name the singular of a field of the block, as `port` in a role? Then no argument of the framework is meant. */
static bool is_singular(struct block_items *b, struct str name)
{
	return b->block != BLOCK_JOB && schema_find(b->block, str_cat(b->base.check->arena, name, STR("s"), STR("")));
}

/* Adds help if a field of a cell has a word for a number of parts; RET is the name that was certainly meant. */
static bool help_copies(struct block_items *b, struct diag *d, struct str name, struct span at, struct str *ret)
{
	static const char *const words[] = { "copy", "num_copies", "n_copies", "ncopies", "copy_count", "num_trials",
		"n_trials", "num_servers" };
	struct check *c = b->base.check;
	const struct foreign *other = foreign_field(name);
	struct str value = b->value ? node_words(c, b->value) : STR("3");

	for (size_t i = 0; b->block == BLOCK_CELL && i < sizeof words / sizeof *words; i++) {
		if (!str_is(name, words[i]))
			continue;
		diag_help(c->diags, d, "write 'copies': copies = %.*s", STR_ARG(value));
		diag_fix(c->diags, d, at, STR("copies"), "change it to 'copies'");
		*ret = STR("copies");
		return true;
	}
	if (b->block != BLOCK_CELL || !other || !other->field || strcmp(other->field, "replicas") != 0)
		return false;
	diag_help(c->diags, d, "for copies of the cell write 'copies = %.*s', for replicas of its roles "
		"'replicas = %.*s'", STR_ARG(value), STR_ARG(value));
	*ret = STR("");
	return true;
}

/* Reports an unknown field; returns the name that was certainly meant, or an empty one. */
static struct str report_block_field(struct block_items *b, struct str name, struct span at)
{
	struct check *c = b->base.check;
	unsigned elsewhere = blocks_of(name) & ~(unsigned)BLOCK_TEST;
	struct diag *d;
	struct suggest s;
	if (elsewhere && !is_slip(b, name, elsewhere) && !is_other_word(b, name, elsewhere)) {
		d = diag_report(c->diags, TJ0203, at, "'%.*s' belongs %s, not to %s", STR_ARG(name), home(elsewhere),
			block_word(b->block));
		if (b->role && (elsewhere & BLOCK_JOB))
			diag_help(c->diags, d, "move it out of '%s %.*s'", b->role->aux ? "aux" : "role",
				STR_ARG(b->role->name));
		else if (b->block == BLOCK_PROJECT && str_is(name, "node") && b->value && b->value->kind == NODE_STRING)
			diag_help(c->diags, d, "the provider of the nodes is 'nodes': write 'nodes = %.*s'",
				STR_ARG(source_text(c->program->sources, b->value->span)));
		else
			diag_help(c->diags, d, "move it %s", home(elsewhere));
		return STR("");
	}
	d = diag_report(c->diags, TJ0202, at, "%s has no field '%.*s'", block_word(b->block), STR_ARG(name));
	const struct foreign *other = foreign_field(name);
	if (b->block == BLOCK_PROJECT && !str_is(name, "policy") && !is_project_word(other))
		other = NULL;
	suggest_init(&s, c->arena, name);
	suggest_fields(&s, b->block);
	struct str meant;
	if (help_copies(b, d, name, at, &meant))
		return meant;
	if (help_layout(b, d, name))
		return STR("");
	if ((!is_singular(b, name) && help_argument(c, d, name, true)) ||
		(!suggest_sentence(&s).n && (!other || !other->field) &&
		help_argument(c, d, name, false)))
		return STR("");
	if (other)
		return help_foreign(b, d, other, at);
	if (help_map_key(b, d, name))
		return STR("");
	help_suggest(c, d, &s, b->block == BLOCK_ACCELERATOR ? "its fields are" : NULL, at);
	return suggest_only(&s);
}

static const struct field *known_field(const struct block_items *b, struct str name)
{
	const struct field *f = schema_find(b->block, name);
	return !f && b->framework && b->block == BLOCK_ROLE ? schema_find(BLOCK_FRAMEWORK_ROLE, name) : f;
}

static const struct field *field_of_block(struct block_items *b, struct key *key)
{
	struct check *c = b->base.check;
	if (!key->text.p) {
		if (key->expr)
			check_free(c, key->expr);
		diag_report(c->diags, TJ0202, key->span, "the name of a field cannot be computed");
		return NULL;
	}
	const struct field *f = known_field(b, key->text);
	if (f)
		return f;
	struct str meant = report_block_field(b, key->text, key->span);
	bool maybe = false;
	f = meant.n ? schema_find(b->block, meant) : NULL;
	if (!f || body_sets(body_of(c), meant, &maybe))
		return NULL;
	key->text = names_intern(c->names, meant);    /* so that the field is not reported as missing as well */
	return f;
}

/* ---- fields ---- */

static void block_set(struct items *to, struct node *item);
static void block_spread(struct items *to, struct node *item);

static struct site field_site(const struct field *f, struct span declared)
{
	return (struct site){ .name = str_of(f->name), .declared = declared };
}

/*
 * Leaves it to the evaluator to test a value of `replicas` against its type, because the evaluator's diagnostics are
 * about roles.
 */
static void leave_replicas(struct node *value)
{
	if (value->kind == NODE_IF) {
		for (; value->kind == NODE_IF; value = value->u.if_expr.otherwise) {
			leave_replicas(value->u.if_expr.then);
			value->convert_to = NULL;
		}
		leave_replicas(value);
	} else if (value->kind == NODE_COALESCE) {
		leave_replicas(value->u.op.left);
		leave_replicas(value->u.op.right);
	} else if (value->kind == NODE_LET_IN) {
		leave_replicas(value->u.op.right);
	}
	value->convert_to = NULL;
}

/* Is it a literal? Fields of the project must be, because they are read before names have values. */
static bool stands_written(const struct node *n)
{
	struct str text;

	switch (n->kind) {
	case NODE_INT: case NODE_FLOAT: case NODE_BOOL: case NODE_QUANTITY: case NODE_NONE: return true;
	case NODE_STRING: return node_static_text(n, &text);
	default: return false;
	}
}

static void report_computed(struct check *c, const struct field *f, const struct node *n)
{
	struct diag *d = diag_report(c->diags, TJ0302, n->span, "'%s' of the project must be a constant", f->name);
	struct constant k;

	if (fold_constant(c, n, &k) && k.kind == TYPE_STRING)
		diag_help(c->diags, d, "it is read before anything is evaluated: write \"%.*s\"", STR_ARG(k.text));
	else
		diag_help(c->diags, d, "it is read before anything is evaluated: write the %s itself",
			n->type && n->type->kind == TYPE_STRING ? "text" : "value");
}

static void test_constant(struct check *c, const struct field *f, const struct node *n)
{
	if ((n->type && n->type->kind == TYPE_BAD) || stands_written(n))
		return;
	for (size_t i = 0; n->kind == NODE_LIST && i < n->u.list.n; i++)
		test_constant(c, f, n->u.list.at[i]);
	for (size_t i = 0; n->kind == NODE_BODY && i < n->u.body.items.n; i++) {
		const struct node *item = n->u.body.items.at[i];
		if (item->kind == NODE_SET)
			test_constant(c, f, item->u.item.value);
		else if (item->kind == NODE_IF_ITEM || item->kind == NODE_FOR_ITEM || item->kind == NODE_SPREAD)
			report_computed(c, f, item);
	}
	if (n->kind != NODE_LIST && n->kind != NODE_BODY)
		report_computed(c, f, n);
}

static void check_raw(struct check *c, struct node *item, enum block block, const char *in);
static void test_block_name(struct block_items *b, struct node *item);

/* In `defaults`, the only blocks are those that are defaults of all roles. */
static void defaults_block(struct items *to, struct node *item)
{
	struct block_items *b = (struct block_items *)to;

	if (str_is(item->u.block.word, "raw")) {
		test_block_name(b, item);
		check_raw(to->check, item, BLOCK_CELL, to->what);
		return;
	}
	report_misplaced_block(to, item);
}

/* Checks `defaults { }` of the project, whose fields are those of a job and are evaluated for each job. */
static void check_defaults(struct check *c, struct node *item)
{
	struct where saved = c->at;
	struct node *body = item->u.item.value;
	struct block_items b = { .base = { .check = c, .set = block_set, .block = defaults_block,
		.spread = block_spread, .what = "the project's defaults", .adds = true }, .block = BLOCK_JOB };
	if (body->kind != NODE_BODY) {
		struct diag *d = diag_report(c->diags, TJ0302, body->span, "'defaults' needs a block of fields");
		diag_help(c->diags, d, "write 'defaults { image = ... }'");
		type_loose(c, body);
		return;
	}
	if (body != c->program->project.defaults) {
		struct diag *d = diag_report(c->diags, TJ0206, item->u.item.key.span,
			"'defaults' is set twice in this body");
		diag_help(c->diags, d, "put everything into one block");
	}
	scope_enter(c, SCOPE_DEFAULTS, body)->block = BLOCK_JOB;
	scope_lets(c, body);
	visit_items(&b.base, body);
	body->type = &type_data;
	c->at = saved;
}

/* Checks `key += list`. */
static void check_adding(struct check *c, struct node *item, const struct field *f, const struct type *want)
{
	struct node *value = item->u.item.value;
	struct site site = field_site(f, (struct span){ 0 });
	const struct type *core = type_strip_pod(type_strip_optional(want));
	if (core->kind == TYPE_LIST) {
		check_expr(c, value, want, &site);
		return;
	}
	struct str type = type_phrase(c->arena, core);
	struct diag *d = diag_report(c->diags, TJ0302, item->u.item.key.span, "'+=' adds to a list, and '%s' is %.*s",
		f->name, STR_ARG(type));
	diag_help(c->diags, d, core->kind == TYPE_MAP || core->kind == TYPE_RECORD ?
		"write '%s { ... }', which extends it" : "write '%s = ...'", f->name);
	type_loose(c, value);
	mark_bad(value);
}

static void help_container(struct check *c, struct diag *d, struct str name)
{
	diag_help(c->diags, d, "write the fields of the main container in the role itself; another container is "
		"'sidecar %.*s { ... }'", STR_ARG(name));
}

/* Reports `container { image = ... }`: the word is a field, the name of the main container. */
static void report_container(struct check *c, struct node *item)
{
	struct diag *d = diag_report(c->diags, TJ0302, item->u.item.key.span,
		"'container' is the name of the main container, not its fields");
	help_container(c, d, STR("NAME"));
	item->kind = NODE_BAD;          /* it may set any field of the role */
	item->u.bad.name = (struct str){ 0 };
}

/* Reports `limits { memory = none }`: what is meant has a member of its own. */
static void test_no_limit(struct check *c, const struct node *body)
{
	static const char *const bounded[] = { "memory", "disk" };

	for (size_t i = 0; i < sizeof bounded / sizeof *bounded; i++) {
		const struct node *value = body->kind == NODE_BODY ? body_member(body, bounded[i]) : NULL;
		if (!value || value->kind != NODE_NONE || body_member(body, "unbounded"))
			continue;
		struct diag *d = diag_report(c->diags, TJ0302, value->span,
			"without a limit of '%s' here, the request is the limit, too", bounded[i]);
		diag_help(c->diags, d, "write limits { unbounded = true } if there is to be no limit, or remove it");
	}
}

static void block_set(struct items *to, struct node *item)
{
	struct block_items *b = (struct block_items *)to;
	struct check *c = to->check;
	struct node *value = item->u.item.value;
	struct str written = item->u.item.key.text;
	if (item->kind == NODE_EXTEND && item->u.item.key.kind == KEY_NAME && schema_block(written) &&
		!schema_find(b->block, written)) {
		check_unnamed_block(c, item, STR(""), false);
		item->kind = NODE_BAD;
		item->u.bad.name = (struct str){ 0 };
		return;
	}
	b->value = value;
	const struct field *f = field_of_block(b, &item->u.item.key);
	b->value = NULL;
	bool env = c->at.env, node = c->at.node, differs = c->at.differs;
	/* the field is only a guess, so the value is not checked against its type */
	if (!f || !str_eq(written, item->u.item.key.text)) {
		item->u.item.field = f;
		type_loose(c, value);
		return;
	}
	item->u.item.field = f;
	if (f->id == FIELD_DEFAULTS) {
		check_defaults(c, item);
		return;
	}
	if (f->id == FIELD_CONTAINER && item->kind == NODE_EXTEND && !item->u.item.adds) {
		report_container(c, item);
		return;
	}
	struct site site = field_site(f, (struct span){ 0 });
	const struct type *want = schema_type(&c->types, f->id);
	c->at.env = f->id == FIELD_ENV;
	c->at.node = f->id == FIELD_NODE;
	c->at.differs = schema_differs(f->id);
	if (item->kind == NODE_EXTEND && item->u.item.adds)
		check_adding(c, item, f, want);
	else if (item->kind == NODE_EXTEND)
		type_extension(c, value, want);
	else
		check_expr(c, value, want, &site);
	c->at.env = env;
	c->at.node = node;
	c->at.differs = differs;
	if (f->id == FIELD_LIMITS)
		test_no_limit(c, value);
	if (f->id == FIELD_REPLICAS && value->type->kind != TYPE_BAD)
		leave_replicas(value);
	if (b->block == BLOCK_PROJECT)
		test_constant(c, f, value);
}

static bool may_narrow(const struct type *field, const struct type *declared)
{
	const struct type *a = type_strip_pod(type_strip_optional(field)),
		*b = type_strip_pod(type_strip_optional(declared));
	if (a->kind == TYPE_ELASTIC)
		return b->kind == TYPE_ELASTIC || b->kind == TYPE_INT;
	return type_fit(field, declared) == FIT_OK;
}

static void block_field(struct items *to, struct node *item)
{
	struct block_items *b = (struct block_items *)to;
	struct check *c = to->check;
	const struct field *f = field_of_block(b, &item->u.field.key);
	if (!item->u.field.declared)
		item->u.field.declared = resolve_type(c, item->u.field.type);
	const struct type *t = item->u.field.declared;
	item->u.field.field = f;
	if (f && t->kind != TYPE_BAD && !may_narrow(schema_type(&c->types, f->id), t)) {
		struct str is = type_spell(c->arena, t), needs = type_spell(c->arena, schema_type(&c->types, f->id));
		struct diag *d = diag_report(c->diags, TJ0302, item->u.field.type->span,
			"'%s' is %.*s, and cannot be declared %.*s", f->name,
			STR_ARG(needs), STR_ARG(is));
		diag_help(c->diags, d, "a framework may narrow the type of a field, not change it");
		item->u.field.declared = t = &type_bad;
	}
	if (!item->u.field.value)
		return;
	struct site site = { .name = item->u.field.key.text, .declared = item->u.field.type->span };
	bool differs = c->at.differs;
	c->at.differs = f && schema_differs(f->id);
	if (f && t->kind != TYPE_BAD)
		check_expr(c, item->u.field.value, t, &site);
	else
		type_loose(c, item->u.field.value);
	c->at.differs = differs;
}

/* Adds a note that shows where the inserted record sets the field. */
static void note_inserted(struct check *c, struct diag *d, const struct node *record, struct str field)
{
	const struct decl *let = record->kind == NODE_NAME && record->u.name.decl &&
		record->u.name.decl->kind == DECL_LET ? record->u.name.decl : NULL;
	const struct node *body = let ? let->node->u.binding.value : NULL;
	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind == NODE_SET && str_eq(item->u.item.key.text, field))
			diag_note(c->diags, d, item->u.item.value->span, "set here");
	}
}

/*
 * Can RECORD, which is inserted with `...`, set FIELD? False if RECORD, or the body of the `let` that RECORD names, has
 * only plain items and no item sets FIELD.
 */
static bool may_hold(const struct node *record, struct str field)
{
	const struct decl *let = record->kind == NODE_NAME ? record->u.name.decl : NULL;
	const struct node *body = let && let->kind == DECL_LET ? let->node->u.binding.value : record;
	if (body->kind != NODE_BODY)
		return true;
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		bool plain = item->kind == NODE_SET || item->kind == NODE_EXTEND;
		if (!plain || str_eq(item->u.item.key.text, field))
			return true;
	}
	return false;
}

/* Reports a field of an inserted record that the block does not have; true if it did. */
static bool report_misfit(struct block_items *b, const struct node *record, const struct decl *bundle, struct str name)
{
	struct check *c = b->base.check;
	if (!may_hold(record, name))
		return false;
	struct diag *d = diag_report(c->diags, TJ0203, record->span, "'%.*s' of a %.*s has no place in %s",
		STR_ARG(name),
		STR_ARG(bundle->name), block_word(b->block));
	note_inserted(c, d, record, name);
	bool inner = (b->block == BLOCK_SIDECAR || b->block == BLOCK_INIT) && str_is(bundle->name, "Role");
	diag_help(c->diags, d, inner ? "declare what is inserted as 'Sidecar', which has the fields of a container"
		: "insert a 'let' that does not set '%.*s'", STR_ARG(name));
	return true;
}

static void block_spread(struct items *to, struct node *item)
{
	struct block_items *b = (struct block_items *)to;
	struct check *c = to->check;
	const struct type *t = check_free(c, item->u.one);
	if (t->kind == TYPE_BAD || t->kind == TYPE_EMPTY)
		return;
	if (schema_is_bundle(&c->types, t, b->block))
		return;                         /* it has the fields of this block, with their types */
	size_t n = t->kind == TYPE_ANON ? t->n : t->kind == TYPE_RECORD ? t->record->nfields : 0;
	if (t->kind != TYPE_ANON && t->kind != TYPE_RECORD) {
		struct str is = found_words(c, item->u.one);
		diag_report(c->diags, TJ0302, item->u.one->span,
			"'...' inserts the fields of a record here, found %.*s", STR_ARG(is));
		mark_bad(item->u.one);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct str name = t->kind == TYPE_ANON ? t->members[i].name : t->record->fields[i].name;
		const struct type *has = t->kind == TYPE_ANON ? t->members[i].type : t->record->fields[i].type;
		bool bundle = t->kind == TYPE_RECORD && t->record->partial;
		const struct field *f = known_field(b, name);
		if (!f && bundle) {
			if (report_misfit(b, item->u.one, t->record, name))
				return;
		} else if (!f) {
			report_block_field(b, name, item->u.one->span);
		} else if (type_fit(schema_type(&c->types, f->id), has) != FIT_OK) {
			struct str needs = type_phrase(c->arena, schema_type(&c->types, f->id)),
				is = type_phrase(c->arena, has);
			struct diag *d = diag_report(c->diags, has_pod(has) ? TJ0708 : TJ0302, item->u.one->span,
				"'%s' expects %.*s, found %.*s",
				f->name, STR_ARG(needs), STR_ARG(is));
			note_inserted(c, d, item->u.one, name);
			if (t->kind == TYPE_ANON && has->kind == TYPE_INT &&
				type_strip_optional(schema_type(&c->types, f->id))->kind == TYPE_CPU)
				advise_record(c, d, name, STR("cpu"));
			mark_bad(item->u.one);
		}
	}
}

/* ---- named blocks ---- */

/* Checks a raw block in BLOCK, which messages call IN. */
static void check_raw(struct check *c, struct node *item, enum block block, const char *in)
{
	struct str name = item->u.block.name;
	struct suggest s;
	bool there = false;

	suggest_init(&s, c->arena, name);
	for (const char *raw = schema_raw_next(NULL, block); raw; raw = schema_raw_next(raw, block)) {
		there = there || str_is(name, raw);
		suggest_add(&s, str_of(raw));
	}
	if (!there && schema_is_raw(name)) {
		struct diag *d = diag_report(c->diags, TJ0203, item->u.block.name_span,
			"'raw %.*s' has no place in %s", STR_ARG(name), in);
		diag_help(c->diags, d, str_is(name, "service") ? "move it to the job" : "move it into a role");
	} else if (!there) {
		struct diag *d = diag_report(c->diags, TJ0202, item->u.block.name_span,
			"unknown block 'raw %.*s' in %s", STR_ARG(name), in);
		help_suggest(c, d, &s, "it has raw", item->u.block.name_span);
	}
	check_data(c, item->u.block.body);
	if (!there)
		item->u.block.word = STR("");           /* no level of a role has it */
}

void check_data(struct check *c, struct node *body)
{
	struct where saved = c->at;
	c->at.env = false;
	body->type = type_body(c, body, &type_data);
	c->at = saved;
}

/* Reports a misspelt block keyword and corrects it, before roles are looked up. */
void check_block_word(struct check *c, struct node *item, enum block block)
{
	struct suggest s;
	if (schema_block(item->u.block.word))
		return;
	if (schema_find(block, item->u.block.word) && body_is_broken(item->u.block.body)) {
		item->u.block.word = STR("");           /* `env NAME { = 1 }` was reported where it is broken */
		return;
	}
	suggest_init(&s, c->arena, item->u.block.word);
	for (const struct block_row *r = schema_block_next(NULL); r; r = schema_block_next(r))
		if (r->parents & (unsigned)block)
			suggest_add(&s, str_of(r->word));
	struct diag *d = diag_report(c->diags, TJ0202, item->u.block.word_span, "unknown block '%.*s'",
		STR_ARG(item->u.block.word));
	struct str only = suggest_only(&s);
	const struct foreign *other = foreign_field(item->u.block.word);
	if (other && !only.n)
		diag_help(c->diags, d, "%s", other->help);
	else if (str_is(item->u.block.word, "container"))
		help_container(c, d, item->u.block.name);
	else if (schema_find(block, item->u.block.word))
		diag_help(c->diags, d, "it is a field, and has no name: write '%.*s { ... }'",
			STR_ARG(item->u.block.word));
	else
		help_suggest(c, d, &s, "the blocks are", item->u.block.word_span);
	item->u.block.word = only.n ? names_intern(c->names, only) : STR("");
}

/* Is the block allowed here? Reports TJ0203 if not. */
static bool block_allowed(struct block_items *b, struct node *item)
{
	struct check *c = b->base.check;
	if (item->u.block.word.n)
		check_block_word(c, item, b->block);
	const struct block_row *row = schema_block(item->u.block.word);
	bool cell = row && str_is(item->u.block.word, "cell");
	if (cell && (b->block != BLOCK_JOB || b->base.conditional)) {
		struct diag *c0 = diag_report(c->diags, TJ0203, item->u.block.word_span,
			"'cell' belongs directly to a job");
		diag_help(c->diags, c0, b->block == BLOCK_JOB ?
			"move it out of 'if' or 'for'; its 'copies' may be computed" :
			"write it in the job, beside its roles");
		return false;
	}
	if (!row || (row->parents & (unsigned)b->block))
		return row != NULL;
	struct diag *d = diag_report(c->diags, TJ0203, item->u.block.word_span, "'%s %.*s' has no place in %s",
		row->word, STR_ARG(item->u.block.name),
		block_word(b->block));
	if (b->block == BLOCK_CELL && str_is(item->u.block.word, "aux"))
		diag_help(c->diags, d, "write 'role %.*s' for one in each copy, and 'other_roles = true' if the cell "
			"has a framework; or move it to the job for one of all copies", STR_ARG(item->u.block.name));
	else
		diag_help(c->diags, d, row->parents & BLOCK_JOB ? "move it to the job" : "move it into a role");
	return false;
}

static void test_block_name(struct block_items *b, struct node *item)
{
	struct check *c = b->base.check;
	struct str key = str_printf(c->arena, "%.*s %.*s", STR_ARG(item->u.block.word), STR_ARG(item->u.block.name));
	struct node *first = map_get(&b->names, key);
	if (!first) {
		map_put(&b->names, c->arena, key, item);
		return;
	}
	struct diag *d = diag_report(c->diags, TJ0204, item->u.block.name_span,
		"'%.*s' is already declared in this body", STR_ARG(key));
	diag_note(c->diags, d, first->u.block.name_span, "first declared here");
	diag_help(c->diags, d, "put everything into one block");
}

/* Reports `role w: f { }`: only a cell has a framework of its own. */
static void report_framework(struct block_items *b, struct node *item)
{
	struct check *c = b->base.check;
	struct str word = item->u.block.word;
	bool role = str_is(word, "role") || str_is(word, "aux");
	struct diag *d = diag_report(c->diags, TJ0540, item->u.block.framework->span, role ? "a role has no framework" :
		"'%.*s' has no framework", STR_ARG(word));

	if (role && (b->block == BLOCK_JOB || b->block == BLOCK_CELL))
		diag_help(c->diags, d, "a part of the job with a framework of its own is a cell: 'cell %.*s: %.*s { }'",
			STR_ARG(item->u.block.name), STR_ARG(node_words(c, item->u.block.framework)));
	else
		diag_help(c->diags, d, "remove it");
	for (size_t i = 0; i < item->u.block.args.n; i++)
		if (item->u.block.args.at[i]->kind == NODE_ARG)
			type_loose(c, item->u.block.args.at[i]->u.arg.value);
}

static void block_block(struct items *to, struct node *item)
{
	struct block_items *b = (struct block_items *)to;
	struct check *c = to->check;
	struct str word = item->u.block.word;
	if (item->u.block.framework && !str_is(word, "cell"))
		report_framework(b, item);
	if (!block_allowed(b, item))
		return;
	test_block_name(b, item);
	if (str_is(word, "cell"))
		return;                         /* check_job() checks it, when all names of the job are known */
	if (to->looping) {
		struct diag *d = diag_report(c->diags, TJ0203, item->span, "'%.*s %.*s' has no place in a loop",
			STR_ARG(word), STR_ARG(item->u.block.name));
		diag_help(c->diags, d, "a loop cannot repeat a block; use 'replicas' for several of one kind, 'for x "
			"in xs job \"name-${x}\" { ... }' for several jobs");
	}
	if (str_is(word, "raw"))
		check_raw(c, item, b->block, block_word(b->block));
	else if (str_is(word, "object"))
		check_data(c, item->u.block.body);
	else if (str_is(word, "sidecar"))
		check_block(c, item->u.block.body, BLOCK_SIDECAR, NULL);
	else if (str_is(word, "init"))
		check_block(c, item->u.block.body, BLOCK_INIT, NULL);
	else if (str_is(word, "aux"))
		check_block(c, item->u.block.body, BLOCK_AUX, item->u.block.decl);
	else if (item->u.block.decl)
		check_block(c, item->u.block.body, BLOCK_ROLE, item->u.block.decl);
	else
		check_block(c, item->u.block.body, BLOCK_ROLE, NULL);
}

/* ---- bodies of blocks ---- */

/* Checks the body of a block; for a role, `self` in it is that role. */
void check_block(struct check *c, struct node *body, enum block block, struct decl *role)
{
	struct where saved = c->at;
	struct block_items b = { .base = { .check = c, .set = block_set, .block = block_block, .spread = block_spread,
		.checks = true },
		.block = block, .role = role };
	bool container = block == BLOCK_SIDECAR || block == BLOCK_INIT;
	b.framework = scope_around(c, SCOPE_FRAMEWORK) || scope_around(c, SCOPE_ACCELERATOR);
	if (b.framework)
		b.base.field = block_field;
	b.base.what = block_word(block);
	b.base.checks = !container && block != BLOCK_PROJECT;
	b.base.fixed = block == BLOCK_PROJECT;
	b.base.adds = block != BLOCK_PROJECT;
	struct scope *s = scope_enter(c, block == BLOCK_ROLE || block == BLOCK_AUX ? SCOPE_ROLE : SCOPE_LOCAL, body);
	s->self = role;
	s->block = block;
	scope_lets(c, body);
	visit_items(&b.base, body);
	c->at = saved;
}

/* Checks the body of a job, framework, accelerator or project without entering a new scope. */
void check_open_block(struct check *c, struct node *body, enum block block)
{
	struct block_items b = { .base = { .check = c, .set = block_set, .block = block_block, .spread = block_spread,
		.checks = true,
		.adds = true, .what = block_word(block) }, .block = block };
	b.framework = block == BLOCK_FRAMEWORK || block == BLOCK_ACCELERATOR;
	if (b.framework)
		b.base.field = block_field;
	if (block == BLOCK_ACCELERATOR || block == BLOCK_PROJECT)
		b.base.block = NULL;
	b.base.checks = block != BLOCK_PROJECT;
	visit_items(&b.base, body);
}
