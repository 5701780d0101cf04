/*
 * json_stream.h - reads JSON as it arrives: documents and the items of lists, one after the other, in memory that does
 * not grow with the stream. Bytes are given in pieces that may be cut anywhere. Members that the filter does not select
 * are checked and dropped at once. Trees (data/data.h, without source positions) are handed out when they are complete
 * and live until the callback returns. No part of a document is handed out before it is complete.
 *
 * Parts that the filter drops may be nested a million deep, at one bit for each level: an API server stores 10,000
 * levels. Trees are at most JSON_STREAM_DEEPEST deep, as those of data_read_json() are, so whatever walks a tree may
 * use recursion.
 *
 * A document or item may be JSON and still be useless: see `enum json_fault`. With the callback `skipped`, such a
 * document or item is reported and dropped, and the stream goes on after its end. Errors end the stream; they contain
 * the offset and the bytes around it. The errors are: a text that is not JSON, so that nobody knows where an item ends;
 * a million levels; faults, if there is no `skipped`.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_JSON_STREAM_H
#define TRAINC_RUNTIME_CLUSTER_JSON_STREAM_H

#include "base/buf.h"
#include "data/data.h"

enum { JSON_STREAM_DEEPEST = 200, JSON_STREAM_LEVELS = 1 << 20, JSON_STREAM_LARGEST = 32 << 20 };

/* What makes a document or item useless, while the text around it can still be read. */
enum json_fault {
	JSON_SOUND,
	JSON_DEEP,                      /* the parts that are kept are nested more than JSON_STREAM_DEEPEST deep */
	JSON_LARGE,                     /* the input is larger than `largest`, or the parts that are kept than `kept` */
	JSON_TEXT,                      /* a string that is kept is not UTF-8, or has an escape that JSON lacks */
	JSON_NUMBER,                    /* a value that is kept is not a number, or the number is too large */
	JSON_TWICE,                     /* a map that is kept has the same key twice */
	JSON_OBJECT,                    /* the object lacks what every object has: see object_check.h */
};

/* A document or item that was skipped. The texts are those that could be read; the others are empty. */
struct json_skipped {
	enum json_fault fault;
	const char *why;                /* the fault in words: "lists and maps are nested more than 200 deep" */
	struct str type;                /* with `object`: the member `type` beside it, as in the events of watches */
	struct str kind, ns, name, uid, version;        /* `kind` and members of `metadata` of the object */
	struct str label;               /* the label `label` of the object */
	uint64_t bytes;                 /* size of the input */
};

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
	/*
	 * Maximum size, in bytes of JSON without blanks, of the parts of one item or document that are kept; 0: no
	 * limit but `largest`. Never more than this is held in memory while an item is read, apart from its last piece.
	 */
	size_t kept;
	bool several;                   /* documents may follow each other (as in a watch); false: a second document is
					 * an error */
	/* Called for each item. If it returns false, the stream stops without an error and reads nothing more. */
	bool (*item)(void *to, const struct data *item);
	/* Called at the end of a document, with the document without its items. */
	bool (*document)(void *to, const struct data *document);
	/*
	 * Called at the end of an item or document that is useless; false stops the stream. NULL: a fault is an error.
	 * The list around the items has no such faults: there, each is an error.
	 */
	bool (*skipped)(void *to, const struct json_skipped *skipped);
	const char *object;             /* the member that is the object: "object" for events; NULL: the whole item */
	const char *label;              /* the label that `skipped` needs; NULL: none */
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
/* Has the current document had the list of `items` so far? */
bool json_stream_has_items(const struct json_stream *s);
/* Is the stream between two documents, that is, has it not yet read any part of the next one? */
bool json_stream_between(const struct json_stream *s);
/* The error, such as "at byte 4711: expected ',' or '}' (near '...')"; empty if no error has occurred. */
struct str json_stream_error(const struct json_stream *s);

#endif
