/*
 * builtin_options.c - options(): splits a command line into its options. Library modules use it to compare the options
 * of a launcher with the job. The options end where the program begins: at the first word that is neither an option nor
 * the value of an option. The words alone do not show which options take no value, so the caller names those options.
 */
#include "eval/builtin.h"

/* Is the word an option, such as "-n" or "--nnodes"? Not "-", "--", nor the number in `--offset -1`. */
static bool is_option(struct str word)
{
	return word.n > 1 && word.p[0] == '-' && !str_is(word, "--") && word.p[1] != '.' &&
		(word.p[1] < '0' || word.p[1] > '9');
}

/*
 * The name of option WORD without dashes, with '-' for '_'. *RET_VALUE is the text after '='; {NULL, 0} if WORD has
 * no '='.
 */
static struct str option_name(struct arena *a, struct str word, struct str *ret_value)
{
	size_t dashes = word.p[1] == '-' ? 2 : 1;
	struct str name = { word.p + dashes, word.n - dashes };
	const char *equals = memchr(name.p, '=', name.n);

	*ret_value = (struct str){ 0 };
	if (equals) {
		*ret_value = (struct str){ equals + 1, (size_t)(name.p + name.n - equals - 1) };
		name.n = (size_t)(equals - name.p);
	}
	if (!memchr(name.p, '_', name.n))
		return name;
	char *copy = arena_copy(a, name.p, name.n);
	for (size_t i = 0; i < name.n; i++)
		copy[i] = copy[i] == '_' ? '-' : copy[i];
	return (struct str){ copy, name.n };
}

static struct str option_word(const struct value *words, size_t i)
{
	return words->u.list.at[i]->kind == VALUE_STRING ? words->u.list.at[i]->u.string : STR("");
}

static bool among(const struct value *flags, struct arena *a, struct str name)
{
	struct str none;

	for (size_t i = 0; flags && i < flags->u.list.n; i++) {
		struct str flag = str_cat(a, STR("--"), option_word(flags, i), STR(""));
		if (str_eq(option_name(a, flag, &none), name))
			return true;
	}
	return false;
}

/* Adds VALUE to the values of option NAME in LISTS. */
static bool add_option_value(struct arguments *a, struct map *lists, struct str name, struct str value)
{
	struct value *list = map_get(lists, name);

	if (!list) {
		list = value_new(a->ev->arena, VALUE_LIST, a->call->span);
		map_put(lists, a->ev->arena, name, list);
	}
	return list_add(a->ev, list, value_string(a->ev->arena, value, a->call->span));
}

BUILTIN(options)
{
	const struct value *words = a->at[0], *flags = ARGUMENT(a, 1);
	struct value *map = value_new(a->ev->arena, VALUE_MAP, a->call->span);
	struct map lists = { 0 };

	if (words->kind != VALUE_LIST || (flags && flags->kind != VALUE_LIST))
		return &value_bad;
	for (size_t i = 1; i < words->u.list.n && is_option(option_word(words, i)); i++) {
		struct str value, name = option_name(a->ev->arena, option_word(words, i), &value);
		bool takes_next = !value.p && !among(flags, a->ev->arena, name) && i + 1 < words->u.list.n &&
			!is_option(option_word(words, i + 1));
		if (takes_next)
			value = option_word(words, ++i);
		if (!add_option_value(a, &lists, name, value.p ? value : STR("")))
			return &value_bad;
	}
	for (size_t i = 0; i < lists.n; i++)
		value_put(a->ev->arena, map, lists.entries[i].key, a->call->span,
			list_finish(a->ev, lists.entries[i].value));
	return map_finish(a->ev, map);
}
