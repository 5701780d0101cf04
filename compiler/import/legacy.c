/*
 * legacy.c - reads the jobs of the two ancestors of the training operator: TfJob of version v1alpha1 (v1beta1 under
 * its first group) and MxJob of version v1beta1, as programs over std.legacy. Their manifests are read as Go reads
 * JSON, which ignores the case of keys; unknown keys are reported. Defaults are filled in before validation, as in
 * those operators.
 */
#include "import/import_role.h"

struct legacy_kind {
	const char *type, *framework;
	const char *role_key, *port_key;        /* keys in an element of replicaSpecs: of the role and of the port */
	const char *usual;                      /* the role of an element that names no role */
	const char *roles[4][2];                /* keys and names of the roles, in the order of the framework */
	struct role_kind role;
};

static const struct legacy_kind tensorflow_kind = {
	"tensorflow.v1alpha1.TfJob", "tfjob", "tfReplicaType", "tfPort", "MASTER",
	{ { "MASTER", "master" }, { "WORKER", "worker" }, { "PS", "ps" } },
	{ "tensorflow", "tensorflow", "tf-port", 2222, NULL, false },
};
static const struct legacy_kind mxnet_kind = {
	"mxnet.v1beta1.MxJob", "mxjob", "mxReplicaType", "PsRootPort", "WORKER",
	{ { "SCHEDULER", "scheduler" }, { "SERVER", "server" }, { "WORKER", "worker" } },
	{ "mxnet", "mxnet", "ps-root-port", 9091, NULL, false },
};

struct legacy_job {
	struct import_manifest m;
	const struct legacy_kind *kind;
	struct imported *job;
	const struct data *specs;               /* replicaSpecs, or NULL */
	struct str group;                       /* the API group */
	/*
	 * the group is kubeflow.org: the operator makes pods itself, any role can be the chief, and there is no default
	 * server
	 */
	bool later;
	bool default_ps;
};

static struct diags *legacy_diags(const struct legacy_job *j) { return j->m.im->diags; }

static struct str legacy_role_name(const struct legacy_job *j, const struct data *spec)
{
	struct str role = member_text(spec, j->kind->role_key);

	return role.n ? role : str_of(j->kind->usual);
}

static const char *legacy_word(const struct legacy_job *j, struct str role)
{
	for (size_t i = 0; i < 4 && j->kind->roles[i][0]; i++)
		if (str_is(role, j->kind->roles[i][0]))
			return j->kind->roles[i][1];
	return NULL;
}

static bool is_tensorflow(const struct legacy_job *j) { return j->kind == &tensorflow_kind; }

/* ---- rules ---- */

static void containers_rule(struct legacy_job *j, const struct data *spec, struct str role)
{
	const struct data *containers = member(member(member(spec, "template"), "spec"), "containers");

	if (!member(spec, "template")) {
		if (is_tensorflow(j) && str_is(role, "PS") && !j->later)
			return;                 /* the standard server */
		diag_report(legacy_diags(j), TJ1107, spec->from, "the role %.*s has no template", STR_ARG(role));
		return;
	}
	if (!member_among(containers, "name", str_of(j->kind->role.container)))
		diag_report(legacy_diags(j), TJ1107, containers ? containers->from : spec->from,
			"no container of %.*s is named '%s'", STR_ARG(role), j->kind->role.container);
}

static void spec_rule(struct legacy_job *j, size_t i)
{
	const struct data *spec = j->specs->u.list.at[i], *count = member(spec, "replicas");
	struct str role = legacy_role_name(j, spec);
	bool single = str_is(role, "MASTER") || str_is(role, "SCHEDULER");

	if (!legacy_word(j, role)) {
		struct diag *d = diag_report(legacy_diags(j), TJ1106, member(spec, j->kind->role_key)->from,
			"unknown role '%.*s'", STR_ARG(role));
		diag_help(legacy_diags(j), d, "the roles of this kind are %s, %s and %s", j->kind->roles[0][0],
			j->kind->roles[1][0], j->kind->roles[2][0]);
		return;
	}
	if (count && (count->u.integer < 0 || (single && count->u.integer != 1)))
		diag_report(legacy_diags(j), TJ1106, count->from, single ? "a job has exactly one %.*s"
			: "%.*s cannot have a negative number of replicas", STR_ARG(role));
	for (size_t k = 0; k < i; k++) {
		if (!str_eq(legacy_role_name(j, j->specs->u.list.at[k]), role))
			continue;
		struct diag *d = diag_report(legacy_diags(j), TJ1106, spec->from, "the role %.*s appears twice",
			STR_ARG(role));
		diag_note(legacy_diags(j), d, j->specs->u.list.at[k]->from, "the other one");
		break;
	}
	containers_rule(j, spec, role);
}

static const struct data *spec_of(const struct legacy_job *j, struct str role)
{
	for (size_t i = 0; i < data_count(j->specs); i++)
		if (str_eq(legacy_role_name(j, j->specs->u.list.at[i]), role))
			return j->specs->u.list.at[i];
	return NULL;
}

/* Checks the chief: in the groups before kubeflow.org only the MASTER can be the chief. */
static void master_rule(struct legacy_job *j, const struct data *policy, const struct data *chief)
{
	if (policy && (!chief || !str_is(member_text(chief, "replicaName"), "MASTER") ||
	    member_int(chief, "replicaIndex", 0) != 0)) {
		struct diag *d = diag_report(legacy_diags(j), TJ1108, policy->from, "the chief of the job is MASTER 0");
		diag_help(legacy_diags(j), d, "remove 'terminationPolicy'");
	}
	if (!spec_of(j, STR("MASTER"))) {
		struct diag *d = diag_report(legacy_diags(j), TJ1106, j->m.at,
			"this %.*s has no MASTER, so it would never end", STR_ARG(j->m.kind));
		diag_help(legacy_diags(j), d, "add an entry with 'tfReplicaType: MASTER'");
	}
}

static void chief_rule(struct legacy_job *j)
{
	const struct data *policy = member(j->m.spec, "terminationPolicy"), *chief = member(policy, "chief"), *spec;
	struct str role = policy ? member_text(chief, "replicaName") : STR("MASTER");
	int64_t index = member_int(chief, "replicaIndex", 0);
	struct diag *d;

	if (!j->later) {
		master_rule(j, policy, chief);
	} else if (policy && !role.n) {
		diag_report(legacy_diags(j), TJ1108, member_at(j->m.spec, "terminationPolicy"),
			"'terminationPolicy' names no chief");
	} else if (!(spec = spec_of(j, role))) {
		d = diag_report(legacy_diags(j), TJ1106, policy ? chief->from : j->m.at,
			"the chief of the job is %.*s, but the job has no %.*s", STR_ARG(role), STR_ARG(role));
		diag_help(legacy_diags(j), d, policy ? "add it, or name another role"
			: "add an entry with 'tfReplicaType: MASTER', or a 'terminationPolicy' with another chief");
	} else if (index < 0 || index >= member_int(spec, "replicas", 1)) {
		const struct data *at = member(chief, "replicaIndex");
		d = diag_report(legacy_diags(j), TJ1108, at ? at->from : spec->from,
			"the job has no %.*s %lld to be the chief", STR_ARG(role), (long long)index);
		diag_help(legacy_diags(j), d, "replicas are counted from 0");
	}
}

static void clean_rule(struct legacy_job *j)
{
	const struct data *policy = member(j->m.spec, "cleanupPodPolicy");
	struct str word = member_text(j->m.spec, "cleanupPodPolicy");

	if (!word.n || !j->later || str_is(word, "All") || str_is(word, "Running") || str_is(word, "None"))
		return;
	struct diag *d = diag_report(legacy_diags(j), TJ1108, policy->from, "'%.*s' is not a clean-up policy",
		STR_ARG(word));
	diag_help(legacy_diags(j), d, "it is All, Running or None");
}

static void mode_rule(struct legacy_job *j)
{
	struct str mode = member_text(j->m.spec, "jobMode");

	if (!str_is(mode, "local") && !str_is(mode, "dist"))
		diag_report(legacy_diags(j), TJ1108, mode.n ? member(j->m.spec, "jobMode")->from : j->m.at,
			"'jobMode' is local or dist, found '%.*s'", STR_ARG(mode));
}

static bool check_legacy(struct legacy_job *j)
{
	size_t errors = legacy_diags(j)->errors + legacy_diags(j)->muted_errors;

	for (size_t i = 0; i < data_count(j->specs); i++)
		spec_rule(j, i);
	if (!j->specs && import_misspelt_roles(&j->m))
		return false;
	if (!data_count(j->specs))
		diag_report(legacy_diags(j), TJ1106, j->m.at, "this %.*s has no replicas", STR_ARG(j->m.kind));
	else if (is_tensorflow(j))
		chief_rule(j);
	if (is_tensorflow(j))
		clean_rule(j);
	else
		mode_rule(j);
	return legacy_diags(j)->errors + legacy_diags(j)->muted_errors == errors;
}

/* ---- arguments of the framework ---- */

static void legacy_put(struct legacy_job *j, struct lines *to, const char *name, struct expr *value)
{
	lines_set(j->m.im->arena, to, str_of(name), value, (struct span){ 0, 0 });
}

static void legacy_put_text(struct legacy_job *j, struct lines *to, const char *name, const struct data *of,
	const char *key)
{
	if (member_text(of, key).n)
		legacy_put(j, to, name, expr_string(j->m.im->arena, member_text(of, key)));
}

static void tensorboard(struct legacy_job *j, struct lines *to, const struct data *board)
{
	struct expr *e = expr_new(j->m.im->arena, EXPR_BODY);

	legacy_put_text(j, &e->items, "log_dir", board, "logDir");
	legacy_put_text(j, &e->items, "service_type", board, "serviceType");
	if (data_count(member(board, "volumes")))
		legacy_put(j, &e->items, "volumes", raw_expr(j->m.im, member(board, "volumes")));
	if (data_count(member(board, "volumeMounts")))
		legacy_put(j, &e->items, "volume_mounts", raw_expr(j->m.im, member(board, "volumeMounts")));
	legacy_put(j, to, "tensorboard", e);
}

static void chief(struct legacy_job *j, struct lines *to)
{
	const struct data *of = member(member(j->m.spec, "terminationPolicy"), "chief");
	struct str role = member_text(of, "replicaName");

	if (!of || str_is(role, "MASTER"))
		return;
	legacy_put(j, to, "chief", expr_string(j->m.im->arena, str_of(legacy_word(j, role))));
	if (member_int(of, "replicaIndex", 0))
		legacy_put(j, to, "chief_index", expr_int(j->m.im->arena, member_int(of, "replicaIndex", 0)));
}

static struct expr *legacy_framework(struct legacy_job *j)
{
	struct arena *a = j->m.im->arena;
	struct expr *call = expr_call(a, str_printf(a, "legacy.%s", j->kind->framework));
	const struct data *ps = spec_of(j, STR("PS"));

	if (!is_tensorflow(j))
		legacy_put_text(j, &call->items, "job_mode", j->m.spec, "jobMode");
	legacy_put_text(j, &call->items, "runtime_id", j->m.spec, "RuntimeId");
	if (is_tensorflow(j) && !str_is(j->group, "tensorflow.org"))
		legacy_put(j, &call->items, "group", expr_string(a, j->group));
	if (str_is(j->group, "mlkube.io"))
		/* with this group, the pod label that names the role does not begin with the name of the job */
		legacy_put(j, &call->items, "naming", expr_string(a, STR("role")));
	chief(j, &call->items);
	legacy_put_text(j, &call->items, "tf_image", j->m.spec, "tfImage");
	j->default_ps = is_tensorflow(j) && !j->later && ps &&
		(!member(ps, "template") || member_bool(ps, "IsDefaultPS", false));
	if (j->default_ps)
		legacy_put(j, &call->items, "default_ps", expr_text(a, STR("true")));
	if (member(j->m.spec, "tensorboard") && j->later)
		import_left_out(j->m.im, member_at(j->m.spec, "tensorboard"), STR("tensorboard"),
			"the operator for kubeflow.org starts none");
	else if (member(j->m.spec, "tensorboard"))
		tensorboard(j, &call->items, member(j->m.spec, "tensorboard"));
	return call;
}

/* ---- roles ---- */

/* Is it the template that the controller wrote into the stored job for its standard server? */
static bool is_stored_server(const struct data *template)
{
	const struct data *containers = member(member(template, "spec"), "containers");

	for (size_t i = 0; i < data_count(containers); i++)
		if (member_among(member(containers->u.list.at[i], "volumeMounts"), "name", STR("ps-config-volume")))
			return true;
	return false;
}

static struct job_role legacy_role(struct legacy_job *j, const struct data *spec, const char *word)
{
	struct import *im = j->m.im;
	struct lines top = { 0 };
	struct role_reading r = { .im = im, .job = j->job, .kind = &j->kind->role, .word = str_of(word) };
	int64_t port = member_int(spec, j->kind->port_key, j->kind->role.number);

	r.replicas = member_int(spec, "replicas", 1);
	r.role = lines_extend(im->arena, &top, str_cat(im->arena, STR("role "), r.word, STR("")), spec->from);
	lines_set(im->arena, r.role, STR("replicas"), expr_int(im->arena, r.replicas), member_at(spec, "replicas"));
	if (port != j->kind->role.number)
		lines_set(im->arena, lines_block(im->arena, r.role, STR("ports"), spec->from),
			key_text(im->arena, str_of(j->kind->role.port)), expr_int(im->arena, port), spec->from);
	bool standard = j->default_ps && str_is(str_of(word), "ps");
	if (standard && member(spec, "template") && !is_stored_server(member(spec, "template")))
		import_left_out(im, member_at(spec, "template"), STR("template"),
			"the standard server takes its place");
	else if (!standard && member(spec, "template"))
		role_read(&r, member(spec, "template"));
	struct line *restart = lines_find(r.role, STR("restart"));
	if (restart && str_is(restart->value->pieces[0].text, "on-failure"))
		lines_drop(im->arena, top.at[0], restart->key); /* "on-failure" is the default of the framework */
	return (struct job_role){ top.at[0], spec->from };
}

static void write_legacy_roles(struct legacy_job *j, struct lines *body)
{
	struct job_role all[4];
	size_t n = 0;

	for (size_t i = 0; i < 4 && j->kind->roles[i][0]; i++) {
		const struct data *spec = spec_of(j, str_of(j->kind->roles[i][0]));
		if (spec)
			all[n++] = legacy_role(j, spec, j->kind->roles[i][1]);
	}
	job_finish(&j->m, j->job, body, all, n);
}

/* Reads `replica_specs`, an older name of `replicaSpecs`, and reports that the operator made no replicas from it. */
static const struct data *old_list(struct import *im, const struct data *object)
{
	const struct data *spec = member(object, "spec"), *list = member(spec, "replica_specs");

	if (list && !member(spec, "replicaSpecs")) {
		struct diag *d = diag_report(im->diags, TJ1106, member_at(spec, "replica_specs"),
			"'replica_specs' is an old name; the operator reads no replicas from it");
		diag_help(im->diags, d, "write 'replicaSpecs'");
	}
	return list;
}

/* Writes fields of the job's manifest as fields of the job in the program. */
static void write_legacy_fields(struct legacy_job *j, struct lines *body)
{
	static const char *const words[][2] = { { "Running", "running" }, { "None", "none" } };
	struct import *im = j->m.im;
	struct str clean = member_text(j->m.spec, "cleanupPodPolicy"),
		scheduler = member_text(j->m.spec, "schedulerName");

	for (size_t i = 0; j->later && i < 2; i++)
		if (str_is(clean, words[i][0]))
			lines_set(im->arena, body, STR("clean"), expr_string(im->arena, str_of(words[i][1])),
				member_at(j->m.spec, "cleanupPodPolicy"));
	if (clean.n && !j->later)
		import_left_out(im, member_at(j->m.spec, "cleanupPodPolicy"), STR("cleanupPodPolicy"),
			"only the operator for kubeflow.org reads it");
	if (scheduler.n)
		lines_set(im->arena, body, STR("scheduler"), expr_string(im->arena, scheduler),
			member_at(j->m.spec, "schedulerName"));
}

static bool legacy_read(struct import *im, const struct import_kind *row, const struct data *object,
	struct imported *job, const struct legacy_kind *kind)
{
	struct legacy_job j = { .kind = kind, .job = job };
	size_t errors = im->diags->errors;

	if (old_list(im, object) || !manifest_open(im, row, object, kind->type, true, &j.m))
		return false;
	j.specs = member(j.m.spec, "replicaSpecs");
	j.group = (struct str){ row->api_version, strcspn(row->api_version, "/") };
	j.later = str_is(j.group, "kubeflow.org");
	if (!check_legacy(&j) || im->diags->errors != errors)
		return false;
	job_use(im, job, STR("legacy"));
	struct lines *body = job_new(&j.m, job, legacy_framework(&j));
	write_legacy_fields(&j, body);
	write_legacy_roles(&j, body);
	return true;
}

static bool read_tensorflow(struct import *im, const struct import_kind *row, const struct data *object,
	struct imported *job)
{
	return legacy_read(im, row, object, job, &tensorflow_kind);
}

static bool read_mxnet(struct import *im, const struct import_kind *row, const struct data *object,
	struct imported *job)
{
	return legacy_read(im, row, object, job, &mxnet_kind);
}

const struct import_kind legacy_kinds[] = {
	/* the order matters: these come after configurations, which may define the devices of these jobs */
	{ "TfJob", "tensorflow.org/v1alpha1", read_tensorflow, true, IMPORT_JOB },
	{ "TfJob", "mlkube.io/v1beta1", read_tensorflow, true, IMPORT_JOB },
	{ "TFJob", "kubeflow.org/v1alpha1", read_tensorflow, true, IMPORT_JOB },
	{ "MxJob", "mxnet.mlkube.io/v1beta1", read_mxnet, true, IMPORT_JOB }, { 0 }
};
