/*
 * admission.c - writes two ValidatingAdmissionPolicies for each policy, one for its checks and one for its warnings,
 * and a binding for each. They apply to the objects of runs, or to the jobs of the operator: the
 * files manifest/policy-*.yaml say to which, and when.
 */
#include "runtime/supervise/admission.h"

#include "base/sha256.h"
#include "cel/cel.h"
#include "runtime/supervise/manifest.h"
#include "runtime/supervise/manifest_file.h"

enum { NAME_LONGEST = 60 };

struct admission {
	struct session *session;
	struct manifest_out to;
	enum cel_objects objects;
	struct cel_policies policies;
};

/* ---- names ---- */

static struct str slug(struct arena *a, struct str title)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < title.n && b.n < NAME_LONGEST; i++) {
		char x = title.p[i] >= 'A' && title.p[i] <= 'Z' ? (char)(title.p[i] + 'a' - 'A') : title.p[i];
		bool word = (x >= 'a' && x <= 'z') || (x >= '0' && x <= '9');
		if (word)
			buf_char(&b, x);
		else if (b.n && b.p[b.n - 1] != '-')
			buf_char(&b, '-');
	}
	while (b.n && b.p[b.n - 1] == '-')
		b.n--;
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

/*
 * The name of an object, which depends on the titles alone. A digest of TITLE is added when another title gives the
 * same name, or when TITLE has no letters.
 */
static struct str object_name(struct admission *d, struct str title, bool warn)
{
	struct arena *a = d->session->arena;
	struct str name = slug(a, title);
	const char *end = warn ? "-warn" : "", *begin = d->objects == CEL_RUN_OBJECTS ? "run-" : "";
	bool alone = name.n > 0;

	for (size_t i = 0; i < d->policies.nchecks; i++) {
		struct str other = d->policies.checks[i].policy;
		alone = alone && (str_eq(other, title) || !str_eq(slug(a, other), name));
	}
	if (alone)
		return str_printf(a, "trainc-%s%.*s%s", begin, STR_ARG(name), end);
	char hex[65];
	sha256_hex(title, hex);
	return str_printf(a, "trainc-%s%.*s%s%.8s%s", begin, STR_ARG(name), name.n ? "-" : "", hex, end);
}

/* ---- objects ---- */

static struct object *policy_text(struct admission *d, struct str s)
{
	return object_string(d->session->arena, s, (struct span){ 0 });
}

static struct object *validations(struct admission *d, struct str policy, bool warn)
{
	struct arena *a = d->session->arena;
	struct object *list = object_list(a, (struct span){ 0 });

	for (size_t i = 0; i < d->policies.nchecks; i++) {
		const struct cel_check *c = &d->policies.checks[i];
		if (c->warn != warn || !str_eq(c->policy, policy))
			continue;
		struct object *one = object_add_map(a, list, (struct span){ 0 });
		PUT_STR(a, one, "expression", c->expression, (struct span){ 0 });
		PUT_STR(a, one, "message", c->message, (struct span){ 0 });
		if (c->message_expression.n)
			PUT_STR(a, one, "messageExpression", c->message_expression, (struct span){ 0 });
	}
	return list;
}

/* Reads a file of the directory manifest/ as the object NAME. */
static struct object *named_manifest(struct admission *d, const char *file, struct str name)
{
	struct object *o = manifest_file_read(d->session->arena, file);

	object_put(d->session->arena, object_get(o, STR("metadata")), STR("name"), policy_text(d, name));
	return o;
}

static void bind_policy(struct admission *d, struct str name, bool warn)
{
	struct arena *a = d->session->arena;
	struct str ns = option_value(d->session->options, OPTION_NAMESPACE);
	struct object *o = named_manifest(d, "policy-binding", name), *spec = object_get(o, STR("spec"));

	object_put(a, spec, STR("policyName"), policy_text(d, name));
	if (warn)
		object_get(spec, STR("validationActions"))->u.list.at[0] = policy_text(d, STR("Warn"));
	if (ns.n) {
		struct object *match = PUT_MAP(a, spec, "matchResources", (struct span){ 0 });
		struct object *labels = PUT_MAP(a, PUT_MAP(a, match, "namespaceSelector", (struct span){ 0 }),
			"matchLabels", (struct span){ 0 });
		PUT_STR(a, labels, "kubernetes.io/metadata.name", ns, (struct span){ 0 });
	}
	manifest_put_object(&d->to, o);
}

/*
 * Writes the objects for the checks of a policy, or for its warnings. Writes nothing if the policy has no such checks.
 */
static void put_policy(struct admission *d, struct str policy, bool warn)
{
	struct str name = object_name(d, policy, warn);
	struct object *all = validations(d, policy, warn), *o;

	if (!all->u.list.n)
		return;
	o = named_manifest(d, d->objects == CEL_OPERATOR_JOBS ? "policy-kinds" : "policy-runs", name);
	object_append_word(d->session->arena, object_get(o, STR("spec")), STR("validations"), all);
	manifest_put_object(&d->to, o);
	bind_policy(d, name, warn);
}

/* ---- entry point ---- */

static void put_all(struct admission *d)
{
	manifest_begin(&d->to, d->session);
	for (size_t i = 0; i < d->policies.nchecks; i++) {
		struct str policy = d->policies.checks[i].policy;
		bool seen = false;
		for (size_t k = 0; k < i; k++)
			seen = seen || str_eq(d->policies.checks[k].policy, policy);
		if (!seen) {
			put_policy(d, policy, false);
			put_policy(d, policy, true);
		}
	}
	manifest_end(&d->to);
}

static void say_refusals(const struct admission *d, const struct sources *sources)
{
	for (size_t i = 0; i < d->policies.nrefusals; i++) {
		const struct cel_refusal *r = &d->policies.refusals[i];
		struct place place = source_place(sources, r->at.start);
		session_say(d->session, "%.*s:%u:%u: policy \"%.*s\": the API server cannot check this: %.*s",
			STR_ARG(place.source->name), place.line, place.column, STR_ARG(r->policy), STR_ARG(r->why));
	}
}

/* Reports that checks over `cluster.roles` do not apply to objects that do not say which roles are auxiliary. */
static void say_unchecked(const struct admission *d)
{
	bool any = false;

	for (size_t i = 0; i < d->policies.nchecks; i++)
		any = any || d->policies.checks[i].roles;
	if (any && d->objects == CEL_RUN_OBJECTS)
		session_say(d->session, "checks over cluster.roles do not apply to JobSets and LeaderWorkerSets, "
			"which do not say which of their roles are auxiliary; those over cluster.all_roles and "
			"cluster.containers do");
}

int admission_write(struct session *s)
{
	struct admission d = { .session = s, .objects = option_given(s->options, OPTION_KUBEFLOW) ?
		CEL_OPERATOR_JOBS : CEL_RUN_OBJECTS };
	struct programs all = { 0 };
	struct trainc *t = session_open(s);

	if (!t)
		return STATUS_USAGE;
	t->program.added = (struct added){ .name = STR("policies"), .text = STR("") };  /* the text does not come from a
											 * program */
	compile_front(t, (struct str){ 0 });
	ARENA_PUSH(s->arena, all.at, all.n, t);
	session_report(s, &all, false);
	if (all.ok) {
		cel_policies(s->arena, &t->program, d.objects, &d.policies);
		if (d.policies.npolicies)
			put_all(&d);
		else
			session_say(s, "no policies here: name their files in 'policies' of project.tj, "
				"in this directory or above it");
		say_refusals(&d, &t->sources);
		say_unchecked(&d);
	}
	bool none = all.ok && !d.policies.npolicies;
	int status = !all.ok ? STATUS_PROGRAM : none ? STATUS_USAGE : STATUS_DONE;
	session_release(&all);
	return status;
}
