/*
 * code_tree.c - walks a directory and applies the rules to it. Each directory is opened by its name in the open one
 * above it and never through a link, so that an exchange of a directory meanwhile does not lead the walk out of the
 * root.
 */
#include "code/code_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "code/link.h"

enum { LONGEST_PATH = 3500, LONGEST_NAME = 255, MOST_PROBLEMS = 100, MOST_RULES = 1024 * 1024,
	DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static const off_t LARGEST_FILE = ((off_t)1 << 33) - 1;     /* what has room in a header of the archive */

void tree_report(struct code_tree *t, enum tree_fault fault, struct str path, struct str why)
{
	size_t same = 0;

	for (size_t i = 0; i < t->nproblems; i++)
		same += t->problems[i].fault == fault;
	if (same < MOST_PROBLEMS)
		ARENA_PUSH(t->arena, t->problems, t->nproblems, ((struct tree_problem){ fault, path, why }));
}

static void leave_out(struct code_tree *t, struct str path, enum tree_kind kind, struct str rule, struct str text)
{
	ARENA_PUSH(t->arena, t->left, t->nleft, ((struct tree_left){ path, rule, text, kind }));
}

static struct str path_below(struct arena *a, struct str directory, struct str name)
{
	return directory.n ? str_cat(a, directory, STR("/"), name) : str_copy(a, name);
}

/* The path relative to the project of a path that is relative to the directory. */
static struct str of_project(struct code_tree *t, struct str path)
{
	return !path.n ? t->dir : path_below(t->arena, t->dir, path);
}

/* ---- files of rules ---- */

/* Reads a file of rules. Git follows no link to one, and neither does this. */
static const struct rules *rules_in(struct code_tree *t, int directory, struct str base, const char *name,
	const struct rules *outer)
{
	struct str text, why;
	struct stat st;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
		return outer;
	struct str path = path_below(t->arena, base, str_of(name));
	if (st.st_size > MOST_RULES)
		why = STR("it is larger than 1 MiB");
	else if (file_read_in(t->arena, directory, str_of(name), &text, &why))
		return rules_read(t->arena, outer, base, path, text);
	tree_report(t, FAULT_UNREADABLE, path, why);
	return outer;
}

static const struct rules *rules_of_directory(struct code_tree *t, int directory, struct str base,
	const struct rules *outer)
{
	outer = rules_in(t, directory, base, ".gitignore", outer);
	return rules_in(t, directory, base, ".trainignore", outer);
}

/*
 * Reads the rules of the directories from the project down to the one above `dir`. Returns false if one of them leaves
 * out a directory on the way, so that all of it is left out.
 */
static bool outer_rules(struct code_tree *t, const struct rules **ret)
{
	const struct rules *rules = NULL, *of;

	for (size_t end = 0; end < t->dir.n; ) {
		struct str base = { t->dir.p, end };
		int fd = open(end ? path_below(t->arena, t->project, base).p : str_copy(t->arena, t->project).p,
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0) {
			rules = rules_of_directory(t, fd, str_copy(t->arena, base), rules);
			close(fd);
		}
		const char *slash = memchr(t->dir.p + end + (end > 0), '/', t->dir.n - end - (end > 0));
		end = slash ? (size_t)(slash - t->dir.p) : t->dir.n;
		const struct rule *rule = rules_find(rules, (struct str){ t->dir.p, end }, true, &of);
		if (rule && !rule->negated) {
			leave_out(t, STR("."), TREE_DIRECTORY, rules_name(t->arena, of, rule), rule->text);
			*ret = rules;
			return false;
		}
	}
	*ret = rules;
	return true;
}

/* ---- what is in a directory ---- */

/* A directory that is being walked. */
struct tree_place {
	struct str path, name;          /* name: in the directory above it, whose descriptor is `above` */
	int above;
	const struct rules *rules;
	int fd;
	bool out;                       /* it is left out; only what `include` names is taken from it */
	bool whole;                     /* `include` names it, so that all path_below it is taken */
};

static enum tree_kind stat_kind(const struct stat *st)
{
	return S_ISDIR(st->st_mode) ? TREE_DIRECTORY : S_ISREG(st->st_mode) ? TREE_FILE :
		S_ISLNK(st->st_mode) ? TREE_LINK : TREE_OTHER;
}

/* Checks a name; false, after reporting, if not every machine and archive can have it. */
static bool name_is_fit(struct code_tree *t, struct str path, struct str name)
{
	const char *why = NULL;

	if (str_malformed(path) != path.n)
		why = "its name is not UTF-8";
	for (size_t i = 0; i < path.n && !why; i++)      /* names of directories count too */
		if ((unsigned char)path.p[i] < 0x20 || path.p[i] == 0x7f)
			why = "its name has a control character";
		else if (path.p[i] == '\\')
			why = "its name has a backslash";
	if (!why && name.n > LONGEST_NAME)
		why = "its name is longer than 255 bytes";
	if (!why && path.n > LONGEST_PATH)
		why = "its path is longer than 3500 bytes";
	if (why)
		tree_report(t, FAULT_NAME, path, str_of(why));
	return !why;
}

static void take_link(struct code_tree *t, const struct tree_place *at, struct str name, struct tree_entry *e)
{
	char target[4096];
	ssize_t n = readlinkat(at->fd, name.p, target, sizeof target);

	if (n < 0 || (size_t)n == sizeof target) {
		tree_report(t, FAULT_UNREADABLE, e->path, n < 0 ? file_reason(t->arena, errno) : STR("it is too long"));
		return;
	}
	e->target = str_copy(t->arena, (struct str){ target, (size_t)n });
	if (str_malformed(e->target) != e->target.n)
		tree_report(t, FAULT_NAME, e->path, STR("it leads to a name that is not UTF-8"));
	else if (link_leads_out(t->root, at->path, e->target))
		tree_report(t, FAULT_LINK, e->path, e->target);
}

static void take_entry(struct code_tree *t, const struct tree_place *at, struct str path, struct str name,
	const struct stat *st)
{
	struct tree_entry e = { .path = path, .kind = stat_kind(st), .executable = st->st_mode & S_IXUSR,
		.device = st->st_dev, .inode = st->st_ino, .changed = st->st_mtim };

	if (!name_is_fit(t, path, name))
		return;
	if (e.kind == TREE_FILE && st->st_size > LARGEST_FILE) {
		tree_report(t, FAULT_SIZE, path, STR(""));
		return;
	}
	if (e.kind == TREE_LINK)
		take_link(t, at, name, &e);
	else
		e.size = (uint64_t)st->st_size;
	e.executable = e.executable && e.kind == TREE_FILE;
	t->bytes += e.size;
	ARENA_PUSH(t->arena, t->entries, t->n, e);
}

static void walk_directory(struct code_tree *t, struct tree_place at);

/* Notes which elements of `include` match, and returns whether one of them decides to take the path. */
static bool is_included(struct code_tree *t, struct str path, bool directory)
{
	const struct rules *of;
	struct str whole = of_project(t, path);

	for (size_t i = 0; i < t->ninclude; i++) {
		struct rules one = *t->includes;
		one.at = &t->includes->at[i];
		one.n = 1;
		if (i < t->includes->n && rules_find(&one, whole, directory, &of))
			t->included[one.at->line - 1] = true;
	}
	const struct rule *rule = t->ninclude ? rules_find(t->includes, whole, directory, &of) : NULL;
	return rule && !rule->negated;
}

/* Is it one of the things that are never taken? Returns the name of that rule, or NULL. */
static const char *never_taken(const struct code_tree *t, const struct tree_place *at, struct str name,
	const struct stat *st)
{
	if (str_is(name, ".git"))
		return ".git";
	/* the second name is that of the archive while it is unpacked */
	if (!at->path.n && (str_is(name, ".trainc") || str_is(name, ".trainc.tar")))
		return ".trainc";
	for (size_t i = 0; i < t->nown; i++)
		if (st->st_ino == t->own[i].inode && st->st_dev == t->own[i].device)
			return t->own[i].rule;
	return NULL;
}

static void visit_entry(struct code_tree *t, const struct tree_place *at, struct str name)
{
	struct str path = path_below(t->arena, at->path, name), whole = of_project(t, path);
	const struct rules *of = NULL;
	struct stat st;

	if (fstatat(at->fd, name.p, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return;                         /* it is gone meanwhile */
	enum tree_kind kind = stat_kind(&st);
	const char *never = never_taken(t, at, name, &st);
	if (never) {
		leave_out(t, path, kind, str_of(never), STR(""));
		return;
	}
	bool included = at->whole || is_included(t, path, kind == TREE_DIRECTORY), out = at->out;
	const struct rule *rule = out || included ? NULL :
		rules_find(t->excludes, whole, kind == TREE_DIRECTORY, &of);
	if (!rule && !out && !included)
		rule = rules_find(at->rules, whole, kind == TREE_DIRECTORY, &of);
	if (rule && !rule->negated) {
		leave_out(t, path, kind, rules_name(t->arena, of, rule), rule->text);
		out = true;
	}
	out = out && !included;
	if (kind == TREE_DIRECTORY && (!out || (t->ninclude && rules_reach_below(t->includes, whole))))
		walk_directory(t, (struct tree_place){ path, name, at->fd, at->rules, -1, out, included });
	else if (kind == TREE_OTHER && !out)
		leave_out(t, path, kind, STR("not a file"), STR(""));
	else if (!out && kind != TREE_DIRECTORY)
		take_entry(t, at, path, name, &st);
}

static int by_name_bytes(const void *a, const void *b) { return str_cmp(*(const struct str *)a,
	*(const struct str *)b); }

/* Lists the names of an open directory, in byte order. */
static struct str *list_names(struct code_tree *t, DIR *stream, size_t *ret_n)
{
	struct str *names = NULL;
	struct dirent *e;

	for (*ret_n = 0; t->visits < TREE_VISITS && (e = readdir(stream));) {
		struct str name = str_of(e->d_name);
		if (str_is(name, ".") || str_is(name, ".."))
			continue;
		t->visits++;
		ARENA_PUSH(t->arena, names, *ret_n, str_copy(t->arena, name));
	}
	if (*ret_n)
		qsort(names, *ret_n, sizeof *names, by_name_bytes);
	return names;
}

/* Was a directory gone, or a link or a file, when it was opened? It was a directory when it was found. */
static bool is_exchanged(int reason) { return reason == ENOENT || reason == ENOTDIR || reason == ELOOP; }

/* Opens a directory and reads its names; false, after reporting, if that fails. */
static bool open_place(struct code_tree *t, struct tree_place *at, struct str **ret_names, size_t *ret_n)
{
	DIR *stream = NULL;

	if (at->path.n > LONGEST_PATH) {
		tree_report(t, FAULT_NAME, at->path, STR("its path is longer than 3500 bytes"));
		return false;
	}
	at->fd = openat(at->above, at->name.p, DIRECTORY_FLAGS);
	int listed = at->fd < 0 ? -1 : fcntl(at->fd, F_DUPFD_CLOEXEC, 0);
	if (listed < 0 || !(stream = fdopendir(listed))) {
		if (!at->out && is_exchanged(errno))
			tree_report(t, FAULT_CHANGED, at->path, STR(""));
		else if (!at->out)
			tree_report(t, FAULT_UNREADABLE, at->path.n ? at->path : STR("."), file_reason(t->arena,
				errno));
		if (listed >= 0)
			close(listed);
		return false;
	}
	*ret_names = list_names(t, stream, ret_n);
	closedir(stream);
	return true;
}

static void walk_directory(struct code_tree *t, struct tree_place at)
{
	struct str *names = NULL;
	size_t n = 0;

	if (open_place(t, &at, &names, &n)) {
		ARENA_PUSH(t->arena, t->directories, t->ndirectories, at.path);
		if (!at.out)
			at.rules = rules_of_directory(t, at.fd, of_project(t, at.path), at.rules);
		for (size_t i = 0; i < n; i++)
			visit_entry(t, &at, names[i]);
	}
	if (at.fd >= 0)
		close(at.fd);
}

/* ---- the whole ---- */

static int by_path(const void *a, const void *b)
{
	return str_cmp(((const struct tree_entry *)a)->path, ((const struct tree_entry *)b)->path);
}

static void add_own(struct code_tree *t, const struct stat *st, const char *rule)
{
	if (t->nown < TREE_OWN)
		t->own[t->nown++] = (struct tree_own){ st->st_dev, st->st_ino, rule };
}

/* Finds what trainc writes: with it, the same command would take other files each time. */
static void find_own(struct code_tree *t)
{
	static const char output[] = "output of this command";
	struct stat st;

	if (t->state.n && stat(str_copy(t->arena, t->state).p, &st) == 0)
		add_own(t, &st, "directory of runs");
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
			add_own(t, &st, output);
	for (size_t i = 0; i < t->noutputs; i++)
		if (t->outputs[i].n && stat(str_copy(t->arena, t->outputs[i]).p, &st) == 0)
			add_own(t, &st, output);
}

void tree_walk(struct code_tree *t)
{
	struct tree_place top = { .path = STR(""), .name = STR("."), .above = t->root, .fd = -1 };

	t->excludes = rules_of_list(t->arena, NULL, t->dir, STR("exclude"), t->exclude, t->nexclude);
	t->includes = rules_of_list(t->arena, NULL, t->dir, STR("include"), t->include, t->ninclude);
	t->included = ARENA_ARRAY(t->arena, bool, t->ninclude);
	find_own(t);
	top.out = !outer_rules(t, &top.rules);
	walk_directory(t, top);
	if (t->n)
		qsort(t->entries, t->n, sizeof *t->entries, by_path);
	if (t->n > TREE_FILES || t->visits >= TREE_VISITS)
		tree_report(t, FAULT_MANY, STR("."), STR(""));
}

int tree_open(const struct code_tree *t, struct str path)
{
	int at = t->root, next;

	for (size_t i = 0;;) {
		const char *slash = memchr(path.p + i, '/', path.n - i);
		struct str name = str_copy(t->arena, (struct str){ path.p + i, slash ? (size_t)(slash - path.p) - i :
			path.n - i });
		next = openat(at, name.p, slash ? DIRECTORY_FLAGS :
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
		int reason = is_exchanged(errno) ? ENOENT : errno;
		if (at != t->root)
			close(at);
		if (next < 0)
			errno = reason;
		if (next < 0 || !slash)
			return next;
		at = next;
		i += name.n + 1;
	}
}

const struct tree_entry *tree_find(const struct code_tree *t, struct str path)
{
	struct tree_entry key = { .path = path };

	return t->n ? bsearch(&key, t->entries, t->n, sizeof key, by_path) : NULL;
}

const struct tree_left *tree_left_find(const struct code_tree *t, struct str path)
{
	for (size_t i = 0; i < t->nleft; i++) {
		struct str left = t->left[i].path;
		if (str_is(left, ".") || str_eq(left, path) ||
			(str_starts(path, left) && path.p[left.n] == '/'))
			return &t->left[i];
	}
	return NULL;
}
