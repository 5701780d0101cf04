/*
 * policy_security.c - what policies and tests read about the security of a container: what `security` says, else what
 * a raw block of the container says, else one of the pod. Every member is there, so a policy need not ask first.
 */
#include "eval/internal.h"

struct said_security {
	struct eval *ev;
	struct value *to;
	const struct data *own, *pod;   /* security contexts in raw blocks, or NULL */
	struct span at;
};

static const struct data *context_in(const struct data *raw)
{
	const struct data *d = raw && raw->kind == DATA_MAP ? data_get(raw, STR("securityContext")) : NULL;

	return d && d->kind == DATA_MAP ? d : NULL;
}

/* The raw member KEY of that kind; NULL if neither block has it. */
static const struct data *raw_setting(const struct said_security *s, const char *key, enum data_kind kind)
{
	const struct data *own = s->own ? data_get(s->own, str_of(key)) : NULL,
		*pod = s->pod ? data_get(s->pod, str_of(key)) : NULL, *d = own ? own : pod;

	return d && d->kind == kind ? d : NULL;
}

static void put_setting(const struct said_security *s, const char *name, const struct value *v)
{
	value_put(s->ev->arena, s->to, str_of(name), span_known(v->from) ? v->from : s->at, v);
}

static void put_user_number(const struct said_security *s, const char *name, const struct plan_int *n, const char *key)
{
	const struct data *raw = raw_setting(s, key, DATA_INT);

	put_setting(s, name, n->set ? value_int(s->ev->arena, n->value, n->from) :
		raw ? value_int(s->ev->arena, raw->u.integer, raw->from) : &value_none);
}

static void put_flag(const struct said_security *s, const char *name, const struct plan_bool *b, const char *key,
	bool other)
{
	const struct data *raw = raw_setting(s, key, DATA_BOOL);

	put_setting(s, name, b->set ? value_bool(s->ev->arena, b->value, b->from) :
		raw ? value_bool(s->ev->arena, raw->u.boolean, raw->from) : value_bool(s->ev->arena, other, s->at));
}

/* The capabilities that the container adds or drops: those of the field, and those of the raw block. */
static void put_capabilities(const struct said_security *s, const char *name, const struct plan_str *at, size_t n,
	const char *key)
{
	const struct data *both = s->own ? data_get(s->own, STR("capabilities")) : NULL;
	const struct data *raw = both && both->kind == DATA_MAP ? data_get(both, str_of(key)) : NULL;
	size_t all = n + (raw && raw->kind == DATA_LIST ? raw->u.list.n : 0), kept = 0;
	const struct value **list = ARENA_ARRAY(s->ev->arena, const struct value *, all);

	for (size_t i = 0; i < n; i++)
		list[kept++] = value_string(s->ev->arena, at[i].value, at[i].from);
	for (size_t i = n; i < all; i++)
		if (raw->u.list.at[i - n]->kind == DATA_STRING)
			list[kept++] = value_string(s->ev->arena, raw->u.list.at[i - n]->u.string,
				raw->u.list.at[i - n]->from);
	put_setting(s, name, value_list(s->ev->arena, list, kept, s->at));
}

/*
 * The profile of seccomp, in the words of the field: "runtime-default", "unconfined"; "localhost" only in raw blocks;
 * empty if the program says none.
 */
static const struct value *seccomp_value(const struct said_security *s, const struct plan_str *written)
{
	static const char *const words[][2] = { { "RuntimeDefault", "runtime-default" },
		{ "Unconfined", "unconfined" }, { "Localhost", "localhost" } };
	const struct data *raw = raw_setting(s, "seccompProfile", DATA_MAP),
		*type = raw ? data_get(raw, STR("type")) : NULL;

	if (written->set)
		return value_string(s->ev->arena, written->value, written->from);
	for (size_t i = 0; type && type->kind == DATA_STRING && i < 3; i++)
		if (str_is(type->u.string, words[i][0]))
			return value_string(s->ev->arena, str_of(words[i][1]), type->from);
	return value_string(s->ev->arena, STR(""), s->at);
}

struct value *planned_security(struct eval *ev, const struct plan_security *written,
	const struct data *raw_container, const struct data *raw_pod, struct span at)
{
	static const struct plan_security nothing;
	const struct plan_security *p = written ? written : &nothing;
	struct said_security s = { .ev = ev, .own = context_in(raw_container), .pod = context_in(raw_pod),
		.at = written ? written->from : at };

	s.to = value_new(ev->arena, VALUE_MAP, s.at);
	s.to->number = true;
	put_setting(&s, "restricted", value_bool(ev->arena, p->restricted, s.at));
	put_user_number(&s, "run_as", &p->run_as, "runAsUser");
	put_user_number(&s, "run_as_group", &p->run_as_group, "runAsGroup");
	put_user_number(&s, "fs_group", &p->fs_group, "fsGroup");
	put_flag(&s, "non_root", &p->non_root, "runAsNonRoot", false);
	put_flag(&s, "read_only_root", &p->read_only_root, "readOnlyRootFilesystem", false);
	put_flag(&s, "escalation", &p->escalation, "allowPrivilegeEscalation", true);
	put_flag(&s, "privileged", &p->privileged, "privileged", false);
	put_capabilities(&s, "capabilities", p->capabilities, p->ncapabilities, "add");
	put_capabilities(&s, "drop", p->drop, p->ndrop, "drop");
	put_setting(&s, "seccomp", seccomp_value(&s, &p->seccomp));
	return s.to;
}
