/*
 * operator_test.c - compares decisions about jobs with those of the older operator. The cases are data, in
 * tests/decide and, if there are any, in the directory CONFORMANCE.
 *
 * A case is a directory with expected.json: what is checked, what the controller sees, and the expected result. The
 * import converts the manifest, job.yaml, to a program. Cases that differ on purpose are listed by name in
 * docs/differences.md, and must differ.
 * Rows of tests/compat/rows.py: S193 is from_nothing, S197 each_worker, and S198 holds as all kinds share decide().
 */
#include "unit.h"

#include <dirent.h>
#include <stdlib.h>

#include "base/file.h"
#include "compile.h"
#include "import/import.h"
#include "world.h"

struct vector {
	struct arena arena;
	struct str folder;
	const struct data *want, *expect, *input, *observed;
	struct trainc program;
	struct world world;
	struct str text;                /* the program */
	bool compiled;
	int worker;                     /* position of the only role, if the program is written here */
	struct str why;                 /* the first reason why the case fails */
};

static void wrong(struct vector *v, struct str why)
{
	if (!v->why.n)
		v->why = why;
}
static void wrong_z(struct vector *v, const char *why) { wrong(v, str_of(why)); }

static void same_number(struct vector *v, const char *what, int64_t got, const struct data *want)
{
	if (!want || want->kind != DATA_INT || want->u.integer != got)
		wrong(v, str_printf(&v->arena, "%s: %lld, not %lld", what, (long long)got,
			want && want->kind == DATA_INT ? (long long)want->u.integer : -1LL));
}

static void same_bool(struct vector *v, const char *what, bool got, const struct data *want)
{
	if (!want || want->kind != DATA_BOOL || want->u.boolean != got)
		wrong(v, str_printf(&v->arena, "%s is %s", what, got ? "true" : "false"));
}

static void same_text(struct vector *v, struct str got, const struct data *want)
{
	if (!want || want->kind != DATA_STRING || !str_eq(want->u.string, got))
		wrong(v, str_printf(&v->arena, "'%.*s', not '%.*s'", STR_ARG(got),
			want && want->kind == DATA_STRING ? (int)want->u.string.n : 0,
			want && want->kind == DATA_STRING ? want->u.string.p : ""));
}

static const struct data *at(const struct data *d, const char *path) { return d ? status_path(d, path) : NULL; }
static struct str text_at(const struct data *d, const char *path) { return d ? status_text(d, path) : STR(""); }
static int64_t number_at(const struct data *d, const char *path) { return d ? status_number(d, path, -1) : -1; }
static bool true_at(const struct data *d, const char *path)
{
	const struct data *b = at(d, path);
	return b && b->kind == DATA_BOOL && b->u.boolean;
}
static size_t length(const struct data *list) { return list && list->kind == DATA_LIST ? list->u.list.n : 0; }
static size_t members(const struct data *map) { return map && map->kind == DATA_MAP ? map->u.map.n : 0; }

/* ---- programs ---- */

static bool read_program(void *context, struct arena *arena, struct str path, struct str *ret, struct str *why)
{
	const struct vector *v = context;

	if (str_is(path, "job.tj")) {
		*ret = str_copy(arena, v->text);
		return true;
	}
	*why = STR("no such file");
	return false;
}

/* Compiles the text; returns false when the compiler refuses it, which the caller reports. */
static bool compiles(struct vector *v, struct str text)
{
	struct reader reader = { .context = v, .read = read_program };

	v->text = text;
	compile_init(&v->program, &reader);
	v->compiled = true;
	v->program.options.target = STR("pods");
	compile_plan(&v->program, STR("job.tj"));
	return diags_ok(&v->program.diags) && v->program.plan.njobs == 1;
}

static bool begin(struct vector *v, struct str text, struct str kind)
{
	if (!compiles(v, text)) {
		wrong(v, str_printf(&v->arena, "the program is refused:\n%.*s", STR_ARG(text)));
		return false;
	}
	world_begin(&v->world, &v->program.plan.jobs[0], kind);
	return true;
}

/* Imports the manifest of the case and compiles the program. */
static bool begin_manifest(struct vector *v)
{
	struct str path = str_cat(&v->arena, v->folder, STR("/job.yaml"), STR("")), text, why;
	struct sources sources = { .arena = &v->arena };
	struct diags diags = { .arena = &v->arena, .sources = &sources };
	bool newer = str_starts(text_at(v->want, "operator_version"), STR("1.9"));
	struct data_error error;
	struct data *manifest;
	struct buf out = { 0 };

	if (!file_read(&v->arena, path, &text, &why)) {
		wrong(v, why);
		return false;
	}
	struct import *im = import_new(&v->arena, &sources, &diags,
		(struct import_options){ .operator_minor = newer ? 9 : 7 });
	const struct source *source = source_add(&sources, path, text);
	import_read(im, source);
	bool good = import_count(im) == 1 && import_program(im, IMPORT_ALL, &out) && diags_ok(&diags);
	struct str program = buf_take(&out, &v->arena);
	buf_release(&out);
	struct data_reader *r = data_reader_new(&v->arena, source);
	good = data_next(r, &manifest, &error) == DATA_DOCUMENT && good;
	data_reader_release(r);
	if (!good)
		wrong_z(v, "the manifest is refused");
	return good && begin(v, program, text_at(manifest, "kind"));
}

/* ---- translating the terms of the cases ---- */

static enum seen_phase phase_of(struct vector *v, struct str word)
{
	static const char *const words[] = { "Pending", "Running", "Succeeded", "Failed" };

	for (unsigned i = 0; i < 4; i++)
		if (str_is(word, words[i]))
			return (enum seen_phase)i;
	wrong(v, str_printf(&v->arena, "no phase '%.*s'", STR_ARG(word)));
	return SEEN_PENDING;
}

static enum job_condition_type type_of(struct vector *v, struct str word)
{
	for (unsigned t = JOB_CREATED; t <= JOB_FAILED; t++)
		if (str_is(word, condition_word(t)))
			return t;
	wrong(v, str_printf(&v->arena, "no condition '%.*s'", STR_ARG(word)));
	return JOB_CREATED;
}

static const char *policy_word(struct vector *v, struct str word)
{
	static const char *const words[][2] = { { "None", "none" }, { "Running", "running" }, { "All", "all" } };

	for (unsigned i = 0; i < 3; i++)
		if (str_is(word, words[i][0]))
			return words[i][1];
	wrong(v, str_printf(&v->arena, "no clean-up policy '%.*s'", STR_ARG(word)));
	return "none";
}

/* Returns the restart policy as the import would write it. */
static const char *restart_fields(struct vector *v, struct str word)
{
	static const char *const words[][2] = {
		{ "Never", ", restart = \"never\"" }, { "OnFailure", ", restart = \"on-failure\"" },
		{ "Always", ", restart = \"always\"" }, { "ExitCode", ", retry_on = 128..255" },
	};

	for (unsigned i = 0; i < 4; i++)
		if (str_is(word, words[i][0]))
			return words[i][1];
	wrong(v, str_printf(&v->arena, "no restart policy '%.*s'", STR_ARG(word)));
	return "";
}

static int role_named(struct vector *v, struct str name)
{
	const struct plan_job *j = v->world.job.plan;
	struct str lower = plan_label(&v->arena, name);

	for (size_t k = 0; k < j->nroles; k++)
		if (str_eq(j->roles[k].label, lower))
			return (int)k;
	wrong(v, str_printf(&v->arena, "no role '%.*s'", STR_ARG(name)));
	return 0;
}

/* Compiles a program with a job of WORKERS workers, and with additional lines for the job and for its role. */
static bool begin_workers(struct vector *v, const char *arguments, int64_t workers, const char *lines,
	const char *of_role)
{
	if (!begin(v, str_printf(&v->arena,
		"import std.kubeflow\n"
		"job \"case\": kubeflow.tfjob(success_policy = \"AllWorkers\"%s) {\n"
		"  image = \"registry.example.com/case:1.0\"\n"
		"%s"
		"  role worker { replicas = %lld, cpu = 1, memory = 1Gi%s }\n"
		"}\n", arguments, lines, (long long)workers, of_role), STR("TFJob")))
		return false;
	v->worker = role_named(v, STR("worker"));
	return true;
}

/* Finds role and index of a name such as "train-worker-2". */
static bool replica_named(struct vector *v, struct str name, int *role, int64_t *index)
{
	const struct plan_job *j = v->world.job.plan;

	for (size_t k = 0; k < j->nroles; k++)
		for (int64_t i = 0; i < j->roles[k].max + 8; i++)
			if (str_eq(decide_name(&v->arena, j, &j->roles[k], i), name)) {
				*role = (int)k;
				*index = i;
				return true;
			}
	wrong(v, str_printf(&v->arena, "no replica is called '%.*s'", STR_ARG(name)));
	return false;
}

/* Gives the job a condition before the first decision. */
static void has_condition(struct vector *v, struct str word)
{
	struct job_condition c = { .type = type_of(v, word), .holds = true, .reason = word, .updated = v->world.now,
		.changed = v->world.now };

	conditions_set(&v->world.arena, &v->world.record.conditions, &c);
}

static size_t pods_there(struct vector *v) { return world_count(&v->world, false); }
static size_t services_there(struct vector *v) { return world_count(&v->world, true); }

/* Makes passes until a pass requests nothing; a few passes are always enough. */
static void settle(struct vector *v)
{
	for (int i = 0; i < 4; i++) {
		world_pass(&v->world);
		if (!v->world.last.nactions)
			return;
	}
	wrong_z(v, "there is no end to what is asked for");
}

static void same_conditions(struct vector *v, const struct data *want)
{
	const struct job_conditions *got = &v->world.record.conditions;

	if (got->n != length(want))
		wrong(v, str_printf(&v->arena, "%zu conditions, not %zu", got->n, length(want)));
	for (size_t i = 0; i < got->n && i < length(want); i++) {
		const struct data *c = want->u.list.at[i];
		same_text(v, str_of(condition_word(got->at[i].type)), at(c, "type"));
		same_text(v, got->at[i].holds ? STR("True") : STR("False"), at(c, "status"));
		same_text(v, got->at[i].reason, at(c, "reason"));
		same_text(v, got->at[i].message, at(c, "message"));
	}
}

/* ---- kinds of cases ---- */

static void check_exit_code(struct vector *v)
{
	if (!begin_workers(v, "", 2, "", ", retry_on = 128..255"))
		return;
	struct thing *t = world_pod(&v->world, v->worker, 1, SEEN_FAILED);
	t->exit_code = (int)number_at(v->input, "exit_code");
	world_pass(&v->world);
	same_bool(v, "retryable", !conditions_hold(&v->world.record.conditions, JOB_FAILED),
		at(v->expect, "retryable"));
	same_bool(v, "made anew", v->world.deleted[0] == 1, at(v->expect, "retryable"));
}

static void check_finished(struct vector *v)
{
	v->world.now = SECOND;
	has_condition(v, text_at(v->input, "condition_true"));
	same_bool(v, "finished", conditions_finished(&v->world.record.conditions), at(v->expect, "finished"));
}

static void left(struct vector *v, const struct data *names, bool services)
{
	const struct data *pods = at(v->input, "pods");

	if (length(names) != (services ? services_there(v) : pods_there(v)))
		wrong(v, str_printf(&v->arena, "another number of %s is left", services ? "services" : "pods"));
	for (size_t n = 0; n < length(names); n++)
		for (size_t i = 0; i < length(pods); i++) {
			struct str name = decide_name(&v->arena, v->world.job.plan,
				&v->world.job.plan->roles[v->worker], (int64_t)i);
			if (str_eq(text_at(pods->u.list.at[i], "name"), names->u.list.at[n]->u.string) &&
			    !world_find(&v->world, services ? STR("Service") : STR("Pod"), name))
				wrong(v, str_printf(&v->arena, "%.*s is gone", STR_ARG(names->u.list.at[n]->u.string)));
		}
}

/* Pods may have any names: they stand for the workers, in the order of the list. */
static void check_cleanup_names(struct vector *v)
{
	const struct data *pods = at(v->input, "pods");
	struct str clean = str_printf(&v->arena, "  clean = \"%s\"\n",
		policy_word(v, text_at(v->input, "cleanPodPolicy")));

	if (!begin_workers(v, "", (int64_t)length(pods), clean.p, ""))
		return;
	for (size_t i = 0; i < length(pods); i++) {
		world_pod(&v->world, v->worker, (int64_t)i, phase_of(v, text_at(pods->u.list.at[i], "phase")));
		world_service(&v->world, v->worker, (int64_t)i);
	}
	has_condition(v, text_at(v->input, "condition_true"));
	settle(v);
	left(v, at(v->expect, "pods_left"), false);
	left(v, at(v->expect, "services_left"), true);
}

static void check_cleanup(struct vector *v)
{
	const struct data *roles = at(v->observed, "pods"), *conditions = at(v->observed, "conditions");

	if (v->input) {
		check_cleanup_names(v);
		return;
	}
	if (!begin_manifest(v))
		return;
	for (size_t k = 0; k < members(roles); k++)
		for (size_t i = 0; i < length(roles->u.map.at[k].value); i++) {
			int role = role_named(v, roles->u.map.at[k].key);
			world_pod(&v->world, role, (int64_t)i,
				phase_of(v, roles->u.map.at[k].value->u.list.at[i]->u.string));
			world_service(&v->world, role, (int64_t)i);
		}
	for (size_t i = 0; i < length(conditions); i++)
		has_condition(v, text_at(conditions->u.list.at[i], "type"));
	if (at(v->observed, "seconds_since_start"))
		v->world.record.begin = v->world.now - number_at(v->observed, "seconds_since_start") * SECOND;
	settle(v);
	same_number(v, "pods left", (int64_t)pods_there(v), at(v->expect, "pods_left_count"));
	same_number(v, "services left", (int64_t)services_there(v), at(v->expect, "services_left_count"));
}

/* Checks a step of a suspended job. BEFORE is the time when the suspension began, ASKED the time of the step. */
static void same_step(struct vector *v, const struct data *step, int64_t before, int64_t asked)
{
	int64_t active = 0;

	for (size_t k = 0; k < v->world.job.plan->nroles; k++)
		active += v->world.last.roles[k].active;
	for (size_t i = 0; i < members(step); i++) {
		struct str key = step->u.map.at[i].key;
		const struct data *want = step->u.map.at[i].value;
		if (str_is(key, "conditions"))
			same_conditions(v, want);
		else if (str_is(key, "pods"))
			same_number(v, "pods", (int64_t)pods_there(v), want);
		else if (str_is(key, "services"))
			same_number(v, "services", (int64_t)services_there(v), want);
		else if (str_is(key, "active_all_roles"))
			same_number(v, "active", active, want);
		else if (str_is(key, "startTime_set"))
			same_bool(v, "begun", v->world.record.begin != 0, want);
		else if (str_is(key, "startTime") &&
			v->world.record.begin != (str_is(want->u.string, "unchanged") ? before : asked))
			wrong_z(v, "it began at another time");
		else if (!str_is(key, "do") && !str_is(key, "startTime"))
			wrong(v, str_printf(&v->arena, "no rule for '%.*s'", STR_ARG(key)));
	}
}

static void run_step(struct vector *v, struct str what)
{
	bool suspend = str_is(what, "set runPolicy.suspend true"),
		resume = str_starts(what, STR("set runPolicy.suspend false"));

	if (!suspend && !resume && !str_is(what, "create, then all pods Running"))
		wrong(v, str_printf(&v->arena, "no rule for '%.*s'", STR_ARG(what)));
	v->program.plan.jobs[0].suspend = (struct plan_bool){ .value = suspend, .set = true };
	settle(v);
	if (suspend)
		return;
	v->world.now += 5 * SECOND;
	world_run_all(&v->world);
	settle(v);
}

static void check_suspend(struct vector *v)
{
	const struct data *steps = at(v->expect, "steps");

	if (!begin_manifest(v))
		return;
	if (!steps) {
		settle(v);
		same_step(v, v->expect, 0, v->world.now);
		return;
	}
	for (size_t i = 0; i < length(steps); i++) {
		int64_t before = v->world.record.begin, asked = v->world.now += 60 * SECOND;
		run_step(v, text_at(steps->u.list.at[i], "do"));
		same_step(v, steps->u.list.at[i], before, asked);
	}
}

/* ---- reconcile ---- */

/* Makes pods from counts such as {"Pending": 1, "Running": 2}: the indexes follow this order. */
static int64_t see_phases(struct vector *v, int role, const struct data *phases)
{
	int64_t index = 0;

	for (size_t i = 0; i < members(phases); i++)
		for (int64_t n = phases->u.map.at[i].value->u.integer; n > 0; n--) {
			struct thing *t = world_pod(&v->world, role, index++, phase_of(v, phases->u.map.at[i].key));
			t->exit_code = t->phase == SEEN_FAILED ? 1 : -1;
		}
	return index;
}

/* Makes a pod from its name, or from {"name", "phase", "exitCode", "restarts"}. */
static void see_pod(struct vector *v, const struct data *pod)
{
	struct str name = pod->kind == DATA_STRING ? pod->u.string : text_at(pod, "name");
	int64_t index;
	int role;

	if (!replica_named(v, name, &role, &index))
		return;
	struct thing *t = world_pod(&v->world, role, index,
		pod->kind == DATA_STRING ? SEEN_RUNNING : phase_of(v, text_at(pod, "phase")));
	if (pod->kind == DATA_MAP) {
		t->exit_code = (int)status_number(pod, "exitCode", -1);
		t->restarts = status_number(pod, "restarts", 0);
	}
	world_service(&v->world, role, index);
}

static void see_all(struct vector *v)
{
	const struct data *pods = at(v->observed, "pods"), *services = at(v->observed, "services");

	for (size_t i = 0; i < length(pods); i++)
		see_pod(v, pods->u.list.at[i]);
	for (size_t k = 0; k < members(pods); k++)
		see_phases(v, role_named(v, pods->u.map.at[k].key), pods->u.map.at[k].value);
	for (size_t k = 0; k < members(services); k++)
		for (int64_t i = 0; i < services->u.map.at[k].value->u.integer; i++)
			world_service(&v->world, role_named(v, services->u.map.at[k].key), i);
}

static void same_deleted(struct vector *v, const struct data *want)
{
	if (want->kind == DATA_INT) {
		same_number(v, "pods deleted", (int64_t)v->world.deleted[0], want);
		return;
	}
	if (v->world.deleted[0] != length(want))
		wrong(v, str_printf(&v->arena, "%zu pods deleted", v->world.deleted[0]));
	for (size_t i = 0; i < length(want); i++)
		if (world_find(&v->world, STR("Pod"), want->u.list.at[i]->u.string))
			wrong(v, str_printf(&v->arena, "%.*s is still there", STR_ARG(want->u.list.at[i]->u.string)));
}

static void same_counts(struct vector *v, const struct data *roles)
{
	for (size_t k = 0; k < members(roles); k++) {
		const struct decide_count *c = &v->world.last.roles[role_named(v, roles->u.map.at[k].key)];
		same_number(v, "active", c->active, at(roles->u.map.at[k].value, "active"));
		same_number(v, "succeeded", c->succeeded, at(roles->u.map.at[k].value, "succeeded"));
		same_number(v, "failed", c->failed, at(roles->u.map.at[k].value, "failed"));
	}
}

static void same_condition(struct vector *v, const struct data *want)
{
	const struct job_condition *c = conditions_find(&v->world.record.conditions, type_of(v, text_at(want, "type")));

	if (!c || !c->holds) {
		wrong(v, str_printf(&v->arena, "it is not %.*s", STR_ARG(text_at(want, "type"))));
		return;
	}
	same_text(v, c->reason, at(want, "reason"));
	if (at(want, "message"))
		same_text(v, c->message, at(want, "message"));
}

static void check_reconcile(struct vector *v)
{
	if (!begin_manifest(v))
		return;
	see_all(v);
	world_pass(&v->world);
	for (size_t i = 0; i < members(v->expect); i++) {
		struct str key = v->expect->u.map.at[i].key;
		const struct data *want = v->expect->u.map.at[i].value;
		if (str_is(key, "pods_deleted"))
			same_deleted(v, want);
		else if (str_is(key, "pods_created"))
			same_number(v, "pods created", (int64_t)v->world.created[0], want);
		else if (str_is(key, "services_created"))
			same_number(v, "services created", (int64_t)v->world.created[1], want);
		else if (str_is(key, "services_deleted"))
			same_number(v, "services deleted", (int64_t)v->world.deleted[1], want);
		else if (str_is(key, "replicaStatuses"))
			same_counts(v, want);
		else if (str_is(key, "condition_true"))
			same_condition(v, want);
		else
			wrong(v, str_printf(&v->arena, "no rule for '%.*s'", STR_ARG(key)));
	}
}

/* The text of the error is the operator's own; our decision names the object. */
static void check_reconcile_error(struct vector *v)
{
	const struct data *there = at(v->want, "precondition.existing_object");

	if (!begin_manifest(v))
		return;
	world_add(&v->world, text_at(there, "kind"), text_at(there, "name"), NO_ROLE, 0)->owner = OWNER_OTHER;
	world_pass(&v->world);
	const struct seen *c = v->world.last.conflict;
	if (!c || v->world.last.nactions) {
		wrong_z(v, c ? "something is done all the same" : "nothing is wrong");
		return;
	}
	struct str kind = v->world.job.kind;
	same_text(v, str_printf(&v->arena,
		"Resource \"%.*s\" of %.*sKind \"%.*s\" already exists and is not managed by %.*s", STR_ARG(c->name),
		STR_ARG(kind), STR_ARG(c->kind), STR_ARG(kind)), at(v->expect, "error"));
}

/* ---- single rules ---- */

static void check_slice_size(struct vector *v)
{
	const struct data *indices = at(v->input, "pod_indices");
	int64_t *at_index = ARENA_ARRAY(&v->arena, int64_t, length(indices));

	for (size_t i = 0; i < length(indices); i++)
		at_index[i] = indices->u.list.at[i]->u.integer;
	same_number(v, "size", decide_slots(at_index, length(indices), number_at(v->input, "replicas")),
		at(v->expect, "size"));
}

static void check_ttl(struct vector *v)
{
	struct str ttl = str_printf(&v->arena, "  ttl = %llds\n",
		(long long)number_at(v->input, "ttlSecondsAfterFinished"));

	if (!begin_workers(v, "", 1, ttl.p, ""))
		return;
	has_condition(v, STR("Succeeded"));
	v->world.record.end = v->world.now + status_number(v->input, "completionTime_offset_seconds", 0) * SECOND;
	world_pass(&v->world);
	same_bool(v, "removed", v->world.last.remove, at(v->expect, "job_deleted"));
	same_bool(v, "in error", v->world.last.conflict != NULL, at(v->expect, "error"));
	if (at(v->expect, "again_in_seconds"))
		same_number(v, "again", (v->world.last.again - v->world.now) / SECOND,
			at(v->expect, "again_in_seconds"));
}

static void check_managed_by(struct vector *v)
{
	struct str by = text_at(v->input, "managedBy");
	struct str argument = str_printf(&v->arena, ", managed_by = \"%.*s\"", STR_ARG(by));

	if (!begin_workers(v, argument.p, 1, "", ""))
		return;
	v->world.job.controller = STR("kubeflow.org/training-operator");
	world_pass(&v->world);
	same_bool(v, "reconciled", !v->world.last.elsewhere, at(v->expect, "reconciled_by_operator"));
	if (at(v->expect, "external_controller"))
		same_text(v, v->world.last.elsewhere ? by : STR(""), at(v->expect, "external_controller"));
	if (v->world.last.elsewhere && (v->world.last.nactions || v->world.record.conditions.n))
		wrong_z(v, "something is done all the same");
}

/* A launcher with devices comes before the workers in the list of hosts. */
static void check_gpu_launcher(struct vector *v)
{
	if (!begin_manifest(v))
		return;
	const struct plan_job *j = v->world.job.plan;
	struct str first = str_printf(&v->arena, "%.*s-launcher slots=", STR_ARG(j->name));
	for (size_t i = 0; i < j->nobjects; i++)
		if (str_is(text_at(j->objects[i].data, "kind"), "ConfigMap"))
			same_bool(v, "a line of the launcher",
				str_starts(text_at(j->objects[i].data, "data.hostfile"), first),
				at(v->expect, "gpu_launcher"));
}

/*
 * A job name that is invalid as a label is refused. The valid label that the operator made of it is used as the name
 * of a second job, which must have these labels.
 */
static void check_labels(struct vector *v)
{
	const struct data *labels = at(v->expect, "labels");
	struct str kind = text_at(v->input, "kind"), name = text_at(v->input, "job_name"), label = STR("");
	static const char program[] = "import std.kubeflow\njob \"%.*s\": kubeflow.%.*s {\n  image = \"registry.example.com/case:1.0\"\n"
		"  role worker { replicas = 2 }\n  role ps { replicas = 2 }\n}\n";
	struct str framework = plan_label(&v->arena, kind);

	for (size_t i = 0; i < members(labels); i++)
		if (str_ends(labels->u.map.at[i].key, STR("/job-name")))
			label = labels->u.map.at[i].value->u.string;
	if (!str_eq(label, name)) {
		if (compiles(v, str_printf(&v->arena, program, STR_ARG(name), STR_ARG(framework))))
			wrong_z(v, "the name is accepted");
		compile_release(&v->program);
	}
	if (!begin(v, str_printf(&v->arena, program, STR_ARG(label), STR_ARG(framework)), kind))
		return;
	struct plan_pairs got = decide_selector(&v->arena, v->world.job.plan);
	if (got.n != members(labels))
		wrong(v, str_printf(&v->arena, "%zu labels", got.n));
	for (size_t i = 0; i < got.n; i++)
		same_text(v, got.at[i].value, data_get(labels, got.at[i].key));
}

static void check_suspend_flag(struct vector *v)
{
	const struct data *policy = at(v->input, "runPolicy"), *flag = policy ? at(policy, "suspend") : NULL;
	const char *line = !flag ? "" : true_at(policy, "suspend") ? "  suspend = true\n" : "  suspend = false\n";

	if (begin_workers(v, "", 1, line, ""))
		same_bool(v, "suspended", decide_suspended(v->world.job.plan), at(v->expect, "suspended"));
}

static void check_backoff(struct vector *v)
{
	const struct data *pods = at(v->input, "pods");
	struct str limit = str_printf(&v->arena, ", backoff_limit = %lld",
		(long long)number_at(v->input, "backoffLimit"));

	if (!begin_workers(v, limit.p, (int64_t)length(pods), "",
		restart_fields(v, text_at(v->input, "restartPolicy"))))
		return;
	for (size_t i = 0; i < length(pods); i++) {
		struct thing *t = world_pod(&v->world, v->worker, (int64_t)i,
			phase_of(v, text_at(pods->u.list.at[i], "phase")));
		t->restarts = number_at(pods->u.list.at[i], "containerRestartCount");
		t->exit_code = (int)status_number(pods->u.list.at[i], "exitCode", -1);
	}
	world_pass(&v->world);
	same_bool(v, "past the limit", v->world.record.cut_short, at(v->expect, "past_backoff_limit"));
}

static void check_deadline(struct vector *v)
{
	struct str timeout = str_printf(&v->arena, "  timeout = %llds\n",
		(long long)number_at(v->input, "activeDeadlineSeconds"));

	if (!begin_workers(v, "", 1, timeout.p, ""))
		return;
	v->world.record.begin = v->world.now - number_at(v->input, "seconds_since_start") * SECOND;
	world_pass(&v->world);
	same_bool(v, "past the deadline", v->world.record.cut_short, at(v->expect, "past_active_deadline"));
}

static const struct {
	const char *name;
	void (*check)(struct vector *);
} kinds[] = {
	{ "exit-code", check_exit_code }, { "cleanup", check_cleanup }, { "suspend", check_suspend },
	{ "reconcile", check_reconcile }, { "reconcile-error", check_reconcile_error },
	{ "slice-size", check_slice_size }, { "ttl", check_ttl }, { "finished", check_finished },
	{ "managed-by", check_managed_by }, { "mpi-gpu-launcher", check_gpu_launcher }, { "labels", check_labels },
	{ "suspend-flag", check_suspend_flag }, { "backoff", check_backoff }, { "deadline", check_deadline },
	/* kinds of cases about objects and diagnostics, which tests/import/conformance.sh runs */
	{ "env", NULL }, { "env-full", NULL }, { "validation", NULL }, { "defaults", NULL }, { "status", NULL },
	{ "panic", NULL }, { "initcontainers", NULL }, { "pod", NULL }, { "service", NULL }, { "podgroup", NULL },
	{ "hpa", NULL },
};

/* ---- cases ---- */

/* Does docs/differences.md list the case as one that differs on purpose? */
static bool is_listed(struct str differences, struct str name)
{
	char quoted[256];
	int n = snprintf(quoted, sizeof(quoted), "`%.*s`", STR_ARG(name));

	return memmem(differences.p, differences.n, quoted, (size_t)n) != NULL;
}

static void report(struct vector *v, struct str name, struct str differences)
{
	bool listed = is_listed(differences, name), good = listed == (v->why.n > 0);

	unit_passed += good;
	unit_failed += !good;
	if (good)
		printf("ok %.*s%s\n", STR_ARG(name), listed ? " differs, as docs/differences.md says" : "");
	else
		printf("FAIL %.*s: %.*s\n", STR_ARG(name),
			STR_ARG(listed ? STR("is listed in docs/differences.md and does not differ") : v->why));
}

static void judge(struct str folder, struct str name, struct str differences)
{
	struct vector v = { 0 };
	struct sources sources = { .arena = &v.arena };
	struct str text = STR(""), why;
	struct data_error error;
	struct data *want = NULL;

	v.folder = str_cat(&v.arena, folder, STR("/"), name);
	struct str path = str_cat(&v.arena, v.folder, STR("/expected.json"), STR(""));
	if (!file_read(&v.arena, path, &text, &why) ||
		!data_read_json(&v.arena, source_add(&sources, path, text), &want, &error)) {
		wrong_z(&v, "its expected.json cannot be read");
		report(&v, name, STR(""));
		arena_release(&v.arena);
		return;
	}
	v.want = want;
	v.expect = at(want, "expect");
	v.input = at(want, "input");
	v.observed = at(want, "observed");
	size_t k = 0;
	while (k < sizeof(kinds) / sizeof(*kinds) && !str_is(text_at(want, "check"), kinds[k].name))
		k++;
	if (k == sizeof(kinds) / sizeof(*kinds))
		wrong(&v, str_printf(&v.arena, "nobody checks '%.*s'", STR_ARG(text_at(want, "check"))));
	else if (kinds[k].check)
		kinds[k].check(&v);
	if (k == sizeof(kinds) / sizeof(*kinds) || kinds[k].check)
		report(&v, name, differences);
	world_end(&v.world);
	if (v.compiled)
		compile_release(&v.program);
	arena_release(&v.arena);
}

static int is_case(const struct dirent *d) { return d->d_name[0] != '.' && !strchr(d->d_name, '.'); }

/* Runs every case of a directory; returns false when there are none. */
static bool judge_all(const char *folder, struct str differences)
{
	struct dirent **names;
	int n = scandir(folder, &names, is_case, alphasort);

	for (int i = 0; i < n; i++) {
		judge(str_of(folder), str_of(names[i]->d_name), differences);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return n > 0;
}

int main(void)
{
	const char *conformance = getenv("CONFORMANCE");
	struct arena arena = { 0 };
	struct str differences, why;
	char path[4096];

	CHECK(file_read(&arena, STR("docs/differences.md"), &differences, &why));
	CHECK(judge_all("tests/decide", differences));
	snprintf(path, sizeof(path), "%s/operator", conformance ? conformance : "../shared/conformance");
	if (!judge_all(path, differences))
		printf("no cases in %s\n", path);
	arena_release(&arena);
	return unit_end();
}
