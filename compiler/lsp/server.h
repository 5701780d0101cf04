/*
 * server.h - shared by the files of the language server. A document is a text in the editor. Its analysis is the
 * compiled program with it as root file. It is made when it is first needed after an edit; the last one without errors
 * is kept for questions that only a program without errors can answer. One function of the table in server.c answers
 * each request from the documents and appends the result to `out`.
 */
#ifndef TRAINC_LSP_SERVER_H
#define TRAINC_LSP_SERVER_H

#include "compile.h"
#include "lsp/lsp.h"
#include "lsp/lsp_lines.h"
#include "lsp/message.h"

/* The capabilities of the client; false for those that it did not mention. */
struct lsp_client {
	enum encoding encoding;
	bool markdown, snippets, related, code_description, action_literals, label_details, hierarchical_symbols;
	bool refresh_hints, refresh_lenses, refresh_tokens, versioned_edits, watch_files, prepare_rename;
	/* the client can show `trainc:` URIs, whose text it requests with trainc/source */
	bool virtual_documents;
	bool on_save;                   /* the client wants diagnostics only for saved texts */
};

struct analysis {
	struct trainc *compile;
	struct lsp *lsp;
	struct reader reader;           /* reader of files that prefers open documents, and records what is read */
	struct str base;                /* directory from which the paths of the program start */
	struct map reads;               /* absolute paths that were read, or whose existence was checked */
	struct source_lines {
		const struct source *source;
		struct lsp_lines lines;
	} *lines;                       /* line tables of the sources in which positions were looked up */
	size_t nlines;
	unsigned users;
	bool sound;                     /* the analysis found no errors */
};

struct document {
	struct arena names;             /* memory of the document's names */
	struct str uri, path;           /* `path` is absolute, or derived from the URI when it does not name a file */
	struct buf text;
	int64_t version;
	bool has_version;
	struct analysis *now;           /* analysis of the latest text; NULL before the first analysis */
	struct analysis *good;          /* the latest analysis without errors; may be `now`; NULL if no analysis
					 * succeeded */
	bool stale;                     /* the text, or a file that the program reads, has changed since `now` */
	bool unpublished;               /* its diagnostics have to be sent */
	struct arena elsewhere;         /* memory of the list `published` */
	struct str *published;          /* URIs of other files in which this program has diagnostics */
	size_t npublished;
	uint32_t *tokens;               /* the last answer about semantic tokens; malloc'd */
	size_t ntokens;
	unsigned token_version;
	struct document *next;
};

struct lsp {
	struct lsp_host host;
	struct lsp_client client;
	struct message *queue, **queue_end;
	struct buf out;                 /* the message that is being written */
	struct document *documents;     /* the most recently edited document comes first */
	size_t open;                    /* number of open documents */
	bool full;                      /* a document was refused because too many are open, and the user was
					 * informed */
	struct arena life;              /* memory of the session: roots, settings */
	struct str *roots;              /* directories of the workspace */
	size_t nroots;
	struct arena scratch;           /* memory of one request */
	struct map catalog;             /* parsed modules of the library: name -> struct library_module * */
	enum { LSP_NEW, LSP_RUNNING, LSP_SHUT, LSP_ENDED } state;
	int status;
	int64_t requests;               /* number of requests from the server to the client so far */
	/* path -> struct str *: texts that replace those of documents and files while a rename is tried */
	struct map overlay;
	/* options for programs, from the client's settings */
	struct str target, kubernetes;
	/*
	 * another file changed: the server must ask the client to request hints, lenses and tokens of open documents
	 * again
	 */
	bool refresh;
};

/* Sets the error that a handler answers with; returns false. */
enum lsp_error {
	LSP_PARSE = -32700, LSP_INVALID = -32600, LSP_UNKNOWN = -32601, LSP_PARAMS = -32602,
		LSP_NOT_INITIALIZED = -32002,
	LSP_CANCELLED = -32800, LSP_FAILED = -32803
};
struct request {
	struct lsp *lsp;
	const struct data *params;
	struct arena *arena;            /* memory that lives until the answer is sent */
	struct buf *out;                /* the result of the request, which the handler writes */
	struct document *document;      /* the document of params.textDocument; NULL if the document is not open */
	enum lsp_error error;
	struct str why;
};
bool request_fail(struct request *r, enum lsp_error error, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* ---- sending messages (send.c) ---- */

/* writes the head of a request; the caller appends the params */
struct buf *server_begin(struct lsp *l, const char *method);
void server_send(struct lsp *l);
/* Starts the answer to request ID; the caller appends its members and a brace, then calls server_flush(). */
void server_answer(struct lsp *l, const struct data *id);
/* Answers request ID with an error (NULL: the request could not be read). */
void server_refuse(struct lsp *l, const struct data *id, enum lsp_error error, struct str why);
/* Sends the finished message. */
void server_flush(struct lsp *l);
/* Sends a request to the client, but does not wait for the answer. */
struct buf *server_ask(struct lsp *l, const char *method);

/* ---- finding and changing documents (document.c, document_find.c) ---- */

struct document *document_find(struct lsp *l, struct str uri);
struct document *document_at(struct lsp *l, struct str path);
void document_open(struct request *r);
void document_change(struct request *r);
void document_save(struct request *r);
void document_close(struct request *r);
void documents_release(struct lsp *l);
/* Marks all programs that read PATH as outdated. */
void document_touch(struct lsp *l, struct str path);
/* Marks every program as outdated. */
void document_touch_all(struct lsp *l);
static inline struct str document_text(const struct document *d) { return buf_text(&d->text); }

/* ---- analyses (analysis.c) ---- */

/* Compiles the program whose root is the file at PATH; `base` is a directory above it. */
struct analysis *analysis_new(struct lsp *l, struct str path);
/* Returns the up-to-date analysis of a document, which is made now if necessary. */
struct analysis *analysis_of(struct lsp *l, struct document *d);
void analysis_drop(struct analysis *a);
/* Returns the absolute path of a source; p == NULL for the library and the command line. */
struct str analysis_path(struct arena *a, const struct analysis *an, const struct source *s);
/* Returns the URI under which an editor finds the source. */
struct str analysis_uri(struct arena *a, const struct analysis *an, const struct source *s);
/* Returns the path for a document's URI; p == NULL if it is neither a file nor an open document. */
struct str server_uri_path(struct lsp *l, struct arena *a, struct str uri);
/* Returns the lines of a source, in the encoding of the client. */
const struct lsp_lines *analysis_lines(struct analysis *an, const struct source *s);
/* Makes a text that is not in a file available to the editor, and returns its URI. */
struct str server_keep(struct lsp *l, struct arena *a, struct str name, struct str text);
/* Returns the text that server_keep() made available under NAME; p == NULL if no text has that name. */
struct str server_text(struct arena *a, struct str name);

/* ---- answers to requests, one function for each method ---- */

typedef bool lsp_handler(struct request *r);
lsp_handler hover_answer, completion_answer, signature_answer;
lsp_handler definition_answer, references_answer, highlight_answer, rename_prepare, rename_answer;
lsp_handler symbols_document, symbols_workspace;
lsp_handler actions_answer;
lsp_handler format_answer, format_range_answer, format_type_answer;
lsp_handler ranges_folding, ranges_selection;
lsp_handler tokens_full, tokens_delta, tokens_range;
lsp_handler hints_answer, lens_answer;
lsp_handler preview_answer, environment_answer, plan_answer, source_answer, import_answer, command_answer;
lsp_handler calls_prepare, calls_incoming, calls_outgoing;
lsp_handler links_answer;

/* Sends the diagnostics of a document, and those of files that are not open but that its program reads. */
void publish_document(struct lsp *l, struct document *d);
void publish_nothing(struct lsp *l, struct document *d);
/* Forgets in which other files the document has diagnostics. */
void publish_forget(struct document *d);
/* Asks the client to refresh everything that depends on other files. */
void publish_refresh(struct lsp *l);

#endif
