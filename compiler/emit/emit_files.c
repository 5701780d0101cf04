/*
 * emit_files.c - writes `files` into ConfigMaps: one key for each path; when a ConfigMap is full, the next one is
 * used. A file whose text depends on the index has one key for each replica, KEY.i, because a ConfigMap is the same
 * for all of them. The distribution is computed from lengths and is the same each time.
 */
#include "emit/emit_build.h"
#include "kube/limits.h"

enum {
	METADATA = 300 * 1024,          /* bytes reserved for annotations, labels and names */
	LONGEST_KEY = 230               /* 253 characters, minus what a number and an index may need */
};

/* Does the file have one key for each replica? */
static bool emit_file_each(const struct plan_file *f)
{
	return f->per_replica || (emit_text_uses(&f->text) & (USES_INDEX | USES_FIELD << POD_SLICE));
}

bool emit_uses_each_file(const struct plan_role *r)
{
	for (size_t i = 0; i < r->nfiles; i++)
		if (emit_file_each(&r->files[i]))
			return true;
	return false;
}

static struct str base_key(struct arena *a, struct str path)
{
	size_t start = path.n;

	while (start && path.p[start - 1] != '/')
		start--;
	if (path.n - start > LONGEST_KEY)
		path.n = start + LONGEST_KEY;
	char *p = arena_copy(a, path.p + start, path.n - start);
	struct str key = { p, path.n - start };
	for (size_t i = 0; i < key.n; i++) {
		char c = p[i];
		bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
			c == '_' || c == '.';
		if (!kept)
			p[i] = '_';
	}
	/* names that begin with `..` are reserved: the kubelet uses them to update the files */
	if (key.n > 1 && p[0] == '.' && p[1] == '.')
		p[0] = '_';
	if (key.n == 1 && p[0] == '.')
		p[0] = '_';
	return key;
}

/* Finds the part of KEY before the next dot after FROM; false if no dot follows. */
static bool next_stem(struct str key, size_t from, struct str *ret)
{
	const char *dot = from < key.n ? memchr(key.p + from, '.', key.n - from) : NULL;

	if (dot)
		*ret = (struct str){ key.p, (size_t)(dot - key.p) };
	return dot != NULL;
}

/*
 * Does a file with one key for each replica reserve KEY? Such a file uses BASE.0, BASE.1, ...; it reserves all keys
 * that start with BASE and a dot.
 */
static bool in_each(const struct emit_files *fs, struct str key)
{
	struct str stem;

	for (size_t from = 0; next_stem(key, from, &stem); from = stem.n + 1) {
		const struct emit_file *other = map_get(&fs->keys, stem);
		if (other && other->each)
			return true;
	}
	return false;
}

static struct str unique_key(struct arena *a, struct emit_files *fs, struct str base, bool each)
{
	size_t number = (size_t)(uintptr_t)map_get(&fs->numbers, base);
	struct str key = base;

	/* appending a number would not help, because KEY must not look like the file's key and an index */
	if (in_each(fs, key)) {
		char *p = arena_copy(a, key.p, key.n);
		for (char *dot; (dot = memchr(p, '.', key.n)); )
			*dot = '_';
		base = key = (struct str){ p, key.n };
	}
	while (map_get(&fs->keys, key) || (each && map_get(&fs->stems, key)))
		key = str_printf(a, "%.*s-%zu", STR_ARG(base), number = number ? number + 1 : 2);
	if (number)
		map_put(&fs->numbers, a, base, (void *)(uintptr_t)number);
	return key;
}

static void add_config_file(struct arena *a, struct emit_files *fs, const struct plan_file *f)
{
	struct emit_file *added = &fs->at[fs->n];
	struct str stem;

	added->file = f;
	added->each = emit_file_each(f);
	added->key = unique_key(a, fs, base_key(a, f->path), added->each);
	fs->n++;
	map_put(&fs->keys, a, added->key, added);
	for (size_t from = 0; next_stem(added->key, from, &stem); from = stem.n + 1)
		map_put(&fs->stems, a, stem, added);
}

static const struct text *emit_file_text(const struct plan_file *f, int64_t index)
{
	return f->per_replica ? &f->per_replica[index] : &f->text;
}

/* The ConfigMap that is being filled. A file goes into it if it fits, and otherwise into the next one. */
struct filling {
	size_t bytes, json;
	unsigned part;
	/*
	 * length of the text of the previous replica; the next text has the same length, unless it is computed or its
	 * index has one digit more
	 */
	size_t size, escapes;
};

/* Returns how many bytes the escapes add when JSON escapes the bytes of a text. */
static size_t escapes(const struct text *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct str s = t->at[i].kind == PIECE_TEXT ? t->at[i].u.text : STR("");
		for (size_t k = 0; k < s.n; k++) {
			unsigned char c = (unsigned char)s.p[k];
			if (c < 0x20 || c == '"' || c == '\\')
				n += c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r' ? 1 : 5;
		}
	}
	return n;
}

static unsigned place_file(struct filling *f, const struct plan_job *j, const struct plan_role *r,
	const struct emit_file *file, int64_t index)
{
	bool longer = index == 1 || index == 10 || index == 100 || index == 1000 || index == 10000;

	if (index == 0 || longer || file->file->per_replica || plan_is_sliced(r)) {
		f->size = emit_file_size(j, r, file, index);
		f->escapes = escapes(emit_file_text(file->file, index));
	}
	size_t json = f->size + f->escapes + 16;
	if (f->bytes && (f->bytes + f->size > LIMIT_DATA || f->json + json > LIMIT_OBJECT - METADATA)) {
		f->part++;
		f->bytes = f->json = 0;
	}
	f->bytes += f->size;
	f->json += json;
	return f->part;
}

size_t emit_file_size(const struct plan_job *j, const struct plan_role *r, const struct emit_file *f, int64_t index)
{
	struct emit_measure m = { .job = j, .role = r };

	return f->key.n + 8 + emit_text_length(&m, emit_file_text(f->file, index), index);
}

static unsigned count_parts(const struct plan_job *j, const struct plan_role *r, const struct emit_files *fs)
{
	struct filling filling = { 0 };

	for (size_t i = 0; i < fs->n; i++)
		for (int64_t k = 0; k < (fs->at[i].each ? r->max : 1); k++)
			place_file(&filling, j, r, &fs->at[i], k);
	return filling.part + 1;
}

struct emit_files emit_files_of(struct arena *a, const struct plan_job *j, const struct plan_role *r)
{
	struct emit_files fs = { .at = ARENA_ARRAY(a, struct emit_file, r->nfiles) };

	for (size_t i = 0; i < r->nfiles; i++)
		add_config_file(a, &fs, &r->files[i]);
	fs.parts = fs.n ? count_parts(j, r, &fs) : 0;
	return fs;
}

/* In a set of groups, pods of all copies share the files. */
static struct str files_owner(struct arena *a, const struct plan_role *r)
{
	return !r->in_group ? r->object : str_printf(a, "%.*s-%.*s", STR_ARG(plan_group_name(a, r)),
		STR_ARG(plan_label(a, plan_role_inner(r))));
}

struct str emit_files_name(struct arena *a, const struct plan_role *r, unsigned part)
{
	struct str owner = files_owner(a, r);

	return part ? str_printf(a, "%.*s-files-%u", STR_ARG(owner), part + 1) :
		str_printf(a, "%.*s-files", STR_ARG(owner));
}

/* Returns the key of replica i: KEY.i, or KEY.s-i in slice s. */
static struct str key_in_map(struct arena *a, const struct plan_role *r, const struct emit_file *f, int64_t k)
{
	long long slice = plan_slice_of(r, k), index = plan_index_in_slice(r, k);

	return plan_is_sliced(r) ? str_printf(a, "%.*s.%lld-%lld", STR_ARG(f->key), slice, index)
	                         : str_printf(a, "%.*s.%lld", STR_ARG(f->key), index);
}

struct object *emit_files_make(struct emit *e, const struct manifest *m)
{
	const struct plan_role *r = m->role;
	struct object *o = emit_object(e, m), *data = PUT_MAP(e->arena, o, "data", m->from);
	struct emit_files fs = emit_files_of(e->arena, e->job, r);
	struct filling filling = { 0 };

	for (size_t i = 0; i < fs.n; i++)
		for (int64_t k = 0; k < (fs.at[i].each ? r->max : 1); k++) {
			const struct emit_file *f = &fs.at[i];
			if (place_file(&filling, e->job, r, f, k) != m->part)
				continue;
			struct str key = f->each ? key_in_map(e->arena, r, f, k) : f->key;
			object_append(e->arena, data, key,
				emit_text(e->arena, e->job, r, emit_file_text(f->file, k), TEXT_FILE, k));
		}
	return o;
}
