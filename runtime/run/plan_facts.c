/* plan_facts.c - makes facts of a plan by its rows, shortens lists of facts, and compares them. */
#include "runtime/run/plan_facts.h"

#include "base/sha256.h"
#include "data/shape.h"
#include "plan/plan_shape.h"
#include "runtime/status/look.h"

enum {
	PLAIN_MOST = 60,                /* size of a value that is kept as it is */
	SHOWN_MOST = 100,               /* size of the beginning of a longer value */
	DIGEST_DIGITS = 8
};

struct fact_list {
	struct arena *arena;
	struct plan_shape around;
	struct plan_facts facts;
};

/* ---- values ---- */

static struct str short_digest(struct arena *a, struct str text)
{
	char hex[65];

	sha256_hex(text, hex);
	return str_printf(a, "#%.*s", DIGEST_DIGITS, hex);
}

/* TEXT as one line of at most MOST bytes, which ends with a whole character. */
static struct str beginning(struct arena *a, struct str text, size_t most)
{
	struct str line = text_line(a, text);
	size_t n = line.n < most ? line.n : most;

	while (n && n < line.n && ((unsigned char)line.p[n] & 0xC0) == 0x80)
		n--;
	return (struct str){ line.p, n };
}

static void add_fact(struct fact_list *l, struct str name, struct str value)
{
	struct str key = beginning(l->arena, name, FACT_BYTES / 2);

	if (value.n)
		ARENA_PUSH(l->arena, l->facts.at, l->facts.n, str_cat(l->arena, key, STR("="), value));
}

/* A value that may be shown; it is kept as it is if it is short. */
static void add_plain(struct fact_list *l, struct str name, struct str value)
{
	struct str line = beginning(l->arena, value, PLAIN_MOST);

	if (str_eq(line, value) && !str_starts(value, STR("#")))
		add_fact(l, name, value);
	else
		add_fact(l, name, str_cat(l->arena, short_digest(l->arena, value), STR(" "),
			beginning(l->arena, value, SHOWN_MOST)));
}

/* ---- what an identity says: lines of NAME=NUMBER and NAME=LENGTH:TEXT ---- */

struct identity_line {
	struct str key, text;
	int64_t number;
	bool is_text;
};

static bool identity_next(struct str *rest, struct identity_line *ret)
{
	const char *eq = memchr(rest->p, '=', rest->n), *end = rest->p + rest->n;
	bool negative = eq && eq + 1 < end && eq[1] == '-';

	if (!eq)
		return false;
	*ret = (struct identity_line){ .key = { rest->p, (size_t)(eq - rest->p) } };
	for (eq += 1 + negative; eq < end && *eq >= '0' && *eq <= '9'; eq++)
		ret->number = ret->number * 10 + (*eq - '0');
	ret->is_text = eq < end && *eq == ':';
	if (ret->is_text) {
		ret->text = (struct str){ eq + 1, (size_t)ret->number };
		eq = ret->text.p + ret->text.n;
	}
	while (eq < end && *eq != '\n')         /* the fraction of a number */
		eq++;
	ret->number = negative ? -ret->number : ret->number;
	*rest = eq < end ? (struct str){ eq + 1, (size_t)(end - eq - 1) } : (struct str){ end, 0 };
	return true;
}

/* Does it say nothing but that something is absent, or zero? */
static bool identity_is_empty(struct str identity)
{
	struct identity_line x;

	while (identity_next(&identity, &x))
		if (x.is_text ? x.text.n : x.number > 0)
			return false;
	return true;
}

/* The texts of an identity, for people. Values that only a pod or a place has are in braces. */
static struct str readable(struct arena *a, struct str identity)
{
	static const char *const pieces[] = { [PIECE_TEXT] = "", [PIECE_INDEX] = "{index}", [PIECE_FIELD] = "{field}",
		[PIECE_HOST] = "{host}", [PIECE_PORT] = "{port}", [PIECE_ENV] = "$" };
	struct identity_line x;
	struct buf b = { 0 };
	bool inside = false, value = false;

	while (identity_next(&identity, &x)) {
		if (str_is(x.key, "piece") && !x.is_text) {
			if (!inside && b.n)
				buf_char(&b, ' ');
			inside = true;
			buf_z(&b, (size_t)x.number < sizeof pieces / sizeof *pieces ? pieces[x.number] : "");
		} else if (x.is_text && inside) {
			if (!str_is(x.key, "port"))
				buf_str(&b, x.text);
		} else if (x.is_text) {
			buf_z(&b, value ? "=" : b.n ? " " : "");
			buf_str(&b, x.text);
		} else if (!str_is(x.key, "role") && !str_is(x.key, "index") && !str_is(x.key, "field")) {
			inside = false;
		}
		value = str_is(x.key, "key") && x.is_text;
	}
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

/* ---- members ---- */

/* Adds a value that has a form of its own, by its identity. SHOWN: its texts may be shown. */
static void add_identity(struct fact_list *l, struct str name, struct str identity, bool shown)
{
	if (identity_is_empty(identity))
		return;
	struct str text = shown ? readable(l->arena, identity) : STR("");
	add_fact(l, name, str_cat(l->arena, short_digest(l->arena, identity), text.n ? STR(" ") : STR(""),
		beginning(l->arena, text, SHOWN_MOST)));
}

static void add_value_fact(struct fact_list *l, struct str name, const struct shape_row *r, const void *object)
{
	struct plan_field field;
	struct buf b = { 0 };
	struct shape_out o = { .out = &b, .context = &l->around, .use = IN_IDENTITY };

	if (plan_field_of(l->arena, r, object, &field)) {
		add_plain(l, name, field.value);
	} else if (r->type == &shape_text) {
		add_plain(l, name, *(const struct str *)shape_at(r, object));
	} else if (r->type == &shape_int64) {
		int64_t n = *(const int64_t *)shape_at(r, object);
		add_fact(l, name, n ? str_int(l->arena, n) : STR(""));
	} else if (r->type == &shape_bool) {
		add_fact(l, name, *(const bool *)shape_at(r, object) ? STR("true") : STR(""));
	} else {
		r->type->identity(&o, r, object);
		add_identity(l, name, buf_text(&b), r->type != &shape_data);
	}
	buf_release(&b);
}

/* The name of an element of a list is its first member. */
static struct str element_name(struct arena *a, struct str before, const char *key, const struct shape *s,
	const void *element)
{
	bool named = s->rows->type == &shape_text;
	struct str name = named ? *(const struct str *)shape_at(s->rows, element) : STR("");

	return str_printf(a, "%.*s%s%s%s%.*s", STR_ARG(before), before.n ? " " : "", key, name.n ? " " : "",
		STR_ARG(name));
}

static void add_members(struct fact_list *l, struct str before, const struct shape *s, const void *object);

static void add_elements(struct fact_list *l, struct str before, const struct shape_row *r, const void *object)
{
	const struct shape *s = r->of;
	const char *at = shape_pointer_at(r, object);
	bool secret = s == &shape_plan_env || s == &shape_plan_file || s == &shape_plan_object;

	for (size_t i = 0; i < shape_count(r, object); i++) {
		const void *element = at + i * s->size;
		const char *key = s->rows->type == &shape_text ? s->rows->key : r->key;
		struct str name = element_name(l->arena, before, key, s, element);
		struct buf b = { 0 };
		struct shape_out o = { .out = &b, .context = &l->around, .use = IN_IDENTITY };
		if (s == &shape_plan_container) {
			add_members(l, name, s, element);
			continue;
		}
		shape_identity(&o, s, element);
		add_identity(l, name, buf_text(&b), !secret);
		buf_release(&b);
	}
}

/* The name of a member; numbers of replicas have the words that `history` and `scale` use. Empty: it is not a fact. */
static const char *member_word(const struct shape *s, const struct shape_row *r, const void *object)
{
	if (s != &shape_plan_role)
		return str_is(str_of(r->key), "roles") ? "" : r->key;   /* roles are added one by one */
	if (str_is(str_of(r->key), "max"))
		return "replicas";
	if (str_is(str_of(r->key), "min"))
		return ((const struct plan_role *)object)->elastic ? "replicas least" : "";
	return r->key;
}

static void add_members(struct fact_list *l, struct str before, const struct shape *s, const void *object)
{
	for (const struct shape_row *r = s->rows; r < s->rows + s->n; r++) {
		const char *word = member_word(s, r, object);
		if (!*word || !shape_is_written(r, IN_IDENTITY, object))
			continue;
		struct str name = str_printf(l->arena, "%.*s%s%s", STR_ARG(before), before.n ? " " : "", word);
		if (r->type == &shape_list)
			add_elements(l, before, r, object);
		else if (r->type == &shape_part && r->of != &shape_plan_place && r->of != &shape_plan_replica)
			add_members(l, before, r->of, shape_at(r, object));
		else
			add_value_fact(l, name, r, object);
	}
}

/* ---- lists ---- */

static struct str fact_name(struct str fact)
{
	const char *eq = memchr(fact.p, '=', fact.n);

	return (struct str){ fact.p, eq ? (size_t)(eq - fact.p) : fact.n };
}

static struct str fact_value(struct str fact)
{
	struct str name = fact_name(fact);

	return name.n < fact.n ? (struct str){ fact.p + name.n + 1, fact.n - name.n - 1 } : STR("");
}

static struct str first_words(struct str name, int64_t words)
{
	size_t n = 0;

	for (; n < name.n; n++)
		if (name.p[n] == ' ' && --words == 0)
			break;
	return (struct str){ name.p, n };
}

struct plan_facts plan_facts_cut(struct arena *a, const struct plan_facts *f, int64_t words)
{
	struct plan_facts ret = { .words = words };

	if (words >= FACT_WORDS || words >= f->words)
		return *f;
	for (size_t i = 0; i < f->n; i++) {
		struct str name = first_words(fact_name(f->at[i]), words);
		struct buf together = { 0 };
		bool done = false;
		size_t n = 0;
		for (size_t k = 0; k < f->n && !done; k++) {
			if (!str_eq(first_words(fact_name(f->at[k]), words), name))
				continue;
			done = k < i;
			n++;
			buf_str(&together, f->at[k]);
			buf_char(&together, '\n');
		}
		if (!done && n == 1 && str_eq(name, fact_name(f->at[i])))
			ARENA_PUSH(a, ret.at, ret.n, f->at[i]);
		else if (!done)
			ARENA_PUSH(a, ret.at, ret.n, str_cat(a, name, STR("="), short_digest(a, buf_text(&together))));
		buf_release(&together);
	}
	return ret;
}

static size_t facts_size(const struct plan_facts *f)
{
	size_t bytes = 0;

	for (size_t i = 0; i < f->n; i++)
		bytes += f->at[i].n + 3;        /* with the quotes and the comma around it */
	return bytes;
}

struct plan_facts plan_facts_of(struct arena *a, const struct plan_job *j, size_t most)
{
	static const int64_t lengths[] = { FACT_WORDS, 3, 2, 1 };
	struct fact_list l = { .arena = a, .around = { .job = j } };

	add_members(&l, STR(""), &shape_plan_job, j);
	for (size_t i = 0; i < j->nroles; i++) {
		l.around.replicas = j->roles[i].max;
		add_members(&l, j->roles[i].name, &shape_plan_role, &j->roles[i]);
	}
	l.facts.words = FACT_WORDS;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct plan_facts f = plan_facts_cut(a, &l.facts, lengths[i]);
		if (facts_size(&f) <= most)
			return f;
	}
	return (struct plan_facts){ 0 };
}

/* ---- comparison ---- */

/* What may be shown of a value: all of it, or what follows its digest. */
static struct str shown_value(struct str value, bool *whole)
{
	size_t n = 1 + DIGEST_DIGITS;

	*whole = !str_starts(value, STR("#"));
	if (*whole)
		return value;
	*whole = value.n > n + 1 && value.n < n + 1 + SHOWN_MOST;
	return value.n > n + 1 ? (struct str){ value.p + n + 1, value.n - n - 1 } : STR("");
}

static const struct str *same_name(const struct plan_facts *f, struct str name)
{
	for (size_t i = 0; i < f->n; i++)
		if (str_eq(fact_name(f->at[i]), name))
			return &f->at[i];
	return NULL;
}

static void add_change(struct arena *a, struct fact_changes *ret, const struct str *old, const struct str *new)
{
	struct fact_change x = { .name = old ? fact_name(*old) : new ? fact_name(*new) : STR(""), .was = old,
		.is = new };

	x.old = old ? shown_value(fact_value(*old), &x.whole_old) : STR("");
	x.new = new ? shown_value(fact_value(*new), &x.whole_new) : STR("");
	if (old && new && str_eq(x.old, x.new))         /* they differ in what is not shown */
		x.whole_old = x.whole_new = false;
	ARENA_PUSH(a, ret->at, ret->n, x);
}

struct fact_changes plan_facts_compare(struct arena *a, const struct plan_facts *old, const struct plan_facts *new)
{
	int64_t words = old->words < new->words ? old->words : new->words;
	struct plan_facts from = plan_facts_cut(a, old, words), to = plan_facts_cut(a, new, words);
	struct fact_changes ret = { 0 };

	for (size_t i = 0; i < to.n; i++) {
		const struct str *was = same_name(&from, fact_name(to.at[i]));
		if (!was || !str_eq(*was, to.at[i]))
			add_change(a, &ret, was, &to.at[i]);
	}
	for (size_t i = 0; i < from.n; i++)
		if (!same_name(&to, fact_name(from.at[i])))
			add_change(a, &ret, &from.at[i], NULL);
	return ret;
}
