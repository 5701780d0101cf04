/*
 * env.c - environment variables, and the references to them.
 *
 * In the list of variables, Kubernetes replaces `$(NAME)` with the value of an earlier variable; in commands and
 * arguments, with that of any variable of the container. Without such a variable `$(NAME)` stays unchanged; `$$`
 * becomes `$`. The language does not replace anything in plain text: a program refers to a variable by
 * pod.env("NAME").
 */
#include "import/import_role.h"

#include "import/hosts.h"

#include <ctype.h>

/* Could the kubelet define a variable of this name, although the container does not? */
static bool from_outside(struct container_reading *c, struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!isupper((unsigned char)name.p[i]) && !isdigit((unsigned char)name.p[i]) && name.p[i] != '_')
			return false;
	return name.n && (data_count(member(c->container, "envFrom")) || str_ends(name, STR("_SERVICE_HOST")) ||
		str_ends(name, STR("_SERVICE_PORT")));
}

/* The replacement of `$(NAME)`: an expression, or the value of the variable. */
struct known {
	struct str code;
	/* the value of this entry, if the framework sets the same variable again later; otherwise NULL */
	const struct expr *text;
};

static struct str framework_key(struct container_reading *c, struct str name)
{
	return str_printf(c->role->im->arena, "%.*s/%.*s/%.*s", STR_ARG(c->role->word),
		STR_ARG(member_text(c->container, "name")), STR_ARG(name));
}

/*
 * Returns the replacement of `$(NAME)`; NULL if `$(NAME)` stays plain text. Sets *RET_RAW if only Kubernetes can
 * replace it.
 */
static const struct known *variable_reference(struct container_reading *c, struct str name, bool value, bool *ret_raw)
{
	const struct known *known = map_get(&c->env, name);
	struct arena *a = c->role->im->arena;

	if (known && value)
		c->role->job->has_references = true;    /* the framework may set the variable again later */

	if (known && (value || !map_get(&c->secrets, name)))
		return known;
	bool secrets, outside = from_outside(c, name);
	if (!known && !value && outside && sources_known(member(c->container, "envFrom"), &secrets) && !secrets) {
		struct known *object = ARENA_NEW(a, struct known);
		object->code = str_cat(a, STR("pod.env(\""), name, STR("\")"));
		return object;
	}
	if (known || map_get(&c->raw_env, name) || outside)
		*ret_raw = true;        /* the program must not put a secret into an argument */
	if (value || *ret_raw)
		return NULL;
	c->role->job->has_references = true;
	if (!c->role->job->set || !map_get(c->role->job->set, framework_key(c, name)))
		return NULL;
	struct known *ret = ARENA_NEW(a, struct known);
	ret->code = str_cat(a, STR("pod.env(\""), name, STR("\")"));
	return ret;
}

/*
 * Returns the length of a reference `$(NAME)` at text.p[i]; 0 if no reference begins there. LAST is the index of the
 * text's last ')'.
 */
static size_t reference_at(struct str text, size_t i, size_t last, struct str *ret_name)
{
	if (i + 2 > last || text.p[i] != '$' || text.p[i + 1] != '(')
		return 0;
	const char *end = memchr(text.p + i, ')', text.n - i);
	*ret_name = (struct str){ text.p + i + 2, (size_t)(end - text.p) - i - 2 };
	return ret_name->n + 3;
}

/*
 * Returns the inserted expression itself if a text consists of nothing else; but pod.env() stays a text, and so does a
 * number in a list of words, which are texts.
 */
static struct expr *plain_insert(struct arena *a, struct expr *e, bool value)
{
	static const char *const numbers[] = { "pod.index", "pod.rank", "pod.copy", "pod.slice" };
	struct str code = e->npieces == 1 && e->pieces[0].code ? e->pieces[0].text : STR("");
	bool stays = !code.n || str_starts(code, STR("pod.env("));

	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		stays = stays || (!value && str_is(code, numbers[i]));
	return stays ? e : expr_text(a, code);
}

/*
 * Reports a host name in the other system's subdomain that could not be translated, perhaps because a shell builds
 * the part before the dot.
 */
static void other_host(struct container_reading *c, struct str text, size_t i)
{
	const struct imported *job = c->role->job;
	struct str domain = job->subdomain;
	size_t end = i + 1 + domain.n;

	if (!job->hosts.n || text.p[i] != '.' || i == 0 || text.n < end ||
	    memcmp(text.p + i + 1, domain.p, domain.n) != 0)
		return;
	if (end < text.n && (isalnum((unsigned char)text.p[end]) || text.p[end] == '-'))
		return;
	struct diag *d = diag_report(c->role->im->diags, TJ1122, c->container->from,
		"no pod of the program has a name that ends with '.%.*s'", STR_ARG(domain));
	diag_help(c->role->im->diags, d,
		"replica i of ROLE is %.*s-ROLE-i.%.*s; in texts of the program it is ${ROLE.host(i)}",
		STR_ARG(job->name),
		STR_ARG(job->name));
}

/*
 * Appends the value of a variable to E. VALUE: E is the value of another variable, so it gets the text that the
 * variable has at that point of the list; otherwise it gets a reference to the final value.
 */
static void append_known(struct arena *a, struct expr *e, const struct known *known, bool value)
{
	const struct expr *text = value ? known->text : NULL;

	if (!text)
		expr_append(a, e, true, known->code);
	else if (text->kind == EXPR_TEXT)
		expr_append(a, e, text->text.n && !isdigit((unsigned char)text->text.p[0]), text->text);
	for (size_t i = 0; text && i < text->npieces; i++)
		expr_append(a, e, text->pieces[i].code, text->pieces[i].text);
}

struct expr *env_text(struct container_reading *c, struct str text, bool value)
{
	struct arena *a = c->role->im->arena;
	struct expr *e = expr_new(a, EXPR_STRING);
	const char *close = text.n ? memrchr(text.p, ')', text.n) : NULL;
	size_t start = 0, i = 0;
	bool raw = false;

	while (i < text.n) {
		struct known host = { 0 };
		struct str name;
		size_t n = host_at(c->role->im, c->role->job, text, i, &host.code);
		const struct known *code = n ? &host : NULL;
		if (!n && (n = reference_at(text, i, close ? (size_t)(close - text.p) : 0, &name)) > 0)
			code = variable_reference(c, name, value, &raw);
		bool dollar = i + 1 < text.n && text.p[i] == '$' && text.p[i + 1] == '$';

		if (raw)
			return NULL;
		if (!code && !dollar) {
			other_host(c, text, i);
			i += n ? n : 1;
			continue;
		}
		expr_append(a, e, false, (struct str){ text.p + start, i + dollar - start });
		if (code)
			append_known(a, e, code, value);
		i += code ? n : 2;
		start = i;
	}
	if (start < text.n)
		expr_append(a, e, false, (struct str){ text.p + start, text.n - start });
	return plain_insert(a, e, value);
}

/* ---- texts of each replica ---- */

/*
 * Returns where the index of the replica begins in the first text, if the texts are equal but for it; the text is
 * HEAD, the index, and what follows 0 in the first text. SIZE_MAX: they differ in another way.
 */
static size_t index_in_texts(struct arena *a, const struct data *texts)
{
	struct str first = texts->u.list.at[0]->u.string;

	for (size_t at = 0; at < first.n; at++) {
		struct str head = { first.p, at }, tail = { first.p + at + 1, first.n - at - 1 };
		bool same = first.p[at] == '0';
		for (size_t i = 0; i < texts->u.list.n && same; i++)
			same = str_eq(texts->u.list.at[i]->u.string,
				str_cat(a, head, str_int(a, (int64_t)i), tail));
		if (same)
			return at;
	}
	return SIZE_MAX;
}

struct expr *env_each(struct container_reading *c, const struct data *texts, bool value)
{
	struct arena *a = c->role->im->arena;
	struct expr *list = expr_new(a, EXPR_LIST), *e;

	if (texts->kind == DATA_STRING)
		return env_text(c, texts->u.string, value);
	size_t at = index_in_texts(a, texts);
	if (at != SIZE_MAX) {
		struct str first = texts->u.list.at[0]->u.string;
		e = expr_new(a, EXPR_STRING);
		expr_append(a, e, false, (struct str){ first.p, at });
		expr_append(a, e, true, STR("pod.index"));
		expr_append(a, e, false, (struct str){ first.p + at + 1, first.n - at - 1 });
		return value ? plain_insert(a, e, true) : e;
	}
	for (size_t i = 0; i < texts->u.list.n; i++) {
		if (!(e = env_text(c, texts->u.list.at[i]->u.string, value)))
			return NULL;
		lines_add(a, &list->items, e, texts->u.list.at[i]->from);
	}
	return expr_text(a, str_cat(a, expr_flat(a, list), STR("[pod.index]"), STR("")));
}

/* ---- entries ---- */

static struct expr *code(struct import *im, const char *text) { return expr_text(im->arena, str_of(text)); }

/*
 * Reports a label that another system writes to its pods: a program's pods do not have it, so it would be read as
 * empty.
 */
static void foreign_label(struct container_reading *c, const struct data *ref, struct str path)
{
	static const char *const own[] = { "metadata.labels['kubernetes.io/", "metadata.annotations['kubernetes.io/" };
	const char *open = path.n ? memchr(path.p, '\'', path.n) : NULL;
	struct diags *ds = c->role->im->diags;

	if (!open || path.p[path.n - 1] != ']' || str_starts(path, str_of(own[0])) || str_starts(path, str_of(own[1])))
		return;
	struct str key = { open + 1, path.n - (size_t)(open - path.p) - 3 };
	if (!host_is_foreign(key))
		return;
	struct diag *d = diag_report(ds, TJ1122, ref->from, "no pod of the program has '%.*s'", STR_ARG(key));
	diag_help(ds, d,
		"the value would be empty: write it in the program, with pod.index if it is the number of the replica");
}

static struct expr *pod_field(struct container_reading *c, const struct data *ref)
{
	static const struct { const char *path, *code; } fields[] = {
		{ "metadata.name", "pod.name" }, { "metadata.uid", "pod.uid" }, { "status.podIP", "pod.ip" },
		{ "spec.nodeName", "pod.node" },
	};
	struct str path = member_text(ref, "fieldPath");

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (str_is(path, fields[i].path))
			return code(c->role->im, fields[i].code);
	for (const struct role_field *f = c->role->fields; f && f->path; f++)
		if (str_is(path, f->path))
			return expr_text(c->role->im->arena, f->code);
	if (c->role->kind->index && str_is(path, c->role->kind->index))
		return code(c->role->im, "pod.index");
	foreign_label(c, ref, path);
	return NULL;
}

static struct expr *key_reference(struct container_reading *c, const struct data *ref, const char *function)
{
	struct arena *a = c->role->im->arena;
	struct expr *call = expr_call(a, str_of(function));

	if (member(ref, "optional") || !member_text(ref, "name").n || !member_text(ref, "key").n)
		return NULL;
	lines_add(a, &call->items, expr_string(a, member_text(ref, "name")), ref->from);
	lines_add(a, &call->items, expr_string(a, member_text(ref, "key")), ref->from);
	return call;
}

/* Returns the value of an entry; NULL if the language cannot express it. */
static struct expr *entry_value(struct container_reading *c, const struct data *entry)
{
	const struct data *from = member(entry, "valueFrom");

	if (!from && member(entry, "value"))
		return env_each(c, member(entry, "value"), true);
	if (!from)
		return env_text(c, STR(""), true);
	if (data_count(from) != 1 || member(entry, "value"))
		return NULL;
	if (member(from, "secretKeyRef"))
		return key_reference(c, member(from, "secretKeyRef"), "secret");
	if (member(from, "configMapKeyRef"))
		return key_reference(c, member(from, "configMapKeyRef"), "config");
	return member(from, "fieldRef") ? pod_field(c, member(from, "fieldRef")) : NULL;
}

/* Is it a variable that trainc writes for other targets? References to it are replaced by its meaning. */
static bool is_own_variable(struct str name) { return str_starts(name, STR("TRAINC_")); }

static bool holds_secret(struct container_reading *c, const struct expr *value)
{
	bool secret = value->kind == EXPR_CALL && str_is(value->text, "secret");

	for (size_t i = 0; i < value->npieces && !secret; i++) {
		struct str s = value->pieces[i].text;   /* pod.env("NAME") */
		secret = value->pieces[i].code && s.n > 11 && map_get(&c->secrets, (struct str){ s.p + 9, s.n - 11 });
	}
	return secret;
}

static void define(struct container_reading *c, struct str name, struct expr *value)
{
	struct arena *a = c->role->im->arena;
	struct known *known = ARENA_NEW(a, struct known);
	const struct map *set = c->role->job->set;

	if (holds_secret(c, value))
		map_put(&c->secrets, a, name, known);
	known->code = is_own_variable(name) ? value->text : str_cat(a, STR("pod.env(\""), name, STR("\")"));
	if (set && value->kind != EXPR_CALL && map_get(set, framework_key(c, name)))
		known->text = value;
	map_put(&c->env, a, name, known);
}

static void put_raw(struct container_reading *c, const struct data *entry, struct str name)
{
	struct import *im = c->role->im;
	struct lines *list = raw_list(im, container_raw(c, entry->from), "env", entry->from);

	import_comments(im, lines_add(im->arena, list, raw_expr(im, entry), entry->from), entry->from);
	map_put(&c->raw_env, im->arena, name, c);
}

/* Can the name be written in pod.env("NAME") unchanged? */
static bool plain_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == '"' || name.p[i] == '\\' || name.p[i] == '$')
			return false;
	return true;
}

/* Writes a number without quotes if its text stays the same. */
static struct expr *number_of_text(struct arena *a, struct expr *e)
{
	struct str s = e->npieces == 1 && !e->pieces[0].code ? e->pieces[0].text : STR("");

	if (!s.n || s.n > 15 || (s.n > 1 && s.p[0] == '0'))
		return e;
	for (size_t i = 0; i < s.n; i++)
		if (!isdigit((unsigned char)s.p[i]))
			return e;
	return expr_text(a, s);
}

static void read_entry(struct container_reading *c, const struct data *entry, struct lines **env, struct span at)
{
	struct import *im = c->role->im;
	struct str name = member_text(entry, "name");
	struct expr *value = entry_value(c, entry);

	if (!value || !plain_name(name)) {
		put_raw(c, entry, name);
		return;
	}
	if (!is_own_variable(name))
		value = number_of_text(im->arena, value);
	if (!(is_own_variable(name) && value->kind == EXPR_TEXT)) {
		if (!*env)
			*env = lines_block(im->arena, c->to, STR("env"), at);
		import_comments(im, lines_set(im->arena, *env, key_text(im->arena, name), value, entry->from),
			entry->from);
	}
	define(c, name, value);
}

/* ---- variables that pods have without an entry in `env` ---- */

static bool says(const struct data *d, struct str word)
{
	if (d->kind == DATA_STRING)
		return d->u.string.n >= word.n && memmem(d->u.string.p, d->u.string.n, word.p, word.n);
	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++)
		if (says(d->u.list.at[i], word))
			return true;
	for (size_t i = 0; d->kind == DATA_MAP && i < d->u.map.n; i++)
		if (says(d->u.map.at[i].value, word))
			return true;
	return false;
}

void env_given(struct container_reading *c)
{
	struct import *im = c->role->im;

	for (const struct role_field *f = c->role->fields; f && f->path; f++) {
		struct str name = str_of(f->name ? f->name : "");
		if (!name.n || map_get(&c->env, name) || member_among(member(c->container, "env"), "name", name) ||
		    !says(c->container, name))
			continue;
		struct lines *env = lines_block(im->arena, c->to, STR("env"), c->container->from);
		struct expr *value = expr_text(im->arena, f->code);
		lines_set(im->arena, env, key_text(im->arena, name), value, c->container->from);
		define(c, name, value);
	}
}

/* Reports an entry that has no effect: if two entries have the same name, the container gets the last one. */
static void report_hidden(struct import *im, const struct data *entry, const struct data *last)
{
	struct str name = member_text(entry, "name");
	struct diag *d = diag_report(im->diags, TJ1110, entry->from,
		"'%.*s' is set twice in this container; the first one is left out", STR_ARG(name));

	diag_note(im->diags, d, last->from, "this one counts");
}

void env_read(struct container_reading *c, const struct data *env)
{
	struct import *im = c->role->im;
	struct map last = { 0 };
	struct lines *lines = NULL;

	for (size_t i = 0; i < env->u.list.n; i++)
		map_put_const(&last, im->arena, member_text(env->u.list.at[i], "name"), env->u.list.at[i]);
	for (size_t i = 0; i < env->u.list.n; i++) {
		const struct data *entry = env->u.list.at[i], *counts = map_get(&last, member_text(entry, "name"));
		if (counts != entry)
			report_hidden(im, entry, counts);
		else
			read_entry(c, entry, &lines, member_at(c->container, "env"));
	}
}
