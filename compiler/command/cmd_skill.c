/*
 * cmd_skill.c - writes one page of Markdown for an agent that writes programs: the language by an example, the commands
 * that answer questions, and lists of fields, frameworks, devices and commands. The lists come from the tables of which
 * `explain` and the help are made, so the page knows what this version knows.
 */
#include "check/check_schema.h"
#include "command/options.h"
#include "command/session.h"
#include "explain/library.h"

extern const char skill_text[];         /* stdlib/skill.md */

/* The first sentence of a text, without its full stop. */
static struct str first_sentence(struct str doc)
{
	const char *end = memmem(doc.p, doc.n, ". ", 2);
	size_t n = end ? (size_t)(end - doc.p) : doc.n;

	return (struct str){ doc.p, n && doc.p[n - 1] == '.' ? n - 1 : n };
}

static void put_block_fields(struct buf *out, const char *title, enum block block, enum block without)
{
	buf_printf(out, "\n## Fields of %s\n\n", title);
	for (const struct field *f = schema_next(block, NULL); f; f = schema_next(block, f)) {
		if (f->blocks & without)
			continue;
		buf_printf(out, "- `%s`: %.*s\n", f->name, STR_ARG(first_sentence(str_of(f->doc))));
	}
}

/* The names of what a module declares, of one kind, in one line. */
static void put_declared(struct buf *out, struct arena *a, const char *module, const char *kind)
{
	const struct library_module *m = library_parse(a, str_of(module));
	bool any = false;

	for (size_t i = 0; i < m->file->u.file.decls.n; i++) {
		struct library_item d;
		if (!library_item(m->file->u.file.decls.at[i], &d) || strcmp(d.kind, kind) != 0)
			continue;
		buf_z(out, any ? ", `" : "- `");
		if (!any)
			buf_printf(out, "std.%s`: `", module);
		buf_printf(out, "%s.%.*s`", module, STR_ARG(d.name));
		any = true;
	}
	buf_z(out, any ? "\n" : "");
}

static void put_library(struct buf *out, struct arena *a, const char *title, const char *kind)
{
	size_t n;
	const char *const *names = stdlib_names(&n);

	buf_printf(out, "\n## %s\n\n", title);
	for (size_t i = 0; i < n; i++)
		put_declared(out, a, names[i], kind);
}

static void put_all_commands(struct buf *out)
{
	buf_z(out, "\n## Commands\n\n");
	for (int c = 0; c < COMMANDS; c++)
		buf_printf(out, "- `trainc %s`: %s\n", command_word(c), command_doc(c));
}

int cmd_skill(struct session *s)
{
	struct buf out = { 0 };

	buf_z(&out, skill_text);
	put_block_fields(&out, "a job", BLOCK_JOB, BLOCK_ROLE);
	put_block_fields(&out, "a role; a job may set them for all of its roles", BLOCK_ROLE, 0);
	put_library(&out, s->arena, "Frameworks, by the module to import", "framework");
	put_library(&out, s->arena, "Devices, by the module to import", "accelerator");
	put_all_commands(&out);
	session_write(s, buf_text(&out));
	buf_release(&out);
	return STATUS_DONE;
}
