/*
 * trainc_test.c - compiles a program of two files through the public header alone; the files are in memory.
 */
#include "trainc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned passed, failed;

static void check(bool ok, const char *what)
{
	if (ok) {
		passed++;
		return;
	}
	failed++;
	printf("FAIL %s\n", what);
}

/* ---- files ---- */

struct file {
	const char *path, *text;
};

static bool read_file(void *context, const char *path, void (*give)(void *to, const char *text, size_t n), void *to,
	const char **why)
{
	for (const struct file *f = context; f->path; f++) {
		if (!strcmp(f->path, path)) {
			give(to, f->text, strlen(f->text));
			return true;
		}
	}
	*why = "it is not in memory";
	return false;
}

static bool file_exists(void *context, const char *path)
{
	for (const struct file *f = context; f->path; f++)
		if (!strcmp(f->path, path))
			return true;
	return false;
}

/* ---- output ---- */

struct text {
	char p[65536];
	size_t n;
};

static bool take(void *context, const char *bytes, size_t n)
{
	struct text *t = context;

	if (n >= sizeof t->p - t->n)
		return false;
	memcpy(t->p + t->n, bytes, n);
	t->n += n;
	t->p[t->n] = '\0';
	return true;
}

static bool refuse(void *context, const char *bytes, size_t n)
{
	(void)context;
	(void)bytes;
	(void)n;
	return false;
}

static struct text out;

static struct trainc_output output(void)
{
	out.n = 0;
	out.p[0] = '\0';
	return (struct trainc_output){ &out, take };
}

static bool has(const char *text) { return strstr(out.p, text); }

/* ---- tests ---- */

static struct file sound[] = {
	{ "job.tj",
	  "import \"sizes.tj\" as sizes\n\nparam image: string = \"registry.example/train:1\"\nparam steps: int = 10\n\n"
	  "job \"door\" {\n    image = image\n    env { SEED = \"7\" }\n    role worker {\n        replicas = sizes.nodes\n        command = [\"train\", \"--steps=${steps}\"]\n    }\n}\n" },
	{ "sizes.tj", "let nodes = 3\n" },
	{ 0 }
};

static struct trainc *opened(struct file *files)
{
	struct trainc_files from = { .context = files, .read = read_file, .exists = file_exists };

	return trainc_open(&from);
}

static void test_sound(void)
{
	struct trainc *t = opened(sound);
	struct trainc_job job;
	const char *why = NULL;

	check(trainc_option(t, "set", "steps=25"), "a parameter is set");
	check(!trainc_option(t, "set", "steps"), "an assignment without '=' is refused");
	check(!trainc_option(t, "colour", "red"), "an option that does not exist is refused");
	check(trainc_option(t, "target", "jobset") && trainc_option(t, "namespace", "lab"),
		"options have the words of the command line");
	check(trainc_compile(t, "job.tj"), "a program in memory compiles");
	check(trainc_check(&t, 1, true), "its objects are sound");
	if (trainc_diagnostics(t))
		trainc_report(&t, 1, TRAINC_TEXT, (struct trainc_look){ 0 }, output()), fputs(out.p, stdout);
	check(trainc_diagnostics(t) == 0, "nothing is reported");
	check(trainc_job(t, 0, &job) && !strcmp(job.name, "door") && !strcmp(job.ns, "lab") && job.roles == 1 &&
		job.objects > 0, "the job");
	check(!trainc_job(t, 1, &job), "there is one job");
	check(!strcmp(trainc_file(t, 0), "job.tj") && !strcmp(trainc_file(t, 1), "sizes.tj") && !trainc_file(t, 2),
		"files in the order of reading");

	check(trainc_plan(t, TRAINC_JSON, output()) && has("\"door\""), "the plan as JSON");
	check(trainc_plan(t, TRAINC_TEXT, output()) && has("worker"), "the plan as a table");
	check(!trainc_plan(t, TRAINC_SARIF, output()), "the plan has no SARIF");
	check(trainc_env(t, "worker", 2, TRAINC_DOTENV, output(), &why) && has("SEED=7"),
		"the environment of one replica");
	check(!trainc_env(t, "worker", 7, TRAINC_DOTENV, output(), &why) && *why && !out.n,
		"no replica of that number");
	check(trainc_emit(&t, 1, TRAINC_YAML, output()) && has("kind: JobSet") && has("--steps=25"), "objects as YAML");
	check(trainc_emit(&t, 1, TRAINC_YAML_PLACES, output()) && has("# job.tj:"), "objects with places");
	check(trainc_emit(&t, 1, TRAINC_JSON, output()) && has("\"kind\""), "objects as JSON");
	check(!trainc_emit(&t, 1, TRAINC_YAML, (struct trainc_output){ NULL, refuse }),
		"an output that refuses ends the writing");
	trainc_close(t);
}

static void test_mistake(void)
{
	struct file files[] = { { "job.tj",
		"job \"x\" {\n    image = \"i:1\"\n    role worker {\n        replicsa = 2\n    }\n}\n" }, { 0 } };
	struct trainc *t = opened(files);
	struct trainc_diagnostic d;

	check(!trainc_compile(t, "job.tj"), "a mistake is reported");
	check(!trainc_check(&t, 1, false), "and its objects are not checked");
	check(trainc_diagnostics(t) >= 1 && trainc_diagnostic(t, 0, &d), "it is a diagnostic");
	check(d.error && !strcmp(d.file, "job.tj") && d.line == 4 && d.column == 9 && d.end_column == 17,
		"with its place");
	check(!strncmp(d.code, "TJ", 2) && strstr(d.message, "replicsa"), "its code and its message");
	check(!trainc_diagnostic(t, trainc_diagnostics(t), &d), "there are no more");
	check(trainc_report(&t, 1, TRAINC_TEXT, (struct trainc_look){ 0 }, output()) && has("job.tj:4"), "as text");
	check(trainc_report(&t, 1, TRAINC_JSON, (struct trainc_look){ 0 }, output()) && has("\"code\""), "as JSON");
	check(trainc_report(&t, 1, TRAINC_SARIF, (struct trainc_look){ 0 }, output()) && has("\"runs\""), "as SARIF");
	check(!trainc_report(&t, 1, TRAINC_YAML, (struct trainc_look){ 0 }, output()), "not as YAML");
	trainc_close(t);
}

static void test_missing(void)
{
	struct trainc *t = trainc_open(NULL);
	struct trainc_diagnostic d;

	check(!trainc_compile(t, "job.tj"), "without files there is no program");
	check(trainc_diagnostics(t) == 1 && trainc_diagnostic(t, 0, &d) && strstr(d.message, "job.tj") && d.error,
		"which is a diagnostic");
	trainc_close(t);
	t = opened(sound);
	check(!trainc_compile(t, "other.tj") && trainc_diagnostic(t, 0, &d) && strstr(d.message, "it is not in memory"),
		"the reader's reason is shown");
	trainc_close(t);
	trainc_close(NULL);
}

/*
 * Provides a file that can be read only once, such as a pipe. A warning makes the compiler start over with whole
 * modules, but it must not read the file again.
 */
static unsigned reads;

static bool read_once(void *context, const char *path, void (*give)(void *to, const char *text, size_t n), void *to,
	const char **why)
{
	if (!strcmp(path, "job.tj") && reads++) {
		*why = "it was read already";
		return false;
	}
	return read_file(context, path, give, to, why);
}

static void test_pipe(void)
{
	struct file files[] = { { "job.tj",
		"import std.pytorch\nlet unused = 1\njob \"x\" {\n    image = \"i:1\"\n    role worker {\n"
		"        replicas = 1\n        command = [\"a\"]\n    }\n}\n" }, { 0 } };
	struct trainc_files from = { .context = files, .read = read_once };
	struct trainc *t = trainc_open(&from);

	trainc_option(t, "set", "nothing=1");
	trainc_compile(t, "job.tj");
	trainc_report(&t, 1, TRAINC_TEXT, (struct trainc_look){ 0 }, output());
	check(reads == 1 && !has("read already") && has("unused") && has("nothing"),
		"a file is read once, and settings survive a second pass");
	trainc_close(t);
}

/* `set` applies to those of several programs that declare the parameter. */
static void test_several(void)
{
	struct file files[] = {
		{ "a.tj", "param n: int = 1\njob \"a\" {\n    image = \"i:1\"\n    role w { replicas = n, command = [\"a\"] }\n}\n" },
		{ "b.tj", "job \"b\" {\n    image = \"i:1\"\n    role w { replicas = 1, command = [\"a\"] }\n}\n" },
		{ "c.tj", "job \"a\" {\n    image = \"i:1\"\n    role w { replicas = 1, command = [\"a\"] }\n}\n" },
		{ 0 }
	};
	struct trainc *two[2] = { opened(files), opened(files) }, *same[2] = { opened(files), opened(files) };

	for (int i = 0; i < 2; i++)
		trainc_option(two[i], "set", "n=2");
	trainc_compile(two[0], "a.tj");
	trainc_compile(two[1], "b.tj");
	check(trainc_check(two, 2, true), "a parameter of one of two programs");
	check(trainc_emit(two, 2, TRAINC_YAML, output()) && has("name: a") && has("name: b"),
		"one stream of two programs");
	trainc_compile(same[0], "a.tj");
	trainc_compile(same[1], "c.tj");
	check(!trainc_check(same, 2, true), "two programs with objects of one name");
	for (int i = 0; i < 2; i++) {
		trainc_close(two[i]);
		trainc_close(same[i]);
	}
}

static void test_format(void)
{
	struct trainc *t = trainc_open(NULL);

	check(trainc_format(t, "a.tj", "let  a=1", 8, output()) && !strcmp(out.p, "let a = 1\n"),
		"the canonical style");
	check(!trainc_format(t, "b.tj", "let = ", 6, output()) && !out.n && trainc_diagnostics(t) > 0,
		"a text that does not parse");
	trainc_close(t);
}

/*
 * A file that cannot be read is not tried again: each attempt to open a pipe without a writer would wait for a
 * second.
 */
static bool read_never(void *context, const char *path, void (*give)(void *to, const char *text, size_t n), void *to,
	const char **why)
{
	(void)context, (void)give, (void)to;
	reads += !strcmp(path, "job.tj");
	*why = "it is a pipe";
	return false;
}

static void test_unreadable(void)
{
	struct trainc_files from = { .read = read_never };
	struct trainc *t = trainc_open(&from);

	reads = 0;
	trainc_compile(t, "job.tj");
	trainc_report(&t, 1, TRAINC_TEXT, (struct trainc_look){ 0 }, output());
	check(reads == 1 && has("it is a pipe"), "a file that cannot be read is tried once");
	trainc_close(t);
}

/* The library cannot read the directory of `code`: it says so, instead of objects without the code. */
static void test_code(void)
{
	static struct file files[] = { { "job.tj", "job \"a\" {\n  image = \"a/b:1\"\n  code = \".\"\n"
		"  role w { command = [\"x\"] }\n}\n" }, { 0 } };
	struct trainc *t = opened(files);
	struct trainc_diagnostic d;

	check(trainc_compile(t, "job.tj"), "a program with code compiles");
	check(!trainc_check(&t, 1, true), "its objects are refused");
	check(trainc_diagnostic(t, 0, &d) && !strcmp(d.code, "TJ1301") && d.line == 3 && strstr(d.help, "'trainc'"),
		"the message names the command");
	trainc_close(t);
}

int main(void)
{
	check(strchr(trainc_version(), '.'), "the version");
	test_sound();
	test_mistake();
	test_missing();
	test_pipe();
	test_unreadable();
	test_several();
	test_format();
	test_code();
	printf("%u passed, %u failed\n", passed, failed);
	return failed > 0;
}
