/*
 * emit_failure.c - writes how often a replica may fail, and when the Job has succeeded.
 */
#include "emit/emit_build.h"

static int64_t pod_retries(const struct plan_role *r) { return r->retries.set ? r->retries.value : 0; }

int64_t emit_shared_retries(const struct plan_role *r)
{
	int64_t n = pod_retries(r), pods = plan_slice_size(r);

	return pods && n > INT32_MAX / pods ? INT32_MAX : n * pods;
}

static void budget(struct emit *e, const struct plan_role *r, struct object *spec)
{
	struct span from = r->retries.from;
	int64_t n = pod_retries(r);

	if (plan_role_restarts(r)) {
		/* the kubelet restarts the container; with a limit of 0 the Job would fail at the first restart */
		PUT_INT(e->arena, spec, "backoffLimit", 2147483647, r->restart.from);
		return;
	}
	if (n == 0 || r->unrolled) {
		PUT_INT(e->arena, spec, "backoffLimit", n, from);
		return;
	}
	if (!kube_has(e->plan->kubernetes, KUBE_BACKOFF_PER_INDEX)) {
		PUT_INT(e->arena, spec, "backoffLimit", emit_shared_retries(r), from);
		return;
	}
	PUT_INT(e->arena, spec, "backoffLimitPerIndex", n, from);
	/* the server refuses a limit above the number of replicas, and Kueue reduces the replicas, not the limit */
	if (!emit_gang_shrinks(e->job, r))
		PUT_INT(e->arena, spec, "maxFailedIndexes", r->elastic ? r->max - r->min : 0, from);
}

/* Writes the exit codes that are not retried, so that they end the Job at once; the list must not be empty. */
static void final_codes(struct emit *e, const struct plan_role *r, struct object *rules)
{
	struct object *values = object_list(e->arena, r->retry_on.from), *rule, *codes;

	for (int64_t code = 1; code <= 255; code++)
		if (!plan_codes_has(&r->retry_on, code))
			object_add(e->arena, values, object_integer(e->arena, code, r->retry_on.from));
	if (!values->u.list.n)
		return;
	rule = object_add_map(e->arena, rules, r->retry_on.from);
	PUT_STR(e->arena, rule, "action", STR("FailJob"), r->retry_on.from);
	codes = PUT_MAP(e->arena, rule, "onExitCodes", r->retry_on.from);
	PUT_STR(e->arena, codes, "containerName", plan_label(e->arena, r->main.name), r->main.name_at);
	PUT_STR(e->arena, codes, "operator", STR("In"), r->retry_on.from);
	object_append(e->arena, codes, STR("values"), values);
}

/*
 * Writes the failure policy. A disruption is not a failure of the program. Its rule comes before the rules for exit
 * codes, because a preempted program often exits with 1.
 */
void emit_failure(struct emit *e, const struct plan_role *r, struct object *spec)
{
	budget(e, r, spec);
	if (plan_role_restarts(r))
		return;
	struct object *rules = PUT_LIST(e->arena, PUT_MAP(e->arena, spec, "podFailurePolicy", r->at), "rules", r->at);
	struct object *ignore = object_add_map(e->arena, rules, r->at), *condition;
	PUT_STR(e->arena, ignore, "action", STR("Ignore"), r->at);
	condition = object_add_map(e->arena, PUT_LIST(e->arena, ignore, "onPodConditions", r->at), r->at);
	PUT_STR(e->arena, condition, "type", STR("DisruptionTarget"), r->at);
	PUT_STR(e->arena, condition, "status", STR("True"), r->at);
	if (r->retry_on.set)
		final_codes(e, r, rules);
}

/* Formats a set of indexes as the API expects it: "0,3,5-7". */
static struct str index_set(struct arena *a, const struct plan_index_set *set)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < set->n;) {
		size_t end = i;
		while (end + 1 < set->n && set->at[end + 1] == set->at[end] + 1)
			end++;
		if (i)
			buf_char(&out, ',');
		buf_int(&out, set->at[i]);
		if (end > i) {
			buf_char(&out, end > i + 1 ? '-' : ',');
			buf_int(&out, set->at[end]);
		}
		i = end + 1;
	}
	struct str s = buf_take(&out, a);
	buf_release(&out);
	return s;
}

void emit_success(struct emit *e, const struct plan_role *r, struct object *spec)
{
	struct plan_success rule;
	bool decides = r->in_set ? plan_set_rule(e->job, r, &rule) :
		plan_success_rule(e->job, &rule) && &e->job->roles[rule.role] == r;

	if (r->aux || !decides)
		return;
	struct span from = e->job->success->from;
	struct object *rules = PUT_LIST(e->arena, PUT_MAP(e->arena, spec, "successPolicy", from), "rules", from);
	for (size_t i = 0; i < rule.n; i++) {
		struct object *o = object_add_map(e->arena, rules, from);
		if (rule.sets[i].n)
			PUT_STR(e->arena, o, "succeededIndexes", index_set(e->arena, &rule.sets[i]), from);
		else
			PUT_INT(e->arena, o, "succeededCount", 1, from);
	}
}
