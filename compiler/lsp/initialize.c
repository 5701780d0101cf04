/*
 * initialize.c - handles capabilities of client and server, workspace folders, settings, and files that change
 * outside the editor.
 */
#include "lsp/initialize.h"

#include "base/version.h"
#include "lsp/tokens.h"
#include "lsp/uri.h"

/* ---- capabilities of the client ---- */

static void read_encoding(struct lsp_client *c, const struct data *capabilities)
{
	const struct data *offered = msg_get(capabilities, "general.positionEncodings");
	bool utf16 = msg_lists(capabilities, "general.positionEncodings", "utf-16") || !offered;

	c->encoding = ENCODING_UTF16;
	if (msg_lists(capabilities, "general.positionEncodings", "utf-8"))
		c->encoding = ENCODING_UTF8;
	else if (!utf16 && msg_lists(capabilities, "general.positionEncodings", "utf-32"))
		c->encoding = ENCODING_UTF32;
}

static void read_client(struct lsp_client *c, const struct data *capabilities)
{
	const struct data *text = msg_get(capabilities, "textDocument"),
		*workspace = msg_get(capabilities, "workspace");

	read_encoding(c, capabilities);
	c->markdown = msg_lists(text, "hover.contentFormat", "markdown");
	c->snippets = msg_flag(text, "completion.completionItem.snippetSupport");
	c->label_details = msg_flag(text, "completion.completionItem.labelDetailsSupport");
	c->related = msg_flag(text, "publishDiagnostics.relatedInformation");
	c->code_description = msg_flag(text, "publishDiagnostics.codeDescriptionSupport");
	c->action_literals = msg_get(text, "codeAction.codeActionLiteralSupport") != NULL;
	c->hierarchical_symbols = msg_flag(text, "documentSymbol.hierarchicalDocumentSymbolSupport");
	c->prepare_rename = msg_flag(text, "rename.prepareSupport");
	c->versioned_edits = msg_flag(workspace, "workspaceEdit.documentChanges");
	c->refresh_hints = msg_flag(workspace, "inlayHint.refreshSupport");
	c->refresh_lenses = msg_flag(workspace, "codeLens.refreshSupport");
	c->refresh_tokens = msg_flag(workspace, "semanticTokens.refreshSupport");
	c->watch_files = msg_flag(workspace, "didChangeWatchedFiles.dynamicRegistration");
}

static void add_root(struct lsp *l, struct str uri)
{
	struct str path;

	if (uri_path(&l->life, uri, &path))
		ARENA_PUSH(&l->life, l->roots, l->nroots, path);
}

static void read_roots(struct lsp *l, const struct data *params)
{
	const struct data *folders = msg_get(params, "workspaceFolders");

	for (size_t i = 0; folders && folders->kind == DATA_LIST && i < folders->u.list.n; i++)
		add_root(l, msg_text(folders->u.list.at[i], "uri"));
	if (!l->nroots && msg_text(params, "rootUri").p)
		add_root(l, msg_text(params, "rootUri"));
	else if (!l->nroots && msg_text(params, "rootPath").p)
		ARENA_PUSH(&l->life, l->roots, l->nroots, str_copy(&l->life, msg_text(params, "rootPath")));
}

static struct str kept_setting(struct lsp *l, const struct data *settings, const char *name)
{
	struct str text = msg_text(settings, name);

	return text.n ? str_copy(&l->life, text) : (struct str){ 0 };
}

/*
 * Reads the settings. Those of programs have the names of `trainc`'s options; `diagnostics` says when to send
 * diagnostics.
 */
static void read_settings(struct lsp *l, const struct data *settings)
{
	if (!settings || settings->kind != DATA_MAP)
		return;
	l->target = kept_setting(l, settings, "target");
	l->kubernetes = kept_setting(l, settings, "kubernetes");
	l->client.on_save = str_is(msg_text(settings, "diagnostics"), "save");
}

/* ---- capabilities of the server ---- */

static void put_capabilities(struct lsp *l, struct buf *out)
{
	static const char *const encodings[] = { "utf-16", "utf-8", "utf-32" };

	msg_add_object(out, "capabilities");
	msg_add_z(out, "positionEncoding", encodings[l->client.encoding]);
	msg_add_raw(out, "textDocumentSync", "{\"openClose\":true,\"change\":2,\"save\":{\"includeText\":false}}");
	msg_add_bool(out, "hoverProvider", true);
	msg_add_raw(out, "completionProvider",
		"{\"triggerCharacters\":[\".\",\"=\",\"\\\"\",\"(\",\",\",\" \",\":\"]}");
	msg_add_raw(out, "signatureHelpProvider", "{\"triggerCharacters\":[\"(\",\",\"]}");
	for (const char *const *name = (const char *const[]){ "definitionProvider", "referencesProvider",
	     "documentHighlightProvider", "documentSymbolProvider", "workspaceSymbolProvider",
	     "documentFormattingProvider", "documentRangeFormattingProvider", "foldingRangeProvider",
	     "selectionRangeProvider", "inlayHintProvider", "callHierarchyProvider", NULL }; *name; name++)
		msg_add_bool(out, *name, true);
	msg_add_raw(out, "renameProvider", l->client.prepare_rename ? "{\"prepareProvider\":true}" : "true");
	if (l->client.action_literals)
		msg_add_raw(out, "codeActionProvider",
			"{\"codeActionKinds\":[\"quickfix\",\"refactor.extract\",\"source.organizeImports\","
			"\"source.fixAll\"]}");
	msg_add_raw(out, "documentOnTypeFormattingProvider", "{\"firstTriggerCharacter\":\"}\"}");
	msg_add_raw(out, "codeLensProvider", "{\"resolveProvider\":false}");
	msg_add_raw(out, "documentLinkProvider", "{\"resolveProvider\":false}");
	msg_add_object(out, "semanticTokensProvider");
	msg_add_raw(out, "legend", tokens_legend);
	msg_add_raw(out, "full", "{\"delta\":true}");
	msg_add_bool(out, "range", true);
	msg_close(out, '}');
	msg_add_raw(out, "executeCommandProvider",
		"{\"commands\":[\"trainc.preview\",\"trainc.environment\",\"trainc.plan\",\"trainc.import\"]}");
	msg_add_raw(out, "workspace", "{\"workspaceFolders\":{\"supported\":true,\"changeNotifications\":true}}");
	msg_close(out, '}');
}

bool initialize_answer(struct request *r)
{
	struct lsp *l = r->lsp;
	struct buf *out = r->out;

	read_client(&l->client, msg_get(r->params, "capabilities"));
	l->client.virtual_documents = msg_flag(r->params, "initializationOptions.virtualDocuments");
	read_roots(l, r->params);
	read_settings(l, msg_get(r->params, "initializationOptions"));
	l->state = LSP_RUNNING;
	msg_open(out, '{');
	put_capabilities(l, out);
	msg_add_raw(out, "serverInfo", "{\"name\":\"trainc\",\"version\":\"" TRAINC_VERSION "\"}");
	msg_close(out, '}');
	return true;
}

/* ---- later ---- */

void initialize_done(struct request *r)
{
	if (!r->lsp->client.watch_files)
		return;
	struct buf *out = server_ask(r->lsp, "client/registerCapability");
	buf_z(out, "{\"registrations\":[{\"id\":\"files\",\"method\":\"workspace/didChangeWatchedFiles\","
		"\"registerOptions\":{\"watchers\":"
		"[{\"globPattern\":\"**/*.tj\"},{\"globPattern\":\"**/trainc.lock\"},{"
			"\"globPattern\":\"**/crds.tbl\"}]}}]}");
	server_send(r->lsp);
}

void initialize_settings(struct request *r)
{
	const struct data *settings = msg_get(r->params, "settings.trainc");

	read_settings(r->lsp, settings ? settings : msg_get(r->params, "settings"));
	document_touch_all(r->lsp);
}

void initialize_watched(struct request *r)
{
	const struct data *changes = msg_get(r->params, "changes");
	struct str path;

	for (size_t i = 0; changes && changes->kind == DATA_LIST && i < changes->u.list.n; i++)
		if (uri_path(r->arena, msg_text(changes->u.list.at[i], "uri"), &path))
			document_touch(r->lsp, path);
}

void initialize_folders(struct request *r)
{
	struct lsp *l = r->lsp;
	const struct data *added = msg_get(r->params, "event.added"), *removed = msg_get(r->params, "event.removed");
	struct str path;

	for (size_t i = 0; removed && removed->kind == DATA_LIST && i < removed->u.list.n; i++)
		for (size_t k = l->nroots; uri_path(r->arena, msg_text(removed->u.list.at[i], "uri"), &path) &&
		    k-- > 0;)
			if (str_eq(l->roots[k], path))
				l->roots[k] = l->roots[--l->nroots];
	for (size_t i = 0; added && added->kind == DATA_LIST && i < added->u.list.n; i++)
		add_root(l, msg_text(added->u.list.at[i], "uri"));
	document_touch_all(l);
}
