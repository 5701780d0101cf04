/*
 * trainc_memory_test.c - a caller of the library survives when memory runs out.
 *
 * For every n, the test repeats a use in which the n-th allocation fails, or all allocations from the n-th on. Each
 * function must return false, the reason must be known, and trainc_close() must leak nothing. The linker lets the
 * functions below replace those of the C library.
 */
#include "trainc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

/* ---- memory ---- */

/* Number of allocations so far; number of the one that fails, or 0; number of live blocks, plus the mapped bytes. */
static long asked, fails_at, live;
static bool for_good;

static bool is_failing(void)
{
	asked++;
	return fails_at && (for_good ? asked >= fails_at : asked == fails_at);
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
void *__real_mmap(void *p, size_t n, int protection, int flags, int fd, off_t at);
int __real_munmap(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void __wrap_free(void *p);
void *__wrap_mmap(void *p, size_t n, int protection, int flags, int fd, off_t at);
int __wrap_munmap(void *p, size_t n);

static void *counted(void *p)
{
	live += p != NULL;
	return p;
}

void *__wrap_malloc(size_t n) { return is_failing() ? NULL : counted(__real_malloc(n)); }
void *__wrap_calloc(size_t n, size_t size) { return is_failing() ? NULL : counted(__real_calloc(n, size)); }

void *__wrap_realloc(void *p, size_t n)
{
	if (is_failing())
		return NULL;
	return p ? __real_realloc(p, n) : counted(__real_realloc(p, n));
}

void __wrap_free(void *p)
{
	live -= p != NULL;
	__real_free(p);
}

void *__wrap_mmap(void *p, size_t n, int protection, int flags, int fd, off_t at)
{
	if (is_failing())
		return MAP_FAILED;
	void *got = __real_mmap(p, n, protection, flags, fd, at);
	/* mappings are counted in bytes, because a part may be unmapped before the rest */
	live += got == MAP_FAILED ? 0 : n;
	return got;
}

int __wrap_munmap(void *p, size_t n)
{
	live -= n;
	return __real_munmap(p, n);
}

/* ---- a caller ---- */

struct file {
	const char *path, *text;
};

static const struct file files[] = {
	{ "project.tj", "project {\n    policies = [\"rules.tj\"]\n}\n" },
	{ "rules.tj", "policy \"replicas\" {\n    for r in cluster.roles {\n        check r.replicas < 100 else \"too many\"\n    }\n}\n" },
	{ "job.tj", "import std.pytorch\nimport \"sizes.tj\" as sizes\nparam tag: string = \"1\"\nparam names: list[string] = []\n"
	  "job \"door\": pytorch.torchrun {\n    image = \"registry.example/train:${tag}\"\n"
	  "    env { SEED = \"7\", NAMES = join(names, \",\") }\n"
	  "    role worker {\n        replicas = sizes.nodes\n        command = [\"train.py\", \"--steps=10\"]\n    }\n}\n" },
	{ "sizes.tj", "let nodes = 3\n" },
	{ "second.tj", "job \"second\" {\n    image = \"i:1\"\n    role w { replicas = 2, command = [\"a\"] }\n}\n" },
	{ "fleet.tj", "for i in range(300) job \"f${i}\" {\n    image = \"i:1\"\n"
	  "    role w { replicas = 2, command = [\"a\"] }\n}\n" },
	{ "wrong.tj", "job \"wrong\" {\n    image = \"i:1\"\n    role w { replicsa = 2h30m, command = [\"a\" }\n" },
	{ "values.yaml", "tag: &t \"2\"\nnames:\n  - *t\n  - |\n    b\n  - {a: [b]}\n" },
};

static size_t callbacks;                /* number of callbacks in progress; 0 when all have returned normally */

static bool read_file(void *context, const char *path, void (*give)(void *to, const char *text, size_t n), void *to,
	const char **why)
{
	(void)context;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (!strcmp(files[i].path, path)) {
			callbacks++;
			give(to, files[i].text, strlen(files[i].text));
			callbacks--;
			return true;
		}
	}
	*why = "no such file";
	return false;
}

static void list_files(void *context, const char *directory, void (*each)(void *to, const char *name), void *to)
{
	(void)context;
	(void)directory;
	callbacks++;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		each(to, files[i].path);
	callbacks--;
}

static bool take(void *context, const char *bytes, size_t n)
{
	(void)bytes;
	*(size_t *)context += n;
	return true;
}

static size_t written;
static const struct trainc_output output = { &written, take };

/* Calls functions of the library, and asks once whether memory has run out: after that, every call must fail. */
struct caller {
	bool lacking, contradicts;
};

static void answer(struct caller *c, const struct trainc *t, bool yes)
{
	c->contradicts = c->contradicts || (c->lacking && yes);
	c->lacking = c->lacking || trainc_out_of_memory(t);
	c->contradicts = c->contradicts || (c->lacking && yes);
}

static void ask(struct caller *c, struct trainc *t, const char *path)
{
	struct trainc_diagnostic d;
	struct trainc_job job;
	const char *why = "";

	answer(c, t, trainc_option(t, "profile", "none") && false);
	answer(c, t, trainc_compile(t, path));
	answer(c, t, trainc_plan(t, TRAINC_TEXT, output));
	answer(c, t, trainc_plan(t, TRAINC_JSON, output));
	answer(c, t, trainc_plan(t, TRAINC_SVG, output));
	answer(c, t, trainc_env(t, NULL, -1, TRAINC_TEXT, output, &why));
	answer(c, t, trainc_job(t, 0, &job));
	answer(c, t, trainc_diagnostics(t) > 0);
	answer(c, t, trainc_diagnostic(t, 0, &d));
	answer(c, t, trainc_report(&t, 1, TRAINC_TEXT, (struct trainc_look){ 0 }, output));
	answer(c, t, trainc_report(&t, 1, TRAINC_SARIF, (struct trainc_look){ 0 }, output));
	answer(c, t, trainc_format(t, "f.tj", "let  a=1", 8, output));
	answer(c, t, trainc_file(t, 0) != NULL);
}

static struct trainc *opened(struct caller *c)
{
	static const struct trainc_files from = { .read = read_file, .list = list_files };
	struct trainc *t = trainc_open(&from);

	c->lacking = c->lacking || !t;
	return t;
}

/* Uses one program: first a valid one, then one with errors, each with parameters from a file. */
static void one(struct caller *c, const char *path)
{
	struct trainc *t = opened(c);

	if (!t)
		return;
	answer(c, t, trainc_option(t, "params", "values.yaml"));
	ask(c, t, path);
	trainc_close(t);
}

/* Uses two programs, which are checked together and closed in either order. */
static void two(struct caller *c, bool first_first)
{
	struct trainc *t[2] = { opened(c), opened(c) };

	if (t[0] && t[1]) {
		trainc_compile(t[0], "job.tj");
		trainc_compile(t[1], "second.tj");
		struct caller own = { .lacking = trainc_out_of_memory(t[0]) || trainc_out_of_memory(t[1]) };
		answer(&own, t[0], trainc_check(t, 2, true));
		answer(&own, t[1], trainc_emit(t, 2, TRAINC_YAML, output));
		answer(&own, t[0], trainc_emit(t, 2, TRAINC_JSON, output));
		c->lacking = c->lacking || own.lacking;
		c->contradicts = c->contradicts || own.contradicts;
	}
	trainc_close(t[first_first ? 0 : 1]);
	trainc_close(t[first_first ? 1 : 0]);
}

static void first(struct caller *c) { one(c, "job.tj"); }
static void wrong(struct caller *c) { one(c, "wrong.tj"); }
/* Uses a program that needs blocks of the largest size (see base/arena.c). */
static void fleet(struct caller *c) { one(c, "fleet.tj"); }
static void both(struct caller *c) { two(c, true); }
static void both_back(struct caller *c) { two(c, false); }

/* ---- every allocation ---- */

static unsigned passed, failed;

static void trial(const char *name, void (*use)(struct caller *c), long n, bool good)
{
	struct caller c = { 0 };
	long before = live;

	asked = 0;
	fails_at = n;
	for_good = good;
	use(&c);
	fails_at = 0;
	if (live == before && callbacks == 0 && !c.contradicts && c.lacking == (n > 0)) {
		passed++;
		return;
	}
	failed++;
	printf("FAIL %s, allocation %ld of %ld%s: %ld pieces left, %zu callbacks left, %s%s\n", name, n, asked,
		good ? " and all later" : "",
		live - before, callbacks, c.lacking ? "lacking" : "not lacking",
		c.contradicts ? ", contradicts itself" : "");
	callbacks = 0;
}

int main(void)
{
	static const struct { const char *name; void (*use)(struct caller *c); } uses[] = {
		{ "a program", first }, { "a program with mistakes", wrong }, { "a fleet", fleet },
		{ "two programs", both },
		{ "two programs, closed in the other order", both_back },
	};
	/*
	 * number of allocations of each use that are made to fail: all in an ordinary build, a sample in a build that
	 * allocates each block separately
	 */
	static const int sampled = 400;

	for (size_t i = 0; i < sizeof uses / sizeof *uses && failed < 20; i++) {
		trial(uses[i].name, uses[i].use, 0, false);
		long all = asked, step = 1 + all / sampled;
		if (all < 20)
			printf("FAIL %s: %ld allocations\n", uses[i].name, all), failed++;
		for (long n = 1; n <= all && failed < 20; n += step) {
			trial(uses[i].name, uses[i].use, n, false);
			trial(uses[i].name, uses[i].use, n, true);
		}
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed > 0;
}
