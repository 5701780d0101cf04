/*
 * cmd_compile.c - objects to standard output or to files.
 *
 * All programs are compiled before the first byte is written: whoever pipes
 * the output into a cluster must not apply the half that came before an error.
 */
#include <sys/stat.h>

#include "base/file.h"
#include "command/output_dir.h"
#include "command/session.h"

static struct emit_options emit_options(const struct session *s, const struct trainc *c)
{
	return (struct emit_options){
		.json = str_is(option_value(s->options, OPTION_OUTPUT), "json"),
		.annotate = option_given(s->options, OPTION_ANNOTATE),
		.sources = &c->sources,
	};
}

/* The plans of all programs, and the options of each: places are in its own sources. */
static const struct plan **plans_of(struct session *s, const struct programs *all, struct emit_options **ret_options)
{
	const struct plan **plans = ARENA_ARRAY(s->arena, const struct plan *, all->n);

	*ret_options = ARENA_ARRAY(s->arena, struct emit_options, all->n);
	for (size_t i = 0; i < all->n; i++) {
		plans[i] = &all->at[i]->plan;
		(*ret_options)[i] = emit_options(s, all->at[i]);
	}
	return plans;
}

static void write_stream(struct session *s, const struct programs *all)
{
	bool json = str_is(option_value(s->options, OPTION_OUTPUT), "json");
	enum trainc_form yaml = option_given(s->options, OPTION_ANNOTATE) ? TRAINC_YAML_PLACES : TRAINC_YAML;

	trainc_emit(all->at, all->n, json ? TRAINC_JSON : yaml, session_output(s));
}

static bool write_directory(struct session *s, const struct programs *all, struct str directory)
{
	struct emit_options *options;
	const struct plan **plans = plans_of(s, all, &options);
	struct str why;

	session_hold_signals(true);
	bool ok = emit_output_dir(s->arena, options, plans, all->n, directory, &why);
	session_hold_signals(false);
	if (ok)
		return true;
	session_say(s, "cannot write to '%.*s': %.*s", STR_ARG(directory), STR_ARG(why));
	return false;
}

/* ---- the rule for make ---- */

static void put_name(struct buf *out, struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == ' ' || name.p[i] == '#' || name.p[i] == ':')
			buf_char(out, '\\');
		if (name.p[i] == '$')
			buf_char(out, '$');
		buf_char(out, name.p[i]);
	}
}

/* What the rule makes: the directory, or the program's name with the suffix of the output. */
static void put_target(struct session *s, struct str file, struct buf *out)
{
	struct str directory = option_value(s->options, OPTION_OUTPUT_DIR);

	if (directory.p) {
		put_name(out, directory);
		return;
	}
	if (str_ends(file, STR(".tj")))
		file.n -= 3;
	put_name(out, file);
	buf_z(out, str_is(option_value(s->options, OPTION_OUTPUT), "json") ? ".json" : ".yaml");
}

static void put_sources(const struct programs *all, const char *before, const char *after, struct buf *out)
{
	const char *file;

	for (size_t i = 0; i < all->n; i++) {
		for (size_t k = 0; (file = trainc_file(all->at[i], k)); k++) {
			buf_z(out, before);
			put_name(out, str_of(file));
			buf_z(out, after);
		}
	}
}

/* A file of another kind, which somebody named by mistake: a rule's first line ends with a colon or goes on. */
static bool is_other_file(struct session *s, struct str path)
{
	struct str text, why;
	struct stat st;

	if (stat(str_copy(s->arena, path).p, &st) != 0 || !S_ISREG(st.st_mode) || !st.st_size)
		return false;
	if (!file_read(s->arena, path, &text, &why))
		return true;
	const char *newline = memchr(text.p, '\n', text.n);
	struct str first = { text.p, newline ? (size_t)(newline - text.p) : text.n };
	return !str_ends(first, STR(": \\")) && !str_ends(first, STR(":"));
}

/* As a C compiler's -MMD -MP: a rule without a recipe for every file, so that one that goes away is no error. */
static bool write_depfile(struct session *s, const struct programs *all, struct str path)
{
	struct buf out = { 0 };

	if (!option_given(s->options, OPTION_FORCE) && is_other_file(s, path)) {
		session_say(s, "'%.*s' is not a rule for make; --force replaces it", STR_ARG(path));
		return false;
	}
	for (size_t i = 0; i < s->options->noperands; i++) {
		buf_z(&out, i ? " " : "");
		put_target(s, s->options->operands[i], &out);
		if (option_given(s->options, OPTION_OUTPUT_DIR))
			break;
	}
	buf_char(&out, ':');
	put_sources(all, " \\\n  ", "", &out);
	buf_char(&out, '\n');
	put_sources(all, "", ":\n", &out);
	bool ok = session_pour(s, path, buf_text(&out));
	buf_release(&out);
	return ok;
}

int cmd_compile(struct session *s)
{
	struct str directory = option_value(s->options, OPTION_OUTPUT_DIR), depfile = option_value(s->options, OPTION_DEPFILE);
	struct programs all;
	int status;

	if (session_plan(s, true, &all, &status)) {
		bool ok = true;

		if (directory.p)
			ok = write_directory(s, &all, directory);
		else
			write_stream(s, &all);
		if (ok && !s->error && depfile.p)
			ok = write_depfile(s, &all, depfile);
		status = ok ? STATUS_DONE : STATUS_OUTPUT;
	}
	session_release(&all);
	return status;
}
