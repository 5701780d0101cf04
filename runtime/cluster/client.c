/*
 * client.c - opens the connection to the API server that the command line selects.
 */
#include "runtime/cluster/client.h"

#include <errno.h>

#include "base/file.h"
#include "base/words.h"
#include "data/data_read.h"
#include "runtime/command/runs.h"

/* ---- the output of -v ---- */

static void trace(void *to, struct str line)
{
	const struct client *c = to;

	session_say(c->session, "%.*s", STR_ARG(line));
}

static void warning(void *to, struct str text)
{
	const struct client *c = to;
	struct buf b = { 0 };

	put_escaped(&b, text);
	session_say(c->session, "warning from the API server: %.*s", STR_ARG(buf_text(&b)));
	buf_release(&b);
}

struct retry_report {
	struct client *client;
	struct client_options options;
	int64_t limit;                  /* longest time of retrying in ns */
};

static void retrying(void *to, const struct transport_request *r, struct str why, int64_t wait_ns, int64_t since_ns)
{
	struct retry_report *report = to;
	struct client *c = report->client;
	struct buf b = { 0 };

	if (c->verbose) {
		put_duration(&b, wait_ns);
		session_say(c->session, "again in %.*s: %.*s", STR_ARG(buf_text(&b)), STR_ARG(why));
	} else if (!c->retry_told && since_ns + wait_ns >= NS_PER_SECOND && !transport_counted(c->transport)->streams) {
		/* commands that have opened a watch show what they wait for themselves */
		c->retry_told = true;
		put_duration(&b, report->limit);
		session_say(c->session, "%.*s; trying again for %.*s", STR_ARG(why), STR_ARG(buf_text(&b)));
	}
	buf_release(&b);
	if (report->options.retrying)
		report->options.retrying(report->options.to, r, why, wait_ns, since_ns);
}

/* Warns once if the clocks are more than 5 s apart, since this distorts ages; the server's times are used. */
static void note_offset(struct client *c)
{
	int64_t offset = transport_clock_offset(c->transport);
	struct buf b = { 0 };

	if (!c->verbose || (offset < 5 * NS_PER_SECOND && offset > -5 * NS_PER_SECOND))
		return;
	put_duration(&b, offset < 0 ? -offset : offset);
	session_say(c->session, "the API server's clock is %.*s %s this machine's", STR_ARG(buf_text(&b)),
		offset < 0 ? "behind" : "ahead of");
	buf_release(&b);
}

/* ---- opening ---- */

static bool client_failed(struct client *c, int status, struct str why, int *ret_status)
{
	session_say(c->session, "%.*s", STR_ARG(why));
	client_close(c);
	*ret_status = status;
	return false;
}

static bool read_access(struct client *c, const struct client_options *o, struct str *why)
{
	struct session *s = c->session;
	struct kubeconfig_options k = { .file = option_value(s->options, OPTION_KUBECONFIG),
		.context = option_value(s->options, OPTION_CONTEXT),
		.namespace = option_value(s->options, OPTION_NAMESPACE), .program_namespace = o->program_namespace };
	struct str warnings = STR(""), as = option_value(s->options, OPTION_AS);

	kubeconfig_environment(&k);
	bool ok = kubeconfig_access(s->arena, &k, &c->access, &warnings, why);
	while (warnings.n) {
		const char *newline = memchr(warnings.p, '\n', warnings.n);
		size_t n = newline ? (size_t)(newline - warnings.p) : warnings.n;
		session_say(s, "%.*s", (int)n, warnings.p);
		warnings = (struct str){ warnings.p + n + (newline != NULL), warnings.n - n - (newline != NULL) };
	}
	if (as.n)
		c->access.as = (struct kubeconfig_impersonation){ .user = as };
	return ok;
}

bool client_open(struct client *c, struct session *s, const struct client_options *o, int *ret_status)
{
	struct str why = STR("");
	int64_t retry_limit;

	*c = (struct client){ .session = s, .verbose = option_given(s->options, OPTION_VERBOSE) };
	if (!runs_duration(c->session, OPTION_RETRY_TIMEOUT, &retry_limit)) {
		*ret_status = STATUS_USAGE;
		return false;
	}
	if (!read_access(c, o, &why) && !(o->offline && c->access.absent))
		return client_failed(c, STATUS_OUTPUT, why, ret_status);
	c->loop = loop_new();
	if (!c->loop)
		return client_failed(c, STATUS_OUTPUT, file_reason(s->arena, errno), ret_status);
	if (c->access.absent)
		return true;
	c->credential = credential_new(c->loop, &c->access, !o->quiet_plugin);
	struct transport_options t = { .loop = c->loop, .access = &c->access, .credential = c->credential,
		.trace = c->verbose ? trace : NULL, .warning = warning, .to = c };
	c->transport = transport_new(s->arena, &t, &why);
	if (!c->transport)
		return client_failed(c, STATUS_OUTPUT, why, ret_status);
	struct retry_report *report = ARENA_NEW(s->arena, struct retry_report);
	*report = (struct retry_report){ c, *o, retry_limit ? retry_limit : 60 * NS_PER_SECOND };
	c->patience = 2 * report->limit;
	struct calls_options calls = { .transport = c->transport, .retry_limit = retry_limit, .in_flight = o->in_flight,
		/* the controller waits for its server, and --retry-timeout asks for that */
		.first_contact = s->options->command != COMMAND_SUPERVISE && !retry_limit,
		.retrying = retrying, .to = report };
	c->calls = calls_new(s->arena, &calls);
	return true;
}

void client_close(struct client *c)
{
	struct buf b = { 0 };

	if (c->verbose && c->transport && transport_counted(c->transport)->requests) {
		note_offset(c);
		transport_budget(c->transport, &b);
		session_say(c->session, "%.*s", STR_ARG(buf_text(&b)));
		buf_release(&b);
	}
	calls_release(c->calls);
	transport_release(c->transport);
	credential_release(c->credential);
	loop_release(c->loop);
	*c = (struct client){ .session = c->session };
}

/* ---- one request ---- */

struct sent {
	struct client *client;
	struct transport_result *result;
};

static void sent_done(void *to, const struct transport_result *r)
{
	struct sent *sent = to;
	struct arena *a = sent->client->session->arena;

	*sent->result = *r;
	sent->result->body = str_copy(a, r->body);
	sent->result->content_type = str_copy(a, r->content_type);
	sent->result->error = str_copy(a, r->error);
	sent->result->status = transport_status_copy(a, r->status);
	loop_stop(sent->client->loop);
}

/* Sends one request and runs the loop until it has ended; the texts of RESULT are copied into the session's arena. */
static void client_send(struct client *c, const struct transport_request *r, enum call_repeat repeat,
	struct transport_result *result)
{
	struct transport_request request = *r;
	struct sent sent = { c, result };

	request.done = sent_done;
	request.to = &sent;
	call_start(c->calls, &request, repeat, NULL);
	loop_run(c->loop);
}

bool client_server_version(struct session *s, struct str *ret, int *ret_status)
{
	struct client c;
	struct client_options o = { 0 };
	struct transport_request r = { .path = STR("/version") };
	struct transport_result result = { 0 };
	struct data *root = NULL;
	struct data_error error;

	if (!client_open(&c, s, &o, ret_status))
		return false;
	client_send(&c, &r, CALL_BY_METHOD, &result);
	struct str host = transport_host(c.transport);
	client_close(&c);
	struct source source = { .text = result.body, .base = 1 };
	if (!transport_ok(&result)) {
		session_say(s, "%.*s", STR_ARG(result.error));
		*ret_status = call_exit_status(&result);
		return false;
	}
	bool sound = data_read_json(s->arena, &source, &root, &error);
	const struct data *version = sound ? data_get(root, STR("gitVersion")) : NULL;
	if (!version || version->kind != DATA_STRING) {
		session_say(s, "%.*s answers /version without a version; is it a Kubernetes API server?",
			STR_ARG(host));
		*ret_status = STATUS_UNREACHABLE;
		return false;
	}
	*ret = version->u.string;
	return true;
}
