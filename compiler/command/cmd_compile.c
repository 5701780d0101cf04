/*
 * cmd_compile.c - writes objects to standard output or to files. All programs are compiled before the first byte is
 * written: a user who pipes the output into a cluster must not apply only the objects of the programs before an
 * error.
 */
#include <errno.h>
#include <sys/stat.h>

#include "base/file.h"
#include "command/output_dir.h"
#include "command/session.h"

/* ---- where the output goes, and its format ---- */

/* Returns the FILE of -o; p == NULL if -o names a format, or was not given. */
static struct str output_file(const struct session *s)
{
	struct str value = option_value(s->options, OPTION_OUTPUT);

	return value.p && !str_is(value, "yaml") && !str_is(value, "json") ? value : (struct str){ 0 };
}

static bool is_json(const struct session *s)
{
	struct str value = option_value(s->options, OPTION_OUTPUT);

	return str_is(value, "json") || str_ends(output_file(s), STR(".json"));
}

/* Reports options that exclude each other; returns false if there are any. */
static bool output_is_clear(struct session *s)
{
	struct str file = output_file(s);

	if (!file.p)
		return true;
	if (!memchr(file.p, '.', file.n) && !memchr(file.p, '/', file.n)) {
		session_say(s, "--output cannot be '%.*s'; it is yaml, json or a file: -o ./%.*s, -o objects.yaml",
			STR_ARG(file), STR_ARG(file));
		return false;
	}
	if (option_given(s->options, OPTION_OUTPUT_DIR)) {
		session_say(s, "--output-dir writes one file per object, -o %.*s one file with all of them; use only "
			"one of the two",
			STR_ARG(file));
		return false;
	}
	return true;
}

static struct emit_options emit_options(const struct session *s, const struct trainc *c)
{
	return (struct emit_options){
		.json = is_json(s),
		.annotate = option_given(s->options, OPTION_ANNOTATE),
		.sources = &c->sources,
	};
}

/* Returns the plans of all programs, and the options of each: source positions refer to the program's own sources. */
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

static void write_stream(struct session *s, const struct programs *all, struct trainc_output out)
{
	enum trainc_form yaml = option_given(s->options, OPTION_ANNOTATE) ? TRAINC_YAML_PLACES : TRAINC_YAML;

	trainc_emit(all->at, all->n, is_json(s) ? TRAINC_JSON : yaml, out);
}

/*
 * Reads the file PATH; returns false unless it is a regular file that is not empty. A file that the system cannot
 * examine counts as one with another text.
 */
static bool holds_text(struct session *s, struct str path, struct str *ret)
{
	struct str why;
	struct stat st;

	*ret = STR("");
	if (stat(str_copy(s->arena, path).p, &st) != 0)
		return errno != ENOENT && errno != ENOTDIR;
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return false;
	if (!file_read(s->arena, path, ret, &why))
		*ret = STR("");
	return true;
}

/*
 * Does the file begin with anything other than objects? Then the user may have named a program by mistake, which must
 * not be overwritten.
 */
static bool is_no_output(struct session *s, struct str path)
{
	struct str text;

	return holds_text(s, path, &text) && !str_starts(text, STR("{")) && !str_starts(text, STR("apiVersion:")) &&
		!str_starts(text, STR("---"));
}

static bool append_program(void *context, const char *bytes, size_t n)
{
	buf_put(context, bytes, n);
	return true;
}

static bool write_output(struct session *s, const struct programs *all, struct str path)
{
	struct buf text = { 0 };

	if (!option_given(s->options, OPTION_FORCE) && is_no_output(s, path)) {
		session_say(s, "'%.*s' does not hold Kubernetes objects; --force replaces it", STR_ARG(path));
		return false;
	}
	write_stream(s, all, (struct trainc_output){ &text, append_program });
	bool ok = session_pour(s, path, buf_text(&text));
	buf_release(&text);
	return ok;
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

/* ---- the dependency file for make ---- */

static void put_name(struct buf *out, struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == ' ' || name.p[i] == '\t' || name.p[i] == '#' || name.p[i] == ':')
			buf_char(out, '\\');
		if (name.p[i] == '$')
			buf_char(out, '$');
		buf_char(out, name.p[i]);
	}
}

/* Returns the directory or file that the command writes; p == NULL if it writes to standard output. */
static struct str one_target(const struct session *s)
{
	struct str directory = option_value(s->options, OPTION_OUTPUT_DIR);

	return directory.p ? directory : output_file(s);
}

/* Writes the target of the rule: the file that the command writes, or FILE with the suffix of the output format. */
static void put_target(struct session *s, struct str file, struct buf *out)
{
	struct str target = one_target(s);

	if (target.p) {
		put_name(out, target);
		return;
	}
	if (str_ends(file, STR(".tj")))
		file.n -= 3;
	put_name(out, file);
	buf_z(out, is_json(s) ? ".json" : ".yaml");
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

/*
 * Is PATH a file of another kind, named by mistake? In a dependency file the first line ends with a colon or a
 * backslash.
 */
static bool is_other_file(struct session *s, struct str path)
{
	struct str text;

	if (!holds_text(s, path, &text))
		return false;
	const char *newline = memchr(text.p, '\n', text.n);
	struct str first = { text.p, newline ? (size_t)(newline - text.p) : text.n };
	return !str_ends(first, STR(": \\")) && !str_ends(first, STR(":"));
}

/* Reports a name that contains a line end: a rule for make cannot contain it. */
static bool has_line_end(struct session *s, struct str name)
{
	if (!memchr(name.p, '\n', name.n))
		return false;
	session_say(s, "--depfile: the name '%.*s' contains a newline, which a make rule cannot express; rename the "
		"file",
		STR_ARG(name));
	return true;
}

static bool names_fit(struct session *s, const struct programs *all)
{
	const char *file;

	if (one_target(s).p && has_line_end(s, one_target(s)))
		return false;
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; (file = trainc_file(all->at[i], k)); k++)
			if (has_line_end(s, str_of(file)))
				return false;
	return true;
}

/*
 * Writes the dependency file as a C compiler does with -MMD -MP: every file also gets a rule without a recipe, so
 * that make does not fail when the file is removed.
 */
static bool write_depfile(struct session *s, const struct programs *all, struct str path)
{
	struct buf out = { 0 };

	if (!option_given(s->options, OPTION_FORCE) && is_other_file(s, path)) {
		session_say(s, "'%.*s' is not a make rule; --force replaces it", STR_ARG(path));
		return false;
	}
	if (!names_fit(s, all))
		return false;
	for (size_t i = 0; i < s->options->noperands; i++) {
		buf_z(&out, i ? " " : "");
		put_target(s, s->options->operands[i], &out);
		if (one_target(s).p)
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

static bool write_all(struct session *s, const struct programs *all)
{
	struct str directory = option_value(s->options, OPTION_OUTPUT_DIR),
		depfile = option_value(s->options, OPTION_DEPFILE);
	struct str file = output_file(s);
	bool ok = true;

	if (directory.p)
		ok = write_directory(s, all, directory);
	else if (file.p)
		ok = write_output(s, all, file);
	else
		write_stream(s, all, session_output(s));
	return ok && !s->error && depfile.p ? write_depfile(s, all, depfile) : ok;
}

/* Names the claims whose files the pods of a program need, which no object contains. */
static void say_uploads(struct session *s, const struct trainc *t, struct str path)
{
	struct str said = STR("");

	for (size_t k = 0; k < t->plan.njobs; k++)
		for (size_t r = 0; r < t->plan.jobs[k].nroles; r++) {
			const struct plan_role *role = &t->plan.jobs[k].roles[r];
			if (!role->code || !role->code->claim.set || !role->max ||
				str_eq(role->code->claim.value, said))
				continue;
			said = role->code->claim.value;
			session_say(s,
				"the code of role '%.*s' travels by the claim '%.*s', not in these objects: 'trainc "
				"code --upload %.*s' with the same options writes it there", STR_ARG(role->name),
				STR_ARG(said), STR_ARG(path));
		}
}

int cmd_compile(struct session *s)
{
	struct programs all;
	int status;

	if (!output_is_clear(s))
		return STATUS_USAGE;
	if (session_plan(s, true, &all, &status)) {
		if (!write_all(s, &all))
			status = STATUS_OUTPUT;
		for (size_t i = 0; i < all.n; i++)
			say_uploads(s, all.at[i], s->options->operands[i]);
	}
	session_release(&all);
	return status;
}
