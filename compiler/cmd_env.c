/*
 * cmd_env.c - the finished environment of every replica (cli.md, section 2).
 *
 * What the pod alone knows stays a reference here too; everything else is the
 * text that the process would read.
 */
#include <stdlib.h>

#include "session.h"

/* One container of one replica. */
struct view {
	const struct plan_job *job;
	const struct plan_role *role;
	const struct plan_container *container;
	int64_t index;
	struct env_values env;
};

struct views {
	struct arena *arena;
	struct view *at;
	size_t n;
};

struct choice {
	struct str role;                /* p == NULL: all */
	bool one;                       /* --index */
	int64_t index;
};

/* What only the pod knows, as a downward API field. */
static const char *field_path(enum pod_field field)
{
	switch (field) {
	case POD_NAME: return "metadata.name";
	case POD_UID: return "metadata.uid";
	case POD_IP: return "status.podIP";
	case POD_NODE: return "spec.nodeName";
	}
	return "";
}

/* Variables that exist only to carry an index belong to the target, not to the program. */
static bool hidden(const struct env_value *v) { return str_starts(v->name, STR("TRAINC_")); }

static void add_view(struct views *into, const struct plan_job *j, const struct plan_role *r, const struct plan_container *c, int64_t i)
{
	struct view v = { j, r, c, i, plan_env(into->arena, j, r, c, i, &placement_cluster) };
	ARENA_PUSH(into->arena, into->at, into->n, v);
}

static void add_role(struct views *into, const struct plan_job *j, const struct plan_role *r, const struct choice *choice)
{
	if (choice->role.p && !str_eq(choice->role, r->name))
		return;
	for (int64_t i = choice->one ? choice->index : 0; i < r->max && (!choice->one || i == choice->index); i++) {
		add_view(into, j, r, &r->main, i);
		for (size_t k = 0; k < r->ninits; k++)
			add_view(into, j, r, &r->inits[k], i);
		for (size_t k = 0; k < r->nsidecars; k++)
			add_view(into, j, r, &r->sidecars[k], i);
	}
}

/* ---- json ---- */

static void put_pieces(const struct text *t, struct buf *out)
{
	if (t->n == 1 && t->at[0].kind == PIECE_FIELD) {
		buf_printf(out, "\"field\":\"%s\"", field_path(t->at[0].u.field));
		return;
	}
	buf_z(out, "\"text\":[");
	for (size_t i = 0; i < t->n; i++) {
		buf_z(out, i ? "," : "");
		if (t->at[i].kind == PIECE_FIELD)
			buf_printf(out, "{\"field\":\"%s\"}", field_path(t->at[i].u.field));
		else
			buf_json(out, t->at[i].u.text);
	}
	buf_char(out, ']');
}

static void put_value_json(const struct env_value *v, struct buf *out)
{
	buf_z(out, "{\"name\":");
	buf_json(out, v->name);
	buf_char(out, ',');
	if (v->kind != ENV_TEXT) {
		buf_printf(out, "\"%s\":{\"name\":", v->kind == ENV_SECRET ? "secret" : "config");
		buf_json(out, v->object);
		buf_z(out, ",\"key\":");
		buf_json(out, v->key);
		buf_char(out, '}');
	} else if (v->whole) {
		buf_z(out, "\"value\":");
		buf_json(out, v->value);
	} else {
		put_pieces(&v->pieces, out);
	}
	buf_char(out, '}');
}

static void put_view_json(const struct view *v, struct buf *out)
{
	struct buf host = { 0 };
	const char *comma = "";

	buf_z(out, "{\"role\":");
	buf_json(out, v->role->name);
	buf_printf(out, ",\"index\":%lld,\"name\":\"%.*s-%lld\",\"host\":", (long long)v->index, STR_ARG(v->role->object), (long long)v->index);
	plan_host(v->job, v->role, v->index, &host);
	buf_json(out, buf_text(&host));
	buf_release(&host);
	buf_z(out, ",\"container\":");
	buf_json(out, v->container->name);
	buf_z(out, ",\n    \"ports\":[");
	for (size_t i = 0; i < v->container->nports; i++) {
		buf_z(out, i ? "," : "");
		buf_z(out, "{\"name\":");
		buf_json(out, v->container->ports[i].name);
		buf_printf(out, ",\"port\":%lld}", (long long)v->container->ports[i].port);
	}
	buf_z(out, "],\n    \"env\":[");
	for (size_t i = 0; i < v->env.n; i++) {
		if (hidden(&v->env.at[i]))
			continue;
		buf_printf(out, "%s\n      ", comma);
		put_value_json(&v->env.at[i], out);
		comma = ",";
	}
	buf_z(out, "]}");
}

static void put_json(const struct plan *plan, const struct views *views, struct buf *out)
{
	size_t at = 0;

	buf_z(out, "{\"schemaVersion\":1,\"jobs\":[");
	for (size_t i = 0; i < plan->njobs; i++) {
		const struct plan_job *j = &plan->jobs[i];

		buf_printf(out, "%s\n{\"name\":", i ? "," : "");
		buf_json(out, j->name);
		buf_z(out, ",\"namespace\":");
		buf_json(out, j->ns.set ? j->ns.value : STR("default"));
		buf_z(out, ",\"framework\":");
		buf_json(out, j->framework);
		buf_z(out, ",\"replicas\":[");
		for (const char *comma = ""; at < views->n && views->at[at].job == j; at++, comma = ",") {
			buf_printf(out, "%s\n  ", comma);
			put_view_json(&views->at[at], out);
		}
		buf_z(out, "]}");
	}
	buf_z(out, "]}\n");
}

/* ---- text ---- */

/* What stands for a value that is not known here. */
static struct str unknown(struct arena *a, const struct env_value *v)
{
	struct buf b = { 0 };

	if (v->kind != ENV_TEXT)
		return str_printf(a, "<%s %.*s, key %.*s>", v->kind == ENV_SECRET ? "secret" : "config", STR_ARG(v->object), STR_ARG(v->key));
	for (size_t i = 0; i < v->pieces.n; i++) {
		const struct piece *piece = &v->pieces.at[i];
		if (piece->kind == PIECE_FIELD)
			buf_printf(&b, "<%s>", field_path(piece->u.field));
		else
			buf_str(&b, piece->u.text);
	}
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

static bool known(const struct env_value *v) { return v->kind == ENV_TEXT && v->whole; }

/* Values of several lines go on in the column of the value. */
static void put_table_value(struct str value, size_t column, struct buf *out)
{
	for (size_t i = 0; i < value.n; i++) {
		buf_char(out, value.p[i]);
		if (value.p[i] == '\n')
			buf_printf(out, "%*s", (int)column, "");
	}
	buf_char(out, '\n');
}

static void put_table(struct arena *a, const struct views *views, struct buf *out)
{
	for (size_t i = 0; i < views->n; i++) {
		const struct view *v = &views->at[i];
		size_t width = 0;

		for (size_t k = 0; k < v->env.n; k++)
			if (!hidden(&v->env.at[k]) && v->env.at[k].name.n > width)
				width = v->env.at[k].name.n;
		buf_printf(out, "%s%.*s-%lld", i ? "\n" : "", STR_ARG(v->role->object), (long long)v->index);
		if (v->container != &v->role->main)
			buf_printf(out, " %.*s", STR_ARG(v->container->name));
		buf_char(out, '\n');
		for (size_t k = 0; k < v->env.n; k++) {
			const struct env_value *e = &v->env.at[k];
			if (hidden(e))
				continue;
			buf_printf(out, "  %-*.*s  ", (int)width, STR_ARG(e->name));
			put_table_value(known(e) ? e->value : unknown(a, e), width + 4, out);
		}
	}
}

static void put_shell(struct arena *a, const struct view *v, struct buf *out)
{
	for (size_t i = 0; i < v->env.n; i++) {
		const struct env_value *e = &v->env.at[i];

		if (hidden(e))
			continue;
		if (!known(e)) {
			buf_printf(out, "# %.*s is %.*s\n", STR_ARG(e->name), STR_ARG(unknown(a, e)));
			continue;
		}
		buf_printf(out, "export %.*s='", STR_ARG(e->name));
		for (size_t k = 0; k < e->value.n; k++) {
			if (e->value.p[k] == '\'')
				buf_z(out, "'\\''");
			else
				buf_char(out, e->value.p[k]);
		}
		buf_z(out, "'\n");
	}
}

static bool needs_quotes(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_-./:,@%+=", c);
		if (!plain || !c)
			return true;
	}
	return s.n == 0;
}

static void put_dotenv(struct arena *a, const struct view *v, struct buf *out)
{
	for (size_t i = 0; i < v->env.n; i++) {
		const struct env_value *e = &v->env.at[i];

		if (hidden(e))
			continue;
		if (!known(e)) {
			buf_printf(out, "# %.*s is %.*s\n", STR_ARG(e->name), STR_ARG(unknown(a, e)));
			continue;
		}
		buf_printf(out, "%.*s=", STR_ARG(e->name));
		bool quoted = needs_quotes(e->value);
		buf_z(out, quoted ? "\"" : "");
		for (size_t k = 0; k < e->value.n; k++) {
			char c = e->value.p[k];
			if (quoted && (c == '"' || c == '\\' || c == '$' || c == '`'))
				buf_char(out, '\\');
			if (quoted && c == '\n')
				buf_z(out, "\\n");
			else
				buf_char(out, c);
		}
		buf_z(out, quoted ? "\"\n" : "\n");
	}
}

/* ---- the choice of replicas ---- */

static bool read_choice(struct session *s, struct choice *ret)
{
	struct str index = option_value(s->options, OPTION_INDEX);
	char *end;

	ret->role = option_value(s->options, OPTION_ROLE);
	if (!index.p)
		return true;
	ret->one = true;
	ret->index = strtoll(index.p, &end, 10);
	if (index.n && !*end && ret->index >= 0)
		return true;
	session_say(s, "--index is the number of a replica, from 0; found '%.*s'", STR_ARG(index));
	return false;
}

static size_t replicas_seen(const struct views *views)
{
	size_t n = 0;

	for (size_t i = 0; i < views->n; i++)
		n += views->at[i].container == &views->at[i].role->main;
	return n;
}

/* Nothing was chosen: say what there is to choose from. */
static void say_no_replica(struct session *s, const struct plan *plan, const struct choice *choice)
{
	struct buf roles = { 0 };

	for (size_t i = 0; i < plan->njobs; i++)
		for (size_t k = 0; k < plan->jobs[i].nroles; k++)
			buf_printf(&roles, "%s%.*s (%lld)", roles.n ? ", " : "", STR_ARG(plan->jobs[i].roles[k].name),
			           (long long)plan->jobs[i].roles[k].max);
	if (choice->role.p && choice->one)
		session_say(s, "there is no replica %lld of a role '%.*s'; the roles are %.*s", (long long)choice->index,
		            STR_ARG(choice->role), STR_ARG(buf_text(&roles)));
	else if (choice->role.p)
		session_say(s, "there is no role '%.*s'; the roles are %.*s", STR_ARG(choice->role), STR_ARG(buf_text(&roles)));
	else
		session_say(s, "there is no such replica; the roles are %.*s", STR_ARG(buf_text(&roles)));
	buf_release(&roles);
}

static int print(struct session *s, const struct plan *plan, const struct views *views, const struct choice *choice)
{
	struct str form = option_value(s->options, OPTION_OUTPUT);
	bool of_one = str_is(form, "shell") || str_is(form, "dotenv");
	struct buf out = { 0 };

	if ((choice->role.p || choice->one || of_one) && !views->n) {
		say_no_replica(s, plan, choice);
		return STATUS_USAGE;
	}
	if (of_one && replicas_seen(views) > 1) {
		session_say(s, "-o %.*s shows one replica, and there are %zu; choose with --role and --index", STR_ARG(form), replicas_seen(views));
		return STATUS_USAGE;
	}
	if (str_is(form, "json"))
		put_json(plan, views, &out);
	else if (str_is(form, "shell"))
		put_shell(s->arena, &views->at[0], &out);
	else if (str_is(form, "dotenv"))
		put_dotenv(s->arena, &views->at[0], &out);
	else
		put_table(s->arena, views, &out);
	session_write(s, buf_text(&out));
	buf_release(&out);
	return STATUS_DONE;
}

int cmd_env(struct session *s)
{
	struct choice choice = { 0 };
	struct programs all;
	int status;

	if (!read_choice(s, &choice))
		return STATUS_USAGE;
	if (session_plan(s, false, &all, &status)) {
		const struct plan *plan = &all.at[0]->plan;
		struct views views = { .arena = s->arena };

		for (size_t i = 0; i < plan->njobs; i++)
			for (size_t k = 0; k < plan->jobs[i].nroles; k++)
				add_role(&views, &plan->jobs[i], &plan->jobs[i].roles[k], &choice);
		status = print(s, plan, &views, &choice);
	}
	session_release(&all);
	return status;
}
