/*
 * launch_command.c - the words of a command, the file of its program, and its working directory.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "runtime/local/launch_internal.h"

static struct str directory(const struct launch *l, struct arena *a, const struct plan_container *c)
{
	if (c->workdir.set)
		return path_join(a, l->options->image_root.n ? STR("/") : l->options->directory, c->workdir.value);
	return l->options->image_root.n ? STR("/") : l->options->directory;
}

/* ---- words ---- */

static const struct plan_texts *texts_of(const struct plan_texts *t, int64_t i)
{
	return t->per_replica ? &t->per_replica[i] : t;
}

static void words_add(const struct launch *l, struct arena *a, unsigned role, int64_t i, int64_t attempt,
	const struct variables *v,
	const struct plan_texts *texts, char ***argv, size_t *n)
{
	const struct plan_texts *t = texts_of(texts, i);
	struct buf b = { 0 };

	for (size_t k = 0; k < t->n; k++) {
		launch_text(l, role, i, attempt, v, &t->at[k], &b);
		ARENA_PUSH(a, *argv, *n, arena_copy(a, b.p, b.n));
		b.n = 0;
		b.overflow = false;
	}
	buf_release(&b);
}

/*
 * Lists the files that execvp() would try: a name with a slash is a file; any other name is looked up in the
 * directories of PATH.
 */
static const char *const *candidates(struct arena *a, const struct variables *v, struct str command)
{
	const struct variable *path = variables_find(v, STR("PATH"));
	struct str list = path ? path->value : launch_standard_path;
	const char **at = NULL;
	size_t n = 0;

	if (memchr(command.p, '/', command.n)) {
		const char *file = str_copy(a, command).p;
		ARENA_PUSH(a, at, n, file);
	} else {
		for (size_t from = 0; from <= list.n && command.n;) {
			const char *colon = memchr(list.p + from, ':', list.n - from);
			size_t end = colon ? (size_t)(colon - list.p) : list.n;
			struct str dir = end > from ? (struct str){ list.p + from, end - from } : STR(".");
			const char *file = str_cat(a, dir, STR("/"), command).p;
			ARENA_PUSH(a, at, n, file);
			from = end + 1;
		}
	}
	const char *end = NULL;
	ARENA_PUSH(a, at, n, end);
	return at;
}

bool launch_words(const struct launch *l, struct arena *a, unsigned role, int64_t i, const struct plan_container *c,
	int64_t attempt,
	const struct variables *v, struct launched *ret)
{
	char **argv = NULL, *end = NULL;
	size_t n = 0;

	words_add(l, a, role, i, attempt, v, &c->command, &argv, &n);
	if (!n)
		return false;
	words_add(l, a, role, i, attempt, v, &c->args, &argv, &n);
	ARENA_PUSH(a, argv, n, end);
	ret->argv = argv;
	ret->command = str_of(argv[0]);
	ret->candidates = candidates(a, v, ret->command);
	ret->cwd = str_copy(a, directory(l, a, c)).p;
	return true;
}

void launch_other_words(struct arena *a, const struct plan_str *words, size_t n, struct launched *what)
{
	struct variables v = { .arena = a };
	char **argv = ARENA_ARRAY(a, char *, n + 1);

	for (char *const *e = what->envp; *e && !v.n; e++)
		if (strncmp(*e, "PATH=", 5) == 0) {
			struct variable path = { .name = STR("PATH"), .value = str_of(*e + 5) };
			ARENA_PUSH(a, v.at, v.n, path);
		}
	for (size_t i = 0; i < n; i++)
		argv[i] = arena_copy(a, words[i].value.p, words[i].value.n);
	what->argv = argv;
	what->command = str_of(argv[0]);
	what->candidates = candidates(a, &v, what->command);
}

/* ---- checks ---- */

static bool is_directory(struct str path)
{
	struct stat s;
	return stat(path.p, &s) == 0 && S_ISDIR(s.st_mode);
}

static void check_directory(struct launch *l, unsigned role, const struct plan_container *c, struct buf *why)
{
	struct str who = launch_who(l->arena, &l->job->roles[role], c);

	if (!c->workdir.set)
		return;
	struct str dir = directory(l, l->arena, c), behind = launch_behind(l, l->arena, role, c, dir);
	if (behind.p && !is_directory(behind))
		launch_complain(why,
			"%.*s: workdir '%.*s' is not a directory of this machine; make it, or mount one there",
			STR_ARG(who), STR_ARG(dir));
}

/* The container's PATH, if it is known before ports are assigned. */
static struct str path_of(const struct launch *l, const struct plan_container *c)
{
	struct str caller = l->options->image_root.n ? (struct str){ 0 } : launch_caller(l, STR("PATH"));

	for (size_t i = c->nenv; i-- > 0;) {
		const struct plan_env *e = &c->env[i];
		if (!str_is(e->name, "PATH"))
			continue;
		bool plain = e->kind == ENV_TEXT && !e->per_replica && text_is_plain(&e->text);
		return plain ? e->text.n ? e->text.at[0].u.text : STR("") : (struct str){ 0 };
	}
	return caller.p ? caller : launch_standard_path;
}

enum found { FOUND, NOT_FOUND, NOT_EXECUTABLE, DIRECTORY, UNKNOWN };

static enum found look(struct launch *l, unsigned role, const struct plan_container *c, struct str command,
	struct str path)
{
	struct variable v = { .name = STR("PATH"), .value = path };
	struct variables vs = { .arena = l->arena, .at = &v, .n = 1 };
	const char *const *files = candidates(l->arena, &vs, command);
	enum found best = NOT_FOUND;
	struct stat s;

	for (size_t i = 0; files[i]; i++) {
		struct str file = path_join(l->arena, directory(l, l->arena, c), str_of(files[i]));
		struct str behind = launch_behind(l, l->arena, role, c, file);
		if (!behind.p)
			return UNKNOWN;
		if (stat(behind.p, &s) < 0)
			continue;
		if (S_ISDIR(s.st_mode)) {
			best = memchr(command.p, '/', command.n) ? DIRECTORY : best;
			continue;
		}
		if (access(behind.p, X_OK) == 0)
			return FOUND;
		best = NOT_EXECUTABLE;
	}
	return best;
}

enum { PATH_SHOWN = 40 };               /* longer lists of directories are cut in messages */

void launch_check_command(struct launch *l, unsigned role, const struct plan_container *c, struct buf *why)
{
	const struct plan_role *r = &l->job->roles[role];
	const struct plan_texts *words = texts_of(&c->command, 0);
	struct str who = launch_who(l->arena, r, c), path = path_of(l, c);

	check_directory(l, role, c, why);
	if (!words->n) {
		launch_complain(why, "%.*s: no command, and no image that would provide one; write 'command = [...]'",
			STR_ARG(who));
		return;
	}
	if (!text_is_plain(&words->at[0]) || !path.p)
		return;                         /* exec reports the error */
	struct str command = words->at[0].n ? words->at[0].at[0].u.text : STR("");
	switch (look(l, role, c, command, path)) {
	case FOUND:
	case UNKNOWN: return;
	case NOT_EXECUTABLE: launch_complain(why, "%.*s: '%.*s' is not executable", STR_ARG(who), STR_ARG(command));
	return;
	case DIRECTORY: launch_complain(why, "%.*s: '%.*s' is a directory, not a program", STR_ARG(who),
		STR_ARG(command)); return;
	case NOT_FOUND: break;
	}
	if (memchr(command.p, '/', command.n))
		launch_complain(why, "%.*s: command not found: '%.*s'", STR_ARG(who), STR_ARG(command));
	else if (path.n <= PATH_SHOWN)
		launch_complain(why, "%.*s: command not found: '%.*s' is in no directory of PATH: %.*s", STR_ARG(who),
			STR_ARG(command), STR_ARG(path));
	else
		launch_complain(why, "%.*s: command not found: '%.*s' is in no directory of PATH", STR_ARG(who),
			STR_ARG(command));
}
