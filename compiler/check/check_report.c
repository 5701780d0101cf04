/*
 * check_report.c - messages about values that do not have the expected type.
 */
#include "base/buf.h"
#include "check/context.h"
#include "diag/suggest.h"

enum { WORDS = 40 };

struct str node_words(struct check *c, const struct node *n)
{
	struct str s = source_text(c->program->sources, n->span);
	const char *line = s.n ? memchr(s.p, '\n', s.n) : NULL;
	size_t keep = line ? (size_t)(line - s.p) : s.n;
	if (keep > WORDS) {
		keep = WORDS;
		while (keep && (s.p[keep] & 0xc0) == 0x80)
			keep--;
	}
	return keep == s.n ? s : str_printf(c->arena, "%.*s...", (int)keep, s.p);
}

struct str found_words(struct check *c, const struct node *n)
{
	struct str text, words = node_words(c, n);
	switch (n->kind) {
	case NODE_STRING:
		if (node_static_text(n, &text) && text.n <= WORDS && !memchr(text.p, '\n', text.n))
			return str_printf(c->arena, "the string \"%.*s\"", STR_ARG(text));
		break;
	case NODE_INT: return str_printf(c->arena, "the int %.*s", STR_ARG(words));
	case NODE_FLOAT: return str_printf(c->arena, "the float %.*s", STR_ARG(words));
	case NODE_BOOL: case NODE_NONE: return words;
	case NODE_QUANTITY: return str_printf(c->arena, "the quantity %.*s", STR_ARG(words));
	case NODE_TOPOLOGY: return str_printf(c->arena, "the topology %.*s", STR_ARG(words));
	case NODE_RANGE: return str_printf(c->arena, "the range %.*s", STR_ARG(words));
	case NODE_ELASTIC: return str_printf(c->arena, "the elastic range %.*s", STR_ARG(words));
	default: break;
	}
	if (n->type && n->type->kind == TYPE_UNIT)
		return STR("a quantity");
	return type_phrase(c->arena, n->type ? n->type : &type_bad);
}

const struct site no_site = { 0 };

struct str site_words(struct check *c, const struct site *site)
{
	if (site->result_of.n)
		return str_printf(c->arena, "the result of '%.*s'", STR_ARG(site->result_of));
	if (!site->name.n)
		return site->what;
	return str_printf(c->arena, "'%.*s'", STR_ARG(site->name));
}

static void note_declared(struct check *c, struct diag *d, const struct site *site)
{
	if (span_known(site->declared))
		diag_note(c->diags, d, site->declared, "declared here");
}

static struct str wanted(struct check *c, const struct type *want)
{
	want = type_strip_pod(type_strip_optional(want));
	if (want->kind == TYPE_ELASTIC)
		return STR("an int or a range such as 1:8");
	return type_phrase(c->arena, want);
}

/* Adds help for a list where a range is expected, if the range is obvious: [3, 5], range(3, 6). */
static void help_range(struct check *c, struct diag *d, const struct node *n)
{
	const struct node *first = NULL, *last = NULL;
	struct constant lo, hi;
	bool call = n->kind == NODE_CALL && n->u.call.args.n == 2 && n->u.call.args.at[0]->kind == NODE_ARG &&
		n->u.call.args.at[1]->kind == NODE_ARG;

	if (n->kind == NODE_LIST && n->u.list.n) {
		first = n->u.list.at[0];
		last = n->u.list.at[n->u.list.n - 1];
	} else if (call) {
		first = n->u.call.args.at[0]->u.arg.value;
		last = n->u.call.args.at[1]->u.arg.value;
	}
	bool known = first && fold_constant(c, first, &lo) && fold_constant(c, last, &hi) && lo.kind == TYPE_INT &&
		hi.kind == TYPE_INT && hi.integer - call >= lo.integer;
	if (!known) {
		diag_help(c->diags, d, "write a range with both ends included, such as 1..9");
		return;
	}
	long long from = lo.integer, to = hi.integer - call;
	if (n->kind == NODE_LIST && to - from + 1 != (long long)n->u.list.n)
		diag_help(c->diags, d,
			"write a range with both ends included: '%lld..%lld', which has the numbers between them too",
			from, to);
	else
		diag_help(c->diags, d, "write a range with both ends included: '%lld..%lld'", from, to);
}

/* Reports 0..8 where a list is expected, or range(0, 8) where a range is expected (TJ0319). */
static void report_range(struct check *c, struct node *n, bool list_wanted)
{
	struct str words = node_words(c, n);
	struct diag *d;
	if (!list_wanted) {
		d = diag_report(c->diags, TJ0319, n->span, "%.*s is a list, not a range for limits", STR_ARG(words));
		help_range(c, d, n);
		return;
	}
	d = diag_report(c->diags, TJ0319, n->span, "%.*s is a range for limits, not a list", STR_ARG(words));
	struct constant lo, hi;
	if (n->kind == NODE_RANGE && fold_constant(c, n->u.op.left, &lo) && fold_constant(c, n->u.op.right, &hi) &&
		lo.kind == TYPE_INT &&
	    hi.kind == TYPE_INT && lo.integer < hi.integer && hi.integer < INT64_MAX)
		diag_help(c->diags, d, "write 'range(%lld, %lld)' for %lld, %lld, ..., %lld", (long long)lo.integer,
			(long long)hi.integer + 1, (long long)lo.integer, (long long)lo.integer + 1,
			(long long)hi.integer);
	else
		diag_help(c->diags, d, "write 'range(a, b)' for a, ..., b - 1");
}

/* Adds help for a volume instead of a variable's value. */
static void help_volume(struct check *c, struct diag *d, const struct node *n)
{
	struct str words = node_words(c, n);
	bool secret = str_starts(words, STR("secret_files("));
	if (str_ends(words, STR("...")))
		words = STR("...");
	diag_help(c->diags, d, "files are mounted: 'mounts { \"/data\" = %.*s }'", STR_ARG(words));
	if (secret)
		diag_help(c->diags, d, "a variable holds one key: secret(\"name\", \"key\")");
}

static void report_env(struct check *c, struct node *n)
{
	struct str what = type_phrase(c->arena, n->type), words = node_words(c, n);
	if (str_ends(words, STR("...")))
		words = STR("xs");
	struct diag *d = diag_report(c->diags, TJ0704, n->span, "an environment value is text, found %.*s",
		STR_ARG(what));
	struct str joined = words_joined(c, words, n->type);
	switch (n->type->kind) {
	case TYPE_LIST:
		if (joined.n)
			diag_help(c->diags, d, "write '%.*s' or 'json(%.*s)'", STR_ARG(joined), STR_ARG(words));
		else
			diag_help(c->diags, d, "write 'json(%.*s)'", STR_ARG(words));
		break;
	case TYPE_MAP: case TYPE_RECORD: case TYPE_ANON: case TYPE_EMPTY:
		if (!advise_source(c, d, n, NULL) && !advise_env(c, d, n))
			diag_help(c->diags, d, "write 'json(...)'");
		break;
	case TYPE_VOLUME: help_volume(c, d, n); break;
	case TYPE_LAYOUT:
		diag_help(c->diags, d, "write '%.*s.tp' or another of its numbers", STR_ARG(words));
		break;
	case TYPE_ROLE: diag_help(c->diags, d, "write '%.*s.name' or '%.*s.host(0)'", STR_ARG(words),
		STR_ARG(words)); break;
	default: break;
	}
}

static void report_elastic(struct check *c, struct node *n)
{
	struct str words = node_words(c, n);
	struct diag *d = diag_report(c->diags, TJ0506, n->span, "'%.*s' is an elastic range; which number is meant?",
		STR_ARG(words));
	diag_help(c->diags, d, "write '%.*s.min' or '%.*s.max'", STR_ARG(words), STR_ARG(words));
}

/* Adds help for an amount in quotes whose unit the language does not have: "512GB", "64 Gi", "2 hours". */
static bool help_unit_in_text(struct check *c, struct diag *d, const struct node *n, const struct type *want,
	struct str text)
{
	struct quantity q;
	if (want->kind == TYPE_DURATION && (duration_compound(text, &q) || duration_iso(text, &q))) {
		struct str one = duration_text(c->arena, q);
		diag_help(c->diags, d, "write %.*s without quotes", STR_ARG(one));
		diag_fix(c->diags, d, n->span, one, "write %.*s", STR_ARG(one));
		return true;
	}
	size_t digits = strspn(text.p, "0123456789."), unit = digits + strspn(text.p + digits, " ");
	if (!type_is_quantity(want) || !digits || unit >= text.n)
		return false;
	struct str number = { text.p, digits }, word = { text.p + unit, text.n - unit };
	const char *meant = quantity_unit_of(number, word);
	struct str whole = str_cat(c->arena, number, meant ? str_of(meant) : word, STR(""));
	enum unit_kind kind = quantity_unit(whole);
	if (kind == UNIT_UNKNOWN || (kind == UNIT_DURATION) != (want->kind == TYPE_DURATION))
		return false;
	if (meant && quantity_decimal_bytes(str_of(quantity_unit_meant(word)))) {
		help_bytes(c, d, number, quantity_unit_meant(word), ", without quotes");
		return true;
	}
	diag_help(c->diags, d, "write %.*s without quotes", STR_ARG(whole));
	diag_fix(c->diags, d, n->span, whole, "write %.*s", STR_ARG(whole));
	return true;
}

/* Is it a fraction or a power of ten, as the language writes them: 0.5, 1e-3? */
static bool is_float(struct str text)
{
	const char *digits = "0123456789", *p = text.p + strspn(text.p, digits), *end = text.p + text.n;

	if (p == text.p)
		return false;
	if (*p == '.' && strspn(p + 1, digits))
		p += 1 + strspn(p + 1, digits);
	if (*p == 'e') {
		const char *power = p + 1 + (p[1] == '-');
		p = strspn(power, digits) ? power + strspn(power, digits) : p;
	}
	return p == end;
}

/* Adds help for a number, bool or amount in quotes, such as "4" or "64Gi", where the meaning is certain. */
static void help_text(struct check *c, struct diag *d, const struct node *n, const struct type *want)
{
	struct str text;
	struct quantity q;
	if (n->kind != NODE_STRING || !node_static_text(n, &text) || !text.n)
		return;
	bool number = want->kind == TYPE_INT || want->kind == TYPE_ELASTIC || want->kind == TYPE_FLOAT ||
		want->kind == TYPE_CPU;
	bool fits = (number && strspn(text.p, "0123456789") == text.n) ||
		    (want->kind == TYPE_FLOAT && is_float(text)) ||
		    (want->kind == TYPE_BOOL && (str_is(text, "true") || str_is(text, "false"))) ||
		    ((want->kind == TYPE_CPU || want->kind == TYPE_MEMORY) && quantity_parse(text, &q) == QUANTITY_OK &&
		     quantity_unit(text) == UNIT_AMOUNT) ||
		    (want->kind == TYPE_DURATION && duration_parse(text, &q) == QUANTITY_OK);
	if (!fits && help_unit_in_text(c, d, n, want, text))
		return;
	if (!fits)
		return;
	diag_help(c->diags, d, "write %.*s without quotes", STR_ARG(text));
	diag_fix(c->diags, d, n->span, text, "remove the quotes");
}

/* Appends a text as a literal of the language. */
static void put_literal(struct buf *out, const char *text, size_t n)
{
	buf_char(out, '"');
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '"' || text[i] == '\\')
			buf_char(out, '\\');
		if (text[i] == '$' && i + 1 < n && text[i + 1] == '{')
			buf_char(out, '$');
		buf_char(out, text[i]);
	}
	buf_char(out, '"');
}

/*
 * Reads a word as a shell does, without its quotes, from text.p[*i] on. False if only a shell can read the rest: it has
 * operators, variables, or a quote that does not end.
 */
static bool read_shell_word(struct str text, size_t *i, struct buf *word)
{
	char quote = 0;

	for (; *i < text.n && (quote || text.p[*i] != ' '); ++*i) {
		char ch = text.p[*i];
		if (ch == '\n' || (ch == '\\' && quote != '\'') || (!quote && strchr("|&;<>$`(*?~#", ch)) ||
			(quote == '"' && strchr("$`", ch)))
			return false;
		if (quote ? ch == quote : ch == '"' || ch == '\'')
			quote = quote ? 0 : ch;
		else
			buf_char(word, ch);
	}
	return !quote;
}

/*
 * The words of "python train.py" as a list; if only a shell can read them, the words that start one. Empty when it is
 * one word, or has several lines.
 */
static struct str split_words(struct check *c, const struct node *n)
{
	struct str text;
	struct buf list = { 0 }, word = { 0 };
	bool plain = true;

	if (n->kind != NODE_STRING || !node_static_text(n, &text) || !memchr(text.p, ' ', text.n) ||
		memchr(text.p, '\n', text.n) || text.n > 2 * WORDS)
		return STR("");
	for (size_t i = 0; i < text.n && plain; i++) {
		size_t from = i;
		word.n = 0;
		plain = read_shell_word(text, &i, &word);
		if (i > from && list.n)
			buf_z(&list, ", ");
		if (i > from)
			put_literal(&list, word.n ? buf_text(&word).p : "", word.n);
	}
	if (!plain) {
		list.n = 0;
		buf_z(&list, "\"sh\", \"-c\", ");
		put_literal(&list, text.p, text.n);
	}
	struct str ret = str_copy(c->arena, buf_text(&list));
	buf_release(&list);
	buf_release(&word);
	return ret;
}

/* Adds help for a number where text is needed: put it in quotes, or insert it with ${ }. */
static void help_quotes(struct check *c, struct diag *d, const struct node *n, const struct type *want,
	const struct site *site)
{
	bool literal = is_number_literal(n) || n->kind == NODE_BOOL,
		name = n->kind == NODE_NAME || n->kind == NODE_MEMBER;
	struct str words = node_words(c, n),
		text = str_printf(c->arena, literal ? "\"%.*s\"" : "\"${%.*s}\"", STR_ARG(words));
	bool field = schema_find(BLOCK_JOB, site->name) || schema_find(BLOCK_ROLE, site->name);
	/* where a name is expected, a number is rarely meant as the name; a count or a level was meant */
	if (want->kind == TYPE_NAME || (field && n->kind == NODE_INT)) {
		if (str_is(site->name, "priority"))
			diag_help(c->diags, d,
				"'priority' is the name of a PriorityClass of the cluster, such as \"high\"");
		else
			diag_help(c->diags, d, "if the name is %.*s, put it in quotes", STR_ARG(words));
		return;
	}
	if (n->kind == NODE_BOOL && str_is(site->name, "apart")) {
		diag_help(c->diags, d, "name a level of the topology: apart = \"host\"");
		return;
	}
	diag_help(c->diags, d, "write %.*s", STR_ARG(text));
	if (literal || name)
		diag_fix(c->diags, d, n->span, text, "write %.*s", STR_ARG(text));
}

static void help_list(struct check *c, struct diag *d, const struct node *n)
{
	struct str list = str_printf(c->arena, "[%.*s]", STR_ARG(split_words(c, n)));
	diag_help(c->diags, d, "write '%.*s'", STR_ARG(list));
	if (!str_starts(list, STR("[\"sh\", \"-c\"")))
		diag_fix(c->diags, d, n->span, list, "write a list of words");
}

static void help_conversion(struct check *c, struct diag *d, const struct node *n, const struct type *want,
	const struct site *site)
{
	const struct type *t = type_strip_pod(n->type);
	struct str words = node_words(c, n);
	size_t whole = words.n ? strspn(words.p, "0123456789") : 0;
	if (type_is_text(want) && want->kind != TYPE_ENUM &&
		(t->kind == TYPE_INT || t->kind == TYPE_FLOAT || t->kind == TYPE_BOOL))
		help_quotes(c, d, n, want, site);
	else if ((want->kind == TYPE_INT || want->kind == TYPE_ELASTIC) && n->kind == NODE_FLOAT && whole &&
		whole + 1 < words.n && words.p[whole] == '.' &&
		   strspn(words.p + whole + 1, "0") >= words.n - whole - 1) {
		diag_help(c->diags, d, "write %.*s", (int)whole, words.p);
		diag_fix(c->diags, d, n->span, (struct str){ words.p, whole }, "write %.*s", (int)whole, words.p);
	} else if ((want->kind == TYPE_INT || want->kind == TYPE_ELASTIC) && n->kind == NODE_FLOAT &&
		n->u.floating.value == (double)(long long)n->u.floating.value) {
		struct str whole_number = str_printf(c->arena, "%lld", (long long)n->u.floating.value);
		diag_help(c->diags, d, "write %.*s", STR_ARG(whole_number));
		diag_fix(c->diags, d, n->span, whole_number, "write %.*s", STR_ARG(whole_number));
	} else if (want->kind == TYPE_FLOAT && t->kind == TYPE_INT)
		diag_help(c->diags, d, "write 'float(%.*s)'", STR_ARG(words));
	else if (want->kind == TYPE_INT && t->kind == TYPE_FLOAT && !is_number_literal(n))
		diag_help(c->diags, d, "write 'round(%.*s)'", STR_ARG(words));
	else if (want->kind == TYPE_ENUM && type_is_text(t)) {
		struct str type = type_spell(c->arena, want);
		diag_help(c->diags, d, "give it the type %.*s where it is declared", STR_ARG(type));
	} else if (want->kind == TYPE_LIST && split_words(c, n).n)
		help_list(c, d, n);
	else if (want->kind == TYPE_CPU && t->kind == TYPE_INT)
		diag_help(c->diags, d, n->kind == NODE_BINARY || n->kind == NODE_IF || n->kind == NODE_COALESCE ?
			"declare it as a cpu, or write '1000m * (%.*s)'" :
			"declare it as a cpu, or write '1000m * %.*s'", STR_ARG(words));
	else if (want->kind == TYPE_LIST && type_fit(want->elem, t) == FIT_OK)
		diag_help(c->diags, d, "write '[%.*s]'", STR_ARG(words));
	else if (want->kind == TYPE_INT && t->kind == TYPE_ROLE)
		diag_help(c->diags, d, "a condition names one role; join two with 'and': 'done(ROLE) and done(%.*s)'",
			STR_ARG(words));
	else if (want->kind == TYPE_DURATION && t->kind == TYPE_INT)
		diag_help(c->diags, d, "write a unit: %.*ss, %.*smin or %.*sh", STR_ARG(words), STR_ARG(words),
			STR_ARG(words));
}

/* Notes which fields a record lacks, has in excess, or has with the wrong type. */
static void note_record(struct check *c, struct diag *d, const struct type *want, const struct type *t)
{
	if (want->kind != TYPE_RECORD || t->kind != TYPE_ANON)
		return;
	for (size_t i = 0; i < want->record->nfields; i++) {
		const struct record_field *f = &want->record->fields[i];
		size_t k = 0;
		while (k < t->n && !str_eq(t->members[k].name, f->name))
			k++;
		if (k == t->n && !f->value && f->type->kind != TYPE_OPTIONAL)
			diag_note(c->diags, d, f->span, "it has no '%.*s'", STR_ARG(f->name));
		if (k < t->n && type_fit(f->type, t->members[k].type) != FIT_OK) {
			struct str is = type_phrase(c->arena, t->members[k].type),
				needs = type_phrase(c->arena, f->type);
			diag_note(c->diags, d, f->span, "'%.*s' is %.*s, and not %.*s", STR_ARG(f->name), STR_ARG(is),
				STR_ARG(needs));
		}
	}
}

static void report_plain(struct check *c, struct node *n, const struct type *want, const struct site *site)
{

	const struct type *core = type_strip_pod(type_strip_optional(want)), *t = n->type;
	struct diag *d;
	struct str is = found_words(c, n), needs = wanted(c, want), what = site_words(c, site), text;
	if (core->kind == TYPE_ENUM && n->kind == NODE_STRING && node_static_text(n, &text)) {
		report_enum(c, n, core, text, site);
		return;
	}
	if (t->kind == TYPE_NONE && (site->call || core->kind == TYPE_ENV_VALUE)) {
		d = diag_report(c->diags, TJ0316, n->span, "%.*s cannot be none",
			STR_ARG(what.n ? what : STR("this value")));
		note_declared(c, d, site);
		if (core->kind == TYPE_ENV_VALUE)
			diag_help(c->diags, d, "leave the line out; for an optional value: 'if x != none { %.*s = x }'",
				STR_ARG(site->name.n ? site->name : STR("NAME")));
		return;
	}
	if (what.n)
		d = diag_report(c->diags, TJ0302, n->span, "%.*s expects %.*s, found %.*s", STR_ARG(what),
			STR_ARG(needs), STR_ARG(is));
	else
		d = diag_report(c->diags, TJ0302, n->span, "expected %.*s, found %.*s", STR_ARG(needs), STR_ARG(is));
	note_declared(c, d, site);
	note_record(c, d, core, t);
	if (core->kind == TYPE_MAP)
		advise_source(c, d, n, core);
	help_text(c, d, n, core);
	help_conversion(c, d, n, core, site);
	if (!d->help.n)
		advise_instead(c, d, n, core, site);
	if (!d->help.n && str_is(what, "'range'") && n->kind == NODE_FLOAT)
		diag_help(c->diags, d, "'range' counts in whole numbers: write the values, [0.1, 0.2], or compute "
			"them, [0.1 * float(i) for i in range(1, 5)]");
}

void report_mismatch(struct check *c, struct node *n, const struct type *want, const struct site *site)
{
	const struct type *core = type_strip_pod(type_strip_optional(want)), *t = n->type;
	if (core->kind == TYPE_ENV_VALUE && t->kind != TYPE_NONE)
		report_env(c, n);
	else if (core->kind == TYPE_LIST && t->kind == TYPE_RANGE)
		report_range(c, n, true);
	else if (core->kind == TYPE_RANGE && t->kind == TYPE_LIST)
		report_range(c, n, false);
	else if (core->kind == TYPE_INT && t->kind == TYPE_ELASTIC && n->kind == NODE_MEMBER)
		report_elastic(c, n);
	else
		report_plain(c, n, want, site);
}

/* The first optional element of a list literal, whose type is not optional itself; NULL if no element is optional. */
static struct node *optional_element(const struct node *n)
{
	for (size_t i = 0; n->kind == NODE_LIST && i < n->u.list.n; i++)
		if (n->u.list.at[i]->type && n->u.list.at[i]->type->kind == TYPE_OPTIONAL)
			return n->u.list.at[i];
	return NULL;
}

const struct type *report_optional(struct check *c, struct node *n)
{
	struct node *element = optional_element(n);
	if (element) {
		report_optional(c, element);
		return mark_bad(n);
	}
	struct str words = node_words(c, n);
	struct diag *d = diag_report(c->diags, TJ0316, n->span, "'%.*s' may be none here", STR_ARG(words));
	const struct type *t = type_strip_pod(type_strip_optional(n->type));
	const char *instead = t->kind == TYPE_INT ? "1" : t->kind == TYPE_BOOL ? "false" : type_is_text(t) ? "\"\"" :
		"...";
	bool name = n->kind == NODE_NAME || (n->kind == NODE_MEMBER && n->u.member.base->kind == NODE_NAME);
	if (name)
		diag_help(c->diags, d, "write '%.*s ?? %s', or test '%.*s != none' first", STR_ARG(words), instead,
			STR_ARG(words));
	else
		diag_help(c->diags, d, "write '%.*s ?? %s'", STR_ARG(words), instead);
	return mark_bad(n);
}

const struct type *report_secret(struct check *c, struct node *n)
{
	struct diag *d = diag_report(c->diags, TJ0711, n->span, "a secret cannot be put in a string");
	diag_label(c->diags, d, "the compiler never knows its value");
	if (n->kind == NODE_CALL) {
		struct str words = node_words(c, n);
		diag_help(c->diags, d, "pass it whole, as an environment value: TOKEN = %.*s", STR_ARG(words));
	} else {
		diag_help(c->diags, d, "pass it whole, as an environment value: TOKEN = secret(\"name\", \"key\")");
	}
	return mark_bad(n);
}

const struct type *report_secret_mount(struct check *c, struct node *n, const struct site *site)
{
	struct str what = site_words(c, site), name, key;
	bool call = n->kind == NODE_CALL && n->u.call.args.n == 2;
	const struct node *first = call && n->u.call.args.at[0]->kind == NODE_ARG ? n->u.call.args.at[0]->u.arg.value :
		NULL;
	const struct node *second = call && n->u.call.args.at[1]->kind == NODE_ARG ? n->u.call.args.at[1]->u.arg.value :
		NULL;
	struct diag *d = diag_report(c->diags, TJ0302, n->span, "%.*s expects a volume, found the value of a secret",
		STR_ARG(what));

	if (first && second && node_static_text(first, &name) && node_static_text(second, &key))
		diag_help(c->diags, d, "write 'secret_files(\"%.*s\")': each key is a file, '%.*s' too", STR_ARG(name),
			STR_ARG(key));
	else
		diag_help(c->diags, d, "write 'secret_files(\"name\")': each key is a file");
	return mark_bad(n);
}

/* The first amount in an expression of amounts, all of which have the same kind. */
static struct str first_amount(struct check *c, const struct node *n)
{
	for (unsigned depth = 0; depth < 256; depth++) {
		switch (n->kind) {
		case NODE_QUANTITY: return source_text(c->program->sources, n->span);
		case NODE_UNARY: case NODE_BINARY: case NODE_COALESCE: n = n->u.op.left; break;
		case NODE_IF: n = n->u.if_expr.then; break;
		case NODE_LET_IN: n = n->u.op.right; break;
		case NODE_LIST_FOR: n = n->u.list_for.value; break;
		case NODE_LIST:
			if (!n->u.list.n)
				return STR("");
			n = n->u.list.at[0];
			break;
		default: return STR("");
		}
	}
	return STR("");
}

static struct diag *unit_headline(struct check *c, struct node *n, struct str words)
{
	struct str amount = first_amount(c, n);
	enum unit_kind unit = amount.n ? quantity_unit(amount) : UNIT_AMOUNT;
	struct diag *d;
	if (unit == UNIT_DURATION)
		d = diag_report(c->diags, TJ0310, n->span, "%.*s has no type here", STR_ARG(words));
	else if (n->kind == NODE_QUANTITY && str_ends(words, STR("m")))
		d = diag_report(c->diags, TJ0310, n->span, "%.*s could be a cpu, a memory or a duration",
			STR_ARG(words));
	else
		d = diag_report(c->diags, TJ0310, n->span, "%.*s could be a cpu or a memory", STR_ARG(words));
	return d;
}

/* The unit that a quantity was most likely meant to have. */
static const char *likely_unit(struct check *c, const struct node *n)
{
	struct str amount = first_amount(c, n);
	if (amount.n && quantity_unit(amount) == UNIT_DURATION)
		return "duration";
	return str_ends(amount, STR("m")) ? "cpu" : "memory";
}

const struct type *obvious_unit(struct check *c, const struct node *n)
{
	const char *likely = likely_unit(c, n);
	const struct type *t = strcmp(likely, "duration") == 0 ? &type_duration :
		strcmp(likely, "memory") == 0 ? &type_memory : NULL;
	return t && (n->kind == NODE_LIST || n->kind == NODE_LIST_FOR) ? type_list(c->arena, t) : t;
}

const struct type *report_unit(struct check *c, struct node *n)
{
	struct str words = node_words(c, n);
	struct diag *d = unit_headline(c, n, words);
	diag_help(c->diags, d, "write its type: 'let x: %s = %.*s'", likely_unit(c, n), STR_ARG(words));
	return mark_bad(n);
}

const struct type *report_let_unit(struct check *c, struct decl *let, struct str words)
{
	struct node *n = let->node->u.binding.value;
	struct diag *d = unit_headline(c, n, words);
	diag_help(c->diags, d, n->kind == NODE_LIST || n->kind == NODE_LIST_FOR ? "write 'let %.*s: list[%s] = %.*s'" :
		"write 'let %.*s: %s = %.*s'",
		STR_ARG(let->name), likely_unit(c, n), STR_ARG(words));
	return mark_bad(n);
}

const struct type *report_member_unit(struct check *c, struct str name, struct node *n)
{
	struct str words = node_words(c, n);
	struct diag *d = unit_headline(c, n, words);
	advise_record(c, d, name, str_of(likely_unit(c, n)));
	return mark_bad(n);
}

/* ---- pod-time values (TJ0708), with the chain of names that leads to pod.* ---- */

enum { LONGEST_CHAIN = 8 };

struct chain {
	struct check *check;
	struct str text;
	struct diag *diag;
	unsigned length;
};

static const struct node *pod_part(const struct node *n);

static const struct node *pod_of(const struct node *n)
{
	return n && n->type && has_pod(n->type) ? n : NULL;
}

static const struct node *pod_argument(const struct node *n)
{
	for (size_t i = 0; i < n->u.call.args.n; i++) {
		const struct node *arg = n->u.call.args.at[i];
		if (arg->kind == NODE_ARG && pod_of(arg->u.arg.value))
			return arg->u.arg.value;
	}
	return NULL;
}

/* The part of an expression that makes it pod-time; NULL when the expression itself does, and no part of it. */
static const struct node *pod_part(const struct node *n)
{
	const struct node *part;
	switch (n->kind) {
	case NODE_UNARY: return pod_of(n->u.op.left);
	case NODE_LET_IN: return pod_of(n->u.op.right);
	case NODE_BINARY: case NODE_COALESCE: case NODE_RANGE: case NODE_ELASTIC:
		part = pod_of(n->u.op.left);
		return part ? part : pod_of(n->u.op.right);
	case NODE_IF:
		part = pod_of(n->u.if_expr.condition);
		part = part ? part : pod_of(n->u.if_expr.then);
		return part ? part : pod_of(n->u.if_expr.otherwise);
	case NODE_STRING:
		for (size_t i = 0; i < n->u.string.n; i++)
			if (pod_of(n->u.string.parts[i].expr))
				return n->u.string.parts[i].expr;
		return NULL;
	case NODE_LIST:
		for (size_t i = 0; i < n->u.list.n; i++)
			if (pod_of(n->u.list.at[i]))
				return n->u.list.at[i];
		return NULL;
	case NODE_LIST_FOR: return pod_of(n->u.list_for.value);
	case NODE_CALL: return pod_argument(n);
	case NODE_INDEX:
		part = pod_of(n->u.pair.base);
		return part ? part : pod_of(n->u.pair.index);
	case NODE_MEMBER: return pod_of(n->u.member.base);
	default: return NULL;
	}
}

static void follow(struct chain *chain, const struct node *n)
{
	struct check *c = chain->check;
	while (n && chain->length < LONGEST_CHAIN) {
		if (n->kind == NODE_NAME && n->u.name.decl && n->u.name.decl->kind == DECL_LET) {
			const struct decl *d = n->u.name.decl;
			chain->length++;
			diag_note(c->diags, chain->diag, d->span, "'%.*s' is pod-time", STR_ARG(d->name));
			n = d->node->u.binding.value;
			struct str words = node_words(c, n);
			chain->text = str_printf(c->arena, "%.*s ← %.*s", STR_ARG(chain->text), STR_ARG(words));
			continue;
		}
		n = pod_part(n);
	}
}

/* The fact about the pod on which N depends, such as "pod.index". */
static struct str pod_fact(struct check *c, const struct node *n)
{
	for (unsigned i = 0; n && i < 256; i++) {
		if (n->kind == NODE_NAME && n->u.name.decl && n->u.name.decl->kind == DECL_LET) {
			n = n->u.name.decl->node->u.binding.value;
			continue;
		}
		const struct node *part = pod_part(n);
		if (!part)
			return node_words(c, n);
		n = part;
	}
	return STR("the pod");
}

const struct type *report_pod(struct check *c, struct node *n, const struct type *want, const struct site *site)
{
	struct str fact = pod_fact(c, n), words = node_words(c, n);
	struct str what = site_words(c, site);
	if (!what.n)
		what = STR("this value");
	else if (want && type_strip_pod(type_strip_optional(want))->port && !str_is(site->name, "port"))
		what = str_printf(c->arena, "port %.*s", STR_ARG(what));
	struct diag *d = diag_report(c->diags, TJ0708, n->span,
		"%.*s must be known at compile time, but this depends on '%.*s'",
		STR_ARG(what), STR_ARG(fact));
	struct chain chain = { c, STR(""), d, 0 };
	chain.text = words;
	if (site->name.n)
		chain.text = str_printf(c->arena, "%.*s ← %.*s", STR_ARG(site->name), STR_ARG(words));
	follow(&chain, n);
	bool copy = str_is(fact, "pod.copy");
	diag_label(c->diags, d, copy ? "differs between copies" : "known only when the pod starts");
	if (site->name.n || chain.length)
		diag_help(c->diags, d, "the chain: %.*s", STR_ARG(chain.text));
	if (want && type_strip_optional(want)->kind == TYPE_ACCELERATOR)
		diag_help(c->diags, d, "replicas with other devices need other nodes: give them a role of their own");
	diag_help(c->diags, d, want && type_is_quantity(type_strip_optional(want)) ?
		"pod-time values are allowed in 'env', 'command', 'args' and 'files', and amounts computed from "
		"'pod.index' in 'cpu', 'memory', 'disk', 'limits' and 'resources'" :
		"pod-time values are allowed in 'env', 'command', 'args' and 'files'");
	if (site->own)
		diag_help(c->diags, d, "each replica has a volume of its own under the same name");
	if (site->call && str_is(site->name, "claim"))
		diag_help(c->diags, d,
			"write 'pvc(\"CLAIM\", path = \"${pod.%s}\")' for a directory of each %s in one claim, "
			"'own_claim(\"NAME\", 10Gi, keep = true)' for a claim that each replica gets and keeps",
			copy ? "copy" : "index", copy ? "copy" : "replica");
	return mark_bad(n);
}
