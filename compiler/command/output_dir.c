/*
 * output_dir.c - writes one file per object into a directory that belongs to trainc. The marker `.trainc-objects`
 * identifies such a directory and lists the files that trainc wrote, so that outdated ones can be removed, and never
 * any other file. It is written before the first object, with the old names and the new, and again at the end with only
 * the new ones: after an interruption the next run still knows every file.
 *
 * Others may have prepared the directory: it can come with a checkout. Files are therefore read, written and removed by
 * their names in the open directory, and never through a link (file_place.h).
 */
#include "command/output_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_place.h"
#include "emit/emit_build.h"
#include "objects/objects_render.h"

#define MARKER ".trainc-objects"

struct listing {
	struct str *at;
	size_t n;
	struct map index;
};

struct directory {
	struct arena *arena;
	int fd;                         /* the open directory */
	struct str *why;
	struct listing old, new;
	size_t number, digits;
	struct rendered rendered;
	bool naming;                    /* first pass: only determines the names */
	bool failed;
};

static void list_written(struct directory *d, struct listing *l, struct str name)
{
	ARENA_PUSH(d->arena, l->at, l->n, name);
	map_put(&l->index, d->arena, name, l);
}

static bool refuse_directory(struct directory *d, struct str why)
{
	*d->why = str_copy(d->arena, why);
	d->failed = true;
	return false;
}

/* ---- the marker ---- */

/* Is it a name that trainc could have written? Files with other names are never removed. */
static bool plausible(struct str name)
{
	return name.n > 5 && name.p[0] >= '0' && name.p[0] <= '9' && str_ends(name, STR(".yaml")) &&
		!memchr(name.p, '/', name.n);
}

static bool read_marker(struct directory *d)
{
	struct str text, why;
	struct stat st;

	if (fstatat(d->fd, MARKER, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? false : refuse_directory(d, file_reason(d->arena, errno));
	if (!file_read_in(d->arena, d->fd, STR(MARKER), &text, &why))
		return refuse_directory(d, str_printf(d->arena, MARKER ": %.*s", STR_ARG(why)));
	for (size_t at = 0; at < text.n;) {
		const char *newline = memchr(text.p + at, '\n', text.n - at);
		size_t end = newline ? (size_t)(newline - text.p) : text.n;
		struct str name = { text.p + at, end - at };
		if (plausible(name))
			list_written(d, &d->old, name);
		at = end + 1;
	}
	return true;
}

static bool write_marker(struct directory *d, bool both)
{
	struct buf out = { 0 };
	struct str why;

	buf_z(&out,
		"written by trainc compile --output-dir; it removes files listed here that it does not write again\n");
	for (size_t i = 0; i < d->new.n; i++)
		buf_printf(&out, "%.*s\n", STR_ARG(d->new.at[i]));
	for (size_t i = 0; both && i < d->old.n; i++)
		if (!map_get(&d->new.index, d->old.at[i]))
			buf_printf(&out, "%.*s\n", STR_ARG(d->old.at[i]));
	bool ok = file_replace_in(d->arena, d->fd, STR(MARKER), buf_text(&out), &why);
	buf_release(&out);
	return ok || refuse_directory(d, str_printf(d->arena, MARKER ": %.*s", STR_ARG(why)));
}

/* ---- may trainc write to the directory? ---- */

static bool empty(struct directory *d)
{
	int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	size_t n = 0;

	if (!dir) {
		int error = errno;
		if (fd >= 0)
			close(fd);
		if (error == ENOMEM)
			memory_out();
		return refuse_directory(d, file_reason(d->arena, error));
	}
	for (const struct dirent *e; (e = readdir(dir));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
			!str_ends(str_of(e->d_name), STR(FILE_ASIDE));
	closedir(dir);
	return n == 0;
}

static bool claim_path(struct directory *d, struct str path)
{
	bool made;
	struct str why;

	d->fd = file_place_directory(d->arena, path, &made, &why);
	if (d->fd < 0)
		return refuse_directory(d, why);
	if (made || read_marker(d) || (!d->failed && empty(d)))
		return true;
	return d->failed ? false :
		refuse_directory(d, STR("the directory holds files that trainc did not write; use a new or "
			"empty one"));
}

/* ---- objects ---- */

static struct str object_file_name(struct directory *d, const struct manifest *m, int64_t index)
{
	struct buf name = { 0 };

	buf_printf(&name, "%0*zu-%s-%.*s", (int)d->digits, ++d->number, m->kind, STR_ARG(m->name));
	if (m->indexed_name)
		buf_printf(&name, "-%lld", (long long)index);
	buf_z(&name, ".yaml");
	struct str s = str_replace(d->arena, str_lower(d->arena, buf_text(&name)), "/", '-');
	buf_release(&name);
	return s;
}

static bool to_buf(void *context, const char *bytes, size_t n)
{
	buf_put(context, bytes, n);
	return true;
}

static bool write_object_file(struct directory *d, struct str name, int64_t index)
{
	struct buf text = { 0 };
	struct emit_sink sink = { &text, to_buf };
	struct outlet out = { .sink = &sink };
	struct arena scratch = { 0 };
	struct str why;

	render_write(&d->rendered, index, &out);
	outlet_flush(&out);
	outlet_release(&out);
	bool ok = file_replace_in(&scratch, d->fd, name, buf_text(&text), &why);
	buf_release(&text);
	if (!ok)
		refuse_directory(d, str_printf(d->arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(why)));
	arena_release(&scratch);
	return ok;
}

static bool each_manifest(struct emit *e, const struct manifest *m, void *context)
{
	struct directory *d = context;

	if (!d->naming)
		render_object(&d->rendered, m->make(e, m));
	for (int64_t i = m->first; i < m->first + m->count; i++) {
		struct str name = object_file_name(d, m, i);
		if (d->naming)
			list_written(d, &d->new, name);
		else if (!write_object_file(d, name, i))
			return false;
	}
	return true;
}

static bool write_pass(struct directory *d, const struct emit_options *options, const struct plan *const *plans,
	size_t n, bool naming)
{
	d->number = 0;
	d->naming = naming;
	for (size_t i = 0; i < n; i++) {
		struct emit e = { .plan = plans[i] };
		d->rendered.annotate = options[i].annotate ? options[i].sources : NULL;
		if (!emit_each(&e, each_manifest, d))
			return false;
	}
	return true;
}

/*
 * Removes files of trainc that were not written again, and those that a killed run left. One that cannot be removed
 * stays in the list, so that the next run tries again: whoever applies the directory would apply it, too. A directory
 * in the place of a file is not trainc's.
 */
static bool remove_stale(struct directory *d)
{
	for (size_t i = 0; i < d->old.n; i++) {
		struct str name = d->old.at[i];
		if (map_get(&d->new.index, name))
			continue;
		unlinkat(d->fd, str_printf(d->arena, ".%.*s" FILE_ASIDE, STR_ARG(name)).p, 0);
		if (unlinkat(d->fd, str_copy(d->arena, name).p, 0) == 0 || errno == ENOENT || errno == EISDIR)
			continue;
		refuse_directory(d, str_printf(d->arena, "the outdated file %.*s cannot be removed: %.*s",
			STR_ARG(name), STR_ARG(file_reason(d->arena, errno))));
		list_written(d, &d->new, name);
	}
	return !d->failed;
}

bool emit_output_dir(struct arena *a, const struct emit_options *options, const struct plan *const *plans, size_t n,
	struct str directory, struct str *why)
{
	struct directory d = { .arena = a, .fd = -1, .why = why, .digits = 3 };
	size_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += emit_count(plans[i]);
	for (size_t top = 1000; total >= top; top *= 10)
		d.digits++;
	bool ok = claim_path(&d, directory) && write_pass(&d, options, plans, n, true) && write_marker(&d, true) &&
		write_pass(&d, options, plans, n, false);
	render_release(&d.rendered);
	if (ok) {
		bool removed = remove_stale(&d);
		ok = write_marker(&d, false) && removed;
	}
	if (d.fd >= 0)
		close(d.fd);
	return ok;
}
