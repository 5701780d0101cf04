/* package.c - computes the digests of vendored packages, and compares them with trainc.lock. */
#include "check/package.h"

#include "base/buf.h"
#include "base/path.h"
#include "base/sha256.h"

enum { DEEPEST = 200, MOST_FILES = 10000 };

struct listing {
	struct arena *arena;
	struct str *at;
	size_t n, seen;
};

static void add_name(void *to, struct str name)
{
	struct listing *l = to;
	l->seen++;
	if (name.n && name.p[0] != '.')
		ARENA_PUSH(l->arena, l->at, l->n, str_copy(l->arena, name));
}

struct walk {
	struct arena *arena;
	const struct reader *reader;
	struct str root, real_root;
	struct sha256 hash;
	size_t files;
	struct str why;                 /* why a file cannot be locked; p == NULL if all can */
};

static void fail_walk(struct walk *w, struct str relative, const char *what)
{
	if (!w->why.p)
		w->why = str_printf(w->arena, "'%.*s' %s", STR_ARG(relative), what);
}

static void add_package_file(struct walk *w, struct str relative, struct str text)
{
	struct str head = str_printf(w->arena, "%.*s\n%zu\n", STR_ARG(relative), text.n);
	sha256_add(&w->hash, head.p, head.n);
	sha256_add(&w->hash, text.p, text.n);
	w->files++;
}

/* Is it a symbolic link? Such a link may lead to files that the hash does not include. */
static bool is_link(struct walk *w, struct str relative)
{
	struct str real;
	struct str path = path_join(w->arena, w->root, relative);
	return w->real_root.p && w->reader->real(w->reader->context, w->arena, path, &real) &&
		!str_eq(real, path_join(w->arena, w->real_root, relative));
}

/*
 * Visits a directory. Every name without the ending .tj is tried as a directory, because listing a plain file returns
 * nothing.
 */
static void walk_package(struct walk *w, struct str relative, unsigned depth)
{
	struct listing l = { .arena = w->arena };
	w->reader->list(w->reader->context, w->arena, path_join(w->arena, w->root, relative), add_name, &l);
	if (l.seen >= MOST_FILES || w->files >= MOST_FILES)
		fail_walk(w, relative, "holds more than 10000 files");
	for (size_t i = 0; i < l.n && !w->why.p; i++) {
		struct str inner = path_join(w->arena, relative, l.at[i]), text, why;
		bool program = str_ends(l.at[i], STR(".tj"));
		if (is_link(w, inner))
			fail_walk(w, inner, "is a symbolic link, which the lock cannot cover");
		else if (!program && depth == DEEPEST)
			fail_walk(w, inner, "is nested too deep");
		else if (!program)
			walk_package(w, inner, depth + 1);
		else if (w->reader->read(w->reader->context, w->arena, path_join(w->arena, w->root, inner), &text,
			&why))
			add_package_file(w, inner, text);
		else
			fail_walk(w, inner, str_printf(w->arena, "cannot be read: %.*s", STR_ARG(why)).p);
	}
}

struct str package_hash(struct arena *a, const struct reader *reader, struct str directory, struct str *ret_why)
{
	struct walk w = { .arena = a, .reader = reader, .root = directory };
	char hex[65];
	*ret_why = STR("it holds no .tj file");
	if (!reader->list)
		return (struct str){ 0 };
	if (!reader->real || !reader->real(reader->context, a, directory, &w.real_root))
		w.real_root = (struct str){ 0 };
	sha256_init(&w.hash);
	walk_package(&w, STR("."), 0);
	if (w.why.p)
		*ret_why = w.why;
	if (w.why.p || !w.files)
		return (struct str){ 0 };
	sha256_end(&w.hash, hex);
	return str_printf(a, "sha256:%s", hex);
}

/* The entry of a package in the lock; p == NULL if the lock has no entry for it. */
static struct str locked(struct str lock, struct str name)
{
	for (size_t i = 0; i < lock.n;) {
		const char *end = memchr(lock.p + i, '\n', lock.n - i);
		size_t n = end ? (size_t)(end - (lock.p + i)) : lock.n - i;
		struct str line = { lock.p + i, n };
		if (line.n > name.n + 1 && str_starts(line, name) && line.p[name.n] == ' ') {
			struct str hash = { line.p + name.n + 1, line.n - name.n - 1 };
			while (hash.n && (hash.p[hash.n - 1] == '\r' || hash.p[hash.n - 1] == ' '))
				hash.n--;
			return hash;
		}
		i += n + 1;
	}
	return (struct str){ 0 };
}

void package_verify(struct program *p, struct str name, struct str directory, struct span at)
{
	struct str lock, why, path = path_join(p->arena, p->project.root, STR("trainc.lock"));
	bool there = p->reader->read(p->reader->context, p->arena, path, &lock, &why);
	struct str want = there ? locked(lock, name) : (struct str){ 0 };
	if (!there && p->reader->exists && p->reader->exists(p->reader->context, path)) {
		diag_report(p->diags, TJ0001, at, "'%.*s' cannot be read: %.*s", STR_ARG(path), STR_ARG(why));
		return;
	}
	if (!want.p) {
		struct diag *d = diag_report(p->diags, TJ0214, at, "package '%.*s' is not locked", STR_ARG(name));
		diag_label(p->diags, d, there ? "it has no line in 'trainc.lock'" : "the project has no 'trainc.lock'");
		diag_help(p->diags, d, "run 'trainc vendor', which writes the hash of its files");
		return;
	}
	struct str unlocked, found = package_hash(p->arena, p->reader, directory, &unlocked);
	if (found.p && str_eq(found, want))
		return;
	struct diag *d = diag_report(p->diags, TJ0214, at, "package '%.*s' does not match 'trainc.lock'",
		STR_ARG(name));
	if (!found.p)
		diag_label(p->diags, d, "%.*s", STR_ARG(unlocked));
	else
		diag_label(p->diags, d, "its files changed since they were vendored");
	diag_help(p->diags, d, "if the change is intended run 'trainc vendor'");
}
