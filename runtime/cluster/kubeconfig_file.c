/*
 * kubeconfig_file.c - reads the files of a kubeconfig, finds entries in them, and reads typed fields. The files are not
 * merged into one tree: each entry is taken completely from the first file that has it, and relative paths are relative
 * to the file that contains them.
 */
#include "runtime/cluster/kubeconfig_file.h"

#include <openssl/evp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "data/data_read.h"

enum { KUBECONFIG_LARGEST = 8 << 20 };   /* maximum size of a file in bytes */

bool kubeconfig_fail(struct kubeconfig_reading *r, struct span at, const char *fmt, ...)
{
	char text[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (span_known(at)) {
		struct place p = source_place(&r->sources, at.start);
		r->why = str_printf(r->arena, "%.*s:%u: %s", STR_ARG(p.source->name), p.line, text);
	} else {
		r->why = str_copy(r->arena, str_of(text));
	}
	return false;
}

static const char *kind_words(const struct data *d)
{
	switch (d->kind) {
	case DATA_NULL: return "null";
	case DATA_BOOL: return "a boolean";
	case DATA_INT: case DATA_FLOAT: return "a number";
	case DATA_STRING: return "a string";
	case DATA_LIST: return "a list";
	case DATA_MAP: return "a mapping";
	}
	return "";
}

static struct span span_of(const struct data *d) { return d ? d->from : (struct span){ 0 }; }

/* ---- files ---- */

static const struct data *member(const struct data *d, const char *name)
{
	const struct data *found = d && d->kind == DATA_MAP ? data_get(d, str_of(name)) : NULL;

	return found && found->kind == DATA_NULL ? NULL : found;
}

/* Checks the list of entries under a name: it must be a list without duplicate names. */
static bool list_is_sound(struct kubeconfig_reading *r, const struct data *root, const char *plural)
{
	const struct data *list = member(root, plural);
	struct map seen = { 0 };

	if (!list)
		return true;
	if (list->kind != DATA_LIST)
		return kubeconfig_fail(r, list->from, "'%s' must be a list, not %s", plural, kind_words(list));
	for (size_t i = 0; i < list->u.list.n; i++) {
		const struct data *entry = list->u.list.at[i], *name = member(entry, "name");
		if (!name || name->kind != DATA_STRING)
			return kubeconfig_fail(r, entry->from, "each entry of '%s' needs a 'name' that is a string",
				plural);
		if (map_put_const(&seen, r->arena, name->u.string, name))
			return kubeconfig_fail(r, name->from,
			                       "'%s' has the name '%.*s' twice; remove one of the two entries", plural,
			                       STR_ARG(name->u.string));
	}
	return true;
}

static bool root_is_sound(struct kubeconfig_reading *r, const struct kubeconfig_file *f)
{
	const struct data *kind = member(f->root, "kind");

	if (f->root->kind != DATA_MAP)
		return kubeconfig_fail(r, f->root->from, "this is not a kubeconfig: the file holds %s, not a mapping",
			kind_words(f->root));
	if (kind && !(kind->kind == DATA_STRING && str_is(kind->u.string, "Config")))
		return kubeconfig_fail(r, kind->from, "this is not a kubeconfig: 'kind' must be Config");
	return list_is_sound(r, f->root, "clusters") && list_is_sound(r, f->root, "users") &&
		list_is_sound(r, f->root, "contexts");
}

static bool parse(struct kubeconfig_reading *r, struct kubeconfig_file *f, struct str text)
{
	struct source *source = source_add(&r->sources, f->path, text);
	struct data_error error = { 0 };
	struct data *root = NULL;

	if (!source)
		return kubeconfig_fail(r, (struct span){ 0 }, "%.*s: the file is too large", STR_ARG(f->path));
	struct data_reader *reader = data_reader_new(r->arena, source);
	enum data_step step = data_next(reader, &root, &error);
	data_reader_release(reader);
	if (step == DATA_ERROR)
		return kubeconfig_fail(r, error.at, "the file cannot be read as YAML or JSON: %.*s",
			STR_ARG(error.what));
	f->root = step == DATA_DOCUMENT && root->kind != DATA_NULL ? root : NULL;
	return !f->root || root_is_sound(r, f);
}

/* Reads the file PATH. A file that does not exist is an error only if REQUIRED is set. */
static bool read_one(struct kubeconfig_reading *r, struct str path, bool required)
{
	struct str text, why;
	struct kubeconfig_file f = { .path = path, .directory = path_directory(path) };

	if (!path.n)                    /* only the value of --kubeconfig can be empty here: empty parts of
					 * KUBECONFIG are dropped */
		return kubeconfig_fail(r, (struct span){ 0 }, "--kubeconfig is empty: name a file, or leave it out");
	for (size_t i = 0; i < r->nfiles; i++)
		if (str_eq(r->files[i].path, path))
			return true;
	if (!file_read_most(r->arena, path, KUBECONFIG_LARGEST, &text, &why)) {
		if (!required && str_is(why, "no such file")) {
			buf_printf(&r->missing, "%s%.*s", r->missing.n ? ", " : "", STR_ARG(path));
			return true;
		}
		return kubeconfig_fail(r, (struct span){ 0 }, "cannot read the kubeconfig %.*s: %.*s", STR_ARG(path),
			STR_ARG(why));
	}
	if (!parse(r, &f, text))
		return false;
	ARENA_PUSH(r->arena, r->files, r->nfiles, f);
	return true;
}

bool kubeconfig_files(struct kubeconfig_reading *r)
{
	const struct kubeconfig_options *o = r->options;
	struct str rest = o->variable;

	if (o->file.p)
		return read_one(r, o->file, true);
	if (!rest.n && o->home.n)
		return read_one(r, str_cat(r->arena, o->home, STR("/.kube/config"), STR("")), false);
	while (rest.n) {
		const char *colon = memchr(rest.p, ':', rest.n);
		struct str path = { rest.p, colon ? (size_t)(colon - rest.p) : rest.n };
		rest = colon ? (struct str){ colon + 1, rest.n - path.n - 1 } : (struct str){ "", 0 };
		if (path.n && !read_one(r, str_copy(r->arena, path), false))
			return false;
	}
	return true;
}

/* ---- entries ---- */

struct kubeconfig_entry kubeconfig_find(const struct kubeconfig_reading *r, const char *plural, const char *singular,
	struct str name)
{
	for (size_t f = 0; f < r->nfiles; f++) {
		const struct data *list = member(r->files[f].root, plural);
		for (size_t i = 0; list && i < list->u.list.n; i++) {
			const struct data *entry = list->u.list.at[i];
			if (str_eq(member(entry, "name")->u.string, name))
				return (struct kubeconfig_entry){ &r->files[f], member(entry, singular), name };
		}
	}
	return (struct kubeconfig_entry){ .name = name };
}

struct kubeconfig_names kubeconfig_list(const struct kubeconfig_reading *r, const char *plural)
{
	struct kubeconfig_names all = { 0 };
	struct map seen = { 0 };

	for (size_t f = 0; f < r->nfiles; f++) {
		const struct data *list = member(r->files[f].root, plural);
		for (size_t i = 0; list && i < list->u.list.n; i++) {
			struct str name = member(list->u.list.at[i], "name")->u.string;
			if (!map_put(&seen, r->arena, name, &all))
				ARENA_PUSH(r->arena, all.at, all.n, name);
		}
	}
	return all;
}

struct str kubeconfig_scalar(const struct kubeconfig_reading *r, const char *name)
{
	for (size_t f = 0; f < r->nfiles; f++) {
		const struct data *d = member(r->files[f].root, name);
		if (d && d->kind == DATA_STRING && d->u.string.n)
			return d->u.string;
	}
	return (struct str){ 0 };
}

/* ---- fields ---- */

bool kubeconfig_text(struct kubeconfig_reading *r, const struct data *map, const char *name, struct str *ret)
{
	const struct data *d = member(map, name);

	if (!d)
		return true;
	if (d->kind == DATA_INT || d->kind == DATA_FLOAT || d->kind == DATA_BOOL)
		return kubeconfig_fail(r, d->from, "'%s' must be a string, but YAML reads this as %s; put it in quotes",
			name, kind_words(d));
	if (d->kind != DATA_STRING)
		return kubeconfig_fail(r, d->from, "'%s' must be a string, not %s", name, kind_words(d));
	*ret = str_copy(r->arena, d->u.string);
	return true;
}

bool kubeconfig_flag(struct kubeconfig_reading *r, const struct data *map, const char *name, bool *ret)
{
	const struct data *d = member(map, name);

	if (d && d->kind != DATA_BOOL)
		return kubeconfig_fail(r, d->from, "'%s' must be true or false, not %s", name, kind_words(d));
	if (d)
		*ret = d->u.boolean;
	return true;
}

bool kubeconfig_texts(struct kubeconfig_reading *r, const struct data *map, const char *name, struct str **ret,
	size_t *ret_n)
{
	const struct data *d = member(map, name);

	if (!d)
		return true;
	if (d->kind != DATA_LIST)
		return kubeconfig_fail(r, d->from, "'%s' must be a list of strings, not %s", name, kind_words(d));
	for (size_t i = 0; i < d->u.list.n; i++) {
		const struct data *item = d->u.list.at[i];
		if (item->kind != DATA_STRING)
			return kubeconfig_fail(r, item->from,
			                       "each item of '%s' must be a string, but this is %s; put it in quotes",
			                       name, kind_words(item));
		ARENA_PUSH(r->arena, *ret, *ret_n, str_copy(r->arena, item->u.string));
	}
	return true;
}

struct str kubeconfig_path(const struct kubeconfig_reading *r, const struct kubeconfig_file *file, struct str path)
{
	if (!path.n || path.p[0] == '/' || str_is(file->directory, "."))
		return path;
	return str_cat(r->arena, file->directory, STR("/"), path);
}

static bool decode(struct kubeconfig_reading *r, const struct data *at, const char *name, struct str text,
	struct str *ret)
{
	EVP_ENCODE_CTX *ctx = EVP_ENCODE_CTX_new();
	unsigned char *out = arena_alloc(r->arena, text.n / 4 * 3 + 4);
	int n = 0, rest = 0, status = -1;

	if (ctx) {
		EVP_DecodeInit(ctx);
		status = EVP_DecodeUpdate(ctx, out, &n, (const unsigned char *)text.p, (int)text.n);
		if (status >= 0)
			status = EVP_DecodeFinal(ctx, out + n, &rest);
	}
	EVP_ENCODE_CTX_free(ctx);
	if (status < 0 || n + rest == 0)
		return kubeconfig_fail(r, at->from, "'%s-data' is not valid base64", name);
	*ret = (struct str){ (char *)out, (size_t)(n + rest) };
	return true;
}

bool kubeconfig_bytes(struct kubeconfig_reading *r, const struct kubeconfig_file *file, const struct data *map,
	const char *name, struct str *ret)
{
	struct str data = { 0 }, path = { 0 }, why;
	struct str data_name = str_printf(r->arena, "%s-data", name);

	if (!kubeconfig_text(r, map, data_name.p, &data) || !kubeconfig_text(r, map, name, &path))
		return false;
	if (data.n && path.n)
		return kubeconfig_fail(r, span_of(member(map, name)),
			"'%s' and '%s-data' are both set; remove one of them", name, name);
	if (data.n)
		return decode(r, member(map, data_name.p), name, data, ret);
	if (!path.n)
		return true;
	path = kubeconfig_path(r, file, path);
	if (!file_read(r->arena, path, ret, &why))
		return kubeconfig_fail(r, span_of(member(map, name)), "cannot read '%s' from %.*s: %.*s%s", name,
		                       STR_ARG(path), STR_ARG(why),
		                       path.p[0] == '~' || strstr(path.p, "/~/")
		                       ? " (a kubeconfig does not expand '~'; write the whole path)" : "");
	if (!ret->n)
		return kubeconfig_fail(r, span_of(member(map, name)), "'%s': the file %.*s is empty", name,
			STR_ARG(path));
	return true;
}
