/*
 * server.c - receives messages and answers them: the queue, the life of the server and the table of methods.
 *
 * Notifications change documents when their turn comes; an analysis waits until a request needs it
 * or the queue is empty.
 */
#include "lsp/server.h"

#include <stdlib.h>

#include "lsp/initialize.h"
#include "data/data_read.h"

struct message {
	struct arena arena;
	const struct data *data;
	struct message *next;
};

/* ---- the table ---- */

static bool shutdown_answer(struct request *r)
{
	r->lsp->state = LSP_SHUT;
	msg_put_raw(r->out, "null");
	return true;
}

static const struct {
	const char *method;
	lsp_handler *answer;
	bool document;                  /* params.textDocument must be open */
} methods[] = {
	{ "initialize", initialize_answer, false },
	{ "shutdown", shutdown_answer, false },
	{ "textDocument/hover", hover_answer, true },
	{ "textDocument/completion", completion_answer, true },
	{ "textDocument/signatureHelp", signature_answer, true },
	{ "textDocument/definition", definition_answer, true },
	{ "textDocument/references", references_answer, true },
	{ "textDocument/documentHighlight", highlight_answer, true },
	{ "textDocument/prepareRename", rename_prepare, true },
	{ "textDocument/rename", rename_answer, true },
	{ "textDocument/documentSymbol", symbols_document, true },
	{ "workspace/symbol", symbols_workspace, false },
	{ "textDocument/codeAction", actions_answer, true },
	{ "textDocument/formatting", format_answer, true },
	{ "textDocument/rangeFormatting", format_range_answer, true },
	{ "textDocument/onTypeFormatting", format_type_answer, true },
	{ "textDocument/foldingRange", ranges_folding, true },
	{ "textDocument/selectionRange", ranges_selection, true },
	{ "textDocument/semanticTokens/full", tokens_full, true },
	{ "textDocument/semanticTokens/full/delta", tokens_delta, true },
	{ "textDocument/semanticTokens/range", tokens_range, true },
	{ "textDocument/inlayHint", hints_answer, true },
	{ "textDocument/codeLens", lens_answer, true },
	{ "textDocument/documentLink", links_answer, true },
	{ "textDocument/prepareCallHierarchy", calls_prepare, true },
	{ "callHierarchy/incomingCalls", calls_incoming, false },
	{ "callHierarchy/outgoingCalls", calls_outgoing, false },
	{ "workspace/executeCommand", command_answer, false },
	{ "trainc/preview", preview_answer, false },
	{ "trainc/environment", environment_answer, false },
	{ "trainc/plan", plan_answer, false },
	{ "trainc/import", import_answer, false },
	{ "trainc/source", source_answer, false },
};

static const struct {
	const char *method;
	void (*note)(struct request *r);
} notes[] = {
	{ "initialized", initialize_done },
	{ "textDocument/didOpen", document_open },
	{ "textDocument/didChange", document_change },
	{ "textDocument/didSave", document_save },
	{ "textDocument/didClose", document_close },
	{ "workspace/didChangeConfiguration", initialize_settings },
	{ "workspace/didChangeWatchedFiles", initialize_watched },
	{ "workspace/didChangeWorkspaceFolders", initialize_folders },
};

static bool call(struct request *r, struct str method)
{
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		if (!str_is(method, methods[i].method))
			continue;
		struct str uri = msg_text(r->params, "textDocument.uri");
		r->document = uri.p ? document_find(r->lsp, uri) : NULL;
		if (methods[i].document && !r->document)
			return request_fail(r, LSP_PARAMS,
				uri.p ? "the document '%.*s' is not open" : "the request names no document%.*s",
				STR_ARG(uri));
		return methods[i].answer(r);
	}
	return request_fail(r, LSP_UNKNOWN, "the method '%.*s' is unknown", STR_ARG(method));
}

static void handle_request(struct lsp *l, const struct data *id, struct str method, const struct data *params)
{
	struct buf result = { 0 };
	struct request r = { .lsp = l, .params = params, .arena = &l->scratch, .out = &result };
	bool ok;

	if (l->state == LSP_NEW && !str_is(method, "initialize"))
		ok = request_fail(&r, LSP_NOT_INITIALIZED, "the first request is 'initialize'");
	else if (l->state != LSP_NEW && str_is(method, "initialize"))
		ok = request_fail(&r, LSP_INVALID, "the server is already initialized");
	else if (l->state == LSP_SHUT)
		ok = request_fail(&r, LSP_INVALID, "the server has shut down");
	else
		ok = call(&r, method);
	if (ok) {
		server_answer(l, id);
		msg_key(&l->out, "result");
		buf_str(&l->out, result.n ? buf_text(&result) : STR("null"));
		buf_char(&l->out, '}');
		server_flush(l);
	} else {
		server_refuse(l, id, r.error, r.why);
	}
	buf_release(&result);
	arena_release(&l->scratch);
}

static void handle_note(struct lsp *l, struct str method, const struct data *params)
{
	struct request r = { .lsp = l, .params = params, .arena = &l->scratch };

	if (str_is(method, "exit")) {
		l->status = l->state == LSP_SHUT ? 0 : 1;
		l->state = LSP_ENDED;
	}
	for (size_t i = 0; i < sizeof notes / sizeof *notes && l->state == LSP_RUNNING; i++)
		if (str_is(method, notes[i].method))
			notes[i].note(&r);
	arena_release(&l->scratch);
}

static void handle(struct lsp *l, const struct data *message)
{
	const struct data *id = msg_get(message, "id"), *params = msg_get(message, "params");
	struct str method = msg_text(message, "method");

	if (method.p && id)
		handle_request(l, id, method, params);
	else if (method.p)
		handle_note(l, method, params);
	/* a message with a result or an error answers one of our own requests */
	else if (!msg_get(message, "result") && !msg_get(message, "error"))
		server_refuse(l, id, LSP_INVALID, STR("a message has a method"));
}

/* ---- in ---- */

static void message_release(struct message *m)
{
	arena_release(&m->arena);
	free(m);
}

static bool same_id(const struct data *a, const struct data *b)
{
	if (!a || !b || a->kind != b->kind)
		return false;
	return a->kind == DATA_INT ? a->u.integer == b->u.integer
		: a->kind == DATA_STRING && str_eq(a->u.string, b->u.string);
}

/* Drops a request that was canceled, unless its turn has already come. */
static void cancel(struct lsp *l, const struct data *id)
{
	for (struct message **at = &l->queue; *at; at = &(*at)->next) {
		struct message *m = *at;
		if (!msg_text(m->data, "method").p || !same_id(msg_get(m->data, "id"), id))
			continue;
		*at = m->next;
		if (!m->next)
			l->queue_end = at;
		server_refuse(l, id, LSP_CANCELLED, STR("the request was cancelled"));
		message_release(m);
		return;
	}
}

void lsp_receive(struct lsp *l, const char *bytes, size_t n)
{
	struct message *m = memory_resize(NULL, sizeof *m);
	struct sources sources = { .arena = &m->arena };
	struct data_error error;
	struct data *data = NULL;

	*m = (struct message){ 0 };
	const struct source *source = source_add(&sources, STR("message"), (struct str){ bytes, n });
	if (!source || !data_read_json(&m->arena, source, &data, &error)) {
		server_refuse(l, NULL, LSP_PARSE, source ? error.what : STR("the message is too large"));
		message_release(m);
		return;
	}
	m->data = data;
	if (str_is(msg_text(data, "method"), "$/cancelRequest")) {
		cancel(l, msg_get(data, "params.id"));
		message_release(m);
		return;
	}
	*l->queue_end = m;
	l->queue_end = &m->next;
}

static bool publish_one(struct lsp *l)
{
	for (struct document *d = l->documents; d; d = d->next) {
		if (!d->unpublished)
			continue;
		publish_document(l, d);
		arena_release(&l->scratch);
		return true;
	}
	if (l->refresh)
		publish_refresh(l);
	return false;
}

bool lsp_work(struct lsp *l)
{
	struct message *m = l->queue;

	if (l->state == LSP_ENDED)
		return false;
	if (!m)
		return publish_one(l);
	l->queue = m->next;
	if (!l->queue)
		l->queue_end = &l->queue;
	handle(l, m->data);
	message_release(m);
	return true;
}

/* ---- life ---- */

struct lsp *lsp_new(const struct lsp_host *host)
{
	struct lsp *l = memory_resize(NULL, sizeof *l);

	*l = (struct lsp){ .host = *host };
	l->queue_end = &l->queue;
	return l;
}

bool lsp_ended(const struct lsp *l, int *ret_status)
{
	*ret_status = l->status;
	return l->state == LSP_ENDED;
}

void lsp_release(struct lsp *l)
{
	for (struct message *m = l->queue, *next; m; m = next) {
		next = m->next;
		message_release(m);
	}
	documents_release(l);
	buf_release(&l->out);
	arena_release(&l->life);
	free(l);
}
