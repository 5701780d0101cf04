/*
 * lower_code.c - lowers `code`. The copy of a replica is a scratch volume called `code`, so that every target and local
 * runs treat it as one; an init container of the same name fills it. The files are read later, when the plan is
 * complete: until then the id is zeros. The command of the step shares its text, so that it has the id as soon as that
 * is known.
 */
#include "lower/lower.h"

#include "base/path.h"
#include "eval/plan_value.h"
#include "plan/code.h"

#define NO_ID "0000000000000000000000000000000000000000000000000000000000000000"

static const struct value *code_member(const struct value *v, const char *name)
{
	const struct value *member = value_get(v, str_of(name));

	return member ? member : &value_none;
}

/* The path of the file that has the text V; the project if the text is from the command line or standard input. */
static struct str code_directory(struct lowering *l, const struct value *v)
{
	const struct program *p = l->ev->program;
	const struct source *s = source_at(p->sources, v->from.start);

	if (!s || s->library || str_is(s->name, "command line") || str_is(s->name, "<stdin>"))
		return p->project.root;
	return path_directory(s->name);
}

static void report_dir(struct lowering *l, struct str dir, struct span at, const char *what)
{
	struct diag *d = diag_report(l->ev->diags, TJ1301, at, "the directory of 'code', '%.*s', %s", STR_ARG(dir),
		what);

	diag_help(l->ev->diags, d, "write a path relative to this file that is inside the project: code = \".\"");
}

/*
 * PATH relative to the project, which it is in. If trainc was started below the root, that is "..", and a relative
 * path does not have the name of the working directory; so both are made absolute first.
 */
static struct str below_project(struct lowering *l, struct str path)
{
	const struct reader *reader = l->ev->program->reader;
	struct str root = l->ev->program->project.root, here;

	if (str_starts(root, STR(".."))) {
		if (!reader->real || !reader->real(reader->context, l->ev->arena, STR("."), &here))
			return path;            /* such a reader has no files to take either */
		root = path_join(l->ev->arena, here, root);
		path = path_join(l->ev->arena, here, path);
	}
	if (str_eq(path, root))
		return STR(".");
	size_t n = str_is(root, ".") ? 0 : str_is(root, "/") ? 1 : root.n + 1;
	return str_copy(l->ev->arena, (struct str){ path.p + n, path.n - n });
}

/* Finds the directory relative to the project; "." for the project. False after a report. */
static bool lower_dir(struct lowering *l, const struct value *v, struct span at, struct str *ret)
{
	struct str dir, root = l->ev->program->project.root;

	if (!value_str(l->ev, v, &dir) || !dir.n) {
		const struct value *sync = code_member(role_field(l->ev, l->role, FIELD_CODE), "sync");
		bool only_sync = sync->kind == VALUE_BOOL && sync->u.boolean;
		struct diag *d = diag_report(l->ev->diags, only_sync ? TJ1310 : TJ1301, at,
			"'code' names no directory%s", only_sync ? " that 'sync' could send" : "");
		diag_help(l->ev->diags, d, "write dir = \".\" in it for the directory of this file");
		return false;
	}
	struct str path = path_join(l->ev->arena, code_directory(l, v), dir);
	if (*dir.p == '/' || !path_inside(root, path)) {
		report_dir(l, dir, v->from, *dir.p == '/' ? "is absolute" : "is outside of the project");
		return false;
	}
	*ret = below_project(l, path);
	return true;
}

/* ---- where it is mounted ---- */

static void report_at(struct lowering *l, struct span at, struct str path, const char *what)
{
	struct diag *d = diag_report(l->ev->diags, TJ1307, at, "the code cannot be at '%.*s', %s", STR_ARG(path), what);

	diag_help(l->ev->diags, d, "choose a directory of its own, such as at = \"/code\"");
}

/* Is one of the paths inside the other one? */
static bool overlap(struct str a, struct str b) { return path_inside(a, b) || path_inside(b, a); }

static bool is_code_free(struct lowering *l, const struct plan_container *c, struct str path, struct span at)
{
	for (size_t i = 0; i < c->nmounts; i++) {
		const struct plan_mount *m = &c->mounts[i];
		if (overlap(m->path, path)) {
			report_at(l, at, path, "because a volume is mounted there, in it or around it");
			return false;
		}
		if (str_is(m->volume->name, "code") || str_is(m->volume->name, "code-parts")) {
			struct diag *d = diag_report(l->ev->diags, TJ1307, m->path_at,
				"a volume of a role with 'code' cannot be called '%.*s'", STR_ARG(m->volume->name));
			diag_help(l->ev->diags, d, "give the volume another name");
			return false;
		}
	}
	return true;
}

static bool lower_at(struct lowering *l, const struct value *v, struct span at, struct str *ret)
{
	struct str text = STR("/code");

	value_str(l->ev, v, &text);
	at = v->kind == VALUE_NONE ? at : v->from;
	if (!text.n || *text.p != '/') {
		report_at(l, at, text, "which is not an absolute path");
		return false;
	}
	while (text.n > 1 && text.p[text.n - 1] == '/')
		text.n--;
	if (text.n == 1) {
		report_at(l, at, text, "which is the whole file system of the image");
		return false;
	}
	if (!mount_path(l->ev, text, at, ret))
		return false;
	for (size_t i = 0; i < ret->n; i++)
		if (ret->p[i] == '\\' || (unsigned char)ret->p[i] < 0x20) {    /* the step writes it with echo */
			report_at(l, at, text, "which has a backslash or a control character");
			return false;
		}
	if (path_inside(STR("/.trainc"), *ret)) {
		report_at(l, at, text, "which trainc uses itself");
		return false;
	}
	return is_code_free(l, &l->plan->main, *ret, at);
}

/* ---- the carrier ---- */

static void report_via(struct lowering *l, struct span at, const char *what, const char *help)
{
	struct diag *d = diag_report(l->ev->diags, TJ1306, at, "'via' of the code %s", what);

	diag_help(l->ev->diags, d, "%s", help);
}

/* The claim that carries the archive, mounted by the step; NULL: ConfigMaps carry it, or that was reported. */
static struct plan_volume *lower_via(struct lowering *l, const struct value *v, bool unpack)
{
	static const char claim_help[] = "name a claim that all nodes can mount, such as via = pvc(\"team-code\")";
	struct plan_volume *claim;

	if (v->kind != VALUE_VOLUME)
		return NULL;
	if (v->u.volume->kind != VOLUME_PVC || v->u.volume->path_text.n) {
		report_via(l, v->from, v->u.volume->kind != VOLUME_PVC ? "is not a claim" :
			"has another directory for each replica", claim_help);
		return NULL;
	}
	if (unpack) {
		report_via(l, v->from, "and 'unpack' exclude each other: a shell of the role's image writes the file",
			"remove 'unpack' if the image has sh, gzip, tar and sha256sum, else remove 'via'");
		return NULL;
	}
	claim = ARENA_NEW(l->ev->arena, struct plan_volume);
	*claim = *v->u.volume;
	claim->readonly = true;
	return claim;
}

/* ---- the step ---- */

static void add_step_word(struct lowering *l, struct plan_texts *words, struct str text, struct span from)
{
	struct piece *piece = ARENA_NEW(l->ev->arena, struct piece);

	*piece = (struct piece){ .kind = PIECE_TEXT, .u.text = text };
	ARENA_PUSH(l->ev->arena, words->at, words->n, ((struct text){ piece, 1, from }));
	words->set = true;
	words->from = from;
}

static struct plan_quantity step_quantity(int64_t value, int64_t nano, enum quantity_form form, struct span from)
{
	return (struct plan_quantity){ { .nano = (int128)value * nano, .form = form }, from, true };
}

/* Describes the init container that unpacks the code. */
static void lower_step(struct lowering *l, const struct plan_code *code)
{
	static const char *const by_shell[] = { "sh", "-c", "", "code" },
		*const by_trainc[] = { "trainc", "code", "--unpack" };
	struct str script = code->claim.set ?
		code->sync ? STR(CODE_SCRIPT_SYNC_OF(CODE_SCRIPT_CLAIM)) : STR(CODE_SCRIPT_CLAIM) :
		code->sync ? STR(CODE_SCRIPT_SYNC_OF(CODE_SCRIPT)) : STR(CODE_SCRIPT);
	struct plan_container *c = &l->plan->inits[l->plan->ninits++];
	const char *const *words = code->unpack.set ? by_trainc : by_shell;
	size_t n = code->unpack.set ? sizeof by_trainc / sizeof *by_trainc : sizeof by_shell / sizeof *by_shell;

	*c = (struct plan_container){ .name = STR("code"), .name_at = code->from, .init = true,
		.image = code->unpack.set ? code->unpack : l->plan->main.image, .pull = l->plan->main.pull };
	lower_security(l, NULL, c);
	for (size_t i = 0; i < n; i++)
		add_step_word(l, &c->command, *words[i] ? str_of(words[i]) : script, code->from);
	add_step_word(l, &c->command, code->id, code->from);
	if (code->unpack.set)
		add_step_word(l, &c->command, STR(CODE_PARTS_AT), code->from);
	add_step_word(l, &c->command, code->at, code->from);
	if (!code->unpack.set)
		add_step_word(l, &c->command, STR("0"), code->from);    /* take_code() knows the size */
	c->asks.cpu = step_quantity(50, QUANTITY_UNIT / 1000, QUANTITY_DECIMAL, code->from);
	c->asks.memory = step_quantity(64 << 20, QUANTITY_UNIT, QUANTITY_BINARY, code->from);
}

/* ---- the field ---- */

/* Reports a role that must not have code; false if it may. */
static bool is_code_refused(struct lowering *l, struct span at)
{
	unsigned level = role_field_level(l->ev, l->role, FIELD_CODE);

	if (level >= LEVEL_FRAMEWORK && level < LEVELS) {
		struct diag *d = diag_report(l->ev->diags, TJ0203, at, "'code' belongs to a job, not to a framework");
		diag_help(l->ev->diags, d, "set it in the job, in a role of the job, or in the project's defaults");
		return true;
	}
	if (!l->ev->program->project.no_code)
		return false;
	struct diag *d = diag_report(l->ev->diags, TJ1308, at, "the project forbids 'code': it has 'code = false'");
	diag_help(l->ev->diags, d, "remove 'code', and put the files into the image");
	return true;
}

void lower_code(struct lowering *l)
{
	const struct value *v = role_field(l->ev, l->role, FIELD_CODE);
	struct span at = role_field_at(l->ev, l->role, FIELD_CODE);
	struct plan_code *code;

	if (v->kind != VALUE_MAP || is_code_refused(l, at))
		return;
	code = ARENA_NEW(l->ev->arena, struct plan_code);
	*code = (struct plan_code){ .from = at, .at_from = code_member(v, "at")->kind == VALUE_NONE ? at :
		code_member(v, "at")->from };
	if (!lower_dir(l, code_member(v, "dir"), at, &code->dir) || !lower_at(l, code_member(v, "at"), at, &code->at))
		return;
	code->id = str_copy(l->ev->arena, STR(NO_ID));
	code->exclude = value_strs(l->ev, code_member(v, "exclude"), &code->nexclude);
	code->include = value_strs(l->ev, code_member(v, "include"), &code->ninclude);
	code->allow = value_strs(l->ev, code_member(v, "allow"), &code->nallow);
	code->unpack = value_text_at(l->ev, code_member(v, "unpack"), code_member(v, "unpack")->from);
	const struct value *sync = code_member(v, "sync");
	code->sync = sync->kind == VALUE_BOOL && sync->u.boolean;
	const struct value *max = code_member(v, "max");
	code->max = max->kind == VALUE_QUANTITY ? (struct plan_quantity){ max->u.quantity, max->from, true } :
		step_quantity(64 << 20, QUANTITY_UNIT, QUANTITY_BINARY, at);
	struct plan_volume *claim = lower_via(l, code_member(v, "via"), code->unpack.set);
	if (claim)
		code->claim = (struct plan_str){ claim->name, claim->from, true };
	l->plan->code = code;
	lower_step(l, code);
	if (claim) {
		struct plan_container *step = &l->plan->inits[l->plan->ninits - 1];
		struct plan_mount m = { .path = STR(CODE_PARTS_AT), .path_at = claim->from, .volume = claim };
		ARENA_PUSH(l->ev->arena, step->mounts, step->nmounts, m);
	}
}

/* Reports an init container or sidecar that has the name of the step. */
static bool is_called_code(struct lowering *l, const struct plan_container *c)
{
	if (!str_is(c->name, "code"))
		return false;
	struct diag *d = diag_report(l->ev->diags, TJ1307, c->name_at,
		"a container of a role with 'code' cannot be called 'code'");
	diag_help(l->ev->diags, d, "that is the name of the step that unpacks the code; choose another one");
	return true;
}

/* Reports code that `trainc sync` could not replace. */
static void check_sync(struct lowering *l)
{
	const struct plan_role *p = l->plan;
	struct diag *d;

	if (!p->code->sync)
		return;
	if (!p->main.command.n && !p->main.command.per_replica) {
		d = diag_report(l->ev->diags, TJ1310, p->code->from,
			"'sync' needs the command of role '%.*s': the command of its image is not known",
			STR_ARG(p->name));
		diag_help(l->ev->diags, d, "write what the image starts: command = [\"python\", \"train.py\"]");
	}
	if (p->code->unpack.set) {
		d = diag_report(l->ev->diags, TJ1310, p->code->from,
			"'sync' and 'unpack' exclude each other: 'sync' unpacks in the container of the role");
		diag_help(l->ev->diags, d, "remove 'unpack' if the image has a shell and tar, else remove 'sync'");
	}
}

void lower_code_mounts(struct lowering *l)
{
	struct plan_role *p = l->plan;
	struct plan_code *code = p->code;

	if (!code)
		return;
	check_sync(l);
	bool taken = is_called_code(l, &p->main);
	for (size_t i = 0; i < p->nsidecars; i++)
		taken = is_called_code(l, &p->sidecars[i]) || taken ||
			!is_code_free(l, &p->sidecars[i], STR("/.trainc"), code->at_from);
	for (size_t i = 1; i < p->ninits; i++)
		taken = is_called_code(l, &p->inits[i]) || taken || !is_code_free(l, &p->inits[i], code->at,
			code->at_from);
	if (taken)
		return;
	struct plan_volume *volume = ARENA_NEW(l->ev->arena, struct plan_volume);
	*volume = (struct plan_volume){ .kind = VOLUME_SCRATCH, .name = STR("code"), .from = code->from };
	struct plan_mount m = { .path = code->at, .path_at = code->at_from, .volume = volume };
	ARENA_PUSH(l->ev->arena, p->main.mounts, p->main.nmounts, m);
	for (size_t i = 0; i < p->ninits; i++)
		ARENA_PUSH(l->ev->arena, p->inits[i].mounts, p->inits[i].nmounts, m);
	if (!p->main.workdir.set)
		p->main.workdir = (struct plan_str){ code->at, code->from, true };
}
