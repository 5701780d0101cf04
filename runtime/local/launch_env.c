/*
 * launch_env.c - the environment of one replica: first a few of the caller's variables, then the variables that every
 * container in a cluster has, then the container's own variables from plan_env().
 */
#include <sys/resource.h>
#include <unistd.h>

#include "base/sha256.h"
#include "runtime/local/launch_internal.h"

/*
 * limits of execve(2) including each NUL: for one string, and the largest and smallest limit for all strings together
 */
enum { MOST_WORD = 131072, MOST_TOTAL = 6 << 20, LEAST_TOTAL = 128 << 10 };

const struct variable *variables_find(const struct variables *v, struct str name)
{
	for (size_t i = v->n; i-- > 0;)
		if (str_eq(v->at[i].name, name))
			return &v->at[i];
	return NULL;
}

static void put(struct variables *v, struct str name, struct str value)
{
	struct variable added = { name, value, v->source };

	for (size_t i = v->n; i-- > 0;)
		if (str_eq(v->at[i].name, name)) {
			v->at[i].value = value;
			v->at[i].source = v->source;
			return;
		}
	ARENA_PUSH(v->arena, v->at, v->n, added);
}

/* ---- variables of the caller ---- */

struct str launch_caller(const struct launch *l, struct str name)
{
	for (char *const *e = l->options->caller_env; e && *e; e++)
		if (strncmp(*e, name.p, name.n) == 0 && (*e)[name.n] == '=')
			return str_of(*e + name.n + 1);
	return (struct str){ 0 };
}

/*
 * Is NAME a setting of a device library? Variables that begin with the same prefix as the variable of the devices are
 * passed on.
 */
static bool is_of_devices(const struct launch *l, struct str name)
{
	for (size_t i = 0; i < l->job->nroles; i++) {
		const struct plan_accelerator *acc = l->job->roles[i].accelerator;
		struct str visible = acc && acc->visible.set ? acc->visible.value : STR("");
		const char *end = memchr(visible.p, '_', visible.n);
		if (end && str_starts(name, (struct str){ visible.p, (size_t)(end - visible.p) + 1 }))
			return true;
	}
	return false;
}

/* Is the caller's variable NAME passed on? */
static bool is_allowed(const struct launch *l, struct str name)
{
	static const char *const names[] = { "PATH", "HOME", "LANG", "TMPDIR" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_is(name, names[i]))
			return !l->options->image_root.n;
	return l->options->inherit_env || str_starts(name, STR("LC_")) || is_of_devices(l, name);
}

static void put_caller(const struct launch *l, struct variables *v)
{
	v->source = VARIABLE_OF_POD;
	put(v, STR("PATH"), launch_standard_path);
	if (l->options->image_root.n)
		put(v, STR("HOME"), STR("/root"));
	v->source = VARIABLE_OF_CALLER;
	for (char *const *e = l->options->caller_env; e && *e; e++) {
		const char *equals = strchr(*e, '=');
		struct str name = { *e, equals ? (size_t)(equals - *e) : 0 };
		if (name.n && is_allowed(l, name))
			put(v, name, str_of(equals + 1));
	}
}

/* ---- variables that every container in a cluster has ---- */

static void put_pod(const struct launch *l, struct variables *v, unsigned role, int64_t i)
{
	const struct plan_role *r = &l->job->roles[role];

	v->source = VARIABLE_OF_POD;
	put(v, STR("HOSTNAME"), str_printf(v->arena, "%.*s-%lld", STR_ARG(r->object), (long long)i));
	if (!r->unrolled && plan_workload(l->job, r)->variable)
		put(v, str_of(plan_workload(l->job, r)->variable),
			str_printf(v->arena, "%lld", (long long)plan_index_in_slice(r, i)));
}

static void put_devices(const struct launch *l, struct variables *v, unsigned role, int64_t i)
{
	struct device_variable *list;
	size_t n = devices_variables(l->devices, v->arena, role, i, &list);

	for (size_t k = 0; k < n; k++)
		put(v, list[k].name, list[k].value);
}

/* ---- texts ---- */

struct variable_facts {
	const struct launch *launch;
	unsigned role;
	int64_t index, attempt;
	const struct variables *earlier;
};

static void pod_uid(const struct variable_facts *f, struct buf *out)
{
	struct buf b = { 0 };
	char hex[65];

	buf_printf(&b, "%llu %.*s %u %lld %lld", (unsigned long long)f->launch->salt, STR_ARG(f->launch->job->name),
		f->role,
		(long long)f->index, (long long)f->attempt);
	sha256_hex(buf_text(&b), hex);
	buf_printf(out, "%.8s-%.4s-4%.3s-8%.3s-%.12s", hex, hex + 8, hex + 12, hex + 15, hex + 18);
	buf_release(&b);
}

static bool pod_field(void *context, enum pod_field field, struct buf *out)
{
	const struct variable_facts *f = context;
	const struct launch *l = f->launch;

	switch (field) {
	case POD_NAME: buf_printf(out, "%.*s-%lld", STR_ARG(l->job->roles[f->role].object), (long long)f->index); break;
	case POD_UID: pod_uid(f, out); break;
	case POD_IP: buf_str(out, isolation_address(l->iso, places_number(l->places, f->role, f->index))); break;
	case POD_NODE: buf_str(out, l->node); break;
	case POD_SLICE: buf_int(out, plan_slice_of(&l->job->roles[f->role], f->index)); break;
	case POD_COPY: buf_int(out, l->job->roles[f->role].copy); break;
	}
	return true;
}

static bool earlier_variable(void *context, struct str name, struct buf *out)
{
	const struct variable_facts *f = context;
	const struct variable *v = f->earlier ? variables_find(f->earlier, name) : NULL;

	if (v)
		buf_str(out, v->value);
	else
		buf_printf(out, "$(%.*s)", STR_ARG(name));      /* a reference to an unknown variable stays as it is, as
								 * with the kubelet */
	return true;
}

bool launch_text(const struct launch *l, unsigned role, int64_t i, int64_t attempt, const struct variables *v,
	const struct text *t, struct buf *out)
{
	struct variable_facts f = { l, role, i, attempt, v };
	struct pod_facts facts = { &f, pod_field, earlier_variable };

	return plan_text(l->job, &l->job->roles[role], i, t, places_placement(l->places), &facts, out);
}

/* ---- the container's own variables ---- */

static void missing_secret(struct arena *a, const struct plan_env *e, struct str *why)
{
	*why = str_printf(a, "%.*s comes from %s '%.*s' key '%.*s': set %.*s in your environment", STR_ARG(e->name),
		e->kind == ENV_SECRET ? "secret" : "config map", STR_ARG(e->object), STR_ARG(e->key), STR_ARG(e->name));
}

void launch_check_secrets(struct launch *l, const struct plan_role *r, const struct plan_container *c, struct buf *why)
{
	for (size_t i = 0; i < c->nenv; i++) {
		struct str sentence;
		if (c->env[i].kind == ENV_TEXT || launch_caller(l, c->env[i].name).p)
			continue;
		missing_secret(l->arena, &c->env[i], &sentence);
		launch_complain(why, "%.*s: %.*s", STR_ARG(launch_who(l->arena, r, c)), STR_ARG(sentence));
	}
}

/* Adds the variables of the command line. They come last, so they override the others. */
static void put_given(const struct launch *l, struct variables *v)
{
	v->source = VARIABLE_OF_OPTION;
	for (size_t i = 0; i < l->options->nenv; i++) {
		struct str text = l->options->env[i];
		const char *equals = memchr(text.p, '=', text.n);
		struct str name = { text.p, (size_t)(equals - text.p) };
		put(v, name, (struct str){ equals + 1, text.n - name.n - 1 });
	}
}

bool launch_variables(const struct launch *l, struct variables *ret, unsigned role, int64_t i,
	const struct plan_container *c,
	int64_t attempt, struct str *why)
{
	const struct plan_role *r = &l->job->roles[role];
	struct env_values own = plan_env(ret->arena, l->job, r, c, i, places_placement(l->places));
	struct buf b = { 0 };
	bool ok = true;

	put_caller(l, ret);
	put_pod(l, ret, role, i);
	put_devices(l, ret, role, i);
	for (size_t k = 0; k < own.n && ok; k++) {
		const struct env_value *e = &own.at[k];
		struct str value = e->value;
		if (e->kind != ENV_TEXT) {
			value = launch_caller(l, e->name);
			ok = value.p != NULL;
			if (!ok)
				missing_secret(ret->arena, e->from, why);
		} else if (!e->whole) {
			launch_text(l, role, i, attempt, ret, &e->pieces, &b);
			value = buf_take(&b, ret->arena);
		}
		if (str_is(e->name, LAST_WORDS_FILE)) {
			struct str words = launch_last_words(l, ret->arena, role, i);
			value = words.n ? words : value;
		}
		ret->source = e->kind == ENV_TEXT ? VARIABLE_OF_PROGRAM : VARIABLE_OF_SECRET;
		put(ret, e->name, value);
	}
	put_given(l, ret);
	buf_release(&b);
	return ok;
}

/* ---- limits of exec ---- */

static size_t most_total(void)
{
	struct rlimit stack;
	size_t quarter = MOST_TOTAL;

	if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur / 4 < MOST_TOTAL)
		quarter = (size_t)(stack.rlim_cur / 4);
	return quarter > LEAST_TOTAL ? quarter : LEAST_TOTAL;
}

bool launch_fits(struct arena *a, const struct variables *v, char *const *argv, struct str *why)
{
	const struct variable *largest = NULL;
	size_t total = 0, most = most_total(), size = 0;

	for (size_t i = 0; argv[i]; i++) {
		size_t n = strlen(argv[i]) + 1;
		total += n + sizeof(char *);
		if (n > MOST_WORD) {
			*why = str_printf(a, "word %zu of the command has %zu bytes; this machine takes %d", i + 1,
				n - 1, MOST_WORD - 1);
			return false;
		}
	}
	for (size_t i = 0; i < v->n; i++) {
		size_t n = v->at[i].name.n + 1 + v->at[i].value.n + 1;
		total += n + sizeof(char *);
		if (n > size) {
			size = n;
			largest = &v->at[i];
		}
	}
	if (largest && size > MOST_WORD) {
		*why = str_printf(a, "variable %.*s has %zu bytes with its name; this machine takes %d",
			STR_ARG(largest->name), size - 1, MOST_WORD - 1);
		return false;
	}
	if (total <= most)
		return true;
	*why = str_printf(a, "command and environment have %zu bytes; this machine takes %zu", total, most);
	if (largest)
		*why = str_printf(a, "%.*s; the largest variable is %.*s with %zu bytes", STR_ARG(*why),
			STR_ARG(largest->name), size - 1);
	return false;
}
