/*
 * convert_form.c - checks the types whose texts must have a certain form: enum, image, name, path.
 */
#include "eval/internal.h"

#include "diag/suggest.h"
#include "kube/image.h"
#include "syntax/help/foreign.h"

static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_form_digit(char c) { return c >= '0' && c <= '9'; }

static struct str lower_case(struct eval *ev, struct str s)
{
	char *copy = arena_copy(ev->arena, s.p, s.n);

	for (size_t i = 0; i < s.n; i++)
		if (is_upper(copy[i]))
			copy[i] ^= 'a' ^ 'A';
	return (struct str){ copy, s.n };
}

static struct str quoted_value(struct eval *ev, struct str s)
{
	return str_printf(ev->arena, "\"%.*s\"", STR_ARG(s));
}

/* Adds a fix that replaces the literal, if the value comes from one. */
static void fix_literal(struct eval *ev, struct diag *d, struct span at, struct str found, struct str better)
{
	struct str written = source_text(ev->program->sources, at);

	if (!better.n || !str_eq(written, quoted_value(ev, found)))
		return;
	diag_fix(ev->diags, d, at, quoted_value(ev, better), "write \"%.*s\"", STR_ARG(better));
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

static const struct value *convert_enum(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule)
{
	struct suggest s;

	suggest_init(&s, ev->arena, v->u.string);
	for (size_t i = 0; i < to->n; i++) {
		if (str_eq(v->u.string, to->words[i]))
			return v;
		suggest_add(&s, to->words[i]);
	}
	struct str text = value_spell(ev->arena, v), all = choices(ev, to), near = suggest_sentence(&s);
	struct diag *d = ev->name.p ? eval_report(ev, TJ0312, at, "'%.*s' cannot be %.*s", STR_ARG(ev->name),
	                            STR_ARG(text))
	                            : eval_report(ev, TJ0312, at, "%.*s is not one of the choices here", STR_ARG(text));
	const char *other = foreign_value(ev->name, v->u.string);
	diag_help(ev->diags, d, to->n > 1 ? "one of %.*s" : "the only choice is %.*s", STR_ARG(all));
	if (other || near.n)
		diag_help(ev->diags, d, "%.*s", STR_ARG(other ? str_of(other) : near));
	if (span_known(rule))
		diag_note(ev->diags, d, rule, "declared here");
	fix_literal(ev, d, at, v->u.string, suggest_only(&s));
	return &value_bad;
}

/*
 * The length of `{tag}`, `(tag)`, `${tag}`, `$(tag)` or `$tag` at the beginning of TEXT, or 0 if the text begins
 * otherwise; *RET_NAME is the name in it.
 */
static size_t placeholder(struct str text, struct str *ret_name)
{
	size_t dollar = text.n && text.p[0] == '$';
	bool brace = dollar < text.n && text.p[dollar] == '{';
	bool bracket = brace || (dollar < text.n && text.p[dollar] == '(');

	ret_name->p = text.p + dollar + bracket;
	ret_name->n = strspn(ret_name->p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	bool closed = !bracket || ret_name->p[ret_name->n] == (brace ? '}' : ')');
	return (dollar || bracket) && ret_name->n && closed ? dollar + ret_name->n + 2 * bracket : 0;
}

/* Adds help for `a:{tag}`, `a:$(tag)` and `a:$tag`. */
static bool help_placeholder(struct eval *ev, struct diag *d, struct str image)
{
	struct buf right = { 0 };
	struct str unknown = STR("");   /* a name that the program does not declare */
	bool any = false;

	for (size_t i = 0, n; i < image.n; i += n) {
		struct str name;
		n = placeholder((struct str){ image.p + i, image.n - i }, &name);
		if (n)
			buf_printf(&right, "${%.*s}", STR_ARG(name));
		else
			buf_char(&right, image.p[i]);
		if (n && !map_get(&ev->program->root->values, name))
			unknown = name;
		any = any || n;
		n = n ? n : 1;
	}
	if (any)
		diag_help(ev->diags, d, "a value is inserted with '${...}': write \"%.*s\"", STR_ARG(buf_text(&right)));
	if (unknown.n)
		diag_help(ev->diags, d, "and declare 'param %.*s: string' at the top: --set %.*s=... sets it",
			STR_ARG(unknown), STR_ARG(unknown));
	buf_release(&right);
	return any;
}

/* Adds help for common mistakes in images: an address, a variable of a shell or a chart. */
static bool help_image(struct eval *ev, struct diag *d, struct str image, struct span at)
{
	const char *scheme = memmem(image.p, image.n, "://", 3),
		*braces = memmem(image.p, image.n, "{{", 2);
	const char *close = braces ? memmem(braces, image.n - (size_t)(braces - image.p), "}}", 2) : NULL;

	if (scheme) {
		struct str rest = { scheme + 3, image.n - (size_t)(scheme + 3 - image.p) };
		diag_help(ev->diags, d, "an image has no scheme: write \"%.*s\"", STR_ARG(rest));
		fix_literal(ev, d, at, image, rest);
	} else if (close && braces == image.p && close + 2 == image.p + image.n) {
		diag_help(ev->diags, d,
			"a program has no templates: declare 'param image: string' and write 'image = image'");
	} else if (close) {
		struct str front = { image.p, (size_t)(braces - image.p) },
			back = { close + 2, image.n - (size_t)(close + 2 - image.p) };
		diag_help(ev->diags, d,
			"a program has no templates: declare 'param tag: string' and write \"%.*s${tag}%.*s\"",
			STR_ARG(front),
			STR_ARG(back));
	} else {
		return help_placeholder(ev, d, image);
	}
	return true;
}

static const struct value *convert_image(struct eval *ev, const struct value *v, struct span at)
{
	struct str image = v->u.string;
	const char *why = kube_image_fault(image);

	if (!why)
		return v;
	struct str text = value_spell(ev->arena, v), lower = lower_case(ev, image);
	diags_drop(ev->diags, TJ1010, at);      /* it warned about the same mistake, `{tag}` in plain text */
	struct diag *d = eval_report(ev, TJ0808, at, "%.*s is not an image reference: %s", STR_ARG(text), why);
	if (help_image(ev, d, image, at))
		return &value_bad;
	if (kube_image_fault(lower)) {
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
		if (!is_lower(s.p[i]) && !is_form_digit(s.p[i]) && (s.p[i] != '-' || edge))
			return false;
	}
	return s.n > 0;
}

static bool is_label(struct str s) { return s.n <= LONGEST_LABEL && label_letters(s); }

/* The label that was probably meant: in lower case, with dashes for all other characters. */
static struct str as_label(struct eval *ev, struct str s)
{
	struct str lower = lower_case(ev, s);
	char *copy = arena_alloc(ev->arena, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < lower.n; i++) {
		char c = is_lower(lower.p[i]) || is_form_digit(lower.p[i]) ? lower.p[i] : '-';
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
		struct diag *d = eval_report(ev, TJ0802, at, "the name %.*s has %zu characters; at most 63",
			STR_ARG(text), s.n);
		diag_help(ev->diags, d, "shorten it by %zu", s.n - LONGEST_LABEL);
		return &value_bad;
	}
	struct diag *d = eval_report(ev, TJ0802, at,
		"the name %.*s must be lower case letters, digits and '-', not at its ends", STR_ARG(text));
	if (is_label(better)) {
		diag_help(ev->diags, d, "did you mean \"%.*s\"?", STR_ARG(better));
		fix_literal(ev, d, at, s, better);
	}
	return &value_bad;
}

/* The text between `${` and `}` from P on, if there are no strings or braces in it; otherwise empty. */
static struct str inserted(const char *p, const char *end)
{
	const char *close = p + 2 < end ? memchr(p, '}', (size_t)(end - p)) : NULL;
	struct str inside = close ? (struct str){ p + 2, (size_t)(close - p - 2) } : STR("");

	return inside.n && !memchr(inside.p, '"', inside.n) && !memchr(inside.p, '{', inside.n) ? inside : STR("");
}

/* Is K invalid in a name, but replaceable by a valid character? */
static bool replaceable(char k) { return (k && strchr("._ /:+", k)) || (k >= 'A' && k <= 'Z'); }

/* The expression INSIDE, whose value is TEXT, wrapped in calls that make its value valid as part of a name. */
static struct str as_part(struct eval *ev, struct str inside, struct str text)
{
	struct str right = str_printf(ev->arena, "str(%.*s)", STR_ARG(inside));
	bool upper = false;

	for (size_t i = 0; i < text.n; i++) {
		upper = upper || (text.p[i] >= 'A' && text.p[i] <= 'Z');
		if (text.p[i] != '\0' && strchr("._ /:+", text.p[i]) && !memchr(text.p, text.p[i], i))
			right = str_printf(ev->arena, "replace(%.*s, \"%c\", \"-\")", STR_ARG(right), text.p[i]);
	}
	return upper ? str_printf(ev->arena, "lower(%.*s)", STR_ARG(right)) : right;
}

/*
 * Finds the interpolation in the string at AT whose value contains characters that NAME must not have, and stores its
 * expression in *RET. Looks for the static parts of the string in NAME one after the other. Empty when the result is
 * uncertain.
 */
static struct str culprit(struct eval *ev, struct span at, struct str name, struct str *ret)
{
	struct str text = source_text(ev->program->sources, at);
	const char *p = text.p + 1, *end = text.p + text.n - 1, *in = name.p, *name_end = name.p + name.n;

	while (text.n > 2 && p < end) {
		const char *open = memmem(p, (size_t)(end - p), "${", 2);
		if (!open || in + (open - p) > name_end || memcmp(in, p, (size_t)(open - p)) != 0)
			return STR("");
		in += open - p;
		struct str inside = inserted(open, end);
		if (!inside.n)
			return STR("");
		p = inside.p + inside.n + 1;
		const char *next = memmem(p, (size_t)(end - p), "${", 2);
		struct str literal = { p, (size_t)((next ? next : end) - p) };
		const char *stop = literal.n ? memmem(in, (size_t)(name_end - in), literal.p, literal.n) : next ? in
			: name_end;
		for (const char *k = in; stop && k < stop; k++)
			if (replaceable(*k)) {
				*ret = (struct str){ in, (size_t)(stop - in) };
				return inside;
			}
		if (!stop)
			return STR("");
		in = stop;
	}
	return STR("");
}

/*
 * Checks the name of a job. The names of all objects begin with it, and the name of a Service must begin with a letter.
 * TJ0801 checks the length.
 */
bool convert_job_name(struct eval *ev, struct str s, struct span at)
{
	struct str better = as_label(ev, s);

	if (label_letters(s) && is_lower(s.p[0]))
		return true;
	struct diag *d = eval_report(ev, TJ0802, at,
		"job name '%.*s' must be lower case letters, digits and '-', starting with a letter", STR_ARG(s));
	struct str brought = STR(""), inside = culprit(ev, at, s, &brought);
	if (inside.n) {
		struct str right = as_part(ev, inside, brought);
		diag_help(ev->diags, d, "write '${%.*s}' in place of '${%.*s}'", STR_ARG(right), STR_ARG(inside));
	} else if (is_label(better) && is_lower(better.p[0])) {
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
		diag_help(ev->diags, d, "write the intended path");
		return &value_bad;
	}
	struct diag *d = eval_report(ev, TJ0613, at, s.n ? "path '%.*s' does not start with /" : "a path is empty%.*s",
		STR_ARG(s));
	if (s.n) {
		if (s.p[0] == '~')
			diag_help(ev->diags, d, "a container has no '~': write an absolute path, such as \"/data\"");
		else if (str_is(s, ".") || str_starts(s, STR("./")))
			diag_help(ev->diags, d, "paths are those of the container: write an absolute one, such as "
				"\"/app%.*s\"", (int)s.n - 1, s.p + 1);
		else
			diag_help(ev->diags, d, "write an absolute path: \"/%.*s\"", STR_ARG(s));
	}
	return &value_bad;
}

const struct value *convert_form(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule)
{
	switch (to->kind) {
	case TYPE_ENUM: return convert_enum(ev, v, to, at, rule);
	case TYPE_IMAGE: return convert_image(ev, v, at);
	case TYPE_NAME: return convert_name(ev, v, at);
	default: return convert_path(ev, v, at);
	}
}
