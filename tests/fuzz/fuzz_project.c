/*
 * fuzz_project.c - compiles a whole project made of any bytes: programs, project.tj, trainc.lock, crds.tbl, packages,
 * parameter files and --set.
 *
 * A line "== NAME" starts the file NAME; the text before the first such line is job.tj.  The lines of the file "set"
 * are assignments of --set, and files whose names begin with "params." are read as parameters.
 *
 * What must hold: nothing crashes, a refused project has a diagnostic with a message, and an accepted one can be
 * written.
 */
#include <stdlib.h>

#include "base/path.h"
#include "compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { MOST_FILES = 16, MOST_SETTINGS = 16 };

struct file {
	struct str name, text;
};

struct files {
	struct file at[MOST_FILES];
	size_t n;
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* ---- the files ---- */

static void divide(struct arena *a, struct files *fs, struct str text)
{
	fs->at[fs->n++] = (struct file){ .name = STR("job.tj"), .text = { text.p, 0 } };
	for (size_t i = 0; i < text.n;) {
		const char *newline = memchr(text.p + i, '\n', text.n - i);
		struct str line = { text.p + i, newline ? (size_t)(newline - text.p) - i : text.n - i };
		i += line.n + (newline != NULL);
		if (str_starts(line, STR("== ")) && fs->n < MOST_FILES) {
			struct str name = { line.p + 3, line.n - 3 };
			fs->at[fs->n++] = (struct file){ path_join(a, STR("."), name), { text.p + i, 0 } };
		} else {
			struct file *last = &fs->at[fs->n - 1];
			last->text.n = (size_t)(text.p + i - last->text.p);
		}
	}
}

static const struct file *find(const struct files *fs, struct str path)
{
	struct arena a = { 0 };
	const struct file *ret = NULL;
	struct str name = path_join(&a, STR("."), path);

	for (size_t i = 0; i < fs->n && !ret; i++)
		ret = str_eq(fs->at[i].name, name) ? &fs->at[i] : NULL;
	arena_release(&a);
	return ret;
}

static bool read_file(void *context, struct arena *arena, struct str path, struct str *ret, struct str *why)
{
	const struct file *f = find(context, path);

	if (!f) {
		*why = STR("no such file");
		return false;
	}
	*ret = str_copy(arena, f->text);
	return true;
}

static bool exists(void *context, struct str path) { return find(context, path); }

/* Lists the names directly inside a directory, each once. */
static void list(void *context, struct arena *arena, struct str directory, void (*each)(void *to, struct str name),
	void *to)
{
	const struct files *fs = context;
	struct str head = path_join(arena, STR("."), directory), before = { 0 };

	for (size_t i = 0; i < fs->n; i++) {
		struct str name = fs->at[i].name;
		if (!str_is(head, ".") && str_starts(name, head) && name.n > head.n && name.p[head.n] == '/')
			name = (struct str){ name.p + head.n + 1, name.n - head.n - 1 };
		else if (!str_is(head, "."))
			continue;
		const char *slash = memchr(name.p, '/', name.n);
		name.n = slash ? (size_t)(slash - name.p) : name.n;
		if (!str_eq(name, before))
			each(to, name);
		before = name;
	}
}

/* ---- a run ---- */

static void settings(struct arena *a, struct trainc *t, struct str text)
{
	for (size_t i = 0, k = 0; i < text.n && k < MOST_SETTINGS; k++) {
		const char *newline = memchr(text.p + i, '\n', text.n - i);
		size_t n = newline ? (size_t)(newline - text.p) - i : text.n - i;
		trainc_option(t, "set", str_printf(a, "%.*s", (int)n, text.p + i).p);
		i += n + 1;
	}
}

static bool count(void *context, const char *bytes, size_t n)
{
	size_t *room = context;

	(void)bytes;
	if (n > *room)
		return false;
	*room -= n;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a = { 0 };
	struct files fs = { 0 };
	struct reader reader = { .context = &fs, .read = read_file, .exists = exists, .list = list };
	struct trainc *t = trainc_open_reader(&reader);
	struct trainc_diagnostic d;
	size_t room = 4 << 20;
	bool error = false;

	divide(&a, &fs, (struct str){ (const char *)bytes, n });
	for (size_t i = 0; i < fs.n; i++)
		if (str_is(fs.at[i].name, "set"))
			settings(&a, t, fs.at[i].text);
		else if (str_starts(fs.at[i].name, STR("params.")))
			trainc_option(t, "params", str_printf(&a, "%.*s", STR_ARG(fs.at[i].name)).p);
	trainc_compile(t, "job.tj");
	bool ok = trainc_check(&t, 1, true);
	for (size_t i = 0; trainc_diagnostic(t, i, &d); i++) {
		require(*d.message);
		error = error || d.error;
	}
	require(ok == !error);
	trainc_report(&t, 1, TRAINC_TEXT, (struct trainc_look){ .width = 60 }, (struct trainc_output){ &room, count });
	if (ok)
		trainc_emit(&t, 1, TRAINC_YAML, (struct trainc_output){ &room, count });
	trainc_close(t);
	arena_release(&a);
	return 0;
}
