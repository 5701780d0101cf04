/*
 * complain_item.c - messages about items as other languages write them: `==`, `:`, indentation, other keywords.
 */
#include "syntax/help/complain.h"

#include "syntax/help/foreign.h"
#include "trainc.tab.h"

static bool is_literal_token(int kind)
{
	switch (kind) {
	case TOKEN_INT: case TOKEN_FLOAT: case TOKEN_QUANTITY: case TOKEN_TOPOLOGY: case TOKEN_STRING:
	case TOKEN_STR_OPEN:
	case TOKEN_TRUE: case TOKEN_FALSE: case TOKEN_NONE: case TOKEN_LBRACKET: case TOKEN_LBRACE: case TOKEN_LPAREN:
	case TOKEN_MINUS: case TOKEN_BAD:
		return true;
	default:
		return false;
	}
}

static bool is_key(int kind)
{
	return kind == TOKEN_IDENT || kind == TOKEN_STRING || token_is_word(kind);
}

/* The token of the name that is being set: `x` in `let x: int = ` or `x = `. */
static size_t subject(const struct fault *f)
{
	int kind = f->at[f->item].kind;
	return kind == TOKEN_LET || kind == TOKEN_PARAM || kind == TOKEN_TYPE ? f->item + 1 : f->item;
}

/* Reports TJ0103, such as `replicas == 4`, and TJ0104: no value after `=`. */
bool complain_value(struct fault *f)
{
	struct diags *ds = f->p->diags;
	struct diag *d;

	if (f->found.kind == TOKEN_EQ && f->expected[TOKEN_ASSIGN]) {
		struct str value = fault_rest(f, f->i + 1);
		d = diag_report(ds, TJ0103, fault_span(f), "'==' compares; a field is set with '='");
		if (value.n && f->i == f->item + 1)
			diag_help(ds, d, "write '%.*s = %.*s'", STR_ARG(fault_text(f, f->item)), STR_ARG(value));
		else
			diag_help(ds, d, "write '='");
		diag_fix(ds, d, fault_span(f), STR("="), "write '='");
		return true;
	}
	bool ends = f->line_end || f->found.kind == TOKEN_RBRACE || f->found.kind == TOKEN_COMMA ||
		f->found.kind == TOKEN_RPAREN;
	if (f->previous != TOKEN_ASSIGN || !ends || !f->expected[TOKEN_INT])
		return false;
	uint32_t at = f->at[f->i - 1].end;
	size_t name = f->i >= 2 && f->found.kind == TOKEN_RPAREN ? f->i - 2 : subject(f);
	d = diag_report(ds, TJ0104, (struct span){ at, at }, "'%.*s' has no value", STR_ARG(fault_text(f, name)));
	diag_help(ds, d, "a value starts on the line of its '='");
	if ((f->found.kind == TOKEN_RBRACE || f->found.kind == TOKEN_COMMA) && is_literal_token(f->at[f->i + 1].kind) &&
		f->at[f->i + 1].kind != TOKEN_LBRACE)
		f->p->foretold = f->i + 1;      /* the parser fails again at the missing value */
	if (f->line_end)
		fault_skip_block(f);
	return true;
}

/* Reports `role { worker`; true if it did. */
static bool complain_name_inside(struct fault *f)
{
	struct diags *ds = f->p->diags;
	const struct token *name = &f->at[f->item];

	if (!f->p->feed.depth || f->item < 2 || name->kind != TOKEN_IDENT || name->flags & FLAG_LINE ||
		name[-1].kind != TOKEN_LBRACE ||
	    f->i > f->item + 2 || name[1].kind == TOKEN_DOT ||
		name[1].kind == TOKEN_ASSIGN || name[1].kind == TOKEN_COLON ||
		name[1].kind == TOKEN_LBRACE ||
	    !is_block(fault_text(f, f->item - 2)))
		return false;
	struct span at = { name[-1].start, name->end };
	struct str right = str_printf(f->p->arena, "%.*s {", STR_ARG(fault_text(f, f->item)));
	struct diag *d = diag_report(ds, TJ0102, at, "'{' and '%.*s' are in the wrong order",
		STR_ARG(fault_text(f, f->item)));
	diag_help(ds, d, "write '%.*s %.*s'", STR_ARG(fault_text(f, f->item - 2)), STR_ARG(right));
	diag_fix(ds, d, at, right, "exchange the two");
	return true;
}

/* Reports `accelerator { MODULE.DEVICE = 8 }`; true if it did. */
static bool complain_device_inside(struct fault *f)
{
	struct diags *ds = f->p->diags;
	const struct token *name = &f->at[f->item];

	if (f->p->feed.depth < 2 || f->item < 2 || name[-1].kind != TOKEN_LBRACE ||
		name[-2].kind != TOKEN_ACCELERATOR || name[0].kind != TOKEN_IDENT ||
		name[1].kind != TOKEN_DOT || name[2].kind != TOKEN_IDENT)
		return false;
	bool number = (name[3].kind == TOKEN_ASSIGN || name[3].kind == TOKEN_COLON) && name[4].kind == TOKEN_INT;
	bool whole = name[number ? 5 : 3].kind == TOKEN_RBRACE;
	struct str device = tokens_text(&f->p->tokens, name->start, name[2].end);
	struct str right = str_printf(f->p->arena, "= %.*s(%.*s)", STR_ARG(device),
		STR_ARG(number ? fault_text(f, f->item + 4) : STR("1")));
	struct diag *d = diag_report(ds, TJ0102, (struct span){ name[-1].start, name[2].end },
		"'accelerator' is set with '=', and the number of devices is in parentheses");
	diag_help(ds, d, "write 'accelerator %.*s'", STR_ARG(right));
	if (whole)
		diag_fix(ds, d, (struct span){ name[-1].start, name[number ? 5 : 3].end }, right,
			"write 'accelerator %.*s'", STR_ARG(right));
	return true;
}

/*
 * Reports a word and a brace in the wrong order: `role` before the brace that ends the body above it, with the name of
 * the role after that brace, or `env NAME { = `. Only one of the two mistakes is reported, because the other follows
 * from it.
 */
bool complain_exchange(struct fault *f)
{
	struct diags *ds = f->p->diags;
	size_t x = f->line_end && f->i > f->item ? f->i - 1 : f->i;
	const struct token *word = &f->at[x], *brace = word + 1, *next = word + 2;
	bool named = word->kind == TOKEN_IDENT || token_is_word(word->kind);

	if (complain_device_inside(f) || complain_name_inside(f))
		return true;
	if (f->p->feed.depth && named && brace->kind == TOKEN_RBRACE && brace->flags & FLAG_LINE &&
		!(next->flags & FLAG_LINE) &&
	    (next->kind == TOKEN_IDENT || next->kind == TOKEN_LBRACE || next->kind == TOKEN_STRING)) {
		struct diag *d = diag_report(ds, TJ0102, (struct span){ word->start, word->end },
			"'%.*s' and '}' are in the wrong order",
			STR_ARG(fault_text(f, x)));
		diag_help(ds, d, "write '}', and on the next line '%.*s %.*s'", STR_ARG(fault_text(f, x)),
			STR_ARG(fault_text(f, x + 2)));
		f->p->foretold = x + 2;
		return true;
	}
	const struct token *equals = &f->at[f->i];
	if (f->line_end || f->i < 3 || equals->kind != TOKEN_ASSIGN || f->previous != TOKEN_LBRACE ||
		equals[-2].kind != TOKEN_IDENT ||
	    equals[-3].kind != TOKEN_IDENT || equals[-2].flags & FLAG_LINE)
		return false;
	struct diag *d = diag_report(ds, TJ0102, (struct span){ equals[-2].start, equals[-1].end },
		"'%.*s' and '{' are in the wrong order",
		STR_ARG(fault_text(f, f->i - 2)));
	struct str right = str_printf(f->p->arena, "{ %.*s", STR_ARG(fault_text(f, f->i - 2)));
	diag_help(ds, d, "write '%.*s %.*s = ...'", STR_ARG(fault_text(f, f->i - 3)), STR_ARG(right));
	diag_fix(ds, d, (struct span){ equals[-2].start, equals[-1].end }, right, "exchange the two");
	return true;
}

static bool in_type_body(const struct fault *f)
{
	const struct feed *feed = &f->p->feed;
	return feed->depth && f->at[feed->open[0].item].kind == TOKEN_TYPE;
}

/*
 * Is the error in the body of a job or a role, sidecar or init block, whose keys are fields of this language? In other
 * bodies they may be those of Kubernetes.
 */
static bool in_block(const struct fault *f)
{
	const struct feed *feed = &f->p->feed;
	size_t item = feed->depth ? feed->open[feed->depth - 1].item : 0;
	struct str word = fault_text(f, item);

	if (!feed->depth || f->at[item].kind == TOKEN_JOB)
		return feed->depth != 0;
	return str_is(word, "role") || str_is(word, "aux") || str_is(word, "sidecar") || str_is(word, "init");
}

/* Adds help for a key that has another name in this language. This matters more than other errors on the line. */
static bool help_foreign(struct fault *f, struct diag *d, struct str key)
{
	size_t first = f->item + 1 + (f->at[f->item + 1].kind == TOKEN_COLON);
	struct str inner = fault_text(f, first + (f->at[first].kind == TOKEN_LBRACE));
	const struct foreign *other = !in_block(f) ? NULL : is_field(key) ? foreign_block(key, inner) :
		foreign_field(key);

	if (other)
		diag_help(f->p->diags, d, "%s", other->help);
	return other != NULL;
}

/* The lines `- name: A` and `value: "b"` as the entries of a map; empty when the list contains anything else. */
static struct str yaml_entries(struct fault *f, size_t i)
{
	struct arena *a = f->p->arena;
	struct str all = STR("");

	for (size_t n = 0; f->at[i].kind == TOKEN_MINUS && n < 4; n++, i += 7) {
		const struct token *t = &f->at[i];
		if (!str_is(fault_text(f, i + 1), "name") || t[2].kind != TOKEN_COLON ||
			(t[3].kind != TOKEN_IDENT && t[3].kind != TOKEN_STRING) ||
		    !str_is(fault_text(f, i + 4), "value") || t[5].kind != TOKEN_COLON || !is_literal_token(t[6].kind))
			return STR("");
		struct str name = fault_text(f, i + 3), value = fault_text(f, i + 6);
		if (t[3].kind == TOKEN_STRING)
			name = (struct str){ name.p + 1, name.n - 2 };
		all = str_printf(a, "%.*s%s%.*s = %.*s", STR_ARG(all), all.n ? ", " : "", STR_ARG(name),
			STR_ARG(value));
	}
	return all;
}

/* Reports `env:` followed by lines that are indented deeper. */
static void report_block_colon(struct fault *f, size_t colon)
{
	struct diags *ds = f->p->diags;
	struct span at = { f->at[colon].start, f->at[colon].end };
	struct str key = fault_text(f, f->item);
	const struct foreign *map = str_is(key, "mounts") ? foreign_field(STR("mount")) :
		str_is(key, "ports") ? foreign_field(STR("port")) : NULL;
	bool list = f->at[colon + 1].kind == TOKEN_MINUS && !str_is(key, "env") && !map;
	struct str elements = list ? fault_dashes(f, colon + 1) : STR("");
	struct diag *d = list ? diag_report(ds, TJ0112, at, "expected '=' and '[' to begin the list of '%.*s'",
		STR_ARG(key)) :
		diag_report(ds, TJ0112, at, "expected '{' to open the body of '%.*s'", STR_ARG(key));

	struct str entries = str_is(key, "env") ? yaml_entries(f, colon + 1) : STR("");

	if (map)
		diag_help(ds, d, "%s", map->help);
	else if (help_foreign(f, d, key))
		;
	else if (str_is(key, "env") && f->at[colon + 1].kind == TOKEN_MINUS)
		diag_help(ds, d, "write 'env { %.*s }'", STR_ARG(entries.n ? entries : STR("NAME = \"value\"")));
	else if (list)
		diag_help(ds, d, "a list is written in brackets: '%.*s = [%.*s]'", STR_ARG(key),
			STR_ARG(elements.n ? elements : STR("a, b")));
	else
		diag_help(ds, d, "bodies are written in braces: '%.*s { ... }'", STR_ARG(key));
	fault_skip_block(f);
}

/* Reports `key:` followed by a value as in YAML. */
bool complain_colon(struct fault *f)
{
	struct diags *ds = f->p->diags;
	size_t colon = f->item + 1;

	if (!f->p->feed.depth || !is_key(f->at[f->item].kind) || f->i <= colon || f->at[colon].kind != TOKEN_COLON)
		return false;
	struct str key = fault_text(f, f->item);
	const struct token *next = &f->at[colon + 1];
	if (next->flags & FLAG_LINE || next->kind == TOKEN_END) {
		unsigned inner = tokens_indent(&f->p->tokens, next->start),
			outer = tokens_indent(&f->p->tokens, f->at[f->item].start);
		/* in YAML, the items of a list may start in the column of its key */
		if (inner > outer || (inner == outer && next->kind == TOKEN_MINUS)) {
			report_block_colon(f, colon);
			return true;
		}
		uint32_t at = f->at[colon].end;
		struct diag *d = diag_report(ds, TJ0104, (struct span){ at, at }, "'%.*s' has no value", STR_ARG(key));
		if (!help_foreign(f, d, key))
			diag_help(ds, d, "write '%.*s = ...'", STR_ARG(key));
		f->p->resume = colon + 1;
		return true;
	}
	if (f->i != colon + 1 || !is_literal_token(f->found.kind))
		return false;
	struct str value = fault_rest(f, f->i);
	struct str shown = value.n ? value : fault_text(f, f->i);
	struct diag *d = diag_report(ds, TJ0111, fault_span(f),
		"'%.*s: %.*s' declares a type, and '%.*s' is not a type", STR_ARG(key),
	                             STR_ARG(shown), STR_ARG(shown));
	diag_label(ds, d, "not a type");
	if (in_type_body(f)) {
		diag_help(ds, d, "write the type of '%.*s'; a default follows it: '%.*s: int = 4'", STR_ARG(key),
			STR_ARG(key));
		return true;
	}
	if (!help_foreign(f, d, key))
		diag_help(ds, d, "write '%.*s = %.*s'", STR_ARG(key), STR_ARG(value.n ? value : STR("...")));
	diag_fix(ds, d, (struct span){ f->at[f->item].end, f->found.start }, STR(" = "), "write '='");
	return true;
}

static const char *other_name(int kind)
{
	switch (kind) {
	case TOKEN_TYPE: return "kind";
	case TOKEN_IMPORT: return "source";
	case TOKEN_JOB: return "run";
	case TOKEN_TEST: return "trial";
	case TOKEN_PROFILE: return "preset";
	case TOKEN_POLICY: return "rule";
	case TOKEN_PROJECT: return "team";
	case TOKEN_PARAM: return "parameter";
	case TOKEN_FRAMEWORK: return "library";
	case TOKEN_ACCELERATOR: return "device";
	case TOKEN_FN: return "function";
	case TOKEN_IN: return "input";
	case TOKEN_CHECK: return "rule";
	case TOKEN_WARN: return "warning";
	case TOKEN_NOT: return "negated";
	default: return NULL;
	}
}

static bool never_begins_value(int kind)
{
	return kind == TOKEN_THEN || kind == TOKEN_ELSE || kind == TOKEN_IN || kind == TOKEN_AND || kind == TOKEN_OR ||
	       kind == TOKEN_FOR;
}

/* Does a token of this kind begin an item? Such a word needs quotes when it is a key. */
static bool begins_item(int kind)
{
	return kind == TOKEN_LET || kind == TOKEN_CHECK || kind == TOKEN_WARN || kind == TOKEN_IF || kind == TOKEN_FOR;
}

/* Is the word a member of `cluster`? */
static bool is_of_cluster(struct str word)
{
	static const char *const members[] = {
		"name", "namespace", "domain", "roles", "all_roles", "run_id", "containers", "objects", "timeout",
		"ttl", "queue", "priority", "labels", "annotations"
	};

	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (str_is(word, members[i]))
			return true;
	return false;
}

/* Reports `job.name`; true if it did. */
static bool report_job_member(struct fault *f, size_t i)
{
	struct diags *ds = f->p->diags;
	struct span at = { f->at[i].start, f->at[i].end };
	int member_kind = f->at[i + 2].kind;

	if (f->at[i].kind != TOKEN_JOB || f->at[i + 1].kind != TOKEN_DOT ||
	    (member_kind != TOKEN_IDENT && !token_is_word(member_kind)))
		return false;
	bool policy = f->p->feed.depth && f->at[f->p->feed.open[0].item].kind == TOKEN_POLICY;
	struct diag *d = diag_report(ds, TJ0113, at, "'job' is a reserved word");
	struct str member = fault_text(f, i + 2);
	if (is_of_cluster(member)) {
		diag_help(ds, d, "the job that is being built is 'cluster': write 'cluster.%.*s'", STR_ARG(member));
		diag_fix(ds, d, at, STR("cluster"), "write 'cluster'");
	} else if (policy && field_is_of_role(member)) {
		diag_help(ds, d, "'%.*s' belongs to a role: 'for role in cluster.roles { check role.%.*s ... }'",
			STR_ARG(member), STR_ARG(member));
	} else {
		diag_help(ds, d, "the job that is being built is 'cluster', and it has name, namespace, domain, roles, "
			"all_roles, run_id");
	}
	return true;
}

static void report_word(struct fault *f, size_t i, bool key)
{
	struct diags *ds = f->p->diags;
	struct span at = { f->at[i].start, f->at[i].end };
	struct str text = fault_text(f, i);
	int kind = f->at[i].kind;
	const char *other = other_name(kind);

	if (!key && report_job_member(f, i))
		return;
	if (!key && f->p->words[kind])
		return;
	if (!key)
		f->p->words[kind] = true;
	struct diag *d = diag_report(ds, TJ0113, at, "'%.*s' is a reserved word", STR_ARG(text));

	if (key) {
		diag_help(ds, d, "quote it to use it as a key: '\"%.*s\"'", STR_ARG(text));
		diag_fix(ds, d, at, str_printf(f->p->arena, "\"%.*s\"", STR_ARG(text)), "put it in quotes");
	} else if (other) {
		diag_help(ds, d, "rename it, for example '%s'", other);
	} else {
		diag_help(ds, d, "rename it, for example 'my_%.*s'", STR_ARG(text));
	}
}

/* Reports TJ0113: a reserved word instead of a name. */
bool complain_word(struct fault *f)
{
	int kind = f->line_end ? TOKEN_EOL : f->found.kind;
	bool in_item = f->p->feed.depth && f->i == f->item + 1;

	if (in_item && (begins_item(f->previous) || never_begins_value(f->previous)) &&
	    (kind == TOKEN_ASSIGN || (kind == TOKEN_COLON && f->previous != TOKEN_LET))) {
		report_word(f, f->item, true);
		return true;
	}
	if (!token_is_word(kind) || !f->expected[TOKEN_IDENT])
		return false;
	if (f->expected[TOKEN_SPREAD]) {                /* an item may begin here */
		int next = f->at[f->i + 1].kind;
		if (next != TOKEN_ASSIGN && next != TOKEN_LBRACE && next != TOKEN_COLON)
			return false;
		report_word(f, f->i, true);
		return true;
	}
	if (f->expected[TOKEN_INT] && never_begins_value(kind))
		return false;
	report_word(f, f->i, false);
	return true;
}

/* Reports a field without a colon in a type: `claim string`. */
static bool complain_field(struct fault *f)
{
	struct diags *ds = f->p->diags;
	const struct token *name = &f->at[f->item], *type = name + 1;

	if (!in_type_body(f) || name->kind != TOKEN_IDENT || type->kind != TOKEN_IDENT || type->flags & FLAG_LINE)
		return false;
	struct str key = fault_text(f, f->item), text = fault_text(f, f->item + 1);
	struct diag *d = diag_report(ds, TJ0102, (struct span){ type->start, type->end },
		"expected ':' after '%.*s', found '%.*s'",
	                             STR_ARG(key), STR_ARG(text));
	diag_help(ds, d, "write '%.*s: %.*s'", STR_ARG(key), STR_ARG(text));
	diag_fix(ds, d, (struct span){ name->end, type->start }, STR(": "), "insert ':'");
	return true;
}

/* The head of a block in messages: 'role worker', 'job "x"', 'if'. */
static struct str header(const struct fault *f)
{
	size_t i = f->item;
	int kind = f->at[i].kind;

	if (f->previous == TOKEN_ELSE)
		return STR("else");
	if (kind == TOKEN_FRAMEWORK && f->i > i + 2)    /* as in `framework f(): module.base` */
		return tokens_text(&f->p->tokens, f->at[i].start, f->at[f->i - 1].end);
	if (kind == TOKEN_IF || kind == TOKEN_FOR || kind == TOKEN_PROJECT || i + 1 >= f->i ||
		f->at[i + 1].kind == TOKEN_STR_OPEN)
		return fault_text(f, i);
	return tokens_shown(&f->p->tokens, f->at[i].start, f->at[i + 1].end);
}

/* Reports `env` without a body, when the lines after it were meant as that body. */
static bool complain_lone_key(struct fault *f)
{
	struct diags *ds = f->p->diags;
	const struct tokens *ts = &f->p->tokens;
	uint32_t end = f->i ? f->at[f->i - 1].end : 0;

	if (!f->line_end || !f->p->feed.depth || f->i != f->item + 1 || !f->expected[TOKEN_LBRACE] ||
		!is_key(f->previous) ||
	    f->at[f->i].kind == TOKEN_RBRACE || tokens_indent(ts, f->at[f->i].start) <= tokens_indent(ts,
		f->at[f->item].start))
		return false;
	struct diag *d = diag_report(ds, TJ0112, fault_span(f), "expected '{' to open the body of '%.*s'",
		STR_ARG(fault_text(f, f->item)));
	if (f->at[f->i].kind == TOKEN_LBRACE) {
		diag_help(ds, d, "'{' belongs on the line of what it opens");
		return true;
	}
	diag_help(ds, d, "bodies are written in braces: '%.*s { ... }'", STR_ARG(fault_text(f, f->item)));
	diag_fix(ds, d, (struct span){ end, end }, STR(" {"), "insert '{'");
	fault_skip_block(f);
	return true;
}

/*
 * The number of replicas in heads such as `role ps[2] {`, `role ps(2) {`, `role ps x 2 {`, and that of copies in
 * `cell a[2] {` and `cell a(2): f {`; empty for other heads.
 */
static struct str count_of_head(const struct fault *f)
{
	const struct token *t = &f->at[f->i];
	bool brackets = t->kind == TOKEN_LBRACKET || t->kind == TOKEN_LPAREN;
	bool cell = str_is(fault_text(f, f->item), "cell");
	unsigned after = t[1].kind == TOKEN_INT ? t[brackets ? 3 : 2].kind : TOKEN_END;
	bool closed = after == TOKEN_LBRACE || (cell && after == TOKEN_COLON);

	if (f->line_end || f->i != f->item + 2 || !(cell || str_is(fault_text(f, f->item), "role")) || !closed)
		return STR("");
	bool times = brackets || t->kind == TOKEN_STAR || str_is(fault_text(f, f->i), "x");
	return times ? fault_text(f, f->i + 1) : STR("");
}

/* Adds help if the head of the role or cell NAME has the number of its replicas or copies. */
static bool help_count(struct fault *f, struct diag *d, struct str name)
{
	struct str count = count_of_head(f);

	if (!count.n)
		return false;
	bool cell = str_is(fault_text(f, f->item), "cell");
	const struct token *t = &f->at[f->i];
	while (t->kind != TOKEN_LBRACE && t->kind != TOKEN_COLON)
		t++;
	const struct token *last = t;
	while (last->kind != TOKEN_END && last[1].kind != TOKEN_LBRACE)
		last++;
	struct str framework = t->kind == TOKEN_COLON && last->kind != TOKEN_END ?
		tokens_text(&f->p->tokens, t->start, last->end) : STR("");
	diag_help(f->p->diags, d, "the number is a field: write '%.*s%.*s { %s = %.*s }'", STR_ARG(name),
		STR_ARG(framework), cell ? "copies" : "replicas", STR_ARG(count));
	fault_skip_block(f);
	return true;
}

/* Is it a word that other languages write before the name that they set? */
static bool is_shell_word(struct str word)
{
	static const char *const words[] = { "export", "set", "setenv", "var", "const", "local", "declare" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(word, words[i]))
			return true;
	return false;
}

/* Adds help for `export NAME = value`. */
static bool help_shell_word(struct fault *f, struct diag *d)
{
	struct str word = fault_text(f, f->item);

	if (!is_shell_word(word))
		return false;
	diag_help(f->p->diags, d, "remove '%.*s': write '%.*s = ...'", STR_ARG(word),
		STR_ARG(fault_text(f, f->item + 1)));
	diag_fix(f->p->diags, d, (struct span){ f->at[f->item].start, f->at[f->item + 1].start }, STR(""),
		"remove '%.*s'", STR_ARG(word));
	return true;
}

/* Adds help for a block whose name has a '-', as in `role my-worker { }`. */
static bool help_dashed_name(struct fault *f, struct diag *d)
{
	const struct token *t = f->at;
	size_t end = f->i;
	struct arena *a = f->p->arena;
	struct str name;

	if (f->found.kind != TOKEN_MINUS || f->line_end || f->i != f->item + 2)
		return false;
	name = fault_text(f, f->item + 1);
	while (t[end].kind == TOKEN_MINUS && (t[end + 1].kind == TOKEN_IDENT || t[end + 1].kind == TOKEN_INT ||
		token_is_word(t[end + 1].kind))) {
		name = str_cat(a, name, STR("_"), fault_text(f, end + 1));
		end += 2;
	}
	bool block = end > f->i && t[end].kind == TOKEN_LBRACE;
	if (block) {
		diag_help(f->p->diags, d, "a name has '_' for '-': write '%.*s %.*s { ... }'; the cluster shows it "
			"with '-'", STR_ARG(fault_text(f, f->item)), STR_ARG(name));
		diag_fix(f->p->diags, d, (struct span){ t[f->item + 1].start, t[end - 1].end },
			name, "write '_' for '-'");
		fault_skip_block(f);
	}
	return block;
}

/*
 * Adds help for a framework that is written in parentheses, job "x"(module.framework) {, or followed by a colon, as in
 * job "x": module.framework: at the end of the line. False if the head is another one.
 */
static bool help_framework_head(struct fault *f, struct diag *d)
{
	const struct token *t = &f->at[f->i];
	size_t end = f->i + 1;
	bool job = str_is(fault_text(f, f->item), "job") && !f->line_end;

	if (job && t->kind == TOKEN_COLON && t[1].flags & FLAG_LINE) {
		struct str head = tokens_text(&f->p->tokens, f->at[f->item].start, t[-1].end);
		diag_help(f->p->diags, d, "write '%.*s {', and '}' at the end of the job", STR_ARG(head));
		return true;
	}
	if (!job || t->kind != TOKEN_LPAREN)
		return false;
	while (f->at[end].kind == TOKEN_IDENT || f->at[end].kind == TOKEN_DOT)
		end++;
	if (end == f->i + 1 || f->at[end].kind != TOKEN_RPAREN || f->at[end + 1].kind != TOKEN_LBRACE)
		return false;
	struct str head = tokens_text(&f->p->tokens, f->at[f->item].start, t[-1].end);
	struct str framework = tokens_text(&f->p->tokens, t[1].start, f->at[end - 1].end);
	diag_help(f->p->diags, d, "write '%.*s: %.*s {'", STR_ARG(head), STR_ARG(framework));
	diag_fix(f->p->diags, d, (struct span){ t[-1].end, f->at[end].end }, str_printf(f->p->arena, ": %.*s",
		STR_ARG(framework)), "write ': %.*s'", STR_ARG(framework));
	fault_skip_block(f);
	return true;
}

/* Reports `role w: {`, and `role w:` at the end of a line: what follows a colon is the framework of a cell. */
bool complain_head_colon(struct fault *f)
{
	struct diags *ds = f->p->diags;
	const struct token *t = &f->at[f->item];

	if (f->i < f->item + 3 || f->i > f->item + 4 || t[0].kind != TOKEN_IDENT || t[1].kind != TOKEN_IDENT ||
		t[2].kind != TOKEN_COLON || f->previous == TOKEN_ELSE)
		return false;
	bool brace = f->i == f->item + 3 && f->found.kind == TOKEN_LBRACE;
	if (!brace && !f->line_end && !(t[3].flags & FLAG_LINE))
		return false;
	struct str name = tokens_shown(&f->p->tokens, t[0].start, t[1].end);
	struct diag *d = diag_report(ds, TJ0112, (struct span){ t[2].start, t[2].end },
		"expected '{' to open the body of '%.*s'", STR_ARG(name));
	if (brace) {
		diag_help(ds, d, "remove the ':'");
		diag_fix(ds, d, (struct span){ t[1].end, t[2].end }, STR(""), "remove ':'");
	} else {
		diag_help(ds, d, "bodies are written in braces: '%.*s { ... }'", STR_ARG(name));
	}
	fault_skip_block(f);
	return true;
}

/* Reports TJ0112: a body is missing. */
bool complain_body(struct fault *f)
{
	struct diags *ds = f->p->diags;

	if (complain_lone_key(f))
		return true;
	bool type = f->expected[TOKEN_ACCELERATOR];     /* the body may be that of a record type */
	if (!f->expected[TOKEN_LBRACE] || type || f->expected[TOKEN_INT] || f->expected[TOKEN_ASSIGN])
		return false;
	if (f->at[f->item].kind == TOKEN_IMPORT)
		return false;                           /* an import rarely has a body */
	if (f->expected[TOKEN_COLON] && !f->expected[TOKEN_PLUS] && !f->line_end &&
		f->at[f->item].kind != TOKEN_PROFILE && f->at[f->item].kind != TOKEN_IDENT &&
	    (f->found.kind == TOKEN_IDENT || f->found.kind == TOKEN_ASSIGN))
		return false;                           /* as in job "x" framework {, or job "x" = framework { */
	if (complain_field(f))
		return true;
	struct str name = header(f);
	const struct token *next = &f->at[f->i];
	struct span at = fault_span(f);
	if (!f->line_end && next->flags & FLAG_LINE && f->i > f->item)
		at.start = at.end = next[-1].end;
	struct diag *d = diag_report(ds, TJ0112, at, "expected '{' to open the body of '%.*s'", STR_ARG(name));
	if (help_count(f, d, name) || help_framework_head(f, d) || help_dashed_name(f, d))
		return true;
	if (f->found.kind == TOKEN_COLON && !f->line_end && next[1].kind == TOKEN_LBRACE) {
		diag_help(ds, d, "remove the ':'");
		diag_fix(ds, d, (struct span){ next[-1].end, next->end }, STR(""), "remove ':'");
		fault_skip_block(f);
		return true;
	}
	if (!f->line_end && next->kind != TOKEN_END)
		next++;
	bool two_words = f->found.kind == TOKEN_ASSIGN && f->at[f->item].kind == TOKEN_IDENT && f->i == f->item + 2;
	if (two_words && f->at[f->i + 1].kind == TOKEN_LBRACE) {
		diag_help(ds, d, "write '%.*s { ... }', without '='", STR_ARG(name));
		return true;
	}
	if (two_words && is_field(fault_text(f, f->item))) {
		diag_help(ds, d, "write '%.*s { %.*s = ... }'", STR_ARG(fault_text(f, f->item)),
			STR_ARG(fault_text(f, f->item + 1)));
		fault_skip_block(f);
		return true;
	}
	if (two_words && help_shell_word(f, d))
		return true;
	if (two_words) {
		diag_help(ds, d, "a field has one name: write '%.*s_%.*s = ...'", STR_ARG(fault_text(f, f->item)),
		          STR_ARG(fault_text(f, f->item + 1)));
		return true;
	}
	if (f->line_end && next->kind == TOKEN_LBRACE) {
		diag_help(ds, d, "'{' belongs on the line of what it opens");
	} else {
		diag_help(ds, d, "bodies are written in braces: '%.*s { ... }'", STR_ARG(name));
		if (at.start == at.end && next->kind != TOKEN_END)
			diag_fix(ds, d, at, STR(" {"), "insert '{'");
	}
	fault_skip_block(f);
	return true;
}
