/*
 * web.c - the language server as a WebAssembly module, with the functions that a page or an editor's extension calls. A
 * message is copied into memory of web_alloc() and received; web_work() does one thing and returns whether there is
 * more to do. Answers leave through web_send(), which the host provides. The only files are those of web_file().
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "check/library_part.h"
#include "lsp/lsp.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

__attribute__((import_module("env"), import_name("web_send"))) void web_send(const char *message, size_t n);

struct web {
	struct lsp *server;
	struct arena arena;
	struct map files;               /* path -> struct str *; a file without text (p is NULL) has been removed */
};

void *EXPORT(web_alloc)(size_t n);
struct web *EXPORT(web_open)(void);
void EXPORT(web_file)(struct web *w, const char *path, size_t npath, const char *text, size_t n);
void EXPORT(web_receive)(struct web *w, const char *message, size_t n);
int EXPORT(web_work)(struct web *w);

/* The guard value of the stack protection. Debian's C library for WebAssembly uses it, but does not define it. */
uintptr_t __stack_chk_guard = 0x7a3c91d5;
_Noreturn void __stack_chk_fail(void);
_Noreturn void __stack_chk_fail(void)
{
	__builtin_trap();
}

static const struct str *file_at(void *context, struct str path)
{
	const struct str *text = map_get(&((struct web *)context)->files, path);

	return text && text->p ? text : NULL;
}

static bool read_web_file(void *context, struct arena *a, struct str path, struct str *ret, struct str *why)
{
	const struct str *text = file_at(context, path);

	(void)a;
	if (text)
		*ret = *text;
	else
		*why = STR("no such file");
	return text;
}

static bool file_exists(void *context, struct str path)
{
	return file_at(context, path);
}

/* Is PATH a program below DIRECTORY, without a hidden directory in between? */
static bool is_program_below(struct str path, struct str directory)
{
	if (!str_starts(path, directory) || path.n <= directory.n || path.p[directory.n] != '/')
		return false;
	struct str rest = { path.p + directory.n, path.n - directory.n };
	return str_ends(rest, STR(".tj")) && !memmem(rest.p, rest.n, "/.", 2);
}

/* Calls EACH with the path of every program below DIRECTORY. */
static void each_program(void *context, struct arena *a, struct str directory, void (*each)(void *to, struct str path),
	void *to)
{
	const struct map *files = &((struct web *)context)->files;

	(void)a;
	for (size_t i = 0; i < files->n; i++) {
		const struct str *text = files->entries[i].value;
		if (text->p && is_program_below(files->entries[i].key, directory))
			each(to, files->entries[i].key);
	}
}

static int by_web_name(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Calls EACH with every name in DIRECTORY, in order: files, and directories that contain files. */
static void each_name(void *context, struct arena *a, struct str directory, void (*each)(void *to, struct str name),
	void *to)
{
	const struct map *files = &((struct web *)context)->files;
	struct map seen = { 0 };
	struct str *names = NULL;
	size_t n = 0;

	for (size_t i = 0; i < files->n; i++) {
		struct str path = files->entries[i].key;
		const struct str *text = files->entries[i].value;
		if (!text->p || !str_starts(path, directory) || path.n <= directory.n || path.p[directory.n] != '/')
			continue;
		const char *name = path.p + directory.n + 1, *end = path.p + path.n;
		const char *slash = memchr(name, '/', (size_t)(end - name));
		struct str found = { name, (size_t)((slash ? slash : end) - name) };
		if (!map_put(&seen, a, found, context))
			ARENA_PUSH(a, names, n, found);
	}
	if (n)
		qsort(names, n, sizeof *names, by_web_name);
	for (size_t i = 0; i < n; i++)
		each(to, names[i]);
}

static void send_message(void *context, const char *message, size_t n)
{
	(void)context;
	web_send(message, n);
}

void *web_alloc(size_t n)
{
	return malloc(n + 1);
}

struct web *web_open(void)
{
	struct web *w = calloc(1, sizeof *w);
	struct reader *reader = calloc(1, sizeof *reader);

	if (!w || !reader)
		return NULL;
	*reader = (struct reader){ .context = w, .read = read_web_file, .exists = file_exists, .list = each_name };
	w->server = lsp_new(&(struct lsp_host){ .context = w, .reader = reader, .send = send_message,
		.files = each_program });
	return w;
}

/* Sets the text of a file, and takes ownership of path and text. A size of -1 removes the file. */
void web_file(struct web *w, const char *path, size_t npath, const char *text, size_t n)
{
	struct str *kept = arena_alloc(&w->arena, sizeof *kept);

	*kept = n == SIZE_MAX ? (struct str){ 0 } : (struct str){ text, n };
	map_put(&w->files, &w->arena, (struct str){ path, npath }, kept);
}

void web_receive(struct web *w, const char *message, size_t n)
{
	lsp_receive(w->server, message, n);
}

int web_work(struct web *w)
{
	return lsp_work(w->server);
}

/* Returns NULL, so that the library's text is parsed: its trees would make the module a fifth larger. */
const struct library_tree *library_tree_find(struct str module)
{
	(void)module;
	return NULL;
}
