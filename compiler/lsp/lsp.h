/*
 * lsp.h - the language server, for any transport of its messages. lsp_receive() only queues a message. lsp_work()
 * does one thing (answers one request, analyzes one document) and is called as long as it returns true. More messages
 * may be received in between: a request that was canceled meanwhile is never started, and after several edits only
 * the last text is analyzed.
 *
 * Answers leave through the host. The host of the command is standard input and output; that of a browser is a worker.
 * The server reads files through the host's reader, by absolute paths; the text of an open document replaces its file.
 * Functions never fail; an error in a message is reported in its answer.
 */
#ifndef TRAINC_LSP_LSP_H
#define TRAINC_LSP_LSP_H

#include "base/source.h"

struct lsp;

struct lsp_host {
	void *context;
	const struct reader *reader;
	/* Sends one message: JSON, without a header. */
	void (*send)(void *context, const char *message, size_t n);
	/* Calls EACH with the path of every .tj file below a directory; may be NULL. */
	void (*files)(void *context, struct arena *a, struct str directory, void (*each)(void *to, struct str path),
		void *to);
	/*
	 * Stores a text that has no file (a module of the library, a page about a diagnostic) where editors can open
	 * it, and returns its path. May be NULL or fail: such texts then have URIs `trainc:/NAME`, and the request
	 * trainc/source gives their text.
	 */
	bool (*keep)(void *context, struct arena *a, struct str name, struct str text, struct str *ret_path);
};

struct lsp *lsp_new(const struct lsp_host *host);
void lsp_receive(struct lsp *l, const char *message, size_t n);
bool lsp_work(struct lsp *l);
/* Has the client sent `exit`?  Then *ret_status is the exit status of the process. */
bool lsp_ended(const struct lsp *l, int *ret_status);
void lsp_release(struct lsp *l);

#endif
