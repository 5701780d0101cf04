/*
 * convert_form.c - texts that have a form: enum, image, name, path.
 */
#include "eval/internal.h"

#include "diag/suggest.h"

static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_word(char c) { return is_lower(c) || is_upper(c) || is_digit(c) || c == '_'; }

static struct str lower_case(struct eval *ev, struct str s)
{
	char *copy = arena_copy(ev->arena, s.p, s.n);

	for (size_t i = 0; i < s.n; i++)
		if (is_upper(copy[i]))
			copy[i] ^= 'a' ^ 'A';
	return (struct str){ copy, s.n };
}

static struct str quoted(struct eval *ev, struct str s)
{
	return str_printf(ev->arena, "\"%.*s\"", STR_ARG(s));
}

/* Offer to replace the literal, if the place is one. */
static void fix_literal(struct eval *ev, struct diag *d, struct span at, struct str found, struct str better)
{
	struct str written = source_text(ev->program->sources, at);

	if (!better.n || !str_eq(written, quoted(ev, found)))
		return;
	diag_fix(ev->diags, d, at, quoted(ev, better), "write \"%.*s\"", STR_ARG(better));
}

/* ---- enum ---- */

static struct str choices(struct eval *ev, const struct type *t)
{
	enum { MOST = 10 };
	struct buf b = { 0 };

	for (size_t i = 0; i < t->n && i < MOST; i++)
		buf_printf(&b, "%s\"%.*s\"", i ? ", " : "", STR_ARG(t->words[i]));
	if (t->n > MOST)
		buf_printf(&b, " and %zu more", t->n - MOST);
	struct str s = buf_take(&b, ev->arena);
	buf_release(&b);
	return s;
}

static const struct value *convert_enum(struct eval *ev, const struct value *v, const struct type *to, struct span at, struct span rule)
{
	struct suggest s;

	suggest_init(&s, ev->arena, v->u.string);
	for (size_t i = 0; i < to->n; i++) {
		if (str_eq(v->u.string, to->words[i]))
			return v;
		suggest_add(&s, to->words[i]);
	}
	struct str text = value_spell(ev->arena, v), all = choices(ev, to), near = suggest_sentence(&s);
	struct diag *d = ev->name.p ? eval_report(ev, TJ0312, at, "'%.*s' cannot be %.*s", STR_ARG(ev->name), STR_ARG(text))
	                            : eval_report(ev, TJ0312, at, "%.*s is not one of the choices here", STR_ARG(text));
	diag_help(ev->diags, d, "one of %.*s", STR_ARG(all));
	if (near.n)
		diag_help(ev->diags, d, "%.*s", STR_ARG(near));
	if (span_known(rule))
		diag_note(ev->diags, d, rule, "declared here");
	fix_literal(ev, d, at, v->u.string, suggest_only(&s));
	return &value_bad;
}

/* ---- image ---- */

static const char *bad_digest(struct str s)
{
	const char *colon = s.n ? memchr(s.p, ':', s.n) : NULL;

	if (!colon)
		return "its digest has no algorithm; a digest is written sha256:...";
	struct str algorithm = { s.p, (size_t)(colon - s.p) }, hex = { colon + 1, s.n - (size_t)(colon + 1 - s.p) };
	for (size_t i = 0; i < hex.n; i++)
		if (!is_digit(hex.p[i]) && !(hex.p[i] >= 'a' && hex.p[i] <= 'f'))
			return "its digest contains something other than the digits 0-9 and a-f";
	if (str_is(algorithm, "sha256") && hex.n != 64)
		return "its digest does not have 64 hexadecimal digits";
	return algorithm.n == 0 || hex.n < 32 ? "its digest is too short" : NULL;
}

static const char *bad_tag(struct str s)
{
	if (!s.n)
		return "its tag is empty";
	if (s.n > 128)
		return "its tag is longer than 128 characters";
	if (!is_word(s.p[0]))
		return "its tag does not begin with a letter, a digit or '_'";
	for (size_t i = 1; i < s.n; i++)
		if (!is_word(s.p[i]) && s.p[i] != '.' && s.p[i] != '-')
			return "its tag contains something other than letters, digits, '_', '.' and '-'";
	return NULL;
}

/* One part of the path, between slashes: words joined by '.', '_', '__' or any number of '-'. */
static const char *bad_part(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (is_upper(s.p[i]))
			return "it has upper-case letters in its path";
		if (!is_word(s.p[i]) && s.p[i] != '.' && s.p[i] != '-')
			return "its path contains something other than letters, digits, '.', '_' and '-'";
	}
	if (!s.n)
		return "a part of its path is empty";
	bool ends = (is_lower(s.p[0]) || is_digit(s.p[0])) && (is_lower(s.p[s.n - 1]) || is_digit(s.p[s.n - 1]));
	return ends ? NULL : "a part of its path does not begin and end with a letter or digit";
}

static const char *bad_registry(struct str s)
{
	const char *colon = memchr(s.p, ':', s.n);
	size_t host = colon ? (size_t)(colon - s.p) : s.n;

	for (size_t i = 0; i < host; i++)
		if (!(is_word(s.p[i]) && s.p[i] != '_') && s.p[i] != '.' && s.p[i] != '-')
			return "its registry is not a host name";
	for (size_t i = host + 1; i < s.n; i++)
		if (!is_digit(s.p[i]))
			return "the port of its registry is not a number";
	return host == 0 || host + 1 == s.n ? "its registry is not complete" : NULL;
}

static bool is_registry(struct str first)
{
	return memchr(first.p, '.', first.n) || memchr(first.p, ':', first.n) || str_is(first, "localhost");
}

static const char *bad_path(struct str s)
{
	bool first = true;
	const char *why = s.n > 255 ? "it is longer than 255 characters" : NULL;

	for (;;) {
		const char *slash = s.n ? memchr(s.p, '/', s.n) : NULL;
		struct str part = { s.p, slash ? (size_t)(slash - s.p) : s.n };
		if (why)
			return why;
		why = first && slash && part.n && is_registry(part) ? bad_registry(part) : bad_part(part);
		if (!slash)
			return why;
		s = (struct str){ slash + 1, s.n - part.n - 1 };
		first = false;
	}
}

/* Why a text is no image reference; NULL if it is one. */
static const char *bad_image(struct str s)
{
	const char *why = NULL;

	if (!s.n)
		return "it is empty";
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ')
			return "it contains a space";
	const char *at = memchr(s.p, '@', s.n);
	if (at) {
		why = bad_digest((struct str){ at + 1, s.n - (size_t)(at + 1 - s.p) });
		s.n = (size_t)(at - s.p);
	}
	size_t end = s.n;
	for (size_t i = s.n; !why && i-- > 0 && s.p[i] != '/';)
		if (s.p[i] == ':') {
			why = bad_tag((struct str){ s.p + i + 1, s.n - i - 1 });
			end = i;
			break;
		}
	return why ? why : bad_path((struct str){ s.p, end });
}

static const struct value *convert_image(struct eval *ev, const struct value *v, struct span at)
{
	struct str image = v->u.string;
	const char *why = bad_image(image);

	if (!why)
		return v;
	struct str text = value_spell(ev->arena, v), lower = lower_case(ev, image);
	struct diag *d = eval_report(ev, TJ0808, at, "%.*s is not an image reference: %s", STR_ARG(text), why);
	if (bad_image(lower)) {
		diag_help(ev->diags, d, "an image is written registry/path:tag or registry/path@sha256:...");
		return &value_bad;
	}
	diag_help(ev->diags, d, "write \"%.*s\"", STR_ARG(lower));
	fix_literal(ev, d, at, image, lower);
	return &value_bad;
}

/* ---- name ---- */

enum { LONGEST_LABEL = 63 };

static bool label_letters(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		bool edge = i == 0 || i + 1 == s.n;
		if (!is_lower(s.p[i]) && !is_digit(s.p[i]) && (s.p[i] != '-' || edge))
			return false;
	}
	return s.n > 0;
}

static bool is_label(struct str s) { return s.n <= LONGEST_LABEL && label_letters(s); }

/* The label that was probably meant: lower case, everything else a dash. */
static struct str as_label(struct eval *ev, struct str s)
{
	struct str lower = lower_case(ev, s);
	char *copy = arena_alloc(ev->arena, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < lower.n; i++) {
		char c = is_lower(lower.p[i]) || is_digit(lower.p[i]) ? lower.p[i] : '-';
		if (c != '-' || (n > 0 && copy[n - 1] != '-'))
			copy[n++] = c;
	}
	while (n > 0 && copy[n - 1] == '-')
		n--;
	return (struct str){ copy, n };
}

static const struct value *convert_name(struct eval *ev, const struct value *v, struct span at)
{
	struct str s = v->u.string, better = as_label(ev, s);

	if (is_label(s))
		return v;
	struct str text = value_spell(ev->arena, v);
	if (s.n > LONGEST_LABEL && is_label((struct str){ s.p, LONGEST_LABEL - 1 })) {
		struct diag *d = eval_report(ev, TJ0802, at, "the name %.*s has %zu characters; at most 63", STR_ARG(text), s.n);
		diag_help(ev->diags, d, "shorten it by %zu", s.n - LONGEST_LABEL);
		return &value_bad;
	}
	struct diag *d = eval_report(ev, TJ0802, at, "the name %.*s must be lower case letters, digits and '-', not at its ends", STR_ARG(text));
	if (is_label(better)) {
		diag_help(ev->diags, d, "did you mean \"%.*s\"?", STR_ARG(better));
		fix_literal(ev, d, at, s, better);
	}
	return &value_bad;
}

/* A job's name begins every object's, and that of a Service begins with a letter.  How long it may be, TJ0801 knows. */
bool convert_job_name(struct eval *ev, struct str s, struct span at)
{
	struct str better = as_label(ev, s);

	if (label_letters(s) && is_lower(s.p[0]))
		return true;
	struct diag *d = eval_report(ev, TJ0802, at, "job name '%.*s' must be lower case letters, digits and '-', starting with a letter",
		STR_ARG(s));
	if (is_label(better) && is_lower(better.p[0])) {
		diag_help(ev->diags, d, "did you mean '%.*s'?", STR_ARG(better));
		fix_literal(ev, d, at, s, better);
	}
	return false;
}

/* ---- path ---- */

static bool climbs(struct str s)
{
	for (size_t i = 0; i + 1 < s.n; i++) {
		bool starts = i == 0 || s.p[i - 1] == '/', ends = i + 2 == s.n || s.p[i + 2] == '/';
		if (starts && ends && s.p[i] == '.' && s.p[i + 1] == '.')
			return true;
	}
	return false;
}

static const struct value *convert_path(struct eval *ev, const struct value *v, struct span at)
{
	struct str s = v->u.string;

	if (s.n && s.p[0] == '/' && !climbs(s) && !memchr(s.p, 0, s.n))
		return v;
	if (climbs(s)) {
		struct diag *d = eval_report(ev, TJ0613, at, "path '%.*s' contains '..'", STR_ARG(s));
		diag_help(ev->diags, d, "write the path that is meant");
		return &value_bad;
	}
	struct diag *d = eval_report(ev, TJ0613, at, s.n ? "path '%.*s' does not start with /" : "a path is empty%.*s", STR_ARG(s));
	if (s.n) {
		diag_help(ev->diags, d, "write the whole path, \"/%.*s\"", STR_ARG(s));
		fix_literal(ev, d, at, s, str_printf(ev->arena, "/%.*s", STR_ARG(s)));
	}
	return &value_bad;
}

const struct value *convert_form(struct eval *ev, const struct value *v, const struct type *to, struct span at, struct span rule)
{
	switch (to->kind) {
	case TYPE_ENUM: return convert_enum(ev, v, to, at, rule);
	case TYPE_IMAGE: return convert_image(ev, v, at);
	case TYPE_NAME: return convert_name(ev, v, at);
	default: return convert_path(ev, v, at);
	}
}
