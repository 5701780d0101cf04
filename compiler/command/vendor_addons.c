/*
 * vendor_addons.c - writes the block `addons` of a project from the cluster's versions. The rest of project.tj keeps
 * its text; if it was formatted before, it is formatted again.
 */
#include "command/vendor_addons.h"

#include "base/file.h"
#include "base/path.h"
#include "check/module.h"
#include "compile.h"
#include "kube/addon.h"
#include "runtime/command/backend.h"
#include "syntax/parse.h"

/* ---- the block ---- */

/* Returns the version to write: the version that was found, or the newest known one; 0 if neither can be written. */
static unsigned writable(struct session *s, enum addon id, const struct addon_found *f)
{
	const struct addon_row *row = addon_row(id);
	struct str has = addon_text(s->arena, f->version);

	if (!f->source.n)
		return 0;
	if (!f->version)
		session_say(s, "%s is in the cluster, but its version is unknown (%.*s)", row->title,
			STR_ARG(f->source));
	else if (f->version < row->oldest)
		session_say(s, "%s %.*s of the cluster is older than %.*s, the oldest that is known", row->title,
			STR_ARG(has), STR_ARG(addon_text(s->arena, row->oldest)));
	else if (f->version > row->newest)
		session_say(s, "%s %.*s of the cluster is newer than %.*s, the newest known version, which is "
			"written instead",
			row->title, STR_ARG(has), STR_ARG(addon_text(s->arena, row->newest)));
	if (f->warning.n)
		session_say(s, "%.*s", STR_ARG(f->warning));
	return f->version < row->oldest ? 0 : f->version > row->newest ? row->newest : f->version;
}

/* Returns the block `addons { ... }`, with a line for each add-on; empty if the cluster has no add-on. */
static struct str block_of(struct session *s, const struct addon_found *found, struct str *ret_lines)
{
	struct buf block = { 0 }, lines = { 0 };

	for (size_t i = 0; i < ADDONS; i++) {
		unsigned version = writable(s, (enum addon)i, &found[i]);
		const char *name = addon_row((enum addon)i)->name;
		if (!version)
			continue;
		struct str text = addon_text(s->arena, version);
		buf_printf(&block, "%s%s = \"%.*s\"", block.n ? ", " : "addons { ", name, STR_ARG(text));
		buf_printf(&lines, "%s %.*s (%.*s)\n", name, STR_ARG(text), STR_ARG(found[i].source));
	}
	if (block.n)
		buf_z(&block, " }");
	struct str ret = str_copy(s->arena, buf_text(&block));
	*ret_lines = str_copy(s->arena, buf_text(&lines));
	buf_release(&block);
	buf_release(&lines);
	return ret;
}

/* ---- finding the block ---- */

struct place_of_block {
	size_t from, to;                /* range of the text, in bytes, that the block replaces */
	const char *before, *after;
};

static bool is_addons(const struct node *item)
{
	return (item->kind == NODE_SET || item->kind == NODE_EXTEND) && str_is(item->u.item.key.text, "addons");
}

static struct place_of_block find_place(const struct source *source, const struct node *file)
{
	struct nodes decls = file->u.file.decls;

	for (size_t i = 0; i < decls.n; i++) {
		if (decls.at[i]->kind != NODE_PROJECT)
			continue;
		const struct node *body = decls.at[i]->u.titled.body;
		for (size_t k = 0; k < body->u.body.items.n; k++)
			if (is_addons(body->u.body.items.at[k])) {
				struct span at = body->u.body.items.at[k]->span;
				return (struct place_of_block){ at.start - source->base, at.end - source->base, "",
					"" };
			}
		size_t open = body->span.start - source->base;
		while (open < source->text.n && source->text.p[open] != '{')
			open++;
		bool line = open + 1 < source->text.n && source->text.p[open + 1] == '\n';
		return (struct place_of_block){ open + 1, open + 1, "\n  ", line ? "" : "\n" };
	}
	bool first = !source->text.n;
	return (struct place_of_block){ source->text.n, source->text.n, first ? "project {\n  " : "\nproject {\n  ",
		"\n}\n" };
}

static bool take_answer(void *context, const char *bytes, size_t n)
{
	buf_put(context, bytes, n);
	return true;
}

/* Formats TEXT as `trainc fmt` does; false when it does not parse (reported in C). */
static bool formatted(struct trainc *c, struct str path, struct str text, struct buf *out)
{
	return trainc_format(c, path.p, text.p, text.n, (struct trainc_output){ out, take_answer });
}

static int put_block(struct session *s, struct trainc *c, struct str path, struct str text, struct str block)
{
	struct programs one = { .at = &c, .n = 1 };
	struct buf before = { 0 }, made = { 0 }, out = { 0 };
	int status = STATUS_PROGRAM;

	if (!formatted(c, path, text, &before)) {
		session_report(s, &one, false);
		return status;
	}
	struct source *source = source_add(&c->sources, path, text);
	struct place_of_block at = find_place(source, parse_source(&c->arena, &c->names, &c->diags, source));
	buf_put(&made, text.p, at.from);
	buf_printf(&made, "%s%.*s%s", at.before, STR_ARG(block), at.after);
	buf_put(&made, text.p + at.to, text.n - at.to);
	bool sound = formatted(c, path, buf_text(&made), &out), clean = str_eq(buf_text(&before), text);
	if (!sound)
		session_report(s, &one, false);
	else
		status = session_replace(s, path, buf_text(clean ? &out : &made)) ? STATUS_DONE : STATUS_OUTPUT;
	buf_release(&before);
	buf_release(&made);
	buf_release(&out);
	return status;
}

/* ---- the command ---- */

static bool ask_addons(struct session *s, struct addon_found *found, int *ret_status)
{
	const struct backend *b = backend_of(s);

	*ret_status = STATUS_USAGE;
	if (!b || !b->begin(s, ret_status))
		return false;
	bool ok = b->addons(s, found, ret_status);
	b->end(s);
	return ok;
}

int vendor_addons(struct session *s, struct str directory)
{
	struct str path = path_join(s->arena, directory, STR("project.tj")), text = STR(""), why, lines;
	struct addon_found found[ADDONS] = { 0 };
	int status;

	if (!ask_addons(s, found, &status))
		return status;
	struct str block = block_of(s, found, &lines);
	if (!block.n) {
		session_say(s, "the cluster has no add-on whose version 'addons' could name: kueue, jobset, trainer");
		return STATUS_PROGRAM;
	}
	if (file_reader.exists(NULL, path) && !file_read_most(s->arena, path, PROJECT_LARGEST, &text, &why)) {
		session_say(s, "cannot read '%.*s': %.*s", STR_ARG(path), STR_ARG(why));
		return STATUS_PROGRAM;
	}
	struct trainc *c = trainc_open_reader(&file_reader);
	status = put_block(s, c, path, text, block);
	trainc_close(c);
	if (status == STATUS_DONE)
		session_write(s, lines);
	return status;
}
