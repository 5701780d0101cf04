/*
 * env_print.c - prints `trainc env`: the environment of replicas as a table, as JSON, or as lines that a shell or a
 * reader of .env files accepts.
 */
#include "plan/print.h"

#include "base/words.h"
#include "diag/suggest.h"

static const char *const field_paths[] = {
	[POD_NAME] = "metadata.name", [POD_UID] = "metadata.uid", [POD_IP] = "status.podIP",
		[POD_NODE] = "spec.nodeName",
	[POD_SLICE] = "metadata.labels['jobset.sigs.k8s.io/job-index']",
	[POD_COPY] = "metadata.labels['leaderworkerset.sigs.k8s.io/group-index']",
};

struct printing {
	struct arena *arena;
	const struct plan *plan;
	struct env_selection which;
	struct buf *out;
	bool first;                     /* nothing has been printed in this list yet */
};

/* ---- selection ---- */

static bool selected_role(const struct printing *p, const struct plan_role *r)
{
	return r->max > 0 && (!p->which.role.p || plan_role_named(r, p->which.role));
}

static bool selected(const struct printing *p, int64_t index)
{
	return p->which.index < 0 || p->which.index == index;
}

static size_t count_selected(const struct printing *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->plan->njobs; i++)
		for (size_t k = 0; k < p->plan->jobs[i].nroles; k++) {
			const struct plan_role *r = &p->plan->jobs[i].roles[k];
			if (!selected_role(p, r))
				continue;
			n += p->which.index < 0 ? (size_t)r->max : p->which.index < r->max;
		}
	return n;
}

static bool is_candidate(const struct suggest *s, struct str name)
{
	for (size_t i = 0; i < s->count; i++)
		if (str_eq(s->all[i], name))
			return true;
	return false;
}

/* Returns the reason why no role is selected: "no role 'worke'; did you mean 'worker'?". */
static struct str no_role(struct printing *p)
{
	struct suggest s;
	bool there = false;

	suggest_init(&s, p->arena, p->which.role);
	for (size_t i = 0; i < p->plan->njobs; i++)
		for (size_t k = 0; k < p->plan->jobs[i].nroles; k++) {
			const struct plan_role *r = &p->plan->jobs[i].roles[k];
			there = there || plan_role_named(r, p->which.role);
			if (r->max && !is_candidate(&s, r->name))
				suggest_add(&s, r->name);
		}
	struct str help = there ? STR("") : suggest_or_list(&s, "the roles are");
	return str_printf(p->arena, there ? "role '%.*s' has no replicas%s%.*s" : "no role '%.*s'%s%.*s",
		STR_ARG(p->which.role), help.n ? "; " : "", STR_ARG(help));
}

/* Returns the largest index of a replica in the selected roles. */
static int64_t last_index(const struct printing *p)
{
	int64_t most = 0;

	for (size_t i = 0; i < p->plan->njobs; i++)
		for (size_t k = 0; k < p->plan->jobs[i].nroles; k++) {
			const struct plan_role *r = &p->plan->jobs[i].roles[k];
			most = selected_role(p, r) && r->max > most ? r->max : most;
		}
	return most - 1;
}

static struct str nothing_selected(struct printing *p)
{
	struct printing all = *p;

	all.which.index = -1;
	size_t n = count_selected(&all);
	if (!n && p->which.role.p)
		return no_role(p);
	if (!n)
		return STR("the program has no replicas");
	struct str of = p->which.role.p ? str_printf(p->arena, " of role '%.*s'", STR_ARG(p->which.role)) : STR("");
	int64_t last = last_index(p);
	return str_printf(p->arena, last ? "no replica %lld%.*s; the last one is %lld" :
		"no replica %lld%.*s; the only one is %lld", (long long)p->which.index, STR_ARG(of), (long long)last);
}

static bool selection_ok(struct printing *p, enum env_form form, struct str *why)
{
	size_t n = count_selected(p);

	if (n == 0 && (p->which.role.p || p->which.index >= 0)) {
		*why = nothing_selected(p);
		return false;
	}
	if (form < ENV_SHELL || n == 1)
		return true;
	if (n == 0)
		*why = STR("the program has no replicas");
	else
		*why = str_printf(p->arena, "choose one of %zu replicas with --role and --index%s", n,
			p->plan->njobs > 1 ? ", and a job with --job" : "");
	return false;
}

/* ---- JSON ---- */

static void json_piece(struct printing *p, const struct piece *piece)
{
	if (piece->kind == PIECE_TEXT)
		buf_json(p->out, piece->u.text);
	else if (piece->kind == PIECE_FIELD)
		buf_printf(p->out, "{ \"field\": \"%s\" }", field_paths[piece->u.field]);
	else {
		buf_z(p->out, "{ \"env\": ");
		buf_json(p->out, piece->u.text);
		buf_z(p->out, " }");
	}
}

static bool one_field(const struct env_value *v)
{
	return v->pieces.n == 1 && v->pieces.at[0].kind == PIECE_FIELD;
}

static void json_pieces(struct printing *p, const struct env_value *v)
{
	if (one_field(v)) {
		buf_printf(p->out, "\"field\": \"%s\"", field_paths[v->pieces.at[0].u.field]);
		return;
	}
	buf_z(p->out, "\"text\": [ ");
	for (size_t i = 0; i < v->pieces.n; i++) {
		if (i)
			buf_z(p->out, ", ");
		json_piece(p, &v->pieces.at[i]);
	}
	buf_z(p->out, " ]");
}

static void json_value(struct printing *p, const struct env_value *v)
{
	buf_z(p->out, "{ \"name\": ");
	buf_json(p->out, v->name);
	buf_z(p->out, ", ");
	if (v->kind != ENV_TEXT) {
		buf_z(p->out, v->kind == ENV_SECRET ? "\"secret\": { \"name\": " : "\"config\": { \"name\": ");
		buf_json(p->out, v->object);
		buf_z(p->out, ", \"key\": ");
		buf_json(p->out, v->key);
		buf_z(p->out, " }");
	} else if (v->whole) {
		buf_z(p->out, "\"value\": ");
		buf_json(p->out, v->value);
	} else
		json_pieces(p, v);
	buf_z(p->out, " }");
}

static void json_ports(struct printing *p, const struct plan_container *c)
{
	buf_z(p->out, "          \"ports\": [");
	for (size_t i = 0; i < c->nports; i++) {
		buf_z(p->out, i ? ", { \"name\": " : " { \"name\": ");
		buf_json(p->out, c->ports[i].name);
		buf_printf(p->out, ", \"port\": %lld }", (long long)c->ports[i].port);
	}
	buf_z(p->out, c->nports ? " ],\n" : "],\n");
}

static void json_values(struct printing *p, const struct env_values *env)
{
	buf_z(p->out, "          \"env\": [");
	for (size_t i = 0; i < env->n; i++) {
		buf_z(p->out, i ? ",\n            " : "\n            ");
		json_value(p, &env->at[i]);
	}
	buf_z(p->out, env->n ? "\n          ]" : "]");
}

/* Prints the objects whose keys are further variables, which only the cluster knows. */
static void json_sources(struct printing *p, struct arena *a, const struct plan_job *j, const struct plan_container *c)
{
	bool any = false;

	for (size_t i = 0; i < c->nsources; i++) {
		const struct plan_source *s = &c->sources[i];
		if (plan_source_data(a, j, s))
			continue;
		buf_z(p->out, any ? ", " : "          \"env_from\": [ ");
		any = true;
		buf_printf(p->out, "{ \"%s\": ", s->secret ? "secret" : "config");
		buf_json(p->out, s->name);
		buf_z(p->out, ", \"prefix\": ");
		buf_json(p->out, s->prefix);
		buf_printf(p->out, ", \"optional\": %s }", s->optional ? "true" : "false");
	}
	buf_z(p->out, any ? " ],\n" : "");
}

static void json_replica(struct printing *p, const struct plan_job *j, const struct plan_role *r,
	const struct plan_container *c, int64_t index)
{
	struct arena own = { 0 };
	struct env_values env = plan_env(&own, j, r, c, index, &placement_cluster);
	struct buf name = { 0 }, host = { 0 };

	plan_replica_name(r, index, &name);
	plan_host(j, r, index, &host);
	buf_z(p->out, p->first ? "\n        {\n          \"role\": " : ",\n        {\n          \"role\": ");
	p->first = false;
	buf_json(p->out, r->name);
	if (r->cell.n) {
		buf_z(p->out, ", \"cell\": ");
		buf_json(p->out, r->cell);
		buf_printf(p->out, ", \"copy\": %lld", (long long)r->copy);
	}
	buf_printf(p->out, ", \"index\": %lld, \"name\": \"%.*s\", \"host\": \"%.*s\",\n          \"container\": ",
		(long long)index,
		STR_ARG(buf_text(&name)), STR_ARG(buf_text(&host)));
	buf_release(&name);
	buf_json(p->out, plan_label(&own, c->name));
	buf_z(p->out, ",\n");
	json_ports(p, c);
	json_sources(p, &own, j, c);
	json_values(p, &env);
	buf_z(p->out, "\n        }");
	buf_release(&host);
	arena_release(&own);
}

static void json_role(struct printing *p, const struct plan_job *j, const struct plan_role *r)
{
	for (int64_t i = 0; i < r->max; i++) {
		if (!selected(p, i))
			continue;
		json_replica(p, j, r, &r->main, i);
		for (size_t k = 0; k < r->nsidecars; k++)
			json_replica(p, j, r, &r->sidecars[k], i);
		for (size_t k = 0; k < r->ninits; k++)
			json_replica(p, j, r, &r->inits[k], i);
	}
}

static void json(struct printing *p)
{
	buf_z(p->out, "{\n  \"schemaVersion\": 1,\n  \"jobs\": [");
	for (size_t i = 0; i < p->plan->njobs; i++) {
		const struct plan_job *j = &p->plan->jobs[i];
		buf_z(p->out, i ? ",\n    {\n      \"name\": " : "\n    {\n      \"name\": ");
		buf_json(p->out, j->name);
		buf_z(p->out, ", \"namespace\": ");
		buf_json(p->out, plan_namespace(j));
		buf_z(p->out, ", \"framework\": ");
		buf_json(p->out, j->framework);
		buf_z(p->out, ",\n      \"replicas\": [");
		p->first = true;
		for (size_t k = 0; k < j->nroles; k++)
			if (selected_role(p, &j->roles[k]))
				json_role(p, j, &j->roles[k]);
		buf_z(p->out, p->first ? "]\n    }" : "\n      ]\n    }");
	}
	buf_z(p->out, p->plan->njobs ? "\n  ]\n}\n" : "]\n}\n");
}

/* ---- table ---- */

void env_value_print(const struct env_value *v, struct buf *out)
{
	if (v->kind != ENV_TEXT)
		buf_printf(out, "<%s %.*s, key %.*s>", v->kind == ENV_SECRET ? "secret" : "config", STR_ARG(v->object),
			STR_ARG(v->key));
	else if (v->whole)
		buf_str(out, v->value);
	for (size_t i = 0; v->kind == ENV_TEXT && !v->whole && i < v->pieces.n; i++) {
		const struct piece *piece = &v->pieces.at[i];
		if (piece->kind == PIECE_TEXT)
			buf_str(out, piece->u.text);
		else if (piece->kind == PIECE_FIELD)
			buf_printf(out, "<%s>", field_paths[piece->u.field]);
		else
			buf_printf(out, "<%.*s>", STR_ARG(piece->u.text));
	}
}

/* Prints a value; further lines of the value are aligned with its first line. */
static void indented(struct printing *p, struct str value, int width)
{
	for (size_t i = 0; i <= value.n;) {
		const char *newline = i < value.n ? memchr(value.p + i, '\n', value.n - i) : NULL;
		size_t end = newline ? (size_t)(newline - value.p) : value.n;
		put_escaped(p->out, (struct str){ value.p + i, end - i });
		if (newline)
			buf_printf(p->out, "\n%*s", width, "");
		i = end + 1;
	}
}

static void table_value(struct printing *p, const struct env_value *v, int width)
{
	buf_printf(p->out, "  %-*.*s  ", width, STR_ARG(v->name));
	if (v->kind == ENV_TEXT && v->whole) {
		indented(p, v->value, width + 4);
	} else {
		struct buf value = { 0 };
		env_value_print(v, &value);
		put_escaped(p->out, buf_text(&value));
		buf_release(&value);
	}
	buf_char(p->out, '\n');
}

static void table_values(struct printing *p, const struct env_values *env)
{
	int width = 0;

	for (size_t i = 0; i < env->n; i++)
		width = (int)env->at[i].name.n > width ? (int)env->at[i].name.n : width;
	for (size_t i = 0; i < env->n; i++)
		table_value(p, &env->at[i], width);
}

/* What variables an object has that only the cluster knows: "all keys of secret aws, each after AWS_". */
static void source_words(struct buf *out, const struct plan_source *s)
{
	buf_printf(out, "all keys of %s %.*s", s->secret ? "secret" : "config", STR_ARG(s->name));
	if (s->prefix.n)
		buf_printf(out, ", each after %.*s", STR_ARG(s->prefix));
	buf_z(out, s->optional ? ", if it exists" : "");
}

static void table_sources(struct printing *p, struct arena *a, const struct plan_job *j, const struct plan_container *c)
{
	for (size_t i = 0; i < c->nsources; i++) {
		struct buf words = { 0 };
		source_words(&words, &c->sources[i]);
		if (!plan_source_data(a, j, &c->sources[i])) {
			buf_z(p->out, "  <");
			put_escaped(p->out, buf_text(&words));
			buf_z(p->out, ">\n");
		}
		buf_release(&words);
	}
}

static void table_replica(struct printing *p, const struct plan_job *j, const struct plan_role *r,
	const struct plan_container *c, int64_t index)
{
	struct arena own = { 0 };
	struct env_values env = plan_env(&own, j, r, c, index, &placement_cluster);

	buf_printf(p->out, "%s%.*s %lld  ", p->first ? "" : "\n", STR_ARG(r->name), (long long)index);
	p->first = false;
	if (c != &r->main)
		buf_printf(p->out, "%s %.*s  ", c->init ? "init" : "sidecar", STR_ARG(c->name));
	plan_host(j, r, index, p->out);
	for (size_t i = 0; i < c->nports; i++)
		buf_printf(p->out, "  %.*s=%lld", STR_ARG(c->ports[i].name), (long long)c->ports[i].port);
	buf_char(p->out, '\n');
	table_sources(p, &own, j, c);
	table_values(p, &env);
	arena_release(&own);
}

static void table(struct printing *p)
{
	for (size_t i = 0; i < p->plan->njobs; i++) {
		const struct plan_job *j = &p->plan->jobs[i];
		for (size_t k = 0; k < j->nroles; k++) {
			const struct plan_role *r = &j->roles[k];
			for (int64_t n = 0; selected_role(p, r) && n < r->max; n++) {
				if (!selected(p, n))
					continue;
				table_replica(p, j, r, &r->main, n);
				for (size_t c = 0; c < r->nsidecars; c++)
					table_replica(p, j, r, &r->sidecars[c], n);
				for (size_t c = 0; c < r->ninits; c++)
					table_replica(p, j, r, &r->inits[c], n);
			}
		}
	}
}

/* ---- shell and .env: the main container of one replica ---- */

static bool shell_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
		if (!letter && (i == 0 || c < '0' || c > '9'))
			return false;
	}
	return name.n > 0;
}

/* Prints a variable whose value is unknown here as a comment, so that the reader sees that it exists. */
static bool comment_text(struct printing *p, const struct env_value *v)
{
	if (v->kind != ENV_TEXT)
		buf_printf(p->out, "# %.*s: from %s %.*s, key %.*s\n", STR_ARG(v->name),
			v->kind == ENV_SECRET ? "Secret" : "ConfigMap",
			STR_ARG(v->object), STR_ARG(v->key));
	else if (!v->whole) {
		buf_printf(p->out, "# %.*s: known only in the pod: ", STR_ARG(v->name));
		env_value_print(v, p->out);
		buf_char(p->out, '\n');
	} else if (!shell_name(v->name))
		buf_printf(p->out, "# %.*s: not a name that a shell can export\n", STR_ARG(v->name));
	else
		return false;
	return true;
}

static void keep_one_line(struct buf *out, size_t start)
{
	for (size_t i = start; i + 1 < out->n; i++)
		if ((unsigned char)out->p[i] < 0x20)
			out->p[i] = ' ';
}

/* Prints a comment on a single line, whatever the value contains: no part of it must become a command. */
static bool comment(struct printing *p, const struct env_value *v)
{
	size_t start = p->out->n;

	if (!comment_text(p, v))
		return false;
	keep_one_line(p->out, start);
	return true;
}

static void put_quoted(struct buf *out, struct str value, enum env_form form)
{
	buf_char(out, '\'');
	for (size_t i = 0; i < value.n; i++) {
		char c = value.p[i];
		if (form == ENV_SHELL && c == '\'')
			buf_z(out, "'\\'");
		else if (form != ENV_SHELL && (c == '\'' || c == '\\'))
			buf_char(out, '\\');
		buf_char(out, c);
	}
	buf_char(out, '\'');
}

static bool bare(struct str value)
{
	for (size_t i = 0; i < value.n; i++) {
		char c = value.p[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			(c && strchr("_./:,@%+-", c));
		if (!plain)
			return false;
	}
	return true;
}

static void assignment(struct printing *p, const struct env_value *v, enum env_form form)
{
	if (comment(p, v))
		return;
	buf_printf(p->out, "%s%.*s%s", form == ENV_SHELL ? "export " : form == ENV_FISH ? "set -gx " : "",
		STR_ARG(v->name),
		form == ENV_FISH ? " " : "=");
	if (form == ENV_DOTENV && bare(v->value))
		buf_str(p->out, v->value);
	else
		put_quoted(p->out, v->value, form);
	buf_char(p->out, '\n');
}

static void lines(struct printing *p, const struct plan_job *j, const struct plan_role *r, int64_t index,
	enum env_form form)
{
	struct arena own = { 0 };
	struct env_values env = plan_env(&own, j, r, &r->main, index, &placement_cluster);

	for (size_t i = 0; i < r->main.nsources; i++) {
		size_t start = p->out->n;
		if (plan_source_data(&own, j, &r->main.sources[i]))
			continue;
		buf_z(p->out, "# ");
		source_words(p->out, &r->main.sources[i]);
		buf_char(p->out, '\n');
		keep_one_line(p->out, start);
	}
	for (size_t i = 0; i < env.n; i++)
		assignment(p, &env.at[i], form);
	arena_release(&own);
}

static void one_replica(struct printing *p, enum env_form form)
{
	for (size_t i = 0; i < p->plan->njobs; i++)
		for (size_t k = 0; k < p->plan->jobs[i].nroles; k++) {
			const struct plan_role *r = &p->plan->jobs[i].roles[k];
			int64_t index = p->which.index < 0 ? 0 : p->which.index;
			if (selected_role(p, r) && index < r->max)
				lines(p, &p->plan->jobs[i], r, index, form);
		}
}

bool env_print(struct arena *a, const struct plan *plan, struct env_selection which, enum env_form form,
	struct buf *out, struct str *why)
{
	struct printing p = { a, plan, which, out, true };

	if (!selection_ok(&p, form, why))
		return false;
	switch (form) {
	case ENV_TABLE: table(&p); break;
	case ENV_JSON: json(&p); break;
	case ENV_SHELL:
	case ENV_FISH:
	case ENV_DOTENV: one_replica(&p, form); break;
	}
	return true;
}

void env_values_print(const struct env_values *env, enum env_form form, struct buf *out)
{
	struct printing p = { .out = out };

	if (form == ENV_TABLE)
		table_values(&p, env);
	else if (form == ENV_JSON)
		json_values(&p, env);
	for (size_t i = 0; form >= ENV_SHELL && i < env->n; i++)
		assignment(&p, &env->at[i], form);
}
