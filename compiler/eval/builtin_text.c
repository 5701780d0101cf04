/*
 * builtin_text.c - functions of text.
 */
#include "eval/builtin.h"

#include "base/sha256.h"

static const struct value *string_value(struct arguments *a, struct str s)
{
	if (!eval_spend_text(a->ev, s.n, a->call->span))
		return &value_bad;
	return value_string(a->ev->arena, s, a->call->span);
}

static const struct value *boolean(struct arguments *a, bool b)
{
	return value_bool(eval_passing(a->ev), b, a->call->span);
}

/* ---- functions whose result may keep pieces ---- */

BUILTIN(str)
{
	struct pieces p;

	if (a->at[0]->kind == VALUE_STRING)
		return a->at[0];
	pieces_init(&p, a->ev->arena);
	if (pieces_value(&p, a->at[0]))
		return pieces_take(&p, a->ev, a->call->span);
	pieces_release(&p);
	return &value_bad;
}

/* Joins the elements, with AFTER behind each of them, or with BETWEEN between them. */
static const struct value *join_list(struct arguments *a, const struct value *list, const struct value *between,
	const char *after)
{
	struct pieces p;
	bool ok = list->kind == VALUE_LIST;

	pieces_init(&p, a->ev->arena);
	for (size_t i = 0; ok && i < list->u.list.n; i++) {
		if (i && between)
			pieces_value(&p, between);
		ok = pieces_value(&p, list->u.list.at[i]) && p.text.n <= EVAL_TEXT;
		buf_z(&p.text, after);
	}
	if (ok)
		return pieces_take(&p, a->ev, a->call->span);
	if (p.text.n > EVAL_TEXT)
		eval_spend_text(a->ev, p.text.n, a->call->span);
	pieces_release(&p);
	return &value_bad;
}

BUILTIN(join) { return join_list(a, a->at[0], ARGUMENT(a, 1), ""); }
BUILTIN(lines) { return join_list(a, a->at[0], NULL, "\n"); }

BUILTIN(json) { return value_json(a->ev, a->at[0], argument_bool(a, 1, false), a->call); }

/* ---- parts ---- */

static const struct value *report_empty(struct arguments *a, size_t i, const char *what)
{
	eval_report(a->ev, TJ0302, argument_at(a, i), "%s is empty", what);
	return &value_bad;
}

BUILTIN(split)
{
	struct str text = argument_text(a, 0, ""), separator = argument_text(a, 1, "");
	struct value *list = value_new(a->ev->arena, VALUE_LIST, a->call->span);

	if (!separator.n)
		return report_empty(a, 1, "the separator");
	for (;;) {
		const char *end = text.n ? memmem(text.p, text.n, separator.p, separator.n) : NULL;
		struct str part = { text.p, end ? (size_t)(end - text.p) : text.n };
		if (!list_add(a->ev, list, value_string(a->ev->arena, part, a->call->span)))
			return &value_bad;
		if (!end)
			return list_finish(a->ev, list);
		text = (struct str){ end + separator.n, text.n - part.n - separator.n };
	}
}

BUILTIN(replace)
{
	struct str text = argument_text(a, 0, ""), old = argument_text(a, 1, ""), new = argument_text(a, 2, "");
	struct buf b = { .limit = EVAL_TEXT };

	if (!old.n)
		return report_empty(a, 1, "the text to replace");
	for (;;) {
		const char *at = text.n ? memmem(text.p, text.n, old.p, old.n) : NULL;
		if (!at)
			break;
		buf_put(&b, text.p, (size_t)(at - text.p));
		buf_str(&b, new);
		text = (struct str){ at + old.n, text.n - (size_t)(at - text.p) - old.n };
	}
	buf_str(&b, text);
	const struct value *v = b.overflow && !eval_spend_text(a->ev, EVAL_TEXT, a->call->span) ? &value_bad
		: string_value(a, buf_take(&b, a->ev->arena));
	buf_release(&b);
	return v;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

BUILTIN(trim)
{
	struct str s = argument_text(a, 0, "");

	while (s.n && is_space(s.p[0]))
		s = (struct str){ s.p + 1, s.n - 1 };
	while (s.n && is_space(s.p[s.n - 1]))
		s.n--;
	return string_value(a, s);
}

BUILTIN(pad)
{
	struct str text = argument_text(a, 0, ""), fill = argument_text(a, 2, " ");
	int64_t width = argument_int(a, 1, 0), missing = width - (int64_t)str_chars(text);
	struct buf b = { .limit = EVAL_TEXT };

	if (str_chars(fill) != 1) {
		eval_report(a->ev, TJ0302, argument_at(a, 2), "'fill' is one character, found %zu", str_chars(fill));
		return &value_bad;
	}
	if (missing > EVAL_TEXT && !eval_spend_text(a->ev, (size_t)EVAL_TEXT + 1, a->call->span))
		return &value_bad;
	for (; missing > 0; missing--)
		buf_str(&b, fill);
	buf_str(&b, text);
	const struct value *v = string_value(a, buf_take(&b, a->ev->arena));
	buf_release(&b);
	return v;
}

BUILTIN(cut)
{
	struct str text = argument_text(a, 0, "");
	int64_t n = argument_int(a, 1, 0);
	size_t end = 0;

	if (n < 0) {
		eval_report(a->ev, TJ0311, argument_at(a, 1), "'cut' takes 0 characters or more, found %lld",
			(long long)n);
		return &value_bad;
	}
	while (end < text.n && (n > 0 || ((unsigned char)text.p[end] & 0xC0) == 0x80))
		n -= ((unsigned char)text.p[end++] & 0xC0) != 0x80;
	return string_value(a, (struct str){ text.p, end });
}

static const struct value *map_case(struct arguments *a, char first, char last)
{
	struct str text = argument_text(a, 0, "");
	char *copy = arena_copy(a->ev->arena, text.p, text.n);

	for (size_t i = 0; i < text.n; i++)
		if (copy[i] >= first && copy[i] <= last)
			copy[i] ^= 'a' ^ 'A';
	return string_value(a, (struct str){ copy, text.n });
}

BUILTIN(lower) { return map_case(a, 'A', 'Z'); }
BUILTIN(upper) { return map_case(a, 'a', 'z'); }

/* ---- questions ---- */

BUILTIN(starts_with) { return boolean(a, str_starts(argument_text(a, 0, ""), argument_text(a, 1, ""))); }
BUILTIN(ends_with) { return boolean(a, str_ends(argument_text(a, 0, ""), argument_text(a, 1, ""))); }

BUILTIN(matches)
{
	bool does;

	if (!pattern_matches(a->ev, argument_text(a, 0, ""), argument_text(a, 1, ""), argument_at(a, 1), &does))
		return &value_bad;
	return boolean(a, does);
}

BUILTIN(sha256)
{
	char hex[65];

	sha256_hex(argument_text(a, 0, ""), hex);
	return string_value(a, str_copy(a->ev->arena, (struct str){ hex, 64 }));
}

/* ---- images ---- */

BUILTIN(has_digest)
{
	struct str image = argument_text(a, 0, "");

	return boolean(a, memchr(image.p, '@', image.n) != NULL);
}

/* Returns the tag: the text after the last colon that follows the last slash, so a registry's port is not a tag. */
BUILTIN(tag)
{
	struct str image = argument_text(a, 0, "");
	const char *at = image.n ? memchr(image.p, '@', image.n) : NULL;

	if (at)
		image.n = (size_t)(at - image.p);
	for (size_t i = image.n; i-- > 0 && image.p[i] != '/';)
		if (image.p[i] == ':')
			return string_value(a, (struct str){ image.p + i + 1, image.n - i - 1 });
	return value_new(a->ev->arena, VALUE_NONE, a->call->span);
}
