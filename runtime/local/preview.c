/*
 * preview.c - shows what a run would start, replica by replica: `run --local --dry-run`.
 */
#include "base/words.h"
#include "runtime/local/engine_internal.h"
#include "runtime/run/report.h"
#include "runtime/run/shell_word.h"

/* ---- for people ---- */

enum { LABEL = 11 };

static void put_label(struct buf *out, const char *label) { buf_printf(out, "  %-*s", LABEL, label); }

static void text_words(struct buf *out, char *const *words)
{
	for (size_t i = 0; words[i]; i++) {
		buf_z(out, i ? " " : "");
		put_shell_word(out, str_of(words[i]));
	}
	buf_char(out, '\n');
}

static void text_line(struct buf *out, const char *label, struct str text)
{
	put_label(out, label);
	put_escaped(out, text);
	buf_char(out, '\n');
}

static void text_mounts(struct buf *out, const struct sandbox *box)
{
	if (box->root)
		text_line(out, "root", str_of(box->root));
	for (size_t i = 0; i < box->nmounts; i++) {
		const struct sandbox_mount *m = &box->mounts[i];
		put_label(out, i ? "" : "mounts");
		put_escaped(out, str_of(m->target));
		buf_z(out, m->kind == SANDBOX_TMPFS ? " in memory" : " is ");
		put_escaped(out, m->kind == SANDBOX_TMPFS ? STR("") : str_of(m->source));
		buf_z(out, m->readonly ? ", read-only\n" : "\n");
	}
}

/* Appends "NAME=VALUE"; only the name if the value is a secret or known to this user only. */
static void text_variable(struct buf *out, const char *entry, enum variable_source source)
{
	const char *equals = strchr(entry, '=');
	struct str name = { entry, (size_t)(equals - entry) };

	put_escaped(out, name);
	if (source != VARIABLE_OF_CALLER && source != VARIABLE_OF_SECRET) {
		buf_char(out, '=');
		put_shell_word(out, str_of(equals + 1));
	}
	buf_char(out, '\n');
}

/* The sources of variables, as shown to the user. */
static const struct {
	const char *label, *word;
} sources[] = {
	[VARIABLE_OF_CALLER] = { "yours", "caller" },
	[VARIABLE_OF_POD] = { "the pod's", "pod" },
	[VARIABLE_OF_PROGRAM] = { "program's", "program" },
	[VARIABLE_OF_SECRET] = { "secrets", "secret" },
	[VARIABLE_OF_OPTION] = { "--env", "option" },
};
enum { SOURCES = sizeof sources / sizeof *sources };

static void text_environment(struct buf *out, const struct launched *made)
{
	for (unsigned source = 0; source < SOURCES; source++) {
		bool any = false;
		for (size_t i = 0; made->envp[i]; i++) {
			if (made->sources[i] != source)
				continue;
			put_label(out, any ? "" : sources[source].label);
			text_variable(out, made->envp[i], source);
			any = true;
		}
	}
}

/* ---- both forms ---- */

struct preview {
	const struct engine *engine;
	struct arena arena;             /* memory for one container */
	bool json;
	struct buf *out;
};

static const char *part_word(enum container_part part)
{
	return part == CONTAINER_INIT ? "init" : part == CONTAINER_SIDECAR ? "sidecar" : "main";
}

static struct str log_path(struct preview *p, unsigned role, int64_t i, size_t k)
{
	const struct engine *e = p->engine;
	const struct plan_role *r = &e->job->roles[role];
	const struct plan_container *c = launch_container(r, k);
	struct str name = log_name(&p->arena, r->name, i, c->name, c == &r->main);

	return str_printf(&p->arena, "%.*s/logs/%.*s.log", STR_ARG(e->dir.path), STR_ARG(name));
}

static void text_processors(struct preview *p, const cpu_set_t *set)
{
	struct buf b = { 0 };

	if (!set)
		return;
	processors_put(set, &b);
	text_line(p->out, "processors", buf_text(&b));
	buf_release(&b);
}

static void text_published(struct preview *p, struct str rest)
{
	struct str port, host;

	while (report_published(&rest, &port, &host))
		text_line(p->out, "published", str_is(host, "0")
			? str_printf(&p->arena, "%.*s at a free port of 127.0.0.1", STR_ARG(port))
			: str_printf(&p->arena, "%.*s at 127.0.0.1:%.*s", STR_ARG(port), STR_ARG(host)));
}

static void text_container(struct preview *p, unsigned role, int64_t i, size_t k, const struct launched *made)
{
	const struct engine *e = p->engine;
	const struct plan_role *r = &e->job->roles[role];
	enum container_part part = launch_part(r, k);
	const struct run_replica *replica = &e->state->roles[role].at[i];

	buf_printf(p->out, "%.*s/%lld", STR_ARG(r->name), (long long)i);
	if (part != CONTAINER_MAIN)
		buf_printf(p->out, ".%.*s (%s)", STR_ARG(launch_container(r, k)->name), part_word(part));
	buf_char(p->out, '\n');
	put_label(p->out, "command");
	text_words(p->out, made->argv);
	text_line(p->out, "directory", str_of(made->cwd));
	if (part == CONTAINER_MAIN)
		text_line(p->out, "host", replica->host);
	if (part == CONTAINER_MAIN && replica->ports.n)
		text_line(p->out, "ports", replica->ports);
	text_processors(p, processors_of(e->processors, role, i));
	if (part == CONTAINER_MAIN)
		text_published(p, replica->published);
	text_line(p->out, "log", log_path(p, role, i, k));
	text_mounts(p->out, &made->box);
	text_environment(p->out, made);
}

static void json_text(struct preview *p, const char *name, struct str value, const char *behind)
{
	buf_printf(p->out, "\"%s\": ", name);
	buf_json(p->out, value);
	buf_z(p->out, behind);
}

static void json_words(struct preview *p, char *const *words)
{
	buf_z(p->out, "\"command\": [");
	for (size_t i = 0; words[i]; i++) {
		buf_z(p->out, i ? ", " : "");
		buf_json(p->out, str_of(words[i]));
	}
	buf_z(p->out, "], ");
}

static void json_mounts(struct preview *p, const struct sandbox *box)
{
	buf_z(p->out, "\"mounts\": [");
	for (size_t i = 0; i < box->nmounts; i++) {
		const struct sandbox_mount *m = &box->mounts[i];
		buf_z(p->out, i ? ", {" : "{");
		json_text(p, "path", str_of(m->target), ", ");
		if (m->kind == SANDBOX_BIND)
			json_text(p, "source", str_of(m->source), ", ");
		buf_printf(p->out, "\"memory\": %s, \"readonly\": %s}", m->kind == SANDBOX_TMPFS ? "true" : "false",
			m->readonly ? "true" : "false");
	}
	buf_z(p->out, "], ");
}

static void json_environment(struct preview *p, const struct launched *made)
{
	buf_z(p->out, "\"env\": [");
	for (size_t i = 0; made->envp[i]; i++) {
		const char *equals = strchr(made->envp[i], '=');
		buf_z(p->out, i ? ", {" : "{");
		json_text(p, "name", (struct str){ made->envp[i], (size_t)(equals - made->envp[i]) }, ", ");
		if (made->sources[i] != VARIABLE_OF_SECRET)
			json_text(p, "value", str_of(equals + 1), ", ");
		json_text(p, "from", str_of(sources[made->sources[i]].word), "}");
	}
	buf_z(p->out, "]}");
}

static void json_container(struct preview *p, unsigned role, int64_t i, size_t k, const struct launched *made)
{
	const struct plan_role *r = &p->engine->job->roles[role];

	buf_z(p->out, k ? ",\n          {" : "\n          {");
	json_text(p, "container", launch_container(r, k)->name, ", ");
	json_text(p, "part", str_of(part_word(launch_part(r, k))), ", ");
	json_words(p, made->argv);
	json_text(p, "directory", str_of(made->cwd), ", ");
	json_text(p, "log", log_path(p, role, i, k), ", ");
	json_mounts(p, &made->box);
	json_environment(p, made);
}

static void preview_replica(struct preview *p, unsigned role, int64_t i, bool first)
{
	const struct engine *e = p->engine;
	const struct plan_role *r = &e->job->roles[role];
	const struct run_replica *replica = &e->state->roles[role].at[i];
	struct launched made;
	struct str why;

	if (p->json) {
		buf_z(p->out, first ? "\n        {" : ",\n        {");
		json_text(p, "role", r->name, ", ");
		buf_printf(p->out, "\"rank\": %lld, ", (long long)i);
		json_text(p, "host", replica->host, ", ");
		report_json_ports(replica->ports, p->out);
		buf_z(p->out, "\"containers\": [");
	}
	for (size_t k = 0; k < launch_containers(r); k++) {
		if (!launch_make(e->launch, &p->arena, role, i, k, 1, &made, &why))
			continue;               /* cannot happen: engine_new() has made the same process description */
		if (p->json)
			json_container(p, role, i, k, &made);
		else
			text_container(p, role, i, k, &made);
		arena_release(&p->arena);
		p->arena = (struct arena){ 0 };
	}
	if (p->json)
		buf_z(p->out, "]}");
}

static int64_t count_replicas(const struct engine *e)
{
	int64_t n = 0;

	for (size_t k = 0; k < e->job->nroles; k++)
		n += e->state->roles[k].desired;
	return n;
}

static void preview_head(struct preview *p)
{
	const struct engine *e = p->engine;
	long long n = (long long)count_replicas(e);

	if (!p->json) {
		buf_printf(p->out, "run/%.*s: %lld replica%s, --isolate %.*s, in %.*s\n", STR_ARG(e->state->name), n,
			n == 1 ? "" : "s",
			STR_ARG(e->state->isolate), STR_ARG(e->dir.path));
		return;
	}
	buf_z(p->out, "{");
	json_text(p, "name", e->state->name, ", ");
	json_text(p, "isolate", e->state->isolate, ", ");
	json_text(p, "directory", e->dir.path, ",\n      \"replicas\": [");
}

void engine_preview(const struct engine *e, bool json, struct buf *out)
{
	struct preview p = { .engine = e, .json = json, .out = out };
	bool first = true;

	preview_head(&p);
	for (unsigned k = 0; k < e->job->nroles; k++)
		for (int64_t i = 0; i < e->state->roles[k].desired; i++, first = false)
			preview_replica(&p, k, i, first);
	buf_z(out, json ? "]}" : "");
}
