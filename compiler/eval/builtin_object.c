/*
 * builtin_object.c - functions for volumes, references to secrets and conditions, and functions of tests.
 */
#include "eval/builtin.h"
#include "eval/role.h"

#include "diag/suggest.h"
#include "eval/plan_value.h"
#include "kube/limits.h"

/* ---- volumes ---- */

static struct plan_volume *make_volume(struct arguments *a, enum volume_kind kind, const struct value **ret)
{
	struct plan_volume *volume = ARENA_NEW(a->ev->arena, struct plan_volume);
	struct value *v = value_new(a->ev->arena, VALUE_VOLUME, a->call->span);

	volume->kind = kind;
	volume->name = argument_text(a, 0, "");
	volume->from = a->call->span;
	v->u.volume = volume;
	*ret = v;
	return volume;
}

/* Checks an argument whose type is string, but which must be one of a few words. Reports TJ0312, as for an enum. */
static bool check_choice(struct arguments *a, size_t i, struct str found, const char *what, const char *const *words)
{
	struct suggest s;

	suggest_init(&s, a->ev->arena, found);
	for (size_t k = 0; words[k]; k++) {
		if (str_is(found, words[k]))
			return true;
		suggest_add(&s, str_of(words[k]));
	}
	struct diag *d = eval_report(a->ev, TJ0312, argument_at(a, i), "%s cannot be \"%.*s\"", what, STR_ARG(found));
	struct str help = suggest_or_list(&s, "the choices are");
	diag_help(a->ev->diags, d, "%.*s", STR_ARG(help));
	return false;
}

/* Does the path have `..` as a component? Kubernetes refuses that in a path of a claim (subPath) and of a node. */
static bool climbs(struct str path)
{
	for (size_t at = 0; at < path.n;) {
		const char *slash = memchr(path.p + at, '/', path.n - at);
		size_t n = slash ? (size_t)(slash - path.p) - at : path.n - at;
		if (n == 2 && !memcmp(path.p + at, "..", 2))
			return true;
		at += n + 1;
	}
	return false;
}

static void report_replica_path(struct arguments *a, const char *what)
{
	struct diag *d = eval_report(a->ev, TJ0716, argument_at(a, 1), "the directory of a claim cannot %s", what);

	diag_help(a->ev->diags, d,
		"the only fact about the pod that it may contain is 'pod.index': path = \"runs/${pod.index}\"");
}

/*
 * Makes a sub path that contains the index of the replica. Other facts about the pod are reported, because they become
 * known too late for a sub path.
 */
static bool replica_path(struct arguments *a, const struct text *t, struct plan_volume *p)
{
	struct buf shown = { 0 };
	const char *wrong = NULL;

	for (size_t i = 0; i < t->n && !wrong; i++) {
		if (t->at[i].kind == PIECE_INDEX)
			buf_z(&shown, "${pod.index}");
		else if (t->at[i].kind != PIECE_TEXT)
			wrong = "contain this";
		else if (memchr(t->at[i].u.text.p, '$', t->at[i].u.text.n))
			wrong = "contain '$' beside 'pod.index'";
		else
			buf_str(&shown, t->at[i].u.text);
	}
	p->path = buf_take(&shown, a->ev->arena);
	p->path_text = *t;
	buf_release(&shown);
	if (wrong)
		report_replica_path(a, wrong);
	return !wrong;
}

BUILTIN(pvc)
{
	const struct value *v, *path = a->n > 1 ? a->at[1] : NULL;
	struct text t;

	if (a->at[0]->kind == VALUE_TEXT && !value_ok(a->at[0] = value_static(a->ev, a->at[0], a->call)))
		return a->at[0];
	struct plan_volume *p = make_volume(a, VOLUME_PVC, &v);

	p->path = argument_text(a, 1, "");
	if (path && path->kind == VALUE_TEXT) {
		struct str flat;
		if (!value_text(a->ev->arena, path, &t))
			return &value_bad;
		if (text_flatten(a->ev, &t, &flat))
			p->path = flat;
		else if (!replica_path(a, &t, p))
			return &value_bad;
	}
	if (climbs(p->path) || str_starts(p->path, STR("/"))) {
		struct diag *d = eval_report(a->ev, TJ0311, argument_at(a, 1), "'%.*s' is not inside the claim",
			STR_ARG(p->path));
		diag_help(a->ev->diags, d, "'path' is a directory in the claim, such as \"runs/a\"; where it is "
			"mounted is the key: mounts { \"/data\" = pvc(\"datasets\") }");
		return &value_bad;
	}
	p->readonly = argument_bool(a, 2, false);
	p->shared = argument_bool(a, 3, false);
	return v;
}

/* Is the text valid as the name of a volume of the pod? */
static bool is_volume_name(struct str name)
{
	static const char inner[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

	for (size_t i = 0; i < name.n; i++)
		if (!strchr(inner, name.p[i]) || !name.p[i])
			return false;
	return name.n && name.n <= 63 && name.p[0] != '-' && name.p[name.n - 1] != '-';
}

static bool volume_name(struct arguments *a, struct str name, const char *what)
{
	if (is_volume_name(name))
		return true;
	struct diag *d = eval_report(a->ev, TJ0802, argument_at(a, 0), "%s cannot be named '%.*s'", what,
		STR_ARG(name));
	diag_help(a->ev->diags, d, "its name is lower case letters, digits and '-', with a letter or digit at both "
		"ends; at most 63 characters");
	return false;
}

BUILTIN(scratch)
{
	static const char *const mediums[] = { "disk", "memory", NULL };
	const struct value *v, *size = ARGUMENT(a, 1);
	struct plan_volume *p = make_volume(a, VOLUME_SCRATCH, &v);
	struct str medium = argument_text(a, 2, "disk");
	bool limited = size && size->kind != VALUE_NONE;

	if ((limited && size->kind != VALUE_QUANTITY) || !check_choice(a, 2, medium, "the medium of a scratch volume",
	    mediums))
		return &value_bad;
	if (!volume_name(a, p->name, "a scratch volume"))
		return &value_bad;
	if (limited && size->u.quantity.nano <= 0) {
		struct diag *d = eval_report(a->ev, TJ0610, argument_at(a, 1),
			"a scratch volume of size 0 has no limit");
		diag_help(a->ev->diags, d, "write how much it may hold, such as 10Gi; for no limit leave the size out");
		return &value_bad;
	}
	p->size = limited ? size->u.quantity : (struct quantity){ 0 };
	p->memory = str_is(medium, "memory");
	return v;
}

BUILTIN(own_claim)
{
	const struct value *v, *size = ARGUMENT(a, 1);
	struct plan_volume *p = make_volume(a, VOLUME_CLAIM, &v);

	if (!size || size->kind != VALUE_QUANTITY || !volume_name(a, p->name, "a claim of each replica"))
		return &value_bad;
	p->size = size->u.quantity;
	p->class = argument_text(a, 2, "");
	p->keep = argument_bool(a, 3, false);
	if (p->size.nano > 0)
		return v;
	struct diag *d = eval_report(a->ev, TJ0610, argument_at(a, 1), "a claim of size 0 has no room");
	diag_help(a->ev->diags, d, "write how much it is to hold, such as 10Gi");
	return &value_bad;
}

BUILTIN(secret_files)
{
	const struct value *v;

	make_volume(a, VOLUME_SECRET, &v)->readonly = true;
	return v;
}

BUILTIN(config_files)
{
	const struct value *v;

	make_volume(a, VOLUME_CONFIG, &v)->readonly = true;
	return v;
}

static bool is_absolute_path(struct arguments *a, size_t i, struct str path)
{
	if (path.n && path.p[0] == '/')
		return true;
	struct diag *d = eval_report(a->ev, TJ0613, argument_at(a, i), "path '%.*s' does not start with /",
		STR_ARG(path));
	diag_help(a->ev->diags, d, "write an absolute path: \"/%.*s\"", STR_ARG(path));
	return false;
}

BUILTIN(host_path)
{
	const struct value *v;
	struct plan_volume *p = make_volume(a, VOLUME_HOST_PATH, &v);

	p->path = p->name;
	p->readonly = argument_bool(a, 1, true);
	p->unasked = !ARGUMENT(a, 1);
	if (!is_absolute_path(a, 0, p->path))
		return &value_bad;
	if (!climbs(p->path))
		return v;
	struct diag *d = eval_report(a->ev, TJ0613, argument_at(a, 0), "path '%.*s' contains '..'", STR_ARG(p->path));
	diag_help(a->ev->diags, d, "write the intended path");
	return &value_bad;
}

BUILTIN(nfs)
{
	const struct value *v;
	struct plan_volume *p = make_volume(a, VOLUME_NFS, &v);

	p->path = argument_text(a, 1, "");
	p->readonly = argument_bool(a, 2, false);
	if (!p->name.n) {
		struct diag *d = eval_report(a->ev, TJ0311, argument_at(a, 0), "the server of an NFS volume is empty");
		diag_help(a->ev->diags, d,
			"write its host name or address: nfs(\"nfs.example.com\", \"/exports/data\")");
		return &value_bad;
	}
	return is_absolute_path(a, 1, p->path) ? v : &value_bad;
}

/* Is it the name of a CSI driver: a DNS name of at most 63 characters? */
static bool driver_name(struct arguments *a, struct str name)
{
	if (kube_object_name(name) && name.n <= 63)
		return true;
	struct diag *d = eval_report(a->ev, TJ0802, argument_at(a, 1), "a CSI driver cannot be named '%.*s'",
		STR_ARG(name));
	diag_help(a->ev->diags, d, "write the driver as 'kubectl get csidrivers' shows it: csi(\"data\", "
		"\"gcsfuse.csi.storage.gke.io\", { bucketName = \"NAME\" })");
	return false;
}

BUILTIN(csi)
{
	const struct value *v, *attributes = ARGUMENT(a, 2);
	struct plan_volume *p = make_volume(a, VOLUME_CSI, &v);

	p->path = argument_text(a, 1, "");
	if (attributes && attributes->kind == VALUE_MAP)
		p->attributes = value_pairs(a->ev, attributes);
	p->readonly = argument_bool(a, 3, false);
	p->secret = argument_text(a, 4, "");
	return volume_name(a, p->name, "a volume of a CSI driver") && driver_name(a, p->path) ? v : &value_bad;
}

BUILTIN(generated)
{
	static const char *const kinds[] = { "ssh-keypair", NULL };
	const struct value *v;
	struct plan_volume *p = make_volume(a, VOLUME_GENERATED, &v);

	p->readonly = true;
	return check_choice(a, 0, p->name, "what is generated", kinds) ? v : &value_bad;
}

/* ---- references ---- */

static const struct value *make_reference(struct arguments *a, enum value_kind kind)
{
	struct value *v = value_new(a->ev->arena, kind, a->call->span);

	v->u.reference.object = argument_text(a, 0, "");
	v->u.reference.key = argument_text(a, 1, "");
	return v;
}

BUILTIN(secret) { return make_reference(a, VALUE_SECRET); }
BUILTIN(config) { return make_reference(a, VALUE_CONFIG); }

/* Makes the record { config = none, secret = "aws", prefix = "AWS_", optional = true }, in which KEY has the name. */
static const struct value *make_source(struct arguments *a, const char *key)
{
	struct value *v = value_new(a->ev->arena, VALUE_MAP, a->call->span);
	static const char *const keys[] = { "config", "secret" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		value_put(a->ev->arena, v, str_of(keys[i]), a->call->span,
			strcmp(keys[i], key) == 0 ? a->at[0] : &value_none);
	value_put(a->ev->arena, v, STR("prefix"), a->call->span, ARGUMENT(a, 1) ? ARGUMENT(a, 1) : &value_none);
	value_put(a->ev->arena, v, STR("optional"), a->call->span, ARGUMENT(a, 2) ? ARGUMENT(a, 2) : &value_none);
	return map_finish(a->ev, v);
}

BUILTIN(secret_env) { return make_source(a, "secret"); }
BUILTIN(config_env) { return make_source(a, "config"); }

/* ---- conditions ---- */

static const struct value *make_condition(struct arguments *a, enum condition_kind kind, int64_t index)
{
	if (a->at[0]->kind != VALUE_ROLE)
		return &value_bad;
	struct plan_condition *c = ARENA_NEW(a->ev->arena, struct plan_condition);
	struct value *v = value_new(a->ev->arena, VALUE_CONDITION, a->call->span);

	*c = (struct plan_condition){ .kind = kind, .role = a->at[0]->u.role->number, .index = index,
		.from = a->call->span };
	v->u.condition = c;
	return v;
}

static int64_t all_or_any(const struct arguments *a, size_t flag)
{
	return argument_bool(a, flag, false) ? CONDITION_ANY : CONDITION_ALL;
}

/* Reports 'any' or 'least', which NAME names, of an argument of which there is one only (TJ0318). */
static const struct value *report_of_one(struct arguments *a, size_t i, const char *name, const char *what)
{
	struct diag *d = eval_report(a->ev, TJ0318, argument_at(a, i), "'%s' has no meaning for %s", name, what);

	diag_help(a->ev->diags, d, "remove it");
	return &value_bad;
}

/* Does the call have both 'any = true' and 'least', or one of them for a single copy? Reports it then. */
static bool counts_wrong(struct arguments *a, size_t flag)
{
	bool any = argument_bool(a, flag, false), least = ARGUMENT(a, flag + 1) != NULL;

	if (a->at[0]->kind == VALUE_COPY && (any || least)) {
		report_of_one(a, any ? flag : flag + 1, any ? "any" : "least", "one copy");
		return true;
	}
	if (!any || !least || a->at[0]->kind != VALUE_LIST)
		return false;
	struct diag *d = eval_report(a->ev, TJ0318, argument_at(a, flag),
		"'any = true' is one copy, and 'least' says how many");
	diag_note(a->ev->diags, d, argument_at(a, flag + 1), "the number of copies");
	diag_help(a->ev->diags, d, "keep one of the two");
	return true;
}

/* The condition about a cell, a copy or a role; FLAG is the number of the argument `any`, before `least`. */
static const struct value *whole_condition(struct arguments *a, enum condition_kind kind, size_t flag)
{
	const struct value *least = ARGUMENT(a, flag + 1);

	if (least && !value_ok(least))
		return least;
	if (counts_wrong(a, flag))
		return &value_bad;
	if (a->at[0]->kind == VALUE_COPY || a->at[0]->kind == VALUE_LIST)
		return cell_condition(a, kind, argument_bool(a, flag, false), least);
	if (least && a->at[0]->kind == VALUE_ROLE) {
		struct diag *d = eval_report(a->ev, TJ0318, argument_at(a, flag + 1),
			"'least' counts the copies of a cell, and '%.*s' is a role", STR_ARG(a->at[0]->u.role->name));
		diag_help(a->ev->diags, d, "remove it, or write 'any = true'");
		return &value_bad;
	}
	return make_condition(a, kind, all_or_any(a, flag));
}

/* Reports done(CELL, 2): a copy is named by its number in brackets. */
static const struct value *report_copy_index(struct arguments *a, int64_t index)
{
	struct str words = source_text(a->ev->program->sources, argument_at(a, 0));
	struct diag *d = eval_report(a->ev, TJ0318, argument_at(a, 1), "the index of a replica belongs to a role");

	diag_help(a->ev->diags, d, "write 'done(%.*s[%lld])' for a copy, or 'done(%.*s[0].ROLE, %lld)' for a replica",
		STR_ARG(words), (long long)index, STR_ARG(words), (long long)index);
	return &value_bad;
}

BUILTIN(done)
{
	int64_t index = argument_int(a, 1, -1), min, max;

	if (!ARGUMENT(a, 1))
		return whole_condition(a, CONDITION_DONE, 2);
	if (a->at[0]->kind == VALUE_LIST || a->at[0]->kind == VALUE_COPY)
		return report_copy_index(a, index);
	if (a->at[0]->kind != VALUE_ROLE || !role_replicas(a->ev, a->at[0]->u.role, &min, &max))
		return &value_bad;
	if (argument_bool(a, 2, false))
		return report_of_one(a, 2, "any", "one replica");
	/* a role without replicas is reported as TJ0517 */
	if (index >= 0 && (index < max || max == 0))
		return make_condition(a, CONDITION_DONE, index);
	struct role *r = a->at[0]->u.role;
	struct diag *d = eval_report(a->ev, TJ0515, argument_at(a, 1),
		"'done(%.*s, %lld)', but there %s %lld %.*s replica%s", STR_ARG(r->name),
		(long long)index, max == 1 ? "is" : "are", (long long)max, STR_ARG(r->name), max == 1 ? "" : "s");
	diag_note(a->ev->diags, d, role_field_at(a->ev, r, FIELD_REPLICAS), "replicas = %lld", (long long)max);
	diag_help(a->ev->diags, d, "replicas are counted from 0: the last is done(%.*s, %lld)", STR_ARG(r->name),
		(long long)max - 1);
	return &value_bad;
}

BUILTIN(ready) { return whole_condition(a, CONDITION_READY, 1); }
BUILTIN(started) { return whole_condition(a, CONDITION_STARTED, 1); }

/* ---- readiness ---- */

/*
 * Makes the record { tcp = "http", within = 10min }: KEY is the kind of probe, which takes the first argument of the
 * call; SECOND is the entry for the second argument, and WITHIN the number of the argument `within`.
 */
static const struct value *probe(struct arguments *a, const char *key, const char *second, size_t within)
{
	struct value *v = value_new(a->ev->arena, VALUE_MAP, a->call->span);
	static const char *const others[] = { "tcp", "http", "path", "exec", "within" };

	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		bool first = strcmp(others[i], key) == 0, path = second && strcmp(others[i], second) == 0;
		const struct value *x = first ? a->at[0] : path ? ARGUMENT(a, 1) : strcmp(others[i], "within") == 0
			? ARGUMENT(a, within) : NULL;
		value_put(a->ev->arena, v, str_of(others[i]), a->call->span, x ? x : &value_none);
	}
	return map_finish(a->ev, v);
}

BUILTIN(tcp) { return probe(a, "tcp", NULL, 1); }
BUILTIN(http) { return probe(a, "http", "path", 2); }
BUILTIN(exec) { return probe(a, "exec", NULL, 1); }

/* ---- in tests ---- */

BUILTIN(env)
{
	const struct test_facts *t = a->ev->test;

	return t && t->env ? t->env(t->context, a->ev, argument_text(a, 0, ""), argument_int(a, 1, 0), a->call->span)
		: &value_bad;
}

BUILTIN(object)
{
	const struct test_facts *t = a->ev->test;

	return t && t->object ? t->object(t->context, a->ev, argument_text(a, 0, ""), argument_text(a, 1, ""),
		a->call->span) : &value_bad;
}

BUILTIN(fails)
{
	const struct test_facts *t = a->ev->test;

	return t && t->fails ? t->fails(t->context, a->ev, argument_text(a, 0, ""), a->call->span) : &value_bad;
}

/* ---- places ---- */

/* Makes the record { near = "rack", prefer = none, pack = none, each = none }, in which KEY is set, and EACH. */
static const struct value *place_value(struct eval *ev, const char *key, const struct value *set,
	const struct value *each, struct span at)
{
	struct value *v = value_new(ev->arena, VALUE_MAP, at);
	static const char *const keys[] = { "near", "prefer", "pack" };

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		value_put(ev->arena, v, str_of(keys[i]), at, strcmp(keys[i], key) == 0 ? set : &value_none);
	value_put(ev->arena, v, STR("each"), at, each);
	return map_finish(ev, v);
}

BUILTIN(near)
{
	return place_value(a->ev, "near", a->at[0], ARGUMENT(a, 1) ? ARGUMENT(a, 1) : &value_none, a->call->span);
}

BUILTIN(prefer) { return place_value(a->ev, "prefer", a->at[0], &value_none, a->call->span); }

const struct value *builtin_word(struct eval *ev, const struct decl *d, struct span at)
{
	return d->function == FUNCTION_PACK ?
		place_value(ev, "pack", value_bool(ev->arena, true, at), &value_none, at) : &value_bad;
}
