/*
 * explain_library.c - explains the standard library from its own text. A module is parsed only when the topic names it,
 * except for a bare name (`elastic`), which any module may declare.
 */
#include "explain/explain.h"
#include "explain/explain_blueprint.h"
#include "explain/library.h"

static struct str first_line(struct str doc)
{
	const char *newline = memchr(doc.p ? doc.p : "", '\n', doc.n);
	return newline ? (struct str){ doc.p, (size_t)(newline - doc.p) } : doc;
}

static bool is_documented(const struct nodes *formals)
{
	for (size_t i = 0; i < formals->n; i++)
		if (formals->at[i]->u.binding.doc.n)
			return true;
	return false;
}

/* Writes the documentation of an argument, which comes before the argument as in the source. */
static void put_doc(struct str doc, struct buf *out)
{
	while (doc.n) {
		struct str line = first_line(doc);
		buf_printf(out, "\n    ## %.*s", STR_ARG(line));
		doc.p += line.n + (line.n < doc.n);
		doc.n -= line.n + (line.n < doc.n);
	}
}

/* Writes ": base(port = port)" for a framework that wraps another one, and the end of the line. */
static void put_base(const struct library_module *m, const struct node *blueprint, struct buf *out)
{
	if (blueprint && blueprint->kind == NODE_FRAMEWORK && blueprint->u.blueprint_decl.base) {
		struct span at = blueprint->u.blueprint_decl.base->span;
		if (blueprint->u.blueprint_decl.has_args)
			at = span_join(at, blueprint->u.blueprint_decl.args_span);
		buf_printf(out, ": %.*s", STR_ARG(source_text(&m->sources, at)));
	}
	buf_char(out, '\n');
}

static void put_item_signature(const struct library_module *m, const struct library_item *d, struct buf *out)
{
	buf_printf(out, "  %s %.*s", d->kind, STR_ARG(d->name));
	if (!d->formals || !d->formals->n) {
		put_base(m, d->blueprint, out);
		return;
	}
	bool one_a_line = d->formals->n > 3 || is_documented(d->formals);
	buf_char(out, '(');
	for (size_t i = 0; i < d->formals->n; i++) {
		const struct node *formal = d->formals->at[i];

		put_doc(formal->u.binding.doc, out);
		buf_z(out, one_a_line ? "\n    " : i ? ", " : "");
		buf_str(out, source_text(&m->sources, formal->span));
		if (one_a_line)
			buf_z(out, i + 1 < d->formals->n ? "," : "\n  ");
	}
	buf_char(out, ')');
	put_base(m, d->blueprint, out);
}

/* The word that messages use for the kind of a declaration. */
static const char *kind_words(const char *kind)
{
	return strcmp(kind, "fn") == 0 ? "function" : strcmp(kind, "let") == 0 ? "value" : kind;
}

/* Writes the declaration as it is in its module, indented by two columns. */
static void put_declaration(const struct library_module *m, const struct node *declaration, struct buf *out)
{
	struct str text = source_text(&m->sources, declaration->span);

	while (text.n) {
		struct str line = first_line(text);
		size_t taken = line.n + (line.n < text.n);
		buf_printf(out, "  %.*s\n", STR_ARG(line));
		text = (struct str){ text.p + taken, text.n - taken };
	}
}

static void tell_item(struct explain *e, const struct library_module *m, const struct library_item *d,
	const struct node *declaration)
{
	explain_next(e);
	buf_printf(e->out, "%.*s.%.*s: %s of %.*s\n\n", STR_ARG(m->name), STR_ARG(d->name),
	           kind_words(d->kind), STR_ARG(m->dotted));
	if (d->doc.n)
		buf_printf(e->out, "%.*s\n\n", STR_ARG(d->doc));
	if (declaration->kind == NODE_LET)
		put_declaration(m, declaration, e->out);
	else
		put_item_signature(m, d, e->out);
	if (d->blueprint)
		explain_blueprint(e->arena, flat_new(e->arena, m->sources.at[0]), d->blueprint, e->out);
}

bool explain_member(struct explain *e, const struct library_module *m, struct str name)
{
	bool told = false;

	for (size_t i = 0; i < m->file->u.file.decls.n; i++) {
		struct library_item d;
		if (!library_item(m->file->u.file.decls.at[i], &d))
			continue;
		suggest_add(&e->near, d.name);
		suggest_add(&e->near, str_printf(e->arena, "%.*s.%.*s", STR_ARG(m->name), STR_ARG(d.name)));
		if (str_eq(d.name, name)) {
			tell_item(e, m, &d, m->file->u.file.decls.at[i]);
			told = true;
		}
	}
	return told;
}

static bool tell_member(struct explain *e, struct str module, struct str name)
{
	return explain_member(e, library_parse(e->arena, module), name);
}

void explain_module(struct explain *e, const struct library_module *m)
{
	explain_next(e);
	buf_printf(e->out, "%.*s: module of %s, import %.*s\n\n", STR_ARG(m->name),
	           str_starts(m->dotted, STR("std.")) ? "the standard library" : "this project", STR_ARG(m->dotted));
	if (m->file->u.file.doc.n)
		buf_printf(e->out, "%.*s\n\n", STR_ARG(m->file->u.file.doc));
	for (size_t i = 0; i < m->file->u.file.decls.n; i++) {
		struct library_item d;
		if (library_item(m->file->u.file.decls.at[i], &d))
			buf_printf(e->out, "  %-24s %.*s\n",
			           str_printf(e->arena, "%.*s.%.*s", STR_ARG(m->name), STR_ARG(d.name)).p,
			           STR_ARG(first_line(d.doc)));
	}
}

static bool tell_anywhere(struct explain *e, struct str name)
{
	size_t n;
	const char *const *names = stdlib_names(&n);
	bool told = false;

	for (size_t i = 0; i < n; i++)
		told = tell_member(e, str_of(names[i]), name) || told;
	return told;
}

bool explain_library(struct explain *e)
{
	struct str topic = e->topic;
	size_t n;
	const char *const *names = stdlib_names(&n);

	if (str_starts(topic, STR("std.")))
		topic = (struct str){ topic.p + 4, topic.n - 4 };
	for (size_t i = 0; i < n; i++)
		suggest_add(&e->near, str_of(names[i]));
	const char *dot = memchr(topic.p, '.', topic.n);
	if (dot) {
		struct str module = { topic.p, (size_t)(dot - topic.p) };
		return stdlib_text(module).p && tell_member(e, module, (struct str){ dot + 1, topic.n - module.n - 1 });
	}
	bool module = stdlib_text(topic).p != NULL;
	if (module)
		explain_module(e, library_parse(e->arena, topic));
	bool member = tell_anywhere(e, topic);
	return module || member;
}

void explain_overview(struct explain *e)
{
	size_t n;
	const char *const *names = stdlib_names(&n);

	buf_z(e->out, "trainc explain TOPIC, where TOPIC is\n\n"
	              "  a diagnostic         TJ0502, role-replicas\n"
	              "  a declaration        import, param, job, profile\n"
	              "  a type               int, memory, volume\n"
	              "  a field or block     replicas, role.memory, job\n"
	              "  a function or unit   join, Gi\n"
	              "  a kind of Kubernetes Job, PodSpec, Pod.spec.hostNetwork\n"
	              "  a variable           one that a framework sets, such as RANK\n"
	              "  a module             one of those below\n"
	              "  what a module has    its name and the member's, such as single.task\n\n"
	              "Modules of the standard library:\n");
	for (size_t i = 0; i < n; i++)
		buf_printf(e->out, "%s%s", i % 8 ? " " : i ? "\n  " : "  ", names[i]);
	buf_char(e->out, '\n');
}
