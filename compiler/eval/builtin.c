/*
 * builtin.c - the table of built-in functions, and their arguments.
 *
 * The checker has bound and typed the arguments.  What differs between the
 * functions is how much of a text they must know: join and json keep pieces,
 * upper needs all of it, sorted needs all of every element.
 */
#include "eval/builtin.h"

enum need {
	KEEP,                           /* texts stay texts */
	KNOW,                           /* an argument that is a text must be known */
	KNOW_ALL                        /* and so must every element of a list or map */
};

static const struct {
	const struct value *(*call)(struct arguments *a);
	enum need need;
	bool glances;                   /* does not walk over a list or map that it is given */
} functions[FUNCTIONS] = {
	[FUNCTION_LEN] = { builtin_len, KNOW, true },
	[FUNCTION_RANGE] = { builtin_range, KNOW },
	[FUNCTION_SUM] = { builtin_sum, KNOW_ALL },
	[FUNCTION_PRODUCT] = { builtin_product, KNOW_ALL },
	[FUNCTION_MIN] = { builtin_min, KNOW_ALL },
	[FUNCTION_MAX] = { builtin_max, KNOW_ALL },
	[FUNCTION_SORTED] = { builtin_sorted, KNOW_ALL },
	[FUNCTION_UNIQUE] = { builtin_unique, KNOW_ALL },
	[FUNCTION_FLATTEN] = { builtin_flatten, KEEP },
	[FUNCTION_FIND] = { builtin_find, KNOW },
	[FUNCTION_ABS] = { builtin_abs, KNOW },
	[FUNCTION_CEIL_DIV] = { builtin_ceil_div, KNOW },
	[FUNCTION_ROUND] = { builtin_round, KNOW },
	[FUNCTION_FLOAT] = { builtin_float, KNOW },
	[FUNCTION_INT] = { builtin_int, KNOW },
	[FUNCTION_STR] = { builtin_str, KEEP },
	[FUNCTION_JOIN] = { builtin_join, KEEP },
	[FUNCTION_SPLIT] = { builtin_split, KNOW },
	[FUNCTION_LINES] = { builtin_lines, KEEP },
	[FUNCTION_REPLACE] = { builtin_replace, KNOW },
	[FUNCTION_TRIM] = { builtin_trim, KNOW },
	[FUNCTION_PAD] = { builtin_pad, KNOW },
	[FUNCTION_LOWER] = { builtin_lower, KNOW },
	[FUNCTION_UPPER] = { builtin_upper, KNOW },
	[FUNCTION_STARTS_WITH] = { builtin_starts_with, KNOW },
	[FUNCTION_ENDS_WITH] = { builtin_ends_with, KNOW },
	[FUNCTION_MATCHES] = { builtin_matches, KNOW },
	[FUNCTION_KEYS] = { builtin_keys, KEEP },
	[FUNCTION_VALUES] = { builtin_values, KEEP },
	[FUNCTION_HAS] = { builtin_has, KNOW, true },
	[FUNCTION_JSON] = { builtin_json, KEEP },
	[FUNCTION_SHA256] = { builtin_sha256, KNOW },
	[FUNCTION_BYTES] = { builtin_bytes, KNOW },
	[FUNCTION_SECONDS] = { builtin_seconds, KNOW },
	[FUNCTION_MILLIS] = { builtin_millis, KNOW },
	[FUNCTION_HAS_DIGEST] = { builtin_has_digest, KNOW },
	[FUNCTION_TAG] = { builtin_tag, KNOW },
	[FUNCTION_PVC] = { builtin_pvc, KNOW },
	[FUNCTION_SCRATCH] = { builtin_scratch, KNOW },
	[FUNCTION_SECRET_FILES] = { builtin_secret_files, KNOW },
	[FUNCTION_CONFIG_FILES] = { builtin_config_files, KNOW },
	[FUNCTION_HOST_PATH] = { builtin_host_path, KNOW },
	[FUNCTION_NFS] = { builtin_nfs, KNOW },
	[FUNCTION_GENERATED] = { builtin_generated, KNOW },
	[FUNCTION_SECRET] = { builtin_secret, KNOW },
	[FUNCTION_CONFIG] = { builtin_config, KNOW },
	[FUNCTION_DONE] = { builtin_done, KNOW, true },
	[FUNCTION_READY] = { builtin_ready, KNOW },
	[FUNCTION_STARTED] = { builtin_started, KNOW },
	[FUNCTION_ENV] = { builtin_env, KNOW },
	[FUNCTION_OBJECT] = { builtin_object, KNOW },
	[FUNCTION_FAILS] = { builtin_fails, KNOW },
};

static const struct value *argument(struct eval *ev, struct frame *f, struct node *arg, enum need need, struct node *call)
{
	struct node *expr = arg->kind == NODE_ARG ? arg->u.arg.value : arg;
	const struct value *v = eval_expr(ev, f, expr);

	if (need == KEEP || !value_ok(v))
		return v;
	return need == KNOW ? value_static(ev, v, call) : value_static_deep(ev, v, call);
}

const struct value *eval_builtin(struct eval *ev, struct frame *f, struct node *n)
{
	unsigned which = n->u.call.target->function;
	const struct value *stop = NULL;

	if (which >= FUNCTIONS || !functions[which].call)
		return &value_bad;
	struct arguments a = { ev, n, ARENA_ARRAY(ev->arena, const struct value *, n->u.call.nbound), n->u.call.nbound };
	for (size_t i = 0; i < a.n; i++) {
		if (!n->u.call.bound[i])
			continue;
		a.at[i] = argument(ev, f, n->u.call.bound[i], functions[which].need, n);
		if (!functions[which].glances || a.at[i]->kind == VALUE_STRING)
			eval_walk(ev, a.at[i]);
		if (!value_ok(a.at[i]))
			stop = stop && stop->kind == VALUE_BAD ? stop : a.at[i];
	}
	while (a.n > 0 && !a.at[a.n - 1])
		a.n--;
	return stop ? stop : functions[which].call(&a);
}

struct str argument_text(const struct arguments *a, size_t i, const char *fallback)
{
	const struct value *v = ARGUMENT(a, i);

	return v && v->kind == VALUE_STRING ? v->u.string : str_of(fallback);
}

bool argument_bool(const struct arguments *a, size_t i, bool fallback)
{
	const struct value *v = ARGUMENT(a, i);

	return v && v->kind == VALUE_BOOL ? v->u.boolean : fallback;
}

int64_t argument_int(const struct arguments *a, size_t i, int64_t fallback)
{
	const struct value *v = ARGUMENT(a, i);

	return v && v->kind == VALUE_INT ? v->u.integer : fallback;
}

struct span argument_at(const struct arguments *a, size_t i)
{
	struct node *arg = i < a->call->u.call.nbound ? a->call->u.call.bound[i] : NULL;

	if (!arg)
		return a->call->span;
	return arg->kind == NODE_ARG ? arg->u.arg.value->span : arg->span;
}
