/*
 * cmd_env_local.c - `env --local`: the environment of the programs of a run on this machine, with the addresses and
 * ports that the run uses here.
 */
#include "plan/print.h"
#include "runtime/command/runs.h"
#include "runtime/local/enter.h"

struct showing {
	struct session *session;
	struct env_selection which;
	enum env_form form;
	struct buf out;
	size_t shown;                   /* number of replicas shown so far */
	struct str absent;              /* the reason why a replica is not running, for the last such replica; empty:
					 * all replicas are running */
};

static enum env_form asked_form(struct str word)
{
	return str_is(word, "json") ? ENV_JSON : str_is(word, "shell") ? ENV_SHELL : str_is(word, "fish") ? ENV_FISH
		: str_is(word, "dotenv") ? ENV_DOTENV : ENV_TABLE;
}

static struct env_values environment_values(struct arena *a, char *const *environment)
{
	struct env_values all = { 0 };

	for (char *const *e = environment; *e; e++) {
		const char *equals = strchr(*e, '=');
		struct env_value v = { .name = { *e, (size_t)(equals - *e) }, .kind = ENV_TEXT, .whole = true,
			.value = str_of(equals + 1) };
		ARENA_PUSH(a, all.at, all.n, v);
	}
	return all;
}

/* Prints the head of the table of a role, "worker 0 127.0.0.1 http=20017", as `env` without --local does. */
static void put_table_head(struct showing *w, const struct run_role *role, const struct run_replica *r)
{
	buf_printf(&w->out, "%s%.*s %lld  %.*s", w->shown ? "\n" : "", STR_ARG(role->name), (long long)r->index,
		STR_ARG(r->host));
	for (size_t i = 0; i < r->ports.n; i++) {
		if (i == 0 || r->ports.p[i] == ',')
			buf_z(&w->out, "  ");
		if (r->ports.p[i] != ',')
			buf_char(&w->out, r->ports.p[i]);
	}
	buf_char(&w->out, '\n');
}

static void put_json_head(struct showing *w, const struct run_role *role, const struct run_replica *r, bool first)
{
	buf_z(&w->out, first ? "\n        {\n          \"role\": " : ",\n        {\n          \"role\": ");
	buf_json(&w->out, role->name);
	buf_printf(&w->out, ", \"index\": %lld, \"host\": ", (long long)r->index);
	buf_json(&w->out, r->host);
	buf_printf(&w->out, ", \"pid\": %ld,\n          ", (long)r->process.pid);
	report_json_ports(r->ports, &w->out);
	buf_char(&w->out, '\n');
}

/* Appends replica I if it runs and was selected; otherwise returns false. */
static bool show_replica(struct showing *w, const struct run_state *run, const struct run_role *role, int64_t i,
	bool first)
{
	struct arena *a = w->session->arena;
	struct enter what = { .run = run, .role = role->name, .index = i };
	char *const *environment;
	struct str why;

	if (w->which.index >= 0 && w->which.index != i)
		return false;
	if (!enter_environment(a, &what, &environment, &why)) {
		w->absent = why;
		return false;
	}
	struct env_values all = environment_values(a, environment);
	if (w->form == ENV_TABLE)
		put_table_head(w, role, &role->at[i]);
	else if (w->form == ENV_JSON)
		put_json_head(w, role, &role->at[i], first);
	env_values_print(&all, w->form, &w->out);
	if (w->form == ENV_JSON)
		buf_z(&w->out, "\n        }");
	w->shown++;
	return true;
}

static void show_run(struct showing *w, const struct run_state *run, bool first_run)
{
	bool json = w->form == ENV_JSON, first = true;

	if (json) {
		buf_z(&w->out, first_run ? "\n    {\n      \"name\": " : ",\n    {\n      \"name\": ");
		buf_json(&w->out, run->name);
		buf_z(&w->out, ",\n      \"replicas\": [");
	}
	for (size_t k = 0; k < run->nroles; k++)
		for (int64_t i = 0; i < run->roles[k].max; i++)
			if ((!w->which.role.p || str_eq(w->which.role, run->roles[k].name)) &&
				show_replica(w, run, &run->roles[k], i, first))
				first = false;
	if (json)
		buf_z(&w->out, first ? "]\n    }" : "\n      ]\n    }");
}

/* Reports why no replica can be shown, or why too many replicas were selected. */
static int nothing_to_show(struct showing *w, const struct attend *a)
{
	if (w->shown > 1) {
		session_say(w->session, "choose one of %zu replicas with --role and --index%s", w->shown,
			a->n > 1 ? ", and a job with --job" : "");
		return STATUS_USAGE;
	}
	if (w->absent.n)
		session_say(w->session,
			"%.*s; 'trainc run --local --dry-run' shows what each replica of a program would have",
			STR_ARG(w->absent));
	else
		session_say(w->session, "no replica of that role and number in run '%.*s'", STR_ARG(a->runs[0].name));
	return w->absent.n ? STATUS_REFUSED : STATUS_USAGE;
}

static int show_all(struct session *s, struct attend *a, long long index)
{
	struct showing w = { .session = s, .which = { option_value(s->options, OPTION_ROLE), index },
		.form = asked_form(option_value(s->options, OPTION_OUTPUT)) };
	int status = STATUS_DONE;

	if (w.form == ENV_JSON)
		buf_z(&w.out, "{\n  \"schemaVersion\": 1,\n  \"runs\": [");
	for (size_t i = 0; i < a->n; i++)
		show_run(&w, &a->runs[i].state, i == 0);
	if (w.form == ENV_JSON)
		buf_z(&w.out, "\n  ]\n}\n");
	if (!w.shown || (w.form >= ENV_SHELL && w.shown > 1))
		status = nothing_to_show(&w, a);
	else
		session_write(s, buf_text(&w.out));
	buf_release(&w.out);
	return status;
}

int cmd_env_local(struct session *s)
{
	struct chosen chosen;
	struct attend a;
	long long index;
	int status;

	if (!session_index(s, &index))
		return STATUS_USAGE;
	const struct backend *b = backend_begin(s, &a, &status);
	if (!b)
		return status;
	if (runs_choose(s, b, 1, &chosen, &status) && runs_watch(s, &chosen, &a, &status))
		status = show_all(s, &a, index);
	return backend_end(s, &a, status);
}
