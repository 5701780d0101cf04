/*
 * emit_check_test.c - what emit_check() reports about plans built by hand: every limit, with values just below and
 * just above it.
 */
#include <stdio.h>

#include "emit/emit.h"
#include "kube/kube_version.h"
#include "kube/limits.h"

static int passed, failed;
static struct arena arena;
static struct sources sources = { .arena = &arena, .next = 1 };

static void verdict(bool good, const char *what)
{
	if (good)
		passed++;
	else
		failed++;
	printf("%s %s\n", good ? "ok" : "FAIL", what);
}

static struct span at(uint32_t n) { return (struct span){ n, n + 1 }; }
static struct plan_str word(const char *z) { return (struct plan_str){ str_of(z), at(3), true }; }

static struct text plain(struct str s)
{
	struct piece *p = ARENA_NEW(&arena, struct piece);

	p->u.text = s;
	return (struct text){ p, 1, at(4) };
}

static struct str letters(size_t n)
{
	char *p = arena_alloc(&arena, n + 1);

	memset(p, 'a', n);
	return (struct str){ p, n };
}

/* ---- a plan of one role, which the cases make invalid ---- */

struct sample {
	struct plan plan;
	struct plan_job *job;
	struct plan_role *role;
};

static struct sample sample_named(const char *name)
{
	struct sample s = { .job = ARENA_NEW(&arena, struct plan_job) };
	struct plan_condition *done = ARENA_NEW(&arena, struct plan_condition);

	*done = (struct plan_condition){ .kind = CONDITION_DONE, .index = -1, .from = at(9) };
	s.job->name = str_of(name);
	s.job->name_at = at(1);
	s.job->framework = STR("gossip");
	s.job->clean = word("running");
	s.job->success = done;
	s.job->roles = s.role = ARENA_ARRAY(&arena, struct plan_role, 4);
	s.job->nroles = 1;
	s.role->name = s.role->label = STR("worker");
	s.role->object = str_printf(&arena, "%s-worker", name);
	s.role->at = at(2);
	s.role->min = s.role->max = 4;
	s.role->replicas_at = at(5);
	s.role->restart = word("never");
	s.role->main.name = STR("main");
	s.role->main.name_at = at(6);
	s.role->main.image = word("a/b:1");
	s.plan = (struct plan){ .jobs = s.job, .njobs = 1, .kubernetes = 34, .target = STR("jobs") };
	return s;
}

static struct sample sample(void) { return sample_named("ring"); }

static struct diags check(const struct sample *s, bool runtime)
{
	struct diags ds = { .arena = &arena, .sources = &sources };
	struct emit_options options = { .runtime_warning = runtime };

	emit_check(&options, &s->plan, &ds);
	return ds;
}

static void dump(const struct diags *ds)
{
	for (size_t i = 0; i < ds->n; i++)
		printf("  %s %.*s\n", diag_code_name(ds->at[i]->code), STR_ARG(ds->at[i]->message));
}

/* Checks that there is exactly one diagnostic, with that code and with that text in its headline. */
static const struct diag *says(const struct sample *s, enum diag_code code, const char *part)
{
	struct diags ds = check(s, false);
	const struct diag *found = NULL;
	bool only = true;

	for (size_t i = 0; i < ds.n; i++) {
		bool that = ds.at[i]->code == code &&
			memmem(ds.at[i]->message.p, ds.at[i]->message.n, part, strlen(part));
		found = that ? ds.at[i] : found;
		only = only && that;
	}
	verdict(found && only, str_printf(&arena, "%s %s", diag_code_name(code), part).p);
	if (!found || !only)
		dump(&ds);
	return found;
}

static void silent(const struct sample *s, const char *what)
{
	struct diags ds = check(s, false);

	verdict(ds.n == 0, what);
	dump(&ds);
}

static void env(struct plan_container *c, const char *name, struct text t)
{
	struct plan_env e = { .name = str_of(name), .name_at = at(7), .kind = ENV_TEXT, .text = t, .from = at(8) };

	ARENA_PUSH(&arena, c->env, c->nenv, e);
}

static void port(struct plan_container *c, const char *name, int64_t number)
{
	struct plan_port p = { str_of(name), number, at(10), at(10) };

	ARENA_PUSH(&arena, c->ports, c->nports, p);
}

/* ---- the cases ---- */

static void names(void)
{
	struct sample s = sample_named("a-rather-long-name-for-a-job-that-trains-a-mode-in-dat");
	const struct diag *d;

	silent(&s, "63 characters are a name");
	s.role->min = s.role->max = 11;
	d = says(&s, TJ0801, "is 64 characters; at most 63");
	verdict(d && d->at.start == 5, "fewer replicas would fit: the place is 'replicas'");
	s = sample_named("a-rather-long-name-for-a-job-that-trains-a-model-with-dat");
	d = says(&s, TJ0801, "is 66 characters; at most 63");
	verdict(d && d->at.start == 1 && str_is(d->help, "shorten the job's name by 3"), "otherwise the job's name");

	s = sample();
	port(&s.role->main, "coordinator_port_http", 80);
	says(&s, TJ0804, "'coordinator_port_http' becomes 21 characters; at most 15");
	s = sample();
	port(&s.role->main, "80", 80);
	says(&s, TJ0804, "'80' has no letter");
	s = sample();
	port(&s.role->main, "a__b", 80);
	says(&s, TJ0804, "contains '--'");
	s = sample();
	port(&s.role->main, "a_b", 80);
	port(&s.role->main, "A_b", 81);
	says(&s, TJ0811, "ports 'a_b' and 'A_b' are both named 'a-b'");
	s = sample();
	s.role->sidecars = ARENA_NEW(&arena, struct plan_container);
	*s.role->sidecars = (struct plan_container){ .name = STR("Main"), .name_at = at(11), .image = word("x:1") };
	s.role->nsidecars = 1;
	says(&s, TJ0811, "two containers of one pod are named 'main'");
}

static struct data *text_data(const char *z)
{
	struct data *d = ARENA_NEW(&arena, struct data);

	*d = (struct data){ .kind = DATA_STRING, .from = at(20), .u.string = str_of(z) };
	return d;
}

static struct data *number_data(int64_t n)
{
	struct data *d = ARENA_NEW(&arena, struct data);

	*d = (struct data){ .kind = DATA_INT, .from = at(20), .u.integer = n };
	return d;
}

static struct data *map_data(void)
{
	struct data *d = ARENA_NEW(&arena, struct data);

	d->kind = DATA_MAP;
	d->from = at(21);
	return d;
}

static void member(struct data *map, const char *key, struct data *value)
{
	struct data_member m = { str_of(key), at(22), value };

	ARENA_PUSH(&arena, map->u.map.at, map->u.map.n, m);
}

static struct data *list_data(struct data *element)
{
	struct data *d = ARENA_NEW(&arena, struct data);

	d->kind = DATA_LIST;
	d->from = at(23);
	ARENA_PUSH(&arena, d->u.list.at, d->u.list.n, element);
	return d;
}

static struct data *config_map(const char *name, struct str text)
{
	struct data *d = map_data(), *metadata = map_data(), *content = map_data();

	member(d, "apiVersion", text_data("v1"));
	member(d, "kind", text_data("ConfigMap"));
	member(metadata, "name", text_data(name));
	member(d, "metadata", metadata);
	member(content, "text", text_data(text.p));
	member(d, "data", content);
	return d;
}

static void add_object(struct sample *s, struct data *d, uint32_t place)
{
	struct plan_object o = { .name = STR("extra"), .name_at = at(place), .data = d };

	ARENA_PUSH(&arena, s->job->objects, s->job->nobjects, o);
}

static void identities(void)
{
	struct sample s = sample();
	struct map seen = { 0 };
	struct emit_options options = { .seen = &seen, .seen_arena = &arena };
	struct sources others = { .arena = &arena, .next = 1 };
	struct diags first = { .arena = &arena, .sources = &sources }, second = { .arena = &arena, .sources = &others };

	add_object(&s, config_map("settings", STR("x")), 30);
	add_object(&s, config_map("settings", STR("y")), 31);
	const struct diag *d = says(&s, TJ0811, "ConfigMap 'settings' is emitted twice");
	verdict(d && d->at.start == 31 && d->notes && d->notes->at.start == 30,
		"the later of two places comes first, the other is a note");

	s = sample();
	struct plan_job *twice = ARENA_ARRAY(&arena, struct plan_job, 2);
	twice[0] = twice[1] = *s.job;
	twice[1].name_at = at(40);
	s.plan.jobs = twice;
	s.plan.njobs = 2;
	says(&s, TJ0812, "'ring' is the name of two jobs with these parameters");

	s = sample();
	emit_check(&options, &s.plan, &first);
	struct sample again = sample();
	emit_check(&options, &again.plan, &second);
	verdict(first.n == 0 && second.n == 1 && second.at[0]->code == TJ0812,
		"identities are compared over the programs of a command");
}

static void labels(void)
{
	static struct { const char *key, *value, *part; } cases[] = {
		{ "run", "run 17", "label value 'run 17' contains a space" },
		{ "run", "-a", "label value '-a' must begin and end with a letter or digit" },
		{ "a b", "x", "label key 'a b' contains a space" },
		{ "/a", "x", "has a prefix that is not a DNS name" },
		{ "Team.example.com/a", "x", "has a prefix that is not a DNS name" },
		{ "a/", "x", "has no name" },
		{ "trainc.dev/x", "x", "is under the prefix that trainc keeps for itself" },
		{ "app.kubernetes.io/managed-by", "me", "is written by trainc" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sample s = sample();
		struct plan_pair pair = { str_of(cases[i].key), str_of(cases[i].value), at(12), at(13) };
		s.job->labels = (struct plan_pairs){ &pair, 1 };
		says(&s, TJ0803, cases[i].part);
	}
	struct sample s = sample();
	struct plan_pair pair = { STR("example.com/team_a.b-c"), letters(63), at(12), at(13) };
	s.role->labels = (struct plan_pairs){ &pair, 1 };
	silent(&s, "a label of 63 characters is one");
	pair.value = letters(64);
	says(&s, TJ0803, "is longer than 63 characters");
}

static void texts(void)
{
	struct sample s = sample();

	env(&s.role->main, "LONG", plain(letters(LIMIT_ENV_STRING - 6)));
	silent(&s, "131,072 bytes are a variable");
	s.role->main.env[0].text = plain(letters(LIMIT_ENV_STRING - 5));
	const struct diag *d = says(&s, TJ0706, "'LONG' is 131,073 bytes; Linux allows 131,072 for one variable");
	verdict(d && d->at.start == 7, "the place is the variable");

	s = sample();
	struct piece doubled[] = { { .kind = PIECE_ENV, .u.text = STR("A") },
		{ .kind = PIECE_ENV, .u.text = STR("A") } };
	env(&s.role->main, "A", plain(letters(70000)));
	env(&s.role->main, "B", (struct text){ doubled, 2, at(8) });
	says(&s, TJ0706, "'B' is 140,003 bytes");

	s = sample();
	struct piece *hosts = ARENA_ARRAY(&arena, struct piece, 8192);
	for (int i = 0; i < 8192; i++)
		hosts[i] = (struct piece){ .kind = PIECE_HOST, .u.peer = { .role = 0, .index = i % 4 } };
	env(&s.role->main, "PEERS", (struct text){ hosts, 8192, at(8) });
	d = says(&s, TJ0706, "'PEERS' is 147,463 bytes");
	if (!d)
		d = &(struct diag){ 0 };
	verdict(str_is(d->help, "8,192 addresses x 18 bytes; use shorter names or a file") && d->notes &&
		d->notes->at.start == 5,
		"the crowd that made it long is named");

	s = sample();
	for (int i = 0; i < 9; i++)
		env(&s.role->main, "P", plain(letters(125000)));
	struct diags ds = check(&s, false);
	verdict(ds.n == 1 && ds.at[0]->code == TJ0707 && ds.at[0]->severity == SEVERITY_WARNING && !ds.errors &&
		ds.warnings == 1,
		"above 1 MiB of environment is a warning");
	for (int i = 0; i < 9; i++)
		env(&s.role->main, "P", plain(letters(125000)));
	says(&s, TJ0707, "arguments and environment of role 'worker' are 2.2 MiB together; Linux allows 2 MiB");

	s = sample();
	s.role->main.args.at = ARENA_NEW(&arena, struct text);
	s.role->main.args.at[0] = plain(letters(LIMIT_ENV_STRING));
	s.role->main.args.n = 1;
	says(&s, TJ0706, "element 1 of 'args' is 131,073 bytes");
}

static void sizes(void)
{
	struct sample s = sample();
	struct plan_file file = { .path = STR("/etc/big"), .path_at = at(14), .text = plain(letters(LIMIT_DATA + 1)),
		.from = at(15) };

	s.role->files = &file;
	s.role->nfiles = 1;
	says(&s, TJ0806, "'/etc/big' is 1.1 MiB; a ConfigMap holds at most 1 MiB");

	s = sample();
	add_object(&s, config_map("settings", letters(LIMIT_DATA)), 30);
	says(&s, TJ0806, "1.1 MiB of data; a ConfigMap holds at most 1 MiB");

	s = sample();
	struct plan_pair pair = { STR("note"), letters(LIMIT_ANNOTATIONS), at(12), at(13) };
	s.job->annotations = (struct plan_pairs){ &pair, 1 };
	struct diags ds = check(&s, false);
	diags_finish(&ds);
	verdict(ds.n == 1 && ds.at[0]->code == TJ0807 &&
		str_is(ds.at[0]->message, "annotations are 257 KiB; at most 256 KiB"), "annotations too large");

	s = sample();
	char *text = arena_copy(&arena, letters(LIMIT_DATA).p, LIMIT_DATA - 100);
	memset(text, '"', LIMIT_DATA - 100);
	add_object(&s, config_map("settings", str_of(text)), 30);
	says(&s, TJ0805, "ConfigMap 'settings' is 2.1 MiB; the API server accepts at most 1.5 MiB");

	s = sample();
	s.role->unrolled = true;
	s.role->min = s.role->max = 10001;
	says(&s, TJ0407, "the program becomes 10,002 objects; at most 10,000");
}

static void features(void)
{
	struct sample s = sample();
	struct plan_condition first = { .kind = CONDITION_DONE, .index = 0, .from = at(9) };

	s.job->success = &first;
	silent(&s, "a success policy from 1.31 on");
	s.plan.kubernetes = 29;
	says(&s, TJ0809,
		"'success = done(worker, 0)' needs the success policy of Kubernetes 1.31; the project targets 1.29");
	s.job->clean = word("none");
	silent(&s, "with clean = \"none\" none is written");

	s = sample();
	s.plan.target = STR("swarm");
	says(&s, TJ0809, "does not write the target 'swarm'");
	s = sample();
	s.plan.kubernetes = 34;
	s.job->gang = word("native");
	says(&s, TJ0809, "gang = \"native\" needs native gang scheduling of Kubernetes 1.35; the project targets 1.34");

	s = sample();
	s.plan.kubernetes = 28;
	s.role->retries = (struct plan_int){ 2, at(16), true };
	says(&s, TJ0810, "8 retries are shared by all 4 replicas");
	s.plan.kubernetes = 29;
	silent(&s, "retries for each index from 1.29 on");
	s.plan.kubernetes = 28;
	s.role->retries.set = false;
	s.role->sidecars = ARENA_NEW(&arena, struct plan_container);
	*s.role->sidecars = (struct plan_container){ .name = STR("logs"), .name_at = at(11), .image = word("x:1") };
	s.role->nsidecars = 1;
	says(&s, TJ0810, "Kubernetes 1.28 has no native sidecars; 'logs' is emitted as an ordinary container and will keep the pod running");
	s = sample();
	s.role->restart = word("always");
	says(&s, TJ0810, "a Job has no restart = \"always\"");
}

static void raw(void)
{
	struct sample s = sample();
	struct data *block = map_data(), *inner = map_data(), *variable = map_data();

	member(block, "image", text_data("x"));
	s.role->main.raw = block;
	const struct diag *d = says(&s, TJ0902, "'raw container' sets 'image', which the role sets too");
	verdict(d && d->at.start == 22 && str_is(d->help, "use the field 'image'"), "the help names the field");

	s = sample();
	env(&s.role->main, "MODE", plain(STR("fast")));
	member(variable, "name", text_data("MODE"));
	member(variable, "value", text_data("slow"));
	block = map_data();
	member(block, "env", list_data(variable));
	s.role->main.raw = block;
	says(&s, TJ0902, "'raw container' sets 'env[MODE]', which the role sets too");

	s = sample();
	block = map_data();
	member(block, "completions", number_data(1));
	s.role->raw_job = block;
	says(&s, TJ0902, "'raw job' sets 'completions', which belongs to the compiler");
	block = map_data();
	inner = map_data();
	member(inner, "rules", list_data(map_data()));
	member(block, "successPolicy", inner);
	s.role->raw_job = block;
	says(&s, TJ0902, "'raw job' sets 'successPolicy'");

	s = sample();
	static const struct plan_volume data = { .kind = VOLUME_PVC, .name = { "data", 4 } };
	struct plan_mount mount = { .path = STR("/data"), .volume = &data };
	s.role->main.mounts = &mount;
	s.role->main.nmounts = 1;
	inner = map_data();
	member(inner, "name", text_data("data"));
	member(inner, "emptyDir", map_data());
	block = map_data();
	member(block, "volumes", list_data(inner));
	s.role->raw_pod = block;
	says(&s, TJ0713, "two mounts need a volume named 'data' with different content");

	s = sample();
	block = map_data();
	member(block, "runtimeClassName", text_data("x"));
	s.role->raw_pod = block;
	silent(&s, "a raw key that nothing else sets");
}

static void runtime(void)
{
	struct sample s = sample();
	struct diags ds = check(&s, true);

	verdict(ds.n == 0, "one role that all of must end needs no runtime");
	s.job->roles[1] = s.job->roles[0];
	s.job->roles[1].name = s.job->roles[1].label = STR("ps");
	s.job->roles[1].object = STR("ring-ps");
	s.job->roles[1].endless = true;
	s.job->nroles = 2;
	ds = check(&s, true);
	verdict(ds.n == 1 && ds.at[0]->code == TJ0817 && ds.at[0]->notes &&
		str_is(ds.at[0]->notes->text, "left to you: stop role 'ps' when the job has succeeded"),
		"an endless role does");
}

int main(void)
{
	source_add(&sources, STR("a.tj"), letters(100));
	names();
	identities();
	labels();
	texts();
	sizes();
	features();
	raw();
	runtime();
	printf("%d passed, %d failed\n", passed, failed);
	arena_release(&arena);
	return failed != 0;
}
