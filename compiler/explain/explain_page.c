/*
 * explain_page.c - shows the page of a diagnostic. A page does not contain the messages about its wrong program: when
 * the page is shown, the program is compiled, so the messages are always those of this version.
 */
#include "base/path.h"
#include "diag/page.h"
#include "explain/explain.h"
#include "import/import.h"
#include "command/session.h"

enum { FILES = 8, WORDS = 16 };

/* ---- the files of a program ---- */

struct folder {
	struct str name[FILES], text[FILES];
	unsigned n;
};

static struct folder folder_of(const struct page_part *part)
{
	struct str program = part->text;
	struct folder f = { .name = { page_first_file(part) }, .n = 1 };
	struct str rest = program, line;
	const char *start = program.p;

	while (page_line(&rest, &line)) {
		f.text[f.n - 1] = (struct str){ start, (size_t)(rest.p - start) };
		if (!str_starts(line, STR("# file: ")) || f.n == FILES)
			continue;
		f.text[f.n - 1].n = (size_t)(line.p - start);
		f.name[f.n++] = (struct str){ line.p + 8, line.n - 8 };
		start = rest.p;
	}
	return f;
}

static const struct str *find_page(const struct folder *f, struct str path)
{
	for (unsigned i = 0; i < f->n; i++)
		if (str_eq(f->name[i], path))
			return &f->text[i];
	return NULL;
}

static bool folder_read(void *context, struct arena *a, struct str path, struct str *ret, struct str *why)
{
	const struct str *text = find_page(context, path_join(a, STR("."), path));

	if (text)
		*ret = str_copy(a, *text);
	else
		*why = STR("no such file");
	return text;
}

static bool folder_exists(void *context, struct str path) { return find_page(context, path); }

/* Lists the files of a directory. Pages name their files in byte order, and each directory contains files only. */
static void folder_list(void *context, struct arena *a, struct str directory, void (*each)(void *to, struct str name),
	void *to)
{
	const struct folder *f = context;

	for (unsigned i = 0; i < f->n; i++)
		if (str_eq(path_directory(str_copy(a, f->name[i])), directory))
			each(to, path_base(f->name[i]));
}

/* ---- the messages about a program ---- */

static bool read_run(struct arena *a, const struct page_part *part, struct options *ret)
{
	char check[] = "check", *words[WORDS + 2] = { check };
	struct str why = { 0 }, run = part->run;
	int n = run.p && run.p[0] != '-' ? 0 : 1;
	bool file = false;

	while (run.n && n < WORDS) {
		const char *blank = memchr(run.p, ' ', run.n);
		struct str word = { run.p, blank ? (size_t)(blank - run.p) : run.n };
		words[n++] = arena_copy(a, word.p, word.n);
		file = page_names_file(word);
		run.p += word.n + (blank != NULL);
		run.n -= word.n + (blank != NULL);
	}
	if (!file) {
		struct str name = page_first_file(part);
		words[n++] = arena_copy(a, name.p, name.n);
	}
	return options_parse(a, n, words, ret, &why);
}

static void put_import_diagnostics(struct explain *e, struct session *s)
{
	struct trainc *c = trainc_open_reader(s->reader);
	struct import *im = session_import(s, c);
	struct buf program = { 0 };

	if (diags_ok(&c->diags))
		import_program(im, IMPORT_ALL, &program);
	diags_finish(&c->diags);
	diags_text(&c->diags, e->render, e->out);
	buf_release(&program);
	trainc_close(c);
}

static void put_diagnostics(struct explain *e, const struct page_part *part)
{
	struct folder folder = folder_of(part);
	struct reader reader = { &folder, folder_read, folder_exists, folder_list, NULL, NULL };
	struct options options;
	struct session s = { .arena = e->arena, .options = &options, .reader = &reader };
	struct programs all;

	if (!read_run(e->arena, part, &options))
		return;
	if (options.command == COMMAND_IMPORT) {
		put_import_diagnostics(e, &s);
		return;
	}
	if (!session_compile(&s, &all))
		return;
	trainc_check(all.at, all.n, options.command == COMMAND_COMPILE);
	for (size_t i = 0; i < all.n; i++) {
		trainc_finish(all.at[i]);
		diags_text(&all.at[i]->diags, e->render, e->out);
	}
	session_release(&all);
}

/* ---- the page ---- */

static void put_paint(struct explain *e, const char *code)
{
	if (e->render.colour)
		buf_printf(e->out, "\033[%sm", code);
}

static void put_heading(struct explain *e, const char *text)
{
	put_paint(e, "1");
	buf_z(e->out, text);
	put_paint(e, "0");
	buf_char(e->out, '\n');
}

/* Writes a text of the page. Names in backquotes are written in color or in single quotes. */
static void put_page_text(struct explain *e, struct str text)
{
	bool inside = false;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] != '`') {
			buf_char(e->out, text.p[i]);
			continue;
		}
		inside = !inside;
		if (e->render.colour)
			put_paint(e, inside ? "36" : "0");
		else
			buf_char(e->out, '\'');
	}
	buf_char(e->out, '\n');
}

static void put_program(struct explain *e, const struct page_part *part)
{
	struct str rest = part->text, line;

	if (part->run.p) {
		buf_z(e->out, "    $ ");
		page_command(e->out, part);
		buf_z(e->out, "\n\n");
	}
	while (page_line(&rest, &line))
		buf_printf(e->out, "%s%.*s\n", line.n ? "    " : "", STR_ARG(line));
}

static void put_part(struct explain *e, const struct page_part *part)
{
	buf_char(e->out, '\n');
	if (part->kind == PAGE_TEXT) {
		put_page_text(e, part->text);
		return;
	}
	put_heading(e, part->kind == PAGE_WRONG ? "Wrong" : "Right");
	buf_char(e->out, '\n');
	put_program(e, part);
	if (part->kind == PAGE_WRONG) {
		buf_char(e->out, '\n');
		put_diagnostics(e, part);
	}
}

void explain_page(struct explain *e, enum diag_code code)
{
	bool error = diag_severity(code) == SEVERITY_ERROR;
	struct str rest = diag_page(code);
	struct page_part part;

	put_paint(e, error ? "1;31" : "1;33");
	buf_z(e->out, diag_code_name(code));
	put_paint(e, "0");
	buf_printf(e->out, " %s (%s)\n\n", diag_slug(code), error ? "error" : "warning");
	put_heading(e, diag_meaning(code));
	while (page_next(&rest, &part))
		put_part(e, &part);
	if (!error)
		buf_printf(e->out, "\nWhere it is meant so: # allow %s: reason\n", diag_code_name(code));
}
