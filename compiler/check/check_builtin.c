/*
 * check_builtin.c - the types of built-in functions. Most have one signature, which comes from a table. The others
 * accept values of several types, and each is checked by a function here. An argument that depends on the pod makes the
 * result depend on the pod; the evaluator decides whether the result can be computed at all.
 */
#include "check/context.h"
#include "diag/suggest.h"

enum { MOST = 5 };

struct parameter {
	const char *name;
	const struct type *type;
	bool optional;                  /* the argument may be left out */
	bool named;                     /* the argument is optional and can only be given by name */
};

struct signature {
	const struct type *result;
	struct parameter at[MOST];
};

static const struct type strings = { .kind = TYPE_LIST, .elem = &type_string };
static const struct type lists = { .kind = TYPE_MAP, .elem = &strings };
static const struct type texts = { .kind = TYPE_MAP, .elem = &type_string };
static const struct type strings_of_strings = { .kind = TYPE_LIST, .elem = &strings };
static const struct type pod_data = { .kind = TYPE_POD, .elem = &type_data };
static const struct type pod_string = { .kind = TYPE_POD, .elem = &type_string };
static const struct type maybe_string = { .kind = TYPE_OPTIONAL, .elem = &type_string };
static const struct type secret_string = { .kind = TYPE_SECRET, .elem = &type_string };

#define S &type_string
#define I &type_int
#define FLAG_PARAMETER(name) { name, &type_bool, true, true }
static const struct signature signatures[FUNCTIONS] = {
	[FUNCTION_CEIL_DIV] = { I, { { .name = "a", .type = I }, { .name = "b", .type = I } } },
	[FUNCTION_ROUND] = { I, { { .name = "x", .type = &type_float } } },
	[FUNCTION_FLOAT] = { &type_float, { { .name = "x", .type = I } } },
	[FUNCTION_INT] = { I, { { .name = "text", .type = S } } },
	[FUNCTION_SPLIT] = { &strings, { { .name = "text", .type = S }, { .name = "sep", .type = S } } },
	[FUNCTION_REPLACE] = { S, { { .name = "text", .type = S }, { .name = "old", .type = S },
		{ .name = "new", .type = S } } },
	[FUNCTION_TRIM] = { S, { { .name = "text", .type = S } } },
	[FUNCTION_PAD] = { S, { { .name = "text", .type = S }, { .name = "width", .type = I },
		{ "fill", S, true, true } } },
	[FUNCTION_CUT] = { S, { { .name = "text", .type = S }, { .name = "n", .type = I } } },
	[FUNCTION_LOWER] = { S, { { .name = "text", .type = S } } },
	[FUNCTION_UPPER] = { S, { { .name = "text", .type = S } } },
	[FUNCTION_STARTS_WITH] = { &type_bool, { { .name = "text", .type = S }, { .name = "part", .type = S } } },
	[FUNCTION_ENDS_WITH] = { &type_bool, { { .name = "text", .type = S }, { .name = "part", .type = S } } },
	[FUNCTION_MATCHES] = { &type_bool, { { .name = "text", .type = S }, { .name = "pattern", .type = S } } },
	[FUNCTION_COMMANDS] = { &strings_of_strings, { { .name = "words", .type = &strings },
		{ "through", &lists, true, true } } },
	[FUNCTION_OPTIONS] = { &lists, { { .name = "words", .type = &strings }, { "flags", &strings, true, true } } },
	[FUNCTION_SHA256] = { S, { { .name = "text", .type = S } } },
	[FUNCTION_BYTES] = { I, { { .name = "x", .type = &type_memory } } },
	[FUNCTION_SECONDS] = { I, { { .name = "x", .type = &type_duration } } },
	[FUNCTION_MILLIS] = { I, { { .name = "x", .type = &type_duration } } },
	[FUNCTION_HAS_DIGEST] = { &type_bool, { { .name = "image", .type = &type_image } } },
	[FUNCTION_TAG] = { &maybe_string, { { .name = "image", .type = &type_image } } },
	[FUNCTION_PVC] = { &type_volume, { { .name = "claim", .type = S }, { "path", &pod_string, true, true },
		FLAG_PARAMETER("readonly"), FLAG_PARAMETER("shared") } },
	[FUNCTION_OWN_CLAIM] = { &type_volume, { { .name = "name", .type = S },
		{ .name = "size", .type = &type_memory }, { "class", S, true, true },
		FLAG_PARAMETER("keep") } },
	[FUNCTION_SCRATCH] = { &type_volume, { { .name = "name", .type = S }, { "size", &type_memory, true, false },
		{ "medium", S, true, true } } },
	[FUNCTION_SECRET_FILES] = { &type_volume, { { .name = "name", .type = S } } },
	[FUNCTION_CONFIG_FILES] = { &type_volume, { { .name = "name", .type = S } } },
	[FUNCTION_HOST_PATH] = { &type_volume, { { .name = "path", .type = S }, FLAG_PARAMETER("readonly") } },
	[FUNCTION_NFS] = { &type_volume, { { .name = "server", .type = S }, { .name = "path", .type = S },
		FLAG_PARAMETER("readonly") } },
	[FUNCTION_CSI] = { &type_volume, { { .name = "name", .type = S }, { .name = "driver", .type = S },
		{ "attributes", &texts, true, false }, FLAG_PARAMETER("readonly"), { "secret", S, true, true } } },
	[FUNCTION_GENERATED] = { &type_volume, { { .name = "kind", .type = S } } },
	[FUNCTION_SECRET] = { &secret_string, { { .name = "name", .type = S }, { .name = "key", .type = S } } },
	[FUNCTION_CONFIG] = { &type_config, { { .name = "name", .type = S }, { .name = "key", .type = S } } },
	[FUNCTION_CONFIG_ENV] = { &type_data, { { .name = "name", .type = S }, { "prefix", S, true, true },
		FLAG_PARAMETER("optional") } },
	[FUNCTION_SECRET_ENV] = { &type_data, { { .name = "name", .type = S }, { "prefix", S, true, true },
		FLAG_PARAMETER("optional") } },
	[FUNCTION_DONE] = { &type_condition, { { .name = "role", .type = &type_role }, { "index", I, true, false },
		FLAG_PARAMETER("any"), { "least", I, true, true } } },
	[FUNCTION_READY] = { &type_condition, { { .name = "role", .type = &type_role }, FLAG_PARAMETER("any"),
		{ "least", I, true, true } } },
	[FUNCTION_STARTED] = { &type_condition, { { .name = "role", .type = &type_role }, FLAG_PARAMETER("any"),
		{ "least", I, true, true } } },
	[FUNCTION_TCP] = { &type_data, { { .name = "port", .type = S }, { "within", &type_duration, true, true } } },
	[FUNCTION_HTTP] = { &type_data, { { .name = "port", .type = S }, { "path", S, true, false },
		{ "within", &type_duration, true, true } } },
	[FUNCTION_EXEC] = { &type_data, { { .name = "command", .type = &strings },
		{ "within", &type_duration, true, true } } },
	[FUNCTION_NEAR] = { &type_data, { { .name = "level", .type = S }, { "each", &type_data, true, true } } },
	[FUNCTION_PREFER] = { &type_data, { { .name = "level", .type = S } } },
	[FUNCTION_ENV] = { &type_replica_env, { { .name = "role", .type = S }, { .name = "index", .type = I } } },
	[FUNCTION_OBJECT] = { &type_data, { { .name = "kind", .type = S }, { .name = "name", .type = S } } },
	[FUNCTION_FAILS] = { &type_bool, { { .name = "code", .type = S } } },
	[FUNCTION_JSON] = { S, { { .name = "x", .type = &type_data }, FLAG_PARAMETER("html") } },
	[FUNCTION_JOIN] = { S, { { .name = "xs", .type = &strings }, { .name = "sep", .type = S } } },
	[FUNCTION_LINES] = { S, { { .name = "xs", .type = &strings } } }
};

bool check_builtin_argument(enum function f, size_t i, struct check_argument *ret)
{
	if (i >= MOST || !signatures[f].at[i].name)
		return false;
	const struct parameter *p = &signatures[f].at[i];
	*ret = (struct check_argument){ p->name, p->type, p->optional, p->named };
	return true;
}

const struct type *check_builtin_result(enum function f) { return signatures[f].result; }

struct builtin_call {
	struct check *check;
	struct node *node;
	enum function which;
	const struct type *want;
	struct node **args;             /* the values of the positional arguments, in order */
	size_t n;
};

/* ---- reports ---- */

static const struct type *report_call(struct builtin_call *b, struct span at, const char *what)
{
	struct check *c = b->check;
	const struct function_row *row = schema_function(b->which);
	struct diag *d = diag_report(c->diags, TJ0318, at, "'%s' %s", row->name, what);
	diag_help(c->diags, d, "it is %s%s", row->name, row->signature);
	if (b->which == FUNCTION_OWN_CLAIM)
		diag_help(c->diags, d, "it makes a claim for each replica; pvc(\"NAME\") mounts a claim that exists");
	return &type_bad;
}

/*
 * Reports `secret("a")` and `config("a")`, which need a key for a variable; files need secret_files() or
 * config_files(). Returns false for calls of other functions.
 */
static bool report_no_key(struct builtin_call *b, const struct node *name)
{
	struct check *c = b->check;
	struct str words = node_words(c, name->u.arg.value), text;
	const char *function = schema_function(b->which)->name;

	if (b->which != FUNCTION_SECRET && b->which != FUNCTION_CONFIG)
		return false;
	struct diag *d = diag_report(c->diags, TJ0318, b->node->u.call.args_span, "'%s' needs 'key'", function);
	const char *slash = node_static_text(name->u.arg.value, &text) ? memchr(text.p, '/', text.n) : NULL;
	if (slash) {
		diag_help(c->diags, d, "write %s(\"%.*s\", \"%.*s\")", function, (int)(slash - text.p), text.p,
			(int)(text.p + text.n - slash) - 1, slash + 1);
		return true;
	}
	diag_help(c->diags, d, "for a variable write %s(%.*s, \"KEY\"), for files in 'mounts' %s_files(%.*s)", function,
		STR_ARG(words), function, STR_ARG(words));
	diag_help(c->diags, d, "for all its keys as variables write env_from = [%s_env(%.*s)], beside 'env'", function,
		STR_ARG(words));
	return true;
}

static const struct type *report_argument(struct builtin_call *b, struct node *n, const char *needs)
{
	struct check *c = b->check;
	if (n->type->kind == TYPE_BAD)
		return &type_bad;
	const struct type *t = type_strip_pod(n->type);
	if (t->kind == TYPE_OPTIONAL || t->kind == TYPE_NONE)
		return report_optional(c, n);
	if (t->kind == TYPE_SECRET)
		return report_secret(c, n);
	struct str is = found_words(c, n), words = node_words(c, n);
	bool range = t->kind == TYPE_RANGE;
	struct diag *d = diag_report(c->diags, range ? TJ0319 : TJ0302, n->span, "'%s' expects %s, found %.*s",
		schema_function(b->which)->name, needs, STR_ARG(is));
	if (range)
		diag_help(c->diags, d, "write 'range(a, b)' for a, ..., b - 1");
	else if (t->kind == TYPE_ELASTIC)
		diag_help(c->diags, d, "write '%.*s.min' or '%.*s.max'", STR_ARG(words), STR_ARG(words));
	return mark_bad(n);
}

/* ---- arguments ---- */

static bool all_positional(struct builtin_call *b, size_t least, size_t most)
{
	struct nodes args = b->node->u.call.args;
	b->args = ARENA_ARRAY(b->check->arena, struct node *, args.n);
	for (size_t i = 0; i < args.n; i++) {
		if (args.at[i]->kind != NODE_ARG)
			return false;
		b->args[b->n++] = args.at[i]->u.arg.value;
		if (args.at[i]->u.arg.name.p) {
			report_call(b, args.at[i]->span, "takes no named argument here");
			return false;
		}
	}
	b->node->u.call.bound = args.at;
	b->node->u.call.nbound = args.n;
	if (args.n >= least && args.n <= most)
		return true;
	report_call(b, b->node->u.call.args_span, args.n < least ? "needs more arguments" : "takes fewer arguments");
	return false;
}

static size_t parameter_count(const struct signature *s)
{
	size_t n = 0;
	while (n < MOST && s->at[n].name)
		n++;
	return n;
}

/*
 * Guesses which parameter an argument without a name was meant for; the parameters from I on can only be given by name.
 */
static size_t likely(const struct signature *s, size_t i, const struct node *value)
{
	for (size_t k = i; k < MOST && s->at[k].name; k++)
		if ((s->at[k].type->kind == TYPE_BOOL) == (value->kind == NODE_BOOL))
			return k;
	return i;
}

/* Arguments that people know from Kubernetes or from another volume function, with the help for each. */
static const struct {
	int function;
	const char *argument, *help;
} volume_habits[] = {
	{ FUNCTION_PVC, "size",
		"pvc mounts a claim that exists; own_claim(\"NAME\", 10Gi) makes one for each replica" },
	{ FUNCTION_PVC, "keep", "pvc mounts a claim that exists, and leaves it as it is" },
	{ FUNCTION_PVC, "class",
		"pvc mounts a claim that exists; own_claim(\"NAME\", 10Gi, class = \"fast\") makes one for each "
		"replica" },
	{ FUNCTION_PVC, "storageClassName",
		"pvc mounts a claim that exists; own_claim(\"NAME\", 10Gi, class = \"fast\") makes one for each "
		"replica" },
	{ FUNCTION_PVC, "ro", "the argument is 'readonly'" },
	{ FUNCTION_OWN_CLAIM, "storage_class", "the argument is 'class'" },
	{ FUNCTION_OWN_CLAIM, "storageClassName", "the argument is 'class'" },
	{ FUNCTION_OWN_CLAIM, "shared",
		"each replica has a claim to itself; pvc(\"NAME\", shared = true) mounts one claim in all of them" },
	{ FUNCTION_OWN_CLAIM, "readonly", "each replica writes to its own claim, which is empty at first; "
		"pvc(\"NAME\", readonly = true) mounts one that is filled" },
	{ FUNCTION_OWN_CLAIM, "path", "the claim is empty at first and mounted whole; pvc(\"NAME\", path = \"dir\") "
		"mounts a directory of a claim that exists" },
	{ FUNCTION_OWN_CLAIM, "mode", "the claim of one replica is ReadWriteOnce; pvc(\"NAME\", shared = true) mounts "
		"one that many nodes write to" },
	{ FUNCTION_OWN_CLAIM, "accessModes", "the claim of one replica is ReadWriteOnce; pvc(\"NAME\", shared = true) "
		"mounts one that many nodes write to" },
};

static const char *volume_habit(const struct builtin_call *b, struct str argument)
{
	for (size_t i = 0; i < sizeof volume_habits / sizeof *volume_habits; i++)
		if (volume_habits[i].function == (int)b->which && str_is(argument, volume_habits[i].argument))
			return volume_habits[i].help;
	return NULL;
}

/* Reports a boolean argument that is given as a bare name: `readonly`, or `ro` as in the options of mount(8). */
static bool report_switch(struct builtin_call *b, const struct signature *s, const struct node *arg)
{
	struct check *c = b->check;
	const struct node *value = arg->u.arg.value;

	if (arg->u.arg.name.p || value->kind != NODE_NAME || scope_peek(c, value->u.name.text))
		return false;
	for (size_t i = 0; i < parameter_count(s); i++) {
		const char *name = s->at[i].name;
		bool same = str_is(str_lower(c->arena, value->u.name.text), name) ||
			(str_is(value->u.name.text, "ro") && strcmp(name, "readonly") == 0);
		if (s->at[i].type != &type_bool || !same)
			continue;
		struct diag *d = diag_report(c->diags, TJ0318, arg->span, "'%s' of '%s' needs a value", name,
			schema_function(b->which)->name);
		diag_help(c->diags, d, "write '%s = true'", name);
		return true;
	}
	return false;
}

/* The index of the parameter that an argument sets; parameter_count() after reporting an error. */
static size_t parameter_of(struct builtin_call *b, const struct signature *s, const struct node *arg, size_t *position)
{
	struct check *c = b->check;
	size_t n = parameter_count(s);
	if (arg->u.arg.name.p) {
		struct suggest g;
		for (size_t i = 0; i < n; i++)
			if (str_is(arg->u.arg.name, s->at[i].name))
				return i;
		struct diag *d = diag_report(c->diags, TJ0318, arg->u.arg.name_span, "'%s' has no argument '%.*s'",
			schema_function(b->which)->name, STR_ARG(arg->u.arg.name));
		const char *habit = volume_habit(b, arg->u.arg.name);
		if (habit) {
			diag_help(c->diags, d, "%s", habit);
			return n;
		}
		suggest_init(&g, c->arena, arg->u.arg.name);
		for (size_t i = 0; i < n; i++)
			suggest_add(&g, str_of(s->at[i].name));
		help_suggest(c, d, &g, "its arguments are", arg->u.arg.name_span);
		return n;
	}
	size_t i = (*position)++;
	if (i < n && !s->at[i].named)
		return i;
	if (i < n && arg->u.arg.value->kind == NODE_INT && s->result == &type_condition) {
		const char *name = schema_function(b->which)->name;
		struct diag *d = diag_report(c->diags, TJ0318, arg->span,
			"'%s' covers all replicas, or any one of them", name);
		diag_help(c->diags, d, "write '%s(R)' or '%s(R, any = true)'; 'done(R, 0)' names a replica", name,
			name);
		return n;
	}
	const char *habit = arg->u.arg.value->kind == NODE_QUANTITY ? volume_habit(b, STR("size")) : NULL;
	if (i < n && habit) {
		struct diag *d = diag_report(c->diags, TJ0318, arg->span, "'%s' takes no size",
			schema_function(b->which)->name);
		diag_help(c->diags, d, "%s", habit);
		return n;
	}
	if (i < n) {
		struct str value = node_words(c, arg->u.arg.value);
		i = likely(s, i, arg->u.arg.value);
		struct diag *d = diag_report(c->diags, TJ0318, arg->span, "'%s' of '%s' must be passed by name",
			s->at[i].name, schema_function(b->which)->name);
		diag_help(c->diags, d, "write '%s = %.*s'", s->at[i].name, STR_ARG(value));
		return n;
	}
	report_call(b, arg->span, "takes fewer arguments");
	return n;
}

static bool lifts(const struct type *result)
{
	return result->kind == TYPE_INT || result->kind == TYPE_FLOAT || result->kind == TYPE_BOOL ||
	       result->kind == TYPE_LIST || result->kind == TYPE_STRING || result->kind == TYPE_OPTIONAL;
}

static bool check_parameter(struct builtin_call *b, const struct parameter *p, struct node *value, bool may_lift,
	bool *ret_pod)
{
	struct check *c = b->check;
	bool probe = b->which == FUNCTION_TCP || b->which == FUNCTION_HTTP;
	if (probe && value->kind == NODE_INT && strcmp(p->name, "port") == 0) {
		struct str port = node_words(c, value);
		struct diag *d = diag_report(c->diags, TJ0302, value->span, "expected the name of a port, found %.*s",
			STR_ARG(port));
		struct str known = probe_port(c, value);
		if (known.n)
			diag_help(c->diags, d, "write \"%.*s\", the name of that port", STR_ARG(known));
		else
			diag_help(c->diags, d, "declare 'ports { http = %.*s }', and write \"http\" here",
				STR_ARG(port));
		return false;
	}
	bool own = b->which == FUNCTION_OWN_CLAIM || b->which == FUNCTION_SCRATCH;
	struct site site = { .name = str_of(p->name), .call = true, .own = own && p->type == &type_string };
	const struct type *t = type_for(c, value,
		p->type == &strings ? NULL : p->type == &type_data ? &pod_data : p->type, &site);
	if (t->kind == TYPE_BAD)
		return false;
	/* done(), ready() and started() take a cell or a copy, too */
	if (p->type == &type_role && (t->kind == TYPE_COPY || (t->kind == TYPE_LIST && t->record)))
		return true;
	if (may_lift && has_pod(t) && type_fit(p->type, t) == FIT_POD) {
		*ret_pod = true;
		return type_coerce(c, value, pod_inside(c, p->type), &site)->kind != TYPE_BAD;
	}
	return type_coerce(c, value, p->type, &site)->kind != TYPE_BAD;
}

/*
 * Is argument I a text without its quotes? If *RET_SURE is false, it is an undeclared name; that is only reported
 * together with an argument that certainly lacks its quotes.
 */
static bool lacks_quotes(struct builtin_call *b, const struct signature *s, size_t i, bool *ret_sure)
{
	const struct node *arg = b->node->u.call.args.at[i];
	if (i >= parameter_count(s) || arg->kind != NODE_ARG || arg->u.arg.name.p || !type_is_text(s->at[i].type))
		return false;
	const struct node *value = arg->u.arg.value;
	*ret_sure = text_without_quotes(b->check, value, s->at[i].type);
	return *ret_sure || (value->kind == NODE_NAME && !scope_peek(b->check, value->u.name.text));
}

/* Removes the blanks that were added around what looked like operators: names of objects and keys contain no blanks. */
static struct str without_blanks(struct arena *a, struct str text)
{
	char *copy = arena_alloc(a, text.n + 1);
	size_t n = 0;
	for (size_t i = 0; i < text.n; i++)
		if (!strchr(" \t\r\n", text.p[i]))
			copy[n++] = text.p[i];
	return (struct str){ copy, n };
}

/* The arguments of the call, with quotes around those that lack them. */
static struct str quoted_arguments(struct builtin_call *b, const struct signature *s)
{
	struct check *c = b->check;
	struct nodes args = b->node->u.call.args;
	struct str all = STR("");
	for (size_t i = 0; i < args.n; i++) {
		bool sure, lacks = lacks_quotes(b, s, i, &sure);
		struct str text = source_text(c->program->sources, args.at[i]->span);
		text = lacks ? without_blanks(c->arena, text) : text;
		all = str_printf(c->arena, lacks ? "%.*s%s\"%.*s\"" : "%.*s%s%.*s", STR_ARG(all), i ? ", " : "",
			STR_ARG(text));
	}
	return all;
}

/* Reports secret(hub-of-models, token) with one message for the whole call. */
static bool report_unquoted(struct builtin_call *b, const struct signature *s)
{
	struct check *c = b->check;
	struct nodes args = b->node->u.call.args;
	size_t first = 0;
	bool sure = false;
	while (first < args.n && !(lacks_quotes(b, s, first, &sure) && sure))
		first++;
	if (first == args.n)
		return false;
	struct str all = quoted_arguments(b, s);
	struct diag *d = diag_report(c->diags, TJ0302, args.at[first]->span,
		"'%s' is text, and text is written in quotes", s->at[first].name);
	diag_help(c->diags, d, "write '%s(%.*s)'", schema_function(b->which)->name, STR_ARG(all));
	diag_fix(c->diags, d, b->node->u.call.args_span, str_printf(c->arena, "(%.*s)", STR_ARG(all)),
		"put it in quotes");
	for (size_t i = 0; i < args.n; i++) {
		if (args.at[i]->kind == NODE_ARG && lacks_quotes(b, s, i, &sure))
			mark_bad(args.at[i]->u.arg.value);
	}
	return true;
}

/* Reports scratch(8Gi): the first argument, a name, is missing. */
static bool report_nameless(struct builtin_call *b, const struct signature *s)
{
	struct check *c = b->check;
	struct nodes args = b->node->u.call.args;
	const struct node *first = args.n == 1 && args.at[0]->kind == NODE_ARG && !args.at[0]->u.arg.name.p
		? args.at[0]->u.arg.value : NULL;
	struct str path = c->site->name;
	const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;

	if (!first || first->kind != NODE_QUANTITY || !type_is_text(s->at[0].type) || s->at[1].type != &type_memory)
		return false;
	struct str name = slash ? (struct str){ slash + 1, path.n - (size_t)(slash + 1 - path.p) } : STR("");
	struct str size = node_words(c, first), right;
	name = str_is_word(name) ? name : STR("data");
	right = str_printf(c->arena, "(\"%.*s\", %.*s)", STR_ARG(name), STR_ARG(size));
	struct diag *d = diag_report(c->diags, TJ0318, b->node->u.call.args_span, "'%s' has a name before its size",
		schema_function(b->which)->name);
	if (b->which == FUNCTION_SCRATCH)
		diag_help(c->diags, d, "write 'scratch%.*s'; for /dev/shm set 'shm = %.*s'", STR_ARG(right),
			STR_ARG(size));
	else
		diag_help(c->diags, d, "write '%s%.*s'", schema_function(b->which)->name, STR_ARG(right));
	return true;
}

static const struct type *call_by_table(struct builtin_call *b, const struct signature *s)
{
	struct check *c = b->check;
	struct nodes args = b->node->u.call.args;
	size_t n = parameter_count(s), position = 0;
	bool ok = true, pod = false;
	if (n > 1 && !type_is_text(s->at[0].type) && type_is_text(s->at[1].type) && report_swapped(c, b->node)) {
		for (size_t i = 0; i < args.n; i++)
			type_loose(c, args.at[i]->u.arg.value);
		return &type_bad;
	}
	if (report_unquoted(b, s) || report_nameless(b, s))
		return &type_bad;
	struct node **bound = ARENA_ARRAY(c->arena, struct node *, n);
	for (size_t i = 0; i < args.n; i++) {
		struct node *arg = args.at[i];
		if (arg->kind != NODE_ARG)
			return &type_bad;
		if (report_switch(b, s, arg)) {
			arg->u.arg.value->type = &type_bad;
			ok = false;
			continue;
		}
		size_t k = parameter_of(b, s, arg, &position);
		if (k == n || bound[k]) {
			if (k < n)
				report_call(b, arg->span, "is given an argument twice");
			type_loose(c, arg->u.arg.value);
			ok = false;
			continue;
		}
		bound[k] = arg;
		ok = check_parameter(b, &s->at[k], arg->u.arg.value, lifts(s->result), &pod) && ok;
		arg->type = arg->u.arg.value->type;
	}
	b->node->u.call.bound = bound;
	b->node->u.call.nbound = n;
	for (size_t i = 0; i < n && ok; i++) {
		if (bound[i] || s->at[i].optional)
			continue;
		if (bound[0] && report_no_key(b, bound[0]))
			return &type_bad;
		return report_call(b, b->node->u.call.args_span, str_printf(c->arena, "needs '%s'", s->at[i].name).p);
	}
	return ok ? type_lifted(c, s->result, pod) : &type_bad;
}

/* ---- functions that accept several types ---- */

static const struct type *call_len(struct builtin_call *b)
{
	if (!all_positional(b, 1, 1))
		return &type_bad;
	const struct type *t = check_free(b->check, b->args[0]), *core = type_strip_pod(t);
	bool ok = core->kind == TYPE_LIST || core->kind == TYPE_MAP || core->kind == TYPE_ANON ||
		  core->kind == TYPE_EMPTY || core->kind == TYPE_DATA || type_is_text(core);
	return ok ? type_lifted(b->check, &type_int, t->kind == TYPE_POD)
		: report_argument(b, b->args[0], "a list, a map or a string");
}

static const struct type *call_range(struct builtin_call *b)
{
	bool ok = all_positional(b, 1, 2);
	struct site site = { .what = STR("'range'"), .call = true };
	for (size_t i = 0; i < b->n; i++)
		ok = check_expr(b->check, b->args[i], &type_int, &site)->kind != TYPE_BAD && ok;
	return ok ? type_list(b->check->arena, &type_int) : &type_bad;
}

static bool is_number(const struct type *t)
{
	return t->kind == TYPE_INT || t->kind == TYPE_FLOAT || type_is_quantity(t);
}

static bool is_ordered(const struct type *t)
{
	return is_number(t) || type_is_text(t);
}

static const struct type *element_base(const struct type *t)
{
	switch (t->kind) {
	case TYPE_INT: return &type_int;
	case TYPE_FLOAT: return &type_float;
	case TYPE_CPU: return &type_cpu;
	case TYPE_MEMORY: return &type_memory;
	case TYPE_DURATION: return &type_duration;
	default: return type_is_text(t) ? &type_string : t;
	}
}

/* Checks a list whose elements may be quantity literals; the expected type of the call decides their kind. */
static const struct type *list_argument(struct builtin_call *b, struct node *n)
{
	struct check *c = b->check;
	const struct type *want = b->want ? type_strip_pod(type_strip_optional(b->want)) : NULL;
	const struct type *t = type_expr(c, n, NULL);
	if (t->kind == TYPE_UNIT && want && type_is_quantity(want))
		t = check_expr(c, n, type_list(c->arena, element_base(want)), NO_SITE);
	return t->kind == TYPE_UNIT ? report_unit(c, n) : t;
}

/* Reports product(xs, ys), which is itertools.product() of Python. */
static bool report_pairs(struct builtin_call *b)
{
	struct nodes args = b->node->u.call.args;
	if (b->which != FUNCTION_PRODUCT || args.n != 2 || args.at[0]->kind != NODE_ARG || args.at[1]->kind != NODE_ARG)
		return false;
	struct check *c = b->check;
	struct str x = node_words(c, args.at[0]->u.arg.value), y = node_words(c, args.at[1]->u.arg.value);
	struct diag *d = diag_report(c->diags, TJ0318, b->node->span, "'product' multiplies the numbers of one list");
	diag_help(c->diags, d, "for all pairs of two lists write two loops: 'for x in %.*s, y in %.*s'",
		STR_ARG(x), STR_ARG(y));
	return true;
}

static const struct type *call_sum(struct builtin_call *b)
{
	if (report_pairs(b))
		return &type_bad;
	if (!all_positional(b, 1, 1))
		return &type_bad;
	const struct type *t = list_argument(b, b->args[0]);
	bool pod = has_pod(t);
	t = type_strip_pod(t);
	if (b->which == FUNCTION_PRODUCT && t->kind == TYPE_TOPOLOGY)
		return &type_int;
	if (t->kind == TYPE_EMPTY)
		return &type_int;
	if (t->kind != TYPE_LIST || !is_number(type_strip_pod(t->elem)) ||
	    (b->which == FUNCTION_PRODUCT && type_is_quantity(type_strip_pod(t->elem))))
		return report_argument(b, b->args[0],
			b->which == FUNCTION_PRODUCT ? "a list of numbers or a topology" : "a list of numbers");
	return type_lifted(b->check, element_base(type_strip_pod(t->elem)), pod);
}

static const struct type *min_of_list(struct builtin_call *b)
{
	const struct type *t = list_argument(b, b->args[0]), *core = type_strip_pod(t);
	if (core->kind != TYPE_LIST || !is_ordered(type_strip_pod(core->elem)))
		return report_argument(b, b->args[0], "values, or a list of them, that have an order");
	return type_lifted(b->check, element_base(type_strip_pod(core->elem)), has_pod(t));
}

static const struct type *min_of_values(struct builtin_call *b)
{
	struct check *c = b->check;
	const struct type *want = b->want ? type_strip_pod(type_strip_optional(b->want)) : NULL, *all = NULL;
	bool pod = false;
	if (want && !type_is_quantity(want))
		want = NULL;
	for (size_t i = 0; i < b->n; i++) {
		const struct type *t = type_expr(c, b->args[i], b->args[i]->kind == NODE_QUANTITY ? want : NULL);
		if (t->kind == TYPE_BAD)
			return t;
		pod = pod || t->kind == TYPE_POD;
		t = type_strip_pod(t);
		if (t->kind != TYPE_UNIT && !is_ordered(t))
			return report_argument(b, b->args[i], "values that have an order");
		if (all && all->kind == TYPE_INT && t->kind == TYPE_FLOAT && is_number_literal(b->args[0]))
			all = t;
		const struct type *both = all ? type_unify(c, all, t) : t;
		if (!both && all->kind == TYPE_FLOAT && is_number_literal(b->args[i]))
			both = all;
		if (!both) {
			struct str x = found_words(c, b->args[0]), y = found_words(c, b->args[i]);
			struct diag *d = diag_report(c->diags, TJ0302, b->args[i]->span,
				"'%s' needs values of one type, found %.*s and %.*s",
				schema_function(b->which)->name, STR_ARG(x), STR_ARG(y));
			diag_note(c->diags, d, b->args[0]->span, "%.*s", STR_ARG(x));
			return &type_bad;
		}
		all = both;
	}
	if (all->kind == TYPE_UNIT)
		return report_unit(c, b->args[0]);
	all = element_base(all);
	for (size_t i = 0; i < b->n; i++)
		retype_expr(c, b->args[i], pod ? type_pod(c->arena, all) : all);
	return type_lifted(c, all, pod);
}

static const struct type *call_min(struct builtin_call *b)
{
	if (!all_positional(b, 1, SIZE_MAX))
		return &type_bad;
	return b->n == 1 ? min_of_list(b) : min_of_values(b);
}

static const struct type *call_sorted(struct builtin_call *b)
{
	if (!all_positional(b, 1, 1))
		return &type_bad;
	const struct type *t = list_argument(b, b->args[0]), *core = type_strip_pod(t);
	if (core->kind == TYPE_EMPTY)
		return t;
	const struct type *elem = core->kind == TYPE_LIST ? type_strip_pod(core->elem) : NULL;
	if (!elem || (b->which == FUNCTION_SORTED && !is_ordered(elem) && elem->kind != TYPE_ROLE))
		return report_argument(b, b->args[0],
			b->which == FUNCTION_SORTED ? "a list of values that have an order" : "a list");
	return t;
}

static const struct type *call_flatten(struct builtin_call *b)
{
	if (!all_positional(b, 1, 1))
		return &type_bad;
	const struct type *t = list_argument(b, b->args[0]), *core = type_strip_pod(t);
	if (core->kind == TYPE_EMPTY)
		return t;
	if (core->kind != TYPE_LIST || core->elem->kind != TYPE_LIST)
		return report_argument(b, b->args[0], "a list of lists");
	return type_lifted(b->check, core->elem, t->kind == TYPE_POD);
}

static const struct type *record_member_type(const struct type *record, struct str name)
{
	for (size_t i = 0; record->kind == TYPE_ANON && i < record->n; i++)
		if (name_eq(record->members[i].name, name))
			return record->members[i].type;
	for (size_t i = 0; record->kind == TYPE_RECORD && i < record->record->nfields; i++)
		if (name_eq(record->record->fields[i].name, name))
			return record->record->fields[i].type;
	return record->kind == TYPE_MAP ? record->elem : NULL;
}

static const struct type *find_record(struct builtin_call *b, struct node *list, struct node *arg)
{
	struct check *c = b->check;
	const struct type *t = check_free(c, list), *core = type_strip_pod(t);
	if (core->kind != TYPE_LIST) {
		type_loose(c, arg->u.arg.value);
		return report_argument(b, list, "a list of records");
	}
	const struct type *field = record_member_type(core->elem, arg->u.arg.name);
	if (!field) {
		struct str what = type_phrase(c->arena, core->elem);
		diag_report(c->diags, TJ0202, arg->u.arg.name_span, "%.*s has no field '%.*s'", STR_ARG(what),
			STR_ARG(arg->u.arg.name));
		type_loose(c, arg->u.arg.value);
		return &type_bad;
	}
	struct site site = { .name = arg->u.arg.name, .call = true };
	if (check_expr(c, arg->u.arg.value, type_strip_optional(field), &site)->kind == TYPE_BAD)
		return &type_bad;
	return type_lifted(c, type_optional(c->arena, core->elem), t->kind == TYPE_POD);
}

static const struct type *call_find(struct builtin_call *b)
{
	struct check *c = b->check;
	struct nodes args = b->node->u.call.args;
	bool pod = false;
	b->node->u.call.bound = args.at;
	b->node->u.call.nbound = args.n;
	if (args.n != 2 || args.at[0]->kind != NODE_ARG || args.at[1]->kind != NODE_ARG || args.at[0]->u.arg.name.p)
		return report_call(b, b->node->u.call.args_span,
			"needs a list and a field, or a text and a part of it");
	if (args.at[1]->u.arg.name.p)
		return find_record(b, args.at[0]->u.arg.value, args.at[1]);
	struct parameter text = { .name = "text", .type = S }, part = { .name = "part", .type = S };
	bool ok = check_parameter(b, &text, args.at[0]->u.arg.value, true, &pod);
	ok = check_parameter(b, &part, args.at[1]->u.arg.value, true, &pod) && ok;
	return ok ? type_lifted(c, type_optional(c->arena, &type_int), pod) : &type_bad;
}

static const struct type *call_abs(struct builtin_call *b)
{
	if (!all_positional(b, 1, 1))
		return &type_bad;
	const struct type *t = check_free(b->check, b->args[0]), *core = type_strip_pod(t);
	if (core->kind != TYPE_INT && core->kind != TYPE_FLOAT)
		return report_argument(b, b->args[0], "an int or a float");
	return type_lifted(b->check, element_base(core), t->kind == TYPE_POD);
}

static const struct type *call_str(struct builtin_call *b)
{
	bool pod = false;
	if (!all_positional(b, 1, 1))
		return &type_bad;
	check_part(b->check, b->args[0], &pod);
	return b->args[0]->type->kind == TYPE_BAD ? &type_bad : type_lifted(b->check, &type_string, pod);
}

/* The type of keys(), values() and has(). */
static const struct type *call_map(struct builtin_call *b)
{
	struct check *c = b->check;
	bool pod = false;
	if (!all_positional(b, b->which == FUNCTION_HAS ? 2 : 1, b->which == FUNCTION_HAS ? 2 : 1))
		return &type_bad;
	const struct type *t = check_free(c, b->args[0]), *core = type_strip_pod(t), *elem = NULL;
	struct parameter key = { .name = "key", .type = S };
	if (b->which == FUNCTION_HAS && !check_parameter(b, &key, b->args[1], true, &pod))
		return &type_bad;
	if (core->kind == TYPE_MAP)
		elem = core->elem;
	else if (core->kind == TYPE_ANON)
		for (size_t i = 0; i < core->n; i++)
			elem = elem ? type_unify(c, elem, core->members[i].type) : core->members[i].type;
	else if (core->kind == TYPE_EMPTY || core->kind == TYPE_REPLICA_ENV || core->kind == TYPE_DATA)
		elem = core->kind == TYPE_REPLICA_ENV ? &type_string : &type_data;
	if (!elem)
		return report_argument(b, b->args[0], "a map");
	pod = pod || t->kind == TYPE_POD;
	if (b->which == FUNCTION_HAS)
		return type_lifted(c, &type_bool, pod);
	return type_lifted(c, type_list(c->arena, b->which == FUNCTION_KEYS ? &type_string : elem), pod);
}

/* The type of the record that a function makes for one field; T for other functions. */
static const struct type *made_record(struct check *c, enum function f, const struct type *t)
{
	switch (f) {
	case FUNCTION_TCP: case FUNCTION_HTTP: case FUNCTION_EXEC:
		return type_strip_optional(schema_type(&c->types, FIELD_READY));
	case FUNCTION_NEAR: case FUNCTION_PREFER: return schema_place_type(&c->types);
	case FUNCTION_CONFIG_ENV: case FUNCTION_SECRET_ENV: return schema_source_type(&c->types);
	default: return t;
	}
}

const struct type *type_builtin_call(struct check *c, struct node *n, struct decl *f, const struct type *want)
{
	struct builtin_call b = { .check = c, .node = n, .which = (enum function)f->function, .want = want };
	const struct type *t;
	switch (b.which) {
	case FUNCTION_LEN: t = call_len(&b); break;
	case FUNCTION_RANGE: t = call_range(&b); break;
	case FUNCTION_SUM: case FUNCTION_PRODUCT: t = call_sum(&b); break;
	case FUNCTION_MIN: case FUNCTION_MAX: t = call_min(&b); break;
	case FUNCTION_SORTED: case FUNCTION_UNIQUE: t = call_sorted(&b); break;
	case FUNCTION_FLATTEN: t = call_flatten(&b); break;
	case FUNCTION_FIND: t = call_find(&b); break;
	case FUNCTION_ABS: t = call_abs(&b); break;
	case FUNCTION_STR: t = call_str(&b); break;
	case FUNCTION_KEYS: case FUNCTION_VALUES: case FUNCTION_HAS: t = call_map(&b); break;
	case FUNCTION_PACK: t = report_call(&b, n->span,
		"is a word and not a function: write it without parentheses"); break;
	default: t = call_by_table(&b, &signatures[b.which]); break;
	}
	if (t->kind == TYPE_DATA)
		t = made_record(c, b.which, t);
	for (size_t i = 0; i < n->u.call.args.n; i++) {        /* checks arguments that were skipped after an error */
		struct node *arg = n->u.call.args.at[i];
		if (arg->kind != NODE_ARG)
			continue;
		if (!arg->u.arg.value->type)
			type_loose(c, arg->u.arg.value);
		arg->type = arg->u.arg.value->type;
	}
	return t;
}
