/*
 * cmd_dump.c - prints one stage of the compiler as text. Later stages do not run, so a program that fails in them can
 * still be printed.
 */
#include "base/file.h"
#include "plan/print.h"
#include "check/module.h"
#include "command/session.h"
#include "diag/near_file.h"
#include "syntax/dump.h"
#include "check/types_dump.h"

static void put_objects(const struct trainc *c, struct buf *out)
{
	emit_dump(&c->plan, &c->sources, out);
}

static void put_plan(const struct trainc *c, struct buf *out)
{
	plan_dump(&c->plan, &c->sources, out);
}

static int dump_plan(struct session *s, void (*put)(const struct trainc *, struct buf *))
{
	struct programs all;
	struct buf out = { 0 };
	int status;

	if (session_plan(s, false, &all, &status)) {
		put(all.at[0], &out);
		session_show(s, buf_text(&out));
	}
	buf_release(&out);
	session_release(&all);
	return status;
}

/*
 * Marks all warnings as not checked, because later phases do not run: `# allow` comments are then not reported as
 * unused.
 */
static void ask_for_little(struct trainc *c)
{
	memset(c->diags.unasked, true, sizeof(c->diags.unasked));
}

/* Prints the types even if there are errors; the errors are reported too. */
static int dump_types(struct session *s)
{
	struct trainc *c = session_open(s);
	struct programs all = { .at = &c, .n = 1 };
	struct buf out = { 0 };

	if (!c)
		return STATUS_USAGE;
	c->options.parts = false;
	ask_for_little(c);
	compile_front(c, s->options->operands[0]);
	if (c->program.root)
		types_dump(&c->arena, &c->sources, c->program.root->file, &out);
	session_report(s, &all, false);
	session_show(s, buf_text(&out));
	buf_release(&out);
	session_release(&all);
	return all.ok ? STATUS_DONE : STATUS_PROGRAM;
}

/* Prints a stage of one file that depends on neither imports nor names. */
static int dump_text(struct session *s, enum option stage)
{
	struct trainc *c = trainc_open_reader(&file_reader);
	struct programs all = { .at = &c, .n = 1 };
	struct str path = s->options->operands[0], text, why;
	struct buf out = { 0 };

	ask_for_little(c);
	if (!file_read_most(&c->arena, path, MODULE_LARGEST, &text, &why)) {
		report_no_reading(&c->diags, &file_reader, path, why, ".tj");
	} else {
		const struct source *source = source_add(&c->sources, str_is(path, "-") ? STR("<stdin>") : path, text);
		if (stage == OPTION_TOKENS)
			tokens_dump(&c->arena, &c->diags, source, &out);
		else
			ast_dump(parse_source(&c->arena, &c->names, &c->diags, source), &out);
	}
	session_report(s, &all, false);
	session_show(s, buf_text(&out));
	buf_release(&out);
	session_release(&all);
	return all.ok ? STATUS_DONE : STATUS_PROGRAM;
}

int cmd_dump(struct session *s)
{
	static const enum option stages[] = { OPTION_TOKENS, OPTION_AST, OPTION_TYPES, OPTION_PLAN, OPTION_OBJECTS };
	enum option stage = OPTION_HELP;
	unsigned n = 0;

	for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
		if (option_given(s->options, stages[i])) {
			stage = stages[i];
			n++;
		}
	}
	if (n != 1) {
		session_say(s, "dump needs one of --tokens, --ast, --types, --plan, --objects");
		return STATUS_USAGE;
	}
	switch (stage) {
	case OPTION_TOKENS: case OPTION_AST:
		return dump_text(s, stage);
	case OPTION_TYPES:
		return dump_types(s);
	case OPTION_PLAN:
		return dump_plan(s, put_plan);
	default:
		return dump_plan(s, put_objects);
	}
}
