/*
 * plan_env_test.c - the functions of the plan: names, texts, the environment of one replica, conditions, and values
 * that are left to the runtime.
 */
#include <stdio.h>

#include "kube/kube_version.h"
#include "plan/plan.h"
#include "plan/totals.h"

static int passed, failed;
static struct arena arena;

static void same(struct str got, const char *want, const char *what)
{
	bool good = str_is(got, want);

	if (good)
		passed++;
	else
		failed++;
	printf("%s %s\n", good ? "ok" : "FAIL", what);
	if (!good)
		printf("  wanted %s\n  got    %.*s\n", want, STR_ARG(got));
}

static void verdict(bool good, const char *what) { same(good ? STR("yes") : STR("no"), "yes", what); }

/* ---- a job with a chief, three workers with a port, and an endless role ---- */

static struct plan_job sample(void)
{
	static const char *const names[] = { "chief", "worker", "ps" };
	struct plan_job j = { .name = STR("bert"), .nroles = 3 };

	j.clean.value = STR("running");
	j.roles = ARENA_ARRAY(&arena, struct plan_role, 3);
	for (int i = 0; i < 3; i++) {
		struct plan_role *r = &j.roles[i];
		r->name = r->label = str_of(names[i]);
		r->object = str_printf(&arena, "bert-%s", names[i]);
		r->min = r->max = i == 1 ? 3 : 1;
	}
	j.roles[2].endless = true;
	struct plan_port port = { STR("http"), 8080, { 0 }, { 0 } };
	ARENA_PUSH(&arena, j.roles[1].main.ports, j.roles[1].main.nports, port);
	return j;
}

static struct str host_of(const struct plan_job *j, unsigned role, int64_t i)
{
	struct buf out = { 0 };

	plan_host(j, &j->roles[role], i, &out);
	struct str s = buf_take(&out, &arena);
	buf_release(&out);
	return s;
}

static void names(void)
{
	struct plan_job j = sample();

	same(plan_label(&arena, STR("Param_Server2")), "param-server2", "a name as a label");
	same(host_of(&j, 1, 2), "bert-worker-2.bert", "a host of the subdomain form");
	j.hosts = HOSTS_SERVICE;
	same(host_of(&j, 1, 2), "bert-worker-2.default.svc", "a host of the service form");
	j.ns = (struct plan_str){ STR("nlp"), { 0 }, true };
	j.domain = STR("cluster.local");
	same(host_of(&j, 0, 0), "bert-chief-0.nlp.svc.cluster.local", "with a namespace and a domain");
}

static void names_in_sets(void)
{
	struct plan_job j = sample();
	struct buf pod = { 0 };

	j.roles[0].in_set = j.roles[1].in_set = true;
	same(host_of(&j, 1, 2), "bert-worker-0-2.bert", "a host in a set of Jobs");
	j.roles[1].unrolled = true;
	same(host_of(&j, 1, 2), "bert-worker-2-0-0.bert", "a host of an unrolled role in a set");
	plan_replica_name(&j.roles[1], 1, &pod);
	same(buf_text(&pod), "bert-worker-1-0-0", "and its pod");
	j.roles[1].unrolled = false;
	j.roles[1].max = 6;
	j.roles[1].slices = 3;
	same(host_of(&j, 1, 5), "bert-worker-2-1.bert", "a host of a role of several slices");
	verdict(plan_slice_of(&j.roles[1], 5) == 2 && plan_index_in_slice(&j.roles[1], 5) == 1 &&
		plan_slice_size(&j.roles[1]) == 2, "its slice");
	verdict(plan_slice_of(&j.roles[0], 5) == 0 && plan_index_in_slice(&j.roles[0], 5) == 5,
		"a role without slices");
	j.roles[1].slices = 0;
	j.hosts = HOSTS_SERVICE;
	same(host_of(&j, 1, 2), "bert-worker-2.default.svc", "a Service of ours keeps its name");
	j.hosts = HOSTS_NAME;
	same(host_of(&j, 0, 0), "bert-chief-0", "and its bare name");
	struct plan_role *aux = &j.roles[0];
	aux->aux = true;
	aux->restart = (struct plan_str){ STR("always"), { 0 }, true };
	verdict(plan_workload(&j, aux)->id == WORKLOAD_JOB, "in a set everything is a Job");
	aux->in_set = false;
	verdict(plan_workload(&j, aux)->id == WORKLOAD_DEPLOYMENT, "elsewhere what always restarts is a Deployment");
	buf_release(&pod);
}

/* ---- texts and environment ---- */

#define T(z) { .kind = PIECE_TEXT, .u.text = { z, sizeof(z) - 1 } }
#define I { .kind = PIECE_INDEX }
#define ENV(z) { .kind = PIECE_ENV, .u.text = { z, sizeof(z) - 1 } }
#define FIELD(f) { .kind = PIECE_FIELD, .u.field = f }
#define HOST(r, i) { .kind = PIECE_HOST, .u.peer = { .role = r, .index = i } }
#define PORT(r, i) { .kind = PIECE_PORT, .u.peer = { { "http", 4 }, r, i } }

static void add(struct plan_container *c, const char *name, const struct piece *at, size_t n)
{
	struct plan_env e = { .name = str_of(name), .kind = ENV_TEXT, .text = { at, n, { 0 } } };

	ARENA_PUSH(&arena, c->env, c->nenv, e);
}
#define ADD(c, name, pieces) add((c), (name), (pieces), sizeof(pieces) / sizeof(*(pieces)))

static struct str shown(const struct env_value *v)
{
	static const char *const fields[] = { "NAME", "UID", "IP", "NODE" };
	struct buf out = { 0 };

	if (v->kind != ENV_TEXT)
		buf_printf(&out, "<%.*s/%.*s>", STR_ARG(v->object), STR_ARG(v->key));
	else if (v->whole)
		buf_str(&out, v->value);
	for (size_t i = 0; i < v->pieces.n; i++) {
		const struct piece *p = &v->pieces.at[i];
		if (p->kind == PIECE_TEXT)
			buf_printf(&out, "[%.*s]", STR_ARG(p->u.text));
		else
			buf_printf(&out, "{%s}", p->kind == PIECE_FIELD ? fields[p->u.field] : "env");
	}
	struct str s = buf_take(&out, &arena);
	buf_release(&out);
	return s;
}

/* Places all replicas as processes of this machine, as a local run does. */
static void here(void *context, const struct plan_job *j, const struct plan_role *r, int64_t i, struct buf *out)
{
	(void)context, (void)j, (void)r, (void)i;
	buf_z(out, "127.0.0.1");
}

static int64_t moved(void *context, const struct plan_job *j, const struct plan_role *r, int64_t i, struct str name)
{
	(void)context, (void)j, (void)r, (void)name;
	return 40000 + i;
}

static void environment(void)
{
	static const struct piece plain[] = { T("a $(b) $$") }, rank[] = { T("rank-"), I },
		peer[] = { HOST(1, 0), T(":"), PORT(1, 0) },
		own[] = { HOST(1, OWN_INDEX), T(":"), PORT(1, OWN_INDEX) },
		url[] = { T("http://"), FIELD(POD_IP), T(":"), PORT(1, OWN_INDEX) },
		copy[] = { ENV("URL"), T("/"), ENV("RANK"), T("?"), ENV("TOKEN") },
		twice[] = { ENV("COPY"), ENV("PLAIN") }, node[] = { FIELD(POD_NODE) };
	static const struct placement local = { NULL, here, moved };
	struct plan_job j = sample();
	struct plan_container *c = &j.roles[1].main;
	struct text each[] = { { plain, 1, { 0 } }, { rank, 2, { 0 } }, { NULL, 0, { 0 } } };
	struct plan_env secret = { .name = STR("TOKEN"), .kind = ENV_SECRET, .object = STR("hub"),
		.key = STR("token") };
	struct plan_env computed = { .name = STR("COMPUTED"), .kind = ENV_TEXT, .per_replica = each };

	ADD(c, "TRAINC_HIDDEN", plain);
	ADD(c, "PLAIN", plain);
	ADD(c, "RANK", rank);
	ADD(c, "PEER", peer);
	ADD(c, "OWN", own);
	ADD(c, "URL", url);
	ARENA_PUSH(&arena, c->env, c->nenv, secret);
	ADD(c, "COPY", copy);
	ADD(c, "TWICE", twice);
	ADD(c, "NODE", node);
	ARENA_PUSH(&arena, c->env, c->nenv, computed);

	struct env_values v = plan_env(&arena, &j, &j.roles[1], c, 2, &placement_cluster);
	verdict(v.n == 10 && str_is(v.at[0].name, "PLAIN"), "what only carries an index is left out");
	same(shown(&v.at[0]), "a $(b) $$", "text stays as it was written");
	same(shown(&v.at[1]), "rank-2", "the index");
	same(shown(&v.at[2]), "bert-worker-0.bert:8080", "a peer's address");
	same(shown(&v.at[3]), "bert-worker-2.bert:8080", "its own address");
	same(shown(&v.at[4]), "[http://]{IP}[:8080]", "what only the pod knows stays a piece");
	same(shown(&v.at[5]), "<hub/token>", "a secret stays a reference");
	same(shown(&v.at[6]), "[http://]{IP}[:8080/rank-2?]{env}",
		"references are replaced by their values, but not those to secrets");
	same(shown(&v.at[7]), "[http://]{IP}[:8080/rank-2?]{env}[a $(b) $$]", "also at second hand");
	same(shown(&v.at[8]), "{NODE}", "a single field");
	same(shown(&v.at[9]), "", "a computed value of that replica");
	v = plan_env(&arena, &j, &j.roles[1], c, 1, &local);
	same(shown(&v.at[2]), "127.0.0.1:40000", "another placement: a peer");
	same(shown(&v.at[3]), "127.0.0.1:40001", "another placement: itself");
	same(shown(&v.at[9]), "rank-1", "a computed value of another replica");
}

/* ---- conditions ---- */

static const struct plan_condition *done(unsigned role, int64_t index)
{
	struct plan_condition *c = ARENA_NEW(&arena, struct plan_condition);

	*c = (struct plan_condition){ .kind = CONDITION_DONE, .role = role, .index = index };
	return c;
}

static const struct plan_condition *join(enum condition_kind kind, const struct plan_condition *a,
	const struct plan_condition *b)
{
	struct plan_condition *c = ARENA_NEW(&arena, struct plan_condition);

	*c = (struct plan_condition){ .kind = kind, .index = -1, .left = a, .right = b };
	return c;
}

static void conditions(void)
{
	struct plan_job j = sample();
	const struct plan_condition *either = join(CONDITION_OR, done(0, -1), done(1, 2));
	struct plan_condition ready = { .kind = CONDITION_READY, .role = 1, .index = -1 },
		started = { .kind = CONDITION_STARTED, .role = 2, .index = -1 };

	same(plan_condition_text(&arena, &j, done(1, -1)), "done(worker)", "one role");
	same(plan_condition_text(&arena, &j, either), "done(chief) or done(worker, 2)", "or");
	same(plan_condition_text(&arena, &j, join(CONDITION_AND, either, &ready)),
		"(done(chief) or done(worker, 2)) and ready(worker)", "or below and");
	same(plan_condition_text(&arena, &j, join(CONDITION_OR, join(CONDITION_AND, done(0, 0), &started), either)),
		"done(chief, 0) and started(ps) or done(chief) or done(worker, 2)", "and below or needs no brackets");
	verdict(plan_condition_reads(either, 1) && !plan_condition_reads(either, 2),
		"which roles a condition mentions");
}

/* Formats a success rule, such as "=0,2;1": one of two sets of indexes must have succeeded. */
static void put_rule(struct buf *out, const struct plan_success *rule)
{
	for (size_t i = 0; i < rule->n; i++) {
		buf_char(out, i ? ';' : '=');
		for (size_t k = 0; k < rule->sets[i].n; k++)
			buf_printf(out, "%s%lld", k ? "," : "", (long long)rule->sets[i].at[k]);
	}
}

static struct str rule_text(struct plan_job *j, const struct plan_condition *success)
{
	struct plan_success rule;
	struct buf out = { 0 };

	j->success = success;
	if (!plan_success_rule(j, &rule))
		return STR("none");
	put_rule(&out, &rule);
	struct str s = buf_take(&out, &arena);
	buf_release(&out);
	return s;
}

static void success_rules(void)
{
	struct plan_job j = sample();

	same(rule_text(&j, done(1, -1)), "none", "all replicas: the Job itself says so");
	same(rule_text(&j, done(1, 2)), "=2", "one replica");
	same(rule_text(&j, join(CONDITION_AND, done(1, 2), done(1, 0))), "=0,2", "several, in order");
	same(rule_text(&j, join(CONDITION_OR, join(CONDITION_AND, done(1, 2), done(1, 0)), done(1, 1))), "=0,2;1",
		"any of two sets");
	same(rule_text(&j, join(CONDITION_AND, done(1, 2), done(0, 0))), "none", "two roles");
	same(rule_text(&j, join(CONDITION_AND, done(1, 2), join(CONDITION_OR, done(1, 0), done(1, 1)))), "none",
		"or below and");
	same(rule_text(&j, done(0, 0)), "none", "the only replica is all of them");
	j.roles[1].unrolled = true;
	same(rule_text(&j, done(1, 2)), "none", "an unrolled role has no common Job");
	j.roles[1].unrolled = false;
	j.clean.value = STR("none");
	same(rule_text(&j, done(1, 2)), "none", "nothing is to be ended");
}

/*
 * Formats the success of a set, such as "all chief, worker" or "any worker.0, worker.2", followed by the rules of the
 * workers' own Job.
 */
static struct str set_text(struct plan_job *j, const struct plan_condition *success)
{
	struct plan_set_success found;
	struct plan_success rule;
	struct buf out = { 0 };

	j->success = success;
	if (!plan_set_success(&arena, j, &found))
		return str_printf(&arena, "not %.*s", STR_ARG(plan_condition_text(&arena, j, found.because)));
	buf_z(&out, found.any ? "any" : "all");
	for (size_t i = 0; i < found.n; i++) {
		buf_printf(&out, "%s%.*s", i ? ", " : " ", STR_ARG(j->roles[found.at[i].role].name));
		if (found.at[i].index >= 0)
			buf_printf(&out, ".%lld", (long long)found.at[i].index);
	}
	if (plan_set_rule(j, &j->roles[1], &rule))
		put_rule(&out, &rule);
	struct str s = buf_take(&out, &arena);
	buf_release(&out);
	return s;
}

static void successes_of_sets(void)
{
	struct plan_job j = sample();
	const struct plan_condition *indexes = join(CONDITION_AND, done(1, 2), done(1, 0)), *many = done(1, 0);

	same(set_text(&j, done(1, -1)), "all worker", "one role");
	same(set_text(&j, join(CONDITION_AND, done(0, -1), done(1, -1))), "all chief, worker", "two roles");
	same(set_text(&j, join(CONDITION_AND, done(0, 0), join(CONDITION_AND, done(0, -1), done(1, -1)))),
		"all chief, worker", "the only replica is the role");
	same(set_text(&j, join(CONDITION_OR, done(0, -1), done(1, -1))), "any chief, worker", "one of two roles");
	same(set_text(&j, indexes), "all worker=0,2", "replicas of one role");
	same(set_text(&j, join(CONDITION_OR, done(0, -1), join(CONDITION_OR, indexes, done(1, 1)))),
		"any chief, worker=0,2;1", "a role, or replicas of another");
	same(set_text(&j, done(1, CONDITION_ANY)), "all worker=", "any replica of an indexed role");
	same(set_text(&j, join(CONDITION_AND, done(0, -1), done(1, 0))), "not done(worker, 0)",
		"a role and a replica of another");
	same(set_text(&j, join(CONDITION_AND, done(0, -1), join(CONDITION_OR, done(0, -1), done(1, -1)))),
		"not done(chief) or done(worker)", "or below and");
	same(set_text(&j, join(CONDITION_OR, done(2, -1), join(CONDITION_AND, done(0, -1), done(1, -1)))),
		"not done(chief) and done(worker)", "and below or");
	for (size_t i = 0; i < PLAN_SUCCESS_RULES; i++)
		many = join(CONDITION_OR, many, done(1, (int64_t)i % 3));
	verdict(str_starts(set_text(&j, many), STR("not ")), "more alternatives than a Job has rules");
	j.roles[1].unrolled = true;
	same(set_text(&j, join(CONDITION_AND, done(1, 2), done(0, -1))), "all worker.2, chief",
		"replicas of an unrolled role are Jobs");
	same(set_text(&j, done(1, -1)), "all worker.0, worker.1, worker.2", "all of them");
	same(set_text(&j, done(1, CONDITION_ANY)), "any worker.0, worker.1, worker.2", "any of them");
	same(set_text(&j, join(CONDITION_OR, done(0, -1), done(1, -1))), "not done(worker)",
		"all of them, or another role");
}

static struct str needs_text(const struct plan_job *j)
{
	struct plan_needs n = plan_needs_runtime(&arena, j);
	struct buf out = { 0 };

	for (size_t i = 0; i < n.n; i++) {
		buf_printf(&out, "%s%.*s", i ? "; " : "", STR_ARG(n.at[i]));
		if (str_starts(n.at[i], STR("create the ")) != (i < n.generated))
			buf_z(&out, " (counted wrongly)");
	}
	struct str s = buf_take(&out, &arena);
	buf_release(&out);
	return s;
}

static void needs(void)
{
	struct plan_job j = sample();

	j.success = done(0, -1);
	same(needs_text(&j), "stop role 'worker', role 'ps' when the job has succeeded; stop the other replicas when one has failed for good",
		"roles that go on");
	j.clean.value = STR("none");
	same(needs_text(&j), "", "nothing is cleaned up");
	j.clean.value = STR("running");
	j.roles[0].max = j.roles[2].max = 0;
	j.success = done(1, -1);
	same(needs_text(&j), "", "one role that all of must end");
	j.success = done(1, 0);
	same(needs_text(&j), "", "a success policy ends the rest of its role");
	j.roles[1].elastic = true;
	j.roles[1].min = 2;
	j.success = done(1, -1);
	same(needs_text(&j), "stop elastic role 'worker' when 2 or more replicas have succeeded and none is active",
		"an elastic end");
	j.restarts = (struct plan_int){ 3, { 0 }, true };
	j.roles[1].elastic = false;
	same(needs_text(&j), "restart the whole job after a failure, up to 3 times", "restarts of the whole");
	j.controller = true;
	same(needs_text(&j), "", "a controller does it");
}

static void totals(void)
{
	struct plan_job j = sample();

	quantity_parse(STR("500m"), &j.roles[1].main.asks.cpu.value);
	j.roles[1].main.asks.cpu.set = true;
	quantity_parse(STR("256Gi"), &j.roles[1].main.asks.memory.value);
	j.roles[1].main.asks.memory.set = true;
	struct plan_totals t = plan_totals(&arena, &j);
	verdict(t.pods == 5, "pods of all roles");
	same(quantity_text(&arena, t.cpu.value), "1500m", "cpu");
	same(quantity_text(&arena, t.memory.value), "768Gi", "memory");
}

static void versions(void)
{
	unsigned minor = 0;

	verdict(kube_version_parse(STR("1.34"), &minor) && minor == 34 && kube_version_known(minor), "1.34 is known");
	verdict(kube_version_parse(STR("1.99"), &minor) && !kube_version_known(minor), "1.99 is not");
	verdict(!kube_version_parse(STR("2.1"), &minor) && !kube_version_parse(STR("1."), &minor) &&
		!kube_version_parse(STR("1.3x"), &minor) &&
		!kube_version_parse(STR("1.030"), &minor) && !kube_version_parse(STR("v1.30"), &minor),
		"other forms are refused");
	verdict(!kube_has(30, KUBE_SUCCESS_POLICY) && kube_has(31, KUBE_SUCCESS_POLICY),
		"the success policy begins with 1.31");
}

int main(void)
{
	names();
	names_in_sets();
	environment();
	conditions();
	success_rules();
	successes_of_sets();
	needs();
	totals();
	versions();
	printf("%d passed, %d failed\n", passed, failed);
	arena_release(&arena);
	return failed != 0;
}
