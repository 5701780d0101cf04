/*
 * lower_security.c - lowers `security`: as whom a container runs, and what it may do. What restricts a container holds
 * for every container of the pod, unless a sidecar or init container says otherwise; what grants it something,
 * capabilities and `privileged`, only for the container that asks for it.
 */
#include "lower/lower.h"

#include <ctype.h>

#include "diag/suggest.h"
#include "eval/plan_value.h"
#include "kube/capability.h"

static void report_capability(struct lowering *l, const struct plan_str *c)
{
	struct eval *ev = l->ev;
	char *upper = arena_alloc(ev->arena, c->value.n + 1);
	struct suggest near;
	struct diag *d = diag_report(ev->diags, TJ0632, c->from, "'%.*s' is not a capability", STR_ARG(c->value));

	for (size_t i = 0; i < c->value.n; i++)
		upper[i] = (char)toupper((unsigned char)c->value.p[i]);
	struct str plain = { upper, c->value.n };
	if (str_starts(plain, STR("CAP_")))
		plain = (struct str){ plain.p + 4, plain.n - 4 };
	suggest_init(&near, ev->arena, plain);
	for (size_t i = 0; kube_capability(i); i++)
		suggest_add(&near, str_of(kube_capability(i)));
	struct str name = kube_is_capability(plain) ? plain : suggest_only(&near);
	if (!name.n) {
		diag_help(ev->diags, d, "the names are those of Linux without CAP_, such as \"IPC_LOCK\" and "
			"\"SYS_PTRACE\"");
		return;
	}
	struct str text = str_cat(ev->arena, STR("\""), name, STR("\""));
	diag_help(ev->diags, d, "write %.*s: the names are those of Linux without CAP_", STR_ARG(text));
	diag_fix(ev->diags, d, c->from, text, "write %.*s", STR_ARG(text));
}

/* The written member NAME of V; NULL if V does not have it. */
static const struct value *security_member(const struct value *v, const char *name)
{
	const struct value *m = v->kind == VALUE_MAP ? value_get(v, str_of(name)) : NULL;

	return m && m->kind != VALUE_NONE ? m : NULL;
}

static void take_number(const struct value *v, const char *name, struct plan_int *ret)
{
	const struct value *m = security_member(v, name);

	if (m && m->kind == VALUE_INT)
		*ret = (struct plan_int){ m->u.integer, m->from, true };
}

static void take_flag(const struct value *v, const char *name, struct plan_bool *ret)
{
	const struct value *m = security_member(v, name);

	if (m && m->kind == VALUE_BOOL)
		*ret = (struct plan_bool){ m->u.boolean, m->from, true };
}

static void take_words(struct lowering *l, const struct value *v, const char *name, struct plan_str **ret,
	size_t *ret_n)
{
	const struct value *m = security_member(v, name);

	if (!m)
		return;
	*ret = value_strs(l->ev, m, ret_n);
	for (size_t i = 0; i < *ret_n; i++)
		if (!kube_is_capability((*ret)[i].value))
			report_capability(l, &(*ret)[i]);
}

/* Takes what V says and every container of the pod inherits. */
static void take_restrictions(struct lowering *l, const struct value *v, struct plan_security *s)
{
	const struct value *level = security_member(v, "level"), *seccomp = security_member(v, "seccomp");

	if (level) {
		s->restricted = true;
		s->from = span_known(level->from) ? level->from : s->from;
	}
	take_number(v, "run_as", &s->run_as);
	take_number(v, "run_as_group", &s->run_as_group);
	take_flag(v, "non_root", &s->non_root);
	take_flag(v, "read_only_root", &s->read_only_root);
	take_flag(v, "escalation", &s->escalation);
	take_words(l, v, "drop", &s->drop, &s->ndrop);
	if (seccomp)
		s->seccomp = value_text_at(l->ev, seccomp, seccomp->from);
}

static struct diag *refuse_security(struct lowering *l, struct span at, const char *what)
{
	return diag_report(l->ev->diags, TJ0632, at, "%s", what);
}

static const struct plan_str *find_word(const struct plan_str *at, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(at[i].value, word))
			return &at[i];
	return NULL;
}

/* Reports what excludes each other in any pod. */
static void test_security(struct lowering *l, const struct plan_security *s)
{
	struct diags *ds = l->ev->diags;
	bool fixed = s->escalation.set && !s->escalation.value;
	struct diag *d;

	if (s->non_root.value && s->run_as.set && !s->run_as.value) {
		d = refuse_security(l, s->run_as.from, "run_as = 0 is root, and the container must not run as root");
		diag_note(ds, d, s->non_root.from, "decided here");
		diag_help(ds, d, "write the number of another user, such as run_as = 1000");
	}
	if (fixed && s->privileged.value) {
		d = refuse_security(l, s->privileged.from, "a privileged container cannot have escalation = false");
		diag_note(ds, d, s->escalation.from, "decided here");
		diag_help(ds, d, s->restricted ? "pods of the level \"restricted\" cannot be privileged; a role "
			"that has to be cannot have the level: write security = { privileged = true } there" :
			"remove one of the two");
	}
}

/* Adds what the level "restricted" asks for and the program does not say. */
static void complete_restricted(struct lowering *l, struct plan_security *s)
{
	struct span from = s->from;

	if (!s->non_root.set)
		s->non_root = (struct plan_bool){ true, from, true };
	if (!s->escalation.set)
		s->escalation = (struct plan_bool){ false, from, true };
	if (!s->seccomp.set)
		s->seccomp = (struct plan_str){ STR("runtime-default"), from, true };
	if (find_word(s->drop, s->ndrop, "ALL"))
		return;
	s->drop = ARENA_NEW(l->ev->arena, struct plan_str);
	*s->drop = (struct plan_str){ STR("ALL"), from, true };
	s->ndrop = 1;
}

void lower_security(struct lowering *l, struct entries *body, struct plan_container *c)
{
	const struct value *of_role = role_field(l->ev, l->role, FIELD_SECURITY), *own = of_role;
	struct plan_security *s;
	struct entry *first = NULL;

	if (body)
		own = gather_own(l->ev, body, FIELD_SECURITY, &first);
	if (first && !(first->item && first->item->kind == NODE_EXTEND))
		of_role = &value_none;          /* `security = …` replaces what the container would inherit */
	if (own->kind != VALUE_MAP && of_role->kind != VALUE_MAP)
		return;
	s = ARENA_NEW(l->ev->arena, struct plan_security);
	*s = (struct plan_security){ .from = first ? entry_at(first) : role_field_at(l->ev, l->role, FIELD_SECURITY) };
	take_restrictions(l, of_role, s);
	if (body)
		take_restrictions(l, own, s);
	if (body || c == &l->plan->main) {
		take_flag(own, "privileged", &s->privileged);
		take_words(l, own, "capabilities", &s->capabilities, &s->ncapabilities);
		take_number(own, "fs_group", &s->fs_group);
	}
	if (body && s->restricted && !security_member(role_field(l->ev, l->role, FIELD_SECURITY), "level")) {
		struct diag *d = refuse_security(l, s->from,
			"the level \"restricted\" holds for whole pods, not for one container");
		diag_help(l->ev->diags, d, "write security = \"restricted\" in the role");
	}
	if (body && s->fs_group.set) {
		struct diag *d = refuse_security(l, s->fs_group.from,
			"'fs_group' is the group of the pod's volumes, which all containers share");
		diag_help(l->ev->diags, d, "write it in the role: security { fs_group = %lld }",
			(long long)s->fs_group.value);
	}
	if (s->restricted)
		complete_restricted(l, s);
	test_security(l, s);
	c->security = s;
}
