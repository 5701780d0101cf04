/*
 * data_read.h - reads free-form trees from JSON or YAML text. Values mean what they mean to Kubernetes' tools (YAML 1.1
 * with the rules of sigs.k8s.io/yaml): `yes`, `on` and `y` are true, `0o17`, `017` and `0x0f` are 15, a date is a
 * string, keys become strings, `<<` merges. Some things that those tools silently accept are refused, because they are
 * usually mistakes: duplicate keys, numbers that are not finite, tags that change how a text is read. A text that
 * begins with `{` or `[` is read as one or more JSON documents and, if it is not JSON, as YAML.
 *
 * Time and memory are linear in the text. Trees are at most DATA_DEEPEST deep, and aliases, which share their value,
 * stand for at most DATA_ALIASED nodes when written out. A text has at most DATA_UNITS values and keys, or one for
 * every 12 bytes; so reading a file that was made dense on purpose ends with an error after about a second.
 *
 * Memory: trees live in the arena and borrow from the source's text.
 */
#ifndef TRAINC_DATA_DATA_READ_H
#define TRAINC_DATA_DATA_READ_H

#include "data/data.h"

enum { DATA_DEEPEST = 200, DATA_ALIASED = 1000000 };
/* The budget of a file, in units of one JSON value or key, and the units that one event of libyaml costs. */
enum { DATA_UNITS = 4000000, DATA_YAML_UNITS = 3 };

struct data_error {
	struct span at;
	struct span first;              /* for a duplicate key: span of its first occurrence; otherwise unknown */
	struct str what;                /* the message: "expected ',' or '}' after this" */
	struct str help;                /* what to do about it; may be empty */
};

struct data_reader;

/* Makes a reader for a text, without reading anything yet. */
struct data_reader *data_reader_new(struct arena *a, const struct source *source);
/* Makes the reader accept numbers that are too large, as infinite ones, for a caller that checks each value itself. */
void data_reader_keep_infinite(struct data_reader *r);

/* Reads the next document that is not empty.  After the end or an error, every call returns that same result. */
enum data_step { DATA_DOCUMENT, DATA_END, DATA_ERROR };
enum data_step data_next(struct data_reader *r, struct data **ret, struct data_error *error);

void data_reader_release(struct data_reader *r);

/* Reads exactly one JSON document. */
bool data_read_json(struct arena *a, const struct source *source, struct data **ret, struct data_error *error);

#endif
