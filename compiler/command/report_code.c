/*
 * report_code.c - the messages about the files of code: what cannot be taken, and what is missing.
 */
#include "command/take_code.h"

#include "base/path.h"
#include "base/words.h"
#include "plan/code.h"

enum { SHOWN = 5, MOST_NAMED = 50 };

/* Adds the largest entries as notes, and the line that leaves out the first of them. */
static void note_largest(struct trainc *t, struct diag *d, const struct snapshot *s, const char *also)
{
	struct snapshot_part parts[SHOWN];
	size_t n = snapshot_largest(&t->arena, s, parts, SHOWN);

	for (size_t i = 0; i < n; i++)
		diag_note(&t->diags, d, (struct span){ 0 }, "%.*s: %.*s in %llu file%s", STR_ARG(parts[i].name),
			STR_ARG(quantity_size(&t->arena, parts[i].bytes)), (unsigned long long)parts[i].files,
			parts[i].files == 1 ? "" : "s");
	if (n)
		diag_help(&t->diags, d,
			"what the program does not need belongs into '.trainignore': the line '/%.*s' leaves "
			"out the largest entry%s",
				STR_ARG(parts[0].name), also);
}

static void report_over(struct trainc *t, const struct plan_code *code, const struct snapshot *s)
{
	struct str bytes = quantity_size(&t->arena, s->tree.bytes),
		most = quantity_size(&t->arena, (uint64_t)(code->max.value.nano / QUANTITY_UNIT));
	bool more = s->tree.visits >= TREE_VISITS;
	struct diag *d = diag_report(&t->diags, TJ1302, code->from,
		"the code has %s%zu files of %.*s in all; at most %d files and %.*s are taken", more ?
			"more than " : "",
		s->tree.n, STR_ARG(bytes), TREE_FILES, STR_ARG(most));

	note_largest(t, d, s, s->tree.n > TREE_FILES || more ? "" : ", or raise 'max'");
}

/* What is said about each fault: the code, the sentence after the path, and the help. */
static const struct fault_row {
	enum diag_code code;
	const char *before, *help, *brief;      /* brief: for the list of further files */
} faults[] = {
	[FAULT_UNREADABLE] = { TJ1301, "cannot be read: ",
		"make it readable, or leave it out by a line of '.trainignore'", "cannot be read" },
	[FAULT_LINK] = { TJ1304, "is a link that leads out of the directory: to ",
		"a replica does not have what is outside: put the file into the directory, or leave out the link by a "
		"line of '.trainignore'", "leads out of the directory" },
	[FAULT_NAME] = { TJ1305, "cannot be taken: ", "rename it, or leave it out by a line of '.trainignore'",
		"has a name that cannot be taken" },
	[FAULT_SIZE] = { TJ1302, "is larger than 8 GiB, which the archive cannot have",
		"leave it out by a line of '.trainignore': such files belong on a volume", "is larger than 8 GiB" },
	[FAULT_SECRET] = { TJ1303, "looks like a secret: ",
		"leave it out by a line of '.trainignore'; if it is not a secret, write its path into 'allow'",
		"looks like a secret" },
	[FAULT_CHANGED] = { TJ1311, "changed while it was read, twice",
		"stop what writes to it, or leave it out by a line of '.trainignore'", "changed while it was read" },
};

static void report_problem(struct trainc *t, const struct plan_code *code, const struct tree_problem *p)
{
	const struct fault_row *row = &faults[p->fault];
	struct buf path = { 0 }, why = { 0 };

	put_escaped(&path, p->path);
	put_escaped(&why, p->why);
	struct diag *d = diag_report(&t->diags, row->code, code->from, "'%.*s' %s%.*s", STR_ARG(buf_text(&path)),
		row->before,
		STR_ARG(buf_text(&why)));
	diag_help(&t->diags, d, "%s", row->help);
	buf_release(&path);
	buf_release(&why);
}

/* Names the files that have no message of their own. */
static void note_further(struct trainc *t, struct diag *d, const struct snapshot *s)
{
	size_t found = 0;

	for (size_t i = 0; i < s->tree.nproblems; i++) {
		if (s->tree.problems[i].fault == FAULT_MANY || ++found <= SHOWN)
			continue;
		if (found > MOST_NAMED)
			break;
		struct buf path = { 0 };
		put_escaped(&path, s->tree.problems[i].path);
		diag_note(&t->diags, d, (struct span){ 0 }, "'%.*s' %s", STR_ARG(buf_text(&path)),
			faults[s->tree.problems[i].fault].brief);
		buf_release(&path);
	}
}

void report_snapshot(struct trainc *t, const struct plan_code *code, const struct snapshot *s)
{
	size_t shown = 0;

	if (s->no_directory || s->outside) {
		struct diag *d = diag_report(&t->diags, TJ1301, code->from, "the directory of 'code', '%.*s', %.*s",
			STR_ARG(code->dir), STR_ARG((s->outside ? STR("leads out of the project by a link") : s->why)));
		diag_help(&t->diags, d, "write a directory of the project, relative to this file: code = \".\"");
		return;
	}
	for (size_t i = 0; i < s->tree.nproblems; i++)
		if (s->tree.problems[i].fault != FAULT_MANY && shown++ < SHOWN)
			report_problem(t, code, &s->tree.problems[i]);
	if (shown > SHOWN) {
		struct diag *d = diag_report(&t->diags, faults[s->tree.problems[s->tree.nproblems - 1].fault].code ?
			faults[s->tree.problems[s->tree.nproblems - 1].fault].code : TJ1302, code->from,
			"%zu more files cannot be taken", shown - SHOWN);
		note_further(t, d, s);
		diag_help(&t->diags, d,
			"'.trainignore' has the syntax of '.gitignore': one line can leave out a directory");
	}
	if (s->over)
		report_over(t, code, s);
	else if (s->too_large && !shown) {
		struct diag *d = diag_report(&t->diags, TJ1306, code->from,
			"the packed code is larger than %d bytes, which is all that ConfigMaps can carry", CODE_PACKED);
		note_largest(t, d, s, "; via = pvc(\"team-code\") in 'code' carries more, by a file on a claim; "
			"'trainc code FILE --all' lists everything");
	}
}

/* ---- what is missing ---- */

/* Could the word be the path of a program in the code? Only names that end like programs are expected to exist. */
static bool is_program(struct str word)
{
	return str_ends(word, STR(".py")) || str_ends(word, STR(".sh"));
}

/* Finds the path in the code that a word of the command names; false for other words. */
static bool path_in_code(struct arena *a, const struct plan_role *r, struct str word, struct str *ret)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+";
	struct str workdir = r->main.workdir.value, path;

	for (size_t i = 0; i < word.n; i++)
		if (!memchr(plain, word.p[i], sizeof plain - 1))
			return false;
	if (!word.n || *word.p == '-')
		return false;
	path = path_join(a, workdir, word);
	if (!path_inside(r->code->at, path) || path.n == r->code->at.n)
		return false;
	*ret = (struct str){ path.p + r->code->at.n + 1, path.n - r->code->at.n - 1 };
	return true;
}

static bool has_directory(const struct snapshot *s, struct str path)
{
	for (size_t i = 0; i < s->tree.n; i++) {
		struct str entry = s->tree.entries[i].path;
		if (entry.n > path.n && str_starts(entry, path) && entry.p[path.n] == '/')
			return true;
	}
	return false;
}

static void warn_of_word(struct trainc *t, const struct plan_role *r, const struct snapshot *s, const struct text *word)
{
	struct str path;

	if (word->n != 1 || word->at[0].kind != PIECE_TEXT || !path_in_code(&t->arena, r, word->at[0].u.text, &path) ||
		tree_find(&s->tree, path) || has_directory(s, path))
		return;
	const struct tree_left *left = tree_left_find(&s->tree, path);
	bool whole = left && !str_eq(left->path, path);
	if (!is_program(path) && (!left || whole))
		return;
	struct diag *d = diag_report(&t->diags, TJ1309, span_known(word->from) ? word->from : r->code->from,
		left ? "'%.*s' is not in the code: %.*s leaves it out" :
			"'%.*s' is not in the code: it does not exist%.*s",
		STR_ARG(path), STR_ARG((left ? left->rule : STR(""))));
	if (left)
		diag_help(&t->diags, d, "'%.*s' in 'include' takes it nevertheless", STR_ARG(path));
	else
		diag_help(&t->diags, d,
			"paths of the command are relative to %.*s, which is the directory '%.*s' of the project",
			STR_ARG(r->code->at), STR_ARG(r->code->dir));
}

void warn_of_missing(struct trainc *t, const struct plan_role *r, const struct snapshot *s)
{
	const struct plan_texts *both[] = { &r->main.command, &r->main.args };

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < both[k]->n; i++)
			warn_of_word(t, r, s, &both[k]->at[i]);
	for (size_t i = 0; i < s->tree.ninclude; i++) {
		if (s->tree.included[i])
			continue;
		struct diag *d = diag_report(&t->diags, TJ1309, r->code->include[i].from,
			"'include' has '%.*s', which matches "
			"nothing", STR_ARG(r->code->include[i].value));
		diag_help(&t->diags, d, "it is a line of a .gitignore at '%.*s': correct the path, or remove it",
			STR_ARG(r->code->dir));
	}
	if (s->tree.n)
		return;
	struct diag *d = diag_report(&t->diags, TJ1309, r->code->from, "the code has no files");
	if (s->tree.nleft)
		diag_help(&t->diags, d, "%.*s leaves out '%.*s'; 'trainc code FILE --all' lists what is left out",
			STR_ARG(s->tree.left[0].rule), STR_ARG(s->tree.left[0].path));
	else
		diag_help(&t->diags, d, "'%.*s' is empty", STR_ARG(r->code->dir));
}
