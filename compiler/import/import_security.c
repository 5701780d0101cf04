/*
 * import_security.c - reads security contexts as `security`. In a manifest, what the pod says holds for each container
 * that does not say it itself. In a program, what restricts the main container holds for the others, unless they say
 * it themselves. So this file compares what holds for each container in the end. What `security` does not have stays
 * in raw blocks.
 */
#include "import/import_role.h"

#include "kube/capability.h"

enum form { FORM_NUMBER, FORM_FLAG, FORM_NAMES, FORM_SECCOMP };

/* The settings, in the order of the program. Those of the first group hold for every container of the pod. */
static const struct context_setting {
	const char *key, *field;
	enum form form;
} settings[] = {
	{ "runAsUser", "run_as", FORM_NUMBER }, { "runAsGroup", "run_as_group", FORM_NUMBER },
	{ "runAsNonRoot", "non_root", FORM_FLAG }, { "readOnlyRootFilesystem", "read_only_root", FORM_FLAG },
	{ "allowPrivilegeEscalation", "escalation", FORM_FLAG }, { "drop", "drop", FORM_NAMES },
	{ "seccompProfile", "seccomp", FORM_SECCOMP },
	{ "add", "capabilities", FORM_NAMES }, { "privileged", "privileged", FORM_FLAG },
	{ "fsGroup", "fs_group", FORM_NUMBER },
};
enum { DROPPED = 5, INHERITED = 7, ADDED = 7, PRIVILEGED, FS_GROUP, SETTINGS };

/* ---- what a security context says ---- */

static bool are_capabilities(const struct data *list)
{
	for (size_t i = 0; list->kind == DATA_LIST && i < list->u.list.n; i++)
		if (list->u.list.at[i]->kind != DATA_STRING || !kube_is_capability(list->u.list.at[i]->u.string))
			return false;
	return list->kind == DATA_LIST && list->u.list.n;
}

/* The word of the language for a profile of seccomp; empty if `seccomp` does not have it. */
static struct str seccomp_word(const struct data *profile)
{
	struct str type = profile->kind == DATA_MAP && profile->u.map.n == 1 ? member_text(profile, "type") : STR("");

	return str_is(type, "RuntimeDefault") ? STR("runtime-default") : str_is(type, "Unconfined") ? STR("unconfined")
		: STR("");
}

/* The value of setting I in CONTEXT, which may be NULL; NULL if it is absent or `security` cannot say it. */
static const struct data *setting_in(const struct data *context, size_t i)
{
	const struct context_setting *s = &settings[i];
	const struct data *of = context && s->form == FORM_NAMES ? member(context, "capabilities") : context;
	const struct data *v = of && of->kind == DATA_MAP ? member(of, s->key) : NULL;

	if (!v)
		return NULL;
	switch (s->form) {
	case FORM_NUMBER: return v->kind == DATA_INT && v->u.integer >= 0 && v->u.integer <= INT32_MAX ? v : NULL;
	case FORM_FLAG: return v->kind == DATA_BOOL ? v : NULL;
	case FORM_NAMES: return are_capabilities(v) ? v : NULL;
	case FORM_SECCOMP: return seccomp_word(v).n ? v : NULL;
	}
	return NULL;
}

static const struct data *context_of(const struct data *part) { return member(part, "securityContext"); }

bool pod_security_is_said(const struct role_reading *r)
{
	static const char *const lists[] = { "containers", "initContainers" };

	for (size_t l = 0; l < 2; l++) {
		const struct data *list = member(r->spec, lists[l]);
		for (size_t i = 0; i < data_count(list); i++)
			if (list->u.list.at[i] != r->main && !is_block_name(member_text(list->u.list.at[i], "name")))
				return false;
	}
	return true;
}

/* What holds for CONTAINER in the end. */
static const struct data *effective(const struct role_reading *r, const struct data *container, size_t i)
{
	const struct data *own = setting_in(context_of(container), i);

	return own || i >= INHERITED || !r->pod_said ? own : setting_in(context_of(r->spec), i);
}

/* Does CONTAINER lack a setting that it would inherit from the main container? */
static bool lacks_inherited(const struct role_reading *r, const struct data *container)
{
	for (size_t i = 0; i < INHERITED; i++)
		if (effective(r, r->main, i) && !effective(r, container, i))
			return true;
	return false;
}

/* ---- writing ---- */

static struct expr *setting_expr(struct import *im, size_t i, const struct data *v)
{
	return settings[i].form == FORM_SECCOMP ? expr_string(im->arena, seccomp_word(v)) : raw_expr(im, v);
}

static void setting_write(struct import *im, struct lines *to, struct lines **block, size_t i, const struct data *v)
{
	if (!*block)
		*block = lines_block(im->arena, to, STR("security"), v->from);
	import_comments(im, lines_set(im->arena, *block, str_of(settings[i].field), setting_expr(im, i, v), v->from),
		v->from);
}

static bool same_setting(struct import *im, size_t i, const struct data *a, const struct data *b)
{
	return a == b || (a && b && expr_same(setting_expr(im, i, a), setting_expr(im, i, b)));
}

/* Keeps what `security` does not have of CONTEXT: all of it if ALL. */
static void keep_context(struct import *im, struct lines *raw, const struct data *context, bool all)
{
	struct lines *to = lines_block(im->arena, raw, STR("securityContext"), context->from);

	for (size_t i = 0; i < context->u.map.n; i++) {
		const struct data_member *m = &context->u.map.at[i];
		bool ours = false, names = str_is(m->key, "capabilities") && m->value->kind == DATA_MAP;
		for (size_t k = 0; k < SETTINGS && !all; k++)
			ours |= settings[k].form != FORM_NAMES && str_is(m->key, settings[k].key) &&
				setting_in(context, k);
		if (ours)
			continue;
		if (!names || all) {
			raw_member(im, to, m->key, m->value, m->key_at);
			continue;
		}
		for (size_t k = 0; k < m->value->u.map.n; k++)
			if (!setting_in(context, str_is(m->value->u.map.at[k].key, "add") ? ADDED : DROPPED))
				raw_member(im, lines_block(im->arena, to, m->key, m->key_at), m->value->u.map.at[k].key,
					m->value->u.map.at[k].value, m->value->u.map.at[k].key_at);
	}
}

/* Does CONTEXT have something that `security` does not say, or all of it if ALL? */
static bool has_rest(const struct data *context, bool all)
{
	size_t said = 0, n = data_count(context);
	const struct data *names = member(context, "capabilities");

	if (all)
		return n > 0;
	for (size_t k = 0; k < SETTINGS; k++)
		said += setting_in(context, k) != NULL;
	if (names && names->kind == DATA_MAP)
		n += data_count(names) - 1;
	return n > said;
}

void security_read(struct container_reading *c)
{
	struct role_reading *r = c->role;
	struct import *im = r->im;
	const struct data *context = context_of(c->container);
	bool main = c->kind == CONTAINER_MAIN, alone = !main && lacks_inherited(r, c->container);
	struct lines *block = NULL;

	if (context && has_rest(context, false))
		keep_context(im, container_raw(c, context->from), context, false);
	for (size_t i = 0; i < FS_GROUP; i++) {
		const struct data *v = effective(r, c->container, i);
		bool inherits = !main && !alone && i < INHERITED && same_setting(im, i, v, effective(r, r->main, i));
		if (v && !inherits)
			setting_write(im, c->to, &block, i, v);
	}
	const struct data *group = main && r->pod_said ? setting_in(context_of(r->spec), FS_GROUP) : NULL;
	if (group)
		setting_write(im, c->to, &block, FS_GROUP, group);
	if (alone && !block)
		lines_set(im->arena, c->to, STR("security"), expr_text(im->arena, STR("none")), c->container->from);
	else if (alone)
		lines_find(c->to, STR("security"))->form = LINE_SET;
}

void pod_security_read(struct role_reading *r)
{
	const struct data *context = context_of(r->spec);
	bool all = !r->pod_said;

	if (context && has_rest(context, all))
		keep_context(r->im, role_raw(r, context->from), context, all);
}
