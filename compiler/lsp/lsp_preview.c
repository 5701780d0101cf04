/*
 * lsp_preview.c - shows results of the compiler for a document as documents: its objects, the environment of a replica,
 * the plan; and the program made from a manifest. For a document with errors, the preview shows the result for its
 * last text without errors, and is marked as such. Clients ask with a request (trainc/preview) or a command
 * (trainc.preview).
 */
#include "diag/render.h"
#include "emit/emit.h"
#include "lsp/lsp_convert.h"
#include "lsp/server.h"
#include "plan/print.h"

struct preview_view {
	struct request *r;
	/* parameters of the request: { textDocument: { uri } or uri, job, role, index, format } */
	const struct data *params;
	struct document *document;
	struct analysis *an;            /* sound */
	struct plan plan;               /* the plan of the job in question, or of all jobs */
	bool stale;
};

/*
 * Finds the document that a request, or the first argument of a command, names, and the document's last program
 * without errors.
 */
static bool view_open(struct preview_view *v, struct request *r, const struct data *params)
{
	struct str uri = msg_text(params, "textDocument.uri"), job = msg_text(params, "job");

	if (!uri.p)
		uri = msg_text(params, "uri");
	if (!uri.p && params && params->kind == DATA_STRING)
		uri = params->u.string;
	*v = (struct preview_view){ .r = r, .params = params, .document = uri.p ? document_find(r->lsp, uri) : NULL };
	if (!v->document)
		return request_fail(r, LSP_PARAMS,
			uri.p ? "the document '%.*s' is not open" : "the request names no document%.*s", STR_ARG(uri));
	struct analysis *now = analysis_of(r->lsp, v->document);
	v->an = now->sound ? now : v->document->good;
	v->stale = v->an != now;
	if (!v->an)
		return request_fail(r, LSP_FAILED, "the program has errors");
	v->plan = v->an->compile->plan;
	for (size_t i = 0; job.p && i < v->plan.njobs; i++)
		if (str_eq(v->plan.jobs[i].name, job)) {
			v->plan.jobs += i;
			v->plan.njobs = 1;
			return true;
		}
	if (job.p)
		return request_fail(r, LSP_PARAMS, "the program has no job '%.*s'", STR_ARG(job));
	return true;
}

static void put_preview_head(struct preview_view *v)
{
	msg_open(v->r->out, '{');
	msg_add_text(v->r->out, "uri", v->document->uri);
	if (v->document->has_version)
		msg_add_int(v->r->out, "version", v->document->version);
	msg_add_bool(v->r->out, "stale", v->stale);
}

/* ---- objects ---- */

static bool collect_preview(void *context, const char *bytes, size_t n)
{
	buf_put(context, bytes, n);
	return true;
}

static struct str written(struct preview_view *v, bool annotate)
{
	struct trainc *c = v->an->compile;
	struct emit_options options = { .kinds = compile_kinds(c), .sources = &c->sources, .annotate = annotate };
	const struct plan *plan = &v->plan;
	struct buf out = { 0 };
	struct emit_sink sink = { &out, collect_preview };

	emit_write(&options, &plan, 1, &sink);
	struct str text = buf_take(&out, v->r->arena);
	buf_release(&out);
	return text;
}

static struct str line_of(struct str text, size_t *at)
{
	const char *newline = memchr(text.p + *at, '\n', text.n - *at);
	size_t end = newline ? (size_t)(newline - text.p) : text.n;
	struct str line = { text.p + *at, end - *at };

	*at = end + 1;
	return line;
}

/* Reads " # job.tj:12" at the end of a line: the file, and the line counted from 0. */
static bool read_place(struct str suffix, struct str *file, int64_t *line)
{
	size_t colon = suffix.n;

	while (colon > 0 && suffix.p[colon - 1] != ':')
		colon--;
	if (!str_starts(suffix, STR(" # ")) || colon < 4)
		return false;
	*file = (struct str){ suffix.p + 3, colon - 4 };
	*line = 0;
	for (size_t i = colon; i < suffix.n; i++)
		*line = *line * 10 + (suffix.p[i] - '0');
	(*line)--;
	return true;
}

static const struct source *source_named(const struct analysis *an, struct str name)
{
	for (size_t i = 0; i < an->compile->sources.n; i++)
		if (str_eq(an->compile->sources.at[i]->name, name))
			return an->compile->sources.at[i];
	return NULL;
}

/*
 * Writes, for each line of the text, the source and line that decided it. They are read from ANNOTATED, the same text
 * with `# file:line` at the end of lines.
 */
static void put_line_map(struct preview_view *v, struct str text, struct str annotated)
{
	struct str *files = NULL;
	size_t nfiles = 0, at = 0, other = 0;
	struct buf *out = v->r->out;

	msg_add_list(out, "map");
	while (at < text.n) {
		struct str line = line_of(text, &at), long_line = line_of(annotated, &other), file;
		struct str suffix = { long_line.p + line.n, long_line.n > line.n ? long_line.n - line.n : 0 };
		int64_t number;
		size_t i = 0;
		if (!read_place(suffix, &file, &number)) {
			msg_put_raw(out, "null");
			continue;
		}
		while (i < nfiles && !str_eq(files[i], file))
			i++;
		if (i == nfiles)
			ARENA_PUSH(v->r->arena, files, nfiles, file);
		msg_open(out, '[');
		msg_put_int(out, (int64_t)i);
		msg_put_int(out, number);
		msg_close(out, ']');
	}
	msg_close(out, ']');
	msg_add_list(out, "sources");
	for (size_t i = 0; i < nfiles; i++)
		msg_put_text(out, analysis_uri(v->r->arena, v->an, source_named(v->an, files[i])));
	msg_close(out, ']');
}

static bool preview(struct request *r, const struct data *params)
{
	struct preview_view v;

	if (!view_open(&v, r, params))
		return false;
	struct str text = written(&v, false), annotated = written(&v, true);
	put_preview_head(&v);
	msg_add_z(r->out, "language", "yaml");
	msg_add_int(r->out, "objects", (int64_t)emit_count(&v.plan));
	msg_add_text(r->out, "text", text);
	put_line_map(&v, text, annotated);
	msg_close(r->out, '}');
	return true;
}

/* ---- previews of environment and plan ---- */

static enum env_form form_of(struct str word)
{
	return str_is(word, "json") ? ENV_JSON : str_is(word, "shell") ? ENV_SHELL : str_is(word, "dotenv") ? ENV_DOTENV
		: ENV_TABLE;
}

static bool answer_environment(struct request *r, const struct data *params)
{
	struct preview_view v;
	struct buf text = { 0 };
	struct str why;

	if (!view_open(&v, r, params))
		return false;
	struct env_selection which = { msg_text(params, "role"), msg_number(params, "index", -1) };
	bool ok = env_print(r->arena, &v.plan, which, form_of(msg_text(params, "format")), &text, &why);
	if (!ok) {
		buf_release(&text);
		return request_fail(r, LSP_PARAMS, "%.*s", STR_ARG(why));
	}
	put_preview_head(&v);
	msg_add_text(r->out, "text", buf_text(&text));
	text.n = 0;
	if (env_print(r->arena, &v.plan, which, ENV_JSON, &text, &why)) {
		msg_key(r->out, "environment");
		buf_str(r->out, buf_text(&text));
	}
	msg_close(r->out, '}');
	buf_release(&text);
	return true;
}

static bool plan(struct request *r, const struct data *params)
{
	struct preview_view v;
	struct buf text = { 0 };

	if (!view_open(&v, r, params))
		return false;
	const size_t *objects = emit_counts(r->arena, &v.plan);
	plan_print_table(&v.plan, &v.an->compile->sources, objects, &text);
	put_preview_head(&v);
	msg_add_text(r->out, "text", buf_text(&text));
	text.n = 0;
	plan_print_json(&v.plan, &v.an->compile->sources, objects, &text);
	msg_key(r->out, "plan");
	buf_str(r->out, buf_text(&text));
	text.n = 0;
	plan_print_svg(&v.plan, &text);
	msg_add_text(r->out, "drawing", buf_text(&text));
	msg_close(r->out, '}');
	buf_release(&text);
	return true;
}

/* ---- texts that are not files ---- */

bool source_answer(struct request *r)
{
	struct str uri = msg_text(r->params, "uri"), prefix = STR("trainc:/"), text = { 0 };

	if (!uri.p)
		uri = msg_text(r->params, "textDocument.uri");
	if (str_starts(uri, prefix))
		text = server_text(r->arena, (struct str){ uri.p + prefix.n, uri.n - prefix.n });
	if (!text.p)
		return request_fail(r, LSP_PARAMS, "'%.*s' is not a text of the compiler", STR_ARG(uri));
	msg_open(r->out, '{');
	msg_add_text(r->out, "text", text);
	msg_close(r->out, '}');
	return true;
}

/* ---- manifests ---- */

static void put_messages(struct request *r, const struct diags *ds)
{
	msg_add_list(r->out, "messages");
	for (size_t i = 0; i < ds->n; i++) {
		struct place at = source_place(ds->sources, ds->at[i]->at.start);
		msg_open(r->out, '{');
		msg_add_z(r->out, "code", diag_code_name(ds->at[i]->code));
		msg_add_int(r->out, "severity", ds->at[i]->severity == SEVERITY_ERROR ? 1 : 2);
		msg_add_int(r->out, "line", at.source ? (int64_t)at.line - 1 : 0);
		msg_add_text(r->out, "message", ds->at[i]->message);
		if (ds->at[i]->help.n)
			msg_add_text(r->out, "help", ds->at[i]->help);
		msg_close(r->out, '}');
	}
	msg_close(r->out, ']');
}

/* Answers a request { text: a manifest } with { text: a program, or null; messages }. */
static bool import(struct request *r, const struct data *params)
{
	struct str manifest = params && params->kind == DATA_STRING ? params->u.string : msg_text(params, "text");
	struct sources sources = { .arena = r->arena };
	struct diags diags = { .arena = r->arena, .sources = &sources };
	struct buf out = { 0 };

	if (!manifest.p)
		return request_fail(r, LSP_PARAMS, "the request has no 'text'");
	bool ok = convert_manifest(manifest, &sources, &diags, &out);
	msg_open(r->out, '{');
	msg_key(r->out, "text");
	if (ok)
		buf_json(r->out, buf_text(&out));
	else
		buf_z(r->out, "null");
	put_messages(r, &diags);
	msg_close(r->out, '}');
	buf_release(&out);
	return true;
}

/* ---- the entry points of requests and commands ---- */

bool preview_answer(struct request *r) { return preview(r, r->params); }
bool environment_answer(struct request *r) { return answer_environment(r, r->params); }
bool plan_answer(struct request *r) { return plan(r, r->params); }
bool import_answer(struct request *r) { return import(r, r->params); }

bool command_answer(struct request *r)
{
	static const struct {
		const char *command;
		bool (*run)(struct request *r, const struct data *params);
	} commands[] = {
		{ "trainc.preview", preview }, { "trainc.environment", answer_environment },
		{ "trainc.plan", plan }, { "trainc.import", import },
	};
	const struct data *list = msg_get(r->params, "arguments");
	const struct data *first = list && list->kind == DATA_LIST && list->u.list.n ? list->u.list.at[0] : NULL;
	struct str command = msg_text(r->params, "command");

	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (str_is(command, commands[i].command))
			return commands[i].run(r, first);
	return request_fail(r, LSP_PARAMS, "the command '%.*s' is unknown", STR_ARG(command));
}
