/*
 * cmd_doc.c - writes the Markdown reference of a file, or of a module as a program would import it. A module is
 * loaded by compiling a program of one line that imports it, so the library, the packages of the project and errors
 * in them are handled in the usual way.
 */
#include "base/file.h"
#include "diag/suggest.h"
#include "explain/reference.h"
#include "command/session.h"

static const char importing[] = "command line";     /* the name of that line's source in messages */

struct wrapped {
	struct str line;                /* the line that imports the module; p == NULL: the operand is a file */
};

static bool wrapped_read(void *context, struct arena *a, struct str path, struct str *ret, struct str *why)
{
	const struct wrapped *w = context;

	if (!w->line.p || !str_is(path, importing))
		return file_reader.read(file_reader.context, a, path, ret, why);
	*ret = str_copy(a, w->line);
	return true;
}

static bool wrapped_exists(void *context, struct str path)
{
	(void)context;
	return file_reader.exists(file_reader.context, path);
}

static void wrapped_list(void *context, struct arena *a, struct str directory, void (*each)(void *to, struct str name),
	void *to)
{
	(void)context;
	file_reader.list(file_reader.context, a, directory, each, to);
}

/*
 * Is the operand the name of a module, such as "std.single" or "acme.shapes"? It consists of words separated by dots,
 * and does not end with ".tj".
 */
static bool is_module_name(struct str operand)
{
	if (str_ends(operand, STR(".tj")) || str_is(operand, "-"))
		return false;
	for (size_t i = 0; i < operand.n; i++) {
		char c = operand.p[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
			(i && c >= '0' && c <= '9');
		if (!letter && (c != '.' || !i || i + 1 == operand.n))
			return false;
	}
	return operand.n;
}

static struct str up_to_dot(struct str name)
{
	const char *dot = memchr(name.p, '.', name.n);
	return dot ? (struct str){ name.p, (size_t)(dot - name.p) } : name;
}

/*
 * Returns the name to import. If the module does not exist, reports that and returns p == NULL. Library modules do not
 * need "std.", since a package's module always has a dot in its name.
 */
static struct str imported_name(struct session *s, struct str operand)
{
	struct str first = up_to_dot(operand);
	struct suggest near;
	size_t n;
	const char *const *names = stdlib_names(&n);

	if (stdlib_text(operand).p)
		return str_cat(s->arena, STR("std."), operand, STR(""));
	if (first.n < operand.n && stdlib_text(first).p) {
		session_say(s, "'%.*s' is not a module; 'trainc doc %.*s' documents its module, 'trainc explain %.*s' "
			"only this member",
		            STR_ARG(operand), STR_ARG(first), STR_ARG(operand));
		return (struct str){ 0 };
	}
	if (first.n < operand.n || str_is(operand, "std"))
		return operand;
	suggest_init(&near, s->arena, operand);
	for (size_t i = 0; i < n; i++)
		suggest_add(&near, str_of(names[i]));
	struct str help = suggest_sentence(&near);
	session_say(s, "no file and no module named '%.*s'%s%.*s", STR_ARG(operand), help.n ? "; " : "", STR_ARG(help));
	return (struct str){ 0 };
}

static const struct module *module_of(const struct trainc *c, bool import)
{
	const struct module *root = c->program.root;

	if (!import)
		return root;
	return root && root->file->u.file.decls.n ? root->file->u.file.decls.at[0]->u.import.module : NULL;
}

int cmd_doc(struct session *s)
{
	struct str operand = s->options->operands[0];
	struct wrapped w = { 0 };
	struct reader reader = { &w, wrapped_read, wrapped_exists, wrapped_list, NULL, file_reader.real };
	struct buf out = { 0 };

	if (is_module_name(operand) && !file_reader.exists(file_reader.context, operand)) {
		operand = imported_name(s, operand);
		if (!operand.p)
			return STATUS_PROGRAM;
		w.line = str_printf(s->arena, "import %.*s as module\n", STR_ARG(operand));
	}
	struct trainc *c = trainc_open_reader(&reader);
	struct programs one = { .at = &c, .n = 1 };
	c->options.parts = false;
	compile_front(c, w.line.p ? str_of(importing) : operand);
	const struct module *m = module_of(c, w.line.p);
	bool ok = m && diags_ok(&c->diags);
	if (ok)
		reference_module(s->arena, m, w.line.p ? operand : m->source->name, &out);
	else
		session_report(s, &one, false);
	session_write(s, buf_text(&out));
	buf_release(&out);
	trainc_close(c);
	return ok ? STATUS_DONE : STATUS_PROGRAM;
}
