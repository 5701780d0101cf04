/* supervise_kinds.c - reads --kinds, and goes through the kinds that the controller looks after. */
#include "runtime/supervise/supervise_kinds.h"

static bool kind_position(struct str word, size_t *ret)
{
	for (*ret = 0; custom_kind(*ret); ++*ret)
		if (str_is(word, custom_kind(*ret)->kind))
			return true;
	return false;
}

static void say_unknown_kind(struct session *s, struct str word)
{
	struct buf b = { 0 };

	for (size_t i = 0; custom_kind(i); i++)
		buf_printf(&b, "%s%s", i ? ", " : "", custom_kind(i)->kind);
	session_say(s, "--kinds: '%.*s' is not a kind of the training operator; its kinds are %.*s", STR_ARG(word),
		(int)b.n, b.p);
	buf_release(&b);
}

bool kinds_read(struct session *s, struct controller *c)
{
	struct str list = option_value(s->options, OPTION_KINDS);
	size_t at, end;

	c->operators = option_given(s->options, OPTION_KUBEFLOW);
	c->ancestors = option_given(s->options, OPTION_ANCESTORS);
	c->left_out = 0;
	if (!option_given(s->options, OPTION_KINDS))
		return true;
	c->left_out = ~0u;
	for (size_t begin = 0; begin <= list.n; begin = end + 1) {
		for (end = begin; end < list.n && list.p[end] != ','; end++)
			continue;
		struct str word = { list.p + begin, end - begin };
		if (!kind_position(word, &at)) {
			say_unknown_kind(s, word);
			return false;
		}
		c->left_out &= ~(1u << at);
	}
	return true;
}

const struct custom_kind *kinds_next(const struct controller *c, size_t *at)
{
	const struct custom_kind *k;

	while ((k = custom_kind_among(*at, c->operators, c->ancestors))) {
		bool operators = c->operators && custom_kind(*at) == k;
		++*at;
		if (!operators || !(c->left_out >> (*at - 1) & 1))
			return k;
	}
	return NULL;
}

bool kinds_have(const struct controller *c, struct str group, struct str plural)
{
	const struct custom_kind *k;

	for (size_t at = 0; (k = kinds_next(c, &at));)
		if (str_is(group, k->group) && str_is(plural, k->plural))
			return true;
	return false;
}
