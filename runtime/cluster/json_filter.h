/*
 * json_filter.h - a tree of member names that tells which parts of a stream are kept
 * (json_stream.h has the syntax of the paths).
 */
#ifndef TRAINC_RUNTIME_CLUSTER_JSON_FILTER_H
#define TRAINC_RUNTIME_CLUSTER_JSON_FILTER_H

#include "runtime/cluster/json_stream.h"

/* The rule below a place of the document. */
struct json_filter {
	struct str name;                /* of this member; "*" is any */
	enum json_filter_kind {
		JSON_FILTER_PATH,       /* only some members below it are kept */
		JSON_FILTER_KEEP,       /* everything below it is kept, except exceptions */
		JSON_FILTER_DROP,
	} kind;
	struct json_filter *below;      /* first */
	struct json_filter *next;       /* sibling */
};

/* A filter that keeps everything. */
extern const struct json_filter json_filter_all;
/* The rule for the member NAME of a place whose rule is F; NULL: it is dropped. */
const struct json_filter *json_filter_member(const struct json_filter *f, struct str name);

#endif
