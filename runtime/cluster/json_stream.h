/*
 * json_stream.h - JSON as it arrives: documents and the items of lists, one after the other, in
 * memory that does not grow with the stream.
 *
 * Bytes are given in pieces, cut anywhere.  Members that a filter does not ask for are checked and
 * dropped at once.  Trees (plan/data.h, without places) are handed out when they are complete and
 * live until the callback returns.
 *
 * Refused, with the offset and the bytes around it: anything but JSON, invalid UTF-8, nesting
 * beyond 200, a tree beyond 32 MiB of input.  No part of a document is handed out before it is
 * complete.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_JSON_STREAM_H
#define TRAINC_RUNTIME_CLUSTER_JSON_STREAM_H

#include "base/buf.h"
#include "data/data.h"

enum { JSON_STREAM_DEEPEST = 200, JSON_STREAM_LARGEST = 32 << 20 };

/*
 * Which members are kept: paths of member names separated by '.'; lists are passed
 * through: "status.conditions.type" keeps `type` of every condition.  A path keeps all
 * that is below it.  A path that begins with '-' drops what is at it: "-metadata.managedFields".
 * With only '-' paths everything else is kept.  A '*' is any name.  A name with a
 * dot in it is written in brackets: "metadata.annotations.[trainc.dev/role]".
 */
struct json_filter;
struct json_filter *json_filter_new(struct arena *a, const char *const *paths);

struct json_stream_options {
	/*
	 * Name of a member of the document whose list is handed out item by item ("items" of a
	 * List); NULL: documents are handed out whole.  Paths of the filter begin at the
	 * item, or at the document when this is NULL.
	 */
	const char *items;
	const struct json_filter *filter;       /* NULL: everything.  Outlives the stream */
	size_t largest;                 /* bytes of input of one item or document; 0: JSON_STREAM_LARGEST */
	bool several;                   /* documents may follow each other (a watch); else a second one is an error */
	/* False stops the stream: it takes nothing more, without an error. */
	bool (*item)(void *to, const struct data *item);
	/* The end of a document: the document without its items. */
	bool (*document)(void *to, const struct data *document);
	void *to;
};

struct json_stream;

struct json_stream *json_stream_new(const struct json_stream_options *o);
void json_stream_release(struct json_stream *s);
/* False when the stream is over: stopped by a callback, or an error. */
bool json_stream_take(struct json_stream *s, struct str bytes);
/* No more bytes will come.  False with an error when a document is incomplete. */
bool json_stream_end(struct json_stream *s);
/* Empties the stream, as after json_stream_new(). */
void json_stream_restart(struct json_stream *s);
/* True between documents: no part of one has been read. */
bool json_stream_between(const struct json_stream *s);
/* "at byte 4711: expected ',' or '}' (near '...')"; empty when there is no error. */
struct str json_stream_error(const struct json_stream *s);
uint64_t json_stream_offset(const struct json_stream *s);

#endif
