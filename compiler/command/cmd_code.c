/*
 * cmd_code.c - shows the code that a program takes along: as a table, as JSON, or the archive itself; and unpacks it.
 */
#include "command/session.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_write.h"
#include "base/path.h"
#include "base/words.h"
#include "code/code_unpack.h"
#include "command/take_code.h"
#include "plan/code.h"
#include "runtime/command/backend.h"

enum { LARGEST_SHOWN = 20 };

/* One snapshot, and the roles that have it. */
struct shown {
	const struct plan_code *code;
	struct str *jobs, *roles;
	size_t njobs, nroles;
	struct snapshot snapshot;
};

struct showing {
	struct session *session;
	struct trainc *program;
	struct arena *arena;
	struct shown *at;
	size_t n;
	struct buf out;
};

static void add_shown_name(struct arena *a, struct str **list, size_t *n, struct str name)
{
	for (size_t i = 0; i < *n; i++)
		if (str_eq((*list)[i], name))
			return;
	ARENA_PUSH(a, *list, *n, name);
}

/* Adds the code of a role; roles with the same archive at the same place are shown together. */
static void add_shown_role(struct showing *w, const struct plan_job *j, const struct plan_role *r)
{
	struct shown *to = NULL;

	for (size_t i = 0; i < w->n && !to; i++)
		if (code_is_same(w->at[i].code, r->code))
			to = &w->at[i];
	if (!to) {
		ARENA_PUSH(w->arena, w->at, w->n, (struct shown){ .code = r->code });
		to = &w->at[w->n - 1];
	}
	add_shown_name(w->arena, &to->jobs, &to->njobs, j->name);
	add_shown_name(w->arena, &to->roles, &to->nroles, r->name);
}

static void find_code(struct showing *w)
{
	struct str role = option_value(w->session->options, OPTION_ROLE);
	const struct plan *plan = &w->program->plan;

	for (size_t i = 0; i < plan->njobs; i++)
		for (size_t k = 0; k < plan->jobs[i].nroles; k++) {
			const struct plan_role *r = &plan->jobs[i].roles[k];
			if (r->code && r->max && (!role.p || str_eq(role, r->name)))
				add_shown_role(w, &plan->jobs[i], r);
		}
}

/* ---- the table ---- */

static void put_names(struct buf *out, const char *one, const char *many, const struct str *names, size_t n)
{
	buf_printf(out, "%s ", n > 1 ? many : one);
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%.*s", i ? ", " : "", STR_ARG(names[i]));
}

static int by_size(const void *a, const void *b)
{
	const struct tree_entry *x = *(const struct tree_entry *const *)a, *y = *(const struct tree_entry *const *)b;

	return x->size != y->size ? x->size < y->size ? 1 : -1 : str_cmp(x->path, y->path);
}

static void put_code_entry(struct showing *w, const struct tree_entry *e)
{
	struct str size = e->kind == TREE_LINK ? STR("-") : quantity_size(w->arena, e->size);

	buf_printf(&w->out, "  %s  %8.*s  ", e->kind == TREE_LINK ? "link" : e->executable ? "0755" : "0644",
		STR_ARG(size));
	put_escaped(&w->out, e->path);
	if (e->kind == TREE_LINK) {
		buf_z(&w->out, " -> ");
		put_escaped(&w->out, e->target);
	}
	buf_char(&w->out, '\n');
}

static void put_entries(struct showing *w, const struct code_tree *t, bool all)
{
	const struct tree_entry **list = ARENA_ARRAY(w->arena, const struct tree_entry *, t->n);

	for (size_t i = 0; i < t->n; i++)
		list[i] = &t->entries[i];
	if (t->n && !all)
		qsort(list, t->n, sizeof *list, by_size);
	if (t->n)
		buf_printf(&w->out, "  %s  %8s  %s\n", "MODE", "SIZE", "PATH");
	for (size_t i = 0; i < t->n && (all || i < LARGEST_SHOWN); i++)
		put_code_entry(w, list[i]);
	if (!all && t->n > LARGEST_SHOWN)
		buf_printf(&w->out, "  and %zu smaller ones, which --all shows\n", t->n - LARGEST_SHOWN);
	if (all && t->nleft)
		buf_printf(&w->out, "  left out\n  %-20s  %s\n", "RULE", "PATH");
	for (size_t i = 0; all && i < t->nleft; i++) {
		struct buf rule = { 0 };
		put_escaped(&rule, t->left[i].rule);    /* it begins with the path of a file of rules */
		buf_printf(&w->out, "  %-20.*s  ", STR_ARG(buf_text(&rule)));
		buf_release(&rule);
		put_escaped(&w->out, t->left[i].path);
		buf_printf(&w->out, "%s\n", t->left[i].kind == TREE_DIRECTORY ? "/" : "");
	}
}

/* Is the packed code more than its carrier takes? */
static bool is_over_carrier(const struct plan_code *c) { return !c->claim.set && c->packed.n > CODE_PACKED; }

static void put_code_table(struct showing *w, const struct shown *s)
{
	const struct plan_code *c = s->code;
	const struct code_tree *t = &s->snapshot.tree;

	put_names(&w->out, "job", "jobs", s->jobs, s->njobs);
	buf_z(&w->out, ", ");
	put_names(&w->out, "role", "roles", s->roles, s->nroles);
	buf_printf(&w->out, ": code %.*s at %.*s, id %.*s\n", STR_ARG(c->dir), STR_ARG(c->at), STR_ARG(code_short(c)));
	struct str carrier = c->claim.set ? str_cat(w->arena, STR("a file on the claim "), c->claim.value, STR("")) :
		str_printf(w->arena, "%lld ConfigMap%s", (long long)c->parts, c->parts == 1 ? "" : "s");
	buf_printf(&w->out, "  %lld file%s, %.*s; packed %.*s in %.*s; %zu entr%s left out\n", (long long)c->files,
		c->files == 1 ? "" : "s", STR_ARG(quantity_size(w->arena, (uint64_t)c->bytes)),
		STR_ARG(quantity_size(w->arena, c->packed.n)), STR_ARG(carrier), t->nleft, t->nleft == 1 ? "y" : "ies");
	if (is_over_carrier(c))
		buf_printf(&w->out, "  too large: ConfigMaps can carry %d bytes of packed code\n", CODE_PACKED);
	put_entries(w, t, option_given(w->session->options, OPTION_ALL));
}

/* ---- JSON ---- */

static void put_texts(struct json_writer *j, const char *key, const struct str *at, size_t n)
{
	json_add_open(j, key, '[');
	for (size_t i = 0; i < n; i++)
		json_put_text(j, at[i]);
	json_close(j, ']');
}

static void put_json_entries(struct json_writer *j, const struct code_tree *t)
{
	static const char *const kinds[] = { [TREE_FILE] = "file", [TREE_LINK] = "link", [TREE_DIRECTORY] = "dir",
		[TREE_OTHER] = "other" };

	json_add_open(j, "entries", '[');
	for (size_t i = 0; i < t->n; i++) {
		const struct tree_entry *e = &t->entries[i];
		json_open(j, '{');
		json_add_text(j, "path", e->path);
		json_add_text(j, "type", str_of(kinds[e->kind]));
		json_add_text(j, "mode", e->kind == TREE_LINK ? STR("0777") : e->executable ? STR("0755") :
			STR("0644"));
		json_add_int(j, "size", (int64_t)e->size);
		if (e->kind == TREE_LINK)
			json_add_text(j, "target", e->target);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_add_open(j, "left_out", '[');
	for (size_t i = 0; i < t->nleft; i++) {
		json_open(j, '{');
		json_add_text(j, "path", t->left[i].path);
		json_add_text(j, "rule", t->left[i].rule);
		json_add_text(j, "type", str_of(kinds[t->left[i].kind]));
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_json(struct showing *w)
{
	struct json_writer j = { .out = &w->out };

	json_open(&j, '{');
	json_add_int(&j, "schemaVersion", 1);
	json_add_open(&j, "snapshots", '[');
	for (size_t i = 0; i < w->n; i++) {
		const struct shown *s = &w->at[i];
		json_open(&j, '{');
		put_texts(&j, "jobs", s->jobs, s->njobs);
		put_texts(&j, "roles", s->roles, s->nroles);
		json_add_text(&j, "dir", s->code->dir);
		json_add_text(&j, "at", s->code->at);
		json_add_text(&j, "id", s->code->id);
		json_add_int(&j, "files", s->code->files);
		json_add_int(&j, "bytes", s->code->bytes);
		json_add_int(&j, "packed_bytes", (int64_t)s->code->packed.n);
		json_add_text(&j, "carrier", s->code->claim.set ? STR("claim") : STR("configmap"));
		if (s->code->claim.set)
			json_add_text(&j, "claim", s->code->claim.value);
		json_add_int(&j, "parts", s->code->parts);
		put_json_entries(&j, &s->snapshot.tree);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_close(&j, '}');
	buf_char(&w->out, '\n');
}

/* ---- --why ---- */

/*
 * Sets *RET to PATH, which is relative to the working directory, relative to the directory of the code; "." for that
 * itself. False if it is not in it.
 */
static bool path_below_code(struct showing *w, const struct plan_code *code, struct str path, struct str *ret)
{
	struct arena *a = w->arena;
	struct str dir = path_join(a, w->program->program.project.root, code->dir), here;
	const struct reader *reader = w->session->reader;

	if (reader->real && reader->real(reader->context, a, STR("."), &here)) {
		dir = path_join(a, here, dir);
		path = path_join(a, here, path);
	}
	if (!path_inside(dir, path))
		return false;
	size_t n = str_is(dir, "/") ? 1 : dir.n + 1;
	*ret = path.n > n ? (struct str){ path.p + n, path.n - n } : STR(".");
	return true;
}

/* How many files and links are taken below the directory PATH? */
static size_t files_below(const struct code_tree *t, struct str path)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += str_is(path, ".") || (str_starts(t->entries[i].path, path) && t->entries[i].path.p[path.n] == '/');
	return n;
}

/* Says whether PATH, relative to the working directory, is taken; returns the exit status. */
static int tell_why_left(struct showing *w, struct str path)
{
	const struct shown *s = &w->at[0];
	struct str below;

	if (!path_below_code(w, s->code, path, &below)) {
		session_print(w->session, str_printf(w->arena, "left out: it is not in the directory '%.*s' of the "
			"project\n", STR_ARG(s->code->dir)));
		return STATUS_PROGRAM;
	}
	const struct tree_left *left = tree_left_find(&s->snapshot.tree, below);
	size_t files = files_below(&s->snapshot.tree, below);
	if (files) {
		session_print(w->session, str_printf(w->arena, "taken: %zu file%s\n", files, files > 1 ? "s" : ""));
		return STATUS_DONE;
	}
	if (tree_find(&s->snapshot.tree, below)) {
		session_print(w->session, STR("taken\n"));
		return STATUS_DONE;
	}
	if (!left) {
		session_print(w->session, STR("left out: no such file\n"));
		return STATUS_PROGRAM;
	}
	session_print(w->session, str_printf(w->arena, "left out: %.*s%s%.*s\n", STR_ARG(left->rule), left->text.n ?
		": " : "",
		STR_ARG(left->text)));
	return STATUS_PROGRAM;
}

/* ---- the command ---- */

/*
 * Walks the directory again, for what the plan does not keep; with OUT, the archive is made again and goes there. Are
 * the files still those of the plan? If not, that is reported.
 */
static bool take_shown(struct showing *w, struct shown *s, struct trainc_output *out)
{
	struct snapshot_wish wish = code_wish(w->program, s->code);
	bool ok;

	if (out) {
		wish.write = out->write;
		wish.context = out->context;
		ok = snapshot_take(w->arena, &wish, &s->snapshot) && str_eq(str_of(s->snapshot.id), s->code->id);
		snapshot_release(&s->snapshot);
	} else {
		ok = snapshot_look(w->arena, &wish, &s->snapshot) && (int64_t)s->snapshot.tree.n == s->code->files &&
			(int64_t)s->snapshot.tree.bytes == s->code->bytes;
	}
	if (!ok && !w->session->gone && !w->session->error)
		session_say(w->session, "the files have changed meanwhile; run the same command again");
	return ok;
}

/* Is there code that only a local run can have? */
static bool is_too_large(const struct showing *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (is_over_carrier(w->at[i].code))
			return true;
	return false;
}

static int show_code(struct showing *w)
{
	struct str form = option_value(w->session->options, OPTION_OUTPUT), why = option_value(w->session->options,
		OPTION_WHY);
	struct trainc_output out = { w->session, session_output(w->session).write };
	bool tar = str_is(form, "tar");

	find_code(w);
	if (!w->n) {
		session_say(w->session, "no role has the field 'code'; see 'trainc explain code'");
		return STATUS_USAGE;
	}
	if ((tar || why.p) && w->n > 1) {
		session_say(w->session, "the roles have %zu different snapshots; choose one with --job and --role",
			w->n);
		return STATUS_USAGE;
	}
	if (tar && isatty(STDOUT_FILENO)) {
		session_say(w->session,
			"the archive is not for a terminal; write it to a file: trainc code -o tar FILE > code.tar");
		return STATUS_USAGE;
	}
	for (size_t i = 0; i < w->n; i++)
		if (!take_shown(w, &w->at[i], tar ? &out : NULL))
			return STATUS_PROGRAM;
	if (tar)
		return STATUS_DONE;
	if (why.p)
		return tell_why_left(w, why);
	if (str_is(form, "json"))
		put_json(w);
	for (size_t i = 0; i < w->n && !str_is(form, "json"); i++)
		put_code_table(w, &w->at[i]);
	session_show(w->session, buf_text(&w->out));
	buf_release(&w->out);
	return is_too_large(w) ? STATUS_PROGRAM : STATUS_DONE;
}

/* trainc code --upload FILE: for those who apply what `compile` has written. */
static int upload_files(struct session *s, struct programs *all)
{
	const struct backend *b;
	int status = STATUS_USAGE;

	if (option_given(s->options, OPTION_OUTPUT) || option_given(s->options, OPTION_WHY) ||
		option_given(s->options, OPTION_ALL) || option_given(s->options, OPTION_ROLE)) {
		session_say(s,
			"--upload writes the code of all roles and shows nothing: leave out -o, --why, --all, --role");
		return status;
	}
	b = backend_of(s);
	if (!b || !b->upload || !b->begin(s, &status))
		return status;
	status = b->upload(s, all);
	b->end(s);
	return status;
}

/* trainc code --unpack ID FROM TO: the step of a pod whose image has no shell. */
static int unpack(struct session *s, struct str id)
{
	const struct options *o = s->options;
	struct str packed, why = STR("");

	if (o->noperands != 2) {
		session_say(s, "--unpack needs two directories: that with the parts, and that to unpack into");
		return STATUS_USAGE;
	}
	int to = open(str_copy(s->arena, o->operands[1]).p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = to >= 0 && unpack_parts(s->arena, o->operands[0], &packed, &why) &&
		unpack_code(s->arena, packed, id, to, &why);
	if (!ok && to < 0)
		session_say(s, "code: '%.*s' is not a directory", STR_ARG(o->operands[1]));
	else if (!ok)
		session_say(s, "code: %.*s", STR_ARG(why));
	if (to >= 0)
		close(to);
	return ok ? STATUS_DONE : STATUS_OUTPUT;
}

int cmd_code(struct session *s)
{
	struct str id = option_value(s->options, OPTION_UNPACK);
	struct programs all;
	int status;

	if (id.p)
		return unpack(s, id);
	if (s->options->noperands != 1) {
		session_say(s, "'trainc code' shows the code of one program");
		return STATUS_USAGE;
	}
	if (session_plan(s, false, &all, &status)) {
		struct showing w = { .session = s, .program = all.at[0], .arena = s->arena };
		status = option_given(s->options, OPTION_UPLOAD) ? upload_files(s, &all) : show_code(&w);
	}
	session_release(&all);
	return status;
}
