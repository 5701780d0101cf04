/*
 * verify_features.c - reports what the target version or this compiler cannot write.
 */
#include "verify/verify.h"

#include "diag/suggest.h"
#include "kube/limits.h"

static bool target_known(struct checking *c)
{
	if (emit_target_known(c->plan->target))
		return target_check(c);
	struct diag *d = diag_report(c->diags, TJ0809, c->plan->target_at, "trainc does not write the target '%.*s'",
		STR_ARG(c->plan->target));
	struct suggest near;
	suggest_init(&near, c->arena, c->plan->target);
	for (size_t i = 0; emit_target_name(i); i++)
		suggest_add(&near, str_of(emit_target_name(i)));
	struct str sentence = suggest_sentence(&near);
	if (sentence.n)
		diag_help(c->diags, d, "%.*s", STR_ARG(sentence));
	else
		diag_help(c->diags, d, "use the target 'jobs', which every cluster from Kubernetes 1.28 on can run; "
			"the others are 'pods', 'kubeflow', 'jobset', 'trainer', 'lws' and 'volcano'");
	return false;
}

static bool has_success_policy(const struct plan_job *j, struct plan_success *ret)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].in_set && plan_set_rule(j, &j->roles[i], ret))
			return true;
	return !j->controller && plan_success_rule(j, ret);
}

static void success_policy(struct checking *c, const struct plan_job *j)
{
	struct plan_success rule;

	if (kube_has(c->plan->kubernetes, KUBE_SUCCESS_POLICY) || !has_success_policy(j, &rule))
		return;
	struct str condition = plan_condition_text(c->arena, j, j->success);
	struct diag *d = diag_report(c->diags, TJ0809, check_place(c, j->success->from, j->name_at, j->name_at),
		"'success = %.*s' needs %s of Kubernetes 1.%u; the project targets 1.%u", STR_ARG(condition),
		kube_words(KUBE_SUCCESS_POLICY), kube_usable_from(KUBE_SUCCESS_POLICY), c->plan->kubernetes);
	diag_help(c->diags, d, "wait for all replicas with 'success = done(%.*s)', or target Kubernetes 1.%u",
		STR_ARG(j->roles[rule.role].name), kube_usable_from(KUBE_SUCCESS_POLICY));
}

static bool is_operators(const struct checking *c) { return emit_target_traits(c->plan->target) & TARGET_OPERATOR; }

static void sidecars(struct checking *c, const struct plan_role *r)
{
	for (size_t i = 0; i < r->nsidecars && is_operators(c); i++) {
		struct diag *d = diag_report(c->diags, TJ0810, r->sidecars[i].name_at,
			"the training operator's pods have no native sidecars; '%.*s' is emitted as an ordinary "
			"container and will keep the pod running",
			STR_ARG(r->sidecars[i].name));
		diag_help(c->diags, d, "let it end when the main container ends, or use the target 'jobs'");
	}
	for (size_t i = 0; i < r->nsidecars && !is_operators(c) && !kube_has(c->plan->kubernetes, KUBE_NATIVE_SIDECAR);
	    i++) {
		struct diag *d = diag_report(c->diags, TJ0810, r->sidecars[i].name_at,
			"Kubernetes 1.%u has no native sidecars; '%.*s' is emitted as an ordinary container and will "
			"keep the pod running",
			c->plan->kubernetes, STR_ARG(r->sidecars[i].name));
		diag_help(c->diags, d, "let it end when the main container ends, or target Kubernetes 1.%u",
			kube_usable_from(KUBE_NATIVE_SIDECAR));
	}
}

static void device_claims(struct checking *c, const struct plan_role *r)
{
	const struct plan_pairs *first = r->claims.n ? &r->claims : &r->shared_claims;

	if (!first->n || kube_has(c->plan->kubernetes, KUBE_DEVICE_CLAIMS))
		return;
	struct diag *d = diag_report(c->diags, TJ0809, check_place(c, first->at[0].key_at, r->at, r->at),
		"'%s' needs %s of Kubernetes 1.%u; the project targets 1.%u",
		r->claims.n ? "device_claims" : "shared_device_claims",
		kube_words(KUBE_DEVICE_CLAIMS),
		kube_usable_from(KUBE_DEVICE_CLAIMS), c->plan->kubernetes);
	diag_help(c->diags, d, "ask for the devices with 'accelerator' or 'resources', or target Kubernetes 1.%u",
		kube_usable_from(KUBE_DEVICE_CLAIMS));
}

static void verify_retries(struct checking *c, const struct plan_role *r)
{
	if (plan_role_restarts(r) || !r->retries.set || !r->retries.value || r->unrolled ||
	    kube_has(c->plan->kubernetes, KUBE_BACKOFF_PER_INDEX))
		return;
	struct diag *d = diag_report(c->diags, TJ0810, check_place(c, r->retries.from, r->at, r->at),
		"Kubernetes 1.%u has no backoff limit per index; %lld retries are shared by all %lld replicas of role "
		"'%.*s'",
		c->plan->kubernetes, (long long)emit_shared_retries(r), (long long)plan_slice_size(r),
		STR_ARG(r->name));
	diag_help(c->diags, d, "target Kubernetes 1.%u to give each replica its own",
		kube_usable_from(KUBE_BACKOFF_PER_INDEX));
}

static void verify_restart(struct checking *c, const struct plan_role *r)
{
	if ((r->aux && !r->in_set) || !r->restart.set || !str_is(r->restart.value, "always"))
		return;
	struct diag *d = diag_report(c->diags, TJ0810, check_place(c, r->restart.from, r->at, r->at),
		"a Job has no restart = \"always\"; role '%.*s' is restarted on failure only", STR_ARG(r->name));
	diag_help(c->diags, d, r->aux ? "write restart = \"on-failure\"" :
		"write restart = \"on-failure\", or make it an 'aux' role if it is not part of the cluster");
}

/* Does the plan have at most 10^4 objects? A larger number is certainly a mistake. */
static bool few_enough_objects(struct checking *c)
{
	size_t n = emit_count(c->plan);

	if (n <= LIMIT_OBJECTS)
		return true;
	struct str count = check_count(c->arena, n);
	struct diag *d = diag_report(c->diags, TJ0407, c->plan->jobs[0].name_at,
		"the program becomes %.*s objects; at most 10,000", STR_ARG(count));
	diag_help(c->diags, d,
		"split it, or keep what depends on 'pod.index' as text so that replicas share an object");
	return false;
}

bool check_features(struct checking *c)
{
	if (!target_known(c) || !few_enough_objects(c))
		return false;
	for (size_t i = 0; i < c->plan->njobs; i++) {
		const struct plan_job *j = &c->plan->jobs[i];
		check_gang(c, j);
		check_places(c, j);
		if (!plan_each_replica(j))
			success_policy(c, j);
		for (size_t k = 0; k < j->nroles; k++) {
			const struct plan_role *r = &j->roles[k];
			if (!r->max)
				continue;
			device_claims(c, r);
			if (plan_each_replica(j) && !r->replica.job)
				/*
				 * nobody expects native sidecars, retries or restarts from bare pods, so these checks
				 * are skipped
				 */
				continue;
			sidecars(c, r);
			if (is_operators(c))
				continue;       /* the operator has rules of its own about restarts */
			verify_retries(c, r);
			verify_restart(c, r);
		}
	}
	return true;
}
