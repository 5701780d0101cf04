/*
 * operator_check.c - checks the rules of the training operator: those of the webhooks in version 1.9, those of the
 * reconciler in version 1.7, and conditions under which it crashes. All rules are checked in every job, so that one
 * run reports everything.
 */
#include "import/operator.h"

#include <ctype.h>

#include "diag/suggest.h"
#include "kube/limits.h"

static struct diags *operator_diags(const struct operator_job *j) { return j->m.im->diags; }

/* Returns the kind with its article: "an MPIJob". */
static const char *article(const struct operator_job *j) { return strchr("MX", *j->kind->kind) ? "an" : "a"; }

/* ---- the name ---- */

static void name_rule(const struct operator_job *j)
{
	struct str name = j->m.name;
	bool ok = kube_dns_label(name) && name.n <= LIMIT_LABEL && islower((unsigned char)*name.p);
	struct diag *d;

	if (ok || j->alone || (j->kind->traits & OPERATOR_NO_NAME_RULE))
		return;
	if (name.n > LIMIT_LABEL)
		d = diag_report(operator_diags(j), TJ1105, j->m.name_at,
			"the job's name has %zu characters; at most 63", name.n);
	else
		d = diag_report(operator_diags(j), TJ1105, j->m.name_at, "'%.*s' cannot be the name of %s %s",
			STR_ARG(name), article(j), j->kind->kind);
	diag_help(operator_diags(j), d,
		"names are lower case letters, digits and '-', beginning with a letter and ending with a "
		"letter or digit");
}

/* ---- roles ---- */

static void roles_named(const struct operator_job *j, struct suggest *near)
{
	for (size_t i = 0; i < OPERATOR_ROLES && j->kind->roles[i].key; i++)
		suggest_add(near, str_of(j->kind->roles[i].key));
}

static void unknown_role(const struct operator_job *j, const struct data_member *role)
{
	struct suggest near;
	struct diag *d = diag_report(operator_diags(j), TJ1106, role->key_at, "%s %s has no role '%.*s'", article(j),
		j->kind->kind, STR_ARG(role->key));

	suggest_init(&near, j->m.im->arena, role->key);
	roles_named(j, &near);
	struct str sentence = suggest_or_list(&near, "its roles are");
	if (sentence.n)
		diag_help(operator_diags(j), d, "%.*s", STR_ARG(sentence));
}

static void same_role_twice(const struct operator_job *j)
{
	for (size_t i = 0; i < j->roles->u.map.n; i++) {
		const struct operator_role *role = operator_role_of(j->kind, j->roles->u.map.at[i].key);
		for (size_t k = 0; role && k < i && i < 2 * OPERATOR_ROLES; k++) {
			if (operator_role_of(j->kind, j->roles->u.map.at[k].key) != role)
				continue;
			struct diag *d = diag_report(operator_diags(j), TJ1106, j->roles->u.map.at[i].key_at,
				"the role '%s' appears twice", role->key);
			diag_note(operator_diags(j), d, j->roles->u.map.at[k].key_at, "the other one");
		}
	}
}

/* ---- containers ---- */

static void image_rule(const struct operator_job *j, const struct data_member *role, const struct data *container)
{
	struct diag *d;

	if (member_text(container, "image").n)
		return;
	d = diag_report(operator_diags(j), TJ1107, container->from, "this container of '%.*s' has no image",
		STR_ARG(role->key));
	diag_help(operator_diags(j), d, "set 'image'");
}

static void containers_rule(const struct operator_job *j, const struct data_member *role, const struct data *containers)
{
	const char *wanted = j->kind->role.container;
	bool found = !wanted;

	for (size_t i = 0; i < data_count(containers); i++) {
		const struct data *c = containers->u.list.at[i];
		struct str name = member_text(c, "name");
		image_rule(j, role, c);
		if (!name.n)
			diag_report(operator_diags(j), TJ1107, c->from, "this container of '%.*s' has no name",
				STR_ARG(role->key));
		found = found || str_is(name, wanted);
	}
	if (found)
		return;
	struct diag *d = diag_report(operator_diags(j), TJ1107, containers->from,
		"no container of '%.*s' is named '%s'", STR_ARG(role->key), wanted);
	diag_help(operator_diags(j), d, "the operator runs the program in the container of that name: rename one");
}

static void restart_rule(const struct operator_job *j, const struct data *spec)
{
	static const char *const words[] = { "", "Never", "OnFailure", "Always", "ExitCode" };
	struct str policy = member_text(spec, "restartPolicy");

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(policy, words[i]))
			return;
	struct diag *d = diag_report(operator_diags(j), TJ1108, member(spec, "restartPolicy")->from,
		"'%.*s' is not a restart policy", STR_ARG(policy));
	diag_help(operator_diags(j), d, "it is Never, OnFailure, Always or ExitCode");
}

static void replicas_rule(const struct operator_job *j, const struct data_member *role, const struct data *spec)
{
	int64_t n = member_int(spec, "replicas", 0);
	struct diag *d;

	if (n >= 0 && n <= INT32_MAX)
		return;
	d = diag_report(operator_diags(j), n < 0 ? TJ1109 : TJ1103, member(spec, "replicas")->from,
		"'%.*s' cannot have %lld replicas", STR_ARG(role->key), (long long)n);
	if (n < 0)
		diag_label(operator_diags(j), d, "the operator crashes on a negative number");
}

static void role_rule(const struct operator_job *j, const struct data_member *role)
{
	const struct data *pod = member(member(role->value, "template"), "spec"),
		*containers = member(pod, "containers");

	if (!operator_role_of(j->kind, role->key) && !(j->kind->traits & OPERATOR_OPEN))
		unknown_role(j, role);
	if (!data_count(containers)) {
		struct span at = containers ? member_at(pod, "containers") : role->key_at;
		struct diag *d = diag_report(operator_diags(j), TJ1107, at, "the role '%.*s' has no containers",
			STR_ARG(role->key));
		diag_help(operator_diags(j), d, "they belong under 'template', 'spec', 'containers'");
		return;
	}
	containers_rule(j, role, containers);
	restart_rule(j, role->value);
	replicas_rule(j, role, role->value);
}

/* ---- rules about which roles exist and how many replicas they have ---- */

static int64_t replicas_of(const struct data_member *role)
{
	return role ? member_int(role->value, "replicas", -1) : -1;
}

/* Requires exactly one replica. WRITTEN: the manifest must also set this number, as version 1.9 requires. */
static void single_rule(const struct operator_job *j, const char *key, bool written)
{
	const struct data_member *role = operator_member(j, key);
	const struct data *count = role ? member(role->value, "replicas") : NULL;
	struct diag *d;

	if (!role || replicas_of(role) == 1 || (!count && !written))
		return;
	if (count)
		d = diag_report(operator_diags(j), TJ1106, count->from, "%s %s has exactly one replica of '%s'",
			article(j), j->kind->kind, key);
	else
		d = diag_report(operator_diags(j), TJ1106, role->key_at, "'%s' does not say 'replicas: 1'", key);
	diag_help(operator_diags(j), d, count ? "write 1" : "version 1.9 of the operator requires the field");
}

static void required_rule(const struct operator_job *j, const char *key)
{
	if (!operator_member(j, key))
		diag_report(operator_diags(j), TJ1106, member_at(j->m.spec, j->kind->roles_key),
			"%s %s needs the role '%s'", article(j), j->kind->kind, key);
}

static void one_leader_rule(const struct operator_job *j)
{
	const struct data_member *chief = operator_member(j, "Chief"), *master = operator_member(j, "Master");

	if (!chief || !master)
		return;
	struct diag *d = diag_report(operator_diags(j), TJ1106, master->key_at,
		"'Chief' and 'Master' are the same role: use only one of them");
	diag_note(operator_diags(j), d, chief->key_at, "the other one");
	diag_help(operator_diags(j), d, "keep 'Chief', 'Master' is its older name");
}

/* Requires at least one replica of each role. */
static void some_rule(const struct operator_job *j)
{
	for (size_t i = 0; i < j->roles->u.map.n; i++) {
		const struct data_member *role = &j->roles->u.map.at[i];
		const struct data *count = member(role->value, "replicas");
		if (str_is(role->key, "Master") || !count || count->u.integer)
			continue;
		struct diag *d = diag_report(operator_diags(j), TJ1106, count->from,
			"'%.*s' needs at least one replica", STR_ARG(role->key));
		diag_help(operator_diags(j), d, "leave the role out, or give it a replica");
	}
}

/* ---- policies ---- */

static void managed_rule(const struct operator_job *j)
{
	const struct data *by = member(member(j->m.spec, "runPolicy"), "managedBy");
	struct diag *d;

	if (!by || j->version < 9)
		return;
	if (str_is(by->u.string, "kubeflow.org/training-operator"))
		return;
	if (str_is(by->u.string, "kueue.x-k8s.io/multikueue")) {
		d = diag_report(operator_diags(j), TJ1108, by->from, "'%.*s' runs this job, in another cluster",
			STR_ARG(by->u.string));
		diag_help(operator_diags(j), d,
			"no other controller runs the objects of a program: remove 'managedBy'");
		return;
	}
	d = diag_report(operator_diags(j), TJ1108, by->from,
		"'%.*s' is not the name of a controller that can manage this job", STR_ARG(by->u.string));
	diag_help(operator_diags(j), d, "the names of such controllers are kubeflow.org/training-operator and "
		"kueue.x-k8s.io/multikueue");
}

static void bounds_rule(const struct operator_job *j, const struct data *elastic)
{
	const struct data *min = member(elastic, "minReplicas"), *max = member(elastic, "maxReplicas");

	for (int i = 0; i < 2; i++) {
		const struct data *d = i ? max : min;
		if (d && (d->u.integer < 1 || d->u.integer > INT32_MAX))
			diag_report(operator_diags(j), TJ1108, d->from, "an elastic job has at least one replica");
	}
	if (min && max && min->u.integer > max->u.integer) {
		struct diag *d = diag_report(operator_diags(j), TJ1108, max->from,
			"'maxReplicas' is below 'minReplicas'");
		diag_note(operator_diags(j), d, min->from, "minReplicas");
	}
}

static void elastic_rule(const struct operator_job *j)
{
	const struct data *elastic = member(j->m.spec, "elasticPolicy"), *conf = member(elastic, "rdzvConf");
	const struct data *deprecated = member(elastic, "nProcPerNode"), *nproc = member(j->m.spec, "nprocPerNode");
	struct diag *d;

	if (!elastic)
		return;
	bounds_rule(j, elastic);
	if (!operator_member(j, "Worker")) {
		d = diag_report(operator_diags(j), j->version < 9 || str_is(j->m.kind, "PaddleJob") ? TJ1109 : TJ1106,
			member_at(j->m.spec, "elasticPolicy"),
			"an elastic job needs the role 'Worker'");
		diag_help(operator_diags(j), d, "add it, or remove 'elasticPolicy'");
	}
	if (conf && !conf->u.list.n) {
		d = diag_report(operator_diags(j), TJ1109, member_at(elastic, "rdzvConf"),
			"the operator crashes on an empty 'rdzvConf'");
		diag_help(operator_diags(j), d, "remove it");
	}
	if (deprecated && nproc) {
		d = diag_report(operator_diags(j), TJ1108, member_at(elastic, "nProcPerNode"),
			"the processes of a node are set twice");
		diag_note(operator_diags(j), d, member_at(j->m.spec, "nprocPerNode"), "the other place");
		diag_help(operator_diags(j), d,
			"keep 'nprocPerNode' of the job; that of 'elasticPolicy' is deprecated");
	} else if (deprecated && operator_member(j, "Master") && j->version < 9) {
		d = diag_report(operator_diags(j), TJ1109, member_at(elastic, "nProcPerNode"),
			"version 1.7 of the operator crashes on it when the job has a 'Master'");
		diag_help(operator_diags(j), d, "use 'nprocPerNode' of the job");
	}
}

/* ---- by kind ---- */

static void kind_rules(const struct operator_job *j)
{
	bool webhook = j->version >= 9;

	if (str_is(j->m.kind, "TFJob")) {
		one_leader_rule(j);
	} else if (str_is(j->m.kind, "PyTorchJob")) {
		single_rule(j, "Master", webhook);
		if (webhook)
			some_rule(j);
		elastic_rule(j);
	} else if (str_is(j->m.kind, "XGBoostJob")) {
		required_rule(j, "Master");
		single_rule(j, "Master", webhook);
	} else if (str_is(j->m.kind, "MPIJob")) {
		required_rule(j, "Launcher");
		single_rule(j, "Launcher", false);
	} else if (str_is(j->m.kind, "MXJob") && j->alone) {
		single_rule(j, "Scheduler", false);
	} else if (str_is(j->m.kind, "PaddleJob")) {
		elastic_rule(j);
	}
	if (!str_is(j->m.kind, "JAXJob"))
		managed_rule(j);
}

static void report_no_roles(const struct operator_job *j)
{
	struct span at = j->m.spec ? member_at(j->m.spec, j->kind->roles_key) : j->m.at;
	struct diag *d;

	if (import_misspelt_roles(&j->m))
		return;
	d = diag_report(operator_diags(j), TJ1106, at, "this %s has no roles", j->kind->kind);
	diag_help(operator_diags(j), d, "they belong under 'spec', '%s'", j->kind->roles_key);
}

bool operator_check(const struct operator_job *j)
{
	size_t errors = operator_diags(j)->errors + operator_diags(j)->muted_errors;

	name_rule(j);
	if (!j->roles) {
		report_no_roles(j);
		return false;
	}
	for (size_t i = 0; i < j->roles->u.map.n; i++)
		role_rule(j, &j->roles->u.map.at[i]);
	same_role_twice(j);
	kind_rules(j);
	return operator_diags(j)->errors + operator_diags(j)->muted_errors == errors;
}
