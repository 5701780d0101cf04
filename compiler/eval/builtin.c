/*
 * builtin.c - the table of built-in functions, and the evaluation of their arguments. The checker has bound and typed
 * the arguments. Functions differ in how much of a text must be known at compile time: join and json keep pieces, upper
 * needs the whole text, and sorted needs the whole text of every element.
 */
#include "eval/builtin.h"

enum need {
	KEEP,                           /* texts are passed with their pieces */
	KNOW,                           /* a text must be known completely */
	KNOW_ALL                        /* every element of a list or map must be known completely, too */
};

static const struct {
	const struct value *(*call)(struct arguments *a);
	enum need need;
	bool glances;                   /* the function does not visit all elements of its arguments, so it costs no
					 * steps */
} functions[FUNCTIONS] = {
	[FUNCTION_LEN] = { builtin_len, KNOW, true },
	[FUNCTION_RANGE] = { builtin_range, KNOW, false },
	[FUNCTION_SUM] = { builtin_sum, KNOW_ALL, false },
	[FUNCTION_PRODUCT] = { builtin_product, KNOW_ALL, false },
	[FUNCTION_MIN] = { builtin_min, KNOW_ALL, false },
	[FUNCTION_MAX] = { builtin_max, KNOW_ALL, false },
	[FUNCTION_SORTED] = { builtin_sorted, KNOW_ALL, false },
	[FUNCTION_UNIQUE] = { builtin_unique, KNOW_ALL, false },
	[FUNCTION_FLATTEN] = { builtin_flatten, KEEP, false },
	[FUNCTION_FIND] = { builtin_find, KNOW, false },
	[FUNCTION_ABS] = { builtin_abs, KNOW, false },
	[FUNCTION_CEIL_DIV] = { builtin_ceil_div, KNOW, false },
	[FUNCTION_ROUND] = { builtin_round, KNOW, false },
	[FUNCTION_FLOAT] = { builtin_float, KNOW, false },
	[FUNCTION_INT] = { builtin_int, KNOW, false },
	[FUNCTION_STR] = { builtin_str, KEEP, false },
	[FUNCTION_JOIN] = { builtin_join, KEEP, false },
	[FUNCTION_SPLIT] = { builtin_split, KNOW, false },
	[FUNCTION_LINES] = { builtin_lines, KEEP, false },
	[FUNCTION_REPLACE] = { builtin_replace, KNOW, false },
	[FUNCTION_TRIM] = { builtin_trim, KNOW, false },
	[FUNCTION_PAD] = { builtin_pad, KNOW, false },
	[FUNCTION_CUT] = { builtin_cut, KNOW, false },
	[FUNCTION_LOWER] = { builtin_lower, KNOW, false },
	[FUNCTION_UPPER] = { builtin_upper, KNOW, false },
	[FUNCTION_STARTS_WITH] = { builtin_starts_with, KNOW, false },
	[FUNCTION_ENDS_WITH] = { builtin_ends_with, KNOW, false },
	[FUNCTION_MATCHES] = { builtin_matches, KNOW, false },
	[FUNCTION_COMMANDS] = { builtin_commands, KNOW_ALL, false },
	[FUNCTION_OPTIONS] = { builtin_options, KNOW_ALL, false },
	[FUNCTION_KEYS] = { builtin_keys, KEEP, false },
	[FUNCTION_VALUES] = { builtin_values, KEEP, false },
	[FUNCTION_HAS] = { builtin_has, KNOW, true },
	[FUNCTION_JSON] = { builtin_json, KEEP, false },
	[FUNCTION_SHA256] = { builtin_sha256, KNOW, false },
	[FUNCTION_BYTES] = { builtin_bytes, KNOW, false },
	[FUNCTION_SECONDS] = { builtin_seconds, KNOW, false },
	[FUNCTION_MILLIS] = { builtin_millis, KNOW, false },
	[FUNCTION_HAS_DIGEST] = { builtin_has_digest, KNOW, false },
	[FUNCTION_TAG] = { builtin_tag, KNOW, false },
	[FUNCTION_PVC] = { builtin_pvc, KEEP, false },
	[FUNCTION_SCRATCH] = { builtin_scratch, KNOW, false },
		[FUNCTION_OWN_CLAIM] = { builtin_own_claim, KNOW, false },
	[FUNCTION_SECRET_FILES] = { builtin_secret_files, KNOW, false },
	[FUNCTION_CONFIG_FILES] = { builtin_config_files, KNOW, false },
	[FUNCTION_HOST_PATH] = { builtin_host_path, KNOW, false },
	[FUNCTION_NFS] = { builtin_nfs, KNOW, false },
	[FUNCTION_CSI] = { builtin_csi, KNOW, false },
	[FUNCTION_GENERATED] = { builtin_generated, KNOW, false },
	[FUNCTION_SECRET] = { builtin_secret, KNOW, false },
	[FUNCTION_CONFIG] = { builtin_config, KNOW, false },
	[FUNCTION_SECRET_ENV] = { builtin_secret_env, KNOW, false },
	[FUNCTION_CONFIG_ENV] = { builtin_config_env, KNOW, false },
	[FUNCTION_DONE] = { builtin_done, KNOW, true },
	[FUNCTION_READY] = { builtin_ready, KNOW, false },
	[FUNCTION_STARTED] = { builtin_started, KNOW, false },
	[FUNCTION_TCP] = { builtin_tcp, KNOW, false },
	[FUNCTION_HTTP] = { builtin_http, KNOW, false },
	[FUNCTION_EXEC] = { builtin_exec, KNOW_ALL, false },
	[FUNCTION_NEAR] = { builtin_near, KNOW, false },
	[FUNCTION_PREFER] = { builtin_prefer, KNOW, false },
	[FUNCTION_ENV] = { builtin_env, KNOW, false },
	[FUNCTION_OBJECT] = { builtin_object, KNOW, false },
	[FUNCTION_FAILS] = { builtin_fails, KNOW, false },
};

static const struct value *builtin_argument(struct eval *ev, struct frame *f, struct node *arg, enum need need,
	struct node *call)
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
	struct arguments a = { ev, n, ARENA_ARRAY(eval_work(ev), const struct value *, n->u.call.nbound),
		n->u.call.nbound };
	for (size_t i = 0; i < a.n; i++) {
		if (!n->u.call.bound[i])
			continue;
		a.at[i] = builtin_argument(ev, f, n->u.call.bound[i], functions[which].need, n);
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
