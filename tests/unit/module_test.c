/*
 * module_test.c - loads modules from memory: the project's root, several paths to one file, order, packages and their
 * lock file. No file system is touched.
 */
#include <stdio.h>

#include "base/path.h"
#include "check/check.h"
#include "check/package.h"

static int passed, failed;

static void ok(bool good, const char *what)
{
	if (good)
		passed++;
	else
		failed++;
	printf("%s %s\n", good ? "ok" : "FAIL", what);
}

/* ---- a file system in memory ---- */

struct memory_file {
	const char *path, *text;
};

static bool memory_read(void *context, struct arena *arena, struct str path, struct str *ret, struct str *why)
{
	(void)arena;
	for (const struct memory_file *f = context; f->path; f++)
		if (str_is(path, f->path)) {
			*ret = str_of(f->text);
			return true;
		}
	*why = STR("no such file");
	return false;
}

/* Lists the names directly inside a directory, each once, in the order of the table. */
static void memory_list(void *context, struct arena *arena, struct str directory,
	void (*each)(void *to, struct str name), void *to)
{
	struct map seen = { 0 };
	for (const struct memory_file *f = context; f->path; f++) {
		struct str path = str_of(f->path);
		if (!str_starts(path, directory) || path.n <= directory.n || path.p[directory.n] != '/')
			continue;
		const char *name = path.p + directory.n + 1, *slash = strchr(name, '/');
		struct str s = { name, slash ? (size_t)(slash - name) : strlen(name) };
		if (map_put_const(&seen, arena, s, f))
			continue;
		each(to, s);
	}
}

struct run {
	struct arena arena;
	struct names names;
	struct sources sources;
	struct diags diags;
	struct reader reader;
	struct program program;
};

static bool load(struct run *r, struct memory_file *files, const char *root)
{
	*r = (struct run){ 0 };
	r->names.arena = r->sources.arena = r->diags.arena = &r->arena;
	r->diags.sources = &r->sources;
	r->reader = (struct reader){ files, memory_read, NULL, memory_list, NULL, NULL };
	r->program = (struct program){ .arena = &r->arena, .names = &r->names, .diags = &r->diags,
		.sources = &r->sources, .reader = &r->reader };
	bool there = module_load(&r->program, str_of(root));
	if (there)
		check_program(&r->program);
	return there;
}

static bool reported(const struct run *r, enum diag_code code)
{
	for (size_t i = 0; i < r->diags.n; i++)
		if (r->diags.at[i]->code == code)
			return true;
	return false;
}

/* ---- cases ---- */

static void missing_root(void)
{
	static struct memory_file files[] = { { NULL, NULL } };
	struct run r;
	ok(!load(&r, files, "job.tj"), "a root file that is not there");
	ok(r.diags.n == 1 && r.diags.at[0]->code == TJ0001, "is TJ0001");
	arena_release(&r.arena);
}

static void one_module(void)
{
	static struct memory_file files[] = {
		{ "./a//job.tj",
			"import \"b.tj\" as b\nimport \"c/d.tj\" as d\nlet x = b.y + d.z\ncheck x == 3 else \"\"\n" },
		{ "a/b.tj", "import \"./c/../c/d.tj\" as d\nlet y = d.z + 1\n" },
		{ "a/c/d.tj", "let z = 1\n" },
		{ NULL, NULL }
	};
	struct run r;
	ok(load(&r, files, "./a//job.tj") && diags_ok(&r.diags), "files that import each other");
	ok(r.program.n == 3, "two routes to one file are one module");
	ok(r.program.n == 3 && str_is(r.program.modules[0]->path, "a/c/d.tj") && r.program.modules[2] == r.program.root,
		"a module comes after those that it imports");
	ok(str_is(r.program.root->path, "a/job.tj"), "paths are normalised");
	ok(str_is(r.program.project.root, "a") && !r.program.project.module,
		"without project.tj the root is the file's directory");
	arena_release(&r.arena);
}

static void project_root(void)
{
	static struct memory_file files[] = {
		{ "p/project.tj",
			"project {\n kubernetes = \"1.31\"\n hosts = \"service\"\n policies = [\"rules.tj\"]\n}\n" },
		{ "p/rules.tj", "policy \"p\" { check cluster.name != \"\" else \"no name\" }\n" },
		{ "p/shared.tj", "let x = 1\n" },
		{ "p/jobs/deep/job.tj", "import \"../../shared.tj\" as s\ncheck s.x == 1 else \"\"\n" },
		{ NULL, NULL }
	};
	struct run r;
	ok(load(&r, files, "p/jobs/deep/job.tj") && diags_ok(&r.diags), "a project above the file");
	ok(str_is(r.program.project.root, "p") && str_is(r.program.project.kubernetes, "1.31"), "its fields are read");
	ok(str_is(r.program.project.hosts, "service") && str_is(r.program.project.target, "jobs"),
		"the others have defaults");
	ok(r.program.project.npolicies == 1 && r.program.project.policies[0]->policy, "its policies are modules");
	arena_release(&r.arena);
}

static void above_the_working_directory(void)
{
	static struct memory_file files[] = {
		{ "../project.tj", "project { packages { acme = \"vendor/acme\" } }\n" },
		{ "job.tj", "import \"../lib/x.tj\" as x\nimport \"../../out.tj\" as y\ncheck x.a == y.b else \"\"\n" },
		{ "../lib/x.tj", "let a = 1\n" },
		{ "../../out.tj", "let b = 1\n" },
		{ NULL, NULL }
	};
	struct run r;
	ok(load(&r, files, "job.tj"), "a project above the working directory");
	ok(str_is(r.program.project.root, ".."), "is found");
	ok(reported(&r, TJ0210) && reported(&r, TJ0214), "and its rules hold");
	ok(r.diags.errors == 2, "nothing else is said");
	arena_release(&r.arena);
}

static void packages(void)
{
	static struct memory_file files[] = {
		{ "project.tj", "project { packages { acme = \"vendor/acme\" } }\n" },
		{ "job.tj", "import acme.a\nimport acme.b.c as c\ncheck a.x == c.y else \"\"\n" },
		{ "vendor/acme/a.tj", "let x = 1\n" },
		{ "vendor/acme/b/c.tj", "import \"../a.tj\" as a\nlet y = a.x\n" },
		{ "trainc.lock", "# comment\nacme sha256:x\n" },
		{ NULL, NULL }
	};
	struct memory_file locked[6];
	char lock[128];
	struct run r;
	ok(load(&r, files, "job.tj") && reported(&r, TJ0214), "a package that does not match its lock");
	struct str unlocked, hash = package_hash(&r.arena, &r.reader, STR("vendor/acme"), &unlocked);
	snprintf(lock, sizeof lock, "acme %.*s\n", STR_ARG(hash));
	arena_release(&r.arena);
	memcpy(locked, files, sizeof locked);
	locked[4].text = lock;
	ok(load(&r, locked, "job.tj") && diags_ok(&r.diags), "a package that matches");
	ok(str_is(r.program.modules[0]->dotted, "acme.a") && r.program.modules[0]->package, "has a dotted name");
	arena_release(&r.arena);
	locked[2].text = "let x = 2\n";
	ok(load(&r, locked, "job.tj") && reported(&r, TJ0214), "one byte more and it does not");
	arena_release(&r.arena);
}

static void cycles(void)
{
	static struct memory_file files[] = {
		{ "a.tj", "import \"b.tj\" as b\nlet x = b.y\n" },
		{ "b.tj", "import \"c.tj\" as c\nlet y = c.z\n" },
		{ "c.tj", "import \"a.tj\" as a\nlet z = a.x\n" },
		{ NULL, NULL }
	};
	struct run r;
	ok(load(&r, files, "a.tj") && reported(&r, TJ0209) && r.diags.errors == 1, "a cycle is reported once");
	ok(r.diags.n && source_at(&r.sources, r.diags.at[0]->at.start) == r.program.root->source,
		"at its first member");
	arena_release(&r.arena);
}

/* Makes a chain of imports that is longer by one than allowed. */
static void depth(void)
{
	enum { N = MODULE_DEPTH + 4 };
	static struct memory_file files[N + 1];
	static char paths[N][16], texts[N][64];
	struct run r;
	for (int i = 0; i < N; i++) {
		snprintf(paths[i], sizeof paths[i], "m%d.tj", i);
		if (i + 1 < N)
			snprintf(texts[i], sizeof texts[i], "import \"m%d.tj\" as m\nlet x = m.x\n", i + 1);
		else
			snprintf(texts[i], sizeof texts[i], "let x = 1\n");
		files[i] = (struct memory_file){ paths[i], texts[i] };
	}
	ok(load(&r, files, "m0.tj") && reported(&r, TJ0407) && r.diags.errors == 1, "imports that are nested too deep");
	arena_release(&r.arena);
	ok(load(&r, files, "m8.tj") && diags_ok(&r.diags), "and not too deep");
	arena_release(&r.arena);
}

static void library(void)
{
	size_t n;
	const char *const *names = stdlib_names(&n);
	static char text[4096], *end = text;
	for (size_t i = 0; i < n; i++)
		end += snprintf(end, (size_t)(text + sizeof text - end), "import std.%s as m%zu\n", names[i], i);
	struct memory_file files[] = { { "job.tj", text }, { NULL, NULL } };
	struct run r;
	ok(n > 0 && load(&r, files, "job.tj") && diags_ok(&r.diags), "every module of the library can be imported");
	ok(r.program.nslots < 1000 && r.program.root->values.n == n, "and binds its name");
	arena_release(&r.arena);
}

static void paths(void)
{
	struct arena a = { 0 };
	static const char *const joins[][3] = {
		{ ".", "a.tj", "a.tj" }, { "a", "../b.tj", "b.tj" }, { "a", "../../b.tj", "../b.tj" },
		{ "..", "..", "../.." }, { "a/b", "./c//d/../e.tj", "a/b/c/e.tj" }, { "/a", "../../b", "/b" },
		{ "a", "/b", "/b" }, { "a", "..", "." }
	};
	static const struct { const char *directory, *path; bool inside; } cases[] = {
		{ ".", "a.tj", true }, { ".", "../a.tj", false }, { "..", "../a.tj", true }, { "..", "a.tj", true },
		{ "..", "../../a.tj", false }, { "a", "a/b.tj", true }, { "a", "ab.tj", false }, { "/p", "/p/x", true },
		{ "/p", "/q/x", false }, { "/", "/q", true }, { "../p", "../p/x", true }, { "../p", "../q/x", false }
	};
	for (size_t i = 0; i < sizeof joins / sizeof *joins; i++)
		ok(str_is(path_join(&a, str_of(joins[i][0]), str_of(joins[i][1])), joins[i][2]), joins[i][2]);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		ok(path_inside(str_of(cases[i].directory), str_of(cases[i].path)) == cases[i].inside, cases[i].path);
	arena_release(&a);
}

int main(void)
{
	missing_root();
	one_module();
	project_root();
	above_the_working_directory();
	packages();
	cycles();
	depth();
	library();
	paths();
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
