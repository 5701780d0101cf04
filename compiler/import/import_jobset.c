/*
 * import_jobset.c - reads JobSets of jobset.x-k8s.io/v1alpha2: each replicatedJob is a role. The number of its replicas
 * times the completions of its Job is the number of replicas of the role; pod J-R-a-b is replica a * completions + b.
 */
#include "import/compiled.h"
#include "import/import_jobset.h"
#include "import/import_tree.h"

#include "kube/limits.h"

#define EXCLUSIVE "alpha.jobset.sigs.k8s.io/exclusive-topology"

static const struct data *jobs_of(const struct data *spec) { return member(spec, "replicatedJobs"); }

/* ---- rules ---- */

static void targets_rule(struct import *im, const struct data *spec, const struct data *policy)
{
	const struct data *targets = member(policy, "targetReplicatedJobs");

	for (size_t i = 0; i < data_count(targets); i++) {
		const struct data *d = targets->u.list.at[i];
		if (!member_among(jobs_of(spec), "name", d->u.string))
			diag_report(im->diags, TJ1106, d->from, "no replicatedJob is named '%.*s'",
				STR_ARG(d->u.string));
	}
}

/* Checks that a text is one of the words that the field accepts. */
static void word_rule(struct import *im, const struct data *of, const char *key, const char *const *words)
{
	const struct data *d = member(of, key);
	struct buf known = { 0 };
	bool ok = !d;

	for (size_t i = 0; words[i] && !ok; i++)
		ok = str_is(d->u.string, words[i]);
	if (ok)
		return;
	for (size_t i = 0; words[i]; i++)
		buf_printf(&known, "%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
	struct diag *e = diag_report(im->diags, TJ1108, d->from, "'%s' cannot be '%.*s'", key, STR_ARG(d->u.string));
	diag_help(im->diags, e, "it is %.*s", STR_ARG(buf_text(&known)));
	buf_release(&known);
}

static const char *const operators[] = { "All", "Any", NULL }, *const orders[] = { "AnyOrder", "InOrder", NULL },
	*const states[] = { "Ready", "Complete", NULL };
static const char *const strategies[] = { "Recreate", "BlockingRecreate", "InPlaceRestart", NULL };
static const char *const actions[] = {
	"FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts", "RestartJob",
	"RestartJobAndIgnoreMaxRestarts", NULL
};

static void depends_rule(struct import *im, const struct data *spec, size_t mine)
{
	const struct data *jobs = jobs_of(spec), *depends = member(jobs->u.list.at[mine], "dependsOn");

	for (size_t i = 0; i < data_count(depends); i++) {
		const struct data *d = depends->u.list.at[i];
		struct str name = member_text(d, "name");
		bool before = false;
		for (size_t k = 0; k < mine; k++)
			before = before || str_eq(member_text(jobs->u.list.at[k], "name"), name);
		if (!before)
			diag_report(im->diags, TJ1106, d->from, "'%.*s' is not a replicatedJob before this one",
				STR_ARG(name));
		word_rule(im, d, "status", states);
	}
	if (data_count(depends) && str_is(member_text(member(spec, "startupPolicy"), "startupPolicyOrder"), "InOrder"))
		diag_report(im->diags, TJ1108, depends->from,
			"'startupPolicy' with the order InOrder and 'dependsOn' exclude each other");
}

/* Returns the number of pods: the number of Jobs times the completions of each. */
static void count_rule(struct import *im, const struct data *job, struct str name)
{
	const struct data *replicas = member(job, "replicas"), *batch = member(member(job, "template"), "spec");
	bool ok = replica_count_rule(im, replicas, name);

	if (!batch_rule(im, batch, name) || !ok)
		return;
	int64_t jobs = member_int(job, "replicas", 1),
		per = member_int(batch, "completions", member_int(batch, "parallelism", 1));
	if (jobs * per > INT32_MAX)
		diag_report(im->diags, TJ1103, replicas->from, "'%.*s' cannot have %lld replicas: %lld Jobs of %lld",
			STR_ARG(name), (long long)(jobs * per), (long long)jobs, (long long)per);
}

static void job_rule(const struct import_manifest *m, const struct data *spec, size_t i)
{
	struct import *im = m->im;
	const struct data *job = jobs_of(spec)->u.list.at[i];
	struct str name = member_text(job, "name"), whole;
	int64_t jobs = member_int(job, "replicas", 1);

	for (size_t k = 0; k < i; k++) {
		const struct data *other = jobs_of(spec)->u.list.at[k];
		if (!str_eq(member_text(other, "name"), name))
			continue;
		struct diag *d = diag_report(im->diags, TJ1106, job->from, "two replicatedJobs are named '%.*s'",
			STR_ARG(name));
		diag_note(im->diags, d, other->from, "the other one");
		break;
	}
	count_rule(im, job, name);
	whole = str_printf(im->arena, "%.*s-%.*s-%lld", STR_ARG(m->name), STR_ARG(name),
		(long long)(jobs > 0 ? jobs - 1 : 0));
	if (name.n && jobs > 0 && (whole.n > 63 || !kube_dns_label(whole))) {
		struct diag *d = diag_report(im->diags, TJ1105, job->from, "no Job can be called '%.*s'",
			STR_ARG(whole));
		diag_help(im->diags, d, "such a name has lower case letters, digits and '-', begins with a letter and "
			"is at most 63 characters long");
	}
	depends_rule(im, spec, i);
}

static void failure_rule(struct import *im, const struct data *spec, const struct data *policy)
{
	const struct data *rules = member(policy, "rules");

	word_rule(im, policy, "restartStrategy", strategies);
	for (size_t i = 0; i < data_count(rules); i++) {
		word_rule(im, rules->u.list.at[i], "action", actions);
		targets_rule(im, spec, rules->u.list.at[i]);
	}
}

bool jobset_check(const struct import_manifest *m, const struct data *spec)
{
	enum { MOST = 2000 };
	struct import *im = m->im;
	const struct data *jobs = jobs_of(spec), *coordinator = member(spec, "coordinator");
	size_t errors = im->diags->errors + im->diags->muted_errors;

	if (!data_count(jobs))
		diag_report(im->diags, TJ1106, m->at, "this %.*s has no replicatedJobs", STR_ARG(m->kind));
	if (data_count(jobs) > MOST) {          /* a job can have at most MOST roles */
		diag_report(im->diags, TJ1106, jobs->from, "this %.*s has %zu replicatedJobs; at most %d",
			STR_ARG(m->kind), data_count(jobs), MOST);
		return false;
	}
	for (size_t i = 0; i < data_count(jobs); i++)
		job_rule(m, spec, i);
	word_rule(im, member(spec, "successPolicy"), "operator", operators);
	targets_rule(im, spec, member(spec, "successPolicy"));
	word_rule(im, member(spec, "startupPolicy"), "startupPolicyOrder", orders);
	failure_rule(im, spec, member(spec, "failurePolicy"));
	if (coordinator && !member_among(jobs_of(spec), "name", member_text(coordinator, "replicatedJob")))
		diag_report(im->diags, TJ1106, coordinator->from, "no replicatedJob is named '%.*s'",
			STR_ARG(member_text(coordinator, "replicatedJob")));
	return im->diags->errors + im->diags->muted_errors == errors;
}

/* ---- roles ---- */

/* Labels and annotations that pods of a role may read about themselves. */
static void set_pod_fields(struct import *im, const struct set *s, struct set_role *r)
{
	struct arena *a = im->arena;
	struct str per = str_int(a, r->per), jobs = str_int(a, r->jobs), whole = STR("pod.index"),
		quoted = str_printf(a, "\"%.*s\"", STR_ARG(r->name));
	bool cell = r->inner.n > 0;
	struct str job = r->per == 1 ? whole : r->jobs == 1 ? STR("0") : str_cat(a, STR("pod.index // "), per, STR(""));
	struct str in_job = r->jobs == 1 ? whole : r->per == 1 ? STR("0")
		: str_cat(a, STR("pod.index % "), per, STR(""));
	size_t n = 0;

	if (cell) {
		job = STR("pod.copy");
		in_job = r->per == 1 ? STR("0") : whole;
	}
	r->fields[n++] = (struct role_field){ "metadata.annotations['batch.kubernetes.io/job-completion-index']",
		in_job, "JOB_COMPLETION_INDEX" };
	r->fields[n++] = (struct role_field){ "metadata.labels['batch.kubernetes.io/job-completion-index']", in_job,
		NULL };
	r->fields[n++] = (struct role_field){ "metadata.labels['jobset.sigs.k8s.io/job-index']", job, NULL };
	r->fields[n++] = (struct role_field){ "metadata.annotations['jobset.sigs.k8s.io/job-index']", job, NULL };
	r->fields[n++] = (struct role_field){ "metadata.labels['jobset.sigs.k8s.io/replicatedjob-name']", quoted,
		NULL };
	r->fields[n++] = (struct role_field){ "metadata.labels['jobset.sigs.k8s.io/replicatedjob-replicas']", jobs,
		NULL };
	r->fields[n++] = (struct role_field){ "metadata.labels['jobset.sigs.k8s.io/jobset-name']",
		str_printf(a, "\"%.*s\"", STR_ARG(s->m.name)), NULL };
}

/* Does each Job of the role request a topology domain of its own? */
static bool is_exclusive(const struct set *s, const struct set_role *r)
{
	const struct data *annotations = member(s->m.metadata, "annotations"),
		*of_pods = member(member(r->template, "metadata"), "annotations");

	return data_get(annotations, STR(EXCLUSIVE)) || data_get(of_pods, STR(EXCLUSIVE));
}

/* Does the container of a pod ask for a device of which several hosts make one unit? Then the Jobs are one world. */
static bool has_slices(const struct data *template)
{
	static const char *const amounts[] = { "limits", "requests" };
	const struct data *list = member(member(template, "spec"), "containers");

	for (size_t i = 0; i < data_count(list); i++)
		for (size_t k = 0; k < 2; k++)
			if (data_get(member(member(list->u.list.at[i], "resources"), amounts[k]),
			    STR("google.com/tpu")))
				return true;
	return false;
}

/* Is the first of several Jobs of the role enough for the success of the set? */
static bool first_is_enough(const struct set *s, const struct set_role *r)
{
	const struct data *policy = member(s->m.spec, "successPolicy"),
		*targets = member(policy, "targetReplicatedJobs");
	bool named = !data_count(targets);

	for (size_t i = 0; i < data_count(targets); i++)
		named = named || str_eq(targets->u.list.at[i]->u.string, r->name);
	return named && str_is(member_text(policy, "operator"), "Any");
}

/*
 * Are the Jobs of the role groups of pods? A set of Jobs, as a target, fails with any of them and waits for all, so the
 * other cases stay one role.
 */
static bool is_cell(const struct set *s, const struct set_role *r)
{
	return r->jobs > 1 && (r->per > 1 || is_exclusive(s, r)) && !has_slices(r->template) && !first_is_enough(s, r);
}

/* Reports that several Jobs become one role, whose replicas do not form groups. */
static void no_groups(struct set *s, const struct set_role *r, struct span at)
{
	struct diag *d = diag_report(s->m.im->diags, TJ1111, at,
		"the %lld groups of %lld pods become one role of %lld replicas, which Kubernetes places as one",
		(long long)r->jobs, (long long)r->per, (long long)(r->jobs * r->per));

	if (is_exclusive(s, r))
		diag_help(s->m.im->diags, d, "'exclusive-topology' then asks for one domain with room for all of them: "
			"write 'slices = %lld' if an accelerator of the library has their topology, or remove the "
			"annotation", (long long)r->jobs);
	else
		diag_help(s->m.im->diags, d, "pod.index // %lld is the group of a replica, pod.index %% %lld its place "
			"in it; where each group needs nodes of its own, write a cell with 'copies = %lld'",
			(long long)r->per, (long long)r->per, (long long)r->jobs);
}

/* Reports an annotation that gives each copy a domain of its own in a JobSet alone: `place` does not know its label. */
static void say_exclusive(struct set *s, const struct set_role *r)
{
	const struct data *of_set = data_get(member(s->m.metadata, "annotations"), STR(EXCLUSIVE)),
		*of_pods = data_get(member(member(r->template, "metadata"), "annotations"), STR(EXCLUSIVE)),
		*label = of_pods ? of_pods : of_set;

	if (!label || label->kind != DATA_STRING || (!of_pods && usual_level(label->u.string).n))
		return;
	struct diag *d = diag_report(s->m.im->diags, TJ1111, label->from,
		"only with the target 'jobset' does this annotation keep each copy of '%.*s' in a domain of its own",
		STR_ARG(r->word));
	diag_help(s->m.im->diags, d, "for other targets list '%.*s' in project.tj under 'topology', and write "
		"'place = near(\"%.*s\")' and 'apart = \"%.*s\"' in the cell", STR_ARG(label->u.string),
		STR_ARG(label->u.string), STR_ARG(label->u.string));
}

/* ---- claims that the JobSet controller makes ---- */

static struct str claim_name(const struct set *s, const struct data *claim)
{
	return str_printf(s->m.im->arena, "%.*s-%.*s", STR_ARG(member_text(member(claim, "metadata"), "name")),
		STR_ARG(s->m.name));
}

static bool mounts(const struct data *pod, struct str volume)
{
	static const char *const lists[] = { "containers", "initContainers" };

	for (size_t l = 0; l < 2; l++) {
		const struct data *list = member(pod, lists[l]);
		for (size_t i = 0; i < data_count(list); i++)
			if (member_among(member(list->u.list.at[i], "volumeMounts"), "name", volume))
				return true;
	}
	return false;
}

/* The pod template with a volume for the claim, if a container mounts a volume of the claim's name. */
static const struct data *with_claim(struct set *s, const struct data *template, const struct data *claim)
{
	struct arena *a = s->m.im->arena;
	const struct data *pod = member(template, "spec"), *source, *volume;
	struct str name = member_text(member(claim, "metadata"), "name");

	if (!mounts(pod, name))
		return template;
	source = tree_with(a, NULL, "claimName", tree_text(a, claim_name(s, claim), claim->from), claim->from);
	volume = tree_with(a, NULL, "name", tree_text(a, name, claim->from), claim->from);
	volume = tree_with(a, volume, "persistentVolumeClaim", source, claim->from);
	pod = tree_with(a, pod, "volumes", tree_append(a, member(pod, "volumes"), tree_one(a, volume)), claim->from);
	return tree_with(a, template, "spec", pod, template->from);
}

static void claim_object(struct set *s, const struct data *claim)
{
	struct import *im = s->m.im;
	struct arena *a = im->arena;
	struct str word = str_lower(a, word_text(a, member_text(member(claim, "metadata"), "name")));
	struct lines *object = lines_extend(a, s->body, str_cat(a, STR("object "), word, STR("_claim")), claim->from),
		*metadata;

	lines_set(a, object, STR("apiVersion"), expr_string(a, STR("v1")), claim->from);
	lines_set(a, object, STR("kind"), expr_string(a, STR("PersistentVolumeClaim")), claim->from);
	metadata = lines_extend(a, object, STR("metadata"), claim->from);
	lines_set(a, metadata, STR("name"), expr_string(a, claim_name(s, claim)), claim->from);
	raw_member(im, object, STR("spec"), member(claim, "spec"), claim->from);
	object->at[object->n - 1]->form = LINE_EXTEND;
}

static void claim_objects(struct set *s, const struct data *spec)
{
	const struct data *policies = member(spec, "volumeClaimPolicies");

	for (size_t i = 0; i < data_count(policies); i++) {
		const struct data *templates = member(policies->u.list.at[i], "templates"),
			*kept = member(policies->u.list.at[i], "retentionPolicy");
		for (size_t k = 0; k < data_count(templates); k++)
			if (member(templates->u.list.at[k], "spec"))
				claim_object(s, templates->u.list.at[k]);
		if (str_is(member_text(kept, "whenDeleted"), "Retain"))
			import_left_out(s->m.im, kept->from, STR("retentionPolicy"),
				"a claim is an object of the program like others, and is deleted with them");
	}
}

static const struct data *with_claims(struct set *s, const struct data *spec, const struct data *template)
{
	const struct data *policies = member(spec, "volumeClaimPolicies");

	for (size_t i = 0; i < data_count(policies); i++) {
		const struct data *templates = member(policies->u.list.at[i], "templates");
		for (size_t k = 0; k < data_count(templates); k++)
			template = with_claim(s, template, templates->u.list.at[k]);
	}
	return template;
}

static void read_set_role(struct set *s, const struct data *d, struct set_role *r)
{
	struct import *im = s->m.im;
	const struct data *job = member(member(d, "template"), "spec");
	struct span jobs_at = member_at(d, "replicas"),
		per_at = member_at(job, member(job, "completions") ? "completions" : "parallelism");

	*r = (struct set_role){ .name = member_text(d, "name"), .template = member(job, "template"), .place = d->from };
	r->jobs = member_int(d, "replicas", 1);
	r->per = batch_replicas(im, job);
	if (r->per == 1 && member(d, "replicas"))
		r->count_at = span_join(jobs_at, member(d, "replicas")->from);
	else if (member(job, "completions") || member(job, "parallelism"))
		r->count_at = per_at;
	if (!member(d, REJOINED) && is_cell(s, r)) {
		r->inner = STR("worker");
		r->copies_at = span_join(jobs_at, member(d, "replicas")->from);
		r->count_at = per_at;
	} else if (r->jobs > 1 && (r->per > 1 || is_exclusive(s, r))) {
		no_groups(s, r, member(d, "replicas")->from);
	}
	set_pod_fields(im, s, r);
}

static const struct pod_label labels[] = {
	{ "jobset.sigs.k8s.io/jobset-name", LABEL_OF_JOB }, { "jobset.sigs.k8s.io/replicatedjob-name", LABEL_OF_ROLE },
	{ "batch.kubernetes.io/job-name", LABEL_OF_ROLE }, { "job-name", LABEL_OF_ROLE }, { NULL, LABEL_KEPT }
};

/* Names the roles of cells: such a name differs from those of the job, but may occur in several cells. */
static void inner_words(struct set *s)
{
	static const char *const words[] = { "worker", "member", "replica_of_copy" };
	const char *word = words[0];

	for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
		bool taken = false;
		for (size_t i = 0; i < s->n; i++)
			taken = taken || str_is(s->roles[i].word, words[k]);
		word = words[k];
		if (!taken)
			break;
	}
	for (size_t i = 0; i < s->n; i++) {
		struct set_role *r = &s->roles[i];
		if (!r->inner.n)
			continue;
		r->inner = str_of(word);
		s->exclusive = STR(EXCLUSIVE);
		map_put(&s->job->cells, s->m.im->arena, r->word, s->job);
		say_exclusive(s, r);
	}
}

void jobset_roles(struct set *s, const struct data *spec)
{
	struct import *im = s->m.im;
	const struct data *jobs = jobs_of(spec), *network = member(spec, "network");
	struct str subdomain = member_text(network, "subdomain");

	s->n = data_count(jobs);
	s->roles = ARENA_ARRAY(im->arena, struct set_role, s->n);
	for (size_t i = 0; i < s->n; i++) {
		read_set_role(s, jobs->u.list.at[i], &s->roles[i]);
		s->roles[i].template = with_claims(s, spec, s->roles[i].template);
	}
	set_words(s);
	s->job->labels_of = labels;
	inner_words(s);
	for (size_t i = 0; i < s->n; i++)
		if (s->roles[i].jobs == 1)      /* with a single Job in the role, the Job's name stands for the role */
			set_label(s, &s->roles[i],
				str_printf(im->arena, "%.*s-%.*s-0", STR_ARG(s->m.name), STR_ARG(s->roles[i].name)));
	for (size_t i = 0; i < s->n && member_bool(network, "enableDNSHostnames", true); i++) {
		struct str head = str_printf(im->arena, "%.*s-%.*s-", STR_ARG(s->m.name), STR_ARG(s->roles[i].name));
		set_hosts(s, &s->roles[i], head, member(jobs->u.list.at[i], REJOINED) ? POD_ALONE : POD_OF_JOB,
			subdomain.n ? subdomain : s->m.name);
	}
}

/* ---- fields of the whole set ---- */

static void failure_policy(struct set *s, const struct data *policy)
{
	struct import *im = s->m.im;
	const struct data *most = member(policy, "maxRestarts");

	for (size_t i = 0; i < data_count(policy); i++) {
		const struct data_member *m = &policy->u.map.at[i];
		if (!str_is(m->key, "maxRestarts") &&
		    (!str_is(m->key, "restartStrategy") || !str_is(m->value->u.string, "Recreate")))
			import_left_out(im, m->key_at, m->key,
				"'restarts' of the job and 'retries' and 'retry_on' of its roles say what is retried");
	}
	if (!most || most->u.integer <= 0)
		return;
	struct span at = span_join(member_at(policy, "maxRestarts"), most->from);
	import_comments(im, lines_set(im->arena, s->body, STR("restarts"), expr_int(im->arena, most->u.integer), at),
		at);
}

static void network(struct set *s, const struct data *network)
{
	if (!member_bool(network, "publishNotReadyAddresses", true))
		import_left_out(s->m.im, member_at(network, "publishNotReadyAddresses"),
			STR("publishNotReadyAddresses"), "replicas can resolve each other before they are ready");
	if (!member_bool(network, "enableDNSHostnames", true))
		import_left_out(s->m.im, member_at(network, "enableDNSHostnames"), STR("enableDNSHostnames"),
			"every replica has a host name");
}

void jobset_fields(struct set *s, const struct data *spec)
{
	struct import *im = s->m.im;

	job_seconds(im, s->body, "ttl", spec, "ttlSecondsAfterFinished");
	job_suspend(im, s->body, spec);
	failure_policy(s, member(spec, "failurePolicy"));
	claim_objects(s, spec);
	network(s, member(spec, "network"));
	if (member(spec, "coordinator"))
		import_left_out(im, member_at(spec, "coordinator"), STR("coordinator"),
			"write ROLE.host(0) where a program has to know it");
	if (member(spec, "managedBy"))
		import_left_out(im, member_at(spec, "managedBy"), STR("managedBy"),
			"no other controller runs the objects of a program");
}

/*
 * Converts successPolicy. Its operator is "All" by default. With "Any", one complete Job of a role is enough; a
 * program can say this of a role with one Job, by requiring all its replicas.
 */
struct str jobset_success(struct set *s, const struct data *spec)
{
	struct import *im = s->m.im;
	const struct data *policy = member(spec, "successPolicy"), *targets = member(policy, "targetReplicatedJobs");
	bool any = str_is(member_text(policy, "operator"), "Any");
	size_t n = data_count(targets) ? data_count(targets) : s->n;
	struct buf out = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct set_role *r = data_count(targets) ? set_find(s, targets->u.list.at[i]->u.string)
			: &s->roles[i];
		if (any && r->jobs > 1 && r->per > 1)
			diag_report(im->diags, TJ1111, member_at(policy, "operator"),
				"the first Job of '%.*s' that ends is enough there; the program waits for its first "
				"replica",
				STR_ARG(r->name));
		if (r->jobs * r->per > 0)
			set_condition(&out, "done", r, any && r->jobs > 1, any ? "or" : "and");
	}
	struct str text = any || n < s->n ? str_copy(im->arena, buf_text(&out)) : STR("");
	buf_release(&out);
	return text;
}

/* ---- bodies ---- */

static void read_start_after(struct set *s, const struct data *spec, size_t i)
{
	struct import *im = s->m.im;
	const struct data *depends = member(jobs_of(spec)->u.list.at[i], "dependsOn"),
		*order = member(member(spec, "startupPolicy"), "startupPolicyOrder");
	struct span at = depends ? depends->from : order ? order->from : s->roles[i].place;
	struct buf out = { 0 };

	for (size_t k = 0; k < data_count(depends); k++) {
		const struct data *d = depends->u.list.at[k];
		set_condition(&out, str_is(member_text(d, "status"), "Complete") ? "done" : "ready",
			set_find(s, member_text(d, "name")), false, "and");
	}
	if (order && str_is(order->u.string, "InOrder") && i > 0)
		set_condition(&out, "ready", &s->roles[i - 1], false, "and");
	if (out.n)
		import_comments(im, lines_set(im->arena, s->roles[i].body, STR("start_after"),
			expr_text(im->arena, str_copy(im->arena, buf_text(&out))), at), at);
	buf_release(&out);
}

/*
 * Reports labels and annotations of a role's Job: a program cannot express them. It skips those that the set or the
 * role's pods also have, because the program has them already, and those that trainc or the trainer wrote.
 */
static void job_pairs(struct set *s, const struct set_role *r, const struct data_member *pairs)
{
	const struct data *of_job = member(s->m.metadata, str_copy(s->m.im->arena, pairs->key).p);
	const struct data *of_pods = data_get(member(r->template, "metadata"), pairs->key);

	if (pairs->value->kind != DATA_MAP)
		import_left_out(s->m.im, pairs->key_at, pairs->key, "the Jobs of roles are named after them");
	for (size_t i = 0; pairs->value->kind == DATA_MAP && i < pairs->value->u.map.n; i++) {
		const struct data_member *m = &pairs->value->u.map.at[i];
		const struct data *same = data_get(of_job, m->key);
		if (!same)
			same = data_get(of_pods, m->key);
		if (same && same->kind == DATA_STRING && m->value->kind == DATA_STRING &&
		    str_eq(same->u.string, m->value->u.string))
			continue;
		if (!str_starts(m->key, STR("trainer.kubeflow.org/")) && !member_is_record(m->key))
			import_left_out(s->m.im, m->key_at, m->key,
				"a role's objects carry the labels of the job; its pods those of the role");
	}
}

/*
 * Reads those fields of a role's Job that concern the set; reports fields that a program cannot express for one role.
 */
static void read_set_job_fields(struct set *s, const struct data *d, struct set_role *r)
{
	struct import *im = s->m.im;
	const struct data *metadata = member(member(d, "template"), "metadata"),
		*job = member(member(d, "template"), "spec");
	static const char *const keys[] = { "ttlSecondsAfterFinished", "suspend" };

	if (batch_read(im, job, r->body))
		lines_drop(im->arena, r->line, STR("restart"));
	job_seconds(im, r->body, "timeout", job, "activeDeadlineSeconds");
	for (size_t i = 0; i < 2; i++)
		if (member(job, keys[i]))
			import_left_out(im, member_at(job, keys[i]), str_of(keys[i]), "it belongs to the job as a "
				"whole");
	for (size_t i = 0; i < data_count(metadata); i++)
		job_pairs(s, r, &metadata->u.map.at[i]);
	if (member(d, "groupName") && !str_is(member_text(d, "groupName"), "default"))
		import_left_out(im, member_at(d, "groupName"), STR("groupName"), "the program has no groups of roles");
}

/* Reports a deadline that only some roles have: a program has a deadline for the whole job only. */
static void deadlines(struct set *s)
{
	struct import *im = s->m.im;
	struct line *first = lines_find(s->roles[0].body, STR("timeout"));
	bool same = first != NULL;

	for (size_t i = 1; i < s->n && same; i++) {
		const struct line *l = lines_find(s->roles[i].body, STR("timeout"));
		same = l && line_same(l, first);
	}
	for (size_t i = 0; i < s->n; i++) {
		struct line *l = lines_take(s->roles[i].body, STR("timeout"));
		if (l && !same)
			import_left_out(im, l->from, STR("activeDeadlineSeconds"),
				"'timeout' applies to the job as a whole, but these roles differ");
	}
	if (same)
		lines_push(im->arena, s->body, first);
}

bool jobset_bodies(struct set *s, const struct data *spec)
{
	const struct data *jobs = jobs_of(spec);
	bool ok = true;

	for (size_t i = 0; i < s->n; i++) {
		ok = set_role_open(s, &s->roles[i]) && ok;
		read_set_job_fields(s, jobs->u.list.at[i], &s->roles[i]);
		read_start_after(s, spec, i);
	}
	if (ok)
		deadlines(s);
	return ok;
}

static bool read_jobset(struct import *im, const struct import_kind *k, const struct data *object, struct imported *job)
{
	struct set s = { .job = job };
	size_t errors = im->diags->errors;
	struct str gang;

	if (!manifest_open(im, k, object, "jobset.x-k8s.io.v1alpha2.JobSet", false, &s.m) ||
	    im->diags->errors != errors)
		return false;
	if (!jobset_check(&s.m, s.m.spec))
		return false;
	s.m.spec = rejoin_jobs(im, s.m.metadata, s.m.spec, &gang);
	job->target = "jobset";
	jobset_roles(&s, s.m.spec);
	s.body = job_new(&s.m, job, NULL);
	if (gang.n)
		lines_set(im->arena, s.body, STR("gang"), expr_string(im->arena, gang), s.m.name_at);
	jobset_fields(&s, s.m.spec);
	struct str success = jobset_success(&s, s.m.spec);
	if (success.n)
		lines_set(im->arena, s.body, STR("success"), expr_text(im->arena, success),
			member_at(s.m.spec, "successPolicy"));
	if (!jobset_bodies(&s, s.m.spec))
		return false;
	set_finish(&s);
	return true;
}

const struct import_kind jobset_kinds[] = {
	{ "JobSet", "jobset.x-k8s.io/v1alpha2", read_jobset, false, IMPORT_JOB },
	{ 0 }
};
