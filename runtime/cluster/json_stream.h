/*
 * json_stream.h - reads JSON as it arrives: documents and the items of lists, one after the other, in memory that does
 * not grow with the stream. Bytes are given in pieces that may be cut anywhere. Members that the filter does not select
 * are checked and dropped at once. Trees (data/data.h, without source positions) are handed out when they are complete
 * and live until the callback returns. No part of a document is handed out before it is complete.
 *
 * Errors contain the offset and the bytes around it. The errors are: a text that is not JSON, invalid UTF-8, nesting
 * beyond 200, a tree of more than 32 MiB of input.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_JSON_STREAM_H
#define TRAINC_RUNTIME_CLUSTER_JSON_STREAM_H

#include "base/buf.h"
#include "data/data.h"

enum { JSON_STREAM_DEEPEST = 200, JSON_STREAM_LARGEST = 32 << 20 };

/*
 * The members that are kept, as paths of names with '.' between them. Lists are passed through:
 * "status.conditions.type" keeps `type` of every condition. A path keeps everything below it. A path that begins with
 * '-' drops the member that it names: "-metadata.managedFields". If all paths begin with '-', everything else is kept.
 * A '*' matches any name. A name that contains a dot is written in brackets: "metadata.annotations.[trainc.dev/role]".
 */
struct json_filter;
struct json_filter *json_filter_new(struct arena *a, const char *const *paths);

struct json_stream_options {
	/*
	 * Name of the member of the document whose list is handed out item by item ("items" of a List). Paths of the
	 * filter then begin at the item. NULL: whole documents are handed out, and paths begin at the document.
	 */
	const char *items;
	const struct json_filter *filter;       /* NULL: everything is kept. The filter must outlive the stream */
	size_t largest;                 /* maximum size of the input of one item or document in bytes; 0:
					 * JSON_STREAM_LARGEST */
	bool several;                   /* documents may follow each other (as in a watch); false: a second document is
					 * an error */
	/* Called for each item. If it returns false, the stream stops without an error and reads nothing more. */
	bool (*item)(void *to, const struct data *item);
	/* Called at the end of a document, with the document without its items. */
	bool (*document)(void *to, const struct data *document);
	void *to;
};

struct json_stream;

struct json_stream *json_stream_new(const struct json_stream_options *o);
void json_stream_release(struct json_stream *s);
/* Reads BYTES. Returns false if the stream is over: a callback stopped it, or an error occurred. */
bool json_stream_take(struct json_stream *s, struct str bytes);
/* Ends the input. Returns false with an error if a document is incomplete. */
bool json_stream_end(struct json_stream *s);
/* Empties the stream, as after json_stream_new(). */
void json_stream_restart(struct json_stream *s);
/* Is the stream between two documents, that is, has it not yet read any part of the next one? */
bool json_stream_between(const struct json_stream *s);
/* The error, such as "at byte 4711: expected ',' or '}' (near '...')"; empty if no error has occurred. */
struct str json_stream_error(const struct json_stream *s);

#endif
